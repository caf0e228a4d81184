"""Dependence maximisation in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from labelspan.base import N_COMPONENTS
from labelspan.compat import Interval, StrOptions
from labelspan.extraction import (
    LABEL_KERNELS,
    MEDIAN,
    TWO_KERNELS,
    label_targets,
    rbf_factor,
    shared_metric,
)
from labelspan.gate import Labels
from labelspan.kernels._base import KERNEL_PARAMETERS, KernelReducer, keep_kernel
from labelspan.linalg import AUTO, Pencil, check_psd, whole


class KernelMDDM(KernelReducer):
    r"""Directions of a kernel's feature space that maximise the dependence (HSIC) with labels.

    .. math:: \max_C \; \mathrm{tr}(C' Q L Q C)

    with the centred kernel matrix Q and the label kernel L = Y B Y', subject to
    :math:`C'QC = I` (``constraint="projection"``, Eqs. 12-13 of [1]_) or to
    :math:`C'(\mu QQ + (1 - \mu) Q)C = I` (``constraint="feature"``, Eqs. 18-20). A linear
    kernel gives :class:`labelspan.MDDM`.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep (the paper's thr,
        Eq. 9); or None for all with a positive eigenvalue (at most the number of labels).
    constraint : {"projection", "feature"}, default="projection"
        Orthonormal directions (the paper's MDDM_p) or uncorrelated features (MDDM_f).
    mu : "auto" or float in [0, 1], default="auto"
        Weight of the feature scatter in the "feature" constraint, 0.5 in the paper. "auto" chooses
        the ridge (1 - mu) / mu by the generalised cross-validation of the regression of the labels,
        see `mu_`. 1 leaves no ridge: with a kernel of full rank every direction of the labels is
        then fitted exactly, with a warning.
    label_correlation : None, "rbf" or array-like of shape (n_labels, n_labels), default=None
        B of Sec. 3.3, symmetric positive semi-definite. None means the identity; "rbf" compares
        the label columns by :math:`B_{st} = \exp(-\|y_s - y_t\|^2 / (2\,width^2))`.
    label_width : float, "median" or None, default=None
        Width of "rbf". "median" is the median of the distances that are not zero, between labels
        (`label_correlation`) or between the labels of rows (`label_kernel`). None means 1 for the
        former and "median" for the latter.
    label_kernel : None, {"linear", "rbf", "polynomial"}, array-like or callable, default=None
        The label kernel L between rows in place of Y B Y', as in :class:`labelspan.MDDM`: named;
        or (n_samples, n_samples), symmetric positive semi-definite; or a factor F (n_samples, r)
        with L = F F'; or a function that computes one of the two from the dense 0/1 labels. A
        square array is L itself.
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
        Centred coefficients c of the directions (Eq. 10), for "feature" times sqrt(n mu), so that
        projections of the training rows have a variance of about 1.
    offset_ : ndarray of shape (n_components_,)
        Centring term, subtracted from a projection: the mean of the training projections by (14).
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues, descending, in the paper's scale (0/1 labels).
    hsic_ : float
        Dependence kept: the sum of the first ``n_components_`` eigenvalues.
    n_components_ : int
        Number of directions kept.
    mu_ : float
        The weight: that of `mu`, 0 for "projection", or 1 / (1 + ridge) with the ridge chosen among
        28 between 1e-6 and 1e3 times the mean eigenvalue of Q, with at most n / 2 degrees of
        freedom.
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
    With L = F F', the eigenvectors v of F'HQHF (r x r) give c = HFv / sqrt(lambda) of (13), so
    "projection" needs the product QF only: O(n^2 (D + r)) time, and Q is never stored. "feature":
    with B = mu Q + (1 - mu) I, the eigenvectors of F'Q B^-1 F give c = B^-1 F v / sqrt(lambda): one
    Cholesky factor, n^3 / 3, one (n, n) array; for the choice of mu one eigendecomposition of Q
    instead, about ten times as long, and two arrays. With m landmarks: O(n m (D + m) + m^3) and
    O(m^2) besides blocks of kernel values, which respect scikit-learn's ``working_memory``. float32
    input is summed in float64, and the model and its projections are float32.

    References
    ----------
    .. [1] Y. Zhang and Z.-H. Zhou, "Multilabel dimensionality reduction via dependence
       maximization", ACM Transactions on Knowledge Discovery from Data 4(3), 2010.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.kernels import KernelMDDM
    >>> yeast = load_yeast()
    >>> X, Y = yeast.X[:500], yeast.Y[:500]
    >>> KernelMDDM(5, gamma=0.5).fit(X, Y).transform(X).shape
    (500, 5)
    """

    _chosen = "mu_"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_COMPONENTS,
        "constraint": [StrOptions({"projection", "feature"})],
        "mu": [StrOptions({AUTO}), Interval(Real, 0, 1, closed="both")],
        "label_correlation": [None, StrOptions({"rbf"}), "array-like"],
        "label_width": [None, StrOptions({MEDIAN}), Interval(Real, 0, None, closed="neither")],
        "label_kernel": [None, StrOptions(set(LABEL_KERNELS)), "array-like", callable],
        **KERNEL_PARAMETERS,
    }

    def __init__(
        self,
        n_components: int | float | None = 0.999,
        *,
        constraint: str = "projection",
        mu: float | str = "auto",
        label_correlation: Any = None,
        label_width: float | str | None = None,
        label_kernel: Any = None,
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
        self.constraint = constraint
        self.mu = mu
        self.label_correlation = label_correlation
        self.label_width = label_width
        self.label_kernel = label_kernel
        keep_kernel(
            self, kernel, gamma, degree, coef0, kernel_params, n_landmarks, landmarks, random_state
        )

    @property
    def hsic_(self) -> float:
        """Dependence between the projected features and the labels."""
        return float(self.eigenvalues_[: self.n_components_].sum())

    def _pencil(self) -> Pencil:
        metric = shared_metric(self.constraint, self.mu)
        if isinstance(self.label_correlation, str):
            return Pencil(metric, partial(rbf_factor, width=self.label_width))
        if self.label_kernel is not None:
            return Pencil(metric, whole)
        if self.label_correlation is None:
            return Pencil(metric)
        return Pencil(metric, lambda s: self._label_factor(s.t_mean.shape[0]))

    def _targets(self, labels: Labels) -> Any:
        Y = labels.Y
        if self.label_kernel is None:
            self._label_factor(Y.shape[1])
            return Y
        if self.label_correlation is not None:
            raise ValueError(TWO_KERNELS)
        n_given = Y.shape[0] if labels.kept is None else len(labels.kept)
        F = label_targets(Y, self.label_kernel, self.label_width, n_given)
        # A given kernel also has the rows of weight 0.
        return F if F.shape[0] == Y.shape[0] else F[labels.kept]

    def _label_factor(self, n_labels: int) -> np.ndarray | None:
        """Check a given matrix B and return K with K K' = B."""
        if self.label_correlation is None or isinstance(self.label_correlation, str):
            return None
        return check_psd(self.label_correlation, n_labels, "label_correlation")
