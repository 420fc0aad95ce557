"""bootfold against its peers: same sizes, same statistics, one machine, one run.

    make bench                                       everything, about a quarter of an hour
    bench/compare.py --quick                         short measurements, a few minutes
    bench/compare.py --only mean_5e6,mean_1e3 --peers jax,tsbootstrap
    bench/compare.py --only networks                 ensembles of small networks alone
    bench/compare.py --only cliffs                   kinds of work beside a mean (bench/cliffs.py)
    bench/compare.py --readme                        the table of the README

Each program runs in a process of its own, so one that crashes or runs out of memory loses its row
and nothing else. Prints one table and writes it to bench/results/ as compare.md and compare.json.
Rates are rows x replicates per second. The whole job, a million replicates, would take most peers
hours or days: such a time is projected from the rate and marked with "~". Networks have a table of
their own, with operations of the dense layers a second and their share of what the machine can do.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import cliffs
from goals import LEAST_RATIO, MOST_SECONDS, for_level
from peers.networks import NETWORKS, NetworkWork, is_network
from peers.workloads import WORKLOADS, Workload
from tables import markdown_table, say_duration, say_number, text_table

BENCH = Path(__file__).resolve().parent
ENGINE = BENCH.parent / "build/release/bench/engine_bench"
RESULTS = BENCH / "results"

MEANS = {"mean"}
ONE_COLUMN = {"mean", "median", "variance"}
ALL = ONE_COLUMN | {"correlation", "regression"}


@dataclass(frozen=True)
class Peer:
    name: str
    title: str
    script: str
    statistics: set[str]

    def command(self) -> list[str]:
        path = str(BENCH / "peers" / self.script)
        return ["Rscript", "--vanilla", path] if path.endswith(".R") else [sys.executable, path]


PEERS = {
    peer.name: peer
    for peer in [
        Peer("jax", "JAX", "jax_map.py", ALL),
        Peer("jax_groups", "JAX, groups", "jax_groups.py", MEANS),
        Peer("numpy", "NumPy loop", "numpy_loop.py", ALL | {"cluster", "bayesian"}),
        Peer("scipy", "SciPy", "scipy_bootstrap.py", ONE_COLUMN | {"correlation"}),
        Peer("scipy_tuned", "SciPy, best batch", "scipy_tuned.py", MEANS),
        Peer("arch", "arch", "arch_iid.py", ALL | {"stationary"}),
        Peer("numba", "numba prange", "numba_prange.py", ALL),
        Peer("tsbootstrap", "tsbootstrap", "tsbootstrap_compiled.py", ONE_COLUMN | {"stationary"}),
        Peer("r", "R boot", "boot.R", ALL),
        Peer("jax_scan", "JAX, vmap", "jax_networks.py", {"train", "predict"}),
        Peer("jax_loop", "JAX, vmap, Python loop", "jax_networks_loop.py", {"train"}),
        Peer("torch", "torch, batched", "torch_networks.py", {"train", "predict"}),
        Peer("sklearn", "scikit-learn Bagging", "sklearn_bagging.py", {"train"}),
    ]
}

README_WORKLOADS = ["binary_mean_5e6", "mean_5e6", "median_5e6"]
README_PEERS = ["tsbootstrap", "numba", "jax", "scipy", "r"]


@dataclass
class Row:
    """One program on one workload, beside the rate that it is compared with."""

    workload: str
    program: str
    rate: float | None = None
    whole_job_seconds: float | None = None
    projected: bool = False
    peak_memory_bytes: int | None = None
    ratio: float | None = None
    goal: str = ""
    met: bool | None = None
    error: str = ""
    report: dict = field(default_factory=dict)


def run(command: list[str], timeout: float) -> tuple[dict, int, str]:
    """Runs one program; returns its JSON report, its peak memory and, if it failed, why."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command, stdout=output, stderr=errors, start_new_session=True
            )
        except OSError as error:
            return {}, 0, f"{command[0]}: {error.strerror}"
        timer = threading.Timer(timeout, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        late = not timer.is_alive()
        timer.cancel()
        peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        if late:
            return {}, peak, f"stopped after {timeout:.0f} s"
        output.seek(0)
        errors.seek(0)
        lines = output.read().decode(errors="replace").strip().splitlines()
        if process.returncode != 0:
            said = errors.read().decode(errors="replace").strip().splitlines() or ["no message"]
            return {}, peak, f"exit {process.returncode}: {said[-1][:200]}"
        try:
            return json.loads(lines[-1]), peak, ""
        except (IndexError, ValueError):
            return {}, peak, "printed no JSON"


class Comparison:
    def __init__(self, engine: str, seconds: float, timeout: float) -> None:
        self.engine = engine
        self.seconds = seconds
        self.timeout = timeout
        self.rows: list[Row] = []
        self.level = ""  # the instruction set of the engine

    def measure(self, workload: Workload | NetworkWork, program: str, command: list[str]) -> Row:
        print(f"{workload.name}: {program} ...", file=sys.stderr, flush=True)
        command = [*command, "--workload", workload.name, "--seconds", str(self.seconds)]
        report, peak, error = run(command, self.timeout)
        row = Row(workload.name, program, peak_memory_bytes=peak, error=error, report=report)
        if report:
            row.rate = report["rate"]
            row.whole_job_seconds = workload.work / row.rate
            row.projected = report["replicates"] < workload.replicates
        self.rows.append(row)
        return row

    def measure_engine(
        self, workload: Workload | NetworkWork, title: str = "bootfold", *options: str
    ) -> Row:
        row = self.measure(workload, title, [self.engine, *options])
        self.level = row.report.get("simd", "")
        return row

    def measure_peer(self, workload: Workload | NetworkWork, peer: Peer, bootfold: Row) -> None:
        row = self.measure(workload, peer.title, peer.command())
        least = for_level(LEAST_RATIO.get((workload.name, peer.name)), self.level)
        if least is not None:
            row.goal = f"at least {least} x"
        if row.rate and bootfold.rate:
            row.ratio = bootfold.rate / row.rate
            row.met = None if least is None else row.ratio >= least

    def compare(self, workload: Workload | NetworkWork, peers: list[Peer]) -> None:
        bootfold = self.measure_engine(workload)
        if workload.name in MOST_SECONDS:
            most = for_level(MOST_SECONDS[workload.name], self.level)
            bootfold.goal = f"at most {most:g} s"
            if bootfold.whole_job_seconds:
                bootfold.met = bootfold.whole_job_seconds <= most
        for peer in peers:
            if workload.statistic in peer.statistics:
                self.measure_peer(workload, peer, bootfold)

    def compare_engine(self, fast: Row, slow: Row, least: float | None) -> None:
        """The ratio fast / slow, told in the row of `fast`."""
        if least is not None:
            fast.goal = f"at least {least:.2f} x"
        if fast.rate and slow.rate:
            fast.ratio = fast.rate / slow.rate
            fast.met = None if least is None else fast.ratio >= least

    def compare_callable(self) -> None:
        """A callable on the resample takes at most 1.5 times as long as the bare resample."""
        gather = self.measure_engine(WORKLOADS["gather_1e5"], "bootfold, bare gather")
        function = self.measure_engine(WORKLOADS["callable_1e5"], "bootfold, callable / gather")
        self.compare_engine(function, gather, 1 / 1.5)

    def compare_strata(self) -> None:
        """Ten strata take at most 1.5 times as long as none."""
        plain, strata = self._in_turn(
            (WORKLOADS["mean_1e6"], "bootfold, no strata"),
            (WORKLOADS["stratified_1e6"], "bootfold, 10 strata / none"),
        )
        self.compare_engine(strata, plain, 1 / 1.5)

    def _in_turn(self, *works: tuple[Workload, str]) -> list[Row]:
        """Our own workloads, each three times in turn: the best of each, as the machine wavers."""
        measured = [[self.measure_engine(*work) for work in works] for _ in range(3)]
        best = [max(rows, key=lambda row: row.rate or 0) for rows in zip(*measured, strict=True)]
        self.rows = [row for row in self.rows if not any(row in rows for rows in measured)] + best
        return best

    def compare_one_network(self) -> None:
        """A hundred networks take less time than JAX's Python loop takes for one."""
        one = NetworkWork("train:2-32-2:full:1")
        peer = PEERS["jax_loop"]
        many = self.measure_engine(NetworkWork("train:2-32-2:full:100"), "bootfold, 100 networks")
        loop = self.measure(one, f"{peer.title} / bootfold, 100 networks", peer.command())
        loop.goal = "more than 1 x"
        if loop.whole_job_seconds and many.whole_job_seconds:
            loop.ratio = loop.whole_job_seconds / many.whole_job_seconds
            loop.met = loop.ratio > 1

    def compare_folds(self) -> None:
        """Ten times the members, folded, take ten times as long and no more memory."""
        few = self.measure_engine(NetworkWork("fold:2-32-2:32:1e4"))
        many = self.measure_engine(NetworkWork("fold:2-32-2:32:1e5"))
        many.goal = "at least 0.9 x the rate, at most 1.1 x the memory"
        if few.rate and many.rate:
            many.ratio = many.rate / few.rate
            memory = many.peak_memory_bytes / few.peak_memory_bytes
            many.met = many.ratio >= 0.9 and memory <= 1.1

    def compare_threads(self) -> None:
        workload = WORKLOADS["mean_5e6"]
        one = self.measure_engine(workload, "bootfold, 1 thread", "--threads", "1")
        two = self.measure_engine(workload, "bootfold, 2 threads / 1", "--threads", "2")
        self.compare_engine(two, one, 1.85)

    def compare_levels(self) -> None:
        workload = WORKLOADS["mean_5e6"]
        best = self.measure_engine(workload, "bootfold, best level")
        simd = best.report.get("simd") or "best"
        best.program = f"bootfold, {simd}"
        for level, least in (("avx2", 1 / 3 if simd == "avx512" else None), ("portable", None)):
            if level != simd:
                row = self.measure_engine(workload, f"bootfold, {level} / {simd}", "--simd", level)
                self.compare_engine(row, best, least)


EXTRAS = {
    "callable_1e5": Comparison.compare_callable,
    "stratified_1e6": Comparison.compare_strata,
    "one_network": Comparison.compare_one_network,
    "folds": Comparison.compare_folds,
    "threads": Comparison.compare_threads,
    "levels": Comparison.compare_levels,
}


def processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine(rows: list[Row]) -> dict:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = sorted({row.report["version"] for row in rows if row.report.get("version")})
    levels = sorted({row.report["simd"] for row in rows if row.report.get("simd")})
    return {
        "processor": processor(),
        "cores": cores,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": versions,
        "simd": levels,
    }


def say_machine(facts: dict) -> str:
    return f"{facts['processor']}, {facts['cores']} cores; Python {facts['python']}, " + ", ".join(
        facts["versions"]
    )


def say_job(row: Row) -> str:
    if row.whole_job_seconds is None:
        return ""
    return ("~" if row.projected else "") + say_duration(row.whole_job_seconds)


def say_memory(row: Row) -> str:
    return f"{row.peak_memory_bytes / 1e6:,.0f} MB" if row.peak_memory_bytes else ""


def say_ratio(row: Row) -> str:
    if row.error:
        return row.error
    return "" if row.ratio is None else f"{say_number(row.ratio)} x"


HEADER = ["workload", "program", "10^9/s", "whole job", "memory", "ratio", "goal", "met"]


def cells(rows: list[Row]) -> list[list[str]]:
    table = []
    for row in rows:
        if is_network(row.workload):
            continue
        table.append(
            [
                row.workload,
                row.program,
                "" if row.rate is None else say_number(row.rate / 1e9),
                say_job(row),
                say_memory(row),
                say_ratio(row),
                row.goal,
                {True: "yes", False: "NO", None: ""}[row.met],
            ]
        )
    return table


NETWORK_HEADER = ["work", "program", "time", "GFLOP/s", "of peak", *HEADER[4:]]


def network_cells(rows: list[Row]) -> list[list[str]]:
    rows = [row for row in rows if is_network(row.workload)]
    peak = max((row.report.get("peak_gflops", 0) for row in rows), default=0)
    table = []
    for row in rows:
        rate = row.report.get("gflops")
        table.append(
            [
                row.workload,
                row.program,
                say_job(row),
                "" if rate is None else say_number(rate),
                f"{rate / peak:.1%}" if rate and peak else "",
                say_memory(row),
                say_ratio(row),
                row.goal,
                {True: "yes", False: "NO", None: ""}[row.met],
            ]
        )
    return table


def tables(rows: list[Row], form: Callable[[list[str], list[list[str]]], str]) -> str:
    """That of the bootstrap and that of networks, as far as there are rows."""
    both = ((HEADER, cells(rows)), (NETWORK_HEADER, network_cells(rows)))
    return "\n\n".join(form(header, table) for header, table in both if table)


def readme_table(rows: list[Row]) -> str:
    """Programs down, the three jobs of the README across."""
    found = {(row.program, row.workload): row for row in rows}
    programs = ["bootfold"] + [PEERS[name].title for name in README_PEERS]
    table = []
    for program in programs:
        line = [found.get((program, name), Row(name, program)) for name in README_WORKLOADS]
        if any(row.rate for row in line):
            peak = max(line, key=lambda row: row.peak_memory_bytes or 0)
            table.append([program, *(say_job(row) or "-" for row in line), say_memory(peak)])
    header = ["5,000,000 values, 1,000,000 replicates"]
    header += ["mean of 0/1 values", "mean", "median", "peak memory"]
    return markdown_table(header, table)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    print(f"wrote {os.path.relpath(path)}", file=sys.stderr)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    alone = ("gather_1e5", "callable_1e5", "stratified_1e6", "mean_1e6")
    workloads = [name for name in WORKLOADS if name not in alone]
    workloads += [*NETWORKS, *EXTRAS]
    listed = ", ".join(["networks", *workloads])
    parser.add_argument("--only", metavar="W1,W2", help="workloads: " + listed)
    parser.add_argument("--peers", metavar="P1,P2", help="peers: " + ", ".join(PEERS))
    parser.add_argument("--seconds", type=float, default=3.0, help="per measurement (default 3)")
    parser.add_argument("--quick", action="store_true", help="0.5 seconds per measurement")
    parser.add_argument("--readme", action="store_true", help="only the table of the README")
    parser.add_argument("--check", action="store_true", help="exit 1 if a goal is not met")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one program")
    parser.add_argument("--engine", default=str(ENGINE), help="the engine_bench to measure")
    parser.add_argument("--against", help="with --only cliffs: another build of the program")
    arguments = parser.parse_args()
    if arguments.only == "cliffs":
        return arguments

    def chosen(given: str | None, known: list[str], default: list[str], what: str) -> list[str]:
        names = given.split(",") if given is not None else default
        names = [name for name in names if name]
        if "networks" in names:  # stands for all of them
            at = names.index("networks")
            names[at : at + 1] = [*NETWORKS, "one_network", "folds"]
        for name in names:
            if name not in known and not (what == "workload" and is_network(name)):
                parser.error(f"there is no {what} '{name}'; there are {', '.join(known)}")
        return names

    arguments.only = chosen(
        arguments.only, workloads, README_WORKLOADS if arguments.readme else workloads, "workload"
    )
    arguments.peers = chosen(
        arguments.peers, list(PEERS), README_PEERS if arguments.readme else list(PEERS), "peer"
    )
    if arguments.quick:
        arguments.seconds = 0.5
    if shutil.which(arguments.engine) is None:
        parser.error(f"there is no {os.path.relpath(arguments.engine)}; 'make bench' builds it")
    return arguments


def main() -> int:
    arguments = parse()
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"the machine is busy (load {load:.1f}): ratios will be off", file=sys.stderr)
    if arguments.only == "cliffs":
        return cliffs.main(["--against", arguments.against] if arguments.against else [])
    comparison = Comparison(arguments.engine, arguments.seconds, arguments.timeout)
    for name in arguments.only:
        if name in EXTRAS:
            EXTRAS[name](comparison)
        else:
            workload = NetworkWork(name) if is_network(name) else WORKLOADS[name]
            comparison.compare(workload, [PEERS[peer] for peer in arguments.peers])

    rows = comparison.rows
    facts = machine(rows)
    if arguments.readme:
        text = readme_table(rows) + "\n\n> " + say_machine(facts) + "\n"
        print(text, end="")
        write(RESULTS / "readme.md", text)
    else:
        print(tables(rows, text_table))
        print("\n" + say_machine(facts))
        write(
            RESULTS / "compare.md",
            tables(rows, markdown_table) + "\n\n> " + say_machine(facts) + "\n",
        )
    written = {
        "machine": facts,
        "load_before": load,
        "seconds": arguments.seconds,
        "rows": [asdict(row) for row in rows],
    }
    name = "readme.json" if arguments.readme else "compare.json"
    write(RESULTS / name, json.dumps(written, indent=2) + "\n")

    missed = [row for row in rows if row.goal and row.met is not True]
    if missed:
        print(f"{len(missed)} goals are not met or could not be measured", file=sys.stderr)
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
