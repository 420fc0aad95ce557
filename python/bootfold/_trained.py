"""Members of an ensemble that the workers of a cluster train."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from bootfold import _core
from bootfold._engines import pool_of
from bootfold._members import ensemble_of
from bootfold._options import thread_number
from bootfold._replicated import ranges, spread
from bootfold._saved import content_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._engines import Pool, Share
    from bootfold._estimator import EnsembleEstimator
    from bootfold._examples import Examples

#: Members that a task has at least: they share the lanes of vectors.
_TASK_MEMBERS = 64


def _members(sent: Any, argument: tuple[int, int], share: Share) -> Any:
    """Trains some members: their file, and their loss curves, which it does not contain."""
    estimator, (examples, validation, loss) = sent
    first, count = argument
    training = estimator._training([estimator._settings()], loss)
    training.first_member = first
    training.members = count
    training.memory = training.memory or share.memory
    held_out = None if validation is None else estimator._rows(validation)
    threads = estimator.threads or share.threads
    core = _core.Ensemble.train(estimator._rows(examples), training, held_out, threads, None)
    return content_of(core), [member.curve for member in core.members]


def _tasks_for_slot(members: int, pool: Pool) -> int:
    """A lost worker costs one task of each slot, so tasks are small if there are many members."""
    most = members // (_TASK_MEMBERS * pool.slots())
    return max(pool.tasks_for_slot, min(most, 8 * pool.tasks_for_slot))


def train_spread(
    estimator: EnsembleEstimator,
    rows: _core.ExampleRows,
    given: tuple[Examples, Examples | None, str | Sequence[str]],
    training: _core.Training,
    engine: Any,
) -> tuple[_core.Ensemble, list[list[float]]]:
    """The members that `training` asks for, and their loss curves."""
    if training.checkpoint:
        raise ValueError(
            f"checkpoint is {training.checkpoint!r} but the members that a cluster trains are not "
            "stored; omit checkpoint or engine"
        )
    pool = pool_of(engine)
    sent = copy.copy(estimator)
    sent.progress = False
    training.seed = pool.one_seed(training.seed, estimator.random_state is None)
    sent.random_state = training.seed
    handle = pool.put((sent, given))
    # Groups that share weights are trained as a whole.
    group = max(1, training.share)
    if training.members % group:
        raise ValueError(
            f"members is {training.members} but must be a multiple of share, the {group} members "
            "of a group that shares weights"
        )
    groups = ranges(training.members // group, pool, _tasks_for_slot(training.members, pool))
    arguments = [(first * group, count * group) for first, count in groups]
    found = spread(pool, _members, handle, arguments, estimator.progress, "tasks")
    parts = [ensemble_of(content) for content, _ in found]
    core = _core.Ensemble.join(parts, rows, thread_number(estimator.threads))
    return core, [curve for _, curves in found for curve in curves]
