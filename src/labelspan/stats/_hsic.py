"""The Hilbert-Schmidt independence criterion of two kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array


def hsic(K: Any, L: Any) -> float:
    r"""Dependence of two samples by their kernel matrices, (n - 1)^-2 tr(KHLH).

    This is the estimate of Gretton et al. 2005, Eq. (3) of Zhang and Zhou 2010, with the centring
    :math:`H = I - 11'/n`, for any two kernels. :class:`labelspan.MDDM` maximises it over linear
    maps of the rows of X.

    Parameters
    ----------
    K, L : array-like of shape (n_samples, n_samples)
        Symmetric kernel matrices of the same rows, in any scale; they need not be centred.

    Returns
    -------
    float
        0 if the two are independent up to chance; it has no upper limit.

    Examples
    --------
    >>> from labelspan.stats import hsic
    >>> X, Y = [[0.0], [1.0], [2.0]], [[0], [0], [1]]
    >>> hsic([[a[0] * b[0] for b in X] for a in X], [[a[0] * b[0] for b in Y] for a in Y])
    0.25
    """
    matrices = [symmetric(A, name) for A, name in ((K, "K"), (L, "L"))]
    K, L = matrices
    if K.shape != L.shape:
        raise ValueError(
            f"L has shape {L.shape} and K has shape {K.shape}; expected two kernels of the same "
            "rows."
        )
    if len(K) < 2:
        raise ValueError("K has 1 row; expected 2 or more.")
    # H is idempotent, so one side is enough for both.
    K = K - K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    return float(np.vdot(K, L)) / (len(K) - 1) ** 2


def symmetric(A: Any, name: str) -> np.ndarray:
    """The kernel matrix in float64, or an error that says what is wrong with it."""
    A = check_array(A, dtype=np.float64, input_name=name)
    if A.shape[0] != A.shape[1]:
        raise ValueError(
            f"{name} has shape {A.shape}; expected a square matrix, one row and one column per "
            "row of the sample."
        )
    gap = np.abs(A - A.T).max()
    if gap > 1e-8 * np.abs(A).max():
        raise ValueError(
            f"{name} is not symmetric (largest difference to its transpose {gap:.3g}). "
            f"Pass ({name} + {name}.T) / 2."
        )
    return A
