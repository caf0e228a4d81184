"""Canonical correlation analysis between features and labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from labelspan.base import ALPHA, N_SIGNIFICANT, RIDGE, LinearReducer
from labelspan.linalg import AUTO, Pencil, inverse_root, ridged_metric


class LabelCCA(LinearReducer):
    r"""Directions of X that maximise the correlation with directions of the labels.

    .. math:: X_c'S_c (S_c'S_c + \mathrm{label\_ridge}\, I)^{-1} S_c'X_c\, p
              = \lambda\, (X_c'X_c + \mathrm{ridge}\, I)\, p

    with the labels S in {-1, +1}: Eq. (40) of [1]_. Without ridges the eigenvalues are the
    squared canonical correlations.

    Parameters
    ----------
    n_components : int, float in (0, 1), "significant" or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep; or None for all with
        a positive eigenvalue (at most the number of labels).
    ridge : "auto" or float, default="auto"
        The paper's gamma_x, 0.1 there. "auto" chooses it by generalised cross-validation of the
        regression of the whitened labels on X, from the sums over the rows, see `ridge_`. 0 uses QR
        factors instead of Gram matrices, so canonical correlations of ill-conditioned X are
        accurate.
    label_ridge : "auto" or float, default="auto"
        The paper's gamma_y, 0.1 there. "auto" is the mean positive eigenvalue of the scatter of the
        labels in {-1, +1}: rare labels then count less than the others, but more than in
        :class:`OPLS`. 0 uses the pseudo-inverse: null directions of the labels (one-hot or
        duplicated columns) are left out by a relative rank cut.
    alpha : float, default=0.05
        Level of the tests for ``n_components="significant"``, which keeps the directions before the
        first that noise would explain, see `p_values_`; rows in memory.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, with ``components_ @ (xx + ridge I) @ components_.T`` = n I for n rows, or the
        sum of their weights: projections of the training rows have a variance of about 1. Divide
        by sqrt(n) for the identity.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues, descending.
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the sum of all eigenvalues that each direction has; a float
        `n_components` adds up these shares.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of directions kept.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
    label_scatter_clipped_ : float
        Share of negative eigenvalues, which were set to zero, in the scatter of the label pairs:
        above 0 only if labels are missing in `y`.
    ridge_ : float
        The ridge: that of `ridge`, or the one chosen among 28 between 1e-6 and 1e3 times the mean
        eigenvalue of the scatter, with at most n / 2 degrees of freedom.
    p_values_ : ndarray of shape (n_tested,)
        With ``n_components="significant"``: for each direction up to the first above `alpha`, the
        p-value of the dependence left in the complement of those before it, against all orders of
        the rows of labels; never below that of the direction before.
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
    Notation: Sc = 2 Yc, so F = 2 ``xt`` (4 ``tt`` + label_ridge I)^(-1/2) with 0/1 labels, and
    B = ``xx`` + ridge I. Time O(n D^2 + D^3 / 3 + q^3), memory O(D^2 + q^2); if n < D, replace D by
    n; large sparse X by conjugate gradients, O(nnz(X) q) per step.

    References
    ----------
    .. [1] J. Xu, J. Liu, J. Yin and C. Sun, "A multi-label feature extraction algorithm via
       maximizing feature variance and feature-label dependence simultaneously",
       Knowledge-Based Systems 98, 2016.

    Examples
    --------
    >>> from labelspan import LabelCCA
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> LabelCCA(n_components=5).fit(yeast.X, yeast.Y).transform(yeast.X).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_SIGNIFICANT,
        "ridge": RIDGE,
        "label_ridge": RIDGE,
        "alpha": ALPHA,
    }
    _label_scatter = True
    _chosen = "ridge_"
    _unit_variance = True
    _learnt = (*LinearReducer._learnt, "ridge_", "label_scatter_clipped_")

    def __init__(
        self,
        n_components: int | float | str | None = 0.999,
        *,
        ridge: float | str = "auto",
        label_ridge: float | str = "auto",
        alpha: float = 0.05,
    ):
        self.n_components = n_components
        self.ridge = ridge
        self.label_ridge = label_ridge
        self.alpha = alpha

    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        return Pencil(ridged_metric(self.ridge), whitened_labels(self.label_ridge))


def whitened_labels(label_ridge: float | str) -> Callable[[Any], np.ndarray]:
    """The K of labels in {-1, +1}, from the sums of 0/1 labels; "auto" is the mean eigenvalue."""
    ridge = None if label_ridge == AUTO else float(label_ridge)
    return lambda statistics: 2 * inverse_root(4 * statistics.tt, ridge)
