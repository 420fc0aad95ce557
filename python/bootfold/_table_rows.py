"""Rows for estimators: inputs as a frame or a matrix, targets and labels as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bootfold._data import column_names
from bootfold._encode import InputColumns
from bootfold._select import of_frame
from bootfold._table_csv import CsvFiles, classes_of
from bootfold._table_matrix import training_rows, with_names
from bootfold._table_read import Held, Limits, Wanted, in_memory
from bootfold._table_source import TableSource, needs, table_source

_UNLIMITED = Limits(2**62)


def rows_of(
    X: Any,
    inputs: Sequence[str] | None,
    roles: dict[str, Any],
    *,
    names: bool,
    columns: InputColumns | None = None,
    labels: Sequence[str] = (),
) -> tuple[Any, dict[str, Any]]:
    """Inputs that an estimator takes, and columns in place of the names among `roles`.

    Arrays and frames stay what they are. Of a file, query or stream only `inputs` and the named
    columns are read; None: all columns but the named ones. `names`: whether the inputs have names.
    `columns`: what is known of the inputs; `labels`: roles that are classes.
    """
    source = None if type(X) is np.ndarray else table_source(X)
    if source is None:
        if any(isinstance(role, str) for role in roles.values()):
            return of_frame(X, None, roles)
        return X, roles
    if isinstance(source, CsvFiles):
        found, values, seen = _read_csv(source, inputs, roles, columns, labels)
    else:
        found, held, seen = _read(source, inputs, roles)
        values = held.texts
    arrays = [values[name] for name in seen]
    if names or any(array.dtype.kind not in "biuf" for array in arrays):
        pandas = needs("pandas", "an estimator that knows its inputs by name", "pandas")
        return pandas.DataFrame(dict(zip(seen, arrays, strict=True)), copy=False), found
    return np.column_stack(arrays), found


def predictions_of(
    source: TableSource, columns: str | Sequence[str] | None, roles: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Predictions that are columns of a table: one axis for one column, two for several."""
    wanted = None if columns is None else column_names(columns)
    found, held, seen = _read(source, wanted, roles)
    if len(seen) == 1:
        return held.texts[seen[0]], found
    return np.column_stack([held.texts[name] for name in seen]), found


def examples_of(
    X: Any,
    roles: dict[str, Any],
    memory: int,
    encode: Callable[[Sequence[str]], InputColumns],
    labels: Sequence[str] = (),
) -> tuple[Any, dict[str, Any], InputColumns | None]:
    """The same for training, with the names of the inputs: rows that fit `memory` as float32.

    The third is what turned the columns of a file, query or stream into numbers.
    """
    source = None if type(X) is np.ndarray else table_source(X)
    if source is None:
        return *rows_of(X, None, roles, names=True), None
    named, seen = _chosen(source, None, roles)
    others = list(dict.fromkeys(name for names in named.values() for name in names))
    encoded = encode(seen)
    classes = _class_columns(roles, labels)
    inputs, columns = training_rows(source, seen, others, memory, encoded, classes)
    if isinstance(source, CsvFiles):
        columns |= {name: classes_of(columns[name]) for name in classes}
    return with_names(inputs, seen), _filled(roles, named, columns), encoded


def _chosen(
    source: TableSource, inputs: Sequence[str] | None, roles: dict[str, Any]
) -> tuple[dict[str, list[str]], list[str]]:
    """The columns that roles name, and the inputs."""
    named = {role: _names(source, given) for role, given in roles.items()}
    taken = [name for names in named.values() for name in names]
    seen = [name for name in source.names if name not in taken] if inputs is None else list(inputs)
    if not seen:
        raise ValueError(f"{source.told} has no columns but {', '.join(taken)}")
    return named, seen


def _filled(
    roles: dict[str, Any], named: dict[str, list[str]], columns: dict[str, Any]
) -> dict[str, Any]:
    """The roles, with columns in place of their names."""
    found = dict(roles)
    for role, names in named.items():
        if isinstance(roles[role], str):
            found[role] = columns[names[0]]
        elif names:
            found[role] = np.column_stack([columns[name] for name in names])
    return found


def _read(
    source: TableSource, inputs: Sequence[str] | None, roles: dict[str, Any]
) -> tuple[dict[str, Any], Held, list[str]]:
    named, seen = _chosen(source, inputs, roles)
    taken = [name for names in named.values() for name in names]
    wanted = list(dict.fromkeys([*seen, *taken]))
    held = in_memory(source, Wanted(texts=wanted), _UNLIMITED)
    if held.rows == 0:
        raise ValueError(f"{source.told} has no rows; an estimator needs at least one")
    return _filled(roles, named, held.texts), held, seen


def _class_columns(roles: dict[str, Any], labels: Sequence[str]) -> list[str]:
    """The columns of the roles that are classes."""
    return [roles[role] for role in labels if isinstance(roles[role], str)]


def _read_csv(
    source: CsvFiles,
    inputs: Sequence[str] | None,
    roles: dict[str, Any],
    columns: InputColumns | None,
    labels: Sequence[str],
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """The same of text files, which do not tell what is text."""
    named, seen = _chosen(source, inputs, roles)
    used = list(dict.fromkeys([*seen, *(name for names in named.values() for name in names)]))
    source.check(used)
    texts, numbers = ([], []) if columns is None else columns.known
    classes = _class_columns(roles, labels)
    pieces = list(source.any_batches(used, [*texts, *classes], numbers))
    if not pieces:
        raise ValueError(f"{source.told} has no rows; an estimator needs at least one")
    found = {name: np.concatenate([piece[name] for piece in pieces]) for name in used}
    values = found | {name: classes_of(found[name]) for name in classes}
    return _filled(roles, named, values), found, seen


def _names(source: TableSource, given: Any) -> list[str]:
    """The columns that an argument names, if it does."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, list) and given and all(isinstance(name, str) for name in given):
        return given if set(given) <= set(source.names) else []
    return []
