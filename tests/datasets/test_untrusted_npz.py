"""Small archives that declare huge arrays raise a one-line error before any allocation."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from labelspan.datasets import DataFileError, Limits, read_arff, read_npz

resource = pytest.importorskip("resource", reason="memory is measured by a POSIX module")
MEGABYTE = 2**20
UNIT = 1024


def member(descr, shape, content=b""):
    """Bytes of an array that declares a type and a shape."""
    file = io.BytesIO()
    declared = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, declared)
    return file.getvalue() + content


def plain(array):
    file = io.BytesIO()
    np.lib.format.write_array(file, array)
    return file.getvalue()


SOUND = {"X": plain(np.eye(3)), "Y": plain(np.eye(3, 2, dtype=np.uint8))}


def write(folder, compression=zipfile.ZIP_DEFLATED, **members):
    path = folder / "t.npz"
    with zipfile.ZipFile(path, "w", compression) as archive:
        for key, content in {**SOUND, **members}.items():
            archive.writestr(f"{key}.npy", content)
    return path


MANY = (10**9,)
HOSTILE = {
    "names of no bytes": ("label_names", member("<U0", MANY), "label_names has 1000000000 names"),
    "bytes of no bytes": ("feature_names", member("|S0", MANY), "feature_names has 1000000000"),
    "void names": ("label_names", member("|V0", MANY), "label_names must be a 1-d array of text"),
    "source of no bytes": ("source", member("<U0", MANY), "source must be one text, not <U0"),
    "matrix of no bytes": ("X", member("|V0", (10**5, 10**5)), "X must be a 2-d array of numbers"),
    "matrix of text": ("Y", member("<U0", (10**5, 10**5)), "Y must be a 2-d array of numbers"),
    "rows of no bytes": ("train_idx", member("|S0", MANY), "train_idx must be integers, not |S0"),
    "nested type": ("source", member([("a", "<f8", (9,))], (), bytes(72)), "must be one text"),
    "many letters": (
        "source", member("|S1", (4 * 10**7,), bytes(4 * 10**7)), "source must be one text, not |S1",
    ),
    "letters as names": (
        "label_names", member("|S1", (4 * 10**7,), bytes(4 * 10**7)),
        "label_names has 40000000 names; the limit is 4000000",
    ),
    "shape of many axes": (
        "X_shape", member("<i8", (100, 2), bytes(1600)), "X_shape must be integers, not int64 of",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_declared_is_refused_before_it_is_read(case, tmp_path):
    key, content, message = HOSTILE[case]
    path = write(tmp_path, **{key: content})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DataFileError) as caught:
        read_npz(path)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (after - before) * UNIT < 30 * MEGABYTE


@pytest.mark.parametrize(
    ("compression", "name"), [(zipfile.ZIP_LZMA, "LZMA"), (zipfile.ZIP_BZIP2, "bzip2")]
)
def test_other_compressions_are_refused(compression, name, tmp_path):
    message = rf"X\.npy is compressed by {name}; allowed is deflate: save it by numpy.savez_comp"
    with pytest.raises(DataFileError, match=message):
        read_npz(write(tmp_path, compression))


def test_a_broken_lzma_member_is_one_line(tmp_path):
    path = write(tmp_path, zipfile.ZIP_LZMA)
    content = bytearray(path.read_bytes())
    content[60:90] = bytes(30)
    path.write_bytes(content)
    with pytest.raises(DataFileError):
        read_npz(path)


def test_headers_that_are_no_python(tmp_path):
    for text in (b"{'descr': (((((((((", b"'''", b"{" * 5000, b"\n x\ny"):
        head = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
        with pytest.raises(DataFileError, match="not a usable npz archive"):
            read_npz(write(tmp_path, X=head))


def test_members_that_a_data_set_does_not_have_are_not_read(tmp_path):
    path = write(tmp_path, more=member("<U0", MANY))
    found = read_npz(path)
    np.testing.assert_array_equal(found.X, np.eye(3))
    np.testing.assert_array_equal(found.Y, np.eye(3, 2))


def test_short_texts_are_read_as_they_are(tmp_path):
    names = {"label_names": plain(np.array(["", "ä" * 1000])), "source": plain(np.array(""))}
    dataset = read_npz(write(tmp_path, **names))
    assert dataset.label_names == ("", "ä" * 1000)
    assert dataset.source == ""


LONG = "x" * 1001


def long_npz(folder):
    return read_npz(write(folder, label_names=plain(np.array(["a", LONG]))))


def long_arff(folder):
    path = folder / "t.arff"
    path.write_text(f"@relation 't: -C 1'\n@attribute {LONG} {{0,1}}\n@attribute x real\n@data\n")
    return read_arff(path)


def long_category(folder):
    path = folder / "t.arff"
    columns = f"@attribute a {{0,1}}\n@attribute x {{u,v,{LONG}}}\n"
    path.write_text(f"@relation 't: -C 1'\n{columns}@data\n0,u\n")
    return read_arff(path)


@pytest.mark.parametrize("read", [long_npz, long_arff, long_category])
def test_a_long_name_is_refused(read, tmp_path):
    with pytest.raises(DataFileError, match=r"the limit is 1000.*: shorten it"):
        read(tmp_path)


def test_the_limit_of_names_can_be_raised(tmp_path):
    path = write(tmp_path, label_names=plain(np.array(["a", LONG])))
    with pytest.raises(DataFileError, match=r"label_names declares 4004 bytes per text; the limit"):
        read_npz(path)
    assert read_npz(path, limits=Limits(max_name_chars=2000)).label_names[1] == LONG
