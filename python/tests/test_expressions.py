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
