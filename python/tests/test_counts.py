"""Counts of resamples, and functions of them."""

import threading

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

import bootfold as bf

ROWS = 3000
WHOLE = np.random.default_rng(3).integers(-50, 50, ROWS).astype(float)


def mean(x, counts):
    return counts @ x / counts.sum(axis=1)


def test_counts_are_the_resamples_of_path_stream():
    c = bf.counts(ROWS, 100, seed=7, first=3)
    assert c.shape == (100, ROWS) and c.dtype == np.uint8 and (c.sum(axis=1) == ROWS).all()
    r = bf.bootstrap(WHOLE, "sum", replicates=103, seed=7, path="stream")
    np.testing.assert_array_equal(c @ WHOLE, np.round(r.replicates[3:], 6))
    np.testing.assert_array_equal(c[40:], bf.counts(ROWS, 60, seed=7, first=43, threads=1))


def test_batches_are_the_array_in_pieces():
    whole = bf.counts(ROWS, 50, seed=7)
    told = []
    for batch in (None, 7, 50, 1000):
        made = bf.counts(
            ROWS, 50, seed=7, batches=True, batch=batch, progress=lambda *a: told.append(a)
        )
        firsts, parts = zip(*made, strict=True)
        np.testing.assert_array_equal(np.concatenate(parts), whole)
        assert firsts[0] == 0 and told[-1] == (50, 50)
    small = list(bf.counts(ROWS, 500, seed=7, batches=True, memory="1MiB"))
    assert len(small) > 10 and all(part.nbytes <= 2**17 for _, part in small)
    with pytest.raises(ValueError, match="batches=True"):
        bf.counts(ROWS, 500, memory="1MB")


# What functions of the resample get, under schemes that list rows.
@pytest.mark.parametrize(
    "how",
    [
        {"clusters": np.arange(ROWS) // 7},
        {"clusters": np.arange(ROWS) // 7, "two_stage": True},
        {"strata": np.arange(ROWS) // 7},
        {"scheme": "circular", "block_length": 12},
        {"block_length": 12.5},
        {"scheme": "balanced"},
        {"size": 5000},
    ],
)
def test_other_schemes(how):
    drawn = []
    bf.bootstrap(np.arange(ROWS), lambda x: drawn.append(x) or 0.0, replicates=8, seed=7, **how)
    expected = [np.bincount(rows.astype(int), minlength=ROWS) for rows in drawn[1:]]
    np.testing.assert_array_equal(bf.counts(ROWS, 8, seed=7, **how), expected)


def test_types_hold_their_counts():
    heavy = np.r_[1.0, np.zeros(9)]
    c = bf.counts(10, 3, probabilities=heavy, size=70_000)
    assert c.dtype == np.uint32 and (c[:, 0] == 70_000).all()
    assert bf.counts(10, 3, size=5000).dtype == np.uint16
    assert bf.counts(10, 3, dtype=np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="row 0 is drawn more than 255 times in replicate 0"):
        bf.counts(10, 3, probabilities=heavy, size=70_000, dtype="uint8")
    weights = bf.counts(1000, 5, scheme="bayesian", seed=7)
    np.testing.assert_allclose(weights.sum(axis=1), 1000)
    x = np.random.default_rng(1).normal(size=1000)
    r = bf.bootstrap(x, "mean", scheme="bayesian", seed=7, replicates=5)
    # Sums are off by at most a hundred-thousandth of a standard error.
    error = 1e-5 * x.std() / np.sqrt(1000)
    np.testing.assert_allclose(weights @ x / 1000, r.replicates, rtol=0, atol=error)
    jack = bf.counts(5, 5, scheme="jackknife")
    np.testing.assert_array_equal(jack, 1 - np.eye(5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bf.counts(0, 5), "rows is 0"),
        (lambda: bf.counts(5, 0), "replicates is 0"),
        (lambda: bf.counts(5, 5, first=-1), "first is -1"),
        (lambda: bf.counts(5, 5, dtype=np.int8), "dtype is int8"),
        (lambda: bf.counts(5, 5, scheme="bayesian", dtype="uint8"), "no counts"),
        (lambda: bf.counts(5, 5, scheme="stationary"), "block_length"),
        (lambda: bf.counts(5, 5, strata=[1, 2]), "strata has 2 labels"),
        (lambda: bf.counts(5, 6, scheme="jackknife"), "the run has 5"),
        (lambda: bf.counts(5, 6, scheme="nothing"), "nothing"),
        (lambda: bf.counts(5, 6, batch=2), "batches=True"),
    ],
)
def test_wrong_arguments_of_counts(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# A function of counts has the replicates of the named statistic on path stream.
@pytest.mark.parametrize("takes", ["counts", "weights"])
def test_functions_of_counts(takes):
    r = bf.bootstrap(WHOLE, mean, takes=takes, replicates=500, seed=7)
    named = bf.bootstrap(WHOLE, "mean", replicates=500, seed=7, path="stream")
    np.testing.assert_allclose(r.replicates, named.replicates, atol=1e-12)
    assert r.estimate == pytest.approx(WHOLE.mean(), abs=1e-12) and r.outputs == ["mean"]
    assert r.standard_error == pytest.approx(named.standard_error)
    assert r.plan.path == "stream" and "counts" in r.plan.reason
    for method in ("percentile", "basic", "normal"):
        limits = [tuple(one.interval(method)) for one in (r, named)]
        np.testing.assert_allclose(*limits, rtol=1e-9)
    limits = [tuple(one.interval("bca")) for one in (r, named)]
    np.testing.assert_allclose(*limits, rtol=1e-3, atol=1e-3)
    longer = r.extend(100)
    again = bf.bootstrap(WHOLE, mean, takes=takes, replicates=600, seed=7, threads=1, memory="40M")
    np.testing.assert_array_equal(longer.replicates, again.replicates)
    plan = bf.explain(WHOLE, mean, takes=takes, replicates=600, seed=7)
    assert plan.path == "stream"


def test_bca_of_counts_deletes_rows_one_by_one():
    x = np.random.default_rng(8).gamma(2.0, size=60)

    def variation(x, counts):
        centre = counts @ x / counts.sum(axis=1)
        return np.sqrt(counts @ (x * x) / counts.sum(axis=1) - centre**2) / centre

    r = bf.bootstrap(x, variation, takes="counts", seed=7, interval="bca")
    by_sums = bf.sums(lambda x: (x, x * x), lambda m: np.sqrt(m[1] - m[0] ** 2) / m[0])
    s = bf.bootstrap(x, by_sums, seed=7, path="stream")
    np.testing.assert_allclose(tuple(r.interval()), tuple(s.interval("bca")), rtol=1e-5)
    jack = bf.bootstrap(x, variation, takes="weights", scheme="jackknife")
    assert jack.replicates.shape == (60,)
    assert jack.standard_error == pytest.approx(r.standard_error, rel=0.3)


# Schemes that weigh rows take any weighted function.
@pytest.mark.parametrize("how", [{"scheme": "bayesian"}, {"weights": np.arange(1.0, ROWS + 1)}])
def test_schemes_that_weigh(how):
    r = bf.bootstrap(WHOLE, mean, takes="weights", replicates=200, seed=7, **how)
    named = bf.bootstrap(WHOLE, "mean", replicates=200, seed=7, **how)
    np.testing.assert_allclose(r.replicates, named.replicates, rtol=1e-9, atol=1e-9)
    if "scheme" in how:
        assert r.interval("bca").low < r.interval("bca").high
        with pytest.raises(ValueError, match="takes weights"):
            bf.bootstrap(WHOLE, mean, takes="counts", **how)


def test_what_a_function_gets():
    import pandas as pd

    seen = []

    def look(*arguments):
        seen.append(arguments)
        return np.zeros((len(arguments[-1]), 2, 3))

    frame = pd.DataFrame({"a": WHOLE, "b": WHOLE, "school": np.arange(ROWS) // 10})
    r = bf.bootstrap(frame, look, takes="counts", clusters="school", replicates=30)
    assert list(seen[0][0].columns) == ["a", "b"] and r.estimate.shape == (2, 3)
    assert seen[0][1].tolist() == [[1] * ROWS] and r.replicates.shape == (30, 2, 3)
    assert "cluster" in r.plan.scheme
    seen.clear()
    bf.bootstrap([1.0, 2.0, 3.0], look, takes="weights", replicates=5)
    assert isinstance(seen[0][0], np.ndarray) and seen[-1][1].dtype == np.float64
    seen.clear()
    x = np.array([1.0, np.nan, 3.0])
    bf.bootstrap((x, x), look, takes="counts", replicates=5, nan="omit", paired=True)
    assert seen[-1][0].tolist() == [1.0, 3.0] and seen[-1][2].shape == (5, 2)
    with pytest.raises(ValueError, match="is nan"):
        bf.bootstrap(x, look, takes="counts")


def test_independent_samples_have_counts_of_their_own():
    def difference(x, y, of_x, of_y):
        return of_x @ x / of_x.sum(axis=1) - of_y @ y / of_y.sum(axis=1)

    def slow(x, y):
        return x.mean() - y.mean()

    x, y = WHOLE[:40], WHOLE[40:100]
    r = bf.bootstrap((x, y), difference, takes="counts", seed=7, replicates=2000)
    s = bf.bootstrap((x, y), slow, seed=7, replicates=2000)
    np.testing.assert_allclose(r.replicates, s.replicates, atol=1e-9)
    np.testing.assert_allclose(tuple(r.interval("bca")), tuple(s.interval("bca")), rtol=1e-6)


def test_batches_have_one_shape_and_stay_in_memory():
    shapes = set()

    def look(x, counts):
        shapes.add(counts.shape)
        return counts[:, 0].astype(float)

    r = bf.bootstrap(WHOLE, look, takes="counts", replicates=1003, memory="32M")
    assert len(shapes) == 2 and r.replicates.shape == (1003,)
    assert max(shapes)[0] * ROWS * 8 <= 2**25 / 8
    np.testing.assert_array_equal(r.replicates, bf.counts(ROWS, 1003)[:, 0])


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda x, c: 1.0, ValueError, r"shape \(\) for counts of shape \(1, 3000\)"),
        (lambda x, c: np.zeros(2), ValueError, "one row of values, for each of the 1"),
        (lambda x, c: "mean", TypeError, "must return an array of numbers"),
        (lambda x, c: np.zeros((len(c), len(c))), ValueError, "all must have one shape"),
        (lambda x: x, TypeError, "positional argument"),
    ],
)
def test_bad_values(function, error, message):
    with pytest.raises(error, match=message):
        bf.bootstrap(WHOLE, function, takes="counts", replicates=20)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bf.bootstrap(WHOLE, mean, takes="rows"), "takes is 'rows'"),
        (lambda: bf.bootstrap(WHOLE, "mean", takes="counts"), "omit takes"),
        (lambda: bf.bootstrap(WHOLE, mean, takes="counts", vectorized=True), "omit vectorized"),
        (lambda: bf.bootstrap(WHOLE, mean, takes="counts", axis=0), "axis= does not go"),
        (lambda: bf.bootstrap(WHOLE, mean, takes="counts", replicates="exact"), "exact"),
        (lambda: bf.bootstrap(WHOLE, mean, takes="counts", path="order"), "path"),
        (
            lambda: bf.bootstrap(WHOLE, mean, takes="counts").interval("studentized"),
            "studentized",
        ),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_errors_say_where():
    def late(x, counts):
        if len(counts) > 1:
            raise RuntimeError("mine")
        return counts[:, 0].astype(float)

    with pytest.raises(RuntimeError, match="mine") as caught:
        bf.bootstrap(WHOLE, late, takes="counts", replicates=50)
    notes = getattr(caught.value, "__notes__", caught.value.args)
    assert "in the replicates 0 to 49" in str(notes)


def test_progress_and_threads():
    told = []
    bf.bootstrap(
        WHOLE,
        mean,
        takes="counts",
        replicates=2000,
        memory="32M",
        progress=lambda done, total: told.append(done / total),
    )
    assert told == sorted(told) and told[-1] == 1.0 and len(told) > 3
    found = []

    def run():
        found.append(bf.bootstrap(WHOLE, mean, takes="counts", replicates=500, seed=7).replicates)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((one == found[0]).all() for one in found)


class _Tensor:
    """What torch's tensors have: they must leave their graph and device first."""

    def __init__(self, values):
        self._values = values

    def detach(self):
        return self

    def cpu(self):
        return self._values


def test_values_of_other_packages():
    r = bf.bootstrap(WHOLE, lambda x, c: _Tensor(mean(x, c)), takes="counts", replicates=20, seed=7)
    expected = bf.bootstrap(WHOLE, mean, takes="counts", replicates=20, seed=7)
    np.testing.assert_array_equal(r.replicates, expected.replicates)
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.asarray(WHOLE)
    r = bf.bootstrap(x, lambda x, c: c @ x / len(x), takes="counts", replicates=20, seed=7)
    np.testing.assert_allclose(r.replicates, expected.replicates, rtol=1e-4, atol=1e-4)


def test_rows_beyond_a_super_block_under_weights_and_one_stratum():
    rows = 2**20 + 5000
    plain = bf.counts(rows, 2, seed=7)
    np.testing.assert_array_equal(bf.counts(rows, 2, seed=7, strata=np.zeros(rows, int)), plain)
    late = np.r_[np.zeros(1000), np.ones(rows - 1000)]
    weighted = bf.counts(rows, 2, seed=7, probabilities=late)
    np.testing.assert_array_equal(weighted.sum(axis=1), rows)
    assert not weighted[:, :1000].any()
    np.testing.assert_array_equal(weighted, bf.counts(rows, 2, seed=7, probabilities=late))


@pytest.mark.parametrize(("rows", "size"), [(1000, 1), (1000, 5), (2**20, 100), (3 * 2**20, 7)])
def test_few_draws_of_many_rows(rows, size):
    np.testing.assert_array_equal(bf.counts(rows, 3, seed=1, size=size).sum(axis=1), size)


def test_estimates_follow_the_weights():
    rng = np.random.default_rng(3)
    x = rng.normal(size=40_000)
    w = np.exp(x)
    named = bf.bootstrap(x, "mean", probabilities=w, replicates=200, seed=1)
    exact = np.average(x, weights=w)
    assert named.estimate == pytest.approx(exact, abs=1e-12)
    error = np.sqrt(np.average((x - exact) ** 2, weights=w) / x.size)
    for takes, off in (("counts", error / 50), ("weights", 1e-12)):
        r = bf.bootstrap(
            x, lambda x, c: c @ x / len(x), takes=takes, probabilities=w, replicates=20, seed=1
        )
        assert r.estimate == pytest.approx(exact, abs=off)
        assert r.extend(5).estimate == r.estimate
    for function in (lambda x: x.mean(), lambda x, axis: x.mean(axis=axis)):
        r = bf.bootstrap(x, function, probabilities=w, replicates=20, seed=1)
        assert r.estimate == pytest.approx(exact, abs=error / 50)
        assert r.extend(5).estimate == r.estimate
    label = (x + rng.normal(size=x.size) > 0).astype(float)
    r = bf.bootstrap((label, x), "roc_auc", paired=True, probabilities=w, replicates=200, seed=1)
    expected = sklearn_metrics.roc_auc_score(label, x, sample_weight=w)
    assert r.estimate == pytest.approx(expected, abs=1e-12)
    # The mean of 200 replicates is within five standard errors of the estimate, but for once in a
    # million, and a bias that is much smaller.
    assert abs(r.replicates.mean() - r.estimate) < 5 * r.standard_error / np.sqrt(200) + 1e-3
    assert abs(r.estimate - bf.bootstrap((label, x), "roc_auc", paired=True).estimate) > 1e-2


def test_balanced_counts_are_those_of_one_run():
    np.testing.assert_array_equal(bf.counts(6, 4, scheme="balanced").sum(axis=0), 4)
    with pytest.raises(ValueError, match="first is 2 but scheme 'balanced'"):
        bf.counts(6, 2, first=2, scheme="balanced")


def test_missing_lengths_and_values_are_named():
    with pytest.raises(ValueError, match="scheme 'moving' needs block_length="):
        bf.counts(10, 2, scheme="moving")
    with pytest.raises(TypeError, match="the statistic .* returned None"):
        bf.bootstrap(np.arange(9.0), lambda x, c: None, takes="counts")
