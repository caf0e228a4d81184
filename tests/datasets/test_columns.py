"""Column encoders: what one frame teaches, applied to others; numbers as people write them."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder

from labelspan.datasets import (
    ColumnEncoder,
    DataFileError,
    Limits,
    from_frame,
    read_csv,
    read_features,
)

FRAMES = [pd.DataFrame, pl.DataFrame]
COLOURS = ["red", "blue", "green", "blue", "red"]
TEXTS = ["a red apple", "the blue sky, the sea", "", "sea and sky", "apple apple pie"]
SOLD = {
    "size": ["1,5", "2", "-0,25", "1.000,5", "12"],
    "colour": COLOURS,
    "ripe": ["yes", "no", "no", "yes", "no"],
    "share": ["1.2 %", "50%", "0 %", "100 %", "2.5%"],
}
NUMBERS = {
    "point": (["1.5", "-2", "+.5", "1e-3"], [1.5, -2, 0.5, 0.001]),
    "comma": (["1,5", "2", "-,25"], [1.5, 2, -0.25]),
    "comma and points": (["1.234,5", "12.345.678", "7"], [1234.5, 12345678, 7]),
    "point and commas": (["1,234.5", "12,345,678", "7"], [1234.5, 12345678, 7]),
    "two groups": (["1,234,567", "1,234"], [1234567, 1234]),
    "no thousand begins with 0": (["0,123", "1,234"], [0.123, 1.234]),
    "spaces": (["1 234", "12\u00a0345 678", "1\u202f000"], [1234, 12345678, 1000]),
    "apostrophes": (["1'234.50", "12\u2019345.00"], [1234.5, 12345]),
    "minus sign": (["\u22121,5", "2,5"], [-1.5, 2.5]),
    "percent": (["1.2 %", "-50%", "100\u00a0%"], [0.012, -0.5, 1]),
    "percent and comma": (["1,25 %", "0,5 %"], [0.0125, 0.005]),
    "blanks": ([" 1,5", "2,5 "], [1.5, 2.5]),
    "three decimals": (["1.234", "2.345"], [1.234, 2.345]),
}


@pytest.mark.parametrize("make", FRAMES)
@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_as_people_write_them(case, make):
    texts, numbers = NUMBERS[case]
    X = ColumnEncoder.learn(make({"x": texts})).encode(make({"x": texts}))
    np.testing.assert_array_equal(X[:, 0], numbers)


REFUSED_NUMBERS = {
    "ambiguous": (["1,234", "5,678"], "'x' can be read in two ways: '1,234' is 1234 with decimal="
        "'.' (--decimal .), and 1.234 with decimal=',' (--decimal ,); pass one of them"),
    "two formats": (["1,5", "1.5"], "'x' holds numbers, but not in one format: '1,5', '1.5'"),
    "percent and none": (["5 %", "7"], "not in one format: '5 %', '7'; write all of them alike"),
    "too large": (["1e400", "1"], "'x' is infinite in row 1: '1e400'; the largest number is"),
    "infinite": (["1", "-inf"], "'x' is infinite in row 2: '-inf'"),
    "a number among texts": (["1,5", 2.0], "'x' holds float, neither numbers nor words"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED_NUMBERS)
def test_numbers_that_are_refused(case):
    texts, message = REFUSED_NUMBERS[case]
    frame = pd.DataFrame({"x": texts, "l": [0, 1]})
    with pytest.raises(DataFileError, match=re.escape(message)):
        from_frame(frame, labels="l")


@pytest.mark.parametrize(("decimal", "numbers"), [(".", [1234, 5678]), (",", [1.234, 5.678])])
def test_a_decimal_sign_that_is_told(decimal, numbers, tmp_path):
    frame = pd.DataFrame({"x": ["1,234", "5,678"], "l": [0, 1]})
    read = from_frame(frame, labels="l", decimal=decimal)
    np.testing.assert_array_equal(read.X[:, 0], numbers)
    frame.to_csv(tmp_path / "t.csv", index=False)
    np.testing.assert_array_equal(
        read_csv(tmp_path / "t.csv", labels="l", decimal=decimal).X, read.X
    )
    with pytest.raises(ValueError, match=r"decimal is ';'; give '.' or ',', or leave it out"):
        from_frame(frame, labels="l", decimal=";")


def test_a_number_too_large_in_other_types(tmp_path):
    for values in (pd.Series([10**400, 1], dtype=object), [np.inf, 1.0]):
        with pytest.raises(DataFileError, match="'x' has 1 missing or infinite values, the first"):
            from_frame(pd.DataFrame({"x": values, "l": [0, 1]}), labels="l")
    (tmp_path / "t.csv").write_text("x,l\n1,0\n1e400,1\n")
    # pandas 3.1 reads a number, older ones text.
    found = "'x' (is infinite|has 1 missing or infinite values, the first) in row 2"
    with pytest.raises(DataFileError, match=found):
        read_csv(tmp_path / "t.csv", labels="l")


def test_points_between_thousands_beside_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("price;size;l\n1.500;2,5;0\n12.000;3;1\n")
    with pytest.raises(
        DataFileError, match=r"'price' can be read in two ways: '1.500' is 1.5 with "
    ):
        read_csv(path, labels="l")
    german = read_csv(path, labels="l", decimal=",")
    np.testing.assert_array_equal(german.X, [[1500, 2.5], [12000, 3]])
    # Without another column of commas, a point is a decimal point.
    path.write_text("price;size;l\n1.500;2.5;0\n12.000;3;1\n")
    np.testing.assert_array_equal(read_csv(path, labels="l").X, [[1.5, 2.5], [12, 3]])
    # No thousand has groups of two digits, so there is one reading.
    path.write_text("price;size;l\n1.50;2,5;0\n12.00;3;1\n")
    np.testing.assert_array_equal(read_csv(path, labels="l").X, [[1.5, 2.5], [12, 3]])


def test_csv_numbers_are_those_of_python(tmp_path):
    values = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-250, 250)
    rows = [f"{float(value)!r},1" for value in values]
    (tmp_path / "t.csv").write_text("\n".join(["x,l", *rows]))
    np.testing.assert_array_equal(read_csv(tmp_path / "t.csv", labels="l").X[:, 0], values)


@pytest.mark.parametrize("make", FRAMES)
def test_later_frames_are_matched_by_name(make):
    encoder = ColumnEncoder.learn(make(SOLD))
    names = ("size", "colour=blue", "colour=green", "colour=red", "ripe", "share")
    assert encoder.feature_names == names
    later = {
        "label": [0, 1],
        "share": ["4 %", "1 %"],
        "ripe": ["no", "yes"],
        "size": ["1.234", "0,5"],
        "colour": ["red", "blue"],
    }
    X = encoder.encode(make(later), ignore=["label", "absent"])
    np.testing.assert_array_equal(X, [[1234, 0, 0, 1, 0, 0.04], [0.5, 1, 0, 0, 1, 0.01]])
    one_hot = OneHotEncoder(sparse_output=False).fit(np.array(COLOURS)[:, None])
    np.testing.assert_array_equal(X[:, 1:4], one_hot.transform(np.array([["red"], ["blue"]])))


def test_other_columns_are_refused_by_name():
    encoder = ColumnEncoder.learn(pd.DataFrame({"a": [1.0, 2], "b": [1, 2], "c": [3, 4]}))
    message = r"\(missing: 'a', 'c'; unknown: 'A', 'd'\); rename or add them, and leave others out"
    with pytest.raises(DataFileError, match=message):
        encoder.encode(pd.DataFrame({"b": [1], "d": [1], "A": [2]}))


def test_words_that_were_not_there():
    encoder = ColumnEncoder.learn(pd.DataFrame(SOLD))
    later = pd.DataFrame(
        {
            "size": ["1", "2"],
            "colour": ["pink", "red"],
            "ripe": ["no", "maybe"],
            "share": ["1%"] * 2,
        }
    )
    with pytest.warns(UserWarning, match="were not there") as caught:
        X = encoder.encode(later)
    # Halfway between no and yes, and none of the colours.
    np.testing.assert_array_equal(X, [[1, 0, 0, 0, 0, 0.01], [2, 0, 0, 1, 0.5, 0.01]])
    assert [str(w.message) for w in caught] == [
        "column 'colour' has values that were not there when it was learned: 'pink'; all its 0/1 "
        "columns are 0 in these rows (1)",
        "column 'ripe' has values that were not there when it was learned: 'maybe'; it is 0.5 in "
        "these rows (1)",
    ]
    constant = ColumnEncoder.learn(pd.DataFrame({"c": ["u", "u"]}))
    with pytest.warns(UserWarning, match=r"'v'; it is 0\.5 in these rows"):
        X = constant.encode(pd.DataFrame({"c": ["u", "v"]}))
    np.testing.assert_array_equal(X, [[0], [0.5]])


WRONG_LATER = {
    "another format": ({"size": ["1.5", "2"]}, "'size' holds '1.5' in row 1; expected numbers "
        "such as 12.345,6; convert it"),
    "a word": ({"size": ["1", "?"]}, "'size' holds '?' in row 2; expected numbers such as"),
    "percent as numbers": ({"share": [1.5, 2]}, "'share' holds numbers; expected numbers such as "
        "12345.6 %; give the texts"),
    "numbers as words": ({"colour": [1, 2]}, "'colour' holds numbers; expected texts, as when"),
    "missing": ({"colour": ["red", None]}, "'colour' has 1 missing or infinite values, the first "
        "in row 2; fill them in"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG_LATER)
def test_later_values_that_are_refused(case):
    more, message = WRONG_LATER[case]
    later = {key: values[:2] for key, values in SOLD.items()} | more
    with pytest.raises(DataFileError, match=re.escape(message)):
        ColumnEncoder.learn(pd.DataFrame(SOLD)).encode(pd.DataFrame(later))


def test_categories_of_digits_stay_words():
    values = pd.Categorical(["1", "2", "3", "1"])
    assert ColumnEncoder.learn(pd.DataFrame({"c": values})).feature_names == ("c=1", "c=2", "c=3")
    series = pl.Series(["1", "2", "3"], dtype=pl.Categorical)
    assert ColumnEncoder.learn(pl.DataFrame({"c": series})).feature_names == ("c=1", "c=2", "c=3")


@pytest.mark.parametrize("make", FRAMES)
def test_text_is_the_weights_of_its_words(make):
    frame = make({"x": [1.0, 2, 3, 4, 5], "note": TEXTS})
    encoder = ColumnEncoder.learn(frame, text=["note"])
    oracle = TfidfVectorizer(sublinear_tf=True).fit(TEXTS)
    words = oracle.get_feature_names_out()
    assert encoder.feature_names == ("x", *(f"note={word}" for word in words))
    X = encoder.encode(frame)
    np.testing.assert_array_equal(X[:, [0]].toarray().ravel(), [1, 2, 3, 4, 5])
    np.testing.assert_array_equal(X[:, 1:].toarray(), oracle.transform(TEXTS).toarray())
    again = ColumnEncoder.from_json(encoder.to_json()).encode(
        make({"note": ["apple sea new"], "x": [1]})
    )
    np.testing.assert_array_equal(
        again[:, 1:].toarray(), oracle.transform(["apple sea new"]).toarray()
    )


def test_text_of_csv_files_is_learned_from_the_training_part(tmp_path):
    (tmp_path / "a.csv").write_text("note,l\nred apple,1\nNA apple,0\n,1\n")
    (tmp_path / "b.csv").write_text("note,l\ngreen apple,1\n")
    read = read_csv(tmp_path / "a.csv", tmp_path / "b.csv", labels="l", text=["note"])
    oracle = TfidfVectorizer(sublinear_tf=True).fit(["red apple", "NA apple", ""])
    assert read.feature_names == ("note=apple", "note=na", "note=red")
    texts = ["red apple", "NA apple", "", "green apple"]
    np.testing.assert_array_equal(read.X.toarray(), oracle.transform(texts).toarray())


def test_text_without_words_is_refused():
    with pytest.raises(DataFileError, match="column 'note' has no words of two letters or more"):
        ColumnEncoder.learn(pd.DataFrame({"note": ["a", "b"]}), text=["note"])
    with pytest.raises(
        DataFileError, match="text names 'not', which is not a column; did you mean"
    ):
        ColumnEncoder.learn(pd.DataFrame({"note": ["a", "b"]}), text=["not"])


def test_a_column_of_text_is_refused_with_the_repair():
    texts = [f"sentence number {i} of many" for i in range(30)]
    with pytest.raises(DataFileError, match=r"text=\['note'\] \(--text 'note'\).*TfidfVectorizer"):
        from_frame(pd.DataFrame({"note": texts, "l": [0, 1] * 15}), labels="l")


def test_texts_that_all_differ_are_encoded_aloud():
    frame = pd.DataFrame({"c": ["u", "v", "w", "x"], "l": [0, 1, 0, 1]})
    with pytest.warns(UserWarning, match=r"'c' has a different value in each of the 4 rows, and b"):
        assert from_frame(frame, labels="l").feature_names == ("c=u", "c=v", "c=w", "c=x")
    frame["c"] = ["1", "2,5", "unknown", "4"]
    with pytest.warns(UserWarning, match=r"all but 'unknown' are numbers: should th"):
        from_frame(frame, labels="l")


def test_csv_is_encoded_as_the_file_that_taught(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text('code,price,tags\n1,"1.000,5",a\n01,"2,5",b\nA,"3,5","a,b"\nA,"3,5",a\n')
    encoder = read_csv(old, labels="tags").encoder
    assert encoder.feature_names == ("code=01", "code=1", "code=A", "price")
    # Types that pandas infers would read 01 as 1, and 1.000 as one.
    new.write_text("price,code\n1.000,01\n2.000,1\n")
    X = read_features(new, ColumnEncoder.from_json(encoder.to_json()))
    np.testing.assert_array_equal(X, [[1, 0, 0, 1000], [0, 1, 0, 2000]])
    labelled = read_csv(old, labels="tags")
    np.testing.assert_array_equal(read_features(old, encoder, ignore=["tags"]), labelled.X)


def test_two_files_that_pandas_reads_as_other_types(tmp_path):
    (tmp_path / "a.csv").write_text("x,c,l\n1,01,0\n2,2,1\n")
    (tmp_path / "b.csv").write_text('x,c,l\n"1,5",z,0\n3,2,1\n')
    read = read_csv(tmp_path / "a.csv", tmp_path / "b.csv", labels="l", ignore=["x"])
    assert read.encoder.columns[0].categories == ("01", "2", "z")
    read = read_csv(tmp_path / "a.csv", tmp_path / "b.csv", labels="l", ignore=["c"])
    np.testing.assert_array_equal(read.X, [[1], [2], [1.5], [3]])


def test_json_gives_the_same_encoder():
    frame = pd.DataFrame({**SOLD, "note": TEXTS})
    encoder = ColumnEncoder.learn(frame, text=["note"])
    text = encoder.to_json()
    again = ColumnEncoder.from_json(text)
    assert again == encoder
    assert again.to_json() == text
    np.testing.assert_array_equal(again.encode(frame).toarray(), encoder.encode(frame).toarray())


NUMBER = {"kind": "number", "name": "x", "decimal": ".", "thousands": "", "percent": False}
WORDS = {"kind": "words", "name": "c", "categories": ["u", "v"]}
TEXT = {"kind": "text", "name": "t", "words": ["ab", "cd"], "idf": [1.0, 2]}
BAD_COLUMNS = {
    "not a list": ({}, "columns must be a list of 1 to 4000000"),
    "none": ([], "columns must be a list of 1 to 4000000"),
    "no kind": ([{"name": "x"}], "a column is none of number, words, text with their fields"),
    "kind is a list": ([{**WORDS, "kind": []}], "a column is none of number, words, text"),
    "another field": ([{**WORDS, "code": "x"}], "a column is none of number, words, text"),
    "name": ([{**WORDS, "name": 1}], "the name of a column is not text"),
    "twice": ([WORDS, WORDS], "two columns are called 'c'"),
    "format": ([{**NUMBER, "decimal": "e"}], "column 'x' has an unknown format of numbers"),
    "percent": ([{**NUMBER, "percent": 0}], "column 'x' has an unknown format of numbers"),
    "thousands": ([{**NUMBER, "thousands": []}], "column 'x' has an unknown format of numbers"),
    "categories": ([{**WORDS, "categories": "uv"}], "column 'c' needs a list of texts"),
    "no category": ([{**WORDS, "categories": []}], "column 'c' needs a list of texts"),
    "a number": ([{**WORDS, "categories": ["u", 1]}], "column 'c' needs a list of texts"),
    "repeat": ([{**WORDS, "categories": ["u", "u"]}], "column 'c' lists 'u' twice"),
    "idf": ([{**TEXT, "idf": [1.0]}], "column 't' needs one idf per word"),
    "nan": ([{**TEXT, "idf": [1.0, float("nan")]}], "an idf of column 't' is not a number from 1"),
    "large": ([{**TEXT, "idf": [1, 10**400]}], "an idf of column 't' is not a number from 1"),
    "true": ([{**TEXT, "idf": [1, True]}], "an idf of column 't' is not a number from 1"),
    "long": ([{**WORDS, "name": "c" * 1001}], "has 1001 characters; the limit is 1000"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_COLUMNS)
def test_json_that_is_refused(case):
    columns, message = BAD_COLUMNS[case]
    with pytest.raises(DataFileError, match=re.escape(message)):
        ColumnEncoder.from_json(json.dumps({"version": 1, "columns": columns}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not readable as JSON"),
        ("[" * 100_000, "not readable as JSON"),
        ("1" * 5000, "not readable as JSON"),
        ("[1]", "expected an object of version and columns"),
        ('{"version": 2, "columns": []}', "version is 2; this labelspan reads 1"),
        ('{"version": true, "columns": []}', "version is True; this labelspan reads 1"),
    ],
)
def test_text_that_is_no_encoder(text, message):
    with pytest.raises(DataFileError, match=message):
        ColumnEncoder.from_json(text)


def test_json_meets_the_limits():
    text = json.dumps({"version": 1, "columns": [NUMBER, {**WORDS, "categories": ["u", "v", "w"]}]})
    for limits, message in (
        (Limits(max_bytes=10), "expected a text of at most 10 characters"),
        (Limits(max_columns=1), "columns must be a list of 1 to 1 "),
        (Limits(max_columns=3), "4 features; the limit is 3"),
    ):
        with pytest.raises(DataFileError, match=message):
            ColumnEncoder.from_json(text, limits=limits)


def test_categories_meet_the_limits():
    frame = pd.DataFrame({"c": ["u", "v", "w"] * 2, "l": [0, 1] * 3})
    with pytest.raises(
        DataFileError, match="3 features of 6 rows, 3 of them from 'c'; raise Limits"
    ):
        from_frame(frame, labels="l", limits=Limits(max_bytes=35))


def test_a_data_set_with_other_features_has_no_encoder():
    from dataclasses import replace

    frame = pd.DataFrame({"x": [1.0, 2], "l": [0, 1]})
    read = from_frame(frame, labels="l")
    assert read.encoder.feature_names == ("x",)
    assert replace(read, feature_names=("direction0",)).encoder is None
