"""The convex decoder of CompressedSensing: optimality, basis pursuit, and against the pursuit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog

from labelspan.labelspace import CompressedSensing

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 60))
Y = np.zeros((40, 50), dtype=int)
for row in Y:
    row[rng.choice(50, 3, replace=False)] = 1


@pytest.mark.parametrize("penalty", [0.02, 0.1, 0.5])
def test_the_decoded_labels_minimise_the_lasso(penalty):
    model = CompressedSensing(20, decoder="lasso", penalty=penalty, random_state=0).fit(X, Y)
    T = model.encode(Y[:10]) + 0.1 * rng.standard_normal((10, 20))
    V = model.components_
    for t, y in zip(T, model.decode(T), strict=True):
        # Stationarity, which is sufficient: V'(t - V y) is in the subdifferential.
        limit = penalty * np.abs(V.T @ t).max()
        gradient = V.T @ (t - V @ y)
        assert np.abs(gradient).max() <= limit * (1 + 1e-8)
        assert_allclose(gradient[y != 0], limit * np.sign(y[y != 0]), rtol=1e-8)


def test_without_a_penalty_it_is_basis_pursuit():
    model = CompressedSensing(12, decoder="lasso", penalty=0.0, random_state=0).fit(X, Y)
    T, V = model.encode(Y[:6]), model.components_
    for t, y in zip(T, model.decode(T), strict=True):
        assert_allclose(V @ y, t, atol=1e-9)
        both = linprog(np.ones(100), A_eq=np.hstack([V, -V]), b_eq=t)
        assert np.abs(y).sum() == pytest.approx(both.fun, rel=1e-8)


def test_exact_codes_of_few_labels_are_recovered():
    model = CompressedSensing(30, decoder="lasso", penalty=0.0, random_state=0).fit(X, Y)
    assert_array_equal(model.decode(model.encode(Y)) > 0.5, Y)
    assert_array_equal(model.decode(np.zeros((1, 30))), np.zeros((1, 50)))
    assert_array_equal(model.truncate(0).predict(X), np.zeros_like(Y))


def test_a_penalty_of_one_leaves_no_label():
    model = CompressedSensing(10, decoder="lasso", penalty=1.0, random_state=0).fit(X, Y)
    assert_allclose(model.decode(model.encode(Y)), 0, atol=1e-12)
