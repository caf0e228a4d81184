"""Support vector machines in which some weights are free: the inner problem of ASO."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan._jit import kernel

# Duality gap of a label, as a share of the loss of the best constant score.
TOLERANCE = 2e-3
MAX_SWEEPS = 500


class HingeProblem:
    r"""min over u, b of (1/n) sum of hinge losses + alpha ||u - Theta'Theta u||^2, a label each.

    With u = w + Theta'v only w is charged. Divided by 2 alpha the dual is a box, 0 <= a <= C with
    C = 1 / (2 n alpha), plus one equality for each free weight, sum_i a_i s_i (Theta x_i, 1) = 0.
    The equalities are met in the limit by a proximal method: charge the *change* of the free
    weights, which leaves a box alone and a true duality gap, solve by coordinate descent, renew
    the centre. Each renewal lowers the objective.

    Parameters
    ----------
    X : csr_array of shape (n, D)
        Features.
    S : ndarray of shape (n, q)
        Labels in {-1, +1}.
    alpha : float
        Price, positive.
    seed : int
        Order of the coordinates.
    """

    def __init__(self, X: Any, S: np.ndarray, alpha: float, seed: int):
        self.X, self.S, self.alpha, self.seed = X, S, alpha, seed
        self.C = 1.0 / (2.0 * X.shape[0] * alpha)
        self.norms = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        self.dual = np.zeros(S.shape[::-1])
        # A label without both values is scored by its intercept alone from the start.
        constant = np.abs(S.sum(axis=0)) == len(S)
        self.b = np.where(constant, np.sign(S.sum(axis=0)), 0.0)
        self.U = np.zeros((X.shape[1], S.shape[1]))
        self.gap = 0.0

    def solve(self, Theta: np.ndarray, n_renewals: int = 5) -> tuple[np.ndarray, np.ndarray]:
        """Weights (D, q) and intercepts (q,) for Theta, from the last ones on: never worse.

        Every renewal of the centre lowers the objective; with many of them the weights are the
        best for Theta.
        """
        free = np.hstack([np.asarray(self.X @ Theta.T), np.ones((self.X.shape[0], 1))])
        centre = np.vstack([Theta @ self.U, self.b])
        self.gap = 0.0
        scale = free_scale(self.norms, free)
        for k in range(self.S.shape[1]):
            w = np.asarray(self.X.T @ (self.dual[k] * self.S[:, k]))
            v = centre[:, k].copy()
            gap = descend(
                self.X.indptr,
                self.X.indices,
                self.X.data,
                free * scale,
                self.S[:, k].copy(),
                self.norms,
                self.dual[k],
                w,
                v,
                scale,
                self.C,
                self.seed,
                TOLERANCE,
                MAX_SWEEPS,
                n_renewals,
            )
            self.gap = max(self.gap, gap)
            self.U[:, k] = w + Theta.T @ v[:-1]
            self.b[k] = v[-1]
        return self.U.copy(), self.b.copy()

    def objective(self, Theta: np.ndarray, U: np.ndarray, b: np.ndarray) -> float:
        """Eq. (28) with the best V, which is Theta U."""
        losses = np.maximum(0.0, 1.0 - self.S * (np.asarray(self.X @ U) + b))
        outside = U - Theta.T @ (Theta @ U)
        return float(losses.sum() / len(self.S) + self.alpha * np.sum(outside**2))


def free_scale(norms: np.ndarray, free: np.ndarray) -> float:
    """Weight of the free features in coordinate descent: well above that of the others.

    The larger, the fewer renewals of the multipliers, and the slower the sweeps.
    """
    return float(np.sqrt(4.0 * max(norms.mean(), 1e-12) / np.mean(np.sum(free**2, axis=1))))


@kernel
def descend(  # type: ignore[no-untyped-def]
    indptr,
    indices,
    data,
    free,
    s,
    norms,
    a,
    w,
    v,
    scale,
    C,
    seed,
    tolerance,
    max_sweeps,
    n_renewals,
):  # pragma: no cover
    """Dual coordinate descent for one label; returns its duality gap.

    The dual a and the weights w and v are updated in place.

    `free` holds the free features times `scale`; w = sum a s x; d = sum a s free is the change
    of the free weights about the centre v, in units of `scale`.
    """
    n, r = free.shape
    d = np.zeros(r)
    for i in range(n):
        for j in range(r):
            d[j] += a[i] * s[i] * free[i, j]
    q = np.empty(n)
    offset = np.empty(n)
    for i in range(n):
        q[i] = norms[i]
        for j in range(r):
            q[i] += free[i, j] * free[i, j]
    order = np.arange(n)
    state = np.uint64(seed + 1)
    n_positive = 0
    for i in range(n):
        n_positive += s[i] > 0
    # Hinge loss of the best constant score: twice the rarer side.
    loss = max(2.0 * C * min(n_positive, n - n_positive), 1e-12)
    share = np.inf
    for _ in range(n_renewals):
        for i in range(n):
            # Score by the centre alone; the free features carry the factor `scale` already.
            total = 0.0
            for j in range(r):
                total += v[j] * free[i, j]
            offset[i] = total / scale
        for sweep in range(1, max_sweeps + 1):
            for i in range(n - 1, 0, -1):
                state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                j = np.int64((state >> np.uint64(33)) % np.uint64(i + 1))
                order[i], order[j] = order[j], order[i]
            worst = 0.0
            for position in range(n):
                i = order[position]
                score = offset[i]
                for t in range(indptr[i], indptr[i + 1]):
                    score += w[indices[t]] * data[t]
                for j in range(r):
                    score += d[j] * free[i, j]
                gradient = s[i] * score - 1.0
                if a[i] <= 0.0 and gradient > 0.0:
                    continue
                if a[i] >= C and gradient < 0.0:
                    continue
                worst = max(worst, abs(gradient))
                new = min(max(a[i] - gradient / q[i], 0.0), C)
                step = (new - a[i]) * s[i]
                if step != 0.0:
                    a[i] = new
                    for t in range(indptr[i], indptr[i + 1]):
                        w[indices[t]] += step * data[t]
                    for j in range(r):
                        d[j] += step * free[i, j]
            # The gap costs as much as a sweep.
            if worst <= 1e-3 or sweep % 10 == 0:
                share = slackness(indptr, indices, data, free, s, a, w, v, d, scale, C) / loss
                if share <= tolerance:
                    break
        for j in range(r):
            v[j] += scale * d[j]
    return share


@kernel
def slackness(indptr, indices, data, free, s, a, w, v, d, scale, C):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Duality gap of the problem in which the change of the free weights is charged."""
    n, r = free.shape
    gap = 0.0
    for i in range(n):
        score = 0.0
        for t in range(indptr[i], indptr[i + 1]):
            score += w[indices[t]] * data[t]
        for j in range(r):
            score += (v[j] / scale + d[j]) * free[i, j]
        margin = 1.0 - s[i] * score
        gap += C * max(margin, 0.0) - a[i] * margin
    return gap
