"""Leading eigenpairs of the three kinds of problem: thin, pencil and sum."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, eigsh

from labelspan import arrays
from labelspan.arrays import is_device, like, namespace, to_host
from labelspan.linalg._eigenpairs import EPS, EigenPairs, n_directions, rank
from labelspan.linalg._graded import (
    GRADED,
    SAFE_VALUE,
    graded_root,
    is_graded,
    jacobi,
    scaled_svd,
    unit_pivots,
)
from labelspan.linalg._lanczos import leading_products
from labelspan.linalg._whiten import Whitened, solve_lower, whiten
from labelspan.moments import Products

Apply = Callable[[np.ndarray], np.ndarray]


def leading(
    statistics: Any, K: np.ndarray | None, n_components: Any, *, a: float = 0.0, b: float = 1.0
) -> EigenPairs:
    """Leading eigenpairs of F F' v = lambda (a xx + b I) v with the thin factor F = xt K.

    With B = L L' and W = L^-1 F, the eigenvectors y of W W', found through its small side, give v =
    L^-T y with v'Bv = 1. `K` (q, r) is None for the identity; a = 0 needs no xx.
    """
    if isinstance(statistics, Products):
        return leading_products(statistics, K, n_components, a, b)
    return squared(whiten(statistics, K, a, b), n_components)


def squared(whitened: Whitened, n_components: Any) -> EigenPairs:
    """Leading eigenpairs of W W' through the small side of W, mapped back.

    A Gram matrix resolves eigenvalues down to eps times the largest. Rows whose scales are far
    apart define smaller ones too, which Jacobi rotations find if they are requested.
    """
    W, back, scales = whitened
    tall = W.shape[0] >= W.shape[1]
    values, vectors = descending(W.T @ W if tall else W @ W.T)
    if scales is not None and is_graded(scales):
        some = isinstance(n_components, int | np.integer)
        n_wanted = min(int(n_components), len(values)) if some else len(values)
        if values[n_wanted - 1] < SAFE_VALUE * values[0]:
            factors = scaled_svd(scales, to_host(W) / scales[:, None])
            return kept(*factors[:2], n_components).mapped(back)
    values = values[: rank(values, max(W.shape))]
    n_kept = n_directions(values, values.sum(), n_components)
    vectors = vectors[:, :n_kept]
    if tall:
        vectors = W @ vectors / like(W, np.sqrt(values[:n_kept]))
        if values[n_kept - 1] < 1e-6 * values[0]:
            vectors = orthonormal(vectors)
    return EigenPairs(values, back(vectors), float(values.sum()))


def kept(vectors: np.ndarray, s: np.ndarray, n_components: Any) -> EigenPairs:
    """Eigenpairs from singular vectors and positive singular values, descending."""
    values = s**2
    total = float(values.sum())
    return EigenPairs(values, vectors[:, : n_directions(values, total, n_components)], total)


def leading_sum(
    G: np.ndarray, n_components: Any, noise: float = 0.0, scales: np.ndarray | None = None
) -> EigenPairs:
    """Leading eigenpairs of a positive semi-definite (D, D) matrix, which is overwritten.

    `noise` is the rounding error already in G, relative to eps, if it is larger than D. `scales`
    are those of the rows of G, if they may be far apart.
    """
    total = float(namespace(G).linalg.trace(G))
    some = isinstance(n_components, int | np.integer) and n_components < G.shape[0]
    graded = scales is not None and is_graded(scales)
    if some or not graded:
        # The driver overwrites its input, which is needed again if it finds too few pairs.
        A = G.copy() if graded and not is_device(G) else G
        values, vectors = largest(A, n_components) if some else descending(A)
    if graded and not (some and values[-1] > SAFE_VALUE * values[0]):
        V, s, _ = jacobi(graded_root(to_host(G), np.asarray(scales)).T)
        return kept(V, s, n_components)
    values = values[: rank(values, max(G.shape[0], noise))]
    # A share refers to the sum of all eigenvalues; all were computed unless a number was given.
    n_kept = n_directions(values, values.sum(), n_components)
    return EigenPairs(values, vectors[:, :n_kept], total)


def leading_operator(
    operator: tuple[int, Apply],
    n_components: Any,
    total: float | None = None,
    scales: np.ndarray | None = None,
) -> EigenPairs:
    """Leading eigenpairs, and the trace, of a symmetric (D, D) operator that can only be applied.

    Lanczos runs to machine precision from a fixed start. If `scales` are far apart, each range of
    scales takes one run, without what the runs before have found.
    """
    side, apply = operator
    n_asked = min(int(n_components), side - 1)
    graded = scales is not None and is_graded(scales)
    if not graded:
        values, V = lanczos(side, apply, n_asked)
        values = values[: rank(values, side)]
    else:
        assert scales is not None
        values, V = by_ranges(side, apply, n_asked, scales)
    n_kept = n_directions(values, np.inf, n_components)
    return EigenPairs(values, V[:, :n_kept], total)


def lanczos(side: int, apply: Apply, n_asked: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest eigenpairs of an operator, largest first."""
    G = LinearOperator((side, side), matvec=apply, dtype=np.float64)
    values, vectors = eigsh(G, k=n_asked, v0=np.ones(side), tol=0)
    return values[::-1], vectors[:, ::-1]


def by_ranges(
    side: int, apply: Apply, n_asked: int, scales: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same pairs, found one range of scales after the other."""
    found, V = np.zeros(0), np.zeros((side, 0))
    # Rounding error left after projecting out the larger scales.
    floor = side * EPS * float(scales.max() * scales.min())

    def outside(v: np.ndarray) -> np.ndarray:
        # Project twice: one projection leaves a residue of eps times the largest scale.
        v = v - V @ (V.T @ v)
        return v - V @ (V.T @ v)

    while len(found) < n_asked:
        # A range of scales holds at most as many directions as it has columns.
        remaining = np.sort(scales)[::-1][len(found) :]
        n_large = max(int(np.count_nonzero(remaining > remaining[0] / GRADED)), 1)
        n_run = min(n_asked - len(found), n_large)
        values, vectors = lanczos(side, lambda v: outside(apply(outside(v))), n_run)
        values = values[values > max(SAFE_VALUE * values[0], floor)]
        if len(values) == 0:
            break
        found = np.concatenate([found, values])
        V = np.hstack([V, vectors[:, : len(values)]])
    return found, V


def leading_pencil(
    A: np.ndarray,
    B: np.ndarray,
    n_components: Any,
    scales: np.ndarray | None = None,
    total: np.ndarray | None = None,
) -> EigenPairs:
    """Leading eigenpairs of A v = lambda B v, both (D, D), B positive definite; v'Bv = 1.

    `scales` are those of A in units in which the diagonal of B is one. If B is a difference,
    `total` is the diagonal of the first matrix, whose rounding B inherits.
    """
    L = lower_factor(B)
    if L is None:
        raise ValueError(
            "The ridge is lost in the rounding of a scatter matrix whose mean diagonal entry is "
            f"{arrays.diagonal(B).mean():.3g}. Raise ridge, or scale the features."
        )
    if total is not None:
        warn_of_rounding(unit_pivots(L, total))
    C = solve_lower(L, solve_lower(L, A).T)
    pairs = leading_sum((C + C.T) / 2, n_components, scales=scales)
    return pairs.mapped(lambda Y: solve_lower(L, Y, transposed=True))


def lower_factor(B: Any) -> Any:
    """L of B = L L', or None if B is not positive definite."""
    if is_device(B):
        return arrays.cholesky(B)
    try:
        return linalg.cholesky(B, lower=True, check_finite=False)
    except linalg.LinAlgError:
        return None


def warn_of_rounding(pivots: np.ndarray) -> None:
    """Warn if a difference of scatter matrices has kept fewer than eight digits."""
    worst = int(np.argmin(pivots))
    if pivots[worst] < 1e8 * EPS:
        warnings.warn(
            f"Along column {worst} of the scatter matrix only {pivots[worst]:.1e} of the scatter "
            "is left within the labels, ridge included: fewer than 8 digits of the eigenvalues "
            "are right. Raise ridge, or divide the features by their scales.",
            UserWarning,
            stacklevel=3,
        )


def descending(G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All eigenpairs of a symmetric matrix, largest first; `G` is overwritten."""
    if is_device(G):
        return arrays.eigh(G)
    values, vectors = linalg.eigh(G, driver="evd", overwrite_a=True, check_finite=False)
    return values[::-1], vectors[:, ::-1]


def largest(G: np.ndarray, n_asked: int) -> tuple[np.ndarray, np.ndarray]:
    """The `n_asked` largest eigenpairs, largest first; `G` is overwritten."""
    if is_device(G):
        values, vectors = arrays.eigh(G)
        return values[: int(n_asked)], vectors[:, : int(n_asked)]
    subset = (len(G) - int(n_asked), len(G) - 1)
    values, vectors = linalg.eigh(
        G, subset_by_index=subset, driver="evr", overwrite_a=True, check_finite=False
    )
    return values[::-1], vectors[:, ::-1]


def smallest_pairs(G: Any, n_asked: int) -> tuple[np.ndarray, Any]:
    """The `n_asked` smallest eigenpairs of a symmetric matrix, smallest first; all for 0."""
    if is_device(G):
        values, vectors = arrays.eigh(G)
        return values[::-1], namespace(vectors).flip(vectors, axis=1)
    subset = None if n_asked == 0 else (0, n_asked - 1)
    return linalg.eigh(G, subset_by_index=subset, check_finite=False)


def orthonormal(V: np.ndarray) -> np.ndarray:
    """Orthonormalise columns in order; they are nearly orthonormal already."""
    if is_device(V):
        xp = namespace(V)
        Q, R = xp.linalg.qr(V)
        return Q * xp.sign(xp.linalg.diagonal(R))
    Q, R = linalg.qr(V, mode="economic", check_finite=False)
    return Q * np.sign(np.diag(R))
