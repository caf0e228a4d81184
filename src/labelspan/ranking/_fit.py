"""LaRank and CLaRank at fixed feature weights, with the gap that certifies them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelspan.ranking._bounds import Covariance, coupled_energy
from labelspan.ranking._dual import DualState, Objectives
from labelspan.ranking._newton import newton
from labelspan.system import Watch

# Sweeps before the first evaluation of the objectives, and their growth afterwards.
FIRST_SWEEPS = 2
GROWTH = 0.3
# After the first number of sweeps, Newton steps take over if more than the second are needed. After
# that, the same data with other weights get fewer sweeps.
WARM_UP = 200
WARM_UP_AGAIN = 10
PATIENCE = 1000
# W is solved to this share of the gap that D (or omega) still leaves.
SHARE = 0.3
# The accelerated ascent replaces the alternation when the gap shrinks too slowly twice.
SLOW = 0.8


@dataclass(frozen=True)
class Fit:
    """A certified solution: D minimises at W (D + 1, q), whose last row is the bias.

    `dual` is a lower bound on the optimum; `objectives`, after each outer iteration, never rise;
    `columns` are those that the threshold function may use, None for all.
    """

    W: np.ndarray
    covariance: Covariance
    primal: float
    dual: float
    objectives: tuple[float, ...]
    n_sweeps: int = 0
    columns: np.ndarray | None = None

    @property
    def gap(self) -> float:
        """Relative duality gap."""
        return relative_gap(self.primal, self.dual)


def relative_gap(primal: float, dual: float) -> float:
    """(primal - dual) / primal, at least 0, because rounding may swap the two."""
    return max(primal - dual, 0.0) / primal if primal > 0 else 0.0


def warn_unconverged(
    gap: float, tol: float, n_sweeps: int, max_iter: int, watch: Watch | None = None
) -> None:
    """Warn by how much the tolerance was missed."""
    if gap > tol:
        ended = "" if watch is None else watch.ended()
        warnings.warn(
            f"Stopped{ended} after {n_sweeps} sweeps (max_iter={max_iter}) with a relative duality "
            f"gap of {gap:.2g}; tol is {tol:.2g}. Raise max_iter, max_time or tol, scale the "
            "features, lower C, or start from a smaller C with labelspan.ranking.ranking_path.",
            ConvergenceWarning,
            stacklevel=2,
        )


def fit_fixed_weights(
    dual: DualState, mu: float, tol: float, max_sweeps: int, start: Covariance | None = None
) -> Fit:
    """Solve Eq. (6) at fixed omega from the state of `dual`: LaRank for mu = 0, CLaRank for mu > 0.

    `start` is the first D, None for I / q. The relative gap exceeds `tol` only if ``dual.n_sweeps``
    has reached `max_sweeps`.
    """
    if mu > 0:
        fit = alternate(dual, mu, tol, max_sweeps, start or Covariance.isotropic(dual.A.shape[1]))
        fit = fit if fit.gap <= tol else polish(dual, mu, tol, max_sweeps, fit)
        return replace(fit, n_sweeps=dual.n_sweeps)
    dual.set_coupling(None)
    values = solve_fixed(dual, tol, max_sweeps)
    covariance = Covariance.minimiser(values.primal_gram)
    objectives = (values.primal,)
    W = dual.coefficients()
    return Fit(W, covariance, values.primal, values.dual, objectives, dual.n_sweeps)


def solve_fixed(dual: DualState, tol: float, max_sweeps: int, below: float = np.inf) -> Objectives:
    """Sweep until the relative gap at fixed D and omega is within `tol` and primal <= `below`.

    Ends when the dual shows that `below` cannot be reached, or after `max_sweeps` in total. Newton
    steps take over if, at the current rate, the sweeps left or `PATIENCE` would not suffice.
    """
    sweeps, seen = FIRST_SWEEPS, [(0, 1.0)]
    while True:
        left = dual.left(max_sweeps)
        dual.ascend(min(sweeps, left))
        values = dual.values()
        gap = relative_gap(values.primal, values.dual)
        dual.watch.tell(gap, dual.n_sweeps, "sweeps")
        if (gap <= tol and values.primal <= below) or values.dual >= below or left <= sweeps:
            return values
        dual.wake()
        seen.append((seen[-1][0] + sweeps, gap))
        # Within tol, but not yet below: double the number.
        goal = tol if gap > tol else SHARE * gap
        warm_up = WARM_UP_AGAIN if dual.crawled else WARM_UP
        if seen[-1][0] >= warm_up and to_go(seen, goal) > min(left - sweeps, PATIENCE):
            dual.crawled = True
            return newton(dual, tol, max_sweeps, below)
        sweeps += int(GROWTH * sweeps)


def to_go(seen: list[tuple[int, float]], tol: float) -> float:
    """How many more sweeps reach `tol` at the rate of the latter half of the past sweeps."""
    last, gap = seen[-1]
    middle, before = next(point for point in reversed(seen) if point[0] <= last / 2)
    if gap >= before:
        return np.inf
    return (last - middle) * float(np.log(max(gap / tol, 1.0)) / np.log(before / gap))


def joint_primal(square: np.ndarray, mu: float, loss: float) -> float:
    """Objective of Eq. (6) minimised over D, from W'W: tr(W D^-1 W') = (nuclear norm of W)^2."""
    norm = float(np.sqrt(np.maximum(np.linalg.eigvalsh(square), 0.0)).sum())
    return 0.5 * float(np.trace(square)) + 0.5 * mu * norm**2 + loss


def alternate(dual: DualState, mu: float, tol: float, max_sweeps: int, start: Covariance) -> Fit:
    """Minimise over W by sweeps and over D by Theorem 3.4, alternately.

    The bound minimises the dual over D. If the optimal D loses rank, alpha is free along the lost
    directions, and the bound stalls before `tol` is met.
    """
    covariance, objective, bound, gap = start, np.inf, -np.inf, 1.0
    objectives: list[float] = []
    slow = 0
    while True:
        dual.set_coupling(covariance.coupling(mu))
        values = solve_fixed(dual, SHARE * gap, max_sweeps, below=objective)
        square = dual.coupling @ values.primal_gram @ dual.coupling
        bound = max(bound, values.total - 0.5 * coupled_energy(values.gram, mu))
        reached = joint_primal(square, mu, values.loss)
        improved = reached < objective
        if improved:
            objective, W = reached, dual.coefficients()
            covariance = Covariance.minimiser(square)
        objectives.append(objective)
        before, gap = gap, relative_gap(objective, bound)
        slow = slow + 1 if gap > SLOW * before else 0
        if gap <= tol or not improved or slow == 2 or dual.left(max_sweeps) <= 0:
            return Fit(W, covariance, objective, bound, tuple(objectives))


def polish(dual: DualState, mu: float, tol: float, max_sweeps: int, fit: Fit) -> Fit:
    r"""Accelerated ascent of the dual minimised over D; closes the gap if D loses rank.

    .. math:: \phi(A) = \tfrac12 \max_D \mathrm{tr}(D (D + \mu I)^{-1} A' \Omega A)

    is the conjugate of a function with modulus 1, so that phi(B) + <W(B), A - B> + |A - B|^2 / 2
    lies above it: each step is LaRank in A - B (I - coupling(B)), two sweeps of it are enough to
    raise the dual, and B runs ahead of A as in Nesterov's method, restarted when the dual falls.
    """
    A = ahead = dual.A
    bound, momentum, last = fit.dual, 1.0, -np.inf
    objectives = list(fit.objectives)
    while relative_gap(fit.primal, bound) > tol and dual.left(max_sweeps) > 0:
        for _ in range(3):
            shift = ahead - ahead @ Covariance.waterfill(dual.gram(ahead), mu).coupling(mu)
            dual.A = dual.B = A - shift
            dual.set_coupling(None)
            dual.ascend(2)
            before, A = A, dual.A + shift
            gram = dual.gram(A)
            value = float(dual.alpha.sum()) - 0.5 * coupled_energy(gram, mu)
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            ahead = A + (momentum - 1.0) / following * (A - before) if value > last else A
            momentum = following if value > last else 1.0
            last, bound = value, max(bound, value)
        dual.set_coupling(Covariance.waterfill(gram, mu).coupling(mu))
        dual.A = dual.B = A
        square = dual.coupling @ gram @ dual.coupling
        primal = joint_primal(square, mu, dual.values().loss)
        if primal < fit.primal:
            covariance = Covariance.minimiser(square)
            fit = Fit(dual.coefficients(), covariance, primal, bound, ())
        objectives.append(fit.primal)
    return Fit(fit.W, fit.covariance, fit.primal, bound, tuple(objectives))
