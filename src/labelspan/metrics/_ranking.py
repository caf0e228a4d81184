"""Measures of the order that scores give the labels of each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from labelspan.metrics._input import check_choice
from labelspan.metrics._order import Order, ordered_blocks

ROWS = ("keep", "skip")


def ranking_loss(
    Y_true: Any, Y_score: Any, *, ties: str = "worst", undefined_rows: str = "keep"
) -> float:
    r"""Fraction of (true, false) label pairs in the wrong order; smaller is better.

    .. math:: \frac{1}{n} \sum_i \frac{|\{(s, t) \in Y_i \times \bar Y_i :
              f_s(x_i) \le f_t(x_i)\}|}{|Y_i| |\bar Y_i|}

    Parameters
    ----------
    Y_true : array-like or sparse of shape (n_samples, n_labels)
        True label indicators.
    Y_score : array-like or sparse of shape (n_samples, n_labels)
        Scores; entries that a sparse array does not store are 0.
    ties : {"worst", "average", "best"}, default="worst"
        A tied pair counts as an error (the papers, scikit-learn), as half of one, or as none.
    undefined_rows : {"keep", "skip"}, default="keep"
        Rows with no label or all labels have loss 0 (scikit-learn), or are left out of the
        mean (the MDDM paper).

    Returns
    -------
    float
        NaN if every row is left out.

    Notes
    -----
    Criterion (4) of the MDDM paper; scikit-learn's ``label_ranking_loss``. Sorts blocks of
    rows: time O(n q log q), memory of one block.

    Examples
    --------
    >>> from labelspan.metrics import ranking_loss
    >>> ranking_loss([[1, 0, 0]], [[0.5, 0.8, 0.1]])
    0.5
    """
    check_choice("ties", ties, ("worst", "average", "best"))

    def loss(block: Order) -> np.ndarray:
        # Labels above each position, less the true ones among them.
        worst = block.last - block.relevant_before(block.last)
        best = block.first - block.relevant_before(block.first)
        above = _tied(worst, best, ties)
        n_true = block.relevant.sum(axis=1)
        pairs = n_true * (block.relevant.shape[1] - n_true)
        return (above * block.relevant).sum(axis=1) / np.maximum(pairs, 1)

    return _row_mean(loss, Y_true, Y_score, undefined_rows)


def average_precision(
    Y_true: Any, Y_score: Any, *, ties: str = "worst", undefined_rows: str = "keep"
) -> float:
    r"""Mean over rows of the precision at each true label; larger is better.

    .. math:: \frac{1}{n} \sum_i \frac{1}{|Y_i|} \sum_{l \in Y_i}
              \frac{|\{m \in Y_i : r_i(m) \le r_i(l)\}|}{r_i(l)}

    Parameters
    ----------
    Y_true : array-like or sparse of shape (n_samples, n_labels)
        True label indicators.
    Y_score : array-like or sparse of shape (n_samples, n_labels)
        Scores; entries that a sparse array does not store are 0.
    ties : {"worst", "first"}, default="worst"
        Tied labels share the rank of the last of them (scikit-learn), or are ranked in the
        order of their columns.
    undefined_rows : {"keep", "skip"}, default="keep"
        Rows with no label or all labels have precision 1 (scikit-learn), or are left out of
        the mean (the MDDM paper).

    Returns
    -------
    float
        NaN if every row is left out.

    Notes
    -----
    Criterion (5) of the MDDM paper; scikit-learn's ``label_ranking_average_precision_score``.
    Cost as `ranking_loss`.

    Examples
    --------
    >>> from labelspan.metrics import average_precision
    >>> average_precision([[1, 0, 0]], [[0.5, 0.8, 0.1]])
    0.5
    """
    check_choice("ties", ties, ("worst", "first"))

    def precision(block: Order) -> np.ndarray:
        rank = block.last if ties == "worst" else _positions(block) + 1
        share = block.relevant_before(rank) / rank * block.relevant
        n_true = block.relevant.sum(axis=1)
        # A row without labels has no term; scikit-learn calls that 1, and so do we.
        return np.where(n_true == 0, 1.0, share.sum(axis=1) / np.maximum(n_true, 1))

    return _row_mean(precision, Y_true, Y_score, undefined_rows)


def one_error(
    Y_true: Any, Y_score: Any, *, ties: str = "first", undefined_rows: str = "keep"
) -> float:
    """Fraction of rows whose top-ranked label is false; smaller is better.

    Parameters
    ----------
    Y_true : array-like or sparse of shape (n_samples, n_labels)
        True label indicators.
    Y_score : array-like or sparse of shape (n_samples, n_labels)
        Scores; entries that a sparse array does not store are 0.
    ties : {"first", "worst", "average", "best"}, default="first"
        If several labels share the highest score: take the first of them (arg max), the
        worst, the mean over them, or the best (the program of the ML-kNN authors).
    undefined_rows : {"keep", "skip"}, default="keep"
        Keep rows with no label (error 1) or all labels (error 0), or leave them out of the
        mean (the MDDM paper).

    Returns
    -------
    float
        NaN if every row is left out.

    Notes
    -----
    Criterion (6) of the MDDM paper; scikit-learn has none. Cost as `ranking_loss`.

    Examples
    --------
    >>> from labelspan.metrics import one_error
    >>> one_error([[1, 0, 0], [0, 1, 0]], [[0.5, 0.8, 0.1], [0.2, 0.9, 0.1]])
    0.5
    """
    check_choice("ties", ties, ("first", "worst", "average", "best"))

    def error(block: Order) -> np.ndarray:
        if ties == "first":
            return 1.0 - block.relevant[:, 0]
        n_top = block.last[:, 0]
        n_hits = block.relevant_before(block.last[:, :1])[:, 0]
        if ties == "average":
            return 1 - n_hits / n_top
        return (n_hits < n_top if ties == "worst" else n_hits == 0).astype(float)

    return _row_mean(error, Y_true, Y_score, undefined_rows)


def coverage(
    Y_true: Any, Y_score: Any, *, ties: str = "worst", undefined_rows: str = "keep"
) -> float:
    r"""Mean number of steps down the ranking until all true labels are met; smaller is better.

    .. math:: \frac{1}{n} \sum_i \max_{l \in Y_i} r_i(l) - 1

    Parameters
    ----------
    Y_true : array-like or sparse of shape (n_samples, n_labels)
        True label indicators.
    Y_score : array-like or sparse of shape (n_samples, n_labels)
        Scores; entries that a sparse array does not store are 0.
    ties : {"worst", "average", "best"}, default="worst"
        Rank that tied labels share: the last of them (scikit-learn), the mean, the first.
    undefined_rows : {"keep", "skip"}, default="keep"
        Keep rows with no label (-1, the formula with an empty maximum of 0, as in
        scikit-learn) or all labels, or leave them out of the mean (the MDDM paper).

    Returns
    -------
    float
        NaN if every row is left out.

    Notes
    -----
    Criterion (7) of the MDDM paper, that is scikit-learn's ``coverage_error`` - 1.
    Cost as `ranking_loss`.

    Examples
    --------
    >>> from labelspan.metrics import coverage
    >>> coverage([[1, 0, 0]], [[0.5, 0.8, 0.1]])
    1.0
    """
    check_choice("ties", ties, ("worst", "average", "best"))

    def steps(block: Order) -> np.ndarray:
        # The best rank of a tie counts the label itself, `first` does not.
        rank = _tied(block.last.astype(float), block.first + 1.0, ties)
        return (rank * block.relevant).max(axis=1) - 1

    return _row_mean(steps, Y_true, Y_score, undefined_rows)


def _row_mean(
    value: Callable[[Order], np.ndarray], Y_true: Any, Y_score: Any, undefined_rows: str
) -> float:
    """Mean of `value` over the rows that count."""
    check_choice("undefined_rows", undefined_rows, ROWS)
    total, n_rows = 0.0, 0
    for block in ordered_blocks(Y_true, Y_score):
        values = value(block)
        if undefined_rows == "skip":
            n_true = block.relevant.sum(axis=1)
            values = values[(n_true > 0) & (n_true < block.relevant.shape[1])]
        total += values.sum()
        n_rows += len(values)
    return float(total / n_rows) if n_rows else float("nan")


def _tied(worst: np.ndarray, best: np.ndarray, ties: str) -> np.ndarray:
    if ties == "average":
        return (worst + best) / 2
    return worst if ties == "worst" else best


def _positions(block: Order) -> np.ndarray:
    return np.broadcast_to(np.arange(block.relevant.shape[1]), block.relevant.shape)
