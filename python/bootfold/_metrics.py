"""Metrics that are functions of means over rows, so that a resample costs no new look at them."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bootfold._data import Array


@dataclass(frozen=True, slots=True)
class Prepared:
    """Columns, and what the metric is of their means."""

    columns: tuple[Array, ...]
    finish: Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric that is known by name: what it asks an estimator for, and how it is made."""

    name: str
    response: str
    prepare: Callable[..., Prepared] | None  #: None: a measure of ranking
    arguments: Mapping[str, Any]


def _first(means: Array) -> Array:
    found: Array = means[0]
    return found


def _accuracy(truth: Array, told: Array) -> Prepared:
    return Prepared((truth == told,), _first)


def true_class(truth: Array, told: Array, classes: Array | None) -> tuple[Array, Array]:
    """Probabilities [row][class], and the number of each row's true class."""
    names = np.unique(truth) if classes is None else np.asarray(classes)
    if told.ndim == 1:
        told = np.column_stack([1 - told, told])
    if told.shape[1] != len(names):
        raise ValueError(
            f"there are probabilities of {told.shape[1]} classes but {len(names)} classes "
            f"({', '.join(map(str, names[:10]))}); classes= names all of them in their order"
        )
    order = np.argsort(names, kind="stable")
    place = np.searchsorted(names, truth, sorter=order).clip(max=len(names) - 1)
    codes = order[place]
    unknown = names[codes] != truth
    if unknown.any():
        row = int(unknown.argmax())
        raise ValueError(f"y[{row}] is {truth.tolist()[row]!r}, a class without a probability")
    return told, codes


def _log_loss(truth: Array, told: Array, classes: Array | None = None) -> Prepared:
    probabilities, codes = true_class(truth, told, classes)
    wide = probabilities.astype(np.float64, copy=False)
    # As scikit-learn: no probability is nearer to 0 or 1 than its type can tell.
    least = np.finfo(probabilities.dtype if probabilities.dtype.kind == "f" else np.float64).eps
    own = np.take_along_axis(wide, codes[:, None], axis=1)[:, 0].clip(least, 1 - least)
    return Prepared((-np.log(own),), _first)


def _brier(truth: Array, told: Array, classes: Array | None = None) -> Prepared:
    probabilities, codes = true_class(truth, told, classes)
    wide = probabilities.astype(np.float64, copy=False)
    if told.ndim == 1 or wide.shape[1] == 2:  # scikit-learn: of the positive class alone
        return Prepared(((wide[:, 1] - (codes == 1)) ** 2,), _first)
    own = np.take_along_axis(wide, codes[:, None], axis=1)[:, 0]
    return Prepared(((wide**2).sum(axis=1) - 2 * own + 1,), _first)


def _calibration_error(
    truth: Array, told: Array, classes: Array | None = None, bins: int = 15
) -> Prepared:
    """Expected calibration error in equally wide bins: sums of confidence - accuracy in each."""
    probabilities, codes = true_class(truth, told, classes)
    wide = probabilities.astype(np.float64, copy=False)
    if told.ndim == 1 or wide.shape[1] == 2:
        confidence, right = wide[:, 1], codes == 1
    else:
        confidence, right = wide.max(axis=1), wide.argmax(axis=1) == codes
    if not ((confidence >= 0) & (confidence <= 1)).all():
        raise ValueError("some probabilities are outside [0, 1]; calibration_error needs them")
    # Bins are (0, 1/bins], (1/bins, 2/bins], ...; 0 belongs to the first.
    place = np.ceil(confidence * bins).astype(np.intp).clip(1, bins) - 1
    excess = confidence - right
    columns = tuple(np.where(place == b, excess, 0.0) for b in np.unique(place))
    return Prepared(columns, lambda means: abs(means).sum(axis=0))


def positive(truth: Array, told: Array, pos_label: Any) -> Any:
    """The class that counts: the one named, else 1, else the greater of two."""
    names = np.union1d(truth, told)
    if pos_label is not None:
        if pos_label not in names:
            raise ValueError(
                f"pos_label is {pos_label!r} but the classes are {', '.join(map(str, names))}"
            )
        return pos_label
    if len(names) > 2:
        raise ValueError(
            f"there are {len(names)} classes and f1 is of one of them; take 'f1_macro', "
            "'f1_micro' or 'f1_weighted', or name the class by pos_label="
        )
    return 1 if names.dtype.kind in "biuf" and 1 in names else names[-1]


def _f1(
    truth: Array, told: Array, average: str | None = "binary", pos_label: Any = None
) -> Prepared:
    if average == "micro":
        return _accuracy(truth, told)
    if average == "binary":
        names: Any = [positive(truth, told, pos_label)]
    elif average in ("macro", "weighted"):
        names = np.union1d(truth, told)
    else:
        raise ValueError(
            f"average is {average!r} but must be 'binary', 'micro', 'macro' or 'weighted'"
        )
    columns: list[Array] = []
    for name in names:
        true, said = truth == name, told == name
        columns += [true & said, true.astype(np.uint8) + said, true]
    least = 0.5 / truth.shape[0]  # of a mean, if some row counts

    def finish(means: Array) -> Array:
        hits, both, true = means[0::3], means[1::3], means[2::3]
        there = both > least
        each = np.where(there, 2 * hits / np.where(there, both, 1), 0.0)
        if average == "binary":
            found: Array = each[0]
        elif average == "macro":  # scikit-learn leaves classes out that a resample has not
            found = each.sum(axis=0) / there.sum(axis=0)
        else:
            found = (each * true).sum(axis=0) / true.sum(axis=0)
        return found

    return Prepared(tuple(columns), finish)


def _errors(truth: Array, told: Array) -> Array:
    return truth.astype(np.float64) - told.astype(np.float64)


def _squared(truth: Array, told: Array) -> Prepared:
    return Prepared((_errors(truth, told) ** 2,), _first)


def _root(truth: Array, told: Array) -> Prepared:
    return Prepared((_errors(truth, told) ** 2,), lambda means: np.sqrt(means[0]))


def _absolute(truth: Array, told: Array) -> Prepared:
    return Prepared((abs(_errors(truth, told)),), _first)


def _r2(truth: Array, told: Array) -> Prepared:
    centred = truth.astype(np.float64) - truth.mean()  # so that nothing cancels

    def finish(means: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = 1 - means[0] / (means[2] - means[1] ** 2)
        return found

    return Prepared((_errors(truth, told) ** 2, centred, centred**2), finish)


_NAMED: dict[str, tuple[str, Callable[..., Prepared] | None, dict[str, Any]]] = {
    "accuracy": ("predict", _accuracy, {}),
    "log_loss": ("predict_proba", _log_loss, {}),
    "brier": ("predict_proba", _brier, {}),
    "calibration_error": ("predict_proba", _calibration_error, {}),
    "f1": ("predict", _f1, {}),
    "f1_macro": ("predict", _f1, {"average": "macro"}),
    "f1_micro": ("predict", _f1, {"average": "micro"}),
    "f1_weighted": ("predict", _f1, {"average": "weighted"}),
    "roc_auc": ("predict_proba", None, {}),
    "average_precision": ("predict_proba", None, {}),
    "mean_squared_error": ("predict", _squared, {}),
    "root_mean_squared_error": ("predict", _root, {}),
    "mean_absolute_error": ("predict", _absolute, {}),
    "r2": ("predict", _r2, {}),
}
NAMES = tuple(_NAMED)
_ALIASES = {"auc": "roc_auc", "brier_score": "brier"}
#: Metrics of classes, which a threshold makes of scores.
OF_CLASSES = ("accuracy", "f1")
#: Metrics of probabilities, whose columns have classes.
OF_PROBABILITIES = ("log_loss", "brier", "calibration_error")
# Functions of sklearn.metrics, and the arguments of theirs that are known here.
_OF_SKLEARN: dict[str, tuple[str, tuple[str, ...]]] = {
    "accuracy_score": ("accuracy", ()),
    "log_loss": ("log_loss", ()),
    "f1_score": ("f1", ("average", "pos_label")),
    "roc_auc_score": ("roc_auc", ()),
    "average_precision_score": ("average_precision", ()),
    "brier_score_loss": ("brier", ()),
    "mean_squared_error": ("mean_squared_error", ()),
    "root_mean_squared_error": ("root_mean_squared_error", ()),
    "mean_absolute_error": ("mean_absolute_error", ()),
    "r2_score": ("r2", ()),
}


def known(metric: Any) -> Metric | None:
    """The metric that a name or a function of scikit-learn stands for, if it is a fast one."""
    arguments: dict[str, Any] = {}
    if isinstance(metric, str):
        name = _ALIASES.get(metric, metric)
    else:
        function = metric
        if isinstance(metric, functools.partial):
            if metric.args:
                return None
            function, arguments = metric.func, dict(metric.keywords)
        module = getattr(function, "__module__", None) or ""
        if not module.startswith("sklearn.metrics"):
            return None
        name, allowed = _OF_SKLEARN.get(getattr(function, "__name__", ""), ("", ()))
        if any(key not in allowed for key in arguments) or arguments.get("average", "") is None:
            return None
    if name not in _NAMED:
        return None
    response, prepare, own = _NAMED[name]
    return Metric(name, response, prepare, {**own, **arguments})
