"""Information filters, literally: every probability is a share of rows, every sum a loop."""

from collections import Counter
from itertools import combinations

import numpy as np


def entropy(*variables):
    """H of the joint variable, in bits."""
    n = len(variables[0])
    shares = (
        np.array(list(Counter(zip(*(v.tolist() for v in variables), strict=True)).values())) / n
    )
    return -(shares * np.log2(shares)).sum()


def mutual(a, b):
    """I(a; b)."""
    return entropy(a) + entropy(b) - entropy(a, b)


def given(a, b, c):
    """I(a; b | c)."""
    return entropy(a, c) + entropy(b, c) - entropy(a, b, c) - entropy(c)


def interaction(a, b, c):
    """I(a; b; c), positive for redundancy."""
    return mutual(a, b) - given(a, b, c)


def equal_widths(X, bins):
    """KBinsDiscretizer(bins, encode="ordinal", strategy="uniform")."""
    inner = [np.linspace(x.min(), x.max(), bins + 1)[1:-1] for x in X.T]
    columns = zip(X.T, inner, strict=True)
    return np.column_stack([np.searchsorted(e, x, side="right") for x, e in columns])


def score(criterion, B, Y, f, S, n_entropic=10):
    """J(f) after the features S, for bins B (n, D) and labels Y (n, q)."""
    labels, x = list(Y.T), B[:, f]
    relevance = sum(mutual(x, y) for y in labels)
    pairs = list(combinations(labels, 2))
    if criterion == "mim":
        return relevance
    if criterion == "fimf":
        best = np.argsort([-entropy(y) for y in labels], kind="stable")[:n_entropic]
        return relevance - sum(interaction(x, Y[:, k], Y[:, m]) for k, m in combinations(best, 2))
    with_selected = [mutual(x, B[:, s]) for s in S]
    if criterion == "mrmr":
        return relevance - (np.mean(with_selected) if S else 0.0)
    if criterion == "scls":
        return relevance * (1 - sum(with_selected) / entropy(x))
    if criterion == "lrfs":
        dependence = sum(given(x, k, m) + given(x, m, k) for k, m in pairs)
        return dependence - (np.mean(with_selected) if S else 0.0)
    if criterion == "mdmr":
        terms = [mutual(x, B[:, s]) - sum(given(x, y, B[:, s]) for y in labels) for s in S]
        return relevance - (np.mean(terms) if S else 0.0)
    found = relevance - sum(interaction(x, B[:, s], y) for s in S for y in labels)
    return found if criterion == "d2f" else found - sum(interaction(x, k, m) for k, m in pairs)


def select(criterion, B, Y, n_features, **given):
    """The path of a greedy search, and the scores at each step."""
    S, scores, left = [], [], list(range(B.shape[1]))
    for _ in range(n_features):
        J = [score(criterion, B, Y, f, S, **given) for f in left]
        scores.append(max(J))
        S.append(left.pop(int(np.argmax(J))))
    return S, scores


def grro(B, Y, alpha, beta):
    """Row sums of the solution of the Sylvester equation, by its Kronecker form."""
    D, q = B.shape[1], Y.shape[1]
    redundancy = np.array([[mutual(f, g) for g in B.T] for f in B.T])
    np.fill_diagonal(redundancy, 1.0)
    lengths = np.linalg.norm(Y, axis=0)
    distances = 1 - (Y.T @ Y) / np.outer(lengths, lengths)
    relevance = np.array([[mutual(f, y) for y in Y.T] for f in B.T])
    left = np.kron(np.eye(q), np.eye(D) + alpha * redundancy) + np.kron(beta * distances, np.eye(D))
    return np.linalg.solve(left, relevance.ravel(order="F")).reshape(D, q, order="F").sum(axis=1)


def information(X, Y, bins=3):
    """Sums over labels of I(f; l) of features in bins of equal width."""
    B = equal_widths(X, bins)
    return np.array([score("mim", B, Y, f, []) for f in range(B.shape[1])])
