"""Statistics that are expressions of columns: "sum(delay) / sum(distance)"."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core, _data
from bootfold._chunked import whole
from bootfold._dates import module_of
from bootfold._labels import values_and_missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._data import Array


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


def _names(table: Any) -> list[str] | None:
    """The columns of a table in memory; None of other data."""
    if isinstance(table, Mapping):
        return [str(name) for name in table]
    if hasattr(table, "column_names"):
        return list(table.column_names)
    if module_of(table) in ("pandas", "polars") and hasattr(table, "columns"):
        return list(table.columns) if not hasattr(table, "collect") else None
    return None


def _is_text(values: Array) -> bool:
    present = next((one for one in values if one is not None), None) if len(values) else None
    return values.dtype.kind in "USTO" and isinstance(present, (str, bytes))


def _text_codes(column: Any) -> tuple[Array, list[str]]:
    """Codes of a column of text and what they stand for; of missing values a code beyond these."""
    values, missing = values_and_missing(column)
    names, codes = np.unique(np.asarray(values).astype(str), return_inverse=True)
    codes = codes.astype(np.uint32)
    codes[missing] = len(names)
    return codes, [str(name) for name in names]


def _column(table: Any, name: str) -> Any:
    if hasattr(table, "column_names"):
        return table.column(name)
    return table[name]


def _check(texts: list[str], uses: list[tuple[str, bool]], there: Sequence[str]) -> None:
    for name, _ in uses:
        if name in there:
            continue
        near = difflib.get_close_matches(name, [str(one) for one in there], n=1)
        meant = f"; did you mean {near[0]!r}? The columns are " if near else "; the columns are "
        known = ", ".join(map(str, there))
        problem = f"there is no column {name!r}{meant}{known}"
        raise ValueError(_core.mark_column(texts, name, problem))


def _computed(table: Any, expression: str, uses: list[tuple[str, bool]]) -> Array:
    numbers: dict[str, Array] = {}
    codes: dict[str, tuple[Array, list[str]]] = {}
    for name, as_text in uses:
        column = _column(table, name)
        if as_text or _is_text(values_and_missing(column)[0]):
            codes[name] = _text_codes(column)
        else:
            read = _data.read(column)
            numbers[name] = np.ascontiguousarray(whole(read.arrays[0]), dtype=np.float64)
    return _core.compute_column(
        expression,
        list(numbers),
        list(numbers.values()),
        list(codes),
        [each[0] for each in codes.values()],
        [each[1] for each in codes.values()],
    )


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


def with_columns(table: Any, columns: list[str], texts: list[str]) -> Any:
    """The table with the columns that are expressions. `texts`: the statistics, for messages."""
    there = _names(table)
    if there is None:
        wanted = [name for name in columns if _core.columns_used([name], []) != [(name, False)]]
        if wanted:
            raise ValueError(
                f"the statistic computes {wanted[0]!r} from columns, which is for tables in memory "
                "(DataFrames, Arrow tables, dicts of arrays); read the columns that it uses first"
            )
        return table
    _check(texts, _core.columns_used(columns, there), there)
    for name in columns:
        if name not in there:
            table = _with(table, name, _computed(table, name, _core.columns_used([name], there)))
    return table


def prepared(data: Any, statistic: Any, columns: Any) -> tuple[Any, list[str]]:
    """Data that have all columns of the statistics, and the names of these."""
    if isinstance(data, tuple) or not (
        _names(data) is not None or hasattr(data, "collect") or not hasattr(data, "shape")
    ):
        raise TypeError(
            f"the statistic {texts_of(statistic)[0]!r} names columns, but the data are no table; "
            "give a DataFrame, an Arrow table, a dict of arrays or a file"
        )
    given = [] if columns is None else _data.column_names(columns)
    named = list(dict.fromkeys([*given, *columns_of(statistic)]))
    made = with_columns(data, named, texts_of(statistic))
    if isinstance(made, Mapping):
        from bootfold._table_chunks import chunks

        held = {name: made[name] for name in made}
        return chunks(lambda: [held]), named
    return made, named
