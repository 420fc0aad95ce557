"""bootstrap() and explain()."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bootfold import _core
from bootfold._call import call_of, with_expressions
from bootfold._distributed import Split, distributed
from bootfold._exact import ExactPlan, exact_plan, exact_result
from bootfold._result import Result
from bootfold._run import checkpointed, run
from bootfold._streamed import StreamedTable

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from bootfold._core import Plan
    from bootfold._counts import Takes
    from bootfold._data import NanPolicy
    from bootfold._interval import Alternative, Method
    from bootfold._options import Progress, Replicates, Seed
    from bootfold._source import Rescale


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
    joint: bool = False,
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
        rows belong together. Also: the path of a Parquet, .npy or text file, a pattern
        ("sales/*.parquet"), a folder of Parquet files, a list of these; a dataset, scanner or
        record batch reader of pyarrow; a LazyFrame of polars; a relation of DuckDB or
        `bootfold.sql`; `bootfold.chunks`, an iterator of arrays or tables, or a list of tables.
        Rows of a cluster: an array, dataframe or bag of Dask, a DataFrame of Spark, a Dataset of
        Ray (docs/scale.md).
    statistic : str, list of str, callable, or bootfold.sums(...)
        A name ("mean", "quantile:0.9", "correlation", ...; `bootfold.statistics()` lists them) or
        several; an expression of columns of a table (``"sum(delay) / sum(distance)"``,
        ``"gm = exp(mean(log(price)))"``; docs/expressions.md); a NumPy function that has a name
        here (``np.median``,
        ``functools.partial(np.quantile, q=0.9)``); a function of means (`bootfold.sums`); a
        compiled function (numba's ``cfunc``, ``scipy.LowLevelCallable``); or any function of the
        resampled data that returns a number or an array. One with a parameter ``axis`` is
        called with many resamples at once. Of a DataFrame the function gets a DataFrame; one with
        columns of text, dates or categories arrives with all of them and their types. So do files,
        datasets and queries with such columns, as a DataFrame of pandas, and a LazyFrame, as one of
        polars, if these columns fit into the memory limit.
    columns : str or list of str, optional
        The columns of a table that the statistic sees; all that are not named below unless given.
        A name that the table does not have may be an expression of a row: "log(price)".
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
    joint : bool
        Compute statistics of different kinds, such as mean and median, on the same resamples, for
        what is made of their joint distribution. By default each kind has the path that is fastest
        for it, and the replicates that it would have alone. An expression of several
        (``"median(a) / mean(b)"``) has all of them on the same resamples in any case.
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
        True shows a bar (tqdm, where installed); a function is called with (done, total), which are
        bytes while a text file is read.
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
    beside = with_expressions(options)
    if by is not None:
        from bootfold._groups import bootstrap_by

        found: Any = bootstrap_by(by, options, beside)
        return found  # type: ignore[no-any-return]
    away = distributed(options)
    if away is not None:
        return away.run()
    call = call_of(**options, beside=beside)
    count, source = call.count, call.source
    if isinstance(source, StreamedTable):
        assert isinstance(count, int)
        core, shape = source.run(count, progress, call.checkpoint)
        named = source.named(core.outputs)
        return Result(core, shape, None, source.note, call.asked, named)
    if count == "exact":
        return exact_result(source, call.asked)
    with checkpointed(source, call.checkpoint):
        return run(source, count, call.precision, call.asked, progress)


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
    joint: bool = False,
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
    beside = with_expressions(options)
    if by is not None:
        raise ValueError(
            "by= is given but explain tells of one bootstrap; omit by, or explain the rows of one "
            "group"
        )
    away = distributed(options)
    if away is not None:
        return away.explain()
    call = call_of(**options, beside=beside)
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
