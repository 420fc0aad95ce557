"""Every group against a control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bootfold import _core, _data
from bootfold._dates import check_no_dates, module_of
from bootfold._engines import Wanted as ColumnsWanted
from bootfold._engines import collection_of
from bootfold._labels import coded
from bootfold._options import (
    Progress,
    Seed,
    checkpoint_path,
    number_of_replicates,
    precision_number,
)
from bootfold._partitioned import local_table
from bootfold._progress import reporter
from bootfold._source import row_numbers, set_scheme, settings_of
from bootfold._statistics import Named, resolve
from bootfold._table_read import Limits, Wanted, in_memory, limits_of
from bootfold._table_source import TableSource, table_source
from bootfold._xarray import values_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from bootfold._interval import Alternative, Method
    from bootfold._source import Rescale

Difference: TypeAlias = Literal["absolute", "relative"]
Correction: TypeAlias = Literal["none", "bonferroni", "holm", "simultaneous"]
Test: TypeAlias = Literal["bootstrap", "permutation"]

_LABELS = ("by", "strata", "clusters", "pair")


def _read(source: TableSource, roles: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """The columns of each role, of a table that is not in memory."""
    named = {role: name for role, name in roles.items() if isinstance(name, str)}
    for role, name in (*named.items(), *(("value", name) for name in roles["value"])):
        if name not in source.names:
            raise _unknown(role, name, source.names)
    labels = {role: name for role, name in named.items() if role in _LABELS}
    numbers = {role: name for role, name in named.items() if role not in _LABELS}
    used = dict.fromkeys([*roles["value"], *numbers.values()])
    held = in_memory(source, Wanted(list(used), labels), limits)
    values = [_data.Columns([name], [held.numbers[name]], True) for name in roles["value"]]
    found = {role: held.numbers[name] for role, name in numbers.items()}
    return {"value": values, **held.labels, **found}


def _gathered(df: Any, columns: list[str], memory: int | str | None, engine: Any) -> Any:
    """The columns of a cluster's table in this process; other tables as they are."""
    if module_of(df) == "xarray":
        df = values_of(df, None, None)[0]
    used = list(dict.fromkeys(columns))
    found = collection_of(df, ColumnsWanted(used), engine)
    if found is None:
        if engine is not None:
            raise ValueError(
                f"engine is {engine!r} but the data are in the memory of this process; omit engine"
            )
        return df
    return local_table(found, used, limits_of(memory, None).memory, "compare")


def _unknown(role: str, name: str, there: Sequence[Any]) -> ValueError:
    return ValueError(
        f"{role} is {name!r} but there is no such column; the columns are "
        + ", ".join(map(str, there))
    )


def _column(frame: Any, name: str, role: str) -> Any:
    there = list(frame.column_names) if module_of(frame) == "pyarrow" else list(frame)
    if hasattr(frame, "columns") and module_of(frame) in ("pandas", "polars"):
        there = list(frame.columns)
    if name not in there:
        raise _unknown(role, name, there)
    return frame[name]


def _table(module: str, columns: dict[str, list[Any]]) -> Any:
    """The columns as a table of a package."""
    if module == "polars":
        import polars

        return polars.DataFrame(columns)
    if module == "pyarrow":
        import pyarrow

        return pyarrow.table(columns)
    if module == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    return columns


def compare(
    df: Any,
    *,
    value: str | Sequence[str],
    by: str,
    control: Any = None,
    groups: Sequence[Any] | None = None,
    statistic: Any = "mean",
    difference: Difference = "absolute",
    interval: Method = "percentile",
    correction: Correction = "none",
    test: Test = "bootstrap",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    replicates: int | Literal["auto"] = 10_000,
    precision: float | None = None,
    nested_replicates: int = 50,
    seed: Seed = 0,
    scheme: str | None = None,
    strata: str | None = None,
    clusters: str | None = None,
    pair: str | None = None,
    two_stage: bool = False,
    block_length: float | None = None,
    probabilities: str | None = None,
    weights: str | None = None,
    frequencies: str | None = None,
    size: int | None = None,
    rescale: Rescale = "sqrt",
    nan: Literal["error", "omit"] = "error",
    tolerance: float = 1e-5,
    threads: int | None = None,
    memory: int | str | None = None,
    spool: int | str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress = False,
    engine: Any = None,
) -> Any:
    """Compares every group with a control, by one statistic.

    Groups are independent samples, and each is bootstrapped on its own rows; docs/compare.md says
    what the numbers mean.

    Parameters
    ----------
    df : DataFrame of pandas or polars, pyarrow.Table, mapping of columns, path, query, ...
        Any table that `bootstrap` takes. Of files and queries only the columns that are named
        below are read. Of a dataframe of Dask or Spark or a Dataset of Ray these columns are taken
        into the memory of this process, if they fit into the memory limit.
    value : str or list of str
        The column whose statistic is compared; two for "ratio" and the like.
    by : str
        The column that names each row's group.
    control : optional
        The group that the others are compared with. Unless given: the one called "control", else
        the first.
    groups : sequence, optional
        The groups to compare with it; all unless given.
    statistic : str or callable
        A name, or a NumPy function that has a name here.
    difference : {"absolute", "relative"}
        group - control, or that as a share of the control: the lift.
    interval : str
        As in `Result.interval`; all but "abc".
    correction : {"none", "bonferroni", "holm", "simultaneous"}
        What is done about many groups giving many chances to be wrong.
    test : {"bootstrap", "permutation"}
        Where p-values come from: the error level at which the interval excludes 0, or the share of
        relabellings of the rows (or clusters, or pairs) with such a difference. All relabellings
        are taken if there are at most 100,000, otherwise `replicates` random ones.
    confidence, alternative, nested_replicates, seed, tolerance, threads, memory, spool,
    progress, engine
        As in `bootstrap`.
    checkpoint : str or path-like, optional
        A file in which the replicates of the groups are stored, as in `bootstrap`. The same call
        goes on from there after an interruption. It is deleted when the comparison is complete.
    replicates : int or "auto"
        The number of resamples of every group. "auto": as many as the precision takes.
    precision : float, optional
        For replicates="auto": the largest Monte Carlo error of a limit, as a share of the standard
        error of its difference; 0.01 unless given.
    scheme, two_stage, block_length, size, rescale
        How each group draws its rows, as in `bootstrap`.
    weights, frequencies, probabilities : str, optional
        Columns with a number for each row, as in `bootstrap`: weights of the statistic, how many
        equal rows a row stands for, or with which probability a group draws it.
    strata, clusters : str, optional
        Columns with a label for each row, as in `bootstrap`. Clusters with rows in
        several groups, such as days that all shops see, are drawn once for all groups, so that
        what they share cancels in the difference; the column "note" says so.
    pair : str, optional
        Rows with the same value in this column are a pair, with one row in each group, and are
        drawn together: before and after of the same person.
    nan : {"error", "omit"}
        What to do about rows whose value is NaN: raise an error, or leave them out.

    Returns
    -------
    table
        One row for each group but the control, in the kind of table given (of Parquet files,
        datasets, readers and queries a pyarrow.Table; of iterators a dictionary): group, rows,
        estimate, control, control_rows, control_estimate, difference, standard_error, low, high,
        p_value, p_value_error, adjusted_low, adjusted_high, adjusted_p_value,
        adjusted_p_value_error, test, permutations, all_permutations, clusters, shared_clusters and
        note. The errors are Monte Carlo errors. `permutations` is 0 unless the test is
        "permutation"; if all_permutations is true these are all there are, and p_value is exact.
        `clusters` counts the clusters of all groups, and shared_clusters those of them that several
        groups have.

    Examples
    --------
    >>> import bootfold as bf
    >>> visits = {"variant": ["A", "B"] * 50, "revenue": [float(i % 7) for i in range(100)]}
    >>> table = bf.compare(visits, value="revenue", by="variant", control="A", seed=7)
    >>> table["group"], round(table["difference"][0], 3)
    (['B'], 0.02)
    """
    wanted = resolve(statistic)
    if not isinstance(wanted, Named) or not wanted.single:
        raise TypeError(
            f"statistic is {statistic!r} but compare takes one that has a name, such as 'mean'"
        )
    names = [value] if isinstance(value, str) else list(value)
    roles = {
        "by": by,
        "strata": strata,
        "clusters": clusters,
        "pair": pair,
        "probabilities": probabilities,
        "weights": weights,
        "frequencies": frequencies,
    }
    df = _gathered(df, [*names, *(name for name in roles.values() if name)], memory, engine)
    source = None if isinstance(df, Mapping) else table_source(df)
    if source is None:
        package = module_of(df)
        found_columns = {
            role: _column(df, name, role) for role, name in roles.items() if name is not None
        }
        columns = tuple(_column(df, name, "value") for name in names)
        for name, column in zip(names, columns, strict=True):
            check_no_dates(column, f"column '{name}'")
    else:
        package = source.package
        found_columns = _read(source, {**roles, "value": names}, limits_of(memory, spool))
        columns = tuple(found_columns["value"])
    data = _data.read(columns, paired=True)
    settings = settings_of(seed, memory, threads, tolerance, nested_replicates, None)
    set_scheme(settings, scheme, two_stage, size, block_length, rescale)
    codes, found = coded(found_columns["by"], data.rows, "by")
    for role in ("probabilities", "weights", "frequencies"):
        if role in found_columns:
            setattr(settings, role, row_numbers(found_columns[role], data.rows, role))
    if pair is not None and clusters is not None:
        raise ValueError(
            f"pair is {pair!r} and clusters is {clusters!r} but pairs are clusters already; give "
            "one of the two"
        )
    if pair is not None and frequencies is not None:
        raise ValueError(
            "pair and frequencies do not go together: a pair has one row in every group; write the "
            "rows out, and number the pairs"
        )
    if pair is not None:
        settings.clusters = coded(found_columns["pair"], data.rows, "pair")[0]
    if clusters is not None:
        settings.clusters = coded(found_columns["clusters"], data.rows, "clusters")[0]
    if strata is not None:
        settings.strata = coded(found_columns["strata"], data.rows, "strata")[0]
    if nan == "omit":
        dropped = _data.nan_rows(data.arrays)
        unknown = settings.with_nan()
        if unknown is not None:
            dropped = dropped | unknown
        if dropped.any():
            settings = settings.without_rows(dropped)
            data.arrays = [array[~dropped] for array in data.arrays]
            codes, found = coded(found[codes[~dropped]], data.rows, "by")
    elif nan == "error":
        _data.check_no_nan(data)
    else:
        raise ValueError(f"nan is {nan!r} but must be 'error' or 'omit'")
    request = settings.request(data.arrays, names)
    request.add_named(wanted.names[0])
    count = number_of_replicates(replicates)
    if count == "exact":
        raise ValueError(
            "replicates is 'exact' but the exact distribution of a difference of groups is not "
            "available; give a number or 'auto'"
        )
    limit = precision_number(precision, count)
    if count == "auto":
        count = _core.first_replicates(request, limit, interval, confidence, alternative)
    request.checkpoint = checkpoint_path(checkpoint)
    with reporter(progress, count) as tell:
        comparison = _core.compare_groups(
            request,
            codes,
            [str(name) for name in found],
            by,
            None if control is None else str(control),
            [] if groups is None else [str(group) for group in groups],
            difference,
            interval,
            correction,
            confidence,
            alternative,
            count,
            limit or None,
            pair is not None,
            test,
            tell,
        )
    if request.checkpoint:
        _core.remove_checkpoint(request.checkpoint)
    return _table(package, _columns(comparison))


def _columns(comparison: _core.Comparison) -> dict[str, list[Any]]:
    first, *others = comparison.groups
    pairs = list(zip(others, comparison.contrasts, strict=True))
    return {
        "group": [group.name for group, _ in pairs],
        "rows": [group.rows for group, _ in pairs],
        "estimate": [group.estimate for group, _ in pairs],
        "control": [first.name for _ in pairs],
        "control_rows": [first.rows for _ in pairs],
        "control_estimate": [first.estimate for _ in pairs],
        "difference": [contrast.estimate for _, contrast in pairs],
        "standard_error": [contrast.standard_error for _, contrast in pairs],
        "low": [contrast.interval.low for _, contrast in pairs],
        "high": [contrast.interval.high for _, contrast in pairs],
        "p_value": [contrast.p_value for _, contrast in pairs],
        "p_value_error": [contrast.p_value_error for _, contrast in pairs],
        "adjusted_low": [contrast.adjusted_interval.low for _, contrast in pairs],
        "adjusted_high": [contrast.adjusted_interval.high for _, contrast in pairs],
        "adjusted_p_value": [contrast.adjusted_p_value for _, contrast in pairs],
        "adjusted_p_value_error": [contrast.adjusted_p_value_error for _, contrast in pairs],
        "test": [comparison.test for _ in pairs],
        "permutations": [contrast.permutations for _, contrast in pairs],
        "all_permutations": [contrast.all_permutations for _, contrast in pairs],
        "clusters": [comparison.clusters for _ in pairs],
        "shared_clusters": [comparison.shared_clusters for _ in pairs],
        "note": ["; ".join(note.text for note in contrast.notes) for _, contrast in pairs],
    }
