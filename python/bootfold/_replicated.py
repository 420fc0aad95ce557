"""Replicates and members split over workers: each has all rows, and makes some of them."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bootfold import _core
from bootfold._engines import Pool, raised, tree
from bootfold._interval import Asked, asked_of
from bootfold._options import number_of_replicates, seed_number
from bootfold._progress import reporter
from bootfold._result import Result
from bootfold._saved import content_of, object_of
from bootfold._statistics import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._engines import Share, Task

#: Arguments of `bootstrap` that name columns.
_ROLES = ("strata", "clusters", "probabilities", "weights", "frequencies")
#: Arguments that workers get.
_PASSED = (
    *("columns", "scheme", "paired", "axis", *_ROLES, "two_stage", "block_length", "size"),
    *("rescale", "nan", "vectorized", "takes"),
)


@dataclass(frozen=True, slots=True)
class _Run:
    """A call of `bootstrap`, as workers get it."""

    statistic: Any
    options: dict[str, Any]
    seed: int
    asked: Asked


def _range(rows: Any, argument: tuple[bytes | _Run, int, int], share: Share) -> Any:
    """Some replicates of a run: its file, the shape of the estimate and a note for the plan."""
    from bootfold._made_source import source_of

    content, first, count = argument
    run: _Run = pickle.loads(content) if isinstance(content, bytes) else content
    threads = run.options["threads"] or share.threads
    memory = run.options["memory"] or share.memory
    given = {name: run.options[name] for name in _PASSED}
    limits = (run.seed, memory, threads, run.options["tolerance"])
    fixed = (run.options["nested_replicates"], run.options["path"], run.options["joint"])
    source = source_of(rows, run.statistic, (*limits, *fixed), given)
    needs = run.asked.needs
    if first:
        needs = dataclasses.replace(needs, influence=False)  # the first range has it
    core = source.run(count, first, needs, False)
    return content_of(core), source.shape, source.note


def ranges(count: int, pool: Pool, tasks_for_slot: int = 0) -> list[tuple[int, int]]:
    """The numbers 0, 1, ..., count - 1 in consecutive ranges (first, how many)."""
    number = min(count, max(1, (tasks_for_slot or pool.tasks_for_slot) * pool.slots()))
    cuts = [count * place // number for place in range(number + 1)]
    return [(low, high - low) for low, high in itertools.pairwise(cuts)]


def pickled(pool: Pool, value: Any, what: str) -> Any:
    """What workers get of a value with functions of the user's."""
    if pool.pickler is None:
        return value
    try:
        found: bytes = importlib.import_module(pool.pickler).dumps(value)
    except Exception as error:
        raise TypeError(
            f"{what} cannot be sent to the workers of {pool.told}: {error}; a function must not "
            "refer to open files, locks or connections"
        ) from None
    return found


def spread(
    pool: Pool, task: Task, handle: Any, arguments: Sequence[Any], progress: Any, unit: str
) -> list[Any]:
    """The results of task(rows, argument, share); raises what the first failed task raised."""
    with reporter(progress if pool.shows_progress else False, len(arguments), unit) as tell:
        return [raised(found) for found in pool.spread(task, handle, arguments, tell)]


def bootstrap_replicated(
    pool: Pool, handle: Any, statistic: Any, options: dict[str, Any]
) -> Result:
    """The result of `bootstrap`, whose replicates are made by several workers."""
    resolve(statistic, options["vectorized"])  # raises for what is no statistic
    for name in ("checkpoint", "precision"):
        if options[name] is not None:
            raise ValueError(
                f"{name} is {options[name]!r} but replicates that are split over workers do not "
                f"have it; omit {name}"
            )
    count = number_of_replicates(options["replicates"])
    if not isinstance(count, int) or options["scheme"] == "jackknife":
        asked = "scheme is 'jackknife'" if isinstance(count, int) else f"replicates is {count!r}"
        raise ValueError(f"{asked} but split='replicates' needs a number of replicates")
    asked_for = asked_of(options)
    sent = {key: options[key] for key in (*_PASSED, "threads", "memory", "tolerance")}
    sent |= {key: options[key] for key in ("nested_replicates", "path", "joint")}
    run = _Run(statistic, sent, seed_number(options["seed"]), asked_for)
    content = pickled(pool, run, f"the statistic {statistic!r}")
    arguments = [(content, first, more) for first, more in ranges(count, pool)]
    found = spread(pool, _range, handle, arguments, options["progress"], "tasks")
    cores = [object_of(saved, _core.Result.load) for saved, _, _ in found]
    for place, one in enumerate(cores):
        if one.plan.fingerprint != cores[0].plan.fingerprint:
            raise ValueError(
                f"{pool.maker} {place} has other rows than {pool.maker} 0, but with "
                "split='replicates' all rows must be on every worker; split='rows' takes different "
                "rows"
            )
    core = raised(tree(cores, _appended))
    _, shape, note = found[0]
    return Result(core, shape, None, note, asked_for)


def _appended(cores: list[_core.Result]) -> _core.Result:
    whole = cores[0]
    for later in cores[1:]:
        whole = whole.extended(later)
    return whole
