"""Parameters of all members, stacked, under the names that other packages give to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bootfold._data import Array
    from bootfold._forward import Model, Pack


#: The arrays of a layer; the last two of a layer that is normalized.
LAYER_PARTS = ("weight", "bias", "gain", "offset")


def torch_tree(model: Model) -> dict[str, Array]:
    """{"layers.0.weight": [member, out, in], "layers.0.bias": [member, out], ...}."""
    found = {}
    for number, pack in enumerate(model.packs):
        prefix = "" if len(model.packs) == 1 else f"pack{number}."
        for layer, arrays in enumerate(pack.layers):
            for part, array in zip(LAYER_PARTS, arrays, strict=False):
                found[f"{prefix}layers.{layer}.{part}"] = array
    return found


def jax_tree(model: Model) -> dict[str, Any]:
    """{"Dense_0": {"kernel": [member, in, out], "bias": [member, out]}, ...}.

    A layer that is normalized adds "LayerNorm_0": {"scale": [member, out], "bias": [member, out]}.
    """

    def tree(pack: Pack) -> dict[str, Any]:
        found = {}
        for number, (weights, bias, *norm) in enumerate(pack.layers):
            found[f"Dense_{number}"] = {"kernel": weights.transpose(0, 2, 1), "bias": bias}
            if norm:
                found[f"LayerNorm_{number}"] = {"scale": norm[0], "bias": norm[1]}
        return found

    if len(model.packs) == 1:
        return tree(model.packs[0])
    return {f"pack{number}": tree(pack) for number, pack in enumerate(model.packs)}


def _array(value: Any) -> Array:
    if hasattr(value, "detach"):  # a tensor of torch
        value = value.detach().cpu()
    return np.asarray(value, dtype=np.float32)


def flat_torch(given: Any) -> dict[str, Array]:
    """The parameters of a module, or of its state_dict()."""
    state = given.state_dict() if hasattr(given, "state_dict") else given
    if not isinstance(state, Mapping):
        raise TypeError(
            f"parameters are of type {type(given).__name__} but must be a module of torch or its "
            "state_dict()"
        )
    return {str(name): _array(value) for name, value in state.items()}


def flat_jax(given: Any) -> dict[str, Array]:
    """The parameters of a tree of JAX under the names of torch."""
    tree = getattr(given, "parameters", given)
    if isinstance(tree, Mapping) and set(tree) == {"params"}:  # as Flax has it
        tree = tree["params"]
    if not isinstance(tree, Mapping):
        raise TypeError(
            f"parameters are of type {type(given).__name__} but must be a tree such as that of "
            "to_jax()"
        )
    found: dict[str, Array] = {}

    def add(prefix: str, name: str, layer: Any) -> None:
        normalizes = name.startswith("LayerNorm_")
        number = name.removeprefix("LayerNorm_" if normalizes else "Dense_")
        words = {"scale": "gain", "bias": "offset"} if normalizes else {"kernel": "weight"}
        for part, value in layer.items():
            array = _array(value)
            if part == "kernel":
                array = array.swapaxes(-1, -2)
            word = words.get(part, part)
            found[f"{prefix}layers.{number}.{word}"] = array

    for name, value in tree.items():
        if name.startswith("pack"):
            for inner, layer in value.items():
                add(f"{name}.", inner, layer)
        else:
            add("", name, value)
    return found


def member_parameters(model: Model, given: dict[str, Array]) -> list[Array]:
    """The parameters of each member, one after the other. Raises ValueError for other names."""
    wanted = torch_tree(model)
    if set(given) != set(wanted):
        other = sorted(set(given) ^ set(wanted))
        what = "is missing" if other[0] in wanted else "is not a parameter of these networks"
        raise ValueError(f"{other[0]} {what}; the parameters are {', '.join(wanted)}")
    for name, array in wanted.items():
        if given[name].shape != array.shape:
            raise ValueError(
                f"{name} has the shape {given[name].shape} but must have {array.shape}"
            )
    found: list[Array] = [np.empty(0)] * len(model.members)
    for number, pack in enumerate(model.packs):
        prefix = "" if len(model.packs) == 1 else f"pack{number}."
        names = [name for name in wanted if name.startswith(f"{prefix}layers.")]
        flat = np.concatenate([given[name].reshape(len(pack.places), -1) for name in names], axis=1)
        for place, row in zip(pack.places, flat, strict=True):
            found[place] = row
    return found
