"""ASOClassifier: the certificate of its inner problem, descent, stationarity, warnings."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from labelspan.subspace import ASOClassifier, HingeProblem
from tests.reference.subspace import aso
from tests.subspace.problems import problem


def machines(X, S, alpha, offsets, route, limit, weights=None):
    """The SVMs of one iteration, by the Gram matrix of the rows or row by row."""
    limit("hinge Gram side", 10**6 if route == "gram" else 0)
    inner = HingeProblem(X, S, 1 / (2 * len(S) * alpha), weights=weights)
    return inner, *inner.solve(offsets)


@pytest.mark.parametrize("route", ["gram", "rows"])
@pytest.mark.parametrize("alpha", [0.001, 0.1, 100.0])
def test_inner_problem_is_optimal_by_its_dual(alpha, route, limit):
    X, Y = problem(80, 12)
    S = 2.0 * Y[:, :-1] - 1
    offsets = np.random.default_rng(0).standard_normal(S.shape)
    inner, W, b = machines(X, S, alpha, offsets, route, limit)
    a = inner.dual.T
    assert (a >= 0).all()
    assert (a <= inner.C).all()
    np.testing.assert_allclose(W, X.T @ (a * S))
    # The equality of the intercept holds, so that the dual value is a true lower bound.
    unmet = np.abs((a * S).sum(axis=0)).max()
    assert unmet < (1e-12 if route == "gram" else 1e-3) * inner.C * 80
    hinge = np.maximum(0, 1 - S * (X @ W + b + offsets)).sum(axis=0)
    primal = inner.C * hinge + 0.5 * np.sum(W**2, axis=0)
    dual = (a * (1 - S * offsets)).sum(axis=0) - 0.5 * np.sum(W**2, axis=0)
    assert (primal - dual).min() > -1e-3 * inner.loss.max()
    assert ((primal - dual) / inner.loss).max() <= inner.gap + 1e-12
    assert inner.gap < (2e-3 if route == "gram" else 1e-2)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("route", ["gram", "rows"])
def test_without_offsets_it_is_the_support_vector_machine(route, weighted, limit):
    X, Y = problem(100, 8)
    S = 2.0 * Y[:, :3] - 1
    X = X - X.mean(axis=0)
    weights = np.random.default_rng(1).uniform(0.1, 3.0, len(X)) if weighted else None
    inner, W, b = machines(X, S, 0.05, np.zeros(S.shape), route, limit, weights)
    for k, s in enumerate(S.T):
        svm = SVC(kernel="linear", C=inner.C, tol=1e-6).fit(X, s, weights)
        np.testing.assert_allclose(W[:, k], svm.coef_[0], atol=0.01)
        assert b[k] == pytest.approx(svm.intercept_[0], abs=0.02)


@pytest.mark.parametrize("beta", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("shape", [(30, 6), (20, 40)])
def test_turns_are_those_of_the_transcription(shape, beta):
    X, Y = problem(*shape, q=5)
    Y = Y[:, :-1]
    expected = aso(X, 2.0 * Y - 1, 0.05, 2, 6, beta)
    model = ASOClassifier(2, alpha=0.05, beta=beta, tol=0.0, max_iter=6, random_state=0)
    # The turns end before six where the tolerance of the SVMs makes the objective rise.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, Y)
    assert model.n_iter_ > 2
    expected = expected[: model.n_iter_]
    np.testing.assert_allclose(model.objectives_, expected, rtol=5e-3, atol=2e-3 * expected[0])


def test_objective_falls_and_the_subspace_is_the_best_for_the_weights():
    X, Y = problem(80, 12)
    model = ASOClassifier(3, alpha=0.1, random_state=0).fit(X, Y)
    falls = np.diff(model.objectives_)
    assert model.n_iter_ == len(model.objectives_) > 2
    # At most by the tolerance of the SVMs.
    assert falls.max() <= 1e-3 * model.objectives_[0]
    assert model.objective_ < 0.9 * model.objectives_[0]
    np.testing.assert_allclose(model.theta_ @ model.theta_.T, np.eye(3), atol=1e-12)
    S, U = 2.0 * Y - 1, model.coef_.T
    losses = np.maximum(0, 1 - S * (X @ U + model.intercept_)).sum() / 80
    outside = U - model.theta_.T @ model.theta_ @ U
    assert model.objective_ == pytest.approx(losses + 0.1 * np.sum(outside**2))
    scores = model.decision_function(sparse.csr_array(X))
    np.testing.assert_allclose(scores, X @ U + model.intercept_)


def test_constant_labels_are_left_to_their_intercepts():
    X, Y = problem(40, 6)
    Y[:, 0] = 1
    model = ASOClassifier(2, alpha=0.1, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.coef_[[0, -1]], 0)
    np.testing.assert_array_equal(model.predict(X)[:, [0, -1]], Y[:, [0, -1]])


def test_warnings_tell_numbers():
    X, Y = problem(60, 10)
    with pytest.warns(ConvergenceWarning, match=r"ASO stopped after 2 iterations at"):
        ASOClassifier(2, alpha=0.1, max_iter=2, tol=0.0, random_state=0).fit(X, Y)
    with pytest.warns(UserWarning, match="n_components=9 is more than the rank 6 of the weights"):
        ASOClassifier(9, alpha=1.0, random_state=0).fit(X, Y)


LAYOUTS = {
    "fortran": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "backwards": lambda X: X[:, ::-1].copy()[:, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("shape", [(150, 40), (60, 90)], ids=["tall", "wide"])
def test_the_memory_layout_changes_nothing(shape, layout):
    X, Y = problem(*shape, q=5)
    expected = ASOClassifier(2, alpha=0.05, random_state=0).fit(X, Y)
    given = layout(X)
    np.testing.assert_array_equal(given, X)
    model = ASOClassifier(2, alpha=0.05, random_state=0).fit(given, Y)
    np.testing.assert_array_equal(model.objectives_, expected.objectives_)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.intercept_, expected.intercept_)


@pytest.mark.parametrize("shape", [(80, 12), (40, 60)], ids=["tall", "wide"])
def test_certificate_of_stationarity(shape):
    X, Y = problem(*shape)
    found = []
    for tol in (1e-2, 1e-4, 1e-6):
        model = ASOClassifier(2, alpha=0.1, tol=tol, max_iter=2000, random_state=0).fit(X, Y)
        U, Theta = model.coef_.T, model.theta_
        # The gradient is the slope of the objective along every rotation of the subspace.
        turn = (np.eye(len(U)) - Theta.T @ Theta) @ U @ (Theta @ U).T
        share = 2 * np.linalg.norm(turn) / np.linalg.norm(U) ** 2
        assert model.stationarity_ >= share - 1e-10
        assert model.stationarity_ <= max(share, 2e-3) + 1e-10
        found.append(model.stationarity_)
    assert 1 >= found[0] > found[1] >= found[2]
    assert found[2] < 5e-3


def test_the_end_is_near_a_stationary_point():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((30, 4)), rng.integers(0, 2, (30, 3))
    model = ASOClassifier(2, alpha=0.1, tol=1.0, random_state=0).fit(X, Y)
    assert model.n_iter_ > 2
    assert model.stationarity_ <= 0.05
    with pytest.warns(ConvergenceWarning, match=r"distance from stationarity of \d\.\de-\d\d"):
        ASOClassifier(2, alpha=0.1, max_iter=2, tol=1.0, random_state=0).fit(X, Y)
