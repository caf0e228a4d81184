"""Stored results are found again: their hashes do not depend on the module of a class."""

import json
import lzma
from dataclasses import asdict
from pathlib import Path

import pytest

from labelspan.experiments import METHODS, Step, get_method
from labelspan.lab.methods import NUMBERED, NUMBERS, PAPER_METHODS, with_number
from labelspan.lab.plan import Plan, as_read, as_written, digest
from labelspan.papers import digest_of_cells, find_experiments, read_values
from tests.papers.reproduced import TEXT

# The code that ran the plans of 0.2.0.
OLD_CODE = "code 90b6283498c1"
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


@pytest.fixture(scope="module")
def stored():
    """Plans that 0.2.0 has stored, each with the number of its cells and a digest of their keys."""
    packed = Path(__file__).with_name("plans_of_0_2_0.json.xz")
    return json.loads(lzma.decompress(packed.read_bytes()))


def test_every_stored_cell_is_found(stored):
    n_cells = 0
    for hash_, (content, *cells) in stored.items():
        plan = Plan.from_dict(as_read(content))
        assert plan.hash == hash_
        assert list(digest_of_cells(plan)) == cells
        n_cells += cells[0]
    assert (len(stored), n_cells) == (174, 50265)


def test_the_text_of_the_page_has_the_cells_that_were_stored(stored):
    """What ran again since then has another code digest in its setting."""
    for name, kept in read_values(TEXT).items():
        if OLD_CODE in kept.setting:
            for hash_, cells in kept.plans.items():
                assert stored[hash_][1:] == list(cells), name


def test_the_plans_of_today_find_the_cells_of_the_mvmd_paper(stored):
    for plan in find_experiments(["mvmd/tables3-8"])[0].plans(False):
        assert stored[plan.hash][1:] == list(digest_of_cells(plan))


def as_step(method, parameters):
    return {"method": method, "parameters": [list(pair) for pair in parameters], "label": ""}


@pytest.mark.parametrize("method", NUMBERED, ids=lambda method: method.name)
def test_a_number_of_0_2_0_has_the_old_hash_and_the_default_of_today_has_not(method):
    name = method.stored
    (parameter, number), *others = NUMBERS[name]
    numbered, today = as_step(with_number(name), ()), as_step(name, ())
    assert digest(numbered) != digest(today) == digest(as_step(name, [(parameter, "auto")]))
    for value in (0.25, number):
        explicit = as_step(name, [(parameter, value), *others])
        assert digest(explicit) == digest(as_step(with_number(name), [(parameter, value)]))
        assert digest(explicit) != digest(today)
    # The papers' plans have always given that of the classifier.
    if name != "ridge":
        assert digest(as_step(name, NUMBERS[name])) == digest(numbered)
    assert method.make().get_params()[parameter] == number
    assert get_method(name).make().get_params()[parameter] == "auto"


def test_a_plan_is_read_as_it_was_run():
    steps = {"reducers": ["opls", "cca"], "classifiers": ["mlknn"]}
    plan = Plan.from_dict({"name": "p", "sources": ["yeast"], **steps})
    fields = json.loads(json.dumps(asdict(plan)))
    again = Plan.from_dict(as_read(as_written(fields)))
    assert again.hash == plan.hash
    assert [step.title for step in again.reducers] == ["OPLS", "CCA"]
    assert get_method(again.reducers[0].method).make().ridge == "auto"
    # One that 0.2.0 wrote.
    before = Plan.from_dict(as_read(fields))
    assert before.hash != plan.hash
    assert get_method(before.reducers[0].method).make().ridge == 0.1
