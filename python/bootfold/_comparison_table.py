"""What compare() returns: a table of the caller's package that can draw itself."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from bootfold._frames import table

if TYPE_CHECKING:
    import os


class _Drawn:
    """plot() of a table of comparisons."""

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, width: int = 480, height: int = 24
    ) -> Any:
        """The forest plot of `bootfold.plot_comparison`, an Altair chart.

        With a path it is also written, as .png, .svg, .pdf, .html or .json.
        """
        from bootfold._compare import plot_comparison

        return plot_comparison(self, path, width=width, height=height)


class ComparisonDict(_Drawn, dict[str, list[Any]]):
    """Columns as lists, of callers that gave a mapping or a text file."""


@functools.cache
def _pandas_table() -> type[Any]:
    import pandas

    class ComparisonFrame(_Drawn, pandas.DataFrame):  # type: ignore[misc]
        """A DataFrame of pandas whose plot() is a forest plot."""

        @property
        def _constructor(self) -> Any:
            return ComparisonFrame

        def __reduce__(self) -> tuple[Any, ...]:
            return _unpickled, (pandas.DataFrame(self),)

    ComparisonFrame.__module__ = "pandas"  # by which tables are recognised
    return ComparisonFrame


@functools.cache
def _polars_table() -> type[Any]:
    import polars

    class ComparisonFrame(_Drawn, polars.DataFrame):  # type: ignore[misc]
        """A DataFrame of polars whose plot() is a forest plot."""

        def __reduce__(self) -> tuple[Any, ...]:
            return _unpickled, (polars.DataFrame(self.get_columns()),)

    ComparisonFrame.__module__ = "polars"
    return ComparisonFrame


def _unpickled(frame: Any) -> Any:
    own = _polars_table() if type(frame).__module__.startswith("polars") else _pandas_table()
    return own(frame)


def comparison_table(package: str, columns: dict[str, list[Any]]) -> Any:
    """The columns as a table of a package. Tables of pyarrow have no plot()."""
    if package == "pandas":
        return _pandas_table()(columns)
    if package == "polars":
        return _polars_table()(columns)
    if package == "pyarrow":
        return table(package, columns)
    return ComparisonDict(columns)
