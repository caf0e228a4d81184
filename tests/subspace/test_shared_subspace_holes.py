"""SharedSubspaceClassifier with missing labels: iterations, certificate, special cases."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labelspan.classifiers import MultiOutputRidge
from labelspan.subspace import SharedSubspaceClassifier
from tests.reference import missing as reference
from tests.subspace.problems import problem

GIVEN = {"alpha": 0.1, "beta": 0.01}


def holed(n, D, share=0.3, seed=0):
    """The problem of the closed form with random missing labels, more in the later labels."""
    X, Y = problem(n, D)
    Y = Y[:, :-1].astype(float)
    rates = 2 * share * np.linspace(0, 1, Y.shape[1])
    Y[np.random.default_rng(seed).random(Y.shape) < rates] = np.nan
    return X, Y


def projector(rows):
    Q, _ = np.linalg.qr(rows.T)
    return Q @ Q.T


def value(model, X, Y, U=None, Theta=None, weights=None):
    U, Theta = model.coef_.T if U is None else U, model.theta_ if Theta is None else Theta
    given = model.alpha, model.beta, weights, model.fit_intercept
    return reference.masked_shared_objective(X, 2 * Y - 1, U, Theta, *given)


@pytest.mark.parametrize(
    ("shape", "alpha", "beta"),
    [((60, 12), 0.1, 0.01), ((60, 12), 1.0, 0.1), ((60, 12), 0.1, 0.0), ((20, 30), 0.1, 0.5)],
)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_solution_is_that_of_turns(shape, alpha, beta, fit_intercept, weighted):
    X, Y = holed(*shape)
    w = np.random.default_rng(1).integers(1, 4, len(X)).astype(float) if weighted else None
    model = SharedSubspaceClassifier(3, alpha=alpha, beta=beta, fit_intercept=fit_intercept)
    Theta, U = reference.masked_shared_subspace(X, 2 * Y - 1, alpha, beta, 3, w, fit_intercept)
    for form in (np.asarray, np.asfortranarray, sparse.csr_array):
        model.fit(form(X), Y, sample_weight=w)
        scale = np.abs(U).max()
        np.testing.assert_allclose(model.coef_.T / scale, U / scale, atol=1e-8)
        np.testing.assert_allclose(projector(model.theta_), Theta.T @ Theta, atol=1e-8)
        np.testing.assert_allclose(model.theta_ @ model.theta_.T, np.eye(3), atol=1e-12)
        assert model.objective_ == pytest.approx(value(model, X, Y, U, Theta, w), rel=1e-12)
        assert model.residual_ < 1e-9
    scores = np.where(np.isnan(Y), np.nan, model.decision_function(X) - (2 * Y - 1))
    rows = np.ones(len(X)) if w is None else w
    left = np.nansum(rows[:, None] * scores, axis=0)
    # The best intercept leaves no mean residual over the rows of a label.
    assert (np.abs(left).max() < 1e-9 * len(X)) == fit_intercept


@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 0.01), (1.0, 0.0), (1e3, 0.1)])
@pytest.mark.parametrize("n_components", [1, 4])
def test_the_objective_is_stationary_by_finite_differences(alpha, beta, n_components):
    X, Y = holed(60, 12)
    model = SharedSubspaceClassifier(n_components, alpha=alpha, beta=beta).fit(X, Y)
    rng, U, Theta = np.random.default_rng(2), model.coef_.T, model.theta_
    at = value(model, X, Y)
    for _ in range(20):
        step = rng.standard_normal(U.shape) * np.abs(U).max()
        turn = np.linalg.qr(Theta.T + 1e-4 * rng.standard_normal(Theta.T.shape))[0].T
        back = np.linalg.qr(2 * Theta.T - turn.T)[0].T
        ahead, behind = (value(model, X, Y, U + t * step) for t in (1e-4, -1e-4))
        curvature = ahead + behind - 2 * at
        assert curvature > 0
        assert abs(ahead - behind) < 1e-6 * curvature / 1e-4
        around, other = (value(model, X, Y, Theta=near) for near in (turn, back))
        # Theta is the best one for U: no rotation of it gains anything.
        assert min(around, other) > at - 1e-14


def test_the_objective_never_rises(limit):
    """Slow convergence, because alpha is far above the scatter of X."""
    X, Y = holed(60, 12)
    model, seen = SharedSubspaceClassifier(3, alpha=1e3, beta=0.1), []
    for n_turns in range(61):
        limit("masked turns", n_turns)
        with pytest.warns(ConvergenceWarning, match=f"{n_turns} iterations left a gradient"):
            model.fit(X, Y)
        assert model.n_iter_ == n_turns
        seen.append(model.objective_)
    assert np.diff(seen).max() <= 1e-14 * seen[0]
    assert seen[-1] < 0.97 * seen[0]


def test_what_was_not_reached_is_told():
    X, Y = holed(60, 12)
    with pytest.warns(
        ConvergenceWarning, match=r"1000 iterations left a gradient of .* Lower alpha"
    ):
        model = SharedSubspaceClassifier(3, alpha=1e6, beta=0.1).fit(X, Y)
    assert model.n_iter_ == 1000
    assert model.residual_ > 1e-4
    # The ridge with beta alone, which shares all of them, bounds it from below.
    bound = SharedSubspaceClassifier(6, alpha=1e6, beta=0.1).fit(X, Y).objective_
    assert bound < model.objective_ < 1.15 * bound


def test_without_alpha_it_is_the_ridge_of_each_label():
    X, Y = holed(60, 12)
    model = SharedSubspaceClassifier(2, alpha=0.0, beta=0.03).fit(X, Y)
    for k in range(Y.shape[1]):
        rows = ~np.isnan(Y[:, k])
        ridge = MultiOutputRidge(0.03 * rows.sum()).fit(X[rows], Y[rows][:, [k]])
        np.testing.assert_allclose(model.coef_[k], ridge.coef_[0], atol=1e-9)
        assert model.intercept_[k] == pytest.approx(ridge.intercept_[0], abs=1e-9)


def test_one_pattern_of_holes_is_a_sample_without_these_rows():
    X, Y = holed(60, 12, share=0.0)
    Y[::3] = np.nan
    ours = SharedSubspaceClassifier(3, **GIVEN).fit(X, Y)
    rest = SharedSubspaceClassifier(3, **GIVEN).fit(X[~np.isnan(Y[:, 0])], Y[~np.isnan(Y[:, 0])])
    np.testing.assert_allclose(ours.coef_, rest.coef_, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, rest.intercept_, atol=1e-9)
    np.testing.assert_allclose(projector(ours.theta_), projector(rest.theta_), atol=1e-9)
    assert ours.objective_ == pytest.approx(rest.objective_, rel=1e-12)


@pytest.mark.parametrize("hole", [True, False])
def test_labels_that_are_never_observed_leave_the_number_of_components(hole):
    """The default counts labels; without other missing labels the closed form is used."""
    X, Y = holed(60, 12, share=0.3 if hole else 0.0)
    expected = SharedSubspaceClassifier().fit(X, Y)
    assert expected.theta_.shape == (5, 12)
    blind = np.insert(Y, [0, 3, 3, 3, 6], np.nan, axis=1)
    with pytest.warns(UserWarning, match=r"5 label\(s\) \(0, 4, 5, 6, 10\) are observed in no row"):
        model = SharedSubspaceClassifier().fit(X, blind)
    seen = ~np.isnan(blind).all(axis=0)
    np.testing.assert_allclose(model.coef_[seen], expected.coef_, atol=1e-13)
    np.testing.assert_allclose(model.theta_, expected.theta_, atol=1e-13)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-13)
    assert not model.predict(X)[:, ~seen].any()
    assert not model.coef_[~seen].any()
    assert (model.residual_ is None) == (not hole)
    assert (model.n_iter_ == 0) == (not hole)


def test_soft_labels_with_holes():
    X, Y = holed(60, 12)
    soft = np.clip(Y, 0.1, 0.8)
    model = SharedSubspaceClassifier(3, **GIVEN).fit(X, soft)
    Theta, U = reference.masked_shared_subspace(X, 2 * soft - 1, 0.1, 0.01, 3)
    np.testing.assert_allclose(model.coef_.T, U, atol=1e-8)
    assert model.objective_ == pytest.approx(value(model, X, soft, U, Theta), rel=1e-12)


def test_more_labels_than_features_and_single_precision():
    X, Y = holed(60, 4)
    model = SharedSubspaceClassifier(2, **GIVEN).fit(X, Y)
    Theta, U = reference.masked_shared_subspace(X, 2 * Y - 1, 0.1, 0.01, 2)
    np.testing.assert_allclose(model.coef_.T, U, atol=1e-8)
    np.testing.assert_allclose(projector(model.theta_), Theta.T @ Theta, atol=1e-8)
    single = SharedSubspaceClassifier(2, **GIVEN).fit(X.astype(np.float32), Y)
    assert single.coef_.dtype == single.theta_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, model.coef_, atol=1e-5)


def test_a_sparse_sample_that_is_only_multiplied_with(limit):
    """With many rows and columns there is no factor to start from, so the diagonal is used."""
    X, Y = holed(60, 12)
    limit("krylov side", 5)
    model = SharedSubspaceClassifier(3).fit(sparse.csr_array(X), Y)
    assert model.solver_ == "krylov"
    expected = SharedSubspaceClassifier(3).fit(X, Y)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-8)


def test_labels_with_one_observed_row_or_one_value():
    X, Y = holed(60, 12)
    Y[1:, 0] = np.nan
    Y[:, 1] = np.where(np.isnan(Y[:, 1]), np.nan, 1.0)
    model = SharedSubspaceClassifier(3, **GIVEN).fit(X, Y)
    assert not model.coef_[:2].any()
    assert model.residual_ < 1e-9
    np.testing.assert_array_equal(model.predict(X)[:, :2], [[Y[0, 0], 1]] * len(X))
    rest = SharedSubspaceClassifier(3, **GIVEN).fit(X, Y[:, 2:])
    np.testing.assert_allclose(model.coef_[2:], rest.coef_, atol=1e-9)
    with pytest.warns(UserWarning, match="3 is more than the 0 directions"):
        nothing = SharedSubspaceClassifier(3, **GIVEN).fit(X, Y[:, :2])
    assert nothing.theta_.shape == (0, 12)
    assert not nothing.coef_.any()


def test_a_step_that_nothing_sees_ends_the_turns():
    """Without beta, features whose scales are 16 orders apart leave no digits to the weak ones."""
    X, Y = holed(60, 6)
    with pytest.warns(ConvergenceWarning, match=r"iterations left a gradient of .* raise beta"):
        model = SharedSubspaceClassifier(2, beta=0.0).fit(X * np.logspace(-8, 8, 6), Y)
    assert np.isfinite(model.coef_).all()
