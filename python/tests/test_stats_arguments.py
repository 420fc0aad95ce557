"""Each parameter of bootfold.stats.bootstrap as SciPy documents it, and what it does beyond."""

import functools
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.stats

from bootfold.stats import bootstrap


def spread(x, axis):
    return np.max(x, axis=axis) - np.min(x, axis=axis)


def difference(x, y, axis=-1):
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


NUMBERS = np.random.default_rng(1)
X = NUMBERS.gamma(2, size=60)
Y = NUMBERS.normal(size=45)
Z = NUMBERS.gamma(2, size=(3, 40, 2))


def test_alternative_is_one_limit_of_an_interval_with_twice_the_tail():
    run = functools.partial(bootstrap, (X,), np.mean, n_resamples=999, rng=1)
    for method in ("percentile", "basic", "BCa"):
        both = run(method=method, confidence_level=0.9).confidence_interval
        less = run(method=method, alternative="less").confidence_interval
        greater = run(method=method, alternative="GREATER").confidence_interval
        assert less.low == -np.inf and less.high == pytest.approx(both.high, rel=1e-12)
        assert greater.high == np.inf and greater.low == pytest.approx(both.low, rel=1e-12)


def test_confidence_levels_nest():
    run = functools.partial(bootstrap, (X,), np.mean, rng=1)
    narrow, wide = (run(confidence_level=c).confidence_interval for c in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_method_is_read_in_any_case():
    limits = {
        bootstrap((X,), np.mean, n_resamples=99, rng=1, method=name).confidence_interval
        for name in ("bca", "BCa", "BCA")
    }
    assert len(limits) == 1


@pytest.mark.parametrize("batch", [1, 3, 64, 10_000])
def test_batch_bounds_the_resamples_of_a_call_and_changes_no_number(batch):
    seen = []

    def statistic(x, axis):
        seen.append(x.shape[-2])
        return spread(x, axis)

    ours = bootstrap((X,), statistic, n_resamples=150, batch=batch, rng=1)
    assert max(seen) <= batch
    whole = bootstrap((X,), spread, n_resamples=150, rng=1)
    np.testing.assert_array_equal(ours.bootstrap_distribution, whole.bootstrap_distribution)
    assert ours.confidence_interval == whole.confidence_interval


@pytest.mark.parametrize(
    ("sample", "resamples"),  # SciPy: resamples of 80 and 26 MB, all but one row of 200 and 5 MB
    [(np.arange(5000.0), 2000), (np.tile(list("abcd"), (200, 10)), 800)],
    ids=["numbers", "text"],
)
def test_memory_is_bounded_without_a_batch(sample, resamples):
    largest = 0

    def statistic(x, axis):
        nonlocal largest
        largest = max(largest, x.nbytes)
        return np.mean(x == x[..., :1], axis=axis)

    with np.errstate(all="ignore"):
        bootstrap((sample,), statistic, n_resamples=resamples, rng=1, axis=-1)
    assert largest <= 4 << 20


def test_vectorized_says_how_the_statistic_is_called():
    calls = []

    def with_axis(x, axis=None):
        calls.append((x.ndim, axis))
        return np.ptp(x, axis=axis)

    found = {}
    for vectorized in (None, True, False):
        calls.clear()
        result = bootstrap((X,), with_axis, n_resamples=50, vectorized=vectorized, rng=1)
        found[vectorized] = result.bootstrap_distribution
        assert set(calls) == ({(1, None)} if vectorized is False else {(2, -1)})
    np.testing.assert_array_equal(found[None], found[False])
    np.testing.assert_array_equal(found[None], found[True])
    with pytest.raises(TypeError, match="axis"):
        bootstrap((X,), lambda x: np.ptp(x), vectorized=True)


def test_paired_samples_are_drawn_together_and_others_are_not():
    x = np.arange(50.0)
    options = {"n_resamples": 200, "rng": 1, "method": "percentile"}
    gap = bootstrap((x, x + 1), lambda x, y: np.max(np.abs(y - x)), paired=True, **options)
    assert set(gap.bootstrap_distribution) == {1.0}
    gap = bootstrap((x, x + 1), lambda x, y: np.max(np.abs(y - x)), **options)
    assert gap.bootstrap_distribution.min() > 1.0


def test_independent_samples_have_the_standard_error_of_theory():
    """sqrt(s_x^2 / n + s_y^2 / m). A standard deviation of R near normal replicates has a relative
    error of 1 / sqrt(2 R) = 0.007; five of them are passed once in 1.7 million."""
    result = bootstrap((X, Y), difference, n_resamples=9999, rng=1, method="percentile")
    theory = np.sqrt(np.var(X) / X.size + np.var(Y) / Y.size)
    assert result.standard_error == pytest.approx(theory, rel=5 * 0.0071)


@pytest.mark.parametrize("statistic", [np.mean, spread])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_axis_is_where_observations_lie(axis, statistic):
    options = {"n_resamples": 99, "rng": 1, "method": "percentile"}
    ours = bootstrap((Z,), statistic, axis=axis, **options)
    moved = bootstrap((np.moveaxis(Z, axis, 0),), statistic, **options)
    np.testing.assert_array_equal(ours.bootstrap_distribution, moved.bootstrap_distribution)
    assert ours.bootstrap_distribution.shape[:-1] == np.mean(Z, axis=axis).shape
    np.testing.assert_array_equal(ours.confidence_interval, moved.confidence_interval)


def test_batches_are_resampled_as_each_alone():
    whole = bootstrap((Z,), np.mean, axis=1, n_resamples=999, rng=1).bootstrap_distribution
    alone = bootstrap((Z[2, :, 1],), np.mean, n_resamples=999, rng=1).bootstrap_distribution
    np.testing.assert_allclose(whole[2, 1], alone, rtol=1e-6)


@pytest.mark.parametrize("statistic", [np.mean, spread])
def test_bootstrap_result_comes_first_and_is_added_to(statistic):
    one = bootstrap((X,), statistic, n_resamples=100, rng=1)
    two = bootstrap((X,), statistic, n_resamples=50, rng=1, bootstrap_result=one)
    whole = bootstrap((X,), statistic, n_resamples=150, rng=1)
    # The same seed goes on where the first run ended; it does not repeat it.
    np.testing.assert_array_equal(two.bootstrap_distribution, whole.bootstrap_distribution)
    assert two.confidence_interval == whole.confidence_interval
    same = bootstrap((X,), statistic, n_resamples=0, bootstrap_result=two, method="percentile")
    np.testing.assert_array_equal(same.bootstrap_distribution, two.bootstrap_distribution)
    theirs = scipy.stats.bootstrap((X,), statistic, n_resamples=5, bootstrap_result=two, rng=1)
    assert len(theirs.bootstrap_distribution) == 155


def distribution(**options):
    return bootstrap((X,), spread, n_resamples=50, **options).bootstrap_distribution.tolist()


def test_rng_is_what_default_rng_takes():
    assert distribution(rng=1) == distribution(rng=1) != distribution(rng=2)
    assert distribution(rng=2**70) == distribution(rng=2**70)
    assert distribution(rng=[1, 2]) == distribution(rng=[1, 2])
    assert distribution(rng=None) != distribution(rng=None)
    seeds = np.random.SeedSequence(3)
    assert distribution(rng=seeds) == distribution(rng=np.random.SeedSequence(3))
    generator = np.random.default_rng(1)
    one, two = distribution(rng=generator), distribution(rng=generator)
    assert one != two and one == distribution(rng=np.random.default_rng(1)) == distribution(rng=1)
    for wrong in (-1, "1", 1.5):
        with pytest.raises((ValueError, TypeError)):
            distribution(rng=wrong)


def test_random_state_is_the_older_name():
    assert distribution(random_state=1) == distribution(random_state=1)
    assert distribution(random_state=np.random.RandomState(1)) == distribution(random_state=1)
    generator = np.random.default_rng(1)
    assert distribution(random_state=generator) != distribution(random_state=generator)
    with pytest.raises(TypeError, match="rng"):
        bootstrap((X,), np.mean, rng=1, random_state=1)
    with pytest.raises(ValueError, match="random_state is 'x'"):
        distribution(random_state="x")


def test_the_global_seed_of_numpy_has_its_effect():
    state = np.random.get_state()
    try:
        runs = []
        for options in ({}, {"random_state": None}, {"random_state": np.random}):
            np.random.seed(5)
            runs.append(distribution(**options))
        assert runs[0] == runs[1] == runs[2] != distribution()
    finally:
        np.random.set_state(state)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_what_is_not_finite_goes_through_numpy(value, method):
    x = np.append(X, value)
    # A resample without the value has probability (1 - 1 / 61)^61 = 0.37.
    with np.errstate(all="ignore"), pytest.warns(scipy.stats.DegenerateDataWarning):
        ours = bootstrap((x,), np.mean, n_resamples=999, rng=1, method=method)
    assert ours.plan.startswith("called")
    assert 200 < np.isfinite(ours.bootstrap_distribution).sum() < 550
    assert np.isnan(ours.confidence_interval.high)
    finite = bootstrap((np.append(X, np.nan),), np.nanmean, n_resamples=999, rng=1)
    assert np.isfinite(finite.confidence_interval).all()


@pytest.mark.parametrize(
    "sample",
    [
        X.astype(np.float32),
        X.astype(np.float16),
        X.astype(np.longdouble),
        X + 1j,
        np.arange(20),
        np.arange(20) + 2**60,
        np.arange(20, dtype=np.int8),
        X > 1,
        np.array(["a", "bc", "def", "a"]),
        np.array([1, 2.5, 3, 4], dtype=object),
        np.arange("2020-01", "2021-01", dtype="datetime64[M]"),
        X.astype(">f8"),
        X[::-2],
    ],
    ids=lambda sample: str(sample.dtype),
)
def test_a_function_sees_values_and_types_of_the_sample(sample):
    def statistic(x, y):
        assert x.dtype == sample.dtype and y.dtype == X.dtype
        assert set(x.tolist()) <= set(sample.tolist()) and len(x) == len(sample)
        return len(set(x.tolist()))

    options = {"n_resamples": 20, "rng": 1, "method": "percentile"}
    bootstrap((sample, X), statistic, **options)

    def paired(x, y):
        assert x.dtype == sample.dtype
        assert [sample.tolist()[int(i)] for i in y] == x.tolist()
        return len(set(y.tolist()))

    rows = np.arange(float(len(sample)))
    bootstrap((sample, rows), paired, paired=True, **options)


def test_a_function_may_overwrite_its_resample_and_keep_it():
    kept = []

    def statistic(x, axis):
        kept.append(x)
        x.sort(axis=axis)
        return x[..., 1]

    before = X.copy()
    ours = bootstrap((X,), statistic, n_resamples=500, rng=1, batch=50, method="percentile")
    np.testing.assert_array_equal(X, before)
    again = np.concatenate([np.partition(x, 1, axis=-1)[:, 1] for x in kept[1:]])
    np.testing.assert_array_equal(ours.bootstrap_distribution, again)


def test_a_function_that_raises_tells_where():
    def statistic(x):
        if x[0] == X[7]:
            raise KeyError("seven")
        return x.mean()

    with pytest.raises(KeyError) as caught:
        bootstrap((X,), statistic, rng=1)
    told = " ".join([*getattr(caught.value, "__notes__", []), str(caught.value)])
    assert "bootfold: in replicate " in told
    with pytest.raises(ValueError, match="must reduce the axis it is given"):
        bootstrap((X,), lambda x, axis: x, rng=1)
    with pytest.raises(TypeError, match="must be a function"):
        bootstrap((X,), "mean", rng=1)


def test_groups_of_rows_stand_for_rows_where_there_are_many():
    """Beyond 10,000 rows 1000 groups are deleted. Their values have a skewness with the standard
    error sqrt(6 / 1000), so the acceleration, a sixth of it over sqrt(1000), is off by 4.1e-4; five
    times that is passed once in 1.7 million."""
    from bootfold._distribution import CalledSource
    from bootfold._samples import Samples
    from bootfold._source import Settings

    x = np.random.default_rng(1).gamma(0.05, size=21_234)
    exact = scipy.stats.skew(x) / 6 / np.sqrt(x.size)
    for samples in (Samples((x,), 0, False), Samples((x, x**2), 0, True)):
        arguments = len(samples.arrays)

        def statistic(*given, axis, arguments=arguments):
            assert len(given) == arguments
            return np.mean(given[0], axis=axis)

        source = CalledSource(samples, statistic, True, Settings(), None)
        assert source.acceleration() == pytest.approx(exact, abs=5 * 4.1e-4)
    x = x[:9_999]
    source = CalledSource(Samples((x,), 0, False), statistic_of_one, True, Settings(), None)
    exact = scipy.stats.skew(x) / 6 / np.sqrt(x.size)
    assert source.acceleration() == pytest.approx(exact, rel=1e-6)


def statistic_of_one(x, axis):
    return np.mean(x, axis=axis)


def test_results_are_plain_values():
    result = bootstrap((X,), np.mean, n_resamples=99, rng=1)
    low, high = result.confidence_interval
    assert (low, high) == (result.confidence_interval.low, result.confidence_interval.high)
    assert isinstance(low, np.float64) and isinstance(result.standard_error, np.float64)
    again = pickle.loads(pickle.dumps(result))
    assert again.confidence_interval == result.confidence_interval and again.plan == result.plan
    assert repr(result).startswith("BootstrapResult(confidence_interval=ConfidenceInterval(low=")


def run_python(code):
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True)


def test_scipy_is_imported_for_its_warning_only():
    found = run_python("""
        import sys
        import bootfold as bf, numpy as np
        bf.stats.bootstrap(([1.0, 2, 3],), np.mean, rng=1)
        bf.stats.bootstrap(([1.0, 2, 3],), lambda x: x.max() - x.mean(), n_resamples=50, rng=1)
        assert "scipy" not in sys.modules
    """)
    assert found.returncode == 0, found.stderr


def test_works_without_scipy():
    found = run_python("""
        import sys, warnings
        sys.modules["scipy"] = None  # as if it were not installed
        import bootfold as bf, numpy as np
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = bf.stats.bootstrap(([1.0, 1, 1],), np.mean, rng=1)
        assert np.isnan(result.confidence_interval).all()
        assert issubclass(caught[-1].category, bf.stats.DegenerateDataWarning)
        assert issubclass(bf.stats.DegenerateDataWarning, RuntimeWarning)
    """)
    assert found.returncode == 0, found.stderr
