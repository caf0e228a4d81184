"""RFS, MIFS and MDFS against literal turns, and their certificates."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labelspan import MDFS, MIFS, RFS
from tests.reference import embedded as reference
from tests.selection.test_information import problem

FORMS = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])


@FORMS
@pytest.mark.parametrize("D", [9, 90])
def test_rfs_is_the_algorithm_of_the_paper(form, D):
    X, Y = problem(0, D=D)
    W = reference.rfs(X, Y, 2.0)
    ours = RFS(4, gamma=2.0, fit_intercept=False, tol=1e-9, max_iter=3000).fit(form(X), Y)
    expected = reference.rfs_objective(X, Y, W, 0.0, 2.0)
    assert ours.primal_objective_ == pytest.approx(expected, rel=1e-8)
    found = reference.rfs_objective(X, Y, ours.coef_.T, ours.intercept_, 2.0)
    assert ours.primal_objective_ == pytest.approx(found, rel=1e-12)
    assert ours.dual_objective_ <= expected * (1 + 1e-9)
    if D == 9:
        np.testing.assert_allclose(ours.coef_.T, W, atol=1e-3 * np.abs(W).max())


@FORMS
@pytest.mark.parametrize("D", [9, 90])
def test_rfs_certifies_its_objective(form, D):
    X, Y = problem(1, D=D)
    ours = RFS(4, gamma=1.5, tol=1e-5).fit(form(X), Y)
    primal = reference.rfs_objective(X, Y, ours.coef_.T, ours.intercept_, 1.5)
    assert ours.primal_objective_ == pytest.approx(primal, rel=1e-10)
    gap = (ours.primal_objective_ - ours.dual_objective_) / ours.primal_objective_
    assert -1e-12 <= gap <= 1e-5
    longest = np.argsort(-np.linalg.norm(ours.coef_, axis=0))[:4]
    np.testing.assert_array_equal(ours.get_support(indices=True), np.sort(longest))


@FORMS
@pytest.mark.parametrize("D", [9, 90])
def test_smoothness_is_the_term_of_reader_with_unlabelled_rows(form, D):
    X, Y = problem(11, D=D)
    Y = np.where(np.arange(len(Y))[:, None] % 3 > 0, Y, np.nan)
    # With a small gamma the turns of the paper stop above the optimum: rows at zero stay there.
    W, objective = reference.reader(X, Y, 4.0, 0.2, 4)
    given = {"gamma": 4.0, "smoothness": 0.2, "n_neighbors": 4, "max_iter": 5000}
    ours = RFS(4, fit_intercept=False, tol=1e-8, **given).fit(form(X), Y)
    assert ours.primal_objective_ == pytest.approx(objective, rel=1e-8)
    assert ours.primal_objective_ * (1 - 1e-8) <= ours.dual_objective_ <= objective
    np.testing.assert_allclose(ours.coef_.T, W, atol=1e-3 * np.abs(W).max())
    # The rows without labels count: the graph of the others alone has another solution.
    labelled = ~np.isnan(Y[:, 0])
    other = RFS(4, fit_intercept=False, tol=1e-8, **given).fit(form(X[labelled]), Y[labelled])
    assert np.abs(other.coef_ - ours.coef_).max() > 1e-2 * np.abs(W).max()


@FORMS
@pytest.mark.parametrize("D", [9, 90])
@pytest.mark.parametrize("smoothness", [0.0, 0.3])
def test_missing_labels_count_for_no_residual(form, D, smoothness):
    X, Y = problem(7, D=D)
    Y = np.where(np.random.default_rng(0).random(Y.shape) < 0.7, Y, np.nan)
    given = {"gamma": 1.5, "smoothness": smoothness, "max_iter": 5000}
    ours = RFS(4, tol=1e-5, **given).fit(form(X), Y)
    L = reference.row_laplacian(X, 5)

    def objective(W):
        residual = np.where(np.isnan(Y), 0.0, X @ W + ours.intercept_ - Y)
        lengths = np.linalg.norm(residual, axis=1).sum() + 1.5 * np.linalg.norm(W, axis=1).sum()
        return lengths + smoothness * np.vdot(X @ W, L @ X @ W)

    found = objective(ours.coef_.T)
    assert ours.primal_objective_ == pytest.approx(found, rel=1e-10)
    assert 0 <= found - ours.dual_objective_ <= 1e-5 * found
    # The bound is below other weights, too.
    for noise in 0.1 * np.random.default_rng(1).standard_normal((20, *ours.coef_.T.shape)):
        assert objective(ours.coef_.T * (1 + noise)) > ours.dual_objective_


def test_the_graph_of_rfs_refuses_weights():
    X, Y = problem(2)
    with pytest.raises(TypeError, match=r"RFS\.fit takes no sample_weight: neighbours are counted"):
        RFS(4, smoothness=0.1).fit(X, Y, sample_weight=np.ones(len(X)))


def test_rfs_weights_are_copies_and_few_turns_warn():
    X, Y = problem(2)
    counts = np.random.default_rng(0).integers(0, 3, len(X))
    ours = RFS(4, tol=1e-8).fit(X, Y, sample_weight=counts)
    theirs = RFS(4, tol=1e-8).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts, axis=0))
    assert ours.primal_objective_ == pytest.approx(theirs.primal_objective_, rel=1e-7)
    with pytest.warns(ConvergenceWarning, match="max_iter=2 turns .* above tol=1e-08"):
        RFS(4, tol=1e-8, max_iter=2).fit(X, Y)


@FORMS
@pytest.mark.parametrize("decoder", ["orthonormal", "free"])
@pytest.mark.filterwarnings("ignore:Stopped after max_iter=4 turns")
def test_turns_of_mifs_are_those_of_the_equations(decoder, form):
    X, Y = problem(3)
    given = {"alpha": 0.7, "beta": 0.3, "gamma": 2.0, "n_neighbors": 4, "decoder": decoder}
    W, V, objectives = reference.mifs(X, Y, 3, turns=4, **given)
    ours = MIFS(4, n_latent=3, tol=1e-11, max_iter=4, **given).fit(form(X), Y)
    np.testing.assert_allclose(ours.objectives_, objectives, rtol=1e-8)
    # The signs of the start are free.
    np.testing.assert_allclose(np.abs(ours.latent_), np.abs(V), atol=1e-5)
    np.testing.assert_allclose(ours.scores_, np.linalg.norm(W, axis=1), atol=1e-5)


@FORMS
@pytest.mark.filterwarnings("ignore:Stopped after max_iter=4 turns")
def test_turns_of_mdfs_are_those_of_the_equations(form):
    X, Y = problem(4)
    given = {"alpha": 0.7, "beta": 0.3, "gamma": 2.0, "n_neighbors": 4}
    W, F, objectives = reference.mdfs(X, Y, turns=4, **given)
    ours = MDFS(4, tol=1e-11, max_iter=4, **given).fit(form(X), Y)
    np.testing.assert_allclose(ours.objectives_, objectives, rtol=1e-8)
    np.testing.assert_allclose(ours.latent_, F, atol=1e-6)
    np.testing.assert_allclose(ours.coef_.T, W, atol=1e-5)


@pytest.mark.filterwarnings("ignore:Stopped after max_iter")
def test_the_free_decoder_lets_the_latent_labels_vanish():
    X, Y = problem(5)
    few, many = (MIFS(4, decoder="free", max_iter=n).fit(X, Y) for n in (10, 300))
    assert np.abs(many.latent_).max() < 0.2 * np.abs(few.latent_).max()
    assert np.count_nonzero(many.scores_) < np.count_nonzero(few.scores_)


@pytest.mark.parametrize("selector", [MIFS(4), MDFS(4)])
def test_no_turn_raises_the_objective(selector):
    X, Y = problem(5)
    found = selector.fit(X, Y)
    assert found.n_iter_ > 2
    assert (np.diff(found.objectives_) <= 1e-9 * found.objectives_[0]).all()
    selector.set_params(max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 turns"):
        selector.fit(X, Y)


def test_columns_in_very_different_units_end_with_a_warning():
    X, Y = problem(5)
    X[:, 2] *= 1e12
    with pytest.warns(ConvergenceWarning, match=r"W has a relative gap of .* scale them first"):
        assert MDFS(4).fit(X, Y).n_iter_ < 200
