"""The experiments of the papers for tests with the marker ``reproduce``: each is run once."""

import os
import warnings
from functools import lru_cache

import pytest

from labelspan.datasets import list_datasets
from labelspan.experiments import Store
from labelspan.papers import Outcome, find_experiments, reproduce


@lru_cache
def reproduced(name: str, quick: bool = False) -> Outcome:
    """Run an experiment, or judge its stored results; print its lines.

    The store is the folder in the variable LABELSPAN_REPRODUCE, or results/reproduce of the
    working directory, which ``labelspan reproduce`` fills; stored cells are not run again.
    """
    (experiment,) = find_experiments([name])
    missing = [info.name for info in list_datasets() if info.where == "missing"]
    lacking = sorted(set(missing).intersection(experiment.data))
    if lacking:
        pytest.skip(f"{name} needs {', '.join(lacking)}: set LABELSPAN_DATA to their folder")
    folder = os.environ.get("LABELSPAN_REPRODUCE", "results/reproduce")
    with Store(folder) as store, warnings.catch_warnings():
        # Reported at the end of the tests, not a failure, because results of hours outlive many
        # commits.
        warnings.filterwarnings("default", message=".*holds results of other code")
        (outcome,) = reproduce([experiment], store, quick=quick)
    print(f"\n{name}: {outcome.summary}")
    for line in outcome.judged:
        if line.verdict == "not judged":
            continue
        print(f"  {line.verdict}: {line.what}: printed {line.printed}, ours {line.ours}")
    return outcome


def verdicts(outcome: Outcome) -> dict[str, str]:
    """Verdict by what is judged."""
    return {line.what: line.verdict for line in outcome.judged}
