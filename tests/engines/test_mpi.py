"""mpi4py: ranks that mpirun starts give the bits of one process, and raise the same errors."""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
NAMES = (
    *("arrays", "options_of_a_call", "tables", "files_and_iterators", "expressions"),
    *("more_rows_than_a_block_of_counts", "nan", "replicates", "explain", "ensembles"),
    *("random_seed_is_that_of_all_ranks", "communicators", "progress_is_shown_by_rank_0"),
    *("compare", "errors_of_all_ranks", "errors_of_one_rank", "ranks_with_different_arguments"),
)
ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun")


def mpirun(ranks, *command, **options):
    started = ["mpirun", "--oversubscribe", "-n", str(ranks), sys.executable, *map(str, command)]
    given = {"env": {**os.environ, **ALLOWED}, "timeout": 300, **options}
    return subprocess.run(started, capture_output=True, text=True, **given)


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """output(ranks): what the program printed, run once."""

    @functools.cache
    def of(ranks):
        return mpirun(ranks, HERE / "mpi_program.py", tmp_path_factory.mktemp("rows"))

    return of


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("name", NAMES)
def test_ranks(output, name, ranks):
    found = output(ranks)
    assert f"passed {name}\n" in found.stdout, found.stdout + found.stderr


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_program_ends_well_and_has_no_other_tests(output, ranks):
    found = output(ranks)
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("passed") == len(NAMES)


def test_example_prints_the_same_for_every_number_of_ranks():
    example = ROOT / "examples" / "engines" / "mpi_rows.py"
    found = {mpirun(ranks, example).stdout for ranks in (1, 3)}
    assert len(found) == 1
    assert re.fullmatch(r"mean 421\.63\d+, 95 % interval 421\.\d+ to 422?\.\d+\n", found.pop())


def test_killed_rank_ends_all(tmp_path):
    (tmp_path / "program.py").write_text(KILLED)
    start = time.monotonic()
    found = mpirun(3, "program.py", cwd=tmp_path)
    assert found.returncode != 0 and "over" not in found.stdout
    assert time.monotonic() - start < 60


KILLED = """
import os, signal
import bootfold as bf
from mpi4py import MPI

def dies(values):
    if MPI.COMM_WORLD.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return values.max()

bf.bootstrap([1.0, 2.0, 4.0], dies, engine=MPI.COMM_WORLD, split="replicates")
print("over")
"""


def test_page(tmp_path):
    (program,) = [
        block
        for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs/mpi.md").read_text(), re.S)
        if "import bootfold as bf" in block
    ]
    (tmp_path / "program.py").write_text(program)
    for rank in range(2):
        np.save(tmp_path / f"prices{rank}.npy", np.random.default_rng(rank).exponential(size=500))
    found = mpirun(2, "program.py", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("Interval(low=") == 1
