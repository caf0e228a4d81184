"""MultiTaskSelector against scikit-learn's MultiTaskLasso, along the path."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import MultiTaskLasso

from labelspan import MultiTaskSelector
from tests.selection.test_information import problem


@pytest.mark.filterwarnings("ignore:n_features=15 is more than")
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_path_is_that_of_scikit_learn(form):
    X, Y = problem(0, n=60, D=15)
    path = MultiTaskSelector(15, n_gammas=6, tol=1e-13).fit(form(X), Y)
    assert len(path.gammas_) > 2
    for k, gamma in enumerate(path.gammas_[1:], start=1):
        theirs = MultiTaskLasso(gamma / len(X), tol=1e-12, max_iter=100_000).fit(X, Y)
        ours = MultiTaskSelector(15, gamma=gamma, tol=1e-13).fit(form(X), Y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
        np.testing.assert_allclose(path.norms_[k], np.linalg.norm(theirs.coef_, axis=0), atol=1e-6)
        assert ours.gamma_ == gamma
    assert (path.gaps_ <= 1e-13).all()
    assert not path.norms_[0].any()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_more_features_than_rows(form, limit):
    """Where the support has no full rank, the objective and X W agree."""
    limit("krylov side", 10)
    X, Y = problem(1, n=40, D=120, q=4)
    ours = MultiTaskSelector(30, gamma=2.0, tol=1e-10).fit(form(X), Y)
    theirs = MultiTaskLasso(2.0 / 40, tol=1e-10, max_iter=100_000).fit(X, Y)
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)

    def objective(W):
        return ((Yc - Xc @ W) ** 2).sum() / 2 + 2.0 * np.linalg.norm(W, axis=1).sum()

    assert objective(ours.coef_.T) == pytest.approx(objective(theirs.coef_.T), rel=1e-9)
    np.testing.assert_allclose(Xc @ ours.coef_.T, Xc @ theirs.coef_.T, atol=1e-4)


def test_the_gap_is_that_of_the_residual():
    X, Y = problem(2)
    model = MultiTaskSelector(4, tol=1e-3).fit(X, Y)
    Xc, Yc, gamma = X - X.mean(axis=0), Y - Y.mean(axis=0), model.gamma_
    R = Yc - Xc @ model.coef_.T
    primal = (R**2).sum() / 2 + gamma * np.linalg.norm(model.coef_, axis=0).sum()
    largest = np.linalg.norm(Xc.T @ R, axis=1).max()
    scale = min(gamma / largest, (Yc * R).sum() / (R**2).sum())
    dual = scale * (Yc * R).sum() - scale**2 * (R**2).sum() / 2
    assert model.gaps_[-1] == pytest.approx((primal - dual) / primal, rel=1e-6, abs=1e-12)
    assert model.gaps_[-1] <= 1e-3


def test_the_path_ends_where_enough_features_have_a_weight():
    X, Y = problem(3)
    model = MultiTaskSelector(4).fit(X, Y)
    entered = (model.norms_ > 0).sum(axis=1)
    assert entered[-1] >= 4 > entered[-2]
    assert model.get_support().sum() == 4
    longest = np.argsort(-np.linalg.norm(model.coef_, axis=0))[:4]
    np.testing.assert_array_equal(model.get_support(indices=True), np.sort(longest))


def test_too_few_weights_and_too_few_sweeps_warn():
    X, Y = problem(4)
    with pytest.warns(
        UserWarning, match=r"n_features=9 is more than the \d that have a .* Lower smallest=0.5"
    ):
        model = MultiTaskSelector(9, smallest=0.5).fit(X, Y)
    assert model.get_support().sum() < 9
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 sweeps .* above tol=1e-12"):
        MultiTaskSelector(9, gamma=0.1, tol=1e-12, max_iter=1).fit(X, Y)
