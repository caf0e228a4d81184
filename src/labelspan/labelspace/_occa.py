"""Orthogonally constrained canonical correlation analysis."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import like, smallest_pairs
from labelspan.gate import check_size
from labelspan.labelspace._base import LabelSpaceClassifier
from labelspan.labelspace._codes import Encoding, at_most
from labelspan.labelspace._cplst import hat_factor
from labelspan.linalg import EigenPairs, signed_rows


class OCCA(LabelSpaceClassifier):
    r"""Codes that linear regression predicts best (orthogonally constrained CCA).

    .. math:: \min_{W_x,\, VV' = I} \|X W_x' - Z V'\|_F^2
              \quad\Leftrightarrow\quad \min_{VV' = I} \mathrm{tr}(V Z'(I - H)^2 Z V')

    Eqs. (3) and (4) of [1]_; without a ridge (I - H)^2 = I - H. It has the smallest prediction
    error of all orthonormal V and ignores the encoding error.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of codes M; None for all labels. A larger number warns.
        0 predicts the label means.
    regressor : regressor or None, default=None
        Learns the codes from the features: any scikit-learn regressor, a Pipeline included;
        one that takes a single target is fitted once per code. None means least squares from the
        same statistics as the directions, without a second pass.
    ridge : "auto" or float, default="auto"
        Added to the diagonal of the feature scatter, in the hat matrix and in the least squares
        of ``regressor=None``; 0 in the paper. "auto" chooses it by generalised cross-validation of
        the regression of all labels, from the sums over the rows, see `ridge_`.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_labels)
        Orthonormal directions V, easiest first.
    eigenvalues_ : ndarray
        Squared prediction error of each direction on the training rows, ascending.
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
    CPLST : Encoding and prediction error together.

    Notes
    -----
    The matrix is Z'Z minus the one that :class:`CPLST` decomposes, (q, q). There is no rank cut:
    a direction in which the labels do not vary at all (a label that never occurs, the difference
    of two equal labels) is predicted without error and comes first, as in (4). If the features can
    fit anything (rank n - 1, no ridge), all directions tie; a warning is issued from nine tenths of
    that rank on. Time O(n D^2 + D^3 / 3 + D^2 q + q^3), memory O(D^2 + D q + q^2).

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
    >>> from labelspan.labelspace import OCCA, PLST
    >>> yeast = load_yeast()
    >>> easy, large = (m(3).fit(yeast.X, yeast.Y).errors(yeast.X, yeast.Y) for m in (OCCA, PLST))
    >>> easy.prediction < large.prediction and easy.encoding > large.encoding
    True
    """

    _scatter: ClassVar[bool] = True
    _learnt = (*LabelSpaceClassifier._learnt, "label_scatter_clipped_")

    def _encoding(self, sample: Any) -> Encoding:
        n_labels = sample.shape[2]
        M = at_most(self.n_components, n_labels, "labels")
        check_size((n_labels, n_labels), "The matrix of Eq. (4)", "Use PLST for this many labels.")
        regression = sample.regress(self.ridge, tt=True)
        if regression.ridges[0] == 0:
            sample.warn_if_any_label_fits(regression)
        F, P = hat_factor(regression)
        E = regression.tt - F.T @ F
        values, V = smallest_pairs((E + E.T) / 2, M)
        pairs = EigenPairs(np.maximum(values[:M], 0.0), signed_rows(V[:, :M]).T)
        coef = None if P is None else P @ like(P, pairs.vectors)
        return Encoding(pairs, regression.t_mean, regression, coef)
