"""Ridge regression without each row in turn: exact, for every ridge, from one decomposition.

With centred, weighted rows W^(1/2) Xc = U diag(d) V', eigenvalues s = d^2, coordinates P = Xc V of
the rows and C = P'W Tc, the fit of all rows is t_mean + P (s + ridge)^-1 C, and the leverage of row
i is

    H_i = w_i (1 / sum(w) + sum_j P_ij^2 / (s_j + ridge)).

Its score by the fit without it, intercept included, is T_i - (T_i - fitted_i) / (1 - H_i). For
kernels and landmarks X is replaced by their features; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from labelspan.arrays import cast, eigh, empty, like, namespace, rows_at, sums
from labelspan.kernels import KernelMap, gram, kernel_spectrum
from labelspan.linalg import NULL, outliers, rank, spectral
from labelspan.moments import Moments, project
from labelspan.ridge_cv._scaling import Scaling

# The residual of a row whose leverage is 1 is rounding, and so is its quotient.
LEAST = 1e3 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Ridges:
    """The ridge regressions of one sample, in coordinates in which its scatter is diagonal.

    `values` are its eigenvalues s, `cross` the matrix C of this module, `weight` the sum of the
    weights, or the number of rows. Values up to `null` of the largest may be rounding.
    """

    values: np.ndarray
    cross: np.ndarray
    t_mean: np.ndarray
    weight: float
    null: float = NULL

    def coefficients(self, ridge: float) -> np.ndarray:
        """Weights (r, q) of the coordinates."""
        return self.cross / (self.values + ridge)[:, None]

    def left_out(
        self,
        P: np.ndarray,
        squares: np.ndarray,
        T: np.ndarray,
        weights: np.ndarray | None,
        ridge: float,
    ) -> np.ndarray:
        """Scores (m, q) of training rows with coordinates P, each by the fit of all the others.

        `squares` are those of P, which serve all ridges.
        """
        leverage = 1.0 / self.weight + squares @ (1.0 / (self.values + ridge))
        if weights is not None:
            leverage = leverage * weights
        residuals = T - self.t_mean - P @ self.coefficients(ridge)
        return T - residuals / namespace(T).clip(1.0 - leverage, LEAST, None)[:, None]


@dataclass(frozen=True)
class Linear:
    """A model ``(x - mean) @ W + level``."""

    W: np.ndarray
    mean: np.ndarray
    level: np.ndarray


@dataclass(frozen=True)
class InKernel:
    """A model ``k(x) @ dual + offset`` of rows whose columns are divided by a scale."""

    map_: KernelMap
    dual: np.ndarray
    offset: np.ndarray


class Space(Protocol):
    """A sample in a feature space, decomposed."""

    @property
    def values(self) -> np.ndarray:
        """Eigenvalues of the scatter."""

    @property
    def null(self) -> float:
        """Share of the largest of them up to which they may be rounding."""

    def left_out(
        self, X: Any, at: Any, T: np.ndarray, weights: np.ndarray | None
    ) -> Callable[[float], np.ndarray]:
        """Left-out scores (m, q) of the training rows `at`, for each ridge."""

    def all_left_out(
        self, X: Any, T: np.ndarray, weights: np.ndarray | None, ridge: float
    ) -> np.ndarray:
        """Left-out scores (n, q) of all rows of a block."""

    def model(self, ridge: float) -> Linear | InKernel:
        """The regression in terms of new rows."""


class Decomposed:
    """A space in which one decomposition serves all labels."""

    ridges: Ridges

    def coordinates(self, X: Any, at: Any) -> np.ndarray:
        """Coordinates (m, r) of the training rows `at`."""
        raise NotImplementedError

    @property
    def values(self) -> np.ndarray:
        """Eigenvalues of the scatter."""
        return self.ridges.values

    @property
    def null(self) -> float:
        """Share of the largest of them up to which they may be rounding."""
        return self.ridges.null

    def left_out(
        self, X: Any, at: Any, T: np.ndarray, weights: np.ndarray | None
    ) -> Callable[[float], np.ndarray]:
        """Left-out scores (m, q) of the training rows `at`, for each ridge."""
        P = self.coordinates(X, at)
        return partial(self.ridges.left_out, P, P**2, T, weights)

    def all_left_out(
        self, X: Any, T: np.ndarray, weights: np.ndarray | None, ridge: float
    ) -> np.ndarray:
        """Left-out scores (n, q) of all rows of a block, by smaller blocks."""
        L = empty(T, T.shape, np.float64)
        for at in blocks_of_rows(T.shape[0]):
            w = None if weights is None else weights[at]
            L[at, :] = self.left_out(X, at, T[at, :], w)(ridge)
        return L


@dataclass(frozen=True)
class Features(Decomposed):
    """The space of the scaled columns, from sums over the rows: V (D, r) includes the scale.

    `mean` is that of the rows whose columns are still to be divided.
    """

    ridges: Ridges
    V: np.ndarray
    mean: np.ndarray
    scaling: Scaling

    @classmethod
    def of(cls, moments: Moments, scaling: Scaling) -> Features:
        """Decompose the scatter of the columns divided by their scales; O(D^3)."""
        if outliers(moments.squares / scaling.scale**2):
            return cls.of_far(moments, scaling)
        scale = like(moments.xx, scaling.scale)[:, None]
        values, V = eigh(moments.xx / (scale * scale.T), overwrite=True)
        V = V / scale
        s = like(V, np.maximum(values, 0.0))
        ridges = Ridges(s, V.T @ moments.xt, moments.t_mean, moments.weight)
        return cls(ridges, V, moments.x_mean, scaling)

    @classmethod
    def of_far(cls, moments: Moments, scaling: Scaling) -> Features:
        """The same where some columns are so long that their rounding would hide the others."""
        scale = like(moments.xx, scaling.scale)[:, None]
        divided = replace(moments, xx=moments.xx / (scale * scale.T), xt=moments.xt / scale)
        form = spectral(divided)
        cross = like(form.UT, form.s)[:, None] * form.UT
        ridges = Ridges(form.s**2, cross, moments.t_mean, moments.weight, form.null)
        return cls(ridges, like(scale, form.V) / scale, moments.x_mean, scaling)

    def coordinates(self, X: Any, at: Any) -> np.ndarray:
        """Coordinates (m, r) of the training rows `at`."""
        rows = self.scaling.rows(rows_at(X, at))
        return project(cast(rows, np.float64), self.mean, self.V.T)

    def model(self, ridge: float) -> Linear:
        """The regression in terms of new rows."""
        return Linear(self.V @ self.ridges.coefficients(ridge), self.mean, self.ridges.t_mean)


@dataclass(frozen=True)
class Kernel(Decomposed):
    """The space of a kernel on the training rows, from all their inner products.

    If the kernel is linear, so is the model.
    """

    ridges: Ridges
    U: np.ndarray
    roots: np.ndarray
    map_: KernelMap
    k_mean: np.ndarray
    UT: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(
        cls,
        map_: KernelMap,
        X: Any,
        T: np.ndarray,
        weights: np.ndarray | None,
        scale: np.ndarray,
    ) -> Kernel:
        """Decompose the centred kernel of scaled rows X; O(n^3)."""
        xp = namespace(T)
        of_rows = gram(map_, X, weights=weights)
        form = kernel_spectrum(of_rows, T, weights)
        w = xp.ones_like(T[:, 0]) if weights is None else weights
        total = float(sums(w))
        ridges = Ridges(form.s, xp.sqrt(form.s)[:, None] * form.UT, (w @ T) / total, total)
        roots = xp.sqrt(w)
        # The constant is in the null space, of which rounding makes eigenvalues above 0.
        U = form.U - roots[:, None] * ((roots @ form.U) / total)[None, :]
        return cls(ridges, U, roots, map_, of_rows.mean, form.UT, scale)

    def left_out(
        self, X: Any, at: Any, T: np.ndarray, weights: np.ndarray | None
    ) -> Callable[[float], np.ndarray]:
        """Left-out scores (m, q) of the training rows `at`, for each ridge.

        The residuals are ridge U (s + ridge)^-1 U'T, and 1 - H_i is ridge sum_j U_ij^2 / (s_j +
        ridge): a sum of positive numbers, accurate for tiny ridges, too.
        """
        U, roots = rows_at(self.U, at), rows_at(self.roots, at)
        squares = U**2

        def of(ridge: float) -> np.ndarray:
            shrunk = ridge / (self.ridges.values + ridge)
            rest = namespace(U).clip(squares @ shrunk, LEAST * float(shrunk[-1]), None)
            return T - (U @ (self.UT * shrunk[:, None])) / (roots * rest)[:, None]

        return of

    def model(self, ridge: float) -> Linear | InKernel:
        """The regression in terms of new rows."""
        dual = self.roots[:, None] * (self.U @ (self.UT / (self.ridges.values + ridge)[:, None]))
        if self.map_.kernel == "linear":
            # Columns of `dual` add up to 0, so the rows need not be centred.
            scale, w = like(dual, self.scale), self.roots**2
            mean = (w @ self.map_.rows) / sums(w)
            mean = mean if self.map_.shift is None else mean + self.map_.shift
            W = (self.map_.rows.T @ dual) / scale[:, None]
            return Linear(W, mean * scale, self.ridges.t_mean)
        return InKernel(self.map_, dual, self.ridges.t_mean - self.k_mean @ dual)


@dataclass(frozen=True)
class Landmarks(Decomposed):
    """The space that some rows span: features Z = k(X, landmarks) R, with their scatter."""

    ridges: Ridges
    space: Features
    Z: np.ndarray
    R: np.ndarray
    map_: KernelMap
    chosen: np.ndarray

    @classmethod
    def of(
        cls, map_: KernelMap, chosen: np.ndarray, T: np.ndarray, weights: np.ndarray | None
    ) -> Landmarks:
        """Decompose the kernel of m landmarks and the scatter of its features; O(n m^2 + m^3)."""
        some, blocks = map_.landmarks(chosen), blocks_of_rows(T.shape[0])
        values, vectors = eigh(some.compare(some.rows), overwrite=True)
        r = rank(values, len(values))
        R = vectors[:, :r] / like(vectors, np.sqrt(values[:r]))
        K = [some.compare(rows_at(map_.rows, at), some.rows) @ R for at in blocks]
        Z = namespace(R).concat(K)
        moments = Moments.of(Z, T, weights, tt=False)
        scaling = Scaling(np.ones(Z.shape[1]))
        space = Features.of(moments, scaling)
        return cls(space.ridges, space, Z, R, some, chosen)

    def coordinates(self, X: Any, at: Any) -> np.ndarray:
        """Coordinates (m, r) of the training rows `at`."""
        return self.space.coordinates(self.Z, at)

    def model(self, ridge: float) -> InKernel:
        """The regression in terms of new rows."""
        found = self.space.model(ridge)
        return InKernel(self.map_, self.R @ found.W, found.level - found.mean @ found.W)


def blocks_of_rows(n_rows: int, height: int = 4096) -> list[slice]:
    """Slices of rows whose coordinates are formed at a time."""
    return [slice(start, min(start + height, n_rows)) for start in range(0, n_rows, height)]
