"""Writers: what is written reads back as the same numbers and names."""

from __future__ import annotations

import dataclasses
import io
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.svm import LinearSVC

from labelspan.datasets import (
    DataFileError,
    MultilabelDataset,
    load_dataset,
    load_yeast,
    read_arff,
    read_csv,
    read_libsvm,
    read_npz,
    write_arff,
    write_csv,
    write_libsvm,
    write_npz,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
writable = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")) | st.sampled_from("\t\n\r"),
    min_size=1,
    max_size=8,
)


@st.composite
def datasets(draw):
    n, n_features, n_labels = (draw(st.integers(1, 4)) for _ in range(3))
    X = draw(hnp.arrays(np.float64, (n, n_features), elements=finite | st.just(0.0)))
    Y = draw(hnp.arrays(np.uint8, (n, n_labels), elements=st.integers(0, 1)))
    names = draw(
        st.lists(
            writable, min_size=n_features + n_labels, max_size=n_features + n_labels, unique=True
        )
    )
    if draw(st.booleans()):
        X, Y = sp.csr_array(X), sp.csr_array(Y)
    return MultilabelDataset(
        "toy", X, Y, tuple(names[:n_features]), tuple(names[n_features:]), None, None, "hypothesis"
    )


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def assert_same(ours, theirs, *, names=True):
    np.testing.assert_array_equal(dense(ours.X), dense(theirs.X))
    np.testing.assert_array_equal(dense(ours.Y), dense(theirs.Y))
    assert ours.Y.dtype == theirs.Y.dtype
    if names:
        assert ours.feature_names == theirs.feature_names
        assert ours.label_names == theirs.label_names
        assert sp.issparse(ours.X) == sp.issparse(theirs.X)


@settings(max_examples=60, deadline=None)
@given(datasets())
def test_arff_round_trip(dataset):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "toy.arff")
        write_arff(dataset, path)
        assert_same(read_arff(path), dataset)


@settings(max_examples=60, deadline=None)
@given(datasets())
def test_libsvm_round_trip(dataset):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "toy.txt")
        write_libsvm(dataset, path)
        n_features, n_labels = dataset.X.shape[1], dataset.Y.shape[1]
        back = read_libsvm(path, n_features=n_features, n_labels=n_labels)
        assert_same(back, dataset, names=False)


@settings(max_examples=30, deadline=None)
@given(datasets())
def test_npz_round_trip(dataset):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "toy.npz")
        write_npz(dataset, path)
        assert_same(read_npz(path), dataset)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_csv_round_trip(form, tmp_path):
    X = np.array([[0.1, 7, 1e-300], [1 / 3, 0, -5], [2, 1e17, 0], [0, 0, 0], [1, 1, 1.5]])
    Y = np.array([[1, 0], [0, 0], [1, 1], [0, 1], [0, 0]], dtype=np.uint8)
    # More rows than are made dense at a time.
    X, Y = np.tile(X, (500, 1)), np.tile(Y, (500, 1))
    names = ("a,b", 'the "third"', "größe"), ("yes", "no; never")
    dataset = MultilabelDataset("toy", form(X), form(Y), *names, None, None, "")
    write_csv(dataset, tmp_path / "toy.csv")
    found = read_csv(tmp_path / "toy.csv", labels=names[1])
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.Y, Y)
    assert (found.feature_names, found.label_names) == names
    twice = dataclasses.replace(dataset, label_names=("yes", "a,b"))
    with pytest.raises(ValueError, match="two columns would be called 'a,b'; rename one"):
        write_csv(twice, tmp_path / "twice.csv")
    assert not (tmp_path / "twice.csv").exists()


def test_npz_with_wide_indices_can_be_learnt_by_liblinear(tmp_path):
    X = sp.csr_array(sp.random(30, 5, density=0.5, random_state=0, format="csr"))
    csr = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
    wide = {key: part if key == "data" else part.astype(np.int64) for key, part in csr.items()}
    parts = {f"X_{key}": part for key, part in wide.items()}
    labels = np.arange(60).reshape(30, 2) % 3 == 0
    np.savez(tmp_path / "wide.npz", Y=labels.astype(np.uint8), X_shape=X.shape, **parts)
    dataset = read_npz(tmp_path / "wide.npz")
    np.testing.assert_array_equal(dataset.X.toarray(), X.toarray())
    LinearSVC().fit(dataset.X, dataset.Y[:, 0])


@pytest.mark.parametrize("name", ["emotions", "enron", "yahoo-mlknn-arts"])
def test_real_sets_survive_all_formats(name, data_folder, tmp_path):
    dataset = load_dataset(name)
    write_npz(dataset, tmp_path / "set.npz")
    back = read_npz(tmp_path / "set.npz")
    assert_same(back, dataset)
    assert back.source == dataset.source
    np.testing.assert_array_equal(back.train, dataset.train)
    for part in ("train", "test"):
        write_arff(dataset, tmp_path / f"set-{part}.arff", rows=getattr(dataset, part))
        write_libsvm(dataset, tmp_path / f"{part}.txt", rows=getattr(dataset, part))
    arff = read_arff(
        tmp_path / "set-train.arff", tmp_path / "set-test.arff", xml=tmp_path / "set-test.xml"
    )
    assert_same(arff, dataset)
    np.testing.assert_array_equal(arff.train, dataset.train)
    width = {"n_features": dataset.X.shape[1], "n_labels": dataset.Y.shape[1]}
    text = read_libsvm(tmp_path / "train.txt", tmp_path / "test.txt", **width)
    assert_same(text, dataset, names=False)


def test_missing_values(tmp_path):
    yeast = load_yeast()
    X = yeast.X[:5].copy()
    X[1, 2] = np.nan
    holed = dataclasses.replace(yeast, X=X, Y=yeast.Y[:5], train=None, test=None)
    write_arff(holed, tmp_path / "holed.arff")
    with pytest.warns(UserWarning, match="1 missing values are NaN"):
        back = read_arff(tmp_path / "holed.arff")
    np.testing.assert_array_equal(back.X, X)
    with pytest.raises(ValueError, match="1 values of X are infinite or missing"):
        write_libsvm(holed, tmp_path / "holed.txt")
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="which ARFF cannot hold"):
        write_arff(holed, tmp_path / "infinite.arff")


RELATIONS = {
    "yeast -C 2": "yeast",
    "-C 1": "''",
    "a -C -C 1 2 b": "'a b'",
    "t\t-C\n-1": "t",
    "plain": "plain",
    "two words": "'two words'",
    "yeast-C 2": "'yeast-C 2'",
    "x -C2 -Cs 1": "'x -C2 -Cs 1'",
}


@pytest.mark.parametrize("name", RELATIONS)
def test_the_name_of_a_set_moves_no_labels(name, tmp_path):
    X, Y = np.array([[1.0, 0.0, 1.0]]), np.array([[1]], dtype=np.uint8)
    dataset = MultilabelDataset(name, X, Y, ("a", "b", "c"), ("l",), None, None, "")
    write_arff(dataset, tmp_path / "toy.arff")
    assert (tmp_path / "toy.arff").read_text().startswith(f"@relation {RELATIONS[name]}\n")
    assert_same(read_arff(tmp_path / "toy.arff"), dataset)


WRITERS = {"set.npz": write_npz, "set.arff": write_arff, "set.txt": write_libsvm}
SPARSE_OR_DENSE = [np.asarray, sp.csr_array]


# Dense labels in an npz archive may be missing.
NOT_LABELS = [
    (value, file, kind)
    for value in (-1, 2, np.nan, 0.5)
    for file in WRITERS
    for kind in SPARSE_OR_DENSE
    if value == value or file != "set.npz" or kind is not np.asarray
]


@pytest.mark.parametrize(("value", "file", "kind"), NOT_LABELS)
def test_labels_other_than_0_and_1_are_not_written(value, file, kind, tmp_path):
    yeast = load_yeast()
    Y = yeast.Y[:5].astype(float)
    Y[3, 1] = value
    dataset = dataclasses.replace(yeast, X=kind(yeast.X[:5]), Y=kind(Y), train=None, test=None)
    with pytest.raises(ValueError, match=rf"Y\[3, 1\] is {value}; labels are written as 0 and 1"):
        WRITERS[file](dataset, tmp_path / file)
    assert not list(tmp_path.iterdir())


def test_missing_labels_are_written_and_read(tmp_path):
    yeast = load_yeast()
    Y = yeast.Y[:9].astype(float)
    Y[3, 1] = Y[0, 0] = np.nan
    dataset = dataclasses.replace(yeast, X=yeast.X[:9], Y=Y, train=None, test=None)
    write_npz(dataset, tmp_path / "set.npz")
    write_csv(dataset, tmp_path / "set.csv")
    assert_same(read_npz(tmp_path / "set.npz"), dataset)
    np.testing.assert_array_equal(read_csv(tmp_path / "set.csv", labels=yeast.label_names).Y, Y)
    Y[2, 2] = np.inf
    np.savez(tmp_path / "set.npz", X=dataset.X, Y=Y)
    with pytest.raises(DataFileError, match="other than 0 and 1: inf in row 3, column 3"):
        read_npz(tmp_path / "set.npz")


@pytest.mark.parametrize("dtype", [bool, float, np.int64])
@pytest.mark.parametrize("kind", SPARSE_OR_DENSE)
def test_labels_of_any_type_are_written_as_0_and_1(kind, dtype, tmp_path):
    yeast = load_yeast()
    X, Y = kind(yeast.X[:9]), kind(yeast.Y[:9].astype(dtype))
    dataset = dataclasses.replace(yeast, X=X, Y=Y, train=None, test=None)
    for file, write in WRITERS.items():
        write(dataset, tmp_path / file)
    expected = dataclasses.replace(dataset, Y=kind(yeast.Y[:9]))
    assert_same(read_npz(tmp_path / "set.npz"), expected)
    assert_same(read_arff(tmp_path / "set.arff"), expected)
    text = read_libsvm(tmp_path / "set.txt", n_features=103, n_labels=14)
    assert_same(text, expected, names=False)


def test_entries_that_are_stored_twice_are_written_once(tmp_path):
    X = sp.csr_array((np.array([1.0, 2.0, 3.0]), [1, 0, 1], [0, 3]), shape=(1, 2))
    dataset = MultilabelDataset("t", X, np.eye(1), ("a", "b"), ("l",), None, None, "")
    write_npz(dataset, tmp_path / "t.npz")
    assert read_npz(tmp_path / "t.npz").X.toarray().tolist() == [[2, 4]]
    assert X.nnz == 3


@pytest.mark.parametrize("file", WRITERS)
def test_a_file_too_large_to_write_leaves_the_old_one(file, tmp_path):
    """A limit on the size of files stands for a full disk."""
    resource = pytest.importorskip("resource", reason="the limit is one of POSIX")
    for name in (file, "set.xml"):
        (tmp_path / name).write_bytes(b"precious")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(OSError, match=rf"File too large: .*{file}") as caught:
            WRITERS[file](load_yeast(), tmp_path / file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caught.value.filename == str(tmp_path / file)
    assert {path.name for path in tmp_path.iterdir()} == {file, "set.xml"}
    assert all(path.read_bytes() == b"precious" for path in tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="modes and links are those of POSIX")
def test_a_file_that_is_replaced_keeps_its_mode_and_its_links(tmp_path):
    target, link = tmp_path / "target.npz", tmp_path / "link.npz"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_npz(load_yeast(), link)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert_same(read_npz(target), load_yeast())
    with pytest.raises(FileNotFoundError) as caught:
        write_npz(load_yeast(), tmp_path / "none" / "set.npz")
    assert caught.value.filename == str(tmp_path / "none" / "set.npz")


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no devices here")
def test_a_device_is_written_to_not_replaced():
    write_libsvm(load_yeast(), "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_bad_names_are_refused(tmp_path):
    yeast = load_yeast()
    twice = dataclasses.replace(yeast, label_names=("Att1", *yeast.label_names[1:]))
    with pytest.raises(ValueError, match="two columns are called 'Att1'"):
        write_arff(twice, tmp_path / "a.arff")
    control = dataclasses.replace(yeast, label_names=("a\x00b", *yeast.label_names[1:]))
    with pytest.raises(ValueError, match="control characters"):
        write_arff(control, tmp_path / "a.arff")


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="there are no users to change to")
@pytest.mark.parametrize(("mode", "theirs"), [(0o755, True), (0o1777, False)])
def test_a_file_that_may_not_be_replaced_is_written_in_place(mode, theirs):
    """In a read-only folder, or where only owners may move their files."""
    nobody = 65534
    script = f"""
import os, sys
from labelspan.system import replace_file
import encodings.idna, encodings.utf_8
if os.getuid() == 0:
    os.setgroups([]); os.setgid({nobody}); os.setuid({nobody})
with replace_file(sys.argv[1], encoding="utf-8") as file:
    file.write("new")
"""
    if os.geteuid() != 0:
        pytest.skip("only the superuser can make files of others")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "toy.svm"
        path.write_text("old")
        path.chmod(0o666)
        os.chown(path, nobody if theirs else 1, -1)
        os.chown(folder, 2, -1)
        os.chmod(folder, mode)
        subprocess.run([sys.executable, "-c", script, str(path)], check=True)
        assert path.read_text() == "new"
        assert os.listdir(folder) == ["toy.svm"]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no names there")
def test_a_pipe_is_written_to():
    script = "from labelspan.datasets import *; write_npz(load_yeast(), '/dev/stdout')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["X"], load_yeast().X)
