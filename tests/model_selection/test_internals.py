"""The assignment of rows to parts against the stated rules, ties included, and its repair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from labelspan.model_selection._assign import _spread, assign
from labelspan.model_selection._repair import repair
from tests.reference.exact_stratification import stratified


def problems(n_problems, sizes_of):
    """Labels of a few rows, where most decisions are ties, and sizes that sum to the rows."""
    rng = np.random.default_rng(0)
    for _ in range(n_problems):
        n, q, n_parts = rng.integers(3, 21), rng.integers(1, 6), rng.integers(2, 5)
        yield rng.random((n, q)) < rng.choice([0.2, 0.4, 0.6]), sizes_of(rng, n, n_parts)


def equal(rng, n, n_parts):
    return np.array([len(rows) for rows in np.array_split(np.arange(n), n_parts)])


def unequal(rng, n, n_parts):
    # Parts of no rows among them, as a shuffle split has that uses every row.
    return np.bincount(rng.integers(0, n_parts, n), minlength=n_parts)


@pytest.mark.parametrize("sizes_of", [equal, unequal])
def test_every_row_goes_where_the_rules_send_it(sizes_of):
    n_determined = 0
    for Y, sizes in problems(300, sizes_of):
        allowed = list(stratified(Y.astype(int).tolist(), sizes.tolist()))
        assert assign(sparse.csr_array(Y), sizes, None).tolist() in allowed, (Y, sizes)
        n_determined += all(part == allowed[0] for part in allowed)
    # The rules leave open which of two labels with equally few rows goes first; mostly that
    # makes no difference, or being among the allowed would say little.
    assert n_determined > 150


def test_the_seed_decides_the_order_in_which_rows_are_met():
    for seed, (Y, sizes) in enumerate(problems(20, equal)):
        part = assign(sparse.csr_array(Y), sizes, np.random.RandomState(seed))
        order = np.random.RandomState(seed).permutation(len(Y))
        met = assign(sparse.csr_array(Y[order]), sizes, None)
        np.testing.assert_array_equal(part[order], met)


def test_of_a_rows_other_labels_the_rare_one_decides():
    """A fifth of the rows of b outweighs two of the thirteen rows of c."""
    rows = ["e", "ec", "f", "fc", "db", "d", "abc", "a", "a", "b", "b", "b", *["c"] * 10]
    Y = np.array([[label in row for label in "abcdef"] for row in rows])
    part = assign(sparse.csr_array(Y), np.array([11, 11]), None)
    # The pairs of d, e and f are torn apart, first row first: one part has the b, the other
    # both c. Row "abc" is the first of label a, which both parts lack equally.
    assert part[:6].tolist() == [0, 1, 0, 1, 0, 1]
    assert part[6] == 1


@pytest.mark.parametrize("free", [(6, 2), (9, 1), (1, 9), (3, 3), (5, 2, 2), (7, 0, 3), (1, 4, 8)])
def test_rows_without_labels_are_spread_evenly(free):
    """At any point, each part has its share to less than one row."""
    parts = _spread(np.array(free))
    assert np.bincount(parts, minlength=len(free)).tolist() == list(free)
    for n_met in range(1, sum(free)):
        share = n_met * np.array(free) / sum(free)
        assert (np.abs(np.bincount(parts[:n_met], minlength=len(free)) - share) < 1).all()


def test_swaps_bring_a_label_into_training_and_keep_sizes():
    Y = np.zeros((8, 3), dtype=bool)
    Y[[0, 1], 0] = True  # both rows of label 0 are in fold 0
    Y[[4, 0], 1] = True
    Y[[5, 6, 2], 2] = True
    part = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    mended = repair(sparse.csr_array(Y), part, ~np.eye(2, dtype=bool))
    assert mended[0] != mended[1]
    assert np.bincount(mended).tolist() == [4, 4]
    for fold in (0, 1):
        assert Y[mended != fold].any(axis=0).all()
    np.testing.assert_array_equal(part, [0, 0, 0, 0, 1, 1, 1, 1])


def test_one_swap_mends_two_labels():
    Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=bool)
    part = np.array([0, 0, 1, 1])
    mended = repair(sparse.csr_array(Y), part, ~np.eye(2, dtype=bool))
    assert Y[mended == 0].any(axis=0).all()
    assert Y[mended == 1].any(axis=0).all()


def test_a_label_with_one_row_cannot_be_mended_and_keeps_the_sizes():
    alone = sparse.csr_array(np.array([[1], [0], [0], [0]], dtype=bool))
    mended = repair(alone, np.array([0, 0, 1, 1]), ~np.eye(2, dtype=bool))
    assert np.bincount(mended).tolist() == [2, 2]


def test_a_swap_that_would_harm_another_label_is_not_made():
    """Only rows 0 and 1 have labels 0 and 1; row 4 is the last of label 2 in its fold."""
    Y = np.zeros((8, 5), dtype=bool)
    Y[[0, 1], :2] = True
    Y[[2, 4], 2] = True
    Y[[3, 5, 6, 7], 3:] = True
    part = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    # Row 4 has the fewest labels and is tried first: it would repair two labels and harm one.
    mended = repair(sparse.csr_array(Y), part, ~np.eye(2, dtype=bool))
    for fold in (0, 1):
        assert Y[mended != fold].any(axis=0).all()
    # Without rows 5 to 7 there is no harmless partner, and nothing is moved.
    few, part = sparse.csr_array(Y[:5]), part[:5]
    np.testing.assert_array_equal(repair(few, part, ~np.eye(2, dtype=bool)), part)


@settings(max_examples=100, deadline=None)
@given(
    arrays(bool, (9, 5), elements=st.sampled_from([False, False, True])),
    arrays(np.int64, 9, elements=st.integers(0, 2)),
    st.sampled_from([~np.eye(3, dtype=bool), np.array([[True, False, False]])]),
)
def test_swaps_take_no_label_out_of_a_training_part(Y, part, training):
    mended = repair(sparse.csr_array(Y), part, training)
    np.testing.assert_array_equal(np.sort(mended), np.sort(part))
    # A label with one row is always out of one part for K-fold; which one may change.
    labels = Y.sum(axis=0) > 1
    for parts in training:
        before = Y[parts[part]].any(axis=0)
        after = Y[parts[mended]].any(axis=0)
        assert (after >= before)[labels].all()
