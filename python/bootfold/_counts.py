"""Resamples as counts: for matrix products and weighted functions of the user's own."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from bootfold import _core
from bootfold._chunked import whole
from bootfold._data import Array, Data, frame_of
from bootfold._function import noted, place, stacked
from bootfold._identity import identity_of
from bootfold._options import Progress, Seed, memory_bytes, seed_number, thread_number, whole_number
from bootfold._progress import reporter
from bootfold._returned import check_returned, name_of
from bootfold._source import Settings, checked_weights, row_numbers, set_labels, set_scheme
from bootfold._whole import taken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bootfold._interval import Needs
    from bootfold._statistics import Function

Takes: TypeAlias = Literal["resample", "counts", "weights"]

# An iterator that is not told the size of its batches makes batches of about so many bytes.
_BATCH_BYTES = 32 << 20


@overload
def counts(
    rows: int,
    replicates: int,
    *,
    seed: Seed = ...,
    first: int = ...,
    scheme: str | None = ...,
    strata: Any = ...,
    clusters: Any = ...,
    two_stage: bool = ...,
    block_length: float | None = ...,
    probabilities: Any = ...,
    size: int | None = ...,
    dtype: Any = ...,
    batches: Literal[False] = ...,
    batch: None = ...,
    threads: int | None = ...,
    memory: int | str | None = ...,
    progress: Progress = ...,
) -> Array: ...


@overload
def counts(
    rows: int,
    replicates: int,
    *,
    seed: Seed = ...,
    first: int = ...,
    scheme: str | None = ...,
    strata: Any = ...,
    clusters: Any = ...,
    two_stage: bool = ...,
    block_length: float | None = ...,
    probabilities: Any = ...,
    size: int | None = ...,
    dtype: Any = ...,
    batches: Literal[True],
    batch: int | None = ...,
    threads: int | None = ...,
    memory: int | str | None = ...,
    progress: Progress = ...,
) -> Iterator[tuple[int, Array]]: ...


def counts(
    rows: int,
    replicates: int,
    *,
    seed: Seed = 0,
    first: int = 0,
    scheme: str | None = None,
    strata: Any = None,
    clusters: Any = None,
    two_stage: bool = False,
    block_length: float | None = None,
    probabilities: Any = None,
    size: int | None = None,
    dtype: Any = None,
    batches: bool = False,
    batch: int | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress = False,
) -> Array | Iterator[tuple[int, Array]]:
    """The resamples themselves: how often each row is drawn.

    ``counts(n, 1000, seed=7) @ x / n`` are 1,000 bootstrap means of x. Any statistic that takes
    weights of rows can be computed from counts, without gathering rows;
    ``bootstrap(..., takes="counts")`` does that with estimates and intervals.

    Parameters
    ----------
    rows : int
        Rows of the data.
    replicates : int
        The number of resamples.
    seed : int, numpy.random.Generator, SeedSequence or None
        As in `bootstrap`.
    first : int
        The number of the first replicate. A replicate depends on seed and number alone, so ranges
        can be made apart from each other.
    scheme, strata, clusters, two_stage, block_length, probabilities, size
        How rows are drawn, as in `bootstrap`; blocks need a length. For scheme "bayesian" the
        result is an array of weights that add up to the rows.
    dtype : optional
        numpy.uint8, uint16, uint32 or float64. Unless given: uint8, or a wider type if the scheme
        may draw a row more than 255 times (float64 for scheme "bayesian"). A count that does not
        fit raises an error.
    batches : bool
        True: an iterator of (first, counts), the number of the first replicate and an array of
        shape (batch, rows), in place of one array.
    batch : int, optional
        Replicates of a batch; as many as fit 32 MiB and an eighth of the memory limit unless given.
    threads, memory, progress
        As in `bootstrap`. An array larger than the memory limit raises an error.

    Returns
    -------
    numpy.ndarray of shape (replicates, rows), or an iterator

    Notes
    -----
    For schemes "iid" (unless more rows are drawn than there are), "poisson", "stratified" (with at
    least 256 rows in a stratum on average) and "unequal" (from 32,768 draws on) these are the
    resamples of path "stream", the path of means and other sums of many rows. For other schemes
    they are the resamples that functions get.

    Examples
    --------
    >>> import numpy as np
    >>> import bootfold as bf
    >>> c = bf.counts(1000, 50, seed=7)
    >>> c.shape, c.dtype, c.sum(axis=1).tolist() == [1000] * 50
    ((50, 1000), dtype('uint8'), True)
    >>> x = np.arange(1000.0)
    >>> r = bf.bootstrap(x, "mean", replicates=50, seed=7, path="stream")
    >>> bool(np.allclose(c @ x / 1000, r.replicates, rtol=1e-12))
    True
    >>> sum(part.shape[0] for first, part in bf.counts(1000, 50, seed=7, batches=True, batch=20))
    50
    """
    rows = whole_number("rows", rows, 1)
    replicates = whole_number("replicates", replicates, 1)
    first = whole_number("first", first, 0)
    settings = Settings(seed_number(seed), memory_bytes(memory), thread_number(threads))
    set_scheme(settings, scheme, two_stage, size, block_length)
    set_labels(settings, strata, clusters, rows)
    if probabilities is not None:
        settings.probabilities = row_numbers(probabilities, rows, "probabilities")
    if scheme in ("moving", "circular", "stationary") and not settings.block_length:
        raise ValueError(
            f"scheme {scheme!r} needs block_length=: there are no data to choose a length from"
        )
    if first > 0 and scheme == "balanced":
        raise ValueError(
            f"first is {first} but scheme 'balanced' shares the draws among the replicates of one "
            "run; make all of its counts at once"
        )
    maker = _Maker(rows, first + replicates, settings, dtype)
    limit = settings.memory or _core.default_memory()
    if not batches:
        if batch is not None:
            raise ValueError(f"batch is {batch!r} but it is for batches=True; omit it")
        maker.check_memory(replicates, limit)
        with reporter(progress, replicates) as tell:
            return maker.make(first, replicates, tell)
    if batch is None:
        most = min(_BATCH_BYTES, limit // 8)
        step = min(replicates, max(1, most // (rows * maker.dtype.itemsize)))
    else:
        step = whole_number("batch", batch, 1)
        maker.check_memory(min(step, replicates), limit)
    return maker.batches(first, replicates, step, progress)


class _Maker:
    """Fills arrays with counts."""

    def __init__(self, rows: int, replicates: int, settings: Settings, dtype: Any) -> None:
        self._rows = rows
        self._counter = _core.Counter(
            rows,
            settings.scheme,
            settings.strata,
            settings.clusters,
            settings.probabilities,
            settings.block_length,
            settings.size,
            settings.two_stage,
            settings.seed,
            replicates,
            settings.threads,
        )
        if dtype is None:
            if settings.scheme == "bayesian":
                dtype = np.float64
            else:
                dtype = {1: np.uint8, 2: np.uint16, 4: np.uint32}[self._counter.count_bytes]
        self.dtype = np.dtype(dtype)
        fills = {
            np.dtype(np.uint8): self._counter.fill_bytes,
            np.dtype(np.uint16): self._counter.fill_shorts,
            np.dtype(np.uint32): self._counter.fill_words,
            np.dtype(np.float64): self._counter.fill_weights,
        }
        if self.dtype not in fills:
            raise ValueError(f"dtype is {self.dtype} but must be uint8, uint16, uint32 or float64")
        self._fill: Any = fills[self.dtype]

    def check_memory(self, replicates: int, limit: int) -> None:
        needed = replicates * self._rows * self.dtype.itemsize
        if needed > limit:
            raise ValueError(
                f"{replicates:,} x {self._rows:,} counts take {needed / 2**30:.3g} GiB but the "
                f"memory limit is {limit / 2**30:.3g} GiB; batches=True makes them part by part, "
                "and memory= is another limit"
            )

    def make(self, first: int, replicates: int, tell: Any = None) -> Array:
        made = np.empty((replicates, self._rows), dtype=self.dtype)
        self._fill(first, made, tell)
        return made

    def batches(
        self, first: int, replicates: int, step: int, progress: Progress
    ) -> Iterator[tuple[int, Array]]:
        with reporter(progress, replicates) as tell:
            for begin in range(first, first + replicates, step):
                count = min(step, first + replicates - begin)
                yield begin, self.make(begin, count)
                if tell is not None:
                    tell(begin + count - first, replicates)


def _as_numbers(found: Any) -> Array:
    """What a function of NumPy, JAX, torch or CuPy returned, as an array of doubles."""
    if hasattr(found, "detach"):  # torch: without its graph, and on the CPU
        found = found.detach().cpu()
    elif hasattr(found, "get") and hasattr(found, "__dlpack__"):  # CuPy
        found = found.get()
    return np.asarray(found, dtype=np.float64)


class CountsSource:
    """Replicates of a function of the data and counts of their rows."""

    def __init__(
        self, data: Data, given: Any, statistic: Function, takes: Takes, settings: Settings
    ) -> None:
        if any(part.kind == "sets" for part in data.parts):
            raise ValueError(
                f"axis= does not go with takes={takes!r}: the function gets all data and can "
                "compute one value for each data set"
            )
        self._function = statistic.function
        self._name = name_of(statistic.function)
        self._takes = takes
        self._weights = settings.weights
        if self._weights is not None:
            if takes == "counts":
                raise ValueError(
                    "weights= does not go with takes='counts', which are whole numbers; "
                    "takes='weights' gives the function the product of both"
                )
            self._weights = checked_weights(self._weights)
            settings = dataclasses.replace(settings, weights=None)
        self._data = data
        self._arguments = _shown(data, given)
        self._settings = settings
        self.jackknife = settings.scheme == "jackknife"
        self.request = stacked(data, settings)[1]
        self._rows = self.request.rows
        self.note = ""
        self.quick = False
        self.shape: tuple[int, ...] = ()
        self._names: list[str] = []
        found = self._first(statistic.name)
        # Under unequal probabilities the library asks for the values that make the estimates.
        self._estimates: Array | None = found if settings.probabilities is None else None

    def _first(self, name: str) -> Array:
        """The values on the data, and what they say about their number and shape."""
        kind = np.float64 if self._takes == "weights" else np.uint8
        found = self._values(np.ones((1, self._rows), kind), -1)
        self.shape = found.shape[1:]
        self._names = (
            [name]
            if self.shape == ()
            else [f"{name}[{','.join(map(str, i))}]" for i in np.ndindex(*self.shape)]
        )
        return found.reshape(1, -1)

    def _values(self, counted: Array, number: int) -> Array:
        """Values [replicate, ...]."""
        replicates = counted.shape[0]
        if self._weights is not None:
            counted = counted * self._weights
        parts = [counted]
        if not self._data.paired:
            ends = np.cumsum([part.rows for part in self._data.parts])[:-1]
            parts = np.split(counted, ends, axis=1)
        try:
            found = self._function(*self._arguments, *parts)
        except Exception as error:
            noted(error, place(number, replicates))
            raise
        expected = "an array of numbers, one for each resample"
        check_returned(found, f"the statistic {self._name}", expected)
        try:
            array = _as_numbers(found)
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(
                f"the statistic {self._name} returned {found!r} but must return {expected}"
            ) from None
        if array.ndim == 0 or array.shape[0] != replicates:
            raise ValueError(
                f"the statistic returned an array of shape {array.shape} for {self._takes} of "
                f"shape {counted.shape}; it must return one value, or one row of values, for each "
                f"of the {replicates} resamples"
            )
        if self._names and array.shape[1:] != self.shape:
            raise ValueError(
                f"the statistic returned an array of shape {array.shape} for {replicates} "
                f"resamples but {self.shape or 'a number'} for the data; all must have one shape"
            )
        return array

    def evaluate(self, number: int, counted: Array) -> Array:
        """The values of a batch, as the library calls for them."""
        if number < 0 and self._estimates is not None:
            found, self._estimates = self._estimates, None
            return found
        array = self._values(counted, number)
        return np.ascontiguousarray(array.reshape(array.shape[0], -1))

    def _check(self, needs: Needs) -> None:
        if needs.standard_errors:
            raise ValueError(
                "a studentized interval needs a standard error on every resample, which is not "
                "available for Python functions; use bca, or a named statistic"
            )

    def run(self, replicates: int, first: int, needs: Needs, progress: Progress) -> _core.Result:
        self._check(needs)
        if self.jackknife:
            return _core.run_one_by_one(
                self._numbers(self._settings, self._rows), self._of_rows, self._names
            )
        with reporter(progress, replicates) as tell:
            result = _core.run_counts(
                self.request,
                self.evaluate,
                self._takes,
                self._names,
                replicates,
                first,
                tell,
                self._identity(),
            )
        if needs.influence:
            self.add_influences(result)
        return result

    def _identity(self) -> str:
        """Of the function, if a checkpoint needs it."""
        if not self.request.checkpoint:
            return ""
        return identity_of(self._function, self._takes, self._weights)

    def explain(self, replicates: int, needs: Needs) -> _core.Plan:
        self._check(needs)
        if self.jackknife:
            numbers = self._numbers(self._settings, self._rows)
            return _core.explain_function(numbers, self._names, replicates, needs.influence)
        return _core.explain_counts(self.request, self._takes, self._names, replicates)

    # The jackknife leaves out rows of a column of row numbers: what is left are counts of 0 and 1.

    @staticmethod
    def _numbers(settings: Settings, rows: int) -> _core.Request:
        return settings.request([np.arange(rows, dtype=np.float64)], [])

    def _counted(self, numbers: Array, rows: int) -> Array:
        found = np.bincount(numbers.astype(np.intp), minlength=rows)
        return found.astype(np.float64 if self._takes == "weights" else np.uint8)

    def _of_rows(self, number: int, block: Any) -> Array:
        """The values on the rows whose numbers are in a block [column][resample][row]."""
        kept = [self._counted(one, self._rows) for one in block[0]]
        found = self._values(np.stack(kept), number)
        return np.ascontiguousarray(found.reshape(len(kept), -1))

    def _of_sample(self, begin: int, rows: int, number: int, block: Any) -> Array:
        """The same for the rows of one of several samples; the others are as they are."""
        counted = np.ones((1, self._rows), np.float64 if self._takes == "weights" else np.uint8)
        counted[0, begin : begin + rows] = self._counted(block[0, 0], rows)
        return np.ascontiguousarray(self._values(counted, number).reshape(1, -1))

    def add_influences(self, result: _core.Result) -> None:
        if self._data.paired:
            numbers = self._numbers(self._settings, self._rows)
            _core.add_function_influences(numbers, self._of_rows, self._names, result)
            return
        requests = []
        functions = []
        begin = 0
        for part in self._data.parts:
            requests.append(self._numbers(self._settings, part.rows))
            functions.append(functools.partial(self._of_sample, begin, part.rows))
            begin += part.rows
        _core.add_samples_influences(requests, functions, self._names, result)


def _shown(data: Data, given: Any) -> list[Any]:
    """What a function gets of the data: what was given, with sequences as arrays."""
    values = given if isinstance(given, tuple) else (given,)
    rows = [part.rows for part in data.parts]
    found: list[Any] = []
    column = 0
    for value, part, expected in zip(values, data.parts, rows, strict=True):
        own = data.arrays[column : column + part.columns]
        column += part.columns
        complete = hasattr(value, "__len__") and len(value) == expected
        if complete and (hasattr(value, "shape") or part.kind == "frame"):
            found.append(value)
        elif part.kind == "rows":
            found.append(taken(part.whole, whole(own[0])))
        elif part.kind == "vector":
            found.append(whole(own[0]))
        else:  # some rows were left out, or a type that the function cannot know
            table = np.column_stack([whole(column) for column in own])
            found.append(frame_of(table, part) if part.kind == "frame" else table)
    return found


def check_takes(takes: Any, vectorized: bool | None) -> None:
    if takes not in ("resample", "counts", "weights"):
        raise ValueError(f"takes is {takes!r} but must be 'resample', 'counts' or 'weights'")
    if takes != "resample" and vectorized is not None:
        raise ValueError(
            f"vectorized is {vectorized} but a function that takes {takes} always gets those of "
            "many resamples; omit vectorized"
        )
