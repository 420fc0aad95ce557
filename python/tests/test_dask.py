"""Collections of Dask, in threads and on a small cluster; tests/engines has the rest."""

import itertools

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
        seen = []
        tell = {"progress": lambda *done: seen.append(done)}
        found = bf.bootstrap(data, "mean", engine=client, **tell, **OPTIONS)
        assert same(found, bf.bootstrap(X, "mean", **OPTIONS))
        assert seen[-1][0] == seen[-1][1]
        found = bf.bootstrap(X, np.ptp, engine=client, split="replicates", **OPTIONS)
        assert same(found, bf.bootstrap(X, np.ptp, **OPTIONS))
        # Groups of members that share weights are trained as a whole.
        model = bf.EnsembleRegressor(12, (4,), share=4, epochs=2, random_state=1)
        inputs, target = FRAME[:500], FRAME["y"][:500]
        expected = model.fit(inputs, target).predict(inputs)
        assert np.array_equal(model.fit(inputs, target, engine=client).predict(inputs), expected)
        with pytest.raises(ValueError, match="members is 12 but must be a multiple of share"):
            model.set_params(share=5).fit(inputs, target, engine=client)


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


def test_number_of_clusters_is_told():
    frame = FRAME.assign(user=[f"user {i % 1_234}" for i in range(len(FRAME))])
    for npartitions in (1, 5):
        data = dd.from_pandas(frame, npartitions=npartitions)
        given = {"columns": "x", "clusters": "user", **OPTIONS}
        found = bf.bootstrap(data, "mean", **given)
        assert found.plan.units == bf.bootstrap(frame, "mean", **given).plan.units == 1_234
        assert "1,234 clusters" in str(found)
        assert "1,234 clusters" in str(bf.explain(data, "mean", **given))


def compared_rows(rows=30_000, seed=5):
    """Rows of groups of different sizes: `tiny` has seven; users and shops are in one group."""
    random = np.random.default_rng(seed)
    group = random.choice(["b", "control", "a", "c"], size=rows, p=[0.5, 0.3, 0.15, 0.05])
    group[:7] = "tiny"
    x = random.exponential(size=rows)
    return pd.DataFrame(
        {
            "x": x,
            "y": 1 + x + random.normal(size=rows),
            "few": random.integers(0, 4, rows).astype(float),
            "group": group,
            "user": [
                f"{name}{i}" for name, i in zip(group, random.integers(0, 300, rows), strict=False)
            ],
            "shop": random.integers(0, 5, rows),
        }
    )


def in_partitions(frame, cuts):
    """A dataframe with partitions that end at these rows, some of them empty."""
    bounds = [0, *cuts, len(frame)]
    pieces = [frame.iloc[low:high] for low, high in itertools.pairwise(bounds)]
    return dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=frame.iloc[:0])


@pytest.mark.parametrize(
    "given",
    [
        {"value": "x"},
        {"value": "x", "correction": "simultaneous", "difference": "relative"},
        {"value": "x", "correction": "holm", "alternative": "greater", "interval": "basic"},
        {"value": "x", "correction": "bonferroni", "interval": "normal", "control": "b"},
        {"value": "x", "groups": ["c", "tiny"], "scheme": "poisson"},
        {"value": "x", "size": 50},
        {"value": "x", "statistic": "median"},
        {"value": "few", "statistic": "quantile:0.75"},
        {"value": "few", "statistic": "variance"},
        {"value": ["x", "y"], "statistic": "ratio"},
        {"value": "x", "strata": "shop"},
        {"value": "x", "clusters": "user", "correction": "simultaneous"},
        {"value": "x", "by": "shop"},
    ],
)
def test_comparison_where_the_rows_are(monkeypatch, given):
    frame = compared_rows()
    data = in_partitions(frame, [0, 3, 9_000, 9_001, 9_001, 25_000])
    options = {"by": "group", **OPTIONS, **given}
    expected = bf.compare(frame, **options)
    monkeypatch.setattr("bootfold._compare.local_table", None)  # rows are not gathered
    found = bf.compare(data, **options)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_comparison_in_rounds(monkeypatch):
    frame = compared_rows()
    data = in_partitions(frame, [9_000, 25_000])
    options = {"value": "x", "by": "group", "correction": "simultaneous", **OPTIONS}
    monkeypatch.setattr("bootfold._compared._TOGETHER", 2 * OPTIONS["replicates"])
    seen = []
    found = bf.compare(data, progress=lambda done, total: seen.append(done / total), **options)
    pd.testing.assert_frame_equal(found, bf.compare(frame, **options), check_exact=True)
    assert seen == sorted(seen) and seen[-1] == 1 and len(seen) > 5


@pytest.mark.parametrize(
    "given",
    [
        {"value": "x", "interval": "bca"},
        {"value": "x", "test": "permutation"},
        {"value": "x", "weights": "y"},
        {"value": "x", "replicates": "auto", "precision": 0.2},
        {"value": "x", "statistic": "trimmed_mean:0.1"},
        {"value": "x", "clusters": "shop"},
        {"value": "x", "statistic": "median", "strata": "shop"},
    ],
)
def test_comparison_that_needs_rows_together(given):
    frame = compared_rows(5_000)
    frame = frame[(frame.group != "tiny") & (frame.y > 0)]
    options = {"by": "group", "groups": ["a"], **OPTIONS, **given}
    data = in_partitions(frame, [1_000, 2_000])
    pd.testing.assert_frame_equal(
        bf.compare(data, **options), bf.compare(frame, **options), check_exact=True
    )
    with pytest.raises(ValueError, match=r"compare \(.*\) takes the columns .* the limit is 10,"):
        bf.compare(data, memory=10_000, **options)


def test_comparison_leaves_out_rows_with_nan_or_names_the_first():
    frame = compared_rows(6_000)
    frame.loc[[11, 2_345, 5_999], "x"] = np.nan
    data = in_partitions(frame, [2_000, 2_000, 4_000])
    options = {"value": "x", "by": "group", **OPTIONS}
    pd.testing.assert_frame_equal(
        bf.compare(data, nan="omit", **options), bf.compare(frame, nan="omit", **options)
    )
    for rows in (frame, data):
        with pytest.raises(ValueError, match="column x, row 11 is nan"):
            bf.compare(rows, **options)


def test_labels_that_are_missing_follow_nan():
    frame = compared_rows(6_000)
    frame.loc[[7, 3_000], "group"] = None
    data = in_partitions(frame, [2_000, 2_000, 4_000])
    options = {"value": "x", "by": "group", **OPTIONS}
    pd.testing.assert_frame_equal(
        bf.compare(data, nan="omit", **options), bf.compare(frame, nan="omit", **options)
    )
    with pytest.raises(ValueError, match="no label in some rows; nan='omit' leaves such rows out"):
        bf.compare(data, **options)


def test_comparison_of_groups_that_do_not_exist():
    frame = compared_rows(5_000)
    data = in_partitions(frame, [1_000])
    wrong = ({"control": "contro"}, {"groups": ["d"]}, {"statistic": "regression"})
    for given in (*wrong, {"confidence": 2.0}, {"replicates": 1}, {"difference": "ratio"}):
        options = {"value": ["x", "y"] if "statistic" in given else "x", "by": "group", **given}
        messages = []
        for rows in (frame, data):
            with pytest.raises(ValueError) as raised:
                bf.compare(rows, **options)
            messages.append(str(raised.value))
        assert messages[0] == messages[1]
    with pytest.raises(ValueError, match=r"column .user. has .* groups in one partition but at"):
        bf.compare(in_partitions(compared_rows(), [10]), value="x", by="user")
    chosen = {"value": "x", "by": "user", "control": "a1", "groups": ["b2", "c3"], **OPTIONS}
    frame = compared_rows()
    pd.testing.assert_frame_equal(
        bf.compare(in_partitions(frame, [15_000]), **chosen), bf.compare(frame, **chosen)
    )
