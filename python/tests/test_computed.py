"""Columns that are expressions, of every kind of table that is read in batches."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet
import pytest

import bootfold as bf

RNG = np.random.default_rng(5)
ROWS = 1000
FRAME = pd.DataFrame(
    {
        "price": np.exp(RNG.normal(7, 1, ROWS)),
        "tax": RNG.integers(1, 9, ROWS).astype(np.int16),
        "cut": RNG.choice(["Ideal", "Good", "Fair"], ROWS),
    }
)
TABLE = pa.Table.from_pandas(FRAME, preserve_index=False)
CUTS = [0, 300, 301, 301, ROWS]


def _pieces() -> Iterator[pd.DataFrame]:
    for first, last in itertools.pairwise(CUTS):
        yield FRAME[first:last]


def _parquet(folder: Path) -> str:
    for number, piece in enumerate(_pieces()):
        piece.to_parquet(folder / f"{number}.parquet", row_group_size=77)
    return str(folder / "*.parquet")


def _csv(folder: Path) -> str:
    FRAME.to_csv(folder / "x.csv", index=False)
    return str(folder / "x.csv")


def _npy(folder: Path) -> str:
    np.save(folder / "x.npy", FRAME[["price", "tax"]].to_numpy())
    return str(folder / "x.npy")


def _list(folder: Path) -> list[str]:
    _parquet(folder)
    return sorted(map(str, folder.glob("*.parquet")))


def _dictionary(folder: Path) -> Any:
    coded = TABLE.set_column(2, "cut", TABLE["cut"].dictionary_encode())
    return pa.dataset.dataset(coded)


KINDS: dict[str, Callable[[Path], Any]] = {
    "parquet": _parquet,
    "parquet list": _list,
    "csv": _csv,
    "lazyframe": lambda folder: pl.from_pandas(FRAME).lazy(),
    "dataset": lambda folder: pa.dataset.dataset(TABLE),
    "dictionary": _dictionary,
    "reader": lambda folder: TABLE.to_reader(max_chunksize=99),
    "duckdb": lambda folder: duckdb.from_arrow(TABLE),
    "chunks": lambda folder: bf.chunks(_pieces),
    "iterator": lambda folder: _pieces(),
    "list": lambda folder: list(_pieces()),
    "list of batches": lambda folder: TABLE.to_batches(max_chunksize=99),
    "chunks of polars": lambda folder: bf.chunks(lambda: map(pl.from_pandas, _pieces())),
}
STATISTICS = [
    "mean(log(price))",
    "sum(price * tax) / sum(tax)",
    "mean(cut == 'Ideal')",
    "mean(if(cut in ('Good', 'Fair') and price > 800, log(price), 0))",
    "median(price / tax)",
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_gives_the_replicates_of_a_data_frame(kind: str, tmp_path: Path) -> None:
    for text in STATISTICS:
        wanted = bf.bootstrap(FRAME, text, replicates=60, seed=4)
        found = bf.bootstrap(KINDS[kind](tmp_path), text, replicates=60, seed=4)
        assert found.estimate == wanted.estimate
        assert np.array_equal(found.replicates, wanted.replicates)


def test_numbered_columns_of_arrays(tmp_path: Path) -> None:
    found = bf.bootstrap(_npy(tmp_path), "mean(log(`1`) * `2`)", replicates=60, seed=4)
    wanted = bf.bootstrap(FRAME, "mean(log(price) * tax)", replicates=60, seed=4)
    assert np.array_equal(found.replicates, wanted.replicates)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_by_their_numbers(kind: str, tmp_path: Path) -> None:
    for text, named in (
        ("mean(`1`)", "mean(price)"),
        ("sum(`1` * `2`) / sum(tax)", "sum(price * tax) / sum(tax)"),
        ("mean(`3` == 'Ideal')", "mean(cut == 'Ideal')"),
    ):
        wanted = bf.bootstrap(FRAME, named, replicates=20, seed=4)
        rows = KINDS[kind](tmp_path)
        if kind == "csv":  # column 3 is text, as a header is
            rows = bf.csv(rows, header=True)
        for data in (FRAME, rows):
            found = bf.bootstrap(data, text, replicates=20, seed=4)
            assert np.array_equal(found.replicates, wanted.replicates)
    renamed = FRAME.rename(columns={"tax": "1"})  # a name goes before a number
    assert bf.bootstrap(renamed, "mean(`1`)", replicates=9).estimate == FRAME.tax.mean()


def _days() -> tuple[list[datetime.date | None], list[datetime.datetime | None]]:
    days: list[datetime.date | None] = []
    moments: list[datetime.datetime | None] = []
    for i in range(ROWS):
        day = datetime.datetime(2013, 1, 1) + datetime.timedelta(days=i % 60)
        days.append(None if i == 7 else day.date())
        moments.append(None if i == 7 else day + datetime.timedelta(milliseconds=1500 * (i % 3)))
    return days, moments


DAYS, MOMENTS = _days()
DATED: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda folder: pd.DataFrame({"day": pd.to_datetime(DAYS), "at": MOMENTS}),
    "objects": lambda folder: pd.DataFrame({"day": np.array(DAYS, object), "at": MOMENTS}),
    "polars": lambda folder: pl.DataFrame({"day": DAYS, "at": MOMENTS}),
    "lazyframe": lambda folder: pl.LazyFrame({"day": DAYS, "at": MOMENTS}),
    "arrow": lambda folder: pa.table({"day": DAYS, "at": MOMENTS}),
    "numpy": lambda folder: {
        "day": np.array(DAYS, "datetime64[D]"),
        "at": np.array(MOMENTS, "datetime64[ms]"),
    },
    "duckdb": lambda folder: duckdb.from_arrow(pa.table({"day": DAYS, "at": MOMENTS})),
}


def _dated_parquet(folder: Path) -> str:
    pyarrow.parquet.write_table(pa.table({"day": DAYS, "at": MOMENTS}), folder / "days.parquet")
    return str(folder / "days.parquet")


@pytest.mark.parametrize("kind", [*DATED, "parquet"])
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("day >= '2013-02-01'", lambda i: DAYS[i] >= datetime.date(2013, 2, 1)),
        ("day == '2013-02-01'", lambda i: DAYS[i] == datetime.date(2013, 2, 1)),
        ("day in ('2013-01-01', '2013-01-03')", lambda i: i % 60 in (0, 2)),
        (
            "at < '2013-01-20 00:00:02'",
            lambda i: MOMENTS[i] < datetime.datetime(2013, 1, 20, 0, 0, 2),
        ),
        ("at == '2013-01-02 00:00:01.5'", lambda i: i % 60 == 1 and i % 3 == 1),
        ("at <= '2013-01-01'", lambda i: i % 60 == 0),
    ],
)
def test_dates_are_compared_as_text(
    kind: str, condition: str, holds: Callable[[int], bool], tmp_path: Path
) -> None:
    data = _dated_parquet(tmp_path) if kind == "parquet" else DATED[kind](tmp_path)
    wanted = np.mean([holds(i) for i in range(ROWS) if DAYS[i] is not None])
    found = bf.bootstrap(data, f"mean({condition})", replicates=10, nan="omit")
    assert found.estimate == pytest.approx(float(wanted), abs=1e-15)


def test_dates_with_a_time_zone_are_in_utc() -> None:
    local = pd.to_datetime(["2013-01-01 20:00", "2013-01-01 18:00"]).tz_localize("America/New_York")
    for data in (pd.DataFrame({"at": local}), pa.table({"at": pa.array(local)})):
        found = bf.bootstrap(data, "mean(at >= '2013-01-02')", replicates=10)
        assert found.estimate == 0.5


def test_text_among_numbers_is_marked_in_the_statistic() -> None:
    with pytest.raises(ValueError, match=r"statistic is 'mean\(cut > 3\)' but at character 6") as e:
        bf.bootstrap(FRAME, "mean(cut > 3)", replicates=10)
    assert str(e.value).endswith("\n  mean(cut > 3)\n       ^~~")


@pytest.mark.parametrize("statistic", ["1/0", "price / tax"])
def test_a_statistic_that_is_none_is_told_before_its_columns(statistic: str) -> None:
    with pytest.raises(ValueError, match="all rows|which statistic of it is meant"):
        bf.bootstrap(FRAME, statistic, replicates=10)  # the column cut is text


def test_dates_are_no_numbers() -> None:
    data = pd.DataFrame({"day": pd.to_datetime(["2013-01-01", "2013-01-02"]), "x": [1.0, 2.0]})
    with pytest.raises((TypeError, ValueError), match="day"):
        bf.bootstrap(data, "mean(day + 1)", replicates=10)
    with pytest.raises((TypeError, ValueError), match="day"):
        bf.bootstrap(data, "mean(day)", replicates=10)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two million rows; a column of numbers has 16 MB."""
    folder = tmp_path_factory.mktemp("large")
    table = pa.concat_tables([TABLE] * 2000)
    pa.parquet.write_table(table, folder / "x.parquet", row_group_size=123_456)
    pa.csv.write_csv(table.select(["price", "cut"]), folder / "x.csv")
    return {
        "table": table,
        "parquet": str(folder / "x.parquet"),
        "csv": str(folder / "x.csv"),
        "dataset": pa.dataset.dataset(table),
        "chunks": bf.chunks(lambda: (table[i : i + 654_321] for i in range(0, 2_000_000, 654_321))),
    }


@pytest.mark.parametrize("kind", ["parquet", "csv", "dataset", "chunks"])
def test_what_does_not_fit_memory_is_added_up(kind: str, large: dict[str, Any]) -> None:
    # Nothing may be written to temporary files (spool=0), so two columns of 16 MB are added up.
    options: Any = {"replicates": 10, "seed": 4, "memory": "16M", "spool": 0}
    text = "mean(if(cut == 'Ideal', log(price), 1)) / mean(price ^ 0.5)"
    found = bf.bootstrap(large[kind], text, **options)
    wanted = bf.bootstrap(large["table"], text, replicates=10, seed=4)
    assert found.estimate == wanted.estimate
    assert np.array_equal(found.replicates, wanted.replicates)


def test_names_beside_expressions_are_added_up(large: dict[str, Any]) -> None:
    statistics = ["mean", "sd(log(price))"]
    options: Any = {"columns": ["price", "tax"], "replicates": 10, "seed": 4}
    found = bf.bootstrap(large["parquet"], statistics, memory="16M", spool=0, **options)
    wanted = bf.bootstrap(large["table"], statistics, **options)
    assert found.estimate.shape == (3,)
    assert np.array_equal(found.replicates, wanted.replicates)


@pytest.mark.parametrize("kind", ["parquet", "csv", "lazyframe", "dataset", "duckdb"])
def test_columns_are_expressions_too(kind: str, tmp_path: Path) -> None:
    def data() -> Any:
        return KINDS[kind](tmp_path)

    logs = np.log(FRAME.price.to_numpy())
    wanted = bf.bootstrap(logs, "mean", replicates=60, seed=4)
    one = bf.bootstrap(data(), "mean", columns="log(price)", replicates=60, seed=4)
    assert one.estimate == wanted.estimate
    assert np.array_equal(one.replicates, wanted.replicates)
    two = bf.bootstrap(data(), "correlation", columns=["log(price)", "tax"], replicates=9, seed=4)
    assert two.estimate == pytest.approx(np.corrcoef(logs, FRAME.tax)[0, 1])
    own = bf.bootstrap(data(), lambda x: float(np.ptp(x)), columns="log(price)", replicates=9)
    assert own.estimate == np.ptp(logs)


@pytest.mark.parametrize("kind", ["parquet", "csv", "lazyframe", "dataset", "duckdb", "iterator"])
def test_groups_of_tables_in_batches(kind: str, tmp_path: Path) -> None:
    text = "sd(log(price))"
    wanted = bf.bootstrap(FRAME, text, by="cut", replicates=60, seed=4)
    found = bf.bootstrap(KINDS[kind](tmp_path), text, by="cut", replicates=60, seed=4)
    assert found.columns() == wanted.columns()  # type: ignore[attr-defined]
    options: Any = {"by": "cut", "control": "Good", "replicates": 60, "seed": 4}
    for given in ({"statistic": text}, {"value": "log(price)"}):
        compared = bf.compare(KINDS[kind](tmp_path), **given, **options)
        frame = bf.compare(FRAME, **given, **options)
        assert [float(str(x)) for x in compared["difference"]] == list(frame["difference"])


def test_conditions_of_text_files_and_expressions(tmp_path: Path) -> None:
    rows = bf.csv(_csv(tmp_path), where="cut != 'Fair' and log(price) > 6")
    kept = FRAME[(FRAME.cut != "Fair") & (np.log(FRAME.price) > 6)]
    found = bf.bootstrap(rows, "mean(price / tax)", replicates=60, seed=4)
    wanted = bf.bootstrap(kept, "mean(price / tax)", replicates=60, seed=4)
    assert np.array_equal(found.replicates, wanted.replicates)


def test_missing_values_in_batches(tmp_path: Path) -> None:
    frame = FRAME.assign(
        price=FRAME.price.where(FRAME.index % 10 > 0), cut=FRAME.cut.where(FRAME.index > 400, None)
    )
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=100)
    path = str(tmp_path / "x.parquet")
    for text in ("mean(log(price))", "mean(cut == 'Good')", "mean(missing(cut) or price > 900)"):
        wanted = bf.bootstrap(frame, text, nan="omit", replicates=20, seed=4)
        for data in (path, pl.scan_parquet(path), bf.chunks(lambda: [frame[:300], frame[300:]])):
            found = bf.bootstrap(data, text, nan="omit", replicates=20, seed=4)
            assert np.array_equal(found.replicates, wanted.replicates)
    assert bf.bootstrap(path, "mean(missing(cut))", replicates=9).estimate == 0.401
    with pytest.raises(ValueError, match="nan='omit'"):
        bf.bootstrap(path, "mean(log(price))")


def test_shards_take_expressions(tmp_path: Path) -> None:
    text = "mean(log(price)) / sd(tax)"
    wanted = bf.bootstrap(FRAME, text, replicates=60, seed=4)
    shards = [FRAME[:300], str(tmp_path / "x.parquet")]
    FRAME[300:].to_parquet(shards[1])
    looks = [bf.shards.look(shard, text) for shard in shards]
    plan = bf.shards.plan(bf.shards.join(looks), replicates=60, seed=4)
    parts = [plan.part(shard, first=first) for shard, first in zip(shards, [0, 300], strict=True)]
    found = plan.finish(sum(parts))
    assert np.array_equal(found.replicates.reshape(-1), wanted.replicates.reshape(-1))


@pytest.mark.parametrize("kind", ["parquet", "lazyframe", "dataset", "duckdb", "chunks"])
def test_mistakes_are_marked(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no column 'prise'; did you mean 'price'") as caught:
        bf.bootstrap(KINDS[kind](tmp_path), "mean(log(prise))")
    assert str(caught.value).endswith("\n  mean(log(prise))\n           ^~~~~")
    with pytest.raises(ValueError, match="no column 'prise'; did you mean 'price'") as caught:
        bf.bootstrap(KINDS[kind](tmp_path), "mean", columns="log(prise)")
    assert str(caught.value).endswith("\n  log(prise)\n      ^~~~~")
    with pytest.raises(ValueError, match="'cut' is text; compare it with text in quotes"):
        bf.bootstrap(KINDS[kind](tmp_path), "mean(log(cut))")
    with pytest.raises(ValueError, match="'tax' is a column of numbers; compare it with a number"):
        bf.bootstrap(KINDS[kind](tmp_path), "mean(tax == '5')")


def test_mistakes_in_text_files_are_marked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no column 'prise'; did you mean 'price'") as caught:
        bf.bootstrap(_csv(tmp_path), "mean(log(prise))")
    assert str(caught.value).endswith("^~~~~")
