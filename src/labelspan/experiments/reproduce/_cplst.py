"""Label space reduction with linear regression in the CPLST paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from labelspan.experiments._plan import Plan, Step
from labelspan.experiments._sources import Source, Splits
from labelspan.experiments.reproduce._experiment import (
    Experiment,
    Judged,
    Values,
    judge_statement,
    judge_value,
)

N_LABELS = {"yeast": 14, "scene": 6, "emotions": 6, "enron": 53}
FRACTIONS = (0.2, 0.4, 0.6, 0.8, 1.0)
METHODS = (("plst", "PLST"), ("cplst", "CPLST"))


def table3(quick: bool) -> tuple[Plan, ...]:
    """A plan a set: PLST and CPLST with a fifth to all of the labels."""
    sets = ("yeast", "scene", "emotions") if quick else tuple(N_LABELS)
    splits = Splits("plain", n_repeats=5 if quick else 100, train=0.8)
    return tuple(
        Plan(
            f"cplst: table 3, {name}",
            sources=(Source(name),),
            models=tuple(steps(N_LABELS[name])),
            splits=splits,
            measures=("hamming_loss",),
        )
        for name in sets
    )


def steps(n_labels: int) -> Iterator[Step]:
    """Both methods with every share of the labels, rounded down as the tables do."""
    for method, title in METHODS:
        for fraction in FRACTIONS:
            size = int(fraction * n_labels)
            yield Step(method, (("n_components", size),), label(title, fraction))


def label(title: str, fraction: float) -> str:
    """Name of a method with a share of the labels."""
    return f"{title} {fraction:.0%}"


def judge_table3(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Hamming loss by set and share, and whether CPLST is at least as good where it should be."""
    lines = []
    means, errors = printed["table3"]["mean"], printed["table3"]["error"]
    for dataset in sorted({dataset for dataset, _, _ in values.found}):
        for place, fraction in enumerate(FRACTIONS):
            pair: dict[str, float] = {}
            for _, title in METHODS:
                key = (dataset, label(title, fraction), "hamming_loss")
                ours = values.mean(*key)
                pair[title] = np.nan if ours is None else ours
                what = f"Hamming loss, {dataset}, {label(title, fraction)}"
                both = (errors[dataset][title][place], values.error(*key))
                lines.append(judge_value(what, means[dataset][title][place], ours, errors=both))
            gap = means[dataset]["PLST"][place] - means[dataset]["CPLST"][place]
            if gap > 2 * errors[dataset]["PLST"][place]:
                text = f"{pair['CPLST']:.4f} against {pair['PLST']:.4f}"
                what = f"{dataset}, {fraction:.0%}: CPLST better than PLST"
                lines.append(judge_statement(what, "yes", text, pair["CPLST"] < pair["PLST"]))
    return lines


FOUR = (*METHODS, ("occa", "OCCA"), ("pbr", "PBR"))
SIZES = (1, 2, 4, 6, 8, 10, 12)


def figure1(quick: bool) -> tuple[Plan, ...]:
    """Four methods on yeast with one to twelve of its fourteen dimensions."""
    plan = Plan(
        "cplst: figure 1 (a), yeast",
        sources=(Source("yeast"),),
        models=tuple(
            Step(method, (("n_components", size),), f"{title}, M={size}")
            for method, title in FOUR
            for size in SIZES
        ),
        splits=Splits("plain", n_repeats=3 if quick else 100, train=0.8),
        measures=("hamming_loss",),
    )
    return (plan,)


def judge_figure1(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The text: CPLST is better than the other three; PLST is similar only at a larger M."""
    lines = []
    for size in SIZES:
        keys = {title: ("yeast", f"{title}, M={size}", "hamming_loss") for _, title in FOUR}
        row = {title: values.mean(*key) for title, key in keys.items()}
        known = {title: value for title, value in row.items() if value is not None}
        best = min(known, key=lambda title: known[title])
        text = ", ".join(f"{title} {value:.4f}" for title, value in known.items())
        # Where PLST has caught up the two differ in the fourth digit.
        holds = known.get("CPLST", np.nan) <= known[best] + 2e-4
        what = f"Hamming loss on yeast, M = {size}: CPLST lowest, or level with the lowest"
        lines.append(judge_statement(what, "yes", text, bool(holds)))
    return lines


EXPERIMENTS = (
    Experiment(
        "cplst/figure1a",
        "Hamming loss of PBR, OCCA, PLST and CPLST on yeast against the number of dimensions",
        ("yeast",),
        5,
        0.5,
        figure1,
        judge_figure1,
        ("plst", "cplst", "occa", "pbr"),
    ),
    Experiment(
        "cplst/table3",
        "Hamming loss of PLST and CPLST with linear regression",
        tuple(N_LABELS),
        25,
        1,
        table3,
        judge_table3,
        ("plst", "cplst"),
    ),
)
