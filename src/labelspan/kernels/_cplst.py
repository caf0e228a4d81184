"""Conditional principal label space transformation with kernel ridge regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import cast, like, namespace
from labelspan.gate import check_size, in_dtype
from labelspan.kernels._base import KERNEL_PARAMETERS, keep_kernel, project, remember_kernel
from labelspan.kernels._map import KernelMap, kernel_refusals
from labelspan.kernels._statistics import Dual, induce
from labelspan.labelspace import (
    COMMON,
    COUNT_OR_SHARE,
    Codes,
    Encoding,
    LabelSpaceClassifier,
    no_direction,
)
from labelspan.linalg import (
    AUTO,
    EigenPairs,
    choose_ridge,
    energy_of_labels,
    leading_sum,
    signed_rows,
    whiten,
)
from labelspan.moments import Moments
from labelspan.registry import IN_MEMORY

NO_CHUNKS = "a kernel compares rows with rows, and a chunk keeps none. Use fit."


class KernelCPLST(LabelSpaceClassifier):
    r"""Codes that minimise encoding error and the error of kernel ridge regression together.

    .. math:: \min_{VV' = I} \|K Q Z V' - Z V'\|_F^2 + \|Z - Z V'V\|_F^2
              \quad\Leftrightarrow\quad
              \max_{VV' = I} \mathrm{tr}\left(V Z' (2KQ - QKKQ) Z V'\right)

    Eq. (8) of [1]_, without the "- I" that it prints once too often, with the centred kernel
    matrix K and :math:`Q = (K + ridge\, I)^{-1}`. The codes are learnt by kernel ridge
    regression with the same ridge, from the same factor (Eq. 7). A linear kernel gives
    :class:`labelspan.labelspace.CPLST`.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=None
        Number of codes M; or the share of the eigenvalue sum to keep; or None for the rank. A
        number above the rank warns; ``n_components_`` is the number kept. 0 predicts the label
        means.
    regressor : regressor or None, default=None
        Learns the codes from X (from the kernel matrix if it is precomputed) instead of kernel
        ridge regression.
    ridge : "auto" or float, default="auto"
        The paper's lambda, which it chooses by cross-validation, as :class:`KernelCPLSTCV` does.
        "auto" chooses it by the generalised cross-validation of the regression of all labels, see
        `ridge_`. 0 uses the pseudo-inverse; with a kernel of full rank this is
        :class:`labelspan.labelspace.PLST`, and a warning proposes a ridge.
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
        Orthonormal directions V.
    eigenvalues_ : ndarray
        Positive eigenvalues of Z'(2KQ - QKKQ)Z, descending.
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
    KernelCPLSTCV : Choose the width of the kernel and the ridge by cross-validation.

    Notes
    -----
    With S = QZ and R = KS, the matrix of (8) is R'Z + ridge R'S, because 2KQ - QKKQ = KQ + ridge
    KQQ; the coefficients of the codes are S V'. So a fit costs as much as kernel ridge regression
    on all labels: one Cholesky factor, n^3 / 3 + O(n^2 q), in one (n, n) array, and one q x q
    eigenproblem; with "auto" one eigendecomposition of K instead of the factor, about ten times as
    long, and two arrays. With m landmarks O(n m (D + m) + m^3) and O(m^2).

    References
    ----------
    .. [1] Y.-N. Chen and H.-T. Lin, "Feature-aware label space dimension reduction for
       multi-label classification", NIPS 2012.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.kernels import KernelCPLST
    >>> yeast = load_yeast()
    >>> model = KernelCPLST(gamma=1.0).fit(yeast.X[:500], yeast.Y[:500])
    >>> model.truncate(5).predict_topk(yeast.X[500:600], k=3).shape
    (100, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "n_components": COUNT_OR_SHARE,
        **KERNEL_PARAMETERS,
    }

    def __init__(
        self,
        n_components: int | float | None = None,
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
        return encoded(self, sample, self._directions)

    def _directions(self, statistics: Any) -> tuple[np.ndarray, EigenPairs, float]:
        """S of `label_matrix`, the directions, and the ridge."""
        S, M, noise, ridge = label_matrix(statistics, self.ridge)
        if self.n_components == 0 or not bool(namespace(M).any(M != 0)):
            return S, no_direction(M.shape[0], self.n_components), ridge
        pairs = leading_sum((M + M.T) / 2, self.n_components, noise)
        return S, EigenPairs(pairs.values, signed_rows(pairs.vectors).T), ridge

    def _refusals(self) -> dict[str, str]:
        if self.regressor is None:
            return kernel_refusals(self)
        return {**super()._refusals(), "dask": IN_MEMORY}


def encoded(model: Any, sample: Any, directions: Any, *, tt: bool = False) -> Encoding:
    """Kernel ridge regression of all labels, and of the codes that `directions` finds from it."""
    Y = sample.Y
    check_size(
        (Y.shape[1],) * 2,
        "The label matrix",
        "Select labels first, or use PLST, which needs none.",
    )
    # A ridge that is still to be chosen may be small.
    least = 0.0 if model.ridge == AUTO else float(model.ridge)
    induced = induce(model, sample.X, Y, sample.weights, ridge=least, tt=tt)
    remember_kernel(model, induced, sample.dtype)
    S, pairs, ridge = directions(induced.statistics)
    learnt = None
    if model.regressor is None:
        dual, offset = induced.lift(S @ like(S, pairs.vectors))
        learnt = KernelCodes(
            induced.map_.astype(sample.dtype),
            in_dtype(dual.T, sample.dtype, "The coefficients of the codes"),
            cast(offset, sample.dtype),
        )
    return Encoding(pairs, induced.statistics.t_mean, regressor=learnt, ridge=ridge)


def dual_of(model: Any) -> np.ndarray:
    """Coefficients of kernel values in the codes; of no other regressor."""
    if not isinstance(model.regressor_, KernelCodes):
        raise AttributeError(
            "dual_components_ belongs to the kernel ridge regression; this "
            f"{type(model).__name__} has another regressor. Set regressor=None."
        )
    return model.regressor_.dual


@dataclass(frozen=True)
class KernelCodes(Codes):
    """r(x) = dual k(x) - offset, dual (M, m) against the m rows of the map."""

    map_: KernelMap
    dual: np.ndarray
    offset: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Codes (n, M)."""
        return project(self.map_, X, self.dual, self.offset)

    def first(self, M: int) -> KernelCodes:
        """The same map to the first M codes."""
        return KernelCodes(self.map_, self.dual[:M].copy(), self.offset[:M].copy())


def label_matrix(statistics: Dual | Moments, ridge: float | str) -> tuple[Any, Any, float, float]:
    """S = QZ in the coordinates of the statistics, the matrix of Eq. (8), rounding, ridge."""
    solved: Any = statistics
    if ridge == AUTO:
        solved, ridge = choose_ridge(statistics, None, energy_of_labels(statistics))
    ridge = float(ridge)
    if isinstance(statistics, Dual):
        S, R, noise = solved.solve(1.0, ridge)
        return S, R.T @ statistics.T + ridge * (R.T @ S), noise, ridge
    W, back, _ = whiten(solved, None, 1.0, ridge)
    S = back(W)
    M = W.T @ W + ridge * (S.T @ S)
    return S, M, M.shape[0], ridge
