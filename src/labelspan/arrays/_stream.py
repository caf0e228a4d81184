"""Send rows from the host to a device, block by block; the next one is read meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from labelspan.arrays._arrays import SETTING, like, namespace, precision_of, reference_on
from labelspan.arrays._arrays import sums as sums_over
from labelspan.arrays._operations import library_of
from labelspan.arrays._two_kinds import densified

# Bytes of a block of rows; two blocks are held in memory that the device can read.
STREAM_BYTES = 2**27


@contextmanager
def config_context(
    *, device: Any = None, sums: str = "float64", reproducible: bool = False
) -> Iterator[None]:
    """Context manager: sums of dense host rows on a device, faster sums, or reproducible ones.

    Methods that learn from sums (those with ``partial_fit``, HSL and MLDA) send blocks of a NumPy
    array or a memory map to the device, and sum and solve there. X needs at least as many rows as
    columns. Only two blocks are on the device at a time, so X may be larger than its memory. Fitted
    arrays are on the host, as X is. Other methods and arrays, chunks and ``transform`` are not
    affected.

    Parameters
    ----------
    device : str, array or None, default=None
        A device of torch, such as "cuda" or "cuda:1"; or any array on a device, of CuPy for
        example; None means the host.
    sums : {"float64", "float32"}, default="float64"
        Precision of products of float32 rows on a device, whether they were there or are sent
        there. "float32" keeps about six digits per block of rows, fewer if columns are nearly
        dependent. torch uses TF32, with three digits, only if
        ``torch.set_float32_matmul_precision`` allows it. Blocks are added in float64. Sums on the
        host are always in float64.
    reproducible : bool, default=False
        Whether fitted attributes have the same bits for any number of threads, and, of
        ``partial_fit`` and ``fit_blocks``, for any chunks of the same rows in the same order. BLAS
        has one thread; chunks are cut again after every 8192 rows, which are held until then.
        Bits may differ between processors and versions, and between chunks and ``fit``. Not for
        devices and Dask arrays.

    Yields
    ------
    None
        Nothing; the setting holds inside the context.

    Examples
    --------
    >>> import labelspan as ls
    >>> yeast = ls.datasets.load_yeast()
    >>> with ls.config_context(device=None):
    ...     components = ls.MVMD(2).fit(yeast.X, yeast.Y).components_
    """
    if sums not in ("float64", "float32"):
        raise ValueError(f"sums={sums!r} is not known; use 'float64' or 'float32'.")
    if reproducible and device is not None:
        raise ValueError("device and reproducible=True exclude each other; leave one of them out.")
    setting = SETTING.get()._replace(sums=sums, reproducible=bool(reproducible))
    token = SETTING.set(setting._replace(device=reference_on(device)))
    try:
        yield
    finally:
        SETTING.reset(token)


def is_reproducible() -> bool:
    """Whether fits have the same bits for any number of threads and any chunks."""
    return SETTING.get().reproducible


def in_single(X: Any) -> bool:
    """Whether products of float32 rows on a device are computed in float32."""
    return SETTING.get().sums == "float32" and precision_of(X) == np.float32


def stream(arrays: tuple[Any, ...], blocks: list[slice]) -> Iterator[tuple[Any, ...]]:
    """Blocks of rows of X, labels and weights on the device; X is checked there."""
    X, rest = arrays[0], arrays[1:]
    target = SETTING.get().device
    pinned = library_of(target) == "torch" and target.is_cuda
    sent = pinned_blocks(X, blocks, target) if pinned else (like(target, X[b]) for b in blocks)
    for rows, block in zip(blocks, sent, strict=True):
        refuse_not_finite(block, rows)
        yield (block, *(like(target, densified(A[rows])) for A in rest))


def pinned_blocks(X: np.ndarray, blocks: list[slice], target: Any) -> Iterator[Any]:
    """Send blocks through two pinned buffers; one is filled while the device reads the other."""
    import torch

    height = max(rows.stop - rows.start for rows in blocks)
    dtype = torch.from_numpy(np.empty(0, dtype=X.dtype)).dtype
    buffers = [torch.empty((height, X.shape[1]), dtype=dtype, pin_memory=True) for _ in range(2)]
    events = [torch.cuda.Event() for _ in range(2)]

    def read(i: int) -> Any:
        rows, buffer = blocks[i], buffers[i % 2]
        # Wait until the buffer has been sent; an event that was never recorded is over.
        events[i % 2].synchronize()
        filled = buffer[: rows.stop - rows.start]
        np.copyto(filled.numpy(), X[rows])
        return filled

    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(read, 0)
        for i in range(len(blocks)):
            filled = coming.result()
            block = filled.to(target.device, non_blocking=True)
            events[i % 2].record()
            if i + 1 < len(blocks):
                coming = reader.submit(read, i + 1)
            yield block


def refuse_not_finite(block: Any, rows: slice) -> None:
    """Raise if a number of the block is not finite."""
    xp = namespace(block)
    if bool(xp.isfinite(sums_over(block))) or bool(xp.all(xp.isfinite(block))):
        return
    raise ValueError(
        f"Input X contains NaN or infinity, in rows {rows.start} to {rows.stop - 1}. Fill it in "
        "first, e.g. by sklearn.impute.SimpleImputer, or drop the rows."
    )
