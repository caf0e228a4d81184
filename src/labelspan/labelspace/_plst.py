"""Principal label space transformation."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from labelspan.arrays import copied, dense, namespace
from labelspan.compat import Interval
from labelspan.gate import check_size
from labelspan.labelspace import _training
from labelspan.labelspace._base import COMMON, COUNT_OR_SHARE, LabelSpaceClassifier
from labelspan.labelspace._codes import Encoding, leading_rows, no_direction
from labelspan.labelspace._truncated import leading_labels
from labelspan.linalg import EigenPairs, centre_both, leading_sum, signed_rows
from labelspan.moments import CentredRows


class PLST(LabelSpaceClassifier):
    r"""Codes that keep the most of the label variance (principal label space transformation).

    .. math:: \min_{VV' = I} \|Z - Z V'V\|_F^2, \qquad Z = Y - 1 \bar y'

    Sec. 2.1 of [1]_, after [2]_: the rows of V are the leading right singular vectors of Z, the
    codes are t = V z, the prediction is round(V' r(x) + y-bar). It has the smallest encoding error
    of all orthonormal V and ignores the features.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=None
        Number of codes M; or the share of the eigenvalue sum to keep; or None for the rank. A
        number above the rank warns; ``n_components_`` is the number kept. 0 predicts the label
        means.
    regressor : regressor or None, default=None
        Learns the codes from the features: any scikit-learn regressor, a Pipeline included;
        one that takes a single target is fitted once per code. None means least squares from the
        same statistics as the directions, without a second pass.
    ridge : "auto" or float, default="auto"
        Ridge of the least squares of ``regressor=None``, 0 in the paper; the directions do not
        depend on it. "auto" chooses it by generalised cross-validation of the regression of all
        labels, from the sums over the rows, see `ridge_`.
    tol : float, default=1e-4
        For more than 4000 labels and rows with a small integer `n_components`: largest residual
        of an eigenpair, relative to the largest eigenvalue; the error of the eigenvalues is of the
        order of its square. Below that number the solution is direct.
    random_state : int, RandomState or None, default=0
        Start of that iteration.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_labels)
        Orthonormal directions V.
    eigenvalues_ : ndarray
        Squared singular values of Z, descending, the positive ones that were computed.
    label_mean_ : ndarray of shape (n_labels,)
        Mean of the training labels, the paper's y-bar.
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
    CPLST : The same with regard to the features.

    Notes
    -----
    A sparse Y stays sparse. Directions: O(nnz(Y) c + q^3) with c labels per row; if n < q, replace
    q by n; beyond 4000 of both O(nnz(Y) + min(n, q) M) per step of a block Lanczos iteration and
    memory O(min(n, q) M). Least squares: O(n D^2 + D^3 / 3) time, O(D^2 + D q) memory, with D M for
    D q if the codes are made first (more than 4000 labels, or than rows). A label that never or
    always occurs has no weight in V and is predicted as in training.

    Labels that are not observed (NaN) are left out of the sums, see :class:`labelspan.MDDM`. The
    code of a row with a missing label is not known, so the codes are regressed by their products
    with the features, A^-1 ``xt`` V', which available cases estimate.

    References
    ----------
    .. [1] Y.-N. Chen and H.-T. Lin, "Feature-aware label space dimension reduction for
       multi-label classification", NIPS 2012.
    .. [2] F. Tai and H.-T. Lin, "Multilabel classification with principal label space
       transformation", Neural Computation 24(9), 2012.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.labelspace import PLST
    >>> yeast = load_yeast()
    >>> model = PLST(n_components=5).fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    >>> model.predict(yeast.X[yeast.test]).shape
    (917, 14)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "n_components": COUNT_OR_SHARE,
        "tol": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }
    _scatter: ClassVar[bool] = True
    _learnt = (*LabelSpaceClassifier._learnt, "label_scatter_clipped_")

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        regressor: Any = None,
        ridge: float | str = "auto",
        tol: float = 1e-4,
        random_state: Any = 0,
        threshold: float | str = "paper",
    ):
        super().__init__(n_components, regressor=regressor, ridge=ridge, threshold=threshold)
        self.tol = tol
        self.random_state = random_state

    def _encoding(self, sample: Any) -> Encoding:
        regression = self._all_labels(sample)
        label_mean = sample.label_mean(regression)
        pairs = self._directions(sample, regression, label_mean)
        pairs = EigenPairs(pairs.values, signed_rows(pairs.vectors).T)
        if regression is not None and regression.ridges[0] == 0:
            sample.warn_if_any_label_fits(regression)
        return Encoding(pairs, label_mean, regression)

    def _directions(self, sample: Any, regression: Any, label_mean: np.ndarray) -> EigenPairs:
        """Leading eigenvectors of Z'Z, from the smaller side of Z or by iterations."""
        n_rows, _, n_labels = sample.shape
        M = self.n_components
        if M == 0 or not sample.labels_vary(label_mean):
            return no_direction(n_labels, M)
        few = isinstance(M, int | np.integer) and min(n_rows, n_labels) > 4 * M
        if few and sample.complete and min(n_rows, n_labels) > _training.EXACT_SIDE:
            Y, weights = sample.labels_on_host()
            return leading_labels(Y, int(M), self.tol, self.random_state, weights)
        if n_labels > n_rows and not sample.all_labels_first:
            # Fewer rows than labels: little to move, and only labels.
            Y, weights = sample.labels_on_host()
            return from_rows(Y, weights, M)
        tt = sample.label_scatter(regression)
        if float(namespace(tt).linalg.trace(tt)) <= 0:
            return no_direction(n_labels, M)
        return leading_sum(copied(tt), M)


def from_rows(Y: Any, weights: np.ndarray | None, n_components: Any) -> EigenPairs:
    """The same for fewer rows than labels, from Z Z' (n, n): v = Z'u / s."""
    check_size(
        (Y.shape[0],) * 2, "The Gram matrix of the labels", "Give a small integer n_components."
    )
    K = dense(Y @ Y.T)
    if weights is None:
        K = centre_both(K)
    else:
        root = np.sqrt(weights)
        K = centre_both(K, weights / weights.sum()) * np.outer(root, root)
    Z = CentredRows(sparse.csr_array(Y), weights)
    return leading_rows(K, Z.rmatmat, Y.shape[1], n_components)
