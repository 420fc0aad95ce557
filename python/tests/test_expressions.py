"""Statistics as expressions of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bootfold as bf

RNG = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {
        "price": np.exp(RNG.normal(7, 1, 400)),
        "carat": RNG.uniform(0.2, 3, 400),
        "cut": RNG.choice(["Ideal", "Good"], 400),
        "unit price": RNG.integers(1, 9, 400),
    }
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("gm = exp(mean(log(price)))", np.exp(np.log(FRAME.price).mean())),
        ("sum(price) / sum(carat)", FRAME.price.sum() / FRAME.carat.sum()),
        ("mean(cut == 'Ideal')", (FRAME.cut == "Ideal").mean()),
        ("sd(price) / mean(price)", FRAME.price.std() / FRAME.price.mean()),
        ("quantile(price, 0.9) / median(price)", FRAME.price.quantile(0.9) / FRAME.price.median()),
        ("median(`unit price` * carat)", (FRAME["unit price"] * FRAME.carat).median()),
        ("p90(price) - mean(carat)", FRAME.price.quantile(0.9) - FRAME.carat.mean()),
    ],
)
@pytest.mark.parametrize(
    "kind",
    [lambda x: x, pl.from_pandas, pa.Table.from_pandas, lambda x: x.to_dict("series")],
    ids=["pandas", "polars", "pyarrow", "dict"],
)
def test_any_table_gives_the_same_result(kind: Any, text: str, value: float) -> None:
    found = bf.bootstrap(kind(FRAME), text, replicates=200, seed=1)
    assert found.estimate == pytest.approx(value, rel=1e-12)
    assert np.array_equal(
        found.replicates, bf.bootstrap(FRAME, text, replicates=200, seed=1).replicates
    )


def test_an_expression_has_the_bits_of_the_name() -> None:
    for name, text in (("mean", "mean(price)"), ("median", "median(price)"), ("std", "sd(price)")):
        one = bf.bootstrap(FRAME, text, replicates=300, seed=2)
        other = bf.bootstrap(FRAME["price"], name, replicates=300, seed=2)
        assert np.array_equal(one.replicates, other.replicates)


def test_names_beside_expressions_are_of_columns() -> None:
    found = bf.bootstrap(FRAME, ["mean", "sum(price) / sum(carat)"], columns="price", replicates=50)
    assert found.estimate == pytest.approx(
        [FRAME.price.mean(), FRAME.price.sum() / FRAME.carat.sum()]
    )
    with pytest.raises(ValueError, match=r"'mean' has no column.*columns="):
        bf.bootstrap(FRAME, ["mean", "mean(carat)"])


def test_missing_values_follow_nan() -> None:
    frame = FRAME.assign(price=FRAME.price.where(FRAME.index % 10 > 0))
    with pytest.raises(ValueError, match="nan='omit'"):
        bf.bootstrap(frame, "mean(log(price))")
    found = bf.bootstrap(frame, "mean(log(price))", nan="omit", replicates=50)
    assert found.estimate == pytest.approx(np.log(frame.price.dropna()).mean())
    filled = bf.bootstrap(frame, "mean(if(missing(price), 0, price))", replicates=50)
    assert filled.estimate == pytest.approx(frame.price.fillna(0).mean())


def test_groups_and_comparisons_take_expressions() -> None:
    table = bf.bootstrap(FRAME, "sd(price) / mean(price)", by="cut", replicates=50).to_frame()
    wanted = FRAME.groupby("cut").price.agg(lambda x: x.std() / x.mean())
    assert table["estimate"].tolist() == pytest.approx(wanted.tolist())
    compared = bf.compare(
        FRAME, by="cut", control="Good", statistic="sum(price) / sum(carat)", replicates=50
    )
    ratio = FRAME.groupby("cut").apply(
        lambda x: x.price.sum() / x.carat.sum(), include_groups=False
    )
    assert compared["difference"][0] == pytest.approx(ratio["Ideal"] - ratio["Good"])
    both = bf.compare(
        FRAME,
        value="carat",
        by="cut",
        statistic=["mean", "p90(price)", np.ptp],
        replicates=50,
    )
    assert both["value"].tolist() == ["carat", "price", "carat"]
    with pytest.raises(TypeError, match="value is missing"):
        bf.compare(FRAME, by="cut", statistic="mean")


def test_a_series_with_a_name_is_a_table_of_one_column() -> None:
    wanted = bf.bootstrap(FRAME, "mean(price > 500)", replicates=50).replicates
    for series in (FRAME["price"], pl.from_pandas(FRAME)["price"]):
        found = bf.bootstrap(series, "mean(price > 500)", replicates=50).replicates
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ValueError, match="there is no column 'carat'; the columns are price"):
        bf.bootstrap(FRAME["price"], "mean(carat)")
    with pytest.raises(TypeError, match="a Series with a name"):
        bf.bootstrap(FRAME["price"].rename(None), "mean(price)")


def test_text_that_is_used_as_numbers_is_marked() -> None:
    tables = (FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME), FRAME.to_dict("list"))
    for table in tables:
        for by in (None, "price"):
            with pytest.raises(TypeError, match="column 'cut' is text") as caught:
                bf.bootstrap(table, "sum(price) / mean(cut)", by=by)
            assert str(caught.value).endswith("\n  sum(price) / mean(cut)\n                    ^~~")
        with pytest.raises(TypeError, match=r"\n  mean\(cut\)\n       \^~~$"):
            bf.compare(table, statistic="mean(cut)", by="price")


def test_mistakes_are_marked() -> None:
    with pytest.raises(ValueError, match="no column 'prise'; did you mean 'price'") as caught:
        bf.bootstrap(FRAME, "mean(log(prise))")
    assert str(caught.value).endswith("\n  mean(log(prise))\n           ^~~~~")
    with pytest.raises(ValueError, match="no function 'meen'; did you mean 'mean'"):
        bf.bootstrap(FRAME, "meen(price)")
    with pytest.raises(TypeError, match="the data are no table"):
        bf.bootstrap(np.arange(5.0), "mean(price)")


def test_columns_may_be_called_by_numbers() -> None:
    frame = pd.DataFrame({0: [1.0, 2.0, 3.0], 1: [2.0, 3.0, 4.0]})
    found = bf.bootstrap(frame, "mean(`0`) / mean(`1`)", replicates=50)
    assert found.estimate == pytest.approx(2 / 3)


def test_exact_distributions_of_several_expressions() -> None:
    frame = pd.DataFrame({"a": [0.0, 1.0, 1.0], "b": [3.0, 5.0, 4.0]})
    found = bf.bootstrap(frame, ["mean(a)", "median(b)"], replicates="exact")
    alone = bf.bootstrap(frame.b, "median", replicates="exact")
    assert found.outputs == ["mean(a)", "median(b)"]
    assert found.standard_error[1] == alone.standard_error


def test_files_have_columns_of_expressions(tmp_path: Any) -> None:
    path = tmp_path / "x.parquet"
    FRAME.to_parquet(path)
    found = bf.bootstrap(str(path), "sum(price) / sum(carat)", replicates=50)
    assert found.estimate == pytest.approx(FRAME.price.sum() / FRAME.carat.sum())
    found = bf.bootstrap(str(path), "mean(log(price))", replicates=50)
    assert found.estimate == pytest.approx(np.log(FRAME.price).mean())


HOURS = np.datetime64("2013-01-29", "s") + np.arange(200) * np.timedelta64(3600, "s")


def dates(unit: str) -> Any:
    return HOURS.astype(f"datetime64[{unit}]")


TIMES = {
    "pandas": pd.DataFrame({"at": HOURS}),
    "polars": pl.DataFrame({"at": HOURS.astype("datetime64[us]")}),
    "pyarrow": pa.table({"at": HOURS}),
    "dictionary": pa.table({"at": pa.array(HOURS).dictionary_encode()}),
    "hours": {"at": dates("h")},
    "minutes": {"at": dates("m")},
    "categories": pd.DataFrame({"at": pd.Series(HOURS).astype("category")}),
    "arrow in pandas": pd.DataFrame({"at": pd.Series(HOURS).astype("timestamp[us][pyarrow]")}),
    "periods": pd.DataFrame({"at": pd.PeriodIndex(HOURS, freq="h")}),
    "objects": {"at": dates("us").astype(object)},
}


# The first moment of a day may be written in any way that ISO 8601 has for it.
@pytest.mark.parametrize("kind", TIMES)
def test_dates_are_compared_in_the_order_of_time(kind: str) -> None:
    day = np.datetime64("2013-02-01")
    for text in ("2013-02-01", "2013-02-01 00:00", "2013-02-01 00:00:00", "2013-02-01T00:00:00.0"):
        found = bf.bootstrap(
            TIMES[kind],
            [f"sum(at {sign} '{text}')" for sign in ("==", "<", "<=", ">", ">=", "!=")],
            replicates=2,
        )
        later, same = int((day < HOURS).sum()), int((day == HOURS).sum())
        rest = len(HOURS) - later - same
        assert found.estimate.tolist() == [same, rest, rest + same, later, later + same, 199]
    among = "sum(at in ('2013-02-01T05:00', '2013-01-30T00:00'))"
    found = bf.bootstrap(TIMES[kind], among, replicates=2)
    assert found.estimate == 2


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"])
def test_dates_of_any_unit_are_compared(unit: str) -> None:
    days = np.datetime64("2012-12-20", "D") + np.arange(60)
    at = days.astype(f"datetime64[{unit}]")
    expected = (at >= np.datetime64("2013-01-01")).sum()
    for table in ({"at": at}, {"at": at.astype(object)} if unit in "Ds" else {"at": at}):
        found = bf.bootstrap(table, "sum(at >= '2013-01-01')", replicates=2)
        assert found.estimate == expected > 0


def test_periods_are_their_first_day() -> None:
    frame = pd.DataFrame({"day": pd.period_range("2024-01-01", periods=20, freq="D")})
    assert bf.bootstrap(frame, "sum(day >= '2024-01-11')", replicates=2).estimate == 10
    months = pd.DataFrame({"month": pd.period_range("2024-01", periods=20, freq="M")})
    assert bf.bootstrap(months, "sum(month < '2025-01-01')", replicates=2).estimate == 12


@pytest.mark.parametrize("text", ["01.02.2013", "2013-02", "2013-02-30", "2013-02-01 7", "soon"])
def test_what_a_date_is_compared_with_must_be_one(text: str) -> None:
    for frame in (TIMES["pandas"], TIMES["pyarrow"], TIMES["polars"].lazy()):
        with pytest.raises(ValueError, match="column 'at' is of dates, which") as caught:
            bf.bootstrap(frame, f"mean(at >= '{text}')", replicates=2)
        assert f"statistic is 'mean(at >= '{text}')' but" in str(caught.value)
        assert "'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'" in str(caught.value)


def test_times_and_durations_say_what_they_are() -> None:
    spans = pd.DataFrame({"took": pd.to_timedelta(np.arange(9), unit="h")})
    with pytest.raises(ValueError, match=r"column 'took' is of type timedelta64.*total_seconds"):
        bf.bootstrap(spans, "mean(took > '5')", replicates=2)
    times = pl.DataFrame({"at": pl.Series([0, 1], dtype=pl.Int64).cast(pl.Time)})
    with pytest.raises(ValueError, match="column 'at' is of type time, which is not compared"):
        bf.bootstrap(times, "mean(at > '05:00')", replicates=2)


# The columns of lazy frames and files are computed later, and the mark is where it was typed.
def test_marks_are_in_the_statistic_for_tables_of_any_kind(tmp_path: Any) -> None:
    FRAME.to_csv(tmp_path / "d.csv", index=False)
    FRAME.to_parquet(tmp_path / "d.parquet")
    lazy = pl.from_pandas(FRAME).lazy()
    for table in (FRAME, lazy, tmp_path / "d.csv", tmp_path / "d.parquet"):
        with pytest.raises(ValueError, match=r"statistic is 'mean\(log\(prize\)\)' but") as caught:
            bf.bootstrap(table, "mean(log(prize))", replicates=2)
        assert "did you mean 'price'?" in str(caught.value)
        assert "  mean(log(prize))\n           ^~~~~" in str(caught.value)
    for table in (FRAME, lazy, tmp_path / "d.parquet"):
        with pytest.raises(ValueError, match=r"statistic is 'mean\(cut \* 2\)' but"):
            bf.bootstrap(table, "mean(cut * 2)", replicates=2)


def test_missing_values_are_not_told_as_logarithms_of_negative_numbers():
    df = pd.DataFrame({"price": [3.0, None, 5.0]})
    for table in (df, pl.from_pandas(df), {"price": df.price.to_numpy()}):
        with pytest.raises(ValueError, match=r"row 1 is missing or undefined .*nan='omit'"):
            bf.bootstrap(table, "mean(log(price))", replicates=10)


def test_names_that_the_caller_gave_are_the_titles():
    rng = np.random.default_rng(4)
    df = pd.DataFrame(
        {"price": rng.gamma(2.0, size=60), "carat": 1 + rng.random(60), "cut": list("abc") * 20}
    )
    ratio = "gm = exp(mean(log(price)))/mean(carat)"
    for data in (df, pl.from_pandas(df), pa.Table.from_pandas(df)):
        found = bf.bootstrap(data, ratio, replicates=200)
        assert repr(found).startswith("bootfold.Result: gm\n")
    assert found.to_frame(package="pandas")[["statistic", "value"]].values.tolist() == [["gm", ""]]
    two = bf.bootstrap(df, [ratio, "mean(price)"], replicates=200).to_frame()
    assert two[["statistic", "value"]].values.tolist() == [["gm", ""], ["mean(price)", "price"]]
    groups = bf.bootstrap(df, ratio, by="cut", replicates=200)
    assert repr(groups).startswith("gm by cut\n")
    assert set(groups.to_frame()["value"]) == {""}
    compared = bf.compare(df, statistic=ratio, by="cut", replicates=200)
    assert compared[["statistic", "value"]].values.tolist() == [["gm", ""]] * 2
    assert compared.plot().to_dict()["title"].startswith("gm, difference from a")


def test_expressions_keep_their_names_with_weights():
    rng = np.random.default_rng(4)
    df = pd.DataFrame({"x": rng.gamma(2.0, size=60), "w": 1 + rng.random(60), "g": list("ab") * 30})
    for statistic, name in {
        "gm = exp(mean(log(x)))": "gm",
        "quantile(x, 0.9)/mean(x)": "quantile(x, 0.9)/mean(x)",
    }.items():
        found = bf.bootstrap(df, statistic, weights="w", replicates=200)
        assert found.outputs == [name]
        assert found.plan.weights
        text = repr(found)
        assert text.startswith(f"bootfold.Result: {name}\n")
        assert "rows, seed 0, weighted" in text
        grouped = repr(bf.bootstrap(df, statistic, weights="w", by="g", replicates=200))
        assert grouped.startswith(f"{name} by g, weighted\n")
    assert bf.bootstrap(df, "mean", columns="x", weights="w").outputs == ["weighted_mean"]
