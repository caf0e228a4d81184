"""Labels shifted by some columns in a part of the rows are found and moved back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labelspan.datasets import (
    MultilabelDataset,
    describe,
    list_datasets,
    load_dataset,
    load_yeast,
    realign,
)

N, D, Q = 640, 40, 12


def sample(seed=0, *, binary=False):
    """Features that depend on the labels; dense ones, or zeros and ones."""
    rng = np.random.default_rng(seed)
    Y = rng.random((N, Q)) < rng.uniform(0.1, 0.4, Q)
    X = Y @ rng.standard_normal((Q, D)) + 0.7 * rng.standard_normal((N, D))
    X = sp.csr_array((X > 1.5) * 1.0) if binary else X
    return MultilabelDataset("sample", X, Y.astype(np.uint8))


def written_off(dataset, rows, shift):
    """Shift the labels of some rows into the last features, or the first."""
    X = dataset.X.toarray() if sp.issparse(dataset.X) else dataset.X.copy()
    Y, size = dataset.Y.copy(), abs(shift)
    if shift < 0:
        X[rows, -size:] = Y[rows, :size]
        Y[rows] = np.pad(Y[rows, size:], ((0, 0), (0, size)))
    else:
        X[rows, :size] = Y[rows, -size:]
        Y[rows] = np.pad(Y[rows, :-size], ((0, 0), (size, 0)))
    X = sp.csr_array(X) if sp.issparse(dataset.X) else X
    return replace(dataset, X=X, Y=Y)


def block_shift(X, Y, train=None, test=None):
    return describe(X, Y, train=train, test=test).block_shift


def found_in(dataset):
    return block_shift(dataset.X, dataset.Y, dataset.train, dataset.test)


def assert_repaired(defective, sound, shift, rows):
    """Labels are correct; features too, except for zeros where labels had been written."""
    repaired = realign(defective)
    np.testing.assert_array_equal(repaired.Y, sound.Y)
    assert repaired.Y.dtype == sound.Y.dtype
    expected = sound.X.copy()
    expected[rows, shift if shift < 0 else 0 : None if shift < 0 else shift] = 0
    np.testing.assert_array_equal(repaired.X, expected)
    assert realign(repaired) is repaired


@pytest.mark.parametrize(("number", "shift", "part"), [(1, 1, "on"), (4, 24, "on"), (5, 11, "")])
def test_rcv1_as_distributed_is_found_and_repaired_value_for_value(
    number, shift, part, data_folder
):
    defective = load_dataset(f"rcv1subset{number}-asdistributed")
    # The cut is not where the search looks first.
    result = describe(defective.X[217:], defective.Y[217:])
    found, n_features = result.block_shift, defective.X.shape[1]
    assert (found.found, found.cut, found.shift) == (True, 2783, -shift)
    assert found.part == ("after" if part else "before")
    assert found.leaked_features == tuple(range(n_features - shift, n_features))
    words = f"are misaligned: their labels are {shift} col"
    rows = "the rows from 3000 on" if part else "the rows before 3000"
    assert result.problems[0].startswith(f"{rows.replace('3000', '2783')} {words}")
    repaired, sound = realign(defective), load_dataset(f"rcv1subset{number}")
    np.testing.assert_array_equal(repaired.Y, sound.Y)
    for key in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(repaired.X, key), getattr(sound.X, key))
    assert repaired.source.endswith(f"; labels of {rows} moved back by {found.columns}")


SOUND = [info.name for info in list_datasets() if "asdistributed" not in info.name]


@pytest.mark.parametrize("name", SOUND)
def test_sound_sets_are_not_flagged(name, data_folder):
    dataset = load_dataset(name)
    found = found_in(dataset)
    assert found.found is False
    assert found.shifted_similarity < found.similarity


@pytest.mark.parametrize("shift", [-1, -3, -8, 1, 5])
@pytest.mark.parametrize("rows", [slice(0, 203), slice(203, N), slice(0, 480), slice(311, N)])
def test_a_shift_is_found_in_either_part_without_a_split(rows, shift):
    """A dense feature is neither 0 nor 1, so the first row is found exactly."""
    sound = sample()
    defective = written_off(sound, rows, shift)
    found = found_in(defective)
    assert (found.found, found.shift, found.overflow) == (True, shift, "features")
    assert (found.part, found.cut) == (
        ("after", rows.start) if rows.start else ("before", rows.stop)
    )
    assert_repaired(defective, sound, shift, rows)


def test_where_features_look_like_labels_the_first_row_is_found_within_few():
    sound = sample(binary=True)
    for rows, shift in ((slice(0, 203), -3), (slice(311, N), -5), (slice(203, N), 2)):
        found = found_in(written_off(sound, rows, shift))
        assert (found.found, found.shift, found.overflow) == (True, shift, "features")
        assert abs(found.cut - (rows.start or rows.stop)) <= 5


@pytest.mark.parametrize("part", ["train", "test"])
def test_a_part_of_a_shuffled_split(part):
    order = np.random.default_rng(1).permutation(N)
    sound = replace(sample(), train=order[:400], test=order[400:])
    defective = written_off(sound, getattr(sound, part), -4)
    result = describe(defective.X, defective.Y, train=sound.train, test=sound.test)
    assert (result.block_shift.part, result.block_shift.cut) == (part, None)
    assert result.problems[0].startswith(f"the {part} rows are misaligned: their labels are 4 c")
    assert_repaired(defective, sound, -4, getattr(sound, part))


def test_a_split_at_the_defect_is_its_cut():
    sound = replace(sample(binary=True), train=np.arange(N - 101, N), test=np.arange(0, N - 101))
    found = found_in(written_off(sound, sound.test, -4))
    assert (found.found, found.part, found.cut, found.shift) == (True, "before", N - 101, -4)


def test_labels_in_another_order():
    """A shift is found for any order of the labels; another order in one part is not a shift."""
    sound, rng = sample(), np.random.default_rng(2)
    for _ in range(6):
        order = rng.permutation(Q)
        found = found_in(written_off(replace(sound, Y=sound.Y[:, order]), slice(320, N), -4))
        assert (found.found, found.shift) == (True, -4)
        Y = sound.Y.copy()
        Y[320:] = Y[320:, order]
        found = block_shift(sound.X, Y)
        assert not found.found or found.overflow == "lost"


@pytest.mark.parametrize("shift", [-6, -2, -1, 1, 2])
def test_labels_that_went_round(shift):
    yeast = load_yeast()
    Y = yeast.Y.copy()
    Y[1200:] = np.roll(Y[1200:], shift, axis=1)
    found = block_shift(yeast.X, Y)
    assert (found.found, found.part) == (True, "after")
    # Of 14 labels, 8 to the right is 6 to the left.
    assert found.shift in (shift, shift + 14)
    assert (found.overflow, found.leaked_features) == ("labels", ())
    # The labels of yeast say little about a single row.
    assert abs(found.cut - 1200) <= 40
    defective = MultilabelDataset(
        X=yeast.X, Y=Y, train=np.arange(1200), test=np.arange(1200, len(Y))
    )
    assert "the rest at the other end of Y" in describe(yeast.X, Y).problems[0]
    repaired = realign(defective)
    np.testing.assert_array_equal(repaired.Y, yeast.Y)
    np.testing.assert_array_equal(repaired.X, yeast.X)


def test_lost_labels_are_not_made_up():
    sound = sample()
    Y = sound.Y.copy()
    Y[400:] = np.pad(Y[400:, 3:], ((0, 0), (0, 3)))
    found = block_shift(sound.X, Y)
    assert (found.found, found.part, found.shift, found.overflow) == (True, "after", -3, "lost")
    assert abs(found.cut - 400) <= 10
    assert "not all of them can be found; leave these rows out" in describe(sound.X, Y).problems[0]
    with pytest.raises(
        ValueError, match="are shifted by 3 columns, and not all of them can be found; leave"
    ):
        realign(replace(sound, Y=Y))


def test_missing_values_stay_and_the_callers_arrays_too():
    sound = sample()
    sound.X[5, 7] = np.nan
    defective = written_off(sound, slice(320, N), -2)
    before = defective.X.copy(), defective.Y.copy()
    assert_repaired(defective, sound, -2, slice(320, N))
    np.testing.assert_array_equal(defective.X, before[0])
    np.testing.assert_array_equal(defective.Y, before[1])


def test_sparse_equals_dense():
    defective = written_off(sample(), slice(320, N), -2)
    dense = realign(defective)
    sparse = realign(replace(defective, X=sp.csr_array(defective.X), Y=sp.csr_array(defective.Y)))
    np.testing.assert_array_equal(sparse.X.toarray(), dense.X)
    np.testing.assert_array_equal(sparse.Y.toarray(), dense.Y)
    assert sparse.Y.dtype == dense.Y.dtype
    assert sparse.X.data.all()
    assert sparse.Y.data.all()


def test_of_very_many_labels_the_most_frequent_are_compared():
    """At most 1000, which are not the first 1000: these have no row."""
    sound = sample()
    Y = np.hstack([np.zeros((N, 1000), np.uint8), sound.Y])
    sound = replace(sound, Y=Y, label_names=())
    found = found_in(written_off(sound, slice(320, N), 3))
    assert (found.found, found.cut, found.shift) == (True, 320, 3)


def test_wide_data_keep_the_features_of_largest_variance(limit):
    """Faint noise columns change nothing if they are too many to be used."""
    yeast = load_yeast()
    Y = np.roll(yeast.Y, 1, axis=1)
    Y[:1200] = yeast.Y[:1200]
    faint = 0.01 * yeast.X.std(axis=0).min()
    noise = faint * np.random.default_rng(0).standard_normal((len(Y), 200))
    X = np.hstack([yeast.X, noise])
    limit("profile values", 14 * 103)
    wide, narrow = block_shift(X, Y), block_shift(yeast.X, Y)
    assert wide.found
    assert (wide.cut, wide.shift) == (narrow.cut, narrow.shift)
    assert wide.similarity == pytest.approx(narrow.similarity)
    assert wide.shifted_similarity == pytest.approx(narrow.shifted_similarity)


def test_rows_sorted_by_label_raise_no_alarm_but_a_shift_among_them_does(data_folder):
    scene = load_dataset("scene")
    for order in (np.argsort(scene.Y.argmax(axis=1), kind="stable"), np.lexsort(scene.Y.T)):
        X, Y = scene.X[order], scene.Y[order]
        found = block_shift(X, Y)
        assert found is None or found.found is False
    half = len(Y) // 2
    Y[half:] = np.roll(Y[half:], 1, axis=1)
    found = block_shift(X, Y)
    assert (found.found, abs(found.shift)) == (True, 1)


def test_noise_raises_no_alarm():
    rng = np.random.default_rng(0)
    for n_samples, n_features, n_labels in ((200, 20, 8), (100, 5, 20), (400, 8, 8)):
        for _ in range(15):
            X = rng.standard_normal((n_samples, n_features))
            assert not block_shift(X, rng.random((n_samples, n_labels)) < 0.3).found


def test_labels_that_occur_together_raise_no_alarm_in_noise():
    """All labels of a group have one profile, so a shift within the group fits all of them."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        groups = rng.random((60, 3)) < 0.4
        Y = np.repeat(groups, 3, axis=1) ^ (rng.random((60, 9)) < 0.05)
        X = rng.integers(0, 3, (60, rng.integers(1, 4)))
        assert not block_shift(X, Y).found


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1))
# The similarities of labels are then 1 and -1, whichever rows are left out.
@example(n_samples=43, n_features=1, n_labels=4, seed=4)
@example(n_samples=50, n_features=2, n_labels=5, seed=360)
def test_tiny_data_raise_no_alarm(n_samples, n_features, n_labels, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_samples, n_features))
    dataset = MultilabelDataset(X=X, Y=rng.integers(0, 2, (n_samples, n_labels)))
    assert realign(dataset) is dataset
