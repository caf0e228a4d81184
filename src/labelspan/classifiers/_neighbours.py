"""Nearest training rows, by an exact search, a scikit-learn backend or given distances."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from labelspan.arrays import dense, values_of
from labelspan.classifiers._select import (
    select_dense,
    select_distances,
    select_graph,
    select_sparse,
)
from labelspan.jit import read_only
from labelspan.system import one_blas_thread

# Cells of a block of inner products (32 MB), and the fewest rows that keep the product fast.
BLOCK_CELLS = 2**22
MIN_BLOCK_ROWS = 32
MAX_BLOCK_ROWS = 1024
# Below this share of stored entries, a loop over shared features beats a matrix product.
SPARSE_BELOW = 0.1


def nearest_rows(
    T: Any,
    Q: Any,
    n_neighbors: int,
    *,
    metric: Any = "euclidean",
    algorithm: str = "auto",
    metric_params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Nearest rows of T for those of Q, or each of T, by exact distance, then index: (n, k)."""
    extra = dict(metric_params or {})
    # scikit-learn has a parameter of its own for the power of "minkowski".
    power = extra.pop("p", 2)
    euclidean = metric in ("euclidean", "l2") or (metric == "minkowski" and power == 2)
    if extra or not euclidean or algorithm not in ("auto", "brute"):
        backend = NearestNeighbors(
            n_neighbors=n_neighbors,
            metric=metric,
            algorithm=algorithm,
            p=power,
            metric_params=extra or None,
            n_jobs=n_jobs,
        ).fit(T)
        distances, rows = backend.kneighbors(Q)
        order = np.lexsort((rows, distances), axis=1)
        return np.take_along_axis(rows, order, axis=1)
    sparse_rows = sparse.issparse(T) or np.count_nonzero(T) < SPARSE_BELOW * T.size
    search = _sparse_search(T, Q) if sparse_rows else _dense_search(T, Q)
    n_queries = (T if Q is None else Q).shape[0]
    return _in_blocks(search, n_queries, T.shape[0], n_neighbors, n_jobs)


def nearest_of_distances(
    distances: Any, n_neighbors: int, *, leave_one_out: bool, n_jobs: int | None = None
) -> np.ndarray:
    """Nearest training rows by distances (n_queries, n_train), then by index.

    Entries that a sparse array does not store are infinitely far. With `leave_one_out`, queries are
    the training rows, and none finds itself.
    """
    values = values_of(distances)
    if values.min(initial=0.0) < 0:
        raise ValueError(
            f"The precomputed distances have the value {values.min():.3g}; distances are not "
            "negative. Turn similarities into distances first."
        )

    def dense(rows: slice, chosen: np.ndarray) -> None:
        block = read_only(distances[rows], np.float64)
        own = rows.start if leave_one_out else -1
        select_distances(block, own, chosen, np.empty(n_neighbors))

    def stored(rows: slice, chosen: np.ndarray) -> None:
        block = distances[rows]
        found = np.empty(len(chosen), dtype=np.int64)
        own = rows.start if leave_one_out else -1
        select_graph(*_parts(block), own, chosen, found, np.empty(n_neighbors))
        if (found < n_neighbors).any():
            row = int(np.argmin(found))
            raise ValueError(
                f"Row {rows.start + row} of the precomputed graph stores {found[row]} neighbours "
                f"but n_neighbors={n_neighbors} are needed (a training row does not count "
                "itself); compute the graph with more neighbours."
            )

    search = stored if sparse.issparse(distances) else dense
    return _in_blocks(search, distances.shape[0], distances.shape[1], n_neighbors, n_jobs)


def _dense_search(T: np.ndarray, Q: Any) -> Callable[[slice, np.ndarray], None]:
    T = read_only(T, np.float64)
    n_features = T.shape[1]
    values = values_of(Q)
    exact = _whole(T, n_features) and (Q is None or _whole(values, n_features))
    # Rounding errors grow with the norms, so the mean is subtracted unless products are exact.
    centre = 0.0 if exact else T.mean(axis=0)
    centred = T if exact else T - centre
    norms = np.einsum("ij,ij->i", centred, centred)
    slack = 0.0 if exact else _slack(n_features)

    def search(rows: slice, chosen: np.ndarray) -> None:
        block = T[rows] if Q is None else read_only(dense(Q[rows]), np.float64)
        about = block - centre
        q_norms = np.einsum("ij,ij->i", about, about)
        own = rows.start if Q is None else -1
        products = about @ centred.T
        best, room = np.empty(chosen.shape[1]), np.empty(len(T), dtype=np.int64)
        select_dense(products, block, T, q_norms, norms, slack, own, chosen, best, room)

    return search


def _sparse_search(T: Any, Q: Any) -> Callable[[slice, np.ndarray], None]:
    T = _sorted_csr(T)
    queries = T if Q is None else _sorted_csr(Q)
    columns = T.tocsc()
    norms = np.asarray(T.multiply(T).sum(axis=1)).ravel()
    exact = _whole(T.data, T.shape[1]) and _whole(queries.data, T.shape[1])
    slack = 0.0 if exact else _slack(T.shape[1])
    fixed = (*_parts(T), *_parts(columns), norms, slack)

    def search(rows: slice, chosen: np.ndarray) -> None:
        block = queries[rows]
        own = rows.start if Q is None else -1
        best, room = np.empty(chosen.shape[1]), np.empty(len(norms), dtype=np.int64)
        products = np.empty(len(norms))
        select_sparse(*_parts(block), *fixed, own, chosen, best, room, products)

    return search


def _in_blocks(
    search: Callable[[slice, np.ndarray], None],
    n_queries: int,
    n_train: int,
    n_neighbors: int,
    n_jobs: int | None,
) -> np.ndarray:
    """Run a search over blocks of queries in threads; BLAS then uses one thread each."""
    chosen = np.empty((n_queries, n_neighbors), dtype=np.int64)
    size = int(np.clip(BLOCK_CELLS // n_train, MIN_BLOCK_ROWS, MAX_BLOCK_ROWS))
    blocks = [slice(start, min(start + size, n_queries)) for start in range(0, n_queries, size)]
    with one_blas_thread() if effective_n_jobs(n_jobs) > 1 else nullcontext():
        Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(search)(rows, chosen[rows]) for rows in blocks
        )
    return chosen


def _whole(values: np.ndarray, n_terms: int) -> bool:
    """Whether all values are integers small enough for exact inner products of `n_terms`."""
    largest = float(np.abs(values).max(initial=0.0))
    return bool(largest**2 * n_terms < 2**51 and (values == np.rint(values)).all())


def _slack(n_features: int) -> float:
    """Bound of the rounding error of a squared distance, over the sum of the squared norms."""
    return 4 * (n_features + 4) * float(np.finfo(np.float64).eps)


def _parts(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arrays of a CSR or CSC array, with one index type."""
    index = np.int32 if X.nnz < 2**31 else np.int64
    return (
        read_only(X.indptr, index),
        read_only(X.indices, index),
        read_only(X.data, np.float64),
    )


def _sorted_csr(X: Any) -> Any:
    X = sparse.csr_array(X).astype(np.float64)
    X.sum_duplicates()
    X.sort_indices()
    return X
