"""Compute, check and factorise the centred Gram matrix in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from scipy import linalg

from labelspan import arrays
from labelspan.arrays import copied, empty, is_device, like, namespace, precision_of, rows_at
from labelspan.gate import check_size
from labelspan.kernels._map import KernelMap, budget_blocks, is_definite
from labelspan.kernels._on_device import asymmetry, check_room, symmetric
from labelspan.kernels._on_device import centre as centre_on_device
from labelspan.kernels._on_device import solve as solve_on_device
from labelspan.linalg import EPS, rank, warn_if_any_label_fits

# The rounding of a float32 kernel, at most the trace times the precision, may be this share of
# the ridge. The error of the fit is then below 1e-4, see docs/kernels.md.
SINGLE_SHARE = 1e-2
# Negative eigenvalues and asymmetry up to this share of the trace count as rounding.
SLACK = 1e-8
# The names that the methods use for the ridge of the kernel matrix.
RIDGES = "the ridge of the kernel (ridge; (1 - mu) / mu of MDDM; n beta of shared subspaces)"


@dataclass(frozen=True)
class Gram:
    """H K H' of the training rows, and with weights w diag(w)^(1/2) H K H' diag(w)^(1/2).

    Attributes
    ----------
    K : ndarray of shape (n, n)
        The centred kernel matrix, in the precision of `precision`. Solving overwrites it and then
        restores it.
    mean : ndarray of shape (n,)
        K 1 / n of the kernel before centring, K w / sum(w) with weights; centring subtracts it from
        a new row.
    """

    K: np.ndarray
    mean: np.ndarray


def gram(map_: KernelMap, X: Any, ridge: float = 0.0, weights: np.ndarray | None = None) -> Gram:
    """The centred kernel of the training rows; one (n, n) array, two while it is checked."""
    advice = (
        "Set n_landmarks, e.g. n_landmarks=1000, or use KernelMDDM(constraint='projection'), "
        "which does not store it."
    )
    if not (is_device(X) and check_room(X, X.shape[0], advice)):
        check_size((X.shape[0],) * 2, "The kernel matrix", advice)
    if is_device(X):
        return gram_on_device(map_, X, weights)
    if map_.kernel == "precomputed":
        refuse_asymmetric(X, "The precomputed kernel")
        # Copied, because it is centred in place below.
        K = np.add(X, X.T, dtype=precision(map_, X, ridge, weights))
        K *= 0.5
    else:
        dtype = precision(map_, X, ridge, weights)
        # Without a second argument the product X X' is a symmetric update, half the work.
        K = np.require(map_.compare(map_.astype(dtype).rows), dtype, ["C", "W"])
    mean = centre(K, weights)
    if not is_definite(map_):
        refuse_indefinite(K, map_.kernel, X.dtype)
    return Gram(K, mean)


def gram_on_device(map_: KernelMap, X: Any, weights: Any) -> Gram:
    """The same on the device of X, in float64, by blocks of rows; one (n, n) array."""
    if map_.kernel == "precomputed":
        refuse_asymmetric(X, "The precomputed kernel")
        K = symmetric(X)
    else:
        K = empty(X, (X.shape[0], X.shape[0]), np.float64)
        for rows in budget_blocks(*K.shape, beside=X):
            K[rows, :] = map_.compare(rows_at(map_.rows, rows), map_.rows)
    mean = centre_on_device(K, weights)
    if not is_definite(map_):
        refuse_indefinite(K, map_.kernel, precision_of(X))
    return Gram(K, mean)


def precision(map_: KernelMap, X: Any, ridge: float, weights: np.ndarray | None = None) -> type:
    """float32 if the rows are float32 and the rounding of their kernel is well below the ridge.

    No entry of a positive semi-definite kernel is above its diagonal. A kernel that is positive
    semi-definite only after centring may have a diagonal of zeros.
    """
    if X.dtype != np.float32 or ridge <= 0:
        return np.float64
    if map_.kernel == "precomputed":
        size = len(X) * float(np.abs(X).max())
    elif is_definite(map_):
        size = float(map_.diagonal(X).sum(dtype=np.float64))
    else:
        return np.float64
    size *= 1.0 if weights is None else float(weights.max())
    rounding = float(np.finfo(np.float32).eps) * size
    return np.float32 if rounding <= SINGLE_SHARE * ridge else np.float64


def centre(K: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Turn K into the matrix of :class:`Gram`, in place; return its former column means."""
    if weights is None:
        mean = K.mean(axis=0, dtype=np.float64)
        K -= mean
        K -= (mean - mean.mean())[:, None]
        return mean
    shares, root = weights / weights.sum(), np.sqrt(weights)
    mean = shares @ K
    K -= mean
    K -= (mean - shares @ mean)[:, None]
    K *= root
    K *= root[:, None]
    return mean


def refuse_asymmetric(K: Any, name: str) -> None:
    """Raise unless K is square and symmetric."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"{name} has shape {K.shape}; expected a square matrix with one row and one column "
            "per training row. Pass k(X_train, X_train) to fit and k(X_new, X_train) afterwards."
        )
    blocks = budget_blocks(*K.shape, beside=K)
    if is_device(K):
        gap, largest = asymmetry(K, blocks)
    else:
        gap = max(np.abs(K[rows] - K[:, rows].T).max() for rows in blocks)
        largest = np.abs(K).max()
    if gap > slack(precision_of(K)) * largest:
        raise ValueError(
            f"{name} is not symmetric (largest difference to its transpose {gap:.3g}). "
            "Pass (K + K.T) / 2."
        )


def refuse_indefinite(K: np.ndarray, kernel: Any, dtype: Any) -> None:
    """Raise if the centred K has a negative eigenvalue beyond rounding.

    A Cholesky factor of K + slack I, n^3 / 3, is the certificate; eigenvalues are computed only for
    the error message. Only the centred kernel matters: minus a squared distance is a valid kernel
    here.
    """
    trace = float(namespace(K).linalg.trace(K))
    size = slack(dtype) * max(trace, 0.0)
    if is_device(K):
        tiny = float(np.finfo(np.float64).tiny)
        if arrays.cholesky(arrays.add_to_diagonal(copied(K), size + tiny)) is not None:
            return
        least = float(arrays.eigh(K)[0][-1])
    else:
        least = least_eigenvalue(K, size)
    if least >= -size:
        return
    raise ValueError(
        f"The kernel {name_of(kernel)} is indefinite: after centring, the smallest eigenvalue of "
        f"the training kernel is {least:.3g} (trace {trace:.3g}), allowed are values >= 0. "
        "Use another kernel or other kernel parameters, or clip the negative eigenvalues of a "
        "precomputed one."
    )


def least_eigenvalue(K: np.ndarray, size: float) -> float:
    """The smallest eigenvalue of K; 0 if K + size I has a Cholesky factor."""
    shifted = K.astype(np.float64)
    shifted[np.diag_indices_from(K)] += size + np.finfo(np.float64).tiny
    _, failed = linalg.lapack.dpotrf(shifted.T, lower=1, clean=0, overwrite_a=1)
    if failed == 0:
        return 0.0
    return linalg.eigh(K, eigvals_only=True, subset_by_index=(0, 0), check_finite=False)[0]


def name_of(kernel: Any) -> str:
    """The name of a kernel in a message."""
    return getattr(kernel, "__name__", str(kernel)) if callable(kernel) else repr(kernel)


def slack(dtype: Any) -> float:
    """The relative rounding error of a kernel in this precision."""
    return max(SLACK, 10 * float(np.finfo(dtype).eps))


def too_small(b: float, a: float, K: np.ndarray) -> bool:
    """Whether the ridge b is below the rounding of a K."""
    return b <= K.shape[0] * EPS * a * float(namespace(K).linalg.trace(K))


def solve(K: np.ndarray, a: float, b: float, T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """P = (a K + b I)^-1 T and K P, for a, b > 0; without a ridge P = (a K)^+ T.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric positive semi-definite, C-contiguous; unchanged on return.
    a, b : float
        The metric.
    T : ndarray of shape (n, q)
        Right-hand sides.

    Returns
    -------
    P, KP : ndarray of shape (n, q)
        In float64, from a factor in the precision of K. n^3 / 3 for the Cholesky factor,
        O(n^2 q) for the rest; no second (n, n) array. A ridge below rounding needs the
        eigenvectors of K instead, about ten times that.
    """
    if too_small(b, a, K):
        values, U = spectrum(K)
        trace = namespace(K).linalg.trace
        warn_if_any_label_fits(K.shape[0], len(values), lambda: float(trace(K)), RIDGES)
        UT = U.T @ T
        return U @ (UT / like(UT, a * values)[:, None]), U @ (UT / a)
    if is_device(K):
        found = solve_on_device(K, b / a, T / a)
        if found is None:
            refuse_ridge(b / a)
        return found
    diagonal = np.diagonal(K).copy()
    # The factor uses the lower triangle. The upper one still holds K, for the product and to
    # restore the lower one.
    A = K.T
    factor(A, b / a)
    (potrs,) = linalg.get_lapack_funcs(("potrs",), (A,))
    (symm,) = linalg.get_blas_funcs(("symm",), (A,))
    P = potrs(A, (T / a).astype(K.dtype, copy=False), lower=1)[0]
    A[np.diag_indices_from(A)] = diagonal
    KP = symm(1.0, A, P, lower=0)
    restore(A, diagonal)
    return P.astype(np.float64, copy=False), KP.astype(np.float64, copy=False)


def factor(A: np.ndarray, ridge: float) -> None:
    """Cholesky factor of A + ridge I in the lower triangle of A, which is Fortran-contiguous."""
    A[np.diag_indices_from(A)] += ridge
    (potrf,) = linalg.get_lapack_funcs(("potrf",), (A,))
    _, failed = potrf(A, lower=1, clean=0, overwrite_a=1)
    if failed:
        refuse_ridge(ridge)


def refuse_ridge(ridge: float) -> NoReturn:
    """Raise because K + ridge I is not positive definite."""
    raise ValueError(
        f"The kernel with a ridge of {ridge:.3g} is not positive definite: its negative "
        "eigenvalues are within the rounding of its precision, but beyond that ridge. "
        "Compute the kernel in float64, or raise the ridge (ridge, beta, or 1 - mu)."
    )


def restore(A: np.ndarray, diagonal: np.ndarray) -> None:
    """Copy the upper triangle to the lower one, block by block, and restore the diagonal."""
    n = len(A)
    for start in range(0, n, 256):
        stop = min(start + 256, n)
        A[stop:, start:stop] = A[start:stop, stop:].T
        block = A[start:stop, start:stop]
        upper = np.triu(block, 1)
        block[...] = upper + upper.T
    A[np.diag_indices(n)] = diagonal


def spectrum(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positive eigenvalues of K, descending, and their eigenvectors; K is unchanged."""
    if is_device(K):
        values, U = arrays.eigh(K)
        r = rank(values, len(values))
        return values[:r], U[:, :r]
    values, U = linalg.eigh(K, driver="evd", check_finite=False)
    values, U = values[::-1], U[:, ::-1]
    r = rank(values, len(values))
    return values[:r], U[:, :r]
