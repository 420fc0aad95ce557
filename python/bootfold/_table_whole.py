"""Tables that are read in batches as frames in memory, for functions that get whole rows."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold._data import column_names
from bootfold._dates import module_of
from bootfold._labels import Coded
from bootfold._spool import size
from bootfold._statistics import Function
from bootfold._table_source import TableSource, needs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._statistics import Statistic
    from bootfold._table_read import Limits

#: How the names of types of numbers begin, in all packages.
_NUMBERS = (
    *("int", "uint", "float", "double", "halffloat", "decimal", "bool", "null"),
    *("tinyint", "smallint", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint"),
    *("uhugeint", "real"),
)


def with_texts(
    given: Any, statistic: Statistic, columns: Any, roles: dict[str, Any], limits: Limits
) -> Any:
    """The columns that a call uses as a frame, if a function gets some that are no numbers.

    A polars.DataFrame of a LazyFrame; of others a DataFrame of pandas, or where that is not
    installed a pyarrow.Table.
    """
    if not isinstance(given, TableSource) or not isinstance(statistic, Function):
        return given
    beside = [name for role in roles.values() for name in _named(role, given.names)]
    if columns is None:
        seen = [name for name in given.names if name not in beside]
    else:
        seen = column_names(columns)
    given.check(seen)
    used = list(dict.fromkeys([*seen, *beside]))
    kinds = dict(zip(used, given.types_of(used), strict=True))
    others = [name for name in used if kinds[name] and not _is_number(kinds[name])]
    if not set(others) & set(seen) or "object" in kinds.values():
        return given
    return _frame(given, used, others, limits)


def frame_of_rows(source: TableSource, limits: Limits) -> Any:
    """All columns as a frame in memory."""
    names = list(source.names)
    kinds = source.types_of(names)
    others = [n for n, kind in zip(names, kinds, strict=True) if kind and not _is_number(kind)]
    return _frame(source, names, others, limits)


def _is_number(kind: str) -> bool:
    return kind.lower().startswith(_NUMBERS)


def _named(role: Any, there: Sequence[str]) -> list[str]:
    """The columns that are named as labels or weights."""
    names = [role] if isinstance(role, str) else role if isinstance(role, (list, tuple)) else []
    return [name for name in names if isinstance(name, str) and name in there]


def _frame(source: TableSource, columns: list[str], others: list[str], limits: Limits) -> Any:
    """The columns, of which `others` are no numbers."""
    limit = limits.memory
    if source.package == "polars":
        package = "polars"
    else:
        package = "pandas" if importlib.util.find_spec("pandas") else "pyarrow"
        needs(package, "a function that gets rows with text", "pandas")
    pieces = []
    bytes_ = 0
    numbers = [name for name in columns if name not in others]
    with source.watched(limits.progress):
        for batch in source.batches_of(numbers, others, limits.omit):
            pieces.append(_piece(batch, columns, package))
            bytes_ += _bytes(pieces[-1])
            if bytes_ <= limit:
                continue
            raise ValueError(
                f"the function gets whole rows of {source.told}, as some columns are no numbers, "
                f"and they exceed the memory limit of {size(limit)}; raise memory=, or choose "
                "fewer columns by columns= (of compare by value=)"
            )
    if package == "polars":
        import polars

        return polars.concat(pieces)
    if package == "pyarrow":
        import pyarrow

        return pyarrow.concat_tables(pieces, promote_options="permissive")
    import pandas

    return pandas.concat(pieces, ignore_index=True)


def _piece(batch: Any, columns: list[str], package: str) -> Any:
    found = {name: _values(batch[name]) for name in columns}
    if package == "polars":
        import polars

        return polars.DataFrame(found)
    if package == "pyarrow":
        import pyarrow

        return pyarrow.table(found)
    import pandas

    return pandas.DataFrame({name: _pandas(column) for name, column in found.items()})


def _values(column: Any) -> Any:
    return np.asarray(column) if isinstance(column, Coded) else column


def _pandas(column: Any) -> Any:
    """A column without an index of its own."""
    if module_of(column) in ("pyarrow", "polars"):
        return column.to_pandas()
    return column.reset_index(drop=True) if hasattr(column, "reset_index") else column


def _bytes(frame: Any) -> int:
    if module_of(frame) == "pandas":
        return int(frame.memory_usage(deep=True).sum())
    return int(frame.estimated_size() if module_of(frame) == "polars" else frame.nbytes)
