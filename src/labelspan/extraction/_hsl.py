"""Hypergraph spectral learning."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import dense, is_dask_array, like, namespace, sums
from labelspan.base import N_COMPONENTS, RIDGE, LinearReducer
from labelspan.compat import StrOptions
from labelspan.extraction._weights import inverse
from labelspan.linalg import AUTO, Pencil, ridged_metric
from labelspan.moments import Sample, Statistics, collect, scaled, summarise

EXPANSIONS = frozenset({"clique", "star", "zhou"})


class HSL(LinearReducer):
    r"""Directions along which rows that share labels lie together.

    .. math:: \max_P \; \mathrm{tr}(P' X_c' C X_c P) \quad \text{subject to} \quad
              P'(X_c'X_c + \mathrm{ridge}\, I)P = I

    where the labels are the edges of a hypergraph over the rows, and C = I minus its normalised
    Laplacian [1]_. Each of the three Laplacians has C = H H' with H of shape (n, q), here for
    e_k rows of label k and c_i labels of row i:

    ========= ============================ ======================
    expansion H                            degrees of the rows
    ========= ============================ ======================
    clique    diag(d)^-1/2 Y               d_i = sum_k y_ik e_k
    star      diag(s)^-1/2 Y diag(e)^-1    s_i = sum_k y_ik / e_k
    zhou      diag(c)^-1/2 Y diag(e)^-1/2  c_i
    ========= ============================ ======================

    So it is :class:`OPLS` with labels that count less in rows with many or frequent labels. If
    each row has one label, "zhou" gives the directions of linear discriminant analysis.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep; or None for all with
        a positive eigenvalue (at most the number of labels).
    expansion : {"clique", "star", "zhou"}, default="clique"
        Which Laplacian: of the clique or the star expansion of the hypergraph, or that of Zhou
        et al. [2]_. "zhou" takes one pass over the data and has ``partial_fit``; the others
        first count the rows of each label.
    ridge : "auto" or float, default="auto"
        Added to the diagonal of the scatter of X. "auto" chooses it by generalised cross-validation
        of the regression of H on X, from the sums over the rows, see `ridge_`. 0 uses QR factors
        instead of Gram matrices.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, with ``components_ @ (xx + ridge I) @ components_.T`` = n I for n rows, or the
        sum of their weights: projections of the training rows have a variance of about 1. Divide
        by sqrt(n) for the identity.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues, descending; none is above 1.
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the sum of all eigenvalues that each direction has; a float
        `n_components` adds up these shares.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of directions kept.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
    ridge_ : float
        The ridge: that of `ridge`, or the one chosen among 28 between 1e-6 and 1e3 times the mean
        eigenvalue of the scatter, with at most n / 2 degrees of freedom.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    classes_ : ndarray
        Classes of a 1-d `y`.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    A row without labels is on no edge: its row of H is zero, but it counts in Xc. A label without
    rows has no column in H. Notation: F = Xc'H, B = ``xx`` + ridge I. With T = diag(c)^-1/2 Y the
    rows of T'T add up to e, so for "zhou" ``xt`` and ``tt`` of T suffice: F = ``xt`` diag(e)^-1/2.
    Costs as for :class:`OPLS`: time O(n D^2 + D^3 / 3 + D^2 q), memory O(D^2); if n < D, replace D
    by n; large sparse X by conjugate gradients. In chunks and on Dask arrays "zhou" adds O(n q^2)
    time, or less if the labels are sparse, and O(q^2) memory.

    References
    ----------
    .. [1] L. Sun, S. Ji and J. Ye, "Hypergraph spectral learning for multi-label
       classification", KDD 2008.
    .. [2] D. Zhou, J. Huang and B. Schoelkopf, "Learning with hypergraphs: clustering,
       classification, and embedding", NIPS 2006.

    Examples
    --------
    >>> from labelspan import HSL
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> HSL(n_components=5).fit(yeast.X, yeast.Y).transform(yeast.X).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_COMPONENTS,
        "expansion": [StrOptions(EXPANSIONS)],
        "ridge": RIDGE,
    }
    _chosen = "ridge_"
    _unit_variance = True
    _learnt = (*LinearReducer._learnt, "ridge_")

    def __init__(
        self,
        n_components: int | float | None = 0.999,
        *,
        expansion: str = "clique",
        ridge: float | str = "auto",
    ):
        self.n_components = n_components
        self.expansion = expansion
        self.ridge = ridge

    @property
    def _one_pass(self) -> bool:  # type: ignore[override]
        return self.expansion == "zhou"

    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        return Pencil(ridged_metric(self.ridge), self._edge_weights, by_products=False)

    def _summarise(self, sample: Sample) -> Statistics:
        # The choice of a ridge needs the scatter of H.
        auto = self.ridge == AUTO
        in_memory = sample.solver == "scatter" and not (sample.part or is_dask_array(sample.X))
        if self.expansion == "zhou" and (auto or not in_memory):
            return summarise(sample, tt=True, encode=by_degree)
        # The first pass reads only the labels; on a cluster it must not load X.
        counts = collect(replace(sample, X=sample.Y), rows_of_labels)
        return summarise(sample, tt=auto, encode=partial(expanded, self.expansion, counts))

    def _edge_weights(self, statistics: Any) -> np.ndarray | None:
        """diag(e)^-1/2 of "zhou", unless H was formed."""
        if self.expansion != "zhou" or statistics.tt is None:
            return None
        mean = dense(statistics.t_mean)
        counts = dense(statistics.tt).sum(axis=1) + statistics.weight * mean * mean.sum()
        return np.diag(inverse(np.sqrt(np.where(mean > 0, counts, 0.0))))


def label_factor(Y: Any, expansion: str, weights: np.ndarray | None = None) -> Any:
    """H of all rows at once, (n, q)."""
    return expanded(expansion, rows_of_labels(Y, Y, weights), Y)


def expanded(expansion: str, counts: np.ndarray, Y: Any) -> Any:
    """Rows of H of one block of labels, from the numbers of rows of all labels."""
    if expansion == "clique":
        return by_degree(Y, counts)
    if expansion == "star":
        return columns_times(by_degree(Y, inverse(counts)), inverse(counts))
    return columns_times(by_degree(Y), inverse(namespace(counts).sqrt(counts)))


def rows_of_labels(X: Any, Y: Any, weights: np.ndarray | None = None) -> np.ndarray:
    """Number, or weight, of the rows of one block with each label, (q,)."""
    return sums(Y, axis=0) if weights is None else weights @ Y


def by_degree(Y: Any, weights: np.ndarray | None = None) -> Any:
    """diag(Y weights)^-1/2 Y; rows of degree 0 are 0."""
    degree = Y @ like(Y, np.ones(Y.shape[1]) if weights is None else weights)
    return scaled(Y, inverse(namespace(degree).sqrt(degree)))


def columns_times(T: Any, scale: np.ndarray) -> Any:
    """T diag(scale)."""
    return scaled(T.T, scale).T
