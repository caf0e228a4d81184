"""Rankings of labels by label-space methods on bibtex and delicious."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from labelspan.lab.methods import ALL_MEASURES
from labelspan.lab.plan import Plan, Source, Splits, Step
from labelspan.papers._experiment import Judged, experiments_of, judge_value
from labelspan.papers._values import Values
from labelspan.papers.xc._methods import MODELS

N_CODES = 100
MEASURED = tuple(f"{name}_at_{k}" for name, k in product(("precision", "ndcg", "psp"), (1, 3, 5)))


def plans(quick: bool, *, name: str) -> tuple[Plan, ...]:
    """Five methods with 100 codes; if quick, two with 20 codes and one ridge."""
    fixed = (("n_components", 20), ("ridges", (1.0,))) if quick else (("n_components", N_CODES),)
    models = ("PLST", "CPLST") if quick else tuple(MODELS)
    return (
        Plan(
            f"xc: {name}",
            sources=(Source(name),),
            models=tuple(Step("xc/ranked", (("model", model), *fixed), model) for model in models),
            splits=Splits("standard"),
            measures=MEASURED,
        ),
    )


def judge(values: Values, printed: dict[str, Any], *, name: str) -> list[Judged]:
    """Precision with the printed value; the other measures without."""
    lines = []
    for measure, model in product(MEASURED, MODELS):
        ours = values.mean(name, model, measure)
        if ours is None:
            continue
        what = f"{ALL_MEASURES[measure].title} on {name}, {model}"
        row = printed[name].get(model)
        if measure in printed["measures"] and row is not None:
            theirs = row[printed["measures"].index(measure)] / 100
            lines.append(judge_value(what, theirs, ours))
        else:
            lines.append(Judged(what, None, ours, "not judged"))
    return lines


EXPERIMENTS = experiments_of(
    "xc",
    {
        name: ((name,), partial(plans, name=name), partial(judge, name=name))
        for name in ("bibtex", "delicious")
    },
)
