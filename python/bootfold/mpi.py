"""MPI: every rank of a communicator of mpi4py calls with its own rows, and gets the result.

The rows of the ranks follow each other in the order of ranks. A look and a part are made by each
rank and merged along a tree.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._data import column_names, read_shard
from bootfold._distributed import Replicated, wanted_of
from bootfold._engines import Collection, Failure, Wanted, guarded, merged, together
from bootfold._expressions import as_table, with_columns
from bootfold._mpi_ranks import MpiPool, pool
from bootfold._options import seed_number
from bootfold._partitioned import Partitioned
from bootfold._streamed import recognised
from bootfold._table_source import TableSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bootfold._engines import Merge, Task, Tell
    from bootfold._result import Result

__all__ = ["MpiCollection", "MpiPool", "Together", "collection", "pool"]


class _Table:
    """Columns by their names."""

    def __init__(self, batch: Any, columns: list[Any]) -> None:
        self.columns = columns
        self._batch = batch

    def __getitem__(self, name: Any) -> Any:
        return self._batch[name]


class MpiCollection(Collection):
    """The rows of all ranks; those of a rank are one partition."""

    told = "several ranks of MPI"
    remedy = "split='replicates' serves it if every rank has all rows"
    moves = False

    def __init__(self, data: Any, wanted: Wanted, pool: MpiPool) -> None:
        self.pool: MpiPool = pool
        names = [] if wanted.columns is None else column_names(wanted.columns)
        given = recognised(as_table(with_columns(data, names, wanted.texts)))
        #: A new pass over the rows of this rank.
        self._pieces: Callable[[], Iterator[Any]] = lambda: iter([given])
        if isinstance(given, TableSource):
            rows = self._of_source(given, wanted)
        elif hasattr(given, "columns"):
            self.take_columns(wanted, list(getattr(given, "column_names", given.columns)))
            rows = len(given)
        else:
            rows = self._of_array(given, wanted)
        self._agree(rows)

    def _of_source(self, source: TableSource, wanted: Wanted) -> int | None:
        """Sets what is known of a table that is read batch by batch; returns its rows if known."""
        used = source.names
        if source.vector and wanted.columns is None:
            self.names, self.width, self.shape = [], 1, ()
        else:
            used = self.take_columns(wanted, source.names)
        held = None
        if not source.repeatable:
            batches = source.batches(used)
            held = [copy.deepcopy(one) if source.volatile else one for one in batches]
        self._pieces = lambda: (
            _Table(batch, used) if self.names else batch[used[0]]
            for batch in (source.batches(used) if held is None else held)
        )
        return source.rows

    def _of_array(self, data: Any, wanted: Wanted) -> int:
        """Sets what is known of an array, and returns its number of rows."""
        for name in (wanted.columns, *wanted.beside):
            if name is not None:
                raise TypeError(f"{name!r} names a column, but the data are no table")
        self.names = []
        if wanted.axis is None:
            part = read_shard(data).parts[0]
            self.width, self.shape = part.columns, part.shape
            return part.rows
        shape = np.moveaxis(np.asarray(data), wanted.axis, 0).shape
        self.width, self.shape = int(np.prod(shape[1:])), shape[1:]
        return int(shape[0])

    def _agree(self, rows: int | None) -> None:
        """Ranks with rows must have the same columns; ranks without rows take these."""
        own = (self.names, self.shape, self.width)
        everyone = self.pool.exchange((rows == 0, own))
        held = [(rank, one) for rank, (empty, one) in enumerate(everyone) if not empty]
        first, expected = held[0] if held else (0, own)
        for rank, other in held:
            if other != expected:
                self.pool.over = True
                raise ValueError(
                    f"rank {rank} has {_columns(other)} but rank {first} has "
                    f"{_columns(expected)}; all ranks must have the same columns"
                )
        self.names, self.shape, self.width = expected
        if rows == 0:
            self._pieces = lambda: iter(())

    def fold(
        self, task: Task, shared: Any, groups: Sequence[range] | None, merge: Merge, tell: Tell
    ) -> Any:
        pool = self.pool
        own = guarded(task, _core.version, shared, self._pieces(), pool.rank, pool.share)
        if tell is not None:
            tell(1, 1)
        pool.exchange(own if isinstance(own, Failure) else None)
        found = pool.comm.allreduce(own, op=lambda a, b: merged(merge, [a, b]))
        pool.over = isinstance(found, Failure)
        return found

    def gathered(self, columns: Sequence[str] | None) -> Any:
        raise AssertionError("every rank has its rows")

    def local(self, columns: Sequence[str]) -> Any:
        import pandas

        own = [
            pandas.DataFrame({name: piece[name] for name in columns}) for piece in self._pieces()
        ]
        frames = [frame for found in self.pool.exchange(own) for frame in found]
        return pandas.concat(frames, ignore_index=True)


def _columns(known: tuple[list[Any], tuple[int, ...], int]) -> str:
    names, shape, width = known
    if names:
        return f"a table of {', '.join(map(str, names))}"
    return f"an array of {width} columns" if shape else "an array of one axis"


class Together:
    """A call of `bootstrap` or `explain` that all ranks make."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options

    def run(self) -> Result:
        """The result of `bootstrap`, on every rank."""
        with together(self._options["engine"], "bootstrap", self._options) as pool:
            return self._served(pool).run()

    def explain(self) -> Any:
        """The plan of `explain`, on every rank."""
        with together(self._options["engine"], "explain", self._options) as pool:
            served = self._served(pool)
            if isinstance(served, Partitioned):
                return served.explain()
            from bootfold._bootstrap import explain  # every rank has all rows

            return explain(**{**self._options, "engine": None, "split": "rows"})

    def _served(self, pool: MpiPool) -> Partitioned | Replicated:
        options = self._options
        options["engine"] = pool
        options["seed"] = pool.one_seed(seed_number(options["seed"]), options["seed"] is None)
        options["threads"] = options["threads"] or pool.share.threads
        options["memory"] = options["memory"] or pool.share.memory
        wanted = wanted_of(options)
        if options["split"] == "replicates":
            return Replicated(None, options["statistic"], options)
        rows = MpiCollection(options["data"], wanted, pool)
        return Partitioned(rows, options["statistic"], options)


def collection(data: Any, wanted: Wanted, engine: Any) -> Collection | None:
    """The rows of all ranks."""
    return MpiCollection(data, wanted, pool(engine))
