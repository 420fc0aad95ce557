"""What bootfold set out to reach beside its peers: the goals that compare.py prints."""

from __future__ import annotations

# What bootfold set out to reach: how many times the peer's rate; with AVX2 and with AVX-512 where
# these differ ...
LEAST_RATIO = {
    ("mean_5e6", "jax"): (450, 500),
    ("mean_5e6", "tsbootstrap"): (90, 120),
    ("mean_5e6", "numba"): 300,
    ("mean_5e6_f32", "jax"): (450, 500),
    ("mean_5e6_f32", "tsbootstrap"): (90, 120),
    ("mean_5e6_f32", "numba"): 300,
    ("mean_1e5", "jax"): 100,
    ("mean_1e5", "tsbootstrap"): 13,
    ("mean_1e3", "scipy"): (40, 60),
    ("mean_1e3", "tsbootstrap"): (14, 16),
    ("mean_15", "scipy"): (15, 20),
    ("mean_15", "numba"): (3, 4),
    ("median_5e6", "tsbootstrap"): 1000,
    ("variance_1e6", "numpy"): 40,
    ("correlation_1e6", "numpy"): 40,
    ("regression5_1e6", "numpy"): (60, 80),
    ("stationary_1e5", "tsbootstrap"): 15,
    ("stationary_1e5", "arch"): 60,
    ("cluster_1e6", "numpy"): 100,
    ("bayesian_1e6", "numpy"): (8, 15),
    ("train:2-32-2:full:100", "jax_scan"): 45,
    ("train:2-32-2:full:100", "sklearn"): 300,
    ("train:2-32-2:full:1000", "jax_scan"): 45,
    ("train:2-32-2:32:100", "jax_scan"): 55,
    ("train:2-32-2:32:1000", "jax_scan"): 55,
    ("train:64-64-10:32:100", "jax_scan"): 5,
    ("train:2-512-512-2:full:10", "jax_scan"): 2.4,
    ("train:784-128-10:128:1:6e4", "jax_scan"): 1,
    ("train:784-128-10:128:1:6e4", "torch"): 1,
    ("train:784-128-10:128:10:6e4", "jax_scan"): 1,
    ("train:784-128-10:128:10:6e4", "torch"): 1,
    ("train:784-128-10:128:100:6e4", "jax_scan"): 1,
    ("train:784-128-10:128:100:6e4", "torch"): 1,
    ("predict:2-32-2:1e6:100", "jax_scan"): 45,
}
# The least share of the peak of fused multiply-adds at the level that is measured.
LEAST_SHARE = {
    "train:2-32-2:full:100": 0.55,
    "train:2-32-2:full:1000": 0.55,
    "train:2-32-2:32:100": 0.45,
    "train:2-32-2:32:1000": 0.45,
    "train:64-64-10:32:100": 0.6,
    "train:2-512-512-2:full:10": 0.75,
    "train:784-128-10:128:1:6e4": 0.6,
    "train:784-128-10:128:10:6e4": 0.6,
    "train:784-128-10:128:100:6e4": 0.6,
    "predict:2-32-2:1e6:100": 0.45,
}
# ... and at most how many seconds for the whole job, on 2 cores.
MOST_SECONDS = {"binary_mean_5e6": 0.3, "median_5e6": (0.4, 0.3)}


def for_level(goal: float | tuple[float, float] | None, level: str) -> float | None:
    """A goal that may be one for AVX2 and one for AVX-512."""
    return goal[level == "avx512"] if isinstance(goal, tuple) else goal
