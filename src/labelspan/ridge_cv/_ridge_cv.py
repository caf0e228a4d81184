"""Ridge regression, linear or by a kernel, whose every setting leave-one-out scores choose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import cast, dense, empty, is_dask_array, namespace, precision_of, rows_at
from labelspan.base import LINEAR, LabelClassifier
from labelspan.classifiers import normalised, sigmoid_link
from labelspan.compat import Interval, StrOptions
from labelspan.gate import Labels, dask_rows, has_holes, lazily
from labelspan.kernels import KernelMap
from labelspan.metrics import goal_of
from labelspan.moments import score_at, warn_of_unobserved
from labelspan.registry import IN_MEMORY
from labelspan.ridge_cv._candidates import (
    MOST_ROWS,
    N_LANDMARKS,
    SCALINGS,
    WIDTHS,
    at_width,
    check_ridges,
    grid_of,
    map_of,
    table_of,
    widths_of,
)
from labelspan.ridge_cv._leave_one_out import (
    Features,
    InKernel,
    Kernel,
    Landmarks,
    Space,
    blocks_of_rows,
)
from labelspan.ridge_cv._left_out_choice import (
    Compared,
    Judge,
    compare,
    cuts_of,
)
from labelspan.ridge_cv._per_label import PerLabel
from labelspan.ridge_cv._row_sample import Training, targets
from labelspan.ridge_cv._scaling import Scaling


class MultilabelRidgeCV(LabelClassifier):
    r"""Ridge regression whose ridge, kernel, scaling and threshold leave-one-out scores choose.

    .. math:: \min_{W, b} \; \|\phi(X) W' + 1 b' - S\|_F^2 + ridge \, \|W\|_F^2

    with :math:`S = 2Y - 1` and with features :math:`\phi` that are the columns of X, divided by
    their ranges or standard deviations, or rows of unit length, or those of an RBF kernel on them.
    The score of each row by the fit of all others has a closed form [1]_: with the leverage
    :math:`H_i` of the row,

    .. math:: l_i = s_i - \frac{s_i - \hat s_i}{1 - H_i},

    so one decomposition per scaling and kernel gives the left-out scores for every ridge. The
    setting whose left-out scores have the best `scoring` is taken; the threshold and the link of
    ``predict_proba`` are fitted to the same scores. No folds, no randomness.

    Parameters
    ----------
    kernel : {"auto", "linear", "rbf"}, default="auto"
        "rbf" tries three widths: 1/4, 1 and 4 times the median squared distance of two rows.
        "auto" tries both kernels; for Dask arrays and missing labels it is "linear".
    ridges : "auto" or array-like of float, default="auto"
        Ridges to try, in the scale of the scatter of the scaled columns or of the kernel matrix.
        "auto" is ``geomspace(1e-6, 1e3, 28)`` times the mean eigenvalue; with ``scale=None`` also
        times that of the others, where a few columns are so long that they hide them.
    scale : {"auto", "range", "standard", "rows"} or None, default="auto"
        What the columns are divided by: the difference of their largest and smallest value, or
        their standard deviation. "rows" subtracts the smallest value of each column and divides
        each row by its length, for counts, frequencies and marks. "auto" tries the first two, and
        "rows" if at least half of the entries are the smallest of their columns; None leaves the
        columns as they are.
    scoring : str or callable, default="average_precision"
        What the left-out scores are judged by: a name of :data:`labelspan.metrics.MEASURES` or of
        a scorer of scikit-learn, or a callable ``scorer(estimator, X, y)``. Average precision
        ranks the labels of a row, over rows with labels; a single label is judged by the average
        precision of its rows.
    threshold : str or float, default="f1_micro"
        A measure of predicted labels that the left-out scores maximise, "f1_micro", "f1_macro",
        "f1_samples" or a name of :data:`labelspan.metrics.MEASURES`: one threshold for all labels;
        for the first two, that of a label moves towards its own best one by as much as its rows
        tell, halfway for 50 positive rows. Or a number on the scale from -1 to 1. Of the two
        classes of a 1-d `y`, the more probable one is predicted unless a number is given.
    n_landmarks : "auto", int or None, default="auto"
        Number of training rows whose kernel functions span the solution. "auto": all rows up to
        3000, else 2000 of them. None: all rows.
    min_labels : int, default=0
        1 gives a row without any predicted label its highest-scoring one; k gives rows with fewer
        than k labels their k highest-scoring ones.
    store_scores : bool, default=True
        Whether to keep the left-out scores of all rows. False saves their time and memory; beyond
        2000 rows, the threshold is then that of the rows that are compared.

    Attributes
    ----------
    ridge_ : float
        The ridge that was chosen.
    kernel_ : str
        The kernel that was chosen: "linear" or "rbf".
    width_ : float or None
        Width w of the RBF kernel exp(-||x - z||^2 / w) of scaled rows.
    scaling_ : str or None
        The scaling that was chosen.
    scale_ : ndarray of shape (n_features,)
        What the columns were divided by; ones for "rows".
    low_ : ndarray of shape (n_features,)
        What was subtracted from the columns; zeros unless ``scaling_`` is "rows".
    threshold_ : float
        The threshold of all labels, which ``decision_function`` subtracts.
    thresholds_ : ndarray of shape (n_labels,)
        Those of the labels, for ``predict``, before this subtraction; infinite for labels without
        rows, if a measure chose them.
    min_labels_ : int
        1 if a measure chose the threshold and is better where each row has a label; else
        `min_labels`.
    loo_scores_ : ndarray of shape (n_samples, n_labels)
        The ``decision_function`` of each training row by the fit of all others, with
        ``store_scores=True``. Rows of weight 0 are left out; NaN where a label is missing.
    cv_results_ : dict of ndarray
        The settings, with ``mean_test_score`` and ``rank_test_score``; NaN for ridges that were not
        compared on all of these rows.
    best_score_ : float
        The best score.
    slope_, offset_ : float
        The link: ``predict_proba`` is 1 / (1 + exp(-slope_ s - offset_)), s the decision function.
    coef_ : ndarray of shape (n_labels, n_features)
        Weights of the columns, if the kernel is linear and without landmarks; those of the rows of
        unit length, if ``scaling_`` is "rows".
    intercept_ : ndarray of shape (n_labels,)
        Intercepts, minus the threshold, likewise.
    landmark_indices_ : ndarray of int
        Which of the rows of positive weight are the landmarks, if there are any.
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
    Left-out scores are exact for the setting that was chosen: the ridge, the width, the scale of
    the columns (or their smallest values) and the landmarks stay those of all rows. A row of weight
    k is left out as a whole, unlike k copies, of which one is left out and the others stay. Weights
    enter the fits and the F1 of the threshold; `scoring` and the link count each row once.

    Beyond 2000 rows, settings are compared on 2000 of them, which the content of the rows selects,
    not the order of rows, columns or labels, and the ridges coarse to fine: every third one on a
    quarter of these rows, then those around the best. The threshold uses all rows. Equal scores are
    decided by the squared error of the left-out scores.

    Time, for each scaling: O(n D^2 + D^3) for the columns, or O(n^2 D + n^3) if n < D; for each
    width O(n^3), with m landmarks O(n m^2 + m^3). A Dask array is read twice, beyond 2000 rows
    three times, once more for rows of unit length, and is never in memory; ``loo_scores_`` is.

    A label that is missing in some rows is learnt from the others, by a linear ridge: labels
    missing in the same rows share one decomposition, so left-out scores are exact without folds, at
    the cost of as many decompositions as there are patterns. They are NaN where a label is missing,
    and these entries count nowhere. The kernel is then linear, and `scoring` a name of a measure.

    References
    ----------
    .. [1] D. M. Allen, "The relationship between variable selection and data augmentation and a
       method for prediction", Technometrics 16(1), 1974.

    Examples
    --------
    >>> from labelspan import MultilabelRidgeCV
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.metrics import micro_f1
    >>> yeast = load_yeast()
    >>> model = MultilabelRidgeCV(kernel="linear").fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    >>> print(f"{micro_f1(yeast.Y[yeast.test], model.predict(yeast.X[yeast.test])):.2f}")
    0.65
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"auto", "linear", "rbf"})],
        "ridges": [StrOptions({"auto"}), "array-like"],
        "scale": [StrOptions({"auto", *SCALINGS}), None],
        "scoring": [str, callable],
        "threshold": [str, Interval(Real, None, None, closed="neither")],
        "n_landmarks": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left"), None],
        "min_labels": [Interval(Integral, 0, None, closed="left")],
        "store_scores": ["boolean"],
    }

    # Widths of the kernel that are compared, as multiples of the median squared distance.
    _multiples: Sequence[float] = WIDTHS

    def __init__(
        self,
        *,
        kernel: str = "auto",
        ridges: Any = "auto",
        scale: str | None = "auto",
        scoring: Any = "average_precision",
        threshold: Any = "f1_micro",
        n_landmarks: Any = "auto",
        min_labels: int = 0,
        store_scores: bool = True,
    ):
        self.kernel = kernel
        self.ridges = ridges
        self.scale = scale
        self.scoring = scoring
        self.threshold = threshold
        self.n_landmarks = n_landmarks
        self.min_labels = min_labels
        self.store_scores = store_scores

    def _refusals(self) -> dict[str, str]:
        if self.kernel != "rbf":
            return {}
        return {
            "dask": f"{IN_MEMORY} with kernel='rbf'",
            "missing_labels": "with kernel='rbf' each label would need the kernel of its own rows; "
            "kernel='linear' and 'auto' learn them",
        }

    def _learn(self, X: Any, labels: Labels) -> None:
        check_ridges(self.ridges)
        if isinstance(self.threshold, str):
            goal_of(self.threshold, "threshold")
        if labels.missing and not has_holes(labels.Y):
            labels = replace(labels, missing=False)
        if labels.missing:
            warn_of_unobserved(np.mean(~np.isnan(labels.Y), axis=0))
        judge = Judge(self.scoring, labels)
        by_columns = is_dask_array(X) or X.shape[1] <= X.shape[0]
        data = Training.of(X, labels, xx=by_columns and self.kernel != "rbf")
        points: list[dict[str, Any]] = []
        scores: list[np.ndarray] = []
        best: tuple[Compared, dict[str, Any], Space] | None = None
        for settings, space in self._spaces(data):
            found = compare(space, self._grid(space, settings, data), data, judge)
            points += [{**settings, "ridge": float(ridge)} for ridge in found.ridges]
            scores.append(found.scores)
            if best is None or found.key > best[0].key:
                best = found, settings, space
        assert best is not None
        self.cv_results_ = table_of(points, np.concatenate(scores))
        self.best_score_ = best[0].scores[best[0].order[-1]]
        self._keep_settings(data, *best[:2])
        self._keep_decisions(data, best[2])
        self._keep_space(X, best[2])

    def _spaces(self, data: Training) -> Iterator[tuple[dict[str, Any], Space]]:
        """Each scaling with each kernel, decomposed when it is its turn."""
        kernels = ["linear", "rbf"] if self.kernel == "auto" else [self.kernel]
        if data.order is None or data.holes:
            kernels = ["linear"]
        for name in self._scalings(data):
            scaling = data.sums.scaling(name)
            for kernel in kernels:
                settings = {"kernel": kernel, "scale": name, "width": None}
                if data.holes:
                    yield settings, PerLabel.of(data, scaling)
                    continue
                if kernel == "linear" and data.sums.moments.xx is not None:
                    yield settings, Features.of(data.moments_of(scaling).signed(), scaling)
                    continue
                rows = scaling(data.X)
                map_ = map_of(kernel, rows)
                for width in widths_of(map_, data.compared[1], self._multiples):
                    yield (
                        {**settings, "width": width},
                        self._in_kernel(at_width(map_, width), rows, data, scaling.scale),
                    )

    def _scalings(self, data: Training) -> tuple[str | None, ...]:
        """The scalings to try."""
        if self.scale != "auto":
            return (self.scale,)
        return SCALINGS if data.sums.counts else SCALINGS[:2]

    def _in_kernel(self, map_: KernelMap, rows: Any, data: Training, scale: np.ndarray) -> Space:
        """The space of a kernel on all rows, or on landmarks."""
        T, m = targets(data.Y), self._most_landmarks(data.sums.n_rows)
        if m is None:
            return Kernel.of(map_, rows, T, data.weights, scale)
        assert data.order is not None
        # The others are those on which settings are compared.
        return Landmarks.of(map_, np.sort(data.order[-m:]), T, data.weights)

    def _most_landmarks(self, n_rows: int) -> int | None:
        """Number of landmarks; None for all rows."""
        if self.n_landmarks == "auto":
            return N_LANDMARKS if n_rows > MOST_ROWS else None
        return None if self.n_landmarks is None else min(self.n_landmarks, n_rows)

    def _grid(self, space: Space, settings: dict[str, Any], data: Training) -> np.ndarray:
        """Ridges to try in a space."""
        if not isinstance(self.ridges, str):
            return np.asarray(self.ridges, dtype=np.float64)
        most = data.sums.n_rows - 1
        most = min(most, self._most_landmarks(most) or most)
        return grid_of(space.values, None if settings["kernel"] == "linear" else most, space.null)

    def _keep_settings(self, data: Training, found: Compared, settings: dict[str, Any]) -> None:
        """Store the setting that is best."""
        self.ridge_ = float(found.ridges[found.order[-1]])
        self.kernel_, self.scaling_ = settings["kernel"], settings["scale"]
        self.width_ = settings["width"]
        scaling = data.sums.scaling(self.scaling_)
        self.scale_ = scaling.scale
        self.low_ = np.zeros(len(self.scale_)) if scaling.low is None else scaling.low

    def _keep_decisions(self, data: Training, space: Space) -> None:
        """Store the left-out scores, and the thresholds and the link that they choose."""
        some = data.some_left_out(space, self.ridge_)
        left = data.left_out(space, self.ridge_) if self.store_scores else some
        L, positive = dense(some.scores), dense(some.positive)
        seen = (positive.any(axis=0) | ~positive.any()) & ~np.isnan(L)
        slope, offset = sigmoid_link(L[seen], positive[seen])
        cuts = cuts_of(left, self.threshold, self.min_labels)
        if self._binary() and isinstance(self.threshold, str) and slope > 0:
            cuts = cuts_of(left, -offset / slope, self.min_labels)
        self.threshold_, self.thresholds_ = cuts.pooled, cuts.thresholds
        self.min_labels_ = cuts.min_labels
        self.slope_, self.offset_ = slope, offset + slope * self.threshold_
        self.__dict__.pop("loo_scores_", None)
        if self.store_scores:
            self.loo_scores_ = cast(left.scores - self.threshold_, precision_of(data.X))

    def _keep_space(self, X: Any, space: Space) -> None:
        """Store the model: weights of the columns, or of kernel functions."""
        for name in (*LINEAR, "landmark_indices_", "_map", "_dual", "_offset"):
            self.__dict__.pop(name, None)
        model = space.model(self.ridge_)
        if isinstance(model, InKernel):
            self._map, self._dual = model.map_, namespace(X).asarray(model.dual.T, copy=True)
            self._offset = model.offset - self.threshold_
        elif self.scaling_ != "rows":
            self._keep_about(X, model.W, model.mean, model.level - self.threshold_, None)
        else:
            level = model.level - self.threshold_
            intercept = score_at(model.mean, -model.W, level)
            self._store_linear(precision_of(X), model.W, intercept, model.mean, level)
        if isinstance(space, Landmarks):
            self.landmark_indices_ = space.chosen

    def _scores(self, X: Any) -> np.ndarray:
        scaling = Scaling(self.scale_, self.low_ if self.scaling_ == "rows" else None)
        if "_map" not in vars(self):
            return super()._scores(cast(scaling.rows(X), precision_of(X)))
        scores = empty(X, (X.shape[0], self._n_labels), precision_of(X))
        for at in blocks_of_rows(X.shape[0]):
            K = self._map.values(scaling(rows_at(X, at)))
            scores[at, :] = cast(K @ self._dual.T + self._offset, precision_of(X))
        return scores

    def _thresholds(self, X: Any) -> np.ndarray:
        return self.thresholds_ - self.threshold_

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each label, or of each class of a 1-d `y`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels) or (n_samples, n_classes)
            One link for all labels, so the labels of a row are in the order of their scores. For a
            1-d `y` each row sums to 1. A Dask array gives a lazy one.
        """
        check_is_fitted(self)
        X = dask_rows(self, X)
        if is_dask_array(X):
            return lazily(self, X, self._probabilities, len(self.classes_))
        return self._probabilities(self._rows(X))

    def _probabilities(self, X: Any) -> np.ndarray:
        scores = self._scores(X)
        z, xp = self.slope_ * scores + self.offset_, namespace(scores)
        P = cast(expit(z) if xp is np else 1.0 / (1.0 + xp.exp(-z)), precision_of(X))
        return normalised(P, len(self.classes_)) if self._one_dimensional else P
