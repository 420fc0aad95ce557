"""The workers of Dask: those of a client, or the threads of this process."""

from __future__ import annotations

import contextlib
import os
import sys
import uuid
from typing import TYPE_CHECKING, Any

from bootfold import _core
from bootfold import _dask_worker as worker
from bootfold._engines import Pool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._engines import Task, Tell


class DaskPool(Pool):
    """The workers of a client, or the scheduler of this process where there is none."""

    told = "Dask"
    pickler = "cloudpickle"

    def __init__(self, engine: Any) -> None:
        self.client = engine
        if engine is None and "distributed" in sys.modules:
            from distributed import default_client

            try:
                self.client = default_client()
            except ValueError:
                self.client = None
        status = getattr(self.client, "status", "running")
        if status in ("closing", "closed"):
            raise ValueError(
                f"the client of Dask is {status} but must be running; connect another one by "
                "distributed.Client(address)"
            )

    def slots(self) -> int:
        if self.client is None:
            return os.cpu_count() or 1
        return max(1, int(sum(self.client.nthreads().values())))

    def put(self, value: Any) -> Any:
        from dask import delayed

        if self.client is None:
            return delayed(value, traverse=False, name=f"bootfold-rows-{uuid.uuid4().hex}")
        return self.client.scatter(value, broadcast=True, hash=False)

    def spread(self, task: Task, handle: Any, arguments: Sequence[Any], tell: Tell) -> list[Any]:
        from dask import delayed

        token = uuid.uuid4().hex
        tasks = [
            delayed(worker.one, pure=False)(
                task, _core.version, handle, argument, dask_key_name=f"bootfold-run-{token}-{place}"
            )
            for place, argument in enumerate(arguments)
        ]
        if self.client is None:
            return self.computed(tasks, tasks, tell)
        return self._taken(self.client.compute(tasks), tell)

    def _taken(self, futures: list[Any], tell: Tell) -> list[Any]:
        """Results, each taken from its worker when it is there: a lost worker has none of them."""
        from distributed import as_completed

        found = {}
        for future, item in as_completed(futures, self.client.loop, with_results=True):
            found[future.key] = item
            future.release()
            if tell is not None:
                tell(len(found), len(futures))
        return [found[future.key] for future in futures]

    def computed(self, wanted: list[Any], leaves: list[Any], tell: Tell) -> list[Any]:
        """The values of delayed objects; `tell` hears of the leaves."""
        import dask

        if self.client is None:
            with _telling(leaves, tell):
                return list(dask.compute(*wanted))
        if tell is None:
            return list(self.client.gather(self.client.compute(wanted)))
        from distributed import as_completed

        # All at once: a leaf that is done and merged would be computed again.
        futures = self.client.compute([*wanted, *leaves])
        kept = {future.key for future in futures[: len(wanted)]}
        watched = as_completed(futures[len(wanted) :], self.client.loop)
        for done, future in enumerate(watched, 1):
            if future.key not in kept:
                future.release()
            tell(done, len(leaves))
        return list(self.client.gather(futures[: len(wanted)]))


def _telling(leaves: list[Any], tell: Tell) -> Any:
    """A context in which the schedulers of this process tell which leaves are done."""
    if tell is None:
        return contextlib.nullcontext()
    from dask.callbacks import Callback

    left = {leaf.key for leaf in leaves}

    def after(key: Any, *_: Any) -> None:
        if key in left:
            left.remove(key)
            tell(len(leaves) - len(left), len(leaves))

    return Callback(posttask=after)
