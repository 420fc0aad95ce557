#!/usr/bin/env python3
"""Files larger than the memory limit: time and peak memory, beside the same rows in memory.

    bench/sources.py --program build/release/cli/bootfold --folder /var/tmp/bootfold-bench
    bench/sources.py --rows 1e8 --parquet-rows 1e7      # smaller files
    bench/sources.py --peers                            # SciPy, pandas, DuckDB on the Parquet file

Makes the files if they are not there (4 GB and 2 GB by default), reads them once so that they are
in the page cache, and prints one line for each run: seconds (best of --repeat), peak resident
memory, and rows x replicates per second; and two shards that are added up by one process and by
two. Limited runs get --memory 256M and an address space of
640 MB (RLIMIT_AS). The Parquet line needs a program that was built with Arrow C++.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ADDRESS_SPACE = 640 << 20


def make_numbers(path: Path, rows: int, zeros_and_ones: bool) -> None:
    """A float32 .npy file, written piece by piece."""
    if path.exists():
        return
    print(f"making {path.name}", file=sys.stderr)
    rng = np.random.default_rng(1)
    array = np.lib.format.open_memmap(path, "w+", np.float32, (rows,))
    step = 10_000_000
    for first in range(0, rows, step):
        size = min(step, rows - first)
        if zeros_and_ones:
            array[first : first + size] = rng.integers(0, 2, size)
        else:
            array[first : first + size] = rng.standard_normal(size, dtype=np.float32)
    array.flush()


def make_parquet(path: Path, rows: int) -> None:
    """Five columns of doubles; the first also as an .npy file."""
    npy = path.with_suffix(".npy")
    if path.exists() and npy.exists():
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    print(f"making {path.name}", file=sys.stderr)
    rng = np.random.default_rng(2)
    schema = pa.schema([(name, pa.float64()) for name in "abcde"])
    array = np.lib.format.open_memmap(npy, "w+", np.float64, (rows,))
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, rows, 1_000_000):
            size = min(1_000_000, rows - first)
            columns = [rng.lognormal(size=size) for _ in "abcde"]
            array[first : first + size] = columns[0]
            writer.write_table(pa.table(columns, schema=schema))
    array.flush()


def warm(path: Path) -> None:
    """Reads a file, so that it is in the page cache."""
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


def run(command: list[str], limited: bool, repeat: int) -> tuple[float, float, str]:
    """Seconds, peak resident memory in MB, and what the program printed."""

    def limit() -> None:
        if limited:
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))

    best = float("inf")
    peak = 0.0
    output = ""
    for _ in range(repeat):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=limit)
        assert process.stdout is not None
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        best = min(best, time.perf_counter() - start)
        peak = usage.ru_maxrss / 1024
        if status != 0:
            sys.exit(f"failed: {' '.join(command)}")
    return best, peak, output


PEERS = {
    "SciPy, pandas": """
import pandas, scipy.stats, sys
x = pandas.read_parquet(sys.argv[1], columns=["a"])["a"].to_numpy()
print(scipy.stats.bootstrap((x,), lambda v, axis: v.mean(axis=axis), n_resamples=int(sys.argv[2]),
      batch=1, method="percentile", vectorized=True).standard_error)
""",
    "SciPy, DuckDB": """
import duckdb, scipy.stats, sys
x = duckdb.sql(f"select a from '{sys.argv[1]}'").fetchnumpy()["a"]
print(scipy.stats.bootstrap((x,), lambda v, axis: v.mean(axis=axis), n_resamples=int(sys.argv[2]),
      batch=1, method="percentile", vectorized=True).standard_error)
""",
    "pandas": """
import pandas, sys
x = pandas.read_parquet(sys.argv[1], columns=["a"])["a"]
print(pandas.Series([x.sample(frac=1, replace=True, random_state=i).mean()
                     for i in range(int(sys.argv[2]))]).std())
""",
}


def parts(program: str, whole: Path, folder: Path, repeat: int) -> None:
    """Two shards of a column, added up by one process after the other and by two at once."""
    column = np.load(whole, mmap_mode="r")
    half = len(column) // 2
    shards = [folder / f"shard-{number}.npy" for number in (0, 1)]
    for path, rows in zip(shards, (column[:half], column[half:]), strict=True):
        if not path.exists():
            np.save(path, rows)
        warm(path)
    looks = [str(path.with_suffix(".look")) for path in shards]
    plan = str(folder / "shards.plan")
    for path, look in zip(shards, looks, strict=True):
        subprocess.run([program, "look", str(path), "--output", look], check=True)
    options = ["--replicates", "1000", "--seed", "7"]
    subprocess.run([program, "plan", *looks, *options, "--output", plan], check=True)
    seconds = {}
    for processes in (1, 2) * repeat:
        given = "\n".join(map(str, shards))
        command = ["xargs", f"-P{processes}", "-I{}", program, "part", plan, "{}", "--threads", "1"]
        start = time.perf_counter()
        subprocess.run(
            [*command, "--quiet", "--output", "{}.part"], input=given.encode(), check=True
        )
        taken = time.perf_counter() - start
        seconds[processes] = min(taken, seconds.get(processes, taken))
    merged = [program, "merge", plan, *(f"{path}.part" for path in shards), "--json"]
    found = json.loads(subprocess.run(merged, capture_output=True, check=True).stdout)
    alone = [program, "bootstrap", str(whole), *options, "--json"]
    wanted = json.loads(subprocess.run(alone, capture_output=True, check=True).stdout)
    same = all(found[name] == wanted[name] for name in ("estimate", "standard_error"))
    print(
        f"two shards, 1,000 replicates: {seconds[1]:.2f} s by one process, {seconds[2]:.2f} s by "
        f"two, {seconds[1] / seconds[2]:.2f} x; {'the same' if same else 'OTHER'} numbers as in "
        "one run"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--program", default="build/release/cli/bootfold")
    parser.add_argument("--folder", type=Path, default=Path("build/bench-sources"))
    parser.add_argument("--rows", type=float, default=1e9)
    parser.add_argument("--parquet-rows", type=float, default=5e7)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--peer-replicates", type=int, default=10)
    arguments = parser.parse_args()
    rows, parquet_rows = int(arguments.rows), int(arguments.parquet_rows)
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    normal, shares = folder / f"normal-{rows}.npy", folder / f"shares-{rows}.npy"
    sales = folder / f"sales-{parquet_rows}.parquet"
    make_numbers(normal, rows, False)
    make_numbers(shares, rows, True)
    make_parquet(sales, parquet_rows)
    program = [arguments.program, "bootstrap", "--json", "--seed", "7"]
    found: dict[str, tuple[float, dict[str, object]]] = {}

    def line(what: str, options: list[str], count: int, replicates: int, limited: bool) -> None:
        script = options[0] == "-c"
        command = [sys.executable, *options] if script else [*program, *options]
        seconds, peak, output = run(command, limited, arguments.repeat)
        rate = count * replicates / seconds / 1e9
        print(
            f"  {what:44} {seconds:8.2f} s {peak:8.0f} MB {rate:10.2f} e9 rows x replicates/s",
            flush=True,
        )
        found[what] = (seconds, json.loads(output) if output.startswith("{") else {})

    for file in (normal, shares):
        warm(file)
        print(file.name)
        for limited in (False, True):
            memory = ["--memory", "256M"] if limited else ["--memory", "12G"]
            kind = "256 MB" if limited else "mapped"
            given = [*memory, str(file), "--replicates"]
            if file == normal:
                line(f"mean, 100 replicates, {kind}", [*given, "100"], rows, 100, limited)
                median = [*given, "1e6", "--statistic", "median"]
                line(f"median, 1e6 replicates, {kind}", median, rows, 10**6, limited)
            else:
                line(f"share, 1e6 replicates, {kind}", [*given, "1e6"], rows, 10**6, limited)
    print(sales.name)
    for file in (sales, sales.with_suffix(".npy")):
        warm(file)
        column = ["--column", "a"] if file == sales else []
        given = ["--memory", "256M", str(file), *column, "--replicates"]
        what = f"mean, 100 replicates, {file.suffix}, 256 MB"
        line(what, [*given, "100"], parquet_rows, 100, False)
    parts(arguments.program, sales.with_suffix(".npy"), folder, arguments.repeat)
    if arguments.peers:
        count = arguments.peer_replicates
        given = ["--memory", "256M", str(sales), "--column", "a", "--replicates", str(count)]
        line(f"bootfold, {count} replicates", given, parquet_rows, count, False)
        for name, script in PEERS.items():
            given = ["-c", script, str(sales), str(count)]
            line(f"{name}, {count} replicates", given, parquet_rows, count, False)
    for mapped, (seconds, numbers) in found.items():
        limited_run = found.get(mapped.replace("mapped", "256 MB"))
        if not mapped.endswith("mapped") or limited_run is None:
            continue
        names = ("estimate", "standard_error", "interval")
        same = all(numbers.get(name) == limited_run[1].get(name) for name in names)
        print(
            f"{mapped}: the limited run has {'the same' if same else 'OTHER'} numbers and "
            f"{seconds / limited_run[0]:.2f} of the rate"
        )


if __name__ == "__main__":
    main()
