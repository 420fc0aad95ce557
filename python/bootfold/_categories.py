"""Columns of a category: its levels, those that share a column, unknown and missing ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core

if TYPE_CHECKING:
    from bootfold._data import Array
    from bootfold._forward import Input

#: Texts have codes from here on (bootfold/ensemble/encoding.h); those that are no levels from
#: _UNKNOWN times that on, by their hash.
_TEXT = 2.0**960
_UNKNOWN = 2**32
_NO_COLUMN = 2**32 - 1


def level_number(level: str) -> float:
    """The number that a level is named by; NaN if it is not a number."""
    try:
        found = float(level)
    except ValueError:
        return math.nan
    plain = level == level.strip() and "_" not in level and not level.startswith("+")
    return found if plain and math.isfinite(found) else math.nan


def number_name(number: float) -> str:
    """The name of a level that is a number."""
    return str(int(number)) if number == int(number) and abs(number) < 2**53 else repr(number)


def numbered(own: Input) -> bool:
    """Whether all levels are numbers, as those of a column of numbers are."""
    numbers = [level_number(level) for level in own.levels]
    return not any(
        math.isnan(number) or number_name(number) != level
        for number, level in zip(numbers, own.levels, strict=True)
    )


def _shared_column(text: str, place: int, own: Input, encoding: _core.Encoding) -> int:
    """The column of a level that has none of its own; -1: it has no column."""
    if own.shared == 0:
        return -1
    if own.shared == 1:
        return own.own
    return own.own + _hash(_core.EncodingCodes(encoding), place, text) % own.shared


def _hash(codes: Any, place: int, text: str) -> int:
    """The hash of a text that is not a level."""
    code = float(codes.codes(place, [text], [math.nan])[0])
    return int(code / _TEXT) - 1 - _UNKNOWN


def level_columns(place: int, own: Input, encoding: _core.Encoding) -> list[int]:
    """The column of each level; -1: none."""
    without = [slot == _NO_COLUMN for slot in own.slots]
    if not any(without):
        return list(own.slots)
    # A hash is told of texts that are no levels, so an encoding without levels is asked.
    bare = _core.Encoding.__new__(_core.Encoding)
    state = encoding.__getstate__()
    inputs: list[Any] = [(*each[:3], [], [], *each[5:]) for each in state[1]]
    bare.__setstate__((state[0], inputs))
    return [
        _shared_column(level, place, own, bare) if none else slot
        for level, slot, none in zip(own.levels, own.slots, without, strict=True)
    ]


def category_columns(values: Array, place: int, own: Input, encoding: _core.Encoding) -> Array:
    """Columns of 0 and 1 of values that are codes of texts, or numbers."""
    columns = level_columns(place, own, encoding)
    by_number: dict[float, int] = {}
    for level, column in zip(own.levels, columns, strict=True):
        number = level_number(level)
        if not math.isnan(number):
            by_number.setdefault(number, column)
    found = np.zeros((len(values), own.width), dtype=np.float32)
    distinct, places = np.unique(values, return_inverse=True)
    chosen = np.full(len(distinct), -1)
    for i, value in enumerate(distinct.tolist()):
        if math.isnan(value):
            chosen[i] = own.width - 1 if own.missing else -1
        elif value >= _TEXT:
            text = int(value / _TEXT) - 1
            if text < len(columns):
                chosen[i] = columns[text]
            elif own.shared > 0:
                chosen[i] = own.own + (text - _UNKNOWN) % own.shared
        elif value in by_number:
            chosen[i] = by_number[value]
        else:
            chosen[i] = _shared_column(number_name(value), place, own, encoding)
    of_rows = chosen[places.reshape(-1)]
    rows = np.flatnonzero(of_rows >= 0)
    found[rows, of_rows[rows]] = 1
    return found
