"""Frames and CSV files: labels as columns or as lists, words as columns, the rest refused."""

from __future__ import annotations

import gzip
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.preprocessing import MultiLabelBinarizer, OneHotEncoder

from labelspan.datasets import DataFileError, Limits, from_frame, read_csv

TAGS = [["b", "a"], [], ["c"], ["a"]]
Y = MultiLabelBinarizer().fit_transform(TAGS)
FRAMES = [pd.DataFrame, pl.DataFrame]
TEXTS = {
    "comma": ["b,a", "", "c", "a"],
    "blank": ["b , a", " ", "c", "a ;"[:1]],
    "semicolon": ["b;a", "", "c;", "a"],
    "bar": ["b|a", "", "c", "a|a"],
    "python": ["['b', 'a']", "[]", "['c']", "('a',)"],
    "json": ['["b", "a"]', "", '["c"]', '["a"]'],
    "set": ["{'b', 'a'}", "set()", "{'c'}", "{'a'}"],
}


def columns(**more):
    return {"x": [0.5, 1, 2, 3], "n": [1, 2, 3, 9], "flag": [True, False, True, True], **more}


@pytest.mark.parametrize("make", FRAMES)
def test_a_column_of_lists(make):
    read = from_frame(make(columns(tags=TAGS)), labels="tags")
    np.testing.assert_array_equal(read.Y, Y)
    assert read.label_names == ("a", "b", "c")
    assert read.feature_names == ("x", "n", "flag")
    np.testing.assert_array_equal(read.X, [[0.5, 1, 1], [1, 2, 0], [2, 3, 1], [3, 9, 1]])


@pytest.mark.parametrize("kind", [tuple, set, frozenset, np.array])
def test_other_lists(kind):
    frame = pd.DataFrame(columns(tags=[kind(tags) for tags in TAGS]))
    np.testing.assert_array_equal(from_frame(frame, labels=["tags"]).Y, Y)


@pytest.mark.parametrize("make", FRAMES)
@pytest.mark.parametrize("case", TEXTS)
def test_a_column_of_text(case, make):
    read = from_frame(make(columns(tags=TEXTS[case])), labels="tags")
    assert read.label_names == ("a", "b", "c")
    np.testing.assert_array_equal(read.Y, Y)


def test_a_separator_that_is_told():
    frame = pd.DataFrame(columns(tags=["b, x a", "", "c", "a"]))
    assert from_frame(frame, "tags", separator=" ").label_names == ("a", "b,", "c", "x")
    assert from_frame(frame, "tags").label_names == ("a", "b", "c", "x a")


@pytest.mark.parametrize("make", FRAMES)
@pytest.mark.parametrize("convert", [int, bool, float])
def test_columns_of_zero_and_one(make, convert):
    values = {f"l{j}": [convert(v) for v in Y[:, j]] for j in range(3)}
    read = from_frame(make(columns(**values)), labels=list(values), ignore=["n"])
    np.testing.assert_array_equal(read.Y, Y)
    assert read.label_names == ("l0", "l1", "l2")
    assert read.feature_names == ("x", "flag")
    one = from_frame(make(columns(**values)), labels="l1", ignore=["l0", "l2"])
    np.testing.assert_array_equal(one.Y, Y[:, [1]])


@pytest.mark.parametrize("make", FRAMES)
def test_words_are_columns(make):
    colours = ["red", "blue", "green", "blue"]
    frame = make(columns(tags=TAGS, colour=colours, answer=["yes", "no", "no", "yes"]))
    read = from_frame(frame, labels="tags")
    names = ("x", "n", "flag", "colour=blue", "colour=green", "colour=red", "answer")
    assert read.feature_names == names
    oracle = OneHotEncoder(sparse_output=False).fit_transform(np.array(colours)[:, None])
    np.testing.assert_array_equal(read.X[:, 3:6], oracle)
    np.testing.assert_array_equal(read.X[:, 6], [1, 0, 0, 1])


def test_kinds_of_pandas():
    frame = pd.DataFrame(columns(tags=TAGS))
    frame["category"] = pd.Categorical(["u", "v", "w", "u"], categories=list("wvuz"))
    frame["whole"] = pd.array([1, 2, 3, 4], dtype="Int64")
    frame["text"] = pd.array(list("abab"), dtype="string")
    frame["sparse"] = pd.arrays.SparseArray([0.0, 0, 0, 7])
    read = from_frame(frame, labels="tags", ignore=["x", "n", "flag"])
    names = ("category=u", "category=v", "category=w", "whole", "text", "sparse")
    assert read.feature_names == names
    expected = [[1, 0, 0, 1, 0, 0], [0, 1, 0, 2, 1, 0], [0, 0, 1, 3, 0, 0], [1, 0, 0, 4, 1, 7]]
    np.testing.assert_array_equal(read.X, expected)


def test_an_identifier_is_refused():
    ids = [f"id{i}" for i in range(40)]
    frame = pd.DataFrame({"id": ids, "x": range(40), "l": [0, 1] * 20})
    with pytest.raises(DataFileError, match=r"'id' has 40 different values in 40 rows.*ignore=\["):
        from_frame(frame, labels="l")
    assert from_frame(frame, labels="l", ignore=["id"]).feature_names == ("x",)


DATES = pd.to_datetime(["2020-01-01"] * 4)
REFUSED = {
    "missing number": ({"x": [1, None, 2, 3]},
        {}, "column 'x' has 1 missing or infinite values, the first in row 2"),
    "infinite": ({"x": [1, 2, np.inf, 3]}, {}, "the first in row 3; fill them in"),
    "missing word": ({"c": ["a", "b", None, "b"]}, {}, "column 'c' has 1 missing"),
    "missing tags": ({"tags": [["a"], None, ["b"], []]},
        {}, "first in row 2; a row without labels has an empty list"),
    "dates": ({"d": DATES}, {}, "column 'd' holds"),
    "lists as a feature": ({"c": TAGS},
        {}, "column 'c' holds list, neither numbers nor words; convert it"),
    "unknown label": ({},
        {"labels": "tag"}, "labels names 'tag', which is not a column; did you mean tags?"),
    "unknown to ignore": ({}, {"ignore": ["y"]}, "ignore names 'y', which is not a column"),
    "no labels": ({}, {"labels": []}, "labels is empty; name at least one column"),
    "two separators": ({"tags": ["a,b", "c;d", "", ""]},
        {}, "'tags' has ',' and ';'; pass the one that separates labels as separator="),
    "numbers as labels": ({"l": [1, 2, 3, 1]},
        {"labels": "l"}, "label 'l' is 2 in row 2; allowed are 0, 1 and -1"),
    "text as a label": ({"l": list("abab")},
        {"labels": ["l", "tags"]}, "label 'l' holds str such as 'a'; give columns of 0 and 1"),
    "text among lists": ({"tags": [["a"], "a", ["b"], []]},
        {}, "row 2 of 'tags' is text among lists"),
    "number among lists": ({"tags": [["a"], 7, ["b"], []]},
        {}, "row 2 of 'tags' is 7; give each row a list"),
    "broken list": ({"tags": ["['a']", "[a(]", "[]", "[]"]},
        {}, "row 2 of 'tags' is not a list of labels: '[a(]'"),
    "no label": ({"tags": [[], [], [], []]}, {}, "no row of 'tags' has a label"),
    "separator": ({"l": [0, 1, 1, 0]},
        {"labels": "l", "separator": ";"}, "separator=';' is for one column of text"),
    "nothing left": ({}, {"ignore": ["x", "n", "flag"]}, "no columns are left for features"),
    "long label": ({"tags": [["a" * 1001]] * 4}, {}, "has 1001 characters; the limit is 1000"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    more, options, message = REFUSED[case]
    frame = pd.DataFrame({**columns(tags=TAGS), **more})
    with pytest.raises(DataFileError, match=re.escape(message)):
        from_frame(frame, **{"labels": "tags", **options})


def test_a_column_that_is_not_one_of_labels():
    texts = [f"a sentence of its own {i}" for i in range(30)]
    frame = pd.DataFrame({"x": range(30), "text": texts})
    with pytest.raises(DataFileError, match="each of the 30 labels of 'text' is in one row only"):
        from_frame(frame, labels="text")


def test_what_is_not_a_frame():
    with pytest.raises(TypeError, match=r"frame is of type ndarray; give a frame of pandas or pol"):
        from_frame(np.eye(3), labels="a")
    with pytest.raises(DataFileError, match="two columns are called 'a'; rename one"):
        from_frame(pd.DataFrame(np.eye(2), columns=["a", "a"]), labels="a")
    with pytest.raises(ValueError, match="labels names 'a' twice; leave one out"):
        from_frame(pd.DataFrame(np.eye(2), columns=["a", "b"]), labels=["a", "a"])
    with pytest.raises(DataFileError, match="there are no rows"):
        from_frame(pd.DataFrame({"a": [], "b": []}), labels=["a"])


def test_labels_meet_the_limits():
    frame = pd.DataFrame(columns(tags=TAGS))
    with pytest.raises(DataFileError, match=r"3 labels of 4 rows; raise Limits.max_columns"):
        from_frame(frame, labels="tags", limits=Limits(max_columns=2))


@pytest.mark.parametrize("kind", ["plain", "gzip", "semicolon", "tab", "mark", "windows"])
def test_csv_is_the_frame_that_was_written(kind, tmp_path):
    frame = pd.DataFrame(columns(tags=TAGS, colour=["red", "blue", "gr,een", "blue"]))
    path = tmp_path / "toy.csv"
    delimiter = {"semicolon": ";", "tab": "\t"}.get(kind, ",")
    text = frame.to_csv(index=False, sep=delimiter)
    if kind == "windows":
        text = text.replace("\n", "\r\n")
    content = text.encode("utf-8-sig" if kind == "mark" else "utf-8")
    path.write_bytes(gzip.compress(content) if kind == "gzip" else content)
    read, direct = read_csv(path, labels="tags"), from_frame(frame, labels="tags")
    np.testing.assert_array_equal(read.X, direct.X)
    np.testing.assert_array_equal(read.Y, direct.Y)
    assert (read.feature_names, read.label_names) == (direct.feature_names, direct.label_names)
    assert (read.name, read.source) == ("toy", str(path))


def test_csv_of_two_parts(tmp_path):
    (tmp_path / "a.csv").write_text("x,c,tags\n1,u,p\n2,v,q\n")
    (tmp_path / "b.csv").write_text("x,c,tags\n3,w,p;r\n")
    with pytest.warns(UserWarning, match=r"'c' has a different value in each of the 3 rows, .*'u'"):
        read = read_csv(tmp_path / "a.csv", tmp_path / "b.csv", labels="tags")
    assert read.feature_names == ("x", "c=u", "c=v", "c=w")
    np.testing.assert_array_equal(read.X, [[1, 1, 0, 0], [2, 0, 1, 0], [3, 0, 0, 1]])
    np.testing.assert_array_equal(read.Y, [[1, 0, 0], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_array_equal(read.train, [0, 1])
    np.testing.assert_array_equal(read.test, [2])
    (tmp_path / "b.csv").write_text("x,d,tags\n3,w,p;r\n")
    with pytest.raises(DataFileError, match=r"its columns are not those of a\.csv: \['x', 'd'"):
        read_csv(tmp_path / "a.csv", tmp_path / "b.csv", labels="tags")


def test_csv_labels_are_text_as_they_stand(tmp_path):
    path = tmp_path / "t.csv"
    # NA is a label, and numbers are names; an empty name is not a label.
    path.write_text('x, tags\n1,NA\n2,"7, NA"\n3,\n4,07\n')
    read = read_csv(path, labels="tags")
    assert read.label_names == ("07", "7", "NA")
    np.testing.assert_array_equal(read.Y, [[0, 0, 1], [0, 1, 1], [0, 0, 0], [1, 0, 0]])
    path.write_text("x,a,b\n1,0,1\n2,1,1\n")
    assert read_csv(path, labels=["a"]).label_names == ("a",)
    np.testing.assert_array_equal(read_csv(path, labels=["a", "b"]).Y, [[0, 1], [1, 1]])


BAD_CSV = {
    "too many values": ("x,l\n1,0\n2,1,5\n", "line 3: 3 values for 2 columns"),
    "too many in each row": ("x,l\n1,0,5\n2,1,5\n", "line 2: 3 values for 2 columns"),
    "too few values": ("x,y,l\n1,0,a\n\n1,0\n", "line 4: 2 values for 3 columns"),
    "missing": ("x,l\n1,0\n?,1\n", "'x' has 1 missing or infinite values, the first in row 2"),
    "empty": ("", "line 1: no line of column names at the start"),
    "names alone": ("x,l\n", "there are no rows"),
    "twice": ("x,x,l\n1,2,0\n", "line 1: two columns are called 'x'; rename one"),
    "not text": ("x,l\n\udcff,0\n", "its text is not utf-8 ("),
    "quote": ('x,l\n1,0\n"1,0\n', "line 3: 1 values for 2 columns"),
    "zero byte": ("x,l\n1\0,0\n", "there are zero bytes; is this a text file?"),
}


@pytest.mark.parametrize("case", BAD_CSV)
def test_bad_csv_is_one_line(case, tmp_path):
    text, message = BAD_CSV[case]
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataFileError) as caught:
        read_csv(path, labels="l")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_csv_meets_the_limits(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y,l\n" + "1,2,0\n" * 100)
    for limits, message in (
        (Limits(max_rows=99), "more than 99 rows"),
        (Limits(max_columns=2), "3 columns; the limit is 2"),
        (Limits(max_bytes=300), "more than 300 bytes after decompression"),
    ):
        with pytest.raises(DataFileError, match=message):
            read_csv(path, labels="l", limits=limits)
    with pytest.raises(DataFileError, match="delimiter is ';;'; give one character"):
        read_csv(path, labels="l", delimiter=";;")


@pytest.mark.parametrize("make", FRAMES)
@pytest.mark.parametrize("kind", ["number", "bool", "word", "signed"])
def test_missing_cells_of_label_columns_were_not_observed(make, kind):
    no, yes = {"bool": (False, True), "word": ("no", "yes"), "signed": (-1, 1)}.get(kind, (0, 1))
    frame = make(columns(a=[yes, None, no, yes], b=[no, yes, None, None], c=[no, no, yes, no]))
    read = from_frame(frame, labels=["a", "b", "c"])
    expected = [[1, 0, 0], [np.nan, 1, 0], [0, np.nan, 1], [1, np.nan, 0]]
    np.testing.assert_array_equal(read.Y, expected)
    assert from_frame(frame, labels=["c"], ignore=["a", "b"]).Y.dtype.kind in "iu" or kind == "word"


def test_one_label_column_with_missing_cells(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,l\n1,0\n2,\n3,NA\n4,1\n")
    read = read_csv(path, labels="l")
    np.testing.assert_array_equal(read.Y, [[0], [np.nan], [np.nan], [1]])
    assert read.label_names == ("l",)
    path.write_text("x,l,m\n1,0,\n2,?,1\n")
    np.testing.assert_array_equal(read_csv(path, labels=["l", "m"]).Y, [[0, np.nan], [np.nan, 1]])
    path.write_text("x,l,m\n1,0,1\n2,1e400,1\n")
    # pandas 3.1 reads a number, older ones text.
    found = "label 'l' (holds str such as '1e400'; give columns of|is inf in row 2; allowed)"
    with pytest.raises(DataFileError, match=found):
        read_csv(path, labels=["l", "m"])
    frame = pd.DataFrame({"x": [1, 2], "l": [1, np.inf], "m": [0, 1]})
    with pytest.raises(
        DataFileError, match="'l' is inf in row 2; allowed are 0, 1 and -1, and an em"
    ):
        from_frame(frame, labels=["l", "m"])


def test_a_latin_1_file_names_the_encoding(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("größe,c,l\n1,é,0\n2,u,1\n".encode("latin-1"))
    message = r"its text is not utf-8 \(.*pass its encoding= \(--encoding\), such as latin-1"
    with pytest.raises(DataFileError, match=message):
        read_csv(path, labels="l")
    assert read_csv(path, labels="l", encoding="latin-1").feature_names == ("größe", "c")
    path.write_bytes("x,c,l\n1,é,0\n2,u,1\n".encode("latin-1"))
    with pytest.raises(DataFileError, match=message):
        read_csv(path, labels="l")
