"""A regressor: an ensemble of networks with the interface of scikit-learn."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from bootfold import _core
from bootfold._dates import check_no_dates
from bootfold._engines import together
from bootfold._estimator import SWEPT, Continued
from bootfold._examples import Examples, weighted
from bootfold._intervals import IntervalEstimator
from bootfold._members import Uncertainty
from bootfold._sweep import Sweep, planned
from bootfold._targets import check_loss, score_of_targets

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from bootfold._data import Array
    from bootfold._member_views import Epoch
    from bootfold._options import Progress


class EnsembleRegressor(RegressorMixin, IntervalEstimator):  # type: ignore[misc]
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
    share : int
        Members in groups of so many share the weights of their hidden layers, with scales of their
        own, and one resample, as in BatchEnsemble and TabM. A group is trained by one thread;
        `members` is a multiple of `share`. 0: independent members.
    resampling : {"bootstrap", "none", "subsample", "bayesian"}
        Training rows of a member: drawn with replacement, all rows, a share drawn without
        replacement, or all rows with exponential weights.
    subsample : float
        Share of the rows with resampling "subsample".
    epochs : float or "auto"
        Passes over the rows of a member. "auto": 100, but 2,000 to 20,000 steps, with early
        stopping.
    steps : int, optional
        Number of steps, instead of epochs.
    batch_size : int, "auto" or "full"
        Rows of a step. "auto": a power of two from 32 to 256, about a 64th of the rows of a member;
        "full": all.
    optimizer : {"adam", "adamw", "sgd"}
    learning_rate : float or "auto"
        Initial learning rate. "auto": 1e-2, and 3e-2 for sgd.
    schedule : {"auto", "constant", "cosine"}
        Learning-rate schedule. "auto": cosine decay to 0, and constant with `warm_start` and in
        `partial_fit`.
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
    patience : int, "auto" or None
        Early stopping: a member stops after this many validations without a lower loss, and keeps
        the best parameters. It is validated on the rows that it is not trained on, or on
        `validation`. "auto": 10 if neither epochs nor steps are given and there are such rows.
        None: no early stopping.
    look_every : float or "auto"
        Epochs between validations. "auto": one, or more for at most 100 validations.
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
    bins : int or "auto"
        Bins of the piecewise linear encoding of numbers; 0 for none. "auto": 16 with 1,000 rows or
        more, and fewer where there are many columns of numbers or millions of rows.
    bin_edges : {"auto", "quantiles", "tree"}
        Edges of bins: quantiles of the training rows, or splits of a decision tree on the column
        that predicts the target, which "auto" is.
    winsorize : float or "auto"
        Numbers beyond the quantiles of this share and of 1 - share of the training rows are
        replaced by these quantiles; 0 for none. "auto": 0.001 with 1,000 rows or more and at most
        128 columns of numbers.
    periodic : int
        Frequencies of periodic features of numbers, a sine and a cosine each; 0 for none.
    periodic_scale : float
        Standard deviation of the frequencies, in periods for each standard deviation of the column.
    nan : {"encode", "error"}
        Missing inputs: a column of their own and the median (numbers), or a level of their own
        (categories); or an error.
    loss : {"squared_error", "gaussian", "huber", "pinball", "poisson"} or list
        "gaussian": each network predicts a mean and a variance, so that the noise may differ
        between rows. "huber": squared error up to `huber_delta`, linear beyond it. "pinball": the
        networks predict `quantiles`. "poisson": counts, of which the logarithm of the rate is
        learned. A list has the loss of each target, which may be "binary" too, for 0 and 1.
    quantiles : float or sequence of float
        Ascending quantiles of loss "pinball".
    huber_delta : float
        In standard deviations of the target.
    pos_weight : float or sequence of float, optional
        Factor of the loss of 1 of targets with loss "binary": one for all, or one for each target.
    target_transform : {"log", "yeo-johnson", "quantile"} or list, optional
        Transform of the targets before they are standardized, fitted to the training rows and
        inverted in predictions: the logarithm, the power transform of Yeo and Johnson, or normal
        scores. One for all targets with loss "squared_error", "gaussian", "huber" and "pinball", or
        one for each target.
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
        Out-of-bag `score`: each training row is predicted by the members that were not trained on
        it. Only with resampling "bootstrap" and "subsample".
    oob_prediction_ : ndarray of the shape of y, or that of `predict`
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
        share: int = 0,
        resampling: str = "bootstrap",
        subsample: float = 0.5,
        epochs: float | str = "auto",
        steps: int | None = None,
        batch_size: int | str = "auto",
        optimizer: str = "adam",
        learning_rate: float | str = "auto",
        schedule: str = "auto",
        warmup: float = 0.0,
        weight_decay: float = 0.0,
        momentum: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        clip: float | None = None,
        dropout: float = 0.0,
        average: float | None = None,
        patience: int | str | None = "auto",
        look_every: float | str = "auto",
        reshuffle: bool = False,
        standardize: bool = True,
        categorical: Sequence[str] = (),
        dates: Sequence[str] = (),
        levels: int = 64,
        bins: int | str = "auto",
        bin_edges: str = "auto",
        winsorize: float | str = "auto",
        periodic: int = 0,
        periodic_scale: float = 0.3,
        nan: str = "encode",
        loss: str | Sequence[str] = "squared_error",
        quantiles: float | Sequence[float] = (0.05, 0.5, 0.95),
        huber_delta: float = 1.0,
        pos_weight: float | Sequence[float] | None = None,
        target_transform: str | Sequence[str | None] | None = None,
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
        self.bin_edges = bin_edges
        self.winsorize = winsorize
        self.periodic = periodic
        self.periodic_scale = periodic_scale
        self.nan = nan
        self.loss = loss
        self.quantiles = quantiles
        self.huber_delta = huber_delta
        self.pos_weight = pos_weight
        self.target_transform = target_transform
        self.random_state = random_state
        self.threads = threads
        self.memory = memory
        self.warm_start = warm_start
        self.checkpoint = checkpoint
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.positive_only = self.loss == "poisson" or self.target_transform == "log"
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
            Validation rows for early stopping (`patience`), `held_out_loss` and the scores of
            `predict_interval`, instead of the rows that each member is not trained on.
        engine : client of Dask, SparkSession, module ray, communicator of mpi4py, optional
            As in `EnsembleClassifier.fit`: the cluster that trains.
        callback : function, optional
            As in `EnsembleClassifier.fit`: called after every epoch.
        """
        with together(engine, "fit", self.get_params()) as ranks:
            more = self._continued()
            return self._fit(
                X, y, sample_weight, validation, Sweep(), ranks, more=more, callback=callback
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
        return self._fit(X, y, sample_weight, validation, Sweep(), more=more, callback=callback)

    def sweep(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        validation: Any = None,
        sample: int | None = None,
        select: str | None = None,
        keep_best: int | None = None,
        members: int | None = None,
        callback: Callable[[Epoch], Any] | None = None,
        **values: Any,
    ) -> Self:
        """Trains `members` networks for every combination of the values, or for drawn settings.

        As `EnsembleClassifier.sweep`: `sweep_` is the table, `best_params_` the best settings, and
        `selection_` what is known of selected members.
        """
        sweep = planned(
            self,
            values,
            SWEPT,
            sample=sample,
            select=select,
            keep_best=keep_best,
            members=members,
            validation=validation,
            y=y,
        )
        return self._fit(X, y, sample_weight, validation, sweep, callback=callback)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        validation: Any,
        sweep: Sweep,
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
        X, y = self._validated(
            X, y, ensure_min_samples=2, multi_output=True, y_numeric=True, reset=not again
        )
        y = np.asarray(y, dtype=np.float64)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self._single = y.ndim == 1
        targets = y.reshape(y.shape[0], -1)
        examples = weighted(X, targets, sample_weight)
        if not again:
            self._learn_encoding(examples)
        loss = check_loss(self.loss, targets.shape[1])
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
        self._learn(examples, held_out, loss, sweep, engine, more, callback)
        self._training_examples = examples  # for jackknife+
        found = self._out_of_bag(examples, X)
        if found is not None:
            self.oob_prediction_ = self._shaped(found)
            known = ~np.isnan(found).any(axis=1)
            weights = None if sample_weight is None else sample_weight[known]
            some = known.sum() > 1 and (weights is None or weights.sum() > 0)
            self.oob_score_ = (
                self._score(targets[known], found[known], weights) if some else float("nan")
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
        """Predictions [row][column] in the shape of y, with an axis of quantiles if there are."""
        if self._single and values.shape[1] == 1:
            return values[:, 0]
        if not self._single and self._ensemble.loss == "pinball":
            return values.reshape(values.shape[0], -1, len(self._ensemble.quantiles))
        return values

    def _score(self, truth: Array, found: Array, weights: Array | None) -> float:
        core = self._ensemble
        return score_of_targets(core.target_columns, core.quantiles, truth, found, weights)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination of the predictions: R2, mean over the targets.

        Of quantiles and rates it is D2, the share of the pinball loss or of the Poisson deviance of
        a constant that the predictions remove.
        """
        X, y, sample_weight = self._given(X, y, sample_weight)
        check_no_dates(y, "y")
        check_no_dates(sample_weight, "sample_weight")
        if self._ensemble.loss in ("squared_error", "gaussian", "huber"):
            return float(super().score(X, y, sample_weight))
        found = self._of_rows(X, lambda inputs: (self._prediction(inputs).mean,))[0]
        truth = np.asarray(y, dtype=np.float64).reshape(found.shape[0], -1)
        return self._score(truth, found, sample_weight)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean over the members; with `return_std` also the standard deviation of a new target.

        The standard deviation is the total of `uncertainty`: disagreement of members and noise.
        With loss "pinball" the quantiles, [row, quantile] or [row, target, quantile], sorted so
        that they do not cross; with "poisson" rates. If targets have losses of their own, the
        columns are `output_names_`. Predictions of members are transformed back before the mean
        is taken (`target_transform`).
        NaN in X is encoded unless `nan` is "error"; `outside_range` tells which rows are
        extrapolations.
        """

        check_is_fitted(self)
        if return_std and any(loss == "pinball" for loss, _, _ in self._ensemble.target_columns):
            raise ValueError(
                "return_std=True is for means, but loss 'pinball' predicts quantiles, which have "
                "no standard deviation of a new target; uncertainty(X).epistemic is that of members"
            )

        def compute(inputs: Array) -> tuple[Array, ...]:
            found = self._prediction(inputs)
            return (found.mean, found.total) if return_std else (found.mean,)

        found = tuple(map(self._shaped, self._of_rows(X, compute)))
        return found if return_std else found[0]

    def uncertainty(self, X: Any) -> Uncertainty:
        """Standard deviations for each row: total, noise (aleatoric) and members (epistemic).

        In the units of the target also if it is transformed. Of quantiles only that of members is
        known, and the others are NaN. Of targets with loss "binary" they are entropies in nats.

        Its attribute `outside` is that of `outside_range`. Where it is above 0 the prediction is an
        extrapolation, and members may agree on a wrong value.
        """
        *shares, outside = self._uncertainty(X)
        total, aleatoric, epistemic = map(self._shaped, shares)
        return Uncertainty(total, aleatoric, epistemic, outside)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a file that `save` or ``bootfold ensemble train`` wrote."""
        core = _core.Ensemble.load(os.fspath(path))
        if core.loss in ("cross_entropy", "binary", "multi_label"):
            raise ValueError(f"{path} contains a classification; use EnsembleClassifier.load")
        mixed = core.loss == "mixed"
        losses = [loss for loss, _, _ in core.target_columns]
        found = cls(loss=losses if mixed else core.loss, huber_delta=core.huber_delta)
        if core.quantiles:
            found.quantiles = tuple(core.quantiles)
        if core.pos_weight:
            found.pos_weight = tuple(core.pos_weight)
        if core.target_transforms:
            found.target_transform = tuple(kind for kind, *_ in core.target_transforms)
        found._take(core)
        found._single = len(core.classes) == 1
        return found

    @property
    def output_names_(self) -> list[str]:
        """Names of the columns of predictions: targets, and quantiles such as "target1 q0.5"."""
        check_is_fitted(self)
        return self._ensemble.answers

    @property
    def target_transforms_(self) -> list[dict[str, Any]]:
        """The fitted transform of each target: "kind", "lambda" of yeo-johnson, "from", "to"."""
        check_is_fitted(self)
        found: list[dict[str, Any]] = []
        for kind, power, _, _, knots, scores in self._ensemble.target_transforms:
            found.append({"kind": kind})
            if kind == "yeo-johnson":
                found[-1]["lambda"] = power
            if kind == "quantile":
                found[-1].update({"from": np.array(knots), "to": np.array(scores)})
        return found

    @property
    def target_scaling_(self) -> tuple[Array, Array]:
        """Means and scales of the (transformed) targets: networks predict (y - mean) / scale.

        Counts of loss "poisson" are divided by their mean, and 0 and 1 are not scaled.
        """
        check_is_fitted(self)
        mean, scale = self._ensemble.target_scaling
        return np.array(mean), np.array(scale)
