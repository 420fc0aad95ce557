"""Corners beside the peers: ties, offsets, shared clusters, permutation tests, block lengths.

    tests/peers/run.sh corners.py --program build/dev/cli/bootfold

What agreement.py does not see, because it is no interval of a plain scheme. Numbers that are drawn
are compared in Monte Carlo standard errors of their difference, with the false-alarm rate of
agreement.py; others to the digits that the peer has. All seeds are fixed. Ends with 1 and one line
for each number that is too far.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import cases
import numpy as np
from arch.bootstrap import optimal_block_length
from comparer import bca_place, largest_allowed, rank_gap
from scipy import stats

ALARM = 1e-6
REPLICATES = 1_000_000
SEED = 20_240_601


@dataclass(frozen=True)
class Number:
    """One number by two programs. `error`: of their difference, or how near they must be."""

    name: str
    ours: float
    theirs: float
    error: float
    drawn: bool = True  # the error is a Monte Carlo standard error

    def distance(self) -> float:
        return abs(self.ours - self.theirs) / self.error


def days() -> dict[str, np.ndarray]:
    """Days that two airports see; some have flights of one of them only."""
    normal = random.Random(11)
    rows = []
    for day in range(40):
        weather = 3 * normal.gauss(0, 1)
        for airport in (0, 1):
            for _ in range((day + 2 * airport) % 4):
                rows.append((day, airport, weather + normal.gauss(0.3 * airport, 1)))
    day, airport, x = map(np.array, zip(*rows, strict=True))
    return {"x": x, "airport": airport, "day": day}


def far() -> np.ndarray:
    uniform = random.Random(12)
    return np.array([-math.log(1 - uniform.random()) for _ in range(40)])


def series(phi: float, rows: int, seed: int) -> np.ndarray:
    normal = random.Random(seed)
    x = [0.0]
    for _ in range(rows + 50):
        x.append(phi * x[-1] + normal.gauss(0, 1))
    return np.array(x[-rows:])


# So much autocorrelation that no lag ends it, so that all count: where one does, arch counts one
# lag more than the rule of Politis and White (docs/intervals.md).
SERIES = {
    "phi_8": series(0.8, 1000, 1),
    "phi_9": series(0.9, 400, 2),
    "phi_95": series(0.95, 200, 3),
}
DATA = {
    "days": days(),
    "two_values": {"x": np.repeat([1.0, 0.0], [6, 14])},
    "law": cases.DATA["law"],
    "thirds": {**cases.DATA["mice"], "x": cases.DATA["mice"]["x"] / 3},
    "far": {"x": far() + 1e9},
    **{name: {"x": x} for name, x in SERIES.items()},
}


class Program:
    """The bootfold under test, on the files of a folder."""

    def __init__(self, path: str, folder: Path) -> None:
        self._path = path
        self._folder = folder

    def __call__(
        self, command: str, data: str, *options: str, replicates: int = REPLICATES
    ) -> dict:
        arguments = [command, str(self._folder / f"{data}.csv"), "--json", "--seed", str(SEED)]
        arguments += options
        if replicates:
            arguments += ["--replicates", str(replicates)]
        done = subprocess.run([self._path, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"bootfold {' '.join(arguments)}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def r_values(folder: Path) -> dict[str, tuple[float, float]]:
    script = Path(__file__).with_name("corners.R")
    subprocess.run(["Rscript", "--vanilla", str(script), str(folder)], check=True)
    with open(folder / "corners.csv", newline="") as file:
        return {name: (float(value), float(error)) for name, value, error in csv.reader(file)}


def joint_replicates(count: int) -> np.ndarray:
    """Days drawn once for both airports, in NumPy."""
    table = DATA["days"]
    sums = np.array(
        [
            np.bincount(table["day"][table["airport"] == g], weights, minlength=40)
            for g in (0, 1)
            for weights in (table["x"][table["airport"] == g], None)
        ]
    )
    drawn = sums[:, np.random.default_rng(SEED).integers(0, 40, (count, 40))].sum(axis=2)
    return drawn[2] / drawn[3] - drawn[0] / drawn[1]


def shared_clusters(bootfold: Program, of_r: dict) -> list[Number]:
    options = ("--value", "x", "--by", "airport", "--cluster", "day", "--control", "0")
    found = bootfold("compare", "days", *options)
    assert found["clusters"]["shared"] > 0
    contrast = found["contrasts"][0]
    own, error = contrast["standard_error"], contrast["standard_error_error"]
    t = joint_replicates(100_000)
    kurtosis = float(stats.kurtosis(t, fisher=False))
    numpy_error = t.std(ddof=1) * math.sqrt((kurtosis - 1) / (4 * len(t)))
    value, r_error = of_r["shared clusters"]
    return [
        Number("shared clusters, R boot", own, value, math.hypot(error, r_error)),
        Number("shared clusters, NumPy", own, t.std(ddof=1), math.hypot(error, numpy_error)),
    ]


def thirds(bootfold: Program) -> list[Number]:
    """Mice in thirds of days: SciPy bootstraps whole days, where ties are exact."""
    table = cases.DATA["mice"]
    treated, control = (table["x"][table["stratum"] == g] for g in (1, 0))
    d = treated.mean() - control.mean()
    result = stats.bootstrap(
        (treated, control),
        lambda x, y, axis=-1: np.round(x.mean(axis=axis) - y.mean(axis=axis), 9),
        method="BCa",
        n_resamples=400_000,
        batch=20_000,
        rng=np.random.default_rng(SEED),
    )
    t = result.bootstrap_distribution
    both = math.sqrt(1 / len(t) + 1 / REPLICATES)
    options = ("--value", "x", "--by", "stratum", "--control", "0", "--interval")
    found = []
    bca = bootfold("compare", "thirds", *options, "bca")["contrasts"][0]
    case = next(c for c in cases.CASES if c.name == "two samples")
    for side, z in (("low", -1), ("high", 1)):
        place = bca_place(t, round(d, 9), case.acceleration, z * stats.norm.ppf(0.975), False)
        gap = rank_gap(t, 3 * bca["interval"][side], place.p)
        found.append(Number(f"BCa of thirds, {side}", gap, 0, place.unit * both))
    basic = bootfold("compare", "thirds", *options, "basic")["contrasts"][0]
    share = min(np.mean(t <= 2 * d + 1e-7), np.mean(t >= 2 * d - 1e-7))
    error = 2 * math.sqrt(share * (1 - share)) * both
    found.append(Number("basic p-value of thirds", basic["p_value"], 2 * share, error))
    return found


def permutations(bootfold: Program) -> list[Number]:
    table = cases.DATA["mice"]
    samples = tuple(table["x"][table["stratum"] == g] / 3 for g in (1, 0))
    found = []
    for alternative in ("two-sided", "less", "greater"):
        theirs = stats.permutation_test(
            samples,
            lambda x, y, axis=-1: x.mean(axis=axis) - y.mean(axis=axis),
            n_resamples=np.inf,
            vectorized=True,
            alternative=alternative,
        ).pvalue
        options = ("--value", "x", "--by", "stratum", "--control", "0", "--test", "permutation")
        ours = bootfold(
            "compare", "thirds", *options, "--alternative", alternative, replicates=1000
        )["contrasts"][0]
        assert ours["all_permutations"]
        name = f"permutation test, {alternative}"
        found.append(Number(name, ours["p_value"], theirs, 1e-12, drawn=False))
    return found


def far_from_zero(bootfold: Program) -> list[Number]:
    x = far()
    moved = (x + 1e9) - 1e9  # what is left of it
    jackknife = bootfold("bootstrap", "far", "--scheme", "jackknife", replicates=0)
    error = float(stats.sem(moved))
    found = [
        Number(
            "jackknife at 1e9", jackknife["standard_error"], error, 1e-9 * error, drawn=False
        )
    ]
    result = stats.bootstrap(
        (moved,),
        np.mean,
        method="BCa",
        n_resamples=400_000,
        batch=20_000,
        rng=np.random.default_rng(SEED),
    )
    t = result.bootstrap_distribution
    u = moved - moved.mean()
    acceleration = float((u**3).sum() / (6 * (u**2).sum() ** 1.5))
    both = math.sqrt(1 / len(t) + 1 / REPLICATES)
    bca = bootfold("bootstrap", "far", "--interval", "bca")
    own = bca["influence"]["acceleration"]
    found.append(Number("acceleration at 1e9", own, acceleration, 1e-6, drawn=False))
    for side, z in (("low", -1), ("high", 1)):
        place = bca_place(t, moved.mean(), acceleration, z * stats.norm.ppf(0.975), False)
        gap = rank_gap(t, bca["interval"][side] - 1e9, place.p)
        found.append(Number(f"BCa at 1e9, {side}", gap, 0, place.unit * both))
    return found


def two_values(bootfold: Program, of_r: dict) -> list[Number]:
    """Few values, so that limits are those values: R interpolates between equal ones."""
    options = ("--statistic", "variance", "--interval", "studentized", "--convention", "r")
    interval = bootfold("bootstrap", "two_values", *options)["interval"]
    assert "left out" in interval["reason"], interval
    return [
        Number(
            f"two values, {side}", interval[side], of_r[f"two values {side}"][0], 1e-9, drawn=False
        )
        for side in ("low", "high")
    ]


def abc(bootfold: Program, of_r: dict) -> list[Number]:
    """R takes derivatives by differences over steps of 0.001 / n."""
    options = ("--column", "x,u", "--statistic", "correlation", "--interval", "abc")
    found = bootfold("bootstrap", "law", *options, "--convention", "r", replicates=100)["interval"]
    return [
        Number(f"abc, {side}", found[side], of_r[f"abc {side}"][0], 1e-4, drawn=False)
        for side in ("low", "high")
    ]


def block_lengths(bootfold: Program) -> list[Number]:
    """Blocks of random length are shown with six digits, others as whole rows."""
    found = []
    for name, x in SERIES.items():
        theirs = optimal_block_length(x).iloc[0]
        for scheme in ("stationary", "circular"):
            plan = bootfold("bootstrap", name, "--scheme", scheme, replicates=100)["plan"]
            ours = float(re.search(r"blocks of ([\d.]+) row", plan["scheme"]).group(1))
            near = 1e-4 if scheme == "stationary" else 0.5001
            found.append(Number(f"{scheme} {name}", ours, theirs[scheme], near, drawn=False))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="the bootfold to test")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bootfold_corners_") as name:
        folder = Path(name)
        for data, table in DATA.items():
            rows = zip(*table.values(), strict=True)
            lines = [",".join(table), *(",".join(f"{v:.17g}" for v in row) for row in rows)]
            (folder / f"{data}.csv").write_text("\n".join(lines) + "\n")
        of_r = r_values(folder)
        bootfold = Program(arguments.program, folder)
        numbers = [
            *shared_clusters(bootfold, of_r),
            *thirds(bootfold),
            *permutations(bootfold),
            *far_from_zero(bootfold),
            *two_values(bootfold, of_r),
            *abc(bootfold, of_r),
            *block_lengths(bootfold),
        ]
    allowed = largest_allowed(sum(n.drawn for n in numbers), ALARM)
    bad = 0
    for n in numbers:
        too_far = not n.distance() <= (allowed if n.drawn else 1)
        bad += too_far
        kind = "Monte Carlo standard errors" if n.drawn else "of what is allowed"
        print(
            f"{'too far: ' if too_far else ''}{n.name}: bootfold {n.ours:.9g}, peer "
            f"{n.theirs:.9g}, {n.distance():.2f} {kind}",
            file=sys.stderr if too_far else sys.stdout,
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
