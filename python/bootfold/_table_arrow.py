"""Tables of pyarrow that are not in memory: datasets, scanners and readers of record batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bootfold._dates import module_of
from bootfold._table_source import BATCH_ROWS, TableSource


def family(kind: Any) -> str:
    """Types that go together: numbers of any width, texts, or equal types."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return family(kind.value_type)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "numbers"
    if types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view":
        return "text"
    return str(kind)


def same_type(one: Any, other: Any) -> bool:
    """Whether columns of two files go together: numbers of one type, texts, or equal types."""
    import pyarrow as pa

    def number(kind: Any) -> Any:
        plain = kind.value_type if pa.types.is_dictionary(kind) else kind
        return pa.float64() if pa.types.is_decimal(plain) else plain

    if family(one) == "numbers" == family(other):
        return bool(number(one) == number(other))
    return family(one) == family(other)


def recognise(value: Any) -> TableSource | None:
    if module_of(value) != "pyarrow":
        return None
    import pyarrow as pa

    if isinstance(value, pa.RecordBatchReader):
        return Reader(value)
    if hasattr(value, "get_fragments"):
        return Dataset(value)
    return Scanner(value) if hasattr(value, "projected_schema") else None


class _Arrow(TableSource):
    def __init__(self, schema: Any) -> None:
        self.names = list(schema.names)
        self.types = [str(kind) for kind in schema.types]


class Dataset(_Arrow):
    """A pyarrow.dataset.Dataset: files of several formats, partitions, remote file systems."""

    def __init__(self, dataset: Any) -> None:
        super().__init__(dataset.schema)
        self._dataset = dataset

    @property
    def told(self) -> str:
        return "the dataset"

    def check(self, columns: Sequence[str]) -> None:
        """pyarrow fills columns that a file does not have with nulls; here that is an error."""
        super().check(columns)
        partitioning = getattr(self._dataset, "partitioning", None)
        parts = set() if partitioning is None else set(partitioning.schema.names)
        needed = [name for name in columns if name not in parts]
        for fragment in self._dataset.get_fragments():
            schema = fragment.physical_schema
            path = getattr(fragment, "path", "a fragment of the dataset")
            for name in needed:
                if name not in schema.names:
                    raise ValueError(
                        f"{path} has no column {name!r}, which the schema of the dataset has; "
                        "leave the file out, or choose other columns by columns="
                    )
                own, all_files = schema.field(name).type, self._dataset.schema.field(name).type
                if family(own) not in (family(all_files), "null"):
                    raise ValueError(
                        f"column {name!r} is of type {own} in {path} but of type {all_files} in "
                        "the schema of the dataset; write the files with one type"
                    )

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa

        try:
            yield from self._dataset.to_batches(columns=list(columns), batch_size=BATCH_ROWS)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"the dataset cannot be read: {error}") from None


class _Once(_Arrow):
    """Batches that arrive once."""

    repeatable: bool = False
    _batches: Iterator[Any] | None

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        if self._batches is None:
            raise ValueError(f"{self.told} can be read only once, and was read already")
        found, self._batches = self._batches, None
        for batch in found:
            yield batch.select(list(columns))


class Scanner(_Once):
    """A pyarrow.dataset.Scanner. Those of datasets can be read again, others cannot."""

    def __init__(self, scanner: Any) -> None:
        super().__init__(scanner.projected_schema)
        self._batches = scanner.to_batches()

    @property
    def told(self) -> str:
        return "the scanner"


class Reader(_Once):
    """A pyarrow.RecordBatchReader."""

    def __init__(self, reader: Any) -> None:
        super().__init__(reader.schema)
        self._batches = iter(reader)

    @property
    def told(self) -> str:
        return "the reader of record batches"
