"""Intervals of scores: each metric against scikit-learn's on the resamples themselves."""

import functools

import numpy as np
import pandas as pd
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
    "average_precision": (metrics.average_precision_score, TRUTH, SCORE),
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


RANKS = {
    "roc_auc": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
}


# Every replicate is scikit-learn's value with counts as weights, with many ties and with few.
@pytest.mark.parametrize("name", RANKS)
@pytest.mark.parametrize("scheme", ["iid", "cluster", "stratified"])
@pytest.mark.parametrize("digits", [0, 1, 15])
def test_ranks_on_every_resample(name, scheme, digits):
    rows = 2000
    source = np.random.default_rng(5)
    truth = source.random(rows) < 0.3
    scores = [np.round(truth * strength + source.normal(size=rows), digits) for strength in (1, 2)]
    labels = source.integers(0, 40, rows) if scheme == "cluster" else truth
    how = {"cluster": {"clusters": labels}, "stratified": {"strata": labels}}.get(scheme, {})
    found = bf.bootstrap_score(
        scores[0], None, truth, name, versus=scores[1], seed=7, replicates=30, **how
    )
    assert found.outputs == [name, f"{name} of versus", "difference"]
    assert found.plan.path == ("gather" if scheme == "cluster" else "stream")
    counts = bf.counts(rows, 30, seed=7, **how)
    expected = np.array([[RANKS[name](truth, s, sample_weight=c) for s in scores] for c in counts])
    expected = np.column_stack([expected, expected[:, 0] - expected[:, 1]])
    np.testing.assert_allclose(found.replicates, expected, rtol=0, atol=1e-12)
    whole = [RANKS[name](truth, s) for s in scores]
    np.testing.assert_allclose(found.estimate, [*whole, whole[0] - whole[1]], rtol=0, atol=1e-12)


# What the fast paths make of means, on given rows.
@pytest.mark.parametrize("name", [name for name in CASES if name not in RANKS])
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


# Influences in closed form are those of scikit-learn's function without each row.
@pytest.mark.parametrize("name", RANKS)
def test_bca_of_ranks_takes_rows_out_one_by_one(name):
    truth = np.arange(ROWS) % 3 == 0
    source = np.random.default_rng(2)
    scores = [np.round(truth + source.normal(size=ROWS), 1) for _ in range(2)]

    def slow_scores(place, counts):
        each = [[RANKS[name](truth, score, sample_weight=c) for score in scores] for c in counts]
        found = np.array(each)
        return np.column_stack([found, found[:, 0] - found[:, 1]])

    slow = bf.bootstrap(np.arange(ROWS), slow_scores, takes="counts", seed=8, replicates=400)
    fast = bf.bootstrap_score(
        scores[0], None, truth, name, versus=scores[1], seed=8, replicates=400
    )
    np.testing.assert_allclose(fast.replicates, slow.replicates, atol=1e-12)
    for one, other in zip(
        fast.interval("bca", confidence=0.8), slow.interval("bca", confidence=0.8), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("metric", ["accuracy", "f1", "log_loss", "brier", "calibration_error"])
def test_paired_differences_of_sums(metric):
    source = np.random.default_rng(4)
    chance = source.random((2, ROWS))
    told = chance if metric in ("log_loss", "brier", "calibration_error") else (chance > 0.5)
    arguments = {"seed": 7, "replicates": 300}
    both = bf.bootstrap_score(told[0], None, TRUTH == 1, metric, versus=told[1], **arguments)
    assert both.outputs == [metric, f"{metric} of versus", "difference"]
    np.testing.assert_allclose(
        both.replicates[:, 2], both.replicates[:, 0] - both.replicates[:, 1], atol=1e-12
    )
    for model in range(2):
        alone = bf.bootstrap_score(told[model], None, TRUTH == 1, metric, **arguments)
        assert both.estimate[model] == pytest.approx(alone.estimate, rel=1e-9)
    method = "percentile" if metric == "calibration_error" else "bca"  # which is biased upwards
    assert (both.interval(method).low < both.interval(method).high).all()


def test_paired_differences_of_functions_and_estimators(cancer):
    model, X, y = cancer
    other = make_pipeline(StandardScaler(), LogisticRegression(C=1e-3)).fit(X[::2], y[::2])
    by_name = bf.bootstrap_score(model, X, y, "roc_auc", versus=other, replicates=50)
    assert by_name.estimate[2] == pytest.approx(by_name.estimate[0] - by_name.estimate[1])
    for metric in ("balanced_accuracy", lambda truth, said: (truth == said).mean()):
        found = bf.bootstrap_score(model, X, y, metric, versus=other, replicates=20)
        assert found.outputs[2] == "difference"
        np.testing.assert_allclose(
            found.replicates[:, 2], found.replicates[:, 0] - found.replicates[:, 1]
        )


def test_probabilities():
    chance = np.random.default_rng(6).random(ROWS).round(3)
    brier = bf.bootstrap_score(chance, None, TRUTH, "brier", replicates=50)
    assert brier.estimate == pytest.approx(metrics.brier_score_loss(TRUTH, chance))
    several = bf.bootstrap_score(SHARES, None, CLASS, "brier", replicates=50)
    assert several.estimate == pytest.approx(((SHARES - np.eye(4)[CLASS]) ** 2).sum(1).mean())
    error = bf.bootstrap_score(chance, None, TRUTH, "calibration_error", bins=5, replicates=50)
    bins = np.digitize(chance, np.arange(1, 5) / 5, right=True)
    expected = sum(
        abs(chance[bins == b].mean() - TRUTH[bins == b].mean()) * (bins == b).mean()
        for b in range(5)
        if (bins == b).any()
    )
    assert error.estimate == pytest.approx(expected)
    cut = bf.bootstrap_score(chance, None, TRUTH, "f1", threshold=0.3, replicates=50)
    assert cut.estimate == pytest.approx(metrics.f1_score(TRUTH, chance >= 0.3))
    right = bf.bootstrap_score(chance, None, TRUTH, "accuracy", threshold=0.3, replicates=50)
    assert right.estimate == pytest.approx(metrics.accuracy_score(TRUTH, chance >= 0.3))


def test_functions_of_scikit_learn_take_the_fast_path():
    for function, truth, told, name in [
        (metrics.accuracy_score, TRUTH, SAID, "accuracy"),
        (metrics.f1_score, TRUTH, SAID, "f1"),
        (functools.partial(metrics.f1_score, average="macro"), CLASS, GUESS, "f1_macro"),
        (metrics.roc_auc_score, TRUTH, SCORE, "roc_auc"),
        (metrics.average_precision_score, TRUTH, SCORE, "average_precision"),
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
@pytest.mark.parametrize("name", ["balanced_accuracy", "neg_brier_score", "jaccard"])
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
        (lambda: bf.bootstrap_score(SAID, None, TRUTH, "r2", threshold=0.5), "threshold is 0.5"),
        (lambda: bf.bootstrap_score(SAID, None, TRUTH, versus=SAID[1:]), "59 predictions"),
        (lambda: bf.bootstrap_score(SCORE, None, TRUTH, "calibration_error"), "outside"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_classes_of_text_and_thresholds_of_partial_metrics():
    rng = np.random.default_rng(2)
    p = rng.uniform(size=300)
    y = np.where(rng.uniform(size=300) < p, "yes", "no")
    r = bf.bootstrap_score(p, None, y, "roc_auc", replicates=20)
    assert r.estimate == pytest.approx(metrics.roc_auc_score(y == "yes", p), abs=1e-12)
    macro = functools.partial(metrics.f1_score, average="macro")
    with pytest.raises(ValueError, match=r"threshold is 0\.3 and the metric has arguments"):
        bf.bootstrap_score(p, None, (y == "yes").astype(int), macro, threshold=0.3)


def test_two_models_in_a_list_are_compared_on_the_same_resamples():
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, 300)
    first = np.where(random.random(300) < 0.1, 1 - truth, truth)
    second = np.where(random.random(300) < 0.2, 1 - truth, truth)
    for metric in ("accuracy", "roc_auc", lambda t, p: float((t == p).mean())):
        found = bf.bootstrap_score([first, second], None, truth, metric, replicates=500)
        wanted = bf.bootstrap_score(first, None, truth, metric, versus=second, replicates=500)
        np.testing.assert_array_equal(found.replicates, wanted.replicates)
        np.testing.assert_allclose(
            found.replicates[:, 2], found.replicates[:, 0] - found.replicates[:, 1], atol=1e-12
        )
        low, high = found.interval()
        assert low.shape == (3,) and (low < high).all()
        name = metric if isinstance(metric, str) else "score"
        assert wanted.outputs == [name, f"{name} of versus", "difference"]
        assert found.outputs == [
            *(f"{name} of model 1", f"{name} of model 2"),
            f"{name}: model 1 - model 2",
        ]
        assert list(found.to_frame("pandas").statistic) == found.outputs
    with pytest.raises(ValueError, match="omit versus"):
        bf.bootstrap_score([first, second], None, truth, "accuracy", versus=second)


def test_two_estimators_in_a_list_are_compared():
    class Always:
        def __init__(self, answer):
            self.answer = answer

        def predict(self, X):
            return np.full(len(X), self.answer)

    X, y = np.zeros((50, 1)), np.array([0] * 20 + [1] * 30)
    found = bf.bootstrap_score([Always(1), Always(0)], X, y, "accuracy", replicates=100)
    np.testing.assert_allclose(found.estimate, [0.6, 0.4, 0.2])
    with pytest.raises(ValueError, match="3 models"):
        bf.bootstrap_score([Always(1), Always(0), Always(1)], X, y, "accuracy")


def test_two_models_are_called_after_their_classes_or_series():
    source = np.random.default_rng(3)
    X = source.normal(size=(200, 3))
    y = (X[:, 0] + source.normal(size=200) > 0).astype(int)
    linear = LogisticRegression().fit(X, y)
    other = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:, :], y)
    for metric in ("accuracy", "roc_auc", "balanced_accuracy"):
        found = bf.bootstrap_score([linear, other], X, y, metric, replicates=20)
        assert found.outputs == [
            *(f"{metric} of LogisticRegression", f"{metric} of Pipeline"),
            f"{metric}: LogisticRegression - Pipeline",
        ]
        same = bf.bootstrap_score([linear, linear], X, y, metric, replicates=20)
        assert same.outputs[0] == f"{metric} of model 1"
    told = [pd.Series(SAID, name="old"), pd.Series(1 - SAID, name="new")]
    found = bf.bootstrap_score(told, None, TRUTH, replicates=20)
    assert found.outputs == ["accuracy of old", "accuracy of new", "accuracy: old - new"]
