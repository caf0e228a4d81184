"""Features that are labels in disguise."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

MIN_POSITIVES = 10
MIN_OVERLAP = 0.98


def label_features(X: Any, Y: sp.csr_array) -> tuple[tuple[int, int], ...]:
    """Pairs (feature, label) of ten rows or more, with 98 % of their nonzero rows in common."""
    n_samples = X.shape[0]
    stored = sp.csc_array(X)
    stored.eliminate_zeros()
    support = sp.csc_array(
        (np.ones(len(stored.data)), stored.indices, stored.indptr), shape=stored.shape
    )
    counts, label_counts = np.diff(stored.indptr), Y.sum(axis=0)
    # A feature without zeros has the rows of a label only if every row has the label.
    candidates = np.flatnonzero((counts >= MIN_POSITIVES) & (counts < n_samples))
    common = sp.coo_array(support[:, candidates].T @ Y)
    features, labels = candidates[common.coords[0]], common.coords[1]
    union = counts[features] + label_counts[labels] - common.data
    kept = (common.data >= MIN_OVERLAP * union) & (label_counts[labels] >= MIN_POSITIVES)
    pairs = zip(features[kept].tolist(), labels[kept].tolist(), strict=True)
    return tuple(sorted(pairs))
