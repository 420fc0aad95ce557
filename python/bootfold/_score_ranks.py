"""Scores of a ranking: areas under curves, by counts of rows in the order of their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._interval import NOTHING, Needs
from bootfold._options import memory_bytes, seed_number, thread_number
from bootfold._progress import reporter
from bootfold._result import Result
from bootfold._source import Settings, set_labels

if TYPE_CHECKING:
    from bootfold._data import Array
    from bootfold._options import Progress


#: What two models are called that are given as a model and versus=.
VERSUS = ("", "versus")


def value_names(name: str, models: tuple[str, ...]) -> list[str]:
    """Of the values: one model's, or those of two and their difference.

    `models`: what these are called, of two; nothing of one.
    """
    if not models:
        return [name]
    if models == VERSUS:
        return [name, f"{name} of versus", "difference"]
    first, second = models
    return [f"{name} of {first}", f"{name} of {second}", f"{name}: {first} - {second}"]


def scores_of(
    name: str, truth: Array, told: Array, classes: Any, pos_label: Any
) -> tuple[Array, Array]:
    """Which rows are positive, and their scores."""
    names = np.unique(truth) if classes is None else np.asarray(classes)
    if len(names) != 2:
        raise ValueError(
            f"there are {len(names)} classes but {name} is of 2; of more, give a function such as "
            "functools.partial(roc_auc_score, multi_class='ovr') and response='predict_proba'"
        )
    if pos_label is not None and pos_label not in names:
        raise ValueError(
            f"pos_label is {pos_label!r} but the classes are {', '.join(map(str, names))}"
        )
    chosen = np.sort(names)[-1] if pos_label is None else pos_label
    if told.ndim == 2 and told.shape[1] == 2:
        score = told[:, int(np.flatnonzero(names == chosen)[0])]
    elif told.ndim == 1:
        score = told
    else:
        raise ValueError(f"scores have shape {told.shape} but must be one or two for each row")
    if not np.isfinite(score).all():
        raise ValueError(f"some scores are not finite numbers; {name} needs an order of all rows")
    return truth == chosen, score


class _RankSource:
    """Replicates of measures of ranking: counts are walked over in the order of the scores."""

    def __init__(
        self,
        name: str,
        scored: list[tuple[Array, Array]],
        models: tuple[str, ...],
        settings: Settings,
    ) -> None:
        self._name = name
        self._positive = scored[0][0]
        self._scores = [np.ascontiguousarray(score) for _, score in scored]
        self._settings = settings
        self._outputs = value_names(name, models)
        self.request = settings.request([self._positive, *self._scores], [])
        self.request.add_named(name)
        self.note = ""
        self.quick = True
        self.shape: tuple[int, ...] = () if len(scored) == 1 else (3,)

    def run(self, replicates: int, first: int, needs: Needs, progress: Progress) -> _core.Result:
        if needs.standard_errors:
            raise ValueError(
                "a studentized interval needs a standard error on every resample, which is not "
                f"available for {self._name}; use bca"
            )
        with reporter(progress, replicates) as tell:
            made = self.request.run(replicates, first, tell)
        result = _core.Result.made(
            made.plan, made.seed, made.estimates, made.replicates, self._outputs
        )
        if needs.influence:
            self.add_influences(result)
        return result

    def explain(self, replicates: int, needs: Needs) -> _core.Plan:
        return self.request.explain(replicates)

    def add_influences(self, result: _core.Result) -> None:
        """By pseudo-values: the measure without each row, in closed form."""
        positive = self._positive
        ones, zeros = int(positive.sum()), int((~positive).sum())
        if ones < 2 or (zeros < 2 and self._name == "roc_auc"):
            raise ValueError(
                f"there are {ones} and {zeros} rows of the two classes, and without one row of a "
                "class there must still be another; take the percentile interval"
            )
        without_a_row = _areas_without if self._name == "roc_auc" else _precisions_without
        without = [without_a_row(positive, score) for score in self._scores]
        if len(without) == 2:
            without.append(without[0] - without[1])
        rows = len(positive)
        columns = [
            rows * estimate - (rows - 1) * values
            for estimate, values in zip(result.estimates, without, strict=True)
        ]
        request = self._settings.request(columns, [])
        request.add_named("mean")
        request.add_linear_influences(result)


def _areas_without(positive: Array, score: Array) -> Array:
    """Without a row its own wins are missing, and nothing else."""
    values, rank = np.unique(score, return_inverse=True)
    rank = rank.reshape(-1)
    above = np.bincount(rank[positive], minlength=len(values))
    below = np.bincount(rank[~positive], minlength=len(values))
    beaten = np.cumsum(below) - below / 2  # by a positive of each rank
    beating = above.sum() - np.cumsum(above) + above / 2
    wins = np.where(positive, beaten[rank], beating[rank])
    ones, zeros = above.sum(), below.sum()
    pairs = np.where(positive, (ones - 1.0) * zeros, ones * (zeros - 1.0))
    found: Array = (wins[positive].sum() - wins) / pairs
    return found


def _precisions_without(positive: Array, score: Array) -> Array:
    """Without a row, precisions at its score and below have one row less."""
    values, rank = np.unique(-score, return_inverse=True)  # from the highest score to the lowest
    rank = rank.reshape(-1)
    own = np.bincount(rank[positive], minlength=len(values)).astype(float)
    hits = np.cumsum(own)
    shown = np.cumsum(np.bincount(rank, minlength=len(values))).astype(float)
    before = np.concatenate([[0.0], np.cumsum(own * hits / shown)])  # of the ranks above each
    fewer = np.maximum(shown - 1, 1)

    def after(terms: Array) -> Array:
        """Sums over the ranks below each."""
        return np.concatenate([np.cumsum(terms[::-1])[::-1][1:], [0.0]])

    of_positive = (own - 1) * (hits - 1) / fewer + after(own * (hits - 1) / fewer)
    of_negative = own * hits / fewer + after(own * hits / fewer)
    total = hits[-1]
    sums_without = before[rank] + np.where(positive, of_positive[rank], of_negative[rank])
    found: Array = sums_without / np.where(positive, total - 1, total)
    return found


def by_ranks(
    name: str,
    scored: list[tuple[Array, Array]],
    models: tuple[str, ...],
    arguments: dict[str, Any],
) -> Result:
    rows = len(scored[0][0])
    settings = Settings(
        seed_number(arguments["seed"]),
        memory_bytes(arguments["memory"]),
        thread_number(arguments["threads"]),
    )
    set_labels(settings, arguments["strata"], arguments["clusters"], rows)
    source = _RankSource(name, scored, models, settings)
    core = source.run(arguments["replicates"], 0, NOTHING, arguments["progress"])
    return Result(core, source.shape, source, source.note)
