"""Blocks that MIFS and MDFS share: latent labels V that are smooth along a graph of the rows."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labelspan.arrays import squared_lengths
from labelspan.compat import Interval
from labelspan.extraction import neighbour_graph
from labelspan.gate import unweighted
from labelspan.linalg import column_steps
from labelspan.moments import Sample
from labelspan.selection._scores import FeatureScore
from labelspan.selection.embedded._group_lasso import lengths
from labelspan.selection.embedded._rows import (
    ROW_LEARNT,
    Regression,
    as_they_are,
    by_weights,
    needs_rows,
)

# Each block is solved to this share of the change at which the turns end.
INNER = 0.1
MOST_STEPS = 1000


class LatentSelector(FeatureScore):
    """Alternates between W, given latent labels, and the latent labels, given W."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }
    _size: ClassVar[str] = "n_features"
    _needs_rows = needs_rows
    _summarise = as_they_are
    _score = by_weights
    _learnt: ClassVar[tuple[str, ...]] = (*ROW_LEARNT, "latent_")
    fit = unweighted(FeatureScore.fit)
    alpha: float
    beta: float
    gamma: float
    n_neighbors: int
    tol: float
    max_iter: int

    @abstractmethod
    def _start(self, Y: np.ndarray) -> np.ndarray:
        """The first latent labels (n, k)."""

    @abstractmethod
    def _weight(self) -> float:
        """Weight of the squared residuals |Xc W - Vc|^2."""

    @abstractmethod
    def _latent(self, fitted: np.ndarray, Y: np.ndarray, graph: Graph) -> np.ndarray:
        """The best latent labels given Xc W."""

    @abstractmethod
    def _rest(self, V: np.ndarray, Y: np.ndarray, graph: Graph) -> float:
        """The part of the objective that does not depend on W."""

    def _solve(self, sample: Sample) -> np.ndarray:
        Y, graph = sample.Y, Graph(sample.X, self.n_neighbors)
        regression, V = Regression(sample), self._start(sample.Y)
        inner = INNER * min(self.tol, 1e-2)
        objectives: list[float] = []
        change = np.inf
        while len(objectives) < self.max_iter and change > self.tol:
            W = regression.fit(V, self.gamma / self._weight(), inner)
            fitted = regression.fitted(W)
            V = self._latent(fitted, Y, graph)
            residual = fitted - (V - V.mean(axis=0))
            objectives.append(
                self._weight() * float((residual**2).sum())
                + self._rest(V, Y, graph)
                + self.gamma * float(lengths(W).sum())
            )
            if len(objectives) > 1:
                change = 1.0 - objectives[-1] / objectives[-2] if objectives[-2] > 0 else 0.0
        self.latent_, self.objectives_ = V, np.array(objectives)
        self.n_iter_ = len(objectives)
        if regression.gap > inner:
            warnings.warn(
                f"W has a relative gap of {regression.gap:.2g} given the latent labels, above "
                f"{inner:.2g}. Columns in very different units cause this; scale them first.",
                ConvergenceWarning,
                stacklevel=2,
            )
        if change > self.tol:
            warnings.warn(
                f"Stopped after max_iter={self.max_iter} turns; the last lowered the objective "
                f"by {change:.2g} of it, above tol={self.tol:.2g}. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return W


class Graph:
    """Laplacian of the nearest neighbours of the rows, with heat-kernel weights.

    The weight of a pair is exp(-d^2 / t) with t the mean of d^2 over the pairs.
    """

    def __init__(self, X: Any, n_neighbors: int):
        joined = neighbour_graph(X, n_neighbors).tocoo()
        rows, columns = joined.coords
        squares = squared_distances(X, rows, columns)
        width = float(squares.mean()) if len(squares) else 1.0
        heat = np.exp(-squares / width) if width > 0 else np.ones(len(squares))
        shape = joined.shape
        weights = sparse.coo_array((heat, (rows, columns)), shape=shape).tocsr()
        self.degrees = np.asarray(weights.sum(axis=1)).ravel()
        self.laplacian = (sparse.diags_array(self.degrees) - weights).tocsr()

    def roughness(self, V: np.ndarray) -> float:
        """tr(V' L V)."""
        return float(np.vdot(V, self.laplacian @ V))

    def solve(self, shifts: np.ndarray, weight: float, B: np.ndarray) -> np.ndarray:
        """V with (shifts_k I + weight L) v_k = b_k, by conjugate gradients side by side."""

        def apply(V: np.ndarray, columns: np.ndarray) -> np.ndarray:
            return shifts[columns] * V + weight * (self.laplacian @ V)

        scale = 1.0 / (shifts.min() + weight * self.degrees)[:, None]
        steps = column_steps(
            apply,
            lambda R: scale * R,
            B,
            1e-12,
            MOST_STEPS,
            energy=np.zeros(len(shifts)),
            by_residual=True,
        )
        return steps[0]


def squared_distances(X: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Squared distances of pairs of rows, from their differences, in blocks."""
    found = np.empty(len(rows))
    for start in range(0, len(rows), 4096):
        part = slice(start, start + 4096)
        found[part] = squared_lengths(X[rows[part]] - X[columns[part]])
    return found


def solve_centred(
    graph: Graph, shifts: np.ndarray, centred: float, weight: float, B: np.ndarray
) -> np.ndarray:
    """V with (shifts_k I + centred H + weight L) v_k = b_k, H the centring of the rows.

    L leaves constants at zero, so their part and the centred part are two systems.
    """
    mean = B.mean(axis=0)
    # Where a constant costs nothing its right-hand side is zero as well.
    level = np.divide(mean, shifts, out=np.zeros_like(mean), where=shifts > 0)
    return graph.solve(shifts + centred, weight, B - mean) + level
