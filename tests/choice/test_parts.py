"""Parts of rows add up to the training sets of any folds, in one pass and without subtraction."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

from labelspan.moments import Moments, collect_parts
from labelspan.search import parts_of

TWICE = [(np.arange(5, 30), np.arange(5)), (np.arange(5, 30), np.arange(3))]


@pytest.mark.parametrize(
    ("folds", "n_parts"),
    [
        (KFold(7), 7),
        (LeaveOneOut(), 30),
        (RepeatedKFold(n_splits=4, n_repeats=3, random_state=0), 12),
        (ShuffleSplit(n_splits=3, test_size=0.2, train_size=0.5, random_state=0), 4),
        (TimeSeriesSplit(4), 5),
        (TWICE, 2),
    ],
    ids=str,
)
def test_training_sets_are_sums_of_parts(folds, n_parts):
    rows = np.arange(30)
    folds = folds if isinstance(folds, list) else list(folds.split(rows))
    parts = parts_of(folds, 30)
    assert parts.n_parts == n_parts
    # A statistic that collects the rows it was computed from.
    found = collect_parts(rows[:, None], rows, lambda X, Y, w: Y.tolist(), parts.number)
    for (train, _), total in zip(folds, parts.training_sums(found), strict=True):
        assert sorted(total) == np.sort(train).tolist()
    assert sorted(parts.pooled(found)) == rows.tolist()


@pytest.mark.parametrize("k", [2, 3, 10, 64])
def test_every_fold_costs_the_logarithm_of_their_number(k):
    additions = []

    class Counted(frozenset):
        def __add__(self, other):
            additions.append(1)
            return Counted(self | other)

    rows = np.arange(k)
    parts = parts_of(list(KFold(k).split(rows)), k)
    parts.training_sums({i: Counted([i]) for i in range(k)})
    assert len(additions) <= 2 * k * np.log2(k)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_of_parts_in_blocks(limit, rng, form, weighted):
    limit("part bytes", 8 * 5 * 40)
    X, Y = rng.standard_normal((300, 5)) + 1e3, rng.random((300, 3)) < 0.3
    X[:, 0] *= rng.random(300) < 0.5
    weights = rng.random(300) if weighted else None
    number = rng.integers(-1, 3, 300)
    found = collect_parts(form(X), Y.astype(float), Moments.of, number[None], weights)
    assert sorted(found) == [0, 1, 2]
    for part, moments in found.items():
        rows = number == part
        w = np.ones(rows.sum()) if weights is None else weights[rows]
        mean = w @ X[rows] / w.sum()
        expected = ((X[rows] - mean) * w[:, None]).T @ (X[rows] - mean)
        np.testing.assert_allclose(moments.xx, expected, atol=1e-9 * np.abs(expected).max())
        np.testing.assert_allclose(moments.weight, w.sum())
