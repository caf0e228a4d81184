"""Ridge regressions of labels with missing entries, each over its own rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelspan.arrays import SAFE_PIVOT, regular_factor, values_of, with_columns_divided
from labelspan.linalg._auto_ridge import AUTO
from labelspan.linalg._ridge import regress
from labelspan.linalg._route import Route, route_of
from labelspan.linalg.masked._cg import Operator, conjugate_gradients, rough_solve
from labelspan.moments import (
    Available,
    Moments,
    Sample,
    anchored,
    centred,
    summarise,
    warn_of_lost_digits,
)

# Typical number of conjugate-gradient steps with the factor of all rows; and if a label has few
# more rows than features, or fewer, so that mainly the ridge bounds its system.
USUAL_STEPS, MANY_STEPS = 40, 200


@dataclass(frozen=True)
class MaskedRegression:
    """Coefficients (D, q), predictions `level` at `x_mean`, and the largest residual, relative."""

    coef: np.ndarray
    x_mean: np.ndarray
    level: np.ndarray
    residual: float
    solver: str
    ridge: float


def regress_masked(
    X: Any,
    T: np.ndarray,
    ridge: Any,
    *,
    weights: np.ndarray | None = None,
    signed: bool = False,
    advice: str = "Select features first.",
) -> MaskedRegression:
    """Minimise sum_{i: M_ik = 1} w_i (x_i'b_k + c_k - t_ik)^2 + ridge ||b_k||^2 for each label k.

    Labels missing in the same rows form one ordinary regression. If there are many patterns, the
    factor of all rows preconditions conjugate gradients on the systems of all labels; the smaller
    operation count decides. :data:`AUTO` chooses the ridge from available cases of the rows that
    have a label, times the share of these that the mean label has.
    """
    if ridge == AUTO:
        some = np.flatnonzero(~np.isnan(T).all(axis=1))
        w = np.ones(len(some)) if weights is None else weights[some]
        found = regress(
            X[some], T[some], AUTO, weights=None if weights is None else w, advice=advice
        )
        ridge = found.ridges[0] * float(np.mean(w @ ~np.isnan(T[some])) / w.sum())
    route = route_of(X, T, weights, advice=advice, ridge_free=ridge == 0)
    groups = patterns(T)
    direct = ridge == 0 or direct_is_cheaper(route.sample, len(groups))
    system = MaskedSystem.of(route, ridge, scatter=not (direct or route.solver == "krylov"))
    solution = by_pattern(route.sample, groups, system) if direct else system.solve()
    if solution is None:
        # The ridge is near the rounding of a singular scatter matrix, so ranks must be cut.
        solution = by_pattern(route.sample, groups, system)
    level = system.t_mean - np.vecdot(system.centres.T, solution.T)
    coef, level = (2 * solution, 2 * level - 1) if signed else (solution, level)
    mean, residual = route.mean(system.moments.x_mean), system.residual(solution)
    return MaskedRegression(route.lift(coef), mean, level, residual, route.solver, ridge)


def patterns(T: np.ndarray) -> list[np.ndarray]:
    """Groups of labels that are observed in the same rows, as lists of label indices."""
    groups: dict[bytes, list[int]] = {}
    packed = np.packbits(np.isnan(T), axis=0).T
    for k, column in enumerate(np.ascontiguousarray(packed)):
        groups.setdefault(column.tobytes(), []).append(k)
    return [np.array(group) for group in groups.values()]


def direct_is_cheaper(sample: Sample, n_patterns: int) -> bool:
    """Whether a scatter and a factor per pattern take fewer operations than the steps."""
    X, seen = sample.X, ~np.isnan(sample.Y)
    (n_rows, n_features), n_labels = X.shape, seen.shape[1]
    side, entries = min(n_rows, n_features), values_of(X).size
    few = seen.sum(axis=0).min() < 1.5 * side
    steps = MANY_STEPS if few else USUAL_STEPS
    scatter = entries * max(entries / n_rows, 1.0)
    return n_patterns * (scatter + side**3 / 3) <= steps * n_labels * (2 * entries + side**2)


def by_pattern(sample: Sample, groups: list[np.ndarray], system: MaskedSystem) -> np.ndarray:
    """One ordinary regression per group of labels; constant labels get zero coefficients."""
    solution = np.zeros_like(system.right)
    for group in groups:
        group = group[system.right[:, group].any(axis=0)]
        if len(group) == 0:
            continue
        rows = np.flatnonzero(~np.isnan(sample.Y[:, group[0]]))
        weights = None if sample.weights is None else sample.weights[rows]
        labels = sample.Y[np.ix_(rows, group)]
        found = regress(sample.X[rows], labels, system.ridge, weights=weights)
        solution[:, group] = found.coefficients()
    return solution


@dataclass(frozen=True)
class MaskedSystem:
    """The normal equations (X_k' diag(w_k) X_k + ridge I) b_k = X_k' diag(w_k) t_k of all labels.

    X_k and t_k are the rows where label k is observed, about their means; `centres` (p, q) are
    these means minus that of all rows, W (n, q) the weights, 0 where a label is not observed.
    """

    X: Any
    W: np.ndarray
    weight: np.ndarray
    right: np.ndarray
    centres: np.ndarray
    t_mean: np.ndarray
    ridge: float
    moments: Available
    complete: Moments

    @classmethod
    def of(cls, route: Route, ridge: float, *, scatter: bool) -> MaskedSystem:
        """One pass over the rows."""
        sample = route.sample
        solver = "scatter" if scatter else "thin"
        moments = summarise(replace(sample, solver=solver, part=True))
        assert isinstance(moments, Available)
        complete = moments.complete()
        warn_of_lost_digits(moments.x_mean, moments.squares, moments.weight)
        share = moments.observed
        seen = ~np.isnan(sample.Y)
        W = seen.astype(np.float64) if sample.weights is None else seen * sample.weights[:, None]
        of_rows = moments.xt[:, len(share) :]
        weight = np.where(share > 0, share, 1.0) * moments.weight
        w = np.ones(len(seen)) if sample.weights is None else sample.weights
        X, _ = centred(anchored(sample.X)[0], w)
        right, centres = complete.xt * share, of_rows / weight
        return cls(X, W, weight, right, centres, complete.t_mean, ridge, moments, complete)

    def apply(self, V: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """A_k v_k of some labels, (p, m)."""
        AV: np.ndarray = self.X.T @ self.weigh(self.X @ V, labels)
        AV += self.ridge * V
        return AV

    def weigh(self, Q: np.ndarray, labels: np.ndarray | None = None) -> np.ndarray:
        """Scores (n, m) of labels, centred over the rows of each, times W, in place; sums of 0."""
        W, weight = self.W, self.weight
        if labels is not None and len(labels) < len(weight):
            W, weight = W[:, labels], weight[labels]
        Q -= np.einsum("ij,ij->j", W, Q) / weight
        Q *= W
        return Q

    def rough(self) -> Operator:
        """The same in single precision, in half the time; columns of X have unit length."""
        scales = np.sqrt(self.moments.squares + self.ridge)
        given = with_columns_divided(self.X, scales), self.W, self.weight
        X, W, weight = (A.astype(np.float32) for A in given)
        single, scales = replace(self, X=X, W=W, weight=weight, ridge=0.0), scales[:, None]

        def apply(V: np.ndarray, labels: np.ndarray) -> np.ndarray:
            V_unit = V * scales
            sizes = np.abs(V_unit).max(axis=0)
            AV = single.apply((V_unit / sizes).astype(np.float32), labels)
            return AV * (sizes * scales) + self.ridge * V

        return apply

    def solve(self) -> np.ndarray | None:
        """Coefficients (p, q); None if the systems may be singular."""
        fewest = np.count_nonzero(self.W, axis=0).min()
        if fewest <= len(self.right) and self.ridge < SAFE_PIVOT * self.moments.squares.max():
            return None
        if self.moments.xx is None:
            scales = (self.moments.squares + self.ridge)[:, None]
            return conjugate_gradients(
                self.apply, lambda R: R / scales, self.right, rough=self.rough()
            )
        L = regular_factor(self.moments.xx, 1.0, self.ridge)
        if L is None:
            return None
        return conjugate_gradients(self.apply, rough_solve(L), self.right, rough=self.rough())

    def residual(self, solution: np.ndarray) -> float:
        """Largest residual of a label relative to its right-hand side."""
        sizes = np.linalg.norm(self.right, axis=0)
        left = self.apply(solution, np.arange(solution.shape[1])) - self.right
        return float(np.max(np.linalg.norm(left, axis=0) / np.where(sizes > 0, sizes, 1.0)))
