"""Results in words: for a terminal and for a notebook."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bootfold import _core
    from bootfold._interval import Asked

_MOST_ROWS = 12


def _exponent(value: float) -> int:
    return math.floor(math.log10(abs(value)))


def needs_exponents(values: Iterable[float], units: Iterable[float]) -> bool:
    """The notation of a column: with exponents if a number or an error of it is out of range."""
    for value, unit in zip(values, units, strict=True):
        if not math.isfinite(value):
            continue
        if abs(value) >= 1e15:
            return True
        if math.isfinite(unit) and unit > 0:
            if not -8 <= _exponent(unit) < 12:
                return True
            if unit >= 100 and max(abs(value), unit) >= 1e7:  # digits that say nothing
                return True
        elif value != 0 and _exponent(value) < -6:
            return True
    return False


def number(value: float, unit: float, exponents: bool | None = None) -> str:
    """A number to as many digits as its error, `unit`, leaves it: three of the error.

    One without error has at most 6 digits. `exponents`: the notation; None: that of this number.
    """
    if not math.isfinite(value):
        return f"{value:g}"
    if exponents is None:
        exponents = needs_exponents([value], [unit])
    exact = not math.isfinite(unit) or unit <= 0
    if value == 0 and (exact or exponents):
        return "0"
    place = _exponent(value) - 3 if exact else _exponent(unit)
    if exponents:
        digits = min(max(_exponent(value) - place + 2, 0), 16)
        mantissa, _, power = f"{value:.{digits}e}".partition("e")
        return f"{_without_zeros(mantissa) if exact else mantissa}e{power}"
    text = f"{value:.{max(2 - place, 0)}f}"
    if exact:
        return _without_zeros(text)
    return text.lstrip("-") if float(text) == 0 else text  # no -0.00


def unit_of_exact(value: float, unit: float) -> float:
    """The unit of the others for a number without an error, which has at most 6 digits."""
    if value == 0 or not math.isfinite(value) or not unit > 0:
        return unit
    return max(unit, 10.0 ** (_exponent(value) - 3))


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def limits_text(low: float, high: float, unit: float, exponents: bool | None = None) -> str:
    """An interval; "none" if it has no limits."""
    if math.isnan(low) or math.isnan(high):
        return "none"
    return f"{number(low, unit, exponents)} to {number(high, unit, exponents)}"


def units_alike(units: Sequence[float]) -> list[float]:
    """Errors by which the numbers of one column of a table are rounded.

    Errors within a factor of about a hundred become the smallest of them, so that their numbers
    have the same digits after the point; numbers without an error have those of the others.
    """
    known = sorted(unit for unit in units if math.isfinite(unit) and unit > 0)
    if not known:
        return list(units)
    shared = {}
    finest = known[0]
    for unit in known:
        if math.floor(math.log10(unit)) - math.floor(math.log10(finest)) > 2:
            finest = unit
        shared[unit] = finest
    return [shared.get(unit, known[0]) for unit in units]


def notation_of(values: Sequence[float], units: Sequence[float], k: int) -> bool:
    """Whether value `k` has an exponent: as one of those does that are rounded like it."""
    alike = [i for i, unit in enumerate(units) if unit == units[k] or i == k]
    return needs_exponents([values[i] for i in alike], [units[i] for i in alike])


def interval_text(asked: Asked) -> str:
    """The heading of intervals: "95% interval (percentile)"."""
    return f"{100 * asked.confidence:g}% interval ({asked.method})"


def titles(outputs: Sequence[str], names: Sequence[tuple[str, str]]) -> list[str]:
    """What values are called: "mean of price", where an output does not name its columns.

    `names`: statistic and columns of each.
    """
    return [
        f"{output} of {value}" if value and output == statistic and "(" not in output else output
        for output, (statistic, value) in zip(outputs, names, strict=True)
    ]


def rows_of(
    core: _core.Result, asked: Asked, names: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    """A heading and a line for each output: what a person wants to see of a result."""
    jackknife = core.jackknife
    heading = ["", "estimate", "standard error", "bias"]
    intervals: Sequence[Any] = ()
    if not jackknife:
        heading.append(interval_text(asked))
        intervals = core.intervals(asked.method, asked.confidence, asked.alternative)
    lines = []
    shown = range(min(len(names), _MOST_ROWS))
    units = units_alike([core.standard_errors[k] for k in shown])
    for k in shown:
        error = core.standard_errors[k]
        unit = units[k] if error > 0 else unit_of_exact(core.estimates[k], units[k])
        exact = not error > 0
        own = (
            needs_exponents([core.estimates[k]], [unit])
            if exact
            else notation_of(core.estimates, units, k)
        )
        told = core.standard_error_errors[k]
        # One more digit of the estimate, as the program has it.
        estimate = number(core.estimates[k], unit / 10 if error > 0 else unit, own)
        line = [names[k], estimate, number(error, unit, own)]
        if told > 0:
            line[2] += f" +- {number(told, unit, own)}"
        line.append(number(core.biases[k], unit, own))
        if core.bias_errors[k] > 0:
            line[3] += f" +- {number(core.bias_errors[k], unit, own)}"
        if intervals:
            limits = intervals[k]
            line.append(limits_text(limits.low, limits.high, unit, own))
        lines.append(line)
    return heading, lines


def footer(core: _core.Result) -> str:
    plan = core.plan
    text = f"{plan.replicates:,} replicates of {plan.rows:,} rows, seed {core.seed}"
    if plan.weights:  # an array has no other name
        text += ", weighted" + (f" by {plan.weights}" if plan.weights != "weights" else "")
    undefined = max(core.undefined)
    if undefined:
        text += f"; undefined on {undefined:,}"
    left = len(core.outputs) - _MOST_ROWS
    if left > 0:
        text += f"; {left:,} more values are not shown"
    return f"{text}; {plan.scheme}, path {plan.paths}"


def as_text(core: _core.Result, asked: Asked, names: Sequence[str]) -> str:
    """A few lines for a terminal."""
    heading, lines = rows_of(core, asked, names)
    if len(core.outputs) == 1:
        name, *values = lines[0]
        width = max(map(len, heading))
        body = [f"  {h:<{width}}  {v}" for h, v in zip(heading[1:], values, strict=True)]
        return "\n".join([f"bootfold.Result: {name}", *body, f"  {footer(core)}"])
    table = [heading, *lines]
    widths = [max(len(row[c]) for row in table) for c in range(len(heading))]
    body = [
        "  " + "  ".join(f"{v:<{w}}" for v, w in zip(row, widths, strict=True)) for row in table
    ]
    return "\n".join(["bootfold.Result", *(line.rstrip() for line in body), f"  {footer(core)}"])


def as_html(core: _core.Result, asked: Asked, names: Sequence[str]) -> str:
    """A table, and for one value a picture of its replicates."""
    import html

    heading, lines = rows_of(core, asked, names)
    cells = "".join(f"<th style='text-align:right'>{html.escape(h)}</th>" for h in heading)
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td style='text-align:{'left' if c == 0 else 'right'}'>{html.escape(v)}</td>"
            for c, v in enumerate(line)
        )
        + "</tr>"
        for line in lines
    )
    picture = _histogram(core, asked) if len(core.outputs) == 1 else ""
    return (
        f"<div><table><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table>{picture}"
        f"<div style='opacity:0.7;font-size:smaller'>{html.escape(footer(core))}</div></div>"
    )


def histogram(values: np.ndarray[Any, Any], most: int = 60) -> tuple[Any, Any]:
    """Counts and edges of the finite values; as many bins as their number deserves."""
    finite = values[np.isfinite(values)]
    bins = int(min(most, max(8, 2 * round(finite.size ** (1 / 3)))))
    if finite.size == 0:
        return np.zeros(0, dtype=int), np.zeros(0)
    low, high = finite.min(), finite.max()
    if not low < high:
        return np.array([finite.size]), np.array([low - 0.5, low + 0.5])
    return np.histogram(finite, bins=bins, range=(low, high))


def _histogram(core: _core.Result, asked: Asked) -> str:
    counts, edges = histogram(core.replicates[:, 0])
    if counts.size < 2:
        return ""
    width, height = 360, 90
    scale = width / (edges[-1] - edges[0])
    inside = core.intervals(asked.method, asked.confidence, asked.alternative)[0]
    bars = []
    for count, left, right in zip(counts, edges[:-1], edges[1:], strict=True):
        tall = height * count / counts.max()
        middle = (left + right) / 2
        color = "#4c78a8" if inside.low <= middle <= inside.high else "#bcd0e5"
        bars.append(
            f"<rect x='{(left - edges[0]) * scale:.1f}' y='{height - tall:.1f}' "
            f"width='{(right - left) * scale - 0.5:.1f}' height='{tall:.1f}' fill='{color}'/>"
        )
    at = (core.estimates[0] - edges[0]) * scale
    line = f"<line x1='{at:.1f}' x2='{at:.1f}' y1='0' y2='{height}' stroke='#e45756'/>"
    return f"<svg width='{width}' height='{height}'>{''.join(bars)}{line}</svg>"
