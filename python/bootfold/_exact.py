"""The exact bootstrap distribution: what replicates estimate, without Monte Carlo error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._interval import Alternative, Asked, Convention, Interval, Method, joined
from bootfold._named import JoinedSource, NamedSource
from bootfold._result import Result
from bootfold._text import interval_text, number

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from bootfold._options import Progress
    from bootfold._source import Source


@dataclass(frozen=True)
class ExactPlan:
    """How exact distributions are found, and why. `print(plan)` shows it in words.

    Attributes
    ----------
    outputs : list of str
        A name for each value.
    methods : list of str
        How the distribution of each value is found: "constant", "binomial", "order", "lattice",
        "characteristic" or "enumeration".
    reasons : list of str
        Why each method was chosen.
    rows : int
    """

    outputs: list[str]
    methods: list[str]
    reasons: list[str]
    rows: int

    @property
    def path(self) -> str:
        """Always "exact": no replicates are made."""
        return "exact"

    @property
    def reason(self) -> str:
        """The reasons of all values, each told once."""
        return "; ".join(dict.fromkeys(self.reasons))

    def explain(self) -> str:
        """All of it as a few lines."""
        lines = [
            f"path        exact, {method}\nreason      {reason}"
            for method, reason in dict.fromkeys(zip(self.methods, self.reasons, strict=True))
        ]
        work = f"the exact distribution over all resamples of {self.rows:,} rows"
        lines.append(f"work        {work}\n")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.explain()


class ExactResult(Result):
    """The exact bootstrap distribution of a statistic: `bootstrap(..., replicates="exact")`.

    It has the numbers of a `Result`, without Monte Carlo error, and the distribution itself. There
    are no replicates, so there is nothing to extend, to save or to plot.

    Examples
    --------
    >>> import bootfold as bf
    >>> r = bf.bootstrap([3.0, 1.0, 4.0, 1.0, 5.0, 9.0], "median", replicates="exact")
    >>> r.estimate, round(r.standard_error, 4)
    (3.5, 1.4468)
    >>> tuple(r.interval("percentile", confidence=0.9))
    (1.0, 6.5)
    >>> r.plan.methods
    ['order']
    """

    __slots__ = ("_accelerations", "_laws", "_names")

    def __init__(
        self,
        names: list[str],
        laws: Sequence[_core.Distribution],
        shape: tuple[int, ...],
        source: Source,
        asked: Asked,
    ) -> None:
        self._names = names
        self._laws = laws
        self._shape = shape
        self._source = source
        self._asked = asked
        self._accelerations: list[float] | None = None

    @property
    def estimate(self) -> Any:
        """The statistic on the data as they are."""
        return self._shaped([law.estimate for law in self._laws])

    @property
    def standard_error(self) -> Any:
        """Standard deviation over all resamples."""
        return self._shaped([law.standard_error for law in self._laws])

    @property
    def standard_error_error(self) -> Any:
        """Monte Carlo error of the standard error: 0."""
        return self._shaped([0.0 for _ in self._laws])

    @property
    def bias(self) -> Any:
        """Mean over all resamples - estimate."""
        return self._shaped([law.bias for law in self._laws])

    @property
    def bias_error(self) -> Any:
        """Monte Carlo error of the bias: 0."""
        return self._shaped([0.0 for _ in self._laws])

    @property
    def undefined(self) -> Any:
        """Probability that the statistic is not a number; the rest is given that it is one."""
        return self._shaped([law.undefined for law in self._laws])

    @property
    def error_bound(self) -> Any:
        """Bound on the error of the computed distribution function."""
        return self._shaped([law.error_bound for law in self._laws])

    @property
    def outputs(self) -> list[str]:
        """A name for each value, in the order of the flattened estimate."""
        return list(self._names)

    @property
    def plan(self) -> ExactPlan:  # type: ignore[override]  # no replicates are made
        """How the distribution was found; `print(result.plan)` shows it."""
        return ExactPlan(
            self.outputs,
            [law.method for law in self._laws],
            [law.reason for law in self._laws],
            self._laws[0].rows,
        )

    def cdf(self, x: float) -> Any:
        """Probability that the statistic on a resample is at most x."""
        return self._shaped([law.cdf(float(x)) for law in self._laws])

    def quantile(self, p: float) -> Any:
        """The smallest x with cdf(x) at least p."""
        return self._shaped([law.quantile(float(p)) for law in self._laws])

    def interval(
        self,
        method: Method | None = None,
        confidence: float | None = None,
        alternative: Alternative | None = None,
        *,
        convention: Convention = "numpy",
        strict: bool = False,
    ) -> Interval:
        """A confidence interval; its Monte Carlo errors are 0.

        Parameters
        ----------
        method : {"percentile", "basic", "normal", "bca"}, optional
        confidence : float, optional
            Inside (0, 1).
        alternative : {"two-sided", "less", "greater"}, optional
            "less" has an upper limit only, "greater" a lower limit only.
        convention : {"numpy", "r"}
            How resamples that give the estimate itself count in bca: half, as in SciPy, or not at
            all, as in R boot.
        strict : bool
            Has no effect: an interval that is not available is always an error.

        What is not given is as in the call of `bootstrap`.
        """
        asked = self._asked.changed(method, confidence, alternative)
        return joined(self._intervals(asked, convention), self._shape)

    def _intervals(self, asked: Asked, convention: Convention) -> list[_core.Interval]:
        """One for each value."""
        accelerations: list[float | None] = [None for _ in self._laws]
        if asked.method == "bca":
            if self._accelerations is None:
                self._accelerations = _accelerations(self._need("bca"))
            accelerations = list(self._accelerations)
        return [
            law.interval(
                asked.method, asked.confidence, asked.alternative, convention, acceleration
            )
            for law, acceleration in zip(self._laws, accelerations, strict=True)
        ]

    @property
    def replicates(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """There are none."""
        raise self._none("look at")

    @property
    def seed(self) -> int:
        """There is none."""
        raise self._none("draw")

    def extend(self, replicates: int, *, progress: Progress = False) -> Result:
        """There are no replicates to extend."""
        raise self._none("extend")

    def save(self, path: str | os.PathLike[str]) -> None:
        """There are no replicates to save."""
        raise self._none("save")

    def plot(self, *arguments: Any, **options: Any) -> Any:
        """There are no replicates to plot."""
        raise self._none("plot")

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an exact result cannot be pickled; keep the numbers that you need")

    @staticmethod
    def _none(what: str) -> ValueError:
        return ValueError(
            f"replicates='exact' makes no replicates to {what}; bootstrap with a number of them"
        )

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(repr(self))}</pre>"

    def __repr__(self) -> str:
        lines = ["bootfold.ExactResult"]
        asked = self._asked
        intervals = self._intervals(asked, "numpy")
        for name, law, found in zip(self._titles(), self._laws, intervals, strict=True):
            error = law.standard_error
            lines.append(
                f"  {name}: {number(law.estimate, error)}, standard error "
                f"{number(error, error)}, {interval_text(asked)} "
                f"{number(found.low, error)} to {number(found.high, error)}"
            )
        plan = self.plan
        lines.append(
            f"  exact distribution over all resamples of {plan.rows:,} rows; error of the "
            f"distribution function at most {max(law.error_bound for law in self._laws):.1e}"
        )
        return "\n".join(lines)


def _in_order(parts: list[list[Any]]) -> list[Any]:
    """Value k of all data sets, then value k + 1 of all, as results of several sets have them."""
    return [part[k] for k in range(len(parts[0])) for part in parts]


def _names(source: Source, names: list[str]) -> list[str]:
    """Names with the number of the data set, where there are several."""
    if isinstance(source, NamedSource):
        return names
    sets = len(_sources(source))
    return [f"{name}[{number % sets}]" for number, name in enumerate(names)]


def _sources(source: Source) -> list[NamedSource]:
    """The sources of named statistics that a source consists of."""
    if isinstance(source, NamedSource):
        found = [source]
    elif isinstance(source, JoinedSource):
        found = [one for part in source.sources for one in _sources(part)]
    else:
        raise ValueError(
            "replicates is 'exact' but only named statistics have an exact distribution here; give "
            "a name, such as 'mean' or 'median', or a number of replicates"
        )
    if any(one.missing for one in found):
        raise ValueError("replicates is 'exact' and nan is 'propagate'; take nan='omit'")
    return found


def _accelerations(source: Source) -> list[float]:
    return _in_order([_core.accelerations(one.request) for one in _sources(source)])


def exact_result(source: Source, asked: Asked) -> ExactResult:
    """The exact distributions of what a source makes replicates of."""
    found = _in_order([_core.exact_distributions(one.request) for one in _sources(source)])
    laws = [law for _, law in found]
    if any(math.isnan(law.estimate) for law in laws):
        raise ValueError("the statistic is undefined on the data; there is no distribution of it")
    names = _names(source, [name for name, _ in found])
    return ExactResult(names, laws, source.shape, source, asked)


def check_exact(path: str | None, asked: Asked) -> None:
    """Raises ValueError for an option that has no meaning without replicates."""
    _core.check_exact_method(asked.method)
    if path is not None:
        raise ValueError(
            f"path is {path!r}, a way to make replicates, and replicates='exact' makes none; leave "
            "one of them out"
        )


def exact_plan(source: Source) -> ExactPlan:
    """What `exact_result` would do."""
    found = _in_order([_core.exact_outlines(one.request) for one in _sources(source)])
    names, methods, reasons = (list(column) for column in zip(*found, strict=True))
    return ExactPlan(_names(source, names), methods, reasons, source.request.rows)
