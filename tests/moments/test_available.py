"""Available cases against sums label by label, with every solver; and what they estimate."""

import numpy as np
import pytest
from scipy import sparse

import labelspan as ls
from labelspan.moments import (
    Available,
    Moments,
    Sample,
    label_moments,
    nearest_psd,
    summarise,
    warn_of_unobserved,
)
from labelspan.moments import available as of_available
from tests.comparison import assert_same_subspaces, assert_same_values, sine
from tests.reference.extraction import available, available_pairs, largest
from tests.reference.subspace import nipals


def problem(n=70, n_features=6, n_labels=4, seed=0, share=0.35):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_features)) * np.linspace(0.5, 2.0, n_features)
    X[np.abs(X) < 0.3] = 0.0
    Y = (X @ rng.standard_normal((n_features, n_labels)) > 0.5).astype(float)
    Y[rng.random(Y.shape) < share] = np.nan
    Y[5] = np.nan
    return X, Y, rng.uniform(0.5, 2.0, n)


def mddm_p(xx, xt):
    return largest(xt @ xt.T)


def mddm_f(xx, xt):
    return largest(xt @ xt.T, 0.5 * xx + 0.5 * np.eye(len(xx)))


def opls(xx, xt):
    return largest(xt @ xt.T, xx + 0.1 * np.eye(len(xx)))


def mvmd(xx, xt):
    return largest(0.5 * xx + 0.5 * 4 * xt @ xt.T)


METHODS = {
    "mddm-p": (ls.MDDM(None), mddm_p),
    "mddm-f": (ls.MDDM(None, constraint="feature", mu=0.5), mddm_f),
    "opls": (ls.OPLS(None, ridge=0.1), opls),
    "mvmd": (ls.MVMD(None), mvmd),
}
SHAPES = {
    "tall": (problem(), np.asarray),
    "tall sparse": (problem(), sparse.csr_array),
    "far": (tuple(A + 1e4 * (i == 0) for i, A in enumerate(problem())), np.asarray),
    "many holes": (problem(n_labels=6, share=0.7), np.asarray),
    "wide": (problem(40, 60), np.asarray),
    "wide sparse": (problem(40, 60), sparse.csr_array),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_transcription(method, shape, weighted):
    (X, Y, weights), form = SHAPES[shape]
    weights = weights if weighted else None
    model, problem_of = METHODS[method]
    model = model.fit(form(X), Y, sample_weight=weights)
    values, vectors = problem_of(*available(X, Y, weights))
    assert_same_values(model.eigenvalues_, values)
    assert_same_subspaces(model.components_.T, vectors, values)


def test_the_rows_themselves():
    """The solver for wide sparse rows, which computes products on demand."""
    X, Y, weights = problem(60, 300)
    rows = summarise(Sample(sparse.csr_array(X), Y, "krylov", weights))
    xx, xt = available(X, Y, weights)
    np.testing.assert_allclose(rows.operator.rmatmat(rows.T), xt, atol=1e-12 * np.abs(xt).max())
    np.testing.assert_allclose(rows.squares, np.diag(xx), atol=1e-12 * xx.max())
    observed = np.ma.masked_invalid(Y)
    means = np.ma.average(observed, axis=0, weights=weights)
    np.testing.assert_allclose(rows.t_mean, means)
    signed = summarise(Sample(sparse.csr_array(X), Y, "krylov", weights), signed=True)
    np.testing.assert_allclose(signed.t_mean, 2 * means - 1)
    np.testing.assert_allclose(signed.T, 2 * rows.T, atol=1e-12)
    X, Y, weights = problem(60, 300, n_labels=6, share=0.7, seed=1)
    rows = summarise(Sample(sparse.csr_array(X), Y, "krylov", weights), tt=True)
    _, tt, P = available_pairs(Y, weights)
    xt = available(X, Y, weights)[1] @ P
    np.testing.assert_allclose(rows.operator.rmatmat(rows.T), xt, atol=1e-12 * np.abs(xt).max())
    np.testing.assert_allclose(rows.tt, tt, atol=1e-12 * tt.max())
    assert rows.tt_clipped > 0.01


def test_partial_least_squares():
    """NIPALS on labels in the span of X whose products with it are those of the transcription."""
    X, Y, _ = problem()
    xx, xt = available(X, 2 * Y - 1)
    R, C = nipals(X, (X - X.mean(axis=0)) @ np.linalg.solve(xx, xt), 2)
    model = ls.LabelPLS(2).fit(X, Y)
    assert sine(model.components_.T, R) < 1e-10
    np.testing.assert_allclose(model.coef_.T, R @ C.T, atol=1e-10)
    at_mean = model.decision_function([X.mean(axis=0)])[0]
    np.testing.assert_allclose(at_mean, np.nanmean(2 * Y - 1, axis=0), atol=1e-12)


@pytest.mark.parametrize("share", [0.2, 0.8])
@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_of_labels(share, weighted):
    X, Y, weights = problem(n_labels=6, share=share)
    weights = weights if weighted else None
    raw, tt, P = available_pairs(Y, weights)
    found = summarise(Sample(X, Y, "scatter", weights), tt=True)
    np.testing.assert_allclose(found.tt, tt, atol=1e-10)
    np.testing.assert_allclose(found.xt, available(X, Y, weights)[1] @ P, atol=1e-10)
    values = np.linalg.eigvalsh(raw)
    clipped = -np.minimum(values, 0).sum() / np.maximum(values, 0).sum()
    assert found.tt_clipped == pytest.approx(clipped, abs=1e-12)
    assert (clipped > 0.01) == (share == 0.8)


@pytest.mark.parametrize("shape", SHAPES)
def test_canonical_correlations(shape):
    (X, Y, weights), form = SHAPES[shape]
    model = ls.LabelCCA(None, ridge=0.1, label_ridge=0.1).fit(form(X), Y, sample_weight=weights)
    xx, xt = available(X, 2 * Y - 1, weights)
    raw, tt, P = available_pairs(2 * Y - 1, weights)
    xt = xt @ P
    inner = np.linalg.inv(tt + 0.1 * np.eye(len(tt)))
    values, vectors = largest(xt @ inner @ xt.T, xx + 0.1 * np.eye(len(xx)))
    assert_same_values(model.eigenvalues_, values)
    assert_same_subspaces(model.components_.T, vectors, values)
    lowest = np.linalg.eigvalsh(raw)[0]
    assert (model.label_scatter_clipped_ > 0) == (lowest < -1e-9)
    complete = model.fit(form(X), np.nan_to_num(Y))
    assert complete.label_scatter_clipped_ == 0


@pytest.mark.parametrize("shape", ["tall", "tall sparse", "far"])
@pytest.mark.parametrize("beta", [0.3, 1.0])
def test_latent_semantic_indexing(shape, beta):
    """Eq. (39) in the form of the scatters, see the Notes of MLSI."""
    (X, Y, weights), form = SHAPES[shape]
    given = {"beta": beta, "ridge": 0.1, "joint_ridge": 50.0}
    model = ls.MLSI(None, **given).fit(form(X), Y, sample_weight=weights)
    xx, xt = available(X, 2 * Y - 1, weights)
    _, tt, P = available_pairs(2 * Y - 1, weights)
    xt, joint = xt @ P, given["joint_ridge"]
    left = xx - beta * xt @ np.linalg.solve(joint * np.eye(4) + beta * tt, xt.T)
    assert np.linalg.eigvalsh(left)[0] > 0
    inner = np.linalg.inv(joint * np.eye(6) + (1 - beta) * left)
    values, vectors = largest(xx, left @ inner + 0.1 * np.eye(6))
    assert_same_values(model.eigenvalues_, values)
    assert_same_subspaces(model.components_.T, vectors, values)


def test_labels_that_seem_to_explain_more_than_there_is():
    X, Y, _ = problem(40, 30, n_labels=6, share=0.7)
    model = ls.MLSI(None, joint_ridge=1e-3).fit(X, Y)
    assert model.label_scatter_clipped_ > 0.01
    assert np.isfinite(model.components_).all()
    # Eq. (39) lies between X'X / ridge (labels explain everything) and its value without labels.
    assert (model.eigenvalues_ <= np.linalg.eigvalsh(np.cov(X.T) * 39)[-1] / 0.1).all()


def test_label_columns_compared_by_rbf():
    """Distances of the columns are estimated from the pairs."""
    X, Y, _ = problem()
    model = ls.MDDM(None, label_correlation="rbf", label_width=5.0).fit(X, Y)
    _, tt, P = available_pairs(Y)
    together = tt + len(Y) * np.outer(*[np.nanmean(Y, axis=0)] * 2)
    B = np.exp(
        [
            [-(together[s, s] + together[t, t] - 2 * together[s, t]) / 50 for s in range(4)]
            for t in range(4)
        ]
    )
    xt = available(X, Y)[1] @ P
    values, vectors = largest(xt @ B @ xt.T)
    assert_same_values(model.eigenvalues_, values)
    assert_same_subspaces(model.components_.T, vectors, values)
    chunks = ls.MDDM(None, label_correlation="rbf", label_width=5.0)
    for rows in (slice(0, 9), slice(9, 40), slice(40, None)):
        chunks.partial_fit(X[rows], Y[rows])
    assert chunks.label_scatter_clipped_ == pytest.approx(model.label_scatter_clipped_)
    np.testing.assert_allclose(chunks.eigenvalues_, model.eigenvalues_, rtol=1e-9)


def test_what_is_left_out_at_random_does_not_bias():
    """Directions converge to those of all labels, by a factor of 4 for 16 times as many rows."""
    rng = np.random.default_rng(0)
    C = rng.standard_normal((5, 3))
    errors = []
    for n in (400, 6400):
        found = []
        for _ in range(20):
            X = rng.standard_normal((n, 5)) + 3.0
            Y = ((X - 3) @ C + rng.standard_normal((n, 3)) > 0.3).astype(float)
            full = ls.MDDM(1).fit(X, Y).components_
            Y[rng.random(Y.shape) < [0.1, 0.5, 0.8]] = np.nan
            found.append(sine(ls.MDDM(1).fit(X, Y).components_.T, full.T))
        errors.append(np.mean(found))
    assert 2.5 < errors[0] / errors[1] < 6.0
    assert errors[1] < 0.1


def test_problems_without_a_ridge_are_refused():
    X, Y, _ = problem()
    for model in (ls.MDDM(constraint="feature", mu=1), ls.OPLS(ridge=0)):
        with pytest.raises(ValueError, match=r"without a ridge.*mu below 1.*drop rows"):
            model.fit(X, Y)


def test_no_label_at_all():
    X, Y, _ = problem()
    chunks = ls.MDDM().partial_fit(X, np.full(Y.shape, np.nan))
    with (
        pytest.warns(UserWarning, match=r"4 label\(s\) \(0, 1, 2, 3\) are observed in no row"),
        pytest.raises(ValueError, match="nothing to learn"),
    ):
        chunks.transform(X)


def test_a_label_that_hardly_varies_is_not_a_constant_one():
    X = np.array([[0.0], [1.0], [2.0], [5.0]])
    T = np.array([[0.5, 1.0], [0.5, 1.0], [0.5 + 1e-9, 1.0], [np.nan, np.nan]])
    for part in (True, False):
        moments = of_available(summarise(Sample(X, T, "scatter", part=part), tt=True))
        # Over three of four rows: 4/3 of (2 - 1) (1e-9 - 1e-9 / 3); nothing of a constant.
        np.testing.assert_allclose(moments.xt, [[4e-9 / 3, 0.0]], rtol=1e-6)
        assert moments.xt[0, 1] == 0
        np.testing.assert_allclose(moments.t_mean, [0.5 + 1e-9 / 3, 1.0], rtol=1e-15)


def test_blocks_with_and_without_holes_add_up():
    X, Y, weights = problem()
    holes = np.isnan(Y).any(axis=1)
    full, some = (Available.of(X[rows], Y[rows], weights[rows]) for rows in (~holes, holes))
    assert (type(full), type(some)) == (Moments, Available)
    expected = Available.of(X, Y, weights)
    for total in (full + some, some + full):
        for name in ("weight", "x_mean", "t_mean", "xx", "xt", "tt"):
            found = getattr(total, name)
            np.testing.assert_allclose(found, getattr(expected, name), atol=1e-10, err_msg=name)
    thin = Available.of(X[~holes], Y[~holes], xx=False, tt=False)
    total = thin + Available.of(X[holes], Y[holes], xx=False, tt=False)
    assert total.tt is None
    np.testing.assert_allclose(total.observed, (~np.isnan(Y)).mean(axis=0))


def test_labels_that_no_row_observes_are_counted():
    with pytest.warns(UserWarning, match=r"6 label\(s\) \(0, 1, 2, 3, 4, \.\.\.\) are observed"):
        warn_of_unobserved(np.array([0.0] * 6 + [0.5]))
    with pytest.warns(UserWarning, match=r"5 label\(s\) \(0, 1, 2, 3, 4\) are observed"):
        warn_of_unobserved(np.array([0.0] * 5 + [1e-9]))
    warn_of_unobserved(np.array([1e-9, 1.0]))


def test_the_nearest_scatter():
    tt, kept, share = nearest_psd(np.array([[1.0, 2.0], [2.0, 1.0]]))
    # Eigenvalues 3 along (1, 1) and -1 along (1, -1).
    np.testing.assert_allclose(tt, [[1.5, 1.5], [1.5, 1.5]])
    np.testing.assert_allclose(kept @ kept.T, [[0.5, 0.5], [0.5, 0.5]])
    assert share == pytest.approx(1 / 3)
    # Rounding is no negative eigenvalue, and a scatter stays as it is.
    for diagonal in ([1.0, 0.0], [1.0, -1e-15], [0.0, 0.0]):
        tt, kept, share = nearest_psd(np.diag(diagonal))
        np.testing.assert_array_equal(tt, np.diag(diagonal))
        assert (kept, share) == (None, 0.0)
    assert nearest_psd(np.diag([1.0, -1e-12]))[1].shape == (2, 1)


def test_means_of_labels_alone():
    _, Y, weights = problem()
    for w in (None, weights):
        alone, whole = label_moments(Y, w, False), label_moments(Y, w, True)
        np.testing.assert_allclose(alone.t_mean, whole.t_mean, atol=1e-15)
        assert alone.weight == pytest.approx(whole.weight)
        assert alone.tt is None
        assert alone.xt.shape == (0, 8)
