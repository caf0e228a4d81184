"""Thresholds from scores and labels: the best F1 of each label, or the number of labels."""

from __future__ import annotations

import numpy as np


def above(scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Scores minus thresholds in the dtype of the scores; an infinite threshold stays finite."""
    limit = np.finfo(scores.dtype).max
    return scores - np.clip(thresholds, -limit, limit).astype(scores.dtype)


def midpoints(scores: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Halfway from the highest score of the absent labels of a row to the lowest of the others.

    (n,), infinite or NaN for rows with all labels or none; labels that are NaN do not count.
    """
    lowest = np.where(Y > 0, scores, np.inf).min(axis=1)
    highest = np.where(Y == 0, scores, -np.inf).max(axis=1)
    with np.errstate(invalid="ignore"):
        halfway: np.ndarray = (lowest + highest) / 2
    return halfway


def tuned_thresholds(
    scores: np.ndarray,
    positive: np.ndarray,
    strategy: str,
    weights: np.ndarray | None = None,
    observed: np.ndarray | None = None,
) -> np.ndarray:
    """Thresholds (q,) tuned on scores and labels (n, q); inf for labels without rows.

    `strategy` is "per_label_f1" or "cardinality", `weights` (n,) are those of the rows, `observed`
    (n, q) says which labels count.
    """
    thresholds = np.full(scores.shape[1], np.inf)
    present = positive.any(axis=0)
    if not present.any():
        return thresholds
    if strategy == "cardinality":
        w = np.ones(len(scores)) if weights is None else weights
        entries = slice(None) if observed is None else observed[:, present].ravel()
        values = scores[:, present].ravel()[entries]
        order = np.argsort(-values, kind="stable")
        pooled = values[order]
        counts = np.cumsum(np.repeat(w, np.count_nonzero(present))[entries][order])
        wanted = float((w @ (positive if observed is None else positive & observed)).sum())
        gap = np.where(cuttable(pooled[:, None])[:, 0], np.abs(counts - wanted), np.inf)
        thresholds[present] = cut_below(pooled[:, None], np.array([np.argmin(gap)]))
    elif observed is None:
        thresholds[present] = best_f1_cuts(scores[:, present], positive[:, present], weights)
    else:
        for k in np.flatnonzero(present):
            seen = observed[:, k]
            counted = None if weights is None else weights[seen]
            thresholds[[k]] = best_f1_cuts(scores[seen][:, [k]], positive[seen][:, [k]], counted)
    return thresholds


def best_f1_cuts(
    scores: np.ndarray, positive: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """For each column, the cut with the largest F1; the highest cut on ties."""
    order = np.argsort(-scores, axis=0, kind="stable")
    descending = np.take_along_axis(scores, order, axis=0)
    w = np.ones(order.shape) if weights is None else weights[order]
    hits = np.cumsum(w * np.take_along_axis(positive, order, axis=0), axis=0)
    counts = np.cumsum(w, axis=0)
    f1 = 2.0 * hits / (counts + hits[-1])
    return cut_below(descending, np.argmax(np.where(cuttable(descending), f1, -1.0), axis=0))


def cuttable(descending: np.ndarray) -> np.ndarray:
    """Where a cut below this row is possible: the next score differs."""
    differs = np.ones(descending.shape, dtype=bool)
    differs[:-1] = descending[1:] < descending[:-1]
    return differs


def cut_below(descending: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Thresholds halfway between the scores of `row` and of the next row, one per column."""
    columns = np.arange(descending.shape[1])
    last = len(descending) - 1
    upper = descending[row, columns]
    lower = descending[np.minimum(row + 1, last), columns]
    middle = lower + (upper - lower) / 2
    # Halfway may round up to the upper score itself, which must stay above the threshold.
    middle = np.where(middle < upper, middle, lower)
    return np.where(row == last, np.nextafter(upper, -np.inf), middle)
