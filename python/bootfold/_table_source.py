"""Tables that are read batch by batch: files, queries, streams, and arrays that a function makes.

A kind of table is one class and one line in `_KINDS`. What reads them (`_table_read`) asks for the
columns that a call uses and for no others.
"""

from __future__ import annotations

import contextlib
import importlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal

from bootfold._nearest import columns_told

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from contextlib import AbstractContextManager

    from bootfold._options import Progress

#: Rows that a batch has where its size can be chosen.
BATCH_ROWS = 1 << 18


class TableSource(ABC):
    """Columns that arrive in batches."""

    names: list[str]  #: of all columns
    types: list[str]  #: of all columns, in the words of their package; "" if unknown
    rows: int | None = None  #: None: not known before they are read
    vector: bool = False  #: one column that was not given as a table

    #: Does every pass give the same rows in the same order? Else only one pass may be made.
    repeatable: bool = True
    #: May the arrays of a batch change when the next batch is made? They are then copied.
    volatile: bool = False
    #: Are the arrays of a batch mapped files, which take no memory?
    mapped: bool = False
    #: The package of the tables that `bootfold.compare` returns.
    package: Literal["pyarrow", "polars", "dict"] = "pyarrow"

    @property
    @abstractmethod
    def told(self) -> str:
        """What the source is, for messages."""

    def types_of(self, columns: Sequence[str]) -> list[str]:
        """The types of some columns; a source that does not know them reads the first rows."""
        return [self.types[self.names.index(name)] for name in columns]

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """A new pass over the rows.

        Of a batch b, ``b[name]`` is a column: an array of NumPy, pyarrow, polars or pandas.
        """

    def batches_of(
        self, numbers: Sequence[str], others: Sequence[str], omit: bool
    ) -> Iterator[Any]:
        """A pass for a source that must know which columns are numbers and which are labels.

        `omit`: rows with missing values may be left out, as they are later.
        """
        return self.batches(list(dict.fromkeys([*numbers, *others])))

    def any_batches(
        self, columns: Sequence[str], texts: Collection[str], numbers: Collection[str] = ()
    ) -> Iterator[Any]:
        """A pass over columns of any type, with missing values.

        `texts` and `numbers`: what columns are, for sources that must know; the others have text if
        a row has.
        """
        return self.batches(columns)

    def watched(self, progress: Progress) -> AbstractContextManager[object]:
        """While it is in use, `progress` shows how far reading is, if the source can tell."""
        return contextlib.nullcontext()

    def with_computed(
        self, expressions: Sequence[str], statistics: Sequence[str] = ()
    ) -> TableSource:
        """The table with more columns, which are computed from those it has.

        `statistics`: those that have the expressions in them, for messages.
        """
        from bootfold._computed import ComputedTable

        return ComputedTable(self, expressions, statistics)

    def check(self, columns: Sequence[str]) -> None:
        """Raises ValueError for columns that are not there or are there twice."""
        for name in columns:
            number = self.names.count(name)
            if number == 0:
                raise ValueError(
                    f"{self.told} has no column {name!r}{columns_told(name, self.names)}"
                )
            if number > 1:
                raise ValueError(
                    f"{self.told} has {number} columns called {name!r}; give them different names"
                )


# Modules with a function recognise(value), which returns a TableSource or None. The first that
# does is taken, so that those for anything that can be iterated over come last.
_KINDS = ("_table_files", "_table_arrow", "_table_duckdb", "_table_polars", "_table_chunks")


def table_source(value: Any) -> TableSource | None:
    """What reads a value batch by batch; None for what is in memory, such as arrays and frames."""
    if isinstance(value, TableSource):
        return value
    for kind in _KINDS:
        found = importlib.import_module(f"bootfold.{kind}").recognise(value)
        if found is not None:
            assert isinstance(found, TableSource)
            return found
    return None


def needs(package: str, what: str, extra: str) -> Any:
    """A package that is not always installed."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        name = package.partition(".")[0]
        command = name if extra == name == "pandas" else f"'bootfold[{extra}]'"
        if (error.name or "").partition(".")[0] != name:
            raise
        raise ImportError(f"{what} needs {name}; install it with: pip install {command}") from error
