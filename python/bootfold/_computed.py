"""Columns that are computed from others: "log(price)" of a table with a column price.

The library computes them: of tables in memory at once, of other tables batch by batch, so that rows
may be larger than memory, and of partitions where these are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bootfold import _core
from bootfold._chunked import Array
from bootfold._dates import (
    date_type,
    has_moments,
    module_of,
    moment_texts,
    remedy,
)
from bootfold._labels import values_and_missing
from bootfold._table_batch import numbers
from bootfold._table_source import TableSource


def _meant(name: Any, there: Sequence[Any]) -> Any:
    """The column that an expression means: one of this name, or of this number, from 1."""
    if name in there or not (isinstance(name, str) and name.isascii() and name.isdigit()):
        return name
    if not 1 <= int(name) <= len(there) or not all(isinstance(one, str) for one in there):
        return name
    return there[int(name) - 1]


def is_computed(name: Any, there: Sequence[Any]) -> bool:
    """Whether a name that a table with the columns `there` does not have is an expression.

    A number of a column is one too: the column is then called by its number.
    """
    if not isinstance(name, str) or name in there:
        return False
    plain: list[tuple[str, bool, bool, str | None]] = [(name, False, True, None)]
    return _meant(name, there) != name or _core.columns_used([name], []) != plain


def inputs_of(names: Sequence[Any], there: Sequence[Any]) -> list[Any]:
    """The columns that a table must have, each once."""
    found: list[Any] = []
    for name in names:
        if not is_computed(name, there):
            found.append(name)
            continue
        found += [_meant(use, there) for use, *_ in _core.columns_used([name], [])]
    return list(dict.fromkeys(found))


def has_texts(column: Any) -> bool:
    """Whether a column has texts, which dates are too; one of objects without values has none."""
    if has_moments(column):
        return True
    package = module_of(column)
    if package == "pyarrow":
        import pyarrow as pa

        kind = column.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        checks = (pa.types.is_string, pa.types.is_large_string)
        return any(check(kind) for check in checks) or str(kind) == "string_view"
    if package == "polars":
        return str(column.dtype).partition("(")[0] in ("String", "Utf8", "Categorical", "Enum")
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return False
    if package == "pandas" and str(dtype).startswith("str"):
        return True
    if dtype is not None and hasattr(dtype, "categories"):
        return has_texts(np.asarray(dtype.categories))
    values = values_and_missing(column)[0]
    present = next((one for one in values.tolist() if one is not None and one == one), None)
    return isinstance(present, (str, bytes))


def _has_values(column: Any) -> bool:
    missing = values_and_missing(column)[1]
    return not missing.all()


def _text_codes(column: Any) -> tuple[Array, list[str]]:
    """Codes of a column of text and what they stand for; of missing values a code beyond these."""
    if has_moments(column):
        return moment_texts(column)
    package = module_of(column)
    if package == "polars":
        import polars

        names = column.cast(polars.String).drop_nulls().unique(maintain_order=True)
        codes = column.cast(polars.String).cast(polars.Enum(names)).to_physical()
        return codes.fill_null(len(names)).to_numpy().astype(np.uint32), names.to_list()
    if package == "pyarrow":
        import pyarrow as pa

        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        known = encoded.dictionary.to_pylist()
        indices = encoded.indices.cast(pa.int64()).fill_null(len(known))
        codes = indices.to_numpy(zero_copy_only=False)
        empty = np.array([name is None for name in known] + [True])
        texts = [str(name) for name in known]
        return np.where(empty[codes], len(known), codes).astype(np.uint32), texts
    if package == "pandas":
        import pandas

        codes, known = pandas.factorize(column)
        texts = [str(name) for name in known]
        return np.where(codes < 0, len(texts), codes).astype(np.uint32), texts
    values, missing = values_and_missing(column)
    found, codes = np.unique(values[~missing].astype(str), return_inverse=True)
    all_codes = np.full(len(values), len(found), dtype=np.uint32)
    all_codes[~missing] = codes
    return all_codes, [str(name) for name in found]


def _doubles(column: Any, name: str) -> Array:
    arrays = [np.asarray(array, dtype=np.float64) for array in numbers(column, name)]
    if not arrays:
        return np.zeros(0)
    return np.ascontiguousarray(arrays[0] if len(arrays) == 1 else np.concatenate(arrays))


def _misuse(expression: str, name: str, problem: str, statistics: Sequence[str]) -> ValueError:
    """The error that marks a column in a statistic that names it, or in the expression."""
    marked = _core.mark_column(list(statistics), name, problem)
    if marked == problem:
        marked = _core.mark_input([expression], name, problem)
    return ValueError(marked)


def computed(
    table: Any, expression: str, there: Sequence[Any], statistics: Sequence[str] = ()
) -> Array:
    """The values of an expression; ``table[name]`` is a column of it.

    `statistics`: those that have the expression in them, for messages.
    """
    if _meant(expression, there) != expression:
        return _doubles(table[_meant(expression, there)], expression)
    values: dict[str, Array] = {}
    codes: dict[str, tuple[Array, list[str]]] = {}
    times = []
    uses = _core.columns_used([expression], [str(one) for one in there])
    for name, as_text, as_number, no_time in uses:
        column = table[_meant(name, there)]
        is_text = has_texts(column)
        if is_text and as_number:
            kind = "of dates" if has_moments(column) else "text"
            problem = f"column {name!r} is {kind}; compare it with text in quotes"
            raise _misuse(expression, name, problem, statistics)
        if is_text or (as_text and not _has_values(column)):
            codes[name] = _text_codes(column)
            if has_moments(column):
                times.append(name)
                if no_time is not None:
                    problem = (
                        f"column {name!r} is of dates, which {no_time!r} is not; write "
                        "'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'"
                    )
                    raise _misuse(expression, name, problem, statistics)
        elif as_text:
            kind = date_type(column)
            problem = (
                f"column {name!r} is of type {kind}, which is not compared; make numbers of it, "
                f"for example: {remedy(column)}"
                if kind
                else f"column {name!r} is a column of numbers; compare it with a number, without "
                "quotes"
            )
            raise _misuse(expression, name, problem, statistics)
        else:
            values[name] = _doubles(column, name)
    return _core.compute_column(
        expression,
        list(values),
        list(values.values()),
        list(codes),
        [each[0] for each in codes.values()],
        [each[1] for each in codes.values()],
        times,
    )


class Batch(Mapping[str, Any]):
    """Columns of a batch, and those that are computed from them when they are asked for."""

    def __init__(
        self,
        batch: Any,
        expressions: frozenset[str],
        there: Sequence[str],
        statistics: Sequence[str],
    ) -> None:
        self._batch = batch
        self._expressions = expressions
        self._there = there
        self._statistics = statistics
        self._made: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._expressions:
            return self._batch[name]
        if name not in self._made:
            self._made[name] = computed(self._batch, name, self._there, self._statistics)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*self._there, *self._expressions))

    def __len__(self) -> int:
        return len(self._there) + len(self._expressions)


class ComputedTable(TableSource):
    """A table that is read in batches, with more columns, which are computed batch by batch."""

    def __init__(
        self, source: TableSource, expressions: Sequence[str], statistics: Sequence[str] = ()
    ) -> None:
        self._source = source
        self._statistics = tuple(statistics)  # that have the expressions in them, for messages
        self._expressions = frozenset(expressions)
        self.names = [*source.names, *expressions]
        self.types = [*source.types, *("double" for _ in expressions)]
        self.rows = source.rows
        self.repeatable = source.repeatable
        self.volatile = source.volatile
        self.package = source.package

    @property
    def told(self) -> str:
        return self._source.told

    def check(self, columns: Sequence[str]) -> None:
        """Of the columns that these are computed from."""
        self._source.check(inputs_of(columns, self._source.names))

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        there = self._source.names
        for batch in self._source.batches(inputs_of(columns, there)):
            yield Batch(batch, self._expressions, there, self._statistics)
