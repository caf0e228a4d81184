"""Table I of the MDDM paper: ML-kNN after MDDM_p and after PCA of the same dimension."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from labelspan import MDDM
from labelspan.classifiers import MLkNN
from labelspan.metrics import evaluate

MEASURES = (
    "hamming_loss",
    "micro_f1",
    "ranking_loss",
    "one_error",
    "average_precision",
    "macro_auc",
)

# Dimension at thr = 0.999, then MDDM_p and PCA, on the Yahoo sets of the ML-kNN authors
# (2000 training rows). Found by an independent program; the means over all eleven sets are
# within .02 of the printed Table I.
INDEPENDENT = {
    "arts": (
        23,
        (0.057, 0.304, 0.130, 0.539, 0.572, 0.650),
        (0.060, 0.176, 0.146, 0.601, 0.527, 0.602),
    ),
    "business": (
        24,
        (0.027, 0.712, 0.038, 0.116, 0.884, 0.633),
        (0.028, 0.679, 0.044, 0.131, 0.870, 0.610),
    ),
    "health": (
        19,
        (0.035, 0.587, 0.048, 0.292, 0.765, 0.669),
        (0.041, 0.456, 0.058, 0.377, 0.706, 0.633),
    ),
    "science": (
        33,
        (0.032, 0.331, 0.114, 0.553, 0.553, 0.662),
        (0.034, 0.158, 0.129, 0.637, 0.491, 0.628),
    ),
}


def measured(reduce, data):
    X = reduce.transform(data.X)
    model = MLkNN(10).fit(X[data.train], data.Y[data.train])
    P = model.predict_proba(X[data.test])
    values = evaluate(data.Y[data.test], P >= 0.5, P, measures=MEASURES, convention="mddm")
    return [values[name] for name in MEASURES]


@pytest.mark.reproduce
@pytest.mark.parametrize("name", INDEPENDENT)
def test_table_one(dataset, name):
    dimension, mddm, pca = INDEPENDENT[name]
    data = dataset(f"yahoo-mlknn-{name}")
    X, Y = data.X[data.train], data.Y[data.train]
    reduce = MDDM(0.999).fit(X, Y)
    assert reduce.n_components_ == dimension
    np.testing.assert_allclose(measured(reduce, data), mddm, atol=0.005)
    plain = PCA(dimension, svd_solver="full").fit(X)
    np.testing.assert_allclose(measured(plain, data), pca, atol=0.005)
