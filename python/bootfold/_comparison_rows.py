"""The columns of a comparison: values, groups, and what else belongs to the rows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from bootfold import _data
from bootfold._dates import module_of
from bootfold._engines import Wanted as ColumnsWanted
from bootfold._engines import collection_of
from bootfold._labels import Several
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


def names_of_role(name: str | Sequence[str]) -> list[str]:
    return [name] if isinstance(name, str) else list(name)


def labelled(role: str, name: str | Sequence[str], column: Callable[[str, str], Any]) -> Any:
    """The column of a role; of labels, also several columns."""
    names = names_of_role(name)
    if len(names) == 1:
        return column(names[0], role)
    return Several(names, [column(one, role) for one in names])
