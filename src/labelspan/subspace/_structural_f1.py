"""SVMs for the F1 measure, one label at a time (SVM^perf)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelspan.arrays import dense
from labelspan.base import THRESHOLD, LabelClassifier
from labelspan.compat import Interval
from labelspan.gate import Labels, unweighted
from labelspan.jit import kernel, read_only
from labelspan.moments import longest_row
from labelspan.subspace._coordinates import row_coordinates
from labelspan.subspace._simplex import SimplexQuadratic
from labelspan.system import Watch

# Planes that have been inactive for this number of rounds are dropped.
IDLE_ROUNDS = 50
# Where the next plane is sought: this share of the way from the best weights to the minimiser of
# all planes.
INWARD = 0.05
# Tolerance of the minimiser, as a share of that of the gap.
SLACK = 0.1
# Labels whose planes are in memory at a time.
LABELS_AT_ONCE = 16
# Limit of C times the squared length of a row. Beyond it, rounding of the products hides the losses
# of planes.
LARGEST_PRICE = 1e18


class StructuralF1SVM(LabelClassifier):
    r"""Linear classifiers that minimise a convex bound on 1 - F1 of each label (SVM^perf).

    .. math:: \min_{w, b} \; \tfrac12 (\|w\|^2 + b^2) + C \max_{y'} \Big( 100 \, (1 - F_1(y, y'))
              - \tfrac{50}{n} \sum_i (y_i - y'_i)(w'x_i + b) \Big)

    over all labellings y' of the n rows in {-1, +1} (OP 1 of [1]_ with its F1 loss, in percent,
    and the scale of the program that the shared-subspace paper ran [2]_).

    Parameters
    ----------
    C : float, default=5000.0
        Weight of the loss; the default is that of [2]_.
    tol : float, default=1e-3
        Duality gap at which cutting planes stop, as a share of 100 C, the objective of zero
        weights at worst. The default is that of the program: 0.1 percent of loss.
    max_iter : int, default=1000
        Largest number of planes per label; a ConvergenceWarning is issued if they do not suffice.
    max_time : float or None, default=None
        Seconds after which the iterations end with a warning that states the gap; the best model
        so far is kept. None sets no limit.
    verbose : int, default=0
        If positive, print the gap once per second.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Weights.
    intercept_ : ndarray of shape (n_labels,)
        Weights of a constant feature 1, penalised like the others.
    primal_objective_ : ndarray of shape (n_labels,)
        The objective above at the solution.
    dual_objective_ : ndarray of shape (n_labels,)
        Its lower bound.
    n_iter_ : ndarray of shape (n_labels,)
        Number of cutting planes.
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
    The worst labelling with given numbers of hits and false alarms keeps the highest scores of
    each side, and the best number of false alarms never falls with that of hits: one sort and one
    walk replace the ``n_+ n_-`` pairs of numbers of Algorithm 2 of [1]_. A plane costs ``O(nnz(X) +
    n log n)``, in products with all labels at once, or O(n^2) in the coordinates of the row space,
    which replace X if it is wider than high (up to 4000 rows). A new plane is computed a twentieth
    of the way from the best weights to the minimiser of the planes, not at the minimiser [3]_. It
    cuts off the minimiser or improves the best weights, so that far fewer planes are needed. In any
    case, ``primal_objective_ - dual_objective_`` bounds the distance to the optimum. A label
    without rows, or with all, gets weight zero and the intercept -1, or +1. C times the squared
    norm of a row may be at most 1e18. The rows must fit into memory in float64, and a memory map is
    copied. For more rows, fit a sample, or use :class:`SharedSubspaceClassifier`, which reads
    blocks.

    References
    ----------
    .. [1] T. Joachims, "A support vector method for multivariate performance measures",
       ICML 2005.
    .. [2] S. Ji, L. Tang, S. Yu and J. Ye, "A shared-subspace learning framework for
       multi-label classification", ACM Transactions on Knowledge Discovery from Data 4(2), 2010.
    .. [3] W. Ben-Ameur and J. Neto, "Acceleration of cutting-plane and column generation
       algorithms: applications to network design", Networks 49(1), 2007.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.subspace import StructuralF1SVM
    >>> yeast = load_yeast()
    >>> model = StructuralF1SVM(C=1.0).fit(yeast.X[:200], yeast.Y[:200, :3])
    >>> model.predict(yeast.X).shape
    (2417, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": THRESHOLD,
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "verbose": ["verbose"],
    }
    fit = unweighted(LabelClassifier.fit)

    def __init__(
        self,
        C: float = 5000.0,
        *,
        tol: float = 1e-3,
        max_iter: int = 1000,
        max_time: float | None = None,
        verbose: int = 0,
        threshold: float | str = "paper",
    ):
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.verbose = verbose
        self.threshold = threshold

    def _learn(self, X: Any, labels: Labels) -> None:
        refuse_long_rows(X, float(self.C))
        Y = dense(labels.Y) > 0
        rows, lift = row_coordinates(X.astype(np.float64))
        plans: list[LabelPlan] = []
        watch = Watch(type(self).__name__, self.max_time, self.verbose, self.tol)
        for start in range(0, Y.shape[1], LABELS_AT_ONCE):
            block = Y[:, start : start + LABELS_AT_ONCE]
            watch.part = min(1.0, (start + LABELS_AT_ONCE) / Y.shape[1])
            plans += cutting_planes(rows, block, self.C, self.tol, self.max_iter, watch)
        weights = np.column_stack([plan.w for plan in plans])
        self._keep(X, lift(weights[:-1]), weights[-1])
        self.primal_objective_ = np.array([plan.primal for plan in plans])
        self.dual_objective_ = np.array([plan.dual for plan in plans])
        self.n_iter_ = np.array([plan.n_planes for plan in plans])
        gaps = (self.primal_objective_ - self.dual_objective_) / (100.0 * float(self.C))
        late = gaps[gaps > self.tol]
        if len(late):
            warnings.warn(
                f"{len(late)} of {len(plans)} labels stopped{watch.ended()} after "
                f"{self.n_iter_.max()} cutting planes at a relative gap of up to {late.max():.1e} "
                f"(tol {self.tol:g}). Raise max_iter, max_time or tol, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )


def refuse_long_rows(X: Any, C: float) -> None:
    """Raise if float64 cannot distinguish the planes."""
    longest = longest_row(X)
    if C * longest**2 > LARGEST_PRICE:
        raise ValueError(
            f"The longest row of X has the norm {longest:.3g}; with C={C:g} it may be at most "
            f"{np.sqrt(LARGEST_PRICE / C):.3g} (C times its square: {LARGEST_PRICE:g}). Scale X "
            "first, e.g. by sklearn.preprocessing.StandardScaler, or lower C."
        )


@dataclass(frozen=True)
class LabelPlan:
    """Weights (D + 1,) of one label, intercept last, with their certificate."""

    w: np.ndarray
    primal: float
    dual: float
    n_planes: int


def cutting_planes(
    X: Any, positive: np.ndarray, C: float, tol: float, max_iter: int, watch: Watch
) -> list[LabelPlan]:
    """Add the worst labelling of each label as a plane until its gap closes; labels in step."""
    machines = [Planes(column, X.shape[1], C, tol) for column in positive.T.copy()]
    while searching := [m for m in machines if not m.closed and m.n_planes < max_iter]:
        queries = np.column_stack([m.query() for m in searching])
        scores = np.asarray(X @ queries[:-1]) + queries[-1]
        worst = [worst_labelling(s, m.positive) for m, s in zip(searching, scores.T, strict=True)]
        signed = np.column_stack([signs for _, signs in worst])
        G = np.vstack([np.asarray(X.T @ signed), signed.sum(axis=0)])
        for m, w, g, (loss, _) in zip(searching, queries.T, G.T, worst, strict=True):
            m.add(w, g, loss)
        gap = max(m.primal - m.dual for m in searching) / (100.0 * C)
        watch.tell(gap, searching[0].n_planes, f"planes, {len(searching)} labels open")
        if watch.is_over():
            break
    return [LabelPlan(m.best_w, m.primal, m.dual, m.n_planes) for m in machines]


class Planes:
    """Planes loss - g'w that bound the objective of one label from below, and the best weights.

    g is the sum of the features of the rows that changed, signed. The first plane is the truth
    itself, loss 0 and g = 0, so that the dual is a simplex.
    """

    def __init__(self, positive: np.ndarray, n_features: int, C: float, tol: float):
        self.positive, self.C, self.gap = positive, C, tol * 100.0 * C
        self.w = self.best_w = np.zeros(n_features + 1)
        self.primal, self.dual, self.n_planes = np.inf, 0.0, 0
        self.G, self.idle = np.zeros((16, n_features + 1)), np.zeros(1, dtype=int)
        self.shares: SimplexQuadratic | None = None
        if positive.all() or not positive.any():
            self.best_w[-1] = 1.0 if positive.all() else -1.0
            self.primal = 0.0

    @property
    def closed(self) -> bool:
        """Whether the gap is within the tolerance."""
        return self.primal - self.dual <= self.gap

    def query(self) -> np.ndarray:
        """Where the next plane is sought."""
        return np.asarray(self.best_w + INWARD * (self.w - self.best_w))

    def add(self, w: np.ndarray, g: np.ndarray, loss: float) -> None:
        """Add the plane that touches the objective at w; minimise over all unless it closes."""
        # Shares of C, so that no cost is too small or too large for the simplex.
        if self.shares is None:
            self.shares = SimplexQuadratic(max(self.C * float(g @ g), 1e-300))
            self.shares.add(np.zeros(0), 0.0, 0.0)
        n = self.shares.n
        if n == len(self.G):
            self.G = np.concatenate([self.G, np.zeros_like(self.G)])
        self.shares.add(self.C * (self.G[:n] @ g), self.C * float(g @ g), loss)
        self.G[n], self.idle = g, np.append(self.idle, 0)
        self.n_planes += 1
        primal = float(0.5 * w @ w) + self.C * max(loss - float(g @ w), 0.0)
        if primal < self.primal:
            self.primal, self.best_w = primal, w
        if not self.closed:
            self._minimise(self.shares)

    def _minimise(self, shares: SimplexQuadratic) -> None:
        """Minimise over all planes, raise the dual value, drop long inactive planes."""
        shares.maximise(SLACK * self.gap / self.C)
        used = np.flatnonzero(shares.a)
        weights = self.C * shares.a[used]
        self.w = weights @ self.G[used]
        self.dual = max(self.dual, float(shares.losses[used] @ weights - 0.5 * self.w @ self.w))
        self.idle += 1
        self.idle[used] = 0
        kept = self.idle < IDLE_ROUNDS
        kept[0] = True
        if not kept.all():
            n = int(kept.sum())
            self.G[:n], self.idle = self.G[: len(kept)][kept], self.idle[kept]
            shares.keep(kept)


def worst_labelling(scores: np.ndarray, positive: np.ndarray) -> tuple[float, np.ndarray]:
    """The labelling that maximises loss minus margins: its loss in percent, and signed changes."""
    up, down = np.flatnonzero(positive), np.flatnonzero(~positive)
    up = up[np.argsort(scores[up])]
    down = down[np.argsort(-scores[down])]
    factor = 100.0 / len(scores)
    # Misses are the lowest positives, false alarms the highest negatives.
    missed = np.append(0.0, factor * np.cumsum(scores[up]))[::-1]
    n_hits, n_alarms = worst_counts(read_only(missed, np.float64), factor * scores[down])
    signed = np.zeros(len(scores))
    signed[up[: len(up) - n_hits]] = factor
    signed[down[:n_alarms]] = -factor
    return 100.0 * (1.0 - 2.0 * n_hits / (len(up) + n_hits + n_alarms)), signed


@kernel
def worst_counts(missed, gains):  # type: ignore[no-untyped-def]
    """Numbers of hits and false alarms with the largest loss minus margins.

    `missed` by the number of hits, `gains` of the next false alarm, falling. For fixed hits k the
    value is concave in the alarms m, and another alarm adds 200 k / ((p + k + m) (p + k + m + 1))
    and its gain, which rises with k. So the best m never falls: one walk over both.
    """
    n_positive = len(missed) - 1
    best, hits, alarms, m, alarmed = -np.inf, 0, 0, 0, 0.0
    for k in range(n_positive + 1):
        marked = n_positive + k + m
        while m < len(gains) and gains[m] + 200.0 * k / (marked * (marked + 1.0)) > 0.0:
            alarmed += gains[m]
            m += 1
            marked += 1
        value = 100.0 * (1.0 - 2.0 * k / marked) - missed[k] + alarmed
        if value > best:
            best, hits, alarms = value, k, m
    return hits, alarms
