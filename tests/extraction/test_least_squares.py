"""MVMD, PCA and MDDM as least squares: Eqs. (6), (21), (30) and (35) of the MVMD paper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import labelspan as ls
from tests.laws.law import sample

X, Y, _ = sample()
Xc, S = X - X.mean(axis=0), 2.0 * Y - 1
DEPENDENCE = (S - S.mean(axis=0)).T @ Xc


def error(P, beta):
    """Eq. (30) for given directions P (D, d), by least squares for A and B."""
    A, B = (np.linalg.lstsq(P, target.T)[0].T for target in (Xc, DEPENDENCE))
    both = np.sum((Xc - A @ P.T) ** 2), np.sum((DEPENDENCE - B @ P.T) ** 2)
    return (1 - beta) * both[0] + beta * both[1]


@pytest.mark.parametrize("beta", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_directions_have_the_least_error_of_eq_30(beta, d):
    model = ls.MVMD(d, beta=beta).fit(X, Y)
    P = model.components_.T
    least = error(P, beta)
    assert model.reconstruction_error_ == pytest.approx(least, rel=1e-9, abs=1e-9 * error(P, 0))
    # Eq. (35).
    G = (1 - beta) * Xc.T @ Xc + beta * DEPENDENCE.T @ DEPENDENCE
    assert least == pytest.approx(np.trace(G) - np.trace(P.T @ G @ P), rel=1e-9, abs=1e-8)
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = np.linalg.qr(P + 0.1 * rng.standard_normal(P.shape))[0]
        assert error(other, beta) >= least * (1 - 1e-12)


def test_its_coefficients_are_projections_and_their_dependence():
    model = ls.MVMD(3).fit(X, Y)
    P, Z = model.components_.T, model.transform(X)
    assert_allclose(np.linalg.lstsq(P, Xc.T)[0].T, Z, atol=1e-10)
    assert_allclose(np.linalg.lstsq(P, DEPENDENCE.T)[0].T, S.T @ Z, atol=1e-9)


def test_mddm_has_the_least_error_of_eq_21():
    P = ls.MDDM(2).fit(X, Y).components_.T
    assert error(P, 1.0) == pytest.approx(ls.MVMD(2, beta=1.0).fit(X, Y).reconstruction_error_)
