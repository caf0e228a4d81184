"""AUC against the number of features."""

import matplotlib
import numpy as np
import pytest
from sklearn.svm import LinearSVC

from labelspan.metrics import macro_auc
from labelspan.selection import CMLFS, MLFS, selection_path
from tests.ranking.problems import small
from tests.reference import ranking as reference

matplotlib.use("Agg")


def test_each_point_is_a_fit_of_its_own():
    X, Y, _, _ = small(0, n_samples=90, n_features=10)
    train, test = slice(0, 60), slice(60, 90)
    path = selection_path(X[train], Y[train], X[test], Y[test], [2, 4], random_state=0)
    for model in (MLFS(4, random_state=0), CMLFS(4, mu=1.0, random_state=0)):
        model.fit(X[train], Y[train])
        name = type(model).__name__
        assert path.auc[name][1] == macro_auc(Y[test], model.decision_function(X[test]))
        assert path.n_selected[name][1] == model.get_support().sum()
    np.testing.assert_array_equal(path.n_selected["Fisher score + SVM"], [2, 4])
    scores = []
    for y in Y[train].T:
        merit = [reference.fisher_score(x, y) for x in X[train].T]
        columns = np.sort(np.argsort(merit)[-2:])
        svm = LinearSVC(random_state=0).fit(X[train][:, columns], y)
        scores.append(svm.decision_function(X[test][:, columns]))
    expected = macro_auc(Y[test], np.array(scores).T)
    assert path.auc["Fisher score + SVM"][0] == pytest.approx(expected)


def test_parameters_reach_the_method_they_are_for():
    X, Y, _, _ = small(0, n_samples=90, n_features=10)
    train, test = slice(0, 60), slice(60, 90)
    given = {"C": 0.3, "tol": 1e-2, "max_iter": 4000, "random_state": 1}
    path = selection_path(X[train], Y[train], X[test], Y[test], [4], mu=30.0, **given)
    for model in (MLFS(4, **given), CMLFS(4, mu=30.0, **given)):
        scores = model.fit(X[train], Y[train]).decision_function(X[test])
        assert path.auc[type(model).__name__][0] == macro_auc(Y[test], scores)
    # Otherwise a lost mu would go unnoticed.
    assert path.auc["CMLFS"][0] != path.auc["MLFS"][0]
