"""SciPy: scipy.stats.bootstrap."""

from __future__ import annotations

import cases
import numpy as np
import scipy
from comparer import Findings
from scipy import stats

VERSION = f"SciPy {scipy.__version__}"
METHODS = {"basic": "basic", "percentile": "percentile", "bca": "BCa"}
CONVENTION = "numpy"
STRICT = False
FACTOR = 10  # how many times more replicates than the others: it is that much faster here


def methods_of(case: cases.Case) -> list[str]:
    return [m for m in case.methods if m in METHODS]


def run(case: cases.Case, seed: int) -> Findings:
    result = None
    limits = {}
    for method in methods_of(case):
        result = stats.bootstrap(
            case.samples,
            case.value,
            method=METHODS[method],
            paired=len(case.samples) > 1 and case.scheme != "two samples",
            vectorized=True,
            confidence_level=0.95,
            # The first call draws; the others make their interval from the same replicates.
            n_resamples=FACTOR * case.replicates if result is None else 0,
            bootstrap_result=result,
            rng=np.random.default_rng(seed),
            batch=5000,
        )
        limits[method] = tuple(map(float, result.confidence_interval))
    assert result is not None
    return Findings(
        estimate=float(case.value(*case.samples)),
        standard_error=float(result.standard_error),
        replicates=result.bootstrap_distribution,
        limits=limits,
    )
