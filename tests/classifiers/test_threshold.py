"""ThresholdTuner against a search over every cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier

from labelspan.classifiers import MLkNN, MultiOutputRidge, ThresholdTuner
from labelspan.cuts import best_cut, best_cuts, lifted, tuned_thresholds
from labelspan.datasets import load_yeast
from labelspan.kernels import KernelCPLST
from labelspan.metrics import goal_of
from labelspan.model_selection import MultilabelStratifiedKFold
from tests.reference.subspace import best_f1_threshold


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 25), st.integers(1, 6))
def test_best_f1_of_every_label(seed, n, levels):
    rng = np.random.default_rng(seed)
    # Few distinct scores make ties, which a cut must not separate.
    scores = rng.integers(levels, size=(n, 4)) * rng.standard_normal()
    positive = rng.random((n, 4)) < 0.4
    thresholds = tuned_thresholds(scores, positive, "per_label_f1")
    for k in range(4):
        if not positive[:, k].any():
            assert thresholds[k] == np.inf
            continue
        found = f1_score(positive[:, k], scores[:, k] > thresholds[k], zero_division=0)
        assert found == pytest.approx(best_f1_threshold(scores[:, k], positive[:, k]))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20))
def test_cardinality_is_matched(seed, n):
    rng = np.random.default_rng(seed)
    scores, positive = rng.standard_normal((n, 3)), rng.random((n, 3)) < 0.4
    positive[:, 2] = False
    thresholds = tuned_thresholds(scores, positive, "cardinality")
    predicted = scores > thresholds
    assert predicted.sum() == positive.sum()
    assert not predicted[:, 2].any()


def test_neighbouring_floats_are_parted():
    low = 1.0
    scores = np.array([[np.nextafter(low, 2.0)], [low]])
    thresholds = tuned_thresholds(scores, np.array([[True], [False]]), "per_label_f1")
    np.testing.assert_array_equal(scores > thresholds, [[True], [False]])


@pytest.mark.parametrize(
    "estimator",
    [
        MultiOutputRidge(),
        OneVsRestClassifier(LogisticRegression(max_iter=500)),
        KNeighborsClassifier(),
        MultiOutputClassifier(LogisticRegression(max_iter=500)),
    ],
)
def test_tuning_raises_macro_f1_around_any_scorer(estimator):
    yeast = load_yeast()
    X, Y = yeast.X[:400, :20], yeast.Y[:400, :5].astype(int)
    tuned = ThresholdTuner(estimator, "per_label_f1").fit(X, Y)
    plain = tuned.estimator_.predict(X)
    before, after = (f1_score(Y, P, average="macro") for P in (plain, tuned.predict(X)))
    assert after > before + 0.01
    np.testing.assert_array_equal(tuned.predict(X), (tuned.decision_function(X) > 0).astype(int))


def test_empty_labels_are_never_predicted_and_scores_stay_finite():
    yeast = load_yeast()
    X, Y = yeast.X[:200], yeast.Y[:200].astype(int).copy()
    Y[:, 3] = 0
    for strategy in ("auto", "per_label_f1", "cardinality"):
        tuned = ThresholdTuner(MultiOutputRidge(), strategy, min_labels=1).fit(X, Y)
        assert tuned.thresholds_[3] == np.inf
        assert not tuned.predict(1e6 * X)[:, 3].any()
        assert np.isfinite(tuned.decision_function(X)).all()
        assert tuned.predict(X).sum(axis=1).min() >= 1
    fixed = ThresholdTuner(MultiOutputRidge(), "fixed", threshold=-9.0).fit(X, Y)
    assert fixed.predict(X).all()


def test_held_out_scores_are_those_of_every_fold():
    yeast = load_yeast()
    X, Y = yeast.X[:300], yeast.Y[:300].astype(int)
    tuned = ThresholdTuner(MultiOutputRidge(), "per_label_f1", cv=3).fit(X, Y)
    scores = np.empty(Y.shape)
    for fold in np.array_split(np.arange(300), 3):
        rest = np.setdiff1d(np.arange(300), fold)
        scores[fold] = MultiOutputRidge().fit(X[rest], Y[rest]).decision_function(X[fold])
    expected = tuned_thresholds(scores, Y > 0, "per_label_f1")
    np.testing.assert_allclose(tuned.thresholds_, expected, atol=1e-10)
    trained = ThresholdTuner(MultiOutputRidge(), "per_label_f1").fit(X, Y)
    assert np.abs(trained.thresholds_ - expected).max() > 0.01


def rare_labels():
    """Yeast, and labels that occur only in the first rows: no fold that holds them out has them."""
    yeast = load_yeast()
    X, Y = yeast.X[:300, :20], yeast.Y[:300, :10].copy()
    Y[:, 4:] = 0
    Y[np.arange(6), np.arange(4, 10)] = 1
    return X, Y


@pytest.mark.filterwarnings("ignore:Label not:UserWarning")
@pytest.mark.parametrize("missing", [False, True])
def test_labels_without_training_rows_do_not_fill_the_quota(missing):
    X, Y = rare_labels()
    if missing:
        inner, Y = MultiOutputRidge(), np.where(np.arange(300)[:, None] % 7 == 6, np.nan, Y)
    else:
        inner = OneVsRestClassifier(LogisticRegression(max_iter=500))
    tuned = ThresholdTuner(inner, "cardinality", cv=KFold(3)).fit(X, Y)
    plain = ThresholdTuner(inner, "cardinality", cv=KFold(3)).fit(X, Y[:, :4])
    pool, wanted = [], 0
    for fold in np.array_split(np.arange(300), 3):
        rest = np.setdiff1d(np.arange(300), fold)
        known = [k for k in range(10) if (Y[rest, k] == 1).any()]
        scores = inner.fit(X[rest], Y[rest]).decision_function(X[fold])
        seen = ~np.isnan(Y[fold])
        pool += [scores[i, k] for k in known for i in np.flatnonzero(seen[:, k])]
        wanted += int((Y[fold][:, known] == 1).sum())
    threshold = tuned.thresholds_[0]
    assert (tuned.thresholds_ == threshold).all()
    assert (np.array(pool) > threshold).sum() == wanted
    # The constant scores of the others would have raised it to 0, where nothing is tuned.
    assert threshold == pytest.approx(plain.thresholds_[0], abs=0.15)


def test_no_label_both_trained_on_and_held_out_is_an_error():
    X, Y = rare_labels()
    few = [(np.arange(200, 300), np.arange(200)), (np.arange(200), np.arange(200, 300))]
    with pytest.raises(ValueError, match="no fold of cv trains on a row with a label it holds out"):
        ThresholdTuner(MultiOutputRidge(), "cardinality", cv=few).fit(X, Y[:, 4:])


def test_a_splitter_that_repeats_rows_is_refused():
    yeast = load_yeast()
    split = [(np.arange(10, 50), np.arange(10)), (np.arange(10, 50), np.arange(10))]
    with pytest.raises(ValueError, match="does not hold out every row exactly once"):
        ThresholdTuner(MultiOutputRidge(), cv=split).fit(yeast.X[:50], yeast.Y[:50])


@pytest.mark.parametrize("cv", [None, 3])
def test_a_given_kernel_is_cut_by_rows_and_columns(cv):
    yeast = load_yeast()
    X, Y = yeast.X[:90], yeast.Y[:90, :4]
    K, D = rbf_kernel(X, gamma=0.5), euclidean_distances(X)
    for by_kernel, matrix, by_rows in (
        (KernelCPLST(kernel="precomputed"), K, KernelCPLST(kernel="rbf", gamma=0.5)),
        (MLkNN(3, metric="precomputed"), D, MLkNN(3)),
    ):
        ours, theirs = (ThresholdTuner(inner, cv=cv) for inner in (by_kernel, by_rows))
        np.testing.assert_allclose(
            ours.fit(matrix, Y).thresholds_, theirs.fit(X, Y).thresholds_, rtol=1e-8
        )
        np.testing.assert_array_equal(
            cross_val_predict(ours, matrix, Y, cv=KFold(3)),
            cross_val_predict(theirs, X, Y, cv=KFold(3)),
        )


def test_sparse_classes():
    yeast = load_yeast()
    X, y = yeast.X[:90], yeast.Y[:90, 0]
    expected = ThresholdTuner(MultiOutputRidge()).fit(X, y)
    found = ThresholdTuner(MultiOutputRidge()).fit(X, sparse.coo_array(y))
    np.testing.assert_array_equal(found.thresholds_, expected.thresholds_)


def test_given_distances_may_be_sparse():
    yeast = load_yeast()
    D, Y = euclidean_distances(yeast.X[:60]), yeast.Y[:60, :3]
    tuned = ThresholdTuner(MLkNN(3, metric="precomputed"), cv=3)
    expected = tuned.fit(D, Y).thresholds_
    np.testing.assert_array_equal(tuned.fit(sparse.csr_array(D), Y).thresholds_, expected)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 6))
def test_the_pooled_cut_is_the_best_of_all(seed, n, levels):
    rng = np.random.default_rng(seed)
    scores = rng.integers(levels, size=(n, 3)) * rng.standard_normal()
    positive, seen = rng.random((n, 3)) < 0.4, rng.random((n, 3)) < 0.8
    weights = rng.integers(1, 4, n).astype(float)
    copies = [np.repeat(A, weights.astype(int), axis=0) for A in (scores, positive, seen)]
    s, y = copies[0][copies[2]], copies[1][copies[2]]
    cut, f1 = best_cut(scores, positive, weights, seen)
    if not y.any():
        assert f1 == 0
        return
    assert f1 == pytest.approx(f1_score(y, s > cut))
    assert f1 == pytest.approx(max(f1_score(y, s >= value) for value in np.unique(s)))


def test_lifted_rows_have_their_best_labels():
    scores = np.array([[0.1, 0.3, 0.2], [0.9, 0.9, 0.0]])
    assert (lifted(scores, 1) == np.inf).tolist() == [[False, True, False], [True, False, False]]
    assert lifted(scores, 0) is scores


def measured_by(goal, cuts, scores, positive):
    found = scores > cuts.thresholds
    if cuts.min_labels:
        found[np.arange(len(scores)), scores.argmax(axis=1)] = True
    return f1_score(positive, found, average=goal, zero_division=0)


@pytest.mark.parametrize("goal", ["micro", "macro"])
def test_labels_with_many_rows_have_their_own_thresholds(goal):
    """Three labels whose scores have other units, and a rare one whose best cut is noise."""
    rng = np.random.default_rng(0)
    positive = rng.random((4000, 4)) < [0.3, 0.3, 0.3, 0.001]
    scores = 1.5 * positive + rng.standard_normal((4000, 4)) + [0.0, 1.0, 2.0, -0.5]
    cuts = best_cuts(scores[:2000], positive[:2000], f"f1_{goal}")
    assert np.diff(cuts.thresholds[:3]).min() > 0.7
    pooled, _ = best_cut(scores[:2000], positive[:2000])
    assert abs(cuts.thresholds[3] - pooled) < 0.2
    given = scores[2000:], positive[2000:]
    each = tuned_thresholds(scores[:2000], positive[:2000], "per_label_f1")
    of_pooled, of_each = (f1_score(given[1], given[0] > t, average="micro") for t in (pooled, each))
    assert measured_by("micro", cuts, *given) > max(of_pooled, of_each) - 0.005
    assert measured_by("micro", cuts, *given) > of_pooled + 0.02


def test_rows_that_all_have_a_label_take_their_best():
    rng = np.random.default_rng(0)
    positive = np.eye(5, dtype=bool)[rng.integers(0, 5, 500)]
    scores = positive + 0.8 * rng.standard_normal((500, 5)) + rng.standard_normal((500, 1))
    assert best_cuts(scores, positive).min_labels == 1
    some = positive & (rng.random((500, 1)) < 0.3)
    assert best_cuts(some + 0.3 * rng.standard_normal((500, 5)), some).min_labels == 0


@pytest.mark.parametrize("measure", ["f1_samples", "hamming_loss", "jaccard_micro"])
def test_any_measure_of_labels_is_maximised(measure):
    yeast = load_yeast()
    X, Y = yeast.X[:400, :20], yeast.Y[:400, :5]
    tuned = ThresholdTuner(MultiOutputRidge(), measure=measure, cv=3).fit(X, Y)
    scores = cross_val_predict(
        MultiOutputRidge(), X, Y, cv=MultilabelStratifiedKFold(3), method="decision_function"
    )
    goal = goal_of(measure)
    found = goal(Y > 0, scores > tuned.thresholds_)
    least = tuned.min_labels_
    assert least in (0, 1)
    assert len(set(tuned.thresholds_)) == 1
    others = [goal(Y > 0, scores > t) for t in np.quantile(scores, np.linspace(0, 1, 50))]
    assert found > max(others) - 0.005 or least == 1


def test_measures_of_scores_are_refused():
    yeast = load_yeast()
    with pytest.raises(ValueError, match="'ranking_loss', which does not depend on thresholds"):
        ThresholdTuner(MultiOutputRidge(), measure="ranking_loss").fit(yeast.X[:50], yeast.Y[:50])


def test_one_class_per_row_is_that_of_the_estimator():
    yeast = load_yeast()
    X, y = yeast.X[:300], yeast.Y[:300, :4].argmax(axis=1)
    tuned = ThresholdTuner(MultiOutputRidge()).fit(X, y)
    np.testing.assert_array_equal(tuned.predict(X), MultiOutputRidge().fit(X, y).predict(X))


def test_rare_labels_are_not_predicted_too_often(dataset):
    """The best F1 of each label ruins micro-F1 where labels are rare; "auto" does not."""
    data = dataset("medical")
    X, Y = data.X[data.train], data.Y.toarray()[data.train]
    X_test, Y_test = data.X[data.test], data.Y.toarray()[data.test]
    found = {}
    for strategy in ("auto", "per_label_f1", "cardinality"):
        model = ThresholdTuner(MultiOutputRidge(10.0), strategy, cv=3).fit(X, Y)
        found[strategy] = f1_score(Y_test, model.predict(X_test), average="micro")
    assert found["auto"] > max(found.values()) - 0.01
    assert found["auto"] > found["per_label_f1"] + 0.2
