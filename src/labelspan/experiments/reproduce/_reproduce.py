"""Run experiments of the papers and judge them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from labelspan.experiments._progress import Progress
from labelspan.experiments._run import run
from labelspan.experiments._store import Store
from labelspan.experiments.reproduce._experiment import (
    Experiment,
    Outcome,
    printed_values,
    values_of,
)


def reproduce(
    experiments: Iterable[Experiment],
    store: Store,
    *,
    quick: bool = False,
    n_jobs: int | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> Iterator[Outcome]:
    """Run experiments and judge each as soon as it is finished.

    Parameters
    ----------
    experiments : iterable of Experiment
        What to run; cells that experiments share are run once.
    store : Store
        Where results go; what is there already is not run again.
    quick : bool, default=False
        Fewer splits.
    n_jobs, timeout, progress, command
        As in `labelspan.experiments.run`.

    Yields
    ------
    Outcome
    """
    for experiment in experiments:
        plans = experiment.plans(quick)
        for plan in plans:
            run(plan, store, n_jobs=n_jobs, timeout=timeout, progress=progress, command=command)
        values = values_of(store, plans)
        judged = experiment.judge(values, printed_values(experiment.paper))
        yield Outcome(experiment, judged, quick, values.failed)
