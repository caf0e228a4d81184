"""Every error of input validation: the message names the value, the range and the repair."""

import tracemalloc
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError

import labelspan as ls
from labelspan.gate import check_labels, refuse_overflow, with_complement
from tests.reference.extraction import mddm
from tests.registry import ALL, RIDGE_FREE, name

X = np.random.default_rng(0).standard_normal((20, 4))
Y = (X[:, :3] + 0.1 * X[:, 1:4] > 0).astype(int)


NAMES = ["a", "b", "c", "d"] * 5


def changed(A, value, dtype=float):
    A = A.astype(dtype)
    if isinstance(A, pd.DataFrame):
        A.iloc[1, 2] = value
    else:
        A[1, 2] = value
    return A


BAD_INPUT = {
    "nan": (changed(X, np.nan), Y, "NaN"),
    "inf": (changed(X, np.inf), Y, "infinity"),
    "strings": (changed(X, "a", object), Y, "could not convert string to float"),
    "1-d X": (X[:, 0], Y, "Expected 2D array"),
    "one row": (X[:1], Y[:1], "minimum of 2 is required"),
    "no rows": (X[:0], Y[:0], "minimum of 1 is required"),
    "complex": (X + 1j, Y, "Complex data not supported"),
    "lengths": (X, Y[:-1], "inconsistent numbers of samples"),
    "sparse nan": (sparse.csr_array(changed(X, np.nan)), Y, "NaN"),
    "no y": (X, None, "requires y to be passed"),
    "y inf": (X, changed(Y, np.inf), "infinity"),
    "y two": (X, changed(Y, 2), r"y\[1, 2\] is 2.* only 0 and 1"),
    "y beyond a share": (X, changed(Y, 1.5), r"y\[1, 2\] is 1.5.* soft labels lie between 0 and 1"),
    "y mixed": (X, changed(2 * Y - 1, 0), "only -1 and \\+1"),
    "y strings": (X, Y.astype(str), "MultiLabelBinarizer"),
    "y sets": (X, [[0], [0, 2], *[[1]] * 18], r"row 0 has 1 entries and row 1 has 2.*Binarizer"),
    "y equal sets": (X, [{1, 2}, {3, 4}] * 10, "row 0 is a set.*MultiLabelBinarizer"),
    "y lists in a series": (X, pd.Series([[1], [1, 2]] * 10), "row 0 has 1 entries and row 1 has"),
    "y lists in a frame": (
        X,
        pd.DataFrame({"tags": [[1], [1, 2]] * 10}),
        "cells .*'tags' are list",
    ),
    "y as features": (Y, X, "only 0 and 1, so X and y may be swapped"),
    "y None": (X, np.array([*NAMES[:-1], None], object), r"y\[19\] is None.*fill them in first"),
    "y NaN": (X, pd.Series([*NAMES[:-1], np.nan]), r"NaN: y\[19\]"),
    "y NA": (X, pd.Series([*NAMES[:-1], pd.NA], dtype="string"), r"NaN: y\[19\] is <NA>"),
    "y classes NA": (X, np.r_[np.arange(19) % 3, np.nan][:, None], "classes must be known"),
    "y NaN in a list": (X, [*NAMES[:-1], np.nan], r"NaN: y\[19\] is nan"),
    "y names and numbers in a list": (X, ["a", 1] * 10, "mixes strings.*'a' and 1"),
    "y names and numbers": (X, np.array(["a", 1] * 10, object), "mixes strings.*'a' and 1"),
    "y two columns of names": (X, pd.DataFrame({"a": NAMES, "b": NAMES}), "get_dummies"),
    "y sparse two": (X, sparse.csr_array(changed(Y, 2)), r"value 2; allowed are 0 and 1"),
    "y sparse nan": (X, sparse.csr_array(changed(Y, np.nan)), r"NaN.*in a dense array, y.toarray"),
    "y continuous": (X, X[:, 0], "1-d and continuous"),
    "y 1-d nan": (X, changed(Y, np.nan)[:, 2], "NaN"),
    "y constant": (X, np.zeros((20, 3)), "no direction to keep"),
    "y one class": (X, np.zeros(20, int), "no direction to keep"),
    "X constant": (np.ones((20, 4)), Y, "no direction to keep"),
}


@pytest.mark.parametrize(("X", "y", "message"), BAD_INPUT.values(), ids=BAD_INPUT.keys())
def test_bad_input_is_refused(X, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ls.MDDM().fit(X, y)


@pytest.mark.parametrize(
    "y",
    [np.array(NAMES)[:, None], pd.DataFrame({"class": NAMES}), pd.Series(NAMES, dtype="category")],
    ids=["column", "frame", "categories"],
)
def test_a_column_of_names_holds_classes(y):
    """Classifiers warn, as those of scikit-learn do."""
    expected = pytest.warns(DataConversionWarning, match=r"column-vector y .* pass y.ravel\(\)")
    with expected if y.ndim == 2 else nullcontext():
        model = ls.MultiOutputRidge().fit(X, y)
    plain = ls.MultiOutputRidge().fit(X, NAMES)
    assert list(model.classes_) == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(model.coef_, plain.coef_)


@pytest.mark.parametrize("method", ALL, ids=name)
def test_every_method_goes_through_the_gate(method):
    with pytest.raises(ValueError, match="NaN"):
        clone(method.estimator).fit(changed(X, np.nan), Y)
    if method.supervised:
        with pytest.raises(ValueError, match=r"y\[1, 2\] is 2"):
            clone(method.estimator).fit(X, changed(Y, 2))


@pytest.mark.parametrize("value", [1.0, 0.1, 1e6 + 0.1])
@pytest.mark.parametrize("shape", [(20, 4), (20, 30)], ids=["tall", "wide"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("method", [*ALL, *RIDGE_FREE], ids=name)
def test_constant_features_hold_no_direction(method, form, shape, value):
    with pytest.raises(ValueError, match="no direction to keep"):
        clone(method.estimator).fit(form(np.full(shape, value)), Y)


@pytest.mark.parametrize("method", [m for m in ALL if m.supervised], ids=name)
@pytest.mark.parametrize("Y", [np.zeros((20, 3)), np.ones((20, 3))], ids=["none", "all"])
def test_constant_labels(method, Y):
    model = clone(method.estimator)
    chooses = method.name == "mlda-dependence" and Y.any()
    if method.name.startswith(("mvmd", "mlsi", "dmlda", "embedding")) or chooses:
        # These have directions without labels, or distribute the rows among their labels.
        assert np.isfinite(model.fit(X, Y).components_).all()
    else:
        with pytest.raises(ValueError, match="no direction to keep"):
            model.fit(X, Y)


@pytest.mark.parametrize("method", ALL, ids=name)
def test_values_whose_squares_overflow_are_refused(method):
    with pytest.raises(ValueError, match="sums of squares of X overflow"):
        clone(method.estimator).fit(X * 1e155, Y)


SCALED = [
    ls.MultiOutputRidge(), ls.MLkNN(3), ls.ASOClassifier(2), ls.StructuralF1SVM(), ls.LaRankSVM(),
    ls.CMLFS(2), ls.DiscriminativeRatio(2), ls.MultilabelFisherScore(2), ls.PLST(ridge=0.0),
    ls.SharedSubspaceClassifier(2), ls.KernelCPLST(kernel="linear"), ls.OPLS(ridge=0.0),
    ls.MVMD(), ls.LPP(2, n_neighbors=3),
]  # fmt: skip


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("estimator", SCALED, ids=lambda estimator: type(estimator).__name__)
def test_values_whose_squares_are_no_numbers_are_refused_by_every_family(estimator, form):
    for scale, trouble in ((1e160, "overflow"), (1e-170, "vanish")):
        with pytest.raises(ValueError, match=rf"sums of squares of X {trouble}.*Scale X first"):
            clone(estimator).fit(form(X * scale), Y)


BAD_PARAMETERS = [
    (ls.MDDM(0), "n_components"),
    (ls.MDDM(1.0), "n_components"),
    (ls.MDDM(-0.5), "n_components"),
    (ls.MDDM("all"), "n_components"),
    (ls.MDDM(mu=2), "mu"),
    (ls.MDDM(constraint="both"), "constraint"),
    (ls.MDDM(label_correlation="linear"), "label_correlation"),
    (ls.MDDM(label_width=0), "label_width"),
    (ls.MVMD(beta=-0.1), "beta"),
    (ls.LabelCCA(ridge=-1), "ridge"),
    (ls.LabelCCA(label_ridge=-1), "label_ridge"),
    (ls.OPLS(ridge=-1), "ridge"),
    (ls.MLSI(beta=1.5), "beta"),
    (ls.MLSI(joint_ridge=0), "joint_ridge"),
    (ls.MLDA(ridge=0), "ridge"),
    (ls.DMLDA(ridge=0), "ridge"),
    (ls.LPP(0.5), "n_components"),
    (ls.LPP(n_neighbors=0), "n_neighbors"),
]


@pytest.mark.parametrize(("model", "parameter"), BAD_PARAMETERS, ids=str)
def test_bad_parameters_are_refused(model, parameter):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of .* must be"):
        model.fit(X, Y)


BAD_CORRELATIONS = {
    "shape": (np.eye(2), r"shape \(2, 2\); expected \(3, 3\)"),
    "asymmetric": (np.eye(3) + np.triu(np.ones((3, 3)), 1), r"not symmetric .* 1\)"),
    "indefinite": (np.diag([1.0, 1.0, -0.5]), "smallest eigenvalue is -0.5"),
    "nan": (np.full((3, 3), np.nan), "NaN"),
}


@pytest.mark.parametrize("constraint", ["projection", "feature"])
@pytest.mark.parametrize("n_rows", [20, 3], ids=["tall", "wide"])
@pytest.mark.parametrize(("B", "message"), BAD_CORRELATIONS.values(), ids=BAD_CORRELATIONS.keys())
def test_bad_label_correlations_are_refused_before_any_work(B, message, n_rows, constraint):
    """Sums of these rows warn of lost digits, and warnings are errors."""
    far = X[:n_rows] + np.array([1e9, 0, 0, 0])
    with pytest.raises(ValueError, match=message):
        ls.MDDM(constraint=constraint, label_correlation=B).fit(far, Y[:n_rows])
    with pytest.warns(UserWarning, match="1 column"):
        ls.MDDM(1, constraint=constraint, label_correlation=np.eye(3)).fit(far, Y[:n_rows])


def test_given_label_correlation_is_used():
    B = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])
    values, _ = mddm(X, Y, B=B)
    model = ls.MDDM(None, label_correlation=B.tolist()).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, values[:2], rtol=1e-10)
    np.testing.assert_allclose(model.hsic_, values.sum(), rtol=1e-10)


def test_more_components_than_the_rank_is_a_warning():
    with pytest.warns(UserWarning, match="n_components=9 is more than the 3 directions"):
        model = ls.MDDM(9).fit(X, Y)
    assert model.n_components_ == 3
    with pytest.warns(UserWarning, match="more than the rank of X, 4"):
        assert ls.LPP(9).fit(X).n_components_ == 4
    with (
        pytest.warns(UserWarning, match="n_neighbors=50 is more than the 19 other rows"),
        pytest.warns(UserWarning, match=r"eigenvalue of LPP is -0\.05.*Lower n_neighbors=50"),
    ):
        ls.LPP(2, n_neighbors=50).fit(X)


def test_two_pass_methods_say_why_there_is_no_partial_fit():
    for model in (ls.MLDA(), ls.DMLDA(weights=Y.astype(float)), ls.LPP(), ls.HSL()):
        assert not hasattr(model, "partial_fit")
        with pytest.raises(AttributeError) as refusal:
            model.partial_fit(X, Y)
        assert "needs the whole sample more than once" in str(refusal.value.__cause__)


def test_partial_fit_refuses_chunks_that_do_not_fit_together():
    model = ls.MDDM().partial_fit(X, Y)
    with pytest.raises(ValueError, match="y has 2 labels, but the first chunk had 3"):
        model.partial_fit(X, Y[:, :2])
    with pytest.raises(ValueError, match=r"3 features.*expecting 4"):
        model.partial_fit(X[:, :3], Y)


def test_partial_fit_refuses_labels_in_another_order():
    frame = pd.DataFrame(Y, columns=list("abc"))
    model = ls.MDDM(None).partial_fit(X[:10], frame[:10])
    with pytest.raises(ValueError, match="same columns in the same order"):
        model.partial_fit(X[10:], frame[10:][list("cba")])
    model.partial_fit(X[10:], frame[10:])
    assert_allclose(model.eigenvalues_, ls.MDDM(None).fit(X, Y).eigenvalues_)


def test_chunks_without_a_direction_leave_no_model():
    none = np.zeros((10, 3), int)
    model = ls.MDDM(None).partial_fit(X[:10], none)
    with pytest.raises(NotFittedError):
        model.transform(X)
    model.partial_fit(X[10:], Y[10:])
    pooled = ls.MDDM(None).fit(X, np.vstack([none, Y[10:]]))
    assert_allclose(model.eigenvalues_, pooled.eigenvalues_)
    # Results of the earlier fit are not used, either.
    model = ls.MDDM(None).fit(X, Y)
    with pytest.warns(UserWarning, match="starts a new model"):
        model.partial_fit(X[:10, :3], none)
    with pytest.raises(NotFittedError):
        model.transform(X[:, :3])


def test_a_first_chunk_that_is_refused_leaves_the_fit():
    model = ls.MDDM(None).fit(X, Y)
    expected = model.transform(X)
    with (
        pytest.warns(UserWarning, match="starts a new model"),
        pytest.raises(ValueError, match=r"y\[1, 2\] is 2"),
    ):
        model.partial_fit(X, changed(Y, 2))
    np.testing.assert_array_equal(model.transform(X), expected)


def test_a_refused_chunk_leaves_no_trace():
    model = ls.MDDM(None).partial_fit(X[:10], Y[:10])
    for bad_X, bad_Y in ((X[10:, :3], Y[10:]), (changed(X, np.nan), Y), (X, changed(Y, 2))):
        with pytest.raises(ValueError, match=r"features|NaN|is 2"):
            model.partial_fit(bad_X, bad_Y)
    model.partial_fit(X[10:], Y[10:])
    assert_allclose(model.eigenvalues_, ls.MDDM(None).fit(X, Y).eigenvalues_)
    fitted = ls.MDDM().fit(X, Y)
    with pytest.raises(ValueError, match="is 2"):
        fitted.fit(X[:, :3], changed(Y, 2))
    assert fitted.transform(X).shape == (20, 3)


def test_chunks_without_labels_count_all_the_same():
    labels = Y.copy()
    labels[:8] = 0
    model = ls.MDDM(None)
    for rows in (slice(0, 4), slice(4, 8)):
        model.partial_fit(X[rows], labels[rows])
        assert not hasattr(model, "components_")
    model.partial_fit(X[8:], labels[8:])
    assert_allclose(model.eigenvalues_, ls.MDDM(None).fit(X, labels).eigenvalues_)
    y = np.array(["a"] * 10 + ["b"] * 10)
    model = ls.MDDM(None).partial_fit(X[:10], y[:10], classes=["a", "b"])
    model.partial_fit(X[10:], y[10:])
    assert_allclose(model.eigenvalues_, ls.MDDM(None).fit(X, y).eigenvalues_)


def test_a_column_and_then_a_vector_of_ones():
    y = np.sort(Y[:, :1], axis=0)
    model = ls.MDDM(None).partial_fit(X[:-3], y[:-3]).partial_fit(X[-3:], y[-3:, 0])
    assert_allclose(model.eigenvalues_, ls.MDDM(None).fit(X, y).eigenvalues_)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ls.MDDM(), {"constraint": "feature"}),
        (ls.MDDM(constraint="feature"), {"constraint": "projection"}),
        (ls.MDDM(constraint="feature"), {"mu": 1.0}),
        (ls.MDDM(), {"label_correlation": "rbf"}),
        (ls.OPLS(ridge=0), {"ridge": 0.1}),
    ],
    ids=str,
)
def test_parameters_that_change_between_chunks(before, after):
    model = clone(before).partial_fit(X, Y).set_params(**after)
    with pytest.raises(ValueError, match=r"changed between chunks.*start a new estimator"):
        model.partial_fit(X, Y)


def test_float32_only_if_every_chunk_is():
    model = ls.MDDM().partial_fit(X, Y).partial_fit(X.astype(np.float32), Y)
    assert model.components_.dtype == np.float64


def test_partial_fit_of_classes():
    y = np.array(list("abca") * 5)
    whole = ls.MDDM(None).fit(X, y)
    model = ls.MDDM(None).partial_fit(X[:2], y[:2], classes=["c", "a", "b"])
    model.partial_fit(X[2:], y[2:])
    np.testing.assert_allclose(model.components_, whole.components_, atol=1e-10)
    with pytest.raises(ValueError, match="class 'd', which was not in the first call"):
        model.partial_fit(X, np.array(list("abcd") * 5))


def test_partial_fit_after_fit_says_that_it_starts_anew():
    model = ls.MDDM().fit(X, Y)
    with pytest.warns(UserWarning, match="partial_fit starts a new model"):
        model.partial_fit(X[:10], Y[:10])
    np.testing.assert_allclose(
        model.components_, ls.MDDM().fit(X[:10], Y[:10]).components_, atol=1e-10
    )
    # And fit drops the chunks.
    assert not hasattr(model.fit(X, Y), "_chunks")


def test_label_names_and_classes_are_kept_and_forgotten():
    frame = pd.DataFrame(Y, columns=["x", "y", "z"])
    model = ls.MDDM().fit(X, frame)
    assert model.label_names_.tolist() == ["x", "y", "z"]
    model.fit(X, np.where(Y[:, 0], "yes", "no"))
    assert not hasattr(model, "label_names_")
    assert model.classes_.tolist() == ["no", "yes"]


def test_a_square_array_that_cannot_fit_is_refused_with_advice():
    wide = sparse.csr_array((np.ones(20), (range(20), range(20))), shape=(20, 100_000))
    with pytest.raises(MemoryError, match=r"100000 x 100000 \(74.5 GiB.*select features first"):
        ls.OPLS().partial_fit(wide, Y)
    # In memory the same data are no problem.
    assert ls.OPLS().fit(wide, Y).solver_ == "rows"


@pytest.mark.parametrize(
    "labels",
    [
        pd.DataFrame(Y).astype("boolean"),
        pd.DataFrame(Y).astype("Int64"),
        pd.DataFrame({"a": Y[:, 0].astype(bool), "b": Y[:, 1], "c": Y[:, 2].astype(float)}),
        Y.astype(object),
        Y.tolist(),
        [tuple(row) for row in Y],
    ],
    ids=["nullable-bool", "nullable-int", "mixed", "object", "list", "tuples"],
)
def test_labels_of_any_type_that_holds_0_and_1(labels):
    np.testing.assert_array_equal(check_labels(labels).Y, Y)


def test_one_dimensional_labels_of_any_type():
    for y in (Y[:, 0].astype(object), pd.Series(Y[:, 0], dtype="Int64"), sparse.coo_array(Y[:, 0])):
        np.testing.assert_array_equal(check_labels(y).Y[:, 0], Y[:, 0])


def test_repeated_entries_of_sparse_x_are_added():
    columns = np.array([1, 1, *(i % 4 for i in range(20))], dtype=np.int32)
    rows = np.array([0, 0, *range(20)])
    data = np.arange(22) + 1.0
    raw = sparse.csr_array((20, 4))
    raw.data, raw.indices = data, columns.copy()
    raw.indptr = np.array([0, 3, *range(4, 23)], dtype=np.int32)
    dense = sparse.coo_array((data, (rows, columns)), shape=(20, 4)).toarray()
    for method in ALL:
        model = clone(method.estimator)
        if not method.supervised:
            model.set_params(n_components=3)
        ours, plain = (clone(model).fit(A, Y) for A in (raw, dense))
        assert_allclose(ours.eigenvalues_, plain.eigenvalues_, rtol=1e-8)
    np.testing.assert_array_equal(raw.indices, columns)


def test_columns_of_classes_and_stored_zeros():
    assert check_labels(np.array([[3], [1], [2]])).Y.shape == (3, 3)
    stored = sparse.csr_array(Y.astype(float))
    stored.data[:2] = 0.0
    assert check_labels(stored).Y.nnz == Y.sum() - 2
    assert stored.nnz == Y.sum()
    full = sparse.csr_array(2 * Y - 1)
    np.testing.assert_array_equal(check_labels(full).Y.toarray(), Y)


def test_the_check_of_squares_copies_no_view():
    """A memory map without its last column must not be read into memory at once."""
    A = np.random.default_rng(0).standard_normal((100_000, 51))[:, :-1]
    tracemalloc.start()
    refuse_overflow(A)
    refuse_overflow(np.zeros((100_000, 51), dtype=np.float32)[:, :-1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Parts of a million numbers, and the float32 array that is made here.
    assert peak < 0.75 * A.nbytes
    A[-1, -1] = 1e200
    with pytest.raises(ValueError, match="overflow"):
        refuse_overflow(A)


@pytest.mark.parametrize("order", ["C", "F"])
def test_plain_rows_replace_the_names_of_an_earlier_fit(order):
    model = ls.MDDM(2).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    model.fit(np.asarray(X[:, :3], order=order), Y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 3


@pytest.mark.parametrize("order", ["C", "F"])
def test_plain_rows_are_looked_at_in_either_order(order):
    for value, reason in ((np.nan, "NaN"), (np.inf, "infinity"), (1e160, "overflow")):
        with pytest.raises(ValueError, match=reason):
            ls.MDDM(2).fit(np.asarray(changed(X, value), order=order), Y)


def test_a_later_plain_chunk_that_is_refused_changes_nothing():
    model = ls.MDDM(2).partial_fit(X, Y)
    expected = model.components_.copy()
    refused = (
        (changed(X, np.nan), Y, "NaN"),
        (X, Y[:-1], "inconsistent numbers of samples"),
        (X, changed(Y, 3, int), "is 3"),
        (X, Y[:, :2], "y has 2 labels"),
    )
    for features, labels, reason in refused:
        with pytest.raises(ValueError, match=reason):
            model.partial_fit(features, labels)
        assert np.array_equal(model.components_, expected)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_one_label_gets_its_complement_and_several_stay_as_they_are(form):
    one = form(np.array([[1], [0], [1]]))
    np.testing.assert_array_equal(with_complement(one), [[1, 0], [0, 1], [1, 0]])
    two = form(np.array([[1, 1], [0, 0]]))
    assert with_complement(two) is two
