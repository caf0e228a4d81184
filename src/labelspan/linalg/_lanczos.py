"""Leading eigenpairs of operators: by vectors to machine precision, by blocks to a tolerance."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from labelspan.linalg._block_cg import row_side, solve_products, thin_qr
from labelspan.linalg._eigenpairs import EPS, EigenPairs, n_directions, rank
from labelspan.linalg._graded import GRADED, SAFE_VALUE, is_graded
from labelspan.moments import Products

Apply = Callable[[np.ndarray], np.ndarray]

BLOCK = 32
# Residual of eigenpairs found by products, relative to the largest eigenvalue. The error of
# directions is this over the gap, that of eigenvalues its square. Inner solves use a hundredth of
# it.
TOLERANCE = 1e-8
INNER = TOLERANCE / 100
MAX_RESTARTS = 500


def leading_products(
    products: Products, K: np.ndarray | None, n_components: Any, a: float, b: float
) -> EigenPairs:
    """Leading eigenpairs of F F' v = lambda (a xx + b I) v, F = xt K, by products with X and T.

    The eigenvectors w of F'B^-1 F (q, q) give v = B^-1 F w / sqrt(lambda). A step takes two passes
    over the rows, and if a > 0 one more for each step of the conjugate gradients that apply B^-1.
    """
    short = row_side(products, a, b)

    def lift(W: np.ndarray) -> np.ndarray:
        W = W if K is None else K @ W
        if short is not None:
            return short.lift(short.solve(short.labels(W), INNER))
        F = products.features(W=W)
        return F / b if a == 0 else solve_products(products, F, a, b, INNER)

    def apply(W: np.ndarray) -> np.ndarray:
        if short is None:
            M = products.labels(V=lift(W))
        else:
            T = short.labels(W if K is None else K @ W)
            M = short.scores(short.fitted(short.solve(T, INNER)))
        return M if K is None else K.T @ M

    side = len(products.t_mean) if K is None else K.shape[1]
    total = products.dependence() if a == 0 and K is None else None
    solved = len(products.squares) if a > 0 else None
    pairs = leading_blocks(apply, side, n_components, total and total / b, solved)
    return pairs.mapped(lambda W: lift(W) / np.sqrt(pairs.values[: W.shape[1]]))


def leading_blocks(
    apply: Callable[[np.ndarray], np.ndarray],
    side: int,
    n_components: Any,
    total: float | None,
    solved: int | None = None,
) -> EigenPairs:
    """Leading eigenpairs of a (side, side) operator, a pass each; `solved`: size of its systems."""
    n_asked = min(int(n_components), side)
    values, vectors = block_lanczos(apply, side, n_asked, TOLERANCE, 0)
    if solved:
        # The error of a solve is far above rounding. It is orthogonal to what a null direction
        # multiplies, so V'A V is exact to rounding, and null directions are recognised.
        M = vectors.T @ apply(vectors)
        values, U = linalg.eigh((M + M.T) / 2, check_finite=False)
        values, vectors = values[::-1], vectors @ U[:, ::-1]
    values = values[: rank(values, max(side, solved or 0))]
    n_kept = n_directions(values, np.inf, n_components)
    return EigenPairs(values, vectors[:, :n_kept], total)


def block_lanczos(
    apply: Callable[[np.ndarray], np.ndarray], side: int, k: int, tol: float, random_state: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Leading k eigenpairs of a symmetric operator: block Lanczos with thick restarts."""
    n_kept, n_basis = k + BLOCK, max(3 * k, k + 4 * BLOCK) + BLOCK
    if n_basis + BLOCK > side:
        values, U = linalg.eigh(apply(np.eye(side)), check_finite=False)
        return values[::-1][:k], U[:, ::-1][:, :k]
    random = check_random_state(random_state)
    start = random.standard_normal((side, BLOCK))
    Q, H = np.empty((side, n_basis), order="F"), np.zeros((n_basis, n_basis))
    fresh, n_filled, scale = thin_qr(apply(start))[0], 0, 0.0
    for _ in range(MAX_RESTARTS):
        while n_filled + BLOCK <= n_basis:
            columns = slice(n_filled, n_filled + BLOCK)
            Q[:, columns] = fresh
            n_filled += BLOCK
            W = apply(fresh)
            scale = max(scale, float(np.linalg.norm(W, axis=0).max()))
            H[:n_filled, columns], fresh, R = expand(Q[:, :n_filled], W, scale, random)
        # Only the upper triangle was filled; the lower one mirrors it.
        values, S = linalg.eigh(H[:n_filled, :n_filled], lower=False, check_finite=False)
        values, S = values[::-1], S[:, ::-1]
        # A Q S - Q S values = fresh R S[last rows], so the residuals need no product with A.
        residual = np.linalg.norm(R @ S[n_filled - BLOCK : n_filled, :k], axis=0).max()
        if residual <= tol * values[0]:
            return values[:k], Q[:, :n_filled] @ S[:, :k]
        Q[:, :n_kept] = Q[:, :n_filled] @ S[:, :n_kept]
        H[:n_kept, :n_kept] = np.diag(values[:n_kept])
        n_filled = n_kept
    warnings.warn(
        f"The directions of the labels did not converge: residual {residual / values[0]:.1e} of "
        f"the largest eigenvalue after {MAX_RESTARTS} restarts (tol={tol:g}). Raise tol or ask "
        "for fewer components.",
        ConvergenceWarning,
        stacklevel=2,
    )
    return values[:k], Q[:, :k].copy()


def expand(
    Q: np.ndarray, W: np.ndarray, scale: float, random: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q'W, and the part of W outside Q as an orthonormal block times R."""
    inside = Q.T @ W
    fresh, R = thin_qr(W - Q @ inside)
    # The space is exhausted and only rounding is left. Continue with a new direction, which the
    # operator does not couple to the old ones.
    used_up = np.abs(np.diag(R)) < 1e-12 * scale
    fresh[:, used_up] = random.standard_normal((len(fresh), used_up.sum()))
    R[used_up] = 0.0
    # Twice is enough (Kahan and Parlett). Once is not: each step would double the distance of the
    # basis from an orthonormal one.
    for _ in range(2 if used_up.any() else 1):
        fresh, again = thin_qr(fresh - Q @ (Q.T @ fresh))
        R = again @ R
    return inside, fresh, R


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
