"""Prediction sets of a classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bootfold import _core
from bootfold._conformal import check_confidence, held_out_scores
from bootfold._estimator import EnsembleEstimator
from bootfold._examples import Examples
from bootfold._options import thread_number

if TYPE_CHECKING:
    from bootfold._data import Array


def sets_of(
    core: _core.Ensemble,
    prediction: _core.Prediction,
    confidence: float,
    method: str,
    scores: _core.ConformalScores,
) -> Array:
    """Sets [row][class]; of targets and labels [row][target][0 or 1]."""
    found = _core.prediction_sets(core, prediction, confidence, method, scores)
    rows = prediction.mean.shape[0]
    sets = np.frombuffer(found, dtype=np.bool_).reshape(rows, len(core.classes), -1).copy()
    return sets[:, :, 0] if core.loss in ("cross_entropy", "binary") else sets


class SetEstimator(EnsembleEstimator):
    """An estimator of classes or labels with prediction sets."""

    _several: bool

    def _codes(self, truth: Array, what: str = "validation") -> Array:
        """Codes of the classes of rows."""
        raise NotImplementedError

    def _label_columns(self, y: Any, what: str) -> Array:
        """Columns of 0 and 1 of other rows."""
        raise NotImplementedError

    def predict_set(
        self,
        X: Any,
        confidence: float = 0.9,
        method: Literal["threshold", "adaptive"] = "threshold",
        *,
        calibration: tuple[Any, Any] | None = None,
    ) -> Array:
        """Prediction sets: for each row the classes that the true one is among, as booleans.

        If new rows are like those of the calibration, the set of a row has its class with
        probability at least `confidence`, however wrong the probabilities are. Of several labels,
        whether 0 and 1 belong to the set of each label, which has its value with that probability.

        Parameters
        ----------
        X : array_like
        confidence : float
        method : {"threshold", "adaptive"}
            "threshold": classes whose probability is high enough, which gives the smallest sets.
            "adaptive": the most probable classes up to a sum, which gives larger sets for rows
            that are difficult, and needless ones if probabilities are overconfident; not for
            labels. The most probable class is in every set.
        calibration : (X, y), optional
            Rows that were not used for training. Unless given: `validation` of `fit`, else the
            out-of-bag probabilities of the training rows, for which coverage is nearly always at
            least as stated but without a theorem. The estimator keeps what sets need of these
            rows, also in files and pickles.

        Returns
        -------
        ndarray of bool, [row][class] in the order of `classes_`; of several labels
        [row][label][value], where value is 0 or 1.

        Examples
        --------
        >>> import bootfold as bf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = bf.EnsembleClassifier(members=50, learning_rate=1e-2).fit(X, y)
        >>> sets = model.predict_set(X, confidence=0.99)
        >>> sets.shape, bool(sets[range(150), y].mean() >= 0.98)
        ((150, 3), True)
        """
        check_is_fitted(self)
        if method not in ("threshold", "adaptive"):
            raise ValueError(f"method is {method!r} but must be 'threshold' or 'adaptive'")
        if self._several and method == "adaptive":
            raise ValueError(
                "method 'adaptive' is for classes, but there are several labels; use 'threshold'"
            )
        level = check_confidence(confidence)
        rows = None if calibration is None else self._calibration_rows(calibration)
        scores = held_out_scores(
            self._ensemble, rows, thread_number(self.threads), self._without_scores
        )

        def compute(inputs: Array) -> tuple[Array, ...]:
            prediction = self._prediction(inputs)
            return (sets_of(self._ensemble, prediction, level, method, scores),)

        return self._of_rows(X, compute)[0]

    def _calibration_rows(self, calibration: tuple[Any, Any]) -> _core.ExampleRows:
        inputs, y = self._parts(calibration, "calibration")
        if self._several:
            return self._rows(Examples(inputs, self._label_columns(y, "calibration"), None))
        return self._rows(Examples(inputs, self._codes(y, "calibration")[:, None], None))
