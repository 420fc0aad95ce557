"""An interval for every group of rows: bootstrap(..., by=...)."""

from __future__ import annotations

import dataclasses
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core, _data
from bootfold._chunked import whole
from bootfold._data import Array, Data
from bootfold._dates import module_of
from bootfold._expressions import as_table
from bootfold._frames import package_of, table
from bootfold._groups_text import as_text
from bootfold._interval import USUAL, Asked, IntervalWarning
from bootfold._labels import Several, coded, label_meant, label_text, label_values, missing_labels
from bootfold._made_source import of_kind, without_nan
from bootfold._options import number_of_replicates, precision_number
from bootfold._progress import reporter
from bootfold._result import Result
from bootfold._run import run
from bootfold._select import chosen
from bootfold._source import Settings, row_numbers, set_labels, set_scheme, settings_of
from bootfold._statistics import Function, Named, Statistic, resolve
from bootfold._streamed import recognised
from bootfold._table_read import limits_of
from bootfold._table_whole import with_texts

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from bootfold._interval import Method

_NUMBERS = ("probabilities", "weights", "frequencies")


@dataclass(frozen=True, slots=True)
class GroupEstimate:
    """What was found for one group. Numbers are floats, or arrays of the shape of the estimate."""

    group: Any  #: its label; a tuple of labels if groups are combinations
    rows: int
    estimate: Any
    standard_error: Any
    low: Any  #: limits of the interval
    high: Any
    replicates: int
    seed: int  #: `bootstrap` of its rows with this seed gives the same replicates
    note: str = ""  #: what must be known about the interval
    standard_error_error: Any = 0.0  #: the Monte Carlo error of the standard error


class GroupedResult:
    """Intervals of groups: ``bootstrap(..., by="carrier")``.

    It iterates over its groups, which are sorted by label. ``result["UA"]`` (or
    ``result["UA", 1]`` for combinations) is the `Result` of one group, with its replicates, which
    are made again: their bits are those of `bootstrap` of the rows of the group with its seed.

    Examples
    --------
    >>> import bootfold as bf
    >>> flights = {"carrier": ["AA", "UA"] * 20, "delay": [float(i * i % 11) for i in range(40)]}
    >>> found = bf.bootstrap(flights, "mean", columns="delay", by="carrier", seed=7)
    >>> [(group.group, group.rows, group.estimate) for group in found]
    [('AA', 20, 3.95), ('UA', 20, 3.9)]
    >>> found["UA"].estimate
    3.9
    """

    __slots__ = ("_asked", "_package", "_rows", "_weighted", "by", "groups", "outputs", "skipped")

    def __init__(
        self,
        by: list[str],
        groups: list[GroupEstimate],
        skipped: list[Any],
        outputs: list[tuple[str, str]],
        package: str,
        rows: _GroupRows | None,
        asked: Asked = USUAL,
        weighted: bool | None = None,
    ) -> None:
        if weighted is None:
            weighted = rows is not None and rows.settings.weights is not None
        self._weighted = weighted
        self.by = by  #: names of the columns of the groups
        self.groups = groups
        self.skipped = skipped  #: labels of groups of one row, which have no standard error
        self.outputs = outputs  #: statistic and column of each value of the flattened estimate
        self._package = package
        self._rows = rows
        self._asked = asked

    def __len__(self) -> int:
        return len(self.groups)

    def __iter__(self) -> Iterator[GroupEstimate]:
        return iter(self.groups)

    def __getitem__(self, group: Any) -> Result:
        if self._rows is None:
            raise ValueError("the replicates of a group need the data; bootstrap again")
        texts = {label_text(each.group): each for each in self.groups}
        one = texts.get(label_meant(group, texts))
        if one is not None:
            return self._rows.result(one.group, one.replicates)
        known = ", ".join(repr(each.group) for each in self.groups[:10])
        more = "" if len(self.groups) <= 10 else f" and {len(self.groups) - 10} more"
        raise KeyError(f"there is no group {group!r}; the groups are {known}{more}")

    def columns(self) -> dict[str, list[Any]]:
        """A tidy table as lists: one row for each group and value."""
        keys = [*self.by, "statistic", "value", "rows", "estimate", "standard_error", "low", "high"]
        found: dict[str, list[Any]] = {key: [] for key in keys}
        for group in self.groups:
            labels = group.group if isinstance(group.group, tuple) else (group.group,)
            shaped = (group.estimate, group.standard_error, group.low, group.high)
            numbers = [np.asarray(each, dtype=float).reshape(-1).tolist() for each in shaped]
            for number, (statistic, value) in enumerate(self.outputs):
                cells = [*labels, statistic, value, group.rows, *(each[number] for each in numbers)]
                for key, cell in zip(keys, cells, strict=True):
                    found[key].append(cell)
        return found

    def standard_error_errors(self) -> list[float]:
        """The Monte Carlo errors of the standard errors, in the rows of `columns`."""
        every = [np.reshape(group.standard_error_error, -1) for group in self.groups]
        return [float(each) for one in every for each in np.broadcast_to(one, len(self.outputs))]

    def to_frame(self, package: str | None = None) -> Any:
        """A tidy table: the columns of the groups, statistic, value (the column), rows, estimate,
        standard_error, low and high.

        In the package of the data unless `package` names one: "pandas", "polars" or "pyarrow".
        """
        return table(package or package_of(self._package), self.columns())

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, width: int = 480, height: int = 18
    ) -> Any:
        """A forest plot, an Altair chart: an interval for each group, `height` pixels each.

        With a path it is also written, as `Result.plot` does.
        """
        from bootfold._plot import forest

        columns = self.columns()
        lines = [
            {
                "name": label_text(tuple(columns[key][i] for key in self.by)),
                "panel": f"{statistic} of {value}" if value else statistic,
                "estimate": columns["estimate"][i],
                "low": columns["low"][i],
                "high": columns["high"][i],
            }
            for i, (statistic, value) in enumerate(
                zip(columns["statistic"], columns["value"], strict=True)
            )
        ]
        return forest(lines, path, (width, height), zero=False)

    def __reduce__(self) -> tuple[Any, ...]:
        content = (self.by, self.groups, self.skipped, self.outputs, self._package)
        return GroupedResult, (*content, None, self._asked, self._weighted)

    def __repr__(self) -> str:
        return as_text(self)


@dataclass(slots=True)
class _GroupRows:
    """The rows of all groups, and what is asked of them."""

    data: Data
    settings: Settings
    statistic: Statistic
    nan: Any
    asked: Asked
    codes: Array
    labels: list[Any]  #: of the codes

    def result(self, label: Any, count: Any, precision: float = 0.0) -> Result:
        """The bootstrap of one group."""
        index = np.flatnonzero(self.codes == self.labels.index(label))
        data = Data(
            [whole(array)[index] for array in self.data.arrays],
            [dataclasses.replace(part, rows=len(index)) for part in self.data.parts],
        )
        settings = self.settings.of_rows(index)
        settings.seed = _core.group_seed(self.settings.seed, label_text(label))
        source = of_kind(data, self.statistic, settings, self.nan)
        return run(source, count, precision, self.asked, False)


def bootstrap_by(by: Any, options: dict[str, Any], beside: tuple[str, ...] = ()) -> GroupedResult:
    """The bootstrap of every group, with the arguments of `bootstrap`."""
    _check(options)
    jackknife = options["scheme"] == "jackknife"
    count = number_of_replicates(options["replicates"], jackknife=jackknife)
    if count == "exact":
        raise ValueError(
            "replicates is 'exact' but by= makes replicates of every group; give a number or "
            "'auto', or bootstrap a group separately"
        )
    precision = precision_number(options["precision"], count)
    usual: Method = "normal" if jackknife else "percentile"
    asked = Asked(options["interval"] or usual, options["confidence"], options["alternative"])
    limits = ("seed", "memory", "threads", "tolerance", "nested_replicates", "path", "joint")
    settings = settings_of(*(options[name] for name in limits))
    drawn = ("scheme", "two_stage", "size", "block_length", "rescale")
    set_scheme(settings, *(options[name] for name in drawn))
    statistic = resolve(options["statistic"], options["vectorized"])
    if beside and isinstance(statistic, Named):
        statistic = dataclasses.replace(statistic, columns=beside)
    rows, package, columns = _read(by, options, settings, statistic, asked)
    if isinstance(statistic, Named) and rows.nan != "propagate":
        return _named(rows, columns, package, count, precision, options["progress"])
    return _one_by_one(rows, columns, package, count, precision, options["progress"])


def _check(options: dict[str, Any]) -> None:
    refused = {
        "takes": "resample",
        "axis": None,
        "engine": None,
        "split": "rows",
        "checkpoint": None,
        "dim": None,
    }
    for name, usual in refused.items():
        if options[name] != usual:
            raise ValueError(
                f"{name} is {options[name]!r} but is not for groups; omit {name}, or bootstrap "
                "each group separately"
            )
    if module_of(options["data"]) in ("dask", "pyspark", "ray"):
        raise TypeError(
            "by= is for rows in the memory of this process but the data are in a cluster; gather "
            "the columns that are used (compute(), toPandas(), to_pandas()), or use compare"
        )
    if options["nan"] not in ("error", "omit", "propagate"):
        raise ValueError(f"nan is {options['nan']!r} but must be 'error', 'omit' or 'propagate'")


def _read(
    by: Any, options: dict[str, Any], settings: Settings, statistic: Statistic, asked: Asked
) -> tuple[_GroupRows, str, list[str]]:
    """The rows with what belongs to them, the package of the table and the columns of groups."""
    roles = {name: options[name] for name in ("strata", "clusters", *_NUMBERS)}
    given = options["data"]
    source = recognised(as_table(given))
    package = getattr(source, "package", None) or module_of(given)
    limits = limits_of(*(options[name] for name in ("memory", "spool", "nan", "progress")))
    source = with_texts(source, statistic, options["columns"], {**roles, "by": by}, limits)
    given, roles = chosen(source, options["columns"], {**roles, "by": by}, limits)
    data = _data.read(given, paired=options["paired"], whole=isinstance(statistic, Function))
    if not data.paired:
        raise ValueError(
            f"data are {len(data.parts)} samples but by= is for rows that belong together; say "
            "paired=True"
        )
    nan = options["nan"]
    groups = roles["by"]
    names = (
        groups.names if isinstance(groups, Several) else [by if isinstance(by, str) else "group"]
    )
    if isinstance(by, list) and len(by) == 1 and isinstance(by[0], str):
        names = by
    omit = nan == "omit"
    codes, labels = coded(groups, data.rows, "by", omit=omit)
    set_labels(settings, roles["strata"], roles["clusters"], data.rows, omit=omit)
    if omit:
        settings.leave_out(missing_labels(groups))
    for role in _NUMBERS:
        if roles[role] is not None:
            setattr(settings, role, row_numbers(roles[role], data.rows, role))
    if nan == "error":
        _data.check_no_nan(data)
    if nan == "omit":
        dropped = _data.rows_with_nan(data)
        unknown = settings.with_nan()
        codes = codes[~(dropped if unknown is None else dropped | unknown)]
        data, settings = without_nan(data, settings)
    found = _GroupRows(data, settings, statistic, nan, asked, codes, label_values(labels))
    return found, package, names


def _shaped(numbers: list[Any], shape: tuple[int, ...]) -> Any:
    return numbers[0] if shape == () else np.array(numbers).reshape(shape)


def _named(
    rows: _GroupRows, by: list[str], package: str, count: Any, precision: float, progress: Any
) -> GroupedResult:
    """All groups in the library, side by side."""
    from bootfold._named import NamedSource

    assert isinstance(rows.statistic, Named)
    source = NamedSource(rows.data, rows.statistic, rows.settings, rows.nan)
    asked = rows.asked
    replicates = count
    if count == "auto":
        replicates = _core.first_replicates(
            source.request, precision, asked.method, asked.confidence, asked.alternative
        )
    with reporter(progress, replicates) as tell:
        found = _core.bootstrap_by(
            source.request,
            rows.codes,
            [label_text(label) for label in rows.labels],
            ", ".join(by),
            replicates,
            precision if count == "auto" else None,
            asked.method,
            asked.confidence,
            asked.alternative,
            tell,
        )
    labels = {label_text(label): label for label in rows.labels}
    groups = []
    for group in found.groups:
        values = group.values
        reasons = dict.fromkeys(v.interval.reason or v.interval.note for v in values)
        groups.append(
            GroupEstimate(
                labels[group.name],
                group.rows,
                _shaped([value.estimate for value in values], source.shape),
                _shaped([value.standard_error for value in values], source.shape),
                _shaped([value.interval.low for value in values], source.shape),
                _shaped([value.interval.high for value in values], source.shape),
                group.replicates,
                group.seed,
                "; ".join(reason for reason in reasons if reason),
                _shaped([value.standard_error_error for value in values], source.shape),
            )
        )
    named = bool(rows.data.names)
    outputs = [
        (name, ", ".join(used) if named else "")
        for name, used in _core.output_names(source.request)
    ]
    skipped = [labels[group.name] for group in found.skipped]
    return GroupedResult(by, groups, skipped, outputs, package, rows, rows.asked)


def _one_by_one(
    rows: _GroupRows, by: list[str], package: str, count: Any, precision: float, progress: Any
) -> GroupedResult:
    """Functions in Python: one group after the other."""
    sizes = np.bincount(rows.codes, minlength=len(rows.labels))
    groups: list[GroupEstimate] = []
    skipped = []
    outputs: list[tuple[str, str]] = []
    with reporter(progress, int(sizes.sum())) as tell:
        done = 0
        for label, size in zip(rows.labels, sizes.tolist(), strict=True):
            if size < 2:
                skipped += [label] * size
                continue
            result = rows.result(label, count, precision)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", IntervalWarning)
                interval = result.interval()
            note = "; ".join(str(each.message) for each in told) or interval.note
            groups.append(
                GroupEstimate(
                    label,
                    size,
                    result.estimate,
                    result.standard_error,
                    interval.low,
                    interval.high,
                    result.replicates.shape[0],
                    result.seed,
                    note,
                    np.array(result._core.standard_error_errors),
                )
            )
            outputs = result._value_names()
            done += size
            if tell is not None:
                tell(done, int(sizes.sum()))
    if not groups:
        raise ValueError(
            f"each of the {len(skipped)} groups of {', '.join(by)} has one row but needs at least "
            "2 to have a standard error; check the column of the groups"
        )
    return GroupedResult(by, groups, skipped, outputs, package, rows, rows.asked)
