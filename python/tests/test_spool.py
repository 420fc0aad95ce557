"""Rows that exceed the memory limit are read from temporary files, which do not stay."""

import gc
import os
import subprocess
import sys
import tempfile

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bootfold as bf
from bootfold._spool import Spool, spool_bytes
from bootfold._table_read import Limits, Wanted, in_memory
from bootfold._table_source import table_source

ROWS = 2_500_000
X = np.random.default_rng(1).normal(size=ROWS)
N = np.random.default_rng(2).integers(0, 1000, size=ROWS).astype(np.int32)
GROUP = np.arange(ROWS) % 7
LIMIT = "16M"
RUN = {"replicates": 3, "seed": 7, "memory": LIMIT}


def tables():
    for first in range(0, ROWS, 300_000):
        rows = slice(first, first + 300_000)
        yield pa.table({"x": X[rows], "n": N[rows], "group": GROUP[rows]})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def same(found, expected):
    np.testing.assert_array_equal(found.replicates, expected.replicates)
    assert found.plan.fingerprint == expected.plan.fingerprint


def mapped(folder):
    """Files of a folder that this process maps, though they have no name there."""
    with open("/proc/self/maps") as maps:
        return [line for line in maps if str(folder) in line and "(deleted)" in line]


def reader():
    return pa.RecordBatchReader.from_batches(
        next(tables()).schema, (batch for table in tables() for batch in table.to_batches())
    )


def lazy():
    return pl.concat(map(pl.from_arrow, tables())).lazy()


@pytest.mark.parametrize("make", [tables, reader, lazy])
def test_has_the_bits_of_rows_in_memory(folder, make):
    with pytest.warns(bf.SpoolWarning, match="exceeds the memory limit of 16 MiB") as told:
        found = bf.bootstrap(make(), "mean", columns="x", **RUN)
    assert str(folder) in str(told[0].message) and told[0].filename == __file__
    assert len(told) == 1
    same(found, bf.bootstrap(X, "mean", **RUN))
    assert os.listdir(folder) == [] and mapped(folder)
    del found
    gc.collect()
    assert not mapped(folder)


def test_labels_and_weights(folder):
    roles = {"strata": "group", "weights": "n"}
    run = RUN | {"memory": "34M"}
    with pytest.warns(bf.SpoolWarning):
        found = bf.bootstrap(tables(), "mean", columns="x", **roles, **run)
    same(found, bf.bootstrap(X, "mean", strata=GROUP, weights=N, **run))
    with pytest.warns(bf.SpoolWarning):
        table = bf.compare(tables(), value="x", by="group", replicates=2, memory=LIMIT)
    expected = bf.compare({"x": X, "g": GROUP}, value="x", by="g", replicates=2, memory=LIMIT)
    assert table == expected


def test_files_that_are_known_to_be_larger(folder):
    pq.write_table(pa.concat_tables(tables()), folder / "t.parquet")
    with pytest.warns(bf.SpoolWarning, match=r"t\.parquet exceeds"):
        found = bf.bootstrap(folder / "t.parquet", "mean", columns="x", interval="bca", **RUN)
    same(found, bf.bootstrap(X, "mean", **RUN))
    assert os.listdir(folder) == ["t.parquet"]


def test_rows_within_the_limit_are_not_written(folder, recwarn):
    bf.bootstrap(tables(), "mean", columns="n", replicates=2)
    assert not [w for w in recwarn if w.category is bf.SpoolWarning]


@pytest.mark.parametrize("spool", [0, 10_000_000, "10M"])
def test_the_bound(folder, spool):
    message = r"fit neither the memory limit nor the .* free\); give more by spool= or memory="
    with pytest.warns(bf.SpoolWarning), pytest.raises(ValueError, match=message):
        bf.bootstrap(tables(), "mean", columns="x", spool=spool, **RUN)
    gc.collect()
    assert os.listdir(folder) == [] and not mapped(folder)


@pytest.mark.parametrize("spool", [-1, "many", 1.5, True])
def test_bad_bounds(spool):
    with pytest.raises((TypeError, ValueError), match=r"spool|many"):
        spool_bytes(spool)


def test_nothing_stays_after_an_error(folder):
    def broken():
        yield from tables()
        raise RuntimeError("the disk is gone")

    with pytest.warns(bf.SpoolWarning), pytest.raises(RuntimeError, match="the disk is gone"):
        bf.bootstrap(broken(), "mean", columns="x", **RUN)
    gc.collect()
    assert os.listdir(folder) == [] and not mapped(folder)


def test_nulls_in_a_later_batch_change_the_type():
    """As in a column in memory: integers become doubles, of which NaN is one."""
    pieces = [pa.table({"n": N[:1000]})] * 3 + [pa.table({"n": pa.array([5, None], pa.int32())})]
    with pytest.warns(bf.SpoolWarning):
        held = in_memory(table_source(iter(pieces)), Wanted(["n"]), Limits(5000))
    found = held.numbers["n"]
    assert found.dtype == np.float64 and held.rows == 3002
    expected = np.concatenate([N[:1000]] * 3 + [[5, np.nan]])
    np.testing.assert_array_equal(found, expected)
    inside = in_memory(table_source(iter(pieces)), Wanted(["n"]), Limits(10**9)).numbers["n"]
    np.testing.assert_array_equal(np.asarray(inside), expected)
    assert inside.dtype == np.float64


def test_large_integers_are_not_rounded():
    large = np.array([2**62 + 1, 2**62 + 3])
    with pytest.warns(bf.SpoolWarning):
        held = in_memory(table_source(iter([large, large])), Wanted([""]), Limits(8))
    assert held.numbers[""].tolist() == [*large.tolist()] * 2


def test_a_full_disk(folder, monkeypatch):
    spool = Spool(10**9)
    column = spool.column(np.dtype(float))
    full = open("/dev/full", "wb", buffering=0)  # noqa: SIM115
    column._file.close()
    monkeypatch.setattr(column, "_file", full)
    with pytest.raises(OSError, match="No space left on device; name another folder"):
        column.append(X[:10])
    full.close()


# 400 MB of doubles, of which at most 64 MB may be in memory: mapped pages count as well, but the
# kernel may drop them, and so the anonymous memory is what is looked at.
def test_memory_is_bounded():
    program = """
import numpy as np, re, warnings, bootfold as bf
def anonymous():
    return int(re.search(r"RssAnon:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
warnings.simplefilter("ignore")
bf.bootstrap(np.arange(1000.0), "mean", replicates=100, threads=1)
before, most = anonymous(), 0
def pieces():
    global most
    for piece in range(50):
        yield np.random.default_rng(piece).normal(size=1_000_000)
        most = max(most, anonymous())
r = bf.bootstrap(pieces(), "mean", replicates=1, threads=1, memory="64M")
assert r.plan.rows == 50_000_000
print(max(most, anonymous()) - before)
"""
    grown = int(
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout
    )
    assert grown < 100e6
