"""bootfold.stats.bootstrap beside scipy.stats.bootstrap, and each parameter as SciPy documents it.

Two kinds of comparison. Limits, given the replicates: each of the two functions gets the other's
result as bootstrap_result with n_resamples=0, so that both make limits of the same replicates and
must agree but for rounding. Replicates: a two-sample Kolmogorov-Smirnov test that may fail once in
a million; the some 60 of them in this file fail by chance less than once in 10,000 changes of the
seeds. Seeds are fixed: a test passes always or never.
"""

import functools
import inspect

import numpy as np
import pytest
import scipy.stats

import bootfold as bf
from bootfold.stats import bootstrap

FALSE_ALARM = 1e-6


def spread(x, axis):
    return np.max(x, axis=axis) - np.min(x, axis=axis)


def difference(x, y, axis=-1):
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


def correlation(x, y):
    return np.corrcoef(x, y)[0, 1]


def variation(x, axis):
    return np.std(x, axis=axis) / np.mean(x, axis=axis)


def two_values(x, axis):
    return np.stack([np.mean(x, axis=axis), np.std(x, axis=axis)])


def two_values_of_one(x):
    return [np.mean(x), np.std(x)]


def ratio(x, y, axis):
    return np.sum(y, axis=axis) / np.sum(x, axis=axis)


def share_of_a(x):
    return np.mean(x == "a")


NUMBERS = np.random.default_rng(1)
X = NUMBERS.gamma(2, size=60)
Y = NUMBERS.normal(size=45)
Z = NUMBERS.gamma(2, size=(3, 40, 2))
PAIR = (X[:45], Y + X[:45])

CASES = {
    "mean": ((X,), np.mean, {}),
    "median": ((X,), np.median, {}),
    "std": ((X,), np.std, {}),
    "std, ddof=1": ((X,), functools.partial(np.std, ddof=1), {}),
    "var, ddof=1": ((X,), functools.partial(np.var, ddof=1), {}),
    "min": ((X,), np.min, {}),
    "sum": ((X,), np.sum, {}),
    "quantiles": ((X,), functools.partial(np.quantile, q=[0.25, 0.5]), {}),
    "mean, lists": (([1, 4, 2, 8, 5, 7],), np.mean, {}),
    "mean, zeros and ones": (([0, 1, 1, 0, 1, 1, 0, 0],), np.mean, {}),
    "mean, float32": ((X.astype(np.float32),), np.mean, {}),
    "mean, batches": ((Z,), np.mean, {"axis": 1}),
    "median, batches": ((Z,), np.median, {"axis": 1, "vectorized": True}),
    "mean, not vectorized": ((X,), np.mean, {"vectorized": False}),
    "function, vectorized": ((X,), spread, {}),
    "function, batches": ((Z,), spread, {"axis": -2}),
    "function, small calls": ((X,), spread, {"batch": 7}),
    "function, one by one": ((X,), lambda x: np.mean(x) ** 2, {}),
    "function, batches one by one": ((Z,), lambda x: np.ptp(x), {"axis": 1}),
    "two samples": ((X, Y), difference, {}),
    "two samples, one by one": ((X, Y), lambda x, y: np.mean(x) - np.mean(y), {}),
    "two samples, broadcast": ((Z, Z[:1, :30, :1]), difference, {"axis": 1}),
    "three samples": ((X, Y, X), lambda x, y, z, axis: difference(x, y, axis) + z.mean(axis), {}),
    "paired": (PAIR, ratio, {"paired": True}),
    "paired, one by one": (PAIR, correlation, {"paired": True}),
    "paired, batches": ((Z, Z**2), ratio, {"paired": True, "axis": 1}),
    "one sample, paired": ((X,), spread, {"paired": True}),
    "two values": ((X,), two_values, {}),
    "two values, batches": ((Z,), two_values, {"axis": 1}),
    "two values, one by one": ((X,), two_values_of_one, {}),
    "two values, batches one by one": ((Z,), two_values_of_one, {"axis": 1}),
    "text": ((np.array(list("abca" * 8)),), share_of_a, {}),
    "trimmed mean": ((X,), functools.partial(scipy.stats.trim_mean, proportiontocut=0.1), {}),
    "skewness": ((X,), scipy.stats.skew, {}),
    "kurtosis": ((X,), scipy.stats.kurtosis, {}),
    "interquartile range": ((X,), scipy.stats.iqr, {}),
    "percentile": ((X,), functools.partial(np.percentile, q=30), {}),
    "max": ((X,), np.max, {}),
}


def same_limits(one, other, rounding=1e-9):
    """Equal but for rounding."""
    for ours, theirs in zip(one.confidence_interval, other.confidence_interval, strict=True):
        assert np.shape(ours) == np.shape(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=rounding)
    assert np.shape(one.standard_error) == np.shape(other.standard_error)
    np.testing.assert_allclose(one.standard_error, other.standard_error, rtol=rounding)


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
@pytest.mark.parametrize("case", CASES)
def test_limits_of_the_same_replicates_are_those_of_scipy(case, method):
    data, statistic, options = CASES[case]
    options = {**options, "method": method, "confidence_level": 0.9}
    # SciPy goes on in the type of the data, bootfold in double precision.
    rounding = 1e-6 if "float32" in case else 1e-9
    theirs = scipy.stats.bootstrap(data, statistic, n_resamples=199, rng=1, **options)
    same = bootstrap(data, statistic, n_resamples=0, bootstrap_result=theirs, **options)
    same_limits(same, theirs, rounding)
    ours = bootstrap(data, statistic, n_resamples=199, rng=1, **options)
    again = scipy.stats.bootstrap(data, statistic, n_resamples=0, bootstrap_result=ours, **options)
    same_limits(ours, again, rounding)
    assert ours.bootstrap_distribution.shape == theirs.bootstrap_distribution.shape
    assert ours.bootstrap_distribution.flags.writeable


def test_ties_with_the_estimate_are_ties_though_sums_round_differently():
    """Two thirds is no double: NumPy's and the library's differ in the last digit."""
    data = ([0, 1, 1, 0, 1, 1, 1, 0, 1],)
    theirs = scipy.stats.bootstrap(data, np.mean, n_resamples=999, rng=1)
    same_limits(bootstrap(data, np.mean, n_resamples=0, bootstrap_result=theirs), theirs)


@pytest.mark.parametrize("case", CASES)
def test_replicates_have_the_law_of_those_of_scipy(case):
    data, statistic, options = CASES[case]
    options = {**options, "method": "percentile", "n_resamples": 1500}
    theirs = scipy.stats.bootstrap(data, statistic, rng=2, **options).bootstrap_distribution
    ours = bootstrap(data, statistic, rng=2, **options).bootstrap_distribution
    for index in np.ndindex(*ours.shape[:-1]):
        # NumPy sums in another order than the library; a lattice has to stay one.
        pair = [np.round(one[index], 6) for one in (ours, theirs)]
        assert scipy.stats.ks_2samp(*pair).pvalue > FALSE_ALARM


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
@pytest.mark.parametrize("statistic", [np.mean, np.std, variation])
def test_limits_agree_with_scipy_within_monte_carlo_error(statistic, method):
    """The share of an endless distribution below the p-quantile of R replicates has the standard
    error sqrt(p (1 - p) / R); the difference of two runs sqrt(2) times that; five of these are
    passed once in 1.7 million. BCa's p moves with the share u of replicates below the estimate
    as well, by phi(z_p) 2 / phi(0) = 0.52 of the error of u, which is sqrt(1 / 4 / R): 0.26 /
    sqrt(R) beside 0.22 / sqrt(R) at p = 0.05, and squares add to less than twice 0.22."""
    x = np.random.default_rng(3).normal(10, size=400)
    options = {"method": method, "confidence_level": 0.9, "n_resamples": 4000}
    ours = bootstrap((x,), statistic, rng=4, **options)
    theirs = scipy.stats.bootstrap((x,), statistic, rng=4, **options)
    both = np.sort(np.concatenate([ours.bootstrap_distribution, theirs.bootstrap_distribution]))
    if method == "basic":
        both = np.sort(2 * statistic(x, axis=-1) - both)
    reach = 5 * np.sqrt(2) * np.sqrt(0.05 * 0.95 / 4000) * (2 if method == "BCa" else 1)
    for name in ("low", "high"):
        one, other = (getattr(r.confidence_interval, name) for r in (ours, theirs))
        ranks = [np.searchsorted(both, limit) / both.size for limit in (one, other)]
        assert abs(ranks[0] - ranks[1]) < reach


@pytest.mark.parametrize("statistic", [np.mean, spread])
def test_known_and_called_say_which_way_was_gone(statistic):
    plan = bootstrap((X,), statistic, n_resamples=10, rng=1).plan
    assert plan.startswith("known as mean" if statistic is np.mean else "called with resamples")


@pytest.mark.parametrize("alternative", ["less", "greater"])
@pytest.mark.parametrize("case", ["two values, batches", "mean, batches", "two samples"])
def test_one_sided_limits_are_those_of_scipy(case, alternative):
    data, statistic, options = CASES[case]
    options = {**options, "alternative": alternative}
    theirs = scipy.stats.bootstrap(data, statistic, n_resamples=199, rng=1, **options)
    ours = bootstrap(data, statistic, n_resamples=0, bootstrap_result=theirs, **options)
    same_limits(ours, theirs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"data": 1}, "sequence of samples"),
        ({"data": ()}, "at least one sample"),
        ({"data": X}, r"two or more observations along axis.*\(x,\)"),
        ({"data": ([1.0],)}, "two or more observations"),
        ({"axis": 1.5}, "axis is 1.5"),
        ({"data": (X, Y), "paired": True}, "same length along axis.*60, 45"),
        ({"data": (Z, Z[:2]), "axis": 1}, "shape mismatch"),
        ({"axis": 2}, "axis 2"),
        ({"n_resamples": -1}, "n_resamples is -1"),
        ({"n_resamples": 1.5}, "n_resamples is 1.5"),
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"batch": 0}, "batch is 0"),
        ({"batch": 2.5}, "batch is 2.5"),
        ({"vectorized": "yes"}, "vectorized is 'yes'"),
        ({"paired": "yes"}, "paired is 'yes'"),
        ({"alternative": "up"}, "two-sided, less, greater"),
        ({"method": "bcaa"}, "percentile, basic, bca"),
        ({"confidence_level": "much"}, "much"),
        ({"bootstrap_result": 5}, "bootstrap_distribution"),
    ],
)
def test_what_scipy_refuses_is_refused(arguments, message):
    arguments = {"data": (X,), "statistic": np.mean, **arguments}
    with pytest.raises((ValueError, IndexError, TypeError)):
        scipy.stats.bootstrap(**arguments)
    with pytest.raises(ValueError, match=message):
        bootstrap(**arguments)


@pytest.mark.parametrize("statistic", [np.mean, lambda x, axis: np.mean(x, axis)])
def test_degenerate_data_have_no_bca_interval(statistic):
    for data in ([35.0] * 5, [[35.0] * 5, [1.0, 2, 3, 4, 5]]):
        with pytest.warns(scipy.stats.DegenerateDataWarning, match="The BCa conf"):
            ours = bootstrap((data,), statistic, axis=-1, rng=1)
        with np.errstate(all="ignore"), pytest.warns(scipy.stats.DegenerateDataWarning):
            theirs = scipy.stats.bootstrap((data,), statistic, axis=-1, rng=1)
        for one, other in zip(ours.confidence_interval, theirs.confidence_interval, strict=True):
            np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
        assert np.ravel(ours.standard_error)[0] == 0
    for method in ("percentile", "basic"):
        limits = bootstrap(([35.0] * 5,), statistic, method=method, rng=1).confidence_interval
        assert limits == (35.0, 35.0)
    with pytest.warns(bf.stats.DegenerateDataWarning):
        low, high = bootstrap(
            ([35.0] * 5,), statistic, alternative="less", rng=1
        ).confidence_interval
    assert low == -np.inf and np.isnan(high)


def test_arguments_are_those_of_scipy():
    ours = inspect.signature(bootstrap).parameters
    for name, theirs in inspect.signature(scipy.stats.bootstrap).parameters.items():
        assert ours[name].kind == theirs.kind
        if name not in ("rng", "random_state"):
            assert ours[name].default == theirs.default
