"""Ray: Datasets, whose blocks stay in the object stores of the nodes.

A Dataset is materialized once, in its order. A look and a part are one task for each block, merged
in groups of 16. Ray computes lost blocks and tasks again.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from bootfold import _core
from bootfold import _ray_worker as worker
from bootfold._engines import Collection, Pool, Wanted, grouped_blocks, merged, reduced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bootfold._engines import Merge, Task, Tell

_ORDER = threading.Lock()  # of changes to the options of a Dataset


class RayPool(Pool):
    """The cluster that this process is connected to."""

    told = "Ray"
    pickler = "ray.cloudpickle"

    def __init__(self) -> None:
        import ray

        if not ray.is_initialized():
            raise ValueError(
                "engine is ray but there is no connection to a cluster; call ray.init()"
            )

    def slots(self) -> int:
        import ray

        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def put(self, value: Any) -> Any:
        import ray

        return ray.put(value)

    def spread(self, task: Task, handle: Any, arguments: Sequence[Any], tell: Tell) -> list[Any]:
        import ray

        run = ray.remote(worker.one)
        tasks = [run.remote(task, _core.version, handle, argument) for argument in arguments]
        # Each result is taken from its node when it is there: a lost node has none of them.
        found = {}
        for done, one in enumerate(_done(tasks), 1):
            found[one] = ray.get(one)
            if tell is not None:
                tell(done, len(tasks))
        return [found[one] for one in tasks]


def _done(tasks: Sequence[Any]) -> Iterator[Any]:
    """The tasks as they are done."""
    import ray

    left = list(tasks)
    while left:
        (one,), left = ray.wait(left, num_returns=1, fetch_local=False)
        yield one


def _check_columns(error: Exception, used: Sequence[Any]) -> None:
    """Raises ValueError if the error of a worker is that a block lacks one of the columns."""
    lines = [line for line in str(error).splitlines() if line.lstrip().startswith("KeyError: ")]
    for name in used:
        if any(f"'{name}'" in line or f'"{name}"' in line for line in lines):
            raise ValueError(
                f"a block of the Dataset of Ray has no column {name!r}; all blocks must have the "
                "same columns"
            ) from error


class RayCollection(Collection):
    """The rows of a Dataset, in the order of its blocks."""

    def __init__(self, data: Any, wanted: Wanted) -> None:
        self.told = "the Dataset of Ray"
        self.pool = RayPool()
        self._data = data
        self._used = self.take_columns(wanted, data.columns() or [])
        self._blocks: list[Any] | None = None

    def _read(self) -> list[Any]:
        """References to the blocks, with the columns that are used."""
        if self._blocks is None:
            bundles = self._held().iter_internal_ref_bundles()
            self._blocks = [ref for bundle in bundles for ref in bundle.block_refs]
        return self._blocks

    def _held(self) -> Any:
        """The Dataset in the object stores, with these columns; itself if it is that already."""
        from ray.data.dataset import MaterializedDataset

        if isinstance(self._data, MaterializedDataset) and self._data.columns() == self._used:
            return self._data
        with _ORDER:
            options = self._data.context.execution_options
            before = options.preserve_order
            options.preserve_order = True
            try:
                return self._data.select_columns(self._used).materialize()
            except Exception as error:
                _check_columns(error, self._used)
                raise
            finally:
                options.preserve_order = before

    def fold(
        self, task: Task, shared: Any, groups: Sequence[range] | None, merge: Merge, tell: Tell
    ) -> Any:
        import ray

        blocks = self._read()
        kept = ray.put(shared)
        run, join = ray.remote(worker.leaf), ray.remote(worker.joined)
        leaves = [
            run.remote(task, _core.version, kept, place, *group)
            for place, group in enumerate(grouped_blocks(blocks, groups))
        ]
        if not leaves:
            return merged(merge, [])
        found = reduced(leaves, lambda items: join.remote(merge, *items))
        if tell is not None:
            for done, _ in enumerate(_done(leaves), 1):
                tell(done, len(leaves))
        return ray.get(found)

    def gathered(self, columns: Sequence[str] | None) -> Any:
        import ray

        used = self._used if columns is None else columns
        return ray.remote(worker.rows).remote(_core.version, used, *self._read())

    def local(self, columns: Sequence[str]) -> Any:
        import pandas
        import ray

        blocks = ray.get(self._read())
        frames = [block.to_pandas() if hasattr(block, "to_pandas") else block for block in blocks]
        return pandas.concat([frame for frame in frames if len(frame)], ignore_index=True)[
            list(columns)
        ]


def collection(data: Any, wanted: Wanted, engine: Any) -> Collection | None:
    """The rows of a Dataset."""
    return RayCollection(data, wanted)


def pool(engine: Any) -> Pool:
    """The cluster that this process is connected to."""
    return RayPool()
