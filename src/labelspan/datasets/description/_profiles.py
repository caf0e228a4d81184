"""Label profiles: how the rows of a label differ from other rows."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

# Labels with fewer rows have no reliable profile; less similar ones are not the same label.
MIN_POSITIVES = 5
MIN_SIMILARITY = 0.2
MAX_LABELS = 1000
# Profiles are dense: with more labels times features, those of largest variance are used.
MAX_PROFILE_VALUES = 2**25


def scaled(X: sp.csc_array, n_labels: int) -> sp.csr_array:
    """Drop constant columns; divide the others by the root of their standard deviation."""
    n_samples = X.shape[0]
    mean = X.sum(axis=0) / n_samples
    variance = (X * X).sum(axis=0) / n_samples - mean**2
    varies = np.flatnonzero(variance > 1e-12 * mean**2)
    max_features = MAX_PROFILE_VALUES // max(n_labels, 1)
    if len(varies) > max_features:
        varies = np.sort(varies[np.argsort(-variance[varies], kind="stable")[:max_features]])
    return sp.csr_array(X[:, varies] @ sp.diags_array(variance[varies] ** -0.25))


def profiles(X: sp.csr_array, Y: sp.csr_array) -> np.ndarray:
    """Return unit vectors (n_labels, n_features): label means minus the mean of all rows."""
    mean = X.sum(axis=0) / max(X.shape[0], 1)
    found = (Y.T @ X).toarray() / np.maximum(Y.sum(axis=0), 1.0)[:, None] - mean
    length = np.linalg.norm(found, axis=1, keepdims=True)
    return found / np.where(length > 0, length, 1.0)


def frequent(*parts: sp.csr_array) -> np.ndarray:
    """Return the labels with five rows or more in each part; at most the most frequent ones."""
    counts = np.min([Y.sum(axis=0) for Y in parts], axis=0)
    labels = np.argsort(-counts, kind="stable")[:MAX_LABELS]
    return np.sort(labels[counts[labels] >= MIN_POSITIVES])
