"""The held-out fits from one decomposition are those of separate fits."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

from labelspan.kernels import (
    HeldOut,
    KernelCPLST,
    gram,
    held_out,
    kernel_map,
    kernel_spectrum,
    losses_of_codes,
)
from tests.kernels.problems import problem
from tests.reference import kernels as reference


def spectrum_of(K, T, weights=None):
    given = kernel_map(KernelCPLST(kernel="precomputed"), K)
    return kernel_spectrum(gram(given, K, 0.0, weights), T, weights)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("ridge", [1e-3, 1.0, 100.0])
def test_held_out_fits_are_separate_fits(kernel, ridge):
    X, Y = problem(50)
    T = Y.astype(float)
    K = pairwise_kernels(X, metric=kernel)
    form = spectrum_of(K, T)
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
        np.testing.assert_allclose(result.label_matrix, expected, atol=1e-7)


def test_held_out_fits_with_weights_are_separate_fits(rng):
    X, Y = problem(50)
    T, w, ridge = Y.astype(float), rng.uniform(0.2, 3, 50), 0.7
    K = pairwise_kernels(X, metric="rbf")
    form = spectrum_of(K, T, w)
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
        np.testing.assert_allclose(result.label_matrix, expected, atol=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
# The larger one, of 2000 times 92 times 92 decisions, is worth a compiled loop.
@pytest.mark.parametrize(("n", "q"), [(30, 6), (2000, 92)])
def test_losses_are_those_of_the_first_codes_by_definition(n, q, weighted, rng):
    predicted, mean, nothing = rng.random((n, q)), rng.random(q), np.empty((n, q))
    held = HeldOut(predicted, mean, nothing)
    V = np.linalg.qr(rng.standard_normal((q, q)))[0]
    T = (rng.random((n, q)) < 0.4) * 1.0
    weights = rng.uniform(0, 2, n) if weighted else None
    expected = []
    for k in range(1, q + 1):
        scores = mean + (predicted - mean) @ V[:, :k] @ V[:, :k].T
        wrong = ((scores > 0.5) != (T > 0.5)).mean(axis=1)
        expected.append(np.average(wrong, weights=weights))
    # A score within rounding of one half may fall on either side.
    found = losses_of_codes(held, V, T, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=2 / (n * q))
    assert np.count_nonzero(np.abs(found - expected) > 1e-12) <= 1
