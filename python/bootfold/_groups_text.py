"""Results of groups as a table for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bootfold._labels import label_text
from bootfold._text import number, units_alike

if TYPE_CHECKING:
    from bootfold._groups import GroupedResult

_MOST_ROWS = 40


def _units(result: GroupedResult, errors: list[float]) -> list[float]:
    """By what the numbers of each line are rounded: alike for lines of the same statistic."""
    kinds = len(result.outputs)
    units = list(errors)
    for kind in range(kinds):
        units[kind::kinds] = units_alike(errors[kind::kinds])
    return units


def as_text(result: GroupedResult) -> str:
    """A line for each group and value, rounded by their standard errors."""
    columns = result.columns()
    several = len(result.outputs) > 1
    heading = [*result.by, *(["statistic", "value"] if several else []), "rows", "estimate"]
    lines = [[*heading, "standard error", "interval"]]
    shown = range(min(len(columns["rows"]), _MOST_ROWS))
    units = _units(result, [columns["standard_error"][i] for i in shown])
    for i in shown:
        error, unit = columns["standard_error"][i], units[i]
        cells = [label_text(columns[name][i]) for name in result.by]
        if several:
            cells += [columns["statistic"][i], columns["value"][i]]
        estimate, low, high = (number(columns[n][i], unit) for n in ("estimate", "low", "high"))
        cells += [f"{columns['rows'][i]:,}", estimate, number(error, unit), f"{low} to {high}"]
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
