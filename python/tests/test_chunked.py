"""Arrow columns in several chunks: the bits of one piece, and no copy."""

import gc
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import bootfold as bf
from bootfold import _core

X = np.random.default_rng(1).normal(size=9000)
Y = np.random.default_rng(2).normal(size=9000)


def pieces(values, ends):
    return pa.chunked_array(np.split(values, ends))


def as_table(make):
    """Two columns that are cut at different rows, with an empty chunk in one of them."""
    return pa.table({"x": pieces(make(X), [1, 4000, 4000]), "y": pieces(make(Y), [700, 8999])})


def as_polars(make):
    x, y = make(X), make(Y)
    rows = [slice(first, first + 1000) for first in range(0, 9000, 1000)]
    frame = pl.concat([pl.DataFrame({"x": x[r], "y": y[r]}) for r in rows], rechunk=False)
    assert frame.n_chunks() == 9
    return frame


def as_reader(make):
    table = as_table(make)
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches())


KINDS = {"table": as_table, "polars": as_polars, "reader": as_reader}


def same(found, expected):
    np.testing.assert_array_equal(found.estimate, expected.estimate)
    np.testing.assert_array_equal(found.replicates, expected.replicates)
    assert found.plan.fingerprint == expected.plan.fingerprint


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
@pytest.mark.parametrize(
    "statistic", ["mean", "median", "trimmed_mean:0.1", "correlation", "regression"]
)
def test_has_the_bits_of_one_piece(kind, dtype, statistic):
    def make(values):
        return (values * 100).astype(dtype)

    one = pa.table({"x": make(X), "y": make(Y)})
    arguments = {"replicates": 20, "seed": 7}
    same(
        bf.bootstrap(KINDS[kind](make), statistic, **arguments),
        bf.bootstrap(one, statistic, **arguments),
    )


def test_columns_and_their_weights_and_groups():
    x = pieces(X, [10, 5000])
    arguments = {"replicates": 50, "seed": 7}
    for more in (
        {"weights": np.abs(Y)},
        {"frequencies": np.arange(9000) % 3},
        {"strata": np.arange(9000) % 5},
        {"scheme": "moving", "block_length": 20},
    ):
        same(
            bf.bootstrap(x, "mean", **more, **arguments),
            bf.bootstrap(X, "mean", **more, **arguments),
        )
    table = pa.table({"x": x, "group": pa.array(np.where(Y > 0, "a", "b"))})
    plain = pa.table({"x": X, "group": pa.array(np.where(Y > 0, "a", "b"))})
    found, expected = (bf.compare(t, value="x", by="group", **arguments) for t in (table, plain))
    assert found.equals(expected)


def test_functions_see_one_array():
    arguments = {"replicates": 20, "seed": 7}
    x, y = pieces(X, [10, 5000]), pieces(Y, [3000])
    for function in (lambda v: v.std(), lambda v, axis: v.std(axis=axis)):
        same(bf.bootstrap(x, function, **arguments), bf.bootstrap(X, function, **arguments))
    for paired in (True, False):
        same(
            bf.bootstrap((x, y), lambda a, b: a.mean() - b.max(), paired=paired, **arguments),
            bf.bootstrap((X, Y), lambda a, b: a.mean() - b.max(), paired=paired, **arguments),
        )
    variation = bf.sums(lambda v: (v, v * v), lambda m: m[1] - m[0] ** 2)
    same(bf.bootstrap(x, variation, **arguments), bf.bootstrap(X, variation, **arguments))

    def weighted(v, counts):
        return counts @ v

    same(
        bf.bootstrap(Chunks(x), weighted, takes="counts", **arguments),
        bf.bootstrap(X, weighted, takes="counts", **arguments),
    )


class Chunks:
    """Nothing but the Arrow C stream interface."""

    def __init__(self, values):
        self.values = values

    def __arrow_c_stream__(self, requested_schema=None):
        return self.values.__arrow_c_stream__(requested_schema)


def test_chunks_are_used_where_they_lie():
    column = pieces(X, [10, 10, 5000])
    (arrays,) = _core.arrow_columns(column)[2]
    full = [chunk for chunk in column.chunks if len(chunk) > 0]
    assert [a.ctypes.data for a in arrays] == [
        chunk.buffers()[1].address + 8 * chunk.offset for chunk in full
    ]


def test_only_chunks_of_doubles_with_nulls_are_copied():
    column = pa.chunked_array([[1.0, 2.0], [3.0, None], [5.0]])
    (arrays,) = _core.arrow_columns(column)[2]
    addresses = [chunk.buffers()[1].address for chunk in column.chunks]
    assert [a.ctypes.data == b for a, b in zip(arrays, addresses, strict=True)] == [
        True,
        False,
        True,
    ]
    # An integer cannot be NaN, so that such a column becomes one of doubles.
    ((array,),) = _core.arrow_columns(pa.chunked_array([[1, 2], [3, None]]))[2]
    np.testing.assert_array_equal(array, [1, 2, 3, np.nan])


@pytest.mark.parametrize("type", [pa.float64(), pa.float32(), pa.int32(), pa.bool_()])
def test_nulls_in_chunks_are_nan(type):
    column = pa.chunked_array(
        [pa.array([1, 0, 1]).cast(type), pa.array([None, 1, 0, None], pa.int64()).cast(type)]
    )
    assert column.num_chunks == 2
    for statistic in ("mean", lambda v: v.mean()):
        with pytest.raises(ValueError, match="row 3 is nan"):
            bf.bootstrap(column, statistic, replicates=10)
        found = bf.bootstrap(column, statistic, replicates=10, nan="omit", seed=7)
        same(found, bf.bootstrap([1.0, 0, 1, 1, 0], statistic, replicates=10, seed=7))
    assert np.isnan(bf.bootstrap(column, "mean", replicates=10, nan="propagate").estimate)


def test_nan_behind_the_first_chunk():
    x = X.copy()
    x[8000] = np.nan
    column = pieces(x, [10, 5000])
    with pytest.raises(ValueError, match="row 8000 is nan"):
        bf.bootstrap(column, "mean", replicates=10)
    with pytest.raises(ValueError, match="row 8000 is nan"):
        bf.bootstrap(column, np.ptp, replicates=10)
    table = pa.table({"x": column, "y": pieces(Y, [6000])})
    kept = np.delete(np.column_stack([X, Y]), 8000, axis=0)
    arguments = {"replicates": 20, "seed": 7}
    same(
        bf.bootstrap(table, "regression", nan="omit", **arguments),
        bf.bootstrap(pa.table({"x": kept[:, 0], "y": kept[:, 1]}), "regression", **arguments),
    )


def test_the_arrays_live_as_long_as_the_result():
    column = pa.chunked_array([X[:10].tolist(), X[10:5000].tolist(), X[5000:].tolist()])
    held = pa.total_allocated_bytes()
    result = bf.bootstrap(column, "mean", replicates=2000, seed=7)
    expected = bf.bootstrap(X, "mean", replicates=4000, seed=7)
    del column
    gc.collect()
    assert pa.total_allocated_bytes() >= held
    extended = result.extend(2000)
    same(extended, expected)
    assert extended.interval("bca").low == expected.interval("bca").low
    del result, extended
    gc.collect()
    assert pa.total_allocated_bytes() <= held - X.nbytes


def test_no_rows_at_all():
    for chunks in ([], [[], []]):
        with pytest.raises(ValueError, match="no rows"):
            bf.bootstrap(pa.chunked_array(chunks, pa.float64()), "mean")


# The table has 80 MB, and a copy would raise the peak by as much (by 79 MB before chunks were read
# where they lie, by 3 MB since); the run itself may take 16 MB. Measured in a process of its own.
def test_a_table_in_chunks_is_not_copied():
    program = """
import resource, numpy as np, pyarrow as pa, bootfold as bf
bf.bootstrap(pa.table({"x": np.arange(1000.0)}), "mean", replicates=100, threads=1)
rng = np.random.default_rng(1)
table = pa.table({"x": pa.chunked_array([rng.normal(size=1_000_000) for _ in range(10)])})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
bf.bootstrap(table, "mean", replicates=3, threads=1, memory="16M")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""
    grown = int(
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout
    )
    assert grown < 20e6
