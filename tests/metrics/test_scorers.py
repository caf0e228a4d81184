"""Each scorer against the measure called by hand, inside scikit-learn's searches."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from labelspan.classifiers import MLkNN, MultiOutputRidge
from labelspan.metrics import MEASURES, get_measure, get_scorer, micro_f1, one_error, scorers

FOLDS = KFold(3)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 6))
    Y = (X @ rng.standard_normal((6, 7)) + rng.standard_normal((90, 7)) > 0.4).astype(int)
    Y[:, 0] |= ~Y.any(axis=1)
    return X, Y


def signed(measure, Y, output):
    return measure(Y, output) if measure.direction == "max" else -measure(Y, output)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", MEASURES)
def test_a_search_ranks_by_the_measure(name, form, problem):
    X, Y = problem
    grid = {"ridge": [1e-3, 30.0, 3000.0]}
    search = GridSearchCV(MultiOutputRidge(), grid, scoring=scorers[name], cv=FOLDS, refit=True)
    search.fit(X, form(Y))
    by_hand = []
    for ridge in grid["ridge"]:
        parts = []
        for train, test in FOLDS.split(X):
            model = MultiOutputRidge(ridge).fit(X[train], Y[train])
            labels = MEASURES[name].needs == "labels"
            output = model.predict(X[test]) if labels else model.decision_function(X[test])
            parts.append(signed(MEASURES[name], Y[test], output))
        by_hand.append(np.mean(parts))
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], by_hand, rtol=1e-12)
    assert search.best_params_["ridge"] == grid["ridge"][int(np.argmax(by_hand))]
    assert len(set(by_hand)) > 1


def test_all_scorers_at_once_in_cross_validate(problem):
    X, Y = problem
    found = cross_validate(MLkNN(5), X, Y, scoring=dict(scorers), cv=FOLDS)
    for number, (train, test) in enumerate(FOLDS.split(X)):
        model = MLkNN(5).fit(X[train], Y[train])
        outputs = {"labels": model.predict(X[test]), "scores": model.predict_proba(X[test])}
        for name, measure in MEASURES.items():
            expected = signed(measure, Y[test], outputs[measure.needs])
            assert found[f"test_{name}"][number] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("classes", [["no", "yes"], ["a", "b", "c"]])
@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), MultiOutputRidge(), KNeighborsClassifier(3)]
)
def test_classes_of_a_vector_are_columns(estimator, classes, problem):
    X, _ = problem
    y = np.array(classes)[np.argmax(X[:, : len(classes)], axis=1)]
    model = clone(estimator).fit(X, y)
    Y = y[:, None] == (classes[1:] if len(classes) == 2 else classes)
    predicted = model.predict(X)[:, None] == (classes[1:] if len(classes) == 2 else classes)
    assert get_scorer("micro_f1")(model, X, y) == micro_f1(Y, predicted)
    if hasattr(model, "decision_function"):
        scores = model.decision_function(X)
    else:
        scores = model.predict_proba(X)
        scores = scores[:, 1] if len(classes) == 2 else scores
    assert get_scorer("one_error")(model, X, y) == -one_error(Y, scores)
    # A fold may lack a class: its column stays.
    few = y != classes[-1]
    assert np.isfinite(get_scorer("hamming_loss")(model, X[few], y[few]))


def test_lists_of_probabilities_pipelines_and_frames(problem):
    X, Y = problem
    model = make_pipeline(PCA(4), MultiOutputClassifier(LogisticRegression())).fit(X, Y)
    scores = np.column_stack([p[:, 1] for p in model.predict_proba(X)])
    for name in ("ranking_loss", "macro_auc"):
        expected = signed(MEASURES[name], Y, scores)
        assert scorers[name](model, X, Y) == pytest.approx(expected)
        assert scorers[name](model, X, pd.DataFrame(Y)) == pytest.approx(expected)


def test_conventions_and_parameters_are_bound(problem):
    X, Y = problem
    Y = Y.copy()
    Y[:4] = 0
    model = MultiOutputRidge().fit(X, Y)
    scores = model.decision_function(X)
    expected = get_measure("ranking_loss", "mddm")(Y, scores)
    assert expected != MEASURES["ranking_loss"](Y, scores)
    assert get_scorer("ranking_loss", "mddm")(model, X, Y) == -expected
    first = get_scorer("precision_at_k", k=1)
    assert first(model, X, Y) == get_measure("precision_at_k", k=1)(Y, scores)
    assert repr(first) == "get_scorer('precision_at_k', k=1)"


@pytest.mark.parametrize("name", MEASURES)
def test_scorers_travel_to_other_processes(name):
    scorer = get_scorer(name, "mddm")
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    search = clone(GridSearchCV(MultiOutputRidge(), {"ridge": [1.0]}, scoring=scorer, n_jobs=1))
    assert search.scoring == scorer


def test_errors_say_what_to_use(problem):
    X, Y = problem
    with pytest.raises(ValueError, match=r"no measure 'Micro_F1'.*Did you mean 'micro_f1'"):
        get_scorer("Micro_F1")
    with pytest.raises(ValueError, match=r"no measure 'rank_loss'.*Did you mean 'ranking_loss'"):
        get_scorer("rank_loss")

    class Silent(RidgeClassifier):
        decision_function = property()

    with pytest.raises(TypeError, match="'one_error' needs scores, but Silent has neither"):
        get_scorer("one_error")(Silent().fit(X, Y), X, Y)
    with pytest.raises(TypeError, match=r"y is 1-d, but PCA has no classes_.*label indicators"):
        get_scorer("micro_f1")(PCA(2).fit(X), X, Y[:, 0])
