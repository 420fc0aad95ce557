"""Every group against a control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bootfold import _core, _data
from bootfold._compared import NeedsRows, compare_partitioned
from bootfold._comparison_rows import (
    column_of,
    labelled,
    names_of_role,
    read_roles,
    rows_beside,
    rows_of_cluster,
    told_as,
    with_arrays,
)
from bootfold._comparison_statistics import (
    adjusted,
    check_covariate,
    check_values,
    own_columns,
    request_of,
    statistics_of,
    take_rows,
)
from bootfold._comparison_table import joined_table
from bootfold._computed import is_computed
from bootfold._dates import module_of
from bootfold._engines import Collection
from bootfold._expressions import as_table, columns_of, in_cluster, texts_of, with_columns
from bootfold._labels import coded, label_meant, label_text, missing_labels
from bootfold._numbers import comparing
from bootfold._options import (
    Progress,
    Seed,
    checkpoint_path,
    number_of_replicates,
    precision_number,
)
from bootfold._partitioned import local_table
from bootfold._progress import reporter
from bootfold._source import row_numbers, set_labels, set_scheme, settings_of
from bootfold._statistics import Named, Statistic
from bootfold._table_read import limits_of
from bootfold._table_source import table_source
from bootfold._table_whole import frame_of_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from bootfold._interval import Alternative, Method
    from bootfold._source import Rescale

Difference: TypeAlias = Literal["absolute", "relative"]
Correction: TypeAlias = Literal["none", "bonferroni", "holm", "simultaneous"]
Test: TypeAlias = Literal["bootstrap", "permutation"]


@comparing
def compare(
    df: Any,
    *,
    value: Any = None,
    by: Any,
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
    strata: Any = None,
    clusters: Any = None,
    pair: Any = None,
    two_stage: bool = False,
    block_length: float | None = None,
    probabilities: Any = None,
    weights: Any = None,
    frequencies: Any = None,
    covariate: Any = None,
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
    value : str or list of str, optional
        The column whose statistic is compared, or an expression of a row such as "clicks / views";
        or several: each by itself, for statistics of one
        column; all of them together for "ratio" and the like, and as arguments for functions.
        Not given where the statistics name their columns, or are functions of whole rows.
    by : str or list of str
        The column that names each row's group; with several columns, groups are the combinations
        that occur, called "UA, 1". Of a table in memory all columns that are named here and below
        may also be given as Series or arrays with one value for each row.
    control : optional
        The group that the others are compared with; a combination as ``("UA", 1)`` or "UA, 1".
        Unless given: the one called "control", else the first.
    groups : sequence, optional
        The groups to compare with it; all unless given.
    statistic : str, callable, bootfold.sums(...), or a list of these
        As in `bootstrap`: a name, a NumPy function that has a name here, or any function of the
        resampled values of a group that returns a number. Without value= a function gets the
        resampled rows of a group, as a frame of the columns that have no other use. With a list
        there is one comparison for each statistic, and for each value where it is of one column.
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
        A column, or an expression of a row, that was known before the experiment, such as the
        revenue of the months before. Means are adjusted for it by regression (CUPED), which takes
        the variance that it explains out of the differences. For "mean" and "mean(COLUMN)";
        docs/compare.md has the formula.
    nan : {"error", "omit"}
        What to do about rows whose value or label is missing: raise an error, or leave them out.

    Returns
    -------
    table
        One row for each comparison and group but the control, in the kind of table given (of
        files, datasets, readers and queries a pyarrow.Table; of iterators, and where pyarrow is not
        installed, a dictionary; of
        rows in a cluster a DataFrame of pandas): statistic,
        value, group, rows, estimate, estimate_low, estimate_high, control, control_rows,
        control_estimate, control_low, control_high, difference, standard_error, low, high,
        p_value, p_value_error, adjusted_low, adjusted_high, adjusted_p_value,
        adjusted_p_value_error, test, permutations, all_permutations, clusters, shared_clusters and
        note. The errors are Monte Carlo errors. `permutations` is 0 unless the test is
        "permutation"; if all_permutations is true these are all there are, and p_value is exact.
        `clusters` counts the clusters of all groups, and shared_clusters those of them that several
        groups have. estimate_low to estimate_high and control_low to control_high are intervals of
        the groups by themselves. ``table.plot()`` draws the forest plot. What is returned for Arrow
        has this method beside those of a pyarrow.Table, and is one as ``table.table``.

    Examples
    --------
    >>> import bootfold as bf
    >>> visits = {"variant": ["A", "B"] * 50, "revenue": [float(i % 7) for i in range(100)]}
    >>> table = bf.compare(visits, value="revenue", by="variant", control="A", seed=7)
    >>> table["group"], round(table["difference"][0], 3)
    (['B'], 0.02)
    """
    given = {
        **{"value": value, "by": by, "strata": strata, "clusters": clusters, "pair": pair},
        **{"probabilities": probabilities, "weights": weights, "frequencies": frequencies},
        "covariate": covariate,
    }
    df, given = with_arrays(df, given, columns_of(statistic))
    value, by, strata, clusters, pair, probabilities, weights, frequencies, covariate = (
        given.values()
    )
    if not isinstance(by, str) and len(by) == 1:
        by = by[0]
    given = dict(locals())
    statistics = statistics_of(statistic)
    values = [] if value is None else [value] if isinstance(value, str) else list(value)
    names = [*values, *(name for name in columns_of(statistic) if name not in values)]
    texts = texts_of(statistic)
    options = dict.fromkeys(names, "statistic") | dict.fromkeys(values, "value")
    whole = take_rows(values, statistics) and engine is None and not in_cluster(df)
    if not whole:
        check_values(values, statistics)
    if covariate is not None:
        check_covariate(statistics, weights)
        names.append(covariate)
        options.setdefault(covariate, "covariate")
    with told_as(options):
        checked = [name for name in names if options[name] == "statistic" or is_computed(name, ())]
        if engine is None and checked:
            df = with_columns(df, checked, texts)
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
    beside = [name for role in roles.values() if role for name in names_of_role(role)]
    there = rows_of_cluster(df, names, beside, engine)
    if isinstance(there, Collection):
        try:
            found_there = _where_rows_are(df, statistics, names, beside, settings.seed, given)
            return joined_table("pandas", found_there)
        except NeedsRows as why:
            what = f"compare ({why})"
            there = local_table(there, there.used, limits_of(memory, None).memory, what)
            there = with_columns(there, checked, texts)
    df = there
    source = None if isinstance(df, Mapping) else table_source(df)
    package = module_of(df) if source is None else source.package
    if whole and (source is not None or isinstance(df, Mapping)):
        rows = as_table(df) if source is None else source
        df, source = frame_of_rows(rows, limits_of(memory, spool, nan, progress)), None
    if source is None:
        found_columns = {
            role: labelled(role, name, lambda one, what: column_of(df, one, what))
            for role, name in roles.items()
            if name is not None
        }
        columns = tuple(column_of(df, name, options[name]) for name in names)
        for name, column in zip(names, columns, strict=True):
            _data.check_numbers(column, name)
    else:
        found_columns = read_roles(
            source, {**roles, "value": names}, options, limits_of(memory, spool, nan, progress)
        )
        columns = tuple(found_columns["value"])
    data = _data.read(rows_beside(df, roles) if whole else columns, paired=True, whole=whole)
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
        dropped = _data.rows_with_nan(data)
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
        data = adjusted(data, codes, len(found))
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
    if stored and whole:
        raise ValueError(
            f"checkpoint is {stored!r} but the statistic gets whole rows, which are not compared "
            "with those of the file; omit checkpoint, or name columns by value="
        )
    texts_of_groups = [label_text(name) for name in found]
    found_all: list[tuple[_core.Comparison, str]] = []
    for one in statistics:
        own_data, own_names = (data, data.names) if whole else own_columns(one, data, names, values)
        request = request_of(one, own_data, own_names, settings)
        own = count
        if own == "auto":
            own = _core.first_replicates(request, limit, interval, confidence, alternative)
        request.checkpoint = stored
        with reporter(progress, own) as tell:
            made = _core.compare_groups(
                request,
                codes,
                texts_of_groups,
                ", ".join(names_of_role(by)),
                None if control is None else label_meant(control, texts_of_groups),
                [label_meant(group, texts_of_groups) for group in groups or ()],
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
        told = [] if whole else own_names
        found_all += [(each, ", ".join(each.columns if named else told)) for each in made]
    if stored:
        _core.remove_checkpoint(stored)
    return joined_table(package, found_all)


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
    if not isinstance(given["by"], str):
        raise NeedsRows("groups are by several columns")
    found = []
    for one in statistics:
        if not isinstance(one, Named):
            raise NeedsRows("the statistic is a function of the rows of a group")
        name = one.names[0]
        each = [[value] for value in names] if _core.of_each_column(name) else [names]
        for own in each:
            rows = rows_of_cluster(df, own, beside, given["engine"])
            found.append((compare_partitioned(rows, name, seed, given), ", ".join(own)))
    return found
