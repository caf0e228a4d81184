"""State of the dual problem at fixed feature weights and fixed label coupling."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelspan.ranking._pairs import Pairs
from labelspan.ranking._rows import RowLists
from labelspan.ranking._sweep import accumulate, pair_loss, sweep, weighted_squares
from labelspan.system import Watch


class Objectives(NamedTuple):
    """Objectives at fixed weights and coupling, and what those over all D or omega consist of.

    `total` is the sum of alpha, `loss` C times the loss of Eq. (1); `gram` and `primal_gram` (q, q)
    are A' diag(weights) A and the same of B.
    """

    primal: float
    dual: float
    total: float
    loss: float
    gram: np.ndarray
    primal_gram: np.ndarray


class DualState:
    """Dual variables alpha of Eq. (19) with A = X'beta, improved by sweeps in the order of `rng`.

    W comes from B, which is A except after Newton steps: they leave a better primal point.
    """

    def __init__(
        self,
        rows: RowLists,
        pairs: Pairs,
        C: float,
        n_features: int,
        n_labels: int,
        rng: np.random.Generator,
        watch: Watch | None = None,
    ):
        self.watch = Watch() if watch is None else watch
        self.rows, self.pairs, self.rng = rows, pairs, rng
        self.C, self.upper = C, C * pairs.share
        self.alpha = np.zeros(pairs.start[-1])
        self.A = self.B = np.zeros((n_features + 1, n_labels))
        # Work arrays of the kernels.
        self.room = (np.zeros(n_labels), np.zeros(n_labels), np.zeros(n_labels))
        self.coupling = np.eye(n_labels)
        self.coupled = self.crawled = False
        # Rounds over the pairs of one instance before the next row.
        self.passes = 5
        self.n_sweeps = 0
        self._usable = np.flatnonzero(pairs.counts)
        self._alive = np.ones(len(self.upper), dtype=bool)
        self.set_weights(np.ones(n_features + 1))

    def set_weights(
        self, weights: np.ndarray, rows: RowLists | None = None, A: np.ndarray | None = None
    ) -> None:
        """Change omega, and perhaps the features with A = X'beta of the new ones; keeps alpha."""
        if rows is not None and A is not None:
            self.rows, self.A, self.B = rows, A, A
        self.weights = weights
        self.squares = np.empty(len(self.rows.where))
        weighted_squares(self.rows, weights, self.squares)
        self.wake()

    def set_coupling(self, coupling: np.ndarray | None) -> None:
        """Change R^-1, None for the identity; alpha and A stay valid."""
        self.coupled = coupling is not None
        n_labels = self.A.shape[1]
        self.coupling = np.eye(n_labels) if coupling is None else np.ascontiguousarray(coupling)
        self.wake()

    def set_cost(self, C: float) -> None:
        """Change C, from dual variables scaled as far as the dual objective and C allow."""
        change = C / self.C
        energy = float((self.gram(self.A) * self.coupling).sum())
        best = float(self.alpha.sum()) / energy if energy > 0 else change
        scale = min(change, max(best, 1.0))
        self.C, self.upper = C, C * self.pairs.share
        self.alpha = np.minimum(scale * self.alpha, np.repeat(self.upper, self.pairs.counts))
        self.A = self.B = self.product(self.rows, len(self.A) - 1)
        self.wake()

    def wake(self) -> None:
        """Include skipped instances again."""
        self._active, self._margin = self._usable, np.inf

    def left(self, max_sweeps: int) -> int:
        """How many sweeps may follow, of `max_sweeps` in total; none when the time is over."""
        return 0 if self.watch.is_over() else max_sweeps - self.n_sweeps

    def ascend(self, n_sweeps: int) -> None:
        """Run sweeps; instances whose pairs are all at their bounds are skipped from then on."""
        self.B = self.A
        for _ in range(n_sweeps):
            if len(self._active) == 0:
                self.wake()
            order = self.rng.permutation(self._active)
            self._margin = sweep(
                order, self.rows, self.pairs, self.upper, self.weights, self.squares,
                self.coupling, self.coupled, self.A, self.alpha,
                self.passes, self._margin, self._alive, self.room,
            )  # fmt: skip
            self._active = self._active[self._alive[self._active]]
            self.n_sweeps += 1
            if self.watch.is_over():
                break

    def values(self) -> Objectives:
        """Evaluate the objectives, in one pass over the rows."""
        gram = self.gram(self.A)
        primal_gram = gram if self.B is self.A else self.gram(self.B)
        energy, primal_energy = (float((G * self.coupling).sum()) for G in (gram, primal_gram))
        loss = pair_loss(
            self.rows, self.pairs, self.upper, self.weights, self.coupling, self.coupled, self.B,
            self.room,
        )  # fmt: skip
        total = float(self.alpha.sum())
        return Objectives(
            0.5 * primal_energy + loss, total - 0.5 * energy, total, loss, gram, primal_gram
        )

    def gram(self, A: np.ndarray) -> np.ndarray:
        """A' diag(weights) A."""
        return A.T @ (self.weights[:, None] * A)

    def product(
        self, rows: RowLists, n_features: int, alpha: np.ndarray | None = None
    ) -> np.ndarray:
        """X'beta for other columns of the same instances, or for another alpha."""
        A = np.zeros((n_features + 1, self.A.shape[1]))
        accumulate(rows, self.pairs, self.alpha if alpha is None else alpha, A, self.room)
        return A

    def coefficients(self) -> np.ndarray:
        """W = diag(weights) B coupling, the bias in the last row."""
        W = self.weights[:, None] * self.B
        return W @ self.coupling if self.coupled else W
