"""SciPy's door: `bootstrap` has the arguments and the result of scipy.stats.bootstrap.

>>> import numpy as np
>>> from bootfold.stats import bootstrap
>>> x = np.array([8.2, 9.1, 7.7, 10.4, 9.9, 8.8, 9.3, 8.1])
>>> res = bootstrap((x,), np.mean, confidence_level=0.9, rng=7)
>>> bool(8.3 < res.confidence_interval.low < 8.6)
True
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from bootfold._distribution import distribution_source
from bootfold._limits import bca_levels, quantiles
from bootfold._options import seed_number
from bootfold._samples import Samples
from bootfold._source import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bootfold._data import Array

__all__ = ["BootstrapResult", "ConfidenceInterval", "bootstrap"]

DegenerateDataWarning: type[Warning]  #: SciPy's, or where there is no SciPy our own


class _Omitted:
    """Stands for an argument that was not given, where None means something else."""

    def __repr__(self) -> str:
        return "None"


_OMITTED = _Omitted()


class ConfidenceInterval(NamedTuple):
    """The limits of an interval: numbers, or arrays for several values."""

    low: Any
    high: Any


@dataclass
class BootstrapResult:
    """What `bootstrap` found, as scipy.stats has it.

    Attributes
    ----------
    confidence_interval : ConfidenceInterval
        With `low` and `high`.
    bootstrap_distribution : ndarray
        The statistic on each resample; the last axis is that of the resamples.
    standard_error : float or ndarray
        Standard deviation of the distribution.
    plan : str
        How the resamples were made. SciPy has no such thing.
    """

    confidence_interval: ConfidenceInterval
    bootstrap_distribution: np.ndarray[Any, np.dtype[np.float64]]
    standard_error: Any
    plan: str = field(default="", repr=False, compare=False)


def bootstrap(
    data: Sequence[Any],
    statistic: Callable[..., Any],
    *,
    n_resamples: int = 9999,
    batch: int | None = None,
    vectorized: bool | None = None,
    paired: bool = False,
    axis: int = 0,
    confidence_level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    method: Literal["percentile", "basic", "bca", "BCa"] = "BCa",
    bootstrap_result: Any = None,
    rng: Any = _OMITTED,
    random_state: Any = _OMITTED,
) -> BootstrapResult:
    """A bootstrap confidence interval: scipy.stats.bootstrap, only faster.

    Arguments and result are SciPy's. The random numbers are others, so results agree with
    SciPy's within Monte Carlo error, not to the digit. docs/from-scipy.md has all differences.

    Parameters
    ----------
    data : sequence of array_like
        Samples. Their shapes must broadcast, but for `axis`. One sample ``x`` is ``(x,)``.
    statistic : callable
        Gets a resample of each sample and returns a number or several. NumPy functions that have a
        name here (``np.mean``, ``np.median``, ``np.std``, ``np.var``, ``np.min``, ``np.max``,
        ``np.sum``, ``np.quantile``, also in ``functools.partial``) run inside the library.
    n_resamples : int
        How many resamples; 0 with a `bootstrap_result` only.
    batch : int, optional
        Most resamples in one call of a vectorized statistic. Calls may get fewer: working memory
        is bounded anyway.
    vectorized : bool, optional
        Whether the statistic takes `axis` and many resamples at once. Unless given: if it has a
        parameter ``axis``.
    paired : bool
        Whether rows of the samples belong together and are drawn together.
    axis : int
        The axis of the samples along which observations lie.
    confidence_level : float
        Such as 0.95.
    alternative : {"two-sided", "less", "greater"}
        "less" has an upper limit only, "greater" a lower one.
    method : {"percentile", "basic", "BCa"}
        How limits follow from the distribution.
    bootstrap_result : BootstrapResult, optional
        An earlier result, of this function or of SciPy's, whose distribution is put first.
    rng : int, numpy.random.Generator or what numpy.random.default_rng takes, optional
        Where the seed comes from. A generator is advanced by one number. None: a fresh seed;
        not given: one from NumPy's global state, so that ``np.random.seed`` has its effect.
    random_state : int, numpy.random.RandomState or Generator, optional
        SciPy's older name for `rng`; only one of them may be given.

    Returns
    -------
    BootstrapResult

    Warns
    -----
    scipy.stats.DegenerateDataWarning
        If a limit is NaN, as those of "BCa" are where all replicates are alike.

    Examples
    --------
    The correlation of two columns:

    >>> import numpy as np
    >>> import bootfold as bf
    >>> x = np.linspace(0, 10, 100)
    >>> y = x + np.sin(5 * x)
    >>> def correlation(x, y):
    ...     return np.corrcoef(x, y)[0, 1]
    >>> res = bf.stats.bootstrap((x, y), correlation, paired=True, n_resamples=999, rng=7)
    >>> low, high = res.confidence_interval
    >>> bool(low < correlation(x, y) < high)
    True
    >>> res.bootstrap_distribution.shape
    (999,)
    """
    if vectorized not in (True, False, None):
        raise ValueError(f"vectorized is {vectorized!r} but must be True, False or None")
    if not callable(statistic):
        raise TypeError(f"statistic is {statistic!r} but must be a function of the samples")
    axis = _whole("axis", axis, None)
    try:
        samples_given = len(data)
    except TypeError:
        raise ValueError(f"data is {data!r} but must be a sequence of samples: (x,)") from None
    if samples_given == 0:
        raise ValueError("data is empty but must hold at least one sample: (x,)")
    if paired not in (True, False):
        raise ValueError(f"paired is {paired!r} but must be True or False")
    samples = Samples(data, axis, bool(paired))
    level = float(confidence_level)
    alternative = _choice("alternative", alternative, ("two-sided", "less", "greater"))
    count = _whole("n_resamples", n_resamples, 0)
    most = None if batch is None else _whole("batch", batch, 1)
    method = _choice("method", method, ("percentile", "basic", "bca"))
    before = _earlier(bootstrap_result)
    if count == 0 and (before is None or not before.size):
        raise ValueError(
            "n_resamples is 0 and there is no bootstrap_result with replicates; one of them must "
            "have some"
        )
    settings = Settings(_seed(rng, random_state))
    first = 0 if before is None else before.shape[-1]

    source = distribution_source(samples, statistic, vectorized, settings, most)
    distribution = source.run(count, first) if count else np.empty((*source.shape, 0))
    if before is not None:
        distribution = np.concatenate([before, distribution], axis=-1)

    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    if method == "bca":
        levels = bca_levels(distribution, source.estimate(), source.acceleration(), tail)
        limits = quantiles(distribution, levels)
    else:
        limits = np.moveaxis(np.quantile(distribution, [tail, 1 - tail], axis=-1), 0, -1)
    if np.isnan(limits).any():
        _warn_degenerate(method)
    low, high = limits[..., 0], limits[..., 1]
    if method == "basic":
        estimate = source.estimate()
        low, high = 2 * estimate - high, 2 * estimate - low
    if alternative == "less":
        low = np.full_like(low, -np.inf)
    elif alternative == "greater":
        high = np.full_like(high, np.inf)
    return BootstrapResult(
        ConfidenceInterval(low[()], high[()]),
        distribution,
        np.std(distribution, ddof=1, axis=-1),
        source.plan,
    )


def _whole(name: str, value: Any, least: int | None) -> int:
    number = int(value)
    if value != number or (least is not None and number < least):
        rule = "a whole number" if least is None else f"a whole number of at least {least}"
        raise ValueError(f"{name} is {value!r} but must be {rule}")
    return number


def _choice(name: str, value: str, choices: tuple[str, ...]) -> Any:
    found = value.lower()
    if found not in choices:
        raise ValueError(f"{name} is {value!r} but must be one of {', '.join(choices)}")
    return found


def _earlier(result: Any) -> Array | None:
    """The distribution of an earlier result."""
    if result is None:
        return None
    if not hasattr(result, "bootstrap_distribution"):
        raise ValueError(
            f"bootstrap_result is {result!r} but must have the attribute bootstrap_distribution, "
            "as a result of bootstrap has"
        )
    return np.asarray(result.bootstrap_distribution, dtype=np.float64)


def _seed(rng: Any, random_state: Any) -> int:
    """The engine's seed: the first number of the generator that SciPy would use."""
    if rng is not _OMITTED and random_state is not _OMITTED:
        raise TypeError(
            "bootstrap() got rng and random_state, which are two names of one argument; give one"
        )
    source: Any
    if rng is not _OMITTED:
        source = np.random.default_rng(rng)
    elif random_state is _OMITTED or random_state is None or random_state is np.random:
        source = np.random
    elif isinstance(random_state, (int, np.integer)):
        source = np.random.RandomState(random_state)
    elif isinstance(random_state, (np.random.RandomState, np.random.Generator)):
        source = random_state
    else:
        raise ValueError(
            f"random_state is {random_state!r} but must be a whole number, a "
            "numpy.random.RandomState, a Generator or None"
        )
    if isinstance(source, np.random.Generator):
        return seed_number(source)
    return int(source.randint(0, 2**64 - 1, dtype=np.uint64))


def _warn_degenerate(method: str) -> None:
    import warnings

    # The words about BCa are those that filters of warnings look for.
    text = "The BCa confidence interval cannot be calculated: all replicates may be alike, or lie "
    text += "on one side of the estimate; look at the data, or take another method"
    if method != "bca":
        text = f"a limit of the {method} interval is NaN, as the statistic is on some resamples"
    warnings.warn(
        text,
        _degenerate_data_warning(),
        stacklevel=3,
    )


class _DegenerateDataWarning(RuntimeWarning):
    """The stand-in where there is no SciPy."""


def _degenerate_data_warning() -> type[Warning]:
    """SciPy's own class, so that filters for it work; SciPy is imported for nothing else."""
    try:
        from scipy.stats import DegenerateDataWarning as found
    except ImportError:
        return _DegenerateDataWarning
    return found  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    if name == "DegenerateDataWarning":
        return _degenerate_data_warning()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
