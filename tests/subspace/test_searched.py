"""The shared-subspace paper: the search of its baselines, its plans, and how they are judged."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from labelspan.datasets import load_yeast
from labelspan.experiments import get_method
from labelspan.metrics import macro_f1
from labelspan.papers import Values, find_experiments, printed_values
from labelspan.subspace import SharedSubspaceClassifierCV

SearchedBaseline = get_method("shared-subspace/baseline").load()


def experiment(name):
    (found,) = find_experiments([f"shared-subspace/{name}"])
    return found


@pytest.fixture(scope="module")
def yeast():
    data = load_yeast()
    return data.X[:250], np.asarray(data.Y[:250]), data.X[250:500]


def test_search_takes_the_best_macro_f1_and_tunes_thresholds(yeast):
    X, Y, other = yeast
    model = SearchedBaseline("CCA+SVM", ((0.1, 10.0), (0.01, 1.0)), n_folds=3).fit(X, Y)
    assert len(model.scores_) == 4
    assert model.scores_[model.best_params_] == max(model.scores_.values())
    assert all(0 < value < 1 for value in model.scores_.values())
    plain = (model.model_(X) > 0).astype(int)
    assert macro_f1(Y, model.predict(X)) > macro_f1(Y, plain)
    np.testing.assert_array_equal(model.predict(other), model.decision_function(other) > 0)


def test_the_second_protocol_searches_without_thresholds_and_predicts_with_them(yeast):
    X, Y, _ = yeast
    grid = ((0.01, 10.0),)
    model = SearchedBaseline("SVM", grid, n_folds=3, cuts_in_search=False).fit(X, Y)
    expected = dict.fromkeys(model.scores_, 0.0)
    for train, test in KFold(3).split(Y):
        for parameters in expected:
            one = SearchedBaseline("SVM", tuple((c,) for c in parameters)).fit(X[train], Y[train])
            signs = (one.model_(X[test]) > 0).astype(int)
            expected[parameters] += macro_f1(Y[test], signs) / 3
    assert model.scores_ == pytest.approx(expected, abs=1e-3)
    assert macro_f1(Y, model.predict(X)) > macro_f1(Y, (model.model_(X) > 0).astype(int))
    subspace = get_method("shared-subspace/searched-blindly").make()
    assert subspace.estimator.threshold is None
    assert subspace.strategy == "per_label_f1"


def test_the_row_of_svm_by_sign_has_at_least_one_label(yeast):
    X, Y, other = yeast
    machine = get_method("cmlfs/sign-svm").make().fit(X, Y)
    scores = machine.estimator_.decision_function(other)
    expected = scores > 0
    expected[np.arange(len(scores)), scores.argmax(axis=1)] = True
    np.testing.assert_array_equal(machine.predict(other), expected)


def test_plans_are_those_of_the_paper():
    subspace = get_method("shared-subspace/searched").make()
    assert isinstance(subspace, SharedSubspaceClassifierCV)
    assert subspace.alphas == (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
    many, few = experiment("table3").plans(quick=False)
    assert [source.name for source in many.sources] == [
        f"yahoo-mulan-{name}" for name in ("arts", "business", "education", "health")
    ]
    assert (many.splits.n_splits, few.splits.n_splits) == (30, 10)
    assert {step.title for step in (*many.models, *few.models)} == set(
        printed_values("shared-subspace")["table3"]["arts"]
    )
    (heat,) = experiment("figure3").plans(quick=False)
    assert len(heat.models) == 81


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
    judge = experiment("table3").judge
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
    judge = experiment("table5").judge
    verdicts = {line.what: line.verdict for line in judge(Values(found, ()), printed)}
    assert verdicts == {
        "Macro-F1 on arts: is ML_LS significantly above SVM?": "reproduced",
        "Macro-F1 on arts: is ML_LS significantly above CCA+SVM?": "not reproduced",
    }


def test_figures_are_judged_by_what_the_text_says():
    seconds = {"SVM": 1.0, "ML_LS": 2.0, "ASO_SVM": 3.0}
    rows = {f"{name}, n = 250": [9.0, seconds[name]] for name in seconds}
    (line,) = experiment("figure1").judge(Values(values(rows, "fit_seconds"), ()), {})
    assert (line.verdict, line.ours) == (
        "reproduced",
        "SVM 1.00 s, ML_LS 2.00 s, ASO_SVM 3.00 s",
    )
    assert not line.trivial
    rows["ML_LS, n = 250"] = [1.04]
    (line,) = experiment("figure1").judge(Values(values(rows, "fit_seconds"), ()), {})
    assert line.trivial == "two of the times differ by less than 0.05 s"
    (plan,) = experiment("figure3").plans(quick=False)
    heat = {step.title: [0.2, 0.21] for step in plan.models}
    assert "alpha = 0.1, beta = 0" in heat
    heat["alpha = 0.1, beta = 0"] = [0.4, 0.41]
    lines = experiment("figure3").judge(Values(values(heat, "macro_f1"), ()), {})
    assert [item.verdict for item in lines[:3]] == ["reproduced", "not reproduced", "reproduced"]
    assert lines[3].what == "macro F1 on arts: gain of alpha > 0 over ridge"
    assert lines[3].ours == "0.2000, from 0.2050 at alpha = 0, beta = 0"
    # And a line per alpha, of nine.
    assert len(lines) == 4 + 9
