"""The mean of rows that several processes have, each some of them.

    mpirun -n 4 python examples/engines/mpi_rows.py

Without mpirun it is one process, with the same result to the bit.
"""

import numpy as np
from mpi4py import MPI

import bootfold as bf

ROWS = 400_000


def main():
    comm = MPI.COMM_WORLD
    first = ROWS * comm.rank // comm.size
    last = ROWS * (comm.rank + 1) // comm.size
    own = np.sqrt(np.arange(first, last))  # for example a file of this process
    result = bf.bootstrap(own, "mean", replicates=500, seed=7, engine=comm)
    low, high = result.interval("percentile")
    if comm.rank == 0:  # all have the result
        print(f"mean {result.estimate:.6f}, 95 % interval {low:.6f} to {high:.6f}")


if __name__ == "__main__":
    main()
