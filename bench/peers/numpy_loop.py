"""NumPy as most people write it: draw indices, take, compute; one replicate after the other."""

from __future__ import annotations

import harness
import numpy as np
from workloads import CLUSTERS, Workload, make_data


def correlation(x: np.ndarray, y: np.ndarray) -> float:
    x = x - x.mean()
    y = y - y.mean()
    return (x @ y) / np.sqrt((x @ x) * (y @ y))


def regression(matrix: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Least squares by the normal equations, several times faster than np.linalg.lstsq here."""
    return np.linalg.solve(matrix.T @ matrix, matrix.T @ y)


STATISTICS = {
    "mean": np.mean,
    "median": np.median,
    "variance": lambda x: np.var(x, ddof=1),
    "correlation": correlation,
    "regression": regression,
}


def cluster_mean(x: np.ndarray):
    """Draw clusters, put their rows together, take the mean."""
    random = np.random.default_rng(2)
    labels = np.arange(x.size) % CLUSTERS
    members = [x[labels == cluster] for cluster in range(CLUSTERS)]

    def run(replicates: int) -> list:
        drawn = (random.integers(0, CLUSTERS, CLUSTERS) for _ in range(replicates))
        return [np.concatenate([members[c] for c in clusters]).mean() for clusters in drawn]

    return run


def bayesian_mean(x: np.ndarray):
    """Weights from a flat Dirichlet distribution."""
    random = np.random.default_rng(2)
    ones = np.ones(x.size)
    return lambda replicates: [random.dirichlet(ones) @ x for _ in range(replicates)]


def prepare(workload: Workload):
    data = make_data(workload)
    if workload.statistic in ("cluster", "bayesian"):
        return {"cluster": cluster_mean, "bayesian": bayesian_mean}[workload.statistic](*data)
    statistic = STATISTICS[workload.statistic]
    random = np.random.default_rng(2)
    rows = workload.rows

    def run(replicates: int) -> list:
        results = []
        for _ in range(replicates):
            indices = random.integers(0, rows, rows)
            results.append(statistic(*(column.take(indices, axis=0) for column in data)))
        return results

    return run


if __name__ == "__main__":
    harness.main(prepare, version=f"NumPy {np.__version__}", path="loop")
