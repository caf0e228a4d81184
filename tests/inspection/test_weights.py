"""Importances against transcriptions, least squares and correlations of NumPy."""

import matplotlib
import numpy as np
import pytest
from scipy import sparse
from sklearn.cross_decomposition import PLSRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelspan import HSL, MDDM, MVMD, OPLS, LabelCCA, LabelPLS, inspection
from labelspan.kernels import KernelMDDM
from labelspan.plotting import TopFeaturesDisplay
from tests.reference.inference import vip_of_pls

matplotlib.use("agg")


@pytest.fixture
def data(rng):
    X = rng.normal(size=(80, 6)) @ rng.normal(size=(6, 6)) + 3
    Y = (X[:, :4] + rng.normal(size=(80, 4)) > 3).astype(float)
    return X, Y


def test_vip_equals_the_transcription_for_partial_least_squares(data):
    X, Y = data
    theirs = PLSRegression(3, scale=False, tol=1e-14, max_iter=10**5).fit(X, 2 * Y - 1)
    T = (X - X.mean(axis=0)) @ theirs.x_rotations_
    expected = vip_of_pls(theirs.x_weights_, T, theirs.y_loadings_)
    found = inspection.vip(LabelPLS(3).fit(X, Y), X, Y)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_vip_of_correlated_scores_adds_up_what_each_direction_adds(data):
    X, Y = data
    model = MDDM(3).fit(X, Y)
    Yc, before, parts = Y - Y.mean(axis=0), 0.0, []
    for k in (1, 2, 3):
        T = model.transform(X)[:, :k]
        T = T - T.mean(axis=0)
        now = np.sum((T @ np.linalg.lstsq(T, Yc, rcond=None)[0]) ** 2)
        parts.append(now - before)
        before = now
    expected = np.sqrt(6 * (np.array(parts) @ model.components_**2) / before)
    np.testing.assert_allclose(inspection.vip(model, X, Y), expected, rtol=1e-8)


def test_weights_of_labels_are_the_regression_on_the_scores(data):
    X, Y = data
    pls = LabelPLS(3).fit(X, Y)
    # Its coefficients are those of -1 and +1.
    np.testing.assert_allclose(2 * inspection.label_weights(pls, X, Y), pls.coef_, rtol=1e-8)
    every = inspection.label_weights(MVMD(None).fit(X, Y), X, Y)
    full = np.linalg.lstsq(X - X.mean(axis=0), Y - Y.mean(axis=0), rcond=None)[0]
    np.testing.assert_allclose(every.T, full, atol=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_structure_correlations_are_those_of_numpy(data, form):
    X, Y = data
    X = np.c_[X, np.ones(len(X))]
    model = make_pipeline(StandardScaler(with_mean=False), OPLS(2)).fit(X, Y)
    found = inspection.structure_correlations(model, form(X))
    expected = np.corrcoef(X[:, :6].T, model.transform(X).T)[6:, :6]
    np.testing.assert_allclose(found, np.c_[expected, [0, 0]], atol=1e-10)


@pytest.mark.parametrize(
    "model",
    [MDDM(3), MDDM(3, constraint="feature", mu=0.3), OPLS(3), LabelCCA(3, ridge=2.0), HSL(3)],
)
def test_shares_add_up_to_the_dependence_of_each_direction(data, model):
    X, Y = data
    model.fit(X, Y)
    shares = inspection.dependence_shares(model, X)
    np.testing.assert_allclose(shares.sum(axis=1), model.explained_dependence_ratio_, rtol=1e-10)
    # A feature's part of v'FF'v is v_j (FF'v)_j; for these two F is xt.
    if isinstance(model, MDDM | OPLS):
        F = (X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0))
        V = model.components_
        parts = V * (V @ F @ F.T)
        expected = parts / parts.sum(axis=1)[:, None] * model.explained_dependence_ratio_[:, None]
        np.testing.assert_allclose(shares, expected, atol=1e-9)


def test_top_features_are_the_largest_by_name(data):
    pandas = pytest.importorskip("pandas")
    X, Y = data
    frame = pandas.DataFrame(X * [1, 1, 1, 1, 1, 1e-3], columns=list("abcdef"))
    model = OPLS(2, ridge=1e-9).fit(frame, Y)
    table = inspection.top_features(model, 4)
    assert table["direction"].tolist() == [1] * 4 + [2] * 4
    for direction in (1, 2):
        part = table[table["direction"] == direction]
        places = ["abcdef".index(name) for name in part["feature"]]
        np.testing.assert_array_equal(part["weight"], model.components_[direction - 1, places])
        assert np.abs(part["weight"]).is_monotonic_decreasing
        assert np.abs(part["weight"]).max() == np.abs(model.components_[direction - 1]).max()
    # The weight of f is large because its unit is small.
    assert table["feature"][0] == "f"
    known = inspection.top_features(model, 99, X=frame)
    assert len(known) == 12
    correlations = inspection.structure_correlations(model, frame)
    assert known["correlation"][0] == pytest.approx(max(correlations[0], key=abs))
    assert inspection.top_features(MDDM(1).fit(X, Y), 1)["feature"][0] in {
        f"x{j}" for j in range(6)
    }


def test_the_display_draws_the_table(data):
    X, Y = data
    display = TopFeaturesDisplay.from_estimator(OPLS(2).fit(X, Y), 3, X=X)
    widths = [bar.get_width() for bar in display.ax_.patches]
    table = inspection.top_features(OPLS(2).fit(X, Y), 3, X=X)
    assert widths[::-1] == pytest.approx(table["correlation"][:3].tolist())


def test_what_is_refused(data):
    X, Y = data
    model = OPLS(2).fit(X, Y)
    with pytest.raises(ValueError, match="from 1"):
        inspection.top_features(model, 0)
    with pytest.raises(ValueError, match="Y has 79 rows for 80 of X"):
        inspection.vip(model, X, Y[1:])
    with pytest.raises(ValueError, match="not observed"):
        inspection.vip(model, X, np.where(Y == 0, np.nan, Y))
    with pytest.raises(ValueError, match="explain nothing"):
        inspection.vip(model, X, np.ones_like(Y))
    with pytest.raises(TypeError, match="LabelPLS has no explained_dependence_ratio_"):
        inspection.dependence_shares(LabelPLS(2).fit(X, Y), X)
    with pytest.raises(TypeError):
        inspection.label_weights(KernelMDDM(2).fit(X, Y), X, Y)
