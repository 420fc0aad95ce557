"""Rows in the partitions of a cluster: what Dask, Spark and Ray have in common.

An engine is a module with two functions: ``collection(data, wanted, engine)`` returns a
`Collection`, and ``pool(engine)`` a `Pool`. Its package is imported when it is used. Tasks are
functions of this package that workers import; all of them go through `guarded`.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import pickle
import sys
import traceback
from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from bootfold import _core
from bootfold._computed import inputs_of
from bootfold._data import column_names
from bootfold._dates import module_of
from bootfold._expressions import check_columns
from bootfold._function import noted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Tell = Callable[[float, float], object] | None

#: The modules of the engines, and the packages whose objects they serve.
_ENGINES = {
    "dask": ("dask", "distributed"),
    "spark": ("pyspark",),
    "ray": ("ray",),
    "mpi": ("mpi4py",),
}
#: Results that one task merges.
FAN_IN = 16

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Share:
    """What a task may use of its worker."""

    threads: int
    memory: int  #: in bytes; the rows of a gathered collection may take twice as much

    @staticmethod
    def of(threads: int, memory: int | None, tasks: int) -> Share:
        """With `memory` bytes for all tasks of the worker, or those that the process may use."""
        quarter = memory // 4 if memory else _core.default_memory()
        return Share(max(1, threads), max(1, quarter // max(1, tasks)))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows and columns of a collection a call uses."""

    columns: Any = None  #: as the user names them; None: all
    beside: tuple[str, ...] = ()  #: names of columns with another use: strata, weights, ...
    axis: int | None = None
    texts: tuple[str, ...] = ()  #: statistics that name the columns, for messages

    def names(self, there: Sequence[Any]) -> list[Any]:
        """Of the columns that a statistic sees, of a table with the columns `there`.

        Some may be expressions, which are computed from the columns of each partition.
        """
        seen = [name for name in there if name not in self.beside]
        if self.columns is not None:
            seen = column_names(self.columns)
        check_columns([*seen, *self.beside], there, self.texts)
        if self.axis is not None:
            raise TypeError(f"axis is {self.axis} but the data are a table; axis= is for arrays")
        return seen

    def row_axis(self, told: str, axes: int) -> int:
        """The axis along which the rows of an array lie; its columns have no names."""
        if self.columns is not None or self.beside:
            named = self.columns or self.beside[0]
            raise TypeError(f"{named!r} names a column, but {told} has no names of columns")
        axis = self.axis or 0
        if not -axes <= axis < axes:
            raise ValueError(f"axis is {axis} but the data have {axes} axes")
        if axes > 2 and self.axis is None:
            raise ValueError(
                f"data have {axes} axes but rows and columns are two; axis= says along which axis "
                "several data sets lie"
            )
        return axis % axes

    def used(self, there: Sequence[Any]) -> list[Any]:
        """Of all columns that a call reads."""
        return inputs_of([*self.names(there), *self.beside], there)


class Pool(ABC):
    """Workers that run tasks."""

    told: str  #: the name of the engine
    pickler: str | None  #: a module whose `dumps` takes functions of the user's; None: not needed
    maker = "task"  #: what makes a range of replicates, for messages
    tasks_for_slot = 2  #: ranges of replicates for each slot; a lost worker costs one of them
    shows_progress = True  #: whether this process shows how far the work is

    @abstractmethod
    def slots(self) -> int:
        """The number of tasks that run at the same time."""

    @abstractmethod
    def put(self, value: Any) -> Any:
        """A handle of the value, which is sent to each worker at most once."""

    @abstractmethod
    def spread(self, task: Task, handle: Any, arguments: Sequence[Any], tell: Tell) -> list[Any]:
        """task(value of the handle, argument, share) for each argument."""

    def one_seed(self, seed: int, fresh: bool) -> int:
        """The seed that all processes use that make this call; `fresh`: it is a random one."""
        return seed


class Collection(ABC):
    """Rows in partitions, in the order of the partitions."""

    told: str  #: what it is, for messages
    pool: Pool
    names: list[Any]  #: of the columns that a statistic sees; none of an array
    used: list[Any]  #: columns of a table that are read, from which some of `names` are computed
    width: int  #: number of these columns
    shape: tuple[int, ...]  #: of one number for each column
    moves = True  #: whether rows of several partitions can be put together in one task
    remedy = "split='replicates' serves it if all rows fit into the memory of one worker"

    @abstractmethod
    def fold(
        self, task: Task, shared: Any, groups: Sequence[range] | None, merge: Merge, tell: Tell
    ) -> Any:
        """Runs task(shared, pieces, number, share) for each group of partitions, and merges.

        Groups are of consecutive partitions and have all of them; None: each partition is one.
        Pieces are rows of a group in their order. `merge` gets results in the order of the groups.
        """

    def take_columns(self, wanted: Wanted, there: Sequence[Any]) -> list[Any]:
        """Sets what is known of a table with the columns `there`; returns those that are used."""
        self.names = wanted.names(there)
        self.width = len(self.names)
        self.shape = () if isinstance(wanted.columns, str) else (self.width,)
        self.used = wanted.used(there)
        return self.used

    def take_shape(self, shape: tuple[int, ...]) -> None:
        """Sets what is known of an array whose rows have this shape."""
        self.names, self.shape, self.width = [], shape, math.prod(shape)

    def close(self) -> None:
        """Gives back what the collection keeps between passes."""
        return

    @abstractmethod
    def gathered(self, columns: Sequence[str] | None) -> Any:
        """A handle of all rows, in one place for every worker; of the named columns if given."""

    @abstractmethod
    def local(self, columns: Sequence[str]) -> Any:
        """The named columns as a table in this process."""


if TYPE_CHECKING:
    Task = Callable[..., Any]
    Merge = Callable[[list[Any]], Any]


def _module_of(engine: Any) -> str | None:
    """The engine that a value belongs to: a collection, a client, a session, a module, a name."""
    if isinstance(engine, Pool):
        return type(engine).told.lower()
    if isinstance(engine, ModuleType):
        package = engine.__name__
    else:
        package = engine if isinstance(engine, str) else module_of(engine)
    for name, packages in _ENGINES.items():
        if package in packages or (isinstance(engine, str) and engine == name):
            return name
    return None


def check_engine(engine: Any) -> str | None:
    """The module that serves engine=."""
    found = None if engine is None else _module_of(engine)
    if engine is not None and found is None:
        raise TypeError(
            f"engine is {engine!r} but must be a client of Dask, a SparkSession, the module ray, "
            "a communicator of mpi4py, or one of 'dask', 'spark', 'ray', 'mpi'"
        )
    return found


def collection_of(data: Any, wanted: Wanted, engine: Any) -> Collection | None:
    """The rows of a cluster that a value stands for; None if they are in this process."""
    name = None if isinstance(data, (str, ModuleType)) else _module_of(data)
    asked = check_engine(engine)
    if name is None and asked == "mpi":
        name = asked
    if name is None:
        _check_tuple(data)
        return None
    if asked is not None and asked != name:
        raise TypeError(
            f"engine is {engine!r} but the data are of {module_of(data)}; omit engine, or give one "
            "of the same package"
        )
    module = importlib.import_module(f"bootfold.{name}")
    found = module.collection(data, wanted, None if engine == name else engine)
    assert found is None or isinstance(found, Collection)
    return found


def _check_tuple(data: Any) -> None:
    for value in data if isinstance(data, tuple) else ():
        if not isinstance(value, str) and _module_of(value) is not None:
            raise TypeError(
                f"data are a tuple with {type(value).__name__} of {module_of(value)} in it, but "
                "rows of a cluster are one collection; put the samples into one table, as columns"
            )


def pool_of(engine: Any) -> Pool:
    """The workers that engine= stands for."""
    name = check_engine(engine)
    assert name is not None
    with _installed(engine, name):
        found = importlib.import_module(f"bootfold.{name}").pool(None if engine == name else engine)
    assert isinstance(found, Pool)
    return found


@contextlib.contextmanager
def _installed(engine: Any, name: str) -> Iterator[None]:
    """Tells how to install what an engine needs."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(
            f"engine is {engine!r}, which needs {error.name}; install it with: "
            f"pip install 'bootfold[{name}]'"
        ) from error


@contextlib.contextmanager
def together(engine: Any, call: str, given: dict[str, Any]) -> Iterator[Any]:
    """A call with these arguments; the engine of it.

    Where every process of an engine makes the call, all of them raise what one of them raises.
    """
    if engine is None or check_engine(engine) != "mpi":
        yield engine
        return
    from bootfold._mpi_ranks import agreement

    with _installed(engine, "mpi"):
        importlib.import_module("mpi4py.MPI")
    with agreement(None if engine == "mpi" else engine, call, given) as ranks:
        yield ranks


@dataclass(frozen=True, slots=True)
class Failure:
    """What a task raised. It is the result of the task, so that no engine repeats the task."""

    error: BaseException

    @staticmethod
    def of(error: BaseException) -> Failure:
        """With the traceback as a note, if it ends in code that is not of this package."""
        frames = traceback.extract_tb(error.__traceback__)
        package = __file__.rpartition("/")[0]
        if frames and not frames[-1].filename.startswith(package):
            inner = [frame for frame in frames if not frame.filename.startswith(package)]
            noted(error, "on a worker:\n" + "".join(traceback.format_list(inner)).rstrip())
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return Failure(error)


def guarded(task: Callable[..., T], version: str, *arguments: Any) -> T | Failure:
    """Runs a task on a worker."""
    try:
        if version != _core.version:
            raise RuntimeError(
                f"a worker has version {_core.version} of bootfold, but the call is made by "
                f"version {version}; install the same version everywhere"
            )
        return task(*arguments)
    except Exception as error:
        return Failure.of(error)


def with_rows(task: Task, version: str, rows: Any, argument: Any, share: Share) -> Any:
    """Runs a task on rows that another task gathered."""
    return guarded(lambda: task(raised(rows), argument, share), version)


def merged(merge: Merge, items: Iterable[Any]) -> Any:
    """The merged results, or the first failure."""
    found = list(items)
    for item in found:
        if isinstance(item, Failure):
            return item
    try:
        return merge(found)
    except Exception as error:
        return Failure.of(error)


def raised(item: Any) -> Any:
    """The result of a task; raises what the task raised."""
    if isinstance(item, Failure):
        raise item.error from None
    return item


def grouped_blocks(blocks: Sequence[T], groups: Sequence[range] | None) -> list[Sequence[T]]:
    """The blocks of each group of partitions; None: each is a group."""
    given = groups or [range(place, place + 1) for place in range(len(blocks))]
    return [blocks[group.start : group.stop] for group in given]


def reduced(items: Sequence[T], join: Callable[[Sequence[T]], T]) -> T:
    """Joins some items, in groups of FAN_IN, until one is left."""
    while len(items) > 1:
        items = [join(items[first : first + FAN_IN]) for first in range(0, len(items), FAN_IN)]
    return items[0]


def tree(items: Sequence[Any], merge: Merge) -> Any:
    """Merges results in this process, in groups, so that large ones are not copied often."""
    return reduced(items, lambda group: merged(merge, group))


def bytes_of(piece: Any) -> int:
    """The memory of a piece of a partition."""
    if hasattr(piece, "memory_usage"):
        used = piece.memory_usage(deep=True)
        return int(used.sum() if hasattr(used, "sum") else used)
    return int(piece.nbytes) if hasattr(piece, "nbytes") else sys.getsizeof(piece)


def check_fits(pieces: Sequence[Any], share: Share) -> None:
    """Raises ValueError if rows are too many for the memory of a worker."""
    size = sum(map(bytes_of, pieces))
    limit = 2 * share.memory
    if size > limit:
        raise ValueError(
            f"the rows have {size:,} bytes, but a worker holds at most {limit:,} of them; "
            "split='rows' reads them where they are, or take a random part of the rows"
        )
