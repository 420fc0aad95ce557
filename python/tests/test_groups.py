"""bootstrap(..., by=...): an interval for every group of rows."""

import json
import os
import pickle
import re
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bootfold as bf
from bootfold import _core
from bootfold._labels import label_text


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


def test_a_function_of_whole_rows_has_no_column():
    df = flights().assign(month="may")
    for data in (df, df.drop(columns="month")):
        found = bf.bootstrap(
            data,
            lambda t: {"m": t.delay.mean(), "s": t.delay.std()},
            by="carrier",
            replicates=20,
            confidence=0.9,
        )
        title, heading, first, *_ = repr(found).splitlines()
        assert title == "m, s by carrier"
        assert re.split("  +", heading.strip()) == [
            *("carrier", "statistic", "rows", "estimate", "standard error"),
            "90% interval (percentile)",
        ]
        assert first.split()[:2] == ["AA", "m"]
        assert found.outputs == [("m", ""), ("s", "")]
        assert set(found.to_frame().value) == {""}
        assert repr(pickle.loads(pickle.dumps(found))) == repr(found)


def test_groups_of_one_row_are_named():
    df = pd.DataFrame({"g": [1, 1, *range(2, 15)], "h": "z", "x": np.arange(15.0)})
    for statistic in ("mean", lambda x: float(np.mean(x))):
        text = repr(bf.bootstrap(df, statistic, columns="x", by="g", replicates=20))
        told = "  13 groups of one row are left out: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more"
        assert text.splitlines()[-1] == told
    text = repr(bf.bootstrap(df[:4], "mean", columns="x", by=["g", "h"], replicates=20))
    assert text.endswith("2 groups of one row are left out: (2, z), (3, z)")


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
        assert repr(found).endswith("\n  1 group of one row is left out: b")
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


DAYS = np.datetime64("2013-01-30", "s") + np.arange(120) // 2 * np.timedelta64(12, "h")


@pytest.mark.parametrize("unit", ["D", "h", "s", "us", "ns"])
def test_dates_are_groups_by_the_name_that_the_program_gives_them(unit, tmp_path):
    at = DAYS.astype(f"M8[{unit}]")
    df = pd.DataFrame({"at": at, "x": np.arange(120.0) ** 2 % 17})
    df.to_parquet(tmp_path / "t.parquet")
    tables = [{"at": at, "x": df.x}, df, pl.from_pandas(df), pa.Table.from_pandas(df)]
    if unit == "us":
        tables.append(tmp_path / "t.parquet")
    for table in tables:
        found = bf.bootstrap(table, "mean", columns="x", by="at", replicates=20, seed=3)
        assert found.groups[0].seed == _core.group_seed(3, "2013-01-30")
        assert str(found).splitlines()[3 if unit != "D" else 2].split()[0][:10] in (
            "2013-01-30",
            "2013-01-31",
        )
        one = found["2013-01-30"].estimate
        for name in (pd.Timestamp("2013-01-30"), np.datetime64("2013-01-30"), "2013-01-30T00:00"):
            assert found[name].estimate == one
        if unit != "D":
            assert found.groups[1].seed == _core.group_seed(3, "2013-01-30 12:00:00")
            assert found["2013-01-30 12:00"].replicates.shape == (20,)


def test_the_program_and_python_draw_groups_of_dates_alike(tmp_path):
    df = pd.DataFrame({"at": DAYS.astype("M8[us]"), "x": np.arange(120.0) ** 2 % 17})
    df.to_parquet(tmp_path / "t.parquet")
    command = [os.environ["BOOTFOLD_PROGRAM"], "bootstrap", str(tmp_path / "t.parquet"), "--json"]
    command += ["--by", "at", "--column", "x", "--replicates", "50", "--seed", "4"]
    told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    found = bf.bootstrap(df, "mean", columns="x", by="at", replicates=50, seed=4)
    texts = [label_text(group.group) for group in found]
    assert texts == [group["group"][0] for group in told["groups"]]
    errors = [group["values"][0]["standard_error"] for group in told["groups"]]
    assert errors == [group.standard_error for group in found]


def test_combinations_with_dates_have_their_texts():
    df = pd.DataFrame({"day": DAYS.astype("M8[D]").astype("M8[ns]"), "x": np.arange(120.0)})
    df["shop"] = np.tile(["a", "b"], 60)
    found = bf.bootstrap(df, "mean", columns="x", by=["shop", "day"], replicates=20, seed=3)
    assert found.groups[0].seed == _core.group_seed(3, "a, 2013-01-30")
    assert found.to_frame()["day"][0] == pd.Timestamp("2013-01-30")


def spread_groups(groups):
    return pd.concat([pd.DataFrame({"g": g, "x": x}) for g, x in groups.items()])


# A table whose numbers have exponents has them in all rows, and constants have at most 6 digits.
def test_a_table_of_groups_has_one_notation():
    noise = np.random.default_rng(1).normal(0, 1, 50)
    groups = {"a": 5.47 + noise, "b": 0 * noise, "c": 4.7e5 + 3e4 * noise, "d": 1e-9 * noise}
    groups |= {"e": np.full(50, 7.123456789)}
    text = str(bf.bootstrap(spread_groups(groups), "mean", columns="x", by="g", replicates=200))
    rows = {line.split()[0]: line.split()[2:] for line in text.splitlines()[2:]}
    assert all("e" in number for g in "acd" for number in rows[g] if number not in ("to", "+-"))
    assert rows["b"] == ["0", "0", "0", "to", "0"] and rows["e"][0] == "7.12346e+00"
    del groups["d"]
    text = str(bf.bootstrap(spread_groups(groups), "mean", columns="x", by="g", replicates=200))
    assert "e+" not in text and " 7.123 to 7.123\n" in text + "\n" and " 0.000 to 0.000" in text


def test_groups_without_an_interval_say_so_and_errors_have_errors():
    noise = np.random.default_rng(1).normal(0, 1, 50)
    df = spread_groups({"a": 0 * noise, "b": 2 + noise})
    for statistic in ("mean(x) / mean(x)", "sd(x) / mean(x)"):
        text = str(bf.bootstrap(df, statistic, by="g", replicates=200))
        assert text.splitlines()[2].split()[2:] == ["nan", "nan", "none"]
        assert "nan to nan" not in text
    found = bf.bootstrap(df, ["mean(x)", "sd(x)"], by="g", replicates=200)
    assert re.search(r"b +mean\(x\).* 0\.\d+ \+- 0\.0\d+  ", str(found))
    alone = found["b"]
    np.testing.assert_array_equal(found.groups[1].standard_error_error, alone.standard_error_error)
    assert re.search(r"bias  .*\n  mean\(x\) .* \+- .* \+- ", str(alone))
