"""How many neighbours have each label, counted without an (n, q) table."""

from __future__ import annotations

import numpy as np

from labelspan._jit import kernel


@kernel
def neighbour_histogram(neighbours, starts, labels, n_labels):  # type: ignore[no-untyped-def]
    """Count the training rows by label, membership and number of neighbours with the label.

    Parameters
    ----------
    neighbours : ndarray of int of shape (n, k)
        Neighbours of each training row.
    starts, labels : ndarray of int
        Row starts and column indices of the CSR labels of the training rows.
    n_labels : int
        Number of labels.

    Returns
    -------
    ndarray of shape (2, n_labels, k + 1)
        Entry [b, l, j]: rows that have label l (b = 1) or not (b = 0) and of whose neighbours
        j have it.
    """
    n, k = neighbours.shape
    table = np.zeros((2, n_labels, k + 1))
    counts = np.zeros(n_labels, np.int64)
    touched = np.empty(n_labels, np.int64)
    has = np.zeros(n_labels, np.int64)
    total = np.zeros(n_labels)
    for i in range(n):
        n_touched = _count(neighbours[i], starts, labels, counts, touched)
        for entry in range(starts[i], starts[i + 1]):
            has[labels[entry]] = 1
            total[labels[entry]] += 1
        for t in range(n_touched):
            label = touched[t]
            table[has[label], label, counts[label]] += 1
            counts[label] = 0
        for entry in range(starts[i], starts[i + 1]):
            has[labels[entry]] = 0
    # Rows none of whose neighbours have a label are the rest: no pass over all (row, label).
    for label in range(n_labels):
        table[1, label, 0] = total[label] - table[1, label].sum()
        table[0, label, 0] = n - total[label] - table[0, label].sum()
    return table


@kernel
def look_up(neighbours, starts, labels, table, out):  # type: ignore[no-untyped-def]
    """Write table[l, number of neighbours with label l] into out[i, l].

    Parameters
    ----------
    neighbours : ndarray of int of shape (n, k)
        Training rows next to each query row.
    starts, labels : ndarray of int
        Row starts and column indices of the CSR labels of the training rows.
    table : ndarray of shape (n_labels, k + 1)
        Value of each count.
    out : ndarray of shape (n, n_labels)
        Filled.
    """
    n_labels = table.shape[0]
    counts = np.zeros(n_labels, np.int64)
    touched = np.empty(n_labels, np.int64)
    for i in range(len(neighbours)):
        for label in range(n_labels):
            out[i, label] = table[label, 0]
        n_touched = _count(neighbours[i], starts, labels, counts, touched)
        for t in range(n_touched):
            label = touched[t]
            out[i, label] = table[label, counts[label]]
            counts[label] = 0


@kernel
def _count(rows, starts, labels, counts, touched):  # type: ignore[no-untyped-def]
    """Add up the labels of some rows; returns the number of labels in `touched`."""
    n_touched = 0
    for row in rows:
        for entry in range(starts[row], starts[row + 1]):
            label = labels[entry]
            if counts[label] == 0:
                touched[n_touched] = label
                n_touched += 1
            counts[label] += 1
    return n_touched
