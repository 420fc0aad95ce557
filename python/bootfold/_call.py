"""The arguments of `bootstrap` and `explain`, checked and brought together."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

from bootfold import _core
from bootfold._counts import check_takes
from bootfold._exact import check_exact
from bootfold._expressions import columns_beside, in_cluster, prepared
from bootfold._interval import NOTHING, Asked
from bootfold._made_source import made_source
from bootfold._options import checkpoint_path, number_of_replicates, precision_number
from bootfold._select import chosen
from bootfold._source import set_scheme, settings_of
from bootfold._statistics import Function, Named, resolve
from bootfold._streamed import StreamedTable, recognised, streamed
from bootfold._table_read import LargerThanMemory, limits_of
from bootfold._table_whole import with_texts

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from bootfold._counts import Takes
    from bootfold._data import NanPolicy
    from bootfold._distributed import Split
    from bootfold._interval import Alternative, Method
    from bootfold._options import Progress, Replicates, Seed
    from bootfold._source import Rescale, Source

_NAN_POLICIES = ("error", "omit", "propagate")


def with_expressions(options: dict[str, Any]) -> tuple[str, ...]:
    """Gives the data the columns of expressions; the columns of the statistics beside these."""
    statistic, given = options["statistic"], options["columns"]
    beside = columns_beside(statistic, given)
    if options["engine"] is None and not in_cluster(options["data"]):
        options["data"], options["columns"] = prepared(options["data"], statistic, given)
    return beside  # workers prepare the rows that they get


@dataclasses.dataclass(slots=True)
class Call:
    """The arguments of `bootstrap` or `explain`, checked and brought together."""

    count: int | Literal["auto", "exact"]
    precision: float
    asked: Asked
    checkpoint: str
    source: Source | StreamedTable


def call_of(
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
    joint: bool,
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
) -> Call:
    jackknife = scheme == "jackknife"
    count = number_of_replicates(replicates, jackknife=jackknife)
    wanted = precision_number(precision, count)
    usual: Method = "normal" if jackknife else "percentile"
    asked = Asked(usual if interval is None else interval, confidence, alternative)
    settings = settings_of(seed, memory, threads, tolerance, nested_replicates, path, joint)
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
    limits = limits_of(memory, spool, nan, progress)
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
        and not joint
        and all(other is None for other in others)
    ):
        stream = streamed(given, columns, named, settings, limits.memory)
    if stream is not None and stream.larger:
        return Call(count, wanted, asked, checkpoint_path(checkpoint), stream)
    limits = dataclasses.replace(limits, may_spool=stream is None)
    if takes == "resample":
        given = with_texts(given, named, columns, roles, limits)
    try:
        given, roles = chosen(given, columns, roles, limits)
    except LargerThanMemory:
        assert stream is not None
        return Call(count, wanted, asked, checkpoint_path(checkpoint), stream)
    source = made_source(given, named, settings, roles, paired, axis, nan, takes)
    if count == "exact":
        check_exact(path, asked)
    else:
        _core.check_method(asked.method, source.request)
    return Call(count, wanted, asked, checkpoint_path(checkpoint), source)
