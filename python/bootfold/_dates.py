"""Dates, times and durations, which are no numbers: their integers depend on a hidden unit."""

from __future__ import annotations

import datetime
import re
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

        if pyarrow.types.is_dictionary(dtype):
            dtype = dtype.value_type
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
    """Whether a column has dates or dates with times, which expressions compare as text.

    Periods are their first moment.
    """
    return _kind(values).startswith(("date", "timestamp", "<m8", "period"))


def _kind(values: Any) -> str:
    """The type of dates, of a column of categories that of these."""
    categories = getattr(getattr(values, "dtype", None), "categories", None)
    kind = date_type(values if categories is None else categories)
    return kind.lower().removeprefix("dictionary<values=")


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
        if str(getattr(values, "dtype", "")).startswith("period"):
            values = values.dt.to_timestamp()
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


def _in_seconds(moments: Any) -> Any:
    """Units without a text of their own: a month is its first day, an hour its first second."""
    unit = np.datetime_data(moments.dtype)[0]
    if unit in ("Y", "M", "W"):
        return moments.astype("datetime64[D]")
    return moments.astype("datetime64[s]") if unit in ("h", "m") else moments


def _written(day: str, time: str) -> str:
    """A date with a time, "HH:MM:SS" and perhaps a fraction, as the library writes it."""
    whole, _, fraction = time.partition(".")
    fraction = fraction.rstrip("0")
    if whole in ("", "00:00:00") and not fraction:
        return day
    return f"{day} {whole}.{fraction}" if fraction else f"{day} {whole}"


def moment_texts(values: Any) -> tuple[Any, list[str]]:
    """Codes of dates and the texts they stand for; of missing values a code beyond these.

    The texts are those of dates in Parquet files: 2024-01-28, 2024-01-28 13:05:00.25, and at
    midnight the date.
    """
    moments = _in_seconds(_moments(values))
    missing = np.isnat(moments)
    known, inverse = np.unique(moments[~missing], return_inverse=True)
    codes = np.full(len(moments), len(known), dtype=np.uint32)
    codes[~missing] = inverse
    parts = (text.partition("T") for text in np.datetime_as_string(known).tolist())
    return codes, [_written(day, time) for day, _, time in parts]


def moment_text(value: Any) -> str | None:
    """The text of one date, with or without a time; None of anything else."""
    if not isinstance(value, (np.datetime64, datetime.date)) or value != value:
        return None
    if hasattr(value, "to_datetime64"):  # of pandas, in UTC, with nanoseconds
        value = value.to_datetime64()
    return moment_texts(value.reshape(1) if isinstance(value, np.datetime64) else [value])[1][0]


_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d(?:\.\d+)?))?)?", re.ASCII)


def moment_meant(text: str) -> str | None:
    """What a person wrote, as the library writes it: "2024-01-28T00:00" is "2024-01-28".

    None if it is no date of the form YYYY-MM-DD or YYYY-MM-DD HH:MM:SS.
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        return None
    day, minutes, seconds = found.groups()
    time = f"{minutes}:{seconds or '00'}" if minutes else ""
    try:
        datetime.datetime.fromisoformat(f"{day} {time.partition('.')[0] or '00:00:00'}")
    except ValueError:
        return None
    return _written(day, time)


def remedy(values: Any) -> str:
    """How to make numbers of dates, times or durations."""
    kind = _kind(values)
    if kind.startswith("time") and not kind.startswith(("timestamp", "timedelta")):
        return "60 * hour + minute of each"
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
        f"{what} {verb} of type {kind} but must be numbers, for example seconds: {remedy(values)}"
    )
