"""Data of any kind as columns that the library reads where they lie."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from bootfold import _core
from bootfold._chunked import Array as Array
from bootfold._chunked import Chunked, Column, parts
from bootfold._dates import check_no_dates, module_of

NanPolicy: TypeAlias = Literal["error", "omit", "propagate"]


@dataclass(slots=True)
class Part:
    """One thing that the user gave: its columns, and what a function of it expects to get."""

    kind: Literal["vector", "table", "frame", "sets"]
    columns: int
    rows: int
    shape: tuple[int, ...] = ()  #: of the data sets, or of a table's columns
    frame: str = ""  #: "pandas" or "polars"
    names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Data:
    """All columns, and the parts that they belong to."""

    arrays: list[Column]
    parts: list[Part]
    paired: bool = True  #: row by row the same observation; else samples of their own lengths

    @property
    def names(self) -> list[str]:
        """Of all columns, or nothing."""
        names = [name for part in self.parts for name in part.names]
        return names if len(names) == len(self.arrays) else []

    @property
    def rows(self) -> int:
        return int(self.arrays[0].shape[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one number for each column: () for a single column that was given as such."""
        if len(self.parts) > 1:
            return (len(self.arrays),)
        return self.parts[0].shape


@dataclass(slots=True)
class Columns:
    """Columns that were read from a file, a query or a stream."""

    names: list[str]  #: nothing, or one for each column
    arrays: list[Column]
    vector: bool  #: one column that is no table


def column_names(columns: Any) -> list[str]:
    """The argument columns=: one name or several."""
    names = [columns] if isinstance(columns, str) else columns
    if isinstance(names, (bytes, dict)) or not hasattr(names, "__iter__"):
        raise TypeError(
            f"columns is {columns!r} but must be the name of a column or a list of them"
        )
    found = list(names)
    for name in found:
        if not isinstance(name, str):
            raise TypeError(f"columns has {name!r} but must have names of columns")
    if not found:
        raise ValueError("columns is empty but must name at least one column")
    return found


def arrow_column(table: Any, name: str) -> Columns:
    """A column of an Arrow table, with its name, which the column itself does not know."""
    check_no_dates(table[name], f"column '{name}'")
    _, names, columns = _core.arrow_columns(table.select([name]))
    arrays = [chunks[0] if len(chunks) == 1 else Chunked(chunks) for chunks in columns]
    return Columns(names, arrays, True)


def number_array(values: Any, what: str) -> Array:
    """`values` as an array of numbers in the machine's byte order; no copy if it is one."""
    check_no_dates(values, what)
    if type(values) is np.ndarray:
        array = values
    elif isinstance(values, np.ma.MaskedArray):
        array = np.ma.filled(values.astype(float), np.nan)
    else:
        array = _converted(values, what)
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize in (4, 8) and array.dtype.isnative:
        return array
    if kind not in "biuf":
        check_no_dates(array, what)
        told = "text" if kind in "US" else f"of type {array.dtype}"
        raise TypeError(
            f"{what} are {told} but must be numbers; convert them, for example with "
            "numpy.asarray(x, dtype=float)"
        )
    if kind == "f" or not array.dtype.isnative:
        array = array.astype(np.float32 if array.dtype.itemsize == 2 else np.float64)
    return array


def _converted(values: Any, what: str) -> Array:
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        try:
            return np.from_dlpack(values)
        except (BufferError, RuntimeError, TypeError) as error:
            raise TypeError(f"{what} cannot be read: {error}; copy them to the CPU") from None
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{what} cannot be made an array of numbers: {error}; all rows must be equally long"
        ) from None


def pandas_column(series: Any, what: str) -> Array:
    if isinstance(series.dtype, np.dtype):
        return number_array(series.to_numpy(), what)
    try:
        return number_array(series.to_numpy(dtype=np.float64, na_value=np.nan), what)
    except (TypeError, ValueError):
        raise TypeError(f"{what} are of type {series.dtype} but must be numbers") from None


def _is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and module_of(value) in ("pandas", "polars")


def _part(value: Any, what: str) -> tuple[Part, list[Column]]:
    """One part and its columns."""
    if isinstance(value, Columns):
        shape = () if value.vector else (len(value.arrays),)
        rows = len(value.arrays[0]) if value.arrays else 0
        own: Literal["vector", "table"] = "vector" if value.vector else "table"
        return Part(own, len(value.arrays), rows, shape, "", value.names), value.arrays
    module = module_of(value)
    name = None if hasattr(value, "columns") else getattr(value, "name", None)
    check_no_dates(value, what if name in (None, "") else f"column '{name}'")
    if module == "pandas" and hasattr(value, "columns"):
        names = [str(name) for name in value.columns]
        arrays: list[Column] = [
            pandas_column(value.iloc[:, c], f"column '{name}'") for c, name in enumerate(names)
        ]
        return Part("frame", len(names), len(value), (len(names),), "pandas", names), arrays
    if module == "pandas" and hasattr(value, "dtype"):
        array = pandas_column(value, what)
        names = [] if value.name is None else [str(value.name)]
        return Part("vector", 1, len(array), (), "", names), [array]
    if module != "numpy" and (
        hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")
    ):
        table, names, columns = _core.arrow_columns(value)
        arrays = [chunks[0] if len(chunks) == 1 else Chunked(chunks) for chunks in columns]
        if not table:
            return Part("vector", 1, len(arrays[0]), (), "", [n for n in names if n]), arrays
        kind: Literal["frame", "table"] = "frame" if module == "polars" else "table"
        rows = len(arrays[0]) if arrays else 0
        frame = "polars" if module == "polars" else ""
        return Part(kind, len(arrays), rows, (len(arrays),), frame, names), arrays
    array = number_array(value, what)
    if array.ndim == 1:
        return Part("vector", 1, array.shape[0]), [array]
    if array.ndim == 2:
        return Part("table", array.shape[1], array.shape[0], (array.shape[1],)), list(array.T)
    if array.ndim == 0:
        raise ValueError(f"{what} are the single number {array} but must be several: an array")
    raise ValueError(
        f"{what} have {array.ndim} axes but rows and columns are two; axis= says along which axis "
        "several data sets lie"
    )


def _sets(value: Any, axis: int, what: str) -> tuple[Part, list[Column]]:
    """Data sets that lie along an axis, one column each."""
    if isinstance(value, Columns):
        raise TypeError(f"axis is {axis} but {what} are a table with columns; axis= is for arrays")
    array = number_array(value, what)
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis is {axis} but {what} have {array.ndim} axes")
    moved = np.moveaxis(array, axis, -1)
    shape = moved.shape[:-1]
    columns: list[Column] = [moved[index] for index in np.ndindex(*shape)]
    return Part("sets", len(columns), moved.shape[-1], shape), columns


def read(data: Any, *, paired: bool = False, axis: int | None = None) -> Data:
    """The columns of what a user calls data."""
    if isinstance(data, tuple):
        return _read_several(data, paired, axis)
    part, arrays = _part(data, "data") if axis is None else _sets(data, axis, "data")
    return Data(arrays, [_checked(part, "data")])


def read_shard(data: Any) -> Data:
    """The same for some rows of the data, of which there may be none."""
    part, arrays = _part(data, "data")
    if part.columns == 0:
        raise ValueError("the shard has no columns; a statistic needs at least one")
    return Data(arrays, [part])


def _checked(part: Part, what: str) -> Part:
    if part.columns == 0:
        raise ValueError(f"{what} have no columns; a statistic needs at least one")
    if part.rows == 0:
        raise ValueError(f"{what} have no rows; a bootstrap needs at least one")
    return part


def _read_several(data: tuple[Any, ...], paired: bool, axis: int | None) -> Data:
    if not data:
        raise ValueError("data is an empty tuple; give at least one array")
    found: list[Part] = []
    arrays: list[Column] = []
    for number, value in enumerate(data, 1):
        what = "data" if len(data) == 1 else f"the values of sample {number}"
        part, columns = _part(value, what) if axis is None else _sets(value, axis, what)
        found.append(_checked(part, what))
        arrays.extend(columns)
    paired = paired or len(data) == 1
    for number, part in enumerate(found[1:], 2):
        if paired and part.rows != found[0].rows:
            raise ValueError(
                f"sample 1 has {found[0].rows} rows and sample {number} has {part.rows}, but "
                "paired samples are equally long; leave out paired=True for independent ones"
            )
        if axis is not None and part.shape != found[0].shape:
            raise ValueError(
                f"sample 1 has data sets of shape {found[0].shape} and sample {number} of "
                f"{part.shape}; along axis {axis} they must agree"
            )
    return Data(arrays, found, paired)


def has_nan(column: Column) -> bool:
    """Is some value not a number?"""
    return _first_nan(column) is not None


def _first_nan(column: Column) -> int | None:
    """The first row whose value is not a number."""
    if column.dtype.kind == "f":
        for rows, chunk in parts(column):
            found = np.isnan(chunk)
            if found.any():
                return int(rows.start + found.argmax())
    return None


def nan_rows(columns: list[Column]) -> Array:
    """For each row: is some value in it not a number?"""
    found = np.zeros(columns[0].shape[0], dtype=bool)
    for column in columns:
        if column.dtype.kind == "f":
            for rows, chunk in parts(column):
                found[rows] |= np.isnan(chunk)
    return found


def nan_error(name: str, row: int) -> ValueError:
    """For a value that is not a number; rows count from 0."""
    return ValueError(
        f"column {name}, row {row + 1} is nan but every value must be a number; "
        "nan='omit' leaves such rows out, 'propagate' passes them on"
    )


def check_no_nan(data: Data) -> None:
    """Raises ValueError that names the first value that is not a number."""
    for number, column in enumerate(data.arrays):
        row = _first_nan(column)
        if row is not None:
            name = data.names[number] if data.names else str(number + 1)
            raise nan_error(name, row)


def frame_of(array: Array, part: Part) -> Any:
    """Rows of a frame as a frame of the same package."""
    if part.frame == "polars":
        import polars

        return polars.DataFrame(
            {name: array[:, c] for c, name in enumerate(part.names)}, strict=False
        )
    import pandas

    return pandas.DataFrame(array, columns=part.names, copy=False)
