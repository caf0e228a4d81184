"""The container: defaults from X and Y, and refused input."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from labelspan.datasets import MultilabelDataset, load_yeast, read_npz, write_npz

X = np.arange(6.0).reshape(3, 2)
Y = np.eye(3, dtype=np.uint8)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, np.ndarray.tolist])
def test_features_and_labels_alone(convert, tmp_path):
    dataset = MultilabelDataset(X=convert(X), Y=convert(Y))
    assert (dataset.name, dataset.source, dataset.train, dataset.test) == ("data", "", None, None)
    assert dataset.feature_names == ("feature0", "feature1")
    assert dataset.label_names == ("label0", "label1", "label2")
    write_npz(dataset, tmp_path / "t.npz")
    read = read_npz(tmp_path / "t.npz")
    assert read.label_names == dataset.label_names
    assert (read.X != X).sum() == 0


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_bring_their_names(frame):
    dataset = MultilabelDataset(X=frame({"a": X[:, 0], "b": X[:, 1]}), Y=frame({"l": [0, 1, 1]}))
    np.testing.assert_array_equal(dataset.X, X)
    assert isinstance(dataset.Y, np.ndarray)
    assert (dataset.feature_names, dataset.label_names) == (("a", "b"), ("l",))


REFUSED = [
    ({"X": X}, TypeError, "Y is missing; give MultilabelDataset(X=X, Y=Y)"),
    ({"X": X, "Y": Y[:2]}, ValueError, "X has 3 rows and Y has 2; they must agree"),
    ({"X": X, "Y": [0, 1, 1]}, ValueError, "Y has 1 dimensions; expected 2, samples by labels"),
    ({"X": X, "Y": Y, "label_names": ("a",)}, ValueError, "label_names has 1 names; Y has 3 col"),
    ({"X": X, "Y": Y, "train": [0, 3]}, ValueError, "train must be row numbers from 0 to 2"),
    ({"X": X, "Y": Y, "test": [0.5]}, ValueError, "test must be row numbers from 0 to 2"),
    ({"name": X, "X": Y}, TypeError, "name is of type ndarray; give a string, and the arrays by"),
]


@pytest.mark.parametrize(("fields", "error", "message"), REFUSED)
def test_what_does_not_fit_is_refused(fields, error, message):
    with pytest.raises(error, match=re.escape(message)):
        MultilabelDataset(**fields)


def test_replace_keeps_the_rest_and_checks_again():
    yeast = load_yeast()
    assert replace(yeast, Y=yeast.Y > 0).label_names == yeast.label_names
    with pytest.raises(ValueError, match="feature_names has 103 names; X has 2 columns"):
        replace(yeast, X=yeast.X[:, :2])
