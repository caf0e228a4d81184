"""Statistics of a kernel and the labels: dual, or those of Nystroem features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import cast, empty, is_device, like, namespace, rows_at, sums, to_host
from labelspan.kernels._gram import gram, refuse_asymmetric, solve, too_small
from labelspan.kernels._landmarks import Features, nystroem
from labelspan.kernels._map import KernelMap, budget_blocks, is_definite, kernel_map
from labelspan.linalg import Whitened, by_solution, times, whiten
from labelspan.moments import Moments, Sample, scaled

Pair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Dual:
    """Statistics of the rows in the feature space of a kernel, from inner products only.

    With Phi the centred features, a direction is Phi'c, and Q = Phi Phi' holds all that is needed.

    Attributes
    ----------
    weight : float
        Sum of the weights of the rows; their number if they have none.
    t_mean : ndarray of shape (q,)
        Mean of T.
    T : ndarray of shape (n, q)
        Centred T; as in Q, each row is multiplied by the square root of its weight.
    K : ndarray of shape (n, n) or None
        Q, if the method needs more than QT.
    KT : ndarray of shape (n, q) or None
        Q T, if the method needs nothing else.
    solver : callable or None
        Gives P = (Q + ridge I)^-1 T and Q P for a ridge, if models of a path share them.
    """

    weight: float
    t_mean: np.ndarray
    T: np.ndarray
    K: Any = None
    KT: Any = None
    solver: Callable[[float], Pair] | None = None

    def solve(self, a: float, b: float, label_factor: np.ndarray | None = None) -> Pair:
        """P = (a Q + b I)^-1 F and Q P for F = T times the factor; F = T if it is None."""
        if self.solver is None:
            return solve(self.K, a, b, times(self.T, label_factor))
        P, QP = self.solver(b / a)
        return times(P, label_factor) / a, times(QP, label_factor) / a

    def noise(self, a: float, b: float) -> float:
        """Rounding of F'QP relative to its largest eigenvalue, in units of eps.

        P is as large as F / b where Q vanishes. The error of a product with Q is eps times the
        largest eigenvalue of Q, which is at most the trace.
        """
        n_rows = float(self.T.shape[0])
        if a == 0 or too_small(b, a, self.K):
            return n_rows
        return max(n_rows, 10 * a * float(namespace(self.K).linalg.trace(self.K)) / b)

    @property
    def tt(self) -> np.ndarray:
        """Tc'Tc."""
        return self.T.T @ self.T


@whiten.register
def _(statistics: Dual, K: np.ndarray | None, a: float, b: float) -> Whitened:
    # With F = T K and P = (a Q + b I)^-1 F, the matrix F'QP = U m U' makes the coefficients
    # P U m^(-1/2) orthonormal for the metric a QQ + b Q.
    K = like(statistics.T, K)
    F = times(statistics.T, K)
    if a == 0:
        P, QP = F / b, times(statistics.KT, K) / b
    else:
        P, QP = statistics.solve(a, b, K)
    return by_solution(P, F.T @ QP, statistics.noise(a, b))


@dataclass(frozen=True)
class Induced:
    """The training sample in the feature space of a kernel.

    Attributes
    ----------
    map_ : KernelMap
        The kernel against the rows that new rows will be compared with.
    statistics : Dual or Moments
        Exact, or those of the Nystroem features.
    kernel_mean : ndarray of shape (n,) or None
        Mean of the kernel over the training rows; None for features.
    features : Features or None
        The Nystroem features.
    weights : ndarray of shape (n,) or None
        Weights of the rows.
    """

    map_: KernelMap
    statistics: Dual | Moments
    kernel_mean: np.ndarray | None = None
    features: Features | None = None
    weights: np.ndarray | None = None

    @property
    def row_weights(self) -> np.ndarray:
        """Weights of the rows that new rows are compared with, with 1 instead of 0."""
        w = np.ones(1) if self.weights is None or self.features is not None else self.weights
        w = to_host(w)
        return np.where(w > 0, w, 1.0)

    def lift(self, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (m, k) of kernel values, and offsets (k,), from those of the statistics.

        A projection is k(x)' coefficients - offset. The offset centres a new row, because exact
        coefficients sum to zero and features are centred.
        """
        if self.features is None:
            xp = namespace(C)
            if self.weights is None:
                C = C - xp.mean(C, axis=0)
            else:
                C = xp.sqrt(self.weights)[:, None] * C
                C -= (self.weights / sums(self.weights))[:, None] * xp.sum(C, axis=0)
            return C, self.kernel_mean @ C
        assert isinstance(self.statistics, Moments)
        # Coefficients from a solver on the host may meet features on a device.
        C = like(self.features.R, C)
        return self.features.R @ C, like(C, self.statistics.x_mean) @ C


def induce(
    estimator: Any,
    X: Any,
    T: Any,
    weights: np.ndarray | None,
    *,
    ridge: float | None,
    tt: bool = False,
) -> Induced:
    """The sample in the feature space of an estimator's kernel; models of a path share it.

    `ridge` is the smallest that will be added to the diagonal of Q; None if only Q T is needed,
    then Q is never stored. `tt`: whether Moments include the label scatter.
    """
    evaluate = vars(estimator).get("_shared_kernel", evaluated)
    return evaluate(estimator, X, T, weights, ridge=ridge, tt=tt)


def evaluated(
    estimator: Any,
    X: Any,
    T: Any,
    weights: np.ndarray | None,
    *,
    ridge: float | None,
    tt: bool = False,
) -> Induced:
    """Evaluate the kernel that an estimator names, and summarise it together with T.

    Exact: O(n^2 D) time and O(n^2) memory, O(n q) without a `ridge`. With m landmarks:
    O(n m (D + m)) and O(m^2), besides blocks within scikit-learn's ``working_memory``.
    """
    X = check_kernel_matrix(estimator, X)
    map_ = kernel_map(estimator, X)
    if estimator.n_landmarks is not None:
        features = nystroem(
            map_, X, estimator.n_landmarks, estimator.landmarks, estimator.random_state
        )
        moments = feature_moments(features, X, T, weights, xx=ridge is not None, tt=tt)
        return Induced(features.map_, moments, features=features, weights=weights)
    weight, t_mean, centred = labels_about_mean(T, weights)
    if ridge is not None:
        of_rows = gram(map_, X, ridge, weights)
        statistics = Dual(weight, t_mean, centred, of_rows.K)
        return Induced(map_, statistics, of_rows.mean, weights=weights)
    KT, mean = products(map_, X, centred, weights)
    return Induced(map_, Dual(weight, t_mean, centred, KT=KT), mean, weights=weights)


def labels_about_mean(T: Any, weights: Any) -> tuple[float, Any, Any]:
    """Sum of the weights, mean of the labels, and T of :class:`Dual`."""
    if is_device(T):
        xp = namespace(T)
        if weights is None:
            t_mean = xp.mean(T, axis=0)
            return float(T.shape[0]), t_mean, T - t_mean
        t_mean = (weights @ T) / sums(weights)
        return float(sums(weights)), t_mean, (T - t_mean) * xp.sqrt(weights)[:, None]
    dense = T.toarray() if sparse.issparse(T) else np.asarray(T, dtype=np.float64)
    t_mean = np.average(dense, axis=0, weights=weights)
    centred = dense - t_mean
    if weights is None:
        return float(len(dense)), t_mean, centred
    return float(weights.sum()), t_mean, scaled(centred, np.sqrt(weights))


def check_kernel_matrix(estimator: Any, X: Any) -> Any:
    """Check that a precomputed kernel is dense, square and symmetric; other X are unchanged."""
    if estimator.kernel != "precomputed":
        return X
    X = X.toarray() if sparse.issparse(X) else X
    refuse_asymmetric(X, "The precomputed kernel")
    return X


def products(
    map_: KernelMap, X: Any, T: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Q T for T of :class:`Dual`, and the mean of the kernel, by blocks: Q is never stored."""
    if not is_definite(map_):
        # Checking a kernel requires all of it at once.
        of_rows = gram(map_, X, weights=weights)
        return of_rows.K @ T, of_rows.mean
    n_rows = X.shape[0]
    if is_device(X):
        return products_on_device(map_, X, T, weights)
    root = None if weights is None else np.sqrt(weights)
    shares = np.full(n_rows, 1.0 / n_rows) if weights is None else weights / weights.sum()
    both = np.hstack([scaled(T, root), shares[:, None]])
    out = np.empty(both.shape)
    for rows, K in map_.blocks(X):
        np.matmul(K, both, out=out[rows])
    KT = out[:, :-1]
    return scaled(KT - np.average(KT, axis=0, weights=weights), root), out[:, -1]


def products_on_device(map_: KernelMap, X: Any, T: Any, weights: Any) -> tuple[Any, Any]:
    """The same on the device of X."""
    xp = namespace(T)
    n_rows = T.shape[0]
    shares = xp.ones(n_rows, dtype=xp.float64, device=T.device) / n_rows
    root = None if weights is None else xp.sqrt(weights)[:, None]
    shares = shares if weights is None else weights / sums(weights)
    both = xp.concat([T if root is None else T * root, shares[:, None]], axis=1)
    out = empty(T, both.shape, np.float64)
    for rows in budget_blocks(n_rows, map_.n_columns(X), beside=X):
        out[rows, :] = map_.on_device(rows_at(X, rows)) @ both
    KT = out[:, :-1] - shares @ out[:, :-1]
    return KT if root is None else KT * root, out[:, -1]


def feature_moments(
    features: Features,
    X: Any,
    T: Any,
    weights: np.ndarray | None = None,
    *,
    xx: bool,
    tt: bool,
) -> Moments:
    """Moments of the Nystroem features and T, block by block."""
    sample = Sample(X, T, weights=weights)
    of_block: Any = partial(Moments.of, xx=xx, tt=tt)
    parts = (
        of_block(cast(K, np.float64) @ features.R, *sample.at(rows)[1:])
        for rows, K in features.map_.blocks(X)
    )
    return reduce(add, parts)
