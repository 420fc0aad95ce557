"""DuckDB: relations, and queries in SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bootfold._dates import module_of
from bootfold._table_source import BATCH_ROWS, TableSource, needs

_READERS = ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch")


def recognise(value: Any) -> TableSource | None:
    if module_of(value) in ("duckdb", "_duckdb") and type(value).__name__ == "DuckDBPyRelation":
        return Relation(value)
    return None


class Relation(TableSource):
    """A relation of DuckDB. Its rows may come in another order when it is run again."""

    repeatable: bool = False

    def __init__(self, relation: Any) -> None:
        needs("pyarrow", "reading from DuckDB", "duckdb")
        self._relation = relation
        self.names = list(relation.columns)
        self.types = [str(kind).lower() for kind in relation.types]

    @property
    def told(self) -> str:
        return "the DuckDB relation"

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        import duckdb

        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        try:
            chosen = self._relation.project(quoted)
            make = next(getattr(chosen, name) for name in _READERS if hasattr(chosen, name))
            yield from make(BATCH_ROWS)
        except duckdb.Error as error:
            raise ValueError(f"{self.told} cannot be run: {error}") from error
        except OSError as error:  # pyarrow hands errors of the query on as such
            raise ValueError(f"{self.told} cannot be run: {error}") from error


class Query(Relation):
    """A query that is run whenever its rows are read."""

    def __init__(self, query: str, connection: Any) -> None:
        duckdb = needs("duckdb", "bf.sql", "duckdb")
        if not isinstance(query, str):
            raise TypeError(f"query is {query!r} but must be a text, such as 'select ...'")
        if connection is None:
            connection = duckdb.connect()
            connection.execute("set python_scan_all_frames = true")  # variables of the caller
        try:
            relation = connection.sql(query)
        except duckdb.Error as error:
            raise ValueError(f"the query cannot be run: {error}") from error
        if relation is None:
            raise ValueError(f"the query has no rows to read: {query!r}; it must be a select")
        super().__init__(relation)
        self._query = query
        self._connection = connection

    @property
    def told(self) -> str:
        return "the query"

    def __repr__(self) -> str:
        return f"bootfold.sql({self._query!r})"


def sql(query: str, *, connection: Any = None) -> Query:
    """The rows of a query in SQL, run by DuckDB, as data for all functions of this package.

    Nothing is read before the rows are needed, and then only the columns that are used. The query
    can be used in any number of calls; each runs it again. DuckDB keeps the order of rows of files
    and tables; after ``group by`` or a join the order may differ from run to run, so that the same
    seed gives other replicates. ``order by`` makes such a query reproducible.

    Parameters
    ----------
    query : str
        A select statement. It may name files (``from 'sales/*.parquet'``), URLs, and data frames
        that are variables of the caller.
    connection : duckdb.DuckDBPyConnection, optional
        Where tables of a database are. A new one in memory unless given.

    Examples
    --------
    >>> import bootfold as bf
    >>> prices = bf.sql("select range + 0.5 as price from range(1000) where range > 9")
    >>> r = bf.bootstrap(prices, "mean", columns="price", seed=7)
    >>> r.estimate
    505.0
    """
    return Query(query, connection)
