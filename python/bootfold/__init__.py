"""Bootstrap anything at any size: exact, reproducible, in bounded memory.

>>> import bootfold as bf
>>> r = bf.bootstrap([4.1, 5.0, 3.9, 6.2, 5.5], "mean", replicates=10_000, seed=7)
>>> round(r.estimate, 3)
4.94
>>> low, high = r.interval("percentile", confidence=0.95)
"""

from typing import TYPE_CHECKING, Any

from bootfold._bootstrap import bootstrap, explain
from bootfold._compare import compare
from bootfold._comparison_plot import plot_comparison
from bootfold._comparison_table import ComparisonTable
from bootfold._core import Plan
from bootfold._core import version as __version__
from bootfold._counts import counts
from bootfold._exact import ExactPlan, ExactResult
from bootfold._groups import GroupedResult, GroupEstimate
from bootfold._interval import Interval, IntervalWarning
from bootfold._result import Result, load
from bootfold._score import bootstrap_score
from bootfold._spool import SpoolWarning
from bootfold._statistics import statistics
from bootfold._sums import sums
from bootfold._table_chunks import chunks
from bootfold._table_csv import csv
from bootfold._table_duckdb import sql

if TYPE_CHECKING:
    from bootfold import shards, stats
    from bootfold._classifier import EnsembleClassifier
    from bootfold._regressor import EnsembleRegressor

__all__ = [
    "EnsembleClassifier",
    "EnsembleRegressor",
    "ExactPlan",
    "ExactResult",
    "GroupEstimate",
    "GroupedResult",
    "Interval",
    "IntervalWarning",
    "Plan",
    "Result",
    "SpoolWarning",
    "__version__",
    "bootstrap",
    "bootstrap_score",
    "chunks",
    "compare",
    "counts",
    "csv",
    "explain",
    "load",
    "plot_comparison",
    "ComparisonTable",
    "shards",
    "sql",
    "statistics",
    "stats",
    "sums",
]

# What needs another package is imported when it is first asked for.
_LAZY = {
    "EnsembleClassifier": "bootfold._classifier",
    "EnsembleRegressor": "bootfold._regressor",
}


def __getattr__(name: str) -> Any:
    if name in ("shards", "stats"):
        import importlib

        return importlib.import_module(f"bootfold.{name}")
    if name in _LAZY:
        import importlib

        try:
            found = getattr(importlib.import_module(_LAZY[name]), name)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "sklearn":
                raise
            raise ImportError(
                f"{name} needs scikit-learn; install it with: pip install 'bootfold[sklearn]'"
            ) from error
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_LAZY})
