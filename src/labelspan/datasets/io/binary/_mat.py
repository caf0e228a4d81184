"""MATLAB files (version 5, which MATLAB calls v6 and v7)."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from labelspan.compat import load_mat
from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DAMAGED, DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._split import join
from labelspan.datasets.io._tables import (
    check_matrix,
    check_size,
    check_values,
    no_labels,
    without_repeats,
)
from labelspan.datasets.io.binary._mat_names import variable_names
from labelspan.datasets.io.binary._mat_size import check_unpacked_bytes

NUMERIC_CLASSES = frozenset(
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
) | {"double", "single", "sparse", "logical"}
BROKEN = (*DAMAGED, scipy.io.matlab.MatReadError)


def read_mat(
    path: str | os.PathLike[str],
    *,
    data: str | None = None,
    target: str | None = None,
    needs_labels: bool = True,
    name: str | None = None,
    limits: Limits | None = None,
) -> MultilabelDataset:
    """Read a MATLAB v5 file with features and labels.

    Parameters
    ----------
    path : str or path
        File with features of shape (n, d) and labels in -1/+1 or 0/1: as ``X`` and ``Y``,
        ``data`` and ``target``, or under another common name; or their parts, such as
        ``train_data`` and ``test_data`` or ``Xtrain`` and ``X_test``. Labels are q x n or
        n x q, whichever fits; if both do, q x n for ``target`` and n x q for other names.
    data, target : str, optional
        Names of the variables, without ``train`` or ``test``; by default the common names
        that the file has (``data``, ``X``, ``x`` or ``features`` with ``target``,
        ``targets``, ``Y``, ``y``, ``labels`` or ``label``).
    needs_labels : bool, default=True
        Whether to refuse a file without labels. Otherwise its `Y` has no columns.
    name : str, optional
        Name of the data set; by default the name of the file.
    limits : Limits, optional
        Largest file and matrices to accept; shapes are checked before the values are read.

    Returns
    -------
    MultilabelDataset
        `X` dense or CSR as stored; names are numbered, since the format has none.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np, scipy.io
    >>> from labelspan.datasets import read_mat
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.mat")
    ...     scipy.io.savemat(path, {"data": np.eye(3), "target": [[1, -1, -1], [1, 1, -1]]})
    ...     toy = read_mat(path)
    >>> toy.Y.tolist()
    [[1, 1], [0, 1], [0, 0]]
    """
    path = Path(path)
    limits = Limits() if limits is None else limits
    variables = _load(path, limits)
    names = variable_names(variables, data, target, needs_labels, path)

    def read_part(part: str) -> MultilabelDataset:
        matrices = _matrices(variables, *names[part], limits, path)
        return MultilabelDataset(name or path.stem, *matrices, source=str(path))

    first = read_part("train")
    return join(first, read_part("test"), path) if "test" in names else first


def _load(path: Path, limits: Limits) -> dict[str, Any]:
    try:
        check_unpacked_bytes(path, limits)
        listed = scipy.io.whosmat(path)
        # A sparse matrix without values still needs memory for its rows or columns.
        total = sum(
            8 * (sum(shape) if kind == "sparse" else math.prod(shape)) for _, shape, kind in listed
        )
        if total > limits.max_bytes:
            message = f"{total} bytes of values; the limit is {limits.max_bytes}"
            raise DataFileError(f"{message} (Limits.max_bytes)", file=path)
        numeric = [name for name, _, kind in listed if kind in NUMERIC_CLASSES]
        return load_mat(path, numeric)
    except NotImplementedError as error:
        message = "MATLAB v7.3 file; save it again in MATLAB with save(..., '-v7')"
        raise DataFileError(message, file=path) from error
    except (DataFileError, FileNotFoundError):
        raise
    except BROKEN as error:
        message = f"not a readable MATLAB v5 file ({type(error).__name__}: {error})"
        raise DataFileError(message, file=path) from error


def _matrices(
    variables: dict[str, Any], data: str, target: str | None, limits: Limits, path: Path
) -> tuple[Any, Any]:
    """Return X, and Y in 0/1 with one row per sample."""
    X = _features(variables, data, limits, path)
    if target is None:
        return X, no_labels(X)
    Y = variables[target]
    check_matrix(Y.shape, Y.dtype, target, path)
    if X.shape[0] not in Y.shape:
        message = f"{target} is {Y.shape}, which does not fit {data}, {X.shape}"
        raise DataFileError(f"{message}: {data} has a row per sample", file=path)
    # Files of Zhang and Zhou, which have a target, have one row per label.
    is_by_label = Y.shape[1] == X.shape[0] and ("target" in target or Y.shape[0] != Y.shape[1])
    if is_by_label:
        Y = Y.T
    # Messages name positions in Y, however the file stores the labels.
    labels = f"{target} (samples by labels)"
    check_size(Y.shape, labels, limits, path)
    Y = _rows(Y, labels, path)
    check_values(Y, (-1, 0, 1), labels, path)
    is_label = sp.csr_array(Y > 0) if sp.issparse(Y) else Y > 0
    return X, is_label.astype(np.int64)


def _features(variables: dict[str, Any], data: str, limits: Limits, path: Path) -> Any:
    X = variables[data]
    check_matrix(X.shape, X.dtype, data, path)
    check_size(X.shape, data, limits, path)
    X = _rows(X, data, path)
    return X if sp.issparse(X) else X.astype(np.float64, copy=False)


def _rows(matrix: Any, key: str, path: Path) -> Any:
    """Return a matrix by rows; check the indices of a sparse one, which SciPy does not."""
    if not sp.issparse(matrix):
        return np.ascontiguousarray(matrix)
    if matrix.format in ("csc", "csr"):
        try:
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise DataFileError(f"{key} is a broken sparse matrix ({error})", file=path) from error
    return without_repeats(sp.csr_array(matrix), key, path)
