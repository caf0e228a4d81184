"""Probabilities from the scores of any multi-label classifier."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

from labelspan.arrays import dense
from labelspan.base import THRESHOLD, label_scores
from labelspan.classifiers._probabilities import ProbabilityClassifier
from labelspan.classifiers._wrapper import Wrapper
from labelspan.compat import HasMethods, Interval, StrOptions
from labelspan.gate import Labels
from labelspan.model_selection import MultilabelStratifiedKFold

N_FOLDS = 5


class ProbabilityCalibrator(Wrapper, ProbabilityClassifier):
    r"""Probabilities of the labels, from a link fitted on held-out scores of any classifier.

    .. math:: P(y_k = 1 \mid x) = \frac{1}{1 + \exp(-a_k f_k(x) - b_k)}, \quad a_k \ge 0

    with one pair (a, b) per label by Platt's method [1]_, or an increasing step function per
    label by isotonic regression [2]_. The scores f come from folds that did not train on the
    row, so an estimator that memorises its training rows does not mislead it.

    Parameters
    ----------
    estimator : estimator
        Classifier with ``decision_function`` or ``predict_proba``.
    method : {"sigmoid", "isotonic"}, default="sigmoid"
        The link. "isotonic" needs some hundred rows per label.
    min_labels : int, default=0
        1 gives a row without any probability above 0.5 its most probable label.
    cv : int, splitter, iterable or None, default=None
        Folds of the held-out scores. An integer stratifies by all labels,
        see :class:`labelspan.model_selection.MultilabelStratifiedKFold`; None means 5.
    n_jobs : int or None, default=None
        Number of parallel folds.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    estimator_ : estimator
        The estimator, fitted on all rows. The links are applied to its scores.
    slope_, intercept_ : ndarray of shape (n_labels,)
        The a and b of "sigmoid".
    knots_ : list of ndarray of shape (2, n_knots)
        For "isotonic": per label the scores and, below them, the probabilities between which
        it interpolates.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``, if the estimator has it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the estimator has them.

    Notes
    -----
    Platt's targets are (n1 + 1) / (n1 + 2) and 1 / (n0 + 2) for n1 rows with and n0 rows without
    the label, for both links, so that no probability is 0 or 1. A label that no row or every row
    has gets the constant (n1 + 1) / (n + 2). Both links increase with the score, so the order of
    the rows within a label is preserved. A label that is missing in some rows (NaN) is calibrated
    on the others, if the estimator accepts missing labels; one that is observed in no row has
    probability 0. There is no ``decision_function``, as in scikit-learn's
    ``CalibratedClassifierCV``, because 0 would not separate the predictions. Use that of
    ``estimator_``. Time: one fit per fold and one on all rows, and O(n log n) per label.

    References
    ----------
    .. [1] J. Platt, "Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods", Advances in Large Margin Classifiers, 1999.
    .. [2] B. Zadrozny and C. Elkan, "Transforming classifier scores into accurate multiclass
       probability estimates", KDD 2002.

    Examples
    --------
    >>> from labelspan.classifiers import MultiOutputRidge, ProbabilityCalibrator
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
    >>> model = ProbabilityCalibrator(MultiOutputRidge(1.0)).fit(X, Y)
    >>> P = model.predict_proba(yeast.X[yeast.test])
    >>> bool(abs(P.mean() - yeast.Y[yeast.test].mean()) < 0.01)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": THRESHOLD,
        "estimator": [HasMethods("fit")],
        "method": [StrOptions({"sigmoid", "isotonic"})],
        "min_labels": [Interval(Integral, 0, None, closed="left")],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: Any,
        method: str = "sigmoid",
        *,
        min_labels: int = 0,
        cv: Any = None,
        n_jobs: int | None = None,
        threshold: float | str = "paper",
    ):
        self.estimator = estimator
        self.method = method
        self.min_labels = min_labels
        self.cv = cv
        self.n_jobs = n_jobs
        self.threshold = threshold

    def _tune(self, X: Any, labels: Labels) -> None:
        refuse_single_rows(labels)
        cv = N_FOLDS if self.cv is None else self.cv
        cv = MultilabelStratifiedKFold(int(cv)) if isinstance(cv, Integral) else cv
        scores, _ = self._cross_scores(X, labels.target, cv)
        self._fit_links(scores, labels.Y if labels.missing else sparse.csc_array(labels.Y))

    def _fit_links(self, scores: np.ndarray, Y: Any) -> None:
        for name in ("slope_", "intercept_", "knots_"):
            self.__dict__.pop(name, None)
        columns = enumerate(scores.T.astype(np.float64))
        pairs = [observed_pairs(s, dense(Y[:, [k]])[:, 0]) for k, s in columns]
        if self.method == "sigmoid":
            links = np.array([sigmoid_link(s, positive) for s, positive in pairs])
            self.slope_, self.intercept_ = np.ascontiguousarray(links.T)
        else:
            self.knots_ = [isotonic_link(s, positive) for s, positive in pairs]

    def _scores(self, X: Any) -> np.ndarray:
        scores = label_scores(self.estimator_, X, self._n_labels).astype(np.float64)
        if self.method == "sigmoid":
            return expit(self.slope_ * scores + self.intercept_)
        pairs = zip(scores.T, self.knots_, strict=True)
        return np.column_stack([np.interp(s, knots[0], knots[1]) for s, knots in pairs])


def refuse_single_rows(labels: Labels) -> None:
    """Refuse a class with one row, because the fold that holds it out cannot score it."""
    if labels.classes is None or len(labels.classes) < 2:
        return
    counts = np.asarray(labels.Y.sum(axis=0)).ravel()
    if len(counts) == 1:
        counts = np.array([labels.Y.shape[0] - counts[0], counts[0]])
    if counts.min() < 2:
        rare = labels.classes[counts.argmin()]
        raise ValueError(
            f"Class {rare} has 1 row; held-out scores need at least 2 rows per class. "
            "Merge it with another class, or leave its row out."
        )


def observed_pairs(scores: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores of the rows where a label is observed, and whether they have it."""
    seen = ~np.isnan(labels)
    return scores[seen], labels[seen] > 0


def sigmoid_link(scores: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    """Slope, at least 0, and intercept by Platt's method, in standardised scores."""
    if len(scores) == 0:
        # A label that is never observed is never predicted.
        return 0.0, -np.inf
    targets = soft_targets(positive)
    flat = float(logit(targets.mean()))
    centre, scale = scores.mean(), scores.std()
    if not scale > 1e-12 * np.abs(scores).max(initial=0.0):
        return 0.0, flat
    design = np.column_stack([(scores - centre) / scale, np.ones(len(scores))])
    weights = np.array([0.0, flat])
    loss = log_loss(design @ weights, targets)
    for _ in range(100):
        P = expit(design @ weights)
        gradient = design.T @ (P - targets)
        if np.abs(gradient).max() <= 1e-10 * len(scores):
            break
        step = np.linalg.solve((design.T * np.maximum(P * (1 - P), 1e-12)) @ design, gradient)
        # Halve the step, because a full one can overshoot if probabilities are near 0 and 1.
        while (new := log_loss(design @ (weights - step), targets)) > loss and np.any(step):
            step = step / 2
        weights, loss = weights - step, new
    slope, intercept = weights
    if slope <= 0:
        # Held-out scores that decrease with the label carry no information.
        return 0.0, flat
    return float(slope / scale), float(intercept - slope * centre / scale)


def log_loss(scores: np.ndarray, targets: np.ndarray) -> float:
    """Cross-entropy of the log-odds `scores` against soft targets."""
    return float(np.sum(np.logaddexp(0.0, scores) - targets * scores))


def isotonic_link(scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Scores and probabilities (2, m) between which an increasing link interpolates."""
    if len(scores) == 0:
        return np.zeros((2, 1))
    link = IsotonicRegression().fit(scores, soft_targets(positive))
    return np.array([link.X_thresholds_, link.y_thresholds_])


def soft_targets(positive: np.ndarray) -> np.ndarray:
    """Platt's targets, which avoid probabilities 0 and 1; Laplace's rule if all are equal."""
    n_positive = np.count_nonzero(positive)
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (len(positive) - n_positive + 2)
    return np.where(positive, high, low)
