"""Members of an estimator one by one, and reports of their epochs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from bootfold import _core

if TYPE_CHECKING:
    from bootfold._data import Array
    from bootfold._estimator import EnsembleEstimator


class Epoch(NamedTuple):
    """An epoch of members that are trained together, as a callback of `fit` is told of it."""

    members: Sequence[int]  #: their indices in `members_`; a range if they follow one another
    epoch: int  #: epochs of this training that are complete; the last may be partial
    step: int  #: steps, including those of earlier trainings
    loss: Array  #: of each member: mean training loss of the epoch
    #: Of each member: loss on the validation rows, or on the rows that it is not trained on. NaN if
    #: there are none. With early stopping it is that of the last validation.
    held_out_loss: Array


def _places(places: list[int]) -> Sequence[int]:
    whole = range(places[0], places[-1] + 1)
    return whole if places == [*whole] else tuple(places)


class EpochCalls:
    """Calls a function after every epoch and tells whether the members go on."""

    def __init__(self, callback: Callable[[Epoch], Any], members: int) -> None:
        if not callable(callback):
            raise TypeError(f"callback is {callback!r} but must be a function of an epoch")
        self._callback = callback
        self._members = members
        self._last: int | None = None

    def __call__(self, told: Any) -> bool:
        settings, numbers, epoch, step, losses, held_out = told
        # After StopIteration no member has more epochs than the one in which it was raised.
        if self._last is not None and epoch >= self._last:
            return False
        places = [s * self._members + n for s, n in zip(settings, numbers, strict=True)]
        made = Epoch(_places(places), epoch, step, np.array(losses), np.array(held_out))
        try:
            found = self._callback(made)
        except StopIteration:
            self._last = epoch
            return False
        return found is None or bool(found)


class Member:
    """One member: the outcome of its training, its parameters and its predictions.

    settings, number, steps, loss, held_out_loss, failure and curve are those of the training. What
    predicts is made when it is asked for.
    """

    settings: int
    number: int
    steps: int
    loss: float
    held_out_loss: float
    failure: str
    curve: list[float]

    def __init__(self, estimator: EnsembleEstimator, place: int) -> None:
        self._estimator = estimator
        self._place = place
        self._told: _core.Member = estimator._ensemble.member(place)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._told, name)

    def __repr__(self) -> str:
        state = f"failed: {self.failure}" if self.failure else f"loss {self.loss:.4g}"
        return f"<member {self._place}, {self.steps:,} steps, {state}>"

    @property
    def parameters(self) -> dict[str, Array]:
        """{"layers.0.weight": [out, in], "layers.0.bias": [out], ...}, not copied."""
        from bootfold._forward import dense_layers, network_sizes
        from bootfold._stacked import LAYER_PARTS

        core = self._estimator._ensemble
        flat = core.parameters(self._place)[None]
        settings = core.settings[self.settings]
        layers = dense_layers(flat, network_sizes(core, settings), settings.layer_norm)
        return {
            f"layers.{number}.{part}": array[0]
            for number, arrays in enumerate(layers)
            for part, array in zip(LAYER_PARTS, arrays, strict=False)
        }

    def predict(self, X: Any) -> Array:
        """The prediction of this member alone."""
        found: Array = self._estimator.subset([self._place]).predict(X)
        return found

    def predict_proba(self, X: Any) -> Array:
        """The class probabilities of this member alone, at temperature 1."""
        alone: Any = self._estimator.subset([self._place])
        if not hasattr(alone, "predict_proba"):
            raise AttributeError("predict_proba is for classes, but the member predicts numbers")
        found: Array = alone.predict_proba(X)
        return found


class Members(Sequence[Member]):
    """The members of an estimator, which are made when they are asked for."""

    def __init__(self, estimator: EnsembleEstimator) -> None:
        self._estimator = estimator

    def __len__(self) -> int:
        return len(self._estimator._ensemble)

    @overload
    def __getitem__(self, place: int) -> Member: ...
    @overload
    def __getitem__(self, place: slice) -> list[Member]: ...
    def __getitem__(self, place: int | slice) -> Member | list[Member]:
        if isinstance(place, slice):
            return [Member(self._estimator, p) for p in range(len(self))[place]]
        return Member(self._estimator, range(len(self))[place])

    def __repr__(self) -> str:
        return f"<{len(self)} members>"
