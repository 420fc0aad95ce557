"""Intervals and sets cover as they say, whatever the networks do."""

import itertools
import math
import pickle

import numpy as np
import pytest
from scipy.stats import betabinom

import bootfold as bf
from bootfold import _conformal

RNG = np.random.default_rng(17)
ONCE_IN_A_MILLION = 1e-6


def regressor(**given):
    return bf.EnsembleRegressor(**{"members": 10, "epochs": 30, "learning_rate": 1e-2} | given)


def curve(rows, noise=0.3, source=RNG):
    """Noise grows with x if `noise` is None."""
    x = source.uniform(-2, 2, size=(rows, 1))
    spread = 0.05 + 0.4 * (x[:, 0] + 2) / 2 if noise is None else noise
    return x, np.sin(2 * x[:, 0]) + spread * source.normal(size=rows)


def covered(limits, truth):
    low, high = limits
    return (low <= truth) & (truth <= high)


def allowed(new, held_out, confidence):
    """Counts of covered rows that occur but for once in a million, to either side.

    Of `new` rows the interval from the k-th smallest of n residuals covers a number that is
    beta-binomial(new, k, n + 1 - k), for continuous residuals and any model that did not see them.
    """
    rank = math.ceil(confidence * (held_out + 1))
    law = betabinom(new, rank, held_out + 1 - rank)
    return law.ppf(ONCE_IN_A_MILLION), law.isf(ONCE_IN_A_MILLION)


def test_the_limit_is_that_of_the_definition():
    """All orders of 5 values: the last is among the k smallest as often as the rank says."""
    for confidence, rank in ((0.5, 3), (0.6, 3), (0.61, 4), (0.8, 4)):
        inside = 0
        for order in itertools.permutations([0.1, 0.4, 0.7, 1.0, 2.0]):
            inside += order[4] <= _conformal.limit_of(np.array(order[:4]), confidence)
        assert inside == 120 * rank / 5 >= 120 * confidence
    assert _conformal.limit_of(np.arange(4.0), 0.81) == math.inf
    assert _conformal.limit_of(np.array([1.0, np.nan, 0.0]), 0.75) == math.inf
    assert _conformal.limit_of(np.array([1.0, np.nan, 0.0]), 0.5) == 1.0


@pytest.mark.parametrize("method", ["auto", "conformal", "scaled"])
@pytest.mark.parametrize("confidence", [0.5, 0.9])
def test_members_that_saw_all_rows_cover_by_validation_rows(method, confidence):
    """Networks that fit noise: their own spread covers far less than is asked for."""
    model = regressor(resampling="none", hidden=(64,), epochs=400)
    model.fit(*curve(60), validation=curve(400))
    x, y = curve(2000)
    low, high = allowed(2000, 400, confidence)
    inside = covered(model.predict_interval(x, confidence, method), y).sum()
    assert low <= inside <= high
    # The reason for all this: mean -+ z total, which contains no noise.
    mean, std = model.predict(x, return_std=True)
    narrow = covered((mean - 1.645 * std, mean + 1.645 * std), y).mean()
    assert narrow < 0.6


@pytest.mark.parametrize("resampling", ["none", "bayesian"])
@pytest.mark.parametrize("loss", ["squared_error", "gaussian"])
def test_members_that_saw_all_rows_have_no_interval_of_their_own(resampling, loss):
    x, y = curve(100)
    model = regressor(resampling=resampling, loss=loss).fit(x, y)
    remedy = rf"resampling '{resampling}' members are trained on all rows.*calibration=\(X, y\)"
    for method in ("auto", "jackknife+", "normal", "conformal", "scaled"):
        with pytest.raises(ValueError, match=remedy + ".*validation=.*resampling 'bootstrap'"):
            model.predict_interval(x, 0.9, method)
    low, high = model.predict_interval(x, 0.9, calibration=curve(200))
    assert (low < high).all()


@pytest.mark.parametrize("method", ["conformal", "scaled"])
def test_calibration_rows(method):
    model = regressor().fit(*curve(150))
    x, y = curve(2000, noise=0.6)  # other noise than that of the training
    limits = model.predict_interval(x, 0.9, method, calibration=curve(500, noise=0.6))
    low, high = allowed(2000, 500, 0.9)
    assert low <= covered(limits, y).sum() <= high


@pytest.mark.parametrize("method", ["auto", "conformal", "scaled"])
@pytest.mark.parametrize("resampling", ["bootstrap", "subsample"])
def test_out_of_bag_rows(method, resampling):
    """No exact law: out of bag a third of the members predict, so intervals are a little wide.

    400 rows, 90 %: a beta-binomial count is below 0.85 of 2000 once in 3,000; above 0.97 it would
    be once in 10^7, which leaves room for being wide.
    """
    model = regressor(members=40, resampling=resampling).fit(*curve(400))
    x, y = curve(2000)
    assert 0.85 < covered(model.predict_interval(x, 0.9, method), y).mean() < 0.97


def test_scaled_intervals_follow_the_noise():
    model = regressor(members=30, loss="gaussian", epochs=60).fit(*curve(600, None))
    given = {"calibration": curve(800, None)}
    x, y = curve(4000, None)
    quiet, loud = x[:, 0] < -1, x[:, 0] > 1
    plain = covered(model.predict_interval(x, 0.9, "conformal", **given), y)
    scaled = covered(model.predict_interval(x, 0.9, "scaled", **given), y)
    # Equal widths cover nearly all quiet rows and too few loud ones.
    assert plain[quiet].mean() > 0.97 and plain[loud].mean() < 0.82
    assert scaled[quiet].mean() < 0.97 and scaled[loud].mean() > 0.84
    low, high = allowed(4000, 800, 0.9)
    assert low <= plain.sum() <= high and low <= scaled.sum() <= high


def test_several_targets_and_few_rows():
    x, y = curve(100)
    model = regressor(resampling="none").fit(x, np.column_stack([y, 10 * y]))
    new, truth = curve(300)
    truth = np.column_stack([truth, 10 * truth])
    low, high = model.predict_interval(new, 0.9, calibration=(new[:150], truth[:150]))
    assert low.shape == (300, 2) and 7 < ((high - low)[0, 1] / (high - low)[0, 0]) < 14
    low, high = model.predict_interval(new, 0.9, calibration=(new[:5], truth[:5]))
    assert np.isinf(low).all() and np.isinf(high).all()  # 5 rows cannot tell 90 %
    with pytest.raises(ValueError, match="calibration has 1 targets but the estimator has 2"):
        model.predict_interval(new, calibration=(new, truth[:, 0]))


def test_pickles_and_files_and_parameters(tmp_path):
    x, y = curve(100)
    model = regressor(resampling="none").fit(x, y, validation=curve(100))
    wanted = model.predict_interval(x)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_interval(x), wanted)
    model.save(tmp_path / "model.safetensors")
    loaded = bf.EnsembleRegressor.load(tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match="calibration="):
        loaded.predict_interval(x)
    bag = regressor().fit(x, y)
    with pytest.raises(ValueError, match="not kept in files and by subset"):
        bag.subset([0, 1]).predict_interval(x, method="conformal")
    # Parameters from elsewhere may have been trained on the validation rows.
    tree = {name: value * 1.1 for name, value in model.stacked_parameters().items()}
    with pytest.raises(ValueError, match="calibration="):
        model.from_torch(tree).predict_interval(x)
    assert model.fit(x, y)._held_out is None


def clouds(rows, source=RNG):
    """Four classes in a plane that overlap."""
    labels = source.integers(0, 4, rows)
    centres = np.array([[0.0, 0.0], [1.5, 0.0], [0.0, 1.5], [1.5, 1.5]])
    names = np.array(["a", "b", "c", "d"])
    return centres[labels] + source.normal(size=(rows, 2)), names[labels]


def has(sets, model, truth):
    return sets[np.arange(len(truth)), np.searchsorted(model.classes_, truth)]


@pytest.mark.parametrize("method", ["threshold", "adaptive"])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_sets_of_classes(method, confidence):
    """The most probable class is always in, so coverage may only be higher than the law's."""
    model = bf.EnsembleClassifier(members=10, epochs=300, hidden=(64,), resampling="none")
    model.set_params(learning_rate=1e-2).fit(*clouds(120), validation=clouds(500))
    rows, truth = clouds(3000)
    sets = model.predict_set(rows, confidence, method)
    assert sets.dtype == bool and sets.any(axis=1).all()
    inside = has(sets, model, truth)
    assert inside.sum() >= allowed(3000, 500, confidence)[0]
    if method == "threshold":  # sums of such probabilities are 1 to the last digits for many rows
        assert inside.mean() < confidence + 0.06 and 1 < sets.sum(axis=1).mean() < 3.8
    # Overfitted probabilities: the classes that add up to the confidence cover less.
    assert (model.predict(rows) == truth).mean() < 0.7
    bagged = bf.EnsembleClassifier(members=40, epochs=30).fit(*clouds(400))
    sets = bagged.predict_set(rows, confidence, method)
    assert confidence - 0.05 < has(sets, bagged, truth).mean() < confidence + 0.06
    assert 1 < sets.sum(axis=1).mean() < 3.8


def test_sets_without_held_out_rows():
    rows, truth = clouds(200)
    model = bf.EnsembleClassifier(members=5, epochs=5, resampling="none").fit(rows, truth)
    with pytest.raises(ValueError, match=r"resampling 'none'.*calibration=\(X, y\)"):
        model.predict_set(rows)
    sets = model.predict_set(rows, calibration=clouds(100))
    assert sets.shape == (200, 4)
    assert model.predict_set(rows, 0.99, calibration=clouds(20)).all()  # 20 rows cannot tell 99 %
    with pytest.raises(ValueError, match="calibration has the class 'z'"):
        model.predict_set(rows, calibration=(rows[:2], np.array(["a", "z"])))
    for confidence in (0.0, 1.0, 90):
        with pytest.raises(ValueError, match=f"confidence is {confidence} but must be above 0"):
            model.predict_set(rows, confidence, calibration=clouds(20))
    with pytest.raises(ValueError, match="method is 'aps' but must be 'threshold' or 'adaptive'"):
        model.predict_set(rows, 0.9, "aps", calibration=clouds(20))


def test_misuse():
    x, y = curve(60)
    model = regressor().fit(x, y)
    with pytest.raises(ValueError, match="calibration is for method 'conformal' and 'scaled'"):
        model.predict_interval(x, method="normal", calibration=(x, y))
    with pytest.raises(ValueError, match="method is 'bca' but must be one of auto, jackknife"):
        model.predict_interval(x, method="bca")
    with pytest.raises(ValueError, match="confidence is 2"):
        model.predict_interval(x, 2, "scaled")
