"""Arrays and frames that arrive piece by piece: from a function of the user's, or an iterator."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from bootfold._data import number_array
from bootfold._dates import date_type, module_of
from bootfold._table_source import TableSource


def recognise(value: Any) -> TableSource | None:
    if isinstance(value, Iterator) and module_of(value) not in ("numpy", "pandas", "polars"):
        return Once(value)
    if isinstance(value, list) and value and all(map(_is_table, value)):
        return Chunks(lambda: value, None)
    return None


def _is_table(item: Any) -> bool:
    """Whether an entry of a list is a table in memory."""
    package = module_of(item)
    if package in ("pandas", "polars"):
        return hasattr(item, "columns") and not hasattr(item, "collect")
    return package == "pyarrow" and hasattr(item, "schema") and hasattr(item, "num_rows")


def _batch(item: Any, names: Sequence[str] | None, what: str) -> Mapping[str, Any]:
    """A piece as a table whose columns can be asked for by name."""
    package = module_of(item)
    if isinstance(item, Mapping):
        return {str(name): column for name, column in item.items()}
    if package in ("pandas", "polars") and hasattr(item, "columns"):
        return {str(name): item[name] for name in item.columns}
    if package == "pyarrow" and hasattr(item, "column_names"):
        return {name: item.column(name) for name in item.column_names}
    if package == "pyarrow" and hasattr(item, "schema"):
        return {name: item.column(name) for name in item.schema.names}
    if package in ("pandas", "polars", "pyarrow"):
        return {_single(names): item}
    if isinstance(item, (str, bytes)) or np.ndim(item) == 0:
        told = "a text" if isinstance(item, (str, bytes)) else f"the single value {item!r}"
        raise TypeError(
            f"{what} is {told} but must be an array, a data frame or a dictionary of arrays; "
            "numpy.fromiter(values, float) makes one array of single numbers"
        )
    array = np.asarray(item) if hasattr(item, "dtype") else number_array(item, what)
    if array.dtype.names is not None:
        return {name: array[name] for name in array.dtype.names}
    if array.ndim == 1:
        return {_single(names): array}
    if array.ndim != 2:
        raise ValueError(f"{what} has {array.ndim} axes but rows and columns are two")
    if names is not None and len(names) != array.shape[1]:
        raise ValueError(f"{what} has {array.shape[1]} columns but there are {len(names)} names")
    used = names or [str(number + 1) for number in range(array.shape[1])]
    return {name: array[:, place] for place, name in enumerate(used)}


def _single(names: Sequence[str] | None) -> str:
    if names is None:
        return ""
    if len(names) != 1:
        raise ValueError(f"a batch is one column but there are {len(names)} names")
    return names[0]


def _type(column: Any) -> str:
    """The type of a column; "" of a list of numbers."""
    if isinstance(column, (list, tuple)):
        texts = any(isinstance(entry, (str, bytes)) for entry in column)
        return "string" if texts else date_type(column)
    return str(getattr(column, "dtype", None) or getattr(column, "type", ""))


class _Pieces(TableSource):
    """Tables of which the first was looked at, for the names of the columns."""

    volatile: bool = True
    package: Literal["pyarrow", "polars", "dict"] = "dict"
    _begun: Iterator[Any] | None

    def _begin(self, pieces: Iterator[Any], names: Sequence[str] | None) -> None:
        self._given = names
        first = next(pieces, None)
        if first is None:
            raise ValueError(f"{self.told} gives no batches; a bootstrap needs at least one row")
        table = _batch(first, names, "batch 1")
        self.names = list(table)
        self.types = [_type(column) for column in table.values()]
        self.vector = self.names == [""]
        self._begun = itertools.chain([first], pieces)

    def _checked(self, pieces: Iterator[Any], columns: Sequence[str]) -> Iterator[Any]:
        number = 0
        for number, item in enumerate(pieces, 1):
            table = _batch(item, self._given, f"batch {number}")
            for name in columns:
                if name not in table:
                    there = ", ".join(table)
                    told = f"no column {name!r}" if name else "several columns"
                    raise ValueError(
                        f"batch {number} has {told}, unlike the first batch; its columns are "
                        f"{there or 'one without a name'}"
                    )
            yield table
        if number == 0:
            raise ValueError(
                f"{self.told} gave batches when it was first called and none now; it must make a "
                "new iterator over all rows each time, or give the iterator itself as data"
            )


class Chunks(_Pieces):
    """Rows that a function of the user's makes, as often as they are needed."""

    def __init__(self, factory: Callable[[], Iterable[Any]], names: Sequence[str] | None) -> None:
        if not callable(factory):
            raise TypeError(
                f"factory is {type(factory).__name__} but must be a function that returns an "
                "iterator: bf.chunks(lambda: iterator)"
            )
        if isinstance(names, str):
            names = [names]
        self._factory = factory
        self._last: Any = None
        self._begin(self._new(), None if names is None else [str(name) for name in names])

    @property
    def told(self) -> str:
        return "the function of bf.chunks"

    def _new(self) -> Iterator[Any]:
        made = self._factory()
        if not isinstance(made, Iterable) or isinstance(made, (str, bytes)):
            raise TypeError(
                f"{self.told} returns {type(made).__name__} but must return an iterator of batches"
            )
        if isinstance(made, Iterator) and made is self._last:
            raise ValueError(
                f"{self.told} returns the same iterator again but must make a new one each time, "
                "because rows may be read several times; give the iterator itself as data if it "
                "can be read only once"
            )
        self._last = made
        return iter(made)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        begun, self._begun = self._begun, None
        return self._checked(self._new() if begun is None else begun, columns)

    def __repr__(self) -> str:
        return f"bootfold.chunks({self._factory!r})"


class Once(_Pieces):
    """An iterator of batches, which can be read once."""

    repeatable: bool = False

    def __init__(self, pieces: Iterator[Any]) -> None:
        self._begin(pieces, None)

    @property
    def told(self) -> str:
        return "the iterator"

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        if self._begun is None:
            raise ValueError("the iterator can be read only once, and was read already")
        begun, self._begun = self._begun, None
        return self._checked(begun, columns)


class Dictionary(_Pieces):
    """Columns in memory by name."""

    volatile: bool = False

    def __init__(self, columns: Mapping[Any, Any]) -> None:
        self._columns = {str(name): column for name, column in columns.items()}
        self._begin(iter([self._columns]), None)

    @property
    def told(self) -> str:
        return "the dictionary"

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        return self._checked(iter([self._columns]), columns)


def chunks(factory: Callable[[], Iterable[Any]], names: Sequence[str] | None = None) -> Chunks:
    """Rows that arrive in pieces, such as those of HDF5 or zarr files, as data.

    Parameters
    ----------
    factory : callable
        A function without arguments that returns a new iterator of batches each time it is called.
        Every iterator must give the same rows in the same order. A batch is an array of one or two
        axes, a dictionary of arrays, a structured array, a DataFrame of pandas or polars, or a
        table or record batch of pyarrow. Its arrays may be reused for the next batch.
    names : sequence of str, optional
        The columns of arrays, which are "1", "2", ... unless given.

    Examples
    --------
    >>> import numpy as np
    >>> import bootfold as bf
    >>> def pieces():
    ...     for first in range(0, 1000, 300):
    ...         yield np.arange(first, min(first + 300, 1000), dtype=float)
    >>> r = bf.bootstrap(bf.chunks(pieces), "mean", seed=7)
    >>> r.estimate
    499.5

    ``bf.chunks(lambda: (file["prices"][i : i + 10**6] for i in range(0, n, 10**6)))`` reads a data
    set of h5py.
    """
    return Chunks(factory, names)
