"""The multi-label nearest-neighbour classifier ML-kNN."""

from __future__ import annotations

import warnings
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import copied, is_device
from labelspan.base import THRESHOLD
from labelspan.classifiers import _label_counts, _on_device
from labelspan.classifiers._neighbours import nearest_of_distances, nearest_rows
from labelspan.classifiers._observed import Reference, observed_histogram
from labelspan.classifiers._probabilities import ProbabilityClassifier
from labelspan.compat import Interval, StrOptions
from labelspan.gate import Labels, unweighted
from labelspan.registry import ON_HOST

# Equal probabilities predict the label.
BELOW_HALF = float(np.nextafter(0.5, 0.0))


class MLkNN(ProbabilityClassifier):
    r"""Most probable value of each label given how many of the nearest rows have it.

    .. math:: \hat y_l(x) = \arg\max_{b \in \{0, 1\}} P(H_b^l) \, P(E_{C_l(x)}^l \mid H_b^l)

    where :math:`C_l(x)` counts the `n_neighbors` nearest training rows that have label l. The
    probabilities are estimated from the training rows, each with its own nearest neighbours
    among the others, by Eqs. (1)-(3) and Fig. 1 of [1]_.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of nearest rows. It is limited, with a warning, to the number of other training rows,
        and for each label to those where it is observed.
    smoothing : float, default=1.0
        The s of [1]_, at least 0: 1 is Laplace's rule.
    metric : str or callable, default="euclidean"
        Any metric of ``sklearn.neighbors.NearestNeighbors``; "precomputed" takes distances
        instead of X, of shape (n_train, n_train) in ``fit`` and (n_samples, n_train) later, dense
        or as a sparse graph whose absent entries are infinitely far.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        For Euclidean distances "auto" and "brute" search exactly by blocks of inner products;
        everything else is passed to scikit-learn.
    metric_params : dict or None, default=None
        Further arguments of the metric.
    n_jobs : int or None, default=None
        Threads of the search.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    n_neighbors_ : int
        Number of nearest rows used.
    prior_ : ndarray of shape (n_labels,)
        Probability of each label.
    posterior_ : ndarray of shape (n_labels, n_neighbors_ + 1)
        Probability of each label if 0, 1, ... of the nearest rows have it.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Columns of Y, if it was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, if X was a frame with string names.

    Notes
    -----
    Paper to code: m is n_train, k `n_neighbors`, s `smoothing`, c and c' the rows of a
    histogram. A row is never its own neighbour in training, whether or not it has duplicates.
    With Euclidean or given distances, rows at equal distance are taken in their order; a
    scikit-learn backend uses its own order. Equal probabilities predict the label, as the authors'
    program does: ``predict(X)`` is ``predict_proba(X) >= 0.5``. The training rows are copied,
    including those of a memory map: reduce them first, or fit a sample.

    With missing labels (NaN), each label is learnt from the rows where it is observed, as if there
    were no others: its prior, its counts, and the `n_neighbors` nearest of these rows. If there are
    fewer, all are counted. A label that is never observed has probability 0, with a warning. One
    search finds more neighbours than needed; a label for which they do not suffice is searched
    again.

    Training time O(n_train^2 n_features) for dense X, in proportion to shared features plus
    n_train^2 for sparse X, and O(n_train n_neighbors cardinality) for the counts; prediction
    likewise. Memory: the training rows, one block, and the output.

    References
    ----------
    .. [1] Zhang and Zhou, "ML-KNN: A lazy learning approach to multi-label learning", Pattern
       Recognition 40, 2007.

    Examples
    --------
    >>> from labelspan.classifiers import MLkNN
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.metrics import hamming_loss
    >>> yeast = load_yeast()
    >>> model = MLkNN().fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    >>> round(hamming_loss(yeast.Y[yeast.test], model.predict(yeast.X[yeast.test])), 3)
    0.198
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": THRESHOLD,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "metric": [str, callable],
        "algorithm": [StrOptions({"auto", "brute", "kd_tree", "ball_tree"})],
        "metric_params": [dict, None],
        "n_jobs": [Integral, None],
    }
    fit = unweighted(ProbabilityClassifier.fit)

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        smoothing: float = 1.0,
        metric: Any = "euclidean",
        algorithm: str = "auto",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        threshold: float | str = "paper",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.metric = metric
        self.algorithm = algorithm
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.threshold = threshold

    def _refusals(self) -> dict[str, str]:
        fast = self.metric == "euclidean" and self.algorithm in ("auto", "brute")
        return {} if fast else {"device": ON_HOST}

    def _is_pairwise(self) -> bool:
        return bool(self.metric == "precomputed")

    def _learn(self, X: Any, labels: Labels) -> None:
        if self.metric == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"X has shape {X.shape}; with metric='precomputed' fit needs the square matrix "
                "of distances between the training rows."
            )
        self.n_neighbors_ = self._capped(X.shape[0] - 1)
        self._observed = bins = None
        if labels.missing:
            self._observed = Reference.of(labels.Y, self.n_neighbors_)
            counts = self._observed.counts(partial(self._nearest_observed, X, None))
            histogram = observed_histogram(counts, labels.Y, self.n_neighbors_)
            bins = self._observed.n_nearest[:, None] + 1
        else:
            place = place_of(X)
            self._Y = place.counted(labels.Y)
            near = self._neighbours(X, None, self.n_neighbors_)
            histogram = place.neighbour_histogram(near, self._Y)
        n_rows, n_true = histogram.sum(axis=(0, 2)), histogram[1].sum(axis=1)
        seen = n_rows > 0
        self.prior_ = np.zeros(len(n_rows))
        total = 2 * self.smoothing + n_rows
        np.divide(self.smoothing + n_true, total, out=self.prior_, where=seen)
        self.posterior_ = posterior(histogram, self.prior_, self.smoothing, bins)
        # Copied, because the caller's array may change after fit; given distances are not needed
        # again.
        self._fit_X = None if self.metric == "precomputed" else copied(X)

    def _scores(self, X: Any) -> np.ndarray:
        if self._observed is None:
            near = self._neighbours(self._fit_X, X, self.n_neighbors_)
            return place_of(X).look_up(near, self._Y, self.posterior_)
        counts = self._observed.counts(partial(self._nearest_observed, self._fit_X, X), X.shape[0])
        return np.take_along_axis(self.posterior_, counts.T, axis=1).T

    def _nearest_observed(self, T: Any, Q: Any, rows: np.ndarray | None, k: int) -> Any:
        """The k nearest of some training rows, as indices among them; None if not worthwhile."""
        given = self.metric == "precomputed"
        if rows is None:
            # A graph cannot provide entries that it does not store.
            return (
                None
                if given and not isinstance(T if Q is None else Q, np.ndarray)
                else self._neighbours(T, Q, k)
            )
        if not given:
            return self._neighbours(T[rows], Q, k)
        distances = T[rows][:, rows] if Q is None else Q[:, rows]
        return self._neighbours(distances, None if Q is None else distances, k)

    def _thresholds(self, X: Any) -> Any:
        return 0.5 if self._one_dimensional else BELOW_HALF

    def _neighbours(self, T: Any, Q: Any, k: int) -> np.ndarray:
        if self.metric == "precomputed":
            distances = T if Q is None else Q
            return nearest_of_distances(distances, k, leave_one_out=Q is None, n_jobs=self.n_jobs)
        if place_of(T) is _on_device:
            return _on_device.nearest(T, Q, k)
        return nearest_rows(
            T,
            Q,
            k,
            metric=self.metric,
            algorithm=self.algorithm,
            metric_params=self.metric_params,
            n_jobs=self.n_jobs,
        )

    def _capped(self, n_others: int) -> int:
        if self.n_neighbors > n_others:
            warnings.warn(
                f"n_neighbors={self.n_neighbors} is more than the {n_others} other training rows; "
                f"{n_others} are used (see n_neighbors_).",
                stacklevel=5,
            )
        return min(int(self.n_neighbors), n_others)


def place_of(X: Any) -> Any:
    """The functions that count labels where X is: on the host or on a device."""
    return _on_device if is_device(X) else _label_counts


def posterior(
    histogram: np.ndarray, prior: np.ndarray, smoothing: float, n_counts: Any = None
) -> np.ndarray:
    """Probability (q, k + 1) of each label by number of neighbours that have it: Bayes' rule.

    From the histogram (2, q, k + 1) and the prior (q,), which it is without rows to count and
    smoothing; `n_counts` (q, 1) says how many counts can occur, None k + 1.
    """
    n_counts = histogram.shape[2] if n_counts is None else n_counts
    total = smoothing * n_counts + histogram.sum(axis=2, keepdims=True)
    given = np.divide(smoothing + histogram, total, out=np.zeros_like(histogram), where=total > 0)
    present = prior[:, None] * given[1]
    absent = (1 - prior)[:, None] * given[0]
    evidence = present + absent
    known = np.broadcast_to(prior[:, None], evidence.shape).copy()
    return np.divide(present, evidence, out=known, where=evidence > 0)
