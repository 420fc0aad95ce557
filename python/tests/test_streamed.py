"""Files larger than the memory limit are added up batch by batch, to the bits of NumPy arrays."""

from __future__ import annotations

import glob
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
        rows = whole.slice(first, 1_100_000)
        pq.write_table(rows, folder / f"{number}.parquet", use_dictionary=False, compression="none")
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
    wanted = bf.bootstrap(data, statistic, replicates=5, seed=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", bf.SpoolWarning)  # nothing is written to disk
        found = bf.bootstrap(files, statistic, columns=columns, replicates=5, seed=2, memory=MEMORY)
    np.testing.assert_array_equal(found.replicates, wanted.replicates)
    np.testing.assert_array_equal(found.estimate, wanted.estimate)
    assert np.shape(found.estimate) == np.shape(wanted.estimate)


def pieces(table, columns, rows=190_000):
    """Batches: dictionaries, or arrays where one column is named."""
    for first in range(0, ROWS, rows):
        taken = slice(first, first + rows)
        if isinstance(columns, str):
            yield table[columns][taken]
        else:
            yield {name: table[name][taken] for name in columns}


def streams_of_unknown_length(table, files, kind):
    """A column "price" as sources that do not know their rows before they are read."""
    dataset = pytest.importorskip("pyarrow.dataset")
    if kind == "chunks of a vector":
        return bf.chunks(lambda: pieces(table, "price")), None
    if kind == "chunks of tables":
        return bf.chunks(lambda: pieces(table, ["units", "price"])), "price"
    return dataset.dataset(sorted(glob.glob(files))), "price"


@pytest.mark.parametrize("kind", ["chunks of a vector", "chunks of tables", "dataset"])
@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_streams_of_unknown_length_have_the_bits_of_arrays(table, files, kind, statistic):
    data, columns = streams_of_unknown_length(table, files, kind)
    run = {"columns": columns, "replicates": 20, "seed": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("error", bf.SpoolWarning)  # nothing is written to disk
        found = bf.bootstrap(data, statistic, memory=MEMORY, **run)
        plan = bf.explain(data, statistic, memory=MEMORY, **run)
    wanted = bf.bootstrap(table["price"], statistic, replicates=20, seed=2)
    np.testing.assert_array_equal(found.replicates, wanted.replicates)
    assert found.estimate == wanted.estimate
    assert found.plan.fingerprint == plan.fingerprint == wanted.plan.fingerprint
    assert "2 of all rows, the first one to look" in str(plan)


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("column", ["price", "units"])
def test_a_thousand_chunks_have_the_bits_of_the_whole(table, statistic, column):
    """Cuts anywhere, also within super-blocks; a tenth of the chunks are empty."""
    x = table[column].astype(float)  # of the units few are distinct
    cuts = np.random.default_rng(4).integers(0, ROWS, 900)
    cuts = np.sort(np.concatenate([cuts, cuts[:99]]))
    wanted = bf.bootstrap(x, statistic, replicates=10, seed=2)
    data = bf.chunks(lambda: np.split(x, cuts))
    with warnings.catch_warnings():
        warnings.simplefilter("error", bf.SpoolWarning)
        found = bf.bootstrap(data, statistic, replicates=10, seed=2, memory=MEMORY)
    np.testing.assert_array_equal(found.replicates, wanted.replicates)
    assert found.plan.fingerprint == wanted.plan.fingerprint
    few = bf.chunks(lambda: np.split(x[:500], np.sort(cuts % 501)))
    np.testing.assert_array_equal(
        bf.bootstrap(few, statistic, replicates=10).replicates,
        bf.bootstrap(x[:500], statistic, replicates=10).replicates,
    )


def test_streams_of_unknown_length_that_fit_keep_every_feature(table):
    few = table["price"][:5_000]
    data = bf.chunks(lambda: np.array_split(few, 9))
    found = bf.bootstrap(data, "mean", replicates=200, seed=2).extend(100)
    wanted = bf.bootstrap(few, "mean", replicates=300, seed=2)
    np.testing.assert_array_equal(found.replicates, wanted.replicates)
    assert found.interval("bca") == wanted.interval("bca")


def test_what_is_read_once_is_spooled(table):
    with pytest.warns(bf.SpoolWarning):
        found = bf.bootstrap(pieces(table, "price"), "mean", replicates=5, memory=MEMORY)
    wanted = bf.bootstrap(table["price"], "mean", replicates=5)
    np.testing.assert_array_equal(found.replicates, wanted.replicates)


def test_functions_that_cannot_make_the_rows_again_are_named(table):
    once = pieces(table, "price")
    with pytest.raises(ValueError, match=r"bf\.chunks gave batches .* and none now"):
        bf.bootstrap(bf.chunks(lambda: (x for x in once)), "mean", memory=MEMORY)


def test_the_plan_tells_the_number_of_reads(files):
    plan = bf.explain(files, "mean", columns="price", replicates=20, memory=MEMORY)
    assert "2 of all rows, the first one to look" in str(plan)


def test_progress_is_reported_and_grows(files):
    seen: list[float] = []
    bf.bootstrap(
        files,
        "mean",
        columns="price",
        replicates=40,
        memory=MEMORY,
        progress=lambda done, total: seen.append(done / total),
    )
    assert seen == sorted(seen)


def test_small_resamples_look_rows_up_and_are_spooled(table, files):
    run = {"replicates": 20, "seed": 2, "size": 1_000}
    with pytest.warns(bf.SpoolWarning):
        found = bf.bootstrap(files, "mean", columns="price", memory="20M", **run)
    wanted = bf.bootstrap(table["price"], "mean", **run)
    np.testing.assert_array_equal(found.replicates, wanted.replicates)


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
    pq.write_table(pa.table({"x": x}), tmp_path / "x.parquet", use_dictionary=False)
    with pytest.raises(ValueError, match=r"row 2345678 is nan"):
        bf.bootstrap(tmp_path / "x.parquet", "mean", memory=MEMORY, replicates=10)


def test_errors_of_a_batch_reach_the_caller(files, monkeypatch):
    from bootfold import _streamed

    def broken(source, columns):
        yield from ()
        raise OSError("the disk was pulled out")

    monkeypatch.setattr(_streamed, "number_batches", broken)
    with pytest.raises(OSError, match="pulled out"):
        bf.bootstrap(files, "mean", columns="price", memory=MEMORY, replicates=10)
