"""What the tests of all engines share: rows in files, and what one process makes of them."""

import functools
import os
import signal
import time

import numpy as np
import pandas as pd
import pytest

import bootfold as bf

ROWS = 60_000
FILES = 6
OPTIONS = {"replicates": 400, "seed": 7}
#: Comparisons of the rows of `frame` that are made where the rows are.
COMPARISONS = [
    {"value": "x", "control": "control", "correction": "simultaneous"},
    {"value": "x", "statistic": "median", "alternative": "greater", "correction": "holm"},
    {"value": ["x", "y"], "statistic": "ratio", "difference": "relative", "interval": "basic"},
    {"value": "x", "strata": "few"},
    {"value": "y", "by": "few", "clusters": "user", "nan": "omit"},
]

#: Statistics that compute columns of the rows of `frame`.
EXPRESSIONS = [
    "mean(log(x)) / sd(y - x)",
    "median(x * 2)",
    "mean(if(group == 'control' and y > 1, x, 0))",
]


def same_values(found, expected):
    """The same bits of replicates and estimates."""
    return (
        found.replicates.shape == expected.replicates.shape
        and bool((found.replicates == expected.replicates).all())
        and np.array_equal(found.estimate, expected.estimate)
    )


def same(found, expected):
    """The same bits, and the same fingerprint."""
    return same_values(found, expected) and found.plan.fingerprint == expected.plan.fingerprint


def die_once(folder, name):
    """Kills the process of the caller by SIGKILL, unless this name has done so before."""
    path = os.path.join(folder, name)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def rows():
    """All rows: `x` and `y` are distinct numbers, `few` has five values, `group` is a label.

    Users have rows of one value of `few`.
    """
    random = np.random.default_rng(1)
    x = random.exponential(size=ROWS)
    return pd.DataFrame(
        {
            "x": x,
            "y": x + random.normal(size=ROWS),
            "few": (few := random.integers(0, 5, ROWS).astype(float)),
            "user": 1_000 * few + np.arange(ROWS) % 700,
            "group": np.where(np.arange(ROWS) % 3 == 0, "control", "treated"),
        }
    )


@pytest.fixture(scope="session")
def frame():
    return rows()


@pytest.fixture(scope="session")
def folder(frame, tmp_path_factory):
    """The same in Parquet files of different lengths, in the order of their names."""
    path = tmp_path_factory.mktemp("rows")
    cuts = [0, 1, 20_000, 20_500, 41_000, 59_000, ROWS]
    for number in range(FILES):
        part = frame.iloc[cuts[number] : cuts[number + 1]]
        part.to_parquet(path / f"{number}.parquet", index=False)
    return path


@pytest.fixture(scope="session")
def whole(frame):
    """whole(statistic, columns): the result of one process."""

    def make(statistic, columns, **options):
        return bf.bootstrap(frame, statistic, columns=columns, **{**OPTIONS, **options})

    return make


def check_comparisons(table, frame, monkeypatch):
    """Comparisons of a table are those of the same rows in memory, to the bit."""
    monkeypatch.setattr("bootfold._compare.local_table", None)  # rows are not gathered
    for given in COMPARISONS:
        options = {"by": "group", **OPTIONS, **given}
        found, expected = bf.compare(table, **options), bf.compare(frame, **options)
        pd.testing.assert_frame_equal(found, expected, check_exact=True)


def check_expressions(table, frame):
    """Statistics and columns that are expressions are those of the rows in memory, to the bit."""
    for statistic in EXPRESSIONS:
        found = bf.bootstrap(table, statistic, **OPTIONS)
        assert same(found, bf.bootstrap(frame, statistic, **OPTIONS)), statistic
    for given in ({"statistic": "mean", "columns": "log(x)"}, {"statistic": EXPRESSIONS[0]}):
        split = bf.bootstrap(table, split="replicates", interval="bca", **given, **OPTIONS)
        assert same_values(split, bf.bootstrap(frame, **given, **OPTIONS)), given
        found = bf.bootstrap(table, **given, **OPTIONS)
        assert same(found, bf.bootstrap(frame, **given, **OPTIONS)), given
    for given in (
        {"statistic": EXPRESSIONS[0]},
        {"value": "log(x)"},
        {"value": "log(x)", "test": "permutation", "replicates": 50},
    ):
        options = {"by": "group", **OPTIONS, **given}
        found, expected = bf.compare(table, **options), bf.compare(frame, **options)
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
    with pytest.raises(ValueError, match="no column 'z'") as caught:
        bf.bootstrap(table, "mean(log(z))", **OPTIONS)
    assert str(caught.value).endswith("\n  mean(log(z))\n           ^")
    with pytest.raises(ValueError, match=r"'mean' is beside an expression.*write mean\(COLUMN\)"):
        bf.bootstrap(table, ["mean", "sum(y)"], columns="x", **OPTIONS)


def share_of(rows, argument, share):
    """A task that tells what it may use: threads, and bytes of memory."""
    return share.threads, share.memory


def counted(folder, task, rows, argument, share):
    """A task that leaves a file when it ends; one after the fifth kills its process first."""
    if len(os.listdir(folder)) >= 5 and "dead" not in os.listdir(folder):
        time.sleep(3)  # what has ended before is taken from this worker meanwhile
        die_once(folder, "dead")
    found = task(rows, argument, share)
    open(os.path.join(folder, f"{argument[0]}-{time.monotonic_ns()}"), "w").close()
    return found


def check_lost_members(folder, engine, monkeypatch):
    """Members that were trained when a worker was killed are not trained again."""
    from bootfold import _trained

    X = np.random.default_rng(3).normal(size=(300, 4))
    model = bf.EnsembleRegressor(members=16, hidden=(8,), epochs=5)
    expected = model.fit(X, X[:, 0]).predict(X)
    monkeypatch.setattr(_trained, "_TASK_MEMBERS", 1)
    task = functools.partial(counted, str(folder), _trained._members)
    monkeypatch.setattr(_trained, "_members", task)
    assert np.array_equal(model.fit(X, X[:, 0], engine=engine).predict(X), expected)
    ended = [name.partition("-")[0] for name in os.listdir(folder) if name != "dead"]
    assert "dead" in os.listdir(folder)
    assert len(set(ended)) == 16, "a task for each member"
    return ended
