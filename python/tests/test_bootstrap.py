"""bootstrap() with named statistics."""

import numpy as np
import pytest

import bootfold as bf


@pytest.fixture
def x():
    return np.random.default_rng(5).gamma(2.0, size=500)


def test_the_estimate_is_the_statistic_on_the_data(x):
    r = bf.bootstrap(x, "mean", replicates=1000, seed=7)
    assert r.estimate == pytest.approx(x.mean(), rel=1e-12)
    assert r.replicates.shape == (1000,)
    assert r.seed == 7


# The standard error of a mean of iid rows is sd / sqrt(n), divisor n, exactly; the bootstrap
# estimates it with a relative error of about 1 / sqrt(2 R) = 0.5 %, and 2.5 % is five of those:
# less than once in a million seeds.
def test_the_standard_error_of_a_mean_is_that_of_theory(x):
    r = bf.bootstrap(x, "mean", replicates=20_000, seed=7)
    assert r.standard_error == pytest.approx(x.std() / np.sqrt(x.size), rel=0.025)


def test_the_bias_of_a_balanced_mean_is_rounding(x):
    r = bf.bootstrap(x, "mean", replicates=500, seed=7, scheme="balanced")
    assert abs(r.bias) < 1e-12 * r.standard_error
    assert r.bias_error < 1e-12 * r.standard_error


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(x):
    runs = [bf.bootstrap(x, "median", replicates=5000, seed=3, threads=t) for t in (1, 2, 7)]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.replicates, runs[0].replicates)


def test_replicates_are_not_copied(x):
    r = bf.bootstrap(x, "mean", replicates=100)
    assert r.replicates.__array_interface__["data"] == r.replicates.__array_interface__["data"]
    assert not r.replicates.flags.writeable
    replicates = r.replicates
    del r
    assert np.isfinite(replicates).all()


@pytest.mark.parametrize("replicates", [0, -1, 2**63, 10**30, 1e30])
def test_a_number_of_replicates_out_of_range_is_named(replicates: float) -> None:
    with pytest.raises(ValueError, match=f"replicates is {int(replicates)} but must be at"):
        bf.bootstrap([1.0, 2.0, 4.0], "mean", replicates=replicates)
