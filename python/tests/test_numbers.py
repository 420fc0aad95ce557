"""Numbers of any type: decimals, fractions, None, objects; and text, which is refused by row."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bootfold as bf

RUN = {"replicates": 50, "seed": 7}
VALUES = [Decimal("1.5"), Decimal("2.25"), None, Decimal("4")]


@pytest.mark.parametrize(
    "data",
    [
        VALUES,
        np.array(VALUES, dtype=object),
        pd.Series(VALUES),
        pd.Series(VALUES, dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        pl.Series("x", VALUES),
        pa.array(VALUES),
        pa.chunked_array([VALUES]),
    ],
    ids=["list", "array", "pandas", "pandas arrow", "polars", "pyarrow", "chunked"],
)
def test_decimals_and_none(data):
    expected = bf.bootstrap([1.5, 2.25, 4.0], "mean", **RUN)
    found = bf.bootstrap(data, "mean", nan="omit", **RUN)
    np.testing.assert_array_equal(found.replicates, expected.replicates)
    with pytest.raises(ValueError, match="row 2 is nan"):
        bf.bootstrap(data, "mean", **RUN)


def test_decimals_in_frames():
    for data in (pd.DataFrame({"x": VALUES}), pl.DataFrame({"x": VALUES}), pa.table({"x": VALUES})):
        assert bf.bootstrap(data, "mean", nan="omit", **RUN).estimate.tolist() == [7.75 / 3]


def test_objects_that_are_numbers():
    mixed = np.array([1, 2.5, np.float32(0.5), Fraction(1, 2), True, None], dtype=object)
    assert bf.bootstrap(mixed, "sum", nan="omit", **RUN).estimate == 5.5
    frame = pd.DataFrame({"x": mixed})
    assert bf.bootstrap(frame, "sum", columns="x", nan="omit", **RUN).estimate == 5.5


def test_text_says_which_rows_and_what_to_do():
    values = [1.0, "-", 3.0, "n/a"]
    message = (
        r"column 'x' has text \('-' in row 1, 'n/a' in row 3\) but must be numbers; correct these "
        r"rows, or if they stand for missing values, convert by pandas.to_numeric\(s, "
        r"errors='coerce'\) and say nan='omit'"
    )
    with pytest.raises(TypeError, match=message):
        bf.bootstrap(pd.DataFrame({"x": values}), "mean", columns="x", **RUN)
    with pytest.raises(TypeError, match=message):
        bf.bootstrap(pd.Series(values, name="x"), "mean", **RUN)
    with pytest.raises(TypeError, match=r"'b' in row 1\).*s\.cast\(polars\.Float64, strict=False"):
        bf.bootstrap(pl.Series("x", ["1", "b"]), "mean", **RUN)
    with pytest.raises(TypeError, match=r"is text \('1' in row 0.*pandas\.to_numeric\(s\)"):
        bf.bootstrap(pd.Series(["1", "2"], name="x"), "mean", **RUN)
    frame = pd.DataFrame({"city": ["Bonn", "Ulm"], "x": [1.0, 2.0]})
    for data in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        with pytest.raises(TypeError, match=r"column 'city' is text .*columns= chooses"):
            bf.bootstrap(data, "mean", **RUN)
