"""The public baselines of the shared-subspace paper against other libraries."""

import numpy as np
import pytest
from scipy import linalg
from sklearn.linear_model import Ridge
from sklearn.svm import SVC

from labelspan.subspace import cca_ridge, cca_svm
from tests.reference.extraction import label_cca
from tests.subspace.problems import problem


def data():
    """A problem whose labels all occur, and rows that were not trained on."""
    X, Y = problem(90, 10)
    return X[:60], Y[:60, :-1], X[60:]


@pytest.mark.parametrize("baseline", [cca_ridge, cca_svm])
def test_directions_are_canonical(baseline):
    X, Y, _ = data()
    cca = baseline(1e-10).fit(X, Y).estimator_[0]
    # Canonical correlations are the cosines between the column spaces; no ridge on the labels.
    angles = linalg.subspace_angles(X - X.mean(axis=0), Y - Y.mean(axis=0))
    np.testing.assert_allclose(cca.eigenvalues_, np.sort(np.cos(angles) ** 2)[::-1], rtol=1e-8)


@pytest.mark.parametrize("baseline", [cca_ridge, cca_svm])
@pytest.mark.parametrize("ridge", [0.1, 10.0])
def test_the_ridge_of_the_directions_is_one_on_the_features_alone(baseline, ridge):
    X, Y, _ = data()
    values, _ = label_cca(X, Y, ridge, 0.0)
    cca = baseline(ridge).fit(X, Y).estimator_[0]
    np.testing.assert_allclose(cca.eigenvalues_, values[: Y.shape[1]], rtol=1e-8)


def test_scores_are_those_of_ridge_regression_and_of_libsvm_on_the_projections():
    X, Y, other = data()
    _, P = label_cca(X, Y, 0.5, 0.0)
    P = P[:, : Y.shape[1]]
    ridge = Ridge(alpha=2.0).fit(X @ P, 2 * Y - 1)
    scores = cca_ridge(0.5, 2.0).fit(X, Y).estimator_.decision_function(other)
    np.testing.assert_allclose(scores, ridge.predict(other @ P), atol=1e-8)
    scores = cca_svm(0.5, 2.0).fit(X, Y).estimator_.decision_function(other)
    for k, y in enumerate(Y.T):
        svm = SVC(kernel="linear", C=2.0).fit(X @ P, y)
        # LIBSVM stops at a violation of 1e-3.
        np.testing.assert_allclose(scores[:, k], svm.decision_function(other @ P), atol=1e-2)
