"""Statistics that are expressions of columns: "sum(delay) / sum(distance)"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bootfold import _core, _data
from bootfold._computed import computed, has_texts, inputs_of, is_computed
from bootfold._dates import module_of
from bootfold._nearest import columns_told
from bootfold._table_source import TableSource, table_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._data import Array

#: Packages whose tables are in the partitions of a cluster.
_CLUSTERS = ("dask", "pyspark", "ray")


def texts_of(statistic: Any) -> list[str]:
    several = statistic if isinstance(statistic, (list, tuple)) else [statistic]
    return [one for one in several if isinstance(one, str)]


def has_expressions(statistic: Any) -> bool:
    """Whether a statistic, or one of several, has parentheses."""
    return any("(" in text for text in texts_of(statistic))


def columns_of(statistic: Any) -> list[str]:
    """The columns that expressions name; some are expressions of a row."""
    names = [name for text in texts_of(statistic) for name in _core.statistic_columns(text)]
    return list(dict.fromkeys(names))


def columns_seen(statistic: Any, columns: Any) -> Any:
    """The columns that a call sees: those of columns=, and those that expressions name.

    Raises ValueError if a statistic is none, before any column is read.
    """
    for text in texts_of(statistic):
        _core.statistic_columns(text)
    if not has_expressions(statistic):
        return columns
    given = [] if columns is None else _data.column_names(columns)
    return list(dict.fromkeys([*given, *columns_of(statistic)]))


def columns_beside(statistic: Any, columns: Any) -> tuple[str, ...]:
    """The columns of statistics by name, beside expressions, which name their own."""
    if not has_expressions(statistic):
        return ()
    own = () if columns is None else tuple(_data.column_names(columns))
    plain = [one for one in texts_of(statistic) if "(" not in one]
    if plain and not own:
        raise ValueError(
            f"statistic {plain[0]!r} has no column, beside an expression that names its own; give "
            f"columns=, or write {plain[0]}(COLUMN)"
        )
    return own


def in_cluster(data: Any) -> bool:
    """Whether a table is in the partitions of a cluster, where columns are computed."""
    return module_of(data) in _CLUSTERS


def names_of(table: Any) -> list[Any] | None:
    """The columns of a table in memory; None of other data."""
    if isinstance(table, Mapping):
        return [str(name) for name in table]
    if hasattr(table, "column_names"):
        return list(table.column_names)
    if module_of(table) not in ("pandas", "polars") or hasattr(table, "collect"):
        return None
    return list(table.columns) if hasattr(table, "columns") else None


def check_columns(
    names: Sequence[Any], there: Sequence[Any], texts: Sequence[str], told: str = "there is"
) -> None:
    """Raises ValueError that marks a column that is not there, in the statistics `texts`."""
    for name in inputs_of(names, there):
        if name in there:
            continue
        raise _marked(names, name, texts, f"{told} no column {name!r}{columns_told(name, there)}")


def _marked(names: Sequence[Any], name: Any, texts: Sequence[str], problem: str) -> ValueError:
    """The problem of a column, marked where it was named."""
    marked = _core.mark_column(list(texts), str(name), problem)
    if marked == problem:
        marked = _core.mark_input(list(map(str, names)), str(name), problem)
    return ValueError(marked)


def _with(table: Any, name: str, values: Array) -> Any:
    """The table with one more column."""
    if isinstance(table, Mapping):
        return {**table, name: values}
    module = module_of(table)
    if module == "pandas":
        return table.assign(**{name: values})
    if module == "polars":
        import polars

        return table.with_columns(polars.Series(name, values))
    import pyarrow

    return table.append_column(name, pyarrow.array(values))


def _check_numbers(column: Any, name: Any, texts: Sequence[str]) -> None:
    """Raises TypeError that marks a column of text, or of dates, in the statistic that names it."""
    if name not in columns_of(texts) or not has_texts(column):
        return
    try:
        _data.check_numbers(column, str(name))
    except TypeError as error:
        raise TypeError(_core.mark_column(list(texts), str(name), str(error))) from None


def with_columns(table: Any, columns: Sequence[Any], texts: Sequence[str] = ()) -> Any:
    """The table with the columns that are expressions. `texts`: the statistics, for messages.

    What is read in batches is a `TableSource` then, and tables of clusters are as they were: their
    partitions are computed where they are.
    """
    if in_cluster(table) or isinstance(table, tuple):
        return table
    there = names_of(table)
    if there is None:
        source = table_source(table)
        if source is None:
            return table
        return _of_source(source, columns, texts)
    check_columns(columns, there, texts)
    for name in columns:
        if is_computed(name, there):
            table = _with(table, name, computed(table, name, there, texts))
        else:
            _check_numbers(table[name], name, texts)
    return table


def _of_source(source: TableSource, columns: Sequence[Any], texts: Sequence[str]) -> TableSource:
    wanted = [name for name in columns if is_computed(name, source.names)]
    for name in inputs_of(columns, source.names):
        try:
            source.check([name])
        except ValueError as error:
            raise _marked(columns, name, texts, str(error)) from None
    return source.with_computed(list(dict.fromkeys(wanted)), texts) if wanted else source


def as_table(made: Any) -> Any:
    """A dict of arrays as a table that is read in one batch; other data as they are."""
    if not isinstance(made, Mapping) or module_of(made) == "xarray":
        return made
    from bootfold._table_chunks import Dictionary

    return Dictionary(made)


def _with_text_names(data: Any) -> Any:
    """A frame of pandas whose columns are called by numbers, with names: mean(`0`)."""
    if module_of(data) != "pandas" or getattr(data, "ndim", 0) != 2 or data.columns.nlevels > 1:
        return data
    if all(isinstance(name, str) for name in data.columns):
        return data
    return data.set_axis([str(name) for name in data.columns], axis=1)


def _of_series(data: Any) -> Any:
    """A Series that has a name as a table of one column; other data as they are."""
    is_series = module_of(data) in ("pandas", "polars") and hasattr(data, "to_frame")
    name = getattr(data, "name", None) if is_series and not hasattr(data, "columns") else None
    return data if name in (None, "") else data.to_frame()


def prepared(data: Any, statistic: Any, columns: Any) -> tuple[Any, Any]:
    """Data that have all columns that a call sees, and the names of these."""
    named = columns_seen(statistic, columns)
    if named is None:
        return as_table(data), None
    if has_expressions(statistic):
        data = _with_text_names(_of_series(data))
    made = as_table(with_columns(data, _data.column_names(named), texts_of(statistic)))
    known = (*_CLUSTERS, "xarray")
    if has_expressions(statistic) and not (
        isinstance(made, TableSource) or names_of(made) is not None or module_of(made) in known
    ):
        raise TypeError(
            f"the statistic {texts_of(statistic)[0]!r} names columns, but the data are no table; "
            "give a DataFrame, a Series with a name, an Arrow table, a dict of arrays or a file"
        )
    return made, named
