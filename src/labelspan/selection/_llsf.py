"""Label-specific features: a sparse regression whose labels share weights as they are alike."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from labelspan.base import THRESHOLD, LabelClassifier
from labelspan.compat import Interval, StrOptions
from labelspan.gate import Labels, check_size, in_dtype
from labelspan.moments import Sample, summarise
from labelspan.selection._base import keep_features, rank

# Steps between two looks at the gap.
EVERY = 10


class LLSF(LabelClassifier, SelectorMixin, TransformerMixin, BaseEstimator):
    r"""Learn for each label which features it needs, and classify by these.

    .. math:: \min_{W, b} \; \tfrac12 \|X W + 1 b' - Y\|_F^2 +
        \tfrac{\alpha}{2} \operatorname{tr}(W R W') + \beta \sum_{jl} |w_{jl}|

    With C the cosines of the label columns, R is the Laplacian diag(C 1) - C: labels that occur
    together get similar weights. ``coupling="paper"`` is R = 1 - C of [1]_.

    Parameters
    ----------
    coupling : {"laplacian", "paper"}, default="laplacian"
        R. That of the paper is indefinite: with a large alpha the objective has no lower bound.
        Such an alpha is refused, with the largest one that is allowed.
    alpha : float, default=0.1
        Weight of the coupling.
    beta : float, default=1.0
        Weight of the penalty.
    ridge : float or None, default=0.01
        Ridge of the regression of each label on its own features, which classifies. None classifies
        by W itself, whose weights are shrunk.
    tol : float, default=1e-4
        Duality gap, relative to the objective.
    max_iter : int, default=10000
        Largest number of steps.
    min_labels : int, default=0
        A row with fewer predicted labels gets its highest-scoring ones.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    label_weights_ : ndarray of shape (n_labels, n_features)
        W', on the scale of labels in 0/1.
    support_per_label_ : ndarray of bool, shape (n_labels, n_features)
        The features of each label: where W is not zero.
    coef_ : ndarray of shape (n_labels, n_features)
        Weights of the scores, on the scale of -1 and +1; zero outside of the features of a label.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts.
    scores_ : ndarray of shape (n_features,)
        Lengths of the rows of W.
    support_ : ndarray of bool, shape (n_features,)
        Features of any label, which ``transform`` keeps.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the longest row; features outside the support share the last rank.
    primal_objective_, dual_objective_ : float
        Objective, and a lower bound on the optimum. With the coupling of the paper both are larger
        by the same constant.
    n_iter_ : int
        Number of steps.
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
    Accelerated proximal gradient steps with restarts, on the scatters ``xx`` and ``xt``: O(D^2 q)
    per step, memory O(D^2 + D q). With R = L L' the problem is a lasso for the residuals (X W - Y,
    W L sqrt(alpha)), whose scaled residuals are the certificate. For the coupling of the paper,
    part of ``xx`` makes R positive semi-definite.

    References
    ----------
    .. [1] J. Huang, G. Li, Q. Huang and X. Wu, "Learning label-specific features and
       class-dependent labels for multi-label classification", IEEE Transactions on Knowledge and
       Data Engineering 28(12), 2016.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import LLSF
    >>> yeast = load_yeast()
    >>> LLSF(beta=5.0).fit(yeast.X, yeast.Y).predict(yeast.X).shape
    (2417, 14)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "coupling": [StrOptions({"laplacian", "paper"})],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="neither")],
        "ridge": [None, Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "min_labels": [Interval(Integral, 0, None, closed="left")],
        "threshold": THRESHOLD,
    }
    transform = keep_features

    def __init__(
        self,
        *,
        coupling: str = "laplacian",
        alpha: float = 0.1,
        beta: float = 1.0,
        ridge: float | None = 0.01,
        tol: float = 1e-4,
        max_iter: int = 10_000,
        min_labels: int = 0,
        threshold: float | str = "paper",
    ):
        self.coupling = coupling
        self.alpha = alpha
        self.beta = beta
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.min_labels = min_labels
        self.threshold = threshold

    def _learn(self, X: Any, labels: Labels) -> None:
        side = X.shape[1], X.shape[1]
        check_size(side, "The scatter matrix of the features", "Drop rare features first.")
        sample = Sample(X, labels.Y, weights=labels.weights)
        moments: Any = summarise(sample, tt=True)
        together = moments.tt + moments.weight * np.outer(moments.t_mean, moments.t_mean)
        R = coupling_of(together, self.coupling)
        xx, t_trace = moments.xx, float(np.trace(moments.tt))
        if self.coupling == "paper" and self.alpha > 0:
            xx, R, t_trace = shifted(xx, moments.xt, R, self.alpha, t_trace)
        found = shrink(xx, moments.xt, t_trace, self.alpha * R, self.beta, self.tol, self.max_iter)
        W = found.W
        self.label_weights_ = in_dtype(W.T, X.dtype, "label_weights_")
        self.support_per_label_ = np.array(W.T != 0)
        self.support_: np.ndarray = np.array(self.support_per_label_.any(axis=0))
        self.scores_ = np.linalg.norm(W, axis=1)
        self.ranking_ = rank(self.scores_, self.support_)
        self.primal_objective_, self.dual_objective_ = found.primal, found.dual
        self.n_iter_ = found.n_iter
        if found.gap > self.tol:
            warnings.warn(
                f"Stopped after max_iter={self.max_iter} steps with a relative gap of "
                f"{found.gap:.2g}, above tol={self.tol:.2g}. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        if self.ridge is not None:
            W = on_own_features(moments.xx, moments.xt, W != 0, self.ridge)
        self._keep_about(X, 2 * W, moments.x_mean, 2 * moments.t_mean - 1, labels.weights)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_


def coupling_of(together: np.ndarray, kind: str) -> np.ndarray:
    """R (q, q) from the weights of the rows that have both of two labels."""
    lengths = np.sqrt(np.diag(together))
    scale = np.outer(lengths, lengths)
    cosines = np.divide(together, scale, out=np.zeros_like(together), where=scale > 0)
    np.fill_diagonal(cosines, 1.0)
    return 1.0 - cosines if kind == "paper" else np.diag(cosines.sum(axis=1)) - cosines


def shifted(
    xx: np.ndarray, xt: np.ndarray, R: np.ndarray, alpha: float, t_trace: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """The same objective, up to a constant, with a positive semi-definite R; or a refusal."""
    lowest = float(linalg.eigvalsh(R)[0])
    if lowest >= 0:
        return xx, R, t_trace
    smallest = float(linalg.eigvalsh(xx)[0])
    largest = max(smallest, 0.0) / -lowest
    if smallest <= len(xx) * np.finfo(float).eps * np.abs(xx).max() or alpha >= largest:
        allowed = f"less than {largest:.3g}" if largest > 1e-300 else "0"
        raise ValueError(
            f"alpha={alpha:g} leaves the objective of coupling='paper' without a lower bound: "
            f"R has the eigenvalue {lowest:.3g}, the scatter of X {smallest:.3g}. alpha must be "
            f"{allowed}; or use coupling='laplacian', which is convex for every alpha."
        )
    moved = xx + alpha * lowest * np.eye(len(xx))
    trace = float(np.vdot(xt, linalg.solve(moved, xt, assume_a="pos")))
    return moved, R - lowest * np.eye(len(R)), trace


@dataclass(frozen=True)
class Shrunk:
    """Weights (D, q), their objective and a lower bound."""

    W: np.ndarray
    primal: float
    dual: float
    n_iter: int

    @property
    def gap(self) -> float:
        """Relative to the primal objective."""
        return (self.primal - self.dual) / self.primal if self.primal > 0 else 0.0


def shrink(
    xx: np.ndarray,
    xt: np.ndarray,
    t_trace: float,
    R: np.ndarray,
    beta: float,
    tol: float,
    max_iter: int,
) -> Shrunk:
    """min_W 1/2 tr(W'xx W) - tr(W'xt) + t_trace / 2 + 1/2 tr(W R W') + beta |W|_1."""
    step = 1.0 / max(
        float(linalg.eigvalsh(xx)[-1]) + max(float(linalg.eigvalsh(R)[-1]), 0.0),
        np.finfo(float).tiny,
    )
    W = np.zeros_like(xt)
    ahead, momentum, best = W, 1.0, Shrunk(W, np.inf, -np.inf, 0)
    for n_iter in range(1, max_iter + 1):
        moved = ahead + step * (xt - xx @ ahead - ahead @ R)
        new = np.sign(moved) * np.maximum(np.abs(moved) - step * beta, 0.0)
        change = new - W
        # The momentum starts anew when it leads away from the new point.
        if np.vdot(ahead - new, change) > 0:
            momentum = 1.0
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / following * change
        W, momentum = new, following
        if n_iter % EVERY == 0 or n_iter == max_iter:
            best = bounds(xx, xt, t_trace, R, beta, W, best, n_iter)
            if best.gap <= tol:
                break
    return best


def bounds(
    xx: np.ndarray,
    xt: np.ndarray,
    t_trace: float,
    R: np.ndarray,
    beta: float,
    W: np.ndarray,
    before: Shrunk,
    n_iter: int,
) -> Shrunk:
    """W with its objective, and the better of two lower bounds."""
    fitted = xx @ W + W @ R
    along, curve = float(np.vdot(W, xt)), float(np.vdot(W, fitted))
    residual = max(t_trace - 2 * along + curve, 0.0)
    primal = residual / 2 + beta * float(np.abs(W).sum())
    # The dual point is the residual, scaled until its products are at most beta.
    largest = float(np.abs(xt - fitted).max(initial=0.0))
    inner = t_trace - along
    scale = min(inner / residual, beta / largest if largest > 0 else np.inf) if residual else 1.0
    dual = scale * inner - scale**2 * residual / 2
    return Shrunk(W, primal, max(dual, before.dual), n_iter)


def on_own_features(
    xx: np.ndarray, xt: np.ndarray, support: np.ndarray, ridge: float
) -> np.ndarray:
    """Ridge regressions of each label on its own features; without a ridge, of least norm."""
    W = np.zeros_like(xt)
    for label in range(xt.shape[1]):
        own = np.flatnonzero(support[:, label])
        if len(own):
            A = xx[np.ix_(own, own)] + ridge * np.eye(len(own))
            W[own, label] = linalg.lstsq(A, xt[own, label])[0]
    return W
