"""LEML with labels that are not observed, against the convex problem and its gradients."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labelspan.labelspace import LEML
from tests.labelspace.problems import problem
from tests.reference import missing as reference

SHAPES = [(60, 8, 5), (60, 4, 7), (20, 10, 14), (15, 30, 5)]
EXACT = {"tol": 1e-13, "max_iter": 3_000}


def holed(shape, share=0.35, seed=1):
    X, Y = problem(seed, *shape)
    rng = np.random.default_rng(seed)
    Y = np.where(rng.random(Y.shape) < share, np.nan, Y)
    return X, Y, rng.uniform(0.5, 2.0, len(X))


def weights_of(model):
    """B, (D, q)."""
    return model.regressor_.coef_.T @ model.components_


def intercepts(X, Y, B, weights=None):
    """Mean of y - x'B over the rows of a label."""
    left = np.ma.masked_invalid(Y - X @ B)
    return np.ma.average(left, axis=0, weights=weights)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_with_all_components_it_is_the_convex_problem(shape, weighted, form):
    X, Y, weights = holed(shape)
    weights = weights if weighted else None
    model = LEML(ridge=1.0, **EXACT).fit(form(X), Y, sample_weight=weights)
    B, optimum = reference.masked_nuclear_norm(X, Y, 1.0, weights)
    assert model.primal_objective_ == pytest.approx(optimum, rel=1e-8)
    assert model.dual_objective_ == pytest.approx(optimum, rel=1e-6)
    assert model.dual_objective_ <= optimum * (1 + 1e-12)
    scores = X @ B + intercepts(X, Y, B, weights)
    np.testing.assert_allclose(model.decision_function(X) + 0.5, scores, atol=1e-5)


def test_the_nuclear_norm_problem_of_cvxpy():
    cvxpy = pytest.importorskip("cvxpy")
    X, Y, _ = holed((30, 5, 4))
    B, c = cvxpy.Variable((5, 4)), cvxpy.Variable((1, 4))
    seen = ~np.isnan(Y)
    left = cvxpy.multiply(seen, np.nan_to_num(Y) - X @ B - np.ones((30, 1)) @ c)
    value = cvxpy.Problem(
        cvxpy.Minimize(0.5 * cvxpy.sum_squares(left) + 0.8 * cvxpy.normNuc(B))
    ).solve(solver="SCS", eps=1e-9, max_iters=100_000)
    model = LEML(ridge=0.8, **EXACT).fit(X, Y)
    assert model.primal_objective_ == pytest.approx(value, rel=1e-5)
    np.testing.assert_allclose(weights_of(model), B.value, atol=1e-5)
    np.testing.assert_allclose(model.decision_function(X), X @ B.value + c.value - 0.5, atol=1e-5)


@pytest.mark.parametrize("M", [1, 2])
def test_with_few_components_both_gradients_vanish(M):
    X, Y, weights = holed(SHAPES[0])
    model = LEML(M, ridge=0.7, **EXACT).fit(X, Y, sample_weight=weights)
    root = np.sqrt(model.eigenvalues_)
    W, H = model.regressor_.coef_.T / root, model.components_.T * root
    gradient = X.T @ reference.about_own_means(np.nan_to_num(Y) - X @ W @ H.T, Y, weights)
    assert np.abs(gradient @ H - 0.7 * W).max() <= 1e-5 * np.abs(W).max()
    assert np.abs(gradient.T @ W - 0.7 * H).max() <= 1e-5 * np.abs(H).max()
    B = weights_of(model)
    value = reference.masked_leml_objective(X, Y, B, 0.7, weights)
    assert model.primal_objective_ == pytest.approx(value, rel=1e-10)
    short = model.truncate(M - 1)
    value = reference.masked_leml_objective(X, Y, weights_of(short), 0.7, weights)
    assert short.primal_objective_ == pytest.approx(value, rel=1e-10)


def test_rows_without_labels_leave_the_problem():
    """So it is the problem of the others, with all labels observed, solved another way."""
    X, Y = problem(2, 60, 8, 5)
    some = np.random.default_rng(0).random(60) < 0.6
    holed = np.where(some[:, None], Y, np.nan)
    for M in (None, 2):
        ours = LEML(M, ridge=0.5, **EXACT).fit(X, holed)
        theirs = LEML(M, ridge=0.5, **EXACT).fit(X[some], Y[some])
        assert ours.primal_objective_ == pytest.approx(theirs.primal_objective_, rel=1e-9)
        np.testing.assert_allclose(
            ours.decision_function(X), theirs.decision_function(X), atol=1e-5
        )


def test_the_gap_ends_the_turns_and_is_told():
    X, Y, _ = holed(SHAPES[2])
    model = LEML(ridge=1.0).fit(X, Y)
    gap = model.primal_objective_ - model.dual_objective_
    assert 0 <= gap <= 1e-4 * model.primal_objective_
    with pytest.warns(ConvergenceWarning, match=r"2 iterations left a .* \(tol 1e-12\)"):
        LEML(ridge=0.1, tol=1e-12, max_iter=2).fit(X, Y)
    with pytest.raises(ValueError, match="in a chunk or in a Dask array; LEML keeps sums"):
        LEML().partial_fit(X, Y)


def test_a_gap_that_turns_cannot_close_is_told():
    """The ridge is far below the scatter: the bound has no digits left."""
    X, Y, _ = holed(SHAPES[0])
    with pytest.warns(ConvergenceWarning, match=r"duality gap of 1.0e\+00.*scale the features"):
        model = LEML().fit(1e30 * X, Y)
    assert isinstance(model.dual_objective_, float)
    # The weights are still those of least squares.
    expected, level = reference.masked_ridge(X, Y, 0.0)
    np.testing.assert_allclose(weights_of(model) * 1e30, expected, atol=1e-3)
    np.testing.assert_allclose(
        model.decision_function(1e30 * X), X @ expected + level - 0.5, atol=1e-3
    )
