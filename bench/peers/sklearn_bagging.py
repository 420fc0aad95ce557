"""scikit-learn's Bagging of MLPs, on all cores: as many steps of the same size."""

from __future__ import annotations

import math
import warnings

import harness
import networks
import sklearn
from networks import LEARNING_RATE, NetworkWork, make_data
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline


def prepare(work: NetworkWork):
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    x, y = make_data(work)
    batch = work.batch or work.rows
    # It counts epochs: as many as have these steps, not fewer.
    epochs = math.ceil(work.steps / math.ceil(work.rows / batch))
    network = MLPClassifier(
        hidden_layer_sizes=tuple(work.layers[1:-1]),
        alpha=0,
        batch_size=batch,
        learning_rate_init=LEARNING_RATE,
        max_iter=epochs,
        n_iter_no_change=epochs + 1,
    )
    # Bagging would give an MLP weights of rows, and fail where a batch has none above 0; a pipeline
    # takes none, so it gets the drawn rows themselves.
    bagged = make_pipeline(network)
    bagging = BaggingClassifier(bagged, n_estimators=work.members, n_jobs=harness.cores())
    return lambda: bagging.fit(x, y)


if __name__ == "__main__":
    networks.main(
        prepare,
        version=f"scikit-learn {sklearn.__version__}",
        path="Bagging(MLP)",
        threads=harness.cores(),
        least=1,
    )
