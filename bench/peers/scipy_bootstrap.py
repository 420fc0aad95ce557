"""scipy.stats.bootstrap with percentile intervals, in batches of about a million values (8 MB)."""

from __future__ import annotations

import harness
import numpy as np
import scipy
from scipy import stats
from workloads import Workload, make_data


def correlation(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
    x = x - x.mean(axis=axis, keepdims=True)
    y = y - y.mean(axis=axis, keepdims=True)
    return (x * y).sum(axis=axis) / np.sqrt((x * x).sum(axis=axis) * (y * y).sum(axis=axis))


STATISTICS = {
    "mean": np.mean,
    "median": np.median,
    "variance": lambda x, axis: np.var(x, axis=axis, ddof=1),
    "correlation": correlation,
}


def prepare(workload: Workload, batch_values: int = 1_000_000):
    """batch_values: rows x replicates that are held at once."""
    data = make_data(workload)
    random = np.random.default_rng(2)

    def run(replicates: int):
        return stats.bootstrap(
            data,
            STATISTICS[workload.statistic],
            n_resamples=replicates,
            batch=max(1, batch_values // workload.rows),
            paired=len(data) > 1,
            vectorized=True,
            method="percentile",
            rng=random,
        )

    return run


if __name__ == "__main__":
    np.seterr(all="ignore")  # a run of 2 replicates has hardly a standard error
    harness.main(
        prepare,
        version=f"SciPy {scipy.__version__}",
        path="bootstrap, batches of 1,000,000 values",
        multiple=lambda _: 2,
    )
