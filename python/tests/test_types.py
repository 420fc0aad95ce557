"""A type checker reads the package and its generated stubs."""

import pathlib
import re
import subprocess
import sys

import bootfold as bf

PACKAGE = pathlib.Path(bf.__file__).parent


def check(*arguments, **options):
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_core.pyi").exists()
    config = pathlib.Path(__file__).parents[2] / "pyproject.toml"
    found = check(str(PACKAGE), "--config-file", str(config))
    assert found.returncode == 0, found.stdout


LINES = {
    'low, high = bf.bootstrap([1.0], "mean", replicates=10).interval("bca")': None,
    "bf.sums(lambda x: (x,), lambda m: m[0], name='first')": None,
    'bf.bootstrap([1.0], "mean").interval("bcaa")': "arg-type",
    'bf.bootstrap([1.0], "mean", replicate=10)': "call-arg",
    'bf.bootstrap([1.0], "mean", seed="7")': "arg-type",
    'bf.shards.look("a.parquet", "mean", columns=["x"]).rows + 1': None,
    'bf.shards.look("a.parquet", "mean", columns=1)': "arg-type",
}


def test_users_are_told(tmp_path):
    """One run of the checker, which takes seconds, over all lines."""
    (tmp_path / "user.py").write_text("\n".join(["import bootfold as bf", *LINES, ""]))
    environment = {"MYPYPATH": str(PACKAGE.parent), "PATH": "/usr/bin"}
    told = check("user.py", "--follow-imports=silent", cwd=tmp_path, env=environment).stdout
    found = re.findall(r"^user\.py:(\d+): error: .*\[([a-z-]+)\]$", told, re.MULTILINE)
    wanted = [(str(n), kind) for n, kind in enumerate(LINES.values(), 2) if kind is not None]
    assert found == wanted, told
