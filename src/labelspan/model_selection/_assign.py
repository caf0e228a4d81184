"""Assignment of rows to parts so that each part has its share of every label."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelspan.jit import inner_kernel, kernel

# Steps of the loop per label of a row and part.
STEPS = 2


def assign(Y: Any, sizes: np.ndarray, random_state: np.random.RandomState | None) -> np.ndarray:
    """Part (n,) of each row, of exactly its size, by iterative stratification.

    Sechidis, Tsoumakas and Vlahavas (ECML PKDD 2011), with two changes: a full part accepts no more
    rows; ties are broken by the row's other labels that the part lacks, over their numbers of rows.
    """
    n_samples = Y.shape[0]
    order = np.arange(n_samples) if random_state is None else random_state.permutation(n_samples)
    # Rows are renumbered, so that the kernel itself needs no random numbers.
    shuffled = sparse.csr_array(Y[order])
    columns = shuffled.tocsc()
    shares = sizes / n_samples
    totals = np.diff(columns.indptr).astype(np.float64)
    lacking = totals[:, None] * shares
    part = np.full(n_samples, -1, dtype=np.int64)
    _assign_labelled.for_steps(STEPS * shuffled.nnz * len(sizes))(
        shuffled.indptr.astype(np.int64),
        shuffled.indices.astype(np.int64),
        columns.indptr.astype(np.int64),
        columns.indices.astype(np.int64),
        lacking,
        sizes.astype(np.int64).copy(),
        part,
    )
    rest = np.flatnonzero(part < 0)
    free = sizes - np.bincount(part[part >= 0], minlength=len(sizes))
    part[rest] = _spread(free)
    result = np.empty(n_samples, dtype=np.int64)
    result[order] = part
    return result


def _spread(free: np.ndarray) -> np.ndarray:
    """Parts for the rows without labels, spread evenly over the free places."""
    parts = np.repeat(np.arange(len(free)), free)
    turn = np.concatenate([(np.arange(size) + 0.5) / size for size in free])
    return parts[np.argsort(turn, kind="stable")]


@kernel
def _assign_labelled(row_starts, row_labels, label_starts, label_rows, lacking, free, part):  # type: ignore[no-untyped-def]
    """Place every row that has a label; updates `lacking`, `free` and `part`."""
    n_labels, n_parts = lacking.shape
    left = np.empty(n_labels, np.int64)
    for label in range(n_labels):
        left[label] = label_starts[label + 1] - label_starts[label]
    # Bucket queue of labels by unassigned rows: head[c], then linked by `after`.
    largest = 0
    for label in range(n_labels):
        largest = max(largest, left[label])
    head = np.full(largest + 1, -1, np.int64)
    after = np.full(n_labels, -1, np.int64)
    before = np.full(n_labels, -1, np.int64)
    for label in range(n_labels - 1, -1, -1):
        _link(label, left[label], head, after, before)
    weight = np.empty(n_labels)
    for label in range(n_labels):
        weight[label] = 1.0 / max(1, left[label])
    need = np.empty(n_parts)
    fewest = 1
    while fewest <= largest:
        label = head[fewest]
        if label < 0:
            fewest += 1
            continue
        for place in range(label_starts[label], label_starts[label + 1]):
            row = label_rows[place]
            if part[row] >= 0:
                continue
            need[:] = 0.0
            for entry in range(row_starts[row], row_starts[row + 1]):
                other = row_labels[entry]
                for p in range(n_parts):
                    need[p] += weight[other] * lacking[other, p]
            chosen = _choose(lacking[label], need, free)
            part[row] = chosen
            free[chosen] -= 1
            for entry in range(row_starts[row], row_starts[row + 1]):
                other = row_labels[entry]
                lacking[other, chosen] -= 1.0
                _unlink(other, left[other], head, after, before)
                left[other] -= 1
                _link(other, left[other], head, after, before)
                if 0 < left[other] < fewest:
                    fewest = left[other]


@inner_kernel
def _choose(lack, need, free):  # type: ignore[no-untyped-def]
    """Open part that needs this label most; break ties by the row's labels, then free places."""
    chosen = -1
    for p in range(len(free)):
        if free[p] == 0:
            continue
        if chosen < 0:
            chosen = p
            continue
        # Shares are sums of rounded fractions, so equal ones may differ in their last digits.
        gap = lack[p] - lack[chosen]
        if abs(gap) < 1e-9:
            gap = need[p] - need[chosen]
            if abs(gap) < 1e-9:
                gap = free[p] - free[chosen]
        if gap > 0:
            chosen = p
    return chosen


@inner_kernel
def _link(label, count, head, after, before):  # type: ignore[no-untyped-def]
    first = head[count]
    after[label] = first
    before[label] = -1
    if first >= 0:
        before[first] = label
    head[count] = label


@inner_kernel
def _unlink(label, count, head, after, before):  # type: ignore[no-untyped-def]
    if before[label] >= 0:
        after[before[label]] = after[label]
    else:
        head[count] = after[label]
    if after[label] >= 0:
        before[after[label]] = before[label]
