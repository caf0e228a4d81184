"""State of the dual problem at fixed feature weights and fixed label coupling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelspan.ranking._pairs import Pairs
from labelspan.ranking._rows import Rows
from labelspan.ranking._sweep import accumulate, pair_loss, sweep, weighted_squares

# Rounds over the pairs of one instance before the next row.
PASSES = 5


@dataclass(frozen=True)
class Values:
    """The quantities that all objectives of the family consist of.

    Attributes
    ----------
    total : float
        Sum of the dual variables.
    gram : ndarray of shape (n_labels, n_labels)
        A' diag(weights) A.
    energy : float
        tr(coupling gram).
    loss : float
        C times the loss of Eq. (1), at W = diag(weights) B coupling.
    primal_gram, primal_energy : ndarray of shape (n_labels, n_labels), float
        B' diag(weights) B and tr(coupling primal_gram), which is tr(W R W') weighted by 1 / omega.
    """

    total: float
    gram: np.ndarray
    energy: float
    loss: float
    primal_gram: np.ndarray
    primal_energy: float

    @property
    def primal(self) -> float:
        """Primal objective at fixed weights and coupling."""
        return 0.5 * self.primal_energy + self.loss

    @property
    def dual(self) -> float:
        """Dual objective at fixed weights and coupling."""
        return self.total - 0.5 * self.energy


class Dual:
    """Dual variables alpha of Eq. (19) with A = X'beta, improved by sweeps.

    W is computed from B. B equals A, except after Newton steps, which leave a B near A that is a
    better primal point.

    Parameters
    ----------
    rows : Rows
        Features of n instances.
    pairs : Pairs
        Label pairs of the same instances.
    C : float
        Weight of the loss.
    n_features, n_labels : int
        Shape of the problem.
    rng : Generator
        Order of the instances.
    """

    def __init__(
        self,
        rows: Rows,
        pairs: Pairs,
        C: float,
        n_features: int,
        n_labels: int,
        rng: np.random.Generator,
    ):
        self.rows, self.pairs, self.rng = rows, pairs, rng
        self.C, self.upper = C, C * pairs.share
        self.alpha = np.zeros(pairs.start[-1])
        self.A = self.B = np.zeros((n_features + 1, n_labels))
        # Work arrays of the kernels.
        self.room = (np.zeros(n_labels), np.zeros(n_labels), np.zeros(n_labels))
        self.coupling = np.eye(n_labels)
        self.coupled = self.crawled = False
        self.n_sweeps = 0
        self._usable = np.flatnonzero(pairs.counts)
        self._alive = np.ones(len(self.upper), dtype=bool)
        self.set_weights(np.ones(n_features + 1))

    def set_weights(self, weights: np.ndarray) -> None:
        """Change omega; alpha and A stay valid."""
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
                PASSES, self._margin, self._alive, self.room,
            )  # fmt: skip
            self._active = self._active[self._alive[self._active]]
            self.n_sweeps += 1

    def values(self) -> Values:
        """Evaluate the objectives, in one pass over the rows."""
        gram = primal_gram = self.gram(self.A)
        energy = primal_energy = float((gram * self.coupling).sum())
        if self.B is not self.A:
            primal_gram = self.gram(self.B)
            primal_energy = float((primal_gram * self.coupling).sum())
        loss = self.loss(self.B)
        return Values(float(self.alpha.sum()), gram, energy, loss, primal_gram, primal_energy)

    def gram(self, A: np.ndarray) -> np.ndarray:
        """A' diag(weights) A."""
        return A.T @ (self.weights[:, None] * A)

    def loss(self, A: np.ndarray) -> float:
        """C times the loss of Eq. (1) at W = diag(weights) A coupling."""
        return pair_loss(
            self.rows, self.pairs, self.upper, self.weights, self.coupling, self.coupled, A,
            self.room,
        )  # fmt: skip

    def set_rows(self, rows: Rows, A: np.ndarray, weights: np.ndarray) -> None:
        """Change the features, with A = X'beta for the new ones."""
        self.rows, self.A, self.B = rows, A, A
        self.set_weights(weights)

    def place(
        self, A: np.ndarray, B: np.ndarray | None = None, alpha: np.ndarray | None = None
    ) -> None:
        """Change A, the B that defines W (A if not given), and alpha if given."""
        self.A, self.B = A, A if B is None else B
        self.alpha = self.alpha if alpha is None else alpha

    def product(self, rows: Rows, n_features: int, alpha: np.ndarray | None = None) -> np.ndarray:
        """X'beta for other columns of the same instances, or for another alpha."""
        A = np.zeros((n_features + 1, self.A.shape[1]))
        accumulate(rows, self.pairs, self.alpha if alpha is None else alpha, A, self.room)
        return A

    def coefficients(self) -> np.ndarray:
        """W = diag(weights) B coupling, the bias in the last row."""
        W = self.weights[:, None] * self.B
        return W @ self.coupling if self.coupled else W
