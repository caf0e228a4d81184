"""ML-kNN on nested projections; squared distances add up over dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from labelspan.arrays import row_keys
from labelspan.classifiers import look_up, nearest_of_distances, neighbour_histogram, posterior

# Cells of a block of distances (32 MB).
BLOCK_CELLS = 2**22


def neighbour_scores(
    readouts: Sequence[Any], T: np.ndarray, Y: Any, Z: np.ndarray, counts: Sequence[int]
) -> Iterator[tuple[int, Sequence[int], np.ndarray]]:
    """Probabilities (n, q) of each MLkNN on the first k projections, for each k.

    One pass over the distances: time O((n + n_train) n_train K), memory of a block and the
    neighbours.
    """
    Y = sparse.csr_array(Y)
    n_train = len(T)
    most = min(max(readout.n_neighbors for readout in readouts), n_train - 1)
    inside = nested_neighbours(T, None, most, counts)
    outside = nested_neighbours(T, Z, most, counts)
    for k, near, query in zip(counts, inside, outside, strict=True):
        for r, readout in enumerate(readouts):
            n_near = min(readout.n_neighbors, most)
            histogram = neighbour_histogram(near[:, :n_near], Y)
            s = readout.smoothing
            prior = (s + histogram[1].sum(axis=1)) / (2 * s + n_train)
            table = posterior(histogram, prior, s)
            yield r, [k], look_up(query[:, :n_near], Y, table)[None]


def first_of_equal_rows(X: Any) -> np.ndarray:
    """For each row of a dense or CSR array the first row that equals it, (n,)."""
    first: dict[bytes, int] = {}
    return np.array([first.setdefault(key, i) for i, key in enumerate(row_keys(X))])


def nested_neighbours(
    T: np.ndarray, Z: np.ndarray | None, n_neighbors: int, counts: Sequence[int]
) -> np.ndarray:
    """Nearest rows of T by the first k columns, for each k: (n_counts, n, n_neighbors).

    Ordered by distance, then by index. Without Z, each row of T is compared with the others.
    """
    queries = T if Z is None else Z
    found = np.empty((len(counts), len(queries), n_neighbors), dtype=np.int64)
    height = max(BLOCK_CELLS // len(T), 1)
    for first in range(0, len(queries), height):
        block = queries[first : first + height]
        squares, start = np.zeros((len(block), len(T))), 0
        if Z is None:
            squares[np.arange(len(block)), first + np.arange(len(block))] = np.inf
        for i, k in enumerate(counts):
            squares += cdist(block[:, start:k], T[:, start:k], "sqeuclidean")
            start = k
            near = nearest_of_distances(squares, n_neighbors, leave_one_out=False)
            found[i, first : first + len(block)] = near
    return found
