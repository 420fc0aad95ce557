"""arch: IIDBootstrap, IndependentSamplesBootstrap and the three of blocks."""

from __future__ import annotations

import arch
import arch.bootstrap
import cases
import numpy as np
from comparer import Findings

VERSION = f"arch {arch.__version__}"
METHODS = {"basic": "basic", "percentile": "percentile", "bca": "bca"}
CONVENTION = "numpy"
STRICT = True  # z0 counts replicates strictly below the estimate, as R does

_BLOCKS = {
    "moving": arch.bootstrap.MovingBlockBootstrap,
    "circular": arch.bootstrap.CircularBlockBootstrap,
    "stationary": arch.bootstrap.StationaryBootstrap,
}


def methods_of(case: cases.Case) -> list[str]:
    # BCa: ties count half for `numpy`, not at all for arch, so only where there are none. Of
    # samples that are not equally long arch makes no BCa. Studentized: see agreement.DIFFERENCES.
    methods = [m for m in case.methods if m in METHODS]
    if not case.smooth and "bca" in methods:
        methods.remove("bca")
    return methods


def run(case: cases.Case, seed: int) -> Findings:
    generator = np.random.default_rng(seed)
    if case.scheme in _BLOCKS:
        drawn = _BLOCKS[case.scheme](case.number, *case.samples, seed=generator)
    elif case.scheme == "two samples":
        drawn = arch.bootstrap.IndependentSamplesBootstrap(*case.samples, seed=generator)
    else:
        drawn = arch.bootstrap.IIDBootstrap(*case.samples, seed=generator)

    seen: list[float] = []

    def value(*samples: np.ndarray) -> np.ndarray:
        seen.append(float(case.value(*samples)))
        return np.array(seen[-1:])

    limits = {}
    for number, method in enumerate(methods_of(case)):
        low, high = drawn.conf_int(
            value, case.replicates, method=METHODS[method], size=0.95, reuse=number > 0
        )
        limits[method] = (float(low[0]), float(high[0]))
    replicates = np.array(seen[1 : case.replicates + 1])  # the first is the estimate
    return Findings(
        estimate=float(case.value(*case.samples)),
        standard_error=float(np.std(replicates, ddof=1)),
        replicates=replicates,
        limits=limits,
    )
