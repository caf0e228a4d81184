"""The choice of a reducer, its parameters and its dimension by cross-validation in two passes."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labelspan.base import LabelClassifier, LinearReducer
from labelspan.choice._candidates import Candidates, candidates_of
from labelspan.choice._pool import recipe_of
from labelspan.choice._refit import Refit
from labelspan.choice._results import chosen_index, measured, method_ranks, warn_of_few_directions
from labelspan.choice._search import (
    Search,
    folds_of,
    in_memory,
    is_large_sparse,
    refuse_missing,
    refuse_rows,
)
from labelspan.choice._summary import summary_of
from labelspan.classifiers import MLkNN
from labelspan.compat import HasMethods, StrOptions, is_dask_array
from labelspan.gate import (
    Labels,
    has_holes,
    lazily,
)
from labelspan.search import FoldScores, Judge, results_table


def reads_neighbours(search: ReducerCV) -> bool:
    """Whether the readout gives probabilities: an ML-kNN."""
    readout = search.readout[0] if isinstance(search.readout, tuple) else search.readout
    return readout == "mlknn" if isinstance(readout, str) else isinstance(readout, MLkNN)


def reads_scores(search: ReducerCV) -> bool:
    """Whether the readout gives scores: a ridge."""
    return not reads_neighbours(search)


class ReducerCV(LabelClassifier, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Reducer, parameters and dimension that maximise a cross-validated score, in two passes.

    .. math:: \max_{c} \; \frac{1}{K} \sum_{k=1}^{K}
              \mathrm{score}(\mathrm{readout}_c(P_{c,k}'(x - \bar x_k)), y),
              \qquad (x, y) \in \text{fold } k,

    over candidates c: a reducer with its parameters, the number of its directions
    :math:`P_{c,k}`, learnt without fold k, and a classifier that reads the projections. The scores
    are those of :class:`sklearn.model_selection.GridSearchCV` over a pipeline of the two, up to
    rounding. GridSearchCV reads the data once for each candidate and fold; this reads them twice.

    Parameters
    ----------
    reducers : list or None, default=None
        Extractors, or pairs (extractor, dict of lists of its parameters). None means those that
        share the statistics of one pass: :class:`MDDM`; MDDM with ``constraint="feature"`` and `mu`
        in (0.1, 0.5, 0.9); :class:`MVMD` and :class:`MLSI` with `beta` in (0.1, 0.5, 0.9);
        :class:`LabelCCA` and :class:`OPLS` with `ridge` in (0.1, 10, 1000). Extractors that need
        several passes are also accepted, and fitted to each fold.
    n_components : int, float, None or list of these, default=None
        Numbers of directions to try, shares of the eigenvalue sum in (0, 1), or None for all
        directions; the grid of a reducer takes precedence. By default up to ten numbers, equally
        spaced in their logarithms, from 1 to the number of labels, or to 100 for methods that have
        more directions than labels.
    readout : {"ridge", "mlknn"}, MultiOutputRidge, MLkNN or pair, default="ridge"
        The classifier after the reducer. "ridge" is :class:`MultiOutputRidge`
        with `ridge` in (0.01, 1, 100), "mlknn" is :class:`MLkNN` with 10 neighbours. An estimator
        is used unchanged, a pair (estimator, dict of lists) with that grid.
    scoring : str, callable, Measure, list, dict or None, default=None
        Scikit-learn's names, names of `labelspan.metrics.MEASURES` that scikit-learn does not
        have, scorers, or several of them. None means ``score``, the subset accuracy.
    cv : int, splitter or iterable, default=5
        Folds; a number stands for :class:`labelspan.model_selection.MultilabelStratifiedKFold`.
    refit : bool or str, default=True
        Whether to fit the choice to all rows; with several scorers, the name of the one that
        chooses. With several scorers and False, nothing is chosen.
    rule : {"best", "one_standard_error"}, default="best"
        Choose the best mean score, or the fewest directions within one standard error of it.
    n_jobs : int or None, default=None
        Number of parallel folds.
    verbose : int, default=0
        Above 0 a bar over the folds is shown (needs rich).

    Attributes
    ----------
    cv_results_ : dict of ndarray
        As that of GridSearchCV over a pipeline of the steps "reducer" and "readout"; also
        ``mean_n_components``, the number of directions that a candidate had on average. The times
        of a candidate include its share of common computations.
    best_params_ : dict
        The choice, as parameters of such a pipeline.
    best_score_ : float
        Its mean score.
    best_index_ : int
        Its place in ``cv_results_``.
    best_estimator_ : LinearReducer
        The chosen reducer, fitted to all rows.
    best_readout_ : MultiOutputRidge or MLkNN
        The chosen readout, fitted to their projections.
    method_ranks_ : dict of str to float
        Mean rank over the folds of the best candidate of each reducer, best first.
    n_splits_ : int
        Number of folds.
    n_passes_ : int
        How often the rows were read: 2, and once more to refit an MLkNN. A reducer whose
        statistics cannot be pooled adds one for each fold and parameter.
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
    The first pass computes the moments of the parts of the rows that the folds consist of. Those of
    a training set are the sum of its parts (nothing is subtracted, so nothing cancels). From them
    each setting of a reducer is solved once, for the largest dimension; smaller ones use the first
    eigenvectors. The ridge readout on d directions is solved from P'``xx`` P and P'``xt``, for
    every d by one Cholesky factor; distances of ML-kNN add up over d. The second pass projects the
    held-out rows. The refit has its moments already.

    Time O(n D^2) for the moments, O(D^3) for each fold and setting of a reducer, and O(n q) for
    each candidate and scorer; memory O(K D^2) and one fold of projections. Wide X is reduced to
    coordinates of its row space once. Sparse X with more than 3000 rows and columns is fitted for
    each fold and setting, not for each candidate. A Dask array is read by blocks, twice.

    Scores count every held-out row once, whatever its weight; a row of weight 0 is no row, here as
    everywhere, and is in no fold. GridSearchCV, which does not know weights, scores it, too.

    Missing labels in `y`: reducers learn from available cases, whose sums are pooled in the same
    way. The ridge readout of a label is solved from the projections of the training rows where it
    is observed, with its own scatter, O(n K^2) per label for K directions. Scores skip missing
    labels. This needs rows in memory, reducers that accept missing labels, and a ridge readout. To
    refit the readout, the rows are read once more.

    Examples
    --------
    >>> from labelspan import OPLS, ReducerCV
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> search = ReducerCV([(OPLS(), {"ridge": [0.1, 10.0]})], [2, 5, 10], scoring="micro_f1", cv=3)
    >>> search.fit(yeast.X, yeast.Y).best_params_["reducer__n_components"]
    5
    >>> search.transform(yeast.X).shape, search.n_passes_
    ((2417, 5), 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "reducers": [list, tuple, None],
        "n_components": [Real, "array-like", None],
        "readout": [StrOptions({"ridge", "mlknn"}), HasMethods("fit"), tuple],
        "scoring": [str, callable, list, tuple, set, dict, None],
        "cv": ["cv_object"],
        "refit": ["boolean", str],
        "rule": [StrOptions({"best", "one_standard_error"})],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    best_estimator_: LinearReducer
    best_readout_: Any
    _picked_by: str

    def __init__(
        self,
        reducers: Any = None,
        n_components: Any = None,
        *,
        readout: Any = "ridge",
        scoring: Any = None,
        cv: Any = 5,
        refit: bool | str = True,
        rule: str = "best",
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.reducers = reducers
        self.n_components = n_components
        self.readout = readout
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
        shape = min(len(train) for train, _ in folds), X.shape[1], labels.Y.shape[1]
        candidates = candidates_of(self.reducers, self.n_components, self.readout, shape)
        holes = has_holes(labels.Y)
        if holes:
            refuse_missing(candidates, labels.Y)
        recipe = recipe_of(candidates, shape, pools=not is_large_sparse(X), holes=holes)
        if is_dask_array(X):
            refuse_rows(recipe, candidates)
        judge = Judge.of(self.scoring, candidates.readouts, labels)
        search = Search(X, labels, folds, candidates, recipe, judge)
        self._choose(candidates, search.scores(self.n_jobs, self.verbose))
        self.n_passes_ = search.n_passes
        if self.refit:
            self._refit(search)

    def _choose(self, candidates: Candidates, scores: list[FoldScores]) -> None:
        self.n_splits_ = len(scores)
        self.cv_results_ = results_table(candidates.points, scores)
        kept = np.array([fold.n_components for fold in scores]).mean(axis=0)
        self.cv_results_["mean_n_components"] = kept
        if self.reducers is not None or self.n_components is not None:
            warn_of_few_directions(self.cv_results_)
        name = self._picking_name(measured(self.cv_results_))
        if name is None:
            return
        self._picked_by = name
        self.best_index_ = chosen_index(self.cv_results_, name, self.rule, self.n_splits_)
        self.best_params_ = dict(candidates.points[self.best_index_])
        self.best_score_ = float(self.cv_results_[f"mean_test_{name}"][self.best_index_])
        self.method_ranks_ = method_ranks(self.cv_results_, name, self.n_splits_)

    def _picking_name(self, names: list[str]) -> str | None:
        """The scorer that chooses; None if there are several and none is named."""
        if self.refit in names or (self.refit is False and len(names) > 1):
            return self.refit or None
        if len(names) > 1 or isinstance(self.refit, str):
            raise ValueError(
                f"refit={self.refit!r} does not say which of the scorers {names} picks; pass one "
                "of these names."
            )
        return names[0]

    def _refit(self, search: Search) -> None:
        settings = search.candidates.settings
        i = next(i for i, each in enumerate(settings) if self.best_index_ in each.places)
        chosen = clone(settings[i].reducer)
        chosen.set_params(n_components=self.best_params_["reducer__n_components"])
        _, r = np.argwhere(settings[i].places == self.best_index_)[0]
        refit = Refit(self, search.X, search.labels, search.route)
        moments = None
        if i in search.recipe.refitted:
            best = refit.reducer(chosen)
        else:
            best, moments = refit.pooled_reducer(
                chosen, i, search.pooled(), search.recipe.ridge_free[i]
            )
        self.best_estimator_ = best
        self.best_readout_ = refit.readout(search.candidates.readouts[r], best, moments)
        # A reducer or readout that needs the rows themselves has read them again.
        self.n_passes_ += (i in search.recipe.refitted) + (
            moments is None or search.recipe.keeps_rows
        )

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

    @available_if(reads_scores)
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

    @available_if(reads_neighbours)
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
        return self.best_estimator_._project(X)

    def _scores(self, X: Any) -> np.ndarray:
        Z = self._project(X)
        return self.best_readout_._scores(Z)

    def _decisions(self, X: Any) -> Iterator[np.ndarray]:
        Z = self._project(X)
        return self.best_readout_._decisions(Z)

    @property
    def _n_features_out(self) -> int:
        return self.best_estimator_.n_components_

    def _refusals(self) -> dict[str, str]:
        if not reads_neighbours(self):
            return {}
        return {
            "missing_labels": "distances of nested dimensions find neighbours among all rows, and "
            "MLkNN those of each label; readout='ridge' does",
            "sample_weight": "counts neighbours, which weigh alike, by MLkNN",
        }
