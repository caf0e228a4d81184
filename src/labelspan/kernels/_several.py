"""Weights of several kernels, learnt together with the classifiers that share a subspace."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelspan.arrays import cast, precision_of, rows_at
from labelspan.kernels._gram import gram
from labelspan.kernels._map import KERNELS, KernelMap, budget_blocks, kernel_map
from labelspan.kernels._statistics import Dual, Induced, labels_about_mean

PARAMETERS = {"kernel", "gamma", "degree", "coef0", "kernel_params"}
ALLOWED = (
    "expected the name of a kernel, a function of two rows, or a dict with a 'kernel' and its "
    "gamma, degree, coef0 or kernel_params"
)
# The turns end when the objective falls by less than this share of the first, or after so many.
TOL = 1e-5
MAX_TURNS = 1000


@dataclass(frozen=True)
class WeightedMap:
    """The sum of kernels against the training rows, each times its factor."""

    maps: tuple[KernelMap, ...]
    factors: tuple[float, ...]

    def astype(self, dtype: Any) -> WeightedMap:
        """The same kernels with rows of another precision."""
        return replace(self, maps=tuple(one.astype(dtype) for one in self.maps))

    def blocks(self, X: Any) -> Iterator[tuple[slice, np.ndarray]]:
        """Blocks of rows of X with their kernel values (block, m)."""
        for rows in budget_blocks(X.shape[0], self.maps[0].n_columns(X)):
            A = rows_at(X, rows)
            parts = zip(self.maps, self.factors, strict=True)
            values = (factor * one.values(A) for one, factor in parts if factor > 0)
            yield rows, cast(sum(values), precision_of(X))


@dataclass(frozen=True)
class Several:
    """Centred kernels of the training rows, each of mean diagonal 1, and the centred labels.

    `means` (T, n) are those of the kernels before centring, `scales` what they were divided by.
    """

    maps: tuple[KernelMap, ...]
    matrices: list[np.ndarray]
    means: np.ndarray
    scales: np.ndarray
    labels: tuple[float, Any, Any]

    @classmethod
    def of(cls, estimator: Any, X: Any, Y: Any, weights: Any) -> Several:
        """The kernels that the parameter `kernel` of an estimator lists."""
        if estimator.n_landmarks is not None:
            raise ValueError(
                f"n_landmarks={estimator.n_landmarks} with several kernels; expected None. Pass "
                "one kernel, or fit a sample of the rows."
            )
        if not estimator.kernel:
            raise ValueError(f"kernel is empty; {ALLOWED}, one or more.")
        maps = tuple(kernel_map(named(estimator, item), X) for item in estimator.kernel)
        # In float64, as the objective of turns must not rise by rounding.
        grams = [gram(one, X, 0.0, weights) for one in maps]
        labels = labels_about_mean(Y, weights)
        traces = np.array([np.trace(one.K) for one in grams])
        scales = np.where(traces > 0, traces / labels[0], 1.0)
        matrices = [one.K for one in grams]
        for matrix, scale in zip(matrices, scales, strict=True):
            matrix /= scale
        means = np.array([one.mean for one in grams]) / scales[:, None]
        return cls(maps, matrices, means, scales, labels)

    def weighted(self, shares: np.ndarray) -> Dual:
        """Statistics of the weighted sum of the kernels."""
        K = np.zeros_like(self.matrices[0])
        for share, matrix in zip(shares, self.matrices, strict=True):
            K += share * matrix
        return Dual(*self.labels, K)

    def induced(self, shares: np.ndarray, weights: Any) -> Induced:
        """The training sample in the feature space of the weighted sum."""
        map_: Any = WeightedMap(self.maps, tuple(shares / self.scales))
        return Induced(map_, self.weighted(shares), shares @ self.means, weights=weights)

    def descend(
        self, solve: Callable[[Dual], Any], alpha: float, beta: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Shares (T,) of the kernels, and the objective (38) before each change of them.

        With W_t the part of the weights in the space of kernel t and L_t that of their shared
        part, (38) is the loss plus sum_t c_t / d_t with c_t = beta |W_t|^2 + alpha |W_t - L_t|^2;
        for given parts it is least at d_t ~ c_t^(1/2).
        """
        shares, objectives = np.full(len(self.maps), 1.0 / len(self.maps)), []
        while True:
            statistics = self.weighted(shares)
            found = solve(statistics)
            objectives.append(found.objective)
            fallen = np.inf if len(objectives) == 1 else objectives[-2] - objectives[-1]
            if fallen <= TOL * objectives[0]:
                return shares, np.array(objectives)
            if len(objectives) == MAX_TURNS:
                warn_of_turns(fallen / objectives[0])
                return shares, np.array(objectives)
            A, B = found.A, found.B
            rest = A - B @ (B.T @ (statistics.K @ A))
            costs = np.array(
                [
                    beta * np.sum(A * (K @ A)) + alpha * np.sum(rest * (K @ rest))
                    for K in self.matrices
                ]
            )
            size = shares * np.sqrt(np.maximum(costs, 0.0))
            if size.sum() <= 0:
                return shares, np.array(objectives)
            shares = size / size.sum()


def named(estimator: Any, item: Any) -> Any:
    """One kernel of a list, with the parameters of the estimator where it has none of its own."""
    own = item if isinstance(item, dict) else {"kernel": item}
    kernel = own.get("kernel")
    known = callable(kernel) or (isinstance(kernel, str) and kernel in KERNELS)
    if not known or not own.keys() <= PARAMETERS:
        raise ValueError(f"kernel has the item {item!r}; {ALLOWED}.")
    return SimpleNamespace(**{name: getattr(estimator, name) for name in PARAMETERS} | own)


def warn_of_turns(fallen: float) -> None:
    """Warn that the weights of the kernels still change."""
    warnings.warn(
        f"The weights of the kernels still lower the objective by {fallen:.1g} of the first per "
        f"turn after {MAX_TURNS} turns. Use fewer kernels, or larger penalties.",
        ConvergenceWarning,
        stacklevel=5,
    )
