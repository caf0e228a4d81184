"""Canonical correlation analysis of the labels as codes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import cast, namespace
from labelspan.base import RIDGE
from labelspan.gate import check_size
from labelspan.labelspace._base import COMMON, LabelSpaceClassifier, linear_scores
from labelspan.labelspace._codes import Encoding, no_direction
from labelspan.linalg import AUTO, inverse_root, leading_sum, signs_of


class LabelSpaceCCA(LabelSpaceClassifier):
    r"""Codes that correlate most with the features (canonical variables of the labels).

    .. math:: \min_{W_x, W_z} \|X_c W_x' - Z W_z'\|_F^2 \quad \text{subject to} \quad
              W_x (\mathtt{xx} + \mathrm{ridge}\, I) W_x'
              = W_z (\mathtt{tt} + \mathrm{label\_ridge}\, I) W_z' = I

    Sec. 2.2 of [1]_, which leaves open how to decode, because W_z has no orthogonal rows: rounding
    V'r(x), as in :class:`PLST`, is not possible. Here the labels are decoded by their least squares
    on the codes, with the same ridge on both,

    .. math:: D = \arg\min_D \|Z (I - W_z' D)\|_F^2 + \mathrm{label\_ridge}\, \|I - W_z' D\|_F^2
              = W_z (\mathtt{tt} + \mathrm{label\_ridge}\, I),

    so that all codes together are ridge regression on the labels, whatever the label ridge.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of codes M; None for as many as the labels and features have in common. A larger
        number warns; ``n_components_`` holds the number kept. 0 predicts the label means.
    regressor : regressor or None, default=None
        Learns the codes from the features: any scikit-learn regressor, a Pipeline included;
        one that takes a single target is fitted once per code. None means least squares from the
        same statistics as the directions, without a second pass.
    ridge : "auto" or float, default="auto"
        Added to the diagonal of the feature scatter, in the problem and in the least squares
        of ``regressor=None``; 0 in the paper. "auto" chooses it by generalised cross-validation of
        the regression of all labels, from the sums over the rows, see `ridge_`.
    label_ridge : "auto" or float, default="auto"
        Added to the diagonal of the label scatter; "auto" means its mean positive eigenvalue, 0 in
        the paper. Rare labels have large weights in the codes if it is small; if it is large, the
        codes are those of :class:`CPLST` without a ridge in its hat matrix.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_labels)
        Directions W_z, times the square root of n: the codes have a mean square of 1 without a
        label ridge. Their rows are not orthogonal.
    decoding_ : ndarray of shape (n_components_, n_labels)
        The decoding matrix D of these codes.
    eigenvalues_ : ndarray
        Squared canonical correlations, descending, the positive ones that were computed.
    label_mean_ : ndarray of shape (n_labels,)
        Mean of the training labels.
    ridge_ : float
        The ridge: that of `ridge`, or the one chosen among 28 between 1e-6 and 1e3 times the mean
        eigenvalue of the scatter, with at most n / 2 degrees of freedom; None for another
        regressor that needs none.
    regressor_ : object
        The fitted regressor of the codes; has ``predict``, and ``coef_`` and ``intercept_`` if
        ``regressor=None``.
    label_scatter_clipped_ : float
        Share of negative eigenvalues, which were set to zero, in the scatter of the label pairs:
        above 0 only if labels are missing in `y`.
    n_components_ : int
        Number of codes M.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if y was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    See Also
    --------
    LabelCCA : The other side of the same problem: directions of the features.
    OCCA : With orthonormal codes in place of uncorrelated ones.

    Notes
    -----
    With W'W = xt'A^-1 xt for A = xx + ridge I and K K' = (tt + label_ridge I)^-1, W_z' = K U for
    the leading eigenvectors U of K'W'WK, and D = U'K^+. Time O(n D^2 + D^3 / 3 + D^2 q + D q^2 +
    q^3), memory O(D^2 + D q + q^2). ``errors`` refers to D; its sum does not bound the Hamming
    loss, because D is not orthonormal.

    References
    ----------
    .. [1] Y.-N. Chen and H.-T. Lin, "Feature-aware label space dimension reduction for
       multi-label classification", NIPS 2012.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.labelspace import LabelSpaceCCA
    >>> yeast = load_yeast()
    >>> model = LabelSpaceCCA().fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    >>> model.truncate(5).predict(yeast.X[yeast.test]).shape
    (917, 14)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "label_ridge": RIDGE,
    }
    _scatter: ClassVar[bool] = True
    _learnt = (*LabelSpaceClassifier._learnt, "decoding_", "label_scatter_clipped_")

    def __init__(
        self,
        n_components: int | None = None,
        *,
        regressor: Any = None,
        ridge: float | str = "auto",
        label_ridge: float | str = "auto",
        threshold: float | str = "paper",
    ):
        super().__init__(n_components, regressor=regressor, ridge=ridge, threshold=threshold)
        self.label_ridge = label_ridge

    def _encoding(self, sample: Any) -> Encoding:
        q = sample.shape[2]
        check_size((q, q), "The scatter matrix of the labels", "Use PLST for this many labels.")
        regression = sample.regress(self.ridge, tt=True)
        if regression.ridges[0] == 0:
            sample.warn_if_any_label_fits(regression)
        label_ridge = None if self.label_ridge == AUTO else float(self.label_ridge)
        K = inverse_root(regression.tt, label_ridge)
        F = regression.solved[0].W @ K
        if self.n_components == 0 or not bool(namespace(F).any(F != 0)):
            pairs = no_direction(q, self.n_components)
            decoding = pairs.vectors
        else:
            pairs = leading_sum(F.T @ F, self.n_components)
            signs = signs_of((K @ pairs.vectors).T) * float(np.sqrt(sample.weight))
            # The columns of K are orthogonal: those of K^+' are the same ones of inverse length.
            inverse = K / namespace(K).sum(K * K, axis=0)
            decoding = inverse @ pairs.vectors * (signs / sample.weight)
            pairs = pairs.mapped(lambda U: K @ U * signs)
        self.decoding_ = cast(decoding.T, sample.dtype, copy=True)
        return Encoding(pairs, regression.t_mean, regression)

    def _decode(self, T: np.ndarray) -> np.ndarray:
        return linear_scores(T, self.decoding_, self.label_mean_)

    def _reconstruct(self, T: np.ndarray) -> np.ndarray:
        return self._decode(T)

    def _cut_from(self, n_fitted: int) -> None:
        self.decoding_ = self.decoding_[: self.n_components_].copy()
