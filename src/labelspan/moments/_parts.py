"""Statistics of several groups of rows in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from labelspan.arrays import is_dask_array
from labelspan.gate import check_block, refuse_overflow
from labelspan.moments._collect import BLOCK_BYTES, equal_blocks, tree_sum

Statistic = TypeVar("Statistic")
OfRows = Callable[[Any, Any, Any], Statistic]


def collect_parts(
    X: Any, Y: Any, statistic: OfRows, parts: np.ndarray, weights: np.ndarray | None = None
) -> dict[int, Any]:
    """Sums of ``statistic(X, Y, weights)`` by part; `parts` (n_partitions, n), < 0 for none."""
    if is_dask_array(X):
        return collect_parts_dask(X, Y, statistic, parts, weights)
    sums: dict[int, Any] = {}
    for rows in blocks_of(X, int(parts.max()) + 1):
        block = of_parts(statistic, X[rows], Y[rows], parts[:, rows], weights_at(weights, rows))
        sums = merged(sums, block)
    return sums


def blocks_of(X: Any, n_parts: int) -> Iterator[slice]:
    """Blocks in which each part has about 2 D rows or more, because adding costs D^2."""
    n_rows, n_columns = X.shape
    if sparse.issparse(X):
        return iter([slice(0, n_rows)])
    height = max(BLOCK_BYTES // (8 * max(n_columns, 1)), 2 * n_columns * n_parts, 1)
    return equal_blocks(n_rows, n_rows / height)


def collect_parts_dask(
    X: Any, Y: Any, statistic: OfRows, parts: np.ndarray, weights: np.ndarray | None
) -> dict[int, Any]:
    """The same over the blocks of a Dask array; only sums leave the workers, in one compute."""
    import dask

    of_block = dask.delayed(checked_parts, pure=False)
    found = [
        of_block(statistic, block, Y[rows], parts[:, rows], weights_at(weights, rows))
        for block, rows in dask_blocks(X)
    ]
    return tree_sum(found, merged).compute()


def dask_blocks(X: Any) -> Iterator[tuple[Any, slice]]:
    """The non-empty blocks of a Dask array, delayed, and the slices of their rows."""
    ends = np.cumsum(X.chunks[0])
    for block, end, size in zip(X.to_delayed().ravel(), ends, X.chunks[0], strict=True):
        if size:
            yield block, slice(int(end - size), int(end))


def checked_parts(statistic: OfRows, X: Any, Y: Any, parts: Any, weights: Any) -> dict[int, Any]:
    """The parts of one block on its worker, where its values are checked."""
    rows = check_block(X)
    refuse_overflow(rows, whole=False)
    return of_parts(statistic, rows, Y, parts, weights)


def of_parts(statistic: OfRows, X: Any, Y: Any, parts: Any, weights: Any) -> dict[int, Any]:
    """Statistics of the parts of one block."""
    found = {}
    for partition in parts:
        order = np.argsort(partition, kind="stable")
        names, starts = np.unique(partition[order], return_index=True)
        for part, rows in zip(names.tolist(), np.split(order, starts[1:]), strict=True):
            if part >= 0:
                found[part] = statistic(X[rows], Y[rows], weights_at(weights, rows))
    return found


def weights_at(weights: np.ndarray | None, rows: Any) -> np.ndarray | None:
    """Weights of some rows."""
    return None if weights is None else weights[rows]


def merged(a: dict[int, Any], b: dict[int, Any]) -> dict[int, Any]:
    """Add the statistics of two blocks, part by part."""
    both = {part: a[part] + b[part] if part in a else b[part] for part in b}
    return {**a, **both}
