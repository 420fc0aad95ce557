"""An ensemble of networks that predicts numbers, as scikit-learn's estimators do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from bootfold import _core
from bootfold._estimator import EnsembleEstimator
from bootfold._examples import Examples, weighted
from bootfold._members import Uncertainty
from bootfold._options import memory_bytes, thread_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self

    from bootfold._data import Array
    from bootfold._options import Progress


class EnsembleRegressor(RegressorMixin, EnsembleEstimator):  # type: ignore[misc]
    """Networks that predict a number, each trained on its own resample of the rows.

    The mean over members is the prediction, and how far they disagree says how far to trust it.
    `predict_interval` tells where a new target lies. It is a scikit-learn estimator: pipelines,
    grid search, clone and pickle work; y may have several columns.

    Parameters
    ----------
    members : int
        Networks with each of the settings.
    hidden : int or sequence of int
        Units of each hidden layer; () is a linear model.
    activation : {"relu", "tanh", "gelu"}
    initializer : {"lecun", "glorot", "he"}
        The law of the first weights.
    resampling : {"bootstrap", "none", "subsample", "bayesian"}
        The rows of a member: drawn with replacement, all, a share without replacement, or all with
        exponential weights.
    subsample : float
        Share of the rows for resampling "subsample".
    epochs : float
        Passes through a member's rows.
    steps : int, optional
        Steps in place of epochs.
    batch_size : int, "auto" or "full"
        Rows of a step. "auto": 32, or all rows of a member that has fewer; "full": all.
    optimizer : {"adam", "adamw", "sgd"}
    learning_rate : float
    schedule : {"constant", "cosine"}
    weight_decay : float
        Added to the gradient; by adamw taken from the weights.
    momentum, beta2, epsilon : float
        Momentum of sgd, the first beta of adam; the second beta and epsilon of adam.
    clip : float, optional
        Largest norm of a gradient.
    patience : int, optional
        A member stops once its loss on rows it never sees was not lower for so many looks; the
        best parameters are kept.
    look_every : float
        Epochs between looks.
    reshuffle : bool
        Another order of the rows in every epoch.
    standardize : bool
        Inputs and targets are moved to mean 0 and variance 1.
    loss : {"squared_error", "gaussian"}
        "gaussian": each network tells a mean and a variance, so that the noise may differ from row
        to row.
    random_state : int, numpy.random.Generator, RandomState or None
        The same number gives the same bits, for any number of threads. None: a fresh one.
    threads : int, optional
        All cores unless given.
    memory : int or str, optional
        Memory limit of the parameters of all members and of sums over members, in bytes or such as
        "256M" or "1GiB"; a quarter of what the process may use unless given.
    progress : bool or callable
        As in `bootfold.bootstrap`.

    Attributes
    ----------
    oob_score_ : float
        R2 on the rows of the training, each judged by members that never saw it. Only under
        resampling "bootstrap" and "subsample".
    oob_prediction_ : ndarray of the shape of y
        The predictions that it is made of; NaN for a row that all members saw.
    members_ : list
        What became of each: settings, number, steps, loss, held_out_loss, failure.
    loss_curve_, loss_curves_ : ndarray
        Mean loss in each epoch, of scaled targets: over members, and of each member.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Rows of weight 0 are left out of the training. Weights that are whole numbers are repetitions:
    a row of weight 3 counts as three rows, and gives the same ensemble to the bit. (Not if they
    add up to more than ten times the rows.) Other weights weigh the loss, where only their ratios
    matter. Out of bag, a copy may be judged by members that saw another copy.

    Examples
    --------
    >>> import numpy as np
    >>> import bootfold as bf
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> y = np.sin(3 * X[:, 0])
    >>> model = bf.EnsembleRegressor(members=20, learning_rate=1e-2).fit(X, y)
    >>> model.oob_score_ > 0.9
    True
    >>> mean, std = model.predict(X, return_std=True)
    >>> low, high = model.predict_interval(X, confidence=0.9)
    """

    oob_score_: float
    oob_prediction_: Array

    def __init__(
        self,
        members: int = 100,
        hidden: int | Sequence[int] = (32,),
        *,
        activation: str = "relu",
        initializer: str = "lecun",
        resampling: str = "bootstrap",
        subsample: float = 0.5,
        epochs: float = 100,
        steps: int | None = None,
        batch_size: int | str = "auto",
        optimizer: str = "adam",
        learning_rate: float = 1e-3,
        schedule: str = "constant",
        weight_decay: float = 0.0,
        momentum: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        clip: float | None = None,
        patience: int | None = None,
        look_every: float = 1.0,
        reshuffle: bool = False,
        standardize: bool = True,
        loss: str = "squared_error",
        random_state: Any = 0,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: Progress = False,
    ) -> None:
        self.members = members
        self.hidden = hidden
        self.activation = activation
        self.initializer = initializer
        self.resampling = resampling
        self.subsample = subsample
        self.epochs = epochs
        self.steps = steps
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.momentum = momentum
        self.beta2 = beta2
        self.epsilon = epsilon
        self.clip = clip
        self.patience = patience
        self.look_every = look_every
        self.reshuffle = reshuffle
        self.standardize = standardize
        self.loss = loss
        self.random_state = random_state
        self.threads = threads
        self.memory = memory
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, validation: Any = None) -> Self:
        """Trains the members.

        Parameters
        ----------
        X : array_like of shape (rows, inputs)
        y : array_like of shape (rows,) or (rows, targets)
        sample_weight : array_like of shape (rows,), optional
        validation : (X, y), optional
            Rows that judge members for early stopping (`patience`) and `held_out_loss`, in place of
            those that each does not see.
        """
        return self._fit(X, y, sample_weight, validation, [{}], None)

    def sweep(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        validation: Any = None,
        keep_best: int | None = None,
        **values: Iterable[Any],
    ) -> Self:
        """Trains `members` networks with every combination of the values, all in one run.

        As `EnsembleClassifier.sweep`: `sweep_` is the table, `best_params_` the best settings.
        """
        return self._fit(X, y, sample_weight, validation, self._combinations(values), keep_best)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        validation: Any,
        swept: Sequence[dict[str, Any]],
        keep_best: int | None,
    ) -> Self:
        X, y = validate_data(
            self,
            X,
            y,
            dtype=[np.float64, np.float32],
            ensure_min_samples=2,
            multi_output=True,
            y_numeric=True,
        )
        y = np.asarray(y, dtype=np.float64)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self._single = y.ndim == 1
        targets = y.reshape(y.shape[0], -1)
        examples = weighted(X, targets, sample_weight)
        if self.loss not in ("squared_error", "gaussian"):
            raise ValueError(f"loss is {self.loss!r} but must be 'squared_error' or 'gaussian'")
        judges = None
        if validation is not None:
            inputs, truth = self._parts(validation, "validation")
            truth = np.asarray(truth, dtype=np.float64).reshape(len(truth), -1)
            if truth.shape[1] != targets.shape[1]:
                raise ValueError(
                    f"validation has {truth.shape[1]} targets but y has {targets.shape[1]}"
                )
            judges = Examples(inputs, truth, None)
        self._learn(examples, judges, self.loss, swept, keep_best)
        self._learned = examples  # for predict_interval
        found = self._out_of_bag(examples, X)
        if found is not None:
            self.oob_prediction_ = self._shaped(found)
            known = ~np.isnan(found).any(axis=1)
            weights = None if sample_weight is None else sample_weight[known]
            some = known.sum() > 1 and (weights is None or weights.sum() > 0)
            self.oob_score_ = (
                float(r2_score(targets[known], found[known], sample_weight=weights))
                if some
                else float("nan")
            )
        return self

    def _rows(self, examples: Examples) -> _core.Rows:
        targets = examples.targets
        names = [f"target{t + 1}" for t in range(targets.shape[1])]
        return _core.Rows(
            examples.inputs, self._names(), None, [], targets, names, examples.weights, ""
        )

    def _shaped(self, values: Array) -> Array:
        return values[:, 0] if self._single else values

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean over the members; with `return_std` also the standard deviation of a new target.

        That one is the total of `uncertainty`: disagreement of members and noise together.
        """
        said = self._said(X)
        mean = self._shaped(said.mean)
        return (mean, self._shaped(said.total)) if return_std else mean

    def uncertainty(self, X: Any) -> Uncertainty:
        """Standard deviations for each row: of a new target, of the noise, and over the members."""
        said = self._said(X)
        return Uncertainty(*map(self._shaped, (said.total, said.aleatoric, said.epistemic)))

    def predict_interval(
        self,
        X: Any,
        confidence: float = 0.95,
        method: Literal["jackknife+", "normal"] = "jackknife+",
        *,
        training: tuple[Any, ...] | None = None,
    ) -> tuple[Array, Array]:
        """Where new targets lie: lower and upper limits.

        Parameters
        ----------
        X : array_like
        confidence : float
        method : {"jackknife+", "normal"}
            "jackknife+" takes what members were off on rows they never saw, and holds whatever the
            networks do (docs/ensemble-intervals.md); "normal" is mean -+ z total.
        training : (X, y) or (X, y, sample_weight), optional
            The rows of the training, if the estimator was loaded from a file, which has none.
        """
        if method == "normal":
            said = self._said(X)
            low, high = (
                np.array(limits).reshape(said.mean.shape)
                for limits in _core.normal_intervals(said, confidence)
            )
            return self._shaped(low), self._shaped(high)
        if method != "jackknife+":
            raise ValueError(f"method is {method!r} but must be 'jackknife+' or 'normal'")
        inputs = self._checked(X)
        rows = self._rows(self._of_training(training))
        band = self._ensemble.band(
            rows, inputs, float(confidence), memory_bytes(self.memory), thread_number(self.threads)
        )
        return self._shaped(band.low), self._shaped(band.high)

    def _of_training(self, training: tuple[Any, ...] | None) -> Examples:
        if training is None:
            if not hasattr(self, "_learned"):
                raise ValueError(
                    "jackknife+ needs the rows of the training, and a file has none; give them as "
                    "training=(X, y), or take method='normal'"
                )
            return self._learned
        inputs, y = self._parts(training[:2])
        targets = np.asarray(y, dtype=np.float64)
        weights = None
        if len(training) > 2 and training[2] is not None:
            weights = _check_sample_weight(training[2], inputs, dtype=np.float64)
        return weighted(inputs, targets.reshape(targets.shape[0], -1), weights)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads what `save` or ``bootfold ensemble train`` wrote."""
        core = _core.Ensemble.load(os.fspath(path))
        if core.loss == "cross_entropy":
            raise ValueError(f"{path} holds a classification; EnsembleClassifier.load reads it")
        found = cls(loss=core.loss)
        found._take(core)
        found._single = len(core.classes) == 1
        return found

    @property
    def target_scaling_(self) -> tuple[Array, Array]:
        """Means and scales of the targets: networks tell (y - mean) / scale."""
        check_is_fitted(self)
        mean, scale = self._ensemble.target_scaling
        return np.array(mean), np.array(scale)
