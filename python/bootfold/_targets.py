"""Losses and transforms of targets, as estimators take them, and scores of their predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import d2_pinball_score, d2_tweedie_score, r2_score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold import _core
    from bootfold._data import Array

#: Losses of all targets of a regressor.
LOSSES = ("squared_error", "gaussian", "huber", "pinball", "poisson")
#: Losses that one of several targets can have.
TARGET_LOSSES = (*LOSSES, "binary")
TRANSFORMS = ("log", "yeo-johnson", "quantile")

#: The loss, first column and number of columns of a target.
Columns = tuple[str, int, int]


def check_loss(loss: Any, targets: int) -> str | list[str]:
    """The loss of all targets, or that of each."""
    if isinstance(loss, str):
        if loss not in LOSSES:
            raise ValueError(
                f"loss is {loss!r} but must be one of {', '.join(LOSSES)}, or a list with the loss "
                "of each target"
            )
        return loss
    try:
        found = [str(each) for each in loss]
    except TypeError:
        raise TypeError(f"loss is {loss!r} but must be a word, or one for each target") from None
    for each in found:
        if each not in TARGET_LOSSES:
            raise ValueError(
                f"the loss of a target is {each!r} but must be one of {', '.join(TARGET_LOSSES)}"
            )
    if len(found) != targets:
        raise ValueError(f"there are {len(found)} losses but y has {targets} targets")
    return found


def numbers(name: str, value: Any) -> list[float]:
    """One number or several."""
    try:
        return [float(each) for each in np.atleast_1d(np.asarray(value, dtype=np.float64))]
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r} but must be a number or a list of numbers") from None


def transforms(value: Any) -> list[str]:
    """One transform or several."""
    if value is None:
        return []
    found = [value] if isinstance(value, str) else list(value)
    for each in found:
        if each is not None and each not in (*TRANSFORMS, "none"):
            raise ValueError(
                f"target_transform is {each!r} but must be None or one of {', '.join(TRANSFORMS)}"
            )
    return ["none" if each is None else each for each in found]


def set_targets(training: _core.Training, estimator: Any, loss: str | Sequence[str]) -> None:
    """Sets the loss and what belongs to it."""
    if isinstance(loss, str):
        training.loss = loss
    else:
        training.losses = list(loss)
    used = {loss} if isinstance(loss, str) else set(loss)
    if "pinball" in used:
        training.quantiles = numbers("quantiles", estimator.quantiles)
    if "huber" in used:
        training.huber_delta = float(estimator.huber_delta)
    if getattr(estimator, "pos_weight", None) is not None:
        training.pos_weight = numbers("pos_weight", estimator.pos_weight)
    if getattr(estimator, "target_transform", None) is not None:
        training.target_transforms = transforms(estimator.target_transform)


def score_of_targets(
    columns: Sequence[Columns],
    quantiles: Sequence[float],
    truth: Array,
    found: Array,
    weights: Array | None,
) -> float:
    """Mean over targets of R2, or of D2 of quantiles and rates."""
    scores = []
    for number, (loss, first, count) in enumerate(columns):
        own = truth[:, number]
        if loss == "pinball":
            each = [
                d2_pinball_score(own, found[:, first + k], sample_weight=weights, alpha=q)
                for k, q in enumerate(quantiles[:count])
            ]
            scores.append(np.mean(each))
        elif loss == "poisson":
            scores.append(d2_tweedie_score(own, found[:, first], sample_weight=weights, power=1))
        else:
            scores.append(r2_score(own, found[:, first], sample_weight=weights))
    return float(np.mean(scores))
