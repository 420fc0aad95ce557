"""Every group against a control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from bootfold import _core, _data
from bootfold._chunked import Column, whole
from bootfold._compared import NeedsRows, compare_partitioned
from bootfold._comparison_table import comparison_table
from bootfold._data import Array, Data
from bootfold._dates import check_no_dates, module_of
from bootfold._engines import Collection, collection_of
from bootfold._engines import Wanted as ColumnsWanted
from bootfold._expressions import columns_of, has_expressions, with_columns
from bootfold._expressions import texts_of as texts_of_statistics
from bootfold._function import FunctionSource
from bootfold._labels import Several, coded, missing_labels
from bootfold._native import Native
from bootfold._options import (
    Progress,
    Seed,
    checkpoint_path,
    number_of_replicates,
    precision_number,
)
from bootfold._partitioned import local_table
from bootfold._progress import reporter
from bootfold._source import Settings, row_numbers, set_labels, set_scheme, settings_of
from bootfold._statistics import Function, Named, Statistic, resolve
from bootfold._sums import Sums, SumsSource
from bootfold._table_read import Limits, Wanted, in_memory, limits_of
from bootfold._table_source import TableSource, table_source
from bootfold._xarray import values_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from bootfold._interval import Alternative, Method
    from bootfold._source import Rescale

Difference: TypeAlias = Literal["absolute", "relative"]
Correction: TypeAlias = Literal["none", "bonferroni", "holm", "simultaneous"]
Test: TypeAlias = Literal["bootstrap", "permutation"]

_LABELS = ("by", "strata", "clusters", "pair")


def _read(source: TableSource, roles: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """The columns of each role, of a table that is not in memory."""
    several = {
        role: list(name)
        for role, name in roles.items()
        if role in _LABELS and name is not None and not isinstance(name, str)
    }
    named = {role: name for role, name in roles.items() if isinstance(name, str)}
    for role, columns in several.items():
        named |= {f"{role} {number}": name for number, name in enumerate(columns)}
    for role, name in (*named.items(), *(("value", name) for name in roles["value"])):
        if name not in source.names:
            raise _unknown(role.split()[0], name, source.names)
    labels = {role: name for role, name in named.items() if role.split()[0] in _LABELS}
    numbers = {role: name for role, name in named.items() if role not in labels}
    used = dict.fromkeys([*roles["value"], *numbers.values()])
    held = in_memory(source, Wanted(list(used), labels), limits)
    values = [_data.Columns([name], [held.numbers[name]], True) for name in roles["value"]]
    found = {role: held.numbers[name] for role, name in numbers.items()}
    found_labels: dict[str, Any] = dict(held.labels)
    for role, columns in several.items():
        own = [found_labels.pop(f"{role} {number}") for number in range(len(columns))]
        found_labels[role] = own[0] if len(own) == 1 else Several(columns, own)
    return {"value": values, **found_labels, **found}


def plot_comparison(
    table: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    width: int = 480,
    height: int = 24,
) -> Any:
    """A forest plot of what `compare` returned, an Altair chart: differences and their intervals.

    Intervals are the adjusted ones; those that leave 0 out are drawn heavy. There is a panel for
    each statistic and value, and each group takes `height` pixels. With a path the chart is also
    written, as .png, .svg, .pdf, .html or .json, by the ending of the name.

    Examples
    --------
    >>> import bootfold as bf
    >>> visits = {"variant": ["A", "B"] * 50, "revenue": [float(i % 7) for i in range(100)]}
    >>> chart = bf.plot_comparison(bf.compare(visits, value="revenue", by="variant", seed=7))
    >>> chart.to_dict()["title"]
    'mean of revenue, difference from A'
    """
    from bootfold._plot import forest

    names = ("statistic", "value", "group", "control", "difference", "adjusted_low")
    try:
        columns = {name: list(table[name]) for name in (*names, "adjusted_high")}
    except (KeyError, TypeError, IndexError):
        raise TypeError(
            f"table is {type(table).__name__} but must be what bootfold.compare returned"
        ) from None
    rows = zip(*columns.values(), strict=True)
    lines = [
        {
            "name": str(group),
            "panel": f"{statistic} of {value}, difference from {control}",
            "estimate": float(estimate),
            "low": float(low),
            "high": float(high),
        }
        for statistic, value, group, control, estimate, low, high in (map(_plain, r) for r in rows)
    ]
    return forest(lines, path, (width, height), title="difference")


def _plain(value: Any) -> Any:
    return value.as_py() if hasattr(value, "as_py") else value


def _collection(df: Any, names: list[str], beside: list[str], engine: Any) -> Any:
    """The rows of a cluster's table; other tables as they are."""
    if module_of(df) == "xarray":
        df = values_of(df, None, None)[0]
    others = tuple(name for name in dict.fromkeys(beside) if name not in names)
    found = collection_of(df, ColumnsWanted(names, others), engine)
    if found is None and engine is not None:
        raise ValueError(
            f"engine is {engine!r} but the data are in the memory of this process; omit engine"
        )
    return df if found is None else found


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


def compare(
    df: Any,
    *,
    value: str | Sequence[str] | None = None,
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
    strata: str | Sequence[str] | None = None,
    clusters: str | Sequence[str] | None = None,
    pair: str | Sequence[str] | None = None,
    two_stage: bool = False,
    block_length: float | None = None,
    probabilities: str | None = None,
    weights: str | None = None,
    frequencies: str | None = None,
    covariate: str | None = None,
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
    """Compares every group with a control, by one statistic or several.

    Groups are independent samples, and each is bootstrapped on its own rows; docs/compare.md says
    what the numbers mean.

    Parameters
    ----------
    df : DataFrame of pandas or polars, pyarrow.Table, mapping of columns, path, query, ...
        Any table that `bootstrap` takes. Of files and queries only the columns that are named
        below are read. Groups of a dataframe of Dask or Spark or a Dataset of Ray are bootstrapped
        where the rows are, as `bootstrap` does it. What needs all rows in one place (permutation
        tests, BCa and studentized intervals, pairs, weights, clusters that groups share) takes
        these columns into the memory of this process, if they fit into the memory limit.
    value : str or list of str
        The column whose statistic is compared, or several: each by itself, for statistics of one
        column; all of them together for "ratio" and the like, and as arguments for functions.
    by : str
        The column that names each row's group.
    control : optional
        The group that the others are compared with. Unless given: the one called "control", else
        the first.
    groups : sequence, optional
        The groups to compare with it; all unless given.
    statistic : str, callable, bootfold.sums(...), or a list of these
        As in `bootstrap`: a name, a NumPy function that has a name here, or any function of the
        resampled values of a group that returns a number. With a list there is one comparison for
        each statistic, and for each value where it is of one column.
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
    strata, clusters : str or list of str, optional
        Columns with a label for each row, as in `bootstrap`. Clusters with rows in
        several groups, such as days that all shops see, are drawn once for all groups, so that
        what they share cancels in the difference; the column "note" says so.
    pair : str or list of str, optional
        Rows with the same value in this column are a pair, with one row in each group, and are
        drawn together: before and after of the same person.
    covariate : str, optional
        A column that was known before the experiment, such as the revenue of the months before.
        Means are adjusted for it by regression (CUPED), which takes the variance that it explains
        out of the differences. For "mean"; docs/compare.md has the formula.
    nan : {"error", "omit"}
        What to do about rows whose value or label is missing: raise an error, or leave them out.

    Returns
    -------
    table
        One row for each comparison and group but the control, in the kind of table given (of
        Parquet files, datasets, readers and queries a pyarrow.Table; of iterators a dictionary; of
        rows in a cluster a DataFrame of pandas): statistic,
        value, group, rows, estimate, estimate_low, estimate_high, control, control_rows,
        control_estimate, control_low, control_high, difference, standard_error, low, high,
        p_value, p_value_error, adjusted_low, adjusted_high, adjusted_p_value,
        adjusted_p_value_error, test, permutations, all_permutations, clusters, shared_clusters and
        note. The errors are Monte Carlo errors. `permutations` is 0 unless the test is
        "permutation"; if all_permutations is true these are all there are, and p_value is exact.
        `clusters` counts the clusters of all groups, and shared_clusters those of them that several
        groups have. estimate_low to estimate_high and control_low to control_high are intervals of
        the groups by themselves. ``table.plot()`` draws the forest plot; a pyarrow.Table is drawn
        by `bootfold.plot_comparison`.

    Examples
    --------
    >>> import bootfold as bf
    >>> visits = {"variant": ["A", "B"] * 50, "revenue": [float(i % 7) for i in range(100)]}
    >>> table = bf.compare(visits, value="revenue", by="variant", control="A", seed=7)
    >>> table["group"], round(table["difference"][0], 3)
    (['B'], 0.02)
    """
    given = dict(locals())
    statistics = _statistics(statistic)
    values = [] if value is None else [value] if isinstance(value, str) else list(value)
    names = list(values)
    if has_expressions(statistic):
        names = list(dict.fromkeys([*values, *columns_of(statistic)]))
        df = with_columns(df, names, texts_of_statistics(statistic))
    _check_values(values, statistics)
    if covariate is not None:
        _check_covariate(statistics, weights)
        names.append(covariate)
    roles = {
        "by": by,
        "strata": strata,
        "clusters": clusters,
        "pair": pair,
        "probabilities": probabilities,
        "weights": weights,
        "frequencies": frequencies,
    }
    settings = settings_of(seed, memory, threads, tolerance, nested_replicates, None)
    beside = [name for role in roles.values() if role for name in _names(role)]
    there = _collection(df, names, beside, engine)
    if isinstance(there, Collection):
        try:
            found_there = _where_rows_are(df, statistics, names, beside, settings.seed, given)
            return _joined("pandas", found_there)
        except NeedsRows as why:
            used = list(dict.fromkeys([*names, *beside]))
            what = f"compare ({why})"
            there = local_table(there, used, limits_of(memory, None).memory, what)
    df = there
    source = None if isinstance(df, Mapping) else table_source(df)
    if source is None:
        package = module_of(df)
        found_columns = {
            role: _labelled(role, name, lambda one, what: _column(df, one, what))
            for role, name in roles.items()
            if name is not None
        }
        columns = tuple(_column(df, name, "value") for name in names)
        for name, column in zip(names, columns, strict=True):
            check_no_dates(column, f"column '{name}'")
    else:
        package = source.package
        found_columns = _read(source, {**roles, "value": names}, limits_of(memory, spool, nan))
        columns = tuple(found_columns["value"])
    data = _data.read(columns, paired=True)
    set_scheme(settings, scheme, two_stage, size, block_length, rescale)
    omit = nan == "omit"
    codes, found = coded(found_columns["by"], data.rows, "by", omit=omit)
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
        settings.clusters = coded(found_columns["pair"], data.rows, "pair", omit=omit)[0]
    labels = (found_columns.get("strata"), found_columns.get("clusters"))
    set_labels(settings, *labels, data.rows, omit=omit)
    if omit:
        for role in ("by", "pair"):
            settings.leave_out(missing_labels(found_columns.get(role)))
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
    if covariate is not None:
        names.pop()
        data = _adjusted(data, codes, len(found))
    count = number_of_replicates(replicates)
    if count == "exact":
        raise ValueError(
            "replicates is 'exact' but the exact distribution of a difference of groups is not "
            "available; give a number or 'auto'"
        )
    limit = precision_number(precision, count)
    stored = checkpoint_path(checkpoint)
    if stored and len(statistics) > 1:
        raise ValueError(
            f"checkpoint is {stored!r} but there are {len(statistics)} statistics, and it holds "
            "one comparison; omit checkpoint, or compare one statistic at a time"
        )
    found_all: list[tuple[_core.Comparison, str]] = []
    for one in statistics:
        own_data, own_names = _own(one, data, names, values)
        request = _request_of(one, own_data, own_names, settings)
        own = count
        if own == "auto":
            own = _core.first_replicates(request, limit, interval, confidence, alternative)
        request.checkpoint = stored
        with reporter(progress, own) as tell:
            made = _core.compare_groups(
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
                own,
                limit or None,
                pair is not None,
                test,
                tell,
                not isinstance(one, Named),
            )
        named = isinstance(one, Named)
        found_all += [(each, ", ".join(each.columns if named else own_names)) for each in made]
    if stored:
        _core.remove_checkpoint(stored)
    return _joined(package, found_all)


def _joined(package: str, found: list[tuple[_core.Comparison, str]]) -> Any:
    """A table of comparisons, each of a value."""
    tables = [_columns(comparison, value) for comparison, value in found]
    columns = {key: [x for t in tables for x in t[key]] for key in tables[0]}
    return comparison_table(package, columns)


def _where_rows_are(
    df: Any,
    statistics: list[Statistic],
    names: list[str],
    beside: list[str],
    seed: int,
    given: dict[str, Any],
) -> list[tuple[_core.Comparison, str]]:
    """A comparison for each statistic and value of rows in a cluster; raises NeedsRows."""
    if given["covariate"] is not None:
        raise NeedsRows("values are adjusted for the covariate")
    found = []
    for one in statistics:
        if not isinstance(one, Named):
            raise NeedsRows("the statistic is a function of the rows of a group")
        name = one.names[0]
        each = [[value] for value in names] if _core.of_each_column(name) else [names]
        for own in each:
            rows = _collection(df, own, beside, given["engine"])
            found.append((compare_partitioned(rows, name, seed, given), ", ".join(own)))
    return found


def _statistics(statistic: Any) -> list[Statistic]:
    """What is asked for, one by one."""
    several = isinstance(statistic, (list, tuple))
    found = [resolve(one) for one in (statistic if several else [statistic])]
    if not found or any(isinstance(one, Named) and not one.single for one in found):
        raise TypeError(f"statistic is {statistic!r} but must be a statistic or a list of them")
    if any(isinstance(one, Native) for one in found):
        raise TypeError(
            f"statistic is {statistic!r} but compare takes no compiled functions; give a Python "
            "function or a name"
        )
    return found


def _check_covariate(statistics: list[Statistic], weights: str | None) -> None:
    for one in statistics:
        if not isinstance(one, Named) or one.names != ["mean"]:
            told = one.names[0] if isinstance(one, Named) else one.name
            raise ValueError(
                f"covariate adjusts means but the statistic is {told!r}; use 'mean', or omit "
                "covariate"
            )
    if weights is not None:
        raise ValueError("covariate and weights do not go together; omit one of them")


def _adjusted(data: Data, codes: Array, groups: int) -> Data:
    """The columns but the last, adjusted for it."""
    *values, covariate = (whole(array).astype(np.float64) for array in data.arrays)
    arrays: list[Column] = [
        np.array(_core.adjusted(column, covariate, codes, groups)[0]) for column in values
    ]
    return Data(arrays, data.parts[:-1])


def _check_values(values: list[str], statistics: list[Statistic]) -> None:
    """Only expressions name their columns."""
    for one in statistics:
        if values or (isinstance(one, Named) and "(" in one.names[0]):
            continue
        told = one.names[0] if isinstance(one, Named) else one.name
        raise TypeError(f"value is missing: name the column whose {told!r} is compared")


def _own(
    statistic: Statistic, data: Data, names: list[str], values: list[str]
) -> tuple[Data, list[str]]:
    """The columns that a statistic sees: an expression all, others those of value=."""
    if names == values or (isinstance(statistic, Named) and "(" in statistic.names[0]):
        return data, names
    kept = [names.index(name) for name in values]
    return Data([data.arrays[c] for c in kept], [data.parts[c] for c in kept]), values


def _request_of(
    statistic: Statistic, data: Data, names: list[str], settings: Settings
) -> _core.Request:
    """The rows and one statistic. Functions are kept alive by the request."""
    if isinstance(statistic, Function):
        function = FunctionSource(data, statistic, settings)
        request = settings.request(data.arrays, names)
        _core.add_function(request, function.of_group, statistic.name)
        return request
    if isinstance(statistic, Sums):
        sums = SumsSource(data, statistic, settings)
        request = settings.request(sums.features, [])
        _core.add_sums(request, sums.of_group, len(sums.features), statistic.name)
        return request
    assert isinstance(statistic, Named)
    request = settings.request(data.arrays, names)
    request.add_named(statistic.names[0])
    return request


def _names(name: str | Sequence[str]) -> list[str]:
    return [name] if isinstance(name, str) else list(name)


def _labelled(role: str, name: str | Sequence[str], column: Callable[[str, str], Any]) -> Any:
    """The column of a role; of labels, also several columns."""
    names = _names(name)
    if len(names) == 1:
        return column(names[0], role)
    return Several(names, [column(one, role) for one in names])


def _columns(comparison: _core.Comparison, value: str) -> dict[str, list[Any]]:
    first, *others = comparison.groups
    pairs = list(zip(others, comparison.contrasts, strict=True))
    return {
        "statistic": [comparison.statistic for _ in pairs],
        "value": [value for _ in pairs],
        "group": [group.name for group, _ in pairs],
        "rows": [group.rows for group, _ in pairs],
        "estimate": [group.estimate for group, _ in pairs],
        "estimate_low": [group.interval.low for group, _ in pairs],
        "estimate_high": [group.interval.high for group, _ in pairs],
        "control": [first.name for _ in pairs],
        "control_rows": [first.rows for _ in pairs],
        "control_estimate": [first.estimate for _ in pairs],
        "control_low": [first.interval.low for _ in pairs],
        "control_high": [first.interval.high for _ in pairs],
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
