"""Measures of the order that scores give the labels of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.metrics._input import check_choice
from labelspan.metrics._rank_labels import LabelRanks, rank_labels


def ranking_loss(
    Y_true: Any,
    Y_score: Any,
    *,
    ties: str = "worst",
    undefined_rows: str = "keep",
    observed: Any = None,
) -> float:
    r"""Fraction of (true, false) label pairs in the wrong order; smaller is better.

    .. math:: \frac{1}{n} \sum_i \frac{|\{(s, t) \in Y_i \times \bar Y_i :
              f_s(x_i) \le f_t(x_i)\}|}{|Y_i| |\bar Y_i|}

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    ties : {"worst", "average", "best"}, default="worst"
        A tied pair counts as an error (the papers, scikit-learn), as half of one, or as none.
    undefined_rows : {"keep", "skip"}, default="keep"
        Rows with no label or all labels have loss 0 (scikit-learn), or are left out of the
        mean (the MDDM paper).
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float
        NaN if every row is left out.

    Notes
    -----
    Criterion (4) of the MDDM paper; scikit-learn's ``label_ranking_loss``. Time
    O(m log c) for m stored scores and rows of c true labels, memory O(nnz(Y_true)).

    Pairs consist of two observed labels; rows without an observed label are left out.

    Examples
    --------
    >>> from labelspan.metrics import ranking_loss
    >>> ranking_loss([[1, 0, 0]], [[0.5, 0.8, 0.1]])
    0.5
    """
    check_choice("ties", ties, ("worst", "average", "best"))
    ranks = _ranks(Y_true, Y_score, observed, undefined_rows)
    # False labels before each true one: all labels before it minus the true ones.
    above = _tied(ranks.last - ranks.true_last, ranks.first - ranks.true_first, ties)
    pairs = ranks.n_true * (ranks.n_labels - ranks.n_true)
    return _mean(ranks.row_sums(above) / np.maximum(pairs, 1), ranks, undefined_rows)


def average_precision(
    Y_true: Any,
    Y_score: Any,
    *,
    ties: str = "worst",
    undefined_rows: str = "keep",
    observed: Any = None,
) -> float:
    r"""Mean over rows of the precision at each true label; larger is better.

    .. math:: \frac{1}{n} \sum_i \frac{1}{|Y_i|} \sum_{l \in Y_i}
              \frac{|\{m \in Y_i : r_i(m) \le r_i(l)\}|}{r_i(l)}

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    ties : {"worst", "first"}, default="worst"
        Tied labels share the rank of the last of them (scikit-learn), or are ranked in the
        order of their columns.
    undefined_rows : {"keep", "skip"}, default="keep"
        Rows with no label or all labels have precision 1 (scikit-learn), or are left out of
        the mean (the MDDM paper).
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float
        NaN if every row is left out.

    Notes
    -----
    Criterion (5) of the MDDM paper; scikit-learn's ``label_ranking_average_precision_score``.
    Cost as `ranking_loss`.

    Ranks count observed labels only; rows without an observed label are left out.

    Examples
    --------
    >>> from labelspan.metrics import average_precision
    >>> average_precision([[1, 0, 0]], [[0.5, 0.8, 0.1]])
    0.5
    """
    check_choice("ties", ties, ("worst", "first"))
    ranks = _ranks(Y_true, Y_score, observed, undefined_rows)
    if ties == "worst":
        share = ranks.true_last / ranks.last
    else:
        share = (ranks.true_place + 1) / (ranks.place + 1)
    # A row without labels has no term; as in scikit-learn, it counts as 1.
    n_true = ranks.n_true
    values = np.where(n_true == 0, 1.0, ranks.row_sums(share) / np.maximum(n_true, 1))
    return _mean(values, ranks, undefined_rows)


def one_error(
    Y_true: Any,
    Y_score: Any,
    *,
    ties: str = "first",
    undefined_rows: str = "keep",
    observed: Any = None,
) -> float:
    """Fraction of rows whose top-ranked label is false; smaller is better.

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    ties : {"first", "worst", "average", "best"}, default="first"
        If several labels share the highest score: take the first of them (arg max), the
        worst, the mean over them, or the best. The MDDM convention takes the best, as the
        program of the ML-kNN authors does, because the paper's arg max does not settle ties.
    undefined_rows : {"keep", "skip"}, default="keep"
        Keep rows with no label (error 1) or all labels (error 0), or leave them out of the
        mean (the MDDM paper).
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float
        NaN if every row is left out.

    Notes
    -----
    Criterion (6) of the MDDM paper; scikit-learn has none. Cost as `ranking_loss`.

    The top-ranked label is the first of the observed ones; rows without any are left out.

    Examples
    --------
    >>> from labelspan.metrics import one_error
    >>> one_error([[1, 0, 0], [0, 1, 0]], [[0.5, 0.8, 0.1], [0.2, 0.9, 0.1]])
    0.5
    """
    check_choice("ties", ties, ("first", "worst", "average", "best"))
    ranks = _ranks(Y_true, Y_score, observed, undefined_rows)
    if ties == "first":
        return _mean(1 - ranks.row_sums(ranks.place == 0), ranks, undefined_rows)
    # Share of true labels among the labels at the top; 0 if none of them is true.
    hit = ranks.row_sums((ranks.first == 0) / np.maximum(ranks.last, 1))
    if ties == "worst":
        hit = np.floor(hit + 1e-9)
    elif ties == "best":
        hit = np.ceil(hit - 1e-9)
    return _mean(1 - hit, ranks, undefined_rows)


def coverage(
    Y_true: Any,
    Y_score: Any,
    *,
    ties: str = "worst",
    undefined_rows: str = "keep",
    observed: Any = None,
) -> float:
    r"""Mean number of steps down the ranking until all true labels are met; smaller is better.

    .. math:: \frac{1}{n} \sum_i \max_{l \in Y_i} r_i(l) - 1

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    ties : {"worst", "average", "best"}, default="worst"
        Rank that tied labels share: the last of them (scikit-learn), the mean, the first.
    undefined_rows : {"keep", "skip"}, default="keep"
        Keep rows with no label (-1, the formula with an empty maximum of 0, as in
        scikit-learn) or all labels, or leave them out of the mean (the MDDM paper).
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float
        NaN if every row is left out.

    Notes
    -----
    Criterion (7) of the MDDM paper, that is scikit-learn's ``coverage_error`` - 1.
    Cost as `ranking_loss`.

    Steps count observed labels only; rows without an observed label are left out.

    Examples
    --------
    >>> from labelspan.metrics import coverage
    >>> coverage([[1, 0, 0]], [[0.5, 0.8, 0.1]])
    1.0
    """
    check_choice("ties", ties, ("worst", "average", "best"))
    ranks = _ranks(Y_true, Y_score, observed, undefined_rows)
    # The best rank of a tie counts the label itself, `first` does not.
    rank = _tied(ranks.last, ranks.first + 1, ties)
    # The entries of a row are sorted: the last one has the largest rank.
    steps = np.zeros(len(ranks.n_true))
    some = ranks.n_true > 0
    steps[some] = rank[ranks.starts[1:][some] - 1]
    return _mean(steps - 1, ranks, undefined_rows)


def _ranks(Y_true: Any, Y_score: Any, observed: Any, undefined_rows: str) -> LabelRanks:
    check_choice("undefined_rows", undefined_rows, ("keep", "skip"))
    return rank_labels(Y_true, Y_score, observed)


def _mean(values: np.ndarray, ranks: LabelRanks, undefined_rows: str) -> float:
    if undefined_rows == "skip":
        values = values[(ranks.n_true > 0) & (ranks.n_true < ranks.n_labels)]
    return float(values.mean()) if len(values) else float("nan")


def _tied(worst: np.ndarray, best: np.ndarray, ties: str) -> np.ndarray:
    if ties == "average":
        return (worst + best) / 2
    return worst if ties == "worst" else best
