"""Kernels that compare labels: B between label columns, L between the labels of rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import linalg
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.utils import check_array

from labelspan.arrays import dense
from labelspan.gate import check_size
from labelspan.linalg import EPS

MEDIAN = "median"
LABEL_KERNELS = ("linear", "rbf", "polynomial")
# A label correlation whose other entries are smaller does not differ from the identity.
IDENTITY = 1e-4
# Negative eigenvalues and asymmetry up to this share of the largest number count as rounding.
SLACK = 1e-8


def label_rbf(statistics: Any, width: float | str | None) -> np.ndarray:
    """B of Sec. 3.3 from the pooled label statistics: ||y_s - y_t||^2 = n_s + n_t - 2 n_st."""
    mean = dense(statistics.t_mean)
    together = dense(statistics.tt) + statistics.weight * np.outer(mean, mean)
    count = np.diag(together)
    distances = np.sqrt(np.maximum(count + count[:, None] - 2 * together, 0.0))
    width = 1.0 if width is None else width
    found = median_distance(distances) if width == MEDIAN else float(width)
    # Divide first, because the square of a tiny width underflows.
    B = np.exp(-0.5 * (distances / found) ** 2)
    warn_of_identity(B, distances, found)
    return B


def median_distance(distances: np.ndarray) -> float:
    """Median of the distances (m, m) that are not zero; 1 if all are."""
    between = distances[np.triu_indices_from(distances, 1)]
    apart = between[between > 0]
    return float(np.median(apart)) if apart.size else 1.0


def warn_of_identity(B: np.ndarray, distances: np.ndarray, width: float) -> None:
    """Warn if B is the identity but for entries that do not count."""
    beside = B[np.triu_indices_from(B, 1)]
    if beside.size == 0 or beside.max() >= IDENTITY:
        return
    warnings.warn(
        f"label_width={width:g} leaves label_correlation='rbf' without effect: no two labels have "
        f"a correlation above {beside.max():.1e}, because they differ by "
        f"{distances[distances > 0].min():.3g} or more. Set label_width='median' "
        f"({median_distance(distances):.3g} here), or leave out label_correlation.",
        stacklevel=2,
    )


def label_targets(Y: Any, kernel: Any, width: float | str | None, n_given: int) -> Any:
    """F (n, r) with F F' the label kernel; one that is a matrix has `n_given` rows."""
    if isinstance(kernel, str):
        return Y if kernel == "linear" else named_factor(dense(Y), kernel, width)
    if callable(kernel):
        return kernel_factor(kernel(dense(Y)), Y.shape[0])
    return kernel_factor(kernel, n_given)


def named_factor(Y: np.ndarray, kernel: str, width: float | str | None) -> np.ndarray:
    """The factor of a kernel between rows, found once per set of labels that occurs."""
    sets, place, count = np.unique(Y, axis=0, return_inverse=True, return_counts=True)
    check_size((len(sets), len(sets)), "The label kernel", "Use label_kernel='linear'.")
    if kernel == "polynomial":
        L = polynomial_kernel(sets)
    else:
        distances = squareform(pdist(sets))
        found = between_rows(distances, count) if width in (None, MEDIAN) else float(width)
        L = np.exp(-0.5 * (distances / found) ** 2)
    return semidefinite_factor(L)[0][place.ravel()]


def between_rows(distances: np.ndarray, count: np.ndarray) -> float:
    """Median distance between rows whose labels differ, from those of the sets of labels."""
    upper = np.triu_indices_from(distances, 1)
    between, pairs = distances[upper], np.outer(count, count)[upper]
    order = np.argsort(between)
    reached = np.cumsum(pairs[order])
    return float(between[order][np.searchsorted(reached, reached[-1] / 2)]) if len(order) else 1.0


def kernel_factor(given: Any, n_rows: int) -> np.ndarray:
    """F (n, r) with L = F F' for a given label kernel L (n, n), checked; a factor unchanged."""
    given = check_array(given, dtype=np.float64, input_name="label_kernel", accept_sparse=False)
    if given.shape[0] != n_rows or given.shape[1] > n_rows:
        raise ValueError(
            f"label_kernel has shape {given.shape}; expected ({n_rows}, {n_rows}), one row and "
            f"one column per training row, or a factor ({n_rows}, r) with r < {n_rows}."
        )
    if given.shape[1] < n_rows:
        return given
    gap, largest = np.abs(given - given.T).max(), np.abs(given).max()
    if gap > SLACK * largest:
        raise ValueError(
            f"label_kernel is not symmetric (largest difference to its transpose {gap:.3g}). "
            "Pass (K + K.T) / 2."
        )
    F, left = semidefinite_factor(given)
    if left > SLACK * largest:
        least = linalg.eigh(given, eigvals_only=True, subset_by_index=(0, 0))[0]
        raise ValueError(
            f"label_kernel is indefinite: its smallest eigenvalue is {least:.3g}, allowed are "
            "values >= 0. Clip its negative eigenvalues, or pass a factor F with L = F F'."
        )
    return F


def semidefinite_factor(L: np.ndarray) -> tuple[np.ndarray, float]:
    """F with L = F F' by Cholesky with pivoting, and the largest entry of what it leaves."""
    size = len(L) * EPS * max(float(np.diagonal(L).max()), 0.0)
    factor, order, r, _ = linalg.lapack.dpstrf(L, tol=size, lower=1)
    F = np.empty((len(L), r))
    F[order - 1] = np.tril(factor)[:, :r]
    return F, float(np.abs(L - F @ F.T).max())
