"""Statistics of a label matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class LabelStatistics:
    """Numbers that depend on the labels alone; `Description` explains them."""

    cardinality: float
    density: float
    n_labelsets: int
    mean_imbalance: float
    max_imbalance: float
    scumble: float
    n_empty_rows: int
    n_empty_labels: int


def label_statistics(Y: sp.csr_array, observed: np.ndarray | None = None) -> LabelStatistics:
    """Compute the statistics of an indicator matrix without stored zeros.

    A row is empty if all its labels are `observed` to be absent.

    The imbalance ratio of a label is the count of the most frequent label over its own
    (Charte et al. 2015, IRLbl); labels without rows have none. SCUMBLE (Charte et al. 2014)
    is the mean over rows of one minus the ratio of the geometric to the arithmetic mean of
    the imbalance ratios of the row's labels; a row without labels counts zero.
    """
    n_samples, n_labels = Y.shape
    counts = np.bincount(Y.indices, minlength=n_labels)
    present = counts > 0
    imbalance = np.divide(counts.max(initial=0), counts, out=np.zeros(n_labels), where=present)
    known = True if observed is None else observed.all(axis=1)
    return LabelStatistics(
        cardinality=float(counts.sum() / max(n_samples, 1)),
        density=float(counts.sum() / max(n_samples * n_labels, 1)),
        n_labelsets=_n_distinct_rows(Y),
        mean_imbalance=float(imbalance[present].mean()) if present.any() else 0.0,
        max_imbalance=float(imbalance.max(initial=0.0)),
        scumble=_scumble(Y, imbalance),
        n_empty_rows=int(np.count_nonzero(known & (np.diff(Y.indptr) == 0))),
        n_empty_labels=int(np.count_nonzero(~present)),
    )


def _n_distinct_rows(Y: sp.csr_array) -> int:
    bounds = Y.indptr
    return len({Y.indices[bounds[i] : bounds[i + 1]].tobytes() for i in range(Y.shape[0])})


def _scumble(Y: sp.csr_array, imbalance: np.ndarray) -> float:
    sizes = np.diff(Y.indptr)
    filled = sizes > 0
    if not filled.any():
        return 0.0
    starts = Y.indptr[:-1][filled]
    ratios = imbalance[Y.indices]
    arithmetic = np.add.reduceat(ratios, starts) / sizes[filled]
    geometric = np.exp(np.add.reduceat(np.log(ratios), starts) / sizes[filled])
    return float(np.maximum(1.0 - geometric / arithmetic, 0.0).sum() / len(sizes))
