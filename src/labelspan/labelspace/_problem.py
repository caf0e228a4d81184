"""Quantities of the training sample that methods need before the codes are learnt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from labelspan.arrays import dense, is_device, namespace, sums, to_host
from labelspan.compat import is_dask_array
from labelspan.gate import check_square, has_holes
from labelspan.linalg import (
    Back,
    Regression,
    regress,
    regress_pooled,
    route_of,
    too_large,
    warn_if_any_label_fits,
)
from labelspan.moments import Moments, level_at, summarise, total_scatter

# Up to here the small side of Y is decomposed exactly, and X'Y is formed for all labels.
EXACT_SIDE = 4000


class Whole(NamedTuple):
    """Statistics of the whole row space of X, not only of the part that the labels need.

    `lift` maps their coordinates to directions (D, k); `mean` is that of X, (D,).
    """

    statistics: Any
    lift: Back
    mean: np.ndarray


# Advice for too many features: their scatter matrix does not fit.
ADVICE = "Pass a regressor that scales to this many features, or select features first."


@dataclass(frozen=True)
class Problem:
    """The sample, and the regression that all methods share.

    Attributes
    ----------
    X : ndarray, csr_array or Dask array of shape (n, D)
        Features.
    Y : ndarray, csr_array or Dask array of shape (n, q)
        Labels in {0, 1}.
    ridge : float
        Ridge of the least squares.
    scatter : bool
        Whether the method needs the label scatter.
    linear : bool
        Whether the codes will be learnt by least squares.
    weights : ndarray of shape (n,) or None
        Weights of the rows.
    """

    X: Any
    Y: Any
    ridge: float
    scatter: bool
    linear: bool
    weights: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows n."""
        return int(self.Y.shape[0])

    @property
    def weight(self) -> float:
        """Sum of the weights of the rows, n without any."""
        return self.n_rows if self.weights is None else float(sums(self.weights))

    @property
    def n_labels(self) -> int:
        """Number of labels q."""
        return int(self.Y.shape[1])

    @property
    def n_features(self) -> int:
        """Number of features D."""
        return int(self.X.shape[1])

    @property
    def streamed(self) -> bool:
        """Whether the rows of Y are not available."""
        return is_dask_array(self.Y)

    @property
    def pooled(self) -> bool:
        """Whether one regression on all labels serves every code.

        Otherwise, with more labels than rows or with very many, the codes are computed first.
        """
        if is_dask_array(self.X) or self.missing:
            return True
        n, D = self.X.shape
        return not codes_first(n, D, self.n_labels, sparse.issparse(self.X))

    @cached_property
    def missing(self) -> bool:
        """Whether labels are not observed: the code of such a row is unknown."""
        return not is_dask_array(self.Y) and has_holes(self.Y)

    @property
    def clipped(self) -> float:
        """Share of negative eigenvalues that were removed from the label scatter."""
        return self.least_squares.tt_clipped if self.missing or self.streamed else 0.0

    @cached_property
    def least_squares(self) -> Regression:
        """The regression of all labels on X: the only pass over X."""
        return regress(
            self.X, self.Y, self.ridge, weights=self.weights, tt=self.scatter, advice=ADVICE
        )

    def warn_if_any_label_fits(self, rank: int | None = None) -> None:
        """Warn if there is no ridge and the rank of X is near the number of rows."""
        if self.ridge == 0:
            scatter = None if is_dask_array(self.X) else lambda: total_scatter(self.X)
            rank = self.least_squares.solved[0].W.shape[0] if rank is None else rank
            warn_if_any_label_fits(self.X.shape[0], rank, scatter)

    @cached_property
    def label_mean(self) -> np.ndarray:
        """Mean of the labels, (q,)."""
        if is_dask_array(self.Y) or self.missing:
            return self.least_squares.t_mean
        if is_device(self.Y) and self.weights is None:
            return sums(self.Y, axis=0) / self.n_rows
        if self.weights is None:
            return np.asarray(self.Y.mean(axis=0), dtype=np.float64)
        return (self.weights @ self.Y) / sums(self.weights)

    @cached_property
    def labels_vary(self) -> bool:
        """Whether some label varies between rows; after centring, rounding could look like it."""
        if is_dask_array(self.Y) or self.missing:
            return not np.isin(to_host(self.label_mean), (0.0, 1.0)).all()
        if is_device(self.Y):
            xp = namespace(self.Y)
            return bool(xp.any(xp.max(self.Y, axis=0) != xp.min(self.Y, axis=0)))
        return bool((dense(self.Y.max(axis=0)) != dense(self.Y.min(axis=0))).any())

    @cached_property
    def label_scatter(self) -> np.ndarray:
        """Z'Z, (q, q)."""
        if is_dask_array(self.X) or (self.linear and self.pooled and self.scatter):
            tt = self.least_squares.tt
            assert tt is not None
            return tt
        check_square(
            self.n_labels, "The label scatter matrix", "Give an integer n_components, or use PLST."
        )
        empty = np.empty((self.Y.shape[0], 0))
        return Moments.of(empty, self.Y, self.weights, xx=False).tt

    def whole(self) -> Whole:
        """Read X once: xx on its smaller side, xt, and tt if the method needs it."""
        free = self.ridge == 0
        route = route_of(self.X, self.Y, self.weights, advice=ADVICE, ridge_free=free, thin=False)
        statistics = summarise(route.sample, tt=self.scatter)
        return Whole(statistics, route.lift, route.mean(statistics.x_mean))

    def level(self, mean: np.ndarray, coef: np.ndarray, offset: np.ndarray) -> np.ndarray:
        """Codes at the stored mean, from those (M,) at the exact mean."""
        return level_at(self.X, mean, coef, offset, self.weights)


def codes_first(n: int, D: int, q: int, sparse: bool) -> bool:
    """Whether a regression on all labels of rows in memory costs more than one on the codes."""
    return q > min(n, EXACT_SIDE) or (sparse and too_large(max(n, D), q))


@dataclass(frozen=True)
class PooledProblem:
    """The same from statistics of chunks, without rows; only the regression is available.

    Attributes
    ----------
    statistics : Moments or Triangle
        Of all rows.
    rest : ndarray of shape (D,)
        Mean of X minus the stored mean.
    ridge : float
        Ridge of the least squares.
    n_rows : int
        Number of rows n.
    """

    statistics: Any
    rest: np.ndarray
    ridge: float
    n_rows: int
    # Rows are no longer available, nor the device that they may have been on.
    X: ClassVar[None] = None
    pooled: ClassVar[bool] = True
    streamed: ClassVar[bool] = True
    # Available cases are in the statistics already.
    missing: ClassVar[bool] = False

    @property
    def n_labels(self) -> int:
        """Number of labels q."""
        return len(self.label_mean)

    @property
    def n_features(self) -> int:
        """Number of features D."""
        return len(self.rest)

    @property
    def weight(self) -> float:
        """Sum of the weights of the rows."""
        return float(self.statistics.weight)

    @cached_property
    def least_squares(self) -> Regression:
        """The regression of all labels on X."""
        return regress_pooled(self.statistics, self.ridge)

    @property
    def label_mean(self) -> np.ndarray:
        """Mean of the labels, (q,)."""
        return self.statistics.t_mean

    @property
    def labels_vary(self) -> bool:
        """Whether some label differs between rows."""
        return not np.isin(self.label_mean, (0.0, 1.0)).all()

    @property
    def label_scatter(self) -> np.ndarray:
        """Z'Z, (q, q)."""
        return self.statistics.tt

    @property
    def clipped(self) -> float:
        """Share of negative eigenvalues that were removed from the label scatter."""
        return self.least_squares.tt_clipped

    def warn_if_any_label_fits(self) -> None:
        """Warn if there is no ridge and the rank of X is near the number of rows."""
        if self.ridge == 0:
            scatter = self.statistics.squares
            rank = len(self.least_squares.solved[0].W)
            warn_if_any_label_fits(self.n_rows, rank, lambda: float(scatter.sum()))

    def whole(self) -> Whole:
        """The statistics themselves, because chunks are never reduced to their row space."""
        return Whole(self.statistics, lambda C: C, self.statistics.x_mean)

    def level(self, mean: np.ndarray, coef: np.ndarray, offset: np.ndarray) -> np.ndarray:
        """Codes at the stored mean, from those (M,) at the exact mean."""
        return offset - self.rest @ coef
