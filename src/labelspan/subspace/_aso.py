"""Alternating structure optimisation with the hinge loss (ASO_SVM)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from labelspan.arrays import dense
from labelspan.base import THRESHOLD
from labelspan.compat import Interval
from labelspan.gate import Labels
from labelspan.linalg import fix_signs, rank
from labelspan.subspace._base import SubspaceClassifier
from labelspan.subspace._coordinates import row_coordinates
from labelspan.subspace._hinge import HingeProblem
from labelspan.subspace._solution import n_shared
from labelspan.system import Watch

# Distances from stationarity, between 0 and 1, up to which the iterations may end.
FAR = 0.05


class ASOClassifier(SubspaceClassifier):
    r"""Linear classifiers that share a subspace and minimise the hinge loss (ASO_SVM).

    .. math:: \min_{U, b, V, \Theta} \; \sum_k \Big( \tfrac{1}{n} \sum_i
              \max(0, 1 - s_{ik} (u_k' x_i + b_k)) + \alpha \|u_k - \Theta' v_k\|^2
              + \beta \|u_k\|^2 \Big) \quad \text{subject to} \quad \Theta \Theta' = I

    with :math:`s = \pm 1`: Eq. (3) of [1]_ with the hinge loss, and for beta = 0, the default, Eq.
    (28), after [2]_: only the part of the weights outside the shared subspace is penalised. Not
    convex; solved by alternating steps.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension r of the shared subspace; None means 5 * floor((q - 1) / 5), at least 1.
    alpha : float, default=0.01
        Penalty on the weights outside the subspace, positive.
    beta : float, default=0.0
        Penalty on all weights. Sec. 7 of [1]_ names this extension and leaves it out, because both
        penalties were too many to tune. The SVMs then have C = 1 / (2 n (alpha + beta)), and start
        from alpha / (alpha + beta) of the shared scores.
    tol : float, default=1e-3
        The iterations stop when the objective falls by no more than this share of its first value,
        that of plain SVMs, and the gradient in Theta is at most 0.05 of its largest value. A share
        of its current value is unsuitable, because the objective falls to zero if the subspace can
        hold all weights.
    max_iter : int, default=100
        Largest number of iterations, at least 2, because the first has no subspace; a
        ConvergenceWarning is issued if they do not suffice.
    max_time : float or None, default=None
        Seconds after which the iterations end with a warning that states the gap; the best model
        so far is kept. None sets no limit.
    verbose : int, default=0
        If positive, print the gap once per second.
    random_state : int, RandomState instance or None, default=None
        Order of the rows in coordinate descent. It changes the result only within the tolerance.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    theta_ : ndarray of shape (n_components_, n_features)
        Basis of the shared subspace, orthonormal rows.
    coef_ : ndarray of shape (n_labels, n_features)
        U' of the problem.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts, which are not penalised.
    objective_ : float
        Value of the objective at the solution.
    objectives_ : ndarray of shape (n_iter_,)
        Its value after each iteration.
    stationarity_ : float
        How far the solution is from a stationary point, 0 there and 1 at most: the larger of
        ``2 |R U' Theta'| / |U|^2`` with ``R = U - Theta' Theta U``, the gradient in Theta as a
        share of its largest value, and of the largest duality gap of the SVMs, as a share of
        the loss of a constant score. Above 0.05 a ConvergenceWarning tells it.
    n_iter_ : int
        Number of iterations.
    n_components_ : int
        Dimension of the subspace, at most the rank of the weights.
    mean_ : ndarray of shape (n_features,)
        Zeros: nothing is centred.
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
    An iteration is that of [2]_: (1) for fixed Theta and V = Theta U, one SVM per label in w,
    whose scores start from those of Theta'v; (2) for fixed U = W + Theta'V, the leading left
    singular vectors. Both lower the objective. The first iteration has no subspace, so it is
    plain one-against-rest SVM with C = 1 / (2 n (alpha + beta)). The SVMs start from their last
    dual variables and end at a violation of 0.001 of the largest score they can give, or,
    beyond 4000 rows, at a duality gap of 1e-4 of the loss of a constant score. The alternation
    is slow: where every iteration gains little, `tol` ends it while many of them would still
    gain much. Lower `tol` until ``stationarity_`` is small enough. The result does not depend
    on the memory layout of X. Up to 4000 rows use the coordinates of the row space with the
    Gram matrix of the rows: memory O(n^2), O(n) per step, independent of D. More rows are
    processed one by one, each for all labels: O(nnz(X) q) per sweep.

    References
    ----------
    .. [1] S. Ji, L. Tang, S. Yu and J. Ye, "A shared-subspace learning framework for
       multi-label classification", ACM Transactions on Knowledge Discovery from Data 4(2), 2010.
    .. [2] R. K. Ando and T. Zhang, "A framework for learning predictive structures from multiple
       tasks and unlabeled data", Journal of Machine Learning Research 6, 2005.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.subspace import ASOClassifier
    >>> yeast = load_yeast()
    >>> model = ASOClassifier(2, alpha=1.0, random_state=0).fit(yeast.X[:99], yeast.Y[:99])
    >>> model.theta_.shape
    (2, 103)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": THRESHOLD,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 2, None, closed="left")],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 0.01,
        beta: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = 100,
        max_time: float | None = None,
        verbose: int = 0,
        random_state: Any = None,
        threshold: float | str = "paper",
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.verbose = verbose
        self.random_state = random_state
        self.threshold = threshold

    def _learn(self, X: Any, labels: Labels) -> None:
        # Products of the same rows in another layout have another rounding, which the early end of
        # the iterations would magnify.
        X = np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X
        S = 2.0 * dense(labels.Y) - 1.0
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        Z, lift = row_coordinates(X)
        C = 1.0 / (2.0 * labels.total * (self.alpha + self.beta))
        watch = Watch(type(self).__name__, self.max_time, self.verbose, FAR)
        problem = HingeProblem(Z, S, C, seed, labels.weights, watch)
        state, objectives = self._turns(problem)
        self.stationarity_ = max(turning(state), problem.gap)
        self._warn(objectives, state, problem)
        self._store(X, state, lift)
        self.objectives_ = np.array(objectives)
        self.objective_ = float(objectives[-1])
        self.n_iter_ = len(objectives)

    def _turns(self, problem: HingeProblem) -> tuple[State, list[float]]:
        """Find weights and subspace in alternating steps; return the objective after each."""
        wanted = n_shared(self.n_components, problem.S.shape[1])
        Theta = np.zeros((0, problem.X.shape[1]))
        state = State(Theta, *problem.solve(np.zeros(problem.S.shape)))
        prices = float(self.alpha), float(self.beta)
        # The weights w + kept Theta'v for which both penalties are (alpha + beta) |w|^2 and a
        # constant.
        kept = prices[0] / sum(prices)
        objectives = [objective(problem, state, *prices)]
        while len(objectives) < self.max_iter:
            Theta = leading_rows(state.U, wanted)
            shared = kept * (Theta.T @ (Theta @ state.U))
            W, b = problem.solve(np.asarray(problem.X @ shared))
            state = State(Theta, W + shared, b)
            objectives.append(objective(problem, state, *prices))
            problem.watch.tell(max(turning(state), problem.gap), len(objectives), "turns")
            if self._settled(objectives, state) or problem.watch.is_over():
                break
        return state, objectives

    def _settled(self, objectives: list[float], state: State) -> bool:
        settled = objectives[-2] - objectives[-1] <= self.tol * objectives[0]
        return settled and turning(state) <= FAR

    def _store(self, X: Any, state: State, lift: Callable[[np.ndarray], np.ndarray]) -> None:
        self._keep(X, lift(state.U), state.b)
        # A basis lifted through a Gram matrix is orthonormal to too few digits.
        Q, R = linalg.qr(lift(state.Theta.T), mode="economic", check_finite=False)
        Theta = fix_signs(np.ascontiguousarray((Q * np.where(np.diag(R) < 0, -1.0, 1.0)).T))
        self.theta_ = np.ascontiguousarray(Theta, dtype=self.coef_.dtype)
        self.mean_ = np.zeros(self.theta_.shape[1], dtype=self.coef_.dtype)
        self.n_components_ = len(self.theta_)

    def _warn(self, objectives: list[float], state: State, problem: HingeProblem) -> None:
        n_kept, gap = len(state.Theta), problem.gap
        if self.n_components is not None and n_kept < self.n_components:
            warnings.warn(
                f"n_components={self.n_components} is more than the rank {n_kept} of the weights; "
                f"{n_kept} are kept (see n_components_).",
                stacklevel=4,
            )
        if not self._settled(objectives, state):
            change = (objectives[-2] - objectives[-1]) / objectives[0]
            warnings.warn(
                f"ASO stopped{problem.watch.ended()} after {len(objectives)} iterations at a "
                f"relative change of {change:.1e} (tol {self.tol:g}) and a distance "
                f"from stationarity of {self.stationarity_:.1e}. "
                "Raise max_iter, max_time, tol or alpha.",
                ConvergenceWarning,
                stacklevel=4,
            )
        if gap > FAR:
            warnings.warn(
                f"An SVM of the last iteration stopped at a duality gap of {gap:.2f} of "
                "the loss of a constant score. Raise alpha or scale the features.",
                ConvergenceWarning,
                stacklevel=4,
            )


@dataclass(frozen=True)
class State:
    """Theta (r, D) with the weights U (D, q) and intercepts b (q,) that are best for it."""

    Theta: np.ndarray
    U: np.ndarray
    b: np.ndarray


def objective(problem: HingeProblem, state: State, alpha: float, beta: float = 0.0) -> float:
    """Eq. (28), or (3) with the hinge loss, for the best V for Theta and U, which is Theta U."""
    scores = np.asarray(problem.X @ state.U) + state.b
    losses = problem.weights @ np.maximum(0.0, 1.0 - problem.S * scores).sum(axis=1)
    losses /= problem.weights.sum()
    outside = state.U - state.Theta.T @ (state.Theta @ state.U)
    return float(losses + alpha * np.sum(outside**2) + beta * np.sum(state.U**2))


def turning(state: State) -> float:
    """Gradient of Eq. (28) in Theta, where the subspace can turn, as a share of its largest value.

    It is zero if Theta spans singular vectors of U, as after an iteration that changes nothing.
    """
    shared = state.Theta @ state.U
    outside = state.U - state.Theta.T @ shared
    squares = float(np.sum(state.U**2))
    return 2.0 * float(linalg.norm(outside @ shared.T)) / squares if squares > 0 else 0.0


def leading_rows(U: np.ndarray, n_components: int) -> np.ndarray:
    """Theta for fixed U: its leading left singular vectors as rows."""
    left, s, _ = linalg.svd(U, full_matrices=False, check_finite=False)
    r = min(n_components, rank(s, max(U.shape)))
    return fix_signs(np.ascontiguousarray(left[:, :r].T))
