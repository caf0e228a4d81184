"""MultiOutputRidge against scikit-learn's Ridge, least squares and the rule for empty rows."""

import dask.array as da
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

from labelspan.classifiers import MultiOutputRidge
from labelspan.datasets import load_yeast
from labelspan.linalg import regress_masked
from labelspan.linalg.masked import _cg as conjugate
from labelspan.linalg.masked import _ridge as masked
from tests.reference.missing import masked_ridge


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
    with pytest.raises(
        ValueError, match="'ridge' parameter of MultiOutputRidge must be a str among"
    ):
        MultiOutputRidge(-1.0).fit(X, Y)


def holed(n, D, q=6, seed=0, kind="entries"):
    X, Y = problem(n, D, q, seed)
    rng = np.random.default_rng(seed + 1)
    holes = {
        "entries": rng.random((n, q)) < np.linspace(0.1, 0.5, q),
        "rows": np.repeat(rng.random((n, 1)) < 0.3, q, axis=1),
        "two patterns": np.repeat(rng.random((n, 2)) < 0.3, q // 2, axis=1),
    }[kind]
    return X, np.where(holes, np.nan, Y), rng.uniform(0.5, 2.0, n)


@pytest.fixture(params=["direct", "conjugate gradients"])
def solver(request, monkeypatch):
    """Both solvers, regardless of their operation counts."""
    monkeypatch.setattr(masked, "direct_is_cheaper", lambda *_: request.param == "direct")


@pytest.mark.parametrize("kind", ["entries", "rows", "two patterns"])
@pytest.mark.parametrize("shape", [(60, 8), (150, 60), (20, 45)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.usefixtures("solver")
def test_labels_with_holes_are_learnt_from_their_own_rows(kind, shape, form, weighted):
    X, Y, weights = holed(*shape, kind=kind)
    weights = weights if weighted else None
    model = MultiOutputRidge(0.5).fit(form(X), Y, sample_weight=weights)
    coef, intercept = masked_ridge(X, 2 * Y - 1, 0.5, weights)
    np.testing.assert_allclose(model.coef_.T, coef, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, intercept, atol=1e-8)
    np.testing.assert_allclose(model.decision_function(X), X @ coef + intercept, atol=1e-8)
    assert model.residual_ < 1e-8


@pytest.mark.parametrize("shape", [(60, 8), (20, 45)])
@pytest.mark.parametrize("ridge", [0.0, 1e-14])
@pytest.mark.usefixtures("solver")
def test_holes_without_a_ridge(shape, ridge):
    """The least-norm solution, because a column depends on others."""
    X, Y, _ = holed(*shape)
    X = np.hstack([X, X[:, :2]])
    model = MultiOutputRidge(ridge).fit(X, Y)
    np.testing.assert_allclose(model.coef_.T, masked_ridge(X, 2 * Y - 1, 0.0)[0], atol=1e-7)


@pytest.mark.usefixtures("solver")
def test_holes_far_from_the_origin_and_in_other_units():
    X, Y, _ = holed(80, 6)
    expected = MultiOutputRidge(1e-6).fit(X, Y).decision_function(X)
    far = MultiOutputRidge(1e-6).fit(X + 1e7, Y)
    np.testing.assert_allclose(far.decision_function(X + 1e7), expected, atol=1e-6)
    units = 10.0 ** np.arange(-9, 9, 3)
    scaled = MultiOutputRidge(1e-30).fit(X * units, Y)
    free = masked_ridge(X, 2 * Y - 1, 0.0)[0]
    np.testing.assert_allclose(scaled.coef_.T * units[:, None], free, atol=1e-6)


def test_large_sparse_problem_with_holes():
    """Without a square array, the column lengths serve as preconditioner."""
    rng = np.random.default_rng(1)
    X = sparse.random_array((3100, 3300), density=2e-3, rng=rng, format="csr")
    Y = np.asarray((X[:, :3] @ np.ones((3, 2)) > 0).astype(float))
    Y[rng.random(Y.shape) < 0.3] = np.nan
    model = MultiOutputRidge(1.0).fit(X, Y)
    coef = masked_ridge_by_rows(X.toarray(), 2 * Y - 1, 1.0)
    assert model.solver_ == "krylov"
    np.testing.assert_allclose(model.coef_, coef, atol=1e-7 * np.abs(coef).max())


def masked_ridge_by_rows(X, T, ridge):
    """The same coefficients from a system as large as the observed rows."""
    coef = []
    for t in T.T:
        A = X[~np.isnan(t)] - X[~np.isnan(t)].mean(axis=0)
        t = t[~np.isnan(t)]
        coef.append(A.T @ np.linalg.solve(A @ A.T + ridge * np.eye(len(A)), t - t.mean()))
    return np.array(coef)


def test_many_patterns_are_solved_together_and_few_one_by_one(monkeypatch):
    calls = []
    gradients = masked.conjugate_gradients
    monkeypatch.setattr(
        masked,
        "conjugate_gradients",
        lambda *given, **more: calls.append(1) or gradients(*given, **more),
    )
    X, Y, _ = holed(1500, 300, q=40)
    MultiOutputRidge(1.0).fit(X, Y)
    assert len(calls) == 1
    Y[:] = holed(1500, 300, q=40, kind="rows")[1]
    MultiOutputRidge(1.0).fit(X, Y)
    assert len(calls) == 1


def test_labels_that_hardly_occur_with_holes():
    """Never observed: never predicted, with a warning. Constant where observed: that value."""
    X, Y, _ = holed(60, 8)
    Y[:, 0], Y[:, 1], Y[1:, 2] = np.nan, np.where(np.isnan(Y[:, 1]), np.nan, 1.0), np.nan
    Y[0, 2] = 0.0
    with pytest.warns(UserWarning, match=r"1 label\(s\) \(0\) are observed in no row"):
        model = MultiOutputRidge(0.1).fit(X, Y)
    assert not model.coef_[:3].any()
    np.testing.assert_allclose(model.intercept_[:3], [-1.0, 1.0, -1.0], atol=1e-15)
    others = MultiOutputRidge(0.1).fit(X, Y[:, 3:])
    np.testing.assert_allclose(model.coef_[3:], others.coef_, atol=1e-12)


def test_steps_that_do_not_suffice_are_told(monkeypatch):
    X, Y, _ = holed(1500, 300, q=40)
    monkeypatch.setattr(
        masked,
        "conjugate_gradients",
        lambda *given, **more: conjugate.conjugate_gradients(*given, **more, max_steps=3),
    )
    with pytest.warns(ConvergenceWarning, match=r"up to .* after 3 steps.*Raise the ridge"):
        found = regress_masked(X, Y, 1e-3)
    assert found.residual > 1e-6


def test_holes_in_chunks_are_refused():
    X, Y, _ = holed(60, 8)
    message = "in a chunk or in a Dask array; MultiOutputRidge keeps sums .*Pass all rows to fit"
    model = MultiOutputRidge().partial_fit(X[:9], np.nan_to_num(Y[:9]))
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X[9:], Y[9:])
    blocks = da.from_array(X, chunks=(20, -1))
    for labels in (Y, da.from_array(Y, chunks=(20, -1))):
        with pytest.raises(ValueError, match=message):
            MultiOutputRidge().fit(blocks, labels)
    complete = MultiOutputRidge().fit(X, Y).fit(X, np.nan_to_num(Y))
    assert complete.residual_ is None
