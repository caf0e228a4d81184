"""The sample itself, for solvers that only multiply with a wide sparse X."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from labelspan.arrays import doubles
from labelspan.gate import NoDirectionError
from labelspan.moments._moments import anchored
from labelspan.moments._sparse import times_block


class CentredRows(LinearOperator):
    """diag(sqrt(w)) (X - 1 mean') as an operator; X stays sparse.

    Centring is a projection: with e the unit vector along sqrt(w), it is (I - e e') diag(sqrt(w))
    X, so the correction costs n numbers. Columns without any entry are left out of the products.
    """

    def __init__(
        self, X: sparse.csr_array, weights: np.ndarray | None = None, *, centre: bool = True
    ):
        super().__init__(np.float64, X.shape)
        root = np.ones(X.shape[0]) if weights is None else np.sqrt(weights)
        # Without centring there is no direction to project out.
        self._unit = root / np.linalg.norm(root) * centre
        self._active = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
        rows = X.astype(np.float64)
        if weights is not None:
            rows = sparse.diags_array(root).tocsr() @ rows
        self._rows = small_indices(rows[:, self._active])
        # Both orientations as CSR: gathering is twice as fast as scattering.
        self._columns = small_indices(self._rows.T.tocsr())

    def _matmat(self, V: np.ndarray) -> np.ndarray:
        return self.project(times_block(self._rows, V[self._active]))

    def _rmatmat(self, W: np.ndarray) -> np.ndarray:
        V = np.zeros((self.shape[1], W.shape[1]))
        V[self._active] = times_block(self._columns, self.project(W))
        return V

    def _matvec(self, v: np.ndarray) -> np.ndarray:
        return self._matmat(v.reshape(-1, 1))[:, 0]

    def _rmatvec(self, w: np.ndarray) -> np.ndarray:
        return self._rmatmat(w.reshape(-1, 1))[:, 0]

    def gram(self, W: np.ndarray) -> np.ndarray:
        """Xc Xc' W, (n, k), without leaving the active columns."""
        return self.project(times_block(self._rows, times_block(self._columns, self.project(W))))

    @cached_property
    def squares(self) -> np.ndarray:
        """Diagonal of xx: the squared lengths of the centred columns, (D,)."""
        total = np.bincount(self._rows.indices, self._rows.data**2, minlength=len(self._active))
        squares = np.zeros(self.shape[1])
        squares[self._active] = np.maximum(total - (self._unit @ self._rows) ** 2, 0.0)
        return squares

    def project(self, W: np.ndarray) -> np.ndarray:
        """(I - e e') W: subtract the weighted mean from the rows."""
        return W - np.outer(self._unit, self._unit @ W)


@dataclass(frozen=True)
class Rows:
    """Means and label scatter as arrays, xx as ``operator' operator``, and T = diag(sqrt(w)) Tc."""

    weight: float
    x_mean: np.ndarray
    t_mean: np.ndarray
    operator: CentredRows
    T: np.ndarray
    tt: np.ndarray
    tt_clipped: float = 0.0
    share: float = 1.0

    def along(self, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P'xx P (k, k) and P'xt (k, q) for directions P (D, k)."""
        Z = self.operator.matmat(P)
        return Z.T @ Z, Z.T @ self.T

    @property
    def squares(self) -> np.ndarray:
        """Diagonal of xx: the squared lengths of the centred columns."""
        return self.operator.squares

    @classmethod
    def of(cls, X: Any, T: Any, weights: np.ndarray | None = None, *, centre: bool = True) -> Rows:
        """Rows of a sparse sample that is in memory; without `centre` the means are zero."""
        w = np.ones(X.shape[0]) if weights is None else weights
        if X.nnz == 0 or not w.any():
            raise NoDirectionError()
        # Shifting a column without zeros changes no result and removes the rounding of its mean.
        X, shift = anchored(X) if centre else (X, np.zeros(X.shape[1]))
        operator = CentredRows(X, weights, centre=centre)
        T = doubles(T)
        centred = operator.project(np.sqrt(w)[:, None] * T)
        total = float(w.sum())
        x_mean, t_mean = centre * (w @ X) / total, centre * (w @ T) / total
        return cls(total, shift + x_mean, t_mean, operator, centred, centred.T @ centred)


def small_indices(A: sparse.csr_array) -> sparse.csr_array:
    """The same matrix with 32-bit indices if they suffice, which needs less memory traffic."""
    if max(*A.shape, A.nnz) < np.iinfo(np.int32).max:
        A.indices = A.indices.astype(np.int32, copy=False)
        A.indptr = A.indptr.astype(np.int32, copy=False)
    return A
