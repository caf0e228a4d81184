"""Statistics of a kernel and the labels: dual, or those of Nystroem features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from operator import add
from typing import Any

import numpy as np

from labelspan.arrays import cast, dense, densified, empty, like, namespace, sums
from labelspan.kernels._gram import gram, refuse_asymmetric, solve, too_small
from labelspan.kernels._landmarks import Features, nystroem
from labelspan.kernels._map import KernelMap, is_definite, kernel_map
from labelspan.kernels._spectrum import KernelSpectrum, decomposed
from labelspan.linalg import Spectra, Whitened, by_solution, spectra, spectra_of, times, whiten
from labelspan.moments import Moments, Sample

Pair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Dual:
    """Statistics of the rows in the feature space of a kernel, from inner products only.

    With Phi the centred features, a direction is Phi'c, and Q = Phi Phi' holds all that is needed:
    K is Q, or KT is Q T if that suffices. Rows of T and Q are multiplied by roots of their weights.
    A `solver` gives P = (Q + ridge I)^-1 T and Q P for a ridge that models of a path share.
    """

    weight: float
    t_mean: np.ndarray
    T: np.ndarray
    K: Any = None
    KT: Any = None
    solver: Callable[[float], Pair] | None = None

    def solve(self, a: float, b: float, K: Any = None) -> tuple[Any, Any, float]:
        """P = (a Q + b I)^-1 F and Q P for F = T K, and the rounding of F'QP in units of eps.

        P is as large as F / b where Q vanishes, and the error of a product with Q is eps times the
        largest eigenvalue of Q, which is at most the trace.
        """
        if self.solver is None:
            P, QP = solve(self.K, a, b, self.T if K is None else self.T @ K)
        else:
            P, QP = self.solver(b / a)
            P, QP = (times(A, K) / a for A in (P, QP))
        n_rows, trace = float(self.T.shape[0]), float(namespace(self.K).linalg.trace(self.K))
        # Without a ridge above rounding, the null space was left out.
        tiny = too_small(b, a, self.K)
        return P, QP, n_rows if tiny else max(n_rows, 10 * a * trace / b)

    @property
    def tt(self) -> np.ndarray:
        """Tc'Tc."""
        return self.T.T @ self.T

    @cached_property
    def spectrum(self) -> KernelSpectrum:
        """The eigenvectors of K, for the choice of a ridge."""
        return decomposed(self.K, self.T)


@spectra.register
def _(statistics: Dual) -> tuple[Dual, Spectra]:
    # Q has the eigenvalues of the scatter of the features, and U'T is the same in both.
    form = statistics.spectrum
    solved = replace(statistics, solver=form.solve)
    descending = dense(form.s)[::-1], namespace(form.UT).flip(form.UT, axis=0)
    return solved, spectra_of(*descending, statistics.weight)


@whiten.register
def _(statistics: Dual, K: np.ndarray | None, a: float, b: float) -> Whitened:
    # With F = T K and P = (a Q + b I)^-1 F, the matrix F'QP = U m U' makes the coefficients
    # P U m^(-1/2) orthonormal for the metric a QQ + b Q.
    K = like(statistics.T, K)
    F = times(statistics.T, K)
    if a == 0:
        return by_solution(F / b, F.T @ (times(statistics.KT, K) / b), float(F.shape[0]))
    P, QP, noise = statistics.solve(a, b, K)
    return by_solution(P, F.T @ QP, noise)


@dataclass(frozen=True)
class Induced:
    """The training sample in the feature space of a kernel: exact, or on Nystroem `features`.

    `kernel_mean` (n,) is that of the kernel over the training rows; None for features.
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
        w = dense(w)
        return np.where(w > 0, w, 1.0)

    def lift(self, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Centred coefficients (m, k) and offsets (k,): k(x)' coefficients - offset."""
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
    then Q is never stored. `tt`: whether Moments include the label scatter. Exact: O(n^2 D) time.
    With m landmarks: O(n m (D + m)) and O(m^2), besides blocks within ``working_memory``.
    """
    shared = vars(estimator).get("_shared_kernel")
    if shared is not None:
        return shared(X, T, weights, ridge=ridge, tt=tt)
    if estimator.kernel == "precomputed":
        X = check_kernel_matrix(X)
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
    T = cast(densified(T), np.float64)
    if weights is None:
        t_mean = sums(T, axis=0) / T.shape[0]
        return float(T.shape[0]), t_mean, T - t_mean
    total = sums(weights)
    t_mean = (weights @ T) / total
    return float(total), t_mean, (T - t_mean) * namespace(T).sqrt(weights)[:, None]


def check_kernel_matrix(X: Any) -> Any:
    """A precomputed kernel, dense; refused unless it is square and symmetric."""
    X = densified(X)
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
    xp, n_rows = namespace(T), T.shape[0]
    if weights is None:
        root, shares = 1.0, like(T, np.full(n_rows, 1.0 / n_rows))
    else:
        root, shares = xp.sqrt(weights)[:, None], weights / sums(weights)
    both = xp.concat([T * root, shares[:, None]], axis=1)
    out = empty(T, both.shape, np.float64)
    for rows, K in map_.blocks(X):
        out[rows, :] = cast(K, np.float64) @ both
    KT = out[:, :-1]
    return (KT - shares @ KT) * root, out[:, -1]


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
