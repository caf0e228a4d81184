"""Width of the kernel and ridge of kernel-CPLST by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import ParameterGrid
from sklearn.utils import check_random_state

from labelspan.arrays import cast, dense, densified, eigh, namespace, rows_at, sums
from labelspan.base import THRESHOLD, LabelClassifier, remember_features
from labelspan.compat import Interval
from labelspan.gate import Labels, check_splits
from labelspan.jit import ZERO, kernel, read_only
from labelspan.kernels._base import KERNEL_PARAMETERS
from labelspan.kernels._cplst import KernelCPLST
from labelspan.kernels._gram import gram
from labelspan.kernels._held_out import HeldOut, held_out, held_out_features, kernel_spectrum
from labelspan.kernels._landmarks import nystroem
from labelspan.kernels._map import kernel_map, kernel_refusals
from labelspan.kernels._statistics import check_kernel_matrix
from labelspan.moments import total_variance
from labelspan.registry import ON_HOST
from labelspan.search import FoldScores, check_prices, results_table

# Steps of four, like the paper's grids over (log2 lambda, log2 gamma), whose ends it does not
# print. The centre of gamma gives rows at the mean distance a kernel value of exp(-2). Both grids
# reach far down, where the kernel of features on different scales is nearly linear.
WIDTHS = tuple(2.0**t for t in range(-8, 5, 2))
RIDGES = tuple(2.0**t for t in range(-14, 5, 2))
# Comparisons from which a compiled loop is worth loading.
WORTH = 2**24


class KernelCPLSTCV(LabelClassifier):
    r"""Kernel-CPLST whose kernel width and ridge minimise a cross-validated Hamming loss.

    At each point of the grid the problem is that of :class:`KernelCPLST`,

    .. math:: \max_{VV' = I} \mathrm{tr}\left(V Z' (2KQ - QKKQ) Z V'\right),
              \qquad Q = (K + ridge\, I)^{-1},

    Eq. (8) of [1]_. As in their Sec. 4.3, the score is minus the Hamming loss over all numbers
    of codes; every fold and every ridge come from one decomposition of K per width.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of codes M of the final model; the loss is that of M codes. With None, the final
        model keeps all codes, and the loss is the mean over M = 1, ..., q.
    gammas : array-like of float or None, default=None
        Candidates for gamma, positive; None means 2**t / X.var(axis=0).sum() for
        t = -8, -6, ..., 4. Ignored, without a second decomposition, for kernels that have no gamma:
        "linear", "cosine", "precomputed" and callables.
    ridges : array-like of float, default=(2**-14, 2**-12, ..., 2**4)
        Candidates for the ridge, positive.
    cv : int, splitter or iterable, default=5
        Folds, as everywhere in scikit-learn.
    kernel : str or callable, default="rbf"
        As in :class:`KernelCPLST`.
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Constant of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Keywords of a callable kernel.
    n_landmarks : int or None, default=None
        Number of Nystroem landmarks; None means exact. They are chosen among
        all rows, once per width, without the labels.
    landmarks : {"uniform", "kmeans", "leverage"}, default="uniform"
        How they are chosen, as in :class:`KernelCPLST`.
    random_state : int, RandomState or None, default=None
        Seed of the landmarks.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    best_params_ : dict
        The chosen gamma (None for kernels without one) and ridge; the first on ties. If one of them
        is an end of its grid, pass a wider grid.
    best_score_ : float
        Minus the mean loss at that point.
    best_estimator_ : KernelCPLST
        Fitted to all rows with these parameters.
    cv_results_ : dict
        Parameters, and ``split<i>_test_score``, ``mean_test_score``, ``std_test_score`` and
        ``rank_test_score`` of every point; ``mean_hamming_loss`` has one row per point and one
        column for each M = 1, ..., q.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if y was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    With G = H (HKH + ridge I)^-1 H for all rows and A = G Y, the fit without the rows S leaves
    residuals G_SS^-1 A_S on them: exact, see ``labelspan.kernels._held_out``. Time O(n^3) per width
    for the eigenvectors, about ten times a Cholesky factor, and n^3 / k per ridge with k folds; two
    (n, n) arrays. With m landmarks the moments without a fold are those of all rows minus its own:
    O(n m (D + m)) per width for two passes over the rows, m^3 / 3 per fold and ridge.

    References
    ----------
    .. [1] Y.-N. Chen and H.-T. Lin, "Feature-aware label space dimension reduction for
       multi-label classification", NIPS 2012.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.kernels import KernelCPLSTCV
    >>> yeast = load_yeast()
    >>> search = KernelCPLSTCV(gammas=[0.5, 2.0], cv=3).fit(yeast.X[:300], yeast.Y[:300])
    >>> search.best_params_["gamma"] in (0.5, 2.0)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": THRESHOLD,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "gammas": ["array-like", None],
        "ridges": ["array-like"],
        "cv": ["cv_object"],
        **{name: limits for name, limits in KERNEL_PARAMETERS.items() if name != "gamma"},
    }

    best_estimator_: KernelCPLST

    def __init__(
        self,
        n_components: int | None = None,
        *,
        gammas: Any = None,
        ridges: Any = RIDGES,
        cv: Any = 5,
        kernel: str | Callable[..., float] = "rbf",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int | None = None,
        landmarks: str = "uniform",
        random_state: Any = None,
        threshold: float | str = "paper",
    ):
        self.n_components = n_components
        self.gammas = gammas
        self.ridges = ridges
        self.cv = cv
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.random_state = random_state
        self.threshold = threshold

    def _learn(self, X: Any, labels: Labels) -> None:
        widths = self._widths(X, labels.weights)
        grid = {"gamma": widths, "ridge": check_prices(self.ridges, "ridges", positive=True)}
        repair = "Use a splitter such as KFold, or GridSearchCV with KernelCPLST."
        splits = check_splits(self.cv, X, labels.target, labels.kept, complements=repair)
        # Draw once, so that every width and the final fit use the same seed.
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        folds = [test for _, test in splits]
        # By point, fold and number of codes.
        losses = np.concatenate(
            [
                self._losses(self._estimator(gamma, 1.0, seed), grid["ridge"], X, labels, folds)
                for gamma in grid["gamma"]
            ]
        )
        self.n_splits_ = len(splits)
        M = self.n_components
        picked = losses.mean(axis=2) if M is None else losses[:, :, min(M, losses.shape[2]) - 1]
        points = list(ParameterGrid(grid))
        scores = [FoldScores({"score": -of_fold}) for of_fold in picked.T]
        self.cv_results_ = results_table(points, scores)
        self.cv_results_["mean_hamming_loss"] = losses.mean(axis=1)
        best = int(np.argmin(self.cv_results_["rank_test_score"]))
        self.best_params_ = dict(points[best])
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        self.best_estimator_ = self._estimator(**self.best_params_, seed=seed)
        remember_features(self.best_estimator_, self)
        self.best_estimator_._accept(X, labels)

    def _scores(self, X: Any) -> np.ndarray:
        return self.best_estimator_._scores(X)

    def _widths(self, X: Any, weights: np.ndarray | None = None) -> list[Any]:
        if callable(self.kernel) or self.kernel in ("linear", "cosine", "precomputed"):
            return [None]
        if self.gammas is not None:
            return check_prices(self.gammas, "gammas", positive=True)
        scale = total_variance(X, weights)
        return [width / scale for width in WIDTHS]

    def _estimator(self, gamma: float | None, ridge: float, seed: int) -> KernelCPLST:
        kernel: dict[str, Any] = {name: getattr(self, name, None) for name in KERNEL_PARAMETERS}
        kernel |= {"gamma": gamma, "random_state": seed}
        return KernelCPLST(self.n_components, ridge=ridge, **kernel)

    def _losses(
        self, estimator: KernelCPLST, ridges: list[float], X: Any, labels: Labels, folds: list[Any]
    ) -> np.ndarray:
        """Hamming losses (n_ridges, n_folds, q) of one width, from one decomposition."""
        T, w = densified(labels.Y), labels.weights
        truth = [(rows_at(T, S), None if w is None else rows_at(w, S)) for S in folds]
        return np.array(
            [
                [
                    losses_of_codes(held, leading_vectors(held.label_matrix), *given)
                    for held, given in zip(fits, truth, strict=True)
                ]
                for fits in fits_without_folds(estimator, ridges, X, T, folds, w)
            ]
        )

    def _refusals(self) -> dict[str, str]:
        return kernel_refusals(self) if self.n_landmarks is None else {"device": ON_HOST}


def fits_without_folds(
    estimator: KernelCPLST,
    ridges: list[float],
    X: Any,
    T: np.ndarray,
    folds: list[Any],
    weights: np.ndarray | None,
) -> Iterable[Any]:
    """For each ridge, the fits without each fold: exact, or on landmark features."""
    X = check_kernel_matrix(X) if estimator.kernel == "precomputed" else X
    map_ = kernel_map(estimator, X)
    if estimator.n_landmarks is None:
        form = kernel_spectrum(gram(map_, X, weights=weights), T, weights)
        return held_out(form, T, ridges, folds, weights)
    features = nystroem(map_, X, estimator.n_landmarks, estimator.landmarks, estimator.random_state)
    return zip(*held_out_features(features, X, T, tuple(ridges), folds, weights), strict=True)


def leading_vectors(M: Any) -> Any:
    """Eigenvectors of M as columns, the leading one first."""
    return eigh((M + M.T) / 2)[1]


def losses_of_codes(
    held: HeldOut, V: np.ndarray, T: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """Hamming loss of the held-out rows for the first 1, ..., k columns of V (q, k) as codes."""
    codes, xp = (held.predicted - held.mean) @ V, namespace(T)
    if isinstance(T, np.ndarray) and T.size * V.shape[1] >= WORTH:
        wrong = np.zeros((len(T), V.shape[1]))
        given = (read_only(A, np.float64) for A in (codes, V.T, held.mean))
        add_wrong(*given, read_only(T > 0.5, np.int64), wrong)
    else:
        scores, counts = 0.0 * codes[:, :1] + held.mean, []
        for k in range(V.shape[1]):
            scores += codes[:, k][:, None] * V[:, k]
            counts.append(sums(cast((scores > 0.5) != (T > 0.5), np.float64), axis=1))
        wrong = xp.stack(counts, axis=1)
    wrong, w = dense(wrong), np.ones(T.shape[0]) if weights is None else dense(weights)
    return (w / w.sum()) @ wrong / T.shape[1]


@kernel
def add_wrong(codes, directions, mean, truth, wrong):  # type: ignore[no-untyped-def]
    """Count, for each row and each number of codes, the labels on the wrong side of one half."""
    n_codes, n_labels = directions.shape
    scores = np.empty(n_labels)
    for i in range(len(codes)):
        scores[:] = mean
        of_row = truth[i]
        for k in range(n_codes):
            code, direction, count = codes[i, k], directions[k], ZERO
            for j in range(n_labels):
                scores[j] += code * direction[j]
                # Integers, because the order of a sum of floats would forbid vectors of them.
                count += np.int64(scores[j] > 0.5) ^ of_row[j]
            wrong[i, k] = count
