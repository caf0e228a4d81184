"""SemiSupervised against the dense equations, with its certificate, its gain and its refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelspan import MDDM, MLFS, OPLS, LabelPLS, MLkNN, SemiSupervised
from labelspan.datasets import load_yeast
from tests.reference.semisupervised import completed, neighbours


def holed(share=0.4, n=90, seed=0):
    yeast = load_yeast()
    X, Y = yeast.X[:n, :6].copy(), yeast.Y[:n, :5].astype(float)
    Y[np.random.default_rng(seed).random(Y.shape) < share] = np.nan
    Y[[3, 50]] = np.nan
    return X, Y


@pytest.mark.parametrize(("k", "alpha"), [(3, 0.5), (5, 0.99), (10, 0.9)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_labels_solve_the_dense_equations(k, alpha, form):
    X, Y = holed()
    model = SemiSupervised(MDDM(3), n_neighbors=k, alpha=alpha).fit(form(X), Y)
    expected = completed(X, Y, k, alpha)
    np.testing.assert_allclose(model.soft_labels_, expected, atol=1e-8)
    np.testing.assert_array_equal(model.soft_labels_[~np.isnan(Y)], Y[~np.isnan(Y)])
    inner = MDDM(3).fit(X, expected)
    np.testing.assert_allclose(model.transform(form(X)), inner.transform(X), atol=1e-7)


def test_the_residual_is_what_it_says():
    X, Y = holed()
    for tol in (1e-2, 1e-6):
        model = SemiSupervised(MDDM(3), n_neighbors=5, tol=tol).fit(X, Y)
        G, holes = neighbours(X, 5), np.isnan(Y)
        F, d = model.soft_labels_, neighbours(X, 5).sum(axis=1)
        worst = 0.0
        for label in range(5):
            u, m = holes[:, label], np.nanmean(Y[:, label])
            f = F[:, label] - m
            right = 0.99 * G[np.ix_(u, ~u)] @ f[~u]
            left = d[u] * f[u] - 0.99 * G[np.ix_(u, u)] @ f[u]
            worst = max(worst, np.linalg.norm(left - right) / np.linalg.norm(right))
        assert model.residual_ == pytest.approx(worst, rel=1e-6)
        assert model.residual_ <= 1.01 * tol
        assert model.n_iter_ > 1


def test_soft_labels_lie_among_the_observed_ones():
    """Means of neighbours: nothing is below the lowest or above the highest label."""
    X, Y = holed()
    Y[:, 0] = np.where(Y[:, 0] == 1, 0.7, Y[:, 0])
    Y[:, 1] = np.where(np.isnan(Y[:, 1]), np.nan, 1.0)
    F = SemiSupervised(MDDM(2)).fit(X, Y).soft_labels_
    assert F.min() >= 0
    assert F[:, 0].max() <= 0.7
    np.testing.assert_array_equal(F[:, 1], 1.0)


def test_no_hole_is_the_reducer_itself():
    yeast = load_yeast()
    for labels in (yeast.Y, sparse.csr_array(yeast.Y), 0.5 * yeast.Y, yeast.Y[:, 0]):
        ours = SemiSupervised(OPLS(1)).fit(yeast.X, labels)
        theirs = OPLS(1).fit(yeast.X, labels)
        np.testing.assert_array_equal(ours.transform(yeast.X), theirs.transform(yeast.X))
        assert (ours.n_iter_, ours.residual_) == (1, 0.0)


def test_a_mask_and_names():
    X, Y = holed()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    expected = SemiSupervised(MDDM(2)).fit(X, Y)
    ours = clone(expected).fit(frame, sparse.csr_array(np.nan_to_num(Y)), observed=~np.isnan(Y))
    np.testing.assert_array_equal(ours.transform(frame), expected.transform(X))
    assert list(ours.get_feature_names_out()) == ["semisupervised0", "semisupervised1"]
    names = clone(expected).fit(X, pd.DataFrame(Y, columns=list("vwxyz")))
    assert list(names.label_names_) == list("vwxyz")


def test_rows_without_labels_help_where_labelled_ones_are_few():
    """30 of 600 rows labelled: the directions come nearer to those of all labels."""
    yeast = load_yeast()
    X, Y = yeast.X[:600], yeast.Y[:600].astype(float)
    whole = MDDM(3).fit(X, Y).components_
    gains = []
    for seed in range(5):
        H = Y.copy()
        H[np.random.default_rng(seed).permutation(600)[30:]] = np.nan
        found = [m.fit(X, H) for m in (MDDM(3), SemiSupervised(MDDM(3)))]
        shared = [
            np.linalg.norm(whole @ c.T)
            for c in (found[0].components_, found[1].reducer_.components_)
        ]
        gains.append(shared[1] - shared[0])
    assert min(gains) > 0


def test_any_transformer_in_a_pipeline():
    X, Y = holed()
    inner = make_pipeline(StandardScaler(), LabelPLS(2))
    model = make_pipeline(SemiSupervised(inner), MLkNN(3)).fit(X, Y)
    Z = clone(inner).fit(X, completed(X, Y, 10, 0.99)).transform(X)
    expected = MLkNN(3).fit(Z, Y).predict_proba(Z)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)


def test_wrong_uses_are_refused():
    X, Y = holed()
    with pytest.raises(ValueError, match="its reducer MLFS takes no soft labels, because"):
        SemiSupervised(MLFS(2)).fit(X, Y)
    with pytest.raises(TypeError, match="neighbours are counted"):
        SemiSupervised(MDDM(2)).fit(X, Y, sample_weight=np.ones(90))
    for alpha in (0.0, 1.0):
        with pytest.raises(ValueError, match=r"'alpha' parameter .* must be .*\(0.0, 1.0\)"):
            SemiSupervised(MDDM(2), alpha=alpha).fit(X, Y)
    with pytest.raises(ValueError, match="no label of any row is observed"):
        SemiSupervised(MDDM(2)).fit(X, np.full(Y.shape, np.nan))
    with pytest.warns(UserWarning, match="n_neighbors=200 is more than the 89 other rows"):
        SemiSupervised(MDDM(2), n_neighbors=200).fit(X, Y)
    with pytest.warns(ConvergenceWarning, match=r"not converged after 2 steps.*max_iter=2"):
        SemiSupervised(MDDM(2), max_iter=2).fit(X, Y)
