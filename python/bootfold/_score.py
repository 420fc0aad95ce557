"""How sure a score on a test set is."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold._bootstrap import bootstrap
from bootfold._data import column_names
from bootfold._dates import check_no_dates
from bootfold._metrics import NAMES, OF_CLASSES, OF_PROBABILITIES, Metric, Prepared, known
from bootfold._options import whole_number
from bootfold._result import Result
from bootfold._returned import check_returned
from bootfold._score_ranks import VERSUS, by_ranks, scores_of, value_names
from bootfold._sums import sums
from bootfold._table_rows import predictions_of, rows_of
from bootfold._table_source import table_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bootfold._data import Array
    from bootfold._options import Progress, Seed

_RESPONSES = ("predict", "predict_proba", "decision_function")


def bootstrap_score(
    estimator_or_predictions: Any,
    X: Any,
    y: Any,
    metric: Any = "accuracy",
    *,
    columns: str | Sequence[str] | None = None,
    response: str | None = None,
    versus: Any = None,
    pos_label: Any = None,
    classes: Any = None,
    threshold: float | None = None,
    bins: int = 15,
    replicates: int = 10_000,
    seed: Seed = 0,
    strata: Any = None,
    clusters: Any = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress = False,
) -> Result:
    """How far would this score move with another test set?

    The rows of the test set are drawn again, predictions and truth together; the model is not
    trained again. Predictions are made once.

    Parameters
    ----------
    estimator_or_predictions : estimator, array_like, path, query, ... or a list of two
        A fitted scikit-learn estimator, or what it says of the rows: classes or numbers, or
        probabilities where the metric takes those. A list of two, ``[model, other]``, compares them
        as `versus` does; the values are then called after the classes of the estimators or the
        names of the Series, if these differ, or else "model 1" and "model 2". Or a table that has
        predictions and truth: any that `bootstrap` takes but data frames.
    X : array_like, path, query, ... or None
        The rows of the test set; None where predictions are given.
    y : array_like or column name
        The truth. A name is that of a column of X, or of the table of predictions.
    metric : str or callable
        A name: "accuracy", "f1", "f1_macro", "f1_micro", "f1_weighted", "log_loss", "brier",
        "calibration_error", "roc_auc" (or "auc"), "average_precision", "mean_squared_error",
        "root_mean_squared_error", "mean_absolute_error", "r2" take a fast path, and so do the
        functions of sklearn.metrics they are called after; any other name of a scikit-learn scorer,
        a scorer, or a function of (truth, prediction) is called on every resample.
    columns : str or list of str, optional
        Of a file or query: the columns that the estimator gets (unless given those that it was
        trained on, by name, or else all that have no other use), or those of the predictions.
    response : {"predict", "predict_proba", "decision_function"}, optional
        What a function is given of an estimator; "predict" unless the metric is known to take
        another.
    versus : estimator, array_like or column name, optional
        A second model, or its predictions. Both are scored on the same resamples, and the result
        has three values: the two scores, and the first minus the second. They are called
        "accuracy", "accuracy of versus" and "difference", for example.
    pos_label : optional
        The class that counts, for "f1", and the one that has the greater scores, for "roc_auc" and
        "average_precision". Unless given: 1 if there is one, else the greater of two; for measures
        of ranking the greater.
    classes : array_like, optional
        The classes of the columns of probabilities, where these are given and not in the order of
        the sorted classes in y.
    threshold : float, optional
        For "accuracy" and "f1" of two classes: predictions are scores of the positive class (of an
        estimator, its probabilities), and a row is predicted positive if its score is at least
        this.
    bins : int
        For "calibration_error": the number of equally wide bins of the probability of the positive
        class, or of the predicted class if there are more than two.
    strata, clusters : array_like or column name, optional
        As in `bootstrap`: a label for each row. ``strata=y`` keeps the share of each class.
    replicates, seed, threads, memory, progress
        As in `bootstrap`.

    Returns
    -------
    Result

    Examples
    --------
    >>> import bootfold as bf
    >>> truth = [0, 1, 1, 0, 1, 0, 1, 1, 0, 1] * 20
    >>> said = [0, 1, 0, 0, 1, 0, 1, 1, 1, 1] * 20
    >>> r = bf.bootstrap_score(said, None, truth, "accuracy", seed=7)
    >>> round(r.estimate, 3)
    0.8
    >>> low, high = r.interval("bca")
    >>> 0.70 < low < 0.76 and 0.84 < high < 0.88
    True
    >>> other = [1, 1, 0, 0, 1, 0, 1, 1, 1, 0] * 20
    >>> r = bf.bootstrap_score(said, None, truth, "accuracy", versus=other, seed=7)
    >>> r.outputs
    ['accuracy', 'accuracy of versus', 'difference']
    >>> [round(value, 3) for value in r.estimate.tolist()]
    [0.8, 0.6, 0.2]
    >>> bf.bootstrap_score([said, other], None, truth, "accuracy", seed=7).outputs
    ['accuracy of model 1', 'accuracy of model 2', 'accuracy: model 1 - model 2']
    """
    models: tuple[str, ...] = () if versus is None else VERSUS
    pair = _two_models(estimator_or_predictions, y)
    if pair is not None:
        if versus is not None:
            raise ValueError("versus is given but there are two models already; omit versus")
        estimator_or_predictions, versus = pair
        models = _names_of(*pair)
    roles = {"y": y, "strata": strata, "clusters": clusters, "versus": versus}
    estimator_or_predictions, X, roles = _read(estimator_or_predictions, X, columns, roles)
    y, strata, clusters, versus = roles.values()
    check_no_dates(y, "y")
    truth = np.asarray(y)
    if truth.ndim == 0 or truth.shape[0] == 0:
        raise ValueError("y has no rows; a score needs at least one")
    if response is not None and response not in _RESPONSES:
        raise ValueError(f"response is {response!r} but must be one of {', '.join(_RESPONSES)}")
    subjects = [_Subject(estimator_or_predictions, X, truth.shape[0], classes)]
    if versus is not None:
        own = X if hasattr(versus, "predict") else None
        subjects.append(_Subject(versus, own, truth.shape[0], classes))
    arguments: dict[str, Any] = {
        "replicates": whole_number("replicates", replicates, 1),
        "seed": seed,
        "strata": strata,
        "clusters": clusters,
        "threads": threads,
        "memory": memory,
        "progress": progress,
    }
    fast = known(metric)
    if truth.ndim > 1 and fast is not None:
        if isinstance(metric, str):
            raise ValueError(
                f"y has shape {truth.shape} but {metric!r} takes one column; for several give the "
                "function of sklearn.metrics"
            )
        fast = None
    if threshold is not None and (fast is None or fast.name not in OF_CLASSES):
        raise ValueError(
            f"threshold is {threshold!r} but it is for {' and '.join(OF_CLASSES)} of two classes"
        )
    if threshold is not None and fast is not None and fast.arguments:
        raise ValueError(
            f"threshold is {threshold!r} and the metric has arguments of its own "
            f"({', '.join(sorted(fast.arguments))}); give its name, and pos_label= if it is needed"
        )
    if fast is None or (response is not None and response != fast.response):
        return _by_resamples(subjects, truth, metric, response, models, arguments)
    if fast.prepare is None:
        scored = [
            scores_of(fast.name, truth, s.response(fast.response), s.classes, pos_label)
            for s in subjects
        ]
        return by_ranks(fast.name, scored, models, arguments)
    prepared = []
    for subject in subjects:
        if threshold is None:
            prepared.append(
                _prepared(fast, truth, subject.response(fast.response), subject, pos_label, bins)
            )
        else:
            told = subject.response("predict_proba")
            positive, score = scores_of(fast.name, truth, told, subject.classes, pos_label)
            metric_arguments = {"pos_label": True} if fast.name == "f1" else {}
            prepared.append(fast.prepare(positive, score >= threshold, **metric_arguments))
    return _by_means(prepared, fast.name, models, arguments)


def _two_models(given: Any, y: Any) -> tuple[Any, Any] | None:
    """Two estimators or two arrays of predictions; None if one is given."""
    if not isinstance(given, (list, tuple)):
        return None
    models = [hasattr(one, "predict") for one in given]
    if any(models) and (len(given) != 2 or not all(models)):
        raise ValueError(
            f"there are {len(given)} models in a list but two are compared; give [model, other], "
            "and predictions of a model in place of it as versus="
        )
    if any(models):
        return given[0], given[1]
    rows = -1 if isinstance(y, str) else len(y)
    arrays = [hasattr(one, "__len__") and len(one) == rows for one in given]
    return (given[0], given[1]) if rows > 2 and arrays == [True, True] else None


def _names_of(first: Any, second: Any) -> tuple[str, str]:
    """What two models are called: their classes or the names of Series if these differ."""
    names = [
        type(model).__name__ if hasattr(model, "predict") else getattr(model, "name", None)
        for model in (first, second)
    ]
    if names[0] != names[1] and all(isinstance(name, str) and name for name in names):
        return str(names[0]), str(names[1])
    return "model 1", "model 2"


def _read(
    given: Any, X: Any, columns: str | Sequence[str] | None, roles: dict[str, Any]
) -> tuple[Any, Any, dict[str, Any]]:
    """Rows and predictions that are in files, queries and the like."""
    if hasattr(given, "predict"):
        names = [str(name) for name in getattr(given, "feature_names_in_", ())]
        wanted = names or None if columns is None else column_names(columns)
        in_file = None if type(X) is np.ndarray else table_source(X)
        if columns is not None and in_file is None:
            raise TypeError(f"columns is {columns!r} but X is in memory; select them before")
        X, roles = rows_of(X if in_file is None else in_file, wanted, roles, names=bool(names))
        return given, X, roles
    source = None if type(given) is np.ndarray else table_source(given)
    if source is None or X is not None:
        if columns is not None:
            raise TypeError(f"columns is {columns!r} but there is no table to read them from")
        if any(isinstance(role, str) for role in roles.values()) and X is None:
            raise TypeError(
                "y names a column, but the predictions are no file, query or the like; give arrays"
            )
        return given, X, roles
    found, roles = predictions_of(source, columns, roles)
    return found, X, roles


class _Subject:
    """What is scored: an estimator with its rows, or predictions."""

    def __init__(self, given: Any, X: Any, rows: int, classes: Any) -> None:
        self.estimator = given if hasattr(given, "predict") else None
        self._rows = rows
        self._X = X
        self._found: dict[str, Array] = {}
        self.classes = classes
        if self.estimator is None:
            if X is not None:
                raise ValueError(
                    "X is given but the first argument is not an estimator, which has predict(); "
                    "with predictions X must be None"
                )
            check_no_dates(given, "predictions")
            self._given = self._checked(np.asarray(given), "predictions")
        elif X is None:
            raise ValueError("X is None but an estimator needs the rows of the test set")
        elif classes is None:
            self.classes = getattr(given, "classes_", None)

    def _checked(self, told: Array, what: str) -> Array:
        if told.ndim == 0 or told.shape[0] != self._rows:
            count = 0 if told.ndim == 0 else told.shape[0]
            raise ValueError(
                f"there are {count} {what} but y has {self._rows} rows; there must be as many"
            )
        return told

    def response(self, method: str) -> Array:
        """What the estimator says of all rows; made once."""
        if self.estimator is None:
            return self._given
        if method not in self._found:
            if method == "predict_proba" and not hasattr(self.estimator, method):
                raise ValueError(
                    f"{type(self.estimator).__name__} has no predict_proba, which this metric "
                    "needs; give it predictions, or another response="
                )
            told = np.asarray(getattr(self.estimator, method)(self._X))
            check_no_dates(told, "predictions")
            self._found[method] = self._checked(told, "predictions")
        return self._found[method]


class _Stored:
    """An estimator that knows its answers: rows are numbers of the rows of the test set."""

    def __init__(self, subject: _Subject) -> None:
        self._subject = subject
        original = subject.estimator
        for name in ("classes_", "_estimator_type"):
            if hasattr(original, name):
                setattr(self, name, getattr(original, name))
        for method in _RESPONSES:
            if hasattr(original, method):
                setattr(self, method, self._answer(method))

    def _answer(self, method: str) -> Callable[[Array], Array]:
        def answer(X: Array) -> Array:
            found: Array = self._subject.response(method)[X[:, 0]]
            return found

        answer.__name__ = method  # scorers look at it
        return answer

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        return get_tags(self._subject.estimator)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> _Stored:
        return self


def _prepared(
    metric: Metric, truth: Array, told: Array, subject: _Subject, pos_label: Any, bins: int
) -> Prepared:
    arguments = dict(metric.arguments)
    if metric.name in OF_PROBABILITIES:
        arguments["classes"] = subject.classes
    elif told.shape != truth.shape:
        raise ValueError(
            f"predictions have shape {told.shape} but y has {truth.shape}; {metric.name} compares "
            "them one by one"
        )
    if metric.name == "calibration_error":
        arguments["bins"] = whole_number("bins", bins, 1)
    if metric.name == "f1" and pos_label is not None:
        arguments["pos_label"] = pos_label
    assert metric.prepare is not None
    return metric.prepare(truth, told, **arguments)


def _by_means(
    prepared: list[Prepared], name: str, models: tuple[str, ...], arguments: dict[str, Any]
) -> Result:
    columns = tuple(column for one in prepared for column in one.columns)

    def finish(means: Array) -> Array:
        found = []
        first = 0
        for one in prepared:
            found.append(one.finish(means[first : first + len(one.columns)]))
            first += len(one.columns)
        return found[0] if len(found) == 1 else np.stack([*found, found[0] - found[1]])

    statistic = sums(
        lambda *features: features, finish, name=name, outputs=value_names(name, models)
    )
    return bootstrap(columns, statistic, paired=True, **arguments)


def _by_resamples(
    subjects: list[_Subject],
    truth: Array,
    metric: Any,
    response: str | None,
    models: tuple[str, ...],
    arguments: dict[str, Any],
) -> Result:
    """Any metric: called on the rows of every resample."""
    scorer = metric
    if isinstance(metric, str):
        from sklearn.metrics import get_scorer, get_scorer_names

        if metric not in get_scorer_names():
            near = difflib.get_close_matches(metric, [*NAMES, *get_scorer_names()], 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; such as {', '.join(NAMES)}"
            raise ValueError(f"metric is {metric!r} but there is none of that name{hint}")
        scorer = get_scorer(metric)
    if not callable(scorer):
        raise TypeError(f"metric is {metric!r} but must be a name or a function")
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", "score")
    if name == "<lambda>":
        name = "score"
    scores = [_score_of(subject, truth, metric, scorer, response) for subject in subjects]

    def score(rows: Array) -> Any:
        place = rows.astype(np.intp)
        found = [one(place) for one in scores]
        check_returned(found, f"the statistic {name}", "a number")
        if len(found) == 1:
            return found[0]
        return dict(zip(value_names(name, models), (*found, found[0] - found[1]), strict=True))

    score.__name__ = name
    return bootstrap(np.arange(truth.shape[0]), score, vectorized=False, **arguments)


def _score_of(
    subject: _Subject, truth: Array, metric: Any, scorer: Any, response: str | None
) -> Callable[[Array], Any]:
    """The score of some rows, by their numbers."""
    if hasattr(scorer, "_score_func"):  # made by make_scorer: called as scorer(estimator, X, y)
        if subject.estimator is None:
            raise ValueError(
                f"metric is the scorer {metric!r}, which needs an estimator and its rows; with "
                "predictions give a function of (truth, prediction)"
            )
        stored = _Stored(subject)
        return lambda place: scorer(stored, place[:, None], truth[place])
    told = subject.response(response or "predict")
    return lambda place: scorer(truth[place], told[place])
