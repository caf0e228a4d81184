"""More directions than the problem has: those of the row space of X that complete them."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg

from labelspan.arrays import dense, like, namespace
from labelspan.linalg._eigenpairs import EigenPairs
from labelspan.linalg._spectral import Spectral, spectral


def complete(
    pairs: EigenPairs,
    statistics: Any,
    metric: tuple[float, float],
    n_components: int,
    random: np.random.RandomState | None = None,
) -> EigenPairs:
    """The pairs, followed by directions v with v'Bv = 1 that are B-orthogonal to all before.

    B = a xx + b I. Without `random` each has the largest scatter v'xx v that is left; with it they
    come from normal vectors. The first pairs are not touched.
    """
    form = statistics if isinstance(statistics, Spectral) else spectral(statistics)
    V, s, (a, b) = dense(form.V), form.s, metric
    found = pairs.vectors.shape[1]
    n_more = min(n_components, len(s)) - found
    if n_components > len(s):
        warn_of_rank(n_components, len(s))
    if n_more <= 0:
        return pairs
    # v = V diag(1 / size) u has v'Bv = u'u.
    size = np.sqrt(a * s**2 + b)[:, None]
    U = size * (V.T @ dense(pairs.vectors))
    if random is None:
        u = most_scatter(U, s[:, None], size, n_more, ridge_free=b == 0)
    else:
        drawn = size * (V.T @ random.standard_normal((len(V), n_more)))
        u = linalg.qr(np.hstack([U, drawn]), mode="economic")[0][:, found:]
    more = like(pairs.vectors, V @ (u / size))
    vectors = namespace(more).concat([pairs.vectors, more], axis=1)
    return replace(pairs, vectors=vectors, completion=np.sum((s[:, None] / size * u) ** 2, axis=0))


def most_scatter(
    U: np.ndarray, s: np.ndarray, size: np.ndarray, n_more: int, *, ridge_free: bool
) -> np.ndarray:
    """Orthonormal u (r, n_more) of the largest scatter among those orthogonal to U.

    Without a ridge all have the same scatter in units of B; the limit of a small ridge are the
    shortest v, that is the directions of largest scatter of X.
    """
    rest = linalg.qr(U)[0][:, U.shape[1] :]
    scatter = 2.0 - (s[-1] / s) ** 2 if ridge_free else (s / size) ** 2
    last = rest.shape[1] - 1
    M = rest.T @ (scatter * rest)
    y = linalg.eigh(M, subset_by_index=(last - n_more + 1, last))[1][:, ::-1]
    return rest @ y


def warn_of_rank(n_components: int, rank: int) -> None:
    """Warn that X has fewer dimensions than directions were requested."""
    warnings.warn(
        f"n_components={n_components} is more than the rank of X, {rank}; {rank} directions are "
        "kept (see n_components_).",
        stacklevel=3,
    )
