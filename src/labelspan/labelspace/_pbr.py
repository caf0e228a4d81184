"""Partial binary relevance."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from labelspan.labelspace._base import COMMON, LabelSpaceClassifier, linear_scores
from labelspan.labelspace._codes import Encoding, at_most
from labelspan.linalg import EigenPairs


class PartialBinaryRelevance(LabelSpaceClassifier):
    """Learn M labels drawn at random and predict the others absent: the baseline of the paper.

    Sec. 4 of [1]_. The codes are the M labels themselves, minus their means: V holds M rows of
    the identity. The score of a label that is not learnt is 0.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of codes M; None for all labels. A larger number warns.
        0 predicts no label.
    regressor : regressor or None, default=None
        Learns the codes from the features: any scikit-learn regressor, a Pipeline included;
        one that takes a single target is fitted once per code. None means least squares from the
        same statistics as the directions, without a second pass.
    ridge : "auto" or float, default="auto"
        Ridge of the least squares of ``regressor=None``, 0 in the paper. "auto" chooses it by
        generalised cross-validation of the regression of all labels, from the sums over the rows,
        see `ridge_`.
    random_state : int, RandomState or None, default=None
        Draws the labels: the first M of one permutation, so a smaller M gives a subset.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_labels)
        Rows of the identity: the labels that are learnt.
    eigenvalues_ : ndarray
        Empty, because the labels have no order.
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

    Notes
    -----
    With all labels and linear regression this is binary relevance. The errors are those of the
    paper, ``||Z - Z V'V||^2`` and ``||r(X) - Z V'||^2``; their sum bounds the Hamming loss if no
    label that is left out occurs in more than half of the rows, because it is always predicted
    absent. Costs as for :class:`PLST` without the directions.

    References
    ----------
    .. [1] Y.-N. Chen and H.-T. Lin, "Feature-aware label space dimension reduction for
       multi-label classification", NIPS 2012.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.labelspace import PartialBinaryRelevance
    >>> yeast = load_yeast()
    >>> model = PartialBinaryRelevance(3, random_state=0).fit(yeast.X, yeast.Y)
    >>> model.components_.shape, int(model.components_.any(axis=0).sum())
    ((3, 14), 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        regressor: Any = None,
        ridge: float | str = "auto",
        random_state: Any = None,
        threshold: float | str = "paper",
    ):
        super().__init__(n_components, regressor=regressor, ridge=ridge, threshold=threshold)
        self.random_state = random_state

    def _encoding(self, sample: Any) -> Encoding:
        n_labels = sample.shape[2]
        M = at_most(self.n_components, n_labels, "labels")
        chosen = check_random_state(self.random_state).permutation(n_labels)[:M]
        V = np.zeros((n_labels, M))
        V[chosen, np.arange(M)] = 1.0
        regression = self._all_labels(sample)
        return Encoding(EigenPairs(np.zeros(0), V), sample.label_mean(regression), regression)

    def _decode(self, T: np.ndarray) -> np.ndarray:
        learnt = self.components_.any(axis=0)
        return linear_scores(T, self.components_, np.where(learnt, self.label_mean_, 0.0))
