"""What makes replicates: data, statistic and scheme brought together."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _data
from bootfold._chunked import Column, whole
from bootfold._counts import CountsSource, Takes
from bootfold._data import Data, NanPolicy, rows_with_nan
from bootfold._expressions import columns_beside, prepared
from bootfold._function import FunctionSource
from bootfold._named import JoinedSource, NamedSource
from bootfold._select import chosen
from bootfold._source import (
    Settings,
    row_numbers,
    set_labels,
    set_scheme,
    settings_of,
    whole_frequencies,
)
from bootfold._statistics import Function, Named, Statistic, resolve
from bootfold._streamed import recognised
from bootfold._sums import Sums, SumsSource
from bootfold._table_read import limits_of
from bootfold._table_whole import with_texts

if TYPE_CHECKING:
    from bootfold._source import Source

#: Arguments that are one number or label for each row.
_ROLES = ("strata", "clusters", "probabilities", "weights", "frequencies")


def source_of(rows: Any, statistic: Any, limits: tuple[Any, ...], given: dict[str, Any]) -> Source:
    """What makes replicates of these rows: `limits` for settings_of(), other arguments by name."""
    settings = settings_of(*limits)
    takes = given["takes"]
    named = resolve(statistic, given["vectorized"] if takes == "resample" else True)
    scheme = (given[name] for name in ("scheme", "two_stage", "size", "block_length", "rescale"))
    set_scheme(settings, *scheme)
    roles = {role: given[role] for role in _ROLES}
    held = limits_of(limits[1], None, given["nan"])
    beside = columns_beside(statistic, given["columns"])
    if beside and isinstance(named, Named):
        named = dataclasses.replace(named, columns=beside)
    rows, columns = prepared(rows, statistic, given["columns"])
    rows = recognised(rows)
    if takes == "resample":
        rows = with_texts(rows, named, columns, roles, held)
    data, roles = chosen(rows, columns, roles, held)
    return made_source(
        data, named, settings, roles, given["paired"], given["axis"], given["nan"], takes
    )


def made_source(
    given: Any,
    wanted: Statistic,
    settings: Settings,
    roles: dict[str, Any],
    paired: bool,
    axis: int | None,
    nan: NanPolicy,
    takes: Takes,
) -> Source:
    """Data, statistic and scheme brought together."""
    data = _data.read(given, paired=paired, axis=axis, whole=isinstance(wanted, Function))
    set_labels(settings, roles["strata"], roles["clusters"], data.rows, omit=nan == "omit")
    for role in ("probabilities", "weights", "frequencies"):
        if roles[role] is not None:
            setattr(settings, role, row_numbers(roles[role], data.rows, role))
    if nan == "omit":
        data, settings = without_nan(data, settings)
    if settings.frequencies is not None and isinstance(wanted, Function):
        given, data, settings = _written_out(data, settings)
    if takes != "resample":
        assert isinstance(wanted, Function)
        if nan == "error":
            _data.check_no_nan(data)
        return CountsSource(data, given, wanted, takes, settings)
    return of_kind(data, wanted, settings, nan)


def _written_out(data: Data, settings: Settings) -> tuple[Any, Data, Settings]:
    """The rows as often as their frequencies say, for functions, which see them all."""
    assert settings.frequencies is not None
    if settings.probabilities is not None:
        raise ValueError("frequencies and probabilities do not go together; write the rows out")
    times = whole_frequencies(settings.frequencies)
    if not data.paired:
        raise ValueError(
            "frequencies= is for one sample, or for rows that belong together: say paired=True, or "
            "write independent samples out by numpy.repeat"
        )
    arrays: list[Column] = [np.repeat(whole(array), times) for array in data.arrays]
    parts = [dataclasses.replace(part, rows=arrays[0].shape[0]) for part in data.parts]
    return (None,) * len(parts), Data(arrays, parts), settings.written_out(times)


def without_nan(data: Data, settings: Settings) -> tuple[Data, Settings]:
    """The rows, or in independent samples each sample's rows, that have no NaN."""
    parts = []
    arrays: list[Column] = []
    if data.paired:
        dropped = rows_with_nan(data)
        unknown = settings.with_nan()
        if unknown is not None:
            dropped = dropped | unknown
        if not dropped.any():
            return data, settings
        if data.parts[0].kind == "sets" and len(data.arrays) > 1:
            raise ValueError(
                "nan is 'omit' but data sets along an axis must stay equally long; "
                "bootstrap those with NaN one by one"
            )
        arrays = [array[~dropped] for array in data.arrays]
        parts = [dataclasses.replace(part, rows=arrays[0].shape[0]) for part in data.parts]
        settings = settings.without_rows(dropped)
    else:
        column = 0
        for part in data.parts:
            own = data.arrays[column : column + part.columns]
            column += part.columns
            kept = ~rows_with_nan(Data(own, [part]))
            arrays.extend(array[kept] for array in own)
            parts.append(dataclasses.replace(part, rows=int(kept.sum())))
    if any(part.rows == 0 for part in parts):
        raise ValueError("every row has a NaN, and nan='omit' leaves none")
    return Data(arrays, parts, data.paired), settings


def of_kind(data: Data, wanted: Statistic, settings: Settings, nan: NanPolicy) -> Source:
    if isinstance(wanted, Function):
        if settings.weights is not None:
            raise ValueError(
                "weights= is for named statistics and sums, and a function of the resample does "
                "not see them; takes='weights' gives it the data and one row of weights for each "
                "resample, or pass the weights as one more array with paired=True"
            )
        if nan == "error":
            _data.check_no_nan(data)
        return FunctionSource(data, wanted, settings, jackknife=settings.scheme == "jackknife")
    if not data.paired:
        raise ValueError(
            f"data are {len(data.parts)} samples, and named statistics take rows that belong "
            "together: say paired=True; independent samples take a function, such as "
            "lambda x, y: x.mean() - y.mean()"
        )
    if isinstance(wanted, Sums):
        return SumsSource(data, wanted, settings)
    if data.parts[0].kind == "sets" and len(data.parts) > 1:
        sets = len(data.arrays) // len(data.parts)
        sources: list[Source] = [
            NamedSource(
                Data(data.arrays[s::sets], [_data.Part("vector", 1, data.rows)] * len(data.parts)),
                wanted,
                settings,
                nan,
            )
            for s in range(sets)
        ]
        return JoinedSource(sources, data.parts[0].shape)
    return NamedSource(data, wanted, settings, nan)
