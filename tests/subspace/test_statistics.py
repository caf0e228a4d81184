"""What the shared subspace needs of the statistics: subtract a block, signs, no centring."""

import numpy as np
import pytest
from scipy import sparse

from labelspan.linalg import regress
from labelspan.moments import Moments, Root


def sample(n=30, D=5, q=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, D)) + 4.0, (rng.random((n, q)) < 0.4).astype(float)


def fields(moments):
    return moments.weight, moments.x_mean, moments.t_mean, moments.xt, moments.xx, moments.tt


def test_taking_a_block_off_leaves_the_moments_of_the_rest():
    X, T = sample()
    rest = Moments.of(X, T) - Moments.of(X[7:12], T[7:12])
    kept = np.r_[0:7, 12:30]
    for found, expected in zip(fields(rest), fields(Moments.of(X[kept], T[kept])), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-11)


def test_a_block_must_leave_rows():
    X, T = sample()
    with pytest.raises(ValueError, match="the part weighs 30 and the sample 30"):
        Moments.of(X, T) - Moments.of(X, T)


def test_signed_and_uncentred_moments_and_roots():
    X, T = sample()
    S = 2 * T - 1
    moments, root = Moments.of(X, T).signed(), Root.of(X, T).signed()
    for found, expected in zip(fields(moments), fields(Moments.of(X, S)), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-11)
    both = np.hstack([X, S])
    centred = both - both.mean(axis=0)
    np.testing.assert_allclose(root.R.T @ root.R, centred.T @ centred, atol=1e-11)
    np.testing.assert_allclose(root.t_mean, S.mean(axis=0))
    raw, raw_root = moments.about_zero(), root.about_zero()
    np.testing.assert_allclose(raw.xx, X.T @ X)
    np.testing.assert_allclose(raw.xt, X.T @ S, atol=1e-11)
    np.testing.assert_allclose(raw_root.R.T @ raw_root.R, both.T @ both, atol=1e-11)
    assert not raw.x_mean.any()
    assert not raw_root.t_mean.any()


@pytest.mark.parametrize("shape", [(40, 6), (15, 30)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("ridges", [(0.3, 2.0), (0.0, 2.0)])
def test_regression_without_centring(shape, form, ridges):
    X, T = sample(*shape)
    S = 2 * T - 1
    result = regress(form(X), form(T), *ridges, signed=True, centre=False)
    for i, ridge in enumerate(ridges):
        expected = np.linalg.pinv(X.T @ X + ridge * np.eye(shape[1]), rcond=1e-12) @ X.T @ S
        np.testing.assert_allclose(result.coefficients(i=i), expected, atol=1e-8)
        np.testing.assert_allclose(result.explained(i), S.T @ X @ expected, atol=1e-7)
    assert not result.x_mean.any()
    assert not result.t_mean.any()


def test_large_sparse_regression_without_centring():
    rng = np.random.default_rng(1)
    X = sparse.random_array((3100, 3300), density=2e-3, rng=rng, format="csr")
    T = sparse.csr_array((X[:, :2] > 0).astype(float))
    result = regress(X, T, 1.0, signed=True, centre=False)
    S = 2 * T.toarray() - 1
    assert result.solver == "krylov"
    coef = result.coefficients()
    residual = X.T @ (X @ coef - S) + coef
    assert np.linalg.norm(residual) < 1e-8 * np.linalg.norm(X.T @ S)
