"""One threshold for all labels, moved towards the best one of a label by as much as its rows tell.

Micro-F1 2 h / (c + p), with h hits among c predictions and p positives, is F where the sum of
h - F/2 c over the labels is largest. So the best cuts of all labels maximise h_k - F/2 c_k, each on
its own; those of labels with few rows are noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# With so many positive rows, a label's threshold lies halfway between its own and that of all.
ENOUGH = 50
# Rounds between the micro-F1 and the thresholds.
ROUNDS = 3
# Cuts that are compared for measures other than micro-F1.
N_CUTS = 200
# Digits beyond which a difference of measures is rounding.
DIGITS = 9

# From true and predicted labels (n, q) to a number, larger is better.
Goal = Callable[[np.ndarray, np.ndarray], float]


@dataclass(frozen=True)
class Cuts:
    """Thresholds (q,), infinite without rows, the least labels per row, the pooled cut."""

    thresholds: np.ndarray
    min_labels: int
    pooled: float = 0.0


def best_cuts(
    scores: np.ndarray,
    positive: np.ndarray,
    goal: str | Goal = "f1_micro",
    *,
    weights: np.ndarray | None = None,
    observed: np.ndarray | None = None,
    min_labels: int = 0,
) -> Cuts:
    """Thresholds for scores (n, q) that maximise "f1_micro", "f1_macro" or another measure.

    `min_labels`, or 1 if a row without labels had better take its best. Entries that are not
    `observed` do not count, nor do those of labels without rows.
    """
    thresholds = np.full(scores.shape[1], np.inf)
    seen = np.ones(scores.shape, dtype=bool) if observed is None else observed
    present = (positive & seen).any(axis=0)
    if not present.any():
        return Cuts(thresholds, min_labels)
    S, own, seen = (A if present.all() else A[:, present] for A in (scores, positive, seen))
    found = []
    for least in {min_labels, max(min_labels, 1)} if S.shape[1] > 1 else {min_labels}:
        filled = lifted(S, least)
        if callable(goal):
            cut, value = best_of_cuts(filled, own, seen, goal)
        else:
            cut, value = best_cut(filled, own, weights, seen)
        found.append((round(value, DIGITS), -least, cut))
    value, least, cut = max(found)
    filled = lifted(S, -least)
    if goal == "f1_micro":
        thresholds[present] = shrunk(filled, own, seen, weights, cut, value)
    elif goal == "f1_macro":
        # A label that is among the best of every row has its own scores to be cut.
        filled = np.where(np.isfinite(filled).any(axis=0), filled, S)
        columns = zip(filled.T, own.T, seen.T, strict=True)
        each = [best_cut(s[:, None], y[:, None], weights, o[:, None])[0] for s, y, o in columns]
        thresholds[present] = between(np.array(each), cut, (own & seen).sum(axis=0))
    else:
        thresholds[present] = cut
    return Cuts(thresholds, -least, cut)


def lifted(scores: np.ndarray, least: int) -> np.ndarray:
    """Scores whose `least` largest per row are infinite: predicted whatever the threshold.

    Unchanged if these are all, because then no threshold matters.
    """
    if not 0 < least < scores.shape[1]:
        return scores
    filled = np.array(scores, dtype=np.float64)
    if least == 1:
        best = filled.argmax(axis=1)[:, None]
    else:
        best = np.argsort(-filled, axis=1, kind="stable")[:, :least]
    np.put_along_axis(filled, best, np.inf, axis=1)
    return filled


def best_cut(
    scores: np.ndarray,
    positive: np.ndarray,
    weights: np.ndarray | None = None,
    observed: np.ndarray | None = None,
) -> tuple[float, float]:
    """The pooled threshold with the largest micro-F1, halfway between two scores, and that F1."""
    s, y, w, total = entries(scores, positive, weights, observed)
    if total == 0:
        return 0.0, 0.0
    hits = np.cumsum(y if w is None else w * y)
    counts = np.arange(1, len(y) + 1) if w is None else np.cumsum(w)
    f1 = 2.0 * hits / (counts + total)
    # Equal scores cannot be told apart.
    f1[:-1][s[1:] == s[:-1]] = -1.0
    i = int(np.argmax(f1))
    return below(s, i), float(f1[i])


def entries(
    scores: np.ndarray,
    positive: np.ndarray,
    weights: np.ndarray | None,
    observed: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, float]:
    """Scores, labels and weights of the observed entries, the largest score first.

    The last number is the weight of those that have the label. Without weights, only entries that
    may be above the best cut are sorted.
    """
    s, y = scores.ravel(), positive.ravel()
    w = None if weights is None else np.repeat(weights, scores.shape[1])
    if observed is not None and not observed.all():
        seen = observed.ravel()
        s, y, w = s[seen], y[seen], None if w is None else w[seen]
    total = float(np.count_nonzero(y) if w is None else w[y].sum())
    if w is None:
        s, y = worthwhile(s, y)
    order = np.argsort(-s)
    return s[order], y[order], None if w is None else w[order], total


def worthwhile(s: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest entries, among which the best cut for F1 lies.

    F1 is at most 2 p / (c + p) for c predictions and p positives. A cut after p of them reaches
    some F1, so cuts after more than p (2 / F1 - 1) predictions cannot be better.
    """
    p = int(np.count_nonzero(y))
    if not 0 < p < len(s):
        return s, y
    first = s >= largest(s, p)
    f1 = 2.0 * np.count_nonzero(y & first) / (np.count_nonzero(first) + p)
    most = len(s) if f1 == 0 else int(p * (2.0 / f1 - 1.0)) + 2
    if 2 * most >= len(s):
        return s, y
    kept = s >= largest(s, most)
    return s[kept], y[kept]


def largest(s: np.ndarray, k: int) -> float:
    """The k-th largest number."""
    return float(np.partition(s, len(s) - k)[len(s) - k])


def below(descending: np.ndarray, i: int) -> float:
    """The threshold halfway between entry i and the next one."""
    upper = descending[i]
    lower = descending[i + 1] if i + 1 < len(descending) else np.nextafter(upper, -np.inf)
    if np.isinf(upper):
        # Only the best labels of each row are predicted.
        return float(np.nextafter(lower, np.inf))
    middle = lower + (upper - lower) / 2
    return float(middle if middle < upper else lower)


def best_of_cuts(
    scores: np.ndarray, positive: np.ndarray, seen: np.ndarray, goal: Goal
) -> tuple[float, float]:
    """The pooled threshold with the best measure among quantiles; unseen entries do not count."""
    positive, finite = positive & seen, scores[np.isfinite(scores) & seen]
    share = min(1.0, 4 * positive.mean())
    cuts = np.unique(np.quantile(finite, 1 - np.linspace(0, share, N_CUTS)))
    values = [goal(positive, (cut < scores) & seen) for cut in cuts]
    best = int(np.argmax(values))
    return float(cuts[best]), float(values[best])


def shrunk(
    scores: np.ndarray,
    positive: np.ndarray,
    seen: np.ndarray,
    weights: np.ndarray | None,
    cut: float,
    f1: float,
) -> np.ndarray:
    """Thresholds (q,) between the pooled one and the best of each label for micro-F1."""
    w = np.ones(len(scores)) if weights is None else weights
    counts = w @ (positive & seen)
    rows = (np.ascontiguousarray(A.T) for A in (scores, positive, seen))
    columns = [(s[o], y[o], w[o]) for s, y, o in zip(*rows, strict=True)]
    for _ in range(ROUNDS):
        each = [own_cut(*column, f1 / 2) for column in columns]
        thresholds = between(np.array(each), cut, (positive & seen).sum(axis=0))
        chosen = (scores > thresholds) & seen
        f1 = float(2 * (w @ (chosen & positive)).sum() / ((w @ chosen).sum() + counts.sum()))
    return thresholds


def between(own: np.ndarray, pooled: float, counts: np.ndarray) -> np.ndarray:
    """Thresholds between those of the labels and the pooled one, by the numbers of positives."""
    share = counts / (counts + ENOUGH)
    return share * own + (1 - share) * pooled


def own_cut(scores: np.ndarray, positive: np.ndarray, weights: np.ndarray, price: float) -> float:
    """The threshold of one label with the largest hits minus `price` times predictions."""
    finite = np.isfinite(scores)
    s, y, w = scores[finite], positive[finite], weights[finite]
    # Behind so many predictions the price is more than all hits.
    most = int(w[y].sum() / (price * max(w.min(initial=np.inf), 1e-300))) + 2 if price else len(s)
    if 2 * most < len(s):
        kept = s >= largest(s, most)
        s, y, w = s[kept], y[kept], w[kept]
    order = np.argsort(-s)
    s, y, w = s[order], y[order], w[order]
    value = np.cumsum(w * (y - price))
    value[:-1][s[1:] == s[:-1]] = -np.inf
    i = int(np.argmax(value)) if len(value) else -1
    if i < 0 or value[i] <= 0:
        # Better none, apart from labels that are predicted anyway.
        return float(np.nextafter(s[0], np.inf)) if len(s) else 0.0
    return below(s, i)


def learnt(
    positive: np.ndarray,
    folds: list[tuple[np.ndarray, np.ndarray]],
    observed: np.ndarray | None,
) -> np.ndarray:
    """Which observed labels (n, q) the training part of a row's fold has.

    The scores of the others are constants, which would fill the quota of all labels.
    """
    seen = np.empty(positive.shape, dtype=bool)
    for train, test in folds:
        seen[test] = positive[train].any(axis=0)
    if positive.any() and not (positive & seen).any():
        raise ValueError(
            "Thresholds are tuned on held-out labels, but no fold of cv trains on a row with "
            "a label it holds out. Pass cv=None, or folds that have each label on both sides: "
            "labelspan.model_selection.MultilabelStratifiedKFold."
        )
    return seen if observed is None else seen & observed
