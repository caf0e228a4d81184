"""describe: statistics against brute force and published figures, defects found and not found."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from labelspan.datasets import (
    describe,
    load_dataset,
    load_yeast,
)

matplotlib.use("Agg")

# Distinct label sets, mean imbalance ratio and SCUMBLE as published for these sets
# (Charte et al., Neurocomputing 2015, and the mldr tables).
PUBLISHED = {
    "emotions": (27, 1.478, 0.011),
    "scene": (15, 1.254, 0.000),
    "yeast": (198, 7.197, 0.104),
    "enron": (753, 73.953, 0.303),
    "delicious": (15806, 71.134, 0.532),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_statistics(name, data_folder):
    n_labelsets, mean_imbalance, scumble = PUBLISHED[name]
    dataset = load_dataset(name)
    statistics = describe(np.zeros((dataset.Y.shape[0], 1)), dataset.Y)
    assert statistics.n_labelsets == n_labelsets
    assert statistics.mean_imbalance == pytest.approx(mean_imbalance, abs=5e-4)
    assert statistics.scumble == pytest.approx(scumble, abs=5e-4)


def brute_force(Y):
    """The definitions, written out."""
    n, q = Y.shape
    counts = [sum(Y[i, j] for i in range(n)) for j in range(q)]
    ratio = [max(counts) / c if c else 0 for c in counts]
    scumble = 0.0
    for row in Y:
        present = [ratio[j] for j in range(q) if row[j]]
        if present:
            scumble += 1 - np.prod(present) ** (1 / len(present)) / (sum(present) / len(present))
    present = [r for r in ratio if r]
    return {
        "cardinality": sum(counts) / n,
        "density": sum(counts) / n / q,
        "n_labelsets": len({tuple(row) for row in Y}),
        "mean_imbalance": sum(present) / len(present) if present else 0,
        "max_imbalance": max(ratio),
        "scumble": scumble / n,
        "n_empty_rows": sum(1 for row in Y if not any(row)),
        "n_empty_labels": sum(1 for c in counts if not c),
    }


small = st.tuples(st.integers(1, 8), st.integers(1, 5))


@settings(max_examples=100, deadline=None)
@given(small.flatmap(lambda s: hnp.arrays(np.uint8, s, elements=st.integers(0, 1))), st.booleans())
def test_label_statistics_equal_brute_force(Y, sparse):
    X = np.arange(len(Y))[:, None] * 1.0
    result = describe(X, sp.csr_array(Y) if sparse else Y)
    for key, value in brute_force(Y.astype(int)).items():
        assert getattr(result, key) == pytest.approx(value, abs=1e-12), key


@settings(max_examples=100, deadline=None)
@given(
    hnp.arrays(np.float64, (7, 2), elements=st.sampled_from([0.0, -0.0, 1.0])),
    hnp.arrays(np.uint8, (7, 2), elements=st.integers(0, 1)),
    st.booleans(),
)
def test_duplicates_equal_brute_force(X, Y, sparse):
    train, test = np.arange(4), np.arange(4, 7)
    result = describe(sp.csr_array(X) if sparse else X, Y, train=train, test=test)
    rows = [tuple(row + 0.0) for row in X]
    labels = [tuple(row) for row in Y]
    assert result.n_duplicate_rows == sum(rows[i] in rows[:i] for i in range(7))
    assert result.n_conflicting_rows == sum(
        any(rows[i] == rows[j] and labels[i] != labels[j] for j in range(7)) for i in range(7)
    )
    assert result.n_leaked_rows == sum(rows[i] in rows[:4] for i in test)
    assert result.n_constant_features == sum(len(set(column + 0.0)) == 1 for column in X.T)


def test_sparse_equals_dense(data_folder):
    emotions = load_dataset("emotions")
    dense = describe(emotions.X, emotions.Y)
    sparse = describe(sp.csr_array(emotions.X), sp.csr_array(emotions.Y))
    assert repr(dense) == repr(sparse)
    assert dense.block_shift.similarity == pytest.approx(sparse.block_shift.similarity)


def test_feature_that_is_a_label():
    yeast = load_yeast()
    X = np.hstack([yeast.X, 3.5 * yeast.Y[:, [4]]])
    result = describe(X, yeast.Y)
    assert result.label_features == ((103, 4),)
    assert "1 feature marks the rows of a label" in repr(result)


def test_empty_rows_of_delicious(data_folder):
    delicious = load_dataset("delicious")
    result = describe(delicious.X, delicious.Y, train=delicious.train, test=delicious.test)
    n_empty = int((delicious.Y.toarray().sum(axis=1) == 0).sum())
    assert result.n_empty_rows == n_empty > 0
    assert f"{n_empty} rows have no label" in result.problems


def test_missing_values_are_counted():
    yeast = load_yeast()
    X = yeast.X.copy()
    X[3, 4] = X[5, 4] = np.nan
    assert describe(X, yeast.Y).n_missing == 2
    assert "2 values are missing" in describe(sp.csr_array(X), yeast.Y).problems


def test_caller_arrays_are_unchanged():
    yeast = load_yeast()
    X = sp.csr_array(yeast.X)
    X.data[:5] = 0.0
    Y = sp.csr_array(yeast.Y)
    before = X.nnz, Y.nnz, X.data.copy()
    describe(X, Y)
    assert (X.nnz, Y.nnz) == before[:2]
    np.testing.assert_array_equal(X.data, before[2])


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="X has 3 rows and Y has 2"):
        describe(np.eye(3), np.eye(2))
    with pytest.raises(ValueError, match="Y has 1 dimensions"):
        describe(np.eye(3), [0, 1, 0])


def test_one_of_a_kind_is_told_in_the_singular():
    X, Y = np.array([[0.0, 1], [2, 1], [2, 1]]), np.array([[1], [0], [0]])
    assert describe(X, Y).problems[-3:] == (
        "1 row repeats an earlier row",
        "2 rows have no label",
        "1 feature is constant",
    )
    assert repr(describe(X, Y)).splitlines()[1] == "3 samples, 2 features, 1 label"
