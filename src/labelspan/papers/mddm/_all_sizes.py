"""Figures 2 and 3 of the MDDM paper over the whole range of d, with directions of footnote 4.

The paper runs d from 1 to 100 % of the words, far beyond the number of topics, where MDDM has no
more directions of its own: footnote 4 completes them from the null space. Here they are those of
largest variance, at ten of its fifty values.
"""

from __future__ import annotations

from typing import Any

from labelspan.datasets import list_datasets
from labelspan.lab.plan import Plan, Step
from labelspan.papers._experiment import Judged, Values, experiments_of, judge_statement
from labelspan.papers.mddm._experiments import (
    CURVES,
    SETS,
    Classifier,
    Plans,
    mlknn,
    on_sources,
    sources_of,
    svm,
)

# Of the number of words.
SHARES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.0)
COMPLETED = (("complete", "variance"),)


def completed(name: str, classifier: Classifier) -> Plans:
    """A plan per set, as the number of words differs; one set and two shares if quick."""
    words = {entry.name: entry.n_features for entry in list_datasets()}

    def plans(quick: bool) -> tuple[Plan, ...]:
        return tuple(one(source, classifier(quick), quick) for source in sources_of(False, quick))

    def one(source: Any, step: Step, quick: bool) -> Plan:
        n_words = words[source.name]
        steps = []
        for share in SHARES[1::6] if quick else SHARES:
            size = ("n_components", max(round(share * n_words), 1))
            for method, title in CURVES:
                more = COMPLETED if title.startswith("MDDM") else ()
                steps.append(Step(method, (size, *more), at(title, share)))
        return on_sources((source,), f"{name}, {source.name}", tuple(steps), step)

    return plans


def at(title: str, share: float) -> str:
    return f"{title}, d = {share:.0%}"


def judge_completed(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """The text: MDDM_p has a lower Hamming loss than the others, bar MDDM_f, for most d."""
    sets = sorted({dataset for dataset, _, _ in values.found})
    curves: dict[str, dict[float, float]] = {}
    for _, title in CURVES:
        row = {share: values.over(sets, at(title, share), "hamming_loss") for share in SHARES}
        curves[title] = {share: loss for share, loss in row.items() if loss is not None}
    others = [title for title in curves if not title.startswith("MDDM")]
    known = [s for s in SHARES if all(s in curves[title] for title in ("MDDM_p", *others))]
    won = [s for s in known if all(curves["MDDM_p"][s] < curves[o][s] for o in others)]
    text = f"at {len(won)} of {len(known)} values of d"
    what = "MDDM_p has a lower Hamming loss than PCA, LPP, CCA and MLSI at most d"
    lines = [judge_statement(what, "yes", text, len(won) > len(known) / 2)] if known else []
    for title, curve in curves.items():
        for share, loss in curve.items():
            lines.append(Judged(f"Hamming loss, {at(title, share)}", None, loss, "not judged"))
    return lines


EXPERIMENTS = experiments_of(
    "mddm",
    {
        "figure2-completed": (SETS, completed("figure 2, completed", mlknn), judge_completed),
        "figure3-completed": (SETS, completed("figure 3, completed", svm), judge_completed),
    },
)
