"""Which columns of the data a call uses: columns=, and names given as strata=, weights=, ..."""

from __future__ import annotations

from typing import Any

import numpy as np

from bootfold._data import column_names
from bootfold._table_read import Limits, as_columns
from bootfold._table_source import table_source


def chosen(
    given: Any,
    columns: Any,
    roles: dict[str, Any],
    limits: Limits,
) -> tuple[Any, dict[str, Any]]:
    """The data that a statistic sees, in memory, and the roles with columns in place of names."""
    if isinstance(given, tuple):
        if columns is not None:
            raise TypeError(
                f"columns is {columns!r} but the data are a tuple of samples; columns= is for one "
                "table"
            )
        return tuple(_loaded(value, limits) for value in given), roles
    source = None if type(given) is np.ndarray else table_source(given)
    if source is not None:
        return as_columns(source, columns, roles, limits)
    if columns is None and not any(isinstance(role, str) for role in roles.values()):
        return given, roles
    return of_frame(given, columns, roles)


def _loaded(value: Any, limits: Limits) -> Any:
    """A sample of several."""
    source = None if type(value) is np.ndarray else table_source(value)
    return value if source is None else as_columns(source, None, {}, limits)[0]


def of_frame(given: Any, columns: Any, roles: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Columns of a frame that are named as strata, clusters, weights, ... are not data."""
    named = {role: name for role, name in roles.items() if isinstance(name, str)}
    if not hasattr(given, "columns"):
        if columns is not None:
            raise TypeError(
                f"columns is {columns!r} but the data are no table; columns= is for files, "
                "queries and data frames"
            )
        name = next(iter(named.values()))
        raise TypeError(
            f"{name!r} names a column, but the data are no DataFrame; give an array with one entry "
            "for each row"
        )
    arrow = hasattr(given, "column_names")  # pyarrow's columns are the columns themselves
    there = list(given.column_names if arrow else given.columns)
    wanted = [] if columns is None else column_names(columns)
    for name in (*named.values(), *wanted):
        if name not in there:
            known = ", ".join(map(str, there))
            raise ValueError(f"there is no column {name!r}; the columns are {known}")
    found = {role: given[name] if role in named else name for role, name in roles.items()}
    if isinstance(columns, str):
        return given[columns], found
    others = wanted or [name for name in there if name not in named.values()]
    return given.select(others) if arrow else given[others], found
