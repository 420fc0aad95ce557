"""The columns of a comparison: values, groups, and what else belongs to the rows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _data
from bootfold._dates import module_of
from bootfold._engines import Wanted as ColumnsWanted
from bootfold._engines import collection_of
from bootfold._expressions import names_of
from bootfold._labels import LabelColumn, Several
from bootfold._nearest import columns_told
from bootfold._table_read import Limits, Wanted, in_memory
from bootfold._table_source import TableSource
from bootfold._xarray import values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LABELS = ("by", "strata", "clusters", "pair")


@contextlib.contextmanager
def told_as(options: dict[str, str]) -> Iterator[None]:
    """Messages about expressions name the options that these were given for."""
    try:
        yield
    except ValueError as error:
        for text, option in options.items():
            start = f"columns is '{text}' but"
            if str(error).startswith(start):
                raise ValueError(option + str(error).removeprefix("columns")) from None
        raise


def read_roles(
    source: TableSource, roles: dict[str, Any], options: dict[str, str], limits: Limits
) -> dict[str, Any]:
    """The columns of each role, of a table that is not in memory.

    `options`: for which columns of values were given, for messages.
    """
    several = {
        role: list(name)
        for role, name in roles.items()
        if role in _LABELS and name is not None and not isinstance(name, str)
    }
    named = {role: name for role, name in roles.items() if isinstance(name, str)}
    for role, columns in several.items():
        named |= {f"{role} {number}": name for number, name in enumerate(columns)}
    values_of_options = ((options[name], name) for name in roles["value"])
    for role, name in (*named.items(), *values_of_options):
        if name not in source.names:
            raise _unknown(role.split()[0], name, source.names)
    labels = {role: name for role, name in named.items() if role.split()[0] in _LABELS}
    numbers = {role: name for role, name in named.items() if role not in labels}
    used = dict.fromkeys([*roles["value"], *numbers.values()])
    with told_as(options):
        held = in_memory(source, Wanted(list(used), labels), limits)
    values = [_data.Columns([name], [held.numbers[name]], True) for name in roles["value"]]
    found = {role: held.numbers[name] for role, name in numbers.items()}
    found_labels: dict[str, Any] = dict(held.labels)
    for role, columns in several.items():
        own = [found_labels.pop(f"{role} {number}") for number in range(len(columns))]
        found_labels[role] = own[0] if len(own) == 1 else Several(columns, own)
    return {"value": values, **found_labels, **found}


def rows_of_cluster(df: Any, names: list[str], beside: list[str], engine: Any) -> Any:
    """The rows of a cluster's table; other tables as they are."""
    if module_of(df) == "xarray":
        df = values_of(df, None, None)[0]
    others = tuple(name for name in dict.fromkeys(beside) if name not in names)
    found = collection_of(df, ColumnsWanted(names, others), engine)
    if found is None and engine is not None:
        raise ValueError(
            f"engine is {engine!r} but the data are in the memory of this process; omit engine"
        )
    return df if found is None else found


def _unknown(role: str, name: str, there: Sequence[Any]) -> ValueError:
    told = columns_told(name, there)
    return ValueError(f"{role} is {name!r} but there is no such column{told}")


def column_of(frame: Any, name: str, role: str) -> Any:
    there = list(frame.column_names) if module_of(frame) == "pyarrow" else list(frame)
    if hasattr(frame, "columns") and module_of(frame) in ("pandas", "polars"):
        there = list(frame.columns)
    if name not in there:
        raise _unknown(role, name, there)
    return frame[name]


def _is_array(given: Any) -> bool:
    return not isinstance(given, (str, list, tuple)) and any(
        hasattr(given, name) for name in ("__array__", "__arrow_c_array__", "__arrow_c_stream__")
    )


def with_arrays(
    df: Any, roles: dict[str, Any], others: Sequence[str]
) -> tuple[Any, dict[str, Any]]:
    """The table with the Series and arrays that are given for roles, and names in their place.

    `others`: columns that the statistics name.
    """
    given = [part for one in roles.values() for part in (one if type(one) is list else [one])]
    if not any(map(_is_array, given)):
        return df, roles
    there = None if module_of(df) == "xarray" else names_of(df)
    table = _Table(df, there, {*others, *(one for one in given if isinstance(one, str))})
    found = {}
    for role, one in roles.items():
        several = type(one) is list
        names = [table.name_of(part, role) for part in (one if several else [one])]
        found[role] = names if several else names[0]
    return table.df, found


class _Table:
    """A table in memory that gets more columns."""

    def __init__(self, df: Any, there: list[Any] | None, named: set[str]) -> None:
        self.df, self._there, self._named = df, there, named

    def name_of(self, given: Any, role: str) -> Any:
        """The name of a column with these values; names as they are."""
        if not _is_array(given):
            return given
        if self._there is None:
            raise TypeError(
                f"{role} is of type {type(given).__name__} but the rows are in no table in memory; "
                "give the name of a column"
            )
        if len(given) <= len(self._there) and all(one in self._there for one in given):
            return list(given)
        rows = len(self.df[self._there[0]]) if self._there else 0
        if hasattr(given, "columns") or getattr(given, "ndim", 1) != 1 or len(given) != rows:
            raise ValueError(
                f"{role} is of type {type(given).__name__} with {len(given)} rows but must be the "
                f"name of a column, a list of names, or one value for each of the {rows} rows"
            )
        name = getattr(given, "name", None)
        if not isinstance(name, str) or not name:
            name = role
            while name in self._there or name in self._named:
                name += "_"
        elif name in self._there and np.array_equal(np.asarray(self.df[name]), np.asarray(given)):
            return name
        elif name in self._named:
            raise ValueError(
                f"{role} is a Series called {name!r}, and another argument names a column "
                f"{name!r} with other values; rename the Series"
            )
        self._add(name, given)
        return name

    def _add(self, name: str, values: Any) -> None:
        module = module_of(self.df)
        if module == "pandas":  # by place, whatever the index
            own = values.array if hasattr(values, "array") else np.asarray(values)
            self.df = self.df.assign(**{name: own})
        elif module == "polars":
            import polars

            self.df = self.df.with_columns(polars.Series(name, values))
        elif module == "pyarrow":
            import pyarrow

            own = values if module_of(values) == "pyarrow" else pyarrow.array(values)
            if name in self.df.column_names:
                self.df = self.df.drop_columns([name])
            self.df = self.df.append_column(name, own)
        else:
            self.df = {**self.df, name: values}
        self._there = names_of(self.df)
        self._named.add(name)


def rows_beside(df: Any, roles: dict[str, Any]) -> Any:
    """The columns of a frame that have no role, for functions of whole rows."""
    used = {name for role in roles.values() if role is not None for name in names_of_role(role)}
    arrow = module_of(df) == "pyarrow"
    kept = [name for name in (df.column_names if arrow else df.columns) if name not in used]
    return df.select(kept) if arrow else df[kept]


def names_of_role(name: str | Sequence[str]) -> list[str]:
    return [name] if isinstance(name, str) else list(name)


def labelled(role: str, name: str | Sequence[str], column: Callable[[str, str], Any]) -> Any:
    """The column of a role; of labels, also several columns."""
    names = names_of_role(name)
    found = [column(one, role) for one in names]
    if role in _LABELS:
        found = [LabelColumn(one, values) for one, values in zip(names, found, strict=True)]
    return found[0] if len(found) == 1 else Several(names, found)
