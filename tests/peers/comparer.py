"""How far bootfold's numbers lie from a peer's, in Monte Carlo standard errors of their difference.

Limits are compared by rank. A limit that is the quantile p of bootfold's replicates must be about
the quantile p of the peer's: the share F of the peer's replicates below it lies round p with
standard deviation r = sqrt(p (1 - p) (1 / R + 1 / R')), whatever the law. With ties F is a step,
and the distance is that of p from the nearest of its two sides. So nothing is said about densities,
and lattices are no special case.

BCa's p depends on the share b of replicates below the estimate; to the first order F - p varies as
the mean of [replicate <= limit] - h [replicate < estimate], h = dp / db, of which the replicates
show the variance.

Where replicates hardly tie, the limits themselves are compared too: with the error that bootfold
prints and with the peer's, (q(p + r) - q(p - r)) / 2. Standard errors and normal limits are
compared by their values alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri


@dataclass(frozen=True)
class Findings:
    """What one program says about one case."""

    estimate: float
    standard_error: float
    replicates: np.ndarray  # of bootfold: none are read
    limits: dict[str, tuple[float, float]]
    pivots: np.ndarray | None = None  # (t* - t) / e*
    error: float = math.nan  # e, the estimate's standard error by formula


@dataclass(frozen=True)
class Ours:
    """What bootfold prints."""

    estimate: float
    standard_error: float
    standard_error_error: float
    replicates: int
    limits: dict[str, tuple[float, float]]
    errors: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Distance:
    """One comparison: `distance` is standard normal if both compute the same thing."""

    what: str
    method: str
    distance: float
    ours: float
    theirs: float


@dataclass(frozen=True)
class Place:
    """Where a limit lies among replicates, and what blurs it."""

    p: float
    unit: float  # standard deviation of one replicate's contribution to F - p


def _z_p(side: int, confidence: float) -> float:
    return float(ndtri((1 + (confidence if side else -confidence)) / 2))


def _place(p: float) -> Place:
    return Place(p, math.sqrt(p * (1 - p)))


def _phi(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def bca_place(
    values: np.ndarray, estimate: float, acceleration: float, z: float, strict: bool
) -> Place:
    """BCa's corrected p of the normal quantile z, from these replicates."""
    tie = 1e-8 * float(np.std(values))
    below = (values < estimate - tie) + (0 if strict else 0.5) * (np.abs(values - estimate) <= tie)
    z0 = float(ndtri(below.mean()))
    w = z0 + z
    stretch = 1 - acceleration * w
    corrected = z0 + w / stretch
    p = float(ndtr(corrected))
    h = _phi(corrected) * (1 + 1 / stretch**2) / _phi(z0)
    return Place(p, float(np.std((values <= np.quantile(values, p)) - h * below)))


def rank_gap(values: np.ndarray, limit: float, p: float) -> float:
    """How far p is from the share of values below the limit; 0 where a tie spans it."""
    tie = 1e-8 * float(np.std(values))
    below = float(np.mean(values < limit - tie))
    up_to = float(np.mean(values <= limit + tie))
    return below - p if below > p else min(up_to - p, 0.0)


def _moments(values: np.ndarray) -> tuple[float, float, float]:
    deviation = float(np.std(values))
    standard = (values - values.mean()) / deviation
    return deviation, float(np.mean(standard**3)), float(np.mean(standard**4))


def _quantile_error(values: np.ndarray, place: Place) -> float:
    r = place.unit / math.sqrt(len(values))
    low, high = np.quantile(values, np.clip([place.p - r, place.p + r], 0, 1))
    return float(high - low) / 2


class Misunderstood(Exception):
    """A peer's own limit is not where this program believes the peer puts it."""


def distances(
    ours: Ours,
    peer: Findings,
    *,
    acceleration: float,
    strict: bool,
    smooth: bool,
    confidence: float = 0.95,
) -> list[Distance]:
    """All comparisons of one case with one peer."""
    values = peer.replicates
    count = len(values)
    both = math.sqrt(1 / count + 1 / ours.replicates)
    deviation, skewness, kurtosis = _moments(values)
    found: list[Distance] = []

    def add_value(what: str, method: str, mine: float, its: float, my_error: float, error: float):
        found.append(Distance(what, method, (mine - its) / math.hypot(my_error, error), mine, its))

    # NaN: the peer has none that is comparable.
    if abs(ours.estimate - peer.estimate) > 1e-8 * max(deviation, abs(peer.estimate)):
        raise Misunderstood(f"the estimate is {ours.estimate}, the peer's {peer.estimate}")
    add_value(
        "standard error",
        "standard error",
        ours.standard_error,
        peer.standard_error,
        ours.standard_error_error,
        deviation * math.sqrt((kurtosis - 1) / (4 * count)),
    )

    for method, theirs in peer.limits.items():
        for side in (0, 1):
            z = _z_p(side, confidence)
            p = float(ndtr(z))
            mine, its = ours.limits[method][side], theirs[side]
            my_error = ours.errors[method][side]
            what = "high" if side else "low"
            if method == "normal":
                spread = 1 + z * z * (kurtosis - 1) / 4 - z * skewness
                error = deviation * math.sqrt(spread / count)
                add_value(what, method, mine, its, my_error, error)
                continue
            # The limit is offset + slope * (quantile of `among`).
            among, place, offset, slope = values, _place(p), 0.0, 1.0
            if method == "basic":
                place, offset, slope = _place(1 - p), 2 * peer.estimate, -1.0
            elif method == "bca":
                place = bca_place(values, peer.estimate, acceleration, z, strict)
            elif method == "studentized":
                assert peer.pivots is not None
                among, place = peer.pivots, _place(1 - p)
                offset, slope = peer.estimate, -peer.error
            own = rank_gap(among, (its - offset) / slope, place.p)
            if abs(own) > 2 / count:
                place_of_it = f"its quantile {place.p + own}, not {place.p}"
                raise Misunderstood(f"{method}, {what}: the peer's {its} is {place_of_it}")
            gap = rank_gap(among, (mine - offset) / slope, place.p)
            found.append(Distance(f"rank of {what}", method, gap / (place.unit * both), mine, its))
            if smooth:
                error = abs(slope) * _quantile_error(among, place)
                add_value(what, method, mine, its, my_error, error)
    return found


def largest_allowed(comparisons: int, alarm: float) -> float:
    """Every one of `comparisons` normal numbers is within this, but with probability `alarm`."""
    return -float(ndtri(alarm / comparisons / 2))
