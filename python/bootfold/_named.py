"""Statistics of the library, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bootfold import _core
from bootfold._data import Data, columns_from_zero, has_nan
from bootfold._interval import NOTHING, Needs
from bootfold._native import Native
from bootfold._progress import reporter

if TYPE_CHECKING:
    from bootfold._data import NanPolicy
    from bootfold._options import Progress
    from bootfold._source import Settings, Source
    from bootfold._statistics import Named


class NamedSource:
    """Replicates of named (or compiled) statistics: all of it happens in the library."""

    __slots__ = ("_data", "_keep", "missing", "names", "note", "quick", "request", "shape")

    def __init__(
        self, data: Data, statistic: Named | Native, settings: Settings, nan: NanPolicy
    ) -> None:
        arrays = data.arrays
        self.names = data.names  #: of the columns, if they have any
        self.missing: list[bool] = []
        if nan == "propagate":
            self.missing = [has_nan(array) for array in arrays]
            if any(self.missing):
                nothing = np.zeros(data.rows)
                arrays = [
                    nothing if missing else array
                    for array, missing in zip(arrays, self.missing, strict=True)
                ]
            else:
                self.missing = []
        self.request = settings.request(arrays, data.names)
        self._data = data
        self._keep = statistic
        if isinstance(statistic, Native):
            self.request.add_native(
                statistic.address,
                statistic.columns,
                statistic.takes_user_data,
                statistic.user_data,
                statistic.name,
            )
            self.note = ""
            self.quick = False
            self.shape = self._shape(data, True, 1)
        else:
            for name in statistic.names:
                self.request.add_named(name, list(statistic.columns))
            self.note = statistic.note
            self.quick = not self.missing
            self.shape = self._shape(data, statistic.single, len(statistic.names))
        if self.missing and settings.scheme == "jackknife":
            raise ValueError(
                "nan is 'propagate' but a jackknife leaves out one row at a time, NaN or "
                "not; take 'omit'"
            )

    def _shape(self, data: Data, single: bool, count: int) -> tuple[int, ...]:
        if self.request.by_column:
            return data.shape if single else (count, *data.shape)
        outputs = self.request.outputs
        return () if single and outputs == 1 else (outputs,)

    def run(self, replicates: int, first: int, needs: Needs, progress: Progress) -> _core.Result:
        wanted = (needs.standard_errors, needs.influence)
        with columns_from_zero(self._data), reporter(progress, replicates) as tell:
            result = self.request.run(replicates, first, tell, *wanted)
        if self.missing:
            affected = np.array(self.request.outputs_of(self.missing))
            values = result.replicates.copy()
            values[:, affected] = np.nan
            estimates = [
                float("nan") if missing else estimate
                for estimate, missing in zip(result.estimates, affected, strict=True)
            ]
            centres = [] if result.centres == result.estimates else result.centres
            result = _core.Result.made(result.plan, result.seed, estimates, values, [], centres)
            if needs.influence:
                self.add_influences(result)
        return result

    def explain(self, replicates: int, needs: Needs) -> _core.Plan:
        return self.request.explain(replicates, needs.standard_errors, needs.influence)

    def add_influences(self, result: _core.Result) -> None:
        self.request.add_influences(result)


class JoinedSource:
    """Several data sets side by side, each with a source of its own."""

    __slots__ = ("note", "quick", "shape", "sources")

    def __init__(self, sources: list[Source], shape: tuple[int, ...]) -> None:
        self.sources = sources
        inner = sources[0].shape
        self.shape = (*inner, *shape)
        self.note = sources[0].note
        self.quick = False

    def run(self, replicates: int, first: int, needs: Needs, progress: Progress) -> _core.Result:
        return _core.Result.joined(
            [s.run(replicates, first, needs, progress) for s in self.sources]
        )

    @property
    def request(self) -> _core.Request:
        return self.sources[0].request

    def explain(self, replicates: int, needs: Needs) -> _core.Plan:
        return _core.joined_plan([s.explain(replicates, needs) for s in self.sources])

    def add_influences(self, result: _core.Result) -> None:
        parts = []
        for source in self.sources:
            part = source.run(1, 0, NOTHING, False)
            source.add_influences(part)
            parts.append(part)
        result.add_joined_influences(parts)
