"""LLSF against plain proximal steps, its certificate, and the coupling that is not convex."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, Ridge

from labelspan import LLSF
from tests.reference import embedded as reference
from tests.selection.test_information import problem

FORMS = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])


@FORMS
@pytest.mark.parametrize("coupling", ["laplacian", "paper"])
def test_the_weights_are_those_of_plain_steps(coupling, form):
    X, Y = problem(0)
    W = reference.llsf(X, Y, 2.0, 1.5, coupling)
    ours = LLSF(coupling=coupling, alpha=2.0, beta=1.5, tol=1e-12).fit(form(X), Y)
    np.testing.assert_allclose(ours.label_weights_.T, W, atol=1e-8)
    np.testing.assert_array_equal(ours.support_per_label_.T, W != 0)
    expected = reference.llsf_objective(X, Y, W, 2.0, 1.5, coupling)
    if coupling == "laplacian":
        assert ours.primal_objective_ == pytest.approx(expected, rel=1e-10)
    assert 0 <= ours.primal_objective_ - ours.dual_objective_ <= 1e-11 * ours.primal_objective_


def test_without_coupling_it_is_the_lasso():
    X, Y = problem(1)
    ours = LLSF(alpha=0.0, beta=2.0, tol=1e-13).fit(X, Y)
    theirs = Lasso(2.0 / len(X), tol=1e-12, max_iter=100_000).fit(X, Y)
    np.testing.assert_allclose(ours.label_weights_, theirs.coef_, atol=1e-7)
    constant = LLSF(coupling="paper", alpha=0.0, beta=2.0, tol=1e-13).fit(X, Y)
    np.testing.assert_allclose(constant.label_weights_, theirs.coef_, atol=1e-7)


def test_the_coupling_of_the_paper_is_refused_where_it_has_no_bound():
    X, Y = problem(2)
    with pytest.raises(ValueError, match=r"alpha=1e\+06 leaves .* must be less than") as refused:
        LLSF(coupling="paper", alpha=1e6).fit(X, Y)
    largest = float(str(refused.value).split("less than ")[1].split(";")[0])
    LLSF(coupling="paper", alpha=0.98 * largest, beta=5.0).fit(X, Y)
    with pytest.raises(ValueError, match="without a lower bound"):
        LLSF(coupling="paper", alpha=1.02 * largest).fit(X, Y)
    # The objective falls along a direction without end.
    cosines = (Y.T @ Y) / np.outer(*[np.linalg.norm(Y, axis=0)] * 2)
    direction = np.linalg.eigh(1 - cosines)[1][:, 0]
    Xc = X - X.mean(axis=0)
    away = np.outer(np.linalg.eigh(Xc.T @ Xc)[1][:, 0], direction)
    far = [
        reference.llsf_objective(X, Y, t * away, 1.1 * largest, 1.0, "paper") for t in (1e3, 1e5)
    ]
    assert far[1] < far[0]
    X, Y = problem(2, n=20, D=40)
    with pytest.raises(ValueError, match="alpha must be 0; or use coupling='laplacian'"):
        LLSF(coupling="paper").fit(X, Y)


@FORMS
def test_each_label_is_classified_by_its_own_features(form):
    X, Y = problem(3)
    model = LLSF(beta=4.0, ridge=0.5).fit(form(X), Y)
    assert 0 < model.support_per_label_.mean() < 1
    for label, own in enumerate(model.support_per_label_):
        theirs = Ridge(0.5).fit(X[:, own], 2 * Y[:, label] - 1)
        np.testing.assert_allclose(model.coef_[label, own], theirs.coef_, atol=1e-9)
        assert model.intercept_[label] == pytest.approx(theirs.intercept_)
    np.testing.assert_array_equal(model.get_support(), model.support_per_label_.any(axis=0))
    plain = LLSF(beta=4.0, ridge=None).fit(form(X), Y)
    np.testing.assert_allclose(plain.coef_, 2 * plain.label_weights_, atol=1e-12)


def test_few_steps_warn():
    X, Y = problem(4)
    with pytest.warns(ConvergenceWarning, match="max_iter=3 steps .* above tol=1e-10"):
        LLSF(tol=1e-10, max_iter=3).fit(X, Y)
