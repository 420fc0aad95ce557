"""Our halves of docs/from-jax.md run. (JAX's are run by bench/from_jax.py, which needs JAX.)"""

import importlib.util
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("from_jax", ROOT / "bench" / "from_jax.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_recipe_has_both_halves(script):
    names = script.blocks(script.PAGE.read_text())
    assert set(names) == {f"{who}_{recipe}" for who in ("jax", "our") for recipe in script.RECIPES}
    for name, code in names.items():
        compile(code, name, "exec")
    assert script.PLACE.search(script.PAGE.read_text())


@pytest.mark.parametrize("recipe", ["bootstrap", "devices"])
def test_our_bootstraps(script, recipe):
    x = np.random.default_rng(1).normal(5.0, 1.0, size=1000).astype(np.float32)
    low, high = script.function(f"our_{recipe}")(x, 2000)
    # 95 % of a mean of 1000: -+ 1.96 / sqrt(1000), here to a tenth of that.
    assert low == pytest.approx(x.mean() - 0.062, abs=0.0062)
    assert high == pytest.approx(x.mean() + 0.062, abs=0.0062)


def test_our_counts(script):
    pytest.importorskip("jax")
    source = np.random.default_rng(1)
    x = source.normal(5.0, 1.0, size=1000).astype(np.float32)
    y = (x + source.normal(size=1000)).astype(np.float32)
    low, high = script.function("our_counts")(x, y, 2000)
    slope = np.polyfit(x, y, 1)[0]
    # The standard error of the slope is 1 / sqrt(1000); a tenth of the width is allowed.
    assert low == pytest.approx(slope - 0.062, abs=0.012)
    assert high == pytest.approx(slope + 0.062, abs=0.012)


def test_our_ensemble(script):
    x = np.random.default_rng(1).normal(size=(100, 2)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.int32)
    said = script.function("our_ensemble")(x, y, 5, 300)
    assert said.shape == (100, 2) and ((said[:, 1] > 0.5) == y).mean() > 0.9
