"""Area under the ROC curve, by label and over all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelspan.metrics._input import check_choice, check_labels_and_scores, column_blocks


def macro_auc(Y_true: Any, Y_score: Any, *, undefined_labels: str | float = "skip") -> float:
    r"""Mean over labels of the area under the ROC curve; larger is better.

    .. math:: \frac{1}{q} \sum_l \frac{1}{n_l (n - n_l)} \sum_{i: Y_{il} = 1}
              \sum_{j: Y_{jl} = 0} [f_l(x_i) > f_l(x_j)] + \frac12 [f_l(x_i) = f_l(x_j)]

    Parameters
    ----------
    Y_true : array-like or sparse of shape (n_samples, n_labels)
        True label indicators.
    Y_score : array-like or sparse of shape (n_samples, n_labels)
        Scores; entries that a sparse array does not store are 0.
    undefined_labels : "skip" or float, default="skip"
        Labels that are true in no row or in all: left out of the mean (the MDDM paper), or
        this value.

    Returns
    -------
    float
        NaN if every label is left out.

    Notes
    -----
    The AUC of the MDDM paper; scikit-learn's ``roc_auc_score(average="macro")`` where every
    label is defined. Sorts blocks of columns: time O(n q log n), memory of one block.

    Examples
    --------
    >>> from labelspan.metrics import macro_auc
    >>> macro_auc([[1, 0], [0, 0], [1, 0]], [[0.9, 0.2], [0.4, 0.3], [0.1, 0.1]])
    0.5
    """
    if isinstance(undefined_labels, str):
        check_choice("undefined_labels", undefined_labels, ("skip",))
    Y, S = check_labels_and_scores(Y_true, Y_score)
    areas = [
        _area(s, y.astype(float), (~y).astype(float))
        for y_block, s_block in column_blocks(Y, S)
        for y, s in zip(y_block.T, s_block.T, strict=True)
    ]
    values = np.array(areas)
    undefined = np.isnan(values)
    if undefined_labels == "skip":
        values = values[~undefined]
    else:
        values[undefined] = float(undefined_labels)
    return float(values.mean()) if len(values) else float("nan")


def micro_auc(Y_true: Any, Y_score: Any) -> float:
    """Area under the ROC curve of all instance-label pairs together; larger is better.

    Parameters
    ----------
    Y_true : array-like or sparse of shape (n_samples, n_labels)
        True label indicators.
    Y_score : array-like or sparse of shape (n_samples, n_labels)
        Scores; entries that a sparse array does not store are 0.

    Returns
    -------
    float
        NaN if no pair or every pair is true.

    Notes
    -----
    scikit-learn's ``roc_auc_score(average="micro")``. One sort of all scores: time
    O(m log m) and memory O(m), where m is n q, or the stored entries if both are sparse.

    Examples
    --------
    >>> from labelspan.metrics import micro_auc
    >>> micro_auc([[1, 0], [0, 0], [1, 0]], [[0.9, 0.2], [0.4, 0.3], [0.1, 0.1]])
    0.5625
    """
    Y, S = check_labels_and_scores(Y_true, Y_score)
    if not (sparse.issparse(Y) and sparse.issparse(S)):
        y = (Y.toarray() if sparse.issparse(Y) else Y).ravel()
        s = (S.toarray() if sparse.issparse(S) else S).ravel()
        return _area(s, y.astype(float), (~y).astype(float))
    # Row and column of each stored entry of S, looked up in Y: whether that pair is true.
    true_stored = _lookup(Y, S)
    n_zeros = Y.shape[0] * Y.shape[1] - S.nnz
    n_true_zeros = Y.nnz - true_stored.sum()
    positive = np.append(true_stored, n_true_zeros).astype(float)
    negative = np.append(~true_stored, n_zeros - n_true_zeros).astype(float)
    return _area(np.append(S.data, 0.0), positive, negative)


def _lookup(Y: Any, S: Any) -> np.ndarray:
    """Entries of the boolean CSR array `Y` at the stored positions of `S`."""
    n_labels = np.int64(S.shape[1])
    keys = [
        np.repeat(np.arange(A.shape[0]), np.diff(A.indptr)) * n_labels + A.indices for A in (Y, S)
    ]
    return np.isin(keys[1], keys[0])


def _area(scores: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> float:
    """Area under the ROC curve of scores that carry weights of both classes."""
    n_positive, n_negative = positive.sum(), negative.sum()
    if n_positive == 0 or n_negative == 0:
        return float("nan")
    order = np.argsort(scores, kind="stable")
    ascending = scores[order]
    starts = np.flatnonzero(np.r_[True, ascending[1:] != ascending[:-1]])
    group_positive = np.add.reduceat(positive[order], starts)
    group_negative = np.add.reduceat(negative[order], starts)
    below = np.cumsum(group_negative) - group_negative
    return float(group_positive @ (below + group_negative / 2) / (n_positive * n_negative))
