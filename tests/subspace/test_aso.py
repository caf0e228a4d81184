"""ASOClassifier: the certificate of its inner problem, descent, stationarity, warnings."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelspan.subspace import ASOClassifier
from labelspan.subspace._hinge import HingeProblem
from tests.subspace.problems import problem


@parametrize_with_checks([ASOClassifier(alpha=0.1)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_inner_problem_is_optimal_by_its_dual(alpha):
    X, Y = problem(80, 12)
    S = 2.0 * Y - 1
    Theta = np.linalg.qr(np.random.default_rng(0).standard_normal((12, 3)))[0].T
    inner = HingeProblem(sparse.csr_array(X), S, alpha, 0)
    U, b = inner.solve(Theta, 400)
    a = inner.dual
    assert inner.gap < 2.1e-3
    assert (a >= 0).all()
    assert (a <= inner.C).all()
    # Weak duality up to the equalities of the free weights, which must nearly hold.
    unmet = (a * S.T) @ np.hstack([X @ Theta.T, np.ones((80, 1))])
    W = X.T @ (a * S.T).T
    dual = 2 * alpha * (a.sum() - 0.5 * np.sum(W**2))
    primal = inner.objective(Theta, U, b)
    assert np.abs(unmet).max() < 0.02 * inner.C * 80
    assert abs(primal - dual) < 0.01 * primal


def test_without_a_subspace_it_is_the_support_vector_machine():
    X, Y = problem(100, 8)
    S = 2.0 * Y[:, :3] - 1
    X = X - X.mean(axis=0)
    inner = HingeProblem(sparse.csr_array(X), S, 0.05, 0)
    U, b = inner.solve(np.zeros((0, 8)), 50)
    ours = inner.objective(np.zeros((0, 8)), U, b)
    svm = [
        LinearSVC(loss="hinge", C=inner.C, intercept_scaling=100.0, max_iter=10**6, tol=1e-6).fit(
            X, s
        )
        for s in S.T
    ]
    V = np.column_stack([model.coef_[0] for model in svm])
    theirs = inner.objective(np.zeros((0, 8)), V, np.array([m.intercept_[0] for m in svm]))
    assert ours == pytest.approx(theirs, rel=5e-3)


def test_objective_falls_and_the_subspace_is_the_best_for_the_weights():
    X, Y = problem(80, 12)
    model = ASOClassifier(3, alpha=0.1, random_state=0).fit(X, Y)
    falls = np.diff(model.objectives_)
    assert model.n_iter_ == len(model.objectives_) > 2
    assert falls.max() <= 0.01 * model.objectives_[0]
    assert model.objective_ < 0.9 * model.objectives_[0]
    np.testing.assert_allclose(model.theta_ @ model.theta_.T, np.eye(3), atol=1e-12)
    S, U = 2.0 * Y - 1, model.coef_.T
    losses = np.maximum(0, 1 - S * (X @ U + model.intercept_)).sum() / 80
    outside = U - model.theta_.T @ model.theta_ @ U
    assert model.objective_ == pytest.approx(losses + 0.1 * np.sum(outside**2))
    scores = model.decision_function(sparse.csr_array(X))
    np.testing.assert_allclose(scores, X @ U + model.intercept_)


def test_sparse_and_dense_agree():
    X, Y = problem(60, 10)
    dense = ASOClassifier(2, alpha=0.1, random_state=3).fit(X, Y)
    other = ASOClassifier(2, alpha=0.1, random_state=3).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(other.coef_, dense.coef_)


def test_constant_labels_are_left_to_their_intercepts():
    X, Y = problem(40, 6)
    Y[:, 0] = 1
    model = ASOClassifier(2, alpha=0.1, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.coef_[[0, -1]], 0)
    np.testing.assert_array_equal(model.predict(X)[:, [0, -1]], Y[:, [0, -1]])


def test_warnings_tell_numbers():
    X, Y = problem(60, 10)
    with pytest.warns(ConvergenceWarning, match=r"ASO stopped after 2 turns at a relative change"):
        ASOClassifier(2, alpha=0.1, max_iter=2, tol=0.0, random_state=0).fit(X, Y)
    with pytest.warns(UserWarning, match="n_components=9 is more than the rank 6 of the weights"):
        ASOClassifier(9, alpha=1.0, random_state=0).fit(X, Y)
