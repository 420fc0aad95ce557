"""explain() accepts exactly what bootstrap() accepts, and refuses in the same words.

The same for the library itself is in tests/bootstrap/road_test.cpp.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bootfold as bf

ROWS = 24
X = np.random.default_rng(3).normal(size=ROWS)
HALVES = np.arange(ROWS) // (ROWS // 2)
FOURS = np.arange(ROWS) // 4

SCHEMES = {
    "iid": {},
    "size": {"size": 10},
    "poisson": {"scheme": "poisson"},
    "bayesian": {"scheme": "bayesian"},
    "balanced": {"scheme": "balanced"},
    "unequal": {"probabilities": 1.0 + np.arange(ROWS) % 3},
    "stratified": {"strata": HALVES},
    "cluster": {"clusters": FOURS},
    "two stages": {"clusters": FOURS, "two_stage": True},
    "moving": {"scheme": "moving", "block_length": 3},
    "circular": {"scheme": "circular", "block_length": 3},
    "stationary": {"scheme": "stationary"},
    "jackknife": {"scheme": "jackknife"},
    "jackknife of clusters": {"scheme": "jackknife", "clusters": FOURS},
}


def spread(x):
    return x.max() - x.min()


def middle(x, axis):
    return x.mean(axis=axis)


STATISTICS = {
    "mean": "mean",
    "median": "median",
    "mean and median": ["mean", "median"],
    "trimmed mean": "trimmed_mean:0.1",
    "function": spread,
    "vectorized function": middle,
    "sums": bf.sums(lambda x: (x, x * x), lambda m: m[1] - m[0] ** 2),
}
INTERVALS = ["percentile", "normal", "bca", "studentized", "abc"]
PATHS = [None, "stream", "gather", "distinct", "order", "blocks", "weights", "deletion"]


def outcome_of(call, data, statistic, **options):
    """The path and the fingerprint that a call has, or its message."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bf.IntervalWarning)
        try:
            found = call(data, statistic, **{"nested_replicates": 2, "threads": 1, **options})
        except ValueError as error:
            return str(error)
    plan = found if call is bf.explain else found.plan
    return plan.path, getattr(plan, "fingerprint", None)


def same_outcome(data, statistic, **options):
    """Asserts that explain() and bootstrap() agree; whether they accept."""
    planned = outcome_of(bf.explain, data, statistic, **options)
    ran = outcome_of(bf.bootstrap, data, statistic, **options)
    assert planned == ran, options
    return isinstance(ran, tuple)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_explain_accepts_exactly_what_bootstrap_accepts(statistic):
    accepted = []
    for scheme in SCHEMES.values():
        count = {} if scheme.get("scheme") == "jackknife" else {"replicates": 3}
        for interval in INTERVALS:
            for path in PATHS:
                options = {**scheme, **count, "interval": interval, "path": path}
                accepted.append(same_outcome(X, STATISTICS[statistic], **options))
    assert sum(accepted) > 50  # both happen, so that the comparison says something
    assert len(accepted) - sum(accepted) > 50


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_auto_and_exact(statistic, interval):
    wanted = STATISTICS[statistic]
    # Standard errors of two nested replicates have tails that take 'auto' minutes to cover.
    until = {"replicates": "auto", "precision": 0.5, "nested_replicates": 25}
    auto = [
        same_outcome(X, wanted, interval=interval, **until, **scheme) for scheme in SCHEMES.values()
    ]
    assert not all(auto)  # neither balanced nor jackknife
    exact = [
        same_outcome(X[:5], wanted, replicates="exact", interval=interval, **scheme)
        for scheme in ({}, {"size": 3}, {"scheme": "poisson"}, {"path": "gather"})
    ]
    named = isinstance(wanted, (str, list))
    assert exact == [named and interval not in ("studentized", "abc"), False, False, False]


@pytest.mark.parametrize("interval", INTERVALS)
def test_data_sets_along_an_axis(interval):
    pair = (X.reshape(2, 12), X.reshape(2, 12)[::-1] + 1)
    for path in (None, "gather", "order"):
        for replicates in (3, "exact"):
            same_outcome(
                pair,
                "ratio",
                paired=True,
                axis=1,
                replicates=replicates,
                interval=interval,
                path=path,
            )


def test_every_data_set_is_in_the_fingerprint():
    def fingerprint(*sets):
        first = np.array(sets)
        pair = (first, first[:, ::-1] + 1)
        plan = bf.explain(pair, "correlation", paired=True, axis=1, replicates=3)
        run = bf.bootstrap(pair, "correlation", paired=True, axis=1, replicates=3)
        assert plan.fingerprint == run.plan.fingerprint
        assert plan.outputs == run.outputs
        assert run.extend(2).plan.fingerprint == plan.fingerprint
        return plan.fingerprint

    a, b, c = X[:8], X[8:16], X[16:]
    assert len({fingerprint(a, b), fingerprint(a, c), fingerprint(b, a), fingerprint(a, b, c)}) == 4


@pytest.mark.parametrize("call", [bf.bootstrap, bf.explain])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": "foo"}, "interval is 'foo'"),
        ({"confidence": 3}, "confidence is 3 but must be above 0 and below 1"),
        ({"alternative": "up"}, "alternative is 'up'"),
    ],
)
def test_an_interval_is_checked_at_the_call(call, options, message):
    for replicates in (100, "auto", "exact"):
        with pytest.raises(ValueError, match=message):
            call(X, "median", replicates=replicates, **options)
