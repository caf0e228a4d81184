"""The parameter `threshold` of every classifier: its rule, a number, or that of held-out scores."""

import dask.array as da
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.metrics.pairwise import rbf_kernel

import labelspan as ls
from labelspan.base import THRESHOLD, LabelClassifier
from labelspan.cuts import best_cuts, learnt
from labelspan.datasets import load_yeast
from labelspan.model_selection import MultilabelStratifiedKFold
from tests.registry import ESTIMATORS

# Those with another parameter of this name.
OTHERS = {
    "MultilabelRidgeCV",
    "ReducerCV",
    "SharedSubspaceClassifierCV",
    "ThresholdFunction",
    "ThresholdTuner",
}
CLASSIFIERS = [e.estimator for e in ESTIMATORS if isinstance(e.estimator, LabelClassifier)]
MODELS = [model for model in CLASSIFIERS if type(model).__name__ not in OTHERS]
pytestmark = [
    pytest.mark.filterwarnings("ignore:n_components"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def name(model):
    return type(model).__name__


def rows(n=60):
    """Half of the labels are rare, so that they are hardly predicted by the methods' own rules."""
    yeast = load_yeast()
    X, Y = yeast.X[:n, :6], yeast.Y[:n, [1, 2, 8, 9]]
    return X, Y


def scores_of(model, X):
    scored = hasattr(model, "decision_function")
    return model.decision_function(X) if scored else model.predict_proba(X)


def assigned(scores, thresholds, least):
    found = scores > thresholds
    for row, chosen in zip(scores, found, strict=True):
        if chosen.sum() < least:
            chosen[np.argsort(-row, kind="stable")[:least]] = True
    return found.astype(int)


def test_every_classifier_with_scores_has_it():
    assert len(MODELS) >= 20
    for model in MODELS:
        assert model.threshold == "paper"
        assert type(model)._parameter_constraints["threshold"] is THRESHOLD


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_a_number_is_what_scores_must_exceed(model):
    X, Y = rows()
    plain = clone(model).fit(X, Y)
    scores = scores_of(plain, X)
    cut = float(np.quantile(scores, 0.6))
    cut = float(np.nextafter(cut, -np.inf)) if cut in scores else cut
    given = clone(model).set_params(threshold=cut).fit(X, Y)
    np.testing.assert_allclose(scores_of(given, X), scores)
    expected = assigned(scores_of(given, X), cut, model.min_labels)
    clear = np.abs(scores - cut).min(axis=1) > 1e-9
    np.testing.assert_array_equal(given.predict(X)[clear], expected[clear])
    assert (given.predict(X) != plain.predict(X)).any()
    as_sparse = clone(given).fit(X, sparse.csr_array(Y)).predict(X)
    np.testing.assert_array_equal(as_sparse.toarray()[clear], expected[clear])


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_auto_has_the_best_micro_f1_of_held_out_scores(model):
    X, Y = rows()
    tuned = clone(model).set_params(threshold="auto").fit(X, Y)
    folds = list(MultilabelStratifiedKFold(5).split(X, Y))
    held_out = np.empty(Y.shape)
    for train, test in folds:
        held_out[test] = scores_of(clone(model).fit(X[train], Y[train]), X[test])
    seen = learnt(Y > 0, folds, None)
    found = best_cuts(held_out, Y > 0, observed=seen, min_labels=model.min_labels)
    np.testing.assert_allclose(tuned.thresholds_, found.thresholds, atol=1e-6)
    assert tuned.min_labels_ == found.min_labels
    expected = assigned(scores_of(tuned, X), tuned.thresholds_, tuned.min_labels_)
    np.testing.assert_array_equal(tuned.predict(X), expected)
    tuned.set_params(threshold="paper").fit(X, Y)
    assert not hasattr(tuned, "thresholds_")
    np.testing.assert_array_equal(tuned.predict(X), clone(model).fit(X, Y).predict(X))


def test_auto_predicts_rare_labels():
    yeast = load_yeast()
    X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
    X_new, Y_new = yeast.X[yeast.test], yeast.Y[yeast.test]
    for model in (ls.MultiOutputRidge(), ls.CPLST(), ls.MLkNN()):
        by_rule, tuned = (clone(model).set_params(threshold=t).fit(X, Y) for t in ("paper", "auto"))
        before, after = (
            f1_score(Y_new, m.predict(X_new), average="micro") for m in (by_rule, tuned)
        )
        assert after > before + 0.01


def test_weights_and_missing_labels_count():
    X, Y = rows()
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(X))
    plain = ls.MultiOutputRidge(threshold="auto").fit(X, Y)
    weighted = ls.MultiOutputRidge(threshold="auto").fit(X, Y, sample_weight=weights)
    assert (weighted.thresholds_ != plain.thresholds_).all()
    holes = Y.astype(float)
    holes[::5, 0] = np.nan
    assert np.isfinite(ls.MultiOutputRidge(threshold="auto").fit(X, holes).thresholds_).all()


def test_given_kernels_are_divided_by_rows_and_columns():
    X, Y = rows()
    by_rows = ls.KernelCPLST(2, gamma=1.0, threshold="auto").fit(X, Y)
    given = ls.KernelCPLST(2, kernel="precomputed", threshold="auto")
    given.fit(rbf_kernel(X, gamma=1.0), Y)
    np.testing.assert_allclose(given.thresholds_, by_rows.thresholds_, atol=1e-8)


@pytest.mark.parametrize("measure", ["f1_micro", "f1_macro", "hamming_loss"])
@pytest.mark.parametrize("least", [2, 3, 9])
def test_rows_may_have_at_least_as_many_labels_as_there_are(measure, least):
    """Of three labels one has no row."""
    X = np.random.default_rng(0).standard_normal((60, 4))
    Y = np.column_stack([X[:, :2] + 0.5 * X[:, 2:] > 0, np.zeros(60)]).astype(int)
    model = ls.ThresholdTuner(ls.MultiOutputRidge(), measure=measure, min_labels=least).fit(X, Y)
    assert np.isfinite(model.thresholds_[:2]).all()
    assert (model.predict(X).sum(axis=1) == min(least, 3)).all()


@pytest.mark.parametrize("goal", ["f1_micro", "f1_macro"])
def test_a_label_that_is_the_best_of_every_row_has_a_finite_threshold(goal):
    rng = np.random.default_rng(0)
    positive = rng.random((40, 3)) < [0.9, 0.3, 0.3]
    scores = positive + 0.8 * rng.standard_normal((40, 3)) + [9, 0, 0]
    found = best_cuts(scores, positive, goal, min_labels=1)
    assert found.min_labels == 1
    assert np.isfinite(found.thresholds).all()


def test_one_class_per_row_is_as_before():
    X, Y = rows()
    y = Y.argmax(axis=1)
    tuned = ls.MultiOutputRidge(threshold="auto").fit(X, y)
    np.testing.assert_array_equal(tuned.predict(X), ls.MultiOutputRidge().fit(X, y).predict(X))


def test_auto_needs_all_rows_in_memory():
    X, Y = rows()
    with pytest.raises(TypeError, match="X is a Dask array, but threshold='auto' fits"):
        ls.MultiOutputRidge(threshold="auto").fit(da.from_array(X, chunks=(30, -1)), Y)
    with pytest.raises(AttributeError) as refused:
        ls.MultiOutputRidge(threshold="auto").partial_fit(X, Y)
    assert "threshold='auto' needs held-out scores of all rows" in str(refused.value.__cause__)
    chunks = ls.MultiOutputRidge(threshold=0.3).partial_fit(X[:30], Y[:30])
    chunks.partial_fit(X[30:], Y[30:])
    whole = ls.MultiOutputRidge(threshold=0.3).fit(X, Y)
    np.testing.assert_array_equal(chunks.predict(X), whole.predict(X))
