"""Fewer dimensions for search: directions of the labels and of the features, in one kernel."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, cast

import numpy as np

from labelspan.arrays import dense, unit_rows
from labelspan.base import N_COMPONENTS, RIDGE, LinearReducer, with_fewer
from labelspan.compat import Interval, StrOptions
from labelspan.linalg import (
    AUTO,
    EigenPairs,
    Pencil,
    Spectral,
    energy_of_labels,
    leading_sum,
    rank,
    ridged_metric,
    spectral,
    spectrum_of,
)

# Share of the labels if they depend on the features. Chosen on folds of the GoEmotions training
# rows (docs/embeddings.md): neighbours of labels that were seen gain little from more, and those of
# labels that were not seen begin to lose.
SHARE = 0.25


class EmbeddingReducer(LinearReducer):
    r"""Few dimensions in which rows with common labels are neighbours.

    .. math:: \min_{\mathrm{rank}(Z) \le k} \; \| K - Z Z' \|_F, \qquad
              K = (1 - \beta) \frac{X_c X_c'}{\mathrm{tr}(X_c X_c')}
              + \beta \frac{\sum_j \rho_j u_j u_j'}{\sum_j \rho_j}

    The inner products of the result are as close as possible to a mixture of two: those of the
    features, which keep what labels do not tell, and those of the projections ``u_j`` of
    :class:`OPLS`, along which the labels differ, each of unit length and weighted by ``rho_j``, the
    square root of its eigenvalue. So cosine and dot products of the result are meaningful for
    search, also for labels that were not there in ``fit``.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=64
        Number of dimensions; or the share of the trace of K to keep; or None for the rank of X. The
        first k dimensions are the result for ``n_components=k``, see :meth:`truncate`.
    balance : "auto" or float in [0, 1], default="auto"
        Share beta of the labels in K: 0 is PCA, 1 leaves the directions of the labels only.
        "auto" is 0.25 if generalised cross-validation finds that the features explain the labels,
        by two standard errors more than noise would, and 0 otherwise, see `balance_`.
    ridge : "auto" or float, default="auto"
        That of :class:`OPLS`. "auto" chooses it by generalised cross-validation.
    normalize : bool, default=False
        Whether ``transform`` scales each row to unit length, for indexes that know dot products
        only.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions: ``transform(X) = (X - mean_) @ components_.T``. With ``balance=0`` they are
        orthonormal; the sum of squares of all projections is that of the features.
    eigenvalues_ : ndarray of shape (n_components_,) or (n_positive,)
        Largest eigenvalues of K, descending; the sum of all is 1.
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the trace of K that each dimension has.
    balance_, ridge_ : float
        The values that were used.
    code_scale_ : float
        Factor of the projections in :meth:`codes`: 127 stands for four standard deviations of the
        first dimension.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of dimensions.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    classes_ : ndarray
        Classes of a 1-d `y`.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    See Also
    --------
    OPLS : The directions of the labels alone.
    MVMD : Variance and dependence in the metric of the features.

    Notes
    -----
    All is found from the sums ``xx`` and ``xt``, in one pass over the rows: with ``xx`` = V
    diag(s^2) V', K has the eigenvalues of an r x r matrix of the spectral form. Time O(n D^2 +
    D^3), memory O(D^2); if n < D, replace D by n.

    Examples
    --------
    >>> from labelspan import EmbeddingReducer
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> model = EmbeddingReducer(16).fit(yeast.X, yeast.Y)
    >>> model.transform(yeast.X).shape
    (2417, 16)
    >>> model.truncate(8).transform(yeast.X).shape
    (2417, 8)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_COMPONENTS,
        "balance": [StrOptions({AUTO}), Interval(Real, 0, 1, closed="both")],
        "ridge": RIDGE,
        "normalize": ["boolean"],
    }
    _learnt = (*LinearReducer._learnt, "ridge_", "balance_", "code_scale_")
    _chosen = "ridge_"

    def __init__(
        self,
        n_components: int | float | None = 64,
        *,
        balance: float | str = AUTO,
        ridge: float | str = AUTO,
        normalize: bool = False,
    ):
        self.n_components = n_components
        self.balance = balance
        self.ridge = ridge
        self.normalize = normalize

    def truncate(self, n_components: int) -> EmbeddingReducer:
        """The same model with its first dimensions only, without a fit.

        Parameters
        ----------
        n_components : int
            From 1 to ``n_components_``.

        Returns
        -------
        EmbeddingReducer
            A new fitted estimator, as ``fit`` with this parameter would give.
        """
        shorter = with_fewer(self, n_components, 1)
        for name in ("components_", "eigenvalues_", "explained_dependence_ratio_"):
            setattr(shorter, name, getattr(self, name)[:n_components])
        shorter.n_components_ = int(n_components)
        return cast("EmbeddingReducer", shorter)

    def codes(self, X: Any, bits: int = 8) -> np.ndarray:
        """Projections in fewer bytes: a signed byte or a bit per dimension.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features.
        bits : {8, 1}, default=8
            8: ``transform(X) * code_scale_`` (times 127 for rows of unit length), rounded to -127
            to 127, so that inner products and cosines are those of the projections but for
            rounding. 1: whether each projection is positive, eight to a byte, for Hamming
            distances.

        Returns
        -------
        ndarray of shape (n_samples, n_components_), int8, or (n_samples, n_components_ / 8), uint8
            Codes; the last byte of a row is filled up with zeros.
        """
        if bits not in (1, 8):
            raise ValueError(f"bits={bits!r}; expected 8, a byte per dimension, or 1, its sign.")
        Z = dense(self.transform(X))
        if bits == 1:
            return np.packbits(Z > 0, axis=1)
        scale = 127.0 if self.normalize else self.code_scale_
        return np.clip(np.rint(Z * scale), -127, 127).astype(np.int8)

    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        return Pencil(ridged_metric(self.ridge), variance=(1.0, 1.0), by_products=False)

    def _solved(self, statistics: Any, pencil: Pencil) -> tuple[EigenPairs, Pencil]:
        form, total = spectral(statistics), energy_of_labels(statistics)
        form = replace(form, V=dense(form.V), UT=dense(form.UT))
        energy = np.sum(form.UT**2, axis=1)
        weight = statistics.weight * statistics.share
        spectrum = spectrum_of(form.s**2, energy, total, weight, form.null)
        ridge = spectrum.ridge() if callable(pencil.metric) else float(self.ridge)
        # Half of the degrees of freedom move the criterion of noise by one part in sqrt(n q).
        doubt = 2.0 / np.sqrt(statistics.weight * max(form.UT.shape[1], 1))
        depends = spectrum.criterion(ridge) < (1.0 - doubt) * spectrum.criterion(np.inf)
        self.balance_ = float(SHARE * depends if self.balance == AUTO else self.balance)
        pairs = mixed(form, ridge, self.balance_, self.n_components)
        spread = np.sqrt(pairs.values[0] * np.sum(form.s**2) / statistics.weight)
        self.code_scale_ = float(127.0 / (4.0 * spread))
        return pairs, replace(pencil, metric=(1.0, ridge))

    def _project(self, X: Any) -> np.ndarray:
        Z = super()._project(X)
        return unit_rows(Z) if self.normalize else Z


def mixed(form: Spectral, ridge: float, balance: float, n_components: Any) -> EigenPairs:
    """Directions M (D, k) with Xc M M' Xc' the part of K of the largest eigenvalues.

    K = U H U' with Xc = U diag(s) V', so that an eigenvector y of H to the eigenvalue h gives the
    projections U y sqrt(h), in the units of X after multiplication by the length of s.
    """
    s, length = form.s, np.linalg.norm(form.s)
    shrink = (s / np.sqrt(s**2 + ridge))[:, None]
    directions, rho, _ = np.linalg.svd(shrink * form.UT, full_matrices=False)
    r = rank(rho, max(form.UT.shape))
    if r == 0 and balance < 1:
        # Labels that are constant leave the features.
        balance = 0.0
    H = np.diag((1.0 - balance) * (s / length) ** 2)
    if balance > 0 and r:
        # The projections u_j in coordinates of U, with lengths whose squares add up to one.
        C = shrink * directions[:, :r]
        C *= np.sqrt(rho[:r] / rho[:r].sum()) / np.linalg.norm(C, axis=0)
        H += balance * (C @ C.T)
    pairs = leading_sum(H, n_components)
    k = pairs.vectors.shape[1]
    Y = pairs.vectors * (length * np.sqrt(pairs.values[:k]))
    return EigenPairs(pairs.values, form.V @ (Y / s[:, None]), pairs.total)
