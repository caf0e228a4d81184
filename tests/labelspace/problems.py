"""Data that the label-space tests share."""

import numpy as np


def problem(seed=0, n=80, n_features=10, n_labels=6):
    """Features with a mean and unequal scales, labels that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_features)) * np.linspace(0.5, 2.0, n_features) + 1.0
    signal = X @ rng.standard_normal((n_features, n_labels)) / 2
    Y = (signal + rng.standard_normal((n, n_labels)) > 1.0).astype(int)
    return X, Y
