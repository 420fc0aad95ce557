"""Intervals and sets cover as they say, whatever the networks do."""

import itertools
import json
import math
import os
import pickle
import subprocess

import numpy as np
import pytest
from scipy.stats import betabinom

import bootfold as bf
from bootfold import _core

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
            inside += order[4] <= _core.ScoreOrder.of(order[:4]).limit(confidence)
        assert inside == 120 * rank / 5 >= 120 * confidence
    assert _core.ScoreOrder.of(np.arange(4.0)).limit(0.81) == math.inf
    assert _core.ScoreOrder.of([1.0, np.nan, 0.0]).limit(0.75) == math.inf
    assert _core.ScoreOrder.of([1.0, np.nan, 0.0]).limit(0.5) == 1.0


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
    for model in (
        regressor(resampling="none").fit(x, y, validation=curve(100)),
        regressor().fit(x, y),
        regressor(loss="gaussian", target_transform="yeo-johnson").fit(x, y),
        regressor(loss="pinball", quantiles=(0.2, 0.8)).fit(x, y),
    ):
        wanted = model.predict_interval(x)
        assert np.isfinite(wanted).all()
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_interval(x), wanted)
        model.save(tmp_path / "model.safetensors")
        loaded = bf.EnsembleRegressor.load(tmp_path / "model.safetensors")
        np.testing.assert_array_equal(loaded.predict_interval(x), wanted)
        # Parameters from elsewhere may have been trained on the held-out rows.
        tree = {name: value * 1.1 for name, value in model.stacked_parameters().items()}
        reasons = ("parameters came from elsewhere.*calibration=", "subset drops.*calibration=")
        changed = model.from_torch(tree)
        changed.save(tmp_path / "changed.safetensors")
        read = bf.EnsembleRegressor.load(tmp_path / "changed.safetensors")
        for other, reason in zip((changed, read, model.subset([0, 1])), (reasons[0], *reasons)):
            with pytest.raises(ValueError, match=reason):
                other.predict_interval(x, method="conformal")
    bag = regressor(members=24).fit(x, y)
    with pytest.raises(ValueError, match="subset drops the scores"):
        bag.subset([0, 1]).predict_interval(x, method="conformal")
    few = bag.subset(range(20))
    low, high = few.predict_interval(x, 0.9)  # of scores out of bag
    mean, std = few.predict(x, return_std=True)
    assert np.isfinite([low, high]).all()
    np.testing.assert_allclose((high - low) / std, (high - low)[0] / std[0])
    few.save(tmp_path / "few.safetensors")
    loaded = bf.EnsembleRegressor.load(tmp_path / "few.safetensors")
    np.testing.assert_array_equal(loaded.predict_interval(x, 0.9), (low, high))
    # A missing target is no score, and no infinite one.
    missing = np.where(np.arange(100) == 3, np.nan, y)
    with pytest.raises(ValueError, match="row 3.*not finite"):
        bag.predict_interval(x, calibration=(x, missing))


def test_the_limits_are_those_of_the_definition():
    """Computed from the predictions of the estimator alone."""
    x, y = curve(200)
    held_out = curve(150)
    new, _ = curve(50)
    model = regressor(members=20, loss="gaussian").fit(x, y, validation=held_out)
    mean, std = model.predict(held_out[0], return_std=True)
    off = np.abs(held_out[1] - mean)
    found, total = model.predict(new, return_std=True)
    for confidence, rank in ((0.9, 136), (0.95, 144)):  # ceil(confidence 151)
        half = np.sort(off)[rank - 1]
        low, high = model.predict_interval(new, confidence, "conformal")
        np.testing.assert_array_equal([low, high], [found - half, found + half])
        half = np.sort(off / std)[rank - 1] * total
        for method in ("scaled", "auto"):
            low, high = model.predict_interval(new, confidence, method)
            np.testing.assert_array_equal([low, high], [found - half, found + half])
    # Deviations between fewer than 20 members are too random to scale by.
    few = model.subset(range(19))
    rows = {"confidence": 0.9, "calibration": held_out}
    np.testing.assert_array_equal(
        few.predict_interval(new, **rows), few.predict_interval(new, method="conformal", **rows)
    )


@pytest.mark.parametrize("transform", ["log", "yeo-johnson", "quantile"])
@pytest.mark.parametrize("method", ["conformal", "scaled"])
def test_transformed_targets(transform, method):
    """Noise that grows with the target: its logarithm has equal noise."""

    def rows(count):
        x, y = curve(count)
        return x, np.exp(y)

    model = regressor(resampling="none", target_transform=transform, epochs=60)
    model.fit(*rows(200), validation=rows(400))
    x, y = rows(2000)
    low, high = allowed(2000, 400, 0.9)
    limits = model.predict_interval(x, 0.9, method)
    assert low <= covered(limits, y).sum() <= high
    if transform == "log":
        assert (limits[0] > 0).all()
    if transform == "log" and method == "conformal":
        ratio = limits[1] / limits[0]
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)


def test_the_program_has_the_same_limits(tmp_path):
    """Columns of `bootfold ensemble predict`, of a model from here; they read back as the bits."""
    x, y = curve(300)
    cases = {
        "number": ({}, y),
        "rows": ({"resampling": "none"}, y),
        "quantiles": ({"loss": "pinball"}, y),
        "targets": ({"loss": ["gaussian", "poisson"]}, np.column_stack([y, np.abs(np.round(y))])),
    }
    np.save(tmp_path / "new.npy", x[:40])
    for name, (given, targets) in cases.items():
        held_out = (x[200:], targets[200:]) if name == "rows" else None
        model = regressor(**given).fit(x[:200], targets[:200], validation=held_out)
        model.save(tmp_path / "m.safetensors")
        for method in ("auto", "conformal"):
            more = [] if method == "auto" else ["--interval", method]
            found = program(
                tmp_path, "predict", "m.safetensors", "new.npy", "--confidence", "0.9", *more
            )
            wanted = np.array(model.predict_interval(x[:40], 0.9, method)).reshape(2, 40, -1)
            for number in range(wanted.shape[2]):
                prefix = f"target{number + 1}_" if wanted.shape[2] > 1 else ""
                for limit, word in enumerate(("low", "high")):
                    assert found["columns"][prefix + word] == wanted[limit, :, number].tolist()
    rows, truth = clouds(300)
    classifier = bf.EnsembleClassifier(members=20, epochs=20).fit(rows, truth)
    classifier.save(tmp_path / "m.safetensors")
    np.save(tmp_path / "new.npy", rows[:40])
    for method in ("threshold", "adaptive"):
        found = program(
            tmp_path, "predict", "m.safetensors", "new.npy", "--confidence", "0.9", "--sets", method
        )
        wanted = classifier.predict_set(rows[:40], 0.9, method)
        sets = [[name in row for name in classifier.classes_] for row in found["columns"]["set"]]
        np.testing.assert_array_equal(sets, wanted)


def program(folder, command, *arguments):
    words = [os.environ["BOOTFOLD_PROGRAM"], "ensemble", command, *arguments, "--json"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_weights(tmp_path):
    """Copies of a row are predicted by members that were trained on others."""
    x, y = curve(200)
    copies = regressor().fit(x, y, sample_weight=np.where(x[:, 0] > 0, 2, 1))
    with pytest.raises(ValueError, match="sample_weight repeats rows, and a copy"):
        copies.predict_interval(x, method="scaled")
    with pytest.raises(ValueError, match="sample_weight repeats rows, and a copy"):
        copies.predict_interval(x)  # nor jackknife+, whose residuals are too small
    copies.save(tmp_path / "copies.safetensors")
    with pytest.raises(ValueError, match="the file has no out-of-bag scores"):
        bf.EnsembleRegressor.load(tmp_path / "copies.safetensors").predict_interval(x)
    with pytest.warns(UserWarning, match="the selection favors members that overfit"):
        regressor().sweep(
            x, y, sample_weight=np.full(200, 2), learning_rate=[1e-2, 1e-3], keep_best=2
        )
    assert np.isfinite(copies.predict_interval(x, calibration=curve(100))).all()
    halves = regressor().fit(x, y, sample_weight=np.where(x[:, 0] > 0, 1.5, 0.7))
    assert np.isfinite(halves.predict_interval(x)).all()
    left = regressor().fit(x, y, sample_weight=np.where(x[:, 0] > 0, 1, 0))
    assert np.isfinite(left.predict_interval(x)).all()


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
    with pytest.raises(ValueError, match="method is 'bca' but must be one of auto, conformal"):
        model.predict_interval(x, method="bca")
    with pytest.raises(ValueError, match="confidence is 2"):
        model.predict_interval(x, 2, "scaled")


def test_sets_of_classes_survive_files(tmp_path):
    rows, truth = clouds(300)
    for given in ({}, {"calibrate": True}):
        model = bf.EnsembleClassifier(members=40, epochs=20, **given).fit(rows, truth)
        model.save(tmp_path / "m.safetensors")
        loaded = bf.EnsembleClassifier.load(tmp_path / "m.safetensors")
        for method in ("threshold", "adaptive"):
            wanted = model.predict_set(rows, 0.8, method)
            np.testing.assert_array_equal(loaded.predict_set(rows, 0.8, method), wanted)


def labels(rows):
    x, y = clouds(rows)
    return x, np.column_stack([y == "a", (y == "b") | (y == "c")]).astype(int)


def test_sets_and_temperatures_of_labels(tmp_path):
    """Coverage of each label by the law of rows that members did not see."""
    model = bf.EnsembleClassifier(members=10, epochs=300, hidden=(64,), resampling="none")
    model.set_params(learning_rate=1e-2).fit(*labels(120), validation=labels(500))
    rows, truth = labels(3000)
    sets = model.predict_set(rows, 0.9)
    assert sets.shape == (3000, 2, 2) and sets.any(axis=2).all()
    for label in range(2):
        inside = sets[np.arange(3000), label, truth[:, label]]
        assert inside.sum() >= allowed(3000, 500, 0.9)[0]
    with pytest.raises(ValueError, match="method 'adaptive' is for classes"):
        model.predict_set(rows, 0.9, "adaptive")
    # Overfitted probabilities are too sure.
    model.set_params(calibrate=True).fit(*labels(120), validation=labels(500))
    assert (model.temperature_ > 1).all()
    loss = -np.log(np.maximum(np.where(truth, (p := model.predict_proba(rows)), 1 - p), 1e-9))
    plain = model.set_params(calibrate=False).fit(*labels(120), validation=labels(500))
    before = -np.log(np.maximum(np.where(truth, (p := plain.predict_proba(rows)), 1 - p), 1e-9))
    assert loss.mean() < before.mean()
    model = bf.EnsembleClassifier(members=40, epochs=20, calibrate=True).fit(*labels(300))
    model.save(tmp_path / "m.safetensors")
    loaded = bf.EnsembleClassifier.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    np.testing.assert_array_equal(loaded.predict_set(rows), model.predict_set(rows))
    np.testing.assert_array_equal(loaded.temperature_, model.temperature_)
    assert loaded.calibrate and loaded.temperature_.shape == (2,)


def test_subsamples_of_all_rows_have_no_intervals():
    x, y = curve(100)
    model = regressor(resampling="subsample", subsample=1.0).fit(x, y)
    with pytest.raises(ValueError, match="with subsample 1 members are trained on all rows"):
        model.predict_interval(x)
