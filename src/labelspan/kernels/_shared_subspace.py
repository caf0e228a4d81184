"""The shared-subspace classifier (ML_LS) in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from labelspan.arrays import (
    cast,
    like,
    namespace,
    precision_of,
    solve_triangular,
    sums,
)
from labelspan.base import RIDGE, THRESHOLD, LabelClassifier
from labelspan.compat import Interval
from labelspan.gate import Labels, in_dtype, of_rows
from labelspan.kernels._base import KERNEL_PARAMETERS, keep_kernel, project, remember_directions
from labelspan.kernels._map import KernelMap, kernel_refusals
from labelspan.kernels._several import Several
from labelspan.kernels._statistics import Dual, Induced, induce
from labelspan.linalg import AUTO, solve_ridges, spectra
from labelspan.moments import Moments
from labelspan.subspace import (
    chosen_prices,
    label_products,
    leading_labels,
    mix,
    n_shared,
    prices_of,
)


class KernelSharedSubspaceClassifier(
    LabelClassifier, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    r"""Classifiers of all labels that share a subspace of a kernel's feature space (ML_LS).

    .. math:: \min_{A, B} \; \tfrac{1}{n} \|Q A - S_c\|_F^2
              + \mathrm{tr}\left(A'((\alpha + \beta) Q - \alpha Q B B' Q) A\right)
              \quad \text{subject to} \quad B'QB = I

    with the centred kernel matrix Q and :math:`S = 2Y - 1` (Eq. 38 of [1]_): alpha penalises the
    part of the weights outside the shared subspace, beta penalises all weights. A linear kernel
    gives :class:`labelspan.subspace.SharedSubspaceClassifier`.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension r of the shared subspace; None means the paper's 5 * floor((q - 1) / 5), at
        least 1, at most the rank.
    alpha : "auto" or float, default="auto"
        Penalty on the part of the weights outside the subspace, chosen by cross-validation in the
        paper. "auto" chooses n (alpha + beta) as the ridge of the labels outside the subspace, see
        :class:`labelspan.subspace.SharedSubspaceClassifier`. 0 is kernel ridge regression.
    beta : "auto" or float, default="auto"
        Penalty on all weights, chosen by cross-validation in the paper. "auto" chooses n beta as
        the ridge of the labels inside the subspace.
        0 uses the pseudo-inverse of Q; a kernel of full rank then fits any
        label, and a warning says so.
    kernel : str, callable or list, default="rbf"
        A kernel of scikit-learn's ``pairwise_kernels``, "precomputed", or a function of two
        rows. A list of several (names, functions, or dicts of a "kernel" with its parameters)
        learns their weights, see Notes.
    gamma : float or None, default=None
        Coefficient of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None is
        1 / n_features (1 for "chi2").
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Constant of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Keywords of a callable kernel.
    n_landmarks : int or None, default=None
        Number of Nystroem landmarks; None means exact.
    landmarks : {"uniform", "kmeans", "leverage"}, default="uniform"
        Landmarks at random; the rows nearest to k-means centres; or at random by approximate
        ridge leverage scores.
    random_state : int, RandomState or None, default=None
        Seed of the landmarks.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    dual_components_ : ndarray of shape (n_components_, n_training_rows or n_landmarks)
        B' of Eq. (31), the basis of the shared subspace: B'QB = I.
    offset_ : ndarray of shape (n_components_,)
        Centring term, subtracted from a projection.
    dual_coef_ : ndarray of shape (n_labels, n_training_rows or n_landmarks)
        A' of Eq. (30), on the scale of -1 and +1.
    intercept_ : ndarray of shape (n_labels,)
        Added to the kernel values times ``dual_coef_``.
    alpha_, beta_ : float
        The penalties: those of `alpha` and `beta`, or the ones chosen.
    objective_ : float
        Value of Eq. (38) at the solution.
    kernel_weights_ : ndarray of shape (n_kernels,)
        Weights of a list of kernels, each centred and divided by its mean diagonal; they sum to 1.
    objectives_ : ndarray of shape (n_turns,)
        Value of Eq. (38) at the weights of each turn; never rises.
    n_components_ : int
        Dimension of the subspace.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        Rows that serve as landmarks, with ``n_landmarks``, among those of positive weight.
    nystroem_error_ : float
        Relative error of the centred kernel (Frobenius norm) on a sample of at most 500 rows,
        with ``n_landmarks``.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    Let :math:`A_\rho = (Q + n \rho I)^{-1} S_c` be the kernel ridge regression with penalty rho. In
    the eigenvectors of Q, Eqs. (32)-(41) become diagonal: with P (q, r) the leading eigenvectors of
    the q x q matrix :math:`A_\beta' Q A_{\alpha+\beta}`, B spans :math:`A_\beta P`, and :math:`A =
    A_{\alpha+\beta} (I - P P') + A_\beta P P'`. So a fit takes two kernel ridge regressions: two
    Cholesky factors of n^3 / 3 each in one (n, n) array; with "auto" one eigendecomposition of Q
    instead, and two arrays. With m landmarks O(n m (D + m) + m^3) and O(m^2).

    **Several kernels**, which Sec. 7 of [1]_ leaves as future work: the objective of the sum
    :math:`\sum_t d_t Q_t` is also minimised over the weights d on the simplex. With
    :math:`W_t` the weights in the space of kernel t and :math:`L_t` the part of them in the
    subspace, it is the loss plus :math:`\sum_t c_t / d_t`, :math:`c_t = \beta \|W_t\|^2 +
    \alpha \|W_t - L_t\|^2`, so :math:`d_t \propto c_t^{1/2}` is best for given parts; this and
    the solution for given weights alternate, from equal weights, to a point from which neither
    lowers the objective. "auto" chooses the penalties at equal weights. One (n, n) array per
    kernel.

    References
    ----------
    .. [1] S. Ji, L. Tang, S. Yu and J. Ye, "A shared-subspace learning framework for
       multi-label classification", ACM Transactions on Knowledge Discovery from Data 4(2), 2010.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.kernels import KernelSharedSubspaceClassifier
    >>> yeast = load_yeast()
    >>> X, Y = yeast.X[:500], yeast.Y[:500]
    >>> model = KernelSharedSubspaceClassifier(gamma=0.5).fit(X, Y)
    >>> model.transform(X).shape, model.predict(X).shape
    ((500, 10), (500, 14))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": THRESHOLD,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": RIDGE,
        "beta": RIDGE,
        **KERNEL_PARAMETERS,
        "kernel": [*KERNEL_PARAMETERS["kernel"], list, tuple],
    }

    _map: KernelMap

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float | str = "auto",
        beta: float | str = "auto",
        kernel: Any = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int | None = None,
        landmarks: str = "uniform",
        random_state: Any = None,
        threshold: float | str = "paper",
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        keep_kernel(
            self, kernel, gamma, degree, coef0, kernel_params, n_landmarks, landmarks, random_state
        )
        self.threshold = threshold

    @property
    def _auto(self) -> bool:
        return AUTO in (self.alpha, self.beta)

    def _ridges(self, weight: float) -> tuple[float, ...]:
        """The ridges of both regressions, if they are known before the fit."""
        if self._auto:
            return ()
        return tuple(weight * price for price in prices_of(float(self.alpha), float(self.beta)))

    def _learn(self, X: Any, labels: Labels) -> None:
        several = isinstance(self.kernel, list | tuple)
        induced = (self._weigh if several else self._induce)(X, labels)
        statistics, dtype = induced.statistics, precision_of(X)
        if self._auto and isinstance(statistics, Dual):
            statistics = spectra(statistics)[0]
        solution = self._solve(statistics)
        remember_directions(self, induced, solution.B, dtype)
        A, shift = induced.lift(solution.A)
        self.dual_coef_ = in_dtype(A.T, dtype, "dual_coef_")
        self.intercept_ = cast(like(shift, 2.0 * induced.statistics.t_mean - 1.0) - shift, dtype)
        self.objective_ = solution.objective
        if not several:
            self.kernel_weights_, self.objectives_ = np.ones(1), np.array([solution.objective])

    def _induce(self, X: Any, labels: Labels) -> Induced:
        # Penalties that are still to be chosen may be small.
        least, tt = min(self._ridges(labels.total), default=0.0), labels.soft or self._auto
        induced = induce(self, X, labels.Y, labels.weights, ridge=least, tt=tt)
        self._choose(induced.statistics)
        return induced

    def _weigh(self, X: Any, labels: Labels) -> Induced:
        """With several kernels: the penalties at equal weights, then the weights."""
        kernels = Several.of(self, X, labels.Y, labels.weights)
        self._choose(kernels.weighted(np.full(len(kernels.maps), 1 / len(kernels.maps))))
        found = kernels.descend(self._solve, self.alpha_, self.beta_)
        self.kernel_weights_, self.objectives_ = found
        return kernels.induced(self.kernel_weights_, labels.weights)

    def _choose(self, statistics: Any) -> None:
        given = self.alpha, self.beta
        if self._auto:
            r = n_shared(self.n_components, statistics.t_mean.shape[0])
            given = chosen_prices(statistics, self.alpha, self.beta, r, signed=False)
        self.alpha_, self.beta_ = float(given[0]), float(given[1])

    def _solve(self, statistics: Any) -> DualSolution:
        ridges = tuple(statistics.weight * price for price in prices_of(self.alpha_, self.beta_))
        return SOLVERS[type(statistics)](statistics, ridges, self.n_components)

    def transform(self, X: Any) -> Any:
        """Project on the shared subspace.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features; kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples, n_components_), or a lazy Dask array for one
            Projections.
        """
        return of_rows(self, X, self._project, lambda: self.n_components_)

    def _project(self, X: Any) -> np.ndarray:
        return project(self._map, X, self.dual_components_, self.offset_)

    def _scores(self, X: Any) -> np.ndarray:
        return project(self._map, X, self.dual_coef_, -self.intercept_)

    _n_features_out = property(attrgetter("n_components_"))

    def _refusals(self) -> dict[str, str]:
        return kernel_refusals(self)


@dataclass(frozen=True)
class DualSolution:
    """B (n, r), A (n, q) and the objective of Eq. (38); n is m for landmark features."""

    B: np.ndarray
    A: np.ndarray
    objective: float


def mix_dual(statistics: Dual, ridges: tuple[float, ...], n_components: Any) -> DualSolution:
    """The solution from kernel ridge regressions at n beta and n (alpha + beta)."""
    S = 2.0 * statistics.T
    # (Q + ridge I)^-1 S, as half the metric for T.
    solved = [statistics.solve(0.5, 0.5 * ridge) for ridge in ridges]
    (loose, K_loose, _), (tight, K_tight, _) = solved[0], solved[-1]
    # Without beta, `loose` may be huge where Q is small; Q times `loose` is not.
    P = leading_labels(K_loose.T @ tight, n_components)
    A = tight + ((loose - tight) @ P) @ P.T
    KA = K_tight + ((K_loose - K_tight) @ P) @ P.T
    B = kernel_orthonormal(loose @ P, K_loose @ P)
    objective = (sums(S * S) - sums(S * KA)) / statistics.weight
    return DualSolution(B, A, float(objective))


def mix_features(statistics: Moments, ridges: tuple[float, ...], n_components: Any) -> DualSolution:
    """The linear solution on landmark features."""
    signed = statistics.signed()
    soft = signed.tt is not None
    linear = mix(solve_ridges(signed, ridges), signed.weight, n_components, soft)
    return DualSolution(linear.Theta.T, linear.U, linear.objective)


def kernel_orthonormal(C: np.ndarray, KC: np.ndarray) -> np.ndarray:
    """B = C R^-1 with B'KB = I, by Cholesky factors twice: the first step may lose digits."""
    xp = namespace(C)
    size = xp.sqrt(xp.sum(C * KC, axis=0))
    C, KC = C / size, KC / size
    for _ in range(2 if C.shape[1] else 0):
        M = C.T @ KC
        L = xp.linalg.cholesky((M + M.T) / 2)
        C, KC = (solve_triangular(L, A.T).T for A in (C, KC))
    return C


@label_products.register
def _(statistics: Dual, ridge: float) -> Any:
    P, QP, _ = statistics.solve(1.0, ridge)
    return P.T @ QP


SOLVERS: dict[type, Callable[..., DualSolution]] = {Dual: mix_dual, Moments: mix_features}
