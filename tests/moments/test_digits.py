"""The warning about columns with few digits left after centring."""

import numpy as np
import pytest
from scipy import sparse

import labelspan as ls
from labelspan.classifiers import MultiOutputRidge
from labelspan.labelspace import CPLST, PLST
from labelspan.subspace import SharedSubspaceClassifier

MODELS = [
    ls.MDDM(2),
    ls.MDDM(2, constraint="feature"),
    ls.MVMD(2),
    ls.OPLS(2),
    ls.OPLS(2, ridge=0.0),
    ls.MLDA(2),
    ls.DMLDA(2),
    MultiOutputRidge(),
    MultiOutputRidge(0.0),
    PLST(ridge=0.0),
    CPLST(ridge=1.0),
    SharedSubspaceClassifier(2),
]


def problem(rng, mean, n_rows=60):
    X = rng.standard_normal((n_rows, 9))
    Y = (X[:, :3] + rng.standard_normal((n_rows, 3)) > 0).astype(int)
    X[:, 4] += mean
    X[:, 6] = 3e12
    return X, Y


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_column_that_rounding_reaches_is_named(model, rng):
    X, Y = problem(rng, 1e9)
    with pytest.warns(UserWarning, match=r"1 column\(s\) of X \(4\) .* about 1e\+09\. Subtract"):
        model.fit(X, Y)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_eight_digits_are_enough(model, rng):
    # Warnings are errors here: a mean ten million times the spread does not warn, nor does a
    # constant.
    model.fit(*problem(rng, 1e7))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_fewer_rows_than_features(form, rng):
    X, Y = problem(rng, 1e9, 7)
    for model in (ls.OPLS(2), MultiOutputRidge(), CPLST(1, ridge=1.0)):
        with pytest.warns(UserWarning, match=r"1 column\(s\) of X \(4\)"):
            model.fit(form(X), Y)


def test_the_matrix_free_route(rng, limit):
    limit("krylov side", 5)
    X, Y = problem(rng, 1e9)
    for model in (ls.OPLS(2), ls.MLDA(2), MultiOutputRidge(), CPLST(1, ridge=1.0)):
        with pytest.warns(UserWarning, match=r"1 column\(s\) of X \(4\)"):
            model.fit(sparse.csr_array(X), Y)


def test_many_columns_are_counted(rng):
    X, Y = problem(rng, 0.0)
    X[:, 6] = rng.standard_normal(len(X))
    with pytest.warns(UserWarning, match=r"9 column\(s\) of X \(0, 1, 2, 3, 4, \.\.\.\)"):
        ls.MDDM(1).fit(X + 1e10, Y)


def test_a_difference_of_scatters_that_is_rounding_says_so(rng):
    # Column 1 is a function of the label up to one part in a million.
    y = rng.integers(0, 2, 50)
    X = np.column_stack([rng.standard_normal(50), 1e6 * y + rng.standard_normal(50)])
    with pytest.warns(UserWarning, match=r"Along column 1 .* fewer than 8 digits .* Raise ridge"):
        ls.DMLDA(1, ridge=1e-6).fit(X, np.column_stack([y, 1 - y]))
