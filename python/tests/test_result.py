"""What a result tells."""

import copy
import math
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bootfold as bf

X = np.random.default_rng(4).gamma(2.0, size=400)


@pytest.fixture
def r():
    return bf.bootstrap(X, "mean", replicates=2000, seed=7)


@pytest.fixture
def several():
    return bf.bootstrap(X, ["mean", "median"], replicates=2000, seed=7)


def test_numbers_follow_from_the_replicates(r):
    assert r.standard_error == pytest.approx(r.replicates.std(ddof=1))
    assert r.bias == pytest.approx(r.replicates.mean() - r.estimate, abs=1e-12)
    assert r.bias_error == pytest.approx(r.standard_error / math.sqrt(2000))
    assert 0.5 < r.standard_error_error / (r.standard_error / math.sqrt(4000)) < 2
    assert r.undefined == 0
    assert isinstance(r.estimate, float)


def test_intervals(r):
    low, high = r.interval("percentile", confidence=0.9)
    np.testing.assert_allclose([low, high], np.quantile(r.replicates, [0.05, 0.95]))
    low, high = r.interval("basic", confidence=0.9)
    expected = 2 * r.estimate - np.quantile(r.replicates, [0.95, 0.05])
    np.testing.assert_allclose([low, high], expected)
    for method in ("normal", "bca", "studentized", "abc"):
        interval = r.interval(method)
        assert interval.low < r.estimate < interval.high
        assert interval.low_error >= 0 and interval.method == method
        assert r.estimate in interval and 1e9 not in interval
    upper = r.interval("percentile", alternative="less")
    assert upper.low == -math.inf and upper.high < high + 1
    assert "percentile, 0.95, less" in repr(upper)


def test_studentized_intervals_keep_the_replicates(r):
    before = r.replicates.copy()
    r.interval("studentized")
    np.testing.assert_array_equal(r.replicates, before)


def test_studentized_intervals_of_another_path_keep_the_result():
    r = bf.bootstrap(X, "median", replicates=100, seed=7)
    before = r.replicates.copy(), r.standard_error, r.plan.path, r.plan.fingerprint
    studentized = r.interval("studentized")
    np.testing.assert_array_equal(r.replicates, before[0])
    assert (r.standard_error, r.plan.path, r.plan.fingerprint) == before[1:]
    alone = bf.bootstrap(X, "median", replicates=100, seed=7, interval="studentized")
    assert alone.plan.path != r.plan.path
    assert alone.interval() == studentized == r.interval("studentized")
    assert r.extend(10).plan.fingerprint == before[3]


def test_intervals_of_several_values_are_arrays(several):
    interval = several.interval("bca")
    assert interval.low.shape == (2,)
    assert (interval.low < several.estimate).all()


def test_few_replicates_warn():
    few = bf.bootstrap(X, "mean", replicates=20, seed=7)
    with pytest.warns(bf.IntervalWarning, match="outermost"):
        assert few.interval().status == "extreme"


def test_extend_has_the_bits_of_one_long_run(r):
    whole = bf.bootstrap(X, "mean", replicates=5000, seed=7)
    longer = r.extend(3000)
    np.testing.assert_array_equal(longer.replicates, whole.replicates)
    assert longer.plan.replicates == 5000 and r.replicates.shape == (2000,)
    assert longer.interval("bca").low == whole.interval("bca").low
    written = bf.bootstrap(X, np.ptp, replicates=300, seed=7).extend(500)
    np.testing.assert_array_equal(
        written.replicates, bf.bootstrap(X, np.ptp, replicates=800, seed=7).replicates
    )


def test_extend_refuses_data_that_changed():
    for statistic in ("mean", np.ptp):
        x = X.copy()
        result = bf.bootstrap(x, statistic, replicates=100, seed=7)
        x[3] += 1
        with pytest.raises(ValueError, match="different runs .*fingerprints"):
            result.extend(100)


def test_a_plan_knows_its_replicates(r):
    assert r.plan.first_replicate == 0 and r.plan.replicates == 2000
    assert r.plan.fingerprint == bf.bootstrap(X, "mean", replicates=3, seed=7).plan.fingerprint
    assert r.plan.fingerprint != bf.bootstrap(X, "mean", replicates=3, seed=8).plan.fingerprint
    assert r.plan.fingerprint == bf.explain(X, "mean", replicates=3, seed=7).fingerprint


def test_save_and_load(tmp_path, several):
    path = tmp_path / "run.safetensors"
    several.save(path)
    again = bf.load(path)
    np.testing.assert_array_equal(again.replicates, several.replicates)
    np.testing.assert_array_equal(again.interval("bca").low, several.interval("bca").low)
    assert again.outputs == several.outputs
    with pytest.raises(ValueError, match="needs the data"):
        again.extend(10)
    with pytest.raises(ValueError, match="studentized needs the data"):
        again.interval("studentized")
    (tmp_path / "other").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="other"):
        bf.load(tmp_path / "other")


def test_the_file_is_plain_safetensors(tmp_path, r):
    from safetensors.numpy import load_file

    r.save(tmp_path / "run.safetensors")
    arrays = load_file(tmp_path / "run.safetensors")
    np.testing.assert_array_equal(arrays["replicates"].ravel(), r.replicates)


def test_pickles(r):
    assert copy.deepcopy(r) is r
    again = pickle.loads(pickle.dumps(r))
    np.testing.assert_array_equal(again.replicates, r.replicates)
    assert again.interval("bca") == r.interval("bca")
    sets = bf.bootstrap(np.stack([X, X]), "mean", axis=1, replicates=100)
    assert pickle.loads(pickle.dumps(sets)).estimate.shape == (2,)


def test_replicates_live_longer_than_the_result(r):
    replicates = r.replicates
    address = replicates.__array_interface__["data"][0]
    assert r.replicates.__array_interface__["data"][0] == address
    assert not replicates.flags.writeable
    del r
    assert np.isfinite(replicates).all()


def test_numbers_of_any_size_have_one_notation():
    for scale in (1e-15, 1e-12, 1e-3, 1.0, 1e4, 1e5, 1e12, 1e20):
        text = repr(bf.bootstrap(np.arange(40) * scale + scale / 2, "mean", replicates=200))
        values = "\n".join(line[29:] for line in text.splitlines()[1:-1])
        numbers = re.findall(r"-?\d[\d.,]*(?:e[+-]\d+)?", values)
        assert len(numbers) >= 6
        assert len({"e" in number for number in numbers}) == 1, text
        assert not any("," in number or re.search(r"\d{8}$", number) for number in numbers), text


def test_undefined_expressions_say_why():
    found = bf.bootstrap(pd.DataFrame({"a": [1.0, 2.0], "b": [4.0, 4.0]}), "1 / (mean(b) - 4)")
    assert "undefined: a division by 0: mean(b) - 4 is 0" in repr(found)
    fine = bf.bootstrap(pd.DataFrame({"a": [1.0, 2.0]}), "1 / mean(a)")
    assert "undefined" not in repr(fine)


def test_repr_is_for_people(r, several):
    text = repr(r)
    assert text.startswith("bootfold.Result: mean\n")
    assert re.search(r"standard error +\d\.\d+ \+- \d\.\d+\n", text) and text.isascii()
    assert "standard error" in text and "2,000 replicates of 400 rows, seed 7" in text
    assert "median" in repr(several)
    page = r._repr_html_()
    assert "<table>" in page and "<svg" in page and "mean" in page


def test_the_plan_explains_itself(r):
    assert r.plan.path in ("gather", "stream")
    assert "rows x 2,000 replicates" in str(r.plan)
    assert bf.explain(X, "median", replicates=10**6).path == "order"
    assert "batches" in bf.bootstrap(X, np.ptp, replicates=10).plan.reason


@pytest.mark.parametrize(
    ("ending", "start"),
    [("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!DOCTYPE html>"), ("json", b"{")],
)
def test_pictures_are_written_without_network(tmp_path, r, ending, start):
    path = tmp_path / f"picture.{ending}"
    chart = r.plot(path)
    assert path.read_bytes().lstrip().startswith(start)
    assert "https://cdn" not in path.read_text(errors="ignore")
    assert chart.to_dict()["layer"]


def test_pictures_of_several_values(several, tmp_path):
    assert len(several.plot().to_dict()["vconcat"]) == 2
    with pytest.raises(ValueError, match=r"must end with \.png"):
        several.plot(tmp_path / "picture.bmp")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "bcaa"}, ValueError, "did you mean 'bca'"),
        ({"confidence": 1.5}, ValueError, "confidence is 1.5"),
        ({"alternative": "both"}, ValueError, "alternative"),
    ],
)
def test_misuse(r, arguments, error, message):
    with pytest.raises(error, match=message):
        r.interval(**arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seed": "7"}, TypeError, "seed is '7'"),
        ({"seed": 1.5}, TypeError, "seed is 1.5"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"seed": 2**64}, ValueError, "2\\*\\*64 - 1"),
        ({"replicates": 0}, ValueError, "replicates is 0"),
        ({"replicates": 1.5}, ValueError, "replicates is 1.5"),
        ({"replicates": "many"}, ValueError, "replicates is 'many'"),
        ({"threads": -1}, ValueError, "threads is -1"),
        ({"memory": "lots"}, ValueError, "memory is 'lots'"),
        ({"memory": "1kB"}, ValueError, "memory is"),
        ({"replicates": 10**15}, ValueError, "ask for fewer"),
    ],
)
def test_options_that_cannot_be(arguments, error, message):
    with pytest.raises(error, match=message):
        bf.bootstrap(X, "mean", **arguments)


def test_seeds_of_every_kind():
    def first(seed):
        return bf.bootstrap(X, "mean", replicates=10, seed=seed).replicates[0]

    assert first(np.int64(7)) == first(7)
    assert first(np.random.default_rng(1)) == first(np.random.default_rng(1))
    assert first(np.random.SeedSequence(1)) == first(np.random.SeedSequence(1))
    assert first(None) != first(None)
    assert bf.bootstrap(X, "mean", replicates=1e2).replicates.shape == (100,)


# Importing the package imports NumPy and the standard library, and no more.
def test_importing_is_light():
    program = "import sys, bootfold; print([m for m in ('pandas', 'polars', 'pyarrow', 'scipy', "
    program += "'sklearn', 'altair', 'tqdm', 'numba') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert found.stdout.strip() == b"[]"


def test_a_result_is_a_tidy_table():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"price": random.random(40), "volume": random.random(40)})
    r = bf.bootstrap(frame, ["mean", "correlation"], replicates=200, seed=1)
    table = r.to_frame()
    assert table["statistic"].tolist() == ["mean", "mean", "correlation"]
    assert table["value"].tolist() == ["price", "volume", "price, volume"]
    assert table["estimate"].tolist() == r.estimate.tolist()
    assert table["low"].tolist() == r.interval().low.tolist()
    assert bf.bootstrap([1.0, 2.0], "mean", replicates=200).to_frame("polars")["value"][0] == ""
    for statistic in ("mean", lambda x: float(np.mean(x)), bf.sums(lambda x: (x,), lambda m: m[0])):
        one = bf.bootstrap(frame["price"], statistic, replicates=200).to_frame("pyarrow")
        assert one["value"].to_pylist() == ["price"]
        arrow = pa.Table.from_pandas(frame)
        two = bf.bootstrap(arrow, statistic, columns="price", replicates=200).to_frame()
        assert two["value"].tolist() == ["price"]


def test_the_title_names_the_column(tmp_path):
    """As the shell does: mean of delay."""
    series = pd.Series(np.arange(20.0), name="delay")
    frame = series.to_frame()
    frame.to_parquet(tmp_path / "x.parquet")
    for data, columns in (
        (series, None),
        (frame, None),
        (frame.assign(other=1.0), "delay"),
        (pl.Series("delay", series), None),
        (pl.from_pandas(frame), None),
        (pa.table({"delay": series}), "delay"),
        (tmp_path / "x.parquet", "delay"),
    ):
        r = bf.bootstrap(data, "mean", columns=columns, replicates=200)
        assert repr(r).startswith("bootfold.Result: mean of delay\n")
        assert r.outputs == ["mean"]
        assert repr(pickle.loads(pickle.dumps(r))) == repr(r)
        assert "mean of delay" in r._repr_html_()
    larger = pd.DataFrame({"delay": np.arange(2e6)})
    larger.to_parquet(tmp_path / "larger.parquet", row_group_size=100_000)
    of_file = tmp_path / "larger.parquet"
    r = bf.bootstrap(of_file, "mean", columns="delay", replicates=200, memory="14MiB")
    assert repr(r).startswith("bootfold.Result: mean of delay\n")
    assert "mean of delay: 9.5" in repr(bf.bootstrap(series, "mean", replicates="exact"))
    lines = repr(bf.bootstrap(series, ["mean", "median"], replicates=200)).splitlines()
    assert [line.split("  ")[1] for line in lines[2:4]] == ["mean of delay", "median of delay"]
    assert repr(bf.bootstrap(series, np.ptp, replicates=200)).startswith(
        "bootfold.Result: ptp of delay\n"
    )
    unnamed = repr(bf.bootstrap(series.to_numpy(), "mean", replicates=200))
    assert unnamed.startswith("bootfold.Result: mean\n")


def test_a_table_of_values_has_one_number_of_decimals():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    scores = pd.DataFrame(
        {"y": y, "a": y + 0.5 * rng.normal(size=300), "b": y + 3 * rng.normal(size=300)}
    )
    lines = repr(bf.bootstrap(scores, "roc_auc", replicates=200, seed=1)).splitlines()[2:-1]
    numbers = [re.findall(r"-?\d+\.(\d+)", line) for line in lines]
    assert len({tuple(map(len, line)) for line in numbers}) == 1


def test_numbers_have_the_digits_of_the_program(tmp_path):
    path = tmp_path / "x.csv"
    rows = 3000 + 900 * np.random.default_rng(0).normal(size=500)
    np.savetxt(path, rows, header="price", comments="", fmt="%.17g")
    command = [os.environ["BOOTFOLD_PROGRAM"], "bootstrap", str(path), "--quiet"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = repr(bf.bootstrap(path, "mean(price)"))
    assert re.search(r"estimate +(\S+)", found)[1] == re.search(r"estimate +(\S+)", printed)[1]
    assert "," not in found.split("replicates")[0].removesuffix("10,000 ")
