"""Dask: a cluster of two processes gives the bits of one process."""

import contextlib
import itertools
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import conftest
import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest
from conftest import (
    OPTIONS,
    ROWS,
    check_comparisons,
    check_expressions,
    check_lost_members,
    die_once,
    same,
    same_values,
)
from distributed.comm import tcp
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.utils import nbytes

import bootfold as bf

distributed_config = {
    "distributed.comm.retry.count": 3,
    "distributed.worker.memory.terminate": False,
}


@pytest.fixture(scope="module")
def client():
    with (
        dask.config.set(distributed_config),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        found.register_worker_callbacks(_find_tests)
        yield found


def _find_tests():
    """Workers import this file by name."""
    import sys

    sys.path.insert(0, os.path.dirname(os.path.abspath(conftest.__file__)))


def _block(rows, seed):
    return np.random.default_rng(seed).exponential(size=rows)


def made_by_workers(rows, partitions):
    """An array whose blocks exist on workers only, and its values."""
    sizes = [rows // partitions] * partitions
    blocks = [
        da.from_delayed(dask.delayed(_block)(size, seed), (size,), float)
        for seed, size in enumerate(sizes)
    ]
    values = np.concatenate([_block(size, seed) for seed, size in enumerate(sizes)])
    return da.concatenate(blocks), values


@pytest.mark.parametrize("partitions", [1, 7, 1_000])
def test_array_of_any_number_of_partitions(client, frame, whole, partitions):
    x = da.from_array(frame["x"].to_numpy(), chunks=-(-ROWS // partitions))
    assert x.npartitions == partitions
    assert same(bf.bootstrap(x, "mean", **OPTIONS), whole("mean", "x"))


@pytest.mark.parametrize("statistic", ["mean", "median", "variance"])
def test_partitions_without_rows_and_with_one_row(client, frame, whole, statistic):
    x = frame["x"].to_numpy()
    cuts = [0, 0, 1, 2, 2, 30_000, 30_000, ROWS, ROWS]
    pieces = [da.from_array(x[a:b], chunks=-1) for a, b in itertools.pairwise(cuts)]
    data = da.concatenate(pieces, allow_unknown_chunksizes=True)
    assert same(bf.bootstrap(data, statistic, **OPTIONS), whole(statistic, "x"))


def test_unknown_lengths(client, frame):
    x = frame["x"].to_numpy()
    data = da.from_array(x, chunks=7_000)
    kept = data[data > 2.5]
    assert np.isnan(kept.shape[0])
    expected = bf.bootstrap(x[x > 2.5], "mean", **OPTIONS)
    assert same(bf.bootstrap(kept, "mean", **OPTIONS), expected)


def test_more_rows_than_a_block_of_counts(client):
    data, values = made_by_workers(3_300_000, 11)
    found = bf.bootstrap(data, "mean", replicates=20, seed=3)
    assert same(found, bf.bootstrap(values, "mean", replicates=20, seed=3))


@pytest.mark.parametrize(
    ("statistic", "columns"),
    [("mean", ["x", "y"]), ("correlation", ["x", "y"]), ("mean", "few"), (["mean", "sum"], "x")],
)
def test_dataframe(client, folder, whole, statistic, columns):
    data = dd.read_parquet(folder)
    found = bf.bootstrap(data, statistic, columns=columns, **OPTIONS)
    assert same(found, whole(statistic, columns))


def test_series_bag_and_poisson(client, frame, folder, whole):
    x = frame["x"].to_numpy()
    series = dd.read_parquet(folder)["x"]
    found = bf.bootstrap(series, "mean", scheme="poisson", **OPTIONS)
    assert same(found, whole("mean", "x", scheme="poisson"))
    bag = db.from_sequence([x[:10], x[10:10], x[10:50_000], x[50_000:]], npartitions=3)
    assert same(bf.bootstrap(bag, "median", **OPTIONS), whole("median", "x"))


def test_m_out_of_n(client, folder, whole):
    data = dd.read_parquet(folder)
    for given in ({"size": 900}, {"size": 900, "rescale": True}):
        found = bf.bootstrap(data, "mean", columns="x", **given, **OPTIONS)
        assert same(found, whole("mean", "x", **given))


def test_xarray(client):
    import xarray as xr

    values = np.random.default_rng(2).normal(size=(3, 5_000, 2))
    local = xr.DataArray(values, dims=("band", "time", "place"))
    expected = bf.bootstrap(values, "mean", axis=1, **OPTIONS)
    assert expected.estimate.shape == (3, 2)
    assert same(bf.bootstrap(local, "mean", dim="time", **OPTIONS), expected)
    chunked = local.chunk({"time": 900, "band": 1})
    assert same(bf.bootstrap(chunked, "mean", dim="time", **OPTIONS), expected)
    table = xr.Dataset({"a": ("time", values[0, :, 0]), "b": ("time", values[1, :, 1])})
    expected = bf.bootstrap(np.stack([values[0, :, 0], values[1, :, 1]], 1), "mean", **OPTIONS)
    for data in (table, table.chunk({"time": 1_234})):
        found = bf.bootstrap(data, "mean", dim="time", **OPTIONS)
        assert np.array_equal(found.replicates, expected.replicates)
    with pytest.raises(ValueError, match="dim is not given but must be the dimension of the rows"):
        bf.bootstrap(chunked, "mean", **OPTIONS)


def test_nan_is_named_by_its_row_and_left_out(client, frame):
    x = frame["x"].to_numpy().copy()
    x[40_123] = np.nan
    data = da.from_array(x, chunks=9_000)
    with pytest.raises(ValueError, match=r"row 40123 is nan"):
        bf.bootstrap(data, "mean", **OPTIONS)
    expected = bf.bootstrap(x, "mean", nan="omit", **OPTIONS)
    assert same(bf.bootstrap(data, "mean", nan="omit", **OPTIONS), expected)


def _or_die(block, folder, block_info=None):
    place = block_info[0]["chunk-location"][0]
    if place == 4:
        done = len([name for name in os.listdir(folder) if name.startswith("read")])
        open(os.path.join(folder, f"read{done}"), "w").close()
        if done in (0, 2):  # while partitions are looked at, and while they are added up
            die_once(folder, f"dead{done}")
    return block


def test_worker_killed_while_looking_and_while_adding_up(client, whole, frame, tmp_path):
    x = da.from_array(frame["x"].to_numpy(), chunks=9_000)
    data = x.map_blocks(_or_die, str(tmp_path), dtype=float)
    assert same(bf.bootstrap(data, "mean", **OPTIONS), whole("mean", "x"))
    assert {"dead0", "dead2"} <= set(os.listdir(tmp_path))


class Tasks(SchedulerPlugin):
    """Counts the tasks that are computed."""

    def __init__(self):
        self.names = []

    def transition(self, key, start, finish, *args, **kwargs):
        if finish == "memory" and start == "processing":
            self.names.append(str(key))


def test_number_of_tasks_depends_on_partitions_alone(client, frame):
    data = da.from_array(frame["x"].to_numpy(), chunks=1_000)
    scheduler = client.cluster.scheduler
    counts = []
    for replicates in (50, 5_000):
        tasks = Tasks()
        scheduler.add_plugin(tasks, name="tasks")
        bf.bootstrap(data, "mean", replicates=replicates)
        scheduler.remove_plugin("tasks")
        counts.append(len([name for name in tasks.names if "bootfold" in name]))
    assert counts[0] == counts[1]
    assert data.npartitions < counts[0] < 2 * data.npartitions


@contextlib.contextmanager
def counted_bytes(monkeypatch):
    """A list of the sizes of all messages of this process: of the client and the scheduler."""
    moved = []
    read, written = tcp.from_frames, tcp.to_frames

    async def from_frames(frames, *args, **kwargs):
        moved.append(sum(map(nbytes, frames)))
        return await read(frames, *args, **kwargs)

    async def to_frames(*args, **kwargs):
        frames = await written(*args, **kwargs)
        moved.append(sum(map(nbytes, frames)))
        return frames

    with monkeypatch.context() as patch:
        patch.setattr(tcp, "from_frames", from_frames)
        patch.setattr(tcp, "to_frames", to_frames)
        yield moved


@pytest.mark.parametrize("split", ["rows", "replicates"])
def test_rows_do_not_pass_through_client_and_scheduler(client, monkeypatch, split):
    rows = 4_000_000
    data, values = made_by_workers(rows, 8)
    with counted_bytes(monkeypatch) as moved:
        found = bf.bootstrap(data, "mean", replicates=100, split=split)
    assert same(found, bf.bootstrap(values, "mean", replicates=100))
    assert 0 < sum(moved) < 0.02 * 8 * rows, sum(moved)
    with counted_bytes(monkeypatch) as moved:
        data.compute()
    assert sum(moved) > 8 * rows  # the counter sees rows that do pass


def test_two_calls_at_once(client, folder, whole):
    data = dd.read_parquet(folder)
    with ThreadPoolExecutor(2) as threads:
        calls = [threads.submit(bf.bootstrap, data, "mean", columns=c, **OPTIONS) for c in "xy"]
        found = [call.result() for call in calls]
    assert same(found[0], whole("mean", "x")) and same(found[1], whole("mean", "y"))


def test_progress_counts_partitions(client, frame):
    data = da.from_array(frame["x"].to_numpy(), chunks=10_000)
    seen = []
    bf.bootstrap(data, "mean", replicates=50, progress=lambda *done: seen.append(done))
    shares = [done / total for done, total in seen]
    assert shares == sorted(shares) and shares[-1] == 1 and len(shares) > data.npartitions
    seen.clear()
    tell = {"progress": lambda *done: seen.append(done)}
    bf.bootstrap(data, "trimmed_mean:0.1", replicates=50, split="replicates", **tell)
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]  # two tasks for each of two workers


def test_explain(client, folder, frame):
    found = bf.explain(dd.read_parquet(folder), "mean", columns="x", replicates=400, seed=7)
    expected = bf.explain(frame, "mean", columns="x", replicates=400, seed=7)
    assert (found.path, found.rows, found.fingerprint) == (
        expected.path,
        expected.rows,
        expected.fingerprint,
    )


def _range_of(table):
    return table["x"].max() - table["y"].min()


@pytest.mark.parametrize(
    ("statistic", "columns", "options"),
    [
        ("trimmed_mean:0.1", "x", {}),
        ("mean", "x", {"scheme": "moving", "block_length": 50}),
        ("mean", "x", {"strata": "group"}),
        ("mean", "x", {"interval": "bca"}),
        ("mean", "y", {"weights": "x"}),
        ("mean", "y", {"frequencies": "few"}),
        ("median", "y", {"probabilities": "x"}),
        (lambda table: _range_of(table), ["x", "y"], {"replicates": 60}),
    ],
)
def test_replicates_split_over_workers(client, folder, whole, statistic, columns, options):
    data = dd.read_parquet(folder)
    given = {**OPTIONS, **options}
    found = bf.bootstrap(data, statistic, columns=columns, split="replicates", **given)
    expected = whole(statistic, columns, **given)
    assert same(found, expected)
    assert found.interval(confidence=0.8) == expected.interval(confidence=0.8)


def test_rows_in_memory_are_sent_to_workers(client, frame, whole):
    found = bf.bootstrap(frame, np.ptp, columns="x", engine=client, split="replicates", **OPTIONS)
    assert same(found, whole(np.ptp, "x"))


def test_functions_of_the_resample_need_the_other_split(client, folder):
    data = dd.read_parquet(folder)
    with pytest.raises(TypeError, match="split='replicates' serves it"):
        bf.bootstrap(data, _range_of, columns=["x", "y"])
    with pytest.raises(
        ValueError, match=r"trimmed_mean:0.1 cannot be computed.*split='replicates'"
    ):
        bf.bootstrap(data, "trimmed_mean:0.1", columns="x")


@pytest.mark.parametrize("role", ["strata", "clusters"])
def test_labels_are_columns(client, folder, whole, role):
    given = {role: "group", **OPTIONS}
    found = bf.bootstrap(dd.read_parquet(folder), "ratio", columns=["x", "y"], **given)
    assert same_values(found, whole("ratio", ["x", "y"], **given))


def _fails(values):
    raise KeyError("price")


def test_function_that_raises_on_a_worker(client, frame):
    with pytest.raises(KeyError, match="price") as caught:
        bf.bootstrap(frame, _fails, columns="x", engine=client, split="replicates")
    notes = "\n".join(caught.value.__notes__)
    assert notes.count('raise KeyError("price")') == 1


def test_function_that_cannot_be_pickled(client, frame):
    lock = threading.Lock()
    with pytest.raises(TypeError, match="cannot be sent to the workers of Dask"):
        bf.bootstrap(frame, lambda x: lock, columns="x", engine=client, split="replicates")


def test_other_version_on_a_worker(client, folder, monkeypatch):
    monkeypatch.setattr("bootfold._core.version", "0.0.1")
    with pytest.raises(
        RuntimeError, match=r"has version .* but the call is made by version 0\.0\.1"
    ):
        bf.bootstrap(dd.read_parquet(folder), "mean", columns="x")


def test_column_missing_in_one_partition(client, frame):
    parts = [dask.delayed(frame.iloc[:100]), dask.delayed(frame.iloc[100:200].drop(columns="y"))]
    data = dd.from_delayed(parts, meta=frame, verify_meta=False)
    with pytest.raises(ValueError, match=r"a partition has not all of the columns x, y.*'y'"):
        bf.bootstrap(data, "correlation", columns=["x", "y"])


def _grows(block, folder, block_info=None):
    path = os.path.join(folder, str(block_info[0]["chunk-location"][0]))
    again = os.path.exists(path)
    open(path, "w").close()
    return block[5:] if again else block


def test_rows_that_differ_when_they_are_read_again(client, frame, tmp_path):
    x = da.from_array(frame["x"].to_numpy(), chunks=9_000)
    data = x.map_blocks(_grows, str(tmp_path), dtype=float)
    with pytest.raises(ValueError, match="every computation must give the same rows"):
        bf.bootstrap(data, "mean", **OPTIONS)


def test_expressions(client, folder, frame):
    check_expressions(dd.read_parquet(folder), frame)


def test_comparisons(client, folder, frame, monkeypatch):
    check_comparisons(dd.read_parquet(folder), frame, monkeypatch)


def test_comparison_of_rows_that_are_needed_together(client, folder, frame):
    given = {"value": "x", "by": "group", "interval": "bca", "replicates": 200}
    assert bf.compare(dd.read_parquet(folder), **given).equals(bf.compare(frame, **given))
    with pytest.raises(
        ValueError, match=r"compare \(interval is 'bca'\) takes the columns x, group"
    ):
        bf.compare(dd.read_parquet(folder), memory="100k", **given)


def test_comparison_of_many_groups_is_a_task_for_each_partition(client):
    random = np.random.default_rng(8)
    frame = pd.DataFrame({"x": random.exponential(size=50_000)})
    counts = []
    for groups in (2, 300):
        frame["group"] = random.integers(0, groups, len(frame))
        tasks = Tasks()
        client.cluster.scheduler.add_plugin(tasks, name="tasks")
        data = dd.from_pandas(frame, npartitions=40)
        found = bf.compare(data, value="x", by="group", replicates=100)
        client.cluster.scheduler.remove_plugin("tasks")
        assert found.equals(bf.compare(frame, value="x", by="group", replicates=100))
        counts.append(len([name for name in tasks.names if "bootfold" in name]))
    assert max(counts) < 2 * 40


def test_groups_of_more_rows_than_a_block_of_counts(client):
    rows, partitions = 2_800_000, 14
    blocks = [dask.delayed(_grouped_block)(rows // partitions, seed) for seed in range(partitions)]
    frame = pd.concat(dask.compute(*blocks), ignore_index=True)
    data = dd.from_delayed(blocks, meta=frame.iloc[:0])
    given = {"value": "x", "by": "group", "replicates": 20, "seed": 3}
    assert bf.compare(data, **given).equals(bf.compare(frame, **given))


def _grouped_block(rows, seed):
    group = np.where(np.arange(rows) % 5 == 0, "b", "a")
    return pd.DataFrame({"x": _block(rows, seed), "group": group})


def test_members_of_an_ensemble(client):
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)
    one = bf.EnsembleClassifier(members=11, hidden=(8,), epochs=5, random_state=5).fit(X, y)
    two = bf.EnsembleClassifier(members=11, hidden=(8,), epochs=5, random_state=5).fit(
        X, y, engine=client
    )
    assert len(two.members_) == 11
    for name, values in one.to_torch().items():
        assert np.array_equal(values, two.to_torch()[name])
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    assert np.array_equal(one.loss_curves_, two.loss_curves_)
    assert one.oob_score_ == two.oob_score_
    regression = bf.EnsembleRegressor(members=5, hidden=(8,), epochs=5)
    expected = regression.fit(X, X[:, 0]).predict(X)
    assert np.array_equal(regression.fit(X, X[:, 0], engine=client).predict(X), expected)


def test_worker_killed_while_members_are_trained(client, tmp_path, monkeypatch):
    ended = check_lost_members(tmp_path, client, monkeypatch)
    assert len(ended) == len(set(ended)), "a member was trained twice"


def test_rows_of_an_ensemble_are_sent_once_for_any_number_of_tasks(client, monkeypatch):
    from bootfold import _trained

    X = np.random.default_rng(3).normal(size=(100_000, 4))
    sent = []
    for members in (1, 1_000):  # in a task: so four tasks, or one for each member
        monkeypatch.setattr(_trained, "_TASK_MEMBERS", members)
        model = bf.EnsembleRegressor(members=12, hidden=(2,), epochs=1)
        with counted_bytes(monkeypatch) as moved:
            model.fit(X, X[:, 0], engine=client)
        sent.append(sum(moved))
    assert X.nbytes < sent[1] and abs(sent[0] - sent[1]) < 0.5 * X.nbytes, sent


def test_tasks_have_the_threads_and_the_memory_of_their_worker():
    from bootfold._engines import pool_of

    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, memory_limit="2GB", dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as other,
    ):
        other.register_worker_callbacks(_find_tests)
        pool = pool_of(other)
        alone = pool.spread(conftest.share_of, pool.put(None), [0], None)
        assert alone == [(2, 250_000_000)]  # a quarter of the memory, of which two tasks have half


def test_a_client_that_is_closed(client, frame):
    with distributed.Client(client.cluster, set_as_default=False) as other:
        pass
    with pytest.raises(ValueError, match=r"client of Dask is clos.* but must be running"):
        bf.bootstrap(frame, np.ptp, columns="x", engine=other, split="replicates")


def test_threads_of_this_process_without_a_client(frame, whole):
    data = da.from_array(frame["x"].to_numpy(), chunks=9_000)
    with dask.config.set(scheduler="threads"):
        assert same(bf.bootstrap(data, "mean", **OPTIONS), whole("mean", "x"))
