"""Text files by path and by bf.csv, as the command line reads them."""

import gzip
import pathlib

import numpy as np
import pandas as pd
import pytest

import bootfold as bf

RUN = {"replicates": 100, "seed": 7}


@pytest.fixture
def sales(tmp_path):
    random = np.random.default_rng(1)
    df = pd.DataFrame(
        {
            "shop": random.choice(["A", "B"], 200),
            "month": random.integers(1, 13, 200),
            "price": random.exponential(10, 200).round(2),
        }
    )
    df.to_csv(tmp_path / "sales.csv", index=False)
    return tmp_path / "sales.csv", df


def test_a_path_gives_the_bits_of_the_frame(sales):
    path, df = sales
    expected = bf.bootstrap(df, "mean", columns="price", **RUN)
    for given in (path, str(path), bf.csv(path), [path]):
        found = bf.bootstrap(given, "mean", columns="price", **RUN)
        np.testing.assert_array_equal(found.replicates, expected.replicates)
    packed = path.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert bf.bootstrap(packed, "mean", columns="price", **RUN).estimate == expected.estimate


def test_labels(sales):
    path, df = sales
    found = bf.bootstrap(path, "mean", columns="price", by=["shop", "month"], **RUN)
    expected = bf.bootstrap(df, "mean", columns="price", by=["shop", "month"], **RUN)
    assert [g.group for g in found] == [g.group for g in expected]
    assert [g.low for g in found] == [g.low for g in expected]
    table = bf.compare(path, value="price", by="shop", clusters="month", **RUN)
    assert (
        table["low"].to_pylist()
        == bf.compare(df, value="price", by="shop", clusters="month", **RUN)["low"].to_list()
    )


def test_dialects_and_missing_values(tmp_path):
    path = tmp_path / "preise.txt"
    path.write_text("ort;preis\nBonn;1.234,5\nUlm;-\nKiel;2,5\n")
    with pytest.raises(ValueError, match=r"preise\.txt:3:2: '-' is not a number .*missing='NA,-'"):
        bf.bootstrap(path, "mean", columns="preis", **RUN)
    prices = bf.csv(path, missing="NA,-", delimiter="semicolon", thousands=".", decimal=",")
    with pytest.raises(ValueError, match=r"missing value \(column 'preis'\); nan='omit' leaves"):
        bf.bootstrap(prices, "mean", columns="preis", **RUN)
    found = bf.bootstrap(prices, "mean", columns="preis", nan="omit", **RUN)
    assert found.estimate == (1234.5 + 2.5) / 2
    some = bf.csv(path, missing=["-"], where="ort == 'Kiel'")
    assert bf.bootstrap(some, "mean", columns="preis", **RUN).estimate == 2.5


def test_messages_have_the_words_of_python(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("a;b\n1;2\n3;4\n")
    with pytest.raises(ValueError, match=r"separated by semicolons\? delimiter='semicolon'"):
        bf.bootstrap(bf.csv(path, delimiter=","), "mean", columns="a", **RUN)
    with pytest.raises(ValueError, match="delimiter is 'two' but must be one character"):
        bf.csv(path, delimiter="two")
    with pytest.raises(ValueError, match=r"s\.csv has no column 'c'"):
        bf.bootstrap(path, "mean", columns="c", **RUN)
    path.write_text("2019,2020,2021\n1,2,3\n4,5,6\n7,8,9\n")
    with pytest.raises(ValueError, match="say which with header=True or header=False"):
        bf.bootstrap(path, "mean", **RUN)
    found = bf.bootstrap(bf.csv(path, header=True), "mean", **RUN)
    assert found.estimate.tolist() == [4, 5, 6]


def test_other_texts(tmp_path):
    path = tmp_path / "measured.log"
    path.write_text("x\n1\n2\n")
    with pytest.raises(ValueError, match=r"measured\.log is no .*bf\.csv\("):
        bf.bootstrap(path, "mean", **RUN)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        bf.csv(pathlib.Path("missing.csv"))


def test_reading_is_told_while_it_goes_on(tmp_path):
    with open(tmp_path / "long.csv", "w") as file:
        file.write("x,shop\n")
        for _ in range(40):
            file.write("1.25,a\n2.5,b\n" * 50_000)
    seen = []
    bytes_ = (tmp_path / "long.csv").stat().st_size
    for by in (None, "shop"):
        seen.clear()
        bf.bootstrap(
            tmp_path / "long.csv",
            "mean",
            columns="x",
            by=by,
            replicates=20,
            progress=lambda done, total: seen.append((done, total)),
        )
        reading = [done for done, total in seen if total == bytes_]
        assert len(reading) > 2 and reading == sorted(reading)
        assert 0 < reading[1] < bytes_

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bf.bootstrap(tmp_path / "long.csv", "mean", columns="x", replicates=20, progress=stop)


def test_messages_say_where_options_of_text_files_go(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,x\n-,y\n3,z\n")
    told = r"missing='NA,-' .*; bf\.csv\(path, missing=\.\.\.\) takes this option$"
    for act in (
        lambda: bf.bootstrap(path, "mean", columns="a", **RUN),
        lambda: bf.compare(path, value="a", by="b", **RUN),
        lambda: bf.bootstrap(path, "mean", columns="a", by="b", **RUN),
    ):
        with pytest.raises(ValueError, match=told):
            act()
    with pytest.raises(ValueError, match="'x' is not a number .*this column holds text") as raised:
        bf.bootstrap(path, "mean", columns="b", **RUN)
    assert "bf.csv" not in str(raised.value)
    path.write_text("a;b\n1.234,5;x\n1,234.5;y\n")
    with pytest.raises(ValueError, match="takes th(is|ese) option"):
        bf.bootstrap(path, "mean", columns="a", **RUN)
