"""Label space reduction with model trees and with kernel ridge regression in the CPLST paper."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from labelspan.lab.plan import Plan, Source, Splits, Step
from labelspan.papers._experiment import (
    Judged,
    experiments_of,
    judge_statement,
    judge_value,
)
from labelspan.papers._values import Values

# Fastest first.
N_LABELS = {
    "emotions": 6, "genbase": 27, "medical": 45, "enron": 53, "yeast": 14, "scene": 6,
    "corel5k": 374, "bibtex": 159,
}  # fmt: skip
# Splits of table 5: 20, or fewer where kernel matrices have thousands of rows.
FEWER_SPLITS = {"corel5k": 3, "bibtex": 2}
FRACTIONS = (0.2, 0.4, 0.6, 0.8, 1.0)
FIRST_CODES = "cplst/first-codes"
# Codes, their regressor and title, by the regressor of a table. The paper's second method is
# second; a third one combines the codes of the first with the parameters of the second.
SAME = "PLST of the same kernel"
METHODS = {
    "linear": (("plst", "linear", "PLST"), ("cplst", "linear", "CPLST")),
    "cubist": (("plst", "cubist", "PLST"), ("cplst", "cubist", "CPLST")),
    "kernel": (
        ("plst", "kernel", "PLST"),
        ("cplst", "kernel", "kernel-CPLST"),
        ("plst", "same kernel", SAME),
    ),
}
MEASURE = "hamming_loss"
# Of Hamming losses that are the same to a reader of the table.
LEVEL = 5e-4


def plan(name: str, title: str, regressor: str, n_repeats: int, train: float) -> Plan:
    """Both methods with a fifth to all of the labels, rounded down as the tables do."""
    return Plan(
        f"cplst: {title}, {name}",
        sources=(Source(name),),
        models=tuple(_steps(regressor, N_LABELS[name])),
        splits=Splits("plain", n_repeats=n_repeats, train=train),
        measures=(MEASURE,),
    )


def _steps(regressor: str, n_labels: int) -> Iterator[Step]:
    for codes, learner, title in METHODS[regressor]:
        for fraction in FRACTIONS:
            size = ("n_components", int(fraction * n_labels))
            arguments = (("codes", codes), ("regressor", learner), size)
            yield Step(FIRST_CODES, arguments, label(title, fraction))


def label(title: str, fraction: float) -> str:
    return f"{title} {fraction:.0%}"


def table3_of_nine_tenths(quick: bool) -> tuple[Plan, ...]:
    sets = ("yeast", "emotions") if quick else tuple(N_LABELS)
    repeats = 5 if quick else 100
    return tuple(plan(name, "table 3 with 90 %", "linear", repeats, 0.9) for name in sets)


def table4(quick: bool) -> tuple[Plan, ...]:
    """Model trees on 20 splits, because one code of scene takes three seconds."""
    sets, repeats = (("emotions",), 3) if quick else (("emotions", "yeast", "scene"), 20)
    return tuple(plan(name, "table 4", "cubist", repeats, 0.8) for name in sets)


def table4_enron(quick: bool) -> tuple[Plan, ...]:
    """Five splits, because 106 codes take minutes; one with a fiftieth of the rows if quick."""
    repeats, train = (1, 0.02) if quick else (5, 0.8)
    return (plan("enron", "table 4", "cubist", repeats, train),)


def table5(quick: bool, train: float = 0.8) -> tuple[Plan, ...]:
    """Kernel ridge regression, width and ridge of each split by cross-validation."""
    sets = ("emotions",) if quick else tuple(N_LABELS)
    title = "table 5" if train == 0.8 else f"table 5 with {train:.0%}"
    repeats = {name: 5 if quick else FEWER_SPLITS.get(name, 20) for name in sets}
    return tuple(plan(name, title, "kernel", n, train) for name, n in repeats.items())


def judge_losses(
    values: Values, printed: dict[str, Any], *, table: str, regressor: str
) -> list[Judged]:
    """Judge every loss by three standard errors, and every order that the paper prints."""
    means, second = printed[table]["mean"], METHODS[regressor][1][2]
    lines = []
    for dataset, place, fraction in places(values):
        both = ("PLST", second)
        lines += [judge_loss(values, printed[table], (dataset, title, place)) for title in both]
        if means[dataset][second][place] < means[dataset]["PLST"][place]:
            lines.append(_order(values, dataset, second, "PLST", fraction))
            if regressor == "kernel":
                lines.append(_order(values, dataset, second, SAME, fraction))
    return lines


def places(values: Values) -> Iterator[tuple[str, int, float]]:
    """Data sets that were run, and the shares of labels with their columns in the tables."""
    for dataset in values.datasets:
        yield from ((dataset, place, fraction) for place, fraction in enumerate(FRACTIONS))


def judge_loss(values: Values, table: dict[str, Any], at: tuple[str, str, int]) -> Judged:
    """Judge a loss by three standard errors."""
    dataset, title, place = at
    name = label(title, FRACTIONS[place])
    key = (dataset, name, MEASURE)
    both = (table["error"][dataset][title][place], values.error(*key))
    printed = table["mean"][dataset][title][place]
    what = f"Hamming loss, {dataset}, {name}"
    return judge_value(what, printed, values.mean(*key), errors=both)


def _order(values: Values, dataset: str, second: str, other: str, fraction: float) -> Judged:
    ours, theirs = (
        np.array(values.splits(dataset, label(title, fraction), MEASURE))
        for title in (second, other)
    )
    gap = ours - theirs
    error = np.std(gap, ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else 0.0
    text = f"by {gap.mean():+.5f}, paired standard error {error:.5f}"
    what = f"{dataset}, {fraction:.0%}: {second} not above {other}"
    # Equal losses in eight digits: one prediction of a split weighs more.
    return judge_statement(what, "yes", text, bool(gap.mean() <= 1e-8))


def judge_table4(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The text: with model trees, too, CPLST outperforms PLST on yeast, scene and emotions."""
    means = printed["table4"]["mean"]
    lines = []
    for dataset in values.datasets:
        found: dict[str, list[float]] = {"PLST": [], "CPLST": []}
        for place, fraction in enumerate(FRACTIONS):
            for title, row in found.items():
                ours = values.mean(dataset, label(title, fraction), MEASURE)
                row.append(np.nan if ours is None else ours)
                what = f"Hamming loss, {dataset}, {label(title, fraction)}"
                value = means[dataset][title][place]
                lines.append(Judged(what, value, ours, "not judged", "Cubist, not M5P"))
        plst, cplst = (float(np.mean(row)) for row in found.values())
        text = f"{cplst:.4f} against {plst:.4f}"
        what = f"{dataset}, mean over the five M: CPLST better than PLST"
        lines.append(judge_statement(what, "yes", text, cplst < plst))
    return lines


def judge_table4_enron(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The printed means, and that no method is ahead: they differ by one in the last digit."""
    lines = judge_table4(values, printed)[:-1]
    rows = {
        title: np.array([line.ours for line in lines if f", {title} " in line.what], dtype=float)
        for title in ("PLST", "CPLST")
    }
    gap = float(np.max(np.abs(rows["PLST"] - rows["CPLST"])))
    what = "enron: PLST and CPLST differ by at most 0.0005 at every M"
    return [*lines, judge_statement(what, "yes, 0.0001", f"{gap:.4f}", gap <= LEVEL)]


_SETS = tuple(N_LABELS)
_table3, _table5 = (
    partial(judge_losses, table=table, regressor=regressor)
    for table, regressor in (("table3", "linear"), ("table5", "kernel"))
)
EXPERIMENTS = experiments_of(
    "cplst",
    {
        "table3-90": (_SETS, table3_of_nine_tenths, _table3),
        "table4": (("emotions", "yeast", "scene"), table4, judge_table4, ("cubist",)),
        "table4-enron": (("enron",), table4_enron, judge_table4_enron, ("cubist",)),
        "table5": (_SETS, table5, _table5),
        "table5-90": (_SETS, partial(table5, train=0.9), _table5),
    },
)
