"""Dask arrays at every entry point: validated like arrays in memory, or refused before any work."""

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge

import labelspan as ls
from labelspan.kernels import KernelCPLSTCV

rng = np.random.default_rng(11)
X = np.round(4 * rng.standard_normal((60, 5))) / 4 + 2.0
Y = (X @ rng.standard_normal((5, 3)) + rng.standard_normal((60, 3)) > 1).astype(int)
CLASSES = np.array(["a", "b", "c"])[np.arange(60) % 3]

STREAMED = [
    ls.MDDM(2), ls.OPLS(2), ls.MLDA(1), ls.DMLDA(1), ls.MVMD(2), ls.MultiOutputRidge(),
    ls.SharedSubspaceClassifier(1), ls.PLST(1), ls.CPLST(1), ls.OCCA(1), ls.FaIE(1),
    ls.CompressedSensing(1, random_state=0), ls.PartialBinaryRelevance(1, random_state=0),
    ls.LabelSubset(1), ls.LEML(1), ls.MultilabelFisherScore(2), ls.DiscriminativeRatio(2),
]  # fmt: skip
IN_MEMORY = [
    ls.LPP(2), ls.MLkNN(3), ls.LaRankSVM(random_state=0), ls.CLaRankSVM(random_state=0),
    ls.MLFS(1, random_state=0), ls.CMLFS(1, random_state=0), ls.ASOClassifier(1, random_state=0),
    ls.StructuralF1SVM(C=1.0), ls.SharedSubspaceClassifierCV(cv=2), ls.KernelMDDM(2),
    ls.KernelLabelCCA(2), ls.KernelCPLST(1), ls.KernelSharedSubspaceClassifier(1),
    KernelCPLSTCV(cv=2), ls.ThresholdTuner(ls.MultiOutputRidge()),
]  # fmt: skip
SCORED = [
    ls.MultiOutputRidge(), ls.SharedSubspaceClassifier(1), ls.PLST(1), ls.MLkNN(3),
    ls.LaRankSVM(random_state=0), ls.CLaRankSVM(random_state=0), ls.MLFS(1, random_state=0),
    ls.CMLFS(1, random_state=0), ls.ASOClassifier(1, random_state=0), ls.StructuralF1SVM(C=1.0),
    ls.KernelCPLST(1), ls.KernelSharedSubspaceClassifier(1),
    ls.ThresholdTuner(ls.MultiOutputRidge()),
]  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def called(estimator):
    return repr(estimator).replace("\n", "")


def lazy(A, form=None):
    blocks = da.from_array(A, chunks=(17, *A.shape[1:]))
    return blocks if form is None else blocks.map_blocks(form, meta=form(A[:0]))


def changed(A, value):
    A = A.astype(float)
    A[41, 1] = value
    return A


def state(model):
    return {name: id(value) for name, value in vars(model).items()}


def learnt(model):
    """All fitted numbers."""
    names = [n for n in vars(model) if n.endswith("_") and not n.startswith("_")]
    values = {n: np.asarray(getattr(model, n)) for n in names}
    return {n: v for n, v in values.items() if v.dtype.kind in "bif"}


BAD = {
    "NaN": (changed(X, np.nan), Y, ValueError, "X contains NaN.*nan_to_num"),
    "inf": (changed(X, np.inf), Y, ValueError, "X contains NaN or infinity"),
    "huge": (changed(X, 1e160), Y, ValueError, "sums of squares of X overflow"),
    "0..2": (X, changed(Y, 2), ValueError, r"y\[.*\] is 2.*only 0 and 1"),
    "0 and 5": (X, 5 * Y, ValueError, r"y\[.*\] is 5"),
    "y inf": (X, changed(Y, np.inf), ValueError, "y contains infinity"),
    "one column 0..2": (X, Y.sum(axis=1, keepdims=True), ValueError, r"y\[.*\] is [23]"),
    "y mixed": (
        X,
        np.where(np.arange(60)[:, None] < 17, 2 * Y - 1, Y),
        ValueError,
        "both -1 and 0",
    ),
}


@pytest.mark.parametrize(("X_", "Y_", "error", "message"), BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("estimator", STREAMED, ids=called)
def test_bad_blocks_are_refused_and_leave_no_trace(estimator, X_, Y_, error, message):
    model = clone(estimator).fit(X[:, :4], Y)
    before = state(model)
    with pytest.raises(error, match=message):
        model.fit(lazy(X_), lazy(Y_))
    assert state(model) == before


@pytest.mark.parametrize("estimator", [*STREAMED, *IN_MEMORY], ids=called)
def test_unknown_chunks_are_refused_before_any_work(estimator):
    unknown = lazy(X)[lazy(X)[:, 0] > -99]
    model = clone(estimator)
    before = state(model)
    with pytest.raises((ValueError, TypeError), match=r"compute_chunk_sizes\(\)|X\.compute\(\)"):
        model.fit(unknown, lazy(Y))
    assert state(model) == before


@pytest.mark.parametrize("estimator", IN_MEMORY, ids=called)
@pytest.mark.parametrize("coding", [lambda Y: Y, lambda Y: 2 * Y - 1, lambda Y: 5 * Y])
def test_methods_that_need_the_rows_say_so_before_any_work(estimator, coding):
    model = clone(estimator)
    before = state(model)
    with pytest.raises(TypeError, match=r"X is a Dask array; \w+ needs all rows.*X\.compute\(\)"):
        model.fit(lazy(X), lazy(coding(Y)))
    with pytest.raises(TypeError, match=r"y is a Dask array; \w+ needs all rows.*y\.compute\(\)"):
        model.fit(X, lazy(coding(Y)))
    assert state(model) == before


@pytest.mark.parametrize(
    "coding",
    [lambda Y: 2 * Y - 1, lambda Y: Y.astype(bool), lambda Y: Y.astype(np.float32)],
    ids=["+-1", "bool", "float32"],
)
@pytest.mark.parametrize("estimator", STREAMED, ids=called)
def test_every_coding_of_the_labels_is_the_same_model(estimator, coding):
    expected = learnt(clone(estimator).fit(X, Y))
    found = learnt(clone(estimator).fit(lazy(X), lazy(coding(Y))))
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        assert_allclose(found[name], value, rtol=1e-7, atol=1e-7, err_msg=name)


def test_a_block_with_one_value_of_a_coding():
    # Alone, a block of +1 could be of either coding, and a block of -1 has no other value.
    S = 2 * Y - 1
    S[:17], S[17:34] = 1, -1
    model = ls.MultiOutputRidge().fit(lazy(X), lazy(S))
    assert_allclose(model.coef_, ls.MultiOutputRidge().fit(X, (S + 1) // 2).coef_, atol=1e-10)


FORMS = {
    "int": (lambda A: A.astype(int), None),
    "float16": (lambda A: A.astype(np.float16), None),
    "float32": (lambda A: A.astype(np.float32), None),
    "csr": (lambda A: A, sparse.csr_array),
    "csr of int": (lambda A: A.astype(int), sparse.csr_matrix),
}


@pytest.mark.parametrize(("convert", "form"), FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("estimator", SCORED, ids=called)
def test_blocks_of_any_form_are_predicted_as_in_memory(estimator, convert, form):
    rows = convert(X)
    model = clone(estimator).fit(X, Y)
    for method in ("predict", "decision_function", "predict_proba"):
        if not hasattr(model, method):
            continue
        expected = getattr(model, method)(rows if form is None else form(rows))
        found = getattr(model, method)(lazy(rows, form))
        assert dask.is_dask_collection(found)
        assert found.shape == expected.shape
        computed = found.compute()
        assert computed.dtype == found.dtype == expected.dtype
        assert_allclose(computed, expected, atol=1e-5)


@pytest.mark.parametrize("estimator", SCORED, ids=called)
def test_bad_blocks_are_refused_in_prediction(estimator):
    model = clone(estimator).fit(X, Y)
    with pytest.raises(ValueError, match="X contains NaN"):
        model.predict(lazy(changed(X, np.nan))).compute()
    with pytest.raises(ValueError, match=r"4 features.*expecting 5"):
        model.predict(lazy(X[:, :4]))
    with pytest.raises(ValueError, match=r"rechunk"):
        model.predict(lazy(X).rechunk({1: 2}))
    gappy = da.from_array(X, chunks=((40, 0, 20), (5,)))
    assert_array_equal(model.predict(gappy).compute(), model.predict(X))


@pytest.mark.parametrize("estimator", SCORED, ids=called)
@pytest.mark.parametrize("y", [CLASSES, CLASSES == "a"], ids=["three", "two"])
def test_classes_are_predicted_lazily(estimator, y):
    model = clone(estimator).fit(X, y)
    found = model.predict(lazy(X))
    assert dask.is_dask_collection(found)
    assert_array_equal(found.compute(), model.predict(X))


@pytest.mark.parametrize(
    "estimator",
    [ls.MDDM(2), ls.SharedSubspaceClassifier(1), ls.ASOClassifier(1, random_state=0),
     ls.MLFS(1, random_state=0), ls.MultilabelFisherScore(2), ls.DiscriminativeRatio(2)],
    ids=called,
)  # fmt: skip
def test_transform_is_lazy_and_checked(estimator):
    model = clone(estimator).fit(X, Y)
    found = model.transform(lazy(X))
    assert dask.is_dask_collection(found)
    assert_allclose(found.compute(), model.transform(X), atol=1e-10)
    blocks = model.transform(lazy(X, sparse.csr_array)).compute()
    blocks = blocks.toarray() if sparse.issparse(blocks) else blocks
    assert_allclose(blocks, model.transform(X), atol=1e-10)
    with pytest.raises(ValueError, match="X contains NaN"):
        model.transform(lazy(changed(X, np.nan))).compute()
    with pytest.raises(ValueError, match=r"4 features.*expecting 5"):
        model.transform(lazy(X[:, :4]))


def test_selectors_keep_the_dtype_of_blocks():
    model = ls.MultilabelFisherScore(2).fit(X, Y)
    assert model.transform(lazy(X.astype(np.int32))).compute().dtype == np.int32


@pytest.mark.parametrize("form", [None, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("estimator", [ls.MultilabelFisherScore(2), ls.DiscriminativeRatio(2)])
def test_feature_scores_pool_over_blocks(estimator, form):
    # A large mean: sums of squares about zero would leave no digit of the spread.
    far = X + (2.0**24 if form is None else 0.0)
    for labels in (Y, Y[:, :1]):
        model = clone(estimator).fit(lazy(far, form), lazy(labels))
        memory = clone(estimator).fit(X, labels)
        assert_allclose(model.scores_, memory.scores_, rtol=1e-9)
        assert_array_equal(model.support_, memory.support_)


@pytest.mark.parametrize("estimator", [ls.MultilabelFisherScore(2), ls.DiscriminativeRatio(2)])
def test_feature_scores_know_the_names_of_the_labels(estimator):
    model = clone(estimator).fit(X, pd.DataFrame(Y, columns=["p", "q", "r"]))
    assert list(model.label_names_) == ["p", "q", "r"]
    assert not hasattr(model.fit(X, Y), "label_names_")
    model.fit(lazy(X), pd.DataFrame(Y, columns=["p", "q", "r"]))
    assert list(model.label_names_) == ["p", "q", "r"]
    assert list(model.fit(X, CLASSES).classes_) == ["a", "b", "c"]


def test_other_entries_refuse_dask():
    model = ls.PLST(1).fit(X, Y)
    for call in (lambda: model.predict_topk(lazy(X), 2), lambda: model.errors(lazy(X), Y)):
        with pytest.raises(TypeError, match=r"PLST needs all rows in memory.*X\.compute\(\)"):
            call()
    with pytest.raises(TypeError, match=r"y is a Dask array where labels.*y\.compute\(\)"):
        model.encode(lazy(Y))
    with pytest.raises(TypeError, match=r"KernelMDDM needs all rows in memory"):
        ls.KernelMDDM(2).fit(X, Y).transform(lazy(X))
    with pytest.raises(TypeError, match=r"CLaRankSVM needs all rows in memory"):
        ls.ranking.ranking_path(lazy(X), Y)


def test_one_row_is_too_few():
    with pytest.raises(ValueError, match=r"1 sample\(s\).*minimum of 2 is required"):
        ls.MultiOutputRidge().fit(lazy(X[:1]), lazy(Y[:1]))


def test_a_regressor_is_refused_before_any_work():
    model = ls.PLST(1, regressor=Ridge())
    before = state(model)
    with pytest.raises(TypeError, match="only regressor=None learns from blocks"):
        model.fit(lazy(X), lazy(Y))
    assert state(model) == before


def test_many_labels_on_dask_take_the_scatter(limit):
    # In memory so many labels are decomposed by iterations, which need the rows of Y.
    limit("exact label side", 8)
    many = (rng.random((60, 12)) < 0.4).astype(int)
    model = ls.PLST(2).fit(lazy(X), lazy(2 * many - 1))
    memory = ls.PLST(2, tol=1e-10).fit(X, many)
    assert_allclose(model.components_, memory.components_, atol=1e-6)
    assert_allclose(model.eigenvalues_[:2], memory.eigenvalues_[:2], rtol=1e-6)
