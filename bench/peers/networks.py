"""What is measured of networks: names that say all, as in bench/ensemble_work.h.

    train:2-32-2:full:100        100 steps of Adam, full batches of 100 rows, 100 members
    train:64-64-10:32:100        bootstrapped batches of 32 out of 1797 rows
    train:784-128-10:128:10:6e4  one epoch of 60,000 rows, in batches of 128
    predict:2-32-2:1e6:100       what 100 members say of a million points
    fold:2-32-2:32:100000        as train, but members are asked about points and discarded

A peer gives a function that prepares such work and returns `run()`. The best of several runs
counts, after one that also compiles and starts processes. One JSON object goes to standard output.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

STEPS = 100
# What bench/compare.py measures unless told otherwise.
NETWORKS = [
    "train:2-32-2:full:100",
    "train:2-32-2:full:1000",
    "train:2-32-2:32:100",
    "train:2-32-2:32:1000",
    "train:64-64-10:32:100",
    "train:2-512-512-2:full:10",
    "predict:2-32-2:1e6:100",
]
LEARNING_RATE = 1e-3


@dataclass(frozen=True)
class NetworkWork:
    name: str

    @property
    def kind(self) -> str:
        return self.name.split(":")[0]

    # What compare.py chooses peers by.
    statistic = kind

    @property
    def layers(self) -> list[int]:
        return [int(units) for units in self.name.split(":")[1].split("-")]

    @property
    def rows(self) -> int:
        """The fifth part; without it two spirals, or as many as the digits data have."""
        parts = self.name.split(":")
        if len(parts) == 5:
            return int(float(parts[4]))
        return 100 if self.layers[0] == 2 else 1797

    @property
    def batch(self) -> int | None:
        """None: full batches of the same rows for all members; else bootstrapped ones."""
        size = self.name.split(":")[2]
        return None if size == "full" else int(size)

    @property
    def steps(self) -> int:
        """One epoch if the rows are named."""
        if len(self.name.split(":")) == 5 and self.batch:
            return math.ceil(self.rows / self.batch)
        return STEPS

    @property
    def points(self) -> int:
        return int(float(self.name.split(":")[2]))

    @property
    def members(self) -> int:
        return int(float(self.name.split(":")[3]))

    @property
    def replicates(self) -> int:
        return self.members

    @property
    def work(self) -> int:
        """Examples gone through."""
        if self.kind == "predict":
            return self.members * self.points
        return self.members * self.steps * (self.batch or self.rows)

    @property
    def flops(self) -> float:
        """Multiplications and additions of the dense layers alone."""
        weights = sum(a * b for a, b in zip(self.layers, self.layers[1:], strict=False))
        first = self.layers[0] * self.layers[1]
        each = 2 * weights if self.kind == "predict" else 6 * weights - 2 * first
        return self.work * each


def is_network(name: str) -> bool:
    return name.split(":")[0] in ("train", "predict", "fold")


def make_data(work: NetworkWork, rows: int | None = None):
    """Inputs and classes: two spirals, or noise, which takes as long to learn from."""
    import numpy as np

    rows = rows or work.rows
    random = np.random.default_rng(1)
    if work.layers[0] != 2:
        x = random.standard_normal((rows, work.layers[0]))
        return x.astype(np.float32), np.arange(rows) % work.layers[-1]
    radius = np.sqrt(np.linspace(0, 1, rows))
    angle = 2 * math.pi * radius
    sign = random.integers(0, 2, rows) * 2 - 1
    x = (radius * sign)[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
    return (x + 0.05 * random.standard_normal((rows, 2))).astype(np.float32), (sign > 0).astype(int)


def main(
    prepare: Callable[[NetworkWork], Callable[[], object]],
    *,
    version: str,
    path: str,
    threads: int,
    least: int = 3,
) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workload", required=True)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()
    work = NetworkWork(arguments.workload)
    run = prepare(work)
    run()
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < least or time.perf_counter() - begin < arguments.seconds:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    seconds = min(times)
    print(
        json.dumps(
            {
                "workload": work.name,
                "rows": work.rows,
                "replicates": work.members,
                "seconds": seconds,
                "rate": work.work / seconds,
                "path": path,
                "simd": None,
                "threads": threads,
                "version": version,
                "gflops": work.flops / seconds / 1e9,
            }
        )
    )
