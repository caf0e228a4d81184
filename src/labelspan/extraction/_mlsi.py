"""Multi-label informed latent semantic indexing."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from labelspan._compat import Interval
from labelspan.base import N_COMPONENTS, LinearReducer
from labelspan.extraction._summary import summarise
from labelspan.linalg import EigenPairs, inverse_root, leading_sum, row_space
from labelspan.linalg._eigenpairs import EPS
from labelspan.moments import Moments, Sample


class MLSI(LinearReducer):
    r"""Directions that explain the features and the labels at once.

    .. math:: X_c'X_c\, p = \lambda\, (X_c'((1 - \beta) X_cX_c' + \beta S_cS_c'
              + \mathrm{joint\_ridge}\, I)^{-1} X_c + \mathrm{ridge}\, I)\, p

    with the labels S in {-1, +1}: Eq. (39) of [1]_, after [2]_.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep; or None for all with
        a positive eigenvalue (as many as the rank of X).
    beta : float in [0, 1], default=0.5
        Weight of the labels against the features.
    ridge : float, default=0.1
        The paper's gamma_x.
    joint_ridge : float > 0, default=0.1
        The paper's gamma_xy; without it the inner matrix has no inverse.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, orthonormal in the metric on the right-hand side.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues that were computed, descending.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of directions kept.
    solver_ : str
        Route to the solution, see :func:`labelspan.linalg.choose_solver`.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    The n x n inverse never appears. With Q = ``xx`` - beta Xc'Sc (joint_ridge I +
    beta Sc'Sc)^-1 Sc'Xc, which is positive semi-definite, the Woodbury identity gives

        Xc' (...)^-1 Xc = Q (joint_ridge I + (1 - beta) Q)^-1,

    a function of Q alone: one eigendecomposition of Q whitens the right-hand side for every
    beta, beta = 1 included. Time O(n D^2 + D^3), memory O(D^2);
    n for D if n < D.

    References
    ----------
    .. [1] J. Xu, J. Liu, J. Yin and C. Sun, "A multi-label feature extraction algorithm via
       maximizing feature variance and feature-label dependence simultaneously",
       Knowledge-Based Systems 98, 2016.
    .. [2] K. Yu, S. Yu and V. Tresp, "Multi-label informed latent semantic indexing",
       SIGIR 2005.

    Examples
    --------
    >>> from labelspan import MLSI
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> MLSI(n_components=5).fit(yeast.X, yeast.Y).transform(yeast.X).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_COMPONENTS,
        "beta": [Interval(Real, 0, 1, closed="both")],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "joint_ridge": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_components: int | float | None = 0.999,
        *,
        beta: float = 0.5,
        ridge: float = 0.1,
        joint_ridge: float = 0.1,
    ):
        self.n_components = n_components
        self.beta = beta
        self.ridge = ridge
        self.joint_ridge = joint_ridge

    def _needs(self, n_rows: int, n_features: int, n_labels: int) -> dict[str, bool]:
        return {"thin": False}

    def _summarise(self, sample: Sample) -> Any:
        return summarise(sample, tt=True)

    def _directions(self, statistics: Moments) -> EigenPairs:
        # The null space of Q is that of X, and the rank must come from X: where labels explain
        # features, Q is small but not zero.
        xx, xt, V = row_space(statistics)
        # Sc = 2 Yc: the label scatter counts four times, the factor xt twice.
        K = inverse_root(4 * self.beta * statistics.tt, self.joint_ridge)
        N = (2 * np.sqrt(self.beta)) * (xt @ K)
        values, W = linalg.eigh(xx - N @ N.T, driver="evd", check_finite=False)
        values = np.maximum(values, EPS * values[-1])
        metric = values / (self.joint_ridge + (1 - self.beta) * values) + self.ridge
        E = W / np.sqrt(metric)
        C = E.T @ xx @ E
        pairs = leading_sum((C + C.T) / 2, self.n_components).mapped(lambda Y: E @ Y)
        return pairs if V is None else pairs.mapped(lambda Y: V @ Y)
