"""A function that returns None is an error that says so."""

import numpy as np
import pytest

import bootfold as bf

X = np.arange(30.0)


def forgets(*data, **options):
    """No return statement."""
    np.mean(data[0])


def sometimes(values):
    return None if values[0] > 20 else values.mean()


def sometimes_in_part(values):
    return values.mean(), (None if values[0] > 20 else 1.0)


def forgets_vectorized(values, axis):
    np.mean(values, axis=axis)


def objects(values, axis):
    return np.array([None] * len(values), dtype=object)


@pytest.mark.parametrize(
    ("function", "name", "options"),
    [
        (forgets, "forgets", {}),
        (forgets, "forgets", {"vectorized": False}),
        (forgets, "forgets", {"vectorized": True}),
        (forgets, "forgets", {"takes": "counts"}),
        (forgets, "forgets", {"takes": "weights"}),
        (forgets, "forgets", {"takes": "weights", "scheme": "bayesian"}),
        (forgets, "forgets", {"scheme": "jackknife", "replicates": None}),
        (forgets_vectorized, "forgets_vectorized", {}),
        (objects, "objects", {}),
        (sometimes, "sometimes", {}),
        (sometimes_in_part, "sometimes_in_part", {}),
        (lambda v: None, "<lambda>", {}),
        (lambda v: {"a": None, "b": 1}, "<lambda>", {}),
        (lambda v: [v.mean(), None], "<lambda>", {}),
    ],
)
def test_bootstrap_says_which_function_returned_none(function, name, options):
    with pytest.raises(TypeError, match=f"the statistic {name} returned None but must return"):
        bf.bootstrap(X, function, **{"seed": 7, "replicates": 200} | options)


def test_data_sets_along_an_axis_and_several_samples():
    for options in ({}, {"vectorized": True}):
        with pytest.raises(TypeError, match="the statistic forgets returned None"):
            bf.bootstrap(X.reshape(3, 10), forgets, axis=1, replicates=10, **options)
    with pytest.raises(TypeError, match="the statistic forgets returned None"):
        bf.bootstrap((X, X + 1), forgets, replicates=10)
    with pytest.raises(TypeError, match="the statistic forgets returned None"):
        bf.bootstrap((X, X + 1), forgets, takes="counts", replicates=10)
    with pytest.raises(TypeError, match="the statistic forgets returned None"):
        bf.explain(X, forgets)


def test_functions_of_sums():
    for features in (lambda v: None, lambda v: (v, None), lambda v: [None]):
        with pytest.raises(TypeError, match="features <lambda> returned None but must return"):
            bf.bootstrap(X, bf.sums(features, lambda m: m[0]), replicates=10)
    for finish in (lambda m: None, lambda m: [None] * m.shape[1], lambda m: (m[0], None)):
        with pytest.raises(TypeError, match="finish <lambda> returned None but must return"):
            bf.bootstrap(X, bf.sums(lambda v: v, finish), replicates=10)


def test_scipys_door_and_scores():
    for function in (forgets, sometimes, lambda v: [1.0, None]):
        with pytest.raises(TypeError, match="returned None but must return"):
            bf.stats.bootstrap((X,), function, vectorized=False, n_resamples=200)
    with pytest.raises(TypeError, match="returned None but must return"):
        bf.stats.bootstrap((X,), forgets_vectorized, n_resamples=20)
    for versus in (None, X):
        with pytest.raises(TypeError, match="the statistic forgets returned None"):
            bf.bootstrap_score(X, None, X, forgets, versus=versus, replicates=10)


def test_nan_is_still_a_number():
    result = bf.bootstrap(X, lambda v: np.nan if v[0] > 20 else v.mean(), replicates=100, seed=7)
    assert np.isnan(result.replicates).any()
