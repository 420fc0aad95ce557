"""Names that somebody may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


def columns_told(name: Any, there: Iterable[Any]) -> str:
    """What follows the message that there is no column of this name: those that there are."""
    known = [str(one) for one in there]
    near = difflib.get_close_matches(str(name), known, n=1)
    meant = f"; did you mean {near[0]!r}? The columns are " if near else "; the columns are "
    return meant + ", ".join(known)
