"""FisherSVM against the problem of each label, written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.svm import LinearSVC

from labelspan.datasets import load_yeast
from labelspan.selection import FisherSVM, MultilabelFisherScore
from tests.labelspace.problems import problem
from tests.reference import ranking as reference

EXACT = {"tol": 1e-15, "max_iter": 200_000, "random_state": 0}


def assert_the_optimum(model, X, Y):
    """The same features, and weights whose objective is the least one.

    LIBLINEAR ends when a step lowers the objective by less than 1e-12 of it: six digits of W.
    """
    W, b = reference.fisher_svm(X, Y, model.n_features, model.C)
    assert_array_equal(model.support_per_label_, W.T != 0)
    A = np.column_stack([X, np.ones(len(X))])
    for k, s in enumerate(2.0 * Y.T - 1):
        ours, least = (
            reference.svm_objective(A, s, np.append(w, level), model.C)
            for w, level in ((model.coef_[k], model.intercept_[k]), (W[:, k], b[k]))
        )
        assert ours == pytest.approx(least, rel=1e-10)
    assert_allclose(model.coef_, W.T, atol=1e-5)
    assert_allclose(model.decision_function(X), X @ W + b, atol=1e-5)


@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("m", [2, 6, 10])
def test_equals_the_transcription(m, C):
    X, Y = problem(1)
    assert_the_optimum(FisherSVM(m, C=C, **EXACT).fit(X, Y), X, Y)


def test_equals_the_transcription_on_real_data(training):
    X, Y = training("emotions")
    assert_the_optimum(FisherSVM(12, **EXACT).fit(X, Y), X, Y)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_a_machine_per_label_on_its_own_features(convert):
    yeast = load_yeast()
    X, Y = yeast.X[:200], yeast.Y[:200].copy()
    Y[:, 3] = 0
    model = FisherSVM(7, C=0.5, random_state=0).fit(convert(X), Y)
    scores = model.decision_function(convert(X))
    ranks = MultilabelFisherScore(k=1).fit(X, Y).label_scores_
    columns = np.sort(np.argsort(-ranks[:, 0], kind="stable")[:7])
    assert_array_equal(np.flatnonzero(model.support_per_label_[0]), columns)
    assert_allclose(model.label_scores_, ranks, rtol=1e-9)
    alone = LinearSVC(C=0.5, random_state=0).fit(X[:, columns], Y[:, 0])
    assert_allclose(scores[:, 0], alone.decision_function(X[:, columns]), atol=1e-6)
    assert_array_equal(model.predict(convert(X)), scores > 0)
    assert not model.predict(convert(X))[:, 3].any()


def test_it_selects_what_some_label_uses():
    X, Y = problem(2)
    model = FisherSVM(2).fit(X, Y)
    used = model.support_per_label_.sum(axis=0)
    assert_array_equal(model.get_support(), used > 0)
    assert_array_equal(model.transform(X), X[:, used > 0])
    assert model.ranking_[used.argmax()] == 1
    assert FisherSVM(None).fit(X, Y).get_support().all()
    with pytest.warns(UserWarning, match="n_features=11 is more than the 10 features of X"):
        FisherSVM(11).fit(X, Y)


def test_a_label_is_learnt_from_the_rows_where_it_is_observed():
    X, Y = problem(3)
    holes = Y.astype(float)
    holes[np.random.default_rng(0).random(Y.shape) < 0.2] = np.nan
    model = FisherSVM(3, **EXACT).fit(X, holes)
    for k in range(Y.shape[1]):
        seen = ~np.isnan(holes[:, k])
        W, b = reference.fisher_svm(X[seen], Y[seen][:, [k]], 3, 1.0)
        assert_allclose(model.coef_[k], W[:, 0], atol=1e-6)
        assert model.intercept_[k] == pytest.approx(b[0], abs=1e-6)
