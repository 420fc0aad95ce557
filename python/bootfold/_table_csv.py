"""Text files: .csv, .tsv, .txt and the like, read by the library as the command line reads them."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bootfold import _core
from bootfold._chunked import Array
from bootfold._labels import Coded
from bootfold._progress import reporter
from bootfold._table_source import BATCH_ROWS, TableSource

if TYPE_CHECKING:
    from bootfold._options import Progress

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


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

    def __init__(self, paths: list[str], **words: Any) -> None:
        self._paths = paths
        self._words = words  # those of csv()
        self._dialect = _dialect(**words)
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

    def any_batches(
        self, columns: Sequence[str], texts: Collection[str], numbers: Collection[str] = ()
    ) -> Iterator[Any]:
        """A pass over columns of any type. Of rows with text the file is one batch."""
        columns = list(dict.fromkeys(columns))
        unknown = [name for name in columns if name not in texts and name not in numbers]
        if unknown == columns and self._complete(columns):
            yield from self.batches(columns)
            return
        written = self._columns_of_text(unknown)
        written = [name for name in columns if name in texts or name in written]
        passed = self._batches_with_missing([n for n in columns if n not in written], written)
        if not written:
            for found, _ in passed:
                yield found
            return
        pieces = list(passed)
        if not pieces:
            return
        names = pieces[0][0].keys()
        values = {name: np.concatenate([found[name] for found, _ in pieces]) for name in names}
        for name in written:
            missing = np.concatenate([absent[name] for _, absent in pieces])
            values[name] = self._texts(name, missing)
        rows = len(next(iter(values.values())))
        for first in range(0, rows, BATCH_ROWS):
            yield {name: column[first : first + BATCH_ROWS] for name, column in values.items()}

    def _complete(self, columns: list[str]) -> bool:
        """Whether all fields are numbers, which can be read faster."""
        try:
            for _ in self.batches(columns):
                pass
        except ValueError:
            return False
        return True

    def _columns_of_text(self, columns: list[str]) -> list[str]:
        """The columns that have a field which is not a number and not missing."""

        def are_numbers(names: list[str], *, all_rows: bool) -> bool:
            try:
                for _ in self._batches_with_missing(names, []):
                    if not all_rows:
                        return True
            except ValueError:
                return False
            return True

        if not columns or are_numbers(columns, all_rows=True):
            return []
        rest = [name for name in columns if are_numbers([name], all_rows=False)]
        if not are_numbers(rest, all_rows=True):
            rest = [name for name in rest if are_numbers([name], all_rows=True)]
        return [name for name in columns if name not in rest]

    def _batches_with_missing(
        self, numbers: Sequence[str], texts: Sequence[str]
    ) -> Iterator[tuple[dict[str, Array], dict[str, Array]]]:
        """Columns of numbers, with NaN for missing values, and where texts are missing."""
        own = [f"`{name}`" for name in numbers]
        asked = [f"if(missing({name}), 0, {name})" for name in own]
        asked += [f"missing(`{name}`)" for name in (*numbers, *texts)]
        if not asked:
            return
        rows = _core.CsvPass(self._paths, asked, [], False, self._dialect, self._tell)
        while (batch := rows.next()) is not None:
            arrays, count = batch[0], len(numbers)
            for values, missing in zip(arrays[:count], arrays[count:], strict=False):
                values[missing != 0] = np.nan
            absent = [flags != 0 for flags in arrays[2 * count :]]
            yield (
                dict(zip(numbers, arrays[:count], strict=True)),
                dict(zip(texts, absent, strict=True)),
            )

    def _texts(self, name: str, missing: Array) -> Array:
        """The fields of a column as objects, those that are numbers as such; None is missing."""
        found = np.full(len(missing), None, dtype=object)
        if missing.all():
            return found
        dialect = self._dialect
        if missing.any():
            present = f"not missing(`{name}`)"
            where = self._words.get("where")
            where = f"({where}) and {present}" if where else present
            dialect = _dialect(**{**self._words, "where": where})
        called = [f"missing(`{name}`)"]
        rows = _core.CsvPass(self._paths, called, [name], False, dialect, self._tell)
        batch = rows.next()
        assert batch is not None
        codes, names = batch[1][0]
        fields = np.empty(len(names), dtype=object)
        fields[:] = [float(each) if _NUMBER.fullmatch(each) else each for each in names]
        found[~missing] = fields[codes]
        return found

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


def classes_of(fields: Array) -> Array:
    """Classes as integers or numbers, if all fields are such, and as text otherwise."""
    kinds = {type(field) for field in fields}
    if kinds == {float}:
        numbers = fields.astype(np.float64)
        return numbers.astype(np.int64) if (numbers == np.floor(numbers)).all() else numbers
    if type(None) in kinds:
        return fields
    return np.array([_field(field) for field in fields])


def _field(field: str | float) -> str:
    whole = isinstance(field, float) and field.is_integer()
    return str(int(field)) if whole else str(field)


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
    return CsvFiles(
        files,
        header=header,
        delimiter=delimiter,
        decimal=decimal,
        thousands=thousands,
        missing=missing,
        where=where,
    )
