"""Losses and transforms of targets: shapes, truth, scores, intervals, files and exports."""

import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, yeojohnson_normmax
from sklearn.base import clone
from sklearn.metrics import log_loss, mean_pinball_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

import bootfold as bf
from bootfold import _core, _forward, _targets

RNG = np.random.default_rng(7)
X = RNG.uniform(-1, 1, (300, 2))
PRICE = np.exp(1 + X[:, 0] + 0.3 * RNG.normal(size=300))
COUNT = RNG.poisson(np.exp(0.5 + X[:, 0])).astype(float)
LABELS = (np.stack([X[:, 0], X[:, 1], -X[:, 0]], axis=1) + 0.3 * RNG.normal(size=(300, 3)) > 0) * 1
TARGETS = np.column_stack([PRICE, LABELS[:, 0], COUNT, PRICE - 3])
MIXED = ["huber", "binary", "poisson", "pinball"]


def regressor(**given):
    return bf.EnsembleRegressor(**{"members": 12, "epochs": 15, "learning_rate": 1e-2} | given)


def classifier(**given):
    return bf.EnsembleClassifier(**{"members": 12, "epochs": 15, "learning_rate": 1e-2} | given)


def test_the_tables_have_the_losses_of_the_library():
    with pytest.raises(ValueError) as refused:
        _core.Training().loss = "none such"
    listed = str(refused.value).split("one of ")[1]
    known = {word.strip("',.;") for word in listed.split()}
    assert set(_forward.LINKS) <= known and known - set(_forward.LINKS) <= {""}
    assert set(_targets.TARGET_LOSSES) == set(_forward.TARGETS)


@parametrize_with_checks(
    [
        regressor(loss="huber"),
        regressor(loss="poisson"),
        regressor(target_transform="yeo-johnson"),
        regressor(target_transform="quantile", members=5),
        classifier(loss="binary"),
        classifier(),
    ],
    expected_failed_checks=lambda model: (
        {"check_regressor_multioutput": "its targets are negative"}
        if getattr(model, "loss", None) == "poisson"
        else {}
    ),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_shapes_of_quantiles():
    one = regressor(loss="pinball").fit(X, PRICE)
    assert one.predict(X[:5]).shape == (5, 3)
    assert one.output_names_ == ["target1 q0.05", "target1 q0.5", "target1 q0.95"]
    assert (np.diff(one.predict(X), axis=1) >= 0).all()
    assert one.oob_prediction_.shape == (300, 3)
    two = regressor(loss="pinball", quantiles=(0.1, 0.9)).fit(X, TARGETS[:, [0, 3]])
    assert two.predict(X[:5]).shape == (5, 2, 2)
    median = regressor(loss="pinball", quantiles=0.5).fit(X, PRICE)
    assert median.predict(X[:5]).shape == (5,)
    assert np.isnan(one.uncertainty(X).total).all()
    assert (one.uncertainty(X).epistemic > 0).all()


def test_scores_are_of_the_loss():
    model = regressor(loss="pinball", quantiles=(0.25, 0.75)).fit(X, PRICE)
    found = model.predict(X)
    wanted = []
    for k, q in enumerate((0.25, 0.75)):
        constant = np.full(300, np.quantile(PRICE, q))
        own = mean_pinball_loss(PRICE, found[:, k], alpha=q)
        wanted.append(1 - own / mean_pinball_loss(PRICE, constant, alpha=q))
    assert model.score(X, PRICE) == pytest.approx(np.mean(wanted), rel=1e-3)
    rates = regressor(loss="poisson").fit(X, COUNT)
    assert 0.1 < rates.oob_score_ < rates.score(X, COUNT) < 1


# New rows of a known law: of 3000 targets the share at most a quantile is that of the quantile, off
# by what 300 training rows and 3000 new ones leave: sqrt(0.25 / 300 + 0.25 / 3000) = 0.03, of which
# 0.12 is four.
def test_quantiles_of_a_known_law():
    rng = np.random.default_rng(8)
    model = regressor(loss="pinball", members=30, epochs=60, target_transform="log").fit(X, PRICE)
    new = rng.uniform(-1, 1, (3000, 2))
    y = np.exp(1 + new[:, 0] + 0.3 * rng.normal(size=3000))
    below = (y[:, None] <= model.predict(new)).mean(axis=0)
    assert np.abs(below - [0.05, 0.5, 0.95]).max() < 0.12
    truth = np.exp(1 + new[:, :1] + 0.3 * norm.ppf([0.05, 0.5, 0.95]))
    assert np.median(np.abs(np.log(model.predict(new) / truth))) < 0.15


# Coverage given n calibrating rows is Beta(k, n + 1 - k) with k = ceil(0.9 (n + 1)): of 500 rows
# it lies within 0.9 -+ 0.07 but once in a million, and 4000 new rows add 0.005.
@pytest.mark.parametrize("loss", ["pinball", "huber", "poisson"])
def test_conformal_intervals_cover(loss):
    rng = np.random.default_rng(9)

    def rows(count):
        x = rng.uniform(-1, 1, (count, 2))
        if loss == "poisson":
            return x, rng.poisson(np.exp(1 + x[:, 0])).astype(float)
        return x, np.exp(1 + x[:, 0] + 0.5 * rng.normal(size=count))

    model = regressor(loss=loss).fit(*rows(300))
    new, y = rows(4000)
    low, high = model.predict_interval(new, 0.9, method="conformal", calibration=rows(500))
    assert low.shape == (4000,)
    covered = ((low <= y) & (y <= high)).mean()
    assert covered > 0.9 - 0.08 and (covered < 0.9 + 0.08 or loss == "poisson")
    auto, _ = model.predict_interval(new, 0.9)
    assert auto.shape == (4000,)


def test_several_targets_of_different_kinds():
    model = regressor(loss=MIXED, target_transform=[None, None, None, "yeo-johnson"])
    model.fit(X, TARGETS)
    assert model.output_names_ == [
        "target1",
        "target2",
        "target3",
        "target4 q0.05",
        "target4 q0.5",
        "target4 q0.95",
    ]
    found = model.predict(X)
    assert found.shape == model.oob_prediction_.shape == (300, 6)
    assert ((found[:, 1] > 0) & (found[:, 1] < 1)).all() and (found[:, 2] > 0).all()
    low, high = model.predict_interval(X[:4])
    assert low.shape == (4, 4)
    assert np.isnan(low[:, 1]).all() and (low < high)[:, [0, 2, 3]].all()
    low, high = model.predict_interval(X[:4], method="jackknife+")
    assert np.isnan(low[:, [1, 3]]).all() and (low[:, 0] < high[:, 0]).all()
    low, high = model.predict_interval(X[:4], method="normal")
    assert (low[:, 2] == np.round(low[:, 2])).all()


def test_multi_label():
    model = classifier().fit(X, LABELS)
    assert model.classes_.tolist() == [0, 1, 2]
    found = model.predict_proba(X)
    assert found.shape == model.oob_decision_function_.shape == (300, 3)
    np.testing.assert_array_equal(model.predict(X), (found > 0.5) * 1)
    assert model.score(X, LABELS) == ((found > 0.5) == LABELS).all(axis=1).mean()
    assert model.oob_score_ > 0.5
    assert model.uncertainty(X).total.shape == (300, 3)
    for label in range(3):
        assert log_loss(LABELS[:, label], found[:, label]) < 0.5
    same = classifier(loss="multi_label", pos_weight=[1.0, 1.0, 1.0]).fit(X, LABELS)
    np.testing.assert_array_equal(same.predict_proba(X), found)
    heavy = classifier(pos_weight=[5.0, 1.0, 1.0]).fit(X, LABELS)
    assert heavy.predict_proba(X)[:, 0].mean() > found[:, 0].mean()
    assert model.predict_set(X).shape == (300, 3, 2)
    judged = classifier(resampling="none").fit(X, LABELS, validation=(X[:50], LABELS[:50]))
    assert np.isfinite(judged.members_[0].held_out_loss)


# A factor of 3 is as if the rows of the second class occurred three times: the same loss for all
# networks, so that both trainings on all rows by one batch go the same way.
def test_pos_weight_is_a_repetition_of_rows():
    y = LABELS[:, 0]
    given = {
        "resampling": "none",
        "batch_size": "full",
        "standardize": False,
        "steps": 200,
        "optimizer": "sgd",
        "momentum": 0.0,
    }
    times = np.where(y == 1, 3, 1)
    rows = np.repeat(np.arange(300), times)
    weighted = classifier(loss="binary", pos_weight=3.0, learning_rate=0.05, **given).fit(X, y)
    rate = 0.05 * times.sum() / 300  # the mean is over more rows
    repeated = classifier(loss="binary", learning_rate=rate, **given).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("kind", ["log", "yeo-johnson", "quantile"])
def test_transforms_are_fitted_and_inverted(kind):
    model = regressor(target_transform=kind, epochs=60).fit(X, PRICE)
    assert model.oob_score_ > 0.5
    (fitted,) = model.target_transforms_
    assert fitted["kind"] == kind
    if kind == "yeo-johnson":
        assert fitted["lambda"] == pytest.approx(yeojohnson_normmax(PRICE), abs=1e-3)
    if kind == "quantile":
        np.testing.assert_array_equal(fitted["from"], np.sort(PRICE))
        np.testing.assert_allclose(fitted["to"], norm.ppf((np.arange(300) + 0.5) / 300))
    each = np.array([member.predict(X) for member in model.members_])
    np.testing.assert_allclose(each.mean(axis=0), model.predict(X), rtol=1e-6)
    low, high = model.predict_interval(X, 0.9, method="normal")
    assert 0.8 < ((low <= PRICE) & (high >= PRICE)).mean() <= 1
    if kind == "log":
        assert (low > 0).all()


def test_files_and_pickles_keep_them(tmp_path):
    path = tmp_path / "m.safetensors"
    models = [
        (regressor(loss=MIXED, target_transform="quantile", pos_weight=2.0), TARGETS),
        (regressor(loss="pinball", quantiles=(0.2, 0.8), target_transform="yeo-johnson"), PRICE),
        (regressor(loss="huber", huber_delta=0.3), PRICE),
    ]
    for model, y in models:
        model.fit(X, y)
        model.save(path)
        loaded = bf.EnsembleRegressor.load(path)
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        copied = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copied.predict(X), model.predict(X))
        again = clone(loaded).set_params(epochs=15, learning_rate=1e-2, members=12).fit(X, y)
        np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-12)
    for model, y in ((classifier(), LABELS), (classifier(loss="binary"), LABELS[:, 0])):
        model.fit(X, y).save(path)
        loaded = bf.EnsembleClassifier.load(path)
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        with pytest.raises(ValueError, match="classification"):
            bf.EnsembleRegressor.load(path)


def test_trainings_go_on():
    y = np.column_stack([PRICE, COUNT])
    given = {"loss": ["pinball", "poisson"], "target_transform": "log", "batch_size": "full"}
    twice = regressor(**given, epochs=5, warm_start=True).fit(X, y).fit(X, y)
    once = regressor(**given, epochs=10, schedule="constant").fit(X, y)
    np.testing.assert_array_equal(twice.predict(X), once.predict(X))
    labels = classifier(warm_start=True).fit(X, LABELS).fit(X, LABELS)
    assert labels.predict(X).shape == (300, 3)
    with pytest.raises(ValueError, match="several labels"):
        labels.partial_fit(X, LABELS[:, 0])


def test_the_program_makes_the_same_ensemble(tmp_path):
    rows, path = tmp_path / "rows.csv", tmp_path / "m.safetensors"
    columns = [*X.T, PRICE, LABELS[:, 0], COUNT]
    names = "a,b,price,sold,count"
    np.savetxt(rows, np.column_stack(columns), delimiter=",", header=names, comments="")
    arguments = (
        "--members 6 --epochs 10 --target price:pinball --target sold:binary --target count:poisson"
        " --quantiles 0.1,0.9 --pos-weight 2 --target-transform yeo-johnson --output"
    )
    subprocess.run(
        [os.environ["BOOTFOLD_PROGRAM"], "ensemble", "train", rows, *arguments.split(), path],
        check=True,
        capture_output=True,
    )
    loaded = bf.EnsembleRegressor.load(path)
    assert loaded.output_names_ == ["price q0.1", "price q0.9", "sold", "count"]
    model = regressor(
        members=6,
        epochs=10,
        learning_rate="auto",
        loss=["pinball", "binary", "poisson"],
        quantiles=(0.1, 0.9),
        pos_weight=2.0,
        target_transform="yeo-johnson",
    )
    frame = pd.DataFrame(X, columns=["a", "b"])
    model.fit(frame, TARGETS[:, :3])
    np.testing.assert_array_equal(model.predict(frame), loaded.predict(frame))


def onnx_run(model, rows, path):
    pytest.importorskip("onnx", reason="onnx is not installed; pip install onnx onnxruntime")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model.export_onnx(path / "m.onnx")
    session = runtime.InferenceSession(path / "m.onnx", providers=["CPUExecutionProvider"])
    return session.run(None, {"X": rows})[-1]


def torch_run(model, rows, _):
    pytest.importorskip("torch", reason="torch is not installed; pip install torch")
    return model.to_torch()(rows).detach().numpy()


def jax_run(model, rows, _):
    pytest.importorskip("jax", reason="jax is not installed; pip install jax")
    apply, parameters = model.to_jax()
    return np.asarray(apply(parameters, rows))


@pytest.mark.parametrize("run", [onnx_run, torch_run, jax_run])
@pytest.mark.parametrize(
    ("given", "y"),
    [
        ({"loss": "pinball"}, PRICE),
        ({"loss": "pinball", "quantiles": (0.3, 0.7)}, TARGETS[:, [0, 3]]),
        ({"loss": "pinball", "target_transform": "log"}, PRICE),
        ({"loss": "poisson"}, COUNT),
        ({"loss": "poisson", "standardize": False}, COUNT),
        ({"target_transform": "log"}, PRICE),
        ({"target_transform": "yeo-johnson"}, PRICE - 3),
        ({"target_transform": "yeo-johnson"}, 40 - 3 * PRICE),
        ({"loss": "gaussian", "target_transform": "quantile"}, TARGETS[:, [0, 3]]),
        ({"target_transform": "quantile"}, np.round(PRICE / 3)),
        ({"loss": MIXED, "target_transform": "yeo-johnson"}, TARGETS),
        ({"loss": ["gaussian", "gaussian"]}, TARGETS[:, [0, 3]]),
    ],
)
def test_exports_of_numbers(run, given, y, tmp_path):
    model = regressor(**given).fit(X, y)
    rows = np.concatenate([X, 3 * X])
    wanted = model.predict(rows)
    found = run(model, rows, tmp_path)
    if run is not onnx_run:
        assert found.shape == wanted.shape
    scale = max(1.0, np.abs(wanted).max())
    assert np.abs(found.reshape(wanted.shape) - wanted).max() <= 1e-5 * scale


@pytest.mark.parametrize("run", [onnx_run, torch_run, jax_run])
@pytest.mark.parametrize(
    ("given", "y"), [({}, LABELS), ({"loss": "binary", "calibrate": True}, LABELS[:, 0])]
)
def test_exports_of_probabilities(run, given, y, tmp_path):
    model = classifier(**given).fit(X, y)
    wanted = model.predict_proba(X)
    assert np.abs(run(model, X, tmp_path) - wanted).max() <= 1e-5


def test_misuse():
    with pytest.raises(ValueError, match="loss is 'hinge' but must be one of squared_error"):
        regressor(loss="hinge").fit(X, PRICE)
    with pytest.raises(ValueError, match="2 losses but y has 1 targets"):
        regressor(loss=["huber", "poisson"]).fit(X, PRICE)
    with pytest.raises(ValueError, match="the loss of a target is 'cross_entropy'"):
        regressor(loss=["huber", "cross_entropy"]).fit(X, TARGETS[:, :2])
    with pytest.raises(ValueError, match="target_transform is 'root'"):
        regressor(target_transform="root").fit(X, PRICE)
    with pytest.raises(ValueError, match=r"target target1 is .* in row \d+ but the transform log"):
        regressor(target_transform="log").fit(X, PRICE - 3)
    with pytest.raises(ValueError, match="needs counts, which are not negative"):
        regressor(loss="poisson").fit(X, PRICE - 3)
    with pytest.raises(ValueError, match="ascending"):
        regressor(loss="pinball", quantiles=(0.5, 0.1)).fit(X, PRICE)
    with pytest.raises(TypeError, match="quantiles is 'half'"):
        regressor(loss="pinball", quantiles="half").fit(X, PRICE)
    quantiles = regressor(loss="pinball", epochs=1).fit(X, PRICE)
    with pytest.raises(ValueError, match="return_std=True is for means"):
        quantiles.predict(X, return_std=True)
    with pytest.raises(ValueError, match="method 'jackknife\\+' is for predicted means"):
        quantiles.predict_interval(X, method="jackknife+")
    with pytest.raises(ValueError, match="method 'scaled' divides"):
        quantiles.predict_interval(X, method="scaled")
    with pytest.raises(ValueError, match="loss 'binary', but y has 3 classes"):
        classifier(loss="binary").fit(X, np.arange(300) % 3)
    with pytest.raises(ValueError, match="pos_weight is for loss 'binary'"):
        classifier(pos_weight=2.0).fit(X, LABELS[:, 0])
    with pytest.raises(ValueError, match="does not have several columns"):
        classifier(loss="multi_label").fit(X, LABELS[:, 0])
    with pytest.raises(ValueError, match="use 'multi_label'"):
        classifier(loss="binary").fit(X, LABELS)
    with pytest.raises(ValueError, match="use pos_weight"):
        classifier(class_weight="balanced").fit(X, LABELS)


def test_targets_of_0_and_1_have_sets(tmp_path):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(600, 2))
    y = np.column_stack([x[:, 0], x[:, 0] + rng.normal(size=600) > 0, x[:, 1] > 0])
    losses = ["squared_error", "binary", "binary"]
    model = bf.EnsembleRegressor(members=20, epochs=20, loss=losses).fit(x[:300], y[:300])
    low, _ = model.predict_interval(x[300:])
    assert np.isnan(low[:, 1:]).all() and np.isfinite(low[:, 0]).all()
    sets = model.predict_set(x[300:], 0.8)
    assert sets.shape == (300, 2, 2) and sets.dtype == bool and sets.any(axis=2).all()
    for target in range(2):
        inside = sets[np.arange(300), target, y[300:, 1 + target].astype(int)]
        assert inside.mean() > 0.72
    model.save(tmp_path / "m.safetensors")
    loaded = bf.EnsembleRegressor.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.predict_set(x[300:], 0.8), sets)
    own = model.predict_set(x[300:], 0.8, calibration=(x[300:], y[300:]))
    assert own.shape == sets.shape
    alone = bf.EnsembleRegressor(members=10, epochs=5, loss=["binary"]).fit(x[:300], y[:300, 1])
    assert alone.predict_set(x[:5]).shape == (5, 1, 2)
    with pytest.raises(ValueError, match="no prediction intervals; predict_set gives sets"):
        alone.predict_interval(x)
    with pytest.raises(ValueError, match="the loss is squared_error; predict_interval is for"):
        bf.EnsembleRegressor(members=2, epochs=1).fit(x, y[:, 0]).predict_set(x)
