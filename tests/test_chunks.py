"""Chunks add statistics, and the solution is computed once, on demand."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.utils._param_validation import InvalidParameterError

import labelspan as ls
from labelspan.gate import NoDirectionError
from labelspan.moments import Moments, Pool, Sample, summarise

rng = np.random.default_rng(3)
X = rng.standard_normal((60, 5)) + 1.0
Y = (X @ rng.standard_normal((5, 3)) + rng.standard_normal((60, 3)) > 1).astype(int)


@pytest.fixture
def small_pool(limit):
    """Rows are added up when there are five of them."""
    limit("chunk bytes", 5 * X[0].nbytes)


def in_chunks(model, X=X, Y=Y, height=7):
    for start in range(0, X.shape[0], height):
        model.partial_fit(X[start : start + height], Y[start : start + height])
    return model


def test_one_solution_for_all_chunks():
    solved = []

    def weights(statistics):
        solved.append(statistics.weight)
        return np.eye(3)

    class Watched(ls.base.LinearReducer):
        """As CONTRIBUTING shows: a formula of the sums."""

        _parameter_constraints: ClassVar = {"n_components": ls.base.N_COMPONENTS}

        def __init__(self, n_components=2):
            self.n_components = n_components

        def _pencil(self, shape):
            return ls.linalg.Pencil(K=weights)

    model = in_chunks(Watched(2), height=1)
    assert solved == []
    model.transform(X)
    assert model.components_.shape == (2, 5)
    assert model.get_feature_names_out().tolist() == ["watched0", "watched1"]
    assert not hasattr(model, "no_such_attribute_")
    assert solved == [60]
    model.partial_fit(X, Y)
    assert (model.n_components_, solved) == (2, [60, 120])


def test_parameters_count_when_the_solution_is_found():
    model = in_chunks(ls.MVMD(2, beta=0.1)).set_params(n_components=3, beta=0.7)
    expected = ls.MVMD(3, beta=0.7).fit(X, Y)
    assert_allclose(model.components_, expected.components_, atol=1e-12)
    # Except those that need other statistics, or are out of range.
    model = in_chunks(ls.MDDM(2)).set_params(constraint="feature")
    with pytest.raises(ValueError, match=r"changed between chunks.*start a new estimator"):
        model.transform(X)
    model.set_params(constraint="none")
    with pytest.raises(InvalidParameterError, match="constraint"):
        model.transform(X)
    model.set_params(constraint="projection")
    assert_allclose(model.transform(X), ls.MDDM(2).fit(X, Y).transform(X), atol=1e-12)


def test_nothing_to_learn_yet():
    model = ls.MDDM().partial_fit(X[:1], Y[:1])
    with pytest.raises(NotFittedError, match=r"have 1 row\(s\); MDDM needs at least 2"):
        model.transform(X)
    model.partial_fit(X[1:20], np.repeat(Y[:1], 19, axis=0))
    for error in (NotFittedError, NoDirectionError):
        with pytest.raises(error, match="no label has occurred yet"):
            model.transform(X)
    assert not hasattr(model, "components_")
    assert not hasattr(model, "hsic_")
    assert "MDDM" in model._repr_html_()
    assert_allclose(
        model.partial_fit(X[20:], Y[20:]).eigenvalues_,
        ls.MDDM().fit(X, np.vstack([np.repeat(Y[:1], 20, axis=0), Y[20:]])).eigenvalues_,
    )


def test_a_chunk_of_weight_zero_has_no_rows():
    nothing = np.zeros(7)
    model = ls.MVMD(2).partial_fit(X[:7] + 100, Y[:7], sample_weight=nothing)
    assert not hasattr(model, "n_features_in_")
    in_chunks(model).partial_fit(X[:7] - 100, Y[:7], sample_weight=nothing)
    assert_allclose(model.components_, in_chunks(ls.MVMD(2)).components_, atol=0)
    # The first classes are those of rows that count.
    model = ls.MDDM(2).partial_fit(X[:7], ["z"] * 7, sample_weight=0).partial_fit(X, Y)
    assert_allclose(model.components_, ls.MDDM(2).fit(X, Y).components_, atol=1e-12)
    with pytest.raises(ValueError, match=r"at least one pair .* weight > 0"):
        ls.MVMD(2).fit_blocks([(X, Y, np.zeros(60))])
    with pytest.raises(ValueError, match="allowed are numbers >= 0"):
        model.partial_fit(X, Y, sample_weight=-np.ones(60))


def test_a_share_of_any_float_type():
    assert ls.MVMD(np.float32(0.9)).fit(X, Y).n_components_ == ls.MVMD(0.9).fit(X, Y).n_components_
    assert ls.PLST(np.int32(2)).fit(X, Y).n_components_ == 2
    with pytest.raises(InvalidParameterError, match=r"a float in the range \(0\.0, 1\.0\)"):
        ls.MVMD(np.float32(1)).fit(X, Y)


def test_a_chunk_may_be_overwritten(small_pool):
    array, labels = X[:7].copy(), Y[:7].astype(float)
    model = ls.MVMD(None)
    for start in range(0, 56, 7):
        array[:], labels[:] = X[start : start + 7], Y[start : start + 7]
        model.partial_fit(array[:3], labels[:3]).partial_fit(array[3:], labels[3:])
    array[:] = labels[:] = 0
    assert_allclose(model.mean_, X[:56].mean(axis=0), rtol=1e-14)
    rows = sparse.csr_array(X[:4])
    model = ls.MVMD(None).partial_fit(rows, Y[:4])
    rows.data[:] = 0
    assert_allclose(model.mean_, X[:4].mean(axis=0), rtol=1e-14)


@pytest.mark.parametrize("solver", ["scatter", "thin", "root"])
def test_dense_and_sparse_chunks_of_all_sizes_in_one_pool(solver, small_pool):
    pool = Pool(solver, (5, 3))
    sparse_labels = sparse.csr_array(Y.astype(float))
    for i, (start, stop) in enumerate([(0, 2), (2, 3), (3, 9), (9, 11), (11, 40), (40, 60)]):
        A = X[start:stop] if i % 3 else sparse.csr_array(X[start:stop])
        B = Y[start:stop].astype(float) if i % 2 else sparse_labels[start:stop]
        pool = pool.plus(Sample(A, B, solver, part=True), summarise)
        pool = pickle.loads(pickle.dumps(pool))
    (found, rest), whole = pool.total(summarise), summarise(Sample(X, Y.astype(float), solver))
    assert found.weight == 60
    assert_allclose(found.squares, whole.squares, rtol=1e-13)
    assert_allclose(found.x_mean, whole.x_mean, rtol=1e-14)
    assert_allclose(found.t_mean, whole.t_mean, rtol=1e-14)
    assert np.abs(rest).max() < 1e-15
    if solver == "root":
        assert_allclose(found.Rx.T @ found.Rt, whole.Rx.T @ whole.Rt, atol=1e-12)
    else:
        assert_allclose(found.xt, whole.xt, atol=1e-12)


def test_the_mean_and_its_rounding():
    """Multiples of 1/8 about 2^40, where float64 ends at 2^-12: their sum is exact."""
    rows = np.round(8 * X) / 8
    pool = Pool("scatter", (5, 3))
    for start in range(0, 60, 4):
        part = slice(start, start + 4)
        pool = pool.plus(Sample(rows[part] + 2.0**40, Y[part].astype(float), part=True), summarise)
    found, rest = pool.total(summarise)
    assert (rest != 0).any()
    assert_allclose((found.x_mean - 2.0**40) + rest, rows.mean(axis=0), rtol=1e-14)
    near = Moments.of(rows, Y.astype(float))
    assert_allclose(found.xx, near.xx, rtol=1e-13, atol=1e-12)
    assert_allclose(found.xt, near.xt, rtol=1e-13, atol=1e-12)


def test_in_place_addition_is_addition():
    a, b = (Moments.of(X[rows], Y[rows].astype(float)) for rows in (slice(20), slice(20, 60)))
    kept = a.xx.copy()
    plain = a + b
    assert_array_equal(a.xx, kept)
    own = a.xx
    a += b
    assert a.xx is own
    for name in ("weight", "x_mean", "t_mean", "xt", "xx", "tt"):
        assert_array_equal(getattr(a, name), getattr(plain, name))


def test_a_chunk_that_cannot_be_added_leaves_the_pool(small_pool, monkeypatch):
    model = in_chunks(ls.MVMD(None), X[:33], Y[:33])
    with monkeypatch.context() as patch:
        patch.setattr(Moments, "of", lambda *a, **k: (_ for _ in ()).throw(MemoryError("no")))
        for _ in range(2):
            with pytest.raises(MemoryError):
                model.partial_fit(X[33:], Y[33:])
    model.partial_fit(X[33:], Y[33:])
    assert_allclose(model.components_, ls.MVMD(None).fit(X, Y).components_, atol=1e-12)


@pytest.mark.parametrize("kind", ["plain", "weights", "missing", "soft", "sparse", "single"])
def test_many_chunks_are_added_up_by_compiled_loops(kind, limit, small_pool):
    """After so many rows; the sums are the same, also far from the origin."""
    limit("many chunks", 10 * X.shape[1])
    rows, labels, more = X + 1e5, Y.astype(float), ()
    if kind == "weights":
        more = (np.linspace(0.5, 2, len(X)),)
    elif kind == "missing":
        labels[::7, 0] = np.nan
    elif kind == "soft":
        labels *= 0.7
    elif kind == "sparse":
        rows = sparse.csr_array(X * (X > 0))
    rows = (rows - 1e5).astype(np.float32) if kind == "single" else rows
    chunked, whole = ls.MVMD(3), ls.MVMD(3).fit(rows, labels, *more)
    for start in range(0, len(X), 7):
        part = slice(start, start + 7)
        given = {"sample_weight": more[0][part]} if more else {}
        chunked.partial_fit(rows[part], labels[part], **given)
    assert_allclose(chunked.eigenvalues_, whole.eigenvalues_, rtol=1e-9)
    tolerance = 1e-6 if kind == "single" else 1e-8
    assert_allclose(chunked.components_, whole.components_, atol=tolerance)


def test_an_error_of_the_solution_can_be_mended():
    tiny = (X * 1e-40).astype(np.float32)
    model = in_chunks(ls.OPLS(2, ridge=0.0), tiny)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"components_ would reach.*Scale X first"):
            model.transform(X)
        assert "eigenvalues_" not in vars(model)


def test_threads_may_ask_for_the_solution():
    expected = ls.MVMD(3).fit(X, Y).transform(X)
    for _ in range(10):
        model = in_chunks(ls.MVMD(3))
        with ThreadPoolExecutor(4) as threads:
            for found in threads.map(lambda _, m=model: m.transform(X), range(4)):
                assert_allclose(found, expected, atol=1e-12)


def test_rows_far_from_the_origin(small_pool):
    rows = np.round(8 * X) / 8
    for method in (ls.MDDM(2), ls.MVMD(2), ls.OPLS(2), ls.OPLS(2, ridge=0.0), ls.MLSI(2)):
        near = clone(method).fit(rows, Y)
        with pytest.warns(UserWarning, match="vary so little about their mean"):
            far = in_chunks(clone(method), rows + 2.0**40, height=3).components_
        assert_allclose(far, near.components_, atol=1e-10)


LABELS_FROM_LEAST_SQUARES = [
    ls.PLST(2), ls.CPLST(2), ls.CPLST(0), ls.OCCA(2), ls.PLST(ridge=1.0), ls.CPLST(0.9, ridge=1.0),
    ls.MultiOutputRidge(0.0), ls.MultiOutputRidge(), ls.SharedSubspaceClassifier(2),
    ls.SharedSubspaceClassifier(2, alpha=0.0), ls.SharedSubspaceClassifier(2, beta=0.0),
    ls.SharedSubspaceClassifier(2, fit_intercept=False),
    ls.SharedSubspaceClassifier(2, beta=0.0, fit_intercept=False),
    ls.PartialBinaryRelevance(2, random_state=0), ls.CompressedSensing(2, random_state=0),
]  # fmt: skip


@pytest.mark.parametrize("n_rows", [60, 4], ids=["tall", "wide"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("estimator", LABELS_FROM_LEAST_SQUARES, ids=repr)
@pytest.mark.filterwarnings("ignore:Without a ridge the features fit any label")
@pytest.mark.filterwarnings("ignore:n_components=")
def test_every_setting_of_the_classifiers(estimator, dtype, n_rows, small_pool):
    rows, labels = X[:n_rows].astype(dtype), Y[:n_rows]
    # A column twice, so that there is no unique least squares.
    rows = np.column_stack([rows, rows[:, 0]])
    whole = clone(estimator).fit(rows, labels)
    model = in_chunks(clone(estimator), rows, labels, 3)
    tolerance = 1e-10 if dtype == np.float64 else 1e-5
    for name in model._learnt:
        ours, theirs = getattr(model, name), getattr(whole, name)
        if isinstance(theirs, np.ndarray):
            assert ours.dtype == theirs.dtype
        if name in ("coef_", "intercept_", "label_mean_", "objective_"):
            atol = tolerance * max(np.abs(theirs).max(), 1.0)
            assert_allclose(ours, theirs, rtol=0, atol=atol, err_msg=name)
    expected = whole.decision_function(rows)
    found = model.decision_function(rows)
    assert found.dtype == dtype
    assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def test_a_regressor_needs_the_rows():
    for estimator in (ls.PLST(2, regressor=Ridge()), ls.OCCA(2, regressor=Ridge())):
        assert not hasattr(estimator, "partial_fit")
        with pytest.raises(AttributeError) as refusal:
            estimator.partial_fit(X, Y)
        assert "regressor=Ridge(...) learns from the rows" in str(refusal.value.__cause__)
    model = in_chunks(ls.PLST(2)).set_params(regressor=Ridge())
    with pytest.raises(ValueError, match="cannot learn from chunks any more: regressor=Ridge"):
        model.predict(X)
    with pytest.raises(AttributeError) as refusal:
        ls.KernelCPLST().partial_fit(X, Y)
    assert "a kernel compares rows with rows" in str(refusal.value.__cause__)


def test_a_truncated_model_has_no_chunks():
    model = in_chunks(ls.CPLST(3))
    short = model.truncate(1)
    assert_allclose(
        short.decision_function(X), ls.CPLST(1).fit(X, Y).decision_function(X), atol=1e-12
    )
    with pytest.warns(UserWarning, match="starts a new model"):
        short.partial_fit(X[:10], Y[:10])
    assert_allclose(model.partial_fit(X, Y).label_mean_, Y.mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize(
    "estimator", [ls.MultiOutputRidge(), ls.PLST(2), ls.SharedSubspaceClassifier(2)], ids=repr
)
def test_classes_and_names_of_chunks(estimator):
    y = np.array(["a", "b", "c"])[Y.sum(axis=1) % 3]
    model = clone(estimator).partial_fit(X[:1], y[:1], classes=["c", "b", "a"])
    model.partial_fit(X[1:], y[1:])
    whole = clone(estimator).fit(X, y)
    assert_array_equal(model.classes_, whole.classes_)
    assert_allclose(model.decision_function(X), whole.decision_function(X), atol=1e-11)
    assert_array_equal(model.predict(X), whole.predict(X))
    frame = pd.DataFrame(Y, columns=list("rgb"))
    model.fit(X, frame)
    with pytest.warns(UserWarning, match="starts a new model"):
        model.partial_fit(X[:30], frame[:30])
    model.partial_fit(X[30:], Y[30:])
    assert model.label_names_.tolist() == list("rgb")
    assert_array_equal(model.predict(X), clone(estimator).fit(X, Y).predict(X))
    with pytest.raises(ValueError, match="same columns in the same order"):
        model.partial_fit(X, frame[list("bgr")])
    labels = sparse.csr_array(Y)
    assert sparse.issparse(clone(estimator).partial_fit(X, labels).predict(X))


def test_so_many_labels_are_refused_before_their_scatter_is_made():
    wide = sparse.csr_array((2, 40_000))
    with pytest.raises(MemoryError, match=r"label scatter matrix would be 40000 x 40000.*memory"):
        ls.PLST(5).partial_fit(X[:2], wide)


def test_scores_of_a_single_label_and_of_one_row():
    for estimator in (ls.MultilabelFisherScore(2), ls.DiscriminativeRatio(2)):
        model = in_chunks(clone(estimator), Y=Y[:, :1], height=1)
        whole = clone(estimator).fit(X, Y[:, :1])
        assert_allclose(model.scores_, whole.scores_, rtol=1e-10)
        assert_array_equal(model.transform(X), whole.transform(X))
        assert_array_equal(model.get_feature_names_out(), whole.get_feature_names_out())
    model = ls.DiscriminativeRatio(2).partial_fit(X[:1], Y[:1])
    with pytest.warns(UserWarning, match="No feature separates the labels"):
        assert model.ranking_.tolist() == [1, 2, 3, 4, 5]


def test_blocks_are_read_once_and_a_fault_leaves_the_model():
    def broken():
        yield X[:20], Y[:20]
        raise OSError("the disk is gone")

    model = ls.MVMD(2)
    for blocks, error in ((broken(), OSError), ([], ValueError), ([(X, Y[:-1])], ValueError)):
        with pytest.raises(error, match=r"disk|empty; expected at least one pair|inconsistent"):
            model.fit_blocks(blocks)
        assert not hasattr(model, "n_features_in_")
    model.fit(X[:30], Y[:30])
    expected = model.transform(X)
    with pytest.raises(OSError, match="disk"):
        model.fit_blocks(broken())
    assert_array_equal(model.transform(X), expected)
    with pytest.raises(NotFittedError, match="no label has occurred yet"):
        ls.MDDM().fit_blocks([(X, np.zeros_like(Y))])
    # What follows is added.
    model.fit_blocks([(X[:20], Y[:20])]).partial_fit(X[20:], Y[20:])
    assert_allclose(model.components_, ls.MVMD(2).fit(X, Y).components_, atol=1e-12)
    y = np.array(["a", "b", "c"])[Y.sum(axis=1) % 3]
    blocks = [(X[y == c], y[y == c]) for c in "cab"]
    found = ls.MultiOutputRidge().fit_blocks(blocks, classes=["a", "b", "c"])
    assert_array_equal(found.predict(X), ls.MultiOutputRidge().fit(X, y).predict(X))


@pytest.mark.parametrize("estimator", [ls.MVMD(2), ls.PLST(2), ls.DiscriminativeRatio(2)], ids=repr)
def test_shallow_copies_go_on_by_themselves(estimator, small_pool):
    one = in_chunks(clone(estimator), X[:40], Y[:40])
    other = copy.copy(one).partial_fit(X[40:], Y[40:])
    for model, n_rows in ((one, 40), (other, 60)):
        whole = clone(estimator).fit(X[:n_rows], Y[:n_rows])
        name = model._learnt[0]
        assert_allclose(getattr(model, name), getattr(whole, name), atol=1e-11)


def test_chunks_larger_than_a_block_and_on_a_cluster(limit, small_pool):
    limit("pool bytes", 100)
    limit("block bytes", 4 * X[0].nbytes)
    lazy = [da.from_array(A[30:50], chunks=(7, -1)) for A in (X, Y)]
    for estimator in (ls.MVMD(2), ls.MultiOutputRidge(), ls.MultilabelFisherScore(2)):
        whole = clone(estimator).fit(X, Y)
        model = clone(estimator).partial_fit(X[:30], Y[:30]).partial_fit(*lazy)
        model.partial_fit(X[50:], Y[50:])
        first = clone(estimator).partial_fit(*lazy).partial_fit(X[:30], Y[:30])
        first.partial_fit(sparse.csr_array(X[50:]), Y[50:])
        name = whole._learnt[0]
        for found in (model, first):
            assert_allclose(getattr(found, name), getattr(whole, name), atol=1e-11)


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_labels_that_wait_in_dense_arrays_are_added_up_as_the_others(rng, share):
    """Chunks of few labels, of many, and sparse ones, stacked in one pool."""
    X = rng.standard_normal((400, 8))
    Y = (rng.random((400, 60)) < share).astype(int)
    cuts = [10, 20, 250, 260]
    model = ls.MVMD(3)
    for k, (x, y) in enumerate(zip(np.split(X, cuts), np.split(Y, cuts), strict=True)):
        model.partial_fit(x, sparse.csr_array(y) if k == 3 else y)
    whole = ls.MVMD(3).fit(X, Y)
    np.testing.assert_allclose(model.components_, whole.components_, atol=1e-10)
    np.testing.assert_allclose(model.eigenvalues_, whole.eigenvalues_, rtol=1e-12)
