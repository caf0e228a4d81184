"""Leading right singular vectors of a centred sparse matrix, to a stated tolerance."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from labelspan.linalg import EigenPairs
from labelspan.linalg._block_cg import thin_qr
from labelspan.linalg._eigenpairs import rank
from labelspan.linalg._leading import orthonormal
from labelspan.moments import CentredRows

BLOCK = 32
MAX_RESTARTS = 200


def leading_labels(Y: Any, n_components: int, tol: float, random_state: Any) -> EigenPairs:
    """Leading eigenpairs of Z'Z for Z = Y - mean, Y sparse and never made dense.

    Parameters
    ----------
    Y : csr_array or ndarray of shape (n, q)
        Labels.
    n_components : int
        Number of directions.
    tol : float
        Largest residual of an eigenpair, relative to the largest eigenvalue.
    random_state : int, RandomState or None
        Seed of the start block.

    Returns
    -------
    EigenPairs
        Vectors (q, k). O(nnz(Y)) a product, memory O(min(n, q) * 3 n_components).
    """
    Z = CentredRows(sparse.csr_array(Y))
    n_rows, n_labels = Z.shape
    if n_rows <= n_labels:
        values, U = block_lanczos(Z.gram, n_rows, n_components, tol, random_state)
        V = Z.rmatmat(U)
    else:
        values, V = block_lanczos(
            lambda V: Z.rmatmat(Z.matmat(V)), n_labels, n_components, tol, random_state
        )
    r = rank(values, max(Z.shape))
    return EigenPairs(values[:r], orthonormal(V[:, :r]))


def block_lanczos(
    apply: Callable[[np.ndarray], np.ndarray], side: int, k: int, tol: float, random_state: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Leading k eigenpairs of a symmetric operator: block Lanczos with thick restarts.

    Every step is a matrix product. ARPACK orthogonalises one vector at a time, which is bound
    by memory: with 100 vectors of length 100,000 it takes most of the time and is ten times
    slower.
    """
    block = min(BLOCK, side)
    n_kept = k + block
    n_basis = min(max(3 * k, k + 4 * block) + block, side)
    start = check_random_state(random_state).standard_normal((side, block))
    # Applied once, the start leaves what the operator cannot reach.
    Q = thin_qr(apply(start))[0] if k + block < side else np.eye(side)
    AQ = apply(Q)
    for _ in range(MAX_RESTARTS):
        while Q.shape[1] + block <= n_basis:
            fresh = next_block(Q, AQ, block)
            Q, AQ = np.hstack([Q, fresh]), np.hstack([AQ, apply(fresh)])
        H = Q.T @ AQ
        values, S = linalg.eigh((H + H.T) / 2, check_finite=False)
        values, S = values[::-1], S[:, ::-1]
        QS, AQS = Q @ S[:, :n_kept], AQ @ S[:, :n_kept]
        residual = np.linalg.norm(AQS[:, :k] - QS[:, :k] * values[:k], axis=0).max()
        if residual <= tol * values[0] or Q.shape[1] == side:
            return values[:k], QS[:, :k]
        fresh = next_block(Q, AQ, block)
        Q, AQ = np.hstack([QS, fresh]), np.hstack([AQS, apply(fresh)])
    warnings.warn(
        f"The directions of the labels did not converge: residual {residual / values[0]:.1e} of "
        f"the largest eigenvalue after {MAX_RESTARTS} restarts (tol={tol:g}). Raise tol or ask "
        "for fewer components.",
        ConvergenceWarning,
        stacklevel=2,
    )
    return values[:k], QS[:, :k]


def next_block(Q: np.ndarray, AQ: np.ndarray, block: int) -> np.ndarray:
    """Orthonormal part of the newest products outside the basis."""
    fresh = AQ[:, -block:]
    # Twice is enough (Kahan and Parlett).
    for _ in range(2):
        fresh = fresh - Q @ (Q.T @ fresh)
        fresh = thin_qr(fresh)[0]
    return fresh
