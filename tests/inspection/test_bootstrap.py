"""The bootstrap against refits with the same weights; stability; what is refused."""

import matplotlib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from labelspan import LPP, MDDM, MVMD, OPLS, LabelCCA, MultilabelFisherScore
from labelspan.inspection import bootstrap, stability
from labelspan.inspection._bootstrap import counts_of_blocks
from labelspan.inspection._resamples import block_of_rows
from labelspan.plotting import BootstrapDisplay
from tests.registry import ESTIMATORS

matplotlib.use("agg")
MODELS = [
    MDDM(2), MDDM(2, constraint="feature"), MVMD(2), OPLS(2), OPLS(2, ridge=3.0),
    LabelCCA(2, ridge=2.0),
]  # fmt: skip


@pytest.fixture
def data(rng):
    X = rng.normal(size=(300, 5)) + 4
    P = 0.5 + 0.2 * np.tanh(X[:, :4] - 4)
    return X, (rng.random((300, 4)) < P).astype(float)


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_resample_is_a_refit_with_its_weights(model, form, data):
    X, Y = data
    weights = np.linspace(0.5, 1.5, 300)
    fitted = clone(model).fit(X, Y, sample_weight=weights)
    result = bootstrap(
        fitted, form(X), Y, n_resamples=20, n_blocks=40, sample_weight=weights, random_state=5
    )
    blocks, rng = block_of_rows(300, 40, 5), np.random.default_rng(5)
    mass = np.bincount(blocks, weights)
    chosen = {
        name: getattr(fitted, f"{name}_")
        for name in ("ridge", "mu")
        if getattr(fitted, name, None) == "auto" and getattr(fitted, f"{name}_")
    }
    for k in range(3):
        counts = counts_of_blocks(mass, rng)
        again = clone(model).set_params(**chosen).fit(X, Y, sample_weight=weights * counts[blocks])
        np.testing.assert_allclose(result.resampled[k], again.eigenvalues_[:2], rtol=1e-8)
        s = np.linalg.svd(
            np.linalg.qr(again.components_.T)[0].T @ np.linalg.qr(fitted.components_.T)[0],
            compute_uv=False,
        )
        assert result.angles[k] == pytest.approx(np.degrees(np.arccos(min(s.min(), 1))), abs=1e-4)


def test_intervals_are_reflected_and_weights_are_turned_to_the_model(data):
    X, Y = data
    model = MDDM(2).fit(X, Y)
    result = bootstrap(model, X, Y, n_resamples=50, n_top=2)
    low, high = np.quantile(result.resampled, [0.025, 0.975], axis=0)
    expected = np.column_stack(
        [2 * model.eigenvalues_[:2] - high, 2 * model.eigenvalues_[:2] - low]
    )
    np.testing.assert_allclose(result.intervals, expected)
    assert result.frequency.sum() == pytest.approx(2)
    assert result.feature_names.tolist() == [f"x{j}" for j in range(5)]
    # Unit vectors that are turned to nearest differ by less than from the origin.
    assert (result.components_std < 0.6).all()
    display = BootstrapDisplay(result).plot()
    assert len(display.axes_[1].patches) == 20


def test_blocks_are_random_and_groups_stay_whole():
    blocks = block_of_rows(5000, 100, 0)
    counts = np.bincount(blocks, minlength=100)
    # The chi-square of 99 degrees of freedom is below 149 with probability 0.999.
    assert np.sum((counts - 50) ** 2 / 50) < 149
    assert (block_of_rows(5000, 100, 1) != blocks).mean() > 0.9
    groups = np.arange(300) // 3
    grouped = block_of_rows(300, 50, 0, groups)
    assert all(len(set(grouped[groups == g])) == 1 for g in range(100))


SELECTORS = [e.estimator for e in ESTIMATORS if hasattr(e.estimator, "get_support")]


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda selector: type(selector).__name__)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_stability_is_the_share_of_halves_that_keep_a_feature(selector, data):
    X, Y = data
    kept = np.mean(
        [
            clone(selector).fit(X[half], Y[half]).get_support()
            for half in (block_of_rows(300, 2, seed) == 0 for seed in range(4))
        ],
        axis=0,
    )
    np.testing.assert_allclose(stability(selector, X, Y, n_resamples=4), kept)


def test_what_is_refused(data):
    X, Y = data
    model = OPLS(2).fit(X, Y)
    for name, value in (("n_resamples", 3), ("n_blocks", 5), ("n_top", 0), ("level", 1.5)):
        with pytest.raises(ValueError, match=f"{name}={value}"):
            bootstrap(model, X, Y, **{name: value})
    with pytest.raises(ValueError, match="groups has 2 entries for 300 rows"):
        bootstrap(model, X, Y, groups=[1, 2])
    with pytest.raises(ValueError, match="not observed"):
        bootstrap(model, X, np.where(Y == 0, np.nan, Y))
    with pytest.raises(TypeError, match="LPP has other sums"):
        bootstrap(LPP(2).fit(X, Y), X, Y)
    with pytest.raises(TypeError, match="OPLS selects no features"):
        stability(model, X, Y)
    with pytest.raises(ValueError, match="n_resamples=0 is out of range; give an integer from 1"):
        stability(MultilabelFisherScore(2), X, Y, n_resamples=0)
