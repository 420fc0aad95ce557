"""numba: replicates in parallel, each draws and accumulates in one compiled loop."""

from __future__ import annotations

import harness
import numba
import numpy as np
from workloads import Workload, make_data

compiled = numba.njit(parallel=True, fastmath=True)


@compiled
def mean(x, replicates):
    rows = len(x)
    out = np.empty(replicates)
    for replicate in numba.prange(replicates):
        total = 0.0
        for _ in range(rows):
            total += x[np.random.randint(0, rows)]
        out[replicate] = total / rows
    return out


@compiled
def median(x, replicates):
    rows = len(x)
    out = np.empty(replicates)
    for replicate in numba.prange(replicates):
        resample = np.empty(rows)
        for row in range(rows):
            resample[row] = x[np.random.randint(0, rows)]
        out[replicate] = np.median(resample)
    return out


@compiled
def variance(x, replicates):
    rows = len(x)
    out = np.empty(replicates)
    for replicate in numba.prange(replicates):
        total = 0.0
        squares = 0.0
        for _ in range(rows):
            value = x[np.random.randint(0, rows)]
            total += value
            squares += value * value
        out[replicate] = (squares - total * total / rows) / (rows - 1)
    return out


@compiled
def correlation(x, y, replicates):
    rows = len(x)
    out = np.empty(replicates)
    for replicate in numba.prange(replicates):
        sx = sy = sxx = sxy = syy = 0.0
        for _ in range(rows):
            row = np.random.randint(0, rows)
            a = x[row]
            b = y[row]
            sx += a
            sy += b
            sxx += a * a
            sxy += a * b
            syy += b * b
        out[replicate] = (sxy - sx * sy / rows) / np.sqrt(
            (sxx - sx * sx / rows) * (syy - sy * sy / rows)
        )
    return out


@compiled
def regression(matrix, y, replicates):
    rows, columns = matrix.shape
    out = np.empty((replicates, columns))
    for replicate in numba.prange(replicates):
        products = np.zeros((columns, columns))
        right = np.zeros(columns)
        for _ in range(rows):
            row = np.random.randint(0, rows)
            for i in range(columns):
                value = matrix[row, i]
                right[i] += value * y[row]
                for j in range(i + 1):
                    products[i, j] += value * matrix[row, j]
        for i in range(columns):
            for j in range(i):
                products[j, i] = products[i, j]
        out[replicate] = np.linalg.solve(products, right)
    return out


def prepare(workload: Workload):
    data = make_data(workload)
    statistic = globals()[workload.statistic]
    return lambda replicates: statistic(*data, replicates)


if __name__ == "__main__":
    threads = numba.get_num_threads()
    harness.main(
        prepare,
        version=f"numba {numba.__version__}",
        path="prange",
        threads=threads,
        multiple=lambda _: threads,
    )
