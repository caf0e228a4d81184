"""How stable directions are: a bootstrap from one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import in_memory
from labelspan.base import LinearReducer
from labelspan.gate import check_fit
from labelspan.inspection._resamples import BlockSums, block_of_rows
from labelspan.inspection._scores import feature_names


@dataclass(frozen=True, eq=False)
class BootstrapResult:
    """What changes in the directions of a reducer from resample to resample.

    Parameters
    ----------
    eigenvalues : ndarray of shape (n_components,)
        Those of the model.
    intervals : ndarray of shape (n_components, 2)
        Basic (reflected) intervals of the eigenvalues at `level`.
    resampled : ndarray of shape (n_resamples, n_components)
        Eigenvalues of the resamples, scaled to the weight of all rows.
    angles : ndarray of shape (n_resamples,)
        Largest principal angle between the subspaces of resample and model, in degrees.
    components_std : ndarray of shape (n_components, n_features)
        Standard deviations of the weights, after a rotation of each resample to the model.
    frequency : ndarray of shape (n_features,)
        Share of the resamples in which a feature is among the `n_top` with the largest weights.
    feature_names : ndarray of str
        Names of the features.
    n_blocks, n_top : int
        Blocks of rows; features counted in `frequency`.
    level : float
        Level of the intervals.
    """

    eigenvalues: np.ndarray
    intervals: np.ndarray
    resampled: np.ndarray
    angles: np.ndarray
    components_std: np.ndarray
    frequency: np.ndarray
    feature_names: np.ndarray
    n_blocks: int
    n_top: int
    level: float


def bootstrap(
    model: Any,
    X: Any,
    Y: Any,
    *,
    n_resamples: int = 200,
    n_blocks: int = 100,
    sample_weight: Any = None,
    groups: Any = None,
    n_top: int = 10,
    level: float = 0.95,
    random_state: int = 0,
) -> BootstrapResult:
    """Intervals of eigenvalues, angles and weights of a fitted reducer, from one pass over X.

    Rows are divided into blocks by a hash of their numbers. Each resample counts every block a
    Poisson(1) number of times, pools the sums of the blocks, and solves one small eigenproblem: the
    same as a fit with these numbers as weights.

    Parameters
    ----------
    model : MDDM, MVMD, OPLS or LabelCCA
        Fitted. A ridge that was chosen is kept.
    X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
        The rows of ``fit``.
    Y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
        Their labels, all observed.
    n_resamples : int, default=200
        Number of resamples.
    n_blocks : int, default=100
        Number of blocks, at least 30.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the rows in ``fit``.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows of one group stay in one block, such as repeated measurements.
    n_top : int, default=10
        Features counted in `frequency`.
    level : float, default=0.95
        Level of the intervals.
    random_state : int, default=0
        Seed of the blocks and of the counts.

    Returns
    -------
    BootstrapResult
        With intervals for eigenvalues that are well separated; nothing is promised for ties and
        for eigenvalues near 0.

    Notes
    -----
    Eigenvalues of resamples are too large, as those of the sample are; percentile intervals add
    both errors, reflected ones subtract one from the other. Memory: n_blocks times the sums of the
    model, D (D + q) numbers, or D q where it needs no scatter matrix.

    Examples
    --------
    >>> from labelspan import OPLS
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.inspection import bootstrap
    >>> yeast = load_yeast()
    >>> model = OPLS(2, ridge=1.0).fit(yeast.X, yeast.Y)
    >>> result = bootstrap(model, yeast.X, yeast.Y, n_resamples=30)
    >>> result.intervals.shape, len(result.angles)
    ((2, 2), 30)
    """
    check_numbers(n_resamples, n_blocks, n_top, level)
    model = with_known_ridge(model)
    X, labels = check_fit(clone(model), X, Y, sample_weight)
    if labels.missing:
        raise ValueError("Y has labels that are not observed. Drop these rows, or fill them in.")
    (n, D), q = X.shape, labels.Y.shape[1]
    if groups is not None and len(groups) != n:
        raise ValueError(f"groups has {len(groups)} entries for {n} rows; pass one per row.")
    pencil = model._pencil((n, q))
    xx = pencil.needs(n, D, q, model.n_components_)["scatter"]
    blocks = block_of_rows(n, n_blocks, random_state, groups)
    given = X, in_memory(labels.Y), labels.weights, blocks
    sums = BlockSums.of(*given, xx=xx, tt=model._label_scatter)
    rng = np.random.default_rng(random_state)
    k, values, angles, turned = model.n_components_, [], [], []
    for _ in range(n_resamples):
        pairs = model._solved(sums.pooled(counts_of_blocks(sums.weight, rng)), pencil)[0]
        V = pairs.vectors[:, :k].T
        values.append(np.pad(pairs.values[:k], (0, max(k - len(pairs.values), 0))))
        angles.append(np.degrees(linalg.subspace_angles(V.T, model.components_.T)).max())
        turned.append(onto(V, model.components_))
    resampled, turned_ = np.array(values), np.array(turned)
    tail = (1 - level) / 2
    low, high = np.quantile(resampled, (tail, 1 - tail), axis=0)
    eigenvalues = model.eigenvalues_[:k]
    return BootstrapResult(
        eigenvalues,
        np.column_stack([2 * eigenvalues - high, 2 * eigenvalues - low]),
        resampled,
        np.array(angles),
        turned_.std(axis=0),
        frequency_of_top(np.linalg.norm(turned_, axis=1), n_top),
        feature_names(model),
        len(sums.weight),
        n_top,
        level,
    )


def with_known_ridge(model: Any) -> Any:
    """The fitted model with the ridge that it chose as its parameter."""
    check_is_fitted(model)
    own = isinstance(model, LinearReducer) and (
        type(model)._summarise is LinearReducer._summarise
        and type(model)._pencil is not LinearReducer._pencil
    )
    if not own or getattr(model, "label_kernel", None) is not None:
        raise TypeError(
            f"{type(model).__name__} has other sums than those of blocks of rows; bootstrap takes "
            "MDDM, MVMD, OPLS and LabelCCA. Use stability for selectors."
        )
    known = clone(model).set_params(n_components=int(model.n_components_))
    for name in ("ridge", "mu"):
        if getattr(model, name, None) == "auto" and hasattr(model, f"{name}_"):
            known.set_params(**{name: getattr(model, f"{name}_") or "auto"})
    vars(known).update({k: v for k, v in vars(model).items() if k.endswith("_")})
    return known


def counts_of_blocks(weight: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Poisson counts of the blocks, scaled so that they have the weight of all rows."""
    counts = rng.poisson(1.0, len(weight)).astype(np.float64)
    return counts * (weight.sum() / (counts @ weight))


def onto(V: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Directions V (k, D), rotated to be nearest to those of the model."""
    V = np.pad(V, ((0, len(target) - len(V)), (0, 0)))
    U, _, W = linalg.svd(target @ V.T)
    return np.asarray((U @ W) @ V)


def frequency_of_top(importance: np.ndarray, n_top: int) -> np.ndarray:
    """How often each feature is among the first, (D,), from (n_resamples, D)."""
    order = np.argsort(-importance, axis=1, kind="stable")[:, :n_top]
    return np.bincount(order.ravel(), minlength=importance.shape[1]) / len(importance)


def check_numbers(n_resamples: Any, n_blocks: Any, n_top: Any, level: float) -> None:
    """Refuse parameters out of range."""
    for name, value, least in (
        ("n_resamples", n_resamples, 20),
        ("n_blocks", n_blocks, 30),
        ("n_top", n_top, 1),
    ):
        if not isinstance(value, Integral) or value < least:
            raise ValueError(f"{name}={value!r} is out of range; give an integer from {least}.")
    if not 0 < level < 1:
        raise ValueError(f"level={level!r} is out of range; give a number in (0, 1), such as 0.95.")
