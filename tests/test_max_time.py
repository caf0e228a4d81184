"""max_time ends a fit with a warning; what it leaves is a model with a true certificate."""

import re

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from labelspan.ranking import CLaRankSVM, LaRankSVM
from labelspan.selection import CMLFS, MLFS
from labelspan.subspace import ASOClassifier, StructuralF1SVM
from tests.subspace.problems import problem

MODELS = [
    LaRankSVM(10.0, random_state=0),
    CLaRankSVM(10.0, random_state=0),
    MLFS(3, C=10.0, random_state=0),
    CMLFS(3, C=10.0, random_state=0),
    StructuralF1SVM(10.0),
    ASOClassifier(2, alpha=0.01, random_state=0),
]


def named(model):
    return type(model).__name__


@pytest.mark.parametrize("model", MODELS[:5], ids=named)
def test_the_gap_is_told_and_bounds_the_optimum(model):
    X, Y = problem(60, 10)
    full = model.set_params(max_time=None, tol=1e-3, max_iter=10_000).fit(X, Y)
    best, bound = np.copy(full.primal_objective_), np.copy(full.dual_objective_)
    with pytest.warns(ConvergenceWarning, match=r"by max_time=1e-09 s") as caught:
        short = model.set_params(max_time=1e-9, tol=1e-9).fit(X, Y)
    primal, dual = short.primal_objective_, short.dual_objective_
    scale = 100 * model.C if named(model) == "StructuralF1SVM" else primal
    told = re.search(r"gap of (?:up to )?([\d.e+-]+)", str(caught[0].message)).group(1).strip(".")
    # MLFS is convex in everything, CMLFS only at its own feature weights.
    assert float(told) == pytest.approx(np.max((primal - dual) / scale), rel=0.06)
    assert np.all(dual <= primal)
    if named(model) != "CMLFS":
        assert np.all(dual <= best * (1 + 1e-9))
        assert np.all(primal >= bound * (1 - 1e-9))
    assert set(np.unique(short.predict(X))) <= {0, 1}


def test_aso_keeps_a_subspace():
    X, Y = problem(60, 10)
    with pytest.warns(ConvergenceWarning, match=r"ASO stopped by max_time=1e-09 s after 2 iter"):
        model = ASOClassifier(2, tol=0.0, max_time=1e-9, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.theta_ @ model.theta_.T, np.eye(2), atol=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=named)
def test_verbose_tells_the_gap(model, limit, capsys):
    limit("seconds between lines", 0.0)
    X, Y = problem(60, 10)
    quiet = model.set_params(max_time=None, tol=1e-2, max_iter=10_000, verbose=0).fit(X, Y)
    assert capsys.readouterr().out == ""
    expected = quiet.coef_.copy()
    model.set_params(verbose=1).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    form = rf"{named(model)} \[=* *\] gap [\d.e+-]+ \(tol [\d.]+\), \d+ \w.*, 0 s|.*, \d+ s"
    assert lines
    assert all(re.fullmatch(form, line) for line in lines)
    np.testing.assert_array_equal(model.coef_, expected)


@pytest.mark.parametrize("model", MODELS, ids=named)
def test_refuses_no_time(model):
    X, Y = problem(20, 3)
    with pytest.raises(ValueError, match="'max_time' parameter of"):
        model.set_params(max_time=0.0).fit(X, Y)
    model.set_params(max_time=None)
