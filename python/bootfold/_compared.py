"""Comparisons of rows in partitions: every group is bootstrapped where its rows are.

Looks, plans and parts are those of `bootfold.shards`, one of each for every group. The differences
are those that `bootfold.compare` computes in memory, from the same replicates.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core, _data, shards
from bootfold._dates import moment_meant
from bootfold._engines import raised
from bootfold._group_rows import Seen, Work, added, joined, look, part
from bootfold._labels import coded, label_meant, label_text
from bootfold._options import memory_bytes, number_of_replicates
from bootfold._pieces import BLOCK, Reader, grouped
from bootfold._progress import reporter, stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._engines import Collection

#: Replicates of all groups whose sums are in memory at a time.
_TOGETHER = 1 << 20
#: Rows that a task may hold, so that small pieces of groups are added up together.
_MOST_ROWS = 8 * BLOCK


class NeedsRows(Exception):
    """Why a comparison needs all rows in one place."""


#: Arguments of `compare` that need all rows in one place, and what they are unless given.
_WHOLE = {
    **dict.fromkeys(("pair", "block_length", "probabilities", "weights", "frequencies")),
    **{"checkpoint": None, "precision": None, "two_stage": False, "test": "bootstrap"},
}


def _role(given: dict[str, Any]) -> str:
    """What the labels of rows stand for; raises NeedsRows for what shards do not serve."""
    for name, usual in _WHOLE.items():
        if given[name] != usual:
            raise NeedsRows(f"{name} is {given[name]!r}")
    if given["interval"] not in ("percentile", "basic", "normal"):
        raise NeedsRows(f"interval is {given['interval']!r}")
    if not isinstance(number_of_replicates(given["replicates"]), int):
        raise NeedsRows(f"replicates is {given['replicates']!r}")
    if given["nan"] not in ("error", "omit"):
        raise NeedsRows(f"nan is {given['nan']!r}")
    roles = [role for role in ("strata", "clusters") if given[role] is not None]
    served = {"": ("iid", "poisson"), "strata": ("stratified",), "clusters": ("cluster",)}
    role = roles[0] if roles else ""
    scheme = given["scheme"]
    if len(roles) > 1 or scheme not in (None, *served[role]) or (role and given["size"]):
        raise NeedsRows("the scheme is not one of rows in several places")
    return role


def compare_partitioned(
    collection: Collection, statistic: str, seed: int, given: dict[str, Any]
) -> _core.Comparison:
    """The comparison of `bootfold.compare` with these arguments; raises NeedsRows."""
    role = _role(given)
    groups, control = given["groups"], given["control"]
    known = [] if control is None else [control]
    named = None
    if groups is not None:
        chosen = [*groups, *known]
        texts = [*map(label_text, chosen), *(moment_meant(str(one)) for one in chosen)]
        named = frozenset(text for text in texts if text is not None)
    labels = (given["by"], given[role]) if role else (given["by"],)
    work = Work(
        Reader(collection.names, None, given["nan"] == "omit", labels),
        statistic,
        given["threads"],
        memory_bytes(given["memory"]),
        role,
        named,
        control is None,
    )
    unit = "% of the partitions"
    with contextlib.closing(collection), reporter(given["progress"], 100, unit) as tell:
        seen = raised(collection.fold(look, work, None, joined, stage(tell, 0, 2)))
        for column, row in sorted(seen.nan.items()):
            raise _data.nan_error(str(collection.names[column]), row)
        return _Comparing(collection, work, seen, seed, given).run(stage(tell, 1, 2))


class _Comparing:
    """A comparison whose partitions were looked at."""

    def __init__(
        self, collection: Collection, work: Work, seen: Seen, seed: int, given: dict[str, Any]
    ) -> None:
        self._collection, self._work, self._seen, self._given = collection, work, seen, given
        if not seen.keys:
            raise ValueError("the data have no rows; a comparison needs two groups of at least 2")
        codes, names = coded(np.array(seen.keys), len(seen.keys), "by")
        if len(names) < len(codes):
            raise NeedsRows(f"the labels of {given['by']} are of several types")
        self._columns = np.argsort(codes)  # by code: the column of the counts
        self._names = [label_text(name) for name in names]
        self._replicates = int(number_of_replicates(given["replicates"]))
        control, groups = given["control"], given["groups"]
        self._contrasts = _core.group_contrasts(
            self._names,
            seen.rows.sum(axis=0)[self._columns].tolist(),
            given["by"],
            work.statistic,
            collection.width,
            seed,
            None if control is None else label_meant(control, self._names),
            [label_meant(group, self._names) for group in groups or ()],
            given["difference"],
            given["interval"],
            given["correction"],
            given["confidence"],
            given["alternative"],
            self._replicates,
        )

    def run(self, tell: Any) -> _core.Comparison:
        chosen = self._contrasts.chosen
        if self._work.role == "clusters":
            self._check_clusters(chosen)
        step = max(1, _TOGETHER // self._replicates)
        if self._work.role == "clusters":  # whose sums do not depend on the replicates
            step = len(chosen)
        rounds = [chosen[first : first + step] for first in range(0, len(chosen), step)]
        for number, codes in enumerate(rounds):
            plans = {code: self._plan(code) for code in codes}
            wanted = {code: plans[code] for code in codes if plans[code].needs_parts}
            parts = self._added_up(wanted, stage(tell, number, len(rounds))) if wanted else {}
            for code in codes:
                found = plans[code].finish(parts.pop(self._key(code), None))
                clusters = self._seen.clusters.get(self._key(code), ())
                self._contrasts.add(found._core, len(clusters))
        if tell is not None:
            tell(1, 1)
        return self._contrasts.finish()

    def _key(self, code: int) -> Any:
        return self._seen.keys[self._columns[code]]

    def _check_clusters(self, chosen: Sequence[int]) -> None:
        own = [self._seen.clusters[self._key(code)] for code in chosen]
        known, counts = np.unique(np.concatenate(own), return_counts=True)
        shared = int((counts > 1).sum())
        if shared:
            raise NeedsRows(
                f"{shared:,} of {len(known):,} clusters are in several groups, so all are drawn "
                "once for all groups"
            )

    def _plan(self, code: int) -> shards.Plan:
        given, work = self._given, self._work
        try:
            return shards.plan(
                self._seen.looks.pop(self._key(code)),  # the plan has it
                replicates=self._replicates,
                seed=self._contrasts.seed_of(code),
                scheme="iid" if work.role else given["scheme"] or "iid",
                size=given["size"],
                rescale=given["rescale"],
                tolerance=given["tolerance"],
                memory=given["memory"],
                threads=given["threads"],
            )
        except ValueError as error:
            if work.role or not _core.can_stream([work.statistic], self._collection.width):
                raise NeedsRows(str(error)) from error
            raise ValueError(
                f"group {self._names[code]!r}, counting its own rows: {error}"
            ) from None

    def _added_up(self, plans: dict[int, shards.Plan], tell: Any) -> dict[Any, shards.Part]:
        """The sums of all rows of some groups."""
        rows = self._seen.rows
        own = rows[:, [self._columns[code] for code in plans]]
        blocks = int(np.minimum(own.sum(axis=0), BLOCK).sum())
        most = BLOCK if self._work.role == "clusters" else min(_MOST_ROWS, max(BLOCK, blocks))
        tasks = grouped(rows.sum(axis=1).tolist(), most if self._collection.moves else 0)
        before = np.concatenate([np.zeros((1, own.shape[1]), np.int64), np.cumsum(own, axis=0)])
        work = replace(
            self._work,
            keys=tuple(self._key(code) for code in plans),
            plans=tuple(plan.to_bytes() for plan in plans.values()),
            firsts=before[[0, *(task.stop for task in tasks)]],
        )
        found: dict[Any, shards.Part] = raised(
            self._collection.fold(part, work, tasks, added, tell)
        )
        return found
