"""tsbootstrap's compiled back end: bootstrap_reduce with its own methods and reducers."""

from __future__ import annotations

from importlib.metadata import version

import harness
import numba
import tsbootstrap
from workloads import BLOCK_LENGTH, Workload, make_data

STATISTICS = {
    "mean": "mean",
    "variance": "var",
    "median": ("quantile", 0.5),
    "stationary": "mean",
}


def prepare(workload: Workload):
    (data,) = make_data(workload)
    method = (
        tsbootstrap.StationaryBlock(avg_block_length=BLOCK_LENGTH)
        if workload.statistic == "stationary"
        else tsbootstrap.IID()
    )

    def run(replicates: int):
        result = tsbootstrap.bootstrap_reduce(
            data,
            method=method,
            statistic=STATISTICS[workload.statistic],
            n_bootstraps=replicates,
            random_state=2,
            dtype=workload.dtype,
            backend="compiled",
        )
        if result.statistics is None:
            raise RuntimeError(f"tsbootstrap could not run {workload.name}")
        return result

    return run


if __name__ == "__main__":
    threads = numba.get_num_threads()
    harness.main(
        prepare,
        version=f"tsbootstrap {version('tsbootstrap')}",
        path="compiled",
        threads=threads,
        multiple=lambda _: threads,
    )
