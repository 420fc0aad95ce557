"""What workers of Ray run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from bootfold._engines import Share, check_fits, guarded, merged, with_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._engines import Merge, Task


def share() -> Share:
    """Of the worker that this task runs on."""
    import ray

    given = ray.get_runtime_context().get_assigned_resources()
    memory = given.get("memory")
    if memory:
        return Share.of(int(given.get("CPU", 1)), int(memory), 1)
    return Share.of(int(given.get("CPU", 1)), None, os.cpu_count() or 1)


def leaf(task: Task, version: str, shared: Any, number: int, *blocks: Any) -> Any:
    pieces = [block for block in blocks if len(block)]
    return guarded(task, version, shared, pieces, number, share())


def joined(merge: Merge, *items: Any) -> Any:
    return merged(merge, items)


def rows(version: str, columns: Sequence[str], *blocks: Any) -> Any:
    return guarded(concatenated, version, columns, blocks)


def concatenated(columns: Sequence[str], blocks: Sequence[Any]) -> Any:
    """All rows of the blocks as one DataFrame, if they fit."""
    import pandas

    held = [block for block in blocks if len(block)]
    check_fits(held, share())
    frames = [block.to_pandas() if hasattr(block, "to_pandas") else block for block in held]
    return pandas.concat(frames)[list(columns)]


def one(task: Task, version: str, rows: Any, argument: Any) -> Any:
    return with_rows(task, version, rows, argument, share())
