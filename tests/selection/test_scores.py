"""Fisher score and discriminative ratio against their definitions."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import f_classif

from labelspan.classifiers import MLkNN
from labelspan.experiments import Source
from labelspan.extraction import MDDM
from labelspan.metrics import micro_f1
from labelspan.selection import CMLFS, MLFS, DiscriminativeRatio, MultilabelFisherScore
from tests.ranking.problems import small
from tests.reference import ranking as reference


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("labels", [np.asarray, sparse.csr_array])
def test_scores_follow_their_definitions(form, labels):
    X, Y, _, _ = small(0, n_samples=50)
    fisher = MultilabelFisherScore(k=2).fit(form(X), labels(Y))
    expected = np.array([[reference.fisher_score(x, y) for y in Y.T] for x in X.T])
    np.testing.assert_allclose(fisher.label_scores_, expected, rtol=1e-9)
    np.testing.assert_allclose(fisher.scores_, expected.mean(axis=1), rtol=1e-9)
    best = np.argsort(-expected.mean(axis=1))[:2]
    np.testing.assert_array_equal(fisher.get_support(indices=True), np.sort(best))
    for weighted in (True, False):
        ratio = DiscriminativeRatio(k=2, weighted=weighted).fit(form(X), labels(Y))
        expected = [reference.discriminative_ratio(x, Y, weighted) for x in X.T]
        np.testing.assert_allclose(ratio.scores_, expected, rtol=1e-9)
        np.testing.assert_array_equal(
            ratio.get_support(indices=True), np.sort(np.argsort(expected)[:2])
        )
        assert ratio.ranking_[np.argmin(expected)] == 1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_scores_of_the_rows_where_a_label_is_observed(form):
    X, Y, _, _ = small(0, n_samples=80)
    X, Y = X + 10.0, Y.astype(float)
    Y[np.random.default_rng(0).random(Y.shape) < [0.1, 0.3, 0.6, 0.0]] = np.nan
    fisher = MultilabelFisherScore(k=2).fit(form(X), Y)
    seen = ~np.isnan(Y.T)
    expected = np.array(
        [[reference.fisher_score(x[m], y[m]) for y, m in zip(Y.T, seen, strict=True)] for x in X.T]
    )
    np.testing.assert_allclose(fisher.label_scores_, expected, rtol=1e-7)
    np.testing.assert_allclose(fisher.scores_, fisher.label_scores_.mean(axis=1), rtol=1e-14)
    ratio = DiscriminativeRatio(k=2).fit(form(X), Y)
    expected = [reference.discriminative_ratio(x, Y) for x in X.T]
    np.testing.assert_allclose(ratio.scores_, expected, rtol=1e-8)


def test_the_ratio_is_that_of_scatters_that_add_up():
    """With the weights, within and between are the parts of one total, as in LDA."""
    X, Y, _, _ = small(5, n_samples=60)
    rows, labels = np.nonzero(Y)
    # One row per incidence, in one class: the F statistic of an analysis of variance.
    statistic, _ = f_classif(X[rows], labels)
    freedom = (len(rows) - Y.shape[1]) / (Y.shape[1] - 1)
    np.testing.assert_allclose(
        DiscriminativeRatio(k=2).fit(X, Y).scores_, freedom / statistic, rtol=1e-9
    )


def test_a_label_of_one_row_does_not_choose_the_features():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 3)), np.zeros((400, 3), dtype=int)
    y[:200, 0], y[200:, 1], y[7, 2] = 1, 1, 1
    X[:, 0] += y[:, 0]  # tells the two large labels apart
    X[7, 1] = 8.0  # tells the row of the small label apart
    assert DiscriminativeRatio(k=1).fit(X, y).get_support(indices=True) == [0]
    assert DiscriminativeRatio(k=1, weighted=False).fit(X, y).get_support(indices=True) == [1]


@pytest.mark.usefixtures("dataset")
def test_sel_of_table_five_needs_the_weights():
    """Eq. (21) with N_m: micro-F1 of the printed row within its deviation and a bit (.595)."""
    data = Source("rcv1subset1", prepare="frequent-topics").load()
    X, Y = data.X[data.train], data.Y[data.train]
    d = MDDM(0.999).fit(X, Y).n_components_
    scores = {}
    for weighted in (True, False):
        selector = DiscriminativeRatio(d, weighted=weighted).fit(X, Y)
        Z, Z_test = (selector.transform(part).toarray() for part in (X, data.X[data.test]))
        scores[weighted] = micro_f1(data.Y[data.test], MLkNN(10).fit(Z, Y).predict(Z_test))
    assert scores[True] == pytest.approx(0.595, abs=0.02)
    assert scores[False] < 0.5


def test_a_large_mean_costs_no_digits():
    X, Y, _, _ = small(1, n_samples=50)
    for score in (MultilabelFisherScore(k=2), DiscriminativeRatio(k=2)):
        plain = score.fit(X, Y).scores_
        np.testing.assert_allclose(score.fit(X + 1e7, Y).scores_, plain, rtol=1e-6)


def test_constant_features_and_labels_count_for_nothing():
    X, Y, _, _ = small(2, n_samples=50)
    before = MultilabelFisherScore(k=2).fit(X, Y).scores_
    Y = np.hstack([Y, np.zeros((50, 1), int), np.ones((50, 1), int)])
    X = np.hstack([X, np.full((50, 1), 0.1)])
    fisher = MultilabelFisherScore(k=2).fit(X, Y)
    np.testing.assert_allclose(fisher.scores_, [*before, 0.0])
    ratio = DiscriminativeRatio(k=2).fit(X, Y)
    assert np.isinf(ratio.scores_[-1])
    assert not ratio.get_support()[-1]


def test_a_perfect_feature_comes_first():
    X, Y, _, _ = small(3, n_samples=50)
    X[:, 4] = Y[:, 1]
    fisher = MultilabelFisherScore(k=1).fit(X, Y)
    np.testing.assert_array_equal(fisher.get_support(indices=True), [4])
    assert np.isinf(fisher.label_scores_[4, 1])


def test_too_many_features_are_capped_with_a_warning():
    X, Y, _, _ = small(4)
    with pytest.warns(UserWarning, match="k=10 is more than the 6 features"):
        assert MultilabelFisherScore().fit(X, Y).get_support().all()


def test_one_label_is_told_from_its_complement():
    X, Y, _, _ = small(3, n_samples=50)
    y = Y[:, 0]
    ours, theirs = DiscriminativeRatio(2).fit(X, y), DiscriminativeRatio(2).fit(X, np.c_[y, 1 - y])
    np.testing.assert_array_equal(ours.scores_, theirs.scores_)
    assert np.isfinite(ours.scores_).all()
    # Two equal labels count twice, with no scatter between them.
    with pytest.warns(UserWarning, match="all labels are the same"):
        same = DiscriminativeRatio(2).fit(X, np.c_[y, y])
    assert np.isinf(same.scores_).all()


@pytest.mark.parametrize("selector", [DiscriminativeRatio(), MLFS(), CMLFS()])
def test_without_a_fit_there_is_no_support(selector):
    for call in (selector.get_support, lambda: selector.transform(np.eye(3))):
        with pytest.raises(NotFittedError):
            call()
