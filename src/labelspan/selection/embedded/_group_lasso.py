"""The multi-task lasso on sums of products: block coordinate descent, with a certified gap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

# Descents between two extrapolations, and smallest working set.
DEPTH, FEWEST = 5, 10
# The working set is solved to this share of the gap that is allowed.
INNER = 0.3
# Looks at the objective without a decrease after which rounding has ended the progress.
STUCK = 10


@dataclass(frozen=True)
class Problem:
    """min_W 1/2 |Y - X W|^2 + gamma sum_j |w_j| for centred X (n, D), Y (n, q).

    It knows `xt` (D, q), the trace `tt`, and xx as an array or an operator; W stands for the rows
    that are not zero.
    """

    xt: np.ndarray
    tt: float
    statistics: Any

    @classmethod
    def of(cls, statistics: Any) -> Problem:
        """The problem of moments, or of centred sparse rows."""
        operator = getattr(statistics, "operator", None)
        xt = statistics.xt if operator is None else operator.rmatmat(statistics.T)
        return cls(xt, float(np.trace(statistics.tt)), statistics)

    @cached_property
    def squares(self) -> np.ndarray:
        """Diagonal of xx, (D,)."""
        return self.statistics.squares

    @cached_property
    def largest(self) -> float:
        """The smallest gamma whose solution is zero."""
        return float(lengths(self.xt).max(initial=0.0))

    def columns(self, kept: np.ndarray) -> np.ndarray:
        """Columns of xx, (D, k)."""
        operator = getattr(self.statistics, "operator", None)
        if operator is None:
            return self.statistics.xx[:, kept]
        unit = np.zeros((len(self.xt), len(kept)))
        unit[kept, np.arange(len(kept))] = 1.0
        return operator.rmatmat(operator.matmat(unit))

    def bounds(self, W: np.ndarray, xtW: float, R: np.ndarray, gamma: float) -> Bounds:
        """Objectives of W, for the products R = X'(Y - X W) of all rows or of a working set."""
        length = max(self.tt - 2 * xtW + self._fitted(xtW, W, R), 0.0)
        primal = length / 2 + gamma * lengths(W).sum()
        # The dual point is the residual, scaled into the feasible set.
        largest = float(lengths(R).max(initial=0.0))
        along = self.tt - xtW
        limit = gamma / largest if largest > 0 else np.inf
        scale = min(along / length, limit) if length > 0 else 1.0
        return Bounds(primal, scale * along - scale**2 * length / 2, scale)

    def _fitted(self, xtW: float, W: np.ndarray, R: np.ndarray) -> float:
        """|X W|^2 = <W, xt - R>."""
        return xtW - float(np.vdot(W, R[: len(W)]))


@dataclass(frozen=True)
class Bounds:
    """Objectives of a point and of its dual point, which is the residual times `scale`."""

    primal: float
    dual: float
    scale: float

    @property
    def gap(self) -> float:
        """Relative to the primal objective."""
        return (self.primal - self.dual) / self.primal if self.primal > 0 else 0.0


@dataclass(frozen=True)
class Solution:
    """Rows `W` (k, q) of the features `kept` (k,), its bounds and the number of descents."""

    kept: np.ndarray
    W: np.ndarray
    bounds: Bounds
    n_iter: int

    def norms(self, n_features: int) -> np.ndarray:
        """Lengths of all rows, (D,)."""
        found = np.zeros(n_features)
        found[self.kept] = lengths(self.W)
        return found


def solve(
    problem: Problem, gamma: float, start: Solution | None, tol: float, max_iter: int
) -> Solution:
    """Descend on growing working sets until the gap of all features is at most `tol`."""
    xt, q = problem.xt, problem.xt.shape[1]
    kept, W = np.zeros(0, dtype=np.int64), np.zeros((0, q))
    if start is not None:
        kept, W = start.kept, start.W
    n_iter, xx = 0, problem.columns(kept)
    progress = Progress()
    while True:
        R = xt - xx @ W
        # The rows of the support come first, as `bounds` expects.
        order = np.concatenate([kept, np.setdiff1d(np.arange(len(xt)), kept)])
        found = problem.bounds(W, float(np.vdot(W, xt[kept])), R[order], gamma)
        if found.gap <= tol or n_iter >= max_iter or progress.ended(found.primal):
            return Solution(kept, W, found, n_iter)
        size = lengths(R)
        radius = np.sqrt(2 * max(found.primal - found.dual, 0.0))
        # Features that the sphere about the dual point excludes are zero in the solution.
        alive = (found.scale * size + np.sqrt(problem.squares) * radius >= gamma) & (
            problem.squares > 0
        )
        alive[kept] = False
        others = np.flatnonzero(alive)
        room = max(2 * len(kept), FEWEST) - len(kept)
        others = np.sort(others[np.argsort(-size[others], kind="stable")[:room]])
        working = np.concatenate([kept, others])
        xx = np.hstack([xx, problem.columns(others)])
        W = np.vstack([W, np.zeros((len(others), q))])
        W, n = descend(problem, xx[working], xt[working], W, gamma, INNER * tol, max_iter - n_iter)
        n_iter += n
        inside = lengths(W) > 0
        kept, W, xx = working[inside], W[inside], xx[:, inside]


def descend(
    problem: Problem,
    xx: np.ndarray,
    xt: np.ndarray,
    W: np.ndarray,
    gamma: float,
    tol: float,
    max_iter: int,
) -> tuple[np.ndarray, int]:
    """Block coordinate descent within a working set, extrapolated; and the number of sweeps."""
    squares = np.diag(xx).copy()
    history, progress = [W.copy()], Progress()
    for n_iter in range(1, max_iter + 1):
        for j in range(len(W)):
            u = xt[j] - xx[j] @ W + squares[j] * W[j]
            size = np.sqrt(u @ u)
            W[j] = u * ((1 - gamma / size) / squares[j]) if size > gamma else 0.0
        history.append(W.copy())
        if len(history) <= DEPTH:
            continue
        R = xt - xx @ W
        here = problem.bounds(W, float(np.vdot(W, xt)), R, gamma)
        if here.gap <= tol or progress.ended(here.primal):
            return W, n_iter
        better = extrapolated(history)
        if better is not None:
            there = problem.bounds(better, float(np.vdot(better, xt)), xt - xx @ better, gamma)
            W = better if there.primal < here.primal else W
        history = [W.copy()]
    return W, max_iter


@dataclass
class Progress:
    """Whether an objective still decreases, rounding apart."""

    lowest: float = np.inf
    n_stuck: int = 0

    def ended(self, primal: float) -> bool:
        """Whether the last looks brought no decrease."""
        self.n_stuck = 0 if primal < self.lowest * (1 - 1e-15) else self.n_stuck + 1
        self.lowest = min(self.lowest, primal)
        return self.n_stuck >= STUCK


def extrapolated(history: list[np.ndarray]) -> np.ndarray | None:
    """Anderson's combination of iterates with the smallest combined step."""
    points = np.stack([W.ravel() for W in history])
    steps = np.diff(points, axis=0)
    gram = steps @ steps.T
    try:
        weights = np.linalg.solve(gram, np.ones(len(gram)))
    except np.linalg.LinAlgError:
        return None
    total = weights.sum()
    if not np.isfinite(total) or total == 0:
        return None
    return ((weights / total) @ points[1:]).reshape(history[0].shape)


def lengths(A: np.ndarray) -> np.ndarray:
    """Lengths of the rows."""
    return np.sqrt(np.einsum("ij,ij->i", A, A))
