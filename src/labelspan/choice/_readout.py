"""Scores of held-out rows for every dimension, from the directions of the largest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.base import clone

from labelspan.arrays import regular_factor
from labelspan.base import label_scores
from labelspan.choice._neighbours import neighbour_scores
from labelspan.classifiers import MLkNN, MultiOutputRidge
from labelspan.gate import has_holes
from labelspan.linalg import (
    AUTO,
    Regression,
    regress,
    solve_any,
)
from labelspan.moments import Moments, Sample

FEW_COLUMNS = 32
# Scores that are measured together; 1 MB stays in the cache.
TOGETHER = 2**17


@dataclass(frozen=True)
class Training:
    """What a readout learns from: moments of projections and labels in {-1, +1}, or rows."""

    pooled: Moments | None
    rows: Sample | None
    target: Any = None

    @property
    def moments(self) -> Moments:
        """What a ridge readout learns from."""
        if self.pooled is not None:
            return self.pooled
        assert self.rows is not None
        return Moments.of(self.rows.X, self.rows.Y, self.rows.weights, tt=False).signed()


def readout_scores(
    readouts: Sequence[Any],
    training: Training,
    Z: np.ndarray,
    counts: Sequence[int],
    buffer: np.ndarray,
) -> Iterator[tuple[int, Sequence[int], np.ndarray]]:
    """Per readout and some k, its number, these k, and scores (n_some, n, q) of held-out rows.

    Z (n, K) are their projections, `counts` the k, ascending; the next scores may reuse `buffer`.
    """
    if not counts:
        return
    if isinstance(readouts[0], MLkNN):
        assert training.rows is not None
        yield from neighbour_scores(readouts, training.rows.X, training.rows.Y, Z, counts)
        return
    if not isinstance(readouts[0], MultiOutputRidge):
        yield from fitted_scores(readouts, training, Z, counts)
        return
    if training.pooled is None and training.rows is not None and has_holes(training.rows.Y):
        yield from observed_scores(readouts, training.rows, Z, counts)
        return
    moments = training.moments
    for r, readout in enumerate(readouts):
        for some, scores in ridge_scores(readout.ridge, moments, Z, counts, buffer):
            yield r, some, scores


def ridge_scores(
    ridge: Any, moments: Moments, Z: np.ndarray, counts: Sequence[int], buffer: np.ndarray
) -> Iterator[tuple[Sequence[int], np.ndarray]]:
    """Scores of the ridge regression on the first k projections, for each k.

    With zz + ridge I = L L', leading blocks have the leading blocks of L as factors: scores are
    sums over columns of Z L^-T, each times a row of L^-1 zt, O(n K^2 + n K q) for all k together.
    """
    top = first(moments, counts[-1])
    Z = Z[:, : counts[-1]] - top.x_mean
    L = None if ridge == AUTO else regular_factor(top.xx, 1.0, ridge)
    if L is None:
        # Each k has a ridge of its own; or the projections are nearly dependent: a rank cut each.
        for k in counts:
            W = regression(ridge, moments, k).coefficients()
            yield [k], (Z[:, :k] @ W + top.t_mean)[None]
        return
    if len(counts) == 1:
        W = linalg.cho_solve((L, True), top.xt, check_finite=False)
        yield counts, (Z @ W + top.t_mean)[None]
        return
    n_labels = len(top.t_mean)
    # The inverse of a small factor, and products in place, because copies would cost more than
    # both.
    inverse, _ = linalg.lapack.dtrtri(L, lower=1)
    # A column of ones adds the scores at the mean to the product.
    U, C = np.ones((len(Z), len(L) + 1)), np.empty((len(L) + 1, n_labels))
    np.matmul(Z, inverse.T, out=U[:, 1:])
    C[0] = top.t_mean
    np.matmul(inverse, top.xt, out=C[1:])
    # A new product of few columns costs less than adding to an earlier one.
    adds = counts[-1] > FEW_COLUMNS
    together = buffer.size // (len(Z) * n_labels)
    scores = buffer[: together * len(Z) * n_labels].reshape(together, len(Z), n_labels)
    last, start = None, 0
    for first_k in range(0, len(counts), together):
        some = counts[first_k : first_k + together]
        for place, k in zip(scores, some, strict=False):
            np.matmul(U[:, start : k + 1], C[start : k + 1], out=place)
            if last is not None:
                place += last
            if adds:
                last, start = place.copy(), k + 1
        yield some, scores[: len(some)]


def fitted_scores(
    readouts: Sequence[Any], training: Training, Z: np.ndarray, counts: Sequence[int]
) -> Iterator[tuple[int, Sequence[int], np.ndarray]]:
    """The same of any classifier, which is fitted to the projections for each k."""
    assert training.rows is not None
    n_labels = training.rows.Y.shape[1]
    for r, k in product(range(len(readouts)), counts):
        model = clone(readouts[r]).fit(training.rows.X[:, :k], training.target)
        yield r, [k], label_scores(model, Z[:, :k], n_labels)[None].astype(np.float64)


def observed_scores(
    readouts: Sequence[Any], rows: Sample, Z: np.ndarray, counts: Sequence[int]
) -> Iterator[tuple[int, Sequence[int], np.ndarray]]:
    """The same if each label is learnt from the rows where it is observed.

    Each label has its own scatter, K x K, and one system per k: O(n K^2 + K^3) per label.
    """
    n_labels, shape = rows.Y.shape[1], (len(readouts), len(counts))
    W = np.zeros((*shape, counts[-1], n_labels))
    means, levels = np.zeros((counts[-1], n_labels)), np.full(n_labels, -1.0)
    ridges = [[ridge_of(readout.ridge, rows, k) for k in counts] for readout in readouts]
    for label, y in enumerate(rows.Y.T):
        seen = ~np.isnan(y)
        if not seen.any():
            # Never predicted.
            continue
        weights = None if rows.weights is None else rows.weights[seen]
        own = Moments.of(rows.X[seen, : counts[-1]], y[seen, None], weights, tt=False).signed()
        means[:, label], levels[label] = own.x_mean, own.t_mean[0]
        for (r, i), k in zip(np.ndindex(shape), [*counts] * len(readouts), strict=True):
            W[r, i, :k, label] = regression(ridges[r][i], own, k).coefficients()[:, 0]
    Z = Z[:, : counts[-1]]
    for r, i in np.ndindex(shape):
        level = levels - np.einsum("ij,ij->j", means, W[r, i])
        yield r, [counts[i]], (Z @ W[r, i] + level)[None]


def buffer_for(n_rows: int, n_labels: int) -> np.ndarray:
    """Buffer for scores, because new memory for each product would cost more than the product."""
    return np.empty(max(TOGETHER, n_rows * n_labels))


def ridge_of(ridge: Any, rows: Sample, k: int) -> float:
    """The ridge, or the one chosen from available cases on the first k projections."""
    if ridge != AUTO:
        return float(ridge)
    return regress(rows.X[:, :k], rows.Y, AUTO, weights=rows.weights).ridges[0]


def regression(ridge: Any, moments: Moments, k: int) -> Regression:
    """The ridge regression of labels in {-1, +1} on the first k projections."""
    some = first(moments, k)
    return solve_any(some, (ridge,), signed=True, shared=False)


def first(moments: Moments, k: int) -> Moments:
    """Moments of the first k columns."""
    return replace(moments, x_mean=moments.x_mean[:k], xt=moments.xt[:k], xx=moments.xx[:k, :k])
