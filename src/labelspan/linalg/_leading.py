"""A method as a formula, and the leading eigenpairs of its three kinds: thin, pencil and sum."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import singledispatch
from numbers import Integral
from typing import Any

import numpy as np

from labelspan.arrays import (
    cholesky,
    dense,
    diagonal,
    eigh,
    like,
    orthonormal,
    solve_triangular,
)
from labelspan.linalg._auto_ridge import (
    AUTO,
    choose_ridge,
    energy_of_labels,
    energy_of_targets,
)
from labelspan.linalg._eigenpairs import EPS, EigenPairs, n_directions, rank
from labelspan.linalg._graded import (
    SAFE_VALUE,
    column_scales,
    graded_root,
    is_graded,
    jacobi,
    scaled_svd,
    unit_pivots,
)
from labelspan.linalg._lanczos import leading_blocks, leading_operator, leading_products
from labelspan.linalg._route import MOST_LABELS
from labelspan.linalg._whiten import Whitened, times, whiten
from labelspan.moments import Moments, Products, Rows

Metric = tuple[float, float]


@dataclass(frozen=True)
class Pencil:
    """G v = lambda (a xx + b I) v with G = F F', or c xx + w F F', for the thin factor F = xt K.

    `metric` is (a, b), or a function to it of a ridge that is still to be chosen; `variance` (c, w)
    or None; `K` (q, r), a function of the statistics to it, or None for the identity.
    `by_products`: products with X and Y can find a few directions; `completed`: directions of the
    row space of X follow those of F.
    """

    metric: Any = (0.0, 1.0)
    K: np.ndarray | Callable[[Any], np.ndarray | None] | None = None
    variance: tuple[float, float] | None = None
    by_products: bool = True
    completed: bool = False

    @property
    def ridge_free(self) -> bool:
        """Whether the metric is the scatter of X alone."""
        return not callable(self.metric) and self.metric[1] == 0

    @property
    def thin(self) -> bool:
        """Whether there are no more directions than labels."""
        return self.variance is None and not self.completed

    def needs(self, n: int, D: int, q: int, n_components: Any) -> dict[str, bool]:
        """Keywords of :func:`choose_solver` for n rows, D features and q labels."""
        a, b = (1.0, 1.0) if callable(self.metric) else self.metric
        thin = self.variance is None and not self.completed
        most = q if thin else min(n, D)
        some = isinstance(n_components, Integral) and n_components < most / 10
        # A label scatter that is decomposed must fit.
        fits = not callable(self.K) or q <= MOST_LABELS
        return {
            "scatter": a > 0 or not thin,
            # A share of the spectrum needs all of it.
            "thin": thin or (some and self.by_products),
            "ridge_free": b == 0,
            "few": some and self.by_products and b > 0 and fits,
        }


# Of methods that decompose scatter matrices of their own.
FORMED = Pencil(variance=(1.0, 1.0), by_products=False)


def ridged_metric(ridge: float | str) -> Metric | Callable[[float], Metric]:
    """The metric xx + ridge I."""
    return (lambda r: (1.0, r)) if ridge == AUTO else (1.0, float(ridge))


def with_chosen_ridge(pencil: Pencil, statistics: Any) -> tuple[Pencil, Any]:
    """The pencil with the ridge that :func:`choose_ridge` finds, and what to solve it with."""
    assert callable(pencil.metric)
    if callable(pencil.K):
        K = pencil.K(statistics)
        total = energy_of_targets(statistics, K)
    else:
        K = pencil.K
        total = energy_of_labels(statistics) if K is None else energy_of_targets(statistics, K)
    solved, ridge = choose_ridge(statistics, K, total)
    return replace(pencil, metric=pencil.metric(ridge), K=K), solved


def whole(statistics: Any) -> None:
    """No K, for targets that are no labels: their energy is that of their scatter."""


def solve(pencil: Pencil, statistics: Any, n_components: Any) -> EigenPairs:
    """Leading eigenpairs of the pencil, whatever the kind of the statistics."""
    K = pencil.K(statistics) if callable(pencil.K) else pencil.K
    if pencil.variance is None:
        a, b = pencil.metric
        return leading(statistics, K, n_components, a=a, b=b)
    return with_variance(statistics, K, *pencil.variance, n_components)


@singledispatch
def with_variance(
    statistics: Any, K: np.ndarray | None, c: float, w: float, n_components: Any
) -> EigenPairs:
    """Leading eigenpairs of c xx + w F F'."""
    raise TypeError(f"no solver for {type(statistics).__name__}")


@with_variance.register
def _(moments: Moments, K: np.ndarray | None, c: float, w: float, n_components: Any) -> EigenPairs:
    F = moments.xt if K is None else moments.xt @ like(moments.xt, K)
    G = c * moments.xx
    G += (w * F) @ F.T
    return leading_sum(G, n_components, squares=moments.squares)


@with_variance.register
def _(rows: Rows, K: np.ndarray | None, c: float, w: float, n_components: Any) -> EigenPairs:
    X, T = rows.operator, times(rows.T, K)

    def apply(v: np.ndarray) -> np.ndarray:
        u = X.matvec(v)
        return X.rmatvec(c * u + w * (T @ (T.T @ u)))

    total = c * float(X.squares.sum()) + w * float(np.sum(X.rmatmat(T) ** 2))
    return leading_operator((X.shape[1], apply), n_components, total, X.squares)


@with_variance.register
def _(
    products: Products, K: np.ndarray | None, c: float, w: float, n_components: Any
) -> EigenPairs:
    def apply(V: np.ndarray) -> np.ndarray:
        # Two passes over the rows: S = xt'V, then c xx V + w xt K K'S.
        S = w * products.labels(V=V)
        return products.features(V=c * V, W=S if K is None else K @ (K.T @ S))

    dependence = products.dependence() if K is None else None
    variance = c * float(products.squares.sum())
    total = None if dependence is None else variance + w * dependence
    return leading_blocks(apply, products.squares.size, n_components, total)


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
    total = float(diagonal(G).sum())
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
            stacklevel=3,
        )
