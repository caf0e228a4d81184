"""Classification with few training rows, and feature selection, in the CMLFS paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from labelspan.lab.plan import Plan, Source, Splits, Step
from labelspan.metrics import MEASURES
from labelspan.papers._experiment import (
    OTHER_PAGES,
    Judged,
    experiments_of,
    judge_statement,
    judge_value,
    unjudged,
)
from labelspan.papers._values import Key, Values
from labelspan.ranking import CLaRankSVM, label_correlation

MEASURED = ("macro_auc", "micro_f1", "macro_f1")
ARTS = "yahoo-mulan-arts"
# Web-page sets with the number of labels after preprocessing.
PAGES = {
    ARTS: 19,
    "yahoo-mulan-business": 17,
    "yahoo-mulan-education": 14,
    "yahoo-mulan-health": 14,
}
SOURCES = {
    "scene": Source("scene"),
    "yeast": Source("yeast"),
    **{name: Source(name, prepare="frequent-tfidf") for name in PAGES},
}
N_LABELS = {"scene": 6, "yeast": 14, **PAGES}
# The paper's grids, but for C = 1000: on scene C = 100 often ends at the limit of the sweeps.
COSTS = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)
RIDGES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
MUS = (0.01, 0.1, 1.0, 10.0, 100.0)
# m of MLFS and CMLFS.
FEATURES = {
    **dict.fromkeys(("scene", "yeast"), tuple(range(10, 21))),
    **dict.fromkeys(PAGES, tuple(range(1000, 10001, 1000))),
}
# m of FS+SVM: in tens or thousands, up to the number of features.
FISHER = {"scene": tuple(range(10, 291, 10)), "yeast": tuple(range(10, 101, 10))} | {
    name: tuple(range(1000, 1000 * last + 1, 1000))
    for name, last in zip(PAGES, (17, 16, 20, 18), strict=True)
}
CONTROL = (("tol", 0.01), ("max_iter", 2000), ("random_state", 0))
TRAINING_ROWS = 1000
TUNED = "LaRank with tuned thresholds"
NOTE = "C at most 100, the paper: 1000"


@dataclass(frozen=True)
class Searched:
    title: str
    method: str
    grid: tuple[tuple[str, tuple[Any, ...]], ...]
    fixed: tuple[tuple[str, Any], ...] = ()

    def steps(self) -> list[Step]:
        names = [name for name, _ in self.grid]
        points = [tuple(zip(names, values, strict=True)) for values in self.values()]
        return [
            Step(self.method, (*self.fixed, *point), f"{self.title}: {_text(point)}")
            for point in points
        ]

    def values(self) -> list[tuple[Any, ...]]:
        return list(product(*(values for _, values in self.grid)))


def _text(point: tuple[tuple[str, Any], ...]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in point)


def methods_of(name: str, quick: bool) -> list[Searched]:
    """The eight methods with their grids; if quick, two values of C and one of everything else."""
    size = (("n_components", N_LABELS[name] - 1),)
    costs, m = ("C", COSTS), ("n_features", FEATURES[name])
    found = [
        Searched("SVM", "cmlfs/svm", (costs,)),
        Searched("LaRank", "larank", (costs,), CONTROL),
        Searched("CCA+SVM", "cmlfs/cca-svm", (costs, ("ridge", RIDGES)), size),
        Searched(
            "ML_LS",
            "shared-subspace",
            (("alpha", RIDGES), ("beta", RIDGES)),
            (*size, ("min_labels", 1)),
        ),
        Searched("FS+SVM", "cmlfs/svm", (costs, ("k", FISHER[name]))),
        Searched("CLaRank", "clarank", (costs, ("mu", MUS)), CONTROL),
        Searched("MLFS", "mlfs", (costs, m), CONTROL),
        Searched("CMLFS", "cmlfs", (costs, ("mu", MUS), m), CONTROL),
    ]
    return [_short(item) for item in found] if quick else found


def _short(item: Searched) -> Searched:
    grid = tuple((n, (1.0, 10.0) if n == "C" else values[-1:]) for n, values in item.grid)
    return Searched(item.title, item.method, grid, item.fixed)


def _plan(title: str, name: str, models: Sequence[Step], splits: Splits) -> Plan:
    return Plan(
        f"cmlfs: {title}",
        sources=(SOURCES[name],),
        models=tuple(models),
        splits=splits,
        measures=MEASURED,
        convention="mddm",
    )


def search(quick: bool) -> tuple[Plan, ...]:
    """Every point of the grids in five folds of the first 1000 training rows."""
    return tuple(
        _plan(
            f"table 2, search on {name}",
            name,
            [step for item in methods_of(name, quick) for step in item.steps()],
            Splits("inner", n_folds=2 if quick else 5, n_repeats=1, train=TRAINING_ROWS),
        )
        for name in (("yeast",) if quick else SOURCES)
    )


def ten_splits(values: Values, quick: bool) -> tuple[Plan, ...]:
    """Ten random training parts of 1000 rows with the parameters that the search found best."""
    plans = []
    for name in ("yeast",) if quick else SOURCES:
        best = [best_step(values, name, item) for item in methods_of(name, quick)]
        cost = next(dict(step.parameters)["C"] for step in best if step.label == "LaRank")
        tuned = Step("cmlfs/tuned-larank", (("C", cost),), TUNED)
        splits = Splits("plain", n_repeats=2 if quick else 10, train=TRAINING_ROWS)
        plans.append(_plan(f"table 2 on {name}", name, [*best, tuned], splits))
    return tuple(plans)


def best_step(values: Values, dataset: str, item: Searched) -> Step:
    """The point with the best mean of the three measures; the paper does not name its criterion."""
    steps = item.steps()
    means = [[values.mean(dataset, step.label, measure) for measure in MEASURED] for step in steps]
    scores = [-1.0 if None in row else float(np.mean(row)) for row in means]  # type: ignore[arg-type]
    chosen = steps[int(np.argmax(scores))]
    return Step(chosen.method, chosen.parameters, item.title)


def judge_table2(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Means by set, method and measure; what the text says; the best AUC of the whole search."""
    lines = []
    for dataset in printed["table2"]["mean"]:
        found = _means(values, printed, dataset) + _statements(values, dataset)
        topic = dataset.rpartition("-")[2]
        lines += unjudged(found, OTHER_PAGES[topic]) if topic in OTHER_PAGES else found
        lines += _alone(values, dataset)
    return lines


def _means(values: Values, printed: dict[str, Any], dataset: str, note: str = NOTE) -> list[Judged]:
    lines, deviations = [], printed["table2"]["deviation"][dataset]
    for method, row in printed["table2"]["mean"][dataset].items():
        for place, measure in enumerate(printed["measures"]):
            ours = values.mean(dataset, method, measure)
            if ours is not None:
                what = f"{MEASURES[measure].title} on {dataset}, {method}"
                width = None if measure == "macro_auc" else deviations[method][place]
                lines.append(judge_value(what, row[place], ours, deviation=width, note=note))
    return lines


def sign(quick: bool) -> tuple[Plan, ...]:
    """A second protocol for the row of SVM, fixed before its first run.

    Labels by the sign of the score, at least one per row; C = 10; the web pages by term frequencies
    without idf; the ten training parts of Table 2. It was found on arts, education and health, so
    scene, yeast and business are the test.
    """
    step = Step("cmlfs/sign-svm", (("C", 10.0),), "SVM")
    splits = Splits("plain", n_repeats=2 if quick else 10, train=TRAINING_ROWS)
    names = ("yeast",) if quick else SOURCES
    plans = [_plan(f"second protocol of SVM on {name}", name, [step], splits) for name in names]
    return tuple(
        replace(plan, sources=(Source(name, prepare="frequent-tf"),)) if name in PAGES else plan
        for name, plan in zip(names, plans, strict=True)
    )


def judge_sign(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The means of the row of SVM."""
    lines = []
    for dataset in printed["table2"]["mean"]:
        found = _means(values, printed, dataset, "C = 10")
        topic = dataset.rpartition("-")[2]
        lines += unjudged(found, OTHER_PAGES[topic]) if topic in OTHER_PAGES else found
    return lines


STATED = (
    ("CLaRank", "LaRank"), ("MLFS", "LaRank"), ("CMLFS", "CLaRank"), ("CMLFS", "MLFS"),
    ("CMLFS", "ML_LS"), ("LaRank", "SVM"), ("MLFS", "FS+SVM"),
)  # fmt: skip


def _statements(values: Values, dataset: str) -> list[Judged]:
    lines = []
    for better, worse in STATED:
        first, second = (values.mean(dataset, name, "macro_auc") for name in (better, worse))
        if first is not None and second is not None:
            what = f"order of AUC on {dataset}: {better} above {worse}"
            ours = f"{first:.4f} against {second:.4f}"
            lines.append(judge_statement(what, "yes", ours, first > second))
    return lines


def _alone(values: Values, dataset: str) -> list[Judged]:
    """Values without printed counterpart: thresholds tuned by F1, and the best of each grid."""
    lines = []
    for measure in MEASURED[1:]:
        ours = values.mean(dataset, TUNED, measure)
        if ours is not None:
            what = f"{MEASURES[measure].title} on {dataset}, {TUNED}"
            lines.append(Judged(what, None, ours, "not judged"))
    for method in ("LaRank", "CLaRank", "MLFS", "CMLFS"):
        best = values.best(dataset, method, "macro_auc")
        if best is not None:
            what = f"best AUC of the grid in cross-validation on {dataset}, {method}"
            lines.append(Judged(what, None, best, "not judged"))
    return lines


# Values of m for MLFS and CMLFS, which keep more than m features, and for the Fisher score.
SIZES = {
    "scene": (1, 2, 5, 10),
    "yeast": (1, 2, 5, 10),
    **dict.fromkeys(PAGES, (20, 50, 200, 1000)),
}
FISHER_SIZES = {
    "scene": (5, 20, 50, 100, 150, 200, 294),
    "yeast": (5, 10, 20, 40, 60, 80, 103),
    **dict.fromkeys(PAGES, (20, 100, 300, 1000, 3000, 10000)),
}
CURVE_COSTS = {"scene": 1.0, "yeast": 10.0, **dict.fromkeys(PAGES, 10.0)}


def figure2(quick: bool) -> tuple[Plan, ...]:
    """AUC against m on ten random training parts of 1000 rows; C fixed, mu 0.1."""
    plans = []
    for name in ("yeast",) if quick else SIZES:
        cost = ("C", CURVE_COSTS[name])
        steps = [Step("cmlfs/svm", (cost, ("k", m)), f"FS+SVM, m={m}") for m in FISHER_SIZES[name]]
        for m in SIZES[name][::2] if quick else SIZES[name]:
            size = ("n_features", m)
            steps += [
                Step("mlfs", (cost, size, *CONTROL), f"MLFS, m={m}"),
                Step("cmlfs", (cost, size, ("mu", 0.1), *CONTROL), f"CMLFS, m={m}"),
            ]
        splits = Splits("plain", n_repeats=1 if quick else 10, train=TRAINING_ROWS)
        plans.append(_plan(f"figure 2, {name}", name, steps, splits))
    return tuple(plans)


def judge_figure2(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The text: with few features MLFS and CMLFS do well, the Fisher score only with most."""
    lines = []
    for dataset in SIZES:
        sizes = FISHER_SIZES[dataset]
        fisher = [values.mean(dataset, f"FS+SVM, m={m}", "macro_auc") for m in sizes]
        curve = np.array([np.nan if value is None else value for value in fisher])
        if np.isnan(curve).any():
            continue
        for method in ("MLFS", "CMLFS"):
            for m in SIZES[dataset]:
                lines += _against(values, dataset, f"{method}, m={m}", sizes, curve)
        best, last = sizes[int(curve.argmax())], sizes[-1]
        what = f"the Fisher score needs most of the features of {dataset}"
        text = f"best with {best}, at most {last} tried"
        lines.append(judge_statement(what, "yes", text, best >= last / 2))
        lines += [
            Judged(f"AUC on {dataset} with {m} features, FS+SVM", None, float(value), "not judged")
            for m, value in zip(sizes, curve, strict=True)
        ]
    return lines


def _against(
    values: Values, dataset: str, method: str, sizes: tuple[int, ...], curve: np.ndarray
) -> list[Judged]:
    """MLFS or CMLFS against the Fisher score, interpolated at its number of features."""
    ours = values.mean(dataset, method, "macro_auc")
    kept = values.mean(dataset, method, "n_components")
    if ours is None or kept is None:
        return []
    other = float(np.interp(kept, sizes, curve))
    what = f"AUC on {dataset}, {method}: above FS+SVM with as many features"
    text = f"{ours:.4f} against {other:.4f}, {kept:.0f} features"
    return [judge_statement(what, "yes", text, ours > other)]


def figure1(quick: bool) -> tuple[Plan, ...]:
    """Nothing to run, because the figure shows only the labels."""
    return ()


NEAR, APART, LABEL = (14, 18), 12, 5
LABELS = "the labels"


def label_correlations() -> dict[Key, list[float]]:
    """Correlations of label 5 with three others, their ranks, and the learnt covariance."""
    dataset = SOURCES[ARTS].load()
    chosen = np.random.default_rng(0).permutation(dataset.Y.shape[0])[:TRAINING_ROWS]
    model = CLaRankSVM(10.0, mu=0.1, random_state=0).fit(dataset.X[chosen], dataset.Y[chosen])
    scale = np.sqrt(np.diag(model.label_covariance_))
    learnt = model.label_covariance_ / np.outer(scale, scale)
    of_labels = label_correlation(dataset.Y)
    row = of_labels[LABEL - 1]
    found = {f"correlation with {other}": float(row[other - 1]) for other in (*NEAR, APART)}
    for other in NEAR:
        above = np.delete(row, LABEL - 1) > row[other - 1]
        found[f"rank of {other}"] = float(1 + above.sum())
    upper = np.triu_indices(len(learnt), 1)
    found["agreement"] = float(np.corrcoef(learnt[upper], of_labels[upper])[0, 1])
    return {(ARTS, LABELS, name): [value] for name, value in found.items()}


def judge_figure1(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Label 5 correlates with labels 14 and 18 and not with 12; and the learnt covariance."""

    def known(name: str) -> float:
        value = values.mean(ARTS, LABELS, name)
        return np.nan if value is None else value

    near = [known(f"correlation with {other}") for other in NEAR]
    apart = known(f"correlation with {APART}")
    rank = [known(f"rank of {other}") for other in NEAR]
    text = f"{near[0]:.3f} and {near[1]:.3f} against {apart:.3f}"
    high = f"rank {rank[0]:.0f} and {rank[1]:.0f} of the 18 others"
    what = "correlation of the learnt covariance with that of the labels, over all pairs"
    more = "label 5 correlates more with labels 14 and 18 than with 12"
    most = "labels 14 and 18 are highly correlated with 5"
    return [
        judge_statement(more, "yes", text, min(near) > apart),
        judge_statement(most, "yes", high, max(rank) <= 3),
        Judged(what, None, known("agreement"), "not judged"),
    ]


EXPERIMENTS = experiments_of(
    "cmlfs",
    {
        "figure1": ((ARTS,), figure1, judge_figure1, (), None, label_correlations),
        "figure2": (tuple(SOURCES), figure2, judge_figure2),
        "table2": (tuple(SOURCES), search, judge_table2, (), ten_splits),
        "table2-sign": (tuple(SOURCES), sign, judge_sign),
    },
)
