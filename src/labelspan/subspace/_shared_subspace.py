"""The shared-subspace classifier with squared loss (ML_LS)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from labelspan import arrays
from labelspan.arrays import cast, is_dask_array, namespace, precision_of, sums
from labelspan.base import LINEAR, THRESHOLD, Chunked
from labelspan.compat import Interval
from labelspan.gate import Labels, has_holes
from labelspan.linalg import (
    SAFE_VALUE,
    Regression,
    graded_basis,
    is_graded,
    rank,
    regress,
    regress_pooled,
    route_of,
    scaled_svd,
    signed_rows,
    solve_ridges,
)
from labelspan.moments import score_at, summarise, warn_of_unobserved
from labelspan.subspace._base import SubspaceClassifier
from labelspan.subspace._masked import MaskedShared


class SharedSubspaceClassifier(Chunked, SubspaceClassifier):
    r"""Linear classifiers of all labels that share a subspace, with squared loss (ML_LS).

    .. math:: \min_{U, V, \Theta} \; \tfrac{1}{n} \|X_c U - S_c\|_F^2
              + \alpha \|U - \Theta' V\|_F^2 + \beta \|U\|_F^2
              \quad \text{subject to} \quad \Theta \Theta' = I

    with :math:`S = 2Y - 1` (Eq. 5 of [1]_): alpha penalises the part of the weights outside the
    shared subspace, beta penalises all weights. Solved in closed form, see Notes.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension r of the shared subspace; None means the paper's 5 * floor((q - 1) / 5), at
        least 1, at most the rank.
    alpha : float, default=0.1
        Penalty on the part of the weights outside the subspace. 0 is ridge regression.
    beta : float, default=0.01
        Penalty on all weights. 0 is alternating structure optimisation with squared loss; the
        solution then comes from QR factors, on the row space of X.
    fit_intercept : bool, default=True
        Centre X and the labels. The paper's formulas have no intercept, but its figures are only
        reached with one.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    theta_ : ndarray of shape (n_components_, n_features)
        Basis of the shared subspace, orthonormal rows.
    coef_ : ndarray of shape (n_labels, n_features)
        U' of the paper, on the scale of -1 and +1. V is ``theta_ @ coef_.T``.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts; zeros without ``fit_intercept``.
    objective_ : float
        Value of Eq. (5) at the solution.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows; zeros without ``fit_intercept``.
    n_components_ : int
        Dimension of the subspace.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
    residual_ : float or None
        If labels are missing in `y`, the norm of the gradient of the objective over the weights,
        relative to that of zero weights; None if none is missing, because the closed form is exact.
    n_iter_ : int
        If labels are missing in `y`, the number of iterations; otherwise 0.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    Let :math:`R_\rho = (X'X + n \rho I)^{-1} X'S` be the ridge regression with penalty rho. In the
    singular vectors of X, Eqs. (20)-(27) become diagonal, and Eq. (17) with them: with P (q, r)
    the leading eigenvectors of the q x q matrix :math:`R_\beta' R_{\alpha+\beta}` (that is
    C C' of Eq. 26 up to scale),

    .. math:: \Theta' = \mathrm{qr}(R_\beta P), \qquad
              U = R_{\alpha+\beta} (I - P P') + R_\beta P P'.

    So a fit takes two ridge regressions on the same statistics, combined in the label space:
    time O(n D^2 + 2 D^3 / 3 + D^2 q), memory O(D^2); if n < D, replace D by n; conjugate gradients
    for sparse X that is large on both sides. A large alpha gives the subspace of :class:`OPLS` with
    ridge n * beta, a large beta that of :class:`MDDM`.

    Missing labels in `y`: the loss of a label is its mean over the rows where it is observed. Each
    label then has its own scatter, there is no closed form, and the problem is not convex. The fit
    starts from the closed form of available cases and descends in U by conjugate gradients; for
    every U, Theta holds its leading left singular vectors: O(nnz(X) q + n q + D^2 q + q^3) per
    iteration. The objective never rises. ``residual_`` certifies a stationary point: U is the best
    for Theta (a ridge regression per label), and Theta the best for U. It does not certify that no
    other subspace is better. The larger alpha is relative to the variances of X, the more
    iterations it takes. ``partial_fit`` and Dask arrays do not accept missing labels.

    References
    ----------
    .. [1] S. Ji, L. Tang, S. Yu and J. Ye, "A shared-subspace learning framework for
       multi-label classification", ACM Transactions on Knowledge Discovery from Data 4(2), 2010.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.subspace import SharedSubspaceClassifier
    >>> yeast = load_yeast()
    >>> model = SharedSubspaceClassifier().fit(yeast.X, yeast.Y)
    >>> model.theta_.shape, model.predict(yeast.X).shape
    ((10, 103), (2417, 14))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": THRESHOLD,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
    }

    _shared: ClassVar[bool] = True
    _learnt: ClassVar[tuple[str, ...]] = (
        *LINEAR,
        "theta_",
        "mean_",
        "objective_",
        "n_components_",
        "solver_",
        "residual_",
        "n_iter_",
    )

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 0.1,
        beta: float = 0.01,
        fit_intercept: bool = True,
        threshold: float | str = "paper",
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.fit_intercept = fit_intercept
        self.threshold = threshold

    def _learn(self, X: Any, labels: Labels) -> None:
        found = self._learn_observed(X, labels) if labels.missing else self._mix(X, labels)
        self._keep_solution(X, found, labels.weights)

    def _learn_observed(self, X: Any, labels: Labels) -> Solution:
        seen = ~np.isnan(labels.Y).all(axis=0)
        warn_of_unobserved(seen)
        labels = replace(labels, Y=labels.Y[:, seen])
        found = self._descend(X, labels) if has_holes(labels.Y) else self._mix(X, labels)
        return found.among(seen)

    def _mix(self, X: Any, labels: Labels) -> Solution:
        """In closed form, from two regressions."""
        regression = regress(
            X,
            labels.Y,
            *(labels.total * price for price in self._prices()),
            weights=labels.weights,
            signed=True,
            centre=bool(self.fit_intercept),
            shared=True,
            tt=labels.soft,
        )
        return mix(regression, labels.total, self.n_components, labels.soft)

    def _descend(self, X: Any, labels: Labels) -> Solution:
        """With missing labels, by descent from the closed form of available cases."""
        centre, total = bool(self.fit_intercept), labels.total
        route = route_of(
            X, labels.Y, labels.weights, advice="Select features first.", centre=centre
        )
        statistics = summarise(route.sample, signed=True, centre=centre)
        ridges = tuple(total * price for price in self._prices())
        regression = solve_ridges(statistics, ridges, shared=True)
        P, _, U = mixed(regression, self.n_components)
        prices = total * self.alpha, total * self.beta
        problem = MaskedShared.of(route, statistics, prices, P.shape[1], centre)
        point, residual, n_iter = problem.descend(U)
        return Solution(
            signed_rows(route.lift(point.Q)),
            route.lift(point.U),
            problem.objective(point.U),
            route.mean(statistics.x_mean),
            problem.level(point.U) * centre,
            route.solver,
            residual,
            n_iter,
        )

    def _prices(self) -> tuple[float, ...]:
        # Without alpha both regressions are the same.
        return tuple(dict.fromkeys([self.beta, self.alpha + self.beta]))

    def _learn_pooled(self, statistics: Any, rest: np.ndarray, dtype: np.dtype) -> None:
        n_rows, mean = statistics.weight, statistics.x_mean
        ridges = (n_rows * price for price in self._prices())
        centre = bool(self.fit_intercept)
        regression = regress_pooled(statistics, *ridges, signed=True, centre=centre, shared=True)
        solution = mix(regression, n_rows, self.n_components)
        U, t_mean = solution.U, regression.t_mean
        if centre:
            self._keep_pooled(dtype, U, mean, t_mean, rest)
        else:
            self._store_linear(dtype, U, t_mean, mean, score_at(mean, U, t_mean))
        self._keep_shared(replace(solution, solver=self._chunks.pool.solver))

    def _keep_solution(self, X: Any, found: Solution, weights: Any) -> None:
        if self.fit_intercept or is_dask_array(X):
            self._keep_about(X, found.U, found.x_mean, found.level, weights)
        else:
            # Without an intercept, but scores are computed relative to the mean as elsewhere.
            self._keep(X, found.U, found.level)
        self._keep_shared(found)

    def _keep_shared(self, solution: Solution) -> None:
        dtype = precision_of(self.coef_)
        self.theta_ = cast(solution.Theta, dtype)
        self.mean_ = cast(solution.x_mean, dtype, copy=True)
        self.objective_ = solution.objective
        self.n_components_ = self.theta_.shape[0]
        self.solver_ = solution.solver
        self.residual_, self.n_iter_ = solution.residual, solution.n_iter


@dataclass(frozen=True)
class Solution:
    """Theta (r, D), U (D, q) and the value of Eq. (5); the mean of the rows and the scores there.

    `residual` and `n_iter` are those of a descent; None and 0 in closed form.
    """

    Theta: np.ndarray
    U: np.ndarray
    objective: float
    x_mean: np.ndarray
    level: np.ndarray
    solver: str
    residual: float | None = None
    n_iter: int = 0

    def among(self, seen: np.ndarray) -> Solution:
        """The same among all labels (q,); those that were never observed are never predicted."""
        U, level = np.zeros((len(self.U), len(seen))), np.full(len(seen), -1.0)
        U[:, seen], level[seen] = self.U, self.level
        return replace(self, U=U, level=level)


def mix(
    regression: Regression, weight: float, n_components: int | None, soft: bool = False
) -> Solution:
    """From the ridge regressions at beta and alpha + beta to the solution of Eq. (5).

    U is stationary, so this is ||S||^2 / n - tr(U'X'S) / n, with n the `weight` of all rows. `soft`
    labels need their scatter, as their squares are not 1.
    """
    P, Q, U = mixed(regression, n_components)
    xp = namespace(U)
    squares = weight * float(sums(1.0 - regression.t_mean**2))
    if soft:
        assert regression.tt is not None
        squares = float(namespace(regression.tt).linalg.trace(regression.tt))
    outside, inside = regression.explained(-1), regression.explained()
    explained = xp.linalg.trace(outside) + xp.sum(P * ((inside - outside) @ P))
    objective = float(squares - explained) / weight
    means = regression.x_mean, regression.t_mean
    return Solution(signed_rows(Q), U, objective, *means, regression.solver)


def mixed(
    regression: Regression, n_components: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P (q, r), the leading eigenvectors of C C' (Eq. 26); qr(R_beta P) (D, r); U of Eq. (17)."""
    loose, tight = regression.coefficients(), regression.coefficients(i=-1)
    factor = regression.cross_factor()
    if factor is None:
        P = leading_labels(loose.T @ tight, n_components)
        Q = namespace(P).linalg.qr(loose @ P)[0]
    else:
        P, C = shared_labels(*factor, n_shared(n_components, factor[1].shape[1]))
        graded = is_graded(factor[0] ** 2)
        if graded:
            Q = graded_basis(regression.cross_back(C))
        else:
            Q = namespace(P).linalg.qr(loose @ P)[0]
        warn_of_fewer(n_components, P)
    return P, Q, tight + ((loose - tight) @ P) @ P.T


def leading_labels(cross: np.ndarray, n_components: int | None) -> np.ndarray:
    """Leading eigenvectors P (q, r) of C C' (Eq. 26), no more than its rank."""
    values, P = arrays.eigh((cross + cross.T) / 2)
    P = P[:, : min(n_shared(n_components, P.shape[0]), rank(values, len(values)))]
    warn_of_fewer(n_components, P)
    return P


def n_shared(n_components: int | None, n_labels: int) -> int:
    """The dimension asked for, by default the paper's r = 5 * floor((q - 1) / 5), at least 1."""
    return max(5 * ((n_labels - 1) // 5), 1) if n_components is None else n_components


def warn_of_fewer(n_components: int | None, P: np.ndarray) -> None:
    """Warn if the labels share fewer directions than asked for."""
    n_kept = P.shape[1]
    if n_components is not None and n_components > n_kept:
        warnings.warn(
            f"n_components={n_components} is more than the {n_kept} directions that the "
            f"labels can share; {n_kept} are kept (see n_components_).",
            UserWarning,
            stacklevel=3,
        )


def shared_labels(weights: np.ndarray, U: np.ndarray, r: int) -> tuple[np.ndarray, np.ndarray]:
    """The r leading eigenvectors P (q, r) of U' diag(weights)^2 U, and diag(weights) U P.

    Rotations find eigenvalues that rounding of the largest would hide, if scales are far apart.
    """
    values, P = arrays.eigh((U * weights[:, None] ** 2).T @ U)
    last = min(r, len(values)) - 1
    if is_graded(weights**2) and values[last] < SAFE_VALUE * values[0]:
        V, s, P = scaled_svd(weights, U)
        return P[:, :r], (V * s)[:, :r]
    P = P[:, : min(r, rank(values, len(values)))]
    return P, weights[:, None] * (U @ P)
