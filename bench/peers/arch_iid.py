"""arch.bootstrap.IIDBootstrap.apply with NumPy's statistics."""

from __future__ import annotations

import arch
import harness
from arch.bootstrap import IIDBootstrap
from numpy_loop import STATISTICS
from workloads import Workload, make_data


def prepare(workload: Workload):
    bootstrap = IIDBootstrap(*make_data(workload), seed=2)
    statistic = STATISTICS[workload.statistic]
    return lambda replicates: bootstrap.apply(statistic, replicates)


if __name__ == "__main__":
    harness.main(prepare, version=f"arch {arch.__version__}", path="IIDBootstrap")
