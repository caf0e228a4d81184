"""A ridge has the units of the matrix that it is added to, and never favours noise."""

import numpy as np
import pytest
from scipy import linalg
from sklearn.base import clone

import labelspan as ls
from labelspan.metrics import micro_f1
from tests.comparison import assert_same_subspaces
from tests.laws.test_laws import EVERY, problem
from tests.reference import extraction as reference
from tests.registry import name


def unchanged(model, c):
    """No parameter has units: both sides of the problem scale equally."""
    return {}


def ridge(model, c):
    """The ridge is added to a scatter of X."""
    return {} if model.ridge == "auto" else {"ridge": c**2 * model.ridge}


def mddm(model, c):
    """Keep the ratio of mu xx to (1 - mu) I."""
    if model.constraint == "projection" or model.mu == "auto":
        return {}
    mu = model.mu
    return {"mu": mu / (mu + (1 - mu) * c**2)}


def mlsi(model, c):
    """Keep the ratios of (1 - beta) XX', beta TT' and joint_ridge I, and that of their inverse."""
    beta = model.beta
    together = beta * c**2 / (1 - beta + beta * c**2)
    factor = together / beta
    if model.form == "original":
        return {"beta": together, "ridge": c**2 * model.ridge}
    return {
        "beta": together,
        "joint_ridge": factor * model.joint_ridge,
        "ridge": c**2 / factor * model.ridge,
    }


# A method without a line here has no parameter with units.
SCALED = {
    ls.MDDM: mddm,
    ls.MVMD: unchanged,
    ls.LabelCCA: ridge,
    ls.OPLS: ridge,
    ls.HSL: ridge,
    ls.EmbeddingReducer: ridge,
    ls.MLSI: mlsi,
    ls.MLDA: ridge,
    ls.DMLDA: ridge,
    ls.LPP: ridge,
}


def unit_rows(A):
    return A / np.linalg.norm(A, axis=1, keepdims=True)


@pytest.mark.parametrize("c", [1e-3, 50.0])
@pytest.mark.parametrize("method", EVERY, ids=name)
def test_scaling_x_and_the_ridge_together_changes_only_lengths(method, c, rng):
    X, Y = problem(rng)
    plain = clone(method.estimator).fit(X, Y)
    changed = SCALED.get(type(plain), unchanged)(plain, c)
    scaled = clone(method.estimator).set_params(**changed).fit(c * X, Y)
    np.testing.assert_allclose(
        scaled.eigenvalues_ / scaled.eigenvalues_[0],
        plain.eigenvalues_ / plain.eigenvalues_[0],
        rtol=1e-6,
    )
    np.testing.assert_allclose(
        unit_rows(scaled.components_), unit_rows(plain.components_), atol=1e-6
    )


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("method", EVERY, ids=name)
def test_a_feature_of_tiny_variance_does_not_win(method, scale, rng):
    X, Y = problem(rng, n=300)
    X = scale * np.column_stack([X, 1e-4 * rng.standard_normal(len(X))])
    model = clone(method.estimator).fit(X, Y)
    # What the feature adds to the first new feature, relative to its spread.
    added = np.abs(model.components_[0, -1]) * X[:, -1].std()
    assert added < 0.3 * model.transform(X)[:, 0].std()


@pytest.mark.parametrize("data", ["yeast", "scene", "emotions", "medical", "enron"])
def test_a_large_ridge_turns_lpp_to_variance_and_not_away_from_it(data, training):
    X, _ = training(data)
    # In small units the ridge of 0.1 outweighs the scatter.
    directions = unit_rows(ls.LPP(5).fit(1e-3 * X).components_)
    spread = ((X - X.mean(axis=0)) @ directions.T).var(axis=0)
    # A random direction has the mean variance of a feature.
    assert np.median(spread) > X.var(axis=0).mean()


@pytest.mark.parametrize("data", ["scene", "emotions"])
def test_the_units_of_x_do_not_ruin_lpp(data, dataset):
    source = dataset(data)
    X, Y = source.X[source.train], source.Y[source.train]
    scores = []
    for scale in (1e-3, 1.0, 1e3):
        reducer = ls.LPP(5).fit(scale * X)
        model = ls.MLkNN().fit(reducer.transform(scale * X), Y)
        predicted = model.predict(reducer.transform(scale * source.X[source.test]))
        scores.append(micro_f1(source.Y[source.test], predicted))
    assert max(scores) - min(scores) < 0.08


def test_without_a_ridge_lpp_is_the_minimum_of_the_paper(rng):
    X, _ = problem(rng)
    model = ls.LPP(5, ridge=1e-12).fit(X)
    Xc, W = X - X.mean(axis=0), reference.neighbour_graph(X, 10)
    D = np.diag(W.sum(axis=1))
    values, vectors = linalg.eigh(Xc.T @ (D - W) @ Xc, Xc.T @ D @ Xc)
    np.testing.assert_allclose(model.eigenvalues_, 1 - values[:5], rtol=1e-9)
    assert_same_subspaces(model.components_.T, vectors, 1 - values)
