"""Conditional principal label space transformation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import like, namespace
from labelspan.labelspace._base import COMMON, COUNT_OR_SHARE, LabelSpaceClassifier
from labelspan.labelspace._codes import Encoding, leading_rows, no_direction
from labelspan.labelspace._truncated import leading_fitted
from labelspan.linalg import EigenPairs, Regression, leading_sum, signed_rows, too_large


class CPLST(LabelSpaceClassifier):
    r"""Codes that minimise encoding and prediction error together (conditional PLST).

    .. math:: \min_{VV' = I} \|H Z V' - Z V'\|_F^2 + \|Z - Z V'V\|_F^2
              \quad\Leftrightarrow\quad \max_{VV' = I} \mathrm{tr}(V Z' H Z V')

    Eq. (6) and Algorithm 1 of [1]_, H the hat matrix of the centred features. With a ridge,
    H = X A^-1 X' with A = X'X + ridge I, and the matrix is Z'(2H - H^2)Z, their Eq. (8) with a
    linear kernel and without its superfluous "- I".

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
        Added to the diagonal of the feature scatter, in the hat matrix and in the least squares
        of ``regressor=None``. "auto" chooses it by generalised cross-validation of the regression
        of all labels, from the sums over the rows, see `ridge_`. 0, the paper's, is least squares,
        of least norm if X is rank-deficient. If the rank is near the number of rows, 0 fits any
        label and CPLST is PLST; a warning proposes a ridge.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_labels)
        Orthonormal directions V.
    eigenvalues_ : ndarray
        Positive eigenvalues of Z'HZ (with a ridge of Z'(2H - H^2)Z), descending.
    label_mean_ : ndarray of shape (n_labels,)
        Mean of the training labels, the paper's y-bar.
    ridge_ : float
        The ridge: that of `ridge`, or the one chosen among 28 between 1e-6 and 1e3 times the mean
        eigenvalue of the scatter, with at most n / 2 degrees of freedom; None for another
        regressor that needs none.
    regressor_ : object
        The fitted regressor of the codes; has ``predict``, and ``coef_`` and ``intercept_`` if
        ``regressor=None``.
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
    PLST : Encoding error only. OCCA : Prediction error only.

    Notes
    -----
    H (n, n) is never formed. With A = L L' and W = L^-1 X'Z, Z'HZ = W'W, decomposed through its
    smaller side; with a ridge it is W'W + ridge P'P, P = A^-1 X'Z. Without a ridge A comes from
    a pivoted Cholesky factor if that keeps eight digits, else from QR.
    Time O(n D^2 + D^3 / 3 + D^2 q + min(D, q)^3), memory O(D^2 + D q); if n < D, replace D by n. If
    D q or n q numbers of sparse X would not fit, an integer `n_components` below a tenth of the
    labels is found from products with X only: memory O((D + q) n_components).

    Labels that are not observed (NaN) are left out of the sums, see :class:`labelspan.MDDM`. The
    code of a row with a missing label is not known, so the codes are regressed by their products
    with the features, A^-1 ``xt`` V', which available cases estimate.

    References
    ----------
    .. [1] Y.-N. Chen and H.-T. Lin, "Feature-aware label space dimension reduction for
       multi-label classification", NIPS 2012.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.labelspace import CPLST
    >>> yeast = load_yeast()
    >>> model = CPLST().fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    >>> model.truncate(5).predict_topk(yeast.X[yeast.test], k=3).shape
    (917, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "n_components": COUNT_OR_SHARE,
    }

    def _encoding(self, sample: Any) -> Encoding:
        few = sample.sparse and sample.complete
        if few and by_products(self.n_components, *sample.shape):
            ridge = sample.ridge(self.ridge)
            pairs = leading_fitted(sample, ridge, int(self.n_components))
            pairs = EigenPairs(pairs.values, signed_rows(pairs.vectors).T)
            return Encoding(pairs, sample.label_mean(None), ridge=ridge)
        regression = sample.regress(self.ridge)
        if regression.ridges[0] == 0:
            sample.warn_if_any_label_fits(regression)
        F, P = hat_factor(regression)
        if self.n_components == 0 or not bool(namespace(F).any(F != 0)):
            pairs = no_direction(F.shape[1], self.n_components)
        elif F.shape[0] < F.shape[1]:
            pairs = leading_rows(F @ F.T, lambda U: F.T @ U, F.shape[1], self.n_components)
        else:
            pairs = leading_sum(F.T @ F, self.n_components)
        pairs = EigenPairs(pairs.values, signed_rows(pairs.vectors).T)
        coef = None if P is None else P @ like(P, pairs.vectors)
        return Encoding(pairs, regression.t_mean, regression, coef)


def hat_factor(regression: Regression) -> tuple[np.ndarray, np.ndarray | None]:
    """F with F'F = xt'(2 A^-1 - A^-1 xx A^-1) xt; and P = A^-1 xt, None without a ridge.

    A^-1 xx A^-1 = A^-1 - ridge A^-2 turns the matrix into the sum W'W + ridge P'P.
    """
    W, ridge = regression.solved[0].W, regression.ridges[0]
    if ridge == 0:
        return W, None
    P = regression.coefficients()
    return namespace(W).concat([W, float(np.sqrt(ridge)) * P], axis=0), P


def by_products(M: Any, n: int, D: int, q: int) -> bool:
    """Whether X'Z of sparse X would not fit, but M directions from products with X and Z would."""
    few = isinstance(M, int | np.integer) and 0 < 10 * M < min(q, n)
    return few and too_large(max(n, D), q)
