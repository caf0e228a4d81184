"""Nystroem approximation: choose landmarks and compute their features."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state

from labelspan.arrays import cast, dense, like, precision_of, rows_at
from labelspan.kernels._gram import refuse_indefinite, spectrum
from labelspan.kernels._map import KernelMap, is_definite

# Rows on which the error of the approximation is measured.
ERROR_SAMPLE = 500


@dataclass(frozen=True)
class Features:
    """z(x) = R' k(landmarks, x) with R R' = k(landmarks, landmarks)^+: products near the kernel's.

    R is (m, r), `chosen` (m,) the landmarks, `error` the relative error of the centred kernel.
    """

    map_: KernelMap
    R: np.ndarray
    chosen: np.ndarray
    error: float


def nystroem(map_: KernelMap, X: Any, n_landmarks: int, how: str, random_state: Any) -> Features:
    """Choose the landmarks and compute their features: O(m^3) besides the choice, memory O(m^2)."""
    n_rows = X.shape[0]
    if n_landmarks > n_rows:
        warnings.warn(
            f"n_landmarks={n_landmarks} is more than the {n_rows} training rows; {n_rows} are "
            "taken. n_landmarks=None is faster then.",
            stacklevel=2,
        )
    n_landmarks = min(n_landmarks, n_rows)
    random = check_random_state(random_state)
    chosen = np.sort(CHOICES[how](map_, X, n_landmarks, random))
    some = map_.landmarks(chosen)
    W = cast(some.values(rows_at(X, chosen)), np.float64)
    if not is_definite(map_):
        refuse_indefinite(W, map_.kernel, precision_of(X))
    values, U = spectrum((W + W.T) / 2)
    R = U / like(U, np.sqrt(values))
    return Features(some, R, chosen, sampled_error(map_, some, R, X, random))


def sampled_error(map_: KernelMap, some: KernelMap, R: np.ndarray, X: Any, random: Any) -> float:
    """||Kc - Zc Zc'|| / ||Kc|| in the Frobenius norm, on ERROR_SAMPLE rows."""
    n_rows = X.shape[0]
    sample = random.choice(n_rows, min(ERROR_SAMPLE, n_rows), replace=False)
    rows = rows_at(X, sample)
    exact = dense(cast(map_.landmarks(sample).values(rows), np.float64))
    Z = dense(cast(some.values(rows), np.float64) @ R)
    gap = exact - Z @ Z.T
    norm = np.linalg.norm(twice_centred(exact))
    return float(np.linalg.norm(twice_centred(gap)) / norm) if norm > 0 else 0.0


def twice_centred(K: np.ndarray) -> np.ndarray:
    """H K H."""
    K = K - K.mean(axis=0)
    return K - K.mean(axis=1)[:, None]


def uniform(map_: KernelMap, X: Any, n_landmarks: int, random: Any) -> np.ndarray:
    """Rows at random, without replacement."""
    return random.choice(X.shape[0], n_landmarks, replace=False)


def nearest_to_centres(map_: KernelMap, X: Any, n_landmarks: int, random: Any) -> np.ndarray:
    """The rows nearest to k-means centres, which stay sparse; random rows replace duplicates."""
    if map_.kernel == "precomputed":
        raise ValueError(
            "landmarks='kmeans' needs the rows themselves, but kernel='precomputed'. "
            "Use landmarks='uniform' or landmarks='leverage'."
        )
    if n_landmarks == X.shape[0]:
        return np.arange(n_landmarks)
    # Imported here because it would add a third to the import time of labelspan.
    from sklearn.cluster import MiniBatchKMeans

    means = MiniBatchKMeans(
        n_landmarks, random_state=random, n_init=1, batch_size=max(1024, 3 * n_landmarks)
    ).fit(X)
    nearest = np.unique(pairwise_distances_argmin(means.cluster_centers_, X))
    others = np.setdiff1d(np.arange(X.shape[0]), nearest)
    filling = random.choice(others, n_landmarks - len(nearest), replace=False)
    return np.concatenate([nearest, filling])


def by_leverage(map_: KernelMap, X: Any, n_landmarks: int, random: Any) -> np.ndarray:
    """Rows drawn by their approximate ridge leverage scores (Musco and Musco 2017).

    A uniform pilot sample S of p = m rows gives, for every row,
    (k_ii - k_iS (K_SS + ridge p / n I)^-1 k_Si) / ridge. The ridge is the sum of the eigenvalues
    beyond the k-th over k, for the k = p / (2 log p) directions that a pilot of this size can
    resolve. Time O(n m^2), in blocks.
    """
    n_rows = X.shape[0]
    if n_landmarks == n_rows:
        return np.arange(n_rows)
    pilot = random.choice(n_rows, n_landmarks, replace=False)
    some = map_.landmarks(pilot)
    W = some.values(X[pilot]).astype(np.float64)
    diagonal = map_.diagonal(X)
    values = np.linalg.eigvalsh(W)[::-1] * n_rows / n_landmarks
    k = max(int(n_landmarks / (2 * np.log(n_landmarks + 1))), 1)
    # The floor keeps the factor below within double precision for kernels of low rank.
    ridge = max(values[k:].sum() / k, 1e-10 * diagonal.sum())
    small = ridge * n_landmarks / n_rows
    W[np.diag_indices_from(W)] += small
    L = linalg.cholesky(W, lower=True, check_finite=False)
    scores = np.empty(n_rows)
    for rows, K in some.blocks(X):
        half_solved = linalg.solve_triangular(L, K.T, lower=True, check_finite=False)
        scores[rows] = (diagonal[rows] - np.square(half_solved).sum(axis=0)) / ridge
    # A pilot row is scored by the other rows, because it explains itself.
    inverse = linalg.solve_triangular(L, np.eye(n_landmarks), lower=True, check_finite=False)
    scores[pilot] = (1.0 / np.square(inverse).sum(axis=0) - small) / ridge
    return draw(np.clip(scores, 1e-12, 1.0), n_landmarks, random)


def draw(scores: np.ndarray, size: int, random: Any) -> np.ndarray:
    """Draw `size` rows with probability min(1, c scores); rows that reach 1 are always taken."""
    order = np.argsort(-scores, kind="stable")
    # With the first s taken, c = (size - s) / (sum of the other scores).
    rest = np.cumsum(scores[order][::-1])[::-1]
    n_sure = 0
    while n_sure < size and (size - n_sure) * scores[order[n_sure]] >= rest[n_sure]:
        n_sure += 1
    others = order[n_sure:]
    p = scores[others] / scores[others].sum()
    return np.concatenate(
        [order[:n_sure], random.choice(others, size - n_sure, replace=False, p=p)]
    )


CHOICES = {"uniform": uniform, "kmeans": nearest_to_centres, "leverage": by_leverage}
