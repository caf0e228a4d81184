"""The sums of the features under permutations, from as few passes over the rows as they need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from labelspan.arrays import densified, less_mean, squared_lengths
from labelspan.gate import check_size
from labelspan.linalg.permutation import (
    N_SAMPLED,
    Side,
    cubes_by_features,
    cubes_of_sample,
    of_gram,
    of_rows,
)
from labelspan.moments import Moments
from labelspan.stats.dependence._rows import Rows

# Up to so many rows every sum is exact. Beyond, sums of triples of features are, up to so many.
MOST_ROWS, MOST_TRIPLED = 5000, 100
# More features than this are compared by rows; those of more rows are not.
MOST_FEATURES, MOST_COMPARED = 5000, 16_000
# Numbers of rows that are read twice.
CACHED = 2**17
EXACT, SAMPLED = "exact", f"from {N_SAMPLED} rows"


class TooLargeError(ValueError):
    """The moments cannot be computed."""


@dataclass(frozen=True)
class Features:
    """Centred rows A = w (x - mean): their sums, squared lengths (n,), and A A' if it is there."""

    side: Side
    mean: np.ndarray | None
    lengths: np.ndarray
    third: str
    K: np.ndarray | None = None


@dataclass(frozen=True)
class Lengths:
    """Squared lengths of centred rows (m,), and their sum times the rows (D,)."""

    lengths: np.ndarray
    times_rows: np.ndarray

    @classmethod
    def of(cls, mean: np.ndarray, X: Any, Y: Any, weights: np.ndarray | None = None) -> Lengths:
        """Those of a block, from rows that stay in the cache."""
        n, D = X.shape
        w = np.ones(n) if weights is None else weights
        lengths, times_rows = np.empty(n), np.zeros(D)
        height = max(CACHED // max(row_work(X, X.shape), 1), 1)
        for start in range(0, n, height):
            part = slice(start, start + height)
            rows, rest = less_mean(X[part], mean)
            lengths[part] = w[part] ** 2 * squared_lengths(rows, rest)
            of_rows = w[part] * lengths[part]
            times_rows += rows.T @ of_rows - of_rows.sum() * rest
        return cls(lengths, times_rows)

    def __add__(self, other: Lengths) -> Lengths:
        both = np.concatenate([self.lengths, other.lengths])
        return Lengths(both, self.times_rows + other.times_rows)


@dataclass(frozen=True)
class Triples:
    """Sums over rows of products of three features, and of length times A_i'xx A_i."""

    triples: np.ndarray
    through: float

    @classmethod
    def of(cls, mean: Any, xx: Any, X: Any, Y: Any, weights: Any = None) -> Triples:
        """Those of a block."""
        A = centred_rows(X, mean, weights)
        lengths = np.einsum("ij,ij->i", A, A)
        return cls(cubes_by_features(A)[0], float(lengths @ np.einsum("ij,ij->i", A @ xx, A)))

    def __add__(self, other: Triples) -> Triples:
        return Triples(self.triples + other.triples, self.through + other.through)

    @property
    def cubes(self) -> float:
        """Sum of the cubed entries of A A'."""
        i, j = np.triu_indices(self.triples.shape[1])
        return float(np.where(i == j, 1.0, 2.0) @ np.sum(self.triples**2, axis=1))


def row_work(X: Any, shape: tuple[int, int]) -> int:
    """Numbers of a row that are stored, on average."""
    stored = getattr(X, "nnz", None)
    return shape[1] if stored is None else stored // shape[0] + 1


def is_short(n_rows: int) -> bool:
    """Whether all pairs of so many rows may be compared."""
    return n_rows <= MOST_ROWS


def fits_in_one_piece(rows: Rows) -> bool:
    """Whether the sums come from pairs of rows, not from pairs of features."""
    n, D = rows.shape
    exact = is_short(n) and not (rows.quick and n > max(N_SAMPLED, D))
    return exact or D > MOST_FEATURES


def features_of(rows: Rows, first: Moments | None, rng: np.random.Generator) -> Features:
    """The sums of the rows; `first` are moments of them, with xx if it is known."""
    n, D = rows.shape
    if fits_in_one_piece(rows):
        return in_one_piece(rows)
    check_size((D, D), "The scatter matrix of the features", "Select features first.")
    given: Any = partial(Moments.of, xx=False, tt=False)
    first = rows.total(given, rows.weights) if first is None else first
    mean, xx = first.x_mean, first.xx
    if xx is None:
        squared = None if rows.weights is None else rows.weights**2
        xx = rows.total(partial(Moments.of, tt=False), squared).about(mean)
    found = rows.total(partial(Lengths.of, mean), rows.weights)
    lengths, cubes = found.lengths, float(np.sum(found.lengths**3))
    if D <= MOST_TRIPLED and not rows.quick:
        triples = rows.total(partial(Triples.of, mean, xx), rows.weights)
        third, U, R = EXACT, triples.cubes, triples.through
    else:
        third = SAMPLED
        U, R = from_sample(rows, mean, xx, lengths, rng)
    B = found.times_rows @ found.times_rows
    T, T2, T3 = lengths.sum(), np.sum(xx**2), np.sum((xx @ xx) * xx)
    side = Side(n, T, T2, lengths @ lengths, T3, cubes, U, R, B)
    return Features(side, mean, lengths, third)


def from_sample(
    rows: Rows, mean: np.ndarray, xx: np.ndarray, lengths: np.ndarray, rng: np.random.Generator
) -> tuple[float, float]:
    """Estimates of U and R from rows drawn at random; the diagonal of U is exact."""
    n = rows.shape[0]
    places = np.sort(rng.choice(n, N_SAMPLED, replace=False))
    weights = None if rows.weights is None else rows.weights[places]
    A = centred_rows(rows.at(places), mean, weights)
    own = np.einsum("ij,ij->i", A, A)
    through = own @ np.einsum("ij,ij->i", A @ xx, A)
    return cubes_of_sample(A, lengths), n / N_SAMPLED * float(through)


def in_one_piece(rows: Rows) -> Features:
    """All sums from the rows themselves, or from their Gram matrix if they are wide."""
    n, D = rows.shape
    if n > MOST_COMPARED:
        raise TooLargeError(
            f"{n} rows of {D} features are too many for the moments, which need all pairs of up to "
            f"{MOST_COMPARED} rows, or all pairs of up to {MOST_FEATURES} features"
        )
    X, w = rows.at(np.arange(n)), rows.weights
    if n > D:
        mean = weighted_mean(X, w)
        A = centred_rows(X, mean, w)
        K = A @ A.T
        return Features(of_rows(A, K=K), mean, np.diag(K).copy(), EXACT, K)
    X = less_mean(X, np.ravel(X.mean(axis=0, dtype=np.float64)))[0]
    return of_kernel(densified(X @ X.T), w)


def of_kernel(K: np.ndarray, weights: np.ndarray | None) -> Features:
    """The same from a kernel matrix, which is centred in place."""
    n = len(K)
    w = np.ones(n) if weights is None else weights
    shares = w / w.sum()
    mean = shares @ K
    K -= mean[None, :]
    K -= (mean - shares @ mean)[:, None]
    if weights is not None:
        K *= np.outer(w, w)
    rng = np.random.default_rng(0)
    third = EXACT if n <= MOST_ROWS else "from random vectors"
    return Features(of_gram(K, rng=rng), None, np.diag(K).copy(), third, K)


def kernel_matrix(X: Any, kernel: Any, parameters: dict[str, Any] | None) -> np.ndarray:
    """The symmetric kernel matrix of the rows, as a new float64 array."""
    n = X.shape[0]
    check_size((n, n), "The kernel matrix", "Pass fewer rows.")
    if kernel == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"X has shape {X.shape}; a precomputed kernel is (n, n), a value per pair of rows."
        )
    given = {} if kernel == "precomputed" else dict(parameters or {})
    K = pairwise_kernels(X, metric=kernel, filter_params=isinstance(kernel, str), **given)
    K = np.asarray(densified(K), dtype=np.float64)
    return (K + K.T) / 2


def centred_rows(X: Any, mean: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """A = w (x - mean), dense."""
    A = densified(X) - mean
    return A if weights is None else weights[:, None] * A


def weighted_mean(X: Any, weights: np.ndarray | None) -> np.ndarray:
    """Mean of the rows, in float64; of dense rows about the first, which a large mean needs."""
    w = np.ones(X.shape[0]) if weights is None else weights
    first = np.ravel(densified(X[[0]])).astype(np.float64)
    rows, rest = less_mean(X, first)
    return np.asarray(first - rest + (w @ rows) / w.sum())
