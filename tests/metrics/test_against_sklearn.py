"""The default conventions are scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics as reference

from labelspan import metrics


@pytest.fixture(params=[0, 1, 2])
def data(request):
    rng = np.random.default_rng(request.param)
    Y = (rng.random((80, 7)) < 0.3).astype(int)
    Y[0], Y[1] = 0, 1
    S = rng.integers(0, 5, Y.shape) / 5 + 0.3 * Y
    return Y, S, (S > 0.5).astype(int)


def test_ranking_measures(data):
    Y, S, _ = data
    assert metrics.ranking_loss(Y, S) == pytest.approx(reference.label_ranking_loss(Y, S))
    expected = reference.label_ranking_average_precision_score(Y, S)
    assert metrics.average_precision(Y, S) == pytest.approx(expected)
    assert metrics.coverage(Y, S) == pytest.approx(reference.coverage_error(Y, S) - 1)
    for average, function in {"macro": metrics.macro_auc, "micro": metrics.micro_auc}.items():
        assert function(Y, S) == pytest.approx(reference.roc_auc_score(Y, S, average=average))
    for k in (1, 3, 7, 9):
        assert metrics.ndcg_at_k(Y, S, k) == pytest.approx(reference.ndcg_score(Y, S, k=k))


@pytest.mark.parametrize("zero", [0.0, 1.0, np.nan])
def test_set_measures(data, zero):
    Y, _, P = data
    Y, P = np.column_stack([Y, 0 * Y[:, 0]]), np.column_stack([P, 0 * P[:, 0]])
    Y[2] = P[2] = 0
    Y[3], P[3], Y[4], P[4] = 0, 1, 1, 0
    assert metrics.hamming_loss(Y, P) == pytest.approx(reference.hamming_loss(Y, P))
    assert metrics.subset_accuracy(Y, P) == pytest.approx(reference.accuracy_score(Y, P))
    for average, function in {
        "micro": metrics.micro_f1,
        "macro": metrics.macro_f1,
        "samples": metrics.samples_f1,
    }.items():
        expected = reference.f1_score(Y, P, average=average, zero_division=zero)
        assert function(Y, P, zero_division=zero) == pytest.approx(expected)
    arguments = {"average": "samples", "zero_division": zero}
    expected = reference.precision_score(Y, P, **arguments)
    assert metrics.instance_precision(Y, P, zero_division=zero) == pytest.approx(expected)
    expected = reference.recall_score(Y, P, **arguments)
    assert metrics.instance_recall(Y, P, zero_division=zero) == pytest.approx(expected)
    if not np.isnan(zero):
        expected = reference.jaccard_score(Y, P, **arguments)
        assert metrics.instance_accuracy(Y, P, zero_division=zero) == pytest.approx(expected)
