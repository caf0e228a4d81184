"""Importances of features in a linear reducer: weights, VIP, correlations, shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.inspection._scores import centred_labels, directions, scored, scores_of

# Directions whose products differ from those of unit vectors by more are not orthonormal.
ORTHONORMAL = 1e-4


def label_weights(model: Any, X: Any, Y: Any) -> np.ndarray:
    r"""Weights of the features for each label, through the directions of a reducer.

    .. math:: W = P (T'T)^+ T'Y_c, \qquad T = X_c P

    the least-squares regression of the labels on the scores, in terms of the features.

    Parameters
    ----------
    model : linear extractor, LabelPLS or Pipeline
        Fitted; anything that :func:`labelspan.interop.to_linear` takes.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Rows to regress on, such as those of ``fit``.
    Y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
        Their labels.

    Returns
    -------
    ndarray of shape (n_labels, n_features)
        Change of the fitted label per unit of each feature.

    Examples
    --------
    >>> from labelspan import OPLS
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.inspection import label_weights
    >>> yeast = load_yeast()
    >>> label_weights(OPLS(5).fit(yeast.X, yeast.Y), yeast.X, yeast.Y).shape
    (14, 103)
    """
    T = scores_of(model, X)
    C = np.linalg.lstsq(T, centred_labels(Y, len(T)), rcond=None)[0]
    return np.asarray(C.T @ directions(model))


def vip(model: Any, X: Any, Y: Any) -> np.ndarray:
    r"""Variable importance in projection: the weight of each feature in what is explained.

    .. math:: \mathrm{VIP}_j = \sqrt{D \, \frac{\sum_a s_a w_{ja}^2}{\sum_a s_a}}

    with the unit weights :math:`w_a`, what direction a adds to the directions before it, and
    :math:`s_a`, the sum of squares of the labels that its score explains and those before it do
    not [1]_. For :class:`labelspan.LabelPLS` they are the weights of PLS, so this is the usual VIP.

    Parameters
    ----------
    model : linear extractor, LabelPLS or Pipeline
        Fitted; anything that :func:`labelspan.interop.to_linear` takes.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Rows that the labels are explained on, such as those of ``fit``.
    Y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
        Their labels.

    Returns
    -------
    ndarray of shape (n_features,)
        The mean of the squares is 1, so a feature above 1 counts more than the average one. Weights
        depend on the units of the features: scale them before ``fit``.

    References
    ----------
    .. [1] S. Wold, E. Johansson and M. Cocchi, "PLS: partial least squares projections to latent
       structures", in 3D QSAR in Drug Design, 1993.

    Examples
    --------
    >>> from labelspan import LabelPLS
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.inspection import vip
    >>> yeast = load_yeast()
    >>> importance = vip(LabelPLS(3).fit(yeast.X, yeast.Y), yeast.X, yeast.Y)
    >>> round(float((importance**2).mean()), 6)
    1.0
    """
    T = scores_of(model, X)
    weights = np.linalg.qr(directions(model).T)[0]
    steps = np.linalg.qr(T)[0]
    explained = np.sum((steps.T @ centred_labels(Y, len(T))) ** 2, axis=1)
    total = explained.sum()
    if not total > 0:
        raise ValueError(
            "The scores explain nothing of Y: its labels are constant on these rows. Pass rows "
            "that have and rows that lack the labels."
        )
    return np.asarray(np.sqrt(len(weights) * (weights**2 @ explained) / total))


def structure_correlations(model: Any, X: Any) -> np.ndarray:
    """Correlations of the features with the scores.

    They say what a direction looks like even where features that are correlated share its weight.

    Parameters
    ----------
    model : linear extractor, LabelPLS or Pipeline
        Fitted; anything that :func:`labelspan.interop.to_linear` takes.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Rows, such as those of ``fit``.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Correlations; 0 for a constant feature.

    Examples
    --------
    >>> from labelspan import OPLS
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.inspection import structure_correlations
    >>> yeast = load_yeast()
    >>> structure_correlations(OPLS(5).fit(yeast.X, yeast.Y), yeast.X).shape
    (5, 103)
    """
    found = scored(model, X)
    lengths = np.sqrt(np.outer(np.sum(found.scores**2, axis=0), found.squares))
    return np.divide(found.cross.T, lengths, out=np.zeros_like(lengths), where=lengths > 0)


def dependence_shares(model: Any, X: Any) -> np.ndarray:
    r"""Share of each feature in the dependence that each direction explains.

    An eigenvalue is a sum over the features,

    .. math:: \lambda_a = \lambda_a\, v_a'B v_a = \lambda_a \sum_j v_{ja} (B v_a)_j

    with B = I for orthonormal directions, where the shares are squared weights, and else
    B = ``xx`` + ridge I. There a share is below 0 for a feature that only corrects others.

    Parameters
    ----------
    model : MDDM, OPLS, LabelCCA, HSL, or another with orthonormal directions
        Fitted, with ``explained_dependence_ratio_``.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        The rows of ``fit``.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        The sum of row a is ``explained_dependence_ratio_[a]``.

    Examples
    --------
    >>> from labelspan import OPLS
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.inspection import dependence_shares
    >>> yeast = load_yeast()
    >>> model = OPLS(5).fit(yeast.X, yeast.Y)
    >>> bool(abs(dependence_shares(model, yeast.X).sum(axis=1)
    ...          - model.explained_dependence_ratio_).max() < 1e-9)
    True
    """
    ratio = getattr(model, "explained_dependence_ratio_", None)
    if ratio is None:
        raise TypeError(
            f"{type(model).__name__} has no explained_dependence_ratio_. Use vip or "
            "structure_correlations, or an extractor such as MDDM, OPLS or LabelCCA."
        )
    V = directions(model)
    units = V / np.linalg.norm(V, axis=1)[:, None]
    if np.abs(units @ units.T - np.eye(len(V))).max() < ORTHONORMAL and not has_ridge(model):
        shares = units**2
    else:
        shares = V * (scored(model, X).cross.T + ridge_of(model) * V)
        shares = shares / shares.sum(axis=1, keepdims=True)
    return np.asarray(ratio[:, None] * shares)


def has_ridge(model: Any) -> bool:
    """Whether the metric of the model is the scatter of X with a ridge."""
    return hasattr(model, "ridge_") or getattr(model, "mu_", 0.0) > 0


def ridge_of(model: Any) -> float:
    """The ridge of the metric, in the units of the scatter of X."""
    if not has_ridge(model):
        raise TypeError(
            f"{type(model).__name__} has directions in another metric than the scatter of X. Use "
            "vip or structure_correlations."
        )
    mu = getattr(model, "mu_", 0.0)
    return float((1 - mu) / mu if mu > 0 else model.ridge_)
