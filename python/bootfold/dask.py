"""Dask: arrays, dataframes, series and bags of arrays, on a cluster or in threads.

A look and a part are one task for each partition, merged in groups of 16. Workers keep no rows of
ours: partitions are computed twice, unless they are persisted. The client gets one look and one
part, whatever the number of partitions.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold import _dask_worker as worker
from bootfold._dask_pool import DaskPool
from bootfold._engines import Collection, Pool, Wanted, grouped_blocks, guarded, merged, reduced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._engines import Merge, Task, Tell


class DaskCollection(Collection):
    """Partitions as delayed objects."""

    def __init__(self, data: Any, wanted: Wanted, engine: Any) -> None:
        self.told = f"the {type(data).__name__} of Dask"
        self.pool: DaskPool = DaskPool(engine)
        self._axis = 0
        self._data = data
        if hasattr(data, "dtype") and hasattr(data, "chunks"):
            self._blocks = self._of_array(data, wanted)
        elif hasattr(data, "columns") or hasattr(data, "divisions"):
            self._blocks = self._of_frame(data, wanted)
        elif hasattr(data, "npartitions"):
            self._blocks = self._of_bag(data, wanted)
        else:
            raise TypeError(
                f"data are {self.told}, but must be an array, a dataframe or a bag of arrays"
            )

    def _of_array(self, data: Any, wanted: Wanted) -> list[Any]:
        self._axis = wanted.row_axis(self.told, data.ndim)
        shape = (*data.shape[: self._axis], *data.shape[self._axis + 1 :])
        if any(np.isnan(size) for size in shape):
            raise ValueError(
                "the number of columns of the array is not known; call compute_chunk_sizes() first"
            )
        self.take_shape(shape)
        others = {place: -1 for place in range(data.ndim) if place != self._axis}
        data = data.rechunk(others) if others else data
        return list(data.to_delayed().ravel())

    def _of_frame(self, data: Any, wanted: Wanted) -> list[Any]:
        if not hasattr(data, "columns") or data.ndim == 1:
            wanted.row_axis(self.told, 1)
            self.take_shape(())
            return list(data.to_delayed())
        there = list(data.columns)
        used = self.take_columns(wanted, there)
        self._data = data if used == there else data[used]
        return list(self._data.to_delayed())

    def _of_bag(self, data: Any, wanted: Wanted) -> list[Any]:
        from dask import delayed

        if wanted.axis is not None:
            raise TypeError(f"axis is {wanted.axis} but the data are a bag; axis= is for arrays")
        wanted.row_axis(self.told, 1)
        blocks = [delayed(worker.as_list)(block) for block in data.to_delayed()]
        shape = None
        for block in blocks:
            shape = shape or self.pool.computed([delayed(worker.first_shape)(block)], [], None)[0]
        self.take_shape((shape or (0,))[1:])
        return blocks

    def fold(
        self, task: Task, shared: Any, groups: Sequence[range] | None, merge: Merge, tell: Tell
    ) -> Any:
        from dask import delayed

        token = uuid.uuid4().hex
        kept = delayed(shared, traverse=False, name=f"bootfold-shared-{token}")
        name = f"bootfold{task.__name__.replace('_', '-')}-{token}"
        leaves = [
            delayed(worker.leaf, pure=False)(
                task, _core.version, kept, blocks, place, dask_key_name=f"{name}-{place}"
            )
            for place, blocks in enumerate(grouped_blocks(self._blocks, groups))
        ]

        def join(items: Sequence[Any]) -> Any:
            key = f"bootfold-merge-{uuid.uuid4().hex}"
            return delayed(merged, pure=False)(merge, items, dask_key_name=key)

        found = reduced(leaves, join)
        try:
            return self.pool.computed([found], leaves, tell)[0]
        except KeyError as error:  # of pandas: tasks of ours raise nothing
            if not self.names:
                raise
            raise ValueError(
                f"a partition has not all of the columns {', '.join(map(str, self.names))}: "
                f"{error.args[0]}; all partitions must have the same columns"
            ) from error

    def gathered(self, columns: Sequence[str] | None) -> Any:
        from dask import delayed

        rows = delayed(guarded, pure=False)(
            worker.rows_of, _core.version, self._blocks, columns, self._axis
        )
        return rows if self.pool.client is None else self.pool.client.persist(rows)

    def local(self, columns: Sequence[str]) -> Any:
        wanted = self._data[list(columns)]
        client = self.pool.client
        return wanted.compute() if client is None else client.compute(wanted).result()


def collection(data: Any, wanted: Wanted, engine: Any) -> Collection | None:
    """The rows of a Dask collection."""
    return DaskCollection(data, wanted, engine)


def pool(engine: Any) -> Pool:
    """The workers of a client."""
    return DaskPool(engine)
