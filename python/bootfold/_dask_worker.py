"""What workers of Dask run."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold._engines import Share, check_fits, guarded, with_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._engines import Task


def share() -> Share:
    """Of the worker that this task runs on, or of this process."""
    if "distributed" in sys.modules:
        from distributed import get_worker

        try:
            worker = get_worker()
        except ValueError:  # no worker: the scheduler of this process
            pass
        else:
            slots = worker.state.nthreads
            running = max(1, worker.state.executing_count)
            return Share.of(slots // running, worker.memory_manager.memory_limit, slots)
    return Share.of(1, None, os.cpu_count() or 1)


def leaf(task: Task, version: str, shared: Any, blocks: list[Any], partition: int) -> Any:
    pieces = [_array(block) for block in blocks if not _empty_list(block)]
    return guarded(task, version, shared, pieces, partition, share())


def _empty_list(block: Any) -> bool:
    return isinstance(block, list) and not block


def _array(block: Any) -> Any:
    """A block; the elements of a bag as one array."""
    if isinstance(block, list):
        arrays = [np.asarray(element) for element in block]
        return np.asarray(block) if arrays[0].ndim == 0 else np.concatenate(arrays)
    return block


def as_list(block: Any) -> list[Any]:
    return list(block)


def first_shape(elements: list[Any]) -> tuple[int, ...] | None:
    """Of the rows that the first element of a bag has; a number is a row."""
    return (np.asarray(elements[0]).shape or (1,)) if elements else None


def rows_of(blocks: list[Any], columns: Sequence[str] | None, axis: int) -> Any:
    """All rows of the blocks, if they fit."""
    held = [_array(block) for block in blocks if not _empty_list(block)]
    check_fits(held, share())
    if held and hasattr(held[0], "iloc"):
        import pandas

        frame = pandas.concat(held)
        return frame if columns is None else frame[list(columns)]
    return np.concatenate(held, axis=axis)


def one(task: Task, version: str, rows: Any, argument: Any) -> Any:
    return with_rows(task, version, rows, argument, share())
