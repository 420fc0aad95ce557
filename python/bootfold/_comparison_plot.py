"""The forest plot of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os


def plot_comparison(
    table: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    width: int = 480,
    height: int = 24,
) -> Any:
    """A forest plot of what `compare` returned, an Altair chart: differences and their intervals.

    Intervals are the adjusted ones; those that leave 0 out are drawn heavy. There is a panel for
    each statistic and value, and each group takes `height` pixels. With a path the chart is also
    written, as .png, .svg, .pdf, .html or .json, by the ending of the name.

    Examples
    --------
    >>> import bootfold as bf
    >>> visits = {"variant": ["A", "B"] * 50, "revenue": [float(i % 7) for i in range(100)]}
    >>> chart = bf.plot_comparison(bf.compare(visits, value="revenue", by="variant", seed=7))
    >>> chart.to_dict()["title"]
    'mean of revenue, difference from A'
    """
    from bootfold._plot import forest
    from bootfold._text import titles

    names = ("statistic", "value", "group", "control", "difference", "adjusted_low")
    try:
        columns = {name: list(table[name]) for name in (*names, "adjusted_high")}
    except (KeyError, TypeError, IndexError):
        raise TypeError(
            f"table is {type(table).__name__} but must be what bootfold.compare returned"
        ) from None
    rows = zip(*columns.values(), strict=True)
    lines = [
        {
            "name": str(group),
            "panel": f"{titles([statistic], [(statistic, value)])[0]}, difference from {control}",
            "estimate": float(estimate),
            "low": float(low),
            "high": float(high),
        }
        for statistic, value, group, control, estimate, low, high in (map(_plain, r) for r in rows)
    ]
    return forest(lines, path, (width, height), title="difference")


def _plain(value: Any) -> Any:
    return value.as_py() if hasattr(value, "as_py") else value
