"""Scores of models with bootstrap replicates: bf.bootstrap_score beside others.

    make bench-metrics                              builds what is missing; prints a table
    make bench-metrics BENCH_ARGS="--rows 100000"   other sizes; --only roc_auc: one metric

Peers: a NumPy loop (row numbers by Generator.integers, counted by bincount, a metric written for
weights of presorted rows, so that nothing is sorted twice), scikit-learn's function on the drawn
rows, and rapidstats (Rust, all cores), where it has the metric. Each is timed per replicate, with
all cores that it takes. Ours is the time of a whole run, with what is done once (sorting, looking
at the rows), divided by its replicates; "once" is a run of one replicate.
"""

from __future__ import annotations

import argparse
import functools
import os
import time

import numpy as np

METRICS = ("roc_auc", "average_precision", "log_loss", "brier", "f1", "calibration_error")


def data(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, and the probabilities of two models."""
    source = np.random.default_rng(7)
    truth = source.random(rows) < 0.3
    told = [1 / (1 + np.exp(-(2.0 * truth - 1 + source.normal(size=rows)))) for _ in range(2)]
    return truth, told[0], told[1]


class NumpyLoop:
    """Metrics of weighted rows, prepared once."""

    def __init__(self, name: str, truth: np.ndarray, score: np.ndarray) -> None:
        self.order = np.argsort(score)
        self.truth = truth[self.order].astype(float)
        score = score[self.order]
        self.value = getattr(self, name)
        right = np.where(self.truth == 1, score, 1 - score)
        self.loss = -np.log(right.clip(1e-15))[np.argsort(self.order)]
        self.square = ((score - self.truth) ** 2)[np.argsort(self.order)]
        self.said = (score >= 0.5).astype(float)
        self.bin = np.ceil(score * 15).astype(int).clip(1, 15) - 1
        self.excess = score - self.truth

    def roc_auc(self, counts: np.ndarray) -> float:
        counts = counts[self.order]
        positive = counts * self.truth
        below = np.cumsum(counts - positive)
        return positive @ below / (positive.sum() * below[-1])

    def average_precision(self, counts: np.ndarray) -> float:
        counts = counts[self.order][::-1]
        positive = counts * self.truth[::-1]
        shown = np.cumsum(counts)
        return positive @ (np.cumsum(positive) / np.maximum(shown, 1)) / positive.sum()

    def log_loss(self, counts: np.ndarray) -> float:
        return counts @ self.loss / len(counts)

    def brier(self, counts: np.ndarray) -> float:
        return counts @ self.square / len(counts)

    def f1(self, counts: np.ndarray) -> float:
        counts = counts[self.order]
        return 2 * (counts @ (self.truth * self.said)) / (counts @ (self.truth + self.said))

    def calibration_error(self, counts: np.ndarray) -> float:
        counts = counts[self.order]
        return abs(np.bincount(self.bin, counts * self.excess)).sum() / len(counts)

    def __call__(self, replicates: int) -> None:
        source = np.random.default_rng(1)
        rows = len(self.truth)
        for _ in range(replicates):
            self.value(np.bincount(source.integers(0, rows, rows), minlength=rows).astype(float))


def scikit_learn(name: str, truth: np.ndarray, score: np.ndarray):
    from sklearn import metrics

    found = {
        "roc_auc": metrics.roc_auc_score,
        "average_precision": metrics.average_precision_score,
        "log_loss": metrics.log_loss,
        "brier": metrics.brier_score_loss,
        "f1": lambda y, s: metrics.f1_score(y, s >= 0.5),
    }.get(name)
    if found is None:
        return None

    def run(replicates: int) -> None:
        source = np.random.default_rng(1)
        for _ in range(replicates):
            rows = source.integers(0, len(truth), len(truth))
            found(truth[rows], score[rows])

    return run


def rapidstats_of(name: str, truth: np.ndarray, score: np.ndarray):
    try:
        import rapidstats
    except ImportError:
        return None
    method = {
        "roc_auc": "roc_auc",
        "average_precision": "average_precision",
        "brier": "brier_loss",
        "f1": "confusion_matrix",
    }.get(name)
    if method is None:
        return None
    told = score >= 0.5 if name == "f1" else score

    def run(replicates: int) -> None:
        getattr(rapidstats.Bootstrap(iterations=replicates, seed=1), method)(truth, told)

    return run


def ours(name: str, truth: np.ndarray, score: np.ndarray, versus: np.ndarray | None = None):
    import bootfold

    arguments = {"threshold": 0.5} if name == "f1" else {}

    def run(replicates: int) -> None:
        bootfold.bootstrap_score(
            score, None, truth, name, versus=versus, replicates=replicates, seed=7, **arguments
        )

    return run


def seconds(run, replicates: int, repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        run(replicates)
        best = min(best, time.perf_counter() - begin)
    return best


def say(value: float) -> str:
    if value >= 1:
        return f"{value:.3g} s"
    return f"{value * 1e3:.3g} ms"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--replicates", type=int, default=2000, help="of ours (default 2000)")
    parser.add_argument("--repeats", type=int, default=3, help="the best counts (default 3)")
    parser.add_argument("--only", choices=METRICS)
    arguments = parser.parse_args()
    truth, first, second = data(arguments.rows)
    print(f"{arguments.rows:,} rows, {len(os.sched_getaffinity(0))} threads, per replicate\n")
    peers = {"NumPy loop": NumpyLoop, "scikit-learn": scikit_learn, "rapidstats": rapidstats_of}
    print("| metric | bootfold | once | " + " | ".join(peers) + " |")
    print("| --- " * (3 + len(peers)) + "|")
    time_of = functools.partial(seconds, repeats=arguments.repeats)
    for name in METRICS if arguments.only is None else [arguments.only]:
        run = ours(name, truth, first)
        once = time_of(run, 1)
        own = time_of(run, arguments.replicates) / arguments.replicates
        cells = []
        for peer, make in peers.items():
            work = make(name, truth, first)
            if work is None:
                cells.append("")
                continue
            count = 20 if peer == "rapidstats" else 3
            theirs = time_of(work, count) / count
            cells.append(f"{say(theirs)}: {theirs / own:.3g} x")
        print(f"| {name} | {say(own)} | {say(once)} | " + " | ".join(cells) + " |", flush=True)
        if name in ("roc_auc", "log_loss"):
            run = ours(name, truth, first, second)
            once = time_of(run, 1)
            own = time_of(run, arguments.replicates) / arguments.replicates
            loops = [NumpyLoop(name, truth, score) for score in (first, second)]
            theirs = sum(time_of(loop, 3) for loop in loops) / 3
            print(
                f"| {name}, difference of two models | {say(own)} | {say(once)} "
                f"| {say(theirs)}: {theirs / own:.3g} x | | |",
                flush=True,
            )


if __name__ == "__main__":
    main()
