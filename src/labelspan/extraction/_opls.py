"""Orthonormalised partial least squares."""

from __future__ import annotations

from typing import Any, ClassVar

from labelspan.base import ALPHA, N_SIGNIFICANT, RIDGE, LinearReducer
from labelspan.linalg import Pencil, ridged_metric


class OPLS(LinearReducer):
    r"""Uncorrelated directions that maximise the covariance with the labels.

    .. math:: \max_P \; \mathrm{tr}(P' X_c' Y_c Y_c' X_c P) \quad \text{subject to} \quad
              P'(X_c'X_c + \mathrm{ridge}\, I)P = I

    Orthonormalised PLS as in Sec. 2 of [1]_: the limit alpha -> infinity of the shared-subspace
    model of [2]_ (Sec. 4.2), and :class:`MDDM` with ``constraint="feature"`` up to the scale of
    the metric.

    Parameters
    ----------
    n_components : int, float in (0, 1), "significant" or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep; or None for all with
        a positive eigenvalue (at most the number of labels).
    ridge : "auto" or float, default="auto"
        Added to the diagonal of the scatter of X. "auto" chooses it by generalised cross-validation
        of the regression of the labels on X, from the sums over the rows, see `ridge_`. 0 uses QR
        factors instead of Gram matrices. The comparison of Xu et al. (2016) uses 0.1.
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
        Positive eigenvalues, descending (scatter, 0/1 labels).
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the sum of all eigenvalues that each direction has; a float
        `n_components` adds up these shares.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of directions kept.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
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
    Notation: F = ``xt`` = Xc'Y, B = ``xx`` + ridge I. Costs as those of :class:`MDDM` with
    ``constraint="feature"``: time O(n D^2 + D^3 / 3 + D^2 q), memory O(D^2); if n < D, replace D by
    n.

    References
    ----------
    .. [1] L. Sun, S. Ji, S. Yu and J. Ye, "On the equivalence between canonical correlation
       analysis and orthonormalized partial least squares", IJCAI 2009.
    .. [2] S. Ji, L. Tang, S. Yu and J. Ye, "A shared-subspace learning framework for
       multi-label classification", ACM Transactions on Knowledge Discovery from Data 4(2), 2010.

    Examples
    --------
    >>> from labelspan import OPLS
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> OPLS(n_components=5).fit(yeast.X, yeast.Y).transform(yeast.X).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_SIGNIFICANT,
        "ridge": RIDGE,
        "alpha": ALPHA,
    }
    _chosen = "ridge_"
    _unit_variance = True
    _learnt = (*LinearReducer._learnt, "ridge_")

    def __init__(
        self,
        n_components: int | float | str | None = 0.999,
        *,
        ridge: float | str = "auto",
        alpha: float = 0.05,
    ):
        self.n_components = n_components
        self.ridge = ridge
        self.alpha = alpha

    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        return Pencil(ridged_metric(self.ridge))
