"""The forward pass of an ensemble, written once for every package that can compute it.

`Model` describes trained members in plain arrays. `encode`, `outputs`, `of_members` and `combined`
compute with an object `ops` that has the operations of a package: NumPy here, ONNX, torch and JAX
in files of their own. A new activation is one line of ACTIVATIONS, a new loss one line of LINKS
and, if it is one of numbers, of TARGETS, a new setting that changes the network is one line of
_NETWORK and its use in `outputs`. What these tables do not have is refused by name.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bootfold import _core
from bootfold._categories import category_columns, level_columns, level_number, numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bootfold._data import Array

#: Settings that decide what a network computes.
_NETWORK = ("hidden", "activation", "layer_norm", "residual")
#: Settings that only its training uses.
_TRAINING = (
    "initializer",
    "optimizer",
    "schedule",
    "learning_rate",
    "weight_decay",
    "momentum",
    "beta2",
    "epsilon",
    "clip",
    "warmup",
    "dropout",
    "average",
    "batch_size",
    "subsample",
)


def _gelu(ops: Any, x: Any) -> Any:
    """The approximation by tanh."""
    inner = (x + x * x * x * ops.number(0.044715)) * ops.number(0.7978845608)
    return x * (ops.tanh(inner) + ops.number(1.0)) * ops.number(0.5)


def _silu(ops: Any, x: Any) -> Any:
    """x times the logistic function, by tanh, which overflows nowhere."""
    half = x * ops.number(0.5)
    return half * (ops.tanh(half) + ops.number(1.0))


#: Added to the variance by a layer normalization.
NORM_EPSILON = 1e-5

#: What hidden units compute.
ACTIVATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "relu": lambda ops, x: ops.relu(x),
    "tanh": lambda ops, x: ops.tanh(x),
    "gelu": _gelu,
    "silu": _silu,
}


class Transform(NamedTuple):
    """A transform of a target, as an ensemble tells of it."""

    kind: str
    lambda_: float  #: the power of Yeo and Johnson
    least: float  #: smallest target of the training rows
    most: float
    knots: list[float]  #: of a quantile transform: targets
    scores: list[float]  #: and their normal scores


class Target(NamedTuple):
    """A target of a model, and the outputs of networks that it is computed from."""

    loss: str
    output: int  #: the first output
    columns: int  #: of its prediction
    mean: float  #: of its scaling
    scale: float
    transform: Transform | None
    temperature: float  #: of the probability of 1


def _yeo_johnson(value: float, power: float) -> float:
    """The transform of a target."""
    size, power = (value, power) if value >= 0 else (-value, 2 - power)
    found = np.log1p(size) if power == 0 else np.expm1(power * np.log1p(size)) / power
    return float(found if value >= 0 else -found)


def _powered(ops: Any, size: Any, power: float) -> Any:
    """The inverse of the transform of a target that is not negative."""
    one = ops.constant(np.float64(1))
    if power == 0:
        return ops.exp(size) - one
    factor = ops.constant(np.float64(power))
    return ops.exp(ops.log1p(size * factor) / factor) - one


def _between_knots(ops: Any, value: Any, scores: list[float], knots: list[float]) -> Any:
    """Linear interpolation, constant beyond the knots; the place is found by bisection."""
    if len(knots) == 1:
        return value * ops.constant(np.float64(0)) + ops.constant(np.float64(knots[0]))
    held = ops.clip(value, scores[0], scores[-1])
    size = 1 << (len(scores) - 2).bit_length()
    # Places beyond the last but one are never taken.
    table = np.full(2 * size, np.inf)
    table[: len(scores) - 1] = scores[:-1]
    place = ops.whole(held * ops.constant(np.float64(0)))
    while size:
        next_place = place + ops.constant(np.int64(size))
        reached = ops.at_least(held, ops.take(ops.constant(table), next_place))
        place = ops.where(reached, next_place, place)
        size //= 2
    parts = (np.array(scores[:-1]), np.diff(scores), np.array(knots[:-1]), np.diff(knots))
    low, width, start, rise = (ops.take(ops.constant(part), place) for part in parts)
    return start + (held - low) / width * rise


def _inverse(ops: Any, transform: Transform, value: Any) -> Any:
    """Targets of transformed ones."""
    if transform.kind == "log":
        return ops.exp(value)
    if transform.kind == "quantile":
        return _between_knots(ops, value, transform.scores, transform.knots)
    if transform.kind != "yeo-johnson":
        raise NotImplementedError(f"exports do not know the transform {transform.kind!r}")
    width = transform.most - transform.least
    low = _yeo_johnson(transform.least - width, transform.lambda_)
    high = _yeo_johnson(transform.most + width, transform.lambda_)
    zero = ops.constant(np.float64(0))
    above = _powered(ops, ops.clip(value, max(low, 0.0), max(high, 0.0)), transform.lambda_)
    below = zero - ops.clip(value, min(low, 0.0), min(high, 0.0))
    return above - _powered(ops, below, 2 - transform.lambda_)


def _scaled(ops: Any, target: Target, outputs: Any) -> Any:
    """Predictions of a target in its own units."""
    scale, mean = (ops.constant(np.float64(part)) for part in (target.scale, target.mean))
    found = ops.double(outputs) * scale + mean
    return found if target.transform is None else _inverse(ops, target.transform, found)


def _rates(ops: Any, target: Target, outputs: Any) -> Any:
    return ops.exp(ops.double(outputs)) * ops.constant(np.float64(target.scale))


def _sigmoid(ops: Any, _: Target, outputs: Any) -> Any:
    one = ops.constant(np.float64(1))
    return one / (one + ops.exp(ops.constant(np.float64(0)) - ops.double(outputs)))


#: Predictions of a target [member, row, column] of its outputs, by its loss.
TARGETS: dict[str, Callable[[Any, Target, Any], Any]] = {
    "squared_error": _scaled,
    "gaussian": _scaled,
    "huber": _scaled,
    "pinball": _scaled,
    "poisson": _rates,
    "binary": _sigmoid,
}


def _of_targets(ops: Any, model: Model, outputs: Any) -> Any:
    """Predictions [member, row, column] of all targets."""
    plain = [t.transform is None and TARGETS[t.loss] is _scaled for t in model.targets]
    places = [t.output + k for t in model.targets for k in range(t.columns)]
    if all(plain) and places == [*range(len(places))]:
        scale = np.concatenate([np.full(t.columns, t.scale) for t in model.targets])[None, None, :]
        mean = np.concatenate([np.full(t.columns, t.mean) for t in model.targets])[None, None, :]
        found = ops.double(ops.part(outputs, 0, len(places)))
        return found * ops.constant(scale) + ops.constant(mean)
    parts = [
        TARGETS[t.loss](ops, t, ops.part(outputs, t.output, t.output + t.columns))
        for t in model.targets
    ]
    return parts[0] if len(parts) == 1 else ops.join(parts, 2)


def _tempered(ops: Any, probability: Any, temperature: float) -> Any:
    """The probability of 1 at a temperature."""
    one = ops.power(probability, 1 / temperature)
    zero = ops.power(ops.constant(np.float64(1)) - probability, 1 / temperature)
    return one / (one + zero)


def _mean_of_targets(ops: Any, model: Model, members: Any) -> Any:
    """The mean of the members; quantiles in ascending order."""
    found = ops.mean(members)
    if all(t.loss != "pinball" and t.temperature == 1 for t in model.targets):
        return found
    parts = []
    column = 0
    for target in model.targets:
        part = ops.part(found, column, column + target.columns)
        if target.temperature != 1:
            part = _tempered(ops, part, target.temperature)
        parts.append(ops.sort(part, target.columns) if target.loss == "pinball" else part)
        column += target.columns
    return parts[0] if len(parts) == 1 else ops.join(parts, 1)


def _probabilities(ops: Any, model: Model, members: Any) -> Any:
    """The mean of the members at the temperature of the model."""
    found = ops.mean(members)
    if model.temperature != 1:
        found = ops.power(found, 1 / model.temperature)
    return found / ops.sum(found)


def _two_classes(ops: Any, _: Model, outputs: Any) -> Any:
    """Probabilities of two classes, of the output of the second."""
    found = ops.double(outputs)
    return ops.softmax(ops.join([found * ops.constant(np.float64(0)), found], 2))


class Link(NamedTuple):
    """How the outputs of networks become predictions."""

    #: predictions [member, row, answer] of outputs [member, row, output]
    members: Callable[[Any, Model, Any], Any]
    #: the prediction [row, answer] of predictions of members
    combine: Callable[[Any, Model, Any], Any]


_NUMBERS = Link(_of_targets, _mean_of_targets)

#: By the loss of the training.
LINKS: dict[str, Link] = {
    "cross_entropy": Link(lambda ops, _, x: ops.softmax(ops.double(x)), _probabilities),
    "binary": Link(_two_classes, _probabilities),
    "squared_error": _NUMBERS,
    "gaussian": _NUMBERS,
    "huber": _NUMBERS,
    "pinball": _NUMBERS,
    "poisson": _NUMBERS,
    "multi_label": _NUMBERS,
    "mixed": _NUMBERS,
}


class Input(NamedTuple):
    """How an input column is encoded, as an Encoding tells when it is pickled."""

    kind: str
    missing: bool
    median: float
    levels: list[str]
    slots: list[int]
    own: int
    shared: int
    hours: bool
    bins: list[float]
    limits: list[float]
    periodic: list[float]

    @property
    def simple(self) -> bool:
        """Whether it is one number for the networks."""
        more = self.missing or self.bins or self.limits or self.periodic
        return self.kind in ("number", "boolean") and not more

    @property
    def width(self) -> int:
        """Columns of a category."""
        return self.own + self.shared + self.missing


#: Weights [member, out, in] and biases [member, out]; gains and offsets [member, out] of a
#: layer that is normalized.
LayerArrays = tuple["Array", ...]


@dataclass
class Pack:
    """Members with the same network."""

    places: list[int]  #: of its members among those of the model
    activation: str
    residual: bool
    layers: list[LayerArrays]

    def adds_input(self, number: int) -> bool:
        """Whether a layer adds its input to its output."""
        if not self.residual or number == 0 or number + 1 == len(self.layers):
            return False
        units = self.layers[number][0].shape
        return bool(units[1] == units[2])


@dataclass
class Model:
    """All that a prediction needs. Members that failed are left out."""

    names: list[str]
    loss: str
    answers: list[str]  #: classes, or targets and quantiles
    temperature: float
    mean: Array
    scale: Array
    targets: list[Target]  #: none for classes
    accepts_missing: bool
    inputs: list[Input] | None  #: None: all are numbers
    encoding: _core.Encoding
    members: list[int] = field(default_factory=list)  #: their indices in `members_`
    packs: list[Pack] = field(default_factory=list)

    @property
    def link(self) -> Link:
        return LINKS[self.loss]


def _check_settings(settings: _core.Settings) -> None:
    """Refuses settings that change a network in a way that is not known here."""
    usual = _core.Settings()
    known = {*_NETWORK, *_TRAINING}
    for name in dir(settings):
        if name.startswith("_") or name in known or callable(getattr(settings, name)):
            continue
        value = getattr(settings, name)
        if value != getattr(usual, name):
            raise NotImplementedError(
                f"members were trained with {name}={value!r}, which exports to other packages do "
                "not know; train without it, or predict with bootfold"
            )
    if settings.activation not in ACTIVATIONS:
        raise NotImplementedError(
            f"the activation is {settings.activation!r}, but exports know {', '.join(ACTIVATIONS)}"
        )


def dense_layers(flat: Array, sizes: Sequence[int], normalized: bool = False) -> list[LayerArrays]:
    """The arrays of each layer, of parameters [member, parameter]."""
    layers = []
    place = 0
    for number, (inside, outside) in enumerate(itertools.pairwise(sizes)):
        arrays = [flat[:, place : place + inside * outside].reshape(-1, outside, inside)]
        place += inside * outside
        for _ in range(3 if normalized and number + 2 < len(sizes) else 1):
            arrays.append(flat[:, place : place + outside])
            place += outside
        layers.append(tuple(arrays))
    if place != flat.shape[1]:
        raise NotImplementedError(
            f"the networks have {flat.shape[1]:,} parameters but dense layers of "
            f"{' x '.join(map(str, sizes))} units have {place:,}; exports know dense layers only"
        )
    return layers


def network_sizes(core: _core.Ensemble, settings: _core.Settings) -> list[int]:
    """Inputs, units of each hidden layer, outputs."""
    if core.loss not in LINKS:
        raise NotImplementedError(f"the loss is {core.loss!r}, but exports know {', '.join(LINKS)}")
    inputs = core.encoding.columns(len(core.inputs))
    return [inputs, *settings.hidden, core.outputs]


def packs_of(core: _core.Ensemble, members: Sequence[int]) -> list[Pack]:
    """The members by their networks, in the order of the first of each."""
    found: dict[tuple[Any, ...], list[int]] = {}
    all_ = core.members
    for place, member in enumerate(members):
        settings = core.settings[all_[member].settings]
        _check_settings(settings)
        network = tuple(
            tuple(value) if isinstance(value, list) else value
            for value in (getattr(settings, name) for name in _NETWORK)
        )
        found.setdefault(network, []).append(place)
    packs = []
    for places in found.values():
        settings = core.settings[all_[members[places[0]]].settings]
        flat = np.stack([core.parameters(members[place]) for place in places])
        layers = dense_layers(flat, network_sizes(core, settings), settings.layer_norm)
        packs.append(Pack(places, settings.activation, settings.residual, layers))
    return packs


def _targets_of(core: _core.Ensemble) -> list[Target]:
    """The targets of an ensemble; none for classes."""
    fitted = [Transform(*each) for each in core.target_transforms]
    found = []
    place = 0
    for number, (loss, _, count) in enumerate(core.target_columns):
        if loss not in TARGETS:
            known = ", ".join(TARGETS)
            raise NotImplementedError(f"the loss is {loss!r}, but exports know {known}")
        transform = fitted[number] if fitted and fitted[number].kind != "none" else None
        mean, scale = (part[number] for part in core.target_scaling)
        output = number if core.loss == "gaussian" else place  # all means, then all variances
        temperature = core.temperatures[number] if core.temperatures else 1.0
        found.append(Target(loss, output, count, mean, scale, transform, temperature))
        place += 2 if loss == "gaussian" else count
    return found


def model_of(core: _core.Ensemble) -> Model:
    """The description of an ensemble. Raises NotImplementedError for what is not known here."""
    members = [m for m, member in enumerate(core.members) if not member.failure]
    if not members:
        raise ValueError("all members failed, so there is nothing to export")
    accepts, inputs = core.encoding.__getstate__()
    mean, scale = core.input_scaling
    model = Model(
        names=core.inputs,
        loss=core.loss,
        answers=core.answers,
        temperature=core.temperature,
        mean=np.array(mean),
        scale=np.array(scale),
        targets=_targets_of(core),
        accepts_missing=accepts,
        inputs=[Input(*each) for each in inputs] or None,
        encoding=core.encoding,
        members=members,
        packs=packs_of(core, members),
    )
    _check_forward(core, model)
    return model


def _check_forward(core: _core.Ensemble, model: Model) -> None:
    """Compares the forward pass here with that of the library, at three rows.

    So whatever the tables above do not tell of (a new setting, a new meaning of an old one) is
    noticed before a file is written.
    """
    low, high = (np.array(limit) for limit in core.input_range)
    rows = np.stack([low, (low + high) / 2, high])
    for place, each in enumerate(model.inputs or ()):
        if each.kind == "category" and each.levels:
            codes = _core.EncodingCodes(model.encoding)
            words = [each.levels[k % len(each.levels)] for k in range(3)]
            rows[:, place] = codes.codes(place, words, [np.nan] * 3)
    wanted = core.predict(np.ascontiguousarray(rows), 1).mean
    found = predicted(NumpyOps(model), model, rows)
    size: Any = 1.0
    if model.targets:
        size = np.concatenate([np.full(t.columns, t.scale) for t in model.targets])
    spread = np.maximum(size, np.abs(wanted).max(axis=0))
    with np.errstate(invalid="ignore"):
        same = np.abs(found - wanted) <= 1e-4 * spread
    if not (same | ~np.isfinite(wanted)).all():
        raise NotImplementedError(
            "the networks compute something that exports to other packages do not know; "
            "predict with bootfold"
        )


class NumpyOps:
    """The operations of NumPy. Rows are the numbers that the library takes, with codes of texts."""

    def __init__(self, model: Model) -> None:
        self._model = model

    relu = staticmethod(lambda x: np.maximum(x, np.float32(0)))
    tanh, floor, sin, cos, isnan = np.tanh, np.floor, np.sin, np.cos, np.isnan
    exp, log1p = np.exp, np.log1p
    where, clip = staticmethod(np.where), staticmethod(np.clip)
    power = staticmethod(np.power)
    number = np.float32

    @staticmethod
    def constant(values: Any) -> Array:
        return np.asarray(values)

    @staticmethod
    def single(x: Array) -> Array:
        return x.astype(np.float32)

    @staticmethod
    def double(x: Array) -> Array:
        return x.astype(np.float64)

    @staticmethod
    def columns(X: Array, first: int, last: int) -> Array:
        return X[:, first:last].astype(np.float64)

    @staticmethod
    def equal(a: Array, b: Array) -> Array:
        found: Array = np.equal(a, b)
        return found

    @staticmethod
    def join(parts: Sequence[Array], axis: int) -> Array:
        return np.concatenate(parts, axis=axis)

    @staticmethod
    def reorder(x: Array, places: Sequence[int]) -> Array:
        found: Array = x[list(places)]
        return found

    @staticmethod
    def part(x: Array, first: int, last: int) -> Array:
        found: Array = x[..., first:last]
        return found

    @staticmethod
    def whole(x: Array) -> Array:
        return x.astype(np.int64)

    @staticmethod
    def take(values: Array, places: Array) -> Array:
        found: Array = values[places]
        return found

    @staticmethod
    def at_least(a: Array, b: Array) -> Array:
        found: Array = np.greater_equal(a, b)
        return found

    @staticmethod
    def sort(x: Array, _: int) -> Array:
        found: Array = np.sort(x, axis=-1)
        return found

    @staticmethod
    def softmax(x: Array) -> Array:
        grown = np.exp(x - x.max(axis=-1, keepdims=True))
        found: Array = grown / grown.sum(axis=-1, keepdims=True)
        return found

    @staticmethod
    def mean(x: Array) -> Array:
        found: Array = x.mean(axis=0)
        return found

    @staticmethod
    def sum(x: Array) -> Array:
        found: Array = x.sum(axis=-1, keepdims=True)
        return found

    @staticmethod
    def dense(x: Array, layer: LayerArrays) -> Array:
        weights, bias = layer[:2]
        found: Array = np.matmul(x, weights.transpose(0, 2, 1)) + bias[:, None, :]
        return found

    @staticmethod
    def norm(x: Array, layer: LayerArrays) -> Array:
        if len(layer) == 2:
            return x
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        normal = centred / np.sqrt(variance + np.float32(NORM_EPSILON))
        found: Array = normal * layer[2][:, None, :] + layer[3][:, None, :]
        return found

    def category(self, X: Array, place: int) -> Array:
        inputs = self._model.inputs
        assert inputs is not None
        return category_columns(X[:, place], place, inputs[place], self._model.encoding)


def _number_columns(ops: Any, model: Model, first: int, last: int, X: Any) -> list[Any]:
    """Columns `first` to `last`, which are one number each, or a column with more features."""
    assert model.inputs is not None
    values = ops.columns(X, first, last)
    missing = ops.isnan(values)
    medians = np.array([[each.median for each in model.inputs[first:last]]])
    filled = ops.where(missing, ops.constant(medians), values) if model.accepts_missing else values
    mean, scale = model.mean[None, first:last], model.scale[None, first:last]
    own = model.inputs[first]
    if own.limits:
        filled = ops.clip(filled, *own.limits)
    standardized = (filled - ops.constant(mean)) / ops.constant(scale)
    found = [ops.single(standardized)]
    if own.bins:
        edges = np.array([own.bins])
        width = ops.constant(np.diff(edges))
        found.append(ops.single(ops.clip((filled - ops.constant(edges[:, :-1])) / width, 0.0, 1.0)))
    if own.periodic:
        turns = standardized * ops.constant(np.array([own.periodic]))
        part = turns - ops.floor(turns)  # sines of large angles would lose digits
        angle = part * ops.constant(np.float64(2 * np.pi))
        found += [ops.single(ops.sin(angle)), ops.single(ops.cos(angle))]
    if own.missing:
        found.append(ops.single(missing))
    return found


def _one_hot(ops: Any, numbers: Any, count: int) -> Any:
    return ops.single(ops.equal(numbers, ops.constant(np.arange(count, dtype=np.float64)[None])))


def _unit(place: int, width: int) -> Array:
    found = np.zeros((1, width), dtype=np.float32)
    found[0, place] = 1
    return found


def number_levels(ops: Any, model: Model, place: int, X: Any) -> Any:
    """Columns of 0 and 1 of a category whose levels are numbers."""
    assert model.inputs is not None
    own = model.inputs[place]
    columns = level_columns(place, own, model.encoding)
    values = ops.columns(X, place, place + 1)
    table = np.zeros((len(columns), own.width), dtype=np.float32)
    for level, slot in enumerate(columns):
        if slot >= 0:
            table[level, slot] = 1
    levels = np.array([[level_number(level) for level in own.levels]])
    same = ops.single(ops.equal(values, ops.constant(levels)))
    found = ops.product(same, table)
    missing = ops.single(ops.isnan(values))
    if own.shared == 1:
        rest = ops.constant(np.float32(1)) - ops.sum(same) - missing
        found = found + rest * ops.constant(_unit(own.own, own.width))
    if own.missing:
        found = found + missing * ops.constant(_unit(own.width - 1, own.width))
    return found


def hashed_columns(model: Model) -> list[str]:
    """Inputs whose unknown levels are hashed, which only bootfold can do."""
    inputs = model.inputs or []
    return [
        name
        for name, each in zip(model.names, inputs, strict=False)
        if each.kind == "category" and each.shared > 1
    ]


def text_columns(model: Model) -> list[int]:
    """Places of the inputs that are text."""
    inputs = model.inputs or []
    return [p for p, each in enumerate(inputs) if each.kind == "category" and not numbered(each)]


def check_tensors(model: Model, package: str) -> None:
    """Raises ValueError for inputs that are not numbers, which tensors cannot have."""
    texts = [model.names[place] for place in text_columns(model)]
    for name in [*texts, *hashed_columns(model)]:
        why = "is text" if name in texts else "has hashed levels"
        raise ValueError(
            f"column {name!r} {why}, which {package} cannot take; pass encoded=True and give the "
            "rows of encode(X)"
        )


def _date_columns(ops: Any, model: Model, place: int, X: Any) -> list[Any]:
    """Time, months, weekdays and hours of seconds since 1970, in the proleptic calendar."""
    assert model.inputs is not None
    own = model.inputs[place]

    def over(x: Any, divisor: float) -> Any:
        return ops.floor(x / ops.constant(np.float64(divisor)))

    def times(x: Any, factor: float) -> Any:
        return x * ops.constant(np.float64(factor))

    def plus(x: Any, shift: float) -> Any:
        return x + ops.constant(np.float64(shift))

    values = ops.columns(X, place, place + 1)
    missing = ops.isnan(values)
    moment = ops.where(missing, ops.constant(np.array([[own.median]])), values)
    time = plus(moment, -model.mean[place]) / ops.constant(np.float64(model.scale[place]))
    day = over(moment, 86_400)
    # Days of eras of 400 years that begin in March, so that leap days come last.
    shifted = plus(day, 719_468)
    era_day = shifted - times(over(shifted, 146_097), 146_097)
    year = over(
        era_day - over(era_day, 1_460) + over(era_day, 36_524) - over(era_day, 146_096), 365
    )
    year_day = era_day - (times(year, 365) + over(year, 4) - over(year, 100))
    march = over(plus(times(year_day, 5), 2), 153)  # 0: March
    month = plus(march, 2) - times(over(plus(march, 2), 12), 12)
    weekday = plus(day, 3) - times(over(plus(day, 3), 7), 7)
    present = ops.constant(np.float32(1)) - ops.single(missing)
    found = [
        ops.single(time),
        _one_hot(ops, month, 12) * present,
        _one_hot(ops, weekday, 7) * present,
    ]
    if own.hours:
        angle = times(moment / ops.constant(np.float64(86_400)) - day, 2 * np.pi)
        found += [ops.single(ops.sin(angle)) * present, ops.single(ops.cos(angle)) * present]
    if own.missing:
        found.append(ops.single(missing))
    return found


def encode(ops: Any, model: Model, X: Any) -> Any:
    """The inputs of the networks, [row, input]."""
    if model.inputs is None:
        values = ops.columns(X, 0, len(model.names))
        mean, scale = (ops.constant(part[None]) for part in (model.mean, model.scale))
        return ops.single((values - mean) / scale)
    parts: list[Any] = []
    place = 0
    while place < len(model.inputs):
        last = place + 1
        own = model.inputs[place]
        if own.kind == "category":
            parts.append(ops.category(X, place))
        elif own.kind == "date":
            parts += _date_columns(ops, model, place, X)
        else:
            while own.simple and last < len(model.inputs) and model.inputs[last].simple:
                last += 1
            parts += _number_columns(ops, model, place, last, X)
        place = last
    return parts[0] if len(parts) == 1 else ops.join(parts, 1)


def outputs(ops: Any, packs: Sequence[Pack], layers: Sequence[Sequence[Any]], x: Any) -> Any:
    """Outputs [member, row, output] of the networks for inputs [row, input].

    `layers` are those of the packs, in the words of the package.
    """
    parts = []
    for pack, own in zip(packs, layers, strict=True):
        found = x
        for number, layer in enumerate(own):
            before = found
            found = ops.dense(found, layer)
            if number + 1 < len(own):
                found = ACTIVATIONS[pack.activation](ops, ops.norm(found, layer))
            if pack.adds_input(number):
                found = found + before
        parts.append(found)
    if len(parts) == 1:
        return parts[0]
    places = [place for pack in packs for place in pack.places]
    return ops.reorder(ops.join(parts, 0), np.argsort(places).tolist())


def of_members(ops: Any, model: Model, found: Any) -> Any:
    """Predictions [member, row, answer] of outputs."""
    return model.link.members(ops, model, found)


def combined(ops: Any, model: Model, members: Any) -> Any:
    """The prediction [row, answer] of predictions of members."""
    return model.link.combine(ops, model, members)


def shaped(model: Model, found: Any, single: bool) -> Any:
    """Predictions [..., answer] in the shape of `predict`; `single`: y has one axis."""
    if single:
        return found[..., 0] if len(model.answers) == 1 else found
    if model.loss == "pinball":
        return found.reshape((*found.shape[:-1], len(model.targets), -1))
    return found


def predicted(ops: Any, model: Model, X: Any) -> Any:
    """The prediction [row, answer] of rows that are not encoded."""
    layers = [pack.layers for pack in model.packs]
    found = outputs(ops, model.packs, layers, encode(ops, model, X))
    return combined(ops, model, of_members(ops, model, found))
