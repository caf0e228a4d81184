"""The extractors inside the tools that people use: scikit-learn, pandas, polars, pickle, skops."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import labelspan as ls
from labelspan.datasets import load_yeast
from tests.registry import ALL, RIDGE_FREE, name

DEFAULTS = [
    ls.MDDM(),
    ls.MVMD(),
    ls.LabelCCA(),
    ls.OPLS(),
    ls.MLSI(),
    ls.MLDA(),
    ls.DMLDA(),
    ls.LPP(2, n_neighbors=3),
]
VARIANTS = [
    ls.MDDM(constraint="feature"),
    ls.MDDM(label_correlation="rbf"),
    ls.OPLS(ridge=0),
    ls.LabelCCA(2, ridge=0, label_ridge=0),
    ls.MVMD(2),
]


# Some of the checks have fewer directions than n_components=2, and say so.
@pytest.mark.filterwarnings("ignore:n_components:UserWarning")
@pytest.mark.filterwarnings("ignore:n_neighbors:UserWarning")
# One check is for arrays of other libraries, which are not installed here.
@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(DEFAULTS + VARIANTS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("method", ALL, ids=name)
def test_frames_in_names_out(method, library):
    yeast = load_yeast()
    X, Y = yeast.X[:150, :20], yeast.Y[:150]
    feature_names, label_names = list(yeast.feature_names[:20]), list(yeast.label_names)
    X_frame = library(dict(zip(feature_names, X.T, strict=True)))
    Y_frame = library(dict(zip(label_names, Y.T, strict=True)))
    model = clone(method.estimator).fit(X_frame, Y_frame)
    plain = clone(method.estimator).fit(X, Y)
    np.testing.assert_allclose(model.components_, plain.components_, atol=1e-10)
    assert model.feature_names_in_.tolist() == feature_names
    if method.supervised:
        assert model.label_names_.tolist() == label_names
    kind = "pandas" if library is pd.DataFrame else "polars"
    projected = model.set_output(transform=kind).transform(X_frame)
    prefix = type(model).__name__.lower()
    assert list(projected.columns) == [f"{prefix}{i}" for i in range(model.n_components_)]
    assert list(projected.columns) == model.get_feature_names_out().tolist()
    np.testing.assert_allclose(np.asarray(projected), plain.transform(X), atol=1e-10)


def test_wrong_column_names_are_refused():
    yeast = load_yeast()
    frame = pd.DataFrame(yeast.X[:100], columns=yeast.feature_names)
    model = ls.MVMD().fit(frame, yeast.Y[:100])
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(frame.rename(columns={"Att1": "other"}))


@pytest.mark.parametrize("method", [*ALL, *RIDGE_FREE], ids=name)
def test_pickle_skops_and_clone(method):
    yeast = load_yeast()
    X, Y = yeast.X[:120, :15], yeast.Y[:120]
    model = clone(method.estimator).fit(X, Y)
    expected = model.transform(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X), expected)
    stored = skops.io.dumps(model)
    own = skops.io.get_untrusted_types(data=stored)
    assert all(kind.startswith("labelspan.") for kind in own)
    np.testing.assert_array_equal(skops.io.loads(stored, trusted=own).transform(X), expected)
    assert not hasattr(clone(model), "components_")


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
    model = ls.MDDM(20, constraint="feature").fit(data.X, data.Y)
    assert model.solver_ == "krylov"
    X, Y, V = data.X, data.Y - data.Y.mean(axis=0), model.components_.T
    projected = X @ V - model.mean_ @ V
    left = X.T @ (Y @ (Y.T @ projected)) - np.outer(model.mean_, np.zeros(20))
    right = 0.5 * (X.T @ projected - np.outer(model.mean_, projected.sum(axis=0))) + 0.5 * V
    np.testing.assert_allclose(V.T @ right, np.eye(20), atol=1e-7)
    residual = np.linalg.norm(left - right * model.eigenvalues_[:20], axis=0)
    assert (residual <= 1e-7 * model.eigenvalues_[0] * np.linalg.norm(right, axis=0)).all()
