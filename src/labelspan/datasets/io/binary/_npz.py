"""NumPy archives: the fast exact format of this package."""

from __future__ import annotations

import os
import tokenize
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DAMAGED, DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._tables import (
    check_matrix,
    check_names,
    check_size,
    check_values,
    no_labels,
    without_repeats,
)
from labelspan.datasets.io._written_labels import has_missing, written_labels
from labelspan.datasets.io.binary._npz_members import CSR_PARTS, read_members
from labelspan.system import replace_file

# Of zipfile, and of NumPy for the header of an array.
BROKEN = (*DAMAGED, zipfile.BadZipFile, RuntimeError, SyntaxError, tokenize.TokenError)


def read_npz(
    path: str | os.PathLike[str],
    *,
    needs_labels: bool = True,
    name: str | None = None,
    limits: Limits | None = None,
) -> MultilabelDataset:
    """Read a NumPy archive with features, labels, names and split.

    Parameters
    ----------
    path : str or path
        Archive with ``X`` and ``Y``, each an array or the CSR parts ``X_data``, ``X_indices``,
        ``X_indptr`` and ``X_shape``; optional are ``feature_names``, ``label_names``,
        ``train_idx``, ``test_idx`` and ``source``. Pickled objects are refused.
    needs_labels : bool, default=True
        Whether to refuse a file without labels. Otherwise its `Y` has no columns.
    name : str, optional
        Name of the data set; by default the name of the file.
    limits : Limits, optional
        Largest archive and matrices to accept; sizes are checked before anything is read.

    Returns
    -------
    MultilabelDataset
        Arrays as they are stored; `Y` as int64, or as float64 with NaN for labels that were not
        observed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> from labelspan.datasets import read_npz
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.npz")
    ...     np.savez(path, X=np.eye(3), Y=np.eye(3, 2, dtype=np.uint8))
    ...     toy = read_npz(path)
    >>> toy
    MultilabelDataset('toy': 3 samples, 3 features, 2 labels)
    """
    path = Path(path)
    limits = Limits() if limits is None else limits
    try:
        arrays = read_members(path, limits)
        X = _matrix(arrays, "X", limits, path)
        if not needs_labels and not any(key.partition("_")[0] == "Y" for key in arrays):
            arrays = {**arrays, "Y": no_labels(X), "label_names": np.empty(0, dtype=np.str_)}
        Y = _matrix(arrays, "Y", limits, path)
    except (DataFileError, FileNotFoundError):
        raise
    except BROKEN as error:
        raise DataFileError(f"not a usable npz archive ({error})", file=path) from error
    if X.shape[0] != Y.shape[0]:
        raise DataFileError(f"X has {X.shape[0]} rows, Y has {Y.shape[0]}", file=path)
    missing = has_missing(Y)
    check_values(np.where(np.isnan(Y), 0, Y) if missing else Y, (0, 1), "Y", path)
    return MultilabelDataset(
        name=name or path.stem,
        X=X,
        Y=Y.astype(np.float64 if missing else np.int64),
        feature_names=_names(arrays, "feature_names", X.shape[1], limits, path),
        label_names=_names(arrays, "label_names", Y.shape[1], limits, path),
        train=_rows(arrays, "train_idx", X.shape[0], path),
        test=_rows(arrays, "test_idx", X.shape[0], path),
        source=str(_text(arrays, "source", path) if "source" in arrays else path),
    )


def write_npz(dataset: MultilabelDataset, path: str | os.PathLike[str]) -> None:
    """Write a data set as a compressed NumPy archive, which `read_npz` reads back exactly.

    Parameters
    ----------
    dataset : MultilabelDataset
        The data set.
    path : str or path
        File to write; an existing file is replaced once the new one is complete.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelspan.datasets import load_yeast, read_npz, write_npz
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "yeast.npz")
    ...     write_npz(load_yeast(), path)
    ...     bool((read_npz(path).X == load_yeast().X).all())
    True
    """
    arrays: dict[str, Any] = {
        "feature_names": np.array(dataset.feature_names, dtype=np.str_),
        "label_names": np.array(dataset.label_names, dtype=np.str_),
        "source": np.array(dataset.source, dtype=np.str_),
    }
    split = {"train_idx": dataset.train, "test_idx": dataset.test}
    arrays |= {key: rows for key, rows in split.items() if rows is not None}
    for key, matrix in (("X", dataset.X), ("Y", written_labels(dataset.Y, allow_missing=True))):
        if sp.issparse(matrix):
            csr = sp.csr_array(matrix, copy=True)
            csr.sum_duplicates()
            parts = (csr.data, csr.indices, csr.indptr, csr.shape)
            arrays |= {f"{key}_{p}": part for p, part in zip(CSR_PARTS, parts, strict=True)}
        else:
            arrays[key] = np.asarray(matrix)
    with replace_file(path) as file:
        _write_archive(file, arrays)


def _write_archive(file: IO[bytes], arrays: dict[str, Any]) -> None:
    """Like ``numpy.savez_compressed``, which in NumPy 2.0 leaves its archive open on failure."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, array in arrays.items():
            # The size of a member is not known before it is compressed.
            with archive.open(f"{key}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def _matrix(arrays: dict[str, np.ndarray], key: str, limits: Limits, path: Path) -> Any:
    if key in arrays:
        return arrays[key]
    missing = [f"{key}_{part}" for part in CSR_PARTS if f"{key}_{part}" not in arrays]
    if missing:
        raise DataFileError(f"neither {key} nor {', '.join(missing)} in the archive", file=path)
    data, indices, indptr, shape = (arrays[f"{key}_{part}"] for part in CSR_PARTS)
    size = tuple(shape.ravel().tolist())
    check_matrix(size, data.dtype, key, path)
    check_size(size, key, limits, path)
    matrix = sp.csr_array((data, indices, indptr), shape=size)
    matrix.check_format(full_check=True)
    # Files may hold 64-bit indices that need no more than 32; liblinear refuses the former.
    if max(matrix.nnz, *matrix.shape) <= np.iinfo(np.int32).max:
        matrix.indices = matrix.indices.astype(np.int32, copy=False)
        matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return without_repeats(matrix, key, path)


def _names(
    arrays: dict[str, np.ndarray], key: str, count: int, limits: Limits, path: Path
) -> tuple[str, ...]:
    if key not in arrays:
        return ()
    if arrays[key].shape != (count,):
        raise DataFileError(f"{key}: {arrays[key].shape} names for {count} columns", file=path)
    names = tuple(_text(arrays, key, path))
    check_names(names, limits, path)
    return names


def _text(arrays: dict[str, np.ndarray], key: str, path: Path) -> Any:
    array = arrays[key]
    try:
        text = np.strings.decode(array, "utf-8") if array.dtype.kind == "S" else array
        return text.astype(np.str_).tolist()
    # NumPy stores any four bytes as a character; Python raises SystemError for invalid ones.
    except (ValueError, SystemError) as error:
        message = f"{key} cannot be read as text ({error}); save an array of str, or of UTF-8 bytes"
        raise DataFileError(message, file=path) from error


def _rows(arrays: dict[str, np.ndarray], key: str, n_rows: int, path: Path) -> np.ndarray | None:
    if key not in arrays:
        return None
    rows = arrays[key]
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or (rows >= n_rows).any() or (rows < 0).any():
        raise DataFileError(f"{key} must be row numbers below {n_rows}", file=path)
    return rows.astype(np.intp)
