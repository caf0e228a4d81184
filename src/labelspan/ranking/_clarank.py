"""Correlated label-ranking SVM."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from labelspan.compat import Interval
from labelspan.ranking._base import COMMON, RankingClassifier, keep_common
from labelspan.ranking._dual import DualState
from labelspan.ranking._fit import Fit, fit_fixed_weights
from labelspan.ranking._pairs import Pairs
from labelspan.ranking._rows import as_rows
from labelspan.system import Watch


class CLaRankSVM(RankingClassifier):
    r"""Label scores that minimise the ranking loss while learning how the labels correlate.

    .. math::
        \min_{W, D} \tfrac12 \|W\|_F^2 + \tfrac{\mu}{2} \mathrm{tr}(W D^{-1} W') +
        C \sum_i \frac{1}{|y_i||\bar y_i|} \sum_{k \in y_i} \sum_{l \notin y_i}
        (1 - (w_k - w_l)'x_i)_+, \quad D \succeq 0, \; \mathrm{tr}\, D = 1

    Eq. (6) of [1]_ with all features kept, jointly convex in W and D. W by Algorithm 1 with R^-1 =
    D (D + mu I)^-1 and D by Theorem 3.4 alternate. If the optimal D loses rank, an accelerated
    ascent of the dual minimised over D takes over.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss.
    mu : float, default=1.0
        Weight of the label correlation; 0 is :class:`LaRankSVM`.
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
        Bias, learnt as the weight of a feature that is 1 everywhere (and so part of W).
    label_covariance_ : ndarray of shape (n_labels, n_labels)
        D = (W'W)^(1/2) / tr, positive semi-definite with unit trace; 2 x 2 for one label.
    primal_objective_, dual_objective_ : float
        Objective at W and D, and a lower bound on the optimum over both.
    objectives_ : ndarray
        Objective after each outer iteration; never rises.
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
    Time O(nnz(X) q + n q^2 + pairs) per sweep and O(D q^2 + q^3) for D. Memory as for
    :class:`LaRankSVM`, with twice the 16 (D + 1) q bytes. Missing labels are treated as there.

    References
    ----------
    .. [1] Q. Gu, Z. Li and J. Han, "Correlated multi-label feature selection", CIKM 2011.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.ranking import CLaRankSVM
    >>> yeast = load_yeast()
    >>> model = CLaRankSVM(mu=1.0, random_state=0).fit(yeast.X[:500], yeast.Y[:500])
    >>> round(float(model.label_covariance_.trace()), 6)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "mu": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        mu: float = 1.0,
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
        self.mu = mu

    def _solve(
        self, X: Any, pairs: Pairs, n_labels: int, rng: np.random.Generator, watch: Watch
    ) -> Fit:
        dual = DualState(as_rows(X), pairs, self.C, X.shape[1], n_labels, rng, watch)
        return fit_fixed_weights(dual, self.mu, self.tol, self.max_iter)
