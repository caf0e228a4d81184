"""What dense and sparse arrays have in common, so that callers need not ask which they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays._arrays import cast, is_device, namespace, to_host

# Entries of a block of float32 numbers that stays near the cache.
BLOCK_CELLS = 2**20


def dense(A: Any) -> np.ndarray:
    """A NumPy array from a sparse or dense one, or from one on a device."""
    return A.toarray() if sparse.issparse(A) else np.asarray(to_host(A))


def values_of(A: Any) -> Any:
    """The stored numbers: those of a sparse array, or the dense array itself."""
    return A.data if sparse.issparse(A) else A


def both(A: Any, B: Any) -> Any:
    """Where two boolean arrays on one device, each sparse or dense, are true; sparse if one is."""
    first, second = (A, B) if sparse.issparse(A) else (B, A)
    return first.multiply(second) if sparse.issparse(first) else A & B


def any_varies(A: Any) -> bool:
    """Whether some column of an array of any kind holds two different numbers."""
    if sparse.issparse(A):
        return bool((A.max(axis=0).toarray() != A.min(axis=0).toarray()).any())
    xp = namespace(A)
    return bool(xp.any(xp.max(A, axis=0) != xp.min(A, axis=0)))


def count_true(A: Any, axis: int | None = None) -> Any:
    """How many entries of a boolean array of any kind are true, on the host."""
    if is_device(A):
        xp = namespace(A)
        return to_host(xp.sum(cast(A, np.uint8), axis=axis, dtype=xp.int64))
    # A boolean CSR array sums as bool in some SciPy versions; its stored entries are the ones.
    if sparse.issparse(A):
        counts = A.astype(np.int64).sum(axis=axis)
        return counts if axis is None else np.asarray(counts).ravel()
    if axis is None:
        return np.count_nonzero(A)
    # Products with ones add up short rows several times as fast as a sum of booleans does;
    # integers are exact in float32 up to 2**24, more than a block has.
    height = max(1, BLOCK_CELLS // max(A.shape[1], 1))
    blocks = (A[i : i + height].astype(np.float32) for i in range(0, len(A), height))
    if axis == 1:
        ones = np.ones(A.shape[1], dtype=np.float32)
        return np.concatenate([block @ ones for block in blocks]).astype(np.int64)
    sums = np.zeros(A.shape[1], dtype=np.int64)
    for block in blocks:
        sums += (np.ones(len(block), dtype=np.float32) @ block).astype(np.int64)
    return sums
