"""Must show of Ji et al. 2010 on the Arts web pages, from the stored experiment."""

import pytest

from labelspan.experiments.reproduce._experiment import printed_values
from labelspan.experiments.reproduce.shared_subspace._experiments import ARTS
from labelspan.metrics import MEASURES
from tests.experiments.reproduced import reproduced


def test_web_pages_are_those_of_table_ii(dataset):
    dataset(ARTS.name)
    pages = ARTS.load()
    assert (pages.X.shape, pages.Y.shape[1]) == ((7441, 17973), 19)
    assert (pages.Y.sum(axis=0).max(), pages.Y.sum(axis=0).min()) == (1838, 104)


@pytest.mark.reproduce
def test_area_under_the_curve_of_table_iii():
    found = {line.what: line.ours for line in reproduced("shared-subspace/table3").judged}
    (auc,) = (value for what, value in found.items() if "AUC" in what and what.endswith("ML_LS"))
    assert auc >= 0.76


@pytest.mark.reproduce
def test_wilcoxon_of_table_v_is_there_for_every_pair():
    printed = printed_values("shared-subspace")
    assert [line.what for line in reproduced("shared-subspace/table5").judged] == [
        f"{MEASURES[measure].title} on arts: is ML_LS significantly above {method}?"
        for method in printed["table5"]
        for measure in printed["measures"]
    ]
