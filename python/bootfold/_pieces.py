"""Pieces of partitions, as workers read them: columns of numbers, and labels of rows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bootfold import _data
from bootfold._chunked import Array, Chunked, Column, chunks_of
from bootfold._computed import computed, inputs_of, is_computed
from bootfold._data import Columns
from bootfold._labels import coded, texts_of, values_and_missing
from bootfold._table_batch import numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: Rows, and for each column of labels those of the rows.
Labelled: TypeAlias = "tuple[Columns, list[Array]]"


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads a piece of a partition: an array, a DataFrame or an Arrow table."""

    names: list[Any]  #: of the columns; none of an array or a Series
    axis: int | None
    omit: bool  #: leaves out rows with NaN
    labels: tuple[str, ...] = ()  #: columns of labels: strata, clusters, groups

    def __call__(self, piece: Any) -> Labelled:
        """The rows of a piece, and for each column of labels those of the rows."""
        found = self._read(piece)
        labels = []
        unlabelled = []
        for name in self.labels:
            values, missing = values_and_missing(piece[name])
            if missing.any() and not self.omit:
                raise ValueError(
                    f"column {name!r} has no label in some rows; nan='omit' leaves such rows out"
                )
            labels.append(values)
            unlabelled.append(missing)
        if self.omit:
            kept = ~np.logical_or.reduce([_data.nan_rows(found.arrays), *unlabelled])
            if not kept.all():
                found.arrays = [array[kept] for array in found.arrays]
                labels = [array[kept] for array in labels]
        return found, labels

    def _read(self, piece: Any) -> Columns:
        if self.names:
            arrays = [_column(piece, name) for name in self.names]
            return Columns([str(name) for name in self.names], arrays, False)
        if self.axis is not None:
            array = np.moveaxis(_data.number_array(piece, "data"), self.axis, 0)
            return Columns([], list(array.reshape(array.shape[0], -1).T), False)
        read = _data.read_shard(piece)
        return Columns(read.names, read.arrays, False)


def label_hashes(labels: Array) -> Array:
    """A number for each distinct label, which equal labels in other partitions have too; rising."""
    names = texts_of(coded(labels, len(labels), "clusters")[1])
    digests = [hashlib.blake2b(name.encode(), digest_size=8).digest() for name in names]
    return np.unique(np.frombuffer(b"".join(digests), np.uint64))


def _column(piece: Any, name: Any) -> Column:
    there = list(piece.column_names if hasattr(piece, "column_names") else piece.columns)
    if name not in there:
        if is_computed(name, there) and set(inputs_of([name], there)) <= set(there):
            return computed(piece, name, there)
        raise ValueError(
            f"a partition has no column {name!r}; its columns are {', '.join(map(str, there))}"
        )
    return _one(numbers(piece[name], str(name)))


def _one(arrays: list[Array]) -> Column:
    """Arrays one below the other."""
    if not arrays:
        return np.zeros(0)
    dtype = np.result_type(*(array.dtype for array in arrays))
    found = [array.astype(dtype, copy=False) for array in arrays]
    return found[0] if len(found) == 1 else Chunked(found)


def together(pieces: Iterable[Labelled], limit: float) -> Iterator[Labelled]:
    """Pieces one below the other, each of at least `limit` bytes but the last."""
    held: list[Labelled] = []
    size = 0
    for piece in pieces:
        arrays = piece[0].arrays
        if len(arrays[0]):
            held.append(piece)
            size += sum(len(array) * array.dtype.itemsize for array in arrays)
        if held and size >= limit:
            yield _below(held)
            held, size = [], 0
    if held:
        yield _below(held)


def _below(pieces: list[Labelled]) -> Labelled:
    columns = zip(*(table.arrays for table, _ in pieces), strict=True)
    arrays = [_one([chunk for column in found for chunk in chunks_of(column)]) for found in columns]
    labels = [np.concatenate(found) for found in zip(*(own for _, own in pieces), strict=True)]
    return Columns(pieces[0][0].names, arrays, False), labels


def check_rows(first: int, expected: int, rows: int, what: str = "the data") -> None:
    """Raises ValueError if a second reading gives another number of rows than the first."""
    if rows != expected:
        raise ValueError(
            f"rows {first} to {first + expected - 1} of {what} were {expected} when they were "
            f"first read and are {rows} when they are read again, but every computation must give "
            "the same rows; persist the collection, or write it to files first"
        )


#: Rows whose counts are drawn together, however few of them a part has.
BLOCK = 1 << 20


def grouped(rows: Sequence[int], wanted: int = BLOCK) -> list[range]:
    """Consecutive partitions of at least `wanted` rows in all, which one task adds up.

    A part costs as much as the blocks of rows that it touches, so that partitions of fewer rows are
    put together.
    """
    found: list[range] = []
    start = held = 0
    for number, count in enumerate(rows):
        held += count
        if held >= wanted or number == len(rows) - 1:
            found.append(range(start, number + 1))
            start, held = number + 1, 0
    return found
