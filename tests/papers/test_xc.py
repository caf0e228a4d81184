"""The rows of the Extreme Classification Repository: what is measured, and how it is chosen."""

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from labelspan.experiments import Plan, Source, Splits, Step, get_method, run_cell
from labelspan.labelspace import CPLST
from labelspan.metrics import (
    ndcg_at_k,
    precision_at_k,
    propensities,
    propensity_scored_precision_at_k,
)
from labelspan.papers import Values, find_experiments, printed_values

(BIBTEX,) = find_experiments(["xc/bibtex"])
(PLAN,) = BIBTEX.plans(False)
Ranked = get_method("xc/ranked").load()


@pytest.fixture
def rows(rng):
    X = rng.standard_normal((120, 30))
    Y = (X[:, :8] + rng.standard_normal((120, 8)) / 4 > 0.8).astype(int)
    return 7 * X[:100], Y[:100], X[100:], Y[100:]


def test_the_ridge_is_that_of_the_held_out_rows_and_the_fit_is_on_all(rows):
    X, Y, X_new, _ = rows
    ridges = (1e-3, 1.0, 100.0)
    held = np.arange(100) % 5 == 0
    U = normalize(X)
    found = [
        precision_at_k(
            Y[held], CPLST(3, ridge=ridge).fit(U[~held], Y[~held]).decision_function(U[held]), 1
        )
        for ridge in ridges
    ]
    model = Ranked("CPLST", 3, ridges).fit(X, Y)
    assert model.ridge_ == ridges[int(np.argmax(found))]
    expected = CPLST(3, ridge=model.ridge_).fit(U, Y).decision_function(normalize(X_new))
    np.testing.assert_allclose(model.decision_function(X_new), expected)


@pytest.mark.parametrize("name", [step.title for step in PLAN.models])
def test_every_method_ranks_labels(name, rows):
    X, Y, X_new, Y_new = rows
    scores = Ranked(name, 8, (0.1,)).fit(X, Y).decision_function(X_new)
    some = Y_new.any(axis=1)
    # A label at random is right in 3 of 10 of these rows.
    assert precision_at_k(Y_new[some], scores[some], 1) > 0.6


def test_a_cell_measures_what_the_repository_prints(dataset):
    yeast = dataset("yeast")
    step = Step("xc/ranked", (("model", "CPLST"), ("n_components", 5), ("ridges", (1.0,))))
    plan = Plan("xc", (Source("yeast"),), models=(step,), splits=STANDARD, measures=PLAN.measures)
    found = dict(run_cell(plan.cells[0]).rows)
    X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
    truth = yeast.Y[yeast.test]
    scores = Ranked("CPLST", 5, (1.0,)).fit(X, Y).decision_function(yeast.X[yeast.test])
    weights = propensities(Y)
    for k in (1, 3, 5):
        assert found[f"precision_at_{k}"] == pytest.approx(precision_at_k(truth, scores, k))
        assert found[f"ndcg_at_{k}"] == pytest.approx(ndcg_at_k(truth, scores, k))
        expected = propensity_scored_precision_at_k(truth, scores, k, propensities=weights)
        assert found[f"psp_at_{k}"] == pytest.approx(expected)


def test_a_model_without_propensities_is_refused(dataset):
    dataset("yeast")
    plan = Plan("xc", (Source("yeast"),), models=(Step("cplst"),), splits=STANDARD, measures=PSP)
    result = run_cell(plan.cells[0])
    assert result.status == "failed"
    assert (
        "psp_at_1 asks a model for the propensities of its training labels; CPLST" in result.error
    )


STANDARD = Splits("standard")
PSP = ("psp_at_1",)


def test_printed_per_cents_are_judged_as_shares():
    found = {("bibtex", "CPLST", measure): [0.63] for measure in PLAN.measures}
    found["bibtex", "PLST", "precision_at_1"] = [0.5]
    lines = {line.what: line for line in BIBTEX.judge(Values(found, ()), printed_values("xc"))}
    assert lines["P@1 on bibtex, CPLST"].verdict == "reproduced"
    assert lines["P@1 on bibtex, CPLST"].printed == pytest.approx(0.6238)
    assert lines["P@3 on bibtex, CPLST"].verdict == "not reproduced"
    assert lines["P@1 on bibtex, PLST"].verdict == "not judged"
    assert lines["PSP@1 on bibtex, CPLST"].verdict == "not judged"
