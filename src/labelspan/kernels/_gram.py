"""Compute, check and factorise the centred Gram matrix in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from scipy import linalg

from labelspan.arrays import (
    add_to_diagonal,
    cast,
    cholesky,
    eigh,
    free_bytes,
    is_device,
    like,
    namespace,
    precision_of,
    rows_at,
    set_diagonal,
    solve_triangular,
    sums,
)
from labelspan.gate import check_size
from labelspan.kernels._map import KernelMap, budget_blocks, is_definite
from labelspan.linalg import EPS, rank, warn_if_any_label_fits

# The rounding of a float32 kernel, at most the trace times the precision, may be this share of
# the ridge. The error of the fit is then below 1e-4, see docs/kernels.md.
SINGLE_SHARE = 1e-2
# Negative eigenvalues and asymmetry up to this share of the trace count as rounding.
SLACK = 1e-8
ADVICE = (
    "Set n_landmarks, e.g. n_landmarks=1000, or use KernelMDDM(constraint='projection'), "
    "which does not store it."
)
# The names that the methods use for the ridge of the kernel matrix.
RIDGES = "the ridge of the kernel (ridge; (1 - mu) / mu of MDDM; n beta of shared subspaces)"


@dataclass(frozen=True)
class Gram:
    """H K H', with weights diag(w)^(1/2) H K H' diag(w)^(1/2), and the former column means.

    Solving overwrites K (n, n) and restores it; centring subtracts the mean (n,) from a new row.
    """

    K: np.ndarray
    mean: np.ndarray


def gram(map_: KernelMap, X: Any, ridge: float = 0.0, weights: np.ndarray | None = None) -> Gram:
    """The centred kernel of the training rows; one (n, n) array, two while it is checked."""
    refuse_large(X)
    dtype: type = np.float64
    if not is_device(X) and X.dtype == np.float32:
        dtype = precision(map_, X, ridge, weights)
    if map_.kernel == "precomputed":
        # A new array, because it is centred in place below.
        K = cast(X, dtype) + cast(X, dtype).T
        K *= 0.5
    else:
        # Without a second argument the product X X' is a symmetric update, half the work.
        K = cast(map_.compare(cast(map_.rows, dtype)), dtype)
    mean = centre(K, weights)
    if not is_definite(map_):
        refuse_indefinite(K, map_.kernel, precision_of(X))
    return Gram(K, mean)


def refuse_large(X: Any) -> None:
    """Raise unless two (n, n) arrays fit beside X, on its device if the free memory is known."""
    side, free = X.shape[0], free_bytes(X) if is_device(X) else None
    size = 16 * side**2
    if free is None:
        check_size((side, side), "The kernel matrix", ADVICE)
    elif size > free:
        raise MemoryError(
            f"The kernel matrix and its factor would be twice {side} x {side} "
            f"({size:,} bytes), but {free:,} bytes are free on {X.device}. {ADVICE}"
        )


def precision(map_: KernelMap, X: Any, ridge: float, weights: np.ndarray | None = None) -> type:
    """float32, that of the rows, if the rounding of their kernel is well below the ridge."""
    if ridge <= 0:
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


def centre(K: Any, weights: Any = None) -> Any:
    """Turn K into the matrix of :class:`Gram`, in place; return its former column means."""
    xp = namespace(K)
    if weights is None:
        mean = xp.sum(K, axis=0, dtype=xp.float64) / K.shape[0]
        rest = mean - xp.mean(mean)
    else:
        shares = weights / sums(weights)
        mean = shares @ K
        rest = mean - shares @ mean
    K -= mean[None, :]
    K -= rest[:, None]
    if weights is not None:
        root = xp.sqrt(weights)
        K *= root[None, :]
        K *= root[:, None]
    return mean


def refuse_asymmetric(K: Any, name: str) -> None:
    """Raise unless K is square and symmetric."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"{name} has shape {K.shape}; expected a square matrix with one row and one column "
            "per training row. Pass k(X_train, X_train) to fit and k(X_new, X_train) afterwards."
        )
    xp, blocks = namespace(K), budget_blocks(*K.shape, beside=K)
    gap = max(float(xp.max(xp.abs(rows_at(K, rows) - K[:, rows].T))) for rows in blocks)
    largest = max(float(xp.max(K)), -float(xp.min(K)))
    if gap > slack(precision_of(K)) * largest:
        raise ValueError(
            f"{name} is not symmetric (largest difference to its transpose {gap:.3g}). "
            "Pass (K + K.T) / 2."
        )


def refuse_indefinite(K: np.ndarray, kernel: Any, dtype: Any) -> None:
    """Raise if the centred K, which alone matters, has an eigenvalue below rounding."""
    A = cast(K, np.float64)
    trace = float(namespace(A).linalg.trace(A))
    size = slack(dtype) * max(trace, 0.0)
    if factor_beside(A, size + float(np.finfo(np.float64).tiny)) is not None:
        return
    least = float(eigh(A)[0][-1])
    if least >= -size:
        return
    raise ValueError(
        f"The kernel {name_of(kernel)} is indefinite: after centring, the smallest eigenvalue of "
        f"the training kernel is {least:.3g} (trace {trace:.3g}), allowed are values >= 0. "
        "Use another kernel or other kernel parameters, or clip the negative eigenvalues of a "
        "precomputed one."
    )


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
        L = factor_beside(K, b / a)
        if L is None:
            refuse_ridge(b / a)
        P = solve_triangular(L, solve_triangular(L, T / a), transposed=True)
        return P, K @ P
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


def in_place(K: Any) -> bool:
    """Whether a factor can take the memory of K, as LAPACK's does on the host."""
    return not is_device(K)


def factor_beside(K: Any, ridge: float) -> Any:
    """Cholesky factor of K + ridge I in new memory; None if it is not positive definite."""
    xp = namespace(K)
    diagonal = xp.asarray(xp.linalg.diagonal(K), copy=True)
    L = cholesky(add_to_diagonal(K, ridge))
    set_diagonal(K, diagonal)
    return L


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


def spectrum(K: Any) -> tuple[np.ndarray, Any]:
    """Positive eigenvalues of K, descending, on the host, and their eigenvectors beside K."""
    values, U = eigh(K)
    r = rank(values, len(values))
    return values[:r], U[:, :r]
