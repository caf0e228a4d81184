"""Labels and scores on a device are compared and ranked there; sums and counts come back."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.arrays import (
    block_bytes,
    cast,
    count_true,
    finite,
    is_followed,
    like,
    namespace,
    to_host,
)

# Bytes per score while ranks are computed.
RANK_BYTES = 80


def in_one_place(
    Y_true: Any, output: Any, observed: Any, *, scores: bool = False
) -> tuple[bool, Any, Any]:
    """Truth as booleans and output on one device; codings, gaps and errors are the host's."""
    stays = observed is None and is_followed(output)
    found = on_the_device(Y_true, output, scores) if stays else None
    return (True, *found) if found else (False, to_host(Y_true), to_host(output))


def on_the_device(Y_true: Any, output: Any, scores: bool) -> tuple[Any, Any] | None:
    if getattr(Y_true, "ndim", 0) != 2 or tuple(Y_true.shape) != tuple(output.shape):
        return None
    if isinstance(Y_true, np.ndarray) and Y_true.dtype.kind in "biuf":
        Y_true = like(output, Y_true)
    if 0 in Y_true.shape or type(Y_true) is not type(output) or Y_true.device != output.device:
        return None
    truth = indicators(Y_true)
    if not scores:
        output = indicators(output)
    elif not namespace(output).isdtype(output.dtype, "real floating") or not finite(output):
        return None
    return None if truth is None or output is None else (truth, output)


def indicators(Y: Any) -> Any:
    xp = namespace(Y)
    if Y.dtype == xp.bool:
        return Y
    ones = Y == 1
    return ones if bool(xp.all(ones | (Y == 0))) else None


def device_ranks(Y: Any, S: Any) -> tuple[np.ndarray, ...]:
    """The fields of `LabelRanks`, on the host, by blocks of rows as the memory allows."""
    n_rows, n_labels = S.shape
    height = max(block_bytes(S) // (RANK_BYTES * n_labels), 1)
    blocks = (slice(i, min(i + height, n_rows)) for i in range(0, n_rows, height))
    parts = [ranks_of_block(Y[rows, :], S[rows, :]) for rows in blocks]
    n_true, *fields = (np.concatenate(part) for part in zip(*parts, strict=True))
    starts = np.concatenate([[0], np.cumsum(n_true)])
    return np.full(n_rows, n_labels), starts, *fields


def ranks_of_block(Y: Any, S: Any) -> tuple[np.ndarray, ...]:
    """True labels of each row; the label, and the six counts, of each of them."""
    xp = namespace(S)
    n_rows, n_labels = S.shape
    order = xp.argsort(-S, axis=1, stable=True)
    rows = n_labels * xp.arange(n_rows, dtype=order.dtype, device=S.device)
    flat = xp.reshape(order + rows[:, None], (-1,))
    true = xp.take(xp.reshape(Y, (-1,)), flat)
    sorted_ = xp.reshape(xp.take(xp.reshape(S, (-1,)), flat), S.shape)
    # A run starts at the first score of a row, and where a score differs from the one before it.
    first = xp.ones((n_rows, 1), dtype=xp.bool, device=S.device)
    starts_run = xp.reshape(xp.concat([first, sorted_[:, 1:] != sorted_[:, :-1]], axis=1), (-1,))
    end = xp.asarray([n_rows * n_labels], dtype=xp.int64, device=S.device)
    runs = xp.concat([cast(xp.nonzero(starts_run)[0], np.int64), end])
    run = cast(xp.cumulative_sum(cast(starts_run, np.int64)), np.int64) - 1
    before = xp.cumulative_sum(cast(true, np.int64), include_initial=True)
    place = cast(xp.nonzero(true)[0], np.int64)
    which = xp.take(run, place)
    begins, ends = xp.take(runs, which), xp.take(runs, which + 1)
    row = place - place % n_labels
    known = xp.take(before, row)
    found = (
        xp.take(xp.reshape(order, (-1,)), place),
        begins - row, ends - row, place - row,
        xp.take(before, begins) - known, xp.take(before, ends) - known,
        xp.take(before, place) - known,
    )  # fmt: skip
    return count_true(Y, axis=1), *(to_host(array) for array in found)
