"""A run of what makes replicates: as many as are asked for, and with a checkpoint."""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from typing import TYPE_CHECKING, Literal

from bootfold import _core
from bootfold._counts import CountsSource
from bootfold._function import FunctionSource
from bootfold._interval import Asked, IntervalWarning
from bootfold._named import JoinedSource
from bootfold._result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bootfold._options import Progress
    from bootfold._source import Source


@contextlib.contextmanager
def checkpointed(source: Source, path: str) -> Iterator[None]:
    """A run that goes on from the file, which is deleted when the run is complete."""
    if not path:
        yield
        return
    if isinstance(source, JoinedSource) or (
        isinstance(source, (FunctionSource, CountsSource)) and source.jackknife
    ):
        raise ValueError(
            f"checkpoint is {path!r} but the replicates of a jackknife of a Python function, or of "
            "data sets that are bootstrapped one by one, are not stored; omit checkpoint"
        )
    source.request.checkpoint = path
    try:
        yield
    finally:
        source.request.checkpoint = ""
    _core.remove_checkpoint(path)


def run(
    source: Source, count: int | Literal["auto"], wanted: float, asked: Asked, progress: Progress
) -> Result:
    if count == "auto":
        later = dataclasses.replace(asked.needs, influence=False)  # the first round has it

        def make(first: int, more: int) -> _core.Result:
            return source.run(more, first, later if first else asked.needs, progress)

        core, reached, met = _core.to_precision(
            source.request, make, wanted, asked.method, asked.confidence, asked.alternative
        )
        if not met:
            warnings.warn(
                f"the Monte Carlo error is {reached:.3g} of a standard error after "
                f"{core.plan.replicates:,} replicates, the most that replicates='auto' makes; "
                f"precision is {wanted:g}",
                IntervalWarning,
                stacklevel=3,
            )
    else:
        core = source.run(count, 0, asked.needs, progress)
    return Result(core, source.shape, source, source.note, asked)
