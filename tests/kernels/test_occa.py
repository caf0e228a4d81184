"""KernelOCCA against its transcription and the linear class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labelspan.kernels import KernelCPLST, KernelOCCA
from labelspan.labelspace import OCCA
from tests.kernels.problems import KERNELS, inputs, matrix, midpoints, problem
from tests.reference import kernels as reference


def compare(kernel, X, Y, X_new, ridge, M):
    """Errors, directions and scores for new rows against the dense equations."""
    K, K_new = matrix(kernel, X, X), matrix(kernel, X_new, X)
    model = KernelOCCA(M, ridge=ridge, **KERNELS[kernel]).fit(inputs(kernel, X, X), Y)
    values, V = np.linalg.eigh(reference.occa_matrix(K, Y, ridge))
    assert_allclose(model.eigenvalues_, values[:M], atol=1e-8 * values[-1])
    V = V[:, :M]
    assert_allclose(model.components_.T @ model.components_, V @ V.T, atol=1e-7)
    Z = Y - Y.mean(axis=0)
    A = np.linalg.solve(reference.centred(K) + ridge * np.eye(len(K)), Z @ V)
    expected = reference.centred_rows(K_new, K) @ A @ V.T + Y.mean(axis=0) - 0.5
    assert_allclose(model.decision_function(inputs(kernel, X_new, X)), expected, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ridge", [0.01, 1.0, 100.0])
def test_equals_the_transcription(kernel, ridge):
    X, Y = problem()
    compare(kernel, X, Y, midpoints(X, 20), ridge, 3)


def test_equals_the_transcription_on_yeast(dataset):
    data = dataset("yeast")
    compare("rbf", data.X[:400], data.Y[:400], data.X[2000:2100], 1.0, 5)


@pytest.mark.parametrize("ridge", [0.0, 0.3, 30.0])
@pytest.mark.parametrize("n_landmarks", [None, 60])
def test_a_linear_kernel_gives_occa(ridge, n_landmarks):
    X, Y = problem()
    w = np.arange(60) % 4.0
    given = {"n_landmarks": n_landmarks, "random_state": 0}
    for weights in (None, w):
        if weights is not None and n_landmarks:
            continue
        ours = KernelOCCA(3, kernel="linear", ridge=ridge, **given).fit(X, Y, weights)
        linear = OCCA(3, ridge=ridge).fit(X, Y, weights)
        assert_allclose(ours.eigenvalues_, linear.eigenvalues_, atol=1e-9 * len(X))
        assert_allclose(ours.decision_function(X), linear.decision_function(X), atol=1e-8)


def test_no_orthonormal_codes_are_predicted_better():
    X, Y = problem()
    for M in (1, 2, 4):
        best = KernelOCCA(M, gamma=0.2).fit(X, Y).errors(X, Y)
        both = KernelCPLST(M, gamma=0.2).fit(X, Y).errors(X, Y)
        assert best.prediction <= both.prediction * (1 + 1e-9)
        assert best.bound >= both.bound * (1 - 1e-9)


def test_the_first_codes_are_those_of_fewer():
    X, Y = problem()
    model, short = KernelOCCA(gamma=0.2).fit(X, Y), KernelOCCA(2, gamma=0.2).fit(X, Y)
    assert_allclose(model.truncate(2).decision_function(X), short.decision_function(X), atol=1e-10)
