"""The columns of a table source, read in one pass: in memory, or on disk if they do not fit."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bootfold import _core
from bootfold._chunked import Array, Chunked, Column
from bootfold._data import Columns, column_names
from bootfold._labels import Coded
from bootfold._options import Progress, memory_bytes
from bootfold._spool import ColumnFile, Spool, SpoolWarning, size, spool_bytes
from bootfold._table_batch import LabelBuilder, numbers, texts
from bootfold._table_source import TableSource

#: Arguments that are labels of rows, in place of numbers.
LABELS = ("strata", "clusters", "by")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes that the columns of a source may take."""

    memory: int
    spool: int | None = None  #: on disk; None: a quarter of the free space
    may_spool: bool = True  #: else LargerThanMemory is raised in place of it
    omit: bool = False  #: rows with missing values are left out (nan="omit")
    progress: Progress = False  #: shows how far reading is


class LargerThanMemory(Exception):
    """The columns exceed the memory limit, and the caller reads them in another way."""


def limits_of(
    memory: int | str | None,
    spool: int | str | None,
    nan: str = "error",
    progress: Progress = False,
) -> Limits:
    """The arguments memory= and spool=, checked, and what is done about missing values."""
    bytes_ = memory_bytes(memory) or _core.default_memory()
    return Limits(bytes_, spool_bytes(spool), omit=nan == "omit", progress=progress)


@dataclass(slots=True)
class Wanted:
    """Columns that a call uses, by what it uses them for. A column may serve for several."""

    numbers: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)  #: role ("strata") -> column
    texts: list[str] = field(default_factory=list)  #: values of any type

    @property
    def used(self) -> list[str]:
        """Every column once."""
        return list(dict.fromkeys([*self.numbers, *self.labels.values(), *self.texts]))


@dataclass(slots=True)
class Held:
    """The columns that were read."""

    rows: int
    numbers: dict[str, Column]
    labels: dict[str, Coded]
    texts: dict[str, Array]


#: Arrays of fewer rows are put together.
_FEW = 1 << 14


class _Builder:
    """A column that grows: arrays in memory, or a file."""

    def __init__(self) -> None:
        self._chunks: list[Array] = []
        self._small: list[Array] = []  # the last arrays, of few rows each
        self._small_rows = 0
        self._spool: Spool | None = None
        self._file: ColumnFile | None = None

    def add(self, values: Array) -> int:
        """Returns the bytes of memory that this takes."""
        if not len(values):
            return 0
        if self._spool is None:
            if len(values) < _FEW:
                self._small.append(values)
                self._small_rows += len(values)
                if self._small_rows >= _FEW:
                    self._join()
            else:
                self._join()
                self._chunks.append(values)
            return values.nbytes
        if self._file is None:
            self._file = self._spool.column(values.dtype)
        self._file.append(values)
        return 0

    def move(self, spool: Spool) -> None:
        """From memory to a file."""
        self._join()
        self._spool = spool
        while self._chunks:
            self.add(self._chunks.pop(0))

    def _join(self) -> None:
        """Makes one array of the small ones, so that a row is found quickly."""
        if self._small:
            self._chunks.append(np.concatenate(self._small))
            self._small, self._small_rows = [], 0

    def column(self) -> Column:
        """All values, as numbers of one type."""
        self._join()
        if self._file is not None:
            return self._file.values()
        if not self._chunks:
            return np.zeros(0)
        dtype = np.result_type(*{chunk.dtype for chunk in self._chunks})
        for place, chunk in enumerate(self._chunks):
            self._chunks[place] = chunk.astype(dtype, copy=False)
        return self._chunks[0] if len(self._chunks) == 1 else Chunked(self._chunks)


#: Bytes of a number, by the name that Arrow has for its type.
_WIDTHS = {
    **{"double": 8, "float": 4, "halffloat": 4, "bool": 8},
    **{f"{sign}int{8 * width}": width for sign in ("", "u") for width in (1, 2, 4, 8)},
    **{f"float{8 * width}": width for width in (4, 8)},
}


def bytes_of(source: TableSource, columns: Sequence[str]) -> int | None:
    """What columns of numbers take in memory; None if that is not known before they are read."""
    if source.rows is None:
        return None
    widths = [_WIDTHS.get(source.types[source.names.index(name)]) for name in columns]
    known = [width for width in widths if width is not None]
    return source.rows * sum(known) if len(known) == len(widths) else None


def number_batches(source: TableSource, columns: Sequence[str]) -> Iterator[list[list[Array]]]:
    """A pass over columns of numbers: for each batch and column, arrays that follow each other.

    A column of integers or of float32 has arrays of doubles where a batch has nulls, which are NaN.
    """
    source.check(columns)
    for batch in source.batches(columns):
        yield [numbers(batch[name], name) for name in columns]


def in_memory(source: TableSource, wanted: Wanted, limits: Limits) -> Held:
    """Reads the columns that are used, and no others, in one pass.

    Rows that exceed the memory limit are written to temporary files, which are then mapped: the
    engine reads them where they lie. Without `Limits.may_spool` LargerThanMemory is raised instead.
    """
    used = wanted.used
    source.check(used)
    reader = _Reader(source, wanted, limits)
    known = bytes_of(source, wanted.numbers)
    if known is not None and known > limits.memory and not source.mapped:
        reader.to_disk()
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(source.watched(limits.progress))
            others = [name for name in used if name not in wanted.numbers]
            passed = source.batches_of(wanted.numbers, others, limits.omit)
            if hasattr(passed, "close"):
                stack.callback(passed.close)
            for number, batch in enumerate(passed, 1):
                reader.add(batch, number)
        return reader.held()
    finally:
        reader.close()


class _Reader:
    def __init__(self, source: TableSource, wanted: Wanted, limits: Limits) -> None:
        self._source = source
        self._wanted = wanted
        self._limits = limits
        self._numbers = {name: _Builder() for name in wanted.numbers}
        self._codes = {role: _Builder() for role in wanted.labels}
        self._labels = {role: LabelBuilder(role) for role in wanted.labels}
        self._texts: dict[str, list[Array]] = {name: [] for name in wanted.texts}
        self._spool: Spool | None = None
        self._bytes = 0
        self._rows = 0

    def add(self, batch: Any, number: int) -> None:
        lengths: dict[str, int] = {}
        for name, builder in self._numbers.items():
            arrays = numbers(batch[name], name)
            lengths[name] = sum(map(len, arrays))
            for array in arrays:
                kept = np.array(array) if self._source.volatile and not self._spool else array
                taken = builder.add(kept)
                self._bytes += 0 if self._source.mapped else taken
        for role, name in self._wanted.labels.items():
            codes = self._labels[role].codes(batch[name])
            lengths[name] = len(codes)
            self._bytes += self._codes[role].add(codes)
        for name, pieces in self._texts.items():
            values = texts(batch[name])
            lengths[name] = len(values)
            pieces.append(np.array(values) if self._source.volatile else values)
            self._bytes += values.nbytes
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{name} {rows}" for name, rows in lengths.items())
            raise ValueError(
                f"the columns of batch {number} have different numbers of rows: {told}"
            )
        self._rows += next(iter(lengths.values()), 0)
        if self._spool is None and self._bytes > self._limits.memory:
            self.to_disk()

    def to_disk(self) -> None:
        if not self._limits.may_spool:
            raise LargerThanMemory
        self._spool = Spool(self._limits.spool)
        warnings.warn(
            f"{self._source.told} exceeds the memory limit of {size(self._limits.memory)}: columns "
            f"are written to temporary files in {self._spool.folder}, at most "
            f"{size(self._spool.limit)} (spool=)",
            SpoolWarning,
            stacklevel=caller_level(),
        )
        for builder in (*self._numbers.values(), *self._codes.values()):
            builder.move(self._spool)

    def held(self) -> Held:
        labels = {}
        for role, builder in self._codes.items():
            column = builder.column()
            codes = np.asarray(column)
            labels[role] = self._labels[role].finished(
                codes if codes.flags.writeable else codes.copy()
            )
            labels[role].column = self._wanted.labels[role]
        return Held(
            self._rows,
            {name: builder.column() for name, builder in self._numbers.items()},
            labels,
            {name: np.concatenate(p) if p else np.zeros(0) for name, p in self._texts.items()},
        )

    def close(self) -> None:
        """Closes the files; those that are mapped stay as long as their arrays."""
        if self._spool is not None:
            self._spool.close()


def caller_level() -> int:
    """The number of frames to the code that called the package, as warnings count them."""
    package = os.path.dirname(__file__)
    frame = sys._getframe(1)
    level = 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame = frame.f_back
        level += 1
    return level


def as_columns(
    source: TableSource, columns: str | Sequence[str] | None, roles: dict[str, Any], limits: Limits
) -> tuple[Columns, dict[str, Any]]:
    """The columns that a statistic sees, and those that are named as strata, weights, and so on."""
    named = {role: name for role, name in roles.items() if isinstance(name, str)}
    vector = isinstance(columns, str) or (columns is None and source.vector)
    if columns is None:
        seen = [name for name in source.names if name not in named.values()]
    else:
        seen = column_names(columns)
    of_rows = {role: name for role, name in named.items() if role.split()[0] not in LABELS}
    wanted = Wanted(
        list(dict.fromkeys([*seen, *of_rows.values()])),
        {role: name for role, name in named.items() if role not in of_rows},
    )
    held = in_memory(source, wanted, limits)
    found = dict(roles)
    for role, name in of_rows.items():
        found[role] = held.numbers[name]
    found |= held.labels
    names = [] if source.vector and source.names == [""] else seen
    return Columns(names, [held.numbers[name] for name in seen], vector), found
