"""Thresholds as an axis of the search, no reduction and PCA, kernels, scales, any classifier."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline

import labelspan as ls
from labelspan.linalg import _route
from labelspan.metrics import get_scorer
from labelspan.search import Axis, best_places
from tests.choice.oracle import as_pipeline, assert_same_scores, grid_search
from tests.choice.test_grid_search import RIDGES, sample

pytestmark = pytest.mark.filterwarnings("ignore:n_components=")


def assigned(scores, cut, least):
    found = scores >= cut
    for row, chosen in zip(scores, found, strict=True):
        if chosen.sum() < least:
            chosen[np.argsort(-row, kind="stable")[:least]] = True
    return found


@pytest.mark.parametrize("holes", [False, True])
def test_micro_f1_at_every_cut_is_that_of_the_labels(holes):
    rng = np.random.default_rng(0)
    # Scores that equal cuts, of rows and labels that tie, and far ones.
    scores = np.round(rng.standard_normal((40, 5)) * rng.choice([0.2, 1, 30], (40, 1)), 1)
    truth = (rng.random((40, 5)) < 0.3).astype(float)
    if holes:
        truth[rng.random((40, 5)) < 0.2] = np.nan
    axis, seen = Axis(64, (0, 1)), ~np.isnan(truth)
    found = axis.micro_f1(scores[None], truth)[0]
    for i, value in enumerate(found):
        predicted = assigned(scores, *axis.at(i))
        expected = f1_score(truth[seen] > 0, predicted[seen], zero_division=0)
        assert value == pytest.approx(expected), axis.at(i)
    assert len(found) == len(axis) == 126


def test_the_best_place_is_in_the_middle_of_equal_ones():
    first = np.array([[0, 1, 2, 2, 2, 0, 2.0], [5, 0, 0, 0, 0, 0, 0]])
    assert best_places(np.array([first, first])).tolist() == [3, 0]
    assert best_places(np.array([first, -first])).tolist() == [3, 3]


SCORERS = ["f1_micro", "f1_macro", get_scorer("hamming_loss"), "jaccard_micro"]


@pytest.mark.parametrize("scoring", SCORERS, ids=str)
@pytest.mark.parametrize("readout", [RIDGES, "mlknn"], ids=["ridge", "mlknn"])
def test_scores_are_those_at_the_threshold_of_the_candidate(scoring, readout):
    """Predictions of GridSearchCV's pipelines at the threshold in the table have these scores."""
    X, Y = sample(80, 6)
    folds = list(KFold(3).split(X))
    search = ls.ReducerCV([ls.OPLS()], [1, 3], readout=readout, scoring=scoring, cv=folds).fit(X, Y)
    table, better = search.cv_results_, []
    base = ls.MLkNN() if readout == "mlknn" else RIDGES[0]
    for i, point in enumerate(table["params"]):
        model = Pipeline([("reducer", ls.OPLS()), ("readout", clone(base))]).set_params(**point)
        for k, (train, test) in enumerate(folds):
            model.fit(X[train], Y[train])
            scored = model.predict_proba if readout == "mlknn" else model.decision_function
            predicted = assigned(scored(X[test]), table["threshold"][i], table["min_labels"][i])
            expected = score_of(scoring, Y[test], predicted)
            assert table[f"split{k}_test_score"][i] == pytest.approx(expected)
            better.append(expected - score_of(scoring, Y[test], model.predict(X[test])))
    assert np.mean(better) > 0


def score_of(scoring, true, predicted):
    class Given(ls.MultiOutputRidge):
        classes_ = np.tile([0, 1], (true.shape[1], 1))

        def predict(self, X):
            return predicted.astype(int)

    if isinstance(scoring, str):
        from sklearn.metrics import get_scorer as theirs

        return theirs(scoring)(Given(), None, true)
    return scoring(Given(), None, true)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(60, 7), (24, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("readout", [RIDGES, (ls.MLkNN(), {"n_neighbors": [1, 5]})], ids=repr)
def test_no_reduction_is_a_pipeline_without_a_reducer(form, shape, readout):
    X, Y = sample(*shape)
    folds = list(KFold(3).split(X))
    search = as_pipeline(["none"], readout=readout, scoring="f1_micro", cv=folds).fit(form(X), Y)
    slow = grid_search(search, form(X), Y, folds, readout[0], "f1_micro")
    assert_same_scores(search, slow)
    best = clone(readout[0]).set_params(
        **{name[9:]: v for name, v in search.best_params_.items() if name.startswith("readout__")}
    )
    np.testing.assert_array_equal(search.predict(form(X)), best.fit(form(X), Y).predict(form(X)))
    same = search.transform(form(X)) != form(X)
    assert same.sum() == 0
    assert search.summary().startswith(f"Do not reduce: all {shape[1]} features: micro-F1 ")


def test_no_reduction_of_large_sparse_rows(monkeypatch):
    monkeypatch.setattr(_route, "KRYLOV_SIDE", 5)
    X, Y = sample(40, 60)
    X, folds = sparse.csr_array(X), list(KFold(3).split(X))
    search = as_pipeline(["none", ls.MDDM()], [1, 2], readout=RIDGES, cv=folds).fit(X, Y)
    slow = grid_search(search, X, Y, folds, RIDGES[0], None)
    assert_same_scores(search, slow, 1e-6)
    assert set(search.cv_results_["mean_n_components"]) == {60, 1, 2}


def test_pca_is_that_of_scikit_learn():
    X, Y = sample()
    folds = list(KFold(3).split(X))
    search = as_pipeline(["pca"], [1, 4], readout=RIDGES, scoring="f1_micro", cv=folds).fit(X, Y)
    pipeline = Pipeline([("reducer", PCA()), ("readout", RIDGES[0])])
    grid = [
        {name: [value] for name, value in point.items() if name != "reducer"}
        for point in search.cv_results_["params"]
    ]
    slow = GridSearchCV(pipeline, grid, scoring="f1_micro", cv=folds, refit=False).fit(X, Y)
    for key in ("mean_test_score", "std_test_score"):
        np.testing.assert_allclose(search.cv_results_[key], slow.cv_results_[key], atol=1e-10)
    assert "by PCA: micro-F1" in search.summary().splitlines()[0]


READOUTS = [
    OneVsRestClassifier(LogisticRegression()),
    (RidgeClassifier(), {"alpha": [0.1, 10.0]}),
    KNeighborsClassifier(),
]


@pytest.mark.parametrize("readout", READOUTS, ids=repr)
def test_any_classifier_may_read_the_projections(readout):
    X, Y = sample()
    folds = list(KFold(3).split(X))
    base = readout[0] if isinstance(readout, tuple) else readout
    search = as_pipeline(
        [ls.MVMD(), ls.OPLS(ridge=1.0)], [1, 3], readout=readout, scoring="f1_macro", cv=folds
    ).fit(X, Y)
    assert_same_scores(search, grid_search(search, X, Y, folds, base, "f1_macro"))
    expected = make_pipeline(search.best_estimator_, search.best_readout_).predict(X)
    np.testing.assert_array_equal(search.predict(X), expected)
    tuned = clone(search).set_params(threshold="auto").fit(X, Y)
    assert tuned.best_score_ >= search.best_score_ - 1e-12
    given = clone(search).set_params(threshold=-100.0).fit(X, Y)
    assert given.predict(X).all()
    assert given.best_score_ == pytest.approx(
        np.mean([f1_score(Y[test], np.ones_like(Y[test]), average="macro") for _, test in folds])
    )


@pytest.mark.parametrize(
    "readout", [ls.MultilabelRidgeCV(kernel="linear"), ls.LaRankSVM(random_state=0)], ids=repr
)
def test_classifiers_that_learn_their_threshold_get_one_from_held_out_scores(readout):
    X, Y = sample()
    search = ls.ReducerCV([ls.MVMD()], [3], readout=readout, cv=3).fit(X, Y)
    scores = search.best_readout_.decision_function(search.transform(X))
    expected = assigned(scores, search.threshold_, search.min_labels_)
    np.testing.assert_array_equal(search.predict(X), expected)
    with pytest.raises(ValueError, match=f"not known for {type(readout).__name__}, which learns"):
        search.set_params(threshold="paper").fit(X, Y)


def circles(n=300, seed=0):
    """Labels by the distance from the origin, which no direction shows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    radius = np.linalg.norm(X, axis=1)
    return X, np.column_stack([radius < 0.6, abs(radius - 1) < 0.2, radius > 1.6]).astype(int)


def test_a_kernel_is_chosen_where_directions_do_not_suffice():
    X, Y = circles()
    search = ls.ReducerCV(cv=3).fit(X, Y)
    assert search.best_params_["kernel"] == "rbf"
    assert "with an RBF kernel" in search.summary().splitlines()[0]
    linear = ls.ReducerCV(kernel="linear", cv=3).fit(X, Y)
    assert search.best_score_ > linear.best_score_ + 0.05
    X_new, Y_new = circles(seed=1)
    found = [f1_score(Y_new, m.predict(X_new), average="micro") for m in (search, linear)]
    assert found[0] > found[1] + 0.05
    assert search.transform(X_new).shape == (300, search.best_estimator_.n_components_)


def test_a_scale_is_that_of_scaled_columns():
    X, Y = sample()
    X = X * 10.0 ** np.arange(7)
    folds = list(KFold(3).split(X))
    search = as_pipeline([ls.MVMD()], [1, 2], scale="standard", readout=RIDGES, cv=folds).fit(X, Y)
    plain = as_pipeline([ls.MVMD()], [1, 2], readout=RIDGES, cv=folds).fit(X / X.std(axis=0), Y)
    assert_same_scores(search, plain)
    Z = plain.transform(X / X.std(axis=0))
    np.testing.assert_allclose(search.transform(X), Z, atol=1e-8)


def test_units_of_the_columns_do_not_matter_by_default():
    X, Y = sample()
    one = ls.ReducerCV(cv=3).fit(X, Y)
    other = ls.ReducerCV(cv=3).fit(X * 10.0 ** np.arange(7), Y)
    np.testing.assert_allclose(
        other.cv_results_["mean_test_score"], one.cv_results_["mean_test_score"], atol=1e-6
    )


def test_do_not_reduce_where_every_feature_has_its_label():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 12))
    Y = (X + 0.3 * rng.standard_normal((400, 12)) > 0.8).astype(int)
    search = ls.ReducerCV(["none", "pca", ls.OPLS()], [1, 2, 4], cv=3)
    for rule in ("best", "one_standard_error"):
        found = search.set_params(rule=rule).fit(X, Y)
        assert found.best_params_["reducer"] == "passthrough"
        advice = found.summary().splitlines()[0]
        assert advice.startswith("Do not reduce: all 12 features: micro-F1 .")
        assert "; PCA: ." in advice


def test_reduce_where_it_costs_no_more_than_a_standard_error():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 30))
    Y = (X[:, :1] + 0.5 * rng.standard_normal((300, 3)) > 0.5).astype(int)
    search = ls.ReducerCV(["none", ls.OPLS()], [1, 2], rule="one_standard_error", cv=5).fit(X, Y)
    advice = search.summary().splitlines()[0]
    assert advice.startswith("Reduce to 1 direction by OPLS: micro-F1 .")
    assert "; all 30 features: ." in advice


def advice_of(scoring="f1_micro", y=None, n_features=12, **settings):
    X, Y = sample(120, n_features)
    search = ls.ReducerCV(scoring=scoring, cv=2, **settings).fit(X, Y if y is None else y(Y))
    return search.summary().splitlines()[0], search


def test_the_advice_names_the_measure_in_words():
    assert ": micro-F1 ." in advice_of(y=lambda Y: Y[:, 0])[0]
    assert ": subset accuracy ." in advice_of(scoring="accuracy")[0]
    advice, search = advice_of(scoring="ranking_loss")
    # Scores of a loss are negative, the loss is not.
    assert search.best_score_ < 0
    assert f": ranking loss {-search.best_score_:.3f}".replace(" 0.", " .") in advice
    advice, _ = advice_of(scoring={"sum": minus_hundred})
    assert ": minus hundred -100." in advice


def minus_hundred(estimator, X, y):
    return -100.0 - abs(estimator.predict(X) - y).mean()


def test_the_advice_counts_directions_and_features():
    advice, search = advice_of(reducers=["pca"], n_components=[0.9])
    assert f"Reduce to {search.best_estimator_.n_components_} direction" in advice
    advice, search = advice_of(reducers=["pca"], n_components=[40], kernel="rbf")
    assert search.best_estimator_.n_components_ > 12
    assert advice.startswith(f"Take {search.best_estimator_.n_components_} directions by PCA: ")
    assert "the only feature: micro-F1 ." in advice_of(n_features=1, reducers=["none"])[0]


def test_a_held_out_part_without_positives_has_a_micro_f1_of_zero():
    X, Y = sample(60, 5)
    Y[30:] = 0
    folds = [(np.arange(30), np.arange(30, 60)), (np.arange(15), np.arange(15, 30))]
    search = ls.ReducerCV(["none"], cv=folds, readout=ls.MultiOutputRidge(ridge=1.0)).fit(X, Y)
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    assert search.cv_results_["split0_test_score"][0] == 0


def test_what_cannot_be_summed_up_or_scored_has_a_reason():
    X, Y = sample(60, 5)
    several = ls.ReducerCV(["none"], scoring=["f1_micro", "accuracy"], refit=False, cv=2)
    with pytest.raises(ValueError, match="refit=False with several scorers chooses nothing"):
        several.fit(X, Y).summary()
    with pytest.raises(ValueError, match=r"names no measure; allowed are .*shared_label_at_10"):
        ls.ReducerCV(["none"], scoring="shared_label_at_0").fit(X, Y)
    with pytest.raises(ValueError, match="scoring needs probabilities"):
        ls.ReducerCV(["none"], scoring="neg_log_loss", cv=2).fit(X, Y)


def test_large_sparse_rows_have_fewer_candidates(monkeypatch):
    monkeypatch.setattr(_route, "KRYLOV_SIDE", 30)
    X, Y = sample(120, 60)
    search = ls.ReducerCV(kernel="linear", cv=2).fit(sparse.csr_array(X), Y)
    names = set(search.method_ranks_)
    assert names == {"all features", "PCA", "MDDM()", "OPLS()"}
    whole = ls.ReducerCV(kernel="linear", cv=2).fit(X, Y)
    assert names < set(whole.method_ranks_)
    best = search.method_ranks_.keys() & {"MDDM()", "OPLS()"}
    assert best
    ours, theirs = (np.nanmax(s.cv_results_["mean_test_score"]) for s in (search, whole))
    assert abs(ours - theirs) < 0.05
