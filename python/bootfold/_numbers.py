"""Values of any type as arrays of numbers; an error names the rows that are none."""

from __future__ import annotations

import functools
import numbers
from contextvars import ContextVar
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from bootfold._chunked import Array
from bootfold._dates import check_no_dates, module_of

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: Rows with text that a message names.
_SHOWN = 3


def number_array(values: Any, what: str) -> Array:
    """`values` as an array of numbers in the machine's byte order; no copy if it is one.

    None in arrays of objects is NaN, and decimals and fractions are the nearest doubles.
    """
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
        if kind == "O":
            return _of_objects(array, what, module_of(values))
        if kind in "USTV":
            raise text_error(array, what, module_of(values))
        raise TypeError(
            f"{what} {_verb(what)} of type {array.dtype} but must be numbers; convert them, for "
            "example with numpy.asarray(x, dtype=float)"
        )
    if kind == "f" or not array.dtype.isnative:
        array = array.astype(np.float32 if array.dtype.itemsize == 2 else np.float64)
    return array


def _verb(what: str) -> str:
    return "is" if what.startswith("column") or what in ("X", "y", "sample_weight") else "are"


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


def _is_missing(entry: Any) -> bool:
    """None, pandas.NA, and NaN of any type."""
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(entry, (float, Decimal, np.floating)) and entry != entry


def _of_objects(array: Array, what: str, package: str) -> Array:
    found = np.empty(array.size)
    for place, entry in enumerate(array.flat):
        if _is_missing(entry):
            found[place] = np.nan
        elif isinstance(entry, (numbers.Real, Decimal, np.bool_)):
            found[place] = float(entry)
        elif isinstance(entry, (str, bytes)):
            raise text_error(array, what, package)
        else:
            row = place // (array.size // len(array))
            raise TypeError(
                f"{what} {'has' if _verb(what) == 'is' else 'have'} an object of type "
                f"{type(entry).__name__} in row {row} but must be numbers; convert it, or leave "
                "the row out"
            )
    return found.reshape(array.shape)


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


_compares: ContextVar[bool] = ContextVar("compares", default=False)
_FUNCTIONS = {
    False: "a function gets a DataFrame with its text",
    True: "without value= a function gets the rows of a group with their text",
}


def comparing(call: Callable[_P, _R]) -> Callable[_P, _R]:
    """Messages below `call` name the options of `compare`, which has no columns=."""

    @functools.wraps(call)
    def told(*args: _P.args, **words: _P.kwargs) -> _R:
        token = _compares.set(True)
        try:
            return call(*args, **words)
        finally:
            _compares.reset(token)

    return told


def chooser() -> str:
    """The option that chooses columns."""
    return "value" if _compares.get() else "columns"


def how_to_choose() -> str:
    """What chooses columns of numbers in this call."""
    if _compares.get():
        return "value= and covariate= take columns of numbers"
    return "columns= chooses the columns that the statistic sees"


def nan_remedy() -> str:
    """What to do about rows with missing values."""
    remedy = "nan='omit' leaves such rows out"
    return remedy if _compares.get() else f"{remedy}, 'propagate' passes them on"


def text_error(array: Array, what: str, package: str) -> TypeError:
    """Says which rows have text, and what to do about them. Rows count from 0."""
    width = max(1, array.size // max(1, len(array)))
    texts = [
        (place // width, entry)
        for place, entry in enumerate(array.flat)
        if isinstance(entry, (str, bytes))
    ]
    bad = [(row, text) for row, text in texts if not _is_number(text)]
    shown = (bad or texts)[:_SHOWN]
    words = [
        (row, text.decode(errors="replace") if isinstance(text, bytes) else str(text))
        for row, text in shown
    ]
    rows = ", ".join(f"{text!r} in row {row}" for row, text in words)
    others = len(bad or texts) - len(shown)
    rows += f" and {others:,} more" if others else ""
    all_text = len(texts) == array.size
    if all_text and bad and not any(_is_number(text) for _, text in texts[:1000]):
        return TypeError(
            f"{what} {_verb(what)} text ({rows}) but must be numbers; {how_to_choose()}, and "
            + _FUNCTIONS[_compares.get()]
        )
    convert = {
        "pandas": "pandas.to_numeric(s{})",
        "polars": "s.cast(polars.Float64{})",
        "pyarrow": "pyarrow.compute.cast(x, 'float64')",
    }.get(package, "numpy.asarray(x, dtype=float)")
    if not bad:
        return TypeError(
            f"{what} {_verb(what)} text ({rows}) but must be numbers; convert it: "
            + convert.format("")
        )
    loose = {"pandas": ", errors='coerce'", "polars": ", strict=False"}.get(package)
    remedy = "correct these rows"
    if loose is not None:
        remedy += (
            f", or if they stand for missing values, convert by {convert.format(loose)} and say "
            "nan='omit', which leaves such rows out"
        )
    else:
        remedy += ", or put None in place of missing values and say nan='omit'"
    return TypeError(
        f"{what} {'has' if _verb(what) == 'is' else 'have'} text ({rows}) but must be numbers; "
        f"{remedy}"
    )


def pandas_column(series: Any, what: str) -> Array:
    """A Series of numbers of any type of pandas."""
    if isinstance(series.dtype, np.dtype):
        if series.dtype.kind == "O":
            check_no_dates(series, what)
            return _of_objects(series.to_numpy(), what, "pandas")
        return number_array(series.to_numpy(), what)
    values = series.dtype.categories.dtype if hasattr(series.dtype, "categories") else series.dtype
    if str(values) in ("str", "string", "object") or "string" in str(values):
        check_no_dates(series, what)
        raise text_error(series.astype(object).to_numpy(), what, "pandas")
    try:
        return number_array(series.to_numpy(dtype=np.float64, na_value=np.nan), what)
    except (TypeError, ValueError):
        check_no_dates(series, what)
        raise TypeError(
            f"{what} {_verb(what)} of type {series.dtype} but must be numbers; convert it, for "
            "example with s.astype(float)"
        ) from None
