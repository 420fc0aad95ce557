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
from bootfold._core import Plan
from bootfold._core import version as __version__
from bootfold._interval import Interval, IntervalWarning
from bootfold._result import Result, load
from bootfold._statistics import statistics
from bootfold._sums import sums

if TYPE_CHECKING:
    from bootfold import stats

__all__ = [
    "Interval",
    "IntervalWarning",
    "Plan",
    "Result",
    "__version__",
    "bootstrap",
    "compare",
    "explain",
    "load",
    "statistics",
    "stats",
    "sums",
]


def __getattr__(name: str) -> Any:
    if name == "stats":  # imported when it is first asked for
        import importlib

        return importlib.import_module("bootfold.stats")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
