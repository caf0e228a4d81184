"""Read any array by blocks of rows and add up the statistics of the blocks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise, starmap
from operator import iadd
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite

from labelspan.arrays import (
    STREAM_BYTES,
    block_bytes,
    finite,
    is_dask_array,
    is_device,
    is_streamed,
    on_host,
    rows_at,
    stream,
    to_host,
)
from labelspan.compat import n_threads
from labelspan.gate import (
    check_block,
    check_label_block,
    checked_by_sums,
    find_holes,
    has_holes,
    is_large,
    is_soft,
    refuse_overflow,
)
from labelspan.moments._available import N_NAMED
from labelspan.moments._large import labelled_rows
from labelspan.moments._moments import EPS

Statistic = TypeVar("Statistic")

# A dense block is copied when it is centred; this limits the copy.
BLOCK_BYTES = 2**25
# A dense block that is not copied: smaller blocks do not repay a thread; larger ones lose precision
# in the sum.
FEWEST_WALKED, MOST_WALKED = 2**23, 2**26
# A centred column with fewer digits than this gives unreliable coefficients.
DIGITS = 8
# A sparse block of this size stays in the cache while it is transposed and multiplied.
BLOCK_ENTRIES = 2**20


@dataclass(frozen=True)
class Sample:
    """Features (n, D), labels (n, q) and weights (n,) or None, to be summarised for a solver.

    `part`: these rows are only a part of the sample; `missing`: labels in memory are missing, None
    if that is not known; `of_many`: these rows are some of so many that compiled loops pay.
    """

    X: Any
    Y: Any
    solver: str = "scatter"
    weights: np.ndarray | None = None
    part: bool = False
    missing: bool | None = None
    of_many: bool = False

    def at(self, rows: Any) -> tuple[Any, ...]:
        """Features and labels of some rows, and their weights if there are any."""
        given = (self.X, self.Y) if self.weights is None else (self.X, self.Y, self.weights)
        return tuple(rows_at(array, rows) for array in given)


def collect(
    sample: Sample,
    statistic: Callable[..., Statistic],
    *,
    whole_sparse: bool = True,
    tall: bool = True,
    walked: bool = False,
    home: bool = False,
) -> Statistic:
    """Add up ``statistic(X_block, Y_block)``, or with ``weights_block``, over blocks of rows.

    `whole_sparse`: a sparse X is one block; `tall`: blocks are at least as tall as wide, as (D, D)
    sums need; `walked`: `statistic` reads its block in parts that fit into the cache, and rejects
    NaN; `home`: the sum is moved to the host, where its solver runs. For a Dask array, only the sum
    leaves the workers: one graph, one compute.
    """
    if is_dask_array(sample.X):
        return collect_dask(sample, statistic)
    if is_streamed(sample.X) and not sample.part:
        streamed = reduce(iadd, (statistic(*block) for block in streamed_blocks(sample)))
        return on_host(streamed) if home else streamed
    if sparse.issparse(sample.X) and whole_sparse:
        # Adding two statistics costs their size, so a block must be worth it.
        n_features, n_labels = sample.X.shape[1], sample.Y.shape[1]
        worth = 4 * n_features * max(n_labels, n_features if tall else 1)
        blocks = equal_blocks(sample.X.shape[0], sample.X.nnz / max(BLOCK_ENTRIES, worth))
    elif walked:
        worth = MOST_WALKED if tall else 64 * sample.X.shape[1] * sample.Y.shape[1]
        size = min(max(worth, FEWEST_WALKED), MOST_WALKED)
        blocks = equal_blocks(len(sample.X), sample.X.size / size)
    else:
        blocks = row_blocks(sample.X, tall=tall)
    at = partial(labelled_rows, sample.X, sample.Y) if walked else sample.at
    given: Iterator[tuple[Any, ...]] = map(at, blocks)
    looked_at = walked or sample.part or not is_large(sample.X)
    if not looked_at and checked_by_sums(sample.X):
        given = map(finite_rows, given)
    # Matrix products have threads of their own.
    found = in_threads(statistic, given) if walked and not tall else starmap(statistic, given)
    # In the arrays of the first block: nobody else has them.
    total = reduce(iadd, found)
    if is_device(sample.X):
        refuse_lost_sums(sample.X, total)
    return on_host(total) if home else total


def in_threads(
    statistic: Callable[..., Statistic], blocks: Iterator[tuple[Any, ...]]
) -> Iterator[Statistic]:
    """Statistics of blocks in their order, by as many threads as OpenMP is allowed to use."""
    with ThreadPoolExecutor(n_threads()) as pool:
        yield from pool.map(lambda block: statistic(*block), blocks)


def finite_rows(block: tuple[Any, ...]) -> tuple[Any, ...]:
    """Validate a block of a sample that was not checked before."""
    assert_all_finite(block[0], input_name="X")
    return block


def refuse_lost_sums(X: Any, total: Any) -> None:
    """Raise if the mean of rows on a device is not finite, because one of their numbers is not."""
    mean = getattr(total, "x_mean", None)
    if is_device(mean) and not finite(mean) and not finite(X):
        raise ValueError(
            "Input X contains NaN or infinity. Fill it in first, e.g. by "
            "sklearn.impute.SimpleImputer, or drop the rows."
        )


def warn_of_lost_digits(mean: np.ndarray, squares: np.ndarray, weight: float) -> None:
    """Warn of columns whose spread is so small relative to their mean that rounding affects it."""
    mean = to_host(mean)
    spread = np.sqrt(np.maximum(squares, 0.0) / weight) if weight > 0 else np.zeros_like(mean)
    # A constant column is exactly zero after centring, so none of its digits is used.
    lost = np.flatnonzero((spread > 0) & (spread < 10.0**DIGITS * EPS * np.abs(mean)))
    if len(lost) == 0:
        return
    shown = ", ".join(str(j) for j in lost[:N_NAMED]) + (", ..." if len(lost) > N_NAMED else "")
    worst = lost[np.argmin(spread[lost] / np.abs(mean[lost]))]
    warnings.warn(
        f"{len(lost)} column(s) of X ({shown}) vary so little about their mean that float64 "
        f"leaves fewer than {DIGITS} digits of them: column {worst} varies by "
        f"{spread[worst]:.3g} about {mean[worst]:.3g}. Subtract a constant near the mean where "
        "the data are made, or drop these columns.",
        stacklevel=2,
    )


def streamed_blocks(sample: Sample) -> Iterator[tuple[Any, ...]]:
    """Send blocks of a host sample to the device of ``labelspan.config_context``."""
    n_rows, n_columns = sample.X.shape
    height = max(STREAM_BYTES // (sample.X.itemsize * max(n_columns, 1)), n_columns, 1)
    blocks = list(equal_blocks(n_rows, n_rows / height))
    arrays = (sample.X, sample.Y, sample.weights)
    return stream(tuple(A for A in arrays if A is not None), blocks)


def row_blocks(X: Any, *, tall: bool = False) -> Iterator[slice]:
    """Slices of BLOCK_BYTES, or as the device allows, at least as tall as wide if `tall`."""
    n_rows, n_columns = X.shape
    size = block_bytes(X) if is_device(X) else BLOCK_BYTES
    height = max(size // (8 * max(n_columns, 1)), n_columns if tall else 1, 1)
    return iter((slice(0, n_rows),)) if n_rows <= height else equal_blocks(n_rows, n_rows / height)


def equal_blocks(n_rows: int, n_blocks: float) -> Iterator[slice]:
    """Slices of about equal length; pooling a short last one would cost as much as a full one."""
    edges = np.linspace(0, n_rows, max(1, round(n_blocks)) + 1).astype(int)
    return (slice(int(a), int(b)) for a, b in pairwise(edges))


def collect_dask(sample: Sample, statistic: Callable[..., Statistic]) -> Statistic:
    """Sum over the blocks of a Dask array: pairwise on the workers, in one compute."""
    import dask

    sizes = sample.X.chunks[0]
    edges = np.cumsum((0, *sizes))
    arrays: list[Any] = [A for A in (sample.X, sample.Y, sample.weights) if A is not None]
    blocks = zip(
        *(
            A.to_delayed().ravel() if is_dask_array(A) else [A[a:b] for a, b in pairwise(edges)]
            for A in arrays
        ),
        strict=True,
    )
    of_block = dask.delayed(block_statistic, pure=False)
    # One graph node for all blocks, because it may hold vectors of D numbers.
    statistic = dask.delayed(statistic, pure=False, traverse=False)
    # Filtering can leave chunks without rows.
    parts = [of_block(statistic, *block) for block, size in zip(blocks, sizes, strict=True) if size]
    with warnings.catch_warnings():
        # These vectors must be in the graph: data scattered otherwise are lost with their worker.
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        return tree_sum(parts, Checked.__add__).compute().statistic


def tree_sum(parts: list[Any], plus: Callable[[Any, Any], Any]) -> Any:
    """Sum of delayed statistics in pairs: a fixed order, on all workers."""
    import dask

    lazy = dask.delayed(plus, pure=False)
    while len(parts) > 1:
        pairs = [lazy(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[2 * len(pairs) :]
    return parts[0]


@dataclass(frozen=True)
class Checked:
    """A statistic with the label values of its block, because blocks do not see each other's."""

    statistic: Any
    values: frozenset

    def __add__(self, other: Checked) -> Checked:
        values = self.values | other.values
        if -1 in values and len(values) > 1:
            rest = "0" if 0 in values else "numbers between 0 and 1"
            raise ValueError(
                f"y holds both -1 and {rest}; an indicator matrix holds only 0 and 1, or only -1 "
                "and +1, and soft labels lie between 0 and 1."
            )
        return Checked(self.statistic + other.statistic, values)


def block_statistic(
    statistic: Callable[..., Any], X: Any, Y: Any, weights: np.ndarray | None = None
) -> Checked:
    """Check one block on its worker, and compute its statistic there."""
    values = np.asarray(Y.data if sparse.issparse(Y) else Y)
    values = values[~find_holes(values)] if has_holes(values) else values
    present = {v for v in (-1.0, 0.0) if (values == v).any()}
    if is_soft(values):
        present.add(0.5)
    if sparse.issparse(Y) and Y.nnz < np.prod(Y.shape):
        present.add(0)
    # Check labels first: in a pass over the labels alone they are X, too.
    labels, rows = check_label_block(Y), check_block(X)
    refuse_overflow(rows, whole=False)
    block = Sample(rows, labels, weights=weights)
    # Rows of weight 0 are left out; a block of such rows has weight 0.
    weighing: Any = slice(None) if weights is None or not weights.any() else weights > 0
    return Checked(statistic(*block.at(weighing)), frozenset(present))
