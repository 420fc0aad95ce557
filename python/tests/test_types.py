"""A type checker reads the package and its generated stubs."""

import pathlib
import subprocess
import sys
import textwrap

import pytest

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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('low, high = bf.bootstrap([1.0], "mean", replicates=10).interval("bca")', None),
        ("bf.sums(lambda x: (x,), lambda m: m[0], name='first')", None),
        ('bf.bootstrap([1.0], "mean").interval("bcaa")', "arg-type"),
        ('bf.bootstrap([1.0], "mean", replicate=10)', "call-arg"),
        ('bf.bootstrap([1.0], "mean", seed="7")', "arg-type"),
    ],
)
def test_users_are_told(tmp_path, line, message):
    (tmp_path / "user.py").write_text(textwrap.dedent(f"import bootfold as bf\n{line}\n"))
    environment = {"MYPYPATH": str(PACKAGE.parent), "PATH": "/usr/bin"}
    found = check("user.py", "--follow-imports=silent", cwd=tmp_path, env=environment)
    assert (found.returncode == 0) == (message is None), found.stdout
    if message is not None:
        assert message in found.stdout
