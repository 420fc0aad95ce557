"""What every peer's script shares: arguments, how time is taken, and the line it prints.

A peer gives a function that prepares a workload and returns `run(replicates)`. `measure` chooses
how many replicates fill the time, warms up (compilation, first touch of memory) and keeps the best
of three runs. One JSON object goes to standard output, with the same keys as engine_bench's.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable

from workloads import WORKLOADS, Workload

RUNS = 3


def _time(run: Callable[[int], object], replicates: int) -> float:
    start = time.perf_counter()
    run(replicates)
    return time.perf_counter() - start


def measure(run: Callable[[int], object], seconds: float, multiple: int = 1) -> tuple[int, float]:
    """Returns (replicates, seconds) of the best of three runs that fill `seconds` together.

    `multiple`: the number of replicates is a multiple of this (the size of a group).
    """
    target = seconds / RUNS
    replicates = multiple
    run(replicates)
    while (took := _time(run, replicates)) < target / 2:
        # Small runs are mostly overhead, so approach the target in steps of at most 20.
        growth = min(20.0, target / max(took, 1e-9))
        replicates = multiple * max(
            round(replicates * growth / multiple), replicates // multiple + 1
        )
        run(replicates)  # a new shape may be compiled anew
    # The last run was close enough to the target to count.
    best = min([took] + [_time(run, replicates) for _ in range(RUNS - 1)])
    return replicates, best


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def main(
    prepare: Callable[[Workload], Callable[[int], object]],
    *,
    version: str,
    path: str,
    threads: int = 1,
    multiple: Callable[[Workload], int] = lambda workload: 1,
) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workload", required=True, choices=WORKLOADS)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()

    workload = WORKLOADS[arguments.workload]
    replicates, seconds = measure(prepare(workload), arguments.seconds, multiple(workload))
    print(
        json.dumps(
            {
                "workload": workload.name,
                "rows": workload.rows,
                "replicates": replicates,
                "seconds": seconds,
                "rate": workload.rows * replicates / seconds,
                "path": path,
                "simd": None,
                "threads": threads,
                "version": version,
            }
        )
    )
