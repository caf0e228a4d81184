"""Cells of one split go to one worker, which may keep what they share."""

from collections import Counter

from labelspan.experiments import Splits
from labelspan.lab.runner._pending import Pending
from tests.lab.plans import toy_plan


def test_a_worker_keeps_to_its_split_until_it_is_done_and_then_helps(tmp_path):
    plan = toy_plan(
        tmp_path, reducers=("none", "mddm-p", "pca"), splits=Splits("random", n_repeats=2)
    )
    pending = Pending(plan.cells)
    order = [(worker, pending.take(worker)) for worker in "abbbaa"]
    assert [(worker, cell.split) for worker, cell in order] == [
        ("a", 0),
        ("b", 1),
        ("b", 1),
        ("b", 1),
        ("a", 0),
        ("a", 0),
    ]
    pending = Pending(plan.cells)
    taken = [pending.take(worker) for worker in "abbbba"]
    # No split was left for b, so it took a cell of the one that a has.
    assert [cell.split for cell in taken] == [0, 1, 1, 1, 0, 0]
    assert Counter(cell.id for cell in taken) == Counter(cell.id for cell in plan.cells)
