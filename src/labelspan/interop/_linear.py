"""Fitted reducers as a matrix and an offset, and as the first layer of vector indexes."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import dense
from labelspan.extraction import EmbeddingReducer
from labelspan.interop._maps import Affine, Columns, UnitRows, projection

Linear = tuple[np.ndarray, np.ndarray]


def to_linear(model: BaseEstimator) -> tuple[np.ndarray, np.ndarray]:
    """Return what a fitted transformer computes as one matrix and one offset.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted linear extractor or selector of labelspan, ``PCA`` without whitening,
        ``TruncatedSVD``, ``StandardScaler`` or ``MaxAbsScaler``, or a pipeline of them.

    Returns
    -------
    matrix : ndarray of float64 of shape (n_components, n_features)
        The directions.
    offset : ndarray of float64 of shape (n_components,)
        ``transform(X)`` is ``X @ matrix.T + offset``.

    Examples
    --------
    >>> import numpy as np
    >>> from labelspan import EmbeddingReducer
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.interop import to_linear
    >>> yeast = load_yeast()
    >>> model = EmbeddingReducer(16).fit(yeast.X, yeast.Y)
    >>> matrix, offset = to_linear(model)
    >>> bool(np.allclose(yeast.X @ matrix.T + offset, model.transform(yeast.X)))
    True
    """
    check_is_fitted(model)
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps if step not in (None, "passthrough")]
        return reduce(_after, (to_linear(step) for step in steps))
    known = _of_sklearn(model)
    if known is not None:
        return known
    n_features = model.n_features_in_
    maps = [_linear(model, step, n_features) for step in projection(model)]
    # Without a step, the rows stay as they are.
    return reduce(_after, maps) if maps else (np.eye(n_features), np.zeros(n_features))


def to_faiss(model: BaseEstimator) -> Any:
    """Return a fitted transformer as ``faiss.LinearTransform``, for ``faiss.IndexPreTransform``.

    Parameters
    ----------
    model : estimator or Pipeline
        As in :func:`to_linear`.

    Returns
    -------
    faiss.LinearTransform
        The same projections in float32.
    """
    try:
        import faiss
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "to_faiss needs faiss. Install it: pip install faiss-cpu"
        ) from error
    matrix, offset = to_linear(model)
    layer = faiss.LinearTransform(matrix.shape[1], matrix.shape[0], True)
    faiss.copy_array_to_vector(matrix.astype(np.float32).ravel(), layer.A)
    faiss.copy_array_to_vector(offset.astype(np.float32), layer.b)
    layer.is_trained = True
    layer.set_is_orthonormal()
    return layer


def to_sentence_transformers(model: BaseEstimator) -> Any:
    """Return a fitted transformer as a module to append to a ``SentenceTransformer``.

    Parameters
    ----------
    model : estimator or Pipeline
        As in :func:`to_linear`, fitted to embeddings of that model.

    Returns
    -------
    sentence_transformers.models.Dense
        A layer with the same weights and no activation: ``sentence_model.append(layer)``.
    """
    try:
        import torch

        try:
            # Its place from version 6 on.
            from sentence_transformers.sentence_transformer.modules import Dense
        except ModuleNotFoundError:
            from sentence_transformers.models import Dense
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "to_sentence_transformers needs it: pip install sentence-transformers"
        ) from error
    matrix, offset = to_linear(model)
    return Dense(
        matrix.shape[1],
        matrix.shape[0],
        bias=True,
        activation_function=torch.nn.Identity(),
        init_weight=torch.tensor(matrix, dtype=torch.float32),
        init_bias=torch.tensor(offset, dtype=torch.float32),
    )


def _after(first: Linear, second: Linear) -> Linear:
    """The map `first`, then `second`."""
    return second[0] @ first[0], second[0] @ first[1] + second[1]


def _linear(model: Any, step: Affine | Columns | UnitRows, n_features: int) -> Linear:
    if isinstance(step, UnitRows):
        repair = "another scale than 'rows'"
        if isinstance(model, EmbeddingReducer):
            repair = "normalize=False, and let the index use cosines"
        raise TypeError(
            f"{type(model).__name__} scales each row to unit length, which is not linear. Set "
            f"{repair}."
        )
    if isinstance(step, Columns):
        return np.eye(n_features)[step.kept], np.zeros(len(step.kept))
    coef, mean, level = (dense(A).astype(np.float64) for A in (step.coef, step.mean, step.level))
    return coef, level - coef @ mean


def _of_sklearn(model: Any) -> Linear | None:
    """Linear transformers of scikit-learn that stand before a reducer."""
    D = model.n_features_in_
    if isinstance(model, StandardScaler | MaxAbsScaler):
        scale = np.ones(D) if model.scale_ is None else model.scale_
        mean = getattr(model, "mean_", None) if getattr(model, "with_mean", False) else None
        return np.diag(1 / scale), np.zeros(D) if mean is None else -mean / scale
    if isinstance(model, PCA) and not model.whiten:
        return model.components_, -model.components_ @ model.mean_
    if isinstance(model, TruncatedSVD):
        return model.components_, np.zeros(len(model.components_))
    return None
