"""ProbabilityCalibrator against known probabilities and a solver for Platt's problem."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from labelspan.classifiers import MLkNN, MultiOutputRidge, ProbabilityCalibrator
from labelspan.extraction import MVMD
from labelspan.subspace import SharedSubspaceClassifier

METHODS = ("sigmoid", "isotonic")


class Scored(ClassifierMixin, BaseEstimator):
    """A classifier whose features are its scores."""

    def fit(self, X, y):
        self.classes_ = np.tile([0, 1], (X.shape[1], 1))
        return self

    def decision_function(self, X):
        return X


def links(scores, positive, method="sigmoid"):
    """The calibrator of one column of given scores."""
    both = np.column_stack([positive, ~positive]).astype(int)
    return ProbabilityCalibrator(Scored(), method, cv=KFold(2)).fit(
        np.column_stack([scores, scores]), both
    )


def simulated(rng, n=3000, steep=(0.5, 2.0, 4.0)):
    """Features with known probabilities of three labels of different steepness and frequency."""
    X = rng.standard_normal((n, 6))
    odds = X[:, :3] * steep + [-2.0, 0.0, 1.0]
    P = expit(odds)
    return X, (rng.random(P.shape) < P).astype(int), P


def calibration_error(P, Y, n_bins=10):
    """Mean distance of the predicted from the observed share, over bins of equal size."""
    errors = []
    for p, y in zip(P.T, Y.T, strict=True):
        bins = np.array_split(np.argsort(p, kind="stable"), n_bins)
        errors += [abs(p[rows].mean() - y[rows].mean()) for rows in bins]
    return np.mean(errors)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("estimator", [MultiOutputRidge(), SharedSubspaceClassifier()])
def test_probabilities_are_those_that_made_the_labels(method, estimator, rng):
    X, Y, _ = simulated(rng)
    X_new, Y_new, P_new = simulated(rng)
    model = ProbabilityCalibrator(estimator, method).fit(X, Y)
    P = model.predict_proba(X_new)
    assert np.abs(P - P_new).mean() < 0.03
    assert calibration_error(P, Y_new) < 0.025
    # The naive way: scores of a regression on -1 and +1, clipped to [0, 1].
    scores = model.estimator_.decision_function(X_new)
    naive = np.clip((scores + 1) / 2, 1e-3, 1 - 1e-3)
    assert calibration_error(naive, Y_new) > 0.03
    truth, ours, cut = Y_new.ravel(), P.ravel(), naive.ravel()
    assert brier_score_loss(truth, ours) < brier_score_loss(truth, cut) - 0.003
    assert log_loss(truth, np.clip(ours, 1e-6, 1 - 1e-6)) < log_loss(truth, cut) - 0.01


@pytest.mark.parametrize("method", METHODS)
def test_an_estimator_that_memorises_is_not_taken_at_its_word(method, rng):
    X, Y = rng.standard_normal((400, 5)), (rng.random((400, 2)) < 0.3).astype(int)
    nearest = KNeighborsClassifier(1)
    assert (nearest.fit(X, Y).predict(X) == Y).all()
    P = ProbabilityCalibrator(nearest, method).fit(X, Y).predict_proba(X)
    # The labels are coin flips, so memorised training labels must not be returned.
    assert P.min() > 0.15
    assert P.max() < 0.45


@pytest.mark.parametrize("method", METHODS)
def test_the_scores_are_held_out(method, rng):
    X, Y, _ = simulated(rng, n=200)
    model = ProbabilityCalibrator(MultiOutputRidge(), method, cv=KFold(4)).fit(X, Y)
    scores = np.empty(Y.shape)
    for train, test in KFold(4).split(X):
        scores[test] = MultiOutputRidge().fit(X[train], Y[train]).decision_function(X[test])
    given = ProbabilityCalibrator(Scored(), method, cv=KFold(2)).fit(scores, Y)
    if method == "sigmoid":
        np.testing.assert_allclose(model.slope_, given.slope_)
        np.testing.assert_allclose(model.intercept_, given.intercept_)
    for found, expected in zip(*(vars(m).get("knots_", []) for m in (model, given)), strict=True):
        np.testing.assert_allclose(found, expected)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.floats(-3, 3), st.floats(-6, 6))
def test_the_sigmoid_is_the_optimum_of_platts_problem(seed, n, shift, magnitude):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    scores = (rng.standard_normal(n) + 1.5 * positive) * 10.0**magnitude + shift
    n1 = positive.sum()
    targets = np.where(positive, (n1 + 1) / (n1 + 2), 1 / (n - n1 + 2))

    def loss(weights):
        odds = weights[0] * (scores - scores.mean()) / scores.std() + weights[1]
        return np.sum(np.logaddexp(0, odds) - targets * odds)

    best = minimize(loss, [0.0, 0.0], bounds=[(0, None), (None, None)], tol=1e-12)
    model = links(scores, positive)
    slope, intercept = model.slope_[0], model.intercept_[0]
    found = loss([slope * scores.std(), slope * scores.mean() + intercept])
    assert slope >= 0
    assert found <= best.fun + 1e-6 * n


def test_scikit_learn_fits_the_same_sigmoid_and_step_function(rng):
    X, Y, _ = simulated(rng, n=300)
    y = Y[:, 1]
    for method in METHODS:
        theirs = CalibratedClassifierCV(
            LinearSVC(random_state=0), method=method, cv=KFold(3), ensemble=False
        ).fit(X, y)
        ours = ProbabilityCalibrator(LinearSVC(random_state=0), method, cv=KFold(3)).fit(X, y)
        expected = theirs.predict_proba(X)[:, 1]
        if method == "isotonic":
            # On Platt's targets, as the sigmoid, instead of 0 and 1.
            low, high = 1 / (300 - y.sum() + 2), (y.sum() + 1) / (y.sum() + 2)
            expected = low + (high - low) * expected
        np.testing.assert_allclose(ours.predict_proba(X)[:, 1], expected, atol=2e-4)


@pytest.mark.parametrize("method", METHODS)
def test_labels_without_rows_and_constant_ones(method, rng):
    X, Y, _ = simulated(rng, n=98)
    Y = np.column_stack([Y, np.zeros(98, int), np.ones(98, int)])
    P = ProbabilityCalibrator(MultiOutputRidge(), method).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(P[:, 3], 1 / 100)
    np.testing.assert_allclose(P[:, 4], 99 / 100)


def test_scores_that_run_against_the_label_say_nothing():
    scores, positive = np.arange(10.0), np.arange(10) < 5
    model = links(scores, positive)
    assert (model.slope_[0], model.intercept_[0]) == pytest.approx((0.0, 0.0))
    assert np.ptp(np.interp(scores, *links(scores, positive, "isotonic").knots_[0])) == 0
    # Scores without any spread.
    model = links(np.full(8, 3.0), np.arange(8) < 2)
    assert model.slope_[0] == 0
    assert expit(model.intercept_[0]) == pytest.approx((2 * 3 / 4 + 6 * 1 / 8) / 8)


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_increase_with_the_scores(method, rng):
    X, Y, _ = simulated(rng, n=300)
    model = ProbabilityCalibrator(MultiOutputRidge(), method).fit(X, Y)
    P, scores = model.predict_proba(X), model.estimator_.decision_function(X)
    for k in range(3):
        assert (np.diff(P[np.argsort(scores[:, k]), k]) >= 0).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("classes", [["no", "yes"], ["a", "b", "c"]])
def test_classes_of_a_vector(method, classes, rng):
    X = rng.standard_normal((240, 4))
    y = np.array(classes)[np.argmax(X[:, : len(classes)] + 0.3 * rng.standard_normal(1), axis=1)]
    model = ProbabilityCalibrator(MultiOutputRidge(), method).fit(X, y)
    P = model.predict_proba(X)
    assert P.shape == (240, len(classes))
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (model.predict(X) == y).mean() > 0.9
    np.testing.assert_array_equal(model.predict(X), model.classes_[P.argmax(axis=1)])


def test_sparse_rows_frames_and_names(rng):
    X, Y, _ = simulated(rng, n=200)
    names = ["water", "sky", "people"]
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(6)])
    plain = ProbabilityCalibrator(MultiOutputRidge()).fit(X, Y)
    named = ProbabilityCalibrator(MultiOutputRidge()).fit(frame, pd.DataFrame(Y, columns=names))
    assert list(named.label_names_) == names
    assert list(named.feature_names_in_) == list(frame.columns)
    np.testing.assert_allclose(named.predict_proba(frame), plain.predict_proba(X))
    thin = ProbabilityCalibrator(MultiOutputRidge()).fit(sparse.csr_array(X), sparse.csr_array(Y))
    np.testing.assert_allclose(
        thin.predict_proba(sparse.csr_array(X)), plain.predict_proba(X), atol=1e-8
    )


def test_min_labels_gives_the_most_probable_label(rng):
    X, Y, _ = simulated(rng, n=300)
    Y[:, 2] = 0
    plain = ProbabilityCalibrator(MultiOutputRidge()).fit(X, Y)
    least = clone(plain).set_params(min_labels=1).fit(X, Y)
    none = plain.predict(X).sum(axis=1) == 0
    assert none.any()
    given_labels = least.predict(X)
    np.testing.assert_array_equal(
        given_labels[none].argmax(axis=1), plain.predict_proba(X)[none].argmax(axis=1)
    )
    assert (given_labels.sum(axis=1) >= 1).all()


def test_pipelines_searches_pickles_and_refits(rng):
    X, Y, _ = simulated(rng, n=150)
    inner = make_pipeline(MVMD(3), MLkNN(5))
    search = GridSearchCV(
        ProbabilityCalibrator(inner), {"method": METHODS, "estimator__mvmd__beta": [0.1, 0.9]}, cv=2
    ).fit(X, Y)
    model = search.best_estimator_
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    model.set_params(method="isotonic").fit(X, Y)
    assert not hasattr(model, "slope_")
    assert len(model.knots_) == 3


def test_skops_keeps_a_calibrator(rng):
    skops = pytest.importorskip("skops.io")
    X, Y, _ = simulated(rng, n=150)
    for method in METHODS:
        model = ProbabilityCalibrator(MultiOutputRidge(), method).fit(X, Y)
        data = skops.dumps(model)
        trusted = skops.get_untrusted_types(data=data)
        assert all(name.startswith("labelspan.") for name in trusted)
        loaded = skops.loads(data, trusted=trusted)
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_errors_say_what_to_change(rng):
    X, Y, _ = simulated(rng, n=30)
    y = np.array(["a", "b"] * 14 + ["a", "rare"])
    with pytest.raises(ValueError, match=r"Class rare has 1 row.*at least 2 rows per class"):
        ProbabilityCalibrator(MultiOutputRidge()).fit(X, y)
    with pytest.raises(ValueError, match="n_splits=40 is out of range"):
        ProbabilityCalibrator(MultiOutputRidge(), cv=40).fit(X, Y)
    halves = [(np.arange(15), np.arange(15, 30))]
    with pytest.raises(ValueError, match="does not hold out every row exactly once"):
        ProbabilityCalibrator(MultiOutputRidge(), cv=halves).fit(X, Y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        ProbabilityCalibrator(MultiOutputRidge()).fit(X, None)
