"""Kernel values against the training rows, in blocks that respect a memory limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels

from labelspan.arrays import block_bytes, cast, copied, is_device, less, precision_of, rows_at, sums
from labelspan.kernels._on_device import gathered, kernel_values
from labelspan.moments import mean_of

KERNELS = frozenset(kernel_metrics())
# They depend only on x - y, or the centring of K removes the mean of X anyway.
SHIFTED = frozenset({"linear", "rbf", "laplacian"})
# Positive semi-definite for any rows; the others are checked.
DEFINITE = SHIFTED | {"cosine", "chi2"}
# Larger blocks leave the cache and are no faster. If scikit-learn's working_memory is smaller, it
# is the limit.
BLOCK_MEBIBYTES = 64
# A kernel function holds about three arrays of the size of its block.
ARRAYS_A_BLOCK = 3


@dataclass(frozen=True)
class KernelMap:
    """A kernel function and the rows it compares new rows with.

    Attributes
    ----------
    kernel : str or callable
        Name of a scikit-learn kernel, "precomputed", or a function of two rows.
    parameters : dict
        Keywords of the kernel.
    rows : ndarray or csr_array of shape (m, D), or None
        Training rows or landmarks, minus `shift`; None for precomputed kernels.
    columns : ndarray of shape (m,) or None
        Which columns of a precomputed kernel are the landmarks; None for all.
    shift : ndarray of shape (D,), float64, or None
        Mean of X, for kernels that do not depend on it. Subtracting it keeps differences of nearby
        rows accurate if the mean is large.
    """

    kernel: str | Callable[..., float]
    parameters: dict[str, Any]
    rows: Any
    columns: np.ndarray | None = None
    shift: np.ndarray | None = None

    def landmarks(self, chosen: np.ndarray) -> KernelMap:
        """The same kernel against some of the rows only."""
        if self.kernel == "precomputed":
            return replace(self, columns=chosen)
        return replace(self, rows=taken(self.rows, chosen))

    def astype(self, dtype: Any) -> KernelMap:
        """The same kernel with rows of another precision."""
        rows = None if self.rows is None else cast(self.rows, dtype)
        return replace(self, rows=rows)

    def values(self, X: Any) -> np.ndarray:
        """Kernel values (n, m) between the rows of X and the stored ones."""
        if is_device(X):
            return cast(self.on_device(X), precision_of(X))
        if self.kernel == "precomputed":
            K = X if self.columns is None else X[:, self.columns]
            return K.toarray() if sparse.issparse(K) else K
        # In float64, because a rounded shift would move every row relative to the stored ones.
        A = X if self.shift is None else (X - self.shift).astype(X.dtype, copy=False)
        return self.compare(A, self.rows.astype(X.dtype, copy=False))

    def on_device(self, X: Any) -> Any:
        """Kernel values of rows on a device, in float64."""
        if self.kernel == "precomputed":
            K = X if self.columns is None else taken(X.T, self.columns).T
            return cast(K, np.float64)
        A = cast(X, np.float64) if self.shift is None else less(X, self.shift)
        return self.compare(A, cast(self.rows, np.float64))

    def compare(self, A: Any, B: Any = None) -> np.ndarray:
        """Kernel values between rows that are already shifted; of A with itself if B is None."""
        if is_device(A):
            assert isinstance(self.kernel, str)
            K = kernel_values(self.kernel, self.parameters, A, A if B is None else B)
            total = float(sums(K))
        else:
            # Values that overflow are rejected below.
            with np.errstate(over="ignore", invalid="ignore"):
                given = {"metric": self.kernel, "filter_params": True, **self.parameters}
                K = pairwise_kernels(A, B, **given)
                K = K.toarray() if sparse.issparse(K) else np.asarray(K)
                total = K.sum(dtype=np.float64)
        if not np.isfinite(total):
            raise ValueError(
                f"The kernel {self.kernel!r} with {self.parameters} gave values that are not "
                "finite. Scale the features, or choose smaller kernel parameters."
            )
        return K

    def blocks(self, X: Any) -> Iterator[tuple[slice, np.ndarray]]:
        """Blocks of rows of X with their kernel values (block, m)."""
        width = self.n_columns(X)
        for rows in budget_blocks(X.shape[0], width, beside=X):
            yield rows, self.values(rows_at(X, rows))

    def n_columns(self, X: Any) -> int:
        """Number of rows that X is compared with."""
        if self.kernel != "precomputed":
            return int(self.rows.shape[0])
        return int(X.shape[1] if self.columns is None else len(self.columns))

    def diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) of training rows X (n, D), or of a precomputed training kernel."""
        if self.kernel == "precomputed":
            return np.diagonal(X).astype(np.float64)
        if self.kernel in ("rbf", "laplacian", "cosine", "chi2"):
            return np.ones(X.shape[0])
        A = X if self.shift is None else X - self.shift
        return np.concatenate([np.diagonal(self.compare(A[r])) for r in small_blocks(A.shape[0])])


def kernel_map(estimator: Any, X: Any) -> KernelMap:
    """The kernel named by the parameters of an estimator, against all rows of X, in float64."""
    kernel = estimator.kernel
    if callable(kernel):
        return KernelMap(kernel, dict(estimator.kernel_params or {}), owned(X))
    if kernel == "precomputed":
        return KernelMap(kernel, {}, None)
    gamma = estimator.gamma
    if gamma is None:
        # As in scikit-learn, where only chi2_kernel does not accept None.
        gamma = 1.0 if kernel == "chi2" else 1.0 / X.shape[1]
    parameters = {"gamma": gamma, "degree": estimator.degree, "coef0": estimator.coef0}
    if kernel in SHIFTED and is_device(X):
        shift = mean_of(X)
        return KernelMap(kernel, parameters, less(X, shift), shift=shift)
    if kernel in SHIFTED and not sparse.issparse(X):
        shift = X.mean(axis=0, dtype=np.float64)
        return KernelMap(kernel, parameters, np.subtract(X, shift, dtype=np.float64), shift=shift)
    return KernelMap(kernel, parameters, owned(X))


def is_definite(map_: KernelMap) -> bool:
    """Whether every Gram matrix is known to be positive semi-definite."""
    if map_.kernel in ("poly", "polynomial"):
        degree, coef0 = map_.parameters["degree"], map_.parameters["coef0"]
        return coef0 >= 0 and float(degree).is_integer()
    return not callable(map_.kernel) and map_.kernel in DEFINITE


def budget_blocks(n_rows: int, n_columns: int, *, beside: Any = None) -> Iterator[slice]:
    """Slices of rows whose kernel values stay within scikit-learn's working_memory.

    For rows on the device of `beside`, the limit is the free memory there.
    """
    budget = int(min(get_config()["working_memory"], BLOCK_MEBIBYTES) * 2**20)
    budget = block_bytes(beside) if is_device(beside) else budget
    height = max(budget // (8 * ARRAYS_A_BLOCK * n_columns), 1)
    return (slice(a, min(a + height, n_rows)) for a in range(0, n_rows, height))


def small_blocks(n_rows: int, height: int = 64) -> Iterator[slice]:
    """Slices of few rows, so that comparing all pairs costs little."""
    return (slice(a, min(a + height, n_rows)) for a in range(0, n_rows, height))


def owned(X: Any) -> Any:
    """A float64 copy, because a fitted model must not change with the caller's array."""
    return copied(cast(X, np.float64)) if is_device(X) else X.astype(np.float64)


def taken(rows: Any, chosen: np.ndarray) -> Any:
    """Some of the rows, by their indices."""
    return gathered(rows, chosen) if is_device(rows) else rows[chosen]
