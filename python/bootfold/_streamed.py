"""Tables that are read batch by batch: those larger than memory are added up, nothing is copied."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._data import column_names
from bootfold._progress import reporter
from bootfold._statistics import Named
from bootfold._table_read import bytes_of, number_batches
from bootfold._table_source import TableSource, table_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bootfold._chunked import Array
    from bootfold._options import Progress
    from bootfold._source import Settings


def _batches(source: TableSource, columns: list[str]) -> Iterator[list[list[Array]]]:
    """One pass. Arrays of a column have one type within a batch.

    A function of its own, because the engine keeps it: a method would keep its object alive.
    """
    for batch in number_batches(source, columns):
        found = []
        for arrays in batch:
            dtype = np.result_type(*(array.dtype for array in arrays)) if arrays else None
            found.append([np.array(a, dtype, copy=source.volatile or None) for a in arrays])
        if found[0]:
            yield found


def batch_source(source: TableSource, columns: list[str]) -> _core.BatchSource:
    """The table for the engine, which makes a pass whenever it needs the rows."""
    names = ["1"] if source.vector and source.names == [""] else columns
    return _core.BatchSource(names, source.rows, functools.partial(_batches, source, columns))


class StreamedTable:
    """A bootstrap that reads the table once to look and once more to add up."""

    def __init__(
        self,
        source: TableSource,
        columns: list[str],
        vector: bool,
        statistic: Named,
        settings: Settings,
        poisson: bool,
        larger: bool,
    ) -> None:
        self.larger = larger  #: than memory; else that is not known before the table is read
        self._core = _core.Streamed(
            batch_source(source, columns),
            statistic.names,
            list(statistic.columns),
            poisson,
            settings.seed,
            settings.memory,
            settings.threads,
            settings.tolerance,
        )
        self.note = statistic.note
        self._single = statistic.single
        self._count = len(statistic.names)
        self._shape = () if vector else (len(columns),)
        self._column = columns[0] if len(columns) == 1 else ""

    def run(
        self, replicates: int, progress: Progress, checkpoint: str = ""
    ) -> tuple[_core.Result, tuple[int, ...]]:
        """The result, and the shape of its estimate. Deletes the checkpoint at the end."""
        if not progress:
            core = self._core.run(replicates, None, checkpoint)
        else:
            with reporter(progress, replicates) as tell:
                core = self._core.run(replicates, tell, checkpoint)
        if checkpoint:
            _core.remove_checkpoint(checkpoint)
        return core, self._shape_of(len(core.outputs))

    def named(self, outputs: list[str]) -> list[tuple[str, str]]:
        """Statistic and column of each value."""
        return [(output, self._column) for output in outputs]

    def explain(self, replicates: int) -> _core.Plan:
        """What run() would do."""
        return self._core.explain(replicates)

    def _shape_of(self, outputs: int) -> tuple[int, ...]:
        if self._core.by_column:
            return self._shape if self._single else (self._count, *self._shape)
        return () if self._single and outputs == 1 else (outputs,)


def recognised(given: Any) -> Any:
    """Data that are read batch by batch as a `TableSource`; to be asked once, as iterators end."""
    if type(given) is np.ndarray or isinstance(given, tuple):
        return given
    source = table_source(given)
    return given if source is None else source


def streamed(
    source: Any,
    columns: Any,
    statistic: Named,
    settings: Settings,
    memory: int,
) -> StreamedTable | None:
    """The table as such a bootstrap, if one can be made and the table may be larger than memory."""
    if settings.scheme not in (None, "iid", "poisson"):
        return None
    if not isinstance(source, TableSource) or not source.repeatable or source.mapped:
        return None
    seen = list(source.names) if columns is None else column_names(columns)
    source.check(seen)
    known = bytes_of(source, seen)
    if known is not None and known <= memory:
        return None
    if not _core.can_stream(statistic.names, len(seen)):
        return None
    vector = isinstance(columns, str) or (columns is None and source.vector)
    poisson = settings.scheme == "poisson"
    return StreamedTable(source, seen, vector, statistic, settings, poisson, known is not None)
