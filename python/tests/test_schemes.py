"""How rows are drawn: the same bits as the command line program."""

import json
import os
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bootfold as bf

RNG = np.random.default_rng(8)
TABLE = pd.DataFrame(
    {
        "x": RNG.normal(size=240).cumsum() / 4,
        "y": RNG.gamma(2.0, size=240),
        "g": RNG.choice(list("abcd"), size=240),
        "w": RNG.uniform(0.5, 2.0, size=240),
        "f": np.arange(240) % 5,
    }
)


def program(tmp_path, *arguments):
    path = tmp_path / "table.csv"
    TABLE.to_csv(path, index=False, float_format="%.17g")
    output = tmp_path / "replicates.npy"
    command = [os.environ["BOOTFOLD_PROGRAM"], "bootstrap", path, *arguments, "--json"]
    command += ["--replicates", "500", "--seed", "7", "--output", output, "--interval", "bca"]
    found = subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return json.loads(found.stdout), np.load(output)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ([], {}),
        (["--strata", "g"], {"strata": "g"}),
        (["--cluster", "g"], {"clusters": "g"}),
        (["--cluster", "g", "--two-stage"], {"clusters": "g", "two_stage": True}),
        (["--weights", "w"], {"weights": "w"}),
        (["--probabilities", "w"], {"probabilities": "w"}),
        (["--frequencies", "f"], {"frequencies": "f"}),
        (["--weights", "w", "--frequencies", "f"], {"weights": "w", "frequencies": "f"}),
        (["--strata", "g", "--frequencies", "f"], {"strata": "g", "frequencies": "f"}),
        (["--block-length", "5"], {"block_length": 5}),
        (["--scheme", "stationary"], {"scheme": "stationary"}),
        (["--scheme", "moving", "--block-length", "7"], {"scheme": "moving", "block_length": 7}),
        (["--scheme", "circular"], {"scheme": "circular"}),
        (["--scheme", "poisson"], {"scheme": "poisson"}),
        (["--scheme", "bayesian"], {"scheme": "bayesian"}),
        (["--scheme", "balanced"], {"scheme": "balanced"}),
        (["--size", "100"], {"size": 100}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_program_has_the_same_bits(tmp_path, options, arguments):
    told, replicates = program(tmp_path, "--column", "x", "--statistic", "mean", *options)
    roles = ("strata", "clusters", "weights", "frequencies", "probabilities")
    label = [v for k, v in arguments.items() if k in roles]
    r = bf.bootstrap(TABLE[["x", *label]], "mean", replicates=500, seed=7, **arguments)
    np.testing.assert_array_equal(r.replicates.ravel(), replicates)
    assert told["estimate"] == r.estimate.item()
    assert told.get("centre", told["estimate"]) == r.centre.item()
    assert told["bias"] == r.bias.item()
    interval = r.interval("bca")
    assert told["interval"]["low"] == pytest.approx(interval.low.item(), rel=1e-12)
    assert told["interval"]["high"] == pytest.approx(interval.high.item(), rel=1e-12)


def test_the_bayesian_scheme_takes_quantiles_but_no_callables(tmp_path):
    command = ["--column", "x", "--statistic", "median", "--scheme", "bayesian"]
    told, replicates = program(tmp_path, *command)
    r = bf.bootstrap(TABLE[["x"]], "median", scheme="bayesian", replicates=500, seed=7)
    np.testing.assert_array_equal(r.replicates.ravel(), replicates)
    assert told["estimate"] == r.estimate.item() == np.median(TABLE["x"])
    with pytest.raises(ValueError, match="bayesian"):
        bf.bootstrap(TABLE["x"], np.ptp, scheme="bayesian", replicates=10)


def test_columns_of_a_frame_are_taken_by_name_or_as_arrays():
    for frame in (TABLE, pl.from_pandas(TABLE)):
        named = bf.bootstrap(frame[["x", "g"]], "mean", strata="g", replicates=100)
        arrays = bf.bootstrap(TABLE["x"].to_numpy(), "mean", strata=TABLE["g"], replicates=100)
        np.testing.assert_array_equal(named.replicates.ravel(), arrays.replicates)


@pytest.mark.parametrize(
    "labels",
    [
        TABLE["g"].to_numpy(),
        TABLE["g"].tolist(),
        TABLE["g"].astype("category"),
        pl.Series(TABLE["g"].tolist()),
        TABLE["g"].map(ord).to_numpy(),
        TABLE["g"].map(ord).to_numpy().astype(float),
    ],
)
def test_labels_of_any_kind(labels):
    r = bf.bootstrap(TABLE["x"], "mean", strata=labels, replicates=100)
    expected = bf.bootstrap(TABLE["x"], "mean", strata=TABLE["g"], replicates=100)
    np.testing.assert_array_equal(r.replicates, expected.replicates)


def test_the_jackknife_has_as_many_replicates_as_rows():
    r = bf.bootstrap(TABLE["y"], "mean", scheme="jackknife")
    y = TABLE["y"].to_numpy()
    assert r.replicates.shape == (240,)
    assert r.standard_error == pytest.approx(y.std(ddof=1) / np.sqrt(y.size))
    assert r.interval() == r.interval("normal")
    with pytest.raises(ValueError, match="jackknife is complete"):
        r.extend(5)


@pytest.mark.parametrize("call", [bf.bootstrap, bf.explain])
def test_the_jackknife_has_no_resamples(call):
    with pytest.raises(ValueError, match="replicates is 5 but a jackknife .* omit replicates"):
        call(TABLE["y"], "mean", scheme="jackknife", replicates=5)
    for method in ("basic", "percentile", "bca", "studentized"):
        with pytest.raises(ValueError, match=f"interval is '{method}' but a jackknife draws no"):
            call(TABLE["y"], "mean", scheme="jackknife", interval=method)
    for method in ("normal", "abc"):
        call(TABLE["y"], "mean", scheme="jackknife", interval=method)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scheme": "boot"}, "scheme is 'boot' but must be one of iid"),
        ({"scheme": "stratified"}, "needs strata"),
        ({"scheme": "iid", "strata": [0] * 240}, "strata does not go with scheme 'iid'"),
        ({"strata": [0, 1]}, "strata has 2 labels but the data have 240 rows"),
        ({"clusters": [None] + ["a"] * 239}, "no label in row 0"),
        ({"weights": [1.0]}, r"weights have shape \(1,\)"),
        ({"weights": [-1.0] * 240}, "weights must not be negative"),
        ({"weights": [0.0] * 240}, "all are 0"),
        ({"probabilities": [-1.0] * 240}, "probability of row 0 is -1"),
        ({"frequencies": [1.5] * 240}, r"frequency of row 0 is 1\.5 but must be a whole number"),
        ({"frequencies": [-1] * 240}, "frequency of row 0 is -1"),
        ({"frequencies": [0] * 240}, "all frequencies are 0"),
        ({"frequencies": [1] * 240, "probabilities": [1] * 240}, "do not go together"),
        ({"block_length": 0}, "block_length is 0"),
        ({"scheme": "moving", "block_length": 2.5}, "whole number"),
        ({"block_length": 1000, "scheme": "moving"}, "1 to 240"),
        ({"size": 0}, "size is 0"),
    ],
)
def test_misuse(arguments, message):
    with pytest.raises(ValueError, match=message):
        bf.bootstrap(TABLE["x"], "mean", replicates=10, **arguments)


def test_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="no column 'school'; the columns are x, g"):
        bf.bootstrap(TABLE[["x", "g"]], "mean", clusters="school")
    with pytest.raises(TypeError, match="no DataFrame"):
        bf.bootstrap([1.0, 2.0], "mean", clusters="school")


def test_resamples_of_fewer_rows_are_rescaled():
    x = np.arange(400.0) % 17
    kept = bf.bootstrap(x, "mean", size=100, rescale="none", seed=1)
    half = bf.bootstrap(x, "mean", size=100, seed=1)
    assert np.array_equal(kept.replicates, half.replicates)
    assert half.standard_error == pytest.approx(kept.standard_error / 2)
    low, high = half.interval()
    wide = kept.interval()
    assert low - half.estimate == pytest.approx((wide.low - kept.estimate) / 2)
    assert high - half.estimate == pytest.approx((wide.high - kept.estimate) / 2)
    third = bf.bootstrap(x, "mean", size=100, rescale=1 / 3, seed=1)
    assert third.standard_error == pytest.approx(kept.standard_error * 0.25 ** (1 / 3))
    by_function = bf.bootstrap(x, lambda v: v.mean(), size=100, replicates=500, seed=1)
    assert by_function.standard_error == pytest.approx(half.standard_error, rel=0.2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rescale": "none"}, "give size as well"),
        ({"size": 5, "rescale": "cube"}, "must be 'sqrt', 'none' or an exponent"),
        ({"size": 5, "rescale": 2}, "must be an exponent from 0 to 1"),
    ],
)
def test_bad_rescaling_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        bf.bootstrap([1.0, 2, 3], "mean", **arguments)


def test_few_rows_are_noted():
    found = bf.bootstrap([1.0, 2.0], "mean", seed=1).interval()
    assert "only 2 rows" in found.note
    assert "only 2 rows" in repr(found)
    with pytest.warns(bf.IntervalWarning, match="there is only one row"):
        assert np.isnan(bf.bootstrap([1.0], "mean", seed=1).interval().low)


def test_moving_blocks_are_centred_at_the_expected_counts(tmp_path):
    # Of 5 rows in blocks of 2 there are 4 starts, drawn twice, and a third block that is cut.
    x = np.array([1.0, 2, 4, 8, 16])
    counts = np.array([2 * 1 + 1, 2 * 2 + 1, 2 * 2 + 1, 2 * 2 + 1, 2 * 1]) / 4
    moving = {"scheme": "moving", "block_length": 2, "replicates": 100, "seed": 7}
    r = bf.bootstrap(x, "mean", **moving)
    assert r.centre == pytest.approx(x @ counts / 5, rel=1e-12)
    assert r.bias == pytest.approx(r.replicates.mean() - r.centre, rel=1e-9)
    low, high = r.interval("percentile")
    expected = np.quantile(r.replicates, [0.025, 0.975]) + r.estimate - r.centre
    assert (low, high) == pytest.approx(tuple(expected), rel=1e-9)
    r.save(tmp_path / "moving.safetensors")
    assert bf.load(tmp_path / "moving.safetensors").centre == r.centre
    # One result for each column, and functions of weights.
    both = bf.bootstrap(np.column_stack([x, x**2]), "mean", axis=0, **moving)
    assert both.centre == pytest.approx([r.centre, x**2 @ counts / 5], rel=1e-12)
    weighted = bf.bootstrap(x, lambda x, w: w @ x / 5, takes="weights", **moving)
    assert weighted.centre == pytest.approx(r.centre, rel=1e-12)
    # What a function of rows expects is not known, and a maximum has its replicates on one side.
    assert bf.bootstrap(x, lambda x: float(x[0]), **moving).centre == 1
    assert bf.bootstrap(x, np.max, **moving).centre == 16
