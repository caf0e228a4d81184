"""The same statistics from QR factors, for ill-conditioned X without a ridge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import folded, is_device, namespace, triangle
from labelspan.moments._moments import centred, scaled
from labelspan.moments._on_device import Block


@dataclass(frozen=True)
class Root:
    """Triangular factor R of the centred sample diag(w)^(1/2) [Xc Tc]; two add up with ``+``.

    A Gram matrix squares the condition number; at cond(X) = 1e8 it loses every digit of the
    smallest direction. R keeps them: R'R is the scatter that :class:`Moments` holds. It is
    trapezoidal while there are fewer rows than columns.
    """

    weight: float
    x_mean: np.ndarray
    t_mean: np.ndarray
    R: np.ndarray

    @classmethod
    def of(cls, X: Any, T: Any, weights: np.ndarray | None = None) -> Root:
        """Root of one block; a sparse block is made dense, so keep blocks of rows small."""
        if is_device(X):
            block = Block.of(X, T, weights)
            both = namespace(block.A).concat([block.centred(), block.T], axis=1)
            return cls(block.weight, block.shift + block.offset, block.t_mean, triangle(both))
        w = np.ones(X.shape[0]) if weights is None else weights
        (X, x_mean), (T, t_mean) = centred(dense(X), w), centred(dense(T), w)
        rows = scaled(np.hstack([X, T]), None if weights is None else np.sqrt(w))
        return cls(float(w.sum()), x_mean, t_mean, triangle(rows))

    def __add__(self, other: Root) -> Root:
        weight = self.weight + other.weight
        if weight == 0:
            return self
        share = other.weight / weight
        dx, dt = other.x_mean - self.x_mean, other.t_mean - self.t_mean
        # As in IncrementalPCA: one more row carries the difference of the means.
        if is_device(self.R):
            xp = namespace(self.R)
            row = float(np.sqrt(self.weight * share)) * xp.concat([dx, dt])[None, :]
            R = triangle(xp.concat([self.R, other.R, row], axis=0))
            return Root(weight, self.x_mean + share * dx, self.t_mean + share * dt, R)
        between = np.sqrt(self.weight * share) * np.concatenate([dx, dt])
        tall, short = (self.R, other.R) if len(self.R) >= len(other.R) else (other.R, self.R)
        if len(tall) == tall.shape[1]:
            R = folded(tall, np.vstack([between, short]), len(short))
        else:
            R = triangle(np.vstack([tall, short, between]))
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


def dense(A: Any) -> np.ndarray:
    """A float64 array."""
    return np.asarray(A.toarray() if sparse.issparse(A) else A, dtype=np.float64)
