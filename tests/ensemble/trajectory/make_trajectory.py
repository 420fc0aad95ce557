#!/usr/bin/env python3
"""Makes expected.txt: how small networks train, by NumPy in 64-bit arithmetic.

    build/dev/tests/ensemble/trajectory_start > tests/ensemble/trajectory/start.txt
    python3 tests/ensemble/trajectory/make_trajectory.py           # rewrites expected.txt
    python3 tests/ensemble/trajectory/make_trajectory.py --check   # only compares

start.txt has data, settings, first weights and the rows of the member, in their order. All else is
written here from the definitions: layers, activations, losses and their derivatives by hand, Adam
(Kingma and Ba 2015, algorithm 1), AdamW (Loshchilov and Hutter 2019), SGD with momentum as in
PyTorch, half a cosine, clipping by the norm of the whole gradient.

For s = 1, 2, ..., 100 a run of s steps is made, with a schedule of that length; `losses` has the
loss of its last batch, before the last step is made. Under a constant rate that is one trajectory.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
STEPS = 100
WORDS = {"case", "loss", "activation", "optimizer", "schedule"}


def read_start(text):
    shared, cases = {"input": [], "target": []}, []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        word, *values = line.split()
        if word == "case":
            cases.append({"case": values[0]})
            continue
        found = values[0] if word in WORDS else np.array(values, dtype=np.float64)
        if word in ("input", "target"):
            shared[word].append(found)
        else:
            (cases[-1] if cases else shared)[word] = found
    return shared, cases


def activation(name, z):
    """Values and slopes."""
    if name == "relu":
        return np.maximum(z, 0), (z > 0).astype(float)
    if name == "tanh":
        return np.tanh(z), 1 - np.tanh(z) ** 2
    root = np.sqrt(2 / np.pi)
    t = np.tanh(root * (z + 0.044715 * z**3))
    slope = 0.5 * (1 + t) + 0.5 * z * (1 - t**2) * root * (1 + 3 * 0.044715 * z**2)
    return 0.5 * z * (1 + t), slope


def loss_of(name, out, y, weights):
    """The loss of a batch, and its derivative by the outputs [row][output]."""
    w = weights[:, None]
    if name == "cross_entropy":
        z = out - out.max(axis=1, keepdims=True)
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        hit = np.eye(out.shape[1])[y[:, 0].astype(int)]
        return -(w * hit * np.log(p)).sum(), w * (p - hit)
    targets = y.shape[1]
    if name == "squared_error":
        return (w * (out - y) ** 2).sum() / targets, 2 * w * (out - y) / targets
    error, log_variance = out[:, :targets] - y, out[:, targets:]
    ratio = error**2 / np.exp(log_variance)
    loss = (w * 0.5 * (log_variance + ratio)).sum() / targets
    by_mean = w * error / np.exp(log_variance) / targets
    return loss, np.hstack([by_mean, w * 0.5 * (1 - ratio) / targets])


def split(parameters, sizes):
    """Weights [out][in] and bias of each layer."""
    layers, at = [], 0
    for before, size in zip(sizes[:-1], sizes[1:], strict=True):
        weights = parameters[at : at + before * size].reshape(size, before)
        at += before * size
        layers.append((weights, parameters[at : at + size]))
        at += size
    return layers


def gradient(case, sizes, parameters, x, y, weights):
    layers = split(parameters, sizes)
    values, slopes = [x], []
    for i, (w, b) in enumerate(layers):
        z = values[-1] @ w.T + b
        if i + 1 < len(layers):
            z, slope = activation(case["activation"], z)
            slopes.append(slope)
        values.append(z)
    loss, delta = loss_of(case["loss"], values[-1], y, weights)
    parts = []
    for i in reversed(range(len(layers))):
        parts = [(delta.T @ values[i]).ravel(), delta.sum(axis=0), *parts]
        if i > 0:
            delta = (delta @ layers[i][0]) * slopes[i - 1]
    return loss, np.concatenate(parts)


def run(shared, case, steps):
    """Loss of the last batch and the parameters after it."""
    x = np.column_stack(shared["input"])
    by_class = case["loss"] == "cross_entropy"
    y = shared["classes"][:, None] if by_class else np.column_stack(shared["target"])
    row_weights = shared["weights"] / shared["weights"].mean()
    if not case["weighted"][0]:
        row_weights = np.ones(len(x))
    if len(case["own_weights"]):
        row_weights = row_weights * case["own_weights"]
    walk = case["walk"].astype(int)
    batch = int(case["batch_size"][0]) or len(walk)
    sizes = case["sizes"].astype(int)
    beta1, beta2 = case["momentum"][0], case["beta2"][0]
    decay, rate, clip = case["weight_decay"][0], case["learning_rate"][0], case["clip"][0]
    p = case["first"].copy()
    m, v = np.zeros_like(p), np.zeros_like(p)
    for step in range(steps):
        rows = walk[(step * batch + np.arange(batch)) % len(walk)]
        loss, g = gradient(case, sizes, p, x[rows], y[rows], row_weights[rows] / batch)
        norm = np.sqrt((g**2).sum())
        if clip > 0 and norm > clip:
            g *= clip / norm
        now = rate
        if case["schedule"] == "cosine":
            now = rate * 0.5 * (1 + np.cos(np.pi * step / steps))
        if case["optimizer"] != "adamw":
            g = g + decay * p
        if case["optimizer"] == "sgd":
            m = beta1 * m + g
            p = p - now * m
            continue
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g**2
        first = m / (1 - beta1 ** (step + 1))
        second = v / (1 - beta2 ** (step + 1))
        shrunk = now * decay * p if case["optimizer"] == "adamw" else 0
        p = p - now * first / (np.sqrt(second) + case["epsilon"][0]) - shrunk
    return loss, p


def expected(text):
    shared, cases = read_start(text)
    lines = ["# Written by make_trajectory.py from start.txt."]
    for case in cases:
        losses = [run(shared, case, steps)[0] for steps in range(1, STEPS + 1)]
        final = run(shared, case, STEPS)[1]
        lines.append(f"case {case['case']}")
        lines.append("losses " + " ".join(f"{value:.12g}" for value in losses))
        lines.append("parameters " + " ".join(f"{value:.12g}" for value in final))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    made = expected((HERE / "start.txt").read_text())
    if not check:
        (HERE / "expected.txt").write_text(made)
        return 0
    stored = (HERE / "expected.txt").read_text()
    # Other versions of NumPy may sum in another order.
    for old, new in zip(stored.split(), made.split(), strict=True):
        if old != new and not np.isclose(float(old), float(new), rtol=1e-8, atol=1e-12):
            print(f"expected.txt has {old}, now it is {new}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
