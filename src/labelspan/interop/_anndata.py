"""Reduce the features of annotated data (AnnData), in memory or in a file."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelspan.datasets import blocks_of
from labelspan.interop._maps import Affine, Columns, projection


def reduce_anndata(
    cells: Any, reducer: Any, labels: Any = None, *, key: str | None = None, rows: int | None = None
) -> Any:
    """Fit a reducer to AnnData and store the projections with the data.

    It writes ``obsm["X_" + key]``, the projections (n_obs, n_components), and
    ``uns[key]["model"]``, the parameters as text. For a linear reducer also ``varm[key]``, the
    directions (n_vars, n_components), and ``uns[key]["mean"]``: the projections are ``(X - mean) @
    varm[key]``. For a selector ``var[key]``, the mask of the features it keeps.

    Parameters
    ----------
    cells : AnnData
        Features in ``X``. A backed object is read by blocks, and its ``X`` never as a whole.
    reducer : transformer
        It is fitted here; with ``labels=None`` it has been fitted before.
    labels : str, list of str or None, default=None
        A key of ``obsm``, or columns of ``obs``, with label indicators. None for a reducer that is
        fitted already.
    key : str or None, default=None
        Name of the entries to write. None means the class name in lower case, such as "mddm".
    rows : int or None, default=None
        Rows per block. None makes blocks of about 64 MB.

    Returns
    -------
    transformer
        The fitted reducer.

    Notes
    -----
    Nothing is written to a file: call ``cells.write_h5ad(path)`` to keep the result.

    Examples
    --------
    >>> import numpy as np
    >>> import pytest
    >>> anndata = pytest.importorskip("anndata")
    >>> from labelspan import MDDM
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.interop import reduce_anndata
    >>> yeast = load_yeast()
    >>> cells = anndata.AnnData(yeast.X, obsm={"functions": yeast.Y})
    >>> model = reduce_anndata(cells, MDDM(5), "functions")
    >>> cells.obsm["X_mddm"].shape, cells.varm["mddm"].shape
    ((2417, 5), (103, 5))
    """
    if type(cells).__module__.partition(".")[0] != "anndata":
        raise TypeError(f"cells is a {type(cells).__name__}; expected an AnnData object.")
    key = type(reducer).__name__.lower() if key is None else key
    if labels is None:
        check_is_fitted(reducer)
    else:
        _fit(cells, reducer, labels, rows)
    blocks = blocks_of(cells, rows=rows)
    cells.obsm[f"X_{key}"] = np.concatenate([reducer.transform(X) for (X,) in blocks])
    cells.uns[key] = {"model": repr(reducer)}
    if projection.dispatch(type(reducer)) is not projection.dispatch(object):
        found, *_ = projection(reducer)
        if isinstance(found, Columns):
            kept = np.zeros(cells.n_vars, dtype=bool)
            kept[found.kept] = True
            cells.var[key] = kept
        elif isinstance(found, Affine):
            cells.varm[key] = np.array(found.coef.T)
            cells.uns[key]["mean"] = np.array(found.mean)
    return reducer


def _fit(cells: Any, reducer: Any, labels: Any, rows: int | None) -> None:
    if not cells.isbacked:
        (whole,) = blocks_of(cells, labels, rows=max(cells.n_obs, 1))
        reducer.fit(*whole)
    elif hasattr(reducer, "fit_blocks"):
        reducer.fit_blocks(blocks_of(cells, labels, rows=rows)).finalize()
    else:
        raise ValueError(
            f"{type(reducer).__name__} needs all rows at once, but cells is backed by a file. Pass "
            "cells.to_memory(), or a reducer with fit_blocks, such as MDDM or MVMD."
        )
