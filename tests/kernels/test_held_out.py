"""The held-out fits from one decomposition are those of separate fits."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

from labelspan.kernels._gram import Gram, centre
from labelspan.kernels._held_out import held_out, kernel_spectrum
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
    for fold, result in zip(folds, held_out(form, T, ridge, folds), strict=True):
        others = np.setdiff1d(np.arange(50), fold)
        inner, outer = K[np.ix_(others, others)], K[np.ix_(fold, others)]
        Z = T[others] - T[others].mean(axis=0)
        alone = np.linalg.solve(reference.centred(inner) + ridge * np.eye(len(others)), Z)
        predicted = reference.centred_rows(outer, inner) @ alone + T[others].mean(axis=0)
        np.testing.assert_allclose(result.predicted, predicted, atol=1e-8)
        scale = np.abs(alone).max()
        np.testing.assert_allclose(result.coefficients / scale, alone / scale, atol=1e-8)
        expected = reference.cplst_matrix(inner, T[others], ridge)
        np.testing.assert_allclose(result.label_matrix(), expected, atol=1e-7)
