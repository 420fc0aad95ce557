"""How many times slower than a plain mean each kind of work is, per replicate.

    bench/cliffs.py                                  10^6 rows, all kinds of work, a few minutes
    bench/cliffs.py --against OLD/bootfold           beside another build of the program
    bench/cliffs.py --only "mean and median"         kinds whose names contain this
    make bench BENCH_ARGS="--only cliffs"            the same by way of compare.py

The time of a replicate is the slope between two runs, best of three each, so that reading the file
and looking at the rows do not count. C++ callables are measured by engine_bench of the same build,
workloads symmetric_callable_1e6 and callable_1e6: the mean as a function of the resample. The
yardstick is the plain mean of the program given by --against, or of this one. Needs NumPy.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tables import markdown_table

PROGRAM = Path(__file__).resolve().parent.parent / "build/release/cli/bootfold"
ROWS = 1_000_000
REFUSED = float("inf")
ENGINE = "engine"  # in place of data: a workload of engine_bench


@dataclass(frozen=True)
class Work:
    name: str
    data: str
    arguments: str
    most: float  # the goal: times the plain mean of commit 2e7f43e

    def command(self, program: Path, folder: Path, replicates: int) -> list[str]:
        return [
            str(program),
            "bootstrap",
            str(folder / f"{self.data}.npy"),
            *self.arguments.split(),
            "--seed=1",
            "--quiet",
            f"--replicates={replicates}",
        ]


def statistics(*names: str) -> str:
    return " ".join(f"--statistic {name}" for name in names)


MEAN = Work("mean", "normal", statistics("mean"), 1)
SIX = statistics("mean", "standard_deviation", "median", "quantile:0.9", "trimmed_mean:0.1")
SIX += " " + statistics("interquartile_range")
SHAPES = statistics("mean", "variance", "skewness", "kurtosis")
WEIGHTED = "--column 1 --weights 2 --scheme weighted"
WORKS = [
    MEAN,
    Work("variance", "normal", statistics("variance"), 1.4),
    Work("four moments", "normal", SHAPES, 2),
    Work("correlation", "two", "--column 1,2 --statistic correlation", 2.2),
    Work("mean and median in one call", "normal", statistics("mean", "median"), 2),
    Work("trimmed_mean:0.1", "normal", statistics("trimmed_mean:0.1"), 2),
    Work("six statistics in one call", "normal", SIX, 4),
    Work("mad", "lognormal", statistics("mad"), 5),
    Work("gini", "lognormal", statistics("gini"), 5),
    Work("top_share:0.01", "lognormal", statistics("top_share:0.01"), 5),
    Work("mad, gini and median in one call", "lognormal", statistics("mad", "gini", "median"), 10),
    Work("spearman", "two", "--column 1,2 --statistic spearman", 20),
    Work("medians of two columns", "two", "--column 1,2 --statistic median", 10),
    Work("moments of lognormal(0, 3)", "lognormal", SHAPES, 5),
    Work("standard deviation of Cauchy data", "cauchy", statistics("standard_deviation"), 4),
    Work("mean of Cauchy data", "cauchy", statistics("mean"), 3),
    Work("regression on 5 columns", "six", "--column 1,2,3,4,5,6 --statistic regression", 6),
    Work("Bayesian mean", "normal", statistics("mean") + " --scheme bayesian", 6),
    Work("Bayesian median", "normal", statistics("median") + " --scheme bayesian", 12),
    Work("weighted mean", "weights", WEIGHTED, 30),
    Work("weighted median", "weights", WEIGHTED + " --statistic median", 12),
    Work("weighted mean and median", "weights", f"{WEIGHTED} {statistics('mean', 'median')}", 12),
    Work(
        "median under 200,000 clusters",
        "groups",
        "--column 1 --cluster 2 --statistic median",
        60,
    ),
    Work(
        "median under stationary blocks",
        "normal",
        "--scheme stationary --block-length 20 --statistic median",
        60,
    ),
    Work("mean in 200,000 strata", "groups", "--column 1 --strata 2", 12),
    Work("C++ callable, rows in any order", ENGINE, "symmetric_callable_1e6", 5),
    Work("C++ callable, rows as drawn", ENGINE, "callable_1e6", 5),
]


def make_data(folder: Path) -> None:
    random = np.random.default_rng(1)
    normal = random.normal(size=(ROWS, 6))
    group = np.sort(random.integers(0, ROWS // 5, size=ROWS)).astype(float)
    for name, values in {
        "normal": normal[:, 0],
        "two": normal[:, :2],
        "six": normal,
        "lognormal": np.exp(3 * normal[:, 0]),
        "cauchy": random.standard_cauchy(ROWS),
        "weights": np.column_stack([normal[:, 0], random.exponential(size=ROWS)]),
        "groups": np.column_stack([normal[:, 0], group]),
    }.items():
        np.save(folder / f"{name}.npy", np.asfortranarray(values))


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    nothing = subprocess.DEVNULL
    subprocess.run(command, check=True, stdout=nothing, stderr=subprocess.PIPE, text=True)
    return time.perf_counter() - start


def replicate_seconds(program: Path, work: Work, folder: Path, budget: float) -> float:
    """The slope between two runs that take about `budget` seconds; REFUSED if it is refused."""
    if work.data == ENGINE:
        return engine_seconds(program, work, budget)
    try:
        few = seconds(work.command(program, folder, 4))
        replicates = 40
        while (took := seconds(work.command(program, folder, replicates)) - few) < budget / 4:
            replicates = int(replicates * min(16, 0.5 + budget / max(took, budget / 32) / 2)) + 1
        few = min(seconds(work.command(program, folder, 4)) for _ in range(3))
        many = min(seconds(work.command(program, folder, replicates)) for _ in range(3))
    except subprocess.CalledProcessError as error:
        print(f"  {work.name}: {error.stderr.strip()}", file=sys.stderr)
        return REFUSED
    return (many - few) / (replicates - 4)


def engine_seconds(program: Path, work: Work, budget: float) -> float:
    """The time of a replicate in engine_bench; REFUSED if that build has no such workload."""
    bench = program.parent.parent / "bench" / "engine_bench"
    command = [str(bench), "--workload", work.arguments, "--seconds", f"{2 * budget:g}"]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        print(f"  {work.name}: not a workload of {bench}", file=sys.stderr)
        return REFUSED
    found = json.loads(done.stdout)
    return found["rows"] / found["rate"]


def said(ratio: float) -> str:
    return "refused" if ratio == REFUSED else f"{ratio:.2f}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("--against", type=Path, help="another build, whose mean is the yardstick")
    parser.add_argument("--only", default="", help="part of the name of the work")
    parser.add_argument("--seconds", type=float, default=1, help="of a run (1)")
    chosen = parser.parse_args(arguments)
    for program in filter(None, [chosen.program, chosen.against]):
        if not program.exists():
            print(f"cliffs: there is no {program}; 'make bench-ready' builds it", file=sys.stderr)
            return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_data(folder)
        yard = replicate_seconds(chosen.against or chosen.program, MEAN, folder, chosen.seconds)
        rows = []
        for work in WORKS:
            if chosen.only not in work.name:
                continue
            ratio = replicate_seconds(chosen.program, work, folder, chosen.seconds) / yard
            row = [work.name, said(ratio)]
            if chosen.against:
                then = replicate_seconds(chosen.against, work, folder, chosen.seconds) / yard
                row += [said(then), f"{work.most:g}", "yes" if ratio <= work.most else "no"]
            rows.append(row)
            print("  ".join(row), file=sys.stderr)
    head = ["work", "times the mean"]
    if chosen.against:
        head = ["work", "now", "then", "at most", "met"]
    print(markdown_table(head, rows))
    print(f"\n{ROWS:,} rows; the yardstick took {yard * 1e6:.0f} microseconds a replicate.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
