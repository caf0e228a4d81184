"""HSIC of two kernels against its definition and against MDDM."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

import labelspan as ls
from labelspan.stats import hsic
from tests.laws.law import sample
from tests.reference.extraction import centring


def test_it_is_the_definition_for_any_two_kernels():
    X, Y, _ = sample()
    H, n = centring(len(X)), len(X)
    for K in (X @ X.T, rbf_kernel(X), polynomial_kernel(X)):
        for L in (Y @ Y.T, rbf_kernel(Y, gamma=0.3), polynomial_kernel(Y)):
            assert_allclose(hsic(K, L), np.trace(K @ H @ L @ H) / (n - 1) ** 2, rtol=1e-12)
            assert_allclose(hsic(K, L), hsic(L, K), rtol=1e-12)


def test_mddm_keeps_what_it_says():
    X, Y, _ = sample()
    model = ls.MDDM(2).fit(X, Y)
    Z = model.transform(X)
    assert_allclose(hsic(Z @ Z.T, Y @ Y.T) * (len(X) - 1) ** 2, model.hsic_, rtol=1e-10)


@pytest.mark.parametrize(
    ("K", "L", "message"),
    [
        (np.ones((3, 2)), np.eye(3), r"K has shape \(3, 2\); expected a square matrix"),
        (np.eye(3), np.eye(3, k=1), "L is not symmetric"),
        (np.eye(3), np.eye(4), "expected two kernels of the same rows"),
        (np.eye(1), np.eye(1), "expected 2 or more"),
    ],
)
def test_what_is_no_kernel_is_refused(K, L, message):
    with pytest.raises(ValueError, match=message):
        hsic(K, L)
