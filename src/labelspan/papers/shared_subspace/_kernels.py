"""The kernel protocol of Tables VII to X of the shared-subspace paper, on surrogate kernels.

The paper annotates 1000 images of fruit-fly embryos with 20 to 60 terms, from the uniform sum of 18
kernels, with 30 to 60 % of the images for training; neither images nor kernels are public. Here the
images are 1000 of Corel5k with its most frequent words, and the kernel is the uniform sum of six
Gaussian ones of widths around the median distance, fixed before the first run. The printed numbers
cannot come out; the orders that the text draws from them are judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from labelspan.lab.plan import Plan, Source, Splits, Step
from labelspan.metrics import MEASURES
from labelspan.papers._experiment import Judged, Values, experiments_of, judge_statement

IMAGES = "corel5k"
TERMS = (20, 30, 40, 50, 60)
RATIOS = (0.3, 0.4, 0.5, 0.6)
MEASURED = ("macro_auc", "macro_f1", "micro_f1")
FAMILIES = ("CCA+Ridge", "CCA+SVM", "SVM", "ASO_SVM")
# Times in which ML_LS is the best of the methods, of twenty.
PRINTED_BEST = {"macro_auc": 17, "macro_f1": 12, "micro_f1": 10}


def combinations(quick: bool) -> Iterator[tuple[int, float]]:
    yield from [(20, 0.3)] if quick else product(TERMS, RATIOS)


def label(title: str, terms: int, ratio: float) -> str:
    return f"{title}, {terms} terms, {ratio:.0%}"


def tables(quick: bool) -> tuple[Plan, ...]:
    """Ten random splits of every number of terms and every ratio; one of one if quick."""
    return tuple(one(terms, ratio, quick) for terms, ratio in combinations(quick))


def one(terms: int, ratio: float, quick: bool) -> Plan:
    families = ("ML_LS", "CCA+Ridge", "SVM") if quick else ("ML_LS", *FAMILIES)
    return Plan(
        f"shared subspace: {terms} terms, {ratio:.0%}",
        sources=(Source(IMAGES, prepare=f"terms-{terms}"),),
        models=tuple(
            Step("shared-subspace/kernels", (("family", name),), label(name, terms, ratio))
            for name in families
        ),
        splits=Splits("plain", n_repeats=1 if quick else 10, train=ratio),
        measures=MEASURED,
        convention="mddm",
    )


def judge(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """How often ML_LS is the best, and whether its lead over SVM grows with the terms."""
    lines, shown = [], []
    for measure in MEASURED:
        best, known = 0, 0
        for terms, ratio in product(TERMS, RATIOS):
            row = row_of(values, terms, ratio, measure)
            if len(row) > 1:
                known, best = known + 1, best + (max(row, key=row.__getitem__) == "ML_LS")
                text = ", ".join(f"{name} {value:.4f}" for name, value in row.items())
                what = f"{MEASURES[measure].title}, {terms} terms, {ratio:.0%}"
                shown.append(Judged(what, None, text, "not judged"))
        if known:
            what = f"{MEASURES[measure].title}: ML_LS the best of the methods in half of the cases"
            theirs = f"yes, {PRINTED_BEST[measure]} of 20"
            lines.append(judge_statement(what, theirs, f"{best} of {known}", 2 * best >= known))
    few, many = (mean_lead(values, terms) for terms in (TERMS[:2], TERMS[-2:]))
    if few is not None and many is not None:
        what = "lead of ML_LS over SVM in AUC: larger with 50 and 60 terms than with 20 and 30"
        lines.append(judge_statement(what, "yes", f"{many:+.4f} against {few:+.4f}", many > few))
    return [*lines, *shown]


def row_of(values: Values, terms: int, ratio: float, measure: str) -> dict[str, float]:
    found = {
        name: values.mean(IMAGES, label(name, terms, ratio), measure)
        for name in ("ML_LS", *FAMILIES)
    }
    return {name: value for name, value in found.items() if value is not None}


def mean_lead(values: Values, terms: tuple[int, ...]) -> float | None:
    rows = [row_of(values, k, ratio, "macro_auc") for k, ratio in product(terms, RATIOS)]
    leads = [row["ML_LS"] - row["SVM"] for row in rows if {"ML_LS", "SVM"} <= row.keys()]
    return float(np.mean(leads)) if leads else None


EXPERIMENTS = experiments_of("shared-subspace", {"tables7-10": ((IMAGES,), tables, judge)})
