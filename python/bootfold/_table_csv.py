"""Text files: .csv, .tsv, .txt and the like, read by the library as the command line reads them."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bootfold import _core
from bootfold._chunked import Array
from bootfold._labels import Coded
from bootfold._progress import reporter
from bootfold._table_source import TableSource

if TYPE_CHECKING:
    from bootfold._options import Progress

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")


def _dialect(
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | Sequence[str] | None = None,
    where: str | None = None,
) -> _core.Dialect:
    if isinstance(missing, str):
        missing = [entry.strip() for entry in missing.split(",")]
    listed = None if missing is None else [str(entry) for entry in missing]
    return _core.Dialect(header, delimiter, decimal, thousands, listed, where or "")


def _labels(codes: Array, names: list[str]) -> Coded:
    """Labels of rows: whole numbers where all are, otherwise texts."""
    if names and all(_WHOLE.fullmatch(name) for name in names):
        return Coded(codes, np.array([int(name) for name in names]))
    found = np.empty(len(names), dtype=object)
    found[:] = names
    return Coded(codes, found)


def _called(names: Sequence[str]) -> list[str]:
    """A number in backticks is a column that is called by its number."""
    return [f"`{name}`" if name.isdigit() else name for name in names]


class CsvFiles(TableSource):
    """Text files whose rows follow each other."""

    package: Literal["pyarrow", "polars", "dict"] = (
        "pyarrow" if importlib.util.find_spec("pyarrow") else "dict"
    )

    def __init__(self, paths: list[str], dialect: _core.Dialect | None = None) -> None:
        self._paths = paths
        self._dialect = _dialect() if dialect is None else dialect
        self._tell: Callable[[float, float], Any] | None = None  # how far a pass is
        self.names = _core.csv_names(paths, self._dialect)
        self.types = [""] * len(self.names)
        self.vector = len(self.names) == 1 and self.names == ["1"]

    @property
    def told(self) -> str:
        if len(self._paths) == 1:
            return self._paths[0]
        return f"the table of {len(self._paths)} files ({self._paths[0]}, ...)"

    @contextlib.contextmanager
    def watched(self, progress: Progress) -> Iterator[None]:
        total = sum(os.path.getsize(path) for path in self._paths)
        with reporter(progress, total, "bytes") as tell:
            self._tell = tell
            try:
                yield
            finally:
                self._tell = None

    def with_computed(
        self, expressions: Sequence[str], statistics: Sequence[str] = ()
    ) -> TableSource:
        """The library computes them as it reads, from numbers and texts."""
        found = copy.copy(self)
        found.names = [*self.names, *expressions]
        found.types = [""] * len(found.names)
        found.vector = False
        return found

    def check(self, columns: Sequence[str]) -> None:
        """The library has the better message: it looks for another delimiter, and similar names."""
        unknown = [name for name in columns if name not in self.names]
        if unknown:
            _core.CsvPass(self._paths, unknown, [], True, self._dialect)
        super().check(columns)

    def types_of(self, columns: Sequence[str]) -> list[str]:
        """ "double" or "string", as the first rows tell."""

        def are_numbers(names: Sequence[str]) -> bool:
            try:
                _core.CsvPass(self._paths, _called(names), [], True, self._dialect).next()
            except ValueError:
                return False
            return True

        if are_numbers(columns):
            return ["double"] * len(columns)
        return ["double" if are_numbers([name]) else "string" for name in columns]

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        return self.batches_of(columns, [], False)

    def batches_of(
        self, numbers: Sequence[str], others: Sequence[str], omit: bool
    ) -> Iterator[Any]:
        """The labels of all rows are one batch."""
        if not numbers and not others:
            raise ValueError(f"no column of {self.told} is used; name one by columns=")
        # The library reads at least one column of numbers, which may be computed.
        called = _called(numbers) if numbers else [f"missing(`{others[0]}`)"]
        rows = _core.CsvPass(self._paths, called, list(others), omit, self._dialect, self._tell)
        while (found := rows.next()) is not None:
            arrays, labels = found
            yield {
                **dict(zip(numbers, arrays if numbers else [], strict=True)),
                **{n: _labels(*each) for n, each in zip(others, labels, strict=True)},
            }

    def __repr__(self) -> str:
        return f"bootfold.csv({self._paths[0] if len(self._paths) == 1 else self._paths!r})"


def csv(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | Sequence[str] | None = None,
    where: str | None = None,
) -> CsvFiles:
    """Text files as data for all functions of this package, as the command line reads them.

    A path alone is read in the same way: ``bf.bootstrap("sales.csv", "mean", columns="price")``.
    What is not given is found by the first rows; docs/files.md has the rules. Only the columns that
    a call uses are read, batch by batch. With nan="omit" rows with missing values are left out.

    Parameters
    ----------
    path : str, path-like or list of these
        A file, a pattern ("sales/*.csv"), or several; plain or compressed with gzip.
    header : bool, optional
        Whether the first line has names of columns.
    delimiter, decimal, thousands : str, optional
        A character, or its name: "semicolon", "tab", "space", "comma", "point", ...;
        ``thousands="none"`` says that there is none.
    missing : str or list of str, optional
        Fields that stand for missing values, beside the empty one: ``"NA,-,."`` or a list.
    where : str, optional
        A condition on the rows: ``"origin == 'JFK' and dep_delay > 0"``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import bootfold as bf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "preise.csv"
    >>> _ = path.write_text("preis;ort\\n1,5;Berlin\\n2,5;Bonn\\n-;Bonn\\n")
    >>> prices = bf.csv(path, missing="-")
    >>> bf.bootstrap(prices, "mean", columns="preis", nan="omit", seed=7).estimate
    2.0
    """
    from bootfold._table_files import files_of

    given = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    files = [file for entry in given for file in files_of(entry)]
    return CsvFiles(files, _dialect(header, delimiter, decimal, thousands, missing, where))
