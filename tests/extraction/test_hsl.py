"""HSL: its relatives, rows without labels, chunks."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import labelspan as ls
from tests.comparison import sine
from tests.laws.test_laws import problem

EXPANSIONS = ["clique", "star", "zhou"]


def test_zhou_on_disjoint_labels_spans_the_directions_of_lda(rng):
    X, _ = problem(rng)
    y = rng.integers(0, 4, len(X))
    X[:, :2] += np.c_[y, y**2]
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    model = ls.HSL(None, expansion="zhou", ridge=0.0).fit(X, np.eye(4, dtype=int)[y])
    assert model.n_components_ == 3
    assert sine(model.components_.T, lda.scalings_[:, :3]) < 1e-10
    # Its eigenvalues are of S_b against S_w, ours against S_t = S_w + S_b.
    within = model.eigenvalues_ / (1 - model.eigenvalues_)
    np.testing.assert_allclose(lda.explained_variance_ratio_, within / within.sum(), rtol=1e-8)


@pytest.mark.parametrize("expansion", EXPANSIONS)
def test_of_one_label_it_is_opls(expansion, rng):
    X, Y = problem(rng)
    ours, opls = ls.HSL(None, expansion=expansion), ls.OPLS(None)
    np.testing.assert_allclose(
        ours.fit(X, Y[:, 0]).components_, opls.fit(X, Y[:, 0]).components_, atol=1e-10
    )
    np.testing.assert_allclose(ours.eigenvalues_, opls.eigenvalues_ / Y[:, 0].sum(), rtol=1e-10)


@pytest.mark.filterwarnings("ignore:Without a ridge the features fit any label")
@pytest.mark.parametrize("expansion", EXPANSIONS)
def test_without_a_ridge_the_row_space_of_many_features_holds_the_whole_laplacian(expansion, rng):
    # rank(Xc) = n - 1: Xc w can be any centred vector, so the eigenvalues are those of C itself.
    X, Y = rng.standard_normal((20, 50)), rng.integers(0, 2, (20, 3))
    Y[:4] = 0
    counts, degree = Y.sum(axis=0), Y.sum(axis=1)
    weights = {"clique": Y @ counts, "star": Y @ (1 / counts), "zhou": degree.astype(float)}
    columns = {"clique": np.ones(3), "star": 1 / counts, "zhou": counts**-0.5}
    rows = np.where(degree > 0, weights[expansion], np.inf) ** -0.5
    H = rows[:, None] * Y * columns[expansion]
    expected = np.linalg.svd(H - H.mean(axis=0))[1] ** 2
    model = ls.HSL(None, expansion=expansion, ridge=0.0).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, expected, rtol=1e-8)


@pytest.mark.parametrize("expansion", ["clique", "star"])
def test_only_zhou_has_chunks(expansion):
    model = ls.HSL(expansion=expansion)
    assert not hasattr(model, "partial_fit")
    assert hasattr(clone(model).set_params(expansion="zhou"), "partial_fit")
