"""The shared-subspace classifier with squared loss (ML_LS)."""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from labelspan import arrays
from labelspan.arrays import cast, is_dask_array, namespace, precision_of, sums
from labelspan.base import LINEAR, RIDGE, THRESHOLD, Chunked
from labelspan.compat import Interval
from labelspan.gate import Labels, has_holes
from labelspan.linalg import (
    AUTO,
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
from labelspan.registry import ALL_LABELS, IN_MEMORY, ON_HOST
from labelspan.subspace._base import SubspaceClassifier
from labelspan.subspace._clustered import CLUSTERED, in_clusters
from labelspan.subspace._masked import MaskedShared
from labelspan.subspace._prices import chosen_prices, prices_of
from labelspan.subspace._solution import Solution, n_shared


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
    alpha : "auto" or float, default="auto"
        Penalty on the part of the weights outside the subspace, chosen by cross-validation in the
        paper. "auto" chooses n (alpha + beta) as the ridge of the labels outside the subspace, see
        Notes. 0 is ridge regression.
    beta : "auto" or float, default="auto"
        Penalty on all weights, chosen by cross-validation in the paper. "auto" chooses n beta as
        the ridge of the labels inside the subspace. 0 is alternating structure optimisation with
        squared loss; the solution then comes from QR factors, on the row space of X.
    fit_intercept : bool, default=True
        Centre X and the labels. The paper's formulas have no intercept, but its figures are only
        reached with one.
    n_clusters : int, default=1
        Number of clusters of labels, each with a subspace of its own of up to `n_components`
        dimensions (None: the paper's number for q / n_clusters labels). The clusters are learnt:
        subspaces for fixed clusters, and the best cluster of each label for fixed subspaces, in
        turns. Sec. 6.4 of [1]_ names this as future work. Above 1, labels and rows must be complete
        and in memory.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    theta_ : ndarray of shape (n_components_, n_features)
        Basis of the shared subspace, orthonormal rows; with clusters, their bases below each other.
    clusters_ : ndarray of int of shape (n_labels,)
        The cluster of each label.
    objectives_ : ndarray
        The objective after each turn of the clusters; it does not increase.
    coef_ : ndarray of shape (n_labels, n_features)
        U' of the paper, on the scale of -1 and +1. V is ``theta_ @ coef_.T``.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts; zeros without ``fit_intercept``.
    alpha_, beta_ : float
        The penalties: those of `alpha` and `beta`, or the ones chosen.
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
        If labels are missing in `y`, the number of iterations; with clusters that of the turns;
        otherwise 0.
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

    "auto" needs the sums over the rows only. With the ridge r that generalised cross-validation
    chooses for all labels, as :class:`labelspan.MultiOutputRidge` does, P are the leading
    eigenvectors of R'R, R = (X'X + r I)^-1 X'S. Then n beta is the ridge that it chooses for the
    labels S P, and n (alpha + beta) the one for the others, S (I - P P'), at least n beta.

    Missing labels in `y`: the loss of a label is its mean over the rows where it is observed. Each
    label then has its own scatter, there is no closed form, and the problem is not convex. The fit
    starts from the closed form of available cases and descends in U by conjugate gradients; for
    every U, Theta holds its leading left singular vectors: O(nnz(X) q + n q + D^2 q + q^3) per
    iteration. The objective never rises. ``residual_`` certifies a stationary point: U is the best
    for Theta (a ridge regression per label), and Theta the best for U. It does not certify that no
    other subspace is better. The larger alpha is relative to the variances of X, the more
    iterations it takes. ``partial_fit`` and Dask arrays do not accept missing labels.

    Clusters start from those of the directions of ridge regressions, and end where no label gains
    by a change of its cluster: a local minimum. A turn takes O(r q (n_clusters + q)) for the rank r
    of X, after one eigendecomposition.

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
        "alpha": RIDGE,
        "beta": RIDGE,
        "fit_intercept": ["boolean"],
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
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
        "alpha_",
        "beta_",
        "clusters_",
        "objectives_",
    )

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float | str = "auto",
        beta: float | str = "auto",
        fit_intercept: bool = True,
        n_clusters: int = 1,
        threshold: float | str = "paper",
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.fit_intercept = fit_intercept
        self.n_clusters = n_clusters
        self.threshold = threshold

    def _learn(self, X: Any, labels: Labels) -> None:
        if self.n_clusters > 1:
            settings = self.n_components, int(self.n_clusters), bool(self.fit_intercept)
            found = in_clusters(X, labels, self._penalties, *settings, ridge_free=self.beta == 0)
        else:
            found = self._learn_observed(X, labels) if labels.missing else self._mix(X, labels)
        self._keep_solution(X, found, labels.weights)

    def _needs_rows(self) -> str:
        return "" if self.n_clusters == 1 else CLUSTERED + " Use fit."

    def _refusals(self) -> dict[str, str]:
        if self.n_clusters == 1:
            return {}
        refused = {"missing_labels": ALL_LABELS, "device": ON_HOST, "device_holes": ON_HOST}
        return {"dask": IN_MEMORY, **refused}

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
            *self._known_ridges(labels.total),
            weights=labels.weights,
            signed=True,
            centre=bool(self.fit_intercept),
            shared=True,
            tt=labels.soft or self._scatter,
        )
        return mix(regression, labels.total, self.n_components, labels.soft)

    def _descend(self, X: Any, labels: Labels) -> Solution:
        """With missing labels, by descent from the closed form of available cases."""
        centre, total = bool(self.fit_intercept), labels.total
        route = route_of(
            X, labels.Y, labels.weights, advice="Select features first.", centre=centre
        )
        statistics = summarise(route.sample, tt=self._scatter, signed=True, centre=centre)
        regression = solve_ridges(statistics, self._ridges_for(statistics), shared=True)
        P, _, U = mixed(regression, self.n_components)
        prices = total * self.alpha_, total * self.beta_
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

    @property
    def _scatter(self) -> bool:  # type: ignore[override]
        # The energy of the labels inside and outside the subspace.
        return AUTO in (self.alpha, self.beta)

    def _chunk_ridges(self) -> tuple[float | str, ...]:
        return (AUTO,) if self._scatter else prices_of(float(self.alpha), float(self.beta))

    def _known_ridges(self, weight: float) -> tuple[Any, ...]:
        """The ridges of both regressions, or the function that finds them."""
        if self._scatter:
            return (self._ridges_for,)
        self.alpha_, self.beta_ = float(self.alpha), float(self.beta)
        return tuple(weight * price for price in prices_of(self.alpha_, self.beta_))

    def _ridges_for(self, statistics: Any) -> tuple[float, ...]:
        """The ridges of both regressions; stores the penalties."""
        r = n_shared(self.n_components, statistics.t_mean.shape[0])
        given = self.alpha, self.beta
        if self._scatter:
            given = chosen_prices(statistics, *given, r, signed=True)
        self.alpha_, self.beta_ = float(given[0]), float(given[1])
        return tuple(statistics.weight * price for price in prices_of(self.alpha_, self.beta_))

    def _penalties(self, statistics: Any) -> tuple[float, float]:
        """Alpha and beta, stored."""
        self._ridges_for(statistics)
        return self.alpha_, self.beta_

    def _learn_pooled(self, statistics: Any, rest: np.ndarray, dtype: np.dtype) -> None:
        n_rows, mean = statistics.weight, statistics.x_mean
        ridges, centre = self._known_ridges(n_rows), bool(self.fit_intercept)
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
        q, single = self.coef_.shape[0], np.array([solution.objective])
        clusters, objectives = solution.clusters, solution.objectives
        self.clusters_ = np.zeros(q, dtype=np.int64) if clusters is None else clusters
        self.objectives_ = single if objectives is None else objectives


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


def warn_of_fewer(n_components: int | None, P: np.ndarray) -> None:
    """Warn if the labels share fewer directions than asked for."""
    n_kept = P.shape[1]
    if n_components is not None and n_components > n_kept:
        warnings.warn(
            f"n_components={n_components} is more than the {n_kept} directions that the "
            f"labels can share; {n_kept} are kept (see n_components_).",
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
