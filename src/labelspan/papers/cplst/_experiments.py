"""Label space reduction with linear regression in the CPLST paper."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.lab.methods import with_number
from labelspan.lab.plan import Plan, Source, Splits, Step
from labelspan.papers._experiment import (
    Judged,
    experiments_of,
    judge_statement,
)
from labelspan.papers._values import Values
from labelspan.papers.cplst._regressors import N_LABELS, judge_loss, places, plan

# With the ridge of the paper, 0.
METHODS = ((with_number("plst"), "PLST"), (with_number("cplst"), "CPLST"))


def table3(quick: bool) -> tuple[Plan, ...]:
    """A plan per set: PLST and CPLST with a fifth to all of the labels."""
    sets = ("yeast", "scene", "emotions") if quick else tuple(N_LABELS)
    return tuple(plan(name, "table 3", "linear", 5 if quick else 100, 0.8) for name in sets)


def judge_table3(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Hamming loss by set and share, and whether CPLST is at least as good where it should be."""
    lines, table = [], printed["table3"]
    for dataset, place, fraction in places(values):
        pair = [judge_loss(values, table, (dataset, title, place)) for _, title in METHODS]
        plst, cplst = (np.nan if line.ours is None else float(line.ours) for line in pair)
        lines += pair
        gap = table["mean"][dataset]["PLST"][place] - table["mean"][dataset]["CPLST"][place]
        if gap > 2 * table["error"][dataset]["PLST"][place]:
            text = f"{cplst:.4f} against {plst:.4f}"
            what = f"{dataset}, {fraction:.0%}: CPLST better than PLST"
            lines.append(judge_statement(what, "yes", text, cplst < plst))
    return lines


FOUR = (*METHODS, (with_number("occa"), "OCCA"), (with_number("pbr"), "PBR"))
SIZES = (1, 2, 4, 6, 8, 10, 12)


def figure1(quick: bool) -> tuple[Plan, ...]:
    """Four methods on yeast with one to twelve of its fourteen dimensions."""
    return (on_yeast("(a)", SIZES, 3 if quick else 100, ("hamming_loss",)),)


def on_yeast(panel: str, sizes: tuple[int, ...], n_repeats: int, measures: tuple[str, ...]) -> Plan:
    """The plan of a panel of Figure 1: four methods with every number of dimensions."""
    return Plan(
        f"cplst: figure 1 {panel}, yeast",
        sources=(Source("yeast"),),
        models=tuple(
            Step(method, (("n_components", size),), f"{title}, M={size}")
            for method, title in FOUR
            for size in sizes
        ),
        splits=Splits("plain", n_repeats=n_repeats, train=0.8),
        measures=measures,
    )


def judge_figure1(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The text: CPLST is better than the other three; PLST is similar only at a larger M."""
    lines = []
    for size in SIZES:
        keys = {title: ("yeast", f"{title}, M={size}", "hamming_loss") for _, title in FOUR}
        row = {title: values.mean(*key) for title, key in keys.items()}
        known = {title: value for title, value in row.items() if value is not None}
        best = min(known, key=lambda title: known[title])
        text = ", ".join(f"{title} {value:.4f}" for title, value in known.items())
        # Once PLST has caught up, the two differ in the fourth digit.
        holds = known.get("CPLST", np.nan) <= known[best] + 2e-4
        what = f"Hamming loss on yeast, M = {size}: CPLST lowest, or level with the lowest"
        lines.append(judge_statement(what, "yes", text, bool(holds)))
    return lines


CURVE = (1, 2, 4, 6, 8, 10, 12, 14)


def figure1_errors(quick: bool) -> tuple[Plan, ...]:
    """The two parts of bound (1) on the test rows of yeast, with up to all its dimensions."""
    measures = ("hamming_loss", "encoding_error", "prediction_error")
    return (on_yeast("(b-d)", CURVE, 3 if quick else 20, measures),)


def judge_figure1_errors(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """What Sec. 4.1 says about panels (b), (c) and (d), at every M below 14, and at 14."""
    curves = {title: error_curves(values, title) for _, title in FOUR}
    lines = [
        judge_statement(
            "encoding error with all 14 dimensions",
            "0 for every method",
            ", ".join(f"{title} {curves[title][0, -1]:.1g}" for _, title in FOUR),
            all(curves[title][0, -1] < 1e-8 for _, title in FOUR),
        )
    ]
    for what, panel, others, sign in STATEMENTS:
        title, _, rest = what.partition(" ")
        mine, theirs = (
            np.array([curves[name][panel, :-1] for name in names]) for names in ((title,), others)
        )
        holds = np.all(sign * (mine / theirs - 1) < LEVEL, axis=0)
        text = f"at {holds.sum()} of {len(holds)} M"
        wrong = [str(M) for M, good in zip(CURVE, holds, strict=False) if not good]
        text += f", not at M = {', '.join(wrong)}" if wrong else ""
        lines.append(judge_statement(f"{title}: {rest}", "at every M", text, not wrong))
    for _, title in FOUR:
        for name, row in zip(PANELS, curves[title], strict=True):
            text = ", ".join(f"{value:.3f}" for value in row)
            lines.append(Judged(f"{name} a row, {title}, M = {CURVE}", None, text, "not judged"))
    return lines


def error_curves(values: Values, title: str) -> np.ndarray:
    """Encoding error, prediction error and their sum (3, M) of a method."""
    both = [
        [values.mean("yeast", f"{title}, M={size}", f"{name}_error") or 0.0 for size in CURVE]
        for name in ("encoding", "prediction")
    ]
    return np.array([*both, np.sum(both, axis=0)])


# Once two curves have met, they differ in the fourth digit.
LEVEL = 1e-3
PANELS = ("encoding error", "prediction error", "bound")
# Who, panel, than whom, and whether lower (1) or higher (-1).
STATEMENTS: tuple[tuple[str, int, tuple[str, ...], int], ...] = (
    ("PLST lowest encoding error", 0, ("CPLST", "OCCA", "PBR"), 1),
    ("OCCA highest encoding error, above the baseline PBR too", 0, ("CPLST", "PLST", "PBR"), -1),
    ("OCCA lowest prediction error", 1, ("CPLST", "PLST", "PBR"), 1),
    ("PLST highest prediction error, above the baseline PBR too", 1, ("CPLST", "OCCA", "PBR"), -1),
    ("CPLST lowest bound", 2, ("PLST", "OCCA", "PBR"), 1),
)


EXPERIMENTS = experiments_of(
    "cplst",
    {
        "figure1a": (("yeast",), figure1, judge_figure1),
        "figure1b-d": (("yeast",), figure1_errors, judge_figure1_errors),
        "table3": (tuple(N_LABELS), table3, judge_table3),
    },
)
