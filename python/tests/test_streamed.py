"""Files larger than the memory limit are added up batch by batch, to the bits of NumPy arrays."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bootfold as bf

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 3_000_000
MEMORY = "16M"


@pytest.fixture(scope="module")
def table() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.lognormal(size=ROWS)
    return {"price": x, "units": rng.integers(0, 9, ROWS).astype(np.int32), "cost": x + 1}


@pytest.fixture(scope="module")
def files(table, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("sales")
    whole = pa.table(table)
    for number, first in enumerate(range(0, ROWS, 1_100_000)):
        pq.write_table(whole.slice(first, 1_100_000), folder / f"{number}.parquet")
    return str(folder / "*.parquet")


@pytest.mark.parametrize(
    ("statistic", "columns"),
    [
        ("mean", "price"),
        (["mean", "variance"], "price"),
        ("correlation", ["price", "cost"]),
        ("mean", ["price", "cost"]),
        ("median", "cost"),
        (np.mean, ["cost"]),
    ],
)
def test_streams_have_the_bits_of_arrays(table, files, statistic, columns):
    arrays = table[columns] if isinstance(columns, str) else None
    data = np.column_stack([table[c] for c in columns]) if arrays is None else arrays
    wanted = bf.bootstrap(data, statistic, replicates=20, seed=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", bf.SpoolWarning)  # nothing is written to disk
        found = bf.bootstrap(
            files, statistic, columns=columns, replicates=20, seed=2, memory=MEMORY
        )
    np.testing.assert_array_equal(found.replicates, wanted.replicates)
    np.testing.assert_array_equal(found.estimate, wanted.estimate)
    assert np.shape(found.estimate) == np.shape(wanted.estimate)


def test_the_plan_tells_the_number_of_reads(files):
    plan = bf.explain(files, "mean", columns="price", replicates=20, memory=MEMORY)
    assert "2 of all rows, the first one to look" in str(plan)


def test_progress_is_reported_and_grows(files):
    seen: list[float] = []
    bf.bootstrap(
        files,
        "mean",
        columns="price",
        replicates=200,
        memory=MEMORY,
        progress=lambda done, total: seen.append(done / total),
    )
    assert seen == sorted(seen)


def test_what_needs_all_rows_is_spooled(files):
    with pytest.warns(bf.SpoolWarning):
        found = bf.bootstrap(
            files, "mean", columns="price", replicates=1_000, memory="20M", interval="bca"
        )
    low, high = found.interval()
    assert low < found.estimate < high


def test_nan_is_named_by_its_row_in_the_whole(table, tmp_path):
    x = table["price"].copy()
    x[2_345_678] = np.nan
    pq.write_table(pa.table({"x": x}), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"row 2345679 is nan"):
        bf.bootstrap(tmp_path / "x.parquet", "mean", memory=MEMORY, replicates=10)


def test_errors_of_a_batch_reach_the_caller(files, monkeypatch):
    from bootfold import _streamed

    def broken(source, columns):
        yield from ()
        raise OSError("the disk was pulled out")

    monkeypatch.setattr(_streamed, "number_batches", broken)
    with pytest.raises(OSError, match="pulled out"):
        bf.bootstrap(files, "mean", columns="price", memory=MEMORY, replicates=10)
