"""The identity of functions in checkpoints: what changes it, and what does not."""

from __future__ import annotations

import functools
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from bootfold._identity import identity_of

SCALE = 2.0

MAKES = """
def f(x, power=2, *, scale=1.5):
    names = {'b', 'a', 'c'}
    inner = lambda y: y ** power
    return inner(x).sum() * scale if 'a' in {'b', 'a', 'c'} else names
"""


def made(source: str, name: str = "f", **values: Any) -> Any:
    space: dict[str, Any] = dict(values)
    exec(source, space)
    return space[name]


def test_the_same_source_has_one_identity() -> None:
    assert identity_of(made(MAKES)) == identity_of(made(MAKES))
    assert identity_of(made(MAKES)).startswith("f (code ")
    comment = MAKES.replace("names =", "# a comment\n    names =")
    assert identity_of(made(comment)) == identity_of(made(MAKES))


def test_processes_agree() -> None:
    program = f"from bootfold._identity import identity_of\n{MAKES}\nprint(identity_of(f))"
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("** power", "* power"),
        ("power=2", "power=3"),
        ("scale=1.5", "scale=1.25"),
        (".sum()", ".mean()"),
        ("'c'}\n", "'d'}\n"),
    ],
)
def test_changes_are_noticed(old: str, new: str) -> None:
    assert identity_of(made(MAKES)) != identity_of(made(MAKES.replace(old, new)))


def test_values_that_a_function_uses_count() -> None:
    source = "def f(x):\n    return x.sum() * SCALE"
    assert identity_of(made(source, SCALE=1.0)) != identity_of(made(source, SCALE=2.0))

    def of(value: Any) -> Any:
        return lambda x: x * value

    assert identity_of(of(1)) != identity_of(of(2))
    assert identity_of(of(np.arange(3))) != identity_of(of(np.arange(4)))
    assert identity_of(of([1, {"a": 2}])) != identity_of(of([1, {"a": 3}]))
    assert identity_of(of(of(1))) != identity_of(of(of(2)))
    assert identity_of(of(1), True) != identity_of(of(1), False)
    quantile = functools.partial(np.quantile, q=0.5)
    assert identity_of(quantile) == identity_of(functools.partial(np.quantile, q=0.5))
    assert identity_of(quantile) != identity_of(functools.partial(np.quantile, q=0.25))


def test_objects_that_are_called() -> None:
    class Model:
        def __init__(self, power: float) -> None:
            self.power = power
            self.itself = self

        def __call__(self, x: Any) -> Any:
            return x**self.power

    assert identity_of(Model(2)) == identity_of(Model(2))
    assert identity_of(Model(2)) != identity_of(Model(3))
    assert identity_of(Model(2).__call__) != identity_of(Model(3).__call__)
    assert identity_of(np.ptp) != identity_of(np.max)


def test_functions_that_call_themselves() -> None:
    def outer() -> Any:
        def down(x: Any) -> Any:
            return down(x - 1) if x > 0 else x

        return down

    assert identity_of(outer()) == identity_of(outer())
