"""Estimators and scores take files, queries and iterators, with the bits of arrays."""

import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import bootfold as bf

RNG = np.random.default_rng(1)
ROWS = 240
X = RNG.normal(size=(ROWS, 3))
CODES = (X[:, 0] + X[:, 1] > 0).astype(int)
SPECIES = np.array(["iris", "rose"])[CODES]
TARGET = X @ [1.0, -2.0, 0.5] + RNG.normal(size=ROWS)
WEIGHT = RNG.integers(1, 3, size=ROWS)
SHOP = np.array(["a", "b", "c"])[RNG.integers(0, 3, size=ROWS)]
SCORE = X[:, 0] + RNG.normal(size=ROWS)
TABLE = pa.table(
    {
        "length": X[:, 0],
        "width": X[:, 1],
        "height": X[:, 2],
        "species": SPECIES,
        "target": TARGET,
        "weight": WEIGHT,
        "shop": SHOP,
        "score": SCORE,
    }
)
INPUTS = ["length", "width", "height"]
FRAME = pd.DataFrame(X, columns=INPUTS)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("rows")
    for number, first in enumerate(range(0, ROWS, 100)):
        pq.write_table(TABLE.slice(first, 100), f"rows/{number}.parquet")
    return tmp_path


def pieces(*names):
    return (TABLE.select(names).slice(first, 90) for first in range(0, ROWS, 90))


def sources(*names):
    """Tables with these columns."""
    told = ", ".join(names)
    return [
        bf.sql(f"select {told} from 'rows/*.parquet'"),
        pl.scan_parquet("rows/*.parquet").select(names),
        ds.dataset("rows").scanner(columns=list(names)),
        bf.chunks(lambda: pieces(*names)),
        pieces(*names),
    ]


def test_regression():
    options = {"members": 3, "epochs": 3}
    expected = bf.EnsembleRegressor(**options).fit(FRAME, TARGET, WEIGHT)
    for data in sources(*INPUTS, "target", "weight"):
        model = bf.EnsembleRegressor(**options).fit(data, "target", "weight")
        assert model.feature_names_in_.tolist() == INPUTS
        np.testing.assert_array_equal(model.oob_prediction_, expected.oob_prediction_)
        for new in (*sources(*INPUTS), "rows", "rows/*.parquet"):  # with other columns as well
            np.testing.assert_array_equal(model.predict(new), expected.predict(FRAME))
    assert model.score("rows", "target") == expected.score(FRAME, TARGET)
    np.testing.assert_array_equal(
        model.predict_interval("rows", training=("rows", "target", "weight")),
        expected.predict_interval(FRAME, method="jackknife+"),
    )
    np.testing.assert_array_equal(model.outside_range("rows"), 0)


def test_several_targets():
    options = {"members": 3, "epochs": 3}
    data = bf.sql(f"select {', '.join(INPUTS)}, target, score from 'rows/*.parquet'")
    found = bf.EnsembleRegressor(**options).fit(data, ["target", "score"])
    expected = bf.EnsembleRegressor(**options).fit(FRAME, np.column_stack([TARGET, SCORE]))
    np.testing.assert_array_equal(found.predict("rows"), expected.predict(FRAME))


def test_classification_with_validation():
    options = {"members": 3, "epochs": 3, "patience": 1}
    expected = bf.EnsembleClassifier(**options).fit(FRAME, SPECIES, validation=(FRAME, SPECIES))
    for data in sources(*INPUTS, "species"):
        model = bf.EnsembleClassifier(**options).fit(
            data, "species", validation=("rows", "species")
        )
        assert model.classes_.tolist() == ["iris", "rose"]
        np.testing.assert_array_equal(model.predict_proba("rows"), expected.predict_proba(FRAME))
        assert model.predict("rows").tolist() == expected.predict(FRAME).tolist()
    assert model.score("rows", "species") == expected.score(FRAME, SPECIES)


def test_names_of_columns_of_a_frame():
    options = {"members": 3, "epochs": 3}
    frame = TABLE.select([*INPUTS, "target"]).to_pandas()
    found = bf.EnsembleRegressor(**options).fit(frame, "target")
    expected = bf.EnsembleRegressor(**options).fit(FRAME, TARGET)
    np.testing.assert_array_equal(found.predict(FRAME), expected.predict(FRAME))
    with pytest.raises(TypeError, match="'target' names a column, but the data are no DataFrame"):
        bf.EnsembleRegressor().fit(X, "target")


def test_files_without_names(folder):
    np.save("x.npy", X)
    options = {"members": 3, "epochs": 3}
    model = bf.EnsembleRegressor(**options).fit(X, TARGET)
    np.testing.assert_array_equal(model.predict("x.npy"), model.predict(X))


@pytest.mark.parametrize("named", [True, False])
def test_scores_of_estimators(named):
    model = LogisticRegression().fit(FRAME if named else X, SPECIES)
    rows = FRAME if named else X
    run = {"replicates": 50, "seed": 7}
    for metric in ("accuracy", "log_loss", "roc_auc", "balanced_accuracy"):
        expected = bf.bootstrap_score(model, rows, SPECIES, metric, strata=SHOP, **run)
        for data in sources(*INPUTS, "species", "shop"):
            found = bf.bootstrap_score(model, data, "species", metric, strata="shop", **run)
            np.testing.assert_array_equal(found.replicates, expected.replicates)
    columns = None if named else INPUTS
    found = bf.bootstrap_score(model, "rows", "species", columns=columns, clusters="shop", **run)
    expected = bf.bootstrap_score(model, rows, SPECIES, clusters=SHOP, **run)
    np.testing.assert_array_equal(found.replicates, expected.replicates)


def test_scores_of_pipelines_with_text():
    frame = FRAME.assign(shop=SHOP)
    shops = make_column_transformer((OneHotEncoder(), ["shop"]), remainder="passthrough")
    model = make_pipeline(shops, LogisticRegression()).fit(frame, SPECIES)
    found = bf.bootstrap_score(model, "rows", "species", replicates=50)
    expected = bf.bootstrap_score(model, frame, SPECIES, replicates=50)
    np.testing.assert_array_equal(found.replicates, expected.replicates)


def test_scores_of_predictions():
    run = {"replicates": 50, "seed": 7}
    expected = bf.bootstrap_score(SCORE, None, SPECIES, "roc_auc", strata=SHOP, **run)
    found = bf.bootstrap_score(
        "rows", None, "species", "roc_auc", columns="score", strata="shop", **run
    )
    np.testing.assert_array_equal(found.replicates, expected.replicates)
    expected = bf.bootstrap_score(SCORE, None, TARGET, "r2", versus=X[:, 0], **run)
    for data in sources("score", "target", "length"):
        found = bf.bootstrap_score(data, None, "target", "r2", versus="length", **run)
        np.testing.assert_array_equal(found.replicates, expected.replicates)


def test_what_is_refused():
    model = LogisticRegression().fit(FRAME, SPECIES)
    with pytest.raises(ValueError, match="has no column 'kind'; the columns are length"):
        bf.bootstrap_score(model, "rows", "kind")
    with pytest.raises(TypeError, match="columns is 'x' but X is in memory"):
        bf.bootstrap_score(model, FRAME, SPECIES, columns="x")
    with pytest.raises(TypeError, match="columns is 'x' but there is no table"):
        bf.bootstrap_score(SPECIES, None, SPECIES, columns="x")
    with pytest.raises(TypeError, match="y names a column, but the predictions are no file"):
        bf.bootstrap_score(SPECIES, None, "species")
    with pytest.raises(ValueError, match="has no columns but target"):
        bf.EnsembleRegressor().fit(bf.sql("select target from 'rows/*.parquet'"), "target")
    with pytest.raises(ValueError, match="has no rows"):
        bf.EnsembleRegressor().fit(bf.sql("select * from 'rows/*.parquet' limit 0"), "target")
    with pytest.raises(FileNotFoundError, match="no file matches"):
        bf.EnsembleRegressor().fit("row/*.parquet", "target")
