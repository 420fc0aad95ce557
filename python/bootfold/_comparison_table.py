"""What compare() returns: a table of the caller's package that can draw itself."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from bootfold._frames import table

if TYPE_CHECKING:
    import os

    from bootfold import _core


class _Drawn:
    """plot() of a table of comparisons."""

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, width: int = 480, height: int = 24
    ) -> Any:
        """The forest plot of `bootfold.plot_comparison`, an Altair chart.

        With a path it is also written, as .png, .svg, .pdf, .html or .json.
        """
        from bootfold._comparison_plot import plot_comparison

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


class ComparisonTable(_Drawn):
    """A pyarrow.Table, which cannot have more methods, with plot().

    All that a pyarrow.Table has is to be had here too, and whatever takes Arrow tables by their
    interface (``pyarrow.table(x)``, ``polars.DataFrame(x)``) takes this one. `table` is the
    pyarrow.Table itself, for functions of pyarrow that ask for one.
    """

    def __init__(self, table: Any) -> None:
        self.table = table

    def __getattr__(self, name: str) -> Any:
        if name == "table":  # when it is copied
            raise AttributeError(name)
        return getattr(self.table, name)

    def __getitem__(self, key: Any) -> Any:
        return self.table[key]

    def __len__(self) -> int:
        return len(self.table)

    def __eq__(self, other: object) -> bool:
        return bool(self.table == (other.table if isinstance(other, ComparisonTable) else other))

    __hash__ = None  # type: ignore[assignment]

    def equals(self, other: Any, **options: Any) -> bool:
        """As of a pyarrow.Table."""
        own = other.table if isinstance(other, ComparisonTable) else other
        return bool(self.table.equals(own, **options))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.table,)

    def __repr__(self) -> str:
        return repr(self.table)


ComparisonTable.__module__ = "pyarrow"


def _unpickled(frame: Any) -> Any:
    if type(frame).__module__.startswith("pyarrow"):
        return ComparisonTable(frame)
    own = _polars_table() if type(frame).__module__.startswith("polars") else _pandas_table()
    return own(frame)


def comparison_table(package: str, columns: dict[str, list[Any]]) -> Any:
    """The columns as a table of a package, with plot()."""
    if package == "pandas":
        return _pandas_table()(columns)
    if package == "polars":
        return _polars_table()(columns)
    if package == "pyarrow":
        return ComparisonTable(table(package, columns))
    return ComparisonDict(columns)


def joined_table(package: str, found: list[tuple[_core.Comparison, str]]) -> Any:
    """A table of comparisons, each of a value."""
    tables = [_columns(comparison, value) for comparison, value in found]
    columns = {key: [x for t in tables for x in t[key]] for key in tables[0]}
    return comparison_table(package, columns)


def _columns(comparison: _core.Comparison, value: str) -> dict[str, list[Any]]:
    first, *others = comparison.groups
    pairs = list(zip(others, comparison.contrasts, strict=True))
    return {
        "statistic": [comparison.statistic for _ in pairs],
        "value": [value for _ in pairs],
        "group": [group.name for group, _ in pairs],
        "rows": [group.rows for group, _ in pairs],
        "estimate": [group.estimate for group, _ in pairs],
        "estimate_low": [group.interval.low for group, _ in pairs],
        "estimate_high": [group.interval.high for group, _ in pairs],
        "control": [first.name for _ in pairs],
        "control_rows": [first.rows for _ in pairs],
        "control_estimate": [first.estimate for _ in pairs],
        "control_low": [first.interval.low for _ in pairs],
        "control_high": [first.interval.high for _ in pairs],
        "difference": [contrast.estimate for _, contrast in pairs],
        "standard_error": [contrast.standard_error for _, contrast in pairs],
        "low": [contrast.interval.low for _, contrast in pairs],
        "high": [contrast.interval.high for _, contrast in pairs],
        "p_value": [contrast.p_value for _, contrast in pairs],
        "p_value_error": [contrast.p_value_error for _, contrast in pairs],
        "adjusted_low": [contrast.adjusted_interval.low for _, contrast in pairs],
        "adjusted_high": [contrast.adjusted_interval.high for _, contrast in pairs],
        "adjusted_p_value": [contrast.adjusted_p_value for _, contrast in pairs],
        "adjusted_p_value_error": [contrast.adjusted_p_value_error for _, contrast in pairs],
        "test": [comparison.test for _ in pairs],
        "permutations": [contrast.permutations for _, contrast in pairs],
        "all_permutations": [contrast.all_permutations for _, contrast in pairs],
        "clusters": [comparison.clusters for _ in pairs],
        "shared_clusters": [comparison.shared_clusters for _ in pairs],
        "note": ["; ".join(note.text for note in contrast.notes) for _, contrast in pairs],
    }
