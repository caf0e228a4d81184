"""Must show of Ji et al. 2010 on the Arts web pages, from the stored experiment."""

import pytest

from labelspan.metrics import MEASURES
from labelspan.papers._experiment import OTHER_PAGES, printed_values
from labelspan.papers.shared_subspace._experiments import FIRST, sources_of
from tests.papers.reproduced import reproduced


@pytest.mark.parametrize(
    ("name", "labels", "words", "pages", "most", "least"),
    [
        ("arts", 19, 17973, 7441, 1838, 104),
        ("education", 14, 20782, 11817, 3738, 127),
        ("health", 14, 18430, 9109, 4703, 114),
        ("reference", 15, 26397, 7929, 3782, 156),
        ("science", 22, 24002, 6345, 1548, 102),
    ],
)
def test_web_pages_are_those_of_table_ii(dataset, name, labels, words, pages, most, least):
    dataset(f"yahoo-mulan-{name}")
    (source,) = sources_of((name,), quick=False)
    found = source.load()
    assert (found.X.shape, found.Y.shape[1]) == ((pages, words), labels)
    assert (found.Y.sum(axis=0).max(), found.Y.sum(axis=0).min()) == (most, least)


def test_pages_of_business_are_not_those_of_the_paper(dataset):
    dataset("yahoo-mulan-business")
    (source,) = sources_of(("business",), quick=False)
    pages, words = source.load().X.shape
    assert OTHER_PAGES["business"].startswith(f"another collection: {pages} pages and {words}")


@pytest.mark.reproduce
def test_area_under_the_curve_of_table_iii():
    found = {line.what: line.ours for line in reproduced("shared-subspace/table3").judged}
    assert found["Macro AUC on arts, ML_LS"] >= 0.76


@pytest.mark.reproduce
def test_wilcoxon_of_table_v_is_there_for_every_pair():
    printed = printed_values("shared-subspace")
    assert [line.what for line in reproduced("shared-subspace/table5").judged] == [
        f"{MEASURES[measure].title} on {name}: is ML_LS significantly above {method}?"
        for name in FIRST
        if name not in OTHER_PAGES
        for method in printed["table5"][name]
        for measure in printed["measures"]
    ]
