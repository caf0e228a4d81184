"""The same statistics from QR factors, for ill-conditioned X without a ridge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelspan.arrays import doubles, folded, like, namespace, sums, triangle
from labelspan.moments._moments import centred, scaled


@dataclass(frozen=True)
class Root:
    """Triangular factor R of the centred sample diag(w)^(1/2) [Xc Tc]; two add up with ``+``.

    R'R is the scatter that :class:`Moments` holds, which at cond(X) = 1e8 loses every digit of the
    smallest direction; R keeps them. It is trapezoidal while there are fewer rows than columns.
    """

    weight: float
    x_mean: np.ndarray
    t_mean: np.ndarray
    R: np.ndarray
    share: float = 1.0

    @classmethod
    def of(cls, X: Any, T: Any, weights: np.ndarray | None = None) -> Root:
        """Root of one block; a sparse block is made dense, so keep blocks of rows small."""
        X = doubles(like(T, X))
        T, w = doubles(like(X, T)), like(X, np.ones(X.shape[0]) if weights is None else weights)
        (X, x_mean), (T, t_mean) = centred(X, w), centred(T, w)
        xp = namespace(X)
        rows = xp.concat([X, T], axis=1)
        if weights is not None:
            rows = scaled(rows, xp.sqrt(w))
        return cls(float(sums(w)), x_mean, t_mean, triangle(rows))

    def __add__(self, other: Root) -> Root:
        weight = self.weight + other.weight
        if weight == 0:
            return self
        share, xp = other.weight / weight, namespace(self.R)
        dx, dt = other.x_mean - self.x_mean, other.t_mean - self.t_mean
        # As in IncrementalPCA: one more row carries the difference of the means.
        between = float(np.sqrt(self.weight * share)) * xp.concat([dx, dt])[None, :]
        tall, short = self.R, other.R
        if tall.shape[0] < short.shape[0]:
            tall, short = short, tall
        if tall.shape[0] == tall.shape[1]:
            R = folded(tall, xp.concat([between, short], axis=0), short.shape[0])
        else:
            R = triangle(xp.concat([tall, short, between], axis=0))
        return Root(weight, self.x_mean + share * dx, self.t_mean + share * dt, R)

    def signed(self) -> Root:
        """Root with the labels 2 T - 1 in place of T: {-1, +1} from {0, 1}."""
        R = self.R.copy()
        R[:, len(self.x_mean) :] *= 2.0
        return replace(self, t_mean=2.0 * self.t_mean - 1.0, R=R)

    def moved(self, by: np.ndarray) -> Root:
        """Statistics of X + by, for a row (D,)."""
        return replace(self, x_mean=self.x_mean + by)

    def about_zero(self) -> Root:
        """Factor of [X T] itself, with means of zero."""
        zeros = np.zeros_like(self.x_mean), np.zeros_like(self.t_mean)
        row = np.sqrt(self.weight) * np.concatenate([self.x_mean, self.t_mean])
        return Root(self.weight, *zeros, triangle(np.vstack([self.R, row])))

    @property
    def Rx(self) -> np.ndarray:
        """Columns of R that belong to X, without the zero rows below: Rx'Rx = xx."""
        n_features = len(self.x_mean)
        return self.R[:n_features, :n_features]

    @property
    def Rt(self) -> np.ndarray:
        """Columns of R that belong to T, on the rows of `Rx`: Rx'Rt = xt."""
        n_features = len(self.x_mean)
        return self.R[:n_features, n_features:]

    def along(self, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P'xx P (k, k) and P'xt (k, q) for directions P (D, k)."""
        Z = self.Rx @ P
        return Z.T @ Z, Z.T @ self.Rt

    @property
    def squares(self) -> np.ndarray:
        """Diagonal of xx: the squared lengths of the centred columns."""
        return np.einsum("ij,ij->j", self.Rx, self.Rx)

    @property
    def kind(self) -> tuple[str]:
        """The kind of statistics; only those of one kind can be added."""
        return ("root",)

    @property
    def tt(self) -> np.ndarray:
        """Tc'Tc."""
        T = self.R[:, len(self.x_mean) :]
        return T.T @ T
