"""MultiOutputRidge against scikit-learn's Ridge, least squares and the rule for empty rows."""

import dask.array as da
import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from labelspan.classifiers import MultiOutputRidge
from labelspan.datasets import load_yeast


def problem(n, D, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D)) * (rng.random((n, D)) < 0.5) + 0.3
    Y = (X @ rng.standard_normal((D, q)) + rng.standard_normal((n, q)) > 0.5).astype(int)
    Y[:, -1] = 0
    return X, Y


@pytest.mark.parametrize("shape", [(60, 8), (20, 45), (2, 3)])
@pytest.mark.parametrize("ridge", [1e-2, 10.0])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_agrees_with_ridge_of_scikit_learn(shape, ridge, form):
    X, Y = problem(*shape)
    oracle = Ridge(alpha=ridge, solver="svd").fit(X, 2 * Y - 1)
    model = MultiOutputRidge(ridge).fit(form(X), Y)
    np.testing.assert_allclose(model.coef_, oracle.coef_, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, oracle.intercept_, atol=1e-9)
    np.testing.assert_allclose(model.decision_function(form(X)), oracle.predict(X), atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), (oracle.predict(X) > 0).astype(int))


@pytest.mark.parametrize("shape", [(60, 8), (20, 45)])
@pytest.mark.parametrize("ridge", [0.0, 1e-14])
def test_no_ridge_is_the_least_squares_solution_of_least_norm(shape, ridge):
    X, Y = problem(*shape)
    X = np.hstack([X, X[:, :2], np.ones((len(X), 1))])
    Xc, S = X - X.mean(axis=0), 2.0 * Y - 1
    expected = np.linalg.lstsq(Xc, S - S.mean(axis=0), rcond=1e-12)[0].T
    model = MultiOutputRidge(ridge).fit(X, Y)
    np.testing.assert_allclose(model.coef_, expected, atol=1e-8)


def test_large_sparse_problem_is_solved_by_conjugate_gradients():
    rng = np.random.default_rng(1)
    X = sparse.random_array((3100, 3300), density=2e-3, rng=rng, format="csr")
    Y = np.asarray((X[:, :3] @ np.ones((3, 2)) > 0).astype(int))
    model = MultiOutputRidge(1.0).fit(X, Y)
    S = 2.0 * Y - 1
    Xc = X.toarray() - X.mean(axis=0)
    residual = Xc.T @ (Xc @ model.coef_.T - (S - S.mean(axis=0))) + model.coef_.T
    assert model.solver_ == "krylov"
    assert np.abs(residual).max() < 1e-7


def test_min_labels_fills_rows_and_leaves_the_others():
    yeast = load_yeast()
    plain = MultiOutputRidge().fit(yeast.X, yeast.Y)
    scores, before = plain.decision_function(yeast.X), plain.predict(yeast.X)
    filled = MultiOutputRidge(min_labels=1).fit(yeast.X, yeast.Y).predict(yeast.X)
    empty = before.sum(axis=1) == 0
    assert empty.any()
    np.testing.assert_array_equal(filled[~empty], before[~empty])
    np.testing.assert_array_equal(np.flatnonzero(filled[empty]) % 14, scores[empty].argmax(axis=1))
    three = MultiOutputRidge(min_labels=3).fit(yeast.X, yeast.Y).predict(yeast.X)
    assert three.sum(axis=1).min() == 3
    assert MultiOutputRidge(min_labels=99).fit(yeast.X, yeast.Y).predict(yeast.X).all()


def test_float32_and_dask():
    X, Y = problem(60, 8)
    model = MultiOutputRidge(min_labels=1).fit(X, Y)
    single = MultiOutputRidge().fit(X.astype(np.float32), Y)
    assert single.coef_.dtype == single.decision_function(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.coef_, model.coef_, atol=1e-4)
    chunks = da.from_array(X, chunks=(25, 8))
    lazy = MultiOutputRidge(min_labels=1).fit(chunks, da.from_array(Y, chunks=(25, 4)))
    np.testing.assert_allclose(lazy.coef_, model.coef_, atol=1e-10)
    np.testing.assert_allclose(
        lazy.decision_function(chunks).compute(), model.decision_function(X), atol=1e-10
    )
    np.testing.assert_array_equal(lazy.predict(chunks).compute(), model.predict(X))


def test_a_negative_ridge_is_refused():
    X, Y = problem(20, 3)
    with pytest.raises(ValueError, match="'ridge' parameter of MultiOutputRidge must be a float"):
        MultiOutputRidge(-1.0).fit(X, Y)
