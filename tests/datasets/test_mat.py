"""MATLAB files: the names and the orientations that people give to features and labels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from labelspan.datasets import DataFileError, read_mat

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(6, 4))
Y = RANDOM.integers(0, 2, (6, 3))


def write(folder, **variables):
    scipy.io.savemat(folder / "t.mat", variables)
    return folder / "t.mat"


@pytest.mark.parametrize(
    "names", [("X", "Y"), ("data", "target"), ("data", "targets"), ("features", "labels"),
              ("X", "y"), ("x", "label")],
)  # fmt: skip
@pytest.mark.parametrize(
    "labels", [Y, Y.T, 2 * Y - 1, sp.csc_array(Y)], ids=["nq", "qn", "signs", "csc"]
)
def test_plain_names(names, labels, tmp_path):
    read = read_mat(write(tmp_path, **dict(zip(names, (X, labels), strict=True)), more=np.eye(2)))
    np.testing.assert_array_equal(read.X, X)
    found = read.Y.toarray() if sp.issparse(read.Y) else read.Y
    np.testing.assert_array_equal(found, Y)
    assert read.train is None


@pytest.mark.parametrize(
    "names",
    [
        ("Xtrain", "Ytrain", "Xtest", "Ytest"),
        ("X_train", "Y_train", "X_test", "Y_test"),
        ("Xtr", "Ytr", "Xte", "Yte"),
        ("train_data", "train_target", "test_data", "test_target"),
    ],
)
def test_names_of_parts(names, tmp_path):
    read = read_mat(write(tmp_path, **dict(zip(names, (X, Y, X[:2], Y[:2]), strict=True))))
    np.testing.assert_array_equal(read.X, np.concatenate([X, X[:2]]))
    np.testing.assert_array_equal(read.Y, np.concatenate([Y, Y[:2]]))
    np.testing.assert_array_equal(read.test, [6, 7])


def test_as_many_labels_as_rows(tmp_path):
    square = np.triu(np.ones((6, 6)))
    np.testing.assert_array_equal(read_mat(write(tmp_path, X=X, Y=square)).Y, square)
    np.testing.assert_array_equal(read_mat(write(tmp_path, data=X, target=square)).Y, square.T)


def test_several_candidates_are_to_be_chosen_from(tmp_path):
    path = write(tmp_path, X=X, data=2 * X, Y=Y, mine=Y)
    with pytest.raises(DataFileError, match="variables data and X are both there; say which by da"):
        read_mat(path)
    np.testing.assert_array_equal(read_mat(path, data="X").X, X)
    np.testing.assert_array_equal(read_mat(path, data="data", target="mine").X, 2 * X)
    with pytest.raises(DataFileError, match=r"no numeric variable Z; the file has: X, Y, data, mi"):
        read_mat(path, data="X", target="Z")


def test_features_by_samples_are_refused(tmp_path):
    with pytest.raises(DataFileError, match=r"Y is \(6, 3\).* X, \(4, 6\): X has a row per sample"):
        read_mat(write(tmp_path, X=X.T, Y=Y))
