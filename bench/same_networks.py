"""How good ensembles are on real data, beside scikit-learn's: bundled data sets, 5 x 5-fold.

    make same-networks                                           all, for a long while
    .venv-bench/bin/python bench/same_networks.py --data iris --members 10 --repeats 1

Every program gets the same folds, the same layers, Glorot's first weights, Adam at the same rate,
batches, as many steps, rows in another order each epoch, and inputs standardised by the training
rows:

    bootfold, ensemble          members on bootstrap resamples, their probabilities averaged
    bootfold, calibrated        the same, at the temperature that out-of-bag rows ask for
    bootfold, one network       all rows
    scikit-learn, Bagging(MLP)  the same number of members
    scikit-learn, one MLP       all rows

Judged on the rows left out. Classes: accuracy, NLL, and ECE over 15 bins of equal width. Numbers:
R2, the NLL of a normal law, and how far on average the shares of rows below the predicted
deciles are from 0.1, ..., 0.9. Variance of the normal law: what members disagree plus that of
out-of-bag residuals; of one network that of its training residuals, there being no others.
Prints Markdown for docs/ensemble-quality.md: a table of means over all folds, and one of
differences fold by fold. Folds share most of their training rows, so their scores are not
independent: standard errors are Nadeau and Bengio's (2003), which add the ratio of test to
training rows to 1 / folds.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sklearn
from compare import BENCH, RESULTS, write
from scipy.stats import norm
from sklearn import datasets
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import markdown_table

PROGRAM = BENCH.parent / "build/release/bench/ensemble_quality"
LEARNING_RATE = 1e-3
BINS = 15
FOLDS = 5


@dataclass(frozen=True)
class Data:
    load: Callable
    hidden: tuple[int, ...]
    epochs: int
    classes: bool = True


DATA = {
    "digits": Data(datasets.load_digits, (64,), 50),
    "breast_cancer": Data(datasets.load_breast_cancer, (32,), 100),
    "wine": Data(datasets.load_wine, (32,), 100),
    "iris": Data(datasets.load_iris, (32,), 200),
    "diabetes": Data(datasets.load_diabetes, (32,), 100, classes=False),
}


@dataclass
class Fold:
    """Rows to learn from and rows to be judged by; inputs as they are."""

    x: np.ndarray
    y: np.ndarray
    new_x: np.ndarray
    new_y: np.ndarray
    seed: int
    batch: int  # rows of a step


def bootfold(data: Data, fold: Fold, members: int, calibrate: bool = False) -> np.ndarray:
    """Probabilities of classes; or mean and standard deviation of each row."""
    steps_each = math.ceil(len(fold.x) / fold.batch)  # as scikit-learn has it; ours are all full
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: str(Path(folder) / f"{name}.npy") for name in ("train", "test", "output")}
        for name, x, y in (("train", fold.x, fold.y), ("test", fold.new_x, fold.new_y)):
            np.save(paths[name], np.column_stack([x, y]).astype(np.float64))
        wanted = {
            **paths,
            "columns": fold.x.shape[1] + 1,
            "classes": data.classes,
            "members": members,
            "resample": "bootstrap" if members > 1 else "none",
            "hidden": data.hidden,
            "steps": data.epochs * steps_each,
            "batch_size": fold.batch,
            "learning_rate": LEARNING_RATE,
            "seed": fold.seed,
            "calibrate": calibrate,
        }
        subprocess.run([str(PROGRAM), json.dumps(wanted)], check=True)
        said = np.load(paths["output"])
    return said


def network_of(data: Data, fold: Fold) -> MLPClassifier | MLPRegressor:
    make = MLPClassifier if data.classes else MLPRegressor
    return make(
        hidden_layer_sizes=data.hidden,
        alpha=0,
        batch_size=fold.batch,
        learning_rate_init=LEARNING_RATE,
        max_iter=data.epochs,
        n_iter_no_change=data.epochs + 1,  # all epochs, as bootfold does
        random_state=fold.seed,
    )


def scikit_learn(data: Data, fold: Fold, members: int) -> np.ndarray:
    scaler = StandardScaler().fit(fold.x)
    x, new_x = scaler.transform(fold.x), scaler.transform(fold.new_x)
    network = network_of(data, fold)
    # Bagging gives an MLP weights of rows, and fails where a batch has none above 0. A pipeline
    # takes no weights, so it gets the drawn rows themselves, which is the same bootstrap.
    bagged = make_pipeline(network)
    if data.classes:
        if members > 1:
            network = BaggingClassifier(bagged, members, n_jobs=-1, random_state=fold.seed)
        return network.fit(x, fold.y).predict_proba(new_x)
    mean, scale = fold.y.mean(), fold.y.std()
    y = (fold.y - mean) / scale
    if members == 1:
        network.fit(x, y)
        said, variance = network.predict(new_x), np.var(y - network.predict(x))
    else:
        network = BaggingRegressor(
            bagged, members, n_jobs=-1, random_state=fold.seed, oob_score=True
        ).fit(x, y)
        each = np.stack([member.predict(new_x) for member in network.estimators_])
        said = each.mean(0)
        variance = each.var(0, ddof=1) + np.mean((y - network.oob_prediction_) ** 2)
    deviation = np.broadcast_to(np.sqrt(variance) * scale, len(said))
    return np.column_stack([said * scale + mean, deviation])


PROGRAMS = {
    "bootfold, ensemble": lambda data, fold, members: bootfold(data, fold, members),
    "bootfold, calibrated": lambda data, fold, members: bootfold(data, fold, members, True),
    "bootfold, one network": lambda data, fold, members: bootfold(data, fold, 1),
    "scikit-learn, Bagging(MLP)": lambda data, fold, members: scikit_learn(data, fold, members),
    "scikit-learn, one MLP": lambda data, fold, members: scikit_learn(data, fold, 1),
}
CALIBRATED = "bootfold, calibrated"  # of classes
OURS = ("bootfold, ensemble", CALIBRATED)


def judge_classes(said: np.ndarray, truth: np.ndarray) -> tuple[float, float, float]:
    """Accuracy, NLL, ECE. Classes are 0, 1, ..."""
    confidence = said.max(1)
    hits = said.argmax(1) == truth
    bins = np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)  # (low, high]
    gaps = np.bincount(bins, confidence - hits, BINS)
    chosen = np.maximum(said[np.arange(len(truth)), truth], 1e-38)
    return hits.mean(), -np.log(chosen).mean(), np.abs(gaps).sum() / len(truth)


def judge_numbers(said: np.ndarray, truth: np.ndarray) -> tuple[float, float, float]:
    """R2, NLL, and how far shares below the deciles are from what they should be."""
    mean, deviation = said.T
    r2 = 1 - np.sum((truth - mean) ** 2) / np.sum((truth - truth.mean()) ** 2)
    levels = np.arange(1, 10) / 10
    below = (norm.cdf(truth, mean, deviation)[:, None] <= levels).mean(0)
    return r2, -norm.logpdf(truth, mean, deviation).mean(), np.abs(below - levels).mean()


def folds_of(data: Data, x: np.ndarray, y: np.ndarray, arguments: argparse.Namespace):
    for repeat in range(arguments.repeats):
        make = StratifiedKFold if data.classes else KFold
        folds = make(FOLDS, shuffle=True, random_state=repeat).split(x, y)
        for number, (train, test) in enumerate(folds):
            seed = FOLDS * repeat + number
            yield Fold(x[train], y[train], x[test], y[test], seed, arguments.batch)


def with_error(scores: np.ndarray) -> tuple[float, float]:
    """Mean and Nadeau and Bengio's standard error of scores of folds."""
    share = 1 / (FOLDS - 1)  # test rows / training rows
    error = np.sqrt((1 / len(scores) + share) * np.var(scores, ddof=1))
    return float(scores.mean()), float(error)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default=",".join(DATA), metavar="D1,D2")
    parser.add_argument("--members", type=int, default=50, help="of an ensemble (default 50)")
    parser.add_argument("--batch", type=int, default=32, help="rows of a step (default 32)")
    parser.add_argument("--repeats", type=int, default=5, help="of 5-fold (default 5)")
    return parser.parse_args()


def main() -> None:
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    arguments = parse()
    means, differences, written = [], [], {}
    for name in arguments.data.split(","):
        data = DATA[name]
        x, y = data.load(return_X_y=True)
        judge = judge_classes if data.classes else judge_numbers
        programs = [program for program in PROGRAMS if data.classes or program != CALIBRATED]
        found: dict[str, list] = {program: [] for program in programs}
        for fold in folds_of(data, x, y, arguments):
            print(f"{name}: fold {fold.seed + 1} ...", file=sys.stderr, flush=True)
            for program in programs:
                said = PROGRAMS[program](data, fold, arguments.members)
                found[program].append(judge(said, fold.new_y))
        scores = {program: np.array(rows) for program, rows in found.items()}  # [fold][score]
        written[name] = {program: rows.tolist() for program, rows in scores.items()}
        for program, rows in scores.items():
            told = [with_error(column) for column in rows.T]
            means.append([name, program, *(f"{m:.4f} +- {e:.4f}" for m, e in told)])
        for ours in [program for program in programs if program in OURS]:
            for program in [program for program in programs if program not in OURS]:
                told = [with_error(column) for column in (scores[ours] - scores[program]).T]
                cells = [f"{m:+.4f} +- {e:.4f}" for m, e in told]
                differences.append([name, ours, program, *cells])
    header = ["data", "program", "accuracy or R2", "NLL", "ECE"]
    text = (
        f"{markdown_table(header, means)}\n\n"
        f"{markdown_table([*header[:2], 'less', *header[2:]], differences)}\n\n"
        f"> {arguments.members} members, {arguments.repeats} x {FOLDS}-fold, batches of "
        f"{arguments.batch}; "
        f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}\n"
    )
    print(text, end="")
    write(RESULTS / "same_networks.md", text)
    write(RESULTS / "same_networks.json", json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    main()
