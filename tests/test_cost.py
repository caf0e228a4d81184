"""The cost model: the solver of the fit, and numbers that grow with the work."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import labelspan as ls
from labelspan.costs import Cost
from tests.registry import ONE_PASS, name


@pytest.mark.parametrize("shape", [(60, 9), (12, 30)], ids=["tall", "wide"])
@pytest.mark.parametrize("method", ONE_PASS, ids=name)
def test_the_route_is_that_of_the_fit(method, shape, rng):
    X = rng.standard_normal(shape)
    Y = (X[:, :4] + rng.standard_normal((shape[0], 4)) > 0).astype(int)
    Y[:4] = np.eye(4)
    for form in (np.asarray, sparse.csr_array):
        found = ls.cost(method.estimator, *shape, 4, nnz=None if form is np.asarray else X.size)
        model = clone(method.estimator).fit(form(X), Y)
        assert found.solver == model.solver_


def test_time_and_memory_follow_from_the_shape():
    once, twice = (ls.cost(ls.MVMD(50), n, 1000, 100) for n in (10**6, 2 * 10**6))
    # n D^2 operations, besides the products with the labels and terms that do not grow with n.
    assert twice.flops - once.flops == pytest.approx(1e6 * 1e6, rel=0.5)
    assert 1.5 * once.seconds < twice.seconds < 2 * once.seconds
    assert (once.read, once.passes, once.network) == (8e9, 1, 8 * 1000 * 1100)
    assert once.memory == twice.memory < 1e8
    thin = ls.cost(ls.MDDM(50), 10**6, 1000, 100)
    assert thin.flops < once.flops / 50
    wide = ls.cost(ls.MDDM(50), 200_000, 500_000, 20_000, nnz=10**7)
    assert (wide.solver, wide.passes) == ("products", 60)
    assert wide.memory < 8e9
    # Two ridges are two factors.
    shared, one = (
        ls.cost(model, 10**5, 2000, 5)
        for model in (ls.SharedSubspaceClassifier(2), ls.MultiOutputRidge())
    )
    assert shared.flops - one.flops == pytest.approx(2000**3 / 3, rel=0.1)


def test_codes_of_very_many_labels_are_few_targets():
    wide = {"n": 200_000, "D": 500_000, "q": 20_000, "nnz": 10**7}
    plst, cplst = (ls.cost(model(100, ridge=0.0), **wide) for model in (ls.PLST, ls.CPLST))
    # Independent rows fit all labels, so only the regression of the codes remains.
    assert plst == cplst
    # Three times as many steps as a ridge needs, each with X and with X'.
    assert (plst.solver, plst.passes) == ("products", 180)
    assert plst.memory < 8e9
    with_ridge = ls.cost(ls.CPLST(100, ridge=1.0), **wide)
    assert with_ridge.flops > 15 * cplst.flops
    assert ls.cost(ls.PLST(100, ridge=1.0), **wide).solver == "krylov"
    few_labels = ls.cost(ls.PLST(2, ridge=1.0), 10_000, 20_000, 50, nnz=10**6)
    assert few_labels.network == 8 * 50 * 20_000 * 60


def test_solves_within_steps_are_counted():
    wide = {"n": 50_000, "D": 125_000, "q": 5000, "nnz": 2_500_000}
    # MDDM multiplies with X, OPLS and LabelCCA solve with its scatter matrix at each step.
    plain, *nested = (ls.cost(model(50), **wide) for model in (ls.MDDM, ls.OPLS, ls.LabelCCA))
    assert [found.solver for found in (plain, *nested)] == ["products"] * 3
    assert [found.passes / plain.passes for found in nested] == [60, 60]


@pytest.mark.parametrize(
    "model", [ls.PLST(100, ridge=0.0), ls.CPLST(100, ridge=0.0), ls.MultiOutputRidge(0.0)]
)
def test_rows_whose_gram_matrix_does_not_fit_are_refused_as_by_fit(model):
    with pytest.raises(MemoryError, match=r"Gram matrix of the rows would be 40000 x 40000"):
        ls.cost(model, 40_000, 100_000, 50)
    with pytest.raises(MemoryError, match=r"Gram matrix of the rows would be 40000 x 40000"):
        model.fit(np.broadcast_to(np.float32(1.0), (40_000, 100_000)), np.eye(40_000, 50))


def test_it_is_said_in_a_line():
    found = Cost("scatter", 7200.0, 2.5e9, 8e12, 1, 1e15, 3e6)
    assert str(found) == (
        "2 hours and 2.5 GB of memory with the solver 'scatter': 1 pass over X, 8 TB read, "
        "1.0e+15 operations, 3 MB sent by each worker."
    )


def test_refusals():
    with pytest.raises(ValueError, match=r"D=0; expected an integer of at least 1"):
        ls.cost(ls.MVMD(), 10, 0, 3)
    for nnz in (31, -1, 2.5):
        with pytest.raises(ValueError, match=rf"nnz={nnz}; expected .* from 0 to n \* D = 30"):
            ls.cost(ls.MVMD(), 10, 3, 3, nnz)
    with pytest.raises(ValueError, match="n_components"):
        ls.cost(ls.MVMD(0), 10, 3, 3)


@pytest.mark.parametrize(
    ("model", "n", "D", "q"),
    [
        (ls.LabelCCA(None), 3100, 10**6, 2000),
        (ls.MDDM(None), 3100, 10**6, 2000),
        (ls.MVMD(None), 40_000, 40_000, 20),
    ],
    ids=str,
)
def test_what_fit_refuses_for_its_size_has_no_cost(rng, model, n, D, q):
    X = sparse.random_array((n, D), density=1e-7, random_state=rng, format="csr")
    with pytest.raises(MemoryError) as of_fit:
        model.fit(X, rng.random((n, q)) < 0.3)
    with pytest.raises(MemoryError) as of_cost:
        ls.cost(model, n, D, q, X.nnz)
    assert str(of_cost.value) == str(of_fit.value)


@pytest.mark.parametrize(
    ("estimator", "named"),
    [
        (ls.MLkNN(), "MLkNN"),
        (ls.MVMD, "the class MVMD"),
        # They read X more than once, compare all rows, or wrap another estimator.
        (ls.MLDA(2), "MLDA"),
        (ls.LPP(2), "LPP"),
        (ls.KernelCPLST(2), "KernelCPLST"),
        (ls.CPLST(2, regressor=ls.MultiOutputRidge(), ridge=0.0), "CPLST"),
    ],
    ids=str,
)
def test_only_those_that_learn_from_sums_have_a_model(estimator, named):
    with pytest.raises(TypeError, match=f"no cost model for {named}; expected an estimator"):
        ls.cost(estimator, 10, 3, 3)


def test_large_arrays_are_read_in_the_cache():
    below, above = (ls.cost(ls.MDDM(5), n, 2**10, 100).seconds for n in (2**16 - 1, 2**16))
    assert above < below / 2
    scored = ls.cost(ls.MultilabelFisherScore(5), 2**16, 2**10, 100)
    assert scored.solver == "thin"
    assert above < scored.seconds < 2 * below


def test_a_cost_is_a_time_that_can_be_and_stays():
    found = ls.cost(ls.MVMD(50), 10**4, 100, 10)
    assert 1e-3 < found.seconds < 10
    assert found == ls.cost(ls.MVMD(50), 10**4, 100, 10)


def test_measuring_the_computer_takes_little_memory():
    # A process of its own, because the rates are measured once.
    code = (
        "import tracemalloc, labelspan as ls\n"
        "tracemalloc.start()\n"
        "ls.cost(ls.MVMD(5), 1000, 10, 3)\n"
        "print(tracemalloc.get_traced_memory()[1])"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(found.stdout) < 5e8
