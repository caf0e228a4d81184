"""Cutting planes: feature weights from masks of the most violated constraints (Algorithm 2).

The masks p^t enter only through omega = sum_t lambda_t p^t, so omega itself is optimised, over all
combinations of masks inside the union of those found so far. At fixed W the best omega is known in
closed form; W comes from sweeps over only the columns of the union.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from labelspan.ranking import (
    SHARE,
    Covariance,
    DualState,
    Fit,
    Pairs,
    as_rows,
    best_weights,
    fit_fixed_weights,
    joint_primal,
    relative_gap,
    solve_fixed,
    top_mask,
)
from labelspan.system import Watch

# With D learnt there is no bound over omega: stop when a step gains less than this share of tol.
STATIONARY = 0.1
# Largest weight at which the features of a new mask are tried.
MIXING = 0.3
# Below this weight a feature of the best mask is tried again, and any other is dropped.
DORMANT = 1e-3
# The search ends after this many consecutive proposals that do not lower the objective.
MAX_FAILURES = 6
# How often D is certified at fixed omega before omega is optimised again.
ROUNDS = 20


@dataclass(frozen=True)
class Selection:
    """Feature weights omega (D,) with sum m, their model and its certificates.

    `bounds` holds (l_t, u_t) = -(best primal, best dual) after each outer iteration; u_t is 0 where
    no better bound over omega exists (mu > 0), since no objective is negative.
    """

    fit: Fit
    weights: np.ndarray
    n_planes: int
    bounds: np.ndarray
    stationarity: float

    def spread(self, kept: np.ndarray, before: Selection) -> Selection:
        """Extend a selection among the features `kept` of an earlier one to all features."""
        fit, columns = self.fit, np.flatnonzero(kept)[self.fit.columns]
        W, n_sweeps = spread_rows(fit.W, kept), fit.n_sweeps + before.fit.n_sweeps
        return replace(
            self,
            fit=replace(fit, W=W, n_sweeps=n_sweeps, columns=columns),
            weights=spread_rows(np.append(self.weights, 0.0), kept)[:-1],
            n_planes=self.n_planes + before.n_planes,
        )


@dataclass
class Search:
    """The working set and the best point found so far."""

    X: Any
    dual: DualState
    mu: float
    n_kept: int
    support: np.ndarray
    covariance: Covariance
    weights: np.ndarray
    W: np.ndarray
    objective: float = np.inf
    # No objective is negative.
    bound: float = 0.0
    n_planes: int = 1
    mixing: float = MIXING
    failures: int = 0
    certificate: float = -np.inf
    stationarity: float = 0.0
    history: list[tuple[float, float]] = field(default_factory=list)

    @property
    def gap(self) -> float:
        """Relative gap over W and omega (mu = 0)."""
        return relative_gap(self.objective, self.bound) if self.objective < np.inf else 1.0


def select(
    X: Any,
    pairs: Pairs,
    n_labels: int,
    rng: np.random.Generator,
    watch: Watch,
    *,
    C: float,
    mu: float,
    n_kept: int,
    tol: float,
    max_sweeps: int,
    max_planes: int,
) -> Selection:
    """Minimise Eq. (18) over W, omega with sum `n_kept` and, for mu > 0, D.

    `tol` bounds the relative gap, and for mu > 0 the relative first-order gain; `max_sweeps` holds
    for the search, and again at its final omega.
    """
    everything = as_rows(X)
    search = begin(X, DualState(everything, pairs, C, X.shape[1], n_labels, rng, watch), mu, n_kept)
    for _ in range(ROUNDS):
        descend(search, everything, tol, max_sweeps, max_planes)
        if mu == 0 and n_kept < X.shape[1]:
            break
        certify(search, tol, search.dual.n_sweeps + max_sweeps)
        A = search.dual.product(everything, X.shape[1])
        if price(search, A) <= tol or search.dual.left(max_sweeps) <= 0:
            break
        advance(search, A, max_planes)
    weights = spread_rows(search.weights, search.support)[:-1]
    fit = Fit(
        search.W,
        search.covariance,
        search.objective,
        # A bound over omega for mu = 0, else at the last omega.
        search.bound if mu == 0 else search.certificate,
        tuple(-lower for lower, _ in search.history),
        search.dual.n_sweeps,
        np.flatnonzero(weights),
    )
    bounds = np.array(search.history)
    return Selection(fit, weights, search.n_planes, bounds, search.stationarity)


def descend(search: Search, everything: Any, tol: float, limit: int, max_planes: int) -> None:
    """Alternate W, omega and D until the gap (mu = 0) or the gain (mu > 0) is small."""
    n_features = len(search.support)
    search.failures = 0
    while search.n_kept < n_features:
        gained = step(search, limit, max(search.gap if search.mu == 0 else tol, tol))
        A = search.dual.product(everything, n_features)
        stationarity = price(search, A)
        done = search.dual.left(limit) <= 0 or search.failures > MAX_FAILURES
        # With D learnt, neither another mask nor another step may gain more.
        settled = stationarity <= tol and gained <= STATIONARY * tol
        done |= search.gap <= tol if search.mu == 0 else settled
        if done:
            break
        advance(search, A, max_planes)


def begin(X: Any, dual: DualState, mu: float, n_kept: int) -> Search:
    """First mask: the best one for W = 0, where every pair is at its bound."""
    n_features, n_labels = X.shape[1], dual.A.shape[1]
    covariance = Covariance.isotropic(n_labels)
    A = dual.product(dual.rows, n_features, np.repeat(dual.upper, dual.pairs.counts))[:-1]
    support = top_mask(np.einsum("jk,jk->j", A, A), n_kept)
    columns = as_rows(X[:, np.flatnonzero(support)])
    ones = np.ones(n_kept + 1)
    dual.set_weights(ones, columns, np.zeros((n_kept + 1, n_labels)))
    dual.set_coupling(covariance.coupling(mu) if mu > 0 else None)
    W = np.zeros((n_features + 1, n_labels))
    return Search(X, dual, mu, n_kept, support, covariance, ones, W)


def step(search: Search, max_sweeps: int, gap: float) -> float:
    """Solve for W at the proposed omega, then take the best omega and D; return the gain.

    A proposal that does not lower the objective is rejected; from the best omega it cannot rise.
    """
    dual = search.dual
    for attempt in range(2):
        values = solve_fixed(dual, SHARE * gap, max_sweeps, below=search.objective)
        # At this W the best omega is known, and W' diag(1 / omega) W with it.
        old, norms = dual.weights, dual.weights * np.sqrt(scores(dual, dual.B))
        weights = np.append(best_weights(norms[:-1], search.n_kept), 1.0)
        factor = np.divide(old**2, weights, out=np.zeros_like(old), where=weights > 0)
        square = dual.B.T @ (factor[:, None] * dual.B)
        square = dual.coupling @ square @ dual.coupling if dual.coupled else square
        objective = joint_primal(square, search.mu, values.loss)
        if objective < search.objective:
            break
        if attempt == 1 or dual.left(max_sweeps) <= 0:
            return 0.0
        search.mixing /= 4
        search.failures += 1
        dual.set_weights(search.weights)
    if attempt == 0:
        search.mixing, search.failures = min(2 * search.mixing, MIXING), 0
    gained = 1.0 - objective / search.objective if search.objective < np.inf else 1.0
    search.objective, search.weights = objective, weights
    search.W = spread_rows(dual.coefficients(), search.support)
    search.covariance = Covariance.minimiser(square)
    return gained


def scores(dual: DualState, A: np.ndarray) -> np.ndarray:
    """s_j = a_j' R^-1 a_j (Eq. 32 prints R for R^-1)."""
    B = A @ dual.coupling if dual.coupled else A
    return np.maximum(np.einsum("jk,jk->j", A, B), 0.0)


def price(search: Search, A: np.ndarray) -> float:
    """Update the bound over all masks; return the relative first-order gain of the best one."""
    s = scores(search.dual, A)
    best = float(s[:-1][top_mask(s[:-1], search.n_kept)].sum())
    if search.mu == 0:
        total = float(search.dual.alpha.sum())
        search.bound = max(search.bound, total - 0.5 * (best + float(s[-1])))
    search.history.append((-search.objective, -search.bound))
    current = float(search.dual.weights[:-1] @ s[:-1][search.support])
    gain = 0.5 * (best - current) / search.objective if search.objective > 0 else 0.0
    search.stationarity = max(gain, 0.0)
    return search.stationarity


def advance(search: Search, A: np.ndarray, max_planes: int) -> None:
    """Propose the next omega, with the most violated mask added to the working set.

    omega_j s_j is a longer multiplicative step than omega_j sqrt(s_j) to the same fixed point. The
    features of a mask start at weight 0 and enter only as far as the objective falls. After a
    failure the step is short and goes straight towards the mask, where the objective falls to first
    order.
    """
    dual = search.dual
    s = scores(dual, A)
    mask = top_mask(s[:-1], search.n_kept)
    grows = bool((mask & ~search.support).any()) and search.n_planes < max_planes
    best = spread_rows(search.weights, search.support)
    current = spread_rows(dual.weights, search.support)[:-1]
    norms = current * s[:-1]
    bold = best_weights(norms, search.n_kept) if search.failures == 0 else best[:-1].copy()
    if grows:
        search.support = search.support | mask
        search.n_planes += 1
    if search.failures == 0:
        bold[(bold < DORMANT) & ~mask] = 0.0
        enters = mask & search.support & (current < DORMANT)
        bold[enters] = np.maximum(bold[enters], search.mixing)
    else:
        bold = (1.0 - search.mixing) * bold + search.mixing * (mask & search.support)
    kept = np.append(search.support, True)
    search.weights = best[kept]
    proposal = np.append(best_weights(bold[search.support], search.n_kept), 1.0)
    if grows:
        columns = as_rows(search.X[:, np.flatnonzero(search.support)])
        dual.set_weights(proposal, columns, np.ascontiguousarray(A[kept]))
    else:
        dual.set_weights(proposal)
    if search.mu > 0:
        dual.set_coupling(search.covariance.coupling(search.mu))


def spread_rows(rows: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Rows of the support and of the bias, put among zero rows for the other features."""
    full = np.zeros((len(support) + 1, *rows.shape[1:]))
    full[np.append(support, True)] = rows
    return full


def certify(search: Search, tol: float, limit: int) -> None:
    """Solve the convex problem at the current omega; keep W and D if they are better."""
    dual = search.dual
    dual.set_weights(search.weights)
    last = fit_fixed_weights(dual, search.mu, tol, limit, search.covariance)
    search.certificate = last.dual
    if search.mu == 0:
        search.bound = max(last.dual, 0.0)
    if last.primal <= search.objective:
        search.W = spread_rows(last.W, search.support)
        search.objective, search.covariance = last.primal, last.covariance
