"""Shards in Python: the bits of the whole, whatever the cut; values that travel."""

from __future__ import annotations

import doctest
import pickle

import numpy as np
import pytest

import bootfold as bf

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 50_000


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    rng = np.random.default_rng(3)
    x = rng.lognormal(size=ROWS)
    return np.column_stack([x, x + rng.normal(size=ROWS)])


def cut(data: np.ndarray, places: list[int]) -> list[tuple[int, np.ndarray]]:
    ends = [0, *sorted(places), len(data)]
    return [(a, data[a:b]) for a, b in zip(ends, ends[1:], strict=False)]


@pytest.mark.parametrize(
    ("statistic", "columns"),
    [
        ("mean", [0]),
        (["correlation", "ratio"], [0, 1]),
        ("median", [1]),
        (["quantile:0.1", "interquartile_range"], [0]),
        (np.var, [0]),
    ],
)
@pytest.mark.parametrize("places", [[], [20_000], [0, 1, 1, 4_097, 33_333]])
def test_shards_have_the_bits_of_the_whole(table, statistic, columns, places):
    data = table[:, columns[0]] if len(columns) == 1 else table[:, columns]
    pieces = cut(data, places)
    look = bf.shards.join(
        pickle.loads(pickle.dumps(bf.shards.look(piece, statistic))) for _, piece in pieces
    )
    assert look.rows == ROWS
    plan = bf.shards.plan(look, replicates=200, seed=5)
    there = pickle.loads(pickle.dumps(plan))
    parts = [
        pickle.loads(pickle.dumps(there.part(piece, first=first))) for first, piece in pieces[::-1]
    ]
    found = plan.finish(sum(parts))
    wanted = bf.bootstrap(data, statistic, replicates=200, seed=5)
    np.testing.assert_array_equal(found.replicates, wanted.replicates)
    np.testing.assert_array_equal(found.estimate, wanted.estimate)
    np.testing.assert_array_equal(found.interval("normal").low, wanted.interval("normal").low)


@pytest.fixture
def files(table, tmp_path) -> list[str]:
    """Three files: 20,000 rows, none, and the others."""
    whole = pa.table({"y": table[:, 1], "name": ["a"] * ROWS, "x": table[:, 0]})
    found = []
    for number, (first, last) in enumerate([(0, 20_000), (20_000, 20_000), (20_000, ROWS)]):
        found.append(str(tmp_path / f"{number}.parquet"))
        pq.write_table(whole.slice(first, last - first), found[-1], row_group_size=7_000)
    return found


KINDS = {
    "path": lambda path: path,
    "pattern": lambda path: path.replace(".parquet", ".parq*"),
    "dataset": lambda path: pytest.importorskip("pyarrow.dataset").dataset(path),
    "reader": lambda path: pq.read_table(path).to_reader(1_000),
    "pandas": lambda path: pq.read_table(path).to_pandas(),
    "polars": lambda path: pytest.importorskip("polars").read_parquet(path),
    "arrow": pq.read_table,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("statistic", "columns"), [("ratio", ["x", "y"]), ("median", "x")])
def test_shards_are_what_bootstrap_takes(table, files, kind, statistic, columns):
    looks = [bf.shards.look(KINDS[kind](file), statistic, columns=columns) for file in files]
    look = bf.shards.join(looks)
    plan = bf.shards.plan(look, replicates=50, seed=5)
    # The plan knows the columns, whatever else there is and in whatever order.
    first = np.cumsum([0, *(one.rows for one in looks)])
    found = plan.finish(
        sum(plan.part(KINDS[kind](f), first=n) for f, n in zip(files, first, strict=False))
    )
    data = table[:, 0] if columns == "x" else table
    wanted = bf.bootstrap(data, statistic, replicates=50, seed=5)
    np.testing.assert_array_equal(found.replicates, wanted.replicates)
    again = plan.part(KINDS[kind](files[0]), columns=columns)
    assert again.to_bytes() == plan.part(data[:20_000]).to_bytes()


def test_columns_that_a_shard_lacks_are_named(files):
    with pytest.raises(ValueError, match=r"0\.parquet has no column 'z'; the columns are y, name"):
        bf.shards.look(files[0], "mean", columns="z")
    with pytest.raises(TypeError, match="column 'name' is of type string but must be numbers"):
        bf.shards.look(files[0], "mean")
    with pytest.raises(TypeError, match="columns= is for files"):
        bf.shards.look(np.ones(3), "mean", columns="x")


def test_jobs_may_split_replicates(table):
    x = table[:, 0]
    plan = bf.shards.plan(bf.shards.look(x, "mean"), replicates=100, first_replicate=50, seed=1)
    early = plan.part(x, replicates=(50, 90))
    late = plan.part(x[:10], replicates=range(90, 150)) + plan.part(
        x[10:], first=10, replicates=range(90, 150)
    )
    found = plan.finish(late + early)
    whole = bf.bootstrap(x, "mean", replicates=150, seed=1)
    np.testing.assert_array_equal(found.replicates, whole.replicates[50:])


def test_few_distinct_rows_need_no_parts():
    x = np.arange(ROWS) % 2
    plan = bf.shards.plan(bf.shards.look(x, "mean"), replicates=1_000)
    assert not plan.needs_parts
    whole = bf.bootstrap(x, "mean", replicates=1_000)
    np.testing.assert_array_equal(plan.finish().replicates, whole.replicates)


def test_looks_merge_where_they_lie(table):
    x = table[:, 0]
    late = bf.shards.look(x[30_000:], "mean", first=30_000)
    look = late | bf.shards.look(x[:30_000], "mean")
    assert look.rows == ROWS
    assert repr(look) == "<Look at 50,000 rows for mean>"
    whole = bf.shards.look(x, "mean")
    assert look.to_bytes() == whole.to_bytes()


def test_mistakes_are_named(table):
    x = table[:, 0]
    plan = bf.shards.plan(bf.shards.look(x, "mean"), replicates=10)
    with pytest.raises(ValueError, match=r"rows 1 to 600 and rows 501 to 1,000 overlap"):
        plan.part(x[:600]) + plan.part(x[500:1000], first=500)
    with pytest.raises(ValueError, match=r"lack rows 101 to 50,000"):
        plan.finish(plan.part(x[:100]))
    with pytest.raises(ValueError, match="'iid' or 'poisson'"):
        bf.shards.plan(bf.shards.look(x, "mean"), scheme="cluster")
    with pytest.raises(TypeError, match="names such as 'mean'"):
        bf.shards.look(x, lambda resample: resample.mean())
    with pytest.raises(ValueError, match="trimmed means"):
        bf.shards.plan(bf.shards.look(x, "trimmed_mean:0.1"))
    with pytest.raises(ValueError, match="no looks"):
        bf.shards.join([])
    with pytest.raises(ValueError, match="fingerprint"):
        plan.finish(bf.shards.plan(bf.shards.look(x, "mean"), seed=1).part(x))
    damaged = bytearray(plan.to_bytes())
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises(ValueError, match="checksum"):
        bf.shards.Plan.from_bytes(bytes(damaged))


def test_the_examples_run():
    assert doctest.testmod(bf.shards).failed == 0
