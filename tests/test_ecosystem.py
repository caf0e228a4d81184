"""The extractors inside the tools that people use: scikit-learn, pandas, polars, pickle, skops."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import labelspan as ls
from labelspan.datasets import load_yeast


def test_pipeline_and_grid_search_on_sparse_data():
    yeast = load_yeast()
    X = sparse.csr_array(np.where(yeast.X > 0.05, yeast.X, 0.0))[:300]
    search = GridSearchCV(
        make_pipeline(ls.MDDM(), KNeighborsClassifier()),
        {"mddm__constraint": ["projection", "feature"], "mddm__n_components": [2, 0.9]},
        scoring="f1_micro",
        cv=3,
    )
    search.fit(X, yeast.Y[:300])
    assert (search.cv_results_["mean_test_score"] > 0.5).all()
    np.testing.assert_array_equal(search.predict(X).shape, (300, 14))


@pytest.mark.parametrize(
    "model",
    [ls.MDDM(), ls.MDDM(constraint="feature"), ls.OPLS(), ls.LabelCCA(), ls.MLDA(), ls.MVMD(20)],
    ids=str,
)
def test_a_large_sparse_x_is_never_made_dense(model, dataset):
    import tracemalloc

    data = dataset("rcv1subset1")
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    model = clone(model).fit(data.X, data.Y)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    X = data.X
    at_hand = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + data.Y.nbytes
    assert peak < 10 * (at_hand + model.components_.nbytes)
    # A D x D array would be 17.8 GB, a dense X 2.3 GB.
    assert peak < 1e9


def test_krylov_solution_on_rcv1_is_certified_by_its_residual(dataset):
    data = dataset("rcv1subset1")
    model = ls.MDDM(20, constraint="feature", mu=0.5).fit(data.X, data.Y)
    assert model.solver_ == "krylov"
    # Projections have a variance of about 1: P'BP = mu n I.
    X, Y, V = data.X, data.Y - data.Y.mean(axis=0), model.components_.T / np.sqrt(0.5 * len(data.Y))
    projected = X @ V - model.mean_ @ V
    # The columns of Y are centred: X need not be.
    left = X.T @ (Y @ (Y.T @ projected))
    right = 0.5 * (X.T @ projected - np.outer(model.mean_, projected.sum(axis=0))) + 0.5 * V
    np.testing.assert_allclose(V.T @ right, np.eye(20), atol=1e-7)
    residual = np.linalg.norm(left - right * model.eigenvalues_[:20], axis=0)
    assert (residual <= 1e-7 * model.eigenvalues_[0] * np.linalg.norm(right, axis=0)).all()
    # Other eigenvectors would pass so far. All eigenvalues, by the kernel matrix of the rows:
    K = (X @ X.T).toarray()
    K -= K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    solved = linalg.solve(0.5 * (K + np.eye(len(K))), Y, assume_a="pos", overwrite_a=True)
    largest = linalg.eigvalsh(Y.T @ K @ solved)[::-1]
    np.testing.assert_allclose(model.eigenvalues_[:20], largest[:20], rtol=1e-7)
