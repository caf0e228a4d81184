"""Available cases: what the rows with an observed label say of it, as ordinary moments."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from labelspan._blocks import dense
from labelspan._soft import has_holes
from labelspan.moments._digits import EPS, N_NAMED
from labelspan.moments._moments import Moments


class Available(Moments):
    """Moments of X and [T0, M]: labels with 0 in the holes, and which of them are observed.

    With M_ik = 1 where label k of row i is observed, T0 = M * T. All that available cases need is
    in the sums of these 2 q columns, so blocks and chunks add up as other moments do. Moments of
    a block without holes are those of M = 1.
    """

    @classmethod
    def of(
        cls, X: Any, T: Any, weights: np.ndarray | None = None, *, xx: bool = True, tt: bool = True
    ) -> Moments:
        """Moments of one block; plain ones, to the last bit, if all labels are observed."""
        if not has_holes(T):
            return Moments.of(X, T, weights, xx=xx, tt=tt)
        return super().of(X, with_observed(dense(T)), weights, xx=xx, tt=tt)

    def __iadd__(self, other: Moments) -> Moments:
        return super().__iadd__(lifted(other))

    def __radd__(self, other: Moments) -> Moments:
        return lifted(other) + self

    def complete(self) -> Moments:
        r"""Moments of labels of which each row counts as all rows do.

        With the weight n of all rows and n_k of those where label k is observed,

        .. math:: xt_k = \frac{n}{n_k} \sum_{i: M_{ik} = 1} w_i (x_i - \bar x_k) (t_{ik} - \bar t_k)

        about the means over the same rows. Means and scatter of X are those of all rows.

        Returns
        -------
        Moments
            Of q labels; one that is never observed has a mean of 0 and no scatter.
        """
        q = len(self.t_mean) // 2
        share = self.t_mean[q:]
        warn_of_unobserved(share)
        inverse = np.divide(1.0, share, out=np.zeros(q), where=share > 0)
        t_mean = np.clip(self.t_mean[:q] * inverse, 0.0, 1.0)
        both = self.xt[:, :q]
        # X about the mean of all rows: what is left of its mean over the observed ones is in X'M.
        xt = both - t_mean * self.xt[:, q:]
        # What is left of a constant label is rounding.
        lost = np.vecdot(xt.T, xt.T) <= (64 * EPS) ** 2 * np.vecdot(both.T, both.T)
        xt[:, lost] = 0.0
        return Moments(
            self.weight, self.x_mean, t_mean, xt * inverse, self.xx, x_squares=self.x_squares
        )


def with_observed(T: np.ndarray) -> np.ndarray:
    """[T0, M] (n, 2 q) from labels with holes."""
    holes = np.isnan(T)
    return np.hstack([np.where(holes, 0.0, T), ~holes])


def lifted(moments: Moments) -> Available:
    """The same moments with M = 1, which does not vary, beside the labels."""
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
    """Warn of labels that no row has an observation of."""
    never = np.flatnonzero(share <= 0)
    if len(never) == 0:
        return
    shown = ", ".join(map(str, never[:N_NAMED])) + (", ..." if len(never) > N_NAMED else "")
    warnings.warn(
        f"{len(never)} label(s) ({shown}) are observed in no row; they count as constant, and "
        "nothing is learnt of them. Drop these columns of y, or add rows that have them.",
        UserWarning,
        stacklevel=2,
    )


def completed(T: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Labels (n, q) whose products with X are those of available cases, and their means (q,).

    Rows in memory can be multiplied with M_ik (n / n_k) (t_ik - mean_k), which adds up to zero.
    """
    w = np.ones(len(T)) if weights is None else weights
    holes = np.isnan(T)
    share = w @ ~holes / w.sum()
    warn_of_unobserved(share)
    inverse = np.divide(1.0, share, out=np.zeros(len(share)), where=share > 0)
    mean = w @ np.where(holes, 0.0, T) / w.sum() * inverse
    return np.where(holes, 0.0, (T - mean) * inverse), mean
