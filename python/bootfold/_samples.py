"""Samples as SciPy has them: arrays with an axis of observations, one data set for each place of
the other axes. What the engine draws of them, and what is left when rows are taken out."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold._data import Array

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bootfold import _core
    from bootfold._source import Settings

_EXACT = 2**53  # whole numbers below are doubles
_MOST_DELETED = 10_000  # rows that are taken out one by one; of more, groups
_GROUPS = 1000
_BLOCK_BYTES = 2 << 20


def _drawn_as_double(array: Array) -> bool:
    """Is every value a double, so that it can be drawn as one and turned back?"""
    kind = array.dtype.kind
    if kind in "iu" and array.dtype.itemsize == 8 and array.size:
        return int(array.min()) >= -_EXACT and int(array.max()) <= _EXACT
    return kind in "biu" or (kind == "f" and array.dtype.itemsize <= 8)


class Samples:
    """Arrays of one shape but for their last axis, along which observations lie."""

    def __init__(self, data: Sequence[Any], axis: int, paired: bool) -> None:
        arrays = [np.atleast_1d(np.asarray(sample)) for sample in data]
        axes = max(array.ndim for array in arrays)
        moved: list[Array] = []
        for array in arrays:
            whole = array.reshape((1,) * (axes - array.ndim) + array.shape)
            if not -axes <= axis < axes:
                raise np.exceptions.AxisError(axis, axes)
            if whole.shape[axis] < 2:
                raise ValueError(
                    "each sample in data must have two or more observations along axis, but sample "
                    f"{len(moved) + 1} has {whole.shape[axis]} along axis {axis}; a single sample "
                    "x is given as (x,)"
                )
            moved.append(np.ascontiguousarray(np.moveaxis(whole, axis, -1)))
        self.lead: tuple[int, ...] = np.broadcast_shapes(*(array.shape[:-1] for array in moved))
        self.arrays = [np.broadcast_to(a, (*self.lead, a.shape[-1])) for a in moved]
        self.lengths = [array.shape[-1] for array in moved]
        if paired and len(set(self.lengths)) > 1:
            raise ValueError(
                "with paired=True all samples must have the same length along axis, but they have "
                + ", ".join(map(str, self.lengths))
            )
        #: Are the rows of all samples drawn together?
        self.together = paired or len(arrays) == 1
        self._sets = math.prod(self.lead)

    def columns(self) -> list[Array]:
        """One column for each data set of each sample."""
        return [a[i] for a in self.arrays for i in np.ndindex(*self.lead)]

    def finite_numbers(self) -> bool:
        """Real numbers of common types, all of them finite."""
        return all(
            a.dtype.kind in "biu" or (a.dtype.kind == "f" and bool(np.isfinite(a).all()))
            for a in self.arrays
        ) and all(a.dtype.isnative and a.dtype.itemsize in (1, 2, 4, 8) for a in self.arrays)

    def drawing(self, settings: Settings) -> Drawing:
        """How the engine draws resamples of all."""
        direct = self._sets > 0 and all(_drawn_as_double(array) for array in self.arrays)
        return Drawing(self, settings, direct)

    def deletions(self) -> list[Iterator[list[Array]]]:
        """For each thing that is drawn (all samples together, or every one), what the samples are
        without its rows, one by one, or if they are many without random groups of them. Arrays are
        as of resamples; the caller has many of them at a time."""
        if self.together:
            return [self._without(range(len(self.arrays)))]
        return [self._without([place]) for place in range(len(self.arrays))]

    def groups(self, thing: int) -> tuple[float, int]:
        """How many groups of rows there are in a thing that is drawn, and how many are deleted."""
        rows = self.lengths[thing]
        if rows <= _MOST_DELETED:
            return float(rows), rows
        return rows / (rows // _GROUPS), _GROUPS

    def _without(self, places: Sequence[int]) -> Iterator[list[Array]]:
        rows = self.lengths[places[0]]
        size = 1 if rows <= _MOST_DELETED else rows // _GROUPS
        count = self.groups(places[0])[1]
        order = np.random.default_rng(0).permutation(rows) if size > 1 else None
        bytes_each = max(1, self._sets) * rows * self.arrays[places[0]].dtype.itemsize
        most = max(1, _BLOCK_BYTES // (bytes_each * len(places)))
        for begin in range(0, count, most):
            number = min(most, count - begin)
            shown = [
                np.broadcast_to(a[..., None, :], (*self.lead, number, a.shape[-1]))
                for a in self.arrays
            ]
            for place in places:
                array = self.arrays[place]
                left = np.empty((*self.lead, number, rows - size), array.dtype)
                for r in range(number):
                    if order is None:
                        left[..., r, : begin + r] = array[..., : begin + r]
                        left[..., r, begin + r :] = array[..., begin + r + 1 :]
                    else:
                        first = (begin + r) * size
                        left[..., r, :] = np.delete(array, order[first : first + size], axis=-1)
                shown[place] = left
            yield shown


class Drawing:
    """Resamples of samples: as doubles where these hold every value, else by row numbers."""

    def __init__(self, samples: Samples, settings: Settings, direct: bool) -> None:
        self._samples = samples
        self._direct = direct
        lengths = samples.lengths
        if samples.together:
            columns = samples.columns() if direct else [np.arange(lengths[0], dtype=np.float64)]
            columns = [np.asarray(column, dtype=np.float64) for column in columns]
            self.request: _core.Request = settings.request(columns, [])
            return
        arrays = (
            samples.arrays if direct else [np.arange(n, dtype=np.float64)[None] for n in lengths]
        )
        sets = list(np.ndindex(*samples.lead)) if direct else [(0,)]
        columns = [np.concatenate([np.asarray(a[i], np.float64) for a in arrays]) for i in sets]
        settings.scheme = "stratified"
        settings.strata = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
        self.request = settings.request(columns, [])

    def most(self) -> int:
        """Resamples to show at once, so that the rows taken by number have their bounds too."""
        if self._direct:
            return sys.maxsize
        samples = self._samples
        each = sum(max(1, array.size) * array.dtype.itemsize for array in samples.arrays)
        return max(1, _BLOCK_BYTES // each)

    def shown(self, block: Array) -> list[Array]:
        """The samples' resamples in a block [column][resample][row]: (..., resample, row)."""
        samples = self._samples
        sets = math.prod(samples.lead) if self._direct else 1
        found = []
        row = 0
        for place, array in enumerate(samples.arrays):
            if not samples.together:
                own = block[:, :, row : row + samples.lengths[place]]
                row += samples.lengths[place]
            elif self._direct:
                own = block[place * sets : (place + 1) * sets]
            else:
                own = block
            if self._direct:
                shown = own.reshape(*samples.lead, *own.shape[1:])
                found.append(shown if shown.dtype == array.dtype else shown.astype(array.dtype))
            else:
                found.append(array[..., own[0].astype(np.intp)])
        return found
