"""Validation of labels, form by form: small exact examples of each function."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from labelspan.gate import (
    Labels,
    check_indicators,
    check_label_block,
    check_labels,
    holds_classes,
    label_matrix,
    one_hot,
    plain_indicators,
    refuse_other_names,
    refuse_other_values,
    refuse_sets,
    remember_names,
    two_dimensional,
)

Y = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0], [1, 1, 1]])
FEW = np.eye(12)[:, :11]


def host(A):
    return A.toarray() if sparse.issparse(A) else A


@pytest.mark.parametrize(
    "given",
    [Y, Y.astype(bool), Y.astype(float), Y.astype(np.uint8), 2 * Y - 1, Y.tolist(),
     sparse.csr_array(Y), sparse.coo_matrix(Y), Y.astype(object), np.ma.array(Y)],
    ids=range(10),
)  # fmt: skip
def test_all_codings_are_the_same_indicators(given):
    labels = check_labels(given)
    np.testing.assert_array_equal(host(labels.Y), Y)
    assert labels.Y.dtype == np.float64
    assert labels.sparse == sparse.issparse(given)
    assert (labels.classes, labels.names, labels.soft, labels.missing) == (None, None, False, False)
    target = labels.target
    assert sparse.issparse(target) == sparse.issparse(given)
    assert target.dtype == np.int64
    np.testing.assert_array_equal(host(target), Y)


def test_frames_bring_names():
    labels = check_labels(pd.DataFrame(Y, columns=["a", "b", 3]))
    assert labels.names.tolist() == ["a", "b", "3"]
    holder = type("Holder", (), {})()
    remember_names(holder, labels)
    assert holder.label_names_.tolist() == ["a", "b", "3"]
    assert not hasattr(holder, "classes_")
    remember_names(holder, check_labels(["x", "y", "z"]))
    assert not hasattr(holder, "label_names_")
    assert holder.classes_.tolist() == ["x", "y", "z"]
    refuse_other_names(None, labels.names)
    refuse_other_names(labels.names, None)
    refuse_other_names(labels.names, labels.names.copy())
    with pytest.raises(ValueError, match=r"Column 1 of y is 'c', but in fit it was 'b'; pass"):
        refuse_other_names(labels.names, np.array(["a", "c", "3"], dtype=object))


def test_plain_matrices_take_the_short_way():
    for given in (Y, Y.astype(bool), Y.astype(np.float32)):
        np.testing.assert_array_equal(host(plain_indicators(given)), Y)
    assert isinstance(plain_indicators(Y), np.ndarray)
    # One in eleven is cheaper as CSR, unless there are few values.
    assert sparse.issparse(plain_indicators(FEW))
    assert isinstance(plain_indicators(FEW, few=FEW.size), np.ndarray)
    assert sparse.issparse(plain_indicators(FEW, few=FEW.size - 1))
    others = (2 * Y - 1, 2 * Y, Y[:, :1], Y[:, 0], Y[:0], Y.astype(object), Y.tolist(), Y * 1j,
              np.where(Y, np.nan, 0.0))  # fmt: skip
    for given in others:
        assert plain_indicators(given) is None


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_form_follows_the_density(form):
    for given, few in ((Y, False), (FEW, True)):
        found = check_labels(form(given)).Y
        assert sparse.issparse(found) == (few or form is sparse.csr_array)
        np.testing.assert_array_equal(host(found), given)


def test_classes():
    two = check_labels(np.array(["no", "yes", "yes"]))
    np.testing.assert_array_equal(two.Y, [[0], [1], [1]])
    assert two.classes.tolist() == ["no", "yes"]
    assert two.target.tolist() == ["no", "yes", "yes"]
    assert two.codes.tolist() == [0, 1, 1]
    three = check_labels([7, 3, 5, 3])
    np.testing.assert_array_equal(host(three.Y), [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]])
    assert three.codes.tolist() == [2, 0, 1, 0]
    assert three.target.tolist() == [7, 3, 5, 3]
    np.testing.assert_array_equal(check_labels([3, 3]).Y, [[0], [0]])
    known = check_labels([5, 3], np.array([3, 5, 7]))
    np.testing.assert_array_equal(host(known.Y), [[0, 1, 0], [1, 0, 0]])
    with pytest.raises(ValueError, match="y holds the class '9', which was not in the first call"):
        check_labels([5, 9], np.array([3, 5, 7]))
    for bad in ([0.5, 1.5, 2.5], [1.0, np.nan], [1.0, np.inf]):
        with pytest.raises(ValueError, match=r"continuous|NaN or infinity; classes must be known"):
            check_labels(np.array(bad))
    # A column of classes is y itself; one of 0 and 1, or of -1 and 1, is a label.
    assert check_labels(np.array([[7], [3], [5]])).classes.tolist() == [3, 5, 7]
    assert check_labels(np.array([["a"], ["b"]])).classes.tolist() == ["a", "b"]
    np.testing.assert_array_equal(check_labels(np.array([[-1], [1]])).Y, [[0], [1]])
    assert check_labels(np.array([[0], [1]])).classes is None
    assert holds_classes(np.array([[0], [1], [2]]))
    assert not holds_classes(np.array([[0], [1], [1]]))
    assert not holds_classes(np.array([[True], [False]]))
    line = sparse.coo_array(np.array([0, 1, 2, 1]))
    assert check_labels(line).classes.tolist() == [0, 1, 2]


def test_one_hot():
    np.testing.assert_array_equal(
        one_hot(np.array([2, 0]), 4).toarray(), [[0, 0, 1, 0], [1, 0, 0, 0]]
    )


def test_weights_and_rows_that_are_kept():
    kept = np.array([True, False, True, True])
    labels = check_labels(Y)
    some = labels.weighted(np.array([2.0, 0.0, 1.0, 3.0]), kept, False)
    np.testing.assert_array_equal(some.Y, Y[kept])
    assert some.weights.tolist() == [2, 1, 3]
    assert some.total == 6.0
    assert some.kept is kept
    ones = labels.weighted(np.array([1.0, 0.0, 1.0, 1.0]), kept, True)
    assert (ones.weights, ones.total) == (None, 3.0)
    assert labels.weighted(np.ones(4), None, True).kept is None
    assert labels.total == 4.0
    # Classes that only rows of weight 0 had are dropped, if classes are determined again.
    classes = check_labels(["a", "b", "c", "c"])
    anew, as_before = (classes.weighted(np.ones(4), kept, anew) for anew in (True, False))
    assert anew.classes.tolist() == ["a", "c"]
    np.testing.assert_array_equal(anew.Y, [[0], [1], [1]])
    assert as_before.classes.tolist() == ["a", "b", "c"]
    assert as_before.Y.shape == (3, 3)


def test_labels_with_holes():
    nan = np.nan
    holes = np.array([[1, nan, 0], [0, 1, nan], [nan, 0, 0], [1, 1, 1]])
    for given in (holes, pd.DataFrame(holes), pd.DataFrame(holes).astype("Int64")):
        labels = check_labels(given, missing=True)
        np.testing.assert_array_equal(labels.Y, holes)
        assert labels.missing
        assert not labels.soft
        np.testing.assert_array_equal(labels.target, holes)
        assert labels.target is not labels.Y
    signed = check_labels(2 * holes - 1, missing=True)
    np.testing.assert_array_equal(signed.Y, holes)
    assert signed.missing
    soft = check_labels(0.5 * holes, soft=True, missing=True)
    np.testing.assert_array_equal(soft.Y, 0.5 * holes)
    assert (soft.soft, soft.missing) == (True, True)
    named = check_labels(pd.DataFrame(0.5 * holes, columns=list("abc")), soft=True, missing=True)
    assert named.names.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="contains NaN"):
        check_labels(holes)
    with pytest.raises(ValueError, match="contains NaN; classes must be known for each row"):
        check_labels(np.array([[3.0], [nan], [5.0], [7.0]]), missing=True)
    np.testing.assert_array_equal(label_matrix(None, holes).toarray(), np.nan_to_num(holes) > 0)
    np.testing.assert_array_equal(check_label_block(holes), holes)
    np.testing.assert_array_equal(check_label_block(2 * holes - 1), holes)


def test_soft_labels_where_they_are_taken():
    soft = np.array([[0.5, 0.0], [1.0, 0.25]])
    for given in (soft, sparse.csr_array(soft)):
        labels = check_labels(given, soft=True)
        assert labels.soft
        assert labels.sparse == sparse.issparse(given)
        np.testing.assert_array_equal(host(labels.Y), soft)
        np.testing.assert_array_equal(host(check_label_block(given)), soft)
        with pytest.raises(ValueError, match=r"0\.5.*0 and 1|holds the value 0\.5"):
            check_labels(given)
    assert not check_labels(Y, soft=True).soft
    assert not check_labels(sparse.csr_array(Y), soft=True).soft


def test_indicators_of_metrics():
    for given in (Y, Y.astype(bool), 2 * Y - 1, sparse.csr_array(Y), Y.astype(object), Y.tolist()):
        found = check_indicators(given, "y_true")
        assert found.dtype == bool
        np.testing.assert_array_equal(host(found), Y)
    np.testing.assert_array_equal(check_indicators([1, 0, 1], "y"), [[True], [False], [True]])
    with pytest.raises(ValueError, match="y_true has 3 dimensions; give"):
        check_indicators(np.ones((1, 1, 1)), "y_true")
    assert two_dimensional(Y, "y") is Y
    with pytest.raises(ValueError, match=r"y_true\[1, 0\] is 3; an indicator"):
        check_indicators([[0, 1], [3, 1]], "y_true")
    with pytest.raises(ValueError, match="Sparse y_true holds the value 3"):
        check_indicators(sparse.csr_array([[0, 1], [3, 1]]), "y_true")


def test_values_that_are_no_indicators():
    refuse_other_values(np.array([[0, 1]], dtype=np.uint8))
    refuse_other_values(np.empty((0, 2), dtype=np.uint8))
    refuse_other_values(np.array([[True]]))
    with pytest.raises(ValueError, match=r"y\[0, 1\] is 2;"):
        refuse_other_values(np.array([[0, 2]], dtype=np.uint8))
    with pytest.raises(ValueError, match=r"y\[1, 0\] is -1; .* only -1 and \+1"):
        refuse_other_values(np.array([[0, 1], [-1, 1]]))
    with pytest.raises(ValueError, match="y holds values of dtype <U1; an indicator"):
        refuse_other_values(np.array([["a", "b"]]))
    # All entries stored, so that -1 and 1 may be meant.
    np.testing.assert_array_equal(
        host(check_labels(sparse.csr_array([[-1, 1], [1, -1]])).Y), [[0, 1], [1, 0]]
    )
    with pytest.raises(ValueError, match="Sparse y holds the value -1; allowed are 0 and 1"):
        check_labels(sparse.csr_array([[-1, 1], [0, -1]]))
    with pytest.raises(ValueError, match=r"contains NaN or infinity; a sparse y holds 0 and 1"):
        check_labels(sparse.csr_array([[np.nan, 1], [0, 1]]))
    stored = sparse.csr_array(([1, 0, 1], [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    assert check_labels(stored).Y.nnz == 2


def test_lists_of_sets_and_of_unlike_rows():
    refuse_sets([[1, 0], [0, 1]])
    refuse_sets(["a", "b"])
    refuse_sets(Y)
    for given, what in (
        ([[1], [0, 2]], "row 0 has 1 entries and row 1 has 2"),
        ([[1, 2], [0, 2], []], "row 0 has 2 entries and row 2 has 1"),
        ([3, [0, 2]], "row 0 has 1 entries and row 1 has 2"),
        ([3, [1]], "row 0 has 1 entries and row 1 has 1"),
        ([[1], {2}], "row 1 is a set"),
        (({1}, {2}), "row 0 is a set"),
    ):
        with pytest.raises(ValueError, match=f"y is not a matrix: {what}. Each row"):
            refuse_sets(given)


def test_what_a_splitter_reads():
    np.testing.assert_array_equal(label_matrix(np.ones((4, 1)), Y).toarray(), Y > 0)
    classes = label_matrix(None, ["b", "a", "b"])
    assert classes.dtype == bool
    np.testing.assert_array_equal(classes.toarray(), [[0, 1], [1, 0], [0, 1]])
    with pytest.raises(ValueError, match="y is None; a stratified split needs the labels"):
        label_matrix(np.ones((4, 1)), None)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        label_matrix(np.ones((3, 1)), Y)


def test_blocks_on_workers():
    for given in (Y, 2 * Y - 1, sparse.csr_array(Y), Y.astype(bool)):
        np.testing.assert_array_equal(host(check_label_block(given)), Y)
    assert check_label_block(Y[:0]).shape == (0, 3)
    # One column is always a label there.
    with pytest.raises(ValueError, match=r"y\[0, 0\] is 3"):
        check_label_block(np.array([[3], [5], [7]]))


def test_dense_rows_cheaper_as_csr_are_so_from_a_share_of_ones():
    """A tenth; whether the labels are given as 0/1 or as -1/+1."""
    for code in (lambda A: A, lambda A: 2 * A - 1):
        assert isinstance(check_labels(code(np.eye(10))).Y, np.ndarray)
        assert sparse.issparse(check_labels(code(np.eye(11))).Y)
    assert Labels(np.eye(2)).total == 2
