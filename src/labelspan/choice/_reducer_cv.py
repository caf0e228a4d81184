"""The choice of a reducer, its parameters and its dimension by cross-validation in two passes."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import is_dask_array
from labelspan.base import LabelClassifier, decide
from labelspan.choice._columns import names_out, reduced, width_of
from labelspan.choice._readout_kinds import (
    gives_probabilities,
    gives_scores,
    label_scores_of,
    refused_by_readout,
)
from labelspan.choice._refit import refit
from labelspan.choice._results import (
    chosen_index,
    measured,
    method_ranks,
    picking_name,
    table_at_cuts,
    threshold_at,
    warn_of_few_directions,
)
from labelspan.choice._search import Search, folds_of, in_memory, place_in, points_of, search_in
from labelspan.choice._space import spaces_of
from labelspan.choice._summary import summary_of
from labelspan.compat import HasMethods, Interval, StrOptions
from labelspan.gate import Labels, lazily
from labelspan.search import FoldScores, Judge, search_measures, side_by_side


class ReducerCV(LabelClassifier, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Reducer, parameters and dimension that maximise a cross-validated score, in two passes.

    .. math:: \max_{c} \; \frac{1}{K} \sum_{k=1}^{K}
              \mathrm{score}(\mathrm{readout}_c(P_{c,k}'(x - \bar x_k)), y),
              \qquad (x, y) \in \text{fold } k,

    over candidates c: a reducer with its parameters, the number of its directions
    :math:`P_{c,k}`, learnt without fold k, a classifier that reads the projections, and a threshold
    of its scores. No reduction and PCA are among the candidates, so the answer may be not to
    reduce. With a given threshold, the scores are those of
    :class:`sklearn.model_selection.GridSearchCV` over a pipeline of reducer and classifier, up to
    rounding. GridSearchCV reads the data once for each candidate and fold; this reads them twice.

    Parameters
    ----------
    reducers : list or None, default=None
        "none", "pca", extractors, selectors that rank features, or pairs (reducer, dict of lists of
        its parameters). None means
        no reduction, PCA, and extractors that share the statistics of one pass: :class:`MDDM` with
        both constraints, :class:`MVMD`, :class:`LabelCCA` and :class:`OPLS`, with the best ridge
        for all features. Extractors of several passes are accepted, and fitted to each fold.
    n_components : int, float, None or list of these, default=None
        Numbers of directions to try, shares of the eigenvalue sum in (0, 1), or None for all
        directions; the grid of a reducer takes precedence. By default up to ten numbers, equally
        spaced in their logarithms, from 1 to the number of labels, or to 100 for methods that have
        more directions than labels.
    kernel : {"auto", "linear", "rbf"}, default="auto"
        What the reducers read: the columns, or an RBF kernel against 600 landmarks. "auto" tries
        both if `reducers` is None and the kernel and its width are promising, else the columns.
    scale : {"auto", "range", "standard", "rows"} or None, default="auto"
        How the columns are scaled first, as for :class:`MultilabelRidgeCV`; None leaves them as
        they are. "auto" takes the best for a regression on all features if `reducers` is None,
        otherwise None.
    readout : {"ridge", "mlknn"}, classifier or pair, default="ridge"
        The classifier after the reducer. "ridge" is :class:`MultiOutputRidge` with three ridges
        around the best one for all features, or (0.01, 1, 100); "mlknn" is :class:`MLkNN` with 10
        neighbours. A classifier is used unchanged, a pair (classifier, dict of lists) with that
        grid. Classifiers other than these two are fitted to the projections of each fold, for each
        dimension.
    threshold : {"auto", "paper"} or float, default="auto"
        From which score on a label is predicted. "auto" is, for several labels, where the held-out
        scores of a candidate have the best `scoring`, or the best micro-F1 if `scoring` does not
        depend on it; rows without a label take their best if that is better. "paper" is that of the
        classifier.
    scoring : str, callable, Measure, list, dict or None, default="f1_micro"
        Scikit-learn's names, names of `labelspan.metrics.MEASURES` ("squared_error" with a given
        threshold takes sums only), "shared_label_at_10" or "retrieval_ndcg_at_10" for search,
        scorers, or several of them. None means ``score``, the subset accuracy.
    cv : int, splitter or iterable, default=5
        Folds; a number stands for :class:`labelspan.model_selection.MultilabelStratifiedKFold`.
    refit : bool or str, default=True
        Whether to fit the choice to all rows; with several scorers, the name of the one that
        chooses, or False to choose nothing.
    rule : {"best", "one_standard_error"}, default="best"
        Choose the best mean score, or the fewest directions within one standard error of it: then
        reduce, unless that costs more than one standard error.
    n_jobs : int or None, default=None
        Number of parallel folds.
    verbose : int, default=0
        Above 0 a bar over the folds is shown (needs rich).

    Attributes
    ----------
    cv_results_ : dict of ndarray
        As that of GridSearchCV over a pipeline of the steps "reducer" and "readout"; also
        ``mean_n_components``, the number of directions that a candidate had on average, and its
        ``threshold`` and ``min_labels`` if these were chosen. The times of a candidate include its
        share of common computations. No reduction is the reducer "passthrough"; if both kernels
        were tried, there is a parameter "kernel".
    best_params_ : dict
        The choice, as parameters of such a pipeline.
    best_score_ : float
        Its mean score.
    best_index_ : int
        Its place in ``cv_results_``.
    best_estimator_ : LinearReducer or selector
        The chosen reducer, fitted to all rows after their scaling, or to their kernel functions.
    best_readout_ : MultiOutputRidge, MLkNN or the classifier
        The chosen readout, fitted to their projections.
    threshold_ : float
        From which score on labels are predicted; ``decision_function`` does not subtract it.
    min_labels_ : int
        Rows with fewer labels take so many of their best.
    method_ranks_ : dict of str to float
        Mean rank over the folds of the best candidate of each reducer, best first.
    n_splits_ : int
        Number of folds.
    n_passes_ : int
        How often the rows were read: 2, or 1 for squared errors from sums; once more to refit an
        MLkNN or no reduction. A reducer whose statistics cannot be pooled adds one for each fold
        and parameter; finding the scale adds 2, each kernel 4 more.
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
    The first pass computes the moments of the parts of the rows; those of a training set are the
    sum of its parts. From them each setting of a reducer is solved once, for the largest dimension;
    smaller ones use the first eigenvectors. The ridge readout on d directions is solved for every d
    by one Cholesky factor; distances of ML-kNN add up over d. The second pass projects the held-out
    rows. The refit has its moments already.

    Time O(n D^2) for the moments, O(D^3) for each fold and setting, O(n q) for each candidate and
    scorer; memory O(K D^2) and one fold of projections. Wide X is reduced to its row space. Sparse
    X of more than 3000 rows and columns is fitted for each fold and setting; by default these are
    no reduction, PCA, MDDM and OPLS.

    A threshold is one more axis: micro-F1 at 511 cuts by counts of scores per interval, other
    measures at 31 cuts. Left-out scores of :class:`MultilabelRidgeCV` choose scale and width once.

    Scores count every held-out row once, whatever its weight; a row of weight 0 is in no fold. For
    search, up to 2000 rows per fold are compared with its training rows by cosines; the reducers
    are then none, PCA, MVMD, OPLS and :class:`EmbeddingReducer`, on columns as they are.

    Missing labels in `y`: reducers learn from available cases, whose sums are pooled in the same
    way. The ridge readout of a label is solved from the projections of the training rows where it
    is observed, with its own scatter, O(n K^2) per label for K directions. Scores skip missing
    labels. This needs rows in memory, reducers that accept missing labels, and a ridge readout. To
    refit the readout, the rows are read once more. With missing labels, and for Dask arrays, "auto"
    leaves the columns as they are.

    Examples
    --------
    >>> from labelspan import OPLS, ReducerCV
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> search = ReducerCV(["none", (OPLS(), {"ridge": [0.1, 10.0]})], [2, 5, 10], cv=3)
    >>> search = search.fit(yeast.X, yeast.Y)
    >>> print(search.summary().splitlines()[0])
    Reduce to 5 directions by OPLS: micro-F1 .658 +- .002; all 103 features: .657.
    >>> search.transform(yeast.X).shape, search.n_passes_
    ((2417, 5), 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "reducers": [list, tuple, None],
        "n_components": [Real, "array-like", None],
        "kernel": [StrOptions({"auto", "linear", "rbf"})],
        "scale": [StrOptions({"auto", "range", "standard", "rows"}), None],
        "readout": [StrOptions({"ridge", "mlknn"}), HasMethods("fit"), tuple],
        "threshold": [StrOptions({"auto", "paper"}), Interval(Real, None, None, closed="neither")],
        "scoring": [str, callable, list, tuple, set, dict, None],
        "cv": ["cv_object"],
        "refit": ["boolean", str],
        "rule": [StrOptions({"best", "one_standard_error"})],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    get_feature_names_out = names_out
    best_estimator_: Any
    best_readout_: Any
    _picked_by: str
    _groups: Any = None

    def __init__(
        self,
        reducers: Any = None,
        n_components: Any = None,
        *,
        kernel: str = "auto",
        scale: str | None = "auto",
        readout: Any = "ridge",
        threshold: Any = "auto",
        scoring: Any = "f1_micro",
        cv: Any = 5,
        refit: bool | str = True,
        rule: str = "best",
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.reducers = reducers
        self.n_components = n_components
        self.kernel = kernel
        self.scale = scale
        self.readout = readout
        self.threshold = threshold
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.rule = rule
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        observed: Any = None,
        groups: Any = None,
    ) -> Any:
        """Score every candidate on the folds, and fit the best one to all rows.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.
        y : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_labels)
            Label indicators in {0, 1}, bool or {-1, +1}, or soft labels in [0, 1]; NaN where a
            label is not observed; or a 1-d array of classes.
        sample_weight : array-like or Dask array of shape (n_samples,), number or None, default=None
            Non-negative row weights: a row of weight k counts as k rows, one of weight 0 as none.
            None means a weight of 1 each.
        observed : array-like or sparse matrix of bool, (n_samples, n_labels), or None, default=None
            Which labels of a sparse `y` are observed, where not all of them are. The labels are
            then made dense.
        groups : array-like of shape (n_samples,) or None, default=None
            Groups of the rows, for splitters that need them, such as
            :class:`sklearn.model_selection.GroupKFold`.

        Returns
        -------
        ReducerCV
            The fitted search itself.
        """
        self._groups = groups
        try:
            return super().fit(X, y, sample_weight, observed)
        finally:
            del self._groups

    def _learn(self, X: Any, labels: Labels) -> None:
        labels = in_memory(labels)
        folds = folds_of(self.cv, X, labels, self._groups)
        default = self.reducers is None and not search_measures(self.scoring)
        spaces = spaces_of(X, labels, self.kernel, self.scale, default=default)
        searches = [search_in(space, self, X, labels, folds) for space in spaces]
        of_spaces = [search.scores(self.n_jobs, self.verbose) for search in searches]
        scores = [side_by_side(of_fold) for of_fold in zip(*of_spaces, strict=True)]
        self._choose(points_of(searches), scores, searches[0].judge)
        self.n_passes_ = sum(each.n_passes + each.space.n_reads for each in searches)
        if self.refit:
            self._refit(searches)

    def _choose(self, points: list[dict[str, Any]], scores: list[FoldScores], judge: Judge) -> None:
        self.n_splits_ = len(scores)
        goal = picking_name(self.refit, list(scores[0].test))
        self.cv_results_ = table_at_cuts(points, scores, judge, goal)
        if self.reducers is not None or self.n_components is not None:
            warn_of_few_directions(self.cv_results_)
        measured(self.cv_results_)
        if goal is None:
            return
        self._picked_by = goal
        self.best_index_ = chosen_index(self.cv_results_, goal, self.rule, self.n_splits_)
        self.best_params_ = dict(points[self.best_index_])
        self.best_score_ = float(self.cv_results_[f"mean_test_{goal}"][self.best_index_])
        self.method_ranks_ = method_ranks(self.cv_results_, goal, self.n_splits_)
        self.threshold_, self.min_labels_ = threshold_at(self.cv_results_, self.best_index_, judge)

    def _refit(self, searches: list[Search]) -> None:
        search, place = place_in(searches, self.best_index_)
        self._space = search.space
        self.best_estimator_, self.best_readout_, n_reads = refit(self, search, place)
        self.n_passes_ += n_reads

    def transform(self, X: Any) -> Any:
        """Project onto the directions of ``best_estimator_``.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or a lazy Dask array for one
            Projections, float32 for float32 input.
        """
        return self._projected(X)

    @available_if(gives_scores)
    def decision_function(self, X: Any) -> Any:
        """Score every label; for a ridge readout.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels), or (n_samples,) for a 1-d `y` of two classes
            Scores of ``best_readout_``; lazy for a Dask array.
        """
        Z = self._projected(X)
        return self.best_readout_.decision_function(Z)

    @available_if(gives_probabilities)
    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each label; for an ML-kNN readout.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels) or (n_samples, n_classes), float64
            Probabilities of ``best_readout_``; lazy for a Dask array.
        """
        Z = self._projected(X)
        return self.best_readout_.predict_proba(Z)

    def summary(self) -> str:
        """Summarise the search, the choice and the candidates that are as good.

        Returns
        -------
        str
            A few lines of text and a table with a line for each reducer.
        """
        check_is_fitted(self)
        return summary_of(self)

    def _projected(self, X: Any) -> Any:
        """Projections of unchecked rows."""
        check_is_fitted(self)
        if is_dask_array(X):
            return lazily(self, X, self._project, self._n_features_out)
        return self._project(self._rows(X))

    def _project(self, X: Any) -> np.ndarray:
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(
                f"This ReducerCV was fitted with refit={self.refit!r} and has no model of all "
                "rows. Set refit to True, or to the name of a scorer, and fit again."
            )
        return reduced(self.best_estimator_, self._space.features(X))

    def _scores(self, X: Any) -> np.ndarray:
        Z = self._project(X)
        return label_scores_of(self.best_readout_, Z, self._n_labels)

    def _decisions(self, X: Any) -> Iterator[np.ndarray]:
        Z = self._project(X)
        if self.threshold == "paper" and isinstance(self.best_readout_, LabelClassifier):
            return self.best_readout_._decisions(Z)
        scores = label_scores_of(self.best_readout_, Z, self._n_labels)
        return iter([decide(self, scores, self.threshold_)])

    @property
    def _n_features_out(self) -> int:
        return width_of(self.best_estimator_)

    def _refusals(self) -> dict[str, str]:
        return refused_by_readout(self.readout)
