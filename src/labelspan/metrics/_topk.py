"""Measures of the k labels with the highest scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelspan.gate import check_truth
from labelspan.metrics._counts import Side
from labelspan.metrics._input import check_choice
from labelspan.metrics._mean import mean_ratio
from labelspan.metrics._rank_labels import LabelRanks, rank_labels


def precision_at_k(
    Y_true: Any, Y_score: Any, k: int = 5, *, ties: str = "average", observed: Any = None
) -> float:
    """Mean share of true labels among the k highest scores; larger is better.

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    k : int, default=5
        Number of labels considered, at least 1; those beyond n_labels find nothing.
    ties : {"average", "first"}, default="average"
        Tied labels share their places evenly (the mean over all their orders), or take them
        in the order of their columns.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    Time O(m log c) for m stored scores and rows of c true labels, memory O(nnz(Y_true)).

    The highest scores are those of observed labels; rows without any are left out. A row with
    fewer than k of them has no more to find.

    Examples
    --------
    >>> from labelspan.metrics import precision_at_k
    >>> precision_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.8, 0.1], [0.2, 0.7, 0.1]], k=2)
    0.5
    """
    ranks = _ranks(Y_true, Y_score, observed, k, ties)
    return float(_hits(ranks, _places(ranks, k), ties).mean() / k)


def recall_at_k(
    Y_true: Any,
    Y_score: Any,
    k: int = 5,
    *,
    ties: str = "average",
    zero_division: float = 0.0,
    observed: Any = None,
) -> float:
    """Mean share of the true labels that the k highest scores find; larger is better.

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    k : int, default=5
        Number of labels considered, at least 1; those beyond n_labels find nothing.
    ties : {"average", "first"}, default="average"
        As in `precision_at_k`.
    zero_division : float, default=0.0
        Value of a row without true labels; NaN leaves the row out of the mean.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    Cost as `precision_at_k`.

    The highest scores are those of observed labels; rows without any are left out. A row with
    fewer than k of them has no more to find.

    Examples
    --------
    >>> from labelspan.metrics import recall_at_k
    >>> recall_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.8, 0.1], [0.2, 0.7, 0.1]], k=2)
    0.75
    """
    ranks = _ranks(Y_true, Y_score, observed, k, ties)
    return mean_ratio(_hits(ranks, _places(ranks, k), ties), ranks.n_true, zero_division)


def ndcg_at_k(
    Y_true: Any,
    Y_score: Any,
    k: int = 5,
    *,
    ties: str = "average",
    zero_division: float = 0.0,
    observed: Any = None,
) -> float:
    r"""Mean discounted gain of the k highest scores over the best one possible; larger is better.

    The label at rank j gains :math:`1 / \log_2(1 + j)` if it is true.

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    k : int, default=5
        Number of labels considered, at least 1; those beyond n_labels find nothing.
    ties : {"average", "first"}, default="average"
        As in `precision_at_k`.
    zero_division : float, default=0.0
        Value of a row without true labels; NaN leaves the row out of the mean.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float

    Notes
    -----
    scikit-learn's ``ndcg_score(k=k)``. Cost as `precision_at_k`.

    The highest scores are those of observed labels; rows without any are left out. A row with
    fewer than k of them has no more to find.

    Examples
    --------
    >>> from labelspan.metrics import ndcg_at_k
    >>> round(ndcg_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.8, 0.1], [0.2, 0.7, 0.1]], k=2), 4)
    0.8066
    """
    ranks = _ranks(Y_true, Y_score, observed, k, ties)
    places = _places(ranks, k)
    gain = np.where(places > 0, 1 / np.log2(np.arange(len(places)) + 2), 0.0)
    best = np.concatenate([[0.0], np.cumsum(gain)])[ranks.n_true]
    return mean_ratio(_hits(ranks, gain, ties), best, zero_division)


def propensities(
    Y_train: Any, *, a: float = 0.55, b: float = 1.5, observed: Any = None
) -> np.ndarray:
    r"""Estimate how likely a true label is to be recorded, from its frequency.

    .. math:: p_l = \frac{1}{1 + C (n_l + b)^{-a}}, \quad C = (\log n - 1) (b + 1)^a

    Parameters
    ----------
    Y_train : array-like or sparse of shape (n_samples, n_labels)
        Label indicators of the training rows.
    a, b : float, default=0.55 and 1.5
        The model of [1]_; 0.5 and 0.4 for Wikipedia, 0.6 and 2.6 for Amazon.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_train` are observed; in a dense one the others are NaN. The
        rows n and n_l of a label are those where it is observed.

    Returns
    -------
    ndarray of shape (n_labels,)
        Propensities in (0, 1] for at least three training rows.

    References
    ----------
    .. [1] Jain, Prabhu and Varma, "Extreme multi-label loss functions for recommendation,
       tagging, ranking and other missing label applications", KDD 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from labelspan.metrics import propensities
    >>> propensities(np.eye(100)[:, :2] + np.eye(100, 2, -50)).round(3)
    array([0.25, 0.25])
    """
    Y, seen = check_truth(Y_train, observed, "Y_train")
    n_label = Side(Y).labels
    if seen is None:
        scale: Any = (np.log(Y.shape[0]) - 1) * (b + 1) ** a
    else:
        n_seen = Side(seen).labels
        if not n_seen.all():
            raise ValueError(
                f"Label {int(np.argmin(n_seen))} of Y_train is observed in no row, so that nothing "
                "is known of its propensity. Drop this column."
            )
        scale = (np.log(n_seen) - 1) * (b + 1) ** a
    return 1 / (1 + scale * (n_label + b) ** -a)


def propensity_scored_precision_at_k(
    Y_true: Any,
    Y_score: Any,
    k: int = 5,
    *,
    propensities: np.ndarray,
    ties: str = "average",
    normalize: bool = True,
    observed: Any = None,
) -> float:
    """Precision at k with each true label weighted by 1/propensity; larger is better.

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    k : int, default=5
        Number of labels considered, at least 1; those beyond n_labels find nothing.
    propensities : ndarray of shape (n_labels,)
        From `propensities` on the training labels.
    ties : {"average", "first"}, default="average"
        As in `precision_at_k`.
    normalize : bool, default=True
        Divide by the highest value that any scores could reach, as is customary.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float
        NaN if `normalize` and there is no true label.

    Notes
    -----
    Cost as `precision_at_k`.

    Highest scores, and the best that any could reach, are those of observed labels; rows without
    any are left out.

    Examples
    --------
    >>> from labelspan.metrics import propensity_scored_precision_at_k
    >>> propensity_scored_precision_at_k(
    ...     [[1, 0, 1]], [[0.9, 0.8, 0.1]], k=1, propensities=[0.5, 0.5, 0.25]
    ... )
    0.5
    """
    ranks = _ranks(Y_true, Y_score, observed, k, ties)
    n_labels = np.shape(Y_score)[-1]
    weights = 1 / _check_propensities(propensities, n_labels)
    places = _places(ranks, k)
    gained = _hits(ranks, places, ties, weights).sum()
    if not normalize:
        return float(gained / (len(ranks.n_true) * k))
    # The best scores are the weights themselves, because false labels have 0 and all weights exceed
    # it.
    shape = len(ranks.n_true), n_labels
    ideal = sparse.csr_array((weights[ranks.label], ranks.label.copy(), ranks.starts), shape=shape)
    best = _hits(rank_labels(ideal.astype(bool), ideal), places, ties, weights).sum()
    return float(gained / best) if best else float("nan")


def _ranks(Y_true: Any, Y_score: Any, observed: Any, k: int, ties: str) -> LabelRanks:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"k={k!r} is out of range; give an integer of at least 1.")
    check_choice("ties", ties, ("average", "first"))
    return rank_labels(Y_true, Y_score, observed)


def _hits(
    ranks: LabelRanks, gain: np.ndarray, ties: str, weights: np.ndarray | None = None
) -> np.ndarray:
    """Sum of the gains at the ranks of the true labels, for each row."""
    if ties == "first":
        taken = gain[ranks.place]
    else:
        total = np.concatenate([[0.0], np.cumsum(gain)])
        taken = (total[ranks.last] - total[ranks.first]) / (ranks.last - ranks.first)
    return ranks.row_sums(taken if weights is None else taken * weights[ranks.label])


def _places(ranks: LabelRanks, k: int) -> np.ndarray:
    return (np.arange(ranks.n_labels.max()) < k).astype(float)


def _check_propensities(propensities: Any, n_labels: int) -> np.ndarray:
    values = np.asarray(propensities, dtype=float)
    if values.shape != (n_labels,) or not (values > 0).all():
        raise ValueError(
            f"propensities has shape {values.shape} and minimum {values.min(initial=np.inf):.3g}; "
            f"it must hold {n_labels} positive numbers, as propensities(Y_train) returns."
        )
    return values
