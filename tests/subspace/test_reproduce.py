"""Must show of Ji et al. 2010 on the Arts web pages, from the stored experiment."""

import pytest

from labelspan.metrics import MEASURES
from labelspan.papers import Values, find_experiments, printed_values
from tests.papers.reproduced import reproduced

TABLES = find_experiments(["shared-subspace/table3", "shared-subspace/table4"])


def web_pages(name):
    """The data of a set of web pages, as the plan of its table prepares them."""
    sources = {each.name: each for t in TABLES for p in t.plans(False) for each in p.sources}
    return sources[f"yahoo-mulan-{name}"].load()


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
    found = web_pages(name)
    assert (found.X.shape, found.Y.shape[1]) == ((pages, words), labels)
    assert (found.Y.sum(axis=0).max(), found.Y.sum(axis=0).min()) == (most, least)


def test_pages_of_business_are_not_those_of_the_paper(dataset):
    dataset("yahoo-mulan-business")
    pages, words = web_pages("business").X.shape
    found = Values({("yahoo-mulan-business", "SVM", "macro_f1"): [0.5]}, ())
    lines = TABLES[0].judge(found, printed_values("shared-subspace"))
    assert {line.verdict for line in lines} == {"not judged"}
    (note,) = {line.note for line in lines}
    assert note.startswith(f"another collection: {pages} pages and {words}")


@pytest.mark.reproduce
def test_area_under_the_curve_of_table_iii():
    found = {line.what: line.ours for line in reproduced("shared-subspace/table3").judged}
    assert found["Macro AUC on arts, ML_LS"] >= 0.76


@pytest.mark.reproduce
def test_wilcoxon_of_table_v_is_there_for_every_pair():
    printed = printed_values("shared-subspace")
    assert [line.what for line in reproduced("shared-subspace/table5").judged] == [
        f"{MEASURES[measure].title} on {name}: is ML_LS significantly above {method}?"
        # Not of business, whose pages are others.
        for name in ("arts", "education", "health")
        for method in printed["table5"][name]
        for measure in printed["measures"]
    ]
