"""A classifier: an ensemble of networks with the interface of scikit-learn."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from bootfold import _core
from bootfold._dates import check_no_dates
from bootfold._engines import together
from bootfold._estimator import SWEPT, Continued
from bootfold._examples import Examples, weighted
from bootfold._members import Uncertainty
from bootfold._options import thread_number
from bootfold._sets import SetEstimator
from bootfold._sweep import Sweep, planned

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from bootfold._data import Array
    from bootfold._member_views import Epoch
    from bootfold._options import Progress


class EnsembleClassifier(ClassifierMixin, SetEstimator):  # type: ignore[misc]
    """An ensemble of neural networks, each trained on its own resample of the rows.

    The probabilities are means over the members, and `uncertainty` measures how much the members
    disagree. Members are trained side by side in the lanes of the vector unit, so a hundred cost
    little more than one. It is a scikit-learn estimator: pipelines, grid search, clone and pickle
    work.

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
        Scale inputs to mean 0 and variance 1.
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
    loss : {"cross_entropy", "binary", "multi_label"}, optional
        "cross_entropy": an output for each class, after a softmax. "binary": one output for two
        classes, after a sigmoid. "multi_label": y has a column of 0 and 1 for each label, and each
        label has an output with a sigmoid. None: "multi_label" if y has several columns, and else
        "cross_entropy".
    pos_weight : float or sequence of float, optional
        Factor of the loss of rows of the second class ("binary") or with 1 ("multi_label": one for
        all labels, or one for each). A factor of 3 is as if these rows occurred three times.
    class_weight : dict, "balanced" or None
        Class weights in the loss.
    calibrate : bool
        Calibrate the probabilities by temperature scaling: p becomes p^(1/T), normalized over the
        classes. The temperature T maximizes the likelihood of the out-of-bag rows, or of
        `validation`. Use about 30 members or more, or `validation`.
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
    classes_ : ndarray
        The sorted classes, with the type of y; the numbers of the labels, from 0, if there are
        several.
    oob_score_ : float
        Out-of-bag accuracy: each training row is predicted by the members that were not trained on
        it. Only with resampling "bootstrap" and "subsample".
    oob_decision_function_ : ndarray of shape (rows, classes) or (rows, labels)
        Out-of-bag probabilities; NaN for a row that all members were trained on.
    temperature_ : float
        Temperature of the probabilities: below 1 if they were underconfident, above 1 if they were
        overconfident, and 1 without `calibrate`.
    members_ : sequence
        The members: settings, number, steps, loss, held_out_loss, failure, parameters, predict.
    loss_curve_, loss_curves_ : ndarray
        Mean training loss of each epoch: averaged over members, and for each member.
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
    >>> import bootfold as bf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = bf.EnsembleClassifier(members=20, learning_rate=1e-2).fit(X, y)
    >>> model.oob_score_ > 0.9
    True
    >>> model.predict_proba(X[:2]).shape
    (2, 3)
    """

    classes_: Array
    _label_roles = ("y",)
    #: Whether y has several labels.
    _several: bool = False
    oob_score_: float
    oob_decision_function_: Array

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
        loss: str | None = None,
        pos_weight: float | Sequence[float] | None = None,
        class_weight: Any = None,
        calibrate: bool = False,
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
        self.pos_weight = pos_weight
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.random_state = random_state
        self.threads = threads
        self.memory = memory
        self.warm_start = warm_start
        self.checkpoint = checkpoint
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        labels = self.loss in (None, "multi_label")
        tags.classifier_tags.multi_label = labels and self.class_weight is None
        tags.classifier_tags.multi_class = self.loss != "binary"
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
        y : array_like of shape (rows,) or (rows, labels), or column name
            Classes of any type; or 0 and 1 for each of several labels.
        sample_weight : array_like of shape (rows,) or column name, optional
        validation : (X, y), optional
            Validation rows for early stopping (`patience`), `held_out_loss` and the temperature
            (`calibrate`), instead of the rows that each member is not trained on.
        engine : client of Dask, SparkSession, module ray, communicator of mpi4py, optional
            The cluster that trains, each worker some of the members; the rows are sent to each
            worker once. With a communicator all ranks call with the same rows, and get all
            members. The members are the same to the bit. "dask", "spark", "ray" and "mpi" stand for
            the default client, session or communicator.
        callback : function, optional
            Called after every epoch of members that are trained together with an object that has
            `members` (indices), `epoch`, `step`, and of each member `loss` and `held_out_loss`. If
            it returns False, these members stop; if it raises StopIteration, no member has more
            epochs. It is called in the thread that called `fit`, while the members wait.
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
        classes: Any = None,
        epochs: float = 1.0,
        validation: Any = None,
        callback: Callable[[Epoch], Any] | None = None,
    ) -> Self:
        """Trains the members further on rows X, for `epochs` passes over them.

        Scaling and encoding of the inputs and the classes are those of the first call. Each member
        goes on from its parameters and, unless the estimator comes from a file, a pickle, `subset`
        or a `fit` without warm_start, from the state of its optimizer; it draws its resample from
        the rows of the call. So n calls with the same rows are to the bit one of n times as many
        epochs, with a constant learning rate, if an epoch is a whole number of batches. Out-of-bag
        attributes are about the rows of the last call, and honest if no earlier call had them, or
        all calls had the same.

        Parameters
        ----------
        X, y, sample_weight, validation, callback
            As in `fit`.
        classes : array_like, optional
            All classes, if y of the first call does not have all of them.
        epochs : float
        """
        more = self._continued(epochs, partial=True)
        assert more is not None
        more.classes = self._known_classes(classes)
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

        Members with the same number have the same rows in all settings. `sweep_` is a table of
        losses, a dict of columns that pandas.DataFrame accepts; `best_params_` are the settings
        with the lowest mean held-out loss.

        If members are selected, `selection_` has `members` (rows of `sweep_` and numbers, in the
        order of the selection) and mean losses, each with `loss`, `standard_error` and `rows`:
        `other_rows` estimates the loss on new rows, because each row is scored by a selection that
        did not use it; `same_rows` is of the rows that selected, and optimistic; `all_members` is
        without a selection. Out-of-bag attributes are of the rows that selected, so that they are
        slightly optimistic. A quarter of the held-out rows of each member stops it early and does
        not select.

        Parameters
        ----------
        X, y, sample_weight, callback
            As in `fit`.
        validation : (X, y), optional
            As in `fit`; these rows also select members.
        sample : int, optional
            Draw so many settings from ranges, as `bootfold ensemble train --sample` does. Learning
            rate, units, depth, dropout and weight decay have default ranges; a list is a choice.
        select : {"greedy", "best", "all"}, optional
            "greedy": members that lower the loss together; "best": those with the lowest held-out
            losses. By default "greedy" with `sample`, "best" with `keep_best`, otherwise "all".
        keep_best : int, optional
            Members that are kept; with "greedy" at most, and 100 by default.
        members : int, optional
            Networks with each of the settings, by default those of the estimator, and 8 with
            `sample`.
        **values
            Lists of values of settings, or with `sample` ranges such as "1e-4..1e-2". `depth` is
            the number of hidden layers.

        Examples
        --------
        >>> import bootfold as bf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = bf.EnsembleClassifier(members=8, epochs=20)
        >>> model = model.sweep(X, y, learning_rate=[1e-4, 1e-2], keep_best=8)
        >>> model.best_params_, len(model.members_)
        ({'learning_rate': 0.01}, 8)
        >>> model = model.sweep(X, y, sample=6, learning_rate="1e-3..3e-2", hidden=[(8,), (16,)])
        >>> sorted(model.best_params_)
        ['dropout', 'hidden', 'learning_rate', 'weight_decay']
        >>> model.selection_.rule, len(model.selection_.members) == len(model.members_)
        ('greedy', True)
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
        check_no_dates(sample_weight, "sample_weight")
        X, y = self._validated(X, y, ensure_min_samples=2, multi_output=True, reset=not again)
        self._check_calibrate(validation)
        check_classification_targets(y)
        loss = self._loss_of(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if again and (loss == "multi_label") != self._several:
            raise ValueError(
                f"y has the shape {np.shape(y)} but that of the first call had "
                f"{'several labels' if self._several else 'classes'}"
            )
        self._several = loss == "multi_label"
        if self._several:
            return self._fit_labels(X, y, sample_weight, validation, sweep, engine, more, callback)
        y = column_or_1d(y, warn=True)
        counted = y if sample_weight is None else y[sample_weight > 0]
        if again:
            self._codes(counted, "y")
        elif more is not None and more.classes is not None:
            self.classes_ = more.classes
            self._codes(counted, "y")
        else:
            self.classes_ = np.unique(counted)
        if len(self.classes_) == 1:
            raise ValueError(
                f"y has only one class, {self.classes_.tolist()[0]!r}; at least 2 "
                "classes are needed"
            )
        if loss == "binary" and len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported by loss 'binary', but y has "
                f"{len(self.classes_)} classes; use loss='cross_entropy'"
            )
        codes = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        examples = weighted(X, codes.astype(np.float64)[:, None], sample_weight)
        if not again:
            self._learn_encoding(examples, len(self.classes_))
        own_weights = examples.weights
        if self.class_weight is not None:
            # From the training rows, so that repeated rows count as often as they occur.
            own = compute_sample_weight(self.class_weight, y[examples.origin])
            examples.weights = own if examples.weights is None else examples.weights * own
        held_out = None
        if validation is not None:
            inputs, truth = self._parts(validation, "validation")
            held_out = Examples(inputs, self._codes(truth)[:, None], None)
        self._learn(examples, held_out, loss, sweep, engine, more, callback)
        if self.calibrate:
            # Without class weights, which are for the loss.
            examples.weights = own_weights
            self._calibrate(examples, held_out, sample_weight)
        found = self._out_of_bag(examples, X)
        if found is not None:
            self.oob_decision_function_ = found
            known = ~np.isnan(found).any(axis=1)
            if sample_weight is not None:
                known &= np.isin(y, self.classes_)  # a class whose rows all have weight 0
            right = self._chosen(found[known]) == y[known]
            weights = None if sample_weight is None else sample_weight[known]
            some = known.any() and (weights is None or weights.sum() > 0)
            self.oob_score_ = float(np.average(right, weights=weights)) if some else float("nan")
        return self

    def _loss_of(self, y: Any) -> str:
        """The loss for these classes or labels."""
        losses = ("cross_entropy", "binary", "multi_label")
        if self.loss is not None and self.loss not in losses:
            known = ", ".join(losses)
            raise ValueError(f"loss is {self.loss!r} but must be None or one of {known}")
        several = type_of_target(y) == "multilabel-indicator"
        if self.loss == "multi_label" and not several:
            raise ValueError(
                "loss is 'multi_label' but y does not have several columns of 0 and 1; use "
                "'binary' for one of them"
            )
        if self.loss in ("cross_entropy", "binary") and several:
            raise ValueError(
                f"loss is {self.loss!r} but y has several columns of 0 and 1; use 'multi_label'"
            )
        found: str = self.loss or ("multi_label" if several else "cross_entropy")
        if self.pos_weight is not None and found == "cross_entropy":
            raise ValueError(
                "pos_weight is for loss 'binary' and 'multi_label'; class_weight is for "
                "'cross_entropy'"
            )
        return found

    def _fit_labels(
        self,
        X: Array,
        y: Any,
        sample_weight: Array | None,
        validation: Any,
        sweep: Sweep,
        engine: Any,
        more: Continued | None,
        callback: Any,
    ) -> Self:
        """Trains networks with an output for each label."""
        if self.class_weight is not None:
            raise ValueError(
                "class_weight is for classes, but y has several labels; use pos_weight"
            )
        labels = _indicators(y)
        if more is not None and more.classes is not None:
            raise ValueError("classes are for y with one column, but y has several labels")
        self.classes_ = np.arange(labels.shape[1])
        examples = weighted(X, labels, sample_weight)
        if more is None or more.start is None:
            self._learn_encoding(examples)
        held_out = None
        if validation is not None:
            inputs, truth = self._parts(validation, "validation")
            held_out = Examples(inputs, self._label_columns(truth, "validation"), None)
        self._learn(examples, held_out, "multi_label", sweep, engine, more, callback)
        if self.calibrate:
            self._calibrate(examples, held_out, sample_weight)
        found = self._out_of_bag(examples, X)
        if found is not None:
            self.oob_decision_function_ = found
            judged = ~np.isnan(found).any(axis=1)
            right = ((found[judged] > 0.5) == (labels[judged] == 1)).all(axis=1)
            weights = None if sample_weight is None else sample_weight[judged]
            some = judged.any() and (weights is None or weights.sum() > 0)
            self.oob_score_ = float(np.average(right, weights=weights)) if some else float("nan")
        return self

    def _label_columns(self, y: Any, what: str) -> Array:
        """Columns of 0 and 1 of other rows."""
        found = _indicators(y)
        if found.ndim != 2 or found.shape[1] != len(self.classes_):
            raise ValueError(
                f"{what} has y of shape {found.shape} but there are {len(self.classes_)} labels"
            )
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of the predictions; of labels the share of rows in which all are right."""
        X, y, sample_weight = self._given(X, y, sample_weight)
        return float(super().score(X, y, sample_weight))

    def _check_calibrate(self, validation: Any) -> None:
        """Checks `calibrate` before the training."""
        if not isinstance(self.calibrate, (bool, np.bool_)):
            raise TypeError(f"calibrate is {self.calibrate!r} but must be True or False")
        if self.calibrate and validation is None and self.resampling in ("none", "bayesian"):
            raise ValueError(
                "calibrate=True needs rows that members are not trained on, but with resampling "
                f"{self.resampling!r} they use all rows; give validation=(X, y), or use "
                "'bootstrap' or 'subsample'"
            )

    def _calibrate(
        self, examples: Examples, held_out: Examples | None, sample_weight: Array | None
    ) -> None:
        if held_out is None and sample_weight is not None and examples.weights is None:
            self._warn_of_copies(sample_weight)
        threads = thread_number(self.threads)
        aside = None if held_out is None else self._rows(held_out)
        self._ensemble = self._ensemble.calibrate(self._rows(examples), aside, threads)
        self._set_scores(self._ensemble, examples, aside, threads)

    def _warn_of_copies(self, sample_weight: Array) -> None:
        if (sample_weight > 1).any():
            warnings.warn(
                "sample_weight repeats rows, and a copy may be predicted by members that were "
                "trained on another copy: the temperature will be too low; give validation=(X, y)",
                UserWarning,
                stacklevel=5,
            )

    @property
    def temperature_(self) -> float | Array:
        """Temperature of the probabilities, of several labels one each; 1 without `calibrate`."""
        check_is_fitted(self)
        if self._several:
            return np.array(self._ensemble.temperatures or np.ones(len(self.classes_)))
        return self._ensemble.temperature

    def _rows(self, examples: Examples) -> _core.ExampleRows:
        if self._several:
            names = [f"label{place + 1}" for place in range(examples.targets.shape[1])]
            return _core.ExampleRows(
                examples.inputs,
                self._names(),
                None,
                [],
                examples.targets,
                names,
                examples.weights,
                "",
                self._encoding,
            )
        codes = examples.targets[:, 0].astype(np.uint32)
        names = [str(label) for label in self.classes_]
        inputs, weights = examples.inputs, examples.weights
        return _core.ExampleRows(
            inputs, self._names(), codes, names, None, [], weights, "", self._encoding
        )

    def _known_classes(self, classes: Any) -> Array | None:
        """The classes that `partial_fit` is given."""
        if classes is None:
            return None
        found = np.unique(np.asarray(classes))
        if hasattr(self, "_ensemble") and found.tolist() != self.classes_.tolist():
            raise ValueError(
                f"classes are {found.tolist()} but those of the first call are "
                f"{self.classes_.tolist()}; train a new estimator"
            )
        return found

    def _codes(self, truth: Array, what: str = "validation") -> Array:
        """Codes of the classes of rows."""
        unknown = ~np.isin(truth, self.classes_)
        if unknown.any():
            raise ValueError(
                f"{what} has the class {truth[unknown].tolist()[0]!r}, which "
                f"{'y' if what == 'validation' else 'the training'} does not have; "
                f"the classes are {', '.join(map(str, self.classes_))}"
            )
        return np.searchsorted(self.classes_, truth).astype(np.float64)

    def _chosen(self, probabilities: Array) -> Array:
        if self._several:
            return (probabilities > 0.5).astype(np.int64)
        found: Array = self.classes_[np.argmax(probabilities, axis=1)]
        return found

    def predict_proba(self, X: Any) -> Array:
        """Class probabilities, [row][class]: the mean over the members, at `temperature_`.

        Of several labels the probability of 1, [row][label].
        """
        return self._of_rows(X, lambda inputs: (self._prediction(inputs).mean,))[0]

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            found: Array = np.log(self.predict_proba(X))
        return found

    def predict(self, X: Any) -> Array:
        """The class with the highest probability, for each row; of several labels 0 and 1 for each.

        NaN in X is encoded unless `nan` is "error"; `outside_range` tells which rows are
        extrapolations.
        """
        return self._chosen(self.predict_proba(X))

    def uncertainty(self, X: Any) -> Uncertainty:
        """Uncertainty of each row in nats: total = aleatoric + epistemic; of labels [row][label].

        Total is the entropy of the mean of the members, aleatoric the mean of their entropies, and
        epistemic the difference: the mutual information of class and member. It is large where
        members disagree. With `calibrate`, total is the entropy of `predict_proba`, and the shares
        of the other two do not change.

        The attribute `outside` is that of `outside_range`. Where it is above 0 the prediction is an
        extrapolation, and members may agree on a wrong class.
        """
        total, aleatoric, epistemic, outside = self._uncertainty(X)
        if self._several:
            return Uncertainty(total, aleatoric, epistemic, outside)
        return Uncertainty(total[:, 0], aleatoric[:, 0], epistemic[:, 0], outside)

    @classmethod
    def load(cls, path: str | os.PathLike[str], classes: Any = None) -> Self:
        """Reads a file that `save` or ``bootfold ensemble train`` wrote.

        Files store the classes as text. They become integers, floats or booleans if all of them
        can be parsed as such, unless `classes` gives them in the order of the file.
        """
        core = _core.Ensemble.load(os.fspath(path))
        if core.loss not in ("cross_entropy", "binary", "multi_label"):
            raise ValueError(f"{path} contains a regression; use EnsembleRegressor.load")
        found = cls(loss=None if core.loss == "cross_entropy" else core.loss)
        found._take(core)
        if core.pos_weight:
            several = len(core.pos_weight) > 1
            found.pos_weight = tuple(core.pos_weight) if several else core.pos_weight[0]
        found._several = core.loss == "multi_label"
        if found._several:
            found.classes_ = np.arange(len(core.classes))
            found.calibrate = bool(core.temperatures)
            return found
        found.calibrate = core.temperature != 1
        if classes is None:
            found.classes_ = _typed(core.classes)
        else:
            found.classes_ = np.asarray(classes)
            if len(found.classes_) != len(core.classes):
                raise ValueError(
                    f"{len(found.classes_)} classes are given but the file has {len(core.classes)}"
                )
        return found


def _indicators(y: Any) -> Array:
    """Columns of 0 and 1; sparse ones too."""
    return np.asarray(y.toarray() if hasattr(y, "toarray") else y, dtype=np.float64)


def _typed(names: list[str]) -> Array:
    """Class names as booleans, integers or floats if all of them are such; else as text."""
    if set(names) <= {"False", "True"}:
        return np.array([name == "True" for name in names])
    for kind in (np.int64, np.float64):
        try:
            found = np.array(names).astype(kind)
        except (ValueError, OverflowError):
            continue
        if [str(value) for value in found] == names:
            return found
    return np.array(names)
