"""What is found in the rows before a ridge is chosen: sums, ranges, and a fixed sample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import squareform
from sklearn.metrics.pairwise import euclidean_distances

from labelspan.arrays import (
    cast,
    count_true,
    dense,
    fill_diagonal,
    is_dask_array,
    is_device,
    like,
    namespace,
    on_host,
    precision_of,
    rows_at,
    sums,
    to_host,
)
from labelspan.gate import Labels
from labelspan.moments import Moments, Sample, checked, collect, project
from labelspan.ridge_cv._leave_one_out import Space, blocks_of_rows
from labelspan.ridge_cv._scaling import Scaling

# Rows on which candidates are compared; more hardly change the choice.
COMPARED = 2000
# A standard deviation of the sums that place rows passes through the unit interval so often: enough
# to spread rows like random numbers, few enough that float32 and float64 agree.
TURNS = 100.0


@dataclass(frozen=True)
class Training:
    """Checked rows, and what was found in the first pass.

    Labels are NaN where they are not observed, if there are `holes`. Candidates are `compared` on
    some rows: an array, where they are in it, their targets and their weights. `order` depends on
    the content of the rows only; None for Dask arrays.
    """

    X: Any
    Y: Any
    weights: np.ndarray | None
    sums: Sums
    compared: tuple[Any, Any, np.ndarray, np.ndarray | None]
    order: np.ndarray | None = None
    holes: bool = False

    @classmethod
    def of(cls, X: Any, labels: Labels, *, xx: bool) -> Training:
        """Read the rows once; `xx`: with the scatter of the columns."""
        lazy = is_dask_array(X)
        # What depends on the labels is not used where some are missing.
        Y, weights = np.nan_to_num(labels.Y) if labels.missing else labels.Y, labels.weights
        sample = Sample(X, Y, weights=weights)
        sums = collect(sample, partial(Sums.of, xx=xx, keep=lazy), tall=xx)
        if not is_device(X):
            # They may come from a device.
            sums = on_host(sums)
        checked(sums.moments)
        if lazy:
            rows, Y, *given = sums.rows or collect(sample, partial(Spread.of, sums=sums)).rows
            found = rows, slice(None), targets(Y), given[0] if given else None
            return cls(X, labels.Y, weights, sums, found)
        order = np.argsort(content_keys(X, Y, sums), kind="stable")
        # In the order of the rows, unless only some of them are compared.
        at = order[:COMPARED] if len(order) > COMPARED else np.arange(len(order))
        w = None if weights is None else rows_at(weights, at)
        compared = X, at, targets(rows_at(labels.Y, at)), w
        return cls(X, labels.Y, weights, sums, compared, order, labels.missing)

    def some(self, n: int) -> tuple[Any, Any, np.ndarray, np.ndarray | None]:
        """The first of the compared rows, in an order that depends on their content only."""
        X, at, T, weights = self.compared
        w = None if weights is None else weights[:n]
        return X, slice(n) if isinstance(at, slice) else at[:n], T[:n, :], w

    def moments_of(self, scaling: Scaling) -> Moments:
        """Moments of the rows whose columns are still to be divided."""
        if scaling.low is None:
            return self.sums.moments
        sample = Sample(self.X, self.Y, weights=self.weights)
        moments = collect(sample, partial(moments_of_rows, scaling=scaling))
        return moments if is_device(self.X) else on_host(moments)

    def some_left_out(self, space: Space, ridge: float) -> LeftOut:
        """Left-out scores of the compared rows."""
        _, _, T, weights = self.compared
        return LeftOut(space.left_out(*self.compared)(ridge), T > 0, weights)

    def left_out(self, space: Space, ridge: float) -> LeftOut:
        """Left-out scores of all rows, which are read once more."""
        of_block = partial(LeftOut.of, space=space, ridge=ridge)
        if is_dask_array(self.X):
            return collect(Sample(self.X, self.Y, weights=self.weights), of_block)
        return of_block(self.X, self.Y, self.weights)


@dataclass(frozen=True)
class Sums:
    """Moments of the rows, the range of each column, and the rows of a small Dask array.

    `n_low` counts the rows that have the smallest value of each column.
    """

    moments: Moments
    low: np.ndarray
    high: np.ndarray
    n_low: np.ndarray
    n_rows: int
    rows: tuple[np.ndarray, ...] = ()

    @classmethod
    def of(cls, X: Any, Y: Any, weights: np.ndarray | None = None, *, xx: bool, keep: bool) -> Sums:
        """Those of one block; `keep`: with its rows, if they are few."""
        moments = Moments.of(X, Y, weights, xx=xx, tt=False)
        rows = rows_of(X, Y, weights) if keep and X.shape[0] <= COMPARED else ()
        if weighs_nothing(weights):
            nothing, none = np.full(X.shape[1], np.inf), np.zeros(X.shape[1])
            return cls(moments, nothing, -nothing, none, 0, tuple(array[:0] for array in rows))
        xp = namespace(X)
        edges = (X.min(0), X.max(0)) if xp is np else (xp.min(X, axis=0), xp.max(X, axis=0))
        low, high = (dense(edge).ravel().astype(np.float64) for edge in edges)
        return cls(moments, low, high, counts_of(X, low), X.shape[0], rows)

    def __add__(self, other: Sums) -> Sums:
        rows: tuple[np.ndarray, ...] = ()
        if self.rows and other.rows and self.n_rows + other.n_rows <= COMPARED:
            rows = tuple(np.concatenate(pair) for pair in zip(self.rows, other.rows, strict=True))
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        n_low = self.n_low * (self.low == low) + other.n_low * (other.low == low)
        n_rows = self.n_rows + other.n_rows
        return Sums(self.moments + other.moments, low, high, n_low, n_rows, rows)

    def scaling(self, name: str | None) -> Scaling:
        """What the columns are divided by, 1 for constant ones; or rows of unit length."""
        ones = np.ones(len(self.low))
        if name is None:
            return Scaling(ones)
        if name == "rows":
            return Scaling(ones, self.low)
        spread = self.high - self.low
        if name == "standard":
            spread = np.sqrt(to_host(self.moments.squares) / self.moments.weight)
        return Scaling(np.where(spread > 0, spread, 1.0))

    @property
    def counts(self) -> bool:
        """Whether at least half of the entries are the smallest of their columns.

        Columns of counts, shares and marks are like that; constant ones do not say.
        """
        varying = self.high > self.low
        return bool(varying.any() and 2 * self.n_low[varying].mean() >= self.n_rows)

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Factors (D,) and (q,) of the centred columns and labels in the sum that places a row.

        One over the standard deviation, times a number that tells columns apart by what their sums
        say about the labels; so they do not depend on orders or units.
        """
        of = on_host(replace(self.moments, xx=None, x_squares=self.moments.squares))
        # Constant columns may have a scatter of rounding.
        x_inverse = inverse(np.sqrt(of.squares / of.weight)) * (self.high > self.low)
        t_inverse = inverse(np.sqrt(of.t_mean * (1.0 - of.t_mean)))
        explained = np.square(of.xt / of.weight * np.outer(x_inverse, t_inverse))
        columns = (1.0 + explained.sum(axis=1)) * (x_inverse > 0)
        labels = (1.0 + explained.sum(axis=0)) * (t_inverse > 0)
        turns = TURNS * inverse(np.sqrt(columns @ columns + labels @ labels))
        return turns * columns * x_inverse, turns * labels * t_inverse


@dataclass(frozen=True)
class Spread:
    """The rows (features, labels and weights) of a Dask array with the smallest keys."""

    keys: np.ndarray
    rows: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, X: Any, Y: Any, weights: np.ndarray | None = None, *, sums: Sums) -> Spread:
        """Those of one block."""
        X, Y, weights = counted(X, Y, weights)
        keys = content_keys(X, Y, sums)
        first = np.argsort(keys, kind="stable")[:COMPARED]
        w = None if weights is None else weights[first]
        return cls(keys[first], rows_of(X[first], Y[first], w))

    def __add__(self, other: Spread) -> Spread:
        keys = np.concatenate([self.keys, other.keys])
        first = np.argsort(keys, kind="stable")[:COMPARED]
        pairs = zip(self.rows, other.rows, strict=True)
        return Spread(keys[first], tuple(np.concatenate(pair)[first] for pair in pairs))


@dataclass(frozen=True)
class LeftOut:
    """Left-out scores (m, q) of rows, whether they have the labels, and their weights.

    The scores are NaN where a label is not observed.
    """

    scores: np.ndarray
    positive: np.ndarray
    weights: np.ndarray | None

    @classmethod
    def of(
        cls, X: Any, Y: Any, weights: np.ndarray | None = None, *, space: Space, ridge: float
    ) -> LeftOut:
        """Those of one block."""
        X, Y, weights = counted(X, Y, weights)
        T = targets(Y)
        return cls(space.all_left_out(X, T, weights, ridge), T > 0, weights)

    def __add__(self, other: LeftOut) -> LeftOut:
        w = None if self.weights is None else np.concatenate([self.weights, other.weights])
        scores = np.concatenate([self.scores, other.scores])
        return LeftOut(scores, np.concatenate([self.positive, other.positive]), w)


def moments_of_rows(
    X: Any, Y: Any, weights: np.ndarray | None = None, *, scaling: Scaling
) -> Moments:
    """Those of one block."""
    return Moments.of(scaling.rows(X), Y, weights, tt=False)


def counts_of(X: Any, values: np.ndarray) -> np.ndarray:
    """How many rows have a given value in each column."""
    if not sparse.issparse(X):
        return count_true(cast(like(X, values), precision_of(X)) == X, axis=0)
    stored = np.bincount(X.indices, minlength=X.shape[1])
    equal = np.bincount(X.indices, values[X.indices] == X.data, minlength=X.shape[1])
    return equal + np.where(values == 0, X.shape[0] - stored, 0)


def targets(Y: Any) -> np.ndarray:
    """The labels as -1 and +1, dense."""
    return 2.0 * (cast(Y, np.float64) if is_device(Y) else dense(Y)) - 1.0


def weighs_nothing(weights: np.ndarray | None) -> bool:
    """Whether these are of a block of a Dask array all of whose rows are left out."""
    return isinstance(weights, np.ndarray) and not weights.any()


def counted(X: Any, Y: Any, weights: Any) -> tuple[Any, Any, Any]:
    """The rows of a block; none if all of them are left out."""
    return (X[:0], Y[:0], weights[:0]) if weighs_nothing(weights) else (X, Y, weights)


def rows_of(X: Any, Y: Any, weights: np.ndarray | None) -> tuple[np.ndarray, ...]:
    """Rows with their labels and weights, dense."""
    return (dense(X), dense(Y), *([] if weights is None else [weights]))


def inverse(numbers: Any) -> Any:
    """One over each number; 0 for 0."""
    return np.divide(1.0, numbers, out=np.zeros_like(numbers), where=numbers > 0)


def content_keys(X: Any, Y: Any, sums: Sums) -> np.ndarray:
    """Numbers (n,) from 0 to 1 that depend on the content of a row, and spread like random ones.

    Not on the order of rows, columns or labels or the units of X, and rounding hardly moves them.
    """
    columns, labels = sums.factors()
    keys = np.empty(X.shape[0])
    mean = float(to_host(sums.moments.t_mean) @ labels)
    for at in blocks_of_rows(X.shape[0]):
        rows, own = rows_at(X, at), rows_at(Y, at)
        sum_ = project(cast(rows, np.float64), sums.moments.x_mean, columns[None])[:, 0]
        keys[at] = (to_host(sum_) + (to_host(own @ like(own, labels)) - mean)) % 1.0
    return keys


def median_of_pairs(rows: Any) -> float:
    """Median squared distance of two rows; if it is 0 their mean, and 1 if this is 0, too."""
    if is_device(rows):
        xp, n = namespace(rows), rows.shape[0]
        squares = euclidean_squares(rows)
        fill_diagonal(squares, 0, np.inf)
        pairs = xp.sort(xp.reshape(squares, (-1,)))[: n * (n - 1)]
        middle = (pairs[n * (n - 1) // 2 - 1] + pairs[n * (n - 1) // 2]) / 2
        return float(middle) or float(xp.mean(pairs)) or 1.0
    squares = euclidean_distances(rows, squared=True)
    pairs = squareform(squares, checks=False)
    return float(np.median(pairs)) or float(pairs.mean()) or 1.0


def euclidean_squares(A: Any) -> Any:
    """Squared distances of the rows of a device array."""
    squares = sums(A * A, axis=1)
    return namespace(A).clip(squares[:, None] + squares[None, :] - 2.0 * (A @ A.T), 0.0, None)
