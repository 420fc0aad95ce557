"""Compiled functions: numba's cfunc, scipy.LowLevelCallable, ctypes. All threads call them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any

from bootfold import _core

_HELP = (
    "a compiled statistic is 'double (double *, intptr_t)': values and their number, or "
    "'double (double **, intptr_t, intptr_t)': columns, their number, rows; "
    "a 'void *' may follow for user data"
)
_WHOLE = r"(?:intptr_t|ssize_t|Py_ssize_t|npy_intp|int64_t|size_t|long|long long)"
_ONE = re.compile(rf"double \((?:const )?double \*, {_WHOLE}(, void \*)?\)")
_MANY = re.compile(rf"double \((?:const )?double \*\*, {_WHOLE}, {_WHOLE}(, void \*)?\)")


@dataclass(frozen=True, slots=True)
class Native:
    """An address, and what may be called there."""

    address: int
    columns: bool  #: gets all columns, not one
    takes_user_data: bool
    user_data: int
    name: str
    keep: Any  #: owns the code


def _checked(address: int, signature: str, user_data: int, name: str, keep: Any) -> Native:
    signature = re.sub(r"\s+", " ", signature).strip()
    for pattern, columns in ((_ONE, False), (_MANY, True)):
        match = pattern.fullmatch(signature)
        if match is not None:
            return Native(address, columns, match[1] is not None, user_data, name, keep)
    raise TypeError(f"statistic has the signature {signature!r}, but {_HELP}")


def _ctypes_signature(function: Any) -> str:
    import ctypes

    def word(kind: Any) -> str:
        pointer = ctypes.POINTER(ctypes.c_double)
        if kind is ctypes.c_double:
            return "double"
        if kind is pointer:
            return "double *"
        if kind is ctypes.POINTER(pointer):
            return "double **"
        if kind is ctypes.c_void_p:
            return "void *"
        if kind in (ctypes.c_int64, ctypes.c_ssize_t, ctypes.c_size_t, ctypes.c_uint64):
            return "int64_t"
        return getattr(kind, "__name__", str(kind))

    arguments = ", ".join(word(kind) for kind in function.argtypes or ())
    return f"{word(function.restype)} ({arguments})"


def native_of(statistic: Any) -> Native | None:
    """The compiled function that `statistic` is, or None."""
    module = type(statistic).__module__
    if module.startswith("scipy.") and hasattr(statistic, "user_data"):  # LowLevelCallable
        address, signature, user_data = _core.capsule_parts(tuple.__getitem__(statistic, 0))
        return _checked(address, signature, user_data, "compiled", statistic)
    name = getattr(statistic, "__name__", "compiled")
    if module.startswith("numba.") and hasattr(statistic, "address"):  # cfunc
        signature = _ctypes_signature(statistic.ctypes)
        return _checked(statistic.address, signature, 0, name, statistic)
    if "ctypes" in sys.modules:
        import ctypes

        if isinstance(statistic, ctypes._CFuncPtr):  # type: ignore[attr-defined]
            address = ctypes.cast(statistic, ctypes.c_void_p).value or 0
            return _checked(address, _ctypes_signature(statistic), 0, name, statistic)
    return None
