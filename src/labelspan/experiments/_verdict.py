"""Sentences that the numbers support."""

from __future__ import annotations

from collections.abc import Sequence

from labelspan.experiments._analysis import ALPHA, Analysis, Ranking
from labelspan.experiments._measures import ALL_MEASURES


def primary(analysis: Analysis) -> Ranking | None:
    """The ranking that verdicts speak of: that of the first measure that has one."""
    return next(iter(analysis.rankings.values()), None)


def verdict(ranking: Ranking | None) -> str:
    """Say what the tests of Friedman and Nemenyi, or Wilcoxon's of two methods, find."""
    if ranking is None:
        return "Fewer than two methods finished on the same blocks: there is nothing to test."
    title = ALL_MEASURES[ranking.measure].title
    if ranking.pair is not None:
        figures = f"Wilcoxon {p_value(ranking.pair)}, {len(ranking.blocks)} blocks"
        if not ranking.differ:
            return f"{title}: no difference between the two methods is shown ({figures})."
        first, second = ranking.order
        return f"{title}: {first} is better than {second} ({figures})."
    if ranking.friedman is None or ranking.nemenyi is None:
        return f"{title}: too few methods or blocks for the test of Friedman."
    test = ranking.friedman
    figures = f"F({test.F_df[0]}, {test.F_df[1]}) = {test.F:.2f}, {p_value(test.F_p_value)}"
    if not ranking.differ:
        return f"{title}: no difference between the methods is shown (Friedman {figures})."
    best = ranking.order[0]
    tied = [name for name in ranking.order if not ranking.separated(best, name)]
    others = f"; not separated from it: {listed(tied[1:])}" if len(tied) > 1 else ""
    return (
        f"{title}: the methods differ (Friedman {figures}); by Nemenyi's critical difference of "
        f"{ranking.nemenyi.critical_difference:.2f} ranks {best} is best{others}."
    )


def recommendation(analysis: Analysis) -> str:
    """Recommend in one sentence the method that is best overall and not beaten where it counts."""
    ranking = primary(analysis)
    if ranking is None:
        return "No recommendation: fewer than two methods finished on the same blocks."
    title = ALL_MEASURES[ranking.measure].title
    if not ranking.differ:
        return (
            f"No recommendation: on {title} the data do not show that any method is better than "
            f"another; {_cheapest(analysis, ranking.methods)}."
        )
    best = ranking.order[0]
    tied = [name for name in ranking.methods if not ranking.separated(best, name)]
    chosen = min(tied, key=lambda name: analysis.overall[name])
    beaten = [name for name in ranking.order if ranking.separated(chosen, name)]
    rank = f"average rank {analysis.overall[chosen]:.2f} of {len(ranking.methods)} methods"
    better = f", significantly better on {title} than {listed(beaten)}" if beaten else ""
    return f"Use {chosen}: {rank} over {_measures(analysis)}{better}{_size(analysis, chosen)}."


def caution(analysis: Analysis) -> str:
    """Say what the tests take for granted; empty where there are none or blocks are data sets."""
    tested = any(
        ranking.friedman is not None or ranking.pair is not None
        for ranking in analysis.rankings.values()
    )
    if analysis.blocks_are == "data sets" or not tested:
        return ""
    return (
        "The blocks of the tests are splits of the same rows, which overlap: the p-values are "
        "too small, and say nothing about other data sets."
    )


def p_value(p: float) -> str:
    """Write a p-value."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"


def listed(names: Sequence[str]) -> str:
    """Join names with commas and a final "and"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _measures(analysis: Analysis) -> str:
    n_measures = len(analysis.rankings)
    return f"{n_measures} measures" if n_measures > 1 else "one measure"


def _size(analysis: Analysis, method: str) -> str:
    directions = analysis.mean("n_components", method)
    return "" if directions is None else f", with {directions:.0f} directions on average"


def _cheapest(analysis: Analysis, methods: Sequence[str]) -> str:
    sizes = {name: analysis.mean("n_components", name) for name in methods}
    known = {name: size for name, size in sizes.items() if size is not None}
    if not known:
        return f"the significance level is {ALPHA:g}"
    name = min(known, key=lambda method: known[method])
    return f"{name} needs the fewest directions ({known[name]:.0f} on average)"
