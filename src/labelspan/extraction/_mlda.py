"""Multi-label linear discriminant analysis with correlation-weighted labels."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse

from labelspan._compat import Interval
from labelspan._labels import with_complement
from labelspan.base import N_COMPONENTS, LinearReducer
from labelspan.linalg import (
    EPS,
    EigenPairs,
    by_factor,
    column_scales,
    leading,
    leading_pencil,
    regular_factor,
    ridged,
    row_space,
    squared,
)
from labelspan.moments import Moments, Rows, Sample, Statistics, checked, collect, scaled


class MLDA(LinearReducer):
    r"""Directions that maximise between-label against within-label scatter.

    .. math:: S_b\, p = \lambda\, (S_w + \mathrm{ridge}\, I)\, p

    where each row counts for the labels with the weights
    :math:`z_i = C y_i / \|y_i\|_1`, C the cosine similarity of the label columns:
    Eqs. (41)-(44) and (47) of [1]_, after [2]_.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep; or None for all with
        a positive eigenvalue (fewer than the number of labels).
    ridge : float > 0, default=0.1
        The paper's gamma_xy.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, with ``components_ @ (S_w + ridge I) @ components_.T`` the identity.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues, descending.
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the sum of all eigenvalues that each direction has; a float
        `n_components` adds up these shares.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows, weighted as in S_w.
    n_components_ : int
        Number of directions kept.
    solver_ : str
        Route to the solution, see :func:`labelspan.linalg.choose_solver`.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    classes_ : ndarray
        Classes of a 1-d `y`.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    A row without labels weighs nothing, a label without rows has no mean (1 / n_k is taken
    as 0). A single label has nothing to be separated from: it is fitted with its complement,
    [y, 1 - y]. With w_i the sum of z_i, the total scatter S_t = S_w + S_b is the scatter of X with
    weights w, and S_b = F F' for the thin F with columns sqrt(n_k) (mean_k - mean), so the
    problem is thin, with S_w = S_t - F F'.
    Two passes: label co-occurrences, then X. Time O(n D^2 + D^3 / 3 + n q^2), memory
    O(D^2 + q^2); n for D if n < D; large sparse X by conjugate gradients.

    References
    ----------
    .. [1] J. Xu, J. Liu, J. Yin and C. Sun, "A multi-label feature extraction algorithm via
       maximizing feature variance and feature-label dependence simultaneously",
       Knowledge-Based Systems 98, 2016.
    .. [2] H. Wang, C. Ding and H. Huang, "Multi-label linear discriminant analysis", ECCV 2010.

    Examples
    --------
    >>> from labelspan import MLDA
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> MLDA(n_components=5).fit(yeast.X, yeast.Y).transform(yeast.X).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_COMPONENTS,
        "ridge": [Interval(Real, 0, None, closed="neither")],
    }
    _one_pass = False

    def __init__(self, n_components: int | float | None = 0.999, *, ridge: float = 0.1):
        self.n_components = n_components
        self.ridge = ridge

    def _needs(self, n_rows: int, n_features: int, n_labels: int) -> dict[str, bool]:
        return {}

    def _summarise(self, sample: Sample) -> Statistics:
        # The first pass walks the labels alone: on a cluster it must not load X.
        labels_only = Sample(sample.Y, sample.Y, weights=sample.weights)
        similarity = label_similarity(collect(labels_only, cooccurrence))
        if sample.solver == "krylov":
            T, weights = weighted_labels(similarity, sample.Y, sample.weights)
            return checked(Rows.of(sample.X, T, weights))
        return checked(collect(sample, partial(weighted_moments, similarity)))

    def _directions(self, statistics: Any) -> EigenPairs:
        count = statistics.weight * statistics.t_mean
        K = np.diag([1 / np.sqrt(c) if c > 0 else 0.0 for c in count])
        if isinstance(statistics, Rows):
            return self._directions_of_rows(statistics, K)
        total, F = statistics.squares, statistics.xt @ K
        L = regular_factor(within(statistics.xx, F), 1.0, self.ridge, total)
        if L is not None:
            return self._squared(L, F, total)
        # Where X lacks rank, both scatters are rounding, and the ridge is not.
        xx, xt, V = row_space(statistics)
        F = xt @ K
        pairs = self._squared(self._factor(within(xx, F), np.diag(xx)), F, np.diag(xx))
        return pairs if V is None else pairs.mapped(lambda Y: V @ Y)

    def _squared(self, L: np.ndarray, F: np.ndarray, total: np.ndarray) -> EigenPairs:
        scales = column_scales(total) / np.sqrt(total + self.ridge)
        return squared(by_factor(L, F, scales), self.n_components)

    def _factor(self, within: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Cholesky factor of S_w + ridge I, or the error that S_w is all rounding of S_t."""
        L, info = linalg.lapack.dpotrf(ridged(within, 1.0, self.ridge).T, lower=1)
        floor = len(total) * EPS * total
        lost = self.ridge <= floor if info else np.diag(L) ** 2 <= floor
        if info or lost.any():
            raise ValueError(
                f"ridge={self.ridge:g} is lost in the rounding of the scatter of X, "
                f"{floor.max():.3g}. Raise ridge, or scale the features."
            )
        return L

    def _directions_of_rows(self, rows: Rows, K: np.ndarray) -> EigenPairs:
        # (S_t + ridge I)^-1 F spans the same space as (S_w + ridge I)^-1 F; within it the
        # problem is small, and S_w is a difference of sums over the same projected rows.
        basis = leading(rows, K, None, a=1.0, b=self.ridge).vectors
        projected = rows.operator.matmat(basis)
        means = (rows.T @ K).T @ projected
        between = means.T @ means
        within = projected.T @ projected - between + self.ridge * (basis.T @ basis)
        return leading_pencil(between, within, self.n_components).mapped(lambda Y: basis @ Y)


def within(total: np.ndarray, F: np.ndarray) -> np.ndarray:
    """S_w = S_t - F F'."""
    return total - F @ F.T


def cooccurrence(X: Any, Y: Any, weights: np.ndarray | None = None) -> np.ndarray:
    """Y'Y of one block, (q, q): how often two labels occur together."""
    Y = with_complement(Y)
    together = Y.T @ (Y if weights is None else scaled(Y, weights))
    return together.toarray() if sparse.issparse(together) else together


def label_similarity(together: np.ndarray) -> np.ndarray:
    """C of Eq. (43): cosines between label columns, 0 for a label without rows."""
    norms = np.sqrt(np.diag(together))
    inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return together * np.outer(inverse, inverse)


def weighted_labels(
    similarity: np.ndarray, Y: Any, row_weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Eq. (44) as targets and row weights: w_i the sum of z_i, T = z_i / w_i."""
    Y = with_complement(Y)
    counts = np.asarray(Y.sum(axis=1)).ravel()
    Z = np.asarray(Y @ similarity)
    # z_i / w_i does not depend on the division by the number of labels, w_i does.
    sums = Z.sum(axis=1)
    weights = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
    weights = weights if row_weights is None else weights * row_weights
    return np.divide(Z, sums[:, None], out=np.zeros_like(Z), where=sums[:, None] > 0), weights


def weighted_moments(
    similarity: np.ndarray, X: Any, Y: Any, row_weights: np.ndarray | None = None
) -> Moments:
    """Moments of one block with the labels and weights of Eq. (44)."""
    T, weights = weighted_labels(similarity, Y, row_weights)
    return Moments.of(X, T, weights, tt=False)
