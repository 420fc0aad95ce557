"""Ensembles as modules of torch."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

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
from bootfold._stacked import LAYER_PARTS
from bootfold._table_source import needs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._data import Array
    from bootfold._forward import LayerArrays, Model

KINDS = ("prediction", "members", "outputs")


class TorchOps:
    """The operations of torch, on one device."""

    def __init__(self, torch: Any, model: Model, device: Any) -> None:
        self._torch = torch
        self._model = model
        self._device = device
        names = "relu tanh floor sin cos isnan where clip exp log1p"
        for name in names.split():
            setattr(self, name, getattr(torch, name))

    def constant(self, values: Any) -> Any:
        return self._torch.as_tensor(np.array(values), device=self._device)

    def number(self, value: float) -> float:
        return value

    def single(self, x: Any) -> Any:
        return x.to(self._torch.float32)

    def double(self, x: Any) -> Any:
        return x.to(self._torch.float64)

    def equal(self, a: Any, b: Any) -> Any:
        return a == b

    def power(self, x: Any, exponent: float) -> Any:
        return x**exponent

    def join(self, parts: Sequence[Any], axis: int) -> Any:
        return self._torch.cat(list(parts), dim=axis)

    def reorder(self, x: Any, places: Sequence[int]) -> Any:
        return x[list(places)]

    def part(self, x: Any, first: int, last: int) -> Any:
        return x[..., first:last]

    def whole(self, x: Any) -> Any:
        return x.to(self._torch.int64)

    def take(self, values: Any, places: Any) -> Any:
        return values[places]

    def at_least(self, a: Any, b: Any) -> Any:
        return a >= b

    def sort(self, x: Any, _: int) -> Any:
        return self._torch.sort(x, dim=-1).values

    def softmax(self, x: Any) -> Any:
        return self._torch.softmax(x, dim=-1)

    def mean(self, x: Any) -> Any:
        return x.mean(dim=0)

    def sum(self, x: Any) -> Any:
        return x.sum(dim=-1, keepdim=True)

    def dense(self, x: Any, layer: Any) -> Any:
        return self._torch.matmul(x, layer.weight.transpose(1, 2)) + layer.bias[:, None, :]

    def norm(self, x: Any, layer: Any) -> Any:
        if not hasattr(layer, "gain"):
            return x
        normal = self._torch.nn.functional.layer_norm(x, x.shape[-1:], eps=NORM_EPSILON)
        return normal * layer.gain[:, None, :] + layer.offset[:, None, :]

    def product(self, x: Any, table: Array) -> Any:
        return x @ self.constant(table)

    def columns(self, X: Any, first: int, last: int) -> Any:
        return self.double(X[:, first:last])

    def category(self, X: Any, place: int) -> Any:
        return number_levels(self, self._model, place, X)


@functools.cache
def _classes() -> Any:
    """The classes of the modules, which torch defines the base of."""
    torch = needs("torch", "to_torch", "torch")

    class Layer(torch.nn.Module):  # type: ignore[misc,name-defined]
        """A dense layer of all members: weight [member, out, in], bias [member, out].

        A layer that is normalized has gain and offset [member, out] too.
        """

        def __init__(self, *arrays: Array) -> None:
            super().__init__()
            for name, array in zip(LAYER_PARTS, arrays, strict=False):
                setattr(self, name, torch.nn.Parameter(torch.from_numpy(np.array(array))))

    class Members(torch.nn.Module):  # type: ignore[misc,name-defined]
        """Members with the same network."""

        def __init__(self, layers: Sequence[LayerArrays]) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList([Layer(*layer) for layer in layers])

    class EnsembleModule(Members):
        """All members of an ensemble; a call returns their prediction.

        The parameters are "layers.0.weight" [member, out, in], "layers.0.bias" [member, out], with
        layer_norm "layers.0.gain" and "layers.0.offset" [member, out], and so on; those of members
        with different networks begin with "pack0.", "pack1.", ...
        """

        def __init__(self, model: Model, encoded: bool, single: bool) -> None:
            one = len(model.packs) == 1
            super().__init__(model.packs[0].layers if one else ())
            self._given = (model, encoded, single)
            if not one:
                del self.layers
                for number, pack in enumerate(model.packs):
                    setattr(self, f"pack{number}", Members(pack.layers))

        def forward(self, X: Any, kind: str = "prediction") -> Any:
            """Predictions of rows X, [row, input].

            kind: "prediction" is that of the estimator, "members" those of each member, [member,
            row, class or target], "outputs" what the networks return, [member, row, output]: logits
            of classes, or scaled targets. The last is for training.
            """
            if kind not in KINDS:
                raise ValueError(f"kind is {kind!r} but must be one of {', '.join(KINDS)}")
            model, encoded, single = self._given
            if not isinstance(X, torch.Tensor):
                X = np.array(X)  # torch warns of arrays that it may not write to
            X = torch.as_tensor(X, device=next(self.parameters()).device)
            ops = TorchOps(torch, model, X.device)
            packs: list[Any] = [getattr(self, f"pack{n}", self) for n in range(len(model.packs))]
            x = ops.single(X) if encoded else encode(ops, model, X)
            found = outputs(ops, model.packs, [pack.layers for pack in packs], x)
            if kind == "outputs":
                return found
            found = of_members(ops, model, found)
            if kind == "prediction":
                found = combined(ops, model, found)
            return shaped(model, found, single)

        def __reduce__(self) -> Any:
            state = {name: value.numpy(force=True) for name, value in self.state_dict().items()}
            return _restored, (*self._given, state)

    return EnsembleModule


def _restored(model: Model, encoded: bool, single: bool, state: dict[str, Array]) -> Any:
    torch = needs("torch", "to_torch", "torch")
    found = _classes()(model, encoded, single)
    found.load_state_dict({name: torch.from_numpy(value) for name, value in state.items()})
    return found


def module_of(model: Model, encoded: bool, single: bool) -> Any:
    """A module that computes the predictions of a model."""
    made = _classes()
    if not encoded:
        check_tensors(model, "torch")
    return made(model, encoded, single)
