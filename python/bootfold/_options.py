"""Arguments that are plain numbers, checked: what a call means by seed=, memory=, replicates=."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeAlias

import numpy as np

from bootfold import _core

if TYPE_CHECKING:
    from collections.abc import Callable

Seed: TypeAlias = "int | np.integer[Any] | np.random.Generator | np.random.SeedSequence | None"
Replicates: TypeAlias = "int | Literal['auto', 'exact']"
Progress: TypeAlias = "bool | Callable[[float, float], object]"

_LARGEST_SEED = 2**64 - 1
_MOST = 2**63 - 1


def checkpoint_path(checkpoint: str | os.PathLike[str] | None) -> str:
    """The file of a checkpoint; empty if there is none."""
    if checkpoint is None:
        return ""
    path = os.fspath(checkpoint)
    if not isinstance(path, str) or not path:
        raise TypeError(f"checkpoint is {checkpoint!r} but must be the name of a file, or None")
    return path


def whole_number(name: str, value: Any, least: int) -> int:
    """An integer of at least `least`; 1e6 is one, 1.5 and True are not."""
    if type(value) is int:  # by far the most common
        number = value
    elif isinstance(value, (bool, np.bool_, str, bytes)):
        raise TypeError(f"{name} is {value!r} but must be a whole number")
    elif isinstance(value, (float, np.floating)):
        if not float(value).is_integer():
            raise ValueError(f"{name} is {value!r} but must be a whole number")
        number = int(value)
    elif isinstance(value, SupportsIndex):
        number = value.__index__()
    else:
        raise TypeError(f"{name} is {value!r} but must be a whole number")
    if number < least:
        raise ValueError(f"{name} is {number} but must be at least {least}")
    if number > _MOST:
        raise ValueError(f"{name} is {number} but must be at most 2**63 - 1")
    return number


def seed_number(seed: Seed) -> int:
    """The 64-bit number that a seed stands for; None: a fresh one."""
    if type(seed) is int:
        number = seed
    elif seed is None:
        return int.from_bytes(os.urandom(8), "little")
    elif isinstance(seed, np.random.Generator):
        return int(seed.integers(0, _LARGEST_SEED, dtype=np.uint64, endpoint=True))
    elif isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1, dtype=np.uint64)[0])
    elif isinstance(seed, (bool, np.bool_, float, str, bytes)) or not isinstance(
        seed, SupportsIndex
    ):
        raise TypeError(
            f"seed is {seed!r} but must be a whole number, a numpy.random.Generator, "
            "a SeedSequence, or None for a fresh one"
        )
    else:
        number = seed.__index__()
    if not 0 <= number <= _LARGEST_SEED:
        raise ValueError(f"seed is {number} but must be from 0 to 2**64 - 1")
    return number


def thread_number(threads: Any) -> int:
    """0, for all cores, where it is not given."""
    return 0 if threads is None else whole_number("threads", threads, 1)


def memory_bytes(memory: Any) -> int:
    """Bytes of 64_000_000, "64M", "64MB" or "1GiB"; 0 stands for the library's own default."""
    if memory is None:
        return 0
    if isinstance(memory, str):
        return _core.parse_bytes(memory)
    return whole_number("memory", memory, 1)


def number_of_replicates(
    replicates: Any, *, jackknife: bool = False
) -> int | Literal["auto", "exact"]:
    """A number of at least 1, 10,000 unless given, or one of the two words."""
    if replicates is None:
        return 10_000
    if isinstance(replicates, str):
        if replicates == "auto" or replicates == "exact":
            return replicates  # type: ignore[return-value]
        raise ValueError(
            f"replicates is {replicates!r} but must be a whole number, 'auto' or 'exact'"
        )
    number = whole_number("replicates", replicates, 1)
    if jackknife:
        raise ValueError(
            f"replicates is {number} but a jackknife leaves out every row (or cluster) once, so it "
            "has as many replicates as rows (clusters); omit replicates"
        )
    return number


def precision_number(precision: Any, replicates: object) -> float:
    """The precision that replicates="auto" is to reach."""
    if replicates != "auto":
        if precision is not None:
            raise ValueError(
                f"precision is {precision!r} but it is for replicates='auto'; leave one of them out"
            )
        return 0.0
    return 0.01 if precision is None else float(precision)
