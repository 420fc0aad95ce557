"""bootstrap() and explain()."""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bootfold import _core, _data
from bootfold._chunked import Column, whole
from bootfold._counts import CountsSource, Takes, check_takes
from bootfold._data import Data, NanPolicy, rows_with_nan
from bootfold._distributed import Split, distributed
from bootfold._exact import ExactPlan, check_exact, exact_plan, exact_result
from bootfold._expressions import has_expressions, prepared, texts_of
from bootfold._function import FunctionSource
from bootfold._interval import NOTHING, Alternative, Asked, IntervalWarning, Method
from bootfold._named import JoinedSource, NamedSource
from bootfold._options import (
    Progress,
    Replicates,
    Seed,
    checkpoint_path,
    number_of_replicates,
    precision_number,
)
from bootfold._result import Result
from bootfold._select import chosen
from bootfold._source import (
    Rescale,
    Settings,
    Source,
    row_numbers,
    set_labels,
    set_scheme,
    settings_of,
    whole_frequencies,
)
from bootfold._statistics import Function, Named, Statistic, resolve
from bootfold._streamed import StreamedTable, recognised, streamed
from bootfold._sums import Sums, SumsSource
from bootfold._table_read import LargerThanMemory, limits_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from bootfold._core import Plan

_NAN_POLICIES = ("error", "omit", "propagate")
#: Arguments that are one number or label for each row.
_ROLES = ("strata", "clusters", "probabilities", "weights", "frequencies")


def bootstrap(
    data: Any,
    statistic: Any,
    *,
    columns: str | Sequence[str] | None = None,
    by: Any = None,
    replicates: Replicates | None = None,
    precision: float | None = None,
    interval: Method | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    nested_replicates: int = 50,
    seed: Seed = 0,
    scheme: str | None = None,
    paired: bool = False,
    axis: int | None = None,
    strata: Any = None,
    clusters: Any = None,
    two_stage: bool = False,
    block_length: float | None = None,
    probabilities: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    size: int | None = None,
    rescale: Rescale = "sqrt",
    nan: NanPolicy = "error",
    vectorized: bool | None = None,
    takes: Takes = "resample",
    path: str | None = None,
    tolerance: float = 1e-5,
    threads: int | None = None,
    memory: int | str | None = None,
    spool: int | str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress = False,
    dim: str | None = None,
    engine: Any = None,
    split: Split = "rows",
) -> Result:
    """How much would this number change if the data had been drawn again?

    Parameters
    ----------
    data : array_like, Series, DataFrame, Arrow or DLPack object, path, or tuple of these
        One column, or a table whose rows are drawn whole. Arrays of numbers are read where they
        lie. A tuple holds several samples: independent ones, or with ``paired=True`` columns whose
        rows belong together. Also: the path of a Parquet or .npy file, a pattern
        ("sales/*.parquet"), a folder of Parquet files, a list of these; a dataset, scanner or
        record batch reader of pyarrow; a LazyFrame of polars; a relation of DuckDB or
        `bootfold.sql`; `bootfold.chunks`, or an iterator of arrays or tables. Rows of a cluster: an
        array, dataframe or bag of Dask, a DataFrame of Spark, a Dataset of Ray (docs/scale.md).
    statistic : str, list of str, callable, or bootfold.sums(...)
        A name ("mean", "quantile:0.9", "correlation", ...; `bootfold.statistics()` lists them) or
        several; an expression of columns of a table (``"sum(delay) / sum(distance)"``,
        ``"gm = exp(mean(log(price)))"``; docs/expressions.md); a NumPy function that has a name
        here (``np.median``,
        ``functools.partial(np.quantile, q=0.9)``); a function of means (`bootfold.sums`); a
        compiled function (numba's ``cfunc``, ``scipy.LowLevelCallable``); or any function of the
        resampled data that returns a number or an array. One with a parameter ``axis`` is
        called with many resamples at once. Of a DataFrame the function gets a DataFrame; one with
        columns of text, dates or categories arrives with all of them and their types.
    columns : str or list of str, optional
        The columns of a table that the statistic sees; all that are not named below unless given.
        Of files and queries no other columns are read. One name stands for one column, whose
        estimate is a number; a list is a table, even of one column.
    by : column name, list of column names or array_like, optional
        Groups of rows: each is bootstrapped on its own rows, with a seed of its own, and the result
        is a `GroupedResult`. With several columns groups are the combinations that occur.
        Groups of one row are left out.
    replicates : int, "auto" or "exact", optional
        The number of resamples, 10,000 unless given. "auto": as many as the precision
        takes. "exact": none; an `ExactResult` with the exact bootstrap distribution, for
        means, sums, proportions and quantiles at any size and for other named statistics of
        few rows.
    precision : float, optional
        For replicates="auto": the largest Monte Carlo error of a limit of the interval, as a share
        of the standard error; 0.01 unless given.
    interval, confidence, alternative
        The interval that `Result.interval` makes by default: "percentile" unless given, and of a
        jackknife "normal". What it needs is computed in the same
        run, and replicates="auto" makes its limits precise.
    nested_replicates : int
        For studentized intervals of statistics without a formula for the standard error: resamples
        of every resample.
    seed : int, numpy.random.Generator, SeedSequence or None
        The same seed gives the same bits on any machine and any number of threads. None: a random
        seed.
    scheme : str, optional
        "iid", "stratified", "cluster", "moving", "circular", "stationary", "poisson", "bayesian",
        "balanced", "unequal" or "jackknife". Unless given it follows from the arguments below.
        "bayesian" gives rows weights in place of counts, so it takes functions of sums, quantiles
        and trimmed means; callables need takes="weights".
    paired : bool
        Whether the samples of a tuple are drawn row by row together.
    axis : int, optional
        Data sets lie along this axis, as in NumPy's functions: one result for each.
    strata, clusters : array_like, column name or list of column names, optional
        A label for each row. Rows are drawn within strata; clusters are drawn whole. With both,
        clusters are drawn within strata, and a cluster must lie in one stratum. With several
        columns labels are their combinations: ``clusters=["month", "day"]``.
    two_stage : bool
        Within a drawn cluster its rows are drawn as well. The means of whole clusters already vary
        by their rows, so this adds the variance within clusters a second time, and intervals are
        too wide: for few clusters of few rows, where too wide is better than too narrow.
    block_length : float, optional
        For time series; chosen from the data unless given.
    weights : array_like or column name, optional
        Weights of the statistic: survey weights, volumes, exposures. The mean becomes
        ``sum(w * x) / sum(w)``, and variances, quantiles, correlations and regressions are weighted
        in the same way; only the ratios of the weights matter, except for "sum". Rows are drawn
        with equal probability, each with its weight. For named statistics and `sums`; a function
        gets the weights by takes="weights", multiplied by the counts of its rows.
    frequencies : array_like or column name, optional
        A row stands for so many equal rows, as in a table of counts. All is as if the rows were
        written out; named statistics and `sums` do not take the memory for that.
    probabilities : array_like or column name, optional
        Rows are drawn with probabilities in proportion to these (scheme "unequal"). The estimate is
        that of data in which each row has its share: exact for named statistics, `sums` and
        takes="weights". Other functions see whole rows, so their estimate is the mean of 32 values
        on resamples that together have these shares; its error is about a hundredth of a standard
        error.
    size : int, optional
        Rows that a resample draws, if not as many as there are.
    rescale : {"sqrt", "none"} or float
        With `size`, the statistic varies as it does on so many rows. Its deviations from the
        estimate are multiplied by ``(size / rows) ** 0.5``, so that standard errors, biases and
        intervals are those of all rows; the replicates stay as they are drawn. A number is another
        exponent, for statistics that converge at another rate; "none" rescales nothing.
    nan : {"error", "omit", "propagate"}
        What to do about NaN, None and missing labels (strata, clusters, by): raise an error, leave
        such rows out, or return NaN for every value that depends on them (labels cannot be missing
        then).
    vectorized : bool, optional
        Whether a function takes many resamples at once, along an axis. Unless given: if it has a
        parameter ``axis``.
    takes : {"resample", "counts", "weights"}
        What a function gets. "resample": the drawn rows. "counts": the data as they were given and
        an array of shape (batch, rows) that says how often each row is drawn; the function returns
        one value, or one row of values, for each line of it. No rows are gathered, so any weighted
        function of NumPy, JAX or torch serves; all batches of a run have one shape. Independent
        samples come with counts of their own: ``f(x, y, counts_x, counts_y)``. "weights": the same
        with floating point numbers, which scheme "bayesian" needs. The counts are those of
        `bootfold.counts`.
    path : str, optional
        How replicates are made; the cheapest path unless given. See `bootfold.explain`.
    tolerance : float
        Largest error of a sum, as a share of the standard error.
    threads : int, optional
        All cores unless given. Never changes a result.
    memory : int or str, optional
        Memory limit beside data and result, in bytes or such as "256M" or "1GiB"; a quarter of what
        the process may use unless given. Never changes a result. Columns of files, queries and
        iterators that take more are added up batch by batch, for sums and quantiles of what can be
        read again, or written to temporary files, and then a `SpoolWarning` says so.
    spool : int or str, optional
        Largest size of these temporary files, in bytes or such as "20G"; a quarter of the free
        space of the temporary folder unless given. 0: none are written.
    checkpoint : str or path-like, optional
        A file in which the run stores its replicates, as often as costs less than 1 % of its time,
        also when it is interrupted. The same call goes on from there, to the same bits; a file of
        another run is refused. It is deleted when the run is complete. A function is identified by
        its name and code, not by the code of functions that it calls. Never changes a result.
    progress : bool or callable
        True shows a bar (tqdm, where installed); a function is called with (done, total).
    dim : str, optional
        Of a DataArray or Dataset of xarray: the dimension along which the rows lie. Each place
        along the others is a data set, with a result of its own.
    engine : client of Dask, SparkSession, module ray, communicator of mpi4py, optional
        The cluster that computes. Unless given, rows in partitions are computed by the default
        client or session, and rows in memory by this process. With a communicator, all ranks call
        with their own rows, which follow each other in the order of ranks, or with
        split="replicates" all with the same rows, and all get the result (docs/mpi.md). "dask",
        "spark", "ray" and "mpi" stand for the default client, session or communicator.
    split : {"rows", "replicates"}
        How the work of a cluster is split. "rows": each partition is read where it is, and only
        sums travel; for statistics that can be added up. "replicates": every worker gets all rows
        and makes some replicates; for all statistics and schemes, if the rows fit into its memory.
        Never changes a result.

    Returns
    -------
    Result
        With `by`, a `GroupedResult`.

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
    options = dict(locals())
    del options["by"]
    beside = _with_expressions(options)
    if by is not None:
        from bootfold._groups import bootstrap_by

        found: Any = bootstrap_by(by, options, beside)
        return found  # type: ignore[no-any-return]
    away = distributed(options)
    if away is not None:
        return away.run()
    call = _call(**options, beside=beside)
    count, source = call.count, call.source
    if isinstance(source, StreamedTable):
        assert isinstance(count, int)
        core, shape = source.run(count, progress, call.checkpoint)
        return Result(core, shape, None, source.note, call.asked)
    if count == "exact":
        return exact_result(source, call.asked)
    with _checkpointed(source, call.checkpoint):
        return _run(source, count, call.precision, call.asked, progress)


def _with_expressions(options: dict[str, Any]) -> tuple[str, ...]:
    """Gives the data the columns of expressions; the columns of the statistics beside these."""
    if not has_expressions(options["statistic"]):
        return ()
    given = options["columns"]
    own = () if given is None else tuple(_data.column_names(given))
    plain = [one for one in texts_of(options["statistic"]) if "(" not in one]
    if plain and not own:
        raise ValueError(
            f"statistic {plain[0]!r} has no column, beside an expression that names its own; give "
            f"columns=, or write {plain[0]}(COLUMN)"
        )
    options["data"], options["columns"] = prepared(options["data"], options["statistic"], given)
    return own


@contextlib.contextmanager
def _checkpointed(source: Source, path: str) -> Iterator[None]:
    """A run that goes on from the file, which is deleted when the run is complete."""
    if not path:
        yield
        return
    if isinstance(source, JoinedSource) or (
        isinstance(source, (FunctionSource, CountsSource)) and source.jackknife
    ):
        raise ValueError(
            f"checkpoint is {path!r} but the replicates of a jackknife of a Python function, or of "
            "data sets that are bootstrapped one by one, are not stored; omit checkpoint"
        )
    source.request.checkpoint = path
    try:
        yield
    finally:
        source.request.checkpoint = ""
    _core.remove_checkpoint(path)


def _run(
    source: Source, count: int | Literal["auto"], wanted: float, asked: Asked, progress: Progress
) -> Result:
    if count == "auto":
        later = dataclasses.replace(asked.needs, influence=False)  # the first round has it

        def make(first: int, more: int) -> _core.Result:
            return source.run(more, first, later if first else asked.needs, progress)

        core, reached, met = _core.to_precision(
            source.request, make, wanted, asked.method, asked.confidence, asked.alternative
        )
        if not met:
            warnings.warn(
                f"the Monte Carlo error is {reached:.3g} of a standard error after "
                f"{core.plan.replicates:,} replicates, the most that replicates='auto' makes; "
                f"precision is {wanted:g}",
                IntervalWarning,
                stacklevel=3,
            )
    else:
        core = source.run(count, 0, asked.needs, progress)
    return Result(core, source.shape, source, source.note, asked)


def explain(
    data: Any,
    statistic: Any,
    *,
    columns: str | Sequence[str] | None = None,
    by: Any = None,
    replicates: Replicates | None = None,
    precision: float | None = None,
    interval: Method | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    nested_replicates: int = 50,
    seed: Seed = 0,
    scheme: str | None = None,
    paired: bool = False,
    axis: int | None = None,
    strata: Any = None,
    clusters: Any = None,
    two_stage: bool = False,
    block_length: float | None = None,
    probabilities: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    size: int | None = None,
    rescale: Rescale = "sqrt",
    nan: NanPolicy = "error",
    vectorized: bool | None = None,
    takes: Takes = "resample",
    path: str | None = None,
    tolerance: float = 1e-5,
    threads: int | None = None,
    memory: int | str | None = None,
    spool: int | str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    dim: str | None = None,
    engine: Any = None,
    split: Split = "rows",
) -> Plan | ExactPlan:
    """What `bootstrap` with the same arguments would do, and why; nothing is drawn or stored.

    Examples
    --------
    >>> import bootfold as bf
    >>> plan = bf.explain([0, 1, 1, 0, 1, 1, 1, 0] * 100, "mean", replicates=1_000_000)
    >>> plan.path
    'distinct'
    """
    options = dict(locals())
    del options["by"]
    beside = _with_expressions(options)
    if by is not None:
        raise ValueError(
            "by= is given but explain tells of one bootstrap; omit by, or explain the rows of one "
            "group"
        )
    away = distributed(options)
    if away is not None:
        return away.explain()
    call = _call(**options, beside=beside)
    count, source = call.count, call.source
    if isinstance(source, StreamedTable):
        assert isinstance(count, int)
        return source.explain(count)
    if count == "exact":
        return exact_plan(source)
    if count == "auto":
        asked = call.asked
        count = _core.first_replicates(
            source.request, call.precision, asked.method, asked.confidence, asked.alternative
        )
    plan = source.explain(count, call.asked.needs)
    if source.note:
        plan.reason = f"{source.note}; {plan.reason}"
    return plan


@dataclasses.dataclass(slots=True)
class _Call:
    """The arguments of `bootstrap` or `explain`, checked and brought together."""

    count: int | Literal["auto", "exact"]
    precision: float
    asked: Asked
    checkpoint: str
    source: Source | StreamedTable


def _call(
    data: Any,
    statistic: Any,
    *,
    columns: str | Sequence[str] | None,
    replicates: Replicates | None,
    precision: float | None,
    interval: Method | None,
    confidence: float,
    alternative: Alternative,
    nested_replicates: int,
    seed: Seed,
    scheme: str | None,
    paired: bool,
    axis: int | None,
    strata: Any,
    clusters: Any,
    two_stage: bool,
    block_length: float | None,
    probabilities: Any,
    weights: Any,
    frequencies: Any,
    size: int | None,
    rescale: Rescale,
    nan: NanPolicy,
    vectorized: bool | None,
    takes: Takes,
    path: str | None,
    tolerance: float,
    threads: int | None,
    memory: int | str | None,
    spool: int | str | None,
    checkpoint: str | os.PathLike[str] | None,
    dim: str | None,
    engine: Any,
    split: Split,
    progress: Progress = False,
    beside: tuple[str, ...] = (),
) -> _Call:
    jackknife = scheme == "jackknife"
    count = number_of_replicates(replicates, jackknife=jackknife)
    wanted = precision_number(precision, count)
    usual: Method = "normal" if jackknife else "percentile"
    asked = Asked(usual if interval is None else interval, confidence, alternative)
    settings = settings_of(seed, memory, threads, tolerance, nested_replicates, path)
    if nan not in _NAN_POLICIES:
        raise ValueError(f"nan is {nan!r} but must be 'error', 'omit' or 'propagate'")
    check_takes(takes, vectorized)
    named = resolve(statistic, vectorized if takes == "resample" else True)
    if beside and isinstance(named, Named):
        named = dataclasses.replace(named, columns=beside)
    if takes != "resample" and not isinstance(named, Function):
        raise TypeError(
            f"takes={takes!r} is for functions of (data, {takes}), but the statistic is "
            f"{statistic!r}; omit takes"
        )
    set_scheme(settings, scheme, two_stage, size, block_length, rescale)
    limits = limits_of(memory, spool, nan)
    roles = {
        "strata": strata,
        "clusters": clusters,
        "probabilities": probabilities,
        "weights": weights,
        "frequencies": frequencies,
    }
    # Tables larger than memory are added up where nothing is asked for that needs all rows at once.
    given = recognised(data)
    stream = None
    others = (path, axis, block_length, size, *roles.values())
    if (
        isinstance(named, Named)
        and isinstance(count, int)
        and asked.needs == NOTHING
        and nan == "error"
        and not paired
        and not two_stage
        and all(other is None for other in others)
    ):
        stream = streamed(given, columns, named, settings, limits.memory)
    if stream is not None and stream.larger:
        return _Call(count, wanted, asked, checkpoint_path(checkpoint), stream)
    limits = dataclasses.replace(limits, may_spool=stream is None)
    try:
        given, roles = chosen(given, columns, roles, limits)
    except LargerThanMemory:
        assert stream is not None
        return _Call(count, wanted, asked, checkpoint_path(checkpoint), stream)
    source = _source(given, named, settings, roles, paired, axis, nan, takes)
    if count == "exact":
        check_exact(path, asked)
    else:
        _core.check_method(asked.method, source.request)
    return _Call(count, wanted, asked, checkpoint_path(checkpoint), source)


def source_of(rows: Any, statistic: Any, limits: tuple[Any, ...], given: dict[str, Any]) -> Source:
    """What makes replicates of these rows: `limits` for settings_of(), other arguments by name."""
    settings = settings_of(*limits)
    takes = given["takes"]
    named = resolve(statistic, given["vectorized"] if takes == "resample" else True)
    scheme = (given[name] for name in ("scheme", "two_stage", "size", "block_length", "rescale"))
    set_scheme(settings, *scheme)
    roles = {role: given[role] for role in _ROLES}
    held = limits_of(limits[1], None, given["nan"])
    data, roles = chosen(recognised(rows), given["columns"], roles, held)
    return _source(
        data, named, settings, roles, given["paired"], given["axis"], given["nan"], takes
    )


def _source(
    given: Any,
    wanted: Statistic,
    settings: Settings,
    roles: dict[str, Any],
    paired: bool,
    axis: int | None,
    nan: NanPolicy,
    takes: Takes,
) -> Source:
    """Data, statistic and scheme brought together."""
    data = _data.read(given, paired=paired, axis=axis, whole=isinstance(wanted, Function))
    set_labels(settings, roles["strata"], roles["clusters"], data.rows, omit=nan == "omit")
    for role in ("probabilities", "weights", "frequencies"):
        if roles[role] is not None:
            setattr(settings, role, row_numbers(roles[role], data.rows, role))
    if nan == "omit":
        data, settings = _without_nan(data, settings)
    if settings.frequencies is not None and isinstance(wanted, Function):
        given, data, settings = _written_out(data, settings)
    if takes != "resample":
        assert isinstance(wanted, Function)
        if nan == "error":
            _data.check_no_nan(data)
        return CountsSource(data, given, wanted, takes, settings)
    return _of_kind(data, wanted, settings, nan)


def _written_out(data: Data, settings: Settings) -> tuple[Any, Data, Settings]:
    """The rows as often as their frequencies say, for functions, which see them all."""
    assert settings.frequencies is not None
    if settings.probabilities is not None:
        raise ValueError("frequencies and probabilities do not go together; write the rows out")
    times = whole_frequencies(settings.frequencies)
    if not data.paired:
        raise ValueError(
            "frequencies= is for one sample, or for rows that belong together: say paired=True, or "
            "write independent samples out by numpy.repeat"
        )
    arrays: list[Column] = [np.repeat(whole(array), times) for array in data.arrays]
    parts = [dataclasses.replace(part, rows=arrays[0].shape[0]) for part in data.parts]
    return (None,) * len(parts), Data(arrays, parts), settings.written_out(times)


def _without_nan(data: Data, settings: Settings) -> tuple[Data, Settings]:
    """The rows, or in independent samples each sample's rows, that have no NaN."""
    parts = []
    arrays: list[Column] = []
    if data.paired:
        dropped = rows_with_nan(data)
        unknown = settings.with_nan()
        if unknown is not None:
            dropped = dropped | unknown
        if not dropped.any():
            return data, settings
        if data.parts[0].kind == "sets" and len(data.arrays) > 1:
            raise ValueError(
                "nan is 'omit' but data sets along an axis must stay equally long; "
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
            kept = ~rows_with_nan(Data(own, [part]))
            arrays.extend(array[kept] for array in own)
            parts.append(dataclasses.replace(part, rows=int(kept.sum())))
    if any(part.rows == 0 for part in parts):
        raise ValueError("every row has a NaN, and nan='omit' leaves none")
    return Data(arrays, parts, data.paired), settings


def _of_kind(data: Data, wanted: Statistic, settings: Settings, nan: NanPolicy) -> Source:
    if isinstance(wanted, Function):
        if settings.weights is not None:
            raise ValueError(
                "weights= is for named statistics and sums, and a function of the resample does "
                "not see them; takes='weights' gives it the data and one row of weights for each "
                "resample, or pass the weights as one more array with paired=True"
            )
        if nan == "error":
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
                nan,
            )
            for s in range(sets)
        ]
        return JoinedSource(sources, data.parts[0].shape)
    return NamedSource(data, wanted, settings, nan)
