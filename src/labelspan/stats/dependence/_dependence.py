"""Whether labels depend on features, against all permutations of the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from labelspan.arrays import densified, has_holes
from labelspan.gate import check_size, is_large
from labelspan.linalg.permutation import (
    FEWEST_EFFECTIVE,
    Side,
    add_one,
    exceeds,
    null_moments,
    of_rows,
    upper_tail,
)
from labelspan.moments import Moments
from labelspan.stats._ranks import check_alpha
from labelspan.stats.dependence._draws import permuted, statistic_of
from labelspan.stats.dependence._features import (
    EXACT,
    Features,
    TooLargeError,
    features_of,
    fits_in_one_piece,
    is_short,
    kernel_matrix,
    of_kernel,
    weighted_mean,
)
from labelspan.stats.dependence._labels import test_labels
from labelspan.stats.dependence._result import DependenceResult
from labelspan.stats.dependence._rows import Rows, rows_of


def dependence_test(
    X: Any,
    Y: Any = None,
    *,
    per_label: bool = False,
    sample_weight: Any = None,
    observed: Any = None,
    groups: Any = None,
    kernel: Any = "linear",
    kernel_params: dict[str, Any] | None = None,
    method: str = "moments",
    n_permutations: int = 9999,
    alpha: float = 0.05,
    random_state: int | None = 0,
) -> DependenceResult:
    r"""Test whether labels depend on features, with no permutation where moments suffice.

    .. math:: S = \|X_c'Y_c\|_F^2 = \mathrm{tr}(K L)

    is the dependence (HSIC) that :class:`labelspan.MDDM` maximises, the sum of its eigenvalues. If
    the labels do not depend on the features, each order of the rows of Y is as likely as another.

    Parameters
    ----------
    X : array-like, sparse matrix, frame, Dask array or sequence of blocks
        Features (n_samples, n_features); or blocks (X, Y) or (X, Y, weight) of rows, such as
        :func:`labelspan.datasets.blocks_of` makes, which are read two or three times.
    Y : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_labels)
        Labels, as for ``fit``; NaN where they are not observed. None for blocks. The labels are
        kept in memory.
    per_label : bool, default=False
        Whether to test each label, too.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the rows in the statistic. A row and its weight are one: orders of the labels are
        compared for rows with their weights, so a weight of 2 is not two rows.
    observed : array-like or sparse matrix of bool, (n_samples, n_labels), or None, default=None
        Which labels of a sparse `Y` are observed, where not all of them are.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows of one group are exchangeable, those of different groups are not: labels are centred
        and permuted within the groups. The statistic is then drawn, ``method="permutation"``.
    kernel : str or callable, default="linear"
        A kernel of scikit-learn's ``pairwise_kernels``, "precomputed", or a function of two rows;
        other than "linear" it takes an (n, n) array.
    kernel_params : dict or None, default=None
        Keywords of the kernel, such as ``{"gamma": 0.1}``.
    method : {"moments", "permutation"}, default="moments"
        A Pearson III tail with the exact moments of S, or random permutations. Where the tail would
        not be calibrated, permutations are used, and the result says so.
    n_permutations : int, default=9999
        Number of random permutations where they are used.
    alpha : float, default=0.05
        Level of significance of the labels.
    random_state : int or None, default=0
        Seed of the permutations and of the sampled rows.

    Returns
    -------
    DependenceResult
        Prints as a sentence; see there.

    Notes
    -----
    The mean, variance and third moment of S over all n! permutations are closed forms of eight sums
    per side [1]_, here found from set partitions for any n. They are exact up to 5000 rows or 100
    features; beyond, two of the eight, which fade as 1 / n, come from 1000 rows at random. Time
    O(n D (D + q)), two passes, and O(n^2 D) up to 5000 rows.

    Permutations are used if fewer than 30 rows carry the sums of squared lengths of one side
    (T^2 / S2 of `Side`). A label that one or two rows have, or lack, is tested by enumerating all
    of them, one of fewer than 30 by random sets of rows, the others by their own three moments. P-
    values of labels that hold for discrete sets cannot be uniform: their level is at most `alpha`.

    Missing labels count as the mean of the label, so rows are permuted with what they lack: the
    test is valid if what is observed does not depend on the features either.

    References
    ----------
    .. [1] F. Kazi-Aoual, S. Hitier, R. Sabatier and J.-D. Lebreton, "Refined approximations to
       permutation tests for multivariate inference", Computational Statistics & Data Analysis 20,
       1995.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.stats import dependence_test
    >>> yeast = load_yeast()
    >>> result = dependence_test(yeast.X, yeast.Y, per_label=True)
    >>> round(result.statistic), round(result.null_mean), round(result.null_std)
    (89987, 5537, 556)
    >>> result.labels.rejected.all()
    np.True_
    """
    check_options(method, n_permutations, alpha)
    rng = np.random.default_rng(random_state)
    rows = rows_of(X, Y, sample_weight, observed)
    rows = replace(rows, Y=filled(rows.Y, rows.weights))
    if groups is not None:
        refuse_with_groups(rows, kernel, per_label)
        return within_groups(rows, check_groups(groups, rows), n_permutations, rng)
    posed = pose(rows, kernel, kernel_params, rng)
    return tested(posed, method, n_permutations, alpha, rng, per_label)


@dataclass(frozen=True)
class Posed:
    """The statistic of each label, and the sums of the features, or why there are none."""

    rows: Rows
    statistic: np.ndarray
    mean: np.ndarray | None
    features: Features | None = None
    trouble: str = ""


def tested(
    posed: Posed,
    method: str,
    n_permutations: int,
    alpha: float,
    rng: np.random.Generator,
    per_label: bool,
) -> DependenceResult:
    """The test of all labels, and of each."""
    result = None
    if method == "moments" and not posed.trouble:
        posed, result = by_moments(posed, rng)
    if result is None:
        result = by_permutations(posed, n_permutations, rng)
    if not per_label:
        return result
    if posed.features is None:
        raise ValueError(f"per_label=True is not possible: {posed.trouble}.")
    labels = test_labels(posed.rows, posed.features, posed.statistic, n_permutations, alpha, rng)
    return replace(result, labels=labels)


def pose(rows: Rows, kernel: Any, parameters: dict[str, Any] | None, rng: Any) -> Posed:
    """The statistic and the sums, of the rows or of a kernel matrix of them."""
    if kernel != "linear":
        if not rows.in_memory:
            raise ValueError(f"kernel={kernel!r} takes rows in memory. Compute X first.")
        features = of_kernel(kernel_matrix(rows.X, kernel, parameters), rows.weights)
        Y = centred(rows.Y)
        assert features.K is not None
        return Posed(rows, np.einsum("ij,ij->j", Y, features.K @ Y), None, features)
    xx = rows.weights is None and not fits_in_one_piece(rows)
    large = rows.blocks is None and is_large(rows.X)
    first = rows.total(partial(Moments.of, xx=xx, tt=False, large=large), rows.weights)
    posed = Posed(rows, np.sum(first.xt**2, axis=0), first.x_mean)
    try:
        return replace(posed, features=features_of(rows, first, rng))
    except TooLargeError as error:
        return replace(posed, trouble=str(error))


def by_moments(posed: Posed, rng: np.random.Generator) -> tuple[Posed, DependenceResult | None]:
    """The test by the tail of a Pearson III distribution, or the reason against it."""
    assert posed.features is not None
    side, third = posed.features.side, posed.features.third
    try:
        labels, third_of_labels = side_of_labels(posed.rows.Y, rng)
    except TooLargeError as error:
        return replace(posed, trouble=str(error)), None
    total = float(posed.statistic.sum())
    effective = min(float(side.effective_rows), float(labels.effective_rows))
    null = null_moments(side, labels)
    if effective < FEWEST_EFFECTIVE and null.variance > 0:
        trouble = f"about {effective:.0f} rows carry one side, and a tail needs {FEWEST_EFFECTIVE}"
        return replace(posed, trouble=trouble), None
    result = DependenceResult(
        total,
        float(upper_tail(total, null)),
        float(null.mean),
        float(np.sqrt(null.variance)),
        float(null.skewness),
        "pearson3",
        third if third != EXACT else third_of_labels,
        "",
        posed.rows.shape[0],
        0,
    )
    return posed, result


def side_of_labels(Y: Any, rng: np.random.Generator) -> tuple[Side, str]:
    """The sums of the labels; rows with the same labels are counted."""
    n, q = Y.shape
    first, counts = distinct_rows(Y, rng)
    if is_short(len(first)):
        A = densified(Y[first]) - counts @ Y[first] / n
        return of_rows(A, counts.astype(np.float64)), EXACT
    rows = Rows(Y, np.zeros((n, 1)), None, (n, q))
    found = features_of(rows, None, rng)
    return found.side, found.third


def distinct_rows(Y: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The first of equal rows, and how many there are: equal rows have equal random sums."""
    sums = Y @ rng.standard_normal((Y.shape[1], 2))
    _, first, counts = np.unique(sums @ np.array([1, 1j]), return_index=True, return_counts=True)
    return first, counts


def by_permutations(posed: Posed, n_draws: int, rng: np.random.Generator) -> DependenceResult:
    """The test by random permutations of all labels."""
    rows, K = posed.rows, None if posed.features is None else posed.features.K
    if K is None and not rows.in_memory:
        raise ValueError(
            f"Permutations need rows in memory, and X has {rows.shape[0]} that are not"
            f"{': ' + posed.trouble if posed.trouble else ''}. Compute X first, or pass a part."
        )
    Y = rows.Y if K is None else centred(rows.Y)
    return drawn(rows, Y, posed.mean, K, None, posed.trouble, n_draws, rng)


def within_groups(
    rows: Rows, groups: np.ndarray, n_draws: int, rng: np.random.Generator
) -> DependenceResult:
    """The test by permutations within groups, of labels that are centred there."""
    Y, sizes = densified(rows.Y), np.bincount(groups)
    sums = np.zeros((len(sizes), Y.shape[1]))
    np.add.at(sums, groups, Y)
    Y = Y - (sums / sizes[:, None])[groups]
    mean = weighted_mean(rows.X, rows.weights)
    reason = "rows are exchangeable within their groups only"
    return drawn(rows, Y, mean, None, groups, reason, n_draws, rng)


def drawn(
    rows: Rows,
    Y: Any,
    mean: np.ndarray | None,
    K: np.ndarray | None,
    groups: np.ndarray | None,
    reason: str,
    n_draws: int,
    rng: np.random.Generator,
) -> DependenceResult:
    """The result of random permutations of the labels."""
    squares = statistic_of(rows, mean, K)
    total = float(squares(Y).sum())
    found = permuted(Y, squares, n_draws, groups, rng).sum(axis=1)
    spread = float(found.std())
    skewness = float(np.mean((found - found.mean()) ** 3) / spread**3) if spread > 0 else 0.0
    p = float(add_one(int(exceeds(found, total).sum()), n_draws))
    moments = float(found.mean()), spread, skewness
    return DependenceResult(total, p, *moments, "permutation", "", reason, rows.shape[0], n_draws)


def filled(Y: Any, weights: np.ndarray | None) -> Any:
    """Labels with the mean of the observed ones where they are missing."""
    if not has_holes(Y):
        return Y
    seen = ~np.isnan(Y)
    w = np.ones(len(Y)) if weights is None else weights
    totals = w @ seen
    means = (w @ np.where(seen, Y, 0.0)) / np.where(totals > 0, totals, 1.0)
    return np.where(seen, Y, means)


def centred(Y: Any) -> np.ndarray:
    """Labels minus their means, dense."""
    check_size(Y.shape, "The centred labels", "Test groups of labels at a time.")
    Y = densified(Y)
    return np.asarray(Y - Y.mean(axis=0), dtype=np.float64)


def check_options(method: str, n_permutations: Any, alpha: float) -> None:
    """Refuse parameters out of range."""
    check_alpha(alpha)
    if method not in ("moments", "permutation"):
        raise ValueError(f"method={method!r} is unknown; use 'moments' or 'permutation'.")
    if not isinstance(n_permutations, Integral) or n_permutations < 19:
        raise ValueError(
            f"n_permutations={n_permutations!r} is out of range; give an integer from 19, which "
            "allows p-values from 0.05."
        )


def refuse_with_groups(rows: Rows, kernel: Any, per_label: bool) -> None:
    """Refuse what is not tested within groups."""
    if kernel != "linear" or per_label or not rows.in_memory:
        raise ValueError(
            "groups= tests all labels together, with rows in memory and kernel='linear'. Leave out "
            "per_label and kernel, or test the rows of each group by themselves."
        )


def check_groups(groups: Any, rows: Rows) -> np.ndarray:
    """Numbers (n,) of the groups."""
    found = np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
    if len(found) != rows.shape[0]:
        raise ValueError(
            f"groups has {len(found)} entries for {rows.shape[0]} rows of positive weight; pass "
            "one per row, and leave out rows of weight 0."
        )
    return found
