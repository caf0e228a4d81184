"""Tests and tables per classifier; a classifier that turns the order of the methods is named."""

import csv
import io
import itertools
import json
import re

import numpy as np
import pytest
from scipy.stats import rankdata

from labelspan.experiments import Result, Source, Splits, Step, Store, analyse
from labelspan.lab.analysis import interaction_shown, recommendations, verdicts
from labelspan.lab.report import render
from tests.lab.plans import toy_plan
from tests.lab.test_analysis import fill
from tests.lab.test_cli import labelspan  # noqa: F401

#: Micro-F1 by classifier and method: ML-kNN favours MDDM_f, ridge turns the order.
TURNED = {
    "ML-kNN": {"MDDM_f": 0.222, "PCA": 0.150, "MVMD": 0.095},
    "ridge": {"MDDM_f": 0.249, "PCA": 0.270, "MVMD": 0.319},
}
ALIKE = {
    "ML-kNN": {"MDDM_f": 0.222, "PCA": 0.150, "MVMD": 0.095},
    "ridge": {"MDDM_f": 0.319, "PCA": 0.270, "MVMD": 0.249},
}
TURN = (
    "Micro-F1: the methods rank differently under different classifiers (exchange test, "
    "p = 0.0003, 12 blocks): MDDM_f has average rank 1.00 with ML-kNN and 3.00 with ridge; MVMD "
    "has average rank 3.00 with ML-kNN and 1.00 with ridge."
)


def stored(folder, means, *, n_repeats=6):
    """A store of two data sets: with these means on every split."""
    plan = toy_plan(
        folder,
        reducers=("mddm-f", "pca", "mvmd"),
        classifiers=(Step("mlknn"), Step("ridge")),
        sources=(Source("first"), Source("second")),
        splits=Splits("random", n_repeats=n_repeats),
        measures=("micro_f1",),
    )

    def value(cell):
        return {"micro_f1": means[cell.classifier.title][cell.method] + 0.001 * cell.split}

    return fill(folder / "out", plan, value)


def test_opposite_orders_are_two_verdicts_and_a_turn_not_no_difference(tmp_path):
    with stored(tmp_path, TURNED) as store:
        analysis = analyse(store)
    said = verdicts(analysis)
    assert len(said) == 3
    assert said[0].startswith(
        "ML-kNN: Micro-F1: the methods differ (Friedman chi-square(2) = 24.00"
    )
    assert said[0].endswith(" ranks MDDM_f is best.")
    assert said[1].startswith("ridge: Micro-F1: the methods differ (Friedman chi-square(2) = 24.00")
    assert said[1].endswith(" ranks MVMD is best.")
    # All of 2^11 exchanges but one spread the ranks less; drawn at random.
    assert analysis.interactions["micro_f1"].p_value == pytest.approx(2 / 2**12, abs=4e-4)
    assert re.sub(r"p = 0\.\d+", "p = 0.0003", said[2]) == TURN
    first, second = recommendations(analysis)
    assert first.startswith("ML-kNN: Use MDDM_f: average rank 1.00 among 3 methods")
    assert second.startswith("ridge: Use MVMD: average rank 1.00 among 3 methods")
    assert analysis.methods_under("ML-kNN") == ("MDDM_f", "PCA", "MVMD")
    assert analysis.methods_under("ridge") == ("MVMD", "PCA", "MDDM_f")
    assert analysis.mean("micro_f1", "MVMD", "ridge") == pytest.approx(0.319 + 0.0025)


def test_the_same_order_at_other_levels_is_no_interaction(tmp_path):
    with stored(tmp_path, ALIKE) as store:
        analysis = analyse(store)
    assert analysis.interactions["micro_f1"].p_value == 1
    assert verdicts(analysis)[2] == (
        "Micro-F1: the ranks are not shown to depend on the classifier (exchange test, "
        "p = 1.0000, 12 blocks)."
    )


METHODS = {"none": "no reduction", "pca": "PCA", "mddm-p": "MDDM_p", "mvmd": "MVMD"}
CLASSIFIERS = {"ridge": "ridge", "mlknn": "ML-kNN", "tuned-ridge": "tuned ridge"}


def analysed(folder, values):
    """Analysis of these values (classifiers, splits, methods); NaN for cells that were not run."""
    n_classifiers, n_splits, n_methods = values.shape
    classifiers, methods = list(CLASSIFIERS)[:n_classifiers], list(METHODS)[:n_methods]
    plan = toy_plan(
        folder,
        reducers=methods,
        classifiers=tuple(Step(name) for name in classifiers),
        splits=Splits("random", n_repeats=n_splits),
        measures=("micro_f1",),
    )
    with Store(folder / "out") as store:
        store.add_plan(plan)
        for cell in plan.cells:
            place = classifiers.index(cell.classifier.method), methods.index(cell.reducer.method)
            value = values[place[0], cell.split, place[1]]
            if np.isfinite(value):
                store.add(cell, Result(cell.id, "ok", rows=(("micro_f1", float(value)),)))
        return analyse(store)


@pytest.mark.parametrize(("n_classifiers", "n_blocks"), [(2, 7), (3, 6)])
def test_the_p_value_is_the_share_of_all_exchanges_that_spread_as_far(
    tmp_path, n_classifiers, n_blocks
):
    rng = np.random.default_rng(5)
    # A shift of one method under the last classifier, so that p is neither 0 nor 1.
    values = rng.random((n_classifiers, n_blocks, 4))
    values[-1, :, 2] += 0.6
    found = analysed(tmp_path, values).interactions["micro_f1"]
    assert found.classifiers == tuple(CLASSIFIERS.values())[:n_classifiers]
    assert (found.methods, found.n_blocks) == (tuple(METHODS.values()), n_blocks)
    ranks = rankdata(-values, axis=2)
    np.testing.assert_allclose(found.ranks, ranks.mean(axis=1))
    orders = [list(order) for order in itertools.permutations(range(n_classifiers))]

    def spread(chosen):
        means = np.mean([ranks[order, b] for b, order in enumerate(chosen)], axis=0)
        return ((means - means.mean(axis=0)) ** 2).sum()

    observed = spread([orders[0]] * n_blocks)
    everything = [spread(chosen) for chosen in itertools.product(orders, repeat=n_blocks)]
    expected = np.mean(np.array(everything) >= observed - 1e-9)
    assert 0.0005 < expected < 0.5
    assert abs(found.p_value - expected) < 4 * np.sqrt(expected * (1 - expected) / 9999) + 1e-4


def test_only_what_all_classifiers_ranked_is_compared(tmp_path):
    values = np.tile([0.3, 0.2, 0.1], (2, 8, 1))
    # The second classifier has neither the first split nor the first method.
    values[1] = np.nan
    values[1, 1:, 1:] = 0.1, 0.2
    found = analysed(tmp_path / "some", values).interactions["micro_f1"]
    assert (found.methods, found.n_blocks) == (("PCA", "MDDM_p"), 7)
    np.testing.assert_array_equal(found.ranks, [[1, 2], [2, 1]])
    assert found.contrast == (("ridge", "ML-kNN"), ("PCA", "MDDM_p"))
    shown = "PCA has average rank 1.00 with ridge and 2.00 with ML-kNN"
    assert shown in interaction_shown(found)
    # Five splits are too few, and so is one classifier.
    values[1, 1:4] = np.nan
    assert analysed(tmp_path / "few", values).interactions == {}
    assert analysed(tmp_path / "one", values[:1]).interactions == {}


def test_every_format_has_a_table_per_classifier_and_names_the_turn(tmp_path):
    with stored(tmp_path, TURNED) as store:
        pages = {name: render(store, name) for name in ("html", "md", "latex", "csv")}
    turn = "the methods rank differently under different classifiers"
    for name in ("html", "md", "latex"):
        assert pages[name].count(turn) == 1
        assert pages[name].index("ML-kNN: Micro-F1" if name != "md" else r"ML-kNN\: Micro-F1")
    text = pages["md"]
    for classifier, order in (("ML-kNN", "MDDM PCA MVMD"), ("ridge", "MVMD PCA MDDM")):
        part = text.split(f"## Average ranks, {classifier}\n")[1].split("##")[0]
        rows = [line for line in part.splitlines() if line.startswith("| ")][1:]
        assert [re.split(r"[ \\_]", row)[1] for row in rows] == order.split()
        assert [row.split(" | ")[1] for row in rows] == ["1.00", "2.00", "3.00"]
    latex = pages["latex"].split(r"\caption{average ranks, ridge: ")[1]
    assert "MVMD & 1.00 & 1.00 \\\\\nPCA & 2.00 & 2.00 \\\\\nMDDM\\_f & 3.00" in latex
    for place, classifier in enumerate(("ML-kNN", "ridge")):
        head = rf'id="rank-table-{place}">\s*<caption>{classifier}</caption>'
        assert len(re.findall(head, pages["html"])) == 1
    # The drawings have a menu of classifiers, too.
    for gallery in ("ranks", "time"):
        start = pages["html"].split(f'id="{gallery}-gallery"')[1][:600]
        assert '<option value="0">ML-kNN</option><option value="1">ridge</option>' in start
    rows = list(csv.DictReader(io.StringIO(pages["csv"])))
    ranks = {(r["classifier"], r["method"]): float(r["average_rank"]) for r in rows}
    assert ranks == {
        ("ML-kNN", "MDDM_f"): 1, ("ML-kNN", "PCA"): 2, ("ML-kNN", "MVMD"): 3,
        ("ridge", "MDDM_f"): 3, ("ridge", "PCA"): 2, ("ridge", "MVMD"): 1,
    }  # fmt: skip
    assert {float(row["test_p_value"]) < 1e-4 for row in rows} == {True}
    assert {float(row["interaction_p_value"]) < 0.001 for row in rows} == {True}


@pytest.mark.parametrize(
    ("data", "measure", "best", "falls"),
    [
        ("yeast", "hamming_loss", ("MVMD", "MVMD"), "MDDM_f"),
        ("scene", "micro_f1", ("MVMD", "MVMD"), "MDDM_f"),
    ],
)
def test_the_command_on_real_data_has_one_table_per_classifier(
    labelspan, tmp_path, dataset, data, measure, best, falls  # noqa: F811
):  # fmt: skip
    """PCA is ahead of MDDM_f under ML-kNN and behind it under ridge, with the numbers of 0.2.0."""
    dataset(data)
    common = (
        "compare", data, "--methods", "pca,mvmd,mddm-f@0.2.0", "--splits", "3x2",
        "--classifiers", "mlknn,ridge@0.2.0", "--directions", "", "--measures", measure,
        "--jobs", "2", "--out", tmp_path / "out",
    )  # fmt: skip
    code, out, _ = labelspan(*common)
    assert code == 0
    heads = [line for line in out.splitlines() if ": means over 3 x 2-fold" in line]
    assert [head.split(":")[0] for head in heads] == [f"{data}, ML-kNN", f"{data}, ridge"]
    assert "the methods rank differently under different classifiers (exchange test" in out
    found = json.loads(labelspan(*common, "--json")[1])
    ranks = [
        {item["method"]: item["rank"] for item in group["methods"]}
        for group in found["classifiers"]
    ]
    assert tuple(min(item, key=item.get) for item in ranks) == best
    assert ranks[0][falls] > ranks[0]["PCA"]
    assert ranks[1][falls] < ranks[1]["PCA"]
    assert 1 / 64 < found["interactions"][measure]["p_value"] < 0.05
    assert found["interactions"][measure]["verdict"] in out.splitlines()


def test_conclusions_open_with_what_reduction_brings_to_each_data_set(tmp_path):
    plan = toy_plan(
        tmp_path,
        reducers=("none", "opls", "mvmd"),
        classifiers=(Step("mlknn"), Step("ridge")),
        sources=(Source("first"), Source("second")),
        splits=Splits("random", n_repeats=4),
        measures=("micro_f1",),
    )
    # On the first set OPLS wins but on one split of four; on the second nothing helps.
    level = {"no reduction": 0.5, "OPLS": 0.6, "MVMD": 0.3}

    def value(cell):
        lost = cell.source.name == "second" or (cell.method == "OPLS" and cell.split == 2)
        return {"micro_f1": level[cell.method] - 0.2 * lost * (cell.method != "no reduction")}

    with fill(tmp_path / "out", plan, value) as store:
        analysis = analyse(store)
        page = render(store)
    said = recommendations(analysis)
    assert said[0] == (
        "first: ML-kNN: OPLS has the best Micro-F1, 0.550; without reduction it is 0.500 (OPLS is "
        "better on 3 of 4 splits)."
    )
    assert said[2] == "second: ML-kNN: no reduction has the best Micro-F1, 0.500."
    assert page.index(said[0]) < page.index(said[2]) < page.index("What the tests say")


def test_the_tables_for_a_paper_hold_methods_by_data_sets(tmp_path, labelspan):  # noqa: F811
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    means = {name: {"MDDM_f": 0.3, "PCA": 0.2, "MVMD": 0.1} for name in TURNED}
    with stored(tmp_path, means, n_repeats=10):
        pass
    code, out, _ = labelspan("report", tmp_path / "out", "--latex")
    assert code == 0
    page, *diagrams = out.splitlines()
    assert [re.search(r"report-.*", path)[0] for path in diagrams] == [
        "report-ranks-ml-knn-micro-f1.pdf",
        "report-ranks-ridge-micro-f1.pdf",
    ]
    with open(diagrams[0], "rb") as stream:
        assert stream.read(5) == b"%PDF-"
    with open(page, encoding="utf-8") as stream:
        text = stream.read()
    table = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    # Means of 0.3, ..., 0.3 + 0.009: best in bold; Nemenyi separates both others from it.
    cell = r"\textbf{0.3045 $\pm$ 0.0030}"
    assert table[0] == rf"MDDM\_f & {cell} & {cell} & 1.00 \\"
    assert [row.rsplit("& ", 1)[1] for row in table[1:]] == [
        r"2.00$^{\bullet}$ \\", r"3.00$^{\bullet}$ \\"
    ]  # fmt: skip
    assert r"\includegraphics[width=\linewidth]{report-ranks-ridge-micro-f1.pdf}" in text
    assert labelspan("report", tmp_path / "out", "--latex", "--format", "md")[0] == 2
