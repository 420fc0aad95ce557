"""Ensembles as functions of JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bootfold._forward import (
    NORM_EPSILON,
    check_tensors,
    combined,
    encode,
    number_levels,
    of_members,
    outputs,
    shaped,
)
from bootfold._table_source import needs
from bootfold._torch import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bootfold._data import Array
    from bootfold._forward import Model


class JaxEnsemble(NamedTuple):
    """A function of JAX and its parameters, as `to_jax` returns them."""

    #: apply(parameters, X, kind="prediction")
    apply: Callable[..., Any]
    #: {"Dense_0": {"kernel": [member, in, out], "bias": [member, out]}, ...}; with layer_norm
    #: "LayerNorm_0": {"scale": [member, out], "bias": [member, out]} and so on too
    parameters: dict[str, Any]


class JaxOps:
    """The operations of JAX."""

    def __init__(self, jnp: Any, model: Model) -> None:
        self._jnp = jnp
        self._model = model

    def constant(self, values: Any) -> Any:
        return self._jnp.asarray(np.asarray(values))

    def number(self, value: float) -> float:
        return value

    def single(self, x: Any) -> Any:
        return x.astype(np.float32)

    def double(self, x: Any) -> Any:
        return x.astype(self._jnp.result_type(float))  # 32 bits unless jax_enable_x64

    def relu(self, x: Any) -> Any:
        return self._jnp.maximum(x, 0)

    def tanh(self, x: Any) -> Any:
        return self._jnp.tanh(x)

    def floor(self, x: Any) -> Any:
        return self._jnp.floor(x)

    def sin(self, x: Any) -> Any:
        return self._jnp.sin(x)

    def cos(self, x: Any) -> Any:
        return self._jnp.cos(x)

    def isnan(self, x: Any) -> Any:
        return self._jnp.isnan(x)

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        return self._jnp.where(condition, a, b)

    def equal(self, a: Any, b: Any) -> Any:
        return a == b

    def clip(self, x: Any, low: float, high: float) -> Any:
        return self._jnp.clip(x, low, high)

    def power(self, x: Any, exponent: float) -> Any:
        return x**exponent

    def join(self, parts: Sequence[Any], axis: int) -> Any:
        return self._jnp.concatenate(parts, axis=axis)

    def reorder(self, x: Any, places: Sequence[int]) -> Any:
        return x[np.array(places)]

    def part(self, x: Any, first: int, last: int) -> Any:
        return x[..., first:last]

    def exp(self, x: Any) -> Any:
        return self._jnp.exp(x)

    def log1p(self, x: Any) -> Any:
        return self._jnp.log1p(x)

    def whole(self, x: Any) -> Any:
        return x.astype(np.int32)

    def take(self, values: Any, places: Any) -> Any:
        return values[places]

    def at_least(self, a: Any, b: Any) -> Any:
        return a >= b

    def sort(self, x: Any, _: int) -> Any:
        return self._jnp.sort(x, axis=-1)

    def softmax(self, x: Any) -> Any:
        grown = self._jnp.exp(x - x.max(axis=-1, keepdims=True))
        return grown / grown.sum(axis=-1, keepdims=True)

    def mean(self, x: Any) -> Any:
        return x.mean(axis=0)

    def sum(self, x: Any) -> Any:
        return x.sum(axis=-1, keepdims=True)

    def dense(self, x: Any, layer: Any) -> Any:
        product = self._jnp.matmul(x, layer["kernel"], precision="highest")
        return product + layer["bias"][:, None, :]

    def norm(self, x: Any, layer: Any) -> Any:
        if "norm" not in layer:
            return x
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = (centred * centred).mean(axis=-1, keepdims=True)
        normal = centred / self._jnp.sqrt(variance + NORM_EPSILON)
        return normal * layer["norm"]["scale"][:, None, :] + layer["norm"]["bias"][:, None, :]

    def product(self, x: Any, table: Array) -> Any:
        return self._jnp.matmul(x, table, precision="highest")

    def columns(self, X: Any, first: int, last: int) -> Any:
        return self.double(X[:, first:last])

    def category(self, X: Any, place: int) -> Any:
        return number_levels(self, self._model, place, X)


def _layers(tree: Any) -> list[Any]:
    """The dense layers of a tree of parameters, with their normalization."""
    found: list[Any] = []
    while f"Dense_{len(found)}" in tree:
        layer = dict(tree[f"Dense_{len(found)}"])
        if f"LayerNorm_{len(found)}" in tree:
            layer["norm"] = tree[f"LayerNorm_{len(found)}"]
        found.append(layer)
    return found


def function_of(model: Model, parameters: dict[str, Any], encoded: bool, single: bool) -> Any:
    """A function that computes the predictions of a model, and its parameters."""
    jax = needs("jax", "to_jax", "jax")
    jnp = jax.numpy
    if not encoded:
        check_tensors(model, "JAX")
        dates = [
            name
            for name, own in zip(model.names, model.inputs or (), strict=False)
            if own.kind == "date"
        ]
        if dates and jnp.result_type(float) != np.float64:
            raise ValueError(
                f"column {dates[0]!r} is a date, of which 32 bits do not tell the day; set "
                "jax.config.update('jax_enable_x64', True), or pass encoded=True and give the "
                "rows of encode(X)"
            )
    ops = JaxOps(jnp, model)
    count = len(model.packs)

    def apply(parameters: Any, X: Any, kind: str = "prediction") -> Any:
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r} but must be one of {', '.join(KINDS)}")
        trees = [parameters] if count == 1 else [parameters[f"pack{n}"] for n in range(count)]
        layers = [_layers(tree) for tree in trees]
        X = jnp.asarray(X)
        x = ops.single(X) if encoded else encode(ops, model, X)
        found = outputs(ops, model.packs, layers, x)
        if kind == "outputs":
            return found
        found = of_members(ops, model, found)
        if kind == "prediction":
            found = combined(ops, model, found)
        return shaped(model, found, single)

    return JaxEnsemble(apply, jax.tree_util.tree_map(jnp.asarray, parameters))
