"""SharedSubspaceClassifier against its transcription, its certificate and its special cases."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelspan.datasets import load_yeast
from labelspan.extraction import MDDM, OPLS
from labelspan.subspace import ASOClassifier, SharedSubspaceClassifier
from tests.reference import subspace as reference
from tests.subspace.problems import problem

SHAPES = [(60, 12), (20, 30)]


def coded(X, Y, fit_intercept):
    T = 2.0 * Y - 1
    return (reference.centred(X), reference.centred(T)) if fit_intercept else (X, T)


def value(model, X, T):
    """Eq. (5) at the fitted point."""
    U, Theta = model.coef_.T, model.theta_
    return reference.objective(X, T, U, Theta @ U, Theta, model.alpha, model.beta)


def projector(rows):
    Q, _ = np.linalg.qr(rows.T)
    return Q @ Q.T


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("alpha", [0.0, 1e-6, 0.1, 1.0, 1e6])
@pytest.mark.parametrize("beta", [0.0, 1e-6, 0.01, 1.0, 1e6])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_objective_and_solution_are_those_of_the_paper(shape, alpha, beta, fit_intercept, form):
    X, Y = problem(*shape)
    model = SharedSubspaceClassifier(3, alpha=alpha, beta=beta, fit_intercept=fit_intercept)
    model.fit(form(X), Y)
    Xc, T = coded(X, Y, fit_intercept)
    Theta, U, V = reference.shared_subspace(Xc, T, alpha, beta, 3)
    expected = reference.objective(Xc, T, U, V, Theta, alpha, beta)
    assert value(model, Xc, T) == pytest.approx(expected, abs=1e-9)
    assert model.objective_ == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(model.theta_ @ model.theta_.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(projector(model.theta_), Theta.T @ Theta, atol=1e-8)
    scale = np.abs(U).max()
    np.testing.assert_allclose(model.coef_.T / scale, U / scale, atol=3e-8)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 0.01), (1.0, 0.0), (1e-4, 1.0)])
def test_no_random_subspace_is_better(shape, alpha, beta):
    X, Y = problem(*shape)
    model = SharedSubspaceClassifier(3, alpha=alpha, beta=beta).fit(X, Y)
    Xc, T = coded(X, Y, True)
    rng = np.random.default_rng(5)
    values = []
    for _ in range(200):
        Theta = np.linalg.qr(rng.standard_normal((shape[1], 3)))[0].T
        U = reference.best_U(Xc, T, Theta, alpha, beta)
        values.append(reference.objective(Xc, T, U, Theta @ U, Theta, alpha, beta))
    assert model.objective_ <= min(values) + 1e-12
    # Nor is any subspace close by: a local check that the random ones cannot make.
    for size in (1e-3, 1e-2):
        moved = model.theta_ + size * rng.standard_normal(model.theta_.shape)
        Theta = np.linalg.qr(moved.T)[0].T
        U = reference.best_U(Xc, T, Theta, alpha, beta)
        near = reference.objective(Xc, T, U, Theta @ U, Theta, alpha, beta)
        assert model.objective_ <= near + 1e-12


@pytest.mark.parametrize("shape", SHAPES)
def test_without_alpha_it_is_ridge_regression(shape):
    X, Y = problem(*shape)
    model = SharedSubspaceClassifier(2, alpha=0.0, beta=0.03).fit(X, Y)
    ridge = Ridge(alpha=0.03 * len(X), solver="svd").fit(X, 2 * Y - 1)
    np.testing.assert_allclose(model.coef_, ridge.coef_, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, ridge.intercept_, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
def test_without_beta_it_is_alternating_structure_optimisation(shape):
    X, Y = problem(*shape)
    alpha = 0.5
    model = SharedSubspaceClassifier(3, alpha=alpha, beta=0.0).fit(X, Y)
    Xc, T = coded(X, Y, True)
    # The fitted point is stationary: given U, the best Theta spans its leading singular vectors.
    left = np.linalg.svd(model.coef_.T, full_matrices=False)[0][:, :3]
    np.testing.assert_allclose(projector(model.theta_), left @ left.T, atol=1e-7)
    reached = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        # Starts in the row space of X, outside of which the objective does not change.
        Theta = np.linalg.qr(Xc.T @ rng.standard_normal((len(Xc), 3)))[0].T
        for _ in range(400):
            U = reference.best_U(Xc, T, Theta, alpha, 0.0)
            Theta = np.linalg.svd(U, full_matrices=False)[0][:, :3].T
        reached.append(reference.objective(Xc, T, U, Theta @ U, Theta, alpha, 0.0))
    assert model.objective_ <= min(reached) + 1e-12
    assert model.objective_ == pytest.approx(min(reached), abs=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_large_alpha_gives_the_subspace_of_orthonormalised_pls(shape):
    X, Y = problem(*shape)
    model = SharedSubspaceClassifier(3, alpha=1e6, beta=0.2).fit(X, Y)
    opls = OPLS(3, ridge=0.2 * len(X)).fit(X, Y)
    difference = projector(model.theta_) - projector(opls.components_)
    assert np.abs(difference).max() < 1e-4
    far = projector(SharedSubspaceClassifier(3, alpha=1e-2, beta=0.2).fit(X, Y).theta_)
    assert np.abs(far - projector(opls.components_)).max() > 1e-2


@pytest.mark.parametrize("shape", SHAPES)
def test_a_large_beta_gives_the_leading_directions_of_the_label_scatter(shape):
    X, Y = problem(*shape)
    model = SharedSubspaceClassifier(3, alpha=1.0, beta=1e6).fit(X, Y)
    mddm = MDDM(3).fit(X, Y)
    difference = projector(model.theta_) - projector(mddm.components_)
    assert np.abs(difference).max() < 1e-4


def test_the_full_subspace_is_ridge_with_beta_alone():
    X, Y = problem(60, 12)
    model = SharedSubspaceClassifier(6, alpha=5.0, beta=0.1).fit(X, Y)
    ridge = Ridge(alpha=0.1 * 60).fit(X, 2 * Y - 1)
    np.testing.assert_allclose(model.coef_, ridge.coef_, atol=1e-10)


def test_ill_conditioned_features_without_beta():
    rng = np.random.default_rng(3)
    X, Y = problem(80, 6)
    V = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    X = reference.centred(X) @ V * np.logspace(0, -7, 6) @ V.T
    model = SharedSubspaceClassifier(3, alpha=0.1, beta=0.0).fit(X, Y)
    Xc, T = coded(X, Y, True)
    U, s, _ = np.linalg.svd(Xc, full_matrices=False)
    # Objective by Eq. (26) in the singular vectors: at cond 1e7 Gram matrices have lost it.
    e, f = s**2 / 80, s**2 / 80 + 0.1
    C = np.linalg.svd((s / np.sqrt(e * f))[:, None] * (U.T @ T), compute_uv=False)[:3]
    gained = (np.sum((s**2 / f)[:, None] * (U.T @ T) ** 2) + 0.1 * np.sum(C**2)) / 80**2
    assert model.objective_ == pytest.approx(np.sum(T**2) / 80 - gained, abs=1e-9)


# Sec. 6.1: r = 5 floor((m - 1) / 5) for m labels; ours is at least 1.
DEFAULTS = [(4, 1), (5, 1), (6, 5), (10, 5), (11, 10), (14, 10), (15, 10), (16, 15)]


@pytest.mark.parametrize(("n_labels", "r"), DEFAULTS)
def test_default_dimension_is_that_of_the_paper(n_labels, r):
    X, Y = problem(80, 20, q=n_labels + 1)
    # Without the label that has no rows the rank is the number of labels, so it does not limit r.
    Y = Y[:, :-1]
    assert np.linalg.matrix_rank(Y - Y.mean(axis=0)) == n_labels
    assert SharedSubspaceClassifier().fit(X, Y).n_components_ == r
    assert ASOClassifier(alpha=1.0, random_state=0).fit(X, Y).n_components_ == r


def test_default_dimension_and_cap():
    X, Y = problem(60, 12, q=12)
    assert SharedSubspaceClassifier().fit(X, Y).n_components_ == 10
    assert SharedSubspaceClassifier().fit(X, Y[:, :3]).n_components_ == 1
    assert SharedSubspaceClassifier().fit(X[:, :4], Y).n_components_ == 4
    with pytest.warns(UserWarning, match="n_components=9 is more than the 3 directions"):
        model = SharedSubspaceClassifier(9).fit(X, Y[:, :3])
    assert model.theta_.shape == (3, 12)


@pytest.mark.parametrize(("n", "D", "q"), [(2, 3, 1), (2, 1, 2), (9, 4, 1)])
def test_tiny_problems(n, D, q):
    X, _ = problem(n, D)
    Y = np.zeros((n, q), dtype=int)
    Y[0] = 1
    model = SharedSubspaceClassifier(alpha=0.1, beta=1e-3).fit(X, Y)
    Xc, T = coded(X, Y, True)
    assert value(model, Xc, T) == pytest.approx(model.objective_, abs=1e-9)
    assert model.predict(X).shape == (n, q)


def test_constant_labels_leave_an_empty_subspace_and_the_means():
    X, Y = problem(20, 5)
    Y = np.zeros_like(Y)
    Y[:, 0] = 1
    model = SharedSubspaceClassifier().fit(X, Y)
    assert model.theta_.shape == (0, 5)
    assert not model.coef_.any()
    np.testing.assert_array_equal(model.predict(X), Y)
    assert model.objective_ == 0


def test_transform_centres_and_projects():
    X, Y = problem(60, 12)
    model = SharedSubspaceClassifier(3).fit(X, Y)
    expected = (X - X.mean(axis=0)) @ model.theta_.T
    np.testing.assert_allclose(model.transform(X), expected, atol=1e-12)
    np.testing.assert_allclose(model.transform(sparse.csr_array(X)), expected, atol=1e-12)


def test_grid_search_over_a_pipeline():
    yeast = load_yeast()
    X, Y = yeast.X, yeast.Y[:, :-1]
    pipeline = make_pipeline(StandardScaler(), SharedSubspaceClassifier())
    grid = {"sharedsubspaceclassifier__alpha": [0.0, 1.0]}
    search = GridSearchCV(pipeline, grid, scoring="roc_auc", cv=3).fit(X, Y)
    assert search.best_score_ > 0.6
    assert clone(search.best_estimator_[-1]).get_params()["alpha"] in (0.0, 1.0)


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_negative_prices_are_refused(name):
    X, Y = problem(20, 5)
    with pytest.raises(ValueError, match=f"'{name}' parameter of SharedSubspaceClassifier must"):
        SharedSubspaceClassifier(**{name: -1.0}).fit(X, Y)
