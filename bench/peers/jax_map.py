"""JAX, the known recipe: lax.map over keys; each replicate is jax.random.choice and the statistic.

In JAX's default 32-bit mode, for float64 workloads too: it is the faster one.
"""

from __future__ import annotations

from functools import partial

import harness
import jax
import jax.numpy as jnp
import jax.random as jr
from workloads import Workload, make_data


def correlation(x: jax.Array, y: jax.Array) -> jax.Array:
    x = x - x.mean()
    y = y - y.mean()
    return (x @ y) / jnp.sqrt((x @ x) * (y @ y))


def regression(matrix: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.linalg.solve(matrix.T @ matrix, matrix.T @ y)


STATISTICS = {
    "mean": jnp.mean,
    "median": jnp.median,
    "variance": partial(jnp.var, ddof=1),
    "correlation": correlation,
    "regression": regression,
}


def replicate(statistic, data: tuple[jax.Array, ...], key: jax.Array) -> jax.Array:
    rows = len(data[0])
    if len(data) == 1:
        return statistic(jr.choice(key, data[0], shape=(rows,)))
    indices = jr.choice(key, rows, shape=(rows,))
    return statistic(*(column[indices] for column in data))


def prepare(workload: Workload, group: int = 1):
    """group > 1: that many replicates at a time by vmap, which multiplies the memory by as much."""
    data = tuple(jnp.asarray(column, jnp.float32) for column in make_data(workload))
    one = partial(replicate, STATISTICS[workload.statistic])

    @jax.jit
    def replicates_of(keys: jax.Array, data: tuple[jax.Array, ...]) -> jax.Array:
        if group == 1:
            return jax.lax.map(lambda key: one(data, key), keys)
        return jax.lax.map(jax.vmap(lambda key: one(data, key)), keys.reshape(-1, group))

    def run(replicates: int) -> jax.Array:
        return replicates_of(jr.split(jr.key(2), replicates), data).block_until_ready()

    return run


if __name__ == "__main__":
    harness.main(prepare, version=f"JAX {jax.__version__}", path="lax.map", threads=harness.cores())
