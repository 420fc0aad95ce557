"""Ensembles of networks of every shape: GFLOP/s, share of peak, memory, ratios to JAX and torch.

    make bench-networks                                         all, at every instruction set
    .venv-bench/bin/python bench/networks.py --only train:784-128-10:128:1:6e4 --levels avx2

Each program runs alone, in a process of its own. The peak is that of fused multiply-adds with the
vectors of the same instruction set, measured by the engine between its runs. Peers use what the
processor has, and are measured once for all instruction sets, between those of the engine; torch
takes part if it is installed. Prints a Markdown table and writes it to bench/results/.
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


def measure(comparison: Comparison, work: NetworkWork, levels: list[str], peers: list) -> None:
    engine: list[Row] = []
    for level in levels:
        row = comparison.measure_engine(work, f"bootfold, {level}", "--simd", level)
        least = LEAST_SHARE.get(work.name)
        if least is not None and (share := row.report.get("share")) is not None:
            row.goal = f"at least {least:.0%} of peak"
            row.met = share >= least
        engine.append(row)
    for peer in peers:
        if work.statistic not in peer.statistics:
            continue
        row = comparison.measure(work, peer.title, peer.command())
        least = LEAST_RATIO.get((work.name, peer.name))
        if least is not None:
            row.goal = f"at least {least} x"
        ratios = [own.rate / row.rate for own in engine if own.rate and row.rate]
        row.report["ratios"] = ratios
        if least is not None and ratios:
            row.met = min(ratios) >= least


def cells(row: Row) -> list[str]:
    report = row.report
    share = report.get("share")
    return [
        row.workload,
        row.program,
        row.error or say_duration(row.whole_job_seconds),
        say_number(report["gflops"]) if "gflops" in report else "",
        f"{share:.1%}" if share else "",
        say_memory(row),
        ", ".join(f"{say_number(ratio)} x" for ratio in report.get("ratios", [])),
        row.goal,
        {True: "yes", False: "NO", None: ""}[row.met],
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
    ratios = "ratio of " + ", ".join(levels) if len(levels) > 1 else "ratio"
    header = ["work", "program", "time", "GFLOP/s", "of peak", "memory", ratios, "goal", "met"]
    text = markdown_table(header, [cells(row) for row in rows]) + f"\n\n> {say_machine(facts)}\n"
    print(text, end="")
    if load > 0.5:
        print(f"the machine was busy: its load was {load:.1f}", file=sys.stderr)
    write(RESULTS / "networks.md", text)
    written = {"machine": facts, "load_before": load, "rows": [asdict(row) for row in rows]}
    write(RESULTS / "networks.json", json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    main()
