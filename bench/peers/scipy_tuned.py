"""SciPy again, with the batch that was fastest: small enough to stay in the second-level cache."""

from __future__ import annotations

import harness
import numpy as np
import scipy
import scipy_bootstrap

if __name__ == "__main__":
    np.seterr(all="ignore")
    harness.main(
        lambda workload: scipy_bootstrap.prepare(workload, batch_values=100_000),
        version=f"SciPy {scipy.__version__}",
        path="bootstrap, batches of 100,000 values",
        multiple=lambda _: 2,
    )
