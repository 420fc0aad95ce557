"""What functions of the user return: numbers, and neither None nor dates."""

from __future__ import annotations

from typing import Any

import numpy as np

from bootfold._dates import date_type


def _has_none(found: Any) -> bool:
    """NumPy makes None to NaN, so that a forgotten return statement would go unnoticed."""
    if found is None:
        return True
    if isinstance(found, np.ndarray):
        return found.dtype == object and any(entry is None for entry in found.flat)
    return isinstance(found, (list, tuple)) and any(map(_has_none, found))


def name_of(function: Any) -> str:
    """The name of a function, for messages."""
    return str(getattr(function, "__name__", type(function).__name__))


def check_returned(found: Any, who: str, expected: str) -> None:
    """Raises TypeError if a function returned None or dates, or some among its values."""
    if _has_none(found):
        raise TypeError(
            f"{who} returned None but must return {expected}; is a return statement missing?"
        )
    kind = date_type(found)
    if kind:
        raise TypeError(
            f"{who} returned values of type {kind} but must return {expected}; divide durations "
            "by numpy.timedelta64(1, 's')"
        )
