"""Functions of means of features: any of them runs at the speed of the mean."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._chunked import whole
from bootfold._data import Array, Data, frame_of, number_array
from bootfold._interval import Needs
from bootfold._progress import reporter
from bootfold._returned import check_returned, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bootfold._options import Progress
    from bootfold._source import Settings

_CHUNK_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Sums:
    """A statistic made by `bootfold.sums`."""

    features: Callable[..., Any]
    finish: Callable[..., Any]
    name: str
    tolerance: float
    outputs: tuple[str, ...] = ()


def sums(
    features: Callable[..., Any],
    finish: Callable[..., Any],
    *,
    name: str = "sums",
    tolerance: float = 1e-5,
    outputs: Sequence[str] | None = None,
) -> Sums:
    """A statistic that is a function of means of features.

    Regressions, ratios, correlations, moments: each is a function of a few means. The features are
    computed once, for all rows; their means on every resample come at streaming speed; and the
    function of the means is called for many replicates at a time.

    Parameters
    ----------
    features : callable
        Gets the data (arrays of a tuple one by one) and returns the features: a sequence of columns
        with one number for each row, or an array of shape (rows, features).
    finish : callable
        Gets the means of the features as an array of shape (features, replicates), so that
        ``x, y = means`` unpacks it, and returns one number for each replicate, or an array of
        shape (values, replicates).
    name : str
        What the values are called.
    tolerance : float
        Largest error of a mean, as a share of its standard error. Where `finish` subtracts numbers
        that are nearly equal, 1e-9 costs a little time; subtracting a centre from the data is best.
    outputs : sequence of str, optional
        A name for each value. Unless given: `name`, with the place of the value if there are
        several.

    Examples
    --------
    The coefficient of variation:

    >>> import numpy as np
    >>> import bootfold as bf
    >>> variation = bf.sums(lambda x: (x, x * x), lambda m: np.sqrt(m[1] - m[0] ** 2) / m[0])
    >>> r = bf.bootstrap(np.arange(1.0, 101.0), variation, replicates=10_000, seed=7)
    >>> round(r.estimate, 6)
    0.571605
    """
    if not callable(features) or not callable(finish):
        raise TypeError("features and finish must be functions")
    return Sums(features, finish, name, tolerance, tuple(outputs or ()))


def _arguments(data: Data) -> list[Any]:
    """What the user gave, as arrays and frames."""
    found: list[Any] = []
    column = 0
    for part in data.parts:
        own = data.arrays[column : column + part.columns]
        column += part.columns
        if part.kind == "vector":
            found.append(whole(own[0]))
        else:
            table = np.column_stack([whole(column) for column in own])
            found.append(frame_of(table, part) if part.kind == "frame" else table)
    return found


def _features(statistic: Sums, data: Data) -> list[Array]:
    """The columns that the user's function makes."""
    made = statistic.features(*_arguments(data))
    check_returned(
        made, f"features {name_of(statistic.features)}", "columns with a number for each row"
    )
    if not isinstance(made, (tuple, list)):
        array = number_array(made, "features")
        if array.ndim == 1:
            made = [array]
        elif array.ndim == 2 and array.shape[0] == data.rows:
            made = list(array.T)
        else:
            raise ValueError(
                f"features returned an array of shape {array.shape} for {data.rows} rows; "
                f"return a tuple of columns, or an array of shape ({data.rows}, features)"
            )
    columns = []
    for number, feature in enumerate(made, 1):
        array = number_array(feature, f"the values of feature {number}")
        if array.ndim == 0:  # a constant
            array = np.broadcast_to(array, (data.rows,))
        if array.shape != (data.rows,):
            raise ValueError(
                f"feature {number} has shape {array.shape} but must be one number for each of the "
                f"{data.rows} rows"
            )
        columns.append(array)
    if not columns:
        raise ValueError("features returned nothing; a statistic needs at least one feature")
    return columns


class SumsSource:
    """Replicates of a function of means."""

    def __init__(self, data: Data, statistic: Sums, settings: Settings) -> None:
        if not data.paired:
            raise ValueError(
                "sums takes rows that belong together; say paired=True, or write a function of "
                "the samples"
            )
        if settings.scheme == "jackknife":
            raise ValueError(
                "scheme 'jackknife' does not go with sums; a bca interval of sums looks at each row"
            )
        self._statistic = statistic
        self.names = data.names  #: of the columns, if they have any
        self._whole = settings.scheme == "balanced"  # such a run cannot be cut into pieces
        self._features = _features(statistic, data)
        self._settings = dataclasses.replace(settings, tolerance=statistic.tolerance)
        self.request = self._settings.request(self._features, [])
        self.request.add_named("mean")
        self.note = f"{statistic.name} is a function of {len(self._features)} means"
        self.quick = True
        self.shape: tuple[int, ...] = ()
        self._names: list[str] = []

    def _finish(self, means: Array) -> Array:
        """Values [replicate][output] of means [feature][replicate]."""
        count = means.shape[1]
        found = self._statistic.finish(means)
        who = f"finish {name_of(self._statistic.finish)}"
        expected = "one number for each replicate"
        check_returned(found, who, expected)
        try:
            array = np.asarray(found, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"{who} returned {found!r} but must return {expected}") from None
        if array.ndim == 0 or array.shape[-1] != count:
            raise ValueError(
                f"finish returned an array of shape {array.shape} for the means of {count} "
                "replicates; its last axis must be the replicates"
            )
        array = np.moveaxis(array, -1, 0)
        if not self._names:
            self.shape = array.shape[1:]
            name = self._statistic.name
            self._names = (
                [name]
                if self.shape == ()
                else [f"{name}[{','.join(map(str, i))}]" for i in np.ndindex(*self.shape)]
            )
            given = list(self._statistic.outputs)
            if given and len(given) != len(self._names):
                raise ValueError(
                    f"outputs has {len(given)} names but finish returned {len(self._names)} values "
                    "for each replicate"
                )
            self._names = given or self._names
        return array.reshape(count, -1)

    def of_group(self, means: Array) -> float:
        """The value of means [feature][1] of the rows of a group."""
        array = self._finish(means)
        if array.size != 1:
            raise ValueError(
                f"{self._statistic.name} returned {array.size} values but a comparison needs one "
                "number"
            )
        return float(array[0, 0])

    @property
    def features(self) -> list[Array]:
        """One for each mean."""
        return self._features

    def _check(self, needs: Needs) -> None:
        if needs.standard_errors:
            raise ValueError(
                "a studentized interval needs a standard error on every resample, which is not "
                "available for sums; use bca"
            )
        if needs.influence and self.request.rows == 1:
            raise ValueError("there is only one row; the jackknife needs at least 2")

    def run(self, replicates: int, first: int, needs: Needs, progress: Progress) -> _core.Result:
        self._check(needs)
        chunk = max(1024, _CHUNK_BYTES // (8 * len(self._features)))
        if self._whole:
            chunk = replicates
        values: list[Array] = []
        with reporter(progress, replicates) as tell:
            for begin in range(0, replicates, chunk):
                count = min(chunk, replicates - begin)
                part = self.request.run(count, first + begin, tell)
                values.append(self._finish(part.replicates.T))
        whole = values[0] if len(values) == 1 else np.concatenate(values)
        estimates = self._finish(np.array(part.estimates)[:, None])[0]
        centres = self._finish(np.array(part.centres)[:, None])[0]
        result = _core.Result.made(
            part.plan,
            part.seed,
            estimates.tolist(),
            np.ascontiguousarray(whole),
            self._names,
            [] if part.centres == part.estimates else centres.tolist(),
        )
        if needs.influence:
            self.add_influences(result)
        return result

    def explain(self, replicates: int, needs: Needs) -> _core.Plan:
        self._check(needs)
        return self.request.explain(replicates)

    def add_influences(self, result: _core.Result) -> None:
        """By pseudo-values: without a row their mean does what the statistic does."""
        self._check(Needs(influence=True))
        settings = self._settings
        number = self._features[0].shape[0]
        weights = np.ones(number) if settings.weights is None else settings.weights
        times = np.ones(number) if settings.frequencies is None else settings.frequencies
        rows = float(times.sum())
        total = float(weights @ times)
        if (weights == total).any():
            raise ValueError(
                "one row has all of the weight, so that nothing is left without it, and there is "
                "no bca interval; use percentile"
            )
        means = np.array(self.request.run(1, 0, None).estimates)[:, None]
        estimates = np.array(result.estimates)
        changed = np.empty((number, estimates.size))
        chunk = max(1024, _CHUNK_BYTES // (8 * len(self._features)))
        for begin in range(0, number, chunk):
            own = np.array([f[begin : begin + chunk] for f in self._features], dtype=np.float64)
            weight = weights[begin : begin + chunk]
            without = means - (own - means) * (weight / (total - weight))
            values = self._finish(without)
            changed[begin : begin + chunk] = estimates + (rows - 1) * (estimates - values)
        request = dataclasses.replace(settings, weights=None).request(list(changed.T), [])
        request.add_named("mean")
        request.add_linear_influences(result)
