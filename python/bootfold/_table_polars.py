"""Lazy frames of polars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from bootfold._dates import module_of
from bootfold._table_source import BATCH_ROWS, TableSource


def recognise(value: Any) -> TableSource | None:
    if module_of(value) == "polars" and hasattr(value, "collect_schema"):
        return None if hasattr(value, "n_chunks") else LazyFrame(value)
    return None


class LazyFrame(TableSource):
    """A polars.LazyFrame. Its rows may come in another order when it is run again."""

    repeatable: bool = False
    package: Literal["pyarrow", "polars", "dict"] = "polars"

    def __init__(self, frame: Any) -> None:
        schema = frame.collect_schema()
        self._frame = frame
        self.names = list(schema.names())
        self.types = [str(kind).lower() for kind in schema.dtypes()]

    @property
    def told(self) -> str:
        return "the lazy frame"

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        from polars.exceptions import PolarsError

        chosen = self._frame.select(list(columns))
        try:
            if hasattr(chosen, "collect_batches"):
                yield from chosen.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)
            else:  # an older polars
                yield chosen.collect()
        except PolarsError as error:
            raise ValueError(f"the lazy frame cannot be run: {error}") from error
