"""Members one by one, trainings that go on, and callbacks of epochs."""

import pickle
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import bootfold as bf

X, Y = load_iris(return_X_y=True)
RNG = np.random.default_rng(3)
LINE = RNG.normal(size=(128, 2))  # 4 batches of 32
TARGET = LINE @ [2.0, -1.0] + RNG.normal(scale=0.5, size=128)


USUAL = {"members": 10, "epochs": 6, "learning_rate": 1e-2, "schedule": "constant"}


def classifier(**given):
    return bf.EnsembleClassifier(**USUAL | given)


def regressor(**given):
    return bf.EnsembleRegressor(**USUAL | given)


def same(a, b):
    left, right = a.stacked_parameters(), b.stacked_parameters()
    assert all(np.array_equal(left[name], right[name]) for name in right)


def test_members_predict_by_themselves():
    model = regressor().fit(LINE, TARGET)
    each = np.array([member.predict(LINE) for member in model.members_])
    np.testing.assert_allclose(each.mean(axis=0), model.predict(LINE), atol=1e-6)
    epistemic = model.uncertainty(LINE).epistemic
    np.testing.assert_allclose(each.std(axis=0, ddof=1), epistemic, rtol=1e-4)
    assert len(model.members_) == 10 and len(model.members_[2:5]) == 3
    assert model.members_[-1].number == 9
    with pytest.raises(IndexError):
        model.members_[10]
    with pytest.raises(AttributeError, match="predict_proba is for classes"):
        model.members_[0].predict_proba(LINE)
    assert repr(model.members_) == "<10 members>"
    assert repr(model.members_[3]).startswith("<member 3, 24 steps, loss 0.")
    text = classifier().fit(X, np.array(["a", "b", "c"])[Y])
    each = np.array([member.predict_proba(X) for member in text.members_])
    np.testing.assert_allclose(each.mean(axis=0), text.predict_proba(X), atol=1e-6)
    assert set(text.members_[4].predict(X)) <= {"a", "b", "c"}


def test_parameters_of_members_are_not_copied():
    model = regressor(hidden=(5, 4)).fit(LINE, TARGET)
    stacked = model.stacked_parameters()
    for place, member in enumerate(model.members_):
        for name, array in member.parameters.items():
            np.testing.assert_array_equal(array, stacked[name][place])
    first = model.members_[7].parameters["layers.0.weight"]
    assert np.shares_memory(first, model._ensemble.parameters(7))
    sweep = classifier(members=2).sweep(X, Y, hidden=[(8,), (4, 4)])
    assert sweep.members_[3].parameters["layers.1.weight"].shape == (4, 4)


@pytest.mark.parametrize("optimizer", ["adam", "adamw", "sgd"])
@pytest.mark.parametrize("resampling", ["bootstrap", "none", "subsample", "bayesian"])
def test_warm_start_goes_on_to_the_bit(optimizer, resampling):
    given = {"optimizer": optimizer, "resampling": resampling, "weight_decay": 0.01}
    model = regressor(warm_start=True, **given).fit(LINE, TARGET)
    model.fit(LINE, TARGET)
    whole = regressor(epochs=12, **given).fit(LINE, TARGET)
    same(model, whole)
    np.testing.assert_array_equal(model.predict(LINE), whole.predict(LINE))
    assert model.members_[0].steps == whole.members_[0].steps
    np.testing.assert_array_equal(model.loss_curves_, whole.loss_curves_)
    if resampling in ("bootstrap", "subsample"):
        assert model.oob_score_ == whole.oob_score_
        np.testing.assert_array_equal(model.predict_interval(LINE), whole.predict_interval(LINE))


def test_dropout_and_averages_go_on_to_the_bit():
    given = {"hidden": (8, 8), "layer_norm": True, "dropout": 0.2, "average": 0.95}
    model = regressor(warm_start=True, **given).fit(LINE, TARGET)
    model.fit(LINE, TARGET)
    whole = regressor(epochs=12, **given).fit(LINE, TARGET)
    same(model, whole)
    np.testing.assert_array_equal(model.predict(LINE), whole.predict(LINE))


def test_warm_start_with_steps_and_other_seeds():
    model = classifier(steps=17, warm_start=True, random_state=None).fit(X, Y).fit(X, Y)
    whole = classifier(steps=34, random_state=model._ensemble.seed).fit(X, Y)
    same(model, whole)
    assert clone(model).warm_start and not hasattr(clone(model), "_ensemble")
    cold = classifier().fit(X, Y)
    same(cold.fit(X, Y), classifier().fit(X, Y))  # without warm_start it begins anew
    with pytest.raises(TypeError, match="warm_start is 'yes' but must be True or False"):
        classifier(warm_start="yes").fit(X, Y)


def test_partial_fits_are_a_fit():
    model = regressor()
    for _ in range(6):
        model.partial_fit(LINE, TARGET)
    whole = regressor().fit(LINE, TARGET)
    same(model, whole)
    assert model.members_[0].steps == 24
    model = regressor().partial_fit(LINE, TARGET, epochs=2).partial_fit(LINE, TARGET, epochs=4)
    same(model, whole)


def test_partial_fit_of_rows_in_parts():
    rng = np.random.default_rng(1)
    parts = []
    for _ in range(30):
        rows = rng.normal(size=(200, 2))
        parts.append((rows, np.where(rows[:, 0] > 0, "up", "down")))
    model = classifier(members=20)
    first = model.partial_fit(*parts[0]).score(*parts[-1])
    scaling = model.input_scaling_
    for rows, labels in parts[1:-1]:
        model.partial_fit(rows, labels)
    assert model.score(*parts[-1]) > max(0.97, first)
    np.testing.assert_array_equal(model.input_scaling_, scaling)
    assert model.members_[3].steps == 29 * 7  # ceil(200 / 32)
    assert model.oob_score_ > 0.95


def test_partial_fit_takes_classes():
    model = classifier().partial_fit(X[:100], Y[:100], classes=[2, 0, 1])
    assert model.classes_.tolist() == [0, 1, 2] and model.predict_proba(X).shape == (150, 3)
    with pytest.warns(UserWarning, match="came again"):
        model.partial_fit(X[50:], Y[50:], classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"classes are \[0, 1\] but those of the first call are"):
        model.partial_fit(X, Y, classes=[0, 1])
    with pytest.raises(ValueError, match="y has the class 7, which the training does not have"):
        model.partial_fit(X, np.where(Y == 2, 7, Y))
    with pytest.raises(ValueError, match="y has the class 2, which the training does not have"):
        classifier().partial_fit(X, Y, classes=[0, 1])
    assert model.fit(X[:100], Y[:100]).classes_.tolist() == [0, 1]  # fit begins anew


def test_partial_fit_of_frames():
    rows = pd.DataFrame({"color": ["D", "E", "F", None] * 32, "size": LINE[:, 0]})
    model = regressor().partial_fit(rows, TARGET)
    names = model.encoded_names_
    model.partial_fit(rows.assign(color="E"), TARGET)
    assert model.encoded_names_ == names
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(rows.rename(columns={"size": "width"}), TARGET)


def test_what_does_not_go_on():
    model = regressor(warm_start=True).fit(LINE, TARGET)
    with pytest.raises(ValueError, match=r"cannot go on .* the network differs"):
        model.set_params(hidden=(5,)).fit(LINE, TARGET)
    with pytest.raises(ValueError, match=r"cannot go on .* the number of members differs"):
        model.set_params(hidden=(32,), members=3).fit(LINE, TARGET)
    model.set_params(members=10, checkpoint="never")
    with pytest.raises(ValueError, match="goes on cannot be used with checkpoint; omit one"):
        model.fit(LINE, TARGET)
    # A pickle does not keep the state of the optimizer: its parameters go on, its moments do not.
    kept = pickle.loads(pickle.dumps(regressor(warm_start=True).fit(LINE, TARGET)))
    kept.fit(LINE, TARGET)
    assert kept.members_[0].steps == 48
    whole = regressor(epochs=12).fit(LINE, TARGET)
    assert not np.array_equal(kept.predict(LINE), whole.predict(LINE))
    assert np.corrcoef(kept.predict(LINE), whole.predict(LINE))[0, 1] > 0.95


@pytest.mark.parametrize("threads", [1, 2])
def test_callbacks_see_every_epoch(threads):
    seen = []

    def see(epoch):
        assert threading.current_thread() is threading.main_thread()
        assert len(epoch.members) == len(epoch.loss) == len(epoch.held_out_loss)
        seen.extend((member, epoch.epoch, epoch.step) for member in epoch.members)
        seen_losses[list(epoch.members), epoch.epoch - 1] = epoch.loss

    seen_losses = np.full((40, 6), np.nan)
    model = regressor(members=40, threads=threads).fit(LINE, TARGET, callback=see)
    assert sorted(seen) == [(m, e, 4 * e) for m in range(40) for e in range(1, 7)]
    np.testing.assert_allclose(seen_losses, model.loss_curves_, rtol=1e-5)
    same(model, regressor(members=40).fit(LINE, TARGET))


def test_callbacks_see_held_out_losses():
    last = np.full(10, np.nan)

    def see(epoch):  # members of one pack, whose size is that of the instruction set
        last[list(epoch.members)] = epoch.held_out_loss

    model = regressor().fit(LINE, TARGET, callback=see)
    losses = [member.held_out_loss for member in model.members_]
    np.testing.assert_allclose(last, losses, rtol=1e-4)
    rows = RNG.normal(size=(50, 2))
    model = regressor(resampling="none").fit(
        LINE,
        TARGET,
        validation=(rows, rows @ [2.0, -1.0]),
        callback=see,
    )
    losses = [member.held_out_loss for member in model.members_]
    np.testing.assert_allclose(last, losses, rtol=1e-4)
    regressor(resampling="none").fit(LINE, TARGET, callback=see)
    assert np.isnan(last).all()


def test_callbacks_stop_members():
    model = regressor(epochs=50).fit(LINE, TARGET, callback=lambda epoch: epoch.epoch < 6)
    same(model, regressor().fit(LINE, TARGET))
    # Some members of a sweep stop, the others go on.
    model = regressor(members=16).sweep(
        LINE,
        TARGET,
        hidden=[(4,), (6,)],
        callback=lambda epoch: min(epoch.members) >= 16 or epoch.epoch < 2,
    )
    assert {m.steps for m in model.members_[:16]} == {8}
    assert {m.steps for m in model.members_[16:]} == {24}


def test_stop_iteration_stops_all():
    def stop(epoch):
        calls.append(epoch.epoch)
        if epoch.epoch == 3:
            raise StopIteration

    calls = []
    model = regressor(members=64, threads=1).fit(LINE, TARGET, callback=stop)
    assert {member.steps for member in model.members_} == {12} and max(calls) == 3


def test_errors_of_callbacks_arrive():
    def fail(epoch):
        raise RuntimeError("enough")

    model = regressor(members=200, epochs=1000)
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(LINE, TARGET, callback=fail)
    assert not hasattr(model, "_ensemble")
    with pytest.raises(TypeError, match="callback is 3 but must be a function"):
        model.fit(LINE, TARGET, callback=3)
    with pytest.raises(ValueError, match="callback cannot be used with checkpoint; omit one"):
        regressor(checkpoint="never").fit(LINE, TARGET, callback=print)


def test_rows_that_come_again_elsewhere_have_no_intervals():
    rng = np.random.default_rng(5)
    order = rng.permutation(len(LINE))
    model = regressor().partial_fit(LINE, TARGET)
    model.partial_fit(LINE, TARGET)
    model.predict_interval(LINE)  # the same order
    assert model.oob_score_ > 0
    with pytest.warns(UserWarning, match="same rows in the same order in every call"):
        model.partial_fit(LINE[order], TARGET[order])
    assert np.isnan(model.oob_score_) and np.isnan(model.oob_prediction_).all()
    again = pickle.loads(pickle.dumps(model))
    for each in (model, again, model.subset(range(9))):
        for method in ("auto", "conformal", "jackknife+", "normal"):
            with pytest.raises(ValueError, match="came again in another order"):
                each.predict_interval(LINE, method=method)
        each.predict_interval(LINE, calibration=(LINE + 0.1, TARGET))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is told once
        model.partial_fit(LINE, TARGET)
        model.partial_fit(LINE, TARGET, validation=(LINE + 0.1, TARGET)).predict_interval(LINE)
    with pytest.raises(ValueError, match="came again"):
        model.partial_fit(LINE, TARGET).predict_interval(LINE)
    assert model.fit(LINE, TARGET).oob_score_ > 0  # anew
    model.predict_interval(LINE)


def test_warm_starts_on_other_subsets_have_no_sets():
    words = np.array(["a", "b", "c"])[Y]
    noisy = X + np.random.default_rng(1).normal(scale=0.01, size=X.shape)
    model = classifier(warm_start=True).fit(noisy[:100], words[:100], np.arange(100) % 3 != 0)
    model.fit(noisy[:100], words[:100], np.arange(100) % 3 != 0).predict_set(X)
    with pytest.warns(UserWarning, match="came again"):
        model.fit(noisy[:100], words[:100])
    assert np.isnan(model.oob_score_) and np.isnan(model.oob_decision_function_).all()
    with pytest.raises(ValueError, match="in every call, which need not be shuffled"):
        model.predict_set(X)
    frame = pd.DataFrame({"a": noisy[:, 0], "b": words, "c": [True, False, None] * 50})
    model = classifier(warm_start=True).fit(frame, words).fit(frame, words)
    model.predict_set(frame)  # texts are the same rows in all calls
    with pytest.raises(ValueError, match="calibrate=True needs rows that members are not"):
        model.set_params(calibrate=True).fit(frame[::-1], words[::-1])
    with pytest.warns(UserWarning, match="came again"):
        model.set_params(calibrate=False).fit(frame[::-1], words[::-1])


def test_new_rows_have_honest_intervals():
    rng = np.random.default_rng(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = regressor()
        few = classifier()
        for _ in range(5):
            rows = rng.normal(size=(100, 2))
            model.partial_fit(rows, rows @ [1.0, 2.0])
            assert model.oob_score_ < 1
            model.predict_interval(rows)
            flags = rng.integers(0, 2, size=(100, 3))  # most new rows equal one that was seen
            few.partial_fit(flags, flags[:, 0])
            few.predict_set(flags)
