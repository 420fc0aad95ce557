"""The executors of Spark: tasks that get a value by broadcast, or all rows by a shuffle."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import threading
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bootfold import _core
from bootfold import _spark_worker as worker
from bootfold._engines import Pool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bootfold._engines import Task, Tell


@dataclass(frozen=True)
class Rows:
    """A DataFrame of which every task gets all rows."""

    table: Any


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
        given = (list(arguments), self.limits())
        if isinstance(handle, Rows):
            return self._spread_rows(task, handle, *given, tell)
        run = functools.partial(worker.runs, task, _core.version, handle, *given)
        numbers = self.session.range(0, count, 1, count)
        with self.watched(tell):
            return self.collected(numbers.mapInArrow(run, worker.ITEMS))

    def _spread_rows(
        self, task: Task, handle: Rows, arguments: list[Any], limits: Any, tell: Tell
    ) -> list[Any]:
        """Every task gets all rows by a shuffle: none of them pass through the driver."""
        tasks = min(len(arguments), self.slots())
        # Spark sends a row to the task that the hash of `target` tells: one value for each task.
        numbers = self.session.range(64 * tasks).selectExpr("id", f"pmod(hash(id), {tasks}) place")
        targets = {row.place: row.id for row in numbers.collect()}
        copies = handle.table.mapInArrow(
            functools.partial(worker.copies, list(targets.values())), worker.COPIES
        ).repartition(tasks, "target")
        run = functools.partial(
            worker.runs_of_copies, task, _core.version, arguments, tasks, limits
        )
        with self.watched(tell):
            return self.collected(copies.mapInArrow(run, worker.ITEMS))

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
