"""The correlation of two columns of a Dataset of Ray.

    python examples/engines/ray_correlation.py

Starts Ray on this machine with two CPUs; RAY_ADDRESS names a cluster to use instead.
"""

import ray

import bootfold as bf


def prices(batch):
    """Adds columns to numbered rows."""
    area = 40 + batch["id"] % 97
    return {"area": area, "price": 3.0 * area + (batch["id"] * 7919) % 101}


def main():
    ray.init(num_cpus=2, include_dashboard=False, logging_level="error")
    flats = ray.data.range(100_000).map_batches(prices)
    result = bf.bootstrap(flats, "correlation", columns=["area", "price"], replicates=500, seed=7)
    low, high = result.interval("percentile")
    print(f"correlation {result.estimate:.4f}, 95 % interval {low:.4f} to {high:.4f}")
    ray.shutdown()


if __name__ == "__main__":
    main()
