"""Web page categorisation in the shared-subspace paper."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from labelspan.experiments.plan import Plan, Source, Splits, Step
from labelspan.experiments.reproduce._experiment import (
    Experiment,
    Judged,
    Values,
    judge_statement,
    judge_value,
)
from labelspan.metrics import MEASURES

ARTS = Source("yahoo-mulan-arts", prepare="frequent-tfidf")
_SVM_PERF = "shared-subspace/svm-perf"
FAMILIES = ("CCA+Ridge", "CCA+SVM", "SVM")
# Few alphas where the experiment is only tried out.
QUICK_ALPHAS = ((0.01, 1.0, 100.0),)


def baseline(family: str, label: str = "", grid: Any = None) -> Step:
    """A baseline with its parameters by cross-validation, or with the only one of its grid."""
    parameters = (("family", family),) if grid is None else (("family", family), ("grid", grid))
    return Step("shared-subspace/baseline", parameters, label or family)


def subspace(label: str = "ML_LS") -> Step:
    """ML_LS with alpha and beta by cross-validation."""
    return Step("shared-subspace/searched", (), label)


def table3(quick: bool) -> tuple[Plan, ...]:
    """30 random training parts of 1000 rows; 10 for the two expensive methods, as in the paper."""
    many: tuple[Step, ...] = (subspace(), *(baseline(name) for name in FAMILIES))
    few: tuple[Step, ...] = (
        baseline("ASO_SVM"),
        Step(_SVM_PERF, (("C", 5000.0),), "SVM_perf"),
    )
    if quick:
        many = (subspace(), baseline("CCA+Ridge"), baseline("SVM"))
        few = (baseline("ASO_SVM", grid=QUICK_ALPHAS),)
    return tuple(
        Plan(
            f"shared subspace: {name}",
            sources=(ARTS,),
            models=models,
            splits=Splits("plain", n_repeats=1 if quick else n_splits, train=1000),
            measures=("macro_auc", "macro_f1", "micro_f1"),
            convention="mddm",
        )
        for name, models, n_splits in (("table 3", many, 30), ("table 3, ASO, SVM_perf", few, 10))
    )


def judge_table3(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Means on arts, and which of the methods is the best."""
    lines = []
    for method, row in printed["table3"].items():
        for place, measure in enumerate(printed["measures"]):
            ours = values.mean(ARTS.name, method, measure)
            if ours is not None:
                what = f"{MEASURES[measure].title} on arts, {method}"
                lines.append(judge_value(what, row[place], ours))
    for place, measure in enumerate(printed["measures"]):
        found = {name: values.mean(ARTS.name, name, measure) for name in printed["table3"]}
        known = {name: value for name, value in found.items() if value is not None}
        if known:
            ours, theirs = (
                max(known, key=known.__getitem__),
                max(known, key=lambda name: printed["table3"][name][place]),
            )
            what = f"{MEASURES[measure].title} on arts: best of {len(known)}"
            lines.append(judge_statement(what, theirs, ours, ours == theirs))
    return lines


def judge_table5(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Wilcoxon's test over the splits: ML_LS better than another method at 0.05, or not."""
    lines = []
    for method, row in printed["table5"].items():
        for place, measure in enumerate(printed["measures"]):
            first, second = (
                values.found.get((ARTS.name, name, measure), []) for name in ("ML_LS", method)
            )
            if len(first) != len(second) or len(first) < 6:
                continue
            p = float(stats.wilcoxon(first, second).pvalue)
            better = p < 0.05 and np.mean(first) > np.mean(second)
            sign = "above" if np.mean(first) > np.mean(second) else "below"
            what = f"{MEASURES[measure].title} on arts: is ML_LS significantly above {method}?"
            ours = f"p = {p:.2g}, ML_LS {sign}"
            theirs = f"p = {row[place]:.2g}, ML_LS above"
            lines.append(judge_statement(what, theirs, ours, better == (row[place] < 0.05)))
    return lines


SIZES = (250, 500, 1000, 2000)
TIMED = ("ML_LS", "SVM", "ASO_SVM")


def figure1(quick: bool) -> tuple[Plan, ...]:
    """Training parts of growing size: one setting of the parameters, and the search."""
    plans = []
    for size in SIZES[:2] if quick else SIZES:
        label = {name: f"{name}, n = {size}" for name in TIMED}
        fixed = (
            Step("shared-subspace", (), label["ML_LS"]),
            baseline("SVM", label["SVM"], ((1.0,),)),
            baseline("ASO_SVM", label["ASO_SVM"], ((0.01,),)),
        )
        label = {name: f"{name} searched, n = {size}" for name in TIMED}
        searched = (
            subspace(label["ML_LS"]),
            baseline("SVM", label["SVM"]),
            baseline("ASO_SVM", label["ASO_SVM"]),
        )
        plans += [
            Plan(
                f"shared subspace: figure 1, {size} rows, {name}",
                sources=(ARTS,),
                models=models,
                splits=Splits("plain", n_repeats=n_repeats, train=size),
                measures=("macro_f1",),
                convention="mddm",
            )
            for name, models, n_repeats in (("fixed", fixed, 3), ("searched", searched, 1))
        ]
    return tuple(plans)


def judge_figure1(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The text: SVM is the fastest, ASO the slowest of the three; no seconds are printed."""
    lines = []
    for word in ("", " searched"):
        for size in SIZES:
            label = {name: f"{name}{word}, n = {size}" for name in TIMED}
            keys = {name: (ARTS.name, label[name], "fit_seconds") for name in TIMED}
            if not all(key in values.found for key in keys.values()):
                continue
            # The least of several: the first call of a process loads compiled code.
            seconds = {name: min(values.found[key]) for name, key in keys.items()}
            order = sorted(seconds, key=seconds.__getitem__)
            ours = ", ".join(f"{name} {seconds[name]:.2f} s" for name in order)
            what = f"training time{word}, n = {size}: in ascending order"
            theirs = "SVM, ML_LS, ASO_SVM"
            lines.append(judge_statement(what, theirs, ours, ", ".join(order) == theirs))
    return lines


PRICES = (0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)


def figure3(quick: bool) -> tuple[Plan, ...]:
    """ML_LS at every alpha and beta; training parts as large as those of five folds of 1000."""
    prices = PRICES[::4] if quick else PRICES
    plan = Plan(
        "shared subspace: figure 3",
        sources=(ARTS,),
        models=tuple(
            Step("shared-subspace", (("alpha", alpha), ("beta", beta)), point(alpha, beta))
            for alpha in prices
            for beta in prices
        ),
        splits=Splits("plain", n_repeats=1 if quick else 5, train=800),
        measures=("macro_f1",),
        convention="mddm",
    )
    return (plan,)


def point(alpha: float, beta: float) -> str:
    """Name of a point of the grid."""
    return f"alpha = {alpha:g}, beta = {beta:g}"


def judge_figure3(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The text: the best alpha and beta are intermediate, and macro F1 depends on them."""
    found = {
        (alpha, beta): values.mean(ARTS.name, point(alpha, beta), "macro_f1")
        for alpha in PRICES
        for beta in PRICES
    }
    heat = {where: value for where, value in found.items() if value is not None}
    best, worst = max(heat, key=heat.__getitem__), min(heat, key=heat.__getitem__)
    ends = (PRICES[0], PRICES[-1])
    text = f"{point(*best)}: {heat[best]:.4f}"
    lines = [
        judge_statement("macro F1 on arts: best alpha", "intermediate", text, best[0] not in ends),
        judge_statement("macro F1 on arts: best beta", "intermediate", text, best[1] not in ends),
    ]
    errors = [values.error(ARTS.name, point(*where), "macro_f1") for where in (best, worst)]
    sensitive = heat[best] - heat[worst] > 3 * math.hypot(*errors)
    text = f"{heat[best]:.4f} to {heat[worst]:.4f} at {point(*worst)}"
    what = "macro F1 on arts depends on alpha and beta, by three standard errors"
    lines.append(judge_statement(what, "yes", text, sensitive))
    for alpha in PRICES:
        row = [f"{heat[alpha, beta]:.3f}" for beta in PRICES if (alpha, beta) in heat]
        if row:
            what = f"macro F1 on arts, alpha = {alpha:g}, beta from 0 to 100"
            lines.append(Judged(what, None, " ".join(row), "not judged"))
    return lines


EXPERIMENTS = (
    Experiment(
        "shared-subspace/table3",
        "AUC, macro F1 and micro F1 on Yahoo arts",
        (ARTS.name,),
        15,
        1,
        table3,
        judge_table3,
    ),
    Experiment(
        "shared-subspace/table5",
        "Wilcoxon's test between ML_LS and the others on Yahoo arts (needs the full run)",
        (ARTS.name,),
        15,
        1,
        table3,
        judge_table5,
    ),
    Experiment(
        "shared-subspace/figure1",
        "training time of ML_LS, SVM and ASO_SVM against the number of rows, Yahoo arts",
        (ARTS.name,),
        4,
        0.5,
        figure1,
        judge_figure1,
    ),
    Experiment(
        "shared-subspace/figure3",
        "macro F1 of ML_LS against alpha and beta, Yahoo arts",
        (ARTS.name,),
        5,
        0.3,
        figure3,
        judge_figure3,
    ),
)
