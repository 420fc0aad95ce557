#!/usr/bin/env python3
"""A cluster of two workers beside one worker: the mean of 10^8 rows on Dask.

    PYTHONPATH=build/release/python .venv-engines/bin/python bench/engines.py
    bench/engines.py --rows 1e7 --replicates 20 --repeat 1      # quickly

Each worker is a process with one thread. Rows are made on the workers and persisted before the
clock starts. Both clusters run in turns within one run, so that they see the same machine; printed
are the best seconds of each and their ratio. One line says whether the bits agree.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import bootfold as bf


def timed(workers: int, rows: int, replicates: int) -> tuple[float, Any]:
    """Seconds of one bootstrap on so many workers, and its replicates."""
    import dask.array as da
    from distributed import Client, LocalCluster, wait

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        made = da.random.default_rng(1).standard_normal(rows, chunks=max(1, rows // 16))
        data = made.persist()
        wait(data)
        bf.bootstrap(data[:1000], "mean", replicates=2)  # workers import what they need
        start = time.perf_counter()
        found = bf.bootstrap(data, "mean", replicates=replicates, seed=7)
        return time.perf_counter() - start, found.replicates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--replicates", type=float, default=200)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    best: dict[int, float] = {}
    found: dict[int, Any] = {}
    for _ in range(given.repeat):
        for workers in (1, 2):
            seconds, found[workers] = timed(workers, int(given.rows), int(given.replicates))
            best[workers] = min(seconds, best.get(workers, seconds))
    print(f"{given.rows:.3g} rows, {given.replicates:.3g} replicates of the mean")
    for workers, seconds in best.items():
        rate = given.rows * given.replicates / seconds
        print(f"workers {workers}: {seconds:.3f} s, {rate:.3g} rows x replicates per second")
    print(f"ratio: {best[1] / best[2]:.2f}")
    print("bits: " + ("agree" if np.array_equal(found[1], found[2]) else "DIFFER"))


if __name__ == "__main__":
    main()
