"""Examples of docstrings and of pages in docs/ run, and print what they say."""

import doctest
import importlib
import pathlib
import re

import pytest

import bootfold as bf

PACKAGE = pathlib.Path(bf.__file__).parent
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = sorted(path.stem for path in PACKAGE.glob("*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module("bootfold" if name == "__init__" else f"bootfold.{name}")
    assert doctest.testmod(module, optionflags=OPTIONS).failed == 0


@pytest.mark.parametrize("name", ["python.md", "estimators.md", "from-scipy.md", "shards.md"])
def test_pages(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / name).read_text()
    examples = "\n\n".join(re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL))
    assert ">>>" in examples
    test = doctest.DocTestParser().get_doctest(examples, {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(test)
    assert runner.failures == 0


def test_every_public_function_has_an_example_or_says_what_it_does():
    for name in bf.__all__:
        if name != "__version__":
            assert (getattr(bf, name).__doc__ or "").strip(), name
