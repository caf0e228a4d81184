"""Feature-aware implicit label space encoding."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from labelspan.compat import Interval
from labelspan.gate import check_size
from labelspan.labelspace._base import COMMON, LabelSpaceClassifier
from labelspan.labelspace._codes import Encoding, LinearCodes, no_direction
from labelspan.linalg import EigenPairs, leading_sum, regress_pooled, signs_of


class FaIE(LabelSpaceClassifier):
    r"""Codes as free numbers that recover the labels and follow the features (FaIE).

    .. math:: \max_{U'U = I} \operatorname{tr} U' (Z Z' + \alpha H) U, \qquad
              H = X_c (X_c' X_c + \rho I)^{-1} X_c'

    Lin et al. [1]_: the codes U (n, M) are free numbers, not a function of the labels. The first
    term measures how much of the labels they hold, the second how well a regression with the ridge
    :math:`\rho` predicts them. Labels are decoded by D = U'Z. With ``alpha=0`` this is
    :class:`PLST`; with as many codes as the sum has rank it is ridge regression on the labels.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of codes M; None for as many as labels, or as the rank if that is less. A larger
        number warns; ``n_components_`` holds the number kept. 0 predicts the label means.
    regressor : regressor or None, default=None
        Learns the codes from the features: any scikit-learn regressor, a Pipeline included;
        one that takes a single target is fitted once per code. None means the ridge regression of
        H, from the same statistics as the codes, without a second pass.
    alpha : float, default=0.1
        Weight of the features, at least 0. Z'Z grows with the number of rows and H does not, so
        a sample of t times the rows needs t times the alpha and the ridge for the same codes.
    ridge : "auto" or float, default="auto"
        Ridge of H and of the least squares of ``regressor=None``. "auto" chooses it by generalised
        cross-validation of the regression of all labels, from the sums over the rows, see `ridge_`.
        The authors' program uses 0.1.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_labels)
        Decoding matrix D of the codes; its rows are not orthonormal.
    eigenvalues_ : ndarray
        Eigenvalues of Z Z' + alpha H, descending, the positive ones that were computed.
    label_mean_ : ndarray of shape (n_labels,)
        Mean of the training labels.
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
    CPLST : Codes that are a function of the labels, chosen with regard to the features.

    Notes
    -----
    No n x n matrix is formed. With A = xx + ridge I and E'AE = I, Z Z' + alpha H = G G' for
    G = [Z, sqrt(alpha) Xc E], and

    .. math:: G'G = \begin{pmatrix} tt & \sqrt\alpha\, xt' E \\
              \sqrt\alpha\, E' xt & \alpha\, E' xx E \end{pmatrix} = V \gamma V'

    is of side q + min(n, D) and made of sufficient statistics. U = G V gamma^-1/2 is formed for
    a given regressor only; D = U'Z and the coefficients A^-1 Xc'U are products of the same
    blocks. Time O((n + q) D^2 + (q + D)^3), memory O((q + D)^2); if n < D, replace D by n.

    X and Y are centred, as in :class:`CPLST`, so neither the origin of the features nor the coding
    of the labels matters. The public programs do not centre. Codes are scaled to a mean square of
    1, U by sqrt(n) and D by its inverse, for regressors whose tolerance is absolute; this does not
    change the predictions.

    The codes are not a function of the labels. So ``encode(Y)`` returns the codes from which D
    decodes Y best, ``(Y - label_mean_) @ pinv(components_)``, and ``errors`` refers to these. Its
    sum does not bound the Hamming loss, because the rows of D are not orthonormal.

    References
    ----------
    .. [1] Z. Lin, G. Ding, M. Hu and J. Wang, "Multi-label classification via feature-aware
       implicit label space encoding", ICML 2014.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.labelspace import FaIE
    >>> yeast = load_yeast()
    >>> model = FaIE(5).fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    >>> model.truncate(3).predict(yeast.X[yeast.test]).shape
    (917, 14)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "alpha": [Interval(Real, 0, None, closed="left")],
    }
    _scatter: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        regressor: Any = None,
        alpha: float = 0.1,
        ridge: float | str = "auto",
        threshold: float | str = "paper",
    ):
        super().__init__(n_components, regressor=regressor, ridge=ridge, threshold=threshold)
        self.alpha = alpha

    def _encoding(self, sample: Any) -> Encoding:
        # H needs the whole row space, not only the part that the labels need.
        statistics, lift, mean = sample.row_space(self.ridge)
        found = regress_pooled(statistics, self.ridge)
        (W, back, _), ridge, alpha = found.solved[0], found.ridges[0], float(self.alpha)
        tt, (r, q), n_rows = statistics.tt, W.shape, statistics.weight
        check_size(
            (q + r, q + r),
            "The matrix of labels and features",
            "Use PLST, or select features first.",
        )
        E = back(np.eye(r))
        # E'xx E; the identity if there is no ridge.
        S = np.eye(r) - ridge * (E.T @ E)
        root = np.sqrt(alpha)
        K = np.block([[tt, root * W.T], [root * W, alpha * S]])
        pairs = eigenpairs(K, q, self.n_components, sample.labels_vary(statistics.t_mean))
        # Codes sqrt(n) U = Z on_labels + Xc E on_features.
        scale = np.sqrt(n_rows / pairs.values[: pairs.vectors.shape[1]])
        on_labels, on_features = pairs.vectors[:q] * scale, root * pairs.vectors[q:] * scale
        D = (tt @ on_labels + W.T @ on_features) / n_rows
        signs = signs_of(D.T)
        on_labels, on_features = on_labels * signs, on_features * signs
        coef = lift(back(W @ on_labels + S @ on_features))
        codes = None
        if self.regressor is not None:
            B = lift(E @ on_features)
            codes = sample.Y @ on_labels - statistics.t_mean @ on_labels
            codes = np.asarray(codes + sample.X @ B - mean @ B)
        return Encoding(
            EigenPairs(pairs.values, D * signs),
            statistics.t_mean,
            regressor=LinearCodes.of(sample, mean, coef, np.zeros(D.shape[1])),
            codes=codes,
            ridge=ridge,
        )

    def _encode(self, Y: Any) -> np.ndarray:
        V: Any = self.components_
        inverse = np.linalg.pinv(V.astype(np.float64))
        codes: Any = np.asarray(Y @ inverse) - np.dot(self.label_mean_, inverse)
        return codes.astype(V.dtype, copy=False)


def eigenpairs(K: np.ndarray, q: int, M: int | None, labels_vary: bool) -> EigenPairs:
    """Leading eigenpairs of G'G (q + r, q + r); at most q of them unless a number is given."""
    if M == 0 or not labels_vary:
        return no_direction(len(K), M)
    pairs = leading_sum(K, M)
    return pairs if M is not None else EigenPairs(pairs.values, pairs.vectors[:, :q])
