"""Labels that spread along a graph of neighbours: dense, slow, one label at a time."""

import numpy as np


def neighbours(X, k):
    """Symmetric 0/1 graph: either is among the k nearest of the other."""
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = np.zeros(distances.shape, bool)
    for i, row in enumerate(distances):
        nearest[i] = row <= np.sort(row)[k - 1]
    return (nearest | nearest.T).astype(float)


def completed(X, Y, k, alpha):
    """F_u = (I - a P_uu)^-1 (a P_ul Y_l + (1 - a) Y_u), Nie et al. 2010, for each label of its own.

    P is row-stochastic. Y_u is 0 for the label and 1 for the column "unknown", whose share is then
    given to the mean of the label over the rows where it is observed.
    """
    G = neighbours(X, k)
    P = G / G.sum(axis=1, keepdims=True)
    filled = Y.copy()
    for label, y in enumerate(Y.T):
        u = np.isnan(y)
        both = np.column_stack([np.where(u, 0.0, y), u])
        right = alpha * P[np.ix_(u, ~u)] @ both[~u] + (1 - alpha) * both[u]
        F = np.linalg.solve(np.eye(u.sum()) - alpha * P[np.ix_(u, u)], right)
        filled[u, label] = F[:, 0] + F[:, 1] * y[~u].mean()
    return filled
