"""The spectral form of the statistics: one decomposition for every ridge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.utils import check_array

from labelspan.arrays import dense, eigh, like, namespace, regular_factor
from labelspan.gate import NoDirectionError
from labelspan.linalg._eigenpairs import rank
from labelspan.linalg._graded import (
    column_scales,
    is_graded,
    jacobi,
    scaled_cholesky,
)
from labelspan.moments import Moments, Root

# Smaller eigenvalues, relative to the first, are zero: far above rounding, which differs between
# chunks and one fit.
NULL = 1e-10


@dataclass(frozen=True)
class Spectral:
    """The part of Xc = U diag(s) V' that the statistics determine: V (D, r), s (r,), U'Tc (r, q).

    a xx + b I is V diag(a s^2 + b) V' + b (I - V V') for every a and b, so a grid over ridge, mu,
    alpha or beta costs one decomposition. Of s^2, up to `null` of the first may be rounding.
    """

    V: np.ndarray
    s: np.ndarray
    UT: np.ndarray
    null: float = NULL


def spectral(statistics: Moments | Root) -> Spectral:
    """Spectral form of Moments (eigenvectors of xx) or of a Root (singular vectors of R).

    From Moments, singular values below sqrt(D eps) of the largest count as zero; if column scales
    are far apart, this cut applies to columns of unit length.
    """
    if is_graded(statistics.squares):
        return graded_form(statistics, column_scales(statistics.squares))
    if isinstance(statistics, Root):
        U, s, Vt = linalg.svd(statistics.Rx, full_matrices=False, check_finite=False)
        r = rank(s, int(statistics.weight))
        return Spectral(Vt[:r].T, s[:r], U[:, :r].T @ statistics.Rt)
    values, V = eigh(statistics.xx)
    r = rank(values, len(values))
    s, V = np.sqrt(values[:r]), V[:, :r]
    return Spectral(V, s, (V.T @ statistics.xt) / like(V, s)[:, None])


def graded_form(statistics: Moments | Root, scales: np.ndarray) -> Spectral:
    """The form for scales far apart, on the host: R without null directions, then Jacobi."""
    if isinstance(statistics, Root):
        U, s, Vt = linalg.svd(statistics.Rx / scales, full_matrices=False, check_finite=False)
        r = rank(s, int(statistics.weight))
        R, T = s[:r, None] * Vt[:r] * scales, U[:, :r].T @ statistics.Rt
    else:
        L, order = scaled_cholesky(dense(statistics.xx), scales)
        r = L.shape[1]
        R = np.empty((r, len(scales)))
        R[:, order] = L.T
        R *= scales
        xt = (dense(statistics.xt) / scales[:, None])[order[:r]]
        T = linalg.solve_triangular(L[:r], xt, lower=True, check_finite=False)
    V, s, U = jacobi(R.T)
    return Spectral(V, s, U.T @ T, 0.0)


def row_space(moments: Moments) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Xx and xt in coordinates of the row space of Xc, and its basis V (D, r); None if it is R^D.

    For a ridge on one side only: outside the row space the scatter is rounding and the ridge is
    not, so their quotient would look like a direction. The basis may be on the host.
    """
    if regular_factor(moments.xx, 1.0, 0.0) is not None:
        return moments.xx, moments.xt, None
    form = spectral(moments)
    if len(form.s) == 0:
        raise NoDirectionError()
    s = like(form.UT, form.s)[:, None]
    return s * s.T * namespace(s).eye(len(form.s), device=s.device), s * form.UT, form.V


def mean_positive(values: np.ndarray) -> float:
    """Mean of the eigenvalues, largest first, that are not zero; 1 if all are."""
    n_positive = np.count_nonzero(values > NULL * values[:1])
    return float(values.sum()) / n_positive if n_positive else 1.0


def inverse_root(M: np.ndarray, ridge: float | None) -> np.ndarray:
    """K (q, r) with K K' = (M + ridge I)^-1 on the range of M + ridge I.

    The cut is relative, because a label matrix usually has null directions. No ridge means the mean
    eigenvalue of M.
    """
    values, vectors = eigh(M)
    values = np.maximum(values, 0.0)
    values = values + (mean_positive(values) if ridge is None else ridge)
    r = rank(values, len(values))
    return vectors[:, :r] / like(M, np.sqrt(values[:r]))


def check_psd(matrix: Any, n_labels: int, name: str) -> np.ndarray:
    """R (q, r) of a given label matrix R R'; refuse one that is not symmetric semi-definite."""
    matrix = check_array(matrix, dtype=np.float64, input_name=name)
    if matrix.shape != (n_labels, n_labels):
        raise ValueError(
            f"{name} has shape {matrix.shape}; expected ({n_labels}, {n_labels}), "
            "one row and one column per label."
        )
    scale = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > 1e-10 * scale:
        raise ValueError(
            f"{name} is not symmetric (largest difference to its transpose "
            f"{np.abs(matrix - matrix.T).max():.3g}). Pass ({name} + {name}.T) / 2."
        )
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    if values[0] < -1e-10 * max(scale, values[-1]):
        raise ValueError(
            f"{name} is indefinite: its smallest eigenvalue is {values[0]:.3g}, allowed are "
            "values >= 0. Clip its negative eigenvalues or use a kernel."
        )
    positive = values > len(values) * np.finfo(float).eps * max(values[-1], 0.0)
    return vectors[:, positive] * np.sqrt(values[positive])
