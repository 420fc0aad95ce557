"""Shards in Python: the bits of the whole, whatever the cut; values that travel."""

from __future__ import annotations

import doctest
import itertools
import os
import pickle
import subprocess

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
    return [(a, data[a:b]) for a, b in itertools.pairwise(ends)]


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


def program(*words: object) -> None:
    command = [os.environ["BOOTFOLD_PROGRAM"], *map(str, words)]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("program_is_first", [True, False])
@pytest.mark.parametrize("planned_by_program", [True, False])
def test_looks_of_the_program_and_of_python_merge(
    table, tmp_path, program_is_first, planned_by_program
):
    """The program looks at one half, a text file, and Python at the other."""
    half = ROWS // 2
    own, other = slice(0, half), slice(half, ROWS)
    if program_is_first:
        own, other = other, own
    lines = [f"{x!r};{y!r}" for x, y in table[other].tolist()]
    (tmp_path / "a.csv").write_text("\n".join(["x;y", *lines]))
    text = (tmp_path / "a.csv", "--delimiter", ";")
    what = ("--column", "y", "--statistic", "median")
    program("look", *text, *what, "--output", tmp_path / "a.look")
    rows = pa.table({"y": table[own, 1]})
    (tmp_path / "b.look").write_bytes(bf.shards.look(rows, "median").to_bytes())
    looks = [tmp_path / name for name in ("a.look", "b.look")]
    if not program_is_first:
        looks.reverse()
    file = tmp_path / "p.plan"
    if planned_by_program:
        program("plan", *looks, "--replicates", 50, "--seed", 3, "--quiet", "--output", file)
        plan = bf.shards.Plan.from_bytes(file.read_bytes())
    else:
        look = bf.shards.join(bf.shards.Look.from_bytes(one.read_bytes()) for one in looks)
        plan = bf.shards.plan(look, replicates=50, seed=3)
        file.write_bytes(plan.to_bytes())
    # The plan knows how the program reads its file.
    program(
        *("part", file, tmp_path / "a.csv", "--first", other.start),
        *("--quiet", "--output", tmp_path / "a.part"),
    )
    (tmp_path / "b.part").write_bytes(plan.part(rows, first=own.start).to_bytes())
    wanted = bf.bootstrap(table[:, 1], "median", replicates=50, seed=3)
    parts = [tmp_path / "a.part", tmp_path / "b.part"]
    found = plan.finish(sum(bf.shards.Part.from_bytes(part.read_bytes()) for part in parts))
    np.testing.assert_array_equal(found.replicates, wanted.replicates)
    program("merge", file, *parts, "--quiet", "--output", tmp_path / "m.safetensors")
    np.testing.assert_array_equal(bf.load(tmp_path / "m.safetensors").replicates, wanted.replicates)


def test_the_program_finds_the_columns_of_plans_made_in_python(table, tmp_path):
    lines = [f"{x!r},{y!r},text" for x, y in table[:9_000].tolist()]
    (tmp_path / "a.csv").write_text("\n".join(["x,y,name", *lines]))
    plan = bf.shards.plan(bf.shards.look(pa.table({"y": table[:9_000, 1]}), "mean"), replicates=50)
    (tmp_path / "p.plan").write_bytes(plan.to_bytes())
    words = ("--first", 0, "--quiet", "--output", tmp_path / "a.part")
    program("part", tmp_path / "p.plan", tmp_path / "a.csv", *words)
    found = plan.finish(bf.shards.Part.from_bytes((tmp_path / "a.part").read_bytes()))
    wanted = bf.bootstrap(table[:9_000, 1], "mean", replicates=50)
    np.testing.assert_array_equal(found.replicates, wanted.replicates)


def test_rows_and_replicates_of_parts_count_from_0(table):
    plan = bf.shards.plan(bf.shards.look(table[:, 0], "mean"), replicates=40)
    part = plan.part(table[:9_000, 0], first=0, replicates=(0, 20))
    assert repr(part) == "<Part: rows 0 to 8,999, replicates 0 to 19>"
    late = plan.part(table[9_000:, 0], first=9_000, replicates=(20, 40))
    assert repr(late) == "<Part: rows 9,000 to 49,999, replicates 20 to 39>"
    with pytest.raises(ValueError, match="rows 9,000 to 49,999"):
        plan.finish(part)


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
    with pytest.raises(ValueError, match=r"rows 0 to 599 and rows 500 to 999 overlap"):
        plan.part(x[:600]) + plan.part(x[500:1000], first=500)
    with pytest.raises(ValueError, match=r"lack rows 100 to 49,999"):
        plan.finish(plan.part(x[:100]))
    with pytest.raises(ValueError, match="'iid' or 'poisson'"):
        bf.shards.plan(bf.shards.look(x, "mean"), scheme="cluster")
    with pytest.raises(TypeError, match="names such as 'mean'"):
        bf.shards.look(x, lambda resample: resample.mean())
    with pytest.raises(ValueError, match="needs all rows in one place"):
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


LABELS = {
    "whole numbers": np.array([9, 10, -3, 200]),
    "numbers": np.array([0.5, -1e300, 3.0, 1e-5]),
    "texts": np.array(["9", "10", "\u00e9t\u00e9", "z"]),
    "dates": np.array(["2024-01-01", "1969-01-01", "2000-01-01"], dtype="datetime64[D]"),
    "booleans": np.array([True, False]),
    "objects": np.array([2, 10, 9], dtype=object),
    "bytes": np.array([b"a", b"a b", b"\xe9"]),
}


@pytest.mark.parametrize("kind", ["strata", "clusters"])
@pytest.mark.parametrize("labels", LABELS)
def test_strata_and_clusters_have_the_bits_of_the_whole(table, kind, labels):
    known = LABELS[labels]
    own = known[np.random.default_rng(4).integers(0, len(known), ROWS)]
    pieces = cut(np.arange(ROWS), [0, 1, 4_097, 33_333])
    looks = [bf.shards.look(table[rows], "correlation", **{kind: own[rows]}) for _, rows in pieces]
    plan = bf.shards.plan(bf.shards.join(looks), replicates=50, seed=5)
    there = pickle.loads(pickle.dumps(plan))
    parts = [there.part(table[rows], first=n, labels=own[rows]) for n, rows in pieces[::-1]]
    found = plan.finish(sum(pickle.loads(pickle.dumps(part)) for part in parts))
    wanted = bf.bootstrap(table, "correlation", replicates=50, seed=5, **{kind: own})
    np.testing.assert_array_equal(found.replicates, wanted.replicates)
    assert found.estimate == wanted.estimate


def test_labels_may_be_columns_of_tables_and_files(table, tmp_path):
    own = np.random.default_rng(4).integers(0, 30, ROWS)
    arrow = pa.table({"x": table[:, 0], "shop": own})
    pq.write_table(arrow, tmp_path / "a.parquet")
    wanted = bf.bootstrap(arrow, "mean", replicates=50, columns="x", clusters="shop")
    for data in (arrow, arrow.to_pandas(), str(tmp_path / "a.parquet")):
        look = bf.shards.look(data, "mean", clusters="shop")
        plan = bf.shards.plan(look, replicates=50)
        found = plan.finish(plan.part(data, labels="shop"))
        np.testing.assert_array_equal(found.replicates, wanted.replicates)


def test_labels_are_refused_where_they_do_not_belong(table):
    strata = np.arange(ROWS) % 3
    with pytest.raises(ValueError, match="strata and clusters are both given"):
        bf.shards.look(table, "mean", strata=strata, clusters=strata)
    with pytest.raises(ValueError, match="strata has 10 labels but the data have 50000 rows"):
        bf.shards.look(table, "mean", strata=strata[:10])
    plan = bf.shards.plan(bf.shards.look(table, "mean", strata=strata))
    with pytest.raises(ValueError, match="labels are missing"):
        plan.part(table)
    plan = bf.shards.plan(bf.shards.look(table, "mean"))
    with pytest.raises(ValueError, match="labels are given but the looks had none"):
        plan.part(table, labels=strata)


def test_statistics_of_different_kinds_have_the_bits_of_one_run():
    x = np.random.default_rng(3).lognormal(size=(9_000, 2))
    names = ["mean", "median", "quantile:0.9"]
    looks = [bf.shards.look(x[:2_000], names), bf.shards.look(x[2_000:], names)]
    plan = bf.shards.plan(bf.shards.join(looks), replicates=50, seed=2)
    parts = plan.part(x[:2_000], first=0) + plan.part(x[2_000:], first=2_000)
    whole = bf.bootstrap(x, names, replicates=50, seed=2)
    assert np.array_equal(plan.finish(parts).replicates.ravel(), whole.replicates.ravel())
