"""Direct multi-label linear discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from labelspan._compat import Interval
from labelspan.base import N_COMPONENTS, LinearReducer
from labelspan.linalg import EigenPairs, column_scales, leading_pencil, row_space
from labelspan.moments import Moments, Sample, Statistics, checked, collect


class DMLDA(LinearReducer):
    r"""Directions that separate the rows without a label from the mean of the rows with it.

    .. math:: S_b\, p = \lambda\, (S_w + \mathrm{ridge}\, I)\, p, \qquad
              S_b = \sum_k \sum_{i \notin k} (x_i - m_k)(x_i - m_k)'

    with :math:`m_k` the mean of the rows of label k and S_w the scatter of the rows about the
    means of their labels: Eqs. (42) and (45)-(47) of [1]_, after [2]_. Unlike :class:`MLDA` it
    gives as many directions as X has dimensions.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep; or None for all with
        a positive eigenvalue (as many as the rank of X).
    ridge : float > 0, default=0.1
        The paper's gamma_xy.

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
        Route to the solution, see :func:`labelspan.linalg.choose_solver`.
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
    scatters are shift-invariant), so with 0/1 labels, c_i labels in row i and n_k rows of
    label k, S_w = Xc' diag(c) Xc - sum_k n_k m_k m_k' and S_b = q ``xx`` + n sum_k m_k m_k' - S_w.
    A label without rows has 1 / n_k taken as 0: its mean is then the overall mean.
    Two passes: ``xx``, ``xt``, then the weighted scatter. Time O(n D^2 + D^3), memory O(D^2);
    n for D if n < D.

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
    }
    _one_pass = False

    def __init__(self, n_components: int | float | None = 0.999, *, ridge: float = 0.1):
        self.n_components = n_components
        self.ridge = ridge

    def _needs(self, n_rows: int, n_features: int, n_labels: int) -> dict[str, bool]:
        return {"thin": False}

    def _summarise(self, sample: Sample) -> Statistics:
        plain: Moments = checked(collect(sample, partial(Moments.of, tt=False)))
        counted: Moments = collect(sample, counted_moments)
        return LabelScatter(plain, counted.about(plain.x_mean))

    def _directions(self, statistics: Any) -> EigenPairs:
        plain = statistics.plain
        count = plain.weight * plain.t_mean
        inverse = np.divide(1.0, count, out=np.zeros_like(count), where=count > 0)
        xx, xt, V = row_space(plain)
        counted = statistics.counted if V is None else V.T @ statistics.counted @ V
        within = counted - (xt * inverse) @ xt.T
        between = len(count) * xx - within
        between += (plain.weight * xt * inverse**2) @ xt.T
        within[np.diag_indices_from(within)] += self.ridge
        scales = column_scales(np.diag(between) / np.diag(within))
        pairs = leading_pencil(between, within, self.n_components, scales, np.diag(counted))
        return pairs if V is None else pairs.mapped(lambda Y: V @ Y)


@dataclass(frozen=True)
class LabelScatter:
    """Plain moments, and the scatter in which a row counts once for each of its labels."""

    plain: Moments
    counted: np.ndarray

    @property
    def spread(self) -> np.ndarray:
        """Numbers that overflow if any sum of squares of X does."""
        return np.diag(self.counted)

    @property
    def x_mean(self) -> np.ndarray:
        """Mean of X."""
        return self.plain.x_mean


def counted_moments(X: Any, Y: Any, weights: np.ndarray | None = None) -> Moments:
    """Moments of one block with the number of labels of each row as its weight, or its factor."""
    counts = np.asarray(Y.sum(axis=1)).ravel()
    counts = counts if weights is None else counts * weights
    return Moments.of(X, np.empty((X.shape[0], 0)), counts, tt=False)
