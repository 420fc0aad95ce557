#!/usr/bin/env python3
"""Two workers beside one on Dask, Spark, Ray and MPI: the mean of 10^8 rows.

    PYTHONPATH=build/release/python .venv-engines/bin/python bench/engines.py
    bench/engines.py --only dask,mpi --rows 1e7 --replicates 20 --repeat 1      # quickly
    bench/engines.py --model                                    # what the cost model is fitted to

A worker is a process with one thread. Each measurement is a process of its own, bound to as many
processors as it has workers: on a machine with more, one worker of Spark would keep two busy, its
Java and its Python. It starts the workers, has them read or make the rows, bootstraps a few rows so
that everything is imported, and then takes the time of one bootstrap. Rows are held by the workers
of Dask and Ray. Spark reads them from Parquet files, and MPI from a .npy file, which the operating
system has cached. One and two workers take turns within one run, so that they see the same machine.
The best seconds of each and their ratio are printed, and whether the bits agree.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import bootfold as bf

_PACKAGE = str(Path(bf.__file__).absolute().parents[1])
_PARTS = 32
#: What the cost model is evaluated for: rows, cores of a node, bytes a second that a core reads.
_MODEL_ROWS, _MODEL_CORES, _MODEL_BYTES = 10**12, 16, 100e6
#: Nodes, partitions and replicates.
_MODEL_CASES = ((100, 16_000, 1000), (1000, 16_000, 1000), (1000, 16_000, 10_000))


def _values(part: int, rows: int) -> Any:
    return np.random.default_rng(part).standard_normal(rows // _PARTS)


def _timed(data: Any, few: Any, replicates: int, **given: Any) -> tuple[float, Any]:
    bf.bootstrap(few, "mean", replicates=2, **given)  # workers import what they need
    start = time.perf_counter()
    found = bf.bootstrap(data, "mean", replicates=replicates, seed=7, **given)
    return time.perf_counter() - start, found.replicates


def on_dask(workers: int, rows: int, replicates: int, folder: Path) -> tuple[float, Any]:
    import dask.array as da
    from dask import delayed
    from distributed import Client, LocalCluster, wait

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        pieces = [
            da.from_delayed(delayed(_values)(part, rows), (rows // _PARTS,), dtype=float)
            for part in range(_PARTS)
        ]
        data = da.concatenate(pieces).persist()
        wait(data)
        return _timed(data, data[:1000], replicates)


def on_spark(workers: int, rows: int, replicates: int, folder: Path) -> tuple[float, Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master(f"local-cluster[{workers},1,2048]")
    for name, value in {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "2g",
        # One collector of garbage and one compiler: a worker has one processor.
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:ActiveProcessorCount=1",
        "spark.executorEnv.PYTHONPATH": _PACKAGE,
        "spark.executorEnv.SPARK_LOCAL_IP": "127.0.0.1",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000000",
        "spark.sql.files.maxPartitionBytes": "1g",
        "spark.sql.files.openCostInBytes": "1g",  # a partition for each file
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        data = session.read.parquet(*map(str, sorted(folder.glob("*.parquet"))))
        return _timed(data, data.limit(1000), replicates, columns="x")
    finally:
        session.stop()


def on_ray(workers: int, rows: int, replicates: int, folder: Path) -> tuple[float, Any]:
    import ray
    from ray.cluster_utils import Cluster

    os.environ["PYTHONPATH"] = _PACKAGE  # of the nodes, which are processes of their own
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    store = {"object_store_memory": 3 * 8 * rows // workers + 2**28}
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **store})
    for _ in range(1, workers):
        nodes.add_node(num_cpus=1, **store)
    ray.init(address=nodes.address, logging_level="error")
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    context.target_max_block_size = 8 * rows // _PARTS  # blocks of 128 MB are too few to be shared
    try:
        data = ray.data.read_parquet(str(folder)).materialize()
        return _timed(data, data.limit(1000), replicates, columns="x")
    finally:
        ray.shutdown()
        nodes.shutdown()


def on_mpi(workers: int, rows: int, replicates: int, folder: Path) -> tuple[float, Any]:
    program = os.environ.get("BOOTFOLD_PROGRAM", "build/release/cli/bootfold")
    output = folder / f"mpi-{workers}.npy"
    words = [
        "mpirun",
        "--oversubscribe",
        "--bind-to",
        "none",
        "-n",
        str(workers),
        program,
        "bootstrap",
    ]
    words += [str(folder / "rows.npy"), "--threads", "1", "--split", "rows", "--seed", "7"]
    words += ["--replicates", str(replicates), "--output", str(output)]
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    start = time.perf_counter()
    subprocess.run(words, check=True, env={**os.environ, **allowed}, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start, np.load(output).ravel()


_ENGINES: dict[str, Callable[[int, int, int, Path], tuple[float, Any]]] = {
    "dask": on_dask,
    "spark": on_spark,
    "ray": on_ray,
    "mpi": on_mpi,
}


def _write_rows(folder: Path, rows: int) -> None:
    """The rows as Parquet files and as one .npy file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = np.lib.format.open_memmap(
        folder / "rows.npy", mode="w+", dtype=float, shape=(rows // _PARTS * _PARTS,)
    )
    for part in range(_PARTS):
        values = _values(part, rows)
        whole[part * len(values) : (part + 1) * len(values)] = values
        pq.write_table(pa.table({"x": values}), folder / f"{part:02}.parquet", compression="none")
    whole.flush()


def _in_a_process(
    engine: str, workers: int, rows: int, replicates: int, folder: Path
) -> tuple[float, str]:
    """Seconds, and a hash of the replicates."""
    words = [sys.executable, __file__, "--one", engine, "--workers", str(workers)]
    words += ["--rows", str(rows), "--replicates", str(replicates), "--folder", str(folder)]
    ended = subprocess.run(words, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{engine} with {workers} workers failed:\n{ended.stderr[-3000:]}")
    found = json.loads(ended.stdout.splitlines()[-1])
    return found["seconds"], found["bits"]


def _beside(engine: str, rows: int, replicates: int, repeat: int, folder: Path) -> None:
    best: dict[int, float] = {}
    bits = set()
    for _ in range(repeat):
        for workers in (1, 2):
            seconds, found = _in_a_process(engine, workers, rows, replicates, folder)
            best[workers] = min(seconds, best.get(workers, seconds))
            bits.add(found)
    print(
        f"{engine:6}{best[1]:10.2f}{best[2]:10.2f}{best[1] / best[2]:8.2f}    "
        + ("agree" if len(bits) == 1 else "DIFFER"),
        flush=True,
    )


def _best(work: Callable[[], Any], repeat: int) -> float:
    """The least seconds of several calls, of the processor that works for this process."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def _model(rows: int, repeat: int, folder: Path) -> None:
    """The terms of the cost model in docs/scale.md, in seconds of one processor.

    The plan is that of 10^12 rows: the look at the rows here is merged with itself, shifted, until
    it has so many. So the parts are those that a worker of that cluster makes.
    """
    from bootfold import shards

    data = np.load(folder / "rows.npy")
    look = shards.look(data, "mean", threads=1)
    seconds = _best(lambda: shards.look(data, "mean", threads=1), repeat)
    print(f"look: {seconds / len(data):.3g} s for each row; {len(look.to_bytes())} bytes")
    look_row = seconds / len(data)
    whole = _repeated(look, _MODEL_ROWS // look.rows)
    first = whole.rows // 2
    known = []
    for replicates in (50, 200, 800):
        plan = shards.plan(whole, replicates=replicates, seed=7, threads=1)
        alone = shards.plan(look, replicates=replicates, seed=7, threads=1)
        seconds = _best(lambda plan=plan: plan.part(data, first=first, threads=1), repeat)
        usual = _best(lambda alone=alone: alone.part(data, first=0, threads=1), repeat)
        known.append((replicates, seconds))
        print(
            f"part of {len(data):.3g} rows among {whole.rows:.3g}, {replicates} replicates: "
            f"{seconds:.3f} s; of the same rows alone: {usual:.3f} s"
        )
    each = (known[-1][1] - known[0][1]) / (known[-1][0] - known[0][0]) / len(data)
    fixed = known[0][1] / len(data) - each * known[0][0]
    fixed = max(fixed, 0)
    print(f"part: {fixed:.3g} s + {each:.3g} s x replicates, for each row")
    for replicates in (1000, 10_000):
        plan = shards.plan(look, replicates=replicates, seed=7, threads=1)
        sent = plan.part(data[:5000], first=0, threads=1).to_bytes()
        next_one = plan.part(data[5000:9000], first=5000, threads=1)
        seconds = _best(lambda sent=sent, part=next_one: shards.Part.from_bytes(sent) + part, 20)
        print(f"merge: {seconds:.3g} s and {len(sent)} bytes for {replicates} replicates")
        merge = seconds / replicates
    task = (_small_partitions(1100, repeat) - _small_partitions(100, repeat)) / 1000
    print(f"Dask: {task:.3g} s of client and scheduler for each partition")
    print("\n| nodes | partitions | replicates | compute | read | scheduler | merge | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for nodes, partitions, replicates in _MODEL_CASES:
        share = _MODEL_ROWS / (nodes * _MODEL_CORES)
        terms = [
            share * (look_row + fixed + replicates * each),
            2 * 8 * share / _MODEL_BYTES,
            partitions * task,
            16 * math.log(partitions, 16) * merge * replicates,
        ]
        shown = " | ".join(f"{term:.3g}" for term in (*terms, sum(terms)))
        print(f"| {nodes:,} | {partitions:,} | {replicates:,} | {shown} |")


def _repeated(look: Any, copies: int) -> Any:
    """The look at so many copies of the rows, one below the other."""
    found, power = None, look
    while copies:
        if copies % 2:
            found = power if found is None else found | power.shifted(found.rows)
        copies //= 2
        if copies:
            power = power | power.shifted(power.rows)
    return found


def _small_partitions(count: int, repeat: int) -> float:
    """Seconds of client and scheduler, which are this process, for so many partitions of Dask.

    These are not put together, so that each is a task to look at it and a task to add it up.
    """
    import dask.array as da
    from distributed import Client, LocalCluster

    with (
        mock.patch("bootfold._partitioned.BLOCK", 0),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        data = da.arange(count * 50, chunks=50)
        data = data.persist()
        return _best(lambda: bf.bootstrap(data, "mean", replicates=2), repeat + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(_ENGINES))
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--replicates", type=float, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--model", action="store_true", help="measure the terms of the cost model")
    parser.add_argument("--one", choices=_ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    rows, replicates = int(given.rows), int(given.replicates)
    if given.one:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.workers])
        seconds, found = _ENGINES[given.one](given.workers, rows, replicates, given.folder)
        bits = hashlib.sha256(np.ascontiguousarray(found).tobytes()).hexdigest()
        print(json.dumps({"seconds": seconds, "bits": bits}))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_rows(folder, rows)
        if given.model:
            _model(rows, given.repeat, folder)
            return
        print(f"{rows:.3g} rows, {replicates} replicates of the mean; seconds of 1 and 2 workers")
        print(f"{'':6}{'1':>10}{'2':>10}{'ratio':>8}    bits", flush=True)
        for engine in given.only.split(","):
            _beside(engine, rows, replicates, given.repeat, folder)


if __name__ == "__main__":
    main()
