"""Experiments for what the papers say beside their tables: measurements and verdicts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from labelspan.experiments import Source
from labelspan.papers import Values, find_experiments, printed_values
from labelspan.papers.shared_subspace import OnKernels
from tests.labelspace.problems import problem
from tests.reference.kernels import centred, centred_rows


def judged(name, found):
    (experiment,) = find_experiments([name])
    lines = experiment.judge(Values(found, (), {}, {}), printed_values(experiment.paper))
    return {line.what: line.verdict for line in lines if line.verdict != "not judged"}


@pytest.mark.parametrize(("power", "verdict"), [(1.0, "reproduced"), (1.5, "not reproduced")])
def test_linear_time_is_a_slope_of_one_per_sweep(power, verdict):
    found = {}
    for n in (250, 500, 1000, 2000):
        found[("scene", f"n = {n}", "sweeps")] = [n / 10.0]
        found[("scene", f"n = {n}", "seconds")] = [n / 10.0 * n**power]
    assert list(judged("cmlfs/section3.7", found).values()) == [verdict]


def test_ten_masks_are_within_ten():
    found = {("scene", "MLFS", "masks"): [10.0], ("scene", "CMLFS", "masks"): [11.0]}
    assert list(judged("cmlfs/section3.6", found).values()) == ["reproduced", "not reproduced"]


def test_the_coordinates_are_those_of_the_uniform_sum_of_kernels():
    X, Y = problem(n=60)
    X_new = problem(1, n=20)[0]
    model = OnKernels("SVM", grid=((1.0,),)).fit(X, Y)
    apart = np.array([np.sum((a - b) ** 2) for i, a in enumerate(X) for b in X[:i]])
    gammas = np.array([0.125, 0.25, 0.5, 1.0, 2.0, 4.0]) / np.median(apart)
    K = np.mean([rbf_kernel(X, gamma=g) for g in gammas], axis=0)
    K_new = np.mean([rbf_kernel(X_new, X, gamma=g) for g in gammas], axis=0)
    Z, Z_new = model._coordinates(X), model._coordinates(X_new)
    assert_allclose(Z @ Z.T, centred(K), atol=1e-9)
    assert_allclose(Z_new @ Z.T, centred_rows(K_new, K), atol=1e-9)
    assert_allclose(model.decision_function(X_new), model.model_.decision_function(Z_new))


def test_terms_are_the_most_frequent_labels_of_a_thousand_rows(dataset):
    whole = dataset("corel5k")
    data = Source("corel5k", prepare="terms-30").load()
    counts = np.sort(whole.Y.sum(axis=0))[::-1]
    names = dict(zip(whole.label_names, whole.Y.sum(axis=0), strict=True))
    assert data.Y.shape == (1000, 30)
    assert data.Y.any(axis=1).all()
    assert min(names[name] for name in data.label_names) >= counts[30]
    assert data.X.shape[1] == whole.X.shape[1]
