"""Columns in several pieces, as Arrow has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


class Chunked:
    """Arrays of one type, one after the other: a column that the library reads where it lies."""

    __slots__ = ("chunks", "dtype", "shape")

    def __init__(self, chunks: list[Array]) -> None:
        self.chunks = chunks
        self.dtype: np.dtype[Any] = chunks[0].dtype
        self.shape: tuple[int, ...] = (sum(len(chunk) for chunk in chunks),)

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """One array, which is a copy."""
        if copy is False:
            raise ValueError("a column of several chunks cannot be one array without a copy")
        return np.concatenate(self.chunks, dtype=dtype)

    def __getitem__(self, kept: Array) -> Array:
        """The rows for which `kept` is true."""
        return np.concatenate([chunk[kept[rows]] for rows, chunk in parts(self)])


#: A column, in one piece or in several.
Column: TypeAlias = "Array | Chunked"


def chunks_of(column: Column) -> list[Array]:
    """The arrays that make a column."""
    return column.chunks if isinstance(column, Chunked) else [column]


def parts(column: Column) -> Iterator[tuple[slice, Array]]:
    """The arrays that make a column, and their rows."""
    first = 0
    for chunk in chunks_of(column):
        yield slice(first, first + len(chunk)), chunk
        first += len(chunk)


def whole(column: Column) -> Array:
    """The column as one array, which is a copy if it is in several pieces."""
    return np.asarray(column) if isinstance(column, Chunked) else column


def matrix(columns: list[Column]) -> Array:
    """The columns as doubles [column][row]."""
    found = np.empty((len(columns), columns[0].shape[0]))
    for place, column in enumerate(columns):
        for rows, chunk in parts(column):
            found[place, rows] = chunk
    return found
