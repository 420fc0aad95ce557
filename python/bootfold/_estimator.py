"""The common base of the two estimators."""

from __future__ import annotations

import copy
import dataclasses
import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import (
    _check_feature_names,
    check_is_fitted,
    validate_data,
)

from bootfold import _core, _members
from bootfold._dates import check_no_dates
from bootfold._encode import (
    InputColumns,
    check_unique_names,
    explained,
    frame_columns,
    has_unique_names,
    is_frame,
    like_frame,
)
from bootfold._examples import SeenRows
from bootfold._member_views import EpochCalls, Members
from bootfold._options import (
    checkpoint_path,
    memory_bytes,
    seed_number,
    thread_number,
    whole_number,
)
from bootfold._progress import reporter
from bootfold._table_matrix import batches_of, with_names
from bootfold._table_read import caller_level
from bootfold._table_rows import examples_of, rows_of
from bootfold._table_source import table_source
from bootfold._targets import set_targets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from bootfold._data import Array
    from bootfold._examples import Examples
    from bootfold._sweep import Sweep

_WORDS = ("activation", "initializer", "optimizer", "schedule")
_NUMBERS = (
    "warmup",
    "weight_decay",
    "momentum",
    "beta2",
    "epsilon",
    "dropout",
    "subsample",
)
_FLAGS = ("layer_norm", "residual")
#: Settings that may differ between members.
SWEPT = ("hidden", *_WORDS, *_FLAGS, "learning_rate", *_NUMBERS, "clip", "average", "batch_size")
#: What the names of attributes begin with that describe a training.
_DESCRIPTIONS = ("oob_", "sweep_", "best_", "selection_")
#: Stands for a number that the rows decide, as in C++.
_AUTOMATIC = 0.0


def _number(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes, bool)):
        raise TypeError(f"{name} is {value!r} but must be a number")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r} but must be a number") from None


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r} but must be True or False")
    return bool(value)


def _number_or_auto(name: str, value: Any) -> float:
    """A number above 0, or what stands for one that the rows decide."""
    if isinstance(value, str) and value == "auto":
        return _AUTOMATIC
    if isinstance(value, str):
        raise TypeError(f"{name} is {value!r} but must be a number, or 'auto'")
    number = _number(name, value)
    if not number > 0:
        raise ValueError(f"{name} is {value!r} but must be above 0, or 'auto'")
    return number


def _unless_auto(name: str, value: Any, convert: Callable[[str, Any], Any]) -> Any:
    """What `convert` makes of the value; None for "auto"."""
    if isinstance(value, str):
        if value == "auto":
            return None
        raise TypeError(f"{name} is {value!r} but must be a number, or 'auto'")
    return convert(name, value)


def _word(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r} but must be a name")
    return value


def _hidden(value: Any) -> list[int]:
    units = [value] if isinstance(value, (int, np.integer)) else value
    if isinstance(units, str) or not hasattr(units, "__iter__"):
        raise TypeError(f"hidden is {value!r} but must be the units of each hidden layer: (32, 32)")
    return [whole_number("hidden", count, 1) for count in units]


def _seed(random_state: Any) -> int:
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**32, dtype=np.uint64))
    return seed_number(random_state)


@dataclasses.dataclass
class Continued:
    """A training that goes on."""

    start: _core.Ensemble | None  #: None: it begins
    epochs: float | None  #: None: those of the estimator
    classes: Array | None = None  #: None: those of the rows

    def prepare(self, training: _core.Training) -> _core.Ensemble | None:
        """Sets the length and the seed of the training; returns where it goes on from."""
        if self.epochs is not None:
            training.steps = 0
            training.epochs = _number("epochs", self.epochs)
        if self.start is not None:
            training.seed = self.start.seed
        return self.start


class EnsembleEstimator(BaseEstimator):  # type: ignore[misc]
    """Training, prediction, saving and loading, for both estimators."""

    _ensemble: _core.Ensemble
    _encoding: _core.Encoding | None
    _seen: SeenRows = SeenRows()  #: rows of the calls that trained the members
    _without_scores: str = ""  #: why there are no conformal scores, if that is known
    n_features_in_: int
    _label_roles: tuple[str, ...] = ()  #: of `_given`, those that are classes

    # Set by the constructors of the estimators.
    members: Any
    hidden: Any
    share: Any
    resampling: Any
    epochs: Any
    steps: Any
    patience: Any
    look_every: Any
    reshuffle: Any
    standardize: Any
    categorical: Any
    dates: Any
    levels: Any
    bins: Any
    bin_edges: Any
    winsorize: Any
    periodic: Any
    periodic_scale: Any
    nan: Any
    random_state: Any
    threads: Any
    memory: Any
    warm_start: Any
    checkpoint: Any
    progress: Any

    def _settings(self, **changed: Any) -> _core.Settings:
        """The parameters, some of them changed, as the library takes them."""
        given = {name: changed.get(name, getattr(self, name)) for name in SWEPT}
        found = _core.Settings()
        found.hidden = _hidden(given["hidden"])
        for name in _WORDS:
            setattr(found, name, _word(name, given[name]))
        for name in _NUMBERS:
            setattr(found, name, _number(name, given[name]))
        found.learning_rate = _number_or_auto("learning_rate", given["learning_rate"])
        for name in _FLAGS:
            setattr(found, name, _flag(name, given[name]))
        for name in ("clip", "average"):
            setattr(found, name, 0.0 if given[name] is None else _number(name, given[name]))
        size = given["batch_size"]
        if isinstance(size, str) and size == "auto":
            found.batch_size = _core.Settings.automatic_batch
        elif isinstance(size, str) and size == "full":
            found.batch_size = _core.Settings.full_batch
        elif size is None or isinstance(size, str):
            raise ValueError(
                f"batch_size is {size!r} but must be a number of rows, 'auto' (about a 64th of "
                "the rows, 32 to 256) or 'full' (all)"
            )
        else:
            found.batch_size = whole_number("batch_size", size, 1)
        return found

    def _training(
        self, settings: list[_core.Settings], loss: str | Sequence[str]
    ) -> _core.Training:
        training = _core.Training()
        training.members = whole_number("members", self.members, 1)
        training.settings = settings
        training.steps = 0 if self.steps is None else whole_number("steps", self.steps, 1)
        training.epochs = _number_or_auto("epochs", self.epochs)
        training.share = whole_number("share", self.share, 0)
        training.resampling = _word("resampling", self.resampling)
        set_targets(training, self, loss)
        training.curves = True
        training.reshuffle = bool(self.reshuffle)
        if self.patience is None:
            training.patience = 0
        elif not isinstance(self.patience, str):
            training.patience = whole_number("patience", self.patience, 1)
        elif self.patience != "auto":
            raise TypeError(
                f"patience is {self.patience!r} but must be a whole number, None or 'auto'"
            )
        training.look_every = _number_or_auto("look_every", self.look_every)
        training.standardize = bool(self.standardize)
        training.seed = _seed(self.random_state)
        training.memory = memory_bytes(self.memory)
        training.checkpoint = checkpoint_path(self.checkpoint)
        return training

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.nan == "encode"
        return tags

    def _input_columns(self, names: Sequence[str]) -> InputColumns:
        """What turns columns of training rows into numbers."""
        if self.nan not in ("encode", "error"):
            raise ValueError(f"nan is {self.nan!r} but must be 'encode' or 'error'")
        levels = whole_number("levels", self.levels, 1)
        given = {"categorical": self.categorical, "dates": self.dates}
        for option, value in given.items():
            if isinstance(value, str):
                given[option] = [value]
            elif value is None:
                given[option] = ()
        return InputColumns(
            names,
            **given,
            levels=levels,
            missing=self.nan == "encode",
            bins=_unless_auto("bins", self.bins, lambda name, value: whole_number(name, value, 0)),
            bin_edges=_word("bin_edges", self.bin_edges),
            winsorize=_unless_auto("winsorize", self.winsorize, _number),
            periodic=whole_number("periodic", self.periodic, 0),
            periodic_scale=_number("periodic_scale", self.periodic_scale),
        )

    def _continued(self, epochs: float | None = None, *, partial: bool = False) -> Continued | None:
        """What `fit` (with warm_start) and `partial_fit` go on from."""
        if not isinstance(self.warm_start, (bool, np.bool_)):
            raise TypeError(f"warm_start is {self.warm_start!r} but must be True or False")
        if partial:
            return Continued(getattr(self, "_ensemble", None), epochs)
        if self.warm_start and hasattr(self, "_ensemble"):
            return Continued(self._ensemble, None)
        return None

    def _learned(self, X: Any) -> Any:
        """Training rows as numbers, with their names. Frames may have text, dates and so on."""
        self._columns: InputColumns | None = getattr(self, "_columns_of_source", None)
        if self._columns is not None:  # a file, query or stream, which was read with them
            del self._columns_of_source
            return X
        if not is_frame(X):
            return X
        check_unique_names(X)
        if not has_unique_names(X):
            return X
        columns = frame_columns(X)
        self._columns = self._input_columns(list(columns))
        return like_frame(X, self._columns.coded(columns))

    def _learn_encoding(self, examples: Examples, classes: int = 0) -> None:
        """Sets the encoding of the training rows; `classes`: how many, if they are the targets."""
        inputs, targets, weights = examples.inputs, examples.targets, examples.weights
        if self._columns is None:
            names = self._names() or [str(place + 1) for place in range(inputs.shape[1])]
            self._columns = self._input_columns(names)
        self._columns.learn(inputs)
        if classes:
            codes = targets[:, 0].astype(np.uint32)
            encoding = self._columns.finish(None, codes, classes, weights)
        else:
            encoding = self._columns.finish(targets, None, 0, weights)
        self._encoding = None if encoding.plain else encoding
        del self._columns

    @property
    def _finite(self) -> bool | str:
        """What values may be, in the words of scikit-learn."""
        return "allow-nan" if self.nan == "encode" else True

    def _coded(self, X: Any) -> Any:
        """Rows of a frame as numbers, by the encoding of the training."""
        encoding = self._ensemble_encoding()
        if not is_frame(X):
            return X
        check_unique_names(X)
        if not has_unique_names(X):
            return X
        _check_feature_names(self, X, reset=False)
        columns = frame_columns(X)
        names = self._names()
        if list(columns) != names:  # no names, or a wrong number of them: scikit-learn says so
            return X
        return like_frame(X, InputColumns.of_model(names, encoding).matrix(columns))

    def _ensemble_encoding(self) -> _core.Encoding:
        return _core.Encoding() if self._encoding is None else self._encoding

    @property
    def encoded_names_(self) -> list[str]:
        """Names of the inputs of the networks: numbers, levels, months, missing values."""
        check_is_fitted(self)
        return self._ensemble.encoding.names(self._ensemble.inputs)

    def _names(self) -> list[str]:
        return [str(name) for name in getattr(self, "feature_names_in_", ())]

    def _rows(self, examples: Examples) -> _core.ExampleRows:
        """The examples as the library takes them."""
        raise NotImplementedError

    def _learn(
        self,
        examples: Examples,
        validation: Examples | None,
        loss: str | Sequence[str],
        sweep: Sweep,
        engine: Any = None,
        more: Continued | None = None,
        callback: Any = None,
    ) -> None:
        """Trains the members and sets the attributes that describe them."""
        for name in [name for name in vars(self) if name.startswith(_DESCRIPTIONS)]:
            delattr(self, name)
        training = sweep.training(self, loss)
        start = None
        if more is not None:
            start = more.prepare(training)
        calls = None if callback is None else EpochCalls(callback, training.members)
        training.keep_optimizer = more is not None or bool(self.warm_start)
        for name, used in (("callback", calls), ("a training that goes on", start)):
            if used is not None and (engine is not None or training.checkpoint):
                other = "checkpoint" if engine is None else "engine"
                raise ValueError(f"{name} cannot be used with {other}; omit one of them")
        seen = self._seen if start is not None else SeenRows()
        seen = seen.with_call(examples, f"{training.resampling} {self.subsample}")
        if seen.moved and getattr(self, "calibrate", False) and validation is None:
            raise ValueError(
                "calibrate=True needs rows that members are not trained on, but rows of an earlier "
                "call came again in another order or among other rows; give validation=(X, y), or "
                "the same rows in the same order in every call"
            )
        threads = thread_number(self.threads)
        rows = self._rows(examples)
        held_out = None if validation is None else self._rows(validation)
        curves: list[list[float]] | None = None
        if engine is not None:
            from bootfold._trained import train_spread

            given = (examples, validation, loss)
            core, curves = train_spread(self, rows, given, training, engine)
        else:
            with reporter(self.progress, 100, "% of the steps") as tell:
                core = _core.Ensemble.train(rows, training, held_out, threads, tell, start, calls)
        if training.checkpoint:
            _core.remove_checkpoint(training.checkpoint)
        self._warn(core)
        if sweep:
            self.sweep_ = _members.sweep_table(core, sweep.values)
            losses = self.sweep_["held_out_loss"]
            if not np.isfinite(losses).any():
                losses = self.sweep_["loss"]
            self.best_params_ = dict(sweep.values[int(np.nanargmin(losses))])
        if sweep.rule is not None:
            if held_out is None and examples.repeats:
                warnings.warn(
                    "sample_weight repeats rows, and a copy may be predicted by members that were "
                    "trained on another copy: the selection favors members that overfit; give "
                    "validation=(X, y)",
                    UserWarning,
                    stacklevel=4,
                )
            core, self.selection_ = sweep.select(core, rows, training, held_out, threads)
            if sweep:
                kept = [member.settings for member in core.members]
                self.sweep_["kept"] = np.bincount(kept, minlength=len(sweep.values))
        known = start is not None and self._rows_moved
        self._ensemble, self._seen = core, seen
        if self._rows_moved and not known:
            self._warn_of_moved_rows()
        self._set_scores(core, examples, held_out, threads)
        earlier = [] if start is None else [getattr(self, "loss_curves_", np.empty((len(core), 0)))]
        latest = _members.curves(curves or [member.curve for member in core.members])
        self.loss_curves_: Array = np.concatenate([*earlier, latest], axis=1)
        self.loss_curve_ = self._mean_curve(core)

    def _set_scores(
        self,
        core: _core.Ensemble,
        examples: Examples,
        held_out: _core.ExampleRows | None,
        threads: int,
    ) -> None:
        """Sets the conformal scores that joined and selected members lack, and drops false ones."""
        if held_out is not None:
            if core.conformal.rows != "held_out":
                core.set_conformal(_core.conformal_scores(core, held_out, threads))
        # A copy is predicted by members that were trained on another.
        elif examples.repeats or self._rows_moved:
            core.set_conformal(_core.ConformalScores())
        self._without_scores = "moved" if self._rows_moved else "copies" * examples.repeats

    @property
    def _rows_moved(self) -> bool:
        """Whether members were trained on rows that count as out of bag."""
        return self._seen.moved and self._ensemble.leaves_rows_out

    def _warn_of_moved_rows(self) -> None:
        warnings.warn(
            "rows of an earlier call came again in another order or among other rows, so members "
            "were trained on rows that count as out of bag: there are no out-of-bag scores and no "
            "intervals and sets without other rows (calibration=(X, y), or validation=(X, y)), and "
            "held-out losses and the noise that uncertainty tells are too small. Give the same "
            "rows in the same order in every call (each member draws its own), or new rows",
            UserWarning,
            stacklevel=caller_level(),
        )

    def _mean_curve(self, core: _core.Ensemble) -> Array:
        useful = [not member.failure for member in core.members]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # all have stopped early
            found: Array = np.nanmean(self.loss_curves_[useful], axis=0)
        return found

    def _warn(self, core: _core.Ensemble) -> None:
        failed = [member for member in core.members if member.failure]
        if not failed:
            return
        message = f"{len(failed)} of {len(core)} members failed: {failed[0].failure}"
        if len(failed) == len(core):
            raise ValueError(message)
        warnings.warn(message, ConvergenceWarning, stacklevel=5)

    def _given(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, fitted: bool = True
    ) -> tuple[Any, Any, Any]:
        """Inputs, targets and weights, read if X is a file, a query or the like.

        Targets and weights may then be names of columns. The inputs are those of `fit`, by name.
        """
        roles = {"y": y, "sample_weight": sample_weight}
        if fitted:
            inputs = self._names()
            columns = InputColumns.of_model(inputs, self._ensemble_encoding()) if inputs else None
            X, found = rows_of(
                X,
                inputs or None,
                roles,
                names=bool(inputs),
                columns=columns,
                labels=self._label_roles,
            )
        else:
            X, found, columns = examples_of(
                X, roles, memory_bytes(self.memory), self._input_columns, self._label_roles
            )
            if columns is not None:
                self._columns_of_source = columns
        return X, found["y"], found["sample_weight"]

    def _checked(self, X: Any) -> Array:
        X = self._coded(X)
        check_no_dates(X, "X")
        found: Array = self._validated(X, reset=False)
        return found

    def _validated(self, X: Any, *y: Any, **options: Any) -> Any:
        """What scikit-learn makes of rows; its messages name the column."""
        try:
            return validate_data(
                self,
                X,
                *y,
                dtype=[np.float64, np.float32],
                ensure_all_finite=self._finite,
                **options,
            )
        except ValueError as error:
            more = explained(str(error), X)
            if more is None:
                raise
            raise ValueError(more) from None

    def _of_rows(self, X: Any, compute: Callable[[Array], tuple[Array, ...]]) -> tuple[Array, ...]:
        """What `compute` returns for all rows. Files, queries and the like are read in batches."""
        check_is_fitted(self)
        source = None if type(X) is np.ndarray else table_source(X)
        if source is None:
            return compute(self._checked(X))
        names = self._names() or None
        found = []
        encoding = self._ensemble_encoding()
        columns = None if names is None else InputColumns.of_model(names, encoding)
        for rows in batches_of(source, source.names if names is None else names, columns):
            computed = compute(self._checked(with_names(rows, names)))
            # An array of a prediction keeps all of it in memory; a copy does not.
            found.append([np.array(part) for part in computed])
        return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))

    def _parts(self, given: Any, what: str = "training") -> tuple[Array, Any]:
        """Inputs and targets of a pair (X, y) that is not the one of `fit`."""
        try:
            X, y = given
        except (TypeError, ValueError):
            raise TypeError(f"{what} must be a pair (X, y)") from None
        X, y, _ = self._given(X, y)
        inputs = self._checked(X)
        truth = np.asarray(y)
        if truth.shape[:1] != inputs.shape[:1]:
            raise ValueError(
                f"{what} has {inputs.shape[0]} rows of inputs and targets of shape "
                f"{truth.shape}; the numbers of rows must be equal"
            )
        return inputs, truth

    def _prediction(self, inputs: Array) -> _core.Prediction:
        return self._ensemble.predict(inputs, thread_number(self.threads))

    def _uncertainty(self, X: Any) -> tuple[Array, ...]:
        """Total, aleatoric and epistemic, [row][output], and `outside`."""

        def compute(inputs: Array) -> tuple[Array, ...]:
            found = self._prediction(inputs)
            outside = found.outside.astype(np.int64)
            return found.total, found.aleatoric, found.epistemic, outside

        return self._of_rows(X, compute)

    @property
    def _leaves_rows_out(self) -> bool:
        return self._ensemble.leaves_rows_out

    def _out_of_bag(self, examples: Examples, given: Array) -> Array | None:
        """Out-of-bag means of the given rows; NaN where all members were trained on the row."""
        prediction = self._ensemble.out_of_bag
        if prediction.mean.shape[0] == 0:
            return None
        found = examples.spread(prediction.mean)
        if self._rows_moved:
            return np.full_like(found, np.nan)
        rest = examples.left_out
        if rest.size:
            unseen = self._ensemble.predict(given[rest], thread_number(self.threads))
            found[rest] = unseen.mean
        return found

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_ensemble")

    @property
    def members_(self) -> Members:
        """The members, each with settings, number, steps, loss, held_out_loss and failure.

        Members are made when they are asked for: `members_[3].parameters` are the arrays of its
        layers, which are not copied, and `members_[3].predict(X)` its own predictions.

        Examples
        --------
        >>> import numpy as np
        >>> import bootfold as bf
        >>> X = np.linspace(-1, 1, 50)[:, None]
        >>> model = bf.EnsembleRegressor(members=4, epochs=5).fit(X, X[:, 0])
        >>> each = [member.predict(X) for member in model.members_]
        >>> bool(np.allclose(np.mean(each, axis=0), model.predict(X)))
        True
        >>> model.members_[3].parameters["layers.0.weight"].shape
        (32, 1)
        """
        check_is_fitted(self)
        return Members(self)

    @property
    def input_scaling_(self) -> tuple[Array, Array]:
        """Means and scales of the inputs: the networks are given (X - mean) / scale."""
        check_is_fitted(self)
        mean, scale = self._ensemble.input_scaling
        return np.array(mean), np.array(scale)

    @property
    def input_range_(self) -> tuple[Array, Array]:
        """Smallest and largest value of each input in the training rows."""
        check_is_fitted(self)
        low, high = self._ensemble.input_range
        return np.array(low), np.array(high)

    def outside_range(self, X: Any) -> Array:
        """For each row, the number of inputs outside the range of the training rows; 0 is inside.

        Predictions outside are extrapolations. Far from the training rows ReLU networks are linear
        and may agree with one another, so a small spread there is not certainty. A row with 0 can
        still be far from all training rows, because inputs are compared one by one.

        Examples
        --------
        >>> import numpy as np
        >>> import bootfold as bf
        >>> X = np.linspace(-1, 1, 200)[:, None]
        >>> model = bf.EnsembleRegressor(members=5, epochs=5).fit(X, X[:, 0])
        >>> model.outside_range([[0.5], [3.0]])
        array([0, 1])
        """
        check_is_fitted(self)

        def compute(inputs: Array) -> tuple[Array, ...]:
            return (np.array(self._ensemble.outside(inputs), dtype=np.int64),)

        return self._of_rows(X, compute)[0]

    def encode(self, X: Any) -> Array:
        """The inputs of the networks for rows X: float32, [row, input], named by `encoded_names_`.

        Numbers are scaled, categories have a column for each level, and so on. `export_onnx`,
        `to_torch` and `to_jax` with encoded=True take such rows.

        Examples
        --------
        >>> import numpy as np
        >>> import bootfold as bf
        >>> X = np.array([[1.0], [3.0], [np.nan]])
        >>> model = bf.EnsembleRegressor(members=2, epochs=1).fit(X, [0.0, 1.0, 2.0])
        >>> model.encode(X).tolist(), model.encoded_names_
        ([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], ['1', '1 missing'])
        """
        check_is_fitted(self)
        from bootfold._forward import NumpyOps, encode, model_of

        model = model_of(self._ensemble)
        return self._of_rows(X, lambda rows: (encode(NumpyOps(model), model, rows),))[0]

    def export_onnx(
        self,
        path: str | os.PathLike[str],
        *,
        members: bool = False,
        encoded: bool = False,
        input_type: str = "float64",
    ) -> None:
        """Writes all members as one ONNX model. Needs the package onnx.

        The input is "X", [rows, inputs]. Scaling, missing values (NaN), bins, dates (seconds since
        1970), categories whose levels are numbers and booleans (0 and 1) are part of the model. If
        inputs are text, each input has its own name and the shape [rows, 1]; those of text are
        strings, and the empty one is missing. The outputs are "label" and "probabilities" of a
        classifier ("labels" and "probabilities", [rows, labels], of several labels), and
        "prediction" of a regressor, in 64 bits. They are those of `predict_proba` and `predict` up
        to 1e-5; transforms of targets are part of the model. Members that failed are left out.

        Parameters
        ----------
        path : str or path-like
        members : bool
            Also the predictions of each member: "member_probabilities" or "member_prediction",
            [member, row, class or target].
        encoded : bool
            The input is what `encode` returns. Necessary for categories with hashed levels.
        input_type : {"float64", "float32"}
            The type of numeric inputs. float32 has 7 digits: predictions are those of inputs that
            are rounded to it, and differ by more than 1e-5 if a column is far from 0 compared with
            its standard deviation. From 100,000 standard deviations on there is a warning.

        Raises
        ------
        ImportError
            If onnx is not installed.
        ValueError
            If a category has hashed levels, unless `encoded`.
        NotImplementedError
            For networks that exports do not know.
        """
        check_is_fitted(self)
        from bootfold._onnx import export

        export(
            self._ensemble,
            path,
            classes=getattr(self, "classes_", None),
            members=members,
            encoded=encoded,
            input_type=input_type,
        )

    def stacked_parameters(self, layout: str = "torch") -> dict[str, Any]:
        """Parameters of all members, stacked, as NumPy arrays.

        Networks are given the rows of `encode`; the last layer has no activation. Members that
        failed are left out. If networks differ, as after `sweep`, the names of each kind begin
        with "pack0.", "pack1." and so on ("pack0", "pack1" are subtrees in the layout of JAX).

        Parameters
        ----------
        layout : {"torch", "jax"}
            "torch": {"layers.0.weight": [member, out, in], "layers.0.bias": [member, out], ...},
            as torch.func.functional_call takes them under vmap. "jax": {"Dense_0": {"kernel":
            [member, in, out], "bias": [member, out]}, ...}, the tree of a Flax module of Dense
            layers, as jax.vmap takes it.

        Examples
        --------
        >>> import numpy as np
        >>> import bootfold as bf
        >>> model = bf.EnsembleRegressor(members=5, hidden=(8,), epochs=1)
        >>> _ = model.fit(np.eye(3), [0.0, 1.0, 2.0])
        >>> {name: array.shape for name, array in model.stacked_parameters().items()}
        {'layers.0.weight': (5, 8, 3), 'layers.0.bias': (5, 8), 'layers.1.weight': (5, 1, 8),
         'layers.1.bias': (5, 1)}
        """
        check_is_fitted(self)
        from bootfold import _stacked
        from bootfold._forward import model_of

        trees: dict[str, Callable[..., dict[str, Any]]] = {
            "torch": _stacked.torch_tree,
            "jax": _stacked.jax_tree,
        }
        if layout not in trees:
            raise ValueError(f"layout is {layout!r} but must be 'torch' or 'jax'")
        return trees[layout](model_of(self._ensemble))

    def to_torch(self, *, encoded: bool = False) -> Any:
        """A torch.nn.Module of all members, which computes the predictions of the estimator.

        `module(X)` returns what `predict` returns for numbers and `predict_proba` for classes, up
        to 1e-5, of a tensor or array X, [row, input], with NaN for missing values and seconds since
        1970 for dates. `module(X, "members")` are the predictions of each member, [member, row,
        ...], and `module(X, "outputs")` what the networks return: logits, or scaled targets. The
        parameters have the names of `stacked_parameters("torch")`, can be trained, and come back
        by `from_torch`.

        Parameters
        ----------
        encoded : bool
            X are the rows of `encode`. Necessary if inputs are text.
        """
        check_is_fitted(self)
        from bootfold._forward import model_of
        from bootfold._torch import module_of

        return module_of(model_of(self._ensemble), encoded, getattr(self, "_single", False))

    def to_jax(self, *, encoded: bool = False) -> Any:
        """A function of JAX and its parameters: (apply, parameters).

        `apply(parameters, X)` returns what `predict` returns for numbers and `predict_proba` for
        classes. `apply(parameters, X, "members")` and `"outputs"` are as in `to_torch`. The
        parameters are those of `stacked_parameters("jax")`; `from_jax` takes them back. JAX
        computes in 32 bits unless jax_enable_x64 is set. That is right to 1e-5 unless inputs are
        far from 0 compared with their standard deviation; `encoded=True` avoids the difference.

        Parameters
        ----------
        encoded : bool
            X are the rows of `encode`. Necessary if inputs are text.
        """
        check_is_fitted(self)
        from bootfold._forward import model_of
        from bootfold._jax import function_of

        tree = self.stacked_parameters("jax")
        single = getattr(self, "_single", False)
        return function_of(model_of(self._ensemble), tree, encoded, single)

    def from_torch(self, parameters: Any) -> Self:
        """An estimator like this one with the parameters of a module, or of its state_dict().

        Names and shapes are those of `to_torch`. On which rows such parameters were trained is not
        known: the new estimator has no out-of-bag attributes, no losses, no temperature and no
        intervals, unless the parameters are unchanged.

        Examples
        --------
        >>> import numpy as np
        >>> import bootfold as bf
        >>> X, y = np.eye(3), [0.0, 1.0, 2.0]
        >>> model = bf.EnsembleRegressor(members=5, epochs=1).fit(X, y)
        >>> state = model.stacked_parameters()
        >>> state["layers.1.weight"] = np.zeros_like(state["layers.1.weight"])
        >>> state["layers.1.bias"] = np.zeros_like(state["layers.1.bias"])
        >>> model.from_torch(state).predict(X)
        array([1., 1., 1.])
        """
        from bootfold._stacked import flat_torch

        return self._with_parameters(flat_torch(parameters))

    def from_jax(self, parameters: Any) -> Self:
        """An estimator like this one with the parameters of a tree such as that of `to_jax`.

        {"params": tree}, as Flax has it, is taken too. As `from_torch`.
        """
        from bootfold._stacked import flat_jax

        return self._with_parameters(flat_jax(parameters))

    def _with_parameters(self, given: dict[str, Array]) -> Self:
        check_is_fitted(self)
        from bootfold._forward import model_of
        from bootfold._stacked import member_parameters

        model = model_of(self._ensemble)
        flat = member_parameters(model, given)
        all_ = range(len(self._ensemble))
        core = self._ensemble if model.members == [*all_] else self._ensemble.subset(model.members)
        found = copy.copy(self)
        found._ensemble = core.with_parameters([row.tolist() for row in flat])
        same = [core.parameters(m).tobytes() == row.tobytes() for m, row in enumerate(flat)]
        if not all(same):
            for name in [name for name in vars(found) if name.startswith(("oob_", "loss_curve"))]:
                delattr(found, name)
            found._without_scores = "parameters"
        return found

    def subset(self, members: Sequence[int]) -> Self:
        """An estimator with these members only, given by their indices in `members_`.

        It has no out-of-bag attributes and no scores for intervals and sets. The intervals of a
        regressor have scores again if the training rows are there, which a file does not have.
        """
        check_is_fitted(self)
        found = copy.copy(self)
        chosen = [whole_number("members", member, 0) for member in members]
        found._ensemble = self._ensemble.subset(chosen)
        if self._ensemble.conformal.rows != "none":
            found._without_scores = "subset"
        for name in [name for name in vars(found) if name.startswith("oob_")]:
            delattr(found, name)
        if hasattr(self, "loss_curves_"):
            found.loss_curves_ = self.loss_curves_[chosen]
            found.loss_curve_ = found._mean_curve(found._ensemble)
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the members to a .safetensors file that `load` and ``bootfold ensemble`` read.

        The file has what intervals and sets need. It does not contain out-of-bag attributes and
        loss curves; a pickle does.
        """
        check_is_fitted(self)
        self._ensemble.save(os.fspath(path))

    def _take(self, core: _core.Ensemble) -> None:
        """Takes parameters and members from a loaded ensemble."""
        settings = core.settings[0]
        given = {name: getattr(settings, name) for name in SWEPT}
        given["hidden"] = tuple(settings.hidden)
        given["batch_size"] = settings.batch_size or "full"
        given["clip"] = settings.clip or None
        self.set_params(
            members=len(core),
            share=core.share if core.share and len(core) % core.share == 0 else 0,
            resampling=core.resampling,
            random_state=core.seed,
            **given,
        )
        self._encoding = core.encoding if core.encoding.kinds else None
        encodes = self._encoding is not None and self._encoding.accepts_missing
        self.nan = "encode" if encodes else "error"
        self._ensemble = core
        self._without_scores = "file"
        self.n_features_in_ = len(core.inputs)
        if core.inputs != [str(number) for number in range(1, self.n_features_in_ + 1)]:
            self.feature_names_in_ = np.array(core.inputs, dtype=object)
