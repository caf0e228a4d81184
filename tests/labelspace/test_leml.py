"""LEML against the convex problem, its closed form, and the normal equations of the paper."""

import numpy as np
import pytest
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

from labelspan.labelspace import LEML
from labelspan.metrics import precision_at_k
from tests.labelspace.problems import problem
from tests.reference import labelspace as reference

SHAPES = [(80, 10, 6), (80, 4, 9), (20, 12, 30), (15, 40, 6)]
EXACT = {"tol": 1e-15, "max_iter": 20_000}


def weights(model):
    """B, (D, q)."""
    return model.regressor_.coef_.T @ model.components_


def balanced(model):
    """W (D, M) and H (q, M) of the objective."""
    root = np.sqrt(model.eigenvalues_)
    return model.regressor_.coef_.T / root, model.components_.T * root


@pytest.mark.parametrize("ridge", [1.0, 8.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_with_all_components_it_is_the_convex_problem(shape, ridge):
    n, n_features, n_labels = shape
    X, Y = problem(1, n, n_features, n_labels)
    model = LEML(ridge=ridge, **EXACT).fit(X, Y)
    B, optimum = reference.nuclear_norm(X, Y, ridge)
    np.testing.assert_allclose(model.primal_objective_, optimum, rtol=1e-8)
    np.testing.assert_allclose(model.dual_objective_, optimum, rtol=1e-8)
    theirs = reference.centred(X) @ B + Y.mean(axis=0)
    np.testing.assert_allclose(model.decision_function(X) + 0.5, theirs, atol=1e-6)


@pytest.mark.parametrize("ridge", [0.3, 2.0])
def test_orthonormal_features_have_a_closed_form(ridge):
    X, Y = problem(2)
    X = linalg.qr(reference.centred(X), mode="economic")[0]
    U, s, Vt = linalg.svd(X.T @ reference.shifted(Y), full_matrices=False)
    model = LEML(ridge=ridge, **EXACT).fit(X, Y)
    np.testing.assert_allclose(
        weights(model), (U * np.maximum(s - ridge, 0)) @ Vt, atol=1e-8 * s[0]
    )
    # With fewer components, the leading ones; each is shrunk separately.
    short = LEML(2, ridge=ridge, **EXACT).fit(X, Y)
    np.testing.assert_allclose(
        weights(short), (U[:, :2] * np.maximum(s[:2] - ridge, 0)) @ Vt[:2], atol=1e-8 * s[0]
    )


def after(n_turns, X, Y, M, ridge):
    """The model after so many turns, which end before they converge."""
    model = LEML(M, ridge=ridge, tol=1e-300, max_iter=n_turns)
    with pytest.warns(ConvergenceWarning, match=f"{n_turns} iterations left"):
        return model.fit(X, Y)


def test_a_turn_solves_the_normal_equations_of_the_paper():
    X, Y = problem(3)
    for n_turns in (1, 2, 5):
        before, model = (after(n, X, Y, 3, 0.7) for n in (n_turns, n_turns + 1))
        W, H = reference.leml_turn(X, Y, balanced(before)[1], 0.7)
        np.testing.assert_allclose(weights(model), W @ H.T, atol=1e-8)
        assert np.abs(weights(model) - weights(before)).max() > 1e-5
        np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(3), atol=1e-10)


@pytest.mark.parametrize("M", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_with_few_components_both_gradients_vanish_and_the_bound_holds(shape, M):
    n, n_features, n_labels = shape
    X, Y = problem(4, n, n_features, n_labels)
    model = LEML(M, ridge=1.0, **EXACT).fit(X, Y)
    W, H = balanced(model)
    Xc, Z = reference.centred(X), reference.shifted(Y)
    gradient = Xc.T @ (Z - Xc @ W @ H.T)
    scale = np.linalg.norm(Xc.T @ Z, 2)
    assert np.abs(gradient @ H - W).max() <= 1e-6 * scale
    assert np.abs(gradient.T @ W - H).max() <= 1e-6 * scale
    objective = reference.leml_objective(X, Y, W, H, 1.0)
    np.testing.assert_allclose(model.primal_objective_, objective, rtol=1e-10)
    optimum = reference.nuclear_norm(X, Y, 1.0)[1]
    assert model.dual_objective_ <= optimum * (1 + 1e-10) <= model.primal_objective_ * (1 + 1e-9)


def test_the_objective_never_rises():
    X, Y = problem(5, n=20, n_features=12, n_labels=30)
    values = np.array([after(n, X, Y, 4, 0.5).primal_objective_ for n in range(1, 31)])
    assert (np.diff(values) <= 1e-12 * values[0]).all()
    assert values[-1] < values[0]


def test_the_gap_ends_the_turns():
    X, Y = problem(6)
    model = LEML(ridge=2.0, tol=1e-3).fit(X, Y)
    gap = model.primal_objective_ - model.dual_objective_
    assert 0 <= gap <= 1e-3 * model.primal_objective_
    with pytest.warns(ConvergenceWarning, match=r"2 iterations left a .* \(tol 1e-12\)"):
        LEML(ridge=0.01, tol=1e-12, max_iter=2).fit(X, Y)


def test_truncated_weights_are_the_leading_ones():
    X, Y = problem(7)
    model = LEML(ridge=0.5, **EXACT).fit(X, Y)
    U, s, Vt = linalg.svd(weights(model), full_matrices=False)
    short = model.truncate(2)
    np.testing.assert_allclose(weights(short), (U[:, :2] * s[:2]) @ Vt[:2], atol=1e-8)
    objective = reference.leml_objective(X, Y, *balanced(short), 0.5)
    np.testing.assert_allclose(short.primal_objective_, objective, rtol=1e-10)
    assert short.dual_objective_ == model.dual_objective_
    means = model.truncate(0).decision_function(X) + 0.5
    np.testing.assert_allclose(means, np.tile(Y.mean(axis=0), (len(X), 1)))


def test_soft_labels_have_their_own_squares():
    X, Y = problem(10)
    Y = np.where(np.arange(len(Y))[:, None] % 2 == 0, Y, 0.25 + 0.5 * Y)
    model = LEML(ridge=2.0, **EXACT).fit(X, Y)
    optimum = reference.nuclear_norm(X, Y, 2.0)[1]
    np.testing.assert_allclose(model.primal_objective_, optimum, rtol=1e-8)
    np.testing.assert_allclose(model.dual_objective_, optimum, rtol=1e-8)


def test_more_components_than_directions_warn():
    X, Y = problem(8, n_features=3)
    with pytest.warns(UserWarning, match="n_components=5 is more than the 3 directions that feat"):
        assert LEML(5).fit(X, Y).n_components_ == 3


def test_constant_labels_are_predicted_as_they_were_seen():
    X, Y = problem(9)
    Y = np.zeros_like(Y)
    Y[:, 0] = 1
    with pytest.warns(UserWarning, match="0 directions are kept and the label means"):
        model = LEML(2).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)


# P@1, P@3 and P@5 of LEML in the Extreme Classification Repository, which states neither its
# parameters nor its preprocessing.
PRINTED = {"bibtex": (3.0, (62.54, 38.41, 28.21)), "delicious": (10.0, (65.67, 60.55, 56.08))}


@pytest.mark.parametrize("name", PRINTED)
def test_precision_of_the_top_labels_is_near_the_printed_one(dataset, name):
    data, (ridge, printed) = dataset(name), PRINTED[name]
    X = normalize(data.X)
    model = LEML(100, ridge=ridge).fit(X[data.train], data.Y[data.train])
    scores, Y = model.decision_function(X[data.test]), data.Y[data.test]
    ours = [100 * precision_at_k(Y, scores, k=k) for k in (1, 3, 5)]
    np.testing.assert_allclose(ours, printed, atol=1.0)


def test_rounding_that_raises_the_objective_is_told():
    """Features whose scales are 40 orders apart leave no digits to the weak ones."""
    X, Y = problem(0, 60, 6, 5)
    with pytest.warns(ConvergenceWarning, match=r"gain nothing but rounding.*scale the features"):
        model = LEML(2).fit(X * np.logspace(-20, 20, 6), Y)
    # The last iteration was undone.
    assert model.primal_objective_ < LEML(0).fit(X, Y).primal_objective_
