"""The length of the directions: P'BP = I, in the metric B that each docstring states.

Where projections have a variance of about 1, B is the paper's metric over n, the number of rows.
"""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neighbors import kneighbors_graph

import labelspan as ls
from tests.laws.test_laws import EVERY, problem
from tests.reference.extraction import embedding_metric, label_weights
from tests.registry import name


def ridged(scatter, ridge):
    return scatter + ridge * np.eye(len(scatter))


def spread(X, weights):
    """Sum over k of the scatter of the rows about mean k, row i counting weights[i, k]."""
    # A label may have no weight left.
    means = [w @ X / max(w.sum(), 1e-300) for w in weights.T]
    pairs = zip(weights.T, means, strict=True)
    return sum((X - m).T @ np.diag(w) @ (X - m) for w, m in pairs)


def mddm(model, X, Y):
    """P'P = I, or P'(mu Xc'Xc + (1 - mu) I)P = n mu I."""
    Xc = X - X.mean(axis=0)
    mu = model.mu_
    return ridged(mu * Xc.T @ Xc, 1 - mu) / (len(X) * mu if mu else 1)


def identity(model, X, Y):
    """P'P = I."""
    return np.eye(X.shape[1])


def feature_scatter(model, X, Y):
    """P'(Xc'Xc + ridge I)P = n I."""
    Xc = X - X.mean(axis=0)
    return ridged(Xc.T @ Xc, model.ridge_) / len(X)


def embedding(model, X, Y):
    """P'S^-1 P = I in the metric S of the mixed kernel."""
    return np.linalg.inv(embedding_metric(X, Y, model.balance_, model.ridge_))


def mlsi(model, X, Y):
    """The right-hand side of Eq. (39), with the inverse of n x n, or that of the original form."""
    Xc, S = X - X.mean(axis=0), 2.0 * Y - 1
    if model.form == "original":
        return ridged(Xc.T @ Xc, model.ridge)
    Sc = S - S.mean(axis=0)
    joint = (1 - model.beta) * Xc @ Xc.T + model.beta * Sc @ Sc.T
    return ridged(Xc.T @ np.linalg.inv(ridged(joint, model.joint_ridge)) @ Xc, model.ridge)


def within_labels(model, X, Y):
    """S_w about the means of the labels, rows weighed by W."""
    return ridged(spread(X, label_weights(X, Y, model.weights)), model.ridge)


def lpp(model, X, Y):
    """Xc'DXc + ridge I, the degrees D from scikit-learn's graph."""
    one_way = kneighbors_graph(X, model.n_neighbors).toarray()
    degrees = np.maximum(one_way, one_way.T).sum(axis=1)
    Xc = X - X.mean(axis=0)
    return ridged(Xc.T @ np.diag(degrees) @ Xc, model.ridge)


# A method without a line here has orthonormal directions, as its docstring must state.
METRICS = {
    ls.MDDM: mddm,
    ls.MVMD: identity,
    ls.LabelCCA: feature_scatter,
    ls.OPLS: feature_scatter,
    ls.HSL: feature_scatter,
    ls.EmbeddingReducer: embedding,
    ls.MLSI: mlsi,
    ls.MLDA: within_labels,
    ls.DMLDA: within_labels,
    ls.LPP: lpp,
}


@pytest.mark.filterwarnings("ignore:Without a ridge the features fit any label")
@pytest.mark.parametrize("shape", [(90, 12), (25, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("method", EVERY, ids=name)
def test_directions_are_orthonormal_in_the_stated_metric(method, shape, rng):
    X, Y = problem(rng, *shape)
    # The means of the LDA types need a row of each label.
    assert Y.any(axis=0).all()
    model = clone(method.estimator).fit(X, Y)
    P = model.components_.T
    B = METRICS.get(type(model), identity)(model, X, Y)
    np.testing.assert_allclose(P.T @ B @ P, np.eye(model.n_components_), atol=1e-8)
