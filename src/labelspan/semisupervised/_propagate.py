"""Labels that spread along a graph of the rows, to where they are not observed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning


@dataclass(frozen=True)
class Completion:
    """Labels without holes, with what certifies them.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, n_labels)
        Labels in [0, 1]; observed ones as they were.
    residual : float
        Largest residual of a label's equations, relative to their right-hand side.
    n_iter : int
        Residuals looked at, one more than there are steps of conjugate gradients.
    """

    labels: np.ndarray
    residual: float
    n_iter: int


def propagate(
    graph: sparse.csr_array, T: np.ndarray, alpha: float, tol: float, max_iter: int
) -> Completion:
    r"""Fill the holes of each label with the mean over the neighbours, drawn to its overall mean.

    With the graph G, its degrees D, the observed entries of a label t and their mean m, the
    others u solve

    .. math:: (D_{uu} - \alpha G_{uu}) f_u = \alpha G_{uo} t_o + (1 - \alpha) D_{uu} m 1

    which is symmetric positive definite: f_i is alpha times the mean over the neighbours of row i
    and 1 - alpha times m.

    Parameters
    ----------
    graph : csr_array of shape (n_samples, n_samples)
        Symmetric, not negative, without a row of zeros.
    T : ndarray of shape (n_samples, n_labels)
        Labels in [0, 1], NaN where they are not observed, none in a whole column.
    alpha : float
        In (0, 1).
    tol : float
        Largest relative residual.
    max_iter : int
        Most steps.

    Returns
    -------
    Completion

    Notes
    -----
    Conjugate gradients for all labels side by side, each with its own holes, preconditioned by D:
    about sqrt(2 / (1 - alpha)) log(1 / tol) / 2 steps of O(nnz(G) q).
    """
    holes = np.isnan(T)
    means = np.nanmean(T, axis=0)
    # About the mean, so that a label which is constant where it is observed stays constant.
    known = np.where(holes, 0.0, T - means)
    degree = np.asarray(graph.sum(axis=1))[:, None]

    def apply(F: np.ndarray) -> np.ndarray:
        return np.where(holes, degree * F - alpha * (graph @ F), 0.0)

    B = np.where(holes, alpha * (graph @ known), 0.0)
    F, n_iter = conjugate_gradients(apply, B, degree, tol, max_iter)
    sizes = np.linalg.norm(B, axis=0)
    errors = np.linalg.norm(B - apply(F), axis=0)
    residual = float((errors / np.where(sizes > 0, sizes, 1.0)).max(initial=0.0))
    if residual > 10 * tol:
        warnings.warn(
            f"The labels have not converged after {n_iter - 1} steps: the relative residual is "
            f"{residual:.1e}, tol is {tol:.1e}. Raise max_iter={max_iter} or lower alpha={alpha}.",
            ConvergenceWarning,
            stacklevel=2,
        )
    labels = np.where(holes, np.clip(means + F, 0.0, 1.0), T)
    return Completion(labels, residual, n_iter)


def conjugate_gradients(
    apply: Callable[[np.ndarray], np.ndarray],
    B: np.ndarray,
    degree: np.ndarray,
    tol: float,
    max_iter: int,
) -> tuple[np.ndarray, int]:
    """Solve for every column of B by itself, preconditioned by the degrees."""
    F = np.zeros_like(B)
    R, Z = B.copy(), B / degree
    P, rho = Z.copy(), np.vecdot(R.T, Z.T)
    limit = (tol * np.linalg.norm(B, axis=0)) ** 2
    for step in range(max_iter):
        open_ = np.vecdot(R.T, R.T) > limit
        if not open_.any():
            return F, step + 1
        Q = apply(P)
        curvature = np.vecdot(P.T, Q.T)
        length = np.divide(rho, curvature, out=np.zeros_like(rho), where=open_ & (curvature > 0))
        F += length * P
        R -= length * Q
        Z = R / degree
        before, rho = rho, np.vecdot(R.T, Z.T)
        P = Z + np.divide(rho, before, out=np.zeros_like(rho), where=before > 0) * P
    return F, max_iter + 1
