"""Predictions keep their digits for any origin: scores are relative to the mean of the rows."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

import labelspan as ls
from labelspan.moments import project, score_at

# So far away the fit warns that float64 leaves few digits of the columns; here they are exact.
pytestmark = pytest.mark.filterwarnings("ignore:.*vary so little about their mean:UserWarning")

# Multiples of 1/8: with the means below, X + mean is exact in the dtype of the test.
rng = np.random.default_rng(5)
X = np.round(8 * rng.uniform(0.5, 4, 6) * rng.standard_normal((120, 6))) / 8
Y = (X @ rng.standard_normal((6, 4)) + 3 * rng.standard_normal((120, 4)) > 0.5).astype(int)
FAR = {
    "1e12": (2.0**40, np.float64, 1e-10),
    "minus 1e9": (-(2.0**30), np.float64, 1e-10),
    "mixed": (2.0 ** np.array([3, 40, -3, 20, 33, 10]) - 0.5, np.float64, 1e-10),
    "1e6 in float32": (2.0**20, np.float32, 1e-4),
    "-3e5 in float32": (-(2.0**18) - 0.125, np.float32, 1e-4),
}
# Methods that do not depend on the origin: a shift of all rows changes no score.
FREE = [
    ls.MultiOutputRidge(), ls.MultiOutputRidge(0.0), ls.PLST(2), ls.PLST(2, ridge=1.0),
    ls.CPLST(2), ls.CPLST(2, ridge=1.0), ls.OCCA(2), ls.PartialBinaryRelevance(2, random_state=0),
    ls.SharedSubspaceClassifier(2), ls.SharedSubspaceClassifierCV(n_components=2, cv=3),
    ls.KernelCPLST(2, kernel="linear"), ls.KernelSharedSubspaceClassifier(2, kernel="linear"),
    ls.KernelCPLST(2), ls.ThresholdTuner(ls.MultiOutputRidge()), ls.FaIE(2),
    ls.LabelSubset(2), ls.LEML(2),
]  # fmt: skip
SPARSE = FREE[:9]
# Those that learn a bias like any other weight, or from uncentred rows.
BOUND = [
    ls.LaRankSVM(C=0.1, random_state=0), ls.CLaRankSVM(C=0.1, random_state=0),
    ls.MLFS(3, C=0.1, random_state=0), ls.CMLFS(3, C=0.1, random_state=0),
    ls.ASOClassifier(2, alpha=1.0, random_state=0), ls.StructuralF1SVM(C=1.0),
    ls.SharedSubspaceClassifier(2, fit_intercept=False),
]  # fmt: skip


def called(estimator):
    return repr(estimator).replace("\n", "")


@pytest.mark.parametrize(("mean", "dtype", "tolerance"), FAR.values(), ids=FAR.keys())
@pytest.mark.parametrize("estimator", FREE, ids=called)
def test_a_shift_of_all_rows_changes_no_score(estimator, mean, dtype, tolerance):
    near, far = X.astype(dtype), (X + mean).astype(dtype)
    assert_array_equal(far.astype(np.float64) - mean, X)
    expected = clone(estimator).fit(X, Y).decision_function(near.astype(np.float64))
    scores = clone(estimator).fit(far, Y).decision_function(far)
    assert scores.dtype == dtype
    assert_allclose(scores, expected, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(("mean", "dtype", "tolerance"), FAR.values(), ids=FAR.keys())
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("estimator", SPARSE, ids=called)
def test_chunks_keep_their_digits(estimator, form, mean, dtype, tolerance, limit):
    limit("chunk bytes", 20 * X[0].nbytes)
    far, model = form((X + mean).astype(dtype)), clone(estimator)
    for rows in np.array_split(np.arange(len(X)), 40):
        model.partial_fit(far[rows], Y[rows])
    expected = clone(estimator).fit(X, Y).decision_function(X)
    found = model.decision_function(far)
    assert_allclose(found, expected, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(("mean", "dtype", "tolerance"), FAR.values(), ids=FAR.keys())
@pytest.mark.parametrize("estimator", SPARSE, ids=called)
def test_full_columns_of_sparse_rows(estimator, mean, dtype, tolerance):
    # Three columns without zeros, far away; three with zeros, of which the origin is one value.
    holes = X * (np.random.default_rng(0).random(X.shape) < 0.3)
    holes[:, :3] = X[:, :3]
    shift = np.broadcast_to(mean, 6) * (np.arange(6) < 3)
    far = (holes + shift).astype(dtype)
    expected = clone(estimator).fit(holes, Y).decision_function(holes)
    model = clone(estimator).fit(sparse.csr_array(far), Y)
    for rows in (slice(None), slice(7, 8)):
        scores = model.decision_function(sparse.csr_array(far)[rows])
        assert_allclose(scores, expected[rows], atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("mean", [1000.0, -(2.0**12) + 0.125, 2.0 ** np.arange(6, 12)])
@pytest.mark.parametrize("estimator", BOUND, ids=called)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_single_precision_scores_are_those_of_double_precision(estimator, mean):
    # Learnt in float64 from the same numbers, so only the prediction can differ.
    far = X + mean
    double = clone(estimator).fit(far, Y)
    single = clone(estimator).fit(far.astype(np.float32), Y)
    expected = double.decision_function(far)
    scale = np.ptp(expected, axis=0).max() + np.abs(expected).max()
    assert_allclose(single.decision_function(far.astype(np.float32)), expected, atol=2e-6 * scale)


@pytest.mark.parametrize("estimator", [*FREE[:2], *BOUND], ids=called)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_coefficients_and_intercept_say_the_same_in_exact_arithmetic(estimator):
    model = clone(estimator).fit(X + 64.0, Y)
    rows = (X + 64.0)[:5]
    exact = [
        [
            float(sum(map(lambda a, b: Fraction(a) * Fraction(b), x, w)) + Fraction(b))
            for w, b in zip(model.coef_.tolist(), model.intercept_.tolist(), strict=True)
        ]
        for x in rows.tolist()
    ]
    scale = 64 * np.abs(model.coef_).sum(axis=1).max()
    assert_allclose(model.decision_function(rows), exact, atol=1e-14 * scale)


def test_single_rows_in_another_precision():
    # A float64 model applied to float32 rows: the mean is not a float32 number.
    model = ls.MultiOutputRidge().fit(X + 2.0**20 + 0.03, Y)
    asked = (X + 2.0**20).astype(np.float32)
    expected = model.decision_function(asked.astype(np.float64))
    assert_allclose(model.decision_function(asked), expected, atol=1e-5)
    reducer = ls.MDDM(2).fit(X + 2.0**20 + 0.03, Y)
    expected = reducer.transform(asked.astype(np.float64))
    assert_allclose(reducer.transform(asked), expected, atol=1e-5)


def test_ridge_against_extended_precision():
    far = X + 2.0**40
    # The first row is subtracted exactly, because a mean of 1e12 has no digits left for the spread.
    centred = (far - far[0]).astype(np.longdouble)
    centred -= centred.mean(axis=0)
    S = 2.0 * Y - 1.0
    xx = (centred.T @ centred).astype(np.float64) + 0.01 * np.eye(6)
    coef = np.linalg.solve(xx, (centred.T @ S).astype(np.float64))
    expected = (centred @ coef + S.mean(axis=0)).astype(np.float64)
    scores = ls.MultiOutputRidge(0.01).fit(far, Y).decision_function(far)
    assert_allclose(scores, expected, atol=1e-12)


def test_wide_rows_far_away():
    wide = np.round(8 * np.random.default_rng(1).standard_normal((30, 80))) / 8
    for estimator in (ls.MultiOutputRidge(1.0), ls.PLST(2, ridge=1.0), ls.CPLST(2, ridge=1.0)):
        expected = clone(estimator).fit(wide, Y[:30]).decision_function(wide)
        far = clone(estimator).fit(wide + 2.0**40, Y[:30]).decision_function(wide + 2.0**40)
        assert_allclose(far, expected, atol=1e-9)


def test_projections_of_sparse_rows_against_extended_precision():
    A = np.round(8 * np.random.default_rng(2).standard_normal((40, 5))) / 8 + 2.0**36
    A[:, 2] *= np.arange(40) % 3 == 0
    A[11, 0] = 0.0  # almost full
    mean, V = A.mean(axis=0), np.random.default_rng(3).standard_normal((2, 5))
    expected = (A.astype(np.longdouble) - mean) @ V.T
    # Complete rows keep their digits, although row 11 is far away.
    usual = (A != 0).all(axis=1)
    found = project(sparse.csr_array(A), mean, V)
    scale = np.abs(A[:, 2]).max() * 1e-16
    assert_allclose(found[usual], expected[usual].astype(float), atol=64 * scale)
    no_third = np.array([0, 1, 3, 4])
    found = project(sparse.csr_array(A[:, no_third]), mean[no_third], V[:, no_third])
    expected = (A[:, no_third].astype(np.longdouble) - mean[no_third]) @ V[:, no_third].T
    rows = np.arange(40) != 11
    assert_allclose(found[rows], expected[rows].astype(float), rtol=1e-9, atol=1e-6)


def test_scores_at_the_mean_are_extended():
    mean, coef = np.array([2.0**40 + 0.125, -(2.0**40)]), np.array([[1 / 3], [1 / 3]])
    exact = sum(Fraction(a) * Fraction(b) for a, b in zip(mean, coef[:, 0], strict=True))
    assert_allclose(score_at(mean, coef, np.zeros(1)), float(exact), rtol=1e-5)
