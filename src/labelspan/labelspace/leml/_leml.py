"""Low-rank empirical risk minimisation with squared loss."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelspan.base import THRESHOLD
from labelspan.compat import Interval
from labelspan.labelspace._base import COMMON, LabelSpaceClassifier
from labelspan.labelspace._codes import Encoding, LinearCodes, at_most, no_direction
from labelspan.labelspace._training import ADVICE
from labelspan.labelspace.leml._low_rank import Factors, LowRank
from labelspan.labelspace.leml._masked import MaskedLowRank
from labelspan.linalg import EigenPairs, route_of, spectral

# Iterations between two duality gaps, and the share of tol below which an iteration gains nothing.
# With missing labels the bound follows the square root of the gain, so more iterations are needed.
CHECKED, GAINED, TIGHT = 5, 1e-2, 1e-5
SCALES = "More of them would gain nothing but rounding. Raise ridge, or scale the features."
# Share of the objective that rounding may add in an iteration; and a gap that never warns, because
# the bound has half of the digits.
ROUNDING, CLOSED = 1e-12, 1e-8


class LEML(LabelSpaceClassifier):
    r"""Linear classifiers of low rank that minimise the squared loss (LEML).

    .. math:: \min_{W, H} \; \tfrac12 \|Z - X_c W H'\|_F^2
              + \tfrac{\rho}{2} \left(\|W\|_F^2 + \|H\|_F^2\right)

    Yu et al. [1]_ with squared loss: W (D, M), H (q, M). With enough components this is the convex
    problem :math:`\min_B \frac12 \|Z - X_c B\|^2 + \rho \|B\|_*` of B = W H', whose duality gap is
    reported. Labels that are not observed (NaN) are left out of the loss; the intercept of a label
    is then that of its own rows.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of codes M, the largest rank of B; None for as many as features or labels, which
        solves the convex problem. A larger number warns; ``n_components_`` holds the number
        kept. 0 predicts the label means.
    ridge : float, default=1.0
        Penalty :math:`\rho` on both factors, positive; it shrinks the singular values of B.
    tol : float, default=1e-4
        The iterations stop when the duality gap is below `tol` of the objective; or when an
        iteration lowers the objective by less than a hundredth of `tol`, because with few
        components the gap does not vanish.
    max_iter : int, default=100
        Largest number of iterations. A ConvergenceWarning is issued if they do not suffice, or if
        the gap of the convex problem stays open although more iterations gain nothing.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    ridge_ : float
        The ridge.
    components_ : ndarray of shape (n_components_, n_labels)
        Right singular vectors of B, orthonormal rows.
    eigenvalues_ : ndarray of shape (n_components_,)
        Singular values of B, descending.
    primal_objective_ : float
        Value of the objective at the solution.
    dual_objective_ : float
        A lower bound on the objective for any number of components.
    n_iter_ : int
        Number of iterations.
    label_mean_ : ndarray of shape (n_labels,)
        Scores at the mean of X: the mean of the training labels if all are observed.
    regressor_ : object
        The linear map to the codes; has ``predict``, ``coef_`` and ``intercept_``.
    n_components_ : int
        Number of codes M.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if y was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    See Also
    --------
    CPLST : Reduced-rank regression: a penalty on W H' instead of one on each factor.

    Notes
    -----
    Both steps are exact and need only the statistics; the paper uses conjugate gradients on the
    rows. In the coordinates of the eigenvectors of xx, where xx is diag(a) and xt is C, and with
    H'H = diag(h) after the factors are balanced,

    .. math:: W_{ij} = (C H)_{ij} / (a_i h_j + \rho), \qquad
              H = C' W (W' \operatorname{diag}(a) W + \rho I)^{-1}.

    Balancing (W H' = P diag(s) V', then W = P s^1/2 and H = V s^1/2) never raises the objective.
    The dual bound uses the residual E of the solution, with the singular values of Xc'E limited to
    rho. It is tight if the gap is only due to too few components. Time O(n D^2 + D^3) once and O(D
    q M + (D + q) M^2) per iteration, memory O(D^2 + D q); if n < D, replace D by n.

    With missing labels both steps are conjugate gradients on the rows, as in the paper. They start
    from the last iterate, so the objective never rises, and the solution for all rows preconditions
    them. A step costs O(nnz(X) M + n q M + D^2 M). The dual bound then scales the whole residual,
    which must vanish where labels are missing; with too few components it is loose.

    ``truncate(M)`` keeps the M leading singular vectors of B: the best approximation of the weights
    of that rank, not the model that ``fit`` finds for M.

    References
    ----------
    .. [1] H.-F. Yu, P. Jain, P. Kar and I. S. Dhillon, "Large-scale multi-label learning with
       missing labels", ICML 2014.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.labelspace import LEML
    >>> yeast = load_yeast()
    >>> model = LEML().fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    >>> bool(model.primal_objective_ <= (1 + 1e-4) * model.dual_objective_)
    True
    >>> model.predict_topk(yeast.X[yeast.test], k=3).shape
    (917, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": THRESHOLD,
        "n_components": COMMON["n_components"],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }
    # The weights are learnt with the directions, so there is no regressor to choose.
    regressor = None
    _scatter: ClassVar[bool] = True
    _learnt: ClassVar[tuple[str, ...]] = (
        *LabelSpaceClassifier._learnt,
        "primal_objective_",
        "dual_objective_",
        "n_iter_",
        "_objectives",
    )

    def __init__(
        self,
        n_components: int | None = None,
        *,
        ridge: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 100,
        threshold: float | str = "paper",
    ):
        self.n_components = n_components
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.threshold = threshold

    def _encoding(self, sample: Any) -> Encoding:
        if sample.missing:
            return self._encoding_of_observed(sample)
        statistics, lift, mean = sample.row_space(float(self.ridge))
        form, label_mean = spectral(statistics), statistics.t_mean
        total = float(np.trace(statistics.tt))
        low_rank = LowRank(form.s, form.UT, total, float(self.ridge))
        M = self._n_codes(form.UT.shape, len(label_mean), sample.labels_vary(label_mean))
        factors = self._solve(low_rank, M, convex=min(form.UT.shape) == M)
        coef = lift(form.V @ (factors.P * factors.s))
        return linear_encoding(sample, factors, label_mean, mean, coef)

    def _encoding_of_observed(self, sample: Any) -> Encoding:
        """The same over the observed labels."""
        route = route_of(sample.X, sample.Y, sample.weights, advice=ADVICE, thin=False)
        low_rank = MaskedLowRank.of(route, float(self.ridge))
        system, shape = low_rank.system, low_rank.form.UT.shape
        M = self._n_codes(shape, len(system.t_mean), bool(system.right.any()))
        factors = self._solve(low_rank, M, convex=min(shape) == M)
        W = factors.P * factors.s
        level = system.t_mean - np.einsum("ij,ij->i", system.centres.T @ W, factors.V)
        mean = route.mean(system.moments.x_mean)
        return linear_encoding(sample, factors, level, mean, route.lift(W))

    def _n_codes(self, shape: tuple[int, ...], n_labels: int, vary: bool) -> int:
        if self.n_components == 0 or min(shape) == 0 or not vary:
            no_direction(n_labels, self.n_components)
            return 0
        return at_most(self.n_components, min(shape), "directions that features and labels have")

    def _solve(self, problem: LowRank | MaskedLowRank, M: int, convex: bool) -> Factors:
        """Iterate, and store how it ended; `convex` if M does not limit the rank."""
        factors, self.dual_objective_, self.n_iter_ = self._iterate(problem, M, convex)
        self._objectives = problem.objectives(factors)
        self.primal_objective_ = float(self._objectives[-1])
        return factors

    def _iterate(self, problem: LowRank | MaskedLowRank, M: int, convex: bool) -> Turns:
        """Iterate until the gap or the gain is small."""
        factors = problem.start(M)
        dual, last, turn = problem.dual(factors), problem.objective(factors), 0
        gained = (TIGHT if convex and isinstance(problem, MaskedLowRank) else GAINED) * self.tol
        while M > 0 and turn < self.max_iter:
            turn += 1
            ahead = problem.turn(factors)
            primal = problem.objective(ahead)
            # Iterations cannot raise the objective, but rounding can; NaN does not count as a
            # decrease.
            if not primal <= last + ROUNDING * abs(last):
                return self._ended(Turns(factors, dual, turn), last, SCALES)
            factors, done = ahead, last - primal <= gained * primal
            if turn % CHECKED == 0 or done or turn == self.max_iter:
                dual = max(dual, problem.dual(factors))
                gap = (primal - dual) / primal
                if gap <= self.tol or (done and (not convex or gap <= CLOSED)):
                    return Turns(factors, dual, turn)
                if done:
                    return self._ended(Turns(factors, dual, turn), primal, SCALES)
            last = primal
        found = Turns(factors, dual, turn)
        return found if M == 0 else self._ended(found, last, "Raise max_iter or tol.")

    def _ended(self, found: Turns, primal: float, reason: str) -> Turns:
        """The result, with a warning that the gap is not closed."""
        gap = (primal - found.dual) / primal
        warnings.warn(
            f"{found.n_iter} iterations left a duality gap of {gap:.1e} of the objective "
            f"(tol {self.tol:g}). {reason}",
            ConvergenceWarning,
            stacklevel=2,
        )
        return found

    def _cut_from(self, n_fitted: int) -> None:
        self._objectives = self._objectives[: self.n_components_ + 1].copy()
        self.primal_objective_ = float(self._objectives[-1])


class Turns(NamedTuple):
    """Factors, the dual bound, and the number of iterations."""

    factors: Factors
    dual: float
    n_iter: int


def linear_encoding(
    sample: Any, factors: Factors, label_mean: np.ndarray, mean: np.ndarray, coef: np.ndarray
) -> Encoding:
    """The right singular vectors as directions, with the weights `coef` (D, M) of their codes."""
    learnt = LinearCodes.of(sample, mean, coef, np.zeros(coef.shape[1]))
    return Encoding(EigenPairs(factors.s, factors.V), label_mean, regressor=learnt)
