"""Limits of intervals as SciPy defines them, from the replicates along the last axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bootfold._data import Array

if TYPE_CHECKING:
    from collections.abc import Iterable


def _normal_quantile(share: float) -> float:
    from statistics import NormalDist

    if 0 < share < 1:
        return NormalDist().inv_cdf(share)
    return math.inf * (share - 0.5) if share in (0, 1) else math.nan


def _normal_share(quantile: float) -> float:
    return 0.5 * math.erfc(-quantile / math.sqrt(2))


def bca_levels(replicates: Array, estimate: Array, acceleration: Array, tail: float) -> Array:
    """The two shares at which a BCa interval ends, along a last axis; NaN where there are none."""
    # Of values on a lattice many are the estimate itself; another order of summation must not tell
    # them apart.
    same = 4 * np.spacing(np.abs(estimate))
    below = np.count_nonzero(replicates < (estimate - same)[..., None], axis=-1)
    below = below + np.count_nonzero(replicates <= (estimate + same)[..., None], axis=-1)
    shares = np.ravel(below / (2 * replicates.shape[-1]))
    ends = np.array([_normal_quantile(tail), -_normal_quantile(tail)])
    levels = np.empty((shares.size, 2))
    with np.errstate(all="ignore"):
        for k, a in enumerate(np.ravel(acceleration)):
            bias = _normal_quantile(float(shares[k]))
            w = bias + ends
            levels[k] = [_normal_share(float(z)) for z in bias + w / (1 - a * w)]
    return levels.reshape(*estimate.shape, 2)


def quantiles(replicates: Array, levels: Array) -> Array:
    """Quantiles of type 7 at own levels for each value, along a last axis."""
    rows = replicates.reshape(-1, replicates.shape[-1])
    wanted = levels.reshape(-1, 2)
    found = np.full(wanted.shape, np.nan)
    for k, row in enumerate(rows):
        if not np.isnan(wanted[k]).any():
            found[k] = np.quantile(row, wanted[k])
    return found.reshape(levels.shape)


def jackknife_acceleration(parts: Iterable[tuple[float, Array]]) -> Array:
    """Of the values without each row, last axis, and how many rows (or groups of them) there are;
    one such pair for each sample. Where only some groups were deleted they stand for all."""
    second: Array | float = 0.0
    third: Array | float = 0.0
    with np.errstate(all="ignore"):
        for rows, values in parts:
            u = (rows - 1) * (values.mean(axis=-1, keepdims=True) - values)
            second = second + (u**2).mean(axis=-1) / rows
            third = third + (u**3).mean(axis=-1) / rows**2
        return np.asarray(third / (6 * np.power(second, 1.5)))
