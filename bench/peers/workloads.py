"""What is measured: one entry per workload, the same for bootfold and for every peer.

The data is not the same bits as in engine_bench, which has its own generator, but has the same
sizes, types and laws; rates do not depend on more.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Workload:
    """Bootstrapping `statistic` on `rows` rows; `replicates` is what the whole job would be."""

    name: str
    statistic: str
    rows: int
    replicates: int = 1_000_000
    law: str = "normal"  # or "binary": 1 with probability 0.05, else 0
    dtype: str = "float64"

    @property
    def work(self) -> int:
        return self.rows * self.replicates


_ALL = [
    Workload("binary_mean_5e6", "mean", 5_000_000, law="binary"),
    Workload("mean_5e6", "mean", 5_000_000),
    Workload("mean_5e6_f32", "mean", 5_000_000, dtype="float32"),
    Workload("mean_1e5", "mean", 100_000),
    Workload("mean_1e3", "mean", 1_000),
    Workload("mean_15", "mean", 15),
    Workload("median_5e6", "median", 5_000_000),
    Workload("variance_1e6", "variance", 1_000_000),
    Workload("correlation_1e6", "correlation", 1_000_000),
    Workload("regression5_1e6", "regression", 1_000_000),
    # The mean under other schemes than iid.
    Workload("stationary_1e5", "stationary", 100_000),
    Workload("cluster_1e6", "cluster", 1_000_000, replicates=100_000),
    Workload("bayesian_1e6", "bayesian", 1_000_000),
    # The engine alone: strata beside none;
    Workload("stratified_1e6", "stratified", 1_000_000),
    Workload("mean_1e6", "mean", 1_000_000),
    # a user's C++ function of the resample, and the resample without it.
    Workload("callable_1e5", "callable", 100_000),
    Workload("gather_1e5", "gather", 100_000),
]

WORKLOADS = {workload.name: workload for workload in _ALL}

REGRESSION_COLUMNS = 5
BLOCK_LENGTH = 20
CLUSTERS = 1000


def make_data(workload: Workload):
    """The columns that the statistic takes: x; x and y; or a matrix with intercept, and y."""
    import numpy as np

    random = np.random.default_rng(1)
    rows = workload.rows
    if workload.law == "binary":
        return ((random.random(rows) < 0.05).astype(workload.dtype),)
    x = random.standard_normal(rows)
    if workload.statistic == "correlation":
        return x, 0.5 * x + random.standard_normal(rows)
    if workload.statistic == "regression":
        matrix = np.ones((rows, REGRESSION_COLUMNS + 1))
        matrix[:, 1:] = random.standard_normal((rows, REGRESSION_COLUMNS))
        return matrix, matrix @ np.arange(1.0, REGRESSION_COLUMNS + 2) + x
    return (x.astype(workload.dtype),)
