"""Where the replicates of scipy's door come from: the library itself, or calls of a function."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._function import noted, place
from bootfold._limits import jackknife_acceleration
from bootfold._returned import check_returned, name_of
from bootfold._statistics import known, takes_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bootfold._data import Array
    from bootfold._samples import Samples
    from bootfold._source import Settings


def distribution_source(
    samples: Samples,
    statistic: Callable[..., Any],
    vectorized: bool | None,
    settings: Settings,
    most: int | None,
) -> KnownSource | CalledSource:
    """The quickest source that gives what SciPy would give.

    The library has its own mean, median, ... of finite numbers. What is not finite, or no number,
    goes to the function itself, which knows.
    """
    alone = len(samples.arrays) == 1 and 0 not in samples.lead
    name = known(statistic) if alone and samples.finite_numbers() else None
    # A function that is said to take an axis and does not is called, and complains itself.
    if name is not None and not (vectorized and not takes_axis(statistic)):
        return KnownSource(samples, name, settings)
    if vectorized is None:
        vectorized = takes_axis(statistic)
    return CalledSource(samples, statistic, vectorized, settings, most)


class KnownSource:
    """A statistic that the library has: nothing of it happens in Python."""

    def __init__(self, samples: Samples, name: str | list[str], settings: Settings) -> None:
        self._request = settings.request(samples.columns(), [])
        names = [name] if isinstance(name, str) else name
        for one in names:
            self._request.add_named(one)
        self.shape = samples.lead if isinstance(name, str) else (len(names), *samples.lead)
        self._estimates: list[float] | None = None
        self.plan = ""
        self._note = f"known as {', '.join(names)}"

    def run(self, count: int, first: int) -> Array:
        result = self._request.run(count, first, None)
        self._estimates = result.estimates
        self.plan = f"{self._note}; path {result.plan.path}"
        found = np.array(result.replicates.T, order="C")
        return found.reshape(*self.shape, count)

    def estimate(self) -> Array:
        if self._estimates is None:
            self._estimates = self._request.run(1, 0, None).estimates
        return np.array(self._estimates).reshape(self.shape)

    def acceleration(self) -> Array:
        return np.array(_core.accelerations(self._request)).reshape(self.shape)


class CalledSource:
    """Any function: called with resamples that threads draw meanwhile."""

    def __init__(
        self,
        samples: Samples,
        statistic: Callable[..., Any],
        vectorized: bool,
        settings: Settings,
        most: int | None,
    ) -> None:
        self._samples = samples
        self._statistic = statistic
        self._vectorized = vectorized
        self._settings = settings
        self._most = most
        self.plan = ""
        alone = [np.array(array[..., None, :]) for array in samples.arrays]
        self._estimate = self._values(alone, -1, None)[..., 0]
        self.shape = self._estimate.shape

    def _check(self, found: Any) -> None:
        expected = "a number, or equally many numbers every time"
        check_returned(found, f"the statistic {name_of(self._statistic)}", expected)

    def _values(self, shown: list[Array], number: int, shape: tuple[int, ...] | None) -> Array:
        """The statistic on resamples (..., resample, row): (..., resample)."""
        count = shown[0].shape[-2]
        if self._vectorized:
            try:
                found = self._statistic(*shown, axis=-1)
            except Exception as error:
                noted(error, place(number, count))
                raise
            self._check(found)
            found = np.asarray(found)
        else:
            values: list[Any] = []
            lead = self._samples.lead
            try:
                for index in np.ndindex(*lead, count):
                    values.append(self._statistic(*(array[index] for array in shown)))
            except Exception as error:
                noted(error, place(number + len(values) % count if number >= 0 else -1, 1))
                raise
            self._check(values)
            each = np.asarray(values)
            found = np.moveaxis(each, 0, -1).reshape(*each.shape[1:], *lead, count)
        if (
            found.ndim == 0
            or found.shape[-1] != count
            or (shape is not None and found.shape[:-1] != shape)
        ):
            raise ValueError(
                f"the statistic returned an array of shape {found.shape} for {count} resamples of "
                f"shape {shown[0].shape}; it must reduce the axis it is given and keep the others, "
                "and its last axis is that of the resamples; say vectorized=False if it takes one "
                "resample at a time"
            )
        return found.astype(np.float64, copy=False)

    def run(self, count: int, first: int) -> Array:
        drawing = self._samples.drawing(self._settings)
        outputs = math.prod(self.shape)
        if outputs == 0:
            return np.empty((*self.shape, count))
        names = ["statistic"] * outputs
        most = min(drawing.most(), self._most or count)

        def values(number: int, block: Array) -> Array:
            if number < 0:
                return self._estimate.reshape(1, outputs)
            resamples = block.shape[1]
            step = min(most, resamples)
            parts = []
            for begin in range(0, resamples, step):
                shown = drawing.shown(block[:, begin : begin + step])
                found = self._values(shown, number + begin, self.shape)
                parts.append(np.moveaxis(found, -1, 0).reshape(found.shape[-1], outputs))
            return np.ascontiguousarray(parts[0] if len(parts) == 1 else np.concatenate(parts))

        result = _core.run_function(drawing.request, values, names, count, first, None)
        self.plan = f"called with resamples; path {result.plan.path}"
        return np.array(result.replicates.T, order="C").reshape(*self.shape, count)

    def estimate(self) -> Array:
        return self._estimate

    def acceleration(self) -> Array:
        parts = []
        for thing, deleted in enumerate(self._samples.deletions()):
            groups, _ = self._samples.groups(thing)
            values = [self._values(shown, -1, self.shape) for shown in self._cut(deleted)]
            parts.append((groups, np.concatenate(values, axis=-1)))
        return jackknife_acceleration(parts)

    def _cut(self, batches: Iterable[list[Array]]) -> Iterator[list[Array]]:
        """Batches of at most as many resamples as the user wants in a call."""
        for shown in batches:
            count = shown[0].shape[-2]
            step = count if self._most is None else min(self._most, count)
            for begin in range(0, count, step):
                yield [array[..., begin : begin + step, :] for array in shown]
