"""Several settings in one training: lists, ranges to draw from, and the selection of members."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bootfold import _core
from bootfold._options import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bootfold._estimator import EnsembleEstimator

#: Members with each of the sampled settings. Members with the same number have the same resample,
#: so 8 leave 97 % of the rows to judge them.
_SAMPLED_MEMBERS = 8
#: Most members that greedy selection keeps by default.
_MOST = 100


class SelectionScore(NamedTuple):
    """The mean loss over rows."""

    loss: float  #: that of training: negative log-likelihood, squared error of scaled targets, ...
    standard_error: float
    rows: int


class Selection(NamedTuple):
    """Members that were selected, and what that is worth."""

    rule: str  #: "greedy" or "best"
    members: list[tuple[int, int]]  #: row of `sweep_` and number of each, in order of selection
    other_rows: SelectionScore  #: each row scored by a selection that did not use it
    same_rows: SelectionScore  #: on the rows that selected: optimistic
    all_members: SelectionScore  #: of all members, without a selection, on the same rows
    difference: SelectionScore  #: of `other_rows` to `all_members`, row by row


@dataclasses.dataclass
class Sweep:
    """What a training trains, and which members it keeps."""

    values: Sequence[dict[str, Any]] = dataclasses.field(default_factory=lambda: [{}])
    sampled: list[_core.Settings] | None = None  #: in place of those that the values say
    members: int | None = None  #: None: those of the estimator
    seed: int | None = None
    rule: str | None = None  #: None: all members are kept
    count: int = _MOST

    def __bool__(self) -> bool:
        """Whether settings differ."""
        return bool(self.values[0]) or len(self.values) > 1

    def training(self, estimator: EnsembleEstimator, loss: str | Sequence[str]) -> _core.Training:
        settings = self.sampled or [estimator._settings(**changed) for changed in self.values]
        training = estimator._training(settings, loss)
        if self.members is not None:
            training.members = self.members
        if self.seed is not None:
            training.seed = self.seed
        if self.rule is not None:
            training.keep_held_out = True
            training.stopping_share = _core.Training.share_beside_selection
        return training

    def select(
        self,
        core: _core.Ensemble,
        rows: _core.ExampleRows,
        training: _core.Training,
        held_out: _core.ExampleRows | None,
        threads: int,
    ) -> tuple[_core.Ensemble, Selection]:
        """The members that are kept."""
        assert self.rule is not None
        found = core.select(rows, self.rule, self.count, training, held_out, threads)
        members = [core.member(index) for index in found.members]
        return core.keep(found, rows, held_out, threads), Selection(
            self.rule,
            [(member.settings, member.number) for member in members],
            *(
                SelectionScore(score.loss, score.standard_error, score.rows)
                for score in (
                    found.other_rows,
                    found.same_rows,
                    found.all_members,
                    found.difference,
                )
            ),
        )


def combinations(values: dict[str, Iterable[Any]], known: Sequence[str]) -> list[dict[str, Any]]:
    """Every combination of the values of lists."""
    for name, several in values.items():
        if name not in known:
            raise ValueError(
                f"{name!r} cannot differ between members; the settings that can are "
                f"{', '.join(known)}"
            )
        if isinstance(several, (str, bytes)):
            how = (
                "a range, from which sample=64 draws settings; give sample, or a list of values"
                if ".." in str(several)
                else "not a list; give a list of values"
            )
            raise ValueError(f"{name} is {several!r}, {how}")
    lists = {name: list(several) for name, several in values.items()}
    for name, several in lists.items():
        if not several:
            raise ValueError(f"{name} has no values; give a list of at least one")
    return [dict(zip(lists, chosen, strict=True)) for chosen in itertools.product(*lists.values())]


def _drawn_value(name: str, settings: _core.Settings) -> Any:
    value = getattr(settings, name)
    return tuple(value) if name == "hidden" else value


def _deeper(
    bases: list[dict[str, Any]], depths: Iterable[Any], hidden: Any
) -> list[dict[str, Any]]:
    """Each of the settings with each number of hidden layers."""
    found = []
    for base, depth in itertools.product(bases, depths):
        units = base.get("hidden", hidden)
        layers = [units] if isinstance(units, (int, np.integer)) else list(units)
        if len(set(layers)) != 1:
            raise ValueError(
                f"depth is for layers of the same width, but hidden is {units!r}; give the units "
                "of one layer, or a range"
            )
        found.append({**base, "hidden": tuple(layers[:1] * whole_number("depth", depth, 1))})
    return found


def _chosen(estimator: EnsembleEstimator, names: Iterable[str]) -> list[str]:
    """Parameters of the estimator that are not the default: these are not drawn."""
    defaults = inspect.signature(type(estimator)).parameters
    return [
        name
        for name in names
        if name in defaults and getattr(estimator, name) != defaults[name].default
    ]


def _sampled(
    estimator: EnsembleEstimator,
    count: int,
    values: dict[str, Any],
    known: Sequence[str],
    y: Any,
) -> tuple[list[dict[str, Any]], list[_core.Settings], int]:
    """Drawn settings: what is drawn of each, as a dict and whole, and the seed."""
    from bootfold._estimator import _seed

    usual = dict(_core.range_options())
    lists = dict(values)
    ranges = {}
    for name, given in values.items():
        if isinstance(given, str) and ".." in given and name in usual:
            ranges[name] = _core.parse_range(name, given)
            del lists[name]
    given = {*values, *_chosen(estimator, usual)}
    if "hidden" in lists or ("hidden" in given and "hidden" not in ranges):
        given.add("depth")  # layers that are named have a depth
    for name, ends in usual.items():
        if ends is not None and name not in given:
            ranges[name] = ends
    depths = lists.pop("depth", None)
    bases = combinations(lists, (*known, "depth"))
    if "hidden" in ranges:  # so many layers of any width
        bases = [{**base, "hidden": (1,)} for base in bases]
    if depths is not None:
        bases = _deeper(bases, depths, estimator.hidden)
    seed = _seed(estimator.random_state)
    starts = [estimator._settings(**base) for base in bases]
    settings = _core.sample_settings(count, starts, ranges, seed)
    if "batch_size" in ranges:  # batches of any size must fit, whatever is drawn
        least = min(each.subsample for each in settings)
        share = least if estimator.resampling == "subsample" else 1.0
        most = max(1, round(share * np.shape(y)[0]))
        if ranges["batch_size"][1] > most:
            raise ValueError(
                f"batch_size is {values['batch_size']!r} but members have {most} rows; give a "
                "range up to that"
            )
    names = [name for name in known if name in ranges or name in lists]
    if "hidden" not in names and ("depth" in ranges or depths is not None):
        names.insert(0, "hidden")
    return [{name: _drawn_value(name, each) for name in names} for each in settings], settings, seed


def planned(
    estimator: EnsembleEstimator,
    values: dict[str, Any],
    known: Sequence[str],
    *,
    sample: int | None,
    select: str | None,
    keep_best: int | None,
    members: int | None,
    validation: Any,
    y: Any,
) -> Sweep:
    """Checks the arguments of `sweep`."""
    sweep = Sweep(members=None if members is None else whole_number("members", members, 1))
    if sample is None:
        sweep.values = combinations(values, known)
    else:
        count = whole_number("sample", sample, 1)
        sweep.values, sweep.sampled, sweep.seed = _sampled(estimator, count, values, known, y)
        if sweep.members is None:
            sweep.members = _SAMPLED_MEMBERS * max(1, whole_number("share", estimator.share, 0))
    if select is None:
        select = "greedy" if sample is not None else "all" if keep_best is None else "best"
    if select not in ("greedy", "best", "all"):
        raise ValueError(f"select is {select!r} but must be 'greedy', 'best' or 'all'")
    if select == "all":
        if keep_best is not None:
            raise ValueError("select='all' keeps all members, but keep_best keeps some; omit one")
        return sweep
    if keep_best is not None:
        sweep.count = whole_number("keep_best", keep_best, 1)
    elif select == "best":
        raise ValueError("select='best' needs a number of members; give keep_best=50")
    if validation is None and estimator.resampling not in ("bootstrap", "subsample"):
        raise ValueError(
            f"select={select!r} needs rows that members are not trained on, but with resampling "
            f"{estimator.resampling!r} they use all rows; give validation=(X, y), select='all', or "
            "resampling 'bootstrap' or 'subsample'"
        )
    sweep.rule = select
    return sweep
