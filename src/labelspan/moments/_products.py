"""Statistics as operators: X and T are only multiplied with a few vectors, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import is_dask_array
from labelspan.gate import has_holes
from labelspan.moments._collect import Sample, collect, equal_blocks
from labelspan.moments._moments import Moments, anchored, scaled
from labelspan.moments._sparse import times_block

# Entries of a sparse product X'T that are held at a time.
HELD_ENTRIES = 2**24


@dataclass(frozen=True)
class Products:
    """Moments that are never formed, for X and T so wide that neither xx nor xt fits.

    Each product with them is one pass over the rows; of a Dask array, only (D, k) or (q, k) numbers
    leave the workers. `centre` is the mean of the rows of `sample`, see :func:`anchored`.
    """

    weight: float
    x_mean: np.ndarray
    t_mean: np.ndarray
    squares: np.ndarray
    sample: Sample
    centre: np.ndarray
    tt: Any = None
    share: float = 1.0

    @classmethod
    def of(cls, sample: Sample, *, tt: bool = False) -> Products:
        """Means and squares, in one pass."""
        X, shift = anchored(sample.X)
        sample = replace(sample, X=X)
        found = collect(sample, partial(margins, tt=tt), tall=False)
        means = shift + found.x_mean, found.t_mean
        return cls(found.weight, *means, found.x_squares, sample, found.x_mean, found.tt)

    def features(self, V: np.ndarray | None = None, W: np.ndarray | None = None) -> np.ndarray:
        """Xx V + xt W, (D, k), in one pass; V (D, k) or W (q, k) may be left out."""
        return self._pass(V, W, side=0)

    def labels(self, V: np.ndarray | None = None, W: np.ndarray | None = None) -> np.ndarray:
        """Xt'V + tt W, (q, k), in one pass."""
        return self._pass(V, W, side=1)

    def _pass(self, V: np.ndarray | None, W: np.ndarray | None, side: int) -> np.ndarray:
        factors, means = (V, W), (self.centre, self.t_mean)
        of_block = partial(multiplied, factors=factors, means=means, side=side)
        given = self.sample
        if sparse.issparse(given.X):
            return of_block(given.X, given.Y, given.weights, transposed=self._transposed[side])
        return collect(given, of_block, tall=False)

    @cached_property
    def _transposed(self) -> tuple[Any, Any]:
        """X' and T' of rows in memory as CSR: gathering is faster than scattering."""
        return tuple(
            A.T.tocsr().astype(np.float64) if sparse.issparse(A) else A.T
            for A in (self.sample.X, self.sample.Y)
        )

    def dependence(self) -> float | None:
        """||xt||^2, from blocks of labels; None for a Dask array, which would take many passes."""
        if is_dask_array(self.sample.X):
            return None
        X, T = self.sample.X, scaled(self.sample.Y, self.sample.weights)
        total = 0.0
        for labels in self._label_blocks():
            XT, mean = X.T @ T[:, labels], self.weight * self.t_mean[labels]
            squares = XT.data**2 if sparse.issparse(XT) else XT**2
            # Centred: subtract twice the product with n x_mean t_mean', add its square.
            crossed = float(self.centre @ (XT @ mean))
            total += squares.sum() - 2 * crossed + self.centre @ self.centre * (mean @ mean)
        return total

    def _label_blocks(self) -> Iterator[slice]:
        X, T = self.sample.X, self.sample.Y
        n_entries = X.shape[1] * T.shape[1]
        if sparse.issparse(X) and sparse.issparse(T):
            n_entries = min(n_entries, int(np.diff(X.indptr) @ np.diff(T.indptr)))
        return equal_blocks(T.shape[1], n_entries / HELD_ENTRIES)


def margins(X: Any, T: Any, weights: np.ndarray | None = None, *, tt: bool) -> Moments:
    """Moments of a block without products of X."""
    if has_holes(T):
        raise ValueError(
            "y has labels that are not observed (NaN), but with this many features and labels the "
            "solver needs all of them. Drop rows with missing labels, select features, or set "
            "the missing labels to 0."
        )
    return Moments.of(X, T, weights, xx=False, tt=tt, xt=False)


def multiplied(
    X: Any,
    T: Any,
    weights: np.ndarray | None = None,
    *,
    factors: tuple[np.ndarray | None, np.ndarray | None],
    means: tuple[np.ndarray, np.ndarray],
    side: int,
    transposed: Any = None,
) -> np.ndarray:
    """A'diag(w)(Xc V + Tc W) of a block, where A is Xc or Tc; `transposed` is A' if at hand."""
    U: Any = 0.0
    for A, factor, mean in zip((X, T), factors, means, strict=True):
        if factor is not None:
            # Centred here, where it costs n k numbers, so the blocks stay sparse.
            U = U + (times_block(A, factor) - mean @ factor)
    U = U if weights is None else weights[:, None] * U
    out = times_block((X, T)[side].T if transposed is None else transposed, U)
    out -= np.outer(means[side], U.sum(axis=0))
    return out
