"""checkpoint=: runs that are interrupted go on, to the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

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


def test_functions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="checkpoint is .* Python function"):
        bf.bootstrap(ROWS[:50], lambda x: x.max(), checkpoint=tmp_path / "c")
    with pytest.raises(TypeError, match="checkpoint is b'x' but must be the name of a file"):
        bf.bootstrap(ROWS[:50], "mean", checkpoint=b"x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="No such file or directory"):
        bf.bootstrap(ROWS[:50], "mean", checkpoint=tmp_path / "missing" / "c")
