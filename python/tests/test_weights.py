"""Weights of the statistic, frequencies of rows and probabilities of draws."""

import numpy as np
import pandas as pd
import pytest

import bootfold as bf

RNG = np.random.default_rng(11)
X = RNG.gamma(2.0, size=150) + 100
Y = RNG.normal(size=150) + 0.3 * X
W = RNG.integers(0, 6, size=150).astype(float)


def drawn(replicates, rows=150):
    return bf.counts(rows, replicates, seed=7).astype(float) * W[:rows]


def limits(result):
    return tuple(result.interval("bca"))


def test_weights_give_the_weighted_mean_of_every_resample():
    r = bf.bootstrap(X, "mean", weights=W, replicates=2000, seed=7, path="stream")
    assert r.estimate == pytest.approx(np.average(X, weights=W), rel=1e-12)
    expected = drawn(2000) @ X / drawn(2000).sum(axis=1)
    np.testing.assert_allclose(r.replicates, expected, rtol=1e-7)


def test_a_regression_is_weighted_least_squares():
    r = bf.bootstrap((Y, X), "regression", paired=True, weights=W, replicates=20, seed=7)
    root = np.sqrt(W)
    design = np.column_stack([root, root * X])
    expected = np.linalg.lstsq(design, root * Y, rcond=None)[0]
    np.testing.assert_allclose(r.estimate, expected, rtol=1e-8)


def test_each_column_of_a_table_is_weighted():
    frame = pd.DataFrame({"x": X, "y": Y, "w": W})
    r = bf.bootstrap(frame, ["mean", "median"], weights="w", replicates=100, seed=7)
    assert r.estimate.shape == (2, 2)
    expected = [np.average(X, weights=W), np.average(Y, weights=W)]
    np.testing.assert_allclose(r.estimate[0], expected, rtol=1e-12)


def test_functions_of_weights_get_the_product():
    named = bf.bootstrap(X, "mean", weights=W, replicates=2000, seed=7, path="stream")
    r = bf.bootstrap(
        X, lambda x, w: w @ x / w.sum(axis=1), weights=W, takes="weights", replicates=2000, seed=7
    )
    np.testing.assert_allclose(r.replicates, named.replicates, rtol=1e-7)
    assert r.estimate == pytest.approx(named.estimate, rel=1e-12)
    np.testing.assert_allclose(limits(r), limits(named), rtol=1e-4)


def test_sums_are_weighted_and_have_bca_intervals():
    variation = bf.sums(lambda x: (x - 100, (x - 100) ** 2), lambda m: m[1] - m[0] ** 2)
    r = bf.bootstrap(X, variation, weights=W, replicates=2000, seed=7, path="stream")
    named = bf.bootstrap(X, "variance:0", weights=W, replicates=2000, seed=7, path="stream")
    assert r.estimate == pytest.approx(named.estimate, rel=1e-10)
    np.testing.assert_allclose(r.replicates, named.replicates, rtol=1e-3)
    np.testing.assert_allclose(limits(r), limits(named), rtol=1e-3)


@pytest.mark.parametrize("statistic", ["mean", "variance", "median", "trimmed_mean:0.1"])
def test_frequencies_are_the_rows_written_out(statistic):
    times = W.astype(int)
    expected = bf.bootstrap(np.repeat(X, times), statistic, replicates=2000, seed=7)
    r = bf.bootstrap(X, statistic, frequencies=times, replicates=2000, seed=7)
    assert r.plan.rows == times.sum()
    np.testing.assert_array_equal(r.replicates, expected.replicates)
    assert r.estimate == expected.estimate
    if statistic != "median":  # whose neighbours are equal rows
        assert limits(r) == limits(expected)


def test_functions_see_the_rows_written_out():
    times = W.astype(int)
    expected = bf.bootstrap(np.repeat(X, times), np.ptp, replicates=2000, seed=7)
    r = bf.bootstrap(X, np.ptp, frequencies=times, replicates=2000, seed=7)
    np.testing.assert_array_equal(r.replicates, expected.replicates)
    spread = bf.sums(lambda x: (x, x * x), lambda m: m[1] - m[0] ** 2, tolerance=1e-9)
    expected = bf.bootstrap(np.repeat(X, times), spread, replicates=2000, seed=7)
    r = bf.bootstrap(X, spread, frequencies=times, replicates=2000, seed=7)
    np.testing.assert_array_equal(r.replicates, expected.replicates)
    np.testing.assert_allclose(limits(r), limits(expected), rtol=1e-9)


def test_a_table_of_counts_may_stand_for_many_rows():
    r = bf.bootstrap([0.0, 1.0], "mean", frequencies=[19_800_000, 200_000], seed=7)
    assert r.plan.path == "distinct"
    assert r.plan.rows == 20_000_000
    assert r.estimate == pytest.approx(0.01)
    assert r.standard_error == pytest.approx(np.sqrt(0.01 * 0.99 / 2e7), rel=0.03)


def test_comparisons_take_a_table_of_counts():
    table = {"v": ["A", "A", "B", "B"], "bought": [1.0, 0.0] * 2, "users": [200, 800, 260, 740]}
    long = {
        "v": np.repeat(table["v"], table["users"]),
        "bought": np.repeat(table["bought"], table["users"]),
    }
    found = bf.compare(table, value="bought", by="v", frequencies="users", seed=7)
    expected = bf.compare(long, value="bought", by="v", seed=7)
    assert found == expected
    assert found["difference"] == [pytest.approx(0.06)]


def test_comparisons_take_weights():
    table = {"v": ["A", "B"] * 75, "x": X, "w": W}
    found = bf.compare(table, value="x", by="v", weights="w", seed=7)
    means = [np.average(X[k::2], weights=W[k::2]) for k in (0, 1)]
    assert found["difference"] == [pytest.approx(means[1] - means[0], rel=1e-9)]


def test_sums_under_moving_blocks_have_the_centre_of_the_mean():
    x = np.arange(100.0) ** 2
    mean = bf.sums(lambda x: (x,), lambda m: m[0])
    for weights in (None, 1 + np.arange(100) % 5):
        given = {"scheme": "moving", "block_length": 30, "weights": weights, "seed": 7}
        r = bf.bootstrap(x, mean, replicates=500, **given)
        named = bf.bootstrap(x, "mean", replicates=500, **given)
        assert r.centre == pytest.approx(named.centre, rel=1e-12)
        assert r.centre != r.estimate


def test_rows_without_a_weight_are_omitted():
    weights = W.copy()
    weights[3] = np.nan
    kept = np.delete(np.arange(150), 3)
    given = {"replicates": 200, "seed": 7}
    for role in ("weights", "probabilities", "frequencies"):
        r = bf.bootstrap(X, "mean", nan="omit", **{role: weights}, **given)
        expected = bf.bootstrap(X[kept], "mean", **{role: W[kept]}, **given)
        np.testing.assert_array_equal(r.replicates, expected.replicates)
    table = {"v": ["A", "B"] * 75, "x": X, "w": weights}
    found = bf.compare(table, value="x", by="v", weights="w", nan="omit", **given)
    assert (found["control_rows"], found["rows"]) == ([75], [74])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bf.bootstrap(X, np.ptp, weights=W), "takes='weights' gives it"),
        (
            lambda: bf.bootstrap(X, lambda x, c: c @ x, takes="counts", weights=W),
            "takes='weights' gives the function the product",
        ),
        (lambda: bf.bootstrap((X, Y), lambda x, y: 0.0, frequencies=W), "paired=True"),
        (lambda: bf.bootstrap(X, np.ptp, frequencies=W + 0.5), r"is \d\.5 but must be a whole"),
        (lambda: bf.bootstrap(X, np.ptp, frequencies=np.full(150, np.inf)), "row 0 is inf"),
        (
            lambda: bf.bootstrap(X, lambda x, w: w @ x, takes="weights", weights=-W),
            "weight of row .* must be a number that is not negative",
        ),
        (lambda: bf.bootstrap(X, np.ptp, frequencies=W, probabilities=W), "do not go together"),
        (
            lambda: bf.compare(
                {"v": ["A", "B"], "x": [1.0, 2.0], "f": [1, 1], "p": [0, 0]},
                value="x",
                by="v",
                frequencies="f",
                pair="p",
            ),
            "pair and frequencies do not go together",
        ),
        (lambda: bf.bootstrap(X, "mean", weights=W, scheme="unequal"), "needs probabilities"),
        (
            lambda: bf.bootstrap(X, np.ptp, scheme="bayesian"),
            "not accumulators or functions of the resample",
        ),
    ],
)
def test_misuse(call, message):
    with pytest.raises(ValueError, match=message):
        call()
