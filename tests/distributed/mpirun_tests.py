#!/usr/bin/env python3
"""Runs the program under mpirun, on this machine.

    mpirun_tests.py BOOTFOLD RANKS_PROGRAM [Quick | Engines] [-k NAME]

BOOTFOLD is the program, RANKS_PROGRAM is tests/distributed/ranks_program.cpp. Ends with 77, which
ctest counts as skipped, if there is no mpirun or the program was built without MPI.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from array import array
from collections.abc import Sequence
from pathlib import Path

BOOTFOLD, RANKS = (str(Path(path).resolve()) for path in sys.argv[1:3])
# Several ranks on a processor, as root if need be, and nothing that leaves the machine.
MPIRUN = ["mpirun", "--oversubscribe", "--mca", "btl", "self,vader", "--mca", "pml", "ob1"]
ENVIRONMENT = os.environ | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
ROWS = 30_000
SECONDS = 20.0  # "within seconds", on a machine that has other things to do


def mpirun(
    ranks: int, *words: str, program: str = BOOTFOLD, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MPIRUN, "-n", str(ranks), program, *words],
        env=ENVIRONMENT | environment,
        capture_output=True,
        text=True,
        timeout=100,
    )


def bootfold(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BOOTFOLD, *words], env=ENVIRONMENT, capture_output=True, text=True, timeout=100
    )


def is_running(process: int) -> bool:
    """Whether it runs, or is a zombie that nobody has waited for yet."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def own_lines(text: str) -> list[str]:
    """The lines of the program itself: mpirun has its own to say."""
    return [line for line in text.splitlines() if line.startswith("bootfold: ")]


def write_npy(path: Path, columns: Sequence[Sequence[float]]) -> None:
    rows = len(columns[0])
    shape = f"({rows},)" if len(columns) == 1 else f"({rows}, {len(columns)})"
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    values = array("d", (x for row in zip(*columns, strict=True) for x in row))
    path.write_bytes(start + values.tobytes())


class Files(unittest.TestCase):
    folder: Path
    x: str
    few: str
    text: str
    labels: str  # columns 3 and 4 are a stratum and a cluster

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="bootfold_mpi_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        draw = random.Random(1)
        x = [draw.lognormvariate(0, 2) for _ in range(ROWS)]
        y = [value + draw.random() for value in x]
        write_npy(cls.folder / "x.npy", [x, y])
        labels = [[i * 7 % 11 for i in range(ROWS)], [i // 90 for i in range(ROWS)]]
        write_npy(cls.folder / "labels.npy", [x, y, *labels])
        write_npy(cls.folder / "few.npy", [[draw.randrange(4) for _ in range(ROWS)]])
        lines = [f"{a!r},{b!r},{i % 50}" for i, (a, b) in enumerate(zip(x, y, strict=True))]
        (cls.folder / "x.csv").write_text("x,y,school\n" + "\n".join(lines) + "\n")
        names = ("x.npy", "few.npy", "x.csv", "labels.npy")
        cls.x, cls.few, cls.text, cls.labels = (str(cls.folder / name) for name in names)

    def bytes_of(self, words: Sequence[str], ranks: int = 0) -> tuple[bytes, str]:
        """The replicates and what was printed, by so many ranks; 0: without mpirun."""
        output = self.folder / "output.npy"
        output.unlink(missing_ok=True)
        command = ["bootstrap", *words, "--quiet", "--output", str(output)]
        done = mpirun(ranks, *command) if ranks else bootfold(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(own_lines(done.stderr), [])
        return output.read_bytes(), done.stdout

    def assert_same(
        self, words: Sequence[str], ranks: Sequence[int], splits: Sequence[str]
    ) -> None:
        one = self.bytes_of(words)
        for number in ranks:
            for split in splits:
                with self.subTest(words=words, ranks=number, split=split):
                    options = ["--split", split] if split else []
                    self.assertEqual(self.bytes_of([*words, *options], number), one)


class Quick(Files):
    def test_the_bits_are_those_of_one_process(self) -> None:
        words = [self.x, "--column", "1", "--replicates", "200"]
        self.assert_same(words, [1, 3], ["rows", "replicates"])

    def test_sum_of_squares(self) -> None:
        for ranks in (1, 3):
            done = mpirun(ranks, "squares", program=RANKS)
            self.assertEqual(done.stdout.splitlines()[0], f"{ranks} ranks: 167480", done.stderr)

    def test_mistakes_are_told_once(self) -> None:
        done = mpirun(3, "bootstrap", self.x, "--column", "1", "--seed", "x")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(own_lines(done.stderr)), 1, done.stderr)
        self.assertIn("bootfold: --seed is 'x'", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_rank_that_fails_ends_all(self) -> None:
        start = time.monotonic()
        done = mpirun(3, "fail", program=RANKS)
        self.assertLess(time.monotonic() - start, SECONDS)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("rank 1: the disk of rank 1 is gone"), 1, done.stderr)


class Engines(Files):
    def test_every_statistic_and_split(self) -> None:
        for words in (
            ["--column", "1"],
            ["--column", "1,2", "--statistic", "correlation"],
            ["--column", "2", "--statistic", "median"],
            ["--column", "1", "--scheme", "poisson", "--statistic", "mean,variance"],
        ):
            words = [self.x, "--replicates", "150", "--seed", "3", *words]
            self.assert_same(words, [1, 2, 3, 4], ["rows", "replicates"])
        self.assert_same([self.few, "--replicates", "150"], [2, 4], ["rows", "replicates"])

    def test_expressions(self) -> None:
        for words in (
            ["--statistic", "sum(`1`) / sum(`2`), mean(log(`1`) > 0)"],
            ["--statistic", "p90(`1`) / median(`1`)"],
        ):
            words = [self.x, *words, "--replicates", "90", "--seed", "3"]
            self.assert_same(words, [2, 3], ["rows", "replicates"])

    def test_row_groups_of_parquet_files(self) -> None:
        path = Path(__file__).resolve().parents[1] / "data/parquet/flights.parquet"
        words = [str(path), "--column", "n", "--replicates", "90"]
        if bootfold("bootstrap", *words).returncode != 0:
            self.skipTest("this build does not read Parquet files")
        self.assert_same(words, [2, 3, 4], ["rows", "replicates"])
        self.assert_same([*words, "--statistic", "median"], [3], ["rows", "replicates"])

    def test_replicates_split_serves_the_rest(self) -> None:
        for words in (
            [self.x, "--column", "1", "--statistic", "trimmed_mean:0.1"],
            [self.x, "--column", "1", "--interval", "bca"],
            [self.text, "--column", "x", "--statistic", "median"],
            [self.text, "--column", "x", "--cluster", "school"],
            [self.text, "--column", "x", "--scheme", "moving", "--block-length", "20"],
            [self.text, "--column", "x", "--weights", "y"],
        ):
            self.assert_same([*words, "--replicates", "60"], [2, 3], [""])

    def test_strata_and_clusters(self) -> None:
        for words in (
            ["--column", "1", "--strata", "3"],
            ["--column", "1,2", "--statistic", "correlation", "--strata", "3"],
            ["--column", "1", "--cluster", "4", "--statistic", "mean,variance"],
            ["--column", "1", "--cluster", "4", "--where", "`2` > 1"],
        ):
            words = [self.labels, *words, "--replicates", "90", "--seed", "3"]
            self.assert_same(words, [1, 2, 3, 4], ["", "rows", "replicates"])
        for words in (["--statistic", "median"], ["--scheme", "cluster", "--two-stage"]):
            role = ["--cluster" if "--two-stage" in words else "--strata", "3"]
            words = [self.labels, "--column", "1", *words, *role, "--replicates", "40"]
            self.assert_same(words, [2], [""])

    def test_to_a_precision(self) -> None:
        auto = ["--replicates", "auto", "--precision", "0.05"]
        for words in (
            [self.x, "--column", "1"],
            [self.x, "--column", "1", "--statistic", "trimmed_mean:0.1"],
            [self.x, "--column", "1", "--interval", "bca"],
            [self.labels, "--column", "1", "--cluster", "4"],
        ):
            self.assert_same([*words, *auto], [1, 3], [""])
        self.assert_same([self.x, "--column", "1", *auto], [2], ["rows", "replicates"])

    def test_exact(self) -> None:
        command = ["bootstrap", self.few, "--replicates", "exact", "--quiet"]
        one, three = bootfold(*command), mpirun(3, *command)
        self.assertEqual(three.returncode, 0, three.stderr)
        self.assertEqual(three.stdout, one.stdout)
        done = mpirun(2, *command, "--statistic", "trimmed_mean:0.1")
        self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)

    def test_rows_that_are_left_out(self) -> None:
        words = [self.x, "--column", "1", "--where", "`2` > 1", "--replicates", "60"]
        self.assert_same(words, [2, 3], ["rows", "replicates"])
        command = ["bootstrap", *words, "--json"]
        one, three = json.loads(bootfold(*command).stdout), json.loads(mpirun(3, *command).stdout)
        self.assertGreater(one["filtered_rows"], 0)
        self.assertEqual(one["filtered_rows"], three["filtered_rows"])

    def test_saved_runs_can_be_read(self) -> None:
        saved = str(self.folder / "run.safetensors")
        command = ["bootstrap", self.x, "--column", "1", "--replicates", "99", "--save", saved]
        self.assertEqual(mpirun(2, *command).returncode, 0)
        self.assertEqual(bootfold("interval", saved).returncode, 0)

    def test_one_progress_bar(self) -> None:
        words = f"bootstrap {self.x} --column 1 --statistic trimmed_mean:0.1 --replicates 100000"
        command = f"{' '.join(MPIRUN)} -n 2 {BOOTFOLD} {words} > /dev/null"
        shown = subprocess.run(
            ["script", "-qec", command, "/dev/null"],
            env=ENVIRONMENT | {"TERM": "xterm"},
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=100,
        ).stdout
        shares = [float(text.split()[-1]) for text in shown.split("%")[:-1]]
        self.assertGreater(len(shares), 0)
        self.assertEqual(shares, sorted(shares), "one bar, which only grows")

    def test_a_machine_has_one_copy_of_a_text_file(self) -> None:
        """What ranks share is not memory of their own: 4e6 rows are 32 MB."""
        big = self.folder / "big.csv"
        big.write_text("x\n" + "".join(f"{i * 7919 % 4000037}\n" for i in range(4_000_000)))
        self.addCleanup(big.unlink)
        words = ["bootstrap", str(big), "--statistic", "trimmed_mean:0.1", "--replicates", "1e6"]
        own, shared = self.memory_of([*words, "--memory", "64M"])
        self.assertGreater(min(shared), 31_000)  # kB
        self.assertLess(max(own), 64_000 + 30_000)

    def test_a_machine_has_one_copy_of_a_binary_file(self) -> None:
        """Ranks map it: 8e6 rows are 64 MB, and the memory of each rank is below that."""
        big = self.folder / "mapped.npy"
        write_npy(big, [[i * 7919 % 8000009 for i in range(8_000_000)]])
        self.addCleanup(big.unlink)
        words = ["bootstrap", str(big), "--split", "replicates", "--replicates", "1e6"]
        own, shared = self.memory_of([*words, "--memory", "16M"], "RssFile:")
        self.assertGreater(min(shared), 62_000)  # kB
        self.assertLess(max(own), 16_000 + 30_000)

    def memory_of(
        self, words: Sequence[str], kind: str = "RssShmem:"
    ) -> tuple[list[int], list[int]]:
        """Memory of 3 ranks of a long run in kB: of their own, and in shared files."""
        run, ranks = self.start(words)
        for _ in range(300):
            time.sleep(0.1)
            status = [Path(f"/proc/{rank}/status").read_text() for rank in ranks]
            shared = [int(text.split(kind)[1].split()[0]) for text in status]
            if min(shared) > (31_000 if kind == "RssShmem:" else 62_000):
                break
        time.sleep(2)
        status = [Path(f"/proc/{rank}/status").read_text() for rank in ranks]
        run.terminate()
        run.communicate(timeout=60)
        own = [int(text.split("RssAnon:")[1].split()[0]) for text in status]
        return own, shared

    def test_sum_of_squares_takes_no_more_memory_with_more_ranks(self) -> None:
        peaks = {}
        for ranks in (1, 2, 4):
            done = mpirun(ranks, "squares", program=RANKS)
            self.assertEqual(done.stdout.splitlines()[0], f"{ranks} ranks: 167480", done.stderr)
            peaks[ranks] = max(int(line.split()[1]) for line in done.stdout.splitlines()[1:])
        self.assertLess(peaks[4], peaks[2] + 4_000, peaks)  # kB

    def test_large_messages(self) -> None:
        done = mpirun(3, "large", program=RANKS)
        self.assertEqual(done.stdout, "equal\n", done.stderr)

    def test_memory_of_rows_split(self) -> None:
        """No rank holds the file of 160 MB, and no rank more than its limit."""
        big = self.folder / "big.npy"
        write_npy(big, [[float(i % 1000_003) for i in range(20_000_000)]])
        self.addCleanup(big.unlink)
        log = self.folder / "peaks"
        script = self.folder / "measured.py"
        script.write_text(
            "import os, resource, subprocess, sys\n"
            "done = subprocess.run(sys.argv[2:])\n"
            "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
            "open(sys.argv[1], 'a').write(f'{peak}\\n')\n"
            "sys.exit(done.returncode)\n"
        )
        words = ["bootstrap", str(big), "--replicates", "20", "--memory", "64M", "--quiet"]
        done = mpirun(3, str(script), str(log), BOOTFOLD, *words, program=sys.executable)
        self.assertEqual(done.returncode, 0, done.stderr)
        peaks = [int(line) for line in log.read_text().split()]
        self.assertEqual(len(peaks), 3)
        self.assertLess(max(peaks), 64_000 + 60_000, "64 MB, and the libraries of MPI")  # kB

    def test_mistakes(self) -> None:
        column = [self.x, "--column", "1"]
        for words, parts in (
            (
                ["bootstrap", self.text, "--column", "x", "--strata", "school", "--split", "rows"],
                ["beginning", ".npy"],
            ),
            (
                ["bootstrap", *column, "--cluster", "2", "--two-stage", "--split", "rows"],
                ["columns of all rows"],
            ),
            (
                ["bootstrap", *column, "--replicates", "auto", "--scheme", "jackknife"],
                ["jackknife"],
            ),
            (["bootstrap", *column, "--checkpoint", "c"], ["--checkpoint", "without mpirun"]),
            (["bootstrap", "-"], ["standard input"]),
            (["bootstrap", *column, "--scheme", "jackknife"], ["'jackknife'", "one process"]),
            (["bootstrap", *column, "--split", "columns"], ["--split", "rows", "replicates"]),
            (["bootstrap", self.text, "--column", "x", "--split", "rows"], ["beginning", ".npy"]),
            (["bootstrap", *column, "--split", "rows", "--interval", "bca"], ["BCa"]),
            (["bootstrap", "none.npy"], ["none.npy"]),
            (["compare", self.text], ["'compare'", "BOOTFOLD_MPI=off"]),
        ):
            with self.subTest(words=words):
                done = mpirun(2, *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                lines = own_lines(done.stderr)
                self.assertEqual(len(lines), 1, done.stderr)
                for part in parts:
                    self.assertIn(part, lines[0])

    def test_help_is_printed_once(self) -> None:
        done = mpirun(3, "bootstrap", "--help")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, bootfold("bootstrap", "--help").stdout)

    def test_processes_may_work_for_themselves(self) -> None:
        done = mpirun(2, "interval", "--help", BOOTFOLD_MPI="off")
        self.assertEqual(done.stdout.count("Usage: "), 2)
        script = f'exec {BOOTFOLD} bootstrap {self.x} --column 1 --seed "$OMPI_COMM_WORLD_RANK"'
        done = mpirun(2, "-c", script, program="/bin/sh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("rank 1: its arguments are not those of rank 0", done.stderr)

    def test_another_file_on_one_rank(self) -> None:
        """Rank 1 sees a file of the same name that lacks rows."""
        for rank, rows in ((0, 1000), (1, 999)):
            (self.folder / str(rank)).mkdir()
            write_npy(self.folder / str(rank) / "a.npy", [[float(i * i % 97) for i in range(rows)]])
        script = f'cd {self.folder}/"$OMPI_COMM_WORLD_RANK" && exec {BOOTFOLD} bootstrap a.npy'
        done = mpirun(2, "-c", script, program="/bin/sh")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(own_lines(done.stderr)), 1, done.stderr)
        self.assertIn("rank 1: the source has 999 rows", done.stderr)

    def test_nan_on_one_rank(self) -> None:
        values = [float(i) for i in range(9000)]
        values[8000] = float("nan")
        write_npy(self.folder / "nan.npy", [values])
        start = time.monotonic()
        done = mpirun(3, "bootstrap", str(self.folder / "nan.npy"))
        self.assertLess(time.monotonic() - start, SECONDS)
        self.assertEqual(done.returncode, 2, done.stderr)
        (line,) = own_lines(done.stderr)
        self.assertIn("rank 2: ", line)
        self.assertIn("nan.npy: row 8001", line)

    def run_and_signal(self, number: int, of_rank: bool) -> tuple[int, str, float]:
        """Starts a long run, sends a signal, and tells code, errors and seconds until its end."""
        words = ["bootstrap", self.x, "--column", "1", "--replicates", "1e9", "--memory", "64M"]
        run, ranks = self.start([*words, "--split", "replicates"])
        time.sleep(2)
        os.kill(ranks[1] if of_rank else run.pid, number)
        start = time.monotonic()
        _, errors = run.communicate(timeout=60)
        while any(is_running(rank) for rank in ranks) and time.monotonic() - start < SECONDS:
            time.sleep(0.05)
        seconds = time.monotonic() - start
        return run.returncode, errors, seconds

    def start(self, words: Sequence[str]) -> tuple[subprocess.Popen[str], list[int]]:
        """Starts 3 ranks, and tells their processes."""
        run = subprocess.Popen(
            [*MPIRUN, "-n", "3", BOOTFOLD, *words],
            env=ENVIRONMENT,
            stderr=subprocess.PIPE,
            text=True,
        )
        ranks: list[int] = []
        for _ in range(200):
            time.sleep(0.1)
            found = subprocess.run(
                ["ps", "-o", "pid=,comm=", "--ppid", str(run.pid)], capture_output=True, text=True
            )
            ranks = [int(s.split()[0]) for s in found.stdout.splitlines() if s.endswith("bootfold")]
            if len(ranks) == 3:
                break
        self.assertEqual(len(ranks), 3)
        return run, ranks

    def test_a_killed_rank_ends_all(self) -> None:
        code, _, seconds = self.run_and_signal(signal.SIGKILL, of_rank=True)
        self.assertNotEqual(code, 0)
        self.assertLess(seconds, SECONDS)

    def test_signals_end_all(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            code, errors, seconds = self.run_and_signal(number, of_rank=False)
            self.assertNotEqual(code, 0)
            self.assertLess(seconds, SECONDS)
            self.assertEqual(own_lines(errors), [])


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        print("there is no mpirun")
        sys.exit(77)
    if "built without MPI" in mpirun(2, "--version").stderr:
        print("the program was built without MPI")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
