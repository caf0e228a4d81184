"""Every method against the literal transcription of the paper."""

import numpy as np
import pytest
from scipy import sparse

from labelspan.labelspace import CPLST, OCCA, PLST
from tests.comparison import sine
from tests.labelspace.problems import problem
from tests.reference import labelspace as reference

PAIRS = [(PLST, reference.plst), (CPLST, reference.cplst), (OCCA, reference.occa)]
IDS = ["plst", "cplst", "occa"]
FRACTIONS = [0.2, 0.4, 0.6, 0.8, 1.0]


def assert_same_directions(model, values, V):
    """The same eigenvalues, and the same spaces wherever they leave a gap."""
    scale = np.abs(values).max()
    ours = -model.eigenvalues_ if isinstance(model, OCCA) else model.eigenvalues_
    assert np.abs(ours - values[: len(ours)]).max() <= 1e-9 * scale
    for k in cuts(values, len(ours)):
        assert sine(model.components_[:k].T, V[:k].T) <= 1e-8
    identity = model.components_ @ model.components_.T
    np.testing.assert_allclose(identity, np.eye(len(identity)), atol=1e-10)


def cuts(values, limit):
    """Numbers of directions after which the eigenvalues leave a gap: first, middle, last."""
    gaps = values[:-1] - values[1:] > 1e-4 * np.abs(values).max()
    found = [k for k in np.flatnonzero(gaps) + 1 if k <= limit]
    assert found
    return sorted({found[0], found[len(found) // 2], found[-1]})


def assert_same_predictions(model, V, X, Y, Xnew):
    # X^+ Z V' for every M from one pseudo-inverse, which takes its time.
    W, mean = reference.regression(X, reference.shifted(Y)), Y.mean(axis=0)
    for fraction in FRACTIONS:
        M = int(fraction * Y.shape[1])
        theirs = (Xnew - X.mean(axis=0)) @ W @ V[:M].T @ V[:M] + mean > 0.5
        ours = model.truncate(min(M, model.n_components_)).predict(Xnew)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("method", "transcription"), PAIRS, ids=IDS)
@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("shape", [(80, 10, 6), (80, 4, 9), (20, 12, 30)])
def test_directions_and_scores_on_random_data(method, transcription, ridge, shape):
    n, n_features, n_labels = shape
    X, Y = problem(1, n, n_features, n_labels)
    model = method(ridge=ridge).fit(X, Y)
    values, V = transcription(X, Y, ridge)
    assert_same_directions(model, values, V)
    for M in cuts(values, model.n_components_):
        theirs = reference.scores(X, Y, V[:M], X, ridge)
        np.testing.assert_allclose(model.truncate(M).decision_function(X) + 0.5, theirs, atol=1e-8)


@pytest.mark.filterwarnings("ignore:Without a ridge the features")
@pytest.mark.parametrize(("method", "transcription"), PAIRS[:2], ids=IDS[:2])
@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_fewer_rows_than_features(method, transcription, ridge):
    X, Y = problem(2, n=15, n_features=40, n_labels=6)
    Xnew = problem(3, n=15, n_features=40)[0]
    model = method(ridge=ridge).fit(X, Y)
    values, V = transcription(X, Y, ridge)
    assert_same_directions(model, values, V)
    theirs = reference.scores(X, Y, V[:2], Xnew, ridge)
    np.testing.assert_allclose(model.truncate(2).decision_function(Xnew) + 0.5, theirs, atol=1e-8)


@pytest.mark.parametrize(("method", "transcription"), PAIRS, ids=IDS)
@pytest.mark.parametrize("name", ["yeast", "scene", "emotions", "enron"])
def test_predictions_are_those_of_the_transcription(dataset, name, method, transcription):
    check_dataset(dataset(name), method, transcription)


@pytest.mark.reproduce
@pytest.mark.parametrize(("method", "transcription"), PAIRS, ids=IDS)
def test_predictions_on_delicious(dataset, method, transcription):
    check_dataset(dataset("delicious"), method, transcription)


def check_dataset(data, method, transcription):
    X, Y = dense(data.X), dense(data.Y).astype(float)
    train, test = data.train, data.test
    model = method(ridge=0.0).fit(X[train], Y[train])
    values, V = transcription(X[train], Y[train])
    assert_same_directions(model, values, V)
    assert_same_predictions(model, V, X[train], Y[train], X[test])


def dense(A):
    return A.toarray() if sparse.issparse(A) else np.asarray(A)
