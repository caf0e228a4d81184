"""Spread labels along a graph of the rows to where they are missing."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labelspan.linalg import column_steps


@dataclass(frozen=True)
class Completion:
    """Completed labels (n, q) in [0, 1], the largest residual, and the residuals checked."""

    labels: np.ndarray
    residual: float
    n_iter: int


def propagate(
    graph: sparse.csr_array, T: np.ndarray, alpha: float, tol: float, max_iter: int
) -> Completion:
    r"""Fill missing labels with the mean over the neighbours, shrunk to the overall mean.

    With the graph G (symmetric, no row of zeros), its degrees D, the observed entries of a label t
    and their mean m, the others u solve

    .. math:: (D_{uu} - \alpha G_{uu}) f_u = \alpha G_{uo} t_o + (1 - \alpha) D_{uu} m 1

    which is symmetric positive definite. Conjugate gradients for all labels side by side, each with
    its own holes, preconditioned by D: about sqrt(2 / (1 - alpha)) log(1 / tol) / 2 steps of
    O(nnz(G) q).
    """
    holes = np.isnan(T)
    means = np.nanmean(T, axis=0)
    # Relative to the mean, so that a label that is constant where observed stays constant.
    known = np.where(holes, 0.0, T - means)
    degree = np.asarray(graph.sum(axis=1))[:, None]

    def apply(F: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return np.where(holes[:, labels], degree * F - alpha * (graph @ F), 0.0)

    B, q = np.where(holes, alpha * (graph @ known), 0.0), T.shape[1]
    F, n_steps, _ = column_steps(
        apply, lambda R: R / degree, B, tol, max_iter, energy=np.zeros(q), by_residual=True
    )
    sizes = np.linalg.norm(B, axis=0)
    errors = np.linalg.norm(B - apply(F, np.arange(q)), axis=0)
    residual = float((errors / np.where(sizes > 0, sizes, 1.0)).max(initial=0.0))
    if residual > 10 * tol:
        warnings.warn(
            f"The labels have not converged after {n_steps} steps: the relative residual is "
            f"{residual:.1e}, tol is {tol:.1e}. Raise max_iter={max_iter} or lower alpha={alpha}.",
            ConvergenceWarning,
            stacklevel=2,
        )
    labels = np.where(holes, np.clip(means + F, 0.0, 1.0), T)
    return Completion(labels, residual, n_steps + 1)
