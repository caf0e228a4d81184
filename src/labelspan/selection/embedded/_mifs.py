"""Multi-label informed feature selection."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from labelspan.compat import Interval, StrOptions
from labelspan.linalg import fix_signs
from labelspan.selection.embedded._latent import Graph, LatentSelector, solve_centred


class MIFS(LatentSelector):
    r"""Select the features that explain a few latent labels, smooth along a graph of the rows.

    .. math:: \min_{W, V, B} \|X_c W - V_c\|_F^2 + \alpha \|Y - V B\|_F^2 +
        \beta \operatorname{tr}(V' L V) + \gamma \sum_j \|w_j\|_2

    The objective of [1]_ with latent labels V (n, k) and the Laplacian L of the graph of nearest
    rows. X and V are centred in the first term: the regression has an intercept, which the paper
    has not. B has orthonormal rows, see `decoder`.

    Parameters
    ----------
    n_features : int, default=10
        Number of features to keep: those with the longest rows of W.
    n_latent : int, default=5
        Number k of latent labels, at most that of the labels.
    decoder : {"orthonormal", "free"}, default="orthonormal"
        "orthonormal" has B B' = I. "free" is the paper's, whose objective has no minimum with
        features: it falls as V shrinks and B grows, until W is zero, so the result depends on where
        the turns end.
    alpha : float, default=1.0
        Weight of the labels.
    beta : float, default=1.0
        Weight of the graph.
    gamma : float, default=1.0
        Weight of the penalty.
    n_neighbors : int, default=5
        Number of neighbours in the graph; a pair weighs exp(-d^2 / t), t the mean of d^2.
    tol : float, default=1e-4
        The turns end when one lowers the objective by less than this share of it.
    max_iter : int, default=200
        Largest number of turns.

    Attributes
    ----------
    coef_ : ndarray of shape (n_latent, n_features)
        W'.
    latent_ : ndarray of shape (n_samples, n_latent)
        V.
    objectives_ : ndarray of shape (n_iter_,)
        Objective after each turn; never rises.
    n_iter_ : int
        Number of turns.
    scores_ : ndarray of shape (n_features,)
        Lengths of the rows of W.
    support_ : ndarray of bool, shape (n_features,)
        Features kept.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the longest row.
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
    Each turn solves three problems: W is a multi-task lasso, solved to a gap; V a Sylvester
    equation, which in the eigenvectors of B B' is a sparse system per latent label; B a Procrustes
    problem, or least squares if it is free. The problem is not convex. The start is that of PLST,
    V = Y Q with the leading right singular vectors Q of Y, so that nothing is drawn. Time O(n^2 D)
    for the neighbours, O(n D^2) once, and O(D k a) per turn.

    References
    ----------
    .. [1] L. Jian, J. Li, K. Shu and H. Liu, "Multi-label informed feature selection", IJCAI 2016.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import MIFS
    >>> yeast = load_yeast()
    >>> MIFS(5).fit_transform(yeast.X[:300], yeast.Y[:300]).shape
    (300, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LatentSelector._parameter_constraints,
        "n_latent": [Interval(Integral, 1, None, closed="left")],
        "decoder": [StrOptions({"orthonormal", "free"})],
    }

    def __init__(
        self,
        n_features: int = 10,
        *,
        n_latent: int = 5,
        decoder: str = "orthonormal",
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 1.0,
        n_neighbors: int = 5,
        tol: float = 1e-4,
        max_iter: int = 200,
    ):
        self.n_features = n_features
        self.n_latent = n_latent
        self.decoder = decoder
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter

    def _weight(self) -> float:
        return 1.0

    def _start(self, Y: np.ndarray) -> np.ndarray:
        Q = linalg.eigh(Y.T @ Y)[1]
        k = min(self.n_latent, Y.shape[1])
        Q = fix_signs(np.ascontiguousarray(Q[:, ::-1][:, :k].T)).T
        self._B = self._decoder(Y @ Q, Y)
        return Y @ Q

    def _latent(self, fitted: np.ndarray, Y: np.ndarray, graph: Graph) -> np.ndarray:
        values, Q = linalg.eigh(self._B @ self._B.T)
        shifts = self.alpha * np.maximum(values, 0.0)
        right = (fitted + self.alpha * (Y @ self._B.T)) @ Q
        V = solve_centred(graph, shifts, 1.0, self.beta, right) @ Q.T
        self._B = self._decoder(V, Y)
        return V

    def _decoder(self, V: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """B (k, q) with the smallest |Y - V B|."""
        if self.decoder == "free":
            return linalg.lstsq(V, Y)[0]
        left, _, right = linalg.svd(V.T @ Y, full_matrices=False)
        return left @ right

    def _rest(self, V: np.ndarray, Y: np.ndarray, graph: Graph) -> float:
        lost = float(((Y - V @ self._B) ** 2).sum())
        return self.alpha * lost + self.beta * graph.roughness(V)
