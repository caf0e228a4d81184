"""The held-out fits from one decomposition are those of separate fits."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

from labelspan.kernels import held_out, kernel_spectrum, losses_of_codes
from labelspan.kernels._gram import Gram, centre
from labelspan.kernels._held_out_features import FeaturesHeldOut
from tests.kernels.problems import problem
from tests.reference import kernels as reference


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("ridge", [1e-3, 1.0, 100.0])
def test_held_out_fits_are_separate_fits(kernel, ridge):
    X, Y = problem(50)
    T = Y.astype(float)
    K = pairwise_kernels(X, metric=kernel)
    Q = K.copy()
    form = kernel_spectrum(Gram(Q, centre(Q)), T)
    rng = np.random.default_rng(0)
    folds = [np.sort(fold) for fold in np.array_split(rng.permutation(50), 4)]
    # A second ridge, which must not change what the first one left.
    fits, _ = held_out(form, T, [ridge, 2 * ridge], folds)
    for fold, result in zip(folds, fits, strict=True):
        others = np.setdiff1d(np.arange(50), fold)
        inner, outer = K[np.ix_(others, others)], K[np.ix_(fold, others)]
        Z = T[others] - T[others].mean(axis=0)
        alone = np.linalg.solve(reference.centred(inner) + ridge * np.eye(len(others)), Z)
        predicted = reference.centred_rows(outer, inner) @ alone + T[others].mean(axis=0)
        np.testing.assert_allclose(result.predicted, predicted, atol=1e-8)
        scale = np.abs(alone).max()
        coefficients = form.U @ result.coefficients
        np.testing.assert_allclose(coefficients[others] / scale, alone / scale, atol=1e-8)
        np.testing.assert_allclose(coefficients[fold] / scale, 0.0, atol=1e-8)
        expected = reference.cplst_matrix(inner, T[others], ridge)
        np.testing.assert_allclose(result.label_matrix(), expected, atol=1e-7)


def test_held_out_fits_with_weights_are_separate_fits(rng):
    X, Y = problem(50)
    T, w, ridge = Y.astype(float), rng.uniform(0.2, 3, 50), 0.7
    K = pairwise_kernels(X, metric="rbf")
    Q = K.copy()
    form = kernel_spectrum(Gram(Q, centre(Q, w)), T, w)
    folds = [np.sort(fold) for fold in np.array_split(rng.permutation(50), 4)]
    (fits,) = held_out(form, T, [ridge], folds, w)
    for fold, result in zip(folds, fits, strict=True):
        others = np.setdiff1d(np.arange(50), fold)
        share, root = w[others] / w[others].sum(), np.sqrt(w[others])
        H = np.eye(len(others)) - share
        inner, outer = K[np.ix_(others, others)], K[np.ix_(fold, others)]
        centred = H @ inner @ H.T * root * root[:, None]
        mean = share @ T[others]
        Z = root[:, None] * (T[others] - mean)
        alone = np.linalg.solve(centred + ridge * np.eye(len(others)), Z)
        predicted = (outer - share @ inner) @ H.T @ (root[:, None] * alone) + mean
        np.testing.assert_allclose(result.predicted, predicted, atol=1e-8)
        np.testing.assert_allclose(result.mean, mean, rtol=1e-13)
        np.testing.assert_allclose((form.U @ result.coefficients)[others], alone, atol=1e-8)
        fitted = centred @ alone
        expected = 2 * Z.T @ fitted - fitted.T @ fitted
        np.testing.assert_allclose(result.label_matrix(), expected, atol=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
def test_losses_by_the_compiled_loop_are_those_of_numpy(weighted, rng, limit):
    held = FeaturesHeldOut(rng.random((30, 6)), rng.random(6), np.eye(6))
    V = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    T = (rng.random((30, 6)) < 0.4) * 1.0
    weights = rng.uniform(0, 2, 30) if weighted else None
    by_numpy = losses_of_codes(held, V, T, weights)
    limit("held-out worth", 0)
    np.testing.assert_allclose(losses_of_codes(held, V, T, weights), by_numpy, rtol=1e-13)
    # Two codes, by definition.
    scores = held.mean + (held.predicted - held.mean) @ V[:, :2] @ V[:, :2].T
    expected = np.average(((scores > 0.5) != (T > 0.5)).mean(axis=1), weights=weights)
    assert by_numpy[1] == pytest.approx(expected, rel=1e-13)
