"""What Spark's Python workers run: tasks on Arrow batches, whose results are pickled."""

from __future__ import annotations

import bisect
import pickle
from typing import TYPE_CHECKING, Any

from bootfold._engines import Share, check_fits, guarded, merged, with_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bootfold._engines import Merge, Task


#: The columns of a table of results.
ITEMS = "number long, item binary"
BUNCH = 64  #: results that an executor merges
#: The columns of rows that are sent to several tasks.
COPIES = "target long, number long, item binary"
PIECE = 1 << 22  #: bytes of rows that travel together
GROUP, PLACE = "bootfold_group", "bootfold_place"


def _share(limits: tuple[int | None, int]) -> Share:
    """What a task may use; limits: memory of the executor's Python processes, tasks at a time."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return Share.of(1 if context is None else context.cpus(), *limits)


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def _batch(numbers: list[int], items: list[Any]) -> Any:
    import pyarrow as pa

    content = [pickle.dumps(item) for item in items]
    columns = [pa.array(numbers, pa.int64()), pa.array(content, pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["number", "item"])


def _tables(batches: Iterator[Any], limit: int) -> Iterator[Any]:
    """Batches as tables of about `limit` bytes."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
        if sum(one.nbytes for one in held) >= limit:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def leaf(
    task: Task, version: str, shared: Any, limits: Any, batches: Iterator[Any]
) -> Iterator[Any]:
    """The result for one partition."""
    share = _share(limits)
    number = _partition()
    pieces = _tables(batches, share.memory)
    yield _batch([number], [guarded(task, version, shared, pieces, number, share)])


def tagged(starts: list[int], batches: Iterator[Any]) -> Iterator[Any]:
    """Rows with the number of their group, and their place in the order of all rows."""
    import numpy as np
    import pyarrow as pa

    partition = _partition()
    group = bisect.bisect_right(starts, partition) - 1
    place = partition << 33
    for batch in batches:
        rows = batch.num_rows
        columns = [
            *batch.columns,
            pa.array(np.full(rows, group, np.int64)),
            pa.array(np.arange(place, place + rows)),
        ]
        place += rows
        yield pa.RecordBatch.from_arrays(columns, [*batch.schema.names, GROUP, PLACE])


def grouped_leaf(
    task: Task, version: str, shared: Any, limits: Any, batches: Iterator[Any]
) -> Iterator[Any]:
    """The results for groups of partitions that are small."""
    import pyarrow as pa
    import pyarrow.compute as pc

    held = [batch for batch in batches if batch.num_rows]
    if not held:
        return
    table = pa.Table.from_batches(held)
    for group in pc.unique(table[GROUP]).to_pylist():
        rows = table.filter(pc.equal(table[GROUP], group)).sort_by(PLACE)
        pieces = [rows.drop_columns([GROUP, PLACE])]
        yield _batch([group], [guarded(task, version, shared, pieces, group, _share(limits))])


def bunches(merge: Merge, batches: Iterator[Any]) -> Iterator[Any]:
    """Merges results, bunch by bunch."""
    found: dict[int, dict[int, bytes]] = {}
    for batch in batches:
        for number, item in zip(*(column.to_pylist() for column in batch.columns[:2]), strict=True):
            found.setdefault(number // BUNCH, {})[number] = item
    for items in found.values():
        ordered = [pickle.loads(items[number]) for number in sorted(items)]
        yield _batch([min(items)], [merged(merge, ordered)])


def copies(targets: list[int], batches: Iterator[Any]) -> Iterator[Any]:
    """The rows of a partition for each of the targets, in pieces that are small for Java."""
    import pyarrow as pa

    first = _partition() << 33
    for place, table in enumerate(_tables(batches, PIECE)):
        stream = pa.BufferOutputStream()
        with pa.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
        item = pa.array([stream.getvalue().to_pybytes()], pa.binary())
        for target in targets:
            columns = [pa.array([number], pa.int64()) for number in (target, first + place)]
            yield pa.RecordBatch.from_arrays([*columns, item], ["target", "number", "item"])


def _whole(batches: Iterator[Any], share: Share) -> Any:
    """All rows that `copies` sent, in their order."""
    import pyarrow as pa

    pieces: dict[int, Any] = {}
    for batch in batches:
        for number, item in zip(batch["number"].to_pylist(), batch["item"], strict=True):
            pieces[number] = pa.ipc.open_stream(item.as_buffer()).read_all()
            check_fits(list(pieces.values()), share)
    if not pieces:
        raise ValueError("data have no rows; a bootstrap needs at least one")
    return pa.concat_tables(pieces[number] for number in sorted(pieces)).to_pandas()


def runs_of_copies(
    task: Task, version: str, arguments: list[Any], tasks: int, limits: Any, batches: Iterator[Any]
) -> Iterator[Any]:
    """Results for some of the arguments, with all rows."""
    share = _share(limits)
    rows = guarded(_whole, version, batches, share)
    for number in range(_partition(), len(arguments), tasks):
        yield _batch([number], [with_rows(task, version, rows, arguments[number], share)])


def runs(
    task: Task, version: str, handle: Any, arguments: list[Any], limits: Any, batches: Iterator[Any]
) -> Iterator[Any]:
    """Results for the arguments whose numbers arrive."""
    rows = handle.value if hasattr(handle, "value") else handle
    for batch in batches:
        for number in batch.column(0).to_pylist():
            found = guarded(task, version, rows, arguments[number], _share(limits))
            yield _batch([number], [found])
