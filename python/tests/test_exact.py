"""replicates="exact": the exact bootstrap distribution."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import subprocess

import numpy as np
import pytest

import bootfold as bf

X = np.array([10, 12, 12.5, 12.5, 13.9, 15, 21, 22, 23, 34, 50, 81, 89, 121, 134, 213])


def enumerated(values, statistic):
    return np.array([statistic(draw) for draw in itertools.product(values, repeat=len(values))])


def test_numbers_are_those_of_all_resamples():
    values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0]
    known = {"mean": np.mean, "median": np.median, "standard_deviation": np.std}
    for name, function in known.items():
        everything = enumerated(values, lambda draw, f=function: f(draw, **ddof(name)))
        r = bf.bootstrap(values, name, replicates="exact")
        assert r.estimate == pytest.approx(function(values, **ddof(name)))
        assert r.standard_error == pytest.approx(everything.std(), rel=1e-9)
        assert r.bias == pytest.approx(everything.mean() - r.estimate, abs=1e-12)
        middle = np.sort(everything)[len(everything) // 3]
        share = np.mean(everything <= middle + 1e-9)
        assert r.cdf(middle + 1e-9) == pytest.approx(share, abs=1e-9)
        assert r.standard_error_error == r.bias_error == 0


def ddof(name):
    return {"ddof": 1} if name == "standard_deviation" else {}


def test_agrees_with_the_program():
    program = os.environ["BOOTFOLD_PROGRAM"]
    rows = "x\n" + "\n".join(map(str, X)) + "\n"
    for method in ("percentile", "basic", "normal", "bca"):
        command = [program, "bootstrap", "-", "--replicates", "exact", "--interval", method]
        done = subprocess.run([*command, "--json"], input=rows, capture_output=True, text=True)
        found = json.loads(done.stdout)
        r = bf.bootstrap(X, "mean", replicates="exact", interval=method)
        assert r.estimate == found["estimate"]
        assert r.standard_error == found["standard_error"]
        assert tuple(r.interval()) == (found["interval"]["low"], found["interval"]["high"])
        assert r.plan.methods == [found["plan"]["method"]]


def test_has_the_shape_of_a_result():
    table = np.random.default_rng(1).normal(size=(30, 3))
    drawn = bf.bootstrap(table, ["mean", "median"], replicates=1000)
    exact = bf.bootstrap(table, ["mean", "median"], replicates="exact")
    assert isinstance(exact, bf.Result)
    assert exact.outputs == drawn.outputs
    np.testing.assert_array_equal(exact.estimate, drawn.estimate)
    assert exact.standard_error.shape == drawn.standard_error.shape == (2, 3)
    np.testing.assert_allclose(exact.standard_error, drawn.standard_error, rtol=0.2)
    low, high = exact.interval("bca", confidence=0.9)
    assert low.shape == (2, 3)
    assert np.all(low < high)


def test_data_sets_along_an_axis():
    pair = (np.arange(12.0).reshape(2, 6) ** 2, np.arange(12.0).reshape(2, 6) + 1)
    exact = bf.bootstrap(pair, "ratio", paired=True, axis=1, replicates="exact")
    assert exact.outputs == ["ratio(1, 2)[0]", "ratio(1, 2)[1]"]
    for k in range(2):
        alone = bf.bootstrap((pair[0][k], pair[1][k]), "ratio", paired=True, replicates="exact")
        assert exact.estimate[k] == alone.estimate
        assert exact.standard_error[k] == alone.standard_error
        assert exact.interval("bca").low[k] == alone.interval("bca").low


def test_explains_itself():
    plan = bf.explain(X, "mean", replicates="exact")
    assert isinstance(plan, bf.ExactPlan)
    assert plan.path == "exact"
    assert plan.methods == ["lattice"]
    assert "multiples of 0.1" in plan.reason
    assert "16 rows" in str(plan)
    assert plan == bf.bootstrap(X, "mean", replicates="exact").plan
    assert "standard error 14.2" in repr(bf.bootstrap(X, "mean", replicates="exact"))


def test_steps_of_any_size_are_found():
    fahrenheit = np.arange(200) ** 2 % 83 + 20.0
    whole = bf.bootstrap(fahrenheit, "mean", replicates="exact")
    for step, offset in ((5 / 9, -160 / 9), (1 / 3, 0.0), (0.01 / 7, 0.0), (0.1, 1e6)):
        r = bf.bootstrap(offset + fahrenheit * step, "mean", replicates="exact")
        assert r.plan.methods == ["lattice"]
        expected = [offset + step * limit for limit in whole.interval("bca")]
        assert list(r.interval("bca")) == pytest.approx(expected, rel=1e-12)
    thirds = (fahrenheit / 3).astype(np.float32)
    assert bf.bootstrap(thirds, "mean", replicates="exact").plan.methods == ["lattice"]


def test_lumpy_data_are_refused_before_the_work():
    lumpy = np.append(np.sqrt(np.arange(1.0, 20.0)), 1e7)
    for function in (bf.explain, bf.bootstrap):
        with pytest.raises(ValueError, match="20 rows .* at most 1e-06; .*replicates=1000000"):
            function(lumpy, "mean", replicates="exact")


def test_what_needs_replicates_is_refused():
    r = bf.bootstrap(X, "mean", replicates="exact")
    for action in (lambda: r.replicates, lambda: r.extend(10), lambda: r.save("x"), r.plot):
        with pytest.raises(ValueError, match="makes no replicates"):
            action()
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(r)
    with pytest.raises(ValueError, match="replicates='exact' has normal, basic, percentile"):
        r.interval("studentized")
    with pytest.raises(ValueError, match="plain iid bootstrap"):
        bf.bootstrap(X, "mean", replicates="exact", scheme="balanced")
    with pytest.raises(ValueError, match="plain iid bootstrap"):
        bf.bootstrap(X, "mean", replicates="exact", size=5)
    with pytest.raises(ValueError, match="only named statistics"):
        bf.bootstrap(X, lambda x: x.mean(), replicates="exact")
    with pytest.raises(ValueError, match="path is 'stream'"):
        bf.bootstrap(X, "mean", replicates="exact", path="stream")
    with pytest.raises(ValueError, match="precision is 0.1"):
        bf.bootstrap(X, "mean", replicates="exact", precision=0.1)
    with pytest.raises(ValueError, match="draw replicates instead: replicates=1000000"):
        bf.bootstrap(np.random.default_rng(1).normal(size=50), "skewness", replicates="exact")
    with pytest.raises(ValueError, match="influence of each row"):
        bf.bootstrap([2.0, 2.0, 2.0], "mean", replicates="exact").interval("bca")
