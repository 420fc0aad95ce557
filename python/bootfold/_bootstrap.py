"""bootstrap() and explain()."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _data
from bootfold._data import Data, NanPolicy, nan_rows
from bootfold._function import FunctionSource
from bootfold._labels import coded
from bootfold._named import JoinedSource, NamedSource
from bootfold._options import Progress, Seed, memory_bytes, seed_number, thread_number, whole_number
from bootfold._result import Result
from bootfold._source import Settings, Source
from bootfold._statistics import Function, Statistic, resolve
from bootfold._sums import Sums, SumsSource

if TYPE_CHECKING:
    from bootfold._core import Plan

_NAN_POLICIES = ("raise", "omit", "propagate")


def bootstrap(
    data: Any,
    statistic: Any,
    *,
    replicates: int = 10_000,
    seed: Seed = 0,
    scheme: str | None = None,
    paired: bool = False,
    axis: int | None = None,
    strata: Any = None,
    clusters: Any = None,
    two_stage: bool = False,
    block_length: float | None = None,
    weights: Any = None,
    size: int | None = None,
    nan_policy: NanPolicy = "raise",
    vectorized: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress = False,
) -> Result:
    """How much would this number change if the data had been drawn again?

    Parameters
    ----------
    data : array_like, Series, DataFrame, Arrow or DLPack object, or tuple of these
        One column, or a table whose rows are drawn whole. Arrays of numbers are read where they
        lie. A tuple holds several samples: independent ones, or with ``paired=True`` columns whose
        rows belong together.
    statistic : str, list of str, callable, or bootfold.sums(...)
        A name ("mean", "quantile:0.9", "correlation", ...; `bootfold.statistics()` lists them) or
        several; a NumPy function that has a name here (``np.median``,
        ``functools.partial(np.quantile, q=0.9)``); a function of means (`bootfold.sums`); a
        compiled function (numba's ``cfunc``, ``scipy.LowLevelCallable``); or any function of the
        resampled data that returns a number or an array. One with a parameter ``axis`` is
        called with many resamples at once.
    replicates : int
        How many resamples.
    seed : int, numpy.random.Generator, SeedSequence or None
        The same seed gives the same bits on any machine and any number of threads. None: a fresh
        one.
    scheme : str, optional
        "iid", "stratified", "cluster", "moving", "circular", "stationary", "poisson", "bayesian",
        "balanced", "weighted" or "jackknife". Unless given it follows from the arguments below.
    paired : bool
        Whether the samples of a tuple are drawn row by row together.
    axis : int, optional
        Data sets lie along this axis, as in NumPy's functions: one result for each.
    strata, clusters : array_like or column name, optional
        A label for each row. Rows are drawn within strata; clusters are drawn whole.
    two_stage : bool
        Within a drawn cluster its rows are drawn as well.
    block_length : float, optional
        For time series; chosen from the data unless given.
    weights : array_like or column name, optional
        Rows are drawn with probabilities in proportion to these.
    size : int, optional
        Rows that a resample draws, if not as many as there are.
    nan_policy : {"raise", "omit", "propagate"}
        What to do about NaN: an error, leave such rows out, or let what sees them be NaN.
    vectorized : bool, optional
        Whether a function takes many resamples at once, along an axis. Unless given: if it has a
        parameter ``axis``.
    threads : int, optional
        All cores unless given. Never changes a result.
    memory : int or str, optional
        Working memory beside data and result, such as "256MB"; 64 MiB unless given.
    progress : bool or callable
        True shows a bar (tqdm, where installed); a function is called with (done, total).

    Returns
    -------
    Result

    Examples
    --------
    >>> import bootfold as bf
    >>> x = [8.2, 9.1, 7.7, 10.4, 9.9, 8.8, 9.3, 8.1]
    >>> r = bf.bootstrap(x, "mean", replicates=100_000, seed=7)
    >>> round(r.estimate, 4)
    8.9375
    >>> low, high = r.interval("bca", confidence=0.95)
    >>> 8.2 < low < 8.6 and 9.3 < high < 9.7
    True
    """
    count = whole_number("replicates", replicates, 1)
    source = _source(
        data,
        statistic,
        Settings(seed_number(seed), memory_bytes(memory), thread_number(threads)),
        scheme=scheme,
        paired=paired,
        axis=axis,
        strata=strata,
        clusters=clusters,
        two_stage=two_stage,
        block_length=block_length,
        weights=weights,
        size=size,
        nan_policy=nan_policy,
        vectorized=vectorized,
    )
    core = source.run(count, 0, False, progress)
    return Result(core, source.shape, source, source.note)


def explain(
    data: Any,
    statistic: Any,
    *,
    replicates: int = 10_000,
    seed: Seed = 0,
    scheme: str | None = None,
    paired: bool = False,
    axis: int | None = None,
    strata: Any = None,
    clusters: Any = None,
    two_stage: bool = False,
    block_length: float | None = None,
    weights: Any = None,
    size: int | None = None,
    nan_policy: NanPolicy = "raise",
    vectorized: bool | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Plan:
    """What `bootstrap` with the same arguments would do, and why; nothing is drawn.

    Examples
    --------
    >>> import bootfold as bf
    >>> plan = bf.explain([0, 1, 1, 0, 1, 1, 1, 0] * 100, "mean", replicates=1_000_000)
    >>> plan.path
    'distinct'
    """
    count = whole_number("replicates", replicates, 1)
    source = _source(
        data,
        statistic,
        Settings(seed_number(seed), memory_bytes(memory), thread_number(threads)),
        scheme=scheme,
        paired=paired,
        axis=axis,
        strata=strata,
        clusters=clusters,
        two_stage=two_stage,
        block_length=block_length,
        weights=weights,
        size=size,
        nan_policy=nan_policy,
        vectorized=vectorized,
    )
    plan = source.explain(count)
    if source.note:
        plan.reason = f"{source.note}; {plan.reason}"
    return plan


def _source(
    given: Any,
    statistic: Any,
    settings: Settings,
    *,
    scheme: str | None,
    paired: bool,
    axis: int | None,
    strata: Any,
    clusters: Any,
    two_stage: bool,
    block_length: float | None,
    weights: Any,
    size: int | None,
    nan_policy: NanPolicy,
    vectorized: bool | None,
) -> Source:
    """Data, statistic and scheme brought together."""
    if nan_policy not in _NAN_POLICIES:
        raise ValueError(f"nan_policy is {nan_policy!r} but must be 'raise', 'omit' or 'propagate'")
    wanted = resolve(statistic, vectorized)
    if isinstance(strata, str) or isinstance(clusters, str) or isinstance(weights, str):
        given, strata, clusters, weights = _taken_out(given, strata, clusters, weights)
    data = _data.read(given, paired=paired, axis=axis)
    settings.scheme = scheme
    settings.two_stage = two_stage
    if size is not None:
        settings.size = whole_number("size", size, 1)
    if block_length is not None:
        settings.block_length = float(block_length)
    if strata is not None:
        settings.strata = coded(strata, data.rows, "strata")[0]
    if clusters is not None:
        settings.clusters = coded(clusters, data.rows, "clusters")[0]
    if weights is not None:
        settings.weights = _weights(weights, data.rows)
    if nan_policy == "omit":
        data, settings = _without_nan(data, settings)
    return _of_kind(data, wanted, settings, nan_policy)


def _taken_out(given: Any, *roles: Any) -> tuple[Any, Any, Any, Any]:
    """Columns of a frame that are named as strata, clusters or weights are not data."""
    if not hasattr(given, "columns"):
        name = next(role for role in roles if isinstance(role, str))
        raise TypeError(
            f"{name!r} names a column, but the data are no DataFrame; give an array with one entry "
            "for each row"
        )
    names = [role for role in roles if isinstance(role, str)]
    arrow = hasattr(given, "column_names")  # pyarrow's columns are the columns themselves
    there = list(given.column_names if arrow else given.columns)
    for name in names:
        if name not in there:
            known = ", ".join(map(str, there))
            raise ValueError(f"there is no column {name!r}; the columns are {known}")
    others = [name for name in there if name not in names]
    rest = given.select(others) if arrow else given[others]
    found = [given[role] if isinstance(role, str) else role for role in roles]
    return rest, found[0], found[1], found[2]


def _weights(weights: Any, rows: int) -> _data.Array:
    array = np.ascontiguousarray(_data.number_array(weights, "weights"), dtype=np.float64)
    if array.shape != (rows,):
        raise ValueError(
            f"weights have shape {array.shape} but the data have {rows} rows; each needs one"
        )
    return array


def _without_nan(data: Data, settings: Settings) -> tuple[Data, Settings]:
    """The rows, or in independent samples each sample's rows, that have no NaN."""
    parts = []
    arrays: list[_data.Array] = []
    if data.paired:
        dropped = nan_rows(data.arrays)
        if not dropped.any():
            return data, settings
        if data.parts[0].kind == "sets" and len(data.arrays) > 1:
            raise ValueError(
                "nan_policy is 'omit' but data sets along an axis must stay equally long; "
                "bootstrap those with NaN one by one"
            )
        arrays = [array[~dropped] for array in data.arrays]
        parts = [dataclasses.replace(part, rows=arrays[0].shape[0]) for part in data.parts]
        settings = settings.without_rows(dropped)
    else:
        column = 0
        for part in data.parts:
            own = data.arrays[column : column + part.columns]
            column += part.columns
            kept = ~nan_rows(own)
            arrays.extend(array[kept] for array in own)
            parts.append(dataclasses.replace(part, rows=int(kept.sum())))
    if any(part.rows == 0 for part in parts):
        raise ValueError("every row has a NaN, and nan_policy='omit' leaves none")
    return Data(arrays, parts, data.paired), settings


def _of_kind(data: Data, wanted: Statistic, settings: Settings, nan_policy: NanPolicy) -> Source:
    if isinstance(wanted, Function):
        if nan_policy == "raise":
            _data.check_no_nan(data)
        return FunctionSource(data, wanted, settings, jackknife=settings.scheme == "jackknife")
    if not data.paired:
        raise ValueError(
            f"data are {len(data.parts)} samples, and named statistics take rows that belong "
            "together: say paired=True; independent samples take a function, such as "
            "lambda x, y: x.mean() - y.mean()"
        )
    if isinstance(wanted, Sums):
        return SumsSource(data, wanted, settings)
    if data.parts[0].kind == "sets" and len(data.parts) > 1:
        sets = len(data.arrays) // len(data.parts)
        sources: list[Source] = [
            NamedSource(
                Data(data.arrays[s::sets], [_data.Part("vector", 1, data.rows)] * len(data.parts)),
                wanted,
                settings,
                nan_policy,
            )
            for s in range(sets)
        ]
        return JoinedSource(sources, data.parts[0].shape)
    return NamedSource(data, wanted, settings, nan_policy)
