"""ML-kNN bit by bit against its transcription, and its search against all pairs."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.neighbors import NearestNeighbors

from labelspan.classifiers import MLkNN, nearest_of_distances
from labelspan.classifiers._neighbours import nearest_rows
from labelspan.datasets import load_yeast
from labelspan.model_selection import MultilabelStratifiedKFold
from tests.reference.mlknn import mlknn, ordered, squared_distances


def dense(A):
    return A.toarray() if sparse.issparse(A) else A


def split(data):
    X, Y = np.asarray(data.X), np.asarray(data.Y, dtype=int)
    return X[data.train], Y[data.train], X[data.test]


def assert_is_transcription(X, Y, X_test, k=10, s=1.0, **parameters):
    predicted, probability, posteriors = mlknn(X, Y, X_test, k, s)
    for form in (np.asarray, sparse.csr_array):
        model = MLkNN(k, smoothing=s, **parameters).fit(form(X), form(Y))
        np.testing.assert_array_equal(model.posterior_, posteriors)
        np.testing.assert_array_equal(model.predict_proba(form(X_test)), probability)
        found = model.predict(form(X_test))
        assert sparse.issparse(found) == sparse.issparse(form(Y))
        np.testing.assert_array_equal(dense(found), predicted)


@pytest.mark.parametrize("name", ["emotions", "scene"])
def test_bit_equal_on(dataset, name):
    assert_is_transcription(*split(dataset(name)))


def test_bit_equal_on_yahoo_arts(dataset):
    X, Y, X_test = split(dataset("yahoo-mlknn-arts"))
    assert_is_transcription(X[:1000], Y[:1000], X_test[:300])


@pytest.mark.reproduce
def test_bit_equal_on_all_of_yahoo_arts(dataset):
    assert_is_transcription(*split(dataset("yahoo-mlknn-arts")))


@pytest.mark.parametrize(("k", "s"), [(1, 1.0), (7, 0.5), (10, 3.0)])
def test_bit_equal_on_yeast(k, s):
    yeast = load_yeast()
    assert_is_transcription(yeast.X[:300], yeast.Y[:300].astype(int), yeast.X[300:400], k, s)


@st.composite
def tied_rows(draw):
    """Few values, so that duplicates and ties are common; thirds, so that products round."""
    shape = draw(st.tuples(st.integers(4, 15), st.integers(1, 4)))
    whole = draw(arrays(np.int8, shape, elements=st.integers(-1, 2))).astype(float)
    return whole / draw(st.sampled_from([1.0, 3.0])) + draw(st.sampled_from([0.0, 1e3]))


@settings(max_examples=80, deadline=None)
@given(tied_rows(), st.integers(1, 3))
def test_search_is_exact_with_ties_and_duplicates(X, k):
    T, Q = X[: len(X) - 1], X
    among = [ordered(row, k, without=i) for i, row in enumerate(squared_distances(T, T))]
    of_queries = [ordered(row, k) for row in squared_distances(Q, T)]
    for form in (np.asarray, sparse.csr_array, lambda A: sparse.csr_array(A.astype(np.float64))):
        if len(T) > k:
            np.testing.assert_array_equal(nearest_rows(form(T), None, k), among)
        np.testing.assert_array_equal(nearest_rows(form(T), form(Q), k), of_queries)
    distances = squared_distances(Q, T)
    np.testing.assert_array_equal(
        nearest_of_distances(distances, k, leave_one_out=False), of_queries
    )
    if len(T) > k:
        square = squared_distances(T, T)
        rows, columns = np.indices(square.shape).reshape(2, -1)
        stored = sparse.csr_array((square.ravel(), (rows, columns)), shape=square.shape)
        for given_distances in (square, stored):
            actual = nearest_of_distances(given_distances, k, leave_one_out=True)
            np.testing.assert_array_equal(actual, among)


def test_search_survives_a_large_mean():
    """Inner products of uncentred rows lose all digits here."""
    rng = np.random.default_rng(0)
    T = rng.random((60, 3)) + 1e7
    expected = [ordered(row, 5, without=i) for i, row in enumerate(squared_distances(T, T))]
    np.testing.assert_array_equal(nearest_rows(T, None, 5), expected)
    np.testing.assert_array_equal(nearest_rows(sparse.csr_array(T), None, 5), expected)


def test_blocks_threads_and_dtypes_do_not_change_the_neighbours():
    # A block has up to 1024 rows.
    X = load_yeast().X
    whole = nearest_rows(X, None, 6)
    assert not (whole == np.arange(len(X))[:, None]).any()
    np.testing.assert_array_equal(nearest_rows(X, None, 6, n_jobs=2), whole)
    others = [row[row != 100 * i] for i, row in enumerate(nearest_rows(X, X[::100], 7))]
    np.testing.assert_array_equal(others, whole[::100])
    X, whole = X[:200], nearest_rows(X[:200], None, 6)
    np.testing.assert_array_equal(nearest_rows(sparse.csr_array(X), None, 6, n_jobs=2), whole)
    X32 = X.astype(np.float32)
    np.testing.assert_array_equal(
        nearest_rows(X32, None, 6), nearest_rows(X32.astype(float), None, 6)
    )


def test_a_dense_matrix_of_zeros_is_searched_as_a_sparse_one():
    rng = np.random.default_rng(0)
    X = rng.random((80, 50)) * (rng.random((80, 50)) < 0.05)
    expected = [ordered(row, 5, without=i) for i, row in enumerate(squared_distances(X, X))]
    np.testing.assert_array_equal(nearest_rows(X, None, 5), expected)


@pytest.mark.parametrize(
    ("parameters", "metric"),
    [
        ({"metric": "cosine"}, "cosine"),
        ({"metric": "manhattan"}, "cityblock"),
        ({"metric": "minkowski", "metric_params": {"p": 3}}, "minkowski"),
        ({"metric": "minkowski"}, "euclidean"),
        ({"algorithm": "kd_tree"}, "euclidean"),
        ({"algorithm": "ball_tree", "n_jobs": 2}, "euclidean"),
    ],
)
def test_scikit_learn_backends(parameters, metric):
    yeast = load_yeast()
    X, Y, X_test = yeast.X[:150], yeast.Y[:150].astype(int), yeast.X[150:200]
    extra = {"p": 3} if metric == "minkowski" else {}
    predicted, probability, _ = mlknn(
        X, Y, X_test, 5, 1.0, lambda A, B: cdist(A, B, metric, **extra)
    )
    model = MLkNN(5, **parameters).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X_test), probability)
    np.testing.assert_array_equal(dense(model.predict(X_test)), predicted)


def test_precomputed_distances_and_graphs():
    yeast = load_yeast()
    X, Y, X_test = yeast.X[:150], yeast.Y[:150], yeast.X[150:200]
    expected = MLkNN(5).fit(X, Y).predict_proba(X_test)
    model = MLkNN(5, metric="precomputed").fit(cdist(X, X), Y)
    np.testing.assert_array_equal(model.predict_proba(cdist(X_test, X)), expected)
    graphs = NearestNeighbors(n_neighbors=8).fit(X)
    model.fit(graphs.kneighbors_graph(X, mode="distance"), Y)
    actual = model.predict_proba(graphs.kneighbors_graph(X_test, mode="distance"))
    np.testing.assert_array_equal(actual, expected)


def test_classes_of_one_dimension():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [9, 0], [0, 9]])
    code = np.arange(90) % 3
    X = centres[code] + rng.normal(size=(90, 2))
    names = np.array(["red", "green", "blue"])[code]
    model = MLkNN(5).fit(X, names)
    np.testing.assert_array_equal(model.predict(X), names)
    assert model.classes_.tolist() == ["blue", "green", "red"]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    two = MLkNN(5).fit(X, names == "red")
    one_label = MLkNN(5).fit(X, (names == "red")[:, None].astype(int))
    assert two.predict(X).dtype == bool
    np.testing.assert_array_equal(two.predict_proba(X)[:, 1:], one_label.predict_proba(X))
    only = MLkNN(5).fit(X, np.repeat("red", 90))
    assert set(only.predict(X)) == {"red"}


def test_without_smoothing_a_label_without_evidence_has_its_prior():
    X = np.arange(8.0)[:, None]
    Y = np.array([[0, 1]] * 7 + [[1, 1]])
    model = MLkNN(2, smoothing=0.0).fit(X, Y)
    # Only row 6, which lacks label 0, has a neighbour with it.
    assert model.prior_.tolist() == [1 / 8, 1.0]
    assert model.posterior_[0, 2] == 1 / 8
    assert model.posterior_[1].tolist() == [1.0, 1.0, 1.0]


def test_more_neighbours_than_rows_are_capped_with_a_warning():
    X, Y = np.arange(6.0)[:, None], np.eye(6, 2, dtype=int)
    with pytest.warns(UserWarning, match="n_neighbors=10 is more than the 5 other"):
        model = MLkNN().fit(X, Y)
    assert model.n_neighbors_ == 5
    np.testing.assert_array_equal(model.predict_proba(X), MLkNN(5).fit(X, Y).predict_proba(X))


def test_in_grid_search_with_scores():
    yeast = load_yeast()
    X, Y = yeast.X[:200], yeast.Y[:200, :3]
    cv = MultilabelStratifiedKFold(3)
    search = GridSearchCV(MLkNN(), {"n_neighbors": [3, 9]}, cv=cv, scoring="roc_auc").fit(X, Y)
    by_hand = [
        roc_auc_score(Y[test], mlknn(X[train], Y[train].astype(int), X[test], 9, 1.0)[1])
        for train, test in cv.split(X, Y)
    ]
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(by_hand))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda X, Y: MLkNN(0).fit(X, Y), ValueError, "n_neighbors"),
        (lambda X, Y: MLkNN(smoothing=-1).fit(X, Y), ValueError, "smoothing"),
        (lambda X, Y: MLkNN(3, metric="precomputed").fit(X, Y), ValueError, r"\(20, 3\).*square"),
        (
            lambda X, Y: MLkNN(3, metric="precomputed").fit(sparse.eye_array(20).tocsr(), Y),
            ValueError,
            "Row 0 .* stores 0 neighbours .*n_neighbors=3.*more neighbours",
        ),
        (
            lambda X, Y: MLkNN(3, metric="precomputed").fit(-np.ones((20, 20)), Y),
            ValueError,
            "value -1; distances are not negative",
        ),
        (lambda X, Y: MLkNN(3).fit(X, Y * 2), ValueError, "0 and 1"),
        (lambda X, Y: MLkNN(3).fit(X, Y).predict(X[:, :2]), ValueError, "2 features"),
        (lambda X, Y: MLkNN(3).fit(X * np.nan, Y), ValueError, "NaN"),
    ],
)
def test_errors_name_value_range_and_repair(call, error, message):
    X = np.random.default_rng(0).random((20, 3))
    with pytest.raises(error, match=message):
        call(X, np.eye(20, 2, dtype=int))


def test_dask_arrays_are_predicted_by_blocks_and_refused_in_fit():
    dask_array = pytest.importorskip("dask.array")
    yeast = load_yeast()
    X, Y = yeast.X[:100], yeast.Y[:100]
    lazy = dask_array.from_array(X, chunks=(30, -1))
    with pytest.raises(TypeError, match=r"X\.compute\(\)"):
        MLkNN(3).fit(lazy, Y)
    model = MLkNN(3).fit(X, Y)
    assert isinstance(model.predict(lazy), dask_array.Array)
    np.testing.assert_array_equal(model.predict_proba(lazy), model.predict_proba(X))
    np.testing.assert_array_equal(model.predict(lazy), model.predict(X))
    three = MLkNN(3).fit(X, np.arange(100) % 3)
    np.testing.assert_array_equal(three.predict(lazy), three.predict(X))


@pytest.mark.parametrize("n_labels", [1, 2, 3])
def test_probability_scorers_see_labels_not_classes(n_labels):
    """scikit-learn infers two classes from classes_ = [0, 1]; a list means labels."""
    yeast = load_yeast()
    X, Y = yeast.X[:100], yeast.Y[:100, :n_labels]
    model = MLkNN(5).fit(X, Y)
    expected = roc_auc_score(Y, model.predict_proba(X))
    assert get_scorer("roc_auc")(model, X, Y) == pytest.approx(expected)


@pytest.mark.parametrize("n_labels", [2, 4])
def test_scikit_learn_cross_validates_probabilities_of_labels(n_labels):
    yeast = load_yeast()
    X, Y = yeast.X[:200], yeast.Y[:200, :n_labels]
    P = cross_val_predict(MLkNN(5), X, Y, cv=KFold(4), method="predict_proba")
    for train, test in KFold(4).split(X):
        model = MLkNN(5).fit(X[train], Y[train])
        np.testing.assert_array_equal(P[test], model.predict_proba(X[test]))
        # Two label columns are not two classes, either.
        assert get_scorer("roc_auc")(model, X[test], Y[test]) == pytest.approx(
            roc_auc_score(Y[test], model.predict_proba(X[test]))
        )


@pytest.mark.parametrize("whole", [True, False])
def test_sparse_rows_are_compared_with_dense_training_rows(whole):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    X = np.rint(4 * X) if whole else X
    Y = (X[:, :2] > 0).astype(int)
    for T, Q in ((X, sparse.csr_array(X[::-1])), (sparse.csr_array(X), X[::-1])):
        predicted = MLkNN(3).fit(T, Y).predict_proba(Q)
        np.testing.assert_array_equal(predicted, MLkNN(3).fit(X, Y).predict_proba(X[::-1]))


OVERLAP = """
import threading
from threadpoolctl import threadpool_info
from labelspan.classifiers import _neighbours

def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

begun, other_begun, ended, leave = (threading.Event() for _ in range(4))

def first(rows, chosen):
    assert blas_threads() == {1}
    begun.set()
    assert other_begun.wait(60)

def second(rows, chosen):
    other_begun.set()
    assert ended.wait(60)
    # The first search has ended, this one has not.
    assert blas_threads() == {1}, blas_threads()

def run(search, after):
    _neighbours._in_blocks(search, 1, 1, 1, 2)
    after.set()
    assert leave.wait(60)

assert blas_threads() == {2}
threads = [threading.Thread(target=run, args=(first, ended))]
threads[0].start()
assert begun.wait(60)
done = threading.Event()
threads.append(threading.Thread(target=run, args=(second, done)))
threads[1].start()
assert done.wait(60)
# Both threads are alive, as those of a pool are.
assert blas_threads() == {2}, blas_threads()
leave.set()
for thread in threads:
    thread.join()
for _ in range(3):
    _neighbours._in_blocks(lambda rows, chosen: None, 1, 1, 1, 2)
assert blas_threads() == {2}, blas_threads()
"""


def test_overlapping_searches_leave_the_blas_threads_as_they_were():
    # In a separate process, which starts with two BLAS threads.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", OVERLAP], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
