"""Weights of several kernels against their turns on explicit features, and at the end."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import linear_kernel, pairwise_kernels

from labelspan.kernels import KernelSharedSubspaceClassifier, _several
from tests.kernels.problems import problem
from tests.reference import kernels as reference

PRICES = [(0.5, 0.01), (2.0, 0.1), (0.0, 0.05)]


def block(columns):
    """A linear kernel of some columns."""
    return lambda x, y: linear_kernel(x[None, columns], y[None, columns])[0, 0]


def blocks_of(X):
    """Two groups of columns, of mean diagonal 1."""
    parts = [X[:, :3] - X[:, :3].mean(axis=0), X[:, 3:] - X[:, 3:].mean(axis=0)]
    return [part / np.sqrt(np.sum(part**2) / len(X)) for part in parts]


@pytest.mark.parametrize(("alpha", "beta"), PRICES)
def test_turns_are_those_on_the_features(alpha, beta):
    X, Y = problem()
    kernels = [block(slice(0, 3)), block(slice(3, None))]
    given = {"kernel": kernels, "alpha": alpha, "beta": beta}
    model = KernelSharedSubspaceClassifier(2, **given).fit(X, Y)
    turns = reference.kernel_weights(blocks_of(X), Y, alpha, beta, 2, len(model.objectives_))
    assert_allclose(model.objectives_, [value for _, value in turns], rtol=1e-8)
    assert_allclose(model.kernel_weights_, turns[-1][0], atol=1e-8)
    assert model.objective_ == pytest.approx(model.objectives_[-1], rel=1e-10)


@pytest.mark.parametrize(("alpha", "beta"), PRICES)
def test_no_other_weights_nearby_are_better(alpha, beta, monkeypatch):
    X, Y = problem()
    monkeypatch.setattr(_several, "TOL", 1e-14)
    monkeypatch.setattr(_several, "MAX_TURNS", 5000)
    kernels = [{"kernel": "rbf", "gamma": 0.3}, "linear"]
    model = KernelSharedSubspaceClassifier(2, kernel=kernels, alpha=alpha, beta=beta).fit(X, Y)
    parts = [reference.centred(pairwise_kernels(X, metric="rbf", gamma=0.3)), X @ X.T]
    parts = [reference.centred(K) * len(K) / np.trace(reference.centred(K)) for K in parts]

    def objective(d):
        K = d * parts[0] + (1 - d) * parts[1]
        A, B = reference.shared_subspace(K, Y, alpha, beta, 2)
        return reference.shared_objective(K, Y, A, B, alpha, beta)

    d = model.kernel_weights_[0]
    assert model.objective_ == pytest.approx(objective(d), rel=1e-8)
    near = minimize_scalar(objective, bounds=(max(d - 0.1, 1e-6), min(d + 0.1, 1 - 1e-6)))
    assert model.objective_ <= near.fun * (1 + 1e-6)


@pytest.mark.parametrize("n_components", [1, 3, None])
def test_the_objective_never_rises_and_the_scores_are_those_of_the_sum(dataset, n_components):
    data = dataset("yeast")
    X, Y, X_new = data.X[:200], data.Y[:200], data.X[1500:1600]
    kernels = ["linear", *({"kernel": "rbf", "gamma": g} for g in (0.1, 1.0, 10.0)), "laplacian"]
    model = KernelSharedSubspaceClassifier(n_components, kernel=kernels, alpha=0.1, beta=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, Y)
    assert len(model.objectives_) > 2
    assert (np.diff(model.objectives_) <= 1e-12).all()
    assert model.kernel_weights_.sum() == pytest.approx(1.0)
    K = K_new = 0.0
    for weight, item in zip(model.kernel_weights_, kernels, strict=True):
        item = {"kernel": item} if isinstance(item, str) else item
        how = {"metric": item["kernel"]} | ({"gamma": item["gamma"]} if "gamma" in item else {})
        one = pairwise_kernels(X, **how)
        scale = weight * len(X) / np.trace(reference.centred(one))
        K, K_new = K + scale * one, K_new + scale * pairwise_kernels(X_new, X, **how)
    given = {"kernel": "precomputed", "alpha": 0.1, "beta": 0.01}
    peer = KernelSharedSubspaceClassifier(n_components, **given).fit(K, Y)
    assert_allclose(model.decision_function(X_new), peer.decision_function(K_new), atol=1e-8)
    assert_allclose(model.transform(X_new), peer.transform(K_new), atol=1e-7)


def test_a_kernel_that_says_nothing_loses_its_weight():
    X, Y = problem(n=200)
    noise = np.random.default_rng(1).standard_normal((200, 8))
    both = np.hstack([X, noise])
    kernels = [block(slice(0, 8)), block(slice(8, None))]
    given = {"kernel": kernels, "alpha": 0.1, "beta": 0.1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KernelSharedSubspaceClassifier(2, **given).fit(both, Y)
    assert model.kernel_weights_[0] > 0.75


def test_one_kernel_in_a_list_is_that_kernel():
    X, Y = problem()
    given = {"alpha": 0.1, "beta": 0.01}
    one = KernelSharedSubspaceClassifier(2, kernel=["linear"], **given).fit(X, Y)
    # Its mean diagonal is 1.
    size = np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=1))
    plain = KernelSharedSubspaceClassifier(2, kernel="linear", **given).fit(X / np.sqrt(size), Y)
    assert_allclose(one.decision_function(X), plain.decision_function(X / np.sqrt(size)), atol=1e-8)
    assert_allclose(plain.kernel_weights_, [1.0])


def test_a_weight_is_a_number_of_copies():
    X, Y = problem()
    given = {"kernel": ["linear", {"kernel": "rbf", "gamma": 0.2}], "alpha": 0.1, "beta": 0.1}
    weights = 1.0 + (np.arange(60) % 2)
    weighted = KernelSharedSubspaceClassifier(2, **given).fit(X, Y, sample_weight=weights)
    copies = np.repeat(np.arange(60), weights.astype(int))
    repeated = KernelSharedSubspaceClassifier(2, **given).fit(X[copies], Y[copies])
    ours, theirs = (m.decision_function(X) for m in (weighted, repeated))
    assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (["linear", "no kernel"], "kernel has the item 'no kernel'; expected the name"),
        ([{"kernel": "rbf", "width": 1.0}], "expected the name of a kernel"),
        (["precomputed"], "expected the name"),
        ([], "kernel is empty"),
    ],
)
def test_what_is_no_kernel_is_refused(kernel, message):
    with pytest.raises(ValueError, match=message):
        KernelSharedSubspaceClassifier(kernel=kernel).fit(*problem())
    with pytest.raises(ValueError, match="n_landmarks=5 with several kernels"):
        KernelSharedSubspaceClassifier(kernel=["rbf"], n_landmarks=5).fit(*problem())
