"""Factorisations of arrays on the host, by LAPACK, and on a device, by its library."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from labelspan.arrays._arrays import diagonal, is_device, like, namespace, to_host
from labelspan.arrays._operations import library_of
from labelspan.arrays._two_kinds import dense

# Eigenproblems up to this size take longer to start on a device than to solve on the host.
SMALL_SIDE = 128
# Rows, and columns within them, that are factorised at a time.
CACHED_ROWS = 1024
PANEL = 32
# A Cholesky factor is used if the others leave at least this share of each column unexplained.
SAFE_PIVOT = 1e-8


def eigh(G: Any, k: int | None = None, *, overwrite: bool = False) -> tuple[np.ndarray, Any]:
    """Eigenvalues, descending, on the host, and eigenvectors beside G; only the `k` largest."""
    if not is_device(G):
        last = len(G) - 1
        some: dict[str, Any] = {"driver": "evd"}
        if k is not None:
            some = {"driver": "evr", "subset_by_index": (last + 1 - int(k), last)}
        values, vectors = linalg.eigh(G, overwrite_a=overwrite, check_finite=False, **some)
        return values[::-1], vectors[:, ::-1]
    if G.shape[0] <= SMALL_SIDE:
        values, vectors = eigh(to_host(G), k)
        return values.copy(), like(G, vectors)
    xp = namespace(G)
    values, vectors = xp.linalg.eigh(G)
    return to_host(values)[::-1][:k].copy(), xp.flip(vectors, axis=1)[:, :k]


def smallest_pairs(G: Any, k: int) -> tuple[np.ndarray, Any]:
    """The `k` smallest eigenpairs of a symmetric matrix, smallest first; all for 0."""
    if not is_device(G):
        subset = None if k == 0 else (0, k - 1)
        return linalg.eigh(G, subset_by_index=subset, check_finite=False)
    values, vectors = eigh(G)
    return values[::-1], namespace(G).flip(vectors, axis=1)


def cholesky(A: Any, *, overwrite: bool = False) -> Any:
    """Lower factor of A, or None if A is not positive definite."""
    if not is_device(A):
        (potrf,) = linalg.get_lapack_funcs(("potrf",), (A,))
        # A is symmetric, and LAPACK reads the memory order of its transpose without a copy.
        L, info = potrf(A.T, lower=1, overwrite_a=overwrite)
        return None if info else L
    if library_of(A) == "torch":
        import torch

        L, info = torch.linalg.cholesky_ex(A)
        return None if int(info) else L
    xp = namespace(A)
    try:
        L = xp.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        return None
    # CuPy reports no error by default.
    return L if bool(xp.all(xp.isfinite(xp.linalg.diagonal(L)))) else None


def regular_factor(
    xx: np.ndarray, a: float, b: float, total: np.ndarray | None = None
) -> np.ndarray | None:
    """Cholesky factor L of a xx + b I, or None if its columns are nearly dependent, in any units.

    If xx is a difference, `total` is the diagonal of the first matrix, whose rounding xx inherits.
    """
    L = cholesky(add_to_diagonal(a * xx, b), overwrite=True)
    given = a * diagonal(xx) if total is None else dense(total)
    # The pivots in units of the diagonal, without the division.
    if L is None or (diagonal(L) ** 2 <= SAFE_PIVOT * (given + b)).any():
        return None
    return L


def solve_triangular(L: Any, B: Any, *, transposed: bool = False) -> Any:
    """L^-1 B for a lower triangular L (d, d), or L'^-1 B, where L is."""
    trans = 1 if transposed else 0
    if not is_device(L):
        return linalg.solve_triangular(L, B, lower=True, trans=trans, check_finite=False)
    library, B = library_of(L), like(L, B)
    if library == "torch":
        import torch

        return torch.linalg.solve_triangular(L.T if transposed else L, B, upper=transposed)
    if library == "cupy":
        from cupyx.scipy.linalg import solve_triangular as solve

        return solve(L, B, lower=True, trans=trans)
    return namespace(L).linalg.solve(L.T if transposed else L, B)


def orthonormal(V: Any) -> Any:
    """Orthonormalise columns in order; they are nearly orthonormal already."""
    xp = namespace(V)
    Q, R = xp.linalg.qr(V)
    return Q * xp.sign(xp.linalg.diagonal(R))


def triangle(A: Any) -> Any:
    """R of A = QR, without Q; on the host by blocks of rows, which stay in the cache."""
    if is_device(A):
        return device_triangle(A)
    n_rows, side = A.shape
    height = max(side, CACHED_ROWS)
    if side == 0 or n_rows <= height:
        return linalg.qr(A, mode="r", overwrite_a=True, check_finite=False)[0][:side]
    R = np.zeros((side, side))
    for start in range(0, n_rows, height):
        R = folded(R, A[start : start + height])
    return R


def folded(R: Any, rows: Any, n_triangular: int = 0) -> Any:
    """R of the rows of R (d, d) and others, of which the last `n_triangular` are such an R."""
    if is_device(R):
        return device_triangle(namespace(R).concat([R, rows], axis=0))
    # Only the upper triangle of R is read, and only that of the result is valid.
    found, _, _, info = linalg.lapack.dtpqrt(
        n_triangular, min(PANEL, len(R)), R, np.asfortranarray(rows), overwrite_b=True
    )
    assert info == 0
    return np.triu(found)


def device_triangle(A: Any) -> Any:
    """R of A = QR on a device."""
    if library_of(A) == "torch":
        import torch

        return torch.linalg.qr(A, mode="r")[1]
    return namespace(A).linalg.qr(A, mode="reduced")[1]


def add_to_diagonal(A: Any, value: float) -> Any:
    """A itself, with `value` added to its diagonal."""
    if not is_device(A):
        # A view of the diagonal, because indexing it would cost more than a small product.
        np.einsum("ii->i", A)[...] += value
    elif library_of(A) == "torch":
        A.diagonal().add_(value)
    elif library_of(A) == "array_api_strict":
        A += value * namespace(A).eye(A.shape[0], dtype=A.dtype, device=A.device)
    else:
        A.reshape(-1)[:: A.shape[1] + 1] += value
    return A
