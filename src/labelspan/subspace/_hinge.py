"""SVMs whose scores start from given ones: the inner problem of ASO."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import dense
from labelspan.jit import kernel, read_only
from labelspan.subspace._coordinates import LARGEST_GRAM

# Violation of the optimality conditions, as a share of the largest score that weights can give.
TOLERANCE = 1e-3
MAX_STEPS = 200
# With rows one by one, proximal steps find the intercept; each takes at most this many sweeps.
MAX_RENEWALS = 50
MAX_SWEEPS = 200


class HingeProblem:
    r"""One SVM per label: min over w, b of a sum of C_i times hinge losses + ||w||^2 / 2.

    Scores are w'x + b + offset. Eq. (28) for fixed Theta and V, divided by 2 alpha, is of this
    form: C_i is 1 / (2 n alpha), or C times the weight of the row, the offsets are (Theta'v)'x.
    The dual is

    .. math:: \max_a \sum_i a_i (1 - s_i o_i) - \tfrac12 \|\sum_i a_i s_i x_i\|^2
              \quad \text{subject to} \quad 0 \le a_i \le C_i, \; \sum_i a_i s_i = 0.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, D)
        Features; up to `LARGEST_GRAM` rows their Gram matrix is formed.
    S : ndarray of shape (n, q)
        Labels in {-1, +1}.
    C : float
        Weight of the losses, positive.
    seed : int
        Order of the coordinates, if rows are processed one by one.
    weights : ndarray of shape (n,) or None
        Weights of the rows.

    Attributes
    ----------
    dual : ndarray of shape (q, n)
        The dual variables a, from which the next call starts.
    gap : float
        Largest duality gap of the last call, as a share of the loss of a constant score.
    """

    def __init__(
        self,
        X: Any,
        S: np.ndarray,
        C: float,
        seed: int = 0,
        weights: np.ndarray | None = None,
    ):
        self.S = S
        self.weights = np.ones(len(S)) if weights is None else weights
        self.rows: GramRows | SparseRows
        if len(S) <= LARGEST_GRAM:
            self.rows = GramRows(dense(X))
        else:
            self.rows = SparseRows(sparse.csr_array(X, dtype=np.float64), seed)
        self.X = self.rows.X
        self.dual = np.zeros(S.shape[::-1])
        # Start from the best constant score, which is the more frequent sign.
        self.b = np.where(self.weights @ S >= 0, 1.0, -1.0)
        self.gap = 0.0
        self.raise_price(C)

    def raise_price(self, C: float) -> None:
        """Continue with a larger C; the dual variables stay feasible."""
        w = self.weights
        n_rarer = np.minimum(w @ (self.S > 0), w @ (self.S < 0))
        self.C, self.prices = C, C * w
        self.loss = np.maximum(2.0 * C * n_rarer, 1e-300)
        # sum(a) <= loss, so no score is larger than this (rows of a common length).
        self.largest = self.loss * max(float(self.rows.norms.mean()), 1e-300)

    def solve(self, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights (D, q) and intercepts (q,) for offsets (n, q), starting from the last dual."""
        W, self.gap = np.zeros((self.X.shape[1], self.S.shape[1])), 0.0
        for k, (s, a) in enumerate(zip(self.S.T.copy(), self.dual, strict=True)):
            if abs(s.sum()) == len(s):
                continue
            tolerance = TOLERANCE * min(1.0, self.largest[k])
            self.b[k] = self.rows.descend(s, a, offsets[:, k], self.b[k], self.prices, tolerance)
            W[:, k] = self.X.T @ (a * s)
            self._certify(k, W[:, k], offsets[:, k])
        return W, self.b.copy()

    def _certify(self, k: int, w: np.ndarray, offset: np.ndarray) -> None:
        s, a = self.S[:, k], self.dual[k]
        slack = 1.0 - s * (np.asarray(self.X @ w) + offset + self.b[k])
        # Primal minus dual; the last term is the violation of the equality times its multiplier.
        gap = self.prices @ np.maximum(slack, 0.0) - a @ slack + abs(self.b[k] * (a @ s))
        self.gap = max(self.gap, float(gap / self.loss[k]))


class GramRows:
    """Products of all pairs of rows, so that the scores of all rows are always known."""

    def __init__(self, X: np.ndarray):
        self.X = np.asarray(X, dtype=np.float64)
        self.K = self.X @ self.X.T
        self.norms = np.diag(self.K)

    def descend(
        self,
        s: np.ndarray,
        a: np.ndarray,
        offset: np.ndarray,
        b: float,
        C: np.ndarray,
        tolerance: float,
    ) -> float:
        """Improve the dual a in place by pairs; return the intercept."""
        scores = offset + self.K @ (a * s)
        return float(descend_pairs(self.K, s, a, scores, C, tolerance, MAX_STEPS * len(s)))


class SparseRows:
    """Rows one after the other, for many of them.

    Only box constraints: the *change* of the intercept is penalised until it no longer moves.
    """

    def __init__(self, X: Any, seed: int):
        self.X, self.seed = X, seed
        self.arrays = (
            read_only(X.indptr, np.int64),
            read_only(X.indices, np.int32),
            read_only(X.data, np.float64),
        )
        self.norms = np.asarray(X.multiply(X).sum(axis=1)).ravel()

    def descend(
        self,
        s: np.ndarray,
        a: np.ndarray,
        offset: np.ndarray,
        b: float,
        C: np.ndarray,
        tolerance: float,
    ) -> float:
        """Improve the dual a in place by sweeps over the rows; return the intercept."""
        w = np.asarray(self.X.T @ (a * s))
        price = 4.0 * max(float(self.norms.mean()), 1e-300)
        order = np.empty(len(s), dtype=np.int64)
        for _ in range(MAX_RENEWALS):
            total = float(a @ s)
            centre = offset + b
            total = descend_rows(
                *self.arrays, self.norms, s, a, w, total, centre, price, C, self.seed,
                tolerance, MAX_SWEEPS, order,
            )  # fmt: skip
            b += price * total
            if abs(price * total) <= tolerance:
                break
        return b


@kernel
def descend_pairs(K, s, a, scores, C, tolerance, max_steps):  # type: ignore[no-untyped-def]
    """Sequential minimal optimisation (second-order pairs); returns the intercept.

    The dual a and the scores without intercept are updated in place; sum(a s) is unchanged.
    """
    n = len(s)
    for _ in range(max_steps):
        first, highest, lowest = -1, -np.inf, np.inf
        for i in range(n):
            rest = s[i] - scores[i]
            if ((s[i] > 0 and a[i] < C[i]) or (s[i] < 0 and a[i] > 0.0)) and rest > highest:
                first, highest = i, rest
            if (s[i] > 0 and a[i] > 0.0) or (s[i] < 0 and a[i] < C[i]):
                lowest = min(lowest, rest)
        if highest - lowest <= tolerance:
            break
        second, best = -1, 0.0
        for j in range(n):
            if (s[j] > 0 and a[j] > 0.0) or (s[j] < 0 and a[j] < C[j]):
                violation = highest - (s[j] - scores[j])
                if violation > 0.0:
                    curvature = max(K[first, first] + K[j, j] - 2.0 * K[first, j], 1e-12)
                    if violation * violation / curvature > best:
                        second, best = j, violation * violation / curvature
        curvature = max(K[first, first] + K[second, second] - 2.0 * K[first, second], 1e-12)
        step = (highest - (s[second] - scores[second])) / curvature
        step = min(step, C[first] - a[first] if s[first] > 0 else a[first])
        step = min(step, a[second] if s[second] > 0 else C[second] - a[second])
        a[first] = min(max(a[first] + step * s[first], 0.0), C[first])
        a[second] = min(max(a[second] - step * s[second], 0.0), C[second])
        for j in range(n):
            scores[j] += step * (K[first, j] - K[second, j])
    return 0.5 * (highest + lowest)


@kernel
def descend_rows(  # type: ignore[no-untyped-def]
    indptr,
    indices,
    data,
    norms,
    s,
    a,
    w,
    total,
    offset,
    price,
    C,
    seed,
    tolerance,
    max_sweeps,
    order,
):
    """Dual coordinate descent for one label, a and w = X'(a s) in place; returns total = sum(a s).

    The intercept moves by price * total from its centre, which `offset` contains.
    """
    n = len(s)
    for i in range(n):
        order[i] = i
    state = np.uint64(seed + 1)
    for _ in range(max_sweeps):
        for i in range(n - 1, 0, -1):
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            j = np.int64((state >> np.uint64(33)) % np.uint64(i + 1))
            order[i], order[j] = order[j], order[i]
        worst = 0.0
        for i in order:
            score = offset[i] + price * total
            for t in range(indptr[i], indptr[i + 1]):
                score += w[indices[t]] * data[t]
            rest = 1.0 - s[i] * score
            if (a[i] <= 0.0 and rest < 0.0) or (a[i] >= C[i] and rest > 0.0):
                continue
            worst = max(worst, abs(rest))
            new = min(max(a[i] + rest / (norms[i] + price), 0.0), C[i])
            step = (new - a[i]) * s[i]
            if step != 0.0:
                a[i] = new
                total += step
                for t in range(indptr[i], indptr[i + 1]):
                    w[indices[t]] += step * data[t]
        if worst <= tolerance:
            break
    return total
