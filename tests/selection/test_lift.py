"""LIFT: its centres are those of k-means, its features the distances to them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

from labelspan import LIFT
from tests.selection.test_information import problem


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_centres_are_a_solution_of_k_means(form):
    X, Y = problem(0)
    model = LIFT(0.2).fit(form(X), Y)
    for label, y in enumerate(Y.T):
        n_centers = int(np.ceil(0.2 * min(y.sum(), (1 - y).sum())))
        for sign in (1, -1):
            mine = (model.center_labels_ == label) & (model.center_signs_ == sign)
            centers, rows = model.centers_[mine], X[y == (sign == 1)]
            assert len(centers) == n_centers
            # Lloyd's turns from these centres move nothing.
            again = KMeans(n_centers, init=centers, n_init=1, tol=0).fit(rows)
            np.testing.assert_allclose(again.cluster_centers_, centers, atol=1e-2)
            best = KMeans(n_centers, n_init=20, random_state=0).fit(rows).inertia_
            assert again.inertia_ <= 1.3 * best


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_features_are_distances_to_the_centres(form):
    X, Y = problem(1)
    model = LIFT(0.2).fit(form(X), Y)
    expected = np.linalg.norm(X[:, None] - model.centers_[None], axis=2)
    np.testing.assert_allclose(model.transform(form(X)), expected, atol=1e-7)


def test_labels_of_all_rows_or_none_have_no_centres():
    X, Y = problem(2)
    plain = LIFT(0.2).fit(X, Y)
    both = np.column_stack([np.zeros(len(Y), int), Y, np.ones(len(Y), int)])
    model = LIFT(0.2).fit(X, both)
    np.testing.assert_array_equal(model.centers_, plain.centers_)
    np.testing.assert_array_equal(model.center_labels_, plain.center_labels_ + 1)
    with pytest.raises(ValueError, match="No label has rows with and rows without it"):
        LIFT().fit(X, both[:, [0, -1]])
