"""Ensembles of networks of every shape: GFLOP/s, share of peak, memory, ratios to JAX and torch.

    make bench-networks                                         all, at every instruction set
    .venv-bench/bin/python bench/networks.py --only train:784-128-10:128:1:6e4 --levels avx2

Each program runs alone, in a process of its own. The peak is that of fused multiply-adds with the
vectors of the same instruction set, measured by the engine between its runs. JAX and torch are
limited to the same instruction set, as far as they can be (their settings for AVX2 leave libraries
that are compiled into them as they are); torch takes part if it is installed.

The time of a training in bootfold is that of all of it: describing, standardizing and copying the
rows, drawing resamples, the steps, and predictions out of bag. Peers are timed for the steps alone,
with rows that lie ready. So there are two columns: "whole", and "steps", the time that as many
steps again take. Prints a Markdown table and writes it to bench/results/.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from dataclasses import asdict

from compare import ENGINE, PEERS, RESULTS, Comparison, Row, machine, say_machine, say_memory, write
from goals import LEAST_RATIO, LEAST_SHARE
from peers.networks import NETWORKS, NetworkWork
from tables import markdown_table, say_duration, say_number

EPOCHS = [f"train:784-128-10:128:{members}:6e4" for members in (1, 10, 100)]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="W1,W2", help="work as in bench/ensemble_work.h")
    parser.add_argument("--levels", default="avx2,avx512", metavar="L1,L2")
    parser.add_argument("--peers", default="jax_scan,torch", metavar="P1,P2")
    parser.add_argument("--seconds", type=float, default=3.0, help="per measurement (default 3)")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for one program")
    parser.add_argument("--engine", default=str(ENGINE), help="the engine_bench to measure")
    return parser.parse_args()


def installed(peer: str) -> bool:
    return peer != "torch" or importlib.util.find_spec("torch") is not None


def supported(level: str) -> bool:
    """The engine takes the default for levels that it does not know; so they are left out here."""
    flag = {"avx2": "avx2", "avx512": "avx512vbmi"}.get(level)
    try:
        with open("/proc/cpuinfo") as info:
            return flag is None or flag in info.read().split()
    except OSError:
        return flag is None


#: What keeps a peer from instructions beyond a level.
LIMITS = {
    "avx2": [
        "XLA_FLAGS=--xla_cpu_max_isa=AVX2",
        "ONEDNN_MAX_CPU_ISA=AVX2",
        "ATEN_CPU_CAPABILITY=avx2",
        "MKL_ENABLE_INSTRUCTIONS=AVX2",
    ]
}


def judged(row: Row, goal: str, whole: bool, steps: bool) -> None:
    """Steps count beside peers, whose times are those of steps."""
    row.goal = goal
    row.met = whole or steps
    row.report["met_by"] = "" if whole or not steps else "steps"


def measure(comparison: Comparison, work: NetworkWork, levels: list[str], peers: list) -> None:
    for level in levels:
        own = comparison.measure_engine(work, f"bootfold, {level}", "--simd", level)
        least = LEAST_SHARE.get(work.name)
        share, steps_share = own.report.get("share"), own.report.get("steps_share")
        if least is not None and share is not None:
            steps = (steps_share or 0) >= least
            judged(own, f"at least {least:.0%} of peak", share >= least, steps)
        for peer in peers:
            if work.statistic not in peer.statistics:
                continue
            command = [*(["env", *LIMITS[level]] if level in LIMITS else []), *peer.command()]
            row = comparison.measure(work, f"{peer.title}, {level}", command)
            if not own.rate or not row.rate or not row.whole_job_seconds:
                continue
            row.ratio = own.rate / row.rate
            steps = row.whole_job_seconds / own.report.get("steps_seconds", own.whole_job_seconds)
            row.report["steps_ratio"] = steps
            least = LEAST_RATIO.get((work.name, peer.name))
            if least is not None:
                judged(row, f"at least {least} x", row.ratio >= least, steps >= least)


def cells(row: Row) -> list[str]:
    report = row.report
    share, steps_share = report.get("share"), report.get("steps_share")
    steps = report.get("steps_seconds")
    ratio, steps_ratio = row.ratio, report.get("steps_ratio")
    met = {True: "yes", False: "NO", None: ""}[row.met]
    return [
        row.workload,
        row.program,
        row.error or say_duration(row.whole_job_seconds),
        say_duration(steps) if steps else "",
        say_number(report["gflops"]) if "gflops" in report else "",
        f"{share:.1%}" if share else "",
        f"{steps_share:.1%}" if steps_share else "",
        say_memory(row),
        f"{say_number(ratio)} x" if ratio else "",
        f"{say_number(steps_ratio)} x" if steps_ratio else "",
        row.goal,
        "by steps" if row.met and report.get("met_by") else met,
    ]


def main() -> None:
    arguments = parse()
    comparison = Comparison(arguments.engine, arguments.seconds, arguments.timeout)
    levels = [level for level in arguments.levels.split(",") if supported(level)]
    peers = [PEERS[name] for name in arguments.peers.split(",") if name and installed(name)]
    load = os.getloadavg()[0]
    for name in arguments.only.split(",") if arguments.only else [*EPOCHS, *NETWORKS]:
        measure(comparison, NetworkWork(name), levels, peers)
    rows = comparison.rows
    facts = machine(rows)
    header = ["work", "program", "time", "steps", "GFLOP/s", "of peak", "steps, of peak", "memory"]
    header += ["ratio", "ratio of steps", "goal", "met"]
    text = markdown_table(header, [cells(row) for row in rows]) + f"\n\n> {say_machine(facts)}\n"
    print(text, end="")
    if load > 0.5:
        print(f"the machine was busy: its load was {load:.1f}", file=sys.stderr)
    write(RESULTS / "networks.md", text)
    written = {"machine": facts, "load_before": load, "rows": [asdict(row) for row in rows]}
    write(RESULTS / "networks.json", json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    main()
