"""Groups against a control: the numbers of the program, in the kind of table given."""

import json
import os
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
        (pa.Table.from_pandas, pa.Table),
        (lambda t: {k: list(v) for k, v in t.items()}, dict),
    ],
)
def test_the_table_is_of_the_kind_given(make, kind):
    found = bf.compare(make(TABLE), value="revenue", by="variant", replicates=500, seed=7)
    expected = bf.compare(TABLE, value="revenue", by="variant", replicates=500, seed=7)
    assert isinstance(found, kind)
    lows = found["low"].to_pylist() if kind is pa.Table else list(found["low"])
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
    with pytest.raises(ValueError, match="row 4 is nan"):
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
        ({"statistic": lambda x: x.mean()}, TypeError, "one that has a name"),
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
