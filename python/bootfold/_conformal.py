"""Conformal prediction from held-out rows: intervals of numbers and sets of classes.

Scores of held-out rows tell how far the truth is from the prediction. The interval or set of a new
row has every value whose score is at most the ceil(confidence (n + 1))-th smallest of n scores. If
held-out rows and new rows are exchangeable, it has the truth with probability at least
`confidence`, whatever the networks do (Vovk, Gammerman and Shafer 2005).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bootfold._data import Array


def check_confidence(confidence: float) -> float:
    found = float(confidence)
    if not 0 < found < 1:
        raise ValueError(f"confidence is {confidence!r} but must be above 0 and below 1")
    return found


def limit_of(scores: Array, confidence: float) -> float:
    """The largest score that is allowed; infinite if there are too few scores.

    NaN is the score of a row that nobody could judge. It counts as infinite, which keeps the
    guarantee.
    """
    place = confidence * (len(scores) + 1)
    rank = max(1, math.ceil(place - 1e-9 * place))  # rounding errors do not count
    if rank > len(scores):
        return math.inf
    filled = np.where(np.isnan(scores), np.inf, scores)
    return float(np.partition(filled, rank - 1)[rank - 1])


def _cumulated(probabilities: Array) -> Array:
    """[row][class]: probability of the classes that are at least as probable."""
    order = np.argsort(-probabilities, axis=1, kind="stable")
    sums = np.cumsum(np.take_along_axis(probabilities, order, axis=1), axis=1)
    found = np.empty_like(sums)
    np.put_along_axis(found, order, sums, axis=1)
    return found


def class_scores(probabilities: Array, method: str) -> Array:
    """[row][class]: how strange it would be if this were the class."""
    if method == "threshold":
        found: Array = 1 - probabilities
        return found
    if method == "adaptive":
        return _cumulated(probabilities)
    raise ValueError(f"method is {method!r} but must be 'threshold' or 'adaptive'")


def class_sets(
    known: Array, codes: Array, probabilities: Array, confidence: float, method: str
) -> Array:
    """[row][class]: whether a class belongs to the set; the most probable one always does."""
    scores = class_scores(known, method)[np.arange(len(codes)), codes]
    limit = limit_of(scores, confidence)
    found: Array = class_scores(probabilities, method) <= limit
    found[np.arange(len(found)), np.argmax(probabilities, axis=1)] = True
    return found
