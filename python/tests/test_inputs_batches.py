"""Estimators train from sources within a memory limit, and predict them batch by batch."""

import os
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import bootfold as bf
from bootfold import _spool, _table_matrix, _table_source

RNG = np.random.default_rng(2)
ROWS = 1000
X = RNG.normal(size=(ROWS, 3))
X[:, 0] += 1.7e9  # float32 does not hold it
TARGET = X[:, 1] - X[:, 2] + RNG.normal(size=ROWS)
CLASS = np.where(TARGET > 0, "up", "down")
NAMES = ["time", "a", "b"]
TABLE = pa.table({**dict(zip(NAMES, X.T, strict=True)), "y": TARGET, "c": CLASS})
OPTIONS = {"members": 3, "epochs": 2}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(TABLE, "rows.parquet", row_group_size=137)


def pieces(count):
    step = -(-ROWS // count)
    return (TABLE.slice(first, step) for first in range(0, ROWS, step))


@pytest.fixture(scope="module")
def frame():
    return TABLE.select(NAMES).to_pandas()


@pytest.fixture(scope="module")
def regression(frame):
    return bf.EnsembleRegressor(**OPTIONS).fit(frame, TARGET)


def sources():
    return [
        "rows.parquet",
        "*.parquet",
        ds.dataset("rows.parquet"),
        pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(100)),
        duckdb.sql("from 'rows.parquet'"),
        pl.scan_parquet("rows.parquet"),
        *(bf.chunks(lambda count=count: pieces(count)) for count in (1, 2, 7)),
        pieces(7),
    ]


@pytest.mark.parametrize("few", [1, 100, 1 << 16])
def test_predictions_in_batches(regression, frame, monkeypatch, few):
    monkeypatch.setattr(_table_matrix, "_FEW", few)
    classes = bf.EnsembleClassifier(**OPTIONS).fit(frame, CLASS)
    for source in sources():
        np.testing.assert_array_equal(regression.predict(source), regression.predict(frame))
    for source in sources():
        np.testing.assert_array_equal(classes.predict_proba(source), classes.predict_proba(frame))
    again = bf.chunks(lambda: pieces(7))
    np.testing.assert_array_equal(classes.predict(again), classes.predict(frame))
    for method in ("predict_interval", "uncertainty", "outside_range"):
        np.testing.assert_array_equal(
            getattr(regression, method)(again), getattr(regression, method)(frame)
        )
    np.testing.assert_array_equal(
        regression.predict_interval(again, method="normal"),
        regression.predict_interval(frame, method="normal"),
    )
    np.testing.assert_array_equal(
        regression.predict(again, return_std=True), regression.predict(frame, return_std=True)
    )
    np.testing.assert_array_equal(classes.uncertainty(again), classes.uncertainty(frame))


def test_one_batch_at_a_time(regression):
    """A batch is predicted before many more are asked for."""
    asked, most = [0], [0]
    predict = regression._prediction

    def watched(inputs):
        most[0] = max(most[0], len(inputs))
        asked.append(made[0])
        return predict(inputs)

    made = [0]

    def batches():
        for _ in range(5):
            made[0] += 1
            yield {name: np.zeros(70_000) for name in NAMES}

    regression._prediction = watched
    try:
        assert regression.predict(batches()).shape == (350_000,)
    finally:
        del regression._prediction
    assert most == [70_000]
    assert asked == [0, 1, 2, 3, 4, 5]


def test_members_do_not_depend_on_batches_or_memory(regression):
    for count in (1, 2, 7):
        data = bf.chunks(lambda count=count: (b.select([*NAMES, "y"]) for b in pieces(count)))
        found = bf.EnsembleRegressor(**OPTIONS).fit(data, "y")
        np.testing.assert_array_equal(found.oob_prediction_, regression.oob_prediction_)
        # 32,000 bytes as doubles go to a temporary file; 16,000 as float32 fit.
        with pytest.warns(bf.SpoolWarning, match="exceeds the memory limit of 19.5 KiB"):
            found = bf.EnsembleRegressor(memory=20_000, **OPTIONS).fit(data, "y")
        np.testing.assert_array_equal(found.oob_prediction_, regression.oob_prediction_)
        np.testing.assert_array_equal(found.predict(data), regression.predict(data))


def test_equal_rows_of_a_temporary_file(monkeypatch):
    """Training puts equal rows into an order of their values; those on disk stay there."""
    monkeypatch.setattr(_spool, "_STEP", 100)
    rows = np.round(X[:, 1:], 1)
    y = np.round(TARGET)
    frame = pd.DataFrame(rows, columns=["a", "b"])
    expected = bf.EnsembleRegressor(**OPTIONS).fit(frame, y)
    data = bf.chunks(lambda: iter([frame.assign(y=y)]))
    with pytest.warns(bf.SpoolWarning):
        found = bf.EnsembleRegressor(memory=13_000, **OPTIONS).fit(data, "y")
    assert _spool.is_spooled(found._training_examples.inputs)
    assert found._training_examples.given is not None
    np.testing.assert_array_equal(found.oob_prediction_, expected.oob_prediction_)
    np.testing.assert_array_equal(found.predict_interval(frame), expected.predict_interval(frame))


def test_rows_beyond_the_memory_limit_are_refused():
    told = (
        r"rows of 4 columns, which take 15.6 KiB as float32, but the memory limit is 14.6 KiB; "
        "give a table of fewer columns or rows, or more memory by memory="
    )
    query = pl.scan_parquet("rows.parquet").select([*NAMES, "y"]).collect().to_arrow()
    pq.write_table(query, "numbers.parquet")
    model = bf.EnsembleRegressor(memory=15_000, **OPTIONS)
    with pytest.raises(ValueError, match=f"numbers.parquet has 1,000 {told}"):
        model.fit("numbers.parquet", "y")
    with (
        pytest.warns(bf.SpoolWarning),
        pytest.raises(ValueError, match=f"has at least 1,000 {told}"),
    ):
        model.fit(bf.chunks(lambda: (b.select([*NAMES, "y"]) for b in pieces(7))), "y")
    bf.EnsembleRegressor(memory=15_000, **OPTIONS).fit(X, TARGET)  # arrays are in memory already


def test_columns_that_are_used():
    seen = []

    class Watched(_table_source.TableSource):
        names = [*NAMES, "y", "c"]
        types = [""] * 5
        told = "the table"

        def batches(self, columns):
            seen.append(list(columns))
            yield {name: TABLE[name] for name in columns}

    model = bf.EnsembleRegressor(**OPTIONS).fit(TABLE.select([*NAMES, "y"]).to_pandas(), "y")
    model.predict(Watched())
    assert seen == [NAMES]


def test_predictions_hold_one_batch():
    """100 MB of inputs in batches: the process grows by a batch and the predictions."""
    program = """
import numpy as np, bootfold as bf
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
def rows(batches):
    return bf.chunks(lambda: (np.zeros((66_000, 12)) for _ in range(batches)))
X = np.random.default_rng(1).normal(size=(100, 12))
model = bf.EnsembleRegressor(members=1, hidden=(2,), steps=2).fit(X, X[:, 0])
model.predict(rows(2))
before = peak()
model.predict(rows(16))
print(peak() - before)
"""
    grown = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ).stdout
    assert int(grown) < 40_000  # KiB; predictions take 8 MB, twice, and the inputs 100 MB
