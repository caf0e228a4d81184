"""Manifold regularised discriminative feature selection."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from labelspan.selection.embedded._latent import Graph, LatentSelector, solve_centred


class MDFS(LatentSelector):
    r"""Select the features that explain labels smoothed along two graphs, of rows and of labels.

    .. math:: \min_{W, F} \alpha \|X_c W - F_c\|_F^2 + \alpha \|F - Y\|_F^2 +
        \operatorname{tr}(F' L F) + \beta \operatorname{tr}(F L_0 F') + \gamma \sum_j \|w_j\|_2

    with soft labels F (n, q), the Laplacian L of the graph of nearest rows and L_0 that of the
    labels: the objective of [1]_ as its authors' program has it.

    Parameters
    ----------
    n_features : int, default=10
        Number of features to keep: those with the longest rows of W.
    alpha : float, default=1.0
        Weight of the regression and of the given labels.
    beta : float, default=1.0
        Weight of the graph of the labels.
    gamma : float, default=0.1
        Weight of the penalty.
    n_neighbors : int, default=5
        Number of neighbours in the graph of the rows; a pair weighs exp(-d^2 / t), t the mean of
        d^2. In the graph of the labels every pair is joined, with the same weights.
    tol : float, default=1e-4
        The turns end when one lowers the objective by less than this share of it.
    max_iter : int, default=200
        Largest number of turns.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        W'.
    latent_ : ndarray of shape (n_samples, n_labels)
        F.
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
    The problem is convex. W is a multi-task lasso, solved to a gap; F a Sylvester equation, which
    in the eigenvectors of L_0 is a sparse system per label. The start is F = Y. Time O(n^2 D) for
    the neighbours, O(n D^2) once, and O(D q a) per turn.

    References
    ----------
    .. [1] J. Zhang, Z. Luo, C. Li, C. Zhou and S. Li, "Manifold regularized discriminative feature
       selection for multi-label learning", Pattern Recognition 95, 2019.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import MDFS
    >>> yeast = load_yeast()
    >>> MDFS(5).fit_transform(yeast.X[:300], yeast.Y[:300]).shape
    (300, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = LatentSelector._parameter_constraints

    def __init__(
        self,
        n_features: int = 10,
        *,
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 0.1,
        n_neighbors: int = 5,
        tol: float = 1e-4,
        max_iter: int = 200,
    ):
        self.n_features = n_features
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter

    def _weight(self) -> float:
        return self.alpha

    def _start(self, Y: np.ndarray) -> np.ndarray:
        self._values, self._Q = linalg.eigh(label_laplacian(Y))
        return Y

    def _latent(self, fitted: np.ndarray, Y: np.ndarray, graph: Graph) -> np.ndarray:
        shifts = self.alpha + self.beta * np.maximum(self._values, 0.0)
        right = self.alpha * (fitted + Y) @ self._Q
        return solve_centred(graph, shifts, self.alpha, 1.0, right) @ self._Q.T

    def _rest(self, V: np.ndarray, Y: np.ndarray, graph: Graph) -> float:
        across = float((np.maximum(self._values, 0.0) * (V @ self._Q) ** 2).sum())
        return self.alpha * float(((V - Y) ** 2).sum()) + graph.roughness(V) + self.beta * across


def label_laplacian(Y: np.ndarray) -> np.ndarray:
    """Laplacian (q, q) of all pairs of label columns, with heat-kernel weights."""
    gram = Y.T @ Y
    squares = np.maximum(np.diag(gram)[:, None] + np.diag(gram) - 2 * gram, 0.0)
    pairs = squares[~np.eye(len(squares), dtype=bool)]
    width = float(pairs.mean()) if len(pairs) else 0.0
    weights = np.exp(-squares / width) if width > 0 else np.ones_like(squares)
    np.fill_diagonal(weights, 0.0)
    return np.diag(weights.sum(axis=1)) - weights
