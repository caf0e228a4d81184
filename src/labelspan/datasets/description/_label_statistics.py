"""Statistics of a label matrix."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp


def label_statistics(Y: sp.csr_array, observed: np.ndarray | None = None) -> dict[str, Any]:
    """Attributes of a `Description` that depend on labels alone (IRLbl: Charte et al. 2015)."""
    n_samples, n_labels = Y.shape
    counts = np.bincount(Y.indices, minlength=n_labels)
    present = counts > 0
    imbalance = np.divide(counts.max(initial=0), counts, out=np.zeros(n_labels), where=present)
    known = True if observed is None else observed.all(axis=1)
    return {
        "cardinality": float(counts.sum() / max(n_samples, 1)),
        "density": float(counts.sum() / max(n_samples * n_labels, 1)),
        "n_labelsets": len({Y.indices[i:j].tobytes() for i, j in pairwise(Y.indptr.tolist())}),
        "mean_imbalance": float(imbalance[present].mean()) if present.any() else 0.0,
        "max_imbalance": float(imbalance.max(initial=0.0)),
        "scumble": _scumble(Y, imbalance),
        "n_empty_rows": int(np.count_nonzero(known & (np.diff(Y.indptr) == 0))),
        "n_empty_labels": int(np.count_nonzero(~present)),
    }


def _scumble(Y: sp.csr_array, imbalance: np.ndarray) -> float:
    """Mean over rows of 1 - geometric / arithmetic mean of the ratios (Charte et al. 2014)."""
    sizes = np.diff(Y.indptr)
    filled = sizes > 0
    if not filled.any():
        return 0.0
    starts = Y.indptr[:-1][filled]
    ratios = imbalance[Y.indices]
    arithmetic = np.add.reduceat(ratios, starts) / sizes[filled]
    geometric = np.exp(np.add.reduceat(np.log(ratios), starts) / sizes[filled])
    return float(np.maximum(1.0 - geometric / arithmetic, 0.0).sum() / len(sizes))
