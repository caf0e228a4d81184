"""Keep the directions that are more than noise: the choice ``n_components="significant"``."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np

from labelspan.arrays import dense, densified
from labelspan.compat import Interval
from labelspan.gate import check_size
from labelspan.linalg import Components, Pencil, Route, narrow
from labelspan.linalg.permutation import by_scores, by_singular_vectors, step_down
from labelspan.moments import completed

SIGNIFICANT = "significant"
ALPHA: list[Any] = [Interval(Real, 0, 1, closed="neither")]
# Why it is refused where rows are not in memory, which is completed by what to do.
AGAIN = (
    "n_components='significant' compares orders of the rows, which it reads again. Use fit with "
    "rows in memory, or labelspan.stats.dependence_test for a test of all directions together."
)


def refused_when_significant(n_components: Any) -> dict[str, str]:
    """Inputs whose rows are not at hand, for ``_refusals``."""
    if n_components != SIGNIFICANT:
        return {}
    reason = "compares orders of the rows in memory for n_components='significant'"
    return {"dask": reason, "device": reason}


def n_significant(p_values: np.ndarray, alpha: float) -> int:
    """How many directions to keep: at least one, with a warning if it is not significant."""
    found = int(np.count_nonzero(p_values <= alpha))
    if found == 0:
        warnings.warn(
            f"No direction is significant at alpha={alpha:g}: the first has p = {p_values[0]:.2g} "
            "(see p_values_). One is kept.",
            stacklevel=4,
        )
    return max(found, 1)


def p_values_of(
    X: Any, Y: Any, weights: np.ndarray | None, route: Route, pencil: Pencil, K: Any, alpha: float
) -> np.ndarray:
    """P-values of the directions of F F' v = lambda (a xx + b I) v with F = xt K, in order."""
    a, b = pencil.metric
    A = coordinates(X, weights, route)
    w = np.ones(len(A)) if weights is None else weights
    A = A - w @ A / w.sum()
    if a > 0:
        # The factor R of B = R'R, from the rows, because B squares their condition number.
        ridge = np.sqrt(b) * np.eye(A.shape[1])
        R = np.linalg.qr(np.vstack([np.sqrt(a * w)[:, None] * A, ridge]))[1]
        A = whitened(A, R)
    A = w[:, None] * A
    T = targets(Y, weights)
    T = T if K is None else T @ dense(K)
    rng = np.random.default_rng(0)
    return step_down(by_singular_vectors(A, T - T.mean(axis=0)), alpha, rng)


def p_values_of_scores(
    X: Any, Y: Any, weights: np.ndarray | None, route: Route, found: Components, alpha: float
) -> np.ndarray:
    """P-values of the scores of partial least squares, in order."""
    A, T = coordinates(X, weights, route), dense(route.sample.X @ found.R)
    w = np.ones(len(A)) if weights is None else weights
    A, T = (B - w @ B / w.sum() for B in (A, T))
    targets_ = targets(Y, weights)
    targets_ = targets_ - targets_.mean(axis=0)
    rng = np.random.default_rng(0)
    return step_down(by_scores(A, targets_, T, found.C, weights), alpha, rng)


def targets(Y: Any, weights: np.ndarray | None) -> np.ndarray:
    """Dense labels; of missing ones those whose products with X are the available cases'."""
    T = np.asarray(densified(Y), dtype=np.float64)
    return completed(T, weights, tt=False)[0] if np.isnan(T).any() else T


def coordinates(X: Any, weights: np.ndarray | None, route: Route) -> np.ndarray:
    """Rows in memory, dense; of a wide X in its row space."""
    if route.wide is not None:
        return np.asarray(route.wide.Z, dtype=np.float64)
    n, D = X.shape
    check_size((n, min(n, D)), "The rows, for n_components='significant',", "Give a number.")
    if n < D:
        return np.asarray(narrow(X, weights, ridge_free=False).Z, dtype=np.float64)
    A = np.array(densified(X), dtype=np.float64)
    # A large mean costs no digits about the first row.
    return np.asarray(A - A[0])


def whitened(A: np.ndarray, R: np.ndarray) -> np.ndarray:
    """A R^-1 in the directions in which R is regular."""
    _, s, Vt = np.linalg.svd(R)
    kept = s > max(R.shape) * np.finfo(float).eps * s[0]
    return np.asarray((A @ Vt[kept].T) / s[kept])
