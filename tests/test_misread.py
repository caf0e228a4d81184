"""Warnings for input that is valid but probably not what was meant."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import labelspan as ls
from labelspan.gate import warn_if_swapped

X = np.random.default_rng(0).standard_normal((40, 6))
JOINED = {
    "commas": (["a,b", "b,c", "a", "c"] * 10, r"'a,b', which join 3 names by ','"),
    "semicolons": (["a; b", "c; b", "a; c", "a; b; c"] * 10, r"join 3 names by ';'"),
    "bars": (["x|y", "y", "x", "x|y"] * 10, r"get_dummies\('\|'\)"),
    "empty": (["x,y", "", "x,y,z", "z"] * 10, r"join 3 names"),
}
PLAIN = {
    "no separator": ["red fox", "blue cat", "red cat", "blue fox"] * 10,
    "persons": ["Gu, Q.", "Li, Z.", "Han, J.", "Ji, S."] * 10,
    "one comma": ["yes", "no", "no, thanks", "maybe"] * 10,
    "numbers": np.arange(40) % 4,
}


@pytest.mark.parametrize("form", [list, np.array, pd.Series], ids=["list", "array", "series"])
@pytest.mark.parametrize(("y", "message"), JOINED.values(), ids=JOINED.keys())
def test_joined_names_are_told(y, message, form):
    with pytest.warns(UserWarning, match=message):
        model = ls.MultiOutputRidge().fit(X, form(y))
    assert len(model.classes_) == len(set(y))


@pytest.mark.parametrize("y", PLAIN.values(), ids=PLAIN.keys())
def test_plain_class_names_pass(y):
    assert len(ls.MultiOutputRidge().fit(X, y).classes_) == 4


def test_the_repair_of_joined_names_works():
    y = pd.Series(["a,b", "b,c", "a", "c"] * 10)
    model = ls.MultiOutputRidge().fit(X, y.str.get_dummies(","))
    assert list(model.label_names_) == ["a", "b", "c"]


BINARY = [
    "enron", "medical", "genbase", "bibtex", "corel5k", "human-go", "slashdot", "delicious",
]  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
def test_swapped_benchmark_sets_are_told_and_others_are_not(name, dataset):
    data = dataset(name)
    X, Y = sparse.csr_array(data.X), sparse.csr_array(data.Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_swapped(X, Y)
    if name == "delicious":
        return  # wider in labels than in features
    with pytest.warns(UserWarning, match=rf"swapped.*with {Y.shape[1]} columns.*features first"):
        warn_if_swapped(Y, X)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_every_fit_tells_a_swap(form):
    rng = np.random.default_rng(0)
    words = (rng.random((60, 30)) < 0.4).astype(int)
    labels = words[:, :4] * (rng.random((60, 4)) < 0.7)
    with pytest.warns(UserWarning, match=r"X and y may be swapped: X holds only 0 and 1"):
        ls.MultiOutputRidge().fit(form(labels), form(words))
    with pytest.warns(UserWarning, match=r"X and y may be swapped"):
        ls.MDDM(2).fit(form(labels), form(words))
    ls.MultiOutputRidge().fit(form(words), form(labels))
    # Features scaled to [0, 1] are not refused as labels.
    with pytest.warns(UserWarning, match=r"swapped: .* y has 30 columns and numbers between 0 and"):
        ls.MDDM(2).fit(form(labels), form(words * rng.random(words.shape)))


def test_codes_of_a_category_are_features():
    rng = np.random.default_rng(0)
    category = np.eye(4)[rng.integers(0, 4, 60)]
    ls.MultiOutputRidge().fit(category, (rng.random((60, 9)) < 0.5).astype(int))
    # Nor is a narrow X of other numbers a matrix of labels.
    ls.MultiOutputRidge().fit(2 * category, (rng.random((60, 9)) < 0.5).astype(int))
