"""Closed-form minimisers over the label covariance D and the feature weights omega.

All problems here are small: (q, q) matrices and vectors of feature scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Covariance:
    """A label covariance D = V diag(values) V', positive semi-definite with unit trace."""

    values: np.ndarray
    vectors: np.ndarray

    @classmethod
    def isotropic(cls, n_labels: int) -> Covariance:
        """D = I / q: no correlation between labels is known."""
        return cls(np.full(n_labels, 1.0 / n_labels), np.eye(n_labels))

    @classmethod
    def minimiser(cls, square: np.ndarray) -> Covariance:
        """D = (W'W)^(1/2) / tr (W'W)^(1/2), Theorem 3.4, from `square` = W'W."""
        values, vectors = np.linalg.eigh(square)
        roots = np.sqrt(np.maximum(values, 0.0))
        if roots.sum() == 0.0:
            return cls.isotropic(len(square))
        return cls(roots / roots.sum(), vectors)

    @classmethod
    def waterfill(cls, gram: np.ndarray, mu: float) -> Covariance:
        """The D that maximises tr(D (D + mu I)^-1 G), for mu > 0 and G = A' diag(omega) A.

        In the eigenbasis of G: max sum g_k d_k / (d_k + mu) over the simplex, solved by
        d_k = (sqrt(mu g_k / nu) - mu)_+ ; the sorted roots determine how many are positive.
        """
        values, vectors = np.linalg.eigh(gram)
        roots = np.sqrt(np.maximum(values[::-1], 0.0))
        if roots[0] == 0.0:
            return cls.isotropic(len(gram))
        counts = np.arange(1, len(roots) + 1)
        # (1 + k mu) r / sum - mu, ordered so that the 1 is not lost next to a large mu.
        shares = roots / np.cumsum(roots)
        rank = int(counts[shares + mu * (counts * shares - 1.0) > 0][-1])
        shares = roots / roots[:rank].sum()
        d = np.maximum(shares + mu * (rank * shares - 1.0), 0.0)
        return cls(d, vectors[:, ::-1])

    def coupling(self, mu: float) -> np.ndarray:
        """R^-1 = D (D + mu I)^-1; D itself is never inverted, since D 1 = 0."""
        ratio = self.values / (self.values + mu) if mu > 0 else np.ones_like(self.values)
        coupling = (self.vectors * ratio) @ self.vectors.T
        return (coupling + coupling.T) / 2

    def matrix(self) -> np.ndarray:
        """D as an array."""
        D = (self.vectors * self.values) @ self.vectors.T
        return (D + D.T) / 2


def coupled_energy(gram: np.ndarray, mu: float) -> float:
    """Largest tr(D (D + mu I)^-1 G) over all D: a dual objective that bounds the optimum."""
    if mu == 0.0:
        return float(np.trace(gram))
    return float((gram * Covariance.waterfill(gram, mu).coupling(mu)).sum())


def top_mask(scores: np.ndarray, n_kept: int) -> np.ndarray:
    """The mask p of Eq. (32): the largest scores; the first on ties."""
    mask = np.zeros(len(scores), dtype=bool)
    mask[np.argsort(-scores, kind="stable")[:n_kept]] = True
    return mask


def best_weights(norms: np.ndarray, n_kept: int) -> np.ndarray:
    """Minimise sum norms_j^2 / omega_j over 0 <= omega <= 1, sum omega = n_kept.

    omega_j = min(1, norms_j / nu): the largest norms are capped, the others share the rest. If
    fewer than `n_kept` norms are positive, these and the first others get 1.
    """
    if np.count_nonzero(norms) <= n_kept:
        return top_mask(norms, n_kept).astype(np.float64)
    order = np.argsort(-norms, kind="stable")
    ordered = norms[order]
    tail = np.cumsum(ordered[::-1])[::-1]
    capped = np.arange(n_kept)
    nu = tail[:n_kept] / (n_kept - capped)
    first = int(np.argmax(ordered[:n_kept] <= nu))
    if ordered[first] > nu[first]:
        first = n_kept - 1
    weights = np.empty_like(norms)
    weights[order] = np.minimum(1.0, ordered / nu[first])
    return weights
