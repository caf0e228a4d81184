"""Rows without labels: every format is read without them, if the caller says so."""

import gzip

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from labelspan.datasets import (
    DataFileError,
    load_yeast,
    read_arff,
    read_libsvm,
    read_mat,
    read_npz,
    read_xmc,
    write_npz,
)

X = np.array([[0.5, 0.0, -2.0], [0.0, 1e3, 0.0]])
FEATURES = "".join(f"@attribute x{i} real\n" for i in range(3))
ROWS = "0.5,0,-2\n0,1e3,0\n"
LABELS = '<label name="u"/><label name="v"/>'
XML = f'<labels xmlns="http://mulan.sourceforge.net/labels">{LABELS}</labels>'


def assert_unlabelled(dataset, expected=X):
    found = dataset.X.toarray() if sp.issparse(dataset.X) else dataset.X
    np.testing.assert_array_equal(found, expected)
    assert dataset.Y.shape == (len(expected), 0)
    assert dataset.label_names == ()


@pytest.mark.parametrize("made", [np.asarray, sp.csr_array])
def test_npz(tmp_path, made):
    arrays = {"X": X}
    if made is sp.csr_array:
        parts = ("data", "indices", "indptr", "shape")
        arrays = {f"X_{part}": getattr(made(X), part) for part in parts}
    path = tmp_path / "x.npz"
    np.savez(path, **arrays, feature_names=np.array(list("abc")))
    with pytest.raises(DataFileError, match="neither Y nor Y_data"):
        read_npz(path)
    found = read_npz(path, needs_labels=False)
    assert_unlabelled(found)
    assert found.feature_names == ("a", "b", "c")
    write_npz(found, path)
    assert_unlabelled(read_npz(path))
    # A part of the labels is damage, not absence.
    np.savez(path, **arrays, Y_data=np.ones(1))
    with pytest.raises(DataFileError, match="neither Y nor Y_indices"):
        read_npz(path, needs_labels=False)


def test_mat(tmp_path):
    path = tmp_path / "x.mat"
    scipy.io.savemat(path, {"X": X})
    with pytest.raises(DataFileError, match="no numeric variable target or"):
        read_mat(path)
    assert_unlabelled(read_mat(path, needs_labels=False))
    scipy.io.savemat(path, {"A": X, "X": X[:, :1]})
    assert_unlabelled(read_mat(path, data="A", target="L", needs_labels=False))
    scipy.io.savemat(path, {"train_data": X, "test_data": 2 * X})
    assert_unlabelled(read_mat(path, needs_labels=False), np.vstack([X, 2 * X]))
    scipy.io.savemat(path, {"X": X, "Y": [[1], [0]], "y": [[1], [1]]})
    with pytest.raises(DataFileError, match="Y and y are both there"):
        read_mat(path, needs_labels=False)


def test_arff_without_label_columns(tmp_path):
    path = tmp_path / "x.arff"
    path.write_text(f"@relation new\n{FEATURES}@data\n{ROWS}")
    with pytest.raises(DataFileError, match="which columns are labels"):
        read_arff(path)
    assert_unlabelled(read_arff(path, needs_labels=False))
    assert_unlabelled(read_arff(path, label_names=["u", "v"], needs_labels=False))
    # The XML file is that of the data the model learned from.
    (tmp_path / "x.xml").write_text(XML)
    assert_unlabelled(read_arff(path, needs_labels=False))


@pytest.mark.parametrize("names", [None, ["v", "u"]])
def test_arff_with_empty_label_columns(tmp_path, names):
    path = tmp_path / "x.arff"
    columns = "@attribute u {0,1}\n@attribute v {0,1}\n"
    relation = "@relation 'new: -C 2'\n" if names is None else "@relation new\n"
    path.write_text(f"{relation}{columns}{FEATURES}@data\n?,?,0.5,0,-2\n?,?,0,1e3,0\n")
    assert_unlabelled(read_arff(path, label_names=names, needs_labels=False))
    # A sparse row without an entry for u says that u is 0; v is never told.
    path.write_text(f"{relation}{columns}{FEATURES}@data\n{{1 ?,2 .5,4 -2}}\n{{0 1,1 ?,3 1e3}}\n")
    found = read_arff(path, label_names=names, needs_labels=False)
    np.testing.assert_array_equal(found.X.toarray(), X)
    assert found.Y.toarray().tolist() == [[0], [1]]
    assert found.label_names == ("u",)


def test_arff_with_some_of_the_labels(tmp_path):
    path = tmp_path / "x.arff"
    path.write_text(
        f"@relation new\n{FEATURES}@attribute v {{0,1}}\n@data\n0.5,0,-2,1\n0,1e3,0,0\n"
    )
    found = read_arff(path, label_names=["u", "v"], needs_labels=False)
    assert (found.label_names, found.Y.tolist()) == (("v",), [[1], [0]])


def test_text_needs_no_word(tmp_path):
    path = tmp_path / "x.svm.gz"
    path.write_bytes(gzip.compress(b"1:0.5 3:-2\n 2:1e3\n"))
    assert_unlabelled(read_libsvm(path))
    path = tmp_path / "x.txt"
    path.write_text("2 3 0\n0:0.5 2:-2\n1:1e3\n")
    assert_unlabelled(read_xmc(path))


def test_labels_that_are_there_are_read(tmp_path):
    yeast = load_yeast()
    write_npz(yeast, tmp_path / "y.npz")
    found = read_npz(tmp_path / "y.npz", needs_labels=False)
    np.testing.assert_array_equal(found.Y, yeast.Y)
    scipy.io.savemat(tmp_path / "y.mat", {"X": yeast.X, "Y": yeast.Y})
    np.testing.assert_array_equal(read_mat(tmp_path / "y.mat", needs_labels=False).Y, yeast.Y)
