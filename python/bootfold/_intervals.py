"""Prediction intervals of a regressor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from bootfold import _core
from bootfold._conformal import check_confidence, held_out_scores, no_scores
from bootfold._dates import check_no_dates
from bootfold._estimator import EnsembleEstimator
from bootfold._examples import Examples, weighted
from bootfold._options import memory_bytes, thread_number
from bootfold._sets import sets_of

if TYPE_CHECKING:
    from bootfold._data import Array

METHODS = ("auto", "conformal", "scaled", "jackknife+", "normal")


class IntervalEstimator(EnsembleEstimator):
    """An estimator of numbers with prediction intervals."""

    _single: bool
    _training_examples: Examples

    def predict_interval(
        self,
        X: Any,
        confidence: float = 0.95,
        method: Literal["auto", "conformal", "scaled", "jackknife+", "normal"] = "auto",
        *,
        training: tuple[Any, ...] | None = None,
        calibration: tuple[Any, Any] | None = None,
    ) -> tuple[Array, Array]:
        """Prediction intervals: lower and upper limits for new targets.

        Parameters
        ----------
        X : array_like
        confidence : float
            Share of new targets that the intervals cover.
        method : {"auto", "conformal", "scaled", "jackknife+", "normal"}
            "conformal" is mean -+ a quantile of residuals: of `calibration`, else of the
            `validation` rows of `fit`, else out of bag. "scaled" is the same with residuals divided
            by the total of `uncertainty`, so that intervals are wider where members are unsure.
            The estimator keeps what they need, also in files and pickles. Of targets with
            `target_transform` "log" and "yeo-johnson" both are made on the transformed scale. With
            loss "pinball" they are the lowest and highest quantile, moved by what held-out rows
            tell. "jackknife+" uses the out-of-bag residual of each training row. These have stated
            coverage for any networks (docs/ensemble-intervals.md). "normal" is mean -+ z total, for
            normal noise; of a transformed target, of which the limits are transformed back; of
            rates the quantiles of a negative binomial distribution. Targets with loss "binary" have
            limits NaN, and sets (`predict_set`). "auto": "scaled", and "conformal" for quantiles,
            with fewer than 20 members (or groups of `share` members) and if members were trained
            on all rows (`resampling` "none" and "bayesian"); "jackknife+" with `training`.
        training : (X, y) or (X, y, sample_weight), optional
            The training rows, for "jackknife+" of an estimator from a file, which does not have
            them.
        calibration : (X, y), optional
            Rows that were not used for training, for "conformal" and "scaled".

        Raises
        ------
        ValueError
            If members were trained on all rows (resampling "none" and "bayesian") and there are no
            held-out rows: their disagreement alone does not tell where a new target lies.
        """
        check_is_fitted(self)
        if method not in METHODS:
            raise ValueError(f"method is {method!r} but must be one of {', '.join(METHODS)}")
        if calibration is not None and method in ("jackknife+", "normal"):
            raise ValueError(
                f"calibration is for method 'conformal' and 'scaled', not {method!r}; omit it"
            )
        self._check_interval(method)
        level = check_confidence(confidence)
        if method == "auto":
            method = self._automatic_interval(training, calibration)
            if calibration is None and method in ("conformal", "scaled"):
                self._make_scores()
        if method in ("jackknife+", "normal") and (not self._leaves_rows_out or self._rows_moved):
            reason = "moved" if self._rows_moved else self._without_scores
            raise ValueError(no_scores(self._ensemble, reason))
        if method == "jackknife+":
            return self._jackknife_plus(X, level, self._training_rows(training))
        scores = None
        if method != "normal":
            rows = None if calibration is None else self._calibration_rows(calibration)
            scores = held_out_scores(
                self._ensemble, rows, thread_number(self.threads), self._without_scores
            )
        return self._limits(X, level, method, scores)

    def predict_set(
        self,
        X: Any,
        confidence: float = 0.9,
        *,
        calibration: tuple[Any, Any] | None = None,
    ) -> Array:
        """Prediction sets of the targets with loss "binary": whether 0 and 1 belong to them.

        As `predict_set` of `EnsembleClassifier` for labels: the set of a target of a row has its
        value with probability at least `confidence`, and the more probable value always.

        Parameters
        ----------
        X : array_like
        confidence : float
        calibration : (X, y), optional
            Rows that were not used for training, with all targets. Unless given: `validation` of
            `fit`, else the out-of-bag probabilities of the training rows.

        Returns
        -------
        ndarray of bool, [row][target][value]: targets with loss "binary" in the order of y, and
        value 0 or 1.

        Raises
        ------
        ValueError
            If no target has loss "binary"; `predict_interval` is for numbers.
        """
        check_is_fitted(self)
        losses = [loss for loss, _, _ in self._ensemble.target_columns]
        places = [place for place, loss in enumerate(losses) if loss == "binary"]
        if not places:
            raise ValueError(
                "predict_set is for targets of 0 and 1 (loss 'binary'), but the loss is "
                f"{', '.join(dict.fromkeys(losses))}; predict_interval is for numbers"
            )
        level = check_confidence(confidence)
        rows = None if calibration is None else self._calibration_rows(calibration)
        if rows is None:
            self._make_scores()
        threads = thread_number(self.threads)
        scores = held_out_scores(self._ensemble, rows, threads, self._without_scores)

        def compute(inputs: Array) -> tuple[Array, ...]:
            prediction = self._prediction(inputs)
            return (sets_of(self._ensemble, prediction, level, "threshold", scores)[:, places],)

        return self._of_rows(X, compute)[0]

    def _automatic_interval(
        self, training: tuple[Any, ...] | None, calibration: tuple[Any, Any] | None
    ) -> Literal["conformal", "scaled", "jackknife+"]:
        if calibration is None and training is not None and not self._quantiles_only:
            return "jackknife+"
        scaled = self._leaves_rows_out and not self._quantiles_only and not self._few_members
        return "scaled" if scaled else "conformal"

    @property
    def _few_members(self) -> bool:
        """Whether deviations of members are too random to scale by, as the core decides it."""
        core = self._ensemble
        group = max(1, core.share)
        good = {(m.settings, m.number // group) for m in core.members if not m.failure}
        return len(good) < 20

    def _make_scores(self) -> None:
        """Out-of-bag scores that `subset` dropped, if the training rows are there."""
        if self._ensemble.conformal.rows != "none" or not self._leaves_rows_out:
            return
        if self._rows_moved:
            return
        examples = getattr(self, "_training_examples", None)
        # A copy of a row is predicted by members that were trained on another copy.
        if examples is not None and not examples.repeats:
            rows, threads = self._rows(examples), thread_number(self.threads)
            self._ensemble.set_conformal(_core.out_of_bag_scores(self._ensemble, rows, threads))

    @property
    def _quantiles_only(self) -> bool:
        """Whether no target has a predicted mean."""
        losses = {loss for loss, _, _ in self._ensemble.target_columns}
        return losses <= {"pinball", "binary"}

    def _check_interval(self, method: str) -> None:
        losses = {loss for loss, _, _ in self._ensemble.target_columns}
        if losses == {"binary"}:
            raise ValueError(
                "all targets are probabilities, which have no prediction intervals; predict_set "
                "gives sets of 0 and 1"
            )
        if method in ("jackknife+", "normal") and self._quantiles_only:
            raise ValueError(
                f"method {method!r} is for predicted means, but loss 'pinball' predicts quantiles; "
                "use method='conformal', or the quantiles of predict"
            )
        if method == "scaled" and self._quantiles_only:
            raise ValueError(
                "method 'scaled' divides by the standard deviation of a new target, which loss "
                "'pinball' does not predict; use method='conformal'"
            )

    def _limits(
        self, X: Any, confidence: float, method: str, scores: _core.ConformalScores | None
    ) -> tuple[Array, Array]:
        def compute(inputs: Array) -> tuple[Array, ...]:
            prediction = self._prediction(inputs)
            band = _core.intervals(self._ensemble, prediction, confidence, method, scores)
            return band.low, band.high

        low, high = self._of_rows(X, compute)
        return self._of_targets(low), self._of_targets(high)

    def _jackknife_plus(self, X: Any, confidence: float, training: Examples) -> tuple[Array, Array]:
        rows = self._rows(training)
        memory, threads = memory_bytes(self.memory), thread_number(self.threads)

        def compute(inputs: Array) -> tuple[Array, ...]:
            band = self._ensemble.band(rows, inputs, confidence, memory, threads)
            return band.low, band.high

        low, high = self._of_rows(X, compute)
        return self._of_targets(low), self._of_targets(high)

    def _of_targets(self, values: Array) -> Array:
        """Numbers [row][target] in the shape of y."""
        return values[:, 0] if self._single else values

    def _calibration_rows(self, calibration: tuple[Any, Any]) -> _core.ExampleRows:
        inputs, y = self._parts(calibration, "calibration")
        check_no_dates(y, "y")
        targets = np.asarray(y, dtype=np.float64).reshape(len(inputs), -1)
        if targets.shape[1] != len(self._ensemble.classes):
            raise ValueError(
                f"calibration has {targets.shape[1]} targets but the estimator has "
                f"{len(self._ensemble.classes)}"
            )
        return self._rows(Examples(inputs, targets, None))

    def _training_rows(self, training: tuple[Any, ...] | None) -> Examples:
        if training is None:
            if not hasattr(self, "_training_examples"):
                raise ValueError(
                    "jackknife+ needs the training rows, which a file does not have; give them as "
                    "training=(X, y), or use method='conformal'"
                )
            return self._training_examples
        if not isinstance(training, tuple) or not 2 <= len(training) <= 3:
            raise TypeError("training must be a pair (X, y), or (X, y, sample_weight)")
        X, y, sample_weight = self._given(*training)
        inputs, y = self._parts((X, y))
        check_no_dates(y, "y")
        targets = np.asarray(y, dtype=np.float64)
        weights = None
        if sample_weight is not None:
            check_no_dates(sample_weight, "sample_weight")
            weights = _check_sample_weight(sample_weight, inputs, dtype=np.float64)
        return weighted(inputs, targets.reshape(targets.shape[0], -1), weights)
