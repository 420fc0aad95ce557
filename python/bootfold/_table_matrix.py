"""Input columns of a table source as rows of a matrix: all of them, or some at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bootfold import _core
from bootfold._chunked import Array
from bootfold._dates import check_no_dates
from bootfold._encode import InputColumns
from bootfold._spool import ColumnFile, Spool, SpoolWarning, size
from bootfold._table_batch import texts
from bootfold._table_read import caller_level
from bootfold._table_source import TableSource, needs

#: Batches of fewer rows are predicted together.
_FEW = 1 << 16


def numbers_of(column: Any, name: str) -> Array:
    """A column of inputs as float64, or as float32 if that is what it has."""
    check_no_dates(column, f"column {name!r}")
    found = texts(column)
    if found.dtype in (np.float64, np.float32):
        return found
    try:
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"column {name!r} has values that are not numbers ({error}) but inputs must be "
            "numbers; leave the column out of the table, or encode it"
        ) from None


def matrix_of(columns: Sequence[Array]) -> Array:
    """Columns side by side: float32 if all are, else float64."""
    dtype = np.result_type(*(column.dtype for column in columns))
    found = np.empty((len(columns[0]), len(columns)), dtype=dtype)
    for place, column in enumerate(columns):
        found[:, place] = column
    return found


def with_names(rows: Array, names: Sequence[str] | None) -> Any:
    """Rows whose columns have names, as a frame that refers to them; or the rows."""
    if names is None:
        return rows
    pandas = needs("pandas", "an estimator that knows its inputs by name", "pandas")
    return pandas.DataFrame(rows, columns=list(names), copy=False)


def batches_of(
    source: TableSource, inputs: Sequence[str], columns: InputColumns | None = None
) -> Iterator[Array]:
    """Matrices of some rows each. Small batches are put together.

    `columns` turns text, dates and so on into numbers; None: all inputs must be numbers.
    """
    source.check(inputs)
    waiting: list[Array] = []
    rows = 0
    some = False
    texts, given = ([], []) if columns is None else columns.known
    for batch in source.any_batches(inputs, texts, given):
        if columns is not None:
            found = columns.matrix({name: batch[name] for name in inputs})
        else:
            found = matrix_of([numbers_of(batch[name], name) for name in inputs])
        if not len(found):
            continue
        some = True
        waiting.append(found)
        rows += len(found)
        if rows >= _FEW:
            yield waiting[0] if len(waiting) == 1 else np.concatenate(waiting)
            waiting, rows = [], 0
    if waiting:
        yield np.concatenate(waiting)
    if not some:
        raise ValueError(f"{source.told} has no rows; an estimator needs at least one")


def row_limit(memory: int) -> int:
    """Bytes that training rows may take as float32, where memory 0 is the default limit."""
    return memory or 2 * _core.default_memory()


def check_rows(source: TableSource, rows: int, columns: int, memory: int, *, all_: bool) -> None:
    """Raises ValueError if training rows do not fit the memory limit as float32."""
    needed = rows * columns * np.dtype(np.float32).itemsize
    limit = row_limit(memory)
    if needed > limit:
        raise ValueError(
            f"{source.told} has {'' if all_ else 'at least '}{rows:,} rows of {columns} columns, "
            f"which take {size(needed)} as float32, but the memory limit is {size(limit)}; give "
            "a table of fewer columns or rows, or more memory by memory="
        )


class _Rows:
    """Rows that grow batch by batch: in memory, or in a temporary file if they exceed the limit."""

    def __init__(self, source: TableSource, columns: int, memory: int) -> None:
        self._source = source
        self._columns = columns
        self._limit = memory or _core.default_memory()
        self._values: Array = np.empty((0, columns), dtype=np.float32)
        self._spool: Spool | None = None
        self._file: ColumnFile | None = None
        self.count = 0

    def add(self, rows: Array) -> None:
        if not len(rows):
            return
        dtype = np.result_type(self._values.dtype, rows.dtype)
        count = self.count + len(rows)
        if self._file is None and count * self._columns * dtype.itemsize > self._limit:
            self._file = self._to_disk(dtype)
        if self._file is not None:
            self._file.append(rows.reshape(-1))
        else:
            if self._values.dtype != dtype:
                self._values = self._values.astype(dtype)
            if count > len(self._values):  # by realloc; pages not written to take no memory
                room = (max(count, 2 * len(self._values)), self._columns)
                self._values.resize(room, refcheck=False)
            self._values[self.count : count] = rows
        self.count = count

    def _to_disk(self, dtype: np.dtype[Any]) -> ColumnFile:
        self._spool = Spool(None)
        warnings.warn(
            f"{self._source.told} exceeds the memory limit of {size(self._limit)}: its columns are "
            f"written to a temporary file in {self._spool.folder}; training keeps them in memory "
            "as float32",
            SpoolWarning,
            stacklevel=caller_level(),
        )
        file = self._spool.column(dtype)
        file.append(self._values[: self.count].reshape(-1))
        self._values = np.empty((0, self._columns), dtype=np.float32)
        return file

    def values(self) -> Array:
        if self._file is not None:
            return self._file.values().reshape(-1, self._columns)
        self._values.resize((self.count, self._columns), refcheck=False)
        return self._values

    def close(self) -> None:
        """Closes the file, which stays as long as its rows are used."""
        if self._spool is not None:
            self._spool.close()


def training_rows(
    source: TableSource,
    inputs: Sequence[str],
    others: Sequence[str],
    memory: int,
    encoded: InputColumns,
    labels: Sequence[str] = (),
) -> tuple[Array, dict[str, Array]]:
    """Inputs as a matrix, and the other columns, read in one pass. `encoded` turns them into
    numbers; `labels` are classes, which text files write as numbers or as text.

    Raises ValueError if the rows do not fit the memory limit as float32, in which training keeps
    them: before they are read if their number is known, and else as soon as they are too many.
    """
    columns = len(inputs) + len(others)
    used = list(dict.fromkeys([*inputs, *others]))
    source.check(used)
    if source.rows is not None:
        check_rows(source, source.rows, columns, memory, all_=True)
    rows = _Rows(source, len(inputs), memory)
    pieces: dict[str, list[Array]] = {name: [] for name in others}
    try:
        for batch in source.any_batches(used, [*encoded.known[0], *labels]):
            rows.add(encoded.coded({name: batch[name] for name in inputs}))
            for name, found in pieces.items():
                found.append(np.array(texts(batch[name]), copy=source.volatile or None))
            check_rows(source, rows.count, columns, memory, all_=False)
        if rows.count == 0:
            raise ValueError(f"{source.told} has no rows; an estimator needs at least one")
        return rows.values(), {name: np.concatenate(found) for name, found in pieces.items()}
    finally:
        rows.close()
