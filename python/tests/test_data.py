"""Data of every kind give the same bits as the same numbers in a NumPy array."""

import array
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bootfold as bf
from bootfold import _core

VALUES = np.random.default_rng(1).integers(-40, 40, size=300)


def replicates(data, statistic="mean", **arguments):
    return bf.bootstrap(data, statistic, replicates=200, seed=7, **arguments).replicates


@pytest.fixture(scope="module")
def expected():
    return replicates(VALUES.astype(float))


class Capsules:
    """Nothing but the Arrow C data interface."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self.array.__arrow_c_array__(requested_schema)


class DLPackOnly:
    """Nothing but DLPack."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **arguments):
        return self.values.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize(
    "make",
    [
        lambda v: v.tolist(),
        lambda v: array.array("d", v.tolist()),
        lambda v: memoryview(v.astype(float)),
        lambda v: pd.Series(v),
        lambda v: pd.Series(v, dtype="Int64"),
        lambda v: pd.Series(v, dtype="float32"),
        lambda v: pd.Series(v, dtype="int64[pyarrow]"),
        lambda v: pl.Series("v", v),
        lambda v: pl.concat([pl.Series(v[:100]), pl.Series(v[100:])], rechunk=False),
        lambda v: pa.array(v),
        lambda v: pa.array(v, type=pa.float32()),
        lambda v: pa.chunked_array([v[:7], v[7:250], v[250:]]),
        lambda v: pa.array(np.concatenate([[1, 2, 3], v]))[3:],
        lambda v: Capsules(pa.array(v, type=pa.int16())),
        lambda v: DLPackOnly(v.astype(np.float32)),
        lambda v: np.ma.masked_array(v, mask=False),
        lambda v: np.repeat(v, 3)[::3],
        lambda v: v[::-1].copy()[::-1],
        lambda v: v.astype(">f8"),
        lambda v: (v,),
    ],
    ids=lambda make: "",
)
def test_every_kind_of_column_gives_the_same_bits(make, expected):
    np.testing.assert_array_equal(replicates(make(VALUES)), expected)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "f4", "f8", "f2", "g"])
def test_every_number_type_gives_the_same_bits(dtype, expected):
    np.testing.assert_array_equal(replicates(VALUES.astype(dtype)), expected)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "?"])
def test_unsigned_numbers_and_truth_values_too(dtype):
    values = (VALUES > 0).astype(dtype)
    np.testing.assert_array_equal(replicates(values), replicates(values.astype(float)))


def test_arrow_packs_truth_values_into_bits():
    values = VALUES > 0
    np.testing.assert_array_equal(replicates(pa.array(values)), replicates(values))
    np.testing.assert_array_equal(replicates(pl.Series(values)), replicates(values))


TABLE = {"a": VALUES.astype(float), "b": VALUES[::-1] / 4}


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, pl.DataFrame, pa.table, lambda t: pa.RecordBatch.from_pydict(t)],
    ids=["pandas", "polars", "table", "batch"],
)
def test_tables_have_a_number_for_each_column_and_its_name(make):
    r = bf.bootstrap(make(TABLE), "mean", replicates=200, seed=7)
    plain = bf.bootstrap(np.column_stack(list(TABLE.values())), "mean", replicates=200, seed=7)
    assert r.outputs == ["mean(a)", "mean(b)"]
    assert r.estimate.shape == (2,)
    np.testing.assert_array_equal(r.replicates, plain.replicates)
    np.testing.assert_array_equal(
        replicates(make(TABLE), "correlation"),
        replicates((TABLE["a"], TABLE["b"]), "correlation", paired=True),
    )


def test_arrow_in_one_piece_is_not_copied():
    values = VALUES.astype(float)
    for data, start in ((pa.array(values), 0), (pa.array(values)[7:], 7), (pl.Series(values), 0)):
        table, _, ((column,),) = _core.arrow_columns(data)
        assert not table and not column.flags.writeable
        np.testing.assert_array_equal(column, values[start:])
    kept = pa.array(values)
    ((column,),) = _core.arrow_columns(kept)[2]
    assert column.ctypes.data == kept.buffers()[1].address


def test_nulls_are_nan():
    values = [1.5, None, 2.5, 4.0]
    for data in (pa.array(values), pl.Series(values), pd.Series(values, dtype="Float64")):
        with pytest.raises(ValueError, match="row 1 is nan"):
            bf.bootstrap(data, "mean", replicates=10)
        assert bf.bootstrap(data, "mean", replicates=10, nan="omit").estimate == 8 / 3


# The arrays have 16 and 32 MB, and a copy would raise the peak by at least that; what the run
# itself takes is below 8 MB. Measured in a process of its own.
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_contiguous_arrays_are_not_copied(dtype):
    program = f"""
import resource, numpy as np, bootfold as bf
bf.bootstrap(np.arange(1000.0), "mean", replicates=100, threads=1)
x = np.random.default_rng(1).normal(size=4_000_000).astype("{dtype}")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
bf.bootstrap(x, "mean", replicates=3, threads=1)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""
    grown = int(
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout
    )
    assert grown < 8e6


def test_data_sets_along_an_axis():
    data = np.random.default_rng(2).normal(size=(2, 50, 3))
    r = bf.bootstrap(data, "mean", axis=1, replicates=100, seed=7)
    assert r.estimate.shape == (2, 3)
    assert r.replicates.shape == (100, 2, 3)
    np.testing.assert_allclose(r.estimate, data.mean(axis=1))
    alone = bf.bootstrap(data[1, :, 2], "mean", replicates=100, seed=7)
    np.testing.assert_allclose(r.replicates[:, 1, 2], alone.replicates, rtol=1e-9)
    both = bf.bootstrap(data, ["mean", "median"], axis=1, replicates=100, seed=7)
    assert both.estimate.shape == (2, 2, 3)


def test_pairs_of_data_sets_along_an_axis():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(4, 60)), rng.normal(size=(4, 60))
    r = bf.bootstrap((x, y), "correlation", paired=True, axis=1, replicates=2000, seed=7)
    assert r.estimate.shape == (4,)
    alone = bf.bootstrap((x[2], y[2]), "correlation", paired=True, replicates=2000, seed=7)
    np.testing.assert_array_equal(r.replicates[:, 2], alone.replicates)
    assert r.interval("bca").low[2] == alone.interval("bca").low


class TestMisuse:
    def test_text(self):
        with pytest.raises(TypeError, match=r"text \('a' in row 0, 'b' in row 1\) but must be"):
            bf.bootstrap(["a", "b"], "mean")
        with pytest.raises(TypeError, match="column 'name'"):
            bf.bootstrap(pd.DataFrame({"name": ["x", "y"]}), "mean")
        with pytest.raises(TypeError, match="column 'name'"):
            bf.bootstrap(pl.DataFrame({"name": ["x", "y"]}), "mean")

    def test_objects(self):
        with pytest.raises(ValueError, match="row 1 is nan"):
            bf.bootstrap(np.array([1, None], dtype=object), "mean")
        with pytest.raises(TypeError, match="an object of type dict in row 1 but must be numbers"):
            bf.bootstrap(np.array([1, {}], dtype=object), "mean")

    def test_complex_numbers_and_dates(self):
        with pytest.raises(TypeError, match="complex128"):
            bf.bootstrap([1j, 2j], "mean")
        with pytest.raises(TypeError, match="datetime64"):
            bf.bootstrap(np.array(["2020-01-01"], dtype="datetime64[D]"), "mean")

    def test_ragged_lists(self):
        with pytest.raises(ValueError, match="equally long"):
            bf.bootstrap([[1, 2], [3]], "mean")

    def test_nothing(self):
        with pytest.raises(ValueError, match="no rows"):
            bf.bootstrap([], "mean")
        with pytest.raises(ValueError, match="empty tuple"):
            bf.bootstrap((), "mean")
        with pytest.raises(ValueError, match="single number"):
            bf.bootstrap(3.0, "mean")

    def test_lengths_that_differ_are_both_named(self):
        with pytest.raises(ValueError, match="sample 1 has 3 rows and sample 2 has 4"):
            bf.bootstrap(([1, 2, 3], [1, 2, 3, 4]), "correlation", paired=True)

    def test_too_many_axes(self):
        with pytest.raises(ValueError, match="3 axes"):
            bf.bootstrap(np.zeros((2, 2, 2)), "mean")
        with pytest.raises(ValueError, match="axis is 5"):
            bf.bootstrap(np.zeros((2, 2)), "mean", axis=5)

    def test_nan_says_where_and_what_to_do(self):
        with pytest.raises(ValueError, match=r"row 2 is nan.*nan='omit'"):
            bf.bootstrap([1, 2, np.nan], "mean")
        with pytest.raises(ValueError, match=r"row 2 is nan.*nan='omit'"):
            bf.bootstrap([1, 2, np.nan], lambda x: x.sum())
        with pytest.raises(ValueError, match="nan is 'drop'"):
            bf.bootstrap([1, 2], "mean", nan="drop")
        with pytest.raises(ValueError, match="every row has a NaN"):
            bf.bootstrap([np.nan], "mean", nan="omit")

    def test_infinities_are_refused(self):
        with pytest.raises(ValueError, match="row 1 is inf"):
            bf.bootstrap([1, np.inf], "mean")


class TestNan:
    def test_omit_leaves_rows_out_of_all_columns_and_labels(self):
        x = np.array([1.0, np.nan, 3, 4, 5, 6])
        y = np.array([2.0, 3, np.nan, 5, 1, 2])
        groups = np.array(list("ababab"))
        kept = [0, 3, 4, 5]
        np.testing.assert_array_equal(
            replicates((x, y), "ratio", paired=True, strata=groups, nan="omit"),
            replicates((x[kept], y[kept]), "ratio", paired=True, strata=groups[kept]),
        )

    def test_propagate_makes_what_sees_them_nan(self):
        table = np.column_stack([np.arange(5.0), [1, 2, np.nan, 4, 5]])
        r = bf.bootstrap(table, ["mean", "max"], replicates=50, nan="propagate")
        assert np.isnan(r.estimate[:, 1]).all() and np.isnan(r.replicates[:, :, 1]).all()
        np.testing.assert_array_equal(
            r.replicates[:, 0, 0],
            bf.bootstrap(table[:, 0], ["mean", "max"], replicates=50).replicates[:, 0],
        )
        with pytest.warns(bf.IntervalWarning, match="undefined"):
            r.interval()

    def test_propagate_hands_them_to_functions(self):
        x = [1.0, np.nan, 3.0, 4.0]
        r = bf.bootstrap(
            x,
            lambda v: np.nanmean(v) if (v == v).any() else 0.0,
            replicates=50,
            nan="propagate",
        )
        assert np.isfinite(r.replicates).all()
