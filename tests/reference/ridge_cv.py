"""Leave-one-out as it is defined: for each row, a fit of all others, by its normal equations."""

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel


def left_out(fit_and_score, X, T, weights):
    """Scores (n, q) of each row by ``fit_and_score(X, T, weights, row)`` of the others."""
    scores = np.empty(T.shape)
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        scores[i] = fit_and_score(X[others], T[others], weights[others], X[i])
    return scores


def linear(X, T, weights, row, ridge):
    """min over W, b of sum_i w_i |x_i W + b - t_i|^2 + ridge |W|^2; its value at `row`."""
    A = np.column_stack([X, np.ones(len(X))])
    penalty = np.diag([*[ridge] * X.shape[1], 0.0])
    solution = np.linalg.solve(A.T @ (weights[:, None] * A) + penalty, A.T @ (weights[:, None] * T))
    return np.append(row, 1.0) @ solution


def kernel(X, T, weights, row, ridge, width):
    """The same in the space of the kernel exp(-|x - z|^2 / width): its dual, with 1'a = 0."""
    n, ones = len(X), np.ones((len(X), 1))
    K = rbf_kernel(X, gamma=1 / width) + np.diag(ridge / weights)
    system = np.block([[K, ones], [ones.T, np.zeros((1, 1))]])
    solution = np.linalg.solve(system, np.vstack([T, np.zeros((1, T.shape[1]))]))
    return rbf_kernel(row[None], X, gamma=1 / width)[0] @ solution[:n] + solution[n]


def landmarks(X, T, weights, row, ridge, width, marks):
    """The same for sums of the kernel functions of `marks` alone."""
    A = np.column_stack([rbf_kernel(X, marks, gamma=1 / width), np.ones(len(X))])
    penalty = np.zeros((A.shape[1], A.shape[1]))
    penalty[:-1, :-1] = ridge * rbf_kernel(marks, gamma=1 / width)
    solution = np.linalg.solve(A.T @ (weights[:, None] * A) + penalty, A.T @ (weights[:, None] * T))
    return np.append(rbf_kernel(row[None], marks, gamma=1 / width)[0], 1.0) @ solution
