"""The comparer: right answers are as far apart as chance puts them, wrong ones are refused.

Two sets of replicates of one known law in place of bootfold and a peer. Distances must then be
standard normal: over 500 pairs their mean square is within 4.9 sqrt(2 / 500) of 1, but once in a
million. A rank in a tail of 50 events has kurtosis 3.01, the variance of an exponential law's 2000
replicates 3.05, so squares vary by 1.5 % more than those of normal numbers; 6 % are allowed,
because the comparer estimates kurtosis, too. Seeds are fixed.
"""

from __future__ import annotations

import math
import unittest
from collections.abc import Callable
from dataclasses import dataclass, replace

import comparer
import numpy as np
from scipy.special import ndtri

PAIRS = 500
COUNT = 2000
Z = 1.959963984540054
ACCELERATION = 0.05
BOUND = 4.9 * math.sqrt(2 / PAIRS) * 1.06


def bca_limits(values: np.ndarray, estimate: float, strict: bool) -> tuple[float, float]:
    places = (comparer.bca_place(values, estimate, ACCELERATION, z, strict) for z in (-Z, Z))
    low, high = (float(np.quantile(values, place.p)) for place in places)
    return low, high


def limits_of(values: np.ndarray, estimate: float, strict: bool) -> dict:
    low, high = map(float, np.quantile(values, [0.025, 0.975]))
    centre, deviation = 2 * estimate - values.mean(), values.std(ddof=1)
    return {
        "normal": (centre - Z * deviation, centre + Z * deviation),
        "basic": (2 * estimate - high, 2 * estimate - low),
        "percentile": (low, high),
        "bca": bca_limits(values, estimate, strict),
    }


@dataclass(frozen=True)
class Law:
    draw: Callable[[np.random.Generator, int], np.ndarray]
    skewness: float
    kurtosis: float


NORMAL = Law(lambda generator, count: generator.standard_normal(count), 0, 3)
EXPONENTIAL = Law(lambda generator, count: generator.standard_exponential(count), 2, 9)
LATTICE = Law(
    lambda generator, count: generator.binomial(12, 0.3, count) / 12,
    0.4 / math.sqrt(12 * 0.21),
    3 - 6 / 12 + 1 / (12 * 0.21),
)


def pair(generator: np.random.Generator, law: Law, estimate: float, strict: bool):
    """What two programs would say that bootstrap the same thing."""
    mine, its = law.draw(generator, COUNT), law.draw(generator, COUNT)
    deviation = float(mine.std(ddof=1))
    # As bootfold would print them. The other limits are compared by rank here.
    normal = [
        deviation * math.sqrt((1 + z * z * (law.kurtosis - 1) / 4 - z * law.skewness) / COUNT)
        for z in (-Z, Z)
    ]
    limits = limits_of(mine, estimate, strict)
    ours = comparer.Ours(
        estimate=estimate,
        standard_error=deviation,
        standard_error_error=deviation * math.sqrt((law.kurtosis - 1) / (4 * COUNT)),
        replicates=COUNT,
        limits=limits,
        errors={m: tuple(normal) if m == "normal" else (math.nan, math.nan) for m in limits},
    )
    peer = comparer.Findings(
        estimate, float(its.std(ddof=1)), its, limits_of(its, estimate, strict)
    )
    return ours, peer


class Comparer(unittest.TestCase):
    def mean_squares(self, law: Law, estimate: float, strict: bool) -> dict[str, float]:
        generator = np.random.default_rng(5)
        squares: dict[str, list[float]] = {}
        for _ in range(PAIRS):
            ours, peer = pair(generator, law, estimate, strict)
            for found in comparer.distances(
                ours, peer, acceleration=ACCELERATION, strict=strict, smooth=False
            ):
                squares.setdefault(f"{found.method}, {found.what}", []).append(found.distance**2)
        return {key: float(np.mean(values)) for key, values in squares.items()}

    def test_the_same_law_is_as_far_apart_as_chance_puts_it(self):
        for law, estimate in ((NORMAL, 0.1), (EXPONENTIAL, 0.9)):
            for what, found in self.mean_squares(law, estimate, False).items():
                with self.subTest(skewness=law.skewness, what=what):
                    self.assertLess(abs(found - 1), BOUND)

    def test_on_a_lattice_it_is_no_farther(self):
        for strict in (False, True):
            for what, found in self.mean_squares(LATTICE, 4 / 12, strict).items():
                with self.subTest(what=what, strict=strict):
                    self.assertLess(found, 1 + BOUND)

    def test_every_wrong_limit_is_refused(self):
        """A limit that is off by twice what is allowed, one at a time, to either side."""
        allowed = comparer.largest_allowed(500, 1e-6)
        generator = np.random.default_rng(6)
        ours, peer = pair(generator, EXPONENTIAL, 0.9, False)
        rank = {"basic": (0.975, 0.025), "percentile": (0.025, 0.975)}
        for method, places in rank.items():
            for side, p in enumerate(places):
                # The law's own quantile where the rank is off by 2 * allowed standard deviations.
                r = np.sqrt(p * (1 - p) * 2 / COUNT)
                for sign in (-1, 1):
                    moved = p + sign * 2 * allowed * r
                    if not 0 < moved < 1:
                        continue
                    quantile = float(-np.log1p(-moved))
                    limit = quantile if method == "percentile" else 2 * 0.9 - quantile
                    limits = dict(ours.limits)
                    pair_of = list(limits[method])
                    pair_of[side] = limit
                    limits[method] = tuple(pair_of)
                    wrong = replace(ours, limits=limits)
                    found = comparer.distances(
                        wrong, peer, acceleration=ACCELERATION, strict=False, smooth=False
                    )
                    far = [d for d in found if abs(d.distance) > allowed]
                    with self.subTest(method=method, side=side, sign=sign):
                        self.assertEqual(len(far), 1)
                        self.assertEqual(far[0].method, method)

    def test_a_peer_that_means_something_else_is_noticed(self):
        generator = np.random.default_rng(7)
        ours, peer = pair(generator, EXPONENTIAL, 0.9, False)
        for method, other in (("basic", "percentile"), ("percentile", "bca"), ("bca", "basic")):
            limits = {**peer.limits, method: peer.limits[other]}
            wrong = comparer.Findings(peer.estimate, peer.standard_error, peer.replicates, limits)
            with self.assertRaises(comparer.Misunderstood):
                comparer.distances(
                    ours, wrong, acceleration=ACCELERATION, strict=False, smooth=False
                )

    def test_what_is_allowed(self):
        self.assertAlmostEqual(comparer.largest_allowed(1, 1e-6), 4.8916, places=4)
        self.assertAlmostEqual(comparer.largest_allowed(100, 1e-6), -float(ndtri(5e-9)))

    def test_ranks(self):
        values = np.array([1.0, 2.0, 2.0, 3.0])
        self.assertEqual(comparer.rank_gap(values, 2.0, 0.5), 0)  # the tie spans 0.25 to 0.75
        self.assertEqual(comparer.rank_gap(values, 2.0, 0.8), 0.75 - 0.8)
        self.assertEqual(comparer.rank_gap(values, 2.0, 0.2), 0.25 - 0.2)


if __name__ == "__main__":
    unittest.main()
