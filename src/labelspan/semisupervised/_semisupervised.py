"""Complete missing labels for any reducer that accepts soft labels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MetaEstimatorMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import is_dask_array
from labelspan.compat import HasMethods, Interval, fit_context
from labelspan.extraction import neighbour_graph
from labelspan.gate import (
    Labels,
    check_features,
    check_fit,
    fitting,
    label_tags,
    mask_unobserved,
    remember_names,
    with_label_tags,
)
from labelspan.moments import warn_of_unobserved
from labelspan.semisupervised._propagate import propagate


class SemiSupervised(
    MetaEstimatorMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    r"""A reducer that learns from labels completed along a graph of neighbours.

    Each label that is not observed becomes a soft one: `alpha` times the mean over the neighbours
    of its row, and 1 - alpha times the mean m of the label where it is observed,

    .. math:: f_i = \frac{\alpha}{d_i} \sum_j G_{ij} f_j + (1 - \alpha) m, \qquad
              f_i = y_i \text{ where observed}

    with the symmetric 0/1 graph G of nearest neighbours and its degrees d. Then the reducer is
    fitted to all rows with these labels.

    Parameters
    ----------
    reducer : estimator
        A transformer that takes soft labels, such as MDDM, MVMD, OPLS, LabelCCA or LabelPLS.
    n_neighbors : int, default=10
        Neighbours per row. Two rows are joined if either is among those of the other; all ties at
        the last place count. Limited, with a warning, to the number of other rows.
    alpha : float in (0, 1), default=0.99
        Weight of the neighbours.
    tol : float, default=1e-9
        Residual of the equations, relative to their right-hand side.
    max_iter : int, default=1000
        Largest number of steps of conjugate gradients.

    Attributes
    ----------
    reducer_ : estimator
        The reducer, fitted.
    soft_labels_ : ndarray or csr_array of shape (n_samples, n_labels)
        Completed labels of the training rows; observed ones are unchanged.
    residual_ : float
        Largest residual of the equations of a label, relative to their right-hand side. The
        condition number is below 2 / (1 - alpha), so it bounds the error of the soft labels.
    n_iter_ : int
        Number of residuals checked, one more than the steps of conjugate gradients.
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
    This is the propagation of [1]_ as used by [2]_, column by column. The share that they give to a
    column for "unknown" goes to the mean of the label here, where it does not change the centred
    labels. Rows are not normalised to the sum 1, because the reducers weigh labels themselves. A
    label that is never observed is 0 everywhere, with a warning; if all labels are observed, no
    graph is made and the result is that of the reducer, bit by bit.

    It helps if labelled rows are few and neighbours share labels. It does not help if the observed
    labels suffice, or if distances say little about the labels (docs/missing.md).

    Time O(n^2 D) for the neighbours, in blocks, then O(n n_neighbors q) for each of about
    sqrt(2 / (1 - alpha)) log(1 / tol) / 2 steps or fewer; memory O(n n_neighbors + n q).

    References
    ----------
    .. [1] F. Nie, S. Xiang, Y. Liu and C. Zhang, "A general graph-based semi-supervised learning
       with novel class discovery", Neural Computing and Applications 19, 2010.
    .. [2] K. O. Mikalsen, C. Soguero-Ruiz, F. M. Bianchi and R. Jenssen, "Noisy multi-label
       semi-supervised dimensionality reduction", Pattern Recognition 90, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from labelspan import MDDM, SemiSupervised
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> Y = yeast.Y.astype(float)
    >>> Y[100:] = np.nan
    >>> model = SemiSupervised(MDDM(5)).fit(yeast.X, Y)
    >>> model.transform(yeast.X).shape, bool(model.residual_ < 1e-8)
    ((2417, 5), True)
    """

    _supervised: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "reducer": [HasMethods(["fit", "transform"])],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        reducer: Any,
        *,
        n_neighbors: int = 10,
        alpha: float = 0.99,
        tol: float = 1e-9,
        max_iter: int = 1000,
    ):
        self.reducer = reducer
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, observed: Any = None, **refused: Any) -> SemiSupervised:
        """Complete the labels and fit the reducer to all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features of labelled and unlabelled rows. Sparse input is never made dense.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or (n_samples,)
            Label indicators in {0, 1}, bool or {-1, +1}, or soft labels in [0, 1]; NaN where a
            label is not observed, in whole rows or in single entries. Or a 1-d array of classes.
        observed : array-like or sparse matrix of bool, (n_samples, n_labels), or None, default=None
            Which labels of a sparse `y` are observed, where not all of them are.
        **refused : dict
            Nothing else is accepted; `sample_weight` is refused with the reason.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        with fitting(self):
            X, labels = check_fit(self, X, mask_unobserved(y, observed), **refused)
            remember_names(self, labels)
            target = self._complete(X, labels)
            self.reducer_ = clone(self.reducer).fit(X, target)
        return self

    def _complete(self, X: Any, labels: Labels) -> Any:
        """Labels for the reducer."""
        self.soft_labels_, self.residual_, self.n_iter_ = labels.Y, 0.0, 1
        if labels.missing:
            T = labels.Y.copy()
            share = 1 - np.isnan(T).mean(axis=0)
            warn_of_unobserved(share)
            T[:, share == 0] = 0.0
            graph = neighbour_graph(X, self.n_neighbors)
            found = propagate(graph, T, self.alpha, self.tol, self.max_iter)
            self.soft_labels_, self.residual_ = found.labels, found.residual
            self.n_iter_ = found.n_iter
        return self.soft_labels_ if labels.classes is None else labels.target

    def transform(self, X: Any) -> Any:
        """Transform by ``reducer_``.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or a lazy Dask array for one
            The output of the reducer.
        """
        check_is_fitted(self)
        return self.reducer_.transform(X if is_dask_array(X) else check_features(self, X))

    @property
    def _n_features_out(self) -> int:
        return len(self.reducer_.get_feature_names_out())

    def __sklearn_tags__(self) -> Any:
        tags = with_label_tags(super().__sklearn_tags__())
        inner = get_tags(self.reducer)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.transformer_tags.preserves_dtype = inner.transformer_tags.preserves_dtype
        tags.target_tags.required = tags.target_tags.multi_output = True
        tags.label_tags = label_tags(self)
        return tags

    def _refusals(self) -> dict[str, str]:
        # Reducers of other libraries check their input themselves.
        theirs = getattr(get_tags(self.reducer), "label_tags", None)
        if theirs is None or theirs.takes("soft_labels"):
            return {}
        reason, name = theirs.refused["soft_labels"], type(self.reducer).__name__
        return {
            "missing_labels": f"its reducer {name} takes no soft labels, because {reason}",
            "soft_labels": f"its reducer {name} does: {reason}",
        }
