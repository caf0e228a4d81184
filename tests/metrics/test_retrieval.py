"""Measures of search, against loops over all pairs of rows, and the exact search itself."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from labelspan.metrics import (
    nearest,
    retrieval_map_at_k,
    retrieval_ndcg_at_k,
    retrieval_precision_at_k,
    retrieval_recall_at_k,
    shared_label_at_k,
)

rng = np.random.default_rng(0)
X, Q = rng.standard_normal((200, 5)), rng.standard_normal((30, 5))
Y, Y_query = (rng.random((200, 6)) < 0.3).astype(int), (rng.random((30, 6)) < 0.3).astype(int)
Y_query[4] = 0
# Labels that no row of the index has: nothing is relevant to the query.
Y = np.hstack([Y, np.zeros((200, 1), int)])
Y_query = np.hstack([Y_query, np.zeros((30, 1), int)])
Y_query[7] = [0, 0, 0, 0, 0, 0, 1]


def slow_search(Q, X, metric):
    """All rows, by similarity in float32, then by number."""
    Q, X = Q.astype(np.float64), X.astype(np.float64)
    if metric == "cosine":
        Q, X = (A / np.linalg.norm(A, axis=1, keepdims=True) for A in (Q, X))
    S = Q @ X.T if metric != "euclidean" else -((Q[:, None] - X) ** 2).sum(2)
    return np.argsort(-S, axis=1, kind="stable")


def relevance(a, b, kind):
    common, either = int((a & b).sum()), int((a | b).sum())
    return float(common > 0) if kind == "shared" else common / max(either, 1)


def slow_measures(neighbours, k, kind):
    """Precision, recall, MAP and nDCG by loops over queries."""
    rows = []
    for i, near in enumerate(neighbours):
        if not Y_query[i].any():
            continue
        everything = [relevance(Y_query[i], y, kind) for y in Y]
        found = [everything[j] if j >= 0 else 0.0 for j in near[:k]]
        best = sorted(everything, reverse=True)[:k]

        def average(r):
            return sum(r[j] * sum(r[: j + 1]) / (j + 1) for j in range(k))

        def gain(r):
            return sum(r[j] / np.log2(j + 2) for j in range(k))

        rows.append(
            [
                sum(found) / k,
                sum(found) / sum(everything) if any(everything) else np.nan,
                average(found) / average(best) if any(everything) else np.nan,
                gain(found) / gain(best) if any(everything) else np.nan,
            ]
        )
    return np.nanmean(rows, axis=0)


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
@pytest.mark.parametrize("cells", [2**25, 450])
def test_the_search_is_exact_in_blocks(metric, cells, limit):
    limit("search cells", cells)
    assert_array_equal(nearest(Q, X, 7, metric=metric), slow_search(Q, X, metric)[:, :7])


def test_ties_go_to_the_first_row():
    rows = np.repeat(np.eye(3), 5, axis=0)
    for k in (1, 3, 5, 8):
        found = nearest(np.eye(3)[[1]], rows, k)
        assert_array_equal(found[0], [5, 6, 7, 8, 9, 0, 1, 2][:k])
    assert_array_equal(nearest(np.zeros((1, 3)), rows, 4), [[0, 1, 2, 3]])


def test_far_rows_and_other_forms():
    assert_array_equal(nearest(Q.tolist(), X.tolist(), 3), nearest(Q, X, 3))
    assert_array_equal(nearest(sparse.csr_array(Q), sparse.csr_array(X), 3), nearest(Q, X, 3))
    # Lengths are taken before the numbers are rounded to float32.
    assert_array_equal(nearest(Q * 1e30, X * 1e-30, 3), nearest(Q, X, 3))


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", [1e-100, 1e-30, 1e25, 1e100])
def test_numbers_beyond_float32(metric, form, scale):
    expected = nearest(Q, X, 5, metric=metric)
    assert_array_equal(nearest(form(Q * scale), form(X * scale), 5, metric=metric), expected)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shift", [1e3, 1e6])
def test_distances_far_from_the_origin(form, shift):
    expected = nearest(Q, X, 5, metric="euclidean")
    found = nearest(form(Q + shift), form(X + shift), 5, metric="euclidean")
    assert_array_equal(found, expected)


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
@pytest.mark.parametrize("cells", [2**24, 5000])
def test_equal_rows_are_found_in_order_wherever_they_are(metric, cells, limit):
    """Products of blocks round equal rows differently, by their place in the block."""
    limit("search cells", cells)
    limit("search pairs", 1000)
    few = rng.standard_normal((101, 48)).astype(np.float32)
    kind = rng.permutation(np.repeat(np.arange(101), 5))
    found = nearest(few + np.float32(0.01), few[kind], 12, metric=metric)
    assert len({tuple(kind[row]) for row in found}) == 101
    for row in found:
        for one in set(kind[row]):
            mine = row[kind[row] == one]
            assert_array_equal(mine, np.flatnonzero(kind == one)[: len(mine)])


def test_frames_and_integers():
    whole = np.rint(10 * Q).astype(int), np.rint(10 * X).astype(int)
    expected = nearest(*(A.astype(float) for A in whole), 4)
    assert_array_equal(nearest(*whole, 4), expected)
    assert_array_equal(nearest(*map(pd.DataFrame, whole), 4), expected)


@pytest.mark.parametrize("kind", ["jaccard", "shared"])
@pytest.mark.parametrize("k", [1, 4, 25])
def test_measures_are_those_of_loops(kind, k):
    neighbours = nearest(Q, X, 25)
    neighbours[3, 2:] = -1
    forms = [
        (Y_query, Y),
        (sparse.csr_array(Y_query), sparse.csr_array(Y)),
        (Y_query > 0, 2 * Y - 1),
    ]
    expected = slow_measures(neighbours, k, kind)
    measures = (
        retrieval_precision_at_k,
        retrieval_recall_at_k,
        retrieval_map_at_k,
        retrieval_ndcg_at_k,
    )
    for queries, index in forms:
        found = [m(queries, index, neighbours, k, relevance=kind) for m in measures]
        assert_allclose(found, expected, atol=1e-12)
    if kind == "shared":
        assert shared_label_at_k(Y_query, Y, neighbours, k) == pytest.approx(expected[0])


def test_an_ideal_search_has_the_value_one():
    order = [np.argsort([-relevance(a, b, "jaccard") for b in Y], kind="stable") for a in Y_query]
    for measure in (retrieval_map_at_k, retrieval_ndcg_at_k):
        assert measure(Y_query, Y, np.array(order), 10) == pytest.approx(1.0)
    assert retrieval_recall_at_k(Y_query, Y, np.array(order), 200) == pytest.approx(1.0)


def test_wrong_uses_are_refused():
    neighbours = nearest(Q, X, 3)
    for wrong, message in {
        "few": ({"neighbours": neighbours, "k": 4}, "at least k columns"),
        "rows": ({"neighbours": neighbours[1:], "k": 3}, "expected 30 rows, one per query"),
        "numbers": ({"neighbours": neighbours + 200, "k": 3}, "expected numbers below 200"),
    }.values():
        with pytest.raises(ValueError, match=message):
            shared_label_at_k(Y_query, Y, **wrong)
    with pytest.raises(ValueError, match="No query has a label"):
        shared_label_at_k(np.zeros_like(Y_query), Y, neighbours, 3)
    for k in (201, 0, 2.0):
        with pytest.raises(ValueError, match=f"k={k}; expected an integer from 1 to 200"):
            nearest(Q, X, k)
    with pytest.raises(ValueError, match="X holds NaN or infinity"):
        nearest(Q, np.where(X > 2, np.nan, X), 2)
    with pytest.raises(ValueError, match="Q holds NaN or infinity"):
        nearest(sparse.csr_array(np.where(Q > 2, np.inf, Q)), X, 2)
    with pytest.raises(ValueError, match=r"Q has shape \(5,\); expected rows, a 2-d array"):
        nearest(Q[0], X, 2)
    with pytest.raises(ValueError, match="neighbours holds float64; expected integers"):
        shared_label_at_k(Y_query, Y, neighbours.astype(float), 3)
    with pytest.raises(ValueError, match="Y_query has 6 labels and Y_index 7"):
        shared_label_at_k(Y_query[:, 1:], Y, neighbours, 3)
    with pytest.raises(ValueError, match=r"k=2.0; expected an integer >= 1"):
        shared_label_at_k(Y_query, Y, neighbours, 2.0)
    holes = Y_query.astype(float)
    holes[2, 3] = np.nan
    with pytest.raises(ValueError, match="Y_query holds labels that are not observed"):
        shared_label_at_k(holes, Y, neighbours, 3)
    with pytest.raises(ValueError, match="same number of columns"):
        nearest(Q[:, 1:], X, 2)
    with pytest.raises(ValueError, match="metric='angle' is not known"):
        nearest(Q, X, 2, metric="angle")
