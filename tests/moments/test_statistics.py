"""Moments, Root and Rows against direct sums over the rows."""

import numpy as np
import pytest
from scipy import sparse

from labelspan.arrays import triangle
from labelspan.moments import CentredRows, Moments, Root, Rows


@pytest.fixture
def sample(rng):
    X = rng.standard_normal((50, 6)) + 3.0
    X[rng.random(X.shape) < 0.5] = 0.0
    T = (rng.random((50, 4)) < 0.3).astype(float)
    w = rng.random(50)
    w[:3] = 0.0
    return X, T, w


def direct(X, T, w):
    """The definition, row by row."""
    x_mean, t_mean = np.average(X, axis=0, weights=w), np.average(T, axis=0, weights=w)
    xx = sum(a * np.outer(x - x_mean, x - x_mean) for a, x in zip(w, X, strict=True))
    xt = sum(a * np.outer(x - x_mean, t - t_mean) for a, x, t in zip(w, X, T, strict=True))
    tt = sum(a * np.outer(t - t_mean, t - t_mean) for a, t in zip(w, T, strict=True))
    return x_mean, t_mean, xx, xt, tt


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("X_form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("T_form", [np.asarray, sparse.csr_array])
def test_moments_are_sums_over_rows(sample, weighted, X_form, T_form):
    X, T, w = sample
    weights = w if weighted else None
    x_mean, t_mean, xx, xt, tt = direct(X, T, w if weighted else np.ones(len(X)))
    moments = Moments.of(X_form(X), T_form(T), weights)
    np.testing.assert_allclose(moments.x_mean, x_mean, atol=1e-13)
    np.testing.assert_allclose(moments.t_mean, t_mean, atol=1e-13)
    np.testing.assert_allclose(moments.xx, xx, atol=1e-11)
    np.testing.assert_allclose(moments.xt, xt, atol=1e-11)
    np.testing.assert_allclose(moments.tt, tt, atol=1e-11)


def assert_direct(moments, X, T, w, atol=1e-11):
    assert moments.weight == pytest.approx(w.sum())
    for name, value in zip(("x_mean", "t_mean", "xx", "xt", "tt"), direct(X, T, w), strict=True):
        np.testing.assert_allclose(getattr(moments, name), value, atol=atol, err_msg=name)


def test_a_part_is_taken_off(sample):
    X, T, w = sample
    whole, part = Moments.of(X, T, w), Moments.of(X[:20], T[:20], w[:20])
    assert_direct(whole - part, X[20:], T[20:], w[20:])
    thin = Moments.of(X, T, w, xx=False, tt=False) - part
    assert (thin.xx, thin.tt) == (None, None)
    with pytest.raises(ValueError, match="the part must leave some rows"):
        part - part


def test_other_labels_and_other_origins(sample):
    X, T, w = sample
    moments = Moments.of(X, T, w)
    assert_direct(moments.signed(), X, 2 * T - 1, w)
    by = np.linspace(-5, 5, X.shape[1])
    assert_direct(moments.moved(by), X + by, T, w)
    about = moments.about_zero()
    assert not about.x_mean.any()
    assert not about.t_mean.any()
    for found, A, B in ((about.xx, X, X), (about.xt, X, T), (about.tt, T, T)):
        np.testing.assert_allclose(found, (A * w[:, None]).T @ B, atol=1e-11)


@pytest.mark.parametrize("cuts", [[25], [1, 2, 3], [3, 40]])
def test_moments_pool(sample, cuts):
    X, T, w = sample
    whole = Moments.of(X, T, w)
    # The first block of the last case has no weight at all.
    parts = [
        Moments.of(x, t, a)
        for x, t, a in zip(np.split(X, cuts), np.split(T, cuts), np.split(w, cuts), strict=True)
    ]
    pooled = sum(parts[1:], parts[0])
    for name in ("weight", "x_mean", "t_mean", "xx", "xt", "tt"):
        np.testing.assert_allclose(
            getattr(pooled, name), getattr(whole, name), rtol=1e-12, atol=1e-12
        )


def test_moments_leave_out_what_nobody_asked_for(sample):
    X, T, _ = sample
    pooled = Moments.of(X[:20], T[:20], xx=False) + Moments.of(X[20:], T[20:], xx=False)
    assert pooled.xx is None
    whole = Moments.of(X, T)
    np.testing.assert_allclose(pooled.tt, whole.tt, rtol=1e-12)
    np.testing.assert_allclose(pooled.xt, whole.xt, rtol=1e-12, atol=1e-12)


def test_moments_about_another_centre(sample):
    X, T, w = sample
    about = Moments.of(X, T, w).about(np.ones(6))
    np.testing.assert_allclose(about, (X - 1).T @ np.diag(w) @ (X - 1), atol=1e-11)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cuts", [[], [25], [1, 2, 4, 6, 30]])
def test_root_squares_to_the_moments(sample, cuts, weighted):
    """The first parts weigh nothing."""
    arrays = sample[: 2 + weighted]
    moments = Moments.of(*arrays)
    parts = [Root.of(*part) for part in zip(*(np.split(A, cuts) for A in arrays), strict=True)]
    root = sum(parts[1:], parts[0])
    np.testing.assert_allclose(root.x_mean, moments.x_mean, atol=1e-13)
    np.testing.assert_allclose(root.Rx.T @ root.Rx, moments.xx, atol=1e-11)
    np.testing.assert_allclose(root.Rx.T @ root.Rt, moments.xt, atol=1e-11)
    np.testing.assert_allclose(root.tt, moments.tt, atol=1e-11)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_the_centred_weighted_matrix(sample, weighted, rng):
    X, T, w = sample
    X[:, 2] = 0.0  # an empty column takes the short way
    weights = w if weighted else np.ones(len(X))
    rows = Rows.of(sparse.csr_array(X), sparse.csr_array(T), w if weighted else None)
    root = np.sqrt(weights)[:, None]
    Xc = root * (X - np.average(X, axis=0, weights=weights))
    Tc = root * (T - np.average(T, axis=0, weights=weights))
    V, W = rng.standard_normal((6, 3)), rng.standard_normal((50, 3))
    np.testing.assert_allclose(rows.operator.matmat(V), Xc @ V, atol=1e-12)
    np.testing.assert_allclose(rows.operator.rmatmat(W), Xc.T @ W, atol=1e-12)
    np.testing.assert_allclose(rows.operator.gram(W), Xc @ Xc.T @ W, atol=1e-11)
    np.testing.assert_allclose(rows.T, Tc, atol=1e-12)
    np.testing.assert_allclose(rows.tt, Tc.T @ Tc, atol=1e-12)
    np.testing.assert_allclose(rows.x_mean, np.average(X, axis=0, weights=weights), atol=1e-13)


def test_adjoint_of_the_operator(rng):
    X = sparse.csr_array(np.where(rng.random((30, 80)) < 0.1, 1.0, 0.0))
    A = CentredRows(X, rng.random(30))
    u, v = rng.standard_normal(80), rng.standard_normal(30)
    np.testing.assert_allclose(A.matvec(u) @ v, u @ A.rmatvec(v), rtol=1e-12)


@pytest.mark.parametrize(("n_rows", "side"), [(3000, 7), (2500, 1100), (1024, 40), (9, 30)])
def test_triangle_of_many_rows_keeps_small_directions(n_rows, side, rng):
    A = rng.standard_normal((n_rows, side)) * np.geomspace(1, 1e-12, side)
    expected = np.abs(np.linalg.qr(A, mode="r"))
    found = np.abs(triangle(A.copy()))
    assert found.shape == expected.shape
    assert (np.abs(found - expected) <= 1e-12 * np.linalg.norm(A, axis=0)).all()
