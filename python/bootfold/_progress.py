"""How far the work is: a bar of tqdm, or a function of the user's."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bootfold._options import Progress


class _Line:
    """What shows how far the work is where there is no tqdm."""

    def __call__(self, done: float, total: float) -> None:
        print(f"\rbootfold: {100 * done / total:3.0f} %", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print(file=sys.stderr)


class _Bar:
    def __init__(self, tqdm: Any, total: int, unit: str) -> None:
        self.bar = tqdm(total=total, unit=f" {unit}", unit_scale=True, leave=False)

    def __call__(self, done: float, total: float) -> None:
        self.bar.update(int(self.bar.total * done / total) - self.bar.n)

    def close(self) -> None:
        self.bar.close()


@contextlib.contextmanager
def reporter(
    progress: Progress, total: int, unit: str = "replicates"
) -> Iterator[Callable[[float, float], Any] | None]:
    """A function of (done, total), or None if nobody wants to know."""
    if callable(progress):
        yield progress
        return
    if not progress:
        yield None
        return
    shown: _Bar | _Line
    try:
        from tqdm.auto import tqdm

        shown = _Bar(tqdm, total, unit)
    except ImportError:
        shown = _Line()
    try:
        yield shown
    finally:
        shown.close()


def stage(tell: Any, number: int, count: int) -> Any:
    """Progress of one of several stages of the work."""
    if tell is None:
        return None
    return lambda done, total: tell(number * total + done, count * total)
