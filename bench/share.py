"""Members that share weights (share=) beside independent members, on real tables.

    PYTHONPATH=build/release/python .venv-quality/bin/python bench/share.py
    ... bench/share.py --tables diamonds digits --hidden 128 128 --resampling none
    ... bench/share.py --speed

Every model has the training of bench/quality.py's recipe for the table, on the same rows and with
the same seed. Members that share weights take larger learning rates than independent ones, so the
rate of each kind is the one of --rates with the lowest loss on the first split, and the other
splits are those that are printed. Means over splits, with standard errors of ratios:

    rate       learning rate
    loss       RMSE of numbers; log loss of classes, on rows that no model was trained on
    ratio      the loss as a multiple of that of as many independent members
    one        mean loss of the members by themselves, as a multiple of the same
    CPU s      CPU time of fit

Lines "time of ..." have as many members, or groups, as the CPU time of the others allows. With
--resampling none all members learn from all rows, for --epochs epochs; otherwise from bootstrap
resamples, with early stopping on out-of-bag rows.

--speed prints the time of a step of one independent member for networks of several sizes, and those
of members that share weights as multiples of it, on one thread, without early stopping: the least
of several runs that take turns.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from quality import RECIPE, RECIPES
from quality_data import TABLES, Split, splits
from tables import markdown_table, say_number

import bootfold

#: Quick enough for a table of several models in minutes.
QUICK: dict[str, Any] = {"patience": 5}
ROWS = 4_000
#: Inputs, hidden layers, rows of a batch, members, steps.
NETWORKS = [
    (2, (32,), 32, 64, 400),
    (20, (24, 24), 32, 64, 200),
    (16, (64, 64), 32, 32, 100),
    (16, (64, 64), 256, 32, 20),
    (64, (128, 128), 64, 32, 20),
    (64, (256, 256), 128, 16, 5),
]


def made(table: str, split: Split, arguments: argparse.Namespace, **given: Any) -> Any:
    recipe = {**RECIPE, **RECIPES.get(table, {}), **QUICK, **given}
    recipe["hidden"] = tuple(arguments.hidden)
    recipe["epochs"] = arguments.epochs
    recipe["resampling"] = arguments.resampling
    if arguments.resampling == "none":
        recipe["patience"] = None
    kind = bootfold.EnsembleClassifier if split.classes else bootfold.EnsembleRegressor
    return kind(random_state=split.seed, threads=arguments.threads, **recipe)


def loss_of(said: np.ndarray, split: Split) -> float:
    if not split.classes:
        return float(np.sqrt(np.mean((said - split.new_y) ** 2)))
    chosen = said[np.arange(len(said)), split.new_y]
    return float(-np.log(np.maximum(chosen, 1e-15)).mean())


def judged(model: Any, split: Split) -> dict[str, float]:
    begin = time.process_time()
    model.fit(split.x, split.y)
    seconds = time.process_time() - begin

    def predicted(one: Any) -> np.ndarray:
        return np.asarray((one.predict_proba if split.classes else one.predict)(split.new_x))

    alone = [loss_of(predicted(model.subset([m])), split) for m in range(len(model.members_))]
    return {
        "loss": loss_of(predicted(model), split),
        "one": float(np.mean(alone)),
        "seconds": seconds,
    }


def cut(split: Split, rows: int) -> Split:
    few = slice(0, rows)
    return Split(split.x[few], split.y[few], split.new_x, split.new_y, split.classes, split.seed)


def said_of(members: int, share: int) -> str:
    if share == 0:
        return f"{members} independent"
    groups = members // share
    return f"{groups} group{'s' if groups > 1 else ''} of {share}"


def compared(table: str, arguments: argparse.Namespace) -> list[list[str]]:
    members = arguments.members
    shares = [0] + [share for share in arguments.shares if members % share == 0]
    first, *others = (
        cut(split, arguments.rows) for split in splits(TABLES[table], 1 + arguments.splits)
    )

    def fitted(split: Split, share: int, rate: float, count: int) -> dict[str, float]:
        given = {"members": count, "share": share, "learning_rate": rate}
        return judged(made(table, split, arguments, **given), split)

    rates = {
        share: min(arguments.rates, key=lambda r: fitted(first, share, r, members)["loss"])
        for share in shares
    }
    found: dict[str, list[dict[str, float]]] = {}
    for split in others:
        scores = {}
        for share in shares:
            own = fitted(split, share, rates[share], members)
            scores[said_of(members, share)] = {**own, "rate": rates[share]}
            base = scores[said_of(members, 0)]
            if share == 0:
                continue
            slower = own["seconds"] / base["seconds"]
            more = fitted(split, 0, rates[0], max(1, round(members * slower)))
            name = f"independent, time of {said_of(members, share)}"
            scores[name] = {**more, "rate": rates[0]}
            if members > share:
                fewer = max(1, round(members / share / slower)) * share
                own = fitted(split, share, rates[share], fewer)
                scores[f"groups of {share}, time of independent"] = {**own, "rate": rates[share]}
        for name, score in scores.items():
            score["ratio"] = score["loss"] / base["loss"]
            score["one"] /= base["loss"]
            found.setdefault(name, []).append(score)
    lines = []
    for name, each in found.items():
        cells = [table, name]
        for key in ("rate", "loss", "ratio", "one", "seconds"):
            values = np.array([score[key] for score in each])
            mean = values.mean()
            cell = say_number(mean) if key in ("rate", "seconds") else f"{mean:.4f}"
            if key == "ratio" and len(values) > 1 and values.std() > 0:
                cell += f" ± {values.std(ddof=1) / np.sqrt(len(values)):.4f}"
            cells.append(cell)
        lines.append(cells)
    return lines


def speed(arguments: argparse.Namespace) -> list[list[str]]:
    lines = []
    random = np.random.default_rng(0)
    for inputs, hidden, batch, members, steps in NETWORKS:
        x = random.normal(size=(1_000, inputs))
        y = x[:, 0] * x[:, 1] + 0.1 * random.normal(size=len(x))
        best: dict[int, float] = {}
        for _ in range(arguments.runs):
            for share in (0, 8, 16):
                model = bootfold.EnsembleRegressor(
                    members,
                    hidden,
                    share=share,
                    resampling="none",
                    reshuffle=False,
                    steps=steps,
                    batch_size=batch,
                    learning_rate=1e-3,
                    random_state=0,
                    threads=1,
                )
                begin = time.process_time()
                model.fit(x, y)
                seconds = time.process_time() - begin
                best[share] = min(best.get(share, np.inf), seconds)
        network = "-".join(map(str, (inputs, *hidden, 1)))
        own = best[0] / (steps * members) * 1e6
        ratios = [f"{best[share] / best[0]:.2f}" for share in (8, 16)]
        lines.append([network, str(batch), say_number(own), *ratios])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--members", type=int, default=32)
    parser.add_argument("--shares", type=int, nargs="+", default=[16, 32])
    parser.add_argument("--rows", type=int, default=ROWS, help="training rows, at most")
    parser.add_argument("--hidden", type=int, nargs="+", default=[64, 64])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--rates", type=float, nargs="+", default=[1e-3, 3e-3, 1e-2, 3e-2])
    parser.add_argument("--resampling", default="bootstrap", choices=["bootstrap", "none"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.speed:
        header = ["network", "batch", "us, independent", "groups of 8", "groups of 16"]
        print(markdown_table(header, speed(arguments)))
        return
    lines = []
    for table in arguments.tables:
        lines += compared(table, arguments)
    header = ["table", "members", "rate", "loss", "ratio", "one", "CPU s"]
    print(markdown_table(header, lines))


if __name__ == "__main__":
    main()
