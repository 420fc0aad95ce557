"""Where replicates come from: what a call asked for, kept for more of the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from bootfold import _core
from bootfold._chunked import Column, chunks_of
from bootfold._data import Array, number_array
from bootfold._interval import Needs
from bootfold._labels import check_within, coded, missing_labels
from bootfold._options import Progress, Seed, memory_bytes, seed_number, thread_number, whole_number

Rescale: TypeAlias = Literal["sqrt", "none"] | float

_OF_ROWS = ("strata", "clusters", "probabilities", "weights", "frequencies", "unlabelled")


class Source(Protocol):
    """Makes replicates, and finds what intervals need beside them."""

    shape: tuple[int, ...]  #: of the estimate
    note: str  #: for the plan
    quick: bool  #: influences cost no more than a look at the data

    @property
    def request(self) -> _core.Request:
        """Data, scheme and options, as the library has them."""

    def run(self, replicates: int, first: int, needs: Needs, progress: Progress) -> _core.Result:
        """Replicates first, first + 1, ..."""

    def explain(self, replicates: int, needs: Needs) -> _core.Plan:
        """What run() would do; raises what it would raise."""

    def add_influences(self, result: _core.Result) -> None:
        """What each row does to the values, for BCa intervals."""


@dataclass(slots=True)
class Settings:
    """How rows are drawn and how the engine runs, as the library wants it."""

    seed: int = 0
    memory: int = 0
    threads: int = 0
    tolerance: float = 0.0
    nested_replicates: int = 0
    path: str | None = None
    joint: bool = False
    scheme: str | None = None
    strata: Array | None = None
    clusters: Array | None = None
    probabilities: Array | None = None
    weights: Array | None = None
    frequencies: Array | None = None
    block_length: float | None = None
    size: int = 0
    two_stage: bool = False
    rate: float = 0.5
    unlabelled: Array | None = None  #: rows to leave out because a label is missing

    def request(self, columns: Sequence[Column], names: list[str]) -> _core.Request:
        """A request without statistics."""
        return _core.Request(
            [chunks_of(column) for column in columns],
            names,
            self.scheme,
            self.strata,
            self.clusters,
            self.probabilities,
            self.block_length,
            self.size,
            self.two_stage,
            self.weights,
            self.frequencies,
            self.seed,
            self.memory,
            self.threads,
            self.tolerance,
            self.nested_replicates,
            self.path,
            self.joint,
            self.rate,
        )

    def without_rows(self, dropped: Array) -> Settings:
        """The same for the other rows."""
        return self.of_rows(~dropped)

    def of_rows(self, kept: Array) -> Settings:
        """The same for some of the rows: their numbers, or a mask."""
        changes: dict[str, Any] = {}
        for name in _OF_ROWS:
            values = getattr(self, name)
            if values is not None:
                changes[name] = values[kept]
        return replace(self, **changes)

    def leave_out(self, rows: Array | None) -> None:
        """Marks rows, by a mask, for nan="omit"."""
        if rows is not None:
            self.unlabelled = rows if self.unlabelled is None else self.unlabelled | rows

    def with_nan(self) -> Array | None:
        """Rows whose weight, frequency or probability is NaN, or whose label is missing."""
        found = [getattr(self, name) for name in ("probabilities", "weights", "frequencies")]
        marked = [np.isnan(values) for values in found if values is not None]
        if self.unlabelled is not None:
            marked.append(self.unlabelled)
        return np.logical_or.reduce(marked) if marked else None

    def written_out(self, times: Array) -> Settings:
        """The same for rows that are written out so many times."""
        changes: dict[str, Any] = {"frequencies": None}
        for name in _OF_ROWS:
            values = getattr(self, name)
            if name != "frequencies" and values is not None:
                changes[name] = np.repeat(values, times)
        return replace(self, **changes)


def settings_of(
    seed: Seed,
    memory: int | str | None,
    threads: int | None,
    tolerance: float,
    nested_replicates: int,
    path: str | None,
    joint: bool = False,
) -> Settings:
    """The options that do not depend on data or scheme, checked."""
    if not tolerance > 0:
        raise ValueError(f"tolerance is {tolerance!r} but must be above 0")
    return Settings(
        seed_number(seed),
        memory_bytes(memory),
        thread_number(threads),
        float(tolerance),
        whole_number("nested_replicates", nested_replicates, 2),
        path,
        bool(joint),
    )


def rescaling_rate(rescale: Rescale, size: int | None) -> float:
    """The exponent of (size / rows) by which deviations from the estimate are multiplied."""
    named = {"sqrt": 0.5, "none": 0.0}
    if isinstance(rescale, str):
        if rescale not in named:
            raise ValueError(
                f"rescale is {rescale!r} but must be 'sqrt', 'none' or an exponent from 0 to 1"
            )
        rate = named[rescale]
    else:
        rate = float(rescale)
        if not 0 <= rate <= 1:
            raise ValueError(f"rescale is {rescale!r} but must be an exponent from 0 to 1")
    if size is None and rescale != "sqrt":
        raise ValueError(
            f"rescale is {rescale!r} but as many rows are drawn as there are, so that there is "
            "nothing to rescale; give size as well"
        )
    return rate


def set_scheme(
    settings: Settings,
    scheme: str | None,
    two_stage: bool,
    size: int | None,
    block_length: float | None,
    rescale: Rescale = "sqrt",
) -> None:
    """What a scheme needs beside labels and probabilities."""
    settings.scheme = scheme
    settings.two_stage = two_stage
    settings.rate = rescaling_rate(rescale, size)
    if size is not None:
        settings.size = whole_number("size", size, 1)
    if block_length is not None:
        settings.block_length = float(block_length)


def set_labels(
    settings: Settings, strata: Any, clusters: Any, rows: int, *, omit: bool = False
) -> None:
    """Strata and clusters of the rows, where they are given. `omit`: some may be missing."""
    found = {
        role: coded(labels, rows, role, omit=omit)
        for role, labels in (("strata", strata), ("clusters", clusters))
        if labels is not None
    }
    if omit:
        settings.leave_out(missing_labels(strata))
        settings.leave_out(missing_labels(clusters))
    for role, (codes, _) in found.items():
        setattr(settings, role, codes)
    if len(found) == 2:
        kept = slice(None) if settings.unlabelled is None else ~settings.unlabelled
        check_within(*((found[r][0][kept], found[r][1]) for r in ("clusters", "strata")))


def row_numbers(values: Any, rows: int, name: str) -> Array:
    """Weights, frequencies or probabilities of rows, one for each."""
    array = np.ascontiguousarray(number_array(values, name), dtype=np.float64)
    if array.shape != (rows,):
        raise ValueError(
            f"{name} have shape {array.shape} but the data have {rows} rows; each needs one"
        )
    return array


def checked_weights(weights: Array) -> Array:
    """Weights for a function, held to what the library asks of those of named statistics."""
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(
            f"weight of row {bad[0]} is {weights[bad[0]]:g} but must be a number that is not "
            "negative"
        )
    if not weights.any():
        raise ValueError("all weights are 0 but at least one must be positive")
    return weights


def whole_frequencies(frequencies: Array) -> Array:
    """Frequencies as integers, for rows that are written out in memory."""
    whole = np.isfinite(frequencies) & (frequencies >= 0) & (frequencies == np.floor(frequencies))
    bad = np.flatnonzero(~whole)
    if bad.size:
        raise ValueError(
            f"frequency of row {bad[0]} is {frequencies[bad[0]]:g} but must be a whole number, "
            "0 or more: the number of equal rows that it stands for; weights may be any numbers"
        )
    if not frequencies.any():
        raise ValueError("all frequencies are 0 but at least one must be positive")
    return frequencies.astype(np.int64)
