"""Leading right singular vectors of a centred sparse matrix, to a stated tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import orthonormal
from labelspan.labelspace._training import TrainingRows
from labelspan.linalg import (
    EigenPairs,
    block_lanczos,
    leading_blocks,
    n_directions,
    rank,
    row_side,
    rows_are_independent,
    solve_products,
    warn_if_any_label_fits,
)
from labelspan.moments import CentredRows, Products, Sample, scaled, small_indices, total_scatter

CACHED_ROWS = 2**15
# Default residual of an eigenpair, relative to the largest eigenvalue.
TOLERANCE = 1e-8


def leading_labels(
    Y: Any, n_components: int, tol: float, random_state: Any, weights: np.ndarray | None = None
) -> EigenPairs:
    """Leading eigenpairs of Z' diag(weights) Z, Z = Y - mean, to residuals of `tol` of the largest.

    Y stays sparse: O(nnz(Y)) per product, memory O(min(n, q) * 3 n_components).
    """
    Y = sparse.csr_array(Y)
    n_rows, n_labels = Y.shape
    if n_rows <= n_labels:
        Z = CentredRows(Y, weights)
        values, U = block_lanczos(Z.gram, n_rows, n_components, tol, random_state)
        V = Z.rmatmat(U)
    else:
        values, V = block_lanczos(scatter_of(Y, weights), n_labels, n_components, tol, random_state)
    values = values[: rank(values, max(Y.shape))]
    n_kept = n_directions(values, np.inf, n_components)
    return EigenPairs(values, orthonormal(V[:, :n_kept]))


def leading_fitted(sample: TrainingRows, ridge: float, n_components: int) -> EigenPairs:
    """Leading eigenpairs of Z'(2 H - H^2) Z with H = Xc A^-1 Xc', A = xx + ridge I, by products.

    This is xt'(A^-1 + ridge A^-2) xt; each step takes one or two solves by conjugate gradients.
    """
    X, Y, weights = sample.X, sample.Y, sample.weights
    if ridge == 0 and rows_are_independent(X, weights):
        warn_if_any_label_fits(X.shape[0], X.shape[0] - 1, lambda: total_scatter(X))
        return leading_labels(Y, n_components, TOLERANCE, 0, weights)
    products = Products.of(Sample(X, Y, "products", weights))

    short = row_side(products, 1.0, ridge) if ridge > 0 else None

    def apply(W: np.ndarray) -> np.ndarray:
        if short is not None:
            Z = short.labels(W)
            HZ = short.fitted(short.solve(Z))
            return short.scores(2 * HZ - short.fitted(short.solve(HZ)))
        P = solve_products(products, products.features(W=W), 1.0, ridge)
        if ridge > 0:
            P = P + ridge * solve_products(products, P, 1.0, ridge)
        return products.labels(V=P)

    pairs = leading_blocks(apply, Y.shape[1], n_components, None, max(X.shape))
    return EigenPairs(pairs.values, orthonormal(pairs.vectors))


def scatter_of(
    Y: sparse.csr_array, weights: np.ndarray | None
) -> Callable[[np.ndarray], np.ndarray]:
    """V -> Z'Z V = Y'Y V - n mean mean'V, by blocks of rows that fit into the cache."""
    w = np.ones(Y.shape[0]) if weights is None else weights
    mean = (w @ Y) / w.sum()
    Y = scaled(Y, None if weights is None else np.sqrt(w))
    edges = range(0, Y.shape[0], CACHED_ROWS)
    blocks = [small_indices(Y[start : start + CACHED_ROWS]) for start in edges]
    pairs = [(block, small_indices(block.T.tocsr())) for block in blocks]

    def apply(V: np.ndarray) -> np.ndarray:
        product = np.outer(mean, -w.sum() * (mean @ V))
        for rows, columns in pairs:
            product += columns @ (rows @ V)
        return product

    return apply
