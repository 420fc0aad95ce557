"""Frames with text, dates or categories, for functions that get whole rows.

The engine draws numbers of rows; the function gets these rows of the frame, as a frame of the same
package with the types of its columns.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from bootfold._chunked import Array
from bootfold._dates import date_type, module_of


def _columns(frame: Any) -> list[tuple[str, Any]]:
    package = module_of(frame)
    if package == "pandas":
        return [(str(name), frame.iloc[:, c]) for c, name in enumerate(frame.columns)]
    names = frame.column_names if package == "pyarrow" else frame.columns
    return [(name, frame[name]) for name in names]


def _is_numeric(column: Any, package: str) -> bool:
    if package == "polars":
        return bool(column.dtype.is_numeric()) or str(column.dtype) in ("Boolean", "Null")
    if package == "pyarrow":
        import pyarrow as pa

        kind = column.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        checks = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
        return any(check(kind) for check in (*checks, pa.types.is_decimal, pa.types.is_null))
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        if date_type(column):
            return False
        return not any(isinstance(entry, (str, bytes)) for entry in column)
    import pandas

    if hasattr(dtype, "categories"):
        return False
    return bool(pandas.api.types.is_numeric_dtype(dtype))


def has_other_columns(value: Any) -> bool:
    """Whether a value is a frame in memory with columns that are not numbers."""
    package = module_of(value)
    if package == "pandas":
        is_frame = hasattr(value, "columns")
    elif package == "polars":
        is_frame = hasattr(value, "columns") and hasattr(value, "n_chunks")
    else:
        is_frame = package == "pyarrow" and hasattr(value, "column_names")
    return is_frame and not all(_is_numeric(column, package) for _, column in _columns(value))


def rows_of(frame: Any) -> int:
    """The number of rows of a frame."""
    return int(frame.num_rows if module_of(frame) == "pyarrow" else len(frame))


def taken(frame: Any, rows: Array) -> Any:
    """The rows of these numbers, as a frame whose index counts from 0."""
    places = rows.astype(np.intp)
    package = module_of(frame)
    if package == "polars":
        return frame[places]
    found = frame.take(places)
    if package == "pandas":
        found.index = range(len(places))
    return found


def missing_in(frame: Any) -> dict[str, Array]:
    """For each column with missing values: which rows lack one."""
    package = module_of(frame)
    found = {}
    for name, column in _columns(frame):
        if package == "pandas":
            missing = column.isna().to_numpy()
        elif package == "polars":
            mask = column.is_null()
            if column.dtype.is_float():
                mask = mask | column.is_nan().fill_null(False)
            missing = mask.to_numpy()
        else:
            missing = np.asarray(column.is_null(nan_is_null=True).to_numpy(), dtype=bool)
        if missing.any():
            found[name] = missing
    return found


def hash_of(frame: Any) -> str:
    """Of the content, for checkpoints."""
    package = module_of(frame)
    made = hashlib.blake2b(digest_size=16)
    made.update("\0".join(name for name, _ in _columns(frame)).encode())
    if package == "pandas":
        import pandas

        made.update(pandas.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    elif package == "polars":
        made.update(frame.hash_rows(seed=0).to_numpy().tobytes())
    else:
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, frame.schema) as writer:
            writer.write_table(frame.combine_chunks())
        made.update(sink.getvalue())
    return made.hexdigest()
