"""Nominal columns: two categories, more of them, and those that only name the rows."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp

from labelspan.datasets import DataFileError, Limits, load_dataset, read_arff

HEAD = "@relation 't: -C 1'\n@attribute a {{0,1}}\n@attribute x real\n@attribute c {}\n@data\n"


def write(folder, categories, rows, name="t.arff"):
    path = folder / name
    path.write_text(HEAD.format(f"{{{','.join(categories)}}}") + "".join(f"{r}\n" for r in rows))
    return path


def names_of(n):
    return [f"P{i:04}" for i in range(n)]


def test_genbase_is_refused_with_its_repair(data_folder):
    folder = data_folder / "mulan/genbase"
    parts = folder / "genbase-train.arff.gz", folder / "genbase-test.arff.gz"
    message = (
        "column 'protein' has 661 different values in 662 rows, which makes it an identifier "
        "(more than 20 values, and more than half of the rows); leave it out by "
        "ignore=['protein'] (--ignore 'protein')"
    )
    with pytest.raises(DataFileError, match=re.escape(message)):
        read_arff(*parts)
    genbase = read_arff(*parts, ignore=["protein"])
    assert genbase.X.shape == (662, 1185)
    assert load_dataset("genbase", download=False).X.shape == (662, 1185)


@pytest.mark.parametrize("row", ["{a},{x},{c}", "{{0 {a},1 {x},2 {c}}}"])
def test_more_than_two_categories_are_a_column_each(row, tmp_path):
    used = ["red", "blue", "green", "blue"]
    rows = [row.format(a=i % 2, x=i + 1, c=c) for i, c in enumerate(used)]
    toy = read_arff(write(tmp_path, ["green", "red", "blue"], rows))
    assert toy.feature_names == ("x", "c=green", "c=red", "c=blue")
    X = toy.X.toarray() if sp.issparse(toy.X) else toy.X
    expected = np.array([["green", "red", "blue"]]) == np.array(used)[:, None]
    np.testing.assert_array_equal(X[:, 1:], expected)
    np.testing.assert_array_equal(X[:, 0], [1, 2, 3, 4])


def test_an_absent_category_of_a_sparse_row_is_the_first_one(tmp_path):
    toy = read_arff(write(tmp_path, ["u", "v", "w"], ["{}", "{1 2,2 w}"]))
    np.testing.assert_array_equal(toy.X.toarray(), [[0, 1, 0, 0], [2, 0, 0, 1]])
    assert toy.X.nnz == 3
    assert toy.X.has_canonical_format


@pytest.mark.parametrize("row", ["1,2,?", "{1 2,2 ?}"])
def test_a_missing_category_is_missing_in_each_column(row, tmp_path):
    path = write(tmp_path, ["u", "v", "w"], [row])
    with pytest.warns(UserWarning, match="1 missing values"):
        X = read_arff(path).X
    X = X.toarray() if sp.issparse(X) else X
    np.testing.assert_array_equal(X, [[2, np.nan, np.nan, np.nan]])


def test_numbers_as_categories_are_categories(tmp_path):
    toy = read_arff(write(tmp_path, ["3", "1", "7"], ["1,0,7", "0,0,3.0"]))
    assert toy.feature_names == ("x", "c=3", "c=1", "c=7")
    np.testing.assert_array_equal(toy.X[:, 1:], [[0, 0, 1], [1, 0, 0]])


@pytest.mark.parametrize(
    ("n_values", "n_rows", "is_refused"),
    [(20, 20, False), (21, 21, True), (21, 42, False), (22, 42, True), (30, 61, False)],
)
def test_the_rule_of_an_identifier(n_values, n_rows, is_refused, tmp_path):
    words = names_of(n_values)
    rows = [f"{i % 2},{i},{words[i % n_values]}" for i in range(n_rows)]
    # Categories that no row has do not count.
    path = write(tmp_path, [*words, *(f"unused{i}" for i in range(100))], rows)
    if is_refused:
        with pytest.raises(DataFileError, match=f"'c' has {n_values} different values in {n_rows}"):
            read_arff(path)
        assert read_arff(path, ignore=["c"]).feature_names == ("x",)
    else:
        assert read_arff(path).X[:, 1:].sum() == n_rows


def test_both_files_decide_together(tmp_path):
    words = names_of(30)
    rows = [f"{i % 2},{i},{words[i % 30]}" for i in range(300)]
    parts = write(tmp_path, words, rows), write(tmp_path, words, rows[:30], "test.arff")
    assert read_arff(*parts).X.shape == (330, 31)
    with pytest.raises(DataFileError, match="identifier"):
        read_arff(parts[1])


def test_categories_in_another_order_in_the_test_file(tmp_path):
    parts = write(tmp_path, "uv", ["1,0,u"]), write(tmp_path, "vu", ["1,0,u"], "test.arff")
    with pytest.raises(DataFileError, match=r"'v' of 'c' is 0, but 1 in t\.arff; declare"):
        read_arff(*parts)


def test_an_unknown_column_to_ignore_is_refused(tmp_path):
    path = write(tmp_path, "uv", ["1,0,u"])
    with pytest.raises(DataFileError, match=r"ignore names 'cc', which is not a column; did you m"):
        read_arff(path, ignore=["cc"])
    assert read_arff(path, ignore="c").feature_names == ("x",)
    assert read_arff(path, ignore=["x", "c"]).X.shape == (1, 0)


@pytest.mark.parametrize("row", ["0,0,{}", "{{2 {}}}"])
def test_columns_of_categories_meet_the_limits(row, tmp_path):
    words = names_of(1000)
    path = write(tmp_path, words, [row.format(words[i % 1000]) for i in range(2100)])
    assert read_arff(path).X.shape == (2100, 1001)
    message = "one column per category makes 1001 columns of 2100 rows; raise Limits.max_columns"
    for limits in (Limits(max_columns=1000), Limits(max_bytes=100_000)):
        with pytest.raises(DataFileError, match=message):
            read_arff(path, limits=limits)
