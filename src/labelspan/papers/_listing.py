"""The list of experiments."""

from __future__ import annotations

from collections.abc import Iterable

from labelspan.papers import cmlfs, cplst, mddm, mvmd, shared_subspace, xc
from labelspan.papers._experiment import Experiment

#: Every experiment that can be run.
EXPERIMENTS: tuple[Experiment, ...] = (
    *mddm.EXPERIMENTS,
    *shared_subspace.EXPERIMENTS,
    *cplst.EXPERIMENTS,
    *mvmd.EXPERIMENTS,
    *cmlfs.EXPERIMENTS,
    *xc.EXPERIMENTS,
)
PAPERS = tuple(dict.fromkeys(experiment.paper for experiment in EXPERIMENTS))


def find_experiments(names: Iterable[str]) -> list[Experiment]:
    """Return the experiments of the given names: a table, all of a paper, or "all".

    Parameters
    ----------
    names : iterable of str
        Such as ``"mvmd/figure3"``, ``"mvmd"`` or ``"all"``.

    Returns
    -------
    list of Experiment

    Examples
    --------
    >>> from labelspan.papers import find_experiments
    >>> [experiment.name for experiment in find_experiments(["cplst"])][:2]
    ['cplst/figure1a', 'cplst/figure1b-d']
    """
    found: dict[str, Experiment] = {}
    for name in names:
        fitting = [item for item in EXPERIMENTS if name in ("all", item.paper, item.name)]
        if not fitting:
            known = ", ".join(item.name for item in EXPERIMENTS)
            raise ValueError(
                f"there is no experiment {name!r}; known are {known}, {', '.join(PAPERS)} and all."
            )
        found.update((item.name, item) for item in fitting)
    return list(found.values())
