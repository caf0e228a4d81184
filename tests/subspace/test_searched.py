"""The baselines that the experiments search: each point is that of the public pipeline."""

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from labelspan.datasets import load_yeast
from labelspan.metrics import macro_f1
from labelspan.papers._experiment import Values, printed_values
from labelspan.papers.shared_subspace._experiments import (
    FIRST,
    PRICES,
    SIZES,
    TIMED,
    figure3,
    judge_figure1,
    judge_figure3,
    judge_performance,
    judge_significance,
    performance,
    point,
)
from labelspan.papers.shared_subspace._methods import (
    GRIDS,
    SearchedBaseline,
    candidates,
    searched_subspace,
)
from labelspan.subspace import ASOClassifier, cca_ridge


@pytest.fixture(scope="module")
def yeast():
    data = load_yeast()
    return data.X[:250], np.asarray(data.Y[:250]), data.X[250:500]


def test_points_of_a_path_are_those_of_libsvm(yeast):
    X, Y, other = yeast
    for (C,), model in candidates("SVM", X, Y, ((0.1, 1.0, 10.0),)):
        svm = OneVsRestClassifier(SVC(kernel="linear", C=C, tol=1e-5)).fit(X, Y)
        scores = svm.decision_function(other)
        # A margin is 2 wide; the SVMs stop at a violation of 0.001 per row.
        np.testing.assert_allclose(model(other), scores, atol=0.03)


def test_points_behind_canonical_directions_are_those_of_the_pipeline(yeast):
    X, Y, other = yeast
    wide = np.hstack([X, X**2, X**3])
    for A, B in ((X, other), (wide, np.hstack([other, other**2, other**3]))):
        for (ridge, value), model in candidates("CCA+Ridge", A, Y, ((0.1, 1.0), (0.01, 1.0))):
            pipeline = cca_ridge(ridge, value).fit(A, Y).estimator_
            np.testing.assert_allclose(model(B), pipeline.decision_function(B), atol=1e-6)


def test_aso_is_the_public_class(yeast):
    X, Y, other = yeast
    ((_, model),) = candidates("ASO_SVM", X, Y, ((1.0,),))
    expected = ASOClassifier(alpha=1.0, random_state=0).fit(X, Y).decision_function(other)
    np.testing.assert_allclose(model(other), expected)


def test_search_takes_the_best_macro_f1_and_tunes_thresholds(yeast):
    X, Y, other = yeast
    model = SearchedBaseline("CCA+SVM", ((0.1, 10.0), (0.01, 1.0)), n_folds=3).fit(X, Y)
    assert len(model.scores_) == 4
    assert model.scores_[model.best_params_] == max(model.scores_.values())
    assert all(0 < value < 1 for value in model.scores_.values())
    plain = (model.model_(X) > 0).astype(int)
    assert macro_f1(Y, model.predict(X)) > macro_f1(Y, plain)
    np.testing.assert_array_equal(model.predict(other), model.decision_function(other) > 0)


def test_grids_are_those_of_the_paper():
    assert [len(values) for values in GRIDS["CCA+SVM"]] == [8, 10]
    assert GRIDS["SVM"] == (tuple(10.0**i for i in range(-5, 6)),)
    assert (GRIDS["ASO_SVM"][0][0], GRIDS["ASO_SVM"][0][-1]) == (1e-4, 1e3)
    assert searched_subspace().alphas == (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
    many, few = performance("table 3", FIRST)(quick=False)
    assert [source.name for source in many.sources] == [
        f"yahoo-mulan-{name}" for name in ("arts", "business", "education", "health")
    ]
    assert (many.splits.n_splits, few.splits.n_splits) == (30, 10)
    assert {step.title for step in (*many.models, *few.models)} == set(
        printed_values("shared-subspace")["table3"]["arts"]
    )
    assert len(figure3(quick=False)[0].models) == 81


def values(numbers, measure, name="arts"):
    dataset = f"yahoo-mulan-{name}"
    return {(dataset, method, measure): list(row) for method, row in numbers.items()}


def test_tables_are_judged_by_their_numbers():
    printed = printed_values("shared-subspace")
    found = {}
    for name, table in printed["table3"].items():
        for place, measure in enumerate(printed["measures"]):
            rows = {method: [row[place]] * 30 for method, row in table.items()}
            found |= values(rows, measure, name)
    judge = judge_performance("table3", FIRST)
    lines = judge(Values(found, ()), printed)
    assert {line.verdict for line in lines} == {"reproduced", "not judged"}
    # Six methods by three measures, and three statements, on each of four sets.
    assert len(lines) == 4 * (18 + 3)
    # A method that is far better in one measure of one set is neither near its value nor second.
    found |= values({"SVM": [0.7] * 30}, "macro_f1", "health")
    wrong = [line for line in judge(Values(found, ()), printed) if line.verdict == "not reproduced"]
    assert [(line.what, line.ours) for line in wrong] == [
        ("Macro-F1 on health, SVM", pytest.approx(0.7)),
        ("Macro-F1 on health: best of 6", "SVM"),
    ]


def test_wilcoxon_is_judged_by_significance_and_sign():
    printed = printed_values("shared-subspace")
    noise = np.linspace(-0.01, 0.01, 30)
    rows = {"ML_LS": 0.5 + noise, "SVM": 0.4 + noise**2, "CCA+SVM": 0.6 + noise**2}
    found = values(rows, "macro_f1")
    judge = judge_significance("table5", FIRST)
    verdicts = {line.what: line.verdict for line in judge(Values(found, ()), printed)}
    assert verdicts == {
        "Macro-F1 on arts: is ML_LS significantly above SVM?": "reproduced",
        "Macro-F1 on arts: is ML_LS significantly above CCA+SVM?": "not reproduced",
    }


def test_figures_are_judged_by_what_the_text_says():
    seconds = {"SVM": 1.0, "ML_LS": 2.0, "ASO_SVM": 3.0}
    rows = {f"{name}, n = {SIZES[0]}": [9.0, seconds[name]] for name in TIMED}
    (line,) = judge_figure1(Values(values(rows, "fit_seconds"), ()), {})
    assert (line.verdict, line.ours) == (
        "reproduced",
        "SVM 1.00 s, ML_LS 2.00 s, ASO_SVM 3.00 s",
    )
    heat = {point(a, b): [0.2, 0.21] for a in PRICES for b in PRICES}
    heat[point(0.1, 0.0)] = [0.4, 0.41]
    lines = judge_figure3(Values(values(heat, "macro_f1"), ()), {})
    assert [item.verdict for item in lines[:3]] == ["reproduced", "not reproduced", "reproduced"]
    assert len(lines) == 3 + len(PRICES)
