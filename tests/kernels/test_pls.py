"""KernelPLS against its paper on the kernel matrix, and against LabelPLS for a linear kernel."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import labelspan as ls
from labelspan.kernels import KernelPLS
from tests.kernels.problems import up_to_sign
from tests.laws.test_laws import problem
from tests.reference import kernels as reference


@pytest.mark.parametrize("data", ["emotions", "yeast", "scene"])
def test_scores_equal_those_of_the_paper(data, training):
    X, Y = (array[:300] for array in training(data))
    gamma = 1 / (X.shape[1] * X.var())
    theirs = reference.pls(rbf_kernel(X, gamma=gamma), Y, 6)
    ours = KernelPLS(6, gamma=gamma).fit(X, Y).transform(X)
    ours /= np.linalg.norm(ours, axis=0)
    np.testing.assert_allclose(up_to_sign(ours, theirs), theirs, atol=1e-8)


@pytest.mark.parametrize("shape", [(90, 12), (30, 40)], ids=["tall", "wide"])
def test_a_linear_kernel_gives_label_pls(shape, rng):
    X, Y = problem(rng, *shape)
    linear = ls.LabelPLS(5).fit(X, Y).transform(X)
    for landmarks in (None, shape[0]):
        model = KernelPLS(5, kernel="linear", n_landmarks=landmarks, random_state=0).fit(X, Y)
        ours = up_to_sign(model.transform(X), linear)
        np.testing.assert_allclose(ours, linear, atol=1e-7 * np.abs(linear).max())


def test_new_rows_and_the_number_of_directions(rng):
    X, Y = problem(rng)
    model = KernelPLS(6, gamma=0.05)
    whole = clone(model).fit(X, Y)
    fewer = clone(model).set_params(n_components=3).fit(X, Y)
    np.testing.assert_allclose(whole.transform(X[:9])[:, :3], fewer.transform(X[:9]), atol=1e-10)
    scores = whole.transform(X)
    np.testing.assert_allclose(scores.mean(axis=0), 0, atol=1e-10)
    lengths = np.linalg.norm(scores, axis=0)
    np.testing.assert_allclose((scores / lengths).T @ (scores / lengths), np.eye(6), atol=1e-10)


def test_no_more_directions_than_the_kernel_has(rng):
    X, Y = problem(rng, n_features=3)
    with pytest.warns(UserWarning, match="n_components=5 is more than the 3 directions"):
        assert KernelPLS(5, kernel="linear").fit(X, Y).n_components_ == 3


def test_labels_that_do_not_vary_hold_no_direction(rng):
    X, _ = problem(rng)
    with (
        pytest.warns(UserWarning, match="n_components=2 is more than the 0 directions"),
        pytest.raises(ValueError, match="no direction to keep"),
    ):
        KernelPLS(2).fit(X, np.ones((len(X), 3), dtype=int))
