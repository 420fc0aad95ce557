"""Spark: DataFrames, by the functions that Spark runs on Arrow batches of a partition.

A look and a part are one task for each partition; executors merge them in bunches of 64, and the
driver merges those. There is no barrier stage, so a lost executor costs what it was computing.
"""

from __future__ import annotations

import functools
import uuid
from typing import TYPE_CHECKING, Any

from bootfold import _core
from bootfold import _spark_worker as worker
from bootfold._engines import Collection, Pool, Wanted, merged, tree
from bootfold._spark_pool import Rows, SparkPool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._engines import Merge, Task, Tell


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


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
        return data.select(*map(_quoted, columns))

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
        return Rows(self._read().select(*map(_quoted, self._used if columns is None else columns)))

    def local(self, columns: Sequence[str]) -> Any:
        return self._select(columns).toPandas()


def collection(data: Any, wanted: Wanted, engine: Any) -> Collection | None:
    """The rows of a DataFrame."""
    return SparkCollection(data, wanted, engine)


def pool(engine: Any) -> Pool:
    """The executors of a session."""
    return SparkPool(engine)
