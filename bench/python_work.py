"""One piece of work for bench/python.py, in a process of its own.

    bench/python_work.py call --seconds 3

Prints one JSON object: seconds (the best run), and how far peak memory rose above what the process
had with its data.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

Run = Callable[[], object]


def normals(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape)


def spread(x: np.ndarray, axis: int) -> np.ndarray:
    """The range: a function that neither knows."""
    return np.max(x, axis) - np.min(x, axis)


def mean(options: argparse.Namespace) -> Run:
    import bootfold as bf

    x = normals(1_000_000)
    return lambda: bf.bootstrap(x, "mean", replicates=options.replicates)


def call(options: argparse.Namespace) -> Run:
    import bootfold as bf

    x = normals(20)
    return lambda: bf.bootstrap(x, "mean", replicates=1000)


def call_interval(options: argparse.Namespace) -> Run:
    import bootfold as bf

    x = normals(20)
    return lambda: bf.bootstrap(x, "mean", replicates=1000).interval("percentile")


def stats_call(options: argparse.Namespace) -> Run:
    from bootfold.stats import bootstrap

    x = normals(20)
    return lambda: bootstrap((x,), np.mean, n_resamples=1000, method="percentile")


def scipy_call(options: argparse.Namespace) -> Run:
    from scipy.stats import bootstrap

    x = normals(20)
    return lambda: bootstrap((x,), np.mean, n_resamples=1000, method="percentile")


def stats_mean(options: argparse.Namespace) -> Run:
    from bootfold.stats import bootstrap

    x = normals(1000)
    return lambda: bootstrap((x,), np.mean)


def scipy_mean(options: argparse.Namespace) -> Run:
    from scipy.stats import bootstrap

    x = normals(1000)
    return lambda: bootstrap((x,), np.mean)


def stats_function(options: argparse.Namespace) -> Run:
    from bootfold.stats import bootstrap

    x = normals(10_000)
    return lambda: bootstrap((x,), spread)


def scipy_function(options: argparse.Namespace) -> Run:
    from scipy.stats import bootstrap

    x = normals(10_000)
    return lambda: bootstrap((x,), spread)


def scipy_function_batch(options: argparse.Namespace) -> Run:
    from scipy.stats import bootstrap

    x = normals(10_000)
    return lambda: bootstrap((x,), spread, batch=100)


def regression(options: argparse.Namespace) -> Run:
    """Least squares with intercept on 5 x: a function of 26 means."""
    import bootfold as bf

    table = normals(1_000_000, 6)
    table[:, 0] += table[:, 1:] @ (1 / np.arange(2.0, 7.0))
    pairs = [(i, j) for i in range(6) for j in range(max(i, 1), 6)]

    def features(columns: np.ndarray) -> list[np.ndarray]:
        x = list(columns.T)  # y first
        return [*x, *(x[i] * x[j] for i, j in pairs)]

    def finish(means: np.ndarray) -> np.ndarray:
        count = means.shape[1]
        moments = np.ones((count, 6, 6))
        against = np.empty((count, 6, 1))
        moments[:, 0, 1:] = moments[:, 1:, 0] = means[1:6].T
        against[:, 0, 0] = means[0]
        for (i, j), product in zip(pairs, means[6:], strict=True):
            if i == 0:
                against[:, j, 0] = product
            else:
                moments[:, i, j] = moments[:, j, i] = product
        return np.linalg.solve(moments, against)[:, :, 0].T

    statistic = bf.sums(features, finish, name="coefficient")
    expected = np.linalg.lstsq(
        np.column_stack([np.ones(len(table)), table[:, 1:]]), table[:, 0], rcond=None
    )[0]

    def run() -> None:
        result = bf.bootstrap(table, statistic, replicates=options.replicates)
        np.testing.assert_allclose(result.estimate, expected, atol=1e-6)

    return run


def digits() -> tuple[np.ndarray, ...]:
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    x, y = load_digits(return_X_y=True)
    return tuple(train_test_split(x / 16, y, test_size=0.25, random_state=0))


def ensemble(options: argparse.Namespace) -> Run:
    import bootfold as bf

    x, x_test, y, y_test = digits()

    def run() -> dict[str, float]:
        model = bf.EnsembleClassifier(
            members=100,
            hidden=(32,),
            epochs=100,
            batch_size=32,
            learning_rate=1e-3,
            schedule="constant",
        ).fit(x, y)
        return {"accuracy": float(model.score(x_test, y_test))}

    return run


def _line(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Nine inputs, as many as plotnine's diamonds have, and a target with noise."""
    x = normals(rows, 9)
    return x, np.sin(x[:, 0]) + 0.5 * x[:, 1] * x[:, 2] + 0.3 * normals(rows)


def _line_model() -> object:
    import bootfold as bf

    model = bf.EnsembleRegressor(
        members=100, epochs=5, batch_size=32, learning_rate=1e-2, schedule="constant"
    )
    return model.fit(*_line(10_000))


def jackknife(options: argparse.Namespace) -> Run:
    model, (x, _) = _line_model(), _line(44_000)
    return lambda: model.predict_interval(x, 0.9, "jackknife+")


def predict(options: argparse.Namespace) -> Run:
    model, (x, _) = _line_model(), _line(44_000)
    return lambda: model.predict(x)


def bagging(options: argparse.Namespace) -> Run:
    """scikit-learn's, with its defaults; fewer networks are counted as the share they are."""
    from sklearn.ensemble import BaggingClassifier
    from sklearn.neural_network import MLPClassifier

    warnings.filterwarnings("ignore")
    os.environ["PYTHONWARNINGS"] = "ignore"  # of its processes: not all of its networks converge
    x, x_test, y, y_test = digits()
    network = MLPClassifier(hidden_layer_sizes=(32,))
    first = MLPClassifier(hidden_layer_sizes=(1,), max_iter=1)
    BaggingClassifier(first, n_estimators=8, n_jobs=-1).fit(x, y)  # its processes are there now

    def run() -> dict[str, float]:
        bag = BaggingClassifier(network, n_estimators=options.members, n_jobs=-1).fit(x, y)
        return {"accuracy": float(bag.score(x_test, y_test)), "share": options.members / 100}

    return run


WORK = {
    function.__name__: function
    for function in (
        mean,
        call,
        call_interval,
        stats_call,
        scipy_call,
        stats_mean,
        scipy_mean,
        stats_function,
        scipy_function,
        scipy_function_batch,
        regression,
        ensemble,
        jackknife,
        predict,
        bagging,
    )
}


def present_memory() -> int:
    """Bytes of this process now, where the system tells; else the most that it ever had."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return peak_memory()


def peak_memory() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measure(run: Run, seconds: float, once: bool) -> tuple[float, dict]:
    """The best run; short ones in rounds, whose average counts, as a clock has its limits too."""
    start = time.perf_counter()
    found = run()  # the first also loads and makes what later ones have
    took = time.perf_counter() - start
    best = took if once else float("inf")
    rounds = max(1, round(0.02 / max(took, 1e-6)))
    end = time.perf_counter() + seconds
    while not once and (best == float("inf") or time.perf_counter() < end):
        start = time.perf_counter()
        for _ in range(rounds):
            run()
        best = min(best, (time.perf_counter() - start) / rounds)
    return best, found if isinstance(found, dict) else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", choices=WORK)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--members", type=int, default=100)
    options = parser.parse_args()
    run = WORK[options.work](options)
    before = present_memory()
    seconds, found = measure(run, options.seconds, options.work == "bagging")
    grown = peak_memory() - before
    versions = [f"NumPy {np.__version__}"]
    for name, title in (("scipy", "SciPy"), ("sklearn", "scikit-learn")):
        if name in sys.modules:
            versions.append(f"{title} {sys.modules[name].__version__}")
    report = {"seconds": seconds, "grown_bytes": grown, "version": ", ".join(versions), **found}
    print(json.dumps(report))


if __name__ == "__main__":
    main()
