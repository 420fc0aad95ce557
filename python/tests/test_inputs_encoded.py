"""Estimators on tables with text, missing values, dates and codes."""

import io
import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import bootfold as bf

RNG = np.random.default_rng(8)
ROWS = 240
COLOR = RNG.choice(["D", "E", "F"], ROWS)
CARAT = RNG.uniform(size=ROWS)
PRICE = 4 * CARAT + (COLOR == "E") + 0.1 * RNG.normal(size=ROWS)
FRAME = pd.DataFrame(
    {
        "carat": np.where(np.arange(ROWS) % 10 == 0, np.nan, CARAT),
        "color": np.where(np.arange(ROWS) % 7 == 0, None, COLOR),
        "zip": RNG.choice([1000, 2000], ROWS),
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(ROWS), unit="D"),
        "ok": RNG.choice([True, False], ROWS),
    }
)
NAMES = ["carat", "carat missing", "color=D", "color=E", "color=F", "color missing"]


def regressor(**given):
    options = {"members": 8, "epochs": 30, "learning_rate": 1e-2} | given
    return bf.EnsembleRegressor(categorical=["zip"], dates=["when"], **options)


MODEL = regressor().fit(FRAME, PRICE)


def test_columns_that_the_networks_see():
    assert MODEL.encoded_names_[:6] == NAMES
    assert MODEL.encoded_names_[6] == "when" or MODEL.encoded_names_[6] == "zip=1000"
    assert MODEL.encoded_names_[-1] == "ok"
    assert MODEL.n_features_in_ == 5
    assert list(MODEL.feature_names_in_) == list(FRAME.columns)
    assert MODEL.oob_score_ > 0.5


@pytest.mark.parametrize(
    "frame",
    [
        FRAME.astype({"color": "category"}),
        FRAME.astype({"color": "string", "carat": "Float64", "ok": "boolean"}),
        pl.from_pandas(FRAME),
        pl.from_pandas(FRAME).with_columns(pl.col("color").cast(pl.Categorical)),
        pa.Table.from_pandas(FRAME, preserve_index=False),
        pl.from_pandas(FRAME).lazy(),
    ],
    ids=["category", "extension", "polars", "categorical", "arrow", "lazy"],
)
def test_any_frame_makes_the_same_members(frame):
    model = regressor().fit(frame, PRICE)
    assert model.encoded_names_ == MODEL.encoded_names_
    np.testing.assert_array_equal(model.predict(FRAME), MODEL.predict(FRAME))
    np.testing.assert_array_equal(MODEL.predict(frame), MODEL.predict(FRAME))


def test_files_keep_the_encoding(tmp_path):
    path = tmp_path / "m.safetensors"
    MODEL.save(path)
    loaded = bf.EnsembleRegressor.load(path)
    np.testing.assert_array_equal(loaded.predict(FRAME), MODEL.predict(FRAME))
    rows = tmp_path / "rows.parquet"
    FRAME.to_parquet(rows)
    np.testing.assert_array_equal(loaded.predict(rows), MODEL.predict(FRAME))
    again = pickle.loads(pickle.dumps(MODEL))
    np.testing.assert_array_equal(again.predict(FRAME), MODEL.predict(FRAME))


# Python trains, the program predicts a CSV file with the columns in another order.
def test_the_program_predicts_the_same(tmp_path):
    path, rows = tmp_path / "m.safetensors", tmp_path / "rows.csv"
    MODEL.save(path)
    FRAME[["ok", "when", "zip", "color", "carat"]].to_csv(rows, index=False)
    out = subprocess.run(
        [os.environ["BOOTFOLD_PROGRAM"], "ensemble", "predict", path, rows, "--quiet"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    said = np.array([float(line.split(",")[0]) for line in out.splitlines()[1:]])
    np.testing.assert_array_equal(said, MODEL.predict(FRAME))


def test_unknown_levels_and_missing_values_are_outside():
    rows = FRAME.head(3).copy()
    rows["color"] = ["D", "Q", None]
    rows.loc[1, "zip"] = 77
    assert MODEL.outside_range(rows).tolist() == [0, 2, 0]
    assert MODEL.uncertainty(rows).outside.tolist() == [0, 2, 0]
    rows["when"] = pd.NaT
    assert MODEL.outside_range(rows).tolist() == [1, 3, 1]
    assert np.isfinite(MODEL.predict(rows)).all()


def test_columns_that_are_missing_or_new_are_named():
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:.*- extra"):
        MODEL.predict(FRAME.assign(extra=1.0))
    with pytest.raises(ValueError, match=r"(?s)now missing:.*- color"):
        MODEL.predict(FRAME.drop(columns="color"))


def test_what_is_refused():
    with pytest.raises(TypeError, match=r"column 'when' is of type .*dates=\['when'\]"):
        bf.EnsembleRegressor().fit(FRAME, PRICE)
    with pytest.raises(ValueError, match="categorical names 'cut', which is not an input"):
        bf.EnsembleRegressor(categorical=["cut"]).fit(FRAME[["carat"]], PRICE)
    with pytest.raises(ValueError, match="nan is 'drop' but must be 'encode' or 'error'"):
        bf.EnsembleRegressor(nan="drop").fit(FRAME[["carat"]], PRICE)
    strict = bf.EnsembleRegressor(nan="error", members=2, epochs=1)
    with pytest.raises(ValueError, match=r"contains NaN \(column 'carat', row 0\), but nan is"):
        strict.fit(FRAME[["zip", "carat"]], PRICE)
    with pytest.raises(ValueError, match=r"contains NaN \(column 2, row 4\)"):
        strict.fit(np.eye(9, 2), np.arange(9)).predict([[0, 1]] * 4 + [[0, np.nan]])
    with pytest.raises(ValueError, match=r"infinity .*\(column 'zip', row 0\)"):
        MODEL.predict(FRAME.assign(zip=np.inf))
    twice = FRAME[["carat", "zip", "carat"]]
    for call in (lambda: bf.EnsembleRegressor().fit(twice, PRICE), lambda: MODEL.predict(twice)):
        with pytest.raises(ValueError, match="X has 2 columns called 'carat'"):
            call()
    for rows in (np.array([["a", 1.0]] * 9, dtype=object), [["a", "1"]] * 9):
        with pytest.raises(ValueError, match="columns of a data frame may be text: give pandas"):
            bf.EnsembleRegressor().fit(rows, np.arange(9))
    lasting = FRAME.assign(when=FRAME["when"] - FRAME["when"].min())
    for dates in ([], ["when"]):
        refused = r"'when' is of type timedelta64.*no date.*total_seconds"
        with pytest.raises(TypeError, match=refused):
            bf.EnsembleRegressor(dates=dates).fit(lasting, PRICE)
    with pytest.raises(ValueError, match="column 'carat' has values that are not numbers"):
        MODEL.predict(FRAME.assign(carat="heavy"))


def test_none_is_no_column():
    rows = FRAME[["carat", "color"]]
    given = {"members": 2, "epochs": 1}
    model = bf.EnsembleRegressor(dates=None, categorical=None, **given).fit(rows, PRICE)
    wanted = bf.EnsembleRegressor(**given).fit(rows, PRICE)
    np.testing.assert_array_equal(model.predict(rows), wanted.predict(rows))


# An array with NaN: the median and a column that says where.
def test_arrays_may_have_missing_values():
    rows = FRAME[["carat", "zip"]].to_numpy(dtype=float)
    model = bf.EnsembleRegressor(members=4, epochs=5).fit(rows, PRICE)
    assert model.encoded_names_ == ["1", "1 missing", "2"]
    assert np.isfinite(model.predict(rows)).all()


def test_scikit_learn_tools_take_such_frames():
    classes = np.where(np.median(PRICE) < PRICE, "dear", "cheap")
    model = bf.EnsembleClassifier(
        members=4, epochs=40, learning_rate=1e-2, categorical=["zip"], dates=["when"]
    )
    assert cross_val_score(clone(model), FRAME, classes, cv=3).mean() > 0.8
    low, high = MODEL.predict_interval(FRAME, confidence=0.9)
    assert np.mean((low <= PRICE) & (high >= PRICE)) > 0.85
    held_out = regressor(patience=3, epochs=20).fit(FRAME, PRICE, validation=(FRAME, PRICE))
    assert held_out.encoded_names_ == MODEL.encoded_names_


def test_bins_help_a_linear_model_to_bend(tmp_path):
    x = np.linspace(-1, 1, 400)[:, None]
    y = np.abs(x[:, 0])
    options = {"members": 5, "hidden": (), "epochs": 100, "learning_rate": 1e-2}
    assert bf.EnsembleRegressor(**options).fit(x, y).oob_score_ < 0.1
    model = bf.EnsembleRegressor(bins=8, **options).fit(x, y)
    assert model.oob_score_ > 0.95
    assert model.encoded_names_ == ["1", *(f"1 bin {bin}" for bin in range(1, 9))]
    model.save(tmp_path / "m.safetensors")
    loaded = bf.EnsembleRegressor.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.predict(x), model.predict(x))


def test_bins_of_a_tree_are_where_the_target_changes(tmp_path):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(2000, 2))
    y = np.where(x[:, 0] > 0.3, 2.0, 0.0) + rng.normal(scale=0.1, size=2000)
    options = {"members": 4, "hidden": (), "epochs": 30, "learning_rate": 1e-2, "bins": 4}
    by_tree = bf.EnsembleRegressor(bin_edges="tree", **options).fit(x, y)
    by_quantiles = bf.EnsembleRegressor(bin_edges="quantiles", **options).fit(x, y)
    assert by_tree.oob_score_ > by_quantiles.oob_score_ + 0.05
    by_tree.save(tmp_path / "m.safetensors")
    loaded = bf.EnsembleRegressor.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.predict(x), by_tree.predict(x))
    classes = np.where(y > 1, "high", "low")
    model = bf.EnsembleClassifier(bin_edges="tree", **options).fit(x, classes)
    assert model.oob_score_ > 0.97
    # Weights count: rows of weight 0 do not split.
    weights = np.where(x[:, 0] > 0.3, 1.0, 0.0)
    alone = bf.EnsembleRegressor(bin_edges="tree", **options)
    some = alone.fit(x, y, sample_weight=weights).encode(x)
    np.testing.assert_array_equal(
        some, alone.fit(x, np.where(weights > 0, y, 0.0), sample_weight=weights).encode(x)
    )
    match = "bin_edges is 'oak' but must be one of quantiles, tree, auto"
    with pytest.raises(ValueError, match=match):
        bf.EnsembleRegressor(bins=4, bin_edges="oak").fit(x, y)


def test_periodic_features_let_a_linear_model_oscillate():
    x = np.linspace(-2, 2, 600)[:, None]
    y = np.sin(7 * x[:, 0])
    options = {"members": 4, "hidden": (), "epochs": 60, "learning_rate": 1e-2}
    assert bf.EnsembleRegressor(**options).fit(x, y).oob_score_ < 0.2
    model = bf.EnsembleRegressor(periodic=16, periodic_scale=1, **options).fit(x, y)
    assert model.oob_score_ > 0.98
    names = [f"1 {wave} {k}" for wave in ("sine", "cosine") for k in range(1, 17)]
    assert model.encoded_names_ == ["1", *names]
    found = model.encode(x)
    np.testing.assert_allclose(found[:, 1:17] ** 2 + found[:, 17:] ** 2, 1, atol=1e-6)
    for seed in (1, 2):  # frequencies are those of the column, whatever the seed
        options["random_state"] = seed
        other = bf.EnsembleRegressor(periodic=16, periodic_scale=1, **options).fit(x, y)
        np.testing.assert_array_equal(other.encode(x), found)
    with pytest.raises(ValueError, match="periodic_scale is 0 but must be positive"):
        bf.EnsembleRegressor(periodic=4, periodic_scale=0).fit(x, y)


def test_winsorized_numbers_do_not_decide_a_prediction():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(1000, 1))
    y = x[:, 0] + rng.normal(scale=0.1, size=1000)
    options = {"members": 4, "hidden": (), "epochs": 60, "learning_rate": 1e-2, "bins": 0}
    far = np.array([[50.0]])
    assert bf.EnsembleRegressor(winsorize=0, **options).fit(x, y).predict(far)[0] > 40
    model = bf.EnsembleRegressor(winsorize=0.01, **options).fit(x, y)
    limit = np.sort(x[:, 0])[-11]
    assert abs(model.predict(far)[0] - limit) < 0.1
    assert model.outside_range(far).tolist() == [1]
    with pytest.raises(ValueError, match="winsorize is 0.5 but must be"):
        bf.EnsembleRegressor(winsorize=0.5).fit(x, y)


def test_numbers_of_many_rows_have_bins_and_limits_by_default():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(1000, 2))
    y = np.where(x[:, 0] > 0.3, 2.0, 0.0) + x[:, 1] + rng.normal(scale=0.1, size=1000)
    options = {"members": 2, "hidden": (), "epochs": 20}
    model = bf.EnsembleRegressor(**options).fit(x, y)
    given = bf.EnsembleRegressor(bins=16, bin_edges="tree", winsorize=0.001, **options).fit(x, y)
    assert sum("bin" in name for name in model.encoded_names_) > 4
    assert model.encoded_names_ == given.encoded_names_
    np.testing.assert_array_equal(model.encode(x), given.encode(x))
    # Rows of weight 3 are three rows: a third of the rows has bins, to the bit those of copies.
    third = bf.EnsembleRegressor(**options).fit(x[:334], y[:334], sample_weight=np.full(334, 3))
    copies = bf.EnsembleRegressor(**options).fit(np.repeat(x[:334], 3, 0), np.repeat(y[:334], 3))
    assert any("bin" in name for name in third.encoded_names_)
    np.testing.assert_array_equal(third.predict(x), copies.predict(x))
    # Few rows and wide tables have numbers as they are.
    assert bf.EnsembleRegressor(**options).fit(x[:999], y[:999]).encoded_names_ == ["1", "2"]
    wide = rng.normal(size=(1000, 129))
    assert len(bf.EnsembleRegressor(**options).fit(wide, y).encoded_names_) == 129
    with pytest.raises(TypeError, match="bins is 'many' but must be a number, or 'auto'"):
        bf.EnsembleRegressor(bins="many").fit(x, y)
    with pytest.raises(ValueError, match="winsorize is -1 but must be"):
        bf.EnsembleRegressor(winsorize=-1).fit(x, y)


# Text, dates, booleans and missing values of a text file are those of a frame.
def test_text_files_are_frames(tmp_path):
    path = tmp_path / "rows.csv"
    rows = FRAME.assign(price=PRICE, cut=np.where(np.median(PRICE) < PRICE, "good", "bad"))
    rows.to_csv(path, index=False, sep=";", decimal=",")
    given = {"members": 4, "epochs": 3, "categorical": ["zip"], "dates": ["when"]}
    inputs = rows[[*FRAME.columns, "cut"]]
    wanted = bf.EnsembleRegressor(**given).fit(inputs, PRICE)
    model = bf.EnsembleRegressor(**given).fit(path, "price")
    assert model.encoded_names_ == wanted.encoded_names_
    for data in (path, str(path), bf.csv(path), inputs):
        np.testing.assert_array_equal(model.predict(data), wanted.predict(inputs))
    assert model.score(path, "price") == wanted.score(inputs, PRICE)
    limits = wanted.predict_interval(inputs, calibration=(inputs, PRICE))
    np.testing.assert_array_equal(model.predict_interval(path, calibration=(path, "price")), limits)
    some = bf.csv(path, where="missing(carat) or zip == 1234")
    assert len(model.predict(some)) < len(FRAME)
    classes = bf.EnsembleClassifier(**given).fit(path, "cut")
    assert classes.classes_.tolist() == ["bad", "good"]
    inputs = rows.drop(columns="cut")
    frame = bf.EnsembleClassifier(**given).fit(inputs, rows.cut)
    np.testing.assert_array_equal(classes.predict_proba(path), frame.predict_proba(inputs))
    assert classes.score(path, "cut") == frame.score(inputs, rows.cut)


def test_models_of_the_program_predict_the_text_file_they_are_made_of(tmp_path):
    path, model = tmp_path / "rows.csv", tmp_path / "m.safetensors"
    text = np.array(["01", "2.50", "x", ""])[np.arange(len(FRAME)) % 4]  # 1 and 2.5 for the program
    rows = FRAME.drop(columns="ok").assign(
        mixed=text, truth=np.where(PRICE > 0, "TRUE", "false"), late=np.arange(len(FRAME)) % 3
    )
    rows["label"] = np.where(np.median(PRICE) < PRICE, 2, 1)
    rows.to_csv(path, index=False)
    words = [os.environ["BOOTFOLD_PROGRAM"], "ensemble"]
    more = ["--target", "label", "--task", "classification", "--dates", "when", "--quiet"]
    more += ["--members", "3", "--epochs", "3", "--output", model]
    subprocess.run([*words, "train", path, *more], check=True, capture_output=True)
    out = subprocess.run(
        [*words, "predict", model, path, "--quiet"], check=True, capture_output=True, text=True
    ).stdout
    said = pd.read_csv(io.StringIO(out))
    loaded = bf.EnsembleClassifier.load(model)
    assert loaded.classes_.tolist() == [1, 2]
    np.testing.assert_array_equal(loaded.predict_proba(path)[:, 0], said["p_1"])
    assert loaded.score(path, "label") == np.mean(said["class"] == rows["label"])
