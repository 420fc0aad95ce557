"""Python reads a model and says the same: safetensors, NumPy, nothing else.

    python read_model.py path/to/bootfold

Needs tests/requirements.txt; ctest runs it in .venv-test, which make test makes.
"""

import csv
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file

ACTIVATIONS = {
    "relu": lambda x: np.maximum(0, x),
    "tanh": np.tanh,
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
}


def outputs(path: Path, rows: np.ndarray) -> tuple[np.ndarray, dict]:
    """What every member says, [member, row, output], and the words of the file."""
    arrays = load_file(path)
    with safe_open(path, "np") as file:
        metadata = file.metadata()
    assert metadata["format"] == "bootfold ensemble 3", metadata["format"]
    model = json.loads(metadata["bootfold"])
    for each in model["encoding"]["inputs"]:  # else inputs need more than their scales
        assert each["kind"] == "number" and not each["missing"] and "bins" not in each
    inputs = (rows - model["input_scaling"]["mean"]) / model["input_scaling"]["scale"]
    said = [None] * len(model["members"]["number"])
    for pack in model["packs"]:
        layers = len(pack["hidden"]) + 1
        x = np.broadcast_to(inputs, (len(pack["members"]), *inputs.shape))
        for layer in range(layers):
            weight = arrays[f"{pack['prefix']}layers.{layer}.weight"]
            bias = arrays[f"{pack['prefix']}layers.{layer}.bias"]
            x = np.einsum("moi,mri->mro", weight, x) + bias[:, None]
            if layer + 1 < layers:
                x = ACTIVATIONS[pack["activation"]](x)
        for member, own in zip(pack["members"], x, strict=True):
            said[member] = own
    return np.array(said), model


def main() -> None:
    program = sys.argv[1]
    draws = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        data, path = Path(folder) / "x.csv", Path(folder) / "m.safetensors"
        with data.open("w") as file:
            file.write("a,b,kind,y\n")
            for _ in range(80):
                a, b = draws.gauss(5, 2), draws.gauss(0, 1)
                file.write(f"{a},{b},{'xyz'[int(a > 5) + int(b > 0)]},{a * b}\n")
        with data.open() as file:
            rows = np.array([[float(r["a"]), float(r["b"])] for r in csv.DictReader(file)])

        def run(*words: str) -> str:
            command = [program, "ensemble", *words]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

        def train(options: str) -> None:
            networks = "--hidden 5 --hidden 4,3 --activation relu,tanh,gelu --members 3 --steps 30"
            words = f"{options} {networks}".split()
            run("train", str(data), *words, "--output", str(path))

        train("--target kind --ignore y")
        said, _ = outputs(path, rows)
        shares = np.exp(said - said.max(-1, keepdims=True))
        shares = (shares / shares.sum(-1, keepdims=True)).mean(0)
        found = json.loads(run("predict", str(path), str(data), "--json"))["columns"]
        for code, name in enumerate("xyz"):
            np.testing.assert_allclose(found[f"p_{name}"], shares[:, code], rtol=0, atol=1e-5)

        train("--target y --loss gaussian --ignore kind")
        said, model = outputs(path, rows)
        scale = model["target_scaling"]["scale"][0]
        mean = said[:, :, 0].mean(0) * scale + model["target_scaling"]["mean"][0]
        noise = np.sqrt(np.exp(said[:, :, 1]).mean(0)) * scale
        found = json.loads(run("predict", str(path), str(data), "--json"))["columns"]
        np.testing.assert_allclose(found["mean"], mean, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found["aleatoric_std"], noise, rtol=1e-5)


if __name__ == "__main__":
    main()
