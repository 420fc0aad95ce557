"""Statistics as expressions beside the same statistics by name: the ratio of their times.

    bench/expressions.py                     10^6 rows, all pairs, about two minutes
    bench/expressions.py --only median       pairs whose names contain this

The time of a replicate is the slope between two runs, in seconds of the processor, and the runs of
a pair are made in turn; the best of three counts. "start" is the ratio of runs with 4 replicates:
reading, computing columns, looking at the rows. Needs NumPy and 'make bench-ready'.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cliffs import PROGRAM, ROWS, make_data
from tables import markdown_table

MOST = 1.5
REPEATS = 3


@dataclass(frozen=True)
class Pair:
    name: str
    data: str
    by_name: str
    expression: str

    def command(self, program: Path, folder: Path, expression: bool, replicates: int) -> list[str]:
        file = str(folder / f"{self.data}.npy")
        asked = ["--statistic", self.expression] if expression else self.by_name.split()
        return [
            str(program),
            "bootstrap",
            file,
            *asked,
            "--seed=1",
            "--quiet",
            f"--replicates={replicates}",
        ]


def named(statistic: str, columns: str = "1") -> str:
    return f"--column {columns} --statistic {statistic}"


PAIRS = [
    Pair("mean", "normal", named("mean"), "mean(`1`)"),
    Pair("variance", "normal", named("variance"), "variance(`1`)"),
    Pair("standard_deviation", "normal", named("standard_deviation"), "sqrt(variance(`1`))"),
    Pair("ratio", "two", named("ratio", "1,2"), "sum(`1`) / sum(`2`)"),
    Pair(
        "correlation",
        "two",
        named("correlation", "1,2"),
        "covariance(`1`, `2`) / sd(`1`) / sd(`2`)",
    ),
    Pair("geometric_mean", "lognormal", named("geometric_mean"), "exp(mean(log(`1`)))"),
    Pair("proportion:0.5", "normal", named("proportion:0.5"), "mean(`1` > 0.5)"),
    Pair("median", "normal", named("median"), "median(`1`)"),
    Pair(
        "interquartile_range",
        "normal",
        named("interquartile_range"),
        "quantile(`1`, 0.75) - quantile(`1`, 0.25)",
    ),
    Pair("trimmed_mean:0.1", "normal", named("trimmed_mean:0.1"), "trimmed_mean(`1`, 0.1)"),
    Pair("mad", "lognormal", named("mad"), "mad(`1`)"),
    Pair("gini", "lognormal", named("gini"), "gini(`1`)"),
    Pair("spearman", "two", named("spearman", "1,2"), "spearman(`1`, `2`)"),
    Pair(
        "mean and median, --joint",
        "normal",
        "--column 1 --statistic mean --statistic median --joint",
        "median(`1`) / mean(`1`)",
    ),
]


def seconds(command: list[str]) -> float:
    """Processor time of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def best(program: Path, pair: Pair, folder: Path, replicates: int) -> tuple[float, float]:
    """Of the name, of the expression."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(REPEATS):
        for own, expression in zip(times, (False, True), strict=True):
            own.append(seconds(pair.command(program, folder, expression, replicates)))
    return min(times[0]), min(times[1])


def ratios(program: Path, pair: Pair, folder: Path, budget: float) -> tuple[float, float, float]:
    """Of the time of a replicate, and of the start; then the seconds of a replicate by name."""
    few = best(program, pair, folder, 4)
    replicates = 40
    while True:
        took = seconds(pair.command(program, folder, False, replicates)) - few[0]
        if took >= budget / 2:
            break
        replicates = int(replicates * min(16, 0.5 + budget / max(took, budget / 32))) + 1
    many = best(program, pair, folder, replicates)
    slopes = [(long - short) / (replicates - 4) for long, short in zip(many, few, strict=True)]
    return slopes[1] / slopes[0], few[1] / few[0], slopes[0]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("--only", default="", help="part of the name of a pair")
    parser.add_argument("--seconds", type=float, default=2, help="of the processor, of a run (2)")
    chosen = parser.parse_args(arguments)
    if not chosen.program.exists():
        told = f"there is no {chosen.program}; 'make bench-ready' builds it"
        print(f"expressions: {told}", file=sys.stderr)
        return 2
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_data(folder)
        for pair in PAIRS:
            if chosen.only not in pair.name:
                continue
            ratio, start, each = ratios(chosen.program, pair, folder, chosen.seconds)
            met = "yes" if ratio <= MOST else "no"
            took = f"{each * 1e6:.3g}"
            plain = pair.expression.replace("`1`", "x").replace("`2`", "y")
            rows.append([pair.name, f"`{plain}`", took, f"{ratio:.2f}", f"{start:.2f}", met])
            print("  ".join(rows[-1]), file=sys.stderr)
    head = ["by name", "expression", "us a replicate", "ratio", "start", f"at most {MOST}"]
    print(markdown_table(head, rows))
    print(f"\n{ROWS:,} rows; microseconds of the processor, by name.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
