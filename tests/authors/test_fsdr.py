"""ML-FSDR, a toolbox that is not by the authors of the methods: a second opinion."""

import numpy as np
import pytest

import labelspan as ls
from tests.comparison import sine
from tests.oracles import arrays, whole
from tests.reference import extraction as reference

METHODS = {
    "pca": ls.MVMD(None, beta=0),
    "mddm": ls.MDDM(None),
    "opls": ls.OPLS(None, ridge=0.1),
    "cca": ls.LabelCCA(None, ridge=0.1, label_ridge=0),
}
SETS = ("emotions", "yeast", "scene")


def sample(name):
    held = arrays("fsdr")
    X, Y = whole(name)
    rows = held[f"{name}_rows"]
    return X[rows], Y[rows], {key: held[f"{name}_{key}"] for key in (*METHODS, "mlsi", "mlda")}


@pytest.mark.parametrize("key", METHODS)
@pytest.mark.parametrize("name", SETS)
def test_directions(name, key):
    X, Y, theirs = sample(name)
    theirs = theirs[key]
    ours = METHODS[key].fit(X, Y).components_[: theirs.shape[1]].T
    assert sine(ours, theirs) <= 1e-8


@pytest.mark.parametrize("name", SETS)
def test_mlsi_there_is_the_original_problem(name):
    # Eq. (39) of the MVMD paper has the inverse of the joint kernel, and so has the program of its
    # author.
    X, Y, theirs = sample(name)
    M = theirs["mlsi"].shape[1]
    original = ls.MLSI(M, form="original").fit(X, Y).components_.T
    assert sine(original, theirs["mlsi"]) <= 1e-8
    assert sine(ls.MLSI(M).fit(X, Y).components_.T, theirs["mlsi"]) > 0.4


@pytest.mark.parametrize("name", SETS)
def test_mlda_there_centres_by_other_weights(name):
    # It uses the mean with weights C y instead of C y / |y|, so S_b is not centred.
    X, Y, theirs = sample(name)
    M = theirs["mlda"].shape[1]
    weights = reference.correlation_weights(Y)
    counts, others = weights.sum(axis=0), (weights * Y.sum(axis=1)[:, None]).sum(axis=1)
    about = weights.T @ X / counts[:, None] - others @ X / others.sum()
    within = X.T @ reference.within(weights) @ X + 0.1 * np.eye(X.shape[1])
    _, literal = reference.largest(about.T @ np.diag(counts) @ about, within)
    assert sine(literal[:, :M], theirs["mlda"]) <= 1e-8
    assert sine(ls.MLDA(M).fit(X, Y).components_.T, theirs["mlda"]) > 0.3
