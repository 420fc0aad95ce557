"""Ensembles as ONNX models."""

from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._categories import level_columns
from bootfold._forward import (
    NORM_EPSILON,
    combined,
    encode,
    hashed_columns,
    model_of,
    number_levels,
    of_members,
    outputs,
    text_columns,
)
from bootfold._table_read import caller_level
from bootfold._table_source import needs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._data import Array
    from bootfold._forward import Input, LayerArrays, Model

_OPSET = 17  # of 2022: every runtime of today reads it
_ML_OPSET = 3
#: Offsets, in standard deviations, that float32 has to 1 % of these.
_MOST_OFFSET = 100_000
#: Beyond this size of the parameters they are a file of their own, as protobuf demands.
_MOST_BYTES = 1_900_000_000


class _Value:
    """A result of a node, with the operators of an array."""

    def __init__(self, ops: OnnxOps, name: str) -> None:
        self.ops = ops
        self.name = name

    def __add__(self, other: _Value) -> _Value:
        return self.ops.node("Add", self, other)

    def __sub__(self, other: _Value) -> _Value:
        return self.ops.node("Sub", self, other)

    def __mul__(self, other: _Value) -> _Value:
        return self.ops.node("Mul", self, other)

    def __truediv__(self, other: _Value) -> _Value:
        return self.ops.node("Div", self, other)


class OnnxOps:
    """Operations that add nodes to a graph."""

    def __init__(self, onnx: Any, model: Model, texts: Sequence[int]) -> None:
        self._onnx = onnx
        self._model = model
        self._texts = texts
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._known: dict[Any, _Value] = {}
        self._types = onnx.TensorProto

    def node(self, kind: str, *given: _Value, name: str = "", **attributes: Any) -> _Value:
        made = name or f"v{len(self.nodes)}"
        names = [value.name for value in given]
        self.nodes.append(self._onnx.helper.make_node(kind, names, [made], **attributes))
        return _Value(self, made)

    def constant(self, values: Any) -> _Value:
        array = np.ascontiguousarray(values).reshape(np.shape(values))
        key = (array.dtype.str, array.shape, array.tobytes())
        small = array.size < 64 and array.dtype != object
        if small and key in self._known:
            return self._known[key]
        name = f"c{len(self.constants)}"
        self.constants.append(self._onnx.numpy_helper.from_array(array, name))
        if small:
            self._known[key] = _Value(self, name)
        return _Value(self, name)

    def number(self, value: float) -> _Value:
        return self.constant(np.float32(value))

    def single(self, x: _Value) -> _Value:
        return self.node("Cast", x, to=self._types.FLOAT)

    def double(self, x: _Value) -> _Value:
        return self.node("Cast", x, to=self._types.DOUBLE)

    def relu(self, x: _Value) -> _Value:
        return self.node("Relu", x)

    def tanh(self, x: _Value) -> _Value:
        return self.node("Tanh", x)

    def floor(self, x: _Value) -> _Value:
        return self.node("Floor", x)

    def sin(self, x: _Value) -> _Value:
        return self.node("Sin", x)

    def cos(self, x: _Value) -> _Value:
        return self.node("Cos", x)

    def isnan(self, x: _Value) -> _Value:
        return self.node("IsNaN", x)

    def where(self, condition: _Value, a: _Value, b: _Value) -> _Value:
        return self.node("Where", condition, a, b)

    def equal(self, a: _Value, b: _Value) -> _Value:
        return self.node("Equal", a, b)

    def clip(self, x: _Value, low: float, high: float) -> _Value:
        return self.node("Clip", x, self.constant(np.float64(low)), self.constant(np.float64(high)))

    def power(self, x: _Value, exponent: float) -> _Value:
        return self.node("Pow", x, self.constant(np.float64(exponent)))

    def join(self, parts: Sequence[_Value], axis: int) -> _Value:
        return self.node("Concat", *parts, axis=axis)

    def reorder(self, x: _Value, places: Sequence[int]) -> _Value:
        return self.node("Gather", x, self.constant(np.array(places, dtype=np.int64)), axis=0)

    def part(self, x: _Value, first: int, last: int) -> _Value:
        return self.node("Gather", x, self.constant(np.arange(first, last)), axis=-1)

    def exp(self, x: _Value) -> _Value:
        return self.node("Exp", x)

    def log1p(self, x: _Value) -> _Value:
        return self.node("Log", x + self.constant(np.float64(1)))

    def whole(self, x: _Value) -> _Value:
        return self.node("Cast", x, to=self._types.INT64)

    def take(self, values: _Value, places: _Value) -> _Value:
        return self.node("Gather", values, places, axis=0)

    def at_least(self, a: _Value, b: _Value) -> _Value:
        return self.node("GreaterOrEqual", a, b)

    def sort(self, x: _Value, count: int) -> _Value:
        names = [f"v{len(self.nodes)}", f"v{len(self.nodes)}_places"]
        given = [x.name, self.constant(np.array([count], dtype=np.int64)).name]
        make = self._onnx.helper.make_node
        self.nodes.append(make("TopK", given, names, axis=-1, largest=0, sorted=1))
        return _Value(self, names[0])

    def softmax(self, x: _Value) -> _Value:
        return self.node("Softmax", x, axis=-1)

    def mean(self, x: _Value) -> _Value:
        return self.node("ReduceMean", x, axes=[0], keepdims=0)

    def sum(self, x: _Value) -> _Value:
        return self.node("ReduceSum", x, self.constant(np.array([-1])), keepdims=1)

    def dense(self, x: _Value, layer: LayerArrays) -> _Value:
        weights, bias = layer[:2]
        product = self.node("MatMul", x, self.constant(weights.transpose(0, 2, 1)))
        return product + self.constant(bias[:, None, :])

    def norm(self, x: _Value, layer: LayerArrays) -> _Value:
        if len(layer) == 2:
            return x
        # The operator LayerNormalization takes one gain for all members.
        gain, offset = (self.constant(part[:, None, :]) for part in layer[2:])
        centred = x - self.node("ReduceMean", x, axes=[-1], keepdims=1)
        variance = self.node("ReduceMean", centred * centred, axes=[-1], keepdims=1)
        deviation = self.node("Sqrt", variance + self.number(NORM_EPSILON))
        return centred / deviation * gain + offset

    def product(self, x: _Value, table: Array) -> _Value:
        return self.node("MatMul", x, self.constant(table))

    def columns(self, X: Any, first: int, last: int) -> _Value:
        if isinstance(X, _Value):
            if (first, last) == (0, len(self._model.names)):
                return self.double(X)
            chosen = self.node("Gather", X, self.constant(np.arange(first, last)), axis=1)
            return self.double(chosen)
        parts = [self.double(X[place]) for place in range(first, last)]
        return parts[0] if len(parts) == 1 else self.join(parts, 1)

    def category(self, X: Any, place: int) -> _Value:
        assert self._model.inputs is not None
        own = self._model.inputs[place]
        if place not in self._texts:
            found: _Value = number_levels(self, self._model, place, X)
            return found
        columns = level_columns(place, own, self._model.encoding)
        return self._texts_of(X[place], own, columns)

    def _texts_of(self, column: _Value, own: Input, columns: Sequence[int]) -> _Value:
        """Columns of 0 and 1 of texts; an empty text is missing."""
        numbers = [*columns, own.width - 1 if own.missing else -1]
        chosen = self.node(
            "LabelEncoder",
            column,
            domain="ai.onnx.ml",
            keys_strings=[*own.levels, ""],
            values_int64s=numbers,
            default_int64=own.own if own.shared == 1 else -1,
        )
        slots = self.constant(np.arange(own.width, dtype=np.int64)[None])
        return self.single(self.node("Equal", chosen, slots))


def _input_values(ops: OnnxOps, onnx: Any, model: Model, encoded: bool, kind: Any) -> Any:
    """The declared inputs of the graph, and what `encode` computes with."""
    texts = text_columns(model)
    declare = onnx.helper.make_tensor_value_info
    if encoded:
        count = model.encoding.columns(len(model.names))
        return [declare("X", onnx.TensorProto.FLOAT, ["rows", count])], _Value(ops, "X")
    if not texts:
        return [declare("X", kind, ["rows", len(model.names)])], _Value(ops, "X")
    declared = [
        declare(name, onnx.TensorProto.STRING if place in texts else kind, ["rows", 1])
        for place, name in enumerate(model.names)
    ]
    return declared, [_Value(ops, name) for name in model.names]


def _label(ops: OnnxOps, probabilities: _Value, classes: Array) -> Any:
    """The class of the highest probability."""
    kinds = {"i": np.int64, "u": np.int64, "b": np.bool_, "f": np.float64}
    kind = kinds.get(classes.dtype.kind)
    names = classes.astype(kind) if kind else np.array([str(c) for c in classes], dtype=object)
    best = ops.node("ArgMax", probabilities, axis=1, keepdims=0)
    return ops.node("Gather", ops.constant(names), best, axis=0, name="label"), names


def export(
    core: _core.Ensemble,
    path: str | os.PathLike[str],
    *,
    classes: Array | None,
    members: bool,
    encoded: bool,
    input_type: str,
) -> None:
    """Writes an ensemble as an ONNX model."""
    onnx = needs("onnx", "export_onnx", "onnx")
    if input_type not in ("float64", "float32"):
        raise ValueError(f"input_type is {input_type!r} but must be 'float64' or 'float32'")
    model = model_of(core)
    hashed = hashed_columns(model)
    if hashed and not encoded:
        raise ValueError(
            f"levels of column {hashed[0]!r} share hashed columns, which ONNX cannot compute; pass "
            "encoded=True and give the model the rows of encode(X), or train with more levels="
        )
    if input_type == "float32" and not encoded:
        _warn_of_offsets(model)
    types = onnx.TensorProto
    kind = types.DOUBLE if input_type == "float64" else types.FLOAT
    ops = OnnxOps(onnx, model, text_columns(model))
    declared, X = _input_values(ops, onnx, model, encoded, kind)
    x = X if encoded else encode(ops, model, X)
    found = outputs(ops, model.packs, [pack.layers for pack in model.packs], x)
    each = of_members(ops, model, found)
    whole = combined(ops, model, each)
    declare = onnx.helper.make_tensor_value_info
    count = len(model.answers)
    labels = model.loss == "multi_label"
    if labels:
        classes = None
    word = "probabilities" if labels or classes is not None else "prediction"
    ops.node("Identity", whole, name=word)
    results = [declare(word, types.DOUBLE, ["rows", count])]
    if labels:
        chosen = ops.node("Greater", whole, ops.constant(np.float64(0.5)))
        ops.node("Cast", chosen, name="labels", to=types.INT64)
        results.insert(0, declare("labels", types.INT64, ["rows", count]))
    elif classes is not None:
        _, names = _label(ops, whole, classes)
        kinds = {"i": types.INT64, "b": types.BOOL, "f": types.DOUBLE}
        results.insert(0, declare("label", kinds.get(names.dtype.kind, types.STRING), ["rows"]))
    if members:
        name = f"member_{word}"
        ops.node("Identity", each, name=name)
        results.append(declare(name, types.DOUBLE, [len(model.members), "rows", count]))
    helper = onnx.helper
    graph = helper.make_graph(ops.nodes, "bootfold", declared, results, ops.constants)
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _ML_OPSET)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="bootfold")
    made.producer_version = _core.version
    helper.set_model_props(
        made,
        {
            "inputs": json.dumps(model.encoding.names(model.names) if encoded else model.names),
            "outputs": json.dumps(model.answers),
            "members": str(len(model.members)),
        },
    )
    _write(onnx, made, os.fspath(path))


def _warn_of_offsets(model: Model) -> None:
    """Warns of numbers so far from 0 that float32 rounds them by much of their spread."""
    kinds = [own.kind for own in model.inputs] if model.inputs else ["number"] * len(model.names)
    far = [
        name
        for name, kind, mean, scale in zip(model.names, kinds, model.mean, model.scale, strict=True)
        if kind in ("number", "date") and abs(mean) > _MOST_OFFSET * scale
    ]
    if far:
        more = f" and {len(far) - 1} more" if len(far) > 1 else ""
        warnings.warn(
            f"column {far[0]!r}{more}: the mean is more than {_MOST_OFFSET:,} standard deviations "
            "from 0, so float32 rounds the inputs and predictions change; use "
            "input_type='float64', the default, or subtract the mean before training",
            UserWarning,
            stacklevel=caller_level(),
        )


def _write(onnx: Any, made: Any, path: str) -> None:
    """Writes and checks a model; a file appears whole or not at all."""
    if sum(constant.ByteSize() for constant in made.graph.initializer) > _MOST_BYTES:
        name = os.path.basename(path) + ".data"
        onnx.save(made, path, save_as_external_data=True, location=name)
        onnx.checker.check_model(path)
        return
    onnx.checker.check_model(made)
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(made.SerializeToString())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
