"""arch.bootstrap: IIDBootstrap and StationaryBootstrap, apply with NumPy's statistics."""

from __future__ import annotations

import arch
import harness
from arch.bootstrap import IIDBootstrap, StationaryBootstrap
from numpy_loop import STATISTICS
from workloads import BLOCK_LENGTH, Workload, make_data


def prepare(workload: Workload):
    if workload.statistic == "stationary":
        blocks = StationaryBootstrap(BLOCK_LENGTH, *make_data(workload), seed=2)
        return lambda replicates: blocks.apply(STATISTICS["mean"], replicates)
    bootstrap = IIDBootstrap(*make_data(workload), seed=2)
    statistic = STATISTICS[workload.statistic]
    return lambda replicates: bootstrap.apply(statistic, replicates)


if __name__ == "__main__":
    harness.main(prepare, version=f"arch {arch.__version__}", path="apply")
