"""The grid from one decomposition per fold against scikit-learn's grid search, which refits."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import f1_score, hamming_loss, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, RepeatedKFold, ShuffleSplit

from labelspan.classifiers import ThresholdTuner
from labelspan.datasets import load_yeast
from labelspan.subspace import SharedSubspaceClassifier, SharedSubspaceClassifierCV
from tests.subspace.problems import problem

ALPHAS, BETAS = [0.0, 1e-3, 1.0], [0.0, 0.01, 10.0]
SCORERS = {
    "auc": "roc_auc",
    "f1": make_scorer(f1_score, average="macro", zero_division=0),
    "hamming": make_scorer(hamming_loss, greater_is_better=False),
}
# With many more features than rows, the folds share the coordinates of all rows.
SHAPES = [(90, 12), (40, 60), (40, 120)]


def data(shape):
    X, Y = problem(*shape)
    # Every fold needs both values of a label for the area under the curve.
    return X, Y[:, :-1]


def keys(results):
    return [key for key in results if "test" in key and "rank" not in key]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("form", "fit_intercept"),
    [(np.asarray, True), (sparse.csr_array, True), (np.asarray, False)],
)
def test_agrees_with_refitting_every_point(shape, form, fit_intercept):
    X, Y = data(shape)
    search = SharedSubspaceClassifierCV(
        ALPHAS, BETAS, n_components=[2, None], fit_intercept=fit_intercept, scoring=SCORERS, cv=3
    ).fit(form(X), Y)
    slow = GridSearchCV(
        SharedSubspaceClassifier(fit_intercept=fit_intercept),
        {"alpha": ALPHAS, "beta": BETAS, "n_components": [2, None]},
        scoring=SCORERS,
        refit="auc",
        cv=3,
    ).fit(X, Y)
    assert search.cv_results_["params"] == slow.cv_results_["params"]
    assert set(search.cv_results_) == set(slow.cv_results_)
    for key in keys(slow.cv_results_):
        expected = slow.cv_results_[key]
        np.testing.assert_allclose(search.cv_results_[key], expected, atol=1e-8, err_msg=key)
    assert search.best_score_ == pytest.approx(slow.best_score_, abs=1e-8)
    np.testing.assert_allclose(search.coef_, search.best_estimator_.coef_)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("fit_intercept", "cv"),
    [(True, 3), (False, 3), (True, RepeatedKFold(n_splits=2, n_repeats=2, random_state=0))],
)
def test_shared_statistics_give_the_scores_of_refitting(shape, form, fit_intercept, cv):
    X, Y = data(shape)
    options = {"fit_intercept": fit_intercept, "scoring": SCORERS, "cv": cv}
    alphas = [1e-3, 1.0, 1e6]
    own = SharedSubspaceClassifierCV(alphas, BETAS, **options).fit(form(X), Y)
    shared = SharedSubspaceClassifierCV(alphas, BETAS, fold_statistics="shared", **options)
    shared.fit(form(X), Y)
    for key in keys(own.cv_results_):
        np.testing.assert_allclose(
            shared.cv_results_[key], own.cv_results_[key], atol=1e-8, err_msg=key
        )


def every_score(model, X, Y):
    """All scores of the held-out rows, as measures."""
    scores = model.decision_function(X)
    return {f"{row},{label}": scores[row, label] for row, label in np.ndindex(scores.shape)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("statistics", ["own", "shared"])
@pytest.mark.parametrize("betas", [[1e-4, 3.0], [0.0, 3.0]], ids=["ridge", "ridge_free"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_scores_of_a_fold_are_those_of_a_fit(shape, statistics, betas, form):
    X, Y = data(shape)
    folds = list(KFold(3).split(X))
    search = SharedSubspaceClassifierCV(
        [0.1, 1e6], betas, n_components=[2, None], fold_statistics=statistics, cv=folds
    )
    table = search.set_params(scoring=every_score).fit(form(X), Y).cv_results_
    for k, (train, test) in enumerate(folds):
        for i, point in enumerate(table["params"]):
            model = SharedSubspaceClassifier(**point).fit(X[train], Y[train])
            for (row, label), expected in np.ndenumerate(model.decision_function(X[test])):
                found = table[f"split{k}_test_{row},{label}"][i]
                assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("strategy", ["per_label_f1", "cardinality"])
def test_thresholds_are_tuned_on_the_training_scores(strategy):
    X, Y = data(SHAPES[0])
    alphas, betas = [0.1, 1.0], [0.01, 1.0]
    scorer = SCORERS["f1"]
    search = SharedSubspaceClassifierCV(alphas, betas, threshold=strategy, scoring=scorer, cv=4)
    search.fit(X, Y)
    slow = GridSearchCV(
        ThresholdTuner(SharedSubspaceClassifier(), strategy),
        {"estimator__alpha": alphas, "estimator__beta": betas},
        scoring=scorer,
        cv=4,
    ).fit(X, Y)
    expected = slow.cv_results_["mean_test_score"]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected, atol=1e-8)
    np.testing.assert_array_equal(search.predict(X), slow.predict(X))
    np.testing.assert_allclose(search.thresholds_, slow.best_estimator_.thresholds_, atol=1e-8)


def test_a_label_without_rows_is_not_predicted():
    X, Y = problem(*SHAPES[0])
    search = SharedSubspaceClassifierCV(
        [0.1], [0.01], threshold="per_label_f1", scoring=SCORERS["f1"], cv=3
    ).fit(X, Y)
    assert search.thresholds_[-1] == np.inf
    assert not search.predict(X)[:, -1].any()
    assert np.isfinite(search.decision_function(X)).all()


def test_default_candidates_jobs_and_progress_bar(capsys):
    X, Y = data(SHAPES[0])
    search = SharedSubspaceClassifierCV(scoring=SCORERS["f1"], progress=True).fit(X, Y)
    assert "100%" in capsys.readouterr().out
    assert len(search.cv_results_["params"]) == 64
    parallel = SharedSubspaceClassifierCV(scoring=SCORERS["f1"], n_jobs=2).fit(X, Y)
    expected = search.cv_results_["mean_test_score"]
    np.testing.assert_array_equal(parallel.cv_results_["mean_test_score"], expected)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()


def test_the_named_scorer_picks():
    X, Y = data(SHAPES[0])
    search = SharedSubspaceClassifierCV(ALPHAS, BETAS, scoring=SCORERS, refit="hamming", cv=3)
    search.fit(X, Y)
    assert search.best_index_ == np.argmax(search.cv_results_["mean_test_hamming"])
    assert search.theta_ is search.best_estimator_.theta_
    with pytest.raises(ValueError, match="refit='nothing' is not among the scorers"):
        search.set_params(refit="nothing").fit(X, Y)


def test_one_dimensional_y():
    X, Y = data(SHAPES[0])
    y = np.where(Y[:, 0], "yes", "no")
    search = SharedSubspaceClassifierCV([0.1, 1.0], [0.01], scoring=["roc_auc", "accuracy"])
    search.fit(X, y)
    assert search.best_score_ > 0.7
    assert set(search.predict(X)) == {"yes", "no"}


def test_yeast_is_better_with_a_subspace_than_with_none():
    yeast = load_yeast()
    search = SharedSubspaceClassifierCV(scoring="f1_micro", fold_statistics="shared")
    search.set_params(betas=search.betas[1:]).fit(yeast.X, yeast.Y)
    scores = search.cv_results_["mean_test_score"].reshape(8, 7)
    assert search.best_score_ >= scores[0].max()
    assert np.ptp(scores) > 0.01


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": [0.1, -1.0]}, "alphas holds -1; allowed are finite numbers >= 0"),
        ({"betas": [np.inf]}, "betas holds inf; allowed are finite numbers >= 0"),
        ({"betas": []}, "betas is empty; pass at least one"),
        ({"n_components": [2, 0]}, "n_components holds 0; allowed are integers >= 1 and None"),
        (
            {"fold_statistics": "shared", "alphas": [0.0], "betas": [0.0]},
            r"cannot score alpha = beta = 0: .* Add a positive alpha or beta",
        ),
        (
            {"fold_statistics": "shared", "betas": [1.0], "cv": ShuffleSplit(2, random_state=0)},
            None,
        ),
        (
            {
                "fold_statistics": "shared",
                "betas": [1.0],
                "cv": ShuffleSplit(2, test_size=0.1, train_size=0.5, random_state=0),
            },
            r"Fold 0 of cv trains on .*each of the others once.*fold_statistics='own'",
        ),
    ],
)
def test_messages(options, message):
    X, Y = data(SHAPES[0])
    search = SharedSubspaceClassifierCV(**{"scoring": SCORERS["f1"], **options})
    if message is None:
        assert search.fit(X, Y).best_score_ > 0
        return
    with pytest.raises(ValueError, match=message):
        search.fit(X, Y)


def test_default_grid_works_with_shared_statistics_but_for_one_point():
    X, Y = data(SHAPES[0])
    own = SharedSubspaceClassifierCV(scoring="f1_micro", cv=3).fit(X, Y)
    shared = SharedSubspaceClassifierCV(scoring="f1_micro", cv=3, fold_statistics="shared")
    with pytest.warns(UserWarning, match=r"alpha = beta = 0: .* Its score is NaN"):
        shared.fit(X, Y)
    ours, theirs = (s.cv_results_["mean_test_score"] for s in (shared, own))
    assert shared.cv_results_["params"][0] == {"alpha": 0.0, "beta": 0.0, "n_components": None}
    assert np.isnan(ours[0])
    np.testing.assert_allclose(ours[1:], theirs[1:], atol=1e-8)
    assert shared.cv_results_["rank_test_score"][0] == len(ours)
    assert shared.best_score_ == np.nanmax(ours)
