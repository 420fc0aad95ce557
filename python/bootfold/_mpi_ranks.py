"""The ranks of a communicator of mpi4py, all of which make the same calls.

Whatever a rank raises inside of a call, all ranks raise: nothing is exchanged without asking first
whether all ranks got that far.
"""

from __future__ import annotations

import contextlib
import functools
import os
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from bootfold import _core
from bootfold._engines import Failure, Pool, Share, with_rows
from bootfold._function import noted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bootfold._engines import Task, Tell

#: Arguments of which every rank has its own.
_OWN = ("data", "engine", "threads", "memory", "spool", "progress")


def _share(comm: Any) -> Share:
    """Of this rank: the ranks of a machine divide its processors and its memory."""
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    allowed = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)
    users = Counter(cpu for rank in node.allgather(sorted(allowed)) for cpu in rank)
    tasks = node.Get_size()
    node.Free()
    return Share.of(int(sum(1 / users[cpu] for cpu in allowed) + 1e-6), None, tasks)


def _told(value: Any) -> str:
    """An argument, as it is compared with those of other ranks."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_told, value))}]"
    if isinstance(value, (str, bool, int, float, np.generic, type(None))):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, functools.partial):
        return f"partial {_told((value.func, value.args, list(value.keywords.items())))}"
    code = getattr(value, "__code__", None)
    if code is None:
        return f"<{getattr(value, '__qualname__', type(value).__qualname__)}>"
    # Not the values of names that it refers to, such as the rank.
    plain = [one for one in code.co_consts if isinstance(one, (str, int, float, type(None)))]
    found = zlib.crc32(code.co_code + repr((plain, code.co_names)).encode())
    return f"{value.__qualname__} (code {found:08x})"


def _on(rank: int, error: BaseException) -> BaseException:
    """The error with the rank that raised it."""
    if len(error.args) == 1 and str(error) == error.args[0]:
        error.args = (f"rank {rank}: {error.args[0]}",)
    elif isinstance(error, Exception):
        noted(error, f"bootfold: on rank {rank}")
    return error


class MpiPool(Pool):
    """The ranks of a communicator, all of which make the same calls."""

    told = "MPI"
    pickler = None
    maker = "rank"
    tasks_for_slot = 1

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI

        if not isinstance(comm, MPI.Intracomm) or comm == MPI.COMM_NULL:
            told = "MPI.COMM_NULL" if comm == MPI.COMM_NULL else type(comm).__name__
            raise TypeError(
                f"engine is {told} but must be an intracommunicator of mpi4py, such as "
                "MPI.COMM_WORLD"
            )
        self.comm = comm
        self.rank = comm.Get_rank()
        self.shows_progress = self.rank == 0
        self.over = False  #: whether all ranks raise, or cannot be reached
        self.share = _share(comm)

    def exchange(self, item: Any) -> list[Any]:
        """The items of all ranks; if some are failures, every rank raises the first."""
        self.over = True
        items: list[Any] = self.comm.allgather(item)
        failed = {rank: one for rank, one in enumerate(items) if isinstance(one, Failure)}
        for rank, failure in failed.items():
            alike = {(type(one.error), str(one.error)) for one in failed.values()}
            everywhere = len(failed) == len(items) and len(alike) == 1
            raise failure.error if everywhere else _on(rank, failure.error)
        self.over = False
        return items

    def compare(self, given: dict[str, Any]) -> None:
        """Raises ValueError if ranks have different arguments or versions of bootfold."""
        own = {name: _told(value) for name, value in given.items() if name not in _OWN}
        first, *others = self.exchange(own | {"version of bootfold": _core.version})
        for rank, other in enumerate(others, 1):
            for name in {**first, **other}:
                if first.get(name) != other.get(name):
                    self.over = True  # all ranks see it
                    raise ValueError(
                        f"rank {rank} has {name} {other.get(name)} but rank 0 has "
                        f"{first.get(name)}; all ranks must make the same call"
                    )

    def one_seed(self, seed: int, fresh: bool) -> int:
        """The seed of all ranks: that of rank 0 if it is a random one."""
        seeds = self.exchange(seed)
        for rank, other in enumerate(seeds):
            if other != seeds[0] and not fresh:
                self.over = True
                raise ValueError(
                    f"rank {rank} has seed {other} but rank 0 has {seeds[0]}; all ranks must draw "
                    "by the same seed"
                )
        return int(seeds[0])

    def slots(self) -> int:
        return int(self.comm.Get_size())

    def put(self, value: Any) -> Any:
        return value

    def spread(self, task: Task, handle: Any, arguments: Sequence[Any], tell: Tell) -> list[Any]:
        own: list[Any] = []
        for argument in arguments[self.rank :: self.slots()]:
            own.append(with_rows(task, _core.version, handle, argument, self.share))
            if tell is not None:
                tell(len(own), len(range(self.rank, len(arguments), self.slots())))
        failed = next((one for one in own if isinstance(one, Failure)), None)
        items = self.exchange(failed or own)
        size = len(items)
        return [items[place % size][place // size] for place in range(len(arguments))]


def pool(engine: Any) -> MpiPool:
    """The ranks of a communicator; those of MPI.COMM_WORLD unless given."""
    from mpi4py import MPI

    return (
        engine
        if isinstance(engine, MpiPool)
        else MpiPool(MPI.COMM_WORLD if engine is None else engine)
    )


@contextlib.contextmanager
def agreement(engine: Any, call: str, given: dict[str, Any]) -> Iterator[MpiPool]:
    """A call that all ranks make: what one of them raises in it, all raise."""
    found = pool(engine)
    try:
        found.compare({"call": call, **given})
        yield found
        found.exchange(None)
    except BaseException as error:
        if not found.over:
            try:
                found.exchange(Failure.of(error))
            except BaseException as told:
                if (type(told), str(told)) != (type(error), str(error)):
                    raise  # another rank's, or with the number of this rank
        raise
