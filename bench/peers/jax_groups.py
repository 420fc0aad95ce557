"""JAX again, but lax.map over groups of replicates by vmap: 100, or fewer for long data."""

from __future__ import annotations

import harness
import jax
import jax_map
from workloads import Workload


def group(workload: Workload) -> int:
    """A group holds a few copies of the data per replicate: 10 x 5e6 rows need about 1 GB."""
    return 100 if workload.rows <= 100_000 else 10


if __name__ == "__main__":
    harness.main(
        lambda workload: jax_map.prepare(workload, group(workload)),
        version=f"JAX {jax.__version__}",
        path="groups by vmap",
        threads=harness.cores(),
        multiple=group,
    )
