"""Hostile files end in a clear error, quickly and in bounded memory."""

from __future__ import annotations

import gzip
import io
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from labelspan.datasets import (
    DataFileError,
    Limits,
    read_arff,
    read_libsvm,
    read_mat,
    read_npz,
    read_xmc,
)

resource = pytest.importorskip("resource", reason="memory is measured by a POSIX module")
HEAD = b"@relation 't: -C 1'\n@attribute a {0,1}\n@attribute x real\n@data\n"
GIGABYTE = 2**30


@pytest.fixture(scope="module")
def gzip_of_zeros(tmp_path_factory):
    """One gigabyte of zero bytes in about one megabyte."""
    path = tmp_path_factory.mktemp("bomb") / "zeros.arff.gz"
    block = bytes(2**24)
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(GIGABYTE // len(block)):
            file.write(block)
    return path


@pytest.mark.parametrize("reader", [read_arff, read_libsvm, read_xmc])
def test_gigabyte_of_zeros(reader, gzip_of_zeros):
    with pytest.raises(DataFileError, match="no line end within 67108864 bytes"):
        reader(gzip_of_zeros)


def test_memory_stays_bounded(gzip_of_zeros):
    """The same in a process that may not take more than 1 GB beyond its libraries."""
    code = (
        "import sys, resource\n"
        "from labelspan.datasets import read_arff, DataFileError\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    read_arff(sys.argv[1])\n"
        "except DataFileError:\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(gzip_of_zeros)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert int(result.stdout) * _rss_unit() < 250e6


def _rss_unit() -> int:
    return 1 if sys.platform == "darwin" else 1024


def test_blank_lines_meets_the_size_limit(tmp_path):
    path = tmp_path / "blank.arff.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(HEAD)
        for _ in range(3):
            file.write(b"\n" * 2**24)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DataFileError, match="more than 20000000 bytes after decompression"):
        read_arff(path, limits=Limits(max_bytes=20_000_000))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (after - before) * _rss_unit() < 250e6


@pytest.mark.parametrize("line", [b"x\n", b"@\n", b"\x0b\n", b"%\n"])
def test_header_of_many_short_lines(line, tmp_path):
    path = tmp_path / "short.arff"
    path.write_bytes(line * 2**23 + HEAD + b"1,2\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if line in (b"x\n", b"@\n"):
        with pytest.raises(DataFileError, match=r"line 1: not an ARFF header line"):
            read_arff(path)
    else:
        assert read_arff(path).X.tolist() == [[2.0]]
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (after - before) * _rss_unit() < 250e6


ENTITY_BOMB = """<?xml version="1.0"?>
<!DOCTYPE labels [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">]>
<labels><label name="&d;"></label></labels>"""
# Searching each name among all of them would take minutes.
MANY_LABELS = "".join(f"<label name='{i}'/>" for i in range(100_000))
BAD_XML = {
    "entity bomb": (ENTITY_BOMB, "refused"),
    "external entity": (
        '<!DOCTYPE l [<!ENTITY x SYSTEM "file:///x">]><l><label name="a">&x;</label></l>',
        "refused",
    ),
    "not closed": ('<labels>\n<label name="a">', "line 2, column 17: not well-formed"),
    "no labels": ("<labels></labels>", "no <label name=...> element"),
    "no name": ("<labels><label/></labels>", "has no name"),
    "twice": ('<labels><label name="a"/><label name="a"/></labels>', "'a' is listed twice"),
    "unknown entity": ('<l><label name="a">&nbsp;</label></l>', "not well-formed"),
    "many, one twice": (f"<l>{MANY_LABELS}<label name='7'/></l>", "'7' is listed twice"),
    "empty": ("", "not well-formed"),
    "encoding": ('<?xml version="1.0" encoding="rot13"?><labels/>', "XML"),
}


@pytest.mark.parametrize("case", BAD_XML)
def test_hostile_xml(case, tmp_path):
    text, message = BAD_XML[case]
    (tmp_path / "t.arff").write_bytes(HEAD.replace(b": -C 1", b"") + b"1,2\n")
    (tmp_path / "t.xml").write_text(text)
    with pytest.raises(DataFileError) as caught:
        read_arff(tmp_path / "t.arff")
    assert message in str(caught.value)
    assert "t.xml" in str(caught.value)


def test_large_xml_is_refused(tmp_path):
    (tmp_path / "t.arff").write_bytes(HEAD.replace(b": -C 1", b"") + b"1,2\n")
    (tmp_path / "t.xml").write_text("<labels>" + " " * 1000)
    with pytest.raises(DataFileError, match="larger than 500 bytes"):
        read_arff(tmp_path / "t.arff", limits=Limits(max_line_bytes=500))


def npz_bytes(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


CSR = {
    "X_data": np.ones(2),
    "X_indices": np.array([0, 1]),
    "X_indptr": np.array([0, 1, 2]),
    "X_shape": np.array([2, 2]),
}
Y = np.eye(2, dtype=np.uint8)
BAD_NPZ = {
    "not a zip": (b"hello", "not a usable npz"),
    "no Y": (npz_bytes(X=np.eye(2)), "neither Y nor Y_data"),
    "rows differ": (npz_bytes(X=np.eye(3), Y=Y), "X has 3 rows, Y has 2"),
    "labels of 2": (npz_bytes(X=np.eye(2), Y=Y * 2), "other than 0 and 1"),
    "text X": (npz_bytes(X=np.array([["a"]]), Y=Y), "2-d array of numbers"),
    "index out of range": (npz_bytes(**CSR | {"X_indices": np.array([0, 7])}, Y=Y), "usable npz"),
    "negative index": (npz_bytes(**CSR | {"X_indices": np.array([0, -7])}, Y=Y), "usable npz"),
    "indptr falls": (npz_bytes(**CSR | {"X_indptr": np.array([0, 9, 2])}, Y=Y), "usable npz"),
    "names": (npz_bytes(X=np.eye(2), Y=Y, label_names=np.array(["a"])), "for 2 columns"),
    "complex X": (npz_bytes(**CSR | {"X_data": np.ones(2) * 1j}, Y=Y), "X_data must be numbers"),
    "text in X": (
        npz_bytes(**CSR | {"X_data": np.array(["1", "2"])}, Y=Y),
        "X_data must be numbers",
    ),
    "3-d X": (npz_bytes(X=np.ones((2, 2, 2)), Y=Y), "it has shape (2, 2, 2)"),
    "3-d shape": (npz_bytes(**CSR | {"X_shape": np.array([2, 2, 2])}, Y=Y), "shape (2, 2, 2)"),
    "fractional indices": (
        npz_bytes(**CSR | {"X_indices": np.array([0.5, 1.5])}, Y=Y),
        "X_indices must be integers, not float64",
    ),
    "entry twice": (
        npz_bytes(**CSR | {"X_indices": np.array([1, 1]), "X_indptr": np.array([0, 0, 2])}, Y=Y),
        "row 2 of X has column 2 twice; call sum_duplicates()",
    ),
    "label value": (npz_bytes(X=np.eye(2), Y=Y - 2.0 * Y[::-1]), "-2 in row 1, column 2"),
    "latin-1 names": (
        npz_bytes(X=np.eye(2), Y=Y, label_names=np.array([b"\xe9", b"b"])),
        "t.npz: label_names cannot be read as text",
    ),
    "no letters": (
        npz_bytes(X=np.eye(2), Y=Y, label_names=np.full(2, 2**31 - 1, np.int32).view("U1")),
        "label_names cannot be read as text",
    ),
    "latin-1 source": (npz_bytes(X=np.eye(2), Y=Y, source=b"\xe9"), "source cannot be read"),
    "split": (npz_bytes(X=np.eye(2), Y=Y, train_idx=np.array([5])), "row numbers below 2"),
}


@pytest.mark.parametrize("case", BAD_NPZ)
def test_bad_npz(case, tmp_path):
    content, message = BAD_NPZ[case]
    path = tmp_path / "t.npz"
    path.write_bytes(content)
    with pytest.raises(DataFileError) as caught:
        read_npz(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("n_repeats", [2, 257])
def test_labels_that_npz_repeats_are_refused(n_repeats, tmp_path):
    """Their sum in eight bits is 2, or 1 again."""
    parts = {
        "Y_data": np.ones(n_repeats, dtype=np.uint8),
        "Y_indices": np.zeros(n_repeats, dtype=np.int32),
        "Y_indptr": np.array([0, n_repeats]),
        "Y_shape": np.array([1, 1]),
    }
    np.savez(tmp_path / "t.npz", X=np.ones((1, 1)), **parts)
    with pytest.raises(DataFileError, match="row 1 of Y has column 1 twice"):
        read_npz(tmp_path / "t.npz")


def test_names_of_npz_may_be_utf8_bytes(tmp_path):
    names = np.array(["é".encode(), b"b"])
    np.savez(tmp_path / "t.npz", X=np.eye(2), Y=Y, label_names=names, source="ü".encode())
    dataset = read_npz(tmp_path / "t.npz")
    assert (dataset.label_names, dataset.source) == (("é", "b"), "ü")


EMPTY_CSR = {
    "X_data": np.ones(0),
    "X_indices": np.zeros(0, dtype=int),
    "X_indptr": np.zeros(3, dtype=int),
}
WIDE_NPZ = {
    "dense": {"X": np.zeros((0, 2_000_000)), "Y": np.zeros((0, 1))},
    "labels": {"X": np.zeros((0, 1)), "Y": np.zeros((0, 2_000_000))},
    "CSR": EMPTY_CSR | {"X_shape": np.array([2, 10**11]), "Y": Y},
}


@pytest.mark.parametrize("case", WIDE_NPZ)
def test_npz_of_few_bytes_and_many_columns_is_refused(case, tmp_path):
    np.savez_compressed(tmp_path / "t.npz", **WIDE_NPZ[case])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DataFileError, match=r"0 columns; the limit is 1000 \(Limits.max_columns\)"):
        read_npz(tmp_path / "t.npz", limits=Limits(max_columns=1000))
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * _rss_unit() < 50e6


def test_rows_of_npz_and_mat_are_limited(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.ones((11, 1)), Y=np.ones((11, 1)))
    scipy.io.savemat(tmp_path / "t.mat", {"data": np.ones((11, 1)), "target": np.ones((1, 11))})
    for read, file in ((read_npz, "t.npz"), (read_mat, "t.mat")):
        assert read(tmp_path / file, limits=Limits(max_rows=11)).X.shape == (11, 1)
        with pytest.raises(DataFileError, match=r"11 rows; the limit is 10 \(Limits.max_rows\)"):
            read(tmp_path / file, limits=Limits(max_rows=10))


def test_pickled_npz_is_refused(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, X=np.array([[object()]]), Y=Y)
    with pytest.raises(DataFileError, match="pickled objects: refused"):
        read_npz(path)


def test_npz_that_declares_more_than_it_holds(tmp_path):
    path = tmp_path / "t.npz"
    header = io.BytesIO()
    declared = {"descr": "<f8", "fortran_order": False, "shape": (2**40, 2**20)}
    np.lib.format.write_array_header_1_0(header, declared)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", header.getvalue())
    with pytest.raises(DataFileError, match=r"X\.npy declares 9223372036854775808 bytes"):
        read_npz(path)


def test_npz_bomb_is_refused_by_its_declared_size(tmp_path):
    path = tmp_path / "t.npz"
    np.savez_compressed(path, X=np.zeros((1000, 1000)), Y=np.zeros((1000, 1), dtype=np.uint8))
    with pytest.raises(DataFileError, match=r"the limit is 1000000 \(Limits.max_bytes\)"):
        read_npz(path, limits=Limits(max_bytes=1_000_000))


def test_bad_mat(tmp_path, data_folder):
    path = tmp_path / "t.mat"
    path.write_bytes(b"MATLAB 5.0" + bytes(300))
    with pytest.raises(DataFileError):
        read_mat(path)
    whole = (data_folder / "mat/yahoo-mlknn-arts.mat").read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataFileError, match="not a readable MATLAB v5 file"):
        read_mat(path)
    with pytest.raises(DataFileError, match=r"Limits\.max_bytes"):
        read_mat(data_folder / "mat/yahoo-mlknn-arts.mat", limits=Limits(max_bytes=2_000_000))


BAD_MAT = {
    "no target": ({"data": np.eye(3)}, "Y or y or labels or label; the file has: data; say which"),
    "shapes": ({"data": np.eye(3), "target": np.ones((2, 2))}, "does not fit"),
    "values": ({"data": np.eye(3), "target": 2 * np.eye(3)}, "other than -1, 0 and 1: 2 in row 1"),
    "text": ({"data": np.eye(3), "target": "abc"}, "no numeric variable target"),
    "3-d target": ({"data": np.eye(3), "target": np.ones((3, 3, 2))}, "shape (3, 3, 2)"),
    "3-d data": ({"data": np.ones((3, 2, 2)), "target": np.eye(3)}, "shape (3, 2, 2)"),
    "complex": ({"data": 1j * np.eye(3), "target": np.eye(3)}, "and type complex128"),
}


@pytest.mark.parametrize("case", BAD_MAT)
def test_mat_with_wrong_variables(case, tmp_path):
    variables, message = BAD_MAT[case]
    scipy.io.savemat(tmp_path / "t.mat", variables)
    with pytest.raises(DataFileError) as caught:
        read_mat(tmp_path / "t.mat")
    assert message in str(caught.value)


WIDE_MAT = {
    "columns": ((2, 500_000), r"data has 500000 columns; the limit is 1000 \(Limits.max_columns\)"),
    "rows": ((10**8, 2), r"800000\d+ bytes of values; the limit is 16777216 \(Limits.max_bytes\)"),
    "many columns": ((2, 5_000_000), r"more than 16777216 bytes after decompression"),
}


@pytest.mark.parametrize("case", WIDE_MAT)
def test_sparse_mat_of_few_bytes_and_large_shape_is_refused(case, tmp_path):
    shape, message = WIDE_MAT[case]
    variables = {"data": sp.csc_array(shape), "target": np.eye(2)}
    scipy.io.savemat(tmp_path / "t.mat", variables, do_compression=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DataFileError, match=message):
        read_mat(tmp_path / "t.mat", limits=Limits(max_bytes=2**24, max_columns=1000))
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * _rss_unit() < 50e6


def test_sparse_mat_that_unpacks_to_many_values_is_refused(tmp_path):
    """Their number is nowhere in the shape; 70 kB unpack to 16 MB."""
    variables = {"data": sp.csc_array(np.ones((1000, 1000))), "target": np.ones((1, 1000))}
    scipy.io.savemat(tmp_path / "t.mat", variables, do_compression=True)
    assert (tmp_path / "t.mat").stat().st_size < 100_000
    with pytest.raises(DataFileError, match="more than 2000000 bytes after decompression"):
        read_mat(tmp_path / "t.mat", limits=Limits(max_bytes=2_000_000))
    assert read_mat(tmp_path / "t.mat").X.nnz == 1_000_000


@pytest.mark.parametrize("row", [3, 200_000_000, -5, 1])
def test_sparse_mat_with_a_row_that_is_not_there_or_there_twice(row, tmp_path):
    """SciPy accepts such a number, and its conversion writes beyond its memory."""
    path = tmp_path / "t.mat"
    data = sp.csc_array(np.array([[1.0, 0], [0, 1], [0, 1]]))
    scipy.io.savemat(path, {"data": data, "target": np.eye(3)})
    content = path.read_bytes()
    assert content.count(struct.pack("=3i", 0, 1, 2)) == 1
    content = content.replace(struct.pack("=3i", 0, 1, 2), struct.pack("=3i", 0, 1, row))
    path.write_bytes(content)
    message = "row 2 of data has column 2 twice" if row == 1 else "data is a broken sparse matrix"
    with pytest.raises(DataFileError, match=message):
        read_mat(path)


def test_mat_73_says_how_to_save_it_again(tmp_path):
    path = tmp_path / "t.mat"
    text = b"MATLAB 7.3 MAT-file, Platform: x".ljust(124) + b"\x00\x02IM"
    path.write_bytes(text + bytes(400))
    with pytest.raises(DataFileError, match="'-v7'"):
        read_mat(path)
