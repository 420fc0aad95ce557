"""A year of flights in Parquet files: one column, a query, and rows that arrive in pieces.

    python examples/parquet_files.py

Writes flights/*.parquet into a temporary folder. Every way of reading gives the same bits.
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import bootfold as bf

rng = np.random.default_rng(7)
home = tempfile.TemporaryDirectory()
folder = Path(home.name) / "flights"
folder.mkdir()
for month in range(1, 13):
    rows = 20_000
    origin = rng.choice(["EWR", "JFK", "LGA"], size=rows)
    delay = rng.exponential(30.0, size=rows) - 10.0 + 4.0 * (origin == "EWR")
    table = {"origin": origin, "delay": delay, "day": month * 31 + rng.integers(0, 28, size=rows)}
    pq.write_table(pa.table(table), folder / f"{month:02}.parquet")

# %% The mean of one column of twelve files; days are drawn whole. No other column is read.
mean = bf.bootstrap(folder, "mean", columns="delay", clusters="day", seed=7)
print(mean)

# %% A query. It is run whenever it is used, and reads the columns that are used.
late = bf.sql(f"select delay, origin from '{folder}/*.parquet' where delay > 0")
print(bf.bootstrap(late, "median", columns="delay", seed=7))
print(bf.compare(late, value="delay", by="origin", control="JFK", seed=7).select(["group", "low"]))


# %% Rows that arrive in pieces, from any library.
def pieces():
    for file in sorted(folder.glob("*.parquet")):
        yield pq.read_table(file, columns=["delay", "day"])


again = bf.bootstrap(bf.chunks(pieces), "mean", columns="delay", clusters="day", seed=7)
assert (again.replicates == mean.replicates).all()

home.cleanup()
