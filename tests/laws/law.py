"""How the laws use the registry: for which estimators, on which sample, with which comparison."""

from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from tests.known import KNOWN
from tests.registry import ESTIMATORS

# Law name -> names of the classes it is run on.
LAWS = {}


def law(holds_for=lambda entry: True):
    """Run a test for every entry; an excuse or known defect that does not fail must be removed."""

    def parametrised(test):
        law_name = test.__name__.removeprefix("test_")
        entries = [entry for entry in ESTIMATORS if holds_for(entry)]
        LAWS[law_name] = [entry.name for entry in entries]
        parameters = [pytest.param(e, id=e.name, marks=marks(law_name, e)) for e in entries]
        return pytest.mark.parametrize("entry", parameters)(test)

    return parametrised


def marks(law_name, entry):
    reason = entry.excuses.get(law_name)
    if reason is not None:
        return [pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)]
    reason = KNOWN.get((law_name, entry.name))
    return [] if reason is None else [pytest.mark.xfail(strict=True, reason=reason)]


def sample(seed=0, n=48, n_features=6, n_labels=4):
    """Features with means and unequal scales, labels that depend on them, and new rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + 20, n_features)) * np.linspace(0.7, 1.5, n_features) + 0.5
    scores = X @ rng.standard_normal((n_features, n_labels))
    scores += rng.standard_normal(scores.shape)
    shares = np.linspace(0.45, 0.7, n_labels)
    thresholds = [np.quantile(s, share) for s, share in zip(scores.T, shares, strict=True)]
    Y = (scores > thresholds).astype(int)
    return X[:n], Y[:n], X[n:]


def fit(entry, X, Y):
    return clone(entry.estimator).fit(X, Y)


@cache
def plain(entry_name):
    """The model of the plain sample; do not change it."""
    entry = next(entry for entry in ESTIMATORS if entry.name == entry_name)
    X, Y, _ = sample()
    return fit(entry, X, Y)


def outputs(model, X):
    """All outputs of a fitted model for new rows, and of its search if it has one."""
    found = {}
    for method in ("transform", "decision_function", "predict_proba", "predict"):
        if hasattr(model, method):
            found[method] = dense(getattr(model, method)(X))
    if hasattr(model, "get_support"):
        # The kept columns as such depend on the order of the features.
        del found["transform"]
        found["support"] = model.get_support()
    if hasattr(model, "scores_"):
        found["scores"] = model.scores_
    if hasattr(model, "cv_results_"):
        found["mean_test_score"] = np.asarray(model.cv_results_["mean_test_score"])
    return found


def dense(A):
    A = A.compute() if hasattr(A, "compute") else A
    return A.toarray() if sparse.issparse(A) else np.asarray(A)


def assert_same(ours, theirs, tolerance=1e-8):
    """Floats agree to `tolerance` of the largest, everything else exactly."""
    assert ours.keys() == theirs.keys()
    for name, expected in theirs.items():
        if expected.dtype.kind == "f":
            atol = tolerance * np.abs(expected).max(initial=1e-300)
            np.testing.assert_allclose(ours[name], expected, rtol=0, atol=atol, err_msg=name)
        else:
            np.testing.assert_array_equal(ours[name], expected, err_msg=name)


def takes_holes(entry):
    """Whether the estimator accepts missing labels."""
    return entry.estimator.__sklearn_tags__().label_tags.takes("missing_labels")
