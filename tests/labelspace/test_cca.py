"""LabelSpaceCCA against its transcription, and its relations to the other methods."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cross_decomposition import CCA
from sklearn.linear_model import Ridge

from labelspan.extraction import LabelCCA
from labelspan.labelspace import CPLST, OCCA, PLST, LabelSpaceCCA
from tests.comparison import sine
from tests.labelspace.problems import problem
from tests.reference import labelspace as reference

RIDGES = [(0.0, 0.0), (0.7, 0.0), (0.0, 3.0), (0.7, 3.0)]


def compare(X, Y, X_new, M, ridge, label_ridge):
    """Correlations, codes, decoding and scores against the dense equations."""
    model = LabelSpaceCCA(M, ridge=ridge, label_ridge=label_ridge).fit(X, Y)
    values, W = reference.cca(X, Y, ridge, label_ridge)
    assert_allclose(model.eigenvalues_[:M], values[:M], atol=1e-9)
    W = W[:M]
    assert sine(model.components_.T, W.T) < 1e-8
    scale = np.sum(model.components_**2, axis=1) / np.sum(W**2, axis=1)
    assert_allclose(scale, len(X), rtol=1e-6)
    D = reference.decoding(Y, model.components_, label_ridge)
    assert_allclose(model.decoding_, D, atol=1e-8)
    codes = reference.shifted(Y) @ W.T
    predicted = (X_new - X.mean(axis=0)) @ reference.regression(X, codes, ridge)
    expected = predicted @ reference.decoding(Y, W, label_ridge) + Y.mean(axis=0) - 0.5
    assert_allclose(model.decision_function(X_new), expected, atol=1e-8)
    Z = reference.shifted(Y)
    encoding = np.linalg.norm(Z - Z @ model.components_.T @ D) ** 2
    assert model.errors(X, Y).encoding == pytest.approx(encoding, rel=1e-8)


@pytest.mark.parametrize(("ridge", "label_ridge"), RIDGES)
@pytest.mark.parametrize("shape", [(80, 10, 6), (80, 4, 9), (200, 3, 2)])
def test_equals_the_transcription(ridge, label_ridge, shape):
    X, Y = problem(1, *shape)
    compare(X, Y, problem(2, *shape)[0], 2, ridge, label_ridge)


@pytest.mark.parametrize(("ridge", "label_ridge"), RIDGES)
@pytest.mark.parametrize("name", ["yeast", "emotions"])
def test_equals_the_transcription_on_real_data(training, name, ridge, label_ridge):
    X, Y = training(name)
    compare(X[:-50], Y[:-50], X[-50:], 4, ridge, label_ridge)


def test_a_label_that_is_the_sum_of_others_needs_no_ridge():
    X, Y = problem(1)
    Y = np.column_stack([Y[:, :3], 1 - Y[:, 0], np.zeros(len(Y), dtype=int)])
    compare(X, Y, X, 2, 0.5, 0.0)


def test_the_correlations_are_those_of_cca():
    X, Y = problem(3, n=300)
    model = LabelSpaceCCA(2, ridge=0.0, label_ridge=0.0).fit(X, Y)
    peer = CCA(2, max_iter=20_000, tol=1e-12).fit(X, Y.astype(float))
    left, right = peer.transform(X, Y.astype(float))
    found = [np.corrcoef(left[:, j], right[:, j])[0, 1] ** 2 for j in range(2)]
    assert_allclose(model.eigenvalues_[:2], found, rtol=1e-5)
    codes = model.encode(Y)
    assert_allclose(codes.T @ codes / len(X), np.eye(2), atol=1e-10)


@pytest.mark.parametrize(("ridge", "label_ridge"), [(0.5, 0.0), (0.5, 2.0), (3.0, "auto")])
@pytest.mark.parametrize("shape", [(80, 10, 6), (80, 3, 6), (20, 30, 6)])
def test_all_codes_are_ridge_regression_whatever_the_label_ridge(ridge, label_ridge, shape):
    X, Y = problem(4, *shape)
    X_new = problem(5, *shape)[0]
    model = LabelSpaceCCA(ridge=ridge, label_ridge=label_ridge).fit(X, Y)
    peer = Ridge(alpha=ridge).fit(X, Y).predict(X_new)
    assert_allclose(model.decision_function(X_new) + 0.5, peer, atol=1e-8)


def test_a_large_label_ridge_gives_the_codes_of_cplst():
    X, Y = problem(6)
    model = LabelSpaceCCA(3, ridge=0.0, label_ridge=1e9).fit(X, Y)
    peer = CPLST(3, ridge=0.0).fit(X, Y)
    assert sine(model.components_.T, peer.components_.T) < 1e-6
    assert_allclose(model.decision_function(X), peer.decision_function(X), atol=1e-5)


def test_it_is_the_other_side_of_the_feature_directions():
    X, Y = problem(7)
    labels = LabelSpaceCCA(3, ridge=0.3, label_ridge=0.2).fit(X, Y)
    # Of labels in {-1, +1}, four times the ridge.
    features = LabelCCA(3, ridge=0.3, label_ridge=0.8).fit(X, Y)
    assert_allclose(labels.eigenvalues_[:3], features.eigenvalues_[:3], atol=1e-10)
    assert sine(labels.regressor_.coef_.T, features.components_.T) < 1e-7


def test_of_codes_that_are_uncorrelated_none_is_predicted_better():
    X, Y = problem(8)
    model = LabelSpaceCCA(3, ridge=0.0, label_ridge=0.0).fit(X, Y)
    least = model.errors(X, Y).prediction
    assert least == pytest.approx(len(X) * (3 - model.eigenvalues_[:3].sum()), rel=1e-9)
    rng, Z = np.random.default_rng(0), Y - Y.mean(axis=0)
    for _ in range(20):
        W = rng.standard_normal((3, Y.shape[1]))
        L = np.linalg.cholesky(W @ Z.T @ Z @ W.T / len(X))
        W = np.linalg.solve(L, W)
        assert reference.prediction_error(X, Y, W) >= least * (1 - 1e-9)


def test_the_first_codes_are_those_of_fewer():
    X, Y = problem(9)
    model, short = LabelSpaceCCA(ridge=0.1).fit(X, Y), LabelSpaceCCA(2, ridge=0.1).fit(X, Y)
    cut = model.truncate(2)
    assert_allclose(cut.decision_function(X), short.decision_function(X), atol=1e-10)
    assert_allclose(cut.errors(X, Y), short.errors(X, Y), rtol=1e-10)
    assert_allclose(model.truncate(0).decision_function(X[:1])[0], Y.mean(axis=0) - 0.5)


PAGE = Path(__file__).parents[2] / "docs/methods/cplst.md"


@pytest.mark.parametrize("method", [LabelSpaceCCA, CPLST, PLST, OCCA])
def test_the_losses_on_yeast_are_those_of_the_page(dataset, method):
    data, losses = dataset("yeast"), []
    no_ridge = {"label_ridge": 0.0} if method is LabelSpaceCCA else {}
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(data.X))
        train, test = order[:1933], order[1933:]
        model = method(ridge=0.0, **no_ridge).fit(data.X[train], data.Y[train])
        cut = [model.truncate(M).predict(data.X[test]) for M in (1, 2, 4, 6, 8, 10, 12)]
        losses.append([np.mean(predicted != data.Y[test]) for predicted in cut])
    row = " | ".join(f"{loss:.4f}".removeprefix("0") for loss in np.mean(losses, axis=0))
    assert f"| `{method.__name__}` | {row} |" in PAGE.read_text(encoding="utf-8")


def test_its_first_code_is_explained_best():
    X, Y = problem(10)
    shares = []
    for method, more in ((LabelSpaceCCA, {"label_ridge": 0.0}), (OCCA, {}), (CPLST, {})):
        model = method(1, ridge=0.0, **more).fit(X, Y)
        shares.append(1 - model.errors(X, Y).prediction / np.sum(model.encode(Y) ** 2))
    assert shares[0] >= max(shares[1:])
