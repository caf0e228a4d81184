"""How much a row counts for each label: the weights W (n, q) of MLDA and DMLDA."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from labelspan.arrays import doubles, namespace, sums
from labelspan.compat import StrOptions
from labelspan.linalg import EPS
from labelspan.moments import BLOCK_BYTES, Moments, Sample, anchored, collect, row_blocks, scaled
from labelspan.registry import IN_MEMORY, ON_HOST

WEIGHTS: list[Any] = [
    StrOptions({"binary", "entropy", "correlation", "fuzzy", "dependence"}),
    "array-like",
]
# Warn unless the fuzzy weights change by less than this in an iteration.
FUZZY_CHANGE, FUZZY_TURNS = 1e-6, 1000
TINY = np.finfo(np.float64).tiny


def is_row_local(weights: Any) -> bool:
    """Whether the weights of a row depend on its labels only: one pass over the data."""
    return isinstance(weights, str) and weights in ("binary", "entropy")


def refusals(weights: Any) -> dict[str, str]:
    """Inputs that ``fit`` refuses with these weights, with reasons."""
    if not isinstance(weights, str):
        reason = "weights has a row for each of X; multiply the rows of weights instead"
        return {"dask": IN_MEMORY, "sample_weight": reason}
    if weights in ("fuzzy", "dependence"):
        return {"dask": IN_MEMORY, "device": f"with weights={weights!r} {ON_HOST}"}
    return {}


def check_weights(weights: Any, shape: tuple[int, int], most: float) -> None:
    """Refuse an array of weights with a wrong shape or values outside [0, most]."""
    if isinstance(weights, str):
        return
    W = check_array(weights, dtype=np.float64, input_name="weights")
    if W.shape != shape:
        raise ValueError(
            f"weights has shape {W.shape}; expected {shape}, one row per row of X and one column "
            "per label."
        )
    # Weights that were normalised may exceed 1 by their rounding.
    wrong = np.argwhere((W < 0) | (most * (1 + 1e-12) < W))
    if len(wrong):
        row, column = wrong[0]
        allowed = "0 or more" if np.isinf(most) else f"0 to {most:g}"
        raise ValueError(
            f"weights[{row}, {column}] is {W[row, column]:g}; allowed is {allowed}. Divide the "
            "weights by their maximum, after setting negative ones to 0."
        )


@dataclass(frozen=True)
class LabelWeights:
    """W = of_rows(Y) C as two factors, of which the first is sparse if Y is; C None means I."""

    of_rows: Callable[[Any], Any]
    C: np.ndarray | None = None

    def sums(self, rows: Any) -> np.ndarray:
        """Sums of the rows of W, (n,), from the first factor."""
        return sums(rows, axis=1) if self.C is None else rows @ sums(self.C, axis=1)

    def moments(self, of_rows: Moments) -> Moments:
        """Moments with the targets ``of_rows(Y) C`` from those with ``of_rows(Y)``."""
        if self.C is None:
            return of_rows
        return replace(of_rows, xt=of_rows.xt @ self.C, t_mean=of_rows.t_mean @ self.C)


def weighed(sample: Sample, weights: Any) -> tuple[Sample, LabelWeights]:
    """The sample, and the weights of a block of its labels."""
    if not isinstance(weights, str):
        return replace(sample, Y=np.asarray(weights, dtype=np.float64)), LabelWeights(as_given)
    if weights == "binary":
        return sample, LabelWeights(as_given)
    if weights == "entropy":
        return sample, LabelWeights(shared)
    if weights == "correlation":
        # The first pass reads only the labels; on a cluster it must not load X.
        together = collect(replace(sample, X=sample.Y), cooccurrence)
        # A row also counts for labels similar to its own: W = Y C / c is dense, its factors not.
        return sample, LabelWeights(shared, label_similarity(together))
    of_all = fuzzy if weights == "fuzzy" else dependent
    W = of_all(sample.X, doubles(sample.Y), sample.weights)
    return replace(sample, Y=W), LabelWeights(as_given)


def as_given(Y: Any) -> Any:
    """W = Y."""
    return Y


def shared(Y: Any) -> Any:
    """W = y_i / c_i: the labels of a row share it."""
    return scaled(Y, inverse(sums(Y, axis=1)))


def cooccurrence(X: Any, Y: Any, weights: np.ndarray | None = None) -> np.ndarray:
    """Y'Y of one block, (q, q): how often two labels occur together."""
    return doubles(Y.T @ scaled(Y, weights))


def label_similarity(together: np.ndarray) -> np.ndarray:
    """C of Eq. (43): cosines between label columns, 0 for a label without rows."""
    xp = namespace(together)
    scale = inverse(xp.sqrt(xp.linalg.diagonal(together)))
    return together * (scale[:, None] * scale[None, :])


def fuzzy(X: Any, Y: np.ndarray, row_weights: np.ndarray | None = None) -> np.ndarray:
    """W_ik = d_ik^-2 / sum_l d_il^-2 over the labels of row i, d_ik its distance to centre k.

    The centres are means of the rows weighted by W_ik^2. Starting from ``shared``, centres and
    weights are computed alternately until no weight changes by 1e-6. O(n D q) per iteration, memory
    O(n q + D q).
    """
    X = anchored(X)[0]
    W = shared(Y)
    mean = moments_of(X, W, row_weights).x_mean
    squares = about(X, mean, squared_lengths)
    for _ in range(FUZZY_TURNS):
        moments = moments_of(X, W**2, row_weights)
        centres = moments.xt * inverse(moments.weight * moments.t_mean)
        lengths = squares[:, None] + squared_lengths(centres.T)
        distances = lengths - 2 * about(X, mean, partial(times, centres))
        before, W = W, memberships(Y, distances, 64 * EPS * lengths)
        change = float(np.abs(W - before).max())
        if change < FUZZY_CHANGE:
            # Labels with the same rows get the same weights, so that their rounding forms no
            # direction.
            return np.round(W, 12)
    warnings.warn(
        f"The fuzzy weights still change by {change:.1e} after {FUZZY_TURNS} iterations; the goal "
        f"is {FUZZY_CHANGE:g}. Scale the features, or use weights='entropy'.",
        ConvergenceWarning,
        stacklevel=2,
    )
    return W


def memberships(Y: np.ndarray, distances: np.ndarray, rounding: np.ndarray) -> np.ndarray:
    """Shares of the labels of a row by 1 / distance^2; a label at distance 0 gets all."""
    at_centre = (Y > 0) & (distances <= rounding)
    nearness = at_centre.astype(np.float64)
    others = (Y > 0) & ~at_centre.any(axis=1, keepdims=True)
    nearness[others] = 1.0 / distances[others]
    return nearness * inverse(nearness.sum(axis=1))[:, None]


def dependent(
    X: Any, Y: np.ndarray, row_weights: np.ndarray | None = None, n_epochs: int | None = None
) -> np.ndarray:
    """Local maximum of the dependence |Xc'W|^2 (HSIC) over weights that a row's labels share.

    Starting from ``shared``, row by row, all weight goes to the label with the largest g_ik = x_i'
    G_k, which never lowers the dependence, until no row changes. G = Xc'W (D x q) is updated by
    rank one: O(D c_i) per row, O(n D c) per epoch, no n x n matrix. Rows far from the mean come
    first, so that the order of the rows matters only where these tie.

    With row weights, Xc' diag(row_weights) W replaces Xc'W. `n_epochs`: None sets no limit.
    """
    X = anchored(X)[0]
    W = shared(Y)
    moments = moments_of(X, W, row_weights)
    mean, G = moments.x_mean, np.ascontiguousarray(moments.xt.T)
    copies = np.ones(len(W)) if row_weights is None else row_weights
    lengths = np.sqrt(about(X, mean, squared_lengths))
    # Rows of counts often have equal distances from the mean; rounding must not order them.
    order = np.argsort(-np.round(lengths / max(lengths.max(), TINY), 10), kind="stable")
    order = order[sums(Y[order], axis=1) > 1]
    blocks = np.array_split(order, 1 + len(order) * X.shape[1] * 8 // BLOCK_BYTES)
    changed, epoch = len(order) > 0, 0
    while changed and epoch != n_epochs:
        rounding = 64 * EPS * np.linalg.norm(G) * lengths
        moved = [sweep(centred_rows(X[i], mean), i, rounding, copies, Y, W, G) for i in blocks]
        changed, epoch = any(moved), epoch + 1
    return W


def sweep(
    X: np.ndarray,
    numbers: np.ndarray,
    rounding: np.ndarray,
    copies: np.ndarray,
    Y: np.ndarray,
    W: np.ndarray,
    G: np.ndarray,
) -> bool:
    """Assign each of the rows to its best label, W and G in place; return whether any changed."""
    changed = False
    for x, i in zip(X, numbers, strict=True):
        labels = np.flatnonzero(Y[i])
        g, w = G[labels] @ x, W[i, labels]
        # The first of equally good labels; a row keeps its label on ties, so that epochs end.
        best = int(np.argmax(g >= g.max() - rounding[i]))
        if w.max() == 1.0 and g[best] <= w @ g + rounding[i]:
            continue
        W[i, labels] = 0.0
        W[i, labels[best]] = 1.0
        G[labels] += np.outer(copies[i] * (W[i, labels] - w), x)
        changed = True
    return changed


def moments_of(X: Any, W: np.ndarray, row_weights: np.ndarray | None) -> Moments:
    """Moments with xt = Xc'W, (D, q), of a sample in memory."""
    sample = Sample(X, W, weights=row_weights)
    return collect(sample, partial(Moments.of, xx=False, tt=False), tall=False)


def about(X: Any, mean: np.ndarray, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """function(Xc) by blocks of rows, in float64."""
    return np.concatenate([function(centred_rows(X[rows], mean)) for rows in row_blocks(X)])


def squared_lengths(rows: np.ndarray) -> np.ndarray:
    """Squared Euclidean lengths of the rows."""
    return np.einsum("ij,ij->i", rows, rows)


def times(C: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Inner products of the rows with the columns of C."""
    return rows @ C


def centred_rows(X: Any, mean: np.ndarray) -> np.ndarray:
    """A block of rows about the mean, dense."""
    return doubles(X) - mean


def inverse(values: Any) -> Any:
    """1 / values, and 0 for 0."""
    xp, positive = namespace(values), values > 0
    safe = xp.where(positive, values, xp.ones_like(values))
    return xp.where(positive, 1.0 / safe, xp.zeros_like(values))
