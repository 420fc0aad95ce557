"""What a bootstrap found."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._frames import package_of, table
from bootfold._interval import (
    USUAL,
    Alternative,
    Asked,
    Convention,
    Interval,
    Method,
    Needs,
    joined,
)
from bootfold._named import NamedSource
from bootfold._options import Progress, whole_number
from bootfold._saved import content_of, object_of
from bootfold._source import Source
from bootfold._text import as_html, as_text, titles

if TYPE_CHECKING:
    from collections.abc import Sequence


class Result:
    """What a bootstrap found: estimate, its standard error, its bias, and the replicates.

    Numbers are floats for one value, else arrays of one shape; `replicates` has one more axis in
    front. `bootfold.bootstrap` makes results and `bootfold.load` reads saved ones; they pickle.

    Examples
    --------
    >>> import bootfold as bf
    >>> r = bf.bootstrap([3.0, 1.0, 4.0, 1.0, 5.0, 9.0], "mean", replicates=10_000, seed=7)
    >>> round(r.estimate, 3)
    3.833
    >>> r.replicates.shape
    (10000,)
    """

    __slots__ = ("_asked", "_core", "_named", "_note", "_shape", "_source", "_studentized")

    def __init__(
        self,
        core: _core.Result,
        shape: tuple[int, ...] = (),
        source: Source | None = None,
        note: str = "",
        asked: Asked = USUAL,
        named: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._core = core
        self._named = named  # without a source: statistic and columns of each value, if known
        self._studentized: _core.Result | None = None  # the same run with standard errors
        self._shape = shape
        self._source = source
        self._note = note
        self._asked = asked

    def _shaped(self, numbers: Sequence[Any]) -> Any:
        return numbers[0] if self._shape == () else np.array(numbers).reshape(self._shape)

    @property
    def estimate(self) -> Any:
        """The statistic on the data as they are."""
        return self._shaped(self._core.estimates)

    @property
    def standard_error(self) -> Any:
        """Standard deviation of the replicates."""
        return self._shaped(self._core.standard_errors)

    @property
    def standard_error_error(self) -> Any:
        """Monte Carlo error of the standard error: what another seed would change."""
        return self._shaped(self._core.standard_error_errors)

    @property
    def centre(self) -> Any:
        """The value around which the replicates are distributed.

        The estimate, except for scheme "moving", whose blocks have the rows near the ends less
        often: then it is the statistic with the expected counts of rows as weights, if the
        statistic can be evaluated at weights.
        """
        return self._shaped(self._core.centres)

    @property
    def bias(self) -> Any:
        """Mean of the replicates - centre."""
        return self._shaped(self._core.biases)

    @property
    def bias_error(self) -> Any:
        """Monte Carlo error of the bias."""
        return self._shaped(self._core.bias_errors)

    @property
    def undefined(self) -> Any:
        """How many replicates are not a number; they are left out of all other numbers."""
        return self._shaped(self._core.undefined)

    @property
    def replicates(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The statistic on each resample: read-only, not copied, first axis the replicates."""
        found = self._core.replicates
        return found.reshape(found.shape[0], *self._shape)

    @property
    def outputs(self) -> list[str]:
        """A name for each value, in the order of the flattened estimate."""
        return self._core.outputs

    @property
    def seed(self) -> int:
        """The seed; the same seed gives the same bits."""
        return self._core.seed

    @property
    def plan(self) -> _core.Plan:
        """What was done, and why; `print(result.plan)` tells it."""
        plan = self._core.plan
        if self._note:
            plan.reason = f"{self._note}; {plan.reason}"
        return plan

    def interval(
        self,
        method: Method | None = None,
        confidence: float | None = None,
        alternative: Alternative | None = None,
        *,
        convention: Convention = "numpy",
        strict: bool = False,
    ) -> Interval:
        """A confidence interval, with the Monte Carlo error of each limit.

        Parameters
        ----------
        method : {"percentile", "basic", "normal", "bca", "studentized", "abc"}, optional
            "bca" and "abc" need the influence of each row, "studentized" needs a standard error on
            every resample. What the call of `bootstrap` did not ask for is computed on first use.
        confidence : float, optional
            Inside (0, 1).
        alternative : {"two-sided", "less", "greater"}, optional
            "less" has an upper limit only, "greater" a lower limit only.
        convention : {"numpy", "r"}
            Ties and quantiles as in SciPy or as in R boot.
        strict : bool
            Raise ValueError where a warning would be given.

        Method, confidence and alternative that are not given are those of the call of `bootstrap`.

        Warns
        -----
        IntervalWarning
            Where the limits are not quite what was asked for.
        """
        asked = self._asked.changed(method, confidence, alternative)
        method = asked.method
        if (method == "bca" and not self._core.has_influences) or (
            method == "abc" and not self._core.has_abc_curves
        ):
            self._need(method).add_influences(self._core)
        core = self._core
        if method == "studentized" and not core.has_standard_errors:
            if self._studentized is None:
                count = core.replicates.shape[0]
                self._studentized = self._need(method).run(count, 0, asked.needs, False)
            core = self._studentized
        found = core.intervals(method, asked.confidence, asked.alternative, convention, strict)
        return joined(found, self._shape)

    def _need(self, what: str) -> Source:
        if self._source is None:
            raise ValueError(
                f"{what} needs the data, and this result was loaded without them; bootstrap "
                "again, with interval= for an interval"
            )
        return self._source

    def extend(self, replicates: int, *, progress: Progress = False) -> Result:
        """The same run with so many more replicates: a new result, the bits of one long run."""
        more = whole_number("replicates", replicates, 1)
        if self._core.jackknife:
            raise ValueError(
                "a jackknife is complete: it has one replicate for each row (or cluster), and "
                "there is nothing to extend"
            )
        source = self._need("extend")
        first = self._core.replicates.shape[0]
        needs = Needs(standard_errors=self._core.has_standard_errors)
        later = source.run(more, first, needs, progress)
        return Result(self._core.extended(later), self._shape, source, self._note, self._asked)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all of it to one .safetensors file; `bootfold.load` and the program read it.

        Every interval can then be made without the data, except that "bca" of a function in Python
        must have been asked for before, and "studentized" in the call of `bootstrap`.
        """
        if self._source is not None and self._source.quick and not self._core.has_influences:
            self._source.add_influences(self._core)
        self._core.save(os.fspath(path))

    def __copy__(self) -> Result:
        return self  # nothing of it changes

    def __deepcopy__(self, memo: object) -> Result:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        content = (content_of(self), self._shape, self._note, self._asked)
        return _unpickled, (*content, self._value_names())

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        method: Method | None = None,
        confidence: float | None = None,
        width: int = 480,
        height: int = 240,
    ) -> Any:
        """A picture of the replicates, the estimate and an interval: an Altair chart.

        A notebook shows it. With a path it is also written, without network, as .png, .svg, .pdf,
        .html or .json, by the ending of the name.
        """
        from bootfold._plot import plot

        jackknife = self._core.jackknife
        interval = None if jackknife else self.interval(method, confidence)
        return plot(self, interval, path, (width, height))

    def to_frame(self, package: str | None = None) -> Any:
        """A tidy table, one row for each value: statistic, value (the columns that it is of),
        estimate, standard_error, bias, low and high of the interval that `interval()` makes.

        `package` is "pandas", "polars" or "pyarrow"; unless given, the first that is installed.

        Examples
        --------
        >>> import bootfold as bf
        >>> import pandas as pd
        >>> price = pd.Series([3.0, 1.0, 4.0, 1.0, 5.0], name="price")
        >>> frame = bf.bootstrap(price, ["mean", "median"], seed=7).to_frame()
        >>> frame[["statistic", "value", "estimate"]].values.tolist()
        [['mean', 'price', 2.8], ['median', 'price', 3.0]]
        """
        interval = self.interval()
        numbers = {
            "estimate": self.estimate,
            "standard_error": self.standard_error,
            "bias": self.bias,
            "low": interval.low,
            "high": interval.high,
        }
        names = self._value_names()
        columns: dict[str, list[Any]] = {
            "statistic": [statistic for statistic, _ in names],
            "value": [value for _, value in names],
        }
        for name, values in numbers.items():
            columns[name] = np.asarray(values, dtype=float).reshape(-1).tolist()
        return table(package or package_of(), columns)

    def _value_names(self) -> list[tuple[str, str]]:
        """Statistic and columns of each value."""
        if self._source is None and self._named:
            return list(self._named)
        given: list[str] = getattr(self._source, "names", [])
        if given and isinstance(self._source, NamedSource):
            found = _core.output_names(self._source.request)
            return [(statistic, ", ".join(columns)) for statistic, columns in found]
        return [(output, ", ".join(given)) for output in self.outputs]

    def _titles(self) -> list[str]:
        return titles(self.outputs, self._value_names())

    def __repr__(self) -> str:
        text = as_text(self._core, self._asked, self._titles())
        if isinstance(self._source, NamedSource) and np.isnan(self._core.estimates).any():
            for reason in self._source.request.undefined_reasons():
                text += f"\n  undefined: {reason}"
        return text

    def _repr_html_(self) -> str:
        return as_html(self._core, self._asked, self._titles())


def _unpickled(
    content: bytes,
    shape: tuple[int, ...],
    note: str,
    asked: Asked,
    named: Sequence[tuple[str, str]] = (),
) -> Result:
    return Result(object_of(content, _core.Result.load), shape, None, note, asked, named)


def load(path: str | os.PathLike[str]) -> Result:
    """Reads what `Result.save` or ``bootfold bootstrap --save`` wrote."""
    core = _core.Result.load(os.fspath(path))
    count = len(core.outputs)
    return Result(core, () if count == 1 else (count,))
