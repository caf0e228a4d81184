"""Locality preserving projections."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from labelspan.arrays import doubles
from labelspan.base import LinearReducer
from labelspan.compat import Interval
from labelspan.gate import unweighted
from labelspan.linalg import EPS, FORMED, EigenPairs, Pencil, column_scales, row_space
from labelspan.moments import Moments, Sample, Statistics, anchored, centred, row_blocks


class LPP(LinearReducer):
    r"""Directions along which neighbouring rows stay close; the labels are not used.

    .. math:: \max_P \; \mathrm{tr}(P'X_c'WX_cP) \quad \text{subject to} \quad
              P'(X_c'DX_c + \mathrm{ridge}\, I)P = I

    with W the 0/1 graph that joins two rows if either is among the `n_neighbors` nearest of
    the other, and D its degrees. Without a ridge this is the problem of Sec. 2 of [1]_, which
    minimises tr(P'X_c'(D - W)X_cP) under the same constraint: its eigenvalues are one minus
    these. With a ridge the two differ, and this form of [2]_ is preferable: a ridge in the
    denominator of a minimised ratio favours directions without variance. LPP is the unsupervised
    baseline of the MDDM paper.

    Parameters
    ----------
    n_components : int, default=10
        Number of directions; a share is not offered, because W has negative eigenvalues too.
    n_neighbors : int, default=10
        Neighbours per row; the MDDM paper uses that of the classifier. All ties at the last place
        count, so that the graph does not depend on the order of the rows.
    ridge : float > 0, default=0.1
        Added to the diagonal of the constraint, in the squared units of X.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, largest eigenvalue first, orthonormal in the metric of the constraint.
    eigenvalues_ : ndarray of shape (n_components_,)
        Their eigenvalues, descending and below 1: P'Xc'WXcP over the constraint. Along a
        direction with a negative one, neighbours tend to lie on opposite sides.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of directions kept, at most the rank of Xc.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    Directions that no training row sees (the null space of Xc) are left out, as by the PCA
    step of [1]_. There is no ``explained_dependence_ratio_``: LPP does not look at labels.
    Time O(n^2 D) for the neighbours, by brute force in blocks, and
    O(n n_neighbors D + n D^2 + D^3); memory O(D^2 + n n_neighbors); if n < D, replace D by n.

    References
    ----------
    .. [1] X. He and P. Niyogi, "Locality preserving projections", NIPS 2004.
    .. [2] D. Cai, X. He and J. Han, "Spectral regression for efficient regularized subspace
       learning", ICCV 2007.

    Examples
    --------
    >>> from labelspan import LPP
    >>> from labelspan.datasets import load_yeast
    >>> X = load_yeast().X
    >>> LPP(n_components=3).fit_transform(X).shape
    (2417, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "ridge": [Interval(Real, 0, None, closed="neither")],
    }
    _one_pass = False
    _supervised = False
    fit = unweighted(LinearReducer.fit)

    def __init__(self, n_components: int = 10, *, n_neighbors: int = 10, ridge: float = 0.1):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.ridge = ridge

    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        return FORMED

    def _summarise(self, sample: Sample) -> Statistics:
        X, shift = anchored(sample.X)
        found = locality(X, neighbour_graph(X, self.n_neighbors))
        return replace(found, plain=found.plain.moved(shift))

    def _directions(self, statistics: Any, pencil: Pencil) -> EigenPairs:
        degree, laplacian, ridge, back = row_coordinates(statistics, self.ridge)
        n_kept, last = self._n_kept(len(degree)), len(degree) - 1
        values, C = linalg.eigh(
            degree - laplacian,
            degree + ridge,
            subset_by_index=(last - n_kept + 1, last),
        )
        if values[-1] <= len(values) * EPS:
            warnings.warn(
                f"The largest eigenvalue of LPP is {values[-1]:.2g}: no direction keeps neighbours "
                f"on one side. Lower n_neighbors={self.n_neighbors} if it joins nearly every row "
                "with every other.",
                stacklevel=2,
            )
        return EigenPairs(values[::-1], back(C[:, ::-1]))

    def _n_kept(self, rank: int) -> int:
        if self.n_components > rank:
            warnings.warn(
                f"n_components={self.n_components} is more than the rank of X, {rank}; "
                f"{rank} directions are kept (see n_components_).",
                stacklevel=2,
            )
        return min(self.n_components, rank)


def row_coordinates(
    statistics: Locality, ridge: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """Degree, Laplacian and ridge on the row space of Xc, in units near one; the map back."""
    V = row_space(statistics.plain)[2]
    if V is None:
        V = np.diag(1 / column_scales(statistics.plain.squares))
    degree, laplacian = V.T @ statistics.degree @ V, V.T @ statistics.laplacian @ V
    return degree, laplacian, ridge * (V.T @ V), lambda C: V @ C


@dataclass(frozen=True)
class Locality:
    """Xc'(D - W)Xc and Xc'DXc, and the moments of X."""

    laplacian: np.ndarray
    degree: np.ndarray
    plain: Moments

    x_mean = property(attrgetter("plain.x_mean"))
    weight = property(attrgetter("plain.weight"))

    @property
    def squares(self) -> np.ndarray:
        """Weighted squared lengths of the columns, which overflow first."""
        return np.diag(self.degree)


def locality(X: Any, graph: sparse.csr_array) -> Locality:
    """The matrices of the problem, from X (n, p) and the graph (n, n)."""
    none = np.empty((X.shape[0], 0))
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    plain = Moments.of(X, none, tt=False)
    weighted = Moments.of(X, none, degrees, tt=False)
    # (D - W) 1 = 0, so centring is optional here; it is done for dense X, where it is free.
    Xc, _ = centred(X, np.ones(X.shape[0]))
    laplacian = Xc.T @ (sparse.diags_array(degrees) @ Xc - graph @ Xc)
    laplacian = doubles(laplacian)
    return Locality((laplacian + laplacian.T) / 2, weighted.about(plain.x_mean), plain)


def neighbour_graph(X: Any, n_neighbors: int) -> sparse.csr_array:
    """Symmetric 0/1 graph of nearest neighbours, with ties; joins all of too few rows."""
    n_rows = X.shape[0]
    if n_neighbors > n_rows - 1:
        warnings.warn(
            f"n_neighbors={n_neighbors} is more than the {n_rows - 1} other rows; "
            f"{n_rows - 1} are used.",
            stacklevel=2,
        )
        n_neighbors = n_rows - 1
    # Distances are computed from products, which keep their digits after centring.
    X, _ = centred(X, np.ones(n_rows))
    # Distances that differ by less than the rounding of the products, and of the reduction of a
    # wide X to its rows, are ties.
    rounding = 16 * (32 + n_rows) * EPS * row_norms(X, squared=True).max()
    rows, columns = [], []
    for block in row_blocks(np.broadcast_to(0.0, (n_rows, n_rows))):
        squares = euclidean_distances(X[block], X, squared=True)
        here = np.arange(block.start, block.stop)
        squares[np.arange(len(here)), here] = np.inf
        radius = np.partition(squares, n_neighbors - 1, axis=1)[:, n_neighbors - 1, None]
        near, column = np.nonzero(squares <= radius + rounding)
        rows.append(here[near])
        columns.append(column)
    row, column = np.concatenate(rows), np.concatenate(columns)
    one_way = sparse.coo_array((np.ones(len(row)), (row, column)), shape=(n_rows, n_rows)).tocsr()
    return one_way.maximum(one_way.T).tocsr()
