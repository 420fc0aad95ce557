"""Tables that are returned, in the package of the caller's."""

from __future__ import annotations

import importlib.util
from typing import Any

_PACKAGES = ("pandas", "polars", "pyarrow")


def package_of(module: str = "") -> str:
    """The package of a table for data of this module: the same, otherwise the first installed."""
    if module in _PACKAGES:
        return module
    for package in _PACKAGES:
        if importlib.util.find_spec(package) is not None:
            return package
    raise ImportError("to_frame() needs pandas, polars or pyarrow; install one of them")


def table(package: str, columns: dict[str, list[Any]]) -> Any:
    """The columns as a table of a package; without one, as they are."""
    if package == "polars":
        import polars

        return polars.DataFrame(columns)
    if package == "pyarrow":
        import pyarrow

        return pyarrow.table(columns)
    if package == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    return columns
