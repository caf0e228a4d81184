"""Web page classification with ML-kNN in the MDDM paper."""

from __future__ import annotations

from typing import Any

from labelspan.experiments._methods import METHODS as LISTED
from labelspan.experiments._plan import Plan, Step
from labelspan.experiments._sources import Source, Splits
from labelspan.experiments.reproduce._experiment import (
    Experiment,
    Judged,
    Values,
    judge_statement,
    judge_value,
)
from labelspan.extraction import MDDM
from labelspan.metrics import MEASURES, PAPER_MEASURES

SETS = tuple(f"yahoo-mlknn-{topic}" for topic in ("arts", "business", "health", "science"))
KEPT = 0.999


def table1(quick: bool) -> tuple[Plan, ...]:
    """A plan a set: every method keeps as many directions as MDDM_p keeps for 0.999."""
    return tuple(_plan(name) for name in (SETS[:2] if quick else SETS))


def _plan(name: str) -> Plan:
    source = Source(name)
    dataset = source.load()
    X, Y = dataset.X[dataset.train], dataset.Y[dataset.train]
    d = MDDM(KEPT).fit(X, Y).n_components_
    size = (("n_components", d),)
    reducers = [
        Step("none"),
        *(Step(method, size, title) for method, title in LINEAR),
        Step("lpp", (*size, ("n_neighbors", 10)), "LPP"),
        Step("sklearn.cross_decomposition:PLSRegression", size, "PLS"),
    ]
    if any(method.name == "ratio" for method in LISTED):
        reducers.append(Step("ratio", (("k", d),), "SEL"))
    return Plan(
        f"mddm: {name} with {d} directions",
        sources=(source,),
        reducers=tuple(reducers),
        classifiers=(Step("mlknn", (("n_neighbors", 10),), "ML-kNN"),),
        splits=Splits("standard"),
        measures=PAPER_MEASURES["mddm"],
        convention="mddm",
    )


LINEAR = (
    ("mddm-p", "MDDM_p"),
    ("mddm-f", "MDDM_f"),
    ("mlsi", "MLSI"),
    ("cca", "CCA"),
    ("pca", "PCA"),
)


def judge_table1(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Means over the sets beside the printed means, and who is better than whom."""
    means, deviations = printed["table1"]["mean"], printed["table1"]["deviation"]
    sets = sorted({dataset for dataset, _, _ in values.found})
    note = f"ours over {len(sets)} of the eleven sets"
    lines = [
        _better(values, sets, measure, other)
        for other in ("PCA", "no reduction", "LPP", "MLSI")
        for measure in printed["measures"]
    ]
    for method, row in means.items():
        for place, measure in enumerate(printed["measures"]):
            ours = values.over(sets, method, measure)
            if ours is not None:
                what = f"{MEASURES[measure].title}, {method}"
                deviation = deviations[method][place]
                lines.append(judge_value(what, row[place], ours, deviation=deviation, note=note))
    return lines


def _better(values: Values, sets: list[str], measure: str, other: str) -> Judged:
    first, second = (values.over(sets, method, measure) for method in ("MDDM_p", other))
    what = f"{MEASURES[measure].title}: MDDM_p better than {other}"
    if first is None or second is None:
        return judge_statement(what, "yes", "not measured", False)
    holds = first < second if MEASURES[measure].direction == "min" else first > second
    return judge_statement(what, "yes", f"{first:.4f} against {second:.4f}", holds)


SIZES = (2, 5, 10, 15)
CURVES = (*LINEAR, ("lpp", "LPP"))


def figure2(quick: bool) -> tuple[Plan, ...]:
    """Six methods with two to fifteen directions on the four sets, or on two if quick."""
    plan = Plan(
        "mddm: figure 2, web pages",
        sources=tuple(Source(name) for name in (SETS[:2] if quick else SETS)),
        reducers=tuple(
            Step(method, (("n_components", size),), f"{title}, d={size}")
            for method, title in CURVES
            for size in (SIZES[1:3] if quick else SIZES)
        ),
        classifiers=(Step("mlknn", (("n_neighbors", 10),), "ML-kNN"),),
        splits=Splits("standard"),
        measures=PAPER_MEASURES["mddm"],
        convention="mddm",
    )
    return (plan,)


def judge_figure2(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The text: MDDM_p has a lower Hamming loss than the compared methods under most d.

    MDDM_f is the paper's own and does not count among the compared methods.
    """
    sets = sorted({dataset for dataset, _, _ in values.found})
    compared = [title for _, title in CURVES if title != "MDDM_f"]
    lines = []
    for size in SIZES:
        found = {name: values.over(sets, f"{name}, d={size}", "hamming_loss") for name in compared}
        known = {name: value for name, value in found.items() if value is not None}
        if known:
            best = min(known, key=known.__getitem__)
            text = f"{best} {known[best]:.4f}, MDDM_p {known['MDDM_p']:.4f}"
            what = f"Hamming loss, d = {size}: lowest"
            lines.append(judge_statement(what, "MDDM_p", text, best == "MDDM_p"))
    return lines


EXPERIMENTS = (
    Experiment(
        "mddm/figure2",
        "web page classification with ML-kNN against the number of directions",
        SETS,
        5,
        2,
        figure2,
        judge_figure2,
    ),
    Experiment(
        "mddm/table1",
        "web page classification with ML-kNN, all methods with as many directions as MDDM_p",
        SETS,
        4,
        1.5,
        table1,
        judge_table1,
    ),
)
