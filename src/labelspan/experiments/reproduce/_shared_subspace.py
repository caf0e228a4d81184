"""Web page categorisation in the shared-subspace paper."""

from __future__ import annotations

from typing import Any

from scipy import stats

from labelspan.experiments._plan import Plan, Step
from labelspan.experiments._sources import Source, Splits
from labelspan.experiments.reproduce._experiment import (
    Experiment,
    Judged,
    Values,
    judge_statement,
    judge_value,
)
from labelspan.metrics import MEASURES

ARTS = Source("yahoo-mulan-arts", prepare="frequent-tfidf")
NOTE = "ours with fixed parameters, the paper's by cross-validation"


def table3(quick: bool) -> tuple[Plan, ...]:
    """Random training parts of 1000 rows; thresholds tuned on the training scores."""
    common: dict[str, Any] = {
        "sources": (ARTS,),
        "splits": Splits("plain", n_repeats=2 if quick else 30, train=1000),
        "measures": ("macro_auc", "macro_f1", "micro_f1"),
        "convention": "mddm",
    }
    svm = Step("tuned-svm", (), "SVM")
    reducer = Step("cca", (("n_components", 18), ("ridge", 1.0), ("label_ridge", 0.0)), "CCA")
    return (
        Plan("shared subspace: models", models=(Step("shared-subspace"),), **common),
        Plan(
            "shared subspace: SVM",
            reducers=(Step("none", (), "SVM"),),
            classifiers=(svm,),
            **common,
        ),
        Plan(
            "shared subspace: CCA+Ridge",
            reducers=(Step(reducer.method, reducer.parameters, "CCA+Ridge"),),
            classifiers=(Step("tuned-ridge", (("ridge", 1.0),), "ridge"),),
            **common,
        ),
        Plan(
            "shared subspace: CCA+SVM",
            reducers=(Step(reducer.method, reducer.parameters, "CCA+SVM"),),
            classifiers=(svm,),
            **common,
        ),
    )


def judge_table3(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Means on arts, and whether ML_LS is best of the methods that were run."""
    lines = []
    for method, row in printed["table3"].items():
        for place, measure in enumerate(printed["measures"]):
            ours = values.mean(ARTS.name, method, measure)
            if ours is not None:
                what = f"{MEASURES[measure].title} on arts, {method}"
                lines.append(judge_value(what, row[place], ours, note=NOTE))
    for measure in printed["measures"]:
        found = {name: values.mean(ARTS.name, name, measure) for name in printed["table3"]}
        known = {name: value for name, value in found.items() if value is not None}
        best = max(known, key=lambda name: known[name])
        what = f"{MEASURES[measure].title} on arts: best of {len(known)}"
        lines.append(judge_statement(what, "ML_LS", best, best == "ML_LS"))
    return lines


def judge_table5(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Wilcoxon's test over the splits between ML_LS and the others."""
    lines = []
    for method, row in printed["table5"].items():
        for place, measure in enumerate(printed["measures"]):
            first, second = (
                values.found.get((ARTS.name, name, measure), []) for name in ("ML_LS", method)
            )
            if len(first) != len(second) or len(first) < 6:
                continue
            p = float(stats.wilcoxon(first, second).pvalue)
            what = f"{MEASURES[measure].title} on arts, ML_LS against {method}: differ at 0.05"
            same = (p < 0.05) == (row[place] < 0.05)
            lines.append(judge_statement(what, f"p = {row[place]:.2g}", f"p = {p:.2g}", same))
    return lines


EXPERIMENTS = (
    Experiment(
        "shared-subspace/table3",
        "AUC, macro F1 and micro F1 on Yahoo arts",
        (ARTS.name,),
        20,
        2,
        table3,
        judge_table3,
    ),
    Experiment(
        "shared-subspace/table5",
        "Wilcoxon's test between ML_LS and the others on Yahoo arts (needs the full run)",
        (ARTS.name,),
        20,
        2,
        table3,
        judge_table5,
    ),
)
