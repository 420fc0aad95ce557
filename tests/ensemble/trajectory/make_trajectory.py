#!/usr/bin/env python3
"""Makes expected.txt: how small networks train, by NumPy in 64-bit arithmetic.

    build/dev/tests/ensemble/trajectory_start > tests/ensemble/trajectory/start.txt
    python3 tests/ensemble/trajectory/make_trajectory.py           # rewrites expected.txt
    python3 tests/ensemble/trajectory/make_trajectory.py --check   # only compares

start.txt has data, settings, first weights and the rows of the member, in their order. All else is
written here from the definitions: layers, activations, losses and their derivatives by hand, Adam
(Kingma and Ba 2015, algorithm 1), AdamW (Loshchilov and Hutter 2019), SGD with momentum as in
PyTorch, half a cosine, clipping by the norm of the whole gradient, layer normalization (Ba, Kiros
and Hinton 2016), residual layers, dropout, linear warm-up, averages of the parameters. The keys of
dropout masks are in start.txt, one pair for each step.

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
    if name == "silu":
        s = 1 / (1 + np.exp(-z))
        return z * s, s * (1 + z * (1 - s))
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


def split(parameters, sizes, normalized):
    """Weights [out][in], bias, and gains and offsets of hidden layers, of each layer."""
    layers, at = [], 0
    for i, (before, size) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
        layer = [parameters[at : at + before * size].reshape(size, before)]
        at += before * size
        for _ in range(3 if normalized and i + 2 < len(sizes) else 1):
            layer.append(parameters[at : at + size])
            at += size
        layers.append(layer)
    assert at == len(parameters)
    return layers


def decayed(sizes, normalized):
    """1 for weights and biases, 0 for gains and offsets."""
    parts = []
    for i, (before, size) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
        parts.append(np.ones((before + 1) * size))
        if normalized and i + 2 < len(sizes):
            parts.append(np.zeros(2 * size))
    return np.concatenate(parts)


def dropout_factors(case, hidden, rows, step):
    """Factors [row][unit] of each hidden layer."""
    threshold = round(case["dropout"][0] * 65536)
    add, mix = (int(key) for key in case["dropout_keys"][2 * step : 2 * step + 2])
    hidden = [int(size) for size in hidden]
    pairs = [(size + 1) // 2 for size in hidden]
    found, first = [], 0
    for size, own in zip(hidden, pairs, strict=True):
        factors = np.empty((rows, size))
        for row in range(rows):
            for unit in range(size):
                word = (row * sum(pairs) + first + unit // 2 + add) % 2**32
                word ^= word >> 16
                word = word * 0xD2511F53 % 2**32
                word ^= mix
                word ^= word >> 15
                word = word * 0xCD9E8D57 % 2**32
                word ^= word >> 16
                half = word >> 16 if unit % 2 else word % 65536
                factors[row, unit] = 0 if half < threshold else 65536 / (65536 - threshold)
        found.append(factors)
        first += own
    return found


def gradient(case, sizes, parameters, x, y, weights, step):
    normalized, residual = case["layer_norm"][0] > 0, case["residual"][0] > 0
    layers = split(parameters, sizes, normalized)
    hidden = sizes[1:-1]
    factors = [np.ones((len(x), size)) for size in hidden]
    if case["dropout"][0] > 0:
        factors = dropout_factors(case, hidden, len(x), step)
    adds = [
        residual and 0 < i < len(hidden) and sizes[i] == sizes[i + 1] for i in range(len(layers))
    ]
    values, slopes, normals, scales = [x], [], [], []
    for i, (w, b, *norm) in enumerate(layers):
        z = values[-1] @ w.T + b
        if i + 1 < len(layers):
            if normalized:
                scale = 1 / np.sqrt(z.var(axis=1, keepdims=True) + 1e-5)
                normal = (z - z.mean(axis=1, keepdims=True)) * scale
                z = normal * norm[0] + norm[1]
                normals.append(normal)
                scales.append(scale)
            z, slope = activation(case["activation"], z)
            z = z * factors[i]
            slopes.append(slope * factors[i])
            if adds[i]:
                z = z + values[-1]
        values.append(z)
    loss, delta = loss_of(case["loss"], values[-1], y, weights)
    parts = []
    arrived = None
    for i in reversed(range(len(layers))):
        norm_parts = []
        if i + 1 < len(layers):
            delta = arrived * slopes[i]
            if normalized:
                norm_parts = [(delta * normals[i]).sum(axis=0), delta.sum(axis=0)]
                d, n = delta * layers[i][2], normals[i]
                centred = d - d.mean(axis=1, keepdims=True)
                delta = scales[i] * (centred - n * (d * n).mean(axis=1, keepdims=True))
        parts = [(delta.T @ values[i]).ravel(), delta.sum(axis=0), *norm_parts, *parts]
        arrived = delta @ layers[i][0] + (arrived if adds[i] else 0)
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
    sized = decayed(sizes, case["layer_norm"][0] > 0)
    average, mean, total = case["average"][0], np.zeros_like(p), 0.0
    warm = np.floor(case["warmup"][0] * steps + 0.5)
    for step in range(steps):
        rows = walk[(step * batch + np.arange(batch)) % len(walk)]
        loss, g = gradient(case, sizes, p, x[rows], y[rows], row_weights[rows] / batch, step)
        norm = np.sqrt((g**2).sum())
        if clip > 0 and norm > clip:
            g *= clip / norm
        now = rate
        if step < warm:
            now = rate * (step + 1) / (warm + 1)
        elif case["schedule"] == "cosine":
            now = rate * 0.5 * (1 + np.cos(np.pi * (step - warm) / (steps - warm)))
        if case["optimizer"] != "adamw":
            g = g + decay * sized * p
        if case["optimizer"] == "sgd":
            m = beta1 * m + g
            p = p - now * m
        else:
            m = beta1 * m + (1 - beta1) * g
            v = beta2 * v + (1 - beta2) * g**2
            first = m / (1 - beta1 ** (step + 1))
            second = v / (1 - beta2 ** (step + 1))
            shrunk = now * decay * sized * p if case["optimizer"] == "adamw" else 0
            p = p - now * first / (np.sqrt(second) + case["epsilon"][0]) - shrunk
        mean, total = average * mean + p, average * total + 1
    return loss, mean / total


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
