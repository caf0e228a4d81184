"""StructuralF1SVM against all labellings of small samples, and its duality gap."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

from labelspan.subspace import StructuralF1SVM
from labelspan.subspace._structural_f1 import simplex_maximum, worst_labelling
from tests.reference.subspace import f1_loss, structural_f1_objective
from tests.subspace.problems import problem


@pytest.mark.parametrize("seed", range(5))
def test_objective_is_that_of_all_labellings(seed):
    X, Y = problem(9, 3, seed=seed)
    y = np.where(Y[:, 0], 1, -1)
    model = StructuralF1SVM(C=2.0, tol=1e-6).fit(X, Y[:, :1])
    w, b = model.coef_[0], model.intercept_[0]
    # The program's scale: loss in percent, margins times 50 / n, a penalised intercept.
    expected = structural_f1_objective(X * 0.5 / 9, y, w, b * 0.5 / 9, 0.0)
    assert expected == pytest.approx(0.5 * w @ w)
    violation = structural_f1_objective(0.5 * X / 9, y, w, 0.5 * b / 9, 1.0) - 0.5 * w @ w
    primal = 0.5 * (w @ w + b**2) + 2.0 * 100 * violation
    assert model.primal_objective_[0] == pytest.approx(primal, rel=1e-9)
    gap = model.primal_objective_[0] - model.dual_objective_[0]
    assert gap + 1e-9 >= 0
    assert gap <= 1e-6 * 200
    rng = np.random.default_rng(seed)
    for size in (1e-2, 1.0):
        v = np.append(w, b) + size * rng.standard_normal(4)
        other = structural_f1_objective(0.5 * X / 9, y, v[:-1], 0.5 * v[-1] / 9, 1.0)
        value = 0.5 * v @ v + 200 * (other - 0.5 * v[:-1] @ v[:-1])
        assert value >= model.dual_objective_[0]


@pytest.mark.parametrize("seed", range(5))
def test_worst_labelling_beats_random_ones(seed):
    rng = np.random.default_rng(seed)
    scores, positive = rng.standard_normal(30), rng.random(30) < 0.3
    y = np.where(positive, 1, -1)
    loss, changed = worst_labelling(scores, positive)
    found = loss - 100 / 30 * np.sum(y * scores * changed)
    assert loss == pytest.approx(100 * f1_loss(y, np.where(changed > 0, -y, y)))
    for _ in range(500):
        flips = rng.random(30) < rng.random()
        other = 100 * f1_loss(y, np.where(flips, -y, y)) - 100 / 30 * np.sum(y * scores * flips)
        assert other <= found + 1e-9


def test_simplex_maximum_meets_its_conditions():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((12, 5))
    gram, losses = A @ A.T, rng.random(12)
    start = np.zeros(12)
    start[0] = 3.0
    weights = simplex_maximum(gram, losses, start, 1e-10)
    gradient = losses - gram @ weights
    assert weights.sum() == pytest.approx(3.0)
    assert weights.min() >= 0
    assert gradient.max() - gradient[weights > 0].min() < 1e-6


def test_rare_label_is_found_where_a_plain_machine_gives_up():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 6))
    y = (X[:, 0] + 0.8 * rng.standard_normal(400) > 1.8).astype(int)
    ours = f1_score(y, StructuralF1SVM(C=100.0).fit(X, y).predict(X))
    plain = f1_score(y, LinearSVC(C=1.0).fit(X, y).predict(X))
    assert ours > plain


def test_constant_labels_sparse_and_the_warning():
    X, Y = problem(60, 10)
    Y[:, 1] = 1
    model = StructuralF1SVM(C=1.0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X)[:, [1, -1]], Y[:, [1, -1]])
    other = StructuralF1SVM(C=1.0).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(other.coef_, model.coef_, atol=1e-6)
    with pytest.warns(ConvergenceWarning, match="stopped after 2 cutting planes at a relative gap"):
        StructuralF1SVM(C=10.0, max_iter=2).fit(X, Y)
