"""Small problems for the tests of the shared subspace."""

import numpy as np


def problem(n, D, q=7, seed=0):
    """Correlated labels on shifted features, one of them without rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D)) * (rng.random((n, D)) < 0.7) + 1.0
    factors = rng.standard_normal((D, 4)) @ rng.standard_normal((4, q))
    scores = (X - 1.0) @ factors + rng.standard_normal((n, q))
    Y = (scores > np.quantile(scores, 0.6, axis=0)).astype(int)
    Y[:, -1] = 0
    return X, Y
