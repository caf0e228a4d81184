"""The eigenvectors of a centred kernel, which serve every ridge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labelspan.arrays import namespace


@dataclass(frozen=True)
class KernelSpectrum:
    """The matrix Q of :class:`Gram` as U diag(s) U' (n, n), s >= 0 ascending, with U'T (n, q).

    Each row of the centred T is multiplied by the square root of its weight.
    """

    s: Any
    U: Any
    UT: Any

    def solve(self, ridge: float) -> tuple[Any, Any]:
        """P = (Q + ridge I)^-1 T and Q P, for a positive ridge."""
        solved = self.UT / (self.s + ridge)[:, None]
        return self.U @ solved, self.U @ (self.s[:, None] * solved)


def decomposed(K: Any, T: Any) -> KernelSpectrum:
    """The spectrum of K (n, n) for the targets T (n, q): O(n^3), once for every ridge."""
    xp = namespace(K)
    s, U = xp.linalg.eigh(K)
    return KernelSpectrum(xp.where(s > 0, s, 0.0 * s), U, U.T @ T)
