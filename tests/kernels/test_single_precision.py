"""float32 rows: the kernel matrix is float32 if the ridge is well above its rounding."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from labelspan.datasets import load_yeast
from labelspan.kernels import (
    KernelCPLST,
    KernelLabelCCA,
    KernelMDDM,
    KernelSharedSubspaceClassifier,
    gram,
    kernel_map,
)
from tests.kernels.problems import problem, up_to_sign

MODELS = [
    KernelMDDM(3, constraint="feature", gamma=0.5),
    KernelLabelCCA(3, gamma=0.5, ridge=1.0),
    KernelCPLST(gamma=0.5),
    KernelSharedSubspaceClassifier(gamma=0.5),
]


@pytest.fixture(scope="module")
def rows():
    yeast = load_yeast()
    return yeast.X, yeast.Y, yeast.X.astype(np.float32)


@pytest.mark.parametrize(
    ("ridge", "dtype"), [(1.0, np.float32), (0.1, np.float32), (1e-3, np.float64), (0, np.float64)]
)
def test_the_precision_follows_the_ridge(ridge, dtype, rows):
    X, _, single = rows
    map_ = kernel_map(KernelCPLST(), single)
    assert gram(map_, single, ridge).K.dtype == dtype
    assert gram(kernel_map(KernelCPLST(), X), X, ridge).K.dtype == np.float64
    K = rbf_kernel(single)
    given = KernelCPLST(kernel="precomputed")
    assert gram(kernel_map(given, K), K, ridge).K.dtype == dtype


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_what_is_fitted_is_that_of_float64(model, rows):
    X, Y, single = rows
    exact, ours = clone(model).fit(X, Y), clone(model).fit(single, Y)
    apply = "transform" if hasattr(model, "transform") else "decision_function"
    expected, found = getattr(exact, apply)(X[:300]), getattr(ours, apply)(single[:300])
    assert found.dtype == np.float32
    scale = np.abs(expected).max()
    np.testing.assert_allclose(up_to_sign(found, expected), expected, atol=1e-4 * scale)


@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_a_kernel_that_is_proper_after_centring_keeps_its_digits(ridge):
    """Minus the squared distance has a diagonal of zeros, which says nothing about its rounding."""
    X, Y = problem(n=200)
    K = -cdist(X, X, "sqeuclidean")
    K = K.astype(np.float32)
    model = KernelCPLST(3, kernel="precomputed", ridge=ridge)
    single, double = (
        clone(model).fit(kernel, Y).dual_components_ for kernel in (K, K.astype(float))
    )
    # What docs/kernels.md allows where float32 is kept.
    np.testing.assert_allclose(single, double, atol=1e-4 * np.abs(double).max())
