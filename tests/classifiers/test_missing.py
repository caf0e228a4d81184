"""Classifiers of rows whose labels are not all observed, against one label at a time."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multioutput import MultiOutputClassifier

from labelspan.classifiers import (
    MLkNN,
    MultiOutputRidge,
    ProbabilityCalibrator,
    ThresholdTuner,
)
from labelspan.cuts import tuned_thresholds
from labelspan.datasets import load_yeast
from labelspan.subspace import StructuralF1SVM
from tests.reference.mlknn import mlknn_observed
from tests.reference.subspace import best_f1_threshold


def holed(shares=(0.3, 0.5, 0.0, 0.8, 0.2), n=120, seed=0):
    yeast = load_yeast()
    X, Y = yeast.X[: n + 40, :8].copy(), yeast.Y[:n, : len(shares)].astype(float)
    X[n:] = np.round(X[n:], 2)
    Y[np.random.default_rng(seed).random(Y.shape) < shares] = np.nan
    return X[:n], Y, X[n:]


@pytest.mark.parametrize(("k", "s"), [(1, 1.0), (7, 0.5), (10, 0.0)])
@pytest.mark.filterwarnings("ignore:n_neighbors=", "ignore:1 label.s. .4. are observed in")
def test_each_label_has_the_neighbours_where_it_is_observed(k, s):
    """To the last bit, by one wide search and, for the label observed least, by its own."""
    X, Y, X_test = holed((0.3, 0.5, 0.0, 0.8, 0.97))
    X[5] = X[9]
    expected = mlknn_observed(X, Y, X_test, k, s) if s else None
    for form in (np.asarray, sparse.csr_array):
        model = MLkNN(k, smoothing=s).fit(form(X), Y)
        found = model.predict_proba(form(X_test))
        if s:
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(model.predict(form(X_test)), expected >= 0.5)
        for label, y in enumerate(Y.T):
            seen = ~np.isnan(y)
            alone = MLkNN(k, smoothing=s).fit(form(X)[seen], y[seen, None])
            np.testing.assert_array_equal(model.prior_[label], alone.prior_[0])
            known = alone.posterior_.shape[1]
            np.testing.assert_array_equal(model.posterior_[label, :known], alone.posterior_[0])
            np.testing.assert_array_equal(
                found[:, label], alone.predict_proba(form(X_test))[:, 0], err_msg=str(label)
            )


def test_rows_without_labels_are_not_there():
    X, Y, X_test = holed((0.0,) * 5)
    Y[::3] = np.nan
    kept = np.arange(len(X)) % 3 > 0
    ours, theirs = MLkNN(5).fit(X, Y), MLkNN(5).fit(X[kept], Y[kept].astype(int))
    np.testing.assert_array_equal(ours.posterior_, theirs.posterior_)
    np.testing.assert_array_equal(ours.predict(X_test), theirs.predict(X_test))


def test_few_observed_rows_are_all_neighbours():
    X, Y, X_test = holed()
    Y[4:, 1] = np.nan
    Y[1:, 2] = np.nan
    Y[:, 3] = np.nan
    with pytest.warns(UserWarning, match=r"3 label\(s\) \(1, 2, 3\) .* n_neighbors=10: all other"):
        model = MLkNN().fit(X, Y)
    np.testing.assert_array_equal(
        model.predict_proba(X_test), mlknn_observed(X, Y, X_test, 10, 1.0)
    )
    assert model.prior_[3] == 0
    assert not model.predict(X_test)[:, 3].any()


def test_given_distances():
    X, Y, X_test = holed()
    train, test = cdist(X, X), cdist(X_test, X)
    expected = MLkNN(5).fit(X, Y).predict_proba(X_test)
    given = MLkNN(5, metric="precomputed")
    np.testing.assert_array_equal(given.fit(train, Y).predict_proba(test), expected)
    graphs = sparse.csr_array(train), sparse.csr_array(test)
    np.testing.assert_array_equal(given.fit(graphs[0], Y).predict_proba(graphs[1]), expected)
    near = sparse.csr_array(np.where(train <= np.sort(train, axis=1)[:, [6]], train, 0.0))
    with pytest.raises(ValueError, match=r"stores \d neighbours but n_neighbors=5 are needed"):
        given.fit(near, Y)


def test_thresholds_are_tuned_on_the_observed_rows():
    X, Y, _ = holed()
    model = ThresholdTuner(MLkNN(5), "per_label_f1").fit(X, Y)
    scores = MLkNN(5).fit(X, Y).predict_proba(X)
    for label, y in enumerate(Y.T):
        seen = ~np.isnan(y)
        alone = tuned_thresholds(scores[seen][:, [label]], y[seen, None] > 0, "per_label_f1")
        assert model.thresholds_[label] == alone[0]
        predicted = model.predict(X)[seen, label]
        f1 = 2 * (predicted @ y[seen]) / (predicted.sum() + y[seen].sum())
        assert f1 == pytest.approx(best_f1_threshold(scores[seen, label], y[seen] > 0))
    held_out = ThresholdTuner(MLkNN(5), "per_label_f1", cv=3).fit(X, Y)
    assert np.isfinite(held_out.thresholds_).all()
    assert (held_out.thresholds_ != model.thresholds_).any()


def test_cardinality_counts_the_observed_entries():
    rng = np.random.default_rng(0)
    scores, seen = rng.standard_normal((60, 4)), rng.random((60, 4)) < 0.6
    positive = seen & (rng.random((60, 4)) < 0.3)
    positive[:, 3] = False
    thresholds = tuned_thresholds(scores, positive, "cardinality", observed=seen)
    assert (scores > thresholds)[seen].sum() == positive.sum()
    assert thresholds[3] == np.inf
    weights = rng.integers(1, 4, 60).astype(float)
    copies = [np.repeat(A, weights.astype(int), axis=0) for A in (scores, positive, seen)]
    for strategy in ("cardinality", "per_label_f1"):
        ours = tuned_thresholds(scores, positive, strategy, weights, seen)
        theirs = tuned_thresholds(copies[0], copies[1], strategy, observed=copies[2])
        np.testing.assert_array_equal(ours, theirs)


def test_a_label_that_is_never_observed_is_never_predicted():
    X, Y, X_test = holed()
    Y[:, 1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tuned = ThresholdTuner(MLkNN(5), "per_label_f1").fit(X, Y)
    assert tuned.thresholds_[1] == np.inf
    assert not tuned.predict(X_test)[:, 1].any()


def test_what_the_inner_estimator_refuses_is_refused():
    X, Y, _ = holed()
    with pytest.raises(ValueError, match=r"NaN"):
        ThresholdTuner(MultiOutputClassifier(LogisticRegression())).fit(X, Y)
    with pytest.raises(ValueError, match="its estimator StructuralF1SVM does, because"):
        ThresholdTuner(StructuralF1SVM()).fit(X, Y)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_each_label_is_calibrated_on_the_rows_where_it_is_observed(method):
    """The same as without the other rows, but with the folds of all rows."""
    X, Y, X_test = holed()
    folds = list(KFold(3).split(X))
    model = ProbabilityCalibrator(MultiOutputRidge(1.0), method, cv=folds).fit(X, Y)
    found = model.predict_proba(X_test)
    for label, y in enumerate(Y.T):
        rows = np.flatnonzero(~np.isnan(y))
        own = [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
        alone = ProbabilityCalibrator(MultiOutputRidge(1.0), method, cv=own)
        alone.fit(X[rows], y[rows, None].astype(int))
        expected = alone.predict_proba(X_test)[:, 0]
        np.testing.assert_allclose(found[:, label], expected, atol=1e-8)
    filled = ProbabilityCalibrator(MultiOutputRidge(1.0), method, cv=folds).fit(X, np.nan_to_num(Y))
    assert np.abs(found - filled.predict_proba(X_test)).max() > 0.1


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_a_label_that_is_never_observed_has_no_probability(method):
    X, Y, X_test = holed()
    Y[:, 1] = np.nan
    with pytest.warns(UserWarning, match="observed in no row"):
        model = ProbabilityCalibrator(MultiOutputRidge(1.0), method, min_labels=1).fit(X, Y)
    assert not model.predict_proba(X_test)[:, 1].any()
    assert not model.predict(X_test)[:, 1].any()


def test_a_calibrator_takes_what_its_estimator_takes():
    X, Y, _ = holed()
    model = ProbabilityCalibrator(StructuralF1SVM())
    with pytest.raises(ValueError, match="needs every label: its estimator StructuralF1SVM does"):
        model.fit(X, Y)
