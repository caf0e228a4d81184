"""ML-kNN as Zhang and Zhou (2007) print it in Fig. 1: dense, slow, one label at a time."""

import numpy as np


def squared_distances(A, B):
    """Sums over features from the first to the last, so that each has one rounding order."""
    total = np.zeros((len(A), len(B)))
    for feature in range(A.shape[1]):
        total += (A[:, feature, None] - B[:, feature]) ** 2
    return total


def ordered(distances, k, without=None):
    """The k nearest by (distance, index)."""
    order = np.lexsort((np.arange(len(distances)), distances))
    return [j for j in order if j != without][:k]


def mlknn(X, Y, X_test, k, s, distances=squared_distances):
    """Return the (n_test, q) predictions, the probabilities and the table of posteriors."""
    m, q = Y.shape
    train = distances(X, X)
    neighbours = [ordered(train[i], k, without=i) for i in range(m)]
    test = [ordered(row, k) for row in distances(X_test, X)]
    predicted, probability = np.zeros((len(test), q), int), np.zeros((len(test), q))
    posteriors = np.zeros((q, k + 1))
    for label in range(q):
        prior = (s + Y[:, label].sum()) / (s * 2 + m)
        c, c_not = np.zeros(k + 1), np.zeros(k + 1)
        for i in range(m):
            delta = Y[neighbours[i], label].sum()
            if Y[i, label] == 1:
                c[delta] += 1
            else:
                c_not[delta] += 1
        for j in range(k + 1):
            present = prior * ((s + c[j]) / (s * (k + 1) + c.sum()))
            absent = (1 - prior) * ((s + c_not[j]) / (s * (k + 1) + c_not.sum()))
            posteriors[label, j] = present / (present + absent)
        for t, near in enumerate(test):
            probability[t, label] = posteriors[label, Y[near, label].sum()]
            predicted[t, label] = probability[t, label] >= 0.5
    return predicted, probability, posteriors


def mlknn_observed(X, Y, X_test, k, s):
    """The same with NaN in Y, one label at a time: only rows where the label is observed exist.

    Of fewer than k + 1 such rows all others are neighbours; a label without any has probability 0.
    """
    probability = np.zeros((len(X_test), Y.shape[1]))
    for label, y in enumerate(Y.T):
        rows = [i for i in range(len(y)) if not np.isnan(y[i])]
        if rows:
            near = min(k, len(rows) - 1)
            _, p, _ = mlknn(X[rows], y[rows, None].astype(int), X_test, near, s)
            probability[:, label] = p[:, 0]
    return probability
