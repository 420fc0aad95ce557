"""Columns of a batch as arrays of numbers, and as labels with codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from bootfold import _core
from bootfold._chunked import Array
from bootfold._data import number_array, pandas_column
from bootfold._dates import check_no_dates, module_of
from bootfold._labels import Coded, values_and_missing
from bootfold._numbers import how_to_choose


def _arrow_numbers(column: Any) -> Any:
    """The column with a type that the library reads, if it has another type of numbers."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind) and not pa.types.is_nested(kind.value_type):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return column.cast(pa.float64())
    return column.cast(pa.float32()) if pa.types.is_float16(kind) else column


def numbers(column: Any, name: str) -> list[Array]:
    """The values of a batch's column: one array, or several that follow each other."""
    what = f"column '{name}'"
    check_no_dates(column, what)
    package = module_of(column)
    if package == "pyarrow":
        import pyarrow as pa

        column = _arrow_numbers(column)
        kind = column.type
        known = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
        if not any(is_kind(kind) for is_kind in known):
            raise TypeError(_no_numbers(what, str(kind)))
    elif package == "polars":
        kind = column.dtype
        if kind.is_decimal() or str(kind) == "Null":
            import polars

            column = column.cast(polars.Float64)
        elif not (kind.is_numeric() or str(kind) == "Boolean"):
            raise TypeError(_no_numbers(what, str(kind).lower()))
    elif package == "pandas":
        return [pandas_column(column, what)]
    else:
        found = number_array(column, what)
        if found.ndim != 1:
            raise ValueError(f"{what} has {found.ndim} axes in a batch but must have one")
        return [found]
    return list(_core.arrow_columns(column)[2][0])


def _no_numbers(what: str, kind: str) -> str:
    return f"{what} is of type {kind} but must be numbers; {how_to_choose()}"


def texts(column: Any) -> Array:
    """The values of a column of any type, for tables that estimators get."""
    if module_of(column) == "pyarrow":
        import pyarrow as pa

        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        elif pa.types.is_decimal(column.type):
            column = column.cast(pa.float64())
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        found: Array = column.to_numpy(zero_copy_only=False)
        return found
    return np.asarray(column)


class LabelBuilder:
    """Codes of labels that arrive in batches."""

    def __init__(self, role: str) -> None:
        self._role = role
        self._known: dict[Any, int] = {}
        self._missing: list[Array] = []  # one mask for each batch
        self._whole: bool | None = None  # labels are whole numbers, which are their own codes

    def codes(self, column: Any) -> Array:
        """A provisional code for each label of the next batch; of missing ones any code."""
        whole, missing = _whole_numbers(column)
        if self._whole is None and len(column):
            self._whole = whole is not None
        if whole is None or not self._whole:
            found, names, missing = _encoded(column)
            if self._whole and len(column):
                raise TypeError(
                    f"{self._role} has whole numbers in some batches and others elsewhere"
                )
            places = [self._known.setdefault(name, len(self._known)) for name in names] or [0]
            whole = np.asarray(places, dtype=np.uint32)[found]
        self._missing.append(np.zeros(len(whole), dtype=bool) if missing is None else missing)
        return whole

    def _missing_rows(self) -> Array | None:
        found = np.concatenate(self._missing) if self._missing else np.zeros(0, dtype=bool)
        return found if found.any() else None

    def finished(self, codes: Array) -> Coded:
        """Sorted labels and their codes; `codes` is changed in place."""
        missing = self._missing_rows()
        if missing is not None and missing.all():
            return Coded(np.zeros(len(codes), dtype=np.uint32), np.zeros(0), missing)
        if missing is not None:
            codes[missing] = codes[int((~missing).argmax())]
        if self._whole:
            numbers, inverse = np.unique(codes, return_inverse=True)
            return Coded(inverse.reshape(-1).astype(np.uint32), numbers, missing)
        keys = list(self._known)
        try:
            names, places = np.unique(np.asarray(keys), return_inverse=True)
        except TypeError:
            names, places = np.unique(np.asarray(keys).astype(str), return_inverse=True)
        places = places.reshape(-1).astype(np.uint32)
        used = np.zeros(len(names), dtype=bool)
        step = 1 << 20
        for first in range(0, len(codes), step):
            part = codes[first : first + step]
            part[:] = places[part]
            used[part] = True
        if not used.all():  # an Arrow dictionary may hold labels that no row has
            places = (np.cumsum(used) - 1).astype(np.uint32)
            for first in range(0, len(codes), step):
                part = codes[first : first + step]
                part[:] = places[part]
            names = names[used]
        return Coded(codes, names, missing)


def _whole_numbers(column: Any) -> tuple[Array | None, Array | None]:
    """Labels as whole numbers, if that is what all of them are, and where they are missing."""
    if isinstance(column, Coded):
        return (np.asarray(column) if column.names.dtype.kind == "i" else None), None
    package = module_of(column)
    if package in ("pyarrow", "polars"):
        if package == "pyarrow":
            import pyarrow as pa

            if isinstance(column, pa.ChunkedArray):
                column = column.combine_chunks()
            if not pa.types.is_integer(column.type):
                return None, None
        elif not column.dtype.is_integer():
            return None, None
        nulls = column.null_count if package == "pyarrow" else column.null_count()
        missing = np.array(_mask(column.is_null())) if nulls else None
        return np.array(_mask(column.fill_null(0) if nulls else column)), missing
    if not isinstance(getattr(column, "dtype", None), np.dtype) or column.dtype.kind not in "iu":
        return None, None
    return np.array(column), None


def _mask(column: Any) -> Array:
    """An array of pyarrow or polars without nulls."""
    if module_of(column) == "polars":
        found: Array = column.to_numpy()
    else:
        found = column.to_numpy(zero_copy_only=False)
    return found


def _encoded(column: Any) -> tuple[Array, list[Any], Array | None]:
    """For each row the place of its label in a list, the list, and where labels are missing."""
    if isinstance(column, Coded):
        return column.codes.astype(np.intp), column.names.tolist(), None
    if module_of(column) == "pyarrow":
        import pyarrow as pa

        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        labels = encoded.dictionary.to_pylist()
        missing = _mask(encoded.is_null()) if encoded.null_count else None
        indices = encoded.indices.fill_null(0) if missing is not None else encoded.indices
        places = _mask(indices).astype(np.intp, copy=False)
        if None in labels:  # a dictionary may hold a null
            empty = np.array([label is None for label in labels])[places]
            missing = empty if missing is None else missing | empty
            kept = [place for place, label in enumerate(labels) if label is not None]
            moved = np.zeros(len(labels), dtype=np.intp)
            moved[kept] = np.arange(len(kept))
            places, labels = moved[places], [labels[place] for place in kept]
        return places, labels, missing if missing is not None and missing.any() else None
    array, missing = values_and_missing(column)
    if array.ndim != 1:
        raise ValueError(f"labels have {array.ndim} axes in a batch but must have one")
    if missing.any():
        if missing.all():
            return np.zeros(len(array), dtype=np.intp), [], missing
        array = array.copy()
        array[missing] = array[int((~missing).argmax())]
    try:
        names, places = np.unique(array, return_inverse=True)
    except TypeError:
        names, places = np.unique(array.astype(str), return_inverse=True)
    return places.reshape(-1), list(names), missing if missing.any() else None
