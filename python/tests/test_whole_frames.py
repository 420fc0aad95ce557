"""Frames with text, dates and categories, given to functions, arrive whole."""

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

import bootfold as bf

ROWS = 60
CITIES = ["Bonn", "Ulm", "Kiel"]


def frame():
    random = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "city": random.choice(CITIES, ROWS),
            "price": random.exponential(10, ROWS).round(2),
            "number": random.integers(0, 100, ROWS),
            "day": [datetime.datetime(2024, 1, 1 + i % 28) for i in range(ROWS)],
            "size": pd.Categorical(random.choice(["s", "l"], ROWS)),
        },
        index=[f"row {i}" for i in range(ROWS)],
    )


def drawn(replicates=20, **options):
    """The rows that each replicate draws."""
    numbers = np.arange(float(ROWS))
    seen = []
    bf.bootstrap(
        numbers, lambda x: seen.append(x.astype(int)) or 0.0, replicates=replicates, **options
    )
    return seen[1:]


def test_a_function_gets_the_rows_with_their_types():
    df = frame()
    seen = []

    def ulm(rows):
        seen.append(rows)
        return rows.loc[rows.city == "Ulm", "price"].mean()

    found = bf.bootstrap(df, ulm, replicates=20, seed=7)
    assert found.estimate == df.loc[df.city == "Ulm", "price"].mean()
    for rows, index, value in zip(seen[1:], drawn(seed=7), found.replicates, strict=True):
        assert isinstance(rows, pd.DataFrame)
        expected = df.iloc[index].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, expected)
        assert value == expected.loc[expected.city == "Ulm", "price"].mean()


def test_frames_of_polars_and_arrow():
    df = frame()
    expected = bf.bootstrap(df, lambda d: d.loc[d.city == "Ulm", "price"].mean(), replicates=50)
    polars = bf.bootstrap(
        pl.from_pandas(df),
        lambda d: d.filter(pl.col("city") == "Ulm")["price"].mean(),
        replicates=50,
    )
    np.testing.assert_allclose(polars.replicates, expected.replicates, rtol=1e-12)
    seen = []
    table = pa.Table.from_pandas(df, preserve_index=False)
    bf.bootstrap(table, lambda t: seen.append(t) or float(t.num_rows), replicates=2)
    assert all(isinstance(t, pa.Table) and t.schema.equals(table.schema) for t in seen)


def test_intervals_schemes_and_groups_of_whole_rows():
    df = frame()

    def mean(rows):
        return rows.price[rows.city != "Bonn"].mean()

    low, high = bf.bootstrap(df, mean, replicates=200, interval="bca").interval()
    assert low < mean(df) < high
    by_city = bf.bootstrap(df, lambda d: d.price.mean(), by="city", replicates=50)
    assert [g.estimate for g in by_city] == [
        pytest.approx(df.price[df.city == city].mean()) for city in sorted(CITIES)
    ]
    clusters = bf.bootstrap(df, mean, clusters="number", replicates=20)
    assert clusters.estimate == mean(df)
    counts = bf.bootstrap(
        df, lambda d, c: c @ (d.city == "Ulm").to_numpy(float), takes="counts", replicates=20
    )
    assert counts.estimate == (df.city == "Ulm").sum()


def test_missing_values_follow_nan():
    df = frame()
    df.loc["row 7", "city"] = None
    df.loc["row 9", "price"] = np.nan
    with pytest.raises(ValueError, match=r"column city, row 7 is missing; nan='omit' leaves"):
        bf.bootstrap(df, lambda d: d.price.mean(), replicates=5)
    found = bf.bootstrap(df, lambda d: float(len(d)), replicates=5, nan="omit")
    assert found.estimate == ROWS - 2
    found = bf.bootstrap(df, lambda d: float(len(d)), replicates=5, nan="propagate")
    assert found.estimate == ROWS
    found = bf.bootstrap(df, lambda d: d.price.mean(), columns=["price"], replicates=5, nan="omit")
    assert found.estimate == pytest.approx(df.price.mean())


def test_a_vectorized_function_is_told_why_not():
    def mean(rows, axis):
        return rows.mean(axis=axis)

    with pytest.raises(TypeError, match="columns of other types; choose columns by columns="):
        bf.bootstrap(frame(), mean, replicates=5)


def test_a_checkpoint_knows_the_content(tmp_path):
    df = frame()
    path = tmp_path / "run.checkpoint"

    def stopped(rows):
        stopped.calls += 1
        if stopped.calls == 40:
            raise KeyboardInterrupt
        return rows.price.mean()

    stopped.calls = 0
    with pytest.raises(KeyboardInterrupt):
        bf.bootstrap(df, stopped, replicates=100, checkpoint=path)
    if not path.exists():
        pytest.skip("nothing was stored before the interruption")
    df.loc["row 0", "city"] = "Trier"
    with pytest.raises(ValueError, match="checkpoint"):
        bf.bootstrap(df, stopped, replicates=100, checkpoint=path)


def _files(df, tmp_path):
    df = df.reset_index(drop=True)
    df.to_parquet(tmp_path / "x.parquet", row_group_size=7)
    path = str(tmp_path / "x.parquet")
    yield path, pd.DataFrame
    yield [path], pd.DataFrame
    yield pl.scan_parquet(path), pl.DataFrame
    yield pa.dataset.dataset(path), pd.DataFrame
    yield duckdb.read_parquet(path), pd.DataFrame
    yield bf.chunks(lambda: [df[:20], df[20:]]), pd.DataFrame
    yield iter([df[:20], df[20:]]), pd.DataFrame


def test_tables_that_are_read_in_batches_arrive_whole(tmp_path):
    df = frame()

    def ulm(rows):
        kinds.add(type(rows))
        return float(np.mean(np.asarray(rows["price"])[np.asarray(rows["city"]) == "Ulm"]))

    kinds = set()
    expected = bf.bootstrap(df, ulm, replicates=20, seed=7)
    strata = bf.bootstrap(df, ulm, strata="size", replicates=20, seed=7)
    for data, kind in _files(df, tmp_path):
        kinds.clear()
        found = bf.bootstrap(data, ulm, replicates=20, seed=7)
        assert kinds == {kind}
        assert found.estimate == expected.estimate
        assert np.array_equal(found.replicates, expected.replicates)
    for data, _ in _files(df, tmp_path):
        labelled = bf.bootstrap(data, ulm, strata="size", replicates=20, seed=7)
        assert np.array_equal(labelled.replicates, strata.replicates)
    columns = ["city", "price"]
    for data, _ in _files(df, tmp_path):
        some = bf.bootstrap(data, ulm, columns=columns, replicates=20, seed=7)
        assert np.array_equal(some.replicates, expected.replicates)


def test_groups_of_whole_rows(tmp_path):
    df = frame()
    wanted = bf.bootstrap(df, lambda d: (d["city"] == "Ulm").mean(), by="size", replicates=20)
    path = next(_files(df, tmp_path))[0]
    found = bf.bootstrap(path, lambda d: (d["city"] == "Ulm").mean(), by="size", replicates=20)
    assert found.columns() == wanted.columns()


def test_whole_rows_that_exceed_memory_are_refused(tmp_path):
    path = next(_files(frame(), tmp_path))[0]
    with pytest.raises(ValueError, match=r"whole rows of .*x\.parquet.*limit of 1e\+03 bytes"):
        bf.bootstrap(path, lambda d: len(d), memory=1000)


def test_text_files_arrive_whole(tmp_path):
    df = frame().drop(columns=["day"])
    df["size"] = df["size"].astype(str)
    df.to_csv(tmp_path / "v.csv", index=False)

    def ulm(rows):
        return rows.loc[rows["city"] == "Ulm", "price"].mean()

    expected = bf.bootstrap(df, ulm, replicates=20, seed=7)
    for given in (tmp_path / "v.csv", bf.csv(tmp_path / "v.csv")):
        found = bf.bootstrap(given, ulm, replicates=20, seed=7)
        np.testing.assert_array_equal(found.replicates, expected.replicates)
    chosen = bf.bootstrap(tmp_path / "v.csv", ulm, columns=["price", "city"], clusters="size")
    assert chosen.estimate == expected.estimate
    share = bf.bootstrap(
        tmp_path / "v.csv", lambda rows: (rows["city"] == "Ulm").mean(), columns=["city"]
    )
    assert share.estimate == (df.city == "Ulm").mean()
    groups = bf.bootstrap(tmp_path / "v.csv", ulm, by="size", replicates=20)
    assert [group.group for group in groups] == ["l", "s"]
    numbers = bf.bootstrap(tmp_path / "v.csv", lambda v: v.mean(), columns="price", replicates=20)
    assert numbers.estimate == pytest.approx(df.price.mean())


def test_text_files_with_missing_values_follow_nan(tmp_path):
    (tmp_path / "v.csv").write_text("city,price\nUlm,1\n,2\nBonn,\nUlm,3\nBonn,4\n")

    def ulm(rows):
        return rows.loc[rows["city"] == "Ulm", "price"].sum()

    with pytest.raises(ValueError, match="v.csv"):
        bf.bootstrap(tmp_path / "v.csv", ulm, replicates=20)
    assert bf.bootstrap(tmp_path / "v.csv", ulm, replicates=20, nan="omit").estimate == 4


def test_dictionaries_of_columns_are_tables():
    df = frame()
    columns = {"city": df.city.tolist(), "price": df.price.to_numpy()}

    def ulm(rows):
        return rows.loc[rows["city"] == "Ulm", "price"].mean()

    expected = bf.bootstrap(df[["city", "price"]], ulm, replicates=20, seed=7)
    found = bf.bootstrap(columns, ulm, replicates=20, seed=7)
    np.testing.assert_array_equal(found.replicates, expected.replicates)
    numbers = {"price": df.price.tolist(), "number": df.number.to_numpy()}
    found = bf.bootstrap(numbers, "mean", replicates=20, seed=7)
    table = bf.bootstrap(df[["price", "number"]], "mean", replicates=20, seed=7)
    np.testing.assert_array_equal(found.replicates, table.replicates)
    with pytest.raises(ValueError, match="the dictionary has no column 'town'"):
        bf.bootstrap(numbers, "mean", columns="price", by="town")
