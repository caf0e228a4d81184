"""Permutation distributions and importances, transcribed: dense, slow, by their formulas."""

import itertools

import numpy as np


def all_statistics(X, Y):
    """tr(K L) for every order of the rows of Y."""
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    orders = itertools.permutations(range(len(X)))
    return np.array([np.sum((Xc.T @ Yc[list(order)]) ** 2) for order in orders])


def published_variance(K, L):
    """Kazi-Aoual, Hitier, Sabatier and Lebreton (1995), as in Josse, Pages and Husson (2008)."""
    n = len(K)

    def shape(G):
        b = np.trace(G) ** 2 / np.sum(G**2)
        spread = n * (n + 1) * np.sum(np.diag(G) ** 2) / np.sum(G**2) - (n - 1) * (b + 2)
        return b, (n - 1) / ((n - 3) * (n - 1 - b)) * spread

    (b, t), (c, u) = shape(K), shape(L)
    scale = 2 * (n - 1 - b) * (n - 1 - c) / ((n + 1) * (n - 1) ** 2 * (n - 2))
    return scale * (1 + (n - 3) / (2 * n * (n - 1)) * t * u) * np.sum(K**2) * np.sum(L**2)


def published_third_moment(K, L):
    """E[S^3] of the same paper, in the notation T, T2, S2, T3, S3, U, R, B of ten sums per side."""
    n = len(K)

    def sums(G):
        d, G2 = np.diag(G), G @ G
        return (np.trace(G), np.sum(G**2), d @ d, np.trace(G2 @ G), np.sum(d**3), np.sum(G**3),
                d @ np.diag(G2), d @ G @ d)  # fmt: skip

    (T, T2, S2, T3, S3, U, R, B), (t, t2, s2, t3, s3, u, r, b) = sums(K), sums(L)
    terms = [
        n**2 * (n + 1) * (n**2 + 15 * n - 4) * S3 * s3,
        4 * (n**4 - 8 * n**3 + 19 * n**2 - 4 * n - 16) * U * u,
        24 * (n**2 - n - 4) * (U * b + B * u),
        6 * (n**4 - 8 * n**3 + 21 * n**2 - 6 * n - 24) * B * b,
        12 * (n**4 - n**3 - 8 * n**2 + 36 * n - 48) * R * r,
        12 * (n**3 - 2 * n**2 + 9 * n - 12) * (T * S2 * r + R * t * s2),
        3 * (n**4 - 4 * n**3 - 2 * n**2 + 9 * n - 12) * T * t * S2 * s2,
        24 * (n**3 - 3 * n**2 - 2 * n + 8) * (R * u + U * r),
        24 * (n**3 - 2 * n**2 - 3 * n + 12) * (R * b + B * r),
        12 * (n**2 - n + 4) * (T * S2 * u + U * t * s2),
        6 * (2 * n**3 - 7 * n**2 - 3 * n + 12) * (T * S2 * b + B * t * s2),
        -2 * n * (n - 1) * (n**2 - n + 4) * ((2 * U + 3 * B) * s3 + (2 * u + 3 * b) * S3),
        -3 * n * (n - 1) ** 2 * (n + 4) * ((T * S2 + 4 * R) * s3 + (t * s2 + 4 * r) * S3),
        2 * n * (n - 1) * (n - 2) * (T**3 + 6 * T * T2 + 8 * T3) * s3,
        2 * n * (n - 1) * (n - 2) * (t**3 + 6 * t * t2 + 8 * t3) * S3,
        T**3 * ((n**3 - 9 * n**2 + 23 * n - 14) * t**3 + 6 * (n - 4) * t * t2 + 8 * t3),
        6 * T * T2 * ((n - 4) * t**3 + (n**3 - 9 * n**2 + 24 * n - 14) * t * t2),
        6 * T * T2 * 4 * (n - 3) * t3,
        8 * T3 * (t**3 + 3 * (n - 3) * t * t2 + (n**3 - 9 * n**2 + 26 * n - 22) * t3),
        -16 * (T**3 * u + U * t**3),
        -6 * (T * T2 * u + U * t * t2) * (2 * n**2 - 10 * n + 16),
        -8 * (T3 * u + U * t3) * (3 * n**2 - 15 * n + 16),
        -(T**3 * b + B * t**3) * (6 * n**2 - 30 * n + 24),
        -6 * (T * T2 * b + B * t * t2) * (4 * n**2 - 20 * n + 24),
        -8 * (T3 * b + B * t3) * (3 * n**2 - 15 * n + 24),
        -(n - 2) * 24 * (T**3 * r + R * t**3),
        -(n - 2) * 6 * (T * T2 * r + R * t * t2) * (2 * n**2 - 10 * n + 24),
        -(n - 2) * 8 * (T3 * r + R * t3) * (3 * n**2 - 15 * n + 24),
        -(n - 2) * (3 * n**2 - 15 * n + 6) * (T**3 * t * s2 + T * S2 * t**3),
        -(n - 2) * 6 * (T * T2 * t * s2 + t * t2 * T * S2) * (n**2 - 5 * n + 6),
        -(n - 2) * 48 * (T3 * t * s2 + t3 * T * S2),
    ]
    return sum(terms) / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5))


def vip_of_pls(weights, scores, loadings):
    """VIP of Wold, Johansson and Cocchi (1993), from W (D, k), T (n, k) and Q (q, k) of PLS2."""
    explained = [np.sum(q**2) * (t @ t) for t, q in zip(scores.T, loadings.T, strict=True)]
    squares = [(w / np.linalg.norm(w)) ** 2 for w in weights.T]
    total = sum(s * w for s, w in zip(explained, squares, strict=True))
    return np.sqrt(len(weights) * total / sum(explained))
