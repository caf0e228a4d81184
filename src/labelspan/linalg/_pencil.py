"""A method as a formula: what it maximises, and in which metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import singledispatch
from numbers import Integral
from typing import Any

import numpy as np

from labelspan.arrays import like
from labelspan.linalg._auto_ridge import (
    AUTO,
    choose_ridge,
    energy_of_labels,
    energy_of_targets,
)
from labelspan.linalg._eigenpairs import EigenPairs
from labelspan.linalg._lanczos import leading_blocks
from labelspan.linalg._leading import leading, leading_operator, leading_sum
from labelspan.linalg._route import MOST_LABELS
from labelspan.linalg._whiten import times
from labelspan.moments import Moments, Products, Rows

Metric = tuple[float, float]


@dataclass(frozen=True)
class Pencil:
    """G v = lambda (a xx + b I) v with G = F F', or c xx + w F F', for the thin factor F = xt K.

    `metric` is (a, b), or a function to it of a ridge that is still to be chosen; `variance` (c, w)
    or None; `K` (q, r), a function of the statistics to it, or None for the identity.
    `by_products`: products with X and Y can find a few directions.
    """

    metric: Any = (0.0, 1.0)
    K: np.ndarray | Callable[[Any], np.ndarray | None] | None = None
    variance: tuple[float, float] | None = None
    by_products: bool = True

    @property
    def ridge_free(self) -> bool:
        """Whether the metric is the scatter of X alone."""
        return not callable(self.metric) and self.metric[1] == 0

    @property
    def thin(self) -> bool:
        """Whether there are no more directions than labels."""
        return self.variance is None

    def needs(self, n: int, D: int, q: int, n_components: Any) -> dict[str, bool]:
        """Keywords of :func:`choose_solver` for n rows, D features and q labels."""
        most = q if self.thin else min(n, D)
        some = isinstance(n_components, Integral) and n_components < most / 10
        # A label scatter that is decomposed must fit.
        fits = not callable(self.K) or q <= MOST_LABELS
        return {
            "scatter": callable(self.metric) or self.metric[0] > 0 or not self.thin,
            # A share of the spectrum needs all of it.
            "thin": self.thin or (some and self.by_products),
            "ridge_free": self.ridge_free,
            "few": some and self.by_products and not self.ridge_free and fits,
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
