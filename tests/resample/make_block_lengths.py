"""Known answers for block_lengths(): Politis and White (2004), corrected 2009, as printed there.

    python make_block_lengths.py

m is the smallest lag behind which K_N = max(5, log10 n) autocorrelations in a row are below
2 sqrt(log10(n) / n); M = 2 m at least 2 (arch 8.0.0 takes m + 1 in place of m). The series are
first order autoregressions of the uniform numbers of a linear congruential generator, so that every
language makes the same.
"""

from __future__ import annotations

import numpy as np


def series(phi: float, rows: int, seed: int) -> np.ndarray:
    x, last, state = [], 0.0, seed
    for _ in range(rows):
        state = (state * 1103515245 + 12345) % 2**31
        last = phi * last + (state / 2**31 - 0.5)
        x.append(last)
    return np.array(x)


def block_lengths(x: np.ndarray) -> tuple[float, float]:
    n = len(x)
    d = x - x.mean()
    in_a_row = max(5, int(np.log10(n)))
    most = int(np.ceil(np.sqrt(n))) + in_a_row
    r = np.array([d[k:] @ d[: n - k] / n for k in range(most + in_a_row + 1)])
    small = np.abs(r / r[0]) < 2 * np.sqrt(np.log10(n) / n)
    m = next((m for m in range(most) if small[m + 1 : m + 1 + in_a_row].all()), most)
    reach = min(2 * max(m, 1), most)
    k = np.arange(-reach, reach + 1)
    window = np.clip(2 * (1 - np.abs(k) / reach), 0, 1)
    bend = np.sum(window * np.abs(k) * r[np.abs(k)])
    density = np.sum(window * r[np.abs(k)])
    longest = np.ceil(min(3 * np.sqrt(n), n / 3))
    stationary = (2 * bend**2 / (2 * density**2)) ** (1 / 3) * n ** (1 / 3)
    circular = (2 * bend**2 / (4 / 3 * density**2)) ** (1 / 3) * n ** (1 / 3)
    return min(stationary, longest), min(circular, longest)


if __name__ == "__main__":
    for phi, rows, seed in (
        (0.7, 500, 1),
        (0.3, 500, 2),
        (-0.5, 500, 3),
        (0.9, 200, 4),
        (0.5, 3000, 5),
    ):
        stationary, circular = block_lengths(series(phi, rows, seed))
        print(f"{{{phi}, {rows}, {seed}, {stationary:.12g}, {circular:.12g}}},")
