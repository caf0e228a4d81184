"""What becomes of the rows before they are compared: columns divided, or rows of unit length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import cast, like, namespace


@dataclass(frozen=True)
class Scaling:
    """x / scale, or (x - low) / |x - low| if there is a `low`.

    Attributes
    ----------
    scale : ndarray of shape (D,)
        What the columns are divided by.
    low : ndarray of shape (D,) or None
        The smallest value of each column.
    """

    scale: np.ndarray
    low: np.ndarray | None = None

    def __call__(self, X: Any) -> Any:
        """The scaled rows, in float64."""
        return over(X, self.scale) if self.low is None else self.rows(X)

    def rows(self, X: Any) -> Any:
        """Rows whose columns are still to be divided: of unit length, or as they are."""
        return X if self.low is None else of_unit_length(X, self.low)


def over(X: Any, scale: np.ndarray) -> Any:
    """The columns divided by their scales, in float64; sparse rows stay sparse."""
    X = cast(X, np.float64)
    return X @ sparse.diags_array(1.0 / scale) if sparse.issparse(X) else X / like(X, scale)


def of_unit_length(X: Any, low: np.ndarray) -> Any:
    """(x - low) / |x - low| in float64; a row that is `low` becomes 0.

    Sparse rows stay sparse; a column whose smallest value is not 0 becomes full.
    """
    if sparse.issparse(X):
        Z = raised(sparse.csr_array(X, dtype=np.float64), low)
        lengths = np.sqrt(np.asarray((Z * Z).sum(axis=1)).ravel())
        return sparse.diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ Z
    xp = namespace(X)
    Z = cast(X, np.float64) - like(X, low)
    lengths = xp.linalg.vector_norm(Z, axis=1, keepdims=True)
    return Z / xp.where(lengths > 0, lengths, xp.ones_like(lengths))


def raised(X: sparse.csr_array, low: np.ndarray) -> sparse.csr_array:
    """X - low, whose columns stay sparse where `low` is 0."""
    full = np.flatnonzero(low)
    if not len(full):
        return X
    places = np.arange(len(full)), full
    into = sparse.csr_array((np.ones(len(full)), places), shape=(len(full), len(low)))
    rest = X @ sparse.diags_array((low == 0).astype(np.float64))
    return rest + sparse.csr_array(X[:, full].toarray() - low[full]) @ into
