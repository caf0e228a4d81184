"""Multi-label feature selection."""

from __future__ import annotations

from typing import Any

from labelspan.ranking import keep_common
from labelspan.selection._base import RankingSelector


class MLFS(RankingSelector):
    r"""Feature weights that minimise the ranking loss of the labels, without label correlation.

    .. math::
        \min_{\omega, W} \tfrac12 \sum_j \frac{\|w^j\|^2}{\omega_j} +
        C \sum_i \frac{1}{|y_i||\bar y_i|} \sum_{k \in y_i} \sum_{l \notin y_i}
        (1 - (w_k - w_l)'x_i)_+, \quad 0 \le \omega \le 1, \; \sum_j \omega_j = m

    Eq. (18) of [1]_ with mu = 0: the convex relaxation of choosing m features.

    Parameters
    ----------
    n_features : int, default=10
        Sum of the feature weights, the paper's m. Weights lie between 0 and 1, so this is the
        smallest number of selected features. The support is usually larger;
        ``n_features_selected_`` and the repr of a fitted selector show its size. If m exceeds the
        number of features, all are kept, with a warning.
    C : float, default=1.0
        Weight of the loss.
    tol : float, default=1e-3
        Relative duality gap to reach.
    max_iter : int, default=5000
        Largest number of sweeps over the data and, if these are slow (large C), Newton steps.
    max_planes : int, default=50
        Largest number of masks (cutting planes).
    max_features : int or None, default=None
        Largest number of features to select, at least `n_features`. If the support is larger, the
        features with the largest weights are kept and the problem is solved again with only these.
        So ``max_features=n_features`` selects exactly `n_features`. None sets no limit.
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
    feature_weights_ : ndarray of shape (n_features,)
        omega = sum_t lambda_t p^t, in [0, 1] with sum `n_features`.
    support_ : ndarray of bool, shape (n_features,)
        Features of positive weight, that is the union of the masks p^t with lambda_t > 0; may
        hold more than `n_features`, at most `max_features`.
    n_features_selected_ : int
        Number of features selected.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the largest weight; features outside the support share the last rank.
    n_planes_ : int
        Number of masks tried.
    bounds_ : ndarray of shape (n_outer, 2)
        (l_t, u_t) = -(best primal, best dual) after each outer iteration: l_t <= u_t, l_t never
        falls and u_t never rises.
    stationarity_ : float
        First-order gain of the best single mask, relative to the objective.
    coef_ : ndarray of shape (n_labels, n_features)
        Weight vectors for all features, zero outside the support. One label is trained as
        [y, 1 - y]; its row is the difference of the two.
    intercept_ : ndarray of shape (n_labels,)
        Bias, learnt as the weight of a feature that is 1 everywhere and always kept.
    label_covariance_ : ndarray of shape (n_labels, n_labels)
        (W'W)^(1/2) / tr with W scaled by omega^(-1/2), reported but not used; 2 x 2 for one
        label.
    primal_objective_, dual_objective_ : float
        Objective at W and omega, and a lower bound on the optimum over both: the dual at the
        best mask of all.
    objectives_ : ndarray
        Objective after each outer iteration; never rises.
    n_iter_ : int
        Number of sweeps and Newton steps.
    n_pairs_ : int
        Number of triples.
    threshold_coef_, threshold_intercept_ : ndarray of shape (n_selected,), float
        Threshold function t(x) of Sec. 3.8 on the selected features.
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
    Cutting planes on features: each outer iteration adds the mask of the m largest scores
    ``s_j = |a_j|^2``, A = X'beta, and optimises omega over all masks within the union. At fixed W
    omega_j = min(1, omega_j sqrt(s_j) / nu). Time O(nnz(X) q) per outer iteration, and
    O(nnz q + pairs) per sweep with only the columns of the union. Memory as for
    :class:`labelspan.ranking.LaRankSVM` plus a copy of these columns. Missing labels form no pairs,
    as there.

    References
    ----------
    .. [1] Q. Gu, Z. Li and J. Han, "Correlated multi-label feature selection", CIKM 2011.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import MLFS
    >>> yeast = load_yeast()
    >>> model = MLFS(n_features=10, random_state=0).fit(yeast.X[:500], yeast.Y[:500])
    >>> round(float(model.feature_weights_.sum()), 6)
    10.0
    """

    def __init__(
        self,
        n_features: int = 10,
        *,
        C: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 5000,
        max_planes: int = 50,
        max_features: int | None = None,
        max_pairs: int | None = None,
        min_labels: int = 1,
        max_time: float | None = None,
        verbose: int = 0,
        random_state: Any = None,
        threshold: float | str = "paper",
    ):
        self.n_features = n_features
        self.C = C
        keep_common(
            self, tol, max_iter, max_pairs, min_labels, max_time, verbose, random_state, threshold
        )
        self.max_planes = max_planes
        self.max_features = max_features
