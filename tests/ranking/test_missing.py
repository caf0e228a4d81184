"""Ranking SVMs with missing labels: only pairs of observed labels count."""

import numpy as np
import pytest
from scipy import sparse

from labelspan.ranking import CLaRankSVM, LaRankSVM, Pairs, ranking_path
from labelspan.selection import CMLFS, MLFS
from tests.ranking.problems import small, with_bias
from tests.reference import ranking as reference


def holed(seed, share=0.3, **more):
    X, Y, C, mu = small(seed, **more)
    Y = Y.astype(float)
    Y[np.random.default_rng(seed).random(Y.shape) < share] = np.nan
    return X, Y, C, mu


def triples(pairs):
    """(row, relevant, irrelevant, share), as the transcription lists them."""
    found = []
    for i, share in enumerate(pairs.share):
        relevant = pairs.relevant[slice(*pairs.relevant_start[i : i + 2])]
        irrelevant = pairs.irrelevant[slice(*pairs.irrelevant_start[i : i + 2])]
        found += [(i, k, m, share) for k in relevant for m in irrelevant]
    return found


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_those_of_the_transcription(seed):
    _, Y, _, _ = holed(seed, n_labels=6)
    Y[3] = np.nan
    rng = np.random.default_rng(0)
    assert triples(Pairs.of(Y, None, rng)) == list(reference.triples(Y))
    with pytest.warns(UserWarning, match="irrelevant labels are sampled"):
        sampled = triples(Pairs.of(Y, 60, rng))
    assert {t[:3] for t in sampled} < {t[:3] for t in reference.triples(Y)}


@pytest.mark.parametrize("seed", range(8))
def test_the_machines_attain_the_optimum_over_observed_pairs(seed):
    pytest.importorskip("cvxpy")
    X, Y, C, mu = holed(seed)
    best, W = reference.larank_optimum(with_bias(X), Y, C)
    model = LaRankSVM(C=C, tol=1e-6, max_iter=100_000, random_state=0).fit(X, Y)
    assert model.primal_objective_ == pytest.approx(best, rel=1e-5)
    assert model.dual_objective_ <= best * (1 + 1e-7)
    ours = np.vstack([model.coef_.T, model.intercept_])
    assert ((ours - W) ** 2).sum() <= 2.1e-5 * best
    best, _, _ = reference.clarank_optimum(with_bias(X), Y, C, mu)
    model = CLaRankSVM(C=C, mu=mu, tol=3e-6, max_iter=100_000, random_state=0).fit(X, Y)
    assert model.primal_objective_ == pytest.approx(best, rel=1e-5)
    best, _, _ = reference.mlfs_optimum(with_bias(X), Y, C, 3)
    model = MLFS(3, C=C, tol=5e-6, max_iter=200_000, random_state=0).fit(X, Y)
    assert model.primal_objective_ == pytest.approx(best, rel=1e-5)


def test_the_threshold_lies_between_observed_labels():
    X, Y, C, _ = holed(1, n_samples=60)
    model = LaRankSVM(C=C, tol=1e-8, max_iter=100_000, random_state=0).fit(X, Y)
    Z = model.decision_function(X)
    usable = [np.nansum(y) > 0 and (y == 0).any() for y in Y]
    targets = reference.threshold_targets(Z[usable], Y[usable])
    design = with_bias(X[usable])
    solved = np.linalg.lstsq(design, targets, rcond=None)[0]
    np.testing.assert_allclose(model.threshold_coef_, solved[:-1], atol=1e-8)
    assert model.threshold_intercept_ == pytest.approx(solved[-1])


def test_rows_that_observe_labels_of_one_kind_only_do_not_count():
    X, Y, C, _ = holed(2)
    Y[:5] = np.where(Y[:5] == 0, np.nan, Y[:5])
    Y[5:9] = np.where(Y[5:9] == 1, np.nan, Y[5:9])
    model = LaRankSVM(C=C, tol=1e-9, max_iter=100_000, random_state=0)
    whole, part = model.fit(X, Y).coef_.copy(), model.fit(X[9:], Y[9:]).coef_
    np.testing.assert_allclose(whole, part, atol=1e-6)


@pytest.mark.parametrize("model", [LaRankSVM(), CLaRankSVM(), MLFS(3), CMLFS(3)], ids=repr)
def test_a_label_that_is_never_observed_is_never_predicted(model):
    X, Y, _, _ = holed(3)
    Y[:, 1] = np.nan
    model.set_params(random_state=0, min_labels=3)
    with pytest.warns(UserWarning, match=r"1 label\(s\) \(1\) are observed in no row"):
        model.fit(X, Y)
    np.testing.assert_allclose(model.coef_[1], 0, atol=1e-12)
    predicted = model.predict(X)
    assert not predicted[:, 1].any()
    np.testing.assert_array_equal(predicted.sum(axis=1), 3)
    # A second fit resets it.
    assert model.fit(X, np.nan_to_num(Y, nan=1.0)).predict(X)[:, 1].all()


def test_one_label_is_learnt_from_the_rows_that_observe_it():
    X, Y, C, _ = holed(4)
    seen = ~np.isnan(Y[:, 0])
    model = LaRankSVM(C=C, tol=1e-9, max_iter=100_000, random_state=0)
    ours, theirs = model.fit(X, Y[:, :1]).coef_.copy(), model.fit(X[seen], Y[seen, :1]).coef_
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
    with pytest.raises(ValueError, match="no label of any row is observed"):
        model.fit(X, np.full((30, 1), np.nan))


def test_the_path_takes_them():
    X, Y, _, _ = holed(5)
    path = ranking_path(X, Y, [0.1, 1.0], tol=1e-9, max_iter=100_000, random_state=0)
    model = LaRankSVM(C=1.0, tol=1e-9, max_iter=100_000, random_state=0).fit(X, Y)
    np.testing.assert_allclose(path.coefs[1], model.coef_, atol=1e-6)
    masked = model.fit(X, sparse.csr_array(np.nan_to_num(Y)), observed=~np.isnan(Y))
    np.testing.assert_array_equal(masked.coef_, model.coef_)
