"""Files and queries that cannot be used: one message each, which names the file and the remedy."""

import os
import pathlib
import sys
import time

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import bootfold as bf

X = np.random.default_rng(1).normal(size=50)
RUN = {"replicates": 20, "seed": 7}


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, **columns):
        pq.write_table(pa.table(columns), name)

    return write


def refused(data, message, error=ValueError, **arguments):
    with pytest.raises(error, match=message):
        bf.bootstrap(data, "mean", **RUN, **arguments)


def test_a_column_that_one_file_lacks(write):
    write("a.parquet", x=X, y=X)
    write("b.parquet", x=X)
    message = r"b\.parquet has no column 'y', which a\.parquet has; leave the file out"
    refused("*.parquet", message, columns="y")
    refused("*.parquet", message)
    assert bf.bootstrap("*.parquet", "mean", columns="x", **RUN).plan.rows == 100
    refused(ds.dataset(["a.parquet", "b.parquet"]), r"b\.parquet has no column 'y'", columns="y")
    assert (
        bf.bootstrap(ds.dataset(["b.parquet", "a.parquet"]), "mean", columns="x").plan.rows == 100
    )


def test_a_column_that_no_file_has(write):
    write("a.parquet", x=X, y=X)
    refused("a.parquet", r"a\.parquet has no column 'z'; the columns are x, y", columns="z")
    refused("a.parquet", r"no column 'z'; the columns are x, y", columns="x", weights="z")
    refused(pl.scan_parquet("a.parquet"), "the lazy frame has no column 'z'", columns="z")
    refused(bf.sql("select x from 'a.parquet'"), "the query has no column 'z'", columns="z")
    with pytest.raises(ValueError, match="by is 'z' but there is no such column; the columns are"):
        bf.compare("a.parquet", value="x", by="z")
    refused(
        bf.sql("select 1 as x, 2 as y").batches(["x"]),
        r"no column 'z'; the columns are x",
        columns="z",
    )


def test_types_that_differ_between_files(write):
    write("a.parquet", x=X)
    write("b.parquet", x=[str(value) for value in X])
    message = r"column 'x' of b\.parquet is of type string but that of a\.parquet is of type double"
    refused("*.parquet", message)
    write("b.parquet", x=X > 0)
    refused("*.parquet", message.replace("string", "bool"))


@pytest.mark.parametrize(
    ("one", "other"),
    [("i4", "i8"), ("u1", "i2"), ("i4", "f8"), ("f4", "f8"), ("u8", "i8")],
)
def test_numbers_of_different_types(write, tmp_path, one, other):
    """As the program does, for every way to name the files."""
    types = pa.from_numpy_dtype(one), pa.from_numpy_dtype(other)
    message = (
        rf"b\.parquet is of type {types[1]} but that of .*a\.parquet is of type {types[0]}; "
        "convert one of the files, or read them apart"
    )
    whole = np.round(X * 20) + 60
    for name, kind in {"a": one, "b": other}.items():
        write(f"{name}.parquet", x=whole.astype(kind), y=whole)
        np.save(f"{name}.npy", whole.astype(kind))
    for data in ("?.parquet", ["a.parquet", "b.parquet"], tmp_path):
        refused(data, f"column 'x' of .*{message}", columns="x")
        bf.bootstrap(data, "mean", columns="y", **RUN)
    with pytest.raises(ValueError, match=message):
        bf.shards.look("?.parquet", "mean")
    told = f"{np.dtype(other)} but that of a.npy is of type {np.dtype(one)}; convert one"
    refused("?.npy", f"the array of b.npy is of type {told}")


def test_datasets_with_a_schema_of_their_own_may_widen_numbers(write):
    whole = np.round(X * 20) + 60
    write("a.parquet", x=whole.astype("i4"))
    write("b.parquet", x=whole.astype("i8"))
    data = ds.dataset(["a.parquet", "b.parquet"], schema=pa.schema({"x": pa.int64()}))
    found = bf.bootstrap(data, "mean", columns="x", **RUN)
    expected = bf.bootstrap(np.tile(whole, 2), "mean", **RUN)
    np.testing.assert_array_equal(found.replicates, expected.replicates)


def test_a_file_with_nulls_alone(write):
    """pandas writes such columns without a type."""
    write("a.parquet", x=pa.nulls(3))
    write("b.parquet", x=X)
    refused("*.parquet", "column x, row 0 is nan", columns=["x"])
    found = bf.bootstrap("*.parquet", "mean", columns="x", nan="omit", **RUN)
    np.testing.assert_array_equal(found.replicates, bf.bootstrap(X, "mean", **RUN).replicates)


@pytest.mark.parametrize("kind", ["f8", "f4", "i4"])
def test_nan_is_told_by_its_row_in_the_whole_data(write, kind):
    values = pa.array(np.arange(50).astype(kind))
    write("a.parquet", x=values)
    write("b.parquet", x=pa.concat_arrays([values[:7], pa.nulls(1, values.type), values[8:]]))
    for data in ("*.parquet", bf.sql("select x from '*.parquet'"), ds.dataset(".")):
        refused(data, "row 57 is nan", columns="x")
        found = bf.bootstrap(data, "mean", columns="x", nan="omit", **RUN)
        expected = np.concatenate([np.arange(50), np.delete(np.arange(50), 7)]).astype(float)
        np.testing.assert_array_equal(
            found.replicates, bf.bootstrap(expected, "mean", **RUN).replicates
        )


def test_missing_labels_are_told_by_their_row_in_the_whole_data(write):
    write("a.parquet", x=X, g=["a"] * 50)
    write("b.parquet", x=X, g=["b"] * 4 + [None] + ["b"] * 45)
    for data in (
        "*.parquet",
        iter([{"x": X, "g": ["a"] * 50}, {"x": X[:5], "g": [*"bbbb", None]}]),
    ):
        refused(data, r"strata \(column 'g'\) has no label in row 54", columns="x", strata="g")


def test_labels_that_change_their_type():
    data = iter([{"x": X, "g": np.arange(50)}, {"x": X, "g": ["a"] * 50}])
    message = "strata has whole numbers in some batches and others elsewhere"
    refused(data, message, TypeError, columns="x", strata="g")
    data = iter([{"x": X, "g": np.arange(50)}, {"x": X, "g": pa.array([1] * 49 + [None])}])
    refused(data, r"strata \(column 'g'\) has no label in row 99", columns="x", strata="g")


def test_datasets_with_types_that_differ(write):
    write("a.parquet", x=X)
    write("b.parquet", x=[str(value) for value in X])
    message = r"column 'x' is of type string in b\.parquet but of type double in the schema of the"
    refused(ds.dataset(["a.parquet", "b.parquet"]), message)


def test_a_lazy_frame_that_fails():
    frame = pl.DataFrame({"x": ["a"]}).lazy().with_columns(x=pl.col("x").cast(pl.Float64))
    refused(frame, "the lazy frame cannot be run: .*conversion", columns="x")


def test_no_rows(write):
    write("a.parquet", x=X[:0])
    write("b.parquet", x=X[:0])
    for data in ("*.parquet", bf.sql("select x from '*.parquet'"), pl.scan_parquet("a.parquet")):
        refused(data, "data have no rows; a bootstrap needs at least one")
        with pytest.raises(ValueError, match="no rows"):
            bf.explain(data, "mean")
    refused(iter([]), "the iterator gives no batches")
    with pytest.raises(ValueError, match="no batches"):
        bf.chunks(lambda: [])


def test_no_file(write, tmp_path):
    error = FileNotFoundError
    refused("sales/*.parquet", r"no file matches 'sales/\*\.parquet'; the current folder is", error)
    refused("x.parquet", r"there is no file or folder 'x\.parquet'; the current folder is", error)
    refused(tmp_path / "x.parquet", "there is no file or folder", error)
    refused(["x.parquet"], "there is no file or folder", error)
    refused(tmp_path, "has no Parquet files", error)
    refused("s3://bucket/x.parquet", "only local files are opened by name; give a pyarrow.dataset")


def test_other_files(write):
    pathlib.Path("x.csv").write_text("x\n1\n")
    pathlib.Path("x.xlsx").write_text("x")
    refused("x.xlsx", r"x\.xlsx is no \.parquet, \.npy or \.csv file; .*bf\.sql")
    write("a.parquet", x=X)
    np.save("b.npy", X)
    refused(["a.parquet", "b.npy"], r"a\.parquet and b\.npy are of different kinds")
    pathlib.Path("c.parquet").write_text("hello")
    refused("c.parquet", r"c\.parquet cannot be read as a Parquet file")


def test_a_damaged_file(write):
    write("a.parquet", x=X)
    with open("a.parquet", "r+b") as file:
        file.seek(10)
        file.write(b"\xff" * 200)
    refused("a.parquet", r"a\.parquet cannot be read")


def test_a_file_that_changes(write, monkeypatch):
    from bootfold._table_files import ParquetFiles

    write("a.parquet", x=X)
    source = ParquetFiles(["a.parquet"])
    time.sleep(0.01)
    write("a.parquet", x=X + 1)
    refused(source, r"a\.parquet was changed while it was read; start again")


def test_text_and_dates(write):
    write("a.parquet", x=X, city=["a"] * 50, day=np.datetime64("2024-01-01") + np.arange(50))
    sources = ("a.parquet", pl.scan_parquet("a.parquet"), bf.sql("select * from 'a.parquet'"))
    for data in sources:
        message = "column 'city' is of type string but must be numbers; columns= chooses"
        refused(data, message, TypeError, columns="city")
        refused(data, message, TypeError, columns=["x", "city"])
        refused(data, "column 'day' is of type .* but must be numbers", TypeError, columns="day")
    refused(iter([{"city": ["a", "b"]}]), "column 'city' is text", TypeError)


def test_columns_of_what_has_none():
    refused(X, "columns is 'x' but the data are no table", TypeError, columns="x")
    frame = pa.table({"x": X})
    refused(frame, "there is no column 'y'; the columns are x", columns="y")
    refused(frame, "columns is empty", columns=[])
    refused(frame, "columns has 1 but must have names", TypeError, columns=[1])
    refused(frame, "columns is 3 but must be the name", TypeError, columns=3)
    refused(["a", "b"], "data are text .* but must be numbers", TypeError)


def test_axis(write):
    write("a.parquet", x=X)
    refused("a.parquet", "axis is 0 but data are a table with columns", TypeError, axis=0)


def test_several_columns_of_one_name():
    table = pa.table([pa.array(X), pa.array(X)], names=["x", "x"])
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    refused(reader, "2 columns called 'x'; give them different names")


def test_queries():
    with pytest.raises(ValueError, match=r"the query cannot be run: .*nowhere"):
        bf.sql("select * from nowhere")
    with pytest.raises(ValueError, match=r"must be a select|no rows"):
        bf.bootstrap(bf.sql("create table t (x integer)"), "mean")
    with pytest.raises(TypeError, match="query is 3 but must be a text"):
        bf.sql(3)


@pytest.mark.parametrize(
    ("package", "make", "command"),
    [
        ("duckdb", lambda: bf.sql("select 1"), r"bf\.sql needs duckdb.*'bootfold\[duckdb\]'"),
        (
            "pyarrow.parquet",
            lambda: bf.bootstrap("a.parquet", "mean"),
            r"reading Parquet files needs pyarrow.*'bootfold\[arrow\]'",
        ),
    ],
)
def test_packages_that_are_not_installed(write, monkeypatch, package, make, command):
    write("a.parquet", x=X)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=command):
        make()


def test_nothing_is_imported_before_it_is_used():
    program = (
        "import sys, bootfold as bf; bf.bootstrap([1.0, 2.0], 'mean', replicates=10); "
        "print([m for m in ('pyarrow', 'duckdb', 'polars', 'pandas') if m in sys.modules])"
    )
    assert os.popen(f'{sys.executable} -c "{program}"').read().strip() == "[]"
