"""Web pages and news in the MDDM paper, with ML-kNN and with SVMs."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from labelspan.extraction import MDDM
from labelspan.lab.methods import with_number
from labelspan.lab.plan import Plan, Source, Splits, Step
from labelspan.metrics import MEASURES, PAPER_MEASURES
from labelspan.papers._experiment import (
    PLAIN_TOLERANCE,
    Judged,
    experiments_of,
    judge_statement,
    judge_value,
)
from labelspan.papers._values import Values

TOPICS = (
    "arts", "business", "computers", "education", "entertainment", "health", "recreation",
    "reference", "science", "social", "society",
)  # fmt: skip
SETS = tuple(f"yahoo-mlknn-{topic}" for topic in TOPICS)
# The paper's subsets of RCV1.
NEWS = tuple(f"rcv1subset{number}" for number in range(1, 6))
IMAGES = ("corel5k",)
N_FOLDS = 5
KEPT = 0.999
# With the numbers of the paper: mu = 0.5, a ridge of 0.1.
LINEAR = (
    ("mddm-p", "MDDM_p"),
    (with_number("mddm-f"), "MDDM_f"),
    ("mlsi", "MLSI"),
    (with_number("cca"), "CCA"),
    ("pca", "PCA"),
)
MLKNN = Step("mlknn", (("n_neighbors", 10),), "ML-kNN")
KERNEL = " with label kernel"
Plans = Callable[[bool], tuple[Plan, ...]]
Classifier = Callable[[bool], Step]


def mlknn(quick: bool) -> Step:
    return MLKNN


def svm(quick: bool) -> Step:
    """Choose C from five values by 5-fold CV (quick: three values, two folds)."""
    fewer = (("n_folds", 2), ("penalties", (0.1, 1.0, 10.0)))
    return Step("mddm/svm", fewer if quick else (), "SVM")


@lru_cache(maxsize=len(SETS) + len(NEWS))
def _directions(source: Source) -> int:
    """Number of directions that MDDM_p keeps for 0.999; every method keeps as many."""
    dataset = source.load()
    return MDDM(KEPT).fit(dataset.X[dataset.train], dataset.Y[dataset.train]).n_components_


def sources_of(news: bool, quick: bool, n_quick: int = 1) -> tuple[Source, ...]:
    names = NEWS if news else SETS
    prepare = "frequent-topics" if news else ""
    return tuple(Source(name, prepare=prepare) for name in (names[:n_quick] if quick else names))


def _plan(source: Source, name: str, reducers: tuple[Step, ...], classifier: Step) -> Plan:
    return on_sources((source,), f"{source.name} {name}", reducers, classifier)


def on_sources(
    sources: tuple[Source, ...], name: str, reducers: tuple[Step, ...], classifier: Step
) -> Plan:
    return Plan(
        f"mddm: {name}",
        sources=sources,
        reducers=reducers,
        classifiers=(classifier,),
        splits=Splits("standard"),
        measures=PAPER_MEASURES["mddm"],
        convention="mddm",
    )


def nine_plans(classifier: Classifier, news: bool, n_quick: int = 1) -> Plans:
    """Nine methods with as many directions as MDDM_p; on news the four fastest if quick."""

    def plans(quick: bool) -> tuple[Plan, ...]:
        sources = sources_of(news, quick, n_quick)
        return tuple(one(source, classifier(quick), few=quick and news) for source in sources)

    def one(source: Source, step: Step, few: bool) -> Plan:
        d = _directions(source)
        size = (("n_components", d),)
        steps = (
            Step("none"),
            *(Step(method, size, title) for method, title in LINEAR),
            Step("lpp", (*size, ("n_neighbors", 10)), "LPP"),
            Step("pls", size, "PLS"),
            Step("ratio", (("k", d),), "SEL"),
        )
        quickest = ("MDDM_p", "MDDM_f", "SEL", "no reduction")
        steps = tuple(each for each in steps if not few or each.title in quickest)
        suffix = "" if step is MLKNN else f", {step.title}"
        return _plan(source, f"with {d} directions{suffix}", steps, step)

    return plans


def label_kernel_plans(classifier: Classifier, news: bool) -> Plans:
    """MDDM without and with a label kernel; its width by five folds, or by two if quick."""

    def plans(quick: bool) -> tuple[Plan, ...]:
        return tuple(one(source, classifier(quick), quick) for source in sources_of(news, quick))

    def one(source: Source, step: Step, quick: bool) -> Plan:
        d = _directions(source)
        size = (("n_components", d),)
        fewer = (("n_folds", 2), ("widths", (1.0, 10.0))) if quick else ()
        reducers = []
        for (method, title), constraint in zip(LINEAR[:2], ("projection", "feature"), strict=True):
            follows = "mlknn" if step is MLKNN else "svm"
            chosen = (("constraint", constraint), ("classifier", follows), *fewer)
            reducers.append(Step(method, size, title))
            reducers.append(Step("mddm/label-width", (*size, *chosen), title + KERNEL))
        name = f"with {d} directions, label kernel, {step.title}"
        return _plan(source, name, tuple(reducers), step)

    return plans


def judge_nine(table: str) -> Callable[[Values, dict[str, Any]], list[Judged]]:
    """Judge a table of nine methods: first the methods that MDDM_p should beat, then the means."""

    def judge(values: Values, printed: dict[str, Any]) -> list[Judged]:
        means = printed[table]["mean"]
        others = [name for name in means if name not in ("MDDM_p", "MDDM_f")]
        lines = [
            line
            for other in others
            for line in _orders(values, printed, table, ("MDDM_p", other), "MDDM_p against")
        ]
        return [*lines, *_levels(values, printed, table)]

    return judge


def judge_label_kernel(table: str) -> Callable[[Values, dict[str, Any]], list[Judged]]:
    """Judge a table of the label kernel: whether it helps, whether it harms, then the means."""

    def judge(values: Values, printed: dict[str, Any]) -> list[Judged]:
        lines = []
        for name in ("MDDM_p", "MDDM_f"):
            lines.append(_harmless(values, printed, name))
            pair = (name + KERNEL, name)
            lines += _orders(values, printed, table, pair, "label kernel against none:")
        return [*lines, *_levels(values, printed, table)]

    return judge


def _orders(
    values: Values, printed: dict[str, Any], table: str, pair: tuple[str, str], head: str
) -> list[Judged]:
    sets = _sets(values)
    lines = []
    for place, measure in enumerate(printed["measures"]):
        expected = _better(measure, *(printed[table]["mean"][name][place] for name in pair))
        ours = [values.over(sets, name, measure) for name in pair]
        if expected is None or ours[0] is None or ours[1] is None:
            continue
        found = _better(measure, *ours) or "equal"
        what = f"{head} {pair[1]}, {MEASURES[measure].title}"
        text = f"{found} ({ours[0]:.4g} to {ours[1]:.4g})"
        lines.append(judge_statement(what, expected, text, found == expected))
    return lines


def _better(measure: str, first: float | None, second: float | None) -> str | None:
    if first is None or second is None or math.isnan(first + second) or first == second:
        return None
    small = MEASURES[measure].direction == "min"
    return "better" if (first < second) == small else "worse"


def _harmless(values: Values, printed: dict[str, Any], name: str) -> Judged:
    """The text: embedding the label relationship at least will not make the performance worse."""
    sets, worse = _sets(values), []
    for measure in printed["measures"]:
        first, second = (values.over(sets, title, measure) for title in (name + KERNEL, name))
        # Coverage counts labels, so its tolerance is relative.
        limit = PLAIN_TOLERANCE * (second or 0.0 if measure == "coverage" else 1.0)
        if first is None or second is None or _loss(measure, first, second) > limit:
            worse.append(MEASURES[measure].title)
    what = f"the label kernel does not harm {name}"
    text = f"worse: {', '.join(worse)}" if worse else "not worse on any measure"
    note = f"by more than {PLAIN_TOLERANCE:g}, or that share of the coverage"
    return judge_statement(what, "not worse", text, not worse, note)


def _loss(measure: str, first: float, second: float) -> float:
    return (first - second) if MEASURES[measure].direction == "min" else (second - first)


def _levels(values: Values, printed: dict[str, Any], table: str) -> list[Judged]:
    sets, lines = _sets(values), []
    all_sets = next((group for group in (NEWS, IMAGES) if sets[0] in group), SETS)
    which = f"{len(sets)} of the {len(all_sets)} sets" if len(sets) < len(all_sets) else "all sets"
    note = "" if all_sets == IMAGES else f"ours over {which}"
    for method, row in printed[table]["mean"].items():
        for place, measure in enumerate(printed["measures"]):
            ours = values.over(sets, method, measure)
            if ours is not None:
                what = f"{MEASURES[measure].title}, {method}"
                deviation = printed[table]["deviation"][method][place]
                lines.append(
                    judge_value(
                        what,
                        row[place],
                        ours,
                        deviation=deviation,
                        n_printed=N_FOLDS if all_sets == IMAGES else len(all_sets),
                        note=note,
                    )
                )
    return lines


def _sets(values: Values) -> list[str]:
    return values.datasets


SIZES = (2, 5, 10, 15)
# From 0.1 to about 1 percent of the words; MDDM_p has at most as many directions as topics.
NEWS_SIZES = (5, 10, 20, 40)
# 1, 5, 20 and 50 percent of the clusters of image regions; there are 374 words.
IMAGE_SIZES = (5, 25, 100, 250)
CURVES = (*LINEAR, ("lpp", "LPP"))


def _curve_steps(sizes: tuple[int, ...], few: tuple[str, ...] = ()) -> tuple[Step, ...]:
    """All methods of the curves, or a few of them, with these numbers of directions."""
    return tuple(
        Step(method, (("n_components", size),), f"{title}, d={size}")
        for method, title in CURVES
        if not few or title in few
        for size in sizes
    )


def _curves(name: str, classifier: Classifier, n_quick: int) -> Plans:
    """Six methods with two to fifteen directions on all sets, or on fewer if quick."""

    def plans(quick: bool) -> tuple[Plan, ...]:
        steps = _curve_steps(SIZES[1:3] if quick else SIZES)
        sources = sources_of(False, quick, n_quick)
        return (on_sources(sources, f"{name}, web pages", steps, classifier(quick)),)

    return plans


def _news_curves(name: str, classifier: Classifier, few: tuple[str, ...]) -> Plans:
    """Six methods with five to forty directions on the news; two methods if quick."""

    def plans(quick: bool) -> tuple[Plan, ...]:
        steps = _curve_steps(NEWS_SIZES[::2], few) if quick else _curve_steps(NEWS_SIZES)
        return tuple(
            _plan(each, name, steps, classifier(quick)) for each in sources_of(True, quick)
        )

    return plans


figure2 = _curves("figure 2", mlknn, 2)
figure2_news = _news_curves("figure 2", mlknn, ("MDDM_p", "CCA"))
figure3 = _curves("figure 3", svm, 1)
figure3_news = _news_curves("figure 3", svm, ("MDDM_p", "MDDM_f"))


def judge_curves(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The text says: MDDM_p has a lower Hamming loss than the others, bar MDDM_f, for most d."""
    sets, lines, curves = _sets(values), [], []
    for size in sorted({*SIZES, *NEWS_SIZES, *IMAGE_SIZES}):
        found = {
            title: values.over(sets, f"{title}, d={size}", "hamming_loss") for _, title in CURVES
        }
        known = {name: value for name, value in found.items() if value is not None}
        compared = [name for name in known if name != "MDDM_f"]
        if len(compared) < 2:
            continue
        best = min(compared, key=known.__getitem__)
        names = dict.fromkeys((best, "MDDM_p"))
        text = ", ".join(f"{name} {known[name]:.4g}" for name in names)
        what = f"Hamming loss at d = {size}: lowest but for MDDM_f"
        lines.append(judge_statement(what, "MDDM_p", text, best == "MDDM_p"))
        for name, value in known.items():
            curves.append(Judged(f"Hamming loss at d = {size}, {name}", None, value, "not judged"))
    return [*lines, *curves]


EXPERIMENTS = experiments_of(
    "mddm",
    {
        "figure2": (SETS, figure2, judge_curves),
        "figure2-news": (NEWS, figure2_news, judge_curves),
        "figure3": (SETS, figure3, judge_curves),
        "figure3-news": (NEWS, figure3_news, judge_curves),
        "table1": (SETS, nine_plans(mlknn, news=False, n_quick=2), judge_nine("table1")),
        "table2": (SETS, nine_plans(svm, news=False), judge_nine("table2")),
        "table5": (NEWS, nine_plans(mlknn, news=True), judge_nine("table5")),
        "table6": (NEWS, nine_plans(svm, news=True), judge_nine("table6")),
        "table7": (SETS, label_kernel_plans(mlknn, news=False), judge_label_kernel("table7")),
        "table8": (SETS, label_kernel_plans(svm, news=False), judge_label_kernel("table8")),
        "table11": (NEWS, label_kernel_plans(mlknn, news=True), judge_label_kernel("table11")),
        "table12": (NEWS, label_kernel_plans(svm, news=True), judge_label_kernel("table12")),
    },
)
