"""Laws of every experiment of the papers: its plans, and what its judge makes of their values."""

import os
from collections import Counter

import numpy as np
import pytest

from labelspan.papers import EXPERIMENTS, Values, printed_values

EXTRA = ("n_components", "fit_seconds")


@pytest.fixture(params=EXPERIMENTS, ids=lambda experiment: experiment.name)
def experiment(request):
    # The plans of these experiments read their data to know the number of directions.
    reading = request.param.name.startswith(("mddm/table", "mddm/figure2-images"))
    if reading and "LABELSPAN_DATA" not in os.environ:
        pytest.skip("LABELSPAN_DATA is not set: the plans read the benchmark files")
    return request.param


def measured(plans, rng):
    """Values of all cells of the plans, as if they had been run."""
    found, curves, spectra = {}, {}, {}
    for plan in plans:
        for cell in plan.cells:
            for measure in (*plan.measures, *EXTRA):
                key = cell.source.name, cell.method, measure
                found.setdefault(key, []).append(rng.random())
                curves[key] = {k: rng.random() for k in (1, 5)}
            spectra[key[:2]] = sorted(rng.random(13), reverse=True)
    return Values(found, (), curves, spectra)


def all_plans(experiment, quick, rng):
    plans = experiment.plans(quick)
    if experiment.follow_up is not None:
        plans = (*plans, *experiment.follow_up(measured(plans, rng), quick))
    return plans


def test_quick_plans_ask_for_no_more_and_for_data_that_are_named(experiment, rng):
    n_cells = []
    for quick in (True, False):
        plans = all_plans(experiment, quick, rng)
        assert len({plan.hash for plan in plans}) == len(plans)
        assert {source.name for plan in plans for source in plan.sources} <= set(experiment.data)
        n_cells.append(sum(len(plan.cells) for plan in plans))
    assert n_cells[0] <= n_cells[1]


def test_the_judge_knows_the_values_of_the_plans(experiment, rng):
    plans = all_plans(experiment, False, rng)
    if not plans:
        pytest.skip("nothing to run")
    values, printed = measured(plans, rng), printed_values(experiment.paper)
    lines = experiment.judge(values, printed)
    # Titles of the plans that differ from those of the printed tables would find nothing.
    assert any(line.ours is not None for line in lines)
    assert {line.verdict for line in lines} <= {"reproduced", "not reproduced", "not judged"}
    assert max(Counter(line.what for line in lines).values()) == 1
    numbers = [line.ours for line in lines if isinstance(line.ours, int | float)]
    assert np.isfinite(numbers).all()
