"""MATLAB files (version 5, which MATLAB calls v6 and v7)."""

from __future__ import annotations

import math
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from labelspan.datasets._dataset import MultilabelDataset
from labelspan.datasets._errors import DataFileError
from labelspan.datasets._limits import Limits
from labelspan.datasets._split import join

NUMERIC_CLASSES = frozenset(
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
) | {"double", "single", "sparse", "logical"}
# What SciPy and zlib raise for a damaged file.
BROKEN = (
    zlib.error,
    ValueError,
    TypeError,
    LookupError,
    OverflowError,
    EOFError,
    OSError,
    MemoryError,
    scipy.io.matlab.MatReadError,
)


def read_mat(
    path: str | os.PathLike[str],
    *,
    data: str = "data",
    target: str = "target",
    name: str | None = None,
    limits: Limits | None = None,
) -> MultilabelDataset:
    """Read a MATLAB v5 file with features, and labels stored as labels by samples.

    Parameters
    ----------
    path : str or path
        File with ``train_data``, ``train_target``, ``test_data`` and ``test_target``, or with
        ``data`` and ``target`` alone. Targets are q x n (or n x q where that is the only
        reading) in -1/+1 or 0/1.
    data, target : str, default="data" and "target"
        Names of the variables, without ``train_`` or ``test_``.
    name : str, optional
        Name of the data set; by default the name of the file.
    limits : Limits, optional
        Largest file to accept; shapes are checked before the values are read.

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
    variables = _load(path, Limits() if limits is None else limits)
    name = name or path.stem
    if f"train_{data}" not in variables:
        return _part(variables, data, target, path, name)
    train = _part(variables, f"train_{data}", f"train_{target}", path, name)
    if f"test_{data}" not in variables:
        return train
    return join(train, _part(variables, f"test_{data}", f"test_{target}", path, name), path)


def _load(path: Path, limits: Limits) -> dict[str, Any]:
    """Read the numeric variables after checking their declared shapes."""
    try:
        listed = scipy.io.whosmat(path)
        total = sum(8 * math.prod(shape) for _, shape, kind in listed if kind != "sparse")
        if max(total, path.stat().st_size) > limits.max_bytes:
            message = f"{total} bytes of values; the limit is {limits.max_bytes}"
            raise DataFileError(f"{message} (Limits.max_bytes)", file=path)
        numeric = [name for name, _, kind in listed if kind in NUMERIC_CLASSES]
        return scipy.io.loadmat(path, variable_names=numeric)
    except NotImplementedError as error:
        message = "MATLAB v7.3 file; save it again in MATLAB with save(..., '-v7')"
        raise DataFileError(message, file=path) from error
    except (DataFileError, FileNotFoundError):
        raise
    except BROKEN as error:
        message = f"not a readable MATLAB v5 file ({type(error).__name__}: {error})"
        raise DataFileError(message, file=path) from error


def _part(
    variables: dict[str, Any], data: str, target: str, path: Path, name: str
) -> MultilabelDataset:
    missing = [key for key in (data, target) if key not in variables]
    if missing:
        present = ", ".join(sorted(key for key in variables if not key.startswith("__")))
        message = f"no numeric variable {' or '.join(missing)}; the file has: {present or 'none'}"
        raise DataFileError(message, file=path)
    X, Y = variables[data], variables[target]
    X = sp.csr_array(X) if sp.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
    if Y.shape[1] == X.shape[0]:
        Y = Y.T
    elif Y.shape[0] != X.shape[0]:
        message = f"{target} is {Y.shape}, which does not fit {data}, {X.shape}"
        raise DataFileError(message, file=path)
    return MultilabelDataset(
        name=name,
        X=X,
        Y=_indicators(Y, target, path),
        feature_names=tuple(f"feature{i}" for i in range(X.shape[1])),
        label_names=tuple(f"label{i}" for i in range(Y.shape[1])),
        train=None,
        test=None,
        source=str(path),
    )


def _indicators(Y: Any, target: str, path: Path) -> Any:
    stored = Y.data if sp.issparse(Y) else Y
    if not np.isin(stored, (-1, 0, 1)).all():
        raise DataFileError(f"{target} has values other than -1, 0 and 1", file=path)
    if sp.issparse(Y):
        return sp.csr_array(Y > 0).astype(np.uint8)
    return np.ascontiguousarray(Y > 0).astype(np.uint8)
