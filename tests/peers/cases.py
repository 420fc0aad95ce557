"""What is bootstrapped: data, statistics, and one table of cases for all peers.

Nothing here depends on a library's generator: Python documents that random.Random(seed).random()
gives the same numbers for ever.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import flights
import numpy as np
from scipy.special import ndtri

QUANTILES = ("basic", "percentile")
PLAIN = ("normal", *QUANTILES)
BCA = (*PLAIN, "bca")
ALL = (*BCA, "studentized")
BLOCKS = ("moving", "circular", "stationary")


def _normals(count: int, seed: int) -> np.ndarray:
    uniform = random.Random(seed)
    return np.array([ndtri(uniform.random()) for _ in range(count)])


def _strata() -> dict[str, np.ndarray]:
    stratum = np.repeat([0, 1, 2], [10, 20, 30])
    return {"x": np.exp(_normals(60, 4)) + 3 * stratum, "stratum": stratum}


def _clusters() -> dict[str, np.ndarray]:
    sizes = np.resize([1, 2, 3, 4, 5], 40)
    school = np.repeat(np.arange(40), sizes)
    return {"x": np.exp(_normals(40, 5))[school] + _normals(len(school), 6), "school": school}


def _cluster_sums() -> dict[str, np.ndarray]:
    clusters = _clusters()
    sums = np.bincount(clusters["school"], clusters["x"])
    return {"x": sums, "u": np.bincount(clusters["school"]).astype(float)}


def _series() -> dict[str, np.ndarray]:
    """Blocks of 3 are short for it, and its first rows are high: so no two block schemes agree."""
    x = _normals(150, 7)
    for i in range(1, len(x)):
        x[i] += 0.8 * x[i - 1]
    series = np.exp(x[50:] / 2)
    series[:5] += 4
    return {"x": series}


def _pairs() -> dict[str, np.ndarray]:
    u = np.exp(_normals(50, 2) / 2)
    return {"x": u * np.exp(_normals(50, 3) / 2), "u": u, "w": 1 + np.arange(50) % 5}


def _numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


_TREATMENT = _numbers("94 197 16 38 99 141 23")
_CONTROL = _numbers("52 104 146 10 50 31 40 27 46")

_FLIGHTS = flights.flights()

DATA: dict[str, dict[str, np.ndarray]] = {
    "mouse": {"x": _TREATMENT},
    "mice": {
        "x": np.concatenate([_TREATMENT, _CONTROL]),
        "stratum": np.repeat([1, 0], [len(_TREATMENT), len(_CONTROL)]),
    },
    "thirds": {"x": _TREATMENT / 3},  # whose sums are rounded, and tie all the same
    "sixteen": {"x": _numbers("10 12 12.5 12.5 13.9 15 21 22 23 34 50 81 89 121 134 213")},
    "law": {
        "x": _numbers("576 635 558 578 666 580 555 661 651 605 653 575 545 572 594"),
        "u": _numbers("3.39 3.30 2.81 3.03 3.44 3.07 3.00 3.43 3.36 3.13 3.12 2.74 2.76 2.88 2.96"),
    },
    "city": {
        "x": _numbers("143 104 69 260 75 63 50 48 111 50"),
        "u": _numbers("138 93 61 179 48 37 29 23 30 2"),
    },
    "skewed": {"x": np.exp(_normals(60, 1))},
    "pairs": _pairs(),
    "strata": _strata(),
    "weights": {"x": np.exp(_normals(40, 8)), "w": 1 + np.arange(40) % 7},
    "clusters": _clusters(),
    "cluster_sums": _cluster_sums(),
    "series": _series(),
    "flights": _FLIGHTS,
    "flight_weeks": flights.week_sums(_FLIGHTS),
    "flight_days": flights.days(),
}


# Statistics as SciPy calls them. Rounded: resamples with the same rows in another order must tie.
def _correlation(x: np.ndarray, u: np.ndarray, axis: int = -1) -> np.ndarray:
    x = x - x.mean(axis=axis, keepdims=True)
    u = u - u.mean(axis=axis, keepdims=True)
    return (x * u).sum(axis=axis) / np.sqrt((x * x).sum(axis=axis) * (u * u).sum(axis=axis))


def _weighted_mean(x: np.ndarray, w: np.ndarray, axis: int = -1) -> np.ndarray:
    return (x * w).sum(axis=axis) / w.sum(axis=axis)


def _weighted_variance(x: np.ndarray, w: np.ndarray, axis: int = -1) -> np.ndarray:
    rows = x.shape[axis]
    mean = _weighted_mean(x, w, axis=axis)
    return (_weighted_mean(x * x, w, axis=axis) - mean * mean) * rows / (rows - 1)


def _weighted_correlation(
    x: np.ndarray, u: np.ndarray, w: np.ndarray, axis: int = -1
) -> np.ndarray:
    def moment(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        means = _weighted_mean(a, w, axis=axis) * _weighted_mean(b, w, axis=axis)
        return _weighted_mean(a * b, w, axis=axis) - means

    return moment(x, u) / np.sqrt(moment(x, x) * moment(u, u))


_STATISTICS: dict[str, Callable[..., np.ndarray]] = {
    "weighted_correlation": _weighted_correlation,
    "weighted_mean": _weighted_mean,
    "weighted_variance": _weighted_variance,
    "mean": lambda x, axis=-1: x.mean(axis=axis),
    "median": lambda x, axis=-1: np.median(x, axis=axis),
    "variance": lambda x, axis=-1: x.var(axis=axis, ddof=1),
    "standard_deviation": lambda x, axis=-1: x.std(axis=axis, ddof=1),
    "quantile:0.9": lambda x, axis=-1: np.quantile(x, 0.9, axis=axis),
    "correlation": _correlation,
    "ratio": lambda x, u, axis=-1: x.mean(axis=axis) / u.mean(axis=axis),
    "difference": lambda x, y, axis=-1: x.mean(axis=axis) - y.mean(axis=axis),
}

# Standard errors by formula, for studentized intervals.
_ERRORS: dict[str, Callable[..., np.ndarray]] = {
    "mean": lambda x: x.std(ddof=1) / len(x) ** 0.5,
    "variance": lambda x: (((x - x.mean()) ** 2).var() / len(x)) ** 0.5 * len(x) / (len(x) - 1),
    "ratio": lambda x, u: (
        (((x - x.mean() / u.mean() * u) ** 2).sum() / (len(x) - 1) / len(x)) ** 0.5 / u.mean()
    ),
}


@dataclass(frozen=True)
class Case:
    """One statistic of one data set under one scheme, by bootfold and by the peers named."""

    name: str
    data: str
    statistic: str
    methods: tuple[str, ...]
    peers: tuple[str, ...]
    columns: tuple[str, ...] = ("x",)
    scheme: str = "iid"
    number: int = 0  # rows of a resample or of a block, where the scheme has one
    options: tuple[str, ...] = ()  # for bootfold
    # What the peers bootstrap where they know no such scheme.
    peer_data: str = ""
    peer_statistic: str = ""
    peer_columns: tuple[str, ...] = ()
    # Whether replicates hardly tie: then the distance of limits has a meaning, not only their rank.
    smooth: bool = True
    replicates: int = 40_000
    command: str = field(default="bootstrap")

    @cached_property
    def samples(self) -> tuple[np.ndarray, ...]:
        """The peer's columns; two samples where the statistic is a difference."""
        table = DATA[self.peer_data or self.data]
        if self.scheme == "two samples":
            return table["x"][table["stratum"] == 1], table["x"][table["stratum"] == 0]
        return tuple(table[c].astype(float) for c in self.peer_columns or self.columns)

    @property
    def measured(self) -> str:
        return self.peer_statistic or self.statistic

    def value(self, *samples: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.round(_STATISTICS[self.measured](*samples, axis=axis), 9)

    def error(self, *samples: np.ndarray) -> float:
        return _ERRORS[self.measured](*samples)

    @cached_property
    def acceleration(self) -> float:
        """By deleting every row; of two samples, as SciPy's documentation has it."""
        paired = self.scheme != "two samples"
        second = third = 0.0
        for sample in self.samples[:1] if paired else self.samples:
            n = len(sample)
            values = []
            for i in range(n):
                fewer = [np.delete(s, i) if paired or s is sample else s for s in self.samples]
                values.append(float(_STATISTICS[self.measured](*fewer)))
            u = (n - 1) * (np.mean(values) - np.array(values))
            second += float(np.sum(u**2)) / n**2
            third += float(np.sum(u**3)) / n**3
        return third / (6 * second**1.5)


_EVERYONE = ("R boot", "SciPy", "arch")
_R = ("R boot",)
_R_ARCH = ("R boot", "arch")
_TWO = ("x", "u")

CASES = (
    Case("mouse mean", "mouse", "mean", BCA, _EVERYONE, smooth=False),
    Case("mouse thirds mean", "thirds", "mean", BCA, _EVERYONE, smooth=False),
    Case("mouse median", "mouse", "median", BCA, _EVERYONE, smooth=False),
    Case("sixteen mean", "sixteen", "mean", ALL, _EVERYONE, smooth=False),
    Case("law correlation", "law", "correlation", BCA, _EVERYONE, _TWO),
    Case("city ratio", "city", "ratio", ALL, _EVERYONE, _TWO, smooth=False),
    Case("skewed mean", "skewed", "mean", ALL, _EVERYONE),
    Case("skewed variance", "skewed", "variance", ALL, _EVERYONE),
    Case("skewed median", "skewed", "median", BCA, _EVERYONE, smooth=False),
    Case("skewed quantile", "skewed", "quantile:0.9", BCA, _EVERYONE, smooth=False),
    Case("pairs correlation", "pairs", "correlation", BCA, _EVERYONE, _TWO),
    Case("pairs ratio", "pairs", "ratio", ALL, _EVERYONE, _TWO),
    Case(
        "two samples",
        "mice",
        "mean",
        BCA,
        _EVERYONE,
        scheme="two samples",
        command="compare",
        options=("--by", "stratum", "--control", "0"),
        peer_statistic="difference",
        smooth=False,
    ),
    Case(
        "strata mean",
        "strata",
        "mean",
        PLAIN,
        _R,
        scheme="stratified",
        options=("--strata", "stratum"),
    ),
    Case(
        "strata variance",
        "strata",
        "variance",
        PLAIN,
        _R,
        scheme="stratified",
        options=("--strata", "stratum"),
    ),
    Case(
        "20 of 60 mean",
        "skewed",
        "mean",
        PLAIN,
        _R,
        scheme="m out of n",
        number=20,
        options=("--size", "20"),
    ),
    Case(
        "20 of 60 median",
        "skewed",
        "median",
        PLAIN,
        _R,
        scheme="m out of n",
        number=20,
        options=("--size", "20"),
        smooth=False,
    ),
    Case(
        "balanced mean",
        "skewed",
        "mean",
        PLAIN,
        _R,
        scheme="balanced",
        options=("--scheme", "balanced"),
    ),
    Case(
        "balanced variance",
        "skewed",
        "variance",
        PLAIN,
        _R,
        scheme="balanced",
        options=("--scheme", "balanced"),
    ),
    *(
        Case(
            f"weighted {statistic}",
            "weights",
            statistic,
            BCA,
            _EVERYONE,
            options=("--weights", "w"),
            peer_columns=("x", "w"),
            peer_statistic=f"weighted_{statistic}",
            smooth=False,  # BCa's upper limit is one of the last forty replicates
        )
        for statistic in ("mean", "variance")
    ),
    Case(
        "weighted correlation",
        "pairs",
        "correlation",
        BCA,
        _EVERYONE,
        _TWO,
        options=("--weights", "w"),
        peer_columns=("x", "u", "w"),
        peer_statistic="weighted_correlation",
    ),
    Case(
        "unequal mean",
        "weights",
        "mean",
        ("percentile",),
        _R,
        scheme="unequal",
        options=("--probabilities", "w"),
    ),
    Case(
        "unequal variance",
        "weights",
        "variance",
        ("percentile",),
        _R,
        scheme="unequal",
        options=("--probabilities", "w"),
    ),
    Case(
        "clusters mean",
        "clusters",
        "mean",
        BCA,
        _R_ARCH,
        scheme="cluster",
        options=("--cluster", "school"),
        peer_data="cluster_sums",
        peer_columns=_TWO,
        peer_statistic="ratio",
    ),
    *(
        Case(
            f"{scheme} {statistic}",
            "series",
            statistic,
            PLAIN,
            _R_ARCH,
            scheme=scheme,
            number=3,
            options=("--scheme", scheme, "--block-length", "3"),
            smooth=statistic != "median",
            replicates=20_000,
        )
        for scheme in BLOCKS
        for statistic in ("mean", "median")
    ),
    # A real table: six statistics by all peers, and strata, clusters and blocks by R.
    *(
        Case(
            f"flights {statistic}",
            "flights",
            statistic,
            BCA,
            ("R boot", "SciPy"),
            columns,
            smooth=smooth,
            replicates=10_000,
        )
        for statistic, columns, smooth in (
            ("mean", ("x",), True),
            ("median", ("x",), False),
            ("standard_deviation", ("x",), True),
            ("quantile:0.9", ("x",), False),
            ("correlation", ("x", "u"), True),
            ("ratio", ("d", "u"), True),
        )
    ),
    Case(
        "flights strata",
        "flights",
        "mean",
        PLAIN,
        _R,
        scheme="stratified",
        options=("--strata", "stratum"),
        replicates=10_000,
    ),
    Case(
        "flights clusters",
        "flights",
        "mean",
        BCA,
        _R_ARCH,
        scheme="cluster",
        options=("--cluster", "week"),
        peer_data="flight_weeks",
        peer_columns=_TWO,
        peer_statistic="ratio",
        replicates=20_000,
    ),
    *(
        Case(
            f"flights {scheme}",
            "flight_days",
            "mean",
            PLAIN,
            _R_ARCH,
            scheme=scheme,
            number=5,
            options=("--scheme", scheme, "--block-length", "5"),
            replicates=20_000,
        )
        for scheme in ("circular", "stationary")
    ),
)
