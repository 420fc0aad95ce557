"""Rows that lie outside the range of the training rows, or have no place in it."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import bootfold as bf

X, Y = load_iris(return_X_y=True)
LINE = np.random.default_rng(3).normal(size=(200, 2))
TARGET = LINE @ [2.0, -1.0]


def classifier(**given):
    return bf.EnsembleClassifier(members=10, epochs=40, learning_rate=1e-2, **given)


def regressor():
    return bf.EnsembleRegressor(members=10, epochs=40, learning_rate=1e-2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_outside_the_range_of_the_training_rows(dtype, tmp_path):
    data = X.astype(dtype)
    model = classifier().fit(data, Y)
    low, high = model.input_range_
    np.testing.assert_array_equal(low, data.min(axis=0))
    np.testing.assert_array_equal(high, data.max(axis=0))
    assert (model.outside_range(data) == 0).all()
    far = np.vstack([high, high + [1, 0, 0, 0], low - [1, 1, 0, 0], X.mean(axis=0) + 1e6])
    far = far.astype(dtype)
    assert model.outside_range(far).tolist() == [0, 1, 2, 4]
    assert model.outside_range(far[:, :]).dtype == np.int64
    found = model.uncertainty(far)
    assert found.outside.tolist() == [0, 1, 2, 4]
    assert len(found) == 3  # total, aleatoric, epistemic, as before
    again = pickle.loads(pickle.dumps(found))
    assert again.outside.tolist() == [0, 1, 2, 4] and len(again) == 3
    model.save(tmp_path / "m.safetensors")
    loaded = bf.EnsembleClassifier.load(tmp_path / "m.safetensors")
    assert loaded.outside_range(far).tolist() == [0, 1, 2, 4]
    with pytest.raises(NotFittedError):
        bf.EnsembleRegressor().outside_range(far)


def test_rows_of_weight_0_have_no_part_in_the_range():
    model = regressor().fit(LINE, TARGET, sample_weight=(LINE[:, 0] < 1).astype(float))
    assert model.input_range_[1][0] < 1
    np.testing.assert_array_equal(model.outside_range(LINE) > 0, LINE[:, 0] >= 1)
    assert model.uncertainty(LINE).outside.tolist() == model.outside_range(LINE).tolist()


# The training rows have no missing value, so that of row 3 is outside their range.
def test_missing_value_that_training_rows_do_not_have_is_outside():
    gap = X.copy()
    gap[3, 1] = np.nan
    model = classifier().fit(X, Y)
    assert model.outside_range(gap).tolist() == [0, 0, 0, 1] + [0] * 146
    filled = X.copy()
    filled[3, 1] = np.median(X[:, 1])
    np.testing.assert_array_equal(model.predict_proba(gap), model.predict_proba(filled))


def test_nan_in_a_row_is_an_error():
    gap = X.copy()
    gap[3, 1] = np.nan
    model = classifier(nan="error").fit(X, Y)
    for method in (model.predict, model.predict_proba, model.uncertainty, model.outside_range):
        with pytest.raises(ValueError, match="contains NaN"):
            method(gap)
