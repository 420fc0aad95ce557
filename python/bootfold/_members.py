"""Trained members: their parameters for other packages, and their pickles."""

from __future__ import annotations

import copyreg
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bootfold import _core
from bootfold._saved import content_of, object_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._data import Array


class _Shares(NamedTuple):
    total: Array  #: aleatoric and epistemic together
    aleatoric: Array  #: noise, which no member can predict
    epistemic: Array  #: disagreement of members, which more data would reduce


class Uncertainty(_Shares):
    """Uncertainty of predictions: (total, aleatoric, epistemic).

    The attribute `outside` is for each row the number of inputs outside the range of the training
    rows. Far from these rows networks may agree, so that a small uncertainty means little there.
    """

    outside: Array

    def __new__(
        cls, total: Array, aleatoric: Array, epistemic: Array, outside: Array
    ) -> Uncertainty:
        found = super().__new__(cls, total, aleatoric, epistemic)
        found.outside = outside
        return found

    def __getnewargs__(self) -> tuple[Array, Array, Array, Array]:
        return (*self, self.outside)


def ensemble_of(content: bytes) -> _core.Ensemble:
    """The ensemble of a safetensors file."""
    return object_of(content, _core.Ensemble.load)


def _reduced(core: _core.Ensemble) -> tuple[Any, ...]:
    return ensemble_of, (content_of(core),)


copyreg.pickle(_core.Ensemble, _reduced)


def curves(members: Sequence[Sequence[float]]) -> Array:
    """[member][epoch]; NaN after the end of a member that stopped early."""
    found = np.full((len(members), max(map(len, members))), np.nan)
    for row, curve in zip(found, members, strict=True):
        row[: len(curve)] = curve
    return found


def sweep_table(core: _core.Ensemble, swept: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The table of a sweep: a row for each of the settings."""
    all_ = core.settings_summaries
    columns: dict[str, Any] = {}
    for name in swept[0]:
        column = np.empty(len(swept), dtype=object)
        column[:] = [values[name] for values in swept]
        columns[name] = column
    columns["members"] = np.array([s.members for s in all_])
    columns["failed"] = np.array([s.failed for s in all_])
    columns["steps"] = np.array([s.steps.mean for s in all_])
    for name in ("loss", "held_out_loss"):
        columns[name] = np.array([getattr(s, name).mean for s in all_])
        columns[f"{name}_std"] = np.array([getattr(s, name).deviation for s in all_])
    return columns
