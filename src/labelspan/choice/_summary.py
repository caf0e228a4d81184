"""The result of a search in words."""

from __future__ import annotations

from typing import Any

from labelspan.choice._candidates import NONE
from labelspan.choice._columns import is_selector, size_of
from labelspan.choice._results import (
    best_of_methods,
    name_of,
    smallest_within,
    standard_error,
    within_one_error,
)
from labelspan.metrics import MEASURES, SKLEARN_NAMES, Measure, MeasureScorer, SearchMeasure
from labelspan.search import scorer_of
from labelspan.system import counted


def summary_of(search: Any) -> str:
    """The advice in a sentence, the choice, equally good candidates, and a line per reducer."""
    if "best_index_" not in vars(search):
        raise ValueError(
            f"refit={search.refit!r} with several scorers chooses nothing, so there is nothing to "
            "sum up; see cv_results_, or pass the name of one of the scorers as refit."
        )
    table, n_folds = search.cv_results_, search.n_splits_
    name = search._picked_by
    mean, error = table[f"mean_test_{name}"], standard_error(table, name, n_folds)
    chosen, small = search.best_index_, smallest_within(table, name, n_folds)
    best = int(table[f"rank_test_{name}"].argmin())
    n_within = len(within_one_error(table, name, n_folds))
    lines = [
        advice(search),
        f"{counted(len(mean), 'candidate')} on {counted(n_folds, 'fold')}, "
        f"{counted(search.n_passes_, 'pass', 'passes')} over the data.",
        f"Chosen ({search.rule.replace('_', ' ')}): {described(table, chosen)}: "
        f"{mean[chosen]:.4f} +- {error[chosen]:.4f}.",
        f"{counted(n_within, 'candidate is', 'candidates are')} within one standard error of the "
        f"best, {mean[best]:.4f}; the smallest is {described(table, small)}: {mean[small]:.4f}.",
        "",
    ]
    return "\n".join(lines + method_lines(search, name))


def advice(search: Any) -> str:
    """Reduce or not, with what, and what it brings: one sentence for everyone."""
    table, name, i = search.cv_results_, search._picked_by, search.best_index_
    mean, error = table[f"mean_test_{name}"], standard_error(table, name, search.n_splits_)
    places = best_of_methods(table, name)
    reducer = table["params"][i]["reducer"]
    what, is_loss = measure_of(search)
    mean = -mean if is_loss else mean
    rest = [
        f"{words}: {short(mean[places[method]])}"
        for method, words in (("all features", all_features(search)), ("PCA", "PCA"))
        if method in places and places[method] != i
    ]
    if isinstance(reducer, str) and reducer == NONE:
        first = f"Do not reduce: {all_features(search)}{by_kernel(table, i)}: "
        others = [place for method, place in places.items() if method != "all features"]
        if others:
            best = min(others, key=lambda place: table[f"rank_test_{name}"][place])
            if best != places.get("PCA"):
                rest.insert(0, f"{method_at(table, best)}: {short(mean[best])}")
    else:
        kept = getattr(search, "best_estimator_", None)
        n_kept = getattr(kept, "n_components_", table["mean_n_components"][i])
        # A kernel may have more directions than there are features.
        verb = "Reduce to" if n_kept < search.n_features_in_ else "Take"
        verb = "Keep" if is_selector(reducer) else verb
        first = f"{verb} {directions(n_kept, reducer)} by {method_at(table, i)}: "
    return "; ".join([f"{first}{what} {short(mean[i])} +- {short(error[i])}", *rest]) + "."


def all_features(search: Any) -> str:
    """What is not reduced."""
    n = search.n_features_in_
    return f"all {n:,} features" if n > 1 else "the only feature"


def method_at(table: dict[str, Any], i: int) -> str:
    """The method of a candidate, by its short name and its kernel."""
    reducer = table["params"][i]["reducer"]
    name = name_of(reducer)
    whole = name == "PCA" or isinstance(reducer, str) or is_selector(reducer)
    short_name = name if whole else type(reducer).__name__
    return short_name + by_kernel(table, i)


def by_kernel(table: dict[str, Any], i: int) -> str:
    """How a candidate's kernel is named; nothing for the columns themselves."""
    return " with an RBF kernel" if table["params"][i].get("kernel") == "rbf" else ""


def described_directions(table: dict[str, Any], i: int) -> str:
    """The number of directions or features of a candidate."""
    return directions(table["mean_n_components"][i], table["params"][i]["reducer"])


def directions(number: float, reducer: Any) -> str:
    """A number of directions or features, which may be a mean over the folds."""
    unit = "feature" if is_selector(reducer) else "direction"
    return f"{round(number, 1):g} {unit}{'s' if number != 1 else ''}"


def measure_name(search: Any) -> str:
    """What the scores of the search are, in words: those of a loss are negative."""
    what, is_loss = measure_of(search)
    return f"minus {what}" if is_loss else what


def measure_of(search: Any) -> tuple[str, bool]:
    """The measure that chose, in words, and whether it is a loss."""
    scoring = search.scoring
    if isinstance(scoring, dict):
        scoring = scoring[search._picked_by]
    elif isinstance(scoring, list | tuple | set):
        scoring = search._picked_by
    several = not search._one_dimensional and search._n_labels > 1
    found = scorer_of(scoring, several_labels=several)
    if isinstance(found, SearchMeasure):
        return found.title[0].lower() + found.title[1:], False
    if isinstance(found, MeasureScorer):
        return in_words(found.measure)
    text = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
    known = MEASURES.get(SKLEARN_NAMES.get(text, ""))
    return (text.replace("_", " "), False) if known is None else in_words(known)


def in_words(measure: Measure) -> tuple[str, bool]:
    """A measure within a sentence, and whether it is a loss."""
    title = measure.title
    title = title if title[:2].isupper() else title[0].lower() + title[1:]
    return title, measure.direction == "min"


def short(value: float) -> str:
    """A measure with three decimals and no leading zero."""
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def method_lines(search: Any, name: str) -> list[str]:
    """The best candidate of each reducer, best rank first."""
    table = search.cv_results_
    places = best_of_methods(table, name)
    width = max(len(described(table, place)) for place in places.values())
    lines = [f"{'best of each reducer':<{width}}  {'score':>8}  {'+-':>7}  {'mean rank':>9}"]
    error = standard_error(table, name, search.n_splits_)
    for method, rank in search.method_ranks_.items():
        i = places[method]
        score = table[f"mean_test_{name}"][i]
        lines.append(f"{described(table, i):<{width}}  {score:8.4f}  {error[i]:7.4f}  {rank:9.2f}")
    return lines


def described(table: dict[str, Any], i: int) -> str:
    """A candidate in words: the reducer, its directions, its parameters and the readout's."""
    point = table["params"][i]
    told = [described_directions(table, i)]
    for name, value in point.items():
        step, _, parameter = name.partition("__")
        if parameter and parameter not in ("n_components", size_of(point["reducer"])):
            shown = f"{value:g}" if isinstance(value, int | float) else repr(value)
            told.append(f"{'readout ' if step == 'readout' else ''}{parameter} {shown}")
    return f"{name_of(point['reducer'])}{by_kernel(table, i)}, " + ", ".join(told)
