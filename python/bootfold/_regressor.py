"""A regressor: an ensemble of networks with the interface of scikit-learn."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from bootfold import _core
from bootfold._conformal import check_confidence, residual_limits
from bootfold._dates import check_no_dates
from bootfold._engines import together
from bootfold._estimator import Continued, EnsembleEstimator
from bootfold._examples import Examples, weighted
from bootfold._members import Uncertainty
from bootfold._options import memory_bytes, thread_number

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    from typing_extensions import Self

    from bootfold._data import Array
    from bootfold._member_views import Epoch
    from bootfold._options import Progress


class EnsembleRegressor(RegressorMixin, EnsembleEstimator):  # type: ignore[misc]
    """An ensemble of neural networks, each trained on its own resample of the rows.

    The prediction is the mean over the members, and `uncertainty` measures how much the members
    disagree. `predict_interval` gives prediction intervals. It is a scikit-learn estimator:
    pipelines, grid search, clone and pickle work; y may have several columns.

    Parameters
    ----------
    members : int
        Networks for each of the settings.
    hidden : int or sequence of int
        Units of each hidden layer; () is a linear model.
    activation : {"relu", "tanh", "gelu", "silu"}
    initializer : {"lecun", "glorot", "he"}
        Distribution of the initial weights.
    layer_norm : bool
        Layer normalization, with learned gains and offsets, before the activation of each hidden
        layer.
    residual : bool
        Hidden layers with as many units as the hidden layer before them add their input to their
        output.
    share : bool
        Weight sharing, as in BatchEnsemble and TabM: members with the same settings share the
        weights of their hidden layers, with scales of inputs and outputs of their own, and are
        trained together by one thread.
    resampling : {"bootstrap", "none", "subsample", "bayesian"}
        Training rows of a member: drawn with replacement, all rows, a share drawn without
        replacement, or all rows with exponential weights.
    subsample : float
        Share of the rows with resampling "subsample".
    epochs : float
        Passes over the rows of a member.
    steps : int, optional
        Number of steps, instead of epochs.
    batch_size : int, "auto" or "full"
        Rows of a step. "auto": 32, or all rows of a member that has fewer; "full": all.
    optimizer : {"adam", "adamw", "sgd"}
    learning_rate : float
    schedule : {"constant", "cosine"}
    warmup : float
        Share of the steps in which the learning rate rises linearly; the cosine decay begins behind
        it.
    weight_decay : float
        L2 penalty of adam and sgd; decoupled weight decay of adamw.
    momentum, beta2, epsilon : float
        Momentum of sgd or the first beta of adam; the second beta and epsilon of adam.
    clip : float, optional
        Largest norm of the gradient; longer gradients are clipped.
    dropout : float
        Probability with which a hidden unit is set to 0 in a training step.
    average : float, optional
        Decay, such as 0.999, of an exponential moving average of the parameters, with bias
        correction. The averaged parameters are validated, kept and used for predictions.
    patience : int, optional
        Early stopping: a member stops after this many validations without a lower loss, and keeps
        the best parameters. It is validated on the rows that it is not trained on, or on
        `validation`.
    look_every : float
        Epochs between validations.
    reshuffle : bool
        Shuffle the rows before every epoch.
    standardize : bool
        Scale inputs and targets to mean 0 and variance 1.
    categorical : sequence of str
        Inputs whose numbers are codes, by name. Text is categorical by itself.
    dates : sequence of str
        Inputs that are dates, by name. The networks see time, month, weekday and hour.
    levels : int
        Levels of a category that have a column of their own; others share columns.
    bins : int
        Bins of the piecewise linear encoding of numbers, between quantiles of the training rows; 0
        for none.
    nan : {"encode", "error"}
        Missing inputs: a column of their own and the median (numbers), or a level of their own
        (categories); or an error.
    loss : {"squared_error", "gaussian"}
        "gaussian": each network predicts a mean and a variance, so that the noise may differ
        between rows.
    random_state : int, numpy.random.Generator, RandomState or None
        The same seed gives the same bits, for any number of threads. None: a random seed.
    threads : int, optional
        All cores unless given.
    memory : int or str, optional
        Memory limit of the parameters of all members, of sums over members, and of the rows of
        files, queries and the like as float32, in bytes or such as "256M" or "1GiB"; a quarter of
        what the process may use unless given, and half of it for the rows.
    warm_start : bool
        `fit` goes on from the trained members, for `steps` or `epochs` more, instead of training
        new ones. With the same rows and a constant learning rate that is to the bit one training
        of both lengths. Keeps the state of the optimizer in memory, but not in files and pickles.
    checkpoint : str or path-like, optional
        A file in which `fit` stores the members that are trained. After an interruption the same
        `fit` goes on from there, to the same bits. It is deleted when the training is complete.
    progress : bool or callable
        As in `bootfold.bootstrap`.

    Attributes
    ----------
    oob_score_ : float
        Out-of-bag R2: each training row is predicted by the members that were not trained on it.
        Only with resampling "bootstrap" and "subsample".
    oob_prediction_ : ndarray of the shape of y
        Out-of-bag predictions; NaN for a row that all members were trained on.
    members_ : sequence
        The members: settings, number, steps, loss, held_out_loss, failure, parameters, predict.
    loss_curve_, loss_curves_ : ndarray
        Mean training loss of each epoch, for scaled targets: averaged over members, and for each
        member.
    input_range_ : tuple of two ndarrays
        Smallest and largest value of each input in the training rows (see `outside_range`).
    encoded_names_ : list of str
        Names of the inputs of the networks: numbers, levels, months, missing values.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Rows with weight 0 are not used for training. Integer weights repeat rows: a row with weight 3
    counts as three rows, and gives the same ensemble to the bit (unless the weights add up to more
    than ten times the rows). Other weights multiply the loss, where only their ratios matter. Out
    of bag, a copy may be predicted by members that were trained on another copy.

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
        layer_norm: bool = False,
        residual: bool = False,
        share: bool = False,
        resampling: str = "bootstrap",
        subsample: float = 0.5,
        epochs: float = 100,
        steps: int | None = None,
        batch_size: int | str = "auto",
        optimizer: str = "adam",
        learning_rate: float = 1e-3,
        schedule: str = "constant",
        warmup: float = 0.0,
        weight_decay: float = 0.0,
        momentum: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        clip: float | None = None,
        dropout: float = 0.0,
        average: float | None = None,
        patience: int | None = None,
        look_every: float = 1.0,
        reshuffle: bool = False,
        standardize: bool = True,
        categorical: Sequence[str] = (),
        dates: Sequence[str] = (),
        levels: int = 32,
        bins: int = 0,
        nan: str = "encode",
        loss: str = "squared_error",
        random_state: Any = 0,
        threads: int | None = None,
        memory: int | str | None = None,
        warm_start: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Progress = False,
    ) -> None:
        self.members = members
        self.hidden = hidden
        self.activation = activation
        self.initializer = initializer
        self.layer_norm = layer_norm
        self.residual = residual
        self.share = share
        self.resampling = resampling
        self.subsample = subsample
        self.epochs = epochs
        self.steps = steps
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.warmup = warmup
        self.weight_decay = weight_decay
        self.momentum = momentum
        self.beta2 = beta2
        self.epsilon = epsilon
        self.clip = clip
        self.dropout = dropout
        self.average = average
        self.patience = patience
        self.look_every = look_every
        self.reshuffle = reshuffle
        self.standardize = standardize
        self.categorical = categorical
        self.dates = dates
        self.levels = levels
        self.bins = bins
        self.nan = nan
        self.loss = loss
        self.random_state = random_state
        self.threads = threads
        self.memory = memory
        self.warm_start = warm_start
        self.checkpoint = checkpoint
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        validation: Any = None,
        engine: Any = None,
        callback: Callable[[Epoch], Any] | None = None,
    ) -> Self:
        """Trains the members.

        Parameters
        ----------
        X : array_like of shape (rows, inputs), path, query, ...
            Any table that `bootfold.bootstrap` takes. Inputs are all columns that are not named
            as y or sample_weight.
        y : array_like of shape (rows,) or (rows, targets), or column name
        sample_weight : array_like of shape (rows,) or column name, optional
        validation : (X, y), optional
            Validation rows for early stopping (`patience`) and `held_out_loss`, instead of the rows
            that each member is not trained on.
        engine : client of Dask, SparkSession, module ray, communicator of mpi4py, optional
            As in `EnsembleClassifier.fit`: the cluster that trains.
        callback : function, optional
            As in `EnsembleClassifier.fit`: called after every epoch.
        """
        with together(engine, "fit", self.get_params()) as ranks:
            more = self._continued()
            return self._fit(
                X, y, sample_weight, validation, [{}], None, ranks, more=more, callback=callback
            )

    def partial_fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        epochs: float = 1.0,
        validation: Any = None,
        callback: Callable[[Epoch], Any] | None = None,
    ) -> Self:
        """Trains the members further on rows X, for `epochs` passes over them.

        As `EnsembleClassifier.partial_fit`. The scaling of the targets is that of the first call.
        Jackknife+ intervals need the same rows in all calls.
        """
        more = self._continued(epochs, partial=True)
        return self._fit(X, y, sample_weight, validation, [{}], None, more=more, callback=callback)

    def sweep(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        validation: Any = None,
        keep_best: int | None = None,
        callback: Callable[[Epoch], Any] | None = None,
        **values: Iterable[Any],
    ) -> Self:
        """Trains `members` networks for every combination of the values.

        As `EnsembleClassifier.sweep`: `sweep_` is the table, `best_params_` the best settings.
        """
        swept = self._combinations(values)
        return self._fit(X, y, sample_weight, validation, swept, keep_best, callback=callback)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        validation: Any,
        swept: Sequence[dict[str, Any]],
        keep_best: int | None,
        engine: Any = None,
        *,
        more: Continued | None = None,
        callback: Any = None,
    ) -> Self:
        again = more is not None and more.start is not None
        X, y, sample_weight = self._given(X, y, sample_weight, fitted=again)
        X = self._coded(X) if again else self._learned(X)
        check_no_dates(X, "X")
        check_no_dates(y, "y")
        check_no_dates(sample_weight, "sample_weight")
        X, y = validate_data(
            self,
            X,
            y,
            dtype=[np.float64, np.float32],
            ensure_min_samples=2,
            multi_output=True,
            y_numeric=True,
            ensure_all_finite=self._finite,
            reset=not again,
        )
        if not again:
            self._learn_encoding(X)
        y = np.asarray(y, dtype=np.float64)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self._single = y.ndim == 1
        targets = y.reshape(y.shape[0], -1)
        examples = weighted(X, targets, sample_weight)
        if self.loss not in ("squared_error", "gaussian"):
            raise ValueError(f"loss is {self.loss!r} but must be 'squared_error' or 'gaussian'")
        held_out = None
        if validation is not None:
            inputs, truth = self._parts(validation, "validation")
            check_no_dates(truth, "y")
            truth = np.asarray(truth, dtype=np.float64).reshape(len(truth), -1)
            if truth.shape[1] != targets.shape[1]:
                raise ValueError(
                    f"validation has {truth.shape[1]} targets but y has {targets.shape[1]}"
                )
            held_out = Examples(inputs, truth, None)
        self._held_out = None
        self._learn(examples, held_out, self.loss, swept, keep_best, engine, more, callback)
        self._training_examples = examples  # for predict_interval
        self._held_out = held_out
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

    def _rows(self, examples: Examples) -> _core.ExampleRows:
        targets = examples.targets
        names = [f"target{t + 1}" for t in range(targets.shape[1])]
        inputs, weights = examples.inputs, examples.weights
        return _core.ExampleRows(
            inputs, self._names(), None, [], targets, names, weights, "", self._encoding
        )

    def _shaped(self, values: Array) -> Array:
        return values[:, 0] if self._single else values

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination, R2, of the predictions."""
        X, y, sample_weight = self._given(X, y, sample_weight)
        check_no_dates(y, "y")
        check_no_dates(sample_weight, "sample_weight")
        return float(super().score(X, y, sample_weight))

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean over the members; with `return_std` also the standard deviation of a new target.

        The standard deviation is the total of `uncertainty`: disagreement of members and noise.
        NaN in X is encoded unless `nan` is "error"; `outside_range` tells which rows are
        extrapolations.
        """

        def compute(inputs: Array) -> tuple[Array, ...]:
            found = self._prediction(inputs)
            return (found.mean, found.total) if return_std else (found.mean,)

        found = tuple(map(self._shaped, self._of_rows(X, compute)))
        return found if return_std else found[0]

    def uncertainty(self, X: Any) -> Uncertainty:
        """Standard deviations for each row: total, noise (aleatoric) and members (epistemic).

        Its attribute `outside` is that of `outside_range`. Where it is above 0 the prediction is an
        extrapolation, and members may agree on a wrong value.
        """
        *shares, outside = self._uncertainty(X)
        total, aleatoric, epistemic = map(self._shaped, shares)
        return Uncertainty(total, aleatoric, epistemic, outside)

    def predict_interval(
        self,
        X: Any,
        confidence: float = 0.95,
        method: Literal["auto", "jackknife+", "conformal", "scaled", "normal"] = "auto",
        *,
        training: tuple[Any, ...] | None = None,
        calibration: tuple[Any, Any] | None = None,
    ) -> tuple[Array, Array]:
        """Prediction intervals: lower and upper limits for new targets.

        Parameters
        ----------
        X : array_like
        confidence : float
        method : {"auto", "jackknife+", "conformal", "scaled", "normal"}
            "auto": "conformal" with `calibration`; else "jackknife+" if members left rows out, and
            "conformal" if they did not but `fit` had `validation`. "jackknife+" uses out-of-bag
            residuals of each row. "conformal" is mean -+ a quantile of residuals: of
            `calibration`, else of the validation rows of `fit`, else out of bag. "scaled" is the
            same with residuals divided by the total of `uncertainty`, so that intervals are wider
            where members are unsure. These have stated coverage for any networks
            (docs/ensemble-intervals.md). "normal" is mean -+ z total, for normal noise.
        training : (X, y) or (X, y, sample_weight), optional
            The training rows, if the estimator was loaded from a file, which does not have them.
        calibration : (X, y), optional
            Rows that were not used for training, for "conformal" and "scaled".

        Raises
        ------
        ValueError
            If members were trained on all rows (resampling "none" and "bayesian") and there are no
            held-out rows: their disagreement alone does not tell where a new target lies.
        """
        check_is_fitted(self)
        methods = ("auto", "jackknife+", "conformal", "scaled", "normal")
        if method not in methods:
            raise ValueError(f"method is {method!r} but must be one of {', '.join(methods)}")
        if calibration is not None and method in ("jackknife+", "normal"):
            raise ValueError(
                f"calibration is for method 'conformal' and 'scaled', not {method!r}; omit it"
            )
        if method == "auto":
            held_out = calibration is not None or (
                not self._leaves_rows_out and self._held_out is not None
            )
            method = "conformal" if held_out else "jackknife+"
        if method in ("jackknife+", "normal") and not self._leaves_rows_out:
            raise ValueError(self._no_interval())
        if method == "normal":
            low, high = self._of_rows(X, lambda inputs: self._normal(inputs, confidence))
            return self._shaped(low), self._shaped(high)
        if method != "jackknife+":
            return self._conformal(X, check_confidence(confidence), method, calibration)
        rows = self._rows(self._training_rows(training))
        memory, threads = memory_bytes(self.memory), thread_number(self.threads)

        def compute(inputs: Array) -> tuple[Array, ...]:
            band = self._ensemble.band(rows, inputs, float(confidence), memory, threads)
            return band.low, band.high

        low, high = self._of_rows(X, compute)
        return self._shaped(low), self._shaped(high)

    def _conformal(
        self, X: Any, confidence: float, method: str, calibration: tuple[Any, Any] | None
    ) -> tuple[Array, Array]:
        truth, judged = self._judged(calibration)
        scaled = method == "scaled"
        own = judged.total if scaled else None
        limits = np.array(residual_limits(truth, judged.mean, own, confidence))

        def compute(inputs: Array) -> tuple[Array, ...]:
            found = self._prediction(inputs)
            half = limits * found.total if scaled else np.broadcast_to(limits, found.mean.shape)
            return found.mean - half, found.mean + half

        low, high = self._of_rows(X, compute)
        return self._shaped(low), self._shaped(high)

    def _judged(self, calibration: tuple[Any, Any] | None) -> tuple[Array, _core.Prediction]:
        """Targets of held-out rows, and what was predicted for them."""
        rows = self._held_out
        if calibration is not None:
            inputs, y = self._parts(calibration, "calibration")
            check_no_dates(y, "y")
            targets = np.asarray(y, dtype=np.float64).reshape(len(inputs), -1)
            if targets.shape[1] != len(self._ensemble.classes):
                raise ValueError(
                    f"calibration has {targets.shape[1]} targets but the estimator has "
                    f"{len(self._ensemble.classes)}"
                )
            rows = Examples(inputs, targets, None)
        if rows is not None:
            return rows.targets, self._prediction(rows.inputs)
        judged = self._ensemble.out_of_bag
        if judged.mean.shape[0] == 0 or not hasattr(self, "_training_examples"):
            raise ValueError(self._no_interval())
        return self._training_examples.targets, judged

    def _normal(self, inputs: Array, confidence: float) -> tuple[Array, ...]:
        prediction = self._prediction(inputs)
        limits = _core.normal_intervals(prediction, confidence)
        return tuple(np.array(limit).reshape(prediction.mean.shape) for limit in limits)

    def _training_rows(self, training: tuple[Any, ...] | None) -> Examples:
        if training is None:
            if not hasattr(self, "_training_examples"):
                raise ValueError(
                    "jackknife+ needs the training rows, which a file does not have; give them as "
                    "training=(X, y), or use method='normal'"
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

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a file that `save` or ``bootfold ensemble train`` wrote."""
        core = _core.Ensemble.load(os.fspath(path))
        if core.loss == "cross_entropy":
            raise ValueError(f"{path} contains a classification; use EnsembleClassifier.load")
        found = cls(loss=core.loss)
        found._take(core)
        found._single = len(core.classes) == 1
        return found

    @property
    def target_scaling_(self) -> tuple[Array, Array]:
        """Means and scales of the targets: networks predict (y - mean) / scale."""
        check_is_fitted(self)
        mean, scale = self._ensemble.target_scaling
        return np.array(mean), np.array(scale)
