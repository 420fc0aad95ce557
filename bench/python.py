"""The Python package beside the engine, SciPy, NumPy and scikit-learn: ratios in one run.

    make bench-python                                about ten minutes
    bench/python.py --quick                          short measurements, fewer networks
    bench/python.py --only call,import

Every piece of work (bench/python_work.py) runs in a process of its own, in turn with what it is
compared with, three times; the best of each counts. Prints one table and writes it to
bench/results/ as python.md and python.json. Memory is what the work added to a process that had its
data.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from compare import BENCH, ENGINE, RESULTS, machine, run, say_machine, write
from tables import markdown_table, say_duration, say_number, text_table

PACKAGE = BENCH.parent / "build/release/python"
BUDGET = 64 << 20  # the default of memory=
IMPORT = (
    "import json, sys, time; start = time.perf_counter(); import bootfold; "
    "took = time.perf_counter() - start; "
    "more = [m for m in ('scipy', 'pandas', 'sklearn', 'altair', 'tqdm') if m in sys.modules]; "
    "print(json.dumps({'seconds': took, 'optional': more}))"
)


@dataclass
class Row:
    work: str
    ours: str
    theirs: str
    seconds: float | None = None
    their_seconds: float | None = None
    projected: bool = False  # the others' time
    ratio: float | None = None
    memory: int | None = None
    their_memory: int | None = None
    goal: str = ""
    met: bool | None = None
    error: str = ""
    report: dict = field(default_factory=dict)


class Bench:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.seconds = arguments.seconds
        self.rounds = arguments.rounds
        self.timeout = arguments.timeout
        self.engine = arguments.engine
        self.members = arguments.members
        self.rows: list[Row] = []

    def _run(self, command: list[str]) -> dict:
        report, _, error = run(command, self.timeout)
        return report if report else {"error": error}

    def work(self, name: str, **options: object) -> dict:
        print(f"{name} ...", file=sys.stderr, flush=True)
        words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
        command = [sys.executable, str(BENCH / "python_work.py"), name]
        return self._run([*command, "--seconds", str(self.seconds), *words])

    def engine_work(self, name: str) -> dict:
        print(f"engine_bench {name} ...", file=sys.stderr, flush=True)
        return self._run([self.engine, "--workload", name, "--seconds", str(self.seconds)])

    def in_turn(self, *programs: object) -> list[dict]:
        """The best report of each, all of them run in turn, as the machine wavers."""
        rounds = [[program() for program in programs] for _ in range(self.rounds)]
        best = []
        for reports in zip(*rounds, strict=True):
            good = [report for report in reports if "seconds" in report]
            best.append(min(good, key=lambda report: report["seconds"]) if good else reports[-1])
        return best

    def row(self, work: str, names: tuple[str, str], ours: dict, theirs: dict | None) -> Row:
        """What was found; `theirs` may be a share of the whole."""
        row = Row(work, *names, seconds=ours.get("seconds"), memory=ours.get("grown_bytes"))
        row.report = {"version": (theirs or ours).get("version"), "ours": ours, "theirs": theirs}
        row.error = ours.get("error", "") or (theirs or {}).get("error", "")
        if theirs and "seconds" in theirs:
            share = theirs.get("share", 1)
            row.their_seconds = theirs["seconds"] / share
            row.projected = share != 1
            row.their_memory = theirs.get("grown_bytes")
            if row.seconds:
                row.ratio = row.their_seconds / row.seconds
        self.rows.append(row)
        return row

    def least(self, row: Row, ratio: float) -> None:
        row.goal = f"at least {ratio:g} x"
        row.met = row.ratio is not None and row.ratio >= ratio

    def most(self, row: Row, seconds: float) -> None:
        row.goal = f"at most {say_duration(seconds)}"
        row.met = row.seconds is not None and row.seconds <= seconds

    # The table.

    def mean(self) -> None:
        engine = self.engine_work("mean_1e6")
        replicates = engine.get("replicates", 10_000)

        def same_work() -> dict:
            report = self.engine_work("mean_1e6")
            if "rate" in report:
                report["seconds"] = 1e6 * replicates / report["rate"]
            return report

        ours, theirs = self.in_turn(lambda: self.work("mean", replicates=replicates), same_work)
        names = ('bf.bootstrap(x, "mean")', "C++ engine")
        row = self.row(f"mean of 1,000,000, {replicates:,} replicates", names, ours, theirs)
        row.goal = "at most 1.1 x the time"
        row.met = row.ratio is not None and row.ratio >= 1 / 1.1

    def call(self) -> None:
        alone, interval, door, scipy = self.in_turn(
            lambda: self.work("call"),
            lambda: self.work("call_interval"),
            lambda: self.work("stats_call"),
            lambda: self.work("scipy_call"),
        )
        work = "mean of 20, 1000 replicates"
        self.most(self.row(work, ('bf.bootstrap(x, "mean")', ""), alone, None), 0.2e-3)
        names = ("the same and .interval()", "SciPy, percentile")
        self.least(self.row(work, names, interval, scipy), 5)
        self.row(work, ("bf.stats.bootstrap, percentile", "SciPy, percentile"), door, scipy)

    def stats_mean(self) -> None:
        ours, scipy = self.in_turn(lambda: self.work("stats_mean"), lambda: self.work("scipy_mean"))
        names = ("bf.stats.bootstrap, np.mean", "SciPy")
        self.least(self.row("BCa of a mean of 1000, 9999 resamples", names, ours, scipy), 50)

    def function(self) -> None:
        ours, scipy, batch = self.in_turn(
            lambda: self.work("stats_function"),
            lambda: self.work("scipy_function"),
            lambda: self.work("scipy_function_batch"),
        )
        work = "BCa of a callable on 10,000, 9999 resamples"
        name = "bf.stats.bootstrap, lambda x, axis"
        row = self.row(work, (name, "SciPy"), ours, scipy)
        self.least(row, 2)
        row.goal += ", memory at most 64 MiB"
        row.met = row.met and row.memory is not None and row.memory <= BUDGET
        self.least(self.row(work, (name, "SciPy, batch=100"), ours, batch), 2)

    def regression(self) -> None:
        loop = [sys.executable, str(BENCH / "peers/numpy_loop.py")]
        loop += ["--workload", "regression5_1e6", "--seconds", str(self.seconds)]

        def numpy() -> dict:
            print("numpy_loop regression5_1e6 ...", file=sys.stderr, flush=True)
            report = self._run(loop)
            if "rate" in report:
                report["seconds"] = 1e6 * 1000 / report["rate"]
            return report

        ours, theirs = self.in_turn(lambda: self.work("regression", replicates=1000), numpy)
        names = ("bf.sums", "NumPy loop")
        row = self.row("regression on 5 x, n = 1,000,000, 1000 replicates", names, ours, theirs)
        row.projected = theirs.get("replicates", 1000) != 1000
        self.least(row, 50)

    def ensemble(self) -> None:
        bagging = self.work("bagging", members=self.members)  # takes minutes: once
        (ours,) = self.in_turn(lambda: self.work("ensemble"))
        names = ("bf.EnsembleClassifier", "BaggingClassifier(MLPClassifier), n_jobs=-1")
        row = self.row("100 networks 64-32-10 on digits", names, ours, bagging)
        self.least(row, 20)
        if "accuracy" in ours and "accuracy" in bagging:
            row.work += f" (accuracy {ours['accuracy']:.3f}, {bagging['accuracy']:.3f})"

    def jackknife(self) -> None:
        ours, theirs = self.in_turn(lambda: self.work("jackknife"), lambda: self.work("predict"))
        names = ('predict_interval("jackknife+")', "predict")
        work = "jackknife+ of 44,000 rows, 100 networks 9-32-1 of 10,000 rows"
        row = self.row(work, names, ours, theirs)
        row.ratio = None
        self.most(row, 1.0)

    def import_time(self) -> None:
        def bare() -> dict:
            return self._run([sys.executable, "-c", IMPORT])

        def numpy() -> dict:
            return self._run(
                [sys.executable, "-c", IMPORT.replace("import bootfold", "import numpy")]
            )

        bare()
        (ours, theirs) = self.in_turn(*[bare, numpy])
        row = self.row("import", ("import bootfold", "import numpy"), ours, theirs)
        row.ratio = None
        self.most(row, 0.15)
        if ours.get("optional"):
            row.met = False
            row.error = "imports " + ", ".join(ours["optional"])


WORK = {
    "mean": Bench.mean,
    "call": Bench.call,
    "stats_mean": Bench.stats_mean,
    "function": Bench.function,
    "regression": Bench.regression,
    "ensemble": Bench.ensemble,
    "jackknife": Bench.jackknife,
    "import": Bench.import_time,
}

HEADER = ["work", "bootfold", "time", "memory", "beside", "time", "memory", "ratio", "goal", "met"]


def say_time(seconds: float | None, projected: bool = False) -> str:
    if seconds is None:
        return ""
    return ("~" if projected else "") + say_duration(seconds)


def say_memory(grown: int | None) -> str:
    return "" if grown is None else f"{grown / 1e6:,.0f} MB"


def cells(rows: list[Row]) -> list[list[str]]:
    return [
        [
            row.work,
            row.ours,
            say_time(row.seconds),
            say_memory(row.memory),
            row.theirs,
            say_time(row.their_seconds, row.projected),
            say_memory(row.their_memory),
            row.error or ("" if row.ratio is None else f"{say_number(row.ratio)} x"),
            row.goal,
            {True: "yes", False: "NO", None: ""}[row.met],
        ]
        for row in rows
    ]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="W1,W2", help="work: " + ", ".join(WORK))
    parser.add_argument("--seconds", type=float, default=2.0, help="per measurement (default 2)")
    parser.add_argument("--rounds", type=int, default=3, help="turns (default 3)")
    parser.add_argument("--members", type=int, default=100, help="networks of scikit-learn's")
    parser.add_argument("--quick", action="store_true", help="0.3 seconds, one turn, 6 networks")
    parser.add_argument("--check", action="store_true", help="exit 1 if a goal is not met")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one program")
    parser.add_argument("--engine", default=str(ENGINE), help="the engine_bench to measure")
    parser.add_argument("--package", default=str(PACKAGE), help="the folder that has bootfold/")
    arguments = parser.parse_args()
    arguments.only = arguments.only.split(",") if arguments.only else list(WORK)
    for name in arguments.only:
        if name not in WORK:
            parser.error(f"there is no work '{name}'; there are {', '.join(WORK)}")
    if arguments.quick:
        arguments.seconds, arguments.rounds, arguments.members = 0.3, 1, 6
    if not (Path(arguments.package) / "bootfold").is_dir():
        parser.error(f"there is no bootfold in {arguments.package}; 'make bench-python' builds it")
    return arguments


def main() -> int:
    arguments = parse()
    os.environ["PYTHONPATH"] = arguments.package
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"the machine is busy (load {load:.1f}): ratios will be off", file=sys.stderr)
    bench = Bench(arguments)
    for name in arguments.only:
        WORK[name](bench)
    rows = bench.rows
    facts = machine(rows)
    facts["versions"] = sorted({one for said in facts["versions"] for one in said.split(", ")})
    print(text_table(HEADER, cells(rows)))
    print("\n" + say_machine(facts))
    table = markdown_table(HEADER, cells(rows))
    write(RESULTS / "python.md", table + "\n\n> " + say_machine(facts) + "\n")
    written = {"machine": facts, "load_before": load, "rows": [asdict(row) for row in rows]}
    write(RESULTS / "python.json", json.dumps(written, indent=2) + "\n")
    missed = [row for row in rows if row.goal and row.met is not True]
    if missed:
        print(f"{len(missed)} goals are not met or could not be measured", file=sys.stderr)
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
