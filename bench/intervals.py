"""How often default intervals and sets have the truth, and what early stopping does to that.

    PYTHONPATH=build/release/python .venv-quality/bin/python bench/intervals.py
    ... bench/intervals.py --tables diabetes --splits 50 --confidence 0.9

Trains on random splits of real tables (bench/quality_data.py) and counts the rows of the other part
whose target is in the interval, or whose class is in the set, of each method. "stopped" members
stop by their out-of-bag rows, as by default; "fixed" ones take about as many steps without looking.

    coverage     mean over splits and its standard error; splits overlap in real tables
    width        mean width of intervals over that of "conformal" with stopped members; size of sets
    worst fifth  the lowest coverage of five groups of rows, by what the model says of its deviation
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from quality_data import TABLES, Split, Table, splits
from tables import markdown_table

import bootfold

#: Rows to train on, in place of those of bench/quality_data.py.
ROWS = {"diamonds": (2_000, 10_000), "txhousing": (2_000, 0), "cut": (2_000, 10_000)}


def waves(noise: str, rows: int, new: int, seed: int) -> Split:
    """A curve of one input and two without effect, with noise that is equal or grows."""
    import pandas as pd

    source = np.random.default_rng([seed, rows])
    x = source.uniform(-2, 2, size=(rows + new, 3))
    spread = 0.3 if noise == "equal" else 0.05 + 0.25 * (x[:, 0] + 2) / 2
    y = np.sin(2 * x[:, 0]) + spread * source.normal(size=len(x))
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    return Split(frame[:rows], y[:rows], frame[rows:], y[rows:], 0, seed)


def made(name: str, count: int) -> Iterator[Split]:
    """Splits of a table, or of a curve such as waves-equal-100."""
    if name.startswith("waves"):
        _, noise, rows = name.split("-")
        for seed in range(count):
            yield waves(noise, int(rows), 4_000, seed)
        return
    table = TABLES[name]
    train, test = ROWS.get(name, (table.train, table.test))
    yield from splits(Table(table.load, table.what, table.classes, train, test), count)


def worst_fifth(inside: np.ndarray, by: np.ndarray) -> float:
    order = np.argsort(by, kind="stable")
    return float(min(part.mean() for part in np.array_split(inside[order], 5)))


def intervals(split: Split, model: Any, confidence: float) -> Iterator[tuple[str, list[float]]]:
    total = model.uncertainty(split.new_x).total
    for method in ("conformal", "scaled", "jackknife+", "normal"):
        if method == "jackknife+" and len(split.y) > 1_000:
            continue
        low, high = model.predict_interval(split.new_x, confidence, method)
        inside = (low <= split.new_y) & (split.new_y <= high)
        yield method, [inside.mean(), (high - low).mean(), worst_fifth(inside, total)]


def sets(split: Split, model: Any, confidence: float) -> Iterator[tuple[str, list[float]]]:
    total = model.uncertainty(split.new_x).total
    for method in ("threshold", "adaptive"):
        found = model.predict_set(split.new_x, confidence, method)
        inside = found[np.arange(len(split.new_y)), split.new_y]
        yield method, [inside.mean(), found.sum(1).mean(), worst_fifth(inside, total)]


def measured(split: Split, given: dict[str, Any], confidence: float) -> dict[Any, list[float]]:
    make = bootfold.EnsembleClassifier if split.classes else bootfold.EnsembleRegressor
    found = {}
    stopped = make(random_state=split.seed, **given).fit(split.x, split.y)
    steps = round(float(np.mean([member.steps for member in stopped.members_])))
    fixed = make(random_state=split.seed, steps=max(steps, 1), **given).fit(split.x, split.y)
    for name, model in (("stopped", stopped), ("fixed", fixed)):
        of = sets if split.classes else intervals
        for method, numbers in of(split, model, confidence):
            found[name, method] = numbers
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    known = ", ".join([*TABLES, "waves-NOISE-ROWS"])
    usual = ["diabetes", "txhousing", "diamonds", "digits"]
    parser.add_argument("--tables", nargs="+", default=usual, help=known)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--members", type=int, default=50)
    parser.add_argument("--loss", help="of regressions")
    parser.add_argument("--confidence", type=float, default=0.9)
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.tables:
        found: dict[Any, list[list[float]]] = defaultdict(list)
        given = {"members": arguments.members, "threads": arguments.threads}
        for split in made(name, arguments.splits):
            more = {"loss": arguments.loss} if arguments.loss and not split.classes else {}
            for key, numbers in measured(split, {**given, **more}, arguments.confidence).items():
                found[key].append(numbers)
            print(".", end="", file=sys.stderr, flush=True)
        first = next(iter(found))
        unit = np.mean([numbers[1] for numbers in found[first]])
        for (members, method), each in found.items():
            values = np.array(each)
            mean, error = values.mean(0), values.std(0, ddof=1) / np.sqrt(len(values))
            width = mean[1] if method in ("threshold", "adaptive") else mean[1] / unit
            cells = [f"{mean[0]:.4f} +- {error[0]:.4f}", f"{width:.3f}", f"{mean[2]:.3f}"]
            rows.append([name, members, method, *cells])
    print(file=sys.stderr)
    print(markdown_table(["table", "members", "method", "coverage", "width", "worst fifth"], rows))


if __name__ == "__main__":
    main()
