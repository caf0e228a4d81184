"""The sums of a side from its Gram matrix, its rows, or single columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.arrays import central_powers
from labelspan.linalg.permutation._null import Side

# Numbers of a Gram matrix, or of products of features, that are held at a time.
HELD = 2**22
# Rows up to which the trace of K^3 is computed and not estimated; random vectors otherwise.
MOST_CUBED, N_PROBES = 5000, 200
# Rows that stand for all in the sum of cubes of more rows.
N_SAMPLED = 1000


def of_gram(K: np.ndarray, counts: Any = None, rng: Any = None) -> Side:
    """All sums from K (n, n); `counts`: how many rows each row stands for.

    With more than `MOST_CUBED` rows and an `rng`, tr K^3 is estimated from random vectors.
    """
    c = np.ones(len(K)) if counts is None else counts
    diagonal = np.diag(K)
    weighted = c * diagonal
    U: Any = 0.0
    R: Any = 0.0
    T2: Any = 0.0
    for rows in blocks(len(K), len(K)):
        squares = K[rows] ** 2
        of_row = squares @ c
        T2 += c[rows] @ of_row
        R += weighted[rows] @ of_row
        U += c[rows] @ ((squares * K[rows]) @ c)
    if len(K) <= MOST_CUBED or rng is None:
        T3 = float(np.sum((K * c[None, :]) @ K * K * np.outer(c, c)))
    else:
        probes = np.sqrt(c)[:, None] * rng.choice((-1.0, 1.0), (len(K), N_PROBES))
        once = K @ probes
        twice = K @ (c[:, None] * once)
        T3 = float(np.sum(c[:, None] * once * twice) / N_PROBES)
    B = weighted @ (K @ weighted)
    squares, cubes = c @ diagonal**2, c @ diagonal**3
    return Side(int(c.sum()), weighted.sum(), T2, squares, T3, cubes, U, R, B)


def of_rows(A: np.ndarray, counts: Any = None, K: Any = None, rng: Any = None) -> Side:
    """All sums from centred rows A (n, D), through the smaller of K = A A' and A'A.

    With more than `MOST_CUBED` rows and an `rng`, the sum of cubes of K is that of some rows.
    """
    n, D = A.shape
    if n <= D:
        return of_gram(A @ A.T if K is None else K, counts, rng)
    c = np.ones(n) if counts is None else counts
    lengths = np.einsum("ij,ij->i", A, A)
    weighted = c * lengths
    scatter = A.T @ (A if counts is None else c[:, None] * A)
    if counts is None and K is None and n > D**2 / 2:
        U = cubes_by_features(A)[1]
    elif rng is None or n <= MOST_CUBED:
        U = cubes_by_rows(A, c, K)
    else:
        U = cubes_of_sample(A[rng.choice(n, N_SAMPLED, replace=False)], lengths)
    return Side(
        int(c.sum()),
        weighted.sum(),
        np.sum(scatter**2),
        weighted @ lengths,
        np.sum((scatter @ scatter) * scatter),
        weighted @ lengths**2,
        U,
        weighted @ np.einsum("ij,ij->i", A @ scatter, A),
        np.sum((A.T @ weighted) ** 2),
    )


def cubes_of_sample(A: np.ndarray, lengths: np.ndarray) -> float:
    """Estimate of the sum of the cubed entries from some rows A; its diagonal is exact."""
    n, m = len(lengths), len(A)
    K = A @ A.T
    np.fill_diagonal(K, 0.0)
    return float(np.sum(lengths**3) + n * (n - 1) / (m * (m - 1)) * np.sum(K * K * K))


def cubes_by_rows(A: np.ndarray, counts: np.ndarray, K: np.ndarray | None = None) -> float:
    """Sum of the cubed entries of A A', O(n^2 D)."""
    total = 0.0
    for rows in blocks(len(A), len(A)):
        block = A[rows] @ A.T if K is None else K[rows]
        total += float(counts[rows] @ (block * block * block @ counts))
    return total


def cubes_by_features(A: np.ndarray) -> tuple[np.ndarray, float]:
    """Sums of products of three features (D (D + 1) / 2, D), and the sum of cubes, O(n D^3)."""
    D = A.shape[1]
    i, j = np.triu_indices(D)
    triples = np.zeros((len(i), D))
    for rows in blocks(len(A), 16 * D):
        part, start = A[rows], 0
        for k in range(D):
            stop = start + D - k
            triples[start:stop] += (part[:, k:] * part[:, k, None]).T @ part
            start = stop
    return triples, float(np.where(i == j, 1.0, 2.0) @ np.sum(triples**2, axis=1))


def of_columns(Y: Any) -> Side:
    """The sums of v v' for each column v of Y minus its mean; arrays (q,)."""
    n = Y.shape[0]
    mean = np.asarray(Y.sum(axis=0), dtype=np.float64).ravel() / n
    p2, p3, p4, p6 = (central_powers(Y, mean, power) for power in (2, 3, 4, 6))
    return Side(n, p2, p2**2, p4, p2**3, p6, p3**2, p2 * p4, p3**2)


def blocks(n_rows: int, width: int) -> list[slice]:
    height = max(HELD // max(width, 1), 1)
    return [slice(start, start + height) for start in range(0, n_rows, height)]
