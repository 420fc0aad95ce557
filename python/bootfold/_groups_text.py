"""Results of groups as a table for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootfold._labels import label_text
from bootfold._text import limits_text, needs_exponents, number, unit_of_exact, units_alike

if TYPE_CHECKING:
    from bootfold._groups import GroupedResult

_MOST_ROWS = 40


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


def as_text(result: GroupedResult) -> str:
    """A line for each group and value, rounded by their standard errors."""
    columns = result.columns()
    several = len(result.outputs) > 1
    heading = [*result.by, *(["statistic", "value"] if several else []), "rows", "estimate"]
    lines = [[*heading, "standard error", "interval"]]
    shown = range(min(len(columns["rows"]), _MOST_ROWS))
    told = result.standard_error_errors()
    seen = ([columns[name][i] for i in shown] for name in ("estimate", "standard_error"))
    units, exponents = _notation(result, *seen)
    for i in shown:
        error, unit, own = columns["standard_error"][i], units[i], exponents[i]
        if not error > 0:
            unit = unit_of_exact(columns["estimate"][i], unit)
        cells = [label_text(columns[name][i]) for name in result.by]
        if several:
            cells += [columns["statistic"][i], columns["value"][i]]
        cells += [f"{columns['rows'][i]:,}", number(columns["estimate"][i], unit, own)]
        beside = f" +- {number(told[i], unit, own)}" if told[i] > 0 else ""
        cells.append(f"{number(error, unit, own)}{beside}")
        cells.append(limits_text(columns["low"][i], columns["high"][i], unit, own))
        lines.append(cells)
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
    left = len(result.by) + (2 if several else 0)
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
        count = len(result.skipped)
        text.append(f"{count:,} {'group' if count == 1 else 'groups'} of one row left out")
    what = ", ".join(
        f"{name} of {value}" if value and "(" not in name else name
        for name, value in result.outputs
    )
    return "\n".join([f"{what} by {', '.join(result.by)}", *(f"  {line}" for line in text)])
