"""Every refusal of the gate: the message names the value, the range and the repair."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

import labelspan as ls
from labelspan._validation import check_labels
from tests.reference.extraction import mddm
from tests.registry import ALL, name

X = np.random.default_rng(0).standard_normal((20, 4))
Y = (X[:, :3] + 0.1 * X[:, 1:4] > 0).astype(int)


def changed(A, value, dtype=float):
    A = A.astype(dtype)
    A[1, 2] = value
    return A


BAD_INPUT = {
    "nan": (changed(X, np.nan), Y, "NaN"),
    "inf": (changed(X, np.inf), Y, "infinity"),
    "strings": (changed(X, "a", object), Y, "could not convert string to float"),
    "1-d X": (X[:, 0], Y, "Expected 2D array"),
    "one row": (X[:1], Y[:1], "minimum of 2 is required"),
    "no rows": (X[:0], Y[:0], "minimum of 2 is required"),
    "complex": (X + 1j, Y, "Complex data not supported"),
    "lengths": (X, Y[:-1], "inconsistent numbers of samples"),
    "sparse nan": (sparse.csr_array(changed(X, np.nan)), Y, "NaN"),
    "no y": (X, None, "requires y to be passed"),
    "y nan": (X, changed(Y, np.nan), "NaN"),
    "y two": (X, changed(Y, 2), r"y\[1, 2\] is 2.* only 0 and 1"),
    "y share": (X, changed(Y, 0.5), r"y\[1, 2\] is 0.5"),
    "y mixed": (X, changed(2 * Y - 1, 0), "only -1 and \\+1"),
    "y strings": (X, Y.astype(str), "MultiLabelBinarizer"),
    "y sparse two": (X, sparse.csr_array(changed(Y, 2)), r"value 2; allowed are 0 and 1"),
    "y sparse nan": (X, sparse.csr_array(changed(Y, np.nan)), "NaN"),
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


@pytest.mark.parametrize("method", ALL, ids=name)
def test_every_method_goes_through_the_gate(method):
    with pytest.raises(ValueError, match="NaN"):
        clone(method.estimator).fit(changed(X, np.nan), Y)
    if method.supervised:
        with pytest.raises(ValueError, match=r"y\[1, 2\] is 2"):
            clone(method.estimator).fit(X, changed(Y, 2))


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


@pytest.mark.parametrize(("B", "message"), BAD_CORRELATIONS.values(), ids=BAD_CORRELATIONS.keys())
def test_bad_label_correlations_are_refused_before_any_work(B, message, monkeypatch):
    def work(*args, **kwargs):
        raise AssertionError("the statistics were collected first")

    monkeypatch.setattr("labelspan.extraction._mddm.summarise", work)
    with pytest.raises(ValueError, match=message):
        ls.MDDM(label_correlation=B).fit(X, Y)


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
    with pytest.warns(UserWarning, match="n_neighbors=50 is more than the 19 other rows"):
        ls.LPP(2, n_neighbors=50).fit(X)


def test_two_pass_methods_say_why_there_is_no_partial_fit():
    for model in (ls.MLDA(), ls.DMLDA(), ls.LPP()):
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
    with pytest.warns(UserWarning, match="partial_fit starts anew"):
        model.partial_fit(X[:10], Y[:10])
    np.testing.assert_allclose(
        model.components_, ls.MDDM().fit(X[:10], Y[:10]).components_, atol=1e-10
    )
    # And fit forgets the chunks.
    assert not hasattr(model.fit(X, Y), "_pooled")


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


def test_columns_of_classes_and_stored_zeros():
    assert check_labels(np.array([[3], [1], [2]])).Y.shape == (3, 3)
    stored = sparse.csr_array(Y.astype(float))
    stored.data[:2] = 0.0
    assert check_labels(stored).Y.nnz == Y.sum() - 2
    assert stored.nnz == Y.sum()
    full = sparse.csr_array(2 * Y - 1)
    np.testing.assert_array_equal(check_labels(full).Y.toarray(), Y)
