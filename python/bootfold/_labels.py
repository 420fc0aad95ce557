"""Labels of rows: strata, clusters, groups."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from bootfold._data import Array
from bootfold._dates import module_of, moment_meant, moment_text


@dataclass(slots=True)
class Coded:
    """Labels that have codes already."""

    codes: Array  #: a code for each row, 0, 1, ...
    names: Array  #: the sorted labels they stand for
    missing: Array | None = None  #: rows without a label, if there are any; their codes are void
    column: str = ""  #: that they are of, for messages

    def __len__(self) -> int:
        return len(self.codes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The label of each row."""
        found: Array = self.names[self.codes].astype(dtype or self.names.dtype, copy=False)
        return found


@dataclass(slots=True)
class LabelColumn:
    """Labels of a table whose columns do not know their names."""

    name: str
    values: Any


@dataclass(slots=True)
class Several:
    """Labels by several columns: month and day."""

    names: list[str]  #: of the columns
    columns: list[Any]


def label_text(label: Any) -> str:
    """A label as the library names it; of several columns "1, 31", of a midnight its date."""
    if not isinstance(label, tuple):
        moment = moment_text(label)
        return str(label) if moment is None else moment
    parts = []
    for part in map(label_text, label):
        quoted = '"' + part.replace('"', '""') + '"'
        parts.append(quoted if "," in part or '"' in part else part)
    return ", ".join(parts)


def label_meant(label: Any, known: Collection[str]) -> str:
    """The text of a label that a person gave: among dates, also a date written differently."""
    text = label_text(label)
    if text not in known and isinstance(label, str):
        meant = moment_meant(label)
        if meant in known:
            return str(meant)
    return text


def label_values(names: Array) -> list[Any]:
    """Labels as values of Python."""
    if names.dtype.kind == "M":
        days = np.datetime_data(names.dtype)[0] in ("Y", "M", "W", "D")
        values = names.astype("M8[D]" if days else "M8[us]")
        if (values != names).any():  # Python has no nanoseconds
            return [label_text(name) for name in names]
        names = values
    found: list[Any] = names.tolist()
    return found


def check_within(clusters: tuple[Array, Array], strata: tuple[Array, Array]) -> None:
    """Raises ValueError, which names the cluster, if one has rows in several strata."""
    codes, names = clusters
    strata_codes, strata_names = strata
    first = np.zeros(len(names), dtype=np.int64)
    first[codes] = strata_codes  # that of any row
    wrong = np.flatnonzero(first[codes] != strata_codes)
    if wrong.size:
        cluster = codes[wrong[0]]
        found = [label_text(strata_names[s]) for s in np.unique(strata_codes[codes == cluster])]
        raise ValueError(
            f"cluster '{label_text(names[cluster])}' has rows in {len(found)} strata, '{found[0]}' "
            f"and '{found[1]}'; clusters are drawn within strata, so all rows of a cluster need "
            "the same stratum: add the column of the strata to clusters, or omit strata"
        )


def texts_of(names: Array) -> list[str]:
    """Sorted labels as texts that the library sorts in the same way.

    It sorts texts by value if all are numbers and by their bytes otherwise, so the text of a text
    begins with a letter.
    """
    if names.dtype.kind == "O":
        names = np.asarray(names.tolist())
    kind = names.dtype.kind
    if kind in "Mm":
        return [str(number) for number in names.astype(np.int64).tolist()]
    if kind in "biu":
        return [str(int(number)) for number in names.tolist()]
    if kind == "f":
        if not np.isfinite(names.astype(np.float64)).all():
            raise ValueError("a label is infinite but labels of shards must be finite numbers")
        return [str(int(x)) if x.is_integer() else repr(x) for x in names.astype(float).tolist()]
    if kind == "S":
        return [f"t{name.decode('latin-1')}" for name in names.tolist()]
    return [f"t{name}" for name in names.tolist()]


def _filled(present: Array, missing: Array) -> Array:
    """Labels of their own type: those that are present in their rows, the first of them elsewhere.

    With missing values among them, whole numbers would become floating point numbers.
    """
    if not len(present):
        return np.zeros(len(missing), dtype=present.dtype)
    found = np.full(len(missing), present[0], dtype=present.dtype)
    found[~missing] = present
    return found


def values_and_missing(labels: Any) -> tuple[Array, Array]:
    """Labels as an array, and where they are missing."""
    if isinstance(labels, LabelColumn):
        labels = labels.values
    module = module_of(labels)
    if module == "pandas":
        missing = labels.isna().to_numpy()
        if missing.any():
            return _filled(labels[~missing].to_numpy(), missing), missing
        return labels.to_numpy(), missing
    if module == "polars":
        missing = labels.is_null().to_numpy()
        if missing.any():
            return _filled(labels.drop_nulls().to_numpy(), missing), missing
        return labels.to_numpy(), missing
    if module == "pyarrow":
        return np.asarray(labels.to_pylist()), np.asarray(labels.is_null().to_pylist())
    array = np.asarray(labels)
    if array.dtype.kind == "f":
        return array, np.isnan(array)
    if array.dtype.kind in "Mm":
        return array, np.isnat(array)
    if array.dtype.kind == "O":
        return array, np.array([label is None or label != label for label in array.flat])
    return array, np.zeros(array.shape, dtype=bool)


def missing_labels(labels: Any) -> Array | None:
    """Rows without a label, as a mask; None if all have one."""
    if labels is None or isinstance(labels, Coded):
        return None if labels is None else labels.missing
    if isinstance(labels, Several):
        found = [missing_labels(column) for column in labels.columns]
        marked = [missing for missing in found if missing is not None]
        return np.logical_or.reduce(marked) if marked else None
    missing = values_and_missing(labels)[1]
    return missing if missing.any() else None


def _column_of(labels: Any) -> str:
    """The name of the column that labels are of, as far as it is known."""
    if isinstance(labels, Coded):
        return labels.column
    if isinstance(labels, LabelColumn) or module_of(labels) in ("pandas", "polars"):
        name = getattr(labels, "name", None)
        return "" if name is None else str(name)
    return ""


def _check_labelled(labels: Any, missing: Array | None, what: str, omit: bool) -> None:
    if missing is None or (omit and not missing.all()):
        return
    column = _column_of(labels)
    if column:
        what += f" (column '{column}')"
    if omit:
        raise ValueError(f"{what} has no label in any row, and nan='omit' leaves none")
    row = int(missing.argmax())
    raise ValueError(f"{what} has no label in row {row}; nan='omit' leaves such rows out")


def coded(labels: Any, rows: int, what: str, *, omit: bool = False) -> tuple[Array, Array]:
    """A code for each row, 0, 1, ..., and the sorted labels they stand for.

    `omit`: rows without a label have some code, and the caller leaves them out.
    """
    if isinstance(labels, Coded):
        _check_labelled(labels, labels.missing, what, omit)
        return labels.codes, labels.names
    if isinstance(labels, Several):
        return _combined([coded(column, rows, what, omit=omit) for column in labels.columns])
    array, missing = values_and_missing(labels)
    if array.ndim != 1:
        raise ValueError(f"{what} has {array.ndim} axes but must be one label for each row")
    if array.shape[0] != rows:
        raise ValueError(
            f"{what} has {array.shape[0]} labels but the data have {rows} rows; each needs one"
        )
    if missing.any():
        _check_labelled(labels, missing, what, omit)
        array = array.copy()
        array[missing] = array[int((~missing).argmax())]
    try:
        names, codes = np.unique(array, return_inverse=True)
    except TypeError:
        names, codes = np.unique(array.astype(str), return_inverse=True)
    return codes.astype(np.uint32).reshape(-1), names


def _combined(each: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Codes of the combinations that occur, sorted column by column, and these as tuples."""
    codes = each[0][0].astype(np.uint64)
    labels: list[tuple[Any, ...]] = [(name,) for name in label_values(each[0][1])]
    for more, names in each[1:]:
        occurring, codes = np.unique(codes * np.uint64(len(names)) + more, return_inverse=True)
        others = label_values(names)
        pairs = [divmod(int(key), len(others)) for key in occurring]
        labels = [(*labels[first], others[second]) for first, second in pairs]
        codes = codes.reshape(-1).astype(np.uint64)
    found = np.empty(len(labels), dtype=object)
    found[:] = labels
    return codes.astype(np.uint32), found
