"""Selectors in a search: the scores of GridSearchCV, from one ranking for all sizes."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import Pipeline

import labelspan as ls
from labelspan.metrics import get_scorer, micro_f1
from tests.choice.oracle import as_pipeline, assert_same_scores, grid_search
from tests.choice.test_grid_search import RIDGES, SCORERS, sample

SUMS = [
    ls.MultilabelFisherScore(),
    ls.DiscriminativeRatio(),
    (ls.InformationSelector(), {"binning": ["presence"]}),
    ls.MultiTaskSelector(tol=1e-10),
]
ROWS = [
    (ls.InformationSelector(), {"criterion": ["mim", "mrmr", "d2f", "grro"]}),
    ls.RFS(tol=1e-2),
    ls.MIFS(n_latent=2, tol=1e-2),
    ls.MDFS(tol=1e-2),
]
SIZES = [1, 3, 6]
FORMS = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
# OPLS has fewer directions than the largest number of features.
pytestmark = pytest.mark.filterwarnings("ignore:n_components=")


def compare(search, X, Y, folds):
    search.set_params(cv=folds).fit(X, Y)
    readout = search.readout[0] if isinstance(search.readout, tuple) else search.readout
    assert_same_scores(search, grid_search(search, X, Y, folds, readout, search.scoring))
    return search


@FORMS
@pytest.mark.parametrize("shape", [(60, 7), (24, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize(
    "readout",
    [
        RIDGES,
        (ls.MLkNN(), {"n_neighbors": [1, 5]}),
        MultiOutputClassifier(LogisticRegression()),
    ],
    ids=["ridge", "mlknn", "other"],
)
def test_scores_are_those_of_grid_search(form, shape, readout):
    X, Y = sample(*shape)
    scoring = SCORERS if readout is RIDGES else {"micro": "f1_micro"}
    search = as_pipeline([*SUMS, *ROWS, ls.OPLS()], SIZES, readout=readout, scoring=scoring)
    search.set_params(refit="micro")
    compare(search, form(X), Y, list(KFold(3).split(X)))


@FORMS
def test_squared_errors_of_selectors_by_sums_take_one_pass(form):
    X, Y = sample()
    search = as_pipeline([*SUMS, ls.OPLS()], SIZES, readout=RIDGES)
    search.set_params(scoring=get_scorer("squared_error"))
    assert compare(search, form(X), Y, list(KFold(3).split(X))).n_passes_ == 1


@FORMS
def test_selectors_by_sums_read_the_rows_twice(form):
    X, Y = sample()
    search = as_pipeline([*SUMS, ls.OPLS()], SIZES, readout=RIDGES, scoring="f1_micro")
    assert compare(search, form(X), Y, list(KFold(3).split(X))).n_passes_ == 2
    with_rows = clone(search).set_params(reducers=[ls.RFS(), ls.OPLS()]).fit(form(X), Y)
    # A fit for each of three folds, however many sizes.
    refits = isinstance(with_rows.best_estimator_, ls.RFS)
    assert with_rows.n_passes_ == 2 + 3 + 2 * refits


@pytest.mark.parametrize("selector", [*SUMS, *ROWS[:2]], ids=repr)
@FORMS
def test_the_refit_is_the_fit_to_all_rows(selector, form):
    X, Y = sample()
    search = as_pipeline([selector], [3], readout=RIDGES, cv=3, scoring="f1_micro")
    search.fit(form(X), Y)
    best = search.best_estimator_
    alone = clone(best).fit(form(X), Y)
    np.testing.assert_array_equal(best.support_, alone.support_)
    np.testing.assert_allclose(best.scores_, alone.scores_, rtol=1e-9)
    Z = X[:, best.support_]
    np.testing.assert_array_equal(search.transform(form(X)), Z)
    readout = clone(search.best_readout_).fit(Z, Y)
    np.testing.assert_allclose(search.decision_function(form(X)), readout.decision_function(Z))
    np.testing.assert_array_equal(search.predict(form(X)), readout.predict(Z))


def test_names_out_are_those_of_the_features_kept():
    X, Y = sample()
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(7)])
    search = as_pipeline([ls.MultilabelFisherScore()], [2], cv=3).fit(frame, Y)
    kept = np.flatnonzero(search.best_estimator_.support_)
    assert list(search.get_feature_names_out()) == [f"x{i}" for i in kept]
    text = search.summary()
    assert text.startswith("Keep 2 features by MultilabelFisherScore(): ")


@pytest.mark.parametrize("reducers", [SUMS, [*SUMS, ls.MVMD()]], ids=["alone", "mixed"])
def test_dask_arrays_give_the_scores_of_memory(reducers):
    X, Y = sample(90, 8)
    reducers = [each for each in reducers if each is not SUMS[2]]
    search = as_pipeline(reducers, [1, 4], readout=RIDGES, scoring="f1_micro", cv=3)
    memory = clone(search).fit(X, Y)
    lazy = clone(search).fit(da.from_array(X, chunks=(17, -1)), Y)
    assert_same_scores(lazy, memory)
    assert lazy.n_passes_ == 2
    lazy_X = da.from_array(X, chunks=(17, -1))
    np.testing.assert_allclose(lazy.transform(lazy_X).compute(), memory.transform(X))
    with pytest.raises(TypeError, match=r"RFS needs the rows in memory"):
        clone(search).set_params(reducers=[ls.RFS()]).fit(lazy_X, Y)


@FORMS
def test_weights_and_missing_labels(form):
    X, Y = sample()
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(X))
    folds = list(KFold(3).split(X))
    reducers = [*SUMS, (ls.InformationSelector(), {"criterion": ["mrmr"]}), ls.RFS()]
    search = as_pipeline(reducers, SIZES, readout=RIDGES, scoring=SCORERS, refit="micro", cv=folds)
    weighed = clone(search).fit(form(X), Y, sample_weight=weights)
    routed = {f"{step}__sample_weight": weights for step in ("reducer", "readout")}
    slow = grid_search(weighed, form(X), Y, folds, RIDGES[0], SCORERS, **routed)
    assert_same_scores(weighed, slow)
    holes = np.where(np.random.default_rng(2).random(Y.shape) < 0.8, Y, np.nan)
    search.set_params(reducers=[each for each in reducers if each is not SUMS[3]])
    observed = clone(search).fit(form(X), holes)
    for i, point in enumerate(observed.cv_results_["params"]):
        pipeline = Pipeline([("reducer", None), ("readout", RIDGES[0])]).set_params(**point)
        for number, (train, test) in enumerate(folds):
            predicted = clone(pipeline).fit(form(X)[train], holes[train]).predict(form(X)[test])
            found = observed.cv_results_[f"split{number}_test_micro"][i]
            assert found == pytest.approx(micro_f1(holes[test], predicted), abs=1e-10)
    with pytest.raises(ValueError, match="MultiTaskSelector"):
        clone(search).set_params(reducers=[SUMS[3]]).fit(form(X), holes)


def test_a_measure_of_search_ranks_selectors():
    X, Y = sample()
    search = ls.ReducerCV(
        [ls.MultilabelFisherScore(), ls.RFS()], [2, 7], scoring="shared_label_at_10", cv=3
    ).fit(X, Y)
    everything = ls.ReducerCV(["none"], scoring="shared_label_at_10", cv=3).fit(X, Y)
    whole = [i for i, n in enumerate(search.cv_results_["mean_n_components"]) if n == 7]
    means = search.cv_results_["mean_test_score"]
    np.testing.assert_allclose(means[whole], everything.best_score_, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": [0.9]}, r"k of MultilabelFisherScore holds 0\.9; .*'k': \[10, 50\]"),
        ({"n_components": [None]}, "holds None; allowed are integers >= 1"),
        ({"kernel": "rbf"}, "kernel='rbf' leaves no columns to MultilabelFisherScore"),
    ],
    ids=str,
)
def test_what_is_refused(options, message):
    X, Y = sample()
    given = {"reducers": [ls.MultilabelFisherScore()], "n_components": [1], **options}
    with pytest.raises(ValueError, match=message):
        ls.ReducerCV(**given).fit(X, Y)


def test_more_features_than_there_are_is_a_warning():
    X, Y = sample()
    with pytest.warns(UserWarning, match=r"k=9 is more than the directions .* has, 7 on average"):
        search = as_pipeline([ls.MultilabelFisherScore()], [2, 9], cv=3).fit(X, Y)
    assert search.cv_results_["mean_n_components"].tolist() == [2, 7] * 3
