"""Leading eigenpairs of the three kinds of problem: thin, pencil and sum."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from labelspan.arrays import (
    cholesky,
    dense,
    diagonal,
    eigh,
    like,
    namespace,
    orthonormal,
    solve_triangular,
)
from labelspan.linalg._eigenpairs import EPS, EigenPairs, n_directions, rank
from labelspan.linalg._graded import (
    GRADED,
    SAFE_VALUE,
    column_scales,
    graded_root,
    is_graded,
    jacobi,
    scaled_svd,
    unit_pivots,
)
from labelspan.linalg._lanczos import leading_products
from labelspan.linalg._whiten import Whitened, whiten
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
    W, back, squares = whitened
    tall = W.shape[0] >= W.shape[1]
    values, vectors = eigh(W.T @ W if tall else W @ W.T, overwrite=True)
    if squares is not None and is_graded(squares):
        some = isinstance(n_components, int | np.integer)
        n_wanted = min(int(n_components), len(values)) if some else len(values)
        if values[n_wanted - 1] < SAFE_VALUE * values[0]:
            scales = column_scales(squares)
            factors = scaled_svd(scales, dense(W) / scales[:, None])
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
    G: np.ndarray, n_components: Any, noise: float = 0.0, squares: np.ndarray | None = None
) -> EigenPairs:
    """Leading eigenpairs of a positive semi-definite (D, D) matrix, which is overwritten.

    `noise` is the rounding error already in G, relative to eps, if it is larger than D. `squares`
    are the squared scales of the rows of G, if they may be far apart.
    """
    total = float(namespace(G).linalg.trace(G))
    some = isinstance(n_components, int | np.integer) and n_components < G.shape[0]
    graded = squares is not None and is_graded(squares)
    if some or not graded:
        # G is needed again if these are too few pairs.
        values, vectors = eigh(G, n_components if some else None, overwrite=not graded)
    if graded and not (some and values[-1] > SAFE_VALUE * values[0]):
        V, s, _ = jacobi(graded_root(dense(G), column_scales(np.asarray(squares))).T)
        return kept(V, s, n_components)
    values = values[: rank(values, max(G.shape[0], noise))]
    # A share refers to the sum of all eigenvalues; all were computed unless a number was given.
    n_kept = n_directions(values, values.sum(), n_components)
    return EigenPairs(values, vectors[:, :n_kept], total)


def leading_operator(
    operator: tuple[int, Apply],
    n_components: Any,
    total: float | None = None,
    squares: np.ndarray | None = None,
) -> EigenPairs:
    """Leading eigenpairs, and the trace, of a symmetric (D, D) operator that can only be applied.

    Lanczos runs to machine precision from a fixed start. If `squares`, the squared lengths of the
    columns, are far apart, each range of scales takes one run, without what was found before.
    """
    side, apply = operator
    n_asked = min(int(n_components), side - 1)
    if squares is not None and is_graded(squares):
        values, V = by_ranges(side, apply, n_asked, np.sqrt(squares[squares > 0]))
    else:
        values, V = lanczos(side, apply, n_asked)
        values = values[: rank(values, side)]
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
    squares: np.ndarray | None = None,
    total: np.ndarray | None = None,
) -> EigenPairs:
    """Leading eigenpairs of A v = lambda B v, both (D, D), B positive definite; v'Bv = 1.

    `squares` is the diagonal of A in units in which that of B is one. If B is a difference, `total`
    is the diagonal of the first matrix, whose rounding B inherits.
    """
    L = cholesky(B)
    if L is None:
        raise ValueError(
            "The ridge is lost in the rounding of a scatter matrix whose mean diagonal entry is "
            f"{diagonal(B).mean():.3g}. Raise ridge, or scale the features."
        )
    if total is not None:
        warn_of_rounding(unit_pivots(L, total))
    C = solve_triangular(L, solve_triangular(L, A).T)
    pairs = leading_sum((C + C.T) / 2, n_components, squares=squares)
    return pairs.mapped(lambda Y: solve_triangular(L, Y, transposed=True))


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
