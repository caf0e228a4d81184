"""Label-space classifiers inside the tools that people use, and at sizes that matter."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from labelspan.labelspace import CPLST, OCCA, PLST
from tests.comparison import sine
from tests.labelspace.problems import problem
from tests.labelspace.test_laws import ALL, make


@pytest.mark.parametrize("method", ALL)
def test_one_dimensional_classes(method):
    rng = np.random.default_rng(0)
    centres = 4 * rng.standard_normal((3, 4))
    y = np.repeat(np.array(["ant", "bee", "cat"]), 30)
    X = np.repeat(centres, 30, axis=0) + rng.standard_normal((90, 4))
    model = make(method).fit(X, y)
    assert model.classes_.tolist() == ["ant", "bee", "cat"]
    assert model.decision_function(X).shape == (90, 3)
    best = model.classes_[np.argmax(model.decision_function(X), axis=1)]
    np.testing.assert_array_equal(model.predict(X), best)
    assert model.score(X, y) > 0.9
    two = y[:60]
    model = make(method).fit(X[:60], two)
    scores = model.decision_function(X[:60])
    assert scores.shape == (60,)
    np.testing.assert_array_equal(model.predict(X[:60]) == "bee", scores > 0)
    assert model.score(X[:60], two) > 0.9
    assert model.errors(X[:60], two).bound > 0


def test_searches():
    X, Y = problem(41)
    search = GridSearchCV(CPLST(ridge=0.0), {"n_components": [1, 3]}, scoring="f1_micro", cv=3).fit(
        X, Y
    )
    assert set(search.cv_results_["param_n_components"]) == {1, 3}
    ranked = GridSearchCV(PLST(ridge=0.0), {"n_components": [2]}, scoring="roc_auc", cv=2).fit(X, Y)
    assert 0.5 < ranked.best_score_ <= 1


@pytest.mark.parametrize("method", ALL)
def test_the_best_labels_are_those_of_a_stable_sort(method):
    X, Y = problem(42, n_labels=9)
    Y[:, 5] = Y[:, 4] = Y[:, 3]
    model = make(method, 2).fit(X, Y)
    # Not the scores minus 0.5, because the difference rounds some of them to ties.
    scores = model.decode(model.regressor_.predict(X))
    order = np.argsort(-scores, axis=1, kind="stable")
    for k in (1, 4, 9):
        np.testing.assert_array_equal(model.predict_topk(X, k), order[:, :k])


def test_the_best_labels_need_no_array_of_all_scores():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 5))
    columns = rng.integers(0, 25_000, size=1500)
    Y = sparse.csr_array((np.ones(1500), columns, np.arange(1501)), shape=(1500, 25_000))
    model = PLST(3, ridge=1.0).fit(X, Y)
    # This compiles; a few rows do not.
    model.predict_topk(X, 5)
    tracemalloc.start()
    model.predict_topk(X, 5)
    model.predict(X)
    model.errors(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # All scores would take 300 MB.
    assert peak < 130e6


def test_no_square_of_the_rows_is_formed():
    X, Y = problem(43, n=6000, n_features=20)
    tracemalloc.start()
    for method in (PLST, CPLST, OCCA):
        method(ridge=0.0).fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The hat matrix would take 288 MB.
    assert peak < 15e6


def power_law(n_rows, n_labels):
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, n_labels + 1)
    columns = rng.choice(n_labels, size=(n_rows, 4), p=weights / weights.sum())
    Y = np.zeros((n_rows, n_labels))
    np.put_along_axis(Y, columns, 1.0, axis=1)
    return Y


@pytest.mark.parametrize("shape", [(900, 700), (700, 900), (90, 60), (70_000, 60)])
def test_the_iteration_finds_the_directions(iterated, shape):
    Y = power_law(*shape)
    X = np.arange(len(Y))[:, None] % 7.0
    Z = Y - Y.mean(axis=0)
    _, s, Vt = np.linalg.svd(Z, full_matrices=False)
    model = PLST(10, tol=1e-9, ridge=0.0).fit(X, sparse.csr_array(Y))
    V = model.components_.T
    np.testing.assert_allclose(model.eigenvalues_, s[:10] ** 2, rtol=1e-9)
    assert sine(V, Vt[:10].T) < 1e-6
    np.testing.assert_allclose(V.T @ V, np.eye(10), atol=1e-10)
    residual = Z.T @ (Z @ V) - V * model.eigenvalues_
    assert np.linalg.norm(residual, axis=0).max() <= 1e-8 * s[0] ** 2
    again = PLST(10, tol=1e-9, ridge=0.0).fit(X, sparse.csr_array(Y))
    np.testing.assert_array_equal(again.components_.T, V)


def test_the_iteration_survives_labels_of_low_rank(iterated):
    few = power_law(900, 60)
    Y = np.repeat(few, 12, axis=1)
    with pytest.warns(UserWarning, match="n_components=70 is more than the"):
        model = PLST(70, tol=1e-9, ridge=0.0).fit(
            np.arange(900)[:, None] % 7.0, sparse.csr_array(Y)
        )
    Z = few - few.mean(axis=0)
    s = np.linalg.svd(Z, compute_uv=False)
    rank = int(np.count_nonzero(s > 1e-10 * s[0]))
    np.testing.assert_allclose(model.eigenvalues_, 12 * s[:rank] ** 2, rtol=1e-8)
    V = model.components_.T
    np.testing.assert_allclose(V.T @ V, np.eye(rank), atol=1e-10)


def test_an_iteration_that_stops_early_says_so(iterated):
    Y = sparse.csr_array(power_law(600, 500))
    with pytest.warns(ConvergenceWarning, match=r"residual .* after \d+ restarts \(tol=1e-18\)"):
        PLST(10, tol=1e-18, ridge=0.0).fit(np.arange(600)[:, None] % 7.0, Y)


@pytest.mark.parametrize("shape", [(500, 400), (400, 500)])
def test_many_labels_take_the_iteration_and_predict_the_same(request, shape):
    X = problem(44, n=shape[0])[0]
    Y = sparse.csr_array(power_law(*shape))
    exact = PLST(5, ridge=0.0).fit(X, Y)
    request.getfixturevalue("iterated")
    iterated = PLST(5, tol=1e-10, ridge=0.0).fit(X, Y)
    np.testing.assert_allclose(iterated.components_, exact.components_, atol=1e-6)
    np.testing.assert_allclose(iterated.decision_function(X), exact.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_dask_arrays_give_the_same(method, ridge):
    array = pytest.importorskip("dask.array")
    X, Y = problem(45)
    plain = make(method, 3, ridge=ridge).fit(X, Y)
    blocks = array.from_array(X, chunks=(30, -1)), array.from_array(Y, chunks=(30, -1))
    lazy = make(method, 3, ridge=ridge).fit(*blocks)
    scores = lazy.decision_function(blocks[0])
    assert isinstance(scores, array.Array)
    np.testing.assert_allclose(scores.compute(), plain.decision_function(X), atol=1e-8)
    np.testing.assert_array_equal(lazy.predict(blocks[0]).compute(), plain.predict(X))
    with pytest.raises(TypeError, match=r"with regressor=Ridge needs all .* only regressor=None"):
        make(method, 3, regressor=Ridge()).fit(*blocks)
