"""The few operations that the array standard lacks, for each supported library.

Everything else uses the names of the standard.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.arrays._arrays import namespace
from labelspan.arrays._two_kinds import dense

# X is multiplied by this many groups of columns, because X'X is symmetric.
GROUPS = 4
# Groups narrower than this cost more to start than they save.
NARROWEST_GROUP = 256
# Bytes of a block; larger ones are no faster.
LARGEST_BLOCK = 2**32


def library_of(array: Any) -> str:
    """The library of an array on a device."""
    return type(array).__module__.partition(".")[0]


def minus_row(X: Any, row: Any) -> Any:
    """X - row in float64 for a float64 row, by one kernel without a copy of X."""
    xp = namespace(X)
    if library_of(X) == "array_api_strict":
        return xp.astype(X, xp.float64) - row
    return X - row


def scatter(A: Any) -> Any:
    """A'A; products below the diagonal are copied from above it."""
    xp = namespace(A)
    side = A.shape[1]
    width = max(-(-side // GROUPS), NARROWEST_GROUP)
    if side <= width:
        return A.T @ A
    total = xp.empty((side, side), dtype=A.dtype, device=A.device)
    for start in range(0, side, width):
        stop = min(start + width, side)
        strip = A[:, start:stop].T @ A[:, start:]
        total[start:stop, start:] = strip
        total[stop:, start:stop] = strip[:, stop - start :].T
    return total


def whole_products(A: Any, B: Any, largest: float) -> Any:
    """A B' of small integers, exact in float32: no product of rows is above `largest` < 2^24.

    Up to 2^11 it is exact in half precision, which a CUDA device multiplies ten times as fast.
    """
    xp = namespace(A)
    if library_of(A) == "torch" and A.is_cuda and largest <= 2**11:
        from torch.nn.functional import pad

        # Sides that are multiples of eight: others are multiplied five times as slowly.
        across, down = -A.shape[1] % 8, -B.shape[0] % 8
        products = pad(A.half(), (0, across)) @ pad(B.half(), (0, across, 0, down)).T
        return products[:, : B.shape[0]]
    return xp.astype(A, xp.float32, copy=False) @ xp.astype(B, xp.float32, copy=False).T


class KeyFactors:
    """Integer keys M (|t|^2 - 2 q't) + j from one product; row j is t, and M is a power of two.

    Factors in half precision, [2^8 q, M, 2^5, 1] and [-2^-7 M t, |t|^2, j // 2^5, j % 2^5], hold
    each term exactly, and single precision their sum.
    """

    def __init__(self, T: Any):
        n_rows = T.shape[0]
        self.modulus = 2 ** max(n_rows - 1, 1).bit_length()
        numbers = namespace(T).arange(n_rows, device=T.device)
        squares = (T.double() ** 2).sum(dim=1)
        rest = (squares, numbers // 32, numbers % 32)
        # Sides that are multiples of eight: others are multiplied five times as slowly.
        self.right = self._padded(T, -self.modulus / 2**7, rest, -n_rows % 8)
        self.n_rows = n_rows

    @classmethod
    def of(cls, T: Any, largest: float) -> KeyFactors | None:
        """The factors, if there is a CUDA device and no sum of squares exceeds `largest`."""
        if library_of(T) != "torch" or not T.is_cuda:
            return None
        import torch

        # A product of half-precision factors that is returned in single precision.
        known = torch.__version__ >= (2, 8)
        return cls(T) if known and cls.fit(T.shape[0], largest) else None

    @staticmethod
    def fit(n_rows: int, largest: float) -> bool:
        """Whether all sums of terms are exact."""
        return n_rows <= 2**15 and (3 * largest + 1) * 2 ** max(n_rows - 1, 1).bit_length() < 2**24

    def keys(self, rows: Any) -> Any:
        """Keys (m, n) of rows q (m, D), float32."""
        import torch

        products = torch.mm(self.left(rows), self.right.T, out_dtype=torch.float32)
        return products[:, : self.n_rows]

    def left(self, rows: Any) -> Any:
        """The factor of queries."""
        return self._padded(rows, 2**8, (self.modulus, 2**5, 1))

    @staticmethod
    def _padded(A: Any, factor: float, rest: tuple[Any, ...], down: int = 0) -> Any:
        import torch

        n_rows, width = A.shape
        shape = n_rows + down, -(-(width + len(rest)) // 8) * 8
        padded = torch.zeros(shape, dtype=torch.float16, device=A.device)
        torch.mul(A, factor, out=padded[:n_rows, :width])
        for j, column in enumerate(rest):
            padded[:n_rows, width + j] = column
        return padded


def sums_of_rows(A: Any, chosen: Any) -> Any:
    """Sums (n, q) of the rows of a 0/1 array (m, q) that each row of `chosen` (n, k) names."""
    library = library_of(A)
    if library == "torch":
        import torch
        from torch.nn.functional import embedding_bag

        few = A.is_cuda and chosen.shape[1] <= 2**11
        return embedding_bag(chosen, A.to(torch.float16 if few else torch.float32), mode="sum")
    xp = namespace(A)
    A = xp.astype(A, xp.int32)
    total = xp.take(A, chosen[:, 0], axis=0)
    for j in range(1, chosen.shape[1]):
        total += xp.take(A, chosen[:, j], axis=0)
    return total


def tally(places: Any, n_places: int) -> np.ndarray:
    """Count how often each of the numbers 0, ..., n_places - 1 occurs, on the host."""
    library = library_of(places)
    if library == "torch":
        import torch

        one = torch.ones(1, dtype=torch.int32, device=places.device).expand(places.shape[0])
        table = torch.zeros(n_places, dtype=torch.int32, device=places.device)
        return dense(table.scatter_add_(0, places, one))
    xp = namespace(places)
    if library == "cupy":
        return dense(xp.bincount(places, minlength=n_places))
    edges = xp.arange(n_places + 1, dtype=places.dtype, device=places.device)
    starts = xp.searchsorted(xp.sort(places), edges)
    return dense(starts[1:] - starts[:-1])


def filled_up(chosen: Any, scores: Any, least: int) -> Any:
    """Chosen entries (n, q), and the `least` highest scores of rows with fewer of them.

    The first of equal scores wins, on every computer.
    """
    if isinstance(scores, np.ndarray):
        few = np.flatnonzero(chosen.sum(axis=1) < least)
        best = np.argsort(-scores[few], axis=1, kind="stable")[:, :least]
        chosen[few[:, None], best] = True
        return chosen
    xp = namespace(scores)
    places = xp.argsort(xp.argsort(-scores, axis=1, stable=True), axis=1)
    few = xp.sum(xp.astype(chosen, xp.int64), axis=1, keepdims=True) < least
    return chosen | (few & (places < least))


def sums_of_squares(A: Any) -> Any:
    """Squared lengths of the columns, (D,)."""
    return namespace(A).linalg.vector_norm(A, axis=0) ** 2


def set_diagonal(A: Any, values: Any) -> None:
    """Put numbers (d,) on the diagonal of A (d, d)."""
    if isinstance(A, np.ndarray):
        # A view in any order of memory, unlike that of a reshaped array.
        np.einsum("ii->i", A)[...] = values
        return
    if library_of(A) == "torch":
        A.diagonal().copy_(values)
        return
    if library_of(A) == "array_api_strict":
        xp = namespace(A)
        A += xp.eye(A.shape[0], dtype=A.dtype, device=A.device) * (values - xp.linalg.diagonal(A))
        return
    A.reshape(-1)[:: A.shape[1] + 1] = values


def fill_diagonal(A: Any, start: int, value: float) -> None:
    """Set the entries at row i and column start + i, in place."""
    library = library_of(A)
    if library == "torch":
        A.diagonal(offset=start).fill_(value)
        return
    xp = namespace(A)
    n_rows = A.shape[0]
    rows = xp.arange(n_rows, device=A.device)
    if library == "cupy":
        A[rows, rows + start] = value
        return
    columns = xp.arange(A.shape[1], device=A.device)
    own = columns[None, :] == rows[:, None] + start
    A[...] = xp.where(own, xp.full_like(A, value), A)


def least(A: Any, k: int) -> Any:
    """The k smallest numbers of each row, ascending; the numbers of a row must differ."""
    library = library_of(A)
    if library == "torch":
        import torch

        found = torch.topk(least_candidates(A, k), k, dim=1, largest=False, sorted=True)
        return found.values
    xp = namespace(A)
    if library == "cupy":
        import cupy

        A = cupy.partition(A, k - 1, axis=1)[:, :k]
    return xp.sort(A, axis=1)[:, :k]


def least_candidates(A: Any, k: int) -> Any:
    """Some columns (n, m) of a torch array that hold the k smallest numbers of each row.

    Only the k groups of columns with the smallest minima matter: m is about 2 sqrt(k n).
    """
    n_rows, n_columns = A.shape
    depth = int(np.sqrt(n_columns / k))
    if depth < 4:
        return A
    n_groups = n_columns // depth
    groups = A[:, : depth * n_groups].unflatten(1, (depth, n_groups))
    best = groups.amin(dim=1).topk(k, dim=1, largest=False, sorted=False).indices
    found = groups.gather(2, best[:, None, :].expand(n_rows, depth, k)).flatten(1)
    return namespace(A).concat([found, A[:, depth * n_groups :]], axis=1)


def less_multiple(row: Any, A: Any, factor: int) -> Any:
    """Row - factor A, in the memory of A."""
    if library_of(A) == "torch":
        import torch

        return torch.sub(row, A, alpha=factor, out=A)
    A *= -factor
    A += row[None, :]
    return A


def smallest(A: Any, k: int) -> Any:
    """Column indices of the k smallest numbers of each row, unordered."""
    library = library_of(A)
    if library == "torch":
        import torch

        return torch.topk(A, k, dim=1, largest=False, sorted=False).indices
    xp = namespace(A)
    if library == "cupy":
        import cupy

        return cupy.argpartition(A, k - 1, axis=1)[:, :k]
    return xp.argsort(A, axis=1)[:, :k]


def block_bytes(array: Any) -> int:
    """Bytes that a float64 block of rows may take: few blocks, with room for four of them."""
    free = free_bytes(array)
    return LARGEST_BLOCK if free is None else max(min(free // 4, LARGEST_BLOCK), 2**25)


def free_bytes(array: Any) -> int | None:
    """Free bytes on the device of `array`; None if unknown."""
    library = library_of(array)
    if library == "torch" and array.is_cuda:
        import torch

        free, _ = torch.cuda.mem_get_info(array.device)
        # Only these two numbers, because torch's full list takes a millisecond.
        known = torch.cuda.memory_stats_as_nested_dict(array.device)
        reserved, taken = (
            known[name]["all"]["current"] if name in known else 0
            for name in ("reserved_bytes", "allocated_bytes")
        )
        return int(free + reserved - taken)
    if library == "cupy":
        import cupy

        with cupy.cuda.Device(array.device.id):
            free, _ = cupy.cuda.runtime.memGetInfo()
            return int(free + cupy.get_default_memory_pool().free_bytes())
    return None
