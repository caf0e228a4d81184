"""Splits that a caller gives are checked once, by everything with a ``cv``, before use."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from labelspan.choice import ReducerCV
from labelspan.classifiers import MultiOutputRidge, ProbabilityCalibrator, ThresholdTuner
from labelspan.kernels import KernelCPLSTCV
from labelspan.subspace import SharedSubspaceClassifierCV

POOLED = [
    KernelCPLSTCV(gammas=[0.1], ridges=[1.0]),
    SharedSubspaceClassifierCV([0.1], [0.1], scoring="f1_micro", fold_statistics="shared"),
]
SEARCHES = [
    *POOLED,
    SharedSubspaceClassifierCV([0.1], [0.1], scoring="f1_micro"),
    ThresholdTuner(MultiOutputRidge()),
    ProbabilityCalibrator(MultiOutputRidge()),
]
HALVES = [(np.arange(6), np.arange(6, 12)), (np.arange(6, 12), np.arange(6))]


def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 3))
    return X, (X @ rng.standard_normal((3, 2)) > 0).astype(int)


def name(model):
    return f"{type(model).__name__}-{getattr(model, 'fold_statistics', '')}"


def refused(model, cv, message):
    X, Y = problem()
    model = clone(model).set_params(cv=cv)
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)
    assert not any(attribute.endswith("_") for attribute in vars(model))


@pytest.mark.parametrize("model", POOLED, ids=name)
def test_repeated_rows_do_not_stand_for_others(model):
    """The pooled statistics would be those of all other rows, which is another split."""
    rest = np.arange(1, 12)
    repeated = np.where(rest == 3, 2, rest)
    message = r"Fold 0 of cv trains on 11 rows and holds out 1 of 12; .*each of the others once"
    refused(model, [(repeated, [0]), (rest, [0])], message)
    refused(model, [(rest, [0]), (rest[1:], [0])], r"Fold 1 of cv trains on 10 rows")


@pytest.mark.parametrize("model", [*SEARCHES, ReducerCV()], ids=name)
def test_no_folds_at_all(model):
    refused(model, [], r"cv=\[\] has no folds")


@pytest.mark.parametrize("model", SEARCHES, ids=name)
def test_rows_that_are_not_there(model):
    for row in (12, -1):
        bad = np.append(np.arange(6, 11), row)
        refused(model, [HALVES[0], (bad, np.arange(6))], rf"Fold 1 of cv has row {row}; .* 0 to 11")


@pytest.mark.parametrize("model", SEARCHES, ids=name)
def test_folds_without_rows(model):
    empty = np.array([], dtype=int)
    message = r"Fold 1 of cv trains on 12 rows and holds out 0; both need at least 1"
    refused(model, [HALVES[0], (np.arange(12), empty)], message)
    refused(model, [(empty, np.arange(12))], r"Fold 0 of cv trains on 0 rows and holds out 12")


@pytest.mark.parametrize("model", SEARCHES, ids=name)
def test_a_row_on_both_sides(model):
    both = (np.arange(3, 12), np.arange(6))
    refused(model, [HALVES[0], both], r"Fold 1 of cv trains on row 3, which it holds out")


@pytest.mark.parametrize("model", SEARCHES, ids=name)
def test_masks_and_lists_are_the_splits_they_say(model):
    X, Y = problem()
    folds = list(KFold(3).split(X))
    masks = [(np.isin(np.arange(12), train), test.tolist()) for train, test in folds]
    ours = clone(model).set_params(cv=masks).fit(X, Y)
    theirs = clone(model).set_params(cv=KFold(3)).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if hasattr(ours, "cv_results_"):
        expected = theirs.cv_results_["mean_test_score"]
        np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], expected)
