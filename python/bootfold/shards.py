"""A bootstrap of rows that lie in several places: files, partitions, machines.

>>> import numpy as np
>>> import bootfold as bf
>>> x = np.random.default_rng(1).exponential(size=10_000)
>>> shards = [x[:3_000], x[3_000:3_001], x[3_001:]]
>>> looks = [bf.shards.look(shard, "mean") for shard in shards]      # one read of each shard
>>> plan = bf.shards.plan(bf.shards.join(looks), replicates=1_000, seed=7)
>>> first = np.cumsum([0] + [len(shard) for shard in shards])
>>> parts = [plan.part(shard, first=n) for shard, n in zip(shards, first)]
>>> result = plan.finish(sum(parts))
>>> whole = bf.bootstrap(x, "mean", replicates=1_000, seed=7)
>>> bool((result.replicates == whole.replicates).all())              # to the bit
True

Looks, plans and parts are small and pickle, so any scheduler can carry them between processes. A
shard may begin and end at any row and may be empty. Looks merge by ``|`` and parts by ``+``, in any
order and any grouping. Named statistics are served that are functions of sums ("mean", "variance",
"correlation", "regression", ...), quantiles of single columns, and any of data with few distinct
rows or with no more than 4,096 rows; schemes are "iid" and "poisson", and functions of sums also
take strata and clusters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from bootfold import _core
from bootfold._chunked import chunks_of
from bootfold._computed import inputs_of
from bootfold._data import Columns, column_names, read_shard
from bootfold._expressions import as_table, columns_of, has_expressions, with_columns
from bootfold._labels import coded, texts_of
from bootfold._options import (
    Seed,
    memory_bytes,
    number_of_replicates,
    seed_number,
    thread_number,
    whole_number,
)
from bootfold._result import Result
from bootfold._select import chosen, of_frame
from bootfold._source import rescaling_rate
from bootfold._statistics import Named, resolve
from bootfold._streamed import batch_source, recognised
from bootfold._table_read import limits_of
from bootfold._table_source import TableSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bootfold._chunked import Array
    from bootfold._core import Plan as Explanation
    from bootfold._source import Rescale

__all__ = ["Look", "Part", "Plan", "join", "look", "plan"]


def _labelled_rows(
    data: Any, columns: Any, labels: Any, what: str, usual: Sequence[str] = ()
) -> tuple[list[list[Array]], list[str], tuple[Array, list[str]]]:
    """The rows of a shard in memory, and their labels: an array, or the name of a column."""
    if columns is None and isinstance(labels, str) and usual:
        columns = list(usual)
    if columns is not None:
        data = as_table(with_columns(data, column_names(columns)))
    rows, found = chosen(data, columns, {what: labels}, limits_of(None, None))
    shard = read_shard(rows)
    names = shard.names if columns is None else column_names(columns)
    codes, texts = coded(found[what], shard.rows, what)
    return [chunks_of(column) for column in shard.arrays], names, (codes, texts_of(texts))


def _rows(
    data: Any, columns: Any, usual: Sequence[str] = ()
) -> _core.BatchSource | tuple[list[list[Array]], list[str]]:
    """The rows of a shard, of which there may be none: batch by batch, or as columns in memory.

    `usual` are the columns that are taken if `columns` are not given and the data have them.
    """
    given = recognised(data)
    table = isinstance(given, TableSource)
    if columns is None and usual and (table or hasattr(given, "columns")):
        there = given.names if table else getattr(given, "column_names", given.columns)
        columns = list(usual) if set(inputs_of(usual, there)) <= set(there) else None
    if columns is not None:
        given = as_table(with_columns(given, column_names(columns)))
    if isinstance(given, TableSource):
        seen = list(given.names) if columns is None else column_names(columns)
        given.check(seen)
        return batch_source(given, seen)
    found = read_shard(given if columns is None else of_frame(given, columns, {})[0])
    names = found.names if columns is None else column_names(columns)
    return [chunks_of(column) for column in found.arrays], names


class Look:
    """What is known of some rows. `look` makes it; looks at different rows merge by ``|``."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.ShardLook) -> None:
        self._core = core

    @property
    def rows(self) -> int:
        """The number of rows seen."""
        return self._core.rows

    def shifted(self, rows: int) -> Look:
        """The same look at rows that lie `rows` further on in the data."""
        moved = self._core.copy()
        moved.shift(whole_number("rows", rows, 0))
        return Look(moved)

    def __or__(self, other: Look) -> Look:
        if not isinstance(other, Look):
            return NotImplemented
        merged = self._core.copy()
        merged.merge(other._core)
        return Look(merged)

    def to_bytes(self) -> bytes:
        """For files that ``bootfold plan`` reads too."""
        return self._core.to_bytes()

    @staticmethod
    def from_bytes(data: bytes) -> Look:
        """What `to_bytes` or ``bootfold look`` wrote."""
        return Look(_core.ShardLook.from_bytes(data))

    def __reduce__(self) -> tuple[Any, ...]:
        return Look.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        names = self._core.statistics.replace("\n", ", ")
        return f"<Look at {self.rows:,} rows for {names}>"


def look(
    data: Any,
    statistic: Any,
    *,
    columns: str | Sequence[str] | None = None,
    strata: Any = None,
    clusters: Any = None,
    first: int = 0,
    memory: int | str | None = None,
    threads: int | None = None,
) -> Look:
    """Looks at the rows of a shard, which are read once.

    Parameters
    ----------
    data : array_like, DataFrame, Arrow object, path, dataset, iterator, ...
        The rows of the shard, as `bootfold.bootstrap` takes them; there may be none. Files,
        queries and iterators are read batch by batch. A path is all that a scheduler has to carry.
    statistic : str or list of str
        Names of statistics, the same for all shards.
    columns : str or list of str, optional
        The columns of a table that the statistic sees; all unless given.
    strata, clusters : array_like or column name, optional
        A label for each row of the shard, which is then read into memory. Rows are drawn within
        strata; clusters, which may have rows in several shards, are drawn whole. Labels of all
        shards must be of one type. `Plan.part` needs the labels as well.
    first : int
        The number of the shard's first row in the data, from 0. Where it is not known yet leave it
        out; `join` puts looks one after the other, and `Look.shifted` moves one.
    memory, threads
        As for `bootfold.bootstrap`; they change nothing.
    """
    named = resolve(statistic)
    if not isinstance(named, Named):
        raise TypeError(
            f"statistic is {statistic!r} but shards take names such as 'mean'; "
            "bootfold.statistics() lists them"
        )
    if columns is None and has_expressions(statistic) and not isinstance(data, Columns):
        columns = columns_of(statistic)
    options = (
        "\n".join(named.names),
        whole_number("first", first, 0),
        memory_bytes(memory),
        thread_number(threads),
    )
    if strata is not None and clusters is not None:
        raise ValueError("strata and clusters are both given; rows have either, not both")
    if strata is not None:
        arrays, names, labels = _labelled_rows(data, columns, strata, "strata")
        return Look(_core.shard_look(arrays, names, labels, None, *options))
    if clusters is not None:
        arrays, names, labels = _labelled_rows(data, columns, clusters, "clusters")
        return Look(_core.shard_look(arrays, names, None, labels, *options))
    rows = _rows(data, columns)
    if isinstance(rows, tuple):
        return Look(_core.shard_look(rows[0], rows[1], None, None, *options))
    return Look(_core.shard_look_at_source(rows, *options))


def join(looks: Iterable[Look]) -> Look:
    """The look at shards that follow each other in this order, each looked at from row 0 on."""
    joined: Look | None = None
    for one in looks:
        joined = one if joined is None else joined | one.shifted(joined.rows)
    if joined is None:
        raise ValueError("there are no looks to join; give at least one")
    return joined


class Part:
    """The sums of some rows in some replicates. `Plan.part` makes it; parts merge by ``+``."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.ShardPart) -> None:
        self._core = core

    def __add__(self, other: Part) -> Part:
        if not isinstance(other, Part):
            return NotImplemented
        merged = self._core.copy()
        merged.merge(other._core)
        return Part(merged)

    def __radd__(self, other: Literal[0]) -> Part:
        return self if other == 0 else NotImplemented  # where sum() begins

    def to_bytes(self) -> bytes:
        """For files that ``bootfold merge`` reads too."""
        return self._core.to_bytes()

    @staticmethod
    def from_bytes(data: bytes) -> Part:
        """What `to_bytes` or ``bootfold part`` wrote."""
        return Part(_core.ShardPart.from_bytes(data))

    def __reduce__(self) -> tuple[Any, ...]:
        return Part.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"<Part: {self._core.describe()}>"


class Plan:
    """How shards are added up. `plan` makes it from the look at all rows; it pickles."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.ShardPlan) -> None:
        self._core = core

    @property
    def explanation(self) -> Explanation:
        """Path, cost and fingerprint, as `bootfold.explain` has them."""
        return self._core.plan

    @property
    def needs_parts(self) -> bool:
        """Whether shards have to be read again. Otherwise ``plan.finish()`` has the result."""
        return self._core.needs_parts

    def part(
        self,
        data: Any,
        *,
        columns: str | Sequence[str] | None = None,
        labels: Any = None,
        first: int = 0,
        replicates: tuple[int, int] | range | None = None,
        threads: int | None = None,
    ) -> Part:
        """Adds up the rows first, first + 1, ... of the data.

        Parameters
        ----------
        data : array_like, DataFrame, Arrow object, path, dataset, iterator, ...
            The rows of the shard, which `look` saw.
        columns : str or list of str, optional
            The columns of a table that were looked at; found by their names unless given.
        labels : array_like or column name, optional
            The strata or clusters of the rows, if looks had them.
        first : int
            The number of its first row in the data, from 0.
        replicates : tuple or range, optional
            Replicates (start, stop) of the plan, for jobs that split these as well; all unless
            given.
        threads : int, optional
            All cores unless given. Never changes a result.
        """
        if isinstance(replicates, range):
            if replicates.step != 1:
                raise ValueError(f"replicates is {replicates} but its step must be 1")
            replicates = (replicates.start, replicates.stop)
        asked: tuple[int, int] | None = None
        if replicates is not None:
            start, stop = replicates
            asked = (whole_number("replicates", start, 0), whole_number("replicates", stop, 1))
        options = (whole_number("first", first, 0), asked, thread_number(threads))
        if labels is not None:
            arrays, names, coding = _labelled_rows(
                data, columns, labels, "labels", self._core.columns
            )
            return Part(self._core.part(arrays, names, coding, *options))
        rows = _rows(data, columns, self._core.columns)
        if isinstance(rows, tuple):
            return Part(self._core.part(rows[0], rows[1], None, *options))
        return Part(self._core.part_of_source(rows, *options))

    def finish(self, part: Part | None = None) -> Result:
        """The result, from the sum of all parts."""
        core = self._core.finish(self._core.empty() if part is None else part._core)
        names = self._core.statistics.split("\n")
        count = len(core.outputs)
        return Result(core, () if count == 1 and len(names) == 1 else (count,))

    def to_bytes(self) -> bytes:
        """For files that ``bootfold part`` and ``bootfold merge`` read too."""
        return self._core.to_bytes()

    @staticmethod
    def from_bytes(
        data: bytes, *, memory: int | str | None = None, threads: int | None = None
    ) -> Plan:
        """What `to_bytes` or ``bootfold plan`` wrote, for this machine."""
        return Plan(_core.ShardPlan.from_bytes(data, memory_bytes(memory), thread_number(threads)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Plan.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        plan = self._core.plan
        return f"<Plan of {plan.replicates:,} replicates of {plan.rows:,} rows by path {plan.path}>"


def plan(
    look: Look,
    *,
    replicates: int | None = None,
    first_replicate: int = 0,
    seed: Seed = 0,
    scheme: Literal["iid", "poisson"] = "iid",
    size: int | None = None,
    rescale: Rescale = "sqrt",
    tolerance: float = 1e-5,
    memory: int | str | None = None,
    threads: int | None = None,
) -> Plan:
    """Plans from the look at all rows; the arguments are those of `bootfold.bootstrap`."""
    if scheme not in ("iid", "poisson"):
        raise ValueError(f"scheme is {scheme!r} but shards are drawn by 'iid' or 'poisson'")
    count = number_of_replicates(replicates)
    if not isinstance(count, int):
        raise ValueError(f"replicates is {replicates!r} but shards need a number")
    return Plan(
        _core.shard_plan(
            look._core,
            count,
            whole_number("first_replicate", first_replicate, 0),
            seed_number(seed),
            scheme == "poisson",
            0 if size is None else whole_number("size", size, 1),
            tolerance,
            rescaling_rate(rescale, size),
            memory_bytes(memory),
            thread_number(threads),
        )
    )
