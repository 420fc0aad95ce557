"""What workers do for a comparison: the rows of each group in a partition.

One look sees all groups of a partition, and one part adds up the rows of all groups that a task
has, so that tasks are as many as partitions, whatever the number of groups.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core, _data, shards
from bootfold._chunked import Array, Column, whole
from bootfold._data import Columns
from bootfold._labels import coded, label_text
from bootfold._pieces import Reader, check_rows, label_hashes, together

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bootfold._engines import Share


@dataclass(frozen=True, slots=True)
class Work:
    """What the tasks of a call share."""

    reader: Reader
    statistic: str
    threads: int | None
    memory: int | None
    role: str  #: "strata", "clusters" or ""
    wanted: frozenset[str] | None  #: names of the groups that are compared, if some are chosen
    usual_control: bool  #: whether the control is not named
    keys: tuple[Any, ...] = ()  #: labels of the groups that are added up
    plans: tuple[bytes, ...] = ()
    firsts: Array | None = None  #: [task][group]: rows of the groups in the tasks before

    def limits(self, share: Share) -> dict[str, Any]:
        return {"threads": self.threads or share.threads, "memory": self.memory or share.memory}

    def groups(self, pieces: Iterable[Any], limit: float) -> Iterator[_Groups]:
        """The rows of pieces by group, about `limit` bytes at a time."""
        for columns, labels in together(map(self.reader, pieces), math.inf if self.role else limit):
            yield _Groups(columns, labels[0], labels[1] if self.role else None)


class _Groups:
    """Some rows by group, in their order."""

    def __init__(self, columns: Columns, by: Array, labels: Array | None) -> None:
        self.columns = columns
        codes, names = coded(by, len(by), "by")
        self.keys = list(names)
        self._order = np.argsort(codes, kind="stable")
        self._cuts = [0, *np.cumsum(np.bincount(codes, minlength=len(names))).tolist()]
        self._arrays = [whole(array) for array in columns.arrays]
        self._labels = labels

    def counts(self) -> list[int]:
        return [high - low for low, high in itertools.pairwise(self._cuts)]

    def rows(self, place: int) -> tuple[Columns, Array | None]:
        """Of the group keys[place]: its rows and their labels."""
        own = self._order[self._cuts[place] : self._cuts[place + 1]]
        arrays: list[Column] = [array[own] for array in self._arrays]
        labels = None if self._labels is None else self._labels[own]
        return Columns(self.columns.names, arrays, False), labels

    def first_nan(self) -> dict[int, int]:
        """By column: the first row with NaN."""
        found = [_data.nan_rows([array]) for array in self._arrays]
        return {column: int(nan.argmax()) for column, nan in enumerate(found) if nan.any()}


@dataclass(slots=True)
class Seen:
    """What is known of consecutive partitions."""

    looks: dict[Any, shards.Look]  #: of each group that may be compared
    keys: list[Any]  #: labels of all groups
    rows: Array  #: [partition][group]
    nan: dict[int, int]  #: by column: the first row with NaN
    clusters: dict[Any, Array]  #: hashes of the clusters of each group, rising


def look(work: Work, pieces: Iterable[Any], number: int, share: Share) -> Seen:
    seen: list[Seen] = []
    for groups in work.groups(pieces, 0):
        nan = groups.first_nan()
        looks: dict[Any, shards.Look] = {}
        clusters: dict[Any, Array] = {}
        for place in () if nan else _compared(work, groups.keys):
            columns, labels = groups.rows(place)
            given: dict[str, Any] = {work.role: labels} if work.role else {}
            key = groups.keys[place]
            looks[key] = shards.look(columns, work.statistic, **given, **work.limits(share))
            if labels is not None and work.role == "clusters":
                clusters[key] = label_hashes(labels)
        seen.append(Seen(looks, groups.keys, np.array([groups.counts()]), nan, clusters))
    found = joined(seen)
    return replace(found, rows=found.rows.sum(axis=0, keepdims=True))


def _compared(work: Work, keys: list[Any]) -> Sequence[int]:
    """The places of the groups that may be compared."""
    if work.wanted is None:
        if len(keys) > _core.most_groups:
            raise ValueError(
                f"column {work.reader.labels[0]!r} has {len(keys):,} groups in one partition but "
                f"at most {_core.most_groups:,} can be compared; check the column, or choose some "
                "with groups="
            )
        return range(len(keys))
    # A control that is not named is called so, or is the first of all groups: the first here if it
    # is here.
    return [
        place
        for place, name in enumerate(label_text(key) for key in keys)
        if name in work.wanted or (work.usual_control and (place == 0 or name.lower() == "control"))
    ]


def joined(seen: list[Seen]) -> Seen:
    keys = list(dict.fromkeys(key for one in seen for key in one.keys))
    place = {key: number for number, key in enumerate(keys)}
    rows = np.zeros((sum(len(one.rows) for one in seen), len(keys)), np.int64)
    looks: dict[Any, list[shards.Look]] = {}
    clusters: dict[Any, list[Array]] = {}
    nan: dict[int, int] = {}
    partition = before = 0
    for one in seen:
        own = rows[partition : partition + len(one.rows)]
        own[:, [place[key] for key in one.keys]] = one.rows
        for column, row in one.nan.items():
            nan.setdefault(column, before + row)
        partition += len(one.rows)
        before += int(one.rows.sum())
        for key, look in one.looks.items():
            looks.setdefault(key, []).append(look)
        for key, hashes in one.clusters.items():
            clusters.setdefault(key, []).append(hashes)
    return Seen(
        {key: shards.join(found) for key, found in looks.items()},
        keys,
        rows,
        nan,
        {key: np.unique(np.concatenate(found)) for key, found in clusters.items()},
    )


def part(work: Work, pieces: Iterable[Any], number: int, share: Share) -> dict[Any, shards.Part]:
    limits = work.limits(share)
    found: dict[Any, shards.Part] = {}
    assert work.firsts is not None
    places = {key: place for place, key in enumerate(work.keys)}
    plans: dict[Any, shards.Plan] = {}
    rows = np.zeros(len(work.keys), np.int64)
    last = len(work.firsts) - 1  # partitions that were not there before have no rows
    firsts, ends = work.firsts[min(number, last)], work.firsts[min(number + 1, last)]
    for groups in work.groups(pieces, limits["memory"]):
        for local, key in enumerate(groups.keys):
            place = places.get(key)
            if place is None:
                continue
            columns, labels = groups.rows(local)
            first = int(firsts[place] + rows[place])
            rows[place] += len(columns.arrays[0])
            if first + len(columns.arrays[0]) > ends[place]:
                continue
            if key not in plans:
                plans[key] = shards.Plan.from_bytes(work.plans[place], **limits)
            one = plans[key].part(columns, labels=labels, first=first, threads=limits["threads"])
            found[key] = found[key] + one if key in found else one
    for key, first, end, count in zip(work.keys, firsts, ends, rows, strict=True):
        check_rows(int(first), int(end - first), int(count), f"group {label_text(key)!r}")
    return found


def added(parts: list[dict[Any, shards.Part]]) -> dict[Any, shards.Part]:
    found: dict[Any, list[shards.Part]] = {}
    for one in parts:
        for key, part in one.items():
            found.setdefault(key, []).append(part)
    return {key: sum(some[1:], some[0]) for key, some in found.items()}
