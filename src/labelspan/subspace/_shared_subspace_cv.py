"""Cross-validation of the shared subspace: the whole grid from one decomposition per fold."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import delayed
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid

from labelspan.arrays import cast, dense, like, precision_of, rows_at
from labelspan.base import remember_features
from labelspan.classifiers import tuned_thresholds
from labelspan.compat import StrOptions
from labelspan.gate import Labels, check_splits
from labelspan.moments import Moments, Sample
from labelspan.search import Fold, FoldScores, Judge, KnownScores, on_folds, results_table
from labelspan.subspace._base import SubspaceClassifier
from labelspan.subspace._folds import FoldPlan, compact, fold_form, moments_of_folds
from labelspan.subspace._shared_subspace import SharedSubspaceClassifier

# Candidates of Sec. 6.1, for alpha and for beta.
CANDIDATES = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)


class SharedSubspaceClassifierCV(SubspaceClassifier):
    r"""Shared subspace whose alpha and beta maximise a cross-validated score.

    The problem at each point of the grid is that of :class:`SharedSubspaceClassifier`,

    .. math:: \min_{U, V, \Theta} \; \tfrac{1}{n} \|X_c U - S_c\|_F^2
              + \alpha \|U - \Theta' V\|_F^2 + \beta \|U\|_F^2
              \quad \text{subject to} \quad \Theta \Theta' = I,

    and in the singular vectors of a training fold all of them are diagonal (Eqs. 22-26 of [1]_).

    Parameters
    ----------
    alphas : array-like of float, default=(0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1)
        Candidates for alpha; the default is that of the paper.
    betas : array-like of float, default=(0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1)
        Candidates for beta; the default is that of the paper.
    n_components : int, None or list of these, default=None
        Dimension of the subspace, or candidates; None means 5 * floor((q - 1) / 5), at least 1.
    fit_intercept : bool, default=True
        Centre X and the labels.
    cv : int, splitter or iterable, default=5
        Folds, as everywhere in scikit-learn.
    scoring : str, callable, list or dict, default="f1_macro"
        One scorer or several.
    refit : str or None, default=None
        Which of several scorers chooses the parameters; None means the first.
    threshold : {"per_label_f1", "cardinality"} or None, default=None
        Thresholds tuned on the training scores of each fold at each point, as the paper does;
        None predicts positive scores. See :class:`labelspan.classifiers.ThresholdTuner`.
    fold_statistics : {"own", "shared"}, default="own"
        "own" decomposes the training rows of each fold. "shared" reads X once: training moments are
        the total minus the held-out block (D <= n), or blocks of one Gram matrix (D > n). Ranks
        cannot be determined after a subtraction, so alpha = beta = 0 then gets the score NaN, with
        a warning; all other points agree with "own".
    n_jobs : int or None, default=None
        Number of parallel folds.
    progress : bool, default=False
        Show a bar over the folds (needs rich).

    Attributes
    ----------
    cv_results_ : dict of ndarray
        As that of :class:`sklearn.model_selection.GridSearchCV`. The fit time of a point is its
        share of the decomposition.
    best_params_ : dict
        The chosen alpha, beta and n_components.
    best_score_ : float
        Their mean score.
    best_index_ : int
        Their place in ``cv_results_``.
    best_estimator_ : SharedSubspaceClassifier
        Fitted with them on all rows.
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds on the scores of ``best_estimator_``; zeros without `threshold`.
    theta_, coef_, intercept_, mean_, objective_
        Those of ``best_estimator_``, with the thresholds subtracted from the intercepts.
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
    A fold costs its thin SVD, O(n D min(n, D)), and a point of the grid O(n_test t q) for its
    scores, t = min(n, D): with the paper's 64 points the SVDs still dominate.

    References
    ----------
    .. [1] S. Ji, L. Tang, S. Yu and J. Ye, "A shared-subspace learning framework for
       multi-label classification", ACM Transactions on Knowledge Discovery from Data 4(2), 2010.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.subspace import SharedSubspaceClassifierCV
    >>> yeast = load_yeast()
    >>> search = SharedSubspaceClassifierCV(scoring="f1_micro", cv=3)
    >>> search.fit(yeast.X, yeast.Y).best_params_["beta"]
    0.001
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alphas": ["array-like"],
        "betas": ["array-like"],
        "n_components": [Integral, None, "array-like"],
        "fit_intercept": ["boolean"],
        "cv": ["cv_object"],
        "scoring": [str, callable, list, tuple, dict],
        "refit": [str, None],
        "threshold": [StrOptions({"per_label_f1", "cardinality"}), None],
        "fold_statistics": [StrOptions({"own", "shared"})],
        "n_jobs": [Integral, None],
        "progress": ["boolean"],
    }

    def __init__(
        self,
        alphas: Any = CANDIDATES,
        betas: Any = CANDIDATES,
        *,
        n_components: Any = None,
        fit_intercept: bool = True,
        cv: Any = 5,
        scoring: Any = "f1_macro",
        refit: str | None = None,
        threshold: str | None = None,
        fold_statistics: str = "own",
        n_jobs: int | None = None,
        progress: bool = False,
    ):
        self.alphas = alphas
        self.betas = betas
        self.n_components = n_components
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.threshold = threshold
        self.fold_statistics = fold_statistics
        self.n_jobs = n_jobs
        self.progress = progress

    def _learn(self, X: Any, labels: Labels) -> None:
        grid = self._grid()
        scores = self._fold_scores(X, labels, grid)
        points = list(ParameterGrid(grid))
        self.cv_results_ = results_table(points, scores)
        name = self._picking_name(scores)
        mean = self.cv_results_[f"mean_test_{name}"]
        self.best_index_ = int(np.argmin(self.cv_results_[f"rank_test_{name}"]))
        self.best_params_ = dict(points[self.best_index_])
        self.best_score_ = float(mean[self.best_index_])
        self._refit(X, labels)

    def _grid(self) -> dict[str, list[Any]]:
        one = self.n_components is None or isinstance(self.n_components, Integral)
        grid: dict[str, list[Any]] = {
            "alpha": check_prices(self.alphas, "alphas"),
            "beta": check_prices(self.betas, "betas"),
            "n_components": check_dimensions([self.n_components] if one else self.n_components),
        }
        if self.fold_statistics == "shared" and 0 in grid["alpha"] and 0 in grid["beta"]:
            self._leave_out(max(grid["alpha"]) + max(grid["beta"]) > 0)
        return grid

    def _leave_out(self, others: bool) -> None:
        """Warn that alpha = beta = 0 cannot be scored; raise if there are no other points."""
        text = (
            "fold_statistics='shared' cannot score alpha = beta = 0: alpha + beta must be "
            "positive, because a rank does not survive a subtraction."
        )
        if not others:
            raise ValueError(f"{text} Add a positive alpha or beta, or use fold_statistics='own'.")
        warnings.warn(
            f"{text} Its score is NaN and it is not picked. Drop 0 from alphas or from betas, or "
            "use fold_statistics='own'.",
            UserWarning,
            stacklevel=5,
        )

    def _fold_scores(self, X: Any, labels: Labels, grid: dict[str, list[Any]]) -> list[FoldScores]:
        target, pooled = labels.target, self.fold_statistics == "shared"
        repair = "Use KFold, or fold_statistics='own'." if pooled else ""
        folds = check_splits(self.cv, X, target, labels.kept, complements=repair)
        plan = FoldPlan(
            bool(self.fit_intercept), min(grid["beta"]) == 0, self.threshold is not None
        )
        sample = compact(Sample(X, labels.Y, weights=labels.weights), plan)
        moments = moments_of_folds(sample, folds, plan) if pooled else [None] * len(folds)
        known = KnownScores(self)
        scorer = check_scoring(known, scoring=self.scoring)
        judge = Judge(scorer, [known], dense(target), reads_rows=True)
        jobs = (
            delayed(score_fold)(sample, X, fold, plan, of_fold, grid, judge, self.threshold)
            for fold, of_fold in zip(folds, moments, strict=True)
        )
        return on_folds(jobs, len(folds), self.n_jobs, self.progress, "progress")

    def _picking_name(self, scores: list[FoldScores]) -> str:
        names = list(scores[0].test)
        if self.refit is not None and self.refit not in names:
            raise ValueError(
                f"refit={self.refit!r} is not among the scorers {names}. Pass one of them or None."
            )
        return names[0] if self.refit is None else self.refit

    def _refit(self, X: Any, labels: Labels) -> None:
        best = SharedSubspaceClassifier(fit_intercept=self.fit_intercept, **self.best_params_)
        remember_features(best, self)
        best._accept(X, labels)
        self.best_estimator_ = best
        self.thresholds_ = np.zeros(labels.Y.shape[1])
        if self.threshold is not None:
            scores, positive = dense(best._scores(X)), dense(labels.Y) > 0
            weights = None if labels.weights is None else dense(labels.weights)
            self.thresholds_ = tuned_thresholds(scores, positive, self.threshold, weights)
        dtype = precision_of(best.intercept_)
        self.theta_, self.coef_, self.mean_ = best.theta_, best.coef_, best.mean_
        # An infinite threshold must not make the scores infinite.
        cuts = like(best.intercept_, np.minimum(self.thresholds_, np.finfo(dtype).max))
        self.intercept_ = best.intercept_ - cast(cuts, dtype)
        self._mean, self._level = best._mean, best._level - cuts
        self.objective_ = best.objective_


def score_fold(
    sample: Sample,
    X: Any,
    fold: Fold,
    plan: FoldPlan,
    moments: Moments | None,
    grid: dict[str, list[Any]],
    judge: Judge,
    strategy: str | None,
) -> FoldScores:
    """All grid points on one fold: one decomposition, then small products.

    `sample` holds the rows X in other coordinates. Moments cannot score alpha = beta = 0.
    """
    start, (train, test) = time.perf_counter(), fold
    form = fold_form(sample, fold, plan, moments)
    fit_time = time.perf_counter() - start
    shape = tuple(len(values) for values in grid.values())
    found: dict[str, np.ndarray] = {}
    times = np.zeros(shape)
    weights = None if sample.weights is None else dense(sample.weights)
    weigh = None if weights is None else weights[test]
    positive = dense(rows_at(sample.Y, train)) > 0
    rows, truth, cuts = rows_at(X, test), judge.target[test], None
    for point, scores in form.grid(*grid.values()):
        if moments is not None and grid["alpha"][point[0]] + grid["beta"][point[1]] == 0:
            continue
        start = time.perf_counter()
        if strategy is not None:
            of_training, scores = scores[: len(train)], scores[len(train) :]
            given = strategy, None if weights is None else weights[train]
            cuts = tuned_thresholds(of_training, positive, *given)
        measured = judge.measure(scores[None], rows, truth, cuts=cuts, weights=weigh)
        for name, values in measured.items():
            found.setdefault(name, np.full(shape, np.nan))[point] = values[0]
        times[point] = time.perf_counter() - start
    flat = {name: values.ravel() for name, values in found.items()}
    return FoldScores(flat, np.full(times.size, fit_time / times.size), times.ravel())


def check_prices(values: Any, name: str) -> list[float]:
    """Candidates for alpha or beta: finite, non-negative, at least one."""
    prices = np.asarray(values, dtype=np.float64).ravel()
    if len(prices) == 0:
        raise ValueError(f"{name} is empty; pass at least one number >= 0.")
    wrong = prices[~(np.isfinite(prices) & (prices >= 0))]
    if len(wrong):
        raise ValueError(f"{name} holds {wrong[0]:g}; allowed are finite numbers >= 0.")
    return prices.tolist()


def check_dimensions(values: Iterable[Any]) -> list[int | None]:
    """Candidates for n_components: None or integers >= 1."""
    values = list(values)
    wrong = [
        v for v in values if v is not None and not (isinstance(v, int | np.integer) and v >= 1)
    ]
    if wrong or not values:
        shown = wrong[0] if wrong else values
        raise ValueError(f"n_components holds {shown!r}; allowed are integers >= 1 and None.")
    return values
