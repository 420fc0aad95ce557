"""Ensembles as scikit-learn's estimators."""

import copy
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import bootfold as bf
from bootfold._examples import weighted

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
rng = np.random.default_rng(3)
LINE = rng.normal(size=(200, 2))
TARGET = LINE @ [2.0, -1.0] + 3.0 + rng.normal(scale=0.5, size=200)


# All of scikit-learn's checks, none left out. Few members, and a rate that learns in few steps.
@parametrize_with_checks(
    [
        bf.EnsembleClassifier(members=4, epochs=40, learning_rate=1e-2),
        bf.EnsembleRegressor(members=4, epochs=60, learning_rate=1e-2),
        bf.EnsembleRegressor(members=4, epochs=60, learning_rate=1e-2, loss="gaussian"),
        bf.EnsembleClassifier(
            members=3, hidden=(), epochs=60, learning_rate=3e-2, resampling="none"
        ),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
