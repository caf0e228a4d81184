"""Every measure against its definition written as loops, on data full of ties and empty sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from labelspan import metrics
from tests.metrics import brute

shapes = st.tuples(st.integers(1, 6), st.integers(1, 5))


@st.composite
def labels_and_scores(draw):
    shape = draw(shapes)
    Y = draw(arrays(bool, shape))
    # Only four values, so that ties are common; zeros, so that sparse scores have gaps.
    S = draw(arrays(float, shape, elements=st.sampled_from([-1.5, 0.0, 0.25, 2.0])))
    return Y, S


def defined(Y):
    return Y.any(axis=1) & ~Y.all(axis=1)


def mean_rows(function, Y, S, undefined_rows):
    keep = defined(Y) if undefined_rows == "skip" else np.ones(len(Y), bool)
    values = [function(y, s) for y, s in zip(Y[keep], S[keep], strict=True)]
    return np.mean(values) if values else np.nan


def with_stored_zeros(A):
    """A sparse array that stores every other zero, as a difference or a clipped one does."""
    stored = A != 0
    stored[::2, ::2] = stored[1::2, 1::2] = True
    rows, columns = np.nonzero(stored)
    return sparse.csr_array((A[rows, columns], (rows, columns)), shape=A.shape)


def forms(A):
    return [A, sparse.csr_array(A), sparse.coo_matrix(A), with_stored_zeros(A)]


@settings(max_examples=60, deadline=None)
@given(labels_and_scores(), st.sampled_from(["keep", "skip"]))
def test_ranking_measures_equal_definition(data, rows):
    Y, S = data
    for form_y, form_s in zip(forms(Y), forms(S)[::-1], strict=True):
        for ties, value in {"worst": 1.0, "average": 0.5, "best": 0.0}.items():
            expected = mean_rows(lambda y, s, v=value: brute.ranking_loss_row(y, s, v), Y, S, rows)
            actual = metrics.ranking_loss(form_y, form_s, ties=ties, undefined_rows=rows)
            assert actual == pytest.approx(expected, nan_ok=True)
            expected = mean_rows(lambda y, s, t=ties: brute.coverage_row(y, s, t), Y, S, rows)
            actual = metrics.coverage(form_y, form_s, ties=ties, undefined_rows=rows)
            assert actual == pytest.approx(expected, nan_ok=True)
        for ties in ("worst", "first"):
            expected = mean_rows(
                lambda y, s, t=ties: brute.average_precision_row(y, s, t), Y, S, rows
            )
            actual = metrics.average_precision(form_y, form_s, ties=ties, undefined_rows=rows)
            assert actual == pytest.approx(expected, nan_ok=True)
        for ties in ("first", "worst", "average", "best"):
            expected = mean_rows(lambda y, s, t=ties: brute.one_error_row(y, s, t), Y, S, rows)
            actual = metrics.one_error(form_y, form_s, ties=ties, undefined_rows=rows)
            assert actual == pytest.approx(expected, nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(labels_and_scores())
def test_areas_equal_definition(data):
    Y, S = data
    areas = np.array([brute.auc(y, s) for y, s in zip(Y.T, S.T, strict=True)])
    known = areas[~np.isnan(areas)]
    for form_y, form_s in zip(forms(Y), forms(S), strict=True):
        skipped = np.mean(known) if len(known) else np.nan
        assert metrics.macro_auc(form_y, form_s) == pytest.approx(skipped, nan_ok=True)
        filled = np.where(np.isnan(areas), 0.5, areas).mean()
        assert metrics.macro_auc(form_y, form_s, undefined_labels=0.5) == pytest.approx(filled)
        micro = brute.auc(Y.ravel(), S.ravel())
        assert metrics.micro_auc(form_y, form_s) == pytest.approx(micro, nan_ok=True)


def test_a_stored_zero_ties_with_the_zeros_that_are_not_stored():
    """One true and one false row, both with score 0: the area is the half of a tie."""
    Y = sparse.csr_array([[1], [0]])
    for row in (0, 1):
        S = sparse.csr_array(([0.0], ([row], [0])), shape=(2, 1))
        assert S.nnz == 1
        assert metrics.macro_auc(Y, S) == 0.5
        assert metrics.micro_auc(Y, S) == 0.5


@settings(max_examples=40, deadline=None)
@given(labels_and_scores(), st.integers(1, 6), st.sampled_from(["average", "first"]))
def test_top_k_measures_equal_definition(data, k, ties):
    Y, S = data
    q = Y.shape[1]
    place = (np.arange(q) < k) * 1.0
    discount = place / np.log2(np.arange(q) + 2)
    hits = np.array([brute.gain_row(y, s, place, ties) for y, s in zip(Y, S, strict=True)])
    gains = np.array([brute.gain_row(y, s, discount, ties) for y, s in zip(Y, S, strict=True)])
    best = np.array([sum(discount[: y.sum()]) for y in Y])
    n_true = Y.sum(axis=1)
    for form_y, form_s in zip(forms(Y), forms(S), strict=True):
        assert metrics.precision_at_k(form_y, form_s, k, ties=ties) == pytest.approx(
            hits.mean() / k
        )
        recall = np.mean([brute.ratio(h, n, 1.0) for h, n in zip(hits, n_true, strict=True)])
        actual = metrics.recall_at_k(form_y, form_s, k, ties=ties, zero_division=1)
        assert actual == pytest.approx(recall)
        ndcg = [g / b for g, b in zip(gains, best, strict=True) if b]
        actual = metrics.ndcg_at_k(form_y, form_s, k, ties=ties, zero_division=np.nan)
        assert actual == pytest.approx(np.mean(ndcg) if ndcg else np.nan, nan_ok=True)


@settings(max_examples=40, deadline=None)
@given(labels_and_scores(), st.integers(1, 6))
def test_propensity_scored_precision_equals_definition(data, k):
    Y, S = data
    q = Y.shape[1]
    p = np.linspace(0.2, 0.9, q)
    place = (np.arange(q) < k) * 1.0
    gained = sum(brute.gain_row(y / p, s, place, "average") for y, s in zip(Y, S, strict=True))
    best = sum(brute.gain_row(y / p, y / p, place, "average") for y in Y)
    for form_y, form_s in zip(forms(Y), forms(S), strict=True):
        actual = metrics.propensity_scored_precision_at_k(form_y, form_s, k, propensities=p)
        assert actual == pytest.approx(gained / best if best else np.nan, nan_ok=True)
        raw = metrics.propensity_scored_precision_at_k(
            form_y, form_s, k, propensities=p, normalize=False
        )
        assert raw == pytest.approx(gained / (len(Y) * k))


@settings(max_examples=60, deadline=None)
@given(
    shapes.flatmap(lambda s: st.tuples(arrays(bool, s), arrays(bool, s))),
    st.sampled_from([0.0, 1.0]),
)
def test_set_measures_equal_definition(data, zero):
    Y, P = data
    for form_y, form_p in zip(forms(Y), forms(P)[::-1], strict=True):
        for name, expected in brute.set_measures(Y, P, zero).items():
            fixed = name in ("hamming_loss", "subset_accuracy")
            arguments = {} if fixed else {"zero_division": zero}
            assert getattr(metrics, name)(form_y, form_p, **arguments) == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(shapes.flatmap(lambda s: st.tuples(arrays(bool, s), arrays(bool, s))), st.floats(0.1, 5))
def test_smoothed_f1_is_that_of_rows_added_to_each_label(data, smoothing):
    Y, P = data
    common, total = (Y & P).sum(axis=0), Y.sum(axis=0) + P.sum(axis=0)
    expected = np.mean(
        [2 * (c + smoothing) / (t + 2 * smoothing) for c, t in zip(common, total, strict=True)]
    )
    assert metrics.macro_f1(Y, P, smoothing=smoothing) == pytest.approx(expected)
    if smoothing < 1:
        return
    # Whole rows with every label, true and predicted.
    k = int(smoothing)
    more = [np.vstack([A, np.ones((k, A.shape[1]), dtype=bool)]) for A in (Y, P)]
    assert metrics.macro_f1(Y, P, smoothing=k) == pytest.approx(metrics.macro_f1(*more))


@pytest.mark.parametrize("smoothing", [-1.0, np.nan, np.inf])
def test_smoothing_out_of_range_is_refused(smoothing):
    with pytest.raises(ValueError, match="expected a finite number >= 0"):
        metrics.macro_f1([[1, 0]], [[1, 0]], smoothing=smoothing)


def test_nan_for_zero_division_leaves_the_row_out():
    Y, P = np.array([[1, 1, 0], [0, 0, 0]]), np.array([[1, 0, 0], [0, 0, 0]])
    assert metrics.instance_recall(Y, P, zero_division=np.nan) == 0.5
    assert metrics.instance_recall(Y, P, zero_division=0.0) == 0.25
    assert np.isnan(metrics.samples_f1(Y[1:], P[1:], zero_division=np.nan))


def test_blocks_do_not_change_the_values():
    # Dense arrays are read in blocks of a million entries, sparse ones are not.
    rng = np.random.default_rng(0)
    Y = rng.random((2200, 500)) < 0.05
    S = rng.integers(0, 4, Y.shape) / 4 * (rng.random(Y.shape) < 0.1)
    in_blocks = metrics.evaluate(Y, S > 0.4, S)
    whole = metrics.evaluate(*(sparse.csr_array(A) for A in (Y, S > 0.4, S)))
    assert in_blocks == pytest.approx(whole, abs=1e-14)


def test_indicator_codes_are_one():
    rng = np.random.default_rng(1)
    Y, P = rng.random((20, 4)) < 0.4, rng.random((20, 4)) < 0.4
    codes = [(Y, P), (Y * 1, P * 1.0), (2 * Y - 1, 2.0 * P - 1)]
    values = [metrics.macro_f1(*pair) for pair in codes]
    assert values[0] == values[1] == values[2]
    assert metrics.hamming_loss(Y[:, 0], P[:, 0]) == np.mean(Y[:, 0] != P[:, 0])


def test_arguments_are_not_changed():
    rng = np.random.default_rng(2)
    Y = rng.random((30, 8)) < 0.3
    S = rng.random((30, 8)) * (rng.random((30, 8)) < 0.5)
    forms = [sparse.csr_array(A * 1.0) for A in (Y, S)]
    for A in forms:  # unsorted columns, as a product of sparse matrices leaves them
        for i in range(30):
            row = slice(A.indptr[i], A.indptr[i + 1])
            A.indices[row], A.data[row] = A.indices[row][::-1].copy(), A.data[row][::-1].copy()
        A.has_sorted_indices = False
    before = [(A.indices.copy(), A.data.copy()) for A in forms]
    values = metrics.evaluate(forms[0], forms[0], forms[1])
    dense = metrics.evaluate(Y, Y, S)
    assert values == pytest.approx(dense)
    for A, (indices, data) in zip(forms, before, strict=True):
        np.testing.assert_array_equal(A.indices, indices)
        np.testing.assert_array_equal(A.data, data)
