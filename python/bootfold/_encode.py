"""Input columns of any kind as the numbers that the library encodes: codes of texts, seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._dates import date_type, has_moments, module_of, remedy
from bootfold._labels import values_and_missing
from bootfold._table_batch import texts
from bootfold._table_source import needs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bootfold._data import Array

_SECOND = np.timedelta64(1, "s")
#: Objects that are numbers, in the words of pandas.
_NUMERIC = ("integer", "floating", "decimal", "boolean", "mixed-integer-float", "complex", "empty")


def is_frame(X: Any) -> bool:
    """A data frame of pandas or polars, or an Arrow table, in memory."""
    package = module_of(X)
    if package == "pyarrow":
        return hasattr(X, "column_names")
    return package in ("pandas", "polars") and hasattr(X, "columns")


def frame_columns(X: Any) -> dict[str, Any]:
    """The columns of a frame by name."""
    if hasattr(X, "column_names"):
        return {str(name): X.column(place) for place, name in enumerate(X.column_names)}
    if module_of(X) == "pandas":
        return {str(name): X.iloc[:, place] for place, name in enumerate(X.columns)}
    return {str(name): X[name] for name in X.columns}


def has_unique_names(X: Any) -> bool:
    names = list(X.column_names if hasattr(X, "column_names") else X.columns)
    return len({str(name) for name in names}) == len(names) > 0


def check_unique_names(X: Any) -> None:
    """Raises ValueError if two columns of a frame have the same name."""
    names = [str(name) for name in (X.column_names if hasattr(X, "column_names") else X.columns)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(
            f"X has {names.count(twice)} columns called {twice!r}, but inputs are told apart by "
            "their names; give them different names"
        )


def explained(message: str, X: Any) -> str | None:
    """What is wrong with inputs that are no numbers, more exactly; None if that is not known."""
    if "convert string to float" in message or "bytes/strings" in message:
        return (
            f"{message.strip()}; arrays must have numbers, but columns of a data frame may be "
            "text: give pandas.DataFrame(X), with a type for each column"
        )
    if not message.startswith("Input X contains"):
        return None
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    missing = message.startswith("Input X contains NaN")
    rows, columns = np.nonzero(np.isnan(values) if missing else np.isinf(values))
    if not len(rows):
        return None
    names = list(getattr(X, "columns", range(1, values.shape[1] + 1)))
    where = f"column {names[columns[0]]!r}, row {rows[0]}"
    if missing:
        return f"Input X contains NaN ({where}), but nan is 'error'; train with nan='encode'"
    return f"{message.splitlines()[0].rstrip('.')} ({where})"


def like_frame(X: Any, rows: Array) -> Any:
    """Rows as a frame with the names of another one."""
    if module_of(X) == "polars":
        import polars

        return polars.DataFrame(rows, schema=list(X.columns))
    pandas = needs("pandas", "an estimator that knows its inputs by name", "pandas")
    names = X.column_names if hasattr(X, "column_names") else X.columns
    return pandas.DataFrame(rows, columns=names, copy=False)


def _as_dates(column: Any) -> Array:
    """Seconds since 1970; NaN where a date is missing."""
    if module_of(column) == "pyarrow":
        column = column.to_pandas()
    elif module_of(column) == "polars":
        column = column.to_numpy()
    if getattr(getattr(column, "dt", None), "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    moments = np.asarray(column, dtype="datetime64[ns]")
    seconds = (moments - np.datetime64(0, "ns")) / _SECOND
    found: Array = np.where(np.isnat(moments), np.nan, seconds)
    return found


def _is_text(column: Any) -> bool:
    """Whether a column has something other than numbers: text, categories, objects."""
    package = module_of(column)
    if package == "pyarrow":
        import pyarrow as pa

        kind = column.type
        return bool(
            pa.types.is_string(kind)
            or pa.types.is_large_string(kind)
            or pa.types.is_dictionary(kind)
            or (hasattr(pa.types, "is_string_view") and pa.types.is_string_view(kind))
        )
    if package == "polars":
        return str(column.dtype).partition("(")[0] in ("String", "Utf8", "Categorical", "Enum")
    dtype = getattr(column, "dtype", None)
    if package == "pandas":
        import pandas

        if isinstance(dtype, pandas.CategoricalDtype):
            return True
        if isinstance(dtype, np.dtype) and dtype.kind != "O":
            return False
        return pandas.api.types.infer_dtype(column, skipna=True) not in _NUMERIC
    found = np.asarray(column)
    return found.dtype.kind in "US" or any(isinstance(value, str) for value in found.flat)


def _numbers(column: Any, name: str) -> Array:
    if module_of(column) == "polars" and column.null_count():
        column = column.to_numpy()
    found = texts(column)
    if found.dtype in (np.float64, np.float32):
        return found
    try:
        if found.dtype.kind == "O":
            missing = values_and_missing(column)[1]
            found = np.where(missing, np.nan, found)
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"column {name!r} has values that are not numbers ({error}), but it had only numbers "
            "in the training"
        ) from None


def _word(value: Any) -> str:
    """The name of a level."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if number.is_integer() and abs(number) < 2**53:
            return str(int(number))
    return str(value).strip()


def _coded(codes: Any, place: int, column: Any, name: str) -> Array:
    """Codes of the texts of a column; NaN where they are missing."""
    values, missing = values_and_missing(column)
    found: Array = np.full(len(values), np.nan)
    present = np.asarray(values[~missing], dtype=object)
    for value in present[:1]:
        if isinstance(value, (dict, list, tuple, set, np.ndarray)):
            raise TypeError(
                f"column {name!r} has values of type {type(value).__name__}; an argument must be "
                "a string or a number"
            )
    words, places = np.unique(
        np.array([_word(value) for value in present], dtype=object).astype(str),
        return_inverse=True,
    )
    empty = words == ""
    truths = [float(word == "true") if word in ("true", "false") else np.nan for word in words]
    numbers = codes.codes(place, [str(word) for word in words], truths)
    found[~missing] = np.where(empty, np.nan, numbers)[places.reshape(-1)]
    return found


def _is_bool(column: Any) -> bool:
    package = module_of(column)
    kind = str(getattr(column, "type", getattr(column, "dtype", "")))
    return package in ("pandas", "polars", "pyarrow") and kind.lower() in ("bool", "boolean")


class InputColumns:
    """Turns columns into numbers, first to learn an encoding and later by that of a model."""

    def __init__(
        self,
        names: Sequence[str],
        categorical: Sequence[str],
        dates: Sequence[str],
        levels: int,
        missing: bool,
        bins: int | None = None,
        bin_edges: str = "auto",
        winsorize: float | None = None,
        periodic: int = 0,
        periodic_scale: float = 0.3,
    ) -> None:
        self.names = list(names)
        self._categorical = list(categorical)
        self._dates = list(dates)
        self._levels = levels
        self._missing = missing
        self._numbers = (bins, bin_edges, winsorize, periodic, periodic_scale)
        self._codes: Any = None
        self._kinds: dict[str, str] = {}
        self._truths: list[str] = []  #: columns of true and false, of a model

    def _start(self, columns: dict[str, Any]) -> None:
        """Decides what the columns are, by the types of the first batch."""
        for name, column in columns.items():
            if name in self._dates:
                self._kinds[name] = "date"
            elif _is_text(column) and not date_type(column):
                self._kinds[name] = "text"
            elif name in self._categorical:
                self._kinds[name] = "level"
            else:
                self._kinds[name] = "number"
        self._codes = self._learner()

    def _learner(self) -> _core.EncodingLearner:
        numbers = [name for name, kind in self._kinds.items() if kind == "number"]
        return _core.EncodingLearner(
            self.names,
            self._categorical,
            self._dates,
            numbers,
            self._levels,
            self._missing,
            *self._numbers,
        )

    @property
    def known(self) -> tuple[list[str], list[str]]:
        """Columns that are text, and columns of numbers, as far as that is known before rows."""
        kinds = [(name, kind) for name, kind in self._kinds.items() if name not in self._truths]
        words = [name for name, kind in kinds if kind != "number"]
        return [*words, *self._dates], [name for name, kind in kinds if kind == "number"]

    def coded(self, columns: dict[str, Any]) -> Array:
        """A batch of training rows as numbers."""
        if self._codes is None:
            self._start(columns)
        return self.matrix(columns)

    def learn(self, rows: Array) -> None:
        """More training rows, which are numbers by now."""
        if self._codes is None:
            for name in self.names:
                kind = "date" if name in self._dates else "number"
                self._kinds[name] = "level" if name in self._categorical else kind
            self._codes = self._learner()
        self._codes.add(rows)

    def finish(
        self,
        targets: Array | None = None,
        codes: Array | None = None,
        classes: int = 0,
        weights: Array | None = None,
    ) -> _core.Encoding:
        """The encoding; edges of a tree need the targets, or the codes of classes, of all rows."""
        found: _core.Encoding = self._codes.finish(targets, codes, classes, weights)
        return found

    @classmethod
    def of_model(cls, names: Sequence[str], encoding: _core.Encoding) -> InputColumns:
        """The columns of a trained model."""
        found = cls(names, (), (), 1, encoding.accepts_missing)
        found._codes = _core.EncodingCodes(encoding)
        kinds = encoding.kinds or ["number"] * len(found.names)
        words = {"category": "level", "boolean": "level"}
        found._truths = [
            name for name, kind in zip(found.names, kinds, strict=True) if kind == "boolean"
        ]
        found._kinds = {
            name: words.get(kind, kind) for name, kind in zip(found.names, kinds, strict=True)
        }
        return found

    def matrix(self, columns: dict[str, Any]) -> Array:
        """The numbers of all columns, [row][column]: float32 if all are, else float64."""
        found = [self._column(place, columns[name], name) for place, name in enumerate(self.names)]
        dtype = np.result_type(*(column.dtype for column in found))
        rows = np.empty((len(found[0]), len(found)), dtype=dtype)
        for place, column in enumerate(found):
            rows[:, place] = column
        return rows

    def _column(self, place: int, column: Any, name: str) -> Array:
        kind = self._kinds[name]
        dated = bool(date_type(column))
        if dated and not has_moments(column):
            raise TypeError(
                f"column {name!r} is of type {date_type(column)}, which is no date, but must be "
                f"numbers or text, for example {remedy(column)}"
            )
        if kind == "date":
            if dated:
                return _as_dates(column)
            if _is_text(column):
                return _coded(self._codes, place, column, name)
            return _numbers(column, name)  # seconds since 1970
        if dated:
            raise TypeError(
                f"column {name!r} is of type {date_type(column)} but must be numbers or text; "
                f"dates=[{name!r}] makes inputs of it: time, month, weekday and hour"
            )
        if kind == "text" or (kind == "level" and (_is_text(column) or _is_bool(column))):
            return _coded(self._codes, place, column, name)
        return _numbers(column, name)
