"""Multi-label dimensionality reduction via dependence maximisation."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import dense
from labelspan.base import N_COMPONENTS, LinearReducer
from labelspan.compat import Interval, StrOptions
from labelspan.linalg import AUTO, Pencil, check_psd


class MDDM(LinearReducer):
    r"""Directions that maximise the dependence (HSIC) between projected features and labels.

    .. math:: \max_P \; \mathrm{tr}(P' X_c' Y B Y' X_c P)

    subject to :math:`P'P = I` (``constraint="projection"``, Eqs. 5-7 of [1]_) or to
    :math:`P'(\mu X_c'X_c + (1 - \mu) I)P = I` (``constraint="feature"``, Eqs. 16-17).

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep (the paper's thr,
        Eq. 9); or None for all with a positive eigenvalue (at most the number of labels).
    constraint : {"projection", "feature"}, default="projection"
        Orthonormal directions (the paper's MDDM_p) or uncorrelated features (MDDM_f).
    mu : "auto" or float in [0, 1], default="auto"
        Weight of the feature scatter in the "feature" constraint, 0.5 in the paper. "auto" chooses
        the ridge (1 - mu) / mu by generalised cross-validation of the regression of the labels on
        X, from the sums over the rows, see `mu_`. 1 leaves no ridge: the directions then come from
        QR factors.
    label_correlation : None, "rbf" or array-like of shape (n_labels, n_labels), default=None
        B of Sec. 3.3, symmetric positive semi-definite. None means the identity; "rbf" compares
        the label columns by :math:`B_{st} = \exp(-\|y_s - y_t\|^2 / (2\,width^2))`.
    label_width : float or None, default=None
        Width of "rbf"; None means 1. The paper searches 10**(t/2), t = -2, ..., 2, by
        cross-validation.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, P' of the paper, orthonormal for "projection". For "feature"
        P'(``xx`` + (1 - mu) / mu I)P = n I for n rows, or the sum of their weights: projections of
        the training rows have a variance of about 1. Divide by sqrt(n mu) for the paper's length.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues, descending, in the paper's scale (scatter, 0/1 labels).
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the dependence (HSIC), the sum of all eigenvalues, that each direction has; a float
        `n_components` adds up these shares.
    hsic_ : float
        Dependence kept: the sum of the first ``n_components_`` eigenvalues (Eq. 8, that is
        tr(HKHL) without the factor (n - 1)**-2).
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of directions kept.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
    mu_ : float
        The weight: that of `mu`, or the one whose ridge was chosen among 28 between 1e-6 and 1e3
        times the mean eigenvalue of the scatter, with at most n / 2 degrees of freedom; 0 for
        orthonormal directions.
    label_scatter_clipped_ : float
        Share of negative eigenvalues, which were set to zero, in the scatter of the label pairs:
        above 0 only if labels are missing in `y` and it serves to compare the labels.
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
    Notation: ``xt`` = Xc'Y (D, q) is the paper's XHY', the left side of Eq. (17) is F F' with
    F = ``xt`` B^(1/2), so its eigenvectors come from a q x q problem, never from a D x D one.
    "projection": time O(nnz(X) c + D q^2) with c labels per row, memory O(D q). If D q numbers of
    sparse X or of a Dask array exceed 1 GiB, an `n_components` below a tenth of the labels is found
    by products: a step of block Lanczos costs O(nnz(X) + nnz(Y)) per vector and two passes over the
    rows, memory O((D + q) n_components). "feature": plus one Cholesky factorisation, O(n D^2 + D^3
    / 3) and O(D^2), for D <= n; for wide X, replace D by n; for wide sparse X conjugate gradients,
    O(nnz(X) q) per step and O((n + D) q).

    References
    ----------
    .. [1] Y. Zhang and Z.-H. Zhou, "Multilabel dimensionality reduction via dependence
       maximization", ACM Transactions on Knowledge Discovery from Data 4(3), 2010.

    Examples
    --------
    >>> from labelspan import MDDM
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> MDDM().fit(yeast.X, yeast.Y).transform(yeast.X).shape
    (2417, 11)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_COMPONENTS,
        "constraint": [StrOptions({"projection", "feature"})],
        "mu": [StrOptions({AUTO}), Interval(Real, 0, 1, closed="both")],
        "label_correlation": [None, StrOptions({"rbf"}), "array-like"],
        "label_width": [None, Interval(Real, 0, None, closed="neither")],
    }
    _ridge_name = "(1 - mu) / mu"
    _chosen = "mu_"
    _unit_variance = True
    _learnt = (*LinearReducer._learnt, "mu_", "label_scatter_clipped_")

    def __init__(
        self,
        n_components: int | float | None = 0.999,
        *,
        constraint: str = "projection",
        mu: float | str = "auto",
        label_correlation: Any = None,
        label_width: float | None = None,
    ):
        self.n_components = n_components
        self.constraint = constraint
        self.mu = mu
        self.label_correlation = label_correlation
        self.label_width = label_width

    @property
    def hsic_(self) -> float:
        """Dependence between the projected features and the labels."""
        return float(self.eigenvalues_[: self.n_components_].sum())

    @property
    def _label_scatter(self) -> bool:  # type: ignore[override]
        compared = self.label_correlation is not None
        return compared and (isinstance(self.label_correlation, str) or callable(self._metric()))

    def _metric(self) -> Any:
        if self.constraint == "projection":
            return 0.0, 1.0
        return shares if self.mu == AUTO else (float(self.mu), 1.0 - float(self.mu))

    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        metric = self._metric()
        if isinstance(self.label_correlation, str):
            return Pencil(metric, self._rbf_factor, by_products=False)
        if self.label_correlation is None:
            return Pencil(metric)
        return Pencil(metric, check_psd(self.label_correlation, shape[1], "label_correlation"))

    def _rbf_factor(self, statistics: Any) -> np.ndarray:
        B = label_rbf(statistics, self.label_width or 1.0)
        return check_psd(B, len(B), "B")


def shares(ridge: float) -> tuple[float, float]:
    """Mu and 1 - mu of a ridge (1 - mu) / mu."""
    return 1.0 / (1.0 + ridge), ridge / (1.0 + ridge)


def label_rbf(statistics: Any, width: float) -> np.ndarray:
    """B of Sec. 3.3 from the pooled label statistics: ||y_s - y_t||^2 = n_s + n_t - 2 n_st."""
    mean = dense(statistics.t_mean)
    together = dense(statistics.tt) + statistics.weight * np.outer(mean, mean)
    count = np.diag(together)
    distances = np.sqrt(np.maximum(count + count[:, None] - 2 * together, 0.0))
    # Divide first, because the square of a tiny width underflows.
    return np.exp(-0.5 * (distances / width) ** 2)
