"""Label-ranking SVM."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.ranking._base import RankingClassifier, keep_common
from labelspan.ranking._dual import DualState
from labelspan.ranking._fit import Fit, fit_fixed_weights
from labelspan.ranking._pairs import Pairs
from labelspan.ranking._rows import as_rows
from labelspan.system import Watch


class LaRankSVM(RankingClassifier):
    r"""Linear label scores that minimise the average ranking hinge loss of the labels.

    .. math::
        \min_W \tfrac12 \|W\|_F^2 + C \sum_i \frac{1}{|y_i||\bar y_i|}
        \sum_{k \in y_i} \sum_{l \notin y_i} (1 - (w_k - w_l)'x_i)_+

    Eq. (1) of [1]_, solved in the dual (their Eq. 19 with R = I) by Algorithm 1. Sweeps of it
    are slow when C is large; then proximal steps of the dual take over, each by semi-smooth Newton
    steps, whose number hardly depends on C.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss.
    tol : float, default=1e-3
        Relative duality gap to reach.
    max_iter : int, default=1000
        Largest number of sweeps over the data and, if these are slow (large C), Newton steps.
    max_pairs : int or None, default=None
        Largest number of (instance, relevant, irrelevant) triples. Beyond it each row keeps a
        random sample of the labels it lacks, with a warning. None uses all.
    min_labels : int, default=1
        A row with fewer predicted labels gets its highest-scoring ones.
    max_time : float or None, default=None
        Seconds after which the iterations end with a warning that states the gap; the best model
        so far is kept. None sets no limit.
    verbose : int, default=0
        If positive, print the gap once per second.
    random_state : int, RandomState instance or None, default=None
        Order of the instances in a sweep, and the sample for `max_pairs`.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Weight vectors, W' of the paper. One label is trained as [y, 1 - y]; its row is the
        difference of the two.
    intercept_ : ndarray of shape (n_labels,)
        Bias, learnt as the weight of a feature that is 1 everywhere.
    label_covariance_ : ndarray of shape (n_labels, n_labels)
        (W'W)^(1/2) / tr, which LaRankSVM reports but does not use; 2 x 2 for one label.
    primal_objective_, dual_objective_ : float
        Objective at ``coef_``, and a lower bound on the optimum.
    objectives_ : ndarray
        Objective after each outer iteration, of which there is one.
    n_iter_ : int
        Number of sweeps and Newton steps.
    n_pairs_ : int
        Number of triples.
    threshold_coef_, threshold_intercept_ : ndarray of shape (n_features,), float
        Threshold function t(x) of Sec. 3.8.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    Time O(nnz(X) q + pairs) per sweep, and up to 500 times that per Newton step. Memory besides X:
    at most 12 bytes per pair, 16 (D + 1) q bytes for W and A, and 60 bytes per row
    (with Newton steps three times as much); pairs = ``sum_i |y_i| (q - |y_i|)``. Rows with no label
    or with all labels form no pairs and do not count. With missing labels, y_i and its complement
    hold only the observed labels of the row. The rows must fit into memory in float64; a memory map
    is copied. For more rows, fit a sample; `max_pairs` limits the memory of pairs.

    References
    ----------
    .. [1] Q. Gu, Z. Li and J. Han, "Correlated multi-label feature selection", CIKM 2011.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.ranking import LaRankSVM
    >>> yeast = load_yeast()
    >>> model = LaRankSVM(C=0.1, random_state=0).fit(yeast.X[:500], yeast.Y[:500])
    >>> model.predict(yeast.X[500:502]).shape
    (2, 14)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        tol: float = 1e-3,
        max_iter: int = 1000,
        max_pairs: int | None = None,
        min_labels: int = 1,
        max_time: float | None = None,
        verbose: int = 0,
        random_state: Any = None,
        threshold: float | str = "paper",
    ):
        self.C = C
        keep_common(
            self, tol, max_iter, max_pairs, min_labels, max_time, verbose, random_state, threshold
        )

    def _solve(
        self, X: Any, pairs: Pairs, n_labels: int, rng: np.random.Generator, watch: Watch
    ) -> Fit:
        dual = DualState(as_rows(X), pairs, self.C, X.shape[1], n_labels, rng, watch)
        return fit_fixed_weights(dual, 0.0, self.tol, self.max_iter)
