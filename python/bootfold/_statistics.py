"""What a user calls a statistic: names, functions that have a name here, functions of their own."""

from __future__ import annotations

import builtins
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bootfold import _core
from bootfold._native import Native, native_of
from bootfold._sums import Sums

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Named:
    """Statistics of the library."""

    names: list[str]
    single: bool  #: one name was given, not a list of them
    note: str = ""  #: what the plan says about it
    columns: tuple[str, ...] = ()  #: of names beside expressions, which name their own


@dataclass(frozen=True, slots=True)
class Function:
    """Any function of the resample."""

    function: Callable[..., Any]
    vectorized: bool
    name: str


Statistic: TypeAlias = "Named | Function | Sums | Native"

_FLAT_AXES = (None, 0, -1)
_DDOF = {"ddof": 0}
# Functions, the arguments they may have been given with their defaults, and our name for them.
_KNOWN: dict[Any, tuple[str, dict[str, Any]]] = {
    np.mean: ("mean", {}),
    np.average: ("mean", {}),
    np.sum: ("sum", {}),
    np.median: ("median", {}),
    np.min: ("min", {}),
    np.max: ("max", {}),
    np.amin: ("min", {}),
    np.amax: ("max", {}),
    np.std: ("standard_deviation", _DDOF),
    np.var: ("variance", _DDOF),
    np.quantile: ("quantile", {"q": None}),
    np.percentile: ("percentile", {"q": None}),
    builtins.sum: ("sum", {}),
    builtins.min: ("min", {}),
    builtins.max: ("max", {}),
}
# The same of modules that are not imported for that.
_KNOWN_OF_STANDARD: dict[str, tuple[str, dict[str, Any]]] = {
    "mean": ("mean", {}),
    "fmean": ("mean", {}),
    "median": ("median", {}),
    "stdev": ("standard_deviation:1", {}),
    "variance": ("variance:1", {}),
    "pstdev": ("standard_deviation:0", {}),
    "pvariance": ("variance:0", {}),
}
_KNOWN_OF_SCIPY: dict[str, tuple[str, dict[str, Any]]] = {
    "skew": ("skewness", {}),
    "kurtosis": ("kurtosis", {}),
    "trim_mean": ("trimmed_mean", {"proportiontocut": None}),
    "iqr": ("interquartile_range", {}),
}


def _lookup(function: Any) -> tuple[str, dict[str, Any]] | None:
    try:
        found = _KNOWN.get(function)
    except TypeError:  # not hashable
        return None
    if found is not None:
        return found
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__name__", "")
    if module.startswith("scipy.stats."):
        return _KNOWN_OF_SCIPY.get(name)
    return _KNOWN_OF_STANDARD.get(name) if module == "statistics" else None


def known(function: Any) -> list[str] | str | None:
    """The library's name for a function, names for a function of several numbers, or None."""
    given: dict[str, Any] = {}
    positional: tuple[Any, ...] = ()
    if isinstance(function, functools.partial):
        given = dict(function.keywords)
        positional = function.args
        function = function.func
    found = _lookup(function)
    if found is None or positional:
        return None
    name, parameters = found
    if given.pop("axis", None) not in _FLAT_AXES:
        return None
    values = {key: given.pop(key, default) for key, default in parameters.items()}
    if given or not values:
        return None if given else name
    (value,) = values.values()
    if value is None:
        return None
    if name in ("quantile", "percentile"):
        try:
            levels = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            return None
        if name == "percentile":
            levels = levels / 100
        if levels.ndim == 0:
            return f"quantile:{float(levels)!r}"
        return [f"quantile:{float(q)!r}" for q in levels] if levels.ndim == 1 else None
    if name in ("standard_deviation", "variance") and value not in (0, 1):
        return None
    return f"{name}:{value!r}" if isinstance(value, (int, float)) else None


def _name_of(function: Any) -> str:
    if isinstance(function, functools.partial):
        return _name_of(function.func)
    name = getattr(function, "__name__", type(function).__name__)
    return "statistic" if name == "<lambda>" else str(name)


def takes_axis(function: Any) -> bool:
    """Has it a parameter `axis`, as functions that are vectorised have?"""
    import inspect

    try:
        return "axis" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def statistics() -> dict[str, str]:
    """The statistics that have a name: what to write, and what it means.

    Examples
    --------
    >>> import bootfold as bf
    >>> bf.statistics()["quantile:Q"]
    'quantile Q in [0, 1], type 7 as NumPy (1 column)'
    """
    return {
        usage: f"{meaning} ({columns} column{'' if columns == '1' else 's'})"
        for usage, columns, meaning in _core.statistic_listings()
    }


def resolve(statistic: Any, vectorized: bool | None = None) -> Statistic:
    """What is to be computed."""
    if isinstance(statistic, str):
        return Named([statistic], True)
    if isinstance(statistic, Sums):
        return statistic
    if isinstance(statistic, (list, tuple)) and not hasattr(statistic, "user_data"):
        names = []
        for one in statistic:
            name = one if isinstance(one, str) else known(one)
            if not isinstance(name, str):
                raise TypeError(
                    f"statistic has {one!r} in its list, but a list is of names; write one "
                    "function that returns several numbers"
                )
            names.append(name)
        if not names:
            raise ValueError("statistic is an empty list; give at least one name, such as 'mean'")
        return Named(names, False)
    native = native_of(statistic)
    if native is not None:
        return native
    if not callable(statistic):
        raise TypeError(
            f"statistic is {statistic!r} but must be a name such as 'mean', a list of names, "
            "bootfold.sums(...) or a function"
        )
    name = known(statistic) if not vectorized else None
    if name is not None:
        plain = statistic.func if isinstance(statistic, functools.partial) else statistic
        called = f"{plain.__module__.partition('.')[0]}.{plain.__name__}"
        names = [name] if isinstance(name, str) else name
        note = f"{called} is known as {', '.join(names)}"
        return Named(names, isinstance(name, str), note)
    if vectorized is None:
        vectorized = takes_axis(statistic)
    return Function(statistic, vectorized, _name_of(statistic))
