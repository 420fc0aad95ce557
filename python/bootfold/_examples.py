"""The training rows of an ensemble, with integer weights replaced by repeated rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bootfold._spool import taken

if TYPE_CHECKING:
    from bootfold._data import Array

# Whole-number weights are repetitions unless they would make so many times the rows.
_MOST_COPIES = 10


@dataclass(slots=True)
class Examples:
    """Rows as the library gets them."""

    inputs: Array  #: [row][column]
    targets: Array  #: [row][target]: numbers, or one column with the code of the class
    weights: Array | None  #: in the loss
    given: Array | None = None  #: of each row, its number among the rows given; None: the same
    rows: int = 0  #: that were given
    marks: Array | None = None  #: a hash of each row given

    @property
    def origin(self) -> Array:
        """Of each row, its number among the rows given."""
        return np.arange(self.inputs.shape[0]) if self.given is None else self.given

    @property
    def repeats(self) -> bool:
        """Whether a row given occurs more than once."""
        return self.given is not None and np.unique(self.given).size < self.given.size

    def spread(self, values: Array) -> Array:
        """[row][...] for the rows given: the mean over copies that have a value; NaN of none."""
        known = ~np.isnan(values).any(axis=1)
        place = self.origin[known]
        counts = np.bincount(place, minlength=self.rows)
        found = np.empty((self.rows, values.shape[1]))
        for c in range(values.shape[1]):
            found[:, c] = np.bincount(place, values[known, c], minlength=self.rows)
        with np.errstate(invalid="ignore"):
            return found / counts[:, None]

    @property
    def left_out(self) -> Array:
        """Rows given that have weight 0."""
        return np.setdiff1d(np.arange(self.rows), self.origin)


def _fingerprints(inputs: Array, targets: Array) -> Array:
    """A number for each row: equal rows have equal ones, others hardly ever."""
    found = np.zeros(inputs.shape[0], dtype=np.uint64)
    for column in (*inputs.T, *targets.T):
        bits = (column.astype(np.float64) + 0.0).view(np.uint64)  # -0 is 0
        found = (found ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
    return found


def weighted(inputs: Array, targets: Array, weights: Array | None) -> Examples:
    """Rows and their weights as scikit-learn means them.

    Rows of weight 0 are left out. Whole numbers are repetitions, others weigh the loss. If some
    rows are the same, rows are put in an order that depends on their values alone. So a row of
    weight 3 and three equal rows make the same ensemble to the bit.
    """
    rows = inputs.shape[0]
    origin = np.arange(rows)
    loss_weights: Array | None = None
    marks = _fingerprints(inputs, targets)
    if weights is not None:
        if (weights < 0).any():
            row = int((weights < 0).argmax())
            raise ValueError(
                f"sample_weight[{row}] is {weights[row]:g} but weights must not be negative"
            )
        if not weights.any():
            raise ValueError(
                "all weights are zero, so there is nothing to learn from; sample weights must "
                "contain at least one non-zero number"
            )
        if (weights == np.floor(weights)).all() and weights.sum() <= _MOST_COPIES * rows:
            origin = np.repeat(origin, weights.astype(np.int64))
        else:
            origin = origin[weights > 0]
            loss_weights = np.ascontiguousarray(weights[origin], dtype=np.float64)
    if loss_weights is None:
        drawn = marks[origin]
        order = np.argsort(drawn, kind="stable")
        drawn = drawn[order]
        if (drawn[1:] == drawn[:-1]).any():
            origin = origin[order]
    if origin.shape[0] == rows and (origin == np.arange(rows)).all():
        return Examples(inputs, targets, loss_weights, None, rows, marks)
    return Examples(taken(inputs, origin), targets[origin], loss_weights, origin, rows, marks)


@dataclass(frozen=True, slots=True)
class SeenRows:
    """Rows that members were trained on in earlier calls, as hashes.

    A member leaves out rows by their place among the rows of a call. A row that comes again at
    another place, or among another number of rows, may be out of bag for members that were trained
    on it.
    """

    calls: tuple[tuple[str, Array], ...] = ()  #: how rows were drawn, and the rows in their order
    known: Array | None = None  #: hashes of all calls, sorted; None if there is one call
    moved: bool = False  #: whether rows came again at another place

    def with_call(self, examples: Examples, drawn: str) -> SeenRows:
        """These and the rows of a call, which are `drawn` in this way."""
        if self.moved or examples.marks is None:
            return self
        rows = examples.marks[examples.origin]
        if any(how == drawn and np.array_equal(rows, earlier) for how, earlier in self.calls):
            return self
        if not self.calls:
            return SeenRows(((drawn, rows),))
        known = np.sort(self.calls[0][1]) if self.known is None else self.known
        beside = examples.marks[examples.left_out]
        if self._come_again(rows, known, drawn) or self._come_again(beside, known, "not drawn"):
            return SeenRows(moved=True)
        added = np.sort(rows)
        known = np.insert(known, np.searchsorted(known, added), added)
        return replace(self, calls=(*self.calls, (drawn, rows)), known=known)

    def _come_again(self, rows: Array, known: Array, drawn: str) -> bool:
        """Whether more rows are known, from another place, than equal rows explain."""
        again = _found(rows, known)
        if not again.any():
            return False
        for how, earlier in self.calls:
            if how == drawn and len(earlier) == len(rows):
                again &= earlier != rows
        # New rows of columns with few values may equal known ones as often as these one another.
        same = known[1:] == known[:-1]
        equal = np.count_nonzero(np.append(same, False) | np.append(False, same))
        usual = (equal + 1) / (len(known) + 2)
        most = usual + 3 * np.sqrt(usual * (1 - usual) / len(rows))
        return bool(np.mean(again) > most)


def _found(rows: Array, known: Array) -> Array:
    """Which of the hashes are among sorted ones."""
    places = np.searchsorted(known, rows).clip(max=len(known) - 1)
    found: Array = known[places] == rows
    return found
