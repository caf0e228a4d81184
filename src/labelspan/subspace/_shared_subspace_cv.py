"""Cross-validation of the shared subspace: the whole grid from one decomposition per fold."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import delayed
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid

from labelspan.arrays import cast, dense, like, namespace, place_fitted, precision_of, rows_at
from labelspan.base import remember, remember_features
from labelspan.compat import StrOptions
from labelspan.cuts import tuned_thresholds
from labelspan.gate import Labels, check_splits
from labelspan.linalg import Route, graded_basis, is_graded, route_of, signed_rows, spectral
from labelspan.moments import Moments, Sample, collect, project, summarise
from labelspan.search import (
    Fold,
    FoldScores,
    Judge,
    KnownScores,
    check_prices,
    on_folds,
    parts_of,
    results_table,
)
from labelspan.subspace._base import SubspaceClassifier
from labelspan.subspace._shared_subspace import (
    SharedSubspaceClassifier,
    Solution,
    n_shared,
    shared_labels,
    warn_of_fewer,
)

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
        grid, centre = self._grid(), bool(self.fit_intercept)
        route = route_of(
            X,
            labels.Y,
            labels.weights,
            advice="Select features first.",
            centre=centre,
            ridge_free=min(grid["beta"]) == 0,
            thin=False,
        )
        scores, pooled = self._fold_scores(X, labels, grid, route.sample)
        points = list(ParameterGrid(grid))
        self.cv_results_ = results_table(points, scores)
        name = next(iter(scores[0].test)) if self.refit is None else self.refit
        mean = self.cv_results_[f"mean_test_{name}"]
        self.best_index_ = int(np.argmin(self.cv_results_[f"rank_test_{name}"]))
        self.best_params_ = dict(points[self.best_index_])
        self.best_score_ = float(mean[self.best_index_])
        whole = summarise(route.sample, signed=True, centre=centre) if pooled is None else pooled
        self._refit(X, labels, SpectralForm.of(whole), route)

    def _grid(self) -> dict[str, list[Any]]:
        one = self.n_components is None or isinstance(self.n_components, Integral)
        grid: dict[str, list[Any]] = {
            "alpha": check_prices(self.alphas, "alphas"),
            "beta": check_prices(self.betas, "betas"),
            "n_components": [self.n_components] if one else list(self.n_components),
        }
        for r in grid["n_components"] or [grid["n_components"]]:
            if r is not None and not (isinstance(r, int | np.integer) and r >= 1):
                raise ValueError(f"n_components holds {r!r}; allowed are integers >= 1 and None.")
        if self.fold_statistics == "shared" and 0 in grid["alpha"] and 0 in grid["beta"]:
            warn_of_rank(others=max(grid["alpha"]) + max(grid["beta"]) > 0)
        return grid

    def _fold_scores(
        self, X: Any, labels: Labels, grid: dict[str, list[Any]], sample: Sample
    ) -> tuple[list[FoldScores], Moments | None]:
        """Scores of every point on every fold, and the moments of all rows if they were needed."""
        shared, known = self.fold_statistics == "shared", KnownScores(self)
        repair = "Use KFold, or fold_statistics='own'." if shared else ""
        folds = check_splits(self.cv, X, labels.target, labels.kept, complements=repair)
        judge = Judge(
            check_scoring(known, scoring=self.scoring), [known], dense(labels.target), True
        )
        centre = bool(self.fit_intercept)
        moments = moments_of_folds(sample, folds, centre) if shared else [None] * (len(folds) + 1)
        jobs = (
            delayed(score_fold)(sample, X, fold, of_fold, centre, grid, judge, self.threshold)
            for fold, of_fold in zip(folds, moments[:-1], strict=True)
        )
        scores = on_folds(jobs, len(folds), self.n_jobs, self.progress, "progress")
        names = list(scores[0].test)
        if self.refit is not None and self.refit not in names:
            raise ValueError(
                f"refit={self.refit!r} is not among the scorers {names}. Pass one of them or None."
            )
        return scores, moments[-1]

    def _refit(self, X: Any, labels: Labels, form: SpectralForm, route: Route) -> None:
        """The best point on all rows, with the thresholds subtracted from its intercepts."""
        best = SharedSubspaceClassifier(fit_intercept=self.fit_intercept, **self.best_params_)
        remember_features(best, self)
        remember(best, labels)
        best._keep_solution(X, form.solution(route, **self.best_params_), labels.weights)
        place_fitted(best, X)
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


@dataclass(frozen=True)
class SpectralForm:
    """Rows X = U diag(s) V' and U'S for their labels S in {-1, +1}, both about their means.

    V (D, t), s (t,), UT (t, q). In these coordinates every point of the grid is diagonal.
    """

    V: np.ndarray
    s: np.ndarray
    UT: np.ndarray
    x_mean: np.ndarray
    s_mean: np.ndarray
    weight: float

    @classmethod
    def of(cls, statistics: Any) -> SpectralForm:
        """Decompose the statistics: O(D^3)."""
        form = spectral(statistics)
        means = dense(statistics.x_mean), dense(statistics.t_mean)
        return cls(dense(form.V), form.s, dense(form.UT), *means, statistics.weight)

    def weights(
        self, alpha: float, beta: float, dimensions: Sequence[int | None]
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """U of Eq. (17), the subspace in them, (t, r), and scales of its rows, per dimension.

        The ridge regressions at beta and alpha + beta are multiples s / (s^2 + n penalty) of U'S.
        """
        wanted = [n_shared(r, self.UT.shape[1]) for r in dimensions]
        loose, tight = (self.s / (self.s**2 + self.weight * p) for p in (beta, alpha + beta))
        scales = np.sqrt(loose * tight)
        P, C = shared_labels(scales, self.UT, max(wanted))
        shared = np.sqrt(loose / tight)[:, None] * C
        gained = (1.0 - tight / loose)[:, None] * shared
        for r in wanted:
            yield tight[:, None] * self.UT + gained[:, :r] @ P[:, :r].T, shared[:, :r], scales

    def solution(
        self, route: Route, alpha: float, beta: float, n_components: int | None
    ) -> Solution:
        """The solution of one point, as :class:`SharedSubspaceClassifier` finds it."""
        W, shared, scales = next(self.weights(alpha, beta, [n_components]))
        warn_of_fewer(n_components, shared)
        M = route.lift(self.V @ shared)
        basis = graded_basis(M) if is_graded(scales**2) else namespace(M).linalg.qr(M)[0]
        explained = float(np.sum(W * (self.s[:, None] * self.UT))) / self.weight
        return Solution(
            signed_rows(basis),
            route.lift(self.V @ W),
            float(np.sum(1.0 - self.s_mean**2)) - explained,
            route.mean(self.x_mean),
            self.s_mean,
            route.solver,
        )


def score_fold(
    sample: Sample,
    X: Any,
    fold: Fold,
    moments: Moments | None,
    centre: bool,
    grid: dict[str, list[Any]],
    judge: Judge,
    strategy: str | None,
) -> FoldScores:
    """All grid points on one fold; `sample` has X in other coordinates, moments no rank."""
    start, (train, test) = time.perf_counter(), fold
    A, B, *w = sample.at(train)
    part = Sample(cast(A, np.float64), B, sample.solver, *w)
    form = SpectralForm.of(moments or summarise(part, signed=True, centre=centre))
    scored = rows_at(sample.X, test if strategy is None else np.append(train, test))
    Z = project(cast(scored, np.float64), form.x_mean, form.V.T)
    fit_time = time.perf_counter() - start
    weights = None if sample.weights is None else dense(sample.weights)
    weigh = None if weights is None else weights[test]
    positive = dense(rows_at(sample.Y, train)) > 0
    rows, truth, cuts = rows_at(X, test), judge.target[test], None
    shape = tuple(len(values) for values in grid.values())
    found: dict[str, np.ndarray] = {}
    times = np.zeros(shape)
    for i, j in product(range(shape[0]), range(shape[1])):
        alpha, beta = grid["alpha"][i], grid["beta"][j]
        if moments is not None and alpha + beta == 0:
            continue
        for k, (W, _, _) in enumerate(form.weights(alpha, beta, grid["n_components"])):
            start = time.perf_counter()
            scores = dense(Z @ like(Z, W)) + form.s_mean
            if strategy is not None:
                of_training, scores = scores[: len(train)], scores[len(train) :]
                given = strategy, None if weights is None else weights[train]
                cuts = tuned_thresholds(of_training, positive, *given)
            measured = judge.measure(scores[None], rows, truth, cuts=cuts, weights=weigh)
            for name, values in measured.items():
                found.setdefault(name, np.full(shape, np.nan))[i, j, k] = values[0]
            times[i, j, k] = time.perf_counter() - start
    flat = {name: values.ravel() for name, values in found.items()}
    return FoldScores(flat, np.full(times.size, fit_time / times.size), times.ravel())


def moments_of_folds(sample: Sample, folds: Sequence[Fold], centre: bool) -> list[Moments]:
    """Moments of the training rows of each fold, and of all rows, from one pass over parts."""
    parts, of_block = parts_of(folds, sample.X.shape[0]), partial(Moments.of, tt=False)
    found = {}
    for partition in parts.number:
        for number in np.unique(partition[partition >= 0]).tolist():
            X, Y, *w = sample.at(np.flatnonzero(partition == number))
            found[number] = collect(Sample(cast(X, np.float64), Y, "scatter", *w), of_block)
    sums = (each.signed() for each in [*parts.training_sums(found), parts.pooled(found)])
    return [each if centre else each.about_zero() for each in sums]


def warn_of_rank(*, others: bool) -> None:
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
        stacklevel=5,
    )
