"""Time to train K networks, for many K: bootfold beside JAX, as a table and as a picture.

    make curve                                                  all
    .venv-bench/bin/python bench/curve.py --members 1,16 --seconds 0.1 --picture /tmp/curve.svg

2-32-2, Adam, 100 steps, full batches of 100 rows and bootstrapped batches of 32. Prints a Markdown
table for docs/performance.md, writes it with the numbers to bench/results/, and the picture to
docs/networks.svg.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from compare import BENCH, ENGINE, PEERS, RESULTS, Comparison, Row, machine, say_machine, write
from peers.networks import NetworkWork
from tables import markdown_table, say_duration, say_number

BATCHES = {"full": "full batches of 100", "32": "bootstrapped batches of 32"}
# Okabe and Ito's colours, which nearly all eyes tell apart, and a mark for those who do not.
STYLES = {
    "bootfold": {"color": "#0072B2", "marker": "o", "linewidth": 2.2},
    PEERS["jax_scan"].title: {"color": "#D55E00", "marker": "s"},
    PEERS["jax_loop"].title: {"color": "#E69F00", "marker": "^"},
}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--members", default="1,16,100,1000,10000", metavar="K1,K2")
    parser.add_argument("--layers", default="2-32-2", help="units of the layers")
    parser.add_argument("--peers", default="jax_scan,jax_loop", metavar="P1,P2")
    parser.add_argument("--seconds", type=float, default=1.0, help="per measurement (default 1)")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one program")
    parser.add_argument("--engine", default=str(ENGINE), help="the engine_bench to measure")
    parser.add_argument("--picture", type=Path, default=BENCH.parent / "docs/networks.svg")
    return parser.parse_args()


def work_of(layers: str, batch: str, members: int) -> NetworkWork:
    return NetworkWork(f"train:{layers}:{batch}:{members}")


def table(rows: list[Row]) -> str:
    peak = max((row.report.get("peak_gflops", 0) for row in rows), default=0)
    lines = []
    for row in rows:
        work = NetworkWork(row.workload)
        rate = row.report.get("gflops")
        lines.append(
            [
                "full" if work.batch is None else str(work.batch),
                f"{work.members:,}",
                row.program,
                row.error or say_duration(row.whole_job_seconds),
                "" if row.error else say_duration(row.whole_job_seconds / work.members),
                "" if rate is None else say_number(rate),
                f"{rate / peak:.1%}" if rate and peak else "",
                "" if row.ratio is None else f"{say_number(row.ratio)} x",
            ]
        )
    header = ["batch", "K", "program", "time", "per network", "GFLOP/s", "of peak", "ratio"]
    return markdown_table(header, lines)


def draw(rows: list[Row], layers: str, said: str, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "bootfold"  # the same file from the same numbers
    figure, axes = pyplot.subplots(1, 2, figsize=(9.6, 4.2), sharey=True, layout="constrained")
    for axis, (batch, title) in zip(axes, BATCHES.items(), strict=True):
        for program, style in STYLES.items():
            found = [
                (NetworkWork(row.workload).members, row.whole_job_seconds)
                for row in rows
                if row.program == program
                and row.whole_job_seconds
                and row.workload.split(":")[2] == batch
            ]
            if found:
                axis.plot(*zip(*sorted(found), strict=True), label=program, **style)
        axis.set(xscale="log", yscale="log", xlabel="networks", title=title)
        axis.grid(True, which="major", color="0.88")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("seconds for 100 steps of all")
    axes[0].legend(frameon=False)
    figure.suptitle(f"Training {layers} networks side by side (lower is faster)")
    figure.text(0.5, -0.03, said, ha="center", fontsize=7, color="0.4")
    dated = {"metadata": {"Date": None}} if path.suffix == ".svg" else {}
    figure.savefig(path, bbox_inches="tight", **dated)
    print(f"wrote {path}", file=sys.stderr)


def main() -> None:
    arguments = parse()
    comparison = Comparison(arguments.engine, arguments.seconds, arguments.timeout)
    peers = [PEERS[name] for name in arguments.peers.split(",") if name]
    for batch in BATCHES:
        for members in map(int, arguments.members.split(",")):
            comparison.compare(work_of(arguments.layers, batch, members), peers)
    rows = comparison.rows
    facts = machine(rows)
    text = table(rows) + "\n\n> " + say_machine(facts) + "\n"
    print(text, end="")
    write(RESULTS / "curve.md", text)
    written = {"machine": facts, "rows": [asdict(row) for row in rows]}
    write(RESULTS / "curve.json", json.dumps(written, indent=2) + "\n")
    draw(rows, arguments.layers, say_machine(facts), arguments.picture)


if __name__ == "__main__":
    main()
