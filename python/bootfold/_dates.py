"""Dates, times and durations, which are no numbers: their integers depend on a hidden unit."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

_TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def module_of(value: Any) -> str:
    """The package that the type of a value comes from."""
    return type(value).__module__.partition(".")[0]


def _is_date_type(dtype: Any) -> bool:
    """Is it a type of dates, times or durations of NumPy, pandas, polars or Arrow?"""
    if getattr(dtype, "kind", "") in ("M", "m"):
        return True
    package = module_of(dtype)
    if package == "pyarrow":
        import pyarrow

        return bool(pyarrow.types.is_temporal(dtype))
    if hasattr(dtype, "pyarrow_dtype"):  # pandas, with Arrow's values
        return _is_date_type(dtype.pyarrow_dtype)
    if hasattr(dtype, "categories") and hasattr(dtype.categories, "dtype"):  # pandas
        return _is_date_type(dtype.categories.dtype)
    if package == "pandas" and str(dtype).startswith("period"):
        return True
    return hasattr(dtype, "is_temporal") and bool(dtype.is_temporal())  # polars


def date_type(values: Any) -> str:
    """The type of dates, times or durations; "" if the values are something else."""
    if isinstance(values, _TIMES):
        return _type_of_one(values)
    dtype = getattr(values, "dtype", None)
    if dtype is None and module_of(values) == "pyarrow":
        dtype = getattr(values, "type", None)
    if dtype is not None:
        if _is_date_type(dtype):
            return str(dtype).lower() if module_of(values) == "polars" else str(dtype)
        if getattr(dtype, "kind", "") != "O":
            return ""
    elif not isinstance(values, (list, tuple)):
        return ""
    entries = values if dtype is None else np.asarray(values, dtype=object).flat
    first = next((entry for entry in entries if not _is_missing(entry)), None)
    return date_type(first) if isinstance(first, (*_TIMES, list, tuple, np.ndarray)) else ""


def _is_missing(entry: Any) -> bool:
    return entry is None or (isinstance(entry, float) and entry != entry)


def _type_of_one(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    return type(value).__name__ if dtype is None else str(dtype)


def has_moments(values: Any) -> bool:
    """Whether a column has dates or dates with times, which expressions compare as text."""
    kind = date_type(values).lower()
    return any(kind.startswith(word) for word in ("date", "timestamp", "<m8"))


def _moments(values: Any) -> Any:
    """Dates of any package as an array of NumPy; those with a time zone in UTC."""
    package = module_of(values)
    if package == "polars":
        values = values.to_numpy()
    elif package == "pyarrow":
        values = values.to_pandas()
        package = "pandas"
    if package == "pandas":
        if hasattr(getattr(values, "dtype", None), "categories"):
            values = values.astype(values.dtype.categories.dtype)
        if getattr(getattr(values, "dtype", None), "pyarrow_dtype", None) is not None:
            import pandas

            values = pandas.to_datetime(values)
        if getattr(getattr(values, "dt", None), "tz", None) is not None:
            values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    found = np.asarray(values)
    return found if found.dtype.kind == "M" else _of_objects(found)


def _of_objects(entries: Any) -> Any:
    """Dates of the standard library, of which some may have a time zone."""
    utc = datetime.timezone.utc
    return np.array(
        [
            np.datetime64("NaT")
            if _is_missing(entry) or entry != entry
            else entry.astimezone(utc).replace(tzinfo=None)
            if getattr(entry, "tzinfo", None) is not None
            else entry
            for entry in entries
        ],
        dtype="datetime64[us]",
    )


def moment_texts(values: Any) -> tuple[Any, list[str]]:
    """Codes of dates and the texts they stand for; of missing values a code beyond these.

    The texts are those of dates in Parquet files: 2024-01-28, 2024-01-28 13:05:00.25, and at
    midnight the date.
    """
    moments = _moments(values)
    missing = np.isnat(moments)
    known, inverse = np.unique(moments[~missing], return_inverse=True)
    codes = np.full(len(moments), len(known), dtype=np.uint32)
    codes[~missing] = inverse
    texts = []
    for text in np.datetime_as_string(known).tolist():
        day, _, time = text.partition("T")
        whole, _, fraction = time.partition(".")
        fraction = fraction.rstrip("0")
        time = f"{whole}.{fraction}" if fraction else whole
        texts.append(day if time in ("", "00:00:00") else f"{day} {time}")
    return codes, texts


def _remedy(values: Any, kind: str) -> str:
    duration = any(word in kind for word in ("duration", "timedelta"))
    package = module_of(values)
    if package in ("pandas", "polars"):
        return "s.dt.total_seconds()" if duration else "(s - s.min()).dt.total_seconds()"
    if package == "pyarrow":
        return "x.cast('int64')" if duration else "pyarrow.compute.seconds_between(origin, x)"
    second = "numpy.timedelta64(1, 's')"
    return f"x / {second}" if duration else f"(x - x.min()) / {second}"


def check_no_dates(values: Any, what: str) -> None:
    """Raises TypeError if values, or a column of a table, are dates, times or durations."""
    package = module_of(values)
    if package in ("pandas", "polars") and hasattr(values, "columns"):
        for place, name in enumerate(values.columns):
            column = values.iloc[:, place] if package == "pandas" else values[name]
            check_no_dates(column, f"column '{name}'")
        return
    if package == "pyarrow" and hasattr(values, "column_names"):
        for name in values.column_names:
            check_no_dates(values[name], f"column '{name}'")
        return
    kind = date_type(values)
    if not kind:
        return
    verb = "is" if what.startswith("column") or what in ("X", "y", "sample_weight") else "are"
    raise TypeError(
        f"{what} {verb} of type {kind} but must be numbers, for example seconds: "
        f"{_remedy(values, kind)}"
    )
