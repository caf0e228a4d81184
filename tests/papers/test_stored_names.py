"""Stored results are found again: their hashes do not depend on the module of a class."""

import pytest

from labelspan.experiments import METHODS, Step, get_method
from labelspan.lab.methods import PAPER_METHODS
from labelspan.lab.plan import digest
from labelspan.papers import find_experiments

# Of cells that were stored when plans named these methods by path; the plan of the last one has
# had other grids since.
STORED = {
    "cplst/table5": ("91e48e8510621aad", "bb6ed5c77db24979"),
    "shared-subspace/table3": ("2e6d90411010f5ed", "6200546a4e76da9a"),
    "cmlfs/table2": ("ce9af27e9962dc63", "16fd8ae9fbd7ae90"),
}


@pytest.mark.parametrize("name", STORED)
def test_quick_plans_keep_their_hashes(name):
    plan = find_experiments([name])[0].plans(True)[0]
    assert (plan.hash, plan.cells[0].id) == STORED[name]


@pytest.mark.parametrize("method", PAPER_METHODS, ids=lambda method: method.name)
def test_a_method_is_found_by_both_names(method):
    assert get_method(method.stored) == get_method(method.name) == method
    assert callable(method.load())
    old, new = ({"method": name, "label": ""} for name in (method.stored, method.name))
    assert digest(old) == digest(new) != digest({"method": "mvmd", "label": ""})


def test_no_short_name_is_a_path():
    assert not [m.name for m in (*METHODS, *PAPER_METHODS) if ":" in m.name]
    assert Step("cplst/first-codes").title == "first-codes"
