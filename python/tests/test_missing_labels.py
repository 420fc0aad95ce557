"""Labels that are missing follow nan, and rows in messages count from 0."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bootfold as bf

RUN = {"replicates": 50, "seed": 7}
FRAME = pd.DataFrame(
    {
        "x": np.arange(40.0) ** 1.5,
        "g": ["a", "b", None, "c"] * 10,
        "n": pd.array([1, 2, None, 3] * 10, dtype="Int64"),
    }
)
KEPT = FRAME.dropna()


def kinds(tmp_path):
    pq.write_table(pa.Table.from_pandas(FRAME), tmp_path / "a.parquet", row_group_size=7)
    return {
        "pandas": FRAME,
        "polars": pl.from_pandas(FRAME),
        "pyarrow": pa.Table.from_pandas(FRAME),
        "parquet": tmp_path / "a.parquet",
        "lazy": pl.from_pandas(FRAME).lazy(),
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "parquet", "lazy"])
@pytest.mark.parametrize("label", ["g", "n"])
def test_omit_leaves_rows_without_a_label_out(tmp_path, kind, label):
    data = kinds(tmp_path)[kind]
    kept = KEPT.astype({"n": int})
    for role in ("strata", "clusters"):
        told = rf"{role} \(column '{label}'\) has no label in row 2; nan='omit' leaves"
        with pytest.raises(ValueError, match=told):
            bf.bootstrap(data, "mean", columns="x", **{role: label}, **RUN)
        found = bf.bootstrap(data, "mean", columns="x", nan="omit", **{role: label}, **RUN)
        expected = bf.bootstrap(kept, "mean", columns="x", **{role: label}, **RUN)
        np.testing.assert_array_equal(found.replicates, expected.replicates)
    with pytest.raises(ValueError, match=rf"by \(column '{label}'\) has no label in row 2"):
        bf.bootstrap(data, "mean", columns="x", by=label, **RUN)
    found = bf.bootstrap(data, "mean", columns="x", by=label, nan="omit", **RUN)
    expected = bf.bootstrap(kept, "mean", columns="x", by=label, **RUN)
    assert [(g.rows, g.low, g.high) for g in found] == [(g.rows, g.low, g.high) for g in expected]
    with pytest.raises(ValueError, match=rf"by \(column '{label}'\) has no label in row 2"):
        bf.compare(data, value="x", by=label, **RUN)
    table = bf.compare(data, value="x", by=label, nan="omit", **RUN)
    expected = bf.compare(kept, value="x", by=label, **RUN)
    assert [float(str(v)) for v in table["low"]] == list(expected["low"])


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "parquet", "lazy"])
def test_of_several_columns_the_one_without_a_label_is_named(tmp_path, kind):
    data = kinds(tmp_path)[kind]
    for call in (
        lambda: bf.bootstrap(data, "mean", columns="n", by=["x", "g"], **RUN),
        lambda: bf.bootstrap(data, "mean", columns="n", clusters=["x", "g"], **RUN),
        lambda: bf.compare(data, value="n", by=["x", "g"], **RUN),
    ):
        with pytest.raises(ValueError, match=r"\(column 'g'\) has no label in row 2"):
            call()
    with pytest.raises(ValueError, match="^strata has no label in row 1"):
        bf.bootstrap([1.0, 2.0], "mean", strata=["a", None], **RUN)


def test_all_labels_are_missing():
    with pytest.raises(ValueError, match="strata has no label in any row"):
        bf.bootstrap([1.0, 2.0], "mean", strata=[None, None], nan="omit", **RUN)


def test_rows_count_from_zero():
    cases = [
        (lambda: bf.bootstrap([1.0, np.nan], "mean"), "^row 1 is nan"),
        (lambda: bf.bootstrap([1, None], np.ptp), "^row 1 is nan"),
        (lambda: bf.bootstrap(np.array([[1, 2], [3, np.nan]]), "mean"), "^column 1, row 1 is nan"),
        (lambda: bf.bootstrap(np.array([[1, 2], [3, np.nan]]), np.ptp), "^column 1, row 1 is nan"),
        (lambda: bf.bootstrap([1.0, np.inf], "mean"), "row 1 is inf"),
        (lambda: bf.bootstrap([1.0, np.nan], np.ptp), "row 1 is nan"),
        (lambda: bf.bootstrap([1.0, 2.0], "mean", probabilities=[1, -1]), "probability of row 1"),
        (lambda: bf.bootstrap([1.0, 2.0], "mean", frequencies=[1, 1.5]), "frequency of row 1"),
        (lambda: bf.bootstrap([1.0, 2.0], np.ptp, frequencies=[1, 1.5]), "frequency of row 1"),
        (lambda: bf.bootstrap([1.0, 2.0], "mean", strata=["a", None]), "no label in row 1"),
        (lambda: bf.bootstrap(["1", "-"], "mean"), "'-' in row 1"),
    ]
    for call, message in cases:
        with pytest.raises((TypeError, ValueError), match=message):
            call()
