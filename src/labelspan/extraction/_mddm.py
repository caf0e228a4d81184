"""Multi-label dimensionality reduction via dependence maximisation."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from labelspan.base import ALPHA, N_SIGNIFICANT, LinearReducer
from labelspan.compat import Interval, StrOptions
from labelspan.extraction._label_kernel import LABEL_KERNELS, MEDIAN, label_rbf, label_targets
from labelspan.gate import Labels
from labelspan.linalg import AUTO, EigenPairs, Pencil, Wanted, check_psd, complete, solve, whole
from labelspan.registry import ALL_LABELS, IN_MEMORY, ON_HOST

TWO_KERNELS = (
    "label_correlation and label_kernel are both set; allowed is one of them. "
    "Put the correlation into the label kernel: Y @ B @ Y.T."
)


class MDDM(LinearReducer):
    r"""Directions that maximise the dependence (HSIC) between projected features and labels.

    .. math:: \max_P \; \mathrm{tr}(P' X_c' Y B Y' X_c P)

    subject to :math:`P'P = I` (``constraint="projection"``, Eqs. 5-7 of [1]_) or to
    :math:`P'(\mu X_c'X_c + (1 - \mu) I)P = I` (``constraint="feature"``, Eqs. 16-17).

    Parameters
    ----------
    n_components : int, float in (0, 1), "significant" or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep (the paper's thr,
        Eq. 9); or None for all with a positive eigenvalue (at most the number of labels). For a
        number beyond these see `complete`.
    constraint : {"projection", "feature"}, default="projection"
        Orthonormal directions (the paper's MDDM_p) or uncorrelated features (MDDM_f).
    mu : "auto" or float in [0, 1], default="auto"
        Weight of the feature scatter in the "feature" constraint, 0.5 in the paper. "auto" chooses
        the ridge (1 - mu) / mu by generalised cross-validation of the regression of the labels on
        X, from the sums over the rows, see `mu_`. 1 leaves no ridge: the directions then come from
        QR factors.
    label_correlation : None, "rbf" or array-like of shape (n_labels, n_labels), default=None
        B of Sec. 3.3, symmetric positive semi-definite. None means the identity; "rbf" compares
        the label columns by :math:`B_{st} = \exp(-\|y_s - y_t\|^2 / (2\,width^2))`.
    label_width : float, "median" or None, default=None
        Width of "rbf". "median" is the median of the distances that are not zero, between labels
        (`label_correlation`) or between the labels of rows (`label_kernel`). None means 1 for the
        former, where the paper searches 10**(t/2), t = -2, ..., 2, by cross-validation, and
        "median" for the latter. A width at which the correlation is the identity is reported.
    label_kernel : None, {"linear", "rbf", "polynomial"}, array-like or callable, default=None
        The label kernel L between rows (Sec. 3.3) in place of Y B Y'. "rbf" is :math:`\exp(-\|y_i -
        y_j\|^2 / (2\,width^2))`, "polynomial" is that of scikit-learn, (y_i'y_j / q + 1)^3,
        "linear" is Y Y'. An array is L itself, (n_samples, n_samples), or a factor F (n_samples,
        r) with L = F F'; a function computes one of the two from the dense 0/1 labels.
    complete : None, "variance" or "random", default=None
        How a number of `n_components` above that of the positive eigenvalues is reached, up to the
        rank of X: not at all; by directions of the largest scatter v'xx v among those that are
        orthogonal to all before them, in the metric of `constraint`; or by random ones (footnote 4
        of [1]_).
    random_state : int, RandomState instance or None, default=None
        Seed of the "random" directions.
    alpha : float, default=0.05
        Level of the tests for ``n_components="significant"``, which keeps the directions before the
        first that noise would explain, see `p_values_`; rows in memory.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, P' of the paper, orthonormal for "projection". For "feature"
        P'(``xx`` + (1 - mu) / mu I)P = n I for n rows, or the sum of their weights: projections of
        the training rows have a variance of about 1. Divide by sqrt(n mu) for the paper's length.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues, descending, in the paper's scale (scatter, 0/1 labels).
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the dependence (HSIC), the sum of all eigenvalues, that each direction has; a float
        `n_components` adds up these shares. 0 for directions of `complete`.
    completion_eigenvalues_ : ndarray
        Scatter v'xx v of each direction that `complete` has added, for vectors v of unit length in
        the paper's metric.
    hsic_ : float
        Dependence kept: the sum of the first ``n_components_`` eigenvalues (Eq. 8, that is
        tr(HKHL) without the factor (n - 1)**-2).
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of directions kept.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
    mu_ : float
        The weight: that of `mu`, or the one whose ridge was chosen among 28 between 1e-6 and 1e3
        times the mean eigenvalue of the scatter, with at most n / 2 degrees of freedom; 0 for
        orthonormal directions.
    label_scatter_clipped_ : float
        Share of negative eigenvalues, which were set to zero, in the scatter of the label pairs:
        above 0 only if labels are missing in `y` and it serves to compare the labels.
    p_values_ : ndarray of shape (n_tested,)
        With ``n_components="significant"``: for each direction up to the first above `alpha`, the
        p-value of the dependence left in the complement of those before it, against all orders of
        the rows of labels; never below that of the direction before.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    classes_ : ndarray
        Classes of a 1-d `y`.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    Notation: ``xt`` = Xc'Y (D, q) is the paper's XHY', the left side of Eq. (17) is F F' with
    F = ``xt`` B^(1/2), so its eigenvectors come from a q x q problem, never from a D x D one.
    "projection": time O(nnz(X) c + D q^2) with c labels per row, memory O(D q). If D q numbers of
    sparse X or of a Dask array exceed 1 GiB, an `n_components` below a tenth of the labels is found
    by products: a step of block Lanczos costs O(nnz(X) + nnz(Y)) per vector and two passes over the
    rows, memory O((D + q) n_components). "feature": plus one Cholesky factorisation, O(n D^2 + D^3
    / 3) and O(D^2), for D <= n; for wide X, replace D by n; for wide sparse X conjugate gradients,
    O(nnz(X) q) per step and O((n + D) q).

    References
    ----------
    .. [1] Y. Zhang and Z.-H. Zhou, "Multilabel dimensionality reduction via dependence
       maximization", ACM Transactions on Knowledge Discovery from Data 4(3), 2010.

    Examples
    --------
    >>> from labelspan import MDDM
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> MDDM().fit(yeast.X, yeast.Y).transform(yeast.X).shape
    (2417, 11)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_SIGNIFICANT,
        "constraint": [StrOptions({"projection", "feature"})],
        "mu": [StrOptions({AUTO}), Interval(Real, 0, 1, closed="both")],
        "label_correlation": [None, StrOptions({"rbf"}), "array-like"],
        "label_width": [None, StrOptions({MEDIAN}), Interval(Real, 0, None, closed="neither")],
        "label_kernel": [None, StrOptions(set(LABEL_KERNELS)), "array-like", callable],
        "complete": [None, StrOptions({"variance", "random"})],
        "random_state": ["random_state"],
        "alpha": ALPHA,
    }
    _ridge_name = "(1 - mu) / mu"
    _chosen = "mu_"
    _unit_variance = True
    _learnt = (*LinearReducer._learnt, "mu_", "label_scatter_clipped_", "completion_eigenvalues_")

    def __init__(
        self,
        n_components: int | float | str | None = 0.999,
        *,
        constraint: str = "projection",
        mu: float | str = "auto",
        label_correlation: Any = None,
        label_width: float | str | None = None,
        label_kernel: Any = None,
        complete: str | None = None,
        random_state: Any = None,
        alpha: float = 0.05,
    ):
        self.n_components = n_components
        self.constraint = constraint
        self.mu = mu
        self.label_correlation = label_correlation
        self.label_width = label_width
        self.label_kernel = label_kernel
        self.complete = complete
        self.random_state = random_state
        self.alpha = alpha

    @property
    def hsic_(self) -> float:
        """Dependence between the projected features and the labels."""
        return float(self.eigenvalues_[: self.n_components_].sum())

    @property
    def _label_scatter(self) -> bool:  # type: ignore[override]
        compared = self.label_correlation is not None or self.label_kernel is not None
        chosen = callable(shared_metric(self.constraint, self.mu))
        return compared and (isinstance(self.label_correlation, str) or chosen)

    @property
    def _one_pass(self) -> bool:  # type: ignore[override]
        return self.label_kernel is None

    def _refusals(self) -> dict[str, str]:
        again = super()._refusals()
        if self.label_kernel is None:
            return again
        refused = {"missing_labels": ALL_LABELS, "device": ON_HOST, "device_holes": ON_HOST}
        return {**again, "dask": IN_MEMORY, **refused}

    def _targets(self, labels: Labels) -> Labels:
        if self.label_kernel is None:
            return labels
        if self.label_correlation is not None:
            raise ValueError(TWO_KERNELS)
        n_given = labels.Y.shape[0] if labels.kept is None else len(labels.kept)
        F = label_targets(labels.Y, self.label_kernel, self.label_width, n_given)
        # A given kernel also has the rows of weight 0.
        return replace(labels, Y=F if F.shape[0] == labels.Y.shape[0] else F[labels.kept])

    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        completed = self.complete is not None and isinstance(self.n_components, Integral)
        metric = shared_metric(self.constraint, self.mu)
        K: Any = None
        if isinstance(self.label_correlation, str):
            K = partial(rbf_factor, width=self.label_width)
        elif self.label_correlation is not None:
            K = check_psd(self.label_correlation, shape[1], "label_correlation")
        elif self.label_kernel is not None:
            # Energies are those of the factor, which are no counts of labels.
            K = whole
        by_products = not (completed or callable(K))
        return Pencil(metric, K, by_products=by_products, completed=completed)

    def _directions(self, statistics: Any, pencil: Pencil) -> EigenPairs:
        if not pencil.completed:
            pairs = solve(pencil, statistics, self.n_components)
        else:
            wanted = Wanted(self.n_components)
            drawn = self.complete == "random"
            random = check_random_state(self.random_state) if drawn else None
            pairs = solve(pencil, statistics, wanted)
            pairs = complete(pairs, statistics, pencil.metric, wanted, random)
        self.completion_eigenvalues_ = pairs.completion
        return pairs


def shared_metric(constraint: str, mu: float | str) -> Any:
    """The metric mu xx + (1 - mu) I, a function of the ridge (1 - mu) / mu if that is chosen."""
    if constraint == "projection":
        return 0.0, 1.0
    return shares if mu == AUTO else (float(mu), 1.0 - float(mu))


def shares(ridge: float) -> tuple[float, float]:
    """Mu and 1 - mu of a ridge (1 - mu) / mu."""
    return 1.0 / (1.0 + ridge), ridge / (1.0 + ridge)


def rbf_factor(statistics: Any, width: float | str | None) -> np.ndarray:
    """K with K K' = B of Sec. 3.3."""
    B = label_rbf(statistics, width)
    return check_psd(B, len(B), "B")
