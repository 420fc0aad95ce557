"""Ensembles as scikit-learn's estimators."""

import copy
import os
import pickle
import subprocess
import sys
import textwrap

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # else one of scikit-learn's checks is skipped

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import accuracy_score, log_loss, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import bootfold as bf

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
NOISE = np.random.default_rng(3)
LINE = NOISE.normal(size=(200, 2))
TARGET = LINE @ [2.0, -1.0] + 3.0 + NOISE.normal(scale=0.5, size=200)


def classifier(**given):
    return bf.EnsembleClassifier(**{"members": 10, "epochs": 40, "learning_rate": 1e-2} | given)


def regressor(**given):
    return bf.EnsembleRegressor(**{"members": 10, "epochs": 40, "learning_rate": 1e-2} | given)


# All of scikit-learn's checks, none left out: as they come, and where most differs from that.
@parametrize_with_checks(
    [
        bf.EnsembleClassifier(),
        bf.EnsembleRegressor(),
        regressor(loss="gaussian", resampling="subsample", epochs=80),
        classifier(hidden=(), resampling="none", patience=None, optimizer="sgd"),
        classifier(calibrate=True),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("labels", [Y, NAMES[Y], Y == 1, Y * 10.0, NAMES.astype("O")[Y]])
def test_classes_of_any_type(labels):
    model = classifier().fit(X, labels)
    assert model.classes_.tolist() == sorted(set(labels.tolist()))
    said = model.predict(X)
    assert said.dtype == labels.dtype and accuracy_score(labels, said) > 0.9
    assert model.predict_proba(X).shape == (150, len(model.classes_))


def test_what_is_known_after_a_fit():
    model = classifier().fit(pd.DataFrame(X, columns=list("abcd")), NAMES[Y])
    assert model.n_features_in_ == 4 and list(model.feature_names_in_) == list("abcd")
    assert model.oob_decision_function_.shape == (150, 3)
    known = ~np.isnan(model.oob_decision_function_).any(axis=1)
    chosen = NAMES[model.oob_decision_function_[known].argmax(axis=1)]
    assert model.oob_score_ == accuracy_score(NAMES[Y][known], chosen) > 0.9
    assert len(model.members_) == 10
    assert all(m.steps == 188 and m.failure == "" for m in model.members_)  # ceil(40 x 150 / 32)
    assert model.loss_curves_.shape == (10, 38)  # epochs of ceil(150 / 32) steps
    assert model.loss_curve_[-1] < model.loss_curve_[0] / 3


# The last point of a curve whose batch is all rows is the loss of the last step.
def test_curves_end_at_the_loss():
    model = classifier(batch_size="full").fit(X, Y)
    assert model.loss_curves_.shape == (10, 40)
    np.testing.assert_allclose(model.loss_curves_[:, -1], [m.loss for m in model.members_])


def test_long_curves_have_a_thousand_points():
    model = classifier(batch_size="full", members=1, hidden=(2,), steps=2500).fit(X, Y)
    assert model.loss_curve_.shape == (834,)  # of 3 steps each, the last of 1
    np.testing.assert_allclose(model.loss_curve_[-1], model.members_[0].loss, rtol=1e-6)


def test_members_that_stop_early_have_shorter_curves():
    model = classifier(patience=1, epochs=300, learning_rate=0.1).fit(X, Y)
    assert np.isnan(model.loss_curves_).any() and not np.isnan(model.loss_curve_).any()


# The published meaning: entropies of the mean and of the members, in nats.
def test_uncertainty_of_classes():
    model = classifier().fit(X, Y)
    far = np.vstack([X, X.mean(axis=0) + 100.0])
    total, aleatoric, epistemic = model.uncertainty(far)
    mean = model.predict_proba(far)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.nansum(mean * np.log(mean), axis=1)
    np.testing.assert_allclose(total, entropy, atol=1e-9)
    np.testing.assert_allclose(total, aleatoric + epistemic, atol=1e-12)
    each = np.stack([model.subset([m]).predict_proba(far) for m in range(10)])
    np.testing.assert_allclose(each.mean(axis=0), mean, atol=1e-6)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = -np.nansum(each * np.log(each), axis=2).mean(axis=0)
    np.testing.assert_allclose(aleatoric, own, atol=1e-5)


def test_calibrated_probabilities(tmp_path):
    options = {"members": 30, "epochs": 20, "threads": 2}
    plain = bf.EnsembleClassifier(**options).fit(X, Y)
    model = bf.EnsembleClassifier(calibrate=True, **options).fit(X, Y)
    assert plain.temperature_ == 1
    assert model.temperature_ < 0.9  # so few steps leave networks modest
    assert log_loss(Y, model.oob_decision_function_) < log_loss(Y, plain.oob_decision_function_)
    np.testing.assert_array_equal(model.members_[3].held_out_loss, plain.members_[3].held_out_loss)
    model.save(tmp_path / "model.safetensors")
    again = bf.EnsembleClassifier.load(tmp_path / "model.safetensors")
    assert again.temperature_ == model.temperature_
    assert again.calibrate
    assert model.subset([0, 1]).temperature_ == 1
    # Weights of classes are for the loss; the temperature is for rows as they are.
    uneven = np.r_[0:50, 50:60, 100:150]
    weighted = bf.EnsembleClassifier(class_weight={0: 1, 1: 30, 2: 1}, **options)
    plain = log_loss(Y[uneven], weighted.fit(X[uneven], Y[uneven]).oob_decision_function_)
    weighted.set_params(calibrate=True).fit(X[uneven], Y[uneven])
    assert log_loss(Y[uneven], weighted.oob_decision_function_) < plain
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))

    blind = bf.EnsembleClassifier(calibrate=True, resampling="none", **options)
    with pytest.raises(ValueError, match="give validation="):
        blind.fit(X, Y)
    with pytest.raises(TypeError, match="calibrate is 'no'"):
        bf.EnsembleClassifier(calibrate="no").fit(X, Y)
    with pytest.warns(UserWarning, match="repeats rows"):
        bf.EnsembleClassifier(calibrate=True, **options).fit(X, Y, sample_weight=np.full(150, 2.0))
    assert blind.fit(X[::2], Y[::2], validation=(X[1::2], Y[1::2])).temperature_ < 0.9


def test_numbers():
    model = regressor().fit(LINE, TARGET)
    mean, std = model.predict(LINE, return_std=True)
    assert model.score(LINE, TARGET) > 0.9
    known = ~np.isnan(model.oob_prediction_)
    expected = r2_score(TARGET[known], model.oob_prediction_[known])
    assert model.oob_score_ == pytest.approx(expected) and expected > 0.9
    total, aleatoric, epistemic = model.uncertainty(LINE)
    np.testing.assert_array_equal(std, total)
    np.testing.assert_allclose(total**2, aleatoric**2 + epistemic**2, rtol=1e-9)
    each = np.stack([model.subset([m]).predict(LINE) for m in range(10)])
    np.testing.assert_allclose(each.mean(axis=0), mean, atol=1e-5)
    # The noise put in is 0.5; 200 rows tell it to 5 %, and 10 members fit a little of it.
    assert aleatoric[0] == pytest.approx(0.5, rel=0.2)


def test_noise_that_differs_is_told_by_the_gaussian_loss():
    x = np.linspace(-1, 1, 2000)[:, None]
    y = np.random.default_rng(4).normal(size=2000) * np.where(x[:, 0] > 0, 2.0, 0.2)
    model = regressor(loss="gaussian", epochs=100).fit(x, y)
    _, aleatoric, _ = model.uncertainty([[-0.7], [0.7]])
    assert aleatoric[0] < 0.5 and 1.5 < aleatoric[1] < 2.5


def test_several_targets():
    both = np.column_stack([TARGET, -2 * TARGET])
    model = regressor().fit(LINE, both)
    assert model.predict(LINE).shape == (200, 2) == model.oob_prediction_.shape
    low, high = model.predict_interval(LINE[:5], confidence=0.9)
    assert low.shape == (5, 2) and (low < high).all()
    assert model.score(LINE, both) > 0.9


# 500 new rows, 90 %: the guarantee is 80 %, what is usual is 90 %. The count inside is nearly
# Binomial(500, 0.9), and below 0.84 about once in 10^5; the normal law fits such noise too.
@pytest.mark.parametrize("method", ["jackknife+", "normal"])
def test_intervals_cover_new_targets(method):
    source = np.random.default_rng(8)
    rows = source.normal(size=(500, 2))
    new = rows @ [2.0, -1.0] + 3.0 + source.normal(scale=0.5, size=500)
    model = regressor(members=30).fit(LINE, TARGET)
    low, high = model.predict_interval(rows, 0.9, method)
    assert 0.84 < ((low <= new) & (new <= high)).mean() < 0.96
    assert low.shape == (500,)


def test_weights_are_repetitions_to_the_bit():
    counts = np.random.default_rng(5).integers(0, 4, size=150)
    told = classifier().fit(X, Y, sample_weight=counts)
    shuffled = np.random.default_rng(6).permutation(np.repeat(np.arange(150), counts))
    repeated = classifier().fit(X[shuffled], Y[shuffled])
    np.testing.assert_array_equal(told.predict_proba(X), repeated.predict_proba(X))
    assert told.oob_decision_function_.shape == (150, 3)
    unseen = counts == 0
    np.testing.assert_array_equal(
        told.oob_decision_function_[unseen], told.predict_proba(X)[unseen]
    )


def test_other_weights_weigh_the_loss_by_their_ratios():
    weights = np.where(Y == 2, 0.05, 1.5)
    model = classifier().fit(X, Y, sample_weight=weights)
    twice = classifier().fit(X, Y, sample_weight=2.5 * weights)
    np.testing.assert_allclose(model.predict_proba(X), twice.predict_proba(X), atol=1e-3)
    plain = classifier().fit(X, Y)
    assert model.predict_proba(X)[:, 2].sum() < plain.predict_proba(X)[:, 2].sum() - 1


def test_balanced_class_weights():
    rows = np.r_[np.arange(50, 100), 101, 120, 140]  # 50 of one class, 3 of another that overlaps
    few = (Y[rows] == 2).mean()
    plain = classifier(hidden=()).fit(X[rows], Y[rows])
    balanced = classifier(hidden=(), class_weight="balanced").fit(X[rows], Y[rows])
    assert balanced.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + few / 2


def test_pipelines_searches_and_clones():
    pipeline = make_pipeline(StandardScaler(), classifier(members=4))
    assert cross_val_score(pipeline, X, NAMES[Y], cv=3).mean() > 0.9
    search = GridSearchCV(classifier(members=4), {"learning_rate": [1e-6, 1e-2]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"learning_rate": 1e-2}
    model = classifier(hidden=(7, 5)).fit(X, Y)
    again = clone(model)
    assert again.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        again.predict(X)
    again.set_params(members=3).fit(X, Y)
    assert again.stacked_parameters()["layers.1.weight"].shape == (3, 5, 7)


def same(model, other):
    np.testing.assert_array_equal(model.predict(LINE), other.predict(LINE))


def test_pickles_and_copies_know_all():
    model = regressor().fit(LINE, TARGET)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        same(model, other)
        np.testing.assert_array_equal(model.oob_prediction_, other.oob_prediction_)
        np.testing.assert_array_equal(model.loss_curve_, other.loss_curve_)
        np.testing.assert_array_equal(
            model.predict_interval(LINE)[0], other.predict_interval(LINE)[0]
        )


def test_files(tmp_path):
    model = regressor(hidden=(6,), clip=1.0).fit(LINE, TARGET)
    path = tmp_path / "line.safetensors"
    model.save(path)
    loaded = bf.EnsembleRegressor.load(path)
    same(model, loaded)
    assert loaded.hidden == (6,) and loaded.clip == 1.0 and len(loaded.members_) == 10
    with pytest.raises(ValueError, match="training="):
        loaded.predict_interval(LINE, method="jackknife+")
    np.testing.assert_array_equal(loaded.predict_interval(LINE), model.predict_interval(LINE))
    np.testing.assert_array_equal(
        loaded.predict_interval(LINE, training=(LINE, TARGET)),
        model.predict_interval(LINE, method="jackknife+"),
    )
    with pytest.raises(ValueError, match="EnsembleRegressor"):
        bf.EnsembleClassifier.load(path)
    weights = np.random.default_rng(9).integers(0, 3, size=200)
    model.fit(LINE, TARGET, sample_weight=weights).save(path)
    np.testing.assert_array_equal(
        bf.EnsembleRegressor.load(path).predict_interval(LINE, training=(LINE, TARGET, weights)),
        model.predict_interval(LINE, method="jackknife+"),
    )
    with pytest.raises(ValueError, match="sample_weight repeats rows"):
        model.predict_interval(LINE)


def test_predictions_may_be_changed():
    model = classifier().fit(X, Y)
    said = model.predict_proba(X)
    said[:] = 0.0
    assert model.predict_proba(X).sum() == pytest.approx(150)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("labels", [Y, NAMES[Y], Y == 1, Y * 10.0])
def test_files_bring_classes_back(tmp_path, labels):
    path = tmp_path / "iris.safetensors"
    model = classifier().fit(pd.DataFrame(X, columns=list("abcd")), labels)
    model.save(path)
    loaded = bf.EnsembleClassifier.load(path)
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert list(loaded.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    named = bf.EnsembleClassifier.load(path, classes=range(len(model.classes_)))
    assert named.predict(X[:1])[0] in range(len(model.classes_))


# What the program trains from the same rows, with the same settings and automatic values, is the
# same to the bit.
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_the_program_makes_the_same_ensemble(tmp_path):
    rows = tmp_path / "line.csv"
    frame = pd.DataFrame({"a": LINE[:, 0], "b": LINE[:, 1], "y": TARGET})
    frame.to_csv(rows, index=False)  # texts that read back as the same numbers
    path = tmp_path / "line.safetensors"
    arguments = "--task regression --members 5 --hidden 8 --seed 7 --target y --output"
    subprocess.run(
        [os.environ["BOOTFOLD_PROGRAM"], "ensemble", "train", rows, *arguments.split(), path],
        check=True,
        capture_output=True,
    )
    loaded = bf.EnsembleRegressor.load(path)
    model = bf.EnsembleRegressor(members=5, hidden=8, random_state=7)
    same(model.fit(frame[["a", "b"]].to_numpy(), TARGET), loaded)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@pytest.mark.parametrize(
    ("activation", "function"),
    [("relu", lambda x: np.maximum(x, 0)), ("tanh", np.tanh), ("gelu", gelu)],
)
def test_parameters_for_other_packages(activation, function):
    model = regressor(hidden=(5, 4), activation=activation).fit(LINE, TARGET)
    mean, scale = model.input_scaling_
    target_mean, target_scale = model.target_scaling_
    x = np.broadcast_to((LINE - mean) / scale, (10, *LINE.shape))
    torch, jax = model.stacked_parameters("torch"), model.stacked_parameters("jax")
    for layer in range(3):
        kernel, bias = jax[f"Dense_{layer}"]["kernel"], jax[f"Dense_{layer}"]["bias"]
        np.testing.assert_array_equal(kernel, torch[f"layers.{layer}.weight"].transpose(0, 2, 1))
        np.testing.assert_array_equal(bias, torch[f"layers.{layer}.bias"])
        x = x @ kernel + bias[:, None, :]
        if layer < 2:
            x = function(x)
    said = (x[:, :, 0] * target_scale + target_mean).mean(axis=0)
    np.testing.assert_allclose(model.predict(LINE), said, rtol=1e-4, atol=1e-4)


def test_sweeps():
    model = classifier(members=6)
    model.sweep(X, NAMES[Y], learning_rate=[1e-5, 1e-2], hidden=[(4,), (8, 8)])
    table = pd.DataFrame(model.sweep_)
    assert len(table) == 4 and len(model.members_) == 24
    assert table["members"].tolist() == [6] * 4 and table["hidden"][1] == (8, 8)
    assert model.best_params_["learning_rate"] == 1e-2
    own = [m.held_out_loss for m in model.members_ if m.settings == 2]
    assert table["held_out_loss"][2] == pytest.approx(np.mean(own))
    assert table["held_out_loss_std"][2] == pytest.approx(np.std(own, ddof=1))
    names = model.stacked_parameters()
    assert names["pack0.layers.0.weight"].shape == (12, 4, 4)
    assert names["pack1.layers.1.weight"].shape == (12, 8, 8)
    alone = model.subset([i for i, m in enumerate(model.members_) if m.settings == 2])
    fitted = classifier(members=6, learning_rate=1e-2, hidden=(4,)).fit(X, NAMES[Y])
    np.testing.assert_array_equal(alone.predict_proba(X), fitted.predict_proba(X))
    assert model.fit(X, Y) is model and not hasattr(model, "sweep_")


def test_the_best_members_of_a_sweep():
    model = regressor().sweep(LINE, TARGET, learning_rate=[1e-5, 1e-2], keep_best=4)
    assert len(model.members_) == 4 and {m.settings for m in model.members_} == {1}
    assert model.oob_prediction_.shape == (200,) and model.loss_curves_.shape[0] == 4


def test_the_same_bits_for_any_number_of_threads():
    expected = classifier(threads=1).fit(X, Y)
    for threads in (2, 7):
        model = classifier(threads=threads).fit(X, Y)
        np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
        np.testing.assert_array_equal(model.loss_curves_, expected.loss_curves_)


def test_random_states():
    def said(state):
        return classifier(members=2, random_state=state).fit(X, Y).predict_proba(X)

    np.testing.assert_array_equal(said(7), said(7))
    assert (said(7) != said(8)).any()
    assert (said(None) != said(None)).any()
    for make in (np.random.RandomState, np.random.default_rng):
        np.testing.assert_array_equal(said(make(7)), said(make(7)))


# The loss that judges a member is that of the validation rows, in nats or of scaled targets.
def test_validation_rows_judge_members():
    model = classifier(members=3).fit(X[::2], NAMES[Y[::2]], validation=(X[1::2], NAMES[Y[1::2]]))
    for place, member in enumerate(model.members_):
        told = model.subset([place]).predict_proba(X[1::2])
        expected = -np.log(told[np.arange(75), Y[1::2]]).mean()
        assert member.held_out_loss == pytest.approx(expected, rel=1e-4)
    stopped = regressor(patience=1, epochs=500, resampling="none", members=3)
    stopped.fit(LINE[::2], TARGET[::2], validation=(LINE[1::2], TARGET[1::2]))
    assert all(m.steps < 500 * 100 / 32 for m in stopped.members_)
    with pytest.raises(ValueError, match="validation has the class 'x'"):
        classifier().fit(X, NAMES[Y], validation=(X[:2], ["x", "setosa"]))
    with pytest.raises(ValueError, match="validation has 2 rows of inputs"):
        classifier().fit(X, Y, validation=(X[:2], Y[:3]))
    with pytest.raises(ValueError, match="validation has 2 targets but y has 1"):
        regressor().fit(LINE, TARGET, validation=(LINE, LINE))


def test_failed_members_are_told():
    with pytest.raises(ValueError, match=r"members failed.*learning rate"):
        regressor(learning_rate=1e30, optimizer="sgd").fit(LINE, TARGET)
    model = regressor(optimizer="sgd", momentum=0.0, members=4)
    with pytest.warns(ConvergenceWarning, match="4 of 8 members failed"):
        model.sweep(LINE, TARGET, learning_rate=[1e-3, 1e30])
    assert model.predict(LINE).shape == (200,)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"members": 0}, "members is 0 but must be at least 1"),
        ({"hidden": "32"}, "hidden is '32' but must be"),
        ({"hidden": (0,)}, "hidden is 0 but must be at least 1"),
        ({"activation": "rely"}, "relu"),
        ({"learning_rate": -1.0}, "learning_rate is -1.0 but must be above 0, or 'auto'"),
        ({"learning_rate": 0}, "learning_rate is 0 but must be above 0, or 'auto'"),
        ({"learning_rate": "fast"}, "learning_rate is 'fast' but must be a number, or 'auto'"),
        ({"epochs": 0}, "epochs is 0 but must be above 0, or 'auto'"),
        ({"look_every": float("nan")}, "look_every is nan but must be above 0, or 'auto'"),
        ({"patience": "long"}, "patience is 'long' but must be a whole number, None or 'auto'"),
        ({"batch_size": "all"}, "batch_size is 'all'"),
        ({"batch_size": 1000}, "batch_size is 1000 but members have 150 rows"),
        ({"resampling": None}, "resampling is None but must be a name"),
        ({"random_state": "x"}, "seed is 'x'"),
    ],
)
def test_wrong_parameters(given, message):
    with pytest.raises((ValueError, TypeError), match=message):
        classifier(**given).fit(X, Y)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="only one class"):
        classifier().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match=r"sample_weight\[3\] is -1"):
        classifier().fit(X, Y, sample_weight=np.where(np.arange(150) == 3, -1.0, 1.0))
    with pytest.raises(ValueError, match="'epochs' cannot differ between members"):
        classifier().sweep(X, Y, epochs=[1, 2])
    with pytest.raises(ValueError, match="learning_rate has no values"):
        classifier().sweep(X, Y, learning_rate=[])
    with pytest.raises(ValueError, match="loss is 'hinge'"):
        regressor(loss="hinge").fit(LINE, TARGET)
    with pytest.raises(ValueError, match="method is 'bca'"):
        regressor().fit(LINE, TARGET).predict_interval(LINE, method="bca")
    assert not hasattr(classifier(resampling="none").fit(X, Y), "oob_score_")


def test_the_bar_shows_steps(capsys):
    classifier(members=2, epochs=200, progress=True).fit(X, Y)
    assert "% of the steps" in capsys.readouterr().err


def test_progress_is_told():
    told = []
    classifier(members=200, epochs=100, progress=lambda done, all_: told.append((done, all_))).fit(
        X, Y
    )
    assert told and told[-1] == (200, 200)


def run(program):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60
    )


def test_ctrl_c_ends_a_fit_within_a_second():
    found = run("""
    import os, signal, threading, time, numpy as np, bootfold as bf
    X = np.random.default_rng(1).normal(size=(5000, 20))
    model = bf.EnsembleRegressor(members=10_000, epochs=1000)
    sent = []
    def send():
        time.sleep(1.5)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=send, daemon=True).start()
    try:
        model.fit(X, X[:, 0])
    except KeyboardInterrupt:
        print(time.monotonic() - sent[0])
    """)
    assert found.returncode == 0, found.stderr
    assert float(found.stdout) < 1.0


def test_scikit_learn_is_not_imported_before_it_is_needed():
    found = run("""
    import sys, bootfold as bf
    assert "EnsembleClassifier" in dir(bf)
    print("sklearn" in sys.modules)
    bf.EnsembleClassifier
    print("sklearn" in sys.modules)
    """)
    assert found.stdout.split() == ["False", "True"], found.stderr


def test_without_scikit_learn_the_error_says_what_to_do():
    found = run("""
    import sys
    sys.modules["sklearn"] = None
    import bootfold as bf
    try:
        bf.EnsembleRegressor
    except ImportError as error:
        print(error)
    """)
    assert "pip install 'bootfold[sklearn]'" in found.stdout, found.stderr


def test_options_of_layers_are_checked():
    for given, message in (
        ({"dropout": 1.0}, "dropout is 1 but must be from 0 to 0.99"),
        ({"warmup": -0.1}, "warmup is -0.1 but must be a share of the steps"),
        ({"average": 1.0}, "average is 1 but must be at least 0 and below 1"),
    ):
        with pytest.raises(ValueError, match=message):
            classifier(**given).fit(X, Y)
    with pytest.raises(TypeError, match="layer_norm is 1 but must be True or False"):
        classifier(layer_norm=1).fit(X, Y)


def test_layers_dropout_warmup_and_averages_learn():
    given = {"layer_norm": True, "residual": True, "dropout": 0.1, "warmup": 0.1, "average": 0.98}
    model = classifier(hidden=(16, 16), activation="silu", **given).fit(X, Y)
    assert model.oob_score_ > 0.9
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    swept = classifier(members=4).sweep(X, Y, dropout=[0.0, 0.5], average=[None, 0.9])
    assert sorted(swept.sweep_)[0] == "average"
    assert len(swept.members_) == 16
