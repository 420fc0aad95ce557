"""Spark: two executors, each a process of its own, give the bits of one process."""

import json
import os
import subprocess
import sys
import threading
import time

import conftest
import numpy as np
import pytest
from conftest import OPTIONS, check_comparisons, check_expressions, same, same_values

import bootfold as bf

pyspark = pytest.importorskip("pyspark")
from pyspark import cloudpickle  # noqa: E402
from pyspark.sql import SparkSession, Window  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    return tmp_path_factory.mktemp("events")


@pytest.fixture(scope="module")
def spark(events):
    path = os.pathsep.join(
        [os.path.dirname(os.path.dirname(bf.__file__)), os.path.dirname(conftest.__file__)]
    )
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": str(events),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.logStageExecutorMetrics": "false",
        "spark.executor.cores": "1",
        "spark.executor.pyspark.memory": "3g",
        "spark.executorEnv.PYTHONPATH": path,
        "spark.executorEnv.SPARK_LOCAL_IP": "127.0.0.1",
        "spark.sql.files.maxPartitionBytes": "200k",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(name, value)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # executors cannot import it
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def table(spark, folder):
    """Files in the order of their names: Spark sorts them by size."""
    files = [str(path) for path in sorted(folder.iterdir())]
    return spark.read.parquet(*files).persist()


@pytest.fixture(scope="module")
def held(table):
    """All rows in the order of the partitions."""
    return table.toPandas()


@pytest.mark.parametrize(
    ("statistic", "columns"),
    [("mean", "x"), ("median", "x"), ("correlation", ["x", "y"]), ("mean", "few")],
)
def test_dataframe_from_parquet(spark, folder, held, statistic, columns):
    data = spark.read.parquet(str(folder))
    assert data.rdd.getNumPartitions() > 2
    found = bf.bootstrap(data, statistic, columns=columns, **OPTIONS)
    rows = data.toPandas()
    assert len(rows) == len(held)
    assert same(found, bf.bootstrap(rows, statistic, columns=columns, **OPTIONS))


def test_after_filter_and_window(table):
    window = Window.partitionBy("group").orderBy("x").rowsBetween(-3, 0)
    data = table.filter("x > 0.5").withColumn("moving", F.avg("y").over(window)).persist()
    found = bf.bootstrap(data, "correlation", columns=["x", "moving"], **OPTIONS)
    rows = data.toPandas()[["x", "moving"]]
    data.unpersist()
    assert same(found, bf.bootstrap(rows, "correlation", **OPTIONS))


def test_what_a_shuffle_gives_is_kept_for_both_passes(spark, table):
    data = table.repartition(7, "group").filter("x > 1")
    found = [bf.bootstrap(data, "mean", columns="x", **OPTIONS) for _ in range(2)]
    assert found[0].estimate == found[1].estimate
    assert not (data.storageLevel.useMemory or data.storageLevel.useDisk)
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == 1  # the table of these tests


@pytest.mark.parametrize("role", ["strata", "clusters"])
def test_labels_are_columns(table, held, role):
    given = {"columns": ["x", "y"], role: "group", **OPTIONS}
    assert same_values(bf.bootstrap(table, "ratio", **given), bf.bootstrap(held, "ratio", **given))


def test_two_calls_at_once(table):
    from concurrent.futures import ThreadPoolExecutor

    data = table.repartition(3, "group").sortWithinPartitions("x").filter("x > 1")
    expected = {c: bf.bootstrap(data, "mean", columns=c, **OPTIONS) for c in "xy"}
    with ThreadPoolExecutor(2) as threads:
        calls = {c: threads.submit(bf.bootstrap, data, "mean", columns=c, **OPTIONS) for c in "xy"}
        assert all(same(call.result(), expected[c]) for c, call in calls.items())


def test_partitions_without_rows(table, held):
    data = table.filter("x > 6")
    rows = held[held.x > 6]
    found = bf.bootstrap(data, "mean", columns="x", **OPTIONS)
    assert same(found, bf.bootstrap(rows, "mean", columns="x", **OPTIONS))
    with pytest.raises(ValueError, match="data have no rows"):
        bf.bootstrap(table.filter("x < 0"), "mean", columns="x")


def test_more_rows_than_a_block_of_counts(spark):
    data = spark.range(0, 2_300_000, 1, 5).selectExpr("sqrt(id) as root")
    rows = data.toPandas()
    found = bf.bootstrap(data, "mean", columns="root", replicates=20)
    assert same(found, bf.bootstrap(rows, "mean", columns="root", replicates=20))


def _executor():
    """The process of the executor that runs this: the parent of the daemon of Python workers."""
    with open(f"/proc/{os.getppid()}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def _or_kill(folder, batches):
    import signal

    from pyspark import TaskContext

    for batch in batches:
        if TaskContext.get().partitionId() == 2:
            done = len(os.listdir(folder))
            open(os.path.join(folder, f"read{done}"), "w").close()
            if done in (0, 2):  # while partitions are looked at, and while they are added up
                os.kill(_executor(), signal.SIGKILL)
        yield batch


def test_executor_killed_while_looking_and_while_adding_up(spark, tmp_path):
    import functools

    kill = functools.partial(_or_kill, str(tmp_path))
    rows = spark.range(0, 40_000, 1, 4).selectExpr("sqrt(id) as root")
    data = rows.mapInArrow(kill, "root double")
    found = bf.bootstrap(data, "mean", columns="root", **OPTIONS)
    assert len(os.listdir(tmp_path)) >= 4
    expected = bf.bootstrap(np.sqrt(np.arange(40_000)), "mean", **OPTIONS)
    assert np.array_equal(found.replicates, expected.replicates)


def test_no_barrier_stage_and_as_many_tasks_as_partitions(table, events):
    partitions = table.rdd.getNumPartitions()
    assert table.count() > 0  # so that it is persisted
    found = {}
    for replicates in (50, 5_000):
        before = len(_stages(events))
        bf.bootstrap(table, "mean", columns="x", replicates=replicates)
        stages = _stages(events)[before:]
        assert not any(rdd["Barrier"] for stage in stages for rdd in stage["RDD Info"])
        found[replicates] = [stage["Number of Tasks"] for stage in stages]
    assert found[50] == found[5_000]
    assert max(found[50]) <= partitions + 4  # partitions of a shuffle


def _logged(events):
    """The events that Spark has logged."""
    time.sleep(0.5)  # the log is written by a thread of its own
    files = [path for path in events.rglob("*") if path.is_file()]
    lines = [line for path in files for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]


def _stages(events):
    """What the log of events says of the stages that were completed."""
    done = [event for event in _logged(events) if event["Event"].endswith("StageCompleted")]
    return [event["Stage Info"] for event in done]


def test_progress(table):
    seen = []
    bf.bootstrap(table, "mean", columns="x", progress=lambda *done: seen.append(done), **OPTIONS)
    assert seen[-1] == (1, 1) and all(done <= total for done, total in seen)


def test_replicates_split_over_executors(table, held):
    given = {"columns": "x", "scheme": "moving", "block_length": 40, **OPTIONS}
    found = bf.bootstrap(table, "mean", split="replicates", **given)
    assert same(found, bf.bootstrap(held, "mean", **given))
    found = bf.bootstrap(table, np.ptp, columns="x", split="replicates", **OPTIONS)
    assert same(found, bf.bootstrap(held, np.ptp, columns="x", **OPTIONS))


def test_replicates_split_of_rows_that_a_shuffle_gives(spark, table):
    data = table.repartition(5, "group").filter("x > 1")
    found = bf.bootstrap(data, np.ptp, columns="x", split="replicates", **OPTIONS)
    assert found.estimate == np.ptp(table.filter("x > 1").toPandas()["x"])
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == 1  # the table of these tests
    with pytest.raises(ValueError, match="data have no rows"):
        bf.bootstrap(table.filter("x < 0"), np.ptp, columns="x", split="replicates")


@pytest.mark.parametrize("split", ["rows", "replicates"])
def test_rows_do_not_pass_through_the_driver(spark, events, split):
    rows = 2_000_000
    data = spark.range(0, rows, 1, 4).selectExpr("sqrt(id) as root")
    before = _result_bytes(events)
    found = bf.bootstrap(data, "mean", columns="root", replicates=20, split=split)
    moved = _result_bytes(events) - before
    assert 0 < moved < 0.02 * 8 * rows
    assert same(found, bf.bootstrap(np.sqrt(np.arange(rows)), "mean", replicates=20))
    before = _result_bytes(events)
    assert len(data.toPandas()) == rows
    assert _result_bytes(events) - before > rows  # the counter sees rows that do pass


def _result_bytes(events):
    """What tasks have sent to the driver."""
    ended = [event for event in _logged(events) if event["Event"] == "SparkListenerTaskEnd"]
    metrics = [event.get("Task Metrics") or {} for event in ended]
    return sum(one.get("Result Size", 0) for one in metrics)


def test_expressions(table, held):
    check_expressions(table, held)


def test_comparisons(table, held, monkeypatch):
    check_comparisons(table, held, monkeypatch)


def test_comparison_of_rows_that_are_needed_together(table, held):
    given = {"value": "x", "by": "group", "test": "permutation", "replicates": 200}
    assert bf.compare(table, **given).equals(bf.compare(held, **given))


def _fails(values):
    raise KeyError("price")


def test_function_that_raises_on_an_executor(table):
    with pytest.raises(KeyError, match="price") as caught:
        bf.bootstrap(table, _fails, columns="x", split="replicates")
    assert "\n".join(caught.value.__notes__).count('raise KeyError("price")') == 1


def test_function_that_cannot_be_pickled(table):
    lock = threading.Lock()
    with pytest.raises(TypeError, match="cannot be sent to the workers of Spark"):
        bf.bootstrap(table, lambda x: lock, columns="x", split="replicates")


def test_other_version_on_an_executor(table, monkeypatch):
    monkeypatch.setattr("bootfold._core.version", "0.0.1")
    with pytest.raises(
        RuntimeError, match=r"has version .* but the call is made by version 0\.0\.1"
    ):
        bf.bootstrap(table, "mean", columns="x")


def test_nan_is_named_by_its_row_and_left_out(spark):
    text = "if(id = 31234, double('nan'), sqrt(id)) as root"
    data = spark.range(0, 40_000, 1, 4).selectExpr(text)
    with pytest.raises(ValueError, match="row 31234 is nan"):
        bf.bootstrap(data, "mean", columns="root", **OPTIONS)
    rows = np.sqrt(np.arange(40_000))
    rows[31_234] = np.nan
    found = bf.bootstrap(data, "mean", columns="root", nan="omit", **OPTIONS)
    assert same(found, bf.bootstrap(rows, "mean", nan="omit", **OPTIONS))


def test_column_missing_in_one_file(spark, tmp_path):
    """Spark fills it with nulls, which are NaN."""
    spark.range(0, 300, 1, 1).selectExpr("sqrt(id) x", "id y").write.parquet(f"{tmp_path}/a")
    spark.range(0, 30, 1, 1).selectExpr("sqrt(id) x").write.parquet(f"{tmp_path}/b")
    data = spark.read.option("mergeSchema", "true").parquet(f"{tmp_path}/a", f"{tmp_path}/b")
    with pytest.raises(ValueError, match=r"column y, row \d+ is nan"):
        bf.bootstrap(data, "correlation", columns=["x", "y"])


def test_explain(table, held):
    given = {"columns": "x", "replicates": 400, "seed": 7}
    found, expected = bf.explain(table, "mean", **given), bf.explain(held, "mean", **given)
    assert (found.path, found.fingerprint) == (expected.path, expected.fingerprint)


def test_tasks_have_the_cpus_and_the_memory_of_spark(spark):
    from bootfold._engines import pool_of

    pool = pool_of(spark)
    ((threads, memory),) = pool.spread(conftest.share_of, pool.put(None), [0], None)
    assert (threads, memory) == (1, 3 * 2**30 // 4)


def test_no_session():
    program = "import bootfold as bf; bf.bootstrap([1.0], max, engine='spark', split='replicates')"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ValueError: engine is 'spark' but no session is active" in found.stderr


def test_columns_that_are_not_numbers_or_not_there(table):
    with pytest.raises(TypeError, match="column 'group' is of type string but must be numbers"):
        bf.bootstrap(table, "mean", columns="group")
    with pytest.raises(ValueError, match="there is no column 'price'; the columns are x, y, few"):
        bf.bootstrap(table, "mean", columns="price")


def test_members_of_an_ensemble(spark):
    X = np.random.default_rng(3).normal(size=(200, 3))
    model = bf.EnsembleRegressor(members=5, hidden=(8,), epochs=4)
    expected = model.fit(X, X[:, 0]).predict(X)
    assert np.array_equal(model.fit(X, X[:, 0], engine=spark).predict(X), expected)
