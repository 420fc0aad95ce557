#!/usr/bin/env python3
"""Writes the Parquet files in tests/data/parquet, which the tests read.

    .venv-test/bin/python tests/data/make_parquet.py
"""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(__file__).parent / "parquet"


def write(table: pa.Table, name: str, group: int = 1000, **options: object) -> None:
    pq.write_table(table, FOLDER / name, row_group_size=group, **options)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    # flights: the row number, a delay with a null, text with a null, and a category.
    n = 10
    flights = pa.table(
        {
            "n": pa.array(range(1, n + 1), pa.int32()),
            "delay": pa.array([5.0, -3.0, 0.0, None, 12.0, 7.0, 1.5, -8.0, 20.0, 2.0]),
            "origin": ["JFK", "LGA", "JFK", "EWR", None, "JFK", "LGA", "EWR", "JFK", "LGA"],
            "carrier": pa.array(["UA", "AA", "UA", "UA", "AA"] * 2).dictionary_encode(),
            "late": pa.array([True, False, False, None, True, True, True, False, True, True]),
            "seats": pa.array([100, 2**60 + 1, None, 3, 4, 5, 6, 7, 8, 9], pa.int64()),
            "day": [datetime.date(2024, 1, 28 + i) if i < 4 else None for i in range(n)],
            "fare": pa.array(
                [i * 1.25 if i != 1 else -1.25 for i in range(n)], pa.float64()
            ).cast(pa.decimal128(10, 2)),
            "departure": [
                datetime.datetime(2024, 3, 1) + datetime.timedelta(seconds=i / 2) for i in range(n)
            ],
            "stops": [[1], [2, 3]] * 5,
        }
    )
    write(flights, "flights.parquet", group=4)
    # The same columns with other rows, with other types, and with fewer columns.
    write(flights.slice(0, 3), "more.parquet", compression="gzip")
    write(flights.slice(0, 0), "empty.parquet")
    write(pa.table({"n": pa.array([1.0, 2.0])}), "other_type.parquet")
    write(flights.select(["delay", "origin"]), "no_n.parquet")
    # Every numeric type.
    types = ["float64", "float32", "int64", "int32", "int16", "int8"]
    types += ["uint64", "uint32", "uint16", "uint8"]
    write(pa.table({t: pa.array([1, 0, 100], t) for t in types}), "types.parquet")


if __name__ == "__main__":
    main()
