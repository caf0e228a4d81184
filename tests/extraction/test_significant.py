"""The number of directions that are more than noise: steps against literal complements."""

import numpy as np
import pytest
from scipy import sparse

from labelspan import MDDM, OPLS, LabelCCA, LabelPLS
from labelspan.linalg.permutation import (
    by_singular_vectors,
    null_moments,
    of_gram,
    step_down,
    upper_tail,
)
from labelspan.stats import dependence_test

SIGNIFICANT = [
    MDDM("significant"),
    MDDM("significant", constraint="feature", mu=0.4),
    OPLS("significant", ridge=2.0),
    LabelCCA("significant", ridge=2.0, label_ridge=3.0),
    LabelPLS("significant"),
]


def with_directions(rng, n_true, n=200, D=8, q=5):
    X = rng.uniform(-1, 1, size=(n, D))
    U = np.linalg.qr(rng.normal(size=(q, q)))[0][:, :n_true]
    P = np.clip(0.5 + 0.9 * X[:, :n_true] @ U.T, 0, 1)
    return X * np.linspace(1.5, 1, D) + 3, (rng.random((n, q)) < P).astype(float)


def sides_of(model, X, Y):
    """Rows A and targets T with A'T = F in coordinates where the metric is the identity."""
    A, T = X - X.mean(axis=0), Y - Y.mean(axis=0)
    if isinstance(model, MDDM) and model.constraint == "projection":
        return A, T
    a, b = (model.mu, 1 - model.mu) if isinstance(model, MDDM) else (1, model.ridge)
    A = np.linalg.solve(np.linalg.cholesky(a * A.T @ A + b * np.eye(A.shape[1])), A.T).T
    if isinstance(model, LabelCCA):
        values, vectors = np.linalg.eigh(4 * T.T @ T)
        T = 2 * T @ (vectors / np.sqrt(values + model.label_ridge)) @ vectors.T
    return A, T


def p_of(A, T):
    null = null_moments(of_gram(A @ A.T), of_gram(T @ T.T))
    return float(upper_tail(np.sum((A.T @ T) ** 2), null))


@pytest.mark.parametrize("model", SIGNIFICANT[:4], ids=str)
def test_each_step_tests_the_complement_of_the_directions_before_it(model):
    X, Y = with_directions(np.random.default_rng(1), 2)
    p = model.fit(X, Y).p_values_
    A, T = sides_of(model, X, Y)
    left, values, right = np.linalg.svd(A.T @ T)
    expected = []
    for k in range(len(p)):
        V, U = left[:, :k], right[:k].T
        rest = A - A @ V @ V.T, T - T @ U @ U.T
        assert np.sum((rest[0].T @ rest[1]) ** 2) == pytest.approx(np.sum(values[k:] ** 2))
        expected.append(p_of(*rest))
    np.testing.assert_allclose(p, np.maximum.accumulate(expected), rtol=1e-6)
    assert model.n_components_ == np.count_nonzero(p <= 0.05) == 2
    np.testing.assert_allclose(model.eigenvalues_[:2], values[:2] ** 2, rtol=1e-8)
    whole = type(model)(**{**model.get_params(), "n_components": 2}).fit(X, Y)
    np.testing.assert_allclose(model.components_, whole.components_, atol=1e-10)


def test_partial_least_squares_leaves_scores_and_loadings_out():
    X, Y = with_directions(np.random.default_rng(1), 2)
    model = LabelPLS("significant").fit(X, Y)
    whole = LabelPLS(3).fit(X, Y)
    A, T = X - X.mean(axis=0), Y - Y.mean(axis=0)
    expected = []
    for k in range(len(model.p_values_)):
        scores, C = A @ whole.components_[:k].T, whole.label_loadings_[:, :k]
        rest = A - scores @ np.linalg.pinv(scores) @ A, T - T @ C @ np.linalg.pinv(C)
        expected.append(p_of(*rest))
    np.testing.assert_allclose(model.p_values_, np.maximum.accumulate(expected), rtol=1e-6)
    assert model.n_components_ == 2
    np.testing.assert_allclose(model.coef_, whole.truncate(2).coef_, atol=1e-10)


@pytest.mark.parametrize("model", SIGNIFICANT, ids=str)
def test_all_forms_of_the_rows_give_the_same_steps(model, rng):
    X, Y = with_directions(rng, 1)
    X[X < 2.5] = 0
    p = model.fit(X, Y).p_values_
    for form in (sparse.csr_array(X), np.hstack([X, np.zeros((200, 250))])):
        np.testing.assert_allclose(model.fit(form, sparse.csr_array(Y)).p_values_, p, rtol=1e-5)
    weights = np.r_[rng.random(150) + 0.5, np.zeros(50)]
    weighted = model.fit(X, Y, sample_weight=weights).p_values_
    alone = model.fit(X[:150], Y[:150], sample_weight=weights[:150]).p_values_
    np.testing.assert_allclose(weighted, alone, rtol=1e-6)


def test_weights_are_those_of_the_dependence_test(rng):
    X, Y = with_directions(rng, 1)
    w = rng.random(200) + 0.5
    p = MDDM("significant").fit(X, Y, sample_weight=w).p_values_
    assert p[0] == pytest.approx(dependence_test(X, Y, sample_weight=w).p_value)


def test_the_error_of_noise_is_the_level(rng):
    """Of 400 runs without a direction, and with one; three standard errors around 5 %."""
    for n_true in (0, 1):
        too_many = 0
        for _ in range(400):
            X, Y = with_directions(rng, n_true, n=120)
            A, T = X - X.mean(axis=0), Y - Y.mean(axis=0)
            found = step_down(by_singular_vectors(A, T), 0.05, rng) <= 0.05
            too_many += np.count_nonzero(found) > n_true
        assert too_many / 400 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_few_rows_that_carry_a_side_are_permuted(rng):
    X, Y = with_directions(rng, 0)
    Y[:] = 0
    Y[:9, 0] = 1
    X[:9] += 1
    p = step_down(by_singular_vectors(X - X.mean(axis=0), Y - Y.mean(axis=0)), 0.05, rng)
    assert p[0] == 1 / 1000


@pytest.mark.parametrize("model", [MDDM("significant"), LabelPLS("significant")], ids=str)
def test_noise_keeps_one_direction_with_a_warning(model):
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(90, 4)), rng.integers(2, size=(90, 3))
    with pytest.warns(UserWarning, match=r"No direction is significant at alpha=0\.05"):
        model.fit(X, Y)
    assert model.n_components_ == 1
    assert len(model.p_values_) == 1
    assert model.p_values_[0] > 0.05
    model.set_params(n_components=2).fit(X, Y)
    assert not hasattr(model, "p_values_")
    model.set_params(n_components="significant")


def test_missing_labels(rng):
    X, Y = with_directions(rng, 1)
    Y[rng.random(Y.shape) < 0.1] = np.nan
    assert OPLS("significant").fit(X, Y).n_components_ == 1


@pytest.mark.parametrize("model", [OPLS("significant"), LabelPLS("significant")], ids=str)
def test_where_rows_cannot_be_read_again_it_is_refused(model, rng):
    dask = pytest.importorskip("dask.array")
    X, Y = with_directions(rng, 1)
    with pytest.raises(TypeError, match="compares orders of the rows"):
        model.fit(dask.from_array(X), dask.from_array(Y))
    with pytest.raises(AttributeError) as caught:
        model.partial_fit(X, Y)
    assert "compares orders of the rows" in str(caught.value.__cause__)
    with pytest.raises(ValueError, match="alpha"):
        type(model)("significant", alpha=2).fit(X, Y)
