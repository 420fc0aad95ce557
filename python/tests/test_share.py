"""Members in groups that share weights and rows."""

import numpy as np
import pytest

import bootfold as bf

RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(150, 3))
Y = X[:, 0] * X[:, 1] + 0.1 * RANDOM.normal(size=150)
CLASSES = (Y > 0).astype(int)


def regressor(**given):
    found = {"members": 24, "hidden": (16, 16), "share": 4, "epochs": 30, "random_state": 5}
    return bf.EnsembleRegressor(**{**found, **given})


def test_members_of_a_group_have_weights_of_rank_one_ratios():
    model = regressor().fit(X, Y)
    first, second, other = (
        np.asarray(model.members_[k].parameters["layers.1.weight"]) for k in (0, 1, 4)
    )
    assert np.abs(first - second).max() > 0
    # Both are W s r: their ratio is a product of scales of outputs and of inputs.
    spectrum = np.linalg.svd(first / second, compute_uv=False)
    assert spectrum[1] < 1e-4 * spectrum[0]
    spectrum = np.linalg.svd(first / other, compute_uv=False)
    assert spectrum[1] > 1e-2 * spectrum[0]


def test_the_ratio_has_rank_one_where_a_group_stopped_early():
    model = regressor(patience=2, look_every=1, epochs=100).fit(X, Y)
    steps = [member.steps for member in model.members_]
    assert all(len(set(steps[k : k + 4])) == 1 for k in range(0, 24, 4))
    assert len(set(steps)) > 1
    first, second = (np.asarray(model.members_[k].parameters["layers.0.weight"]) for k in (4, 5))
    spectrum = np.linalg.svd(first / second, compute_uv=False)
    assert spectrum[1] < 1e-4 * spectrum[0]


def test_threads_change_nothing():
    one = regressor(threads=1).fit(X, Y)
    two = regressor(threads=2).fit(X, Y)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_files_keep_the_groups(tmp_path):
    model = regressor().fit(X, Y)
    model.save(tmp_path / "m.safetensors")
    loaded = bf.EnsembleRegressor.load(tmp_path / "m.safetensors")
    assert loaded.share == 4
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_jackknife_intervals_cover():
    rows = np.random.default_rng(2).normal(size=(400, 3))
    target = rows[:, 0] * rows[:, 1] + 0.1 * np.random.default_rng(3).normal(size=400)
    model = regressor(members=48).fit(X, Y)
    low, high = model.predict_interval(rows, 0.9)
    # 0.9 is the aim; below 0.8 would be 6.7 standard errors of 400 rows.
    assert np.mean((low <= target) & (target <= high)) > 0.8


def test_sweeps_calibration_and_the_best_members():
    model = bf.EnsembleClassifier(
        8, (8,), share=4, epochs=20, calibrate=True, random_state=1
    ).sweep(X, CLASSES, keep_best=6, learning_rate=[3e-3, 1e-2])
    assert len(model.members_) == 6
    assert model.oob_score_ > 0.7
    assert model.temperature_ > 0


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="members is 10 but must be a multiple of share"):
        regressor(members=10).fit(X, Y)
    with pytest.raises(ValueError, match="share is 1 but must be 2 members or more"):
        regressor(share=1).fit(X, Y)
    with pytest.raises(ValueError, match="share is -1"):
        regressor(share=-1).fit(X, Y)
    with pytest.raises(ValueError, match="cannot go on from an earlier training"):
        regressor(warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match="cannot go on from an earlier training"):
        regressor().partial_fit(X, Y)
    with pytest.raises(ValueError, match="share weights, which cannot go on"):
        regressor().fit(X, Y).partial_fit(X, Y)


def test_settings_that_are_drawn_have_eight_groups():
    x = np.linspace(-1, 1, 40)[:, None]
    model = bf.EnsembleRegressor(share=2, steps=5, hidden=(4,))
    model = model.sweep(x, x[:, 0], sample=2, select="all")
    assert len(model.members_) == 2 * 8 * 2
