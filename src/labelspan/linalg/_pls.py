"""Partial least squares from scatter matrices alone (improved kernel PLS no. 2)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from labelspan.linalg._eigenpairs import EPS

Apply = Callable[[np.ndarray], np.ndarray]
# The Gram matrix of the covariances is updated by rank one until it has shrunk to this share.
ANEW = 1e-4


@dataclass(frozen=True)
class Components:
    """Directions R (D, k) with uncorrelated scores Xc R, and loadings C (q, k) of the targets.

    The regression on the first j scores has coefficients R[:, :j] C[:, :j]'. `values` are squared
    covariances of each score with what is left of the targets, for weights of length one.
    """

    R: np.ndarray
    C: np.ndarray
    values: np.ndarray


def partial_least_squares(
    scatter: Apply, xt: np.ndarray, n_components: int, metric: Apply | None = None
) -> Components:
    """Find directions one by one: the weights w with the largest covariance with the deflated T.

    They are what NIPALS finds on the rows (Dayal and MacGregor, J. Chemometrics 11, 1997), from r
    -> xx r and xt. `metric` is V -> M V if the inner product is v'M w. Fewer than asked for, with a
    warning, if nothing of T is left.
    """
    state = Deflated(xt, metric)
    # Rounding left in s's when all of T is explained: that of s twice, or that of M once.
    rounding = (max(xt.shape) * EPS) ** (2 if metric is None else 1)
    directions: list[np.ndarray] = []
    loadings: list[np.ndarray] = []
    targets: list[np.ndarray] = []
    values: list[float] = []
    while len(directions) < n_components:
        value, r = state.leading()
        if not value > (rounding * values[0] if values else 0.0):
            break
        for _ in directions[:2]:
            # Twice from the third on, so that any number of scores stays uncorrelated.
            r = r - np.array(directions).T @ (np.array(loadings) @ r)
        z = scatter(r)
        Mz = z if metric is None else metric(z)
        tau = float(r @ Mz)
        if not tau > 0:
            break
        c = (state.Mxt.T @ r) / tau
        directions.append(r)
        loadings.append(Mz / tau)
        targets.append(c)
        values.append(value)
        state.subtract(z, Mz, c)
    if len(directions) < n_components:
        warn_of_rank(n_components, len(directions))
    R, C = (
        np.reshape(found, (-1, side)).T
        for found, side in zip((directions, targets), xt.shape, strict=True)
    )
    return Components(R, C, np.array(values))


class Deflated:
    """S = Xc'T for the unexplained part of T, and the leading left singular vector of s."""

    def __init__(self, xt: np.ndarray, metric: Apply | None):
        self._metric = metric
        self.s = xt.copy()
        self.Mxt = xt if metric is None else metric(xt)
        self._Ms = self.s if metric is None else self.Mxt.copy()
        # The Gram matrix of the smaller side; coordinates with a metric have few targets.
        self._tall = metric is not None or xt.shape[0] >= xt.shape[1]
        self._renew()

    def leading(self) -> tuple[float, np.ndarray]:
        """The largest squared covariance with unit weights, and the weights (D,)."""
        last = len(self._gram) - 1
        values, vectors = linalg.eigh(
            self._gram, subset_by_index=(last, last), driver="evr", check_finite=False
        )
        value, vector = float(values[0]), vectors[:, 0]
        if not self._tall or not value > 0:
            return value, vector
        return value, self.s @ vector / np.sqrt(value)

    def subtract(self, z: np.ndarray, Mz: np.ndarray, c: np.ndarray) -> None:
        """Subtract z c' from s: the part of T that the score with xx r = z explains."""
        if self._tall:
            left, right, squares = c, self.s.T @ Mz, float(z @ Mz)
        else:
            left, right, squares = z, self.s @ c, float(c @ c)
        self._gram -= np.outer(left, right) + np.outer(right, left)
        self._gram += squares * np.outer(left, left)
        self.s -= np.outer(z, c)
        if self._metric is not None:
            self._Ms -= np.outer(Mz, c)
        if np.trace(self._gram) < ANEW * self._fresh:
            self._renew()

    def _renew(self) -> None:
        self._gram = self.s.T @ self._Ms if self._tall else self.s @ self.s.T
        self._fresh = float(np.trace(self._gram))


def warn_of_rank(asked: int, found: int) -> None:
    """Warn that nothing is left to explain."""
    warnings.warn(
        f"n_components={asked} is more than the {found} directions after which nothing of the "
        f"labels is left to explain; {found} are kept (see n_components_).",
        stacklevel=3,
    )
