"""Classification with few training rows in the CMLFS paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labelspan.experiments._methods import METHODS as LISTED
from labelspan.experiments._plan import Plan, Step
from labelspan.experiments._sources import Source, Splits
from labelspan.experiments.reproduce._experiment import Experiment, Judged, Values, judge_value
from labelspan.metrics import MEASURES

N_LABELS = {"scene": 6, "yeast": 14}
NOTE = "mu and m fixed, the paper's by cross-validation"
ONE = ("min_labels", 1)
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
CONTROL = (("tol", 0.01), ("max_iter", 300))
RANKERS = (
    ("larank", "LaRank", ()),
    ("clarank", "CLaRank", (("mu", 0.1),)),
    ("mlfs", "MLFS", (("n_features", 15),)),
    ("cmlfs", "CMLFS", (("n_features", 15), ("mu", 0.1))),
)


def rankers(quick: bool) -> Iterator[Step]:
    """The ranking machines: C by cross-validation in full, 1 if quick."""
    names = {method.name for method in LISTED}
    for method, title, fixed in RANKERS:
        if method not in names:
            continue
        if quick:
            yield Step(method, (*fixed, *CONTROL), title)
        else:
            search = (
                ("estimator", method),
                ("grid", (("C", COSTS),)),
                ("parameters", (*fixed, *CONTROL, ("random_state", 0))),
            )
            yield Step("searched", search, title)


def table2(quick: bool) -> tuple[Plan, ...]:
    """Random training parts of 1000 rows of scene and yeast."""
    plans = []
    for name, n_labels in N_LABELS.items():
        common: dict[str, Any] = {
            "sources": (Source(name),),
            "splits": Splits("plain", n_repeats=2 if quick else 10, train=1000),
            "measures": ("macro_auc", "micro_f1", "macro_f1"),
            "convention": "mddm",
        }
        svm = Step("tuned-svm", (ONE,), "SVM")
        subspace = Step("shared-subspace", (("n_components", n_labels - 1), ONE), "ML_LS")
        models = (subspace, *rankers(quick))
        cca = Step("cca", (("n_components", n_labels - 1),), "CCA+SVM")
        plans += [
            Plan(f"cmlfs: models on {name}", models=models, **common),
            Plan(
                f"cmlfs: SVM on {name}",
                reducers=(Step("none", (), "SVM"), cca),
                classifiers=(svm,),
                **common,
            ),
        ]
    return tuple(plans)


def judge_table2(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Means by set, method and measure."""
    lines = []
    means, deviations = printed["table2"]["mean"], printed["table2"]["deviation"]
    for dataset, rows in means.items():
        for method, row in rows.items():
            for place, measure in enumerate(printed["measures"]):
                ours = values.mean(dataset, method, measure)
                if ours is not None:
                    what = f"{MEASURES[measure].title} on {dataset}, {method}"
                    deviation = deviations[dataset][method][place]
                    lines.append(
                        judge_value(what, row[place], ours, deviation=deviation, note=NOTE)
                    )
    return lines


EXPERIMENTS = (
    Experiment(
        "cmlfs/table2",
        "AUC, micro F1 and macro F1 on scene and yeast with 1000 training rows",
        tuple(N_LABELS),
        15,
        1.5,
        table2,
        judge_table2,
    ),
)
