"""Files: Parquet, .npy and text, one or many, by path, pattern or folder."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bootfold._data import number_array
from bootfold._table_arrow import family, same_type
from bootfold._table_csv import CsvFiles
from bootfold._table_source import BATCH_ROWS, TableSource, needs

_PARQUET = (".parquet", ".pq")
_TEXT = tuple(f".{kind}{gz}" for kind in ("csv", "tsv", "txt", "data", "dat") for gz in ("", ".gz"))
_KNOWN = (*_PARQUET, ".npy", *_TEXT)
_OTHERS = (".gz", ".feather", ".arrow", ".json", ".npz", ".xlsx", ".h5")


def recognise(value: Any) -> TableSource | None:
    """Of a path, a pattern, a folder or a list of these."""
    if isinstance(value, (str, os.PathLike)):
        return _of_files(files_of(value))
    if isinstance(value, list) and value and all(_is_path(entry) for entry in value):
        return _of_files([file for entry in value for file in files_of(entry)])
    return None


def _is_path(entry: Any) -> bool:
    """Is an entry of a list a path? Texts may also be labels, even some that folders have."""
    if isinstance(entry, str):
        inside = os.sep in entry and os.path.exists(os.path.expanduser(entry))
        return inside or entry.endswith((*_KNOWN, *_OTHERS))
    return isinstance(entry, os.PathLike)


def files_of(given: str | os.PathLike[Any]) -> list[str]:
    """The files that a path stands for, in the order of their names."""
    path = os.path.expanduser(os.fsdecode(given))
    if os.path.isdir(path):
        found = [
            str(file)
            for file in Path(path).rglob("*")
            if file.suffix in _PARQUET
            and not any(part[0] in "._" for part in file.relative_to(path).parts)
        ]
        if not found:
            raise FileNotFoundError(f"the folder {path} has no Parquet files (*.parquet)")
        return sorted(found, key=os.fsencode)
    if os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        matched = sorted(glob.glob(path, recursive=True), key=os.fsencode)
        if not matched:
            raise FileNotFoundError(
                f"no file matches {path!r}; the current folder is {os.getcwd()}"
            )
        return [file for entry in matched for file in files_of(entry)]
    if "://" in path:
        raise ValueError(
            f"data is {path!r} but only local files are opened by name; give a "
            "pyarrow.dataset.dataset(...), or bf.sql(\"select ... from '...'\")"
        )
    raise FileNotFoundError(
        f"there is no file or folder {path!r}; the current folder is {os.getcwd()}"
    )


def _of_files(files: list[str]) -> TableSource:
    for file in files:
        if not file.endswith(_KNOWN):
            raise ValueError(_cannot_open(file))
    kinds = [_kind(file) for file in files]
    for file, kind in zip(files, kinds, strict=True):
        if kind is not kinds[0]:
            raise ValueError(
                f"{files[0]} and {file} are of different kinds; give files of one kind"
            )
    return kinds[0](files)


def _kind(file: str) -> type[NpyFiles] | type[ParquetFiles] | type[CsvFiles]:
    if file.endswith(_TEXT):
        return CsvFiles
    return NpyFiles if file.endswith(".npy") else ParquetFiles


def _cannot_open(file: str) -> str:
    return (
        f"{file} is no .parquet, .npy or .csv file; read it by another package, such as "
        f"bf.sql(\"select ... from '{file}'\"), or if it is text, bf.csv({file!r}, "
        "delimiter=...)"
    )


@dataclass(slots=True)
class _Stamp:
    """What a file is recognised by when it is opened again."""

    bytes: int
    time: int

    @classmethod
    def of(cls, path: str) -> _Stamp:
        found = os.stat(path)
        return cls(found.st_size, found.st_mtime_ns)


@dataclass(slots=True)
class _File:
    path: str
    rows: int
    types: dict[str, Any]
    stamp: _Stamp

    def check_unchanged(self) -> None:
        if _Stamp.of(self.path) != self.stamp:
            raise ValueError(f"{self.path} was changed while it was read; start again")


def _told(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"the table of {len(paths)} files ({paths[0]}, ...)"


def _different(column: str, file: str, kind: Any, first: str, kind_of_first: Any) -> str:
    return (
        f"{column} of {file} is of type {kind} but that of {first} is of type {kind_of_first}; "
        "convert one of the files, or read them apart"
    )


class ParquetFiles(TableSource):
    """Parquet files whose rows follow each other."""

    rows: int

    def __init__(self, paths: list[str]) -> None:
        self._parquet = needs("pyarrow.parquet", "reading Parquet files", "arrow")
        self._paths = paths
        self._files = [self._look(path) for path in paths]
        types: dict[str, Any] = {}
        for file in self._files:
            for name, kind in file.types.items():
                types.setdefault(name, kind)
        self.names = list(types)
        self.types = [str(kind) for kind in types.values()]
        self.rows = sum(file.rows for file in self._files)

    @property
    def told(self) -> str:
        return _told(self._paths)

    def _look(self, path: str) -> _File:
        stamp = _Stamp.of(path)
        with self._opened(path) as file:
            schema = file.schema_arrow
            types = dict(zip(schema.names, schema.types, strict=True))
            if len(types) < len(schema.names):
                twice = next(name for name in schema.names if schema.names.count(name) > 1)
                raise ValueError(f"{path} has several columns called {twice!r}")
            return _File(path, file.metadata.num_rows, types, stamp)

    def _opened(self, path: str) -> Any:
        import pyarrow as pa

        try:
            # Columns that are fetched ahead would stay in memory beside the values made of them.
            return self._parquet.ParquetFile(path, pre_buffer=False)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{path} cannot be read as a Parquet file: {error}") from None

    def check(self, columns: Sequence[str]) -> None:
        """All files must have the columns, with types that go together."""
        super().check(columns)
        for name in columns:
            first: _File | None = None
            for file in self._files:
                if name not in file.types:
                    has = next(one.path for one in self._files if name in one.types)
                    raise ValueError(
                        f"{file.path} has no column {name!r}, which {has} has; leave the file "
                        "out, or choose other columns by columns="
                    )
                own = file.types[name]
                if family(own) == "null":
                    continue
                if first is None:
                    first = file
                elif not same_type(first.types[name], own):
                    before = first.types[name]
                    raise ValueError(
                        _different(f"column {name!r}", file.path, own, first.path, before)
                    )

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa

        for file in self._files:
            with self._opened(file.path) as opened:
                file.check_unchanged()
                try:
                    yield from opened.iter_batches(BATCH_ROWS, columns=list(columns))
                except (pa.ArrowException, OSError) as error:
                    raise ValueError(f"{file.path} cannot be read: {error}") from None
                file.check_unchanged()


class NpyFiles(TableSource):
    """Files of NumPy arrays, which are mapped."""

    mapped: bool = True
    package: Literal["pyarrow", "polars", "dict"] = "dict"

    def __init__(self, paths: list[str]) -> None:
        self._paths = paths
        self._arrays = [self._mapped(path) for path in paths]
        first = self._arrays[0]
        for path, array in zip(paths, self._arrays, strict=True):
            if array.shape[1:] != first.shape[1:]:
                raise ValueError(
                    f"{paths[0]} has an array of shape {first.shape} and {path} one of shape "
                    f"{array.shape}; the columns must agree"
                )
            own, kind = array.dtype.newbyteorder("="), first.dtype.newbyteorder("=")
            if own != kind:
                raise ValueError(_different("the array", path, own, paths[0], kind))
        self._arrays = [
            number_array(array, f"the values of {path}")
            for path, array in zip(paths, self._arrays, strict=True)
        ]
        self.vector = first.ndim == 1
        count = 1 if self.vector else first.shape[1]
        self.names = [""] if self.vector else [str(number + 1) for number in range(count)]
        self.types = [str(self._arrays[0].dtype)] * count
        self.rows = sum(len(array) for array in self._arrays)

    @staticmethod
    def _mapped(path: str) -> Any:
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError) as error:
            raise ValueError(f"{path} cannot be read as an .npy file: {error}") from None
        if array.ndim not in (1, 2):
            raise ValueError(
                f"{path} has an array with {array.ndim} axes but rows and columns are two"
            )
        return np.asarray(array)

    @property
    def told(self) -> str:
        return _told(self._paths)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        for array in self._arrays:
            yield {
                name: array if self.vector else array[:, self.names.index(name)] for name in columns
            }
