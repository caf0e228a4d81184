"""StructuralF1SVM against all labellings of small samples, and its duality gap."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

from labelspan.subspace import StructuralF1SVM
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


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("seed", range(5))
def test_no_labelling_violates_more_than_the_objective_says(seed, C):
    """Of 30 rows, where all labellings are too many: random ones, and those next to the best."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 4))
    y = np.where(X[:, 0] + rng.standard_normal(30) > 0.7, 1, -1)
    model = StructuralF1SVM(C=C, tol=1e-8).fit(X, y[:, None] > 0)
    w, b = model.coef_[0], model.intercept_[0]
    margins = y * (X @ w + b)

    def violation(flips):
        return 100 * f1_loss(y, np.where(flips, -y, y)) - 100 / 30 * np.sum(margins * flips)

    # The dual problem is solved to the same tolerance, so both are the optimum.
    primal, dual = model.primal_objective_[0], model.dual_objective_[0]
    assert -1e-9 * primal <= primal - dual <= 1e-6 * primal
    most = (primal - 0.5 * (w @ w + b**2)) / C
    assert most >= 0
    flips = [rng.random(30) < rng.random() for _ in range(500)]
    # As many positives and negatives as you like, those of the smallest margins first.
    places = {sign: np.flatnonzero(y == sign)[np.argsort(margins[y == sign])] for sign in (-1, 1)}
    for i in range(len(places[1]) + 1):
        for j in range(len(places[-1]) + 1):
            chosen = np.zeros(30, bool)
            chosen[places[1][:i]] = chosen[places[-1][:j]] = True
            flips.append(chosen)
    found = np.array([violation(chosen) for chosen in flips])
    assert found.max() == pytest.approx(most, abs=1e-7)


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
