"""Ranks, tests and sentences follow from the numbers."""

import numpy as np
import pytest

from labelspan.experiments import Result, Source, Splits, Step, Store, StoreError, analyse
from labelspan.lab.analysis import caution, primary, recommendation, verdict
from labelspan.stats import friedman
from tests.lab.plans import toy_plan

NAMES = ("none", "pca", "mddm-p", "mvmd")
TITLES = ("no reduction", "PCA", "MDDM_p", "MVMD")


def fill(folder, plan, value, failing=()):
    """A store with made-up values: value(cell) -> {measure: value}."""
    store = Store(folder)
    store.add_plan(plan, "labelspan compare")
    for cell in plan.cells:
        if cell.method in failing:
            store.add(cell, Result(cell.id, "failed", "it broke"))
        else:
            rows = tuple(value(cell).items())
            seconds = {"fit": 0.1, "total": 0.2}
            store.add(cell, Result(cell.id, "ok", rows=rows, n_components=3, seconds=seconds))
    return store


def by_order(cell):
    """A clear order: MVMD first, MDDM_p second, ... on both measures."""
    place = TITLES.index(cell.method)
    noise = 0.001 * np.sin(7 * cell.split + place)
    return {"micro_f1": 0.5 + 0.05 * place + noise, "hamming_loss": 0.3 - 0.05 * place + noise}


@pytest.fixture
def plan(tmp_path):
    splits = Splits("folds", n_folds=2, n_repeats=6)
    return toy_plan(tmp_path, reducers=NAMES, splits=splits)


def test_ranks_and_tests_are_those_of_the_table(tmp_path, plan):
    with fill(tmp_path / "out", plan, by_order) as store:
        analysis = analyse(store)
    assert analysis.methods == TITLES[::-1]
    expected = dict(zip(TITLES[::-1], (1.0, 2.0, 3.0, 4.0), strict=True))
    assert analysis.overall == {"ridge": expected}
    assert analysis.interactions == {}
    ranking = analysis.rankings["ridge"]["hamming_loss"]
    assert ranking.values.shape == (12, 4)
    expected = friedman(ranking.values, greater_is_better=False)
    assert ranking.friedman.F == expected.F
    assert ranking.separated("MVMD", "no reduction")
    assert analysis.mean("n_components", "MVMD", "ridge") == 3
    assert analysis.blocks_are == "splits"


def test_the_recommendation_is_supported_by_the_ranks(tmp_path, plan):
    with fill(tmp_path / "out", plan, by_order) as store:
        analysis = analyse(store)
    assert recommendation(analysis) == (
        "On Micro-F1, MVMD (average rank 1.00 among 4 methods over 2 measures, with 3 directions "
        "on average) is not separated from MDDM_p. It is significantly better than PCA and no "
        "reduction."
    )
    assert "MVMD is best; not separated from it: MDDM_p." in verdict(primary(analysis))
    assert "overlap" in caution(analysis)


def test_without_a_difference_nothing_is_recommended(tmp_path, plan):
    rng = np.random.default_rng(1)
    with fill(tmp_path / "out", plan, lambda cell: {"micro_f1": rng.random()}) as store:
        analysis = analyse(store)
    assert not primary(analysis).differ
    assert recommendation(analysis).startswith("No recommendation: no significant difference")
    assert "no significant difference between the methods (" in verdict(primary(analysis))


def test_two_methods_are_told_apart_by_the_test_of_wilcoxon(tmp_path):
    splits = Splits("folds", n_folds=2, n_repeats=6)
    plan = toy_plan(tmp_path, reducers=("pca", "mvmd"), splits=splits)
    with fill(tmp_path / "out", plan, by_order) as store:
        analysis = analyse(store)
    # All twelve differences have one sign: the exact two-sided p-value is 2 / 2^12.
    assert primary(analysis).pair == pytest.approx(2 / 2**12)
    assert verdict(primary(analysis)).endswith(
        "MVMD is better than PCA (Wilcoxon p = 0.0005, 12 blocks)."
    )
    assert recommendation(analysis).startswith("Use MVMD: average rank 1.00 among 2 methods")
    assert "significantly better than PCA on Micro-F1." in recommendation(analysis)
    assert "overlap" in caution(analysis)


@pytest.mark.parametrize("measure", ["micro_f1", "hamming_loss"])
def test_of_two_methods_the_better_is_the_one_that_wilcoxon_favours(tmp_path, measure):
    # PCA gains a little on 16 splits, MVMD much on 14: more wins, but fewer signed ranks.
    gains = [*(0.0001 * np.arange(1, 17)), *(-0.01 * np.arange(1, 15))]
    sign = 1 if measure == "micro_f1" else -1

    def value(cell):
        return {measure: 0.5 + (sign * gains[cell.split] if cell.method == "PCA" else 0.0)}

    plan = toy_plan(
        tmp_path,
        reducers=("pca", "mvmd"),
        splits=Splits("random", n_repeats=len(gains)),
        measures=(measure,),
    )
    with fill(tmp_path / "out", plan, value) as store:
        analysis = analyse(store)
    assert primary(analysis).ranks[0] < primary(analysis).ranks[1]
    assert "MVMD is better than PCA (Wilcoxon p = 0.0" in verdict(primary(analysis))
    assert recommendation(analysis).startswith("Use MVMD")
    assert "better than PCA on" in recommendation(analysis)


def test_two_methods_alike_are_not_told_apart(tmp_path):
    splits = Splits("folds", n_folds=2, n_repeats=6)
    plan = toy_plan(tmp_path, reducers=("pca", "mvmd"), splits=splits)
    with fill(tmp_path / "out", plan, lambda cell: {"micro_f1": 0.5}) as store:
        analysis = analyse(store)
    assert primary(analysis).pair == 1.0
    assert "no significant difference between the two methods" in verdict(primary(analysis))
    assert recommendation(analysis).startswith("No recommendation")


def test_a_method_that_failed_has_no_ranks_and_says_why(tmp_path, plan):
    with fill(tmp_path / "out", plan, by_order, failing=("PCA",)) as store:
        analysis = analyse(store)
    assert "PCA" not in analysis.overall["ridge"]
    assert analysis.excluded == {"PCA": "failed in 12 cells: it broke"}
    assert analysis.methods[-1] == "PCA"
    assert analysis.overall["ridge"]["no reduction"] == 3.0


def test_with_one_method_there_is_nothing_to_rank(tmp_path):
    plan = toy_plan(tmp_path, reducers=("mvmd",))
    with fill(tmp_path / "out", plan, by_order) as store:
        analysis = analyse(store)
    assert analysis.rankings == {"ridge": {}}
    assert recommendation(analysis).startswith("No recommendation: fewer than two methods")
    assert verdict(None).startswith("Fewer than two methods")


def test_with_six_data_sets_these_are_the_blocks(tmp_path):
    sources = tuple(Source(f"set {i}") for i in range(6))
    plan = toy_plan(tmp_path, reducers=NAMES, sources=sources)
    with fill(tmp_path / "out", plan, by_order) as store:
        analysis = analyse(store)
    assert analysis.blocks_are == "data sets"
    assert analysis.rankings["ridge"]["micro_f1"].blocks == tuple(f"set {i}" for i in range(6))
    assert caution(analysis) == ""


def test_an_interrupted_run_compares_data_sets_on_the_splits_that_all_methods_have(tmp_path):
    sources = tuple(Source(f"set {i}") for i in range(6))
    plan = toy_plan(tmp_path, reducers=("pca", "mvmd"), sources=sources)
    # PCA is better on every split, but the last, easy split is there for MVMD alone.
    with Store(tmp_path / "out") as store:
        store.add_plan(plan)
        for cell in plan.cells:
            value = (0.9 if cell.split == 3 else 0.1) + (0.05 if cell.method == "PCA" else 0.0)
            if cell.method == "MVMD" or cell.split < 3:
                store.add(cell, Result(cell.id, "ok", rows=(("micro_f1", value),)))
        analysis = analyse(store)
    ranking = analysis.rankings["ridge"]["micro_f1"]
    assert dict(zip(ranking.methods, ranking.ranks, strict=True)) == {"PCA": 1.0, "MVMD": 2.0}


def test_models_compete_with_the_reducers_under_every_classifier(tmp_path):
    plan = toy_plan(
        tmp_path,
        reducers=("none", "mvmd"),
        classifiers=(Step("ridge"), Step("mlknn")),
        models=(Step("shared-subspace"),),
    )
    values = {"no reduction": 0.3, "MVMD": 0.5, "ML_LS": 0.4}
    with fill(tmp_path / "out", plan, lambda cell: {"micro_f1": values[cell.method]}) as store:
        analysis = analyse(store)
    for classifier in ("ridge", "ML-kNN"):
        ranking = analysis.rankings[classifier]["micro_f1"]
        assert ranking.blocks == tuple(f"toy, split {i}" for i in range(4))
        assert dict(zip(ranking.methods, ranking.ranks, strict=True)) == {
            "no reduction": 3.0,
            "MVMD": 1.0,
            "ML_LS": 2.0,
        }


def test_an_empty_store_says_so(tmp_path):
    with Store(tmp_path) as store, pytest.raises(StoreError, match="there is no plan"):
        analyse(store)
