"""Intervals of scores: each metric against scikit-learn's on the resamples themselves."""

import functools

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bootfold as bf

SOURCE = np.random.default_rng(11)
ROWS = 60
TRUTH = SOURCE.integers(0, 2, ROWS)
SCORE = np.round(TRUTH + SOURCE.normal(size=ROWS), 1)  # with ties
SAID = (SCORE > 0.5).astype(int)
CLASS = SOURCE.integers(0, 4, ROWS)
GUESS = np.where(SOURCE.random(ROWS) < 0.5, CLASS, SOURCE.integers(0, 4, ROWS))
SHARES = SOURCE.dirichlet(np.ones(4), ROWS)
NUMBER = SOURCE.normal(5.0, 2.0, ROWS)
NEAR = NUMBER + SOURCE.normal(size=ROWS)


def by_resamples(metric, truth, told, *, seed=7, replicates=200):
    """The metric on the rows that the same seed draws: a function gets them one by one."""
    drawn = []

    def rows(x):
        drawn.append(x.astype(int))
        return 0.0

    bf.bootstrap(np.arange(len(truth)), rows, seed=seed, replicates=replicates, threads=1)
    # The first call is on the data as they are.
    return np.array([metric(truth[d], told[d]) for d in drawn[1:]])


F1 = functools.partial(metrics.f1_score, zero_division=0.0)
CASES = {
    "accuracy": (metrics.accuracy_score, TRUTH, SAID),
    "f1": (F1, TRUTH, SAID),
    "f1_macro": (functools.partial(F1, average="macro"), CLASS, GUESS),
    "f1_micro": (functools.partial(F1, average="micro"), CLASS, GUESS),
    "f1_weighted": (functools.partial(F1, average="weighted"), CLASS, GUESS),
    "log_loss": (functools.partial(metrics.log_loss, labels=range(4)), CLASS, SHARES),
    "roc_auc": (metrics.roc_auc_score, TRUTH, SCORE),
    "mean_squared_error": (metrics.mean_squared_error, NUMBER, NEAR),
    "root_mean_squared_error": (metrics.root_mean_squared_error, NUMBER, NEAR),
    "mean_absolute_error": (metrics.mean_absolute_error, NUMBER, NEAR),
    "r2": (metrics.r2_score, NUMBER, NEAR),
}


# Draws of the fast paths are others than those by gather, of the same law. The distance of the two
# distribution functions, of 500 and of 20,000 replicates, is above 0.101 once in 10^4.
@pytest.mark.parametrize("name", ["accuracy", "f1_macro", "log_loss", "r2"])
def test_the_law_is_that_of_resamples(name):
    metric, truth, told = CASES[name]
    found = bf.bootstrap_score(told, None, truth, name, seed=7, replicates=20_000)
    expected = by_resamples(metric, truth, told, replicates=500)
    grid = np.unique(expected)
    own = np.searchsorted(np.sort(found.replicates), grid + 1e-9, side="right") / 20_000
    theirs = np.searchsorted(np.sort(expected), grid + 1e-9, side="right") / 500
    assert abs(own - theirs).max() < 0.101


@pytest.mark.parametrize("name", CASES)
def test_estimates_are_those_of_scikit_learn(name):
    metric, truth, told = CASES[name]
    found = bf.bootstrap_score(told, None, truth, name, seed=7, replicates=1000)
    assert found.estimate == pytest.approx(metric(truth, told), rel=1e-9)
    assert found.outputs == [name]
    assert found.interval("bca").low < found.estimate


# Of a bootstrap by the same draws the area has the same replicates to the last digits.
def test_the_area_on_every_resample():
    found = bf.bootstrap_score(SCORE, None, TRUTH, "roc_auc", seed=7, replicates=500)
    assert found.plan.path == "gather" and "ranks" in found.plan.reason
    expected = by_resamples(metrics.roc_auc_score, TRUTH, SCORE, replicates=500)
    np.testing.assert_allclose(found.replicates, expected, rtol=1e-12)


# What the fast paths make of means, on given rows.
@pytest.mark.parametrize("name", [name for name in CASES if name != "roc_auc"])
def test_the_finish_on_given_resamples(name):
    from bootfold._metrics import known

    metric, truth, told = CASES[name]
    fast = known(name)
    prepared = fast.prepare(truth, told, **fast.arguments)
    for seed in range(50):
        rows = np.random.default_rng(seed).integers(0, ROWS, ROWS)
        means = np.array([column[rows].mean() for column in prepared.columns])
        value = prepared.finish(means[:, None])[0]
        assert value == pytest.approx(metric(truth[rows], told[rows]), rel=1e-12)


def test_bca_of_the_area_takes_rows_out_one_by_one():
    truth = np.arange(ROWS) % 3 == 0
    score = np.round(truth + np.random.default_rng(2).normal(size=ROWS), 1)
    fast = bf.bootstrap_score(score, None, truth, "roc_auc", seed=8, replicates=400)

    def slow_area(y, s):
        return metrics.roc_auc_score(y, s)

    slow = bf.bootstrap_score(score, None, truth, slow_area, seed=8, replicates=400)
    np.testing.assert_allclose(fast.replicates, slow.replicates, rtol=1e-12)
    limits = [tuple(r.interval("bca", confidence=0.8)) for r in (fast, slow)]
    np.testing.assert_allclose(*limits, rtol=1e-9)


def test_functions_of_scikit_learn_take_the_fast_path():
    for function, truth, told, name in [
        (metrics.accuracy_score, TRUTH, SAID, "accuracy"),
        (metrics.f1_score, TRUTH, SAID, "f1"),
        (functools.partial(metrics.f1_score, average="macro"), CLASS, GUESS, "f1_macro"),
        (metrics.roc_auc_score, TRUTH, SCORE, "roc_auc"),
        (metrics.mean_absolute_error, NUMBER, NEAR, "mean_absolute_error"),
    ]:
        found = bf.bootstrap_score(told, None, truth, function, seed=7, replicates=100)
        named = bf.bootstrap_score(told, None, truth, name, seed=7, replicates=100)
        np.testing.assert_array_equal(found.replicates, named.replicates)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[::2], y[::2])
    return model, X[1::2], y[1::2]


@pytest.mark.parametrize("metric", ["accuracy", "log_loss", "f1", "roc_auc"])
def test_estimators(cancer, metric):
    model, X, y = cancer
    told = model.predict_proba(X) if metric in ("log_loss", "roc_auc") else model.predict(X)
    found = bf.bootstrap_score(model, X, y, metric, seed=7, replicates=500)
    given = bf.bootstrap_score(told, None, y, metric, seed=7, replicates=500)
    np.testing.assert_array_equal(found.replicates, given.replicates)
    low, high = found.interval("bca", confidence=0.9)
    assert low < found.estimate < high


# Scorers see the predictions that were made once, and say what they say of the rows themselves.
@pytest.mark.parametrize("name", ["balanced_accuracy", "neg_brier_score", "average_precision"])
def test_other_scorers_by_their_names(cancer, name):
    model, X, y = cancer
    found = bf.bootstrap_score(model, X, y, name, seed=7, replicates=20)
    scorer = metrics.get_scorer(name)
    assert found.estimate == pytest.approx(scorer(model, X, y))
    drawn = []
    bf.bootstrap(np.arange(len(y)), lambda x: drawn.append(x) or 0.0, seed=7, replicates=20)
    rows = drawn[1].astype(int)
    assert found.replicates[0] == pytest.approx(scorer(model, X[rows], y[rows]))


def test_own_functions(cancer):
    model, X, y = cancer

    def missed(truth, said):
        return ((truth == 1) & (said == 0)).sum()

    found = bf.bootstrap_score(model, X, y, missed, seed=7, replicates=50)
    assert found.estimate == missed(y, model.predict(X)) and found.outputs == ["missed"]
    proba = bf.bootstrap_score(
        model, X, y, lambda t, p: p[:, 1].mean(), response="predict_proba", replicates=50
    )
    assert proba.estimate == pytest.approx(model.predict_proba(X)[:, 1].mean())


def test_ensembles_and_classes_that_are_words():
    X, y = load_iris(return_X_y=True)
    names = np.array(["c", "a", "b"])[y]
    model = bf.EnsembleClassifier(members=5, epochs=20, learning_rate=1e-2).fit(X[::2], names[::2])
    found = bf.bootstrap_score(model, X[1::2], names[1::2], "log_loss", replicates=200)
    expected = metrics.log_loss(names[1::2], model.predict_proba(X[1::2]), labels=["a", "b", "c"])
    assert found.estimate == pytest.approx(expected)
    words = np.where(TRUTH == 1, "yes", "no")
    by_words = bf.bootstrap_score(np.where(SAID == 1, "yes", "no"), None, words, "f1", seed=7)
    by_numbers = bf.bootstrap_score(SAID, None, TRUTH, "f1", seed=7)
    np.testing.assert_array_equal(by_words.replicates, by_numbers.replicates)
    other = bf.bootstrap_score(SAID, None, TRUTH, "f1", pos_label=0)
    assert other.estimate == pytest.approx(metrics.f1_score(TRUTH, SAID, pos_label=0))
    area = bf.bootstrap_score(SCORE, None, TRUTH, "roc_auc", pos_label=0, replicates=100)
    assert area.estimate == pytest.approx(1 - metrics.roc_auc_score(TRUTH, SCORE))


# Strata keep the share of classes: then no resample is without one of them.
def test_strata_and_clusters():
    truth = np.arange(20) < 2
    score = truth + np.random.default_rng(1).normal(size=20)
    assert bf.bootstrap_score(score, None, truth, "roc_auc", replicates=1000).undefined > 0
    kept = bf.bootstrap_score(score, None, truth, "roc_auc", strata=truth, replicates=1000)
    assert kept.undefined == 0
    pairs = bf.bootstrap_score(SAID, None, TRUTH, clusters=np.arange(ROWS) // 2, replicates=100)
    assert "cluster" in pairs.plan.scheme


def test_results_extend(tmp_path):
    part = bf.bootstrap_score(SCORE, None, TRUTH, "roc_auc", seed=7, replicates=100).extend(50)
    whole = bf.bootstrap_score(SCORE, None, TRUTH, "roc_auc", seed=7, replicates=150)
    np.testing.assert_array_equal(part.replicates, whole.replicates)
    whole.save(tmp_path / "area.safetensors")
    assert tuple(bf.load(tmp_path / "area.safetensors").interval("bca")) == tuple(
        whole.interval("bca")
    )


def test_regressors():
    X = SOURCE.normal(size=(100, 3))
    y = X @ [1.0, 2.0, 3.0] + SOURCE.normal(size=100)
    model = LinearRegression().fit(X, y)
    found = bf.bootstrap_score(model, X, y, "r2", replicates=500)
    assert found.estimate == pytest.approx(model.score(X, y))
    assert found.interval("bca").low < found.estimate


# What the fast paths do not know is called on the resamples.
def test_functions_beyond_the_fast_paths():
    two = np.column_stack([NUMBER, NEAR])
    found = bf.bootstrap_score(two[:, ::-1], None, two, metrics.mean_squared_error, replicates=20)
    assert found.estimate == pytest.approx(metrics.mean_squared_error(two, two[:, ::-1]))
    each = functools.partial(F1, average=None, labels=range(4))
    found = bf.bootstrap_score(GUESS, None, CLASS, each, replicates=20)
    np.testing.assert_allclose(found.estimate, each(CLASS, GUESS))
    with pytest.raises(ValueError, match="takes one column"):
        bf.bootstrap_score(two, None, two, "r2")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bf.bootstrap_score(SAID, None, TRUTH, "acuracy"), "did you mean 'accuracy'"),
        (lambda: bf.bootstrap_score(SAID[:-1], None, TRUTH), "59 predictions but y has 60 rows"),
        (lambda: bf.bootstrap_score(SAID, SCORE, TRUTH), "X must be None"),
        (lambda: bf.bootstrap_score(LinearRegression(), None, TRUTH), "X is None"),
        (lambda: bf.bootstrap_score(GUESS, None, CLASS, "f1"), "'f1_macro'"),
        (lambda: bf.bootstrap_score(SAID, None, TRUTH, "f1", pos_label=5), "pos_label is 5"),
        (lambda: bf.bootstrap_score(GUESS, None, CLASS, "roc_auc"), "4 classes but roc_auc"),
        (lambda: bf.bootstrap_score(SHARES, None, TRUTH, "log_loss"), "4 classes but 2 classes"),
        (lambda: bf.bootstrap_score(SHARES, None, CLASS), "shape"),
        (
            lambda: bf.bootstrap_score(SHARES, None, CLASS, "log_loss", classes=[0, 1, 2, 9]),
            r"\] is 3, a class without a probability",
        ),
        (lambda: bf.bootstrap_score([], None, []), "no rows"),
        (lambda: bf.bootstrap_score(SAID, None, TRUTH, "neg_brier_score"), "needs an estimator"),
        (lambda: bf.bootstrap_score(SAID, None, TRUTH, response="score"), "response is 'score'"),
        (lambda: bf.bootstrap_score(SAID, None, TRUTH, 7), "must be a name or a function"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
