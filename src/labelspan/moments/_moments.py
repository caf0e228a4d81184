"""Centred first and second moments of (X, T); two samples add up with ``+``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite

from labelspan.arrays import cast, copied, dense, diagonal, is_device, like, namespace, sums
from labelspan.moments._large import indicators, sums_of, together
from labelspan.moments._on_device import block_sums

EPS = float(np.finfo(np.float64).eps)
# Share of the multiplications of dense rows from which X'T is faster by rows made dense, and the
# entries of a block of them: with both factors sparse (measured: a density of 0.1), with one.
DENSE_FROM = {"two sparse": 0.01, "one sparse": 0.45}
BLOCK_ENTRIES = 2**18
# Entries of an outer product that are held at a time; they stay in the cache.
OUTER_NUMBERS = 2**15
# The same on a device, where starting a step costs more than a few million numbers.
DEVICE_NUMBERS = 2**22


@dataclass(frozen=True)
class Moments:
    """Weighted sums of squares and products about the mean (scatter, not covariance).

    ``a + b`` are the moments of both samples together, so chunks, memory maps, ``partial_fit`` and
    Dask arrays use the same code. `xt` (D, q), `xx` (D, D) and `tt` (q, q) are None if not
    requested; then `x_squares` (D,) is the diagonal of xx. `share` is the mean share of the rows in
    which a label is observed.
    """

    weight: float
    x_mean: np.ndarray
    t_mean: np.ndarray
    xt: Any
    xx: Any = None
    tt: Any = None
    x_squares: Any = None
    tt_clipped: float = 0.0
    share: float = 1.0

    @classmethod
    def of(
        cls,
        X: Any,
        T: Any,
        weights: np.ndarray | None = None,
        *,
        xx: bool = True,
        tt: bool = True,
        xt: bool = True,
        large: bool = False,
    ) -> Moments:
        """Moments of one block, exact up to rounding.

        A dense block is centred *before* the product, because centring afterwards loses all digits
        if the mean is large; in a sparse one, only columns without zeros. `large`: the block is one
        of a large array, so compiled loops are worth loading.
        """
        if is_device(X) or is_device(T):
            return cls(*block_sums(X, T, weights, xx=xx, tt=tt))
        ones = indicators(X, T, weights) if large else None
        if ones is not None:
            return cls.of_ones(X, ones, xx=xx, tt=tt)
        w = np.ones(X.shape[0]) if weights is None else weights
        weight = float(w.sum())
        X, shift = anchored(X) if sparse.issparse(X) else (X, 0.0)
        (Xw, x_mean), (Tw, t_mean) = centred(X, w), centred(T, w)
        if weights is not None:
            # sqrt(w) on both factors keeps the product of an array with itself a symmetric update.
            Xw, Tw = (scaled(A, np.sqrt(w)) for A in (Xw, Tw))
        XT: Any = product(Xw, Tw) if xt else None
        if xt and sparse.issparse(X) and sparse.issparse(T):
            # One centred side is enough; a correction is needed only if neither is centred.
            XT -= weight * np.outer(x_mean, t_mean)
        XX: Any = product(Xw, Xw) if xx else None
        TT: Any = product(Tw, Tw) if tt else None
        if xx and sparse.issparse(X):
            about_mean(XX, weight, x_mean)
            if xt:
                XT[np.diag(XX) == 0] = 0.0
        if tt and sparse.issparse(T):
            about_mean(TT, weight, t_mean)
        squares = None if xx else sums_of_squares(Xw, weight, x_mean)
        return cls(weight, shift + x_mean, t_mean, XT, XX, TT, squares)

    @classmethod
    def of_ones(cls, X: np.ndarray, T: sparse.csr_array, *, xx: bool, tt: bool) -> Moments:
        """The same of a large block whose labels are 0 or 1, by sums over the rows of a label."""
        weight, sums = float(len(X)), sums_of(X, T, xx=xx)
        t_mean = sums.counts / weight
        if not np.isfinite(sums.total).all():
            assert_all_finite(X, input_name="X")
        offset = sums.total / weight
        # The products are centred at the origin, which is near the mean, so few digits cancel.
        XT = (sums.labelled - np.outer(t_mean, sums.total)).T
        XX = None if sums.scatter is None else mirrored(sums.scatter, weight, offset)
        squares = None if xx else np.maximum(sums.squares - weight * offset**2, 0.0)
        TT = about_mean(together(T), weight, t_mean) if tt else None
        return cls(weight, sums.origin + offset, t_mean, XT, XX, TT, squares)

    def __add__(self, other: Moments) -> Moments:
        xx = None if self.xx is None else copied(self.xx)
        tt = None if self.tt is None else copied(self.tt)
        xt = None if self.xt is None else copied(self.xt)
        total = replace(self, xt=xt, xx=xx, tt=tt)
        total += other
        return total

    def __iadd__(self, other: Moments) -> Moments:
        """The same in place, for the owner of these arrays."""
        if type(other) is not type(self):
            return NotImplemented
        weight = self.weight + other.weight
        if weight == 0:
            return self
        share = other.weight / weight
        # The pooled scatter gains a rank-one term, because the two means differ.
        gain = self.weight * share
        dx, dt = other.x_mean - self.x_mean, other.t_mean - self.t_mean
        add_pooled(self.xt, other.xt, gain * dx, dt)
        add_pooled(self.xx, other.xx, gain * dx, dx)
        add_pooled(self.tt, other.tt, gain * dt, dt)
        squares = self.x_squares
        return replace(
            self,
            weight=weight,
            x_mean=self.x_mean + share * dx,
            t_mean=self.t_mean + share * dt,
            x_squares=None if squares is None else squares + other.x_squares + gain * dx**2,
        )

    def __sub__(self, part: Moments) -> Moments:
        """Moments of the rows that are not in `part`, with the rounding of the whole."""
        weight = self.weight - part.weight
        if weight <= 0:
            raise ValueError(
                f"the part weighs {part.weight:g} and the sample {self.weight:g}; the part must "
                "leave some rows."
            )
        share = part.weight / weight
        dx, dt = part.x_mean - self.x_mean, part.t_mean - self.t_mean
        # Inverse of __add__: both means are known relative to the pooled one.
        gain = -part.weight * self.weight / weight
        return Moments(
            weight=weight,
            x_mean=self.x_mean - share * dx,
            t_mean=self.t_mean - share * dt,
            xt=self.xt - part.xt + gain * outer(dx, dt),
            xx=None if self.xx is None else self.xx - part.xx + outer(gain * dx, dx),
            tt=None if self.tt is None else self.tt - part.tt + outer(gain * dt, dt),
        )

    def signed(self) -> Moments:
        """Moments with the labels 2 T - 1 in place of T: {-1, +1} from {0, 1}."""
        tt = None if self.tt is None else 4.0 * self.tt
        return replace(self, t_mean=2.0 * self.t_mean - 1.0, xt=2.0 * self.xt, tt=tt)

    def moved(self, by: np.ndarray) -> Moments:
        """Statistics of X + by, for a row (D,)."""
        return replace(self, x_mean=self.x_mean + by)

    def about_zero(self) -> Moments:
        """Uncentred sums of products, with means set to zero."""
        xp = namespace(self.xt)
        zeros = xp.zeros_like(self.x_mean), xp.zeros_like(self.t_mean)
        xt = self.xt + self.weight * outer(self.x_mean, self.t_mean)
        tt = None if self.tt is None else self.tt + self.weight * outer(self.t_mean, self.t_mean)
        return Moments(self.weight, *zeros, xt, self.about(zeros[0]), tt)

    def along(self, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P'xx P (k, k) and P'xt (k, q) for directions P (D, k), on the host."""
        P = like(self.xt, P)
        return dense(P.T @ (self.xx @ P)), dense(P.T @ self.xt)

    @property
    def kind(self) -> tuple[str, bool, bool]:
        """The kind of statistics; only those of one kind can be added."""
        return ("moments", self.xx is not None, self.tt is not None)

    @property
    def squares(self) -> np.ndarray:
        """Diagonal of xx, on the host: the squared lengths of the centred columns."""
        if self.xx is not None:
            return diagonal(self.xx)
        squares = sums(self.xt**2, axis=1) if self.x_squares is None else self.x_squares
        return dense(squares)

    def about(self, centre: np.ndarray) -> np.ndarray:
        """Scatter of X about another centre than its mean, (D, D)."""
        shift = self.x_mean - centre
        return self.xx + self.weight * outer(shift, shift)


def outer(a: Any, b: Any) -> Any:
    """The product a b', (m, k)."""
    return a[:, None] * b[None, :]


def centred(A: Any, w: np.ndarray) -> tuple[Any, np.ndarray]:
    """Centre a dense block, return a sparse one unchanged, in float64; and the weighted mean.

    A row of positive weight is subtracted first: a constant column is then exactly zero.
    """
    xp = namespace(w)
    total = max(float(xp.sum(w)), float(np.finfo(np.float64).tiny))
    if sparse.issparse(A):
        return A.astype(np.float64, copy=False), (w @ A) / total
    first = cast(A[int(xp.argmax(cast(w > 0, np.uint8))), :], np.float64)
    A = A - first
    offset = (w @ A) / total
    A -= offset
    return A, first + offset


def anchored(X: Any) -> tuple[Any, np.ndarray]:
    """Sparse X with columns without zeros shifted by their first entries, and the shift.

    The mean of such a column may be far above its spread; its products would be all rounding. No
    zero changes. The spread of a column with a zero is at least 1/n of its mean.
    """
    shift = np.zeros(X.shape[1])
    if not sparse.issparse(X) or X.shape[0] == 0:
        return X, shift
    full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    if not full.any():
        return X, shift
    shift[full] = X[[0]].toarray()[0, full]
    data = X.data.astype(np.float64) - shift[X.indices]
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape), shift


def scaled(A: Any, root: np.ndarray | None) -> Any:
    """Rows times the square roots of their weights."""
    if root is None:
        return A
    return sparse.diags_array(root) @ A if sparse.issparse(A) else A * root[:, None]


def product(X: Any, T: Any) -> np.ndarray:
    """X'T as a dense array, whichever of the two is sparse."""
    if not sparse.issparse(X):
        # BLAS is faster with the narrow factor first, and a sparse T must be on the left.
        return (T.T @ X).T
    # Sparse rows denser than pays are made dense, in blocks.
    rows = sparse.csr_array(X)
    X, T = rows, rows if T is X else sparse.csr_array(T) if sparse.issparse(T) else T
    n_all = float(X.shape[0]) * X.shape[1] * T.shape[1]
    if sparse.issparse(T):
        entries = np.diff(X.indptr).astype(np.float64) @ np.diff(T.indptr)
        pays = entries < DENSE_FROM["two sparse"] * n_all
    else:
        pays = float(X.nnz) * T.shape[1] < DENSE_FROM["one sparse"] * n_all
    if pays:
        found = X.T @ T
        return np.asarray(found.toarray() if sparse.issparse(found) else found)
    total = np.zeros((X.shape[1], T.shape[1]))
    height = max(1, BLOCK_ENTRIES // X.shape[1])
    for start in range(0, X.shape[0], height):
        block, other = X[start : start + height].toarray(), T[start : start + height]
        # The same array twice, so that BLAS computes one triangle.
        other = block if T is X else other.toarray() if sparse.issparse(T) else other
        total += block.T @ other
    return total


def about_mean(total: np.ndarray, weight: float, centre: np.ndarray) -> np.ndarray:
    """The scatter about the mean from that about zero, in place."""
    squares = np.diag(total).copy()
    total -= weight * np.outer(centre, centre)
    # Zero the rounding error of constant columns.
    lost = np.diag(total) <= 64 * EPS * squares
    total[lost] = total[:, lost] = 0.0
    return total


def mirrored(half: np.ndarray, weight: float, offset: np.ndarray) -> np.ndarray:
    """Both triangles of the scatter about the mean, from one triangle of that about another row."""
    # Both triangles, minus the diagonal that they share.
    total = half + half.T
    np.fill_diagonal(total, np.diag(half))
    total -= weight * outer(offset, offset)
    return total


def sums_of_squares(A: Any, weight: float, centre: np.ndarray) -> np.ndarray:
    """Only the diagonal of the scatter, (D,)."""
    if not sparse.issparse(A):
        return np.vecdot(A.T, A.T) if A.flags.f_contiguous else np.einsum("ij,ij->j", A, A)
    squares = np.bincount(A.indices, A.data**2, minlength=A.shape[1])
    return np.maximum(squares - weight * centre**2, 0.0)


def add_pooled(A: Any, B: Any, left: np.ndarray, right: np.ndarray) -> None:
    """Add to A, in place, B and the outer product of `left` and `right`; nothing if A is None."""
    if A is None:
        return
    A += B
    # By blocks of rows, because the product would be as large as A.
    numbers = DEVICE_NUMBERS if is_device(A) else OUTER_NUMBERS
    height = max(numbers // max(right.shape[0], 1), 1)
    for start in range(0, A.shape[0], height):
        rows = slice(start, min(start + height, A.shape[0]))
        A[rows, :] += outer(left[rows], right)
