"""Kernels and small problems for the tests of the kernel methods."""

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

KERNELS = {
    "rbf": {"kernel": "rbf", "gamma": 0.3},
    "poly": {"kernel": "poly", "degree": 2, "gamma": 0.1, "coef0": 1.0},
    "linear": {"kernel": "linear"},
    "precomputed": {"kernel": "precomputed"},
}


def matrix(name, A, B):
    """Kernel values by scikit-learn; the precomputed one is Laplacian."""
    if name == "precomputed":
        return pairwise_kernels(A, B, metric="laplacian", gamma=0.1)
    parameters = {k: v for k, v in KERNELS[name].items() if k != "kernel"}
    return pairwise_kernels(A, B, metric=name, **parameters)


def inputs(name, A, B):
    """The input of an estimator for rows A compared with training rows B."""
    return matrix(name, A, B) if name == "precomputed" else A


def problem(n=60, D=8, q=5, seed=0):
    """Correlated labels on features far from zero; one label without rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D)) + 3.0
    scores = np.tanh(X - 3.0) @ rng.standard_normal((D, q)) + 0.5 * rng.standard_normal((n, q))
    Y = (scores > 0.3).astype(int)
    Y[:, -1] = 0
    return X, Y


def up_to_sign(A, B):
    """A with the sign of each column chosen to match B."""
    return A * np.sign(np.sum(A * B, axis=0))


def midpoints(X, n=200):
    """New rows when all of a set are used for training: halfway between two of them."""
    return (X[:n] + X[n : 2 * n]) / 2
