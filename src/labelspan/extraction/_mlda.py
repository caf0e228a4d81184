"""Multi-label linear discriminant analysis with weighted labels."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import dense
from labelspan.base import N_COMPONENTS, LinearReducer
from labelspan.compat import Interval
from labelspan.extraction._weights import (
    WEIGHTS,
    LabelWeights,
    check_weights,
    inverse,
    is_row_local,
    refusals,
    weighed,
)
from labelspan.linalg import EPS, EigenPairs, Pencil, leading_pencil, solve
from labelspan.moments import Moments, Rows, Sample, Statistics, checked, collect, scaled


class MLDA(LinearReducer):
    r"""Directions that maximise between-label against within-label scatter.

    .. math:: S_b\, p = \lambda\, (S_w + \mathrm{ridge}\, I)\, p

    where row i counts for label k with the weight W_ik: Eqs. (41)-(44) and (47) of [1]_, after
    [2]_. Five weights are offered, those that [3]_ compares; c_i is the number of labels of row i:

    ============= ======================================================== ===========
    weights       W_i                                                      passes
    ============= ======================================================== ===========
    "binary"      y_i                                                      1
    "entropy"     y_i / c_i                                                1
    "correlation" C y_i / c_i, C the cosines of the label columns          2
    "fuzzy"       memberships of fuzzy c-means among the labels of the row 1 per step
    "dependence"  the label of the row that makes HSIC(X, W) largest       1 per epoch
    ============= ======================================================== ===========

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep; or None for all with
        a positive eigenvalue (fewer than the number of labels).
    ridge : float > 0, default=0.1
        The paper's gamma_xy.
    weights : str or array-like of shape (n_samples, n_labels), default="correlation"
        How much a row counts for each label: "binary", "entropy", "correlation" (as in the papers),
        "fuzzy", "dependence", or numbers >= 0, such as the confidence of annotators; one row per
        row of X. "binary" and "entropy" have ``partial_fit``, they and "correlation" take Dask
        arrays.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, with ``components_ @ (S_w + ridge I) @ components_.T`` the identity.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues, descending.
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the sum of all eigenvalues that each direction has; a float
        `n_components` adds up these shares.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows, weighted as in S_w.
    n_components_ : int
        Number of directions kept.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
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
    A row without labels has weight 0; a label without rows has no mean (1 / n_k is taken as 0). A
    single label is fitted together with its complement, [y, 1 - y]. With w_i the sum of W_i, the
    total scatter S_t = S_w + S_b is the scatter of X with weights w, and S_b = F F' for the thin F
    with columns sqrt(n_k) (mean_k - mean), so the problem is thin, with S_w = S_t - F F'. Time O(n
    D^2 + D^3 / 3 + n q^2), memory O(D^2 + q^2); if n < D, replace D by n; large sparse X by
    conjugate gradients. "fuzzy" starts from "entropy", takes O(n D q) per iteration and O(n q)
    memory, and ends when no weight changes by 1e-6. "dependence" also starts from "entropy" and
    assigns row after row, those far from the mean first, to its label with the largest x_i'Xc'W.
    The dependence never falls; O(n D c) per epoch for c labels per row.

    References
    ----------
    .. [1] J. Xu, J. Liu, J. Yin and C. Sun, "A multi-label feature extraction algorithm via
       maximizing feature variance and feature-label dependence simultaneously",
       Knowledge-Based Systems 98, 2016.
    .. [2] H. Wang, C. Ding and H. Huang, "Multi-label linear discriminant analysis", ECCV 2010.
    .. [3] J. Xu, "A weighted linear discriminant analysis framework for multi-label feature
       extraction", Neurocomputing 275, 2018.

    Examples
    --------
    >>> from labelspan import MLDA
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> MLDA(n_components=5).fit(yeast.X, yeast.Y).transform(yeast.X).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_COMPONENTS,
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "weights": WEIGHTS,
    }

    def __init__(
        self,
        n_components: int | float | None = 0.999,
        *,
        ridge: float = 0.1,
        weights: Any = "correlation",
    ):
        self.n_components = n_components
        self.ridge = ridge
        self.weights = weights

    @property
    def _one_pass(self) -> bool:  # type: ignore[override]
        return is_row_local(self.weights)

    def _refusals(self) -> dict[str, str]:
        return refusals(self.weights)

    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        check_weights(self.weights, shape, most=1.0 if shape[1] == 1 else np.inf)
        return Pencil((1.0, self.ridge), mean_factor, by_products=False)

    def _summarise(self, sample: Sample) -> Statistics:
        sample, weigh = weighed(sample, self.weights)
        if sample.solver == "krylov":
            T, weights = targets_and_weights(weigh, sample.Y, sample.weights)
            T = T if weigh.C is None else T @ weigh.C
            return checked(Rows.of(sample.X, T, weights))

        def of_block(X: Any, Y: Any, weights: np.ndarray | None = None) -> Moments:
            return Moments.of(X, *targets_and_weights(weigh, Y, weights), tt=False)

        statistics = weigh.moments(collect(sample, of_block))
        return statistics if sample.part else checked(statistics)

    def _directions(self, statistics: Any, pencil: Pencil) -> EigenPairs:
        # (S_t + ridge I)^-1 F spans the same space as (S_w + ridge I)^-1 F; within it the problem
        # is small, and S_w is a difference of sums along the same directions.
        basis = dense(solve(pencil, statistics, None).vectors)
        total, xt = statistics.along(basis)
        F = xt @ mean_factor(statistics)
        between = F @ F.T
        within = total - between + self.ridge * (basis.T @ basis)
        if np.linalg.eigvalsh(within)[0] <= len(basis) * EPS:
            noise = EPS * statistics.squares.max()
            raise ValueError(
                f"ridge={self.ridge:g} is lost in the rounding of the scatter of X, {noise:.3g}. "
                "Raise ridge, or scale the features."
            )
        return leading_pencil(between, within, self.n_components).mapped(lambda Y: basis @ Y)


def mean_factor(statistics: Any) -> np.ndarray:
    """K such that the columns of xt K are sqrt(n_k) (mean_k - mean), (q, q)."""
    count = statistics.weight * dense(statistics.t_mean)
    if len(count) > 1:
        return np.diag(inverse(np.sqrt(count)))
    # The complement of a single label has the same statistics with opposite sign.
    rest = np.maximum(statistics.weight - count, 0.0)
    return np.array([inverse(np.sqrt(count)), -inverse(np.sqrt(rest))]).T


def targets_and_weights(
    weigh: LabelWeights, Y: Any, row_weights: np.ndarray | None
) -> tuple[Any, np.ndarray | None]:
    """First factor of T = W_i / w_i, and w_i, the sum of W_i; of one label those of [W, 1 - W]."""
    rows = weigh.of_rows(Y)
    if rows.shape[1] == 1:
        # W and its complement sum to 1.
        return rows, row_weights
    sums = weigh.sums(rows)
    return scaled(rows, inverse(sums)), sums if row_weights is None else sums * row_weights
