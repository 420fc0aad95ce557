"""JAX as in jax_networks.py, but a compiled step of all members called from a Python loop."""

from __future__ import annotations

from functools import partial

import harness
import networks
from jax_networks import prepare, version

if __name__ == "__main__":
    networks.main(
        partial(prepare, loop=True),
        version=version(),
        path="vmap, Python loop",
        threads=harness.cores(),
    )
