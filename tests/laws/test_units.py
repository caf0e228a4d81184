"""Laws of units: what a change of the scale of X, or of one of its columns, may change."""

import numpy as np
import pytest
from sklearn.base import clone

import labelspan as ls
from labelspan.classifiers import MultiOutputRidge
from labelspan.extraction import LPP
from labelspan.labelspace import CPLST, OCCA, PLST, FaIE
from labelspan.subspace import SharedSubspaceClassifier
from tests.laws.test_laws import problem

# The parameters that are squared lengths of X.
REDUCERS = [
    (ls.OPLS(None, ridge=0.1), ["ridge"]),
    (ls.LabelCCA(None, ridge=0.1), ["ridge"]),
    (ls.OPLS(None), []),
    (ls.LabelCCA(None), []),
    (ls.HSL(None), []),
    (ls.HSL(None, expansion="zhou"), []),
    (ls.MLDA(None), ["ridge"]),
    (ls.DMLDA(None), ["ridge"]),
    (ls.MLSI(None, beta=0.0), ["joint_ridge"]),
]
CLASSIFIERS = [
    (MultiOutputRidge(0.5), ["ridge"]),
    (MultiOutputRidge(), []),
    (PLST(ridge=0.5), ["ridge"]),
    (CPLST(ridge=0.5), ["ridge"]),
    (OCCA(ridge=0.5), ["ridge"]),
    (FaIE(3, ridge=0.5), ["ridge"]),
    (SharedSubspaceClassifier(2, alpha=0.1, beta=0.01), ["alpha", "beta"]),
]
UNITS = [1e-9, 1e-3, 7.0, 1e5, 1e9]


def name(case):
    return type(case[0]).__name__ if isinstance(case, tuple) else None


def in_unit(model, parameters, unit):
    squared = {p: getattr(model, p) * unit**2 for p in parameters}
    return clone(model).set_params(**squared)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("shape", [(90, 12), (15, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("case", REDUCERS, ids=name)
def test_x_and_ridge_in_another_unit_give_the_same_projections(case, shape, unit, rng):
    X, Y = problem(rng, *shape, 4)
    plain, scaled = clone(case[0]).fit(X, Y), in_unit(*case, unit).fit(X * unit, Y)
    # The directions of MLSI have the length that P'BP = I gives them, and its B has no unit.
    length = unit if isinstance(plain, ls.MLSI) else 1.0
    np.testing.assert_allclose(scaled.eigenvalues_, plain.eigenvalues_ * length**2, rtol=1e-7)
    ours, theirs = scaled.transform(X * unit) / length, plain.transform(X)
    np.testing.assert_allclose(ours, theirs, atol=1e-6 * np.abs(theirs).max())


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("shape", [(90, 12), (15, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("case", CLASSIFIERS, ids=name)
def test_x_and_ridge_in_another_unit_give_the_same_scores(case, shape, unit, rng):
    X, Y = problem(rng, *shape, 4)
    plain, scaled = clone(case[0]).fit(X, Y), in_unit(*case, unit).fit(X * unit, Y)
    ours, theirs = scaled.decision_function(X * unit), plain.decision_function(X)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        ls.OPLS(None, ridge=0.0),
        ls.LabelCCA(None, ridge=0.0, label_ridge=0.0),
        ls.MDDM(None, constraint="feature", mu=1.0),
        MultiOutputRidge(0.0),
        PLST(ridge=0.0),
        CPLST(ridge=0.0),
        OCCA(ridge=0.0),
        FaIE(3, ridge=0.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_without_a_ridge_no_column_has_a_unit(model, rng):
    X, Y = problem(rng)
    units = 10 ** rng.uniform(-12, 12, X.shape[1])
    plain, scaled = clone(model).fit(X, Y), clone(model).fit(X * units, Y)
    reducer = isinstance(model, ls.base.LinearReducer)
    ours = scaled.transform(X * units) if reducer else scaled.decision_function(X * units)
    theirs = plain.transform(X) if reducer else plain.decision_function(X)
    assert ours.shape == theirs.shape
    # A sign belongs to the coefficients, which have units.
    if reducer:
        ours = ours * np.sign(np.sum(ours * theirs, axis=0))
    np.testing.assert_allclose(ours, theirs, atol=1e-8)


@pytest.mark.parametrize("largest", [1e4, 1e12])
def test_lpp_solves_its_problem_in_any_units(largest, rng):
    # The graph sees units, the eigenproblem on it must not. Here the graph is the same: ten groups
    # of six rows, apart in every column. With a ridge that does not count, directions are those of
    # the plain columns divided by the units.
    centres = 3.0 * np.column_stack([rng.permutation(10) for _ in range(6)])
    X = np.repeat(centres, 6, axis=0) + rng.uniform(-0.5, 0.5, (60, 6))
    units = np.logspace(0, np.log10(largest), 6)[[2, 0, 5, 1, 4, 3]]
    model = LPP(6, n_neighbors=5, ridge=1e-30)
    expected, found = (clone(model).fit(A) for A in (X, X * units))
    np.testing.assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=1e-8, atol=1e-10)
    ours, theirs = found.components_ * units, expected.components_
    cosines = np.sum(ours * theirs, axis=1) / (
        np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    )
    np.testing.assert_allclose(np.abs(cosines), 1.0, atol=1e-8)
