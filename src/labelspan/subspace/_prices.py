"""Alpha and beta of the shared subspace, chosen from the sums over the rows."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from labelspan.arrays import dense, eigh
from labelspan.linalg import AUTO, energies_of_labels, rank, spectra, whiten

# Labels outside the shared subspace whose energy is a smaller share of all are rounding.
NOTHING = 1e-12


def chosen_prices(
    statistics: Any, alpha: float | str, beta: float | str, n_shared: int, *, signed: bool
) -> tuple[float, float]:
    """Alpha and beta, numbers as they are, "auto" by generalised cross-validation.

    With one ridge for all labels, n alpha = 0, the subspace is that of the labels Tc P. Then n beta
    is the ridge of the regression of Tc P, and n (alpha + beta) that of the rest, Tc (I - P P').
    """
    solved, of_targets = spectra(statistics)
    scatter = np.array(dense(statistics.tt))
    np.fill_diagonal(scatter, energies_of_labels(statistics, signed))
    total = float(np.trace(scatter))
    values, vectors = eigh(dense(label_products(solved, of_targets(None, total).ridge())))
    P = vectors[:, : min(n_shared, rank(values, len(values)))]
    inside = float(np.sum(P * (scatter @ P)))
    if beta == AUTO:
        beta = of_targets(P, inside).ridge() / statistics.weight
    if alpha == AUTO:
        alpha, rest = 0.0, np.eye(len(P)) - P @ P.T
        if total - inside > NOTHING * total:
            both = of_targets(rest, total - inside).ridge() / statistics.weight
            alpha = max(both - float(beta), 0.0)
    return float(alpha), float(beta)


def prices_of(alpha: float, beta: float) -> tuple[float, ...]:
    """Beta and alpha + beta; without alpha both regressions are the same."""
    return tuple(dict.fromkeys([beta, alpha + beta]))


@singledispatch
def label_products(statistics: Any, ridge: float) -> Any:
    """R'R (q, q) for the weights R of the ridge regression of all labels."""
    W, back, _ = whiten(statistics, None, 1.0, ridge)
    R = back(W)
    return R.T @ R
