"""The statistics of a comparison, and the columns that each of them sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._chunked import Column, whole
from bootfold._data import Array, Data
from bootfold._function import FunctionSource
from bootfold._native import Native
from bootfold._statistics import Function, Named, Statistic, resolve
from bootfold._sums import Sums, SumsSource

if TYPE_CHECKING:
    from bootfold._source import Settings


def statistics_of(statistic: Any) -> list[Statistic]:
    """What is asked for, one by one."""
    several = isinstance(statistic, (list, tuple))
    found = [resolve(one) for one in (statistic if several else [statistic])]
    if not found or any(isinstance(one, Named) and not one.single for one in found):
        raise TypeError(f"statistic is {statistic!r} but must be a statistic or a list of them")
    if any(isinstance(one, Native) for one in found):
        raise TypeError(
            f"statistic is {statistic!r} but compare takes no compiled functions; give a Python "
            "function or a name"
        )
    return found


def check_covariate(statistics: list[Statistic], weights: str | None) -> None:
    for one in statistics:
        if not isinstance(one, Named) or not _is_mean(one.names[0]):
            told = one.names[0] if isinstance(one, Named) else one.name
            raise ValueError(
                f"covariate adjusts means but the statistic is {told!r}; use 'mean' or "
                "'mean(COLUMN)', or omit covariate"
            )
    if weights is not None:
        raise ValueError("covariate and weights do not go together; omit one of them")


def _is_mean(name: str) -> bool:
    """Of one column, which may be an expression of a row."""
    return name == "mean" or [name] == [f"mean({one})" for one in _core.statistic_columns(name)]


def adjusted(data: Data, codes: Array, groups: int) -> Data:
    """The columns but the last, adjusted for it."""
    *values, covariate = (whole(array).astype(np.float64) for array in data.arrays)
    arrays: list[Column] = [
        np.array(_core.adjusted(column, covariate, codes, groups)[0]) for column in values
    ]
    return Data(arrays, data.parts[:-1])


def take_rows(values: list[str], statistics: list[Statistic]) -> bool:
    """Whether the statistics are functions that get whole rows, as no column is named."""
    return not values and all(isinstance(one, Function) for one in statistics)


def check_values(values: list[str], statistics: list[Statistic]) -> None:
    """Only expressions name their columns."""
    for one in statistics:
        if values or (isinstance(one, Named) and "(" in one.names[0]):
            continue
        if isinstance(one, Named):
            raise TypeError(f"value is missing: name the column whose {one.names[0]!r} is compared")
        raise TypeError(
            f"value is missing: name the column that the statistic {one.name!r} gets, or a list of "
            "columns, one for each of its arguments"
        )


def own_columns(
    statistic: Statistic, data: Data, names: list[str], values: list[str]
) -> tuple[Data, list[str]]:
    """The columns that a statistic sees: an expression all, others those of value=."""
    if names == values or (isinstance(statistic, Named) and "(" in statistic.names[0]):
        return data, names
    kept = [names.index(name) for name in values]
    return Data([data.arrays[c] for c in kept], [data.parts[c] for c in kept]), values


def request_of(
    statistic: Statistic, data: Data, names: list[str], settings: Settings
) -> _core.Request:
    """The rows and one statistic. Functions are kept alive by the request."""
    if isinstance(statistic, Function):
        function = FunctionSource(data, statistic, settings)
        request = settings.request(data.arrays, names)
        _core.add_function(request, function.of_group, statistic.name)
        return request
    if isinstance(statistic, Sums):
        sums = SumsSource(data, statistic, settings)
        request = settings.request(sums.features, [])
        _core.add_sums(request, sums.of_group, len(sums.features), statistic.name)
        return request
    assert isinstance(statistic, Named)
    request = settings.request(data.arrays, names)
    request.add_named(statistic.names[0])
    return request
