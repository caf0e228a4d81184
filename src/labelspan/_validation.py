"""The one gate: every check of X and Y happens here, before any work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, validate_data

from labelspan._compat import is_dask_array, is_frame

# Below this share of ones the product X'Y is cheaper with Y sparse.
SPARSE_LABEL_DENSITY = 0.1
# A dense square array beyond this size is refused with advice, not attempted.
MAX_SQUARE_BYTES = 8 * 2**30


class NoDirectionError(ValueError):
    """Every eigenvalue is zero."""

    def __init__(self) -> None:
        super().__init__(
            "There is no direction to keep: every eigenvalue is zero, because every label or "
            "every feature is constant on the training rows (or label_correlation is zero). "
            "Check y for labels without rows and X for constant columns."
        )


@dataclass(frozen=True)
class Labels:
    """Labels after the gate.

    Attributes
    ----------
    Y : ndarray or csr_array of shape (n_samples, n_labels), float64 in {0, 1}; or Dask array
        The indicator matrix, sparse where that is cheaper.
    names : ndarray of str or None
        Column names, if the labels came as a frame.
    classes : ndarray or None
        The classes behind a 1-d `y`; of two classes the column of `Y` stands for the second.
    """

    Y: Any
    names: np.ndarray | None = None
    classes: np.ndarray | None = None


def check_fit(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    reset: bool = True,
    classes: np.ndarray | None = None,
    min_samples: int = 2,
) -> tuple[Any, Labels]:
    """Check the arguments of ``fit``.

    Parameters
    ----------
    estimator : estimator
        Gets ``n_features_in_`` and ``feature_names_in_`` if `reset`, is compared with them if not.
    X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
        Features.
    y : array-like, sparse matrix, frame or Dask array, (n_samples, n_labels) or (n_samples,)
        Labels, in any of the forms that :func:`check_labels` takes.
    reset : bool, default=True
        False for the second and later calls of ``partial_fit``.
    classes : ndarray or None
        The classes of a 1-d `y` if they are known already.
    min_samples : int, default=2
        Fewest rows of a first call; methods that do not centre can do with one.

    Returns
    -------
    X : ndarray, csr_array or Dask array
        Finite float32 or float64 (a Dask array is checked block by block, when it is computed).
    labels : Labels
        The indicator matrix and where it came from.
    """
    supervised = estimator.__sklearn_tags__().target_tags.required
    if is_dask_array(X):
        if not supervised:
            raise TypeError(
                f"{type(estimator).__name__} compares all pairs of rows and takes no Dask array. "
                "Bring the rows into memory first: X.compute()."
            )
        if y is None:
            raise ValueError(f"{type(estimator).__name__} requires y to be passed, but y is None.")
        labels = Labels(y) if is_dask_array(y) else check_labels(y, classes)
        check_dask(X, labels.Y)
        set_n_features(estimator, X.shape[1], reset)
        return X, labels
    if is_dask_array(y):
        raise TypeError(
            f"y is a Dask array but X is {type(X).__name__}. Pass both as Dask arrays "
            "with the same row chunks, or compute y first: y.compute()."
        )
    if y is None and supervised:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    # Labels first: a refusal must not leave the number of features of a rejected X behind.
    if supervised:
        labels = check_labels(y, classes)
        check_consistent_length(X, labels.Y)
    X = check_features(estimator, X, reset=reset, ensure_min_samples=min_samples if reset else 1)
    return X, labels if supervised else Labels(np.empty((X.shape[0], 0)))


def check_features(
    estimator: Any, X: Any, *, reset: bool = False, ensure_min_samples: int = 1
) -> Any:
    """Check X for ``fit`` (with `reset`) or ``transform``: finite, 2-d, float32 or float64."""
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_min_samples=ensure_min_samples,
    )
    return canonical(X) if sparse.issparse(X) else X


def canonical(X: Any) -> sparse.csr_array:
    """CSR without repeated entries; the caller's arrays stay as they are."""
    rows = sparse.csr_array(X)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def check_block(X: Any) -> Any:
    """One block of a Dask array, on its worker: float32 or float64, finite, CSR if sparse."""
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    X = canonical(X.astype(dtype)) if sparse.issparse(X) else np.asarray(X, dtype=dtype)
    if not np.isfinite(X.data if sparse.issparse(X) else X).all():
        raise ValueError("Input X contains NaN or infinity.")
    return X


def check_labels(y: Any, classes: np.ndarray | None = None) -> Labels:
    """Turn any accepted form of the labels into a 0/1 indicator matrix.

    Parameters
    ----------
    y : array-like, sparse matrix or frame
        (n, q) indicators in {0, 1}, bool or {-1, +1}; or 1-d classes: two classes become one
        label, more become one label each.
    classes : ndarray or None
        The classes of a 1-d `y` if they are known already.

    Returns
    -------
    Labels
        Checked labels.
    """
    if sparse.issparse(y):
        if y.ndim == 1:
            return one_label_a_class(y.toarray(), classes)
        return Labels(sparse_indicators(sparse.csr_array(y)))
    names = np.asarray([str(c) for c in y.columns], dtype=object) if is_frame(y) else None
    refuse_ragged(y)
    Y = np.asarray(y)
    if Y.dtype == object:
        # Frames of mixed or nullable columns: let NumPy find the type that holds them all.
        Y = np.asarray(Y.tolist())
    if Y.ndim == 2 and Y.shape[1] == 1 and Y.dtype.kind not in "bOUS" and len(np.unique(Y)) > 2:
        Y = Y[:, 0]
    if Y.ndim == 1:
        return one_label_a_class(Y, classes)
    if Y.dtype == object:
        refuse_other_values(Y)
    Y = check_array(Y, dtype=None, ensure_all_finite=True, input_name="y")
    return Labels(dense_indicators(Y), names)


def refuse_ragged(y: Any) -> None:
    """Raise for a list of lists of unlike lengths, most likely sets of labels."""
    if not isinstance(y, list | tuple):
        return
    lengths = [len(row) if isinstance(row, list | tuple | set) else -1 for row in y]
    if len(set(lengths)) < 2:
        return
    i = next(i for i, length in enumerate(lengths) if length != lengths[0])
    raise ValueError(
        f"y is no matrix: row 0 has {max(lengths[0], 1)} entries and row {i} has "
        f"{max(lengths[i], 1)}. Every row needs one 0 or 1 a label; lists of the labels that a "
        "row has become that with sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y)."
    )


def dense_indicators(Y: np.ndarray) -> Any:
    """0/1 values of a dense indicator matrix, as CSR where that is cheaper."""
    refuse_other_values(Y)
    positive = Y > 0 if Y.dtype != bool else Y
    counts = np.count_nonzero(positive, axis=1)
    if counts.sum() >= SPARSE_LABEL_DENSITY * Y.size:
        return positive.astype(np.float64)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    columns = np.flatnonzero(positive) - np.repeat(np.arange(len(Y)) * Y.shape[1], counts)
    return sparse.csr_array((np.ones(len(columns)), columns, indptr), shape=Y.shape)


def sparse_indicators(Y: sparse.csr_array) -> sparse.csr_array:
    """0/1 values of a sparse indicator matrix; stored zeros are dropped, duplicates refused."""
    Y = Y.astype(np.float64)
    Y.sum_duplicates()
    Y.eliminate_zeros()
    if not np.isfinite(Y.data).all():
        raise ValueError("Input y contains NaN or infinity; every label must be 0 or 1.")
    if Y.nnz < np.prod(Y.shape):
        wrong = Y.data[Y.data != 1]
        if len(wrong):
            raise ValueError(
                f"Sparse y holds the value {wrong[0]:g}; allowed are 0 and 1. "
                "Binarise it first, e.g. y = (y > 0)."
            )
        return Y
    return sparse.csr_array(dense_indicators(Y.toarray()))


def refuse_other_values(Y: np.ndarray) -> None:
    """Raise unless every value is in {0, 1} or every value is in {-1, +1}."""
    if Y.dtype == bool:
        return
    if Y.dtype.kind not in "iuf":
        raise ValueError(
            f"y holds values of dtype {Y.dtype}; an indicator matrix holds 0 and 1 "
            "(or -1 and +1). Encode names with sklearn.preprocessing.MultiLabelBinarizer."
        )
    if Y.dtype.kind == "u" and Y.max(initial=0) <= 1:
        return
    zero_one = (Y == 0) | (Y == 1)
    if zero_one.all() or (np.abs(Y) == 1).all():
        return
    row, column = np.argwhere(~zero_one)[0]
    raise ValueError(
        f"y[{row}, {column}] is {Y[row, column]}; an indicator matrix holds only 0 and 1, "
        "or only -1 and +1. For classes in one column pass y as a 1-d array."
    )


def one_label_a_class(y: np.ndarray, classes: np.ndarray | None) -> Labels:
    """One-hot columns of a 1-d `y`; two classes share one column, that of the second."""
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("Input y contains NaN or infinity; classes must be known for each row.")
    if not type_of_target(y, input_name="y").startswith(("binary", "multiclass")):
        raise ValueError(
            "Unknown label type: y is 1-d and continuous. Pass classes, or an (n, q) "
            "indicator matrix of 0 and 1."
        )
    if classes is None:
        classes = np.unique(y)
    elif not np.isin(y, classes).all():
        unknown = str(y[~np.isin(y, classes)][0])
        raise ValueError(
            f"y holds the class {unknown!r}, which was not in the first call; "
            "pass classes= with all of them to the first call of partial_fit."
        )
    codes = np.searchsorted(classes, y)
    if len(classes) <= 2:
        return Labels((codes == 1).astype(np.float64)[:, None], classes=classes)
    shape = (len(y), len(classes))
    one_hot = sparse.csr_array((np.ones(len(y)), codes, np.arange(len(y) + 1)), shape=shape)
    return Labels(one_hot, classes=classes)


def check_dask_rows(array: Any, name: str) -> None:
    """Refuse a Dask array whose blocks are not whole rows of numbers, and say how to mend it."""
    if array.ndim != 2:
        raise ValueError(
            f"{name} is a {array.ndim}-d Dask array; expected 2-d, (n_samples, n_columns). "
            f"Reshape it, or compute it first: {name}.compute()."
        )
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} is a Dask array of dtype {array.dtype}; expected numbers. "
            f"Convert it first: {name}.astype(float)."
        )
    if len(array.chunks[1]) > 1:
        raise ValueError(
            f"{name} is chunked along its columns into {len(array.chunks[1])} pieces; "
            f"rows must be whole. Call {name} = {name}.rechunk({{1: -1}}) first."
        )


def check_dask(X: Any, y: Any) -> None:
    """Refuse Dask arrays that cannot be walked by blocks of rows, and say how to mend them."""
    for name, array in (("X", X), ("y", y)):
        if not is_dask_array(array):
            continue
        check_dask_rows(array, name)
        if any(np.isnan(size) for size in array.chunks[0]):
            raise ValueError(
                f"{name} has row chunks of unknown size. "
                f"Call {name}.compute_chunk_sizes() before fit."
            )
    if len(X) != y.shape[0]:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {len(X)} rows, "
            f"y has {y.shape[0]}."
        )
    if is_dask_array(y) and X.chunks[0] != y.chunks[0]:
        raise ValueError(
            f"X and y have different row chunks ({X.chunks[0][:3]}... and {y.chunks[0][:3]}...). "
            "Call y = y.rechunk({0: X.chunks[0]}) before fit."
        )


def set_n_features(estimator: Any, n_features: int, reset: bool) -> None:
    """Record or compare the number of features of a Dask array, as validate_data does."""
    if reset:
        estimator.n_features_in_ = n_features
        # Names of an earlier fit on a frame do not describe these columns.
        estimator.__dict__.pop("feature_names_in_", None)
    elif n_features != estimator.n_features_in_:
        raise ValueError(
            f"X has {n_features} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )


def check_square(side: int, what: str, advice: str) -> None:
    """Refuse a dense square array that would not fit, before it is allocated."""
    size = 8 * side**2
    if size > MAX_SQUARE_BYTES:
        raise MemoryError(
            f"{what} would be {side} x {side} ({size / 2**30:.1f} GiB; "
            f"the limit is {MAX_SQUARE_BYTES / 2**30:.0f} GiB). {advice}"
        )


def check_psd(matrix: Any, n_labels: int, name: str) -> np.ndarray:
    """Check a given (q, q) label matrix: right shape, finite, symmetric, no negative eigenvalue.

    Returns
    -------
    ndarray of shape (q, r)
        A factor R with matrix = R R'.
    """
    matrix = check_array(matrix, dtype=np.float64, input_name=name)
    if matrix.shape != (n_labels, n_labels):
        raise ValueError(
            f"{name} has shape {matrix.shape}; expected ({n_labels}, {n_labels}), "
            "one row and one column a label."
        )
    scale = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > 1e-10 * scale:
        raise ValueError(
            f"{name} is not symmetric (largest difference to its transpose "
            f"{np.abs(matrix - matrix.T).max():.3g}). Pass ({name} + {name}.T) / 2."
        )
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    if values[0] < -1e-10 * max(scale, values[-1]):
        raise ValueError(
            f"{name} is indefinite: its smallest eigenvalue is {values[0]:.3g}, allowed are "
            "values >= 0. Clip its negative eigenvalues or use a kernel."
        )
    positive = values > len(values) * np.finfo(float).eps * max(values[-1], 0.0)
    return vectors[:, positive] * np.sqrt(values[positive])
