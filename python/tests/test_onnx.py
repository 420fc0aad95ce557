"""Models that ONNX Runtime computes give the predictions of the estimators."""

import json
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import bootfold as bf
from bootfold import _forward

X, Y = load_iris(return_X_y=True)
SPECIES = np.array(["setosa", "versicolor", "virginica"])[Y]
RNG = np.random.default_rng(5)
LINE = RNG.normal(size=(120, 3)) * [1.0, 100.0, 1e-3] + [1e4, 0.0, 1.0]
TARGETS = np.stack([LINE[:, 0] * 3, LINE[:, 1] - LINE[:, 2]], axis=1)


@pytest.fixture
def run(tmp_path):
    """Exports a model and computes its outputs by name."""
    pytest.importorskip("onnx", reason="onnx is not installed; pip install onnx onnxruntime")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

    def compute(model, given, **options):
        path = tmp_path / "model.onnx"
        model.export_onnx(path, **options)
        assert [file.name for file in tmp_path.iterdir()] == ["model.onnx"]
        session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        fed = given if isinstance(given, dict) else {"X": given}
        names = [output.name for output in session.get_outputs()]
        return dict(zip(names, session.run(None, fed), strict=True))

    return compute


def regressor(**given):
    return bf.EnsembleRegressor(**{"members": 20, "epochs": 10, "learning_rate": 1e-2} | given)


def classifier(**given):
    return bf.EnsembleClassifier(**{"members": 20, "epochs": 10, "learning_rate": 1e-2} | given)


def close(found, wanted, scale=1.0):
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() <= 1e-5 * scale


@pytest.mark.parametrize("activation", sorted(_forward.ACTIVATIONS))
@pytest.mark.parametrize("hidden", [(), (16,), (8, 24)])
def test_classes_of_every_network(run, activation, hidden):
    model = classifier(hidden=hidden, activation=activation).fit(X, SPECIES)
    found = run(model, X, members=True)
    assert list(found) == ["label", "probabilities", "member_probabilities"]
    close(found["probabilities"], model.predict_proba(X))
    close(found["member_probabilities"].mean(axis=0), model.predict_proba(X))
    assert found["member_probabilities"].shape == (20, 150, 3)
    sure = np.sort(model.predict_proba(X), axis=1)[:, -2:] @ [-1, 1] > 1e-5
    assert (found["label"] == model.predict(X))[sure].all() and sure.sum() > 100


@pytest.mark.parametrize("layer_norm", [False, True])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("activation", ["relu", "silu"])
def test_layers(run, layer_norm, residual, activation):
    given = {"layer_norm": layer_norm, "residual": residual, "activation": activation}
    options = {"dropout": 0.1, "average": 0.9, "warmup": 0.1}
    model = regressor(hidden=(9, 9, 5, 5), **given, **options).fit(LINE, TARGETS)
    close(run(model, LINE)["prediction"], model.predict(LINE), np.abs(TARGETS).max())


def test_members_of_several_layers(run):
    model = classifier(members=3, hidden=(6, 6)).sweep(
        X, SPECIES, layer_norm=[False, True], residual=[False, True]
    )
    close(run(model, X)["probabilities"], model.predict_proba(X))


def test_the_table_of_activations_has_those_of_the_library():
    with pytest.raises(ValueError) as refused:
        classifier(activation="none such").fit(X, Y)
    known = {word.strip("'\",.") for word in str(refused.value).split()}
    assert set(_forward.ACTIVATIONS) <= known


@pytest.mark.parametrize("labels", [Y, Y == 1, Y * 2.0])
def test_types_of_labels(run, labels):
    model = classifier(calibrate=True).fit(X, labels)
    assert model.temperature_ != 1
    found = run(model, X)
    close(found["probabilities"], model.predict_proba(X))
    assert found["label"].dtype == labels.dtype
    assert (found["label"] == model.predict(X)).mean() > 0.98


@pytest.mark.parametrize("loss", ["gaussian", "huber", "squared_error"])
@pytest.mark.parametrize("standardize", [True, False])
def test_numbers(run, loss, standardize):
    rows = LINE if standardize else (LINE - LINE.mean(axis=0)) / LINE.std(axis=0)
    model = regressor(loss=loss, standardize=standardize).fit(rows, TARGETS)
    found = run(model, rows, members=True)
    wanted = model.predict(rows)
    close(found["prediction"], wanted, np.abs(wanted).max())
    assert found["member_prediction"].shape == (20, 120, 2)
    spread = found["member_prediction"].std(axis=0, ddof=1)
    np.testing.assert_allclose(spread, model.uncertainty(rows).epistemic, rtol=1e-3)


def test_numbers_of_32_bits(run):
    rows = LINE.astype(np.float32)
    model = regressor().fit(rows, TARGETS[:, 0])
    found = run(model, rows, input_type="float32")["prediction"]
    close(found[:, 0], model.predict(rows), np.abs(TARGETS[:, 0]).max())
    with pytest.raises(ValueError, match="input_type is 'half' but must be"):
        model.export_onnx("never.onnx", input_type="half")


def test_32_bits_of_columns_far_from_0_are_warned_of(tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed; pip install onnx onnxruntime")
    rows = np.column_stack([1e9 + 3 * np.arange(120.0), LINE[:, 0], 1e4 + LINE[:, 1]])
    model = regressor().fit(pd.DataFrame(rows, columns=["time", "x", "y"]), TARGETS[:, 0])
    with pytest.warns(UserWarning, match="column 'time': the mean is more than 100,000 standard"):
        model.export_onnx(tmp_path / "m.onnx", input_type="float32")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.export_onnx(tmp_path / "m.onnx")
        model.export_onnx(tmp_path / "m.onnx", encoded=True, input_type="float32")


def test_bins_and_missing_values(run):
    rows = LINE.copy()
    rows[::7, 1] = np.nan
    model = regressor(bins=8, resampling="subsample").fit(rows, TARGETS[:, 1])
    assert any("bin" in name for name in model.encoded_names_)
    assert any("missing" in name for name in model.encoded_names_)
    new = np.concatenate([rows, rows * 1.2, np.full((1, 3), np.nan)])
    found = run(model, new)["prediction"]
    close(found[:, 0], model.predict(new), np.abs(model.predict(new)).max())


def test_periodic_features_and_winsorized_numbers(run):
    rows = LINE.copy()
    rows[::7, 1] = np.nan
    model = regressor(bins=4, bin_edges="tree", periodic=3, periodic_scale=0.5, winsorize=0.05).fit(
        rows, TARGETS[:, 1]
    )
    assert any("sine" in name for name in model.encoded_names_)
    new = np.concatenate([rows, rows * 3, np.full((1, 3), np.nan)])
    wanted = model.predict(new)
    found = run(model, new)["prediction"]
    close(found[:, 0], wanted, np.abs(wanted).max())


def frame(rows=200):
    """Columns of every kind."""
    rng = np.random.default_rng(11)
    days = pd.Timestamp("1899-12-28") + pd.to_timedelta(rng.integers(0, 90_000, rows), unit="D")
    return pd.DataFrame(
        {
            "carat": np.where(rng.random(rows) < 0.1, np.nan, rng.lognormal(size=rows)),
            "color": rng.choice(["D", "E", "F", None], rows),
            "zip": rng.choice([10.0, 20.0, 20.5, 30.0], rows, p=[0.4, 0.4, 0.19, 0.01]),
            "day": days + pd.to_timedelta(rng.integers(0, 86_400, rows), unit="s"),
            "sold": rng.random(rows) < 0.5,
        }
    )


def seconds(column):
    return (column - pd.Timestamp(0)).dt.total_seconds().to_numpy()


def test_text_categories_dates_and_booleans(run):
    rows = frame()
    price = rows["carat"].fillna(1) + (rows["color"] == "E") + rows["day"].dt.month + rows["sold"]
    model = regressor(categorical=["zip"], dates=["day"]).fit(rows, price)
    new = frame(300).iloc[200:].copy()
    new.loc[new.index[:5], "color"] = "Z"  # not a level
    new.loc[new.index[3:9], "zip"] = 77.0
    new.loc[new.index[7:12], "zip"] = np.nan
    fed = {
        "carat": new[["carat"]].to_numpy(),
        "color": new[["color"]].fillna("").astype(object).to_numpy(),
        "zip": new[["zip"]].to_numpy(),
        "day": seconds(new["day"])[:, None],
        "sold": new[["sold"]].to_numpy(dtype=float),
    }
    wanted = model.predict(new)
    found = run(model, fed)["prediction"][:, 0]
    close(found, wanted, np.abs(wanted).max())
    # The same through the rows of encode().
    encoded = model.encode(new)
    assert encoded.shape == (100, len(model.encoded_names_)) and encoded.dtype == np.float32
    close(run(model, encoded, encoded=True)["prediction"][:, 0], wanted, np.abs(wanted).max())


def test_dates_that_are_missing(run):
    rows = frame()[["day", "carat"]]
    rows.loc[::9, "day"] = pd.NaT
    model = regressor(dates=["day"]).fit(rows, np.arange(200.0))
    days = ["2000-02-29", "1900-03-01", "2100-12-31 23:59:59", None, "1970-01-01"]
    days = pd.to_datetime(days, format="ISO8601")
    new = pd.DataFrame({"day": days, "carat": 1.0})
    fed = np.stack([seconds(new["day"]), np.ones(5)], axis=1)
    close(run(model, fed)["prediction"][:, 0], model.predict(new), 200)


def test_hashed_levels_are_encoded_by_bootfold(run):
    rng = np.random.default_rng(2)
    rows = pd.DataFrame({"city": [f"c{k}" for k in rng.integers(0, 60, 400)], "size": 1.0})
    model = classifier(levels=4).fit(rows, rng.integers(0, 2, 400))
    with pytest.raises(ValueError, match=r"'city' share hashed columns.*encoded=True.*levels="):
        model.export_onnx("never.onnx")
    new = pd.DataFrame({"city": ["c1", "c59", "unknown", None], "size": 1.0})
    found = run(model, model.encode(new), encoded=True)["probabilities"]
    close(found, model.predict_proba(new))


def test_encode_is_what_the_networks_see():
    """A linear network whose prediction is its encoded input, told by differences."""
    rows = frame()
    rows["city"] = [f"c{k}" for k in np.random.default_rng(1).integers(0, 50, 200)]
    model = regressor(
        members=1, hidden=(), categorical=["zip"], dates=["day"], levels=3, bins=4
    ).fit(rows, np.arange(200.0))
    layer = _forward.model_of(model._ensemble).packs[0].layers[0]
    weights, bias = (part[0] for part in layer)
    mean, scale = model.target_scaling_
    found = (model.encode(rows) @ weights.T + bias) * scale + mean
    np.testing.assert_allclose(found[:, 0], model.predict(rows), rtol=1e-5, atol=1e-3)


def test_sweeps_have_members_of_several_shapes(run):
    model = classifier(members=4).sweep(X, Y, hidden=[(8,), (4, 4)], activation=["relu", "tanh"])
    found = run(model, X, members=True)
    close(found["probabilities"], model.predict_proba(X))
    for number in (0, 5, 10, 15):
        wanted = model.subset([number]).predict_proba(X)
        close(found["member_probabilities"][number], wanted)


def test_failed_members_are_left_out(run):
    rows = np.concatenate([X, [[1e30, 0, 0, 0]]])  # a member that draws it diverges
    with pytest.warns(UserWarning, match="failed"):
        model = regressor(standardize=False, optimizer="sgd").fit(rows, rows[:, 1])
    useful = [m for m, member in enumerate(model.members_) if not member.failure]
    assert 0 < len(useful) < 20
    found = run(model, X, members=True)
    close(found["prediction"][:, 0], model.predict(X), 10)
    assert found["member_prediction"].shape[0] == len(useful)


def test_the_file_says_what_it_is(run, tmp_path):
    import onnx

    model = regressor().fit(pd.DataFrame(LINE, columns=["a", "b", "c"]), TARGETS)
    run(model, LINE)
    made = onnx.load(tmp_path / "model.onnx")
    told = {entry.key: entry.value for entry in made.metadata_props}
    assert json.loads(told["inputs"]) == ["a", "b", "c"] and told["members"] == "20"
    assert made.producer_name == "bootfold"


def test_what_is_not_known_is_refused(monkeypatch):
    model = regressor(activation="tanh").fit(LINE, TARGETS)
    monkeypatch.delitem(_forward.ACTIVATIONS, "tanh")
    with pytest.raises(NotImplementedError, match="activation is 'tanh', but exports know relu"):
        _forward.model_of(model._ensemble)
    monkeypatch.setitem(_forward.ACTIVATIONS, "tanh", lambda ops, x: x)
    with pytest.raises(NotImplementedError, match="compute something that exports"):
        _forward.model_of(model._ensemble)
    known = tuple(name for name in _forward._TRAINING if name != "weight_decay")
    monkeypatch.setattr(_forward, "_TRAINING", known)
    other = regressor().fit(LINE, TARGETS)
    _forward.model_of(other._ensemble)  # it has the default
    other = regressor(weight_decay=0.5).fit(LINE, TARGETS)
    with pytest.raises(NotImplementedError, match=r"trained with weight_decay=0\.5, which exports"):
        _forward.model_of(other._ensemble)
    monkeypatch.undo()
    monkeypatch.delitem(_forward.LINKS, "squared_error")
    with pytest.raises(NotImplementedError, match="loss is 'squared_error', but exports know"):
        _forward.model_of(model._ensemble)


def test_without_onnx(monkeypatch):
    model = regressor().fit(LINE, TARGETS)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"export_onnx needs onnx; install it with: pip install"):
        model.export_onnx("never.onnx")
