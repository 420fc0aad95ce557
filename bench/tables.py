"""Numbers and tables as people read them."""

from __future__ import annotations


def say_number(value: float) -> str:
    """Three digits that count: 0.0512, 9.26, 20,000."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def say_duration(seconds: float) -> str:
    for unit, name in ((86400, "days"), (3600, "h"), (60, "min"), (1, "s"), (0.001, "ms")):
        if seconds >= (2 * unit if unit > 1 else unit):  # 90 s, but 1.9 s
            return f"{say_number(seconds / unit)} {name}"
    return f"{say_number(seconds * 1000)} ms"


def text_table(header: list[str], table: list[list[str]]) -> str:
    widths = [max(len(line[i]) for line in [header, *table]) for i in range(len(header))]
    lines = []
    last = None
    for line in [header, *table]:
        if last is not None and line[0] != last:
            lines.append("")
        shown = line if line[0] != last else ["", *line[1:]]
        last = line[0]
        lines.append(
            "  ".join(cell.ljust(width) for cell, width in zip(shown, widths, strict=True)).rstrip()
        )
    return "\n".join(lines)


def markdown_table(header: list[str], table: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *table]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
