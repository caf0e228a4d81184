"""How many directions are more than noise: each is tested in the complement of those before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from labelspan.linalg.permutation._null import null_moments
from labelspan.linalg.permutation._side import of_rows
from labelspan.linalg.permutation._tail import upper_tail

# Fewest effective rows of a side for a tail by three moments.
FEWEST_EFFECTIVE = 30

Pair = tuple[np.ndarray, np.ndarray]


def by_singular_vectors(A: np.ndarray, Y: np.ndarray) -> Iterator[Pair]:
    """Both sides without the first 0, 1, 2, ... singular vectors of A'Y."""
    left, _, right = np.linalg.svd(A.T @ Y, full_matrices=False)
    for k in range(len(right)):
        V, U = left[:, :k], right[:k].T
        yield A - (A @ V) @ V.T, Y - (Y @ U) @ U.T


def by_scores(
    X: np.ndarray, Y: np.ndarray, T: np.ndarray, C: np.ndarray, weights: np.ndarray | None
) -> Iterator[Pair]:
    """Both sides without the first scores T (n, k) of X and their loadings C (q, k) of Y."""
    root = np.ones(len(X)) if weights is None else np.sqrt(weights)
    scores = np.linalg.qr(root[:, None] * T)[0]
    loadings = np.linalg.qr(C)[0]
    for k in range(min(C.shape)):
        part, U = scores[:, :k], loadings[:, :k]
        rest = root[:, None] * X
        rest = root[:, None] * (rest - part @ (part.T @ rest))
        yield rest, Y - (Y @ U) @ U.T


def step_down(pairs: Iterator[Pair], alpha: float, rng: np.random.Generator) -> np.ndarray:
    """P-values of the directions in order, until the first above `alpha`; each at least the last.

    The statistic of a step is the sum of the eigenvalues that are left, ||A'Y||^2, against all
    orders of the rows of Y, in what both sides have left: the whole complement.
    """
    found: list[float] = []
    for A, Y in pairs:
        found.append(max([p_value(A, Y, rng), *found[-1:]]))
        if found[-1] > alpha:
            break
    return np.array(found)


def p_value(A: np.ndarray, Y: np.ndarray, rng: np.random.Generator) -> float:
    """P-value of ||A'Y||^2 by three moments, or by draws if few rows carry a side."""
    Y = Y - Y.mean(axis=0)
    features, labels = of_rows(A, rng=rng), of_rows(Y, rng=rng)
    statistic = float(np.sum((A.T @ Y) ** 2))
    if min(features.effective_rows, labels.effective_rows) >= FEWEST_EFFECTIVE:
        return float(upper_tail(statistic, null_moments(features, labels)))
    return by_draws(A, Y, statistic, rng)


def by_draws(
    A: np.ndarray, Y: np.ndarray, statistic: float, rng: np.random.Generator, n_draws: int = 999
) -> float:
    """The same by random orders of the rows."""
    drawn: Callable[[], Any] = lambda: np.sum((A.T @ Y[rng.permutation(len(Y))]) ** 2)  # noqa: E731
    above = sum(drawn() >= statistic * (1 - 1e-10) for _ in range(n_draws))
    return (float(above) + 1) / (n_draws + 1)
