#!/usr/bin/env python3
"""Members that share the weights of hidden layers beside independent members.

    PYTHONPATH=build/release/python bench/share.py [--members 32] [--splits 3] [--threads 1]

Both are trained with the same options on the same resamples of scikit-learn's tables and of
Friedman's function, with early stopping on out-of-bag rows. Times are CPU time on one thread.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn import datasets
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import bootfold as bf


def tables():
    """Name, inputs, target, whether it is a class."""
    yield "friedman1", *datasets.make_friedman1(4_000, noise=1.0, random_state=0), False
    yield "diabetes", *datasets.load_diabetes(return_X_y=True), False
    yield "breast_cancer", *datasets.load_breast_cancer(return_X_y=True), True
    yield "digits", *datasets.load_digits(return_X_y=True), True


def score(model, X, y):
    """Log loss or RMSE."""
    if hasattr(model, "predict_proba"):
        return log_loss(y, model.predict_proba(X))
    return float(np.sqrt(np.mean((model.predict(X) - y) ** 2)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, default=32)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--epochs", type=float, default=60)
    parser.add_argument("--only", help="one table")
    given = parser.parse_args()
    print("table, network: loss and CPU seconds of independent members, of shared ones, of one")
    for name, X, y, classes in tables():
        if given.only and name != given.only:
            continue
        for hidden in ((32,), (128, 128)):
            found = {"independent": [], "shared": [], "one": []}
            for split in range(given.splits):
                parts = train_test_split(X, y, test_size=0.25, random_state=split)
                for kind in found:
                    kinds = bf.EnsembleClassifier if classes else bf.EnsembleRegressor
                    model = kinds(
                        1 if kind == "one" else given.members,
                        hidden,
                        share=kind == "shared",
                        learning_rate=2e-3,
                        epochs=given.epochs,
                        patience=8,
                        batch_size=64,
                        optimizer="adamw",
                        weight_decay=1e-2,
                        random_state=split,
                        threads=given.threads,
                    )
                    begin = time.process_time()
                    model.fit(parts[0], parts[2])
                    seconds = time.process_time() - begin
                    found[kind].append((score(model, parts[1], parts[3]), seconds))
            words = [
                "{:.4f} in {:.2f} s".format(*np.mean(found[kind], axis=0)) for kind in found
            ]
            print(f"{name}, {' x '.join(map(str, hidden))}: {'; '.join(words)}", flush=True)


if __name__ == "__main__":
    main()
