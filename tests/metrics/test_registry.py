"""The registry states the truth about its measures, and errors say how to repair a call."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest

from labelspan import metrics
from labelspan.metrics import CONVENTIONS, MEASURES, PAPER_MEASURES, evaluate, get_measure

rng = np.random.default_rng(0)
Y = rng.random((30, 6)) < 0.4
Y[:, 0] |= ~Y.any(axis=1)
Y[:, 1] &= ~Y.all(axis=1)


@pytest.mark.parametrize("name", MEASURES)
def test_direction_and_needs(name):
    """The truth as output beats its opposite, in the direction stated."""
    measure = MEASURES[name]
    right, wrong = (Y, ~Y) if measure.needs == "labels" else (Y * 1.0, -1.0 * Y)
    sign = 1 if measure.direction == "max" else -1
    assert sign * measure(Y, right) > sign * measure(Y, wrong)
    second = list(inspect.signature(measure.function).parameters)[1]
    assert second == {"labels": "Y_pred", "scores": "Y_score"}[measure.needs]
    assert getattr(metrics, name) is measure.function


def test_conventions_name_measures_and_parameters():
    for convention in CONVENTIONS.values():
        for name, arguments in convention.items():
            assert set(arguments) <= set(inspect.signature(MEASURES[name].function).parameters)
    assert all(name in MEASURES for names in PAPER_MEASURES.values() for name in names)


def test_mddm_convention_leaves_out_undefined_rows_and_counts_empty_labels_as_one():
    truth = np.array([[1, 0, 0], [0, 0, 0], [1, 1, 1], [1, 0, 0]])
    scores = np.array([[0.1, 0.5, 0.2], [1, 2, 3], [1, 2, 3], [0.9, 0.5, 0.2]])
    names = ["ranking_loss", "one_error", "coverage", "average_precision"]
    values = metrics.evaluate(truth, Y_score=scores, measures=names, convention="mddm")
    assert values == pytest.approx(
        {"ranking_loss": 0.5, "one_error": 0.5, "coverage": 1.0, "average_precision": 2 / 3}
    )
    empty = np.zeros((2, 2))
    assert metrics.get_measure("macro_f1", "mddm")(empty, empty) == 1
    assert metrics.get_measure("macro_f1", "mddm", zero_division=0.0)(empty, empty) == 0


def test_mddm_convention_on_a_row_of_ties():
    """The true label of each tied pair: second at the top, first below."""
    values = metrics.evaluate(
        [[0, 1, 1, 0]],
        Y_score=[[2, 2, 1, 1]],
        measures=["ranking_loss", "one_error", "coverage", "average_precision"],
        convention="mddm",
    )
    assert values == {
        # Criterion (4) has "<=": of four pairs both ties are errors, and one is in wrong order.
        "ranking_loss": 3 / 4,
        # The authors' program looks for a true label among all those with the highest score.
        "one_error": 0,
        # Ties share the last of their ranks, here 2 and 4.
        "coverage": 4 - 1,
        "average_precision": (1 / 2 + 2 / 4) / 2,
    }
    # The first of the tied labels, NumPy's arg max, is false.
    assert get_measure("one_error", "mddm", ties="first")([[0, 1, 1, 0]], [[2, 2, 1, 1]]) == 1


def test_mddm_convention_leaves_out_labels_of_one_class():
    truth, scores = [[1, 1, 0], [0, 1, 0]], [[0.9, 0.1, 0.1], [0.2, 0.3, 0.3]]
    assert metrics.get_measure("macro_auc", "mddm")(truth, scores) == 1


@pytest.mark.parametrize(
    "name", ["instance_accuracy", "instance_precision", "instance_recall", "samples_f1"]
)
def test_mvmd_convention_counts_a_row_without_labels_as_zero(name):
    """Eqs. (49) to (52) are 0/0 for empty sets; such a row counts as 0."""
    truth = prediction = [[1, 0], [0, 0]]
    assert metrics.get_measure(name, "mvmd")(truth, prediction) == 1 / 2


@pytest.mark.parametrize("name", MEASURES)
def test_measures_travel_to_other_processes(name):
    measure = metrics.get_measure(name, "mddm")
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_propensities_follow_the_published_formula():
    labels = np.zeros((1000, 2), dtype=int)
    labels[:10, 0], labels[:500, 1] = 1, 1
    scale = (np.log(1000) - 1) * 2.5**0.55
    expected = [1 / (1 + scale * np.exp(-0.55 * np.log(n + 1.5))) for n in (10, 500)]
    assert metrics.propensities(labels) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.hamming_loss([[1, 2]], [[1, 0]]), r"Y_true\[0, 1\] is 2; .* 0 and 1"),
        (
            lambda: metrics.hamming_loss([[1, -1, 0]], [[1, 0, 0]]),
            r"Y_true\[0, 1\] is -1; .* or only -1 and \+1",
        ),
        (lambda: metrics.hamming_loss([[1, 0]], [[1, 0, 0]]), r"\(1, 2\) but Y_pred .*\(1, 3\)"),
        (lambda: metrics.hamming_loss(np.zeros((0, 2)), np.zeros((0, 2))), "at least one row"),
        (lambda: metrics.hamming_loss(np.zeros((1, 2, 3)), [[1]]), "3 dimensions"),
        (lambda: metrics.one_error([[1, 0]], [[np.nan, 0]]), "Y_score has NaN"),
        (lambda: metrics.one_error([[1, 0]], [[1, 0]], ties="random"), "'random'.*'first'"),
        (lambda: metrics.coverage([[1, 0]], [[1, 0]], undefined_rows="drop"), "'drop'.*'keep'"),
        (lambda: metrics.macro_auc([[1, 0]], [[1, 0]], undefined_labels="one"), "'one'.*'skip'"),
        (lambda: metrics.precision_at_k([[1, 0]], [[1, 0]], k=0), "k=0.*at least 1"),
        (lambda: metrics.get_measure("f2"), "'f2'.*hamming_loss"),
        (lambda: metrics.get_measure("micro_f1", "vldb"), "'vldb'.*mddm"),
        (lambda: metrics.evaluate([[1]], [[1]], measures=["one_error"]), "needs Y_score"),
        (
            lambda: metrics.propensity_scored_precision_at_k([[1]], [[1]], 1, propensities=[0.0]),
            "minimum 0.*1 positive",
        ),
    ],
)
def test_errors_name_value_range_and_repair(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_measure_with_several_parameters_is_evaluated_for_each():
    truth, scores = np.array([[1, 0, 0], [0, 1, 1]]), np.array([[3, 2, 1], [3, 2, 1]])
    first, third = (get_measure("precision_at_k", k=k) for k in (1, 3))
    assert (first.title, third.title) == ("Precision@1", "Precision@3")
    found = evaluate(truth, None, scores, measures=[first, third, "coverage"])
    assert found == {"precision_at_k(k=1)": 0.5, "precision_at_k(k=3)": 0.5, "coverage": 1.0}
    for twice in (["coverage", "coverage"], [first, first]):
        with pytest.raises(ValueError, match="requested twice; drop one"):
            evaluate(truth, None, scores, measures=twice)


def test_a_missing_value_of_a_nullable_frame_is_named():
    frame = pd.DataFrame([[1, 0], [0, pd.NA]], dtype="Int64")
    with pytest.raises(ValueError, match=r"Y_pred\[1, 1\] is <NA>"):
        evaluate([[1, 0], [0, 1]], frame, measures=["hamming_loss"])
