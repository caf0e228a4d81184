"""Least squares from the statistics of one pass, for all labels at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import linalg, sparse

from labelspan._compat import is_dask_array
from labelspan._validation import check_square
from labelspan.linalg import (
    EPS,
    Back,
    LeastNorm,
    after,
    choose_solver,
    column_scales,
    is_graded,
    is_regular,
    narrow,
    scaled_cholesky,
    spectral,
    whiten,
)
from labelspan.moments import Moments, Root, Rows, Sample, collect, row_blocks, warn_of_lost_digits

# Smallest pivot of a Gram matrix, relative to the largest, that still leaves eight digits.
SAFE_PIVOT = 1e-8


@dataclass(frozen=True)
class LeastSquares:
    """The regression of T on X, solved but not multiplied out.

    With A = xx + ridge I (its pseudo-inverse if ridge = 0) and a basis E with E'AE = I:

    Attributes
    ----------
    W : ndarray of shape (r, q)
        E'xt, so that W'W = xt'A^-1 xt; without a ridge this is Z'HZ, H the hat matrix.
    back : callable
        From coordinates C (r, k) to E C (D, k), so that A^-1 xt = E W.
    x_mean, t_mean : ndarray of shape (D,) and (q,)
        Means of X and T.
    tt : ndarray of shape (q, q) or None
        Scatter of T, if asked for.
    ridge : float
        The ridge.
    solver : str
        The route, see :func:`labelspan.linalg.choose_solver`.
    """

    W: np.ndarray
    back: Back
    x_mean: np.ndarray
    t_mean: np.ndarray
    tt: np.ndarray | None
    ridge: float
    solver: str

    def coefficients(self, V: np.ndarray | None) -> np.ndarray:
        """Coefficients (D, M) of the codes T V', V of shape (M, q); None is the identity."""
        return self.back(self.W if V is None else self.W @ V.T)

    def hat_factor(self) -> np.ndarray:
        """F with F'F = xt'(2 A^-1 - A^-1 xx A^-1) xt, the matrix that CPLST decomposes.

        A^-1 xx A^-1 = A^-1 - ridge A^-2 turns it into W'W + ridge P'P with P = A^-1 xt, a sum
        of squares: nothing is subtracted.
        """
        if self.ridge == 0:
            return self.W
        return np.vstack([self.W, np.sqrt(self.ridge) * self.back(self.W)])


def least_squares(X: Any, T: Any, ridge: float, *, tt: bool = False) -> LeastSquares:
    """Regress T on X, both centred.

    Parameters
    ----------
    X : ndarray, csr_array or Dask array of shape (n, D)
        Features.
    T : ndarray, csr_array or Dask array of shape (n, q)
        Targets.
    ridge : float
        Added to the diagonal of the scatter of X; 0 gives the solution of least norm.
    tt : bool, default=False
        Whether to return the scatter of T.

    Returns
    -------
    LeastSquares
        One pass over the data. Without a ridge the Gram matrix of X is used only if its pivots
        say that eight digits survive; else a QR factor is taken, which reads X once more.
    """
    n_rows, n_features = X.shape
    solver = choose_solver(
        n_rows,
        n_features,
        sparse=sparse.issparse(X),
        streamed=is_dask_array(X),
        ridge_free=ridge == 0,
    )
    if solver == "rows":
        wide = narrow(X, ridge_free=ridge == 0)
        inner = least_squares(wide.Z, T, ridge, tt=tt)
        mean = wide.mean + wide.lift(inner.x_mean[:, None])[:, 0]
        return replace(inner, back=after(inner.back, wide.lift), x_mean=mean, solver="rows")
    if solver != "krylov":
        check_square(
            n_features,
            "The scatter matrix of the features",
            "Pass a regressor that scales to so many features, or select features first.",
        )
    sample = Sample(X, T, solver)
    statistics, W, back = SOLVERS[solver](sample, ridge, tt)
    warn_of_lost_digits(statistics.x_mean, statistics.squares, statistics.weight)
    return LeastSquares(W, back, statistics.x_mean, statistics.t_mean, statistics.tt, ridge, solver)


Solved = tuple[Any, np.ndarray, Back]


def by_scatter(sample: Sample, ridge: float, tt: bool) -> Solved:
    """With a ridge: Cholesky factor of xx + ridge I."""
    statistics = collect(sample, partial(Moments.of, tt=tt))
    return statistics, *whiten(statistics, None, 1.0, ridge)[:2]


def by_rows(sample: Sample, ridge: float, tt: bool) -> Solved:
    """With a ridge, wide and sparse: conjugate gradients."""
    statistics = Rows.of(sample.X, sample.Y)
    return statistics, *whiten(statistics, None, 1.0, ridge)[:2]


def by_root(sample: Sample, ridge: float, tt: bool) -> Solved:
    """Without a ridge: pivoted Cholesky where it is accurate, QR where it is not."""
    if not is_dask_array(sample.X):
        statistics = collect(sample, partial(Moments.of, tt=tt))
        solved = from_gram(statistics, sample.X)
        if solved is not None:
            return statistics, *solved
    triangle = collect(sample, partial(Triangle.of, tt=tt), whole_sparse=False)
    return triangle.moments, *from_triangle(triangle)


SOLVERS: dict[str, Callable[[Sample, float, bool], Solved]] = {
    "scatter": by_scatter,
    "krylov": by_rows,
    "root": by_root,
}


def from_gram(statistics: Moments, X: Any) -> tuple[np.ndarray, Back] | None:
    """W and back from P'xx P = L L', or None if rounding in xx may have decided.

    Pivots that are left out must be null directions of X itself, to the tolerance that a
    singular value decomposition of X would use; the Gram matrix alone cannot tell 1e-16 from
    (1e-8)^2. Both are asked of columns of length one: no unit may decide.
    """
    side, n_labels = statistics.xt.shape
    if not statistics.squares.any():
        return np.zeros((0, n_labels)), lambda C: np.zeros((side, C.shape[1]))
    scales = column_scales(statistics.squares)
    L, order = scaled_cholesky(statistics.xx, scales)
    r = L.shape[1]
    pivots = np.diag(L) ** 2
    if pivots.min() < SAFE_PIVOT * pivots.max():
        return None
    if r < side and not is_null(null_basis(L, order), statistics, X, scales):
        return None
    xt = (statistics.xt / scales[:, None])[order[:r]]
    W = linalg.solve_triangular(L[:r], xt, lower=True, check_finite=False)
    solve = in_range(L * scales[order, None]) if r < side else None

    def back(C: np.ndarray) -> np.ndarray:
        coefficients = np.empty((side, C.shape[1]))
        if solve is None:
            solved = linalg.solve_triangular(L, C, lower=True, trans="T", check_finite=False)
            solved /= scales[order, None]
        else:
            solved = solve(C)
        coefficients[order] = solved
        return coefficients

    return W, back


def in_range(L: np.ndarray) -> Back:
    """From C to the coefficients of least norm with L'x = C: L (L'L)^-1 C, in the range of L."""
    if is_graded(np.abs(L).max(axis=1)):
        return LeastNorm.of(L).solve
    inner = linalg.cho_factor(L.T @ L, check_finite=False)
    return lambda C: L @ linalg.cho_solve(inner, C, check_finite=False)


def null_basis(L: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Columns N (D, D - r) with L'P'N = 0."""
    side, r = L.shape
    N = np.empty((side, side - r))
    N[order[:r]] = -linalg.solve_triangular(
        L[:r], L[r:].T, lower=True, trans="T", check_finite=False
    )
    N[order[r:]] = np.eye(side - r)
    return N


def is_null(N: np.ndarray, statistics: Moments, X: Any, scales: np.ndarray) -> bool:
    """Whether Xc N vanishes to rounding, Xc in units of `scales`; one thin product."""
    lengths = np.linalg.norm(N, axis=0)
    N = N / scales[:, None]
    shift = statistics.x_mean @ N
    squares = sum(np.square(X[rows] @ N - shift).sum(axis=0) for rows in row_blocks(X))
    total = float(np.sum(statistics.squares / scales**2))
    return bool((np.sqrt(squares) <= EPS * max(X.shape) * np.sqrt(total) * lengths).all())


@dataclass(frozen=True)
class Triangle:
    """QR factor of Xc beside the products with T; poolable by ``+``.

    T stays out of the factor: R^-T xt is as accurate as Q'T, and T may be sparse and wide.
    """

    root: Root
    moments: Moments

    @classmethod
    def of(cls, X: Any, T: Any, *, tt: bool) -> Triangle:
        """Triangle of one block of rows."""
        return cls(Root.of(X, np.empty((X.shape[0], 0))), Moments.of(X, T, xx=False, tt=tt))

    def __add__(self, other: Triangle) -> Triangle:
        return Triangle(self.root + other.root, self.moments + other.moments)


def from_triangle(triangle: Triangle) -> tuple[np.ndarray, Back]:
    """W and back from R: by substitution if R is safely regular, else by its singular values."""
    R, xt = triangle.root.Rx, triangle.moments.xt
    if is_regular(triangle.root):
        W = linalg.solve_triangular(R, xt, trans="T", check_finite=False)
        return W, lambda C: linalg.solve_triangular(R, C, check_finite=False)
    form = spectral(triangle.root)
    V, s = form.V, form.s[:, None]
    return (V.T @ xt) / s, lambda C: V @ (C / s)
