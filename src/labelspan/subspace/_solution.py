"""What a fit of shared subspaces brings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Solution:
    """Theta (r, D), U (D, q) and the value of Eq. (5); the mean of the rows and the scores there.

    `residual` and `n_iter` are those of a descent; None and 0 in closed form. `clusters` (q,) of
    the labels and the `objectives` of their turns; None without.
    """

    Theta: np.ndarray
    U: np.ndarray
    objective: float
    x_mean: np.ndarray
    level: np.ndarray
    solver: str
    residual: float | None = None
    n_iter: int = 0
    clusters: np.ndarray | None = None
    objectives: np.ndarray | None = None

    def among(self, seen: np.ndarray) -> Solution:
        """The same among all labels (q,); those that were never observed are never predicted."""
        U, level = np.zeros((len(self.U), len(seen))), np.full(len(seen), -1.0)
        U[:, seen], level[seen] = self.U, self.level
        return replace(self, U=U, level=level)


def n_shared(n_components: int | None, n_labels: int) -> int:
    """The dimension asked for, by default the paper's r = 5 * floor((q - 1) / 5), at least 1."""
    return max(5 * ((n_labels - 1) // 5), 1) if n_components is None else n_components
