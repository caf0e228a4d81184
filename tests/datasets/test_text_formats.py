"""LibSVM and extreme-classification text: equal to the ARFF copies, strict about the rest."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from labelspan.datasets import DataFileError, Limits, load_dataset, read_libsvm, read_xmc


def test_yeast_is_equal_through_libsvm_and_arff(data_folder):
    folder = data_folder / "libsvm"
    text = read_libsvm(folder / "yeast_train.txt.gz", folder / "yeast_test.txt.gz", name="yeast")
    arff = load_dataset("yeast")
    np.testing.assert_array_equal(text.X.toarray(), arff.X)
    np.testing.assert_array_equal(text.Y.toarray(), arff.Y)
    np.testing.assert_array_equal(text.train, arff.train)


def test_yeast_is_equal_to_scikit_learns_reader(data_folder):
    path = data_folder / "libsvm/yeast_test.txt.gz"
    X, labels = load_svmlight_file(str(path), multilabel=True)
    ours = read_libsvm(path)
    assert (X != ours.X).nnz == 0
    assert [tuple(np.flatnonzero(row)) for row in ours.Y.toarray()] == [
        tuple(int(label) for label in row) for row in labels
    ]


def test_delicious_is_equal_through_xmc_and_arff(data_folder):
    folder = data_folder / "xmc"
    text = read_xmc(folder / "delicious_train.txt.gz", folder / "delicious_test.txt.gz")
    arff = load_dataset("delicious")
    assert (text.X != arff.X).nnz == 0
    assert (text.Y != arff.Y).nnz == 0
    np.testing.assert_array_equal(text.test, arff.test)


def test_libsvm_grammar(tmp_path):
    path = tmp_path / "toy.txt"
    path.write_text(
        "# comment\n3, 0 2:1 1:5 # note\n\n 1:-1e-3\n2\r\n1:4 3:0\n0,1,\t2:12345678901234567890\n"
    )
    toy = read_libsvm(path)
    expected = [[5, 1, 0], [-0.001, 0, 0], [0, 0, 0], [4, 0, 0], [0, 12345678901234567890, 0]]
    np.testing.assert_array_equal(toy.X.toarray(), expected)
    labels = [[1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 1, 0, 0]]
    np.testing.assert_array_equal(toy.Y.toarray(), labels)


def test_libsvm_parts_get_one_width(tmp_path):
    (tmp_path / "a").write_text("0 1:1\n")
    (tmp_path / "b").write_text("4 7:1\n")
    both = read_libsvm(tmp_path / "a", tmp_path / "b")
    np.testing.assert_array_equal(both.X.toarray(), np.eye(7)[[0, 6]])
    np.testing.assert_array_equal(both.Y.toarray(), np.eye(5)[[0, 4]])
    stated = read_libsvm(tmp_path / "a", n_features=9, n_labels=6)
    np.testing.assert_array_equal(stated.X.toarray(), np.eye(9)[[0]])
    np.testing.assert_array_equal(stated.Y.toarray(), np.eye(6)[[0]])
    based = read_libsvm(tmp_path / "b", first_feature=0, first_label=1)
    np.testing.assert_array_equal(based.X.toarray(), np.eye(8)[[7]])
    np.testing.assert_array_equal(based.Y.toarray(), np.eye(4)[[3]])


MALFORMED = {
    "letters": ("a 1:1\n", 1, 1, "expected labels"),
    "no colon": ("0 1:1\n0 12\n", 2, 3, "expected a feature"),
    "no value": ("0 1:\n", 1, 5, "finite number"),
    "bad value": ("0 1:1x\n", 1, 5, "finite number"),
    "nan": ("0 1:nan\n", 1, 5, "finite number"),
    "overflow": ("0 1:1e999\n", 1, 5, "finite number"),
    "feature huge": ("0 99999999999999999999:1\n", 1, 3, "Limits.max_columns"),
    "label huge": ("99999999999999999999 1:1\n", 1, 1, "Limits.max_columns"),
    "negative label": ("-1 1:1\n", 1, 1, "expected labels"),
    "qid": ("1 qid:3 1:1\n", 1, 3, "expected a feature"),
    "feature twice": ("0 1:1 1:2\n", 1, None, "row names feature 1 twice"),
    "feature twice later": ("# x\n0 1:1\n\n0 3:1 1:1 3:2\n", 4, None, "row names feature 3 twice"),
    "label twice": ("0 1:1\n0,0 1:1\n", 2, None, "row names label 0 twice"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_libsvm(case, tmp_path):
    text, line, column, message = MALFORMED[case]
    path = tmp_path / "toy.txt"
    path.write_text(text)
    with pytest.raises(DataFileError) as caught:
        read_libsvm(path)
    assert message in str(caught.value)
    if line is not None:
        assert (caught.value.line, caught.value.column) == (line, column)


def test_xmc_blank_rows_count_up_to_the_header(tmp_path):
    path = tmp_path / "toy.txt"
    path.write_text("3 2 2\n0 1:1\n\n1 0:2\n\n\n")
    toy = read_xmc(path)
    np.testing.assert_array_equal(toy.X.toarray(), [[0, 1], [0, 0], [2, 0]])
    np.testing.assert_array_equal(toy.Y.toarray(), [[1, 0], [0, 0], [0, 1]])


BAD_XMC = {
    "no header": ("0,1 1:1\n", 1, "expected a header"),
    "too few rows": ("3 2 2\n0 1:1\n", None, "announces 3 rows but the file has 1; is it trunc"),
    "too many rows": ("1 2 2\n0 1:1\n0 1:1\n", None, "announces 1 rows but the file has 2"),
    "wide feature": ("1 2 2\n0 2:1\n", 2, "beyond the last feature"),
    "wide label": ("1 2 2\n2 1:1\n", 2, "beyond the last label"),
    "huge": ("1 999999999 2\n0 1:1\n", 1, "announces 999999999 features; the limit is 4000000"),
    "feature twice": ("3 2 2\n# x\n\n0 1:1\n0 1:1 1:2\n", 5, "row names feature 1 twice"),
    "label twice": ("1 2 2\n1,1 1:1\n", 2, "row names label 1 twice"),
    "huge rows": ("999999999 9 2\n0 1:1\n", 1, "announces 999999999 rows"),
}


@pytest.mark.parametrize("case", BAD_XMC)
def test_malformed_xmc(case, tmp_path):
    text, line, message = BAD_XMC[case]
    path = tmp_path / "toy.txt"
    path.write_text(text)
    with pytest.raises(DataFileError) as caught:
        read_xmc(path)
    assert message in str(caught.value)
    if line is not None:
        assert caught.value.line == line


def test_truncated_gzip(tmp_path, data_folder):
    whole = (data_folder / "xmc/delicious_test.txt.gz").read_bytes()
    path = tmp_path / "cut.txt.gz"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataFileError, match="broken gzip file"):
        read_xmc(path)


def test_row_limit(tmp_path):
    path = tmp_path / "toy.txt.gz"
    path.write_bytes(gzip.compress(b"0 1:1\n" * 20))
    with pytest.raises(DataFileError, match=r"Limits\.max_rows"):
        read_libsvm(path, limits=Limits(max_rows=10))


def test_libsvm_that_scikit_learn_writes(tmp_path):
    random = np.random.default_rng(0)
    X = np.where(random.random((30, 7)) < 0.5, 0, random.integers(-99, 99, (30, 7)) / 8)
    Y = sp.csr_array(random.integers(0, 2, (30, 4)))
    for zero_based in (True, False):
        path = tmp_path / f"{zero_based}.svm"
        dump_svmlight_file(X, Y, str(path), multilabel=True, zero_based=zero_based)
        for known in ({}, {"n_features": 7}):
            read = read_libsvm(path, **known)
            np.testing.assert_array_equal(read.X.toarray(), X)
            np.testing.assert_array_equal(read.Y.toarray(), Y.toarray())
    # If one of two files names feature 0, both count from 0.
    dump_svmlight_file(X[:5] * [0, 1, 1, 1, 1, 1, 1], Y[:5], str(path), multilabel=True)
    both = read_libsvm(path, tmp_path / "True.svm")
    np.testing.assert_array_equal(both.X.toarray()[5:], X)
    np.testing.assert_array_equal(both.X.toarray()[:5, 1:], X[:5, 1:])
    assert both.X.has_canonical_format


def test_libsvm_feature_zero(tmp_path):
    path = tmp_path / "t"
    path.write_text("0 0:0 2:5\n")
    # Named with the value zero, it is there.
    assert read_libsvm(path).X.toarray().tolist() == [[0, 0, 5]]
    with pytest.raises(DataFileError, match="line 1, column 3: number is below the first one"):
        read_libsvm(path, first_feature=1)
    message = "feature 2 is beyond the last one, as n_features=2 and features count from 0"
    with pytest.raises(DataFileError, match=message):
        read_libsvm(path, n_features=2)
    assert read_libsvm(path, n_features=4).X.shape == (1, 4)
    path.write_text("0 1:1 2:5\n")
    assert read_libsvm(path, n_features=2).X.toarray().tolist() == [[1, 5]]
    with pytest.raises(DataFileError, match="beyond the last feature"):
        read_libsvm(path, n_features=1)


def test_libsvm_text_without_a_header_is_told_apart_from_xmc(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("0 0:0 2:5\n")
    with pytest.raises(DataFileError, match=r"LibSVM text has none: use read_libsvm, or a file"):
        read_xmc(path)
