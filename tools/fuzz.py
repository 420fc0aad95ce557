#!/usr/bin/env python3
"""Runs the fuzzers of the file readers side by side, from seeds that the program writes.

    tools/fuzz.py [--seconds 60]

Needs build/dev/cli/bootfold and build/fuzz (`make fuzz` makes both). What the fuzzers find of
interest stays in build/fuzz/corpus and is where the next run begins. If a reader fails, the input
is kept in build/fuzz, its path is printed, and the exit code is 1:

    build/fuzz/fuzz/table_fuzz build/fuzz/table-crash-...
"""

from __future__ import annotations

import argparse
import gzip
import json
import struct
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/dev/cli/bootfold"
BUILD = ROOT / "build/fuzz"
MOST_BYTES = 8192
ROWS = 'x,y,kind\n1,2.5,a\n-3e2,4,b\n5,nan,a\n0.25,7,"b, c"\n9,1,a\n2,3,b\n'


def npy(values: list[float]) -> bytes:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = header.ljust(117) + "\n"
    numbers = struct.pack(f"<{len(values)}d", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + numbers


def table_seeds() -> list[bytes]:
    """The first byte: kind, columns, missing values, header and labels; the second: the dialect
    (fuzz/table_fuzz.cpp)."""
    csv = ROWS.encode()
    german = b"x;y\r\n1.234,5;-\r\n-2;7\r\n3,25;-999,0\r\n"
    return [
        b"\x14\x00" + csv,
        b"\x1c\x00" + csv,
        b"\x34\x00" + csv.split(b"\n", 1)[1],
        b"\x88\x00" + csv.replace(b",a", b"").replace(b",b", b""),
        b"\x15\x00" + csv.replace(b",", b"\t"),
        b"\x16\x00" + gzip.compress(csv, mtime=0),
        b"\x03\x00" + npy([1.0, 2.5, -3.0, 1e300]),
        b"\x14\x1b" + german,
        b"\x1c\x17" + german,
        b"\x1c\x34" + csv.replace(b",", b"  "),
        b"\x14\x0a" + csv.replace(b"-3e2", b'"-1,300"'),
    ]


def saved(arguments: str) -> bytes:
    """What `bootfold arguments FILE` writes to FILE when it reads ROWS."""
    folder = BUILD / "seeds"
    folder.mkdir(exist_ok=True)
    table = folder / "rows.csv"
    table.write_text(ROWS.replace("nan", "3").replace('"b, c"', "b"))
    file = folder / "seed.safetensors"
    words = [str(table) if word == "ROWS" else word for word in arguments.split()]
    subprocess.run([PROGRAM, *words, file], check=True, stdout=subprocess.DEVNULL)
    return file.read_bytes()


def checkpoint() -> bytes:
    """The checkpoint of a run that was ended early, cut to one replicate. The fuzzer does not
    compare checksums."""
    folder = BUILD / "seeds"
    file = folder / "seed.checkpoint"
    table = folder / "powers.csv"
    table.write_text("1\n2\n4\n8\n")
    slow = "--statistic median --interval studentized --nested-replicates 1000 --replicates 1e6"
    command = [PROGRAM, "bootstrap", table, *slow.split(), "--checkpoint", file]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    process.terminate()
    process.wait()
    content = file.read_bytes()
    for path in folder.glob("seed.checkpoint*"):
        path.unlink()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header["0.replicates"]["shape"] = [1, 2]
    header["0.replicates"]["data_offsets"] = [0, 16]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + content[8 + length : 8 + length + 16]


def shard_rows() -> str:
    """The rows of the plans in fuzz/shards_fuzz.cpp; the third column has ten values."""
    rows = ((i * 7919 % 5000 / 8, i * 104729 % 5003 / 3, i % 10) for i in range(5000))
    return "x,y,few\n" + "".join(f"{x!r},{y!r},{few}\n" for x, y, few in rows)


def shard_seeds() -> list[bytes]:
    """Contents behind a byte that tells their kind, and a whole file (fuzz/shards_fuzz.cpp)."""
    folder = BUILD / "seeds"
    folder.mkdir(parents=True, exist_ok=True)
    small, large = folder / "small.csv", folder / "large.csv"
    small.write_text("x,y\n1,2.5\n-3e2,4\n5,3\n0.25,7\n")
    large.write_text(shard_rows())
    files = {kind: folder / f"seed.{kind}" for kind in ("look", "plan", "part")}
    found = []
    for table, column, statistic in [
        (small, "x", "mean"),
        (large, "few", "mean"),
        (large, "few", "median,quantile:0.9"),
        (large, "x", "mean"),
        (large, "x,y", "correlation"),
        (large, "x", "median,quantile:0.9"),
        (large, "x", "mean,median"),
    ]:
        for words in (
            ["look", table, "--column", column, "--statistic", statistic],
            ["plan", files["look"], "--replicates", "4", "--quiet"],
            ["part", files["plan"], table, "--quiet"],
        ):
            command = [PROGRAM, *words, "--output", files[words[0]]]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for number, (kind, file) in enumerate(files.items()):
            whole = file.read_bytes()
            version = 8 + 8 + len(kind) + 4
            (length,) = struct.unpack_from("<Q", whole, version)
            begin = version + 8 + length + 4 + 8
            found.append(bytes([number]) + whole[begin:-8])
            if len(whole) < 4096:
                found.append(b"\x03" + whole)
    return [seed for seed in found if len(seed) <= MOST_BYTES]


def seeds() -> dict[str, list[bytes]]:
    result = "bootstrap ROWS --replicates 20 --quiet"
    model = "ensemble train ROWS --members 2 --hidden 2 --epochs 2 --quiet"
    return {
        "table": table_seeds(),
        "result": [
            saved(f"{result} --column x --interval bca --save"),
            saved(f"{result} --column x,y --statistic correlation --save"),
        ],
        "model": [
            saved(f"{model} --target kind --output"),
            saved(f"{model} --target y --ignore kind --task regression --output"),
            saved(f"{model} --target y --ignore kind --loss pinball --output"),
        ],
        "shards": shard_seeds(),
        "where": [
            b"origin == 'JFK' and dep_delay > 0",
            b"not (`a b` in (1, -2.5e3, 'it''s') or c is not missing) and x <= y",
            b'a != "b" or c not in (true, false)',
            b"(-2) ^ a % 3 - if(missing(b), min(1, c, 2), log(`d e`)) >= -1.5e-3",
            b"gm = exp(mean(log(price))) / quantile(abs(x - y), 0.9) + count(a > 1) * p90(b)",
        ],
        "checkpoint": [checkpoint()],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="for each reader (60)")
    seconds = parser.parse_args().seconds
    started = {}
    for reader, contents in seeds().items():
        corpus = BUILD / "corpus" / reader
        corpus.mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(contents):
            (corpus / f"seed-{number}").write_bytes(content)
        log = (BUILD / f"{reader}.log").open("w")
        command = [
            BUILD / f"fuzz/{reader}_fuzz",
            f"-max_total_time={seconds}",
            f"-max_len={MOST_BYTES}",
            "-rss_limit_mb=1024",
            "-timeout=10",
            "-print_final_stats=1",
            f"-artifact_prefix={BUILD}/{reader}-",
            corpus,
        ]
        started[reader] = subprocess.Popen(command, stdout=log, stderr=log)
    failed = 0
    for reader, process in started.items():
        code = process.wait()
        text = (BUILD / f"{reader}.log").read_text(errors="replace")
        runs = [line.split()[-1] for line in text.splitlines() if "number_of_executed" in line]
        if code == 0 and runs:
            print(f"fuzz: {reader}: {int(runs[-1]):,} inputs in {seconds} s, no failure")
        else:
            failed = 1
            print(f"fuzz: {reader} failed:", *text.splitlines()[-40:], sep="\n", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
