"""Which columns of the data a call uses: columns=, and names given as strata=, weights=, ..."""

from __future__ import annotations

from typing import Any

import numpy as np

from bootfold._data import arrow_column, column_names
from bootfold._labels import LabelColumn, Several
from bootfold._nearest import columns_told
from bootfold._table_read import LABELS, Limits, as_columns
from bootfold._table_source import table_source


def chosen(
    given: Any,
    columns: Any,
    roles: dict[str, Any],
    limits: Limits,
) -> tuple[Any, dict[str, Any]]:
    """The data that a statistic sees, in memory, and the roles with columns in place of names."""
    if isinstance(given, tuple):
        if columns is not None:
            raise TypeError(
                f"columns is {columns!r} but the data are a tuple of samples; columns= is for one "
                "table"
            )
        return tuple(_loaded(value, limits) for value in given), roles
    source = None if type(given) is np.ndarray else table_source(given)
    if source is not None:
        seen, found = as_columns(source, columns, _apart(roles, source.names), limits)
        return seen, _together(found, roles)
    if columns is None and not any(_names_columns(role, given) for role in roles.values()):
        return given, roles
    seen, found = of_frame(given, columns, _apart(roles, _columns_of(given)))
    return seen, _together(found, roles)


def _columns_of(given: Any) -> list[Any]:
    """Names of the columns of a frame; none of other data. pyarrow's columns are no names."""
    arrow = hasattr(given, "column_names")
    return list(given.column_names if arrow else getattr(given, "columns", []))


def _names_columns(role: Any, given: Any) -> bool:
    return isinstance(role, str) or _is_list_of(role, _columns_of(given))


def _is_list_of(role: Any, there: list[Any]) -> bool:
    """Whether labels are given by names of columns, as ["month", "day"]."""
    return (
        isinstance(role, (list, tuple))
        and len(role) > 0
        and all(isinstance(name, str) for name in role)
        and any(name in there for name in role)
    )


def _apart(roles: dict[str, Any], there: list[Any]) -> dict[str, Any]:
    """A role of several columns as several roles: "clusters 0", "clusters 1"."""
    found: dict[str, Any] = {}
    for role, value in roles.items():
        if role in LABELS and _is_list_of(value, there):
            found |= {f"{role} {number}": name for number, name in enumerate(value)}
        else:
            found[role] = value
    return found


def _together(found: dict[str, Any], roles: dict[str, Any]) -> dict[str, Any]:
    """The reverse of _apart()."""
    result = {}
    for role, value in roles.items():
        if role in found:
            result[role] = found[role]
        else:
            columns = [found[f"{role} {number}"] for number in range(len(value))]
            result[role] = columns[0] if len(columns) == 1 else Several(list(value), columns)
    return result


def _loaded(value: Any, limits: Limits) -> Any:
    """A sample of several."""
    source = None if type(value) is np.ndarray else table_source(value)
    return value if source is None else as_columns(source, None, {}, limits)[0]


def of_frame(given: Any, columns: Any, roles: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Columns of a frame that are named as strata, clusters, weights, ... are not data."""
    named = {role: name for role, name in roles.items() if isinstance(name, str)}
    if not hasattr(given, "columns"):
        if columns is not None:
            raise TypeError(
                f"columns is {columns!r} but the data are no table; columns= is for files, "
                "queries and data frames"
            )
        name = next(iter(named.values()))
        raise TypeError(
            f"{name!r} names a column, but the data are no DataFrame; give an array with one entry "
            "for each row"
        )
    arrow = hasattr(given, "column_names")
    there = _columns_of(given)
    wanted = [] if columns is None else column_names(columns)
    for name in (*named.values(), *wanted):
        if name not in there:
            raise ValueError(f"there is no column {name!r}{columns_told(name, there)}")
    found = {role: given[name] if role in named else name for role, name in roles.items()}
    for role, name in named.items() if arrow else ():  # whose columns have no names
        if role.split()[0] in LABELS:
            found[role] = LabelColumn(name, found[role])
    if isinstance(columns, str):
        return (arrow_column(given, columns) if arrow else given[columns]), found
    others = wanted or [name for name in there if name not in named.values()]
    return given.select(others) if arrow else given[others], found
