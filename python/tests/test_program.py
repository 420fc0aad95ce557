"""The program that pip installs has the package read Parquet files and queries."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bootfold as bf

SCRIPT = pathlib.Path(__file__).parents[1] / "program" / "bootfold"
PROGRAM = pathlib.Path(bf.__file__).parent / "bin" / "bootfold"
RNG = np.random.default_rng(1)
ROWS = 3000
PRICE = RNG.lognormal(size=ROWS) * 1e3
SHARE = RNG.random(ROWS).astype(np.float32)
UNITS = RNG.integers(0, 50, size=ROWS)
SHOP = np.array(["north", "NA", 'the "west", far', "south"])[RNG.integers(0, 4, size=ROWS)]
SOLD = RNG.random(ROWS) < 0.3
TABLE = pa.table({"price": PRICE, "share": SHARE, "units": UNITS, "shop": SHOP, "sold": SOLD})
RUN = {"replicates": 50, "seed": 7}


def call(*arguments, **options):
    return subprocess.run(
        [sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, **options
    )


def run(*arguments):
    found = call(*arguments)
    assert found.returncode == 0, found.stderr
    return found.stdout


def replicates(*arguments):
    run("bootstrap", *arguments, "--replicates", 50, "--seed", 7, "--output", "r.npy", "--quiet")
    return np.load("r.npy").squeeze()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("sales")
    for number, first in enumerate(range(0, ROWS, 700)):
        pq.write_table(TABLE.slice(first, 700), f"sales/{number}.parquet")
    pq.write_table(TABLE, "all.parquet")
    return tmp_path


@pytest.mark.parametrize(
    "data",
    [
        ["all.parquet"],
        ["sales/*.parquet"],
        ["sales"],
        [f"sales/{number}.parquet" for number in range(5)],
        ["--sql", "select * from 'sales/*.parquet'"],
        ["--sql=select * from 'sales/*.parquet'"],
    ],
)
@pytest.mark.parametrize(("name", "values"), [("price", PRICE), ("share", SHARE), ("sold", SOLD)])
def test_has_the_bits_of_the_package(data, name, values):
    """Digits and commas of a text do not matter: the program reads the same doubles."""
    expected = bf.bootstrap(values.astype(float), "mean", **RUN)
    np.testing.assert_array_equal(replicates(*data, "--column", name), expected.replicates)
    np.testing.assert_array_equal(replicates("--column=" + name, *data), expected.replicates)


def test_labels_and_weights():
    found = replicates("sales", "--column", "price", "--strata", "shop", "--weights", "units")
    expected = bf.bootstrap(PRICE, "mean", strata=SHOP, weights=UNITS, **RUN)
    np.testing.assert_array_equal(found, expected.replicates)


def test_columns_by_number():
    expected = bf.bootstrap(UNITS.astype(float), "median", **RUN)
    found = replicates("all.parquet", "--column", 3, "--statistic", "median")
    np.testing.assert_array_equal(found, expected.replicates)


def test_compare():
    found = json.loads(
        run("compare", "sales", "--value", "price", "--by", "shop", "--seed", 7, "--json")
    )
    expected = bf.compare(TABLE, value="price", by="shop", seed=7)
    assert "NA" in json.dumps(found)
    lows = [float(value) for value in expected["low"].to_pylist()]
    text = json.dumps(found)
    assert all(f"{low!r}" in text for low in lows)


def test_only_columns_that_are_named_are_read():
    broken = "select price, cast(shop as integer) as broken from 'all.parquet'"
    assert len(replicates("--sql", broken, "--column", "price")) == 50
    found = call("bootstrap", "--sql", broken, "--column", "broken")
    assert found.returncode == 2 and "Could not convert" in found.stderr and found.stdout == ""


def test_ensembles_read_other_files_too():
    query = "select price, share, units from 'all.parquet'"
    train = ("--target", "units", "--task", "regression", "--members", 2, "--epochs", 1)
    pq.write_table(TABLE.select(["price", "share", "units"]), "rows.parquet")
    run("ensemble", "train", "--sql", query, *train, "--output", "a.safetensors", "--quiet")
    validation = ("--validation", "rows.parquet", "--patience", 1)
    run("ensemble", "train", "rows.parquet", *train, *validation, "--output", "b.safetensors")
    names = "price,share,units"
    np.savetxt(
        "rows.csv", np.column_stack([PRICE, SHARE, UNITS]), "%.17g", ",", header=names, comments=""
    )
    run("ensemble", "train", "rows.csv", *train, "--output", "c.safetensors", "--quiet")
    predict = [
        run("ensemble", "predict", model, "sales", "--keep", "shop")
        for model in ("a.safetensors", "c.safetensors")
    ]
    assert predict[0] == predict[1] and len(predict[0].splitlines()) == ROWS + 1


def test_other_commands_go_to_the_program_at_once():
    assert bf.__version__ in run("--version")
    assert "mean of x" in call("explain", "-", input="x\n1\n2\n5\n").stdout
    found = call("bootstrap", "nothing.csv")
    expected = subprocess.run([PROGRAM, "bootstrap", "nothing.csv"], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (expected.returncode, expected.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.parquet"], "there is no file or folder 'nothing.parquet'"),
        (["no*.parquet"], r"no file matches 'no*.parquet'"),
        (["all.parquet", "--sql", "select 1"], "--sql is given beside all.parquet"),
        (["--sql", "select 1", "--sql", "select 2"], "--sql is given several times"),
        (["--sql", "selec 1"], "the query cannot be run"),
        (["--sql"], "--sql needs a value"),
        (["all.parquet", "--column", "cost"], "cost"),
        (["all.parquet", "--column", "shop"], "(column 'shop')"),
        (["--sql", "select price from 'all.parquet' limit 0", "--column", "price"], "row"),
    ],
)
def test_messages(arguments, message):
    found = call("bootstrap", *arguments)
    assert found.returncode == 2, found
    assert message in found.stderr and found.stderr.startswith("bootfold: ")
    assert "Traceback" not in found.stderr and found.stdout == ""


def test_no_result_of_a_part_of_the_rows():
    """Rows stop in the middle: an error of the query after a million rows."""
    query = (
        "select case when range < 1500000 then range else cast('x' || range as integer) end as x "
        "from range(2000000)"
    )
    found = call("bootstrap", "--sql", query, "--column", "x", "--replicates", 10)
    assert found.returncode == 2 and found.stdout == "" and "Could not convert" in found.stderr


@pytest.mark.parametrize(
    ("number", "codes"), [(signal.SIGTERM, (130, 143)), (signal.SIGKILL, (-9,))]
)
def test_signals_end_the_program_too(number, codes):
    command = [sys.executable, SCRIPT, "bootstrap", "all.parquet", "--column", "price"]
    more = ["--replicates", "1e7", "--statistic", "trimmed_mean:0.1"]  # minutes
    process = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True)
    child = None
    for _ in range(300):
        time.sleep(0.1)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        if children.split():
            child = int(children.split()[0])
            break
    assert child is not None
    time.sleep(1)
    process.send_signal(number)
    assert process.wait(timeout=30) in codes
    for _ in range(100):
        if not pathlib.Path(f"/proc/{child}").exists():
            return
        time.sleep(0.1)
    raise AssertionError("the program goes on")
