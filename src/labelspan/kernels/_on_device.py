"""Kernels of rows on a device: values by blocks, centring in place, one factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan import arrays
from labelspan.arrays import cast, free_bytes, like, namespace, rows_at, sums
from labelspan.registry import ON_HOST

# Kernels implemented here; the others are scikit-learn's, on the host.
ON_DEVICE = frozenset({"linear", "poly", "polynomial", "rbf", "sigmoid", "cosine", "precomputed"})


def kernel_refusals(estimator: Any) -> dict[str, str]:
    """Why an estimator refuses X on a device with its kernel; nothing if it supports it."""
    kernel, landmarks = estimator.kernel, estimator.n_landmarks is not None
    if callable(kernel) or kernel not in ON_DEVICE:
        return {"device": f"with kernel={kernel!r} {ON_HOST}"}
    if landmarks and estimator.landmarks != "uniform":
        return {"device": f"with landmarks={estimator.landmarks!r} {ON_HOST}"}
    return {}


def kernel_values(kernel: str, parameters: dict[str, Any], A: Any, B: Any) -> Any:
    """Values (n, m) of a kernel between rows in float64, as scikit-learn defines it."""
    xp = namespace(A)
    if kernel == "cosine":
        A, B = unit_rows(A), unit_rows(B)
    K = A @ B.T
    if kernel in ("linear", "cosine"):
        return K
    gamma = parameters["gamma"]
    if kernel == "rbf":
        K *= 2.0
        K -= sums(A * A, axis=1)[:, None]
        K -= sums(B * B, axis=1)[None, :]
        K = arrays.clipped(K, 0.0)
        K *= gamma
        return arrays.exponential(K)
    K *= gamma
    K += parameters["coef0"]
    return xp.tanh(K) if kernel == "sigmoid" else K ** parameters["degree"]


def unit_rows(A: Any) -> Any:
    """Rows scaled to unit length; rows of zeros are unchanged."""
    xp = namespace(A)
    lengths = xp.linalg.vector_norm(A, axis=1, keepdims=True)
    return A / xp.where(lengths == 0, xp.ones_like(lengths), lengths)


def check_room(X: Any, side: int, advice: str) -> bool:
    """Reject two (n, n) arrays that do not fit on the device; return if its memory is known."""
    free, size = free_bytes(X), 16 * side**2
    if free is None:
        return False
    if size > free:
        raise MemoryError(
            f"The kernel matrix and its factor would be twice {side} x {side} "
            f"({size:,} bytes), but {free:,} bytes are free on {X.device}. {advice}"
        )
    return True


def centre(K: Any, weights: Any) -> Any:
    """Turn K into H K H', or diag(w)^(1/2) H K H' diag(w)^(1/2), in place; return its means."""
    xp = namespace(K)
    n_rows = K.shape[0]
    shares = xp.ones(n_rows, dtype=xp.float64, device=K.device) / n_rows
    shares = shares if weights is None else weights / sums(weights)
    mean = shares @ K
    K -= mean[None, :]
    K -= (mean - sums(shares * mean))[:, None]
    if weights is not None:
        root = xp.sqrt(weights)
        K *= root[None, :]
        K *= root[:, None]
    return mean


def solve(K: Any, ridge: float, T: Any) -> tuple[Any, Any] | None:
    """P = (K + ridge I)^-1 T and K P; None if K + ridge I is not positive definite.

    Uses two (n, n) arrays, K and its factor. The ridge is added to the diagonal of K and removed.
    """
    xp = namespace(K)
    diagonal = xp.asarray(xp.linalg.diagonal(K), copy=True)
    L = arrays.cholesky(arrays.add_to_diagonal(K, ridge))
    arrays.set_diagonal(K, diagonal)
    if L is None:
        return None
    P = arrays.solve_triangular(L, arrays.solve_triangular(L, T), transposed=True)
    del L
    return P, K @ P


def gathered(A: Any, chosen: np.ndarray) -> Any:
    """Rows by their indices, which are on the host."""
    return namespace(A).take(A, like(A, chosen), axis=0)


def asymmetry(K: Any, blocks: Any) -> tuple[float, float]:
    """Largest difference of K to its transpose, and largest entry."""
    xp = namespace(K)
    gap = max(float(xp.max(xp.abs(rows_at(K, rows) - K[:, rows].T))) for rows in blocks)
    return gap, max(float(xp.max(K)), -float(xp.min(K)))


def symmetric(X: Any) -> Any:
    """(X + X') / 2 in float64, as a new array."""
    K = cast(X, np.float64) + cast(X, np.float64).T
    K *= 0.5
    return K
