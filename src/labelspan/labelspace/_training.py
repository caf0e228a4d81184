"""What a label-space method learns from: rows, or the pooled statistics of chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from labelspan.arrays import (
    any_varies,
    dense,
    in_memory,
    is_dask_array,
    moved_to,
    precision_of,
    sums,
)
from labelspan.gate import Labels, check_size
from labelspan.linalg import (
    AUTO,
    Back,
    Regression,
    choose_ridge,
    energy_of_labels,
    regress,
    regress_pooled,
    route_of,
    too_large,
    warn_if_any_label_fits,
)
from labelspan.moments import Moments, level_at, summarise, total_scatter

# Up to here the small side of Y is decomposed exactly, and X'Y is formed for all labels.
EXACT_SIDE = 4000
# Advice for too many features: their scatter matrix does not fit.
ADVICE = "Pass a regressor that scales to this many features, or select features first."


class RowSpace(NamedTuple):
    """Statistics of the whole row space of X, the map `lift` to directions (D, k), the mean."""

    statistics: Any
    lift: Back
    mean: np.ndarray


@dataclass(frozen=True)
class TrainingRows:
    """Rows X (n, D) and labels Y (n, q), arrays or Dask arrays, with weights (n,) or None."""

    X: Any
    Y: Any
    weights: Any
    # Whether the label vector of every row is at hand: in memory, and without missing labels.
    complete: bool
    # Whether labels in memory are missing.
    missing: bool
    # Whether X is sparse.
    sparse: bool
    dtype: Any

    @classmethod
    def of(cls, X: Any, labels: Labels) -> TrainingRows:
        """The rows of a fit, after their validation."""
        return cls(
            X,
            labels.Y,
            labels.weights,
            complete=not (labels.missing or is_dask_array(labels.Y)),
            missing=labels.missing,
            sparse=sparse.issparse(X),
            dtype=precision_of(X),
        )

    @property
    def all_labels_first(self) -> bool:
        """Whether a regression on all labels costs no more than one on the codes, or is needed."""
        whole = self.complete and not is_dask_array(self.X)
        return not (whole and codes_first(*self.shape, self.sparse))

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of rows, features and labels."""
        return (*self.X.shape, self.Y.shape[1])

    @property
    def weight(self) -> float:
        """Sum of the weights of the rows, n without any."""
        return float(self.Y.shape[0] if self.weights is None else sums(self.weights))

    def ridge(self, ridge: float | str) -> float:
        """The ridge, or the one chosen for all labels."""
        if ridge != AUTO:
            return float(ridge)
        route = route_of(self.X, self.Y, self.weights, advice=ADVICE, few=True)
        statistics = summarise(route.sample)
        return choose_ridge(statistics, None, energy_of_labels(statistics))[1]

    def regress(self, ridge: float | str, *, targets: Any = None, tt: bool = False) -> Regression:
        """The regression of all labels, or of other targets, on X: one pass over the rows."""
        T, missing = (self.Y, self.missing) if targets is None else (targets, False)
        how = {"weights": self.weights, "tt": tt, "missing": missing}
        return regress(self.X, T, ridge, advice=ADVICE, **how)

    def row_space(self, ridge: float | str) -> RowSpace:
        """Statistics of X on its smaller side and of the labels: one pass over the rows."""
        given = self.X, self.Y, self.weights
        route = route_of(*given, advice=ADVICE, ridge_free=ridge == 0, thin=False)
        statistics = summarise(route.sample, tt=True)
        return RowSpace(statistics, route.lift, route.mean(statistics.x_mean))

    def label_mean(self, regression: Regression | None) -> np.ndarray:
        """Mean of the labels, (q,): of those that are observed."""
        if not self.complete:
            assert regression is not None
            return regression.t_mean
        if self.weights is None:
            return sums(self.Y, axis=0) / self.Y.shape[0]
        return (self.weights @ self.Y) / self.weight

    def labels_vary(self, label_mean: np.ndarray) -> bool:
        """Whether some label varies between rows; after centring, rounding could look like it."""
        return any_varies(self.Y) if self.complete else between_0_and_1(label_mean)

    def label_scatter(self, regression: Regression | None) -> np.ndarray:
        """Z'Z, (q, q); from the labels alone if no regression has it."""
        if regression is not None and regression.tt is not None:
            return regression.tt
        advice = "Give an integer n_components, or use PLST."
        check_size((self.Y.shape[1],) * 2, "The label scatter matrix", advice)
        return Moments.of(np.empty((self.Y.shape[0], 0)), self.Y, self.weights, xx=False).tt

    def labels_on_host(self) -> tuple[Any, Any]:
        """Labels and weights in the memory of the host, for solvers that run there."""
        return in_memory(self.Y), in_memory(self.weights)

    def warn_if_any_label_fits(self, regression: Regression) -> None:
        """Warn, without a ridge, if the rank of X is near the number of rows."""
        scatter = None if is_dask_array(self.X) else lambda: total_scatter(self.X)
        warn_if_any_label_fits(self.X.shape[0], regression.solved[0].W.shape[0], scatter)

    def codes_at_mean(self, mean: Any, coef: Any, codes: Any) -> np.ndarray:
        """Codes (M,) at the stored mean, from those at the exact mean."""
        return level_at(self.X, mean, coef, codes, self.weights)


@dataclass(frozen=True)
class TrainingSums:
    """The same from statistics of chunks; `rest` is the mean of X minus the stored mean, (D,)."""

    statistics: Any
    rest: np.ndarray
    n_rows: int
    dtype: Any
    X: ClassVar[None] = None
    complete: ClassVar[bool] = False
    # Available cases are in the statistics already.
    missing: ClassVar[bool] = False
    sparse: ClassVar[bool] = False
    all_labels_first: ClassVar[bool] = True

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of rows, features and labels."""
        return self.n_rows, self.rest.shape[0], self.statistics.t_mean.shape[0]

    @property
    def weight(self) -> float:
        """Sum of the weights of the rows."""
        return float(self.statistics.weight)

    def regress(self, ridge: float | str, *, tt: bool = False) -> Regression:
        """The regression of all labels on X; the statistics have `tt` if the method asks."""
        return regress_pooled(self.statistics, ridge)

    def row_space(self, ridge: float | str) -> RowSpace:
        """The statistics themselves, because chunks are never reduced to their row space."""
        return RowSpace(self.statistics, lambda C: C, self.statistics.x_mean)

    def label_mean(self, regression: Any) -> np.ndarray:
        """Mean of the labels, (q,)."""
        return self.statistics.t_mean

    def labels_vary(self, label_mean: np.ndarray) -> bool:
        """Whether some label varies between rows."""
        return between_0_and_1(label_mean)

    def label_scatter(self, regression: Any) -> np.ndarray:
        """Z'Z, (q, q)."""
        return self.statistics.tt

    def warn_if_any_label_fits(self, regression: Regression) -> None:
        """Warn, without a ridge, if the rank of X is near the number of rows."""
        rank, squares = regression.solved[0].W.shape[0], self.statistics.squares
        warn_if_any_label_fits(self.n_rows, rank, lambda: float(squares.sum()))

    def codes_at_mean(self, mean: Any, coef: Any, codes: Any) -> np.ndarray:
        """Codes (M,) at the stored mean, from those at the exact mean."""
        # A ridge is chosen, and its regression solved, on the host.
        return codes - moved_to(coef, self.rest) @ coef


Training = TrainingRows | TrainingSums


def codes_first(n: int, D: int, q: int, sparse: bool) -> bool:
    """Whether a regression on all labels of rows in memory costs more than one on the codes."""
    return q > min(n, EXACT_SIDE) or (sparse and too_large(max(n, D), q))


def between_0_and_1(label_mean: np.ndarray) -> bool:
    """Whether some label is neither in all rows nor in none."""
    return not np.isin(dense(label_mean), (0.0, 1.0)).all()
