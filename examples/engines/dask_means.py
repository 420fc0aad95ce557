"""Means of random numbers that exist on workers of Dask only.

    python examples/engines/dask_means.py

Starts two processes on this machine; give Client(...) the address of a cluster to use that.
"""

import dask.array as da
from distributed import Client, LocalCluster

import bootfold as bf


def main():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        incomes = da.random.default_rng(1).lognormal(size=4_000_000, chunks=500_000)
        print(bf.explain(incomes, "mean", replicates=200, seed=7))
        result = bf.bootstrap(incomes, "mean", replicates=200, seed=7, progress=True)
        low, high = result.interval("percentile", confidence=0.9)
        print(f"mean {result.estimate:.4f}, 90 % interval {low:.4f} to {high:.4f}")


if __name__ == "__main__":
    main()
