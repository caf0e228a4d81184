"""SVMs whose scores start from given ones: the inner problem of ASO."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.arrays import cast, dense, floating
from labelspan.jit import kernel
from labelspan.ranking import as_rows, weighted_squares
from labelspan.subspace._coordinates import LARGEST_GRAM
from labelspan.system import Watch

# Violation of the optimality conditions, as a share of the largest score that weights can give; row
# by row, GAP times this is the duality gap, as a share of the loss of a constant score.
TOLERANCE = 1e-3
GAP = 0.1
MAX_STEPS = 200
# Row by row: largest number of sweeps, and how much a sum(a s) of one moves the intercept, in mean
# squared lengths of a row. Sweeps need the fewest where the intercept moves as easily as weights.
MAX_SWEEPS = 400
INTERCEPT_PRICE = 0.1
# Sweeps before the first certificate, and their growth afterwards.
FIRST_SWEEPS = 2
GROWTH = 0.5


class HingeProblem:
    r"""One SVM per label: min over w, b of a sum of C_i times hinge losses + ||w||^2 / 2.

    Scores are w'x + b + offset. Eq. (28) for fixed Theta and V, divided by 2 alpha, is of this
    form: C_i is 1 / (2 n alpha), or C times the weight of the row, the offsets are (Theta'v)'x.
    The dual is

    .. math:: \max_a \sum_i a_i (1 - s_i o_i) - \tfrac12 \|\sum_i a_i s_i x_i\|^2
              \quad \text{subject to} \quad 0 \le a_i \le C_i, \; \sum_i a_i s_i = 0.

    The labels S (n, q) are -1 or 1. Up to `LARGEST_GRAM` rows X the Gram matrix is formed. The next
    call starts from `dual` (q, n); `gap` is the largest duality gap of the last one, as a share of
    the loss of a constant score.
    """

    def __init__(
        self,
        X: Any,
        S: np.ndarray,
        C: float,
        seed: int = 0,
        weights: np.ndarray | None = None,
        watch: Watch | None = None,
    ):
        self.watch = Watch() if watch is None else watch
        self.S = S
        self.weights = np.ones(len(S)) if weights is None else weights
        self.rows: GramRows | RowByRow
        self.rows = GramRows(dense(X)) if len(S) <= LARGEST_GRAM else RowByRow(X, seed)
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
        open_labels = np.flatnonzero(np.abs(self.S.sum(axis=0)) < len(self.S))
        W, self.gap = np.zeros((self.X.shape[1], self.S.shape[1])), 0.0
        if len(open_labels):
            W[:, open_labels], gaps = self.rows.descend(self, open_labels, offsets)
            self.gap = float(gaps.max())
        return W, self.b.copy()

    def gaps(self, labels: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Duality gap of each label, as a share, for X @ W + offsets at W = X'(a s)."""
        S, A = self.S[:, labels], self.dual[labels].T
        slack = 1.0 - S * (scores + self.b[labels])
        # Primal minus dual; the last term is the violation of the equality times its multiplier.
        gaps = self.prices @ np.maximum(slack, 0.0) - np.einsum("ij,ij->j", A, slack)
        gaps += np.abs(self.b[labels] * np.einsum("ij,ij->j", A, S))
        return np.asarray(gaps / self.loss[labels])


class GramRows:
    """Products of all pairs of rows, so that the scores of all rows are always known."""

    def __init__(self, X: np.ndarray):
        self.X = np.asarray(X, dtype=np.float64)
        self.K = self.X @ self.X.T
        self.norms = np.diag(self.K)

    def descend(
        self, problem: HingeProblem, labels: np.ndarray, offsets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Improve the dual in place by pairs; return weights and gaps."""
        for k in labels:
            s, a = problem.S[:, k].copy(), problem.dual[k]
            tolerance = TOLERANCE * min(1.0, problem.largest[k])
            scores = offsets[:, k] + self.K @ (a * s)
            problem.b[k] = descend_pairs(
                self.K, s, a, scores, problem.prices, tolerance, MAX_STEPS * len(s)
            )
        W = self.X.T @ (problem.dual[labels].T * problem.S[:, labels])
        return W, problem.gaps(labels, self.X @ W + offsets[:, labels])


class RowByRow:
    """Rows one after the other, each with all labels, for many of them.

    Only box constraints: a penalty on the violation of the equality moves the intercept, its
    multiplier, after every sweep.
    """

    def __init__(self, X: Any, seed: int):
        self.X = cast(floating(X), np.float64)
        self.rows, self.rng = as_rows(self.X), np.random.default_rng(seed)
        squares = np.empty(X.shape[0])
        self.norms = weighted_squares(self.rows, np.append(np.ones(X.shape[1]), 0.0), squares)

    def descend(
        self, problem: HingeProblem, labels: np.ndarray, offsets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sweep over the rows until the gap of every label is small; return weights and gaps."""
        W, gaps = np.empty((self.X.shape[1], len(labels))), np.empty(len(labels))
        # With a tiny C, sum(a s) is tiny, too, but has to move the intercept by about 1.
        price = max(INTERCEPT_PRICE * float(self.norms.mean()), 1.0 / float(problem.prices.sum()))
        places, sweeps, done = np.arange(len(labels)), FIRST_SWEEPS, 0
        while True:
            left = labels[places]
            self._sweep(problem, left, offsets, price, min(sweeps, MAX_SWEEPS - done))
            W[:, places] = V = self.X.T @ (problem.dual[left].T * problem.S[:, left])
            gaps[places] = problem.gaps(left, self.X @ V + offsets[:, left])
            done += sweeps
            sweeps += int(GROWTH * sweeps)
            places = places[gaps[places] > GAP * TOLERANCE]
            if len(places) == 0 or done >= MAX_SWEEPS or problem.watch.is_over():
                return W, gaps

    def _sweep(
        self, problem: HingeProblem, labels: np.ndarray, offsets: np.ndarray, price: float, n: int
    ) -> None:
        S = np.ascontiguousarray(problem.S[:, labels])
        A = np.ascontiguousarray(problem.dual[labels].T)
        W = np.ascontiguousarray(self.X.T @ (A * S))
        offsets, unmet = np.ascontiguousarray(offsets[:, labels]), (A * S).sum(axis=0)
        room = np.empty(len(labels)), np.empty(len(labels))
        for _ in range(n):
            order = self.rng.permutation(len(S))
            descend_rows(
                order, self.rows, self.norms, S, A, W, problem.b[labels], unmet, offsets, price,
                problem.prices, room,
            )  # fmt: skip
            problem.b[labels] += price * unmet
            if problem.watch.is_over():
                break
        problem.dual[labels] = A.T


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
    order, rows, norms, S, A, W, b, unmet, offsets, price, C, room
):
    """One sweep of dual coordinate descent over all labels; A, W = X'(A S), unmet in place.

    `unmet` is the sum of A S; the intercept is b + price * unmet.
    """
    scores, step = room
    n_labels = S.shape[1]
    for i in order:
        for k in range(n_labels):
            scores[k] = offsets[i, k] + b[k] + price * unmet[k]
        shift = rows.where[i] - rows.indptr[i]
        for p in range(rows.indptr[i], rows.indptr[i + 1]):
            j = rows.indices[p + shift]
            x = rows.data[p]
            for k in range(n_labels):
                scores[k] += x * W[j, k]
        moved = False
        curvature = norms[i] + price
        for k in range(n_labels):
            old = A[i, k]
            new = min(max(old + (1.0 - S[i, k] * scores[k]) / curvature, 0.0), C[i])
            step[k] = (new - old) * S[i, k]
            if new != old:
                moved = True
                A[i, k] = new
                unmet[k] += step[k]
        if moved:
            for p in range(rows.indptr[i], rows.indptr[i + 1]):
                j = rows.indices[p + shift]
                x = rows.data[p]
                for k in range(n_labels):
                    W[j, k] += x * step[k]
