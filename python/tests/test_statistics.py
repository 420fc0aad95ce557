"""What may be given as a statistic."""

import ctypes
import functools
import statistics

import numba
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy
import scipy.stats

import bootfold as bf

# So few rows that sums, too, are made of the rows drawn: by the same draws as functions see.
X = np.random.default_rng(4).gamma(2.0, size=100)
Y = X + np.random.default_rng(5).normal(size=100)


def run(statistic, data=X, **arguments):
    count = {} if arguments.get("scheme") == "jackknife" else {"replicates": 300}
    return bf.bootstrap(data, statistic, seed=7, **count, **arguments)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (np.mean, "mean"),
        (np.median, "median"),
        (np.sum, "sum"),
        (np.min, "min"),
        (np.max, "max"),
        (max, "max"),
        (np.std, "standard_deviation:0"),
        (np.var, "variance:0"),
        (functools.partial(np.std, ddof=1), "standard_deviation:1"),
        (functools.partial(np.var, ddof=1), "variance:1"),
        (functools.partial(np.quantile, q=0.9), "quantile:0.9"),
        (functools.partial(np.percentile, q=97.5), "quantile:0.975"),
        (functools.partial(np.mean, axis=-1), "mean"),
        (statistics.fmean, "mean"),
        (statistics.stdev, "standard_deviation:1"),
        (scipy.stats.skew, "skewness"),
        (scipy.stats.kurtosis, "kurtosis"),
        (scipy.stats.iqr, "interquartile_range"),
        (functools.partial(scipy.stats.trim_mean, proportiontocut=0.1), "trimmed_mean:0.1"),
    ],
    ids=str,
)
def test_functions_that_have_a_name_run_by_it(function, name):
    r = run(function)
    np.testing.assert_array_equal(r.replicates, run(name).replicates)
    assert f"is known as {name}" in r.plan.reason
    # And the name means what the function computes.
    assert r.estimate == pytest.approx(float(function(X)), rel=1e-9)


@pytest.mark.parametrize(
    "function",
    [
        functools.partial(np.std, ddof=2),
        functools.partial(np.quantile, q=0.9, method="lower"),
        functools.partial(np.mean, dtype=np.float32),
        functools.partial(scipy.stats.kurtosis, fisher=False),
        np.ptp,
    ],
    ids=str,
)
def test_other_arguments_are_not_recognised_but_computed(function):
    r = run(function)
    assert "is known as" not in r.plan.reason
    assert r.estimate == pytest.approx(float(function(X)), rel=1e-6)


def test_several_quantiles_are_several_values():
    r = run(functools.partial(np.quantile, q=[0.1, 0.5, 0.9]))
    np.testing.assert_allclose(r.estimate, np.quantile(X, [0.1, 0.5, 0.9]))
    assert r.replicates.shape == (300, 3)


def test_lists_of_names_share_their_resamples():
    r = run(["mean", "median", np.max])
    assert r.outputs == ["mean", "median", "max"]
    assert (r.replicates[:, 2] >= r.replicates[:, 1]).all()


class TestFunctions:
    def test_plain_and_vectorised_functions_see_the_same_resamples(self):
        plain = run(lambda x: x.max() - x.min())
        vectorised = run(lambda x, axis: np.max(x, axis=axis) - np.min(x, axis=axis))
        np.testing.assert_array_equal(plain.replicates, vectorised.replicates)
        assert plain.estimate == X.max() - X.min()

    @pytest.mark.parametrize("memory", ["14MB", "64MB", "1GB"])
    @pytest.mark.parametrize("threads", [1, 2, 7])
    def test_batches_do_not_depend_on_memory_or_threads(self, memory, threads):
        def spread(x, axis):
            return np.ptp(x, axis=axis)

        whole = bf.bootstrap(X, np.ptp, replicates=3000, seed=7)
        again = bf.bootstrap(X, spread, replicates=3000, seed=7, memory=memory, threads=threads)
        np.testing.assert_array_equal(again.replicates, whole.replicates)

    def test_a_function_of_the_resample_agrees_with_the_name(self):
        named = bf.bootstrap(X, "mean", replicates=2000, seed=7)
        written = bf.bootstrap(X, lambda x, axis: x.mean(axis=axis), replicates=2000, seed=7)
        np.testing.assert_allclose(written.replicates, named.replicates, rtol=1e-9)
        for method in ("bca", "percentile", "basic", "normal"):
            np.testing.assert_allclose(
                list(written.interval(method)), list(named.interval(method)), rtol=1e-7
            )

    def test_several_values(self):
        r = run(lambda x: [x.mean(), x.std()])
        assert r.estimate.shape == (2,) and r.outputs == ["statistic[0]", "statistic[1]"]
        v = run(lambda x, axis: np.stack([x.mean(axis=axis), x.std(axis=axis)]))
        np.testing.assert_allclose(v.replicates, r.replicates, rtol=1e-12)
        d = run(lambda x: {"centre": x.mean(), "spread": x.std()})
        assert d.outputs == ["centre", "spread"]

    def test_paired_samples_come_as_arguments(self):
        r = run(lambda x, y: np.corrcoef(x, y)[0, 1], (X, Y), paired=True)
        np.testing.assert_allclose(
            r.replicates, run("correlation", (X, Y), paired=True).replicates, rtol=1e-6
        )

    def test_matrix_and_vector(self):
        design = np.column_stack([np.ones_like(X), X])
        r = run(lambda a, y: np.linalg.lstsq(a, y, rcond=None)[0], (design, Y), paired=True)
        np.testing.assert_allclose(
            r.replicates, run("regression", (Y, X), paired=True).replicates, rtol=1e-6
        )

    def test_tables_are_reduced_along_their_rows(self):
        table = np.column_stack([X, Y])
        r = run(lambda t: t.mean(axis=0), table)
        v = run(lambda t, axis: t.mean(axis=axis), table)
        np.testing.assert_allclose(r.replicates, v.replicates, rtol=1e-12)
        np.testing.assert_allclose(r.replicates, run("mean", table).replicates, rtol=1e-9)

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_frames_come_as_frames(self, frame):
        r = run(lambda f: f["y"].sum() / f["x"].sum(), frame({"x": X, "y": Y}))
        np.testing.assert_allclose(
            r.replicates, run("ratio", (Y, X), paired=True).replicates, rtol=1e-6
        )

    # Independent samples: the variance of a difference is the sum of the variances. The error of a
    # standard error from 20,000 replicates is 0.5 %; 3 % is six of them.
    def test_independent_samples_of_different_lengths(self):
        short = Y[:60]
        r = bf.bootstrap((X, short), lambda x, y: x.mean() - y.mean(), replicates=20_000, seed=7)
        expected = np.hypot(X.std() / np.sqrt(X.size), short.std() / np.sqrt(short.size))
        assert r.standard_error == pytest.approx(expected, rel=0.03)
        low, high = r.interval("bca")
        assert low < r.estimate < high

    def test_data_sets_along_an_axis(self):
        data = np.stack([X, Y])
        plain = run(lambda x: x.max() - x.min(), data, axis=1)
        vectorised = run(np.ptp, data, axis=1)
        assert plain.estimate.shape == (2,)
        np.testing.assert_array_equal(plain.replicates, vectorised.replicates)

    def test_a_kept_batch_is_not_overwritten(self):
        kept = []

        def keep(x, axis):
            kept.append((x, x.copy()))
            return x.mean(axis=axis)

        bf.bootstrap(np.arange(5000.0), keep, replicates=500, seed=7)
        assert len(kept) > 3
        for view, copy in kept:
            np.testing.assert_array_equal(view, copy)

    def test_a_batch_may_be_changed(self):
        def middle(x):
            x.sort()
            return x[x.size // 2]

        data = X.copy()
        r = bf.bootstrap(data, middle, replicates=100, seed=7)
        np.testing.assert_array_equal(data, X)
        assert r.estimate == np.sort(X)[X.size // 2]

    @pytest.mark.parametrize("scheme", ["poisson", "balanced", "stationary", "jackknife"])
    def test_schemes(self, scheme):
        written = run(lambda x: x.mean(), scheme=scheme)
        named = run("mean", scheme=scheme)
        assert written.replicates.shape == named.replicates.shape
        # Poisson draws its rows in another way where it need not show them.
        assert written.standard_error == pytest.approx(named.standard_error, rel=0.3)

    def test_clusters(self):
        labels = np.arange(100) // 7
        written = run(lambda x: x.mean(), clusters=labels)
        np.testing.assert_allclose(
            written.standard_error, run("mean", clusters=labels).standard_error, rtol=0.3
        )


class TestSums:
    def test_regression_is_a_function_of_means(self):
        def features(x, y):
            return x, y, x * x, x * y

        def slope(means):
            x, y, xx, xy = means
            return (xy - x * y) / (xx - x * x)

        statistic = bf.sums(features, slope, name="slope", tolerance=1e-12)
        r = run(statistic, (X, Y), paired=True)
        named = run("regression", (Y, X), paired=True)
        assert r.outputs == ["slope"]
        np.testing.assert_allclose(r.replicates, named.replicates[:, 1], rtol=1e-7)
        np.testing.assert_allclose(
            list(r.interval("bca")), [v[1] for v in named.interval("bca")], rtol=1e-5
        )

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_frames_come_as_frames(self, frame):
        ratio = bf.sums(lambda f: (f["y"], f["x"]), lambda m: m[0] / m[1], tolerance=1e-12)
        r = run(ratio, frame({"x": X, "y": Y}))
        np.testing.assert_allclose(
            r.replicates, run("ratio", (Y, X), paired=True).replicates, rtol=1e-6
        )

    def test_several_values_and_arrays_of_features(self):
        both = bf.sums(lambda x: np.column_stack([x, x * x]), lambda m: np.stack([m[0], m[1]]))
        r = run(both)
        np.testing.assert_allclose(r.estimate, [X.mean(), (X * X).mean()])

    def test_long_runs_are_finished_in_pieces(self):
        calls = []

        def finish(means):
            calls.append(means.shape[1])
            return means[0]

        r = bf.bootstrap(
            np.arange(10.0), bf.sums(lambda x: [x] * 64, finish), replicates=50_000, seed=7
        )
        named = bf.bootstrap(np.arange(10.0), "mean", replicates=50_000, seed=7)
        np.testing.assert_allclose(r.replicates, named.replicates, rtol=1e-12)
        assert max(calls) <= 32_768
        balanced = bf.bootstrap(
            np.arange(10.0),
            bf.sums(lambda x: [x] * 64, finish),
            replicates=50_000,
            seed=7,
            scheme="balanced",
        )
        assert balanced.bias == pytest.approx(0.0, abs=1e-12)  # every row is drawn equally often

    def test_misuse(self):
        with pytest.raises(ValueError, match=r"shape \(2, 100\) for 100 rows"):
            run(bf.sums(lambda x: np.stack([x, x]), lambda m: m[0]))
        with pytest.raises(ValueError, match="last axis must be the replicates"):
            run(bf.sums(lambda x: (x,), lambda m: 3.0))
        with pytest.raises(ValueError, match="feature 2 has shape"):
            run(bf.sums(lambda x: (x, x[:3]), lambda m: m[0]))
        with pytest.raises(ValueError, match="jackknife"):
            run(bf.sums(lambda x: (x,), lambda m: m[0]), scheme="jackknife")
        with pytest.raises(TypeError, match="must be functions"):
            bf.sums(3, 4)


class TestCompiled:
    @staticmethod
    def source(values, n):
        total = 0.0
        for i in range(n):
            total += values[i]
        return total / n

    def test_numba_and_low_level_callables_agree_with_the_name(self):
        signature = numba.types.double(numba.types.CPointer(numba.types.double), numba.types.intp)
        compiled = numba.cfunc(signature)(self.source)
        named = run("mean")
        for statistic in (
            compiled,
            scipy.LowLevelCallable(compiled.ctypes),
            compiled.ctypes,
        ):
            r = run(statistic)
            np.testing.assert_allclose(r.replicates, named.replicates, rtol=1e-9)
            assert "resample itself" in r.plan.reason

    def test_user_data_arrives(self):
        pointer = numba.types.CPointer(numba.types.double)
        signature = numba.types.double(pointer, numba.types.intp, numba.types.voidptr)

        @numba.cfunc(signature)
        def above(values, n, user_data):
            threshold = numba.carray(user_data, 1, dtype=numba.float64)[0]
            count = 0.0
            for i in range(n):
                if values[i] > threshold:
                    count += 1.0
            return count / n

        threshold = np.array([2.0])
        data = threshold.ctypes.data_as(ctypes.c_void_p)
        r = run(scipy.LowLevelCallable(above.ctypes, data))
        np.testing.assert_allclose(r.replicates, run(lambda x: (x > 2).mean()).replicates)

    def test_columns(self):
        pointer = numba.types.CPointer(numba.types.double)
        signature = numba.types.double(
            numba.types.CPointer(pointer), numba.types.intp, numba.types.intp
        )

        @numba.cfunc(signature)
        def ratio(columns, count, n):
            x = 0.0
            y = 0.0
            for i in range(n):
                x += columns[0][i]
                y += columns[1][i]
            return x / y

        r = run(ratio, (Y, X), paired=True)
        np.testing.assert_allclose(
            r.replicates, run("ratio", (Y, X), paired=True).replicates, rtol=1e-9
        )

    def test_another_signature_is_refused(self):
        function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x)
        with pytest.raises(TypeError, match=r"signature 'c_int.*double \(double \*, intptr_t\)"):
            run(function)


class TestMisuse:
    def test_unknown_names_suggest_the_nearest(self):
        with pytest.raises(ValueError, match="did you mean 'median'"):
            run("medain")

    def test_things_that_are_no_statistic(self):
        with pytest.raises(TypeError, match="must be a name"):
            run(3)
        with pytest.raises(ValueError, match="empty list"):
            run([])
        with pytest.raises(TypeError, match="a list is of names"):
            run(["mean", lambda x: x.mean()])

    def test_named_statistics_of_independent_samples(self):
        with pytest.raises(ValueError, match="paired=True"):
            run("correlation", (X, Y))

    def test_an_exception_says_in_which_replicate(self):
        def fails(x):
            if x[0] != X[0]:
                raise ZeroDivisionError("oh")
            return 1.0

        with pytest.raises(ZeroDivisionError) as caught:
            run(fails)
        text = " ".join(map(str, getattr(caught.value, "__notes__", [])))
        assert "replicate" in text + str(caught.value)

    def test_wrong_shapes_and_types(self):
        with pytest.raises(ValueError, match="vectorized=False"):
            run(lambda x, axis: 3.0)
        with pytest.raises(TypeError, match="must return a number"):
            run(lambda x: "text")

        calls = []

        def changing(x):
            calls.append(1)
            return [1.0] * (1 + len(calls) % 2)

        with pytest.raises((TypeError, ValueError)):
            run(changing)
