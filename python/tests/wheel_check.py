"""Builds the wheel, looks at it, installs it alone and uses it. Minutes: make test-all runs it.

python wheel_check.py BUILD_FOLDER
"""

import os
import pathlib
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
USE = """
import bootfold as bf
r = bf.bootstrap([1.0, 2.0, 4.0, 8.0], "mean", replicates=1000, seed=7)
assert r.estimate == 3.75 and r.replicates.shape == (1000,)
assert 1 < r.interval("bca").low < 3.75
print(bf.__version__)
"""
WRITE = """
import sys, pyarrow as pa, pyarrow.parquet as pq
pq.write_table(pa.table({"x": range(100)}), sys.argv[1])
"""


def run(*command: object, **options: object) -> str:
    words = [str(word) for word in command]
    print("+", *words, flush=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    found = subprocess.run(  # type: ignore[call-overload]
        words, env=environment, stdout=subprocess.PIPE, text=True, **options
    )
    if found.returncode != 0:
        sys.exit(f"{words[0]} ended with {found.returncode}\n{found.stdout}")
    return str(found.stdout)


def main(folder: pathlib.Path) -> None:
    wheels = folder / "wheels"
    for old in wheels.glob("*.whl"):
        old.unlink()
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "wheel", ROOT, "--no-build-isolation", "--no-deps", "--quiet", "-w", wheels)
    (wheel,) = wheels.glob("*.whl")

    # One for all: the stable ABI of Python 3.10, types, the program, nothing else.
    assert "-cp310-abi3-" in wheel.name, wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("_core.abi3.so", "_core.pyi", "py.typed", "bin/bootfold"):
        assert f"bootfold/{needed}" in names, names
    assert any(name.endswith(".data/scripts/bootfold") for name in names), names
    assert not [n for n in names if n.startswith(("include", "lib", "share"))], names

    # Needs no library that a Linux machine may lack.
    told = run(sys.executable, "-m", "auditwheel", "show", wheel)
    assert "manylinux_2_" in told, told
    print(told)

    home = folder / "home"
    run(sys.executable, "-m", "venv", "--clear", home)
    run(home / "bin/python", "-m", "pip", "install", "--quiet", wheel)
    version = run(home / "bin/python", "-c", USE, cwd=folder).strip()
    assert version in run(home / "bin/bootfold", "--version")
    assert "mean of x" in run(home / "bin/bootfold", "explain", "-", input="x\n1\n2\n5\n")

    # Parquet files are read by the package, which says what it needs for that.
    (home / "x.parquet").write_bytes(b"PAR1")
    found = subprocess.run(
        [home / "bin/bootfold", "bootstrap", home / "x.parquet"], capture_output=True, text=True
    )
    assert found.returncode == 2 and "pip install 'bootfold[arrow]'" in found.stderr, found
    run(home / "bin/python", "-m", "pip", "install", "--quiet", "pyarrow", "duckdb")
    query = "select range as x from range(100)"
    run(home / "bin/python", "-c", WRITE, home / "x.parquet")
    for data in ([home / "x.parquet"], ["--sql", query]):
        assert "49.5" in run(home / "bin/bootfold", "bootstrap", *data, "--column", "x")
    print("the wheel is good:", wheel)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
