"""Calls of `bootstrap`, `explain` and `compare` that a cluster serves."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from bootfold._dates import module_of
from bootfold._engines import Wanted, check_engine, collection_of, pool_of
from bootfold._expressions import columns_seen, has_expressions, texts_of

if TYPE_CHECKING:
    from bootfold._engines import Collection
    from bootfold._partitioned import Partitioned
    from bootfold._result import Result
    from bootfold.mpi import Together

Split: TypeAlias = Literal["rows", "replicates"]


class Replicated:
    """A bootstrap whose replicates are split over workers."""

    def __init__(self, rows: Collection | None, statistic: Any, options: dict[str, Any]) -> None:
        self._rows = rows
        self._statistic = statistic
        self._options = options

    def run(self) -> Result:
        """The result of `bootstrap`."""
        from bootfold._replicated import bootstrap_replicated

        options = self._options
        if self._rows is None:
            pool = pool_of(options["engine"])
            return bootstrap_replicated(pool, pool.put(options["data"]), self._statistic, options)
        with contextlib.closing(self._rows):
            all_columns = columns_seen(self._statistic, options["columns"]) is None
            handle = self._rows.gathered(None if all_columns else self._rows.used)
            return bootstrap_replicated(self._rows.pool, handle, self._statistic, options)

    def explain(self) -> Any:
        """Not available, because no process of the caller's has the rows."""
        raise ValueError(
            "split is 'replicates' but explain tells what is done with rows in partitions or in "
            "this process; omit split and engine, or explain some of the rows in memory"
        )


def distributed(options: dict[str, Any]) -> Partitioned | Replicated | Together | None:
    """What serves a call with these arguments; None: this process does.

    The values of an xarray object take its place in the arguments.
    """
    data, dim, split, engine = (options[name] for name in ("data", "dim", "split", "engine"))
    if type(data) is np.ndarray and engine is None and dim is None and split == "rows":
        return None
    if engine is not None and check_engine(engine) == "mpi":
        from bootfold.mpi import Together

        return Together(options)
    wanted = wanted_of(options)
    found = collection_of(options["data"], wanted, engine)
    for role in ("strata", "clusters"):
        if found is not None and isinstance(options[role], (list, tuple)):
            raise ValueError(
                f"{role} is {options[role]!r} but rows in a cluster have labels by one column; "
                "make one column of them"
            )
    if found is not None and split == "rows":
        from bootfold._partitioned import Partitioned

        return Partitioned(found, options["statistic"], options)
    if found is None and engine is None and split == "rows":
        return None
    if found is None and (engine is None or split == "rows"):
        raise ValueError(
            f"engine is {engine!r} and split is {split!r} but the data are in the memory of this "
            "process; give both, engine= and split='replicates', to send the rows to each worker, "
            "or none of them"
        )
    return Replicated(found, options["statistic"], options)


def wanted_of(options: dict[str, Any]) -> Wanted:
    """Which rows and columns a call uses; the values of an xarray object take its place."""
    data, dim, split = (options[name] for name in ("data", "dim", "split"))
    if split not in ("rows", "replicates"):
        raise ValueError(f"split is {split!r} but must be 'rows' or 'replicates'")
    if module_of(data) == "xarray":
        from bootfold._xarray import values_of

        options["data"], options["axis"] = values_of(data, dim, options["axis"])
    elif dim is not None:
        raise TypeError(
            f"dim is {dim!r} but the data are no DataArray or Dataset of xarray; arrays have axis="
        )
    roles = ("strata", "clusters", "probabilities", "weights", "frequencies")
    beside = tuple(options[role] for role in roles if isinstance(options[role], str))
    statistic = options["statistic"]
    if not has_expressions(statistic):
        return Wanted(options["columns"], beside, options["axis"])
    columns = columns_seen(statistic, options["columns"])
    return Wanted(columns, beside, options["axis"], tuple(texts_of(statistic)))
