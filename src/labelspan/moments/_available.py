"""Available cases: each label is summed over the rows where it is observed."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg

from labelspan.arrays import dense, like
from labelspan.gate import has_holes
from labelspan.moments._moments import EPS, Moments

# Columns named in a warning.
N_NAMED = 5


class Available(Moments):
    """Moments of X and [T0, M]: labels with 0 where missing, and the mask of observed labels.

    M_ik = 1 if label k of row i is observed, and T0 = M * T. Their sums hold all that available
    cases need, so blocks add up like other moments. A block without missing labels has M = 1.
    """

    @classmethod
    def of(cls, X: Any, T: Any, weights: np.ndarray | None = None, **wanted: Any) -> Moments:
        """Moments of one block; bit for bit the plain ones if all labels are observed."""
        if not has_holes(T):
            return Moments.of(X, T, weights, **wanted)
        holes = np.isnan(T := dense(T))
        both = np.hstack([np.where(holes, 0.0, T), ~holes])
        return super().of(X, both, weights, **wanted)

    @property
    def observed(self) -> np.ndarray:
        """Share of the rows in which a label is observed, (q,)."""
        return self.t_mean[len(self.t_mean) // 2 :]

    def __iadd__(self, other: Moments) -> Moments:
        return super().__iadd__(lifted(other))

    def __radd__(self, other: Moments) -> Moments:
        return lifted(other) + self

    def pairs(self) -> tuple[np.ndarray, np.ndarray | None, float]:
        """Label scatter over pairs, see :func:`over_pairs` and :func:`nearest_psd`."""
        sums = self.tt + self.weight * np.outer(self.t_mean, self.t_mean)
        return nearest_psd(over_pairs(sums, self.weight))

    def complete(self) -> Moments:
        """Moments of each label over its observed rows, rescaled to the weight n of all rows.

        xt_k = n / n_k sum_{i: M_ik = 1} w_i (x_i - mean_k) (t_ik - mean_k), about the means of the
        same rows. The label scatter is that of pairs, see :func:`over_pairs`, without its negative
        eigenvalues, and xt without their eigenvectors.
        """
        q, share = len(self.observed), self.observed
        warn_of_unobserved(share)
        inverse = np.divide(1.0, share, out=np.zeros(q), where=share > 0)
        t_mean = np.clip(self.t_mean[:q] * inverse, 0.0, 1.0)
        both = self.xt[:, :q]
        # X is centred at the mean of all rows; X'M holds its remaining mean over the observed rows.
        xt = both - t_mean * self.xt[:, q:]
        zero_constant(xt, *(np.sqrt(np.vecdot(A.T, A.T)) for A in (xt, both)))
        xt *= inverse
        tt, clipped = None, 0.0
        if self.tt is not None:
            tt, kept, clipped = self.pairs()
            # A label without scatter has no products with X either, because tt v = 0 implies xt v
            # = 0.
            xt = xt if kept is None else (xt @ kept) @ kept.T
        means = self.x_mean, t_mean
        seen = float(share.mean()) if q else 1.0
        return Moments(self.weight, *means, xt, self.xx, tt, self.x_squares, clipped, seen)


def lifted(moments: Moments) -> Available:
    """The same moments with the constant columns M = 1 added to the labels."""
    if isinstance(moments, Available):
        return moments
    q = len(moments.t_mean)
    return Available(
        moments.weight,
        moments.x_mean,
        np.concatenate([moments.t_mean, np.ones(q)]),
        np.pad(moments.xt, ((0, 0), (0, q))),
        moments.xx,
        None if moments.tt is None else np.pad(moments.tt, ((0, q), (0, q))),
        moments.x_squares,
    )


def warn_of_unobserved(share: np.ndarray) -> None:
    """Warn of labels that are observed in no row."""
    never = np.flatnonzero(share <= 0)
    if len(never) == 0:
        return
    shown = ", ".join(map(str, never[:N_NAMED])) + (", ..." if len(never) > N_NAMED else "")
    warnings.warn(
        f"{len(never)} label(s) ({shown}) are observed in no row; they count as constant, and "
        "nothing is learnt from them. Drop these columns of y, or add rows that have them.",
        stacklevel=2,
    )


def completed(T: np.ndarray, weights: np.ndarray | None, tt: bool) -> tuple[np.ndarray, Moments]:
    """Labels (n, q) whose products with X are those of available cases, and their own moments.

    Rows in memory can be multiplied with M_ik (n / n_k) (t_ik - mean_k), by one product with X.
    """
    labels = label_moments(T, weights, tt)
    moments = labels.complete()
    # A label that is never observed has no entry to scale.
    filled = (T - moments.t_mean) / np.where(labels.observed > 0, labels.observed, 1.0)
    filled[np.isnan(filled)] = 0.0
    zero_constant(filled, np.maximum(filled.max(axis=0), -filled.min(axis=0)))
    kept = labels.pairs()[1] if tt else None
    return filled if kept is None else (filled @ kept) @ kept.T, moments


def of_observed(filled: Moments, labels: Moments) -> Moments:
    """Moments of X and of filled labels, with means and scatter of the labels themselves."""
    t_mean, tt = (like(filled.xt, A) for A in (labels.t_mean, labels.tt))
    clipped, share = labels.tt_clipped, labels.share
    return replace(filled, t_mean=t_mean, tt=tt, tt_clipped=clipped, share=share)


def label_moments(T: np.ndarray, weights: np.ndarray | None, tt: bool) -> Available:
    """Moments of [T0, M] without features."""
    n_rows, q = T.shape
    if tt:
        return lifted(Available.of(np.empty((n_rows, 0)), T, weights, xx=False))
    w = np.ones(n_rows) if weights is None else weights
    holes = np.isnan(T)
    means = np.concatenate([w @ np.where(holes, 0.0, T), w.sum() - w @ holes]) / w.sum()
    return Available(float(w.sum()), np.zeros(0), means, np.zeros((0, 2 * q)))


def over_pairs(sums: np.ndarray, weight: float) -> np.ndarray:
    """Label scatter (q, q), each pair over the rows where both are observed, scaled to all rows.

    From `sums` (2 q, 2 q) of products of [T0, M], with n_kl in M'M and the sums of t_k over a pair
    in T0'M: tt_kl = n / n_kl ((T0'T0)_kl - (T0'M)_kl (T0'M)_lk / n_kl).
    """
    q = len(sums) // 2
    products, ones, counts = sums[:q, :q], sums[:q, q:], sums[q:, q:]
    seen = counts > 64 * EPS * weight
    inverse = np.divide(1.0, counts, out=np.zeros((q, q)), where=seen)
    tt = products - ones * ones.T * inverse
    sizes = np.diag(tt).copy(), np.diag(products)
    zero_constant(tt, *sizes)
    zero_constant(tt.T, *sizes)
    return weight * inverse * tt


def zero_constant(A: np.ndarray, left: np.ndarray, of: np.ndarray | float = 1.0) -> None:
    """Zero the rounding error of constant labels: columns of size `left` after a subtraction."""
    A[:, left <= 64 * EPS * of] = 0.0


def nearest_psd(tt: np.ndarray) -> tuple[np.ndarray, np.ndarray | None, float]:
    """The scatter without its negative eigenvalues, a basis (q, r) of its range, and their share.

    Pairs are summed over different rows, so together they need not be a scatter matrix. No basis if
    no eigenvalue is negative.
    """
    values, vectors = linalg.eigh(tt, check_finite=False)
    if values.min(initial=0.0) >= -64 * EPS * values.max(initial=0.0):
        return tt, None, 0.0
    positive = values > 0
    kept = vectors[:, positive]
    half = kept * np.sqrt(values[positive])
    return half @ half.T, kept, float(-values[~positive].sum() / values[positive].sum())
