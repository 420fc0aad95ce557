"""What identifies a function of the user in a checkpoint: its name and a hash of its code."""

from __future__ import annotations

import functools
import hashlib
import platform
import types
from typing import Any

import numpy as np

_SIMPLE = (type(None), bool, int, float, complex, str, bytes)


def identity_of(function: Any, *options: Any) -> str:
    """For example ``trimmed (code 1f0a9c3b5d7e2468, Python 3.12)``.

    The hash has the code of the function and of functions inside it, defaults, values that it has
    captured or that a partial or an object holds, and module-level numbers and texts that it names.
    Functions that it calls are known by their names only.
    """
    digest = _Digest()
    digest.add(function)
    digest.add(options)
    version = ".".join(platform.python_version_tuple()[:2])
    return f"{_name(function)} (code {digest.text()}, Python {version})"


def _name(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__qualname__", type(function).__qualname__))


class _Digest:
    """Hashes values one after the other, each with its type."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: set[int] = set()

    def text(self) -> str:
        return self._hash.hexdigest()[:16]

    def _put(self, *texts: Any) -> None:
        for one in texts:
            data = one if isinstance(one, bytes) else str(one).encode("utf-8", "surrogatepass")
            self._hash.update(len(data).to_bytes(8, "little") + data)

    def add(self, value: Any) -> None:
        if isinstance(value, _SIMPLE):
            self._put(type(value).__name__, repr(value))
        elif id(value) in self._seen:
            self._put("seen")  # a function that calls itself, a list that contains itself
        else:
            self._seen.add(id(value))
            self._add_structure(value)
            self._seen.discard(id(value))

    def _add_structure(self, value: Any) -> None:
        if isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, types.CodeType):
            self._add_code(value)
        elif isinstance(value, types.MethodType):
            self._put("method")
            self.add(value.__func__)
            self.add(value.__self__)
        elif isinstance(value, functools.partial):
            self._put("partial")
            for one in (value.func, value.args, value.keywords):
                self.add(one)
        elif isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
            self._put("array", value.dtype.str, value.shape, value.tobytes())
        elif isinstance(value, (list, tuple)):
            self._put(type(value).__name__, len(value))
            for one in value:
                self.add(one)
        elif isinstance(value, (set, frozenset)):
            self._put("set", *sorted(map(repr, value)))
        elif isinstance(value, dict):
            self._put("dict", len(value))
            for key, one in value.items():
                self.add(key)
                self.add(one)
        else:
            self._add_object(value)

    def _add_function(self, function: types.FunctionType) -> None:
        self._put("function", function.__qualname__)
        self._add_code(function.__code__)
        self.add(function.__defaults__)
        self.add(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            try:
                self.add(cell.cell_contents)
            except ValueError:  # nothing is in it yet
                self._put("empty")
        for name in function.__code__.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, _SIMPLE) and value is not None:
                self._put(name)
                self.add(value)

    def _add_code(self, code: types.CodeType) -> None:
        self._put("code", code.co_code, code.co_names, code.co_varnames, code.co_freevars)
        self._put(code.co_argcount, code.co_kwonlyargcount, code.co_flags)
        for constant in code.co_consts:
            self.add(constant)

    def _add_object(self, value: Any) -> None:
        """A class, a function in C, or an object: its type, the code that is called, its values."""
        kind = value if isinstance(value, type) else type(value)
        name = getattr(value, "__qualname__", getattr(value, "__name__", ""))
        self._put("object", kind.__module__, kind.__qualname__, name)
        call = getattr(kind, "__call__", None)
        if not isinstance(value, type) and isinstance(call, types.FunctionType):
            self.add(call)
        values = getattr(value, "__dict__", None)
        if isinstance(values, dict) and not isinstance(value, types.ModuleType):
            self.add(values)
