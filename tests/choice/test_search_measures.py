"""Choice by the neighbours of held-out rows, against a loop of fits and exact searches."""

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import KFold

import labelspan as ls
from labelspan.metrics import nearest, retrieval_ndcg_at_k, shared_label_at_k

pytestmark = pytest.mark.filterwarnings("ignore:n_components=")

rng = np.random.default_rng(0)


def sample(n=120, D=12):
    Y = (rng.random((n, 4)) < 0.4).astype(int)
    # A mean far from zero: cosines of the rows are not those of the centred rows.
    X = 2 + rng.standard_normal((n, D)) * np.r_[np.full(4, 3.0), np.ones(D - 4)]
    X[:, 4:8] += 1.5 * Y
    return X, Y


def by_hand(reducer, X, Y, folds, k, measure=shared_label_at_k):
    """The mean over the folds; no reducer: the rows themselves."""
    found = []
    for train, test in folds:
        Z = X if reducer is None else clone(reducer).fit(X[train], Y[train]).transform(X)
        found.append(measure(Y[test], Y[train], nearest(Z[test], Z[train], k), k))
    return np.mean(found)


REDUCERS = [
    ls.EmbeddingReducer(),
    ls.MVMD(beta=0.0),
    ls.OPLS(),
    ls.MVMD(),
    ls.HSL(),
]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(120, 12), (40, 90)], ids=["tall", "wide"])
def test_scores_are_those_of_fits_and_searches(shape, form):
    X, Y = sample(*shape)
    folds = list(KFold(3).split(X))
    search = ls.ReducerCV(
        ["none", *REDUCERS], [2, 4], scoring=["shared_label_at_5", "retrieval_ndcg_at_3"],
        refit="shared_label_at_5", cv=folds,
    ).fit(form(X), Y)  # fmt: skip
    table = search.cv_results_
    for i, point in enumerate(table["params"]):
        reducer = point["reducer"]
        if reducer == "passthrough":
            made = None
        else:
            made = clone(reducer).set_params(n_components=point["reducer__n_components"])
        rows = X if made is None else form(X)
        expected = by_hand(made, rows, Y, folds, 5)
        assert table["mean_test_shared_label_at_5"][i] == pytest.approx(expected, abs=1e-12)
        expected = by_hand(made, rows, Y, folds, 3, retrieval_ndcg_at_k)
        assert table["mean_test_retrieval_ndcg_at_3"][i] == pytest.approx(expected, abs=1e-12)
    assert len(table["params"]) == 11
    best = int(np.argmax(table["mean_test_shared_label_at_5"]))
    assert search.best_index_ == best
    fitted = clone(search.best_estimator_).fit(form(X), Y)
    assert_allclose(search.transform(form(X)), fitted.transform(form(X)), atol=1e-8)


def test_large_sparse_rows(limit):
    limit("krylov side", 5)
    X, Y = sample(40, 60)
    folds = list(KFold(3).split(X))
    scoring = {"scoring": "shared_label_at_5", "cv": folds}
    search = ls.ReducerCV(["none", ls.MDDM()], [2], **scoring).fit(sparse.csr_array(X), Y)
    expected = [by_hand(made, X, Y, folds, 5) for made in (None, ls.MDDM(2))]
    assert_allclose(search.cv_results_["mean_test_score"], expected, atol=1e-12)


def test_rows_that_ask_are_labelled_and_evenly_spaced(limit):
    X, Y = sample()
    Y[::3] = 0
    folds = list(KFold(3).split(X))
    limit("search queries", 10)
    found = ls.ReducerCV(["none"], scoring="shared_label_at_5", cv=folds).fit(X, Y).best_score_
    expected = []
    for train, test in folds:
        labelled = test[Y[test].any(axis=1)]
        some = labelled[np.linspace(0, len(labelled) - 1, 10).astype(int)]
        near = nearest(X[some], X[train], 5)
        expected.append(shared_label_at_k(Y[some], Y[train], near, 5))
    assert found == pytest.approx(np.mean(expected), abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_share_a_label_if_they_are_equal(n_classes):
    X, Y = sample()
    y = Y[:, :2].sum(axis=1) if n_classes == 3 else Y[:, 0]
    onehot = (y[:, None] == np.arange(n_classes)).astype(int)
    folds = list(KFold(3).split(X))
    found = ls.ReducerCV(["none"], scoring="shared_label_at_5", cv=folds).fit(X, y).best_score_
    assert found == pytest.approx(by_hand(None, X, onehot, folds, 5), abs=1e-12)


def test_the_default_candidates_are_those_for_search():
    X, Y = sample(240, 24)
    search = ls.ReducerCV(scoring="shared_label_at_5", cv=3).fit(X, Y)
    table = search.cv_results_
    names = {type(each).__name__ for each in table["param_reducer"]}
    assert names == {"str", "MVMD", "OPLS", "EmbeddingReducer"}
    assert {p.get("reducer__n_components") for p in table["params"]} == {None, 4, 8, 16, 24}
    assert "param_kernel" not in table
    assert search.n_passes_ == 2
    assert "shared label@5" in search.summary().splitlines()[0]
    assert search.best_score_ > table["mean_test_score"][0]
    # Labels are predicted with a ridge and a threshold of their own.
    assert search.best_readout_.ridge == "auto"
    assert search.predict(X).shape == Y.shape


def test_with_measures_of_predictions():
    X, Y = sample()
    both = ["shared_label_at_5", "f1_micro"]
    for readout in ("ridge", "mlknn"):
        search = ls.ReducerCV(
            ["none", ls.OPLS()], [2], readout=readout, scoring=both, refit="f1_micro", cv=3
        )
        table = search.fit(X, Y).cv_results_
        alone = clone(search).set_params(scoring="shared_label_at_5", refit=True).fit(X, Y)
        assert_allclose(
            table["mean_test_shared_label_at_5"], alone.cv_results_["mean_test_score"], atol=1e-12
        )
    several = clone(search).set_params(scoring=["shared_label_at_5", "retrieval_map_at_5"])
    several = several.set_params(refit=False).fit(X, Y)
    assert "mean_test_retrieval_map_at_5" in several.cv_results_


def test_what_cannot_be_searched_is_refused():
    X, Y = sample()
    search = ls.ReducerCV([ls.OPLS()], [2], scoring="shared_label_at_10", cv=3)
    with pytest.raises(TypeError, match=r"a measure of search needs the rows in memory"):
        search.fit(da.from_array(X, chunks=(40, -1)), Y)
    holes = Y.astype(float)
    holes[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"y\[3, 1\] is not observed; a measure of search needs"):
        search.fit(X, holes)
    with pytest.raises(ValueError, match=r"k=81; expected an integer from 1 to 80"):
        clone(search).set_params(scoring="shared_label_at_81").fit(X, Y)
    with pytest.raises(ValueError, match="shared_label_at_0"):
        clone(search).set_params(scoring="shared_label_at_0").fit(X, Y)
