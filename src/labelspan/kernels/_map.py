"""Kernel values against the training rows, in blocks that respect a memory limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels

from labelspan.arrays import (
    block_bytes,
    cast,
    copied,
    densified,
    is_device,
    like,
    namespace,
    precision_of,
    rows_at,
    sums,
    unit_rows,
)
from labelspan.registry import ON_HOST

KERNELS = frozenset(kernel_metrics())
# Kernels for which X may be centred first: functions of x - y, and the linear kernel.
SHIFTED = frozenset({"linear", "rbf", "laplacian"})
# Known to be positive semi-definite; other kernels are tested.
DEFINITE = SHIFTED | {"cosine", "chi2"}
# Kernels with values on a device; the others are scikit-learn's, on the host.
ON_DEVICE = frozenset({"linear", "poly", "polynomial", "rbf", "sigmoid", "cosine", "precomputed"})
# Larger blocks leave the cache and are no faster. If scikit-learn's working_memory is smaller, it
# is the limit.
BLOCK_MEBIBYTES = 64
# A kernel function holds about three arrays of the size of its block.
ARRAYS_A_BLOCK = 3


@dataclass(frozen=True)
class KernelMap:
    """A kernel, the rows (m, D) minus `shift` to compare with, or `columns` of a given kernel."""

    kernel: str | Callable[..., float]
    parameters: dict[str, Any]
    rows: Any
    columns: np.ndarray | None = None
    shift: np.ndarray | None = None

    def landmarks(self, chosen: np.ndarray) -> KernelMap:
        """The same kernel against some of the rows only."""
        if self.kernel == "precomputed":
            return replace(self, columns=chosen)
        return replace(self, rows=rows_at(self.rows, chosen))

    def astype(self, dtype: Any) -> KernelMap:
        """The same kernel with rows of another precision."""
        rows = None if self.rows is None else cast(self.rows, dtype)
        return replace(self, rows=rows)

    def values(self, X: Any) -> Any:
        """Kernel values (n, m) between the rows of X and the stored ones, in its precision."""
        if self.kernel == "precomputed":
            K = densified(X)
            some = self.columns is not None
            return namespace(K).take(K, like(K, self.columns), axis=1) if some else K
        # About a float64 mean, because a rounded one would move the rows off the stored ones.
        A = X if self.shift is None else cast(X, np.float64) - self.shift
        dtype = np.float64 if is_device(X) else precision_of(X)
        return cast(self.compare(cast(A, dtype), cast(self.rows, dtype)), precision_of(X))

    def compare(self, A: Any, B: Any = None) -> Any:
        """Kernel values between rows that are already shifted; of A with itself if B is None."""
        if is_device(A):
            assert isinstance(self.kernel, str)
            K = kernel_values(self.kernel, self.parameters, A, A if B is None else B)
            total = float(sums(K))
        else:
            # Values that overflow are rejected below.
            with np.errstate(over="ignore", invalid="ignore"):
                given = {"metric": self.kernel, "filter_params": True, **self.parameters}
                K = densified(pairwise_kernels(A, B, **given))
                K = np.require(K, requirements=["C", "W"])
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
        # By few rows, so that comparing all pairs costs little.
        blocks = (A[start : start + 64] for start in range(0, A.shape[0], 64))
        return np.concatenate([np.diagonal(self.compare(rows)) for rows in blocks])


def kernel_map(estimator: Any, X: Any) -> KernelMap:
    """The kernel named by the parameters of an estimator, against all rows of X, in float64."""
    kernel = estimator.kernel
    if callable(kernel):
        return KernelMap(kernel, dict(estimator.kernel_params or {}), copied(cast(X, np.float64)))
    if kernel == "precomputed":
        return KernelMap(kernel, {}, None)
    gamma = estimator.gamma
    if gamma is None:
        # As in scikit-learn, where only chi2_kernel does not accept None.
        gamma = 1.0 if kernel == "chi2" else 1.0 / X.shape[1]
    parameters = {"gamma": gamma, "degree": estimator.degree, "coef0": estimator.coef0}
    if kernel in SHIFTED and not sparse.issparse(X):
        rows = cast(X, np.float64)
        shift = sums(rows, axis=0) / X.shape[0]
        return KernelMap(kernel, parameters, rows - shift, shift=shift)
    # A copy, because a fitted model must not change with the caller's array.
    return KernelMap(kernel, parameters, copied(cast(X, np.float64)))


def is_definite(map_: KernelMap) -> bool:
    """Whether every Gram matrix is known to be positive semi-definite."""
    if map_.kernel in ("poly", "polynomial"):
        degree, coef0 = map_.parameters["degree"], map_.parameters["coef0"]
        return coef0 >= 0 and float(degree).is_integer()
    return not callable(map_.kernel) and map_.kernel in DEFINITE


def budget_blocks(n_rows: int, n_columns: int, *, beside: Any = None) -> Iterator[slice]:
    """Slices of rows whose kernel values fit scikit-learn's working_memory, or the device."""
    budget = int(min(get_config()["working_memory"], BLOCK_MEBIBYTES) * 2**20)
    budget = block_bytes(beside) if is_device(beside) else budget
    height = max(budget // (8 * ARRAYS_A_BLOCK * n_columns), 1)
    return (slice(a, min(a + height, n_rows)) for a in range(0, n_rows, height))


def kernel_refusals(estimator: Any) -> dict[str, str]:
    """Why an estimator refuses X on a device with its kernel; nothing if it supports it."""
    kernel, landmarks = estimator.kernel, estimator.n_landmarks is not None
    if not isinstance(kernel, str) or kernel not in ON_DEVICE:
        return {"device": f"with kernel={kernel!r} {ON_HOST}"}
    if landmarks and estimator.landmarks != "uniform":
        return {"device": f"with landmarks={estimator.landmarks!r} {ON_HOST}"}
    return {}


def kernel_values(kernel: str, parameters: dict[str, Any], A: Any, B: Any) -> Any:
    """Values (n, m) of a kernel between rows in float64, as scikit-learn defines it."""
    xp = namespace(A)
    if kernel == "cosine":
        A, B = unit_rows(A), unit_rows(B)
    K = A @ B.T
    if kernel in ("linear", "cosine"):
        return K
    gamma = parameters["gamma"]
    if kernel == "rbf":
        K *= 2.0
        K -= sums(A * A, axis=1)[:, None]
        K -= sums(B * B, axis=1)[None, :]
        K = xp.clip(K, max=0.0)
        K *= gamma
        return xp.exp(K)
    K *= gamma
    K += parameters["coef0"]
    return xp.tanh(K) if kernel == "sigmoid" else K ** parameters["degree"]
