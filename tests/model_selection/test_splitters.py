"""Splitters: exact sizes, every label in training, and shares at least as even as the paper's."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from labelspan.datasets import load_yeast
from labelspan.model_selection import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
)
from tests.reference.iterative_stratification import iterative_stratification


def label_error(Y, part, n_parts):
    """Label-distribution error of Sechidis et al.: mean gap of the odds of a label in a fold."""
    total = Y.sum(axis=0)
    used = (total > 0) & (total < len(Y))
    whole = total[used] / (len(Y) - total[used])
    gaps = []
    for fold in range(n_parts):
        inside = Y[part == fold][:, used]
        gaps.append(np.abs(inside.sum(axis=0) / (1 - inside).sum(axis=0) - whole))
    return np.mean(gaps)


def parts(cv, Y):
    part = np.full(len(Y), -1)
    for fold, (train, test) in enumerate(cv.split(np.zeros(len(Y)), Y)):
        assert (part[test] == -1).all()
        part[test] = fold
        assert sorted([*train, *test]) == list(range(len(Y)))
    return part


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.integers(4, 24), st.integers(1, 6)).flatmap(lambda s: arrays(bool, s)),
    st.integers(2, 4),
    st.sampled_from([None, 0, 1]),
)
def test_folds_are_a_partition_of_equal_sizes(Y, n_splits, seed):
    cv = MultilabelStratifiedKFold(n_splits, shuffle=seed is not None, random_state=seed)
    part = parts(cv, Y)
    sizes = np.bincount(part, minlength=n_splits)
    assert (part >= 0).all()
    assert sizes.max() - sizes.min() <= 1


@settings(max_examples=60, deadline=None)
@given(arrays(bool, (30, 8), elements=st.sampled_from([False] * 9 + [True])), st.integers(2, 5))
def test_rare_labels_are_in_every_training_part(Y, n_splits):
    for seed in range(3):
        cv = MultilabelStratifiedKFold(n_splits, shuffle=True, random_state=seed)
        for train, _ in cv.split(Y, Y):
            assert (Y[train].any(axis=0) | (Y.sum(axis=0) < 2)).all()
    cv = MultilabelStratifiedShuffleSplit(3, test_size=0.4, random_state=0)
    for train, _ in cv.split(Y, Y):
        assert (Y[train].any(axis=0) == Y.any(axis=0)).all()


def test_shares_are_at_least_as_even_as_the_papers():
    Y = load_yeast().Y[:600]
    ours, theirs, plain = [], [], []
    for seed in range(6):
        cv = MultilabelStratifiedKFold(5, shuffle=True, random_state=seed)
        ours.append(label_error(Y, parts(cv, Y), 5))
        rng = np.random.default_rng(seed)
        theirs.append(label_error(Y, iterative_stratification(Y, 5, rng), 5))
        plain.append(label_error(Y, rng.permutation(len(Y)) % 5, 5))
    assert np.mean(ours) <= np.mean(theirs)
    assert np.mean(ours) < np.mean(plain) / 3


def test_array_types_give_one_split():
    Y = load_yeast().Y[:200]
    cv = MultilabelStratifiedKFold(4, shuffle=True, random_state=3)
    part = parts(cv, Y)
    for form in (sparse.csr_array(Y), sparse.coo_matrix(Y), 2 * Y.astype(int) - 1, pd.DataFrame(Y)):
        folds = [test for _, test in cv.split(np.zeros(200), form)]
        for fold, test in enumerate(folds):
            np.testing.assert_array_equal(test, np.flatnonzero(part == fold))


def test_seeds():
    Y = load_yeast().Y[:200]

    def tests(cv):
        return [test.tolist() for _, test in cv.split(Y, Y)]

    repeated = RepeatedMultilabelStratifiedKFold(n_splits=2, n_repeats=3, random_state=0)
    assert repeated.get_n_splits() == 6
    assert tests(repeated) == tests(repeated)
    assert tests(repeated)[0] != tests(repeated)[2]
    assert sorted(tests(repeated)[4] + tests(repeated)[5]) == list(range(200))
    for seed in (0, 1):
        split = MultilabelStratifiedShuffleSplit(2, random_state=seed)
        assert tests(split) == tests(split)
        assert tests(split)[0] != tests(split)[1]


@pytest.mark.parametrize(
    ("train", "test"), [(None, None), (0.5, None), (None, 0.33), (0.5, 0.2), (40, 7), (None, 13)]
)
def test_shuffle_sizes_are_scikit_learns(train, test):
    Y = load_yeast().Y[:101]
    ours = MultilabelStratifiedShuffleSplit(1, train_size=train, test_size=test, random_state=0)
    theirs = ShuffleSplit(1, train_size=train, test_size=test, random_state=0)
    for first, second in zip(next(ours.split(Y, Y)), next(theirs.split(Y)), strict=True):
        assert len(first) == len(second)
    parts = next(ours.split(Y, Y))
    assert len(np.intersect1d(*parts)) == 0
    # Each part has its share of each label, to less than one row on average.
    shares = [Y[part].sum(axis=0) - len(part) / 101 * Y.sum(axis=0) for part in parts]
    assert np.abs(shares).mean() < 1


def test_one_dimensional_classes_are_stratified():
    y = np.repeat(["a", "b", "c"], [10, 20, 30])
    for _, test in MultilabelStratifiedKFold(5).split(np.zeros(60), y):
        assert np.unique(y[test], return_counts=True)[1].tolist() == [2, 4, 6]


def test_works_in_grid_search():
    yeast = load_yeast()
    X, Y = yeast.X[:150], yeast.Y[:150]
    cv = MultilabelStratifiedKFold(3)
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=cv).fit(X, Y)
    assert search.n_splits_ == 3
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert repr(cv) == "MultilabelStratifiedKFold(n_splits=3, shuffle=False, random_state=None)"


def test_kernels_run_without_a_writable_cache():
    code = """
import numba.core.caching as caching
def refuse(self): raise OSError("read-only")
for value in list(vars(caching).values()):
    if isinstance(value, type) and hasattr(value, "ensure_cache_path"):
        value.ensure_cache_path = refuse
import numpy as np
from labelspan.model_selection import MultilabelStratifiedKFold
Y = np.tile(np.eye(3, dtype=int), (4, 1))
assert all(Y[test].sum() == 6 for _, test in MultilabelStratifiedKFold(2).split(Y, Y))
"""
    subprocess.run([sys.executable, "-c", code], check=True)


Y_SMALL = np.eye(4, dtype=int)


@pytest.mark.parametrize(
    ("cv", "labels", "message"),
    [
        (MultilabelStratifiedKFold(5), Y_SMALL, "n_splits=5 .* from 2 to 4"),
        (MultilabelStratifiedKFold(1), Y_SMALL, "n_splits=1 .* from 2"),
        (MultilabelStratifiedKFold(2.5), Y_SMALL, "n_splits=2.5 .*integer"),
        (MultilabelStratifiedKFold(2, random_state=0), Y_SMALL, "random_state=0 .*shuffle=True"),
        (MultilabelStratifiedKFold(2), None, "y is None.*split"),
        (MultilabelStratifiedKFold(2), Y_SMALL * 2, r"y\[0, 0\] is 2"),
        (RepeatedMultilabelStratifiedKFold(2, n_repeats=0), Y_SMALL, "n_repeats=0"),
        (MultilabelStratifiedShuffleSplit(0), Y_SMALL, "n_splits=0"),
        (MultilabelStratifiedShuffleSplit(test_size=1.5), Y_SMALL, r"test_size=1.5 .*\(0, 1\)"),
        (MultilabelStratifiedShuffleSplit(train_size=9), Y_SMALL, "train_size=9 .*from 1 to 3"),
        (MultilabelStratifiedShuffleSplit(train_size=3, test_size=2), Y_SMALL, "3 training and 2"),
    ],
)
def test_errors_name_value_range_and_repair(cv, labels, message):
    with pytest.raises(ValueError, match=message):
        list(cv.split(np.zeros(4), labels))


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        list(MultilabelStratifiedKFold(2).split(np.zeros(3), Y_SMALL))


@pytest.mark.parametrize(
    "cv",
    [
        MultilabelStratifiedKFold(3),
        MultilabelStratifiedShuffleSplit(2, test_size=0.3, random_state=0),
        RepeatedMultilabelStratifiedKFold(2, n_repeats=2, random_state=0),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_labels_that_are_not_observed_are_no_rows_of_a_label(cv):
    """Folds use the rows observed to have a label, in every form of missing labels."""
    Y = load_yeast().Y[:300].astype(float)
    Y[np.random.default_rng(0).random(Y.shape) < 0.4] = np.nan
    expected = list(cv.split(Y, np.nan_to_num(Y).astype(int)))
    frame = pd.DataFrame(Y).astype("Int64")
    for form in (Y, frame, np.ma.masked_invalid(Y), 2 * Y - 1):
        for ours, theirs in zip(cv.split(Y, form), expected, strict=True):
            np.testing.assert_array_equal(ours[0], theirs[0])
            np.testing.assert_array_equal(ours[1], theirs[1])
    with pytest.raises(ValueError, match="NaN"):
        list(cv.split(Y, np.array([0.0, 1.0, np.nan] * 100)))


@pytest.mark.parametrize(
    "splitter",
    [
        MultilabelStratifiedKFold(2),
        RepeatedMultilabelStratifiedKFold(n_splits=2, n_repeats=1, random_state=0),
        MultilabelStratifiedShuffleSplit(1, test_size=0.5, random_state=0),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
def test_groups_are_not_ignored_in_silence(splitter):
    Y = np.eye(2, dtype=int)[np.arange(8) % 2]
    with pytest.warns(UserWarning, match=f"ignored by {type(splitter).__name__}: rows of a group"):
        list(splitter.split(Y, Y, groups=np.arange(8)))
