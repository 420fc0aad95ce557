"""The examples of docs/scale.md and examples/engines run, and print what they say."""

import doctest
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "scale.md").read_text(), re.DOTALL)


def run(*command, **options):
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, env=environment, **options
    )


def test_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = "\n\n".join(block for block in BLOCKS if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(examples, {}, "scale.md", "scale.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert runner.tries > 10 and runner.failures == 0


@pytest.mark.parametrize("package", ["pyspark", "ray"])
def test_page_programs(tmp_path, package):
    (tmp_path / "sales").mkdir()
    prices = np.random.default_rng(1).exponential(size=9_000)
    for number in range(3):
        rows = pd.DataFrame({"price": prices[number::3]})
        rows.to_parquet(tmp_path / "sales" / f"{number}.parquet")
    (program,) = [b for b in BLOCKS if re.match(rf"(from|import) {package}\b", b)]
    assert "import bootfold as bf" in program
    (tmp_path / "program.py").write_text(program)
    found = run("program.py", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert re.search(r"Interval\(low=0\.\d+", found.stdout)


@pytest.mark.parametrize("name", sorted(p.name for p in (ROOT / "examples/engines").glob("*.py")))
def test_example(tmp_path, name):
    found = run(str(ROOT / "examples" / "engines" / name), cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert "interval" in found.stdout
