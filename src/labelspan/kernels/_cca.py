"""Canonical correlation analysis between the feature space of a kernel and the labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from labelspan.base import N_COMPONENTS, RIDGE
from labelspan.extraction import whitened_labels
from labelspan.gate import Labels
from labelspan.kernels._base import KERNEL_PARAMETERS, KernelReducer, keep_kernel
from labelspan.linalg import Pencil, ridged_metric


class KernelLabelCCA(KernelReducer):
    r"""Directions of a kernel's feature space that maximise the correlation with the labels.

    .. math:: Q S_c (S_c'S_c + \mathrm{label\_ridge}\, I)^{-1} S_c' Q\, c
              = \lambda\, (QQ + \mathrm{ridge}\, Q)\, c

    with the centred kernel matrix Q and the labels S in {-1, +1}: Eq. (40) of [1]_ for the
    direction :math:`\sum_i c_i \varphi(x_i)`. A linear kernel gives
    :class:`labelspan.LabelCCA`.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep; or None for all with
        a positive eigenvalue (at most the number of labels).
    ridge : "auto" or float, default="auto"
        Penalty on the norm of a direction, 0.1 in the paper. "auto" chooses it by the generalised
        cross-validation of the regression of the whitened labels, see `ridge_`. 0 uses the
        pseudo-inverse of Q; with a kernel of full rank every correlation is then 1, and a warning
        says so.
    label_ridge : "auto" or float, default="auto"
        Ridge on the label scatter, 0.1 in the paper. "auto" is its mean positive eigenvalue; 0 uses
        its pseudo-inverse.
    kernel : str or callable, default="rbf"
        A kernel of scikit-learn's ``pairwise_kernels``, "precomputed", or a function of two
        rows.
    gamma : float or None, default=None
        Coefficient of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None is
        1 / n_features (1 for "chi2").
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Constant of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Keywords of a callable kernel.
    n_landmarks : int or None, default=None
        Number of Nystroem landmarks; None means exact.
    landmarks : {"uniform", "kmeans", "leverage"}, default="uniform"
        Landmarks at random; the rows nearest to k-means centres; or at random by approximate
        ridge leverage scores.
    random_state : int, RandomState or None, default=None
        Seed of the landmarks.

    Attributes
    ----------
    dual_components_ : ndarray of shape (n_components_, n_training_rows or n_landmarks)
        Centred coefficients c of the directions; C'(QQ + ridge Q)C = n I for n rows, so that
        projections of the training rows have a variance of about 1.
    offset_ : ndarray of shape (n_components_,)
        Centring term, subtracted from a projection.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues, descending.
    n_components_ : int
        Number of directions kept.
    ridge_ : float
        The ridge: that of `ridge`, or the one chosen among 28 between 1e-6 and 1e3 times the mean
        eigenvalue of Q, with at most n / 2 degrees of freedom.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        Rows that serve as landmarks, with ``n_landmarks``, among those of positive weight.
    nystroem_error_ : float
        Relative error of the centred kernel (Frobenius norm) on a sample of at most 500 rows,
        with ``n_landmarks``.
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
    With F = 2 Yc (4 ``tt`` + label_ridge I)^(-1/2), the eigenvectors v of
    F'Q (Q + ridge I)^-1 F (q x q) give c = (Q + ridge I)^-1 F v / sqrt(lambda): one Cholesky
    factor, n^3 / 3, and one (n, n) array; with "auto" one eigendecomposition of Q instead, which
    takes about ten times as long, and two arrays. With m landmarks O(n m (D + m) + m^3) and O(m^2).

    References
    ----------
    .. [1] J. Xu, J. Liu, J. Yin and C. Sun, "A multi-label feature extraction algorithm via
       maximizing feature variance and feature-label dependence simultaneously",
       Knowledge-Based Systems 98, 2016.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.kernels import KernelLabelCCA
    >>> yeast = load_yeast()
    >>> X, Y = yeast.X[:500], yeast.Y[:500]
    >>> KernelLabelCCA(5, gamma=0.5, ridge=1.0).fit(X, Y).transform(X).shape
    (500, 5)
    """

    _chosen = "ridge_"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_COMPONENTS,
        "ridge": RIDGE,
        "label_ridge": RIDGE,
        **KERNEL_PARAMETERS,
    }

    def __init__(
        self,
        n_components: int | float | None = 0.999,
        *,
        ridge: float | str = "auto",
        label_ridge: float | str = "auto",
        kernel: str | Callable[..., float] = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int | None = None,
        landmarks: str = "uniform",
        random_state: Any = None,
    ):
        self.n_components = n_components
        self.ridge = ridge
        self.label_ridge = label_ridge
        keep_kernel(
            self, kernel, gamma, degree, coef0, kernel_params, n_landmarks, landmarks, random_state
        )

    def _pencil(self) -> Pencil:
        return Pencil(ridged_metric(self.ridge), whitened_labels(self.label_ridge))

    def _targets(self, labels: Labels) -> Any:
        return labels.Y
