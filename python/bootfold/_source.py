"""Where replicates come from: what a call asked for, kept for more of the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from bootfold import _core

if TYPE_CHECKING:
    from bootfold._data import Array
    from bootfold._options import Progress


class Source(Protocol):
    """Makes replicates, and finds what intervals need beside them."""

    shape: tuple[int, ...]  #: of the estimate
    note: str  #: for the plan
    quick: bool  #: influences cost no more than a look at the data

    def run(
        self, replicates: int, first: int, standard_errors: bool, progress: Progress
    ) -> _core.Result:
        """Replicates first, first + 1, ..."""

    def explain(self, replicates: int) -> _core.Plan:
        """What run() would do."""

    def add_influences(self, result: _core.Result) -> None:
        """What each row does to the values, for BCa intervals."""


@dataclass(slots=True)
class Settings:
    """How rows are drawn and how the engine runs, as the library wants it."""

    seed: int = 0
    memory: int = 0
    threads: int = 0
    tolerance: float = 0.0
    scheme: str | None = None
    strata: Array | None = None
    clusters: Array | None = None
    weights: Array | None = None
    block_length: float | None = None
    size: int = 0
    two_stage: bool = False

    def request(self, arrays: list[Array], names: list[str]) -> _core.Request:
        """A request without statistics."""
        return _core.Request(
            arrays,
            names,
            self.scheme,
            self.strata,
            self.clusters,
            self.weights,
            self.block_length,
            self.size,
            self.two_stage,
            self.seed,
            self.memory,
            self.threads,
            self.tolerance,
        )

    def without_rows(self, dropped: Array) -> Settings:
        """The same for the other rows."""
        kept = ~dropped
        changes: dict[str, Any] = {}
        for name in ("strata", "clusters", "weights"):
            values = getattr(self, name)
            if values is not None:
                changes[name] = values[kept]
        return replace(self, **changes)
