"""What the experiments of the papers share inside: paths of searches, caches, known reasons."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from labelspan.datasets import load_yeast
from labelspan.papers import Outcome, find_experiments, judge_value
from labelspan.papers._causes import cause_of, printed_numbers, with_reason, with_variants
from labelspan.papers.cplst._methods import FirstCodes, kernel_search
from labelspan.papers.shared_subspace._methods import GRIDS, candidates
from labelspan.subspace import ASOClassifier, cca_ridge
from tests.lab.test_cli import labelspan  # noqa: F401
from tests.lab.test_missing_data import EXPERIMENT, plans


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


def test_grids_of_the_baselines_are_those_of_the_paper():
    assert [len(values) for values in GRIDS["CCA+SVM"]] == [8, 10]
    assert GRIDS["SVM"] == (tuple(10.0**i for i in range(-5, 6)),)
    assert (GRIDS["ASO_SVM"][0][0], GRIDS["ASO_SVM"][0][-1]) == (1e-4, 1e3)


def test_cells_that_differ_in_the_number_of_codes_share_the_search(yeast):
    X, Y, _ = yeast
    kernel_search.cache_clear()
    for codes, M in (("plst", 1), ("plst", 3), ("cplst", 3)):
        FirstCodes(codes, "kernel", M).fit(X.copy(), Y.copy())
    assert kernel_search.cache_info().misses == 1
    FirstCodes("plst", "kernel", 1).fit(X, 1 - Y)
    assert kernel_search.cache_info().misses == 2


def test_a_reason_goes_with_whole_words_and_may_name_the_experiment():
    known = {", SVM": "hinge", "a/table9: AUC | a/table2: AUC": "there", "A..., LDA": "any"}
    printed = {"reasons": {"undecidable": known}}
    pairs = (("SVM", ("hinge",)), ("SVM_perf", ()), ("CCA+SVM", ()), ("x, LDA", ("any",)))
    for name, expected in pairs:
        line = judge_value(f"AUC, {name}", 0.5, 0.6)
        assert with_reason(line, printed, "a/table1").reasons == expected
        assert set(with_reason(line, printed, "a/table2").reasons) == {*expected, "there"}


def test_the_cause_of_a_difference_is_what_would_decide_it_or_none():
    printed = {
        "reasons": {
            "unexplained": {"SVM": "tried"},
            "undecidable": {"AUC": "the width"},
            "shown": {"AUC, LDA": "a test"},
        },
        "trivial": {"AUC of": "always"},
    }
    for what, cause, reasons in (
        ("AUC, LDA", "shown", ("a test",)),
        ("AUC, SVM", "undecidable", ("the width",)),
        ("F1, SVM", "unexplained", ("tried",)),
        ("F1, PCA", "unexplained", ()),
    ):
        line = with_reason(judge_value(what, 0.5, 0.6), printed, "a/table1")
        assert (line.cause, line.reasons, line.trivial) == (cause, reasons, "")
    good = with_reason(judge_value("AUC of SVM", 0.5, 0.5), printed, "a/table1")
    assert (good.cause, good.reasons, good.trivial) == ("", (), "always")


def test_a_value_that_another_protocol_reproduces_is_shown_and_counts_once():
    main, other = find_experiments(["cplst/table3", "cplst/table3-90"])
    lines = [judge_value("a", 0.5, 0.6), judge_value("b", 0.5, 0.6), judge_value("c", 0.5, 0.5)]
    better = [judge_value("a", 0.5, 0.5), judge_value("b", 0.5, 0.7), judge_value("c", 0.5, 0.9)]
    outcomes = with_variants([Outcome(main, lines, False), Outcome(other, better, False)])
    (first, second, third), _ = (outcome.judged for outcome in outcomes)
    assert first.cause == "shown"
    assert first.reasons[0].startswith("reproduced by cplst/table3-90: 90 % of the rows")
    assert (second.cause, third.verdict) == ("", "reproduced")
    assert printed_numbers(outcomes) == [first, second, third]
    assert [cause_of(line) for line in (first, third)] == ["shown", "reproduced"]


def test_an_experiment_without_its_package_is_left_out_but_judged_where_it_is_stored(
    labelspan, tmp_path, monkeypatch  # noqa: F811
):  # fmt: skip

    def chosen(experiment):
        monkeypatch.setattr("labelspan.papers._command.EXPERIMENTS", (experiment,))
        monkeypatch.setattr("labelspan.papers._command.find_experiments", lambda _: [experiment])

    bundled = replace(EXPERIMENT, data=("yeast",), plans=partial(plans, name="yeast"))
    trees = replace(bundled, packages=("no_such_trees",))
    chosen(trees)
    text = "the package no_such_trees (pip install no_such_trees)"
    assert text in labelspan("reproduce", "list", "--long")[1]
    assert "  package  " in labelspan("reproduce", "list")[1]
    common = ("reproduce", "mvmd/one", "--jobs", "0", "--out", tmp_path / "out")
    code, out, err = labelspan(*common)
    assert code == 1
    assert f"mvmd/one is left out: it needs {text}" in err
    assert "reproduced" not in out
    chosen(bundled)
    assert labelspan(*common)[0] == 0
    chosen(trees)
    code, out, err = labelspan(*common, "--stored")
    assert code == 0
    assert "left out" not in err
    assert "reproduced" in out
