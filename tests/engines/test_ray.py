"""Ray: a cluster of two nodes gives the bits of one process."""

import os
import subprocess
import sys
import threading

import conftest
import numpy as np
import pytest
from conftest import (
    OPTIONS,
    check_comparisons,
    check_expressions,
    check_lost_members,
    die_once,
    same,
    same_values,
)

import bootfold as bf

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    path = os.pathsep.join(
        [os.path.dirname(os.path.dirname(bf.__file__)), os.path.dirname(conftest.__file__)]
    )
    os.environ["PYTHONPATH"] = path  # of the nodes, which are processes of their own
    store = {"object_store_memory": 200 * 2**20}
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **store})
    nodes.add_node(num_cpus=1, **store)
    ray.init(address=nodes.address, logging_level="error")
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = 100_000
    yield nodes
    ray.shutdown()
    nodes.shutdown()


@pytest.fixture
def table(cluster, folder):
    return ray.data.read_parquet(str(folder))


@pytest.mark.parametrize(
    ("statistic", "columns"),
    [("mean", "x"), ("median", "x"), ("correlation", ["x", "y"]), ("mean", "few")],
)
def test_dataset_from_parquet(table, whole, statistic, columns):
    found = bf.bootstrap(table, statistic, columns=columns, **OPTIONS)
    assert same(found, whole(statistic, columns))


@pytest.mark.parametrize("role", ["strata", "clusters"])
def test_labels_are_columns(table, whole, role):
    given = {role: "group", **OPTIONS}
    found = bf.bootstrap(table, "ratio", columns=["x", "y"], **given)
    assert same_values(found, whole("ratio", ["x", "y"], **given))


def test_blocks_without_rows(table, frame):
    data = table.filter(lambda row: row["x"] > 5)
    found = bf.bootstrap(data, "mean", columns="x", **OPTIONS)
    assert same(found, bf.bootstrap(frame[frame.x > 5], "mean", columns="x", **OPTIONS))


def test_a_materialized_dataset_is_not_copied(table, whole, monkeypatch):
    data = table.select_columns(["x"]).materialize()
    monkeypatch.setattr(ray.data.Dataset, "materialize", lambda self: pytest.fail("copied"))
    found = bf.bootstrap(data, "mean", columns="x", **OPTIONS)
    assert same_values(found, bf.bootstrap(data.to_pandas(), "mean", columns="x", **OPTIONS))


def test_options_of_the_dataset_stay(table):
    before = table.context.execution_options.preserve_order
    bf.bootstrap(table, "mean", columns="x", replicates=10)
    assert table.context.execution_options.preserve_order == before


def test_more_rows_than_a_block_of_counts(cluster):
    data = ray.data.range(2_300_000, override_num_blocks=5)
    found = bf.bootstrap(data, "mean", columns="id", replicates=20)
    assert same(found, bf.bootstrap(np.arange(2_300_000), "mean", replicates=20))


def _dying_batch(batch, folder):
    die_once(folder, "reading")
    return batch


def test_worker_killed_while_blocks_are_made(table, whole, tmp_path):
    data = table.map_batches(_dying_batch, fn_args=(str(tmp_path),))
    assert same(bf.bootstrap(data, "mean", columns="x", **OPTIONS), whole("mean", "x"))
    assert os.listdir(tmp_path) == ["reading"]


def _dying_task(folder, task, *arguments):
    die_once(folder, task.__name__)
    return task(*arguments)


@pytest.mark.parametrize("name", ["_look", "_part"])
def test_worker_killed_in_a_task(table, whole, tmp_path, monkeypatch, name):
    import functools

    from bootfold import _partitioned

    task = getattr(_partitioned, name)
    dying = functools.partial(_dying_task, str(tmp_path), task)
    monkeypatch.setattr(_partitioned, name, dying)
    assert same(bf.bootstrap(table, "mean", columns="x", **OPTIONS), whole("mean", "x"))
    assert os.listdir(tmp_path) == [name]


def test_two_calls_at_once(table, whole):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as threads:
        calls = [threads.submit(bf.bootstrap, table, "mean", columns=c, **OPTIONS) for c in "xy"]
        found = [call.result() for call in calls]
    assert same(found[0], whole("mean", "x")) and same(found[1], whole("mean", "y"))


def test_progress_counts_blocks(table):
    seen = []
    bf.bootstrap(table, "mean", columns="x", progress=lambda *done: seen.append(done), **OPTIONS)
    shares = [done / total for done, total in seen]
    assert shares == sorted(shares) and shares[-1] == 1 and len(shares) > 3


def test_replicates_split_over_workers(table, whole):
    given = {"columns": "x", "scheme": "moving", "block_length": 40, **OPTIONS}
    found = bf.bootstrap(table, "mean", split="replicates", **given)
    assert same(found, whole("mean", given.pop("columns"), **given))
    found = bf.bootstrap(table, np.ptp, columns="x", split="replicates", **OPTIONS)
    assert same(found, whole(np.ptp, "x"))


def test_expressions(table, frame):
    check_expressions(table, frame)


def test_comparisons(table, frame, monkeypatch):
    check_comparisons(table, frame, monkeypatch)


def test_comparison_of_rows_that_are_needed_together(table, frame):
    given = {"value": "x", "by": "group", "interval": "bca", "replicates": 200}
    assert bf.compare(table, **given).equals(bf.compare(frame, **given))


def _fails(values):
    raise KeyError("price")


def test_function_that_raises_on_a_worker(cluster, frame):
    with pytest.raises(KeyError, match="price") as caught:
        bf.bootstrap(frame, _fails, columns="x", engine=ray, split="replicates")
    assert "\n".join(caught.value.__notes__).count('raise KeyError("price")') == 1


def test_function_that_cannot_be_pickled(table):
    lock = threading.Lock()
    with pytest.raises(TypeError, match="cannot be sent to the workers of Ray"):
        bf.bootstrap(table, lambda x: lock, columns="x", split="replicates")


def test_other_version_on_a_worker(table, monkeypatch):
    monkeypatch.setattr("bootfold._core.version", "0.0.1")
    with pytest.raises(
        RuntimeError, match=r"has version .* but the call is made by version 0\.0\.1"
    ):
        bf.bootstrap(table, "mean", columns="x")


def test_nan_is_named_by_its_row_and_left_out(cluster, frame):
    rows = frame[["x"]].copy()
    rows.loc[40_123, "x"] = np.nan
    data = ray.data.from_pandas([rows.iloc[:30_000], rows.iloc[30_000:]])
    with pytest.raises(ValueError, match="row 40123 is nan"):
        bf.bootstrap(data, "mean", columns="x", **OPTIONS)
    expected = bf.bootstrap(rows, "mean", columns="x", nan="omit", **OPTIONS)
    found = bf.bootstrap(data, "mean", columns="x", nan="omit", **OPTIONS)
    assert same(found, expected)


def test_column_missing_in_one_block(cluster, frame):
    blocks = [frame.iloc[:100], frame.iloc[100:200].drop(columns="y")]
    data = ray.data.from_pandas(blocks)
    with pytest.raises(ValueError, match=r"a block of .* has no column 'y'; all blocks must"):
        bf.bootstrap(data, "correlation", columns=["x", "y"])


def test_explain(table, frame):
    given = {"columns": "x", "replicates": 400, "seed": 7}
    found, expected = bf.explain(table, "mean", **given), bf.explain(frame, "mean", **given)
    assert (found.path, found.fingerprint) == (expected.path, expected.fingerprint)


def test_tasks_have_the_cpus_of_ray(cluster):
    from bootfold._engines import pool_of

    pool = pool_of(ray)
    ((threads, memory),) = pool.spread(conftest.share_of, pool.put(None), [0], None)
    assert threads == 1 and memory == bf._core.default_memory() // os.cpu_count()


def test_worker_killed_while_members_are_trained(cluster, tmp_path, monkeypatch):
    ended = check_lost_members(tmp_path, ray, monkeypatch)
    assert len(ended) == len(set(ended)), "a member was trained twice"


def test_no_cluster():
    program = "import bootfold as bf; bf.bootstrap([1.0], max, engine='ray', split='replicates')"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ValueError: engine is ray but there is no connection to a cluster" in found.stderr


def test_members_of_an_ensemble(cluster):
    X = np.random.default_rng(3).normal(size=(200, 3))
    model = bf.EnsembleRegressor(members=5, hidden=(8,), epochs=4)
    expected = model.fit(X, X[:, 0]).predict(X)
    assert np.array_equal(model.fit(X, X[:, 0], engine="ray").predict(X), expected)
