"""Sums over rows and labels for feature scores, of all rows or of chunks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.gate import has_holes
from labelspan.moments import scaled

TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Seen:
    """Sums over the rows where each label is observed: `weight` (q,), `x` and `squares` (D, q)."""

    weight: np.ndarray
    x: np.ndarray
    squares: np.ndarray

    def about(self, d: np.ndarray) -> Seen:
        """The same sums of features that are larger by d."""
        squares = self.squares + 2 * d[:, None] * self.x + np.outer(d**2, self.weight)
        return Seen(self.weight, self.x + np.outer(d, self.weight), squares)

    def __add__(self, other: Seen) -> Seen:
        x, squares = self.x + other.x, self.squares + other.squares
        return Seen(self.weight + other.weight, x, squares)


@dataclass(frozen=True)
class Sums:
    """Sums over the rows of features minus `centre`; ``a + b`` are those of both samples.

    `x`, `squares` (D,) and `xt` (D, q) are those of the features, their squares, and the rows with
    each label; `label_squares` (D,) counts a row once per label, `counts` (q,) the rows of each
    label. `seen` is None if all labels are observed.
    """

    weight: float
    centre: np.ndarray
    x: np.ndarray
    squares: np.ndarray
    label_squares: np.ndarray
    xt: np.ndarray
    counts: np.ndarray
    seen: Seen | None = None

    @property
    def kind(self) -> tuple[str]:
        """The kind of sums; only those of one kind can be added."""
        return ("sums",)

    def __add__(self, other: Sums) -> Sums:
        share = other.weight / max(self.weight + other.weight, TINY)
        # Relative to the common mean, because sums of squares about other points are larger and
        # lose digits.
        centre = self.centre + share * (other.centre - self.centre)
        mine, theirs = self.about(centre), other.about(centre)
        seen = None
        if self.seen is not None or other.seen is not None:
            seen = self.by_label(centre) + other.by_label(centre)
        sums = (a + b for a, b in zip(mine[2:], theirs[2:], strict=True))
        return replace(Sums(self.weight + other.weight, centre, *sums), seen=seen)

    def by_label(self, centre: np.ndarray) -> Seen:
        """Sums by label of features minus another centre; of all rows if no label is missing."""
        q, seen = len(self.counts), self.seen
        if seen is None:
            x, squares = (np.tile(sums[:, None], q) for sums in (self.x, self.squares))
            seen = Seen(np.full(q, self.weight), x, squares)
        return seen.about(self.centre - centre)

    def about(self, centre: np.ndarray) -> tuple[Any, ...]:
        """The same sums, in the order of the fields, of features minus another centre."""
        d = self.centre - centre
        squares = self.squares + 2 * d * self.x + self.weight * d**2
        incidences = self.counts.sum()
        label_squares = self.label_squares + 2 * d * self.xt.sum(axis=1) + incidences * d**2
        xt = self.xt + np.outer(d, self.counts)
        x = self.x + self.weight * d
        return self.weight, centre, x, squares, label_squares, xt, self.counts


def label_sums(X: Any, Y: Any, weights: np.ndarray | None = None) -> Sums:
    """Sums of one block; a dense one is centred first, to keep digits."""
    w = np.ones(X.shape[0]) if weights is None else weights
    if has_holes(Y):
        observed = ~np.isnan(Y)
        sums = label_sums(X, np.where(observed, Y, 0.0), weights)
        return replace(sums, seen=seen_sums(X, sums.centre, scaled(observed * 1.0, weights)))
    Y = scaled(Y, weights)
    total, label_counts = float(w.sum()), np.asarray(Y.sum(axis=1)).ravel()
    counts = np.asarray(Y.sum(axis=0)).ravel()
    if sparse.issparse(X):
        X = X.astype(np.float64, copy=False)
        squares = X.copy()
        squares.data **= 2
        sums = squares.T @ np.column_stack([w, label_counts])
        xt = X.T @ Y
        xt = xt.toarray() if sparse.issparse(xt) else xt
        return Sums(total, np.zeros(X.shape[1]), w @ X, sums[:, 0], sums[:, 1], xt, counts)
    if weights is None or total == 0:
        centre = X.mean(axis=0, dtype=np.float64)
    else:
        centre = (weights @ X) / total
    block = X - centre
    x, xt = w @ block, np.asarray((Y.T @ block).T)
    block *= block
    return Sums(total, centre, x, w @ block, label_counts @ block, xt, counts)


def seen_sums(X: Any, centre: np.ndarray, M: np.ndarray) -> Seen:
    """Sums over the rows where each label is observed, by the weights M (n, q)."""
    if sparse.issparse(X):
        X = X.astype(np.float64, copy=False)
        return Seen(M.sum(axis=0), X.T @ M, X.power(2).T @ M)
    block = X - centre
    x = (M.T @ block).T
    block *= block
    return Seen(M.sum(axis=0), x, (M.T @ block).T)
