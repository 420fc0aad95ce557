"""Bootstraps of rows in partitions: a look at each, a plan, a part of each, the result.

All of it is `bootfold.shards`; an engine runs the tasks (`Collection.fold`).
"""

from __future__ import annotations

import contextlib
import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core, shards
from bootfold._data import Data, Part
from bootfold._engines import bytes_of, raised
from bootfold._expressions import has_expressions
from bootfold._interval import NOTHING, asked_of
from bootfold._named import NamedSource
from bootfold._options import memory_bytes, number_of_replicates
from bootfold._pieces import BLOCK, Reader, check_rows, grouped, label_hashes, together
from bootfold._progress import reporter, stage
from bootfold._result import Result
from bootfold._source import Settings
from bootfold._statistics import Named, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bootfold._chunked import Array, Column
    from bootfold._engines import Collection, Share

#: Arguments of `bootstrap` that need all rows in one place, and what they are unless given.
_WHOLE = {
    **dict.fromkeys(("block_length", "probabilities", "weights")),
    **{"frequencies": None, "path": None, "checkpoint": None, "vectorized": None},
    **{"paired": False, "two_stage": False, "takes": "resample", "joint": False},
}


@dataclass(frozen=True, slots=True)
class _Seen:
    """A look at consecutive partitions, and how many rows each has."""

    look: shards.Look | None  #: None: no rows
    rows: list[int]


@dataclass(frozen=True, slots=True)
class _Work:
    """What the tasks of a call share."""

    reader: Reader
    names: list[str]  #: of the statistics
    threads: int | None
    memory: int | None
    plan: bytes = b""
    groups: tuple[tuple[int, int], ...] = ()  #: of partitions: first row, number of rows
    role: str = ""  #: "strata" or "clusters", if rows have labels

    def limits(self, share: Share) -> dict[str, Any]:
        return {"threads": self.threads or share.threads, "memory": self.memory or share.memory}


def _look(work: _Work, pieces: Iterable[Any], number: int, share: Share) -> _Seen:
    found: shards.Look | None = None
    rows = 0
    for columns, labels in together(map(work.reader, pieces), math.inf if work.role else 0):
        given: dict[str, Any] = {work.role: labels[0]} if work.role else {}
        one = shards.look(columns, work.names, first=rows, **given, **work.limits(share))
        found = one if found is None else found | one
        rows += one.rows
    return _Seen(found, [rows])


def _clusters(work: _Work, pieces: Iterable[Any], number: int, share: Share) -> Array:
    """Hashes of the clusters of a partition."""
    return _union([label_hashes(labels[0]) for _, labels in map(work.reader, pieces)])


def _union(hashes: list[Array]) -> Array:
    return np.unique(np.concatenate([np.zeros(0, np.uint64), *hashes]))


def _joined(seen: list[_Seen]) -> _Seen:
    looks = [one.look for one in seen if one.look is not None]
    return _Seen(shards.join(looks) if looks else None, [n for one in seen for n in one.rows])


def _part(work: _Work, pieces: Iterable[Any], number: int, share: Share) -> shards.Part | None:
    limits = work.limits(share)
    plan = shards.Plan.from_bytes(work.plan, **limits)
    first, expected = work.groups[number] if number < len(work.groups) else (0, 0)
    found: shards.Part | None = None
    rows = 0
    most = math.inf if work.role else limits["memory"]
    for columns, labels in together(map(work.reader, pieces), most):
        count = len(columns.arrays[0])
        if rows + count <= expected:
            given = labels[0] if work.role else None
            threads = limits["threads"]
            one = plan.part(columns, labels=given, first=first + rows, threads=threads)
            found = one if found is None else found + one
        rows += count
    check_rows(first, expected, rows)
    return found


def _added(parts: list[shards.Part | None]) -> shards.Part | None:
    some = [part for part in parts if part is not None]
    return sum(some[1:], some[0]) if some else None


class Partitioned:
    """A bootstrap of a collection; its arguments are those of `bootfold.bootstrap`."""

    def __init__(self, collection: Collection, statistic: Any, options: dict[str, Any]) -> None:
        self._rows = collection
        self._options = options
        self._asked = asked_of(options)
        self._named = self._checked(statistic)
        role = self._role()
        labels = (options[role],) if role else ()
        self._work = _Work(
            Reader(collection.names, options["axis"], options["nan"] == "omit", labels),
            self._named.names,
            options["threads"],
            memory_bytes(options["memory"]),
            role=role,
        )

    def _role(self) -> str:
        """What the labels of the rows stand for: "strata", "clusters" or "" if there are none."""
        given = [role for role in ("strata", "clusters") if self._options[role] is not None]
        for role in given:
            if not isinstance(self._options[role], str):
                raise TypeError(
                    f"{role} are given as an array but the rows of {self._rows.told} are in "
                    f"several places; name a column of the table that holds the {role}"
                )
        if len(given) > 1:
            raise ValueError("strata and clusters are both given; rows have either, not both")
        scheme = self._options["scheme"]
        if given and scheme not in (
            None,
            {"strata": "stratified", "clusters": "cluster"}[given[0]],
        ):
            raise ValueError(
                f"scheme is {scheme!r}, which does not go with {given[0]}; omit scheme"
            )
        return given[0] if given else ""

    def _checked(self, statistic: Any) -> Named:
        """The statistic; raises ValueError for what needs all rows in one place."""
        told = self._rows.told
        named = resolve(statistic, self._options["vectorized"])
        if not isinstance(named, Named):
            raise TypeError(
                f"statistic is {statistic!r}, which needs all rows of a resample, but those of "
                f"{told} are in several places; {self._rows.remedy}, or give the name of a "
                "statistic, such as 'mean'"
            )
        plain = [name for name in named.names if "(" not in name]
        if plain and has_expressions(statistic):
            raise ValueError(
                f"statistic {plain[0]!r} is beside an expression that names its own columns, but "
                f"the rows of {told} are in several places; write {plain[0]}(COLUMN)"
            )
        for name, usual in _WHOLE.items():
            value = self._options[name]
            if not (isinstance(value, (bool, str, type(None))) and value == usual):
                shown = repr(value) if isinstance(value, (str, int, float)) else "given"
                raise ValueError(
                    f"{name} is {shown}, which needs all rows in one place, but those of {told} "
                    f"are in several; {self._rows.remedy}, or omit {name}"
                )
        nan = self._options["nan"]
        if nan not in ("error", "omit"):
            raise ValueError(f"nan is {nan!r} but must be 'error' or 'omit' for rows of {told}")
        scheme = self._options["scheme"]
        implied = {"stratified": "strata", "cluster": "clusters"}.get(scheme)
        labelled = implied is not None and self._options[implied] is not None
        if scheme not in (None, "iid", "poisson") and not labelled:
            raise ValueError(
                f"scheme is {scheme!r} but rows of {told} are drawn by 'iid' or 'poisson', within "
                f"strata= or by clusters=; {self._rows.remedy}"
            )
        count = number_of_replicates(self._options["replicates"])
        if not isinstance(count, int):
            raise ValueError(
                f"replicates is {count!r} but rows of {told} need a number of replicates"
            )
        if self._asked.needs != NOTHING:
            raise ValueError(
                f"interval is {self._asked.method!r} but rows of {told} have normal, basic and "
                f"percentile intervals; {self._rows.remedy}"
            )
        return named

    def _planned(self, tell: Any) -> tuple[shards.Plan, list[int]]:
        """The plan, and the rows of each partition."""
        seen = raised(self._rows.fold(_look, self._work, None, _joined, tell))
        if seen.look is None:
            raise ValueError("data have no rows; a bootstrap needs at least one")
        try:
            return self._plan_of(seen.look), seen.rows
        except ValueError as error:
            if _core.can_stream(self._named.names, self._rows.width):
                raise
            told = ", ".join(self._named.names)
            raise ValueError(
                f"statistic {told} cannot be computed from rows in several places: {error}; "
                f"{self._rows.remedy}, or choose a statistic that is a function of sums"
            ) from None

    def _plan_of(self, look: shards.Look) -> shards.Plan:
        """The one place where the scheme and its options are passed on."""
        given = self._options
        return shards.plan(
            look,
            replicates=given["replicates"],
            seed=given["seed"],
            scheme="iid" if self._work.role else given["scheme"] or "iid",
            size=given["size"],
            rescale=given["rescale"],
            tolerance=given["tolerance"],
            memory=given["memory"],
            threads=given["threads"],
        )

    def run(self) -> Result:
        """The result of `bootstrap`."""
        progress = self._options["progress"] if self._rows.pool.shows_progress else False
        with self._kept(), reporter(progress, 100, "% of the partitions") as tell:
            plan, rows = self._planned(stage(tell, 0, 2))
            total = None
            if plan.needs_parts:
                total = self._added_up(plan, rows, stage(tell, 1, 2))
            found = plan.finish(total)
            if tell is not None:
                tell(1, 1)
        return Result(found._core, self._shape(), None, self._named.note, self._asked)

    def _added_up(self, plan: shards.Plan, rows: list[int], tell: Any) -> Any:
        """The sum of all parts."""
        groups = grouped(rows, BLOCK if self._rows.moves else 0)
        firsts = [0, *itertools.accumulate(rows)]
        places = [(firsts[g.start], firsts[g.stop] - firsts[g.start]) for g in groups]
        work = replace(self._work, plan=plan.to_bytes(), groups=tuple(places))
        return raised(self._rows.fold(_part, work, groups, _added, tell))

    def explain(self) -> _core.Plan:
        """The plan of `explain`."""
        with self._kept():
            found = self._planned(None)[0].explanation
            if self._work.role == "clusters" and found.units == 0:
                hashes = raised(self._rows.fold(_clusters, self._work, None, _union, None))
                found.reason = f"{len(hashes):,} clusters: {found.reason}"
            return found

    def _kept(self) -> Any:
        """A context in which the collection may keep rows."""
        return contextlib.closing(self._rows)

    def _shape(self) -> tuple[int, ...]:
        """Of the estimate, as one row in memory tells it."""
        kind = "vector" if self._rows.shape == () else "sets"
        width = self._rows.width
        row: list[Column] = [np.zeros(1) for _ in range(width)]
        data = Data(row, [Part(kind, width, 1, self._rows.shape)])  # type: ignore[arg-type]
        return NamedSource(data, self._named, Settings(tolerance=1e-5), "error").shape


def _size(shared: None, pieces: Iterable[Any], number: int, share: Share) -> int:
    return sum(bytes_of(piece) for piece in pieces)


def local_table(collection: Collection, columns: list[str], limit: int, what: str) -> Any:
    """Columns of a collection as a table in this process, if they fit; `what` takes them."""
    with contextlib.closing(collection):
        size = raised(collection.fold(_size, None, None, sum, None))
        if size > limit:
            raise ValueError(
                f"{what} takes the columns {', '.join(columns)} into the memory of this process, "
                f"and they have {size:,} bytes, but the limit is {limit:,}; raise memory=, filter "
                "or aggregate the rows first, or bootstrap each group"
            )
        return collection.local(columns)
