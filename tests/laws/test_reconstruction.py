"""Reconstruction of features, and the share of its criterion that a reducer keeps."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA

import labelspan as ls
from tests.laws.test_laws import EVERY, METHODS, RIDGE_FREE, problem
from tests.registry import name

SHARED = [*METHODS, *RIDGE_FREE]


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_the_reconstruction_is_the_least_squares_one(method, rng):
    X, Y = problem(rng)
    model = clone(method.estimator).fit(X, Y)
    T = rng.standard_normal((7, model.n_components_))
    back = model.inverse_transform(T)
    # Of all rows with these projections, the one nearest to the mean.
    nearest, *_ = np.linalg.lstsq(model.components_, T.T)
    np.testing.assert_allclose(back - model.mean_, nearest.T, atol=1e-7 * np.abs(nearest).max())
    np.testing.assert_allclose(model.transform(back), T, atol=1e-7)


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_all_directions_give_x_back(method, rng):
    X, Y = problem(rng, n_features=4, n_labels=6)
    model = clone(method.estimator).set_params(n_components=4).fit(X, Y)
    assert model.n_components_ == 4
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-8)


def test_a_short_direction_is_not_taken_for_rounding(rng):
    X, Y = problem(rng)
    model = ls.MDDM(3).fit(X, Y)
    T = model.transform(X)
    plain = model.inverse_transform(T)
    # Units of the projections, as a ridge of 1e36 would give them to one direction.
    model.components_[1] *= 1e-18
    T[:, 1] *= 1e-18
    np.testing.assert_allclose(model.inverse_transform(T), plain)


def test_pca_reconstructs_the_same_way(rng):
    X, Y = problem(rng)
    pca, model = PCA(3).fit(X), ls.MVMD(3, beta=0.0).fit(X, Y)
    np.testing.assert_allclose(
        model.inverse_transform(model.transform(X)), pca.inverse_transform(pca.transform(X))
    )


def test_inverse_transform_keeps_float32_and_refuses_other_widths(rng):
    X, Y = problem(rng)
    model = ls.MDDM(3).fit(X, Y)
    T = model.transform(X)
    narrow = model.inverse_transform(T.astype(np.float32))
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, model.inverse_transform(T), rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match=r"X has 2 columns; expected 3.*what transform returned"):
        model.inverse_transform(T[:, :2])


def test_a_lazy_reconstruction_is_the_same(rng):
    dask_array = pytest.importorskip("dask.array")
    X, Y = problem(rng)
    model = ls.OPLS(3).fit(X, Y)
    lazy = dask_array.from_array(model.transform(X), chunks=(40, 3))
    back = model.inverse_transform(lazy)
    assert back.shape == X.shape
    np.testing.assert_allclose(back.compute(), model.inverse_transform(model.transform(X)))


@pytest.mark.filterwarnings("ignore:Without a ridge the features fit any label")
@pytest.mark.parametrize("shape", [(90, 12), (25, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("method", SHARED, ids=name)
def test_shares_are_those_of_the_whole_spectrum(method, shape, rng):
    X, Y = problem(rng, *shape)
    every = clone(method.estimator).fit(X, Y)
    shares = every.eigenvalues_ / every.eigenvalues_.sum()
    np.testing.assert_allclose(every.explained_dependence_ratio_, shares, rtol=1e-8)
    for n_components in (1, 2, 0.6):
        some = clone(method.estimator).set_params(n_components=n_components).fit(X, Y)
        kept = some.explained_dependence_ratio_
        # The total is a trace, so it does not matter how much of the spectrum was computed.
        np.testing.assert_allclose(kept, shares[: some.n_components_], rtol=1e-8)
        assert (kept >= 0).all()
        assert kept.sum() <= 1 + 1e-12
    assert kept.sum() >= 0.6
    assert kept[:-1].sum() < 0.6


@pytest.mark.parametrize("method", SHARED, ids=name)
def test_shares_do_not_depend_on_the_solver(method, limit, rng):
    X, Y = problem(rng, n=80, n_features=60)
    X[rng.random(X.shape) < 0.6] = 0.0
    model = clone(method.estimator).set_params(n_components=2)
    direct = clone(model).fit(X, Y)
    limit("krylov side", 20)
    other = clone(model).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(
        other.explained_dependence_ratio_, direct.explained_dependence_ratio_, rtol=1e-7
    )


def test_the_share_of_mddm_is_the_share_of_hsic(rng):
    X, Y = problem(rng)
    every, two = ls.MDDM(None).fit(X, Y), ls.MDDM(2).fit(X, Y)
    np.testing.assert_allclose(two.explained_dependence_ratio_.sum(), two.hsic_ / every.hsic_)


def test_lpp_has_no_share_of_a_dependence(rng):
    X, Y = problem(rng)
    assert not hasattr(ls.LPP(3).fit(X, Y), "explained_dependence_ratio_")
