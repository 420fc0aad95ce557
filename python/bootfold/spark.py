"""Spark: DataFrames, by the functions that Spark runs on Arrow batches of a partition.

A look and a part are one task for each partition; executors merge them in bunches of 64, and the
driver merges those. There is no barrier stage, so a lost executor costs what it was computing.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import threading
import uuid
from typing import TYPE_CHECKING, Any

from bootfold import _core
from bootfold import _spark_worker as worker
from bootfold._engines import Collection, Pool, Share, Wanted, merged, tree
from bootfold._partitioned import local_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bootfold._engines import Merge, Task, Tell


class SparkPool(Pool):
    """The executors of a session."""

    told = "Spark"
    pickler = "pyspark.cloudpickle"

    def __init__(self, engine: Any) -> None:
        from pyspark.sql import SparkSession

        self.session = engine or SparkSession.getActiveSession()
        if self.session is None:
            raise ValueError(
                "engine is 'spark' but no session is active; create one by "
                "SparkSession.builder.getOrCreate()"
            )

    @property
    def context(self) -> Any:
        """The context of the driver; None if the session is a client of Spark Connect."""
        try:
            return self.session.sparkContext
        except Exception:  # of a type that depends on the version
            return None

    def slots(self) -> int:
        return self.context.defaultParallelism if self.context is not None else os.cpu_count() or 1

    def limits(self) -> tuple[int | None, int]:
        """Memory of the Python processes of an executor, and the tasks that it runs at a time."""
        cores = int(self.session.conf.get("spark.executor.cores", str(self.slots())))
        each = int(self.session.conf.get("spark.task.cpus", "1"))
        memory = self.session.conf.get("spark.executor.pyspark.memory", "")
        return _core.parse_bytes(memory.upper()) if memory else None, max(1, cores // each)

    def put(self, value: Any) -> Any:
        return value if self.context is None else self.context.broadcast(value)

    def spread(self, task: Task, handle: Any, arguments: Sequence[Any], tell: Tell) -> list[Any]:
        count = len(arguments)
        run = functools.partial(
            worker.runs, task, _core.version, handle, list(arguments), self.limits()
        )
        numbers = self.session.range(0, count, 1, count)
        with self.watched(tell):
            return self.collected(numbers.mapInArrow(run, worker.ITEMS))

    def collected(self, items: Any) -> list[Any]:
        """Results in the order of their numbers."""
        rows = sorted((row.number, bytes(row.item)) for row in items.collect())
        return [pickle.loads(item) for _, item in rows]

    @contextlib.contextmanager
    def watched(self, tell: Tell) -> Iterator[None]:
        """Tells of the tasks of all jobs that this thread starts meanwhile."""
        context = self.context
        if tell is None or context is None:
            yield
            return
        group = f"bootfold-{uuid.uuid4().hex}"
        before = context.getLocalProperty("spark.jobGroup.id")
        context.setLocalProperty("spark.jobGroup.id", group)
        stop = threading.Event()
        watcher = threading.Thread(target=_watch, args=(context, group, tell, stop), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            stop.set()
            watcher.join()
            tell(1, 1)
            context.setLocalProperty("spark.jobGroup.id", before)


def _watch(context: Any, group: str, tell: Any, stop: threading.Event) -> None:
    tracker = context.statusTracker()
    while not stop.wait(0.2):
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
        stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
        known = [stage for stage in stages if stage is not None]
        total = sum(stage.numTasks for stage in known)
        if total:
            tell(min(total, sum(stage.numCompletedTasks for stage in known)), total)


class SparkCollection(Collection):
    """The rows of a DataFrame, in the order of its partitions."""

    pool: SparkPool

    def __init__(self, data: Any, wanted: Wanted, engine: Any) -> None:
        self.told = "the DataFrame of Spark"
        self.pool = SparkPool(engine or data.sparkSession)
        self._data = data
        self._used = self.take_columns(wanted, data.columns)
        self._kept: Any = None

    def _select(self, columns: Sequence[str]) -> Any:
        data = self._data if self._kept is None else self._kept
        return data.select(*(f"`{name.replace('`', '``')}`" for name in columns))

    def _read(self) -> Any:
        """The columns that are used. What a shuffle gives may differ the next time: it is kept."""
        level = self._data.storageLevel
        cached = level.useMemory or level.useDisk
        if self._kept is None and not cached and self._shuffles():
            from pyspark.sql import functions

            # Spark shares what is kept between equal plans; this one is of no other call.
            mark = functions.lit(uuid.uuid4().hex).alias("bootfold_call")
            self._kept = self._select(self._used).select("*", mark).persist()
        return self._select(self._used)

    def _shuffles(self) -> bool:
        if self.pool.context is None:
            return True
        return "Exchange" in self._data._jdf.queryExecution().executedPlan().toString()

    def close(self) -> None:
        if self._kept is not None:
            self._kept.unpersist()
            self._kept = None

    def fold(
        self, task: Task, shared: Any, groups: Sequence[range] | None, merge: Merge, tell: Tell
    ) -> Any:
        given = (task, _core.version, shared, self.pool.limits())
        rows = self._read()
        if groups is None or all(len(group) == 1 for group in groups):
            items = rows.mapInArrow(functools.partial(worker.leaf, *given), worker.ITEMS)
        else:
            from pyspark.sql.types import LongType, StructField, StructType

            added = [StructField(name, LongType()) for name in (worker.GROUP, worker.PLACE)]
            tag = functools.partial(worker.tagged, [group.start for group in groups])
            tagged = rows.mapInArrow(tag, StructType([*rows.schema.fields, *added]))
            whole = tagged.repartition(worker.GROUP)
            items = whole.mapInArrow(functools.partial(worker.grouped_leaf, *given), worker.ITEMS)
        if groups is None or len(groups) > worker.BUNCH:
            bunched = items.selectExpr("number", "item", f"number div {worker.BUNCH} as bunch")
            merger = functools.partial(worker.bunches, merge)
            items = bunched.repartition("bunch").mapInArrow(merger, worker.ITEMS)
        with self.pool.watched(tell):
            found = self.pool.collected(items)
        return tree(found or [merged(merge, [])], merge)

    def gathered(self, columns: Sequence[str] | None) -> Any:
        used = list(self._used if columns is None else columns)
        limit = 2 * Share.of(1, None, 1).memory
        return self.pool.put(local_table(self, used, limit, "split='replicates' of Spark"))

    def local(self, columns: Sequence[str]) -> Any:
        return self._select(columns).toPandas()


def collection(data: Any, wanted: Wanted, engine: Any) -> Collection | None:
    """The rows of a DataFrame."""
    return SparkCollection(data, wanted, engine)


def pool(engine: Any) -> Pool:
    """The executors of a session."""
    return SparkPool(engine)
