"""Orthogonally constrained canonical correlation analysis with kernel ridge regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import smallest_pairs
from labelspan.kernels._base import KERNEL_PARAMETERS, keep_kernel
from labelspan.kernels._cplst import NO_CHUNKS, dual_of, encoded, label_matrix
from labelspan.kernels._map import kernel_refusals
from labelspan.kernels._statistics import Dual
from labelspan.labelspace import COMMON, Encoding, LabelSpaceClassifier, at_most
from labelspan.linalg import AUTO, EigenPairs, signed_rows
from labelspan.registry import IN_MEMORY


class KernelOCCA(LabelSpaceClassifier):
    r"""Codes that kernel ridge regression predicts best (orthogonally constrained CCA).

    .. math:: \min_{VV' = I} \|K Q Z V' - Z V'\|_F^2
              \quad\Leftrightarrow\quad
              \min_{VV' = I} \mathrm{tr}\left(V Z' (I - H)^2 Z V'\right), \qquad H = KQ

    with the centred kernel matrix K and :math:`Q = (K + ridge\, I)^{-1}`, so that
    :math:`I - H = ridge\, Q`. This is the first term of Eq. (8) of [1]_, whose matrix, as printed
    there with "- I", is minus this one. [1]_ names OCCA among the methods that have a kernel form
    (Sec. 3.2) and gives no formula. A linear kernel gives :class:`labelspan.labelspace.OCCA`.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of codes M; None for all labels. A larger number warns. 0 predicts the label means.
    regressor : regressor or None, default=None
        Learns the codes from X (from the kernel matrix if it is precomputed) instead of kernel
        ridge regression.
    ridge : "auto" or float, default="auto"
        The paper's lambda, which it chooses by cross-validation, as :class:`KernelCPLSTCV` does.
        "auto" chooses it by the generalised cross-validation of the regression of all labels, see
        `ridge_`. 0 uses the pseudo-inverse; with a kernel of full rank every direction is then
        predicted without error, and a warning proposes a ridge.
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
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    ridge_ : float
        The ridge: that of `ridge`, or the one chosen among 28 between 1e-6 and 1e3 times the mean
        eigenvalue of K, with at most n / 2 degrees of freedom.
    components_ : ndarray of shape (n_components_, n_labels)
        Orthonormal directions V, easiest first.
    eigenvalues_ : ndarray of shape (n_components_,)
        Squared prediction error of each direction on the training rows, ascending.
    label_mean_ : ndarray of shape (n_labels,)
        Mean of the training labels.
    regressor_ : object
        The fitted regressor of the codes.
    n_components_ : int
        Number of codes M.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if y was a frame.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        Rows that serve as landmarks, with ``n_landmarks``, among those of positive weight.
    nystroem_error_ : float
        Relative error of the centred kernel (Frobenius norm) on a sample of at most 500 rows,
        with ``n_landmarks``.
    dual_components_ : ndarray of shape (n_components_, n_training_rows or n_landmarks)
        Coefficients of kernel values in the codes, with ``regressor=None``.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    See Also
    --------
    KernelCPLST : Encoding and prediction error together.

    Notes
    -----
    From one Cholesky factor, n^3 / 3 + O(n^2 q), in one (n, n) array, comes QZ, whose q x q
    scatter is decomposed. There is no rank cut, see :class:`labelspan.labelspace.OCCA`. With m
    landmarks O(n m (D + m) + m^3) and O(m^2).

    References
    ----------
    .. [1] Y.-N. Chen and H.-T. Lin, "Feature-aware label space dimension reduction for
       multi-label classification", NIPS 2012.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.kernels import KernelCPLST, KernelOCCA
    >>> yeast = load_yeast()
    >>> X, Y = yeast.X[:500], yeast.Y[:500]
    >>> easy, both = (m(3, gamma=1.0).fit(X, Y).errors(X, Y) for m in (KernelOCCA, KernelCPLST))
    >>> easy.prediction < both.prediction and easy.encoding > both.encoding
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        **KERNEL_PARAMETERS,
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        regressor: Any = None,
        ridge: float | str = "auto",
        kernel: str | Callable[..., float] = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int | None = None,
        landmarks: str = "uniform",
        random_state: Any = None,
        threshold: float | str = "paper",
    ):
        super().__init__(n_components, regressor=regressor, ridge=ridge, threshold=threshold)
        keep_kernel(
            self, kernel, gamma, degree, coef0, kernel_params, n_landmarks, landmarks, random_state
        )

    @property
    def dual_components_(self) -> np.ndarray:
        """Coefficients of kernel values in the codes, ``(n_components_, n_training_rows)``."""
        return dual_of(self)

    def _needs_rows(self) -> str:
        return NO_CHUNKS

    def _ridges(self, n_rows: int) -> tuple[float, ...]:
        return () if self.ridge == AUTO else (float(self.ridge),)

    def _encoding(self, sample: Any) -> Encoding:
        return encoded(self, sample, self._directions, tt=True)

    def _directions(self, statistics: Any) -> tuple[np.ndarray, EigenPairs, float]:
        """S = QZ in the coordinates of the statistics, the directions, and the ridge."""
        S, explained, _, ridge = label_matrix(statistics, self.ridge)
        if isinstance(statistics, Dual) and ridge > 0:
            # I - H = ridge Q, so nothing is subtracted.
            E = ridge**2 * (S.T @ S)
        else:
            E = statistics.tt - explained
        M = at_most(self.n_components, E.shape[0], "labels")
        values, V = smallest_pairs((E + E.T) / 2, M)
        pairs = EigenPairs(np.maximum(values[:M], 0.0), signed_rows(V[:, :M]).T)
        return S, pairs, ridge

    def _refusals(self) -> dict[str, str]:
        if self.regressor is None:
            return kernel_refusals(self)
        return {**super()._refusals(), "dask": IN_MEMORY}
