"""Labels in memory are int64: scikit-learn counts columns in the dtype of the labels."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB

import labelspan as ls
from labelspan.datasets import (
    MultilabelDataset,
    from_frame,
    load_yeast,
    read_arff,
    read_csv,
    read_libsvm,
    read_mat,
    read_npz,
    read_xmc,
    write_arff,
    write_csv,
    write_libsvm,
    write_npz,
)
from labelspan.lab.cli import main

# More than the 255 columns that uint8 can number.
N_LABELS = 300
NAMES = [f"label{j}" for j in range(N_LABELS)]


def labels(n_rows=60, seed=0):
    """Features, and labels of which each has rows with and without it."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 4)).round(3)
    Y = (X @ rng.standard_normal((4, N_LABELS)) > 0).astype(np.int64)
    Y[0], Y[1] = 0, 1
    return X, Y


def frame_of(data):
    columns = [*data.feature_names, *data.label_names]
    return pd.DataFrame(np.hstack([data.X, data.Y]), columns=columns)


def through_sets(data, path):
    tags = [[data.label_names[j] for j in np.flatnonzero(row)] for row in data.Y]
    read = from_frame(pd.DataFrame(data.X).rename(columns=str).assign(tags=tags), labels="tags")
    order = [read.label_names.index(name) for name in data.label_names]
    return replace(read, Y=read.Y[:, order], label_names=data.label_names)


def through_mat(data, path):
    scipy.io.savemat(path, {"data": data.X, "target": data.Y.astype(np.uint8)})
    return read_mat(path)


def through_xmc(data, path):
    rows = [
        f"{','.join(map(str, np.flatnonzero(y)))} "
        + " ".join(f"{j}:{value:g}" for j, value in enumerate(x))
        for x, y in zip(data.X, data.Y, strict=True)
    ]
    path.write_text("\n".join([f"{len(data.X)} 4 {N_LABELS}", *rows]) + "\n")
    return read_xmc(path)


def through_reduce(data, path):
    given, out = path.with_suffix(".given.npz"), path.with_suffix(".npz")
    write_npz(data, given)
    arguments = ["labelspan", "reduce", str(given), "--out", str(out), "--rows", "all"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit):
            main()
    with np.load(out) as stored:
        # Not only by read_npz, because others open the file with NumPy.
        return MultilabelDataset(X=data.X, Y=stored["Y"])


def through(write, read):
    def call(data, path):
        write(data, path)
        return read(path)

    return call


WAYS = {
    "npz": through(write_npz, read_npz),
    "npz-small": lambda data, path: (
        np.savez(path.with_suffix(".npz"), X=data.X, Y=data.Y.astype(np.uint8)),
        read_npz(path.with_suffix(".npz")),
    )[1],
    "arff": through(write_arff, read_arff),
    "sparse-arff": lambda data, path: WAYS["arff"](
        replace(data, X=sp.csr_array(data.X), Y=sp.csr_array(data.Y)), path
    ),
    "csv": through(write_csv, lambda path: read_csv(path, labels=NAMES)),
    "libsvm": through(write_libsvm, lambda path: read_libsvm(path, n_labels=N_LABELS)),
    "xmc": through_xmc,
    "mat": through_mat,
    "frame": lambda data, path: from_frame(frame_of(data), labels=NAMES),
    "sets": through_sets,
    "arrays": lambda data, path: MultilabelDataset(X=data.X, Y=data.Y.astype(np.int8)),
    "booleans": lambda data, path: MultilabelDataset(X=data.X, Y=sp.csr_array(data.Y > 0)),
    "reduce": through_reduce,
}


def as_dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def read_back(way, path):
    X, Y = labels()
    read = WAYS[way](MultilabelDataset(X=X, Y=Y, label_names=tuple(NAMES)), path)
    assert read.Y.dtype == np.int64
    np.testing.assert_array_equal(as_dense(read.Y), Y)
    return read.Y


@pytest.mark.parametrize("way", WAYS)
def test_scikit_learn_learns_300_labels_from_every_source(way, tmp_path):
    X, Y = labels()
    found = OneVsRestClassifier(GaussianNB()).fit(X, read_back(way, tmp_path / "data")).predict(X)
    each = [GaussianNB().fit(X, y).predict(X) for y in Y.T]
    np.testing.assert_array_equal(as_dense(found), np.column_stack(each))


@pytest.mark.parametrize("way", ["csv", "sparse-arff", "reduce"])
@pytest.mark.parametrize("several", [MultiOutputClassifier, ClassifierChain])
def test_chains_learn_300_labels(way, several, tmp_path):
    X, Y = labels()
    read = as_dense(read_back(way, tmp_path / "data"))
    found, expected = (several(GaussianNB()).fit(X, each).predict(X) for each in (read, Y))
    assert (expected == Y).mean() > 0.7
    np.testing.assert_array_equal(found, expected)


PREDICTORS = [
    ls.MultiOutputRidge(),
    ls.MLkNN(3),
    ls.ThresholdTuner(ls.MultiOutputRidge()),
    ls.SharedSubspaceClassifier(2),
    ls.PLST(5, ridge=0.0),
    ls.ReducerCV(n_components=[2], cv=2),
    ls.CLaRankSVM(max_iter=3),
]


@pytest.mark.filterwarnings("ignore:Label not:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", PREDICTORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("as_given", [lambda Y: Y.astype(np.uint8), lambda Y: Y > 0, sp.csr_array])
def test_predictions_of_300_labels_are_labels_to_learn_from(estimator, as_given):
    X, Y = labels()
    predicted = estimator.fit(X, as_given(Y)).predict(X)
    assert predicted.dtype == np.int64
    found = OneVsRestClassifier(GaussianNB()).fit(X, predicted).predict(X)
    each = [GaussianNB().fit(X, y).predict(X) if np.ptp(y) else y for y in as_dense(predicted).T]
    np.testing.assert_array_equal(as_dense(found), np.column_stack(each))


def test_yeast_and_a_benchmark_set_have_int64_labels(data_folder):
    assert load_yeast().Y.dtype == np.int64
    assert ls.datasets.load_dataset("emotions", download=False).Y.dtype == np.int64


def test_a_memory_map_keeps_its_dtype(tmp_path):
    X, Y = labels()
    np.save(tmp_path / "Y.npy", Y.astype(np.uint8))
    mapped = np.load(tmp_path / "Y.npy", mmap_mode="r")
    assert np.shares_memory(MultilabelDataset(X=X, Y=mapped).Y, mapped)
    assert ls.datasets.blocks_of(X, tmp_path / "Y.npy")[0][1].dtype == np.uint8


def test_observed_and_soft_labels_stay_numbers():
    X, Y = labels()
    holes = np.where(Y == 1, np.nan, Y)
    np.testing.assert_array_equal(MultilabelDataset(X=X, Y=holes).Y, holes)
    np.testing.assert_array_equal(MultilabelDataset(X=X, Y=Y / 2).Y, Y / 2)
