"""Results of groups as a table for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bootfold._labels import label_text
from bootfold._text import (
    interval_text,
    limits_text,
    needs_exponents,
    number,
    titles,
    unit_of_exact,
    units_alike,
)

if TYPE_CHECKING:
    from bootfold._groups import GroupedResult

_MOST_ROWS = 40
_MOST_SKIPPED = 10


def _notation(
    result: GroupedResult, estimates: list[float], errors: list[float]
) -> tuple[list[float], list[bool]]:
    """By what the numbers of each line are rounded, and whether they have exponents: alike for
    lines of the same statistic.
    """
    kinds = len(result.outputs)
    units = list(errors)
    exponents = [False] * len(errors)
    for kind in range(kinds):
        units[kind::kinds] = units_alike(errors[kind::kinds])
        own = needs_exponents(estimates[kind::kinds], units[kind::kinds])
        exponents[kind::kinds] = [own] * len(units[kind::kinds])
    return units, exponents


def _skipped(labels: list[Any]) -> str:
    """Groups of one row, by name."""
    texts = [
        f"({label_text(label)})" if isinstance(label, tuple) else label_text(label)
        for label in labels[:_MOST_SKIPPED]
    ]
    count = len(labels)
    more = f" and {count - _MOST_SKIPPED:,} more" if count > _MOST_SKIPPED else ""
    groups = "group of one row is" if count == 1 else "groups of one row are"
    return f"{count:,} {groups} left out: {', '.join(texts)}{more}"


def as_text(result: GroupedResult) -> str:
    """A line for each group and value, rounded by their standard errors."""
    columns = result.columns()
    names = ["statistic", "value"] if any(value for _, value in result.outputs) else ["statistic"]
    if len(result.outputs) == 1:
        names = []
    heading = [*result.by, *names, "rows", "estimate", "standard error"]
    lines = [[*heading, interval_text(result._asked)]]
    shown = range(min(len(columns["rows"]), _MOST_ROWS))
    told = result.standard_error_errors()
    seen = ([columns[name][i] for i in shown] for name in ("estimate", "standard_error"))
    units, exponents = _notation(result, *seen)
    for i in shown:
        error, unit, own = columns["standard_error"][i], units[i], exponents[i]
        if not error > 0:
            unit = unit_of_exact(columns["estimate"][i], unit)
        cells = [label_text(columns[name][i]) for name in result.by]
        cells += [columns[name][i] for name in names]
        cells += [f"{columns['rows'][i]:,}", number(columns["estimate"][i], unit, own)]
        beside = f" +- {number(told[i], unit, own)}" if told[i] > 0 else ""
        cells.append(f"{number(error, unit, own)}{beside}")
        cells.append(limits_text(columns["low"][i], columns["high"][i], unit, own))
        lines.append(cells)
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
    left = len(result.by) + len(names)
    text = [
        "  ".join(
            cell.ljust(width) if c < left else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    more = len(columns["rows"]) - _MOST_ROWS
    if more > 0:
        text.append(f"and {more:,} more")
    if result.skipped:
        text.append(_skipped(result.skipped))
    what = ", ".join(titles([name for name, _ in result.outputs], result.outputs))
    title = f"{what} by {', '.join(result.by)}{', weighted' if result._weighted else ''}"
    return "\n".join([title, *(f"  {line}" for line in text)])
