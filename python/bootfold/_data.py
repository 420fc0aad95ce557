"""Data of any kind as columns that the library reads where they lie."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from bootfold import _core
from bootfold._chunked import Array as Array
from bootfold._chunked import Chunked, Column, parts
from bootfold._dates import check_no_dates, module_of
from bootfold._numbers import chooser, nan_remedy, text_error
from bootfold._numbers import number_array as number_array
from bootfold._numbers import pandas_column as pandas_column
from bootfold._whole import has_other_columns, missing_in, rows_of

NanPolicy: TypeAlias = Literal["error", "omit", "propagate"]


@dataclass(slots=True)
class Part:
    """One thing that the user gave: its columns, and what a function of it expects to get."""

    kind: Literal["vector", "table", "frame", "sets", "rows"]
    columns: int
    rows: int
    shape: tuple[int, ...] = ()  #: of the data sets, or of a table's columns
    frame: str = ""  #: "pandas" or "polars"
    names: list[str] = field(default_factory=list)
    whole: Any = None  #: of kind "rows": the frame whose rows the only column numbers


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
    def names_of_vectors(self) -> list[str]:
        """The same, but nothing if a function of the data gets a table."""
        return self.names if all(part.kind == "vector" for part in self.parts) else []

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


def _part(value: Any, what: str, whole: bool = False) -> tuple[Part, list[Column]]:
    """One part and its columns; of frames with text, for functions, the numbers of the rows."""
    if whole and has_other_columns(value):
        rows = rows_of(value)
        return Part("rows", 1, rows, (), module_of(value), [], value), [np.arange(float(rows))]
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
        array = pandas_column(value, what if value.name is None else f"column '{value.name}'")
        names = [] if value.name is None else [str(value.name)]
        return Part("vector", 1, len(array), (), "", names), [array]
    if module != "numpy" and (
        hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")
    ):
        _check_no_text(value, module, what)
        value = _without_decimals(value, module)
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


def check_numbers(column: Any, name: str) -> None:
    """Raises TypeError for a column of a table that has no numbers."""
    what = f"column '{name}'"
    check_no_dates(column, what)
    module = module_of(column)
    _check_no_text(column, module, what)
    if module == "pandas":
        pandas_column(column, what)
    elif module not in ("polars", "pyarrow"):
        number_array(column, what)


def _check_no_text(value: Any, module: str, what: str) -> None:
    """Raises TypeError for text in columns of polars and pyarrow."""
    if module not in ("polars", "pyarrow"):
        return
    if hasattr(value, "column_names"):
        columns = [(f"column '{name}'", value[name]) for name in value.column_names]
    elif hasattr(value, "columns"):
        columns = [(f"column '{name}'", value[name]) for name in value.columns]
    else:
        columns = [(what, value)]
    for name, column in columns:
        kind = str(getattr(column, "dtype", None) or getattr(column, "type", "")).lower()
        if kind.startswith(("string", "large_string", "categorical", "enum", "dictionary")):
            texts = column.to_list() if module == "polars" else column.to_pylist()
            if any(isinstance(entry, str) for entry in texts):
                raise text_error(np.array(texts, dtype=object), name, module)


def _without_decimals(value: Any, module: str) -> Any:
    """Columns of decimals of polars and pyarrow as doubles."""
    if module == "polars":
        import polars

        if hasattr(value, "columns"):
            decimals = [name for name in value.columns if value[name].dtype.is_decimal()]
            return value.with_columns(polars.col(decimals).cast(polars.Float64))
        return value.cast(polars.Float64) if value.dtype.is_decimal() else value
    if module == "pyarrow":
        import pyarrow as pa

        if hasattr(value, "schema"):
            for place, kind in enumerate(value.schema.types):
                if pa.types.is_decimal(kind):
                    column = value.column(place).cast(pa.float64())
                    value = value.set_column(place, value.schema.names[place], column)
        elif hasattr(value, "type") and pa.types.is_decimal(value.type):
            value = value.cast(pa.float64())
    return value


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


def read(data: Any, *, paired: bool = False, axis: int | None = None, whole: bool = False) -> Data:
    """The columns of what a user calls data. `whole`: for a function that gets whole rows."""
    if isinstance(data, tuple):
        return _read_several(data, paired, axis, whole)
    part, arrays = _part(data, "data", whole) if axis is None else _sets(data, axis, "data")
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


def _read_several(data: tuple[Any, ...], paired: bool, axis: int | None, whole: bool) -> Data:
    if not data:
        raise ValueError("data is an empty tuple; give at least one array")
    found: list[Part] = []
    arrays: list[Column] = []
    for number, value in enumerate(data, 1):
        what = "data" if len(data) == 1 else f"the values of sample {number}"
        part, columns = _part(value, what, whole) if axis is None else _sets(value, axis, what)
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


def rows_with_nan(data: Data) -> Array:
    """For each row of paired data: is some value in it missing?"""
    found = nan_rows(data.arrays)
    column = 0
    for part in data.parts:
        if part.kind == "rows":
            numbers = np.asarray(data.arrays[column]).astype(np.intp)
            for missing in missing_in(part.whole).values():
                found |= missing[numbers]
        column += part.columns
    return found


def nan_error(name: str | int | None, row: int) -> ValueError:
    """For a value that is not a number; rows, and columns without names, count from 0."""
    where = "" if name is None else f"column {name}, "
    return ValueError(f"{where}row {row} is nan but every value must be a number; {nan_remedy()}")


@contextlib.contextmanager
def columns_from_zero(data: Data) -> Iterator[None]:
    """Messages of the library count columns without names from 0, as they do rows."""
    try:
        yield
    except ValueError as error:
        found = None if data.names else re.match(r"column (\d+), row ", str(error))
        if found is None:
            raise
        where = "" if len(data.arrays) == 1 else f"column {int(found[1]) - 1}, "
        raise ValueError(f"{where}row {str(error)[found.end() :]}") from None


def check_no_nan(data: Data) -> None:
    """Raises ValueError that names the first value that is not a number."""
    for number, column in enumerate(data.arrays):
        row = _first_nan(column)
        if row is not None:
            unnamed = number if len(data.arrays) > 1 else None
            raise nan_error(data.names[number] if data.names else unnamed, row)
    for part in data.parts:
        if part.kind == "rows":
            for name, missing in missing_in(part.whole).items():
                raise ValueError(
                    f"column {name}, row {int(missing.argmax())} is missing; {nan_remedy()}, and "
                    f"{chooser()}= chooses columns"
                )


def frame_of(array: Array, part: Part) -> Any:
    """Rows of a frame as a frame of the same package."""
    if part.frame == "polars":
        import polars

        return polars.DataFrame(
            {name: array[:, c] for c, name in enumerate(part.names)}, strict=False
        )
    import pandas

    return pandas.DataFrame(array, columns=part.names, copy=False)
