"""Compressed sensing of the labels."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import lars_path, orthogonal_mp
from sklearn.utils import check_random_state

from labelspan.compat import Interval, StrOptions
from labelspan.labelspace._base import COMMON, LabelSpaceClassifier
from labelspan.labelspace._codes import Encoding, at_most
from labelspan.linalg import EigenPairs


class CompressedSensing(LabelSpaceClassifier):
    r"""Random codes of sparse label vectors, decoded by sparse recovery.

    .. math:: t = V y, \quad V_{mk} \sim N(0, 1/M); \qquad
              \hat y = \arg\min_{\|y\|_0 \le s} \|r(x) - V y\|_2

    Hsu et al. [1]_ as described in Sec. 2 of [2]_; the minimum by orthogonal matching pursuit,
    which is greedy, or by a convex program in its place,

    .. math:: \hat y = \arg\min_y \tfrac12 \|r(x) - V y\|_2^2 + \lambda \|y\|_1,
              \qquad \lambda = \mathrm{penalty} \cdot \|V' r(x)\|_\infty,

    which is basis pursuit, the least :math:`\|y\|_1` with :math:`V y = r(x)`, for a penalty of 0.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of codes M; None for as many as labels. A larger number warns. 0 predicts no label.
    regressor : regressor or None, default=None
        Learns the codes from the features: any scikit-learn regressor, a Pipeline included;
        one that takes a single target is fitted once per code. None means least squares from the
        same statistics as the directions, without a second pass.
    ridge : "auto" or float, default="auto"
        Ridge of the least squares of ``regressor=None``, 0 in the paper. "auto" chooses it by
        generalised cross-validation of the regression of all labels, from the sums over the rows,
        see `ridge_`.
    sparsity : int or None, default=None
        Largest number s of labels a prediction can have; None means the mean number of labels of
        a training row, rounded up. At most M. Of the pursuit only.
    decoder : {"pursuit", "lasso"}, default="pursuit"
        How the labels are recovered from a code: greedily, or by the convex program.
    penalty : float in [0, 1], default=0.1
        Penalty of "lasso", as a share of the one that leaves no label. 0 is basis pursuit, for
        codes without noise.
    random_state : int, RandomState or None, default=None
        Draws V.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_labels)
        Gaussian directions V, not orthonormal.
    eigenvalues_ : ndarray
        Empty, because the directions have no order.
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
    sparsity_ : int
        The sparsity s that predictions use.

    Notes
    -----
    Y is not centred, because that would make it dense. The pursuit compares unit columns of V, so
    that no label is favoured by the length of its code. Decoding takes O(M q s) per row, far more
    than the product of :class:`PLST`, and follows the path of the convex program from no label to
    its end, O(M q) per change of its support; bound (1) of [2]_ does not hold, since V is not
    orthonormal. ``truncate`` keeps the scale of V, which does not affect the pursuit.

    References
    ----------
    .. [1] D. Hsu, S. Kakade, J. Langford and T. Zhang, "Multi-label prediction via compressed
       sensing", NIPS 2009.
    .. [2] Y.-N. Chen and H.-T. Lin, "Feature-aware label space dimension reduction for
       multi-label classification", NIPS 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from labelspan.labelspace import CompressedSensing
    >>> rng = np.random.default_rng(0)
    >>> X, Y = np.repeat(np.eye(40), 3, axis=0), np.repeat(np.eye(40, dtype=int), 3, axis=0)
    >>> model = CompressedSensing(20, ridge=1e-6, random_state=0).fit(X, Y)
    >>> bool((model.predict(X) == Y).all())
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "sparsity": [Interval(Integral, 1, None, closed="left"), None],
        "decoder": [StrOptions({"pursuit", "lasso"})],
        "penalty": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
    }
    _centred: ClassVar[bool] = False
    _learnt: ClassVar[tuple[str, ...]] = (*LabelSpaceClassifier._learnt, "sparsity_")

    def __init__(
        self,
        n_components: int | None = None,
        *,
        regressor: Any = None,
        ridge: float | str = "auto",
        sparsity: int | None = None,
        decoder: str = "pursuit",
        penalty: float = 0.1,
        random_state: Any = None,
        threshold: float | str = "paper",
    ):
        super().__init__(n_components, regressor=regressor, ridge=ridge, threshold=threshold)
        self.sparsity = sparsity
        self.decoder = decoder
        self.penalty = penalty
        self.random_state = random_state

    def _encoding(self, sample: Any) -> Encoding:
        n_labels = sample.shape[2]
        M = at_most(self.n_components, n_labels, "labels")
        V = check_random_state(self.random_state).standard_normal((M, n_labels))
        pairs = EigenPairs(np.zeros(0), V.T / np.sqrt(max(M, 1)))
        regression = self._all_labels(sample)
        label_mean = sample.label_mean(regression)
        cardinality = int(np.ceil(float(label_mean.sum()) - 1e-9))
        self.sparsity_ = max(self.sparsity or cardinality, 1)
        return Encoding(pairs, label_mean, regression)

    def _cut_from(self, n_fitted: int) -> None:
        # The entries of V have the variance 1 / M.
        factor = float(np.sqrt(max(n_fitted, 1) / max(self.n_components_, 1)))
        self.components_ = np.multiply(self.components_, factor)
        self.regressor_ = self.regressor_.times(factor)

    def _decode(self, T: np.ndarray) -> np.ndarray:
        if self.decoder == "lasso":
            return least_sum(T, self.components_, float(self.penalty))
        return pursue(T, self.components_, self.sparsity_)


def least_sum(T: np.ndarray, V: np.ndarray, penalty: float) -> np.ndarray:
    """The lasso of each row of T (n, M) in the columns of V (M, q), exact by its path."""
    scores = np.zeros((len(T), V.shape[1]), dtype=T.dtype)
    V = np.asfortranarray(V, dtype=np.float64)
    for i in np.flatnonzero(T.any(axis=1)) if V.size else ():
        t = T[i].astype(np.float64)
        # lars_path divides the squared loss by the number of rows, here M.
        least = penalty * np.abs(t @ V).max() / len(V)
        _, _, path = lars_path(V, t, method="lasso", alpha_min=least, max_iter=10 * V.shape[1])
        scores[i] = path[:, -1]
    return scores


def pursue(T: np.ndarray, V: np.ndarray, sparsity: int) -> np.ndarray:
    """Orthogonal matching pursuit of each row of T (n, M) in the columns of V (M, q)."""
    scores = np.zeros((len(T), V.shape[1]), dtype=T.dtype)
    coded = T.any(axis=1)
    if V.size == 0 or not coded.any():
        return scores
    V = V.astype(np.float64)
    lengths = np.linalg.norm(V, axis=0)
    lengths[lengths == 0] = 1.0
    with warnings.catch_warnings():
        # It also ends early if the residual is zero, because then the code is explained.
        warnings.filterwarnings("ignore", "Orthogonal matching pursuit ended", RuntimeWarning)
        found = orthogonal_mp(
            V / lengths, T[coded].T.astype(np.float64), n_nonzero_coefs=min(sparsity, *V.shape)
        )
    scores[coded] = found.reshape(V.shape[1], -1).T / lengths
    return scores
