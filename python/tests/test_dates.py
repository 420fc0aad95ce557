"""Dates and durations are refused everywhere, with the column, its type and the remedy."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bootfold as bf

DAYS = np.datetime64("2024-01-01") + np.arange(20) * np.timedelta64(1, "D")
SPANS = np.arange(20) * np.timedelta64(90, "s")
MISSING = DAYS.copy()
MISSING[3] = np.datetime64("NaT")
OBJECTS = DAYS.astype(object)  # datetime.date
NUMBERS = np.arange(20.0)
GROUPS = np.array(["a", "b"] * 10)


class Capsules:
    """Nothing but the Arrow C data interface."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self.array.__arrow_c_array__(requested_schema)


COLUMNS = {
    "numpy dates": DAYS,
    "numpy seconds": DAYS.astype("M8[s]"),
    "numpy NaT": MISSING,
    "numpy durations": SPANS,
    "numpy masked": np.ma.masked_array(DAYS, mask=np.arange(20) == 2),
    "numpy objects": OBJECTS,
    "list of dates": OBJECTS.tolist(),
    "list of datetimes": [None, *DAYS.astype("M8[s]").tolist()],
    "list of durations": SPANS.tolist(),
    "list of datetime64": list(DAYS),
    "pandas": pd.Series(DAYS),
    "pandas NaT": pd.Series(MISSING),
    "pandas zone": pd.Series(DAYS).dt.tz_localize("Europe/Berlin"),
    "pandas durations": pd.Series(SPANS),
    "pandas objects": pd.Series(OBJECTS),
    "pandas category": pd.Series(DAYS).astype("category"),
    "pandas arrow": pd.Series(DAYS).astype("timestamp[us][pyarrow]"),
    "pandas arrow dates": pd.Series(OBJECTS, dtype=pd.ArrowDtype(pa.date32())),
    "pandas arrow durations": pd.Series(SPANS).astype("duration[us][pyarrow]"),
    "pandas index": pd.DatetimeIndex(DAYS),
    "pandas periods": pd.Series(pd.PeriodIndex(DAYS, freq="D")),
    "polars dates": pl.Series(OBJECTS.tolist()),
    "polars datetimes": pl.Series(DAYS.astype("M8[us]")),
    "polars zone": pl.Series(DAYS.astype("M8[us]")).dt.replace_time_zone("UTC"),
    "polars durations": pl.Series(SPANS.astype("m8[us]")),
    "polars times": pl.Series([datetime.time(1, 2)] * 20),
    "polars nulls": pl.Series([None, *OBJECTS.tolist()]),
    "arrow dates": pa.array(OBJECTS.tolist(), type=pa.date32()),
    "arrow milliseconds": pa.array(OBJECTS.tolist(), type=pa.date64()),
    "arrow timestamps": pa.array(DAYS.astype("M8[us]")),
    "arrow zone": pa.array(DAYS.astype("M8[us]"), type=pa.timestamp("us", "UTC")),
    "arrow durations": pa.array(SPANS.astype("m8[us]")),
    "arrow chunks": pa.chunked_array([pa.array(DAYS.astype("M8[us]"))]),
    "arrow capsule": Capsules(pa.array(DAYS.astype("M8[us]"))),
}


def refuses(function, *parts):
    with pytest.raises(TypeError) as caught:
        function()
    for part in (*parts, "must be numbers"):
        assert part in str(caught.value), str(caught.value)


@pytest.mark.parametrize("data", COLUMNS.values(), ids=COLUMNS)
def test_bootstrap_refuses_dates(data):
    for nan in ("error", "omit", "propagate"):
        refuses(lambda nan=nan: bf.bootstrap(data, "mean", replicates=10, nan=nan))
    refuses(lambda: bf.bootstrap(data, "mean", replicates="exact"))
    refuses(lambda: bf.bootstrap(data, lambda v: v.mean(), replicates=10))
    refuses(lambda: bf.bootstrap(data, lambda v, c: c @ v, takes="counts", replicates=10))
    refuses(lambda: bf.bootstrap(data, lambda v, w: w @ v, takes="weights", replicates=10))
    refuses(lambda: bf.bootstrap(data, bf.sums(lambda v: v, lambda m: m[0]), replicates=10))
    refuses(lambda: bf.bootstrap((data, data), "correlation", paired=True, replicates=10))
    refuses(lambda: bf.explain(data, "mean"))


# A function that SciPy's door calls sees the dates themselves; what it returns must be numbers.
@pytest.mark.parametrize("name", [n for n in COLUMNS if "capsule" not in n])
def test_scipys_door_refuses_statistics_that_are_dates(name):
    for statistic in (np.max, lambda v: v[0], lambda v: v[:1].repeat(2)):
        with pytest.raises(TypeError):
            bf.stats.bootstrap((COLUMNS[name],), statistic, vectorized=False, n_resamples=10)
    for statistic in (np.mean, np.median, np.max):
        with pytest.raises((TypeError, ValueError)):
            bf.stats.bootstrap((COLUMNS[name],), statistic, n_resamples=10)


def test_scipys_door_takes_numbers_made_of_dates():
    def mean_day(days):
        return np.mean((days - DAYS[0]) / np.timedelta64(1, "D"))

    options = {"vectorized": False, "n_resamples": 50, "rng": 1, "method": "percentile"}
    dates = bf.stats.bootstrap((DAYS,), mean_day, **options)
    days = bf.stats.bootstrap((NUMBERS,), lambda v: np.mean(v), **options)
    np.testing.assert_allclose(dates.bootstrap_distribution, days.bootstrap_distribution)


def test_the_message_has_column_type_and_remedy():
    zone = pd.Series(DAYS, name="when").dt.tz_localize("UTC")
    refuses(
        lambda: bf.bootstrap(zone, "mean"),
        "column 'when' is of type datetime64[",
        "UTC]",
        "(s - s.min()).dt.total_seconds()",
    )
    seconds = bf.bootstrap((zone - zone.min()).dt.total_seconds(), "mean", replicates=10)
    assert seconds.estimate == 9.5 * 86400
    frame = pd.DataFrame({"x": NUMBERS, "took": SPANS})
    refuses(lambda: bf.bootstrap(frame, "mean"), "column 'took' is of type timedelta64[")
    refuses(lambda: bf.bootstrap(frame, "mean"), "s.dt.total_seconds()")
    for table in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        refuses(lambda t=table: bf.bootstrap(t, "mean"), "column 'took' is of type duration")
    refuses(
        lambda: bf.bootstrap(DAYS, "mean"), "data are of type datetime64[D]", "timedelta64(1, 's')"
    )
    refuses(lambda: bf.bootstrap(OBJECTS, "mean"), "data are of type date ")
    refuses(lambda: bf.bootstrap(COLUMNS["arrow capsule"], "mean"), "dates or times", "tsu:")


def test_numpy_arrays_along_an_axis_are_refused_too():
    table = DAYS.reshape(2, 10)
    refuses(lambda: bf.bootstrap(table, "mean", axis=1), "data are of type datetime64")
    refuses(lambda: bf.bootstrap(SPANS.reshape(2, 10), "mean"), "data are of type timedelta64")


@pytest.mark.parametrize("table", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_compare_refuses_dates(table):
    frame = table({"when": DAYS.astype("M8[us]"), "group": GROUPS.tolist(), "x": NUMBERS})
    refuses(lambda: bf.compare(frame, value="when", by="group"), "column 'when' is of type")
    refuses(lambda: bf.compare(frame, value="x", by="group", weights="when"), "weights are of type")


def test_scores_and_weights_of_dates_are_refused():
    refuses(lambda: bf.bootstrap_score(NUMBERS, None, DAYS, "mean_squared_error"), "y is of type")
    refuses(
        lambda: bf.bootstrap_score(pd.Series(DAYS), None, NUMBERS, "mean_absolute_error"),
        "predictions are of type",
    )
    refuses(lambda: bf.bootstrap(NUMBERS, "mean", weights=DAYS), "weights are of type")
    refuses(lambda: bf.counts(20, 5, probabilities=pd.Series(SPANS)), "probabilities are of type")


def test_estimators_refuse_dates():
    X = np.column_stack([NUMBERS, NUMBERS[::-1]])
    frame = pd.DataFrame({"x": NUMBERS, "when": DAYS})
    dates = frame[["when"]]
    for make in (bf.EnsembleRegressor, bf.EnsembleClassifier):
        model = make(members=2, epochs=1, hidden=(2,))
        target = GROUPS if make is bf.EnsembleClassifier else NUMBERS
        for given in (frame, dates, DAYS[:, None], SPANS[:, None]):
            refuses(lambda model=model, given=given, y=target: model.fit(given, y), "is of type")
        model.fit(X, target)
        refuses(lambda model=model: model.predict(DAYS.reshape(10, 2)), "X is of type datetime64")
    model = bf.EnsembleRegressor(members=2, epochs=1, hidden=(2,)).fit(X, NUMBERS)
    refuses(lambda: model.score(X, DAYS), "y is of type datetime64[D]")
    refuses(lambda: model.fit(X, DAYS), "y is of type datetime64[D]")
    refuses(lambda: model.fit(X, pd.Series(SPANS)), "y is of type timedelta64")
    refuses(lambda: model.fit(X, NUMBERS, validation=(X, DAYS)), "y is of type datetime64[D]")
    refuses(lambda: model.fit(X, NUMBERS, sample_weight=SPANS), "sample_weight is of type")


def test_dates_may_be_labels_unless_they_are_missing():
    by_day = bf.bootstrap(NUMBERS, "mean", clusters=DAYS.repeat(2)[:20], replicates=50)
    coded = bf.bootstrap(NUMBERS, "mean", clusters=np.arange(20) // 2, replicates=50)
    np.testing.assert_array_equal(by_day.replicates, coded.replicates)
    for labels in (MISSING, pd.Series(MISSING), OBJECTS.tolist()[:3] + [pd.NaT] * 17):
        with pytest.raises(ValueError, match="strata has no label in row 3"):
            bf.bootstrap(NUMBERS, "mean", strata=labels, replicates=50)


def test_functions_that_return_dates_are_refused():
    one = np.datetime64("2024-01-01")
    for function, options in [
        (lambda v: one, {}),
        (lambda v: np.timedelta64(3, "s"), {}),
        (lambda v: datetime.timedelta(seconds=3), {}),
        (lambda v: (one, one), {}),
        (lambda v: np.array([one, one]), {}),
        (lambda v, axis: np.full(v.shape[:-1], one), {}),
        (lambda v, c: np.full(len(c), one), {"takes": "counts"}),
    ]:
        with pytest.raises(TypeError, match=r"the statistic .* but must return"):
            bf.bootstrap(NUMBERS, function, replicates=10, **options)
    with pytest.raises(TypeError, match=r"finish .* but must return"):
        bf.bootstrap(NUMBERS, bf.sums(lambda v: v, lambda m: np.full(m.shape[1], one)))
