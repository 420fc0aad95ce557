"""Columns on disk: rows that can be read only once and do not fit in memory."""

from __future__ import annotations

import mmap
import os
import shutil
import tempfile
from typing import IO, Any

import numpy as np

from bootfold import _core
from bootfold._chunked import Array
from bootfold._options import whole_number

_STEP = 8 << 20


class SpoolWarning(UserWarning):
    """Rows are written to a temporary file, because they do not fit the memory limit."""


def spool_bytes(spool: Any) -> int | None:
    """Bytes of 2_000_000_000, "2G" or "1GiB"; None: a quarter of the free space."""
    if spool is None:
        return None
    if isinstance(spool, str):
        return _core.parse_bytes(spool)
    return whole_number("spool", spool, 0)


def size(count: int) -> str:
    """A number of bytes in words."""
    value, unit = float(count), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.3g} {unit}"


class Spool:
    """The temporary files of one table.

    They have no name in the folder, so that they are gone when nothing maps them any more, and
    also if the process is killed.
    """

    def __init__(self, limit: int | None) -> None:
        self.folder = tempfile.gettempdir()
        self._free = shutil.disk_usage(self.folder).free
        self.limit = self._free // 4 if limit is None else limit
        self._used = 0
        self._files: list[IO[bytes]] = []

    def column(self, dtype: np.dtype[Any]) -> ColumnFile:
        file = tempfile.TemporaryFile(dir=self.folder, buffering=0)  # noqa: SIM115
        self._files.append(file)
        return ColumnFile(self, file, dtype)

    def count(self, more: int) -> None:
        """Raises ValueError if so many more bytes are too many."""
        self._used += more
        if self._used > self.limit:
            raise ValueError(
                f"the data fit neither the memory limit nor the {size(self.limit)} that may be "
                f"written to temporary files in {self.folder} ({size(self._free)} are free); give "
                "more by spool= or memory=, name another folder in the environment variable "
                "TMPDIR, or read fewer columns by columns="
            )

    def close(self) -> None:
        for file in self._files:
            file.close()


def is_spooled(values: Any) -> bool:
    """Are the values in a temporary file?"""
    while isinstance(values, np.ndarray):
        values = values.base
    if isinstance(values, memoryview):
        values = values.obj
    return isinstance(values, mmap.mmap)


def taken(rows: Array, places: Array) -> Array:
    """rows[places], in a temporary file if that is where the rows are."""
    if not is_spooled(rows):
        found: Array = rows[places]
        return found
    spool = Spool(None)
    try:
        file = spool.column(rows.dtype)
        step = max(1, _STEP // rows[:1].nbytes)
        for first in range(0, len(places), step):
            file.append(rows[places[first : first + step]].reshape(-1))
        return file.values().reshape(len(places), *rows.shape[1:])
    finally:
        spool.close()


class ColumnFile:
    """Numbers of one type, one after the other, in the machine's byte order."""

    def __init__(self, spool: Spool, file: IO[bytes], dtype: np.dtype[Any]) -> None:
        self._spool = spool
        self._file = file
        self.dtype = dtype
        self.rows = 0

    def append(self, values: Array) -> None:
        wanted = np.result_type(self.dtype, values.dtype)
        if wanted != self.dtype:
            self._convert(wanted)
        written = np.ascontiguousarray(values, dtype=self.dtype)
        self._spool.count(written.nbytes)
        self._write(self._file, written)
        self.rows += len(written)

    def _write(self, file: IO[bytes], values: Array) -> None:
        left: memoryview = values.view(np.uint8).data
        try:
            while left:
                left = left[file.write(left) :]
        except OSError as error:
            raise OSError(
                error.errno,
                f"temporary file in {self._spool.folder}: {os.strerror(error.errno or 0)}; name "
                "another folder in the environment variable TMPDIR, or read fewer columns by "
                "columns=",
            ) from None

    def _convert(self, wanted: np.dtype[Any]) -> None:
        """Writes what there is once more, as numbers of another type."""
        before = self.values()
        after = self._spool.column(wanted)
        for first in range(0, self.rows, _STEP):
            self._spool.count(min(_STEP, self.rows - first) * wanted.itemsize)
            self._write(after._file, before[first : first + _STEP].astype(wanted))
        self._spool.count(-self.rows * self.dtype.itemsize)
        del before
        self._file.close()
        self._file, self.dtype = after._file, wanted

    def values(self) -> Array:
        """The numbers, mapped; they may be changed."""
        if self.rows == 0:
            return np.zeros(0, dtype=self.dtype)
        mapped = mmap.mmap(self._file.fileno(), self.rows * self.dtype.itemsize)
        return np.frombuffer(mapped, dtype=self.dtype)
