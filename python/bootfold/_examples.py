"""The training rows of an ensemble, with integer weights replaced by repeated rows."""

from __future__ import annotations

from dataclasses import dataclass
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
        marks = _fingerprints(inputs, targets)[origin]
        order = np.argsort(marks, kind="stable")
        if (np.diff(marks[order]) == 0).any():
            origin = origin[order]
    if origin.shape[0] == rows and (origin == np.arange(rows)).all():
        return Examples(inputs, targets, loss_weights, None, rows)
    return Examples(taken(inputs, origin), targets[origin], loss_weights, origin, rows)
