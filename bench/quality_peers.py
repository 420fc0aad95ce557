"""Other packages' models for bench/quality.py, each with the settings that its authors chose.

    HistGradientBoosting   scikit-learn's defaults; categories as they are
    MLP                    scikit-learn's defaults: 100 units, Adam, 200 epochs at most
    Bagging(MLP)           ten of them on bootstrap resamples
    RealMLP, TabM          pytabkit's tuned defaults (TD) and defaults (D), on the CPU; for log loss
                           their authors stop by it, and take no label smoothing (use_ls)

The inputs of MLP are standardized and one-hot encoded, and missing numbers are the median. pytabkit
gets categories as they are. It is optional: without it its rows are left out, and a line says so.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
from quality_data import Split
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def _encoded(x: pd.DataFrame) -> ColumnTransformer:
    texts = [name for name in x.columns if isinstance(x[name].dtype, pd.CategoricalDtype)]
    numbers = [name for name in x.columns if name not in texts]
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
            ("texts", OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts),
        ]
    )


def boosting(split: Split, threads: int) -> Any:
    make = HistGradientBoostingClassifier if split.classes else HistGradientBoostingRegressor
    return make(categorical_features="from_dtype", random_state=split.seed)


def _network(split: Split) -> Any:
    make = MLPClassifier if split.classes else MLPRegressor
    return make(random_state=split.seed)


def _standardized(split: Split, model: Any) -> Any:
    found = make_pipeline(_encoded(split.x), model)
    if split.classes:
        return found
    return TransformedTargetRegressor(found, transformer=StandardScaler())


def mlp(split: Split, threads: int) -> Any:
    return _standardized(split, _network(split))


def bagging(split: Split, threads: int) -> Any:
    # Bagging gives an MLP weights of rows; a pipeline takes none, so it gets the drawn rows.
    make = BaggingClassifier if split.classes else BaggingRegressor
    bagged = make(make_pipeline(_network(split)), 10, n_jobs=threads, random_state=split.seed)
    return _standardized(split, bagged)


class _Tabkit:
    """A model of pytabkit. Missing numbers are the median, since its networks take none."""

    def __init__(self, name: str, split: Split, threads: int) -> None:
        import pytabkit

        kind = "Classifier" if split.classes else "Regressor"
        make = getattr(pytabkit, f"{name}_{kind}")
        given: dict[str, Any] = {"device": "cpu", "random_state": split.seed}
        if split.classes:
            given["val_metric_name"] = "cross_entropy"
            if name == "RealMLP_TD":
                given["use_ls"] = False
        self._model = make(n_threads=threads, verbosity=0, **given)
        self._medians = split.x.median(numeric_only=True)

    def fit(self, x: pd.DataFrame, y: Any) -> _Tabkit:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._model.fit(x.fillna(self._medians), y)
        return self

    def predict(self, x: pd.DataFrame) -> Any:
        return self._model.predict(x.fillna(self._medians)).reshape(len(x))

    def predict_proba(self, x: pd.DataFrame) -> Any:
        return self._model.predict_proba(x.fillna(self._medians))


PEERS: dict[str, Callable[[Split, int], Any]] = {
    "HistGradientBoosting": boosting,
    "MLP": mlp,
    "Bagging(MLP)": bagging,
    "RealMLP": lambda split, threads: _Tabkit("RealMLP_TD", split, threads),
    "TabM": lambda split, threads: _Tabkit("TabM_D", split, threads),
}
OF_PYTABKIT = ("RealMLP", "TabM")


def has_pytabkit() -> bool:
    return importlib.util.find_spec("pytabkit") is not None
