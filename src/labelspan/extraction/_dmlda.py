"""Direct multi-label linear discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import add_to_diagonal, diagonal, moved_to
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
from labelspan.linalg import (
    FORMED,
    EigenPairs,
    Pencil,
    leading_pencil,
    row_space,
)
from labelspan.moments import Moments, Sample, Statistics, checked, collect


class DMLDA(LinearReducer):
    r"""Directions that separate the rows without a label from the mean of the rows with it.

    .. math:: S_b\, p = \lambda\, (S_w + \mathrm{ridge}\, I)\, p, \qquad
              S_b = \sum_k \sum_i (1 - W_{ik}) (x_i - m_k)(x_i - m_k)', \quad
              S_w = \sum_k \sum_i W_{ik} (x_i - m_k)(x_i - m_k)'

    with :math:`m_k` the mean of the rows of label k. Eqs. (42) and (45)-(47) of [1]_, after [2]_,
    have W = Y; other weights are those of :class:`MLDA`, and the means are weighted as well. Unlike
    :class:`MLDA` it gives as many directions as X has dimensions.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep; or None for all with
        a positive eigenvalue (as many as the rank of X).
    ridge : float > 0, default=0.1
        The paper's gamma_xy.
    weights : str or array-like of shape (n_samples, n_labels), default="binary"
        How much a row counts for each label: "binary" (the equations of the paper), "entropy",
        "correlation" (the program of its author), "fuzzy", "dependence", see :class:`MLDA`; or
        numbers in [0, 1], one row per row of X. "binary" and "entropy" have ``partial_fit``,
        they and "correlation" take Dask arrays.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, with ``components_ @ (S_w + ridge I) @ components_.T`` the identity.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues that were computed, descending.
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the sum of all eigenvalues that each direction has; a float
        `n_components` adds up these shares.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
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
    Eq. (46) is not symmetric as printed; its symmetric part is meant. X is centred first (both
    scatters are shift-invariant), so with w_i the sum of the weights of row i and n_k that of
    label k, S_w = Xc' diag(w) Xc - sum_k n_k m_k m_k' and S_b = q ``xx`` + n sum_k m_k m_k' - S_w.
    A label without rows has 1 / n_k taken as 0: its mean is then the overall mean.
    Time O(n D^2 + D^3), memory O(D^2); if n < D, replace D by n.

    References
    ----------
    .. [1] J. Xu, J. Liu, J. Yin and C. Sun, "A multi-label feature extraction algorithm via
       maximizing feature variance and feature-label dependence simultaneously",
       Knowledge-Based Systems 98, 2016.
    .. [2] M. Oikonomou and A. Tefas, "Direct multi-label linear discriminant analysis",
       EANN 2013.

    Examples
    --------
    >>> from labelspan import DMLDA
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> DMLDA(n_components=5).fit(yeast.X, yeast.Y).transform(yeast.X).shape
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
        weights: Any = "binary",
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
        check_weights(self.weights, shape, most=1.0)
        return FORMED

    def _summarise(self, sample: Sample) -> Statistics:
        sample, weigh = weighed(sample, self.weights)
        statistics = collect(sample, partial(LabelScatter.of, weigh))
        statistics = replace(statistics, plain=weigh.moments(statistics.plain))
        return statistics if sample.part else checked(statistics)

    def _directions(self, statistics: Any, pencil: Pencil) -> EigenPairs:
        plain = statistics.plain
        xx, xt, V = row_space(plain)
        counted = statistics.scatter if V is None else V.T @ moved_to(V, statistics.scatter) @ V
        count = moved_to(xx, plain.weight * plain.t_mean)
        within = counted - (xt * inverse(count)) @ xt.T
        between = count.shape[0] * xx - within
        between += (plain.weight * xt * inverse(count) ** 2) @ xt.T
        within = add_to_diagonal(within, self.ridge)
        squares = diagonal(between) / diagonal(within)
        pairs = leading_pencil(between, within, self.n_components, squares, diagonal(counted))
        return pairs if V is None else pairs.mapped(lambda Y: V @ Y)


@dataclass(frozen=True)
class LabelScatter:
    """Moments of X and W, and of X with the sum of its weights; `x_mean` shifts both."""

    x_mean: np.ndarray
    plain: Moments
    counted: Moments

    @classmethod
    def of(
        cls, weigh: LabelWeights, X: Any, Y: Any, weights: np.ndarray | None = None
    ) -> LabelScatter:
        """Statistics of one block, whose rows may have weights; `plain` is of the first factor."""
        rows = weigh.of_rows(Y)
        counts = weigh.sums(rows) if weights is None else weigh.sums(rows) * weights
        plain = Moments.of(X, rows, weights, tt=False)
        counted = Moments.of(X, np.empty((X.shape[0], 0)), counts, tt=False)
        return cls(plain.x_mean, plain, counted)

    def __add__(self, other: LabelScatter) -> LabelScatter:
        (plain, counted), (others, others_counted) = self.about_origin(), other.about_origin()
        plain = plain + others
        return LabelScatter(plain.x_mean, plain, counted + others_counted)

    def about_origin(self) -> tuple[Moments, Moments]:
        """Both moments about the origin of `x_mean`."""
        shift = self.x_mean - self.plain.x_mean
        plain = replace(self.plain, x_mean=self.x_mean)
        return plain, replace(self.counted, x_mean=self.counted.x_mean + shift)

    def moved(self, shift: np.ndarray) -> LabelScatter:
        """The same statistics of X + shift."""
        return replace(self, x_mean=self.x_mean + shift)

    @property
    def scatter(self) -> np.ndarray:
        """Scatter of X with the sums of the weights, about the plain mean, (D, D)."""
        return self.counted.about(self.plain.x_mean)

    @property
    def kind(self) -> tuple[str]:
        """The kind of statistics; only those of one kind can be added."""
        return ("label scatter",)

    t_mean = property(attrgetter("plain.t_mean"))
    squares = property(attrgetter("plain.squares"))
    weight = property(attrgetter("plain.weight"))
