"""The comparison of nine methods in the MVMD paper."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.lab.methods import with_number
from labelspan.lab.plan import Plan, Source, Splits, Step
from labelspan.metrics import MEASURES, PAPER_MEASURES
from labelspan.papers._experiment import Judged, experiments_of, judge_statement, judge_value
from labelspan.papers._values import Values
from labelspan.stats import average_ranks, critical_difference, friedman

SETS = (
    "yeast", "scene", "enron", "image", "slashdot", "gnegative-go", "human-go", "eukaryote-go",
)  # fmt: skip
# Those that take minutes.
QUICK_SETS = ("yeast", "scene", "slashdot")
# With the numbers of the paper: mu = 0.5 of MDDM_f, ridges of 0.1.
METHODS = tuple(
    with_number(name)
    for name in ("none", "pca", "mddm-p", "mddm-f", "cca", "mlsi", "mlda", "dmlda", "mvmd")
)
TITLES = ("no reduction", "PCA", "MDDM_p", "MDDM_f", "CCA", "MLSI", "MLDA", "DMLDA", "MVMD")
RIDGE = Step("ridge", (("ridge", 0.01), ("min_labels", 1)), "ridge")


def _plan(name: str, sets: tuple[str, ...], splits: Splits, directions: Any = ()) -> Plan:
    return Plan(
        name,
        sources=tuple(Source(item) for item in sets),
        reducers=tuple(Step(method) for method in METHODS),
        classifiers=(RIDGE,),
        splits=splits,
        measures=PAPER_MEASURES["mvmd"],
        convention="mvmd",
        directions=directions,
        curve_splits=1,
    )


def all_sets(quick: bool) -> tuple[Plan, ...]:
    """The sets with a standard split, and slashdot, which the paper split 60 to 40."""
    sets = QUICK_SETS if quick else SETS
    standard = tuple(name for name in sets if name != "slashdot")
    return (
        _plan("mvmd: nine methods, standard splits", standard, Splits("standard")),
        _plan("mvmd: nine methods, slashdot", ("slashdot",), Splits("plain", n_repeats=1)),
    )


def scene(quick: bool) -> tuple[Plan, ...]:
    points = (1, 5, 20, 47) if quick else (1, 2, 3, 4, 5, 6, 10, 20, 47, 100, 200, 271, 294)
    return (_plan("mvmd: nine methods on scene", ("scene",), Splits("standard"), points),)


def sets_of(values: Values) -> list[str]:
    return [name for name in SETS if name in values.datasets]


def how_many(sets: list[str]) -> str:
    return "all eight sets" if len(sets) == len(SETS) else f"{len(sets)} of the eight sets"


def scores(values: Values, measure: str) -> np.ndarray:
    """Table of data sets by methods, for the sets on which every method succeeded."""
    table = np.array(
        [
            [_known(values.mean(name, title, measure)) for title in TITLES]
            for name in sets_of(values)
        ]
    )
    return np.round(table[np.isfinite(table).all(axis=1)], 10)


def _known(value: float | None) -> float:
    return np.nan if value is None else value


def ranks_by_measure(values: Values) -> dict[str, np.ndarray]:
    """Average ranks over the sets, the methods in the order of `TITLES`."""
    found = {}
    for measure in PAPER_MEASURES["mvmd"]:
        larger = MEASURES[measure].direction == "max"
        table = scores(values, measure)
        found[measure] = average_ranks(table, greater_is_better=larger, names=TITLES).average
    return found


def judge_ranks(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Overall average ranks: the first two, the last two, and each rank with the printed one."""
    overall = np.mean(list(ranks_by_measure(values).values()), axis=0)
    ours = dict(zip(TITLES, overall.tolist(), strict=True))
    order = sorted(ours, key=lambda name: ours[name])
    expected = sorted(printed["figure3"], key=lambda name: printed["figure3"][name])
    swapped = [pair for pair in zip(order, expected, strict=True) if pair[0] != pair[1]]
    lines = [
        judge_statement(
            "first and second of nine",
            "MVMD, MDDM_f",
            ", ".join(order[:2]),
            order[:2] == ["MVMD", "MDDM_f"],
        ),
        judge_statement(
            "the last two of nine",
            "no reduction, DMLDA",
            ", ".join(order[-2:]),
            set(order[-2:]) == {"no reduction", "DMLDA"},
        ),
        judge_statement("the whole order", ", ".join(expected), ", ".join(order), not swapped),
    ]
    note = f"ours over {how_many(sets_of(values))}"
    for name in expected:
        pair = (printed["figure3"][name], ours[name])
        lines.append(judge_value(f"average rank, {name}", *pair, scale=len(TITLES) - 1, note=note))
    return lines


def judge_measures(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Average ranks by measure: which method is first, and whether the methods differ."""
    lines = []
    for measure, ranks in ranks_by_measure(values).items():
        order = [TITLES[i] for i in np.argsort(ranks, kind="stable")]
        recall = measure == "instance_recall"
        expected = "MDDM_f, MVMD" if recall else "MVMD"
        found = ", ".join(order[:2]) if recall else order[0]
        title = MEASURES[measure].title
        lines.append(judge_statement(f"{title}: first", expected, found, found == expected))
        larger = MEASURES[measure].direction == "max"
        table = scores(values, measure)
        test = friedman(table, greater_is_better=larger)
        figure = printed["friedman"][measure]
        lines.append(
            judge_statement(
                f"{title}: the methods differ at 0.05",
                f"F = {figure:.2f} over eight sets",
                f"F = {test.F:.2f} over {len(table)}, p = {test.F_p_value:.2g}",
                bool(test.F_p_value < 0.05),
            )
        )
    return lines


def judge_critical_difference(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The critical difference of the paper's design, and the methods linked with MVMD."""
    figure = printed["nemenyi"]["critical_difference"]
    ours = round(critical_difference(len(TITLES), 8), 2)
    verdict = "reproduced" if ours == figure else "not reproduced"
    lines = [
        Judged("critical difference, nine methods, eight sets", figure, ours, verdict, "equal")
    ]
    sets = sets_of(values)
    limit = critical_difference(len(TITLES), len(sets))
    for measure, ranks in ranks_by_measure(values).items():
        first = ranks[TITLES.index("MVMD")]
        linked = [title for title, rank in zip(TITLES, ranks, strict=True) if rank - first < limit]
        names = ", ".join(title for title in linked if title != "MVMD")
        what = f"{MEASURES[measure].title}: linked with MVMD"
        note = f"ours over {how_many(sets)}, where the critical difference is {limit:.2f}"
        theirs = printed["linked"][measure]
        lines.append(judge_statement(what, theirs, names, names == theirs, note))
    return lines


def judge_directions(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Number of eigenvalues that the share 0.999 needs on scene."""
    lines = []
    for name, count in printed["figure1"].items():
        ours = values.mean("scene", name, "n_components")
        good = ours == count
        verdict = "reproduced" if good else "not reproduced"
        lines.append(Judged(f"directions on scene, {name}", count, ours, verdict, "equal"))
    return [*lines, *judge_spectra(values)]


def judge_spectra(values: Values) -> list[Judged]:
    """The text says: steep from 1 to 6 and flat after it; a figure shows the spectra."""
    lines = []
    spectrum = values.spectrum("scene", "MVMD")
    if len(spectrum) > 12:
        steep, flat = spectrum[0] / spectrum[6], spectrum[6] / spectrum[12]
        text = f"by {steep:.3g} from 1 to 7, by {flat:.3g} from 7 to 13"
        what = "eigenvalues of MVMD fall fast up to the number of labels and slowly from there"
        lines.append(judge_statement(what, "yes", text, steep > 10 * flat))
    for name in TITLES[1:]:
        spectrum = values.spectrum("scene", name)
        for place in (1, 2, 3, 6, 7, 10, 50, 100):
            if spectrum and place <= len(spectrum):
                what = f"eigenvalue {place} over the first, {name}"
                lines.append(Judged(what, None, spectrum[place - 1] / spectrum[0], "not judged"))
    return lines


def judge_scene(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """With the share 0.999, MVMD is best on all six measures; which methods are at their best."""
    lines: list[Judged] = []
    for measure in PAPER_MEASURES["mvmd"]:
        sign = 1 if MEASURES[measure].direction == "min" else -1
        found = {name: values.mean("scene", name, measure) for name in TITLES[1:]}
        known = {name: value for name, value in found.items() if value is not None}
        best = min(known, key=lambda name: sign * known[name])
        title = f"{MEASURES[measure].title} on scene: best"
        text = f"{best} ({known[best]:.4f})"
        lines.append(judge_statement(title, "MVMD", text, best == "MVMD"))
    lines += [_own_best(values, name) for name in ("MDDM_f", "CCA", "MLDA")]
    for name in TITLES[1:]:
        for size, value in values.curve("scene", name, "hamming_loss").items():
            what = f"Hamming loss on scene with {size} directions, {name}"
            lines.append(Judged(what, None, value, "not judged"))
    return lines


def _own_best(values: Values, name: str) -> Judged:
    """Number of measures on which no smaller number of directions beats the share 0.999."""
    good = []
    for measure in PAPER_MEASURES["mvmd"]:
        sign = 1 if MEASURES[measure].direction == "min" else -1
        curve = values.curve("scene", name, measure)
        ours = values.mean("scene", name, measure)
        if ours is not None and all(sign * ours <= sign * value + 1e-9 for value in curve.values()):
            good.append(MEASURES[measure].title)
    text = f"on {len(good)} of {len(PAPER_MEASURES['mvmd'])} measures"
    return judge_statement(
        f"{name} is at its own best with the share 0.999 on scene",
        "on all",
        text,
        len(good) == len(PAPER_MEASURES["mvmd"]),
    )


def judge_sizes(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Directions and times by set, and the statements of the text about their means."""
    few, many = ("MLDA", "MDDM_p", "MDDM_f", "CCA"), ("PCA", "MLSI", "DMLDA")
    sets = sets_of(values)
    sizes = {name: _known(values.over(sets, name, "n_components")) for name in TITLES[1:]}
    times = {name: _known(values.over(sets, name, "fit_seconds")) for name in TITLES[1:]}
    grouped = max(sizes[name] for name in few) < sizes["MVMD"] < min(sizes[name] for name in many)
    slower = [name for name in sizes if times[name] < times["MVMD"] and name not in ("MVMD", "PCA")]
    slowest = max(times, key=times.__getitem__)
    lines = [
        judge_statement(
            "directions: MLDA, MDDM and CCA few, MVMD more, PCA, MLSI and DMLDA many",
            "yes",
            ", ".join(f"{name} {sizes[name]:.0f}" for name in sorted(sizes, key=sizes.get)),  # type: ignore[arg-type]
            grouped,
        ),
        judge_statement(
            "time: MVMD faster than all but PCA",
            "yes",
            f"faster than MVMD: {', '.join(slower) or 'none'}",
            not slower,
        ),
        judge_statement("time: slowest", "MLSI", slowest, slowest == "MLSI"),
    ]
    for measure, title in (("n_components", "directions"), ("fit_seconds", "seconds to fit")):
        for name in TITLES[1:]:
            for item in sets:
                value = values.mean(item, name, measure)
                lines.append(Judged(f"{title} on {item}, {name}", None, value, "not judged"))
    return lines


EXPERIMENTS = experiments_of(
    "mvmd",
    {
        "figure1": (("scene",), scene, judge_directions),
        "figure2": (("scene",), scene, judge_scene),
        "figure3": (SETS, all_sets, judge_ranks),
        "figure4": (SETS, all_sets, judge_critical_difference),
        "tables3-8": (SETS, all_sets, judge_measures),
        "tables9-10": (SETS, all_sets, judge_sizes),
    },
)
