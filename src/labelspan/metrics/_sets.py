"""Measures of predicted label sets, all functions of the same counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.metrics._counts import count
from labelspan.metrics._mean import mean_ratio


def hamming_loss(Y_true: Any, Y_pred: Any, *, observed: Any = None) -> float:
    r"""Fraction of instance-label pairs that are predicted wrongly; smaller is better.

    .. math:: \frac{1}{nq} \sum_i |Y_i \,\triangle\, P_i|

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse of shape (n_samples, n_labels)
        True and predicted label indicators.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    Criterion (1) of the MDDM paper, Eq. (48) of the MVMD paper; scikit-learn's
    ``hamming_loss``. One pass over the data, or over the stored entries if both are sparse.

    Missing labels are left out of the pairs.

    Examples
    --------
    >>> from labelspan.metrics import hamming_loss
    >>> hamming_loss([[1, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]]) * 6
    1.0
    """
    counts = count(Y_true, Y_pred, observed)
    wrong = counts.true.total + counts.predicted.total - 2 * counts.common.total
    return wrong / counts.n_pairs


def subset_accuracy(Y_true: Any, Y_pred: Any, *, observed: Any = None) -> float:
    """Fraction of rows whose label set is predicted exactly; larger is better.

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse of shape (n_samples, n_labels)
        True and predicted label indicators.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    Eq. (53) of the MVMD paper; scikit-learn's ``accuracy_score``. Cost as `hamming_loss`.

    With missing labels, a row is exact if its observed labels are; rows without any are left out.

    Examples
    --------
    >>> from labelspan.metrics import subset_accuracy
    >>> subset_accuracy([[1, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]])
    0.5
    """
    counts = count(Y_true, Y_pred, observed)
    exact = (counts.common.rows == counts.true.rows) & (counts.common.rows == counts.predicted.rows)
    return float(exact.mean())


def instance_accuracy(
    Y_true: Any, Y_pred: Any, *, zero_division: float = 0.0, observed: Any = None
) -> float:
    r"""Mean over rows of common labels over labels in either set; larger is better.

    .. math:: \frac{1}{n} \sum_i \frac{|Y_i \cap P_i|}{|Y_i \cup P_i|}

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse of shape (n_samples, n_labels)
        True and predicted label indicators.
    zero_division : float, default=0.0
        Value of a row where both sets are empty; NaN leaves the row out of the mean.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    Eq. (49) of the MVMD paper; scikit-learn's ``jaccard_score(average="samples")``.
    Cost as `hamming_loss`.

    Both sets contain observed labels only; rows without any are left out.

    Examples
    --------
    >>> from labelspan.metrics import instance_accuracy
    >>> instance_accuracy([[1, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]])
    0.75
    """
    counts = count(Y_true, Y_pred, observed)
    union = counts.true.rows + counts.predicted.rows - counts.common.rows
    return mean_ratio(counts.common.rows, union, zero_division)


def instance_precision(
    Y_true: Any, Y_pred: Any, *, zero_division: float = 0.0, observed: Any = None
) -> float:
    r"""Mean over rows of common labels over predicted labels; larger is better.

    .. math:: \frac{1}{n} \sum_i \frac{|Y_i \cap P_i|}{|P_i|}

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse of shape (n_samples, n_labels)
        True and predicted label indicators.
    zero_division : float, default=0.0
        Value of a row without predicted labels; NaN leaves the row out of the mean.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    Eq. (50) of the MVMD paper; scikit-learn's ``precision_score(average="samples")``.
    Cost as `hamming_loss`.

    Both sets contain observed labels only; rows without any are left out.

    Examples
    --------
    >>> from labelspan.metrics import instance_precision
    >>> instance_precision([[1, 0, 1], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]])
    0.75
    """
    counts = count(Y_true, Y_pred, observed)
    return mean_ratio(counts.common.rows, counts.predicted.rows, zero_division)


def instance_recall(
    Y_true: Any, Y_pred: Any, *, zero_division: float = 0.0, observed: Any = None
) -> float:
    r"""Mean over rows of common labels over true labels; larger is better.

    .. math:: \frac{1}{n} \sum_i \frac{|Y_i \cap P_i|}{|Y_i|}

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse of shape (n_samples, n_labels)
        True and predicted label indicators.
    zero_division : float, default=0.0
        Value of a row without true labels; NaN leaves the row out of the mean.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    Eq. (51) of the MVMD paper; scikit-learn's ``recall_score(average="samples")``.
    Cost as `hamming_loss`.

    Both sets contain observed labels only; rows without any are left out.

    Examples
    --------
    >>> from labelspan.metrics import instance_recall
    >>> instance_recall([[1, 0, 1], [0, 1, 0]], [[1, 0, 0], [1, 1, 0]])
    0.75
    """
    counts = count(Y_true, Y_pred, observed)
    return mean_ratio(counts.common.rows, counts.true.rows, zero_division)


def samples_f1(
    Y_true: Any, Y_pred: Any, *, zero_division: float = 0.0, observed: Any = None
) -> float:
    r"""Mean over rows of the F1 of the two label sets; larger is better.

    .. math:: \frac{1}{n} \sum_i \frac{2 |Y_i \cap P_i|}{|Y_i| + |P_i|}

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse of shape (n_samples, n_labels)
        True and predicted label indicators.
    zero_division : float, default=0.0
        Value of a row where both sets are empty; NaN leaves the row out of the mean.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    Eq. (52) of the MVMD paper; scikit-learn's ``f1_score(average="samples")``.
    Cost as `hamming_loss`.

    Both sets contain observed labels only; rows without any are left out.

    Examples
    --------
    >>> from labelspan.metrics import samples_f1
    >>> samples_f1([[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]])
    0.75
    """
    counts = count(Y_true, Y_pred, observed)
    return mean_ratio(
        2 * counts.common.rows, counts.true.rows + counts.predicted.rows, zero_division
    )


def micro_f1(
    Y_true: Any, Y_pred: Any, *, zero_division: float = 0.0, observed: Any = None
) -> float:
    r"""F1 of all instance-label pairs taken together; larger is better.

    .. math:: \frac{2 \sum_i |Y_i \cap P_i|}{\sum_i |Y_i| + \sum_i |P_i|}

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse of shape (n_samples, n_labels)
        True and predicted label indicators.
    zero_division : float, default=0.0
        Value if there is neither a true nor a predicted label.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    Criterion (3) of the MDDM paper; scikit-learn's ``f1_score(average="micro")``.
    Cost as `hamming_loss`.

    Missing labels are left out of both sums.

    Examples
    --------
    >>> from labelspan.metrics import micro_f1
    >>> micro_f1([[1, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]])
    0.8
    """
    counts = count(Y_true, Y_pred, observed)
    total = counts.true.total + counts.predicted.total
    return 2 * counts.common.total / total if total else float(zero_division)


def macro_f1(
    Y_true: Any,
    Y_pred: Any,
    *,
    zero_division: float = 0.0,
    smoothing: float = 0.0,
    observed: Any = None,
) -> float:
    r"""Mean over labels of the F1 of each label; larger is better.

    .. math:: \frac{1}{q} \sum_l \frac{2 (\sum_i Y_{il} P_{il} + s)}
              {\sum_i Y_{il} + \sum_i P_{il} + 2 s}

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse of shape (n_samples, n_labels)
        True and predicted label indicators.
    zero_division : float, default=0.0
        Value of a label that is neither true nor predicted anywhere, 1 in the MDDM convention;
        NaN leaves the label out of the mean.
    smoothing : float >= 0, default=0.0
        Rows s that are added to each label as true and predicted. With 1, the printed values of the
        MDDM paper are explained: a method that predicts nothing then has a value above 0.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    Criterion (2) of the MDDM paper; scikit-learn's ``f1_score(average="macro")``.
    Cost as `hamming_loss`.

    The F1 of a label is that of the rows where it is observed; one that is observed in no row
    is left out, with a warning.

    Examples
    --------
    >>> from labelspan.metrics import macro_f1
    >>> macro_f1([[1, 0], [0, 0]], [[1, 0], [0, 0]])
    0.5
    >>> macro_f1([[1, 0], [0, 0]], [[1, 0], [0, 0]], zero_division=1)
    1.0
    >>> macro_f1([[1, 0], [1, 0]], [[0, 0], [0, 0]], smoothing=1)
    0.75
    """
    if not (np.isfinite(smoothing) and smoothing >= 0):
        raise ValueError(
            f"smoothing={smoothing!r}; expected a finite number >= 0: 0 for plain F1, 1 for that "
            "of the MDDM paper."
        )
    counts = count(Y_true, Y_pred, observed, by_label=True)
    total = counts.true.labels + counts.predicted.labels + 2 * smoothing
    return mean_ratio(2 * (counts.common.labels + smoothing), total, zero_division)
