"""What dense and sparse arrays do in different ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays._arrays import cast, in_memory, like, namespace

# Entries of a block of float32 numbers that stays near the cache.
BLOCK_CELLS = 2**20


def dense(A: Any) -> np.ndarray:
    """A NumPy array from a sparse or dense one, or from one on a device."""
    if type(A) is np.ndarray:
        return A
    return A.toarray() if sparse.issparse(A) else np.asarray(in_memory(A))


def doubles(A: Any) -> Any:
    """A dense float64 array, where A is."""
    return cast(densified(A), np.float64)


def stacked_rows(parts: Sequence[Any]) -> Any:
    """Rows of several blocks, all dense or all sparse."""
    return sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.vstack(parts)


def row_keys(X: Any) -> Iterator[bytes]:
    """One key per row of a dense or CSR array; keys of rows are equal if the rows are."""
    for i in range(X.shape[0]):
        row = X[[i]]
        parts = (row.indices, row.data) if sparse.issparse(row) else (row,)
        yield b"".join(part.tobytes() for part in parts)


def densified(A: Any) -> Any:
    """A dense array from a sparse one; a dense one, wherever it is, unchanged."""
    return A.toarray() if sparse.issparse(A) else A


def floating(A: Any) -> Any:
    """An array of floating numbers where it is, sparse ones as CSR; float64 from whole numbers."""
    if sparse.issparse(A):
        return sparse.csr_array(A)
    if namespace(A) is not np:
        return A
    A = np.asarray(A)
    return A if A.dtype.kind == "f" else A.astype(np.float64)


def unit_rows(A: Any) -> Any:
    """Rows scaled to unit length; rows of zeros are unchanged, sparse rows stay sparse."""
    if sparse.issparse(A):
        A = sparse.csr_array(A)
        lengths = np.sqrt((A * A).sum(axis=1))
        return sparse.diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ A
    xp = namespace(A)
    lengths = xp.linalg.vector_norm(A, axis=1, keepdims=True)
    return A / xp.where(lengths > 0, lengths, xp.ones_like(lengths))


def values_of(A: Any) -> Any:
    """The stored numbers: those of a sparse array, or the dense array itself."""
    return A.data if sparse.issparse(A) else A


def has_holes(A: Any) -> bool:
    """Whether some numbers are NaN: labels that are not observed, which are on the host."""
    values = A.data if sparse.issparse(A) else A
    whole = not isinstance(values, np.ndarray) or values.dtype.kind != "f"
    return not whole and bool(np.isnan(values.min(initial=0.0)))


def canonical(A: Any) -> Any:
    """A sparse array as CSR without repeated entries, a copy if needed; others as they are."""
    if not sparse.issparse(A):
        return A
    rows = sparse.csr_array(A)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


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
    if (xp := namespace(A)) is not np:
        return in_memory(xp.sum(cast(A, np.uint8), axis=axis, dtype=xp.int64))
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


def less_mean(X: Any, mean: Any) -> tuple[Any, Any]:
    """Rows and a rest (D,) whose difference is X - mean in float64.

    Dense rows are centred, so that a large mean costs no digits; sparse rows keep their mean.
    """
    X = cast(X, np.float64)
    return (X, mean) if sparse.issparse(X) else (X - mean, 0.0 * mean)


def squared_lengths(A: Any, mean: Any = 0.0, counts: Any = 1.0) -> np.ndarray:
    """Squared lengths (n,) of the rows a_i - counts_i mean, in float64."""
    A = cast(A, np.float64)
    if not sparse.issparse(A):
        A = A - np.multiply.outer(counts, mean) if np.any(mean) else A
        return np.einsum("ij,ij->i", A, A)
    mean = np.broadcast_to(mean, A.shape[1])
    lengths = np.asarray(A.multiply(A).sum(axis=1)).ravel()
    return np.maximum(lengths - 2 * counts * (A @ mean) + counts**2 * (mean @ mean), 0.0)


def central_powers(Y: Any, mean: np.ndarray, power: int) -> np.ndarray:
    """Sums over the rows of (y - mean)^power, (q,)."""
    if not sparse.issparse(Y):
        return np.sum((Y - mean) ** power, axis=0)
    q = Y.shape[1]
    entries = (Y.data - mean[Y.indices]) ** power
    stored = np.bincount(Y.indices, minlength=q)
    of_zeros = (Y.shape[0] - stored) * (-mean) ** power
    return np.bincount(Y.indices, entries, minlength=q) + of_zeros


def extremes(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest number of each column, in float64."""
    low, high = (np.ravel(dense(found)) for found in (X.min(axis=0), X.max(axis=0)))
    return low.astype(np.float64), high.astype(np.float64)


def scaled_rows(X: Any, w: np.ndarray) -> Any:
    """The rows times numbers w (n,)."""
    return sparse.diags_array(w).tocsr() @ X if sparse.issparse(X) else X * w[:, None]


def side_by_side(parts: list[Any]) -> Any:
    """Columns of several arrays of one kind."""
    whole = sparse.issparse(parts[0])
    return sparse.hstack(parts, format="csr") if whole else np.hstack(parts)


def shared_product(X: Any, Y: Any) -> Any:
    """X'Y, by the product that keeps what is sparse on the left."""
    return X.T @ Y if sparse.issparse(X) or not sparse.issparse(Y) else densified((Y.T @ X).T)


def with_columns_divided(X: Any, scale: np.ndarray) -> Any:
    """X / scale, by column."""
    return X @ sparse.diags_array(1.0 / scale) if sparse.issparse(X) else X / like(X, scale)


def less_low(X: Any, low: np.ndarray) -> Any:
    """X - low in float64; columns of sparse X stay sparse where `low` is 0."""
    if not sparse.issparse(X):
        return cast(X, np.float64) - like(X, low)
    X, full = sparse.csr_array(X, dtype=np.float64), np.flatnonzero(low)
    if not len(full):
        return X
    places = np.arange(len(full)), full
    into = sparse.csr_array((np.ones(len(full)), places), shape=(len(full), len(low)))
    rest = X @ sparse.diags_array((low == 0).astype(np.float64))
    return rest + sparse.csr_array(X[:, full].toarray() - low[full]) @ into
