"""Sentences that the numbers support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labelspan.lab.analysis._analysis import Analysis
from labelspan.lab.analysis._interaction import Interaction
from labelspan.lab.analysis._ranking import ALPHA, LEAST_BLOCKS, Ranking
from labelspan.lab.methods import ALL_MEASURES, get_method
from labelspan.system import counted


def primary(analysis: Analysis, classifier: str | None = None) -> Ranking | None:
    """The ranking behind a verdict: of the first measure with one; by default, first classifier."""
    chosen = analysis.classifiers[0] if classifier is None else classifier
    return next(iter(analysis.rankings[chosen].values()), None)


def verdicts(analysis: Analysis, *, first_only: bool = False) -> list[str]:
    """The verdict on every measure or only the first, by classifier; then whether these agree."""
    last = 1 if first_only else None
    found = []
    for classifier, by_measure in analysis.rankings.items():
        rankings = [*by_measure.values()][:last]
        found += [] if rankings else [f"{_prefix(analysis, classifier)}{verdict(None)}"]
        found += [f"{_prefix(analysis, classifier)}{verdict(item)}" for item in rankings]
    return [*found, *map(interaction_shown, [*analysis.interactions.values()][:last])]


def _prefix(analysis: Analysis, classifier: str) -> str:
    return f"{classifier}: " if len(analysis.classifiers) > 1 else ""


def interaction_shown(found: Interaction) -> str:
    """State whether the methods rank differently under different classifiers, and which do."""
    title = ALL_MEASURES[found.measure].title
    figures = f"(exchange test, {p_value(found.p_value)}, {found.n_blocks} blocks)"
    if not found.is_shown:
        return f"{title}: the ranks are not shown to depend on the classifier {figures}."
    classifiers, methods = found.contrast
    ranks = [
        f"{method} has average rank "
        + listed([f"{found.rank(name, method):.2f} with {name}" for name in classifiers])
        for method in methods
    ]
    return (
        f"{title}: the methods rank differently under different classifiers {figures}: "
        f"{'; '.join(ranks)}."
    )


def verdict(ranking: Ranking | None) -> str:
    """State the result of the tests of Friedman and Nemenyi, or of Wilcoxon for two methods."""
    if ranking is None:
        return "Fewer than two methods finished on the same blocks: there is nothing to test."
    title = ALL_MEASURES[ranking.measure].title
    figures = _figures(ranking)
    if not ranking.has_enough:
        shown = f" ({figures})" if figures else ""
        return f"{title}: no verdict from {_too_few(ranking)}{shown}."
    if not ranking.differ:
        methods = "two methods" if ranking.pair is not None else "methods"
        return f"{title}: no significant difference between the {methods} ({figures})."
    if ranking.nemenyi is None or ranking.pair is not None:
        first, second = ranking.order
        return f"{title}: {first} is better than {second} ({figures})."
    best = ranking.order[0]
    tied = [name for name in ranking.order if not ranking.separated(best, name)]
    others = f"; not separated from it: {listed(tied[1:])}" if len(tied) > 1 else ""
    return (
        f"{title}: the methods differ ({figures}); by Nemenyi's critical difference of "
        f"{ranking.nemenyi.critical_difference:.2f} ranks {best} is best{others}."
    )


def recommendations(analysis: Analysis) -> list[str]:
    """What reduction brings, then one sentence per classifier; only one if unfinished."""
    if not analysis.is_finished:
        return [recommendation(analysis)]
    return [
        *gains(analysis),
        *(
            f"{_prefix(analysis, classifier)}{recommendation(analysis, classifier)}"
            for classifier in analysis.classifiers
        ),
    ]


def gains(analysis: Analysis) -> list[str]:
    """What reduction brings to the first measure, by data set and classifier, in plain figures."""
    if not analysis.is_finished or not (plain := _unreduced(analysis)):
        return []
    found = [
        _gain(analysis, source.name, classifier, plain)
        for source in analysis.plan.sources
        for classifier in analysis.classifiers
    ]
    return [sentence for sentence in found if sentence]


def _gain(analysis: Analysis, dataset: str, classifier: str, plain: set[str]) -> str:
    ranking = primary(analysis, classifier)
    here = [block.startswith(f"{dataset}, split ") for block in ranking.blocks] if ranking else []
    if ranking is None or not any(here) or not plain & set(ranking.methods):
        return ""
    values = dict(zip(ranking.methods, ranking.values[here].T, strict=True))
    sign = 1 if ALL_MEASURES[ranking.measure].direction == "max" else -1
    without = next(name for name in ranking.methods if name in plain)
    best = max(values, key=lambda name: sign * values[name].mean())
    title, mean = ALL_MEASURES[ranking.measure].title, values[without].mean()
    prefix = f"{dataset}: {_prefix(analysis, classifier)}"
    if best in plain:
        return f"{prefix}no reduction has the best {title}, {mean:.3f}."
    n_wins = int((sign * (values[best] - values[without]) > 0).sum())
    return (
        f"{prefix}{best} has the best {title}, {values[best].mean():.3f}; without reduction it is "
        f"{mean:.3f} ({best} is better on {n_wins} of {counted(len(values[best]), 'split')})."
    )


def recommendation(analysis: Analysis, classifier: str | None = None) -> str:
    """Name the best method and those not separated from it; none if the evidence is thin."""
    classifier = analysis.classifiers[0] if classifier is None else classifier
    if not analysis.is_finished:
        return (
            f"No recommendation yet: {len(analysis.cells)} of {len(analysis.plan.cells)} cells "
            "finished. The same command runs the rest."
        )
    ranking = primary(analysis, classifier)
    if ranking is None:
        return "No recommendation: fewer than two methods finished on the same blocks."
    title = ALL_MEASURES[ranking.measure].title
    if not ranking.has_enough:
        return f"No recommendation from {_too_few(ranking)}."
    if not ranking.differ:
        return (
            f"No recommendation: no significant difference between the methods on {title}; "
            f"{_cheapest(analysis, classifier, ranking.methods)}."
        )
    best = ranking.order[0]
    tied = [name for name in ranking.methods if not ranking.separated(best, name)]
    overall = analysis.overall[classifier]
    return _of_chosen(analysis, classifier, ranking, min(tied, key=lambda name: overall[name]))


def _of_chosen(analysis: Analysis, classifier: str, ranking: Ranking, chosen: str) -> str:
    """State first which methods are not separated from the best, especially no reduction."""
    title = ALL_MEASURES[ranking.measure].title
    plain = _unreduced(analysis)
    tied = [name for name in ranking.order if not ranking.separated(chosen, name)]
    tied = sorted((name for name in tied if name != chosen), key=lambda name: name not in plain)
    beaten = [name for name in ranking.order if ranking.separated(chosen, name)]
    rank = (
        f"average rank {analysis.overall[classifier][chosen]:.2f} among {len(ranking.methods)} "
        f"methods over {_measures(analysis, classifier)}{_size(analysis, classifier, chosen)}"
    )
    better = f" It is significantly better than {listed(beaten)}." if beaten else ""
    if not tied:
        return f"Use {chosen}: {rank}.{better.removesuffix('.')} on {title}."
    alike = f"on {title}, {chosen} ({rank}) is not separated from {listed(tied, 'or')}."
    if plain & {chosen, *tied}:
        return f"Reduction is not shown to help: {alike}{better}"
    return f"{alike[0].upper()}{alike[1:]}{better}"


def noise(facts: dict[str, dict[str, Any]]) -> list[str]:
    """Data sets whose labels are not shown to depend on their features, one sentence each."""
    said = {name: found["dependence"]["noise"] for name, found in facts.items()}
    return [f"On {name} {text}." for name, text in said.items() if text]


def caution(analysis: Analysis) -> str:
    """State the assumptions of the tests; empty without tests or if blocks are data sets."""
    tested = [
        ranking
        for by_measure in analysis.rankings.values()
        for ranking in by_measure.values()
        if ranking.friedman is not None or ranking.pair is not None
    ]
    # One data set with several shares of missing labels is not several data sets.
    holed = any(source.missing is not None for source in analysis.plan.sources)
    if (analysis.blocks_are == "data sets" and not holed) or not tested:
        return ""
    blocks = "shares of labels removed and splits" if holed else "splits"
    return (
        f"The blocks of the tests are {blocks} of the same rows, which overlap: the p-values are "
        "too small, and say nothing about other data sets."
    )


def _figures(ranking: Ranking) -> str:
    if ranking.pair is not None:
        return f"Wilcoxon {p_value(ranking.pair)}, {len(ranking.blocks)} blocks"
    test = ranking.friedman
    if test is None:
        return ""
    if test.p_value_method == "F":
        return f"Friedman F({test.F_df[0]}, {test.F_df[1]}) = {test.F:.2f}, {p_value(test.p_value)}"
    return (
        f"Friedman chi-square({test.chi_square_df}) = {test.chi_square:.2f}, "
        f"{test.p_value_method} {p_value(test.p_value)}"
    )


def _too_few(ranking: Ranking) -> str:
    n_blocks = len(ranking.blocks)
    parts = "data set or split" if n_blocks == 1 else "data sets or splits"
    return (
        f"{n_blocks} {parts}: below {LEAST_BLOCKS} no exact test of two methods can reach "
        f"p < {ALPHA:g}"
    )


def _unreduced(analysis: Analysis) -> set[str]:
    return {step.title for step in analysis.plan.reducers if not get_method(step.method).path}


def p_value(p: float) -> str:
    """Write a p-value."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Join names with commas and a final word."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def _measures(analysis: Analysis, classifier: str) -> str:
    n_measures = len(analysis.rankings[classifier])
    return f"{n_measures} measures" if n_measures > 1 else "one measure"


def _size(analysis: Analysis, classifier: str, method: str) -> str:
    directions = analysis.mean("n_components", method, classifier)
    return "" if directions is None else f", with {directions:.0f} directions on average"


def _cheapest(analysis: Analysis, classifier: str, methods: Sequence[str]) -> str:
    sizes = {name: analysis.mean("n_components", name, classifier) for name in methods}
    known = {name: size for name, size in sizes.items() if size is not None}
    if not known:
        return f"the significance level is {ALPHA:g}"
    name = min(known, key=lambda method: known[method])
    return f"{name} needs the fewest directions ({known[name]:.0f} on average)"
