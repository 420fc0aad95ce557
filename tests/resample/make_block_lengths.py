"""Known answers for block_lengths(): Politis and White (2004), corrected 2009.

    python make_block_lengths.py

m is the first lag of the first K_N = max(5, log10 n) autocorrelations in a row that are below
2 sqrt(log10(n) / n), and M = 2 m, as in the program of Andrew Patton, R's np::b.star and arch; the
text of the paper has the lag before the run. Where arch is installed its lengths are printed beside
those made here: it divides autocovariances by the variances of the two overlapping pieces in place
of R(0), so that an autocorrelation next to the bound may fall on its other side.

Behind the known answers come the quartiles of lengths over 400 series, by either m, beside the
length that is optimal for the true autocorrelations: the table of docs/resampling.md.

The series are first order autoregressions of the uniform numbers of a linear congruential
generator, so that every language makes the same.
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


def block_lengths(x: np.ndarray, before: int = 0) -> tuple[float, float]:
    """With `before` 1, m is the lag before the run."""
    n = len(x)
    d = x - x.mean()
    in_a_row = max(5, int(np.log10(n)))
    most = int(np.ceil(np.sqrt(n))) + in_a_row
    r = np.array([d[k:] @ d[: n - k] / n for k in range(most + in_a_row + 1)])
    small = np.abs(r / r[0]) < 2 * np.sqrt(np.log10(n) / n)
    m = next((m for m in range(1, most) if small[m : m + in_a_row].all()), most)
    reach = min(2 * max(m - before, 1), most)
    k = np.arange(-reach, reach + 1)
    window = np.clip(2 * (1 - np.abs(k) / reach), 0, 1)
    bend = np.sum(window * np.abs(k) * r[np.abs(k)])
    density = np.sum(window * r[np.abs(k)])
    longest = np.ceil(min(3 * np.sqrt(n), n / 3))
    stationary = (2 * bend**2 / (2 * density**2)) ** (1 / 3) * n ** (1 / 3)
    circular = (2 * bend**2 / (4 / 3 * density**2)) ** (1 / 3) * n ** (1 / 3)
    return max(1.0, min(stationary, longest)), max(1.0, min(circular, longest))


if __name__ == "__main__":
    try:
        from arch.bootstrap import optimal_block_length
    except ImportError:
        optimal_block_length = None
    for phi, rows, seed in (
        (0.7, 500, 1),
        (0.3, 500, 2),
        (-0.5, 500, 3),
        (-0.5, 100, 6),
        (0.9, 200, 4),
        (0.5, 3000, 5),
    ):
        x = series(phi, rows, seed)
        stationary, circular = block_lengths(x)
        line = f"{{{phi}, {rows}, {seed}, {stationary:.12g}, {circular:.12g}}},"
        if optimal_block_length is not None:
            line += f"  // arch: {optimal_block_length(x).iloc[0, 0]:.12g}"
        print(line)

    print("\n| series | n | optimal | first lag of the run | lag before the run |")
    print("| --- | --- | --- | --- | --- |")
    for phi in (-0.5, -0.3, 0.3, 0.5, 0.9):
        for rows in (100, 500):
            optimal = ((2 * phi / (1 - phi**2)) ** 2 * rows) ** (1 / 3)
            made = [series(phi, rows + 200, 1000 + 7919 * seed)[200:] for seed in range(400)]
            cells = [
                "{1:.1f} ({0:.1f} to {2:.1f})".format(
                    *np.quantile([block_lengths(x, before)[0] for x in made], [0.25, 0.5, 0.75])
                )
                for before in (0, 1)
            ]
            print(f"| AR({phi}) | {rows} | {optimal:.1f} | {cells[0]} | {cells[1]} |")
