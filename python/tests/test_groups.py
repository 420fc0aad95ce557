"""bootstrap(..., by=...): an interval for every group of rows."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bootfold as bf
from bootfold import _core


def flights(rows=400):
    random = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "carrier": random.choice(["AA", "DL", "UA"], rows),
            "month": random.integers(1, 13, rows),
            "delay": random.exponential(10, rows),
            "distance": random.normal(900, 50, rows),
            "day": random.integers(1, 8, rows),
        }
    )


def test_each_group_is_a_bootstrap_of_its_rows():
    df = flights()
    found = bf.bootstrap(df, "mean", columns="delay", by="carrier", replicates=500, seed=7)
    assert [group.group for group in found] == ["AA", "DL", "UA"]
    assert len(found) == 3
    for group in found:
        rows = df.loc[df.carrier == group.group, "delay"]
        assert group.rows == len(rows)
        assert group.seed == _core.group_seed(7, group.group)
        alone = bf.bootstrap(rows, "mean", replicates=500, seed=group.seed)
        assert group.estimate == alone.estimate
        assert group.standard_error == alone.standard_error
        assert (group.low, group.high) == tuple(alone.interval())
        again = found[group.group]
        np.testing.assert_array_equal(again.replicates, alone.replicates)


def test_the_tidy_table_has_a_row_for_each_group_and_value():
    df = flights()
    found = bf.bootstrap(
        df,
        ["mean", "median"],
        columns=["delay", "distance"],
        by=["carrier", "month"],
        replicates=50,
    )
    frame = found.to_frame()
    assert list(frame.columns) == [
        *("carrier", "month", "statistic", "value"),
        *("rows", "estimate", "standard_error", "low", "high"),
    ]
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 4 * len(found)
    one = frame[(frame.carrier == "UA") & (frame.month == 12)].set_index(["statistic", "value"])
    rows = df[(df.carrier == "UA") & (df.month == 12)]
    assert one.loc[("median", "distance"), "estimate"] == rows.distance.median()
    assert one.loc[("mean", "delay"), "estimate"] == pytest.approx(rows.delay.mean())
    assert found["UA", 12].estimate.shape == (2, 2)
    assert [month for carrier, month in (g.group for g in found) if carrier == "AA"] == sorted(
        df[df.carrier == "AA"].month.unique()
    )


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow", "dict"])
def test_tables_of_every_package_give_the_same_numbers(package):
    df = flights()
    data = {
        "pandas": lambda: df,
        "polars": lambda: pl.from_pandas(df),
        "pyarrow": lambda: pa.Table.from_pandas(df),
        "dict": lambda: {name: df[name].to_numpy() for name in df},
    }[package]()
    found = bf.bootstrap(data, "mean", columns="delay", by="carrier", replicates=50, seed=1)
    wanted = bf.bootstrap(df, "mean", columns="delay", by="carrier", replicates=50, seed=1)
    assert found.columns() == wanted.columns()
    kind = {"polars": pl.DataFrame, "pyarrow": pa.Table}.get(package, pd.DataFrame)
    assert isinstance(found.to_frame(), kind)


def test_functions_and_sums_are_bootstrapped_group_by_group():
    df = flights()
    wanted = bf.bootstrap(df, "mean", columns="delay", by="carrier", replicates=200, seed=3)
    for statistic in (lambda x: float(np.mean(x)), bf.sums(lambda x: (x,), lambda m: m[0])):
        found = bf.bootstrap(df, statistic, columns="delay", by="carrier", replicates=200, seed=3)
        for mine, theirs in zip(found, wanted, strict=True):
            assert (mine.group, mine.rows, mine.seed) == (theirs.group, theirs.rows, theirs.seed)
            assert mine.estimate == pytest.approx(theirs.estimate)
            alone = bf.bootstrap(
                df.loc[df.carrier == mine.group, "delay"], statistic, replicates=200, seed=mine.seed
            )
            assert mine.standard_error == alone.standard_error
        assert list(found.to_frame().value) == ["delay"] * 3


def test_labels_may_be_an_array():
    x = np.arange(10.0)
    labels = np.array(["a", "b"] * 5)
    found = bf.bootstrap(x, "mean", by=labels, replicates=20)
    assert [(group.group, group.estimate) for group in found] == [("a", 4.0), ("b", 5.0)]
    assert found.to_frame().columns[0] == "group"
    assert list(found.to_frame().value) == ["", ""]


def test_groups_of_one_row_are_left_out():
    df = pd.DataFrame({"g": ["a", "a", "b"], "x": [1.0, 2.0, 3.0]})
    for statistic in ("mean", lambda x: float(np.mean(x))):
        found = bf.bootstrap(df, statistic, columns="x", by="g", replicates=20)
        assert [group.group for group in found] == ["a"]
        assert found.skipped == ["b"]
        assert "1 group of one row" in repr(found)
        with pytest.raises(KeyError, match="no group 'b'"):
            found["b"]
        alone = pd.DataFrame({"g": ["a", "b"], "x": [1.0, 2.0]})
        with pytest.raises(ValueError, match=r"each of the 2 groups.* has one row"):
            bf.bootstrap(alone, statistic, columns="x", by="g", replicates=20)


def test_rows_with_nan_are_omitted_with_their_labels():
    df = flights()
    df.loc[::7, "delay"] = np.nan
    found = bf.bootstrap(df, "mean", columns="delay", by="carrier", replicates=50, nan="omit")
    wanted = bf.bootstrap(df.dropna(), "mean", columns="delay", by="carrier", replicates=50)
    assert found.columns() == wanted.columns()
    with pytest.raises(ValueError, match="row 0 is nan"):
        bf.bootstrap(df, "mean", columns="delay", by="carrier", replicates=50)


def test_schemes_and_weights_are_those_of_the_rows():
    df = flights()
    options = {"columns": "delay", "replicates": 50, "seed": 2}
    found = bf.bootstrap(df, "mean", by="carrier", clusters="day", weights="distance", **options)
    rows = df[df.carrier == "DL"]
    alone = bf.bootstrap(
        rows,
        "mean",
        clusters="day",
        weights="distance",
        columns="delay",
        replicates=50,
        seed=_core.group_seed(2, "DL"),
    )
    assert found.groups[1].standard_error == alone.standard_error


def test_what_is_not_for_groups_is_refused():
    df = flights()
    for options, words in (
        ({"replicates": "exact"}, "exact"),
        ({"checkpoint": "x"}, "checkpoint is 'x' but is not for groups"),
        ({"takes": "counts"}, "takes is 'counts'"),
    ):
        with pytest.raises(ValueError, match=words):
            bf.bootstrap(df, "mean", columns="delay", by="carrier", **options)
    with pytest.raises(ValueError, match="no column 'carier'"):
        bf.bootstrap(df, "mean", columns="delay", by="carier")
    with pytest.raises(ValueError, match="no column 'mont'"):
        bf.bootstrap(df, "mean", columns="delay", by=["carrier", "mont"])


def test_a_result_pickles_and_plots():
    found = bf.bootstrap(flights(), "mean", columns="delay", by="carrier", replicates=50)
    copy = pickle.loads(pickle.dumps(found))
    assert copy.columns() == found.columns()
    with pytest.raises(ValueError, match="need the data"):
        copy["AA"]
    chart = found.plot().to_dict()
    assert chart["title"] == "mean of delay"


def test_clusters_by_several_columns_are_their_combinations():
    df = flights()
    options = {"replicates": 100, "seed": 4}
    found = bf.bootstrap(df, "mean", columns="delay", clusters=["month", "day"], **options)
    codes = df.month * 100 + df.day
    wanted = bf.bootstrap(df.delay, "mean", clusters=codes.to_numpy(), **options)
    np.testing.assert_array_equal(found.replicates, wanted.replicates)


def test_clusters_are_drawn_within_strata():
    """Every stratum has as many clusters in each resample: their counts do not vary."""
    df = flights()
    df["region"] = np.where(df.month <= 4, "north", "south")
    seen = bf.counts(len(df), 200, seed=1, strata=df.region, clusters=df.month)
    months = {m: seen[:, (df.month == m).to_numpy()][:, 0] for m in range(1, 13)}
    north = sum(months[m] for m in range(1, 5))
    assert (north == 4).all() and (sum(months.values()) == 12).all()
    assert np.ptp(months[1]) > 0
    found = bf.bootstrap(
        df, "mean", columns="delay", strata="region", clusters="month", replicates=4000, seed=2
    )
    alone = bf.bootstrap(df, "mean", columns="delay", clusters="month", replicates=4000, seed=2)
    assert found.plan.scheme == "cluster, 12 clusters within 2 strata"
    assert found.standard_error != alone.standard_error


def test_a_cluster_in_two_strata_is_named():
    df = flights()
    df["region"] = np.where(df.index == 7, "south", "north")
    month = df.month[7]
    words = f"cluster '{month}' has rows in 2 strata, 'north' and 'south'"
    with pytest.raises(ValueError, match=words):
        bf.bootstrap(df, "mean", columns="delay", strata="region", clusters="month")


def test_text_has_the_same_digits_in_a_column_and_no_names_twice():
    noise = np.arange(160) * 37 % 101 / 101 - 0.5
    df = pd.DataFrame(
        {"group": list("abcd") * 40, "x": 5 + noise * np.tile([0, 1, 12, 12_000], 40)}
    )
    text = str(bf.bootstrap(df, "mean(x)", by="group", replicates=300, seed=1))
    assert text.startswith("mean(x) by group\n")
    numbers = {line.split()[0]: line.split()[2:4] for line in text.splitlines()[2:]}
    digits = {name: [len(x.partition(".")[2]) for x in found] for name, found in numbers.items()}
    assert digits["a"] == digits["b"] == digits["c"]
    assert digits["d"] < digits["c"]
