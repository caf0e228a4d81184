"""Fewer rows than features: reduce X exactly to n coordinates first."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg, sparse

from labelspan.arrays import (
    cast,
    doubles,
    eigh,
    is_device,
    like,
    namespace,
    sums_of_squares,
    to_host,
    with_columns_divided,
)
from labelspan.gate import check_size
from labelspan.linalg._eigenpairs import EPS, rank
from labelspan.linalg._graded import GRAM_GRADED, LeastNorm, column_scales, is_graded
from labelspan.moments import Block, anchored, centred, warn_of_lost_digits
from labelspan.moments import sums_of_squares as squares_of

# Features per block of the QR steps, as a multiple of the rows.
TALL = 4


@dataclass(frozen=True)
class Narrow:
    """The sample in orthonormal coordinates of its row space: Z (n, r) = Xc V.

    V (D, r) = Xc' dual is never formed; if column scales are far apart, `basis` holds it as
    reflections. Dense rows X are centred; for others, `shares` of the rows make up their mean.
    """

    Z: np.ndarray
    mean: np.ndarray
    X: Any
    dual: np.ndarray
    shares: np.ndarray | None = None
    basis: LeastNorm | None = None

    def lift(self, C: np.ndarray) -> np.ndarray:
        """V C = Xc' (dual C): directions (D, k) from coordinates (r, k)."""
        if self.basis is not None:
            return self.basis.lift(C)
        # H'W, because centring the rows of X or those of W gives the same product.
        return self.X.T @ self._centred(self.dual @ like(self.dual, C))

    def project(self, X: Any) -> np.ndarray:
        """(X - mean) V, (m, r), for other rows X (m, D)."""
        if self.basis is not None:
            return self.basis.project(doubles(X) - self.mean)
        if not sparse.issparse(self.X):
            return ((X - self.mean) @ self.X.T) @ self.dual
        # Both sides in the short form; centring the dual side subtracts the mean from self.X.
        products = (X @ self.X.T).toarray() - self.X @ self.mean
        return products @ self._centred(self.dual)

    def _centred(self, W: np.ndarray) -> np.ndarray:
        """H'W with H = I - 1 shares', which subtracts the mean from rows."""
        return W if self.shares is None else W - np.outer(self.shares, W.sum(axis=0))


def narrow(
    X: Any, weights: np.ndarray | None = None, *, ridge_free: bool, centre: bool = True
) -> Narrow:
    """Reduce a wide X (n < D) to n or fewer coordinates, exactly; memory O(n^2).

    Directions, distances, scatters and ridges are the same in them. Without a ridge the factor
    comes from QR steps over blocks of features, which do not square the condition number, else from
    a pivoted Cholesky factor of the Gram matrix. Weights change only the mean.
    """
    check_gram(X.shape[0])
    if is_device(X):
        return narrow_on_device(X, weights, ridge_free=ridge_free, centre=centre)
    if centre:
        rows, shift = anchored(X)
        w = np.ones(X.shape[0]) if weights is None else weights
        rows, mean = centred(rows, w)
        mean, shares = shift + mean, w / w.sum()
    else:
        rows, mean, shares = X.astype(np.float64), np.zeros(X.shape[1]), None
    lengths = squares(rows, centre)
    warn_of_lost_digits(mean, lengths, X.shape[0])
    wide = reduced(rows, ridge_free, shares)
    # Scales of word counts are 1e3 apart; the Gram matrix is accurate enough and ten times as fast.
    if is_weak(wide, centre) and is_graded(lengths, GRAM_GRADED):
        scales = column_scales(lengths)
        wide = scaled_back(reduced(with_columns_divided(rows, scales), ridge_free, shares), scales)
    return replace(wide, mean=mean, X=rows)


def check_gram(n_rows: int) -> None:
    """Refuse rows so many that their Gram matrix does not fit."""
    advice = "Use fewer rows or select features first."
    check_size((n_rows, n_rows), "The Gram matrix of the rows", advice)


def narrow_on_device(X: Any, weights: Any, *, ridge_free: bool, centre: bool) -> Narrow:
    """The same on the device of X, where directions lost for want of units stay lost."""
    xp = namespace(X)
    block = Block.of(X, xp.empty((X.shape[0], 0), dtype=xp.float64, device=X.device), weights)
    rows, mean = cast(X, np.float64), xp.zeros(X.shape[1], dtype=xp.float64, device=X.device)
    if centre:
        mean = block.shift + block.offset
        rows = block.A / block.root[:, None] - block.offset
    lengths = to_host(sums_of_squares(rows))
    warn_of_lost_digits(mean, lengths, X.shape[0])
    if ridge_free:
        U, s, _ = xp.linalg.svd(rows, full_matrices=False)
        r = rank(to_host(s), max(X.shape))
        s = s[:r]
    else:
        K = rows @ rows.T
        scale = float(xp.max(xp.linalg.diagonal(K)))
        values, U = eigh(K)
        r = int(np.count_nonzero(values > len(values) * EPS * scale))
        s = like(K, np.sqrt(values[:r]))
    Z, dual = U[:, :r] * s, U[:, :r] / s
    if r == 0:
        Z = dual = xp.zeros((X.shape[0], 1), dtype=xp.float64, device=X.device)
    wide = Narrow(Z, mean, rows, dual)
    if is_weak(wide, centre) and is_graded(lengths, GRAM_GRADED):
        warnings.warn(
            "The columns of X have scales far apart, and on a device directions of the smaller "
            "ones may be lost where there are fewer rows than columns. Scale the features first, "
            "or fit on the host.",
            stacklevel=2,
        )
    return wide


def reduced(rows: Any, ridge_free: bool, shares: np.ndarray | None) -> Narrow:
    """The reduction of rows that are already centred if dense."""
    Z, dual = from_blocks(rows, shares) if ridge_free else from_gram(rows, shares)
    if Z.shape[1] == 0:
        # Constant rows get one coordinate that does not vary, so callers need no special case.
        Z = dual = np.zeros((rows.shape[0], 1))
    return Narrow(Z, np.zeros(rows.shape[1]), rows, dual, shares)


def is_weak(wide: Narrow, centred: bool) -> bool:
    """Whether rounding may have lost a direction: fewer than n - 1, or one is very small."""
    n_rows, r = wide.Z.shape
    full = n_rows - centred
    lengths = to_host(namespace(wide.dual).linalg.vector_norm(wide.dual, axis=0))
    return r < full or bool(lengths.max() > GRAM_GRADED * lengths.min())


def scaled_back(wide: Narrow, scales: np.ndarray) -> Narrow:
    """From X / scales = Z V' to X = Z (V' scales), orthonormal; the rank is that of X / scales."""
    basis = LeastNorm.of(scales[:, None] * wide.lift(np.eye(wide.Z.shape[1])))
    return replace(wide, Z=wide.Z[:, basis.pivots] @ basis.T.T, basis=basis)


def squares(rows: Any, centre: bool) -> np.ndarray:
    """Squared lengths of the columns about their means, (D,)."""
    if not sparse.issparse(rows):
        return np.einsum("ij,ij->j", rows, rows)
    means = np.asarray(rows.mean(axis=0)).ravel() * centre
    return squares_of(rows, rows.shape[0], means)


def from_gram(X: Any, shares: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Z and dual from K = Xc Xc' = Z Z', by Cholesky with pivoting and a rank cut."""
    K, scale = gram(X, shares)
    factor, order, r, _ = linalg.lapack.dpstrf(K, tol=len(K) * EPS * scale, lower=1)
    L = np.tril(factor)[:, :r]
    Z, dual = np.empty_like(L), np.zeros_like(L)
    Z[order - 1] = L
    dual[order[:r] - 1] = linalg.solve_triangular(
        L[:r], np.eye(r), lower=True, trans="T", check_finite=False
    )
    return Z, dual


def from_blocks(X: Any, shares: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Z and dual from Xc' = Q R, with R accumulated over blocks of features, then R = U s W'."""
    n_rows, n_features = X.shape
    columns = X.tocsc() if sparse.issparse(X) else X
    R = np.empty((0, n_rows))
    # Tall blocks, because each step includes the factor so far: 3.3 n^2 operations per feature
    # for blocks of n features, 2.3 n^2 for these; the minimum is 2 n^2.
    for start in range(0, n_features, TALL * n_rows):
        stop = min(start + TALL * n_rows, n_features)
        block = columns[:, start:stop]
        block = block.toarray() if sparse.issparse(block) else block
        block = block if shares is None else block - shares @ block
        stacked = np.vstack([R, block.T])
        R = linalg.qr(stacked, mode="r", overwrite_a=True, check_finite=False)[0][:n_rows]
    _, s, Wt = linalg.svd(R, full_matrices=False, check_finite=False)
    r = rank(s, max(X.shape))
    return Wt[:r].T * s[:r], Wt[:r].T / s[:r]


def gram(X: Any, shares: np.ndarray | None) -> tuple[np.ndarray, float]:
    """Xc Xc' of rows that are already centred if dense, and the scale of its rounding."""
    K = X @ X.T
    K = K.toarray() if sparse.issparse(K) else K
    scale = float(np.diag(K).max())
    return (K if shares is None or not sparse.issparse(X) else centre_both(K, shares)), scale


def centre_both(K: np.ndarray, shares: np.ndarray | None = None) -> np.ndarray:
    """H K H' for the Gram matrix of rows that could not be centred before; see `Narrow`."""
    rows = K.mean(axis=0) if shares is None else shares @ K
    return K - rows - rows[:, None] + (rows.mean() if shares is None else shares @ rows)
