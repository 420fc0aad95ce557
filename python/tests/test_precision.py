"""replicates="auto", and intervals that a call asks for."""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest

import bootfold as bf

X = np.random.default_rng(5).exponential(size=200)


def by_the_program(*arguments):
    command = [os.environ["BOOTFOLD_PROGRAM"], "bootstrap", "-", "--json", *arguments]
    rows = "x\n" + "\n".join(map(repr, X.tolist())) + "\n"
    done = subprocess.run(command, input=rows, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("method", ["percentile", "bca", "normal", "studentized", "abc"])
def test_makes_as_many_as_the_program(method):
    found = by_the_program(
        *("--replicates", "auto", "--precision", "0.05", "--interval", method, "--seed", "3")
    )
    r = bf.bootstrap(X, "mean", replicates="auto", precision=0.05, interval=method, seed=3)
    assert r.plan.replicates == found["replicates"]
    assert tuple(r.interval()) == (found["interval"]["low"], found["interval"]["high"])


@pytest.mark.parametrize(
    "statistic",
    ["mean", lambda x: x.mean(), bf.sums(lambda x: (x,), lambda means: means[0])],
    ids=["named", "function", "sums"],
)
def test_reaches_the_precision_with_the_bits_of_one_run(statistic):
    r = bf.bootstrap(X, statistic, replicates="auto", precision=0.04, confidence=0.99, seed=2)
    interval = r.interval()
    assert interval.confidence == 0.99
    assert max(interval.low_error, interval.high_error) <= 0.04 * r.standard_error
    whole = bf.bootstrap(X, statistic, replicates=r.plan.replicates, seed=2)
    np.testing.assert_array_equal(r.replicates, whole.replicates)


def test_data_sets_along_an_axis():
    pair = (X.reshape(2, 100), X.reshape(2, 100) + 1)
    r = bf.bootstrap(pair, "ratio", paired=True, axis=1, replicates="auto", precision=0.1)
    assert r.estimate.shape == (2,)
    assert np.all(r.interval().low_error <= 0.1 * r.standard_error)


def test_explains_the_first_round():
    plan = bf.explain(X, "mean", replicates="auto", precision=0.01)
    assert plan.replicates == 71360  # 0.025 * 0.975 / phi(1.96)^2 / 0.01^2
    assert plan.memory_limit >= 64 << 20
    assert "allowed" in str(plan)


def test_what_cannot_be_extended_is_refused():
    with pytest.raises(ValueError, match=r"balanced.*replicates='auto'"):
        bf.bootstrap(X, "mean", replicates="auto", scheme="balanced")
    with pytest.raises(ValueError, match=r"jackknife.*replicates='auto'"):
        bf.bootstrap(X, "mean", replicates="auto", scheme="jackknife")
    with pytest.raises(ValueError, match="precision is 2 but"):
        bf.bootstrap(X, "mean", replicates="auto", precision=2)
    with pytest.raises(ValueError, match="it is for replicates='auto'"):
        bf.bootstrap(X, "mean", replicates=100, precision=0.1)


def test_threads_are_at_least_1():
    with pytest.raises(ValueError, match="threads is 0 but must be at least 1"):
        bf.bootstrap(X, "mean", threads=0)


def test_errors_of_functions_reach_the_caller():
    calls = []

    def fails(x):
        calls.append(1)
        if len(calls) > 5000:
            raise ArithmeticError("too many")
        return x.mean()

    with pytest.raises(ArithmeticError, match="too many"):
        bf.bootstrap(X, fails, replicates="auto", precision=0.01)


def test_an_interval_that_was_asked_for_needs_no_data_later(tmp_path):
    for method in ("bca", "studentized", "abc"):
        r = bf.bootstrap(X, "mean", replicates=500, interval=method, confidence=0.8)
        assert r.interval().method == method
        assert r.interval() == r.interval(method, 0.8, "two-sided")
        assert f"80% interval ({method})" in repr(r)
        r.save(tmp_path / "run.safetensors")
        assert bf.load(tmp_path / "run.safetensors").interval(method, 0.8) == r.interval()
        assert r.extend(100).interval().method == method


def test_nested_replicates():
    found = by_the_program(
        *("--replicates", "300", "--interval", "studentized", "--nested-replicates", "20"),
        *("--statistic", "trimmed_mean:0.1", "--seed", "3"),
    )
    r = bf.bootstrap(
        X,
        "trimmed_mean:0.1",
        replicates=300,
        interval="studentized",
        nested_replicates=20,
        seed=3,
    )
    assert tuple(r.interval()) == (found["interval"]["low"], found["interval"]["high"])
    other = bf.bootstrap(X, "trimmed_mean:0.1", replicates=300, nested_replicates=30, seed=3)
    assert other.interval("studentized").low != r.interval().low
    with pytest.raises(ValueError, match="nested_replicates is 1 but must be at least 2"):
        bf.bootstrap(X, "mean", nested_replicates=1)


def test_path_tolerance_convention_and_strict():
    assert bf.bootstrap(X, "mean", replicates=100, path="gather").plan.path == "gather"
    with pytest.raises(ValueError, match="fast"):
        bf.bootstrap(X, "mean", path="fast")
    assert bf.explain(X, "mean", tolerance=1e-3).sum_error <= 1e-3
    with pytest.raises(ValueError, match="tolerance is 0 but must be above 0"):
        bf.explain(X, "mean", tolerance=0)
    r = bf.bootstrap(X, "mean", replicates=999, interval="bca")
    found = by_the_program(*("--replicates", "999", "--interval", "bca", "--convention", "r"))
    assert r.interval(convention="r").low == found["interval"]["low"]
    few = bf.bootstrap(X, "mean", replicates=20)
    with pytest.raises(ValueError, match="strict"):
        few.interval(strict=True)


def test_compare_to_a_precision():
    table = {"v": np.tile(["a", "b"], 100), "x": X}
    found = bf.compare(table, value="x", by="v", replicates="auto", precision=0.1)
    drawn = bf.compare(table, value="x", by="v", replicates=5000)
    assert found["difference"] == drawn["difference"]
    assert found["low"] != drawn["low"]
    with pytest.raises(ValueError, match="is not available"):
        bf.compare(table, value="x", by="v", replicates="exact")
    weighted = bf.compare({**table, "w": X}, value="x", by="v", replicates=500, weights="w")
    assert weighted["standard_error"] != drawn["standard_error"]


def test_memory_in_any_unit():
    for memory in ("64M", "64MB", "64 MiB", "1GiB", "0.5G", 10**8, "1e8", "100_000kB"):
        r = bf.explain(X, "mean", memory=memory)
        expected = {
            "64M": 64 << 20,
            "64MB": 64_000_000,
            "64 MiB": 64 << 20,
            "1GiB": 1 << 30,
            "0.5G": 1 << 29,
        }.get(memory, 10**8)
        assert r.memory_limit == expected
    for memory in ("", "M", "-1M", "12Q", "0"):
        with pytest.raises(ValueError, match="256M, 64KiB"):
            bf.explain(X, "mean", memory=memory)


def test_messages_speak_python():
    table = {"v": ["a", "a", "b"], "x": [1.0, 2.0, 3.0]}
    with pytest.raises(ValueError, match=r"groups=\['NAME'\]"):
        bf.compare(table, value="x", by="v")
