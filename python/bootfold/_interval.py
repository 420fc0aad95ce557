"""Confidence intervals of a result."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from bootfold import _core

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Method: TypeAlias = Literal["normal", "basic", "percentile", "bca", "studentized", "abc"]
Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
Convention: TypeAlias = Literal["numpy", "r"]


@dataclass(frozen=True, slots=True)
class Needs:
    """What an interval needs of a run beside the replicates."""

    standard_errors: bool = False  #: on every resample
    influence: bool = False  #: of each row


NOTHING = Needs()


@dataclass(frozen=True, slots=True)
class Asked:
    """The interval that a call of `bootstrap` asks for, and `Result.interval` makes by default."""

    method: Method = "percentile"
    confidence: float = 0.95
    alternative: Alternative = "two-sided"

    def __post_init__(self) -> None:
        _core.check_interval(self.method, self.confidence, self.alternative)

    @property
    def needs(self) -> Needs:
        """What the run computes for it."""
        return Needs(self.method == "studentized", self.method in ("bca", "abc"))

    def changed(
        self, method: Method | None, confidence: float | None, alternative: Alternative | None
    ) -> Asked:
        """The same with what is not None in its place."""
        return Asked(
            self.method if method is None else method,
            self.confidence if confidence is None else confidence,
            self.alternative if alternative is None else alternative,
        )


USUAL: Asked = Asked()


def asked_of(options: dict[str, Any]) -> Asked:
    """The interval that the arguments of `bootstrap` ask for."""
    return Asked(options["interval"] or USUAL.method, options["confidence"], options["alternative"])


class IntervalWarning(UserWarning):
    """The limits are not quite what was asked for; the text says why."""


@dataclass(frozen=True)
class Interval:
    """Two limits, and what another seed would change in each.

    It unpacks into its limits: ``low, high = result.interval()``. Of a result with several values
    `low`, `high` and their errors are arrays of the shape of its estimate.

    Attributes
    ----------
    low, high : float or ndarray
        The limits; a one-sided interval is infinite on the other side.
    low_error, high_error : float or ndarray
        Monte Carlo standard errors of the limits.
    confidence : float
    method : str
        The method asked for.
    alternative : str
    status : str
        "good", "extreme", "partial", "fell back" or "undefined": the worst of all values.
    reason : str
        Why the status is not good.
    note : str
        What else to know, such as that there are few rows.
    """

    low: Any
    high: Any
    low_error: Any
    high_error: Any
    confidence: float
    method: str
    alternative: str
    status: str = "good"
    reason: str = ""
    note: str = ""

    def __iter__(self) -> Iterator[Any]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return bool(np.all((self.low <= value) & (value <= self.high)))

    def __repr__(self) -> str:
        words = f"{self.method}, {self.confidence:g}"
        if self.alternative != "two-sided":
            words += f", {self.alternative}"
        if self.status != "good":
            words += f"; {self.status}: {self.reason}"
        if self.note:
            words += f"; {self.note}"
        return f"Interval(low={self.low}, high={self.high}; {words})"


_STATUSES = ("good", "extreme", "partial", "fell back", "undefined")


def joined(found: Sequence[_core.Interval], shape: tuple[int, ...]) -> Interval:
    """One interval of the intervals of all outputs; warns where one is not good."""
    status = "good"
    reason = ""
    for one in found:
        if one.status != "good":
            if _STATUSES.index(one.status) > _STATUSES.index(status):
                status = one.status
            if not reason:
                reason = one.reason
    first = found[0]
    if status != "good":
        taken = f" (the {first.fallback} interval was taken)" if first.fallback else ""
        warnings.warn(f"{first.method} interval: {reason}{taken}", IntervalWarning, stacklevel=3)
    low: Any
    high: Any
    low_error: Any
    high_error: Any
    if shape == ():
        low, high, low_error, high_error = first.low, first.high, first.low_error, first.high_error
    else:
        low, high, low_error, high_error = (
            np.array([getattr(one, name) for one in found]).reshape(shape)
            for name in ("low", "high", "low_error", "high_error")
        )
    return Interval(
        low,
        high,
        low_error,
        high_error,
        first.confidence,
        first.method,
        first.alternative,
        status,
        reason,
        first.note,
    )
