"""Groups against a control: the numbers of the program, in the kind of table given."""

import copy
import datetime
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
import scipy.stats

import bootfold as bf

RNG = np.random.default_rng(8)
TABLE = pd.DataFrame(
    {
        "variant": RNG.choice(["A", "B", "C"], size=300),
        "revenue": RNG.gamma(2.0, size=300),
        "visits": RNG.integers(1, 5, size=300),
    }
)


def test_the_program_says_the_same(tmp_path):
    path = tmp_path / "visits.csv"
    TABLE.to_csv(path, index=False, float_format="%.17g")
    command = [os.environ["BOOTFOLD_PROGRAM"], "compare", str(path), "--value", "revenue"]
    command += [
        "--by",
        "variant",
        "--control",
        "A",
        "--replicates",
        "2000",
        "--seed",
        "7",
        "--json",
    ]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    found = bf.compare(TABLE, value="revenue", by="variant", control="A", replicates=2000, seed=7)
    assert list(found["group"]) == ["B", "C"]
    for row, contrast, group in zip(
        found.itertuples(), told["contrasts"], told["groups"][1:], strict=True
    ):
        assert (row.rows, row.estimate) == (group["rows"], group["estimate"])
        assert row.difference == contrast["estimate"]
        assert row.standard_error == contrast["standard_error"]
        assert (row.low, row.high) == tuple(contrast["interval"][k] for k in ("low", "high"))
        for name in (
            *("p_value", "p_value_error", "adjusted_p_value", "adjusted_p_value_error"),
            *("permutations", "all_permutations"),
        ):
            assert getattr(row, name) == contrast[name]
        assert (row.test, row.clusters, row.shared_clusters) == (told["test"], 0, 0)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda t: t, pd.DataFrame),
        (pl.from_pandas, pl.DataFrame),
        (pa.Table.from_pandas, bf.ComparisonTable),
        (lambda t: {k: list(v) for k, v in t.items()}, dict),
    ],
)
def test_the_table_is_of_the_kind_given(make, kind):
    found = bf.compare(make(TABLE), value="revenue", by="variant", replicates=500, seed=7)
    expected = bf.compare(TABLE, value="revenue", by="variant", replicates=500, seed=7)
    assert isinstance(found, kind)
    if kind is bf.ComparisonTable:
        assert isinstance(found.table, pa.Table) and found == found.table
    lows = found["low"].to_pylist() if kind is bf.ComparisonTable else list(found["low"])
    assert lows == list(expected["low"])


def test_means_and_differences():
    found = bf.compare(TABLE, value="revenue", by="variant", control="B", groups=["C"], seed=7)
    means = TABLE.groupby("variant")["revenue"].mean()
    assert list(found["group"]) == ["C"]
    assert found["difference"][0] == pytest.approx(means["C"] - means["B"])
    lift = bf.compare(TABLE, value="revenue", by="variant", control="B", difference="relative")
    assert lift["difference"][0] == pytest.approx(means["A"] / means["B"] - 1)


def test_two_columns_and_functions_that_have_a_name():
    found = bf.compare(TABLE, value=["revenue", "visits"], by="variant", statistic="ratio")
    assert np.isfinite(found["low"]).all()
    found = bf.compare(TABLE, value="revenue", by="variant", statistic=np.median)
    medians = TABLE.groupby("variant")["revenue"].median()
    assert found["difference"][0] == pytest.approx(medians["B"] - medians["A"])


def test_nan_rows():
    holes = TABLE.assign(revenue=TABLE["revenue"].where(TABLE.index % 10 != 3))
    with pytest.raises(ValueError, match="row 3 is nan"):
        bf.compare(holes, value="revenue", by="variant")
    found = bf.compare(holes, value="revenue", by="variant", nan="omit", replicates=500)
    expected = bf.compare(holes.dropna(), value="revenue", by="variant", replicates=500)
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"value": "price"}, ValueError, "value is 'price' .* variant, revenue, visits"),
        ({"by": "arm"}, ValueError, "by is 'arm'"),
        ({"control": "Z"}, ValueError, "Z"),
        ({"correction": "bonf"}, ValueError, "bonf"),
        ({"difference": "ratio"}, ValueError, "ratio"),
        ({"statistic": []}, TypeError, "a statistic or a list of them"),
        ({"statistic": lambda x: [1.0, 2.0]}, ValueError, "returned 2 values"),
        ({"statistic": lambda x: 1 / 0}, ZeroDivisionError, "division"),
        ({"covariate": "visits", "statistic": "median"}, ValueError, "adjusts means"),
        ({"covariate": "visits", "weights": "visits"}, ValueError, "do not go together"),
        ({"covariate": "revenue"}, ValueError, "must be another column"),
        ({"pair": "visits", "interval": "studentized"}, ValueError, "interval is 'studentized'"),
    ],
)
def test_misuse(arguments, error, message):
    with pytest.raises(error, match=message):
        bf.compare(TABLE, **({"value": "revenue", "by": "variant"} | arguments))


def shared_days():
    rng = np.random.default_rng(4)
    day = np.repeat(np.arange(120), 4)
    weather = rng.normal(scale=5, size=120)[day]
    airport = np.tile(["A", "A", "B", "B"], 120)
    return pd.DataFrame({"day": day, "airport": airport, "delay": weather + rng.normal(size=480)})


def test_clusters_that_groups_share_are_drawn_once():
    df = shared_days()
    joint = bf.compare(df, value="delay", by="airport", clusters="day", seed=1)
    assert "120 of 120 clusters are in several groups" in joint["note"][0]
    assert (joint["clusters"][0], joint["shared_clusters"][0]) == (120, 120)
    assert joint["standard_error"][0] == pytest.approx((2 / 240) ** 0.5, rel=0.2)
    apart = bf.compare(
        df.assign(day=df["day"].astype(str) + df["airport"]),
        value="delay",
        by="airport",
        clusters="day",
    )
    assert apart["standard_error"][0] > 4 * joint["standard_error"][0]


def test_pairs():
    df = shared_days().groupby(["day", "airport"], as_index=False).mean()
    found = bf.compare(df, value="delay", by="airport", pair="day", seed=1)
    wide = df.pivot(index="day", columns="airport", values="delay")
    assert found["difference"][0] == pytest.approx((wide["B"] - wide["A"]).mean())
    assert found["standard_error"][0] == pytest.approx((wide["B"] - wide["A"]).sem(), rel=0.05)
    with pytest.raises(ValueError, match="pairs need exactly one row in every group"):
        bf.compare(df.iloc[1:], value="delay", by="airport", pair="day")
    with pytest.raises(ValueError, match="pairs are clusters already"):
        bf.compare(df, value="delay", by="airport", pair="day", clusters="day")


def test_permutation_tests_are_those_of_scipy():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=7), rng.normal(1, size=8)
    df = pd.DataFrame({"x": np.concatenate([a, b]), "g": ["a"] * 7 + ["b"] * 8})

    def difference(x, y):
        return np.mean(y) - np.mean(x)

    for alternative in ("two-sided", "less", "greater"):
        wanted = scipy.stats.permutation_test(
            (a, b), difference, n_resamples=np.inf, alternative=alternative
        )
        found = bf.compare(df, value="x", by="g", test="permutation", alternative=alternative)
        assert found["p_value"][0] == pytest.approx(wanted.pvalue)
        assert (found["test"][0], found["permutations"][0]) == ("permutation", 6435)
        assert found["all_permutations"][0] and found["p_value_error"][0] == 0
    pairs = pd.DataFrame(
        {"x": np.concatenate([a, b[:7]]), "g": ["a"] * 7 + ["b"] * 7, "id": list(range(7)) * 2}
    )
    wanted = scipy.stats.permutation_test(
        (a, b[:7]), difference, permutation_type="samples", n_resamples=np.inf
    )
    found = bf.compare(pairs, value="x", by="g", pair="id", test="permutation")
    assert found["p_value"][0] == pytest.approx(wanted.pvalue)


def test_several_statistics_and_values_are_rows_of_one_table():
    options = {"by": "variant", "replicates": 200, "seed": 3}
    found = bf.compare(
        TABLE, value=["revenue", "visits"], statistic=["mean", "ratio", np.median], **options
    )
    asked = list(dict.fromkeys(zip(found.statistic, found.value, strict=True)))
    assert asked == [
        ("mean", "revenue"),
        ("mean", "visits"),
        ("ratio(revenue, visits)", "revenue, visits"),
        ("median", "revenue"),
        ("median", "visits"),
    ]
    alone = bf.compare(TABLE, value="visits", statistic="median", **options)
    same = found[(found.statistic == "median") & (found.value == "visits")]
    pd.testing.assert_frame_equal(same.reset_index(drop=True), alone)


def test_groups_have_intervals_of_their_own():
    options = {"replicates": 300, "seed": 3}
    found = bf.compare(TABLE, value="revenue", by="variant", **options)
    alone = bf.bootstrap(TABLE, "mean", columns="revenue", by="variant", **options)
    limits = {group.group: (group.low, group.high) for group in alone}
    for row in found.itertuples():
        assert (row.estimate_low, row.estimate_high) == limits[row.group]
        assert (row.control_low, row.control_high) == limits[row.control]


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_functions_and_sums_are_compared_as_names_are(interval):
    options = {"value": "revenue", "by": "variant", "replicates": 400, "seed": 3}
    options |= {"interval": interval}
    wanted = bf.compare(TABLE, **options)
    for statistic in (lambda x: float(np.mean(x)), bf.sums(lambda x: (x,), lambda m: m[0])):
        found = bf.compare(TABLE, statistic=statistic, **options)
        np.testing.assert_allclose(found.difference, wanted.difference, rtol=1e-9)
        np.testing.assert_allclose(found.standard_error, wanted.standard_error, rtol=0.2)
        assert list(found.value) == list(wanted.value)


def test_a_function_of_two_columns_gets_both():
    options = {"value": ["revenue", "visits"], "by": "variant", "replicates": 300, "seed": 1}
    found = bf.compare(TABLE, statistic=lambda r, v: r.sum() / v.sum(), **options)
    wanted = bf.compare(TABLE, statistic="ratio", **options)
    np.testing.assert_allclose(found.difference, wanted.difference, rtol=1e-9)
    assert set(found.value) == {"revenue, visits"}


def test_functions_take_clusters_that_groups_share():
    df = shared_days()
    options = {"value": "delay", "by": "airport", "clusters": "day", "replicates": 300}
    found = bf.compare(df, statistic=lambda x: float(x.mean()), **options)
    wanted = bf.compare(df, **options)
    assert found.shared_clusters[0] == wanted.shared_clusters[0] > 0
    np.testing.assert_allclose(found.standard_error, wanted.standard_error, rtol=0.2)


def test_clusters_by_several_columns():
    df = shared_days()
    df["month"], df["number"] = df["day"] // 5, df["day"] % 5
    options = {"value": "delay", "by": "airport", "replicates": 200, "seed": 1}
    found = bf.compare(df, clusters=["month", "number"], **options)
    pd.testing.assert_frame_equal(found, bf.compare(df, clusters="day", **options))
    table = pa.Table.from_pandas(df)
    again = bf.compare(table, clusters=["month", "number"], **options)
    assert again["low"].to_pylist() == list(found.low)


def test_a_covariate_takes_its_variance_out():
    """x explains 4/5 of the variance: standard errors are sqrt(1/5) of the others, up to 10 %,
    which is five standard deviations for 1,000 rows and 4,000 replicates."""
    random = np.random.default_rng(4)
    x = random.normal(size=1000)
    df = pd.DataFrame({"arm": ["a", "b"] * 500, "before": x, "y": 2 * x + random.normal(size=1000)})
    options = {"value": "y", "by": "arm", "replicates": 4000}
    plain = bf.compare(df, **options)
    found = bf.compare(df, covariate="before", **options)
    ratio = found.standard_error[0] / plain.standard_error[0]
    assert ratio == pytest.approx(np.sqrt(0.2), abs=0.05)
    assert found.value[0] == "y"
    theta = np.polyfit(x - np.where(df.arm == "a", x[::2].mean(), x[1::2].mean()), df.y, 1)[0]
    adjusted = df.y - theta * x
    wanted = adjusted[df.arm == "b"].mean() - adjusted[df.arm == "a"].mean()
    assert found.difference[0] == pytest.approx(wanted, abs=0.02)
    gaps = df.assign(before=df.before.where(df.index != 7))
    with pytest.raises(ValueError, match="nan"):
        bf.compare(gaps, covariate="before", **options)
    omitted = bf.compare(gaps, covariate="before", nan="omit", **options)
    assert omitted.rows[0] + omitted.control_rows[0] == 999


@pytest.mark.parametrize("make", [lambda t: t, pl.from_pandas, pa.Table.from_pandas])
def test_a_comparison_is_drawn(make, tmp_path):
    found = bf.compare(
        make(TABLE), value="revenue", by="variant", statistic=["mean", "median"], replicates=200
    )
    chart = bf.plot_comparison(found, tmp_path / "forest.json").to_dict()
    assert len(chart["vconcat"]) == 2
    assert chart["vconcat"][0]["title"] == "mean of revenue, difference from A"
    assert (tmp_path / "forest.json").exists()
    with pytest.raises(TypeError, match=r"what bootfold\.compare returned"):
        bf.plot_comparison([1, 2])


def test_tables_draw_their_forest_plot(tmp_path):
    """table.plot() is the forest plot, for every kind of table."""
    df = pd.DataFrame({"g": ["a", "b"] * 20, "x": np.arange(40.0)})
    df.to_parquet(tmp_path / "x.parquet")
    kinds = (df, pl.from_pandas(df), {"g": list(df.g), "x": list(df.x)}, pa.Table.from_pandas(df))
    for data in (*kinds, tmp_path / "x.parquet"):
        found = bf.compare(data, value="x", by="g", statistic=["mean", "median"], replicates=50)
        path = tmp_path / "forest.svg"
        chart = found.plot(path)
        assert "<svg" in path.read_text()
        titles = [panel["title"] for panel in chart.to_dict()["vconcat"]]
        assert titles == ["mean of x, difference from a", "median of x, difference from a"]
    some = bf.compare(df, value="x", by="g", replicates=50)
    assert some[some.p_value <= 1].plot().to_dict()["title"] == "mean of x, difference from a"
    again = pickle.loads(pickle.dumps(some))
    pd.testing.assert_frame_equal(pd.DataFrame(again), pd.DataFrame(some))


def test_a_comparison_of_arrow_tables_is_one(tmp_path):
    df = pd.DataFrame({"g": ["a", "b"] * 20, "x": np.arange(40.0)})
    found = bf.compare(pa.Table.from_pandas(df), value="x", by="g", replicates=50)
    frame = pd.DataFrame(bf.compare(df, value="x", by="g", replicates=50))
    assert found.num_rows == len(found) == 1
    assert found.column_names == list(frame.columns)
    pd.testing.assert_frame_equal(found.to_pandas(), frame)
    assert pa.table(found) == found.table
    assert pl.DataFrame(found)["low"].to_list() == frame["low"].tolist()
    for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert again == found and again.plot().to_dict()["title"].startswith("mean of x")


@pytest.mark.parametrize("nan", ["error", "omit"])
def test_groups_by_several_columns(nan, tmp_path):
    rng = np.random.default_rng(3)
    df = pd.DataFrame(
        {
            "carrier": rng.choice(["UA", "a,b"], 200),
            "month": rng.integers(9, 11, 200),
            "delay": rng.normal(size=200),
        }
    )
    if nan == "omit":
        df.loc[::17, "delay"] = np.nan
    one = df.assign(
        both=[
            f"{'UA' if c == 'UA' else chr(34) + c + chr(34)}, {m}"
            for c, m in zip(df.carrier, df.month, strict=True)
        ]
    )
    options = {"value": "delay", "replicates": 60, "nan": nan}
    expected = bf.compare(one, by="both", control="UA, 9", **options)
    df.to_parquet(tmp_path / "x.parquet")
    for data in (df, pl.from_pandas(df), pa.Table.from_pandas(df), str(tmp_path / "x.parquet")):
        for control in ("UA, 9", ("UA", 9)):
            found = bf.compare(data, by=["carrier", "month"], control=control, **options)
            lows = [float(str(low)) for low in found["low"]]
            own = dict(zip(map(str, found["group"]), lows, strict=True))
            assert own == dict(zip(expected["group"], expected["low"], strict=True))
    both = ("carrier", "month")
    some = bf.compare(df, by=both, control=("UA", 9), groups=[("UA", 10)], **options)
    assert list(some["group"]) == ["UA, 10"]
    told = r"column 'carrier, month'.*There are 'UA, 9', 'UA, 10', '\"a,b\", 9'"
    with pytest.raises(ValueError, match=told):
        bf.compare(df, by=["carrier", "month"], control=("UA", 7), **options)
    alone = bf.compare(df, by=["carrier"], control="UA", **options)
    assert alone.equals(bf.compare(df, by="carrier", control="UA", **options))


def test_the_text_of_groups_is_rounded():
    df = pd.DataFrame({"g": ["a", "b"] * 20, "x": np.arange(40.0) / 7})
    text = repr(bf.bootstrap(df, "mean", columns="x", by="g", replicates=100))
    assert "2.714" in text and not re.search(r"\d\.\d{8}", text)


# The texts of dates are those of the program, whatever the package of the table.
def test_controls_may_be_dates_in_any_form(tmp_path):
    at = np.datetime64("2013-01-30", "us") + np.arange(80) // 20 * np.timedelta64(12, "h")
    df = pd.DataFrame({"at": at, "x": np.arange(80.0) % 7})
    df.to_parquet(tmp_path / "t.parquet")
    tables = (df, pl.from_pandas(df), pa.Table.from_pandas(df), tmp_path / "t.parquet")
    forms = ("2013-01-31", "2013-01-31T00:00", datetime.date(2013, 1, 31))
    day = "2013-01-31"
    moments = (datetime.datetime(2013, 1, 31), pd.Timestamp(day), np.datetime64(day))
    for table in tables:
        for control in (*forms, *moments):
            found = bf.compare(table, value="x", by="at", control=control, replicates=20)
            assert list(map(str, found["control"])) == ["2013-01-31"] * 3
            assert str(found["group"][1]) == "2013-01-30 12:00:00"
        chosen = bf.compare(
            table, value="x", by="at", control=control, groups=["2013-01-30T12:00"], replicates=20
        )
        assert list(map(str, chosen["group"])) == ["2013-01-30 12:00:00"]


def revenue():
    random = np.random.default_rng(2)
    before = random.gamma(2, 3, 300)
    return pd.DataFrame(
        {
            "cut": random.choice(["a", "b"], 300),
            "revenue": before + random.normal(0, 1, 300),
            "pre_revenue": before,
            "user": np.arange(300) // 2,
        }
    )


def test_a_covariate_may_be_an_expression(tmp_path):
    df = revenue()
    df.to_csv(tmp_path / "v.csv", index=False)
    df.to_parquet(tmp_path / "v.parquet")
    more = df.assign(adjusted=np.log1p(np.abs(df.pre_revenue)))
    run = {"value": "revenue", "by": "cut", "replicates": 50}
    expected = bf.compare(more, covariate="adjusted", **run)
    for table in (df, pl.from_pandas(df).lazy(), tmp_path / "v.csv", tmp_path / "v.parquet"):
        found = bf.compare(table, covariate="log1p(abs(pre_revenue))", **run)
        assert float(str(found["difference"][0])) == expected["difference"][0]


def test_means_that_name_their_column_take_a_covariate():
    df = revenue()
    run = {"by": "cut", "covariate": "pre_revenue", "replicates": 50}
    for text, column in (("mean(revenue)", df.revenue), ("mean(log1p(user))", np.log1p(df.user))):
        expected = bf.compare(df.assign(own=column), value="own", **run)
        found = bf.compare(df, statistic=text, **run)
        assert found["difference"].tolist() == expected["difference"].tolist()
        assert found["low"].tolist() == expected["low"].tolist()
    with pytest.raises(ValueError, match="covariate adjusts means but the statistic is 'mean"):
        bf.compare(df, statistic="mean(revenue) / mean(user)", **run)


def test_messages_name_the_option_and_the_nearest_column(tmp_path):
    df = revenue()
    df.to_csv(tmp_path / "v.csv", index=False)
    df.to_parquet(tmp_path / "v.parquet")
    usual = {"value": "revenue", "by": "cut", "replicates": 20}
    wrong = [
        ("covariate", "log1p(pre_revenu)", "pre_revenue"),
        ("covariate", "pre_revenu", "pre_revenue"),
        ("value", "log(revenu)", "revenue"),
        ("value", "if(cut == 'a', revenu, 0)", "revenue"),
        ("value", "revenu", "revenue"),
        ("by", "cutt", "cut"),
        ("clusters", "usr", "user"),
    ]
    for table in (df, pl.from_pandas(df).lazy(), tmp_path / "v.csv", tmp_path / "v.parquet"):
        for option, given, meant in wrong:
            words = re.escape(f"{option} is '{given}' but ") + f"(.|\n)*did you mean '{meant}'"
            with pytest.raises(ValueError, match=words):
                bf.compare(table, **{**usual, option: given})
        with pytest.raises(ValueError, match=r"value is 'log\(revenue' but at its end"):
            bf.compare(table, **{**usual, "value": "log(revenue"})
        for role in ("by", "clusters", "strata"):
            with pytest.raises(ValueError, match="did you mean 'user'"):
                bf.bootstrap(table, "mean", columns="revenue", **{role: "usr"})


def test_text_files_give_the_table_of_other_files(tmp_path):
    df = revenue()
    df.to_csv(tmp_path / "v.csv", index=False)
    found = bf.compare(tmp_path / "v.csv", value="revenue", by="cut", replicates=20)
    assert isinstance(found.table, pa.Table)


def kinds_of_table(table):
    return {
        "pandas": table,
        "polars": pl.from_pandas(table),
        "pyarrow": pa.Table.from_pandas(table),
        "dict": {name: table[name].to_numpy() for name in table},
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "dict"])
def test_columns_may_be_given_as_arrays(kind):
    table = kinds_of_table(TABLE)[kind]
    run = {"replicates": 100, "seed": 7}
    wanted = bf.compare(table, value="revenue", by="variant", clusters="visits", **run)
    found = bf.compare(
        table, value=table["revenue"], by=table["variant"], clusters=table["visits"], **run
    )
    for name in ("group", "difference", "low", "high", "clusters"):
        assert list(found[name]) == list(wanted[name])
    made = np.minimum(np.asarray(table["revenue"]), 1.0)
    several = bf.compare(table, value=[made, "revenue"], by="variant", **run)
    assert [str(value) for value in several["value"]] == ["value"] * 2 + ["revenue"] * 2
    assert float(str(several["estimate"][0])) == pytest.approx(
        TABLE.revenue[TABLE.variant == "B"].clip(upper=1.0).mean()
    )


def test_arrays_are_taken_by_place_and_under_their_name():
    run = {"by": "variant", "replicates": 50}
    clipped = TABLE.revenue.clip(upper=1.0)
    found = bf.compare(TABLE, value=clipped.set_axis(range(300, 600)), **run)
    assert list(found["value"]) == ["revenue", "revenue"]
    wanted = bf.compare(TABLE.assign(revenue=clipped), value="revenue", **run)
    pd.testing.assert_frame_equal(pd.DataFrame(found), pd.DataFrame(wanted))
    several = bf.compare(TABLE, value=TABLE.columns[1:3], **run)  # still names
    assert list(several["value"]) == ["revenue"] * 2 + ["visits"] * 2
    with pytest.raises(ValueError, match="value is of type Series with 5 rows but must be the"):
        bf.compare(TABLE, value=TABLE.revenue[:5], **run)
    with pytest.raises(ValueError, match="value is of type DataFrame"):
        bf.compare(TABLE, value=TABLE[["revenue"]], **run)
    with pytest.raises(ValueError, match="value is a Series called 'revenue', and another arg"):
        bf.compare(TABLE, value=clipped, weights="revenue", **run)
    with pytest.raises(TypeError, match="in no table in memory; give the name of a column"):
        bf.compare(pl.from_pandas(TABLE).lazy(), value=TABLE.revenue, **run)


def test_a_function_without_value_gets_whole_rows(tmp_path):
    table = TABLE.assign(country=np.where(RNG.random(300) < 0.5, "DE", "AT"))
    table.to_parquet(tmp_path / "t.parquet")
    run = {"by": "variant", "replicates": 50, "seed": 7}

    def of_germany(rows):
        german = np.asarray(rows["country"]) == "DE"
        return float(np.asarray(rows["revenue"])[german].mean())

    groups = bf.bootstrap(table, of_germany, by="variant", replicates=50, seed=7)
    tables = kinds_of_table(table) | {
        "parquet": tmp_path / "t.parquet",
        "lazy": pl.from_pandas(table).lazy(),
    }
    for data in tables.values():
        found = bf.compare(data, statistic=of_germany, **run)
        for column in ("estimate", "estimate_low", "estimate_high"):
            wanted = [getattr(each, column.removeprefix("estimate_")) for each in groups]
            assert [float(str(v)) for v in found[column]] == pytest.approx(wanted[1:])
        assert [str(value) for value in found["value"]] == ["", ""]
    # Frames of numbers alone, without the columns that have another use.
    seen = set()

    def mean(rows):
        seen.add(tuple(rows.columns))
        return rows.revenue.mean()

    found = bf.compare(TABLE, statistic=mean, clusters="visits", **run)
    wanted = bf.compare(TABLE, value="revenue", statistic=np.mean, clusters="visits", **run)
    assert list(found["estimate"]) == pytest.approx(list(wanted["estimate"]))
    assert seen == {tuple(name for name in TABLE if name not in ("variant", "visits"))}
    lacking = table.copy()
    lacking.loc[4, "country"] = None
    with pytest.raises(ValueError, match="column country, row 4 is missing"):
        bf.compare(lacking, statistic=of_germany, **run)
    omitted = bf.compare(lacking, statistic=of_germany, nan="omit", **run)
    dropped = bf.compare(lacking.dropna(), statistic=of_germany, **run)
    pd.testing.assert_frame_equal(pd.DataFrame(omitted), pd.DataFrame(dropped))
    with pytest.raises(TypeError, match="name the column that the statistic 'of_germany' gets"):
        bf.compare(table, statistic=[of_germany, "mean(revenue)"], **run)
    with pytest.raises(ValueError, match="checkpoint is .* gets whole rows"):
        bf.compare(table, statistic=of_germany, checkpoint=tmp_path / "c", **run)


@pytest.mark.parametrize("given", [{"value": "color"}, {"value": "x", "covariate": "color"}])
def test_messages_name_options_of_compare(given):
    df = pd.DataFrame({"x": [1.0, 2, 3, 5], "color": list("abcd"), "g": list("aabb")})
    for table in (df, pl.from_pandas(df), pl.from_pandas(df).lazy(), pa.Table.from_pandas(df)):
        with pytest.raises(TypeError, match="'color' .*value= and covariate= take") as raised:
            bf.compare(table, by="g", **given)
        assert "columns=" not in str(raised.value)
    df.loc[1, "x"] = np.nan
    for told in ({"value": "x"}, {"statistic": lambda rows: rows["x"].mean()}):
        with pytest.raises(ValueError, match="nan='omit' leaves such rows out") as raised:
            bf.compare(df, by="g", **told)
        assert "propagate" not in str(raised.value)
        assert "columns=" not in str(raised.value)
