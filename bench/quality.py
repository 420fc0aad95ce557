"""How good ensembles are on real tables, beside trees and other networks.

    make quality                                                      all tables, for hours
    make quality BENCH_ARGS="--tables diamonds --splits 1"            one of them
    make quality BENCH_ARGS="--tables cut --only bootfold --recipe '{\"bins\": 32}'"

Tables come with PyPI packages (bench/quality_data.py); peers are in bench/quality_peers.py. Every
model gets the same rows of the same random splits and is judged on the same other rows:

    loss        RMSE of numbers; log loss of classes
    calibration ECE over 15 bins of equal width, of classes
    coverage    share of new rows within 90 % intervals, and their mean width, of numbers
    time        seconds to fit and to predict, with --threads threads

Intervals of bootfold are jackknife+ of out-of-bag rows (bench/intervals.py has the others). Peers,
and members that are trained on all rows, have none, so theirs are split-conformal: the 90 %
quantile of absolute residuals on a fifth of the training rows, of a second model that was trained
on the others. It is not in their time, and of RealMLP and TabM only made with --intervals.

"bootfold" has the recipe of the table (RECIPES), and the others:

    bootfold, defaults         the estimators as they are
    bootfold, time of PEER     the recipe, with as many members as PEER's time allows (--equal-time)

The recipes were chosen on splits 0 to 2, so other splits are measured (--first-split). They are of
the same tables, so the losses of recipes are a little too good; those of the defaults are not.

Prints Markdown: means over splits and their standard errors, of losses also for the ratio to
bootfold's. Splits overlap, so the errors are for the choice of rows, not for new tables.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from typing import Any

import numpy as np
from quality_data import TABLES, Split, splits
from quality_peers import OF_PYTABKIT, PEERS, has_pytabkit
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from tables import markdown_table

import bootfold

CONFIDENCE = 0.9
BINS = 15
MOST_MEMBERS = 2_000
#: Settings of all tables, and those in which tables differ.
RECIPE: dict[str, Any] = {
    "members": 32,
    "hidden": (64, 64),
    "bins": 32,
    "bin_edges": "tree",
    "winsorize": 0.001,
    "batch_size": 64,
    "learning_rate": 3e-3,
    "schedule": "cosine",
    "epochs": 30,
}
RECIPES: dict[str, dict[str, Any]] = {
    "diamonds": {"hidden": (128, 128), "optimizer": "adamw", "weight_decay": 0.1},
    "flights": {"epochs": 10, "learning_rate": 1e-3},
    "breast_cancer": {"hidden": (64,), "bins": 8},
    "diabetes": {"hidden": (64,), "bins": 8, "epochs": 10},
}


def recipe_of(table: str, changed: dict[str, Any]) -> dict[str, Any]:
    return {**RECIPE, **RECIPES.get(table, {}), **changed}


def ours(split: Split, threads: int, settings: dict[str, Any]) -> Any:
    make = bootfold.EnsembleClassifier if split.classes else bootfold.EnsembleRegressor
    return make(random_state=split.seed, threads=threads, **settings)


def calibration_error(said: np.ndarray, truth: np.ndarray) -> float:
    confidence = said.max(1)
    hits = said.argmax(1) == truth
    bins = np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)  # (low, high]
    return float(np.abs(np.bincount(bins, confidence - hits, BINS)).sum() / len(truth))


def conformal(split: Split, make: Any, said: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split-conformal limits round the predictions of a model that was trained on all rows."""
    x, rest_x, y, rest_y = train_test_split(
        split.x, split.y, test_size=0.2, random_state=split.seed
    )
    residuals = np.sort(np.abs(make().fit(x, y).predict(rest_x) - rest_y))
    place = min(len(residuals) - 1, int(np.ceil((len(residuals) + 1) * CONFIDENCE)) - 1)
    return said - residuals[place], said + residuals[place]


def judge(split: Split, make: Any, intervals: bool) -> dict[str, float]:
    """Fits, predicts and scores a model. Times are of the wall clock."""
    begin = time.perf_counter()
    model = make()
    model.fit(split.x, split.y)
    fitted = time.perf_counter()
    said = (model.predict_proba if split.classes else model.predict)(split.new_x)
    done = time.perf_counter()
    found = {"fit": fitted - begin, "predict": done - fitted}
    truth = split.new_y
    if split.classes:
        said = np.asarray(said, dtype=float)
        said = said / said.sum(1, keepdims=True)  # of floats
        chosen = said[np.arange(len(truth)), truth]
        found["loss"] = float(-np.log(np.maximum(chosen, 1e-15)).mean())
        found["error"] = float(np.mean(said.argmax(1) != truth))
        found["calibration"] = calibration_error(said, truth)
        return found
    found["loss"] = float(np.sqrt(np.mean((said - truth) ** 2)))
    found["error"] = float(np.mean(np.abs(said - truth)))
    if intervals:
        if getattr(model, "resampling", "none") in ("bootstrap", "subsample"):
            low, high = model.predict_interval(split.new_x, CONFIDENCE, "jackknife+")
        else:
            low, high = conformal(split, make, np.asarray(said))
        found["coverage"] = float(np.mean((truth >= low) & (truth <= high)))
        found["width"] = float(np.mean(high - low))
    return found


def programs(table: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """What to run, by name: functions of a split and of the times of those before."""
    threads = arguments.threads
    recipe = recipe_of(table, json.loads(arguments.recipe))
    changed = json.loads(arguments.defaults)
    found: dict[str, Any] = {"bootfold": lambda split, _: ours(split, threads, recipe)}
    found["bootfold, defaults"] = lambda split, _: ours(split, threads, changed)
    peers = [peer for peer in PEERS if has_pytabkit() or peer not in OF_PYTABKIT]
    for peer in peers:
        found[peer] = lambda split, _, peer=peer: PEERS[peer](split, threads)

    def as_long_as(peer: str) -> Any:
        def make(split: Split, scores: dict[str, dict[str, float]]) -> Any:
            each = scores["bootfold"]["fit"] / recipe["members"]
            members = int(np.clip(scores[peer]["fit"] / each, 1, MOST_MEMBERS))
            return ours(split, threads, {**recipe, "members": members})

        return make

    for peer in peers if arguments.equal_time else []:
        if peer in OF_PYTABKIT:
            found[f"bootfold, time of {peer}"] = as_long_as(peer)
    if arguments.only:
        wanted = arguments.only.split(";")
        found = {name: make for name, make in found.items() if name in wanted}
    return found


def mean_and_error(values: list[float], form: str) -> str:
    if not values:
        return ""
    if len(values) == 1:
        return form.format(values[0])
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{form.format(np.mean(values))} +- {form.format(error)}"


def rows_of(table: str, scores: dict[str, list[dict[str, float]]]) -> list[list[str]]:
    rows = []
    for program, found in scores.items():

        def column(name: str, form: str, found: list[dict[str, float]] = found) -> str:
            return mean_and_error([each[name] for each in found if name in each], form)

        ratio = ""
        if program != "bootfold" and "bootfold" in scores:
            pairs = zip(found, scores["bootfold"], strict=False)  # those that both have
            ratio = mean_and_error([a["loss"] / b["loss"] for a, b in pairs], "{:.3f}")
        rows.append(
            [
                table,
                program,
                column("loss", "{:.4f}"),
                ratio,
                column("error", "{:.4f}"),
                column("calibration", "{:.4f}"),
                column("coverage", "{:.3f}"),
                column("width", "{:.3f}"),
                column("fit", "{:.1f}"),
                column("predict", "{:.2f}"),
            ]
        )
    return rows


HEADER = [
    "table",
    "model",
    "RMSE or log loss",
    "of bootfold's",
    "mean error or error rate",
    "ECE",
    "coverage of 90 %",
    "width",
    "fit, s",
    "predict, s",
]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", default=",".join(TABLES), metavar="T1,T2")
    parser.add_argument("--splits", type=int, default=5, help="random splits (default 5)")
    parser.add_argument("--first-split", type=int, default=100, help="their seeds (default 100)")
    parser.add_argument("--threads", type=int, default=2, help="of every model (default 2)")
    parser.add_argument("--only", default="", metavar="M1;M2", help="models (default all)")
    parser.add_argument("--recipe", default="{}", metavar="JSON", help="settings of bootfold")
    parser.add_argument("--defaults", default="{}", metavar="JSON", help='changes of "defaults"')
    parser.add_argument("--equal-time", action="store_true", help="members by peers' times")
    parser.add_argument(
        "--add", action="store_true", help="to results/quality.json of earlier runs"
    )
    parser.add_argument("--intervals", action="store_true", help="also of RealMLP and TabM")
    return parser.parse_args()


def main() -> None:
    from threadpoolctl import threadpool_limits

    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    warnings.filterwarnings("ignore", category=FutureWarning)
    arguments = parse()
    if not has_pytabkit():
        print("pytabkit is not installed: no RealMLP and TabM", file=sys.stderr)
    from compare import RESULTS, write

    threadpool_limits(arguments.threads)  # of scikit-learn
    file = RESULTS / "quality.json"
    written: dict[str, Any] = {}
    for table in arguments.tables.split(","):
        makers = programs(table, arguments)
        scores: dict[str, list[dict[str, float]]] = {program: [] for program in makers}
        for split in splits(TABLES[table], arguments.splits, arguments.first_split):
            here: dict[str, dict[str, float]] = {}
            for program, maker in makers.items():
                intervals = arguments.intervals or program not in OF_PYTABKIT
                here[program] = judge(split, lambda: maker(split, here), intervals)  # noqa: B023
                scores[program].append(here[program])
                told = ", ".join(f"{key} {value:.4g}" for key, value in here[program].items())
                place = f"{table}, split {split.seed}, {program}"
                print(f"{place}: {told}", file=sys.stderr, flush=True)
        if arguments.add and file.exists():
            written = json.loads(file.read_text())
        written[table] = {**written.get(table, {}), **scores}
        rows = [row for name, found in written.items() for row in rows_of(name, found)]
        text = markdown_table(HEADER, rows) + f"\n\n> {arguments.splits} splits, "
        text += f"threads: {arguments.threads}; bootfold {bootfold.__version__}\n"
        write(RESULTS / "quality.md", text)
        write(file, json.dumps(written, indent=2) + "\n")
    print(text, end="")


if __name__ == "__main__":
    main()
