"""The choice, the refit, the passes over the data, and what is refused."""

import tracemalloc
import warnings

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline

import labelspan as ls
from labelspan.metrics import get_measure, get_scorer
from labelspan.model_selection import MultilabelStratifiedKFold
from tests.choice.oracle import as_pipeline, assert_same_scores, grid_search
from tests.choice.test_grid_search import REDUCERS, RIDGE_FREE, RIDGES, TWO_PASS, sample

# A grid may request more directions than a method has.
pytestmark = pytest.mark.filterwarnings("ignore:n_components=")


def as_fitted(reducer, X, Y):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="n_components=")
        return clone(reducer).fit(X, Y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(60, 7), (24, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("reducer", [*REDUCERS, *RIDGE_FREE, *TWO_PASS], ids=repr)
def test_the_refit_is_a_fit(reducer, shape, form, dtype):
    if reducer in RIDGE_FREE and shape[0] < shape[1]:
        pytest.skip("wide rows give their labels exactly: all correlations are 1")
    X, Y = sample(*shape)
    X = form(X.astype(dtype))
    reducer = reducer[0] if isinstance(reducer, tuple) else reducer
    search = as_pipeline([reducer], [2], readout=ls.MultiOutputRidge(0.1), cv=3).fit(X, Y)
    expected = as_fitted(clone(reducer).set_params(n_components=2), X, Y)
    tolerance = 1e-8 if dtype == np.float64 else 1e-3
    best = search.best_estimator_
    assert best.components_.dtype == best.mean_.dtype == dtype
    np.testing.assert_allclose(best.mean_, expected.mean_, rtol=tolerance)
    close = {"rtol": 0, "atol": tolerance * np.abs(expected.components_).max()}
    np.testing.assert_allclose(best.components_, expected.components_, **close)
    pipeline = make_pipeline(expected, ls.MultiOutputRidge(0.1)).fit(X, Y)
    np.testing.assert_allclose(
        search.decision_function(X), pipeline.decision_function(X), rtol=0, atol=tolerance
    )
    np.testing.assert_allclose(search.transform(X), best.transform(X), rtol=0, atol=0)


def test_one_standard_error_takes_the_fewest_directions():
    X, Y = sample(60, 9, seed=2)
    search = as_pipeline([ls.MVMD(), ls.OPLS()], [1, 2, 3, 4, 6], cv=5)
    best = clone(search).fit(X, Y)
    small = clone(search).set_params(rule="one_standard_error").fit(X, Y)
    table = best.cv_results_
    splits = np.array([table[f"split{i}_test_score"] for i in range(5)])
    error = splits[:, best.best_index_].std(ddof=1) / np.sqrt(5)
    within = splits.mean(axis=0) >= best.best_score_ - error
    fewest = min(
        p["reducer__n_components"] for p, ok in zip(table["params"], within, strict=True) if ok
    )
    assert small.best_params_["reducer__n_components"] == fewest
    assert fewest < best.best_params_["reducer__n_components"]
    same = [p["reducer__n_components"] == fewest for p in table["params"]]
    assert small.best_score_ == splits.mean(axis=0)[within & same].max()


def test_ranks_of_methods_are_those_of_their_best_candidates():
    X, Y = sample()
    search = as_pipeline([ls.MVMD(), (ls.OPLS(), {"ridge": [0.1, 10.0]})], [1, 3], cv=3).fit(X, Y)
    table, expected = search.cv_results_, {}
    for reducer in (ls.MVMD, ls.OPLS):
        mine = np.flatnonzero([isinstance(r, reducer) for r in table["param_reducer"]])
        best = mine[np.argmax(table["mean_test_score"][mine])]
        expected[reducer.__name__] = np.array(
            [table[f"split{i}_test_score"][best] for i in range(3)]
        )
    ahead = expected["MVMD"] > expected["OPLS"]
    tied = expected["MVMD"] == expected["OPLS"]
    assert search.method_ranks_["MVMD()"] == np.where(tied, 1.5, np.where(ahead, 1, 2)).mean()


def test_numbers_are_stratified_folds():
    X, Y = sample()
    search = as_pipeline([ls.MVMD()], [1, 2], cv=4)
    ours = clone(search).fit(X, Y).cv_results_
    folds = list(MultilabelStratifiedKFold(4).split(X, Y))
    theirs = clone(search).set_params(cv=folds).fit(X, Y).cv_results_
    np.testing.assert_array_equal(ours["mean_test_score"], theirs["mean_test_score"])


@pytest.mark.parametrize("form", [np.asarray, lambda A: da.from_array(A, chunks=(20, -1))])
@pytest.mark.parametrize("weights", [None, np.arange(60) % 7 > 0])
def test_groups_stay_together(form, weights):
    X, Y = sample(60, 7)
    groups = np.random.default_rng(3).integers(0, 6, 60)
    search = as_pipeline([ls.MVMD()], [1, 2], cv=GroupKFold(3))
    grouped = clone(search).fit(form(X), Y, weights, groups=groups)
    kept = slice(None) if weights is None else weights
    folds = list(GroupKFold(3).split(X[kept], Y[kept], groups[kept]))
    numbers = np.arange(60)[kept]
    given = [(numbers[train], numbers[test]) for train, test in folds]
    expected = search.set_params(cv=given).fit(form(X), Y, weights)
    np.testing.assert_array_equal(
        grouped.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"]
    )
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clone(grouped).fit(X, Y, weights, groups=groups[:-1])


def test_the_default_grid_holds_every_one_pass_method_within_its_range():
    X, Y = sample(80, 9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = ls.ReducerCV(cv=3).fit(X, Y)
    table = search.cv_results_
    names = {type(reducer).__name__ for reducer in table["param_reducer"]}
    assert names == {"str", "MDDM", "MVMD", "LabelCCA", "OPLS"}
    dimensions = {name: set() for name in names}
    for point in table["params"]:
        dimensions[type(point["reducer"]).__name__].add(point.get("reducer__n_components"))
    assert dimensions["OPLS"] == {1, 2, 3, 4}
    assert dimensions["str"] == {None}
    columns = [point for point in table["params"] if point["kernel"] == "linear"]
    assert max(point.get("reducer__n_components", 0) for point in columns) == 9
    assert {point["kernel"] for point in table["params"]} == {"linear", "rbf"}


def test_names_measures_and_callables_score():
    X, Y = sample()
    search = as_pipeline([ls.MVMD()], [2], cv=3)
    value = clone(search).set_params(scoring="ranking_loss").fit(X, Y).best_score_
    for scoring in (get_measure("ranking_loss"), get_scorer("ranking_loss")):
        assert clone(search).set_params(scoring=scoring).fit(X, Y).best_score_ == value
    several = clone(search).set_params(scoring=["ranking_loss", "f1_micro"], refit="ranking_loss")
    assert several.fit(X, Y).best_score_ == value
    assert {"mean_test_f1_micro", "rank_test_ranking_loss"} <= several.cv_results_.keys()

    def looks(estimator, rows, truth):
        assert rows.shape == (len(truth), X.shape[1])
        return float(rows[0, 0])

    first = clone(search).set_params(scoring=looks, cv=KFold(3)).fit(X, Y)
    assert first.cv_results_["split1_test_score"][0] == X[20, 0]


def test_without_a_refit_there_are_scores_and_no_model():
    X, Y = sample()
    search = as_pipeline([ls.MVMD()], [2], cv=3, refit=False).fit(X, Y)
    assert search.best_score_ == search.cv_results_["mean_test_score"][0]
    with pytest.raises(AttributeError, match="refit=False and has no model"):
        search.predict(X)
    several = as_pipeline([ls.MVMD()], [2], cv=3, refit=False, scoring=["f1_micro", "f1_macro"])
    assert not hasattr(several.fit(X, Y), "best_params_")


def test_classes_are_labels():
    X, Y = sample()
    words = np.array(["a", "b", "c"])[Y[:, :2].sum(axis=1)]
    folds = list(KFold(3).split(X))
    search = as_pipeline([ls.LabelCCA()], [1, 2], readout=RIDGES, cv=folds).fit(X, words)
    assert_same_scores(search, grid_search(search, X, words, folds, RIDGES[0], None))
    expected = make_pipeline(search.best_estimator_, search.best_readout_).predict(X)
    np.testing.assert_array_equal(search.predict(X), expected)
    assert set(search.predict(X)) <= set("abc")


def test_large_sparse_rows_are_fitted_for_each_fold_and_setting(limit):
    limit("krylov side", 5)
    X, Y = sample(40, 60)
    X = sparse.csr_array(X)
    folds = list(KFold(3).split(X))
    reducers = [ls.MDDM(), (ls.LabelCCA(), {"ridge": [1.0, 10.0]}), ls.MVMD()]
    search = as_pipeline(reducers, [1, 2], readout=RIDGES, cv=folds).fit(X, Y)
    assert_same_scores(search, grid_search(search, X, Y, folds, RIDGES[0], None), 1e-8)
    assert search.n_passes_ == 1 + 4 * 3 + 2


def test_each_row_is_read_twice():
    """Once for the sums of all folds and once for their projections, for any grid and folds."""
    X, Y = sample()
    read = []

    def counted(block):
        read.extend(block[:, 0])
        return block

    lazy = da.from_array(X, chunks=(17, -1)).map_blocks(counted, meta=np.empty((0, 0)))
    # Without methods that compute their own statistics from the same block of rows.
    search = as_pipeline(REDUCERS[:-2], [1, 2, 3], readout=RIDGES, cv=6).fit(lazy, Y)
    np.testing.assert_array_equal(np.sort(read), np.sort(np.tile(X[:, 0], 2)))
    assert search.n_passes_ == 2


def test_memory_is_that_of_the_fold_moments_and_a_block(limit):
    """Memory does not grow with the rows, which may be on disk."""
    for name in ("block bytes", "part bytes"):
        limit(name, 2**18)
    X, Y = sample(40_000, 160)
    search = as_pipeline([ls.MVMD(), ls.OPLS()], [1, 2], readout=RIDGES)
    search.set_params(cv=KFold(5), scoring="micro_f1")
    search.fit(X[:400], Y[:400])
    tracemalloc.start()
    search.fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A copy of the rows of one fold would be too much.
    assert peak < X.nbytes / 5


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_cluster_gives_the_scores_of_memory(form, client):
    X, Y = sample(90, 8)
    lazy_X = da.from_array(X, chunks=(17, -1))
    if form is not np.asarray:
        lazy_X = lazy_X.map_blocks(form, meta=form(X[:0]))
    options = {"readout": RIDGES, "scoring": get_scorer("ranking_loss"), "cv": 4}
    search = as_pipeline(REDUCERS + RIDGE_FREE, [1, 2, 4], **options)
    memory = clone(search).fit(X, Y)
    for lazy_Y in (Y, da.from_array(Y, chunks=(17, -1))):
        cluster = clone(search).fit(lazy_X, lazy_Y)
        assert_same_scores(cluster, memory)
        assert cluster.n_passes_ == 2
        scores = cluster.decision_function(lazy_X).compute()
        np.testing.assert_allclose(scores, memory.decision_function(X), atol=1e-8)
        np.testing.assert_allclose(
            cluster.transform(lazy_X).compute(), memory.transform(X), atol=1e-8
        )


def test_each_block_of_a_dask_array_is_computed_twice():
    X, Y = sample(90, 8)
    made = []

    def block(block_info=None):
        (start, stop), _ = block_info[None]["array-location"]
        made.append(start)
        return X[start:stop]

    lazy = da.map_blocks(block, chunks=((30, 30, 30), (8,)), dtype=float, meta=np.empty((0, 0)))
    with dask.config.set(scheduler="synchronous"):
        made.clear()
        as_pipeline(REDUCERS, [1, 2], readout=RIDGES, cv=4).fit(lazy, Y)
    assert sorted(made) == [0, 0, 30, 30, 60, 60]


def test_jobs_and_a_bar_change_nothing(capsys):
    X, Y = sample()
    search = as_pipeline([ls.MVMD(), ls.OPLS()], [1, 2], cv=3)
    plain = clone(search).fit(X, Y).cv_results_["mean_test_score"]
    shown = clone(search).set_params(n_jobs=2, verbose=1).fit(X, Y)
    np.testing.assert_array_equal(shown.cv_results_["mean_test_score"], plain)
    assert "Folds" in capsys.readouterr().out


def test_summary_names_the_choice_and_the_smallest_within_one_standard_error():
    X, Y = sample(200, 9)
    search = as_pipeline([ls.MVMD(), ls.OPLS()], [1, 2, 4], scoring="f1_micro", cv=4).fit(X, Y)
    text = search.summary()
    n = search.best_params_["reducer__n_components"]
    assert f"Chosen (best): {search.best_params_['reducer']!r}, {n} direction" in text
    assert f"{search.best_score_:.4f}" in text
    small = clone(search).set_params(rule="one_standard_error").fit(X, Y)
    assert f"{small.best_score_:.4f}" in text.splitlines()[2]
    assert text.splitlines()[-2].startswith(next(iter(search.method_ranks_)))


def test_one_candidate_is_told_in_the_singular():
    X, Y = sample()
    search = as_pipeline([ls.MVMD()], [2], readout=ls.MultiOutputRidge(1.0), cv=3).fit(X, Y)
    assert len(search.cv_results_["params"]) == 1
    assert "1 candidate on 3 folds" in search.summary()
    assert "1 candidate is within one standard error" in search.summary()


def test_frames_give_names():
    X, Y = sample()
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    labels = pd.DataFrame(Y, columns=list("pqrs"))
    search = as_pipeline([ls.MVMD()], [2], cv=3).fit(frame, labels)
    assert list(search.best_estimator_.feature_names_in_) == list(frame)
    assert list(search.best_estimator_.label_names_) == list("pqrs")
    assert list(search.get_feature_names_out()) == ["reducercv0", "reducercv1"]


def test_more_directions_than_there_are_is_a_warning():
    X, Y = sample()
    with pytest.warns(UserWarning, match=r"n_components=9 .* OPLS\(\) has, 4 on average .* 3 cand"):
        search = as_pipeline([ls.OPLS()], [2, 9], cv=3).fit(X, Y)
    assert search.cv_results_["mean_n_components"].tolist() == [2, 4] * 3


def test_a_candidate_without_direction_on_a_fold_is_not_chosen():
    X, Y = sample()
    # No label occurs in the first two thirds, so a training set from them has no directions.
    Y[:40] = 0
    folds = [(np.arange(40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    search = as_pipeline([ls.MDDM(), ls.MVMD()], [1, 2], cv=folds)
    with pytest.warns(UserWarning, match="6 of 12 candidates have no score on some fold"):
        search.fit(X, Y)
    assert isinstance(search.best_estimator_, ls.MVMD)
    with pytest.raises(ValueError, match="No candidate has a score on every fold"):
        clone(search).set_params(reducers=[ls.MDDM()]).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"reducers": []}, ValueError, "reducers is empty"),
        ({"reducers": [ls.PLST(ridge=0.0)]}, TypeError, "GridSearchCV"),
        ({"reducers": [(ls.MVMD(), {"mu": [1]})]}, ValueError, "MVMD has no parameter 'mu'"),
        ({"reducers": [(ls.MVMD(), {"beta": 0.5})]}, TypeError, r"give a list.*\[0.5\]"),
        ({"reducers": [(ls.MVMD(), {"beta": []})]}, ValueError, "has no candidate for beta"),
        ({"reducers": [(ls.MVMD(), {"beta": [2.0]})]}, ValueError, "'beta' parameter of MVMD"),
        ({"n_components": [0]}, ValueError, "n_components holds 0; allowed"),
        ({"n_components": 1.5}, ValueError, "n_components holds 1.5; allowed"),
        ({"n_components": []}, ValueError, "has no candidate for n_components"),
        ({"reducers": [(ls.MVMD(), {"n_components": [-1]})]}, ValueError, "holds -1; allowed"),
        ({"readout": ls.LaRankSVM}, TypeError, "readout=<class"),
        ({"readout": ls.MDDM()}, TypeError, r"readout=MDDM\(\); allowed"),
        ({"reducers": ["svd"]}, TypeError, "reducers holds 'svd'"),
        ({"readout": ls.MLkNN(metric="cosine")}, ValueError, "metric='euclidean'"),
        ({"scoring": ["f1_micro", "f1_macro"]}, ValueError, "refit=True does not say which"),
        ({"refit": "f1"}, ValueError, "refit='f1' does not say which"),
        ({"cv": [([0, 0, 1, 2], [3, 4])]}, ValueError, "trains on row 0 2 times"),
        ({"scoring": []}, ValueError, r"scoring=\[\] holds no scorer"),
        ({"scoring": {}}, ValueError, r"scoring=\{\} holds no scorer"),
    ],
    ids=str,
)
def test_what_is_refused(options, error, message):
    X, Y = sample()
    with pytest.raises(error, match=message):
        as_pipeline(**{"reducers": [ls.MVMD()], "n_components": [1], **options}).fit(X, Y)


@pytest.mark.parametrize("options", [{"reducers": TWO_PASS}, {"readout": "mlknn"}], ids=str)
def test_dask_arrays_are_refused_where_the_rows_are_needed(options):
    X, Y = sample()
    with pytest.raises(TypeError, match="needs the rows in memory"):
        as_pipeline(n_components=[1], **options).fit(da.from_array(X, chunks=(20, -1)), Y)
