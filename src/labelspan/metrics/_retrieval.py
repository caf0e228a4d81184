"""Measures of search: whether the nearest rows have the labels of the query."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.gate import check_truth
from labelspan.metrics._input import check_choice

# Relevances that are held at a time.
BLOCK_CELLS = 2**25
RELEVANCE = ("jaccard", "shared")


def shared_label_at_k(Y_query: Any, Y_index: Any, neighbours: Any, k: int = 10) -> float:
    """Mean share of the k nearest rows that have a label in common with the query.

    Parameters
    ----------
    Y_query : array-like or sparse of shape (n_queries, n_labels)
        Labels of the queries; those without labels are left out.
    Y_index : array-like or sparse of shape (n_rows, n_labels)
        Labels of the rows of the index.
    neighbours : array-like of int of shape (n_queries, at least k)
        Row numbers, the most similar first, as :func:`nearest` or an index returns them; -1 is no
        row.
    k : int, default=10
        Number of neighbours that count.

    Returns
    -------
    float
        Between 0 and 1; larger is better.

    Examples
    --------
    >>> from labelspan.metrics import shared_label_at_k
    >>> shared_label_at_k([[1, 0]], [[1, 1], [0, 1], [1, 0]], [[0, 1]], k=2)
    0.5
    """
    return retrieval_precision_at_k(Y_query, Y_index, neighbours, k, relevance="shared")


def retrieval_precision_at_k(
    Y_query: Any, Y_index: Any, neighbours: Any, k: int = 10, *, relevance: str = "jaccard"
) -> float:
    """Mean relevance of the k nearest rows.

    Parameters
    ----------
    Y_query : array-like or sparse of shape (n_queries, n_labels)
        Labels of the queries; those without labels are left out.
    Y_index : array-like or sparse of shape (n_rows, n_labels)
        Labels of the rows of the index.
    neighbours : array-like of int of shape (n_queries, at least k)
        Row numbers, the most similar first; -1 is no row, of relevance 0.
    k : int, default=10
        Number of neighbours that count.
    relevance : {"jaccard", "shared"}, default="jaccard"
        Number of common labels over the number of labels that either has; or 1 if there is a common
        label.

    Returns
    -------
    float
        Between 0 and 1; larger is better.

    Examples
    --------
    >>> from labelspan.metrics import retrieval_precision_at_k
    >>> retrieval_precision_at_k([[1, 0]], [[1, 1], [0, 1], [1, 0]], [[0, 2]], k=2)
    0.75
    """
    found, _, _ = _relevances(Y_query, Y_index, neighbours, k, relevance, ideal=False)
    return float(found.sum(axis=1).mean() / k)


def retrieval_recall_at_k(
    Y_query: Any, Y_index: Any, neighbours: Any, k: int = 10, *, relevance: str = "jaccard"
) -> float:
    """Mean share of the relevance of all rows that the k nearest have.

    Parameters
    ----------
    Y_query : array-like or sparse of shape (n_queries, n_labels)
        Labels of the queries; those to which no row is relevant are left out.
    Y_index : array-like or sparse of shape (n_rows, n_labels)
        Labels of the rows of the index.
    neighbours : array-like of int of shape (n_queries, at least k)
        Row numbers, the most similar first; -1 is no row, of relevance 0.
    k : int, default=10
        Number of neighbours that count.
    relevance : {"jaccard", "shared"}, default="jaccard"
        As in :func:`retrieval_precision_at_k`.

    Returns
    -------
    float
        Between 0 and 1; larger is better.

    Examples
    --------
    >>> from labelspan.metrics import retrieval_recall_at_k
    >>> retrieval_recall_at_k([[1, 0]], [[1, 0], [0, 1], [1, 0]], [[0, 1]], k=2)
    0.5
    """
    found, total, _ = _relevances(Y_query, Y_index, neighbours, k, relevance)
    some = total > 0
    return _mean(found[some].sum(axis=1) / total[some])


def retrieval_map_at_k(
    Y_query: Any, Y_index: Any, neighbours: Any, k: int = 10, *, relevance: str = "jaccard"
) -> float:
    """Mean average precision of the k nearest rows, over that of the best order.

    With relevances r_i, a query has sum_i r_i (r_1 + ... + r_i) / i over i <= k, divided by the
    same of the k most relevant rows, most relevant first; for relevances 0 and 1 this is the usual
    average precision over min(k, relevant rows).

    Parameters
    ----------
    Y_query : array-like or sparse of shape (n_queries, n_labels)
        Labels of the queries; those to which no row is relevant are left out.
    Y_index : array-like or sparse of shape (n_rows, n_labels)
        Labels of the rows of the index.
    neighbours : array-like of int of shape (n_queries, at least k)
        Row numbers, the most similar first; -1 is no row, of relevance 0.
    k : int, default=10
        Number of neighbours that count.
    relevance : {"jaccard", "shared"}, default="jaccard"
        As in :func:`retrieval_precision_at_k`.

    Returns
    -------
    float
        Between 0 and 1; larger is better.

    Examples
    --------
    >>> from labelspan.metrics import retrieval_map_at_k
    >>> retrieval_map_at_k([[1, 0]], [[1, 0], [0, 1]], [[1, 0]], k=2)
    0.5
    """
    found, _, best = _relevances(Y_query, Y_index, neighbours, k, relevance)
    places = np.arange(1, k + 1)
    ours, ideal = (np.sum(r * np.cumsum(r, axis=1) / places, axis=1) for r in (found, best))
    return _mean(ours[ideal > 0] / ideal[ideal > 0])


def retrieval_ndcg_at_k(
    Y_query: Any, Y_index: Any, neighbours: Any, k: int = 10, *, relevance: str = "jaccard"
) -> float:
    """Mean normalised discounted cumulative gain of the k nearest rows.

    Parameters
    ----------
    Y_query : array-like or sparse of shape (n_queries, n_labels)
        Labels of the queries; those to which no row is relevant are left out.
    Y_index : array-like or sparse of shape (n_rows, n_labels)
        Labels of the rows of the index.
    neighbours : array-like of int of shape (n_queries, at least k)
        Row numbers, the most similar first; -1 is no row, of relevance 0.
    k : int, default=10
        Number of neighbours that count.
    relevance : {"jaccard", "shared"}, default="jaccard"
        As in :func:`retrieval_precision_at_k`; it is the gain.

    Returns
    -------
    float
        Between 0 and 1; larger is better.

    Examples
    --------
    >>> from labelspan.metrics import retrieval_ndcg_at_k
    >>> retrieval_ndcg_at_k([[1, 0]], [[1, 0], [0, 1]], [[0, 1]], k=2)
    1.0
    """
    found, _, best = _relevances(Y_query, Y_index, neighbours, k, relevance)
    discount = 1 / np.log2(np.arange(2, k + 2))
    ours, ideal = found @ discount, best @ discount
    return _mean(ours[ideal > 0] / ideal[ideal > 0])


def _mean(values: np.ndarray) -> float:
    """The mean over queries, NaN without any."""
    return float(values.mean()) if len(values) else float("nan")


def _relevances(
    Y_query: Any, Y_index: Any, neighbours: Any, k: int, relevance: str, ideal: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Relevances (n, k) of neighbours, their sum over the index, and the k largest there."""
    check_choice("relevance", relevance, RELEVANCE)
    A, B = _labels(Y_query, "Y_query"), _labels(Y_index, "Y_index")
    if A.shape[1] != B.shape[1]:
        raise ValueError(
            f"Y_query has {A.shape[1]} labels and Y_index {B.shape[1]}; expected the same labels."
        )
    neighbours = _checked(neighbours, A.shape[0], B.shape[0], k)
    labelled = np.flatnonzero(np.diff(A.indptr) > 0)
    if len(labelled) == 0:
        raise ValueError("No query has a label. Pass the labels of the queries as Y_query.")
    A, neighbours = A[labelled], neighbours[labelled, :k]
    (a_sets, a_of), (b_sets, b_of) = _label_sets(A), _label_sets(B)
    counts = np.bincount(b_of, minlength=b_sets.shape[0])
    found = np.zeros(neighbours.shape)
    total, best = np.zeros(len(found)), np.zeros(neighbours.shape)
    height = max(BLOCK_CELLS // (8 * b_sets.shape[0]), 1)
    for start in range(0, a_sets.shape[0], height):
        between = _between(a_sets[start : start + height], b_sets, relevance)
        rows = np.flatnonzero((a_of >= start) & (a_of < start + height))
        own, near = a_of[rows] - start, neighbours[rows]
        found[rows] = np.where(near >= 0, between[own[:, None], b_of[near]], 0.0)
        if ideal:
            total[rows] = (between @ counts)[own]
            best[rows] = _largest(between, counts, k)[own]
    return found, total, best


def _labels(Y: Any, name: str) -> Any:
    """Labels, all of them observed, as a CSR array."""
    Y, observed = check_truth(Y, None, name)
    if observed is not None:
        raise ValueError(
            f"{name} holds labels that are not observed (NaN), so it is not known which rows have "
            "a label in common. Leave out the rows or the labels that miss one."
        )
    return sparse.csr_array(Y, dtype=np.float64)


def _checked(neighbours: Any, n_queries: int, n_rows: int, k: int) -> np.ndarray:
    neighbours = np.asarray(neighbours)
    if not isinstance(k, Integral):
        raise ValueError(f"k={k!r}; expected an integer >= 1, a number of neighbours.")
    if neighbours.ndim != 2 or len(neighbours) != n_queries or not 1 <= k <= neighbours.shape[1]:
        raise ValueError(
            f"neighbours has shape {neighbours.shape}, and k={k}; expected {n_queries} rows, one "
            "per query, of at least k columns, and k >= 1."
        )
    if neighbours.dtype.kind not in "iu":
        raise ValueError(f"neighbours holds {neighbours.dtype}; expected integers, row numbers.")
    if neighbours.size and not -1 <= neighbours.min() <= neighbours.max() < n_rows:
        raise ValueError(
            f"neighbours holds rows from {neighbours.min()} to {neighbours.max()}; expected "
            f"numbers below {n_rows}, the rows of Y_index, or -1 for none."
        )
    return neighbours


def _largest(between: np.ndarray, counts: np.ndarray, k: int) -> np.ndarray:
    """The k largest relevances to each query, where a label set counts as often as rows have it."""
    best = np.zeros((len(between), k))
    for i, row in enumerate(between):
        some = np.argsort(-row, kind="stable")[:k]
        largest = np.repeat(row[some], np.minimum(counts[some], k))[:k]
        best[i, : len(largest)] = largest
    return best


def _label_sets(Y: Any) -> tuple[Any, np.ndarray]:
    """The distinct rows, and which of them each row is."""
    sets: dict[bytes, int] = {}
    Y.sort_indices()
    of = np.empty(Y.shape[0], dtype=np.int64)
    for i in range(Y.shape[0]):
        of[i] = sets.setdefault(Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tobytes(), len(sets))
    first = np.unique(of, return_index=True)[1]
    return Y[first], of


def _between(A: Any, B: Any, relevance: str) -> np.ndarray:
    """Relevances between distinct label sets."""
    common = (A @ B.T).toarray()
    if relevance == "shared":
        return (common > 0).astype(np.float64)
    either = np.diff(A.indptr)[:, None] + np.diff(B.indptr) - common
    return np.asarray(common / np.maximum(either, 1))
