"""Functions written in Python: fed with batches of resamples that threads draw meanwhile."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._chunked import Column, chunks_of, matrix
from bootfold._data import Array, Data, frame_of
from bootfold._identity import identity_of
from bootfold._progress import reporter
from bootfold._returned import check_returned, name_of
from bootfold._whole import hash_of, taken

if TYPE_CHECKING:
    from bootfold._interval import Needs
    from bootfold._options import Progress
    from bootfold._source import Settings
    from bootfold._statistics import Function


def noted(error: BaseException, text: str) -> None:
    """Adds a line to what a traceback shows."""
    if hasattr(error, "add_note"):
        error.add_note(text)
    else:  # Python 3.10
        error.args = (f"{error.args[0]} [{text}]", *error.args[1:]) if error.args else (text,)


#: A resample that has no number.
OF_GROUP = -2


def place(number: int, count: int) -> str:
    if number == OF_GROUP:
        return "bootfold: on a resample of the rows of a group"
    if number < 0:
        return "bootfold: on the data themselves, or without some of their rows"
    if count == 1:
        return f"bootfold: in replicate {number}"
    return f"bootfold: in the replicates {number} to {number + count - 1}"


class _Shown:
    """What a function is shown of a block [column][resample][row]."""

    def __init__(self, data: Data) -> None:
        self.parts = data.parts
        self.paired = data.paired
        self.tables = any(part.kind in ("table", "frame") for part in data.parts)
        self.sets = data.parts[0].shape if data.parts[0].kind == "sets" else ()

    def arguments(self, block: Array) -> list[Array]:
        """Resamples along the first axis; of data sets, along the last but one."""
        found = []
        column = row = 0
        for part in self.parts:
            if self.paired:
                own = block[column : column + part.columns]
                column += part.columns
            else:
                own = block[: part.columns, :, row : row + part.rows]
                row += part.rows
            if part.kind in ("vector", "rows"):
                found.append(own[0])
            elif part.kind == "sets":
                found.append(own.reshape(*part.shape, *own.shape[1:]))
            else:
                found.append(own.transpose(1, 2, 0))
        return found

    def one(self, arguments: list[Array], resample: int) -> list[Any]:
        """The arguments of one resample."""
        found: list[Any] = []
        for argument, part in zip(arguments, self.parts, strict=True):
            own = argument[resample]
            if part.kind == "rows":
                found.append(taken(part.whole, own))
            else:
                found.append(frame_of(own, part) if part.kind == "frame" else own)
        return found


def stacked(data: Data, settings: Settings) -> tuple[list[Column], _core.Request]:
    """The columns, of independent samples one below the other, and a request for them."""
    if data.paired:
        return data.arrays, settings.request(data.arrays, data.names)
    of_rows = (settings.clusters, settings.probabilities, settings.strata, settings.weights)
    if (
        settings.scheme not in (None, "iid")
        or settings.size
        or any(values is not None for values in of_rows)
        or settings.block_length is not None
    ):
        raise ValueError(
            "each of several independent samples is resampled by scheme 'iid' at its own size; "
            "omit scheme, size, strata, clusters, weights, probabilities and block_length, or use "
            "paired=True"
        )
    columns = data.parts[0].columns
    if any(part.columns != columns for part in data.parts):
        raise ValueError(
            "independent samples must have the same number of columns, but they have "
            + ", ".join(str(part.columns) for part in data.parts)
        )
    joined: list[Column] = [
        np.concatenate([chunk for column in data.arrays[c::columns] for chunk in chunks_of(column)])
        for c in range(columns)
    ]
    sizes = [part.rows for part in data.parts]
    strata = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    stratified = dataclasses.replace(settings, scheme="stratified", strata=strata)
    return joined, stratified.request(joined, [])


class FunctionSource:
    """Replicates of a function of the user's."""

    def __init__(
        self, data: Data, statistic: Function, settings: Settings, *, jackknife: bool = False
    ) -> None:
        self._function = statistic.function
        self._name = name_of(statistic.function)
        self._vectorized = statistic.vectorized
        if self._vectorized and any(part.kind == "rows" for part in data.parts):
            raise TypeError(
                f"the statistic {self._name} takes many resamples at once, which are arrays of "
                "numbers, but the data have columns of other types; choose columns by columns=, "
                "or say vectorized=False"
            )
        self._data = data
        self.names = data.names_of_vectors
        self._shown = _Shown(data)
        self._settings = settings
        self.jackknife = jackknife
        self._columns, self.request = stacked(data, settings)
        self.note = ""
        self.quick = False
        self.shape: tuple[int, ...] = ()
        self._names: list[str] = []
        found = self._first(statistic.name)
        # Under unequal probabilities the library asks for the values that make the estimates.
        self._estimates: Array | None = found if settings.probabilities is None else None

    def _first(self, name: str) -> Array:
        """The values on the data, and what they say about their number and shape."""
        array = self._outputs(self._values(matrix(self._columns)[:, None, :], -1), 1)
        self.shape = array.shape[1:]
        if not self._names:
            self._names = (
                [name]
                if self.shape == ()
                else [f"{name}[{','.join(map(str, i))}]" for i in np.ndindex(*self.shape)]
            )
        return array.reshape(1, -1)

    def _values(self, block: Array, number: int) -> Any:
        """What the function makes of a block: of a vectorised one as it comes, else a list."""
        arguments = self._shown.arguments(block)
        return self._call(arguments, block.shape[1], number)

    def _call(self, arguments: list[Any], count: int, number: int) -> Any:
        function = self._function
        if self._vectorized:
            try:
                return function(*arguments, axis=1 if self._shown.tables else -1)
            except Exception as error:
                noted(error, place(number, count))
                raise
        shown = self._shown
        alone = len(arguments) == 1 and shown.parts[0].kind == "vector"
        found: list[Any] = []
        try:
            for r in range(count):
                if alone:
                    found.append(function(arguments[0][r]))
                elif shown.sets:
                    found.append(
                        [function(*(a[i][r] for a in arguments)) for i in np.ndindex(*shown.sets)]
                    )
                else:
                    found.append(function(*shown.one(arguments, r)))
        except Exception as error:
            noted(error, place(number + len(found) if number >= 0 else number, 1))
            raise
        return found

    def _outputs(self, found: Any, count: int) -> Array:
        """Values as an array [resample][...]."""
        if not self._vectorized and found and isinstance(found[0], Mapping):
            if not self._names:
                self._names = [str(key) for key in found[0]]
            found = [list(one.values()) for one in found]
        expected = "a number, or equally many numbers every time"
        check_returned(found, f"the statistic {self._name}", expected)
        try:
            array = np.asarray(found, dtype=np.float64)
        except (TypeError, ValueError):
            first = found if self._vectorized else found[0]
            raise TypeError(
                f"the statistic {self._name} returned {first!r} but must return {expected}"
            ) from None
        if not self._vectorized:
            if self._shown.sets:  # behind the values of each, as a vectorised function has them
                array = np.moveaxis(array, 1, -1)
                array = array.reshape(*array.shape[:-1], *self._shown.sets)
            return array
        resample_axis = 0 if self._shown.tables else -1
        if array.ndim == 0 or array.shape[resample_axis] != count:
            raise ValueError(
                f"the statistic returned an array of shape {array.shape} for {count} resamples at "
                "once; it must reduce the axis it is given and keep the others, or say "
                "vectorized=False"
            )
        return np.moveaxis(array, resample_axis, 0)

    def evaluate(self, number: int, block: Any) -> Array:
        """The values of a batch, as the library calls for them."""
        if isinstance(block, list):
            return np.concatenate(
                [self.evaluate(number + r, one[:, None, :]) for r, one in enumerate(block)]
            )
        if number < 0 and self._estimates is not None:
            found, self._estimates = self._estimates, None
            return found
        count = block.shape[1]
        array = self._outputs(self._values(block, number), count)
        return np.ascontiguousarray(array.reshape(count, -1))

    def of_group(self, block: Array) -> float:
        """The value on rows of a group [column][row]."""
        array = self._outputs(self._values(block[:, None, :], OF_GROUP), 1)
        if array.size != 1:
            raise ValueError(
                f"the statistic {self._name} returned {array.size} values but a comparison needs "
                "one number"
            )
        return float(array.reshape(-1)[0])

    @staticmethod
    def _check(needs: Needs) -> None:
        if needs.standard_errors:
            raise ValueError(
                "a studentized interval needs a standard error on every resample, which is not "
                "available for Python functions; use bca, or a named statistic"
            )

    def run(self, replicates: int, first: int, needs: Needs, progress: Progress) -> _core.Result:
        self._check(needs)
        if self.jackknife:
            result = _core.run_one_by_one(self.request, self.evaluate, self._names)
        else:
            with reporter(progress, replicates) as tell:
                result = _core.run_function(
                    self.request,
                    self.evaluate,
                    self._names,
                    replicates,
                    first,
                    tell,
                    self._identity(),
                    not self._vectorized,
                )
        if needs.influence:
            self.add_influences(result)
        return result

    def _identity(self) -> str:
        """Of the function, if a checkpoint needs it."""
        if not self.request.checkpoint:
            return ""
        frames = [hash_of(part.whole) for part in self._data.parts if part.kind == "rows"]
        return " ".join([identity_of(self._function, self._vectorized), *frames])

    def explain(self, replicates: int, needs: Needs) -> _core.Plan:
        self._check(needs)
        return _core.explain_function(self.request, self._names, replicates, needs.influence)

    def add_influences(self, result: _core.Result) -> None:
        if self._data.paired:
            _core.add_function_influences(self.request, self.evaluate, self._names, result)
            return
        columns = self._data.parts[0].columns
        samples = [
            self._data.arrays[s * columns : (s + 1) * columns] for s in range(len(self._data.parts))
        ]
        blocks = [matrix(sample)[:, None, :] for sample in samples]
        requests = [self._settings.request(sample, []) for sample in samples]
        functions = [
            functools.partial(self._with_sample, blocks, number) for number in range(len(samples))
        ]
        _core.add_samples_influences(requests, functions, self._names, result)

    def _with_sample(self, blocks: list[Array], place: int, number: int, block: Array) -> Array:
        """All samples as they are but one, which is the only resample of the block."""
        arguments = []
        for s, part in enumerate(self._data.parts):
            own = block if s == place else blocks[s]
            alone = part.kind in ("vector", "rows")
            arguments.append(own[0] if alone else own.transpose(1, 2, 0))
        return np.ascontiguousarray(
            self._outputs(self._call(arguments, 1, number), 1).reshape(1, -1)
        )
