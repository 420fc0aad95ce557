"""Modules of torch and functions of JAX give the predictions of the estimators, and return."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import bootfold as bf
from bootfold import _forward

X, Y = load_iris(return_X_y=True)
RNG = np.random.default_rng(5)
LINE = RNG.normal(size=(120, 3)) * [1.0, 100.0, 1e-3] + [3.0, 0.0, 1e-3]
TARGETS = np.stack([LINE[:, 0] * 3, LINE[:, 1] - LINE[:, 2]], axis=1)


def regressor(**given):
    return bf.EnsembleRegressor(**{"members": 12, "epochs": 10, "learning_rate": 1e-2} | given)


def classifier(**given):
    return bf.EnsembleClassifier(**{"members": 12, "epochs": 10, "learning_rate": 1e-2} | given)


def torch_run(model, rows, kind="prediction", **given):
    pytest.importorskip("torch", reason="torch is not installed; pip install torch")
    return model.to_torch(**given)(rows, kind).detach().numpy()


def jax_run(model, rows, kind="prediction", **given):
    jax = pytest.importorskip("jax", reason="jax is not installed; pip install jax")
    apply, parameters = model.to_jax(**given)
    found = jax.jit(apply, static_argnums=2)(parameters, rows, kind)
    return np.asarray(found)


@pytest.fixture(params=[torch_run, jax_run], ids=["torch", "jax"])
def run(request):
    return request.param


def close(found, wanted, scale=1.0):
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() <= 1e-5 * scale


@pytest.mark.parametrize("activation", sorted(_forward.ACTIVATIONS))
@pytest.mark.parametrize("hidden", [(), (16,), (8, 24)])
def test_classes_of_every_network(run, activation, hidden):
    model = classifier(hidden=hidden, activation=activation, calibrate=True).fit(X, Y)
    close(run(model, X), model.predict_proba(X))
    assert run(model, X, "members").shape == (12, 150, 3)


@pytest.mark.parametrize("loss", ["gaussian", "huber", "squared_error"])
@pytest.mark.parametrize("targets", [TARGETS, TARGETS[:, 0]])
def test_numbers(run, loss, targets):
    model = regressor(loss=loss).fit(LINE, targets)
    wanted = model.predict(LINE)
    close(run(model, LINE), wanted, np.abs(wanted).max())
    members = run(model, LINE, "members")
    assert members.shape == (12, *wanted.shape)
    spread = members.std(axis=0, ddof=1)
    np.testing.assert_allclose(spread, model.uncertainty(LINE).epistemic, rtol=1e-3)
    outputs = run(model, LINE, "outputs")
    assert outputs.shape == (12, 120, model.stacked_parameters()["layers.1.bias"].shape[1])


def test_bins_missing_values_and_categories_of_numbers(run):
    rng = np.random.default_rng(2)
    rows = pd.DataFrame(LINE, columns=["a", "b", "c"])
    rows.loc[::7, "b"] = np.nan
    rows["zip"] = rng.choice([10.0, 20.0, 20.5, 30.0], 120, p=[0.4, 0.4, 0.18, 0.02])
    model = regressor(bins=5, categorical=["zip"]).fit(rows, TARGETS[:, 1])
    new = rows.copy()
    new.loc[:3, "zip"] = 99.0
    new.loc[4:6, "zip"] = np.nan
    wanted = model.predict(new)
    close(run(model, new.to_numpy()), wanted, np.abs(wanted).max())
    close(run(model, model.encode(new), encoded=True), wanted, np.abs(wanted).max())


def test_periodic_features_and_winsorized_numbers(run):
    rows = LINE.copy()
    rows[::7, 1] = np.nan
    model = regressor(bins=4, bin_edges="tree", periodic=3, periodic_scale=0.5, winsorize=0.05).fit(
        rows, TARGETS[:, 1]
    )
    assert any("sine" in name for name in model.encoded_names_)
    new = np.concatenate([rows, rows * 3, np.full((1, 3), np.nan)])
    wanted = model.predict(new)
    close(run(model, new), wanted, np.abs(wanted).max())


def test_dates(run):
    days = pd.date_range("2019-01-01", periods=200, freq="17h")
    rows = pd.DataFrame({"day": days, "size": np.arange(200.0)})
    model = regressor(dates=["day"]).fit(rows, np.asarray(days.month, dtype=float))
    wanted = model.predict(rows)
    seconds = (rows["day"] - pd.Timestamp(0)).dt.total_seconds().to_numpy()
    if run is jax_run:
        with pytest.raises(ValueError, match=r"'day' is a date, .*jax_enable_x64.*encoded=True"):
            run(model, rows)
    else:
        close(run(model, np.stack([seconds, rows["size"]], axis=1)), wanted, 12)
    close(run(model, model.encode(rows), encoded=True), wanted, 12)


def test_text_needs_encoded_rows(run):
    rows = pd.DataFrame({"color": ["D", "E", "F"] * 30, "size": np.arange(90.0)})
    model = classifier().fit(rows, rows["color"] == "E")
    with pytest.raises(ValueError, match=r"'color' is text, which .* cannot take; pass encoded"):
        run(model, rows)
    close(run(model, model.encode(rows), encoded=True), model.predict_proba(rows))


def test_members_of_several_networks(run):
    model = classifier(members=3).sweep(X, Y, hidden=[(8,), (4, 4)], activation=["relu", "tanh"])
    close(run(model, X), model.predict_proba(X))
    members = run(model, X, "members")
    for number in (0, 4, 8, 11):
        close(members[number], model.subset([number]).predict_proba(X))


@pytest.mark.parametrize("layer_norm", [False, True])
@pytest.mark.parametrize("residual", [False, True])
def test_layers(run, layer_norm, residual):
    given = {"layer_norm": layer_norm, "residual": residual, "activation": "silu"}
    model = classifier(hidden=(9, 9, 5, 5), dropout=0.1, **given).fit(X, Y)
    close(run(model, X), model.predict_proba(X))
    sweep = classifier(members=3, hidden=(6, 6)).sweep(
        X, Y, layer_norm=[False, True], residual=[False, True]
    )
    close(run(sweep, X), sweep.predict_proba(X))


def test_layers_return():
    model = regressor(hidden=(8, 8), layer_norm=True, residual=True).fit(LINE, TARGETS)
    torch = model.stacked_parameters("torch")
    assert torch["layers.1.gain"].shape == torch["layers.1.offset"].shape == (12, 8)
    assert "layers.2.gain" not in torch
    jax = model.stacked_parameters("jax")
    assert jax["LayerNorm_1"]["scale"].shape == jax["LayerNorm_1"]["bias"].shape == (12, 8)
    own = model.members_[3].parameters
    np.testing.assert_array_equal(own["layers.0.gain"], torch["layers.0.gain"][3])
    for tree, back in ((torch, model.from_torch), (jax, model.from_jax)):
        np.testing.assert_array_equal(back(tree).predict(LINE), model.predict(LINE))
    moved = {name: array.copy() for name, array in torch.items()}
    moved["layers.1.gain"] *= 2
    assert np.abs(model.from_torch(moved).predict(LINE) - model.predict(LINE)).max() > 1e-3


def test_layers_return_from_modules():
    pytest.importorskip("torch", reason="torch is not installed; pip install torch")
    model = regressor(hidden=(8, 8), layer_norm=True).fit(LINE, TARGETS)
    module = model.to_torch()
    assert {name: tuple(value.shape) for name, value in module.named_parameters()} == {
        name: value.shape for name, value in model.stacked_parameters().items()
    }
    back = model.from_torch(pickle.loads(pickle.dumps(module)))
    np.testing.assert_array_equal(back.predict(LINE), model.predict(LINE))


def test_other_kinds_are_refused(run):
    with pytest.raises(ValueError, match="kind is 'mean' but must be one of prediction, members"):
        run(classifier(members=2).fit(X, Y), X, "mean")


def test_torch_returns():
    torch = pytest.importorskip("torch", reason="torch is not installed; pip install torch")
    model = regressor().fit(LINE, TARGETS)
    module = model.to_torch()
    assert {name: tuple(value.shape) for name, value in module.named_parameters()} == {
        name: value.shape for name, value in model.stacked_parameters().items()
    }
    for given in (module, module.state_dict(), pickle.loads(pickle.dumps(module))):
        back = model.from_torch(given)
        np.testing.assert_array_equal(back.predict(LINE), model.predict(LINE))
        assert back.oob_score_ == model.oob_score_
    # Trained further in torch, it predicts here what it does there.
    optimizer = torch.optim.SGD(module.parameters(), lr=0.01)
    mean, scale = model.target_scaling_
    truth = torch.as_tensor((TARGETS - mean) / scale, dtype=torch.float32)
    losses = []
    for _ in range(20):
        loss = ((module(LINE, "outputs") - truth) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    tuned = model.from_torch(module)
    wanted = module(LINE).detach().numpy()
    close(tuned.predict(LINE), wanted, np.abs(wanted).max())
    assert np.abs(tuned.predict(LINE) - model.predict(LINE)).max() > 0.01


def test_jax_returns():
    jax = pytest.importorskip("jax", reason="jax is not installed; pip install jax")
    model = classifier().fit(X, Y)
    ensemble = model.to_jax()
    for given in (ensemble, ensemble.parameters, {"params": ensemble.parameters}):
        back = model.from_jax(given)
        np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))

    def loss(parameters):
        logits = ensemble.apply(parameters, X, "outputs")
        return -jax.nn.log_softmax(logits)[:, np.arange(150), Y].mean()

    slope = jax.jit(jax.grad(loss))
    tree = ensemble.parameters
    for _ in range(20):
        tree = jax.tree_util.tree_map(lambda p, g: p - 0.5 * g, tree, slope(tree))
    assert loss(tree) < loss(ensemble.parameters)
    tuned = model.from_jax(tree)
    close(tuned.predict_proba(X), np.asarray(ensemble.apply(tree, X)))


def test_parameters_return_without_either():
    model = regressor().fit(LINE, TARGETS)
    for tree, back in (
        (model.stacked_parameters("torch"), model.from_torch),
        (model.stacked_parameters("jax"), model.from_jax),
    ):
        np.testing.assert_array_equal(back(tree).predict(LINE), model.predict(LINE))
        assert back(tree).predict_interval(LINE)[0].shape == (120, 2)
    sweep = classifier(members=3).sweep(X, Y, hidden=[(8,), (4, 4)])
    back = sweep.from_jax(sweep.stacked_parameters("jax"))
    np.testing.assert_array_equal(back.predict_proba(X), sweep.predict_proba(X))


def test_other_parameters_have_no_history(tmp_path):
    model = classifier(calibrate=True).fit(X, Y)
    tree = {name: value.copy() for name, value in model.stacked_parameters().items()}
    tree["layers.1.bias"] += 1.0  # the same for all classes: the same probabilities
    other = model.from_torch(tree)
    assert other.temperature_ == 1 and not hasattr(other, "oob_score_")
    assert hasattr(model, "oob_score_") and model.temperature_ != 1
    assert np.isnan(other.members_[0].loss) and not hasattr(other, "loss_curves_")
    other.save(tmp_path / "other.safetensors")
    again = bf.EnsembleClassifier.load(tmp_path / "other.safetensors")
    np.testing.assert_array_equal(again.predict_proba(X), other.predict_proba(X))
    line = regressor().fit(LINE, TARGETS[:, 0])
    tree = {name: value * 2 for name, value in line.stacked_parameters().items()}
    with pytest.raises(ValueError, match="parameters came from elsewhere"):
        line.from_torch(tree).predict_interval(LINE)


def test_parameters_of_other_shapes_are_refused():
    model = regressor().fit(LINE, TARGETS)
    tree = model.stacked_parameters()
    with pytest.raises(ValueError, match=r"layers\.0\.weight has the shape \(11, 32, 3\) but must"):
        model.from_torch(tree | {"layers.0.weight": tree["layers.0.weight"][1:]})
    with pytest.raises(ValueError, match=r"layers\.9\.bias is not a parameter of these networks"):
        model.from_torch(tree | {"layers.9.bias": np.zeros(3)})
    with pytest.raises(ValueError, match=r"layers\.0\.bias is missing; the parameters are layers"):
        model.from_torch({name: tree[name] for name in tree if name != "layers.0.bias"})
    with pytest.raises(ValueError, match="not finite"):
        model.from_torch(tree | {"layers.1.bias": tree["layers.1.bias"] * np.nan})
    with pytest.raises(TypeError, match="of type list but must be a module of torch"):
        model.from_torch([1.0])
    with pytest.raises(TypeError, match="must be a tree such as that of to_jax"):
        model.from_jax([1.0])
    with pytest.raises(ValueError, match="layout is 'keras' but must be 'torch' or 'jax'"):
        model.stacked_parameters("keras")


@pytest.mark.parametrize("package", ["torch", "jax"])
def test_without_the_package(monkeypatch, package):
    model = regressor(members=2, epochs=1).fit(LINE, TARGETS)
    from bootfold import _torch

    _torch._classes.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"to_{package} needs {package}; install it with: pip"):
        getattr(model, f"to_{package}")()
