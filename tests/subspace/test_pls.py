"""LabelPLS against NIPALS on the rows, scikit-learn, least squares, chunks; all k from one fit."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cross_decomposition import PLSRegression

import labelspan as ls
from labelspan.linalg import partial_least_squares
from tests.laws.test_laws import problem
from tests.reference.subspace import nipals

SETS = ["emotions", "scene", "yeast", "enron"]


def assert_near(ours, theirs, tolerance=1e-8):
    np.testing.assert_allclose(ours, theirs, atol=tolerance * np.abs(theirs).max())


@pytest.mark.parametrize("data", SETS)
def test_equals_nipals_on_the_rows(data, training):
    X, Y = (array[:500] for array in training(data))
    R, C = nipals(X, 2.0 * Y - 1, 8)
    for X_form in (X, sparse.csr_array(X)):
        model = ls.LabelPLS(8).fit(X_form, Y)
        signs = np.sign(np.sum(model.components_.T * R, axis=0))
        assert_near(model.components_.T * signs, R)
        assert_near(model.label_loadings_ * signs, C)
        assert_near(model.coef_, C @ R.T)
    assert model.solver_ == "krylov"


@pytest.mark.parametrize("data", ["emotions", "yeast"])
def test_equals_scikit_learn_to_its_tolerance(data, training):
    X, Y = training(data)
    peer = PLSRegression(5, scale=False, tol=1e-18, max_iter=100_000).fit(X, 2.0 * Y - 1)
    model = ls.LabelPLS(5).fit(X, Y)
    assert_near(model.decision_function(X), peer.predict(X), 1e-7)
    assert_near(np.abs(model.components_.T), np.abs(peer.x_rotations_), 1e-7)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(90, 12), (20, 40)], ids=["tall", "wide"])
def test_all_numbers_of_directions_from_one_fit(form, shape, rng):
    X, Y = problem(rng, *shape)
    model = ls.LabelPLS(6).fit(form(X), Y)
    for k in range(1, 7):
        alone, cut = ls.LabelPLS(k).fit(form(X), Y), model.truncate(k)
        assert cut.get_params() == alone.get_params()
        assert sorted(vars(cut)) == sorted(vars(alone))
        for name in ("components_", "label_loadings_", "coef_", "intercept_", "mean_"):
            assert_near(getattr(cut, name), getattr(alone, name), 1e-10)
        assert_near(cut.decision_function(X), alone.decision_function(X), 1e-10)
        assert_near(model.label_loadings_[:, :k] @ model.components_[:k], alone.coef_, 1e-10)


def test_scores_are_uncorrelated_and_explain_more_and_more(rng):
    X, Y = problem(rng)
    model = ls.LabelPLS(12).fit(X, Y)
    scores = model.transform(X)
    lengths = np.linalg.norm(scores, axis=0)
    np.testing.assert_allclose((scores / lengths).T @ (scores / lengths), np.eye(12), atol=1e-10)
    errors = [np.sum((model.truncate(k).decision_function(X) - 2 * Y + 1) ** 2) for k in (1, 4, 12)]
    assert errors[0] > errors[1] > errors[2]
    # With as many scores as features it is least squares.
    assert_near(model.decision_function(X), ls.MultiOutputRidge(0).fit(X, Y).decision_function(X))


def test_more_directions_than_there_are(rng):
    X, Y = problem(rng)
    X = np.column_stack([X[:, :3], X[:, :3] @ rng.standard_normal((3, 4))])
    with pytest.warns(UserWarning, match="n_components=9 is more than the 3 directions after"):
        model = ls.LabelPLS(9).fit(X, Y)
    assert model.n_components_ == len(model.components_) == 3
    plain = ls.MultiOutputRidge(0).fit(X[:, :3], Y)
    assert_near(model.decision_function(X), plain.decision_function(X[:, :3]))


def test_more_labels_than_features(rng):
    X, Y = problem(rng, n_features=4, n_labels=9)
    R, C = nipals(X, 2.0 * Y - 1, 4)
    assert_near(ls.LabelPLS(4).fit(X, Y).coef_, C @ R.T)


def test_many_directions_keep_their_digits(rng):
    # The Gram matrix follows by rank-one changes; covariances fall by ten powers of ten.
    X = rng.standard_normal((300, 40)) * np.logspace(0, -5, 40)
    Y = (X / np.logspace(0, -5, 40) @ rng.standard_normal((40, 6)) > 0).astype(int)
    R, _ = nipals(X, 2.0 * Y - 1, 25)
    model = ls.LabelPLS(25).fit(X, Y)
    signs = np.sign(np.sum(model.components_.T * R, axis=0))
    lengths = np.linalg.norm(R, axis=0)
    np.testing.assert_allclose(model.components_.T * signs / lengths, R / lengths, atol=1e-6)


def test_a_metric_is_another_way_to_write_coordinates(rng):
    X, Y = problem(rng, 30, 8)
    Xc, T = X - X.mean(axis=0), Y - Y.mean(axis=0)
    primal = partial_least_squares((Xc.T @ Xc).__matmul__, Xc.T @ T, 5)
    Q = Xc @ Xc.T
    dual = partial_least_squares(Q.__matmul__, T, 5, Q.__matmul__)
    R = Xc.T @ dual.R
    assert_near(R * np.sign(np.sum(R * primal.R, axis=0)), primal.R)
    np.testing.assert_allclose(dual.values, primal.values, rtol=1e-10)


@pytest.mark.parametrize("wrong", [0, 7, 2.0, None])
def test_truncate_refuses(wrong, rng):
    model = ls.LabelPLS(4).fit(*problem(rng))
    with pytest.raises(ValueError, match=r"expected an integer from 1 to n_components_=4"):
        model.truncate(wrong)


def test_chunks_are_cut_like_the_whole(rng):
    X, Y = problem(rng)
    model = ls.LabelPLS(5).partial_fit(X[:40], Y[:40]).partial_fit(X[40:], Y[40:])
    assert_near(model.truncate(2).coef_, ls.LabelPLS(2).fit(X, Y).coef_)
    assert not hasattr(model.truncate(2), "_chunks")


def test_labels_that_do_not_vary_are_predicted_as_they_are(rng):
    X, _ = problem(rng)
    Y = np.tile([0, 1], (len(X), 1))
    with pytest.warns(UserWarning, match="n_components=3 is more than the 0 directions"):
        model = ls.LabelPLS(3).fit(X, Y)
    assert model.transform(X).shape == (len(X), 0)
    np.testing.assert_array_equal(model.predict(X), Y)
