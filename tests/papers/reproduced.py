"""The experiments of the papers for tests with the marker ``reproduce``: each is judged once."""

import os
import warnings
from functools import lru_cache
from pathlib import Path

import pytest

from labelspan.datasets import list_datasets
from labelspan.experiments import Store
from labelspan.papers import Outcome, find_experiments, judge_text, read_values, reproduce

TEXT = Path(__file__).parents[2] / "docs/reproduction.json"
WHOLE = "LABELSPAN_REPRODUCE"


@lru_cache
def reproduced(name: str, quick: bool = False) -> Outcome:
    """Judge an experiment by the text of its values, or run what a store lacks; print its lines.

    The store is the folder in the variable LABELSPAN_REPRODUCE, which ``make reproduce`` fills and
    sets; stored cells are not run again.
    """
    (experiment,) = find_experiments([name])
    if WHOLE in os.environ:
        outcome = run(experiment, quick)
    else:
        (outcome,) = judge_text([experiment], read_values(TEXT))
        if outcome.not_run:
            pytest.skip(f"{name} is not in {TEXT.name}: {outcome.not_run}")
    print(f"\n{name}: {outcome.summary}")
    for line in outcome.judged:
        if line.verdict == "not judged":
            continue
        print(f"  {line.verdict}: {line.what}: printed {line.printed}, ours {line.ours}")
    return outcome


def run(experiment, quick):
    missing = [info.name for info in list_datasets() if info.where == "missing"]
    lacking = sorted(set(missing).intersection(experiment.data))
    if lacking:
        pytest.skip(f"{experiment.name} needs {', '.join(lacking)}: set LABELSPAN_DATA to them")
    with Store(os.environ[WHOLE]) as store, warnings.catch_warnings():
        # Reported at the end of the tests, not a failure, because results of hours outlive many
        # commits.
        warnings.filterwarnings("default", message=".*holds results of other code")
        (outcome,) = reproduce([experiment], store, quick=quick)
    return outcome


def verdicts(outcome: Outcome) -> dict[str, str]:
    """Verdict by what is judged."""
    return {line.what: line.verdict for line in outcome.judged}
