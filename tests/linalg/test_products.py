"""Directions from products with X and Y only, against the solvers that form their matrices."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import labelspan as ls
from labelspan.labelspace import CPLST, PLST
from labelspan.linalg import (
    block_lanczos,
    choose_solver,
    regress,
    rows_are_independent,
)
from labelspan.linalg._block_cg import RowSide
from labelspan.moments import Products, Sample, _collect, summarise
from labelspan.selection import MultilabelFisherScore
from tests.comparison import sine

FEW = {
    "mddm": ls.MDDM(3),
    "mddm-feature": ls.MDDM(3, constraint="feature", mu=0.3),
    "mddm-correlation": ls.MDDM(3, label_correlation=np.eye(40) + 0.5),
    "mvmd": ls.MVMD(3, beta=0.3),
    "opls": ls.OPLS(3, ridge=0.5),
    "opls-heavy": ls.OPLS(3, ridge=1e7),
    "cca": ls.LabelCCA(3, ridge=0.5, label_ridge=0.2),
}


@pytest.fixture
def wide(rng):
    """Counts of 90 features, one of them constant and far from zero, and 40 labels."""
    scores = rng.standard_normal((160, 5))
    X = rng.poisson(0.2, (160, 90)) * 1.0 + (scores @ rng.standard_normal((5, 90)) > 2)
    X[:, 7] = 1e6
    Y = (scores @ rng.standard_normal((5, 40)) + rng.standard_normal((160, 40)) > 2).astype(float)
    return sparse.csr_array(X), sparse.csr_array(Y)


@pytest.fixture
def by_products(limit):
    limit("label bytes", 10_000)
    limit("krylov side", 10)
    # Blocks so narrow that 40 labels are not decomposed at once.
    limit("Lanczos block", 4)


def test_the_table_takes_products_only_where_an_array_would_not_fit():
    few = {"sparse": True, "streamed": False, "few": True}
    sizes = {"n_rows": 200_000, "n_features": 500_000, "n_labels": 20_000}
    assert choose_solver(**sizes, **few, scatter=False) == "products"
    assert choose_solver(**sizes, **few) == "products"
    assert choose_solver(**{**sizes, "n_labels": 100}, **few, ridge_free=True) == "products"
    assert choose_solver(**{**sizes, "n_labels": 100}, **few) == "krylov"
    assert choose_solver(**{**sizes, "n_labels": 100}, **few, scatter=False) == "thin"
    streamed = {"streamed": True, "sparse": False, "few": True}
    assert choose_solver(10**6, 50_000, **streamed) == "products"
    assert choose_solver(10**6, 20_000, **streamed) == "scatter"
    # Chunks are read once.
    assert choose_solver(0, 50_000, **streamed) == "scatter"


@pytest.fixture
def row_solves(monkeypatch):
    """Calls of the solver on the side of the rows."""
    calls, solve = [], RowSide.solve
    monkeypatch.setattr(RowSide, "solve", lambda *args: calls.append(1) or solve(*args))
    return calls


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_rows", [160, 70])
@pytest.mark.parametrize("name", FEW)
def test_products_find_the_same_directions(name, n_rows, weighted, wide, row_solves, rng, request):
    X, Y = (A[:n_rows] for A in wide)
    weights = rng.uniform(0, 2, n_rows) if weighted else None
    direct = clone(FEW[name]).fit(X.toarray(), Y, sample_weight=weights)
    request.getfixturevalue("by_products")
    model = clone(FEW[name]).fit(X, Y, sample_weight=weights)
    assert model.solver_ == "products"
    # A metric with xx is inverted on the shorter side of X.
    metric = name in ("mddm-feature", "opls", "opls-heavy", "cca")
    assert bool(row_solves) == (metric and n_rows < X.shape[1])
    np.testing.assert_allclose(model.eigenvalues_, direct.eigenvalues_[:3], rtol=1e-8)
    assert sine(model.components_.T, direct.components_.T) < 1e-6
    np.testing.assert_allclose(model.mean_, direct.mean_, rtol=1e-13)
    if hasattr(model, "explained_dependence_ratio_"):
        given, expected = model.explained_dependence_ratio_, direct.explained_dependence_ratio_
        np.testing.assert_allclose(given, expected, rtol=1e-7)


def test_products_of_dask_blocks_read_them_in_one_graph_a_pass(wide, by_products, monkeypatch):
    dask, da = pytest.importorskip("dask"), pytest.importorskip("dask.array")
    X, Y = wide
    whole = ls.MDDM(3).fit(X, Y)
    blocks = [slice(0, 50), slice(50, 90), slice(90, 160)]
    lazy = da.concatenate([da.from_array(X[b], chunks=(160, 90), asarray=False) for b in blocks])
    labels = da.concatenate([da.from_array(Y[b], chunks=(160, 40), asarray=False) for b in blocks])
    passes, graphs = [], []

    def counted(*args, passed=Products._pass, **kwargs):
        passes.append(1)
        return passed(*args, **kwargs)

    def get(graph, keys, **kwargs):
        graphs.append(1)
        return dask.get(graph, keys)

    monkeypatch.setattr(Products, "_pass", counted)
    with dask.config.set(scheduler=get):
        model = ls.MDDM(3).fit(lazy, labels)
    assert model.solver_ == "products"
    # The means, and the passes.
    assert len(graphs) == 1 + len(passes)
    assert sine(model.components_.T, whole.components_.T) < 1e-7
    np.testing.assert_allclose(model.eigenvalues_, whole.eigenvalues_, rtol=1e-10)


def test_products_are_those_of_the_moments(wide, rng):
    X, Y = wide
    weights = rng.uniform(0, 2, 160)
    moments = summarise(Sample(X.toarray(), Y, "scatter", weights), tt=True)
    products = Products.of(Sample(X, Y, "products", weights), tt=True)
    V, W = rng.standard_normal((90, 4)), rng.standard_normal((40, 4))
    given = products.features(V, W), products.labels(V, W)
    expected = moments.xx @ V + moments.xt @ W, moments.xt.T @ V + moments.tt @ W
    for a, b in zip(given, expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9 * np.abs(b).max())
    np.testing.assert_allclose(products.tt, moments.tt, atol=1e-10)
    np.testing.assert_allclose(products.squares, moments.squares, atol=1e-9)
    assert products.dependence() == pytest.approx(np.sum(moments.xt**2), rel=1e-9)


def test_labels_that_are_not_observed_are_refused(wide, by_products):
    X, Y = wide
    Y = Y.toarray()
    Y[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"not observed \(NaN\), but with this many features"):
        ls.MDDM(3).fit(X, Y)


@pytest.mark.parametrize(
    ("model", "repair"),
    [
        (ls.MDDM(), "small integer n_components"),
        (ls.MDDM(50, label_correlation="rbf"), "small integer n_components"),
        (ls.OPLS(), "small integer n_components"),
        (ls.LabelCCA(50), "up to 11,000 labels"),
        (CPLST(ridge=1.0), "Otherwise drop rare labels"),
        (MultilabelFisherScore(), "Score groups of labels"),
    ],
)
def test_what_needs_an_array_that_does_not_fit_is_refused_before(model, repair):
    entries = np.ones(4000), (np.arange(4000), np.arange(4000))
    X, Y = (sparse.csr_array(entries, (4000, width)) for width in (500_000, 20_000))
    with pytest.raises(MemoryError, match=rf"500000 x 20000 \(74.5 GiB; .*{repair}"):
        model.fit(X, Y)


@pytest.mark.parametrize(("n_rows", "ridge"), [(160, 0.0), (160, 2.0), (70, 2.0)])
@pytest.mark.parametrize("method", [PLST, CPLST])
def test_codes_by_products_equal_those_of_factors(
    method, n_rows, ridge, wide, row_solves, rng, request, monkeypatch, limit
):
    X, Y = (A[:n_rows] for A in wide)
    weights = rng.uniform(0.5, 2, n_rows)
    direct = method(3, ridge=ridge).fit(X, Y, sample_weight=weights)
    request.getfixturevalue("by_products")
    limit("square bytes", 1)
    made, of = [], Products.of
    monkeypatch.setattr(Products, "of", lambda *a, **k: made.append(1) or of(*a, **k))
    limit("exact label side", 10)
    model = method(3, ridge=ridge, **({"tol": 1e-12} if method is PLST else {}))
    model.fit(X, Y, sample_weight=weights)
    # The codes are regressed by products if there is no ridge, their directions for CPLST.
    assert len(made) == (ridge == 0) + (method is CPLST)
    assert bool(row_solves) == (n_rows < 90 and method is CPLST)
    assert sine(model.components_.T, direct.components_.T) < 1e-6
    given, expected = model.decision_function(X), direct.decision_function(X)
    np.testing.assert_allclose(given, expected, atol=1e-6)


def test_rows_that_are_independent_leave_cplst_the_label_scatter_alone(rng, by_products):
    X = sparse.csr_array(rng.poisson(0.3, (60, 90)) * 1.0)
    Y = sparse.csr_array((rng.random((60, 40)) < 0.1) * 1.0)
    assert rows_are_independent(X, None)
    with pytest.warns(UserWarning, match="fit any label on the 60 training rows: their rank is 59"):
        model = CPLST(3, ridge=0.0).fit(X, Y)
    assert sine(model.components_.T, PLST(3, ridge=0.0).fit(X, Y).components_.T) < 1e-6
    # With two equal rows, the difference of random numbers cannot be fitted.
    twice = sparse.vstack([X[:59], X[[0]]]).tocsr()
    assert not rows_are_independent(twice, None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("method", [PLST, CPLST])
def test_codes_that_independent_rows_fit_have_the_least_norm(
    method, weighted, row_solves, rng, by_products, limit
):
    # Without a ridge, columns are not scaled on either side.
    X = sparse.csr_array(rng.poisson(0.3, (60, 90)) * np.geomspace(0.01, 20, 90))
    Y = sparse.csr_array((rng.random((60, 40)) < 0.1) * 1.0)
    w = rng.uniform(0.5, 2, 60) if weighted else np.ones(60)
    limit("square bytes", 1)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Without a ridge")
        model = method(3, ridge=0.0).fit(X, Y, sample_weight=w if weighted else None)
    assert row_solves
    Xc, Z = (A.toarray() - np.average(A.toarray(), axis=0, weights=w) for A in (X, Y))
    coef = np.linalg.pinv(Xc) @ Z @ model.components_.T
    np.testing.assert_allclose(model.regressor_.coef.T, coef, atol=1e-8 * np.abs(coef).max())


def test_columns_of_far_apart_scales_are_solved_on_their_own_side(wide, row_solves, by_products):
    X, Y = (A[:70] for A in wide)
    model = ls.OPLS(3, ridge=0.5)
    scaled = sparse.csr_array(X * np.where(np.arange(90) < 5, 1e4, 1.0))
    model.fit(scaled, Y)
    assert not row_solves
    direct = ls.OPLS(3, ridge=0.5).fit(scaled.toarray(), Y)
    assert sine(model.components_.T, direct.components_.T) < 1e-6


@pytest.mark.parametrize("method", [PLST, CPLST])
def test_where_all_labels_do_not_fit_only_the_codes_are_regressed(
    method, wide, by_products, monkeypatch
):
    X, Y = wide
    widths = []
    monkeypatch.setattr(
        "labelspan.labelspace._training.regress",
        lambda X, T, *a, **k: widths.append(T.shape[1]) or regress(X, T, *a, **k),
    )
    method(3, ridge=2.0).fit(X, Y)
    assert widths == [3]


def test_a_long_iteration_keeps_its_basis_orthonormal(rng, limit):
    # Values close together take many restarts, in which the basis used to drift apart.
    limit("Lanczos block", 2)
    Q = np.linalg.qr(rng.standard_normal((40, 40)))[0]
    values = np.linspace(1, 0.1, 40)
    found, U = block_lanczos(lambda V: (Q * values) @ (Q.T @ V), 40, 3, 1e-10, 0)
    np.testing.assert_allclose(found, values[:3], rtol=1e-13)
    assert sine(U, Q[:, :3]) < 1e-8


class Heavy:
    """A statistic that counts how often it is sent."""

    sent = 0

    def __call__(self, X, Y):
        return X.sum()

    def __reduce__(self):
        Heavy.sent += 1
        return Heavy, ()


def test_the_vectors_of_a_pass_are_in_its_graph_once(monkeypatch):
    da = pytest.importorskip("dask.array")
    X, Y = da.ones((60, 3), chunks=(10, 3)), da.ones((60, 2), chunks=(10, 2))
    graphs, total = [], _collect.tree_sum
    monkeypatch.setattr(
        _collect, "tree_sum", lambda *args: graphs.append(total(*args)) or graphs[-1]
    )
    assert _collect.collect(Sample(X, Y), Heavy()) == 180
    # Tasks are sent to a cluster one by one.
    for task in dict(graphs[0].dask).values():
        pickle.dumps(task)
    assert Heavy.sent == 1


@pytest.mark.parametrize("model", [PLST(3, ridge=2.0), CPLST(3, ridge=2.0), ls.MultiOutputRidge()])
def test_regressions_of_dask_blocks_too_wide_for_a_scatter_matrix(model, wide, limit):
    da = pytest.importorskip("dask.array")
    X, Y = wide
    direct = clone(model).fit(X, Y)
    blocks = [slice(0, 70), slice(70, 160)]
    lazy, labels = (
        da.concatenate([da.from_array(A[b], chunks=A.shape, asarray=False) for b in blocks])
        for A in (X, Y)
    )
    limit("square bytes", 1)
    found = clone(model).fit(lazy, labels)
    given, expected = found.decision_function(X), direct.decision_function(X)
    np.testing.assert_allclose(given, expected, atol=1e-6)


@pytest.mark.parametrize("block", [4, 32])
@pytest.mark.parametrize("shape", [(160, 190), (190, 160)])
@pytest.mark.parametrize("name", [*(name for name in FEW if name != "mvmd"), "cplst"])
def test_products_keep_no_direction_below_the_error_of_their_solves(
    name, shape, block, by_products, limit
):
    # X has rank 2, and the labels are arbitrary: a third direction is an error of a solve.
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, (shape[0], 2)) @ rng.integers(0, 3, (2, shape[1])) * 1.0
    Y = (rng.random((shape[0], 80 if name != "cplst" else 200)) < 0.3) * 1.0
    model = CPLST(3, ridge=0.5) if name == "cplst" else clone(FEW[name])
    if name == "mddm-correlation":
        model.set_params(label_correlation=np.eye(80) + 0.5)
    with pytest.warns(UserWarning, match="n_components=3 is more than the 2 directions"):
        direct = clone(model).fit(X, Y)
    limit("Lanczos block", block)
    limit("exact label side", 10)
    with pytest.warns(UserWarning, match="n_components=3 is more than the 2 directions"):
        model.fit(sparse.csr_array(X), sparse.csr_array(Y))
    assert name == "cplst" or model.solver_ == "products"
    assert len(model.eigenvalues_) == len(direct.eigenvalues_) == 2
    np.testing.assert_allclose(model.eigenvalues_, direct.eigenvalues_, rtol=1e-7)
