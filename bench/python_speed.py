"""The Python package beside the C++ engine, SciPy and NumPy: ratios in one run.

    make bench-python            (builds what is missing and runs this)

A row is one function that returns the two times and what they mean; add one, and its line in ROWS.
The best of several runs counts, and the two of a row take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.stats

import bootfold as bf

RNG = np.random.default_rng(1)


@dataclass
class Row:
    work: str
    ours: float
    peer: float
    peer_name: str
    wanted: str


def best(*functions: Callable[[], object], runs: int = 5, times: int = 1) -> list[float]:
    """Seconds of one call of each; they take turns."""
    found = [float("inf")] * len(functions)
    for _ in range(runs):
        for place, function in enumerate(functions):
            start = time.perf_counter()
            for _ in range(times):
                function()
            found[place] = min(found[place], (time.perf_counter() - start) / times)
    return found


def mean_of_a_million() -> Row:
    x = RNG.normal(size=1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.npy")
        np.save(path, x)
        command = [os.environ["BOOTFOLD_PROGRAM"], "bootstrap", path, "--statistic", "mean"]
        command += ["--replicates", "2000", "--json", "--quiet", "--interval", "percentile"]

        def program() -> float:
            told = subprocess.run(command, check=True, capture_output=True).stdout
            return float(json.loads(told)["seconds"])

        ours = peer = float("inf")
        for _ in range(5):
            peer = min(peer, program())
            ours = min(ours, *best(lambda: bf.bootstrap(x, "mean", replicates=2000), runs=1))
    return Row("mean of 1,000,000, 2,000 replicates", ours, peer, "C++ engine", "at most 1.1 x")


def overhead() -> Row:
    x = RNG.normal(size=20)
    ours, peer = best(
        lambda: bf.bootstrap(x, "mean", replicates=1000),
        lambda: scipy.stats.bootstrap((x,), np.mean, n_resamples=1000, method="percentile"),
        times=200,
    )
    return Row("mean of 20, 1,000 replicates", ours, peer, "SciPy", "under 0.2 ms; 5 x")


def vectorised_function() -> Row:
    x = RNG.normal(size=10_000)

    def spread(x: np.ndarray, axis: int) -> np.ndarray:
        return np.max(x, axis) - np.min(x, axis)

    ours, peer = best(
        lambda: bf.bootstrap(x, spread, replicates=2000),
        lambda: scipy.stats.bootstrap(
            (x,), spread, n_resamples=2000, method="percentile", batch=100
        ),
    )
    return Row("max - min in Python, 10,000 rows, 2,000 replicates", ours, peer, "SciPy", "2 x")


def regression_by_sums() -> Row:
    rows, replicates, few = 1_000_000, 1000, 5
    design = np.column_stack([np.ones(rows), RNG.normal(size=(rows, 5))])
    y = design @ np.arange(1.0, 7.0) + RNG.normal(size=rows)
    places = [(i, j) for i in range(7) for j in range(i, 7) if j > 0]

    def features(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
        columns = [np.ones(len(y)), *np.ascontiguousarray(x.T), y]
        return [columns[i] * columns[j] for i, j in places]

    def finish(means: np.ndarray) -> np.ndarray:
        products = np.ones((means.shape[1], 7, 7))
        for mean, (i, j) in zip(means, places, strict=True):
            products[:, i, j] = products[:, j, i] = mean
        return np.linalg.solve(products[:, :6, :6], products[:, :6, 6:])[:, :, 0].T

    def loop() -> None:
        for _ in range(few):
            drawn = RNG.integers(0, rows, rows)
            x, z = design[drawn], y[drawn]
            np.linalg.solve(x.T @ x, x.T @ z)

    x = np.ascontiguousarray(design[:, 1:])
    ours, peer = best(
        lambda: bf.bootstrap((x, y), bf.sums(features, finish), paired=True, replicates=replicates),
        loop,
        runs=3,
    )
    work = "sums: regression on 5 x, 1,000,000 rows, 1,000 replicates"
    return Row(work, ours, peer * replicates / few, "NumPy loop", "50 x")


def networks_on_digits() -> Row:
    from sklearn.datasets import load_digits
    from sklearn.ensemble import BaggingClassifier
    from sklearn.neural_network import MLPClassifier

    X, y = load_digits(return_X_y=True)
    members, epochs = 100, 10
    size = 200  # of a batch, which is MLPClassifier's own
    model = bf.EnsembleClassifier(members, hidden=(32,), epochs=epochs, batch_size=size)
    network = MLPClassifier((32,), batch_size=size, max_iter=epochs, n_iter_no_change=epochs)
    bagging = BaggingClassifier(network, members, n_jobs=-1, random_state=7)

    def fit_peer() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it would like to go on
            bagging.fit(X / 16, y)

    ours, peer = best(lambda: model.fit(X, y), fit_peer, runs=3)
    work = "EnsembleClassifier, 100 members, digits, 10 epochs of batches of 200"
    return Row(work, ours, peer, "BaggingClassifier(MLPClassifier), n_jobs=-1", "20 x")


def importing() -> Row:
    def run(program: str) -> None:
        subprocess.run([sys.executable, "-c", program], check=True)

    nothing, ours, peer = best(
        lambda: run(""), lambda: run("import bootfold"), lambda: run("import numpy"), runs=10
    )
    return Row("import", ours - nothing, peer - nothing, "NumPy", "under 150 ms")


ROWS: dict[str, Callable[[], Row]] = {
    "mean": mean_of_a_million,
    "overhead": overhead,
    "function": vectorised_function,
    "sums": regression_by_sums,
    "networks": networks_on_digits,
    "import": importing,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=ROWS, nargs="+", default=list(ROWS))
    names = parser.parse_args().only
    print("| work | bootfold | peer | its time | ratio | wanted |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in names:
        row = ROWS[name]()
        print(
            f"| {row.work} | {1e3 * row.ours:,.3g} ms | {row.peer_name} | {1e3 * row.peer:,.3g} ms "
            f"| {row.peer / row.ours:.2f} x | {row.wanted} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
