"""Area under the ROC curve, by label and over all pairs."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import namespace
from labelspan.metrics._input import Compared, check_choice, column_blocks, compare_scores
from labelspan.metrics._rank_labels import LabelRanks, rank


def macro_auc(
    Y_true: Any,
    Y_score: Any,
    *,
    undefined_labels: str | float = "skip",
    observed: Any = None,
) -> float:
    r"""Mean over labels of the area under the ROC curve; larger is better.

    .. math:: \frac{1}{q} \sum_l \frac{1}{n_l (n - n_l)} \sum_{i: Y_{il} = 1}
              \sum_{j: Y_{jl} = 0} [f_l(x_i) > f_l(x_j)] + \frac12 [f_l(x_i) = f_l(x_j)]

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    undefined_labels : "skip" or float, default="skip"
        Labels that are true in no row or in all: left out of the mean (the MDDM paper), or
        this value.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float
        NaN if every label is left out.

    Notes
    -----
    The AUC of the MDDM paper; scikit-learn's ``roc_auc_score(average="macro")`` where every
    label is defined. Time O(m log n) for m = n q scores, made dense by blocks of columns, or
    m stored scores if both arguments are sparse.

    The area of a label uses the rows where it is observed; a label that is observed in no row is
    left out, with a warning.

    Examples
    --------
    >>> from labelspan.metrics import macro_auc
    >>> macro_auc([[1, 0], [0, 0], [1, 0]], [[0.9, 0.2], [0.4, 0.3], [0.1, 0.1]])
    0.5
    """
    if isinstance(undefined_labels, str):
        check_choice("undefined_labels", undefined_labels, ("skip",))
    known = compare_scores(Y_true, Y_score, observed, by_label=True)
    values = _areas(known)
    undefined = np.isnan(values)
    if undefined_labels == "skip":
        values = values[~undefined]
    else:
        values[undefined] = float(undefined_labels)
    return float(values.mean()) if len(values) else float("nan")


def micro_auc(Y_true: Any, Y_score: Any, *, observed: Any = None) -> float:
    """Area under the ROC curve of all instance-label pairs together; larger is better.

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float
        NaN if no pair or every pair is true.

    Notes
    -----
    scikit-learn's ``roc_auc_score(average="micro")``. One sort of all scores: time
    O(m log m) and memory O(m), where m is n q, or the stored entries if both are sparse.

    Labels that are not observed are in no pair.

    Examples
    --------
    >>> from labelspan.metrics import micro_auc
    >>> micro_auc([[1, 0], [0, 0], [1, 0]], [[0.9, 0.2], [0.4, 0.3], [0.1, 0.1]])
    0.5625
    """
    known = compare_scores(Y_true, Y_score, observed)
    # NumPy also reshapes sparse arrays.
    truth, output, observed = (
        A if A is None else namespace(A).reshape(A, (prod(A.shape), 1))
        for A in (known.truth, known.output, known.observed)
    )
    known = replace(known, truth=truth, output=output, observed=observed)
    return float(_areas(known)[0])


def _areas(known: Compared) -> np.ndarray:
    Y, S = known.truth, known.output
    if known.on_device:
        return _areas_by_ranks(rank(replace(known, truth=Y.T, output=S.T)))
    if known.is_sparse:
        return np.array(_sparse_areas(sparse.csc_array(Y), S.tocsc()))
    return np.array(_dense_areas(Y, S, known.observed))


def _areas_by_ranks(ranks: LabelRanks) -> np.ndarray:
    """Areas of the scores of each row, from the false ones above each true one."""
    above = ranks.first - ranks.true_first + ranks.last - ranks.true_last
    pairs = ranks.n_true * (ranks.n_labels - ranks.n_true)
    area = np.full(len(pairs), np.nan)
    return np.divide(pairs - ranks.row_sums(above) / 2, pairs, out=area, where=pairs > 0)


def _dense_areas(Y: Any, S: Any, observed: np.ndarray | None) -> list[float]:
    seen = () if observed is None else (observed,)
    return [
        _area(s[y], s[np.logical_and.reduce([~y, *known])])
        for blocks in column_blocks(Y, S, *seen)
        for y, s, *known in zip(*(block.T for block in blocks), strict=True)
    ]


def _sparse_areas(Y: Any, S: Any) -> list[float]:
    n_samples, n_labels = Y.shape
    areas = []
    for label in range(n_labels):
        positive = Y.indices[Y.indptr[label] : Y.indptr[label + 1]]
        stored = slice(S.indptr[label], S.indptr[label + 1])
        true = np.isin(S.indices[stored], positive)
        scores = S.data[stored]
        n_absent_true = len(positive) - int(true.sum())
        n_absent_false = n_samples - len(scores) - n_absent_true
        areas.append(_area(scores[true], scores[~true], n_absent_true, n_absent_false))
    return areas


def _area(
    true: np.ndarray, false: np.ndarray, n_zero_true: int = 0, n_zero_false: int = 0
) -> float:
    """Area under the ROC curve of the scores of both classes, and further scores of 0."""
    n_pairs = (len(true) + n_zero_true) * (len(false) + n_zero_false)
    if n_pairs == 0:
        return float("nan")
    false = np.sort(false)
    wins = _below(false, true) + n_zero_true * _below(false, np.zeros(1))
    zeros = (true > 0).sum() + (true == 0).sum() / 2 + n_zero_true / 2
    return float((wins + n_zero_false * zeros) / n_pairs)


def _below(ascending: np.ndarray, scores: np.ndarray) -> float:
    """Pairs in which a score is higher, a tie counting half."""
    below = np.searchsorted(ascending, scores, side="left").sum()
    not_above = np.searchsorted(ascending, scores, side="right").sum()
    return (float(below) + float(not_above)) / 2
