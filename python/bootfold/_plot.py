"""Pictures of a result, by Altair."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold._text import histogram

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bootfold._interval import Interval
    from bootfold._result import Result


def _altair() -> Any:
    try:
        import altair
    except ImportError:
        raise ImportError(
            "plot() needs Altair; install it with: pip install 'bootfold[plot]'"
        ) from None
    return altair


def _one(
    altair: Any,
    values: Any,
    estimate: float,
    limits: tuple[float, float] | None,
    title: str,
    words: str,
    size: tuple[int, int],
) -> Any:
    counts, edges = histogram(values, most=80)
    low, high = (-np.inf, np.inf) if limits is None else limits
    middles = (edges[:-1] + edges[1:]) / 2
    bins = [
        {"from": float(a), "to": float(b), "replicates": int(n), "inside": bool(low <= m <= high)}
        for a, b, m, n in zip(edges[:-1], edges[1:], middles, counts, strict=True)
    ]
    scale = altair.Scale(zero=False, nice=False)
    bars = (
        altair.Chart(altair.Data(values=bins))
        .mark_bar(stroke="white", strokeWidth=0.3)
        .encode(
            x=altair.X("from:Q", title=title, scale=scale, bin="binned"),
            x2="to:Q",
            y=altair.Y("replicates:Q", title="replicates"),
            color=altair.condition(
                "datum.inside", altair.value("#4c78a8"), altair.value("#bcd0e5")
            ),
            tooltip=["from:Q", "to:Q", "replicates:Q"],
        )
    )
    marks = [{"at": float(estimate), "what": "estimate"}]
    if limits is not None:
        marks += [{"at": float(v), "what": "interval"} for v in limits if np.isfinite(v)]
    rules = (
        altair.Chart(altair.Data(values=marks))
        .mark_rule(strokeWidth=2)
        .encode(
            x="at:Q",
            color=altair.Color(
                "what:N",
                title=None,
                scale=altair.Scale(domain=["estimate", "interval"], range=["#e45756", "#333333"]),
            ),
            strokeDash=altair.StrokeDash(
                "what:N",
                title=None,
                scale=altair.Scale(domain=["estimate", "interval"], range=[[1, 0], [4, 3]]),
            ),
            tooltip=["what:N", "at:Q"],
        )
    )
    heading = altair.TitleParams(title, subtitle=words)
    return altair.layer(bars, rules).properties(width=size[0], height=size[1], title=heading)


def plot(
    result: Result,
    interval: Interval | None,
    path: str | os.PathLike[str] | None,
    size: tuple[int, int],
) -> Any:
    """The distribution of the replicates, the estimate and the interval."""
    altair = _altair()
    replicates = result.replicates.reshape(result.replicates.shape[0], -1)
    estimates = np.atleast_1d(np.asarray(result.estimate)).reshape(-1)
    if len(estimates) > 20:
        raise ValueError(
            f"there are {len(estimates)} values, and a picture of each is too much; bootstrap fewer"
        )
    charts = []
    for k, name in enumerate(result._titles()):
        limits = None
        words = f"{replicates.shape[0]:,} replicates"
        if interval is not None:
            lows, highs = (np.atleast_1d(np.asarray(v)).reshape(-1) for v in interval)
            limits = (float(lows[k]), float(highs[k]))
            words = (
                f"{estimates[k]:.6g}, {100 * interval.confidence:g}% {interval.method} interval "
                f"{limits[0]:.6g} to {limits[1]:.6g}; {words}"
            )
        charts.append(_one(altair, replicates[:, k], estimates[k], limits, name, words, size))
    chart = charts[0] if len(charts) == 1 else altair.vconcat(*charts)
    if path is not None:
        save(chart, path)
    return chart


def forest(
    lines: Sequence[Mapping[str, Any]],
    path: str | os.PathLike[str] | None,
    size: tuple[int, int],
    *,
    zero: bool = True,
    title: str = "",
) -> Any:
    """Intervals on a common axis, one line each, in a panel for each of `panel`.

    Those that leave zero out are drawn heavy; without `zero` there is no line of zero.
    """
    altair = _altair()
    panels: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        row = dict(line)
        row["apart"] = zero and (row["low"] > 0 or row["high"] < 0)
        ends = [row[end] for end in ("low", "high") if np.isfinite(row[end])]
        row["low"], row["high"] = (
            row[end] if np.isfinite(row[end]) else row["estimate"] for end in ("low", "high")
        )
        if ends:
            panels.setdefault(row.pop("panel"), []).append(row)
    charts = []
    for panel, rows in panels.items():
        base = altair.Chart(altair.Data(values=rows)).encode(
            y=altair.Y("name:N", title=None, sort=[row["name"] for row in rows]),
            tooltip=["name:N", "estimate:Q", "low:Q", "high:Q"],
        )
        scale = altair.Scale(zero=zero)
        width = altair.condition("datum.apart", altair.value(4), altair.value(2))
        bars = base.mark_rule(color="#4c78a8").encode(
            x=altair.X("low:Q", title=title or panel, scale=scale), x2="high:Q", strokeWidth=width
        )
        points = base.mark_point(filled=True, color="#e45756", size=50).encode(x="estimate:Q")
        layers = [bars, points]
        if zero:
            rule = altair.Chart(altair.Data(values=[{"at": 0}])).mark_rule(strokeDash=[4, 3])
            layers.insert(0, rule.encode(x="at:Q"))
        charts.append(
            altair.layer(*layers).properties(width=size[0], height=size[1] * len(rows), title=panel)
        )
    if not charts:
        raise ValueError("there is no interval with limits to draw")
    chart = charts[0] if len(charts) == 1 else altair.vconcat(*charts)
    if path is not None:
        save(chart, path)
    return chart


def save(chart: Any, path: str | os.PathLike[str]) -> None:
    """Writes .png, .svg, .pdf, .html or .json, all without network."""
    name = os.fspath(path)
    if name.endswith(".html"):
        chart.save(name, inline=True)
    elif name.endswith(".png"):
        chart.save(name, scale_factor=2)
    elif name.endswith((".svg", ".pdf", ".json")):
        chart.save(name)
    else:
        raise ValueError(f"path is {name!r} but must end with .png, .svg, .pdf, .html or .json")
