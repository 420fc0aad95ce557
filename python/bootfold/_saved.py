"""Files that objects of the library save, as bytes: for pickles, and for other processes."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_NAME = "saved.safetensors"


def content_of(saved: Any) -> bytes:
    """The file that ``saved.save(path)`` writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, _NAME)
        saved.save(path)
        with open(path, "rb") as file:
            return file.read()


def object_of(content: bytes, load: Callable[[str], T]) -> T:
    """What ``load(path)`` reads from such a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, _NAME)
        with open(path, "wb") as file:
            file.write(content)
        return load(path)
