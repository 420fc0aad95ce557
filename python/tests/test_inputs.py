"""Files, datasets, queries and iterators give the bits of the same numbers in NumPy arrays."""

import gc
import itertools
import pathlib

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import bootfold as bf
from bootfold._table_files import ParquetFiles
from bootfold._table_read import Limits, Wanted, bytes_of, in_memory, number_batches
from bootfold._table_source import table_source

ROWS = 7000
RNG = np.random.default_rng(1)
PRICE = RNG.normal(100, 20, size=ROWS)
UNITS = RNG.integers(1, 9, size=ROWS).astype(np.int32)
SHARE = RNG.random(ROWS).astype(np.float32)
SHOP = np.array(["north", "east", "west", "south"])[RNG.integers(0, 4, size=ROWS)]
CITY = np.arange(ROWS) // 35
TABLE = pa.table({"price": PRICE, "units": UNITS, "share": SHARE, "shop": SHOP, "city": CITY})
ENDS = [0, 1000, 1000, 2500, 6999, ROWS]  # an empty piece and one of a single row
PIECES = [TABLE.slice(first, last - first) for first, last in itertools.pairwise(ENDS)]
RUN = {"replicates": 60, "seed": 7}


def same(found, expected):
    np.testing.assert_array_equal(found.estimate, expected.estimate)
    np.testing.assert_array_equal(found.replicates, expected.replicates)
    assert found.plan.fingerprint == expected.plan.fingerprint


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("sales")
    for number, piece in enumerate(PIECES):
        pq.write_table(piece, found / f"part-{number}.parquet", row_group_size=700)
    pq.write_table(TABLE, found.parent / "all.parquet", row_group_size=1500)
    (found / "_SUCCESS").touch()
    return found


def batches():
    return iter(PIECES)


def matrices():
    """Two columns as matrices whose memory is used again."""
    buffer = np.empty((800, 2))
    for first in range(0, ROWS, 800):
        part = buffer[: min(800, ROWS - first)]
        part[:, 0] = PRICE[first : first + 800]
        part[:, 1] = UNITS[first : first + 800]
        yield part


KINDS = {
    "file": lambda folder: str(folder.parent / "all.parquet"),
    "path": lambda folder: folder.parent / "all.parquet",
    "pattern": lambda folder: str(folder / "*.parquet"),
    "folder": lambda folder: folder,
    "list": lambda folder: [str(file) for file in sorted(folder.glob("*.parquet"))],
    "dataset": lambda folder: ds.dataset(folder, format="parquet"),
    "scanner": lambda folder: ds.dataset(folder, format="parquet").scanner(batch_size=999),
    "reader": lambda folder: pa.RecordBatchReader.from_batches(
        TABLE.schema, [batch for piece in PIECES for batch in piece.to_batches()]
    ),
    "relation": lambda folder: duckdb.sql(f"select * from '{folder}/*.parquet'"),
    "sql": lambda folder: bf.sql(f"select * from '{folder}/*.parquet'"),
    "lazy": lambda folder: pl.scan_parquet(folder / "*.parquet"),
    "chunks of tables": lambda folder: bf.chunks(batches),
    "chunks of pandas": lambda folder: bf.chunks(lambda: (p.to_pandas() for p in PIECES)),
    "chunks of polars": lambda folder: bf.chunks(lambda: map(pl.from_arrow, PIECES)),
    "chunks of dictionaries": lambda folder: bf.chunks(
        lambda: ({name: p[name].to_numpy() for name in p.column_names} for p in PIECES)
    ),
    "generator": lambda folder: batches(),
    "table": lambda folder: TABLE,
    "polars": lambda folder: pl.from_arrow(TABLE),
    "pandas": lambda folder: TABLE.to_pandas(),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def test_one_column(kind, folder):
    given = KINDS[kind](folder)
    found = bf.bootstrap(given, "mean", columns="price", **RUN)
    assert isinstance(found.estimate, float)
    same(found, bf.bootstrap(PRICE, "mean", **RUN))


@pytest.mark.parametrize("statistic", ["median", "trimmed_mean:0.1"])
@pytest.mark.parametrize(("name", "values"), [("units", UNITS), ("share", SHARE), ("city", CITY)])
def test_columns_keep_their_type(kind, folder, statistic, name, values):
    found = bf.bootstrap(KINDS[kind](folder), statistic, columns=name, **RUN)
    same(found, bf.bootstrap(values, statistic, **RUN))


def test_several_columns(kind, folder):
    found = bf.bootstrap(KINDS[kind](folder), "correlation", columns=["units", "price"], **RUN)
    same(found, bf.bootstrap((UNITS, PRICE), "correlation", paired=True, **RUN))
    found = bf.bootstrap(KINDS[kind](folder), "mean", columns=["price"], **RUN)
    assert found.estimate.shape == (1,)


@pytest.mark.parametrize("roles", [{"strata": "shop"}, {"clusters": "city"}])
@pytest.mark.parametrize("numbers", [{}, {"weights": "share"}, {"frequencies": "units"}])
def test_names_of_columns(kind, folder, roles, numbers):
    own = {"shop": SHOP, "city": CITY, "share": SHARE, "units": UNITS}
    given = {role: own[name] for role, name in (roles | numbers).items()}
    found = bf.bootstrap(KINDS[kind](folder), "mean", columns="price", **roles, **numbers, **RUN)
    same(found, bf.bootstrap(PRICE, "mean", **given, **RUN))


def test_all_columns_but_those_that_are_named(kind, folder):
    given = KINDS[kind](folder)
    arguments = {"strata": "shop", "weights": "share", **RUN}
    found = bf.bootstrap(given, "mean", **arguments)
    assert found.outputs == [f"weighted_mean({name})" for name in ("price", "units", "city")]


def test_functions(kind, folder):
    data = bf.bootstrap(np.column_stack([PRICE, UNITS]), lambda t: t[:, 0] @ t[:, 1], **RUN)
    if kind not in ("pandas", "polars"):  # functions get a frame of these
        found = bf.bootstrap(
            KINDS[kind](folder), lambda t: t[:, 0] @ t[:, 1], columns=["price", "units"], **RUN
        )
        np.testing.assert_array_equal(found.replicates, data.replicates)
    counted = {"takes": "counts", **RUN}
    if kind not in ("pandas", "polars", "table"):
        same(
            bf.bootstrap(KINDS[kind](folder), lambda x, c: c @ x, columns="price", **counted),
            bf.bootstrap(PRICE, lambda x, c: c @ x, **counted),
        )


def test_compare(kind, folder):
    found = bf.compare(
        KINDS[kind](folder), value="price", by="shop", clusters="city", weights="share", **RUN
    )
    expected = bf.compare(
        {"price": PRICE, "shop": SHOP, "city": CITY, "share": SHARE},
        value="price",
        by="shop",
        clusters="city",
        weights="share",
        **RUN,
    )
    package = type(found).__module__.partition(".")[0]
    expected_package = (
        "builtins"
        if kind == "generator" or kind.startswith("chunks")
        else kind
        if kind in ("pandas", "polars")
        else "polars"
        if kind == "lazy"
        else "pyarrow"
    )
    assert (
        isinstance(found, dict) if expected_package == "builtins" else package == expected_package
    )
    for name, values in expected.items():
        assert (
            list(map(str, found[name])) == list(map(str, values))
            or [value.as_py() for value in found[name]] == values
        )


def test_explain(kind, folder):
    found = bf.explain(KINDS[kind](folder), "mean", columns="price", **RUN)
    assert found.fingerprint == bf.explain(PRICE, "mean", **RUN).fingerprint
    assert found.rows == ROWS


def test_sources_can_be_used_again(kind, folder):
    given = KINDS[kind](folder)
    if kind in ("reader", "generator"):
        bf.bootstrap(given, "mean", columns="price", **RUN)
        with pytest.raises(ValueError, match=r"no rows|no batches"):
            bf.bootstrap(given, "mean", columns="price", **RUN)
    else:
        for _ in range(2):
            same(
                bf.bootstrap(given, "mean", columns="price", **RUN),
                bf.bootstrap(PRICE, "mean", **RUN),
            )


def test_results_are_extended_without_another_pass(kind, folder):
    found = bf.bootstrap(KINDS[kind](folder), "mean", columns="price", **RUN).extend(40)
    expected = bf.bootstrap(PRICE, "mean", replicates=100, seed=7)
    same(found, expected)
    assert found.interval("bca").low == expected.interval("bca").low


def test_batches_of_numbers(kind, folder):
    """What an engine for tables larger than memory reads, as often as it needs to."""
    source = table_source(KINDS[kind](folder))
    if source is None:
        assert kind in ("table", "polars", "pandas")
        return
    assert source.names == TABLE.column_names
    for _ in range(2 if source.repeatable else 1):
        found = list(number_batches(source, ["units", "price"]))
        units, price = (
            np.concatenate([array for batch in found for array in batch[place]])
            for place in range(2)
        )
        np.testing.assert_array_equal(units, UNITS)
        np.testing.assert_array_equal(price, PRICE)
        assert source.rows in (None, ROWS) and bytes_of(source, ["units"]) in (None, 4 * ROWS)


def test_batches_of_few_rows_are_put_together():
    data = ({"x": PRICE[i : i + 1], "g": CITY[i : i + 1]} for i in range(ROWS))
    same(
        bf.bootstrap(data, "mean", columns="x", clusters="g", **RUN),
        bf.bootstrap(PRICE, "mean", clusters=CITY, **RUN),
    )
    mixed = [PRICE[:20_000], *np.array_split(UNITS, 50), PRICE[:100]]
    held = in_memory(table_source(iter(mixed)), Wanted([""]), Limits(10**9))
    np.testing.assert_array_equal(np.asarray(held.numbers[""]), np.concatenate(mixed))
    many = in_memory(
        table_source(iter(np.arange(10**5).reshape(-1, 1))), Wanted([""]), Limits(10**9)
    )
    assert len(many.numbers[""].chunks) < 10


@pytest.mark.parametrize("kind", ["i8", "u4", "f8", "U4", "M8[D]", "bool"])
def test_labels_of_every_type(kind, tmp_path):
    labels = (CITY % 11 * 1000).astype(kind) if kind != "bool" else CITY % 2 == 0
    pq.write_table(pa.table({"x": PRICE, "g": labels}), tmp_path / "t.parquet", row_group_size=999)
    expected = bf.bootstrap(PRICE, "mean", clusters=labels, **RUN)
    pieces = [{"x": PRICE[r], "g": labels[r]} for r in np.array_split(np.arange(ROWS), 6)]
    for data in (
        tmp_path / "t.parquet",
        bf.sql(f"select * from '{tmp_path}/t.parquet'"),
        pl.scan_parquet(tmp_path / "t.parquet"),
        iter(pieces),
        (pd.DataFrame(piece) for piece in pieces),
    ):
        same(bf.bootstrap(data, "mean", columns="x", clusters="g", **RUN), expected)


def test_only_the_columns_that_are_used_are_read(folder):
    class Counted(ParquetFiles):
        def batches(self, columns):
            asked.append(list(columns))
            for batch in super().batches(columns):
                assert batch.schema.names == list(columns)
                yield batch

    asked = []
    source = Counted([str(file) for file in sorted(folder.glob("*.parquet"))])
    bf.bootstrap(source, "mean", columns="price", **RUN)
    bf.bootstrap(source, "mean", columns="price", weights="share", strata="shop", **RUN)
    bf.compare(source, value="price", by="shop", **RUN)
    assert asked == [["price"], ["price", "share", "shop"], ["price", "shop"]]


@pytest.mark.parametrize("make", [bf.sql, duckdb.sql])
def test_duckdb_reads_only_the_columns_that_are_used(tmp_path, make):
    """The other column cannot be computed."""
    pq.write_table(TABLE, tmp_path / "t.parquet")
    query = make(f"select price, cast(shop as integer) as broken from '{tmp_path}/t.parquet'")
    same(bf.bootstrap(query, "mean", columns="price", **RUN), bf.bootstrap(PRICE, "mean", **RUN))
    with pytest.raises(ValueError, match=r"cannot be run.*north|Could not convert"):
        bf.bootstrap(query, "mean", columns="broken", **RUN)


def test_lazy_frames_read_only_the_columns_that_are_used():
    lazy = pl.from_arrow(TABLE).lazy().with_columns(broken=pl.col("shop").cast(pl.Int32))
    same(bf.bootstrap(lazy, "mean", columns="price", **RUN), bf.bootstrap(PRICE, "mean", **RUN))


def test_samples_of_a_tuple(folder):
    one, other = (str(folder / f"part-{number}.parquet") for number in (2, 0))

    def difference(x, y):
        return x[:, 0].mean() - y[:, 0].mean()

    paths = [bf.sql(f"select price from '{path}'") for path in (one, other)]
    found = bf.bootstrap(tuple(paths), difference, **RUN)
    expected = bf.bootstrap((PRICE[1000:2500, None], PRICE[:1000, None]), difference, **RUN)
    same(found, expected)
    with pytest.raises(TypeError, match="columns is 'price' but the data are a tuple"):
        bf.bootstrap((one, other), difference, columns="price")


class TestChunks:
    def test_one_axis_is_a_column(self):
        data = bf.chunks(lambda: np.array_split(PRICE, 9))
        for _ in range(2):
            found = bf.bootstrap(data, "mean", **RUN)
            assert isinstance(found.estimate, float)
            same(found, bf.bootstrap(PRICE, "mean", **RUN))

    def test_memory_that_is_used_again(self):
        expected = bf.bootstrap((PRICE, UNITS.astype(float)), "regression", paired=True, **RUN)
        for data in (bf.chunks(matrices), matrices()):
            same(bf.bootstrap(data, "regression", **RUN), expected)

    def test_names(self):
        found = bf.bootstrap(bf.chunks(matrices, names=["a", "b"]), "mean", **RUN)
        assert found.outputs == ["mean(a)", "mean(b)"]
        same(
            bf.bootstrap(bf.chunks(matrices, names=["a", "b"]), "mean", columns="a", **RUN),
            bf.bootstrap(PRICE, "mean", **RUN),
        )
        same(
            bf.bootstrap(bf.chunks(matrices), "mean", columns="1", **RUN),
            bf.bootstrap(PRICE, "mean", **RUN),
        )

    def test_structured_arrays(self):
        made = np.empty(ROWS, dtype=[("price", "f8"), ("units", "i4")])
        made["price"], made["units"] = PRICE, UNITS
        same(
            bf.bootstrap(
                bf.chunks(lambda: np.array_split(made, 3)), "mean", columns="units", **RUN
            ),
            bf.bootstrap(UNITS, "mean", **RUN),
        )

    def test_lists_and_series(self):
        for make in (np.ndarray.tolist, pd.Series, pl.Series, pa.array):
            data = (make(part) for part in np.array_split(PRICE, 4))
            same(bf.bootstrap(data, "mean", **RUN), bf.bootstrap(PRICE, "mean", **RUN))

    def test_the_same_iterator_twice(self):
        pieces = iter([PRICE, PRICE])
        data = bf.chunks(lambda: pieces)
        bf.bootstrap(data, "mean", **RUN)
        with pytest.raises(ValueError, match="the same iterator again"):
            bf.bootstrap(data, "mean", **RUN)

    @pytest.mark.parametrize(
        ("item", "message"),
        [
            (3.5, "batch 1 is the single value 3.5 but must be an array"),
            ("a", "batch 1 is a text"),
            (np.zeros((2, 2, 2)), "batch 1 has 3 axes"),
            (["a", "b"], "batch 1 are text"),
        ],
    )
    def test_what_is_no_batch(self, item, message):
        with pytest.raises((TypeError, ValueError), match=message):
            bf.bootstrap(iter([item]), "mean")

    def test_batches_that_differ(self):
        for second, message in (
            ({"a": [1.0]}, "batch 2 has no column 'b'.*its columns are a"),
            ({"a": [1.0], "b": [1.0, 2.0]}, "batch 2 have different numbers of rows: a 1, b 2"),
        ):
            with pytest.raises(ValueError, match=message):
                bf.bootstrap(iter([{"a": [1.0], "b": [2.0]}, second]), "mean")
        with pytest.raises(ValueError, match="batch 2 has 1 columns but there are 2 names"):
            bf.bootstrap(bf.chunks(lambda: [np.ones((3, 2)), np.ones((3, 1))], ["x", "y"]), "mean")

    def test_what_is_no_function(self):
        with pytest.raises(TypeError, match="factory is list_iterator but must be a function"):
            bf.chunks(iter([1]))
        with pytest.raises(TypeError, match="returns int but must return an iterator"):
            bf.chunks(lambda: 3)

    def test_errors_of_the_generator_are_passed_on(self):
        def broken():
            yield PRICE
            raise RuntimeError("the disk is gone")

        with pytest.raises(RuntimeError, match="the disk is gone"):
            bf.bootstrap(broken(), "mean")


class TestNpy:
    def test_arrays_are_mapped(self, tmp_path):
        for place, part in enumerate(np.array_split(PRICE, 3)):
            np.save(tmp_path / f"x{place}.npy", part)
        np.save(tmp_path / "x.npy", PRICE)
        expected = bf.bootstrap(PRICE, "mean", **RUN)
        same(bf.bootstrap(tmp_path / "x.npy", "mean", **RUN), expected)
        same(bf.bootstrap(str(tmp_path / "x[0-2].npy"), "mean", **RUN), expected)

    @pytest.mark.parametrize("order", ["C", "F"])
    def test_columns(self, tmp_path, order):
        np.save(tmp_path / "x.npy", np.array([PRICE, UNITS]).T.copy(order))
        expected = bf.bootstrap(np.column_stack([PRICE, UNITS]), "mean", **RUN)
        np.testing.assert_array_equal(
            bf.bootstrap(tmp_path / "x.npy", "mean", **RUN).replicates, expected.replicates
        )
        found = bf.bootstrap(tmp_path / "x.npy", "mean", columns="2", **RUN)
        same(found, bf.bootstrap(UNITS.astype(float), "mean", **RUN))

    def test_bad_files(self, tmp_path):
        (tmp_path / "x.npy").write_bytes(b"hello")
        with pytest.raises(ValueError, match=r"x\.npy cannot be read as an \.npy file"):
            bf.bootstrap(tmp_path / "x.npy", "mean")
        np.save(tmp_path / "a.npy", np.ones((3, 2)))
        np.save(tmp_path / "b.npy", np.ones((3, 4)))
        with pytest.raises(ValueError, match=r"a\.npy .*\(3, 2\) and .*b\.npy .*\(3, 4\)"):
            bf.bootstrap([tmp_path / "a.npy", tmp_path / "b.npy"], "mean")


def test_other_types_of_numbers(tmp_path):
    values = UNITS[:200].tolist()
    plain = pa.array(values)
    columns = [
        plain.cast(pa.decimal128(21, 2)),
        plain.cast(pa.float64()).cast(pa.float16()),
        plain.dictionary_encode(),
        plain.cast(pa.bool_()),
    ]
    table = pa.table({f"c{place}": column for place, column in enumerate(columns)})
    pq.write_table(table, tmp_path / "t.parquet")
    for place in range(3):
        found = bf.bootstrap(tmp_path / "t.parquet", "mean", columns=f"c{place}", **RUN)
        assert found.estimate == np.mean(values)
    assert bf.bootstrap(tmp_path / "t.parquet", "mean", columns="c3", **RUN).estimate == 1
    assert bf.bootstrap(bf.sql("select sum(range) as s from range(9)"), "mean").estimate == 36


def test_sql_sees_variables_and_connections(tmp_path):
    frame = pd.DataFrame({"price": PRICE})
    found = bf.bootstrap(bf.sql("select price from frame"), "mean", columns="price", **RUN)
    same(found, bf.bootstrap(frame["price"], "mean", **RUN))
    with duckdb.connect(str(tmp_path / "shop.db")) as connection:
        connection.execute("create table sales as select range::double as x from range(500)")
        query = bf.sql("select x from sales", connection=connection)
        same(
            bf.bootstrap(query, "mean", columns="x", **RUN),
            bf.bootstrap(np.arange(500.0), "mean", **RUN),
        )
    assert repr(bf.sql("select 1")) == "bootfold.sql('select 1')"


def test_estimates_agree_with_the_files_read_by_pandas(folder):
    frame = pd.concat(
        pd.read_parquet(file) for file in sorted(pathlib.Path(folder).glob("*.parq*"))
    )
    found = bf.bootstrap(folder, ["mean", "median"], columns="price", **RUN)
    np.testing.assert_allclose(found.estimate, [frame.price.mean(), frame.price.median()])


def test_one_column_of_five_is_in_memory_once(tmp_path):
    """As pyarrow has decoded it: no other column, nothing fetched ahead, and no copy."""
    rng = np.random.default_rng(1)
    table = pa.table({name: rng.normal(size=2_000_000) for name in "abcde"})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=250_000)
    del table
    before = pa.total_allocated_bytes()
    taken = []

    class Watched(ParquetFiles):
        def batches(self, columns):
            for batch in super().batches(columns):
                taken.append(pa.total_allocated_bytes() - before)
                yield batch

    held = in_memory(Watched([str(tmp_path / "t.parquet")]), Wanted(["c"]), Limits(10**9))
    assert held.rows == 2_000_000 and max(taken) < 24e6
    assert 16e6 <= pa.total_allocated_bytes() - before < 18e6
    del held
    gc.collect()
    assert pa.total_allocated_bytes() - before < 1e6
