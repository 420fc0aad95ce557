"""Collections of Dask, in threads and on a small cluster; tests/engines has the rest."""

import numpy as np
import pandas as pd
import pytest

import bootfold as bf

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

X = np.random.default_rng(1).exponential(size=20_000)
FRAME = pd.DataFrame({"x": X, "y": X + np.sin(np.arange(20_000))})
OPTIONS = {"replicates": 200, "seed": 7}


def same(found, expected):
    return np.array_equal(found.replicates, expected.replicates) and np.array_equal(
        found.estimate, expected.estimate
    )


@pytest.fixture(autouse=True)
def threads():
    with dask.config.set(scheduler="threads"):
        yield


@pytest.mark.parametrize("chunks", [20_000, 3_000, (1, 0, 12_345, 0, 7_654)])
@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_array(statistic, chunks):
    data = da.from_array(X, chunks=(chunks,) if isinstance(chunks, tuple) else chunks)
    expected = bf.bootstrap(X, statistic, **OPTIONS)
    assert same(bf.bootstrap(data, statistic, **OPTIONS), expected)


def test_table_with_unknown_lengths():
    data = dd.from_pandas(FRAME, npartitions=4)
    expected = bf.bootstrap(FRAME[FRAME.x > 1], "correlation", **OPTIONS)
    assert same(bf.bootstrap(data[data.x > 1], "correlation", **OPTIONS), expected)


def test_shape_of_the_estimate_is_that_of_memory():
    wide = X.reshape(-1, 4)
    for statistic in ("mean", ["mean", "sum"]):
        for values, given in ((wide, {}), (wide, {"axis": 0}), (wide[:, :1], {}), (wide[:, 0], {})):
            expected = bf.bootstrap(values, statistic, **given, **OPTIONS)
            found = bf.bootstrap(da.from_array(values, chunks=1_000), statistic, **given, **OPTIONS)
            assert np.shape(found.estimate) == np.shape(expected.estimate)
            assert same(found, expected)


def test_replicates_in_tasks():
    data = dd.from_pandas(FRAME, npartitions=3)
    given = {"columns": "x", "scheme": "moving", "block_length": 30, **OPTIONS}
    expected = bf.bootstrap(FRAME, "mean", **given)
    assert same(bf.bootstrap(data, "mean", split="replicates", **given), expected)


def test_cluster_of_two_processes(tmp_path):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        data = da.from_array(X, chunks=1_500)
        found = bf.bootstrap(data, "mean", engine=client, **OPTIONS)
        assert same(found, bf.bootstrap(X, "mean", **OPTIONS))
        found = bf.bootstrap(X, np.ptp, engine=client, split="replicates", **OPTIONS)
        assert same(found, bf.bootstrap(X, np.ptp, **OPTIONS))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"statistic": np.ptp}, TypeError, "which needs all rows of a resample.*'replicates'"),
        ({"weights": X}, ValueError, "weights is given, which needs all rows in one place"),
        ({"scheme": "balanced"}, ValueError, "scheme is 'balanced' but rows of the Array of Dask"),
        ({"replicates": "auto"}, ValueError, "replicates is 'auto' but .* need a number"),
        ({"interval": "bca"}, ValueError, "interval is 'bca' but .* normal, basic and percentile"),
        ({"nan": "propagate"}, ValueError, "nan is 'propagate' but must be 'error' or 'omit'"),
        ({"split": "columns"}, ValueError, "split is 'columns' but must be 'rows' or 'replicates'"),
        ({"engine": 3}, TypeError, "engine is 3 but must be a client of Dask"),
        ({"engine": "ray"}, TypeError, "engine is 'ray' but the data are of dask"),
        ({"dim": "time"}, TypeError, "dim is 'time' but the data are no DataArray"),
        ({"columns": "x"}, TypeError, "'x' names a column, but the Array of Dask has no names"),
        ({"axis": 2}, ValueError, "axis is 2 but the data have 1 axes"),
    ],
)
def test_refused(given, error, message):
    given = {"statistic": "mean", **given}
    with pytest.raises(error, match=message):
        bf.bootstrap(da.from_array(X, chunks=5_000), given.pop("statistic"), **given)


def test_rows_in_memory_need_an_engine_and_a_split():
    with pytest.raises(ValueError, match="but the data are in the memory of this process"):
        bf.bootstrap(X, "mean", split="replicates")
    with pytest.raises(ValueError, match="but the data are in the memory of this process"):
        bf.bootstrap(X, "mean", engine="dask")
    with pytest.raises(TypeError, match="data are a tuple with Array of dask in it"):
        bf.bootstrap((X, da.from_array(X)), "mean")


def test_no_rows():
    with pytest.raises(ValueError, match="data have no rows; a bootstrap needs at least one"):
        bf.bootstrap(da.from_array(X[:0]), "mean")


@pytest.mark.parametrize("role", ["strata", "clusters"])
@pytest.mark.parametrize("labels", ["numbers", "texts"])
def test_strata_and_clusters_are_columns(role, labels):
    codes = np.random.default_rng(2).integers(0, 30, len(FRAME))
    frame = FRAME.assign(shop=codes if labels == "numbers" else np.char.add("s", codes.astype(str)))
    given = {"columns": ["x", "y"], role: "shop", **OPTIONS}
    expected = bf.bootstrap(frame, "ratio", **given)
    data = dd.from_pandas(frame, npartitions=7, sort=False)
    found = bf.bootstrap(data, "ratio", **given)
    assert same(found, expected)
    assert found.plan.scheme == expected.plan.scheme  # tells the number of clusters


def test_labels_of_rows_elsewhere_must_be_a_column():
    data = dd.from_pandas(FRAME, npartitions=2)
    with pytest.raises(TypeError, match=r"clusters are given as an array .* name a column"):
        bf.bootstrap(data, "mean", columns="x", clusters=np.zeros(len(FRAME)))
    with pytest.raises(ValueError, match="there is no column 'shop'"):
        bf.bootstrap(data, "mean", columns="x", clusters="shop")
