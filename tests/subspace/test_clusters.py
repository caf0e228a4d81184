"""Labels in clusters with subspaces of their own, against the equations of each cluster."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from labelspan.subspace import SharedSubspaceClassifier
from tests.reference import subspace as reference


def planted(n=300, seed=0):
    """Labels 0-3 depend on two directions, labels 4-7 on two others, each strongly."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 12)) + 1.0
    scores = np.hstack([X[:, a : a + 2] @ rng.standard_normal((2, 4)) for a in (0, 5)])
    scores += 0.3 * rng.standard_normal(scores.shape)
    return X, (scores > np.median(scores, axis=0)).astype(int)[:, [0, 4, 1, 5, 2, 6, 3, 7]]


def literal(X, Y, model):
    """Eq. (5) of each label for each cluster, and U, by the transcription."""
    Z, T = reference.centred(X), reference.centred(2.0 * Y - 1)
    prices = model.alpha, model.beta
    costs, U = np.empty((model.n_clusters, Y.shape[1])), np.empty(model.coef_.T.shape)
    for k in range(model.n_clusters):
        members = model.clusters_ == k
        Theta, own, _ = reference.shared_subspace(Z, T[:, members], *prices, model.n_components)
        U[:, members] = own
        for j in range(Y.shape[1]):
            u = reference.best_U(Z, T[:, [j]], Theta, *prices)
            costs[k, j] = reference.objective(Z, T[:, [j]], u, Theta @ u, Theta, *prices)
    return costs, U


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.01), (10.0, 0.1), (0.1, 0.0)])
def test_ends_where_the_equations_hold_and_no_label_gains_by_a_move(alpha, beta):
    X, Y = planted()
    model = SharedSubspaceClassifier(2, alpha=alpha, beta=beta, n_clusters=2).fit(X, Y)
    costs, U = literal(X, Y, model)
    assert_allclose(model.coef_.T, U, atol=1e-8)
    own = costs[model.clusters_, np.arange(8)]
    assert_allclose(model.objective_, own.sum(), rtol=1e-9)
    assert (own <= costs.min(axis=0) * (1 + 1e-9)).all()
    assert (np.diff(model.objectives_) <= 1e-12).all()
    assert model.objectives_[-1] == model.objective_
    assert_allclose(model.theta_[:2] @ model.theta_[:2].T, np.eye(2), atol=1e-10)


def test_finds_the_groups_and_fits_them_better_than_one_subspace():
    X, Y = planted()
    model = SharedSubspaceClassifier(2, alpha=10.0, n_clusters=2).fit(X, Y)
    assert_array_equal(model.clusters_ == model.clusters_[0], np.arange(8) % 2 == 0)
    single = SharedSubspaceClassifier(2, alpha=10.0).fit(X, Y)
    assert model.objective_ < 0.8 * single.objective_
    assert model.transform(X).shape == (300, 4)
    new = planted(seed=1)[0]
    assert_allclose(model.decision_function(new), new @ model.coef_.T + model.intercept_, atol=1e-9)


def test_the_objective_does_not_rise_on_a_real_set(dataset):
    data = dataset("yeast")
    for n_clusters in (2, 3, 5):
        model = SharedSubspaceClassifier(1, alpha=1.0, n_clusters=n_clusters)
        model.fit(data.X[:600], data.Y[:600])
        assert (np.diff(model.objectives_) <= 1e-12).all()
        assert model.n_iter_ == len(model.objectives_) < 50


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_wide_sparse_and_weighted_rows(fit_intercept):
    X, Y = planted(n=60)
    X = np.hstack([X, np.random.default_rng(1).standard_normal((60, 80))])
    model = SharedSubspaceClassifier(2, alpha=1.0, n_clusters=2, fit_intercept=fit_intercept)
    dense = model.fit(X, Y).decision_function(X)
    assert model.solver_ == "rows"
    assert_allclose(model.fit(sparse.csr_array(X), Y).decision_function(X), dense, atol=1e-8)
    w = np.where(np.arange(60) < 20, 2.0, 1.0)
    weighted = model.fit(X, Y, sample_weight=w).decision_function(X)
    twice = np.vstack([X, X[:20]]), np.vstack([Y, Y[:20]])
    assert_allclose(model.fit(*twice).decision_function(X), weighted, atol=1e-8)


def test_without_alpha_or_with_one_cluster_it_is_the_plain_method():
    X, Y = planted()
    ridge = SharedSubspaceClassifier(2, alpha=0.0).fit(X, Y)
    clustered = SharedSubspaceClassifier(2, alpha=0.0, n_clusters=3).fit(X, Y)
    assert_allclose(clustered.coef_, ridge.coef_, atol=1e-10)
    assert_array_equal(ridge.clusters_, 0)


def test_what_clusters_cannot_do_is_refused():
    X, Y = planted()
    with pytest.raises(ValueError, match="n_clusters=9, but y has 8 labels; expected a number"):
        SharedSubspaceClassifier(n_clusters=9).fit(X, Y)
    with pytest.raises(AttributeError, match="partial_fit"):
        SharedSubspaceClassifier(n_clusters=2).partial_fit(X, Y)
    with pytest.raises(ValueError, match="not observed"):
        SharedSubspaceClassifier(n_clusters=2).fit(X, np.where(Y == 1, np.nan, 0.0))
