"""checkpoint=: runs that are interrupted go on, to the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bootfold as bf

ROWS = np.random.default_rng(1).lognormal(size=200_000)

PROGRAM = """
import sys
import numpy as np
import bootfold as bf

rows = np.random.default_rng(1).lognormal(size=200_000)
print("ready", flush=True)
bf.bootstrap(
    rows, "mean", replicates=400_000, seed=7, path="stream", threads=1, checkpoint=sys.argv[1]
)
"""


def interrupted(checkpoint: Path) -> str:
    """What a process says that is ended by Ctrl-C after a second."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, os.fspath(checkpoint)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    return said


def test_keyboard_interrupt_writes_a_checkpoint_and_the_same_call_goes_on(tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.checkpoint"
    assert "KeyboardInterrupt" in interrupted(checkpoint)
    assert checkpoint.exists()
    arguments = {"replicates": 20_000, "seed": 7, "path": "stream"}
    whole = bf.bootstrap(ROWS, "mean", **arguments)
    found = bf.bootstrap(ROWS, "mean", **arguments, checkpoint=checkpoint)
    np.testing.assert_array_equal(found.replicates, whole.replicates)
    assert list(tmp_path.iterdir()) == []


def test_another_run_is_refused_by_what_differs(tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.checkpoint"
    interrupted(checkpoint)
    with pytest.raises(ValueError, match="the seed was 7 and is 8"):
        bf.bootstrap(ROWS, "mean", seed=8, path="stream", checkpoint=checkpoint)
    with pytest.raises(ValueError, match="the data differ"):
        bf.bootstrap(ROWS + 1, "mean", seed=7, path="stream", checkpoint=checkpoint)
    assert checkpoint.exists()
    bytes_ = bytearray(checkpoint.read_bytes())
    bytes_[-3] ^= 1
    (tmp_path / "run.checkpoint.previous").write_bytes(checkpoint.read_bytes())
    checkpoint.write_bytes(bytes_)
    with pytest.warns(RuntimeWarning, match="its checksum is wrong, so it is damaged"):
        found = bf.bootstrap(
            ROWS, "mean", replicates=1000, seed=7, path="stream", checkpoint=checkpoint
        )
    whole = bf.bootstrap(ROWS, "mean", replicates=1000, seed=7, path="stream")
    np.testing.assert_array_equal(found.replicates, whole.replicates)


@pytest.mark.parametrize("replicates", [500, "auto"])
def test_nothing_is_left_and_nothing_changes(tmp_path: Path, replicates: int | str) -> None:
    checkpoint = tmp_path / "run.checkpoint"
    rows = ROWS[:300]
    ratio = bf.sums(lambda x: (x, x * x), lambda m: m[1] / m[0])
    for statistic in ["mean", "median", ["variance", "quantile:0.9"], ratio]:
        arguments = {"replicates": replicates, "precision": None, "seed": 3}
        if replicates == "auto":
            arguments["precision"] = 0.05
        whole = bf.bootstrap(rows, statistic, **arguments)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = bf.bootstrap(rows, statistic, **arguments, checkpoint=checkpoint)
        np.testing.assert_array_equal(found.replicates, whole.replicates)
        assert list(tmp_path.iterdir()) == []
        longer = found.extend(100)
        assert longer.replicates.shape[0] == whole.replicates.shape[0] + 100
        assert list(tmp_path.iterdir()) == []


def test_comparisons_take_a_checkpoint(tmp_path: Path) -> None:
    table = {"group": ["a", "b", "c"] * 100, "value": ROWS[:300]}
    whole = bf.compare(table, value="value", by="group", seed=2)
    found = bf.compare(table, value="value", by="group", seed=2, checkpoint=tmp_path / "c")
    assert found == whole
    assert list(tmp_path.iterdir()) == []


def test_estimators_take_a_checkpoint(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 3))
    y = X[:, 0] + rng.normal(size=100)
    arguments = {"members": 40, "epochs": 3, "random_state": 1}
    whole = bf.EnsembleRegressor(**arguments).fit(X, y)
    found = bf.EnsembleRegressor(**arguments, checkpoint=tmp_path / "c").fit(X, y)
    np.testing.assert_array_equal(found.predict(X), whole.predict(X))
    assert list(tmp_path.iterdir()) == []


def spread(x: np.ndarray) -> float:
    return float(x.max() - x[0])


def weighted_mean(x: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return (counts * x).sum(axis=1) / x.size


CALLS = {"total": 0, "most": 10**9}


def counted_spread(x: np.ndarray) -> float:
    CALLS["total"] += 1
    if CALLS["total"] > CALLS["most"]:
        raise KeyboardInterrupt
    return spread(x)


def counted_mean(x: np.ndarray, counts: np.ndarray) -> np.ndarray:
    CALLS["total"] += 1
    if CALLS["total"] > CALLS["most"]:
        raise KeyboardInterrupt
    return weighted_mean(x, counts)


@pytest.mark.parametrize("scheme", [None, "poisson", "balanced"])
def test_functions_of_the_resample_go_on(tmp_path: Path, scheme: str | None) -> None:
    checkpoint = tmp_path / "c"
    rows = ROWS[:5000]
    arguments = {"replicates": 1000, "seed": 7, "scheme": scheme}
    whole = bf.bootstrap(rows, spread, **arguments)
    CALLS.update(total=0, most=400)
    with pytest.raises(KeyboardInterrupt):
        bf.bootstrap(rows, counted_spread, **arguments, checkpoint=checkpoint)
    assert checkpoint.exists()
    CALLS.update(total=0, most=10**9)
    found = bf.bootstrap(rows, counted_spread, **arguments, checkpoint=checkpoint)
    assert 600 <= CALLS["total"] < 900
    np.testing.assert_array_equal(found.replicates, whole.replicates)
    assert found.estimate == whole.estimate
    assert list(tmp_path.iterdir()) == []


def test_batches_of_slow_functions_are_small(tmp_path: Path) -> None:
    """A batch would be 16,000 resamples, so that ten minutes would be lost."""

    def slow(x: np.ndarray) -> float:
        time.sleep(0.02)
        return counted_spread(x)

    checkpoint = tmp_path / "c"
    CALLS.update(total=0, most=60)
    with pytest.raises(KeyboardInterrupt):
        bf.bootstrap(ROWS[:16], slow, replicates=20_000, checkpoint=checkpoint)
    assert checkpoint.exists()
    CALLS.update(total=0, most=10**9)
    found = bf.bootstrap(ROWS[:16], slow, replicates=60, checkpoint=checkpoint)
    assert CALLS["total"] < 40
    whole = bf.bootstrap(ROWS[:16], spread, replicates=60)
    np.testing.assert_array_equal(found.replicates, whole.replicates)


@pytest.mark.parametrize("scheme", [None, "balanced"])
def test_functions_of_counts_go_on(tmp_path: Path, scheme: str | None) -> None:
    checkpoint = tmp_path / "c"
    rows = ROWS[:20_000]
    arguments = {"replicates": 1500, "seed": 7, "takes": "counts", "scheme": scheme}
    whole = bf.bootstrap(rows, weighted_mean, **arguments)
    CALLS.update(total=0, most=3)
    with pytest.raises(KeyboardInterrupt):
        bf.bootstrap(rows, counted_mean, **arguments, checkpoint=checkpoint)
    assert checkpoint.exists()
    CALLS.update(total=0, most=10**9)
    found = bf.bootstrap(rows, counted_mean, **arguments, checkpoint=checkpoint)
    np.testing.assert_array_equal(found.replicates, whole.replicates)
    assert list(tmp_path.iterdir()) == []


def test_another_function_is_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "c"

    def of(share: float) -> Any:
        def quantile(x: np.ndarray) -> float:
            return counted_spread(x) * share

        return quantile

    CALLS.update(total=0, most=3000)
    with pytest.raises(KeyboardInterrupt):
        bf.bootstrap(ROWS[:50], of(0.5), replicates=20_000, checkpoint=checkpoint)
    before = checkpoint.read_bytes()
    CALLS.update(total=0, most=10**9)
    with pytest.raises(ValueError, match=r"the function was .*quantile \(code [0-9a-f]{16}, Py"):
        bf.bootstrap(ROWS[:50], of(0.25), replicates=20_000, checkpoint=checkpoint)
    with pytest.raises(ValueError, match="the function was .* and is .*<lambda>"):
        bf.bootstrap(ROWS[:50], lambda x: x.max(), replicates=20_000, checkpoint=checkpoint)
    assert checkpoint.read_bytes() == before
    checkpoint.write_bytes(before[:-1] + b"x")
    (tmp_path / "c.previous").write_bytes(before)
    with pytest.warns(RuntimeWarning, match="its checksum is wrong"):
        bf.bootstrap(ROWS[:50], of(0.5), replicates=3000, checkpoint=checkpoint)


def test_tables_larger_than_memory_go_on(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": np.random.default_rng(1).normal(size=4_000_000)}), table)
    checkpoint = tmp_path / "c"
    arguments = {"columns": "x", "replicates": 2000, "seed": 7, "memory": "24M"}
    whole = bf.bootstrap(table, "mean", **arguments)
    stopped = threading.Event()

    def stop(done: float, total: float) -> None:
        if done > 0.6 * total and not stopped.is_set():
            stopped.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bf.bootstrap(table, "mean", **arguments, checkpoint=checkpoint, progress=stop)
    assert checkpoint.exists()
    with pytest.raises(ValueError, match="the seed was 7 and is 8"):
        bf.bootstrap(table, "mean", **(arguments | {"seed": 8}), checkpoint=checkpoint)
    found = bf.bootstrap(table, "mean", **arguments, checkpoint=checkpoint)
    np.testing.assert_array_equal(found.replicates, whole.replicates)
    assert list(tmp_path.iterdir()) == [table]


def test_what_cannot_be_stored_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a jackknife of a Python function"):
        bf.bootstrap(ROWS[:50], lambda x: x.max(), scheme="jackknife", checkpoint=tmp_path / "c")
    with pytest.raises(TypeError, match="checkpoint is b'x' but must be the name of a file"):
        bf.bootstrap(ROWS[:50], "mean", checkpoint=b"x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="No such file or directory"):
        bf.bootstrap(ROWS[:50], "mean", checkpoint=tmp_path / "missing" / "c")
