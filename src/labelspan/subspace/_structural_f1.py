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
from labelspan.jit import kernel
from labelspan.moments import longest_row
from labelspan.subspace._coordinates import row_coordinates

# Planes that have been inactive for this number of rounds are dropped.
IDLE_ROUNDS = 50
# Where the next plane is sought: so far from the best weights to the minimiser of all planes.
INWARD = 0.2
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
    each side, so all ``n_+ n_-`` pairs of numbers are tried (Algorithm 2 of [1]_): a plane costs
    ``O(nnz(X) + n log n + n_+ n_-)``, or O(n^2) in the coordinates of the row space, which replace
    X if it is wider than high (up to 4000 rows). A new plane is computed a fifth of the way from
    the best weights to the minimiser of the planes, not at the minimiser [3]_. It cuts off the
    minimiser or improves the best weights, and two to nine times fewer planes are needed. In any
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
    }
    fit = unweighted(LabelClassifier.fit)

    def __init__(
        self,
        C: float = 5000.0,
        *,
        tol: float = 1e-3,
        max_iter: int = 1000,
        threshold: float | str = "paper",
    ):
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.threshold = threshold

    def _learn(self, X: Any, labels: Labels) -> None:
        refuse_long_rows(X, float(self.C))
        Y = dense(labels.Y) > 0
        rows, lift = row_coordinates(X.astype(np.float64))
        plans = [self._label(rows, positive) for positive in Y.T]
        weights = np.column_stack([plan.w for plan in plans])
        self._keep(X, lift(weights[:-1]), weights[-1])
        self.primal_objective_ = np.array([plan.primal for plan in plans])
        self.dual_objective_ = np.array([plan.dual for plan in plans])
        self.n_iter_ = np.array([plan.n_planes for plan in plans])
        gaps = (self.primal_objective_ - self.dual_objective_) / (100.0 * float(self.C))
        late = gaps[gaps > self.tol]
        if len(late):
            warnings.warn(
                f"{len(late)} of {len(plans)} labels stopped after {self.max_iter} cutting planes "
                f"at a relative gap of up to {late.max():.1e} (tol {self.tol:g}). Raise "
                "max_iter or tol, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _label(self, X: Any, positive: np.ndarray) -> LabelPlan:
        if positive.all() or not positive.any():
            w = np.zeros(X.shape[1] + 1)
            w[-1] = 1.0 if positive.all() else -1.0
            return LabelPlan(w, 0.0, 0.0, 0)
        return cutting_planes(X, positive, self.C, self.tol, self.max_iter)


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


def cutting_planes(X: Any, positive: np.ndarray, C: float, tol: float, max_iter: int) -> LabelPlan:
    """Add the worst labelling as a plane until the gap closes."""
    planes = Planes(X, positive, C)
    w = best_w = np.zeros(X.shape[1] + 1)
    best, dual = np.inf, 0.0
    gap, n_planes = tol * 100.0 * C, 0
    while n_planes < max_iter:
        n_planes += 1
        query = best_w + INWARD * (w - best_w)
        primal = planes.add(query)
        if primal < best:
            best, best_w = primal, query
        if best - dual <= gap:
            break
        w, value = planes.minimiser(0.01 * gap)
        dual = max(dual, value)
    return LabelPlan(best_w, float(best), float(dual), n_planes)


class Planes:
    """Planes loss - g'w that bound the objective from below, with their products and weights.

    g is the sum of the features of the rows that changed, signed. The first plane is the truth
    itself, loss 0 and g = 0, so that the dual is a simplex.
    """

    def __init__(self, X: Any, positive: np.ndarray, C: float):
        self.X, self.positive, self.C = X, positive, C
        self.G = np.zeros((1, X.shape[1] + 1))
        self.gram, self.losses = np.zeros((1, 1)), np.zeros(1)
        self.weights, self.idle = np.array([C]), np.zeros(1, dtype=int)

    def add(self, w: np.ndarray) -> float:
        """Add the plane that touches the objective at w; return the objective there."""
        loss, changed = worst_labelling(self.X @ w[:-1] + w[-1], self.positive)
        signed = 100.0 / len(changed) * np.where(self.positive, changed, -changed)
        g = np.append(self.X.T @ signed, signed.sum())
        cross = self.G @ g
        self.gram = np.block([[self.gram, cross[:, None]], [cross[None], g @ g]])
        self.G, self.losses = np.vstack([self.G, g]), np.append(self.losses, loss)
        self.weights, self.idle = np.append(self.weights, 0.0), np.append(self.idle, 0)
        return float(0.5 * w @ w) + self.C * max(loss - float(g @ w), 0.0)

    def minimiser(self, tolerance: float) -> tuple[np.ndarray, float]:
        """Minimise over all planes, drop long inactive ones; return weights and dual value."""
        # Shares of C, so that no cost is too small or too large for the simplex.
        C = self.C
        shares = simplex_maximum(C * self.gram, self.losses, self.weights / C, tolerance / C)
        self.weights = C * shares
        w = self.G.T @ self.weights
        dual = float(self.losses @ self.weights - 0.5 * w @ w)
        self.idle = np.where(self.weights > 0, 0, self.idle + 1)
        kept = self.idle < IDLE_ROUNDS
        kept[0] = True
        if not kept.all():
            self.gram = np.ascontiguousarray(self.gram[kept][:, kept])
            self.G, self.losses = self.G[kept], self.losses[kept]
            self.weights, self.idle = self.weights[kept], self.idle[kept]
        return w, dual


def worst_labelling(scores: np.ndarray, positive: np.ndarray) -> tuple[float, np.ndarray]:
    """The labelling that maximises loss minus margins: its loss in percent, and changed rows."""
    up, down = np.flatnonzero(positive), np.flatnonzero(~positive)
    up = up[np.argsort(-scores[up], kind="stable")]
    down = down[np.argsort(-scores[down], kind="stable")]
    factor = 100.0 / len(scores)
    # Misses are the lowest positives, false alarms the highest negatives.
    missed = factor * np.append(np.cumsum(scores[up][::-1])[::-1], 0.0)
    alarmed = factor * np.append(0.0, np.cumsum(scores[down]))
    n_hits, n_alarms = worst_counts(missed, alarmed)
    changed = np.zeros(len(scores))
    changed[up[n_hits:]] = 1.0
    changed[down[:n_alarms]] = 1.0
    return 100.0 * (1.0 - 2.0 * n_hits / (len(up) + n_hits + n_alarms)), changed


@kernel
def worst_counts(missed, alarmed):  # type: ignore[no-untyped-def]
    """Numbers of hits and false alarms with the largest loss minus margins."""
    n_positive = len(missed) - 1
    best, hits, alarms = -np.inf, 0, 0
    for k in range(n_positive + 1):
        for m in range(len(alarmed)):
            value = 100.0 * (1.0 - 2.0 * k / (n_positive + k + m)) - missed[k] + alarmed[m]
            if value > best:
                best, hits, alarms = value, k, m
    return hits, alarms


def simplex_maximum(
    gram: np.ndarray, losses: np.ndarray, weights: np.ndarray, tolerance: float
) -> np.ndarray:
    """Maximise losses'a - a'gram a / 2 over a >= 0 with its sum fixed, from `weights` on.

    Active sets: solve on the free weights, move until one of them vanishes, free the weight with
    the steepest slope. One new plane changes few of them, so a handful of solves suffices.
    """
    total, weights = weights.sum(), weights.copy()
    free = weights > 0
    # Planes may repeat each other; a ridge of one rounding unit selects one solution.
    ridge = 1e-12 * max(np.trace(gram), 1.0)
    for _ in range(20 * len(weights)):
        indices = np.flatnonzero(free)
        bordered = np.ones((len(indices) + 1, len(indices) + 1))
        bordered[-1, -1] = 0.0
        bordered[:-1, :-1] = gram[np.ix_(indices, indices)]
        bordered[np.arange(len(indices)), np.arange(len(indices))] += ridge
        move = np.linalg.solve(bordered, np.append(losses[indices], total))[:-1] - weights[indices]
        shrinking = move < 0
        ratios = np.where(shrinking, weights[indices] / np.where(shrinking, -move, 1.0), np.inf)
        step = min(1.0, float(ratios.min()))
        weights[indices] = np.maximum(weights[indices] + step * move, 0.0)
        if step < 1.0:
            blocked = indices[np.argmin(ratios)]
            weights[blocked], free[blocked] = 0.0, False
            continue
        gradient = losses - gram @ weights
        level = gradient[indices].mean()
        steepest = int(np.argmax(np.where(free, -np.inf, gradient))) if not free.all() else -1
        if steepest < 0 or (gradient[steepest] - level) * total <= tolerance:
            break
        free[steepest] = True
    return weights * (total / weights.sum())
