"""ARFF files: the grammar, its traps, and errors that name the place."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

from labelspan.datasets import DataFileError, Limits, read_arff

XML = '<labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'


def write(folder, text, labels=None, name="toy.arff"):
    path = folder / name
    path.write_bytes(text.encode())
    if labels is not None:
        items = "".join(f'<label name="{label}"></label>' for label in labels)
        (folder / "toy.xml").write_bytes(XML.format(items).encode())
    return path


DENSE = """% a comment
@RELATION toy
@attribute x1 REAL
@attribute 'x 2' integer % trailing comment
@attribute a {0,1}
@attribute b {0, 1}
@DATA
1.5,-2,0,1

% another
 3e2 , ? ,1,0 % comment after the row
+.5\t7.\t1\t1
"""


def test_dense_grammar(tmp_path):
    path = write(tmp_path, DENSE, ["b", "a"])
    with pytest.warns(UserWarning, match="1 missing values"):
        toy = read_arff(path)
    np.testing.assert_array_equal(toy.X, [[1.5, -2], [300, np.nan], [0.5, 7]])
    np.testing.assert_array_equal(toy.Y, [[0, 1], [1, 0], [1, 1]])
    assert toy.feature_names == ("x1", "x 2")
    assert toy.label_names == ("a", "b")


NAMES = {
    "plain": "plain",
    "'two words'": "two words",
    '"a{b},c%"': "a{b},c%",
    "'it\\'s'": "it's",
    "TAG_dise\\~no": "TAG_dise\\~no",
    "straße": "straße",
    "o'clock%": "o'clock%",
    "''": "",
    "\t next": "next",
}
TYPES = {
    "numeric": 0, "REAL": 0, "integer % note": 0, "real\t": 0, "{5,0}": 5, "{ 6, 'x y' }": 0,
    "{no,yes}": 0, "{7,1}": 7, "{8,1}": 8, "{9,1}": 9, "{10,1}": 10, "{11,1} ": 11,
}  # fmt: skip


@pytest.mark.parametrize("blank", ["", "% x\u00a0y\n"])
@pytest.mark.parametrize("comment", ["", f"% {'-' * 1000}\n"], ids=["", "several blocks"])
def test_header_lines_of_every_form(blank, comment, tmp_path):
    """Each name with each type, so that every type is declared once and repeated."""
    pairs = [(name, declared) for declared in TYPES for name in NAMES for _ in range(2)]
    lines = "".join(
        f"{'@attribute' if i % 3 else ' @Attribute'} {name} {declared}\n{'' if i % 5 else chr(10)}"
        + comment
        for i, (name, declared) in enumerate(pairs)
    )
    text = f"{blank}@relation 't: -C 1'\n@attribute y {{0,1}}\n{lines}@data\n{{}}\n"
    toy = read_arff(write(tmp_path, text))
    assert toy.feature_names == tuple(NAMES[name] for name, _ in pairs)
    assert toy.X.toarray().ravel().tolist() == [TYPES[declared] for _, declared in pairs]


@pytest.mark.parametrize("line", ["@data % rows", "@DATA% 1,2,3,4", " @data\t%", "@data %\r"])
def test_a_comment_behind_the_data_line(line, tmp_path):
    text = DENSE.replace("?", "0").replace("@DATA", line)
    assert line in text
    np.testing.assert_array_equal(
        read_arff(write(tmp_path, text, ["a", "b"])).X, [[1.5, -2], [300, 0], [0.5, 7]]
    )


def test_windows_line_ends_and_no_final_newline(tmp_path):
    path = write(tmp_path, DENSE.replace("?", "0").replace("\n", "\r\n").rstrip(), ["a", "b"])
    np.testing.assert_array_equal(read_arff(path).X, [[1.5, -2], [300, 0], [0.5, 7]])


def test_absent_nominal_value_is_the_first_category(tmp_path):
    text = """@relation toy
@attribute n numeric
@attribute yes {YES,NO}
@attribute no {NO,YES}
@attribute digit {5,0,7}
@attribute colour {red,green,blue}
@attribute a {1,0}
@attribute b {0,1}
@data
{}
{0 2.5,1 NO,2 YES,3 0,4 blue,5 0,6 1}
{3 7, 4 green}
"""
    toy = read_arff(write(tmp_path, text, ["a", "b"]))
    assert isinstance(toy.X, sp.csr_array)
    # n, yes, no, then one column per digit and one per colour.
    expected = [
        [0, 1, 0, 1, 0, 0, 1, 0, 0],
        [2.5, 0, 1, 0, 1, 0, 0, 0, 1],
        [0, 1, 0, 0, 0, 1, 0, 1, 0],
    ]
    np.testing.assert_array_equal(toy.X.toarray(), expected)
    assert toy.X.nnz == np.count_nonzero(expected)
    np.testing.assert_array_equal(toy.Y.toarray(), [[1, 0], [0, 1], [1, 0]])


def test_quotes_escapes_and_unicode(tmp_path):
    text = """@relation "q \\"r\\""
@attribute 'it\\'s' {'don\\'t','a,b',"x}y",straße}
@attribute TAG_dise\\~no {0,1}
@attribute étiquette {0,1}
@data
'don\\'t',1,0
"a,b",0,1
'x}y',0,0
straße,1,1
"""
    toy = read_arff(write(tmp_path, text, ["TAG_dise\\~no", "étiquette"]))
    assert toy.feature_names == ("it's=don't", "it's=a,b", "it's=x}y", "it's=straße")
    assert toy.label_names == ("TAG_dise\\~no", "étiquette")
    np.testing.assert_array_equal(toy.X, np.eye(4))
    np.testing.assert_array_equal(toy.Y, [[1, 0], [0, 1], [0, 0], [1, 1]])


def test_sparse_row_with_quoted_brace_and_unsorted_indices(tmp_path):
    text = """@relation toy
@attribute c {'p}q',r}
@attribute x numeric
@attribute a {0,1}
@data
{2 1, 0 r, 1 3}
{0 'p}q',1 -1e-3}
"""
    toy = read_arff(write(tmp_path, text, ["a"]))
    np.testing.assert_array_equal(toy.X.toarray(), [[1, 3], [0, -0.001]])
    np.testing.assert_array_equal(toy.Y.toarray(), [[1], [0]])


def test_string_column_is_left_out_with_a_warning(tmp_path):
    text = "@relation t\n@attribute protein string\n@attribute x real\n@attribute a {0,1}\n@data\n"
    path = write(tmp_path, text + "'P 1',2,1\nQ2,3,0\n", ["a"])
    with pytest.warns(UserWarning, match="protein is left out"):
        toy = read_arff(path)
    assert toy.feature_names == ("x",)
    np.testing.assert_array_equal(toy.X.ravel(), [2, 3])
    assert read_arff(path, ignore=["protein"]).X.shape == (2, 1)


def test_escapes_in_columns_that_are_left_out(tmp_path):
    text = (
        "@relation 't: -C 1'\n@attribute a {0,1}\n@attribute id string\n@attribute y real\n@data\n"
    )
    dense = write(tmp_path, text + "1,'it\\'s',2\n", name="dense.arff")
    sparse = write(tmp_path, text + "{0 1,1 'it\\'s',2 oops}\n", name="sparse.arff")
    assert read_arff(dense, ignore=["id"]).X.tolist() == [[2.0]]
    assert read_arff(sparse, ignore=["id", "y"]).X.shape == (1, 0)


@pytest.mark.parametrize(
    ("option", "labels"), [("-C 2", ("c0", "c1")), ("-C -1", ("c3",)), ("x -C 1 -t f", ("c0",))]
)
def test_meka_option(tmp_path, option, labels):
    columns = "".join(f"@attribute c{i} {{0,1}}\n" for i in range(4))
    path = write(tmp_path, f"@relation 'toy: {option}'\n{columns}@data\n0,1,1,0\n")
    assert read_arff(path).label_names == labels


def test_labels_by_argument(tmp_path):
    path = write(tmp_path, DENSE.replace("?", "0"))
    assert read_arff(path, label_count=-2).label_names == ("a", "b")
    assert read_arff(path, label_names=["b"]).label_names == ("b",)
    with pytest.raises(DataFileError, match=r"pass xml=, label_names= or label_count="):
        read_arff(path)
    with pytest.raises(TypeError, match=r"the string 'ab'; pass a sequence.*label_names=\['ab'\]"):
        read_arff(path, label_names="ab")
    with pytest.raises(DataFileError, match="label_names is empty; name at least one"):
        read_arff(path, label_names=[])
    with pytest.raises(DataFileError, match="label_count=9; allowed is 1 to 3"):
        read_arff(path, label_count=9)


def test_minus_one_is_no_label(tmp_path):
    text = "@relation 't: -C 1'\n@attribute a {-1,1}\n@attribute x real\n@data\n-1,0\n1,0\n"
    np.testing.assert_array_equal(read_arff(write(tmp_path, text)).Y, [[0], [1]])


def test_gzip_by_content_and_train_test(tmp_path):
    text = DENSE.replace("?", "0")
    write(tmp_path, "", ["a", "b"])
    (tmp_path / "toy-train.arff").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "toy-test.arff.gz").write_bytes(gzip.compress(text.encode()))
    toy = read_arff(tmp_path / "toy-train.arff", tmp_path / "toy-test.arff.gz")
    assert toy.name == "toy"
    assert toy.X.shape == (6, 2)
    np.testing.assert_array_equal(toy.test, [3, 4, 5])


def test_test_part_with_other_columns_is_refused(tmp_path):
    path = write(tmp_path, DENSE.replace("?", "0"), ["a", "b"])
    other = tmp_path / "other.arff"
    other.write_text(DENSE.replace("x1", "z1").replace("?", "0"))
    with pytest.raises(DataFileError, match="number 1 is 'z1', not 'x1'"):
        read_arff(path, other, xml=tmp_path / "toy.xml")


NUMBERS = [
    "0", "-0", "1", "+1", "007", "0.1", "1e22", "1e23", "9007199254740993", "0.30000000000000004",
    "123456789012345678", "1234567890123456789012", "1.7976931348623157e308", "5e-324",
    "2.2250738585072011e-308", "0.000000000000000000000000000001", "1E-5", "3.", ".25",
    "179769313486231570000000000000000000000", "8.5e-23", "6.02214076e+23", "0e999999999999999999",
]  # fmt: skip


@pytest.mark.parametrize("row", ["0,{0}", "{{0 0,1 {0}}}", "{{1 {0}, 2 3}}", "{{1 -{0},2 3}}"])
def test_numbers_round_as_python_does(row, tmp_path):
    columns = "@attribute x real\n" + "@attribute z real\n" * (row.count("2 3"))
    header = f"@relation 't: -C 1'\n@attribute a {{0,1}}\n{columns}@data\n"
    numbers = [n for n in NUMBERS if "-{0}" not in row or n[0] not in "+-"]
    path = write(tmp_path, header + "".join(f"{row.format(n)}\n" for n in numbers))
    X = read_arff(path).X
    read = (X.toarray() if sp.issparse(X) else X)[:, 0]
    sign = "-" if "-{0}" in row else ""
    expected = np.array([float(sign + n) for n in numbers])
    if sp.issparse(X):
        # A zero is not stored, whatever its sign.
        expected[expected == 0] = 0.0
    np.testing.assert_array_equal(read.view(np.int64), expected.view(np.int64))


HEAD = "@relation 't: -C 1'\n@attribute a {0,1}\n@attribute x real\n@attribute c {u,v}\n@data\n"
MALFORMED = {
    "truncated dense row": (HEAD + "0,1,u\n0,1", 7, 4, "fewer values"),
    "too many values": (HEAD + "0,1,u,5\n", 6, 6, "more values"),
    "empty value": (HEAD + "0,,u\n", 6, 3, "empty value"),
    "not a number": (HEAD + "0,1,u\n0,x7,u\n", 7, 3, "'x7' of attribute 'x'"),
    "underscore": (HEAD + "0,1_000,u\n", 6, 3, "finite number"),
    "infinity": (HEAD + "0,inf,u\n", 6, 3, "finite number"),
    "overflow": (HEAD + "0,1e999,u\n", 6, 3, "finite number"),
    "lone sign": (HEAD + "0,-,u\n", 6, 3, "finite number"),
    "bad exponent": (HEAD + "0,1e,u\n", 6, 3, "finite number"),
    "unknown category": (HEAD + "0,1,w\n", 6, 5, "expected one of {u,v}"),
    "open quote": (HEAD + "0,1,'u\n0,1,u\n", 6, 6, "quote is not closed"),
    "sparse in dense": (HEAD + "0,1,u\n{0 1}\n", 7, 1, "sparse row"),
    "dense in sparse": (HEAD + "{0 1}\n0,1,u\n", 7, 1, "expected a sparse row"),
    "truncated sparse row": (HEAD + "{0 1,1 2", 6, 9, "not closed"),
    "index too large": (HEAD + "{0 1,3 2}\n", 6, 6, "beyond the last attribute"),
    "huge index": (HEAD + "{99999999999999999999 2}\n", 6, 2, "beyond the last attribute"),
    "negative index": (HEAD + "{-1 2}\n", 6, 2, "expected a column index"),
    "missing blank": (HEAD + "{1}\n", 6, 2, "expected a column index"),
    "missing comma": (HEAD + "{0 1 1 2}\n", 6, 6, "expected a comma"),
    "trailing comma": (HEAD + "{0 1,}\n", 6, 6, "expected a column index"),
    "weight": (HEAD + "{0 1},{5}\n", 6, 6, "instance weights"),
    "column twice": (HEAD + "% x\n{1 1}\n\n{1 1,1 2}\n", 9, None, "row names column 1 twice"),
    "label twice": (HEAD + "{0 1,1 2,0 1}\n", 6, None, "row names column 0 twice"),
    "no data line": (HEAD[:-6], None, None, "no @data line"),
    "binary": ("\x00\x01\x02\n@data\n", 1, None, "not an ARFF header line"),
    "no attributes": ("@relation t\n@data\n1\n", None, None, "no @attribute"),
    "bad type": ("@relation t\n@attribute x complex\n@data\n", 2, None, "expected numeric"),
    "no type": ("@relation t\n@attribute x\n@data\n", 2, None, "not an ARFF header line"),
    "run together": ("@relation t\n@attribute xreal\n@data\n", 2, None, "not an ARFF header"),
    "bad type later": (
        "@relation t\n@attribute x real\n@attribute y real\n\n@attribute z bad\n@data\n",
        5,
        None,
        "attribute type 'bad'",
    ),
    "open categories": ("@relation t\n@attribute x {a,b\n@data\n", 2, None, "not closed by }"),
    "category twice": ("@relation t\n@attribute x {a,a}\n@data\n", 2, None, "listed twice"),
    "sparse label": (HEAD + "{0 1}\n{1 2}\n{0 ?}\n", 8, None, "label 'a' is nan; allowed are 0, 1"),
    "missing label": (HEAD + " % x\n\n0,1,u\n?,1,u\n", 9, None, "label 'a' is nan"),
    "large label": (HEAD.replace("{0,1}", "real") + "1,1,u\n2,1,u\n", 7, None, "label 'a' is 2;"),
}


@pytest.mark.filterwarnings("ignore:.*missing values")
@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_files_name_file_line_and_column(case, tmp_path):
    text, line, column, message = MALFORMED[case]
    path = write(tmp_path, text)
    with pytest.raises(DataFileError) as caught:
        read_arff(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    if line is not None:
        assert caught.value.line == line
    if column is not None:
        assert caught.value.column == column


def test_error_line_counts_over_blocks(tmp_path):
    path = write(tmp_path, HEAD + "0,1,u\n" * 100_000 + "0,oops,u\n")
    with pytest.raises(DataFileError) as caught:
        read_arff(path)
    assert caught.value.line == 100_006


@pytest.mark.parametrize("row", ["{0 ?}", "{1 5,1 5}"])
def test_line_of_a_row_counts_over_blocks(row, tmp_path):
    path = write(tmp_path, HEAD + "{1 2} % x\n%\n\n" * 40_000 + f"{row}\n")
    with pytest.raises(DataFileError) as caught:
        read_arff(path)
    assert caught.value.line == 120_006


def test_rows_of_several_blocks(tmp_path):
    n_pairs = 50_000
    rows = "".join(f"{{0 1,1 {i}.5}}\n{{}}\n" for i in range(n_pairs))
    toy = read_arff(write(tmp_path, HEAD + rows))
    np.testing.assert_array_equal(toy.X[:, [0]].toarray()[::2, 0], np.arange(n_pairs) + 0.5)
    np.testing.assert_array_equal(toy.Y.toarray()[:, 0], np.tile([1, 0], n_pairs))
    assert toy.X.nnz == n_pairs


def test_not_utf8_says_what_to_pass(tmp_path):
    path = tmp_path / "toy.arff"
    path.write_bytes(HEAD.replace("x real", "é real").encode("latin-1") + b"0,1,u\n")
    with pytest.raises(DataFileError, match="line 3: not utf-8; try encoding='latin-1'"):
        read_arff(path)
    assert read_arff(path, encoding="latin-1").feature_names == ("é", "c")


def test_a_word_of_another_encoding_among_the_rows_names_the_option(tmp_path):
    path = tmp_path / "toy.arff"
    path.write_bytes(HEAD.encode() + "0,1,é\n".encode("latin-1"))
    message = "line 6, column 5: value of attribute 'c': not utf-8; try .*--encoding latin-1"
    with pytest.raises(DataFileError, match=message):
        read_arff(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "cp037"])
def test_encoding_without_the_bytes_of_ascii_is_refused(encoding, tmp_path):
    path = tmp_path / "toy.arff"
    path.write_bytes((HEAD + "0,1,u\n").encode(encoding))
    message = f"toy.arff: encoding='{encoding}' does not keep .* iconv -f {encoding} -t utf-8"
    with pytest.raises(DataFileError, match=message):
        read_arff(path, encoding=encoding)


def test_utf16_by_its_mark_and_unknown_encoding(tmp_path):
    path = tmp_path / "toy.arff"
    path.write_bytes((HEAD + "0,1,u\n").encode("utf-16"))
    with pytest.raises(DataFileError, match="line 1: a UTF-16 file; convert it first: iconv"):
        read_arff(path)
    with pytest.raises(DataFileError, match="encoding='klingon' is not one of Python's"):
        read_arff(path, encoding="klingon")


@pytest.mark.parametrize("declared", ["string", "date 'yyyy-MM-dd'"])
@pytest.mark.parametrize("row", ["1,2", "{0 1,1 2}"])
def test_label_of_strings_or_dates_is_refused(declared, row, tmp_path):
    text = f"@relation 't: -C 1'\n@attribute l {declared}\n@attribute x real\n@data\n{row}\n"
    path = write(tmp_path, text)
    with pytest.raises(DataFileError, match=r"label 'l' is a string or date .* declare it \{0,1\}"):
        read_arff(path)


def test_unknown_label_in_the_xml(tmp_path):
    path = write(tmp_path, DENSE.replace("?", "0"), ["a", "zebra"])
    with pytest.raises(DataFileError, match=r"toy\.xml: label 'zebra' is not an attribute of toy"):
        read_arff(path)


def test_label_that_names_two_attributes(tmp_path):
    path = write(tmp_path, DENSE.replace("?", "0").replace("x1", "b"), ["a", "b"])
    with pytest.raises(DataFileError, match="two attributes have the name of label 'b'"):
        read_arff(path)


def test_labels_need_not_be_neighbours(tmp_path):
    """Also with names whose length, first and last letter are those of a label."""
    columns = "".join(f"@attribute {name} {{0,1}}\n" for name in ("abc", "adc", "x", "a'c", "aec"))
    path = write(tmp_path, f"@relation t\n{columns}@data\n{{0 1,1 1}}\n{{3 1,4 1}}\n")
    toy = read_arff(path, label_names=["a'c", "adc"])
    assert toy.label_names == ("adc", "a'c")
    np.testing.assert_array_equal(toy.Y.toarray(), [[1, 0], [0, 1]])
    assert toy.feature_names == ("abc", "x", "aec")
    with pytest.raises(DataFileError, match="label 'afc' is not an attribute"):
        read_arff(path, label_names=["abc", "afc"])


def test_defaults_are_not_filled_in_without_bound(tmp_path):
    columns = "".join(f"@attribute c{i} {{1,0}}\n" for i in range(100))
    header = f"@relation 't: -C 1'\n@attribute a {{0,1}}\n{columns}@data\n"
    path = write(tmp_path, header + "{}\n" * 90)
    assert read_arff(path, limits=Limits(max_bytes=20_000)).X.nnz == 9000
    with pytest.raises(DataFileError, match=r"90 sparse rows of 100 nominal columns .*max_bytes"):
        read_arff(path, limits=Limits(max_bytes=17_000))


def test_limits(tmp_path):
    path = write(tmp_path, HEAD + "0,1,u\n" * 100)
    with pytest.raises(DataFileError, match="3 columns; the limit is 2"):
        read_arff(path, limits=Limits(max_columns=2))
    with pytest.raises(DataFileError, match=r"Limits\.max_rows"):
        read_arff(path, limits=Limits(max_rows=99))
    with pytest.raises(DataFileError, match="more than 500 bytes after decompression"):
        read_arff(path, limits=Limits(max_bytes=500))
    assert read_arff(path, limits=Limits(max_rows=100)).X.shape == (100, 2)


def test_file_without_rows(tmp_path):
    toy = read_arff(write(tmp_path, HEAD))
    assert (toy.X.shape, toy.Y.shape) == ((0, 2), (0, 1))
    whole = read_arff(write(tmp_path, HEAD + "0,1,u\n"))
    assert (toy.feature_names, toy.label_names) == (whole.feature_names, whole.label_names)
