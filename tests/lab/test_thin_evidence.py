"""Few blocks, ties with the baseline and unfinished runs do not lead to conclusions."""

import json

import pytest

from labelspan.experiments import Result, Source, Splits, Step, Store, analyse
from labelspan.lab.analysis import primary, recommendation, verdict
from labelspan.lab.report import write_report
from tests.lab.plans import toy_plan, write_toy
from tests.lab.test_analysis import TITLES, by_order, fill
from tests.lab.test_cli import labelspan  # noqa: F401

NAMES = ("none", "pca", "mddm-p", "mvmd")


def analysed(folder, n_splits, *, reducers=NAMES, value=by_order, **fields):
    splits = Splits("random", n_repeats=n_splits)
    plan = toy_plan(folder, reducers=reducers, splits=splits, **fields)
    with fill(folder / "out", plan, value) as store:
        return analyse(store)


@pytest.mark.parametrize("n_splits", [2, 3, 5])
@pytest.mark.parametrize("reducers", [NAMES[:3], NAMES])
def test_fewer_than_six_splits_carry_no_verdict_however_clear_they_are(
    tmp_path, n_splits, reducers
):
    analysis = analysed(tmp_path, n_splits, reducers=reducers)
    ranking = primary(analysis)
    n_orders = {3: 6, 4: 24}[len(reducers)]
    assert ranking.friedman.p_value == pytest.approx(n_orders ** (1.0 - n_splits))
    assert not ranking.differ
    assert ranking.nemenyi is None
    said = verdict(ranking)
    assert said.startswith(f"Micro-F1: no verdict from {n_splits} data sets or splits: below 6 no")
    assert "exact p " in said
    assert "inf" not in said
    assert recommendation(analysis).startswith(f"No recommendation from {n_splits} data sets")


def test_six_splits_carry_one(tmp_path):
    analysis = analysed(tmp_path, 6)
    assert "the methods differ (Friedman chi-square(3) = 18.00, exact p < 0.0001)" in verdict(
        primary(analysis)
    )
    assert "significantly better than PCA and no reduction" in recommendation(analysis)


def test_two_methods_on_five_splits_carry_no_verdict(tmp_path):
    analysis = analysed(tmp_path, 5, reducers=("pca", "mvmd"))
    assert primary(analysis).pair == pytest.approx(2 / 2**5)
    assert "no verdict from 5 data sets or splits" in verdict(primary(analysis))


def test_classifiers_do_not_make_splits_more(tmp_path):
    analysis = analysed(tmp_path, 3, classifiers=(Step("ridge"), Step("mlknn")))
    for classifier in ("ridge", "ML-kNN"):
        ranking = primary(analysis, classifier)
        assert len(ranking.blocks) == 3
        assert "no verdict from 3 data sets or splits" in verdict(ranking)
    # Three splits of two classifiers cannot reach 0.05 either: 2 / 2^3 is 0.25.
    assert analysis.interactions == {}


def test_five_data_sets_with_one_split_each_carry_no_verdict(tmp_path):
    sources = tuple(Source(f"set {i}") for i in range(5))
    plan = toy_plan(tmp_path, reducers=NAMES, sources=sources, splits=Splits("standard"))
    with fill(tmp_path / "out", plan, by_order) as store:
        assert "no verdict from 5 data sets or splits" in verdict(primary(analyse(store)))


@pytest.mark.parametrize(
    ("orders", "named"),
    [
        # Values of no reduction, PCA, MDDM_p and MVMD on splits in turn.
        (((2, 1, 0, 3), (1, 2, 0, 3), (3, 1, 0, 2)), "MVMD"),
        (((3, 1, 0, 2), (3, 2, 0, 1), (2, 1, 0, 3)), "no reduction"),
    ],
)
def test_a_tie_with_no_reduction_is_said_first(tmp_path, orders, named):
    def value(cell):
        return {"micro_f1": float(orders[cell.split % 3][TITLES.index(cell.method)])}

    analysis = analysed(tmp_path, 12, value=value, measures=("micro_f1",))
    said = recommendation(analysis)
    assert said.startswith(f"Reduction is not shown to help: on Micro-F1, {named} (average rank 1.")
    other = "no reduction" if named == "MVMD" else "MVMD"
    assert f" is not separated from {other}" in said
    assert said.endswith("It is significantly better than MDDM_p.") or "PCA and MDDM_p." in said
    assert "Use " not in said


def test_the_baseline_is_named_before_methods_of_a_better_rank(tmp_path):
    """Ranks 1.5, 1.5, 3 and 4 with no reduction third: still before PCA, which shares the first."""

    def value(cell):
        places = {"MVMD": 0, "PCA": 1, "no reduction": 2, "MDDM_p": 3}
        place = places[cell.method]
        if place < 2 and cell.split % 2:
            place = 1 - place
        return {"micro_f1": 1.0 - 0.1 * place}

    analysis = analysed(tmp_path, 8, value=value, measures=("micro_f1",))
    ranking = primary(analysis)
    best = ranking.order[0]
    other = "PCA" if best == "MVMD" else "MVMD"
    assert not ranking.separated(best, "no reduction")
    assert ranking.separated(best, "MDDM_p")
    assert f"is not separated from no reduction or {other}." in recommendation(analysis)


def test_an_unfinished_run_has_no_recommendation_anywhere(tmp_path):
    splits = Splits("random", n_repeats=12)
    plan = toy_plan(tmp_path, reducers=NAMES, splits=splits)
    with Store(tmp_path / "out") as store:
        store.add_plan(plan, "labelspan compare")
        # All methods on eight of twelve splits: enough for every test.
        for cell in plan.cells[: 8 * len(NAMES)]:
            store.add(cell, Result(cell.id, "ok", rows=tuple(by_order(cell).items())))
        analysis = analyse(store)
        assert primary(analysis).differ
        said = recommendation(analysis)
        assert said == (
            "No recommendation yet: 32 of 48 cells finished. The same command runs the rest."
        )
        for name in ("html", "md"):
            text = write_report(store, tmp_path / f"report.{name}", name).read_text()
            assert "No recommendation yet" in text
            assert "significantly better" not in text
        for cell in plan.cells[8 * len(NAMES) :]:
            store.add(cell, Result(cell.id, "failed", error="it broke"))
        assert analyse(store).is_finished


def test_the_command_says_the_same_in_words_and_in_json(labelspan, tmp_path):  # noqa: F811
    common = (
        "--data", write_toy(tmp_path), "--methods", "none,pca,mvmd", "--classifiers", "ridge",
        "--splits", "1x2", "--directions", "", "--jobs", "0", "--out", tmp_path / "out",
    )  # fmt: skip
    code, out, _ = labelspan("compare", *common)
    assert code == 0
    content = json.loads(labelspan("compare", *common, "--json")[1])
    (found,) = content["classifiers"]
    assert (found["classifier"], content["interactions"]) == ("ridge", {})
    assert found["recommendation"] in out.splitlines()
    assert found["recommendation"].startswith("No recommendation from 2 data sets or splits")
    assert found["verdicts"]["micro_f1"] in out.splitlines()
    assert "Use " not in out
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("No recommendation from 2 data sets or splits") == 1
